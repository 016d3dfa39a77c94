"""Which states: constraint gradients and wanted states in, independent ones out.

Gauss elimination with pivoting on the weighted matrix

    J = [  G    0 ]      columns: the coordinates, then the wanted states
        [ -s_q  ε ]

Columns that become pivots are dependent, those that are left are the states. The small ε make a wanted state the last
resort as a pivot, so that it stays independent if it can; an earlier one has a smaller ε and is preferred to a later
one. How many rows of G are independent is decided where all ranks are; which of them, by the largest pivots.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.native.rank import FAINT, find_rank, scale_rows

WEIGHT = 1e-6  # ε: a wanted state that changes less than this, when coordinates change by their scales, is no state
EARLIER = 100.0  # by how much more the first wanted state is wanted than the last
SECOND = 1e3  # by how much less a second choice is wanted
ROUNDING = 1e-15  # what subtracting leaves of a zero
FULL = 300  # columns up to which the largest entry of all is the pivot
RELAXED = 0.1  # in larger matrices: how much smaller it may be, to keep the rows short


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The wanted states that are kept and the coordinates that complete them; the rows of G that are independent."""

    kept: tuple[int, ...]
    coordinates: tuple[int, ...]
    rows: NDArray[np.int64]


def select_states(G: csr_array, s_q: csr_array, scales: Floats, first: int | None = None) -> Selection:
    """Independent states.   G: (m, n), s_q: (k, n), both with coordinates in their own units

    The `first` wanted states, all if nothing is said, are preferred to the others.
    """
    m, n, k = G.shape[0], len(scales), s_q.shape[0]
    held = scale_rows(G, scales)
    rows = [_entries(held, i) for i in range(m)]
    for i in range(k):
        rows.append(_normalised(s_q, i, scales) | {n + i: _weight(i, k if first is None else first)})
    pivots = _eliminate(rows, n + k, find_rank(held).rank, m)
    dependent = set(pivots.values())
    return Selection(
        kept=tuple(i for i in range(k) if n + i not in dependent),
        coordinates=tuple(j for j in range(n) if j not in dependent),
        rows=np.array(sorted(i for i in pivots if i < m), dtype=np.int64),
    )


def _weight(i: int, count: int) -> float:
    """The ε of wanted state i, of which `count` are a first choice."""
    return WEIGHT * (EARLIER ** (i / max(1, count - 1)) if i < count else SECOND * (1 + 1e-3 * (i - count)))


def _entries(A: csr_array, i: int) -> dict[int, float]:
    part = slice(A.indptr[i], A.indptr[i + 1])
    return {c: v for c, v in zip(A.indices[part].tolist(), A.data[part].tolist(), strict=True) if abs(v) > FAINT}


def _normalised(A: csr_array, i: int, scales: Floats) -> dict[int, float]:
    part = slice(A.indptr[i], A.indptr[i + 1])
    columns = A.indices[part]
    values = A.data[part] * scales[columns]
    size = math.hypot(*values.tolist()) or 1.0
    return {int(c): float(v) / size for c, v in zip(columns, values, strict=True) if abs(v) > FAINT * size}


def _eliminate(rows: list[dict[int, float]], width: int, rank: int, m: int) -> dict[int, int]:
    """Pivots {row: column} of sparse rows, `rank` of them among the first m; what has none is zero or independent."""
    relax = 1.0 if width <= FULL else RELAXED
    holders: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for c in row:
            holders.setdefault(c, set()).add(i)
    largest = np.array([max(map(abs, row.values()), default=0.0) for row in rows])
    length = np.array([len(row) for row in rows])
    pivots: dict[int, int] = {}
    while len(rows) and (top := largest.max()) > FAINT:
        check_time("the choice of independent states")
        good = np.flatnonzero(largest >= relax * top)
        i = int(good[np.argmin(length[good])])
        row = rows[i]
        column = max(row, key=lambda c: abs(row[c]))
        pivots[i], largest[i] = column, 0.0
        rank -= i < m
        for c in row:
            holders[c].discard(i)
        for other in tuple(holders[column]):
            _subtract(rows[other], row, column, other, holders)
            largest[other] = max(map(abs, rows[other].values()), default=0.0)
            length[other] = len(rows[other])
        if rank == 0:
            largest[:m] = 0.0  # the others are redundant
    return pivots


def _subtract(
    target: dict[int, float], row: dict[int, float], column: int, number: int, holders: dict[int, set[int]]
) -> None:
    factor = target[column] / row[column]
    for c, v in row.items():
        value = target.get(c, 0.0) - factor * v
        if c != column and abs(value) > ROUNDING:
            target[c] = value
            holders[c].add(number)
        elif c in target:
            del target[c]
            holders[c].discard(number)
