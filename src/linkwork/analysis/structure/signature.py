"""Structural (Σ) analysis: a System in, its signature matrix, offsets, index and degrees of freedom out. No numbers.

σ_ij is the highest order of derivative of variable j in equation i, or absent. A transversal of highest value and the
smallest offsets c, d with d_j − c_i ≥ σ_ij (equality on the transversal) say how often each equation must be
differentiated: the structural index is max c + 1 if some d is zero, the degrees of freedom are Σd − Σc.

Variables are the coordinates and first-order states, the multipliers, and the energies T and V; equations are the
Euler–Lagrange equations of the coordinates and those of the states, the constraints, and the definitions of T and V.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.analysis.structure.dependence import ABSENT, Dependence, find_dependence, find_inertia
from linkwork.arrays import Ints
from linkwork.equations import System, Term
from linkwork.model.bodies import say_hidden
from linkwork.native.interpreter import run_program

LARGE = 8  # larger than any order, so that weights of a matching stay positive
Entries = Iterator[tuple[Ints, Ints, NDArray[np.int8]]]  # equations, variables, orders, all of one length


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """The signature matrix as entries (equation, variable, order); names label equations and variables alike.

    Of the names the first are coordinates, then come the constraints (or their multipliers), T and V.
    """

    names: tuple[str, ...]
    coordinates: int
    rows: Ints
    columns: Ints
    orders: Ints

    @property
    def size(self) -> int:
        """The number of equations, which is that of the variables."""
        return len(self.names)

    def matrix(self, kept: NDArray[np.bool_] | None = None) -> csr_array:
        """Ones where there are entries, of all or of those kept."""
        rows, columns = (self.rows, self.columns) if kept is None else (self.rows[kept], self.columns[kept])
        return csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(self.size, self.size))

    def without(self, constraints: Iterable[int]) -> Pattern:
        """The same with some constraints (counted from zero) and their multipliers left out."""
        left = np.ones(self.size, dtype=bool)
        left[[self.coordinates + i for i in constraints]] = False
        number = np.cumsum(left) - 1
        kept = left[self.rows] & left[self.columns]
        return Pattern(
            names=tuple(name for name, stays in zip(self.names, left, strict=True) if stays),
            coordinates=self.coordinates,
            rows=number[self.rows[kept]],
            columns=number[self.columns[kept]],
            orders=self.orders[kept],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The signature matrix, its transversal and offsets; match[i] is the variable of equation i on the transversal."""

    pattern: Pattern
    match: Ints
    c: Ints
    d: Ints

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of equations and variables."""
        return self.pattern.names

    @property
    def index(self) -> int:
        """The structural index."""
        return int(self.c.max(initial=0)) + int((self.d == 0).any())

    @property
    def degrees_of_freedom(self) -> int:
        """Values that may be chosen freely: positions and velocities together."""
        return int(self.d.sum() - self.c.sum())

    def tableau(self) -> str:
        """The matrix as the paper prints it: a star marks the transversal, a dash an absent entry."""
        p, size = self.pattern, self.pattern.size
        cells = [["-"] * size for _ in range(size)]
        for i, j, order in zip(p.rows.tolist(), p.columns.tolist(), p.orders.tolist(), strict=True):
            cells[i][j] = f"{order}{'*' if self.match[i] == j else ''}"
        head = ["", *map(str, range(size)), "c_i", ""]
        body = [[str(i), *cells[i], str(self.c[i]), self.names[i]] for i in range(size)]
        foot = [["d_j", *map(str, self.d.tolist()), "", ""], ["", *self.names, "", ""]]
        table = [head, *body, *foot]
        widths = [max(len(row[k]) for row in table) for k in range(size + 3)]
        lines = [" ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
        return "\n".join([*lines, f"Index = {self.index}, {self.degrees_of_freedom} values free"])


def find_signature(pattern: Pattern) -> Signature | None:
    """The transversal and offsets; None if there is no transversal: the equations are structurally singular."""
    match = _transversal(pattern)
    if match is None:
        return None
    c, d = _offsets(pattern, match)
    return Signature(pattern=pattern, match=match, c=c, d=d)


# -- the matrix --------------------------------------------------------------------------------------------------------


def find_pattern(system: System) -> Pattern:
    """The entries of the signature matrix, each once with its highest order, by rows."""
    n, size = system.n, system.n + system.m + 2
    energies = np.array([size - 2, size - 1])
    parts = [*_entries(system), (energies, energies, np.zeros(2, dtype=np.int8))]
    rows, columns, orders = (np.concatenate(pieces) for pieces in zip(*parts, strict=True))
    kept = (rows < size) & (columns < size) & (orders >= 0)
    rows, columns, orders = rows[kept], columns[kept], orders[kept].astype(np.int64)
    orders -= np.isin(columns, list(system.states.values()))  # a state is the first derivative of its coordinate
    place = rows * size + columns
    order = np.argsort(place, kind="stable")
    place, first = np.unique(place[order], return_index=True)
    # equations between points that nobody has named go by what they keep
    equations = [f"{row.kind}_{row.owner.name}" if "._" in row.name else row.name for row in system.rows]
    names = (*map(say_hidden, system.labels), *equations, "T", "V")
    highest = np.maximum.reduceat(orders[order], first)
    return Pattern(names=names, coordinates=n, rows=place // size, columns=place % size, orders=highest)


def _entries(system: System) -> Entries:
    """Everything the equations of the terms depend on; frozen coordinates lie beyond the last variable."""
    last = system.n + system.m
    for term in system.terms:
        d, k = term.kernel.derived, term.kernel
        coordinates = np.where(term.coordinates < system.n, term.coordinates, last + 2)
        places = [*coordinates.T, *(system.n + term.rows).T]
        for local, equation in enumerate(_dynamics(system, term)):
            yield from _spread(places, places[local], equation)
        levels = find_dependence(term, d.levels, "g")[: k.holonomic_count]
        levels += find_dependence(term, d.levels, "g1")[k.holonomic_count :]
        for row, equation in enumerate(levels):
            yield from _spread(places, system.n + term.rows[:, row], equation)
        for group, extra in (("T", last), ("V", last + 1)):
            for equation in find_dependence(term, d.energy, group):
                yield from _spread(places, np.full(term.count, extra), equation)


def _dynamics(system: System, term: Term) -> list[Dependence]:
    """What the Euler–Lagrange equations depend on; of a constant mass matrix only the entries that are there."""
    d = term.kernel.derived
    there = find_inertia(system, term)
    if there is None:
        return find_dependence(term, d.residual, "r")
    size = term.coordinates.shape[1]
    found: list[Dependence] = [{} for _ in range(size)]
    if d.dynamics is not None:
        p = run_program(d.dynamics.setup, {"p": [*term.parameters.T]})["p"]
        found = find_dependence(term, d.dynamics.body, "r", p)
    for (i, j), values in there.items():
        found[i][j] = np.maximum(np.where(values, np.int8(2), ABSENT), found[i].get(j, ABSENT))
    return found


def _spread(places: list[Ints], equations: Ints, entry: Dependence) -> Entries:
    for local, order in entry.items():
        yield equations, places[local], np.broadcast_to(order, len(equations))


# -- the transversal ---------------------------------------------------------------------------------------------------


def _transversal(p: Pattern) -> Ints | None:
    """A transversal of highest value by sparse assignment; None if there is none."""
    from scipy.sparse.csgraph import maximum_bipartite_matching, min_weight_full_bipartite_matching  # a heavy import

    if (maximum_bipartite_matching(p.matrix(), perm_type="column") < 0).any():
        return None
    weights = csr_array((LARGE - p.orders, (p.rows, p.columns)), shape=(p.size, p.size))
    row, column = min_weight_full_bipartite_matching(weights)
    match = np.empty(p.size, dtype=np.int64)
    match[row] = column
    return match


def _offsets(p: Pattern, match: Ints) -> tuple[Ints, Ints]:
    """The smallest offsets, by raising d and c in turn until both conditions hold."""
    on = p.columns == match[p.rows]
    value = np.empty(p.size, dtype=np.int64)
    value[p.rows[on]] = p.orders[on]
    c = np.zeros(p.size, dtype=np.int64)
    while True:
        d = np.zeros(p.size, dtype=np.int64)
        np.maximum.at(d, p.columns, p.orders + c[p.rows])
        raised = d[match] - value
        if (raised == c).all():
            return c, d
        c = raised
