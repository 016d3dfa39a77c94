"""Equilibria and quasi-static sequences against closed forms: limit points, snapping through, friction that holds."""

import math

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.errors import InputError, SolveError

A, H, K = 1.0, 0.3, 1000.0
L0 = math.hypot(A, H)
TRUSS = """
Title: Von Mises truss
Dimension: 2
PhysicalParams: {a: 1, h: 0.3, k: 1000, load: 0, l0: sqrt(a**2 + h**2)}
PartData:
  Fixed: {L: [-a], R: [a]}
  Springs: {LA: [k, l0], RA: [k, l0]}
  Particles: {A: 1}
Inputs: {push: 0}
AppliedForces: {Forces: {A: [0, -load - push]}}
ProblemData: {tend: 1, positions: {A: [0, h]}}
"""


def load_of(y):
    """The load that holds the top of the truss at a height."""
    return 2 * K * y * (L0 / np.hypot(A, y) - 1)


LIMIT = load_of(math.sqrt((L0 * A**2) ** (2 / 3) - A**2))


@pytest.mark.parametrize("name", ["load", "push"])
def test_a_truss_goes_down_as_its_formula_says_and_its_limit_point_is_found(name):
    found = lw.loads(TRUSS).statics({name: np.linspace(0, 12, 25)})
    assert len(found.points) == 20 and found.stable.all()
    assert load_of(found["A.y"]) == pytest.approx(found.values, abs=1e-8)
    (snap,) = found.snaps
    assert snap.limit and snap.value == pytest.approx(LIMIT, abs=1e-7)
    assert found.outcome.startswith("the branch ends at 9.949916") and "limit point" in found.outcome
    assert np.all(np.diff(found.stiffness) < 0)


def test_a_truss_snaps_through_and_back_at_the_opposite_load():
    loads = [*np.linspace(0, 12, 13), *np.linspace(11, -12, 24)]
    found = lw.loads(TRUSS).statics({"load": loads}, snap=True)
    assert found.outcome.startswith("reached -12; it snapped at")
    assert [snap.value for snap in found.snaps] == pytest.approx([LIMIT, -LIMIT], abs=1e-7)
    assert load_of(found["A.y"]) == pytest.approx(found.values, abs=1e-8)
    assert np.sign(found["A.y"]).tolist() == [1.0] * 10 + [-1.0] * (3 + 21) + [1.0] * 3


def test_a_pendulum_under_a_torque_hangs_where_its_sine_says_and_no_farther_than_level():
    text = """
Dimension: 2
PhysicalParams: {m: 2, l: 0.5, g: 10, tau: 0}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]]}}, Particles: {A: m}}
AppliedForces: {Gravity: [0, -g], Torques: {OA: tau}}
ProblemData: {positions: {A: [0, -l]}}
"""
    found = lw.loads(text).statics({"tau": np.linspace(0, 12, 25)})
    assert np.sin(found["OA"] + math.pi / 2) == pytest.approx(found.values / 10, abs=1e-9)
    assert found.snaps[0].value == pytest.approx(10, abs=1e-6)


def test_a_prescribed_motion_is_followed_through_its_equilibria():
    text = """
Dimension: 2
PhysicalParams: {k: 50, m: 3, g: 10}
PartData:
  Fixed: {O: [], P: [0, 1]}
  Springs: {AB: [k, 1]}
  Particles: {A: 1, B: m}
Connections: {Collinear: [OPA, OPB]}
AppliedForces: {Gravity: [0, -g]}
Motions: {A.y: 2 + sin(t)}
ProblemData: {positions: {A: [0, 2], B: [0, 1]}}
"""
    found = lw.loads(text).statics({"t": np.linspace(0, 3, 16)})
    assert found["B.y"] == pytest.approx(2 + np.sin(found.values) - 1 - 3 * 10 / 50, abs=1e-10)
    assert found.at(3)["A.y"] == pytest.approx(2 + math.sin(found.values[3]))


def test_an_equilibrium_is_where_a_damped_motion_ends():
    model = lw.loads(TRUSS.replace("[0, -load - push]", "[-30*A.vx, -5 - 30*A.vy]"))
    found = model.equilibrium()
    assert found.stable and load_of(found["A.y"]) == pytest.approx(5, abs=1e-9)
    assert model.simulate(3).final["A.y"] == pytest.approx(float(found["A.y"]), abs=1e-6)


# -- friction ----------------------------------------------------------------------------------------------------------


BLOCK = """
Dimension: 2
PhysicalParams: {m: 2, g: 10, mu: 0.3, F: 0, k: 30}
PartData: {Fixed: {O: [], P: [1]}, Particles: {A: m}}
Connections: {Collinear: [OPA]}
AppliedForces:
  Forces: {A: [F - k*A.x, 0]}
  Friction: {dry: {speed: A.vx, limit: mu*m*g}}
ProblemData: {tend: 1, positions: {A: [0, 0]}}
"""


@pytest.mark.parametrize("force", [-6, -3, 0, 5, 6])
def test_a_block_stays_while_friction_holds_and_says_how_much_of_it_is_used(force):
    model = lw.loads(BLOCK).with_parameters(F=force)
    found = model.equilibrium()
    (hold,) = found.holds
    assert found["A.x"] == pytest.approx(0, abs=1e-14)
    assert hold.force == pytest.approx(-force, abs=1e-12) and hold.limit == 6
    assert hold.share == pytest.approx(abs(force) / 6)
    if abs(force) < 6:
        assert model.simulate().final["A.x"] == pytest.approx(0, abs=1e-12)


def test_what_friction_cannot_hold_is_told_with_what_is_missing_or_slides_to_where_it_holds():
    model = lw.loads(BLOCK).with_parameters(F=12)
    with pytest.raises(SolveError, match=r"'dry' would have to hold 12, 6 more than its 6\. Let it slide"):
        model.equilibrium()
    found = model.equilibrium(slide=True)
    assert found["A.x"] == pytest.approx((12 - 6) / 30, abs=1e-12)
    assert found.holds[0].share == pytest.approx(1)


def test_a_spring_and_friction_loaded_and_unloaded_make_the_loop_of_a_jenkins_element():
    forces = [0, 3, 6, 9, 12, 9, 6, 3, 0, -3, -6, 0, 6, 9]
    found = lw.loads(BLOCK).statics({"F": forces})
    x, expected = 0.0, []
    for force in forces:
        x = min(max(x, (force - 6) / 30), (force + 6) / 30)
        expected.append(x)
    assert found["A.x"] == pytest.approx(expected, abs=1e-12)
    used = np.abs(np.array(forces) - 30 * np.array(expected)) / 6
    assert found.table()["dry used"] == pytest.approx(used, abs=1e-9)
    assert found.outcome == "reached 9"


@pytest.mark.parametrize(("angle", "holds"), [(65, True), (55, False)])
def test_a_ladder_holds_where_half_the_cotangent_is_below_the_coefficient(angle, holds):
    text = f"""
Dimension: 2
PhysicalParams: {{m: 10, g: 9.81, mu: 0.25, l: 3, w: {math.radians(angle)}}}
PartData: {{Fixed: {{O: [], P: [1], Q: [0, 1]}}, Rigids: {{AB: {{Geom: [[l]], Dyna: [[l/2], m]}}}}}}
Connections: {{Collinear: [OPA, OQB]}}
AppliedForces:
  Gravity: [0, -g]
  Friction: {{floor: {{speed: A.vx, limit: mu*m*g}}}}
ProblemData: {{positions: {{A: [[l*cos(w), fixed], 0], B: [0, l*sin(w)]}}}}
"""
    model, needed = lw.loads(text), 10 * 9.81 / 2 / math.tan(math.radians(angle))
    if holds:
        assert model.equilibrium().holds[0].force == pytest.approx(-needed, rel=1e-9)
    else:
        with pytest.raises(SolveError, match=f"would have to hold {needed:.6g}"):
            model.equilibrium()


@pytest.mark.parametrize(("degrees", "holds"), [(16.5, True), (17.0, False)])
def test_a_block_on_an_incline_holds_below_the_angle_of_friction_by_the_force_that_presses(degrees, holds):
    text = f"""
Dimension: 2
PhysicalParams: {{m: 2, g: 10, mu: 0.3, w: {math.radians(degrees)}, k: 0}}
PartData: {{Particles: {{A: m}}}}
Connections: {{Relations: {{rail: A.x*sin(w) + A.y*cos(w)}}}}
AppliedForces:
  Gravity: [0, -g]
  Forces: {{A: [-k*A.x, -k*A.y]}}
  Friction: {{dry: {{speed: A.vx*cos(w) - A.vy*sin(w), limit: mu*rail.force}}}}
ProblemData: {{positions: {{A: [0, 0]}}}}
"""
    w = math.radians(degrees)
    model = lw.loads(text)
    if holds:
        (hold,) = model.equilibrium().holds
        assert hold.force == pytest.approx(-20 * math.sin(w)) and hold.limit == pytest.approx(6 * math.cos(w))
        return
    with pytest.raises(SolveError, match="'dry' would have to hold"):
        model.equilibrium()
    # on a spring it slides to where that holds the rest
    found = model.with_parameters(k=5).equilibrium(slide=True)
    along = found["A.x"] * math.cos(w) - found["A.y"] * math.sin(w)
    assert along == pytest.approx(20 * (math.sin(w) - 0.3 * math.cos(w)) / 5, abs=1e-9)


def test_a_lever_between_two_clamps_shares_its_load_so_that_neither_is_used_more_than_needed():
    text = """
Dimension: 2
PhysicalParams: {tau: 3}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]], Dyna: [[0.5], 1]}}}
AppliedForces:
  Efforts: {OA.angle: tau}
  Friction: {left: {speed: OA.omega, limit: 2}, right: {speed: OA.omega, limit: 4}}
ProblemData: {positions: {A: [1, 0]}}
"""
    found = lw.loads(text).equilibrium()
    assert [hold.share for hold in found.holds] == pytest.approx([0.5, 0.5])
    assert sum(hold.force for hold in found.holds) == pytest.approx(-3)
    with pytest.raises(SolveError, match=r"'left' would have to hold 2\.33333, 0\.333 more than its 2, 'right'"):
        lw.loads(text).with_parameters(tau=7).equilibrium()


def test_what_slides_away_for_ever_is_told():
    model = lw.loads(BLOCK).with_parameters(F=12, k=0)
    with pytest.raises(SolveError, match="no static equilibrium"):
        model.equilibrium(slide=True)
    found = lw.loads(BLOCK).with_parameters(k=0).statics({"F": [0, 5, 8]})
    assert found.values.tolist() == [0, 5] and found.outcome.startswith("nothing holds at 8")


# -- words, files, pictures --------------------------------------------------------------------------------------------


def test_a_sequence_is_written_drawn_and_shown(tmp_path):
    model = lw.loads(TRUSS)
    found = model.statics({"load": np.linspace(0, 9, 10)})
    lines = found.write(tmp_path / "truss.csv").read_text().splitlines()
    assert lines[0] == "load,Ax,Ay,stable" and len(lines) == 11
    found.plot("A.y, LA.length", tmp_path / "truss.png")
    assert (tmp_path / "truss.png").stat().st_size > 1000
    assert model.show_statics(found, str(tmp_path / "truss.html"), browser=False).exists()


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"lood": [1]}, "Did you mean 'load'"),
        ({"load": []}, "no list of finite numbers"),
        ({"load": ["x"]}, "no list of finite numbers"),
        ({"load": [0, math.nan]}, "no list of finite numbers"),
        ({}, "0 names to go over"),
        ({"load": [1], "push": [2]}, "2 names to go over"),
        (None, "statics"),
    ],
)
def test_bad_sequences_are_refused_in_words(over, words):
    with pytest.raises(InputError) as caught:
        lw.loads(TRUSS).statics(over)
    assert words in str(caught.value)


def test_the_command_prints_one_equilibrium_or_a_table(tmp_path):
    file = tmp_path / "truss.yaml"
    file.write_text(TRUSS)
    run = CliRunner().invoke
    assert "stable" in run(app, ["statics", str(file), "--what", "A.y"]).output
    told = run(app, ["statics", str(file), "--over", "load=0:12:7", "--what", "A.y", "--snap"])
    assert told.exit_code == 0 and "it snapped at 9.94991" in told.output and "load,A.y,stable" in told.output
    for name in ("s.csv", "s.png", "s.html"):
        run(app, ["statics", str(file), "--over", "load=0:5:6", "--out", str(tmp_path / name)])
        assert (tmp_path / name).exists()
    for words in (["--over", "load=1"], ["--out", str(tmp_path / "s.csv")], ["--over", "load=0:1:3", "--out", "s.doc"]):
        assert run(app, ["statics", str(file), *words]).exit_code != 0


# -- what follows from a place ----------------------------------------------------------------------------------------

HELD = """
PhysicalParams: {l: 1, m: 2, g: 9.81, k: 40, T: 0.5, target: 0.3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}
States: {I: {rate: (target - OA.angle)/T}}
AppliedForces:
  Gravity: [0, -g]
  Torques: {OA: k*I - 5*OA.omega + k*(target - OA.angle)}
ProblemData: {tend: 5, positions: {A: [0.9, 0.3]}}
"""


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_a_controller_at_rest_holds_the_weight_by_its_integral(formulation):
    model = lw.loads(HELD).formulated(formulation)
    rest = model.equilibrium()
    assert rest["OA.angle"] == pytest.approx(0.3, abs=1e-12)
    assert 40 * rest["I"] == pytest.approx(2 * 9.81 / 2 * np.cos(0.3), abs=1e-10)
    path = model.statics({"target": [0.1, 0.3, 0.5]})
    assert path["OA.angle"] == pytest.approx([0.1, 0.3, 0.5], abs=1e-12)
    assert 40 * path["I"] == pytest.approx(9.81 * np.cos([0.1, 0.3, 0.5]), abs=1e-10)


def test_a_law_of_a_reaction_is_balanced_with_the_reaction_of_the_equilibrium():
    torque = lw.Torque(part="OA", value="-k*OA.angle + c*OA.O.fy")
    model = lw.Model(
        lw.Mechanism(
            parameters={"k": 40, "c": 0.1},
            fixed={"O": (0, 0)},
            rigids=[lw.Rigid.rod("OA", 1, 2)],
            gravity=(0, -9.81),
            torques=[torque],
            start=lw.InitialValues(positions={"A": (0.9, 0.3)}),
        )
    )
    rest, path = model.equilibrium(), model.statics({"c": [0, 0.1, 0.2]})
    angle, c = path["OA.angle"], np.array([0, 0.1, 0.2])
    assert rest["OA.O.fy"] == pytest.approx(2 * 9.81, abs=1e-10)
    assert 40 * angle == pytest.approx(c * 2 * 9.81 - 9.81 * np.cos(angle), abs=1e-9)
    assert rest["OA.angle"] == pytest.approx(angle[1], abs=1e-12)
