"""The equations of motion as functions of arrays, for those who integrate, optimise or control by other means.

    ẋ = f(t, x, p)        x: positions, followers, speeds, first-order states, as in exported code

Each function is derived and compiled by itself when it is first called, where there is a compiler, once per structure;
else the interpreter runs it. Batches go along the first axis.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.errors import CompilerError, LinkworkError, Ref, did_you_mean, show_formula, show_value
from linkwork.export.exported import Exported, Origin, describe, prepare
from linkwork.export.limits import Limits
from linkwork.export.part import Part, Place
from linkwork.export.rows import Lead, as_array, as_rows, find_lead, spread
from linkwork.export.values import Values as Formulas
from linkwork.given import as_flag, as_list, as_number
from linkwork.model.opaque import listen
from linkwork.native import find_compiler

Values = Mapping[str, float] | ArrayLike | None
Spread = tuple[Lead, Floats, Floats, dict[str, Floats]]  # leading axes, times, values, arrays
FLOATS = np.dtype(np.float64)
CALLED = {"y": "x", "dy": "dx", "lambda": "lam", "a": "a"}  # in calls
BY = "state", "speeds"  # of what slopes are taken
ROWS = "Give a number, or for each state a row with all of f.parameters"
POINTER = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.POINTER(ctypes.c_double)] * 3)


class Functions:
    """The functions of a model: `model.rhs()` returns them; called, they give the rates of the state.

    names        of the entries of the state x, whose values at the start are `start`
    parameters   and their values; inputs count behind them
    """

    def __init__(self, origin: Origin, compiled: bool | None = None) -> None:
        if compiled is not None and as_flag("compiled", compiled, Ref("rhs")) and find_compiler() is None:
            raise CompilerError("no C compiler found")
        self._asked = tuple({value.function: None for value in origin.system.opaque})
        if compiled:
            self._check_traced()
        self.compiled = find_compiler() is not None and not self._asked if compiled is None else compiled
        self._origin, self._prepared = origin, prepare(origin)
        self._parts: dict[str, Part] = {}
        x = self._describe("rhs")
        self._parts["rhs"] = Part(x, "rhs", self.compiled)
        self.names = tuple(s.name for s in x.states)
        self.start: Floats = np.array([s.value for s in x.states])
        self.multiplier_names = tuple(n.name for n in x.multipliers)
        self.output_names = tuple(n.name for n in x.outputs)
        self.parameters = {n.name: n.value for n in (*x.parameters, *x.inputs)}
        # no state has the other shape
        self._quick = self.start.shape if self.compiled else None
        self._speeds = sum(x.counts[2:])
        self._idle: list[Place] = []
        self._still = np.zeros(len(self.names) - self._speeds)

    def __repr__(self) -> str:
        how = "compiled" if self.compiled else "interpreted"
        return (
            f"<functions of '{self._origin.name}': {len(self.names)} states, {len(self.parameters)} parameters, {how}>"
        )

    def __call__(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> Floats:
        """The rates of the state.   p: parameters, by name or in rows (k, parameters), those at first if left out

        t: () or (k,), x: (n,) or (k, n)  →  as x"""
        # one state and no more is quick, in a place that nobody else uses meanwhile
        now: Any = t
        one: Any = x
        if (
            p is None
            and type(now) is float
            and type(one) is ndarray
            and one.dtype is FLOATS
            and one.shape == self._quick
        ):
            idle = self._idle
            place = idle.pop() if idle else self._part("rhs").make_place()
            clock, given, there, compute, _ = place
            clock.value = now
            given["y"][...] = one
            compute()
            found: Floats = there["dy"].copy()
            idle.append(place)
            return found
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
        """M a + Gᵀλ − f by speed: the forces that the motion needs beside those there are.   dx: as x

        lam: (..., m), the multipliers of the constraints, none if they are left out
        """
        return self._run("residual", t, p, y=x, dy=dx, **self._reactions(lam))["r"]

    def inverse_dynamics(
        self, t: ArrayLike, x: ArrayLike, a: ArrayLike, lam: ArrayLike | None = None, p: Values = None
    ) -> Floats:
        """The forces along the speeds that accelerations need beside those there are.   a: (..., s)  →  as a

        lam: (..., m), the multipliers of the constraints, none if they are left out
        """
        one: Any = a
        if type(one) is ndarray and one.ndim == 1 and p is None:  # of one state
            dy = np.concatenate((self._still, one))
            if found := self._part("residual").run_one(t, {"y": x, "dy": dy, **self._reactions(lam)}):
                return found["r"]
        lead, times, values, arrays = self._spread(t, p, y=x, a=a, **self._reactions(lam))
        still = np.zeros((*lead, len(self.names) - self._speeds))
        arrays["dy"] = np.concatenate([still, arrays.pop("a")], -1)
        return self._compute(self._part("residual"), lead, times, values, arrays, p)["r"]

    def outputs(self, t: ArrayLike, x: ArrayLike, p: Values = None) -> dict[str, Floats]:
        """Energies, places and variables by name.   → (...)"""
        if not self.output_names:
            return {}
        rates = self._run("rhs", t, p, y=x)
        found = self._run("outputs", t, p, y=x, **rates)["out"]
        return {name: found[..., i] for i, name in enumerate(self.output_names)}

    def values(self, t: ArrayLike, x: ArrayLike, what: str | Iterable[str], p: Values = None) -> Floats:
        """Formulas of places and speeds: "crank.pin.x", "crank.pin.vx" of a frame.   → (...) or (..., k)"""
        found = self._measure("", t, x, what, p)
        return found[..., 0] if isinstance(what, str) else found

    def slopes(
        self, t: ArrayLike, x: ArrayLike, what: str | Iterable[str], p: Values = None, *, by: str = "state"
    ) -> Floats:
        """The derivatives of such formulas by the state or, by="speeds", by its speeds alone, as of velocities for the
        Jacobian of a frame.   → (..., n) or (..., k, n)"""
        if by not in BY:
            raise LinkworkError(f"by={show_value(by)} is neither of {', '.join(map(repr, BY))}")
        found = self._measure(by, t, x, what, p)
        return found[..., 0, :] if isinstance(what, str) else found

    def _measure(self, by: str, t: ArrayLike, x: ArrayLike, what: str | Iterable[str], p: Values) -> Floats:
        texts = [what] if isinstance(what, str) else as_list(what, Ref("formulas"), remedy="Give texts")
        if wrong := [text for text in texts if not isinstance(text, str)]:
            raise LinkworkError(f"{show_value(wrong[0])} is no formula. Give texts")
        part = self._formulas.find(texts, by)
        found = (part.run_one(t, {"y": x}) if p is None else {}) or self._compute(part, *self._spread(t, p, y=x), p)
        width = {"state": len(self.names), "speeds": self._speeds}
        flat, shape = found["out"], (len(texts), width[by]) if by else (len(texts),)
        return flat.reshape(*flat.shape[:-1], *shape)

    @cached_property
    def _formulas(self) -> Formulas:
        return Formulas(self._origin, self._prepared, self.compiled)

    @cached_property
    def c_function(self) -> Any:
        """The rates as a function of C: void f(double t, const double *x, double *dx, const double *p).

        p has the values of `parameters` in their order; NULL: those at first. It may be called from any thread.
        """
        self._check_traced()
        return POINTER(self._part("rhs").locate("plain"))

    # -- how ------------------------------------------------------------------------------------------------------

    def _part(self, name: str) -> Part:
        """A function, made when it is first asked for."""
        if name not in self._parts:
            self._parts[name] = Part(self._describe(name), name, self.compiled)
        return self._parts[name]

    def _describe(self, name: str) -> Exported:
        """The model with one function, and the values that belong to the same instant."""
        return describe(self._origin, only=(name, "loop"), prepared=self._prepared)

    def _check_traced(self) -> None:
        """Refuse to compile what only Python can ask."""
        if self._asked:
            names = ", ".join(dict.fromkeys(f.name for f in self._asked))
            what = f"functions that nobody can trace ({names}) cannot be compiled"
            raise CompilerError(f"{what}. Use rhs() without compiled, which asks them one state after the other")

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
                    raise LinkworkError(self._say_unknown(name))
            changed = {name: as_number(value, Ref("parameter", name), ROWS) for name, value in p.items()}
            return np.array([*{**self.parameters, **changed}.values()], dtype=np.float64)
        return as_rows(p, "p", len(self.parameters), "parameters")

    def _say_unknown(self, name: object) -> str:
        """Why a parameter has no value of its own."""
        given = self._origin.mechanism.parameters
        if isinstance(name, str) and name in given:
            law = f"{name} = {show_formula(str(given[name]))}"
            return f"'{name}' follows from others: {law}. Give those, or use with_parameters({name}=...).rhs()"
        what = f"no parameter named '{show_formula(str(name))}'"
        return f"{what}. {did_you_mean(name, self.parameters)}".rstrip()

    @cached_property
    def _limits(self) -> Limits:
        """Who says whether the equations hold for values; nobody is needed for those at first."""
        return Limits(self._origin, self._prepared, self.parameters)

    def _reactions(self, lam: ArrayLike | None) -> dict[str, ArrayLike]:
        """Multipliers by their name in C; none if they are left out."""
        return {"lambda": np.zeros(len(self.multiplier_names)) if lam is None else lam}

    def _run(self, name: str, t: ArrayLike, p: Values, **given: ArrayLike) -> dict[str, Floats]:
        """A function at one state or at several."""
        if p is None and (found := self._part(name).run_one(t, given)):
            return found
        return self._compute(self._part(name), *self._spread(t, p, **given), p)

    def _compute(
        self, part: Part, lead: Lead, t: Floats, values: Floats, arrays: dict[str, Floats], p: Values
    ) -> dict[str, Floats]:
        with listen() as troubles:
            found = part.run(lead, t, values, arrays, None if p is None else self._limits)
        if troubles:
            raise LinkworkError(troubles[0])
        if p is not None and not all(np.isfinite(array).all() for array in found.values()):
            lost = [~np.isfinite(array).all(-1) for array in found.values()]
            self._limits.explain(values, np.logical_or.reduce(lost))
        return found

    def _spread(self, t: ArrayLike, p: Values, **given: ArrayLike) -> Spread:
        """How many states, and the time, values and arrays of each."""
        n = len(self.names)
        sizes = {"y": n, "dy": n, "lambda": len(self.multiplier_names), "a": self._speeds}
        clock, values = as_array(t, "t"), self._values(p)
        arrays = {key: as_rows(array, CALLED[key], sizes[key]) for key, array in given.items()}
        lead = find_lead(
            clock, {CALLED[key]: array for key, array in arrays.items()}, {"p": values} if values.ndim > 1 else {}
        )
        times = np.full(lead, clock) if clock.ndim == 0 else np.array(np.broadcast_to(clock, lead))
        return lead, times, values, {key: spread(a, lead) for key, a in arrays.items()}
