"""The slowest eigenvalues of a large matrix: (A − τ)⁻¹ as a function in, a small matrix with the same ones out.

A block Krylov space of (A − τ)⁻¹ grows from a fixed start until those eigenvalues that are wanted have settled; a fresh
block then shows whether some were missed, as copies of multiple eigenvalues can be. Knows nothing of mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import schur

from linkwork.arrays import Complexes, Floats
from linkwork.clock import check_time
from linkwork.errors import SolveError

BLOCK = 4  # vectors at a time
STEPS = 8  # blocks between two looks at the eigenvalues
SETTLED = 1e-13  # residuals below this, relative to the largest eigenvalue of (A − τ)⁻¹, are none
ROUNDING = 1e-14  # and these, relative to (A − τ)⁻¹
SAME = 1e-9  # eigenvalues that change by less in a larger space are as good as rounding lets them be
APART = 1e-6  # eigenvalues closer than this, relative to their size, are wanted together
TINY = 1e-300
DEPENDENT = 1e-14  # squares of lengths below this are rounding
NOTHING = 1e-4  # eigenvalues below this fraction of the shift are not told apart from zero
MANY = 200  # zeros
MOST = 1200  # vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """A on the space of its slowest eigenvalues: A V = V small.   V: (z, k) orthonormal, small: (k, k)"""

    V: Floats
    small: Floats


class Krylov:
    """A growing orthonormal basis Q and W = (A − τ)⁻¹ Q."""

    def __init__(self, solve: Callable[[Floats], Floats], z: int, shift: float) -> None:
        self.solve, self.z, self.shift = solve, z, shift
        self.random = np.random.default_rng(1)
        self.Q, self.W = np.zeros((z, 0)), np.zeros((z, 0))
        self.last = np.zeros((z, 0))

    @property
    def full(self) -> bool:
        """Whether the basis spans everything."""
        return self.Q.shape[1] == self.z

    def grow(self, least: int = 0, *, fresh: bool = False) -> None:
        """Some vectors more, from where it was or from a fresh start."""
        if fresh:
            self.last = np.zeros((self.z, 0))
        for _ in range(max(STEPS, -(-least // BLOCK))):
            check_time("the search for the slowest modes")
            block = self._orthonormal(self.last)
            if block.shape[1] < BLOCK:  # exhausted: go on with something else
                others = self.random.standard_normal((self.z, BLOCK - block.shape[1]))
                block = self._orthonormal(np.hstack([block, others]))
            if block.shape[1] == 0:
                return
            self.last = self.solve(block)
            self.Q, self.W = np.hstack([self.Q, block]), np.hstack([self.W, self.last])

    def _orthonormal(self, block: Floats) -> Floats:
        """A basis of what a block adds."""
        left = self.z - self.Q.shape[1]
        for _ in range(3):
            block = block / np.maximum(np.linalg.norm(block, axis=0), TINY)
            block = block - self.Q @ (self.Q.T @ block)
            # along the principal axes, largest first; what vanishes beside the rest is rounding
            squares, axes = np.linalg.eigh(block.T @ block)
            new = np.flatnonzero(squares > DEPENDENT)[::-1][:left]
            block = block @ (axes[:, new] / np.sqrt(squares[new]))
        return block

    def look(self) -> tuple[Complexes, Complexes, Floats]:
        """Eigenvalues of A by size, their vectors in the basis, and the small matrix they come from."""
        H = self.Q.T @ self.W
        theta, Y = np.linalg.eig(H)
        values = self.shift + 1.0 / np.where(theta == 0, TINY, theta)
        order = np.lexsort((values.imag, np.abs(values)))
        return values[order].astype(np.complex128), Y[:, order].astype(np.complex128), H

    def is_settled(self, values: Complexes, Y: Complexes) -> bool:
        """Whether these are eigenvalues with their vectors, as far as rounding lets one see."""
        theta = 1.0 / (values - self.shift)
        residual = np.linalg.norm(self.W @ Y - self.Q @ (Y * theta), axis=0)
        largest = np.max(np.linalg.norm(self.W, axis=0))
        return bool(np.all(residual <= SETTLED * np.max(np.abs(theta)) + ROUNDING * largest))


def reduce_to_slowest(space: Krylov, count: int) -> Slow:
    """The `count` slowest modes, a pair of conjugate eigenvalues being one; the space grows as it must."""
    checked, nothing, before = -1, NOTHING * space.shift, np.zeros(0, complex)
    while True:
        size = space.Q.shape[1]
        space.grow(size // 4, fresh=checked >= 0)
        values, Y, H = space.look()
        k = _wanted(values, count, nothing)
        slack = np.where(np.abs(before) <= nothing, 2 * nothing, SAME * np.abs(before))
        same = len(before) == k and bool(np.all(np.abs(values[:k] - before) <= slack))
        settled = k < len(values) and (same or space.is_settled(values[:k], Y[:, :k]))
        before = values[:k]
        if space.full or (settled and k == checked):
            return _reduce(space, H, values, k)
        checked = k if settled else -1
        if size > max(MANY, 8 * count) and abs(values[-1]) <= nothing:
            raise SolveError(f"more than {MANY} eigenvalues are zero: little holds the mechanism here")
        if size > MOST:
            raise SolveError(f"the {count} slowest modes did not settle. Ask for fewer modes, or for all")


def _wanted(values: Complexes, count: int, nothing: float) -> int:
    """How many of the eigenvalues, by size, make up the wanted modes and what cannot be told apart from them."""
    sizes = np.maximum(np.abs(values), nothing)
    # of a pair only one counts
    k = int(np.searchsorted(np.cumsum(values.imag >= 0), count)) + 1
    while k < len(values) and sizes[k] <= sizes[k - 1] * (1 + APART):
        k += 1
    return min(k, len(values))


def _reduce(space: Krylov, H: Floats, values: Complexes, k: int) -> Slow:
    """The invariant subspace of the k slowest eigenvalues, and A on it."""
    sizes = np.abs(values)
    radius = (sizes[k - 1] + sizes[k]) / 2 if k < len(sizes) else np.inf

    def is_slow(re: float, im: float = 0.0) -> bool:
        return bool(abs(space.shift + 1.0 / (complex(re, im) or TINY)) <= radius)

    T, Y, k = schur(H, sort=is_slow)
    return Slow(V=space.Q @ Y[:, :k], small=space.shift * np.eye(k) + np.linalg.inv(T[:k, :k]))
