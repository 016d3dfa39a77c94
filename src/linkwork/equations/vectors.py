"""Small vectors of expressions, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.symbolic import Expr, Number

Vector = tuple[Expr, ...]


def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    """a · b."""
    total: Expr = Number(0)
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def difference(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a − b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def combine(factors: Sequence[Expr], vectors: Sequence[Sequence[Expr]]) -> Vector:
    """Σ factorᵢ vectorᵢ."""
    return tuple(dot(factors, components) for components in zip(*vectors, strict=True))


def cross(a: Sequence[Expr], b: Sequence[Expr]) -> Vector:
    """a × b; in the plane a vector of one component."""
    if len(a) == 2:
        return (a[0] * b[1] - a[1] * b[0],)
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
