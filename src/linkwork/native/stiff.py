"""Tables of implicit steps: a machine in, what `implicit.h` needs beside its tables out. Made when a method asks.

The matrix has the pattern of L D Lᵀ twice: D at j, entry e of L at n + e, the mirrored entry of U at n + entries + e.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import Kernel, System, Term
from linkwork.equations.implicit import derive_implicit
from linkwork.native.algebra import make_border
from linkwork.native.compiler import BRIEF, Source
from linkwork.native.radau import find_radau
from linkwork.native.sparsity import Pattern
from linkwork.native.tables import Layout, aligned, in_blocks
from linkwork.native.tape import Tape, can_be_read, make_tape
from linkwork.program import emit_implicit

if TYPE_CHECKING:
    from linkwork.native.code import ImplicitCode
    from linkwork.native.machine import Machine

EXACT = (*BRIEF, "-ffp-contract=off")  # each operation rounds, as on a tape
ROWS = 19  # of `room` before the path of followers, as in implicit.h
LAW_DIGEST = re.compile(r"_[0-9a-f]{16}$")  # of its content, at the end of the name of a law's kernel


class Stiff(ctypes.Structure):
    """A kernel and its instances, as in implicit.h."""

    _fields_ = (
        ("residual", ctypes.c_void_p),
        ("tangent", ctypes.c_void_p),
        ("residual_tape", ctypes.c_void_p),
        ("tangent_tape", ctypes.c_void_p),
        ("blocks", ctypes.c_long),
        *((name, ctypes.c_void_p) for name in ("from", "residual_to", "tangent_to", "residual_par", "tangent_par")),
    )


class ImplicitRow(ctypes.Structure):
    """An implicit method and where it is, as in implicit.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("term", "constant", "A", "inverse", "yields", "room", "border")),
        *((name, ctypes.c_double) for name in ("rho", "part", "am", "af", "gamma", "beta", "kappa", "cq", "cu")),
        ("c", ctypes.c_double * 3),
        *((name, ctypes.c_double) for name in ("made", "rate", "h_before", "far", "lacked", "lacked_in")),
        *((name, ctypes.c_long) for name in ("begun", "iterations")),
        ("radau", ctypes.c_void_p),
        ("accelerations", ctypes.c_void_p),
        ("bends", ctypes.c_long),
    )


ROOM = ("parts", "pairs", "room", "scratch", "rows", "blocks", "block_inverses")
COEFFICIENTS = ("nodes", "A", "A2", "spectrum", "there", "back", "error", "dense", "between")


class RadauRow(ctypes.Structure):
    """A Radau method and its room, as in radau.c."""

    _fields_ = (
        ("stages", ctypes.c_long),
        *((name, ctypes.c_void_p) for name in (*COEFFICIENTS, *ROOM)),
        ("full", ctypes.c_long),
        ("border", ctypes.c_void_p),
    )


def implicit_source(k: Kernel, lanes: int) -> Source | None:
    """The C text of a kernel's part of implicit steps; None if it has none."""
    d = derive_implicit(k)
    if d.residual is None and d.matrix is None:
        return None
    name = LAW_DIGEST.sub("", k.name)  # the same code may serve laws with other data
    head, body = emit_implicit(name=name, lanes=lanes, inputs=k.local_count, residual=d.residual, matrix=d.matrix)
    return Source(body, head, EXACT)


def read_implicit(k: Kernel) -> tuple[Tape | None, Tape | None] | None:
    """The tapes of a kernel's residual and matrix, where it has these; None if no tape can hold them."""
    d = derive_implicit(k)
    programs = [hoisted and hoisted.body for hoisted in (d.residual, d.matrix)]
    if not all(can_be_read(program) for program in programs if program):
        return None
    residual, matrix = (make_tape(program) if program else None for program in programs)
    return residual, matrix


@dataclass(frozen=True, slots=True)
class _Places:
    """Where entries of the matrix go."""

    pattern: Pattern

    @property
    def entries(self) -> int:
        return len(self.pattern.row)

    @property
    def unread(self) -> int:
        return self.pattern.unknowns + 2 * self.entries

    def find(self, row: Ints, column: Ints) -> Ints:
        """The places of entries by the slots of their rows and columns."""
        p = self.pattern
        lower = p.places(row, column)
        found = np.where((lower >= p.unknowns) & (row < column), lower + self.entries, lower)
        return np.where(lower == p.unread, self.unread, found)


class Implicit:
    """The tables of a machine's implicit steps."""

    def __init__(self, machine: Machine, code: ImplicitCode) -> None:
        self.machine, self.code, self.places = machine, code, _Places(machine.pattern)
        self.layouts: list[Layout] = []
        self.keep: list[object] = []
        self.radau: RadauRow | None = None
        system, n = machine.system, machine.pattern.unknowns
        rows = (Stiff * max(1, len(system.terms)))()
        for i, term in enumerate(system.terms):
            rows[i] = self._row(term, i, machine.lanes[i])
        self.rows = rows
        self._point_at_code()
        self.constant = np.zeros(self.places.unread + 1)
        self.arrays = rows, np.zeros(self.places.unread + 1), np.zeros(n), np.zeros(n)
        self.room = np.zeros((ROWS + machine.order + 1, machine.width))
        self.c = ImplicitRow(
            term=ctypes.addressof(rows),
            constant=self.constant.ctypes.data,
            A=self.arrays[1].ctypes.data,
            inverse=self.arrays[2].ctypes.data,
            yields=self.arrays[3].ctypes.data,
            room=self.room.ctypes.data,
            border=self._lay_out_border(),
        )

    def _lay_out_border(self) -> int | None:
        """The table of values in laws, as unknowns of a step."""
        if not self.values:
            return None
        self.border = make_border(self.values, 1, self.machine.pattern.unknowns, self.machine.width)
        return ctypes.addressof(self.border[0])

    @property
    def values(self) -> list[int]:
        """Slots of values in laws: of calls of opaque functions, then of algebraic values."""
        tables = (self.machine.opaque, self.machine.algebra)
        return [x for table in tables if table is not None for x in table.slots.tolist()]

    def use_radau(self, stages: int) -> None:
        """Make steps by the Radau method with so many stages from now on; 0: others."""
        if not stages:
            self.c.radau = None
            return
        if self.radau is None or self.radau.stages != stages:
            method, n, width = find_radau(stages), self.machine.pattern.unknowns, self.machine.width
            tables = {name: np.ascontiguousarray(getattr(method, name)) for name in COEFFICIENTS}
            tables["parts"] = np.zeros((3, self.places.unread))
            tables["pairs"] = np.zeros((stages // 2, self.places.unread + n, 2))
            tables["room"] = np.zeros((7 * stages, width))
            tables["scratch"] = np.zeros((n, stages))
            tables["rows"] = np.zeros((self.machine.system.m, n + 1))
            block = stages * 4 * -(-stages // 4)  # rows are padded to whole quads
            tables["blocks"] = aligned((self.places.unread * block,))
            tables["block_inverses"] = aligned((n * block,))
            self.radau_tables = tables
            self.radau = RadauRow(stages=stages, **{name: table.ctypes.data for name, table in tables.items()})
            if self.values:
                self.radau_border = make_border(self.values, stages, n, width)
                self.radau.border = ctypes.addressof(self.radau_border[0])
        self.c.radau = ctypes.addressof(self.radau)

    def fill(self, system: System, weights: Floats) -> None:
        """Put the numbers of a system into the tables."""
        self.constant[:] = 0.0
        for term, layout in zip(system.terms, self.layouts, strict=True):
            layout.fill(term, weights)
            layout.add_constant(self.constant)

    def take_code(self) -> None:
        """Make steps by code from now on."""
        if not self.compiled:
            self.code.compile_all()
            self._point_at_code()

    def _point_at_code(self) -> None:
        self.compiled = self.code.whole
        for row, code in zip(self.rows, self.code.code, strict=False):
            if code is not None:
                row.residual = code.address("lw_residual") if row.residual_to else None
                row.tangent = code.address("lw_tangent") if row.tangent_to else None

    def _row(self, term: Term, i: int, lanes: int) -> Stiff:
        m, d, blocks = self.machine, derive_implicit(term.kernel), -(-term.count // lanes)
        coordinates, rows = m.slots[term.coordinates], m.pattern.multiplier[term.rows]
        unknowns = np.hstack([coordinates, rows])
        cursors = m.addresses[len(self.layouts)]
        layout = Layout(cursors, lanes, d.constant, self._find(coordinates, rows, d.constant_entries))
        self.layouts.append(layout)
        row = Stiff(blocks=blocks)
        setattr(row, "from", m.pointer(in_blocks(unknowns, unknowns[-1], lanes)))
        residual, matrix = self.code.tapes[i] or (None, None)
        form = {"lanes": lanes, "inputs": term.kernel.local_count}
        if d.residual is not None:
            targets = self._targets(term, coordinates, rows)
            row.residual_tape = residual and residual.lay_out(self.keep, columns=d.residual.columns, **form)
            row.residual_to = m.pointer(in_blocks(targets, np.full(targets.shape[1], m.width - 1), lanes))
            row.residual_par = m.pointer(layout.add(d.residual, blocks))
        if d.matrix is not None:
            places = self._find(coordinates, rows, d.entries)
            row.tangent_tape = matrix and matrix.lay_out(self.keep, columns=d.matrix.columns, **form)
            row.tangent_to = m.pointer(in_blocks(places, np.full(places.shape[1], self.places.unread), lanes))
            row.tangent_par = m.pointer(layout.add(d.matrix, blocks))
        return row

    def _targets(self, term: Term, coordinates: Ints, rows: Ints) -> Ints:
        """Where residuals go: r and g to the first row of slots, ġ and h to the second."""
        m = self.machine
        own = coordinates[:, : len(term.kernel.coordinates)]
        forces = np.where(own < m.pattern.unknowns, own, m.width - 1)
        return np.hstack([forces, rows[:, : term.kernel.holonomic_count], m.width + rows])

    def _find(self, coordinates: Ints, rows: Ints, entries: Sequence[tuple[str, int, int]]) -> Ints:
        found = np.empty((len(coordinates), len(entries)), dtype=np.int64)
        for e, (kind, i, j) in enumerate(entries):
            one, other = coordinates[:, i] if kind == "S" else rows[:, i], coordinates[:, j]
            found[:, e] = self.places.find(other, one) if kind == "T" else self.places.find(one, other)
        return found
