"""Laws as numbers: expressions of a description and readings in, values over time out. No compiled code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import Bodies, cross, norm
from linkwork.audit.readings import Readings
from linkwork.model import Mechanism
from linkwork.model.laws import AXES, OF_BODIES, PLACES, SPEEDS, SPINS, quantity
from linkwork.symbolic import Expr, Symbol
from linkwork.symbolic.evaluate import Evaluation

NO_ERRORS: Mapping[str, Floats] = {}


@lru_cache(maxsize=4096)
def prepare(laws: tuple[Expr, ...]) -> Evaluation:
    """Several laws in the order in which they are evaluated, found once."""
    return Evaluation(laws)


class Laws:
    """Values of laws at the times of readings."""

    def __init__(self, m: Mechanism, readings: Readings, bodies: Bodies) -> None:
        self.mechanism, self.readings, self.bodies = m, readings, bodies
        self.calls = {call.name: call for call in m.opaque}

    def values(self, laws: Iterable[Expr]) -> list[Floats]:
        """Each law at all times.   (k,)"""
        evaluation, k = prepare(tuple(laws)), len(self.readings.t)
        found = evaluation.compute({s: self.symbol(s) for s in evaluation.symbols})
        # an array among the values makes all results arrays
        return [np.broadcast_to(np.asarray(value, dtype=np.float64), k) for value in found]

    def spread(self, laws: Iterable[Expr], errors: Mapping[str, Floats] = NO_ERRORS) -> list[Floats]:
        """How much each law changes where states by these names, places and speeds are off as is allowed.   (k,)"""
        exprs, k = tuple(laws), len(self.readings.t)
        evaluation = prepare(exprs)
        known = {s: self.symbol(s) for s in evaluation.symbols}
        plain, total = evaluation.compute(known), [np.zeros(k) for _ in exprs]
        for s, value in known.items():
            error = errors.get(s.name) if s.kind == "state" else self._error(s)
            if error is not None:
                moved = evaluation.compute(known | {s: value + error})
                total = [t + np.abs(a - b) for t, a, b in zip(total, moved, plain, strict=True)]
        return total

    def _error(self, s: Symbol) -> Floats | float | None:
        """The error allowed of a place or a speed."""
        found, r = quantity(s.name), self.readings
        if found is None:
            return None
        if found.what in (*SPEEDS, *SPINS, "rate", "omega"):
            return r.speed
        return r.place if found.what in (*PLACES, "length") else None

    def symbol(self, s: Symbol) -> Floats | float:
        """What a name in a law stands for."""
        if s.name == "t":
            return self.readings.t
        if s.kind == "state":
            return self.readings.states[s.name][0]
        if s.kind == "input" and (call := self.calls.get(s.name)) is not None:
            return np.array([call.function.compute(*x) for x in zip(*self.values(call.arguments), strict=True)])
        if s.kind == "input":
            return self.readings.inputs[s.name]
        found = quantity(s.name)
        return self.mechanism.values[s.name] if found is None else self.quantity(found.of, found.what, found.points)

    def quantity(self, of: str, what: str, points: tuple[str, ...]) -> Floats:
        """A place, velocity, length, rate, angle or its rate."""
        r = self.readings
        if what in ("angle", "omega"):
            return r.turns[of][what == "omega"]
        if what in PLACES:
            return r.at(points[0])[:, PLACES.index(what)]
        if what in SPEEDS:
            return r.velocity(points[0])[:, SPEEDS.index(what)]
        if what in OF_BODIES:
            return self._of_body(of, what)
        d, length = self.between(*points)
        return length if what == "length" else np.sum(d * (r.velocity(points[1]) - r.velocity(points[0])), axis=1)

    def _of_body(self, of: str, what: str) -> Floats:
        """A component of an axis, of its rate ω × e, or of the angular velocity."""
        i = self.bodies.shapes.names.index(of)
        omega = self.bodies.omega[:, i]
        if what in SPINS:
            return omega[:, SPINS.index(what)]
        e = self.bodies.R[:, i, :, PLACES.index(what[-2])]
        if what in AXES:
            return e[:, PLACES.index(what[-1])]
        return cross(omega, e)[:, PLACES.index(what[-1])]

    def between(self, a: str, b: str) -> tuple[Floats, Floats]:
        """The direction from one point to another, and how far it is."""
        d = self.readings.at(b) - self.readings.at(a)
        length = norm(d)
        return d / np.where(length > 0, length, 1.0), length[:, 0]
