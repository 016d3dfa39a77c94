"""The equations of motion as functions of arrays, for those who integrate, optimise or control by other means.

    ẋ = f(t, x, p)        x: positions, followers, speeds, first-order states, as in exported code

Compiled where there is a compiler, once per structure; else by the interpreter. Batches go along the first axis.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.errors import CompilerError, LinkworkError, Ref, did_you_mean
from linkwork.export.c import ARGUMENTS, Writer
from linkwork.export.code import prune
from linkwork.export.exported import Exported
from linkwork.given import as_number
from linkwork.native import find_compiler
from linkwork.native.compiler import Source, load
from linkwork.native.interpreter import run_program
from linkwork.program import Program

BRIEF = ("-O2",)
Values = Mapping[str, float] | ArrayLike | None
POINTER = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 3)


LOOP = """
void KERNEL(batch_{name})(long count, const double *p, long step, const double *t, double *const *x, const long *w)
{{
    model m;
    for (long k = 0; k < count; k++) {{
        if (k == 0 || step)
            set(&m, p + k*step);
        model_{name}(&m, t[k], {arguments});
    }}
}}
"""
PLAIN = """
void KERNEL(plain)(double t, const double *y, double *dy, const double *p)
{
    model m;
    double lambda[MODEL_MULTIPLIERS + 1];
    model_defaults(&m);
    if (p)
        set(&m, p);
    else
        model_init(&m);
    model_rhs(&m, t, y, dy, lambda);
}
"""


def _places(name: str) -> str:
    """The arrays of a function, at the state of number k."""
    return ", ".join(f"x[{i}] + k*w[{i}]" for i in range(len(ARGUMENTS[name])))


class Functions:
    """The functions of a model: `model.rhs()` returns them; called, they give the rates of the state.

    names        of the entries of the state x, whose values at the start are `start`
    parameters   and their values; inputs count behind them
    """

    def __init__(self, exported: Exported, compiled: bool | None = None) -> None:
        self._x = replace(exported, name="model")
        self.names = tuple(s.name for s in exported.states)
        self.start: Floats = np.array([s.value for s in exported.states])
        self.multiplier_names = tuple(n.name for n in exported.multipliers)
        self.output_names = tuple(n.name for n in exported.outputs)
        self.parameters = {n.name: n.value for n in (*exported.parameters, *exported.inputs)}
        self._programs: dict[str, Program] = {}
        self._kinds = {f.name: list(f.results) for f in exported.code.functions}
        if compiled and find_compiler() is None:
            raise CompilerError("no C compiler found")
        self.compiled = find_compiler() is not None if compiled is None else compiled

    def __call__(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> Floats:
        """The rates of the state.   t: () or (k,), x: (n,) or (k, n)  →  as x"""
        return self._run("rhs", t, p, y=x)["dy"]

    def multipliers(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> Floats:
        """The multipliers of the constraints.   → (m,) or (k, m)"""
        return self._run("rhs", t, p, y=x)["lambda"]

    def jacobian(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> Floats:
        """The derivatives of the rates by the state.   → (n, n) or (k, n, n)"""
        return self._square(self._run("jacobian", t, p, y=x)["J"])

    def mass_matrix(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> Floats:
        """M, by the speeds.   → (s, s) or (k, s, s)"""
        return self._square(self._run("mass", t, p, y=x)["mm"])

    def residual(
        self, t: ArrayLike, x: ArrayLike, dx: ArrayLike, lam: ArrayLike | None = None, p: Values = None
    ) -> Floats:
        """M a + Gᵀλ − f by speed: the forces that the motion needs beside those there are.   dx: as x, lam: (..., m)"""
        shape = (*np.shape(x)[:-1], len(self.multiplier_names))
        return self._run("residual", t, p, y=x, dy=dx, **{"lambda": np.zeros(shape) if lam is None else lam})["r"]

    def outputs(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> dict[str, Floats]:
        """Energies, places and variables by name.   → (...)"""
        if not self.output_names:
            return {}
        rates = self._run("rhs", t, p, y=x)
        found = self._run("outputs", t, p, y=x, **rates)["out"]
        return {name: found[..., i] for i, name in enumerate(self.output_names)}

    @cached_property
    def c_function(self) -> Any:
        """The rates as a function of C: void f(double t, const double *x, double *dx, const double *p).

        p has the values of `parameters` in their order; NULL: those at first. It may be called from any thread.
        """
        function = POINTER((self._source.symbol("plain"), self._library))
        return function

    # -- how ------------------------------------------------------------------------------------------------------

    @staticmethod
    def _square(flat: Floats) -> Floats:
        n = round(flat.shape[-1] ** 0.5)
        return flat.reshape(*flat.shape[:-1], n, n)

    def _values(self, p: Values) -> Floats:
        """Values of parameters and inputs.   → (parameters,) or (k, parameters)"""
        if p is None:
            return np.array([*self.parameters.values()], dtype=np.float64)
        if isinstance(p, Mapping):
            for name in p:
                if name not in self.parameters:
                    raise LinkworkError(f"no parameter named '{name}'. {did_you_mean(name, self.parameters)}".rstrip())
            changed = {name: as_number(value, Ref("parameter", name), "Give a number") for name, value in p.items()}
            return np.array([*{**self.parameters, **changed}.values()], dtype=np.float64)
        found = np.asarray(p, dtype=np.float64)
        if found.shape[-1:] != (len(self.parameters),):
            raise LinkworkError(f"p has the shape {found.shape}; its last axis has {len(self.parameters)} parameters")
        return found

    def _run(self, name: str, t: ArrayLike, p: Values, **given: ArrayLike) -> dict[str, Floats]:
        """A function at one state or at several."""
        sizes = {"y": len(self.names), "dy": len(self.names), "lambda": len(self.multiplier_names)}
        arrays = {key: np.ascontiguousarray(value, dtype=np.float64) for key, value in given.items()}
        for key, array in arrays.items():
            if array.shape[-1:] != (sizes[key],):
                words = {"y": "x", "dy": "dx", "lambda": "lam"}[key]
                raise LinkworkError(f"{words} has the shape {array.shape}; its last axis has {sizes[key]} entries")
        lead = np.broadcast_shapes(np.shape(t), *(array.shape[:-1] for array in arrays.values()))
        arrays = {key: np.ascontiguousarray(np.broadcast_to(a, (*lead, a.shape[-1]))) for key, a in arrays.items()}
        times, values = np.array(np.broadcast_to(np.asarray(t, dtype=np.float64), lead)), self._values(p)
        call = self._run_compiled if self.compiled else self._run_interpreted
        return call(name, lead, times, values, arrays)

    def _sizes(self, name: str) -> dict[str, int]:
        function = next(f for f in self._x.code.functions if f.name == name)
        return {array: len(trees) for array, trees in function.results.items()}

    def _run_compiled(
        self, name: str, lead: tuple[int, ...], t: Floats, p: Floats, arrays: Mapping[str, Floats]
    ) -> dict[str, Floats]:
        results = {array: np.zeros((*lead, size)) for array, size in self._sizes(name).items()}
        if name == "rhs":
            results.setdefault("lambda", np.zeros((*lead, 0)))
        everything = {**arrays, **results}
        ordered = [everything[a.rstrip("*")] for a in ARGUMENTS[name]]
        pointers = (ctypes.c_void_p * len(ordered))(*(a.ctypes.data for a in ordered))
        widths = (ctypes.c_long * len(ordered))(*(a.shape[-1] for a in ordered))
        many = np.ascontiguousarray(np.broadcast_to(p, (*lead, p.shape[-1]))) if p.ndim > 1 else np.ascontiguousarray(p)
        function = self._library[self._source.symbol(f"batch_{name}")]
        count = int(np.prod(lead, dtype=int))
        function(
            ctypes.c_long(count), many.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(p.shape[-1] if p.ndim > 1 else 0),
            t.ctypes.data_as(ctypes.c_void_p), pointers, widths,
        )  # fmt: skip
        return results

    @cached_property
    def _source(self) -> Source:
        """The exported C, and loops over states."""
        writer = Writer(self._x, "")
        texts = writer.files()
        body = texts["model.c"].replace('#include "model.h"\n', texts["model.h"])
        fields = map(writer.names.field, self.parameters)
        body += "\nstatic void set(model *m, const double *p)\n{\n" + "".join(
            f"    m->{field} = p[{i}];\n" for i, field in enumerate(fields)
        )
        body += "    (void)p;\n    model_init(m);\n}\n"
        body += "".join(LOOP.format(name=name, arguments=_places(name)) for name in self._kinds)
        return Source(body + PLAIN, flags=BRIEF)

    @cached_property
    def _library(self) -> ctypes.CDLL:
        return load([self._source])[self._source]

    def _program(self, group: str) -> Program:
        """The part of the program that makes some results."""
        if group not in self._programs:
            self._programs[group] = prune(self._x.code.programs["body"], group)
        return self._programs[group]

    def _run_interpreted(
        self, name: str, lead: tuple[int, ...], t: Floats, p: Floats, arrays: Mapping[str, Floats]
    ) -> dict[str, Floats]:
        x = self._x
        values = {n.name: p[..., i] for i, n in enumerate((*x.parameters, *x.inputs))}
        known = [values.get(parameter, np.asarray(np.nan)) for parameter in x.parameter_names]
        columns = run_program(x.code.programs["init"], {"p": known})["p"]
        inputs: dict[str, Any] = {"p": columns, "w": [values[n.name] for n in x.inputs]}
        for source, (array, i) in x.places.items():
            if array in arrays:
                row = inputs.setdefault(source.kind, [np.zeros(lead)] * (len(x.places) + len(self.names)))
                row[source.index] = arrays[array][..., i]
        results = {}
        for array in self._kinds[name]:
            group = f"{name}:{array}"
            found = run_program(self._program(group), inputs, t)[group]
            results[array] = (
                np.stack([np.broadcast_to(f, lead) for f in found], axis=-1) if found else np.zeros((*lead, 0))
            )
        if name == "rhs":
            results.setdefault("lambda", np.zeros((*lead, 0)))
        return results
