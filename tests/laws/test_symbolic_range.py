"""Values do not get lost in the canonical form: what plain arithmetic reaches, expressions and programs reach."""

from __future__ import annotations

import math
import operator
import pickle
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linkwork.errors import ExpressionError
from linkwork.native.interpreter import run_program
from linkwork.program import Builder, lower
from linkwork.symbolic import Expr, Number, evaluate, symbol
from linkwork.symbolic.bag import Bag
from linkwork.symbolic.parse import parse

X = [symbol(name) for name in "xyz"]
NUMBERS = ["0.1", "0.12345678901234567", "7", "0.003", "1e17", "1e-200", "1e200", "1234567.891", "1e-17", "3/7"]
OPERATIONS = {"+": operator.add, "*": operator.mul, "/": operator.truediv}

# all numbers are positive, so that nothing cancels and a relative error means something
leaves = st.one_of(st.sampled_from([("symbol", i) for i in range(3)]), st.sampled_from(NUMBERS).map(lambda n: ("n", n)))
recipes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([*OPERATIONS]), inner, inner),
        st.tuples(st.just("**"), inner, st.sampled_from([-400, -20, -3, -1, 2, 3, 7, 20, 100, 400, Fraction(1, 2)])),
    ),
    max_leaves=12,
)


def carry_out(recipe: Any, values: list[Any], number: Any, seen: list[Any]) -> Any:
    """The recipe step by step in the order written; every intermediate value is noted."""
    head = recipe[0]
    if head == "symbol":
        value = values[recipe[1]]
    elif head == "n":
        value = number(recipe[1])
    elif head == "**":
        value = carry_out(recipe[1], values, number, seen) ** number(recipe[2])
    else:
        value = OPERATIONS[head](*(carry_out(r, values, number, seen) for r in recipe[1:]))
    seen.append(value)
    return value


def as_float(text: Any) -> float:
    return float(Fraction(text))


def as_mpmath(text: Any) -> Any:
    fraction = Fraction(text)
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def run_lowered(expr: Expr, values: list[float]) -> float:
    b = Builder()
    nodes = {x: b.input("q", i) for i, x in enumerate(X)}
    program = b.program(v=[lower(b, expr, nodes)])
    return float(np.ravel(run_program(program, {"q": [np.array([v]) for v in values]}, 0.0)["v"][0])[0])


@settings(max_examples=400)
@given(recipes, st.lists(st.sampled_from([0.05, 0.3, 0.9, 1.0, 1.7, 12.5]), min_size=3, max_size=3))
def test_an_expression_has_the_value_that_plain_arithmetic_finds(recipe, values):
    steps: list[Any] = []
    try:
        carry_out(recipe, values, as_float, steps)
    except (OverflowError, ZeroDivisionError):
        assume(False)
    assume(all(1e-290 < step < 1e290 for step in steps))
    expr = carry_out(recipe, X, lambda text: Number(Fraction(text)), [])
    if not isinstance(expr, Expr):
        return
    with mpmath.workdps(60):
        exact = carry_out(recipe, [mpmath.mpf(v) for v in values], as_mpmath, [])
        found = [float(evaluate(expr, dict(zip(X, values, strict=True)))), run_lowered(expr, values)]
        assert all(abs(value / exact - 1) < 1e-10 for value in found), (expr, found, exact)
        assert pickle.loads(pickle.dumps(expr)) is expr


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("(x + 0.12345678901234567)**20", 0.9, (0.9 + 0.12345678901234567) ** 20),
        ("(x + 0.1)**400", 0.9, 1.0),
        ("(x + 0.12345678901234567)**100", 0.9, (0.9 + 0.12345678901234567) ** 100),
        ("(1e-17*x)**100", 0.9e17, 0.9**100),
        ("(1e-17*x + 2e-17)**100", 0.9e17, 0.9**100),
        ("(1e17*x + 1.5e17)**30*1e-300/1e210", -0.5, 1.0),
        ("(x/1e-200)*(x/1e-200)*1e-200*1e-200", 1.5, 2.25),
        ("*".join(["(x + 0.1)"] * 300), 1.9, 2.0**300),
        ("*".join(["(10*x + 10)"] * 300) + "/1e300", -0.5, 0.5**300),
        ("*".join(f"(x + 0.{i:017d})" for i in range(1, 41)), 0.9, None),
        ("sqrt((1e-18*x)**41)", 1e18, 1.0),
        ("(pi*1e-200*x)*(pi*1e-200*x)*1e200*1e200", 1.0, math.pi**2),
        ("1e308*10*x", 1e-10, 1e299),
    ],
)
def test_powers_and_products_of_decimals_keep_their_values(text, x, value):
    if value is None:
        value = math.prod(x + i * 1e-17 for i in range(1, 41))
    expr = parse(text, {"x": X[0]})
    assert evaluate(expr, {"x": x}) == pytest.approx(value, rel=1e-11)
    assert evaluate(expr, {"x": np.array([x, x])}) == pytest.approx(value, rel=1e-11)
    assert run_lowered(expr, [x, 0.0, 0.0]) == pytest.approx(value, rel=1e-11)


def test_numbers_beyond_floats_are_refused_in_words():
    assert float(Number(10**400) / 10**200) == 1e200
    for wrong in (lambda: float(Number(10**400)), lambda: X[0] ** 10**400, lambda: X[0] ** 1e300):
        with pytest.raises(ExpressionError, match="too large"):
            wrong()


def test_sums_of_one_key_and_different_contents_are_two_sums(monkeypatch):
    a, b, c = X
    honest = a + b
    # forge a sum with the digest of another, as the terms of a linear digest can be made to add up
    forged_terms = {a: 3475001, c: 1}
    bag = Bag.of(forged_terms)
    bag.digest = honest.bag.digest
    forged = type(honest)(0, bag)
    assert forged is not honest
    assert type(honest)(0, bag) is forged
    assert evaluate(honest, {"x": 1, "y": 1}) == 2
    assert evaluate(forged, {"x": 1, "z": 1}) == 3475002
    assert a + b is honest


def test_nodes_of_every_kind_are_compared_by_their_contents(monkeypatch):
    from linkwork.symbolic import scalar

    monkeypatch.setattr(scalar, "blend", lambda a, b: (a + 1) % (1 << 128))  # every new key follows from the kind alone
    made = [scalar.Power(a, b) for a in X for b in X]
    assert len({id(node) for node in made}) == 9
    assert [scalar.Power(a, b) for a in X for b in X] == made
