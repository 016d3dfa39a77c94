"""Where a model is made linear: a name, a time or a state in, positions and speeds out. Imported when asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from linkwork.analysis.statics.steady import find_steady
from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, Ref, SolveError
from linkwork.given import as_finite
from linkwork.model import Scalar
from linkwork.pipeline.resting import rest
from linkwork.results import Snapshot

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model

POINTS = 'Give "start", "equilibrium", "steady", a time or a state'


class Place(NamedTuple):
    """Time, positions, speeds, and what it is called."""

    t: float
    q: Floats
    u: Floats
    name: str


def find_place(model: Model, at: float | str | Snapshot, states: list[Scalar]) -> Place:
    """The point to linearise at."""
    if isinstance(at, Snapshot):
        return _read_state(model, at)
    at, start = at if isinstance(at, str) else as_finite(at, Ref("at"), POINTS), model.start
    if at in ("start", start.t):
        return Place(start.t, start.q, start.u, "start")
    if at == "equilibrium":
        return Place(start.t, *rest(model), "static equilibrium")
    if at == "steady":
        q, u = find_steady(model.mechanism, model.fitted, start.t, start.q, start.u, states)
        return Place(start.t, q, u, "steady motion")
    if isinstance(at, str):
        raise InputError([Problem(part="at", what=f"no point named '{at}'", remedy=POINTS)])
    final = model.simulate(at).final
    if not math.isclose(float(final.t), at):
        raise SolveError(f"the motion ends at t = {float(final.t):g}, before t = {at:g}")
    return Place(float(final.t), final.q, final.u[: model.system.n], "on the way")


def _read_state(model: Model, at: Snapshot) -> Place:
    n = model.system.n
    if at.q.shape != (n + len(model.system.inputs),):
        remedy = "Give one state of this mechanism, as motion.final or motion.at(2.5)"
        raise InputError([Problem(part="at", what="this is not one state of this mechanism", remedy=remedy)])
    return Place(float(at.t), at.q, at.u[:n], "a state")


def check_traced(model: Model) -> None:
    """Refuse what needs slopes of functions of which nobody knows them."""
    calls = model.mechanism.opaque
    if calls:
        what = f"the laws call '{calls[0].function.name}', whose slopes are not known"
        raise InputError([Problem(what=what, remedy="Register it without opaque=True")])
