"""Constraints of positions as numbers, quickly and for many states at once: a System and a time in, g and ∂g/∂q out.

Only what a start needs is computed: the programs of the kernels are cut down to g and its matrix, and what depends on
parameters alone is computed once. Constraints of velocities are left out, sides can be added. Knows no solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, vstack

from linkwork.arrays import Floats, Ints
from linkwork.equations import System, Term
from linkwork.native.flat import Flat, Job, write_out
from linkwork.native.interpreter import run_program
from linkwork.native.numbers import prepare_columns
from linkwork.program import Program, cut

T = TypeVar("T")
TURNED = 0.5  # cosine from which a direction counts as turned the right way
CORNERED = ("abs", "sign", "min", "max", "select")  # operations whose derivatives jump
FAR = 1e3  # scales from the origin: beyond, rounding of places is more than that of what they differ by
ROUNDED = 2e-15  # of a place
RECENT = 12  # evaluations that are remembered
DENSE = 100  # unknowns and equations up to which dense linear algebra is used, which copes with any rank


class _Target(NamedTuple):
    """Where each result of a program belongs, and which count.   place, inside: (results, instances)"""

    place: Ints
    inside: NDArray[np.bool_]
    whole: bool  # whether all count


@dataclass(frozen=True, slots=True)
class _Piece:
    """A program over the coordinates of a term's instances, and where its results go."""

    term: Term
    program: Program
    parameters: Sequence[Floats] | Floats
    to: _Target

    @property
    def numbers(self) -> list[float]:
        """The parameters, instance by instance."""
        # with its program, so that no other can have its number
        return self.term.remember(("numbers", id(self.program)), lambda: (self.program, self._list_numbers()))[1]

    def _list_numbers(self) -> list[float]:
        table = np.empty((self.term.count, len(self.parameters)))
        for i, column in enumerate(self.parameters):
            table[:, i] = column.ravel() if column.ndim else column
        return table.ravel().tolist()


class Constraints:
    """g(q, t) and G = ∂g/∂q of a System at one time.

    `rows` are the constraints that count, all of positions if None. With `sided` the system's sides must be positive:
    behind the constraints come equations that pull a state over from the wrong side and are empty on the right one.
    """

    def __init__(self, system: System, t: float, rows: Ints | None = None, sided: bool = False) -> None:
        self.system, self.t = system, t
        self.rows = np.flatnonzero(system.holonomic) if rows is None else rows
        self.sides: Constraints | None = None
        if sided and system.chart.sides:
            self.sides = sides_of(system, t)

    @property
    def m(self) -> int:
        """The number of equations, those of the sides included."""
        return len(self.rows) + (self.sides.m if self.sides else 0)

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return self.system.n

    @property
    def dense(self) -> bool:
        """Whether the system is small enough for dense matrices."""
        return self.n + self.system.m <= DENSE

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """The coordinates that any constraint depends on."""
        return np.isin(np.arange(self.n), self._entry_places[1])

    @cached_property
    def cornered(self) -> NDArray[np.bool_]:
        """The constraints whose formulas have corners, without the sides."""
        found = np.zeros(len(self.rows), dtype=bool)
        for piece in self._residuals:
            if any(node.op in CORNERED for node in piece.program.nodes):
                found[piece.to.place[piece.to.inside]] = True
        return found

    @cached_property
    def plain(self) -> Constraints:
        """The same without the sides."""
        if self.sides is None:
            return self
        other = copy(self)
        other.sides = None
        return other

    def only(self, rows: Iterable[int]) -> Constraints:
        """The same with fewer constraints, given by their numbers in the system, and any side."""
        return Constraints(self.system, self.t, np.array(sorted(rows), dtype=np.int64))

    # -- numbers ------------------------------------------------------------------------------------------------------

    def values(self, Q: Floats) -> Floats:
        """g.   Q: (n, k)  →  (m, k)"""
        g = self._plain(Q)
        return g if self.sides is None else np.concatenate([g, np.minimum(self._ahead(Q) - TURNED, 0.0)])

    def _plain(self, Q: Floats) -> Floats:
        g = np.zeros((len(self.rows), Q.shape[1]))
        g[self._residual_rows] = self._remembered("residuals", Q)
        return g

    def matrices(self, Q: Floats) -> Floats:
        """G of each state, dense.   Q: (n, k)  →  (k, m, n)"""
        values, (places, number) = self._remembered("entries", Q), self._shared_places
        if len(places) < len(number):
            sums = np.zeros((len(places), Q.shape[1]))
            np.add.at(sums, number, values)
            values = sums
        flat = np.zeros((Q.shape[1], len(self.rows) * self.n))
        flat[:, places] = values.T
        G = flat.reshape(Q.shape[1], len(self.rows), self.n)
        if self.sides is None:
            return G
        pull = np.zeros((Q.shape[1], self.sides.m, self.n))
        wrong = self._ahead(Q) < TURNED
        states = wrong.any(axis=0)
        if states.any():
            pull[states] = wrong[:, states].T[:, :, None] * self.sides.matrices(Q[:, states])
        return np.concatenate([G, pull], axis=1)

    def matrix(self, q: Floats) -> csc_array:
        """G at one state, sparse.   q: (n,)  →  (m, n)"""
        values = self._remembered("entries", q[:, None])[:, 0]
        G = csc_array((values, self._entry_places), shape=(len(self.rows), self.n))
        if self.sides is None:
            return G
        pull = np.where(self._ahead(q[:, None])[:, 0] < TURNED, 1.0, 0.0)
        return csc_array(vstack([G, diags_array(pull) @ self.sides.matrix(q)]))

    def pull(self, Q: Floats, lam: Floats) -> Floats:
        """Gᵀλ at each state, without the sides.   Q: (n, k), lam: (m,)  →  (n, k)"""
        row, _ = self._entry_places
        return np.asarray(self._columns @ (self._remembered("entries", Q) * lam[row][:, None]))

    def gaps(self, Q: Floats) -> Floats:
        """How far each constraint is from being met: |g| / ‖G‖, coordinates measured in their scales.   → (m, k)

        That of a side is infinite if it is the wrong one, else zero.
        """
        size = self.row_sizes(Q)
        gaps = np.abs(self._plain(Q)) / np.where(size > 0, size, 1.0)
        gaps = np.where(gaps > self.rounding(Q), gaps, 0.0)
        gaps = np.where(np.isfinite(gaps) & np.isfinite(size), gaps, np.inf)
        return gaps if self.sides is None else np.concatenate([gaps, np.where(self._ahead(Q) > 0, 0.0, np.inf)])

    def rounding(self, Q: Floats) -> Floats:
        """What the numbers of places leave of a gap at least, far from the origin; nothing near it.   → (k,)"""
        s = self.system
        still = float(np.max(np.abs(s.frozen), initial=0.0))
        far = np.maximum(
            np.max(np.abs(Q[: s.n]) / s.scales[:, None], axis=0, initial=0.0), still / np.max(s.scales, initial=1e-300)
        )
        return np.where(far > FAR, ROUNDED * far, 0.0)

    def gap(self, q: Floats) -> float:
        """The largest gap at one state."""
        return float(np.max(self.gaps(q[:, None]), initial=0.0))

    def row_sizes(self, Q: Floats) -> Floats:
        """‖G‖ of each constraint, coordinates measured in their scales, without the sides.   Q: (n, k)  →  (rows, k)"""
        values = self._remembered("entries", Q) * self.system.scales[self._entry_places[1]][:, None]
        squares = np.zeros((len(self.rows), Q.shape[1]))
        with np.errstate(all="ignore"):
            np.add.at(squares, self._entry_places[0], values**2)
        return np.asarray(np.sqrt(squares))

    def _ahead(self, Q: Floats) -> Floats:
        """How far on the right side each side is: 1 at most, negative on the wrong one.   → (sides, k)"""
        assert self.sides is not None
        return self.sides.values(Q)

    def number_slopes(self, Q: Floats, chosen: Ints, steps: Floats) -> Floats:
        """∂g/∂p by some numbers of formulas, without the sides, by differences of these steps.

        Q: (n, k), chosen: (c,), steps: by number  →  (c, m, k)
        """
        slopes = np.zeros((len(chosen), len(self.rows), Q.shape[1]))
        where = np.full(len(self.system.numbers), -1, dtype=np.int64)
        where[chosen] = np.arange(len(chosen))
        extended = self.system.extend(Q)
        for piece in self._residuals:
            for c, column in enumerate(piece.term.columns.T):
                if (where[column] >= 0).any():
                    h = steps[column][:, None]
                    ahead, behind = (self._results(piece, extended, {c: piece.parameters[c] + x}) for x in (h, -h))
                    target = np.broadcast_to(where[column][:, None], piece.to.place.T.shape).T
                    counts = piece.to.inside & (target >= 0)
                    np.add.at(slopes, (target[counts], piece.to.place[counts]), ((ahead - behind) / (2 * h))[counts])
        fixed = self.system.frozen_columns
        for i in np.flatnonzero(where[fixed] >= 0) if len(fixed) else ():
            h = steps[fixed[i]]
            ends = []
            for x in (h, -h):
                moved = extended.copy()
                moved[self.n + i] += x
                found = [self._results(piece, moved)[piece.to.inside] for piece in self._residuals]
                ends.append(np.concatenate(found) if found else np.zeros((0, Q.shape[1])))
            slopes[where[fixed[i]], self._residual_rows] += (ends[0] - ends[1]) / (2 * h)
        return slopes

    # -- programs -----------------------------------------------------------------------------------------------------

    def _remembered(self, what: str, Q: Floats) -> Floats:
        """Results at states that were asked for before, if that was not long ago."""
        key = what, Q.shape, Q.tobytes()
        found = self._recent.get(key)
        if found is None:
            if len(self._recent) >= RECENT:
                self._recent.clear()
            pieces = self._residuals if what == "residuals" else self._entries
            alone = self._run_alone(what, pieces, Q) if Q.shape[1] == 1 else None
            found = self._recent[key] = self._run(pieces, Q) if alone is None else alone
        return found

    @cached_property
    def _recent(self) -> dict[tuple[str, tuple[int, ...], bytes], Floats]:
        return {}

    def _run_alone(self, what: str, pieces: Sequence[_Piece], Q: Floats) -> Floats | None:
        """The same at one state, on floats; None if that takes arrays.   Q: (n, 1)  →  (places, 1)"""
        places = self.system.extend(Q)[:, 0].tolist()

        def make() -> Flat | None:
            return write_out([Job(p.term, p.program, len(p.parameters), p.to.inside) for p in pieces], len(places))

        flat = self._once(f"flat {what}", make)
        if flat is None:
            return None
        found = flat.run(places, self.t, [x for piece in pieces for x in piece.numbers])
        return None if found is None else found[:, None]

    def _run(self, pieces: Sequence[_Piece], Q: Floats) -> Floats:
        """Results of programs at many states, those of one piece after those of another.   → (places, k)"""
        extended, k = self.system.extend(Q), Q.shape[1]
        found = [(piece.to, self._results(piece, extended)) for piece in pieces]
        flat = [values.reshape(-1, k) if to.whole else values[to.inside] for to, values in found]
        return np.concatenate(flat) if flat else np.zeros((0, k))

    def _results(self, piece: _Piece, extended: Floats, other: Mapping[int, Floats] | None = None) -> Floats:
        """All results of a program, some of its parameters replaced by others.   → (results, instances, k)"""
        parameters = [other.get(i, p) for i, p in enumerate(piece.parameters)] if other else piece.parameters
        inputs = {"q": extended.take(piece.term.coordinates.T, axis=0), "p": parameters}
        results = run_program(piece.program, inputs, self.t)["v"]
        every = np.empty((len(results), piece.term.count, extended.shape[1]))
        for i, values in enumerate(results):
            every[i] = values
        return every

    @cached_property
    def _local(self) -> Ints:
        """Where a row of the system is among those that count, −1 if it is not."""
        local = np.full(self.system.m, -1, dtype=np.int64)
        local[self.rows] = np.arange(len(self.rows))
        return local

    def _once(self, what: str, make: Callable[[], T]) -> T:
        """What follows from the structure of the system and the choice of rows."""
        return self.system.once(("constraints", what, self.rows.tobytes()), make)

    @cached_property
    def _residuals(self) -> list[_Piece]:
        terms = self.system.terms
        shapes = self._once("residuals", lambda: [*self._residual_shapes()])
        return [_Piece(terms[i], program, terms[i].parameters.T[:, :, None], to) for i, program, to in shapes]

    def _residual_shapes(self) -> Iterable[tuple[int, Program, _Target]]:
        for number, term in enumerate(self.system.terms):
            chosen = [i for i in range(term.kernel.holonomic_count) if (self._local[term.rows[:, i]] >= 0).any()]
            if chosen:
                program = cut(term.kernel.derived.levels, [term.kernel.derived.levels.outputs["g"][i] for i in chosen])
                place = self._local[term.rows[:, chosen].T]
                yield number, program, _target(place, place >= 0)

    @cached_property
    def _residual_rows(self) -> Ints:
        return self._once("rows", lambda: _stack([piece.to.place[piece.to.inside] for piece in self._residuals]))

    @cached_property
    def _entries(self) -> list[_Piece]:
        shapes = self._once("entries", lambda: [*self._entry_shapes()])
        terms = self.system.terms
        return [
            _Piece(terms[i], program, _widen(prepare_columns(terms[i], setup)), to) for i, setup, program, to in shapes
        ]

    def _entry_shapes(self) -> Iterable[tuple[int, Program, Program, _Target]]:
        for number, term in enumerate(self.system.terms):
            d, count = term.kernel.derived, term.kernel.holonomic_count
            for hoisted, names in ((d.matrix, d.matrix_entries), (d.constant, d.constant_entries)):
                chosen = [k for k, (kind, i, _) in enumerate(names) if kind == "G" and i < count]
                if hoisted is None or not chosen:
                    continue
                program = cut(hoisted.body, [hoisted.body.outputs["F"][k] for k in chosen])
                rows = self._local[term.rows[:, [names[k][1] for k in chosen]].T]
                columns = term.coordinates[:, [names[k][2] for k in chosen]].T
                inside = (rows >= 0) & (columns < self.n)
                yield number, hoisted.setup, program, _target(rows * self.n + columns, inside)

    @cached_property
    def _entry_places(self) -> tuple[Ints, Ints]:
        flat = self._flat_places
        return flat // self.n, flat % self.n

    @cached_property
    def _flat_places(self) -> Ints:
        return self._once("places", lambda: _stack([piece.to.place[piece.to.inside] for piece in self._entries]))

    @cached_property
    def _shared_places(self) -> tuple[Ints, Ints]:
        """The places of the matrix that have entries, and which of them each entry goes to."""

        def find() -> tuple[Ints, Ints]:
            places, number = np.unique(self._flat_places, return_inverse=True)
            unique = len(places) == len(number)
            return (self._flat_places, np.arange(len(number))) if unique else (places, number)

        return self._once("shared", find)

    @cached_property
    def _columns(self) -> csr_array:
        """Adds up the entries that share a column."""
        _, column = self._entry_places
        return csr_array((np.ones(len(column)), (column, np.arange(len(column)))), shape=(self.n, len(column)))


def sides_of(system: System, t: float) -> Constraints:
    """The sides of a system as if they were constraints."""

    def make() -> System:
        sides = replace(system, terms=system.chart.sides, rows=system.chart.side_rows)
        vars(sides)["shared"] = system.once("sides", dict[object, object])
        return sides

    return Constraints(system.remember("sides", make), t)


def _target(place: Ints, inside: NDArray[np.bool_]) -> _Target:
    return _Target(place, inside, bool(inside.all()))


def _widen(columns: Sequence[Floats]) -> tuple[Floats, ...]:
    """Columns of parameters beside many states."""
    return tuple([p[:, None] if p.ndim else p for p in columns])


def _stack(pieces: Sequence[Ints]) -> Ints:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
