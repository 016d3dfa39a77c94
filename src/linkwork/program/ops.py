"""The instruction set: for each operation its arity, its NumPy meaning and its partial derivatives.

A partial derivative is again a sequence of instructions, so one table serves forward and reverse mode. Knows nothing of
kernels, mechanisms or C.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.symbolic import Curve

if TYPE_CHECKING:
    from linkwork.program.builder import Builder

Partials = Callable[["Builder", int, tuple[int, ...], float], tuple[int | None, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """A function of numbers that nobody can look into; in texts it goes by its name.

    slopes  its derivatives by each argument, if they are known
    """

    name: str
    compute: Callable[..., float]
    slopes: tuple[External, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One operation. `fold` computes it on floats, `array` on arrays; `partials` gives ∂node/∂argument, None = 0."""

    name: str
    arity: int
    fold: Callable[..., float]
    array: Callable[..., Any]
    partials: Partials
    commutative: bool = False
    flops: int = 1


def _none(count: int) -> Partials:
    return lambda b, y, x, v: (None,) * count


def _pow_partial(b: Builder, y: int, x: tuple[int, ...], n: float) -> tuple[int | None, ...]:
    # d xⁿ = n xⁿ⁻¹ dx
    return (b.mul(b.constant(n), b.power(x[0], n - 1)),)


def _inverse_root(b: Builder, x: int) -> int:
    """(1 − x²)^(−1/2), the derivative of asin."""
    return b.power(b.sub(b.constant(1.0), b.mul(x, x)), -0.5)


def _atan2_partials(b: Builder, y: int, x: tuple[int, ...], v: float) -> tuple[int | None, ...]:
    # d atan2(s, c) = (c ds − s dc) / (s² + c²)
    s, c = x
    square = b.add(b.mul(s, s), b.mul(c, c))
    return b.div(c, square), b.neg(b.div(s, square))


def _pick(first_if_less: bool) -> Partials:
    """min and max pass the derivative of the argument they return."""

    def partials(b: Builder, y: int, x: tuple[int, ...], v: float) -> tuple[int | None, ...]:
        one, zero = b.constant(1.0), b.constant(0.0)
        is_first = b.emit("less_equal", x[0], x[1]) if first_if_less else b.emit("less_equal", x[1], x[0])
        return b.emit("select", is_first, one, zero), b.emit("select", is_first, zero, one)

    return partials


def _curve_partials(b: Builder, y: int, x: tuple[int, ...], order: float) -> tuple[int | None, ...]:
    """The next derivative of the curve; there is none beyond its degree."""
    curve = b.nodes[y].curve
    assert curve is not None
    return None, b.emit("curve", *x, value=order + 1, curve=curve) if order < curve.degree else None


def _curve_value(_: Any, x: Any, order: float, curve: Curve) -> Any:
    return curve.value(x, int(order))


def _curve_side(_: Any, x: Any, order: float, curve: Curve) -> Any:
    return curve.side(x)


def _call_value(*given: Any) -> Any:
    *values, function = given
    return np.vectorize(function.compute, otypes=[float])(*values)


def _call_partials(b: Builder, y: int, x: tuple[int, ...], v: float) -> tuple[int | None, ...]:
    function = b.nodes[y].function
    assert function is not None
    if not function.slopes:
        raise LinkworkError(f"the slope of '{function.name}' is needed, which nobody can look into")
    return tuple(b.call(slope, x) for slope in function.slopes)


def _less_array(a: Any, b: Any) -> Any:
    return np.less(a, b) + 0.0


def _less_equal_array(a: Any, b: Any) -> Any:
    return np.less_equal(a, b) + 0.0


def _sign(x: float) -> float:
    return math.copysign(1.0, x) if x else 0.0


def _op(name: str, arity: int, fold: Callable[..., float], array: Any, partials: Partials, **more: Any) -> Op:
    return Op(name=name, arity=arity, fold=fold, array=array, partials=partials, **more)


_TABLE = [
    _op("add", 2, lambda a, b: a + b, np.add, lambda b, y, x, v: (b.one, b.one), commutative=True),
    _op("sub", 2, lambda a, b: a - b, np.subtract, lambda b, y, x, v: (b.one, b.constant(-1.0))),
    _op("mul", 2, lambda a, b: a * b, np.multiply, lambda b, y, x, v: (x[1], x[0]), commutative=True),
    _op("neg", 1, lambda a: -a, np.negative, lambda b, y, x, v: (b.constant(-1.0),), flops=0),
    _op("div", 2, lambda a, b: a / b, np.divide,
        lambda b, y, x, v: (b.div(b.one, x[1]), b.neg(b.div(y, x[1])))),
    _op("sqrt", 1, math.sqrt, np.sqrt, lambda b, y, x, v: (b.div(b.constant(0.5), y),)),
    _op("pow", 1, lambda a, v: a**v, np.power, _pow_partial),
    _op("exp", 1, math.exp, np.exp, lambda b, y, x, v: (y,)),
    _op("log", 1, math.log, np.log, lambda b, y, x, v: (b.div(b.one, x[0]),)),
    _op("sin", 1, math.sin, np.sin, lambda b, y, x, v: (b.emit("cos", x[0]),)),
    _op("cos", 1, math.cos, np.cos, lambda b, y, x, v: (b.neg(b.emit("sin", x[0])),)),
    _op("tan", 1, math.tan, np.tan, lambda b, y, x, v: (b.add(b.one, b.mul(y, y)),)),
    _op("asin", 1, math.asin, np.arcsin, lambda b, y, x, v: (_inverse_root(b, x[0]),)),
    _op("acos", 1, math.acos, np.arccos, lambda b, y, x, v: (b.neg(_inverse_root(b, x[0])),)),
    _op("atan", 1, math.atan, np.arctan,
        lambda b, y, x, v: (b.div(b.one, b.add(b.one, b.mul(x[0], x[0]))),)),
    _op("atan2", 2, math.atan2, np.arctan2, _atan2_partials),
    _op("tanh", 1, math.tanh, np.tanh, lambda b, y, x, v: (b.sub(b.one, b.mul(y, y)),)),
    _op("abs", 1, abs, np.abs, lambda b, y, x, v: (b.emit("sign", x[0]),)),
    _op("sign", 1, _sign, np.sign, _none(1)),
    _op("min", 2, min, np.minimum, _pick(True)),
    _op("max", 2, max, np.maximum, _pick(False)),
    _op("less", 2, lambda a, b: float(a < b), _less_array, _none(2)),
    _op("less_equal", 2, lambda a, b: float(a <= b), _less_equal_array, _none(2)),
    _op("curve", 2, _curve_value, _curve_value, _curve_partials, flops=6),
    _op("side", 2, _curve_side, _curve_side, _none(2)),
    _op("call", 0, _call_value, _call_value, _call_partials, flops=10),
    _op("select", 3, lambda c, a, b: a if c else b, np.where,
        lambda b, y, x, v: (None, b.emit("select", x[0], b.one, b.zero), b.emit("select", x[0], b.zero, b.one))),
]  # fmt: skip

OPS: dict[str, Op] = {op.name: op for op in _TABLE}

LEAVES = ("constant", "input")
