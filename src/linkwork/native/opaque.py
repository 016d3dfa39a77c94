"""Tables of calls of opaque functions: those of a System in, the structure of `opaque.h` out; the same in Python."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.terms import Algebraic
from linkwork.native.interpreter import run_program
from linkwork.native.watch import SWITCH, Values, WatchProgram, fill_columns, lay_out_program, plan_values, point_at
from linkwork.program import Program, jacobian, rebuild

KINDS = ("q", "e", "u", "a", "lam", "p")
CAPACITY = 3  # coefficients of arguments that there is room for; only the first is asked for


class OpaqueTable(ctypes.Structure):
    """What the runtime knows of them."""

    _fields_ = (
        ("count", ctypes.c_long),
        ("capacity", ctypes.c_long),
        *((n, ctypes.c_void_p) for n in ("slot", "arguments", "program", "function")),
    )


class OpaqueCalls:
    """The table of the calls of opaque functions of a system.

    slots  of all places and, behind them, of multipliers
    """

    def __init__(self, system: System, slots: Ints) -> None:
        self._keep: list[object] = [value.function for value in system.opaque]
        arguments = [x for value in system.opaque for x in value.arguments]
        self.values: list[Values] = [
            system.once(("argument", i), partial(plan_values, x.program, "v", SWITCH)) for i, x in enumerate(arguments)
        ]
        self._programs = (WatchProgram * len(arguments))()
        for i, (values, x) in enumerate(zip(self.values, arguments, strict=True)):
            columns = [np.array([p]) for p in x.parameters]
            self._programs[i] = lay_out_program(self._keep, values, columns, slots[None, :], CAPACITY, 1)
        self.slots = np.array([slots[system.inputs[value.name]] for value in system.opaque], dtype=np.int64)
        functions = [ctypes.cast(value.function.native, ctypes.c_void_p).value or 0 for value in system.opaque]
        self.table = OpaqueTable(
            count=len(system.opaque),
            capacity=CAPACITY,
            slot=point_at(self._keep, self.slots.astype(np.int32)),
            arguments=point_at(self._keep, np.array([len(v.arguments) for v in system.opaque], dtype=np.int64)),
            program=ctypes.addressof(self._programs),
            function=point_at(self._keep, np.array(functions, dtype=np.uintp)),
        )
        self.address = ctypes.addressof(self.table)

    def fill(self, system: System) -> None:
        """Put the numbers of a system into the tables."""
        arguments = [x for value in system.opaque for x in value.arguments]
        for program, values, x in zip(self._programs, self.values, arguments, strict=True):
            program.par = point_at(self._keep, fill_columns(values, [np.array([p]) for p in x.parameters], 1))


def find_opaque(system: System, t: float, places: Floats, u: Floats) -> None:
    """Put the values of calls among all places, coordinates, frozen ones and followers, of a state."""
    for value in system.opaque:
        inputs = {"q": places, "e": places, "u": u}
        found = [run_program(x.program, {**inputs, "p": x.parameters}, t)["v"][0] for x in value.arguments]
        places[system.inputs[value.name]] = value.function.compute(*map(float, found))


def settle_calls(system: System, t: float, q: Floats, u: Floats) -> Floats:
    """q with the values of calls of opaque functions behind it."""
    if not system.opaque:
        return q
    q = system.with_inputs(q, {})
    places = system.extend(q)
    find_opaque(system, t, places, system.extend_rates(u))
    names = [value.name for value in system.opaque]
    return system.with_inputs(q, {name: float(np.nan_to_num(places[system.inputs[name]])) for name in names})


def compute_call_slopes(system: System, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats]:
    """Derivatives of what the calls give by places (frozen ones and followers included) and speeds.   (calls, ...)"""
    by_place = np.zeros((len(system.opaque), system.first_follower + len(system.followers)))
    by_speed = np.zeros((len(system.opaque), system.n))
    for i, _, kind, place, slope in _find_slopes(system, t, q, u):
        if kind == "u":
            by_speed[i, place] += slope
        elif kind != "p":
            by_place[i, place] += slope
    return by_place, by_speed


def compute_call_changes(system: System, t: float, q: Floats, u: Floats, changes: Floats) -> Floats:
    """How what the calls give changes with their parameters, where all formulas change so.   (calls,)"""
    found = np.zeros(len(system.opaque))
    for i, argument, kind, place, slope in _find_slopes(system, t, q, u):
        if kind == "p":
            found[i] += slope * changes[argument.columns[place]]
    return found


def _find_slopes(system: System, t: float, q: Floats, u: Floats) -> Iterator[tuple[int, Algebraic, str, int, float]]:
    """For each call and all that its arguments read: by what of which kind, and the derivative by it."""
    places = system.extend(q)
    inputs = {"q": places, "e": places, "u": system.extend_rates(u)}
    for i, value in enumerate(system.opaque):
        x = [float(run_program(a.program, {**inputs, "p": a.parameters}, t)["v"][0]) for a in value.arguments]
        for j, (slope, argument) in enumerate(zip(value.function.slopes(*x), value.arguments, strict=True)):
            program, entries = system.once(("slopes of calls", i, j), partial(differentiate_value, argument))
            found = run_program(program, {**inputs, "p": argument.parameters}, t)["F"]
            for (kind, place), derivative in zip(entries, found, strict=True):
                yield i, argument, kind, place, slope * float(derivative)


def differentiate_value(value: Algebraic) -> tuple[Program, list[tuple[str, int]]]:
    """The derivatives of a value by all that it reads (output group "F"), and by what each is."""
    b, new = rebuild(value.program)
    sources = [(n, node.source) for n, node in enumerate(b.nodes) if node.source and node.source.kind in KINDS]
    entries = jacobian(b, [new[value.program.outputs["v"][0]]], [n for n, _ in sources])
    return b.program(F=list(entries.values())), [(sources[j][1].kind, sources[j][1].index) for _, j in entries]
