"""A fused System solved for accelerations and multipliers, with all choices that numbers decide taken at a start.

Where masses alone do not make the matrix definite, constraints help:

    H = M + Gᵀ W G,    H a + Gᵀ λ = −rest − Gᵀ W γ

which changes nothing in the solution. Where some constraints follow from
others, each gives way a little, and what they gave way is made up for:

    [H  Gᵀ] [a]   [f]          [H  Gᵀ] [Δ]   [0      ]
    [G  −ε] [λ] = [c],         [G  −ε] [μ] = [c − G a]

Nothing is exchanged later, so what is written is valid around the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np
from scipy.sparse import csr_array

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import LinkworkError
from linkwork.export.factor import Factors, factorise
from linkwork.export.fuse import Fused, Matrix
from linkwork.model.opaque import listen
from linkwork.native import weigh
from linkwork.native.interpreter import run_program
from linkwork.native.rank import RANK, scale_rows
from linkwork.program import Builder, lower, replace_nodes
from linkwork.symbolic import Expr

SINGULAR = "the equations cannot be solved for the accelerations at the start: something moves without inertia there"
CLOSE = 1e-6  # to which the solution at the start must satisfy the equations, relative to their largest part
TINY = 1e-6  # accelerations that are none
GIVE = 1e-2  # how much constraints that follow from each other give way, relative to the least that is constrained
REPAIRS = 6  # solutions that make up for it: each leaves GIVE of what was missing
LEAST = 1e-6  # of what the multiplier does that moves most: some move next to nothing
DEFINITE = 1e-8  # the least eigenvalue of a mass matrix with ones on its diagonal that is definite by itself


@dataclass(frozen=True, kw_only=True)
class Solved:
    """The equations solved.

    weights of the constraints that help, by row
    gives_way  whether constraints follow from each other
    ratios  of masses to what they were, which follow from parameters alone
    """

    fused: Fused
    gives_way: bool
    weights: dict[int, float]
    ratios: tuple[int, ...]
    factors: Factors
    right: list[int]
    a: list[int]
    lam: list[int]

    def correct(self, gaps: list[int]) -> list[int]:
        """The smallest change x, by masses, with G x = −gaps.   gaps: by constraint"""
        b, n = self.fused.b, self.fused.system.n
        return self.solve([b.zero] * n, [b.neg(gap) for gap in gaps])[:n]

    def solve(self, f: Sequence[int], c: Sequence[int]) -> list[int]:
        """Accelerations, then multipliers, for M a + Gᵀλ = f, G a = c."""
        rhs = add_weighted(self.fused, self.weights, f, c)
        return _refined(self.fused, self.factors, rhs, c, self.gives_way)


def solve(fused: Fused, q: Floats, u: Floats, t: float, masses: Sequence[Expr] = ()) -> Solved:
    """Factorise the matrix of a fused System, made for the surroundings of a start.   q: with followers and inputs

    masses  of which M is made; none: what the diagonal of M is at the start stands for them
    """
    system, b = fused.system, fused.b
    at = Start(fused, q, u, t)
    M, G = at.mass, at.constraints
    rows = _independent(system, G)
    weights = {} if _is_definite(M) else _weigh(system, q, rows)
    gives_way = len(rows) < system.m
    ratios = tuple(dict.fromkeys(_compare(at, masses))) if system.m else ()
    soft = _soften(M, G, weights, len(rows)) if gives_way else {}
    # heavier bodies move less
    heavier = find_extreme(b, "max", ratios, weights)
    gives = {row: b.div(b.constant(give), heavier) for row, give in soft.items()}
    factors = factorise(b, _add_weights(fused, weights), fused.G, system.n, system.m, gives)
    if any(b.is_constant(b.nodes[node].args[1], 0.0) for node in factors.inverse.values() if b.nodes[node].op == "div"):
        raise LinkworkError(SINGULAR)
    # G (a + shift) = −γ + G shift
    c = [b.neg(node) for node in fused.gamma]
    for (row, j), node in fused.G.items():
        c[row] = b.add(c[row], b.mul(node, fused.shift[j]))
    right = add_weighted(fused, weights, [b.neg(node) for node in fused.rest], c)
    x = _refined(fused, factors, right, c, gives_way)
    a = [b.sub(x[i], fused.shift[i]) for i in range(system.n)]
    lam = x[system.n :]
    found = Solved(
        fused=fused, gives_way=gives_way, weights=weights, ratios=ratios, factors=factors, right=right, a=a, lam=lam
    )
    at.check(found)
    return found


def _compare(at: Start, masses: Sequence[Expr]) -> Iterator[int]:
    """Masses over what they are at first; numbers stay as they are."""
    f, b = at.fused, at.fused.b
    nodes = [lower(b, expr, f.symbols) for expr in masses]
    if not nodes:
        first = dict(zip((*f.q, *f.e, *f.u, *f.w, f.t), map(b.constant, at.numbers), strict=True))
        nodes = replace_nodes(b, [node for (i, j), node in f.M.items() if i == j], first)
    nodes = [*dict.fromkeys(nodes)]
    (values,) = at.compute(values=nodes)
    ratios = ((node, 1.0 / value) for node, value in zip(nodes, values.tolist(), strict=True) if value)
    return (b.one if b.is_constant(node) else b.mul(b.constant(scale), node) for node, scale in ratios)


def find_extreme(b: Builder, op: str, ratios: Sequence[int], weights: Mapping[int, float]) -> int:
    """The least or the largest ratio, among them one, which is that of weights."""
    return reduce(lambda one, two: b.emit(op, one, two), [*ratios, *([b.one] if weights or not ratios else [])])


def _soften(M: Floats, G: Floats, weights: Mapping[int, float], rank: int) -> dict[int, float]:
    """How much each constraint gives way: a part of the acceleration that its own multiplier makes along it.

    What is missing falls by E/(s + E) with each repair, s: the least eigenvalue of G H⁻¹ Gᵀ, with ones on its diagonal,
    that is more than rounding. Off the constraints, by d, those that follow from others contradict them, which adds
    d²/E to the accelerations: E is as large as repairs can make up for.
    """
    S = G @ _accelerate(M, G, weights, G.T)
    own = np.maximum(np.diagonal(S), LEAST * np.max(np.diagonal(S)))
    size = 1.0 / np.sqrt(own)
    least = np.linalg.eigvalsh(size[:, None] * S * size)[len(G) - rank]
    return {row: GIVE * float(least * x) for row, x in enumerate(own)}


def _accelerate(M: Floats, G: Floats, weights: Mapping[int, float], f: Floats) -> Floats:
    """H⁻¹ f with H = M + Gᵀ W G, the accelerations that forces make."""
    W = np.zeros(len(G))
    W[[*weights]] = [*weights.values()]
    try:
        return np.asarray(np.linalg.solve(M + G.T @ (W[:, None] * G), f))
    except np.linalg.LinAlgError:
        raise LinkworkError(SINGULAR) from None


def _refined(fused: Fused, factors: Factors, f: Sequence[int], c: Sequence[int], gives_way: bool) -> list[int]:
    """The solution for H a + Gᵀ λ = f, G a = c."""
    b, n = fused.b, fused.system.n
    x = factors.solve([*f, *c])
    for _ in range(REPAIRS if gives_way else 0):
        missing = list(c)
        for (row, j), node in fused.G.items():
            missing[row] = b.sub(missing[row], b.mul(node, x[j]))
        more = factors.solve([*[b.zero] * n, *missing])
        x = [b.add(one, two) for one, two in zip(x, more, strict=True)]
    return x


@dataclass(frozen=True)
class Start:
    """A fused System in numbers, at a start.   q: with followers and inputs, values: other ones of parameters"""

    fused: Fused
    q: Floats
    u: Floats
    t: float
    values: Mapping[str, float] = field(default_factory=dict)

    def compute(self, **nodes: Sequence[int]) -> list[Floats]:
        """The values of nodes, by group."""
        system = self.fused.system
        n, behind = system.n, system.n + len(system.followers)
        values: dict[str, Iterable[float]] = {
            "q": self.q[:n],
            "e": self.q[n:behind],
            "u": self.u,
            "w": system.inputs_in(self.q),
            "p": [self.values.get(name, value) for name, value in system.parameters.items()],
        }
        inputs = {kind: [np.asarray(value) for value in some] for kind, some in values.items()}
        found = run_program(self.fused.b.program(**nodes), inputs, self.t).values()
        return [np.array(some, dtype=np.float64) for some in found]

    @property
    def numbers(self) -> list[float]:
        """Coordinates, followers, speeds, inputs and the time."""
        behind = self.fused.system.n + len(self.fused.system.followers)
        return [*self.q[:behind].tolist(), *self.u.tolist(), *self.fused.system.inputs_in(self.q).tolist(), self.t]

    @cached_property
    def mass(self) -> Floats:
        """M.   (n, n)"""
        n = self.fused.system.n
        M = _fill((n, n), self.fused.M, *self.compute(M=list(self.fused.M.values())))
        return np.asarray(M + np.tril(M, -1).T)

    @cached_property
    def constraints(self) -> Floats:
        """G.   (m, n)"""
        shape = self.fused.system.m, self.fused.system.n
        return _fill(shape, self.fused.G, *self.compute(G=list(self.fused.G.values())))

    def check(self, s: Solved) -> None:
        """Refuse what has no solution at the start: M (a + shift) + Gᵀλ = −rest and G a = −γ must hold."""
        f, M, G = self.fused, self.mass, self.constraints
        with listen() as troubles:
            a, shift, lam, rest, gamma = self.compute(a=s.a, shift=f.shift, lam=s.lam, rest=f.rest, gamma=f.gamma)
        self._check_forces(rest, troubles)
        # where nothing accelerates rounding is all there is, of what the forces of constraints take away, too
        some = abs(a) + abs(shift) + TINY
        taken = _accelerate(M, G, s.weights, G.T @ lam)
        forces = np.max(abs(M) @ some + abs(G.T) @ abs(lam) + abs(rest), initial=0.0)
        bends = np.max(abs(G) @ (some + abs(taken)) + abs(gamma), initial=0.0)
        open_forces, open_bends = M @ (a + shift) + G.T @ lam + rest, G @ a + gamma
        good = np.max(abs(open_forces), initial=0.0) <= CLOSE * forces
        if not good or not np.max(abs(open_bends), initial=0.0) <= CLOSE * bends:
            raise LinkworkError(SINGULAR)

    def _check_forces(self, rest: Floats, troubles: Sequence[str]) -> None:
        """Refuse laws without a value at the start: what cannot be solved then has inertia."""
        lost = np.flatnonzero(~np.isfinite(rest))
        if len(lost):
            names = ", ".join(self.fused.system.coordinates[i] for i in lost[:3].tolist())
            what = troubles[0] if troubles else f"what acts along {names} is not finite"
            raise LinkworkError(f"at the start {what}. Change the law or the start")


def _fill(shape: tuple[int, int], places: Iterable[tuple[int, int]], values: Floats) -> Floats:
    found = np.zeros(shape)
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found


def add_weighted(fused: Fused, weights: Mapping[int, float], f: Sequence[int], c: Sequence[int]) -> list[int]:
    """f + Gᵀ W c, where H = M + Gᵀ W G has the place of M."""
    b, found = fused.b, list(f)
    for (row, j), node in fused.G.items():
        if row in weights:
            found[j] = b.add(found[j], b.mul(node, b.mul(b.constant(weights[row]), c[row])))
    return found


def _independent(system: System, G: Floats) -> tuple[int, ...]:
    """Constraints none of which follows from the others; all, or those that are best apart."""
    left = scale_rows(csr_array(G), system.scales).toarray()
    found = list[int]()
    for _ in range(min(left.shape)):
        sizes = np.linalg.norm(left, axis=1)
        best = int(np.argmax(sizes))
        if not sizes[best] > RANK:
            break
        found.append(best)
        along = left[best] / sizes[best]
        for _ in range(2):
            left = left - np.outer(left @ along, along)
        left[found] = 0.0
    return tuple(sorted(found))


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
