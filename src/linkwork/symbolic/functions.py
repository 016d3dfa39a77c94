"""The functions of scalar expressions and their rules: expressions or numbers in, a canonical expression out.

Floats are evaluated at once; exact arguments stay exact: sin(0) = 0, but sqrt(2) and sin(1) stay as they are.
Odd and even functions take their argument with a positive leading term: sin(b - a) = -sin(a - b).
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from linkwork.errors import ExpressionError, did_you_mean
from linkwork.symbolic import algebra
from linkwork.symbolic.curve import Curve
from linkwork.symbolic.exact import Value, magnitude, normalize
from linkwork.symbolic.order import sorted_entries
from linkwork.symbolic.scalar import (
    ONE,
    ZERO,
    Compare,
    Expr,
    ExprLike,
    Function,
    Lookup,
    Number,
    Select,
    as_expr,
    compare,
)

ODD: Final = frozenset({"sin", "tan", "asin", "atan", "tanh", "sign"})
EVEN: Final = frozenset({"cos", "abs"})
INVERSE: Final = {
    "sin": "asin",
    "cos": "acos",
    "tan": "atan",
    "exp": "log",
    "log": "exp",
}  # f(inverse(x)) = x
EXACT: Final[dict[tuple[str, Value], Expr]] = {
    ("sin", 0): ZERO,
    ("cos", 0): ONE,
    ("tan", 0): ZERO,
    ("asin", 0): ZERO,
    ("acos", 1): ZERO,
    ("atan", 0): ZERO,
    ("exp", 0): ONE,
    ("log", 1): ZERO,
    ("tanh", 0): ZERO,
}
NUMERIC: Final[dict[str, Callable[..., float]]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "abs": builtins.abs,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "min": builtins.min,
    "max": builtins.max,
}


def sin(x: ExprLike) -> Expr:
    """Sine of an angle in radians."""
    return _unary("sin", as_expr(x))


def cos(x: ExprLike) -> Expr:
    """Cosine of an angle in radians."""
    return _unary("cos", as_expr(x))


def tan(x: ExprLike) -> Expr:
    """Tangent of an angle in radians."""
    return _unary("tan", as_expr(x))


def asin(x: ExprLike) -> Expr:
    """The angle in [-π/2, π/2] whose sine is x."""
    return _unary("asin", as_expr(x))


def acos(x: ExprLike) -> Expr:
    """The angle in [0, π] whose cosine is x."""
    return _unary("acos", as_expr(x))


def atan(x: ExprLike) -> Expr:
    """The angle in (-π/2, π/2) whose tangent is x."""
    return _unary("atan", as_expr(x))


def exp(x: ExprLike) -> Expr:
    """e to the power x."""
    return _unary("exp", as_expr(x))


def log(x: ExprLike) -> Expr:
    """The natural logarithm of x > 0."""
    return _unary("log", as_expr(x))


def tanh(x: ExprLike) -> Expr:
    """The hyperbolic tangent, a smooth step from -1 to 1."""
    return _unary("tanh", as_expr(x))


def sqrt(x: ExprLike) -> Expr:
    """The square root, x ** (1/2).   sqrt(9/4) is 3/2; sqrt(2) stays; sqrt(x**2) is abs(x)."""
    return algebra.power(as_expr(x), Fraction(1, 2))


def abs(x: ExprLike) -> Expr:
    """|x|.   abs(-2*x) is 2*abs(x)."""
    arg = as_expr(x)
    if isinstance(arg, Number):
        return Number(magnitude(arg.value))
    coefficient, core = algebra.split_coefficient(arg)
    return algebra.scale(magnitude(coefficient), core if algebra.is_nonnegative(core) else Function("abs", (core,)))


def sign(x: ExprLike) -> Expr:
    """1, 0 or -1 as x is positive, zero or negative.   sign(-2*x) is -sign(x)."""
    arg = as_expr(x)
    if isinstance(arg, Number):
        return Number((arg.value > 0) - (arg.value < 0))
    coefficient, core = algebra.split_coefficient(arg)
    is_sign = isinstance(core, Function) and core.name == "sign"
    return algebra.scale(-1 if coefficient < 0 else 1, core if is_sign else Function("sign", (core,)))


def atan2(y: ExprLike, x: ExprLike) -> Expr:
    """The angle in (-π, π] of the point (x, y) seen from the origin; a positive number in both is left out."""
    above, along = _without_factor(as_expr(y), as_expr(x))
    if above is ZERO and isinstance(along, Number) and along.value > 0:
        return ZERO
    known = _float_value("atan2", (above, along))
    return Function("atan2", (above, along)) if known is None else known


def _without_factor(y: Expr, x: Expr) -> tuple[Expr, Expr]:
    """Both divided by the exact positive number that they have in common: 2 y, 4 x -> y, 2 x."""
    if isinstance(y, Number) or isinstance(x, Number):
        return y, x
    values = [algebra.split_coefficient(e)[0] for e in (y, x)]
    if any(isinstance(value, float) for value in values):
        return y, x
    exact = [Fraction(value) for value in values]
    common = Fraction(math.gcd(*(e.numerator for e in exact)), math.lcm(*(e.denominator for e in exact)))
    factor = normalize(1 / common)
    return algebra.scale(factor, y), algebra.scale(factor, x)


def min(a: ExprLike, b: ExprLike, *more: ExprLike) -> Expr:
    """The least of its arguments."""
    return _extreme("min", as_expr(a), as_expr(b), more)


def max(a: ExprLike, b: ExprLike, *more: ExprLike) -> Expr:
    """The greatest of its arguments."""
    return _extreme("max", as_expr(a), as_expr(b), more)


def less(a: ExprLike, b: ExprLike) -> Compare:
    """The condition a < b."""
    return compare("<", a, b)


def less_equal(a: ExprLike, b: ExprLike) -> Compare:
    """The condition a <= b."""
    return compare("<=", a, b)


def select(condition: Compare | bool, then: ExprLike, otherwise: ExprLike) -> Expr:
    """`then` where the condition holds, else `otherwise`.   select(x < 0, -x, x) is |x|."""
    verdict = condition.verdict if isinstance(condition, Compare) else bool(condition)
    yes, no = as_expr(then), as_expr(otherwise)
    if verdict is not None:
        return yes if verdict else no
    assert isinstance(condition, Compare)
    return yes if yes is no else Select(condition, yes, no)


def lookup(curve: Curve, x: ExprLike, order: int = 0) -> Expr:
    """A curve, or its derivative of an order, at x."""
    arg = as_expr(x)
    if order > curve.degree:
        return ZERO
    if not isinstance(arg, Number):
        return Lookup(curve, order, arg)
    value = float(curve.value(float(arg), order))
    if not math.isfinite(value):
        raise ExpressionError(f"{curve.name}({arg}) has no finite real value")
    return Number(value)


FUNCTIONS: Final[dict[str, Callable[..., Expr]]] = {
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "asin": asin,
    "acos": acos,
    "atan": atan,
    "atan2": atan2,
    "exp": exp,
    "log": log,
    "abs": abs,
    "sign": sign,
    "min": min,
    "max": max,
    "tanh": tanh,
    "sqrt": sqrt,
}


def function(name: str, *args: ExprLike) -> Expr:
    """The function of this name applied to the arguments.   function("sin", x) is sin(x)."""
    if name not in FUNCTIONS:
        raise ExpressionError(f"there is no function '{name}'", did_you_mean(name, FUNCTIONS))
    return FUNCTIONS[name](*args)


def _unary(name: str, arg: Expr) -> Expr:
    if isinstance(arg, Number):
        known = EXACT.get((name, arg.value), _float_value(name, (arg,)))
        if known is not None:
            return known
    elif isinstance(arg, Function) and arg.name == INVERSE.get(name):
        return arg.args[0]
    if (name in ODD or name in EVEN) and algebra.is_negative(arg):
        return algebra.scale(-1 if name in ODD else 1, _unary(name, algebra.scale(-1, arg)))
    return Function(name, (arg,))


def _float_value(name: str, args: tuple[Expr, ...]) -> Expr | None:
    values = [arg.value for arg in args if isinstance(arg, Number)]
    if len(values) < len(args) or not any(isinstance(value, float) for value in values):
        return None
    try:
        return Number(NUMERIC[name](*map(float, values)))
    except (ValueError, OverflowError):
        text = ", ".join(map(str, values))
        raise ExpressionError(f"{name}({text}) has no finite real value") from None


def _extreme(name: str, a: Expr, b: Expr, more: tuple[ExprLike, ...]) -> Expr:
    if isinstance(a, Number) and isinstance(b, Number):
        result: Expr = Number(NUMERIC[name](a.value, b.value))
    elif a is b:
        result = a
    else:
        (first, _), (second, _) = sorted_entries([(a, 1), (b, 1)])
        result = Function(name, (first, second))
    for other in more:
        result = FUNCTIONS[name](result, other)
    return result


# NumPy applies a function to objects by calling their method of that name: np.sin(x), np.arctan2(y, x) give expressions
NUMPY: Final = {
    **{name: FUNCTIONS[name] for name in ("sin", "cos", "tan", "exp", "log", "tanh", "sqrt")},
    **{f"arc{name[1:]}": FUNCTIONS[name] for name in ("asin", "acos", "atan", "atan2")},
}
for _name, _function in NUMPY.items():
    setattr(Expr, _name, _function)
