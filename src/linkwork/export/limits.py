"""Values of parameters that the equations do not hold for, told in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.errors import LinkworkError
from linkwork.export.bounds import Bound, list_bounds
from linkwork.export.exported import Origin, Prepared
from linkwork.export.solved import Start
from linkwork.native.interpreter import run_program
from linkwork.program import Program

OTHERS = "{new} makes other equations than {old}, for which these were derived. Derive them anew: {remedy}"
FAR = (
    "{new} is so far from {old}, for which the equations were solved, that they would lose more than half of their "
    "digits. Solve them anew: {remedy}"
)
WRONG = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal}


class Limits:
    """The bounds of a fused program.

    first   parameters and inputs with their first values, in the order of columns
    """

    def __init__(self, origin: Origin, prepared: Prepared, first: Mapping[str, float]) -> None:
        self._origin, self._first = origin, first
        self._solved, self._start = prepared
        self._fused = self._solved.fused
        self._bounds = list_bounds(origin.mechanism, self._fused, self._solved)

    def check(self, p: Floats) -> None:
        """Refuse values that the equations do not hold for.   p: (parameters,) or (..., parameters)"""
        for bound, value in zip(self._bounds, self._compute(self._program, p), strict=True):
            wrong = np.broadcast_to(WRONG[bound.wrong](value, 0.0), p.shape[:-1])
            for row in np.argwhere(wrong).tolist():
                self._refuse(bound, float(np.broadcast_to(value, p.shape[:-1])[tuple(row)]), p[tuple(row)], row)

    def explain(self, p: Floats, lost: Bools) -> None:
        """Refuse values with which nothing can be solved at the start, either.   lost: where there are no results"""
        rows = np.broadcast_to(p, (*lost.shape, p.shape[-1]))
        for at in np.argwhere(lost)[:1].tolist():
            some, row = rows[tuple(at)], at if p.ndim > 1 else []
            values = dict(zip(self._first, some.tolist(), strict=True))
            try:
                Start(self._fused, *self._start, self._origin.t, values).check(self._solved)
            except LinkworkError as error:
                self._ask(some, row)
                what = str(error).replace("{", "{{").replace("}", "}}")
                words = f"{{new}}: {what}. {{remedy}} has the equations for it, if there are any"
                raise self._say(some, self._first, row, words) from None

    def _compute(self, program: Program, p: Floats) -> list[Floats]:
        values, missing = {name: p[..., i] for i, name in enumerate(self._first)}, np.asarray(np.nan)
        columns = [values.get(name, missing) for name in self._fused.system.parameters]
        return [np.asarray(x) for x in run_program(program, {"p": columns})["bounds"]]

    @cached_property
    def _program(self) -> Program:
        return self._fused.b.program(bounds=[bound.node for bound in self._bounds])

    def _refuse(self, bound: Bound, value: float, p: Floats, row: Sequence[int]) -> None:
        """The words of who makes models with such values, if they are refused there, too; else who has equations."""
        self._ask(p, row)
        node, words = bound.node, OTHERS
        if bound.of:
            # the mass that is farthest from what it was
            ratios = np.abs(self._compute(self._fused.b.program(bounds=bound.of), p))
            with np.errstate(divide="ignore"):
                far = int(np.argmax(np.abs(np.log(ratios))))
            node, words = bound.of[far], FAR if ratios[far] else OTHERS
        if bound.of or not value < 0.0:
            raise self._say(p, self._trace(node), row, words)

    def _changes(self, p: Floats) -> dict[str, float]:
        pairs = zip(self._first.items(), p.tolist(), strict=True)
        return {name: new for (name, old), new in pairs if new != old}

    def _ask(self, p: Floats, row: Sequence[int]) -> None:
        """Whether there is a model with these values."""
        known = self._origin.mechanism.parameters
        try:
            self._origin.mechanism.with_parameters(**{k: x for k, x in self._changes(p).items() if k in known})
        except LinkworkError as error:
            if not row:
                raise
            raise LinkworkError(f"{_where(row)}{error}") from None

    def _say(self, p: Floats, names: Collection[str], row: Sequence[int], words: str) -> LinkworkError:
        """What the equations do not hold for, and who has them."""
        given = {name: value for name, value in self._changes(p).items() if name in names}
        new, old = (", ".join(f"{name} = {of[name]:.6g}" for name in given) for of in (given, self._first))
        remedy = f"model.with_parameters({new.replace(' = ', '=')}).rhs()"
        return LinkworkError(_where(row) + words.format(new=new, old=old, remedy=remedy))

    def _trace(self, node: int) -> set[str]:
        """The parameters from which a value follows."""
        b, names = self._fused.b, tuple(self._fused.system.parameters)
        sources = (b.nodes[i].source for i in b.ancestors([node]))
        return {names[source.index] for source in sources if source is not None and source.kind == "p"}


def _where(row: Sequence[int]) -> str:
    return f"row {', '.join(map(str, row))} of p: " if row else ""
