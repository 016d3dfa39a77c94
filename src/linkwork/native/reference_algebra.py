"""Algebraic values in the reference machine: what `algebra.h` does in C, again in NumPy, with the same letters."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.native.algebra import plan_algebra
from linkwork.native.interpreter import PlanRunner, run_program
from linkwork.native.motion import Status
from linkwork.program import Plan

if TYPE_CHECKING:
    from linkwork.native.reference import ReferenceMachine

# the same limits as in the C runtime
ENOUGH_DIGITS, FEW_DIGITS, VALUE_SHARE, NEARLY_SINGULAR = 1e-13, 1e-9, 1e-3, 1e-9
FAINT_DIGITS = 1e-14  # of the largest acceleration or multiplier
MOST_LOOPS, PATIENCE = 40, 6


class Loops:
    """The algebraic values of a machine: K (a, λ) = b(w), ρ(a, λ, w) = 0, by Newton's method in w.

    A coefficient of order 1 enters everything of order 1 linearly, with the slopes of order 0: so two of them tell D =
    dρ/dw, and Y = d(a, λ)/dw.
    """

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine = machine
        s, order = machine.system, machine.order
        self.places = np.array([s.inputs[value.name] for value in s.algebra])
        self.mirrored = sum(not value.implicit for value in s.algebra)
        slots = np.arange(machine.first + s.m)[:, None]
        self.programs = [
            PlanRunner(
                _settled(values.plan),
                run_program(values.hoisted.setup, {"p": [np.array([p]) for p in value.parameters]})["p"],
                slots,
                order,
            )
            for values, value in zip(plan_algebra(s), s.algebra, strict=True)
        ]
        self.readers = [r for r, reads in zip(machine.runners, machine.reading, strict=True) if reads]
        # without feedback the determinant is one, unless an equation has a sign of its own
        self.sign, self.determinant = 0.0 if any(value.implicit for value in s.algebra) else 1.0, 1.0

    def rest(self, k: int, t: float, S: Floats) -> Floats:
        """ρ of order k."""
        return np.array([runner.advance(k, t, S)["v"][0][0] for runner in self.programs])

    def _read(self, k: int, t: float, S: Floats) -> Floats:
        """What the terms that read values say at order k.   (n,)"""
        R = np.zeros(S.shape[1])
        for runner, coordinates, _ in self.readers:
            for target, value in zip(coordinates, runner.advance(k, t, S)["r"], strict=True):
                np.add.at(R, target, value)
        return R[: self.machine.system.n]

    def _respond(self, k: int, t: float, S: Floats, drift: Floats | float = 0.0) -> None:
        """Accelerations and multipliers of order k."""
        machine = self.machine
        n, first, holonomic = machine.system.n, machine.first, machine.system.holonomic
        factor = (k + 1.0) * (k + 2.0)
        S[k + 2] = 0.0
        R = machine._stage(k, t, S)
        x = machine.solve(np.concatenate([-R[:n], -np.where(holonomic, factor, k + 1.0) * R[first:] - drift]))
        S[k + 2, :n], S[k, first:] = x[:n] / factor, x[n:]

    def _find_slopes(self, t: float, S: Floats) -> Status:
        machine, w = self.machine, self.places
        n, first = machine.system.n, machine.first
        T = np.zeros((4, S.shape[1]))
        T[:3] = S[:3]
        T[1, first:] = T[1, w] = T[3] = 0.0
        base, rest = self._read(1, t, T), self.rest(1, t, T)
        self.D, self.Y = np.zeros((len(w), len(w))), np.zeros((n + machine.system.m, len(w)))
        for i, place in enumerate(w):
            size = abs(S[0, place]) + 1.0
            T[1, place] = size
            b = np.concatenate([base - self._read(1, t, T), np.zeros(machine.system.m)])
            x = machine.solve(b)
            T[3, :n], T[1, first:] = x[:n] / 6.0, x[n:]
            self.D[:, i], self.Y[:, i] = (self.rest(1, t, T) - rest) / size, x / size
            T[1, place] = T[1, first:] = T[3] = 0.0
        if not np.isfinite(self.D).all():
            return Status.NOT_FINITE
        self.determinant = float(np.linalg.det(-self.D))
        size = float(np.prod(np.max(np.abs(self.D), axis=1)))
        if (self.sign * self.determinant or abs(self.determinant)) > NEARLY_SINGULAR * size:
            return Status.FINISHED
        machine.culprit = f"{self.determinant:.3g}"
        return Status.JAMMED

    def _solve(self, rho: Floats) -> Floats:
        """The Newton step."""
        return np.asarray(np.linalg.lstsq(-self.D, rho, rcond=None)[0])

    def _is_faint(self, S: Floats, step: Floats) -> bool:
        """Whether a step is rounding of accelerations and multipliers: values that pass zero have no digits."""
        n, first = self.machine.system.n, self.machine.first
        most = max(np.max(2.0 * np.abs(S[2, :n]), initial=0.0), np.max(np.abs(S[0, first:]), initial=0.0))
        return bool(np.max(np.abs(step)) <= FAINT_DIGITS * most)

    def close(self, t: float, S: Floats, drift: Floats | float = 0.0) -> Status:
        """The values at a point, with its accelerations and multipliers."""
        w, status, worst = self.places, Status.FINISHED, np.inf
        for i in range(MOST_LOOPS):
            self._respond(0, t, S, drift)
            rho = self.rest(0, t, S)
            if not np.isfinite(rho).all():
                return Status.NOT_FINITE
            if i:
                step = self._solve(rho)
                after = np.abs(S[0, w] + step)
                sizes = np.maximum(after + VALUE_SHARE * after.max(), 1e-300)
                change = float(np.max(np.abs(step) / sizes))
                few = change <= FEW_DIGITS or self._is_faint(S, step)
                if change <= ENOUGH_DIGITS or (i >= PATIENCE and few):
                    return status
            status = self._find_slopes(t, S)
            if status is Status.NOT_FINITE:
                return status
            worst = min(worst, self.sign * self.determinant)
            S[0, w] += self._solve(rho)
        self.machine.culprit = "" if worst > 0.0 else f"{worst:.3g}"
        return Status.JAMMED

    def _check_branches(self, t: float, S: Floats) -> Status:
        """Whether laws have no other branch beyond zero on which the values would be determined otherwise."""
        T = S.copy()
        T[0, self.places[: self.mirrored]] *= -1.0
        self._read(0, t, T)
        status = self._find_slopes(t, T)
        self._read(0, t, S)
        return Status.FINISHED if status is Status.NOT_FINITE else status

    def expand(self, t: float, S: Floats, order: int) -> Status:
        """Coefficients of all orders at a consistent, factorised point."""
        machine, w = self.machine, self.places
        n, first = machine.system.n, machine.first
        for act in (self.close, self._check_branches, self._find_slopes):
            status = act(t, S)
            if status is not Status.FINISHED:
                return status
        self.sign = self.sign or (-1.0 if self.determinant < 0.0 else 1.0)
        for k in range(1, order - 1):
            S[k, w] = 0.0
            self._respond(k, t, S)
            S[k, w] = step = self._solve(self.rest(k, t, S))
            x = self.Y @ step
            S[k + 2, :n] += x[:n] / ((k + 1.0) * (k + 2.0))
            S[k, first:] += x[n:]
            self._read(k, t, S)
            self.rest(k, t, S)
        S[max(1, order - 1) :, w] = 0.0
        machine.followers.correct(order - 1, S)
        return Status.FINISHED

    def step(self, h: float) -> float:
        """The largest step over which the series of the values meet the tolerance, each beside itself."""
        machine = self.machine
        c = np.abs(machine.S[:, self.places])
        for column in c.T:
            size = max(column[0], VALUE_SHARE * c[0].max(), h * column[1], h * h * column[2])
            for p in (machine.order - 2, machine.order - 3):
                if size > 0.0 and column[p] > 0.0:
                    h = min(h, math.exp(math.log(machine.request.tol * size / column[p]) / p))
        return h

    def lack(self, wrong: Floats, right: Floats, begin: Floats, dt: float) -> float:
        """By how much values are wrong a time dt after `begin`, each beside itself.

        Reactions and accelerations that pass zero count as a share of what they become.
        """
        size = np.abs(right[self.places])
        ahead = np.abs(right - begin)[self.places] / (dt * self.machine.speed)
        ahead[self.mirrored :] = 0.0
        return float(np.max(np.abs(wrong[self.places]) / np.maximum(size + VALUE_SHARE * (size.max() + ahead), 1e-300)))


def _settled(plan: Plan) -> Plan:
    """The same with all coefficients known: accelerations and multipliers are found before."""
    return replace(plan, steps=tuple(replace(step, top=False) for step in plan.steps), corrected=())
