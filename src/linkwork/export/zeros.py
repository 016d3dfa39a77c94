"""Parameters of which it matters whether they are zero: values that make other equations are told in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.errors import LinkworkError
from linkwork.export.exported import Origin
from linkwork.export.fuse import Fused
from linkwork.native.interpreter import run_program
from linkwork.program import Program
from linkwork.symbolic import free_symbols


class Zeros:
    """The formulas of a fused program that must stay zero, or not zero, for its equations to be these.

    first   parameters and inputs with their first values, in the order of columns
    """

    def __init__(self, origin: Origin, fused: Fused, first: Mapping[str, float]) -> None:
        self._origin, self._fused, self._first = origin, fused, first
        known = fused.system.formulas
        pairs = zip(known.zeros.tolist(), known.were_zero.tolist(), strict=True)
        # those of numbers alone stay as they are
        self._of = {i: was for i, was in pairs if free_symbols(known.exprs[i])}

    def check(self, p: Floats) -> None:
        """Refuse values that make other equations.   p: (parameters,) or (..., parameters)"""
        for (place, was), zero in zip(self._of.items(), self._find_zero(p), strict=True):
            if (zero != was).any():
                row = np.argwhere(np.broadcast_to(zero, p.shape[:-1]) != was)[0]
                raise self._refuse(place, was, p[tuple(row)], row.tolist())

    def _find_zero(self, p: Floats) -> list[Bools]:
        """Which formulas are zero."""
        values, missing = {name: p[..., i] for i, name in enumerate(self._first)}, np.asarray(np.nan)
        columns = [values.get(name, missing) for name in self._fused.system.parameters]
        return [np.asarray(x == 0.0) for x in run_program(self._program, {"p": columns})["zeros"]]

    @cached_property
    def _program(self) -> Program:
        return self._fused.b.program(zeros=[self._fused.formula(i) for i in self._of])

    def _refuse(self, place: int, was: bool, p: Floats, row: Sequence[int]) -> LinkworkError:
        """What makes other equations, and who has them."""
        symbols = free_symbols(self._fused.system.formulas.exprs[place])
        needed = self._trace(s.name for s in symbols)
        pairs = zip(self._first.items(), p.tolist(), strict=True)
        given = {name: new for (name, old), new in pairs if name in needed and new != old}
        said = ", ".join(f"{name} = {value:.6g}" for name, value in given.items())
        where = f"row {', '.join(map(str, row))} of p: " if row else ""
        what = "what was zero is no longer" if was else "what was not zero now is"
        remedy = f"model.with_parameters({said.replace(' = ', '=')}).rhs()"
        return LinkworkError(f"{where}{said} makes other equations: {what}. Use {remedy}")

    def _trace(self, names: Iterable[str]) -> set[str]:
        """The parameters from which some follow, these among them."""
        formulas, found, stack = self._origin.mechanism.parameters, set[str](), list(names)
        while stack:
            name = stack.pop()
            if name not in found:
                found.add(name)
                stack.extend(s.name for s in free_symbols(formulas[name])) if name in formulas else None
        return found
