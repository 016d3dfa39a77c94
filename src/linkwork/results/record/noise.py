"""Rounding: what of a motion is no signal. In: states and what is computed from them; out: the same without noise.

A state is known to about 1e-11 of the sizes of its places, speeds, accelerations and forces. What a quantity changes by
when the state is shaken that much is noise: where a quantity is no more than that it is zero, and where it varies by no
more it is constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.native.numbers import compute_matrices
from linkwork.results.record.knots import Knots
from linkwork.results.state import Snapshot

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

KNOWN = 1e-11  # of the sizes: how well a state is known, at least
LOOKS = 64  # times at which noise is looked at
USUAL = 0.75  # quantile of the changes seen: a law that happens to switch when shaken does not count
MARGIN = 3.0
DRAWS = 3  # ways of shaking: a single one may happen to change nothing


@dataclass(frozen=True, slots=True)
class Noise:
    """How well the state of a motion is known: places, speeds, accelerations (n + inputs,) and multipliers (m,)."""

    q: Floats
    u: Floats
    a: Floats
    lam: Floats

    def shake(self, state: Snapshot, seed: int) -> Snapshot:
        """The state changed by its noise, every time in another direction."""
        signs = np.random.default_rng(seed)
        arrays = [
            x + amount * signs.choice([-1.0, 1.0], x.shape)
            for x, amount in zip(
                (state.q, state.u, state.a, state._lam), (self.q, self.u, self.a, self.lam), strict=True
            )
        ]
        shaken = arrays[0], arrays[1], arrays[2], arrays[3]
        return Snapshot(state.system, state.t, shaken, state.mechanism, turns=state.turns)


def find_noise(motion: Trajectory) -> Noise:
    """The noise of a motion, by the sizes of what moves in it."""
    system = motion.system
    places = np.flatnonzero(system.mechanical)
    speed, quick = _rates(motion.t, motion.u[:, places], motion.a[:, places], system.scales[places])
    q, u, a = system.scales.copy(), speed * system.scales, quick * system.scales
    for i in system.states.values():
        # the speed of its coordinate is the state
        q[i], u[i], a[i] = (np.max(np.abs(x[:, i])) for x in (motion.q, motion.u, motion.a))
    exact = np.zeros(len(system.inputs))
    q, u, a = (np.append(KNOWN * x, exact) for x in (q, u, a))
    return Noise(q, u, a, KNOWN * _forces(motion))


def _rates(t: Floats, u: Floats, a: Floats, scales: Floats) -> tuple[float, float]:
    """The largest speed and acceleration relative to the scales, no less than what crosses a scale in all the time."""
    duration = max(float(t[-1] - t[0]), 1e-100) if t[-1] > t[0] else 1.0
    speed = max(float(np.max(np.abs(np.nan_to_num(u)) / scales, initial=0.0)), 1 / duration)
    return speed, max(float(np.max(np.abs(np.nan_to_num(a)) / scales, initial=0.0)), 1 / duration**2)


def _forces(motion: Trajectory) -> Floats:
    """The sizes of multipliers: as large as give each constraint the largest force of all.   (m,)"""
    system = motion.system
    if not system.m:
        return np.zeros(0)
    _, G = compute_matrices(system, motion.final.q, float(motion.final.t))
    rows = np.sqrt(np.asarray(G.multiply(G) @ system.scales**2).ravel())
    rows = np.where(rows > 0, rows, 1.0)
    return np.asarray(np.max(np.abs(motion.lam) * rows) / rows)


@dataclass(frozen=True)
class Shaken:
    """Some states of a motion, and the same shaken by its noise in several ways."""

    motion: Trajectory

    @cached_property
    def still(self) -> Snapshot:
        """States inside the steps: at their ends a law may switch."""
        t = self.motion.t
        middles = 0.5 * (t[:-1] + t[1:]) if len(t) > 1 else t
        return self.motion.at(middles[np.unique(np.linspace(0, len(middles) - 1, LOOKS).astype(np.int64))])

    @cached_property
    def shaken(self) -> list[Snapshot]:
        """The same with noise."""
        noise = find_noise(self.motion)
        return [noise.shake(self.still, seed) for seed in range(DRAWS)]


def find_floors(states: Shaken, compute: Callable[[Snapshot], Floats]) -> Floats:
    """The noise of quantities that are computed from states.   compute: k states → (k, c);  → (c,)"""
    with np.errstate(all="ignore"):
        still = compute(states.still)
        changes = np.max([np.abs(compute(state) - still) for state in states.shaken], axis=0)
    return np.asarray(MARGIN * np.quantile(np.nan_to_num(changes, posinf=0.0), USUAL, axis=0))


def silence(values: Floats, floors: Floats) -> Floats:
    """Columns (k, c) without noise: zero where a column is no more than its floor, constant where it varies less."""
    if not values.size:
        return values
    with np.errstate(all="ignore"):
        largest, range_ = np.max(np.abs(values), axis=0), np.ptp(values, axis=0)
    constant = np.where(largest <= floors, 0.0, values[:1])
    return np.where(range_ <= 2 * floors, np.broadcast_to(constant, values.shape), values)


def silence_work(motion: Trajectory, work: Floats) -> Floats:
    """Work without noise, which is judged by the energies and the work that flowed.   (k, c)"""
    sizes = [motion.energy.kinetic, *motion.energy.potentials.values(), *motion.work.values()]
    largest = max(float(np.max(np.abs(np.nan_to_num(x)), initial=0.0)) for x in sizes)
    return silence(work, np.full(work.shape[1], KNOWN * largest))


def silence_knots(knots: Knots, scales: Floats) -> Knots:
    """Knots without noise: what stays in its place stays there exactly."""
    speed, quick = _rates(knots.t, knots.u, knots.a, scales)
    q, u, a = (silence(x, KNOWN * size * scales) for x, size in ((knots.q, 1.0), (knots.u, speed), (knots.a, quick)))
    return replace(knots, q=q, u=u, a=a)
