"""Expressions as LaTeX: an expression in, a formula out, with fractions, roots, Greek letters and subscripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from linkwork.quoting import latex_math
from linkwork.symbolic.exact import Value
from linkwork.symbolic.printing import (
    ADD,
    ATOM,
    LIMIT,
    MULTIPLY,
    POWER,
    ROOT,
    Factor,
    Layout,
    Piece,
    binding_of,
    decimal_of,
    fraction_of,
    joined,
    lay_out_sum,
    written,
)
from linkwork.symbolic.scalar import Compare, Expr, Function, Lookup, Node, Number, Power, Product, Select, Sum, Symbol

GREEK: Final = frozenset(
    re.findall(
        r"\w+",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi "
        "chi psi omega varepsilon vartheta varphi Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega",
    )
)
ACCENTS: Final = {"dot": r"\dot", "ddot": r"\ddot", "hat": r"\hat", "bar": r"\bar"}
NAMES: Final = {
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "atan2": r"\operatorname{atan2}",
    "sign": r"\operatorname{sgn}",
}
WORDS: Final = (r"\mathrm", r"\mathtt", r"\dot{\mathrm", r"\ddot{\mathrm")


def to_latex(expr: Node, names: Mapping[str, str] | None = None, *, limit: int = LIMIT) -> str:
    """The expression as a formula, without the dollar signs.   \\frac{M L^{2}}{12}.

    `names` has the formulas of symbols; others are made from their names.
    """
    return written(expr, _Notation(names or {}).layout, (r"\left(", r"\right)"), limit)


def latex_name(name: str) -> str:
    """A symbol's name: Greek letters, subscripts, accents.   theta1 -> \\theta_{1}, x_dot and x' -> \\dot{x}."""
    plain = name.rstrip("'")
    if primes := len(name) - len(plain) if plain else 0:
        more = f"^{{({primes})}}" if primes > 2 else ""
        return latex_name(plain if more else f"{plain}_{'d' * primes}ot") + more
    head, *rest = [part for part in re.split(r"[_.]", name) if part] or [name]
    word, digits = re.fullmatch(r"(.*?)(\d*)", head).groups()  # type: ignore[union-attr]
    subscripts = [digits] if word and digits else []
    subscripts += [part for part in rest if part not in ACCENTS]
    text = _word(word or digits)
    for accent in rest:
        if accent in ACCENTS:
            text = f"{ACCENTS[accent]}{{{text}}}"
    return text + (f"_{{{','.join(map(_word, subscripts))}}}" if subscripts else "")


def _word(word: str) -> str:
    if word in GREEK:
        return f"\\{word}"
    if word == "lam":
        return r"\lambda"
    plain = latex_math(word)
    return plain if len(word) == 1 or word.isdigit() else rf"\mathrm{{{plain}}}"


@dataclass(frozen=True, slots=True)
class _Notation:
    """How nodes are written, with the formulas of symbols where they do not follow from their names."""

    names: Mapping[str, str]

    def layout(self, node: Node) -> Layout:
        """The pieces of a node."""
        match node:
            case Symbol():
                return ATOM, [self._name(node)]
            case Number():
                return binding_of(node.value), [_number(node.value)]
            case Sum():
                return lay_out_sum(node, self._lay_out_term)
            case Product():
                return self._lay_out_term(1, node)
            case Power():
                return POWER, [(node.base, ATOM), "^{", (node.exponent, ADD), "}"]
            case Function():
                return _lay_out_function(node)
            case Lookup():
                name = latex_name(node.curve.name) + "'" * node.order
                return ATOM, [name, r"\left(", (node.arg, ADD), r"\right)"]
            case Compare():
                return ADD, [(node.left, ADD), " < " if node.op == "<" else r" \le ", (node.right, ADD)]
            case Select():
                yes: list[Piece] = [(node.then, ADD), r" & \text{if } ", (node.condition, ADD)]
                no: list[Piece] = [(node.otherwise, ADD), r" & \text{otherwise}"]
                return ATOM, [r"\begin{cases} ", *yes, r" \\ ", *no, r" \end{cases}"]
        raise AssertionError(f"unknown node {type(node).__name__}")

    def _name(self, node: Symbol) -> str:
        known = self.names.get(node.name)
        return latex_name(node.name) if known is None else known

    def _lay_out_term(self, coefficient: Value, term: Expr | None) -> Layout:
        number, above, divisor, below = fraction_of(coefficient, term)
        # a lone sum above or below the line needs no parentheses
        lone_above = len(above) == 1 and number == 1 and bool(below or divisor != 1)
        lone_below = len(below) == 1 and divisor == 1
        numerator = [_lay_out_factor(base, e, lone=lone_above, first=number == 1) for base, e in above]
        denominator = [_lay_out_factor(base, e, lone=lone_below, first=divisor == 1) for base, e in below]
        if number != 1 or not numerator:
            numerator.insert(0, [_number(number)])
        if divisor != 1:
            denominator.insert(0, [_number(divisor)])
        if denominator:
            return MULTIPLY, [r"\frac{", *self._row(numerator, above), "}{", *self._row(denominator, below), "}"]
        lone_power = len(numerator) == 1 and above and above[0][1] not in (1, ROOT)
        return (POWER if lone_power else MULTIPLY), self._row(numerator, above)

    def _row(self, items: list[list[Piece]], factors: list[Factor]) -> list[Piece]:
        """Factors side by side, set apart if one of them is a word."""
        words = any(isinstance(base, Symbol) and self._name(base).startswith(WORDS) for base, _ in factors)
        return joined(items, r" \, " if words else " ")


def _number(value: Value) -> str:
    if isinstance(value, Fraction) and decimal_of(value) is None:
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"
    mantissa, _, exponent = (decimal_of(value) or repr(value)).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _lay_out_factor(base: Expr, exponent: Value, *, lone: bool, first: bool) -> list[Piece]:
    if exponent == 1:
        return [(base, ADD if lone else POWER)]
    if exponent == ROOT:
        return [r"\sqrt{", (base, ADD), "}"]
    if isinstance(base, Function) and base.name in ("sin", "cos", "tan", "tanh") and isinstance(exponent, int):
        return [rf"\{base.name}^{{{exponent}}}\left(", (base.args[0], ADD), r"\right)"]
    dot = "" if first or not isinstance(base, Number) else r"\cdot "
    return [dot, (base, ATOM), f"^{{{exponent}}}"]


def _lay_out_function(node: Function) -> Layout:
    if node.name == "abs":
        return ATOM, [r"\left|", (node.args[0], ADD), r"\right|"]
    if node.name == "exp":
        return POWER, ["e^{", (node.args[0], ADD), "}"]
    name = NAMES.get(node.name, rf"\{node.name}")
    return ATOM, [name, r"\left(", *joined([[(arg, ADD)] for arg in node.args], ", "), r"\right)"]
