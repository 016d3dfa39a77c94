"""Andrews' squeezing mechanism on [0, 0.03]: linkwork and its peers, one after the other in one run.

Every solver is started warm, repeated, and judged by its best time and by the digits of its answer. The peers
get the equations as compiled code (peers/andrews.c), reduced by hand; linkwork gets the YAML file.
"""

from __future__ import annotations

from common import HERE, UnavailableError, find_python, number, read_lines, run_quietly, table

DIGITS = [3, 5, 7, 9, 11]
SOLVERS = [
    ("linkwork", None, "solve_linkwork.py"),
    ("SciPy DOP853", None, "solve_scipy.py"),
    ("DOP853 in Fortran", "numbalsoda", "solve_numbalsoda.py"),
    ("scikit-sundae", "sundae", "solve_sundae.py"),
    ("heyoka", "heyoka", "solve_heyoka.py"),
    ("Exudyn", "exudyn", "solve_exudyn.py"),
]


def measure() -> tuple[list[dict], list[tuple[str, str]]]:
    """All measured settings, and the solvers that could not be measured with the reason."""
    rows, absent = [], []
    for name, environment, script in SOLVERS:
        try:
            rows += read_lines(run_quietly([find_python(environment), HERE / "peers" / script]))
        except UnavailableError as reason:
            absent.append((name, str(reason)))
    return rows, absent


def best_at(rows: list[dict], solver: str, digits: float) -> float | None:
    """The shortest milliseconds of a solver at any setting with at least so many digits."""
    times = [row["ms"] for row in rows if row["solver"] == solver and row.get("digits", 0) >= digits]
    return min(times, default=None)


def compare(rows: list[dict]) -> list[tuple[str, list[float | None]]]:
    """Per solver the best milliseconds at each number of digits."""
    solvers = dict.fromkeys(row["solver"] for row in rows)
    return [(solver, [best_at(rows, solver, digits) for digits in DIGITS]) for solver in solvers]


def ratio_rows(times: list[tuple[str, list[float | None]]]) -> list[list[str]]:
    """How many times longer than the first solver each other one takes."""
    if not times or not times[0][0].startswith("linkwork"):
        return []
    own = times[0][1]
    return [
        [solver, *(number(t / o if t and o else None) for t, o in zip(mine, own, strict=True))]
        for solver, mine in times[1:]
    ]


def work_precision(rows: list[dict]) -> str:
    keys = ("ms", "digits")
    cells = [[row["solver"], row["setting"], *(number(row.get(key)) for key in keys)] for row in rows]
    failures = [f"{row['solver']}, {row['setting']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n\n".join([table(["solver", "setting", *keys], cells), *failures])


def section() -> str:
    """The chapter of RESULTS.md."""
    rows, absent = measure()
    times = compare(rows)
    at_digits = [[solver, *map(number, mine)] for solver, mine in times]
    at_digits += [[name, *["–"] * (len(DIGITS) - 1), f"not measured: {reason}"] for name, reason in absent]
    head = ["solver", *(f"≥ {digits} digits" for digits in DIGITS)]
    parts = [
        "## Andrews' squeezing mechanism on [0, 0.03]",
        "Best milliseconds, warm, to reach the given number of correct digits: the smallest over the seven "
        "angles at t = 0.03, relative, against values recomputed in extended precision.",
        table(head, at_digits),
        "The same as multiples of linkwork's time in the solver:",
        table(head, ratio_rows(times)),
        "SciPy, DOP853, CVODE and heyoka integrate an ordinary differential equation that was reduced by hand to the "
        "one degree of freedom of this mechanism, and IDA a stabilised index-2 system, by hand too, all as "
        "compiled code; linkwork and Exudyn start from a description of parts, linkwork with `fused=True`. "
        "heyoka's steps are held below 1 ms of model time because it starts from rest. "
        "Nobody's compilation is counted.",
        "<details><summary>Every setting measured</summary>",
        work_precision(rows),
        "</details>",
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(section())
