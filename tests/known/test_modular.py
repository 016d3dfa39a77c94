"""The models of the MoSs documentation (R. Orsino, 2015), composed of free bodies, against its printed equations.

Misprints are corrected: in figure 3 a rule px² + py² → a² − pz² has px printed, in figure 5 denominators are lost.
"""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy

import linkwork as lw
import pendulums
from linkwork import modular as md
from linkwork.symbolic import evaluate, free_symbols, substitute, to_sympy
from pendulums import ANGLES, PARAMETERS, START, figure2, figure3, figure4

SQUARE = "(v_Px**2 + v_Py**2 + v_Pz**2)"
SPINS = {
    "w_Px'": ("(Iy_P - Iz_P)*w_Py*w_Pz/Ix_P", 4),
    "w_Py'": ("(Iz_P - Ix_P)*w_Px*w_Pz/Iy_P", 4),
    "w_Pz'": ("(Ix_P - Iy_P)*w_Px*w_Py/Iz_P", 4),
}
W = "(theta1**2 + sin(theta)**2*phi1**2)"
PRINTED = {
    "figure 2": {
        "v_Px'": (f"p_Px*(g*p_Pz - {SQUARE})/a**2", 10),
        "v_Py'": (f"p_Py*(g*p_Pz - {SQUARE})/a**2", 10),
        "v_Pz'": (f"-(g*(p_Px**2 + p_Py**2) + p_Pz*{SQUARE})/a**2", 14),
    },
    "figure 3": {
        "k'": ("-2*g*v_Pz", 3),
        "v_Px'": ("p_Px*(g*p_Pz - k)/a**2", 5),
        "v_Py'": ("p_Py*(g*p_Pz - k)/a**2", 5),
        "v_Pz'": ("-(a**2*g + p_Pz*(k - g*p_Pz))/a**2", 9),
    },
    "figure 4": {
        "v_Px'": (f"-cos(phi)*sin(theta)*(g*cos(theta) + a*{W})", 15),
        "v_Py'": (f"-sin(phi)*sin(theta)*(g*cos(theta) + a*{W})", 15),
        "v_Pz'": (f"-g*sin(theta)**2 + a*cos(theta)*{W}", 13),
        "theta''": ("sin(theta)*(-g/a + cos(theta)*phi1**2)", 7),
        "phi''": ("-2*cos(theta)*theta1*phi1/sin(theta)", 7),
    },
}
MODELS = {"figure 2": figure2, "figure 3": figure3, "figure 4": figure4}


def in_sympy(expr):
    names = {s.name: s.name.replace("'", "1") for s in free_symbols(expr)}
    return sympy.sympify(to_sympy(expr, names), locals={n: sympy.Symbol(n) for n in names.values()})


def printed(text):
    names = {n: sympy.Symbol(n) for n in ("theta1", "phi1")}
    return sympy.sympify(text, locals=names)


@pytest.mark.parametrize("figure", MODELS)
def test_explicit_equations_are_those_printed_and_not_longer(figure):
    found = MODELS[figure]().explicit()
    wanted = PRINTED[figure] | SPINS
    assert found.keys() == wanted.keys()
    on_the_sphere = {sympy.Symbol("a"): sympy.sqrt(sympy.sympify("p_Px**2 + p_Py**2 + p_Pz**2"))}
    for name, (text, bar) in wanted.items():
        ours = in_sympy(found[name])
        difference = ours - printed(text)
        if figure != "figure 4":
            difference = difference.subs(on_the_sphere)
        assert sympy.simplify(difference) == 0, name
        assert ours.count_ops() <= bar, (name, ours)


@pytest.mark.parametrize("figure", MODELS)
def test_accelerations_at_the_check_point_have_fourteen_digits(figure):
    values = {**PARAMETERS, **START, **ANGLES, "k": float(np.sum(np.square(pendulums.SPEED)))}
    wanted = {
        "v_Px'": -5.032272379293531,
        "v_Py'": -2.127610636808659,
        "v_Pz'": -3.32343253242334,
        "theta''": -4.265168691666019,
        "phi''": -1.305966015339347,
        "k'": -8.215708165342274,
    }
    found = MODELS[figure]().explicit()
    for name in found.keys() & wanted.keys():
        assert evaluate(found[name], values) == pytest.approx(wanted[name], rel=1e-14)


def test_three_descriptions_of_the_spherical_pendulum_move_alike():
    motions = []
    for make, more in ((figure2, {}), (figure3, {}), (figure4, ANGLES)):
        motion = make().model(parameters=PARAMETERS, start=START | more).simulate(10, tol=1e-12)
        assert motion.outcome == "reached t = 10"
        assert motion.energy.drift < 1e-11
        assert motion.audit().ok
        motions.append(motion)
    times = np.linspace(0, 10, 50)
    for name in ("p_Px", "p_Py", "p_Pz", "v_Px", "w_Px", "w_Pz"):
        first, *others = (motion.at(times)[name] for motion in motions)
        for other in others:
            np.testing.assert_allclose(other, first, rtol=0, atol=1e-10)
    state = motions[1].at(times)
    place = np.stack([state[f"p_P{x}"] for x in "xyz"])
    speed = np.stack([state[f"v_P{x}"] for x in "xyz"])
    np.testing.assert_allclose(np.sum(place**2, axis=0), pendulums.a**2, atol=1e-12)
    np.testing.assert_allclose(state["k"], np.sum(speed**2, axis=0), atol=1e-12)
    assert np.ptp(state["k"] + 2 * pendulums.g * place[2]) < 1e-10


FIGURE5 = {
    "v_1x'": ("g*(-(m_1 + m_2)*theta1 + m_2*theta2)/m_1", 7),
    "v_2x'": ("-g*theta2", 2),
    "theta1''": ("g*(-(m_1 + m_2)*theta1 + m_2*theta2)/(m_1*a1)", 8),
    "theta2''": ("g*(m_1 + m_2)*(theta1 - theta2)/(a2*m_1)", 6),
}
HANGING = {"p_1z": "-a1", "p_2z": "-a1 - a2"}
LENGTHS = {"a1": 1.0, "a2": 0.8, "m_1": 2.0, "m_2": 1.0, "g": 9.81}
DOUBLE = LENGTHS | {f"I{x}_{n}": 1.0 for x in "xyz" for n in "12"}


def test_the_linear_double_pendulum_is_that_of_figure_5():
    found = pendulums.figure5().linearize(HANGING).explicit()
    assert {name for name, e in found.items() if str(e) != "0"} == FIGURE5.keys()
    for name, (text, bar) in FIGURE5.items():
        expr = found[name]
        names = {s.name: s.name.replace("δ", "") for s in free_symbols(expr)}
        ours = sympy.sympify(to_sympy(expr, names))
        assert sympy.simplify(ours - sympy.sympify(text)) == 0, name
        assert ours.count_ops() <= bar, (name, ours)


def test_the_linear_double_pendulum_has_the_frequencies_of_its_motion():
    system = pendulums.figure5()
    linear = system.linearize(HANGING)
    ours = linear.eigenvalues(DOUBLE)
    assert ours.imag[-2:] == pytest.approx([2.62286593, 5.12145724], abs=1e-8)
    model = system.model(parameters=DOUBLE, start={"p_1z": -1.0, "p_2z": -1.8})
    theirs = np.sort(model.linearize().eigenvalues.imag)
    np.testing.assert_allclose(ours.imag[-2:], theirs[-2:], rtol=1e-10)


def test_without_constraint_forces_the_double_pendulum_has_no_stiffness():
    linear = pendulums.figure5().linearize(HANGING)
    d1 = {}
    for name, e in linear.module.assembled_by_speed.items():
        still = {s: 0 for s in free_symbols(e) if s.kind != "parameter"}
        d1[name] = md.linearize(e, linear.reference) - substitute(e, still)
    bare = replace(linear, change=linear.total.T @ md.Labelled.column(d1))
    assert np.max(np.abs(bare.eigenvalues(DOUBLE))) < 1e-7


def test_a_known_linear_subsystem_is_used_as_it_is():
    first, second = (md.newton_euler(n, plane="xy", gravity="-y") for n in "12")
    rows = {"x": "p_1x - l*sin(theta_1)", "y": "p_1y + l*cos(theta_1)"}
    one = md.compose("A", first, constraints={0: rows})
    known = one.linearize({"p_1y": "-l"})
    tie = {"x": "p_2x - p_1x - l*sin(theta_2)", "y": "p_2y - p_1y + l*cos(theta_2)"}
    both = md.compose("S", [one, second], constraints={0: tie})
    at = {"p_1y": "-l", "p_2y": "-2*l"}
    values = {"l": 0.7, "g": 9.81, "m_1": 1.0, "m_2": 2.0, "I_1": 0.1, "I_2": 0.3}
    used, anew = both.linearize(at, known={"A": known}), both.linearize(at)
    np.testing.assert_allclose(used.eigenvalues(values), anew.eigenvalues(values), atol=1e-13)
    model = both.model(parameters=values, start={"p_1y": -0.7, "p_2y": -1.4})
    theirs = np.sort(model.linearize().eigenvalues.imag)
    np.testing.assert_allclose(np.sort(anew.eigenvalues(values).imag), theirs, atol=1e-10)


def test_a_reference_off_the_constraints_is_refused_with_its_residual():
    with pytest.raises(lw.InputError, match=r"not on constraint 'D\.1z', which is a1 there"):
        pendulums.figure5().linearize({"p_2z": "-a1 - a2"})


POINTS = """
PhysicalParams: {a: 1.3, m: 2}
Dimension: 3
PartData:
  Fixed: {O: []}
  Rigids: {OP: {Geom: [[a]]}}
  Particles: {P: m}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {tend: 3, positions: {P: PLACE}, velocities: {P: SPEED}}
"""


@pytest.fixture(scope="module")
def other_pendulums():
    """Where the pendulum is after 3 s: by energies, as a tree, and of points in each formalism."""
    energy = "m*a**2*(theta'**2 + sin(theta)**2*phi'**2)/2 + m*g*a*cos(theta)"
    lagrangian = lw.lagrangian("phi theta", energy, parameters={"m": 2, "a": 1.3, "g": 9.81}, start=ANGLES)
    tree = lw.Tree("pendulum", gravity=9.81)
    tree.add_body("P", rotate="zy", mass=2, inertia=0, centre=(0, 0, "-1.3"))
    begin = {"q1": ANGLES["phi"], "q2": -ANGLES["theta"], "q1'": ANGLES["phi'"], "q2'": -ANGLES["theta'"]}
    found = {}
    for kind, model, names, sign in (
        ("energies", lagrangian, ("theta", "phi"), 1),
        ("Kane's tree", tree.model(start=begin), ("q2", "q1"), -1),
    ):
        end = model.simulate(3, tol=1e-12).at(3.0)
        theta, phi = sign * float(end[names[0]]), float(end[names[1]])
        found[kind] = 1.3 * np.array([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), -np.cos(theta)])
    text = POINTS.replace("PLACE", str([*pendulums.PLACE])).replace("SPEED", str([*pendulums.SPEED]))
    for formalism in ("points", "absolute", "tree"):
        found[formalism] = lw.loads(text).formulated(formalism).simulate(3, tol=1e-12).at(3.0)["P"]
    return found


@pytest.mark.parametrize("figure", MODELS)
def test_each_composed_pendulum_moves_as_those_of_other_formalisms(figure, other_pendulums):
    start = START | (ANGLES if figure == "figure 4" else {})
    motion = MODELS[figure]().model(parameters=PARAMETERS, start=start).simulate(3, tol=1e-12)
    assert motion.audit().ok
    place = np.array([float(motion.at(3.0)[f"p_P{x}"]) for x in "xyz"])
    for formalism, wanted in other_pendulums.items():
        np.testing.assert_allclose(place, wanted, rtol=0, atol=1e-10, err_msg=formalism)


DOUBLE_PENDULUM = """
PhysicalParams: {a1: 1, a2: 0.8, m1: 2, m2: 1}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[a1]]}, AB: {Geom: [[a2]]}}
  Particles: {A: m1, B: m2}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData:
  positions: {A: [a1*sin(0.6), -a1*cos(0.6)], B: [a1*sin(0.6) + a2*sin(1.1), -a1*cos(0.6) - a2*cos(1.1)]}
"""


def test_the_double_pendulum_of_figure_5_moves_as_those_of_other_formalisms():
    """Composed, by energies, and of points in all formalisms."""
    start = {"theta1": 0.6, "theta2": 1.1, "p_1x": np.sin(0.6), "p_1z": -np.cos(0.6), "p_1y": 0.0, "p_2y": 0.0}
    start |= {"p_2x": np.sin(0.6) + 0.8 * np.sin(1.1), "p_2z": -np.cos(0.6) - 0.8 * np.cos(1.1)}
    motion = pendulums.figure5().model(parameters=DOUBLE, start=start).simulate(3, tol=1e-12)
    assert motion.audit().ok
    ours = motion.at(3.0)
    energy = (
        "m1*a1**2*p'**2/2 + m2*(a1**2*p'**2 + a2**2*q'**2 + 2*a1*a2*p'*q'*cos(p - q))/2"
        " + (m1 + m2)*g*a1*cos(p) + m2*g*a2*cos(q)"
    )
    known = {"m1": 2, "m2": 1, "a1": 1, "a2": 0.8, "g": 9.81}
    whole = lw.lagrangian("p q", energy, parameters=known, start={"p": 0.6, "q": 1.1}).simulate(3, tol=1e-12).at(3.0)
    assert float(ours["theta1"]) == pytest.approx(float(whole["p"]), abs=1e-10)
    assert float(ours["theta2"]) == pytest.approx(float(whole["q"]), abs=1e-10)
    place = [[float(ours[f"p_{k}{x}"]) for x in "xz"] for k in (1, 2)]
    tree = lw.Tree("double", gravity=9.81)
    first = tree.add_body("1", rotate="y", mass=2, inertia=0, centre=(0, 0, -1))
    tree.add_body("2", parent=first, joint_at=(0, 0, -1), rotate="y", mass=1, inertia=0, centre=(0, 0, -0.8))
    hung = tree.model(start={"q1": -0.6, "q2": -0.5}).simulate(3, tol=1e-12).at(3.0)
    assert -float(hung["q1"]) == pytest.approx(float(ours["theta1"]), abs=1e-10)
    assert -float(hung["q1"] + hung["q2"]) == pytest.approx(float(ours["theta2"]), abs=1e-10)
    for formalism in ("points", "absolute", "tree"):
        other = lw.loads(DOUBLE_PENDULUM).formulated(formalism).simulate(3, tol=1e-12).at(3.0)
        np.testing.assert_allclose([other["A"], other["B"]], place, atol=1e-10)


def test_the_robot_of_the_examples_is_drawn_and_its_motion_audited(tmp_path, capsys):
    path = Path(__file__).parents[2] / "examples" / "modular_robot.py"
    spec = importlib.util.spec_from_file_location("modular_robot", path)
    robot = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(robot)
    robot.main(str(tmp_path))
    told = capsys.readouterr().out
    assert told.startswith("2 freedoms: w_upleft, w_upright; 26 constraints")
    assert "reached t = 4; audited: True" in told
    assert {p.name for p in tmp_path.iterdir()} == {"robot.html", "robot.png"}
