"""Other values for a model: what a changed parameter costs beyond the solver, and a thousand sets of values at once."""

from __future__ import annotations

import time

import numpy as np

import linkwork as lw
from common import EXAMPLES, table

REPETITIONS = 30
MEMBERS = 1000
CHANGED = {"mom": "a torque", "m3": "a mass", "rr": "a length, with a new start"}
TARGETS = {"again": 2.0, "bind": 100.0}  # milliseconds


def cost_beyond_solver(model: lw.Model, name: str) -> tuple[float, float]:
    """Shortest times of changing a value and running again: beyond the solver's own time, and that [ms]."""
    found = []
    for i in range(1, REPETITIONS + 1):
        begin = time.perf_counter()
        motion = model.with_parameters(**{name: model.parameters[name] * (1 + 1e-6 * i)}).simulate()
        found.append((1e3 * (time.perf_counter() - begin - motion.stats.seconds), 1e3 * motion.stats.seconds))
    return min(found)


def cost_of_columns(model: lw.Model, name: str) -> float:
    """Shortest time of binding a column of values [ms]."""
    found = []
    for _ in range(5):
        begin = time.perf_counter()
        assert len(model.bind({name: model.parameters[name] * (1 + 1e-6 * np.arange(MEMBERS))})) == MEMBERS
        found.append(1e3 * (time.perf_counter() - begin))
    return min(found)


def section() -> str:
    """The chapter of RESULTS.md."""
    model = lw.load(EXAMPLES / "andrews.yaml")
    model.simulate()
    rows = []
    for name, words in CHANGED.items():
        beyond, solver = cost_beyond_solver(model, name)
        rows.append([f"`{name}`, {words}", f"{beyond:.2f}", f"{solver:.2f}", f"{cost_of_columns(model, name):.0f}"])
    return "\n\n".join(
        [
            "## Other values",
            f"Andrews' mechanism, best of {REPETITIONS}, milliseconds of wall time. `with_parameters` and `simulate` "
            f"beyond the solver's own time (target: {TARGETS['again']:g}), that time, and `bind` with {MEMBERS} values "
            f"(target: {TARGETS['bind']:g}).",
            table(["parameter", "changed and run again", "solver", f"{MEMBERS} values bound"], rows),
        ]
    )


if __name__ == "__main__":
    print(section())
