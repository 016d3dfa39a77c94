"""The saddle-point problem, written once: inertia or stiffness D and constraints G in, motions and multipliers out.

    [ D  Gᵀ ] [x]   [f]
    [ G  0  ] [λ] = [g]

Rows of G are independent (`rank` and the choice of states say which are), or it is softened: −E in the place of zero
makes dependent rows harmless, and refinements with the true matrix remove what E does to x. The runtime in C and its
oracle have their own, which are made for many solutions with one pattern.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import block_array, csc_array, csr_array, dia_array, diags_array

from linkwork.arrays import Floats
from linkwork.errors import SolveError

Sparse = csc_array | csr_array | dia_array

SOFT = 1e-13  # E, relative to the square of the largest entry of G
REFINEMENTS = 2
CAUSES = {"accelerations": "something moves without inertia there"}


class Saddle:
    """The matrix of D (n, n) and G (m, n), factorised; `what` is what it is solved for, in words."""

    def __init__(self, D: Sparse, G: Sparse, what: str, soft: bool = False) -> None:
        self.n, m = D.shape[0], G.shape[0]
        self.exact = block_array([[D, G.T], [G, csc_array((m, m))]], format="csc")
        self.soft = soft
        matrix = self.exact
        if soft:
            size = max(1e-300, float(np.max(np.abs(csc_array(G).data), initial=0.0)))
            matrix = block_array([[D, G.T], [G, -SOFT * size**2 * diags_array(np.ones(m))]], format="csc")
        self.lu = factorise(matrix, what)

    def solve(self, f: Floats | None = None, g: Floats | None = None) -> tuple[Floats, Floats]:
        """x and λ; what is not given is zero.   f: (n, ...), g: (m, ...)"""
        tail = f.shape[1:] if f is not None else g.shape[1:] if g is not None else ()
        m = self.exact.shape[0] - self.n
        rhs = np.concatenate([np.zeros((self.n, *tail)) if f is None else f, np.zeros((m, *tail)) if g is None else g])
        x = self.lu.solve(rhs)
        for _ in range(REFINEMENTS if self.soft else 0):
            x = x + self.lu.solve(rhs - self.exact @ x)
        return np.asarray(x[: self.n]), np.asarray(x[self.n :])


def factorise(A: Sparse, what: str) -> Any:  # SuperLU has no public type
    """A sparse LU factorisation, or words."""
    from scipy.sparse.linalg import splu  # a heavy import

    try:
        return splu(A.tocsc())
    except (RuntimeError, ValueError):  # singular, or more or fewer equations than unknowns
        cause = CAUSES.get(what, "the states are dependent there")
        raise SolveError(f"the equations cannot be solved for the {what} at this point: {cause}") from None
