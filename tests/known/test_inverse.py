"""Inverse dynamics against textbook formulas, virtual power, and the forward run with the forces found."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app

ROOT = Path(__file__).parents[2]
G = 9.81


def pendulum(law):
    return lw.loads(f"""
Dimension: 2
PhysicalParams: {{m: 2, l: 1.5, g: {G}}}
PartData:
  Fixed: {{O: []}}
  Rigids: {{OA: {{Geom: [[l]]}}}}
  Particles: {{A: m}}
AppliedForces: {{Gravity: [0, -g]}}
Motions: {{OA.angle: "{law}"}}
ProblemData: {{t0: 0, tend: 2, positions: {{A: [0, -l]}}}}
""")


def arm(motions=""):
    """Two uniform rods, a and b, with torques at shoulder and elbow."""
    return lw.loads(f"""
Dimension: 2
PhysicalParams: {{a: 1.0, b: 0.7, m: 3, n: 2, g: {G}}}
PartData:
  Fixed: {{O: []}}
  Rigids:
    OA: {{Geom: [[a]], Dyna: [[a/2], m]}}
    AB: {{Geom: [[b]], Dyna: [[b/2], n]}}
AppliedForces: {{Gravity: [0, -g]}}
{motions}
ProblemData: {{t0: 0, tend: 3, positions: {{A: [a, 0], B: [a, b]}}}}
""")


def arm_torques(p, q, v, w, c, d, *, a=1.0, b=0.7, m=3.0, n=2.0):
    """Shoulder and elbow torque of the arm: angles p, q of its rods from the x axis, rates v, w and c, d."""
    h = n * a * b / 2
    elbow = n * b**2 / 3 * d + h * (np.cos(q - p) * c + np.sin(q - p) * v**2) + n * G * b / 2 * np.cos(q)
    upper = (m / 3 + n) * a**2 * c + h * (np.cos(q - p) * d - np.sin(q - p) * w**2) + (m / 2 + n) * G * a * np.cos(p)
    return upper + elbow, elbow


def test_the_torque_of_a_pendulum_is_that_of_its_equation_of_motion():
    forces = pendulum("-pi/2 + 0.7*sin(3*t)").simulate(kinematic=True, tol=1e-12).inverse()
    phi, second = 0.7 * np.sin(3 * forces.t), -6.3 * np.sin(3 * forces.t)
    assert forces["OA.angle"] == pytest.approx(2 * 1.5**2 * second + 2 * G * 1.5 * np.sin(phi), abs=1e-11)
    assert forces.power["OA.angle"] == pytest.approx(forces["OA.angle"] * 2.1 * np.cos(3 * forces.t), abs=1e-10)


LAWS = {"OA.angle": "sin(t)", "AB.angle": "1 + cos(2*t)"}


def arm_forces(t):
    p, v, c = np.sin(t), np.cos(t), -np.sin(t)
    q, w, d = 1 + np.cos(2 * t), -2 * np.sin(2 * t), -4 * np.cos(2 * t)
    return arm_torques(p, q, v, w, c, d)


def test_a_two_link_arm_needs_the_torques_of_the_textbook():
    motion = arm().driven(LAWS).simulate(kinematic=True, tol=1e-12)
    t = np.linspace(0, 3, 50)
    shoulder, elbow = arm_forces(t)
    # along the angles of the rods, and along the angles of the joints
    by_rods = motion.inverse().at(t)
    assert by_rods["OA.angle"] == pytest.approx(shoulder - elbow, abs=1e-10)
    assert by_rods["AB.angle"] == pytest.approx(elbow, abs=1e-10)
    by_joints = motion.inverse("OA.angle", "elbow = AB.angle - OA.angle").at(t)
    assert by_joints["OA.angle"] == pytest.approx(shoulder, abs=1e-10)
    assert by_joints["elbow"] == pytest.approx(elbow, abs=1e-10)


@pytest.mark.parametrize("given", ["text", "function", "table", "columns"])
def test_motions_may_be_formulas_functions_tables_and_columns(given):
    t = np.linspace(0, 3, 3001)
    values = {"OA.angle": np.sin(t), "AB.angle": 1 + np.cos(2 * t)}
    laws = {
        "text": LAWS,
        "function": {"OA.angle": lambda t: t.sin() if hasattr(t, "sin") else lw.Table("s", [0, 1], [0, 1])(t)},
        "table": {name: lw.Table(name.replace(".", "_"), t, y) for name, y in values.items()},
        "columns": {name: (t, y) for name, y in values.items()},
    }[given]
    if given == "function":
        laws = {"OA.angle": lambda t: 0.5 * t**2, "AB.angle": lambda t: 1 - t}
        p, v, c = 0.5 * t**2, t, np.ones_like(t)
        expected = arm_torques(p, 1 - t, v, -np.ones_like(t), c, 0 * t)
    else:
        expected = arm_forces(t)
    forces = arm().inverse(laws, 3, tol=1e-10, actuators=["OA.angle", "AB.angle - OA.angle"])
    middle = (t > 0.2) & (t < 2.8)  # splines are free at their ends
    for name, torque in zip(forces.names, expected, strict=True):
        assert forces.at(t)[name][middle] == pytest.approx(torque[middle], abs=2e-4)


def test_a_slider_crank_at_constant_speed_needs_the_torque_of_the_formula():
    r, l, w, piston = 0.3, 1.1, 20.0, 2.5
    text = f"""
Dimension: 2
PhysicalParams: {{r: {r}, l: {l}}}
PartData:
  Fixed: {{O: [], Q: [1]}}
  Rigids: {{OA: {{Geom: [[r]]}}, AB: {{Geom: [[l]]}}}}
  Particles: {{B: {piston}}}
Connections: {{Collinear: [OQB]}}
Motions: {{OA.angle: {w}*t}}
ProblemData: {{t0: 0, tend: 1, positions: {{A: [r, 0], B: [r + l, 0]}}}}
"""
    forces = lw.loads(text).simulate(kinematic=True, tol=1e-12).inverse()
    s, c = r * np.sin(w * forces.t), r * np.cos(w * forces.t)
    root = np.sqrt(l**2 - s**2)
    slope = -s - s * c / root  # dx/dθ
    second = -(w**2) * (c + (c**2 - s**2) / root + s**2 * c**2 / root**3)
    assert forces["OA.angle"] == pytest.approx(piston * second * slope, abs=1e-9)


def test_the_leg_forces_of_a_stewart_platform_do_the_work_of_the_platform():
    model = lw.load(ROOT / "examples" / "stewart-bodies.yaml").with_parameters(k=0, c=0)  # without its servos
    joints = [joint.name for joint in model.mechanism.joints if joint.kind == "prismatic"]
    start = model.simulate(0.0).final
    laws = {
        f"{name}.travel": f"{float(start[f'{name}.travel'])!r} + {0.02 * (i - 2)!r}*sin(3*t)"
        for i, name in enumerate(joints)
    }
    forces = model.inverse(laws, 0.5, tol=1e-11)
    assert len(forces.names) == 6
    motion = forces.motion
    # virtual power: the legs supply what kinetic and potential energy gain
    t, h = np.linspace(0.05, 0.45, 9), 1e-4
    gain = (motion.at(t + h).energy.total - motion.at(t - h).energy.total) / (2 * h)
    supplied = sum(forces.at(t)[name] * motion.at(t).velocity(name) for name in forces.names)
    assert supplied == pytest.approx(gain, abs=1e-5 * np.max(np.abs(gain)))
    # and no other actuators do
    again = motion.inverse(*forces.names[::-1])
    assert again[forces.names[2]] == pytest.approx(forces[forces.names[2]], rel=1e-9, abs=1e-9)


def test_andrews_mechanism_driven_as_it_moved_needs_the_torque_that_moved_it():
    model = lw.load(ROOT / "examples" / "andrews.yaml")
    motion = model.simulate(0.03, tol=1e-12)
    # with it nothing more is needed
    assert np.max(np.abs(motion.inverse("OF.angle")["OF.angle"])) < 1e-8
    idle = model.with_parameters(mom=0)
    assert idle.inverse(motion, actuators="OF.angle")["OF.angle"] == pytest.approx(0.033, abs=1e-8)
    # through a gear of 3 to 1 a third, with the same power
    geared = idle.inverse(motion, actuators="motor = 3*OF.angle")
    assert geared["motor"] == pytest.approx(0.011, abs=1e-8)
    assert geared.power["motor"] == pytest.approx(0.033 * motion.velocity("OF"), abs=1e-5)


@pytest.mark.parametrize("make", [lambda: (arm(), LAWS), lambda: (pendulum("0"), {"OA.angle": "t**2 - 1"})])
def test_the_forces_found_make_the_motion_again(make):
    model, laws = make()
    forces = model.inverse(laws, 2, tol=1e-12)
    again = model.with_forces(forces).simulate(tol=1e-12)
    assert again.outcome == "reached t = 2"
    assert np.max(np.abs(again.at(forces.t)["A"] - forces.motion["A"])) < 1e-10
    assert again.audit().ok


def test_a_simulated_motion_gives_back_the_forces_that_acted():
    cart = """
Dimension: 2
PartData:
  Fixed: {O: [], Q: [1]}
  Rigids: {AB: {Geom: [[0.6]], Dyna: [[0.3], 1]}}
  Particles: {A: 2}
Connections: {Collinear: [OQA]}
AppliedForces:
  Gravity:
  FORCE
ProblemData: {tend: 2, positions: {A: [0, 0], B: [0.6, 0]}}
"""
    pushed = lw.loads(cart.replace("FORCE", "Forces: {A: [5*sin(4*t)]}")).simulate(tol=1e-12)
    idle = lw.loads(cart.replace("FORCE", ""))
    # one actuator for two freedoms is enough, since the motion is one that it makes
    assert idle.inverse(pushed, actuators="A.x")["A.x"] == pytest.approx(5 * np.sin(4 * pushed.t), abs=1e-8)
    with pytest.raises(lw.SolveError, match=r"forces along AB\.angle do not make this motion"):
        idle.inverse(pushed, actuators="AB.angle")
    with pytest.raises(lw.InputError, match="not a motion of this mechanism"):
        arm().inverse(pushed)


def test_more_actuators_than_freedoms_are_told_and_the_smallest_forces_found_if_asked():
    motion = arm().driven(LAWS).simulate(kinematic=True)
    three = ("OA.angle", "AB.angle", "B.x")
    with pytest.raises(lw.SolveError, match="not unique at t = 0"):
        motion.inverse(*three)
    smallest, unique = motion.inverse(*three, least_squares=True), motion.inverse()
    t = np.linspace(0, 3, 20)
    norms = [np.sqrt(sum(f.at(t)[name] ** 2 for name in f.names)) for f in (smallest, unique)]
    assert np.all(norms[0] <= norms[1] + 1e-9)
    assert np.max(smallest.missed) < 1e-9


def test_too_few_actuators_are_told_with_what_is_missing():
    motion = arm().driven(LAWS).simulate(kinematic=True)
    with pytest.raises(lw.SolveError, match=r"forces along OA\.angle do not make this motion: at t = .* is missing"):
        motion.inverse("OA.angle")
    assert np.max(motion.inverse("OA.angle", least_squares=True).missed) > 0.01


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("OA.angel", "Did you mean 'OA.angle'"),
        ("g", "'g' does not move"),
        ("2*", "actuator '2*'"),
    ],
)
def test_unknown_actuators_are_refused_in_words(name, words):
    motion = arm().driven(LAWS).simulate(kinematic=True)
    with pytest.raises(lw.InputError) as caught:
        motion.inverse(name)
    assert words in str(caught.value)


def test_a_motion_told_of_another_mechanism_stays_as_it_was():
    model = arm()
    motion = model.driven(LAWS).simulate(0.5, kinematic=True)
    before = motion.at([0.1, 0.2]).lam
    other = model.inverse(motion, actuators=["OA.angle", "AB.angle"])
    assert np.array_equal(motion.at([0.1, 0.2]).lam, before)
    assert other["AB.angle"] == pytest.approx(motion.driving("AB.angle"), abs=1e-9)
    with pytest.raises(lw.InputError, match="its constraints do not hold there"):
        model.with_parameters(a=1.1).inverse(motion, actuators="OA.angle")


@pytest.mark.parametrize("name", ["OB.angle", None, 3, [], {}])
def test_forces_of_unknown_actuators_are_refused_in_words(name):
    forces = arm().inverse(LAWS, 0.1)
    with pytest.raises(lw.LinkworkError):
        forces[name]
    with pytest.raises(lw.LinkworkError):
        forces.at(["x"])


def test_a_motion_that_nothing_drives_needs_names():
    with pytest.raises(lw.InputError, match="no actuators are named, and nothing is prescribed"):
        arm().simulate(0.1).inverse()


@pytest.mark.parametrize("law", [None, object(), (1, 2, 3), lambda t: t.nothing, ([0, 1], [1])])
def test_laws_that_are_none_are_refused_in_words(law):
    with pytest.raises(lw.InputError):
        arm().driven({"OA.angle": law})


def test_the_command_writes_the_forces_and_says_how_large_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, file = CliRunner().invoke, str(ROOT / "examples" / "quick-return.yaml")
    told = run(app, ["inverse", file, "--points", "50"])
    assert told.exit_code == 0 and "kinematic" in told.output and "power up to" in told.output
    table = np.genfromtxt(tmp_path / "quick-return-forces.csv", delimiter=",", names=True)
    assert len(table) == 50
    motion = lw.load(file).simulate()
    (target,) = [driver.target for driver in motion.mechanism.motions]
    assert told.output.count(target) == 1
    forces = motion.inverse().at(table["t"])[target]
    assert table[table.dtype.names[1]] == pytest.approx(forces, abs=1e-6 * np.max(np.abs(forces)))
    told = run(app, ["inverse", str(ROOT / "examples" / "four-bar.yaml"), "--until", "0.5", "--along", "OA.angle"])
    assert told.exit_code == 0 and "simulated" in told.output
    assert run(app, ["inverse", file, "--out", "forces.doc"]).exit_code != 0
    assert run(app, ["inverse", str(ROOT / "examples" / "four-bar.yaml"), "--until", "0.1"]).exit_code != 0
