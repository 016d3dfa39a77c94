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
SAMPLES = 16  # looks per step, even; more where a value changes faster than that shows
MOST_SAMPLES = 16_384
ZOOMS = 10  # each eight times closer
ROUNDING = 64 * 2.3e-16  # of a value
CUTS = 64  # pieces into which an interval with a crossing is cut, again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """One crossing: the name of the event or law, when, and whether the run or a step ends there.

    `step` is the step it falls into, `function` the number of the value among all watched ones, `size` its largest
    value in the step before, and `positive` the side it goes to.
    """

    name: str
    t: float
    is_switch: bool
    stop: bool
    step: int
    function: int
    size: float
    positive: bool


class Watcher:
    """Looks along stretches of a motion for crossings of a system's events and switches."""

    def __init__(self, system: System) -> None:
        self.system = system
        one = np.zeros(system.n)
        self.switches = compute_switches(system, one, one, 0.0)[0]
        self.active = bool(self.switches or system.watches)

    def is_on_border(self, t: float, q: Floats, u: Floats) -> bool:
        """Whether a switch is exactly zero at a state."""
        return bool((compute_switches(self.system, q, u, t)[1] == 0.0).any())

    def values(self, t: Floats, q: Floats, u: Floats) -> Floats:
        """All watched values.   t: (k,), q, u: (k, n)  →  (functions, k), switches first"""
        _, switches = compute_switches(self.system, q.T, u.T, t)
        events = [compute_watch(self.system, w, q.T, u.T, t)[None, :] for w in self.system.watches]
        return np.concatenate([switches, *events])

    def find(self, store: Store, first: int) -> list[Crossing]:
        """Crossings in the steps from number `first` on, in order of time, up to the first that ends something."""
        steps = np.arange(first, store.count)
        if len(steps) == 0:
            return []
        x = _looks(SAMPLES)
        h = store.h[steps]
        values = self._at(store, np.repeat(steps, len(x)), (h[:, None] * x).ravel()).reshape(-1, len(steps), len(x))
        found: list[Crossing] = []
        for k, step in enumerate(steps.tolist()):
            seen = h[k] * x, values[:, k]
            dt, v = seen if _is_resolved(*seen, SAMPLES) else self._resolve(store, step)
            found += self._crossings(store, step, *self._with_dips(store, step, dt, v))
            if any(c.is_switch or c.stop for c in found):
                break
        # an event on the border of a law comes before the change of law
        return _until_first_end(sorted(found, key=lambda c: (c.t, c.is_switch)))

    def _resolve(self, store: Store, step: int) -> tuple[Floats, Floats]:
        """Look ever more often at one step, until the odd looks are what one would expect from the regular ones."""
        count, h = 4 * SAMPLES, float(store.h[step])
        while True:
            dt = h * _looks(count)
            v = self._at(store, np.full(len(dt), step), dt)
            if count >= MOST_SAMPLES or _is_resolved(dt, v, count):
                return dt, v
            count *= 4

    def _with_dips(self, store: Store, step: int, dt: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Add the places where a value dips through zero and back between two looks."""
        extra = []
        for function, row in enumerate(v):
            size = np.abs(row)
            low = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])) + 1
            for i in low[size[low] < 0.1 * np.ptp(row)]:
                if row[i - 1] * row[i] > 0 and row[i] * row[i + 1] > 0:
                    extra += self._dip(store, step, function, (float(dt[i - 1]), float(dt[i + 1])))
        if not extra:
            return dt, v
        more = np.array(extra)
        order = np.argsort(np.concatenate([dt, more]), kind="stable")
        both = np.concatenate([v, self._at(store, np.full(len(more), step), more)], axis=1)
        return np.concatenate([dt, more])[order], both[:, order]

    def _dip(self, store: Store, step: int, function: int, bracket: tuple[float, float]) -> list[float]:
        """Zoom in on the smallest value between two looks; a place beyond zero, if there is one."""
        low, high = bracket
        for _ in range(ZOOMS):
            dt = np.linspace(low, high, SAMPLES + 1)
            row = self._at(store, np.full(len(dt), step), dt)[function]
            beyond = np.flatnonzero(row * row[0] < 0)
            if len(beyond):
                return [float(dt[beyond[0]])]
            i = int(np.clip(np.argmin(np.abs(row)), 1, SAMPLES - 1))
            low, high = float(dt[i - 1]), float(dt[i + 1])
        return []

    def _crossings(self, store: Store, step: int, dt: Floats, v: Floats) -> list[Crossing]:
        positive = v >= 0.0
        if step == 0:
            # an event that is zero at the start has not happened yet
            tiny = np.abs(v[:, 0]) <= 1e-12 * np.abs(v).max(axis=1)
            tiny[: len(self.switches)] = False
            positive[tiny, 0] = positive[tiny, 1]
        found = []
        for function, sample in np.argwhere(positive[:, 1:] != positive[:, :-1]).tolist():
            if self._is_wanted(function, bool(positive[function, sample + 1])):
                before, size = bool(positive[function, sample]), float(np.max(np.abs(v[function, : sample + 1])))
                t = self._locate(store, step, function, (float(dt[sample]), float(dt[sample + 1])), before)
                found.append(self._crossing(t, step, function, size, not before))
        return found

    def _is_wanted(self, function: int, rising: bool) -> bool:
        if function < len(self.switches):
            return True
        direction = self.system.watches[function - len(self.switches)].direction
        return direction == 0 or (direction > 0) == rising

    def _locate(self, store: Store, step: int, function: int, bracket: tuple[float, float], before: bool) -> float:
        """Cut the interval on the polynomial until it is two neighbouring numbers; the answer is the far one."""
        low, high = bracket
        while True:
            dt = np.linspace(low, high, CUTS + 1)
            positive = self._at(store, np.full(len(dt), step), dt)[function] >= 0.0
            positive[0] = before
            i = int(np.argmax(positive != before)) or CUTS
            if (low, high) == (dt[i - 1], dt[i]):
                break
            low, high = float(dt[i - 1]), float(dt[i])
        return float(store.t[step] + high)

    def _crossing(self, t: float, step: int, function: int, size: float, positive: bool) -> Crossing:
        is_switch = function < len(self.switches)
        watch = None if is_switch else self.system.watches[function - len(self.switches)]
        return Crossing(
            name=self.switches[function] if watch is None else watch.name,
            t=t,
            is_switch=is_switch,
            stop=watch is not None and watch.stop,
            step=step,
            function=function,
            size=size,
            positive=positive,
        )

    def is_across(self, crossing: Crossing, t: float, q: Floats, u: Floats) -> bool:
        """Whether a state lies beyond a crossing, on the side it leads to and by more than rounding."""
        value = float(self.values(np.array([t]), q[None, :], u[None, :])[crossing.function, 0])
        return (value if crossing.positive else -value) > ROUNDING * crossing.size

    def _at(self, store: Store, steps: NDArray[np.int64], dt: Floats) -> Floats:
        q, u, _, _ = store.evaluate(steps, dt)
        return self.values(store.t[steps] + dt, q, u)


def _looks(count: int) -> Floats:
    """Where to look at a step, in [0, 1]: regular places, and irregular ones between that no rhythm can deceive."""
    regular = np.linspace(0.0, 1.0, count + 1)
    odd = (np.arange(1, count // 2 + 1) * 0.6180339887498949) % 1.0
    return np.sort(np.concatenate([regular, odd]))


def _is_resolved(dt: Floats, v: Floats, count: int) -> bool:
    """Whether the irregular looks could be told from the regular ones.   dt: (looks,), v: (functions, looks)"""
    is_regular = np.isclose(dt / dt[-1] * count, np.round(dt / dt[-1] * count), atol=1e-9)
    for row in v:
        guess = np.interp(dt[~is_regular], dt[is_regular], row[is_regular])
        if np.max(np.abs(guess - row[~is_regular]), initial=0.0) > 0.05 * np.ptp(row):
            return False
    return True


def _until_first_end(crossings: list[Crossing]) -> list[Crossing]:
    for i, crossing in enumerate(crossings):
        if crossing.is_switch or crossing.stop:
            return crossings[: i + 1]
    return crossings
