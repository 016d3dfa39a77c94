"""Small vectors of expressions, in the plane and in space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from linkwork.errors import ExpressionError, show_value
from linkwork.symbolic.scalar import Expr, Number, as_expr


class Vector(tuple[Expr, ...]):
    """Components in the world; sums, differences and multiples of vectors are vectors.

    >>> from linkwork.symbolic import symbol
    >>> a = Vector((symbol("x"), symbol("y")))
    >>> 2 * a - a / 2
    (3*x/2, 3*y/2)
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Vector:
        return Vector(x + y for x, y in _pairs(self, other))

    def __sub__(self, other: Any) -> Vector:
        return Vector(x - y for x, y in _pairs(self, other))

    def __neg__(self) -> Vector:
        return Vector(-x for x in self)

    def __mul__(self, factor: Any) -> Vector:
        return Vector(as_expr(factor) * x for x in self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Vector:
        return Vector(x / as_expr(divisor) for x in self)


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """a · b."""
    total: Expr = Number(0)
    for x, y in _pairs(a, b):
        total = total + x * y
    return total


def _pairs(a: Any, b: Any) -> Iterator[tuple[Expr, Expr]]:
    """The components of two vectors side by side."""
    one, two = _components(a), _components(b)
    if len(one) != len(two):
        sizes = f"a vector of {len(one)} components and one of {len(two)}"
        remedy = "In the plane a frame has o, x and y, in space also z" if 0 in (len(one), len(two)) else ""
        raise ExpressionError(f"{sizes} do not go together", remedy or "Give two of the plane, or two of space")
    return zip(one, two, strict=True)


def _components(a: Any) -> Sequence[Expr]:
    """A vector as expressions."""
    if isinstance(a, Vector):
        return a
    if isinstance(a, str | bytes) or not isinstance(a, Iterable):
        raise ExpressionError(f"{show_value(a)} is no vector", "Give the components in a list")
    try:
        return [as_expr(x) for x in a]
    except TypeError:  # such as an array of no dimension
        raise ExpressionError(f"{show_value(a)} is no vector", "Give the components in a list") from None


def difference(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a − b."""
    return Vector(x - y for x, y in zip(a, b, strict=True))


def combine(factors: Sequence[Expr], vectors: Sequence[Sequence[Expr]]) -> Vector:
    """Σ factorᵢ vectorᵢ."""
    return Vector(dot(factors, components) for components in zip(*vectors, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a × b; in the plane a vector of one component."""
    pairs = list(_pairs(a, b))
    if len(pairs) not in (2, 3):
        raise ExpressionError(f"a vector of {len(pairs)} components has no cross product", "Give 2 or 3")
    a, b = ([pair[i] for pair in pairs] for i in (0, 1))
    if len(a) == 2:
        return Vector((a[0] * b[1] - a[1] * b[0],))
    return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))
