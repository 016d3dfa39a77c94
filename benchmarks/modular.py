"""How long modular models take to derive: the figures of the MoSs documentation beside its own times, and chains.

    python benchmarks/modular.py
    python benchmarks/modular.py chains     chains of up to 1,000 bodies, joined with multipliers

Processor time, the least of several turns, each with a new model; chains once, each in a process of its own, whose
largest memory is told.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time

sys.path[:0] = [str(Path(__file__).parents[1] / "tests")]

import composed  # noqa: E402
import pendulums  # noqa: E402

PRINTED = {"figure 2": 0.18, "figure 3": 0.43, "figure 4": 0.77}  # seconds, Mathematica 10, 2015
TURNS = 5


CHAINS = {"plane": composed.planar_chain, "space": composed.spatial_chain}


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
        print(
            f"chain of {n:2}: complement and balance in {least(lambda n=n: composed.planar_chain(n)[0].derive()):.3f} s"
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


def chains() -> None:
    """How time and memory grow with the number of bodies."""
    print("chain     bodies  compose    join    start   first 0.1 s, audited   a step later  memory   energy")
    for kind in CHAINS:
        for n in (125, 250, 500, 1000):
            done = subprocess.run([sys.executable, __file__, kind, str(n)], capture_output=True, check=True, text=True)
            x = json.loads(done.stdout)
            print(
                f"{kind:8} {n:7} {x['compose']:7.2f} s {x['join']:5.2f} s {x['start']:6.2f} s {x['first']:18.2f} s"
                f" {1000 * x['again'] / x['steps']:12.1f} ms {x['memory']:5.0f} MB  {x['drift']:.0e}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["chains"]:
        chains()
    elif sys.argv[1:]:
        print(json.dumps(join(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
