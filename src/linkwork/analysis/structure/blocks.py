"""Block-triangular form: a signature in, blocks of equations and unknowns in the order of solution out.

Where d_j − c_i = σ_ij the highest derivative of variable j that is still unknown enters equation i. Permuted to the
transversal, the strongly connected components of that pattern are the blocks (Dulmage–Mendelsohn, fine form): each is
solved by itself once those before it are. A pattern without transversal has too many equations for some unknowns, or
too few (coarse form); both are named here too.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from linkwork.analysis.structure.signature import Pattern, Signature
from linkwork.arrays import Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Equations and the variables they give, by number; equally many."""

    equations: Ints
    variables: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """Why there is no transversal, by number.

    crowded    constraints that are more than the coordinates they act on ...
    on         ... which are these
    bare       coordinates with neither inertia nor a constraint left to determine them
    """

    crowded: Ints
    on: Ints
    bare: Ints


def find_blocks(signature: Signature) -> tuple[Block, ...]:
    """The blocks in an order in which they can be solved."""
    from scipy.sparse.csgraph import connected_components  # a heavy import

    p, match = signature.pattern, signature.match
    tight = signature.d[p.columns] - signature.c[p.rows] == p.orders
    # equation i needs what equation k gives if the variable of k enters i
    giver = np.empty(p.size, dtype=np.int64)
    giver[match] = np.arange(p.size)
    rows, needs = p.rows[tight], giver[p.columns[tight]]
    graph = csr_array((np.ones(len(rows), dtype=np.int8), (rows, needs)), shape=(p.size, p.size))
    count, label = connected_components(graph, directed=True, connection="strong")
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label, minlength=count))[:-1])
    order = _sort(count, label[rows], label[needs], [int(m[0]) for m in members])
    return tuple(Block(equations=members[b], variables=np.sort(match[members[b]])) for b in order)


def _sort(count: int, after: Ints, before: Ints, first: list[int]) -> list[int]:
    """A topological order of blocks; of several that are ready the one with the first equation comes first."""
    pairs = np.unique(np.column_stack([before, after])[before != after], axis=0)
    waiting = np.bincount(pairs[:, 1], minlength=count)
    ends = np.searchsorted(pairs[:, 0], np.arange(count + 1))
    ready = [(first[b], b) for b in np.flatnonzero(waiting == 0)]
    heapq.heapify(ready)
    order = []
    while ready:
        _, block = heapq.heappop(ready)
        order.append(int(block))
        for other in pairs[ends[block] : ends[block + 1], 1]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(ready, (first[other], other))
    return order


def find_misfit(p: Pattern) -> Misfit:
    """What makes a pattern without transversal singular."""
    n, m = p.coordinates, p.size - p.coordinates - 2
    inside = (p.rows >= n) & (p.rows < n + m) & (p.columns < n)
    G = csr_array((np.ones(int(inside.sum()), dtype=np.int8), (p.rows[inside] - n, p.columns[inside])), shape=(m, n))
    crowded, on = _reachable(G)
    # what the constraints can leave free needs inertia: match the whole, starting from the coordinates
    equations, _ = _reachable(p.matrix())
    bare = equations[equations < n] if len(crowded) == 0 else np.zeros(0, dtype=np.int64)
    return Misfit(crowded=crowded, on=on, bare=bare)


def _reachable(A: csr_array) -> tuple[Ints, Ints]:
    """Rows that no largest matching can all serve, and the columns they compete for (alternating paths)."""
    from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching  # a heavy import

    rows, columns = A.shape
    if rows == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    partner = maximum_bipartite_matching(A, perm_type="row")  # the row of each column
    served = np.zeros(rows, dtype=bool)
    served[partner[partner >= 0]] = True
    coo = A.tocoo()
    matched = np.flatnonzero(partner >= 0)
    # from a row to its columns, from a column to the row it serves; a source leads to all rows that go without
    source, unserved = rows + columns, np.flatnonzero(~served)
    start = np.concatenate([coo.row, rows + matched, np.full(len(unserved), source)])
    end = np.concatenate([rows + coo.col, partner[matched], unserved])
    graph = csr_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(source + 1, source + 1))
    found = breadth_first_order(graph, source, return_predecessors=False)
    return np.sort(found[found < rows]), np.sort(found[(found >= rows) & (found < source)] - rows)
