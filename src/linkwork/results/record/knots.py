"""Knots: a motion as few states as possible from which quintic Hermite interpolation gives it back.

In: the polynomials of the steps; out: times with q, u, a so that between neighbours the error stays below a given part
of the mechanism's size. Steps are joined where they are shorter than needed and divided where they are too long.
Where the acceleration jumps (a law switches) a time occurs twice, with the state before and the state after.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.results.record.shown import FARTHEST, show_markers

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory


ACCURACY = 1e-7  # of the mechanism's size: a tenth of what a picture or a plot may be read to
SAFETY = 0.5  # the error is looked at in a few places only
PLACES = np.array([0.3, 0.6])  # of an interval; the error of the quintic is largest near its middle
ORDER = 6  # the error falls with this power of the interval
ROUNDS = 40  # of joining or dividing
LARGEST = 4_000_000  # numbers per level (q, u or a); beyond it the knots stay as far apart as they are
BLOCK = 1_000_000  # numbers looked at together


@dataclass(frozen=True, slots=True, kw_only=True)
class Knots:
    """Times (k,) and q, u, a there (k, n); `accuracy` is the error between them, relative to the size, if known."""

    t: Floats
    q: Floats
    u: Floats
    a: Floats
    accuracy: float | None


def compute_knots(motion: Trajectory, accuracy: float = ACCURACY) -> Knots:
    """Knots from which the motion can be had to the given accuracy."""
    edges = np.unique(motion.t)
    if len(edges) < 2:
        q, u, a = show_markers(motion.system, motion.q[-1:], motion.u[-1:], motion.a[-1:], motion.t[-1:])
        return Knots(t=motion.t[-1:], q=q, u=u, a=a, accuracy=0.0)
    allowed = SAFETY * accuracy
    error = _errors(motion, edges[:-1], edges[1:])
    edges, error = _join(motion, edges, error, allowed)
    edges, error = _divide(motion, edges, error, allowed)
    return _collect(motion, edges, max(float(np.max(error)) / SAFETY, accuracy))


def fill_knots(knots: Knots) -> tuple[Knots, Bools]:
    """Knots with a value everywhere, and which coordinates (n,) had none at some times: they stay where they were last.

    A place beyond all bounds counts as none.
    """
    with np.errstate(invalid="ignore"):
        there = np.isfinite(knots.q) & (np.abs(knots.q) < FARTHEST)
    missing = np.asarray(~there.all(axis=0))
    known = knots.accuracy is None or np.isfinite(knots.accuracy)
    u, a = (np.clip(np.nan_to_num(x, posinf=0.0, neginf=0.0), -FARTHEST, FARTHEST) for x in (knots.u, knots.a))
    if not missing.any():
        return replace(knots, u=u, a=a, accuracy=knots.accuracy if known else None), missing
    # the last knot with a value, or before the first of them that one
    row = np.arange(len(knots.t))[:, None]
    last = np.maximum.accumulate(np.where(there, row, -1), axis=0)
    first = np.where(there.any(axis=0), np.argmax(there, axis=0), 0)
    q = np.take_along_axis(knots.q, np.where(last < 0, first, last), axis=0)
    q, u, a = np.where(there.any(axis=0), q, 0.0), np.where(there, u, 0.0), np.where(there, a, 0.0)
    return Knots(t=knots.t, q=q, u=u, a=a, accuracy=None), missing


def _join(motion: Trajectory, edges: Floats, error: Floats, allowed: float) -> tuple[Floats, Floats]:
    """Take out edges that are not needed, every second one at a time."""
    for turn in range(ROUNDS):
        out = np.arange(1 + turn % 2, len(edges) - 1, 2)
        # an interval twice as long has 2⁶ times the error: only small ones are worth a look
        out = out[np.maximum(error[out - 1], error[out]) * 2 ** (ORDER - 2) <= allowed]
        joined = _errors(motion, edges[out - 1], edges[out + 1], edges[out])
        out, joined = out[joined <= allowed], joined[joined <= allowed]
        error[out - 1] = joined
        error, edges = np.delete(error, out), np.delete(edges, out)
        if turn % 2 and len(out) < 0.02 * len(edges):
            break
    return edges, error


def _divide(motion: Trajectory, edges: Floats, error: Floats, allowed: float) -> tuple[Floats, Floats]:
    """Divide intervals into as many equal pieces as their error asks for, as long as there is room."""
    for _ in range(ROUNDS):
        bad = error > allowed
        wanted = np.where(bad, np.ceil(1.02 * (error / allowed) ** (1 / ORDER)), 1)
        pieces = np.clip(wanted, np.where(bad, 2, 1), 64).astype(np.int64)
        if not bad.any() or (int(pieces.sum()) + 1) * len(motion.shown.names) > LARGEST:
            break
        first = np.repeat(np.cumsum(pieces) - pieces, pieces)
        part = (np.arange(len(first)) - first) / np.repeat(pieces, pieces)
        left, h = np.repeat(edges[:-1], pieces), np.repeat(np.diff(edges), pieces)
        edges = np.append(left + part * h, edges[-1])
        new = np.repeat(bad, pieces)
        error = np.repeat(error, pieces)
        error[new] = _errors(motion, edges[:-1][new], edges[1:][new])
    return edges, error


def _errors(motion: Trajectory, left: Floats, right: Floats, also: Floats | None = None) -> Floats:
    """Largest error of interpolation in each interval, relative to the scales of the coordinates."""
    found = np.zeros(len(left))
    size = max(1, BLOCK // max(1, len(motion.shown.names)))
    for i in range(0, len(left), size):
        part = slice(i, i + size)
        found[part] = _errors_of_block(motion, left[part], right[part], None if also is None else also[part])
    return found


def _errors_of_block(motion: Trajectory, left: Floats, right: Floats, also: Floats | None) -> Floats:
    h = right - left
    times = [left + s * h for s in PLACES] + ([] if also is None else [also])
    start, end = compute_states(motion, left), compute_states(motion, right, before=True)
    worst = np.zeros(len(left))
    for t in times:
        wanted = compute_states(motion, t)[0]
        with np.errstate(invalid="ignore", over="ignore"):
            missed = np.abs(interpolate((t - left) / h, h, start, end) - wanted) / motion.shown.scales
            # where there is no place, or one beyond all bounds, nothing can be missed
            missed = np.where(np.abs(wanted) < FARTHEST, np.nan_to_num(missed, posinf=0.0), 0.0)
        worst = np.maximum(worst, np.max(missed, axis=1, initial=0.0))
    return worst


def compute_states(motion: Trajectory, t: Floats, before: bool = False) -> tuple[Floats, Floats, Floats]:
    """q, u, a at times; at a border of two steps those of the later one, or of the earlier one."""
    q, u, a, _ = evaluate_steps(motion, t, np.full(len(t), before))
    return show_markers(motion.system, q, u, a, t)


def evaluate_steps(motion: Trajectory, t: Floats, before: Bools) -> tuple[Floats, Floats, Floats, Floats]:
    """q, u, a, λ at times; at a border of two steps those of the earlier one where `before` says so."""
    starts = motion.store.t
    steps = np.where(before, np.searchsorted(starts, t), np.searchsorted(starts, t, side="right")) - 1
    steps = np.maximum(steps, 0)
    return motion.store.evaluate(steps, t - starts[steps])


def interpolate(
    s: Floats, h: Floats, start: tuple[Floats, Floats, Floats], end: tuple[Floats, Floats, Floats]
) -> Floats:
    """The quintic with the given values and two derivatives at both ends, at 0 ≤ s ≤ 1.   s, h: (k,), states: (k, n)"""
    s, h = s[:, None], h[:, None]
    (q0, u0, a0), (q1, u1, a1) = start, end
    # q(s) = c0 + c1 s + c2 s² + s³ (c3 + c4 s + c5 s²)
    c0, c1, c2 = q0, h * u0, 0.5 * h * h * a0
    dq = q1 - (c0 + c1 + c2)
    du = h * u1 - (c1 + 2 * c2)
    da = h * h * a1 - 2 * c2
    c3, c4, c5 = 10 * dq - 4 * du + 0.5 * da, -15 * dq + 7 * du - da, 6 * dq - 3 * du + 0.5 * da
    return np.asarray(c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))))


def _collect(motion: Trajectory, edges: Floats, accuracy: float) -> Knots:
    """The states at the edges, twice where the acceleration jumps by what can be seen."""
    after = compute_states(motion, edges[:-1])
    before = compute_states(motion, edges[1:], before=True)
    h = np.diff(edges)[:-1, None]
    with np.errstate(invalid="ignore", over="ignore"):
        jump = np.abs(after[2][1:] - before[2][:-1]) * h**2 / motion.shown.scales
    jump = np.max(np.nan_to_num(jump, posinf=0.0), axis=1, initial=0.0)
    twice = np.flatnonzero(jump > ACCURACY)
    # the state after every edge, the last before the end, and before each jump one more
    t = np.append(edges[:-1], edges[-1])
    t = np.insert(t, twice + 1, edges[twice + 1])
    q, u, a = (
        np.insert(np.vstack([x, y[-1:]]), twice + 1, y[twice], axis=0) for x, y in zip(after, before, strict=True)
    )
    return Knots(t=t, q=q, u=u, a=a, accuracy=accuracy)
