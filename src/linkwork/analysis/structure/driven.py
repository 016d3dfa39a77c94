"""Whether prescribed motions leave no freedom: a System and a state in, words about what is left free out."""

from __future__ import annotations

import numpy as np

from linkwork.analysis.structure.mobility import State, find_motion
from linkwork.analysis.structure.words import count_of, join_names
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import InputError, Problem
from linkwork.model.bodies import is_hidden, say_hidden
from linkwork.solve.start.freedom import choose

REMEDY = "Prescribe as many quantities in Motions, or simulate with masses"
NAMED = 1000.0  # how much more a coordinate that people have a name for is worth than others


def check_driven(system: System, q: Floats, t: float, u: Floats) -> None:
    """Refuse a state from which the constraints do not say where to go; what is left free is named."""
    velocities = State(system, q, t).velocities
    count = system.n - velocities.rank
    # a freedom of the instant alone, as at a dead point, is none of motion
    if count == 0 or (system.holonomic.all() and find_motion(system, q, t, u)[1] == 0):
        return
    told = "" if velocities.right is None else f": nothing prescribes {_name(system, velocities.right)}"
    what = f"it is not fully driven, {count_of(count, 'freedom')} left{told}"
    raise InputError([Problem(part="kinematic", what=what, remedy=REMEDY)])


def _name(system: System, N: Floats) -> str:
    """Coordinates that would determine the rest, by the names that Motions know."""
    names = dict(enumerate(map(say_hidden, system.coordinates)))
    known = {i: f"{name}.angle" for name, i in system.chart.angles.items()}
    for point, places in system.chart.points.items():
        if not is_hidden(point):
            known |= {i: f"{point}.{axis}" for axis, i in zip("xyz", places, strict=False) if i < system.n}
    chosen = choose(N, (), np.where(np.isin(np.arange(system.n), list(known)), NAMED, 1.0))
    return join_names((names | known)[i] for i in chosen)
