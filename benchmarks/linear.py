"""Linearisation: how it grows with the number of bodies, and beside Exudyn's.

A scissor lift of N bars has one degree of freedom however long it is; a hanging chain of N rods has N.
"""

from __future__ import annotations

import math
import time

import linkwork as lw
from common import HERE, UnavailableError, find_python, number, read_lines, run_quietly, table

BARS = (10, 100, 1000)
RODS = (1, 10, 100, 300)
LONG, SLOWEST = (100, 300, 1000, 3000), 10
MOST = 300  # rods up to which all eigenvalues are computed
REPEATS = 3
HEAD = ["N", "linkwork, ms", "Exudyn, ms", "slowest ω, linkwork", "Exudyn", "1.2024 √(g/l), the heavy rope"]


def make_lift(bars: int, angle: float = 0.9) -> lw.Model:
    """Pairs of crossed bars, one above the other; the lowest ends stand on a fixed point and on a line."""
    c, s = math.cos(angle), math.sin(angle)
    stages = bars // 2
    places = {f"L{i}": (0.0, 2 * i * s) for i in range(1, stages + 1)}
    places |= {f"R{i}": (2 * c, 2 * i * s) for i in range(stages + 1)}
    places |= {f"M{i}": (c, (2 * i + 1) * s) for i in range(stages)}
    ends = [pair for i in range(stages) for pair in ((f"L{i}", f"R{i + 1}", i), (f"R{i}", f"L{i + 1}", i))]
    bar = {"geometry": ((0, 0), (2, 0), (1, 0)), "centroid": (1, 0), "mass": 1.0, "inertia": 1 / 3}
    return lw.Model(
        lw.Mechanism(
            fixed={"L0": (), "X1": (-1,), "X2": (9,)},
            rigids=[lw.Rigid(name=f"{a}{b}M{i}", points=(a, b, f"M{i}"), **bar) for a, b, i in ends],
            springs=[lw.Spring(name="L0R0", points=("L0", "R0"), stiffness=1e3 * bars, rest_length=2 * c)],
            collinears=[lw.Collinear("X1X2R0")],
            gravity=(0, -9.81),
            start=lw.InitialValues(positions=places),
        )
    )


def make_chain(rods: int) -> lw.Model:
    """A chain of 1 m and 1 kg, hanging."""
    return lw.Model(
        lw.Mechanism(
            fixed={"P0": ()},
            rigids=[lw.Rigid.rod(f"P{i}P{i + 1}", 1.0 / rods, 1.0 / rods) for i in range(rods)],
            gravity=(0, -9.81),
            start=lw.InitialValues(positions={f"P{i}": (0.0, -i / rods) for i in range(1, rods + 1)}),
        )
    )


def measure(assembly: lw.Model) -> tuple[float, float]:
    """Milliseconds to linearise and find all eigenvalues, at best, and the slowest frequency."""
    assembly.start  # noqa: B018 - made when asked for
    best, omega = math.inf, math.nan
    for _ in range(REPEATS):
        begin = time.perf_counter()
        omega = min(map(abs, assembly.linearize().eigenvalues))
        best = min(best, 1e3 * (time.perf_counter() - begin))
    return best, omega


def measure_slowest(rods: int) -> tuple[float, float]:
    """Milliseconds to find the slowest modes alone, at best, and the slowest frequency."""
    assembly = make_chain(rods)
    assembly.start  # noqa: B018 - made when asked for
    best, omega = math.inf, math.nan
    for _ in range(REPEATS):
        begin = time.perf_counter()
        omega = assembly.slowest(SLOWEST).modes[0].omega
        best = min(best, 1e3 * (time.perf_counter() - begin))
    return best, omega


def measure_exudyn(rods: int) -> tuple[float | None, float | None]:
    try:
        output = run_quietly([find_python("exudyn"), HERE / "peers" / "linear_exudyn.py", rods], timeout=600)
    except UnavailableError:
        return None, None
    (line,) = read_lines(output)
    return 1e3 * line["seconds"], line["omega"][0]


def section() -> str:
    lift = [(bars, *measure(make_lift(bars))) for bars in BARS]
    rows = []
    for rods in RODS:
        ours, theirs = measure(make_chain(rods)), measure_exudyn(rods)
        rope = number(1.2024 * math.sqrt(9.81), 5) if rods > 1 else f"{math.sqrt(1.5 * 9.81):.5g} (one rod)"
        rows.append([rods, number(ours[0]), number(theirs[0]), number(ours[1], 5), number(theirs[1], 5), rope])
    long = []
    for rods in LONG:
        some, whole = measure_slowest(rods), measure(make_chain(rods))[0] if rods <= MOST else None
        long.append([rods, number(some[0]), number(whole), number(some[1], 5)])
    return "\n\n".join(
        [
            "## Linear models",
            "A scissor lift of N bars, two states: selecting them, assembling and solving the sparse augmented system,"
            " and the eigenvalues.",
            table(["N", "ms", "ms per bar"], [[n, number(ms), number(ms / n)] for n, ms, _ in lift]),
            "A hanging chain of N rods, 2 N states, all eigenvalues; Exudyn's `ComputeODE2Eigenvalues`, which"
            " leaves out the stiffness that tension gives, finds no frequency at all.",
            table(HEAD, rows),
            f"The {SLOWEST} slowest modes of the same chain alone, without the state space.",
            table(["N", f"{SLOWEST} slowest, ms", "all, ms", "slowest ω"], long),
        ]
    )


if __name__ == "__main__":
    print(section())
