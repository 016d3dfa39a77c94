"""Intermediate values: the paper's examples, and what is printed computes what was derived."""

from __future__ import annotations

import pytest

import linkwork as lw
from known.satellite import VALUES, satellite
from linkwork.symbolic import cos, evaluate, sin, symbol
from linkwork.symbolic.intermediates import Intermediates, list_values
from linkwork.symbolic.parse import parse

A, B, C = symbol("A"), symbol("B"), symbol("C")
X, Y = symbol("X", kind="coordinate"), symbol("Y", kind="coordinate")


def test_constants_are_one_symbol_and_values_are_known_again() -> None:
    names = Intermediates()
    assert str(names.name(A * sin(B * X + C * Y) ** 2 / cos(3 * A))) == "z6"
    assert str(names.name(5 * cos(3 * A) / sin(B * X + C * Y))) == "z7"
    assert {str(p): str(e) for p, e in names.constants.items()} == {"p1": "A/cos(3*A)", "p2": "5*cos(3*A)"}
    assert {str(z): str(e) for z, e in names.variables.items()} == {
        "z1": "B*X", "z2": "C*Y", "z3": "z1 + z2", "z4": "sin(z3)", "z5": "z4**2", "z6": "p1*z5", "z7": "p2/z4",
    }  # fmt: skip


def test_the_constant_factor_of_a_sum_is_split_off() -> None:
    names = Intermediates()
    names.name(A * (2 * B * X + B**2 * Y))
    assert [str(e) for e in names.constants.values()] == ["A*B"]
    assert str([*names.variables.values()][-1]) == "p1*z3"


def test_values_used_once_are_written_in_place() -> None:
    found = list_values({"a": A * (2 * B * X + B**2 * Y) + X, "b": sin(X) * (A + B) - sin(X) ** 2})
    assert {str(p): str(e) for p, e in found.constants.items()} == {"p1": "A*B", "p2": "A + B"}
    assert {str(z): str(e) for z, e in found.variables.items()} == {"z1": "sin(X)"}
    assert {n: str(e) for n, e in found.results.items()} == {"a": "p1*(B*Y + 2*X) + X", "b": "z1*(p2 - z1)"}


def test_a_very_deep_expression_is_named() -> None:
    deep = X
    for _ in range(500):
        deep = sin(deep + A) * Y
    found = list_values({"deep": deep})
    assert len(found.variables) > 20


@pytest.mark.parametrize("small", [False, True, 3])
def test_what_is_printed_computes_what_was_derived(small: bool | int) -> None:
    equations = satellite().tree.equations(small=small)
    values = VALUES | {f"{x}{i}": i / 10 for i in range(1, 11) for x in "qu"}
    known = dict(values)
    results = {}
    for line in equations.text().splitlines():
        if line and not line.startswith("#"):
            name, text = line.split(" = ", 1)
            known[name] = evaluate(parse(text), known)
            results[name] = known[name]
    for name, expr in equations.exprs.items():
        assert results[name] == pytest.approx(evaluate(expr, values), rel=1e-11, abs=1e-11), name


def test_small_equations_cost_less() -> None:
    tree = satellite().tree
    full, small = tree.equations().count(), tree.equations(small=True).count()
    assert small["total"] < 0.8 * full["total"]


def test_script_of_sympy_has_the_same_matrices() -> None:
    sympy = pytest.importorskip("sympy")
    equations = satellite().tree.equations(small=True)
    space: dict = {}
    exec(compile(equations.sympy(), "script", "exec"), space)  # our own text, in a test
    values = VALUES | {f"{x}{i}": i / 10 for i in range(1, 11) for x in "qu"}
    numbers = {sympy.Symbol(name, real=True): value for name, value in values.items()}
    for place in ((0, 0), (5, 3), (9, 4)):
        i, j = place
        entry = equations.kane.mass.get(place)
        expected = 0 if entry is None else evaluate(entry, values)
        assert float(space["M"][i, j].subs(numbers)) == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert float(space["f"][6].subs(numbers)) == pytest.approx(evaluate(equations.kane.forces[6], values), rel=1e-11)


def test_markdown_and_latex_have_all_sections() -> None:
    equations = satellite().tree.equations(small=True)
    page = equations.markdown()
    assert "## Constants, computed once" in page and "M_{1,1}" in page and "Operations of one evaluation" in page
    assert "## Dynamics: M u' = f, M symmetric" in page and "| $\\mathrm{KB}$ | N·m/rad | |" in page
    assert equations.latex().count(r"\begin{aligned}") == 4


def test_operations_become_fewer_by_each_technique() -> None:
    equations = satellite().tree.equations()
    written, once, printed = (found["total"] for found in equations.counts().values())
    assert written > 2 * once > 2 * printed and equations.count()["total"] == printed


def test_names_of_the_user_are_not_taken_for_constants_values_or_matrices() -> None:
    sympy = pytest.importorskip("sympy")
    tree = lw.Tree("clash", gravity="p1")
    tree.add_body("A", rotate="y", mass="M", inertia=(0, "f", 0), centre=("lambda", 0, "z1"))
    equations = tree.equations()
    values = {"p1": 9.81, "M": 2.0, "f": 0.3, "lambda": 0.7, "z1": 0.4, "q1": 0.5, "u1": 1.5}
    expected = {name: evaluate(expr, values) for name, expr in equations.exprs.items()}
    known = dict(values)
    for line in equations.text().splitlines():
        if line and not line.startswith("#"):
            name, text = line.split(" = ", 1)
            assert name not in values
            known[name] = evaluate(parse(text), known)
    assert {name: known[name] for name in expected} == pytest.approx(expected)
    space: dict = {}
    exec(compile(equations.sympy(), "script", "exec"), space)  # our own text, in a test
    numbers = {sympy.Symbol(name, real=True): value for name, value in values.items()}
    assert float(space["M"][0].subs(numbers)) == pytest.approx(expected["M[1,1]"])
    assert float(space["f"][0].subs(numbers)) == pytest.approx(expected["f[1]"])
