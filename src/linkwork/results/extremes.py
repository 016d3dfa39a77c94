"""Curves that straight lines follow, and extremes: a function of time with several columns in, times and values out.

Steps may be long and what happens in them short, so that every step is looked at several times; then times are added
where straight lines are off, and where a column has an extreme.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Bools, Floats

LOOKS = 8  # times inside each step, if there is room
STRAIGHT = 1e-3  # of a column's range: by how much straight lines may be off
ROUNDS = 12
PEAKS = 5  # times that an extreme is found more closely

Compute = Callable[[Floats], Floats]  # times (k,) to columns (k, c)


@dataclass(frozen=True, slots=True)
class Extremes:
    """The least and the largest value of a quantity along a motion, and when."""

    least: float
    at_least: float
    largest: float
    at_largest: float


def spread(start: Floats, most: int) -> Floats:
    """Times between times, as many for each as there is room for."""
    start = np.unique(start)
    looks = int(np.clip(most // (2 * max(1, len(start))), 1, LOOKS))
    if looks == 1 or len(start) < 2:
        return start
    between = start[:-1, None] + np.diff(start)[:, None] * np.linspace(0, 1, looks, endpoint=False)
    return np.append(between.ravel(), start[-1])


def resolve(compute: Compute, start: Floats, most: int) -> tuple[Floats, Floats]:
    """Times and columns between which straight lines are right to the eye; all extremes are among them."""
    t = spread(start, most)
    values = compute(t)
    for _ in range(ROUNDS):
        at = np.flatnonzero(_is_bent(t, values))[: most - len(t)]
        if not len(at):
            break
        t, values = _with(t, values, compute, 0.5 * (t[at] + t[at + 1]))
    for _ in range(PEAKS):
        t, values = _with(t, values, compute, _peaks(t, values))
    return t, values


def find_extremes(t: Floats, values: Floats) -> Extremes:
    """Of a column at times among which its extremes are."""
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    return Extremes(float(values[low]), float(t[low]), float(values[high]), float(t[high]))


def _with(t: Floats, values: Floats, compute: Compute, more: Floats) -> tuple[Floats, Floats]:
    if not len(more):
        return t, values
    place = np.searchsorted(t, more)
    return np.insert(t, place, more), np.insert(values, place, compute(more), axis=0)


def _ranges(values: Floats) -> Floats:
    found = np.ptp(np.nan_to_num(values), axis=0)
    return np.where(found > 0, found, 1.0)


def _slopes(h: Floats, values: Floats) -> Floats:
    """Between neighbours; zero where two are of one time, before and after an instant."""
    return np.asarray(np.diff(values, axis=0) / np.where(h > 0, h, np.inf)[:, None])


def _is_bent(t: Floats, values: Floats) -> Bools:
    """Intervals in which straight lines are off, by the second differences at their ends."""
    h = np.diff(t)
    slopes = _slopes(h, values)
    bend = np.abs(np.diff(slopes, axis=0)) / _ranges(values)
    worst = np.max(np.nan_to_num(bend), axis=1, initial=0.0)
    # ½ f'' h²/4 with f'' = 2 Δslope/(h₁ + h₂)
    both = h[:-1] + h[1:]
    worst = np.concatenate([[0.0], worst / (4 * np.where(both > 0, both, np.inf)), [0.0]])
    off = np.maximum(worst[:-1], worst[1:]) * h**2
    return np.asarray((off > STRAIGHT) & (h > 1e-9 * (t[-1] - t[0])))


def _peaks(t: Floats, values: Floats) -> Floats:
    """Where parabolas through three neighbours have their vertices, at extremes that are not exact yet."""
    h = np.diff(t)
    slopes = _slopes(h, values)
    one, two = slopes[:-1], slopes[1:]
    turns = (one * two < 0) & (np.abs(np.diff(values, axis=0))[:-1] > 1e-12 * _ranges(values))
    i, j = np.nonzero(turns)
    # the slope is zero on the line between the slopes at both middles
    first, last = t[i] + 0.5 * h[i], t[i + 1] + 0.5 * h[i + 1]
    found = first + (last - first) * one[i, j] / (one[i, j] - two[i, j])
    near = np.min(np.abs(found[:, None] - t[i[:, None] + np.arange(3)]), axis=1) if len(i) else found
    return np.unique(found[near > 1e-9 * (t[-1] - t[0])])
