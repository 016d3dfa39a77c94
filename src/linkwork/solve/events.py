"""Crossings of zero along a motion: watched expressions (events) and the switches of piecewise laws.

In: a stretch of steps with their polynomials; out: the first crossings, located to full accuracy. A crossing of a
switch ends a step there, so that no polynomial runs across a change of law; an event is recorded or ends the run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.native.numbers import compute_switches, compute_watch
from linkwork.results import Store

Floats = NDArray[np.float64]
SAMPLES = 8  # looks per step; two crossings between two looks go unnoticed
CUTS = 64  # pieces into which an interval with a crossing is cut, again and again
BEYOND = 1e-12  # of a step
EPSILON = 2.3e-16


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """One crossing: the name of the event or law, just after when, and whether the run or a step ends there."""

    name: str
    t: float
    is_switch: bool
    stop: bool


class Watcher:
    """Looks along stretches of a motion for crossings of a system's events and switches."""

    def __init__(self, system: System) -> None:
        self.system = system
        one = np.zeros(system.n)
        self.switches = compute_switches(system, one, one, 0.0)[0]
        self.active = bool(self.switches or system.watches)

    def values(self, t: Floats, q: Floats, u: Floats) -> Floats:
        """All watched values.   t: (k,), q, u: (k, n)  →  (functions, k), switches first"""
        _, switches = compute_switches(self.system, q.T, u.T, t)
        events = [compute_watch(self.system, w, q.T, u.T, t)[None, :] for w in self.system.watches]
        return np.concatenate([switches, *events])

    def find(self, store: Store, first: int) -> list[Crossing]:
        """Crossings in the steps from number `first` on, in order of time, up to the first that ends something."""
        t, h = store.t[first:], store.h[first:]
        if len(t) == 0:
            return []
        x = np.linspace(0.0, 1.0, SAMPLES + 1)
        steps = np.repeat(np.arange(first, first + len(t)), SAMPLES + 1)
        dt = (h[:, None] * x).ravel()
        values = self._at(store, steps, dt).reshape(-1, len(t), SAMPLES + 1)
        positive = values >= 0.0
        if first == 0:
            # an event that starts at zero has not happened yet
            at_zero = values[:, 0, 0] == 0.0
            at_zero[: len(self.switches)] = False
            positive[at_zero, 0, 0] = positive[at_zero, 0, 1]
        where = np.argwhere(positive[:, :, 1:] != positive[:, :, :-1])
        found: list[Crossing] = []
        ends = (len(t), SAMPLES)  # the interval in which something ends; what comes later will be looked at again
        for function, step, sample in where[np.lexsort((where[:, 0], where[:, 2], where[:, 1]))].tolist():
            if (step, sample) > ends:
                break
            if self._is_wanted(function, bool(positive[function, step, sample + 1])):
                low, high = h[step] * x[sample], h[step] * x[sample + 1]
                found.append(self._locate(store, first + step, function, low, high))
                if found[-1].is_switch or found[-1].stop:
                    ends = (step, sample)
        return _until_first_end(sorted(found, key=lambda c: c.t))

    def _is_wanted(self, function: int, rising: bool) -> bool:
        if function < len(self.switches):
            return True
        direction = self.system.watches[function - len(self.switches)].direction
        return direction == 0 or (direction > 0) == rising

    def _locate(self, store: Store, step: int, function: int, low: float, high: float) -> Crossing:
        """Cut the interval on the polynomial until it is two neighbouring numbers; the answer is the far one."""
        while True:
            dt = np.linspace(low, high, CUTS + 1)
            positive = self._at(store, np.full(len(dt), step), dt)[function] >= 0.0
            i = int(np.argmax(positive != positive[0])) or CUTS
            if (low, high) == (dt[i - 1], dt[i]):
                break
            low, high = float(dt[i - 1]), float(dt[i])
        if function < len(self.switches):
            # a little beyond, so that rounding cannot take the next step back to the law that was left
            start, h = float(store.t[step]), float(store.h[step])
            least = max(BEYOND * h, 8 * EPSILON * abs(start))
            return Crossing(name=self.switches[function], t=start + min(high + least, h), is_switch=True, stop=False)
        t = float(store.t[step] + high)
        watch = self.system.watches[function - len(self.switches)]
        return Crossing(name=watch.name, t=t, is_switch=False, stop=watch.stop)

    def _at(self, store: Store, steps: NDArray[np.int64], dt: Floats) -> Floats:
        q, u, _, _ = store.evaluate(steps, dt)
        return self.values(store.t[steps] + dt, q, u)


def _until_first_end(crossings: list[Crossing]) -> list[Crossing]:
    for i, crossing in enumerate(crossings):
        if crossing.is_switch or crossing.stop:
            return crossings[: i + 1]
    return crossings
