"""Equilibrium of a mechanism with first-order states: positions and states where nothing changes any more.

    r(q, X, λ) = 0,   d(q, X) = 0,   g(q) = 0          by Newton's method with shortened steps

A controller need not let a mechanism go downhill, and it may hold what would fall by itself: unlike a mechanism alone
there is no energy to follow, only the residual to be made small.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from scipy.linalg import norm
from scipy.sparse import csc_array, csr_array, diags_array

from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.statics.closing import Closing
from linkwork.analysis.statics.equilibrium import check_still, find_equilibrium, settle_with_values
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.signals import integral_speed
from linkwork.native.numbers import compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.saddle import Saddle
from linkwork.native.tangents import Point, compute_tangents
from linkwork.symbolic import ZERO, free_symbols, substitute

Pair: TypeAlias = tuple[Floats, Floats]

BALANCED = 1e-12  # what counts as balanced, beside what full changes of the coordinates would do
LONGEST = 0.5  # how far a place may go in one step, in its scale
HALVINGS = 12
PATIENCE = 6  # rounds in a row in which no step leaves less to correct
ROUNDS = 100
SHIFT = 1e-13  # so that what does not matter stays where it is


def find_rest(model: Mechanism | Lagrangian, system: System, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """The equilibrium near a state: from there or, failing that, from the equilibrium with the states held."""
    if not system.algebra:
        return _find_rest(model, system, t, q, u)
    return settle_with_values(system, t, lambda s: _find_rest(model, s, t, q[: s.n], u[: s.n]))


def _find_rest(model: Mechanism | Lagrangian, system: System, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    check_still(system, t, q)
    _check_rates(model)
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


def _check_rates(model: Mechanism | Lagrangian) -> None:
    """A state whose rate is one number wherever nothing moves goes on for ever, as an integral of an error does."""
    own = {integral_speed(state.name) for state in model.states}
    for state in model.states:
        speeds = [s for s in free_symbols(state.rate) if s.kind == "speed" and s not in own]
        rate = substitute(state.rate, dict.fromkeys(speeds, ZERO))
        if all(s.kind == "parameter" for s in free_symbols(rate)) and (value := model.compute(rate)):
            what = f"its rate is {value:g} wherever nothing moves: it never comes to rest"
            remedy = "Let its rate depend on positions or on itself, or linearise at a time instead"
            raise SolveError(f"no equilibrium of the mechanism and its states: state '{state.name}': {what}. {remedy}")


class _Search:
    """Newton's method over y, the coordinates with the values of states in the place of their integrals."""

    def __init__(self, system: System, t: float) -> None:
        self.system, self.t = system, t
        self.places = diags_array(system.mechanical.astype(float))
        self.states = diags_array((~system.mechanical).astype(float))

    # what leaves the range of floats makes a step that is not finite, and the search ends in words
    @np.errstate(over="ignore", invalid="ignore")
    def run(self, y: Floats) -> Floats:
        system, scales = self.system, self.system.scales
        self.rows = select_states(self._matrix(y), csr_array((0, system.n)), scales).rows
        self.closing = Closing(system, self.t, y)
        lam = self._reactions(y)
        self.vain = 0
        for _ in range(ROUNDS):
            check_time("the search for an equilibrium")
            K, G = self._stiffness(y, lam), self._matrix(y)[self.rows]
            D = diags_array(SHIFT * max(float(np.max(abs(K) @ scales)), 1e-300) / scales)
            saddle = Saddle(K + D, G, "equilibrium")
            step = self._correction(saddle, y, lam)
            if not np.isfinite(step[0]).all() or self.vain > PATIENCE:
                break
            if float(np.max(np.abs(step[0]) / scales, initial=0.0)) <= BALANCED:
                return self.closing.close(y + step[0])
            y, lam = self._shortened(saddle, (y, lam), step)
        raise SolveError("no equilibrium of the mechanism and its states was found. Can the states come to rest?")

    def _correction(self, saddle: Saddle, y: Floats, lam: Floats) -> Pair:
        """The changes of y and of the multipliers that balance what is left, to first order."""
        change = np.zeros_like(lam)
        step, change[self.rows] = saddle.solve(-self._residual(y, lam))
        return step, change

    def _shortened(self, saddle: Saddle, here: Pair, step: Pair) -> Pair:
        """The first of some shorter and shorter steps after which what is left to correct is less, or the last."""
        scales, places = self.system.scales, self.system.mechanical
        begin = float(norm(step[0] / scales, check_finite=False))
        length = min(1.0, LONGEST / float(np.max(np.abs(step[0] / scales)[places], initial=1e-300)))
        for _ in range(HALVINGS):
            check_time("the search for an equilibrium")
            try:
                there = self.closing.close(here[0] + length * step[0]), here[1] + length * step[1]
                left = float(norm(self._correction(saddle, *there)[0] / scales, check_finite=False))
                if left <= (1 - length / 4) * begin:
                    self.vain = 0
                    return there
            except SolveError:  # too far to be closed
                pass
            length /= 2
        self.vain += 1
        return self.closing.close(here[0] + length * step[0]), here[1] + length * step[1]

    def _reactions(self, y: Floats) -> Floats:
        """The multipliers that balance the forces best."""
        system, G = self.system, self._matrix(y)[self.rows]
        r = self._residual(y, none := np.zeros(system.m))
        none[self.rows] = Saddle(diags_array(1.0 / system.scales**2), G, "positions").solve(-r)[1]
        return none

    def _point(self, y: Floats, lam: Floats) -> Point:
        zero, mechanical = np.zeros_like(y), self.system.mechanical
        u = np.where(mechanical, 0.0, y)
        q = settle_calls(self.system, self.t, np.where(mechanical, y, 0.0), u)
        return Point(t=self.t, q=q, u=u, a=zero, lam=lam)

    def _residual(self, y: Floats, lam: Floats) -> Floats:
        at = self._point(y, lam)
        return compute_residual(self.system, at.q, at.u, at.a, at.lam, self.t)

    def _stiffness(self, y: Floats, lam: Floats) -> csc_array:
        """∂r/∂y: by positions and by states."""
        n, tangents = self.system.n, compute_tangents(self.system, self._point(y, lam))
        return csc_array(tangents.r_q[:, :n] @ self.places + tangents.r_u[:, :n] @ self.states)

    def _matrix(self, y: Floats) -> csr_array:
        return compute_matrices(self.system, self._point(y, np.zeros(self.system.m)).q, self.t)[1].tocsr()
