"""One function of a model on arrays: compiled, or run by the interpreter."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.export.batch import has_lanes, write_source
from linkwork.export.c import ARGUMENTS
from linkwork.export.code import prune
from linkwork.export.exported import Exported
from linkwork.export.limits import Limits
from linkwork.export.loops import settle
from linkwork.export.rows import Lead, spread
from linkwork.native.compiler import Source, load
from linkwork.native.interpreter import run_program
from linkwork.program import Program

FLOATS = np.dtype(np.float64)
BATCH: list[Any] = [ctypes.c_long, ctypes.c_void_p, ctypes.c_long, *[ctypes.c_void_p] * 4]


class Place(NamedTuple):
    """Where one state is computed again and again: the time, what is given and what is found, by what, and the rest."""

    t: ctypes.c_double
    given: dict[str, Floats]
    found: dict[str, Floats]
    compute: Callable[[], Any]
    rest: Any


class Part:
    """One function of a model, compiled or interpreted."""

    def __init__(self, exported: Exported, name: str, compiled: bool) -> None:
        self._x = replace(exported, name="model", watched=(), acts=())
        self.name, self.compiled = name, compiled
        (function,) = (f for f in exported.code.functions if f.name == name)
        self._settles = exported.settles(function)
        self.sizes = {array: len(trees) for array, trees in function.results.items()}
        if name == "rhs":
            self.sizes.setdefault("lambda", 0)
        self._widths = {"y": len(exported.states), "dy": len(exported.states), "lambda": len(exported.multipliers)}
        self._idle: list[Place] = []
        self._programs: dict[str, Program] = {}
        self._known: dict[bool, tuple[Any, Any]] = {}

    def run(
        self, lead: Lead, t: Floats, p: Floats, arrays: Mapping[str, Floats], limits: Limits | None
    ) -> dict[str, Floats]:
        """Its results at one state or at several; parameters that the equations do not hold for are refused by limits.

        t: lead, arrays: (*lead, size)
        """
        compute = self._run_compiled if self.compiled else self._run_interpreted
        return compute(lead, t, p, arrays, limits)

    def run_one(self, t: ArrayLike, given: Mapping[str, Any]) -> dict[str, Floats]:
        """Its results at one state with the parameters of the model, quickly, where it is compiled; else nothing."""
        now: Any = t
        if type(now) is not float or not self.compiled:
            return {}
        place = self._idle.pop() if self._idle else self.make_place()
        for name, here in place.given.items():
            array = given[name]
            if type(array) is not ndarray or array.dtype is not FLOATS or array.shape != here.shape:
                self._idle.append(place)
                return {}
            here[...] = array
        place.t.value = now
        place.compute()
        found = {name: array.copy() for name, array in place.found.items()}
        self._idle.append(place)
        return found

    def make_place(self) -> Place:
        """A place that nobody else uses meanwhile."""
        names = [a.rstrip("*") for a in ARGUMENTS[self.name]]
        arrays = {name: np.zeros(self.sizes.get(name, self._widths.get(name, 0))) for name in names}
        pointers = (ctypes.c_void_p * len(names))(*[array.ctypes.data for array in arrays.values()])
        widths = (ctypes.c_long * len(names))(*map(len, arrays.values()))
        values = np.array([n.value for n in (*self._x.parameters, *self._x.inputs)], dtype=np.float64)
        t, room = ctypes.c_double(), np.empty(self._loops(many=False)[0](widths), np.uint8)
        at = np.empty(self.find("size")() // 8 + 1)
        words = at.ctypes.data, values.ctypes.data, ctypes.addressof(t), pointers, widths, room.ctypes.data
        self.find("prepare")(*map(ctypes.c_void_p, words[:3]), *words[3:5], ctypes.c_void_p(words[5]))
        # so short that other threads may wait for it
        compute = partial(ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self.locate("one")), at.ctypes.data)
        given = {name: array for name, array in arrays.items() if name not in self.sizes}
        return Place(t, given, {name: arrays[name] for name in self.sizes}, compute, (at, room))

    def _run_compiled(
        self, lead: Lead, t: Floats, p: Floats, arrays: Mapping[str, Floats], limits: Limits | None
    ) -> dict[str, Floats]:
        """Several states of the same parameters side by side."""
        results = {array: np.empty((*lead, size)) for array, size in self.sizes.items()}
        everything = {**arrays, **results}
        ordered = [everything[a.rstrip("*")] for a in ARGUMENTS[self.name]]
        pointers = (ctypes.c_void_p * len(ordered))(*[a.ctypes.data for a in ordered])
        widths = (ctypes.c_long * len(ordered))(*[a.shape[-1] for a in ordered])
        many = spread(p, lead) if p.ndim > 1 else np.ascontiguousarray(p)
        count, step = math.prod(lead), p.shape[-1] if p.ndim > 1 else 0
        memory, batch = self._loops(many=count > 1 and not step and self.abreast)
        room = np.empty(memory(widths), dtype=np.uint8)
        others = batch(count, many.ctypes.data, step, t.ctypes.data, pointers, widths, room.ctypes.data)
        if others and limits is not None:
            limits.check(p)
        return results

    def _loops(self, many: bool) -> tuple[Any, Any]:
        """What tells how much memory a batch takes, and what runs it."""
        if many not in self._known:
            source, library = self._load(many)
            memory, batch = library[source.symbol("memory")], library[source.symbol("batch")]
            memory.restype = batch.restype = ctypes.c_long
            batch.argtypes = BATCH
            self._known[many] = memory, batch
        return self._known[many]

    def find(self, name: str) -> Any:
        """A function of the library for one state."""
        source, library = self._alone
        return library[source.symbol(name)]

    def locate(self, name: str) -> int:
        """The address of a function of the library."""
        return ctypes.cast(self.find(name), ctypes.c_void_p).value or 0

    @cached_property
    def abreast(self) -> bool:
        """Whether several states are computed at once."""
        return has_lanes(self._x)

    @cached_property
    def _alone(self) -> tuple[Source, ctypes.CDLL]:
        """What computes one state at a time."""
        return self._load(many=False)

    def write(self, many: bool = False) -> Source:
        """Its C text, for one state or for many."""
        return write_source(self._x, self.name, many)

    def _load(self, many: bool) -> tuple[Source, ctypes.CDLL]:
        source = self.write(many)
        return source, load([source])[source]

    def _program(self, group: str) -> Program:
        """The part of the program that makes some results."""
        if group not in self._programs:
            self._programs[group] = prune(self._x.code.programs["body"], group)
        return self._programs[group]

    def _run_interpreted(
        self, lead: Lead, t: Floats, p: Floats, arrays: Mapping[str, Floats], limits: Limits | None
    ) -> dict[str, Floats]:
        x = self._x
        if limits is not None:
            limits.check(p)
        values = {n.name: p[..., i] for i, n in enumerate((*x.parameters, *x.inputs))}
        values |= {n.name: np.asarray(n.value) for n in x.settled}
        known = [values.get(parameter, np.asarray(np.nan)) for parameter in x.parameter_names]
        columns = run_program(x.code.programs["init"], {"p": known})["p"]
        inputs: dict[str, Any] = {"p": columns, "w": [values.get(name, np.asarray(np.nan)) for name in x.input_names]}
        for source, (array, i) in x.places.items():
            if array in arrays:
                row = inputs.setdefault(source.kind, [np.zeros(lead)] * (len(x.places) + len(x.states)))
                row[source.index] = arrays[array][..., i]
        if self._settles:
            self._settle(lead, t, inputs)
        results = {array: np.zeros((*lead, size)) for array, size in self.sizes.items()}
        for array, size in self.sizes.items():
            if size:
                group = f"{self.name}:{array}"
                found = run_program(self._program(group), inputs, t)[group]
                results[array][...] = np.stack([np.broadcast_to(f, lead) for f in found], axis=-1)
        return results

    def _settle(self, lead: Lead, t: Floats, inputs: dict[str, Any]) -> None:
        """Find the values that belong to the same instant, as exported code does: each state by itself."""
        places = [self._x.input_names.index(n.name) for n in self._x.settled]
        now = {**inputs, "w": [*inputs["w"]]}

        def measure(values: Floats) -> tuple[Floats, Floats]:
            for i, place in enumerate(places):
                now["w"][place] = values[..., i]
            found = [run_program(self._program(group), now, t)[group] for group in ("loop:z", "loop:J")]
            rho, D = (np.stack([np.broadcast_to(y, lead) for y in some], axis=-1) for some in found)
            return rho, D.reshape(*rho.shape, -1)

        first = [np.broadcast_to(inputs["w"][place], lead) for place in places]
        for place, found in zip(places, np.moveaxis(settle(measure, np.stack(first, axis=-1)), -1, 0), strict=True):
            inputs["w"][place] = found
