"""Eigenvalues with the zeros exact: a matrix in, eigenvalues with right and left eigenvectors out.

Free motions give zero eigenvalues in Jordan blocks, which rounding would turn into clusters of radius √ε. They are
taken out first, by orthogonal transformations: with N a basis of the null space of A and R its complement,

    A = [N R] [0  NᵀAR] [N R]ᵀ        and the same again for RᵀAR, until it is regular.
              [0  RᵀAR]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eig, matrix_balance

from linkwork.arrays import Complexes, Floats

COINCIDE = 1e10  # of eigenvectors: by how much their inverse may be larger than they are
ROUNDING = 4 * np.finfo(float).eps
ZERO = 1e-12  # singular values below this fraction of the largest count as zero


@dataclass(frozen=True, slots=True, kw_only=True)
class Spectrum:
    """Eigenvalues with right and left eigenvectors as columns, wᴴ v = 1; those of eigenvalue zero span its space."""

    eigenvalues: Complexes
    right: Complexes
    left: Complexes


def find_spectrum(A: Floats, sizes: Floats) -> Spectrum:
    """The eigenvalues of A.   sizes: what is a change of full size of each x, so that entries can be compared"""
    # what rounding has left beside the largest of its row must not be blown up by balancing
    seen = np.abs(A) * sizes
    exact = np.where(seen <= ROUNDING * np.max(seen, axis=1, initial=0.0, keepdims=True), 0.0, A)
    with np.errstate(invalid="ignore"):  # the permutation, which is not asked for, is made of the scales
        B, (scale, _) = matrix_balance(exact, separate=True, permute=False)
    values, vectors = find_eigenvectors(np.asarray(B, dtype=np.float64), ZERO * float(np.linalg.norm(B)))
    right: Complexes = np.asarray(scale[:, None] * vectors, dtype=np.complex128)
    return Spectrum(eigenvalues=values, right=right, left=_inverse(right).conj().T)


def find_eigenvectors(B: Floats, zero: float) -> tuple[Complexes, Complexes]:
    """Eigenvalues and right eigenvectors; singular values up to `zero` count as zero."""
    n = len(B)
    Q, k = _deflate(B, zero)
    T = Q.T @ B @ Q
    values, vectors = np.zeros(n, np.complex128), np.eye(n, dtype=np.complex128)
    if k < n:
        values[k:], vectors[k:, k:] = eig(T[k:, k:])
        for j in range(k, n):
            # (T₁₁ − λ) x₁ = −T₁₂ x₂
            vectors[:k, j] = np.linalg.solve(T[:k, :k] - values[j] * np.eye(k), -T[:k, k:] @ vectors[k:, j])
    return values, np.asarray(Q @ vectors, dtype=np.complex128)


def _inverse(V: Complexes) -> Complexes:
    """V⁻¹; of eigenvectors that coincide the pseudo-inverse."""
    try:
        found = np.asarray(np.linalg.inv(V), dtype=np.complex128)
        if np.max(np.abs(found), initial=0.0) * np.max(np.abs(V), initial=0.0) < COINCIDE:
            return found
    except np.linalg.LinAlgError:
        pass
    return np.asarray(np.linalg.pinv(V), dtype=np.complex128)


def _deflate(B: Floats, zero: float) -> tuple[Floats, int]:
    """Orthogonal Q whose first k columns span the space of the eigenvalue zero."""
    n, k = len(B), 0
    Q = np.eye(n)
    while k < n:
        _, sigma, Vt = np.linalg.svd(Q[:, k:].T @ B @ Q[:, k:])
        null = int(np.sum(sigma <= zero))
        if null == 0:
            break
        # the null space first, then its complement
        Q[:, k:] = Q[:, k:] @ np.concatenate([Vt[n - k - null :], Vt[: n - k - null]]).T
        k += null
    return Q, k
