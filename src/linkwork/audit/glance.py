"""A glance at a conservative mechanism in the plane, where nearly everything is linear in places and velocities.

    further points    c − a − ζ (b − a) = A x        lengths       b − a = D x
    kinetic energy    ½ vᵀ M v                       potentials    −w·x and those of springs

A few products of matrices made once tell whether a motion deserves a closer look. From the description alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import Shapes
from linkwork.audit.energy import Masses
from linkwork.audit.readings import COARSE, PLACES, ROUNDING

LARGEST = 60  # points; more are looked at in another way
ENERGY = 30.0  # times the tolerance: imbalance of energy that deserves a look
FAINT = 1e-12  # of the energies


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """Matrices over the flat places of all points.   stretch: Σ k, weight: Σ m g"""

    A: Floats
    D: Floats
    squares: Floats
    M: Floats
    w: Floats
    springs: Floats
    rest: Floats
    k: Floats
    torques: tuple[tuple[str, float], ...]
    stretch: float
    weight: float

    def is_suspicious(self, x: Floats, v: Floats, turns: dict[str, Floats], size: float, tol: float) -> bool:
        """Whether places x and velocities v at some times deserve a closer look.   x, v: (k, 2 points)"""
        place = size * (0.1 * PLACES * tol + ROUNDING)
        d = x @ self.D
        lengths = d[:, ::2] ** 2 + d[:, 1::2] ** 2 - self.squares
        if np.abs(x @ self.A).max(initial=0.0) > place or np.abs(lengths).max(initial=0.0) > 2 * size * place:
            return True
        T = 0.5 * ((v @ self.M) * v).sum(axis=1)
        V = x @ self.w
        if len(self.k):
            s = x @ self.springs
            V = V + 0.5 * (np.sqrt(s[:, ::2] ** 2 + s[:, 1::2] ** 2) - self.rest) ** 2 @ self.k
        for name, torque in self.torques:
            V = V - torque * turns[name]
        E = T + V
        exchanged = T.max() + np.abs(T[1:] - T[:-1]).sum()
        slack = FAINT * (T.max() + np.abs(V).max()) + self.weight * 0.01 * place + self.stretch * place**2
        return not np.abs(E - E[0]).max() <= min(ENERGY * tol, 0.1 * COARSE) * exchanged + slack


def make_glance(s: Shapes, m: Masses, points: int) -> Glance | None:
    """The matrices of a mechanism in the plane; None if it is large or in space."""
    if points > LARGEST or s.z.shape[1] != 2:
        return None
    n = 2 * points
    A, D, M, w = [], np.zeros((n, 2 * len(s.names))), np.zeros((n, n)), np.zeros(n)
    for i, (a, b) in enumerate(s.first):
        length = s.z[s.of == i][1, 0]
        D[:, 2 * i : 2 * i + 2] = _at(b, n) - _at(a, n)
        c = _follow(a, b, s.centroid[i] / length, n)
        turn = (_at(b, n) - _at(a, n)) / length
        M += s.mass[i] * c @ c.T + s.inertia[i] * turn @ turn.T
        w -= s.mass[i] * c @ m.gravity
        A += [_at(p, n) - _follow(a, b, z / length, n) for p, z in zip(s.at[s.of == i], s.z[s.of == i], strict=True)]
    for p, mass in zip(m.at, m.mass, strict=True):
        M += mass * _at(p, n) @ _at(p, n).T
        w -= mass * _at(p, n) @ m.gravity
    springs = np.zeros((n, 2 * len(m.k)))
    for i, (a, b) in enumerate(m.ends):
        springs[:, 2 * i : 2 * i + 2] = _at(b, n) - _at(a, n)
        both = _at(a, n) + _at(b, n)
        M += m.spread[i] / 6 * (both @ both.T + _at(a, n) @ _at(a, n).T + _at(b, n) @ _at(b, n).T)
        w -= m.spread[i] / 2 * both @ m.gravity
    squares = np.array([s.z[s.of == i][1, 0] ** 2 for i in range(len(s.names))])
    weight = float(np.sum(s.mass) + np.sum(m.mass) + np.sum(m.spread)) * float(np.linalg.norm(m.gravity))
    return Glance(
        A=np.hstack(A) if A else np.zeros((n, 0)), D=D, squares=squares, M=M, w=w, springs=springs,
        rest=m.rest, k=m.k, torques=m.torques, stretch=float(np.sum(m.k)), weight=weight,
    )  # fmt: skip


def _at(point: int, n: int) -> Floats:
    """What picks a point from flat places.   (n, 2)"""
    return _identity(n)[:, 2 * point : 2 * point + 2]


@lru_cache(maxsize=8)
def _identity(n: int) -> Floats:
    found = np.eye(n)
    found.flags.writeable = False
    return found


def _follow(a: int, b: int, zeta: Floats, n: int) -> Floats:
    """a + ζ (b − a), with ζ as a complex number.   (n, 2)"""
    xi, eta = zeta
    d = _at(b, n) - _at(a, n)
    return np.asarray(_at(a, n) + d @ np.array([[xi, eta], [-eta, xi]]))
