"""A start for slightly other values: a known start in, the one next to it out, or nothing where that is not clear.

A guess that was closed without a step taken back leads, with values a little different, to a position a little
different. Where fixed values and constraints leave no freedom, that is the only one near, and Newton's steps find it
from the known start: no points need to be placed and no guesses to be tried. All that a start must be is checked as
ever; whatever is near a limit (a long way, a guess far off, a singular position) is left to the whole search.
"""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.model import Mechanism
from linkwork.native.rank import split
from linkwork.solve.start.assemble import FAR
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.singular import WEAK
from linkwork.solve.start.velocities import compute_rate
from linkwork.solve.start.wanted import Wanted, read_given

NEARBY = 0.01  # the longest way from the known start, in scales
SHRINK = 0.1  # of a step that the next one may have
ENOUGH = 1e-17  # in scales: a step that leaves nothing to gain
STEPS = 30


def follow(mechanism: Mechanism, system: System, known: Floats) -> tuple[Wanted, Floats] | None:
    """What is wanted, and the closed positions next to known ones of other values; None if it takes a search."""
    wanted = read_given(mechanism, system, known)
    free = wanted.free[system.mechanical[wanted.free]]
    c = wanted.constraints
    if not (c.dense and 0 < len(free) == len(c.rows)) or wanted.asked is not wanted.position.values:
        return None
    q = _close(wanted, known)
    if q is None or np.max(np.abs(q - known) / system.scales) > NEARBY:
        return None
    if wanted.moved(q) > FAR or not c.gap(q) <= CLOSED or wanted.unwound(q) is not q:
        return None
    if not np.isfinite(compute_rate(wanted, q)[1]).all():
        return None
    return wanted, q


def _close(wanted: Wanted, known: Floats) -> Floats | None:
    """Newton's steps with the matrix of the known positions; None if they do not become short at once."""
    c, free, scales = wanted.constraints.plain, wanted.free, wanted.system.scales[wanted.free]
    q = np.where(wanted.position.fixed, wanted.position.values, known)
    J = c.matrices(q[:, None])[0][:, free] * scales
    if not np.isfinite(J).all():
        return None
    matrix = split(J)
    if matrix.count(WEAK) < c.m:
        return None
    longest = np.inf
    for _ in range(STEPS):
        step = matrix.solve(-c.values(q[:, None])[:, 0], c.m)
        length = float(np.max(np.abs(step)))
        if length <= ENOUGH or (length >= SHRINK * longest and longest <= CLOSED):
            return q
        if not length <= min(NEARBY, SHRINK * longest):
            return None
        q, longest = q.copy(), length
        q[free] += scales * step
    return None
