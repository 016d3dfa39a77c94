"""Tables: points of a curve in, a function of expressions out. Knows numbers only, no parameters.

    spline    natural cubic spline: smooth up to the second derivative, which is zero at both ends
    monotone  cubic pieces that never overshoot (slopes of Fritsch and Carlson): smooth up to the first derivative
    linear    straight pieces

Beyond its ends every curve goes on as the straight line it ends with, as smooth there as at its other points. A curve
is data: formulas, equations and compiled code refer to it, however many points it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_value
from linkwork.given import as_list, as_name, as_part
from linkwork.model.laws import as_law
from linkwork.model.part import set_field
from linkwork.symbolic import Curve, Expr, lookup

MAX_POINTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Table:
    """A curve through points (x, y), x increasing; `table("OA.angle")` is a law.

    >>> ramp = Table("ramp", x=[0, 1, 3], y=[0, 2, 2], kind="linear")
    >>> [float(ramp(x)) for x in (0.5, 2, 4)]
    [1.0, 2.0, 2.0]
    """

    name: str
    kind: str
    curve: Curve
    x: tuple[float, ...] = field(repr=False)
    y: tuple[float, ...] = field(repr=False)

    def __init__(self, name: str, x: Iterable[float], y: Iterable[float], *, kind: str = "spline") -> None:
        part = as_part("table", name)
        set_field(self, "name", name)
        set_field(self, "x", _as_floats(x, part, "x"))
        set_field(self, "y", _as_floats(y, part, "y"))
        set_field(self, "kind", as_name(kind, part, "kind"))
        problem = _find_problem(self)
        if problem is not None:
            raise InputError([problem])
        set_field(self, "curve", _make_curve(self))

    def law(self, argument: Expr | float | str) -> Expr:
        """The curve at an argument, as an expression."""
        return lookup(self.curve, as_law(argument))

    def __call__(self, argument: Expr | float | str) -> Expr:
        return self.law(argument)


def _as_floats(values: Iterable[float], part: Ref, label: str) -> tuple[float, ...]:
    listed = as_list(values, part, label)
    try:
        return tuple([float(value) for value in listed])
    except (TypeError, ValueError, OverflowError):
        what, remedy = f"{label}: {show_value(values)} are no numbers", "Give a list of numbers"
        raise InputError([Problem(ref=part, detail=label, what=what, remedy=remedy)]) from None


def _make_curve(table: Table) -> Curve:
    with np.errstate(all="ignore"):
        x = np.array(table.x)
        coefficients = TABLE_KINDS[table.kind](x, np.array(table.y))
    if not np.isfinite(coefficients).all():
        what = "its points are too close together, or its values too large, for a curve through them"
        remedy = "Leave some out, or use other units"
        raise InputError([Problem(ref=Ref("table", table.name), what=what, remedy=remedy)])
    return Curve(table.name, x, np.append(x[0], x), coefficients)


def _find_problem(table: Table) -> Problem | None:
    x, y, part = table.x, table.y, Ref("table", table.name)
    if table.kind not in TABLE_KINDS:
        remedy = did_you_mean(table.kind, TABLE_KINDS) or "Use " + ", ".join(TABLE_KINDS)
        return Problem(ref=part, what=f"no kind of table is called '{table.kind}'", remedy=remedy)
    if len(x) != len(y):
        return Problem(ref=part, what=f"{len(x)} values of x, but {len(y)} of y", remedy="Give as many of each")
    if not 2 <= len(x) <= MAX_POINTS:
        return Problem(ref=part, what=f"{len(x)} points", remedy=f"Give 2 to {MAX_POINTS:,}")
    found = find_misplaced(np.array(x), np.array(y))
    if found is None:
        return None
    place, which, what, remedy = found
    return Problem(ref=part, detail=which, what=what.replace("$place", f"number {place + 1}"), remedy=remedy)


def find_misplaced(x: Floats, y: Floats) -> tuple[int, str, str, str] | None:
    """The first point that cannot be one of a curve: its place, x or y, what is wrong at $place, and what to do."""
    for name, values in (("x", x), ("y", y)):
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            return int(wrong[0]), name, f"{name} $place is {values[wrong[0]]}", "Use finite numbers"
    wrong = np.flatnonzero(~(x[:-1] < x[1:]))
    if not len(wrong):
        return None
    place = int(wrong[0]) + 1
    what = f"x does not increase at $place: {x[place]:.15g} follows {x[place - 1]:.15g}"
    return place, "x", what, "Sort the points by x and give each x once"


# -- the pieces: one before the first point, one between each two, one after the last ---------------------------------
# coefficients of (x - origin)^m; the first piece has its origin at the first point, all others where they begin


def _straight_pieces(x: Floats, y: Floats) -> Floats:
    slopes = _chords(x, y)
    inner = np.stack([y[:-1], slopes], axis=1)
    return np.concatenate([inner[:1], inner, [[y[-1], slopes[-1]]]])


def _spline_pieces(x: Floats, y: Floats) -> Floats:
    """The cubic spline with slopes that make the second derivative continuous and zero at both ends."""
    return _cubic_pieces(x, y, _natural_slopes(x, y))


def _monotone_pieces(x: Floats, y: Floats) -> Floats:
    return _cubic_pieces(x, y, _monotone_slopes(x, y))


def _cubic_pieces(x: Floats, y: Floats, slopes: Floats) -> Floats:
    """Hermite's cubics through the points with the given slopes, and straight lines beyond the ends."""
    h, c, s0, s1 = np.diff(x), _chords(x, y), slopes[:-1], slopes[1:]
    inner = np.stack([y[:-1], s0, (3 * c - 2 * s0 - s1) / h, (s0 + s1 - 2 * c) / h**2], axis=1)
    return np.concatenate([[[y[0], slopes[0], 0.0, 0.0]], inner, [[y[-1], slopes[-1], 0.0, 0.0]]])


def _chords(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.diff(y) / np.diff(x))


def _natural_slopes(x: Floats, y: Floats) -> Floats:
    from scipy.linalg import solveh_banded

    # continuity of y'' at the inner points, with w for 1/widths and c for chords; y'' = 0 at the ends:
    #     w[k-1] s[k-1] + 2 (w[k-1] + w[k]) s[k] + w[k] s[k+1] = 3 (w[k-1] c[k-1] + w[k] c[k])
    w, c = 1 / np.diff(x), _chords(x, y)
    if not (np.isfinite(w).all() and np.isfinite(w * c).all()):
        return np.full(len(x), np.nan)
    beside = np.concatenate([[0.0], w, [0.0]])
    flow = np.concatenate([[0.0], 3 * w * c, [0.0]])
    # symmetric, tridiagonal and diagonally dominant
    bands = np.stack([np.append(0.0, w), 2 * (beside[:-1] + beside[1:])])
    return np.asarray(solveh_banded(bands, flow[:-1] + flow[1:], check_finite=False))


def _monotone_slopes(x: Floats, y: Floats) -> Floats:
    """Zero where the curve turns, else the weighted harmonic mean of the chords beside (Fritsch and Butland 1984)."""
    c, h = _chords(x, y), np.diff(x)
    if len(x) == 2:
        return np.array([c[0], c[0]])
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    turns = ~((c[:-1] > 0) & (c[1:] > 0) | (c[:-1] < 0) & (c[1:] < 0))
    mean = (before + after) / (before / np.where(turns, 1, c[:-1]) + after / np.where(turns, 1, c[1:]))
    first, last = _end_slope(h[0], h[1], c[0], c[1]), _end_slope(h[-1], h[-2], c[-1], c[-2])
    return np.concatenate([[first], np.where(turns, 0.0, mean), [last]])


def _end_slope(h0: float, h1: float, c0: float, c1: float) -> float:
    """Of the parabola through three points, limited so that the curve keeps its direction."""
    slope = ((2 * h0 + h1) * c0 - h0 * c1) / (h0 + h1)
    if slope * c0 <= 0:
        return 0.0
    return 3 * c0 if c0 * c1 < 0 and abs(slope) > 3 * abs(c0) else slope


TABLE_KINDS = {"spline": _spline_pieces, "monotone": _monotone_pieces, "linear": _straight_pieces}
