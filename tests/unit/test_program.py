"""Straight-line programs: what the builder simplifies stays equal, what passes split or drop computes the same."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwork import symbolic as sy
from linkwork.equations.kernel import derive
from linkwork.equations.kernels.spatial import body3
from linkwork.native.interpreter import run_program
from linkwork.native.numbers import FACTORS, MODERATE, is_bounded
from linkwork.program import Builder, count_operations, forward, hoist, jacobian, lower, replace_nodes, reverse
from linkwork.program.emit_python import emit_python
from linkwork.program.ops import OPS
from linkwork.program.sweeps import Sweep, schedule
from linkwork.program.taylor import reads
from linkwork.symbolic import Curve, symbol

# for each operation arguments inside its domain and away from its kinks
PLACES = {
    "asin": (0.3,), "acos": (0.3,), "sqrt": (1.7,), "log": (1.7,), "pow": (1.7,), "select": (1.0, 0.7, 1.9),
    "abs": (-0.8,), "sign": (-0.8,),
}  # fmt: skip
EXPONENTS = [1.3, -2.5, -0.5, 65.0]


def evaluate(program, **inputs):
    return {name: [float(x) for x in group] for name, group in run_program(program, inputs).items()}


PLAIN = [op for op in OPS if op not in ("curve", "side", "call")]  # those that need no data


def place(op):
    return PLACES.get(op, (0.7, 1.9)[: OPS[op].arity])


def test_long_arrays_give_slice_by_slice_what_they_give_at_once(monkeypatch):
    b = Builder()
    x, y, p, t = b.input("q", 0), b.input("q", 1), b.input("p", 0), b.input("t", 0)
    program = b.program(
        moving=[b.mul(b.emit("sin", x), y), b.add(b.mul(p, t), x)], still=[b.mul(p, p), b.constant(3.0)]
    )
    rng = np.random.default_rng(4)
    inputs, times = {"q": list(rng.normal(size=(2, 3, 5001))), "p": [rng.normal(size=(3, 1))]}, rng.normal(size=5001)
    found = run_program(program, inputs, times)
    monkeypatch.setattr("linkwork.native.interpreter.CACHED", 10**9)
    at_once = run_program(program, inputs, times)
    for group, values in at_once.items():
        for one, other in zip(found[group], values, strict=True):
            assert one.shape == other.shape and np.array_equal(one, other)


# -- value numbering and simplification ------------------------------------------------------------------------------


def test_the_same_instruction_is_made_once():
    b = Builder()
    x, y = b.input("q", 0), b.input("q", 1)
    assert b.add(x, y) == b.add(y, x)
    assert b.emit("sin", x) == b.emit("sin", x)
    assert b.mul(b.neg(x), y) == b.mul(x, b.neg(y)) == b.neg(b.mul(x, y))
    assert b.mul(b.mul(b.constant(2), x), y) == b.mul(x, b.mul(y, b.constant(2)))
    assert b.emit("min", x, y) != b.emit("max", x, y)
    assert b.emit("atan2", x, y) != b.emit("atan2", y, x)


def test_neutral_elements_disappear():
    b = Builder()
    x = b.input("q", 0)
    assert b.add(x, b.zero) == b.sub(x, b.zero) == b.mul(x, b.one) == b.div(x, b.one) == b.power(x, 1.0) == x
    assert b.mul(x, b.zero) == b.sub(x, x) == b.zero
    assert b.power(x, 0.0) == b.one
    assert b.neg(b.neg(x)) == x
    assert b.sub(b.zero, x) == b.neg(x)
    assert b.emit("select", b.emit("less", x, b.one), x, x) == x


@pytest.mark.parametrize("op", PLAIN)
def test_an_operation_on_numbers_is_the_number_it_gives_on_arrays(op):
    b = Builder()
    numbers = place(op)
    value = 1.3 if op == "pow" else 0.0
    node = b.emit(op, *(b.constant(x) for x in numbers), value=value)
    wanted = OPS[op].array(*numbers, *([value] if op == "pow" else []))
    assert b.nodes[node].op == "constant"
    assert b.nodes[node].value == pytest.approx(float(wanted), rel=1e-15)


@pytest.mark.parametrize(
    ("op", "numbers"), [("log", (-1.0,)), ("sqrt", (-1.0,)), ("div", (1.0, 0.0)), ("asin", (2.0,)), ("exp", (1e4,))]
)
def test_what_has_no_value_is_left_to_the_run(op, numbers):
    b = Builder()
    assert b.nodes[b.emit(op, *(b.constant(x) for x in numbers))].op == op


def test_zero_over_zero_is_not_zero():
    b = Builder()
    result = evaluate(b.program(y=[b.div(b.zero, b.zero)]))
    assert math.isnan(result["y"][0])


@pytest.mark.parametrize("exponent", [*range(-9, 10), 0.5, -0.5, 1.5, 64, 65, -65])
def test_powers_are_powers(exponent):
    b = Builder()
    x = b.input("q", 0)
    found = evaluate(b.program(y=[b.power(x, float(exponent))]), q=[1.1])["y"][0]
    assert found == pytest.approx(1.1**exponent, rel=1e-14)


WHOLE = ["add", "sub", "mul", "neg", "abs", "sign", "min", "max", "less", "less_equal", "select"]


@st.composite
def recipes(draw, ops=tuple(WHOLE), length=12):
    """A list of steps (op, places of earlier values); the first five values are inputs, then come small numbers."""
    numbers = draw(st.lists(st.integers(-3, 3), min_size=3, max_size=3))
    steps = []
    for i in range(draw(st.integers(1, length))):
        op = draw(st.sampled_from(ops))
        steps.append((op, [draw(st.integers(0, 7 + i)) for _ in range(OPS[op].arity)]))
    return numbers, steps


def build(b, recipe, kinds="qqqpp"):
    numbers, steps = recipe
    values = [b.input(kind, i if kind == "q" else i - 3) for i, kind in enumerate(kinds)]
    values += [b.constant(float(x)) for x in numbers]
    for op, args in steps:
        chosen = [values[i] for i in args]
        simple = {"add": b.add, "sub": b.sub, "mul": b.mul, "div": b.div, "neg": b.neg}
        values.append(simple[op](*chosen) if op in simple else b.emit(op, *chosen))
    return values


def compute(recipe, inputs):
    numbers, steps = recipe
    values = [*inputs, *map(float, numbers)]
    for op, args in steps:
        values.append(float(OPS[op].fold(*(values[i] for i in args))))
    return values


inputs = st.lists(st.integers(-4, 4).map(float), min_size=5, max_size=5)


@given(recipes(), inputs)
@settings(max_examples=300)
def test_no_simplification_of_whole_numbers_changes_a_value(recipe, numbers):
    # sums and products of small whole numbers are exact, so equality is too
    wanted = compute(recipe, numbers)
    if max(map(abs, wanted)) > 2**50:
        return
    b = Builder()
    nodes = build(b, recipe)
    found = evaluate(b.program(y=nodes), q=numbers[:3], p=numbers[3:])["y"]
    assert found == wanted


@given(recipes(ops=("add", "sub", "mul", "div", "neg"), length=8), inputs)
@settings(max_examples=200)
def test_no_simplification_of_fractions_changes_a_value(recipe, numbers):
    numbers = [x + 0.37 for x in numbers]
    try:
        wanted = compute(recipe, numbers)
    except ZeroDivisionError:
        return
    size = max(map(abs, wanted))
    if size > 1e6 or min(abs(x) for x in wanted if x) < 1e-6:
        return
    b = Builder()
    found = evaluate(b.program(y=build(b, recipe)), q=numbers[:3], p=numbers[3:])["y"]
    # what cancels has lost digits before
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("tiny", [1e-200, 1e200])
def test_numbers_that_leave_the_range_when_gathered_are_not_gathered(tiny):
    # (c x)(c y) with c² out of range, at values where the product is in range
    b = Builder()
    x, y = b.input("q", 0), b.input("q", 1)
    c = b.constant(tiny)
    program = b.program(y=[b.mul(b.mul(c, x), b.mul(c, y))])
    assert evaluate(program, q=[1 / tiny, 1 / tiny])["y"] == [pytest.approx(1.0)]


# -- passes ----------------------------------------------------------------------------------------------------------


@given(recipes(), inputs)
@settings(max_examples=200)
def test_setup_and_body_together_compute_what_the_whole_program_does(recipe, numbers):
    wanted = compute(recipe, numbers)
    if max(map(abs, wanted)) > 2**50:
        return
    b = Builder()
    halves = hoist(b.program(y=build(b, recipe)))
    columns = run_program(halves.setup, {"p": numbers[3:]})["p"]
    assert len(columns) == halves.columns
    assert evaluate(halves.body, q=numbers[:3], p=columns)["y"] == wanted


def test_a_body_computes_nothing_from_parameters_alone():
    b = Builder()
    x, m, l = b.input("q", 0), b.input("p", 0), b.input("p", 1)
    y = b.div(b.mul(x, b.emit("sin", m)), b.mul(l, l))
    halves = hoist(b.program(y=[y, b.mul(m, l)]))
    assert count_operations(halves.body)["total"] == 2
    assert "div" not in count_operations(halves.body)
    columns = run_program(halves.setup, {"p": [0.5, 2.0]})["p"]
    assert evaluate(halves.body, q=[3.0], p=columns)["y"] == pytest.approx([3 * math.sin(0.5) / 4, 1.0])


def test_a_program_keeps_only_what_its_results_need():
    b = Builder()
    x, y = b.input("q", 0, "x"), b.input("q", 1, "y")
    b.emit("exp", b.mul(x, y))
    program = b.program(y=[b.add(x, b.one)])
    assert [node.op for node in program.nodes] == ["constant", "input", "add"]
    assert len(program.inputs()) == 1


def test_operations_are_counted_by_kind_and_together():
    b = Builder()
    x = b.input("q", 0)
    counts = count_operations(b.program(y=[b.add(b.mul(x, x), b.emit("sin", x)), b.neg(x)]))
    assert counts == {"add": 1, "mul": 1, "neg": 1, "sin": 1, "total": 3}


def test_replaced_nodes_are_simplified_again():
    b = Builder()
    x, y = b.input("q", 0), b.input("q", 1)
    (found,) = replace_nodes(b, [b.add(b.mul(x, y), x)], {y: b.zero})
    assert found == x


@given(recipes(), inputs)
@settings(max_examples=100)
def test_emitted_python_computes_what_the_interpreter_does(recipe, numbers):
    wanted = compute(recipe, numbers)
    if max(map(abs, wanted)) > 2**50:
        return
    b = Builder()
    program = b.program(y=build(b, recipe))
    space = {}
    exec(emit_python(program), space)
    assert [float(x) for x in space["evaluate"](q=numbers[:3], p=numbers[3:])["y"]] == wanted


@pytest.mark.parametrize("op", PLAIN)
def test_emitted_python_knows_every_operation(op):
    b = Builder()
    program = b.program(y=[b.emit(op, *(b.input("q", i) for i in range(OPS[op].arity)), value=1.3)])
    space = {}
    exec(emit_python(program), space)
    numbers = [float(x) for x in place(op)]
    assert float(space["evaluate"](q=numbers)["y"][0]) == pytest.approx(evaluate(program, q=numbers)["y"][0], rel=1e-15)


CURVE = Curve("f", [1.0, 2.0], [0.0, 1.0, 2.0], [[0, 1, 2, 3], [6, 5, -1, 2], [12, 2, 0, 0]])


def test_programs_with_curves_run_as_interpreted_and_as_python():
    b = Builder()
    x = b.input("q", 0)
    y = b.lookup(CURVE, b.mul(x, x))
    slope = forward(b, [y], {x: b.one})
    program = b.program(y=[y, *slope])
    space = {}
    exec(emit_python(program), space)
    for at in (0.3, 1.2, 1.7):
        wanted = np.array([CURVE.value(at * at), 2 * at * CURVE.value(at * at, 1)])
        assert evaluate(program, q=[at])["y"] == pytest.approx(wanted, rel=1e-15)
        assert np.array(space["evaluate"](q=[at], c=[CURVE.value])["y"]) == pytest.approx(wanted, rel=1e-15)


def test_a_curve_at_a_number_is_a_number_and_one_at_a_parameter_is_computed_beforehand():
    b = Builder()
    assert b.is_constant(b.lookup(CURVE, b.constant(0.5)), 0.5 + 2 * 0.25 + 3 * 0.125)
    halves = hoist(b.program(y=[b.mul(b.input("q", 0), b.lookup(CURVE, b.input("p", 0)))]))
    assert [node.op for node in halves.body.nodes] == ["input", "input", "mul"]


def test_a_curve_has_a_side_that_changes_at_each_knot():
    sides = CURVE.side(np.array([0.5, 1.5, 2.5, 1.0, 2.0]))
    assert np.sign(sides).tolist() == [-1, 1, -1, 0, 0]


# -- derivatives -----------------------------------------------------------------------------------------------------


def differentiated(op, value=0.0):
    """One operation on inputs, its derivatives by both modes, as one program."""
    b = Builder()
    x = [b.input("q", i) for i in range(OPS[op].arity)]
    y = b.emit(op, *x, value=value)
    entries = jacobian(b, [y], x)
    backward = [entries.get((0, j), b.zero) for j in range(len(x))]
    ahead = [forward(b, [y], {node: b.one})[0] for node in x]
    return b.program(y=[y], backward=backward, ahead=ahead)


CASES = [(op, 0.0) for op in PLAIN if op != "pow"] + [("pow", e) for e in EXPONENTS]


@pytest.mark.parametrize(("op", "value"), CASES)
def test_derivatives_of_every_operation_are_its_differences(op, value):
    program = differentiated(op, value)
    at = np.array(place(op))
    found = evaluate(program, q=at)
    h = 1e-6
    for j in range(len(at)):
        step = h * np.eye(len(at))[j]
        up, down = (evaluate(program, q=at + s)["y"][0] for s in (step, -step))
        assert found["backward"][j] == pytest.approx((up - down) / (2 * h), rel=1e-7, abs=1e-8)
        assert found["ahead"][j] == pytest.approx(found["backward"][j], rel=1e-15)


ANALYTIC = ["add", "sub", "mul", "div", "neg", "sqrt", "pow", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan",
            "tanh"]  # fmt: skip


@pytest.mark.parametrize("op", ANALYTIC)
def test_derivatives_of_analytic_operations_are_complex_steps_to_all_digits(op):
    value = 1.3 if op == "pow" else 0.0
    at = np.array(place(op), dtype=complex)
    found = evaluate(differentiated(op, value), q=at.real)
    for j in range(len(at)):
        step = 1e-30j * np.eye(len(at))[j]
        wanted = OPS[op].array(*(at + step), *([value] if op == "pow" else [])).imag / 1e-30
        assert found["backward"][j] == pytest.approx(wanted, rel=1e-14)


FORMULAS = [
    lambda x, y: x * sy.sin(x * y) / (1 + y**2),
    lambda x, y: sy.exp(-x) * sy.sqrt(x**2 + y**2) + sy.atan2(y, x),
    lambda x, y: sy.log(1 + x**2) ** 3 - sy.tanh(x * y) * sy.cos(y) / x,
    lambda x, y: sy.select(sy.less(x, y), x**y, sy.max(x, y**2) * sy.abs(x - y)),
    lambda x, y: (x + y) ** 5 / (x - 3) ** 2 + sy.min(x * y, x + y),
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_derivatives_of_programs_are_those_of_the_expressions(formula):
    x, y = symbol("x"), symbol("y")
    expr = formula(x, y)
    b = Builder()
    nodes = {x: b.input("q", 0), y: b.input("q", 1)}
    value = lower(b, expr, nodes)
    first = jacobian(b, [value], list(nodes.values()))
    second = {(i, *key): n for i, node in enumerate(first.values()) for key, n in
              jacobian(b, [node], list(nodes.values())).items()}  # fmt: skip
    wanted = [sy.differentiate(expr, s) for s in (x, y)]
    again = [sy.differentiate(w, s) for w in wanted for s in (x, y)]
    rows = [second.get((i, 0, j), b.zero) for i in range(2) for j in range(2)]
    program = b.program(y=[value], first=[first[0, 0], first[0, 1]], second=rows)
    at = {x: 0.8, y: 1.3}
    found = evaluate(program, q=[0.8, 1.3])
    assert found["y"][0] == pytest.approx(float(sy.evaluate(expr, at)), rel=1e-13)
    assert found["first"] == pytest.approx([float(sy.evaluate(w, at)) for w in wanted], rel=1e-12)
    assert found["second"] == pytest.approx([float(sy.evaluate(w, at)) for w in again], rel=1e-11, abs=1e-12)


def test_structural_zeros_are_absent_from_a_jacobian():
    b = Builder()
    x, y, z = (b.input("q", i) for i in range(3))
    entries = jacobian(b, [b.mul(x, y), b.emit("sin", z), b.one], [x, y, z])
    assert set(entries) == {(0, 0), (0, 1), (1, 2)}


def test_a_gradient_counts_every_path():
    # y = x·x + (x·x)·x through a shared node
    b = Builder()
    x = b.input("q", 0)
    square = b.mul(x, x)
    y = b.add(square, b.mul(square, x))
    (slope,) = reverse(b, {y: b.one}, [x])
    assert evaluate(b.program(s=[slope]), q=[3.0])["s"] == [2 * 3 + 3 * 9]


def test_weights_of_several_results_add_up():
    b = Builder()
    x = b.input("q", 0)
    square = b.mul(x, x)
    (slope,) = reverse(b, {square: b.constant(5), b.mul(square, x): b.constant(2)}, [x])
    assert evaluate(b.program(s=[slope]), q=[3.0])["s"] == [5 * 6 + 2 * 27]


def test_lowering_shares_equal_subexpressions_and_any_depth_is_fine():
    x = symbol("x")
    expr = x
    for _ in range(5000):
        expr = sy.sin(expr)
    b = Builder()
    node = lower(b, expr + expr**2, {x: b.input("q", 0)})
    assert count_operations(b.program(y=[node]))["sin"] == 5000


# -- results within the range of floats ------------------------------------------------------------------------------


def largest_product(factors):
    b = Builder()
    x, product = b.input("q", 0), b.one
    for _ in range(factors):
        product = b.mul(product, x)
    return b.program(v=[b.emit("sin", product), b.sub(product, b.constant(3.0))])


def test_programs_that_are_called_bounded_have_values_of_all_moderate_numbers():
    product = largest_product(FACTORS)
    assert is_bounded(product) and not is_bounded(largest_product(FACTORS + 1))
    assert np.isfinite(evaluate(product, q=[np.array(MODERATE)])["v"]).all()


@pytest.mark.parametrize("op", [op for op in PLAIN if OPS[op].arity == 1])
def test_functions_with_poles_or_without_values_somewhere_are_not_called_bounded(op):
    b = Builder()
    program = b.program(v=[b.emit(op, b.input("q", 0), value=-0.5)])
    values = [evaluate(program, q=[np.array(x)])["v"] for x in (-MODERATE, -2.0, 0.0, MODERATE)]
    assert np.isfinite(values).all() or not is_bounded(program)


def test_roots_of_sums_of_squares_are_called_bounded_and_other_roots_are_not():
    b = Builder()
    x, y = b.input("q", 0), b.input("q", 1)
    squares = b.mul(x, x), b.mul(y, y)
    length = b.program(v=[b.emit("sqrt", b.add(*squares))])
    assert is_bounded(length) and not is_bounded(b.program(v=[b.emit("sqrt", b.sub(*squares))]))
    assert np.isfinite(evaluate(length, q=[np.array(-MODERATE), np.array(0.0)])["v"]).all()


# -- products of series in shared loops ------------------------------------------------------------------------------


def spread_out(plan, offset):
    """For each step of a schedule the steps that it makes and reads, sums of products as they are."""
    for item in schedule(plan, offset, shared=True):
        if isinstance(item, Sweep):
            yield [*item.sums], {factor for products in item.sums.values() for _, a, b in products for factor in (a, b)}
        else:
            yield [item], {arg for arg in reads(plan.steps[item]) if arg < item}


@pytest.mark.parametrize("name", ["stewart-bodies", "bricard"])
def test_shared_loops_make_every_step_that_is_needed_once_and_after_what_it_reads(name, load_example):
    posed = load_example(name).formulated("absolute").posed
    shared = 0
    for plan in (term.kernel.derived.plan for term in posed.system.terms if term.kernel.derived.plan):
        made = {i for i, step in enumerate(plan.steps) if step.op == "const"}
        for offset in sorted({step.offset for step in plan.steps}, reverse=True):
            for steps, read in spread_out(plan, offset):
                assert read <= made
                assert not made & {*steps}
                made |= {*steps}
                shared += len(steps) > 1
        assert made >= {s for group in plan.outputs.values() for s in group} | {*plan.storage}
    assert shared > 0


def test_programs_of_a_kernel_are_the_same_whichever_is_asked_for_first() -> None:
    names = ("dynamics", "plan", "matrix", "constant", "levels", "energy", "residual", "periodic", "switches", "rates")
    one, other = derive(body3), derive(body3)
    forth = {name: getattr(one, name) for name in names}
    assert {name: getattr(other, name) for name in reversed(names)} == forth
