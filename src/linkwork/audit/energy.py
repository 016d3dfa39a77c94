"""Energies of a description at the places and velocities of readings, all parts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.audit.bodies import Bodies
from linkwork.audit.readings import Readings
from linkwork.model import Mechanism
from linkwork.model.laws import is_constant


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """Particles, springs, gravity and constant torques as numbers.

    at, mass                           points and masses of particles that can move
    ends (s, 2), k, rest, spread (s,)  points, stiffness, rest length and mass of springs
    torques                            turn angle, torque
    """

    at: Ints
    mass: Floats
    ends: Ints
    k: Floats
    rest: Floats
    spread: Floats
    gravity: Floats
    torques: tuple[tuple[str, float], ...]


def measure_masses(m: Mechanism, points: dict[str, int]) -> Masses:
    """The numbers of a description."""
    particles = [p for p in m.particles if p.point not in m.fixed]
    torques: list[tuple[str, float]] = []
    for torque in m.torques:
        if is_constant(torque.value):
            value = m.compute(torque.value)
            torques += [(torque.part, value)] + ([(torque.other, -value)] if torque.other is not None else [])
    return Masses(
        at=np.array([points[p.point] for p in particles], dtype=np.int64),
        mass=np.array([m.compute(p.mass) for p in particles]),
        ends=np.array([[points[p] for p in s.points] for s in m.springs], dtype=np.int64).reshape(-1, 2),
        k=np.array([m.compute(s.stiffness) for s in m.springs]),
        rest=np.array([m.compute(s.rest_length) for s in m.springs]),
        spread=np.array([m.compute(s.mass) for s in m.springs]),
        gravity=np.array([m.compute(x) for x in m.gravity] if m.gravity else [0.0] * m.dimension),
        torques=tuple(torques),
    )


def compute_energies(bodies: Bodies, masses: Masses, r: Readings) -> tuple[Floats, Floats]:
    """T and V.   two times (k,)"""
    T, V = np.zeros(len(r.t)), np.zeros(len(r.t))
    s, g = bodies.shapes, masses.gravity
    if len(s.names):
        # ½ m v² + ½ ω·Iω of the centroid, and its weight
        v, w = bodies.travel(1, s.centroid), bodies.omega
        if w.shape[2] == 3:
            local = np.einsum("kpij,kpi->kpj", bodies.R, w)
            spin = np.einsum("kpi,pij,kpj->k", local, s.inertia, local)
        else:
            spin = w[:, :, 0] ** 2 @ s.inertia
        T = T + 0.5 * (np.sum(v * v, axis=2) @ s.mass + spin)
        V = V - (bodies.travel(0, s.centroid) @ g) @ s.mass
    if len(masses.at):
        v = r.v[:, masses.at]
        T = T + 0.5 * np.sum(v * v, axis=2) @ masses.mass
        V = V - (r.x[:, masses.at] @ g) @ masses.mass
    if len(masses.ends):
        (a, b), (va, vb) = (np.moveaxis(z[:, masses.ends], 2, 0) for z in (r.x, r.v))
        d = b - a
        V = V + 0.5 * (np.sqrt(np.sum(d * d, axis=2)) - masses.rest) ** 2 @ masses.k
        # a spring stretches evenly: m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²)
        T = T + np.sum(va * va + va * vb + vb * vb, axis=2) @ masses.spread / 6
        V = V - ((a + b) @ g) @ masses.spread / 2
    for name, torque in masses.torques:
        V = V - torque * r.turns[name][0]
    return np.asarray(T), np.asarray(V)
