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

    points: int

    @cached_property
    def _length(self) -> Floats:
        """From the first point of each part to the second."""
        s = self.shapes
        return s.z[np.searchsorted(s.of, np.arange(len(s.names))) + 1, 0] if len(s.names) else np.zeros(0)

    @cached_property
    def _square_length(self) -> Floats:
        return self._length**2

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
    def _views(self) -> tuple[Complexes, Floats]:
        """What is looked at, as columns over the points, and what the squares of their rates count in T.

        By how much points are off their parts, b − a of parts, b − a of springs; then what only has energy: centroids,
        particles, and of springs, which stretch evenly, a, a + b and b:

            m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²) = m/12 (|ȧ|² + |ȧ + ḃ|² + |ḃ|²);       last Σ m z
        """
        s, m, one = self.shapes, self.masses, np.eye(self.points)
        first, d = one[:, s.first[:, 0]], one[:, s.first[:, 1]] - one[:, s.first[:, 0]]
        off = one[:, s.at] - first[:, s.of] - d[:, s.of] * (_complex(s.z) / self._length[s.of])
        centre, particles = first + d * (_complex(s.centroid) / self._length), one[:, m.at]
        a, b = one[:, m.ends[:, 0]], one[:, m.ends[:, 1]]
        total = centre @ s.mass + particles @ m.mass + (a + b) @ m.spread / 2
        even = m.spread / 12
        spin = 0.5 * s.inertia / self._square_length
        none = np.zeros(off.shape[1]), np.zeros(len(m.k))
        counts: list[Floats] = [none[0], spin, none[1], 0.5 * s.mass, 0.5 * m.mass, even, even, even, np.zeros(1)]
        views = np.hstack([off, d, b - a, centre, particles, a, a + b, b, total[:, None]]).astype(np.complex128)
        return views, np.concatenate(counts)

    def is_suspicious(self, states: Floats, turns: dict[str, Floats], size: float, tol: float) -> bool:
        """Whether places and velocities at k times deserve a closer look.   states: (2 k, points, 2), turns: (k,)

        The places of all times come first, then the velocities.
        """
        views, counts = self._views
        seen, k, m = _complex(states) @ views, len(states) // 2, self.masses
        square = (seen * seen.conj()).real
        place = size * (0.1 * PLACES * tol + ROUNDING)
        # parts are rigid
        parts = len(self.shapes.at)
        springs = parts + len(self._length)
        longer = square[:k, parts:springs] - self._square_length
        off = square[:k, :parts].max(initial=0.0) > place**2
        if off or np.abs(longer).max(initial=0.0) > 2 * size * place:
            return True
        # energy is conserved
        T, V = square[k:] @ counts, self._weigh(seen[:k, -1])
        if len(m.k):
            V = V + (np.sqrt(square[:k, springs : springs + len(m.k)]) - m.rest) ** 2 @ (0.5 * m.k)
        for name, torque in m.torques:
            V = V - torque * turns[name]
        E, fastest = T + V, T.max()
        exchanged = fastest + np.abs(T[1:] - T[:-1]).sum()
        slack = FAINT * (fastest + np.abs(V).max()) + self._weight * 0.01 * place + self._stretch * place**2
        return not np.abs(E - E[0]).max() <= min(ENERGY * tol, 0.1 * COARSE) * exchanged + slack

    def _weigh(self, moment: Complexes) -> Floats:
        """−g·Σ m z."""
        if not self._weight:
            return np.zeros(len(moment))
        x, y = self.masses.gravity
        return np.asarray(-(x * moment.real + y * moment.imag))


def make_glance(s: Shapes, m: Masses, points: int) -> Glance | None:
    """What looks at a mechanism in the plane; None if it is large or in space."""
    return None if points > LARGEST or s.z.shape[1] != 2 else Glance(s, m, points)


def _complex(pairs: Floats) -> Complexes:
    """Pairs along the last axis as complex numbers."""
    return np.ascontiguousarray(pairs).view(np.complex128)[..., 0]
