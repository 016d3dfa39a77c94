"""The free-pivot multi-pendulum in space (seed 001, eq. 1.6): time and energy drift, and time per step against N.

N particles on massless rods, 1 m and 1 kg together, released from rest at an angle; tol 1e-12.
"""

from __future__ import annotations

import math

import linkwork as lw
from common import table

RUNS = ((40, 10.0), (250, 0.2), (1000, 0.05))
DIRECTION = (0.95, 0.15, 0.2)


def make_pendulum(count: int) -> lw.Model:
    """The chain along one direction."""
    size = math.hypot(*DIRECTION)
    places = {f"P{i}": tuple(x / size * i / count for x in DIRECTION) for i in range(1, count + 1)}
    return lw.Model(
        lw.Mechanism(
            dimension=3,
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1.0 / count) for i in range(count)],
            particles=[lw.Particle(point=f"P{i}", mass=1.0 / count) for i in range(1, count + 1)],
            gravity=(0, 0, -9.81),
            start=lw.InitialValues(positions=places),
        )
    )


def measure(count: int, until: float) -> list[str]:
    pendulum = make_pendulum(count)
    motions = [pendulum.simulate(until, tol=1e-12) for _ in range(3)]
    best = min(motions, key=lambda m: m.stats.seconds)
    per_step = 1e6 * best.stats.seconds / best.stats.steps
    drift = f"{best.energy.drift:.1e}"
    return [str(count), f"{until:g}", str(best.stats.steps), f"{best.stats.seconds:.3g}", f"{per_step:.0f}", drift]


def section() -> str:
    """The chapter of RESULTS.md."""
    head = ["N", "simulated, s", "steps", "solver, s", "per step, µs", "energy drift"]
    about = (__doc__ or "").split("\n\n", 1)[1]
    return "\n".join(["## Multi-pendulum in space", "", about, table(head, [measure(*run) for run in RUNS])])


if __name__ == "__main__":
    print(section())
