"""Structural (Σ) analysis: a System in, its signature matrix, offsets, index and degrees of freedom out. No numbers.

σ_ij is the highest order of derivative of variable j in equation i, or absent. A transversal of highest value and the
smallest offsets c, d with d_j − c_i ≥ σ_ij (equality on the transversal) say how often each equation must be
differentiated: the structural index is max c + 1 if some d is zero, the degrees of freedom are Σd − Σc.

Variables are the coordinates, the multipliers, and the energies T and V; equations are the Euler–Lagrange equations of
the coordinates, the constraints, and the definitions of T and V.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from linkwork.equations import System, Term
from linkwork.native.interpreter import run_program
from linkwork.program import Program

Ints = NDArray[np.int64]
ORDER = {"q": 0, "lam": 0, "u": 1, "a": 2}
LARGE = 8  # larger than any order, so that weights of a matching stay positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The signature matrix as entries (equation, variable, order), its transversal and offsets.

    names label equations and variables alike; match[i] is the variable of equation i on the transversal.
    """

    names: tuple[str, ...]
    rows: Ints
    columns: Ints
    orders: Ints
    match: Ints
    c: Ints
    d: Ints

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
        size = len(self.names)
        cells = [["-"] * size for _ in range(size)]
        for i, j, order in zip(self.rows.tolist(), self.columns.tolist(), self.orders.tolist(), strict=True):
            cells[i][j] = f"{order}{'*' if self.match[i] == j else ''}"
        head = ["", *map(str, range(size)), "c_i", ""]
        body = [[str(i), *cells[i], str(self.c[i]), self.names[i]] for i in range(size)]
        foot = [["d_j", *map(str, self.d.tolist()), "", ""], ["", *self.names, "", ""]]
        table = [head, *body, *foot]
        widths = [max(len(row[k]) for row in table) for k in range(size + 3)]
        lines = [" ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
        return "\n".join([*lines, f"Index = {self.index}, DOF = {self.degrees_of_freedom}"])


def find_signature(system: System) -> Signature:
    """The signature matrix of a system's equations with its offsets."""
    size = system.n + system.m + 2
    found: dict[tuple[int, int], int] = {}
    for i, j, order in _entries(system):
        if i < size and j < size:
            found[i, j] = max(order, found.get((i, j), -1))
    found[size - 2, size - 2] = found[size - 1, size - 1] = 0
    keys = sorted(found)
    rows, columns = (np.array(part, dtype=np.int64) for part in zip(*keys, strict=True))
    orders = np.array([found[key] for key in keys], dtype=np.int64)
    match = _transversal(rows, columns, orders, size)
    c, d = _offsets(rows, columns, orders, match)
    names = (*system.coordinates, *system.constraints, "T", "V")
    return Signature(names=names, rows=rows, columns=columns, orders=orders, match=match, c=c, d=d)


def _entries(system: System) -> Iterator[tuple[int, int, int]]:
    """(equation, variable, order) of everything the kernels' programs depend on."""
    last = system.n + system.m
    beyond = last + 2
    for term in system.terms:
        d = term.kernel.derived
        places = _places(system, term, beyond)
        inertia = _idle_inertia(term)
        for local, equation in enumerate(_dependence(d.residual, "r")):
            idle = {other for other in equation if (max(local, other), min(local, other)) in inertia}
            yield from _spread(places, places[local], {k: v for k, v in equation.items() if k not in idle})
            # without inertia between them the forces still couple the two
            still = _dependence(d.dynamics.body, "r")[local] if d.dynamics is not None else {}
            yield from _spread(places, places[local], {k: v for k, v in still.items() if k in idle})
        for row, equation in enumerate(_dependence(d.levels, "g")):
            yield from _spread(places, system.n + term.rows[:, row], equation)
        for group, extra in (("T", last), ("V", last + 1)):
            for equation in _dependence(d.energy, group):
                yield from _spread(places, np.full(term.count, extra), equation)


def _idle_inertia(term: Term) -> set[tuple[int, int]]:
    """Pairs of local coordinates whose entry in a constant mass matrix vanishes for all instances."""
    d = term.kernel.derived
    if not d.constant_mass:
        return set()
    weights = [np.zeros(term.count)] * term.kernel.constraint_count
    p = run_program(d.constant.setup, {"p": [*term.parameters.T, *weights]})["p"]
    values = run_program(d.constant.body, {"p": p})["F"]
    M = {(i, j): np.abs(v).max() for (kind, i, j), v in zip(d.constant_entries, values, strict=True) if kind == "H"}
    largest = max(M.values(), default=0.0)
    size = len(term.kernel.coordinates)
    return {(i, j) for i in range(size) for j in range(i + 1) if not M.get((i, j), 0.0) > 1e-13 * largest}


def _places(system: System, term: Term, beyond: int) -> list[Ints]:
    """The variable behind each local unknown of each instance: coordinates, then multipliers."""
    coordinates = np.where(term.coordinates < system.n, term.coordinates, beyond)
    return [*coordinates.T, *(system.n + term.rows).T]


def _dependence(program: Program, group: str) -> list[dict[int, int]]:
    """For each result of a group the highest order at which each local unknown enters."""
    inputs: list[dict[int, int]] = []
    for node in program.nodes:
        if node.source is not None:
            known = node.source.kind in ORDER
            inputs.append({node.source.index: ORDER[node.source.kind]} if known else {})
            continue
        mine: dict[int, int] = {}
        for arg in node.args:
            for unknown, order in inputs[arg].items():
                mine[unknown] = max(order, mine.get(unknown, -1))
        inputs.append(mine)
    return [inputs[n] for n in program.outputs[group]]


def _spread(places: list[Ints], equations: Ints, entry: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    for local, order in entry.items():
        for i, j in zip(equations.tolist(), places[local].tolist(), strict=True):
            yield i, j, order


def _transversal(rows: Ints, columns: Ints, orders: Ints, size: int) -> Ints:
    """A transversal of highest value: a sparse assignment; raises ValueError if there is none."""
    weights = csr_array((LARGE - orders, (rows, columns)), shape=(size, size))
    row, column = min_weight_full_bipartite_matching(weights)
    match = np.empty(size, dtype=np.int64)
    match[row] = column
    return match


def _offsets(rows: Ints, columns: Ints, orders: Ints, match: Ints) -> tuple[Ints, Ints]:
    """The smallest offsets, by raising d and c in turn until both conditions hold."""
    on = dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), orders.tolist(), strict=True))
    value = np.array([on[i, int(j)] for i, j in enumerate(match)], dtype=np.int64)
    c = np.zeros(len(match), dtype=np.int64)
    while True:
        d = np.zeros(len(match), dtype=np.int64)
        np.maximum.at(d, columns, orders + c[rows])
        raised = d[match] - value
        if (raised == c).all():
            return c, d
        c = raised
