"""Tables and registered functions: curves that go where they should, Python functions that become expressions."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline, PchipInterpolator

from linkwork import symbolic
from linkwork.errors import ExpressionError, InputError
from linkwork.model import Table, as_expr, as_law, function, functions
from linkwork.symbolic import differentiate, evaluate, select, sin, symbol, to_latex

X = symbol("x")


@pytest.fixture(autouse=True)
def _no_functions(monkeypatch):
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(functions, "_registered", functions.FunctionTable())


@st.composite
def curves(draw):
    steps = draw(st.lists(st.floats(0.05, 3), min_size=1, max_size=12))
    x = np.cumsum([draw(st.floats(-5, 5)), *steps])
    y = draw(st.lists(st.floats(-10, 10), min_size=len(x), max_size=len(x)))
    return x.tolist(), [round(value, 3) for value in y]


def inside(x, count=60):
    return np.linspace(x[0], x[-1], count)


@given(curves())
def test_a_spline_is_the_natural_one_of_scipy(curve):
    x, y = curve
    at = inside(x)
    expected = CubicSpline(x, y, bc_type="natural")(at)
    assert evaluate(Table("f", x, y).law(X), {"x": at}) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(curves())
def test_a_monotone_table_is_the_pchip_of_scipy(curve):
    x, y = curve
    at = inside(x)
    expected = PchipInterpolator(x, y)(at) if len(x) > 2 else np.interp(at, x, y)
    got = evaluate(Table("f", x, y, kind="monotone").law(X), {"x": at})
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(curves())
def test_a_linear_table_is_the_interpolation_of_numpy(curve):
    x, y = curve
    at = inside(x)
    got = evaluate(Table("f", x, y, kind="linear").law(X), {"x": at})
    assert got == pytest.approx(np.interp(at, x, y), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("kind", ["spline", "monotone", "linear"])
@given(curves())
def test_a_table_goes_through_its_points_and_on_along_straight_lines(kind, curve):
    x, y = curve
    law = Table("f", x, y, kind=kind).law(X)
    assert [evaluate(law, {"x": a}) for a in x] == pytest.approx(y, rel=1e-9, abs=1e-9)
    slope = differentiate(law, X)
    for end, outward in ((x[0], -1.0), (x[-1], 1.0)):
        beyond = [evaluate(slope, {"x": end + outward * d}) for d in (1e-9, 1.0, 100.0)]
        assert beyond == pytest.approx([beyond[0]] * 3, rel=1e-9, abs=1e-9)
        if kind != "linear":
            assert evaluate(slope, {"x": end - outward * 1e-9}) == pytest.approx(beyond[0], rel=1e-4, abs=1e-4)


@given(curves())
def test_a_spline_has_two_continuous_derivatives_also_where_it_ends(curve):
    x, y = curve
    law = Table("f", x, y).law(X)
    second = differentiate(differentiate(law, X), X)
    scale = 1 + max(abs(evaluate(second, {"x": a})) for a in x)
    for a in x:
        before, after = (evaluate(second, {"x": a + d}) for d in (-1e-9, 1e-9))
        assert before == pytest.approx(after, abs=1e-5 * scale)


@given(st.lists(st.floats(0.05, 3), min_size=2, max_size=10), st.lists(st.floats(0, 5), min_size=11, max_size=11))
def test_a_monotone_table_of_increasing_values_increases(steps, rises):
    x = np.cumsum([0, *steps])
    y = np.cumsum(rises[: len(x)])
    at = np.linspace(x[0] - 1, x[-1] + 1, 200)
    law = Table("f", x, y, kind="monotone").law(X)
    values = [evaluate(law, {"x": float(a)}) for a in at]
    assert np.all(np.diff(values) >= -1e-9)


def test_a_table_is_one_node_however_many_points_it_has():
    x = np.arange(100_000.0)
    law = Table("f", x, np.sin(x)).law(X)
    assert law.children == (X,)
    assert evaluate(law, {"x": 77_777.0}) == pytest.approx(np.sin(77_777.0))


@given(curves())
def test_the_derivatives_of_a_table_are_those_of_scipy(curve):
    x, y = curve
    at, scipys = inside(x, 57), CubicSpline(x, y, bc_type="natural")
    law = Table("f", x, y).law(X)
    for order in (1, 2, 3):
        law = differentiate(law, X)
        away = np.abs(at[:, None] - np.array(x)).min(axis=1) > 1e-9  # the third derivative jumps at the points
        expected = scipys(at[away], order)
        scale = 1 + np.max(np.abs(expected))
        assert evaluate(law, {"x": at[away]}) == pytest.approx(expected, rel=1e-8, abs=1e-8 * scale)


def test_derivatives_beyond_the_degree_are_zero():
    law = Table("f", [0, 1, 2], [0, 3, 1]).law(X)
    for _ in range(4):
        law = differentiate(law, X)
    assert law is symbolic.ZERO


def test_knots_where_nothing_changes_are_left_out():
    flat = Table("flat", [0, 1, 2, 3], [5, 5, 5, 6], kind="linear")
    assert flat.curve.knots.tolist() == [2.0]
    assert [float(flat(x)) for x in (-1, 1.5, 2.5, 4)] == [5, 5, 5.5, 7]


def test_tables_of_equal_name_and_points_are_one():
    one, same, other = (Table("f", [0, 1, 2], [0, 3, y]) for y in (1, 1, 2))
    assert one.law(X) is same.law(X)
    assert one.law(X) is not other.law(X)
    assert Table("g", one.x, one.y).law(X) is not one.law(X)


def test_a_law_with_a_table_can_be_pickled_and_printed():
    law = 2 * Table("road", [0, 1, 2], [0, 3, 1]).law(X)
    assert pickle.loads(pickle.dumps(law)) is law
    assert str(law) == "2*road(x)"
    assert str(differentiate(law, X)) == "2*road'(x)"
    assert to_latex(differentiate(law, X)) == r"2 \mathrm{road}'\left(x\right)"


@pytest.mark.parametrize("x", [[0, 1e-300, 1], [0, 5e-324]])
def test_points_too_close_for_a_curve_are_refused_in_words(x):
    with pytest.raises(InputError, match="table 'f': its points are too close together, or its values too large"):
        Table("f", x, [0.0, 1e20, 1.0][: len(x)])


def test_a_table_of_a_known_argument_is_a_number():
    assert float(Table("f", [0, 1], [0, 2]).law(0.5)) == 1


def test_a_table_takes_laws_as_texts():
    ramp = Table("ramp", [0, 1], [0, 2], kind="linear")
    assert evaluate(ramp("OA.angle") - as_law("2*OA.angle"), {"OA.angle": 0.7}) == 0


@pytest.mark.parametrize(
    ("x", "y", "kind", "message"),
    [
        ([0, 1, 1], [0, 1, 2], "spline", "x does not increase at number 3: 1 follows 1. Sort the points"),
        ([0, 2, 1], [0, 1, 2], "linear", "x does not increase at number 3: 1 follows 2. Sort the points"),
        ([0], [0], "spline", "1 points. Give 2 to 1,000,000"),
        ([0, 1], [0], "spline", "2 values of x, but 1 of y. Give as many of each"),
        ([0, float("nan")], [0, 1], "spline", "x number 2 is nan. Use finite numbers"),
        ([0, 1], [0, float("inf")], "spline", "y number 2 is inf. Use finite numbers"),
        ([0, 1], [0, 1], "splin", "no kind of table is called 'splin'. Did you mean 'spline'"),
        (range(1_000_001), range(1_000_001), "spline", "1000001 points. Give 2 to 1,000,000"),
    ],
)
def test_a_wrong_table_is_refused_in_words(x, y, kind, message):
    with pytest.raises(InputError) as caught:
        Table("torque", x, y, kind=kind)
    assert str(caught.value).startswith(f"table 'torque': {message}")


# -- registered functions ---------------------------------------------------------------------------------------------


def test_a_registered_function_becomes_part_of_the_expression():
    @function
    def drag(v, c=2):
        return -c * v * abs(v)

    v = symbol("A.vx", kind="speed")
    assert as_law("drag(A.vx)") is -2 * v * abs(v)
    assert as_law("drag(A.vx, k)") is -symbol("k") * v * abs(v)
    assert as_expr("1 + drag(k)") is 1 - 2 * symbol("k") * abs(symbol("k"))


def test_a_function_is_registered_by_call_and_by_decorator():
    function("wave", lambda x: sin(x))
    assert as_expr("wave(k)") is sin(symbol("k"))

    @function("step")
    def _step(x):
        return select(x < 0, 0, 1)

    assert evaluate(as_expr("step(k)"), {"k": 3.0}) == 1


def test_a_second_function_of_the_same_name_replaces_the_first():
    function("gain", lambda x: 2 * x)
    assert as_expr("gain(k)") is 2 * symbol("k")
    function("gain", lambda x: 3 * x)
    assert as_expr("gain(k)") is 3 * symbol("k")


def test_a_table_can_be_registered():
    function("curve", Table("curve", [0, 1], [0, 3], kind="linear"))
    assert evaluate(as_law("curve(t)"), {"t": 0.5}) == 1.5


@pytest.mark.parametrize("name", ["sin", "select", "pi", "min", "sqrt"])
def test_a_function_cannot_hide_what_is_built_in(name):
    with pytest.raises(InputError, match=f"function '{name}': this name is built in. Use another name"):
        function(name, lambda x: x)


@pytest.mark.parametrize("name", ["", "2x", "a b", "A.x", "a-b", "é", "x" * 101, "<lambda>"])
def test_a_function_needs_a_name_that_can_be_written(name):
    with pytest.raises(InputError, match="this name cannot be used in formulas"):
        function(name, lambda x: x)


def test_a_function_must_be_callable():
    with pytest.raises(InputError, match="function 'f': this cannot be called"):
        function("f", 3)


@pytest.mark.parametrize(
    ("definition", "text", "message"),
    [
        (lambda x: None, "f(1)", "function 'f' returned None, not an expression or a number. Use operators"),
        (lambda x: "x", "f(1)", "function 'f' returned 'x', not an expression or a number. Use operators"),
        (lambda x: True, "f(1)", "function 'f' returned True, not an expression or a number. Use operators"),
        (lambda x: [x], "f(1)", "function 'f' returned list, not an expression or a finite number. Use operators"),
        (lambda x: float("nan"), "f(1)", "function 'f' returned float, not an expression or a finite number"),
        (lambda x: 1 // 0, "f(1)", "function 'f' failed: ZeroDivisionError: integer division or modulo by zero. Use"),
        (lambda x: 1 / (x - x), "f(k)", "function 'f': division by zero"),
        (lambda x: 1 if x > 0 else 0, "f(k)", "function 'f' failed: TypeError: "),
        (lambda x: x, "f(1, 2)", "the number of values for f is 2. Write f(x)"),
        (lambda x, y=1: x, "f(1, 2, 3)", "the number of values for f is 3. Write f(x, y=1)"),
        (lambda x: x, "g(1)", "unknown function 'g'. Did you mean"),
        (lambda x: x, "f + 1", None),
    ],
)
def test_a_function_that_fails_is_named(definition, text, message):
    function("f", definition)
    if message is None:
        assert as_expr(text) is 1 + symbol("f")
        return
    with pytest.raises(ExpressionError) as caught:
        as_expr(text)
    assert str(caught.value).startswith(message)


def test_functions_can_be_registered_from_several_threads():
    threads = [
        threading.Thread(target=lambda k=k: function(f"f{k}", lambda x, k=k: k * x), name=str(k)) for k in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(as_expr(f"f{k}(1)").value == k for k in range(50))
