"""Programs as tapes that C reads line by line (`tape.h`): the numbers of compiled code, bit by bit, and no compiler.

What a kernel adds to implicit steps is thousands of lines: a compiler takes seconds for what a short run computes in
milliseconds. So tapes make the first steps, and code those of a long run.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.program import Node, Program, order_results
from linkwork.program.emit_c import ROWS

INTEGERS = ("op", "a", "b", "c", "place", "row")
LINE = np.dtype([*((name, np.int32) for name in INTEGERS), ("value", np.float64)], align=True)  # as in runtime.h
NUMBER, COLUMN, METHOD, TIME, READ, FIRST = range(6)
# operations from FIRST on, as in tape.h; a curve needs to be told where it is, and stays with compiled code
OPERATIONS = (
    "add", "sub", "mul", "div", "neg", "select", "less", "less_equal", "min", "max", "abs", "sign", "sqrt", "pow",
    "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh",
)  # fmt: skip
_NUMBERS = {name: FIRST + i for i, name in enumerate(OPERATIONS)}
_SOURCES = {"p": COLUMN, "s": METHOD, "t": TIME}


class TapeRow(ctypes.Structure):
    """A tape, as in runtime.h."""

    _fields_ = (
        *((name, ctypes.c_long) for name in ("lines", "results", "lanes", "inputs", "columns")),
        *((name, ctypes.c_void_p) for name in ("line", "result", "place", "work")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Tape:
    """The lines of a program; the lines that are results, in the order in which they are added, and their places."""

    lines: NDArray[np.void]
    result: NDArray[np.int32]
    place: NDArray[np.int32]

    def lay_out(self, keep: list[object], *, lanes: int, inputs: int, columns: int) -> int:
        """Where the tape is, for blocks of so many instances with so many inputs and columns; `keep` holds it."""
        work = np.zeros((len(self.lines), lanes))
        arrays = self.lines, self.result, self.place, work
        row = TapeRow(
            len(self.lines), len(self.result), lanes, inputs, columns, *(array.ctypes.data for array in arrays)
        )
        keep += [*arrays, row]
        return ctypes.addressof(row)


def can_be_read(program: Program) -> bool:
    """Whether a tape can hold a program."""
    return all(node.op in _NUMBERS or node.op in ("constant", "input") for node in program.nodes)


def make_tape(program: Program) -> Tape:
    """The tape of a program."""
    places, nodes = zip(*order_results(program), strict=True)
    return Tape(
        lines=np.array([_line(node) for node in program.nodes], dtype=LINE),
        result=np.array(nodes, dtype=np.int32),
        place=np.array(places, dtype=np.int32),
    )


def _line(node: Node) -> tuple[float, ...]:
    if node.op == "constant":
        return NUMBER, 0, 0, 0, 0, 0, node.value
    if node.source is not None:
        kind, index = node.source.kind, node.source.index
        return _SOURCES.get(kind, READ), 0, 0, 0, index, ROWS.get(kind, 0), 0.0
    a, b, c = (*node.args, 0, 0)[:3]
    return _NUMBERS[node.op], a, b, c, 0, 0, node.value
