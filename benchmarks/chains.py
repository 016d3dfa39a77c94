"""A planar chain of N rods on a fixed point, released from horizontal rest: what grows with N, and how.

Each N runs in a process of its own, so that peak memory is its own.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import tempfile
import time
from pathlib import Path

from common import UnavailableError, number, read_lines, run_quietly, table

SIZES = [10, 100, 1000, 10000]
TOL = 1e-8
UNTIL, STEPS, REPEATS = 10.0, 40, 5
QUANTITIES = {
    "load": "load, s",
    "first": "first simulate, s",
    "step": "per step, ms",
    "memory": "peak memory, MB",
}


def write_chain(n: int, path: Path) -> None:
    """N equal rods P0P1, P1P2, ... of one metre and one kilogram along +x, at rest."""
    rod = "{Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}"
    rods = "\n".join(f"    P{i}P{i + 1}: {rod}" for i in range(n))
    positions = "\n".join(f"    P{i}: [{i}, 0]" for i in range(1, n + 1))
    path.write_text(
        f"Title: Chain of {n} rods\n"
        "Dimension: 2\n"
        "PhysicalParams: {l: 1, m: 1}\n"
        "PartData:\n"
        "  Fixed: {P0: []}\n"
        f"  Rigids:\n{rods}\n"
        "AppliedForces:\n"
        "  Gravity:\n"
        "ProblemData:\n"
        "  t0: 0\n"
        "  tend: 1\n"
        f"  positions:\n{positions}\n"
    )


def peak_megabytes() -> float:
    """Peak memory of this process alone; getrusage would count what the parent had before it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if "VmHWM" in line) / 1024


def measure_chain(n: int) -> dict:
    """Seconds to load, for the first short run, and per step of a longer one; peak memory."""
    import linkwork as lw

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.yaml"
        write_chain(n, path)
        begin = time.perf_counter()
        mechanism = lw.load(str(path))
        load = time.perf_counter() - begin
    begin = time.perf_counter()
    mechanism.simulate(until=1e-3, tol=TOL)
    first = time.perf_counter() - begin
    # the best of several: memory that the system hands out for the first time costs more than the step itself
    runs = (mechanism.simulate(until=UNTIL, tol=TOL, max_steps=STEPS).stats for _ in range(REPEATS))
    best = min(runs, key=lambda stats: stats.seconds / stats.steps)
    return {
        "n": n,
        "load": load,
        "first": first,
        "step": 1e3 * best.seconds / best.steps,
        "steps": int(best.steps),
        "memory": peak_megabytes(),
    }


def slope(rows: list[dict], key: str) -> float | None:
    """Exponent of growth between the last two sizes; the smallest chain is taken away as overhead."""
    if len(rows) < 3:
        return None
    overhead = 0.0 if key == "step" else rows[0][key]
    previous, last = (row[key] - overhead for row in rows[-2:])
    if min(previous, last) <= 0.0:
        return None
    return math.log(last / previous) / math.log(rows[-1]["n"] / rows[-2]["n"])


def section() -> str:
    """The chapter of RESULTS.md."""
    rows, remarks = [], []
    for n in SIZES:
        try:
            rows += read_lines(run_quietly([sys.executable, __file__, str(n)]))
        except UnavailableError as reason:
            remarks.append(f"N = {n}: not measured: {reason}")
    cells = [[row["n"], *(number(row[key]) for key in QUANTITIES), row["steps"]] for row in rows]
    cells.append(["slope", *(number(slope(rows, key)) for key in QUANTITIES), ""])
    parts = [
        "## Chains of N rods",
        f"From horizontal rest, tol {TOL:g}. Slopes are between the last two sizes, except for the step "
        "after taking away the first row, which is overhead; 1 is linear growth, the target is below 1.1.",
        table(["N", *QUANTITIES.values(), "steps"], cells),
        *remarks,
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure_chain(int(sys.argv[1]))))
    else:
        print(section())
