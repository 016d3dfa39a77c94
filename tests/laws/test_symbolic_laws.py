"""Laws that every scalar expression obeys, on random expressions: one form, one value, one derivative."""

from __future__ import annotations

import ast
import cmath
import math
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import linkwork.symbolic as sy
from linkwork.errors import ExpressionError
from linkwork.symbolic import Expr, Number, differentiate, evaluate, substitute, symbol, to_text

SYMBOLS = [symbol("x", "coordinate"), symbol("y"), symbol("m"), symbol("z", "speed")]

exact_numbers = st.one_of(
    st.integers(-6, 6),
    st.fractions(min_value=-4, max_value=4, max_denominator=9),
    st.sampled_from([-0.5, 0.3, 2.5]),
)
exponents = st.sampled_from([-2, -1, 2, 3, Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3)])

# a recipe is a nested tuple that can be carried out over expressions or over numbers: two independent routes
leaves = st.one_of(
    st.sampled_from([("symbol", k) for k in range(len(SYMBOLS))]), exact_numbers.map(lambda c: ("number", c))
)


def recipes(unary: list[str], binary: list[str], exponent: Any = exponents, size: int = 14) -> Any:
    def extend(inner: Any) -> Any:
        choices = [
            st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner),
            st.tuples(st.just("**"), inner, exponent),
            st.tuples(st.sampled_from(unary), inner),
        ]
        if binary:
            choices.append(st.tuples(st.sampled_from(binary), inner, inner))
        return st.one_of(choices)

    return st.recursive(leaves, extend, max_leaves=size)


SMOOTH = ["sin", "cos", "tan", "exp", "tanh", "atan"]
anything = recipes([*SMOOTH, "asin", "acos", "log", "sqrt", "abs", "sign"], ["atan2", "min", "max", "select"])
smooth = recipes([*SMOOTH, "log", "sqrt"], [])
points = st.lists(st.sampled_from([-2.3, -1.1, -0.4, 0.7, 1.9, 3.1]), min_size=4, max_size=4, unique=True)


def carry_out(recipe: Any, symbols: list[Any], number: Callable[[Any], Any], functions: dict[str, Any]) -> Any:
    head = recipe[0]
    if head == "symbol":
        return symbols[recipe[1]]
    if head == "number":
        return number(recipe[1])
    if head == "**":
        base = carry_out(recipe[1], symbols, number, functions)
        return functions["**"](base, recipe[2])
    args = [carry_out(part, symbols, number, functions) for part in recipe[1:]]
    return functions[head](*args)


ARITHMETIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def real_power(base: float, exponent: Any) -> float:
    if isinstance(exponent, Fraction) and base < 0:
        raise ValueError("root of a negative number")
    return base ** (exponent if isinstance(exponent, int) else float(exponent))


ON_EXPRESSIONS = {
    **sy.FUNCTIONS,
    **ARITHMETIC,
    "**": lambda a, e: a**e,
    "select": lambda a, b: sy.select(a < b, a * 2, b + 1),
}
ON_FLOATS = {
    **ARITHMETIC,
    **{name: getattr(math, name) for name in [*SMOOTH, "asin", "acos", "log", "sqrt", "atan2"]},
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "min": min,
    "max": max,
    "**": real_power,
    "select": lambda a, b: a * 2 if a < b else b + 1,
}
ON_COMPLEX = {
    **ARITHMETIC,
    **{name: getattr(cmath, name) for name in [*SMOOTH, "log", "sqrt"]},
    "**": lambda a, e: a**e if isinstance(e, int) else a ** float(e),
}


def expression(recipe: Any) -> Expr:
    try:
        return sy.as_expr(carry_out(recipe, SYMBOLS, Number, ON_EXPRESSIONS))
    except ExpressionError:
        assume(False)
        raise


def close(a: float, b: float, tol: float) -> bool:
    return math.isclose(a, b, rel_tol=tol, abs_tol=tol)


@given(anything, points)
@settings(max_examples=600)
def test_an_expression_has_the_value_of_its_recipe(recipe: Any, point: list[float]) -> None:
    expr = expression(recipe)
    try:
        # nearby points must agree too: where rounding decides a branch there is nothing to compare
        wanted = carry_out(recipe, point, float, ON_FLOATS)
        nearby = [carry_out(recipe, [p * (1 + h) for p in point], float, ON_FLOATS) for h in (1e-12, -1e-12)]
    except (ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    assume(abs(wanted) < 1e8 and all(close(wanted, near, 1e-8) for near in nearby))
    try:
        value = evaluate(expr, dict(zip(SYMBOLS, point, strict=True)))
    except ExpressionError:
        # the recipe has a value only by rounding: 1/(sin(asin(x)) - x)
        assume(False)
    assert close(value, wanted, 1e-7)


@given(smooth, points)
@settings(max_examples=400)
def test_the_derivative_is_that_of_a_complex_step(recipe: Any, point: list[float]) -> None:
    expr = expression(recipe)
    h = 1e-20
    try:
        carry_out(recipe, point, float, ON_FLOATS)
        stepped = carry_out(recipe, [complex(point[0], h), *point[1:]], lambda c: complex(float(c)), ON_COMPLEX)
    except (ValueError, ZeroDivisionError, OverflowError):
        assume(False)
    wanted = stepped.imag / h
    assume(abs(wanted) < 1e6 and abs(stepped) < 1e6)
    try:
        slope = evaluate(differentiate(expr, SYMBOLS[0]), dict(zip(SYMBOLS, point, strict=True)))
    except ExpressionError:
        assume(False)
    assert close(slope, wanted, 1e-6)


@given(anything)
@settings(max_examples=400)
def test_text_read_back_is_the_same_object(recipe: Any) -> None:
    expr = expression(recipe)
    assume(not _has_floats(expr))
    assert read(to_text(expr)) is expr


@given(anything, points)
@settings(max_examples=200)
def test_text_read_back_has_the_same_value(recipe: Any, point: list[float]) -> None:
    expr = expression(recipe)
    values = dict(zip(SYMBOLS, point, strict=True))
    try:
        wanted, value = evaluate(expr, values), evaluate(read(to_text(expr)), values)
    except ExpressionError:
        assume(False)
    assume(abs(wanted) < 1e8 and not _has_corners(expr))
    assert close(value, wanted, 1e-6)


def _has_corners(expr: Expr) -> bool:
    corners = ("sign", "min", "max", "atan2")
    nodes = sy.postorder([expr])
    return any(isinstance(n, sy.Select) or (isinstance(n, sy.Function) and n.name in corners) for n in nodes)


def read(text: str) -> Any:
    """Python's own grammar, with numbers made exact: 0.1 is one tenth, as in our parser."""

    class Exact(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            literal = ast.Constant(ast.get_source_segment(text, node))
            return ast.Call(ast.Name("exact", ast.Load()), [literal], [])

    tree = ast.fix_missing_locations(Exact().visit(ast.parse(text, mode="eval")))
    names = {s.name: s for s in SYMBOLS} | sy.FUNCTIONS | {"select": sy.select}
    names["exact"] = lambda literal: Number(Fraction(literal))
    return eval(compile(tree, "text", "eval"), {"__builtins__": {}}, names)


@given(st.lists(anything, min_size=2, max_size=24), st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_sums_and_products_do_not_depend_on_the_order_of_building(parts: list[Any], rng: random.Random) -> None:
    exprs = [e for e in map(expression, parts) if not _has_floats(e)]
    assume(len(exprs) > 1)
    for operation in (sy.add, sy.multiply):
        try:
            whole = operation(*exprs)
            assert combined(exprs, operation, rng) is whole
            assert combined(exprs, operation, rng) is whole
        except ExpressionError:
            assume(False)


def _has_floats(expr: Expr) -> bool:
    nodes = sy.postorder([expr])
    numbers = [n.value for n in nodes if isinstance(n, Number)]
    numbers += [c for n in nodes if isinstance(n, sy.Sum) for c in (n.constant, *(c for c, _ in n.terms))]
    return any(isinstance(value, float) for value in numbers)


def combined(exprs: list[Expr], operation: Callable[..., Expr], rng: random.Random) -> Expr:
    """Joins two parts chosen at random until one is left."""
    rest = list(exprs)
    while len(rest) > 1:
        a, b = rest.pop(rng.randrange(len(rest))), rest.pop(rng.randrange(len(rest)))
        rest.append(operation(a, b))
    return rest[0]


@given(anything, anything, points)
@settings(max_examples=300)
def test_substituting_then_evaluating_is_evaluating_with_the_value(outer: Any, inner: Any, point: list[float]) -> None:
    f, g = expression(outer), expression(inner)
    x = SYMBOLS[0]
    values = dict(zip(SYMBOLS, point, strict=True))
    try:
        composed = substitute(f, {x: g})
        at_g = [evaluate(f, values | {x: evaluate(g, values) * (1 + h)}) for h in (0, 1e-12, -1e-12)]
        value = evaluate(composed, values)
    except ExpressionError:
        assume(False)
    assume(abs(at_g[0]) < 1e8 and all(close(at_g[0], near, 1e-8) for near in at_g))
    assert close(value, at_g[0], 1e-6)


@given(anything)
def test_substituting_nothing_changes_nothing(recipe: Any) -> None:
    expr = expression(recipe)
    other = symbol("elsewhere")
    assert substitute(expr, {}) is expr
    assert substitute(substitute(expr, {SYMBOLS[0]: other}), {other: SYMBOLS[0]}) is expr


@given(anything)
def test_a_pickled_expression_comes_back_as_the_same_object(recipe: Any) -> None:
    expr = expression(recipe)
    assert pickle.loads(pickle.dumps(expr)) is expr


@example(("/", ("number", 1), ("atan2", ("asin", ("number", -2)), ("number", 1))), [[0.7] * 4] * 3)
@given(anything, st.lists(points, min_size=3, max_size=3))
def test_arrays_give_what_scalars_give(recipe: Any, rows: list[list[float]]) -> None:
    np = pytest.importorskip("numpy")
    expr = expression(recipe)
    values = {s: np.array([row[k] for row in rows]) for k, s in enumerate(SYMBOLS)}
    each = [dict(zip(SYMBOLS, row, strict=True)) for row in rows]
    try:
        result = np.broadcast_to(evaluate(expr, values), (3,))
    except ExpressionError:
        # what has no value whatever the symbols are has none in arrays
        with pytest.raises(ExpressionError):
            [evaluate(expr, row) for row in each]
        return
    for row, got in zip(each, result, strict=True):
        try:
            wanted = evaluate(expr, row)
        except ExpressionError:
            continue
        assume(abs(wanted) < 1e8)
        assert close(float(got), wanted, 1e-9)


@given(smooth, smooth)
@settings(max_examples=200)
def test_differentiation_is_linear(first: Any, second: Any) -> None:
    f, g = expression(first), expression(second)
    x = SYMBOLS[0]
    assume(not _has_floats(f) and not _has_floats(g))
    assert differentiate(2 * f - 3 * g, x) is 2 * differentiate(f, x) - 3 * differentiate(g, x)
