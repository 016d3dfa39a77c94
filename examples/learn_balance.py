"""A cart learns to balance its pole: linear feedback found by trial and error, episode by episode, with a stepper.

python examples/learn_balance.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import linkwork as lw

FILE = Path(__file__).with_name("cart-pole.yaml")
PERIOD, SECONDS, EPISODES = 0.02, 6.0, 80


def play(pole, state, gains) -> float:
    """The reward of an episode: how long the pole stands, less how far things are from the middle."""
    pole.state, reward = state, 0.0
    while pole.t < SECONDS - PERIOD / 2:
        x, v, tilt, rate = pole["A.x"], pole["A.vx"], pole["tilt"], pole["B.vx"] - pole["A.vx"]
        if abs(tilt) > 0.5 or abs(x) > 2:
            break
        pole.step(PERIOD, float(np.clip(gains @ (x, v, tilt, rate), -20, 20)))
        reward += 1.0 - tilt**2 - 0.1 * x**2
    return reward


def learn(seed: int = 1):
    """The best gains found, and the rewards of all episodes: try something near the best, keep it if it is better."""
    random, pole = np.random.default_rng(seed), lw.load(FILE).stepper(inputs=["F"])
    start, best, rewards = pole.state, (-np.inf, np.zeros(4)), []
    for episode in range(EPISODES):
        gains = best[1] + random.normal(size=4) * (10.0 if episode < EPISODES // 2 else 3.0)
        rewards.append(play(pole, start, gains))
        best = max(best, (rewards[-1], gains), key=lambda pair: pair[0])
    return best[1], rewards


def main() -> None:
    """Learn, and tell how it went."""
    gains, rewards = learn()
    best = np.maximum.accumulate(rewards)
    print("best reward after 1, 10, 20, 40, 80 episodes:", *(f"{best[i - 1]:.1f}" for i in (1, 10, 20, 40, 80)))
    print("F = " + " + ".join(f"{g:.3g} {name}" for g, name in zip(gains, ("x", "x'", "tilt", "tilt'"), strict=True)))


if __name__ == "__main__":
    main()
