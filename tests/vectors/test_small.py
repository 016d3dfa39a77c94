"""Small quantities: series in ε against SymPy's, orders, what cannot be small, slopes on the spacecraft."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork.errors import ExpressionError
from linkwork.symbolic import (
    Expr,
    acos,
    asin,
    atan,
    atan2,
    cos,
    evaluate,
    exp,
    log,
    select,
    sin,
    sqrt,
    symbol,
    tan,
    tanh,
)
from linkwork.symbolic import abs as absolute
from linkwork.symbolic import min as smaller
from linkwork.symbolic.simplify import canonical
from linkwork.symbolic.small import order, series, truncate

L, q = symbol("L"), symbol("q", kind="coordinate")
x, y = symbol("x", kind="coordinate"), symbol("y", kind="coordinate")
SMALL = {x: 1, y: 1}


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (sin(x), x - x**3 / 6 + x**5 / 120),
        (cos(x), 1 - x**2 / 2 + x**4 / 24),
        (tan(x), x + x**3 / 3 + 2 * x**5 / 15),
        (asin(x), x + x**3 / 6 + 3 * x**5 / 40),
        (atan(x), x - x**3 / 3 + x**5 / 5),
    ],
)
def test_functions_of_a_small_argument(expr: Expr, expected: Expr) -> None:
    assert canonical(truncate(expr, SMALL, 6) - expected) is x - x
    assert truncate(expr, SMALL, 1) is nominal_value(expected)


def nominal_value(expected: Expr) -> Expr:
    return series(expected, SMALL, 1)[0]


def test_a_small_part_of_an_argument_is_seen() -> None:
    assert truncate(sin(q + x), SMALL) is sin(q) + x * cos(q)
    assert truncate((L + x) ** 2, SMALL) is L**2 + 2 * L * x
    assert truncate(1 / (1 + x), SMALL) is 1 - x
    assert truncate(sqrt(1 + x), SMALL) is 1 + x / 2


def test_orders() -> None:
    assert order(L + x, SMALL) == 0 and order(L * x * y, SMALL) == 2
    assert order((1 + x**2) - 1, SMALL) == 2
    assert order(x / y, SMALL) == 0
    assert order(sqrt(x**2 + y**2), SMALL) == 1
    assert order(1 - cos(x), SMALL) == 2


FORMULAS = [
    sin(q + x * y) * cos(x) / (L + y), exp(x * q) * log(L + x), sqrt(L**2 + 2 * L * x + y**2), x / (x + y * L),
    tan(q + x) - tanh(q * x + y), atan2(x + q, L + y), atan2(x + y**2, y + x * q), asin(q / 3 + x) + acos(y - q / 3),
    (L + x) ** -3, absolute(q + x) * absolute(x), smaller(q + x, L + 2 * y), select(q < x + 5, x**2 + q, y),
    (L + x) ** (q + y), x**2 * y / (x * (1 + y)), (1 + x) * (1 + y) - 1 - x, sin(x) / x, (1 - cos(x)) / x**2,
]  # fmt: skip


@pytest.mark.parametrize("expr", FORMULAS, ids=str)
@pytest.mark.parametrize("terms", [1, 2, 3, 6])
def test_what_is_left_out_is_of_the_next_order(expr: Expr, terms: int) -> None:
    # the error against ε falls with slope N or more: measured between two ε in which rounding is small
    values = {"L": 1.7, "q": 0.6, "x": 0.31, "y": 0.23}
    kept = series(expr, SMALL, terms)
    errors = []
    for scale in (0.3, 0.15):
        small = values | {"x": scale * values["x"], "y": scale * values["y"]}
        errors.append(abs(evaluate(expr, small) - sum(evaluate(c, small) for c in kept)))
    if errors[0] > 1e-12:
        assert np.log2(errors[0] / errors[1]) > terms - 0.3


@pytest.mark.parametrize("expr", FORMULAS, ids=str)
def test_coefficients_are_homogeneous(expr: Expr) -> None:
    values = {"L": 1.7, "q": 0.6, "x": 0.31, "y": 0.23}
    half = values | {"x": values["x"] / 2, "y": values["y"] / 2}
    for k, c in enumerate(series(expr, SMALL, 4)):
        if "select" in str(c):  # conditions are kept whole
            continue
        assert evaluate(c, half) == pytest.approx(evaluate(c, values) / 2**k, rel=1e-12, abs=1e-15)


def test_restoring_force_survives_if_differentiated_first() -> None:
    from linkwork.symbolic import differentiate

    m, g = symbol("m"), symbol("g")
    V = m * g * L * (1 - cos(x))
    assert truncate(differentiate(V, x), SMALL) is m * g * L * x
    assert differentiate(truncate(V, SMALL), x) is x - x  # the trap


@pytest.mark.parametrize(
    ("expr", "words"),
    [(L / x, "divisor"), (sin(1 / x), "beyond bounds"), (sqrt(x), "no series"), (1 / (cos(x) - 1), "divisor")],
)
def test_what_has_no_series_is_told(expr: Expr, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        series(expr, SMALL, 2)
