"""Whole turns of angles that no coordinate tells: the steps of a motion in, how often each angle has gone round out.

What is read off the places of points is an angle φ in (−π, π]. The turns k are counted along the dense output,

    θ(t) = φ(t) + 2π k(t),    k = the whole number nearest to (θ(tᵢ) + ∫ω dt − φ(t)) / 2π    with ∫ from tᵢ to t

so that the angle is as accurate as the motion: the integral, by Gauss's rule, need only be right to half a turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import SeenAngles
from linkwork.native import Chunk
from linkwork.results.store import Store

TURN = 2.0 * math.pi
NODES, WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(10))
PLACES = NODES + 0.5  # in a step of length one
SLOW = 1.0  # radians at both ends of a step together: below, the mean of the rates is right to half a turn
TOGETHER = 500  # steps at a time


class Turns(Protocol):
    """Whole turns of angles at one time or at several."""

    def find(self, name: str) -> Floats:
        """Those of one angle that no coordinate tells.   → (...)"""

    def known(self) -> Mapping[str, Floats]:
        """Those of all such angles that have any."""


@dataclass(frozen=True, slots=True)
class KnownTurns:
    """Turns by name; none of angles that are not named."""

    count: Mapping[str, Floats]

    def find(self, name: str) -> Floats:
        return self.count.get(name, NONE)

    def known(self) -> Mapping[str, Floats]:
        return self.count


NONE = np.zeros(())
UNTURNED = KnownTurns({})


class TurnCounter:
    """Counts the turns of angles from a start on, over steps that come in order of time."""

    def __init__(self, angles: SeenAngles, begin: Mapping[str, Floats]) -> None:
        self.angles = angles
        self.turns = np.array([float(begin.get(name, NONE)) for name in angles.names])
        self.last: Floats | None = None  # angles with which the last step ended

    def count(self, chunk: Chunk) -> Floats:
        """The turns at the beginnings of the next steps.   → (steps, angles)"""
        steps = np.arange(len(chunk.t))
        found = [self._count(chunk, steps[i : i + TOGETHER]) for i in range(0, len(steps), TOGETHER)]
        return np.concatenate(found) if found else np.zeros((0, len(self.turns)))

    def known(self) -> Mapping[str, Floats]:
        """Those at the end of the last step."""
        return {name: np.asarray(turns) for name, turns in zip(self.angles.names, self.turns, strict=True) if turns}

    def _count(self, chunk: Chunk, steps: Ints) -> Floats:
        first, end, gained = pass_through(self.angles, chunk, steps, chunk.h[steps])
        # a step begins where the one before it ended, but for rounding, which may be on the other side of ±π
        before = np.concatenate([first[:1] if self.last is None else self.last[None], end[:-1]])
        found = self.turns + np.cumsum(np.round((before - first) / TURN), axis=0)
        found[1:] += np.cumsum(gained[:-1], axis=0)
        self.turns, self.last = found[-1] + gained[-1], end[-1]
        return np.asarray(found)


def count_within(angles: SeenAngles, chunk: Chunk, steps: Ints, dt: Floats, turns: Floats) -> Floats:
    """Turns at times after the beginnings of steps, at which they are `turns`.   turns: (k, angles)  →  (k, angles)"""
    return np.asarray(turns + pass_through(angles, chunk, steps, dt)[2])


def pass_through(angles: SeenAngles, chunk: Chunk, steps: Ints, h: Floats) -> tuple[Floats, Floats, Floats]:
    """Angles at the beginnings of steps and h later, and the whole turns made between.   three times (k, angles)"""
    k = len(steps)
    states = evaluate(chunk, angles.used, np.concatenate([steps, steps]), np.concatenate([0.0 * h, h]))
    seen, rates = angles.compute(*states)
    swept = h[:, None] * (rates[:k] + rates[k:]) / 2
    fast = np.flatnonzero(np.max(np.abs(h[:, None] * (np.abs(rates[:k]) + np.abs(rates[k:]))), axis=1) > SLOW)
    if len(fast):
        swept[fast] = sweep(angles, chunk, steps[fast], h[fast])
    return seen[:k], seen[k:], np.round((seen[:k] + swept - seen[k:]) / TURN)


def sweep(angles: SeenAngles, chunk: Chunk, steps: Ints, h: Floats) -> Floats:
    """∫ω dt over the first h of each step.   → (k, angles)"""
    q, u = evaluate(chunk, angles.used, np.repeat(steps, len(PLACES)), (h[:, None] * PLACES).ravel())
    rates = angles.compute(q, u)[1].reshape(len(steps), len(PLACES), -1)
    return np.asarray(h[:, None] * np.einsum("i,kia->ka", WEIGHTS, rates))


def evaluate(chunk: Chunk, used: Ints, steps: Ints, dt: Floats) -> tuple[Floats, Floats]:
    """Some coordinates and their rates at times after the beginnings of steps.   two times (k, used)"""
    c = chunk.polynomials[steps[:, None], :, chunk.coordinate[used]]  # (k, used, orders)
    orders = np.arange(float(c.shape[2]))
    powers = dt[:, None] ** orders
    q, u = (c @ powers[:, :, None])[:, :, 0], (c[:, :, 1:] @ (powers[:, :-1] * orders[1:])[:, :, None])[:, :, 0]
    return q, u


@dataclass(frozen=True, kw_only=True)
class KeptTurns:
    """Turns of all angles at the beginnings of steps of which not all were kept, and where the last one ended."""

    at: Sequence[Floats]
    until: float
    end: Mapping[str, Floats]


class Turning:
    """The turns of the angles of a motion along its steps, each counted when it is asked for.

    begin   turns at the start
    kept    those that were counted on the way, if not all steps were kept
    """

    def __init__(
        self,
        find: Callable[[], SeenAngles | None],
        store: Store,
        begin: Mapping[str, Floats],
        kept: KeptTurns | None = None,
    ) -> None:
        self._find, self.store, self.begin, self.kept = find, store, begin, kept
        self._counted: dict[str, tuple[SeenAngles, Floats]] = {}

    @cached_property
    def angles(self) -> SeenAngles | None:
        """The angles that no coordinate tells."""
        return self._find()

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return () if self.angles is None else self.angles.names

    def find(self, name: str, t: Floats) -> Floats:
        """Turns of an angle at times.   t: (k,)  →  (k,)"""
        if name not in self.names or not self.store.count:
            return np.full(len(t), float(self.begin.get(name, NONE)))
        (angle, turns), store, found = self._count(name), self.store, np.empty((len(t), 1))
        steps = np.maximum(np.searchsorted(store.t, t, side="right") - 1, 0)
        which = np.searchsorted(np.array(store.starts), steps, side="right") - 1
        for i in np.unique(which):
            mine, chunk = np.flatnonzero(which == i), store.chunks[i]
            for some in (mine[k : k + TOGETHER] for k in range(0, len(mine), TOGETHER)):
                rows, dt = steps[some] - store.starts[i], np.maximum(t[some] - store.t[steps[some]], 0.0)
                found[some] = count_within(angle, chunk, rows, dt, turns[steps[some]])
        if self.kept is not None:
            found[t >= self.kept.until] = self.kept.end.get(name, NONE)
        return found[:, 0]

    def _count(self, name: str) -> tuple[SeenAngles, Floats]:
        """One of the angles, and its turns at the beginnings of the steps.   (steps, 1)"""
        assert self.angles is not None
        if name not in self._counted:
            angle, i = self.angles.only(name), self.angles.names.index(name)
            counter = TurnCounter(angle, self.begin)
            found = [] if self.kept is None else [x[:, i : i + 1] for x in self.kept.at]
            found = found or [counter.count(chunk) for chunk in self.store.chunks]
            self._counted[name] = angle, np.concatenate(found)
        return self._counted[name]

    def known_at(self, t: float) -> Mapping[str, Floats]:
        """Turns of all angles at a time that is asked for once."""
        store, angles = self.store, self.angles
        if angles is None or not store.count:
            return self.begin
        if self.kept is not None or t < float(store.t[-1]):
            found = {name: self.find(name, np.array([t]))[0] for name in self.names}
            return {name: turns for name, turns in found.items() if turns}
        counter = TurnCounter(angles, self.begin)
        for chunk in store.chunks:
            turns = counter.count(chunk)
        step = np.array([len(chunk.t) - 1])
        if t < float(chunk.t[-1] + chunk.h[-1]):
            counter.turns = count_within(angles, chunk, step, t - chunk.t[step], turns[-1:])[0]
        return counter.known()


@dataclass(frozen=True)
class TurnsAt:
    """The turns of a motion at some times.   t: () or (k,)"""

    turning: Turning
    t: Floats

    def find(self, name: str) -> Floats:
        return self.turning.find(name, np.atleast_1d(self.t)).reshape(np.shape(self.t))

    def known(self) -> Mapping[str, Floats]:
        if not np.ndim(self.t):
            return self.turning.known_at(float(self.t))
        found = {name: self.find(name) for name in self.turning.names}
        return {name: turns for name, turns in found.items() if turns.any()}
