"""A start for slightly other values: a known start in, the one next to it out, or nothing where that is not clear.

A guess that was closed without a step taken back leads, with values a little different, to a position a little
different. Where fixed values and constraints leave no freedom, that is the only one near, and steps with the known
matrix find it from the known start: no points need to be placed and no guesses to be tried.

    q ← q − J⁻¹ g(q)        J = ∂g/∂q over the free coordinates at the known start

Whatever is near a limit (a long way, a guess far off, constraints that are nearly dependent or lose their direction or
have corners) is left to the whole search.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.model import Mechanism
from linkwork.native.numbers import compute_dense
from linkwork.native.rank import Split
from linkwork.solve.start.assemble import FAR
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.refine import find_determined, refine
from linkwork.solve.start.singular import WEAK, decompose
from linkwork.solve.start.velocities import compute_rate
from linkwork.solve.start.wanted import Wanted, read_given

NEARBY = 0.01  # the longest way from the known start, in scales
SHRINK = 0.1  # of a step that the next one may have
ROUNDING = 1e-17  # in scales: where the next step would be as short as this, nothing is left to gain
STEPS = 30
ALIKE = 0.5  # what the product with the known inverse may differ by from a unit matrix
FIRM = 0.5  # of the size that a constraint's derivatives had, that they must have


class Lead:
    """Closed positions of a System that its guess led to directly; they are followed to other values."""

    def __init__(self, wanted: Wanted, q: Floats) -> None:
        self.wanted, self.q = wanted, q
        self.free = None if wanted.constraints.cornered.any() else find_determined(wanted)

    @cached_property
    def sizes(self) -> Floats:
        """‖G‖ of each constraint, coordinates in their scales.   (m,)"""
        return decompose(self.wanted.system, self.q, self.wanted.t).rows

    @cached_property
    def inverse(self) -> Floats:
        """J⁻¹ over coordinates in their scales.   (free, m)"""
        s = self.wanted.system
        J = compute_dense(s, self.q, self.wanted.t)[1][s.holonomic][:, self.free] * s.scales[self.free]
        return np.asarray(np.linalg.inv(J))

    def is_like(self, J: Floats) -> bool:
        """Whether a matrix is near to J, and therefore regular."""
        return bool(np.abs(self.inverse @ J - np.eye(len(J))).sum(axis=1).max() <= ALIKE)


def follow(mechanism: Mechanism, system: System, lead: Lead, independent: float) -> tuple[Wanted, Floats] | None:
    """What is wanted, and the closed positions next to those of other values; None if that takes a search.

    Singular values of the constraints must be larger than `independent`, a fraction of the largest.
    """
    if lead.free is None:
        return None
    wanted = read_given(mechanism, system, lead.q)
    near = _close(wanted, lead, lead.free) if wanted.asked is wanted.position.values else None
    q = None if near is None else refine(wanted, near, lead.is_like)
    if q is None or np.abs((q - lead.q) / system.scales).max() > NEARBY or wanted.moved(q) > FAR:
        return None
    if wanted.unwound(q) is not q or not np.isfinite(compute_rate(wanted, q)[1]).all():
        return None
    matrix = decompose(wanted.system, q, wanted.t)
    clear = matrix.count(max(independent, WEAK)) == wanted.system.m and (matrix.rows >= FIRM * lead.sizes).all()
    return (wanted, q) if clear and _is_closed(wanted, q, matrix) else None


def _is_closed(wanted: Wanted, q: Floats, matrix: Split) -> bool:
    """Whether positions meet the constraints, with all joints on their sides."""
    c = wanted.constraints
    if c.sides is not None:
        return c.gap(q) <= CLOSED
    return bool((np.abs(c.values(q[:, None])[:, 0]) <= CLOSED * matrix.rows[wanted.system.holonomic]).all())


def _close(wanted: Wanted, lead: Lead, free: Ints) -> Floats | None:
    """Closed positions; None if the steps do not become short at once."""
    c, scales = wanted.constraints.plain, wanted.system.scales[free]
    q, last = np.where(wanted.position.fixed, wanted.position.values, lead.q), np.inf
    for _ in range(STEPS):
        step = -lead.inverse @ c.values(q[:, None])[:, 0]
        length = float(np.abs(step).max())
        if not length <= min(NEARBY, SHRINK * last):
            # what does not become shorter any more is rounding, or too far away
            return q if last <= CLOSED else None
        q = q.copy()
        q[free] += scales * step
        if length <= ROUNDING or (length**2 <= ROUNDING * last < np.inf):
            return q
        last = length
    return None
