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
Matrix = Sparse | Floats

SOFT = 1e-13  # E, relative to the square of the largest entry of G
LARGEST = 1e150  # entry of G that counts: its square is within the range of floats
REFINEMENTS = 2
CAUSES = {"accelerations": "something moves without inertia there"}


class Saddle:
    """The matrix of D (n, n) and G (m, n), factorised; `what` is what it is solved for, in words.

    Both may be given with all their zeros, which is quicker where they are small.
    """

    def __init__(self, D: Matrix, G: Matrix, what: str, soft: bool = False) -> None:
        self.n, self.soft = D.shape[0], soft
        self.exact: Matrix
        self.lu: Any  # SuperLU has no public type
        if isinstance(D, np.ndarray) and isinstance(G, np.ndarray):
            self.exact = join(D, G)
            self.lu = _Dense(join(D, G, _softness(G)) if soft else self.exact, what)
            return
        m, G = G.shape[0], csc_array(G)
        self.exact = block_array([[csc_array(D), G.T], [G, csc_array((m, m))]], format="csc")
        E = -_softness(G.data) * diags_array(np.ones(m))
        matrix = block_array([[csc_array(D), G.T], [G, E]], format="csc") if soft else self.exact
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


def _softness(entries: Floats) -> float:
    return SOFT * min(LARGEST, max(1 / LARGEST, float(np.max(np.abs(entries), initial=0.0)))) ** 2


def join(D: Floats, G: Floats, E: float = 0.0) -> Floats:
    """The matrix with all its zeros, and −E in the place of some."""
    n, size = len(D), len(D) + len(G)
    matrix = np.zeros((size, size))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = D, G.T, G
    matrix.flat[n * (size + 1) :: size + 1] = -E
    return matrix


class _Dense:
    """A matrix with all its zeros, factorised."""

    def __init__(self, A: Floats, what: str) -> None:
        from scipy.linalg.lapack import dgetrf  # a heavy import

        self.lu: Floats = A
        self.pivots: Any = None
        info = 0
        if len(A):
            self.lu, self.pivots, info = dgetrf(A)
        if info or not np.isfinite(self.lu).all():
            raise _unsolvable(what)

    def solve(self, rhs: Floats) -> Floats:
        """A⁻¹ rhs, one column after the other: for several at once LAPACK starts threads, which takes longer."""
        from scipy.linalg.lapack import dgetrs

        if rhs.ndim == 1 and len(rhs):
            return np.asarray(dgetrs(self.lu, self.pivots, rhs)[0])
        columns = rhs.reshape(len(rhs), -1).T if len(rhs) else ()
        found = [dgetrs(self.lu, self.pivots, column)[0] for column in columns]
        return np.array(found).T.reshape(rhs.shape) if len(found) else rhs


def _unsolvable(what: str) -> SolveError:
    cause = CAUSES.get(what, "the states are dependent there")
    return SolveError(f"the equations cannot be solved for the {what} at this point: {cause}")


def factorise(A: Sparse, what: str) -> Any:  # SuperLU has no public type
    """A sparse LU factorisation, or words."""
    from scipy.sparse.linalg import splu  # a heavy import

    try:
        return splu(A.tocsc())
    except (RuntimeError, ValueError):  # singular, or more or fewer equations than unknowns
        raise _unsolvable(what) from None
