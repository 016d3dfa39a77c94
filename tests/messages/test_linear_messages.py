"""What a user reads when a linear model cannot be made as asked."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app

PENDULUM = """
PhysicalParams: {l: 2, m: 3, tau: 0, idle: 1}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}
AppliedForces: {Gravity: [0, -9.81], ConstTorques: {OA: tau}}
ProblemData: {positions: {A: [1, -2]}}
"""


@pytest.fixture
def pendulum():
    return lw.loads(PENDULUM)


def refused(assembly, *words, **asked):
    with pytest.raises(lw.LinkworkError) as caught:
        assembly.linearize(**asked)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("OB.angle", ["state 'OB.angle'", "unknown name 'OB.angle'", "Did you mean 'OA.angle'?"]),
        ("theta", ["unknown name 'theta'"]),
        ("A.vx", ["it contains Ax'", "rates of states are states by themselves"]),
        ("2*l", ["does not depend on any position"]),
        ("sin(", ["missing"]),
        ("", ["an empty state"]),
        ("x = ", ["state 'x = '", "empty"]),
        ("OA.length", ["does not change with the motion at this point", "for instance"]),
        ("__import__('os')", ["state"]),
    ],
)
def test_states_that_are_none(pendulum, state, words):
    refused(pendulum, *words, states=[state])


def test_one_text_may_hold_several_states(pendulum):
    assert pendulum.linearize(states="theta = OA.angle, A.x").states == ("theta",)
    refused(pendulum, "no list of names", states=5)


def test_all_states_that_are_wrong_are_told_together(pendulum):
    with pytest.raises(lw.InputError) as caught:
        pendulum.linearize(states=["OB.angle", "A.x"], inputs=["nothing"], outputs=["B.x"])
    assert len(caught.value.problems) == 3


def test_a_state_that_is_singular_here_is_named_and_others_are_suggested(pendulum):
    refused(pendulum, "state 'A.y'", "does not change", "for instance OA", at="equilibrium", states=["A.y"])


def test_a_state_given_twice(pendulum):
    refused(pendulum, "given twice", states=["A.x", "A.x"])


def test_surplus_states_are_dropped_and_missing_ones_completed_with_a_note(pendulum):
    linear = pendulum.linearize(states=["A.x", "OA.angle"])
    assert linear.states == ("A.x",)
    assert any("dropped OA.angle" in note for note in linear.notes)
    free = lw.lagrangian("x y", "(x'**2 + y'**2)/2 - x**2 - x*y").linearize(states=["s = x + y"])
    assert len(free.states) == 2 and free.states[0] == "s"
    assert any("completed with" in note for note in free.notes)


def test_inputs_that_do_nothing_are_noted(pendulum):
    linear = pendulum.linearize("equilibrium", inputs=["idle", "tau", "m"])
    assert [note for note in linear.notes if "does nothing" in note] == [
        "input idle does nothing here",
        "input m does nothing here",
    ]
    assert linear.modes[0].inputs["idle"] == 0.0 < linear.modes[0].inputs["tau"]


def test_what_is_driven_has_no_static_equilibrium():
    crank = lw.load("examples/chebyshev.yaml")
    refused(crank, "does not rest", "Linearise at a time instead", at="equilibrium")


def test_what_falls_has_no_equilibrium():
    ball = lw.lagrangian("x y", "(x'**2 + y'**2)/2 - 9.81*y")
    refused(ball, "no static equilibrium", "along y", at="equilibrium")


def test_what_cannot_be_assembled_has_no_point():
    torn = """
PartData:
  Fixed: {O: [], Q: [9]}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}, AQ: {Geom: [[1]], Dyna: [[0.5], 1]}}
"""
    refused(lw.loads(torn), at="equilibrium")


def test_nothing_to_move():
    stiff = """
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}, AQ: {Geom: [[1]], Dyna: [[0.5], 1]}}
ProblemData: {positions: {A: [0.5, 0.8]}}
"""
    refused(lw.loads(stiff), "no degree of freedom")


@pytest.mark.parametrize("at", ["nowhere", float("nan"), float("inf")])
def test_points_that_are_none(pendulum, at):
    refused(pendulum, "start", at=at)


def test_a_time_before_the_start_and_states_of_others(pendulum):
    refused(pendulum, at=-1.0)
    motion = lw.load("examples/four-bar.yaml").simulate(0.1)
    refused(pendulum, "not one state of this mechanism", at=motion.final)
    refused(pendulum, "not one state", at=pendulum.simulate(0.1).at([0.0, 0.1]))


def test_responses_need_inputs(pendulum):
    linear = pendulum.linearize("equilibrium")
    with pytest.raises(lw.InputError, match="no inputs"):
        linear.bode()
    with pytest.raises(lw.InputError, match="increasing"):
        pendulum.linearize("equilibrium", inputs=["tau"]).step([2, 1])


# -- commands ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)

    def call(*words):
        return CliRunner().invoke(app, words)

    return call


def test_linearize_prints_the_modes_and_the_matrices(run):
    result = run("linearize", "pendulum.yaml", "--at", "equilibrium", "--states", "OA.angle", "--inputs", "tau")
    assert result.exit_code == 0
    assert "0.431703" in result.output and "stiffness" in result.output and "29.43" in result.output


def test_linearize_writes_json_mat_and_npz(run, tmp_path):
    printed = json.loads(run("linearize", "pendulum.yaml", "--at", "t=0.5", "-f", "json").output)
    assert printed["equilibrium"] is False and len(printed["A"]) == 2
    assert run("linearize", "pendulum.yaml", "-f", "mat").exit_code == 0
    assert run("linearize", "pendulum.yaml", "-o", "model.npz").exit_code == 0
    from scipy.io import loadmat

    matrices = [loadmat(tmp_path / "pendulum.mat")["A"], np.load(tmp_path / "model.npz")["A"]]
    np.testing.assert_allclose(matrices[0], matrices[1], rtol=1e-14)


def test_modes_writes_lines_and_pictures(run, tmp_path):
    lines = run("modes", "pendulum.yaml", "--at", "equilibrium", "--vary", "l=1:3:5").output.splitlines()
    assert len(lines) == 6 and lines[0] == "l,re_1,im_1"
    for target in ("campbell.html", "campbell.png"):
        assert run("modes", "pendulum.yaml", "--at", "equilibrium", "--vary", "l=1:3:5", "-o", target).exit_code == 0
        assert (tmp_path / target).stat().st_size > 5000
    assert "oscillation" in run("modes", "pendulum.yaml", "--at", "equilibrium").output


def test_modes_counts_the_slowest(run, tmp_path):
    found = [run("modes", "pendulum.yaml", "--at", "equilibrium", *more).output for more in ([], ["--count", "1"])]
    rows = [next(line for line in text.splitlines() if line.startswith("   1")) for text in found]
    assert rows[0].split()[:6] == rows[1].split()[:6]  # number, eigenvalue, frequency, damping
    lines = run(
        "modes", "pendulum.yaml", "--at", "equilibrium", "--vary", "l=1:3:3", "--count", "1"
    ).output.splitlines()
    assert len(lines) == 4 and lines[0] == "l,re_1,im_1"
    assert run("modes", "pendulum.yaml", "--count", "1", "--animate", "1", "-o", "mode.html").exit_code == 0
    assert (tmp_path / "mode.html").stat().st_size > 5000


@pytest.mark.parametrize(
    "words",
    [
        ["linearize", "pendulum.yaml", "--at", "soon"],
        ["linearize", "pendulum.yaml", "--states", "B.x"],
        ["linearize", "pendulum.yaml", "-o", "model.xls"],
        ["linearize", "pendulum.yaml", "-o", "pendulum.yaml"],
        ["linearize", "pendulum.yaml", "--set", "l=-1"],
        ["modes", "pendulum.yaml", "--count", "0"],
        ["modes", "pendulum.yaml", "--vary", "l=1:3"],
        ["modes", "pendulum.yaml", "--vary", "l=1:1:3"],
        ["modes", "pendulum.yaml", "--vary", "l=1:nan:3"],
        ["modes", "pendulum.yaml", "--vary", "k=1:2:3"],
        ["modes", "pendulum.yaml", "--vary", "l=-1:1:3", "--at", "equilibrium"],
        ["modes", "pendulum.yaml", "-o", "campbell.png"],
        ["modes", "pendulum.yaml", "--vary", "l=1:2:3", "-o", "campbell.doc"],
    ],
)
def test_bad_input_ends_in_words(run, words):
    result = run(*words)
    assert result.exit_code != 0
    assert isinstance(result.exception, lw.LinkworkError | SystemExit), result.exception
    assert str(result.exception)


@pytest.mark.parametrize("error", ["1", "tau + 2 + A.vx", "sqrt(1 + O.vx**2)"])
def test_a_state_that_never_rests_is_named(error):
    never, may = (lw.loads(PENDULUM + f"States: {{X: {{rate: '{rate}'}}}}\n") for rate in (error, f"{error} - X"))
    refused(never, "state 'X'", "wherever nothing moves", "never comes to rest", at="equilibrium")
    assert may.linearize("equilibrium").first_order == ("X",)
    model = lw.lagrangian("x", "x'**2/2 - x**2/2", states={"s": "1 + x' - s"})
    assert model.linearize("equilibrium").first_order == ("s",)


def test_a_stiffness_without_a_value_is_said_and_not_taken_for_balance():
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "asin(x)**3"}, start={"x": 1})
    refused(model, "have no value where the search for an equilibrium begins", at="equilibrium")


@pytest.mark.parametrize("size", [1.0, 1e200])
def test_huge_gradients_are_independent_all_the_same(size):
    """y' = 0 leaves one freedom, whatever the constraint is multiplied by."""
    energy = "x'**2/2 + y'**2/2 - x**2/2"
    model = lw.lagrangian("x y", energy, velocity_constraints=[f"y'*{size:g}"], start={"x": 1})
    assert model.linearize(at="equilibrium").speeds == ("x'",)


def test_what_linear_algebra_raises_is_not_turned_into_words(pendulum, monkeypatch):
    """A defect must be seen as one."""

    def broken(*_):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr("linkwork.pipeline.model.find_start", broken)
    with pytest.raises(np.linalg.LinAlgError):
        pendulum.linearize()
