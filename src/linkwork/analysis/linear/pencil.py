"""The linear model as a sparse pencil: the augmented equations at a point in, products with A and (A − τ)⁻¹ out.

With all changes y = (q, u, a, λ) the linear model ẋ = A x is the same as

    [ G_h                 ]         positions stay on the constraints
    [ ġ_q   G             ]         speeds too
    [ r_q   r_u   M   Gᵀ  ] y = 0   forces balance
    [ g̈_q   g̈_u   G       ]         accelerations stay on the constraints,
    x = E y,  ẋ = F y               states and their rates

so that one sparse factorisation of [top; F − τE] gives (A − τ)⁻¹, and one of [top; E] gives A, which is never formed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import block_array, csc_array, csr_array, diags_array, vstack

from linkwork.analysis.linear.sensitivity import Accelerations, Basis
from linkwork.arrays import Floats
from linkwork.errors import SolveError
from linkwork.native.saddle import factorise
from linkwork.native.tangents import Tangents


class Pencil:
    """The linear model in states and speeds x: (z,), without the matrix A."""

    def __init__(self, matrix: Accelerations, tangents: Tangents, basis: Basis) -> None:
        n, held, m = matrix.system.n, basis.rows1, len(basis.rows1)
        G = matrix.G.tocsr()
        g1_q, g2_q, g2_u = (x.tocsr()[held][:, :n] for x in (tangents.g1_q, tangents.g2_q, tangents.g2_u))
        none, last = csr_array((basis.s_q.shape[0], n)), csr_array((basis.s_q.shape[0], m))
        self.n = n
        self.top = block_array(
            [
                [vstack([G[basis.rows0], matrix.system.held]), None, None, None],
                [g1_q, G[held], None, None],
                [tangents.r_q[:, :n], tangents.r_u[:, :n], matrix.M, G[held].T],
                [g2_q, g2_u, G[held], csr_array((m, m))],
            ],
            format="csr",
        )
        self.E = block_array([[basis.s_q, none, none, last], [basis.w_q, basis.w_u, None, None]], format="csr")
        self.F = block_array(
            [[basis.s1_q, basis.s_q, none, last], [basis.w1_q, basis.w1_u, basis.w_u, None]], format="csr"
        )
        self.lu = factorise(vstack([self.top, self.E], format="csr"), "states")

    @property
    def z(self) -> int:
        """The number of states and speeds."""
        return int(self.E.shape[0])

    def spread(self, x: Floats) -> tuple[Floats, Floats]:
        """The changes of all coordinates and of their speeds.   x: (z, k)  →  (n, k), (n, k)"""
        y = self.lu.solve(self._padded(x))
        return y[: self.n], y[self.n : 2 * self.n]

    def rates(self, x: Floats) -> Floats:
        """A x.   x: (z, k)"""
        found: Floats = self.F @ self.lu.solve(self._padded(x))
        return found

    def inverse(self, shift: float) -> Callable[[Floats], Floats]:
        """The function x → (A − shift)⁻¹ x.   x: (z, k)"""
        A = csc_array(vstack([self.top, self.F - diags_array(np.full(self.z, shift)) @ self.E]))
        lu = factorise(A, "slowest modes")

        def solve(x: Floats) -> Floats:
            b = self._padded(x)
            y = lu.solve(b)
            y += lu.solve(b - A @ y)
            if not np.isfinite(y).all():
                raise SolveError("the slowest modes cannot be told apart from those of eigenvalue zero")
            found: Floats = self.E @ y
            return found

        return solve

    def _padded(self, x: Floats) -> Floats:
        return np.concatenate([np.zeros((self.top.shape[0], x.shape[1])), x])
