"""Derivatives, values, substitution, counts and notation of scalar expressions, one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import linkwork.symbolic as sy
from linkwork.errors import ExpressionError
from linkwork.symbolic import (
    Expr,
    Number,
    cos,
    derivatives,
    differentiate,
    evaluate,
    select,
    sin,
    sqrt,
    substitute,
    symbol,
    to_latex,
    to_text,
)

x, y, a, b, c, d, m, g, M, L = (symbol(name) for name in ["x", "y", "a", "b", "c", "d", "m", "g", "M", "L"])
theta = symbol("theta", "coordinate")


def test_derivatives_of_elementary_functions() -> None:
    assert differentiate(x**3 * y, x) is 3 * x**2 * y
    assert differentiate(sin(x * y), x) is y * cos(x * y)
    assert differentiate(sqrt(x), x) is 1 / (2 * sqrt(x))
    assert differentiate(sy.log(x), x) is 1 / x
    assert differentiate(sy.atan2(y, x), x) is -y / (x**2 + y**2)
    assert differentiate(x**y, y) is x**y * sy.log(x)
    assert differentiate(a * y, x) is Number(0) and differentiate(x, x) is Number(1)
    assert sy.derivatives(x * y, [x, y, a]) == (y, x, Number(0))


def test_derivatives_at_corners_are_those_of_the_pieces() -> None:
    assert differentiate(sy.abs(x), x) is sy.sign(x)
    assert differentiate(sy.sign(x), x) is Number(0)
    assert differentiate(sy.min(x, y), x) is select(x <= y, 1, 0)
    assert differentiate(sy.max(x, 2 * y), y) is select(x < 2 * y, 2, 0)
    assert differentiate(select(x < 0, -x, x**2), x) is select(x < 0, -1, 2 * x)


def test_a_derivative_does_not_divide_by_what_may_be_zero() -> None:
    slope = differentiate(x * y * a**2, x)
    assert slope is y * a**2
    assert evaluate(differentiate(x**2 * y, x), {"x": 0, "y": 3}) == 0
    assert differentiate(sqrt(x * y), x) is y / (2 * sqrt(x * y))


def test_only_symbols_are_differentiated_by() -> None:
    with pytest.raises(ExpressionError, match="with respect to"):
        differentiate(x, x + 1)  # type: ignore[arg-type]


def test_substitution_is_simultaneous() -> None:
    assert substitute(x + 2 * y, {x: y, y: x}) is y + 2 * x
    assert substitute(sin(x) + sin(x) ** 2, {sin(x): a}) is a + a**2
    assert substitute(x / y, {x: Fraction(1, 2), y: 3}) is Number(Fraction(1, 6))
    assert substitute(select(x < y, x, y), {x: 1, y: 2}) is Number(1)


def test_values_by_symbol_or_by_name() -> None:
    assert evaluate(x**2 + y, {x: 3, "y": 0.5}) == 9.5
    assert isinstance(evaluate(Number(2), {}), float)
    assert sy.evaluate_all([x + y, x * y], {"x": 2, "y": 3}) == [5.0, 6.0]


def test_values_of_arrays_broadcast() -> None:
    result = evaluate(select(x < 0, y / x, sqrt(x)) + sy.max(x, 1), {"x": np.array([-1.0, 0.0, 4.0]), "y": 2.0})
    np.testing.assert_allclose(result, [-1.0, 1.0, 6.0])
    np.testing.assert_array_equal(evaluate(1 / x, {x: np.array([0.0, 2.0])}), [np.inf, 0.5])
    integers = evaluate(x**-2, {x: np.array([1, 2])})
    np.testing.assert_allclose(integers, [1.0, 0.25])


def test_a_missing_value_is_named() -> None:
    with pytest.raises(ExpressionError, match=r"no value given for 'theta', 'x'\. Did you mean 'thetta'\?"):
        evaluate(theta + x, {"thetta": 1.0})
    with pytest.raises(ExpressionError, match="the value of 'x' is not a number"):
        evaluate(x, {"x": "one"})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (y / x, "division by zero: y/x at x = 0, y = 2"),
        (sy.log(x), "no finite real value"),
        (sqrt(x - y), "no finite real value"),
        (sy.asin(y), "no finite real value"),
        (sy.exp(1000 * y), "no finite real value"),
        (x ** (-y), "division by zero"),
    ],
)
def test_a_value_that_does_not_exist_is_an_error_that_says_where(expr: Expr, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        evaluate(expr, {"x": 0.0, "y": 2.0})


def test_the_branch_not_taken_may_have_no_value() -> None:
    safe = select(x <= 0, 0, y / x) + 1
    assert evaluate(safe, {"x": 0.0, "y": 2.0}) == 1.0
    assert evaluate(safe, {"x": 4.0, "y": 2.0}) == 1.5


def test_operations_are_counted_once_each() -> None:
    assert sy.count_operations(x) == 0
    assert sy.count_operations(m * g * sin(x) + 1) == 4
    assert sy.count_operations(1 / x) == 1 and sy.count_operations(x / y) == 1
    assert sy.count_operations(sin(x), sin(x) + 1) == 2
    assert sy.count_operations(-x) == 1 and sy.count_operations(x - y) == 1 and sy.count_operations(x**3) == 1


@pytest.mark.parametrize(
    ("expr", "text", "latex"),
    [
        (-m * g * sin(theta), "-m*g*sin(theta)", r"-m g \sin\left(\theta\right)"),
        (M * L**2 / 12, "M*L**2/12", r"\frac{M L^{2}}{12}"),
        (a / (b * c), "a/(b*c)", r"\frac{a}{b c}"),
        ((a - b) / 2 / c, "(a - b)/(2*c)", r"\frac{a - b}{2 c}"),
        (-((a + b) ** 2), "-(a + b)**2", r"-\left(a + b\right)^{2}"),
        (b - a, "b - a", "b - a"),
        (1 - x, "1 - x", "1 - x"),
        (x**2 + x + 1, "x**2 + x + 1", "x^{2} + x + 1"),
        (sqrt(x) / 2, "sqrt(x)/2", r"\frac{\sqrt{x}}{2}"),
        (x ** Fraction(3, 2), "x**(3/2)", "x^{3/2}"),
        (x ** (-y), "x**(-y)", "x^{-y}"),
        ((x**y) ** a, "(x**y)**a", r"\left(x^{y}\right)^{a}"),
        (3 * Number(2) ** Fraction(1, 3), "3*2**(1/3)", r"3 \cdot 2^{1/3}"),
        (sin(x) ** 2, "sin(x)**2", r"\sin^{2}\left(x\right)"),
        (sy.abs(x) + sy.exp(x), "abs(x) + exp(x)", r"\left|x\right| + e^{x}"),
        (Number(Fraction(7, 500)) * x, "0.014*x", "0.014 x"),
        (Number(Fraction(-1, 3)), "-1/3", r"-\frac{1}{3}"),
        (0.5 * x - 1e-9, "0.5*x - 1e-09", r"0.5 x - 1 \cdot 10^{-9}"),
        (sy.atan2(y, x), "atan2(y, x)", r"\operatorname{atan2}\left(y, x\right)"),
        (
            select(x <= y, a, b),
            "select(x <= y, a, b)",
            r"\begin{cases} a & \text{if } x \le y \\ b & \text{otherwise} \end{cases}",
        ),
        (
            a * (Fraction(1423, 20000) + Fraction(7, 200) * x),
            "a*(0.035*x + 0.07115)",
            r"a \left(0.035 x + 0.07115\right)",
        ),
    ],
)
def test_notation(expr: Expr, text: str, latex: str) -> None:
    assert to_text(expr) == str(expr) == repr(expr) == text
    assert to_latex(expr) == latex
    assert expr._repr_latex_() == f"${latex}$"


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("theta1", r"\theta_{1}"),
        ("x_dot", r"\dot{x}"),
        ("omega_max", r"\omega_{\mathrm{max}}"),
        ("lam2", r"\lambda_{2}"),
        ("arm.theta", r"\mathrm{arm}_{\theta}"),
        ("mass", r"\mathrm{mass}"),
        ("a%b", r"\mathrm{a\%b}"),
        ("12", "12"),
    ],
)
def test_names_in_latex(name: str, latex: str) -> None:
    assert to_latex(symbol(name)) == latex


def test_names_with_numbers_are_sorted_as_numbers() -> None:
    assert str(symbol("x10") + symbol("x9") + symbol("x2")) == "x2 + x9 + x10"


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ExpressionError, match=r"arrays of different shapes in x \+ y"):
        evaluate(x + y, {x: np.ones(2), y: np.ones(3)})


def test_the_slopes_of_a_long_sum_times_a_factor_are_those_found_one_by_one():
    q = [symbol(f"q{i}", kind="coordinate") for i in range(5)]
    g = symbol("g")
    expr = (
        x
        - (q[0] * q[2] + q[1])
        + g * (q[0] * q[1] + q[2] ** 2 + 3 * q[3])
        + q[4] * q[0]
        + g * q[1] * (q[1] + q[2]) ** 2
    )
    assert derivatives(expr, q) == tuple(differentiate(expr, s) for s in q)


def test_gradients_from_the_whole_to_its_parts_are_those_from_the_parts_to_the_whole():
    q = [symbol(f"q{i}", kind="coordinate") for i in range(4)]
    s = sin(q[0] * q[1]) + q[2] ** 2 / (1 + q[3] ** 2)
    laws = [
        s**2 * q[0] ** q[1] + sy.log(q[2] * q[3]) - s * sy.atan2(q[1], s),
        sy.exp(s) * sqrt(q[0] + s) + sy.abs(q[3] - q[2]) + 3 * q[1],
        sy.max(q[0], q[1] * s) + select(sy.less(q[2], 0), sqrt(-q[2]), q[3] * s),
        q[2],
        Number(2),
    ]
    at = {f"q{i}": value for i, value in enumerate((0.7, 1.3, 0.4, 0.9))}
    for law in laws:
        found, wanted = (sy.evaluate_all(way(law, q), at) for way in (sy.gradient, derivatives))
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)
