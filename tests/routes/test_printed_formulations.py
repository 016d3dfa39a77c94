"""Printed equations are those of the formulation in use: text and SymPy scripts against the programs that are run."""

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

import linkwork as lw
from linkwork.native.numbers import compute_levels, compute_residual
from linkwork.symbolic import evaluate_all
from printed import read

FORMULATIONS = ("absolute", "tree")
NAMES = (
    "four-bar",
    "slider-crank-bodies",
    "gyroscope",
    "spatial-four-bar",
    "cardan-shaft",
    "governor",
    "cart-pole",
)


def states(model):
    """The System in use with places of a motion, and speeds, accelerations and multipliers at random."""
    posed = model.absolute
    rng = np.random.default_rng(3)
    motion = model.simulate(0.3)
    for t in (0.0, 0.1, 0.3):
        state = motion.at(t)
        x, _ = posed.place(state.q, state.u)
        s = posed.system
        yield s, t, x, rng.normal(size=s.n), rng.normal(size=s.n), rng.normal(size=s.m)


def known(model, s, t, x, u, a, lam):
    """Numbers by the names that are printed."""
    d = model.equations().symbols
    found = {"t": t}
    for j in range(s.n):
        found |= {d.q[j].name: x[j], d.u[j].name: u[j], d.a[j].name: a[j]}
    found |= {e.name: x[s.n + k] for k, e in enumerate(d.e)}
    return found | {d.lam[i].name: lam[i] for i in range(s.m)}


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        *product(NAMES, FORMULATIONS),
        *((name, "auto") for name in ("bennett", "sarrus", "stewart-bodies")),
    ],
)
def test_text_is_what_is_integrated(load_example, name, formulation):
    model = load_example(name).formulated(formulation)
    assert model.equations().system.coordinates == model.absolute.system.coordinates
    found = read(model.equations().text(limit=None))
    for s, t, x, u, a, lam in states(model):
        values = known(model, s, t, x, u, a, lam) | found.numbers
        printed = np.array(evaluate_all(list(found.motion.values()), values))
        wanted = compute_residual(s, x, u, a, lam, t)
        np.testing.assert_allclose(printed, wanted, rtol=0, atol=1e-12 * np.max(np.abs(wanted)))
        rows = [found.constraints.get(n, found.velocity_constraints.get(n)) for n in map(row_name, s.multipliers)]
        level = np.array(compute_levels(s, x, u, a, t))[[0 if kept else 1 for kept in s.holonomic], range(s.m)]
        np.testing.assert_allclose(evaluate_all(rows, values), level, atol=1e-12)


def row_name(multiplier):
    return multiplier.removeprefix("lam_")


RUN = """
import json, sys
from sympy import lambdify
_given = json.load(sys.stdin)
_names = sorted({s for e in equations for s in e.free_symbols}, key=str)
_f = lambdify(_names, equations, modules="numpy", cse=True)
print(json.dumps([float(x) for x in _f(*[_given[str(s)] for s in _names])]))
"""


@pytest.mark.parametrize(
    ("name", "formulation"), [("four-bar", "tree"), ("gyroscope", "absolute"), ("governor", "tree")]
)
def test_scripts_are_what_is_integrated(load_example, tmp_path, name, formulation):
    pytest.importorskip("sympy")
    model = load_example(name).formulated(formulation)
    path = tmp_path / "equations.py"
    path.write_text(model.equations().sympy(limit=None) + RUN, encoding="utf-8")
    numbers = read(model.equations().text(limit=None)).numbers
    s, t, x, u, a, lam = next(iter(states(model)))
    given = {name: float(value) for name, value in (known(model, s, t, x, u, a, lam) | numbers).items()}
    words = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    wanted = compute_residual(s, x, u, a, lam, t)
    np.testing.assert_allclose(json.loads(done.stdout), wanted, rtol=0, atol=1e-12 * np.max(np.abs(wanted)))


def test_files_in_space_print_what_auto_takes(load_example):
    model = load_example("gyroscope")
    assert model.formulation.name != "points"
    assert model.equations().text() == model.formulated(model.formulation.name).equations().text()
    assert model.equations().text() != model.formulated("points").equations().text()
    for text in (model.equations().latex(), model.equations().text()):
        assert "Kinematics" in text


def test_constraints_of_every_formulation_are_printed(load_example):
    for formulation in ("points", *FORMULATIONS):
        equations = load_example("four-bar").formulated(formulation).equations()
        for text in (equations.text(), equations.latex(), equations.sympy()):
            assert "lam" in text and "onstraints" in text
        assert isinstance(equations.constraints, dict) and len(equations.constraints) == equations.system.m


def test_models_of_lw_print_their_formulation():
    pendulum = lw.lagrangian("theta", "theta'**2/2 + cos(theta)")
    assert "theta''" in pendulum.equations().text()


SWUNG = """
PhysicalParams: {l: 1, m: 2}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [1, 0]}}
"""


@pytest.mark.parametrize("formulation", ("points", *FORMULATIONS))
@pytest.mark.parametrize(
    "more",
    [
        "Connections: {Stops: {side: A.x + 0.5}}",
        "Connections: {Stops: {back: OA.angle + 2, pawl: {speed: OA.omega}}}",
        "AppliedForces: {Friction: {pin: {speed: OA.omega, limit: 0.1}}}",
        "Connections: {Relations: {lock: {formula: OA.angle, active: no}}}",
    ],
)
def test_equations_of_what_comes_and_goes_are_printed(more, formulation):
    text = SWUNG.replace("AppliedForces: {Gravity: }", more) if "Applied" in more else SWUNG + more
    for model in (
        lw.loads(text).formulated(formulation),
        lw.loads(text).formulated(formulation).with_parameters(l=1.5),
    ):
        equations = model.equations()
        for written in (equations.text(), equations.latex(), equations.sympy()):
            assert "m" in written
        assert model.equations().system.m == len(equations.constraints)
