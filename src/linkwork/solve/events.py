"""Crossings of zero along a motion: watched expressions (events) and the switches of piecewise laws.

In: a stretch of steps with their polynomials; out: the first crossings, located to full accuracy. A crossing of a
switch ends a step there, so that no polynomial runs across a change of law; an event is recorded or ends the run.

A watched value is known only as well as the motion: what it would change by if every coordinate and speed were wrong by
the tolerance is its noise. An event has happened when its value has been clearly on one side of zero and then is
clearly on the other; it happened where it first left the old side for good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native import Crossing, Side
from linkwork.native.numbers import compute_switches, compute_watch, run_watch
from linkwork.native.watch import FINE, find_fine, find_inner
from linkwork.results import Store

Values = Callable[[Floats, Floats, Floats], Floats]
SAMPLES = 16  # looks per step, even; more where a value changes faster than that shows
MOST_SAMPLES = 16_384
ZOOMS = 10  # each eight times closer
CLOSER = 2.0 ** -np.arange(5, 30)  # looks near the begin of a step, beside the regular ones
LOW = 0.1  # of the range of a value in a step: below this it may dip through zero between two looks
ROUNDING = 64 * 2.3e-16  # of a value
CUTS = 64  # pieces into which an interval with a crossing is cut, again and again
SMALLEST_NOISE = 1e-13  # of coordinates and speeds, relative
ROUNDED = 1e-14  # of coordinates and speeds, relative: what rounding leaves of them
SHORTEST = 1e-300  # seconds: a run without length has a span all the same
SHAKES = 4  # ways in which they may all be wrong at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One crossing of an event or a switch, and where it was found.

    `step` is the step at which it showed, `function` the number of the value among all watched ones, `size` its largest
    value in that step before; `faint` a switch before which all of it is rounding: the step began on the border.
    """

    crossing: Crossing
    is_switch: bool
    step: int
    function: int
    size: float
    faint: bool = False

    @property
    def t(self) -> float:
        """When it was."""
        return self.crossing.t

    @property
    def ends(self) -> bool:
        """Whether a step or the run ends there."""
        return self.is_switch or self.crossing.stop


class Watcher:
    """Looks along stretches of a motion for crossings of a system's events and switches.

    `knots` of curves are looked for where the machine does not end its steps there.
    """

    def __init__(self, system: System, tol: float, span: float, knots: bool = True) -> None:
        self.system, self.knots = system, knots
        self.switches = system.once(("names of switches", knots), lambda: _name_switches(system, knots))
        self.active = bool(self.switches or system.watches)
        inner = ((watch, find_inner(system, i)) for i, watch in enumerate(system.watches))
        self.bent = [(watch, program) for watch, program in inner if program is not None]
        self.across: dict[int, bool] = {}  # to which side switches went last
        self.noise, self.slowest = max(tol, SMALLEST_NOISE), 1.0 / max(span, SHORTEST)
        self.sides: Sequence[Side] = [Side() for _ in system.watches]
        self.sides_before: Sequence[Side] = self.sides

    def forget_last(self) -> None:
        """The last step looked at did not happen."""
        self.sides = self.sides_before

    def is_on_border(self, t: float, q: Floats, u: Floats) -> bool:
        """Whether a switch is exactly zero at a state."""
        return bool(self.switches) and bool((compute_switches(self.system, q, u, t, self.knots)[1] == 0.0).any())

    def values(self, t: Floats, q: Floats, u: Floats) -> Floats:
        """All watched values.   t: (k,), q, u: (k, n)  →  (functions, k), switches first"""
        switches = self._switches(t, q, u)
        return np.concatenate([switches, self._events(t, q, u)]) if self.system.watches else switches

    def find(self, store: Store, first: int) -> list[Found]:
        """Crossings in the steps from number `first` on, in order of time, up to the first that ends something."""
        steps = np.arange(first, store.count)
        if len(steps) == 0:
            return []
        x, h = _looks(SAMPLES), store.h[steps]
        values = self._at(store, np.repeat(steps, len(x)), (h[:, None] * x).ravel()).reshape(-1, len(steps), len(x))
        noise = self._noise(store, steps)
        resolved, quiet = (
            _are_resolved(x, values, SAMPLES, noise),
            _are_quiet(values) & self._are_unbent(store, steps, x),
        )
        positive = values[:, :, 0] >= 0.0
        found: list[Found] = []
        for k, step in enumerate(steps.tolist()):
            if resolved[k] and quiet[k] and self._stays(positive[len(self.switches) :, k]):
                self.sides_before = self.sides
                continue
            dt, v = (h[k] * x, values[:, k]) if resolved[k] else self._resolve(store, step, noise[:, k])
            dt, v = self._with_dips(store, step, *self._with_kinks(store, step, dt, v), noise[:, k])
            found += self._in_step(store, step, dt, v, noise[:, k])
            if any(c.ends for c in found):
                break
        return found

    def _stays(self, positive: NDArray[np.bool_]) -> bool:
        """Whether all events are on the sides on which they clearly were."""
        return all(side.positive == now and side.left is None for side, now in zip(self.sides, positive, strict=True))

    def _in_step(self, store: Store, step: int, dt: Floats, v: Floats, noise: Floats) -> list[Found]:
        """Crossings in one step, up to the first that ends something, and the sides of events there."""
        switched = self._switched(store, step, dt, v[: len(self.switches)])
        self.sides_before, seen = self.sides, len(dt)
        passed, sides = self._passed(store, step, dt, v, noise, seen)
        # an event on the border of a law comes before the change of law
        found = _until_first_end(sorted([*switched, *passed], key=lambda c: (c.t, c.is_switch)))
        if found and found[-1].ends:
            # what comes after the end has not been seen
            seen = int(np.searchsorted(store.t[step] + dt, found[-1].t, side="right"))
            _, sides = self._passed(store, step, dt, v, noise, seen)
            # but what has happened there has
            for c in found:
                if not c.is_switch:
                    now = c.crossing.positive
                    sides[c.function - len(self.switches)] = Side(now, None, now)
        self.sides = sides
        return found

    def _noise(self, store: Store, steps: NDArray[np.int64]) -> Floats:
        """How much of each watched value is noise in each step; switches have none.   (functions, k)"""
        first = len(self.switches)
        noise = np.zeros((first + len(self.system.watches), len(steps)))
        if self.system.watches:
            noise[first:] = self._shaken(self._events, self.noise, store, steps)
            noise[[first + i for i in find_fine(self.system)]] *= FINE
        return noise

    def _shaken(self, values: Values, share: float, store: Store, steps: NDArray[np.int64]) -> Floats:
        """What values change by if all coordinates and speeds are wrong by this share.   (functions, k)"""
        ends = [store.evaluate(steps, dt)[:2] for dt in (np.zeros(len(steps)), store.h[steps])]
        scales, k = self.system.scales, np.arange(self.system.n)
        speeds = [np.max(np.abs(u[:, k]) / scales, axis=1, initial=self.slowest) for _, u in ends]
        speed, noise = np.maximum(*speeds)[:, None] * scales, np.zeros(len(steps))
        for (q, u), t in zip(ends, (store.t[steps], store.t[steps] + store.h[steps]), strict=True):
            value = values(t, q, u)
            for shake in range(SHAKES):
                # signs without a pattern, the same in every run
                sign = np.where((k * 2654435761 + shake * 40503) & (1 << (shake + 3)), 1.0, -1.0)
                away, faster = q.copy(), u.copy()
                away[:, k] += share * scales * sign
                faster[:, k] += share * speed * sign[::-1]
                other = values(t, away, faster)
                noise = np.fmax(noise, np.abs(other - value))
        return noise

    def _switches(self, t: Floats, q: Floats, u: Floats) -> Floats:
        """Values of the switches.   t: (k,), q, u: (k, n)  →  (switches, k)"""
        return compute_switches(self.system, q.T, u.T, t, self.knots)[1]

    def _events(self, t: Floats, q: Floats, u: Floats) -> Floats:
        """Values of the events.   t: (k,), q, u: (k, n)  →  (events, k)"""
        return np.array([compute_watch(self.system, watch, q.T, u.T, t) for watch in self.system.watches])

    def _resolve(self, store: Store, step: int, noise: Floats) -> tuple[Floats, Floats]:
        """Look ever more often at one step, until the odd looks are what one would expect from the regular ones."""
        count, h = 4 * SAMPLES, float(store.h[step])
        while True:
            dt = h * _looks(count)
            v = self._at(store, np.full(len(dt), step), dt)
            if count >= MOST_SAMPLES or _are_resolved(_looks(count), v[:, None], count, noise[:, None])[0]:
                return dt, v
            count *= 4

    def _with_dips(self, store: Store, step: int, dt: Floats, v: Floats, noise: Floats) -> tuple[Floats, Floats]:
        """Add the places where a value dips through zero and back between two looks."""
        extra = []
        for function, row in enumerate(v):
            if np.ptp(row) <= noise[function]:
                continue
            if abs(row[0]) <= noise[function]:
                # what begins on zero may show its side for a short while only
                extra += (dt[-1] * CLOSER).tolist()
            size = np.abs(row)
            low = np.flatnonzero((size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:])) + 1
            for i in low[size[low] < LOW * np.ptp(row)]:
                if row[i - 1] * row[i] > 0 and row[i] * row[i + 1] > 0:
                    extra += self._dip(store, step, function, (float(dt[i - 1]), float(dt[i + 1])))
        return self._with_more(store, step, dt, v, extra)

    def _with_more(self, store: Store, step: int, dt: Floats, v: Floats, extra: list[float]) -> tuple[Floats, Floats]:
        """The same looks and some more."""
        if not extra:
            return dt, v
        more = np.array(extra)
        order = np.argsort(np.concatenate([dt, more]), kind="stable")
        both = np.concatenate([v, self._at(store, np.full(len(more), step), more)], axis=1)
        return np.concatenate([dt, more])[order], both[:, order]

    # -- laws inside watched expressions: a value may dip through zero where one of them changes its branch ------------

    def _inner(self, store: Store, steps: NDArray[np.int64], dt: Floats) -> Floats:
        """What changes sign where a law inside a watched expression changes its branch.   (laws, k)"""
        q, u, _, _ = store.evaluate(steps, dt)
        t, s = store.t[steps] + dt, self.system
        found = [x for watch, program in self.bent for x in run_watch(s, watch, program, q.T, u.T, t)]
        return np.array([np.broadcast_to(x, t.shape) for x in found]).reshape(-1, len(t))

    def _are_unbent(self, store: Store, steps: NDArray[np.int64], x: Floats) -> NDArray[np.bool_]:
        """For each step whether no law inside a watched expression changes its branch between looks."""
        if not self.bent:
            return np.ones(len(steps), dtype=bool)
        dt = (store.h[steps][:, None] * x).ravel()
        positive = self._inner(store, np.repeat(steps, len(x)), dt).reshape(-1, len(steps), len(x)) >= 0.0
        return np.asarray((positive == positive[:, :, :1]).all(axis=(0, 2)))

    def _with_kinks(self, store: Store, step: int, dt: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Add the places where laws inside watched expressions change their branch."""
        if not self.bent:
            return dt, v
        positive = self._inner(store, np.full(len(dt), step), dt) >= 0.0
        extra = []
        for law, i in np.argwhere(positive[:, 1:] != positive[:, :-1]).tolist():
            sign = partial(self._inner_sign, store, step, law)
            extra.append(cut(sign, (float(dt[i]), float(dt[i + 1])), bool(positive[law, i])))
        return self._with_more(store, step, dt, v, extra)

    def _inner_sign(self, store: Store, step: int, law: int, dt: Floats) -> NDArray[np.bool_]:
        return np.asarray(self._inner(store, np.full(len(dt), step), dt)[law] >= 0.0)

    # -- crossings -----------------------------------------------------------------------------------------------------

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

    def _switched(self, store: Store, step: int, dt: Floats, v: Floats) -> list[Found]:
        """Changes of sign of switches between the first two looks that have any: the first of them ends the step."""
        positive = v >= 0.0
        changed = positive[:, 1:] != positive[:, :-1]
        if not changed.any():
            return []
        rounding = self._shaken(self._switches, ROUNDED, store, np.array([step]))[:, 0]
        # what has switched is where it went: rounding, where it goes slowly, does not lead back
        for function, side in self.across.items():
            clear = np.abs(v[function]) > rounding[function]
            positive[function, : np.argmax(clear) if clear.any() else None] = side
        changed = positive[:, 1:] != positive[:, :-1]
        # what is rounding all along, as the speed of a part that cannot move, has no sign
        changed[np.max(np.abs(v), axis=1) <= rounding] = False
        if not changed.any():
            return []
        i = int(np.argmax(changed.any(axis=0)))
        low, high = dt[[i, i + 1]].tolist()
        found = []
        for function in np.flatnonzero(changed[:, i]).tolist():
            now = bool(positive[function, i + 1])
            t = self._locate(store, step, function, (low, high), not now)
            made = self._make(t, step, function, v[function, : i + 1], now)
            found.append(replace(made, faint=bool(made.size <= rounding[function])))
        return found

    def _passed(
        self, store: Store, step: int, dt: Floats, v: Floats, noise: Floats, seen: int
    ) -> tuple[list[Found], list[Side]]:
        """Events at the first `seen` looks at a step, and the sides on which their values are then."""
        found, sides, first = [], [], len(self.switches)
        for function, side in enumerate(self.sides, start=first):
            row = v[function]
            for i in range(seen):
                positive, clear = bool(row[i] >= 0.0), bool(abs(row[i]) > noise[function])
                if i == 0 and not clear and side.raw is not None and side.raw == side.positive:
                    continue  # where a stretch begins, what is not clear is on the side it is known to be on
                if positive == side.positive:
                    side = Side(positive, None, positive)
                elif side.raw != positive:
                    left = float(store.t[step] + dt[i])
                    if i:
                        left = self._locate(store, step, function, (float(dt[i - 1]), float(dt[i])), not positive)
                    side = Side(side.positive, left, positive)
                if clear and positive != side.positive:
                    if side.positive is not None and side.left is not None and self._is_wanted(function, positive):
                        found.append(self._make(side.left, step, function, row[: i + 1], positive))
                    side = Side(positive, None, positive)
            sides.append(side)
        return found, sides

    def _is_wanted(self, function: int, rising: bool) -> bool:
        if function < len(self.switches):
            return True
        direction = self.system.watches[function - len(self.switches)].direction
        return direction == 0 or (direction > 0) == rising

    def _locate(self, store: Store, step: int, function: int, bracket: tuple[float, float], before: bool) -> float:
        """Cut the interval on the polynomial until it is two neighbouring numbers; the answer is the far one."""
        high = cut(lambda dt: self._at(store, np.full(len(dt), step), dt)[function] >= 0.0, bracket, before)
        return float(store.t[step] + high)

    def _make(self, t: float, step: int, function: int, before: Floats, positive: bool) -> Found:
        """A crossing; `before`: values at the looks up to it."""
        is_switch = function < len(self.switches)
        watch = None if is_switch else self.system.watches[function - len(self.switches)]
        name = self.switches[function] if watch is None else watch.name
        number = -1 if is_switch else function - len(self.switches)
        crossing = Crossing(name=name, t=t, positive=positive, stop=watch is not None and watch.stop, watch=number)
        size = float(np.max(np.abs(before)))
        return Found(crossing=crossing, is_switch=is_switch, step=step, function=function, size=size)

    def is_across(self, found: Found, t: float, q: Floats, u: Floats, clearly: bool) -> bool:
        """Whether a state lies beyond a crossing, on the side it leads to; `clearly`: by more than rounding."""
        value = float(self.values(np.array([t]), q[None, :], u[None, :])[found.function, 0])
        return (value if found.crossing.positive else -value) > (ROUNDING * found.size if clearly else 0.0)

    def _at(self, store: Store, steps: NDArray[np.int64], dt: Floats) -> Floats:
        q, u, _, _ = store.evaluate(steps, dt)
        return self.values(store.t[steps] + dt, q, u)


def _name_switches(system: System, knots: bool) -> list[str]:
    """The laws that switch, one name for each of their borders."""
    anywhere = np.zeros(system.n)
    return compute_switches(system, anywhere, anywhere, 0.0, knots)[0]


def cut(sign: Callable[[Floats], NDArray[np.bool_]], bracket: tuple[float, float], before: bool) -> float:
    """Where a sign is first another one than before, to the last digit."""
    low, high = bracket
    while True:
        dt = np.linspace(low, high, CUTS + 1)
        positive = sign(dt)
        positive[0] = before
        i = int(np.argmax(positive != before)) or CUTS
        if (low, high) == (dt[i - 1], dt[i]):
            return high
        low, high = float(dt[i - 1]), float(dt[i])


def _looks(count: int) -> Floats:
    """Where to look at a step, in [0, 1]: regular places, and irregular ones between that no rhythm can deceive."""
    regular = np.linspace(0.0, 1.0, count + 1)
    odd = (np.arange(1, count // 2 + 1) * 0.6180339887498949) % 1.0
    return np.sort(np.concatenate([regular, odd]))


def _are_resolved(x: Floats, v: Floats, count: int, noise: Floats) -> NDArray[np.bool_]:
    """For each step whether its irregular looks could be told from the regular ones, but for noise.

    x: (looks,) in [0, 1], v: (functions, steps, looks), noise: (functions, steps)
    """
    is_regular = np.isclose(x * count, np.round(x * count), atol=1e-9)
    odd, regular = x[~is_regular], v[:, :, is_regular]
    before = np.minimum((odd * count).astype(int), count - 1)
    part = odd * count - before
    guess = regular[:, :, before] * (1.0 - part) + regular[:, :, before + 1] * part
    surprise = np.max(np.abs(guess - v[:, :, ~is_regular]), axis=2, initial=0.0)
    return np.asarray((surprise <= 0.05 * np.ptp(v, axis=2) + noise).all(axis=0))


def _are_quiet(v: Floats) -> NDArray[np.bool_]:
    """For each step whether all values stay on one side and far from zero.   v: (functions, steps, looks)"""
    positive = v >= 0.0
    one_side = (positive == positive[:, :, :1]).all(axis=2)
    return np.asarray((one_side & (np.min(np.abs(v), axis=2) >= LOW * np.ptp(v, axis=2))).all(axis=0))


def _until_first_end(crossings: list[Found]) -> list[Found]:
    for i, crossing in enumerate(crossings):
        if crossing.ends:
            return crossings[: i + 1]
    return crossings
