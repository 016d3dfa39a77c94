"""Samples: the times at which quantities beside a motion must be known so that what lies between can be had from them.

In: a function of time with several columns; out: times and values from which a polynomial through six neighbours gives
every column back to the digits that are printed. Where a law switches, a time occurs twice, with the value before and
the value after, and no polynomial reaches across.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Bools, Floats, Ints
from linkwork.results.extremes import STRAIGHT, spread
from linkwork.results.record.knots import evaluate_steps
from linkwork.results.state import Snapshot
from linkwork.results.trajectory import Trajectory
from linkwork.results.turning import TurnsAt

POINTS = 6  # neighbours a polynomial goes through; viewer/src/motion.ts does the same
ACCURACY = 2e-6  # of a column's range
SAFETY = 0.5  # the error is looked at in the middle of an interval only
OFFSET = 0.1  # of a column's largest value: the least range, since values are stored in single precision
JUMP = 1e-6  # of the largest speed, acceleration or multiplier: what counts as a jump between two steps
GRADING = 4.0  # no interval is longer than so many times its neighbour
ROUNDS = 40
LARGEST = 32  # parts into which an interval is divided for straight lines


@dataclass(frozen=True, slots=True)
class Times:
    """Increasing times (k,) and whether the value just before each is meant; a time may occur twice: before, after."""

    t: Floats
    before: Bools


Compute = Callable[[Times], Floats]


def find_state(motion: Trajectory, times: Times) -> Snapshot:
    """The states at times, with those before a switch."""
    if len(motion.t) < 2:
        return motion.at(times.t)
    arrays, turns = evaluate_steps(motion, times.t, times.before), TurnsAt(motion.turning, times.t)
    return Snapshot(motion.system, times.t, arrays, motion.mechanism, turns=turns)


class BalancedStates:
    """States of a motion with their multipliers, each of which is found once, since that takes long."""

    def __init__(self, motion: Trajectory) -> None:
        self.motion = motion
        self._rows: dict[tuple[float, bool], tuple[Floats, Floats, Floats, Floats]] = {}

    def at(self, times: Times) -> Snapshot:
        """The states at times, with those before a switch."""
        motion, keys = self.motion, [*zip(times.t.tolist(), times.before.tolist(), strict=True)]
        new = np.array([i for i, key in enumerate(keys) if key not in self._rows], dtype=np.int64)
        if len(new):
            found = find_state(motion, Times(times.t[new], times.before[new]))
            rows = zip(found.q, found.u, found.a, found.lam, strict=True)
            self._rows |= zip([keys[i] for i in new], rows, strict=True)
        q, u, a, lam = (np.array(column) for column in zip(*(self._rows[key] for key in keys), strict=True))
        turns = TurnsAt(motion.turning, times.t)
        return Snapshot(motion.system, times.t, (q, u, a, lam), motion.mechanism, balanced=True, turns=turns)


def find_breaks(motion: Trajectory) -> Floats:
    """Borders of steps where speeds, accelerations or multipliers jump, the largest jumps first."""
    borders = np.unique(motion.t)[1:-1]
    if not len(borders):
        return borders
    one = evaluate_steps(motion, borders, np.ones(len(borders), dtype=np.bool_))
    other = evaluate_steps(motion, borders, np.zeros(len(borders), dtype=np.bool_))
    jump = np.zeros(len(borders))
    for x, y in zip(one[1:], other[1:], strict=True):
        largest = np.max(np.abs(y), axis=0, initial=0.0)
        scale = np.maximum(largest, 1e-3 * np.max(largest, initial=0.0))
        jump = np.maximum(jump, np.max(np.abs(x - y) / np.where(scale > 0, scale, 1.0), axis=1, initial=0.0))
    order = np.argsort(-jump, kind="stable")
    return borders[order[jump[order] > JUMP]]


def sample(compute: Compute, start: Floats, breaks: Floats, most: int, floor: float) -> tuple[Floats, Floats]:
    """Times (k,) with k ≤ most, and the columns there (k, c).

    start: times to begin with; floor: the least range of a column, as a part of the largest value of all.
    """
    times = _begin(spread(start, most), breaks, most)
    values = compute(times)
    pending = np.diff(times.t) > 0
    for _ in range(ROUNDS):
        room = most - len(times.t)
        at = np.flatnonzero(pending | _is_long(times.t))
        if room <= 0 or not len(at):
            break
        middle = Times(0.5 * (times.t[at] + times.t[at + 1]), np.zeros(len(at), dtype=np.bool_))
        wanted = compute(middle)
        scale = _ranges(values, floor)
        error = np.max(np.abs(interpolate(times.t, values, at, middle.t) - wanted) / scale, axis=1, initial=0.0)
        bad = (error > SAFETY * ACCURACY) | _is_long(times.t)[at]
        bad &= np.diff(times.t)[at] > 1e-9 * (times.t[-1] - times.t[0])
        worst = np.argsort(-np.where(bad, error, -1.0), kind="stable")[: min(room, int(bad.sum()))]
        chosen = np.sort(worst)
        pending = np.insert(np.zeros(len(times.t) - 1, dtype=np.bool_), at[chosen], True)
        pending[at[chosen] + np.arange(len(chosen)) + 1] = True
        place = at[chosen] + 1
        times = Times(np.insert(times.t, place, middle.t[chosen]), np.insert(times.before, place, False))
        values = np.insert(values, place, wanted[chosen], axis=0)
    return _straightened(compute, times.t, values, most, floor)


def _straightened(compute: Compute, t: Floats, values: Floats, most: int, floor: float) -> tuple[Floats, Floats]:
    """With so many times more that straight lines show what the polynomials do, as far as there is room."""
    at = np.flatnonzero(np.diff(t) > 0)
    if not len(at):
        return t, values
    middle = interpolate(t, values, at, 0.5 * (t[at] + t[at + 1]))
    off = np.abs(middle - 0.5 * (values[at] + values[at + 1])) / _ranges(values, floor)
    parts = np.ceil(np.sqrt(np.max(np.nan_to_num(off), axis=1, initial=0.0) / STRAIGHT)).astype(np.int64)
    parts = np.clip(parts, 1, LARGEST)
    while len(t) + int(np.sum(parts - 1)) > most and np.any(parts > 1):
        parts = np.maximum(1, parts - 1)
    where = np.repeat(at, parts - 1)
    if not len(where):
        return t, values
    share = np.concatenate([np.arange(1, n) / n for n in parts if n > 1])
    when = t[where] + share * (t[where + 1] - t[where])
    more = compute(Times(when, np.zeros(len(when), dtype=np.bool_)))
    return np.insert(t, where + 1, when), np.insert(values, where + 1, more, axis=0)


def interpolate(t: Floats, values: Floats, at: Ints, when: Floats) -> Floats:
    """Polynomials through up to six neighbours of the intervals `at`, none across a time that occurs twice.

    t: (k,), values: (k, c), at, when: (j,)  →  (j, c)
    """
    segment = np.concatenate([[0], np.cumsum(np.diff(t) == 0)])
    first = np.searchsorted(segment, segment[at], side="left")
    last = np.searchsorted(segment, segment[at], side="right") - 1
    start = np.maximum(first, np.minimum(at - (POINTS // 2 - 1), last - (POINTS - 1)))
    index = start[:, None] + np.arange(POINTS)
    inside = index <= last[:, None]
    index = np.minimum(index, len(t) - 1)
    total = np.zeros((len(at), values.shape[1]))
    for m in range(POINTS):
        weight = inside[:, m].astype(np.float64)
        for j in range(POINTS):
            if j != m:
                use = inside[:, m] & inside[:, j]
                gap = np.where(use, t[index[:, m]] - t[index[:, j]], 1.0)
                weight = weight * np.where(use, (when - t[index[:, j]]) / gap, 1.0)
        total += weight[:, None] * values[index[:, m]]
    return total


def _begin(start: Floats, breaks: Floats, most: int) -> Times:
    """The first times: those given, thinned where they are too many, and every break twice."""
    start = np.unique(start)
    if len(start) > max(2, most // 2):
        start = start[np.unique(np.linspace(0, len(start) - 1, max(2, most // 2)).astype(np.int64))]
    breaks = np.sort(breaks[: most // 6])
    plain = np.setdiff1d(start, breaks)
    t = np.concatenate([plain, breaks, breaks])
    before = np.concatenate([np.zeros(len(plain) + len(breaks), np.bool_), np.ones(len(breaks), np.bool_)])
    order = np.lexsort((~before, t))
    return Times(t[order], before[order])


def _is_long(t: Floats) -> Bools:
    """Intervals much longer than a neighbour on the same side of all switches."""
    h = np.diff(t)
    padded = np.concatenate([[np.inf], np.where(h > 0, h, np.inf), [np.inf]])
    return np.asarray(h > GRADING * np.minimum(padded[:-2], padded[2:]))


def _ranges(values: Floats, floor: float) -> Floats:
    size = np.max(np.abs(values), axis=0)
    found = np.maximum(np.ptp(values, axis=0), OFFSET * size)
    found = np.maximum(found, floor * np.max(size, initial=0.0))
    return np.where(found > 0, found, 1.0)
