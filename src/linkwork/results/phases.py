"""Phases: a motion that is not smooth as the smooth motions between its breaks, each with the constraints that held.

What judges a motion (residuals, multipliers, the audit) judges its phases.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.results.evidence import Break, Occurrence
from linkwork.results.state import Snapshot, find_multipliers

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory


def split_phases(motion: Trajectory, most: int | None = None) -> tuple[Trajectory, ...]:
    """The smooth motions that a motion is made of, or about so many of them, from all of its length."""
    found = _stretches(motion)
    chosen = found[:: max(1, len(found) // most)] if most else found
    return tuple(_phase(motion, begin, first, last) for begin, first, last in chosen)


def _stretches(motion: Trajectory) -> list[tuple[Break, int, int]]:
    """The breaks after which there are steps, with the numbers of the first step and of that behind the last."""
    ends = [*(b.step for b in motion.breaks[1:]), motion.store.count]
    return [(b, b.step, end) for b, end in zip(motion.breaks, ends, strict=True) if end > b.step]


def _phase(motion: Trajectory, begin: Break, first: int, last: int) -> Trajectory:
    from linkwork.results.trajectory import About, Trajectory

    whole, store, model = motion.system, motion.store, motion.mechanism
    model = None if model is None else describe_phase(model, whole, begin.off)
    system = whole.restricted(begin.off)
    on = np.array([i for i in range(whole.m) if i not in begin.off], dtype=np.int64)
    # of states that were kept the last one may belong to a phase of which no step was
    if last == store.count and (motion.whole or begin is motion.breaks[-1]):
        f = motion.final
        final = Snapshot(system, f.t, (f.q, f.u, f.a, f._lam[on]), model)
    else:
        h = store.h[last - 1]
        q, u, a, lam = (x[0] for x in store.evaluate(np.array([last - 1]), np.array([h])))
        final = Snapshot(system, np.asarray(store.t[last - 1] + h), (q, u, a, lam[on]), model)
    low, high = bisect_left(motion.events, begin.t, key=_when), bisect_right(motion.events, float(final.t), key=_when)
    stats = replace(motion.stats, steps=last - first)
    about = About(mechanism=model, presenter=motion.about.presenter)
    return Trajectory(
        system, store.part(first, last, on), final, stats, motion.outcome, motion.events[low:high], about=about
    )


def _when(event: Occurrence) -> float:
    return event.t


def describe_phase(model: Mechanism | Lagrangian, whole: System, off: frozenset[int]) -> Mechanism | Lagrangian:
    """The description of a mechanism while some of its constraints do not hold."""
    # what holds in some of its rows has others that nothing could move along
    held = {row.owner for i, row in enumerate(whole.rows) if i not in off}
    gone = frozenset(str(owner.name) for i in off if (owner := whole.rows[i].owner) not in held)
    return whole.remember(("description", gone), lambda: model.without(gone))


def find_phase_multipliers(motion: Trajectory, t: Floats, arrays: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """Multipliers at some times, by the constraints that hold there; zero for the others.   (k, m)"""
    q, u, a, lam = arrays
    found = np.zeros_like(lam)
    begins = np.array([b.t for b in motion.breaks])
    which = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
    # phases in which the same constraints hold, together
    sets = list(dict.fromkeys(b.off for b in motion.breaks))
    group = np.array([sets.index(b.off) for b in motion.breaks])[which]
    for i in np.unique(group):
        off, at = sets[i], np.flatnonzero(group == i)
        on = np.array([k for k in range(motion.system.m) if k not in off], dtype=np.int64)
        system = motion.system.restricted(off)
        found[np.ix_(at, on)] = find_multipliers(system, t[at], q[at], u[at], a[at], lam[np.ix_(at, on)])
    return found
