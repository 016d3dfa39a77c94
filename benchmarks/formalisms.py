"""The same motion in points and in absolute coordinates: processor time of the integration alone, steps, unknowns.

`python benchmarks/formalisms.py` measures all examples, as the rule of `Formulation: auto` needs them.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

from common import EXAMPLES, number, table

CHAPTER = ["spatial-four-bar", "bricard", "stewart-bodies", "mult-pend-uj", "andrews", "andrews-bodies", "chain"]
TOL, LONGEST, SHORTEST, REPEATS = 1e-12, 5.0, 0.03, 5


def measure(path: Path, formulation: str) -> dict[str, float]:
    """Seconds of one run in a machine that is ready, the least of several; steps; unknowns."""
    import linkwork as lw
    from linkwork.native import Request, Status
    from linkwork.solve import Options

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.load(path).formulated(formulation)
    m, start = model.mechanism, model.start
    until = min(m.compute(m.start.tend), start.t + LONGEST)
    request = Request(t_end=until, tol=TOL, order=Options(tol=TOL).chosen_order)
    system = model.system if model.absolute is None else model.absolute.system
    best = float("inf")
    with model._borrow_machine(start, Options(tol=TOL)) as machine:
        for _ in range(REPEATS):
            begun, count = time.process_time(), 0
            while count == 0 or time.process_time() - begun < SHORTEST:
                machine.begin(request, start.t, start.q, start.u)
                while machine.advance(60.0, 1 << 30)[0] is Status.MORE:
                    pass
                count += 1
            best = min(best, (time.process_time() - begun) / count)
        return {"seconds": best, "steps": machine.tally.steps, "unknowns": system.n + system.m}


def compare(names: list[str]) -> str:
    rows = []
    for name in names:
        one, other = (measure(EXAMPLES / f"{name}.yaml", formulation) for formulation in ("points", "absolute"))
        share = other["seconds"] / one["seconds"]
        rows.append([
            name, one["unknowns"], other["unknowns"], one["steps"], other["steps"],
            number(1e3 * one["seconds"]), number(1e3 * other["seconds"]), number(share, 2),
            "absolute" if share < 0.95 else "points" if share > 1.05 else "either",
        ])  # fmt: skip
        print(*rows[-1], file=sys.stderr, flush=True)
    head = ["file", "unknowns in points", "in poses", "steps", "steps", "points, ms", "absolute, ms", "ratio", "faster"]
    return table(head, rows)


def section() -> str:
    return "\n\n".join(
        [
            "## Formalisms",
            f"The same motion in points and in absolute coordinates at tol {TOL:g}, over the file's time or "
            f"{LONGEST:g} s: processor time of the integration with kernels compiled, chunks handed over in points.",
            compare(CHAPTER),
        ]
    )


if __name__ == "__main__":
    print(compare(sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.yaml"))))
