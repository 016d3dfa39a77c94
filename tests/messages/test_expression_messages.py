"""What a user reads when a formula is wrong."""

import pytest

from linkwork.errors import ExpressionError
from linkwork.symbolic import Number
from linkwork.symbolic.parse import parse

NAMES = {"x": Number(3), "length": Number(2)}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x^2", 1, "unexpected character '^'. Use ** for a power"),
        ("x²", 1, "unexpected character '²'. Use **2 for a square"),
        ("2x", 1, "an operator is missing before 'x'. Write *x for a product"),
        ("2020-01-01", 5, "the number 01 begins with a zero. Leave out the leading zeros; a date is no number"),
        ("x + 00.5", 4, "the number 00.5 begins with a zero. Leave out the leading zeros; a date is no number"),
        ("1_000", 1, "unexpected '_000' after a number. Write numbers without underscores"),
        ("lenght/2", 0, "unknown name 'lenght'. Did you mean 'length'?"),
        ("2*foo", 2, "unknown name 'foo'. Define a parameter with this name"),
        ("e", 0, "unknown name 'e'. Write exp(1) for Euler's number"),
        ("sine(x)", 0, "unknown function 'sine'. Did you mean 'sin'?"),
        ("sin x", 0, "the function 'sin' has no argument. Write sin(x)"),
        ("sin(x", 5, "')' is missing at the end. Close the parenthesis of sin(...)"),
        ("(x", 2, "')' is missing at the end. Close the parenthesis"),
        ("x)", 1, "')' has no '(' before it. Remove it or open the parenthesis"),
        ("x+", 2, "a number or a name is missing at the end. Complete the expression"),
        ("*x", 0, "a number or a name is missing before '*'. Complete the expression"),
        ("atan2(x)", 0, "atan2 takes two values, not 1"),
        ("sin(x, 2)", 0, "sin takes one value, not 2"),
        ("1 < x", 2, "unexpected '<'. Compare only inside select(condition, yes, no)"),
        ("select(x, 1, 2)", 8, "select needs a comparison first. Write select(x < 0, yes, no)"),
        ("select(x < 1, 2)", 15, "',' is missing before ')'. Write select(x < 0, yes, no)"),
        ("1,5", 1, "unexpected ','. Use a point in decimals; commas separate the values of a function"),
        ("", 0, "the expression is empty. Write a number or a formula"),
        ("nan", 0, "unknown name 'nan'. Use a finite number"),
        ("1e999", 0, "the number 1e999 is too large. Use numbers up to 1e308"),
        ("1e-999", 0, "the number 1e-999 is too small. Use 0 or at least 1e-307"),
        ("x.__class__", 1, "unexpected character '.'. Write a letter behind the dot of a name, as in A.x"),
        ("x if x else 1", 2, "an operator is missing before 'if'. Write *if for a product"),
        ("('os')", 1, 'unexpected character "\'". Use numbers, names, + - * / ** and parentheses'),
        ("(" * 100, 61, "more than 60 nested parentheses or powers. Split it into several parameters"),
    ],
)
def test_a_wrong_formula_is_explained_with_column_and_remedy(text, column, message):
    with pytest.raises(ExpressionError) as caught:
        parse(text, NAMES)
    assert str(caught.value) == message
    assert caught.value.column == column


@pytest.mark.parametrize("text", ["1/0", "x/(x-3)", "0**-1"])
def test_division_by_zero_is_named(text):
    with pytest.raises(ExpressionError, match="division by zero"):
        parse(text, NAMES)
