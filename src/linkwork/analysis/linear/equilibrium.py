"""Static equilibrium: a System and a place to begin in, the positions where all forces balance out.

    r(q, λ) = ∂V/∂q − f + Gᵀλ = 0,   g(q) = 0          by Newton's method with a shift:

    [ K + μD  Gᵀ ] [dq]     [ r ]
    [ G       0  ] [dλ] = − [ g ]        K = ∂r/∂q with the stiffness of the reactions, D a measure of size

A step must do work against the forces (it must go downhill), else μ grows; so minima of the potential are found where
there is one, stable equilibria. Of unstable ones it lets itself be pushed away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space
from scipy.sparse import block_array, csc_array, csr_array, diags_array

from linkwork.analysis.linear.closing import Closing
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.linear.sensitivity import factorise
from linkwork.equations import System
from linkwork.errors import InputError, Problem, SolveError
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.tangents import Point, compute_stiffness
from linkwork.solve.constraints import Constraints

Floats = NDArray[np.float64]

BALANCED = 1e-12  # forces below this fraction of the stiffness count as balanced
CLOSED = 1e-12  # constraints that change more slowly than this rest
LONGEST = 0.3  # how far a coordinate may go in one step, in its scale
FARTHEST = 15.0  # and on the whole; who goes on does not come to rest
ROUNDS = 200
DENSE = 400  # coordinates up to which the stability of what was found is looked at
PUSHES = 4  # how often an unstable equilibrium is left


@dataclass(slots=True)
class _Here:
    """A place on the constraints: multipliers, residual forces, and how large they are (relative)."""

    q: Floats
    lam: Floats
    r: Floats
    size: float
    K: csc_array | None = None


def find_equilibrium(system: System, t: float, q: Floats, states: Floats | None = None) -> Floats:
    """The static equilibrium that going downhill from q leads to.

    First-order states keep their values in `states`: (n,), or are zero.
    """
    check_still(system, t, q)
    search = _Search(system, t, q, np.zeros_like(q) if states is None else states)
    here = search.descend(search.at(q))
    for _ in range(PUSHES):
        push = search.downhill(here)
        if push is None:
            break
        here = search.descend(search.at(search.closing.close(here.q + push)))
    return here.q


def check_still(system: System, t: float, q: Floats) -> None:
    """A prescribed motion that goes on leaves nothing to rest."""
    zero = np.zeros_like(q)
    rate = compute_levels(system, q, zero, zero, t)[1]
    moving = [system.constraints[i].replace("motion_", "motion of ") for i in np.flatnonzero(np.abs(rate) > CLOSED)]
    if moving:
        what = f"{moving[0]} does not rest at t = {t:g}: there is no static equilibrium"
        raise InputError([Problem(what=what, remedy="Linearise at a time instead, or hold the motion still")])


class _Search:
    """Newton's method with a shift, along the constraints."""

    def __init__(self, system: System, t: float, q: Floats, states: Floats) -> None:
        self.system, self.t, self.states = system, t, states
        G = compute_matrices(system, q, t)[1].tocsr()
        self.rows = select_states(G, csr_array((0, system.n)), system.scales).rows
        self.constraints = Constraints(system, t, self.rows[system.holonomic[self.rows]])
        self.closing = Closing(system, t, q)
        K = abs(self._stiffness(q, np.zeros(system.m)))
        forces = np.abs(self._forces(q, np.zeros(system.m))) * system.scales
        scaled = (K * system.scales[None, :]).T * system.scales[None, :]
        self.unit = max(float(scaled.max()) if scaled.nnz else 0.0, float(forces.max(initial=0.0))) or 1.0
        self.D = diags_array(self.unit / system.scales**2)

    # -- numbers ----------------------------------------------------------------------------------------------------

    def _forces(self, q: Floats, lam: Floats) -> Floats:
        r = compute_residual(self.system, q, self.states, np.zeros_like(q), lam, self.t)
        return np.where(self.system.mechanical, r, 0.0)

    def _stiffness(self, q: Floats, lam: Floats) -> csc_array:
        at = Point(t=self.t, q=q, u=self.states, a=np.zeros_like(q), lam=lam)
        return compute_stiffness(self.system, at)

    def _matrix(self, q: Floats) -> csr_array:
        if self.constraints.m == len(self.rows):
            return self.constraints.matrix(q).tocsr()
        return compute_matrices(self.system, q, self.t)[1].tocsr()[self.rows]

    def at(self, q: Floats) -> _Here:
        """The multipliers that balance the forces best."""
        system, none = self.system, np.zeros(self.system.m)
        G, forces = self._matrix(q), self._forces(q, none)
        found = factorise(block_array([[self.D, G.T], [G, None]], format="csc"), "positions").solve(
            np.concatenate([-forces, np.zeros(len(self.rows))])
        )
        lam = none.copy()
        lam[self.rows] = found[system.n :]
        r = self._forces(q, lam)
        return _Here(q, lam, r, float(np.max(np.abs(r * system.scales), initial=0.0)) / self.unit)

    # -- search --------------------------------------------------------------------------------------------------------

    def descend(self, here: _Here) -> _Here:
        """Downhill until the forces balance."""
        shift, last, begin = 1e-3, False, here.q
        for _ in range(ROUNDS):
            if np.max(np.abs(here.q - begin) / self.system.scales, initial=0.0) > FARTHEST:
                break
            there, work = self._step(here, shift)
            settled = here.size <= BALANCED
            if settled and (last or there is None or there.size >= here.size):
                return here
            if there is not None and (settled or work < 0 or (there.size < here.size < 1e-6)):
                here, shift, last = there, shift / 8 if shift > 1e-12 else 0.0, settled
            else:
                shift = max(4 * shift, 1e-6)
                if shift > 1e12:
                    break
        if here.size <= 1e3 * BALANCED:
            return here
        raise SolveError(self._explain(here))

    def _step(self, here: _Here, shift: float) -> tuple[_Here | None, float]:
        """One step, and the work of the residual forces along it."""
        system, G = self.system, self._matrix(here.q)
        if here.K is None:
            here.K = self._stiffness(here.q, here.lam)
        K = here.K + shift * self.D
        try:
            lu = factorise(block_array([[K, G.T], [G, None]], format="csc"), "positions")
            dq = lu.solve(np.concatenate([-here.r, np.zeros(len(self.rows))]))[: system.n]
            far = float(np.max(np.abs(dq) / system.scales, initial=0.0))
            if not np.isfinite(far):
                return None, 0.0
            there = self.at(self.closing.close(here.q + dq * min(1.0, LONGEST / max(far, 1e-300))))
        except SolveError:
            return None, 0.0
        return there, float((here.r + there.r) @ (there.q - here.q)) / 2

    def downhill(self, here: _Here) -> Floats | None:
        """A direction in which an equilibrium is unstable, of a tenth of full size; None if it is stable."""
        system = self.system
        if system.n > DENSE:
            return None
        s = system.scales
        N = null_space(self._matrix(here.q).toarray() * s[None, :], rcond=1e-9) if len(self.rows) else np.eye(system.n)
        K = N.T @ (s[:, None] * self._stiffness(here.q, here.lam).toarray() * s[None, :]) @ N
        values, vectors = np.linalg.eigh((K + K.T) / 2) if N.shape[1] else (np.zeros(1), np.zeros((0, 1)))
        if values[0] >= -1e-9 * self.unit:
            return None
        direction = s * (N @ vectors[:, 0])
        push: Floats = 0.1 * direction / np.max(np.abs(direction) / s)
        return push

    def _explain(self, here: _Here) -> str:
        worst = int(np.argmax(np.abs(here.r * self.system.scales)))
        name = self.system.coordinates[worst]
        return (
            f"no static equilibrium was found: a force of {abs(here.r[worst]):.3g} along {name} stays unbalanced. "
            f"Does something fall freely, or does a force never rest?"
        )
