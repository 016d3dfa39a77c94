"""How every solver is timed and reported: one JSON line per setting on standard output. Needs no package."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

BUDGET = 0.4  # seconds spent on repeating one setting


def best_seconds(
    run: Callable[[], object],
    budget: float = BUDGET,
    most: int = 200,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The shortest time of `run` by a clock over as many repetitions as fit the budget, after one warm-up."""
    run()
    best, end = float("inf"), clock() + budget
    for repetition in range(most):
        if repetition >= 3 and clock() > end:
            break
        begin = clock()
        run()
        best = min(best, clock() - begin)
    return best


def report(solver: str, setting: str, seconds: float, digits: float, **more: object) -> None:
    """Print one measured setting."""
    line = {"solver": solver, "setting": setting, "ms": 1e3 * seconds, "digits": digits, **more}
    print(json.dumps(line), flush=True)


def report_failure(solver: str, setting: str, reason: object) -> None:
    """Print a setting that did not reach the end."""
    print(json.dumps({"solver": solver, "setting": setting, "failure": str(reason)[:120]}), flush=True)
