"""Consistent velocities: what is wanted and consistent positions in, the nearest velocities that go with them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array

from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.native.numbers import compute_dense, compute_levels, compute_matrices, is_driven
from linkwork.native.rank import split
from linkwork.solve.constraints import DENSE
from linkwork.solve.start.closing import CLOSED
from linkwork.solve.start.nearest import Nearest
from linkwork.solve.start.wanted import Wanted

DETERMINED = 1e-7  # what moves less than this, beside all that moves with it, is determined by it
FEW = 400  # coordinates up to which dense matrices of all of them are affordable
ROUNDS = 40  # in which values nobody gave let go of those that were given
MET = 1e-9  # velocities count as consistent when constraints are open by less than this, relative to their terms
NOTHING = 1e-13  # of the fastest speed wished for: rest
TRIFLE = 1e-6  # of the fastest speed: below this a rounding error elsewhere may be all there is
TIED = 1e-3  # the same of the speeds of what constraints are tied to


@dataclass(frozen=True, slots=True, kw_only=True)
class Speeds:
    """Velocities; G and b of the constraints G u + b = 0, and by how much each is left open, beside its terms."""

    u: Floats
    G: csc_array | Floats
    b: Floats
    gaps: Floats

    @property
    def met(self) -> bool:
        """Whether the constraints are met."""
        return bool(np.max(self.gaps, initial=0.0) <= MET)


def find_velocities(wanted: Wanted, q: Floats) -> Speeds:
    """The velocities nearest to those wanted that meet the constraints or, if none do, come closest."""
    system, guesses = wanted.system, wanted.velocity
    G, b = compute_rate(wanted, q)
    if not guesses.values.any() and not b.any():
        return Speeds(u=guesses.values.copy(), G=G, b=b, gaps=np.zeros(system.m))  # what rests meets all
    if system.n <= FEW:
        return _in_turn(wanted, G, b)
    u, target = guesses.values.copy(), guesses.values.copy()
    free = np.flatnonzero(~guesses.fixed)
    weight = wanted.weights(guesses)[free]
    nearest = Nearest(G[:, free], weight)
    # at least twice, so that rounding is removed, and until what nobody gave holds back nothing given
    for i in range(ROUNDS if system.m else 0):
        check_time("the search for velocities")
        step = nearest.step(G @ u + b, target[free] - u[free])
        u[free] += step
        if i and np.max(np.abs(step), initial=0.0) <= CLOSED * np.max(np.abs(u), initial=0.0):
            break
        target[~guesses.given] = u[~guesses.given]
    if system.m:
        # once more without a wish, whose size would hide what is open
        u[free] += nearest.step(G @ u + b, np.zeros(len(free)))
    if np.max(np.abs(u[free]), initial=0.0) <= NOTHING * np.max(np.abs(guesses.values), initial=0.0):
        u[free] = 0.0  # nothing can move, and what is left of a wish is rounding
    return Speeds(u=u, G=G, b=b, gaps=measure_gaps(system, G, b, u))


def _in_turn(wanted: Wanted, G: csc_array | Floats, b: Floats) -> Speeds:
    """The same exactly: what was given first, then rest, of parts next to the ground or to their base before others."""
    system, guesses = wanted.system, wanted.velocity
    u, free = guesses.values.copy(), np.flatnonzero(~guesses.fixed)
    scales, importance = system.scales[free], np.sqrt(wanted.importance[free])
    J = split((G if isinstance(G, np.ndarray) else G.toarray())[:, free] * scales)
    y = guesses.values[free] / scales
    y = y + J.solve(-(G @ u + b))
    N, given, tier = J.right, guesses.given[free], wanted.tiers[1].number[free]
    stages = [given, *(~given & (tier == k) for k in range(1, int(np.max(tier, initial=0)) + 1)), ~given & (tier < 0)]
    for which in stages:
        if not which.any() or not N.shape[1]:
            continue
        weight = importance[which] if which is given else np.ones(int(which.sum()))
        wish = (guesses.values[free] / scales - y)[which]
        # rows of N are parts of unit vectors: what is far below one is rounding
        U, sigma, Vt = np.linalg.svd(N[which] * weight[:, None])
        rank = int(np.sum(sigma > DETERMINED * np.max(weight)))
        y = y + N @ (Vt[:rank].T @ (U[:, :rank].T @ (wish * weight) / sigma[:rank]))
        N = N @ Vt[rank:].T
    u[free] = scales * y
    for _ in range(2):
        u[free] += scales * J.solve(-(G @ u + b))
    if np.max(np.abs(u[free]), initial=0.0) <= NOTHING * np.max(np.abs(guesses.values), initial=0.0):
        u[free] = 0.0  # nothing can move, and what is left of a wish is rounding
    return Speeds(u=u, G=G, b=b, gaps=measure_gaps(system, G, b, u))


def measure_gaps(system: System, G: csc_array | Floats, b: Floats, u: Floats) -> Floats:
    """|G u + b| of each constraint, beside its own terms or, where all rests, a trifle of the speeds elsewhere."""
    still_open = np.abs(G @ u + b)
    if not still_open.any():
        return still_open
    sizes = csr_array(G if isinstance(G, np.ndarray) else G.tocsr())
    sizes.data = np.abs(sizes.data)
    speeds = np.where(system.mechanical, np.abs(u / system.scales), 0.0)
    # constraints that share coordinates, directly or by others, round each other
    from scipy.sparse.csgraph import connected_components  # a heavy import

    count, group = connected_components(csr_array(sizes @ sizes.T), directed=False)
    tied = np.zeros(count)
    row, column = sizes.nonzero()
    np.maximum.at(tied, group[row], speeds[column])
    elsewhere = np.maximum(TIED * tied[group], TRIFLE * np.max(speeds, initial=0.0))
    size = np.maximum(sizes @ np.abs(u) + np.abs(b), elsewhere * (sizes @ system.scales))
    return np.asarray(still_open / np.where(size > 0, size, 1.0))


def compute_rate(wanted: Wanted, q: Floats) -> tuple[csc_array | Floats, Floats]:
    """G and b of what velocities must meet, G u + b = 0: the rates of positions and the constraints of velocities."""
    s, still = wanted.system, np.zeros_like(q)
    _, G = (compute_dense if s.n + s.m <= DENSE else compute_matrices)(s, q, wanted.t)
    driven = s.once("driven", lambda: is_driven(s))
    return G, compute_levels(s, q, still, still, wanted.t)[1] if driven else np.zeros(s.m)
