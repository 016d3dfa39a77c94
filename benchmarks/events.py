"""Events and changes of law: what each of them costs.

`python benchmarks/events.py ../other` compares with another version, a checkout, in turns. A cost is the difference of
two runs, one with many and one with few of them, over the difference of their numbers, in processor time of the whole
of `simulate`; the shortest of several launches counts.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
import time
from pathlib import Path

from common import HERE, ONE_THREAD, ROOT, read_lines, run_quietly, table

LAUNCHES, REPETITIONS, FEW = 3, 3, 20
MANY = {"before": 220, "now": 20_000}
TOL = 1e-10
# the force along x, place and speed at the start, events, how long one of them takes
CASES = {
    "a force by the clock, `sign(sin(1000 t)) − x`": ("sign(sin(1000*t + 1)) - A.x", 0.0, 0.0, [], math.pi / 1000),
    "bang-bang, `−sign(x)`": ("-sign(A.x)", 0.125, 0.0, [], 1.0),
    "dry friction, `−x − sign(v)/100`, driven": ("-A.x - 0.01*sign(A.vx) + 2*sin(3*t)", 1.0, 0.0, [], 0.5),
    "recorded event, `x = 0` of an oscillator": ("-A.x", 1.0, 0.0, ["A.x"], math.pi),
    "recorded event, `sin(50 t)` in long steps": ("-A.x", 1.0, 0.0, ["sin(50*t + 1)"], math.pi / 50),
}


def measure(name: str, many: int) -> tuple[float, float]:
    """Processor time of one more event or change of law [s], and how many there were."""
    import linkwork as lw

    if not hasattr(lw, "Model"):
        lw.Model = lw.Assembly  # what older versions call it
    law, x, v, whens, length = CASES[name]
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=1)],
            forces=[lw.Force(point="A", components=(law, 0))],
            events=[lw.Event(name=f"e{i}", when=when) for i, when in enumerate(whens)],
            start=lw.InitialValues(positions={"A": (x, 0)}, velocities={"A": (v, 0)}),
        )
    )
    found = []
    for count in (FEW, many):
        best = math.inf
        for _ in range(REPETITIONS):
            begin = time.thread_time()
            motion = model.simulate(count * length, tol=TOL)
            best = min(best, time.thread_time() - begin)
        # a step ends at each change of law
        found.append((best, len(motion.events) if whens else motion.stats.steps))
    (short, few), (long, all_) = found
    return (long - short) / (all_ - few), all_


def launch(root: Path, cache: str, many: int) -> dict[str, tuple[float, float]]:
    """The costs of all cases in one version, in a process of its own."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(root / "src"), "LINKWORK_CACHE": cache}
    lines = read_lines(run_quietly([sys.executable, __file__, "serve", many], environment, cwd=HERE))
    return {line["name"]: (line["cost"], line["count"]) for line in lines}


def collect(roots: dict[str, Path]) -> dict[str, dict[str, tuple[float, float]]]:
    """The least cost of each case in each version, in turns."""
    found: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in roots}
    with tempfile.TemporaryDirectory() as caches:
        for _ in range(LAUNCHES):
            for key, root in roots.items():
                for name, cost in launch(root, f"{caches}/{key}", MANY[key]).items():
                    found[key][name] = min(cost, found[key].get(name, cost))
    return found


def section() -> str:
    """The chapter of RESULTS.md."""
    costs = collect({"now": ROOT})["now"]
    rows = [[name, f"{costs[name][1]:.0f}", f"{1e6 * costs[name][0]:.1f}"] for name in CASES]
    return "\n\n".join(
        [
            "## Events and changes of law",
            f"A particle on a line at a tolerance of {TOL:g}; microseconds of processor time for one event, or for one "
            "step that ends where the law changes, everything included: the step itself, finding and recording it, "
            f"beginning anew. Best of {LAUNCHES} launches.",
            table(["what happens", "how often", "each [µs]"], rows),
        ]
    )


def compare(other: Path) -> str:
    """A table of both versions."""
    costs = collect({"before": other, "now": ROOT})
    rows = []
    for name in CASES:
        before, now = (1e6 * costs[key][name][0] for key in ("before", "now"))
        rows.append([name, f"{before:.0f} → {now:.1f}", f"{before / now:.0f}"])
    return table(["what happens", "each [µs]", "times as fast"], rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        for case in CASES:
            cost, count = measure(case, int(sys.argv[2]))
            print(json.dumps({"name": case, "cost": cost, "count": count}), flush=True)
    elif sys.argv[1:]:
        print(compare(Path(sys.argv[1]).resolve()))
    else:
        print(section())
