"""Where a model is made linear: a name, a time or a state in, the mode there out. Imported when asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from linkwork.analysis.statics.steady import find_steady
from linkwork.errors import InputError, Problem, Ref, SolveError
from linkwork.given import as_finite
from linkwork.model import Scalar
from linkwork.pipeline.mode import find_mode
from linkwork.pipeline.resting import rest
from linkwork.results import Snapshot
from linkwork.solve.mode import Mode

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model

POINTS = 'Give "start", "equilibrium", "steady", a time or a state'


class Place(NamedTuple):
    """What holds at a point, and what the point is called."""

    mode: Mode
    name: str


def find_place(model: Model, at: float | str | Snapshot, states: list[Scalar]) -> Place:
    """The point to linearise at."""
    if isinstance(at, Snapshot):
        return Place(_read_state(model, at), "a state")
    at, start = at if isinstance(at, str) else as_finite(at, Ref("at"), POINTS), model.start
    if at in ("start", start.t):
        return Place(find_mode(model), "start")
    if at == "equilibrium":
        return Place(rest(model), "static equilibrium")
    if at == "steady":
        return Place(find_steady(model.mechanism, find_mode(model), states), "steady motion")
    if isinstance(at, str):
        raise InputError([Problem(part="at", what=f"no point named '{at}'", remedy=POINTS)])
    final = model.simulate(at, save="end").final
    if not math.isclose(float(final.t), at):
        raise SolveError(f"the motion ends at t = {float(final.t):g}, before t = {at:g}")
    return Place(find_mode(model, final), "on the way")


def _read_state(model: Model, at: Snapshot) -> Mode:
    n = model.system.n
    if at.q.shape != (n + len(model.system.inputs),):
        remedy = "Give one state of this mechanism, as motion.final or motion.at(2.5)"
        raise InputError([Problem(part="at", what="this is not one state of this mechanism", remedy=remedy)])
    return find_mode(model, at)


def check_traced(model: Model) -> None:
    """Refuse what needs slopes of functions of which nobody knows them."""
    calls = model.mechanism.opaque
    if calls:
        what = f"the laws call '{calls[0].function.name}', whose slopes are not known"
        raise InputError([Problem(what=what, remedy="Register it without opaque=True")])
