"""Scalar nodes: interning, canonical forms, refusals. What each rule does, one by one."""

from __future__ import annotations

import copy
import gc
import math
import os
import pickle
import subprocess
import sys
import threading
from fractions import Fraction

import pytest

import linkwork.symbolic as sy
from linkwork.errors import ExpressionError
from linkwork.symbolic import Number, Product, Sum, cos, select, sin, sqrt, symbol
from linkwork.symbolic.algebra import SMALL
from linkwork.symbolic.scalar import living_nodes

x, y, z, m, g = (symbol(name) for name in ("x", "y", "z", "m", "g"))


# ---- interning -----------------------------------------------------------------------------------


def test_equal_expressions_are_the_same_object() -> None:
    assert x + y is y + x
    assert (x + y) * z is z * (y + x)
    assert sin(x * y) is sin(y * x)
    assert select(x < y, x, y) is select(x < y, x, y)
    assert len({x + y, y + x}) == 1


def test_symbols_differ_by_name_and_kind() -> None:
    assert symbol("q", "coordinate") is symbol("q", "coordinate")
    others = {symbol("q"), symbol("q", "speed"), symbol("q", "coordinate"), symbol("q", "state"), symbol("q", "input")}
    assert len(others) == 5


def test_numbers_of_equal_value_and_different_exactness_differ() -> None:
    assert Number(2) is not Number(2.0)
    assert Number(Fraction(4, 2)) is Number(2)
    assert Number(Fraction(1, 2)).value == Fraction(1, 2)
    assert Number(0.0) is Number(-0.0) is Number(0)
    assert Number(1.0) is Number(1) and Number(True).value == 1


def test_copies_and_pickles_are_the_original() -> None:
    expr = select(x**2 < 1, sin(x) / 3 + sqrt(y), x**y)
    assert copy.copy(expr) is copy.deepcopy(expr) is pickle.loads(pickle.dumps(expr)) is expr


def test_nodes_are_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        x.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del (x + y).constant  # type: ignore[attr-defined]


def test_memory_is_freed_when_expressions_are_dropped() -> None:
    def names() -> list[str]:
        return [node.name for node in living_nodes() if isinstance(node, sy.Symbol)]

    expr = sin(symbol("short_lived") ** 2) + 1
    assert "short_lived" in names()
    del expr
    gc.collect()
    assert "short_lived" not in names()


def test_threads_that_build_the_same_expression_get_the_same_object() -> None:
    results: list[list[sy.Expr]] = []

    def build() -> None:
        results.append([sin(symbol(f"thread{k}")) * x + k for k in range(300)])

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(first is other for row in results[1:] for first, other in zip(results[0], row, strict=True))


PROGRAM = """
from linkwork.symbolic import *
names = [symbol(f"{c}{k}", kind) for c in "qab" for k in range(7) for kind in Kind]
if REVERSED:
    names.reverse()
s = add(*(sin(a) * cos(b) ** 2 / (a + b) for a, b in zip(names, names[3:]))) if not REVERSED else add(
    *(sin(b) * cos(a) ** 2 / (a + b) for a, b in zip(names, names[3:])))
print(hash(s), s.key, to_text(s), to_latex(differentiate(s, symbol("q3", "speed"))))
print([n.name for n in sorted(free_symbols(s), key=hash)])
"""


@pytest.mark.parametrize("backwards", [False, True])
def test_order_and_hashes_depend_neither_on_the_hash_seed_nor_on_history(backwards: bool) -> None:
    outputs = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        program = PROGRAM.replace("REVERSED", "False" if seed == "0" else str(backwards))
        run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        outputs.add(run.stdout)
    assert len(outputs) == 1


# ---- sums and products ---------------------------------------------------------------------------


def test_sums_hold_coefficients_and_products_do_not() -> None:
    triple = 3 * x
    assert isinstance(triple, Sum) and triple.constant == 0 and triple.terms == ((3, x),)
    assert isinstance(-x, Sum) and (-x).terms == ((-1, x),)
    scaled = 6 * x * y / 4
    assert isinstance(scaled, Sum) and scaled.terms == ((Fraction(3, 2), x * y),)
    assert isinstance(x * y, Product) and (x * y).factors == ((x, 1), (y, 1))


def test_like_terms_and_like_bases_combine() -> None:
    assert x + 2 * x is 3 * x
    assert x - x is Number(0)
    assert (x + y) - (y + x) is Number(0)
    assert x * x is x**2
    assert x / x is Number(1)
    assert sqrt(x) * sqrt(x) is x
    assert x**2 * x ** Fraction(-1, 2) is x ** Fraction(3, 2)
    assert (x + y) * (y + x) is (x + y) ** 2
    assert 0 * x is Number(0) and x**0 is Number(1) and x**1 is x and 1**x is Number(1)


def test_identities_of_floats() -> None:
    assert 1.0 * x is x and x + 0.0 is x and x**1.0 is x
    assert x**2.0 is x**2 and x**0.5 is sqrt(x)
    assert (0.5 * x + 0.5 * x) is x


def test_coefficients_distribute_over_small_sums_only() -> None:
    symbols = [symbol(f"x{k}") for k in range(SMALL + 1)]
    small, large = sy.add(*symbols[:SMALL]), sy.add(*symbols)
    assert 2 * small is sy.add(*(2 * s for s in symbols[:SMALL]))
    twice = 2 * large
    assert isinstance(twice, Sum) and twice.terms == ((2, large),)
    assert twice / 2 is large
    assert twice - large * 1 is not Number(0)  # left as it is
    assert twice - 2 * large is Number(0)
    assert x + (twice - y) / 2 - x / 2 + y / 2 is large + x / 2  # a sum that has lost its coefficient is flattened


def test_sums_as_factors_have_no_common_divisor_and_a_positive_lead() -> None:
    assert (2 * x + 2 * y) * z is 2 * (x + y) * z
    assert (x + y / 2) * z * 2 is (2 * x + y) * z
    assert (y - x) * (x - y) is -((x - y) ** 2)
    assert z / (y - x) is -z / (x - y)
    assert m * (x - y) + m * (y - x) is Number(0)


def test_powers_are_right_for_real_numbers() -> None:
    assert sqrt(x**2) is sy.abs(x)
    assert sqrt(x**4) is x**2
    assert (x**4) ** Fraction(1, 4) is sy.abs(x)
    assert sqrt(x) ** 2 is x
    assert (x**2) ** 3 is x**6
    assert (x * y) ** 2 is x**2 * y**2
    assert sqrt(1 / x) is 1 / sqrt(x)
    assert isinstance(sqrt(x * y), Product) and sqrt(x * y).factors == ((x * y, Fraction(1, 2)),)
    assert sqrt(x * y) * sqrt(x * y) is x * y
    assert (x**3) ** Fraction(1, 3) is not x
    assert sqrt(4 * x) is 2 * sqrt(x)
    assert sqrt(x**2 * y**2) is sy.abs(x) * sy.abs(y)
    assert sy.abs(x) * sy.abs(x) is x**2
    assert sqrt((x - y) ** 2) is sy.abs(x - y)


def test_roots_of_numbers_stay_exact() -> None:
    assert sqrt(4) is Number(2)
    assert sqrt(Fraction(9, 4)) is Number(Fraction(3, 2))
    assert isinstance(sqrt(2), Product)
    assert sqrt(2) * sqrt(2) is Number(2)
    assert sqrt(Fraction(1, 2)) is sqrt(2) / 2 is 1 / sqrt(2)
    assert Number(4) ** Fraction(1, 4) is sqrt(2)
    assert Number(2) ** Fraction(3, 2) is 2 * sqrt(2)
    assert sqrt(2.25) is Number(1.5)


def test_functions_fold_exactly_where_they_can() -> None:
    assert sin(0) is Number(0) and cos(0) is Number(1) and sy.exp(0) is Number(1) and sy.log(1) is Number(0)
    assert sy.tan(0) is sy.tanh(0) is sy.asin(0) is sy.atan(0) is sy.acos(1) is Number(0)
    assert isinstance(sin(1), sy.Function)
    assert float(sin(0.5)) == pytest.approx(0.479425538604203)  # type: ignore[arg-type]
    assert sy.abs(-3) is Number(3) and sy.sign(-3) is Number(-1) and sy.sign(0) is Number(0)
    assert sy.min(2, 3) is Number(2) and sy.max(2, Fraction(7, 2)) is Number(Fraction(7, 2))
    assert sy.atan2(0, 2) is Number(0) and isinstance(sy.atan2(1, 2), sy.Function)


def test_functions_know_their_symmetry_and_inverse() -> None:
    for odd in (sin, sy.tan, sy.asin, sy.atan, sy.tanh, sy.sign):
        assert odd(-x) is -odd(x)
        assert odd(y - x) is -odd(x - y)
    assert cos(-x) is cos(x) and cos(y - x) is cos(x - y)
    assert sy.abs(-2 * x) is 2 * sy.abs(x) and sy.sign(-2 * x) is -sy.sign(x)
    assert sy.abs(sy.abs(x)) is sy.abs(x) and sy.abs(x**2) is x**2 and sy.abs(sy.exp(x)) is sy.exp(x)
    assert sin(sy.asin(x)) is x and cos(sy.acos(x)) is x and sy.tan(sy.atan(x)) is x
    assert sy.exp(sy.log(x)) is x and sy.log(sy.exp(x)) is x
    assert sy.min(x, y) is sy.min(y, x) and sy.max(x, x) is x


def test_select_folds_when_the_answer_is_known() -> None:
    assert select(sy.less(1, 2), x, y) is x and select(sy.less_equal(3, 2), x, y) is y
    assert select(x < x, x, y) is y and select(x <= x, x, y) is x
    assert select(x < y, z, z) is z
    assert (x > y) is (y < x) and (x >= y) is sy.less_equal(y, x)


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    with pytest.raises(ExpressionError, match="finite"):
        Number(value)
    with pytest.raises(ExpressionError, match="finite"):
        _ = x + value


def test_what_has_no_real_value_is_refused() -> None:
    with pytest.raises(ExpressionError, match="division by zero"):
        _ = x / 0
    with pytest.raises(ExpressionError, match="no real value"):
        sqrt(-2)
    with pytest.raises(ExpressionError, match="no finite real value"):
        sy.log(-0.5)
    with pytest.raises(ExpressionError, match="too large"):
        _ = Number(10) ** 10**9
    with pytest.raises(ExpressionError, match="no function 'sine'"):
        sy.function("sine", x)


def test_expressions_have_no_truth_and_no_number() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(x + 1)
    with pytest.raises(TypeError, match="evaluate"):
        float(x + 1)
    with pytest.raises(TypeError, match="select"):
        bool(x < y)
    with pytest.raises(TypeError, match="sort expressions"):
        sorted([y, x])
    with pytest.raises(TypeError):
        _ = x + "1"  # type: ignore[operator]
    assert float(Number(Fraction(1, 2))) == 0.5
    assert sy.less(1, 2)


def test_a_symbol_needs_a_name_and_a_known_kind() -> None:
    with pytest.raises(ExpressionError, match="name"):
        symbol(" ")
    with pytest.raises(ExpressionError, match="coordinate"):
        symbol("x", "velocity")


# ---- size ----------------------------------------------------------------------------------------

MANY = 20_000


def test_deep_expressions_need_no_recursion() -> None:
    e: sy.Expr = x
    for _ in range(MANY):
        e = sin(e) * y + z
    fixed = sy.evaluate(e, {"x": 0.1, "y": 0.5, "z": 0.2})
    assert fixed == pytest.approx(0.5 * math.sin(fixed) + 0.2, abs=1e-12)
    assert sy.free_symbols(e) == {x, y, z}
    assert sy.differentiate(e, x) is not Number(0)
    assert sy.substitute(e, {y: Number(0)}) is z
    assert sy.count_operations(e) == 3 * MANY
    assert len(sy.to_text(e)) == len("sin() * y + z".replace(" * ", "*")) * MANY + 1
    assert pickle.loads(pickle.dumps(e)) is e
    assert "parts" in repr(e)


def test_long_sums_and_products_are_flat_and_sorted() -> None:
    symbols = [symbol(f"x{k}") for k in range(MANY)]
    total, product = sum(symbols), sy.Number(1)
    backwards = sum(reversed(symbols))
    for s in symbols:
        product = product * s  # type: ignore[assignment]
    assert total is backwards
    assert [term for _, term in total.terms] == symbols  # type: ignore[union-attr]
    assert [base for base, _ in product.factors] == symbols  # type: ignore[attr-defined]
    for s in symbols[5:]:
        total = total - s
    assert total is sy.add(*symbols[:5])


def test_a_shared_expression_is_visited_once() -> None:
    e: sy.Expr = x
    for _ in range(200):
        e = sin(e) * cos(e)
    assert sy.count_operations(e) == 600
    assert len(sy.postorder([e])) == 601
    with pytest.raises(ExpressionError, match="characters"):
        sy.to_text(e, limit=10_000)
    assert len(repr(e)) < 100
