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
from linkwork.symbolic import ZERO, Expr, Symbol, add, free_symbols
from linkwork.vectors import Frame, Vector, cross, dot, dt, partial
from linkwork.vectors.quantity import NOTHING, total


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
        w, v = known[parent_of(body)]
        v = v + cross(w, body.shift) + dt(body.shift, parent_of(body)) if body.drift is None else body.drift()
        known[body] = Turning(over(body, w) + over(body, body.spin), over(body, v))
    return {body: known[body] for body in tree.bodies}


def recurse(tree: Tree, lift: Vector = NOTHING) -> dict[Symbol, Expr]:
    """The balance of inertia along each speed, linear in the accelerations; with an acceleration of all besides."""
    moving: dict[Frame, Motion] = {tree.ground: Motion(NOTHING, NOTHING, lift)}
    for body in tree.bodies:
        moving[body] = _outward(body, moving[parent_of(body)], lift)
    needed = {body: _needed(body, moving[body]) for body in tree.bodies}
    return _inward(tree, needed)


def recurse_still(tree: Tree, lift: Vector = NOTHING) -> dict[Symbol, Expr]:
    """The same where speeds do not change: what inertia asks for without accelerations."""
    rates = tree.ground.memory.rates
    rates |= {freedom.speed: ZERO for freedom in tree.freedoms}
    try:
        return recurse(tree, lift)
    finally:
        for freedom in tree.freedoms:
            del rates[freedom.speed]


def weigh(tree: Tree, gravity: Vector) -> dict[Symbol, Expr]:
    """The force of gravity along each speed."""
    needed = {}
    for body in tree.bodies:
        f = body.mass * over(body, gravity)
        needed[body] = (f, cross(body.centre.offset, f))
    return _inward(tree, needed)


def _inward(tree: Tree, efforts: Mapping[TreeBody, tuple[Vector, Vector]]) -> dict[Symbol, Expr]:
    """What forces, and moments about the origins of bodies, do along each speed."""
    force: dict[Frame, Vector] = {body: f for body, (f, _) in efforts.items()}
    moment: dict[Frame, Vector] = {body: n for body, (_, n) in efforts.items()}
    parts: dict[Symbol, list[Expr]] = {freedom.speed: [] for freedom in tree.freedoms}
    for body in reversed(tree.bodies):
        f, n, parent = force[body], moment[body], parent_of(body)
        # joints and mass centres may move with coordinates of other bodies, too
        for effort, flow in ((f, slide_of(body)), (n, body.spin), (efforts[body][0], dt(body.centre.offset, body))):
            for u in parts.keys() & free_symbols(*flow.terms.values()):
                parts[u].append(dot(effort, partial(flow, u)))
        if parent is not tree.ground:
            f = over(parent, f)
            force[parent] = force[parent] + f
            moment[parent] = total(moment[parent], over(parent, n), over(parent, cross(body.shift, f)))
    return {u: add(*found) for u, found in parts.items()}


def _outward(body: TreeBody, p: Motion, lift: Vector) -> Motion:
    parent, r = parent_of(body), body.shift
    w = over(body, p.w) + over(body, body.spin)
    # the rate of the spin seen from the ground is that seen from the body, and ω × spin
    alpha = total(over(body, p.alpha), over(body, dt(body.spin, body)), over(body, cross(w, body.spin)))
    if body.drift is not None:
        v = over(body, body.drift())
        return Motion(w, alpha, dt(v, body) + cross(w, v) + over(body, lift))
    return Motion(w, alpha, over(body, _acceleration(p, r, parent)))


def _acceleration(m: Motion, r: Vector, frame: Frame) -> Vector:
    """That of a point at r in a frame that moves."""
    felt = m.a, cross(m.alpha, r), cross(m.w, cross(m.w, r))
    rate = dt(r, frame)
    return total(*felt, 2 * cross(m.w, rate), dt(rate, frame)) if rate else total(*felt)


def _needed(body: TreeBody, m: Motion) -> tuple[Vector, Vector]:
    """The force, and the moment about its origin, that a body by itself needs."""
    c = body.centre.offset
    f = body.mass * _acceleration(m, c, body)
    return f, total(dot(body.inertia, m.alpha), cross(m.w, dot(body.inertia, m.w)), cross(c, f))


def parent_of(body: TreeBody) -> Frame:
    """What a body stands on."""
    assert body.parent is not None
    return body.parent


def slide_of(body: TreeBody) -> Vector:
    """What its own speeds add to the velocity of its origin."""
    found: Vector = body.drift() if body.drift is not None else dt(body.shift, parent_of(body))
    return found


def over(frame: Frame, v: Vector) -> Vector:
    """A vector over the axes of a frame, as it is if it is already."""
    if frame.axis_set.issuperset(v.terms):
        return v
    return Vector({axis: dot(v, axis) for axis in frame.axes})
