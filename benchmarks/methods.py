"""The picture of docs/solvers.md: time against error of all methods, on a smooth, a stiff and a spatial machine.

`python benchmarks/methods.py` measures and draws docs/pictures/methods.svg. The error is the largest distance of some
points, in sizes of the mechanism, from a tight motion by Taylor series, at forty times along the way.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import linkwork as lw
from common import EXAMPLES, ROOT, best_run
from linkwork.results.plots import STYLE
from linkwork.solve import run

REPEATS, ENOUGH = 40, 0.3  # times, or seconds
TIGHT = 1e-14
LADDERS = {
    "taylor": [10.0**-k for k in range(3, 14)],
    "rk8": [10.0**-k for k in range(3, 13)],
    "hht": [10.0**-k for k in range(3, 10)],
    "radau": [10.0**-k for k in range(3, 13)],
    "ida": [10.0**-k for k in range(4, 11)],
}
MARKS = {"taylor": "o-", "rk8": "s-", "hht": "^-", "radau": "v-", "ida": "d-"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A machine and the points that are looked at."""

    title: str
    example: str
    until: float
    seen: tuple[str, ...]


CASES = (
    Case(title="smooth: Andrews' mechanism", example="andrews", until=0.03, seen=("E", "F")),
    Case(title="stiff: half a car on bushings", example="bushings", until=1.0, seen=("car.c", "rear.hub")),
    Case(title="in space: a double pendulum", example="double-pendulum-3d", until=5.0, seen=()),
)


def measure(case: Case, model: lw.Model, exact: lw.Trajectory, method: str, tol: float) -> tuple[float, float]:
    """The error, and the best time inside the solver in milliseconds."""
    with patch.object(run.time, "perf_counter", time.thread_time):
        motion, seconds = best_run(lambda: model.simulate(case.until, method=method, tol=tol), REPEATS, ENOUGH)
    t, n = np.linspace(0.0, case.until, 41), len(exact.system.scales)
    one, two = motion.at(t), exact.at(t)
    if case.seen:
        apart = max(float(np.max(np.abs(one[point] - two[point]))) for point in case.seen)
        return apart / float(np.max(exact.system.scales)), 1e3 * seconds
    return float(np.max(np.abs(one.q - two.q)[:, :n] / exact.system.scales)), 1e3 * seconds


def draw(case: Case, axes: Axes) -> None:
    """One panel."""
    model = lw.load(EXAMPLES / f"{case.example}.yaml")
    exact = model.simulate(case.until, method="taylor", tol=TIGHT)
    for method, tolerances in LADDERS.items():
        points = [measure(case, model, exact, method, tol) for tol in tolerances]
        error, cost = zip(*points, strict=True)
        axes.loglog(error, cost, MARKS[method], label=method, markersize=4)
        print(case.example, method, " ".join(f"{e:.1e}:{c:.3g}" for e, c in points), flush=True)
    axes.set_title(case.title, fontsize="medium")
    axes.set_xlabel("error, of the size")
    axes.invert_xaxis()


def main() -> None:
    """Measure and draw."""
    with rc_context(STYLE):
        figure = Figure(figsize=(11, 3.6), layout="constrained")
        panels = figure.subplots(1, 3)
        for case, axes in zip(CASES, panels, strict=True):
            draw(case, axes)
        panels[0].set_ylabel("time in the solver, ms")
        panels[0].legend(frameon=False)
        figure.savefig(ROOT / "docs" / "pictures" / "methods.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
