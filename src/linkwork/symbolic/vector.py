"""Small vectors of expressions, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
        return Vector(x + y for x, y in zip(self, other, strict=True))

    def __sub__(self, other: Any) -> Vector:
        return Vector(x - y for x, y in zip(self, other, strict=True))

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
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def difference(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a − b."""
    return Vector(x - y for x, y in zip(a, b, strict=True))


def combine(factors: Sequence[Expr], vectors: Sequence[Sequence[Expr]]) -> Vector:
    """Σ factorᵢ vectorᵢ."""
    return Vector(dot(factors, components) for components in zip(*vectors, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a × b; in the plane a vector of one component."""
    if len(a) == 2:
        return Vector((a[0] * b[1] - a[1] * b[0],))
    return Vector((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))
