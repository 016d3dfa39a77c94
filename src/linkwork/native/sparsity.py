"""The pattern of the system matrix, analysed once: an order of elimination and the places of all entries of L D Lᵀ.

    [ H  Gᵀ ]
    [ G  0  ]      H = M + Gᵀ W G

Unknowns are ordered by minimum degree; a multiplier follows the last of its coordinates, so that its pivot is the
negative of a positive number and no numerical pivoting is needed. Knows patterns only, no values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Bools, Ints
from linkwork.equations import System, Term
from linkwork.equations.implicit import derive_implicit

WIDEST = 4  # columns of a block, as in saddle.h
GREEDY = 200  # coordinates up to which our own ordering is used: quick enough, and no import of a solver
# registers in a row of the inverse of the matrix: up to so many it is formed, beyond only if factors are nearly full
FEW_GROUPS = 3
MOST_GROUPS = 8  # a larger one never
Ints32 = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """Where everything lives.

    coordinate, multiplier   slot of each; slots are numbered in order of elimination
    column, row              pattern of L below the diagonal, column by column
    update                   targets of the outer products of the factorisation, in order of use
    stretch                  blocks of columns with the same rows below them: (width, tied, how many such blocks follow)
    Places in the factor: diagonal entry j at j, entry e of L at n + e, one unread place at the end.
    """

    coordinate: Ints
    multiplier: Ints
    column: Ints32
    row: Ints32
    update: Ints32
    stretch: Ints32
    keys: Ints

    @property
    def unknowns(self) -> int:
        """Coordinates and multipliers together."""
        return len(self.column) - 1

    def count_groups(self, room: int) -> int:
        """Registers of so many numbers in a row of the inverse; 0 if solving by factors takes less."""
        n = self.unknowns
        groups = -(-n // room)
        inverts = groups <= FEW_GROUPS or (groups <= MOST_GROUPS and n * groups <= int(self.column[n]))
        return groups if inverts else 0

    @property
    def unread(self) -> int:
        """The place in the factor where entries of frozen coordinates go."""
        return self.unknowns + len(self.row)

    def places(self, one: Ints, other: Ints) -> Ints:
        """The places of the entries between slots; what the pattern does not have goes where nobody reads."""
        n = self.unknowns
        high, low = np.maximum(one, other), np.minimum(one, other)
        inside = high < n
        key = np.where(inside, low * n + high, 0)
        found = np.searchsorted(self.keys, key)
        known = np.append(self.keys, -1)[found] == key
        return np.where(inside & (high == low), low, np.where(inside & known, n + found, self.unread))


def analyse(system: System, helpers: Bools | None = None, implicit: bool = False) -> Pattern:
    """Order the unknowns of a system and find the pattern of the factors; `helpers` are constraints with weights.

    The matrix of an implicit step also has the entries of stiffness and damping.
    """
    pairs = _coordinate_pairs(system, np.ones(system.m, dtype=bool) if helpers is None else helpers)
    if implicit:
        pairs = np.concatenate([pairs, _coupled_pairs(system)])
    coordinate, multiplier = _order(system, pairs)
    columns = _fill(system, pairs, coordinate, multiplier)
    blocks = _find_blocks(columns)
    slot = np.empty(len(columns), dtype=np.int64)
    slot[[j for block in blocks for j in block]] = np.arange(len(columns))
    coordinate, multiplier = slot[coordinate], slot[multiplier]
    columns = [sorted(slot[columns[j]].tolist()) for block in blocks for j in block]
    lengths = [len(c) for c in columns]
    column = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    row = np.array([r for c in columns for r in c], dtype=np.int32)
    owner = np.repeat(np.arange(len(columns), dtype=np.int64), lengths)
    keys = owner * len(columns) + row
    update = _updates(columns, column, len(columns))
    return Pattern(
        coordinate=coordinate, multiplier=multiplier, column=column, row=row, update=update,
        stretch=_find_stretches(blocks, columns), keys=keys,
    )  # fmt: skip


def _coordinate_pairs(system: System, helpers: Bools) -> Ints:
    """The pairs of coordinates between which H has an entry: those of M, and those of constraints with weights."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for term in system.terms:
        d = term.kernel.derived
        helped = helpers[term.rows].any(axis=1)
        for kind, i, j in (*d.matrix_entries, *d.constant_entries):
            if kind == "H" and i != j:
                found.append(term.coordinates[:, [i, j]] if (i, j) in d.mass else term.coordinates[helped][:, [i, j]])
    pairs = np.concatenate(found)
    return pairs[(pairs < system.n).all(axis=1)]


def _coupled_pairs(system: System) -> Ints:
    """The pairs of coordinates coupled by stiffness or damping."""
    found = [np.zeros((0, 2), dtype=np.int64)]
    found += [term.coordinates[:, [i, j]] for term in system.terms for i, j in derive_implicit(term.kernel).coupled]
    pairs = np.concatenate(found)
    return pairs[(pairs < system.n).all(axis=1)]


def _order(system: System, pairs: Ints) -> tuple[Ints, Ints]:
    """Slots of coordinates and multipliers."""
    row, column = find_edges(system)
    if system.n <= GREEDY:
        edges = np.concatenate([pairs, np.stack([system.n + row, column], axis=1)])
        position = _greedy_minimum_degree(system.n, system.m, edges)
        return position[: system.n], position[system.n :]
    return _merge(system, _minimum_degree(system.n, _with_cliques(pairs, row, column)))


def _with_cliques(pairs: Ints, row: Ints, column: Ints) -> Ints:
    """Pairs and, for each constraint, its coordinates one after another: what a multiplier will bring together."""
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    follow = row[1:] == row[:-1]
    return np.concatenate([pairs, np.stack([column[:-1][follow], column[1:][follow]], axis=1)])


def _minimum_degree(n: int, pairs: Ints) -> Ints:
    """The position of each coordinate in an order of elimination with little fill (SuperLU's minimum degree)."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import splu

    i, j = pairs[:, 0], pairs[:, 1]
    ones = np.ones(len(pairs))
    off = coo_matrix((ones, (i, j)), shape=(n, n)).tocsc()
    off = off + off.T
    off.data[:] = -1.0
    degree = np.asarray(abs(off).sum(axis=0)).ravel() + 1.0
    matrix = off + coo_matrix((degree, (np.arange(n), np.arange(n))), shape=(n, n)).tocsc()
    options = {"SymmetricMode": True, "DiagPivotThresh": 0.0}
    factors = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return np.asarray(factors.perm_c, dtype=np.int64)


def _greedy_minimum_degree(n: int, m: int, edges: Ints) -> Ints:
    """The same for few unknowns, by the definition: always the one with the fewest neighbours, which then meet.

    A multiplier, numbered behind the coordinates, must wait for all of its coordinates.
    """
    near: list[set[int]] = [set() for _ in range(n + m)]
    for i, j in edges.tolist():
        if i != j:
            near[i].add(j)
            near[j].add(i)
    waiting = [0] * n + [len(near[n + i]) for i in range(m)]
    owners = [[j for j in near[i] if j >= n] for i in range(n)]
    position = np.empty(n + m, dtype=np.int64)
    left = set(range(n + m))
    place = 0
    while left:
        # as many as there are that do not touch each other
        ready = [i for i in left if waiting[i] == 0]
        least = min(len(near[i]) for i in ready)
        touched: set[int] = set()
        for chosen in sorted(i for i in ready if len(near[i]) == least):
            if chosen in touched:
                continue
            touched |= near[chosen]
            left.remove(chosen)
            position[chosen] = place
            place += 1
            for i in near[chosen]:
                near[i] = (near[i] | near[chosen]) - {i, chosen}
            for j in owners[chosen] if chosen < n else ():
                waiting[j] -= 1
    return position


def find_edges(system: System) -> tuple[Ints, Ints]:
    """(row, coordinate) of every place where a constraint may depend on a moving coordinate."""
    rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for term in system.terms:
        for i, j in _constraint_pattern(term):
            rows.append(term.rows[:, i])
            columns.append(term.coordinates[:, j])
    row, column = np.concatenate(rows), np.concatenate(columns)
    moving = column < system.n
    return row[moving], column[moving]


def _constraint_pattern(term: Term) -> list[tuple[int, int]]:
    d = term.kernel.derived
    return [(i, j) for kind, i, j in (*d.matrix_entries, *d.constant_entries) if kind == "G"]


def _merge(system: System, position: Ints) -> tuple[Ints, Ints]:
    """Slots of coordinates and multipliers: a multiplier right behind the last of its coordinates."""
    row, column = find_edges(system)
    last = np.full(system.m, -1, dtype=np.int64)
    np.maximum.at(last, row, position[column])
    keys = np.concatenate([2 * position, 2 * last + 1])
    slot = np.empty(len(keys), dtype=np.int64)
    slot[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return slot[: system.n], slot[system.n :]


def _fill(system: System, pairs: Ints, coordinate: Ints, multiplier: Ints) -> list[list[int]]:
    """The rows below the diagonal of each column of L, by passing each column's pattern to its parent."""
    n = system.n + system.m
    below: list[set[int]] = [set() for _ in range(n)]
    row, column = find_edges(system)
    ends = [coordinate[pairs], np.stack([multiplier[row], coordinate[column]], axis=1)]
    edges = np.concatenate(ends)
    low, high = edges.min(axis=1, initial=n), edges.max(axis=1, initial=-1)
    for i, j in zip(low.tolist(), high.tolist(), strict=True):
        if i != j:
            below[i].add(j)
    columns: list[list[int]] = []
    for j in range(n):
        rows = sorted(below[j])
        columns.append(rows)
        if rows:
            below[rows[0]].update(rows[1:])
        below[j] = set()
    return columns


def _find_blocks(columns: list[list[int]]) -> list[list[int]]:
    """Columns put together in blocks, in an order of elimination that fills in the same places.

    The first row of a column is its parent, which has all of its other rows. If it has no more, and no other children,
    who would have to wait, both are in one block, tied to each other. Brothers with the same rows are in one block too.
    """
    children = [0] * len(columns)
    for rows in columns:
        for parent in rows[:1]:
            children[parent] += 1
    tied: dict[int, list[int]] = {}
    for j in range(len(columns) - 1, -1, -1):
        parent = columns[j][0] if columns[j] else j
        block = tied[parent] if parent > j and children[parent] == 1 else []
        joins = 0 < len(block) < WIDEST and len(columns[j]) == len(columns[parent]) + 1
        tied[j] = [j, *block] if joins else [j]
        if joins:
            del tied[parent]
    blocks, open_blocks = [], dict[tuple[int, ...], list[int]]()
    for block in reversed(tied.values()):
        brothers = open_blocks.get(tuple(columns[block[0]]), [])
        if len(block) == 1 and 0 < len(brothers) < WIDEST:
            brothers += block
            continue
        blocks.append(block)
        if len(block) == 1:
            open_blocks[tuple(columns[block[0]])] = block
    return _by_height(blocks, columns)


def _by_height(blocks: list[list[int]], columns: list[list[int]]) -> list[list[int]]:
    """Blocks in an order in which all come before the one they lead to, and blocks of a kind come together."""
    owner = {j: i for i, block in enumerate(blocks) for j in block}
    height = [0] * len(blocks)
    for i in sorted(range(len(blocks)), key=lambda i: blocks[i][-1]):
        # only the last column of a block has its parent in another one
        for parent in columns[blocks[i][-1]][:1]:
            height[owner[parent]] = max(height[owner[parent]], height[i] + 1)
    shape = [(height[i], len(block), len(columns[block[-1]]), block[-1]) for i, block in enumerate(blocks)]
    return [blocks[i] for i in sorted(range(len(blocks)), key=shape.__getitem__)]


def _find_stretches(blocks: list[list[int]], columns: list[list[int]]) -> Ints32:
    """Blocks of the same kind that follow each other, counted: (width, tied, count). `columns` are in their order."""
    found: list[list[int]] = []
    first = 0
    for block in blocks:
        kind = [len(block), int(columns[first][:1] == [first + 1] and len(block) > 1)]
        if found and found[-1][:2] == kind:
            found[-1][2] += 1
        else:
            found.append([*kind, 1])
        first += len(block)
    return np.array(found, dtype=np.int32).reshape(-1, 3)


def _updates(columns: list[list[int]], column: Ints32, n: int) -> Ints32:
    """For each pair of rows a ≤ b of each column the place of entry (b, a)."""
    place: list[dict[int, int]] = []
    for j, rows in enumerate(columns):
        first = n + int(column[j])
        place.append({r: first + i for i, r in enumerate(rows)})
    targets: list[int] = []
    for rows in columns:
        for i, a in enumerate(rows):
            targets.append(a)
            inside = place[a]
            targets.extend(inside[b] for b in rows[i + 1 :])
    return np.array(targets, dtype=np.int32)
