"""Moments of mass of a tree of bodies: what each body counts for, about its reference point and in its axes.

    m = ∫ dm        h = ∫ r dm        S = ∫ r rᵀ dm

What a turn about an axis does not change goes over to the parent, where it is fixed: the mass at the joint, and the
first and second moment along the axis. A body that only travels hands over its second moments. The motion is the same,
as if the bodies were made otherwise; the parent's numbers are constants that are computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from linkwork.model.tree import Tree, TreeBody
from linkwork.model.tree.inertia import find_composite_centre
from linkwork.symbolic import ZERO, Expr, Number, free_symbols
from linkwork.symbolic.vector import Vector, combine, dot
from linkwork.vectors import Frame, components, entries

Rows = tuple[Vector, ...]
NONE = Vector((ZERO, ZERO, ZERO))
NOTHING = (NONE, NONE, NONE)
HALF = Number(Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Moments:
    """m, h and S; S by rows, symmetric."""

    m: Expr = ZERO
    h: Vector = NONE
    S: Rows = NOTHING

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, _add_rows(self.S, other.S))

    def shifted(self, r: Vector) -> Moments:
        """About a point from which the old one is seen at r."""
        h = self.h + self.m * r
        return Moments(self.m, h, _add_rows(self.S, _outer(r, self.h), _outer(h, r)))

    @property
    def is_constant(self) -> bool:
        """Whether these are numbers and parameters."""
        return _is_constant((self.m, *self.h, *(x for row in self.S for x in row)))

    def turning(self, n: Vector) -> Vector:
        """J n with the inertia J = tr S − S about the point."""
        (xx, xy, xz), (_, yy, yz), (*_, zz) = self.S
        x, y, z = n
        return Vector(
            (
                (yy + zz) * x - xy * y - xz * z,
                (xx + zz) * y - xy * x - yz * z,
                (xx + yy) * z - xz * x - yz * y,
            )
        )


def find_moments(tree: Tree) -> dict[TreeBody, Moments]:
    """What each body counts for."""
    found = {body: _alone(body) for body in tree.bodies}
    for body in reversed(tree.bodies):
        parent = parent_of(body)
        if isinstance(parent, TreeBody) and body.drift is None and found[body].is_constant:
            kept, given = _hand_over(body, found[body])
            if given.is_constant:
                found[body], found[parent] = kept, found[parent] + given
    return found


def parent_of(body: TreeBody) -> Frame:
    """The body it stands on, or the ground."""
    assert body.parent is not None
    return body.parent


def axes_of(frame: Frame) -> Frame:
    """The frame whose axes components are taken along: those about which a body turns."""
    return frame.turning if isinstance(frame, TreeBody) else frame


def reference(body: TreeBody) -> Vector:
    """From the origin of a body to its reference point: the one whose velocity its speeds tell."""
    return NONE if body.drift is None else Vector(components(find_composite_centre(body), axes_of(body)))


def find_arm(body: TreeBody) -> Vector:
    """From the parent's reference point to that of a body on its joint, in the parent's axes."""
    parent = parent_of(body)
    place = Vector(components(body.shift, axes_of(parent)))
    return place - reference(parent) if isinstance(parent, TreeBody) else place


def _alone(body: TreeBody) -> Moments:
    # J = tr S − S, so that S = tr J/2 − J
    J = entries(body.inertia, axes_of(body))
    half = HALF * (J[0][0] + J[1][1] + J[2][2])
    S = tuple(Vector((half if i == j else ZERO) - J[i][j] for j in range(3)) for i in range(3))
    centre = Vector(components(body.centre.offset, axes_of(body))) - reference(body)
    return Moments(m=body.mass, S=S).shifted(centre)


def _hand_over(body: TreeBody, own: Moments) -> tuple[Moments, Moments]:
    """What a body keeps, and what its parent gets, about the parent's reference point and in its axes."""
    parent = axes_of(parent_of(body))
    axes, r = [Vector(components(row, parent)) for row in body.unturned], find_arm(body)
    if not _is_constant(r):
        # the joint travels
        if body.sequence:
            return own, Moments()
        return replace(own, S=NOTHING), Moments(S=_over(own.S, axes))
    if not body.sequence:
        return Moments(), Moments(own.m, combine(own.h, axes), _over(own.S, axes)).shifted(r)
    if len(body.sequence) > 1:
        return replace(own, m=ZERO), Moments(m=own.m).shifted(r)
    (k,) = body.sequence
    along = Moments(own.m, own.h[k] * axes[k], _outer(own.S[k][k] * axes[k], axes[k]))
    h = Vector(ZERO if i == k else x for i, x in enumerate(own.h))
    S = tuple(Vector(ZERO if i == j == k else x for j, x in enumerate(row)) for i, row in enumerate(own.S))
    return Moments(ZERO, h, S), along.shifted(r)


def _is_constant(exprs: Iterable[Expr]) -> bool:
    return all(s.kind == "parameter" for s in free_symbols(*exprs))


def _outer(a: Vector, b: Vector) -> Rows:
    return tuple(x * b for x in a)


def _add_rows(*all_rows: Rows) -> Rows:
    return tuple(Vector(sum(xs[1:], xs[0]) for xs in zip(*rows, strict=True)) for rows in zip(*all_rows, strict=True))


def _over(S: Rows, axes: Sequence[Vector]) -> Rows:
    """A matrix over the axes that these rows are written in."""
    half = [combine(row, axes) for row in S]
    return tuple(Vector(dot(column, x) for x in zip(*half, strict=True)) for column in zip(*axes, strict=True))
