"""Lowering: symbolic expressions in, instructions out. Equal subexpressions become one node by value numbering."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from linkwork.program.builder import Builder
from linkwork.symbolic import Compare, Expr, Function, Lookup, Node, Number, Power, Product, Select, Sum, Symbol
from linkwork.symbolic.algebra import spread
from linkwork.symbolic.exact import Value, as_float, in_pieces, is_modest, share
from linkwork.symbolic.traverse import postorder

LONG = 3  # terms from which on a sum is looked through for another one in it
RECENT = 4  # sums with a term that are remembered

Nested = Mapping[Node, Sum]


def nest_sums(exprs: Iterable[Expr]) -> dict[Node, Sum]:
    """Sums that begin with another one, which is computed once: of all terms of a longer sum the longest that there is.

    Sums are flat, so what grows along a chain (the angular velocity of the next body is one term more) would otherwise
    be added up from the beginning for each of them.
    """
    sums = [node for node in postorder(exprs) if isinstance(node, Sum) and len(node.terms) >= LONG]
    recent: dict[object, list[Sum]] = {}
    found: dict[Node, Sum] = {}
    for one in sorted(sums, key=lambda node: len(node.terms)):
        terms = {*one.terms}
        near = {id(other): other for term in one.terms for other in recent.get(term, ())}
        inside = [o for o in near.values() if o.constant in (0, one.constant) and terms.issuperset(o.terms)]
        if inside:
            found[one] = max(inside, key=lambda other: len(other.terms))
        for term in one.terms:
            recent[term] = [*recent.get(term, ())[-RECENT + 1 :], one]
    return found


def lower(
    b: Builder,
    expr: Expr,
    inputs: Mapping[Symbol, int],
    memo: dict[Node, int] | None = None,
    nested: Nested | None = None,
) -> int:
    """The node that computes an expression, given the nodes of its symbols. Iterative: any depth is fine."""
    memo, nested = {} if memo is None else memo, nested or {}
    stack: list[tuple[Node, bool]] = [(expr, False)]
    while stack:
        current, ready = stack.pop()
        if current in memo:
            continue
        if ready:
            memo[current] = _emit(b, current, inputs, memo, nested)
        else:
            stack.append((current, True))
            stack.extend((child, False) for child in _children(current))
            if current in nested:
                stack.append((nested[current], False))
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


def _emit(b: Builder, expr: Node, inputs: Mapping[Symbol, int], memo: Mapping[Node, int], nested: Nested) -> int:
    match expr:
        case Number():
            return b.constant(as_float(expr.value))
        case Symbol():
            return inputs[expr]
        case Sum():
            return _sum(b, expr, memo, nested.get(expr))
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


def _sum(b: Builder, expr: Sum, memo: Mapping[Node, int], inside: Sum | None) -> int:
    known = () if inside is None else {*inside.terms}
    terms = [_scaled(b, c, term, memo) for c, term in expr.terms if (c, term) not in known]
    constant = expr.constant if inside is None else expr.constant - inside.constant
    first = [] if inside is None else [memo[inside]]
    return b.add(b.total([*first, *terms]), b.constant(as_float(constant)))


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
