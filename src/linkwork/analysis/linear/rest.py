"""Equilibrium of a mechanism with first-order states: positions and states where nothing changes any more.

    r(q, X, λ) = 0,   d(q, X) = 0,   g(q) = 0          by Newton's method with shortened steps

A controller need not let a mechanism go downhill, and it may hold what would fall by itself: unlike a mechanism alone
there is no energy to follow, only the residual to be made small.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csc_array, csr_array, diags_array

from linkwork.analysis.linear.closing import Closing
from linkwork.analysis.linear.equilibrium import check_still, find_equilibrium
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.linear.sensitivity import factorise
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.numbers import compute_matrices, compute_residual
from linkwork.native.tangents import Point, compute_tangents

Floats = NDArray[np.float64]

BALANCED = 1e-12  # what counts as balanced, beside what full changes of the coordinates would do
LONGEST = 0.5  # how far a place may go in one step, in its scale
HALVINGS = 12
ROUNDS = 100
SHIFT = 1e-13  # so that what does not matter stays where it is


def find_rest(system: System, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """The equilibrium near a state: from there or, failing that, from the equilibrium with the states held."""
    check_still(system, t, q)
    states = np.where(system.mechanical, 0.0, u)
    search = _Search(system, t)
    try:
        found = search.run(np.where(system.mechanical, q, states))
    except SolveError as error:
        try:
            begin = find_equilibrium(system, t, q, states)
        except SolveError:
            raise error from None
        found = search.run(np.where(system.mechanical, begin, states))
    return np.where(system.mechanical, found, q), np.where(system.mechanical, 0.0, found)


class _Search:
    """Newton's method over y, the coordinates with the values of states in the place of their integrals."""

    def __init__(self, system: System, t: float) -> None:
        self.system, self.t = system, t
        self.places = diags_array(system.mechanical.astype(float))
        self.states = diags_array((~system.mechanical).astype(float))

    def run(self, y: Floats) -> Floats:
        system, scales, mechanical = self.system, self.system.scales, self.system.mechanical
        self.rows = select_states(self._matrix(y), csr_array((0, system.n)), scales).rows
        self.closing = Closing(system, self.t, y)
        for _ in range(ROUNDS):
            lam, G = self._reactions(y), self._matrix(y)[self.rows]
            K, r = self._stiffness(y, lam), self._residual(y, lam)
            D = diags_array(SHIFT * max(float(np.max(abs(K) @ scales)), 1e-300) / scales)
            lu = factorise(block_array([[K + D, G.T], [G, None]], format="csc"), "equilibrium")
            dy = lu.solve(-np.concatenate([r, np.zeros(len(self.rows))]))[: system.n]
            far = float(np.max(np.abs(dy) / scales, initial=0.0))
            if not np.isfinite(far):
                break
            if far <= BALANCED:
                return self.closing.close(y + dy)
            way = float(np.max(np.abs(dy / scales)[mechanical], initial=1e-300))
            y = self._shortened(y, dy, min(1.0, LONGEST / way))
        raise SolveError("no equilibrium of the mechanism and its states was found. Can the states come to rest?")

    def _shortened(self, y: Floats, dy: Floats, length: float) -> Floats:
        """The first of some shorter and shorter steps that makes the residual smaller, or the last."""
        begin = self._size(y)
        for _ in range(HALVINGS):
            try:
                there = self.closing.close(y + length * dy)
                if self._size(there) < begin:
                    return there
            except SolveError:  # too far to be closed
                pass
            length /= 2
        return self.closing.close(y + length * dy)

    def _size(self, y: Floats) -> float:
        size = float(np.linalg.norm(self._residual(y, self._reactions(y))))
        return size if np.isfinite(size) else np.inf

    def _reactions(self, y: Floats) -> Floats:
        """The multipliers that balance the forces best."""
        system, G = self.system, self._matrix(y)[self.rows]
        r = self._residual(y, none := np.zeros(system.m))
        D = diags_array(1.0 / system.scales**2)
        found = factorise(block_array([[D, G.T], [G, None]], format="csc"), "positions").solve(
            np.concatenate([-r, np.zeros(len(self.rows))])
        )
        none[self.rows] = found[system.n :]
        return none

    def _point(self, y: Floats, lam: Floats) -> Point:
        zero, mechanical = np.zeros_like(y), self.system.mechanical
        return Point(t=self.t, q=np.where(mechanical, y, 0.0), u=np.where(mechanical, 0.0, y), a=zero, lam=lam)

    def _residual(self, y: Floats, lam: Floats) -> Floats:
        at = self._point(y, lam)
        return compute_residual(self.system, at.q, at.u, at.a, at.lam, self.t)

    def _stiffness(self, y: Floats, lam: Floats) -> csc_array:
        """∂r/∂y: by positions and by states."""
        n, tangents = self.system.n, compute_tangents(self.system, self._point(y, lam))
        return csc_array(tangents.r_q[:, :n] @ self.places + tangents.r_u[:, :n] @ self.states)

    def _matrix(self, y: Floats) -> csr_array:
        return compute_matrices(self.system, self._point(y, np.zeros(self.system.m)).q, self.t)[1].tocsr()
