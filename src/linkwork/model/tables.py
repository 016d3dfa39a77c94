"""Tables: points of a curve in, a piecewise cubic or straight expression out. Knows numbers only, no parameters.

    spline    natural cubic spline: smooth up to the second derivative, which is zero at both ends
    monotone  cubic pieces that never overshoot (slopes of Fritsch and Carlson): smooth up to the first derivative
    linear    straight pieces

Beyond its ends every curve goes on as the straight line it ends with, as smooth there as at its other points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from linkwork.errors import InputError, Problem, did_you_mean
from linkwork.model.laws import as_law
from linkwork.symbolic import Expr, Number, less, select

MAX_POINTS = 1_000  # every piece is code to be compiled

Piece: TypeAlias = tuple[float, ...]  # (x0, y0, slope, ...): y0 + d (slope + d (...)), d = x - x0
Floats: TypeAlias = Sequence[float]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Table:
    """A curve through points (x, y), x increasing; `table("OA.angle")` is a law.

    >>> ramp = Table("ramp", x=[0, 1, 3], y=[0, 2, 2], kind="linear")
    >>> [float(ramp(x)) for x in (0.5, 2, 4)]
    [1.0, 2.0, 2.0]
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    kind: str

    def __init__(self, name: str, x: Iterable[float], y: Iterable[float], *, kind: str = "spline") -> None:
        _set(self, "name", name)
        _set(self, "x", tuple([float(value) for value in x]))
        _set(self, "y", tuple([float(value) for value in y]))
        _set(self, "kind", kind)
        problem = _find_problem(self)
        if problem is not None:
            raise InputError([problem])

    def law(self, argument: Expr | float | str) -> Expr:
        """The curve at an argument, as an expression."""
        at = as_law(argument)
        pieces = TABLE_KINDS[self.kind](self.x, self.y)
        if not isinstance(at, Number):
            return _choose(at, self.x, pieces)
        # a known argument needs one piece only
        return _value(at, pieces[sum(float(at) >= knot for knot in self.x)])

    def __call__(self, argument: Expr | float | str) -> Expr:
        return self.law(argument)


def _find_problem(table: Table) -> Problem | None:
    x, y, part = table.x, table.y, f"table '{table.name}'"
    if table.kind not in TABLE_KINDS:
        remedy = did_you_mean(table.kind, TABLE_KINDS) or "Use " + ", ".join(TABLE_KINDS)
        return Problem(part=part, what=f"no kind of table is called '{table.kind}'", remedy=remedy)
    if len(x) != len(y):
        return Problem(part=part, what=f"{len(x)} values of x, but {len(y)} of y", remedy="Give as many of each")
    if not 2 <= len(x) <= MAX_POINTS:
        return Problem(part=part, what=f"{len(x)} points", remedy=f"Give 2 to {MAX_POINTS:,}")
    for name, values in (("x", x), ("y", y)):
        for place, value in enumerate(values, 1):
            if not math.isfinite(value):
                return Problem(part=part, what=f"{name} number {place} is {value}", remedy="Use finite numbers")
    for place in range(1, len(x)):
        if not x[place - 1] < x[place]:
            what = f"x does not increase at number {place + 1}: {x[place]:.15g} follows {x[place - 1]:.15g}"
            return Problem(part=part, what=what, remedy="Sort the points by x and give each x once")
    return None


# -- the expression ---------------------------------------------------------------------------------------------------


def _choose(at: Expr, knots: Floats, pieces: Sequence[Piece]) -> Expr:
    """pieces[k] where knots[k-1] <= at < knots[k], by a balanced tree of comparisons; pieces that agree are merged."""
    if not knots:
        return _value(at, pieces[0])
    if len(set(pieces)) == 1:
        return _value(at, pieces[0])
    middle = len(knots) // 2
    below = _choose(at, knots[:middle], pieces[: middle + 1])
    above = _choose(at, knots[middle + 1 :], pieces[middle + 1 :])
    return select(less(at, Number(knots[middle])), below, above)


def _value(at: Expr, piece: Piece) -> Expr:
    """y0 + d (slope + d (...)), d = at - x0."""
    start, *coefficients = piece
    distance = at - Number(start)
    value: Expr = Number(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = Number(coefficient) + distance * value
    return value


# -- the pieces: one before the first point, one between each two, one after the last ---------------------------------


def _straight_pieces(x: Floats, y: Floats) -> list[Piece]:
    slopes = _chords(x, y)
    inner = [(x[k], y[k], slopes[k]) for k in range(len(slopes))]
    return [inner[0], *inner, inner[-1]]


def _spline_pieces(x: Floats, y: Floats) -> list[Piece]:
    """The cubic spline with slopes that make the second derivative continuous and zero at both ends."""
    return _cubic_pieces(x, y, _natural_slopes(x, y))


def _monotone_pieces(x: Floats, y: Floats) -> list[Piece]:
    return _cubic_pieces(x, y, _monotone_slopes(x, y))


def _cubic_pieces(x: Floats, y: Floats, slopes: Floats) -> list[Piece]:
    """Hermite's cubics through the points with the given slopes, and straight lines beyond the ends."""
    chords = _chords(x, y)
    inner: list[Piece] = []
    for k, chord in enumerate(chords):
        h, s0, s1 = x[k + 1] - x[k], slopes[k], slopes[k + 1]
        inner.append((x[k], y[k], s0, (3 * chord - 2 * s0 - s1) / h, (s0 + s1 - 2 * chord) / h**2))
    return [(x[0], y[0], slopes[0]), *inner, (x[-1], y[-1], slopes[-1])]


def _chords(x: Floats, y: Floats) -> list[float]:
    return [(y[k + 1] - y[k]) / (x[k + 1] - x[k]) for k in range(len(x) - 1)]


def _natural_slopes(x: Floats, y: Floats) -> list[float]:
    # continuity of y'' at the inner points, with h for widths and c for chords; y'' = 0 at the ends:
    #     s[k-1]/h[k-1] + 2 s[k] (1/h[k-1] + 1/h[k]) + s[k+1]/h[k] = 3 (c[k-1]/h[k-1] + c[k]/h[k])
    n, c = len(x), _chords(x, y)
    w = [1 / (x[k + 1] - x[k]) for k in range(n - 1)]
    beside = [0.0, *w, 0.0]
    middle = [2 * (beside[k] + beside[k + 1]) for k in range(n)]
    flow = [0.0, *(3 * w[k] * c[k] for k in range(n - 1)), 0.0]
    right = [flow[k] + flow[k + 1] for k in range(n)]
    # the matrix is symmetric, tridiagonal and diagonally dominant: elimination needs no pivots
    for k in range(1, n):
        factor = w[k - 1] / middle[k - 1]
        middle[k] -= factor * w[k - 1]
        right[k] -= factor * right[k - 1]
    slopes = [0.0] * n
    for k in reversed(range(n)):
        above = w[k] * slopes[k + 1] if k < n - 1 else 0.0
        slopes[k] = (right[k] - above) / middle[k]
    return slopes


def _monotone_slopes(x: Floats, y: Floats) -> list[float]:
    """Zero where the curve turns, else the weighted harmonic mean of the chords beside (Fritsch and Butland 1984)."""
    n, c = len(x), _chords(x, y)
    h = [x[k + 1] - x[k] for k in range(n - 1)]
    if n == 2:
        return [c[0], c[0]]
    slopes = [_end_slope(h[0], h[1], c[0], c[1])]
    for k in range(1, n - 1):
        before, after = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
        turns = c[k - 1] * c[k] <= 0
        slopes.append(0.0 if turns else (before + after) / (before / c[k - 1] + after / c[k]))
    slopes.append(_end_slope(h[-1], h[-2], c[-1], c[-2]))
    return slopes


def _end_slope(h0: float, h1: float, c0: float, c1: float) -> float:
    """Of the parabola through three points, limited so that the curve keeps its direction."""
    slope = ((2 * h0 + h1) * c0 - h0 * c1) / (h0 + h1)
    if slope * c0 <= 0:
        return 0.0
    return 3 * c0 if c0 * c1 < 0 and abs(slope) > 3 * abs(c0) else slope


TABLE_KINDS = {"spline": _spline_pieces, "monotone": _monotone_pieces, "linear": _straight_pieces}
