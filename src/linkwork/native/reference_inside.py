"""Between the ends of implicit steps of the reference machine: what their polynomials miss there, as in implicit.h."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.native.numbers import is_driven
from linkwork.native.reference_equations import PlainEquations, solve_scaled

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine

INSIDE = 10.0  # errors allowed at the ends of steps: so much is allowed between them
LEFT_OUT, NOISE = 4.0, 1e-10
FAINT = 0.1  # of what turns things: smaller forces of constraints need no digits of their own
BLUR = 1e-13  # in sizes: what rounding leaves of places there, and of speeds if divided by the step
GOLDEN = 0.618033988749895


class Inside:
    """Looks between the ends of the steps of one run."""

    def __init__(self, machine: ReferenceMachine, equations: PlainEquations) -> None:
        self.machine, self.equations, self.driven = machine, equations, is_driven(machine.system)
        self.noise, self.lacked = (
            NOISE,
            (0.0, 0.0),
        )  # part of the multipliers that was missing, in a step of which length

    def point(self, S: Floats, x: float, slope: Floats | None) -> Floats:
        """Rows of places and multipliers, speeds, accelerations after x; those change evenly, if a slope is given."""
        m, k = self.machine, np.arange(len(S))
        X = np.array([x**k @ S, k[1:] * x ** k[:-1] @ S[1:], k[2:] * k[1:-1] * x ** k[:-2] @ S[2:]])
        if slope is not None:
            X[2] = 2 * S[2] + x * slope
        rest = np.r_[m.first : S.shape[1], self.equations.values]
        X[1:, rest] = 0.0
        return X

    def stray(self, S: Floats, h: float, slope: Floats | None, x: float) -> float:
        """How far rates of followers are off those of the polynomials, in errors allowed."""
        m = self.machine
        at, X = m.followers.places, self.point(S, x, slope)
        if not len(at):
            return 0.0
        told = X[1, at].copy()
        self.equations.find_rates(X, m.t + x)
        off = max(float(np.max(np.abs(X[1, at] - told))) - BLUR / h, 0.0)
        return max(off * h / INSIDE, off / m.speed) / m.request.tol

    def lack(self, S: Floats, h: float, slope: Floats | None, A: Floats, c: tuple[float, float]) -> float:
        """What one more iteration with the matrix A of c would change inside a step, in errors allowed there."""
        m, n, s = self.machine, self.machine.system.n, self.machine.system
        x = (0.3 + 0.4 * (GOLDEN * m.steps % 1.0)) * h
        X = self.point(S, x, slope)
        force = np.zeros(s.m)
        for _ in range(2):  # what multipliers lack acts in directions that are not quite those of the matrix
            X[0, m.first :] += force
            r, g, v = self.equations.residuals(X, m.t + x)
            rhs = np.zeros((len(A), 2))
            rhs[:n, 0], rhs[n:, 0] = -r, -v / c[0]
            rhs[n:, 1] = np.where(s.holonomic, v * c[1] / c[0] - g, 0.0)
            if not np.isfinite(rhs).all():
                return math.inf
            y, z = solve_scaled(A, rhs).T
            force = force + y[n:]
        moved, faster = m._size(c[1] * y[:n] + z[:n]) - BLUR, m._size(c[0] * y[:n]) - BLUR / h
        motion = max(moved, faster / (LEFT_OUT * m.speed), 0.0) / (INSIDE * m.request.tol)
        if not self.driven or m.redundant:
            return motion
        lack, (before, length) = self._compare(force, X[0, m.first :], A), self.lacked
        if length > h and lack * length > before * h:
            self.noise = max(self.noise, lack)  # what does not fall with the step is rounding
        self.lacked = lack, h
        return max(motion, lack / (INSIDE * m.request.tol + self.noise))

    def _compare(self, force: Floats, multipliers: Floats, A: Floats) -> float:
        """Forces of constraints beside others, or a share of what turns things as they go, in units of √M."""
        m, n = self.machine, self.machine.system.n
        root = np.sqrt(np.abs(np.diagonal(self.equations.matrix(m.S[:3], m.t, (0.0, 0.0, 0.0)))[:n]))
        root = np.where(root > 0, root, 1.0)
        one, other = (float(np.max(np.abs(A[:n, n:] @ x) / root, initial=0.0)) for x in (force, multipliers))
        return one / max(other, FAINT * float(np.max(root * m.scales[:n], initial=0.0)) * m.speed**2, 1e-300)
