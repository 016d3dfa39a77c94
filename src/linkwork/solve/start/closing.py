"""Closing a mechanism: guesses in, positions that meet the constraints out, or those that come closest.

Levenberg–Marquardt steps, which do not depend on a lucky guess, on many guesses at once. Each step minimises

    |s (g + G δ)|² + μ |δ/σ|²

with s the inverse row sizes of G and σ how far a coordinate may move. Coordinates that are not free stay as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, diags_array

from linkwork.arrays import Bools, Floats, Ints
from linkwork.clock import check_time
from linkwork.solve.constraints import Constraints

CLOSED = 1e-12  # constraints count as closed when no coordinate would have to move by more than this (relative)
EXACT = 1e-17  # below this nothing is left to gain
SMALLEST, LARGEST = 1e-13, 1e12  # damping: what keeps repeated constraints solvable, and where no step helps
STUCK = 6  # steps with little progress after which a guess is given up
PROGRESS = 0.98  # what a step should leave of the sum of squares
STEPS = 300


class _Batch:
    """Guesses on their way: positions Q (n, k), residuals, damping and what is known of their progress."""

    def __init__(self, constraints: Constraints, Q: Floats, free: Ints, reach: Floats, damping: float = 1e-3) -> None:
        self.c, self.Q, self.free, self.reach = constraints, Q.copy(), free, reach
        k = Q.shape[1]
        self.g = constraints.values(self.Q)
        self.last = np.full(k, np.inf)
        self.rounding = np.zeros(k)
        self.damping = np.full(k, damping)
        self.stuck = np.zeros(k, dtype=np.int64)
        self.active = np.ones(k, dtype=bool)
        self.fresh = np.ones(k, dtype=bool)  # moved since its matrix was computed
        self.direct = np.ones(k, dtype=bool)  # no step had to be taken back
        self.model = (_Dense if constraints.dense else _Sparse)(constraints, free, reach, k)

    def run(self, enough: int, steps: int = STEPS) -> None:
        """Step until every guess is closed or given up, or until the first is and enough of them are closed."""
        for _ in range(steps):
            check_time("the search for positions")
            self._measure(np.flatnonzero(self.active & self.fresh))
            going = np.flatnonzero(self.active)
            closed = ~self.active & (self.last < np.maximum(CLOSED, self.rounding) ** 2)
            if len(going) == 0 or (not self.active[0] and np.sum(closed) >= enough):
                return
            self._step(going)

    def _measure(self, moved: Ints) -> None:
        """New matrices where guesses moved; those that are closed, stuck or have no value are taken out."""
        if len(moved) == 0:
            return
        self.model.update(self.Q, moved)
        self.rounding[moved] = self.c.rounding(self.Q[:, moved])
        self.fresh[moved] = False
        with np.errstate(all="ignore"):
            size = np.sum((self.model.s[:, moved] * self.g[:, moved]) ** 2, axis=0)
        last, rms = self.last[moved], np.sqrt(size)
        slow = size > PROGRESS * last
        self.stuck[moved] = np.where(slow, self.stuck[moved] + 1, 0)
        done = ~np.isfinite(size) | (rms < np.maximum(EXACT, self.rounding[moved])) | (self.stuck[moved] >= STUCK)
        self.last[moved] = size
        self.active[moved[done]] = False

    def _step(self, going: Ints) -> None:
        """One trial each; what does not get better is damped more."""
        s = self.model.s[:, going]
        trial = self.Q[:, going]
        trial[self.free] += self.reach[:, None] * self.model.steps(going, s * self.g[:, going], self.damping[going])
        g = self.c.values(trial)
        with np.errstate(all="ignore"):
            better = np.sum((s * g) ** 2, axis=0) < self.last[going]
        good, bad = going[better], going[~better]
        self.Q[:, good], self.g[:, good] = trial[:, better], g[:, better]
        self.fresh[good] = True
        self.damping[good] = np.maximum(self.damping[good] * 0.1, SMALLEST * 1e-3)
        self.damping[bad] = np.maximum(self.damping[bad], 1e-8) * 8
        # closed and no better: that is all that can be had
        still_open = self.last[bad] >= np.maximum(CLOSED, self.rounding[bad]) ** 2
        self.active[bad] = (self.damping[bad] < LARGEST) & still_open
        self.direct[bad[still_open]] = False


class _Dense:
    """Matrices of all guesses as one array."""

    def __init__(self, constraints: Constraints, free: Ints, reach: Floats, k: int) -> None:
        self.c, self.free, self.reach = constraints, free, reach
        self.J = np.zeros((k, constraints.m, len(free)))
        self.s = np.ones((constraints.m, k))

    def update(self, Q: Floats, which: Ints) -> None:
        """Scaled matrices at some of the states."""
        J = self.c.matrices(Q[:, which])[:, :, self.free] * self.reach
        with np.errstate(all="ignore"):
            s = _inverse(np.sqrt(np.sum(J**2, axis=2)))
            self.J[which], self.s[:, which] = J * s[:, :, None], s.T

    def steps(self, which: Ints, r: Floats, damping: Floats) -> Floats:
        """−Jᵀ (J Jᵀ + μ)⁻¹ r of each.   r: (m, k)  →  (free, k)"""
        J = self.J[which]
        normal = J @ J.transpose(0, 2, 1)
        diagonal = np.arange(self.c.m)
        normal[:, diagonal, diagonal] += np.maximum(damping, SMALLEST)[:, None]
        y = np.linalg.solve(normal, r.T[:, :, None])
        return np.asarray(-(J.transpose(0, 2, 1) @ y)[:, :, 0].T)


class _Sparse:
    """One sparse matrix for each guess."""

    def __init__(self, constraints: Constraints, free: Ints, reach: Floats, k: int) -> None:
        self.c, self.free, self.reach = constraints, free, reach
        self.J: dict[int, csc_array] = {}
        self.s = np.ones((constraints.m, k))

    def update(self, Q: Floats, which: Ints) -> None:
        """Scaled matrices at some of the states."""
        for i in which:
            J = csc_array(self.c.matrix(Q[:, i])[:, self.free] @ diags_array(self.reach))
            with np.errstate(all="ignore"):
                s = _inverse(np.sqrt(np.asarray(J.multiply(J).sum(axis=1)).ravel())[None, :])[0]
            self.J[int(i)], self.s[:, i] = csc_array(diags_array(s) @ J), s

    def steps(self, which: Ints, r: Floats, damping: Floats) -> Floats:
        """−Jᵀ (J Jᵀ + μ)⁻¹ r of each.   r: (m, k)  →  (free, k)"""
        from scipy.sparse.linalg import splu

        found = np.zeros((len(self.free), len(which)))
        for k, i in enumerate(which):
            J = self.J[int(i)]
            normal = csc_array(J @ J.T + max(float(damping[k]), SMALLEST) * diags_array(np.ones(self.c.m)))
            found[:, k] = -(J.T @ splu(normal).solve(r[:, k]))
        return found


def _inverse(sizes: Floats) -> Floats:
    """One over the row sizes; an empty row counts as much as the largest, one out of range has none.   sizes: (k, m)"""
    largest = np.max(sizes, axis=1, keepdims=True, initial=0.0)
    found = np.where(sizes > 0, sizes, np.where(largest > 0, largest, 1.0))
    return np.asarray(1.0 / np.where(np.isfinite(sizes), found, np.nan))


class Closed(NamedTuple):
    """Positions Q (n, k), the gaps they leave (k,), and whether every step on the way there was a good one (k,)."""

    Q: Floats
    gaps: Floats
    direct: Bools


def close(
    constraints: Constraints, Q: Floats, free: Ints, reach: Floats, enough: int | None = None, steps: int = STEPS
) -> Closed:
    """Positions from each guess that meet the constraints or come closest.

    Q: (n, k), free: the coordinates that may move, reach: (free,) how far, relative to each other.
    When `enough` guesses are closed, the others but the first are left where they are.
    """
    direct = np.ones(Q.shape[1], dtype=bool)
    if constraints.m and len(free):
        batch = _Batch(constraints, Q, free, reach)
        batch.run(Q.shape[1] + 1 if enough is None else enough, steps)
        Q, direct = batch.Q, batch.direct
    return Closed(Q, np.max(constraints.gaps(Q), axis=0, initial=0.0), direct)


def close_again(constraints: Constraints, q: Floats, free: Ints, reach: Floats, steps: int = STEPS) -> Floats:
    """The same for one state q: (n,) that was just moved along the constraints, with hardly any damping."""
    batch = _Batch(constraints, q[:, None], free, reach, damping=1e-9)
    batch.run(2, steps)
    return batch.Q[:, 0]
