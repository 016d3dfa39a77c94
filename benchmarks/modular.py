"""How long modular models take to derive: the figures of the MoSs documentation beside its own times, and chains.

    python benchmarks/modular.py

Processor time, the least of several turns, each with a new model.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]

import pendulums  # noqa: E402
from linkwork import modular as md  # noqa: E402

PRINTED = {"figure 2": 0.18, "figure 3": 0.43, "figure 4": 0.77}  # seconds, Mathematica 10, 2015
TURNS = 5


def chain(n: int) -> md.Module:
    """Rods in a plane, each pinned to the one before."""
    rods = [md.newton_euler(str(k), plane="xy", gravity="-y") for k in range(1, n + 1)]
    rows = {}
    for k in range(1, n + 1):
        for a, f in (("x", "cos"), ("y", "sin")):
            before = f" - p_{k - 1}{a} - h*{f}(theta_{k - 1})" if k > 1 else ""
            rows[f"{k}{a}"] = f"p_{k}{a} - h*{f}(theta_{k}){before}"
    return md.compose("chain", rods, constraints={0: rows})


def least(work: Callable[[], object]) -> float:
    """The least processor time of several turns."""
    times = []
    for _ in range(TURNS):
        begin = process_time()
        work()
        times.append(process_time() - begin)
    return min(times)


def main() -> None:
    figures = {"figure 2": pendulums.figure2, "figure 3": pendulums.figure3, "figure 4": pendulums.figure4}
    for name, make in figures.items():
        seconds = least(lambda make=make: make().explicit())
        print(f"{name}: explicit equations in {seconds:.3f} s; printed {PRINTED[name]} s")
    at = {"p_1z": "-a1", "p_2z": "-a1 - a2"}
    print(f"figure 5: linear model in {least(lambda: pendulums.figure5().linearize(at).explicit()):.3f} s")
    for n in (5, 10, 20):
        print(f"chain of {n:2}: complement and balance in {least(lambda n=n: chain(n).derive()):.3f} s")


if __name__ == "__main__":
    main()
