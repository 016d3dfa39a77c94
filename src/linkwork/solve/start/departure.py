"""Leaving a singular position: a machine and a start where constraints lose rank in, the first step of the motion out.

In a singular position accelerations do not follow from the constraints, although the motion through it is smooth. From
a regular point a little later on the way its series leads back, so that point is sought from which it meets the start:

    p(−τ) = q,  p'(−τ) = u       p: the series of the motion through q₁, u₁ at t + τ

by q₁ += e + τ e', u₁ += e' with what is missed, e = q − p(−τ), and projections on the constraints, regular there. The
first step is that series about the start. The same is done very near a singular position, where digits get lost, and
for a motion that creeps towards one: from where it still had all its digits, a step leads over it. A position where
constraints do not determine coordinates without mass, as angles at their pole, is singular, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from math import comb

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native import Chunk, Request, Status, Stepper
from linkwork.native.numbers import compute_jacobians, compute_levels, compute_matrices, compute_residual
from linkwork.native.rank import balance, split
from linkwork.native.saddle import join
from linkwork.results import Store
from linkwork.solve.constraints import Constraints
from linkwork.solve.start.closing import close_again
from linkwork.solve.start.singular import WEAK, count_firm, count_wanted, decompose, find_light, is_small

CLEAR = 1e-2  # singular values above count as found a step later
REACHES = (0.3, 0.2, 0.13, 0.09, 0.06, 0.04, 0.025)  # how far away that is, in scales
ALIKE = 2  # looks at points no freer than the start, after which constraints count as redundant everywhere
ROUNDS = 20
MET = 1e-11  # what may be missed, in scales
ROUNDED = 1e-14, 1e-7  # across the constraints near a singular position: over a singular value, and no more than this
DEFECT = 1e-5  # of the forces: what may be left of the equations of motion inside the step
LAST = 1e-12  # of the series: its last terms
# Singular values at which a leap begins. From the first on motions have all their digits; but between two singular
# positions they may never get so far away, and what is made beyond a position is the better the nearer before it ends:
# in terms of order k rounding grows by ((d₁ + d₂) / d₂)ᵏ over a step from d₁ before to d₂ beyond.
BEGINS = (CLEAR, 3e-3, 1e-3, 3e-4)
FURTHER = 1.25  # in time, from one look back to the next
WELL, HALVINGS = 3.0, 12  # times that: what the step begins with; to find where it is
FIRM = 1e-4  # of their scales: coordinates with mass hardly move to suit those without
SMOOTH = 8  # degree of the multipliers, which have a pole at a singular position


@dataclass(frozen=True, slots=True)
class Origin:
    """A state to leave, with its accelerations if they are known."""

    t: float
    q: Floats
    u: Floats
    a: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """The first step as a chunk, and the state where it ends."""

    chunk: Chunk
    t: float
    q: Floats
    u: Floats


def _can_leave(system: System) -> bool:
    """Whether a singular position can be left: shooting moves coordinates, and followers would have to come along."""
    return is_small(system) and not system.followers


def find_departure(machine: Stepper, request: Request, start: Origin) -> Departure | None:
    """The first step out of a singular position; None from a regular one, at rest, or if there is no way.

    It may lead beyond the end of the run. What the machine did before is lost.
    """
    system = machine.system
    if not _can_leave(system) or start.t >= request.t_end:
        return None
    start = _with_inputs(system, start)
    rank = count_firm(system, start.q, start.t, WEAK)
    if rank == count_wanted(system, start.q, start.t):
        return None
    return _leave(machine, request, start, rank, _find_rounded(system, start, WEAK))


def find_leap(machine: Stepper, request: Request, store: Store | None, end: Origin) -> tuple[Origin, Departure] | None:
    """A step over the singular position that a motion got stuck at, and where it begins: a step before, or at the end.

    Without a store it begins at the end.
    """
    system = machine.system
    if not _can_leave(system) or end.t >= request.t_end:
        return None
    end = _with_inputs(system, end)
    rank = count_firm(system, end.q, end.t, CLEAR)
    if rank == count_wanted(system, end.q, end.t):
        return None
    regular = () if store is None else (_find_regular(store, system, rank, cut) for cut in BEGINS)
    for begin in chain(regular, (end,)):
        if begin is None:
            continue
        found = _leave(machine, request, begin, rank, _find_rounded(system, end, CLEAR) if begin is end else 0.0)
        if found is not None and found.t > end.t:
            return begin, found
    return None


def _find_rounded(system: System, at: Origin, cut: float) -> float:
    """How little is known of a state across constraints that are nearly lost: rounding over a singular value."""
    here = decompose(system, at.q, at.t)
    rank = here.count(cut)
    return float(min(ROUNDED[0] / here.sigma[here.rank - 1], ROUNDED[1])) if here.rank > rank else 0.0


def _with_inputs(system: System, origin: Origin) -> Origin:
    """The same with inputs behind the coordinates, and their rates."""
    still = np.zeros(len(system.inputs))
    u, a = (x if x is None else np.append(x[: system.n], still) for x in (origin.u, origin.a))
    assert u is not None
    return Origin(origin.t, system.with_inputs(origin.q, {}), u, a)


def _find_regular(store: Store, system: System, rank: int, cut: float) -> Origin | None:
    """Where a motion came so near a singular position: in the last step that begins well before."""

    def state(i: int, dt: float) -> Origin:
        q, u, a, _ = (x[0] for x in store.evaluate(np.array([i]), np.array([dt])))
        return Origin(float(store.t[i]) + dt, q, u, a)

    def is_before(here: Origin, cut: float) -> bool:
        return count_firm(system, here.q, here.t, cut) > rank

    def begins_before(step: int) -> bool:
        return is_before(state(step, 0.0), WELL * cut)

    # not far at once, since it may have passed other singular positions before; by time, since steps there are many and
    # short; and then between the last two
    step, behind = store.count - 1, store.count
    end = float(store.t[step] + store.h[step])
    while step > 0 and not begins_before(step):
        earlier = int(np.searchsorted(store.t, end - FURTHER * (end - store.t[step]), side="right")) - 1
        step, behind = max(0, min(step - 1, earlier)), step
    if not begins_before(step):
        return None
    while behind - step > 1:
        middle = (step + behind) // 2
        step, behind = (middle, behind) if begins_before(middle) else (step, middle)
    low, high = 0.0, float(store.h[step])
    for _ in range(HALVINGS):
        middle_time = (low + high) / 2
        low, high = (middle_time, high) if is_before(state(step, middle_time), cut) else (low, middle_time)
    return state(step, low) if low > 0.0 else None


def _leave(machine: Stepper, request: Request, start: Origin, rank: int, rounded: float) -> Departure | None:
    """A step to where more is firm than `rank`; `rounded` is how little is known of the start."""
    system = machine.system
    speed = float(np.max(np.abs(start.u[: system.n] / system.scales)[system.mechanical], initial=0.0))
    if not speed > 0.0:
        return None
    push, alike = _find_push(system, start), 0
    for reach in REACHES:
        # speed τ + ½ push τ² = reach
        tau = 2 * reach / (speed + np.sqrt(speed**2 + 2 * push * reach))
        longer = replace(request, t_end=max(request.t_end, start.t + 4 * tau))
        shooting = _Shooting(machine, longer, start, tau)
        ahead = shooting.look_ahead()
        if ahead is None:
            continue
        if count_firm(system, ahead[0], shooting.t, CLEAR) <= rank:
            alike += 1
            if alike == ALIKE:
                return None
            continue
        found = shooting.run(*ahead, rounded)
        if found is not None:
            return found
    return None


def _find_push(system: System, start: Origin) -> float:
    """The size of accelerations at the start, in scales; of those that the constraints leave open the least."""
    n, still = system.n, np.zeros(system.n)
    M, G = (A.toarray() for A in compute_matrices(system, start.q, start.t))
    r = compute_residual(system, start.q, start.u, still, np.zeros(system.m), start.t)
    gamma = compute_levels(system, start.q, start.u, still, start.t)[2]
    # any of them will do, for it is their size alone that is asked for
    a = np.linalg.lstsq(join(M, G), -np.append(r, gamma), rcond=1e-9)[0]
    return float(np.max(np.abs(a[:n] / system.scales)[system.mechanical], initial=0.0))


class _Shooting:
    """The search for the point on the way, at the time τ after the start."""

    def __init__(self, machine: Stepper, request: Request, start: Origin, tau: float) -> None:
        self.machine, self.system, self.request, self.start, self.tau = machine, machine.system, request, start, tau
        self.t = start.t + tau
        self.constraints = Constraints(self.system, self.t)
        self.free = np.arange(self.system.n)
        self.scales = np.append(self.system.scales, np.ones(len(self.system.inputs)))
        # coordinates without mass follow from the others, and near their pole nothing else is known of them
        light = find_light(self.system, start.q, start.t)
        self.aimed = np.append(~light, np.ones(len(self.system.inputs), dtype=bool))
        self.weights = self.system.scales * (np.where(light, 1.0, FIRM) if light.any() else 1.0)
        # p(−τ) and p'(−τ) from the coefficients
        k = np.arange(request.order + 1)
        self.back = (-tau) ** k
        self.back_rate = np.append(0.0, k[1:] * (-tau) ** k[:-1])

    def look_ahead(self) -> tuple[Floats, Floats] | None:
        """Where the point may be; None where the constraints have no value."""
        a = np.zeros_like(self.start.q) if self.start.a is None else self.start.a
        ahead = self.start.q + self.tau * self.start.u + self.tau**2 / 2 * a
        q, u = self._consistent(ahead, self.start.u + self.tau * a)
        return (q, u) if np.isfinite(u).all() else None

    def run(self, q: Floats, u: Floats, rounded: float) -> Departure | None:
        """Shoot from there until the start is met, as far as it is known; None if this leads nowhere."""
        chunk, missed = self._aim(q, u)
        if chunk is None:
            return None
        c = chunk.series[0][:, chunk.coordinate]
        last = float(np.max((np.abs(c[-2:]) / self.scales)[:, self.aimed])) * self.tau ** (self.request.order - 1)
        met = missed <= max(MET, 0.1 * self.request.tol)
        if not (met or missed <= rounded) or last > max(LAST, 1e-2 * self.request.tol):
            return None
        first = self._about_start(c, met)
        lam, defect = self._multipliers(first)
        if defect > DEFECT:
            return None
        step = _joined(first, lam, self.start.t, self.tau)
        return Departure(chunk=step, t=self.t, q=c[0], u=c[1])

    def _aim(self, q: Floats, u: Floats) -> tuple[Chunk | None, float]:
        """The series that comes nearest to the start, and by how much it misses it, in scales."""
        missed = np.inf
        for _ in range(ROUNDS):
            chunk = self._expand(q, u)
            if chunk is None:
                break
            c = chunk.series[0][:, chunk.coordinate]
            e, e1 = (self.start.q - self.back @ c) * self.aimed, (self.start.u - self.back_rate @ c) * self.aimed
            miss = np.maximum(np.abs(e), self.tau * np.abs(e1)) / self.scales
            before, missed = missed, float(np.max(miss))
            if not missed <= 10 * before:
                return None, missed
            if missed > 0.5 * before or missed < MET / 100:
                break
            q, u = self._consistent(c[0] + e + self.tau * e1, c[1] + e1)
            if not np.isfinite(u).all():
                return None, missed
        return chunk, missed

    def _consistent(self, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """The nearest state that meets the constraints; nan where they have no value."""
        system = self.system
        q = close_again(self.constraints, q, self.free, self.weights)
        G = compute_matrices(system, q, self.t)[1].toarray()
        gap = G @ u[: system.n] + compute_levels(system, q, np.zeros_like(q), np.zeros_like(q), self.t)[1]
        if not (np.isfinite(G).all() and np.isfinite(gap).all()):
            return q, np.full_like(u, np.nan)
        change = self.weights * split(G * self.weights).solve(-gap)
        return q, u + np.append(change, np.zeros(len(system.inputs)))

    def _expand(self, q: Floats, u: Floats) -> Chunk | None:
        """The series of the motion through a state."""
        status = self.machine.begin(self.request, self.t, q, u)
        if status is not Status.FINISHED:
            return None
        _, chunk = self.machine.advance(0.0, 1)
        return chunk if len(chunk.t) else None

    # -- the first step ----------------------------------------------------------------------------------------------

    def _about_start(self, c: Floats, met: bool) -> Floats:
        """The series about the start, with q and u exactly its own if they are met."""
        order = self.request.order
        shift = [[comb(k, j) * (-self.tau) ** (k - j) if k >= j else 0.0 for k in range(order + 1)]
                 for j in range(order + 1)]  # fmt: skip
        first = np.array(shift) @ c
        if met:
            first[0], first[1] = self.start.q, self.start.u
        return np.asarray(first)

    def _multipliers(self, c: Floats) -> tuple[Floats, float]:
        """Coefficients of multipliers with Gᵀλ = −r at some places of the step, none the start; what is left of it."""
        degree = min(SMOOTH, self.request.order - 2)
        x = (1 - np.cos(np.pi * np.arange(1, degree + 2) / (degree + 1))) / 2
        k = np.arange(len(c))[:, None]
        power = (self.tau * x) ** k
        rate = np.vstack([np.zeros(len(x)), k[1:] * power[:-1]])
        bend = np.vstack([np.zeros(len(x)), k[1:] * rate[:-1]])
        q, u, a = (c.T @ w for w in (power, rate, bend))
        t, none = self.start.t + self.tau * x, np.zeros((self.system.m, len(x)))
        r, force = (compute_residual(self.system, q, u, y, none, t) for y in (a, np.zeros_like(a)))
        G = compute_jacobians(self.system, q, t)
        lam = balance(G, r.T)
        left = np.abs(np.einsum("kmn,km->nk", G, lam) + r)
        defect = float(np.max(left) / max(np.max(np.abs(force)), np.max(np.abs(r - force)), 1e-300))
        powers = x[:, None] ** np.arange(degree + 1)
        return np.linalg.solve(powers, lam) / self.tau ** np.arange(degree + 1)[:, None], defect


def _joined(first: Floats, lam: Floats, t: float, h: float) -> Chunk:
    """One step with the series of coordinates and multipliers."""
    (orders, n), m = first.shape, lam.shape[1]
    series = np.zeros((1, orders, n + m))
    series[0][:, :n] = first
    series[0][: len(lam), n:] = lam
    coordinate, multiplier = np.arange(n), np.arange(n, n + m)
    return Chunk(t=np.array([t]), h=np.array([h]), series=series, coordinate=coordinate, multiplier=multiplier)
