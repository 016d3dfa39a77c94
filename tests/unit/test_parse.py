"""The parser of expressions: Python's precedence, exact numbers, bounded time and memory."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.errors import ExpressionError
from linkwork.symbolic import Number, evaluate, symbol, to_text
from linkwork.symbolic.parse import MAX_DEPTH, MAX_LENGTH, parse

X = {"x": symbol("x"), "y": symbol("y")}
AT = {"x": 0.7, "y": -1.3}

operands = st.sampled_from(["x", "y", "2", "0.5", ".25", "3e-1"])
formulas = st.recursive(
    operands,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " + ", " * "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("({})**2".format),
        inner.map("sin({})".format),
        st.tuples(inner, inner).map("max({0[0]}, {0[1]})".format),
    ),
    max_leaves=12,
)


@given(formulas)
def test_a_formula_means_what_it_means_in_python(text):
    expected = eval(text, {"sin": math.sin, "max": max, **AT})
    assert evaluate(parse(text, X), AT) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(formulas)
def test_printing_and_parsing_again_gives_the_same_expression(text):
    expr = parse(text, X)
    assert parse(to_text(expr), X) is expr


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2**2", -4),
        ("2**-1", Fraction(1, 2)),
        ("2**3**2", 512),
        ("(2**3)**2", 64),
        ("--3", 3),
        ("2*-3", -6),
        ("1-2-3", -4),
        ("8/4/2", 1),
        ("-x**2", -9),
        ("6/2*3", 9),
        ("select(x < 3, 1, 2)", 2),
        ("select(x <= 3, 1, 2)", 1),
        ("select(x > 3, 1, 2)", 2),
        ("select(x >= 3, 1, 2)", 1),
        ("max(1, 5, 2)", 5),
        ("sqrt(x**2 + 16)", 5),
    ],
)
def test_operators_bind_as_in_python(text, value):
    assert parse(text, {"x": Number(3)}).value == value


def test_decimals_are_exact():
    assert parse("0.1*10", {}).value == 1
    assert parse(".014", {}).value == Fraction(14, 1000)
    assert parse("28e-3", {}).value == Fraction(28, 1000)
    assert parse("2e03", {}).value == 2000
    assert parse("0", {}).value == parse("0.0", {}).value == 0
    assert parse("1.", {}).value == 1


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_literal_becomes_the_nearest_double(number):
    assert float(parse(repr(number), {})) == number


def test_a_long_literal_becomes_the_nearest_double():
    text = "-0.0617138900142764496358948458001"
    assert float(parse(text, {})) == float(text)


def test_a_name_without_a_table_of_names_is_a_parameter():
    assert parse("k*l") is symbol("k") * symbol("l")


def test_a_parameter_hides_pi_and_e_is_an_ordinary_name():
    assert float(parse("pi", {})) == math.pi
    assert parse("pi", {"pi": Number(3)}).value == 3
    assert parse("2*e", {"e": Number(5)}).value == 10


def test_a_parameter_may_have_the_name_of_a_function():
    assert parse("min*max(min, 2)", {"min": Number(7)}).value == 49


@pytest.mark.parametrize("text", ["(" * 10_000, "(" * 10_000 + "1" + ")" * 10_000, "sin(" * 3_000, "2**" * 3_000 + "2"])
def test_nesting_is_limited_by_an_error_rather_than_the_stack(text):
    with pytest.raises(ExpressionError):
        parse(text, {})


def test_nesting_up_to_the_limit_is_read():
    assert parse("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH, {}).value == 1


def test_signs_and_long_sums_do_not_count_as_nesting():
    assert parse("-" * 9_000 + "1", {}).value == 1
    assert parse("+".join(["1"] * 5_000), {}).value == 5_000


@pytest.mark.parametrize("text", ["9**9**9**9", "1e999999999", "1e-999999999", "(9*x)**9**9**9", "1" * 2_000])
def test_enormous_numbers_are_refused_at_once(text):
    with pytest.raises(ExpressionError):
        parse(text, X)


def test_zero_with_any_exponent_is_zero():
    assert parse("0e999999999", {}).value == 0


def test_a_text_over_the_limit_is_refused_unread():
    with pytest.raises(ExpressionError, match="10,001 characters"):
        parse("1" * (MAX_LENGTH + 1), {})


@given(st.text(alphabet="0123456789.eE+-*/()<>=,xy_ '\"[]^\\\n\té²", max_size=40))
def test_any_text_gives_an_expression_or_an_expression_error(text):
    try:
        parse(text, X)
    except ExpressionError as error:
        assert error.column is None or 0 <= error.column <= len(text)


# -- functions given by the caller -----------------------------------------------------------------------------------

CALLS = {"twice": lambda x: 2 * x, "join": lambda *xs: sum(xs, Number(0))}


@pytest.mark.parametrize(
    ("text", "value"), [("twice(3)", 6), ("1 + twice(twice(x))", 13), ("join(1, x, twice(x))", 10), ("twice (x)", 6)]
)
def test_given_functions_are_called_with_expressions(text, value):
    assert parse(text, {"x": Number(3)}, CALLS).value == value


def test_built_in_functions_come_first():
    assert parse("sqrt(9)", {}, {"sqrt": lambda x: Number(0)}).value == 3


def test_a_name_may_be_a_parameter_and_a_function():
    assert parse("twice*twice(2)", {"twice": Number(5)}, CALLS).value == 20


@pytest.mark.parametrize("names", [None, {}, {"x": Number(3)}])
def test_an_unknown_function_is_named_whatever_names_are_known(names):
    with pytest.raises(ExpressionError, match=r"unknown function 'twic'. Did you mean 'twice'\?"):
        parse("1 + twic(2)", names, CALLS)


def test_a_given_function_without_arguments_is_explained():
    with pytest.raises(ExpressionError, match=r"the function 'twice' has no argument. Write twice\(x\)"):
        parse("1 + twice", {}, CALLS)


def test_a_failing_function_is_reported_where_it_stands():
    def fail(x):
        raise ExpressionError("no", "Try yes")

    with pytest.raises(ExpressionError, match=r"no\. Try yes") as caught:
        parse("1 + fail(2)", {}, {"fail": fail})
    assert caught.value.column == 4


def test_dotted_names_are_names():
    assert parse("A.x + P12.vy", {"A.x": Number(1), "P12.vy": Number(2)}).value == 3
    with pytest.raises(ExpressionError, match=r"unknown name 'A\.y'"):
        parse("A.y", {})
