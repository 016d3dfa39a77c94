"""How long modular models take to derive: the figures of the MoSs documentation beside its own times, and chains.

    python benchmarks/modular.py

Processor time, the least of several turns, each with a new model; chains once, each in a process of its own, whose
largest memory is told.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]

import composed  # noqa: E402
import pendulums  # noqa: E402
from common import run_quietly, table  # noqa: E402

PRINTED = {"figure 2": 0.18, "figure 3": 0.43, "figure 4": 0.77}  # seconds, Mathematica 10, 2015
TURNS = 5
LENGTHS = (250, 1000)
CHAINS = {"plane": composed.planar_chain, "space": composed.spatial_chain}


def least(work: Callable[[], object]) -> float:
    """The least processor time of several turns."""
    times = []
    for _ in range(TURNS):
        begin = process_time()
        work()
        times.append(process_time() - begin)
    return min(times)


def derivation_rows() -> list[list[object]]:
    """Milliseconds to derive each model, beside the printed seconds."""
    figures = {"figure 2": pendulums.figure2, "figure 3": pendulums.figure3, "figure 4": pendulums.figure4}
    rows: list[list[object]] = []
    for name, make in figures.items():
        seconds = least(lambda make=make: make().explicit())
        rows.append([f"{name}, explicit equations", f"{1e3 * seconds:.0f}", f"{1e3 * PRINTED[name]:.0f}"])
    at = {"p_1z": "-a1", "p_2z": "-a1 - a2"}
    linear = least(lambda: pendulums.figure5().linearize(at).explicit())
    rows.append(["figure 5, linear model", f"{1e3 * linear:.0f}", ""])
    for n in (5, 10, 20):
        seconds = least(lambda n=n: composed.planar_chain(n)[0].derive())
        rows.append([f"chain of {n} in the plane, complement and balance", f"{1e3 * seconds:.0f}", ""])
    return rows


def section() -> str:
    """The chapter of RESULTS.md."""
    head = ["chain", "compose, s", "join, s", "start, s", "a step, ms", "memory, MB", "energy"]
    return "\n\n".join(
        [
            "## Systems from systems",
            "Milliseconds of processor time, the least of several turns, beside what the documentation of MoSs prints "
            "for itself (2015):",
            table(["model", "ms", "printed"], derivation_rows()),
            "Chains of bodies on pins in the plane and on ball joints in space, joined with multipliers "
            "(`S.model(...)`), each in a process of its own:",
            table(head, [chain_row(kind, n) for kind in CHAINS for n in LENGTHS]),
        ]
    )


def join(kind: str, n: int) -> dict[str, float]:
    """Processor seconds of each step of a chain, and the largest memory in MB."""
    times = [process_time()]
    module, parameters, start = CHAINS[kind](n)
    times.append(process_time())
    model = module.model(parameters=parameters, start=start)
    model.system  # noqa: B018
    times.append(process_time())
    model.start  # noqa: B018
    times.append(process_time())
    model.simulate(0.1)
    times.append(process_time())
    motion = model.simulate(0.3)
    times.append(process_time())
    steps = ("compose", "join", "start", "first", "again")
    seconds = dict(zip(steps, [b - a for a, b in pairwise(times)], strict=True))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return seconds | {"memory": memory, "steps": len(motion.t), "drift": motion.energy.drift}


def chain_row(kind: str, n: int) -> list[object]:
    """Time and memory of one chain."""
    x = json.loads(run_quietly([sys.executable, __file__, kind, str(n)]))
    seconds = [f"{x[key]:.2f}" for key in ("compose", "join", "start")]
    step, where = f"{1e3 * x['again'] / x['steps']:.1f}", f"{n} in {'the plane' if kind == 'plane' else kind}"
    return [where, *seconds, step, f"{x['memory']:.0f}", f"{x['drift']:.0e}"]


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(join(sys.argv[1], int(sys.argv[2]))))
    else:
        print(section())
