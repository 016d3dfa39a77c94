"""What motion asks for while all u̇ are zero, by composites.

With all u̇ zero the accelerations of a body are a + U r, with U = [α]× + [ω]×². What a joint adds to those of all that
stands on it is, with its spin σ and the angular velocity ω of the parent,

    U = 2 [ω]× [σ]× + [σ]×² + [σ̇]× = σ tᵀ − (σ·t) 1 + [σ̇]×,    t = 2 ω + σ

so that the forces it asks for are those of the whole composite, known from M, in this field; they go inwards. Along its
own speeds a body feels these, and its composite in the field of its parent.

    f = m a + U h       n = axial part of U S + h × a
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linkwork.equations.own.links import Link
from linkwork.equations.own.mass import Composite
from linkwork.equations.own.moments import NONE, NOTHING, Moments, Rows, axes_of, parent_of
from linkwork.equations.own.names import Names
from linkwork.symbolic import ZERO, Expr, Symbol
from linkwork.symbolic.vector import Vector, combine, cross, dot
from linkwork.vectors import components, dt


class Moving(NamedTuple):
    """A body with all u̇ zero, over its axes: ω, α, and the field a + U r of its accelerations."""

    w: Vector
    alpha: Vector
    a: Vector
    U: Rows


class Joint(NamedTuple):
    """What a joint adds, over the parent's axes; `carried` is the acceleration of the joint with the parent alone."""

    a: Vector
    U: Rows
    carried: Vector


class Bias(NamedTuple):
    """bias of M (u̇ + shift) + bias, by speed."""

    bias: dict[Symbol, Expr]
    shift: dict[Symbol, Expr]


def derive_bias(links: Sequence[Link], composites: Mapping[Link, Composite], gravity: Vector, names: Names) -> Bias:
    """What motion and gravity ask for."""
    outward = _Outward(names, gravity, {}, {}, {})
    for link in links:
        outward.visit(link)
    found: dict[Symbol, Expr] = {}
    efforts = dict.fromkeys(links, (NONE, NONE))
    for link in reversed(links):
        f, n = efforts[link]
        if link.is_free:
            F, N = _needed(composites[link].own, outward.moving[link].U, outward.moving[link].a)
            f, n = names.keep(F + f), names.keep(N + n)
            found |= {u: names.name(dot(way.travel, f) + dot(way.turn, n)) for u, way in link.ways.items()}
            continue
        joint, whole, posture = outward.joints[link], composites[link].outside, link.posture
        F, N = _needed(whole, joint.U, joint.a)
        f = names.keep(F + posture.to_parent(names.keep(f)))
        n = names.keep(N + posture.to_parent(names.keep(n)))
        F, N = _needed(whole, outward.parent(link).U, joint.carried)
        found |= _along(link, f + F, n + N, names)
        if link.parent is not None:
            F, N = efforts[link.parent]
            efforts[link.parent] = F + f, N + n + cross(link.arm, f)
    return Bias(found, outward.shift)


def _along(link: Link, f: Vector, n: Vector, names: Names) -> dict[Symbol, Expr]:
    """A force and a moment, over the parent's axes, along the speeds of a body."""
    if link.axis is not None:
        turns = {u: combine(way.turn, link.posture.triad) for u, way in link.ways.items()}
    else:
        n = link.posture.inside(names.keep(n)) if link.body.sequence else n
        turns = {u: way.turn for u, way in link.ways.items()}
    return {u: names.name(dot(way.travel, f) + dot(turns[u], n)) for u, way in link.ways.items()}


class _Outward(NamedTuple):
    """How bodies move, from the ground outwards.   shift: what is taken off the rates of speeds in the end"""

    names: Names
    gravity: Vector
    moving: dict[Link, Moving]
    joints: dict[Link, Joint]
    shift: dict[Symbol, Expr]

    def parent(self, link: Link) -> Moving:
        """How the parent moves; the ground, upwards, as gravity feels."""
        return Moving(NONE, NONE, -self.gravity, NOTHING) if link.parent is None else self.moving[link.parent]

    def visit(self, link: Link) -> None:
        """Find how a body moves whose parent is known."""
        if link.is_free:
            self.moving[link] = self._float(link)
            return
        joint = self.joints[link] = self._joint(link, self.parent(link))
        if link.body.children:
            p, inside, keep = self.parent(link), link.posture.inside, self.names.keep
            w = keep(inside(p.w) + link.spin)
            # ω × spin is also ω_p × spin
            alpha = keep(inside(p.alpha) + cross(w, link.spin) + self._spin_rate(link))
            a = inside(keep(joint.carried + joint.a))
            self.moving[link] = Moving(w, alpha, a, self._spinning(w, alpha))

    def _joint(self, link: Link, p: Moving) -> Joint:
        parent, keep, posture = axes_of(parent_of(link.body)), self.names.keep, link.posture
        spin = combine(link.spin, posture.triad) if link.axis is not None else posture.to_parent(link.spin)
        rate = dt(link.body.shift, parent)
        a = 2 * cross(p.w, Vector(components(rate, parent))) + link.still(dt(rate, parent), parent)
        carried = keep(p.a + Vector(dot(row, link.arm) for row in p.U))
        x, y, z = posture.to_parent(self._spin_rate(link))
        change = ((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO))
        t = 2 * p.w + spin
        return Joint(keep(a), _field(spin, t, change, self.names), carried)

    def _float(self, link: Link) -> Moving:
        """A free body: what accelerates all of it alike is taken off the rates of its speeds, if nothing is cut."""
        felt = cross(link.spin, link.velocity) + link.posture.inside(self.parent(link).a)
        alpha = self._spin_rate(link)
        U = self._spinning(link.spin, alpha)
        if self.names.kept is not None:
            return Moving(link.spin, alpha, self.names.keep(felt), U)
        for u, way in link.ways.items():
            self.shift[u] = self.names.name(dot(way.travel, felt))
        return Moving(link.spin, alpha, NONE, U)

    def _spin_rate(self, link: Link) -> Vector:
        """The rate of the spin in the body."""
        frame = axes_of(link.body)
        return link.still(dt(link.body.spin, frame), frame)

    def _spinning(self, w: Vector, alpha: Vector) -> Rows:
        """[α]× + [ω]×²."""
        (x, y, z), (a, b, c), name = w, alpha, self.names.name
        xx, yy, zz, xy, xz, yz = (name(p) for p in (x * x, y * y, z * z, x * y, x * z, y * z))
        # differences of the diagonal are shorter than it, so it has no names
        return (
            Vector((-yy - zz, name(xy - c), name(xz + b))),
            Vector((name(xy + c), -xx - zz, name(yz - a))),
            Vector((name(xz - b), name(yz + a), -xx - yy)),
        )


def _field(spin: Vector, t: Vector, change: tuple[tuple[Expr, ...], ...], names: Names) -> Rows:
    """σ tᵀ − (σ·t) 1 + [σ̇]×."""
    pairs = [[names.name(x * y) for y in t] for x in spin]
    rows = []
    for i in range(3):
        others = -pairs[i - 1][i - 1] - pairs[i - 2][i - 2]
        rows.append(names.keep((others if i == j else pairs[i][j]) + change[i][j] for j in range(3)))
    return tuple(rows)


def _needed(of: Moments, U: Rows, a: Vector) -> tuple[Vector, Vector]:
    """The force, and the moment about the reference point, of masses in a field of accelerations a + U r."""
    S, n = of.S, list[Expr]()
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # (U S)_kj − (U S)_jk, with what is common taken out
        turn = U[k][i] * S[i][j] - U[j][i] * S[i][k] + (U[k][k] - U[j][j]) * S[j][k]
        alike = U[k][j] is U[j][k]
        n.append(turn + (U[k][j] * (S[j][j] - S[k][k]) if alike else U[k][j] * S[j][j] - U[j][k] * S[k][k]))
    return of.m * a + Vector(dot(row, of.h) for row in U), Vector(n) + cross(of.h, a)
