"""Tables of algebraic values: those of a System in, the structure of `algebra.h` out."""

from __future__ import annotations

import ctypes
from functools import partial

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Ints
from linkwork.equations import System
from linkwork.native.watch import SWITCH, Values, WatchProgram, fill_columns, lay_out_program, plan_values, point_at

ROWS = 4  # of a series that are needed: slopes are found by coefficients of order 1, and accelerations lead by two


class AlgebraTable(ctypes.Structure):
    """What the runtime knows of them."""

    _fields_ = (
        *((n, ctypes.c_long) for n in ("count", "readers", "capacity", "mirrored")),
        *((n, ctypes.c_void_p) for n in ("slot", "reader", "program", "D", "order", "column")),
        *((n, ctypes.c_void_p) for n in ("rho", "rest", "kept", "step", "room")),
        *((n, ctypes.c_double) for n in ("sign", "determinant")),
        ("endless", ctypes.c_long),
    )


def plan_algebra(system: System) -> list[Values]:
    """The recurrences of what vanishes, of each value."""
    return [
        system.once(("algebraic", i), partial(plan_values, value.program, "v", SWITCH))
        for i, value in enumerate(system.algebra)
    ]


def make_border(slots: list[int], stages: int, unknowns: int, width: int) -> tuple[AlgebraTable, list[object]]:
    """The table of values that are unknowns of implicit steps with so many stages, and what it points at."""
    keep: list[object] = []
    count = stages * len(slots)
    table = AlgebraTable(
        count=count,
        slot=point_at(keep, np.array(slots, np.int32)),
        D=point_at(keep, np.zeros((count, count))),
        order=point_at(keep, np.zeros(count, np.int32)),
        column=point_at(keep, np.zeros((count, stages, max(1, unknowns)))),
        room=point_at(keep, np.zeros((3 * stages + 1, width + 8))),
    )
    for name in ("rho", "rest", "kept", "step"):
        setattr(table, name, point_at(keep, np.zeros(count)))
    return table, keep


class Algebra:
    """The table of the algebraic values of a system, for expansions of an order.

    slots  of all places and, behind them, of multipliers
    """

    def __init__(self, system: System, slots: Ints, unknowns: int, width: int, order: int) -> None:
        self._keep: list[object] = []
        self.values = plan_algebra(system)
        count, capacity = len(self.values), max(order + 1, ROWS)
        programs = (WatchProgram * count)()
        for i, (values, value) in enumerate(zip(self.values, system.algebra, strict=True)):
            columns = [np.array([p]) for p in value.parameters]
            programs[i] = lay_out_program(self._keep, values, columns, slots[None, :], capacity, order - 1)
        self._keep.append(programs)
        self._programs = programs
        places = [slots[system.inputs[value.name]] for value in system.algebra]
        self.table = AlgebraTable(
            count=count,
            readers=int(system.readers.sum()),
            capacity=capacity,
            mirrored=sum(not value.implicit for value in system.algebra),
            slot=self._pointer(np.array(places, np.int32)),
            reader=self._pointer(np.flatnonzero(system.readers).astype(np.int32)),
            program=ctypes.addressof(programs),
            D=self._pointer(np.zeros((count, count))),
            order=self._pointer(np.zeros(count, np.int32)),
            column=self._pointer(np.zeros((count, max(1, unknowns)))),
            room=self._pointer(np.zeros(width + 8)),
        )
        for name in ("rho", "rest", "kept", "step"):
            setattr(self.table, name, self._pointer(np.zeros(count)))
        self.slots = np.array(places, dtype=np.int64)
        self.address = ctypes.addressof(self.table)
        self.open = any(value.implicit for value in system.algebra)

    def _pointer(self, array: NDArray[np.generic]) -> int:
        return point_at(self._keep, array)

    def fill(self, system: System) -> None:
        """Put the numbers of a system into the tables."""
        for program, values, value in zip(self._programs, self.values, system.algebra, strict=True):
            program.par = self._pointer(fill_columns(values, [np.array([p]) for p in value.parameters], 1))

    def begin(self) -> None:
        """Forget the run before: without feedback the determinant is one, unless an equation has a sign of its own."""
        self.table.sign, self.table.endless = 0.0 if self.open else 1.0, 0
