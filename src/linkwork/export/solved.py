"""A fused System solved for accelerations and multipliers, with all choices that numbers decide taken at a start.

Constraints that follow from others are left out; where masses alone do not make the matrix definite, constraints help:

    H = M + Gᵀ W G,    H a + Gᵀ λ = −rest − Gᵀ W γ

which changes nothing in the solution. Nothing is exchanged later, so what is written is valid around the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import LinkworkError
from linkwork.export.factor import Factors, factorise
from linkwork.export.fuse import Fused, Matrix
from linkwork.native import weigh
from linkwork.native.interpreter import run_program
from linkwork.native.numbers import compute_matrices
from linkwork.native.rank import RANK, scale_rows

SINGULAR = "the equations cannot be solved for the accelerations at the start: something moves without inertia there"
CLOSE = 1e-6  # to which the solution at the start must satisfy the equations, relative to their largest part
TINY = 1e-6  # accelerations that are none
DEFINITE = 1e-8  # the least eigenvalue of a mass matrix with ones on its diagonal that is definite by itself


@dataclass(frozen=True, kw_only=True)
class Solved:
    """The equations solved.

    rows    the constraints that are kept
    weights of the constraints that help, by row
    """

    fused: Fused
    rows: tuple[int, ...]
    weights: dict[int, float]
    factors: Factors
    right: list[int]
    a: list[int]
    lam: list[int]

    def correct(self, gaps: list[int]) -> list[int]:
        """The smallest change x, by masses, with G x = −gaps.   gaps: by constraint"""
        b, n = self.fused.b, self.fused.system.n
        return self.solve([b.zero] * n, [b.neg(gap) for gap in gaps])[:n]

    def solve(self, f: Sequence[int], c: Sequence[int]) -> list[int]:
        """Accelerations, then multipliers of the constraints that are kept, for M a + Gᵀλ = f, G a = c."""
        rhs = add_weighted(self.fused, self.weights, f, c)
        return self.factors.solve([*rhs, *(c[row] for row in self.rows)])


def solve(fused: Fused, q: Floats, u: Floats, t: float) -> Solved:
    """Factorise the matrix of a fused System, made for the surroundings of a start.   q: with followers and inputs"""
    system, b = fused.system, fused.b
    M, G = compute_matrices(system, q, t)
    rows = _independent(system, G.toarray())
    weights = {} if _is_definite(M.toarray()) else _weigh(system, q, rows)
    number = {row: i for i, row in enumerate(rows)}
    kept = {(number[row], j): node for (row, j), node in fused.G.items() if row in number}
    H = _add_weights(fused, weights)
    factors = factorise(b, H, kept, system.n, len(rows))
    if any(b.is_constant(b.nodes[node].args[1], 0.0) for node in factors.inverse.values() if b.nodes[node].op == "div"):
        raise LinkworkError(SINGULAR)
    c = [b.neg(node) for node in fused.gamma]
    right = add_weighted(fused, weights, [b.neg(node) for node in fused.rest], c)
    x = factors.solve([*right, *(c[row] for row in rows)])
    lam = [x[system.n + number[row]] if row in number else b.zero for row in range(system.m)]
    found = Solved(fused=fused, rows=rows, weights=weights, factors=factors, right=right, a=x[: system.n], lam=lam)
    _check(found, M, G, q, u, t)
    return found


def _check(s: Solved, M: csc_array, G: csc_array, q: Floats, u: Floats, t: float) -> None:
    """Refuse what has no solution at the start: M a + Gᵀλ = −rest and G a = −γ must hold."""
    f, system = s.fused, s.fused.system
    n, behind = system.n, system.n + len(system.followers)
    values: dict[str, Iterable[float]] = {
        "q": q[:n],
        "e": q[n:behind],
        "u": u,
        "w": system.inputs_in(q),
        "p": [*system.parameters.values()],
    }
    inputs = {kind: [np.asarray(value) for value in some] for kind, some in values.items()}
    program = f.b.program(a=s.a, lam=s.lam, rest=f.rest, gamma=f.gamma)
    a, lam, rest, gamma = (np.array(some, dtype=np.float64) for some in run_program(program, inputs, t).values())
    # where nothing accelerates rounding is all there is
    some = abs(a) + TINY
    forces = np.max(abs(M) @ some + abs(G.T) @ abs(lam) + abs(rest), initial=0.0)
    bends = np.max(abs(G) @ some + abs(gamma), initial=0.0)
    open_forces, open_bends = M @ a + G.T @ lam + rest, G @ a + gamma
    good = np.max(abs(open_forces), initial=0.0) <= CLOSE * forces
    if not good or not np.max(abs(open_bends), initial=0.0) <= CLOSE * bends:
        raise LinkworkError(SINGULAR)


def add_weighted(fused: Fused, weights: Mapping[int, float], f: Sequence[int], c: Sequence[int]) -> list[int]:
    """f + Gᵀ W c, where H = M + Gᵀ W G has the place of M."""
    b, found = fused.b, list(f)
    for (row, j), node in fused.G.items():
        if row in weights:
            found[j] = b.add(found[j], b.mul(node, b.mul(b.constant(weights[row]), c[row])))
    return found


def _independent(system: System, G: Floats) -> tuple[int, ...]:
    """Constraints none of which follows from those before it."""
    from scipy.sparse import csr_array

    scaled = scale_rows(csr_array(G), system.scales).toarray()
    found, basis = list[int](), np.zeros((0, system.n))
    for i, row in enumerate(scaled):
        for _ in range(2):
            row = row - basis.T @ (basis @ row)
        size = float(np.linalg.norm(row))
        if size > RANK:
            found.append(i)
            basis = np.vstack([basis, row / size])
    return tuple(found)


def _is_definite(M: Floats) -> bool:
    diagonal = np.diagonal(M)
    if not (diagonal > 0).all():
        return False
    size = 1.0 / np.sqrt(diagonal)
    return bool(np.linalg.eigvalsh(size[:, None] * M * size).min(initial=1.0) > DEFINITE)


def _weigh(system: System, q: Floats, rows: tuple[int, ...]) -> dict[int, float]:
    """Weights of the constraints that must help, as powers of two."""
    weights = weigh(system, q)
    return {row: float(2.0 ** np.round(np.log2(weights.units[row]))) for row in rows if weights.helpers[row]}


def _add_weights(fused: Fused, weights: dict[int, float]) -> Matrix:
    """H = M + Gᵀ W G, its lower triangle."""
    H, b = dict(fused.M), fused.b
    of_row: dict[int, list[tuple[int, int]]] = {}
    for (row, j), node in fused.G.items():
        of_row.setdefault(row, []).append((j, node))
    for row, weight in weights.items():
        for i, left in of_row[row]:
            for j, right in of_row[row]:
                if i >= j:
                    product = b.mul(b.constant(weight), b.mul(left, right))
                    H[i, j] = b.add(H.get((i, j), b.zero), product)
    return H
