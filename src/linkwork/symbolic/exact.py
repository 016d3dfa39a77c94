"""Arithmetic of the numbers inside expressions: ints, Fractions and floats in, the same out, normalised.

Exact numbers stay exact up to EXACT_BITS bits. Knows nothing of expressions.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from numbers import Rational, Real
from typing import Final, TypeAlias

from linkwork.errors import ExpressionError, show_value

Value: TypeAlias = int | Fraction | float

EXACT_BITS: Final = 4096  # larger integers become floats, so that no input can fill the memory with digits
MODEST_BITS: Final = 64  # numbers within 2**±64 hardly change the range of what they multiply
WHOLE: Final = 8  # powers beyond this are not taken apart
PIECE_BITS: Final = 500
LARGEST_EXPONENT: Final = 2**31
SIMPLE_DENOMINATOR: Final = 8  # a float exponent such as 0.5 or 0.75 is taken to be the exact fraction
TINY: Final = 2.0**-1022  # smaller floats have fewer digits
MASK: Final = (1 << 128) - 1


def normalize(value: object) -> Value:
    """The one form of a number: Fraction(4, 2) -> 2; the floats 0, 1, -1 become exact. Refuses NaN and infinity."""
    if type(value) is int:
        return value if value.bit_length() <= EXACT_BITS else _as_float(value)
    if isinstance(value, float):
        return _normalize_float(float(value))
    if type(value) is Fraction or isinstance(value, Rational):
        fraction = value if type(value) is Fraction else Fraction(int(value.numerator), int(value.denominator))
        above, below = fraction.as_integer_ratio()
        if below == 1:
            return normalize(above)
        is_small = above.bit_length() <= EXACT_BITS and below.bit_length() <= EXACT_BITS
        return fraction if is_small else _as_float(fraction)
    if isinstance(value, Real):
        return _normalize_float(float(value))
    raise ExpressionError(f"{show_value(value)} is not a number", "Use an int, a Fraction or a float")


def _normalize_float(value: float) -> Value:
    if not math.isfinite(value):
        raise ExpressionError(f"the number {value} cannot be part of an expression", "Use a finite number")
    return int(value) if value in (0.0, 1.0, -1.0) else value


def _as_float(value: Value) -> Value:
    result = as_float(value)
    if result == 0.0 and value != 0:
        raise ExpressionError("a number in the expression is too small (below 1e-307)", "Use 0 or a larger number")
    return _normalize_float(result)


def as_float(value: Value) -> float:
    """The float nearest to a number; what is beyond the range of floats is an error in words."""
    try:
        return float(value)
    except OverflowError:
        raise ExpressionError("a number in the expression is too large (beyond 1e308)", "Use smaller numbers") from None


def is_modest(value: Value) -> bool:
    """Whether a number other than zero is within 2**±MODEST_BITS."""
    if isinstance(value, float):
        return 2.0**-MODEST_BITS < abs(value) < 2.0**MODEST_BITS
    return abs(value.numerator.bit_length() - value.denominator.bit_length()) < MODEST_BITS


def log2(value: Value) -> float:
    """The logarithm of |value| to the base 2, of exact numbers of any size."""
    if isinstance(value, float):
        return math.log2(abs(value))
    return math.log2(abs(value.numerator)) - math.log2(value.denominator)


def in_pieces(value: Value) -> list[float]:
    """Floats whose product is the number, each within the range of floats even where the number is not."""
    count = round(log2(value) / PIECE_BITS) if value != 0 else 0
    if isinstance(value, float) or count == 0:
        return [float(value)]
    sign = 1 if count > 0 else -1
    rest = value / Fraction(2) ** (count * PIECE_BITS)
    return [*in_pieces(rest), *abs(count) * [2.0 ** (sign * PIECE_BITS)]]


def balance(coefficient: Value, size: int) -> tuple[Value, int]:
    """(c, k) with coefficient = c * 2**(k*size), c as close to 1 as a whole k of moderate size allows; size > 0."""
    k = max(-PIECE_BITS, min(PIECE_BITS, round(log2(coefficient) / size)))
    return times(coefficient, Fraction(2) ** (-k * size)), k


def share(exponents: list[Value]) -> tuple[int, list[int]]:
    """(n, k) with exponents = n*k + what is left, where whole powers beyond WHOLE stand above and below a fraction.

    x**200/y**200 is (x/y)**200: the powers may be beyond the range of floats though their quotient is not.
    """
    high = [e for e in exponents if (e > WHOLE or e < -WHOLE) and isinstance(e, int)]
    if not high or min(high) > 0 or max(high) < 0:
        return 1, []
    n = min(map(abs, high))
    return n, [(1 if e > 0 else -1) * (abs(e) // n) if isinstance(e, int) else 0 for e in exponents]


def plus(a: Value, b: Value) -> Value:
    """a + b, exact when both are."""
    # a Fraction is no whole number: what is compared is quick to compare
    if type(a) is not Fraction and a == 0:
        return b
    if type(b) is not Fraction and b == 0:
        return a
    if type(a) is int and type(b) is int:
        return normalize(a + b)
    try:
        total = a + b
    except OverflowError:  # a float and an integer beyond its range
        total = math.inf
    # what is beyond the range of floats is kept exactly
    is_lost = isinstance(total, float) and math.isinf(total)
    return normalize(Fraction(a) + Fraction(b) if is_lost else total)


def times(a: Value, b: Value) -> Value:
    """a * b, exact when both are."""
    if type(a) is not Fraction and a == 1:
        return b
    if type(b) is not Fraction and b == 1:
        return a
    if type(a) is int and a == -1:
        return -b
    if type(a) is not float and type(b) is not float:
        return normalize(a * b)
    try:
        product = a * b
    except OverflowError:
        product = math.inf
    is_lost = isinstance(product, float) and a != 0 and b != 0 and not TINY < abs(product) < math.inf
    # what is beyond the range of floats is kept exactly
    return normalize(Fraction(a) * Fraction(b) if is_lost else product)


def magnitude(value: Value) -> Value:
    """|value|."""
    return -value if value < 0 else value


def exponent_of(value: Value) -> Value:
    """The value as an exponent: whole floats and simple fractions become exact, 2.0 -> 2 and 0.5 -> 1/2."""
    if magnitude(value) > LARGEST_EXPONENT:
        raise ExpressionError("an exponent is too large", "Use exponents up to 1e9")
    if isinstance(value, float):
        fraction = Fraction(value)
        if fraction.denominator <= SIMPLE_DENOMINATOR:
            return normalize(fraction)
    return value


def integer_power(base: Value, exponent: int) -> Value:
    """base ** exponent for a whole exponent; exact when base is, unless the result would be enormous."""
    if base == 0 and exponent < 0:
        raise ExpressionError("division by zero")
    if isinstance(base, float):
        return float_power(base, exponent)
    if exponent == -1:
        above, below = base.as_integer_ratio()
        return base if abs(above) == below == 1 else normalize(Fraction(below, above))
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * (bits - 1) > EXACT_BITS and abs(base) != 1:
        return float_power(base, exponent)
    return normalize(Fraction(base) ** exponent)


def float_power(base: Value, exponent: Value) -> Value:
    """base ** exponent in floating point, refusing what is not a finite real number."""
    try:
        result = float(base) ** float(exponent)
    except ZeroDivisionError:
        raise ExpressionError("division by zero") from None
    except OverflowError:
        raise ExpressionError(f"{base}**{exponent} is too large") from None
    if isinstance(result, complex):
        raise ExpressionError(f"({base})**({exponent}) has no real value")
    return normalize(result)


def integer_root(value: int, degree: int) -> int | None:
    """The whole number r with r ** degree == value, or None.   value >= 0.   integer_root(27, 3) == 3."""
    if degree == 2:
        root = math.isqrt(value)
    elif value.bit_length() < degree:
        root = min(value, 1)
    else:
        root = _floor_root(value, degree)
    return root if root**degree == value else None


def _floor_root(value: int, degree: int) -> int:
    # bisection on integers: exact for any size
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return low


def digest(text: str) -> int:
    """A 128-bit number that depends on the text alone, on every machine and in every run."""
    return int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little")


def blend(a: int, b: int) -> int:
    """One 128-bit number for two, each bit depending on all bits of both; blend(a, b) != blend(b, a)."""
    # multiply and fold the upper half onto the lower, twice: the finaliser of MurmurHash, for 128 bits
    h = (a * _ODD_1 + b) & MASK
    h = (h ^ h >> 64) * _ODD_2 & MASK
    h = (h ^ h >> 59) * _ODD_1 & MASK
    return h ^ h >> 64


_ODD_1: Final = digest("first multiplier") | 1
_ODD_2: Final = digest("second multiplier") | 1


def value_digest(value: Value) -> int:
    """A 128-bit odd number for a number, 1 for 1; ints, Fractions and floats of equal value differ."""
    return _ratio_digest(*value.as_integer_ratio()) if type(value) is Fraction else _value_digest(value)


@lru_cache(maxsize=1 << 14, typed=True)
def _value_digest(value: Value) -> int:
    return 1 if type(value) is int and value == 1 else digest(f"{type(value).__name__} {value!r}") | 1


@lru_cache(maxsize=1 << 14)
def _ratio_digest(above: int, below: int) -> int:
    return digest(f"Fraction {Fraction(above, below)!r}") | 1
