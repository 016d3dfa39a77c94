"""`linkwork check` on a planar chain of N rods: the signature analysis, the ranks, and what a person waits for.

Each N runs in a process of its own; the command is measured from outside.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from chains import peak_megabytes, slope, write_chain
from common import UnavailableError, number, read_lines, run_quietly, table

SIZES = [100, 1000, 10000]
QUANTITIES = {
    "signature": "signature analysis, s",
    "blocks": "blocks, s",
    "ranks": "ranks, redundancy, inertia, s",
    "report": "the whole report, s",
    "check": "`linkwork check`, s",
    "memory": "peak memory, MB",
}


def seconds(action) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def measure_structure(n: int) -> dict:
    """Seconds of each part of the analysis, and of the command with everything before it."""
    import linkwork as lw

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.yaml"
        write_chain(n, path)
        structure = lw.load(str(path)).structure()
        found = {
            "n": n,
            "signature": seconds(lambda: structure.signature),
            "ranks": seconds(lambda: structure.mobility),
            "blocks": seconds(lambda: structure.blocks),
        }
        found["report"] = sum(found.values()) - n + seconds(structure.text)
        found["memory"] = peak_megabytes()
        command = Path(sys.executable).with_name("linkwork")
        found["check"] = seconds(lambda: run_quietly([command, "check", path]))
    found["freedom"] = structure.mobility.freedom
    return found


def section() -> str:
    """The chapter of RESULTS.md."""
    rows, remarks = [], []
    for n in SIZES:
        try:
            rows += read_lines(run_quietly([sys.executable, __file__, str(n)]))
        except UnavailableError as reason:
            remarks.append(f"N = {n}: not measured: {reason}")
    cells = [[row["n"], row["freedom"], *(number(row[key]) for key in QUANTITIES)] for row in rows]
    cells.append(["slope", "", *(number(slope(rows, key)) for key in QUANTITIES)])
    parts = [
        "## Structural analysis of chains of N rods",
        "2 N coordinates and N constraints, in a straight line. The command also reads the file and finds the start.",
        table(["N", "degrees of freedom", *QUANTITIES.values()], cells),
        *remarks,
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure_structure(int(sys.argv[1]))))
    else:
        print(section())
