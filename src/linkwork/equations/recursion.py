"""Newton and Euler along a tree: what inertia asks for along each speed, in as many operations as there are bodies.

Outward, each body has its motion from its parent's, in its own axes (shared axes cost nothing):

    ω = ω_p + spin          α = α_p + d(spin)/dt          a = a_p + α_p × r + ω_p × (ω_p × r) + 2 ω_p × ṙ + r̈

with the shift r of its origin in the parent. Inward, each hands to its parent the force f and moment n that move it and
all that stands on it, and what they do along its own speeds is the balance:

    f = m a* + Σ f of children         n = J·α + ω × J·ω + c × m a* + Σ (n + r × f) of children
    balance of u = f · ∂v/∂u + n · ∂ω/∂u
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from linkwork.model.tree import Tree, TreeBody
from linkwork.symbolic import ZERO, Expr, Symbol
from linkwork.vectors import Frame, Vector, cross, dot, dt, partial

NOTHING = Vector({})


class Turning(NamedTuple):
    """Angular velocity of a body and velocity of its origin, over its axes."""

    w: Vector
    v: Vector


class Motion(NamedTuple):
    """Angular velocity and acceleration of a body, and the acceleration of its origin, over its axes."""

    w: Vector
    alpha: Vector
    a: Vector


def velocities(tree: Tree) -> dict[TreeBody, Turning]:
    """How each body turns and moves, by the speeds."""
    known: dict[Frame, Turning] = {tree.ground: Turning(NOTHING, NOTHING)}
    for body in tree.bodies:
        w, v = known[_parent(body)]
        v = v + cross(w, body.shift) + dt(body.shift, _parent(body)) if body.drift is None else body.drift()
        known[body] = Turning(_over(body, w) + _over(body, body.spin), _over(body, v))
    return {body: known[body] for body in tree.bodies}


def recurse(tree: Tree) -> dict[Symbol, Expr]:
    """The balance of inertia along each speed, linear in the accelerations."""
    moving: dict[Frame, Motion] = {tree.ground: Motion(NOTHING, NOTHING, NOTHING)}
    for body in tree.bodies:
        moving[body] = _outward(body, moving[_parent(body)])
    needed = {body: _needed(body, moving[body]) for body in tree.bodies}
    return _inward(tree, needed)


def weigh(tree: Tree, gravity: Vector) -> dict[Symbol, Expr]:
    """The force of gravity along each speed."""
    needed = {}
    for body in tree.bodies:
        f = body.mass * _over(body, gravity)
        needed[body] = (f, cross(body.centre.offset, f))
    return _inward(tree, needed)


def _inward(tree: Tree, efforts: Mapping[TreeBody, tuple[Vector, Vector]]) -> dict[Symbol, Expr]:
    """What forces, and moments about the origins of bodies, do along each speed."""
    force: dict[Frame, Vector] = {body: f for body, (f, _) in efforts.items()}
    moment: dict[Frame, Vector] = {body: n for body, (_, n) in efforts.items()}
    found: dict[Symbol, Expr] = {}
    for body in reversed(tree.bodies):
        f, n, parent = force[body], moment[body], _parent(body)
        slide = body.drift() if body.drift is not None else dt(body.shift, parent)
        for freedom in body.freedoms:
            along, about = partial(slide, freedom.speed), partial(body.spin, freedom.speed)
            found[freedom.speed] = (dot(f, along) if along else ZERO) + (dot(n, about) if about else ZERO)
        if parent is not tree.ground:
            f = _over(parent, f)
            force[parent] = force[parent] + f
            moment[parent] = moment[parent] + _over(parent, n) + _over(parent, cross(body.shift, f))
    return {freedom.speed: found[freedom.speed] for freedom in tree.freedoms}


def _outward(body: TreeBody, p: Motion) -> Motion:
    parent, r = _parent(body), body.shift
    w = _over(body, p.w) + _over(body, body.spin)
    # the rate of the spin seen from the ground is that seen from the body, and ω × spin
    alpha = _over(body, p.alpha) + _over(body, dt(body.spin, body)) + _over(body, cross(w, body.spin))
    if body.drift is not None:
        v = _over(body, body.drift())
        return Motion(w, alpha, dt(v, body) + cross(w, v))
    rate = dt(r, parent)
    a = p.a + cross(p.alpha, r) + cross(p.w, cross(p.w, r)) + 2 * cross(p.w, rate) + dt(rate, parent)
    return Motion(w, alpha, _over(body, a))


def _needed(body: TreeBody, m: Motion) -> tuple[Vector, Vector]:
    """The force, and the moment about its origin, that a body by itself needs."""
    c = body.centre.offset
    rate = dt(c, body)
    a = m.a + cross(m.alpha, c) + cross(m.w, cross(m.w, c)) + 2 * cross(m.w, rate) + dt(rate, body)
    f = body.mass * a
    n = dot(body.inertia, m.alpha) + cross(m.w, dot(body.inertia, m.w))
    return f, n + cross(c, f)


def _parent(body: TreeBody) -> Frame:
    assert body.parent is not None
    return body.parent


def _over(frame: Frame, v: Vector) -> Vector:
    """A vector over the axes of a frame, as it is if it is already."""
    if all(axis in frame.axes for axis in v.terms):
        return v
    return Vector({axis: dot(v, axis) for axis in frame.axes})
