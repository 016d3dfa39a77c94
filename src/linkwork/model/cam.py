"""Cams: closed curves about a frame, by their radius over the angle. A formula or points in, r, r′, r″ at an angle out.

    c(φ) = r(φ) (cos φ, sin φ)        c′ = r′ e_r + r e_φ        outward  n = (r e_r − r′ e_φ)/√(r² + r′²)

Points become a periodic cubic spline of the radius.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, Ref
from linkwork.given import as_list, as_name
from linkwork.model.convert import Scalar, as_value
from linkwork.model.part import set_field
from linkwork.symbolic import ZERO, Curve, Expr, Number, differentiate, lookup, substitute, symbol

PHI = symbol("phi")  # the angle from the x axis of the frame
CLOSED = 1e-9  # of the radius: by how much it may differ after a turn
LOOKS = 720  # angles at which a formula is looked at
LEAST = 4  # points of a spline


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Cam:
    """A closed curve in the xy plane of a frame, touched from outside.

    radius   a formula of the angle phi from the x axis of the frame, positive and the same after a turn
    points   or places [x, y] on it, in numbers, in order round the origin of the frame

    >>> Cam(frame="disc.axis", radius="R + e*cos(phi)").points
    ()
    """

    frame: str
    radius: Expr
    points: tuple[tuple[float, float], ...]

    def __init__(
        self, *, frame: str, radius: Scalar | None = None, points: Iterable[Iterable[float]] | None = None
    ) -> None:
        part = Ref("cam")
        if (radius is None) == (points is None):
            remedy = "Write radius: R + e*cos(phi), or points: [[x, y], ...]"
            raise InputError([Problem(ref=part, what="give either a radius or points", remedy=remedy)])
        places = () if points is None else tuple([_as_place(x, part) for x in as_list(points, part, "points")])
        flaw = find_flaw(places) if points is not None else None
        if flaw is not None:
            raise InputError([Problem(ref=part, what=flaw[0], remedy=flaw[1])])
        set_field(self, "frame", as_name(frame, part, "frame"))
        set_field(self, "points", places)
        given = lookup(_spline(places), PHI) if radius is None else as_value(radius, part, "radius")
        set_field(self, "radius", given)

    def at(self, angle: Expr) -> tuple[Expr, Expr, Expr]:
        """r, r′ and r″ at an angle."""
        slope = differentiate(self.radius, PHI)
        laws = (self.radius, slope, differentiate(slope, PHI))
        r, r1, r2 = (law if law is ZERO else substitute(law, {PHI: angle}) for law in laws)
        return r, r1, r2

    @property
    def sample(self) -> Expr:
        """Its radius at some angle, over parameters alone."""
        return substitute(self.radius, {PHI: Number(1)})


def _as_place(given: Any, part: Ref) -> tuple[float, float]:
    """A place on the curve, in numbers."""
    place = as_list(given, part, "points", "Write points: [[x, y], ...]")
    if len(place) != 2 or any(isinstance(x, bool) or not isinstance(x, int | float) for x in place):
        remedy = "Write points: [[1, 0], [0, 1.2], ...] with numbers alone"
        raise InputError([Problem(ref=part, what="a place on the curve is not of the form [x, y]", remedy=remedy)])
    return float(place[0]), float(place[1])


def find_flaw(points: tuple[tuple[float, float], ...]) -> tuple[str, str] | None:
    """What is wrong with points of a closed curve, and what to do."""
    if len(points) < LEAST:
        return f"{len(points)} points make no curve", f"Give at least {LEAST}"
    if not all(math.isfinite(x) for place in points for x in place) or min(math.hypot(*p) for p in points) == 0.0:
        return "a point of the curve is at the origin of its frame", "Put the origin inside the curve"
    if points[0] == points[-1]:
        return "the first point is given again at the end", "Give it once: the curve is closed anyway"
    steps = _steps(points)
    if abs(abs(np.sum(steps)) - 2 * math.pi) > 1e-6:
        return "the curve does not close round the origin of its frame", "Give points all round it, once"
    if np.any(steps == 0.0) or (np.any(steps > 0) and np.any(steps < 0)):
        where = int(np.flatnonzero(np.sign(steps) != np.sign(np.sum(np.sign(steps))))[0]) + 1
        return (
            f"the curve turns back at point {where + 1}: it crosses itself or is hidden from the origin",
            "Give points in order round the origin of the frame, each at an angle of its own",
        )
    return None


def _steps(points: tuple[tuple[float, float], ...]) -> Floats:
    """Angles from each point to the next, the shorter way."""
    angle = np.array([math.atan2(y, x) for x, y in points])
    steps = np.diff(np.append(angle, angle[0]))
    return np.asarray((steps + math.pi) % (2 * math.pi) - math.pi)


def _spline(points: tuple[tuple[float, float], ...]) -> Curve:
    """The radius over the angle, by an even number of pieces a turn, so that their sides alternate all round."""
    from scipy.interpolate import CubicSpline

    order = sorted((math.atan2(y, x), math.hypot(x, y)) for x, y in points)
    angle, radius = np.array(order).T
    spline = CubicSpline(np.append(angle, angle[0] + 2 * math.pi), np.append(radius, radius[0]), bc_type="periodic")
    pieces = spline.c[::-1].T
    if len(angle) % 2:
        half = (angle[1] - angle[0]) / 2
        second = [sum(math.comb(n, m) * pieces[0, n] * half ** (n - m) for n in range(m, 4)) for m in range(4)]
        angle, pieces = np.insert(angle, 1, angle[0] + half), np.insert(pieces, 1, second, axis=0)
    begins = np.concatenate([angle + turn for turn in (-2 * math.pi, 0.0, 2 * math.pi)])
    return Curve("radius", begins[1:], begins, np.tile(pieces, (3, 1)), period=2 * math.pi)
