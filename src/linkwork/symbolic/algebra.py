"""The rules of + * ** : canonical expressions in, a canonical expression out.

Sums are flat with like terms combined; products are flat with like bases combined; the numeric coefficient of
a product lives in the sum around it. Each rule holds for real numbers wherever the left side has a value:

    x**a * x**b = x**(a + b)        may remove a hole at x = 0 (x/x = 1) or for x < 0 (sqrt(x)*sqrt(x) = x)
    (x**a)**b   = x**(a*b)          for whole b, or where x >= 0 is needed on both sides
    (x**2)**b   = abs(x)**(2*b)     so sqrt(x**2) = abs(x), never x
    (x*y)**b    = x**b * y**b       for whole b, or where all factors are known to be non-negative

Nothing is expanded. A coefficient is distributed over at most SMALL terms and an exponent over at most SMALL
factors, so that building stays linear; for a larger sum s, (s + x) - s is left as it is. Numbers and factors stay in
the base of a power beyond WHOLE, where taking them apart could leave the range of floats: (x/10 + 1)**400 stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import floor, gcd, lcm
from typing import Final

from linkwork.errors import ExpressionError
from linkwork.symbolic.bag import EMPTY, LEAF, Bag
from linkwork.symbolic.exact import (
    MASK,
    MODEST_BITS,
    WHOLE,
    Value,
    balance,
    exponent_of,
    float_power,
    integer_power,
    integer_root,
    log2,
    magnitude,
    plus,
    times,
    value_digest,
)
from linkwork.symbolic.scalar import ONE, ZERO, Expr, Function, Number, Power, Product, Sum, Symbol, as_expr

PLAIN: Final = {Symbol, Product, Function}  # neither sums nor numbers
SMALL: Final = 16
SIMPLE: Final = 1000  # a sum is divided by what its coefficients share if they come out no larger than this


# ---- sums ----------------------------------------------------------------------------------------


def add(*terms: Expr) -> Expr:
    """a + b + ..., flat, with like terms combined.   add(x, y, x) is 2*x + y."""
    if len(terms) != 2:
        return _add_many(terms) if len(terms) != 1 else terms[0]
    a, b = terms
    if a is ZERO or b is ZERO:
        return b if a is ZERO else a
    if a is not b and type(a) in PLAIN and type(b) in PLAIN:
        return Sum(0, Bag({a: 1, b: 1}, 2, a.key + b.key & MASK))
    if (a.bag.size if type(a) is Sum else 1) + (b.bag.size if type(b) is Sum else 1) <= LEAF:
        return _add_scaled(((1, a), (1, b)))
    if type(a) is not Sum or (type(b) is Sum and a.bag.size < b.bag.size):
        a, b = b, a
    constant, bag = _as_sum(a)
    if type(b) is Sum:
        # the smaller sum goes into the larger
        constant = plus(constant, b.constant)
        for term, coefficient in b.bag.items():
            constant, bag = _join_term(constant, bag, term, coefficient)
    elif type(b) is Number:
        constant = plus(constant, b.value)
    else:
        constant, bag = _join_term(constant, bag, b, 1)
    return make_sum(constant, bag)


def _add_many(terms: Iterable[Expr]) -> Expr:
    return _add_scaled([(1, term) for term in terms if term is not ZERO])


def _add_scaled(terms: Sequence[tuple[Value, Expr]]) -> Expr:
    """Σ coefficient * term."""
    constant: Value = 0
    entries: dict[Expr, Value] = {}
    count = digest = 0
    for factor, expr in terms:
        if type(expr) in PLAIN:
            entries[expr] = factor
            count, digest = count + 1, digest + expr.key * value_digest(factor)
            continue
        k, bag = _scaled(factor, expr)
        constant = plus(constant, k)
        if type(bag.root) is dict:
            entries.update(bag.root)
        count, digest = count + bag.size, digest + bag.digest
    if len(entries) != count or count > LEAF:
        return _add_alike(terms)
    return make_sum(constant, Bag(entries, count, digest & MASK))


def _add_alike(terms: Iterable[tuple[Value, Expr]]) -> Expr:
    """The same where terms are many or alike."""
    constant: Value = 0
    entries: dict[Expr, Value] = {}
    count = 0
    for factor, expr in terms:
        k, bag = _scaled(factor, expr)
        constant = plus(constant, k)
        for term, coefficient in bag.items():
            known = entries.setdefault(term, coefficient)
            if len(entries) > count:
                count += 1
            else:
                entries[term] = plus(known, coefficient)
    entries = {term: value for term, value in entries.items() if type(value) is Fraction or value != 0}
    # a sum whose coefficient has become 1 is no longer to be kept whole
    nested = [term for term, value in entries.items() if type(term) is Sum and value == 1]
    for term in nested:
        del entries[term]
    return reduce(add, nested, make_sum(constant, Bag.of(entries)))


def _scaled(factor: Value, expr: Expr) -> tuple[Value, Bag]:
    """The constant and the terms of factor * expr."""
    if type(factor) is int and factor == 1:
        return (expr.constant, expr.bag) if type(expr) is Sum else _as_sum(expr)
    if type(expr) is Sum and expr.bag.size <= SMALL:
        products = {term: times(factor, coefficient) for term, coefficient in expr.bag.items()}
        if not _unfolds(products.items()):
            return times(factor, expr.constant), Bag.of(products)
    return _as_sum(scale(factor, expr))


def _unfolds(products: Iterable[tuple[Expr, Value]]) -> bool:
    """Whether a sum among the terms has the coefficient 1, so that it is no longer to be kept whole."""
    return any(value == 1 for term, value in products if type(term) is Sum)


def _as_sum(expr: Expr) -> tuple[Value, Bag]:
    if type(expr) is Sum:
        return expr.constant, expr.bag
    if type(expr) is Number:
        return expr.value, EMPTY
    return 0, Bag({expr: 1}, 1, expr.key)


def _join_term(constant: Value, bag: Bag, term: Expr, coefficient: Value) -> tuple[Value, Bag]:
    more = bag.with_new(term, coefficient)
    if more is not None:
        return constant, more
    old = bag.value(term)
    total = plus(old, coefficient)
    if total == 1 and type(term) is Sum:
        # a sum inside a sum is no longer to be kept whole: flatten, the smaller into the larger
        return _as_sum(add(make_sum(constant, bag.with_value(term, old, 0)), term))
    return constant, bag.with_value(term, old, total)


def make_sum(constant: Value, bag: Bag) -> Expr:
    """The simplest node for constant + bag, whose entries are already in order."""
    if bag.size == 0:
        return Number(constant)
    if bag.size == 1 and constant == 0:
        term, coefficient = bag.single()
        if coefficient == 1:
            return term
    return Sum(constant, bag)


def scale(factor: Value, expr: Expr) -> Expr:
    """factor * expr, distributed over a sum of at most SMALL terms."""
    if type(factor) is Fraction and factor.denominator == 1:
        factor = factor.numerator
    is_whole = type(factor) is not Fraction
    if is_whole and factor == 1:
        return expr
    if type(expr) is Number:
        return Number(times(factor, expr.value))
    if is_whole and factor == 0:
        return ZERO
    if type(expr) is not Sum or expr.bag.size > SMALL:
        return Sum(0, Bag({expr: factor}, 1, expr.key * value_digest(factor) & MASK))
    constant = times(factor, expr.constant)
    products = {term: times(factor, coefficient) for term, coefficient in expr.bag.items()}
    if _unfolds(products.items()):
        return _add_many([Number(constant), *(scale(value, term) for term, value in products.items())])
    return make_sum(constant, Bag.of(products))


# ---- products ------------------------------------------------------------------------------------


def multiply(*factors: Expr) -> Expr:
    """a * b * ..., flat, with like bases combined, coefficient outside.   multiply(x, y, x) is x**2*y."""
    if len(factors) != 2:
        return reduce(multiply, factors, as_expr(1))
    a, b = factors
    if a is ONE or b is ONE:
        return b if a is ONE else a
    return scale(*_join(a, b))


def add_products(products: Sequence[tuple[Expr, Expr, Expr]]) -> Expr:
    """Σ a*b*c, as products and their sum would be, but for what is made on the way."""
    if len(products) != 1:
        return _add_scaled([_join_three(a, b, c) for a, b, c in products])
    a, b, c = products[0]
    return scale(*_join_three(a, b, c)) if b is not ONE or c is not ONE else a


def _join_three(a: Expr, b: Expr, c: Expr) -> tuple[Value, Expr]:
    if a is ONE or b is ONE:
        return _join(b if a is ONE else a, c)
    coefficient, core = _join(a, b)
    if c is ONE:
        return coefficient, core
    if type(c) is Number:
        return times(coefficient, c.value), core
    if type(core) not in PLAIN:
        return _join(scale(coefficient, core), c)
    more, core = _join(core, c)
    return times(coefficient, more), core


def _join(a: Expr, b: Expr) -> tuple[Value, Expr]:
    """(k, e) with a * b = k * e."""
    if type(a) is Number:
        return a.value, b
    if type(b) is Number:
        return b.value, a
    coefficient: Value = 1
    if type(a) is Sum:
        coefficient, a = split_coefficient(a)
    if type(b) is Sum:
        c_b, b = split_coefficient(b)
        coefficient = times(coefficient, c_b)
    if type(a) is not Product:
        if type(b) is not Product and a is not b:
            return coefficient, Product(Bag({a: 1, b: 1}, 2, a.key + b.key & MASK))
        a, b = b, a
    extra, bag = _join_bags(_as_product(a), b.bag) if type(b) is Product else _join_factor(_as_product(a), b, 1)
    return times(coefficient, extra), make_product(bag)


def divide(a: Expr, b: Expr) -> Expr:
    """a / b."""
    return multiply(a, power(b, -1))


def split_coefficient(expr: Expr) -> tuple[Value, Expr]:
    """(c, e) with expr = c * e, where e has no coefficient.   -3*x -> (-3, x);   2*y - 4*x -> (-2, 2*x - y).

    A sum is divided by the content of its coefficients, so that they are small whole numbers without a common
    divisor and the leading one is positive; where they would not be small, and in sums of more than SMALL terms,
    they are left alone, but for the sign.
    """
    if type(expr) is Sum:
        if expr.bag.size == 1 and expr.constant == 0:
            term, coefficient = expr.bag.single()
            return coefficient, term
        content, core = expr.split or _split(expr)
        return content, core if core is not None else expr
    if type(expr) is Number:
        return expr.value, ONE
    return 1, expr


def _split(expr: Sum) -> tuple[Value, Expr | None]:
    """The content of a sum and what is left, None if that is the sum itself; it remembers."""
    sign, (divisor, denominator) = -1 if is_negative(expr) else 1, _content(expr)
    found: tuple[Value, Expr | None] = sign, None
    if divisor != denominator:
        found = _divided(expr, sign * divisor, denominator)
    elif sign < 0:
        found = sign, scale(-1, expr)
    object.__setattr__(expr, "split", found)
    return found


def _divided(expr: Sum, divisor: int, denominator: int) -> tuple[Value, Expr]:
    """divisor/denominator and expr * denominator/divisor, which has whole coefficients."""
    content = Fraction(divisor, denominator) if denominator != 1 else divisor
    left: dict[Expr, Value] = {}
    for term, value in expr.bag.items():
        above, below = value.as_integer_ratio()
        left[term] = above * denominator // (below * divisor)
    if _unfolds(left.items()):
        return content, scale(integer_power(content, -1), expr)
    above, below = expr.constant.as_integer_ratio()
    return content, make_sum(above * denominator // (below * divisor), Bag.of(left))


def _content(expr: Sum) -> tuple[int, int]:
    """The largest divisor/denominator by which the coefficients of a sum are small whole numbers, or 1/1."""
    if expr.bag.size > SMALL:
        return 1, 1
    values = [value for _, value in expr.bag.items()]
    if type(expr.constant) is not int or expr.constant != 0:
        values.append(expr.constant)
    if float in map(type, values):
        return 1, 1
    pairs = [value.as_integer_ratio() for value in values]
    divisor, denominator = gcd(*[above for above, _ in pairs]), lcm(*[below for _, below in pairs])
    # 0.12345678 + x is not 1e-8*(12345678 + 100000000*x), whose powers would be out of range
    largest = SIMPLE * divisor
    for above, below in pairs:
        if not -largest * below <= above * denominator <= largest * below:
            return 1, 1
    return divisor, denominator


def spread(coefficient: Value, term: Expr) -> tuple[Value, list[tuple[Expr, Value, float]]]:
    """(c, [(base, exponent, s), ...]) with coefficient * term = c * Π (s*base)**exponent, s powers of two.

    Where many small factors were taken out of a product, as 1e-300 out of Π (x_i + 0.1), the product of what is left
    may be beyond the range of floats though the whole is not; this gives them back, in equal shares.
    """
    factors = term.factors if type(term) is Product else ((term, 1),)
    size = sum(abs(exponent) for _, exponent in factors if isinstance(exponent, int))
    rest, k = balance(coefficient, size) if size else (coefficient, 0)
    shares = [k * ((exponent > 0) - (exponent < 0)) * isinstance(exponent, int) for _, exponent in factors]
    return rest, [(base, exponent, 2.0**share) for (base, exponent), share in zip(factors, shares, strict=True)]


def is_negative(expr: Expr) -> bool:
    """Whether the expression is written with a leading minus; for a sum of more than SMALL terms, never.

    The leading part of a sum is its constant, or else its first term: 1 - x and x - y are not negative.
    """
    if isinstance(expr, Number):
        return expr.value < 0
    if not isinstance(expr, Sum) or expr.bag.size > SMALL:
        return False
    if expr.constant != 0:
        return expr.constant < 0
    signs = {_is_below(coefficient) for _, coefficient in expr.bag.items()}
    return signs == {True} or (True in signs and expr.terms[0][0] < 0)


def _is_below(value: Value) -> bool:
    """Whether a number is negative."""
    return value < 0 if type(value) is not Fraction else value.as_integer_ratio()[0] < 0


def _as_product(core: Expr) -> Bag:
    if type(core) is Product:
        return core.bag
    return Bag({core: 1}, 1, core.key) if core is not ONE else EMPTY


def _join_bags(large: Bag, small: Bag) -> tuple[Value, Bag]:
    if large.size < small.size:
        large, small = small, large
    coefficient: Value = 1
    for base, exponent in small.items():
        extra, large = _join_factor(large, base, exponent)
        coefficient = times(coefficient, extra)
    return coefficient, large


def _join_factor(bag: Bag, base: Expr, exponent: Value) -> tuple[Value, Bag]:
    more = bag.with_new(base, exponent)
    if more is not None:
        return 1, more
    old = bag.value(base)
    total = exponent_of(plus(old, exponent))
    if total == 0 or _is_settled(base):
        return 1, bag.with_value(base, old, total)
    # sqrt(2)*sqrt(2), abs(x)*abs(x), sqrt(x*y)*sqrt(x*y): what comes out is of another form
    coefficient, core = split_coefficient(power(base, total))
    if core is base or (isinstance(core, Product) and core.bag.value(base) == total):
        return coefficient, bag.with_value(base, old, total)
    extra, bag = _join_bags(bag.with_value(base, old, 0), _as_product(core))
    return times(coefficient, extra), bag


def _is_settled(base: Expr) -> bool:
    """Whether base ** e is in canonical form for every number e other than 0."""
    if isinstance(base, Number | Product):
        return False
    if isinstance(base, Sum):
        return base.bag.size > 1 or base.constant != 0
    return not (isinstance(base, Function) and base.name == "abs")


def make_product(bag: Bag) -> Expr:
    """The simplest node for a bag of factors, which are already in order."""
    if bag.size == 0:
        return ONE
    if bag.size == 1:
        base, exponent = bag.single()
        if exponent == 1:
            return base
    return Product(bag)


# ---- powers --------------------------------------------------------------------------------------


def power(base: Expr, exponent: Expr | Value) -> Expr:
    """base ** exponent.   power(x, 2), power(x, Fraction(1, 2)), power(x, y)."""
    if isinstance(exponent, Number):
        exponent = exponent.value
    if isinstance(exponent, Expr):
        return ONE if base is ONE else Power(base, exponent)
    exponent = exponent_of(exponent)
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    if isinstance(base, Number):
        return _number_power(base.value, exponent)
    return _whole_power(base, exponent) if isinstance(exponent, int) else _broken_power(base, exponent)


def _single(base: Expr, exponent: Value) -> Expr:
    return Product(Bag.of({base: exponent}))


def _whole_power(base: Expr, exponent: int) -> Expr:
    coefficient, core = split_coefficient(base)
    if not _comes_apart(coefficient, exponent):
        positive = scale(-1, base) if coefficient < 0 else base
        return scale(-1 if coefficient < 0 and exponent % 2 else 1, _single(positive, exponent))
    if isinstance(core, Product) and core.bag.size <= SMALL and (core.bag.size == 1 or abs(exponent) <= WHOLE):
        result = _distributed_power(core, exponent)
    elif isinstance(core, Function) and core.name == "abs" and exponent % 2 == 0:
        result = power(core.args[0], exponent)
    else:
        result = _single(core, exponent)
    return scale(integer_power(coefficient, exponent), result)


def _comes_apart(coefficient: Value, exponent: Value) -> bool:
    """Whether (c*x)**e = c**e * x**e leaves both factors well within the range of floats."""
    if coefficient in (1, -1):
        return True
    return magnitude(exponent) <= WHOLE and magnitude(log2(coefficient) * exponent) < MODEST_BITS


def _broken_power(base: Expr, exponent: Value) -> Expr:
    if isinstance(base, Sum):
        # (c*x)**e = c**e * x**e for c > 0, done where c**e comes out as a plain number
        coefficient, core = split_coefficient(base)
        apart = magnitude(coefficient) != 1 and _comes_apart(coefficient, exponent)
        outside = _number_power(magnitude(coefficient), exponent) if apart else None
        if isinstance(outside, Number):
            return scale(outside.value, power(core if coefficient > 0 else scale(-1, core), exponent))
    if isinstance(base, Product):
        if base.bag.size == 1:
            return _power_of_power(base, exponent)
        few = base.bag.size <= SMALL and magnitude(exponent) <= WHOLE
        if few and all(is_nonnegative(_factor(*f)) for f in base.bag.items()):
            return _distributed_power(base, exponent)
    return _single(base, exponent)


def _power_of_power(base: Product, outer: Value) -> Expr:
    x, inner = base.bag.single()
    total = exponent_of(times(inner, outer))
    if isinstance(inner, int) and inner % 2 == 0:
        return power(x if is_nonnegative(x) else Function("abs", (x,)), total)
    # both sides need x >= 0, unless a root is undone: (x**3)**(1/3) is not x for negative x
    if isinstance(inner, int) and isinstance(total, int) and not is_nonnegative(x):
        return _single(base, outer)
    return power(x, total)


def _distributed_power(base: Product, exponent: Value) -> Expr:
    coefficient: Value = 1
    bag = EMPTY
    for x, inner in base.bag.items():
        c, core = split_coefficient(_inner_power(x, inner, exponent))
        extra, bag = _join_bags(bag, _as_product(core))
        coefficient = times(coefficient, times(c, extra))
    return scale(coefficient, make_product(bag))


def _inner_power(x: Expr, inner: Value, outer: Value) -> Expr:
    if isinstance(outer, int):
        return power(x, times(inner, outer))
    return power(_factor(x, inner), outer)


def _factor(base: Expr, exponent: Value) -> Expr:
    return base if exponent == 1 else _single(base, exponent)


def is_nonnegative(expr: Expr) -> bool:
    """Whether it shows at a glance that the value is never negative: x**2, abs(x), exp(x), sqrt(x), products."""
    if isinstance(expr, Number):
        return expr.value >= 0
    if isinstance(expr, Function):
        return expr.name in ("abs", "exp")
    if isinstance(expr, Product) and expr.bag.size <= SMALL:
        return all(
            not isinstance(exponent, int) or exponent % 2 == 0 or _is_absolute(base)
            for base, exponent in expr.bag.items()
        )
    return False


def _is_absolute(base: Expr) -> bool:
    return isinstance(base, Function) and base.name in ("abs", "exp")


def _number_power(base: Value, exponent: Value) -> Expr:
    if isinstance(exponent, int):
        return Number(integer_power(base, exponent))
    if base < 0:
        raise ExpressionError(f"({base})**({exponent}) has no real value", "Take roots of non-negative numbers")
    if isinstance(base, float) or isinstance(exponent, float):
        return Number(float_power(base, exponent))
    if base == 0:
        return Number(float_power(0, exponent))
    # (p/q)**e = p**e * q**-e, each a whole number times a root
    above = _root(base.numerator, exponent)
    below = _root(base.denominator, -exponent)
    factors: dict[Expr, Value] = {Number(radicand): e for _, radicand, e in (above, below) if radicand != 1}
    return scale(times(above[0], below[0]), make_product(Bag.of(factors)))


def _root(whole: int, exponent: Fraction) -> tuple[Value, int, Value]:
    """whole ** exponent = coefficient * radicand ** e with 0 < e < 1.   4 ** (1/4) = 2 ** (1/2)."""
    degree = exponent.denominator
    for divisor in range(2, min(degree, 64) + 1):
        while degree % divisor == 0 and (root := integer_root(whole, divisor)) is not None and whole > 1:
            whole, degree = root, degree // divisor
    exact = Fraction(exponent.numerator, degree)
    outside = floor(exact)
    return integer_power(whole, outside), (1 if exact == outside else whole), exact - outside
