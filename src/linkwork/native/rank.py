"""The rank of constraints, decided in one place: a constraint matrix in, its rank and what depends on what out.

Rows are brought to length one and columns to the scales of the coordinates first, so that one tolerance serves all:
neither units nor the size of a part decides what is redundant. Whoever asks which constraints are independent (starts,
structure, linear models, results) asks here; rounded numbers were made to agree before (`solve.fit`). The runtime in C
and its oracle have pivots in the place of singular values, about their squares.

Singular values and least squares elsewhere are of something else: of numbers that are made to fit (`solve.start.fit`),
of second derivatives (`solve.start.singular`), of forces that only push (`solve.impacts`), of slopes of linear models
(`analysis`), of directions already found to be free (`analysis.structure.choices`), of loops of algebraic values, of
rotations and places of points. The audit and the reference machines have their own: they are other routes to the same.

Large: the number of eigenvalues of a symmetric matrix below a bound is the number of negative pivots of the matrix
minus that bound (Sylvester), which a sparse factorisation counts; vectors follow by inverse iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from linkwork.arrays import Bools, Floats, Ints
from linkwork.errors import SolveError

# singular values below this fraction of the largest count as zero: a start very near a singular position is in it
RANK = 1e-6
FAINT = 1e-10  # what is rounding: constraints that repeat each other everywhere, forces that nothing feels
DENSE = 300  # coordinates up to which dense linear algebra is used
COUPLED = 1e-7  # entries of a projector that count
MOST = 200  # vectors of a large null space that are computed
OUT_OF_RANGE = (
    "out of range: not finite, or too large for their squares. A mass, an inertia or a length may be far smaller or "
    "larger than all others; check the numbers"
)
SPLIT = 3000  # members of a null space up to which groups are told apart

Compressed = TypeVar("Compressed", csc_array, csr_array)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A matrix (m, n) in scaled coordinates: its rank, its left null space (m, k), its null space (n, f) if small."""

    rank: int
    left: Floats
    right: Floats | None


@dataclass(frozen=True, slots=True)
class Split:
    """A small matrix J (m, n) with rows of length one, by its singular values: J = U diag(σ) Vt.

    rows are the lengths that the rows had, 1 for empty ones;  U: (m, m), sigma: (min(m, n),), Vt: (n, n)
    """

    rows: Floats
    U: Floats
    sigma: Floats
    Vt: Floats

    @property
    def rank(self) -> int:
        """The number of independent rows."""
        return self.count(RANK)

    def count(self, cut: float) -> int:
        """The number of singular values above a fraction of the largest."""
        return int(np.sum(self.sigma > cut * np.max(self.sigma, initial=0.0)))

    @property
    def left(self) -> Floats:
        """What rows depend on each other, for the rows as they were: Yᵀ J = 0.   (m, m − rank)"""
        return np.asarray(self.U[:, self.rank :] / self.rows[:, None])

    @property
    def right(self) -> Floats:
        """The directions that are left: J N = 0.   (n, n − rank)"""
        return np.asarray(self.Vt[self.rank :].T)

    def solve(self, r: Floats, rank: int | None = None) -> Floats:
        """The shortest x with J x = r in the independent rows, or nearest to that; r is of the rows as they were."""
        k = self.rank if rank is None else rank
        return np.asarray(self.Vt[:k].T @ (self.U[:, :k].T @ (r / self.rows) / self.sigma[:k]))


def split(J: Floats) -> Split:
    """Singular values of a small matrix over scaled coordinates, whose entries are finite: a SolveError if not."""
    if not np.isfinite(J).all():
        raise SolveError(f"slopes of the constraints are {OUT_OF_RANGE}")
    with np.errstate(over="ignore"):
        sizes = np.linalg.norm(J, axis=1)
    if not np.isfinite(sizes).all():
        # squares out of range: by the largest entry first
        largest = np.maximum(np.max(np.abs(J), axis=1, initial=0.0), 1.0)
        inner = split(J / largest[:, None])
        return Split(largest * inner.rows, inner.U, inner.sigma, inner.Vt)
    rows = np.where(sizes > 0, sizes, 1.0)
    return Split(rows, *np.linalg.svd(J / rows[:, None]))


def find_free(J: Floats) -> Floats:
    """The projectors P on the directions that constraints leave, J P = 0.   J: (k, m, n)  →  (k, n, n)"""
    sizes = np.linalg.norm(J, axis=2, keepdims=True)
    J = J / np.where(sizes > 0, sizes, 1.0)
    return np.asarray(np.eye(J.shape[2]) - np.linalg.pinv(J, rcond=RANK) @ J)


def solve_columns(A: Floats, b: Floats, sizes: Floats) -> tuple[Floats, Bools]:
    """The smallest x with A x = b, or nearest to that, and where no other would do as well.

    A: (k, n, c), b: (k, n), sizes: (k,) beside which its singular values count  →  (k, c), (k,)
    """
    U, sigma, Vt = np.linalg.svd(A, full_matrices=False)
    clear = sigma > RANK * sizes[:, None]
    inverse = np.where(clear, 1.0 / np.maximum(sigma, 1e-300), 0.0)
    x = np.einsum("kba,kb->ka", Vt, inverse * np.einsum("kib,ki->kb", U, b))
    return np.asarray(x), np.asarray(clear.all(axis=1))


def balance(G: Floats, r: Floats) -> Floats:
    """The least λ with Gᵀλ = −r, or nearest to that.   G: (k, m, n), r: (k, n)  →  (k, m)"""
    return -np.asarray(np.einsum("kan,kn->ka", np.linalg.pinv(G.swapaxes(1, 2), rcond=FAINT), r))


def scale_rows(G: Compressed, scales: Floats) -> Compressed:
    """G over scaled coordinates with rows of length one; rows that vanish stay zero."""
    inner, outer = G.indices, np.repeat(np.arange(len(G.indptr) - 1), np.diff(G.indptr))
    by_columns: bool = G.format == "csc"
    row, column = (inner, outer) if by_columns else (outer, inner)
    values = G.data * scales[column]
    # by the largest entry first: squares of large numbers are out of range
    largest = np.zeros(G.shape[0])
    np.maximum.at(largest, row, np.abs(values))
    largest[largest == 0.0] = 1.0
    values = values / largest[row]
    sizes = np.sqrt(np.bincount(row, values**2, G.shape[0]))
    vanishing = largest * sizes <= 1e-9 * float((largest * sizes).max(initial=0.0))
    values = values / np.where(vanishing, np.inf, sizes)[row]
    return type(G)((values, G.indices, G.indptr), shape=G.shape)


def find_rank(G: csc_array | csr_array) -> Rank:
    """Rank and null spaces of a matrix with scaled rows and columns."""
    m, n = G.shape
    if m == 0:
        return Rank(rank=0, left=np.zeros((0, 0)), right=np.eye(n) if n <= DENSE else None)
    if n > DENSE:
        left = find_kernel(csc_array(G @ G.T), RANK**2)
        return Rank(rank=m - left.shape[1], left=left, right=None)
    U, sigma, Vt = np.linalg.svd(G.toarray())
    rank = int(np.sum(sigma > RANK * max(float(sigma.max(initial=0.0)), 1e-300)))
    return Rank(rank=rank, left=U[:, rank:], right=Vt[rank:].T)


def find_kernel(A: csc_array, tolerance: float) -> Floats:
    """Vectors of a symmetric positive semi-definite matrix with eigenvalues below a fraction of its largest."""
    from scipy.sparse.linalg import splu

    size = A.shape[0]
    bound = tolerance * float(abs(A).sum(axis=0).max())
    if bound == 0.0:
        return np.eye(size)[:, :MOST] if size <= MOST else np.eye(size, MOST)
    shifted = csc_array(A - bound * diags_array(np.ones(size)))
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    count = int(np.sum(factors.U.diagonal() < 0.0))
    if count == 0:
        return np.zeros((size, 0))
    vectors = np.random.default_rng(1).standard_normal((size, min(count, MOST)))
    for _ in range(4):
        vectors, _ = np.linalg.qr(factors.solve(vectors))
    return vectors if count <= MOST else np.hstack([vectors, np.zeros((size, count - MOST))])


def find_groups(vectors: Floats) -> list[Ints]:
    """The members of a null space (size, k), those that depend on each other together."""
    taking_part = np.flatnonzero(np.linalg.norm(vectors, axis=1) ** 2 > COUPLED)
    if not 0 < len(taking_part) <= SPLIT:
        return [taking_part] if len(taking_part) else []
    from scipy.sparse.csgraph import connected_components  # a heavy import

    # two belong together if the projector on the null space couples them
    P = np.abs(vectors[taking_part] @ vectors[taking_part].T)
    count, label = connected_components(csc_array((P > COUPLED).astype(np.int8)), directed=False)
    return [taking_part[label == i] for i in range(count)]


def find_spare(rows: Floats, surplus: int) -> Ints:
    """Rows that depend on those before them, as many as are too many."""
    kept = np.zeros((0, rows.shape[1]))
    left = np.ones(len(rows))
    for i, row in enumerate(rows):
        # twice, so that rounding is removed
        rest = row - kept.T @ (kept @ row)
        rest -= kept.T @ (kept @ rest)
        left[i] = np.linalg.norm(rest)
        if left[i] > RANK:
            kept = np.vstack([kept, rest / left[i]])
    return np.sort(np.argsort(left, kind="stable")[:surplus])
