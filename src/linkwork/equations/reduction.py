"""Other speeds than those of the tree itself: the user's own, and fewer where velocity constraints are eliminated.

    u = C(q) v + c(q, t)                            u the speeds of the tree, v those that are left
    balance along vⱼ = Σᵢ Cᵢⱼ (balance along uᵢ)    with u̇ = C v̇ + Ċ v + ċ

Forces of the eliminated constraints do no work along v, so no multipliers are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from linkwork.equations.kane import Kane, acceleration_of
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    add,
    jacobian,
    substitute,
    substitute_all,
    total_rate,
)
from linkwork.symbolic.simplify import canonical, simplify, trigonometric
from linkwork.vectors import VectorError

MOST = 6  # unknowns of one solution by determinants


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduced:
    """M(q) v̇ = f(q, v, t) of a tree in the speeds chosen, without those that constraints determine."""

    kane: Kane

    @cached_property
    def meaning(self) -> dict[Symbol, Expr]:
        """The speeds of the tree by those that are left."""
        tree = self.kane.tree
        chosen = [v - expr for v, expr in tree.chosen.items()]
        first = solve_linear(chosen, tree.replaced, "the speeds chosen")
        own: dict[Symbol, Expr] = {u: first.get(u, u) for u in self.kane.speeds}
        held = substitute_all([tree.velocity_constraints[name] for name in tree.dependent], _wide(own))
        second = solve_linear(held, list(tree.dependent.values()), "the dependent speeds")
        return {u: trigonometric(substitute(expr, _wide(second))) for u, expr in own.items()}

    @cached_property
    def speeds(self) -> list[Symbol]:
        """Those that are left, in the order of the tree: chosen ones stand where they replace others."""
        tree = self.kane.tree
        instead = dict(zip(tree.replaced, tree.chosen, strict=True))
        found = [instead.get(u, u) for u in self.kane.speeds]
        return [v for v in found if v not in tree.dependent.values()]

    @cached_property
    def _names(self) -> dict[Expr, ExprLike]:
        """What u and u̇ become."""
        memory, own = self.kane.tree.ground.memory, _wide(self.meaning)

        def following(s: Symbol) -> Expr:
            if s.kind == "coordinate":
                return substitute(memory.rate_of(s), own)
            return acceleration_of(s) if s.kind == "speed" else ONE if s.kind == "time" else ZERO

        rates: dict[Expr, ExprLike] = {
            acceleration_of(u): total_rate(expr, following) for u, expr in self.meaning.items()
        }
        return {**own, **rates}

    @cached_property
    def _slopes(self) -> list[tuple[Expr, ...]]:
        """C, by rows."""
        return jacobian(list(self.meaning.values()), self.speeds)

    def _along(self, by_speed: Sequence[Expr]) -> list[Expr]:
        rewritten = substitute_all(by_speed, self._names)
        rows = list(zip(self._slopes, rewritten, strict=True))
        return [add(*(C[j] * f for C, f in rows if C[j] is not ZERO)) for j in range(len(self.speeds))]

    @cached_property
    def _needed(self) -> list[Expr]:
        return self._along(list(self.kane.needed))

    @cached_property
    def mass(self) -> dict[tuple[int, int], Expr]:
        """The mass matrix, its lower triangle."""
        rows = jacobian(self._needed, [acceleration_of(v) for v in self.speeds])
        entries = {(i, j): self.kane.cut(simplify(row[j])) for i, row in enumerate(rows) for j in range(i + 1)}
        return {place: entry for place, entry in entries.items() if canonical(entry) is not ZERO}

    @cached_property
    def forces(self) -> list[Expr]:
        """f of M v̇ = f."""
        still: dict[Expr, ExprLike] = {acceleration_of(v): ZERO for v in self.speeds}
        bias = substitute_all(self._needed, still)
        applied = self._along([load + weight for load, weight in zip(self.kane.loads, self.kane.weights, strict=True)])
        return [self.kane.cut(simplify(f - b)) for f, b in zip(applied, bias, strict=True)]

    def rates(self) -> dict[Symbol, Expr]:
        """q̇ by coordinate, by the speeds that are left."""
        own = _wide(self.meaning)
        return {q: trigonometric(substitute(rate, own)) for q, rate in self.kane.rates().items()}

    def by_speeds(self, expr: Expr) -> Expr:
        """An expression of the tree's speeds by those that are left."""
        return trigonometric(substitute(expr, _wide(self.meaning)))

    def rewritten(self, expr: Expr) -> Expr:
        """An expression of the tree's speeds by those that are left, without what is negligible."""
        return self.kane.cut(self.by_speeds(expr))


def _wide(mapping: dict[Symbol, Expr]) -> dict[Expr, ExprLike]:
    return {s: expr for s, expr in mapping.items()}  # noqa: C416 - of wider type


def solve_linear(equations: Sequence[Expr], unknowns: Sequence[Symbol], what: str) -> dict[Symbol, Expr]:
    """The unknowns of linear equations that vanish, by Cramer's rule; few of them."""
    if not unknowns:
        return {}
    if len(unknowns) > MOST:
        raise VectorError(f"{what}: {len(unknowns)} at once", f"Choose {MOST} at most")
    A = [list(row) for row in jacobian(equations, unknowns)]
    still: dict[Expr, ExprLike] = dict.fromkeys(unknowns, ZERO)
    b = [-x for x in substitute_all(list(equations), still)]
    det = trigonometric(determinant(A))
    if canonical(det) is ZERO:
        names = ", ".join(s.name for s in unknowns)
        raise VectorError(f"{what} do not determine {names}", "Give as many that are independent, linear in the speeds")
    found = {}
    for j, unknown in enumerate(unknowns):
        replaced = [[b[i] if k == j else x for k, x in enumerate(row)] for i, row in enumerate(A)]
        found[unknown] = trigonometric(determinant(replaced)) / det
    return found


def determinant(A: Sequence[Sequence[Expr]]) -> Expr:
    """Of a small matrix, by the first column."""
    if len(A) == 1:
        return A[0][0]
    parts = []
    for i, row in enumerate(A):
        if row[0] is not ZERO:
            minor = [list(other[1:]) for k, other in enumerate(A) if k != i]
            parts.append((-1) ** i * row[0] * determinant(minor))
    return add(*parts)
