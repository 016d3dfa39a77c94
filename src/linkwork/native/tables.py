"""Tables of numbers that compiled kernels read: blocks of instances side by side, filled from a term's parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats, Ints
from linkwork.equations import Term
from linkwork.native.interpreter import run_program
from linkwork.native.numbers import prepare_columns
from linkwork.program import Hoisted, Program


def aligned(shape: tuple[int, ...]) -> Floats:
    """Zeros that start at a multiple of 64 bytes."""
    size = int(np.prod(shape))
    raw = np.zeros(size + 8)
    start = (-raw.ctypes.data // 8) % 8
    return raw[start : start + size].reshape(shape)


def in_blocks(table: Ints, padding: Ints, lanes: int) -> NDArray[np.int32]:
    """Rows of instances as blocks: (blocks, columns, lanes); missing instances become `padding`."""
    missing = -len(table) % lanes
    full = np.vstack([table, np.repeat(padding[None, :], missing, axis=0)]) if missing else table
    blocks = full.reshape(len(full) // lanes, lanes, table.shape[1])  # a term without unknowns has no columns
    return np.ascontiguousarray(blocks.transpose(0, 2, 1), dtype=np.int32)


Inputs = Mapping[str, Sequence[Floats]]  # parameters and cursors


def compute_columns(hoisted: Hoisted, columns: Sequence[Floats], count: int) -> Floats:
    """The results of a program that depends on parameters only, from what its setup made of them.

    →  (instances, results)
    """
    results = run_program(hoisted.body, {"p": columns})["F"]
    table = np.empty((count, len(results)))
    for i, column in enumerate(results):
        table[:, i] = column
    return table


def spread(places: NDArray[np.int32], unread: int, room: int) -> NDArray[np.int32]:
    """The same, with what nobody reads in turns at `room` places from `unread` on: sums do not wait for each other."""
    idle = places == unread
    places[idle] += np.arange(np.count_nonzero(idle), dtype=np.int32) % room
    return places


class Layout:
    """Where the numbers of a term go: its constant entries of the matrix, and tables of columns for its code.

    A table has blocks (blocks, columns, lanes); missing instances repeat the last.
    """

    def __init__(
        self, cursors: list[Floats], lanes: int, constant: Hoisted | None = None, places: Ints | None = None
    ) -> None:
        self.cursors, self.lanes, self.constant = cursors, lanes, constant
        self.places = np.zeros((0, 0), dtype=np.int64) if places is None else places
        self.entries = np.zeros(self.places.shape)
        self.tables: list[tuple[Program, Floats]] = []

    def add(self, hoisted: Hoisted, blocks: int) -> Floats:
        """One more table, for what a program needs of the parameters."""
        table = aligned((blocks, hoisted.columns, self.lanes))
        self.tables.append((hoisted.setup, table))
        return table

    def columns(self, setup: Program, count: int) -> Floats:
        """The numbers that a table of so many instances holds.   (instances, columns)"""
        table = next(table for made, table in self.tables if made is setup)
        blocks, columns, lanes = table.shape
        return table.transpose(0, 2, 1).reshape(blocks * lanes, columns)[:count]

    def add_constant(self, constant: Floats) -> None:
        """Add the constant entries of the term that the tables were filled with."""
        np.add.at(constant, self.places, self.entries)

    def fill(self, term: Term, weights: Floats) -> None:
        """Compute the constant entries of a term, and write its numbers into the tables of its code."""
        count, lanes = term.count, self.lanes
        inputs: Inputs = {"p": [*term.parameters.T, *weights[term.rows].T], "c": self.cursors}
        if self.places.size and self.constant is not None:
            setup = self.constant.setup
            # without constraints there are no weights, and the columns may be known
            known = not (term.rows.shape[1] or self.cursors)
            columns = prepare_columns(term, setup) if known else run_program(setup, inputs)["p"]
            self.entries = compute_columns(self.constant, columns, count)
        for setup, table in self.tables:
            place = np.minimum(np.arange(len(table) * lanes), count - 1).reshape(-1, lanes)
            for i, column in enumerate(run_program(setup, inputs)["p"]):
                table[:, i, :] = column[place] if column.ndim else column
