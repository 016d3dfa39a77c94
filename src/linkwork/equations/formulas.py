"""Formulas of the named parameters and the numbers they have: what makes a System once serves all values.

Formulas are collected while a System is made, each once, together with the decisions that were taken by their values;
`Formulas` is the frozen result. Other values give other numbers without making anything again, unless a decision turns
out differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats, Ints
from linkwork.errors import ExpressionError
from linkwork.symbolic import Evaluation, Expr, Number, evaluate_all, free_symbols

Rule = Callable[[Floats], object]


class Sizes(Protocol):
    """What computes the sizes by which coordinates are judged from the numbers of all formulas."""

    def compute(self, numbers: Floats) -> Floats:
        """(formulas,) → (n,)"""

    def places(self) -> Ints:
        """The formulas that they depend on."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a rule, a function with a name, said of the numbers of some formulas."""

    rule: Rule
    places: Ints
    outcome: object


@dataclass(frozen=True, eq=False)
class Formulas:
    """Formulas, the decisions taken by their numbers, and the sizes that follow from them.

    zeros   formulas of which it mattered whether they are zero, and whether they were
    """

    exprs: tuple[Expr, ...] = ()
    zeros: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    were_zero: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    decisions: tuple[Decision, ...] = ()
    sizes: Sizes | None = None

    @cached_property
    def _of_name(self) -> dict[str, list[int]]:
        """The formulas that contain a parameter."""
        found: dict[str, list[int]] = {}
        for i, expr in enumerate(self.exprs):
            for s in free_symbols(expr):
                found.setdefault(s.name, []).append(i)
        return found

    def depending(self, names: Iterable[str]) -> list[int]:
        """The formulas that contain one of these parameters."""
        return sorted({i for name in names for i in self._of_name.get(name, ())})

    def _prepare(self, names: tuple[str, ...]) -> tuple[list[int], Evaluation]:
        """The same, ready to be evaluated; whoever changes values changes the same ones again."""
        found = self._prepared.get(names)
        if found is None:
            places = self.depending(names)
            found = places, Evaluation(self.exprs[i] for i in places)
            self._prepared.clear()
            self._prepared[names] = found
        return found

    @cached_property
    def _prepared(self) -> dict[tuple[str, ...], tuple[list[int], Evaluation]]:
        return {}

    def compute(self, values: Mapping[str, float]) -> Floats:
        """The numbers of all formulas."""
        return np.array(evaluate_all(self.exprs, values), dtype=np.float64)

    def change(self, numbers: Floats, values: Mapping[str, float], names: Iterable[str]) -> Floats | None:
        """The numbers when the named values have changed; None if one has no value or a decision is another one."""
        places, evaluation = self._prepare(tuple(names))
        new = numbers.copy()
        try:
            new[places] = evaluation.compute(values)
        except ExpressionError:
            return None
        return new if self.fits(numbers, new) else None

    def fits(self, old: Floats, new: Floats) -> bool:
        """Whether all decisions stand with new numbers."""
        if not np.isfinite(new).all() or ((new[self.zeros] == 0.0) != self.were_zero).any():
            return False
        changed = old != new
        return all(d.rule(new[d.places]) == d.outcome for d in self.decisions if changed[d.places].any())


class FormulaList:
    """Formulas and decisions as they are found."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values
        self.exprs: dict[Expr, int] = {}
        self._as: dict[Expr, int] = {}  # formulas in the words of those who ask
        self.zeros: dict[int, bool] = {}
        self.decisions: list[Decision] = []
        self._said: dict[tuple[object, ...], object] = {}  # by rule and formulas: many parts are alike

    def place(self, expr: Expr) -> int:
        """Where a formula is in the list; one without parameters is the number it is."""
        found = self._as.get(expr)
        if found is None:
            settled = expr
            if not isinstance(expr, Number) and not free_symbols(expr):
                settled = Number(float(evaluate_all([expr], {})[0]))
            found = self._as[expr] = self.exprs.setdefault(settled, len(self.exprs))
        return found

    def places(self, exprs: Iterable[Expr]) -> list[int]:
        """The same for several."""
        return [self.place(expr) for expr in exprs]

    def decide(self, rule: Rule, exprs: Sequence[Expr]) -> object:
        """What a rule says of the numbers of formulas; it will be asked again when values change."""
        key = rule, *exprs
        if key not in self._said:
            outcome = self._said[key] = rule(np.array(evaluate_all(exprs, self.values), dtype=np.float64))
            if free_symbols(*exprs):
                self.decisions.append(Decision(rule, np.array(self.places(exprs), dtype=np.int64), outcome))
        return self._said[key]

    def is_zero(self, *exprs: Expr) -> bool:
        """Whether formulas all have the value zero; it will be asked again when values change."""
        found = True
        for expr in exprs:
            place = self.place(expr)
            if place not in self.zeros:
                self.zeros[place] = evaluate_all([expr], self.values)[0] == 0.0
            found = found and self.zeros[place]
        return found

    def freeze(self, sizes: Sizes | None) -> Formulas:
        """All of them."""
        return Formulas(
            exprs=tuple(self.exprs),
            zeros=np.array(list(self.zeros), dtype=np.int64),
            were_zero=np.array(list(self.zeros.values()), dtype=bool),
            decisions=tuple(self.decisions),
            sizes=sizes,
        )
