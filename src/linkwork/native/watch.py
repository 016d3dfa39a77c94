"""Tables of what is watched along a motion: expressions and switches of laws in, the structures of `watch.h` out.

A watched program is run by the C runtime as a table of its Taylor recurrences (`values.h`): nothing is compiled for it.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.interpreter import run_program
from linkwork.native.motion import Crossing, Side
from linkwork.program import Hoisted, Plan, Program, Step, find_switches, hoist, plan_taylor, rebuild

EVENT, SWITCH, INNER_SWITCH = range(3)  # kinds of values, as in watch.h
SIGNS = {-1: None, 0: False, 1: True}
SHAKES = 4  # ways in which all coordinates and speeds may be wrong at once, as in watch.h
SMALLEST_NOISE = 1e-13  # of coordinates and speeds, relative
FINE = 1e-3  # of the noise of events: that of grips of two speeds
ROUNDED = 1e-14  # of coordinates and speeds, relative: what rounding leaves of them
LOWEST_ORDER = 16  # of the series of values, whatever the order of the motion
OPS = (  # in the order of values.h
    "const", "t", "q", "u", "a", "add", "sub", "neg", "scale", "mul", "square", "div", "sqrt", "pow", "abs", "sign",
    "min", "max", "less", "less_equal", "select", "piece", "curve", "exp", "log", "sin", "cos", "tan", "tanh", "asin",
    "acos", "atan", "atan2",
)  # fmt: skip


class Cursor(ctypes.Structure):
    """Which piece of a curve a run is on, as in curve.h."""

    _fields_ = (
        *((n, ctypes.c_void_p) for n in ("knots", "origins", "coefficients")),
        *((n, ctypes.c_long) for n in ("count", "degree", "piece")),
        ("series", ctypes.c_void_p),
        *((n, ctypes.c_long) for n in ("stride", "known")),
        ("exit", ctypes.c_double),
        ("next", ctypes.c_long),
        ("period", ctypes.c_double),
        ("turn", ctypes.c_long),
    )


class WatchStep(ctypes.Structure):
    """One recurrence."""

    _fields_ = (
        *((n, ctypes.c_int) for n in ("op", "a", "b", "c", "place", "pair", "pairs")),
        ("value", ctypes.c_double),
    )


class _Pair(ctypes.Structure):
    _fields_ = (("c", ctypes.c_double), ("phi", ctypes.c_int), ("x", ctypes.c_int))


class WatchProgram(ctypes.Structure):
    """A program and its instances."""

    _fields_ = (
        *((n, ctypes.c_long) for n in ("steps", "results", "instances", "inputs", "columns", "cursors", "first")),
        *((n, ctypes.c_void_p) for n in ("step", "pair", "result", "from", "par", "cursor", "work")),
        ("hides", ctypes.c_long),
    )


class _Occurrence(ctypes.Structure):
    _fields_ = (("t", ctypes.c_double), ("function", ctypes.c_long), ("positive", ctypes.c_long))


class WatchTable(ctypes.Structure):
    """Everything that is watched."""

    _fields_ = (
        *((n, ctypes.c_long) for n in ("functions", "programs", "columns", "order", "capacity")),
        *((n, ctypes.c_void_p) for n in ("program", "owner", "kind", "stop", "direction")),
        *((n, ctypes.c_void_p) for n in ("begin", "column", "entry", "fixed", "shake")),
        ("share", ctypes.c_double),
        ("finer", ctypes.c_void_p),
        *((n, ctypes.c_void_p) for n in ("X", "Y", "Z", "V", "value", "ahead", "noise", "largest")),
        *((n, ctypes.c_void_p) for n in ("side", "raw", "left", "kept", "kept_left")),
        *((n, ctypes.c_long) for n in ("count", "room", "muted")),
        ("found", ctypes.POINTER(_Occurrence)),
    )


@dataclass(frozen=True, slots=True)
class Values:
    """The recurrences of some values of one kind, with those of the laws inside them behind."""

    hoisted: Hoisted
    plan: Plan
    kinds: tuple[int, ...]


def plan_values(program: Program, group: str, kind: int) -> Values:
    """The recurrences of a group of results."""
    b, new = rebuild(program)
    values = [new[node] for node in program.outputs[group]]
    # switches of laws are all among themselves already
    inner = find_switches(b, values) if kind == EVENT else []
    hoisted = hoist(b.program(v=[*values, *inner]))
    plan = plan_taylor(hoisted.body, {"v": 0})
    return Values(hoisted, plan, (kind,) * len(values) + (INNER_SWITCH,) * len(inner))


def find_inner(system: System, i: int) -> Program | None:
    """A program of what changes sign where a law inside a watched expression changes its branch; None: nothing does."""

    def find() -> Program | None:
        b, new = rebuild(system.watches[i].program)
        inner = find_switches(b, [new[node] for node in system.watches[i].program.outputs["v"]])
        return b.program(v=inner) if inner else None

    return system.once(("inner", i), find)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Values on instances.

    places      (instances, local): the quantity of each local coordinate
    parameters  arrays over instances
    """

    values: Values
    names: tuple[str, ...]
    places: Ints
    parameters: Sequence[Floats]
    stop: bool = False
    direction: int = 0
    watch: int = -1  # the number of an event
    finer: float = 1.0  # of the share by which coordinates may be wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantities:
    """What values read: sums of entries of the rows of a step, what is fixed, and the size by which each is judged."""

    read: csr_array
    fixed: Floats
    sizes: Floats


def find_fine(system: System) -> set[int]:
    """The watches of grips of two speeds: a crossing too many does no harm there, and speeds beyond zero are tiny."""
    return {grip.watch for grip in system.grips if grip.leads}


def watch_groups(system: System) -> list[Group]:
    """The events of a system; quantities are numbered as in Term.coordinates."""
    found, fine = [], find_fine(system)
    for i, watch in enumerate(system.watches):
        values = system.once(("watch", i), partial(plan_values, watch.program, "v", EVENT))
        found.append(
            Group(
                values=values,
                names=(watch.name,),
                places=watch.coordinates[None, :],
                parameters=[np.array([p]) for p in watch.parameters],
                stop=watch.stop,
                direction=watch.direction,
                watch=i,
                finer=FINE if i in fine else 1.0,
            )
        )
    return found


def switch_groups(system: System) -> list[Group]:
    """The switches of the laws of a system, without the knots of curves, which runs know themselves."""
    found = []
    for i, term in enumerate(system.terms):
        program = term.kernel.derived.switches
        if program.outputs["s"]:
            values = system.once(("switches", i), partial(plan_values, program, "s", SWITCH))
            unused = [np.zeros(term.count)] * term.kernel.constraint_count
            parameters = [*term.parameters.T, *unused]
            found.append(Group(values=values, names=term.names, places=term.coordinates, parameters=parameters))
    return found


class Watching:
    """The table of some groups of values, for expansions of a motion of an order."""

    def __init__(self, runtime: ctypes.CDLL, groups: Sequence[Group], quantities: Quantities, order: int) -> None:
        self._keep: list[object] = []
        self.runtime, self.groups = runtime, groups
        used = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(g.places.ravel() for g in groups)]))
        order = max(order + 2, LOWEST_ORDER)
        self.table = WatchTable(order=order, capacity=order + 2, columns=len(used), programs=len(groups))
        self._lay_out_programs(used)
        self._lay_out_quantities(used, quantities)
        self._lay_out_values()
        self.address = ctypes.addressof(self.table)
        self.sides = ()
        # what the runtime has allocated goes with the table
        weakref.finalize(self, _release, runtime, self.table, self._keep)

    def _pointer(self, array: NDArray[np.generic]) -> int:
        return point_at(self._keep, array)

    def _lay_out_programs(self, used: Ints) -> None:
        programs = (WatchProgram * max(1, len(self.groups)))()
        rows: list[tuple[str, int, int, bool, int, int, float]] = []
        for i, group in enumerate(self.groups):
            places, c = np.searchsorted(used, group.places), self.table
            programs[i] = lay_out_program(
                self._keep, group.values, group.parameters, places, c.capacity, c.order + 1, len(rows)
            )
            kinds = group.values.kinds
            about = group.stop, group.direction, group.watch, group.finer
            rows += [(name, i, kind, *about) for name in group.names for kind in kinds]
        self._keep.append(programs)
        self.names, owner, self.kinds, self.stops, direction, self.numbers, finer = map(list, zip(*rows, strict=True))
        c = self.table
        c.functions, c.program = len(rows), ctypes.addressof(programs)
        c.owner, c.kind = self._pointer(np.array(owner, np.int32)), self._pointer(np.array(self.kinds, np.uint8))
        c.finer = self._pointer(np.array(finer, np.float64))
        c.stop, c.direction = self._pointer(np.array(self.stops, np.uint8)), self._pointer(np.array(direction, np.int8))

    def _lay_out_quantities(self, used: Ints, quantities: Quantities) -> None:
        read, c = quantities.read[used], self.table
        c.begin, c.column = (self._pointer(index.astype(np.int32)) for index in (read.indptr, read.indices))
        c.entry, c.fixed = self._pointer(read.data.astype(np.float64)), self._pointer(quantities.fixed[used])
        c.shake = self._pointer(_shakes(len(quantities.sizes))[:, :, used] * quantities.sizes[used])

    def _lay_out_values(self) -> None:
        c = self.table
        n, f = max(1, c.columns), max(1, c.functions)
        shapes: dict[str, tuple[int, ...]] = {
            "X": (c.capacity, n),
            "Y": (c.capacity, n),
            "Z": (2, n),
            "V": (f, c.capacity),
        }
        shapes |= dict.fromkeys(("value", "ahead", "noise", "largest", "kept_left"), (f,))
        self._left, self._side, self._raw = np.zeros(f), np.zeros(f, np.int8), np.zeros(f, np.int8)
        for name, array in (
            ("left", self._left),
            ("side", self._side),
            ("raw", self._raw),
            ("kept", np.zeros(2 * f, np.int8)),
        ):
            setattr(c, name, self._pointer(array))
        for name, shape in shapes.items():
            setattr(c, name, self._pointer(np.zeros(shape)))

    @property
    def sides(self) -> Sequence[Side]:
        """Where the watched values are, by event."""
        rows = zip(self._side.tolist(), self._left.tolist(), self._raw.tolist(), self.kinds, strict=True)
        return tuple(
            Side(SIGNS[side], None if math.isnan(left) else left, SIGNS[raw])
            for side, left, raw, kind in rows
            if kind == EVENT
        )

    @sides.setter
    def sides(self, sides: Sequence[Side]) -> None:
        known = iter(sides)
        for i, kind in enumerate(self.kinds):
            side = next(known, Side()) if kind == EVENT else Side()
            self._side[i], self._raw[i] = (-1 if sign is None else int(sign) for sign in (side.positive, side.raw))
            self._left[i] = math.nan if side.left is None else side.left

    def evaluate(self, t: float, state: Floats, values: Floats) -> None:
        """All values at a state, in two rows, into an array."""
        address = ctypes.c_double(t), ctypes.c_void_p(state.ctypes.data), ctypes.c_long(state.shape[1])
        self.runtime.lw_watch_values(ctypes.byref(self.table), *address, ctypes.c_void_p(values.ctypes.data))

    def take(self) -> list[Crossing]:
        """What has happened since this was last asked."""
        c = self.table
        found = c.found[: c.count] if c.count else []
        c.count = 0
        return [
            Crossing(name=self.names[i], t=f.t, positive=bool(f.positive), stop=self.stops[i], watch=self.numbers[i])
            for f in found
            for i in (f.function,)
        ]


def point_at(keep: list[object], array: NDArray[np.generic]) -> int:
    """Where an array is, which is kept."""
    array = np.ascontiguousarray(array)
    keep.append(array)
    return int(array.ctypes.data)


def lay_out_program(
    keep: list[object],
    values: Values,
    parameters: Sequence[Floats],
    places: Ints,
    capacity: int,
    known: int,
    first: int = 0,
) -> WatchProgram:
    """The table of a program on instances, with room for series of so many coefficients, of which some are known."""
    plan, count = values.plan, len(places)
    curves = _curve_steps(plan)
    pairs: list[_Pair] = []
    steps = (WatchStep * max(1, len(plan.steps)))()
    for i, step in enumerate(plan.steps):
        steps[i] = _recurrence(plan, step, len(pairs), [*curves])
        pairs += [_Pair(*pair) for pair in step.pairs]
    table = (_Pair * max(1, len(pairs)))(*pairs)
    par = fill_columns(values, parameters, count)
    work = np.zeros((len(plan.steps), capacity))
    cursors = _lay_out_cursors(keep, plan, curves, count, work, known)
    keep += [steps, table, cursors]
    row = WatchProgram(
        steps=len(plan.steps), results=len(plan.outputs["v"]), instances=count, inputs=places.shape[1],
        columns=par.shape[1], cursors=len(curves), first=first, step=ctypes.addressof(steps),
        pair=ctypes.addressof(table), result=point_at(keep, np.array(plan.outputs["v"], np.int32)),
        par=point_at(keep, par), cursor=ctypes.addressof(cursors), work=point_at(keep, work),
        hides=bool(plan.hiding),
    )  # fmt: skip
    setattr(row, "from", point_at(keep, places.astype(np.int32)))
    return row


def fill_columns(values: Values, parameters: Sequence[Floats], count: int) -> Floats:
    """What recurrences need of the parameters.   (instances, columns)"""
    columns = run_program(values.hoisted.setup, {"p": parameters})["p"]
    par = np.empty((count, max(1, len(columns))))
    for i, column in enumerate(columns):
        par[:, i] = column
    return par


def _lay_out_cursors(
    keep: list[object], plan: Plan, curves: Mapping[int, int], count: int, work: Floats, known: int
) -> ctypes.Array[Cursor]:
    """For each instance the cursors of the curves it reads, with the series of their arguments."""
    rows = []
    for step in curves.values():
        curve, x = plan.steps[step].curve, plan.steps[step].args[1]
        assert curve is not None
        data = (point_at(keep, a) for a in (curve.knots, curve.origins, curve.coefficients))
        where = (work[x:].ctypes.data, 1, known, 0.0, 0, curve.period, curve.turn)
        rows.append((*data, len(curve.knots), curve.degree, -1, *where))
    return (Cursor * max(1, count * len(rows)))(*(Cursor(*row) for _ in range(count) for row in rows))


def _release(runtime: ctypes.CDLL, table: WatchTable, keep: list[object]) -> None:
    runtime.lw_watch_end(ctypes.byref(table))
    keep.clear()


def _curve_steps(plan: Plan) -> dict[int, int]:
    """For each cursor, known by the column that it is, a step that reads its curve."""
    found: dict[int, int] = {}
    for i, step in enumerate(plan.steps):
        if step.curve is not None:
            found.setdefault(plan.steps[step.args[0]].index, i)
    return found


def _recurrence(plan: Plan, step: Step, pair: int, cursors: list[int]) -> WatchStep:
    a, b, c = (*step.args, 0, 0, 0)[:3]
    op = step.function if step.op == "rate" else step.op
    place = -1
    if step.op == "const":
        place = step.index if step.kind == "p" else -1
    elif step.curve is not None:
        place = cursors.index(plan.steps[step.args[0]].index)
    elif step.op == "input":
        # a follower or multiplier is a place like any other
        op, place = {"e": "q", "lam": "q"}.get(step.kind, step.kind), step.index
    return WatchStep(op=OPS.index(op), a=a, b=b, c=c, place=place, pair=pair, pairs=len(step.pairs), value=step.value)


def _shakes(count: int) -> Floats:
    """Signs of errors without a pattern, the same in every run.   (shakes, 2, count): of coordinates and speeds"""
    k, found = np.arange(count), np.empty((SHAKES, 2, count))
    for shake in range(SHAKES):
        sign = np.where((k * 2654435761 + shake * 40503) & (1 << (shake + 3)), 1.0, -1.0)
        found[shake] = sign, sign[::-1]
    return found
