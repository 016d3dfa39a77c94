"""Lowering: symbolic expressions in, instructions out. Equal subexpressions become one node by value numbering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from linkwork.program.builder import Builder
from linkwork.symbolic import Compare, Expr, Function, Lookup, Node, Number, Power, Product, Select, Sum, Symbol
from linkwork.symbolic.algebra import spread
from linkwork.symbolic.exact import Value, as_float, in_pieces, is_modest, share


def lower(b: Builder, expr: Expr, inputs: Mapping[Symbol, int], memo: dict[Node, int] | None = None) -> int:
    """The node that computes an expression, given the nodes of its symbols. Iterative: any depth is fine."""
    memo = {} if memo is None else memo
    stack: list[tuple[Node, bool]] = [(expr, False)]
    while stack:
        current, ready = stack.pop()
        if current in memo:
            continue
        if ready:
            memo[current] = _emit(b, current, inputs, memo)
        else:
            stack.append((current, True))
            stack.extend((child, False) for child in _children(current))
    return memo[expr]


def _children(expr: Node) -> tuple[Node, ...]:
    match expr:
        case Sum():
            return tuple(term for _, term in expr.terms)
        case Product():
            return tuple(base for base, _ in expr.factors)
        case Power():
            return (expr.base, expr.exponent)
        case Function():
            return expr.args
        case Lookup():
            return (expr.arg,)
        case Compare():
            return (expr.left, expr.right)
        case Select():
            return (expr.condition, expr.then, expr.otherwise)
    return ()


def _emit(b: Builder, expr: Node, inputs: Mapping[Symbol, int], memo: Mapping[Node, int]) -> int:
    match expr:
        case Number():
            return b.constant(as_float(expr.value))
        case Symbol():
            return inputs[expr]
        case Sum():
            return _sum(b, expr, memo)
        case Product():
            return _product(b, expr, memo)
        case Power():
            # xʸ = exp(y log x)
            return b.emit("exp", b.mul(memo[expr.exponent], b.emit("log", memo[expr.base])))
        case Compare():
            op = "less" if expr.op == "<" else "less_equal"
            return b.emit(op, memo[expr.left], memo[expr.right])
        case Select():
            return b.emit("select", memo[expr.condition], memo[expr.then], memo[expr.otherwise])
        case Function():
            return _function(b, expr, memo)
        case Lookup():
            return b.lookup(expr.curve, memo[expr.arg], expr.order)
    raise AssertionError(type(expr))


def _sum(b: Builder, expr: Sum, memo: Mapping[Node, int]) -> int:
    terms = [_scaled(b, c, term, memo) for c, term in expr.terms]
    return b.add(b.total(terms), b.constant(as_float(expr.constant)))


def _scaled(b: Builder, coefficient: Value, term: Expr, memo: Mapping[Node, int]) -> int:
    if is_modest(coefficient):
        return b.mul(b.constant(float(coefficient)), memo[term])
    rest, factors = spread(coefficient, term)
    result = _factors(b, [(b.mul(b.constant(scale), memo[base]), exponent) for base, exponent, scale in factors])
    for piece in in_pieces(rest):
        result = b.mul(b.constant(piece), result)
    return result


def _product(b: Builder, expr: Product, memo: Mapping[Node, int]) -> int:
    return _factors(b, [(memo[base], exponent) for base, exponent in expr.factors])


def _factors(b: Builder, factors: list[tuple[int, Value]]) -> int:
    n, shares = share([exponent for _, exponent in factors])
    if not shares:
        return _quotient(b, factors)
    inside = _quotient(b, [(base, k) for (base, _), k in zip(factors, shares, strict=True)])
    outside = [(base, exponent - n * k) for (base, exponent), k in zip(factors, shares, strict=True)]
    return b.mul(b.power(inside, n), _quotient(b, outside))


def _quotient(b: Builder, factors: Iterable[tuple[int, Value]]) -> int:
    above, below = b.one, b.one
    for base, exponent in factors:
        if exponent < 0:
            below = b.mul(below, b.power(base, float(-exponent)))
        else:
            above = b.mul(above, b.power(base, float(exponent)))
    return b.div(above, below)


def _function(b: Builder, expr: Function, memo: Mapping[Node, int]) -> int:
    args = [memo[arg] for arg in expr.args]
    result = args[0]
    if expr.name in ("min", "max"):
        for other in args[1:]:
            result = b.emit(expr.name, result, other)
        return result
    return b.emit(expr.name, *args)
