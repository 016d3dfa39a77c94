"""Positions to the last bit: closed positions in, however they were found, the same as a function of the values out.

Where fixed values and constraints leave no freedom, different ways to a position end within rounding of each other.
From the nearest place on a grid, which is the same for all of them, one Newton step leads to it: the grid is so fine
that what the step leaves is far below rounding, and so coarse that hardly ever rounding decides which place is nearest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.solve.start.wanted import Wanted

BITS = 33  # of a coordinate's scale that a place on the grid has


def find_determined(wanted: Wanted) -> Ints | None:
    """The coordinates that constraints determine, with those that are fixed, if they are as many; None in general."""
    free = wanted.free[wanted.system.mechanical[wanted.free]]
    c = wanted.constraints
    return free if c.dense and 0 < len(free) == len(c.rows) else None


def refine(wanted: Wanted, q: Floats, is_determined: Callable[[Floats], bool]) -> Floats | None:
    """The positions next to q that follow from the values alone; None if J, as told, does not determine them.

    J = ∂g/∂q over the free coordinates in their scales.
    """
    free = find_determined(wanted)
    if free is None:
        return None
    c, scales = wanted.constraints.plain, wanted.system.scales[free]
    unit = np.ldexp(1.0, np.frexp(scales)[1] - BITS)
    refined = q.copy()
    refined[free] = np.round(q[free] / unit) * unit + 0.0  # there is one zero
    g, J = c.values(refined[:, None])[:, 0], c.matrices(refined[:, None])[0][:, free] * scales
    if not (np.isfinite(g).all() and np.isfinite(J).all() and is_determined(J)):
        return None
    refined[free] -= scales * np.linalg.solve(J, g)
    return refined
