"""Radau steps of the reference machine: the method of radau.c, with all stages solved for at once by dense matrices.

Shares no code with the C but the coefficients of the method: each stage has its own matrix in every iteration,
nothing is transformed, and values in laws have rows and columns like everything else.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.native.motion import Status
from linkwork.native.radau import find_radau
from linkwork.native.reference_equations import PlainEquations, solve_scaled
from linkwork.native.reference_implicit import ATTEMPTS, FIRST, LEFT_OUT, ROUNDING, SLIGHTLY, Kept
from linkwork.native.reference_inside import Inside

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine

NEWTON, ITERATIONS = 1e-3, 12  # of the error allowed in a step is left by its iteration
LONGER, SHORTER, STEADY, SAFETY = 6.0, 0.2, 1.2, 0.9  # next steps
SWEEPS, CLOSINGS, CLOSED = 20, 4, 1e-14  # of followers; of the end onto constraints, in sizes
DEPENDENT = 1e-9  # of rows of length one: what is left of one that the others make up for
ASKED = ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 1.0, 0.0))  # numbers c for which the matrix is M, G; C, D; K


class RadauSteps:
    """The steps of one run. Points are rows of slots: places and multipliers, speeds, accelerations."""

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine, self.system, self.equations = machine, machine.system, PlainEquations(machine)
        self.radau = find_radau(machine.request.stages)
        S, n = machine.S, machine.system.n
        self.point = np.array([S[0], S[1], 2 * S[2]])
        self.values = self.equations.values  # further unknowns
        self.rest = np.r_[machine.first : S.shape[1], self.values]  # multipliers and values: they have no rates
        self.point[1:, self.rest] = 0.0
        self.inside = Inside(machine, self.equations)
        size = machine._size(6 * S[3, :n])
        self.h = min(FIRST * machine.span, (machine.request.tol / size) ** (1 / 3) if size > 0 else math.inf)
        self.before: tuple[float, Floats, Floats] | None = (
            None  # h, a, and λ and values at the stages of the step before
        )

    # -- stages ---------------------------------------------------------------------------------------------------

    def _predict(self, h: float) -> tuple[Floats, Floats]:
        """Accelerations of the stages, multipliers and values, as they went on in the step before."""
        n, c = self.system.n, self.radau.nodes
        if self.before is None:
            ones = np.ones((len(c), 1))
            return ones * self.point[2, :n], ones * self.point[0, self.rest]
        length, a, rest = self.before
        others = [np.delete(c, j) for j in range(len(c))]
        x = 1 + c * h / length
        W = np.array([[np.prod((at - o) / (c[j] - o)) for j, o in enumerate(others)] for at in x])
        return W @ a, W @ rest

    def _place(self, a: Floats, rest: Floats, h: float, before: Floats | None = None) -> Floats:
        """The points of all stages by accelerations, multipliers and values; followers from where they were."""
        m, n, r = self.machine, self.system.n, self.radau
        X = np.repeat(self.point[None], r.stages, axis=0) if before is None else before.copy()
        X[:, 2, :n], X[:, 0, self.rest] = a, rest
        X[:, 1, :n] = self.point[1, :n] + h * (r.A @ a)
        X[:, 0, :n] = self.point[0, :n] + h * (r.nodes[:, None] * self.point[1, :n] + h * (r.A2 @ a))
        at = m.followers.places
        for _ in range(SWEEPS if len(at) else 0):
            for X_i, c in zip(X, r.nodes, strict=True):
                m.followers.advance(-1, m.t + c * h, X_i)
            new = self.point[0, at] + h * (r.A @ X[:, 1, at])
            changed = float(np.max(np.abs(new - X[:, 0, at])))
            X[:, 0, at] = new
            if not changed > NEWTON * m.request.tol:
                break
        return X

    def _find_stages(self, h: float) -> tuple[Status, Floats]:
        """Newton's iteration: the points of all stages."""
        m, n, r, s = self.machine, self.system.n, self.radau, self.radau.stages
        a, rest = self._predict(h)
        X = self._place(a, rest, h)
        size = n + len(self.rest)
        balance = n + self.system.m  # where rows and columns of values begin
        surplus = self._find_surplus() if m.redundant else np.zeros(0, dtype=np.int64)
        for _ in range(ITERATIONS):
            big, rhs = np.zeros((s, size, s, size)), np.zeros((s, size))
            for i in range(s):
                t = m.t + r.nodes[i] * h
                force, _, v = self.equations.residuals(X[i], t)
                rhs[i] = np.concatenate([-force, -v / h, -self.equations.lack(X[i], t)])
                P, C, K = self._parts(X[i], t)
                for j in range(s):
                    one, two = r.A[i, j], r.A2[i, j]
                    big[i, :n, j, :balance] = (i == j) * P[:n] + h * one * C[:n] + h * h * two * K[:n]
                    big[i, n:balance, j, :balance] = one * P[n:] + h * two * C[n:]
            if len(self.values):
                self._border(big, a, rest, X, h)
            for d in n + surplus:
                big[:, d], rhs[:, d] = 0.0, 0.0
                big[range(s), d, range(s), d] = 1.0
            if not (np.isfinite(big).all() and np.isfinite(rhs).all()):
                return Status.NOT_FINITE, X
            m.tally_factorisations += 1
            x = solve_scaled(big.reshape(s * size, s * size), rhs.reshape(-1, 1)).reshape(s, size)
            a, rest = a + x[:, :n], rest + x[:, n:]
            before, X = X, self._place(a, rest, h, X)
            moved, faster = (
                np.max(np.abs(X[:, k, :n] - before[:, k, :n]) - ROUNDING * np.abs(X[:, k, :n]), axis=0) for k in (0, 1)
            )
            if max(m._size(moved), m._size(faster) / (LEFT_OUT * m.speed)) <= NEWTON * m.request.tol:
                return Status.FINISHED, X
        return Status.NOT_CLOSED, X

    def _find_surplus(self) -> Ints:
        """Constraints that the others make up for at the begin of a step: off them they contradict each other."""
        from scipy.linalg import qr  # a heavy import

        n, scales = self.system.n, self.machine.scales[: self.system.n]
        G = self.equations.matrix(self.point, self.machine.t, (0.0, 0.0, 0.0))[n:, :n] * scales
        size = np.linalg.norm(G, axis=1, keepdims=True)
        _, R, order = qr((G / np.where(size > 0, size, 1.0)).T, mode="economic", pivoting=True)
        rank = int(np.count_nonzero(np.abs(np.diagonal(R)) > DEPENDENT))
        return np.asarray(order[rank:], dtype=np.int64)

    def _border(self, big: Floats, a: Floats, rest: Floats, X: Floats, h: float) -> None:
        """Rows and columns of values, by differences: of what all unknowns of a stage change."""
        m, n, r, e, k = self.machine, self.system.n, self.radau, self.equations, len(self.values)
        times = m.t + r.nodes * h
        lack = [e.lack(X_i, t) for X_i, t in zip(X, times, strict=True)]
        for j, t_j in enumerate(times):
            for at in range(big.shape[-1]):
                one, other = a.copy(), rest.copy()
                row, place = (one[j], at) if at < n else (other[j], at - n)
                change = SLIGHTLY * (abs(row[place]) + 1.0)
                row[place] += change
                Y = self._place(one, other, h, X)
                for i, t in enumerate(times):
                    big[i, -k:, j, at] = (e.lack(Y[i], t) - lack[i]) / change
                if at >= big.shape[-1] - k:
                    big[j, :n, j, at] = (e.residuals(Y[j], t_j)[0] - e.residuals(X[j], t_j)[0]) / change

    def _parts(self, X: Floats, t: float) -> list[Floats]:
        """M and Gᵀ, G; what C and D, and what K add to them."""
        found = [self.equations.matrix(X, t, c) for c in ASKED]
        return [found[0], found[1] - found[0], found[2] - found[0]]

    # -- steps ----------------------------------------------------------------------------------------------------

    def step(self, kept: Kept) -> Status:
        """One step, as long as errors allow or as given; MORE if it succeeded."""
        m, n, root = self.machine, self.system.n, 1 / (self.radau.stages + 1)
        fixed, left = m.request.step > 0, m.request.t_end - m.t
        smallest = 2 * ROUNDING * max(abs(m.t), abs(m.request.t_end))
        m.speed = max(1 / m.span, m._size(self.point[1, :n]))
        h = m._fixed_step() if fixed else min(self.h, m.request.h_max)
        for attempt in range(ATTEMPTS):
            last = h >= left * (1 - 1e-12) or 0.5 * left < smallest
            h = left if last else h if fixed or h <= 0.5 * left else 0.5 * left
            if h < smallest and not last:
                return Status.TOO_SMALL
            status, X = self._find_stages(h)
            if status is not Status.FINISHED and fixed:
                return status
            t = m.request.t_end if last else m.t + h
            error = self._error(X, h, attempt > 0) if status is Status.FINISHED and not fixed else math.inf
            if fixed or error <= 1:
                status, end, A = self._close(X[-1], t, h)
                if status is not Status.FINISHED:
                    return status
                S = self._interpolate(X, end, h)
                error = error if fixed else max(error, self._look_inside(S, A, h))
            if fixed or error <= 1:
                break
            m.rejected += 1
            h *= max(SHORTER, SAFETY / error**root) if math.isfinite(error) else 0.4
        else:
            return Status.TOO_SMALL
        self._keep(kept, S, X, end, t, h)
        if not last and not fixed:
            factor = min(LONGER, SAFETY / max(error, 1e-8) ** root)
            self.h = factor * h if factor > STEADY or factor < 1 else h
        return Status.MORE

    def _error(self, X: Floats, h: float, again: bool) -> float:
        """The error of a step in errors allowed: that of a quadrature of order s, softened, as in radau.c."""
        m, n, r = self.machine, self.system.n, self.radau
        c = h * float(r.spectrum[0])
        eq, eu = (c * self.point[k, :n] + h * (r.error @ X[:, k, :n]) for k in (1, 2))
        P, C, K = self._parts(X[-1], m.t + h)
        A = P + c * C + c * c * K
        for _ in range(2 if again or self.before is None else 1):
            rhs = np.concatenate([P[:n, :n] @ eu - c * (K[:n, :n] @ eq), -C[n:, :n] @ eq])
            eu = solve_scaled(A, rhs[:, None])[:n, 0]
            eq = eq + c * eu
            error = max(m._size(eq), m._size(eu) / (LEFT_OUT * m.speed)) / m.request.tol
            if error <= 1:
                break
        return error

    def _look_inside(self, S: Floats, A: Floats, h: float) -> float:
        """What the polynomials of a step miss between its ends, in errors allowed there."""
        c = h * float(self.radau.spectrum[0])
        strays = [self.inside.stray(S, h, None, x * h) for x in (0.3, 0.7)]
        return max(*strays, self.inside.lack(S, h, None, A, (c, c * c)))

    def _close(self, X: Floats, t: float, h: float) -> tuple[Status, Floats, Floats]:
        """The end of the step on the constraints with accelerations and multipliers, as a series; the matrix there."""
        m, n, Y = self.machine, self.system.n, X.copy()
        m.followers.normalise(Y)
        c = h * float(self.radau.spectrum[0])
        A = self.equations.matrix(Y, t, (c, c * c, 0.0))
        for row in (0, 1):
            for _ in range(CLOSINGS if self.system.m else 0):
                _, g, v = self.equations.residuals(Y, t)
                x = solve_scaled(A, np.concatenate([np.zeros(n), -(v if row else g)])[:, None])[:n, 0]
                Y[row, :n] += x
                if row == 0:
                    m.followers.move(t, Y, x)
                if m._size(x) <= CLOSED * (m.speed if row else 1.0):
                    break
        S = np.zeros_like(m.S)
        S[0], S[1, :n] = Y[0], Y[1, :n]
        S[0, m.first :] = 0.0
        status, moved = m._settle(t, S)
        m.worst_projection = max(m.worst_projection, moved)
        return (m._expand(t, S, 2), S, A) if status is Status.FINISHED else (status, S, A)

    def _accelerations(self, X: Floats, t: float) -> Floats:
        """Those at a stage, of followers as well."""
        followers, S = self.machine.followers, X * np.array([[1.0], [1.0], [0.5]])
        followers.advance(-1, t, S)
        followers.advance(0, t, S)
        followers.correct(1, S)
        found: Floats = X[2].copy()
        found[followers.places] = 2 * S[2, followers.places]
        return found

    def _interpolate(self, X: Floats, end: Floats, h: float) -> Floats:
        """The step as polynomials."""
        m, r = self.machine, self.radau
        q0, u0, a0 = self.point[0], h * self.point[1], h * h * self.point[2]
        left = [end[0] - q0 - u0 - 0.5 * a0, h * end[1] - u0 - a0, 2 * h * h * end[2] - a0]
        left += [h * h * self._accelerations(Y, m.t + c * h) - a0 for Y, c in zip(X[:-1], r.nodes, strict=False)]
        S = np.zeros_like(m.S)
        S[:3] = self.point * np.array([[1.0], [1.0], [0.5]])
        S[3:] = (r.dense @ np.array(left)) / h ** np.arange(3, m.order + 1)[:, None]
        S[1:, self.rest] = 0.0
        S[1, self.rest] = (end[0, self.rest] - q0[self.rest]) / h
        smooth = self.values if m.redundant else self.rest
        inner = np.vstack([X[:-1, 0, smooth], end[0, smooth]]) - q0[smooth]
        S[1 : r.stages + 1, smooth] = (r.between @ inner) / h ** np.arange(1, r.stages + 1)[:, None]
        return S

    def _keep(self, kept: Kept, S: Floats, X: Floats, end: Floats, t: float, h: float) -> None:
        """The step is kept; on to its end."""
        m, n = self.machine, self.system.n
        S[0, :n] += 2 * math.pi * m.turns
        kept.append((m.t, h, S))
        m.turns = m.turns + m._unwind(end)
        self.before = h, X[:, 2, :n], X[:, 0, self.rest]
        self.point = end[:3] * np.array([[1.0], [1.0], [2.0]])
        self.point[1:, self.rest] = 0.0
        m.S, m.t, m.h_last = end, t, h
        m.steps += 1
