"""Knots: a motion as few states as possible from which quintic Hermite interpolation gives it back.

In: the polynomials of the steps; out: times with q, u, a so that between neighbours the error stays below a given part
of the mechanism's size. Steps are halved where they are too long for that and joined where they are too short.
Where the acceleration jumps (a law switches) a time occurs twice, with the state before and the state after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ACCURACY = 1e-7  # of the mechanism's size: a tenth of what a picture or a plot may be read to
SAFETY = 0.5  # the error is looked at in three places only
PLACES = np.array([0.25, 0.5, 0.75])
ROUNDS = 40  # of halving or joining
LARGEST = 4_000_000  # numbers per level (q, u or a); beyond it the knots stay as far apart as they are
BLOCK = 1_000_000  # numbers looked at together


@dataclass(frozen=True, slots=True, kw_only=True)
class Knots:
    """Times (k,) and q, u, a there (k, n); `accuracy` is the error between them, relative to the size."""

    t: Floats
    q: Floats
    u: Floats
    a: Floats
    accuracy: float


def compute_knots(motion: Trajectory, accuracy: float = ACCURACY) -> Knots:
    """Knots from which the motion can be had to the given accuracy."""
    edges = np.unique(motion.t)
    if len(edges) < 2:
        return Knots(t=motion.t[-1:], q=motion.q[-1:], u=motion.u[-1:], a=motion.a[-1:], accuracy=0.0)
    allowed = SAFETY * accuracy
    edges, error = _halve(motion, edges, allowed)
    edges = _join(motion, edges, allowed)
    return _collect(motion, edges, max(error, accuracy))


def _halve(motion: Trajectory, edges: Floats, allowed: float) -> tuple[Floats, float]:
    """Halve intervals until all are good, or as long as there is room."""
    fine = np.zeros(len(edges) - 1, dtype=bool)
    for _ in range(ROUNDS):
        todo = np.flatnonzero(~fine)
        error = _errors(motion, edges[todo], edges[todo + 1])
        bad = todo[error > allowed]
        if not len(bad) or (len(edges) + len(bad)) * motion.system.n > LARGEST:
            return edges, float(np.max(error, initial=0.0)) / SAFETY if len(bad) else 0.0
        middle = 0.5 * (edges[bad] + edges[bad + 1])
        fine[:] = True
        fine[bad] = False
        fine = np.insert(fine, bad + 1, False)
        edges = np.insert(edges, bad + 1, middle)
    return edges, float(np.max(error, initial=0.0)) / SAFETY


def _join(motion: Trajectory, edges: Floats, allowed: float) -> Floats:
    """Take out every second edge that is not needed, again and again."""
    for turn in range(ROUNDS):
        out = np.arange(1 + turn % 2, len(edges) - 1, 2)
        if not len(out):
            return edges
        unneeded = out[_errors(motion, edges[out - 1], edges[out + 1], edges[out]) <= allowed]
        edges = np.delete(edges, unneeded)
        if turn % 2 and len(unneeded) < 0.02 * len(out):
            break
    return edges


def _errors(motion: Trajectory, left: Floats, right: Floats, also: Floats | None = None) -> Floats:
    """Largest error of interpolation in each interval, relative to the scales of the coordinates."""
    found = np.zeros(len(left))
    size = max(1, BLOCK // max(1, motion.system.n))
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
        found = interpolate((t - left) / h, h, start, end)
        worst = np.maximum(worst, np.max(np.abs(found - wanted) / motion.system.scales, axis=1, initial=0.0))
    return worst


def compute_states(motion: Trajectory, t: Floats, before: bool = False) -> tuple[Floats, Floats, Floats]:
    """q, u, a at times; at a border of two steps those of the later one, or of the earlier one."""
    starts = motion.store.t
    steps = np.searchsorted(starts, t, side="left" if before else "right") - 1
    steps = np.maximum(steps, 0)
    q, u, a, _ = motion.store.evaluate(steps, t - starts[steps])
    return q, u, a


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
    jump = np.max(np.abs(after[2][1:] - before[2][:-1]) * h**2 / motion.system.scales, axis=1, initial=0.0)
    twice = np.flatnonzero(jump > ACCURACY)
    # the state after every edge, the last before the end, and before each jump one more
    t = np.append(edges[:-1], edges[-1])
    t = np.insert(t, twice + 1, edges[twice + 1])
    q, u, a = (
        np.insert(np.vstack([x, y[-1:]]), twice + 1, y[twice], axis=0) for x, y in zip(after, before, strict=True)
    )
    return Knots(t=t, q=q, u=u, a=a, accuracy=accuracy)
