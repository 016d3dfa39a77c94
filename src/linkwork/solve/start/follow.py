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

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.model import Mechanism
from linkwork.native.numbers import compute_dense
from linkwork.native.rank import split
from linkwork.solve.start.assemble import FAR
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.singular import WEAK, decompose
from linkwork.solve.start.velocities import compute_rate
from linkwork.solve.start.wanted import Wanted, read_given

NEARBY = 0.01  # the longest way from the known start, in scales
SHRINK = 0.1  # of a step that the next one may have
ROUNDING = 1e-17  # in scales: where the next step would be as short as this, nothing is left to gain
STEPS = 30
FIRM = 0.5  # of the size that a constraint's derivatives had, that they must have


class Lead:
    """Closed positions q of a System at a time that its guess led to directly; they are followed to other values."""

    def __init__(self, wanted: Wanted, q: Floats) -> None:
        self.system, self.t, self.q = wanted.system, wanted.t, q
        self.free = wanted.free[self.system.mechanical[wanted.free]]
        c = wanted.constraints
        self.usable = c.dense and 0 < len(self.free) == len(c.rows) and not c.cornered.any()

    @cached_property
    def sizes(self) -> Floats:
        """‖G‖ of each constraint, coordinates in their scales.   (m,)"""
        return decompose(self.system, self.q, self.t).rows

    @cached_property
    def inverse(self) -> Floats | None:
        """J⁻¹ over coordinates in their scales; None where a free coordinate is not clearly determined.   (free, m)"""
        G = compute_dense(self.system, self.q, self.t)[1]
        J = split(G[self.system.holonomic][:, self.free] * self.system.scales[self.free])
        determined = J.count(WEAK) == len(self.free)
        return np.asarray((J.Vt.T / J.sigma) @ J.U.T / J.rows) if determined else None


def follow(mechanism: Mechanism, system: System, lead: Lead, independent: float) -> tuple[Wanted, Floats] | None:
    """What is wanted, and the closed positions next to those of other values; None if that takes a search.

    Singular values of the constraints must be larger than `independent`, a fraction of the largest.
    """
    if not lead.usable or lead.inverse is None:
        return None
    wanted = read_given(mechanism, system, lead.q)
    q = _close(wanted, lead, lead.inverse)
    if q is None or wanted.asked is not wanted.position.values or np.abs((q - lead.q) / system.scales).max() > NEARBY:
        return None
    if wanted.moved(q) > FAR or wanted.unwound(q) is not q or not np.isfinite(compute_rate(wanted, q)[1]).all():
        return None
    matrix = decompose(system, q, wanted.t)
    clear = matrix.count(max(independent, WEAK)) == system.m and (matrix.rows >= FIRM * lead.sizes).all()
    gaps = np.abs(wanted.constraints.values(q[:, None])[:, 0])[: len(lead.free)] / matrix.rows[system.holonomic]
    return (wanted, q) if clear and gaps.max() <= CLOSED and _is_sided(wanted, q) else None


def _close(wanted: Wanted, lead: Lead, inverse: Floats) -> Floats | None:
    """Closed positions; None if the steps do not become short at once."""
    c, scales = wanted.constraints.plain, wanted.system.scales[lead.free]
    q, last = np.where(wanted.position.fixed, wanted.position.values, lead.q), np.inf
    for _ in range(STEPS):
        step = -inverse @ c.values(q[:, None])[:, 0]
        length = float(np.abs(step).max())
        if not length <= min(NEARBY, SHRINK * last):
            # what does not become shorter any more is rounding, or too far away
            return q if last <= CLOSED else None
        q = q.copy()
        q[lead.free] += scales * step
        if length <= ROUNDING or (length**2 <= ROUNDING * last < np.inf):
            return q
        last = length
    return None


def _is_sided(wanted: Wanted, q: Floats) -> bool:
    """Whether all joints are on their sides."""
    return wanted.constraints.sides is None or wanted.constraints.gap(q) <= CLOSED
