"""Joints in space: two frames in, constraint equations out. Knows no masses, no forces, no coordinates.

A joint is a row of the table JOINTS: the conditions it imposes on

    p₁, p₂          a point of each part
    z₁, z₂          the axis, fixed in each part
    m₁, n₁          two directions across the axis in the first part
    x₂              a direction across the axis in the second part

What is not constrained is free; the angle from m₁ to x₂ about the axis is the joint's turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from linkwork.equations.vectors import Vector, difference, dot
from linkwork.symbolic import Expr, cos, sin


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The two sides of a joint, in world components."""

    p1: Vector
    p2: Vector
    z1: Vector
    z2: Vector
    m1: Vector
    n1: Vector
    x2: Vector
    shared: bool  # p₁ and p₂ are the same point


Condition = Callable[[Ends], list[Expr]]


def meet(e: Ends) -> list[Expr]:
    """The points coincide; a shared point needs no equation."""
    return [] if e.shared else list(difference(e.p2, e.p1))


def align(e: Ends) -> list[Expr]:
    """The axes are parallel."""
    return [dot(e.m1, e.z2), dot(e.n1, e.z2)]


def cross_at_right_angles(e: Ends) -> list[Expr]:
    """The axes are perpendicular."""
    return [dot(e.z1, e.z2)]


def stay_on_axis(e: Ends) -> list[Expr]:
    """The second point lies on the first axis."""
    d = difference(e.p2, e.p1)
    return [] if e.shared else [dot(e.m1, d), dot(e.n1, d)]


def stay_in_plane(e: Ends) -> list[Expr]:
    """The second point lies in the plane across the first axis."""
    return [] if e.shared else [dot(e.z1, difference(e.p2, e.p1))]


def keep_from_turning(e: Ends) -> list[Expr]:
    """No turn about the axis: x₂ stays along m₁."""
    return [dot(e.n1, e.x2)]


JOINTS: dict[str, tuple[Condition, ...]] = {
    "spherical": (meet,),
    "revolute": (meet, align),
    "universal": (meet, cross_at_right_angles),
    "cylindrical": (stay_on_axis, align),
    "prismatic": (stay_on_axis, align, keep_from_turning),
    "planar": (stay_in_plane, align),
    "fixed": (meet, align, keep_from_turning),
}

# an equation of directions cannot tell one from its opposite: what should be positive besides, by condition
SIDES: dict[Condition, Callable[[Ends], tuple[str, Expr]]] = {
    align: lambda e: ("axes", dot(e.z1, e.z2)),
    keep_from_turning: lambda e: ("references", dot(e.m1, e.x2)),
}


def turn(e: Ends, angle: Expr) -> Expr:
    """The equation that tracks the turn θ about the axis: x₂ points along m₁ cos θ + n₁ sin θ."""
    return sin(angle) * dot(e.m1, e.x2) - cos(angle) * dot(e.n1, e.x2)


def turn_side(e: Ends, angle: Expr) -> Expr:
    """Positive where the tracked turn is θ, negative where it is θ + π."""
    return cos(angle) * dot(e.m1, e.x2) + sin(angle) * dot(e.n1, e.x2)
