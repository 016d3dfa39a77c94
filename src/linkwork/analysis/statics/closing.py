"""Back onto the constraints: positions in, the nearest positions that meet the constraints of positions out.

[ D  Gᵀ ] [dq]   [ 0 ]
[ G  0  ] [ · ] = [ −g ]       D: squares of the coordinates' scales, inverted
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, diags_array

from linkwork.analysis.linear.selection import select_states
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.saddle import Saddle
from linkwork.solve.constraints import Constraints

CLOSED = 1e-12  # steps below this, in the scales of the coordinates, are the last
MET = 1e-9  # and gaps below this, in redundant constraints
ROUNDS = 40
FRESH = 4  # rounds with one matrix, which changes little from step to step


class Closing:
    """Closes the constraints near a place, where it also looks which of them are independent."""

    def __init__(self, system: System, t: float, near: Floats) -> None:
        self.system = system
        self.all = Constraints(system, t)
        found = select_states(self.all.matrix(near).tocsr(), csr_array((0, system.n)), system.scales)
        self.constraints = self.all.only(self.all.rows[found.rows].tolist())
        self.D = diags_array(1.0 / system.scales**2)

    @property
    def redundant(self) -> bool:
        """Whether some constraints follow from the others here; elsewhere it may be others."""
        return self.constraints.m < self.all.m

    def close(self, q: Floats) -> Floats:
        """The nearest positions that meet the constraints."""
        held = self.constraints
        if held.m == 0:
            return q
        for i in range(ROUNDS):
            if i % FRESH == 0:
                G = held.matrix(q)
                saddle = Saddle(self.D, G, "positions")
            step, _ = saddle.solve(g=-held.values(q[:, None])[:, 0])
            q = q + step
            if np.max(np.abs(step) / self.system.scales, initial=0.0) <= CLOSED:
                if self.redundant and self.all.gap(q) > MET:
                    break  # on a way that only some of the constraints allow
                return q
        raise SolveError("the constraints cannot be kept closed on the way")
