"""Back onto the constraints: positions next to them in, the nearest positions that meet them out, or words."""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.rank import find_rank, scale_rows
from linkwork.solve.constraints import Constraints
from linkwork.solve.start.closing import close_again

MET = 1e-9  # gaps that are left, relative to the scales of the coordinates: redundant constraints may be rounded
ROUNDS = 40


class Closing:
    """Closes the constraints near a place."""

    def __init__(self, system: System, t: float, near: Floats) -> None:
        self.system, self.near = system, near
        self.constraints = Constraints(system, t)

    @property
    def redundant(self) -> bool:
        """Whether some constraints follow from the others at this place; elsewhere it may be others."""
        G = scale_rows(self.constraints.matrix(self.near), self.system.scales)
        return find_rank(G).rank < self.constraints.m

    def close(self, q: Floats) -> Floats:
        """The nearest positions that meet the constraints."""
        if self.constraints.m == 0:
            return q
        closed = close_again(self.constraints, q, np.arange(self.system.n), self.system.scales, ROUNDS)
        if not self.constraints.gap(closed) <= MET:
            raise SolveError("the constraints cannot be kept closed on the way")
        return closed
