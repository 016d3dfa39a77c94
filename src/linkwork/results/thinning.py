"""Thinning: steps of a motion in, of which only the states at equal intervals of time are kept.

What is kept of a time is the polynomial of its step about that time, up to the end of the step or to the next time that
is kept: a state with its accelerations and multipliers, and what follows it as far as that step went.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.native import Chunk
from linkwork.results.store import Store
from linkwork.results.turning import KeptTurns, TurnCounter, count_within


class Thinner:
    """Keeps what is asked for of steps that come in order of time, the first time being `origin`."""

    def __init__(self, every: float, origin: float, memory: int) -> None:
        self.every, self.origin = every, origin
        self.store = Store(memory, every)
        self.taken = 0  # times that are kept
        self.counter: TurnCounter | None = None  # of angles that only the steps in between tell
        self.turns: list[Floats] = []  # at the times that are kept

    def take(self, chunk: Chunk) -> None:
        """The next steps."""
        if not len(chunk.t):
            return
        times = self._times(float(chunk.t[-1] + chunk.h[-1]))
        self.taken += len(times)
        steps = np.maximum(np.searchsorted(chunk.t, times, side="right") - 1, 0)
        dt = np.maximum(times - chunk.t[steps], 0.0)
        h = np.minimum(np.maximum(chunk.h[steps] - dt, 0.0), self.every)
        if self.counter is not None:
            turns = self.counter.count(chunk)
            if len(steps):
                self.turns.append(count_within(self.counter.angles, chunk, steps, dt, turns[steps]))
        series = chunk.series[steps]
        polynomials, bends = np.split(series, [series.shape[1] - chunk.bends], axis=1)
        polynomials[:, -2:, chunk.multiplier] = 0.0  # multipliers end two orders earlier
        a = np.concatenate([2.0 * polynomials[:, 2:3], bends], axis=1)
        _shift(polynomials, dt)
        if chunk.bends:
            _shift(a, dt)
            polynomials[:, 2, chunk.coordinate] = 0.5 * a[:, 0, chunk.coordinate]
            bends[:] = a[:, 1:]
        self.store.append(replace(chunk, t=times, h=h, series=series))

    def kept_turns(self, until: float) -> KeptTurns | None:
        """What was counted, when all steps have come."""
        return None if self.counter is None else KeptTurns(at=self.turns, until=until, end=self.counter.known())

    def _times(self, end: float) -> Floats:
        """The times to keep before `end` that have not been kept yet."""
        if math.isinf(self.every):
            return np.full(0 if self.taken or end <= self.origin else 1, self.origin)
        last = math.ceil((end - self.origin) / self.every)
        times: Floats = self.origin + self.every * np.arange(self.taken, max(last, self.taken), dtype=np.float64)
        return times[times < end]


def _shift(c: Floats, dt: Floats) -> None:
    """Make polynomials those about places dt later.   c: (k, order + 1, width), dt: (k,)"""
    x = dt[:, None]
    for i in range(c.shape[1] - 1):
        for k in range(c.shape[1] - 2, i - 1, -1):
            c[:, k] += x * c[:, k + 1]
