"""The augmented equations: a System at a point with its states and inputs in, all first-order sensitivities out.

The sparse matrix of Table 1 of Negrut and Ortiz (with T = I) is block triangular, so its blocks are solved in turn for
all right-hand sides at once: a column for each state S(q), each speed W(q, u), and each input w.

    [G_h; s_q] q = [ 0 ; Ī ]                                    positions by S
    [G ; w_u]  u = [ 0 ; Ī ] − [ġ_q ; w_q] q                    speeds by W
    [M Gᵀ; G 0] [a; λ] = −[r_q ; g̈_q] q − [r_u ; g̈_u] u         accelerations and multipliers

The speeds are the rates Ṡ or any others, u = T(q) q̇. Of the constraints only independent ones take part; with those of
positions the integrals of first-order states are held. Knows nothing of names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack

from linkwork.analysis.linear.inputs import Change
from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.loops import Slopes, close_loops, compute_slopes, name_values
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.saddle import Saddle, factorise
from linkwork.native.tangents import Point, Tangents, compute_stiffness_by

ROUNDING = 1e-14  # of the terms of a sum
ULPS = 8 * np.finfo(float).eps  # of the terms of forces
DRAWS = 3  # of signs
WORST = 1e12  # condition of a loop


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What spans the states: gradients of S and W, and of Ṡ = s1 and Ẇ = w1, over q and u.

    s_q, s1_q: (z0, n);  w_q, w_u, w1_q, w1_u: (z1, n);  rows0, rows1: independent constraints of positions and of all
    s_w, s1_w, w_w, w1_w: what an input changes in them directly, (z, inputs)
    """

    s_q: csr_array
    s1_q: csr_array
    w_q: csr_array
    w_u: csr_array
    w1_q: csr_array
    w1_u: csr_array
    rows0: Ints
    rows1: Ints
    s_w: Floats
    s1_w: Floats
    w_w: Floats
    w1_w: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivities:
    """Columns by S (z0), W (z1) and inputs: of positions, speeds, accelerations (n rows), multipliers (m), Ṡ and Ẇ.

    values are algebraic ones.
    """

    q: Floats
    u: Floats
    a: Floats
    lam: Floats
    values: Floats
    S1: Floats
    W1: Floats


class Accelerations:
    """The matrix [M Gᵀ; G 0] over independent constraints, factorised, and the loops of algebraic values v.

        M a + Gᵀλ + r_v v = f,   G a = γ,   ρ_a a + ρ_λ λ + ρ_v v = −ρ

    `by` are the slopes of ρ where the loops have been closed.
    """

    def __init__(self, system: System, q: Floats, t: float, rows: Ints) -> None:
        self.system, self.rows = system, rows
        self.M, self.G = compute_matrices(system, q, t)
        G = self.G.tocsr()[rows]
        self.saddle = Saddle(self.M, G, "accelerations")
        self.by: Slopes | None = None

    def solve(self, force: Floats, gamma: Floats) -> tuple[Floats, Floats]:
        """a and λ of M a + Gᵀλ = force, G a = gamma, v being what follows.   force: (n, ...), gamma: (m, ...)"""
        a, lam, _ = self.solve_all(force, gamma, np.zeros((len(self.system.algebra), *force.shape[1:])))
        return a, lam

    def solve_all(self, force: Floats, gamma: Floats, rest: Floats) -> tuple[Floats, Floats, Floats]:
        """The same with v, where ρ changes by `rest` besides.   rest: (values, ...)"""
        a, lam = self._solve(force, gamma)
        if self.by is None:
            return a, lam, rest
        v = np.asarray(np.linalg.solve(self.D, -rest - self.by.a @ a - self.by.lam @ lam), dtype=np.float64)
        return a + self.Y[0] @ v, lam + self.Y[1] @ v, v

    def _solve(self, force: Floats, gamma: Floats) -> tuple[Floats, Floats]:
        lam = np.zeros((self.system.m, *force.shape[1:]))
        a, lam[self.rows] = self.saddle.solve(force, gamma[self.rows])
        return a, lam

    def close(self, at: Point) -> None:
        """Take the loops of algebraic values into account, at a state where they are closed."""
        s = self.system
        places = [s.inputs[value.name] for value in s.algebra]
        self.by = compute_slopes(s, at)
        self.Y = self._solve(-compute_stiffness_by(s, at, places), np.zeros((s.m, len(places))))
        self.D = self.by.q[:, places] + self.by.a @ self.Y[0] + self.by.lam @ self.Y[1]
        if not np.isfinite(self.D).all() or np.linalg.cond(self.D) > WORST:
            raise SolveError(f"the loop of {name_values(s)} has no unique solution at this point")


def find_point(system: System, t: float, q: Floats, u: Floats, rows: Ints) -> tuple[Point, Accelerations]:
    """Accelerations and multipliers at a consistent state."""
    q = settle_calls(system, t, q, u)
    matrix = Accelerations(system, q, t, rows)
    if system.algebra:
        at = close_loops(system, t, q, u, rows)
        matrix.close(at)
        return at, matrix
    zero, none = np.zeros(system.n), np.zeros(system.m)
    r = compute_residual(system, q, u, zero, none, t)
    a, lam = matrix.solve(-r, -compute_levels(system, q, u, zero, t)[2])
    if not (np.isfinite(a).all() and np.isfinite(lam).all()):
        raise SolveError("the accelerations are not finite at this point")
    return Point(t=t, q=q, u=u, a=a, lam=lam), matrix


def solve_sensitivities(
    system: System, matrix: Accelerations, tangents: Tangents, basis: Basis, inputs: list[Change]
) -> Sensitivities:
    """All sensitivities at a point."""
    n, z0, z1, k = system.n, basis.s_q.shape[0], basis.w_u.shape[0], len(inputs)
    columns = z0 + z1 + k
    G = matrix.G.tocsr()
    by_S, by_W, by_w = slice(0, z0), slice(z0, z0 + z1), slice(z0 + z1, columns)

    def stacked(part: str, size: int) -> Floats:
        found = np.zeros((size, columns))
        for j, change in enumerate(inputs):
            found[:, z0 + z1 + j] = getattr(change, part)
        return found

    # positions
    rhs = np.concatenate([-stacked("g", system.m)[basis.rows0], np.zeros((n - len(basis.rows0), columns))])
    rhs[n - z0 :, by_S] = np.eye(z0)
    rhs[n - z0 :, by_w] = -basis.s_w
    q = factorise(vstack([G[basis.rows0], system.held, basis.s_q], format="csr"), "positions").solve(rhs)
    # speeds
    g1 = tangents.g1_q[:, :n] @ q + stacked("g1", system.m)
    low = -(basis.w_q @ q)
    low[:, by_W] += np.eye(z1)
    low[:, by_w] -= basis.w_w
    u = factorise(vstack([G[basis.rows1], basis.w_u], format="csr"), "speeds").solve(
        np.concatenate([-g1[basis.rows1], low])
    )
    # accelerations and multipliers
    r = tangents.r_q[:, :n] @ q + tangents.r_u[:, :n] @ u + stacked("r", n)
    g2 = tangents.g2_q[:, :n] @ q + tangents.g2_u[:, :n] @ u + stacked("g2", system.m)
    rest = stacked("rest", len(system.algebra))
    if matrix.by is not None:
        rest = rest + matrix.by.q[:, :n] @ q + matrix.by.u @ u
    a, lam, values = matrix.solve_all(-r, -g2, rest)
    S1 = _sum((basis.s1_q, q), (basis.s_q, u))
    W1 = _sum((basis.w1_q, q), (basis.w1_u, u), (basis.w_u, a))
    W1 = np.where(np.abs(W1) <= _find_noise(matrix, tangents, basis, q, u), 0.0, W1)
    S1[:, by_w] += basis.s1_w
    W1[:, by_w] += basis.w1_w
    return Sensitivities(q=q, u=u, a=a, lam=lam, values=values, S1=S1, W1=W1)


def _find_noise(matrix: Accelerations, tangents: Tangents, basis: Basis, q: Floats, u: Floats) -> Floats:
    """What rounding may leave in Ẇ: the sizes of all terms with random signs, solved like their sums, a few ulps of it.

    Forces of stiff springs that cancel along a free motion leave more behind than that motion's own terms tell.
    """
    n, random = matrix.system.n, np.random.default_rng(1)
    force = abs(tangents.r_q[:, :n]) @ np.abs(q) + abs(tangents.r_u[:, :n]) @ np.abs(u)
    gamma = abs(tangents.g2_q[:, :n]) @ np.abs(q) + abs(tangents.g2_u[:, :n]) @ np.abs(u)
    noise = np.zeros((basis.w_u.shape[0], q.shape[1]))
    for _ in range(DRAWS):
        signs = [random.choice([-1.0, 1.0], size=x.shape) for x in (force, gamma)]
        a, _ = matrix.solve(force * signs[0], gamma * signs[1])
        noise = np.maximum(noise, np.abs(basis.w_u @ a))
    return np.asarray(ULPS * noise)


def _sum(*pairs: tuple[csr_array, Floats]) -> Floats:
    """Σ A x; what is left of terms that cancel to rounding is zero, so that free motions stay free."""
    total = sum(A @ x for A, x in pairs)
    size = sum(abs(A) @ np.abs(x) for A, x in pairs)
    found: Floats = np.where(np.abs(total) <= ROUNDING * size, 0.0, total)
    return found
