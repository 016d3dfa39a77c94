"""Derivatives and substitution: an expression and symbols in, an expression out. Never expands.

A function with corners has the derivatives of its smooth pieces: abs' = sign, sign' = 0; min, max and select
differentiate the branch that is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from linkwork.errors import ExpressionError
from linkwork.symbolic import algebra
from linkwork.symbolic.exact import Value, plus
from linkwork.symbolic.functions import cos, less, less_equal, log, lookup, select, sign, sin, sqrt, tan, tanh
from linkwork.symbolic.scalar import (
    ONE,
    ZERO,
    Expr,
    ExprLike,
    Function,
    Lookup,
    Node,
    Power,
    Product,
    Select,
    Sum,
    Symbol,
    as_expr,
)
from linkwork.symbolic.traverse import bottom_up, free_symbols, postorder, replaced

BRANCHING: Final = ("min", "max")
Slopes: TypeAlias = dict[Symbol, Expr]  # the derivatives by several symbols that are not zero


def differentiate(expr: Expr, symbol: Symbol) -> Expr:
    """∂expr/∂symbol.   differentiate(x**2*y, x) is 2*x*y."""
    if not isinstance(symbol, Symbol):
        raise ExpressionError(f"cannot differentiate with respect to {symbol!r}", "Use a symbol")
    if type(expr) is Symbol:
        return ONE if expr is symbol else ZERO
    return _slopes(postorder([expr]), symbol).get(expr, ZERO)


def derivatives(expr: Expr, symbols: Iterable[Symbol]) -> tuple[Expr, ...]:
    """The partial derivatives of an expression by each symbol; a long sum costs no more than its length."""
    return jacobian([expr], symbols)[0]


def gradient(expr: Expr, symbols: Iterable[Symbol]) -> tuple[Expr, ...]:
    """The same as `derivatives`, found from the whole to its parts: of many symbols it costs hardly more than of one.

    What comes out is nested rather than multiplied out. Laws that branch are differentiated branch by branch, which
    only `derivatives` does.
    """
    wanted, nodes = tuple(symbols), postorder([expr])
    if any(isinstance(node, Select) or (isinstance(node, Function) and node.name in BRANCHING) for node in nodes):
        return derivatives(expr, wanted)
    moving: set[Node] = {*wanted}
    for node in nodes:  # parts come first
        if not moving.isdisjoint(node.children):
            moving.add(node)
    # by node, the parts of ∂expr/∂node
    parts: dict[Node, list[Expr]] = {expr: [ONE]}
    for node in reversed(nodes):
        if node in parts and node in moving and not isinstance(node, Symbol):
            along = algebra.add(*parts.pop(node))
            for child in dict.fromkeys(node.children):
                if child in moving:
                    parts.setdefault(child, []).append(algebra.multiply(along, _RULES[type(node)](node, {child: ONE})))
    return tuple([algebra.add(*parts.get(s, [ZERO])) for s in wanted])


def jacobian(exprs: Sequence[Expr], symbols: Iterable[Symbol]) -> list[tuple[Expr, ...]]:
    """The partial derivatives of several expressions, a row for each; what they share is differentiated once."""
    wanted = tuple(symbols)
    slopes: dict[Node, Slopes] = {symbol: {symbol: ONE} for symbol in wanted}
    for node in postorder(exprs):
        if any(child in slopes for child in node.children):
            row = _ROWS.get(type(node), _other_row)(node, slopes)
            if row:
                slopes[node] = row
    return [tuple([slopes.get(expr, {}).get(symbol, ZERO) for symbol in wanted]) for expr in exprs]


def _sum_row(node: Sum, slopes: Mapping[Node, Slopes]) -> Slopes:
    """The slopes of a sum by all symbols: each that has one costs, whatever their number."""
    parts: dict[Symbol, list[Expr]] = {}
    for c, term in node.terms:
        for symbol, slope in slopes.get(term, {}).items():
            parts.setdefault(symbol, []).append(algebra.scale(c, slope))
    return _gathered(parts)


def _product_row(node: Product, slopes: Mapping[Node, Slopes]) -> Slopes:
    parts: dict[Symbol, list[Expr]] = {}
    for base, exponent in node.factors:
        if base in slopes:
            others = _without(node, base, exponent)
            for symbol, slope in slopes[base].items():
                parts.setdefault(symbol, []).append(algebra.scale(exponent, algebra.multiply(slope, others)))
    return _gathered(parts)


def _gathered(parts: Mapping[Symbol, list[Expr]]) -> Slopes:
    found = {symbol: algebra.add(*slopes) for symbol, slopes in parts.items()}
    return {symbol: slope for symbol, slope in found.items() if slope is not ZERO}


def _other_row(node: Node, slopes: Mapping[Node, Slopes]) -> Slopes:
    rule = _RULES.get(type(node))
    if rule is None:
        return {}
    inside: dict[Symbol, dict[Node, Expr]] = {}
    for child in node.children:
        for symbol, slope in slopes.get(child, {}).items():
            inside.setdefault(symbol, {})[child] = slope
    return _gathered({symbol: [rule(node, known)] for symbol, known in inside.items()})


def _slopes(nodes: list[Node], symbol: Symbol) -> dict[Node, Expr]:
    """The derivative of each node that has one other than zero; nodes come children first."""
    slopes: dict[Node, Expr] = {symbol: ONE}
    for node in nodes:
        rule = _RULES.get(type(node))
        if rule is not None and any(child in slopes for child in node.children):
            slope = rule(node, slopes)
            if slope is not ZERO:
                slopes[node] = slope
    return slopes


def _sum_slope(node: Sum, slopes: dict[Node, Expr]) -> Expr:
    # (k + Σ c f)' = Σ c f'
    return algebra.add(*(algebra.scale(c, slopes[term]) for c, term in node.terms if term in slopes))


def _product_slope(node: Product, slopes: dict[Node, Expr]) -> Expr:
    # (Π f**e)' = Σ e f' f**(e-1) Π other factors
    parts = []
    for base, exponent in node.factors:
        if base in slopes:
            others = _without(node, base, exponent)
            parts.append(algebra.scale(exponent, algebra.multiply(slopes[base], others)))
    return algebra.add(*parts)


def _without(node: Product, base: Expr, exponent: Value) -> Expr:
    """A product with one factor less of a base."""
    others = algebra.make_product(node.bag.with_value(base, exponent, 0))
    return others if exponent == 1 else algebra.multiply(algebra.power(base, plus(exponent, -1)), others)


def _power_slope(node: Power, slopes: dict[Node, Expr]) -> Expr:
    # (a**b)' = b a**(b-1) a' + a**b log(a) b'
    a, b = node.base, node.exponent
    along_base = b * algebra.power(a, b - 1) * slopes[a] if a in slopes else ZERO
    along_exponent = node * log(a) * slopes[b] if b in slopes else ZERO
    return along_base + along_exponent


def _function_slope(node: Function, slopes: dict[Node, Expr]) -> Expr:
    if node.name in _UNARY_SLOPE:
        x = node.args[0]
        return _UNARY_SLOPE[node.name](x) * slopes[x]
    a, b = node.args
    return _BINARY_SLOPE[node.name](a, b, slopes.get(a, ZERO), slopes.get(b, ZERO))


def _lookup_slope(node: Lookup, slopes: dict[Node, Expr]) -> Expr:
    return lookup(node.curve, node.arg, node.order + 1) * slopes[node.arg]


def _select_slope(node: Select, slopes: dict[Node, Expr]) -> Expr:
    return select(node.condition, slopes.get(node.then, ZERO), slopes.get(node.otherwise, ZERO))


_RULES: Final[dict[type[Node], Callable[..., Expr]]] = {
    Sum: _sum_slope,
    Product: _product_slope,
    Power: _power_slope,
    Function: _function_slope,
    Lookup: _lookup_slope,
    Select: _select_slope,
}

_ROWS: Final[dict[type[Node], Callable[..., Slopes]]] = {Sum: _sum_row, Product: _product_row}

_UNARY_SLOPE: Final[dict[str, Callable[[Expr], Expr]]] = {
    "sin": cos,
    "cos": lambda x: -sin(x),
    "tan": lambda x: 1 + tan(x) ** 2,
    "asin": lambda x: 1 / sqrt(1 - x**2),
    "acos": lambda x: -1 / sqrt(1 - x**2),
    "atan": lambda x: 1 / (1 + x**2),
    "exp": lambda x: Function("exp", (x,)),
    "log": lambda x: 1 / x,
    "tanh": lambda x: 1 - tanh(x) ** 2,
    "abs": sign,
    "sign": lambda x: ZERO,
}

_BINARY_SLOPE: Final[dict[str, Callable[[Expr, Expr, Expr, Expr], Expr]]] = {
    "atan2": lambda y, x, dy, dx: (x * dy - y * dx) / (x**2 + y**2),
    "min": lambda a, b, da, db: select(less_equal(a, b), da, db),
    "max": lambda a, b, da, db: select(less(a, b), db, da),
}


def total_rate(expr: Expr, following: Callable[[Symbol], Expr]) -> Expr:
    """The time derivative Σ ∂expr/∂s ṡ, where `following` tells the rate ṡ of a symbol.

    total_rate(x**2, {x: v}.__getitem__) is 2*x*v
    """
    changing = [(s, rate) for s in free_symbols(expr) if (rate := following(s)) is not ZERO]
    total: Expr = ZERO
    for s, rate in sorted(changing, key=lambda pair: pair[0].name):
        total = total + differentiate(expr, s) * rate
    return total


def substitute(expr: Expr, mapping: Mapping[Expr, ExprLike]) -> Expr:
    """The expression with all replacements made at once.   substitute(x + y, {x: y, y: 2}) is y + 2.

    Keys are symbols, or other expressions that occur as a whole term, factor or argument.
    """
    return substitute_all([expr], mapping)[0]


def substitute_all(exprs: Sequence[Expr], mapping: Mapping[Expr, ExprLike]) -> list[Expr]:
    """Several expressions with the same replacements made in all; what they share is rebuilt once."""
    changed: dict[Node, Node] = {old: as_expr(new) for old, new in mapping.items()}
    for node in bottom_up(exprs) if changed else ():
        if node not in changed and (new := replaced(node, changed)) is not node:
            changed[node] = new
    results = [changed.get(expr, expr) for expr in exprs]
    assert all(isinstance(result, Expr) for result in results)
    return results  # type: ignore[return-value]
