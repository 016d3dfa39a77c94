"""Loads: inertia, weight, springs, forces, torques, dampers and dissipation of a description, by Newton and Euler.

The powers of what is not conservative go along.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import cross
from linkwork.audit.contacts import find_pressed
from linkwork.audit.laws import Laws
from linkwork.audit.layout import Layout, Loads
from linkwork.audit.readings import share_of_forces
from linkwork.audit.relations import add_effort, joint_axis
from linkwork.model import WORLD, Mechanism
from linkwork.model.laws import TIME, at_rest, is_constant, speeds_in
from linkwork.symbolic import derivatives, differentiate


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanics:
    """What moves a mechanism at k times: inertia minus what is applied, and the power of what is not conservative.

    `slack` is the energy that places and velocities with the errors allowed may be off by.   (k,)
    """

    needed: Loads
    power: Floats
    slack: Floats

    def head(self, count: int) -> Mechanics:
        """The first of these times."""
        return Mechanics(needed=self.needed.head(count), power=self.power[:count], slack=self.slack[:count])


def weigh(m: Mechanism, layout: Layout, laws: Laws) -> Mechanics:
    """Everything but the forces of constraints."""
    inertia, applied = Loads(layout), _Work(layout)
    _add_bodies(m, inertia, applied)
    _add_particles(m, inertia, applied)
    _add_springs(m, inertia, applied)
    _add_laws(m, applied, laws)
    needed = Loads(layout)
    needed.total = inertia.total - applied.total
    needed.size = inertia.size + applied.size + _spread(m, layout, laws) / share_of_forces(layout.readings.tol)
    power = applied.power + _driving(m, layout, laws)
    return Mechanics(needed=needed, power=power, slack=_slack(m, applied, layout))


def _spread(m: Mechanism, layout: Layout, laws: Laws) -> Floats:
    """What errors allowed of places and speeds make of forces, much where they are stiff.   (k, columns)"""
    found, r = Loads(layout), layout.readings
    pairs = [(s.points, np.full(layout.k, m.compute(s.stiffness) * r.place)) for s in m.springs if r.damped]
    pairs += [(d.points, laws.spread([d.force])[0]) for d in m.dampers if r.damped]
    for (a, b), pull in pairs:
        along, _ = laws.between(a, b)
        found.push(a, pull[:, None] * along)
        found.push(b, pull[:, None] * along)
    for force in m.forces if r.damped else ():
        found.push(force.point, np.stack(laws.spread(force.components), axis=1))
    for pressed in find_pressed(m, layout):
        doubt = pressed.spread[:, None] * np.ones(m.dimension)
        _push(found, pressed.one, pressed.place, doubt)
        _push(found, pressed.two, pressed.place, doubt)
    return found.size


def _slack(m: Mechanism, applied: Loads, layout: Layout) -> Floats:
    """F δx + ½ k δx² + ½ m δv²."""
    r, s = layout.readings, layout.bodies.shapes
    forces = [layout.begin(i) + j for i in range(len(layout.part)) for j in range(layout.d)]
    forces += range(layout.width * len(layout.part), layout.count)
    force = np.sum(applied.size[:, forces], axis=1)
    stiffness = sum((m.compute(spring.stiffness) for spring in m.springs), 0.0)
    mass = float(np.sum(s.mass)) + sum((m.compute(p.mass) for p in m.particles), 0.0)
    return np.asarray(force * r.place + 0.5 * stiffness * r.place**2 + 0.5 * mass * r.speed**2)


class _Work(Loads):
    """Loads that add up a power as well."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.power = np.zeros(layout.k)

    def drive(self, point: str, force: Floats) -> None:
        """A force at a point that is not conservative."""
        self.push(point, force)
        self.power = self.power + np.sum(force * self.layout.readings.velocity(point), axis=1)


def _gravity(m: Mechanism) -> Floats:
    return np.array([m.compute(x) for x in m.gravity]) if m.gravity else np.zeros(m.dimension)


def _add_bodies(m: Mechanism, inertia: Loads, applied: Loads) -> None:
    """m a_c = ΣF and İω + ω × Iω = ΣM about the centroid."""
    b, g = inertia.layout.bodies, _gravity(m)
    s = b.shapes
    if not len(s.names):
        return
    c, a = b.travel(0, s.centroid), b.travel(2, s.centroid)
    w, alpha, R = b.omega, b.alpha, b.R
    if m.dimension == 2:
        torque = s.inertia[:, None] * alpha
    else:
        I = R @ s.inertia @ np.swapaxes(R, -1, -2)
        torque = np.einsum("kpij,kpj->kpi", I, alpha) + cross(w, np.einsum("kpij,kpj->kpi", I, w))
    # a part without inertia may have no axes
    heavy = ((s.mass != 0.0) | np.any(s.inertia.reshape(len(s.names), -1), axis=1))[:, None]
    c, a, torque = np.where(heavy, c, b.o), np.where(heavy, a, 0.0), np.where(heavy, torque, 0.0)
    force, weight = s.mass[:, None] * a, s.mass[:, None] * g
    inertia.push_parts(c, force)
    inertia.turn_parts(torque)
    applied.push_parts(c, np.broadcast_to(weight, force.shape))


def _add_particles(m: Mechanism, inertia: Loads, applied: Loads) -> None:
    r, g = inertia.layout.readings, _gravity(m)
    for particle in m.particles:
        if particle.point in m.fixed:
            continue
        mass, i = m.compute(particle.mass), r.points[particle.point]
        inertia.push(particle.point, mass * r.a[:, i])
        applied.push(particle.point, np.broadcast_to(mass * g, r.a[:, i].shape))


def _add_springs(m: Mechanism, inertia: Loads, applied: Loads) -> None:
    """k (|b − a| − ℓ) along the line; a mass is spread along it: ∫ of (1 − s) a + s b, s = 0 .. 1."""
    r, g, laws = inertia.layout.readings, _gravity(m), Laws(m, inertia.layout.readings, inertia.layout.bodies)
    for spring in m.springs:
        a, b = spring.points
        k, rest, mass = (m.compute(x) for x in (spring.stiffness, spring.rest_length, spring.mass))
        along, length = laws.between(a, b)
        pull = (k * (length - rest))[:, None] * along
        applied.push(a, pull)
        applied.push(b, -pull)
        if not mass:
            continue
        for p, other in ((a, b), (b, a)):
            i, j = r.points[p], r.points[other]
            inertia.push(p, mass / 6 * (2 * r.a[:, i] + r.a[:, j]))
            applied.push(p, np.broadcast_to(mass / 2 * g, along.shape))


def _add_laws(m: Mechanism, applied: _Work, laws: Laws) -> None:
    lay = applied.layout
    for force in m.forces:
        F = np.stack(laws.values(force.components), axis=1)
        if force.part is not None:
            F = np.einsum("kij,kj->ki", lay.bodies.R[:, lay.part[force.part]], F)
        applied.drive(force.point, F)
    for damper in m.dampers:
        a, b = damper.points
        along, _ = laws.between(a, b)
        F = laws.values([damper.force])[0][:, None] * along
        applied.drive(a, F)
        applied.drive(b, -F)
    for torque in m.torques:
        value, power = laws.values([torque.value])[0], applied.power
        _turn(m, applied, torque.part, value, torque.other)
        if is_constant(torque.value):
            applied.power = power  # −τ θ is as good as a potential
    for part in m.parts:
        for law, flow in part.works(m):
            applied.power = applied.power + add_effort(lay, laws, applied, flow, laws.values([law])[0])
    for pressed in find_pressed(m, lay):
        _push(applied, pressed.one, pressed.place, pressed.force)
        _push(applied, pressed.two, pressed.place, -pressed.force)
        applied.power = applied.power + pressed.power
    for dissipation in m.dissipations:
        speeds = speeds_in(dissipation.function)
        for s, slope in zip(speeds, laws.values(derivatives(dissipation.function, speeds)), strict=True):
            applied.power = applied.power + add_effort(lay, laws, applied, s, -slope)


def _push(loads: Loads, owner: str, place: Floats, force: Floats) -> None:
    """A force on what a side of a contact belongs to: a part, a point without one, or the world."""
    if owner in loads.layout.part:
        loads.push_part(loads.layout.part[owner], place, force)
    elif owner != WORLD:
        loads.push(owner, force)


def _turn(m: Mechanism, applied: _Work, name: str, torque: Floats, other: str | None = None) -> None:
    """A torque on a part against another (plane), or on the second part of a joint against the first (space)."""
    lay = applied.layout
    if m.dimension == 2:
        for part, sign in ((name, 1.0), (other, -1.0)):
            if part is not None:
                applied.turn(lay.part[part], sign * torque[:, None])
                applied.power = applied.power + sign * torque * lay.bodies.omega[:, lay.part[part], 0]
        return
    joint = m.find_joint(name)
    axis = joint_axis(m, lay, name)
    for part, sign in zip(joint.parts, (-1.0, 1.0), strict=True):
        if part != WORLD:
            applied.turn(lay.part[part], sign * torque[:, None] * axis)
            w = np.sum(axis * lay.bodies.omega[:, lay.part[part]], axis=1)
            applied.power = applied.power + sign * torque * w


def _driving(m: Mechanism, lay: Layout, laws: Laws) -> Floats:
    """Power of drivers and of constraints that depend on time, by the forces that the motion reports."""
    total = np.zeros(lay.k)
    for motion in m.motions:
        (rate,) = laws.values([m.flow(motion.target)])
        total = total + lay.readings.driving[motion.target] * rate
    # what changes with time by itself pushes as a driver does
    moving = [(f"relation {x.name}", -differentiate(x.formula, TIME)) for x in m.relations]
    moving += [(f"velocity {x.name}", -at_rest(x.formula)) for x in m.velocity_constraints]
    for (name, _), rate in zip(moving, laws.values([law for _, law in moving]), strict=True):
        total = total + lay.readings.driving[name] * rate
    return total
