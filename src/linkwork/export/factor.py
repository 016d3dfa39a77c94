"""The saddle point solved by straight-line code: a symmetric matrix of nodes in, nodes of its solutions out.

    [ H  Gᵀ ] [x]   [f]
    [ G  0  ] [μ] = [g]      = L D Lᵀ

Unknowns are eliminated by least degree; a multiplier waits for all of its coordinates, so that its pivot is the
negative of a positive number and nothing needs to be exchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from linkwork.program import Builder

Matrix = Mapping[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Factors:
    """L D Lᵀ of a matrix: unknowns in order of elimination, the inverse pivots, and L column by column."""

    b: Builder
    order: tuple[int, ...]
    inverse: Mapping[int, int]
    columns: Mapping[int, Mapping[int, int]]

    def solve(self, rhs: Sequence[int]) -> list[int]:
        """The solution for a right-hand side."""
        b, x = self.b, list(rhs)
        for k in self.order:
            for i, factor in self.columns[k].items():
                x[i] = b.sub(x[i], b.mul(factor, x[k]))
        for k in reversed(self.order):
            above = b.total(b.mul(factor, x[i]) for i, factor in self.columns[k].items())
            x[k] = b.sub(b.mul(self.inverse[k], x[k]), above)
        return x


def order_unknowns(n: int, m: int, edges: Sequence[tuple[int, int]], fixed: Collection[int] = ()) -> tuple[int, ...]:
    """Always the unknown with the fewest neighbours, which then meet; a multiplier waits for its coordinates.

    A `fixed` pivot, which saves a division, counts as one neighbour less as long as nothing has changed it.
    """
    near: list[set[int]] = [set() for _ in range(n + m)]
    for i, j in edges:
        if i != j:
            near[i].add(j)
            near[j].add(i)
    waiting = {k: {j for j in near[k] if j < n} for k in range(n, n + m)}
    left, order, cheap = set(range(n + m)), list[int](), {*fixed}
    while left:
        ready = [i for i in left if not waiting.get(i)]
        chosen = min(ready, key=lambda i: (len(near[i]) - (i in cheap), i))
        left.remove(chosen)
        order.append(chosen)
        cheap -= near[chosen]
        for i in near[chosen]:
            near[i] = (near[i] | near[chosen]) - {i, chosen}
        for coordinates in waiting.values():
            coordinates.discard(chosen)
    return tuple(order)


def factorise(b: Builder, H: Matrix, G: Matrix, n: int, m: int, soft: Mapping[int, int] | None = None) -> Factors:
    """Eliminate.   H: lower triangle by (i, j), G: by (row, coordinate), soft: what stands for the 0, −soft, by row"""
    entries: list[dict[int, int]] = [{} for _ in range(n + m)]
    for (i, j), node in [*H.items(), *(((n + row, j), node) for (row, j), node in G.items())]:
        entries[i][j] = entries[j][i] = node
    edges = [(i, j) for i, row in enumerate(entries) for j in row if j < i]
    fixed = [i for i, row in enumerate(entries) if i in row and b.kinds(row[i]) <= {"p"}]
    order = order_unknowns(n, m, edges, fixed)
    inverse: dict[int, int] = {}
    columns: dict[int, dict[int, int]] = {}
    for row, give in (soft or {}).items():
        entries[n + row][n + row] = b.neg(give)
    for k in order:
        pivot = entries[k].pop(k, b.zero)
        inverse[k] = b.div(b.one, pivot)
        below = entries[k]
        columns[k] = {i: b.mul(node, inverse[k]) for i, node in below.items()}
        for i, factor in columns[k].items():
            del entries[i][k]
            for j, node in below.items():
                if j <= i:
                    new = b.sub(entries[i].get(j, b.zero), b.mul(factor, node))
                    entries[i][j] = entries[j][i] = new
    return Factors(b, order, inverse, columns)
