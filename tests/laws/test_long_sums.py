"""Sums of more terms than a coefficient is distributed over: they have the values and slopes that fractions have."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from linkwork.symbolic import add, differentiate, evaluate, gradient, substitute, symbol
from linkwork.symbolic.algebra import SMALL

SYMBOLS = [symbol(f"x{i}") for i in range(SMALL + 8)]
FACTORS = [Fraction(c, 2) for c in (-4, -3, -2, -2, -1, 1, 2, 3, 4)]

OPERATIONS = {
    "negated": lambda rng, a, b: -a,
    "scaled": lambda rng, a, b: rng.choice(FACTORS) * a,
    "shifted": lambda rng, a, b: a + rng.choice(FACTORS),
    "added": lambda rng, a, b: a + b,
    "less": lambda rng, a, b: a - b,
    "times": lambda rng, a, b: a * b,
    "squared": lambda rng, a, b: a**2,
}


def carry_out(seed: int, symbols: list[Any]) -> Any:
    """The same sums of sums over symbols or over numbers."""
    rng = random.Random(seed)
    known = symbols[:3]
    for _ in range(3):
        some = rng.sample(range(len(symbols)), rng.randint(SMALL - 2, len(symbols)))
        total = rng.choice([0, 0, Fraction(5, 2), -3])
        for i in some:
            total = total + rng.choice(FACTORS) * symbols[i]
        known += [total] * 2
    for _ in range(rng.randint(3, 14)):
        operation = OPERATIONS[rng.choice(["negated", "scaled", "shifted", *OPERATIONS])]
        known.append(operation(rng, rng.choice(known), rng.choice(known)))
    return known


@pytest.mark.parametrize("seed", range(300))
def test_sums_of_long_sums_have_the_values_of_fractions(seed: int) -> None:
    rng = random.Random(-seed)
    numbers = [Fraction(rng.choice([-3, -2, -1, 1, 2, 3]), rng.choice([1, 2, 4])) for _ in SYMBOLS]
    values = {s.name: float(x) for s, x in zip(SYMBOLS, numbers, strict=True)}
    exprs = carry_out(seed, list(SYMBOLS))
    sizes = carry_out(seed, [abs(x) + 1 for x in numbers])
    for expr, worth, size in zip(exprs, carry_out(seed, numbers), sizes, strict=True):
        assert evaluate(expr, values) == pytest.approx(float(worth), rel=1e-9, abs=1e-9 * abs(float(size)))
    last, scale = exprs[-1], 1 + abs(float(sizes[-1]))
    known = substitute(last, dict(zip(SYMBOLS, numbers, strict=True)))
    assert evaluate(known, {}) == pytest.approx(evaluate(last, values), rel=1e-9, abs=1e-9 * scale)
    slopes = [evaluate(differentiate(last, s), values) for s in SYMBOLS]
    assert [evaluate(x, values) for x in gradient(last, SYMBOLS)] == pytest.approx(slopes, rel=1e-9, abs=1e-9 * scale)


def test_a_constant_less_a_long_sum_keeps_its_constant_when_negated() -> None:
    long = add(*SYMBOLS)
    assert -(3 - long) is long - 3
    assert -2 * (Fraction(3, 2) + SYMBOLS[0] ** 2 - long / 2) is long - 3 - 2 * SYMBOLS[0] ** 2
