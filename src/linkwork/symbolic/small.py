"""Small quantities: expressions in, their coefficients by powers of ε out, after each small s has become ε s.

    series(sin(q + x), {x: 1}, 2)    (sin(q), x*cos(q))

Which terms are negligible is decided once, at the end, by their order in ε: (1 + x²) − 1 has order two whichever way it
was written. So truncate what is final (a mass matrix, a force), never what is still to be differentiated: the rate and
the slope of a truncated expression have lost the terms that were to become large.

A series is known from its lowest order (which a quotient may make negative) to a precision that each operation carries
along; where quotients have used up some of it, the work is done again with more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from linkwork.errors import ExpressionError
from linkwork.symbolic.algebra import add, power, scale
from linkwork.symbolic.exact import Value
from linkwork.symbolic.functions import abs, acos, asin, atan, atan2, cos, exp, log, select, sign, sin, tan, tanh
from linkwork.symbolic.scalar import (
    ONE,
    ZERO,
    Compare,
    Expr,
    Function,
    Lookup,
    Node,
    Number,
    Power,
    Product,
    Select,
    Sum,
    Symbol,
    compare,
)
from linkwork.symbolic.simplify import trigonometric
from linkwork.symbolic.traverse import free_symbols, postorder

MOST: Final = 12  # orders that can be kept

Small = Mapping[Symbol, int] | Collection[Symbol]


def truncate(expr: Expr, small: Small, terms: int = 2) -> Expr:
    """The expression without what is of order `terms` or more in the small symbols.

    >>> x, q = Symbol("x", "coordinate"), Symbol("q", "coordinate")
    >>> truncate(cos(q + x) + x**2, {x}), truncate(sin(x), {x}, 4)
    (cos(q) - x*sin(q), x - x**3/6)
    """
    return add(*series(expr, small, terms))


def order(expr: Expr, small: Small) -> int:
    """The lowest order in the small symbols; MOST if there is nothing of a lower one.

    >>> L, x, y = Symbol("L"), Symbol("x"), Symbol("y")
    >>> order(L + x, {x, y}), order(L * x * y, {x, y})
    (0, 2)
    """
    found = series(expr, small, MOST)
    return next((k for k, c in enumerate(found) if trigonometric(c) is not ZERO), MOST)


def series(expr: Expr, small: Small, terms: int = 2) -> tuple[Expr, ...]:
    """The coefficients of ε⁰, ε¹, ... of an expression, `terms` of them."""
    if not 1 <= terms <= MOST:
        raise ExpressionError(f"{terms} orders cannot be kept", f"Keep 1 to {MOST}")
    orders = dict(small) if isinstance(small, Mapping) else dict.fromkeys(small, 1)
    precision = terms
    while precision <= terms + MOST:
        try:
            found = _series_of(expr, orders, precision)
        except _TooShortError:
            precision += 1
            continue
        missing = terms - found.high
        if missing <= 0:
            return _whole(found, terms, expr)
        precision += missing
    raise ExpressionError("quotients of small quantities leave nothing to keep", "Simplify it first")


class _TooShortError(Exception):
    """What a function or quotient needs is beyond the precision."""


@dataclass(frozen=True, slots=True)
class Series:
    """Σ coefficients[k] ε^(low + k), up to what is of order `high` or more."""

    low: int
    coefficients: tuple[Expr, ...]

    @property
    def high(self) -> int:
        """The first order that is not known."""
        return self.low + len(self.coefficients)

    def at(self, k: int) -> Expr:
        """The coefficient of εᵏ."""
        return self.coefficients[k - self.low] if self.low <= k < self.high else ZERO

    def stripped(self) -> Series:
        """The same from its first coefficient that does not vanish."""
        for k, c in enumerate(self.coefficients):
            if trigonometric(c) is not ZERO:
                return Series(self.low + k, self.coefficients[k:])
        return Series(self.high, ())

    def from_zero(self) -> list[Expr]:
        """The coefficients from ε⁰ on; there must be none before."""
        lead = self.stripped()
        if lead.low < 0:
            raise ExpressionError("a function of something that grows beyond bounds has no series")
        if self.high <= 0:
            raise _TooShortError
        return [self.at(k) for k in range(self.high)]


def _whole(found: Series, terms: int, expr: Expr) -> tuple[Expr, ...]:
    lead = found.stripped()
    if lead.low < 0 and lead.coefficients:
        names = ", ".join(sorted(s.name for s in free_symbols(expr)))
        raise ExpressionError(f"a small quantity alone is a divisor, among {names}", "Divide by what is not small")
    return tuple(found.at(k) for k in range(terms))


def _series_of(expr: Expr, orders: Mapping[Symbol, int], precision: int) -> Series:
    known: dict[Node, Series] = {}
    moved: set[Node] = {*orders}  # all that depends on something small
    for node in postorder([expr]):
        if any(child in moved for child in node.children):
            moved.add(node)
        if isinstance(node, Symbol) and node in orders:
            k = orders[node]
            known[node] = Series(k, (node, *[ZERO] * (precision - k - 1))) if k < precision else Series(precision, ())
        elif isinstance(node, Expr):
            rule = _RULES[type(node)] if node in moved else None
            known[node] = rule(node, known) if rule else Series(0, (node, *[ZERO] * (precision - 1)))
    return known[expr]


# ---- arithmetic ----------------------------------------------------------------------------------


def _plus(parts: list[Series]) -> Series:
    low, high = min(s.low for s in parts), min(s.high for s in parts)
    return Series(low, tuple(add(*(s.at(k) for s in parts)) for k in range(low, max(low, high))))


def _times(a: Series, b: Series) -> Series:
    low, high = a.low + b.low, min(a.low + b.high, b.low + a.high)
    return Series(low, tuple(_convolved(a, b, k) for k in range(low, high)))


def _convolved(a: Series, b: Series, k: int) -> Expr:
    pairs = ((a.at(j), b.at(k - j)) for j in range(a.low, a.high))
    return add(*(x * y for x, y in pairs if x is not ZERO and y is not ZERO))


def _scaled(factor: Value, a: Series) -> Series:
    return Series(a.low, tuple(scale(factor, c) for c in a.coefficients))


def _raised(a: Series, exponent: Value) -> Series:
    """aᵉ by k a₀ bₖ = Σ (e j − (k − j)) aⱼ bₖ₋ⱼ, after what is common has been taken out."""
    if isinstance(exponent, int) and 0 < exponent <= 3:
        return a if exponent == 1 else _times(a, _raised(a, exponent - 1))
    lead = a.stripped()
    if not lead.coefficients:
        raise _TooShortError
    low = lead.low * exponent
    if low != int(low):
        raise ExpressionError("the root of a small quantity of odd order has no series", "Keep it out of what is small")
    a0, b = lead.coefficients[0], [power(lead.coefficients[0], Number(exponent))]
    for k in range(1, len(lead.coefficients)):
        parts = [scale(exponent * j - (k - j), lead.coefficients[j] * b[k - j]) for j in range(1, k + 1)]
        b.append(add(*parts) / (k * a0))
    return Series(int(low), tuple(b))


def _sum(node: Sum, known: Mapping[Node, Series]) -> Series:
    parts = [_scaled(c, known[term]) for c, term in node.terms]
    high = max(s.high for s in parts)
    return _plus([*parts, Series(0, (Number(node.constant), *[ZERO] * (high - 1)))] if high > 0 else parts)


def _product(node: Product, known: Mapping[Node, Series]) -> Series:
    factors = [_raised(known[base], exponent) for base, exponent in node.factors]
    total = factors[0]
    for factor in factors[1:]:
        total = _times(total, factor)
    return total


# ---- functions -----------------------------------------------------------------------------------


def _integral(first: Expr, slope: list[Expr]) -> list[Expr]:
    """What has a given value at ε = 0 and this derivative by ε."""
    return [first, *(scale(Fraction(1, k + 1), c) for k, c in enumerate(slope))]


def _slope(a: list[Expr]) -> list[Expr]:
    return [scale(k, c) for k, c in enumerate(a)][1:]


def _mul(a: list[Expr], b: list[Expr]) -> list[Expr]:
    return list(_times(Series(0, tuple(a)), Series(0, tuple(b))).coefficients)


def _sine_and_cosine(a: list[Expr]) -> tuple[list[Expr], list[Expr]]:
    s, c, slope = [sin(a[0])], [cos(a[0])], _slope(a)
    for k in range(len(a) - 1):
        # s' = c a', c' = -s a', each coefficient from those before
        ds = add(*(slope[j] * c[k - j] for j in range(k + 1)))
        dc = add(*(slope[j] * s[k - j] for j in range(k + 1)))
        s.append(scale(Fraction(1, k + 1), ds))
        c.append(scale(Fraction(-1, k + 1), dc))
    return s, c


def _by_itself(start: Callable[[Expr], Expr], slope: Callable[[list[Expr]], list[Expr]]) -> Callable[..., list[Expr]]:
    """y with y(a₀) given and y' = slope(y) a', coefficient by coefficient."""

    def make(a: list[Expr]) -> list[Expr]:
        y, da = [start(a[0])], _slope(a)
        for k in range(len(a) - 1):
            factor = slope(y)
            y.append(scale(Fraction(1, k + 1), add(*(da[j] * factor[k - j] for j in range(k + 1)))))
        return y

    return make


def _squared_plus(y: list[Expr], sign_of_square: int) -> list[Expr]:
    square = [scale(sign_of_square, c) for c in _mul(y, y)]
    return [ONE + square[0], *square[1:]]


def _by_argument(start: Callable[[Expr], Expr], exponent: Value, sign_of_square: int) -> Callable[..., list[Expr]]:
    """y' = (1 ± a²)ᵉ a'."""

    def make(a: list[Expr]) -> list[Expr]:
        factor = _raised(Series(0, tuple(_squared_plus(a, sign_of_square))), exponent)
        return _integral(start(a[0]), _mul(list(factor.coefficients)[: len(a) - 1], _slope(a)))

    return make


def _logarithm(a: list[Expr]) -> list[Expr]:
    inverse = _raised(Series(0, tuple(a)), -1)
    return _integral(log(a[0]), _mul(list(inverse.coefficients)[: len(a) - 1], _slope(a)))


HALF: Final = Fraction(1, 2)
_UNARY: Final[dict[str, Callable[[list[Expr]], list[Expr]]]] = {
    "sin": lambda a: _sine_and_cosine(a)[0],
    "cos": lambda a: _sine_and_cosine(a)[1],
    "tan": _by_itself(tan, lambda y: _squared_plus(y, 1)),
    "tanh": _by_itself(tanh, lambda y: _squared_plus(y, -1)),
    "exp": _by_itself(exp, lambda y: y),
    "log": _logarithm,
    "atan": _by_argument(atan, -1, 1),
    "asin": _by_argument(asin, -HALF, -1),
    "acos": lambda a: [acos(a[0]), *(scale(-1, c) for c in _by_argument(asin, -HALF, -1)(a)[1:])],
}


def _function(node: Function, known: Mapping[Node, Series]) -> Series:
    if node.name in _UNARY:
        return Series(0, tuple(_UNARY[node.name](known[node.args[0]].from_zero())))
    if node.name in ("abs", "sign"):
        lead = known[node.args[0]].stripped()
        if not lead.coefficients:
            raise _TooShortError
        side = sign(lead.coefficients[0])
        if node.name == "sign":
            return Series(0, (side, *[ZERO] * (len(lead.coefficients) - 1)))
        return Series(lead.low, (abs(lead.coefficients[0]), *(side * c for c in lead.coefficients[1:])))
    a, b = (known[arg] for arg in node.args)
    if node.name == "atan2":
        return _direction(a, b)
    smaller = compare("<", *node.args)
    return _chosen(smaller, *((a, b) if node.name == "min" else (b, a)))


def _direction(y: Series, x: Series) -> Series:
    """atan2(y, x) by (x y' − y x')/(x² + y²), after what is common has been taken out."""
    low = min(s.stripped().low for s in (y, x))
    high = min(y.high, x.high)
    if low >= high:
        raise _TooShortError
    b, a = ([s.at(k) for k in range(low, high)] for s in (y, x))
    turn = [c - d for c, d in zip(_mul(a[:-1], _slope(b)), _mul(b[:-1], _slope(a)), strict=True)]
    square = [c + d for c, d in zip(_mul(a, a), _mul(b, b), strict=True)]
    inverse = list(_raised(Series(0, tuple(square)), -1).coefficients)
    return Series(0, tuple(_integral(atan2(b[0], a[0]), _mul(inverse[: len(turn)], turn))))


def _power(node: Power, known: Mapping[Node, Series]) -> Series:
    logarithm = Series(0, tuple(_logarithm(known[node.base].from_zero())))
    return Series(0, tuple(_UNARY["exp"](_times(known[node.exponent], logarithm).from_zero())))


def _select(node: Select, known: Mapping[Node, Series]) -> Series:
    return _chosen(node.condition, known[node.then], known[node.otherwise])


def _chosen(condition: Compare, then: Series, otherwise: Series) -> Series:
    low, high = min(then.low, otherwise.low), min(then.high, otherwise.high)
    return Series(low, tuple(select(condition, then.at(k), otherwise.at(k)) for k in range(low, high)))


def _lookup(node: Lookup, known: Mapping[Node, Series]) -> Series:
    # a table is not small, whatever its argument
    return Series(0, (node, *[ZERO] * (known[node.arg].high - 1)))


_RULES: Final[dict[type[Node], Callable[..., Series]]] = {
    Sum: _sum,
    Product: _product,
    Function: _function,
    Power: _power,
    Select: _select,
    Lookup: _lookup,
}
