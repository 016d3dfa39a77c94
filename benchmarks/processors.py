"""The same code made for two kinds of processors, with 256 and with 512 bits in a register, where it can run here.

Each kind runs in a process of its own: LINKWORK_TUNING says what the compiler makes code for.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from common import EXAMPLES, HERE, UnavailableError, number, read_lines, run_quietly, table

KINDS = {
    "this processor": "-march=native",
    "256 bits (x86-64-v3)": "-march=x86-64-v3",
    "512 bits (x86-64-v4)": "-march=x86-64-v4",
}
WORK = {"andrews": (0.03, 1e-10), "chain": (1.0, 1e-10), "four-bar": (10.0, 1e-10), "double-pendulum-3d": (5.0, 1e-10)}
BUDGET = 2.0  # seconds for each of them


def measure_here() -> None:
    """Best milliseconds in the solver for each piece of work, one line each."""
    sys.path.insert(0, str(HERE / "peers"))
    import json

    from solve_linkwork import best_inside

    import linkwork as lw

    for name, (until, tol) in WORK.items():
        mechanism = lw.load(str(EXAMPLES / f"{name}.yaml"))
        seconds = best_inside(lambda m=mechanism, end=until, tol=tol: m.simulate(end, tol=tol), BUDGET)
        print(json.dumps({"work": name, "ms": 1e3 * seconds}))


def measure(tuning: str) -> dict[str, float]:
    """Milliseconds by work for one kind of processor."""
    environment = {**os.environ, "LINKWORK_TUNING": tuning}
    lines = read_lines(run_quietly([sys.executable, Path(__file__), "here"], environment=environment))
    return {line["work"]: line["ms"] for line in lines}


def section() -> str:
    """The chapter of RESULTS.md."""
    rows = []
    for name, tuning in KINDS.items():
        try:
            found = measure(tuning)
            rows.append([name, *(number(found[work]) for work in WORK)])
        except UnavailableError as reason:
            rows.append([name, *["–"] * (len(WORK) - 1), f"not measured: {reason}"])
    head = ["code made for", *(f"{work}, t = {until:g}" for work, (until, _) in WORK.items())]
    words = "Best milliseconds in the solver at tol = 1e-10; blocks of instances are as wide as a register."
    return "\n\n".join(["## Kinds of processors", words, table(head, rows)])


if __name__ == "__main__":
    measure_here() if sys.argv[1:] == ["here"] else print(section())
