"""Implicit steps of the reference machine: generalised-alpha as in hht.c, with dense matrices made anew each time.

Shares no code with the C: Newton's iteration solves for multipliers and the shift of places by least squares, and
followers go along their line by the classical method of Runge and Kutta.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.native.motion import Status
from linkwork.native.reference_equations import PlainEquations, solve_scaled
from linkwork.native.reference_inside import Inside

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine

FIRST, LEFT_OUT, ROUNDING = 1 / 32, 4.0, 8 * 2.2e-16
NEWTON, ITERATIONS = 1e-3, 12  # of the error allowed in a step is left by its iteration
ATTEMPTS = 80  # lengths of a step that are tried
LONGER, SHORTER, STEADY = 2.0, 0.2, 1.15  # next steps
SLIGHTLY = 1e-5  # of a value: by so much it is changed to see what follows
BENDS = 3  # order of the polynomials by which accelerations of followers change in a step
PIECES = 8  # of the line that followers go along
Kept = list[tuple[float, float, Floats]]


class ImplicitSteps:
    """The steps of one run. Points are rows of slots: places and multipliers, speeds, accelerations."""

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine, self.system, self.equations = machine, machine.system, PlainEquations(machine)
        rho, n = machine.request.rho, machine.system.n
        self.tol = machine.request.tol * (1.0 if machine.request.step > 0 else machine.request.part)  # of a step
        am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.am, self.af, self.ahead = am, af, am - af
        self.gamma = 0.5 - self.ahead
        self.beta = 0.25 * (self.gamma + 0.5) ** 2
        self.kappa = (1 - af) / (1 - am)
        bend = 0.5 * (1 - af) - (1 - am) * (self.ahead + 0.5)
        self.cq = 1 / 6 - self.beta - 0.5 * self.ahead
        self.cu = 1 / 6 - (bend + self.gamma * self.ahead + 0.5 * self.gamma)
        S = machine.S
        self.point = np.array([S[0], S[1], 2 * S[2]])
        self.values = self.equations.values  # further unknowns
        self.point[1:, machine.first :] = self.point[1:, self.values] = 0.0
        jerk = 6 * S[3, :n]
        size = machine._size(jerk)
        if machine.request.step * size > machine._size(self.point[2, :n]):
            jerk = np.zeros(n)  # a start that is not resolved says nothing of the step
        self.lag = self.ahead * jerk
        free = 0.5 * (self.tol / (abs(self.cq) * size)) ** (1 / 3) if size > 0 else math.inf
        self.h = min(FIRST * machine.span, free)
        self.jerk, self.h_before = jerk, 0.0  # of the step before
        self.inside = Inside(machine, self.equations)

    # -- points ---------------------------------------------------------------------------------------------------

    def _place(self, X: Floats, z: Floats, h: float) -> Floats:
        """Places and speeds at the end of a step by its accelerations and the shift z; the method's accelerations."""
        n = self.system.n
        q0, u0, a0 = self.point[:, :n]
        w0 = a0 + h * self.lag
        w1 = self.kappa * X[2, :n] + (self.af * a0 - self.am * w0) / (1 - self.am)
        X[1, :n] = u0 + h * ((1 - self.gamma) * w0 + self.gamma * w1)
        X[0, :n] = q0 + z + h * u0 + h * h * ((0.5 - self.beta) * w0 + self.beta * w1)
        self._follow(X, h)
        return np.asarray(w1)

    def _follow(self, X: Floats, h: float) -> None:
        """Followers along the straight line of the coordinates."""
        m, n = self.machine, self.system.n
        at = m.followers.places
        if not len(at):
            return
        S = np.zeros((3, X.shape[1]))
        S[0] = self.point[0]
        S[1, :n] = (X[0, :n] - self.point[0, :n]) / h

        def rate(moved: Floats, part: float) -> Floats:
            T = S.copy()
            T[0, at] += moved
            T[0, :n] += part * S[1, :n]
            m.followers.advance(-1, m.t + part, T)
            return np.asarray(T[1, at])

        piece = h / PIECES
        for i in range(PIECES):
            begin = i * piece
            k1 = rate(np.zeros(len(at)), begin)
            k2 = rate(0.5 * piece * k1, begin + 0.5 * piece)
            k3 = rate(0.5 * piece * k2, begin + 0.5 * piece)
            k4 = rate(piece * k3, begin + piece)
            S[0, at] += piece / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        S[0, :n] = X[0, :n]
        m.followers.normalise(S)
        X[0, at] = S[0, at]

    def _find_end(self, h: float) -> tuple[Status, Floats, Floats, Floats]:
        """Newton's iteration: the point at the end, the method's accelerations there, the last matrix."""
        m, n = self.machine, self.system.n
        t, tol, X, z = m.t + h, self.tol, self.point.copy(), np.zeros(n)
        c = self.gamma * self.kappa * h, self.beta * self.kappa * h * h, 0.0
        w = self._place(X, z, h)
        A = self.equations.matrix(X, t, c)
        for _ in range(ITERATIONS):
            r, g, v = self.equations.residuals(X, t)
            m.tally_factorisations += 1
            rhs = np.zeros((len(A), 2))
            rhs[:n, 0], rhs[n:, 0] = -r, -v / c[0]
            rhs[n:, 1] = np.where(self.system.holonomic, v * c[1] / c[0] - g, 0.0)
            if not (np.isfinite(A).all() and np.isfinite(rhs).all()):
                return Status.NOT_FINITE, X, w, A
            x, y = solve_scaled(A, rhs).T
            X[2, :n] += x[:n]
            X[0, m.first :] += x[n:]
            z = z + y[:n]
            w = self._place(X, z, h)
            if len(self.values):
                x = x + self._change_values(X, z, A, h)
                w = self._place(X, z, h)
            moved = m._size(np.abs(c[1] * x[:n] + y[:n]) - ROUNDING * np.abs(X[0, :n]))
            faster = m._size(np.abs(c[0] * x[:n]) - ROUNDING * np.abs(X[1, :n]))
            if max(moved, faster / (LEFT_OUT * m.speed)) <= NEWTON * tol:
                return Status.FINISHED, X, w, A
            A = self.equations.matrix(X, t, c)
        return Status.NOT_CLOSED, X, w, A

    def _change_values(self, X: Floats, z: Floats, A: Floats, h: float) -> Floats:
        """Newton's step of the values, and what follows from it: x of accelerations and multipliers."""
        m, n, t = self.machine, self.system.n, self.machine.t + h
        k, base, left = len(self.values), self.equations.residuals(X, t)[0], self.equations.lack(X, t)
        Y, D = np.zeros((len(A), k)), np.zeros((k, k))
        for i, place in enumerate(self.values):
            change, T = SLIGHTLY * (abs(X[0, place]) + 1.0), X.copy()
            T[0, place] += change
            Y[:n, i] = (base - self.equations.residuals(T, t)[0]) / change
            Y[:, i : i + 1] = solve_scaled(A, Y[:, i : i + 1])
            T[2, :n] += change * Y[:n, i]
            T[0, m.first :] += change * Y[n:, i]
            self._place(T, z, h)
            D[:, i] = (self.equations.lack(T, t) - left) / change
        dw = np.linalg.lstsq(-D, left, rcond=None)[0]
        x: Floats = Y @ dw
        X[0, self.values] += dw
        X[2, :n] += x[:n]
        X[0, m.first :] += x[n:]
        return x

    # -- steps ----------------------------------------------------------------------------------------------------

    def step(self, kept: Kept) -> Status:
        """One step, as long as errors allow or as given; MORE if it succeeded."""
        m, n = self.machine, self.system.n
        fixed, left = m.request.step > 0, m.request.t_end - m.t
        smallest = 2 * ROUNDING * max(abs(m.t), abs(m.request.t_end))
        m.speed = max(1 / m.span, m._size(self.point[1, :n]))
        h = m._fixed_step() if fixed else min(self.h, m.request.h_max)
        for _ in range(ATTEMPTS):
            last = h >= left * (1 - 1e-12) or 0.5 * left < smallest
            h = left if last else h if fixed or h <= 0.5 * left else 0.5 * left
            if h < smallest and not last:
                return Status.TOO_SMALL
            status, X, w, A = self._find_end(h)
            if status is not Status.FINISHED and fixed:
                return status
            error = self._error(X, A, h) if status is Status.FINISHED and not fixed else 64.0
            S = self._interpolate(X, h) if fixed or error <= 1 else X
            if not fixed and error <= 1:
                error = max(error, self._look_inside(S, A, h))
            if fixed or error <= 1:
                break
            m.rejected += 1
            h *= max(SHORTER, 0.9 / error ** (1 / 3)) if math.isfinite(error) else SHORTER
        else:
            return Status.TOO_SMALL
        self._keep(kept, S, X, h, w)
        m.t = m.request.t_end if last else m.t + h
        if not last:
            factor = min(LONGER, 0.9 / max(error, 1e-3) ** (1 / 3))
            self.h = factor * h if factor > STEADY or factor < 1 else h
        return Status.MORE

    def _error(self, X: Floats, A: Floats, h: float) -> float:
        """The error of a step in errors allowed: leading terms of places and speeds, softened, as in hht.c."""
        m, n = self.machine, self.system.n
        jerk = (X[2, :n] - self.point[2, :n]) / h
        bend = 2 * (jerk - self.jerk) / (h + self.h_before)
        place = self._soften(X, A, self.cq * h**3 * jerk, m.t + h)
        speed = self._soften(X, A, self.cu * h**3 * bend, m.t + h)
        return max(place, speed / (LEFT_OUT * m.speed)) / self.tol

    def _look_inside(self, S: Floats, A: Floats, h: float) -> float:
        """What polynomials miss, as an error that goes with h³; of followers it goes with h⁵, of equations with h⁴."""
        slope, series = S[-BENDS], S[:-BENDS]
        stray = max(self.inside.stray(series, h, slope, h * i / BENDS) for i in range(1, BENDS))
        lack = self.inside.lack(series, h, slope, A, (self.gamma * self.kappa * h, self.beta * self.kappa * h * h))
        return float(max(stray**0.6, lack**0.75))

    def _soften(self, X: Floats, A: Floats, e: Floats, t: float) -> float:
        """The size of S⁻¹ M e: what is left of an error once stiffness and constraints have taken their part.

        Where constraints leave nothing free they would take all of it at the ends of steps, but not inside.
        """
        if self.system.m >= self.system.n:
            return self.machine._size(e)
        n, size = self.system.n, float(np.max(np.abs(e), initial=0.0)) or 1.0
        Y = X.copy()
        Y[2, :n] += e / size
        r, _, _ = self.equations.residuals(Y, t)
        rhs = np.zeros((len(A), 1))
        rhs[:n, 0] = r - self.equations.residuals(X, t)[0]
        return self.machine._size(size * solve_scaled(A, rhs)[:n, 0])

    def _interpolate(self, X: Floats, h: float) -> Floats:
        """The step as polynomials, with those of accelerations behind."""
        m = self.machine
        self.equations.find_rates(X, m.t + h)
        q0, u0, a0 = self.point
        d, v, j = (X[0] - q0) / h - u0 - 0.5 * h * a0, X[1] - u0 - h * a0, 0.5 * h * (X[2] - a0)
        S = np.zeros((len(m.S) + BENDS, len(q0)))
        S[0], S[1], S[2] = q0, u0, 0.5 * a0
        S[3], S[4], S[5] = (10 * d - 4 * v + j) / h**2, (7 * v - 15 * d - 2 * j) / h**3, (6 * d - 3 * v + j) / h**4
        straight = np.r_[self.values, m.first : len(q0)]
        S[1:, straight] = 0.0
        S[1, straight] = (X[0, straight] - q0[straight]) / h
        S[-BENDS:] = self._bend(S[: len(m.S)], X[2], h)
        return S

    def _keep(self, kept: Kept, S: Floats, X: Floats, h: float, w: Floats) -> None:
        """The step is kept; on to its end."""
        m, n = self.machine, self.system.n
        a0 = self.point[2]
        S[0, :n] += 2 * math.pi * m.turns
        kept.append((m.t, h, S))
        self.lag, self.jerk, self.h_before = (w - X[2, :n]) / h, (X[2, :n] - a0[:n]) / h, h
        m.turns = m.turns + m._unwind(X)
        self.point = X
        m.S = np.zeros_like(m.S)
        m.S[:3] = X * np.array([[1.0], [1.0], [0.5]])
        m.steps += 1
        m.h_last = h

    def _bend(self, S: Floats, a1: Floats, h: float) -> Floats:
        """How accelerations change in a step: along a line, those of followers as they have to at two places inside."""
        m, a0 = self.machine, 2 * S[2]
        at, x = m.followers.places, h * np.arange(1, BENDS + 1) / BENDS
        line = (a1 - a0) / h
        found = np.zeros((BENDS, len(a0)))
        found[0] = line
        if len(at):
            there = np.zeros((BENDS, len(at)))
            for i, dt in enumerate(x[:-1]):
                powers = dt ** np.arange(len(S))
                u = np.arange(1, len(S)) * powers[:-1] @ S[1:]
                X = np.array([powers @ S, u, a0 + dt * line])
                self.equations.find_rates(X, m.t + dt)
                there[i] = (X[2] - a0)[at]
            there[-1] = (a1 - a0)[at]
            found[:, at] = np.linalg.solve(np.vander(x, BENDS + 1, increasing=True)[:, 1:], there)
        return found
