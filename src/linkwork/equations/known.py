"""Numbers that remember their formula, so that printed equations have the names of a file. Floats to all others."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from linkwork.symbolic import Expr, Number

SHORT = 8  # a decimal of no more digits is what somebody has written, and stays exact


class Known(float):
    """A number, and a function that makes the formula it is the value of.

    >>> from linkwork.symbolic import symbol
    >>> half = Known(0.5, lambda: symbol("l") / (2 * symbol("l")))
    >>> half, half.formula(), half + 1
    (0.5, 1/2, 1.5)
    """

    __slots__ = ("formula",)

    formula: Callable[[], Expr]

    def __new__(cls, value: float, formula: Callable[[], Expr]) -> Known:
        number = super().__new__(cls, value)
        number.formula = formula
        return number

    def __getnewargs__(self) -> tuple[float, Callable[[], Expr]]:  # type: ignore[override]
        return float(self), self.formula

    def __neg__(self) -> Known:
        return Known(-float(self), lambda: -self.formula())


def formula_of(value: float) -> Expr:
    """What is known of a number: its formula, or else itself, exact if it is a short decimal.

    >>> formula_of(0.25), formula_of(1 / 3)
    (1/4, 0.3333333333333333)
    """
    formula = value.formula() if isinstance(value, Known) else None
    if formula is not None and not isinstance(formula, Number):
        return formula
    text = repr(float(value))
    digits = text.partition("e")[0].strip("-0.").replace(".", "")
    return Number(Fraction(text)) if len(digits) <= SHORT else Number(float(value))
