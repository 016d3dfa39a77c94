"""A glance at a conservative mechanism in the plane, where places z and velocities ż are complex numbers.

    a part         z = a + ζ (b − a)       ζ = its place in the part over the length from the first point to the second
    its energies   ½ m |ċ|² + ½ I |ḃ − ȧ|² / length²,   −m g·c       c: its centroid, g: gravity

A few operations on arrays tell whether a motion deserves a closer look. From the description alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.arrays import Complexes, Floats
from linkwork.audit.bodies import Shapes
from linkwork.audit.energy import Masses
from linkwork.audit.readings import COARSE, PLACES, ROUNDING

LARGEST = 60  # points; more are looked at in another way
ENERGY = 30.0  # times the tolerance: imbalance of energy that deserves a look
FAINT = 1e-12  # of the energies


@dataclass(frozen=True)
class Glance:
    """A mechanism in the plane."""

    shapes: Shapes
    masses: Masses

    @cached_property
    def _length(self) -> Floats:
        """From the first point of each part to the second."""
        s = self.shapes
        return s.z[np.searchsorted(s.of, np.arange(len(s.names))) + 1, 0] if len(s.names) else np.zeros(0)

    @cached_property
    def _zeta(self) -> Complexes:
        """ζ of all points of parts."""
        return _complex(self.shapes.z) / self._length[self.shapes.of]

    @cached_property
    def _square_length(self) -> Floats:
        return self._length**2

    @cached_property
    def _spin(self) -> Floats:
        """I / length²."""
        return self.shapes.inertia / self._square_length

    @cached_property
    def _weight(self) -> float:
        """Σ m g."""
        masses = (self.shapes.mass, self.masses.mass, self.masses.spread)
        return float(sum(map(np.sum, masses)) * np.hypot(*self.masses.gravity))

    @cached_property
    def _stretch(self) -> float:
        """Σ k."""
        return float(self.masses.k.sum())

    @cached_property
    def _centroid(self) -> Complexes:
        """ζ of the centroids."""
        return _complex(self.shapes.centroid) / self._length

    def is_suspicious(self, states: Floats, turns: dict[str, Floats], size: float, tol: float) -> bool:
        """Whether places and velocities at k times deserve a closer look.   states: (2 k, points, 2), turns: (k,)

        The places of all times come first, then the velocities.
        """
        s, m = self.shapes, self.masses
        z, k, (a, b) = _complex(states), len(states) // 2, s.first.T
        place = size * (0.1 * PLACES * tol + ROUNDING)
        first = z.take(a, axis=1)
        d = z.take(b, axis=1) - first
        centre, square = first + self._centroid * d, _square(d)
        # parts are rigid
        off = z[:k].take(s.at, axis=1) - first[:k].take(s.of, axis=1) - self._zeta * d[:k].take(s.of, axis=1)
        longer = square[:k] - self._square_length
        if np.abs(off).max(initial=0.0) > place or np.abs(longer).max(initial=0.0) > 2 * size * place:
            return True
        # energy is conserved
        T = 0.5 * (_square(centre[k:]) @ s.mass + square[k:] @ self._spin)
        V = self._weigh(centre[:k], s.mass)
        T, V = self._add_loads(z, T, V)
        for name, torque in m.torques:
            V = V - torque * turns[name]
        E, fastest = T + V, T.max()
        exchanged = fastest + np.abs(T[1:] - T[:-1]).sum()
        slack = FAINT * (fastest + np.abs(V).max()) + self._weight * 0.01 * place + self._stretch * place**2
        return not np.abs(E - E[0]).max() <= min(ENERGY * tol, 0.1 * COARSE) * exchanged + slack

    def _weigh(self, z: Complexes, mass: Floats) -> Floats:
        """−Σ m g·z."""
        x, y = self.masses.gravity
        if not self._weight:
            return np.zeros(len(z))
        return np.asarray(-(x * z.real + y * z.imag) @ mass)

    def _add_loads(self, z: Complexes, T: Floats, V: Floats) -> tuple[Floats, Floats]:
        """T and V with those of particles and springs.   z: (2 k, points)"""
        m, k = self.masses, len(T)
        if len(m.at):
            T = T + 0.5 * _square(z[k:, m.at]) @ m.mass
            V = V + self._weigh(z[:k, m.at], m.mass)
        if len(m.ends):
            a, b = (z.take(end, axis=1) for end in m.ends.T)
            V = V + 0.5 * (np.abs(b[:k] - a[:k]) - m.rest) ** 2 @ m.k + self._weigh(a[:k] + b[:k], m.spread / 2)
            # a spring stretches evenly: m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²) = m/12 (|ȧ|² + |ȧ + ḃ|² + |ḃ|²)
            T = T + (_square(a[k:]) + _square(a[k:] + b[k:]) + _square(b[k:])) @ m.spread / 12
        return T, V


def make_glance(s: Shapes, m: Masses, points: int) -> Glance | None:
    """What looks at a mechanism in the plane; None if it is large or in space."""
    return None if points > LARGEST or s.z.shape[1] != 2 else Glance(s, m)


def _complex(pairs: Floats) -> Complexes:
    """Pairs along the last axis as complex numbers."""
    return np.ascontiguousarray(pairs).view(np.complex128)[..., 0]


def _square(z: Complexes) -> Floats:
    """|z|²."""
    return np.asarray((z * z.conj()).real)
