"""Positions to the last bit: closed positions in, however they were found, the same as a function of the values out.

Where fixed values and constraints leave no freedom, different ways to a position end within rounding of each other.
From the nearest place on a grid, which is the same for all of them, one Newton step leads to it: the grid is so fine
that what the step leaves is far below rounding, and so coarse that hardly ever rounding decides which place is nearest.
"""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.native.rank import split
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.singular import WEAK
from linkwork.solve.start.wanted import Wanted

BITS = 33  # of a coordinate's scale that a place on the grid has


def find_determined(wanted: Wanted) -> Ints | None:
    """The coordinates that constraints determine, with those that are fixed, if they are as many; None in general."""
    free = wanted.free[wanted.system.mechanical[wanted.free]]
    c = wanted.constraints
    return free if c.dense and 0 < len(free) == len(c.rows) else None


def refine(wanted: Wanted, q: Floats) -> Floats | None:
    """The closed positions next to q that follow from the values alone; None if they are not clearly determined."""
    free = find_determined(wanted)
    if free is None:
        return None
    c, scales = wanted.constraints, wanted.system.scales[free]
    unit = np.ldexp(1.0, np.frexp(scales)[1] - BITS)
    refined = q.copy()
    refined[free] = np.round(q[free] / unit) * unit
    g, G = c.plain.values(refined[:, None])[:, 0], c.plain.matrices(refined[:, None])[0]
    if not (np.isfinite(g).all() and np.isfinite(G).all()):
        return None
    J = split(G[:, free] * scales)
    if J.count(WEAK) < len(free):
        return None
    refined[free] += scales * J.solve(-g, len(free))
    return refined if c.gap(refined) <= CLOSED else None
