"""Runge–Kutta steps of the reference machine: what `rk.c` does in C, again in NumPy. See `tableau` for the numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.native import tableau
from linkwork.native.motion import Request, Status

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine

# the same limits as in the C runtime
SAFETY, SHRINK, GROW, STEADY, INSIDE, FORCES = 0.9, 0.2, 6.0, 0.03, 100.0, 10.0
ATTEMPTS, FIRST, LEFT_OUT, NOISE, ROUNDING = 60, 1 / 32, 4.0, 1e-10, 8 * 2.2e-16
END, INNER, MORE, ALL = 12, 13, 16, 18  # stages: the end of a step, inside it, two more there
BEFORE = (0, 13, 14, 15, 12, 16)  # five are known before the two more, then one of these
COUPLING = np.array([tableau.dense(row, len(tableau.NODES)) for row in tableau.COUPLING])
WEIGHTS, ERROR_5, ERROR_3 = (
    tableau.dense(row, tableau.STAGES) for row in (tableau.WEIGHTS, tableau.ERROR_5, tableau.ERROR_3)
)
PLACES = np.array([*tableau.NODES, *map(float, tableau.MORE)])


class RungeKutta:
    """Steps of one run: the machine has the point they start from, here are the rates of their stages."""

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine = machine
        self.projects = machine.request.method != "baumgarte"
        self.h = self.error_last = 0.0
        width = machine.S.shape[1]
        self.V, self.A = np.zeros((ALL, width)), np.zeros((ALL, width))  # rates of rows 0 and 1
        # multipliers, algebraic values and calls of opaque functions are in A themselves
        s = machine.system
        names = [*(value.name for value in s.opaque), *(value.name for value in s.algebra)]
        values = np.array([s.inputs[name] for name in names], dtype=np.int64)
        self.kept = np.concatenate([np.arange(machine.first, width), values]).astype(np.int64)
        self.moving = np.setdiff1d(machine.moving, values)

    @property
    def request(self) -> Request:
        """What is asked for; where a run ends may change on the way."""
        return self.machine.request

    # -- points ---------------------------------------------------------------------------------------------------

    def accelerate(self, t: float, S: Floats) -> Status:
        """Row 2 and the multipliers from rows 0 and 1, with g'' + 2 α g' + β² g = 0 (of velocities: h' + 2 α h = 0)."""
        machine, request = self.machine, self.request
        n, first, holonomic = machine.system.n, machine.first, machine.system.holonomic
        S[2:] = 0.0
        S[:2, first:] = 0.0
        status = machine._factorise(t, S)
        if status is not Status.FINISHED:
            return status
        g, g1, R = (machine._stage(k, t, S) for k in (-2, -1, 0))
        drift = np.where(holonomic, request.beta * request.beta * g[first:], 0.0) + 2.0 * request.alpha * g1[first:]
        if machine.loops is not None:
            S[1, machine.loops.places] = 0.0
            status = machine.loops.close(t, S, drift)
            machine.followers.correct(1, S)
            return status
        x = machine.solve(np.concatenate([-R[:n], -np.where(holonomic, 2.0, 1.0) * R[first:] - drift]))
        S[2, :n], S[0, first:] = x[:n] / 2.0, x[n:]
        machine.followers.correct(1, S)
        return Status.FINISHED if np.isfinite(x).all() else Status.NOT_FINITE

    def settle(self, t: float, S: Floats) -> tuple[Status, float]:
        """Make a point consistent, unless Baumgarte's terms hold it together, and find its accelerations."""
        machine = self.machine
        if not self.projects:
            return self.accelerate(t, S), machine.followers.normalise(S)
        if machine.loops is not None:
            S[1, machine.loops.places] = 0.0
        status, moved = machine._settle(t, S)
        return (machine._expand(t, S, 2) if status is Status.FINISHED else status), moved

    def _note(self, S: Floats, stage: int) -> None:
        """What stages need of a point."""
        self.V[stage], self.A[stage] = S[1], 2.0 * S[2]
        self.A[stage, self.kept] = S[0, self.kept]

    def _combine(self, weights: Floats, h: float) -> Floats:
        """A point: the begin of the step and weighted rates of the first stages."""
        machine, k = self.machine, len(weights)
        S = np.zeros_like(machine.S)
        S[:2] = machine.S[:2]
        S[0, self.moving] += h * (weights @ self.V[:k, self.moving])
        S[1, self.moving] += h * (weights @ self.A[:k, self.moving])
        return S

    def _stage(self, stage: int, h: float) -> Status:
        S = self._combine(COUPLING[stage, :stage], h)
        status = self.accelerate(self.machine.t + PLACES[stage] * h, S)
        self._note(S, stage)
        return status

    # -- a step ---------------------------------------------------------------------------------------------------

    def step(self, kept: list[tuple[float, float, Floats]]) -> Status:
        """One step, as long as its error allows or as is asked; MORE if it succeeded."""
        machine, request = self.machine, self.request
        smallest = 2 * ROUNDING * max(abs(machine.t), abs(request.t_end))
        left, fixed = request.t_end - machine.t, request.step > 0.0
        rates = [machine._size(machine.S[k, machine.moving]) for k in (1, 2)]
        if not np.isfinite(rates).all():
            return Status.NOT_FINITE
        h = machine._fixed_step() if fixed else self.h or self._first_step(rates)
        self._note(machine.S, 0)
        status = Status.TOO_SMALL
        for attempt in range(ATTEMPTS):
            h = h if fixed else min(h, request.h_max)
            last = h >= left * (1 - 1e-12) or 0.5 * left < smallest
            h = left if last else h if fixed else min(h, 0.5 * left)
            if h < smallest and not last:
                return status if status in (Status.NOT_FINITE, Status.JAMMED) else Status.TOO_SMALL
            t = request.t_end if last else machine.t + h
            machine.speed = machine._speed([*rates, 0.0], h)
            status, error = self._try(h)
            if status is Status.FINISHED and (fixed or error <= 1.0):
                status, error, moved, S = self._land(t, h, error)
                right = error <= 1.0 and moved <= 1e3 * request.tol + 1e-10
                if status is Status.FINISHED and (fixed or right):
                    self.h, self.error_last = h * self._factor(error), error
                    self._keep(kept, t, h, S, moved)
                    return Status.MORE
            if fixed:
                return status
            machine.rejected += 1
            small = min(0.9, self._factor(error)) if status is Status.FINISHED and error > 1.0 else None
            h *= small or (0.7 if attempt < 4 else 0.25)
        return Status.TOO_SMALL

    def _try(self, h: float) -> tuple[Status, float]:
        """The stages of a step; its error in tolerances."""
        for stage in range(1, tableau.STAGES):
            status = self._stage(stage, h)
            if status is not Status.FINISHED:
                return status, math.inf
        fifth, third = self._error(ERROR_5, h), self._error(ERROR_3, h)
        error = fifth * (fifth / math.hypot(fifth, 0.1 * third)) if fifth > 0.0 else fifth
        return (Status.FINISHED if math.isfinite(error) else Status.NOT_FINITE), error

    def _error(self, weights: Floats, h: float) -> float:
        machine, k, n = self.machine, len(weights), self.machine.system.n
        place = machine._size(h * (weights @ self.V[:k, machine.moving]))
        return (place + machine._size(h * (weights @ self.A[:k, :n])) / machine.speed) / self.request.tol

    def _land(self, t: float, h: float, error: float) -> tuple[Status, float, float, Floats]:
        """The point at the end, and what else is known of the step by a look inside: status, error, projection."""
        machine = self.machine
        S = self._combine(WEIGHTS, h)
        S[:2, machine.first :] = 0.0
        self.turned = machine._unwind(S)
        status, moved = self.settle(t, S)
        if status is not Status.FINISHED:
            return status, error, moved, S
        self._note(S, END)
        for stage in range(INNER, MORE):
            status = self._stage(stage, h)
            if status is not Status.FINISHED:
                return status, error, moved, S
        status, inside = self._look_inside(h)
        return status, max(error, inside), moved, S

    def _look_inside(self, h: float) -> tuple[Status, float]:
        """Rates at the two more places; what the polynomial without them lacks there, in what is allowed."""
        machine, begin, first = self.machine, self.machine.S, self.machine.first
        change, known = self.V[END] - begin[1], self.A[list(BEFORE[:5])]
        lacks, forces, sizes = [0.0], list[float](), [0.0, 0.0]
        self.wrong = list[float]()
        for i, (u, q, a, forecast) in enumerate(zip(*tableau.predictions(), tableau.forecasts(), strict=True)):
            x = PLACES[MORE + i]
            S = np.zeros_like(begin)
            S[0] = begin[0]
            place = x * begin[1] + q[0] * change + h * (q[1:] @ known)
            S[0, self.moving] += h * place[self.moving]
            S[1, self.moving] = (begin[1] + u[0] * change + h * (u[1:] @ known))[self.moving]
            status = self.accelerate(machine.t + x * h, S)
            if status is not Status.FINISHED:
                return status, math.inf
            self._note(S, MORE + i)
            fresh = self.A[MORE + i]
            slope = a[0] * change / h + a[1:] @ known
            lacks.append(machine._size((slope - fresh)[machine.moving]))
            lack = forecast @ self.A[list(BEFORE)] - fresh
            forces.append(self._force(lack))
            self.wrong.append(0.0 if machine.loops is None else machine.loops.lack(lack, fresh, begin[0], x * h))
            sizes = [max(sizes[0], machine._size(fresh[machine.moving])), max(sizes[1], self._force(fresh))]
        return Status.FINISHED, self._judge(max(lacks), sizes[0], forces, sizes[1], h) if first else 0.0

    def _force(self, row: Floats) -> float:
        return float(np.max(np.abs(row[self.machine.first :]) / self.machine.units, initial=0.0))

    def _judge(self, lack: float, largest: float, forces: list[float], force: float, h: float) -> float:
        """What lacks inside a step, in what is allowed; of multipliers seven places lack to six as six to five."""
        machine, tol = self.machine, self.request.tol
        beyond, allowed = max(lack - NOISE * largest, 0.0), INSIDE * tol
        motion = max(beyond * h * h / (allowed + 1e-12), beyond * h / ((LEFT_OUT * allowed + 1e-12) * machine.speed))
        motion = max(motion, _extrapolate(self.wrong) / (FORCES * tol + NOISE))
        if not machine.driven or machine.redundant or force == 0.0:
            return motion
        return max(motion, _extrapolate(forces) / force / (FORCES * tol + NOISE))

    def _factor(self, error: float) -> float:
        """How many times as long the next step may be, by the errors of this one and of the one before."""
        steady = max(self.error_last, 1e-4) ** STEADY
        return float(min(GROW, max(SHRINK, SAFETY * max(error, 1e-10) ** (0.75 * STEADY - 1 / tableau.ORDER) * steady)))

    def _first_step(self, rates: list[float]) -> float:
        machine = self.machine
        rate = max(rates[0], 2.0 * rates[1] / machine.speed, 1.0 / machine.span)
        return float(min(FIRST * machine.span, self.request.tol**0.125 / rate))

    def _keep(self, kept: list[tuple[float, float, Floats]], t: float, h: float, S: Floats, moved: float) -> None:
        machine = self.machine
        series = self._make_series(h, S)
        series[0, : machine.system.n] += 2 * math.pi * machine.turns
        kept.append((machine.t, h, series))
        machine.turns = machine.turns + self.turned
        machine.worst_projection = max(machine.worst_projection, moved)
        machine.h_largest = max(machine.h_largest, h)
        machine.S, machine.t, machine.h_last = S, t, h
        machine.steps += 1

    def _make_series(self, h: float, end: Floats) -> Floats:
        """The polynomials of the step: see `rk_make_series` in rk.c."""
        machine, n = self.machine, self.machine.system.n
        begin, moving = machine.S, self.moving
        values = self.A[list(tableau.PLACED)]
        powers = h ** np.arange(len(values))[:, None]
        c = tableau.interpolation() @ values / powers
        series = np.zeros_like(begin)
        k = np.arange(len(values))[:, None]
        series[2:] = c / ((k + 1) * (k + 2))
        series[:2] = begin[:2]
        series[:, self.kept] = 0.0
        series[: len(values), self.kept] = c[:, self.kept]
        # what the end is missed by is corrected, unless it is rounding
        once, twice = (weights @ values for weights in tableau.integrals())
        turned = np.zeros_like(begin[0])
        turned[:n] = 2 * math.pi * self.turned
        (q, u), (q1, u1) = begin[:2], end[:2]
        d, d1 = (q1 - q) + turned - h * (u + h * twice), (u1 - u) - h * once
        d = np.where(np.abs(d) <= ROUNDING * (np.abs(q) + np.abs(q1) + np.abs(turned)), 0.0, d)[moving]
        d1 = np.where(np.abs(d1) <= ROUNDING * (np.abs(u) + np.abs(u1)), 0.0, d1)[moving]
        for order, (place, speed) in enumerate(((10.0, -4.0), (-15.0, 7.0), (6.0, -3.0)), start=3):
            series[order, moving] += (place * d + speed * h * d1) / h**order
        return series


def _extrapolate(lacks: list[float]) -> float:
    """What seven places lack is to what six do as that is to what five do."""
    five, six = lacks
    return six * min(1.0, six / five if five > 0.0 else 1.0)
