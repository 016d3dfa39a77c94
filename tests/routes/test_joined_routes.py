"""Finished models joined by constraints against the whole in one description, in every formalism."""

import numpy as np
import pytest

import joined
import linkwork as lw
import pendulums
from linkwork import modular as md

FORMALISMS = ("points", "absolute", "tree")


def test_joined_rods_move_as_the_chain_of_one_file():
    ours = joined.chain("plane", 4).simulate(0.5, tol=1e-12)
    assert ours.audit().ok
    for formalism in FORMALISMS:
        theirs = lw.loads(joined.planar_file(4)).formulated(formalism).simulate(0.5, tol=1e-12).at(0.5)
        for k in (1, 2, 3, 4):
            np.testing.assert_allclose(ours.at(0.5)[f"B_r{k}"], theirs[f"P{k}"], atol=1e-10)


SPATIAL = """
Dimension: 3
Bodies:
  b1: &rod {mass: 0.1, inertia: [3e-5, 1e-4, 1.2e-4], frames: {c: [], o: [-0.05], e: [0.05], u: [0, 0.05, 0]}}
  b2: *rod
  world: {frames: {o: []}}
Connections:
  Joints: {a: {kind: spherical, frames: [world.o, b1.o]}, b: {kind: spherical, frames: [b1.e, b2.o]}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData:
  positions:
    b1.c: [0.05, 0, 0]
    b1.e: [0.1, 0, 0]
    b1.u: [0.05, 0.05, 0]
    b2.c: [0.15, 0, 0]
    b2.e: [0.2, 0, 0]
    b2.u: [0.15, 0.05, 0]
  velocities: {b2.c: [0, 0.1, 0], b2.e: [0, 0.2, 0], b2.u: [-0.1, 0.1, 0]}
"""


def test_joined_bodies_in_space_move_as_those_of_one_file():
    thrown = {"r2.rod_cy'": 0.1, "r2.rod_ey'": 0.2, "r2.rod_uy'": 0.1, "r2.rod_ux'": -0.1}
    ours = joined.chain("space", 2, **thrown).simulate(0.5, tol=1e-12)
    assert ours.audit().ok
    for formalism in FORMALISMS:
        theirs = lw.loads(SPATIAL).formulated(formalism).simulate(0.5, tol=1e-12).at(0.5)
        for k in (1, 2):
            np.testing.assert_allclose(ours.at(0.5)[f"rod_e_r{k}"], theirs[f"b{k}.e"], atol=1e-10)


CRANE = "m*x'**2/2 - k*x**2/2 + 1.5*((x' + p'*cos(p))**2 + (p'*sin(p))**2)/2 + 0.1*p'**2 + 1.5*9.81*cos(p)"
CART = ("x", "m*x'**2/2 - k*x**2/2")
BOB = """
PhysicalParams: {m: 1.5, I: 0.2}
PartData:
  Rigids: {OB: {Geom: [[1]], Dyna: [[1], m, I]}}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {positions: {O: [0, 0], B: [sin(0.5), -cos(0.5)]}}
"""


def bob_of(kind, tmp_path):
    """A bob on a rod of length one, told in different ways, and its words for the pivot and the angle."""
    if kind == "module":
        body = md.newton_euler("B", plane="xy", gravity="-y")
        rows = {"x": "p_Bx - ox - sin(a)", "y": "p_By - oy + cos(a)", "t": "theta_B - a"}
        return md.compose("b", body, coordinates="ox oy a", constraints={0: rows}), ("b.ox", "b.oy", "a")
    if kind == "composed":
        module, _ = bob_of("module", tmp_path)
        values = {"m_B": 1.5, "I_B": 0.2, "g": 9.81}
        start = {"a": 0.5, "theta_B": 0.5, "p_Bx": np.sin(0.5), "p_By": -np.cos(0.5)}
        return module.model(parameters=values, start=start), ("b.ox", "b.oy", "b.a")
    if kind == "lagrangian":
        speed = "((x' + a'*cos(a))**2 + (y' + a'*sin(a))**2)"
        energy = f"1.5*{speed}/2 + 0.1*a'**2 - 1.5*9.81*(y - cos(a))"
        return lw.lagrangian("x y a", energy, start={"a": 0.5}), ("b.x", "b.y", "b.a")
    if kind == "tree":
        tree = lw.Tree("bob", gravity=9.81)  # along -z
        tree.add_body("B", translate="xz", rotate="y", mass=1.5, inertia=(0, 0.2, 0), centre=(0, 0, -1))
        return tree.model(start={"q3": -0.5}), ("b.q1", "b.q2", "-b.q3")
    path = tmp_path / "bob.yaml"
    path.write_text(BOB)
    words = ("b.O.x", "b.O.y", "b.OB.angle + pi/2")
    return {"file": path, "model": lw.loads(BOB), "mechanism": lw.loads(BOB).mechanism}[kind], words


@pytest.mark.parametrize("kind", ["module", "composed", "lagrangian", "tree", "file", "model", "mechanism"])
def test_a_bob_told_in_any_way_hangs_on_a_cart(kind, tmp_path):
    """Lagrangian, tree, mechanism, file, composed model and module: as the crane by energies alone."""
    bob, (x, y, angle) = bob_of(kind, tmp_path)
    cart = lw.lagrangian(*CART, parameters={"m": 2, "k": 50})
    values = {"m_B": 1.5, "I_B": 0.2, "g": 9.81} if kind == "module" else {}
    start = {"a": 0.5} if kind == "module" else {}
    crane = lw.join(
        "crane",
        {"car": cart, "b": bob},
        constraints={"x": f"{x} - car.x", "y": y},
        parameters=values,
        start=start,
        variables={"angle": angle},
    )
    motion = crane.simulate(2, tol=1e-12)
    assert motion.audit().ok
    whole = lw.lagrangian("x p", CRANE, parameters={"m": 2, "k": 50}, start={"p": 0.5}).simulate(2, tol=1e-12).at(2.0)
    assert float(motion.at(2.0)["x_car"]) == pytest.approx(float(whole["x"]), abs=1e-10)
    assert float(motion.at(2.0)["angle"]) == pytest.approx(float(whole["p"]), abs=1e-10)


def test_joined_composed_models_keep_their_quasi_velocities_and_constraints():
    """A spherical pendulum with a body in quaternions on it, joined and composed of the same modules."""
    P, B = pendulums.figure2(), md.newton_euler("B", orientation="quaternion", gravity="-z")
    body = {"m_B": 1, "Ix_B": 1, "Iy_B": 2, "Iz_B": 3, "g": 9.81}
    place = {f"{k}_B{x}": pendulums.START[f"{k}_P{x}"] for k in "pv" for x in "xyz"}
    spin = {"q_Bt": 1, "w_Bx": 1.0, "w_By": 0.3, "w_Bz": 0.2}
    ties = {x: f"p_P{x} - p_B{x}" for x in "xyz"}
    whole = md.compose("W", [P, B], constraints={0: ties})
    wanted = whole.model(parameters=pendulums.PARAMETERS | body, start=pendulums.START | place | spin)
    models = {"s": P.model(parameters=pendulums.PARAMETERS, start=pendulums.START)}
    models["b"] = B.model(parameters=body, start=place | spin)
    both = lw.join("S", models, constraints={x: f"s.p_P{x} - b.p_B{x}" for x in "xyz"})
    found = both.simulate(1, tol=1e-12)
    assert found.audit().ok
    end = wanted.simulate(1, tol=1e-12).at(1.0)
    for name in ("p_Px", "p_Pz", "v_Py"):
        assert float(found.at(1.0)[f"{name}_s"]) == pytest.approx(float(end[name]), abs=1e-10)
    for name in ("w_Bx", "w_Bz", "q_Bt"):
        assert float(found.at(1.0)[f"{name}_b"]) == pytest.approx(float(end[name]), abs=1e-10)


def test_values_starts_and_inputs_come_with_the_models_and_may_be_changed():
    cart = lw.lagrangian(
        "x", "m*x'**2/2 - k*x**2/2", parameters={"m": 2, "k": 50}, inputs={"F": 3}, forces={"x": "F"}, start={"x": 0.1}
    )
    two = lw.join("two", [cart, cart], rename={"m2": "b"}, parameters={"m_b": 4}, start={"b.x": 0.3})
    assert two.parameters["m_m1"] == 2
    assert two.parameters["m_b"] == 4
    motion = two.simulate(1, tol=1e-12)
    t, m = 1.0, {"m1": (2, 0.1), "b": (4, 0.3)}
    for label, (mass, begin) in m.items():
        x = 3 / 50 + (begin - 3 / 50) * np.cos(np.sqrt(50 / mass) * t)
        assert float(motion.at(1.0)[f"x_{label}"]) == pytest.approx(x, abs=1e-11)


def test_velocity_constraints_join_too_and_forces_act_between_models():
    cart = lw.lagrangian("x", "x'**2/2", start={"x": 0, "x'": 1})
    pushed = lw.join("g", {"a": cart, "b": cart}, constraints={"gear": "a.x' - 2*b.x'"}, forces={"a.x'": "-a.x"})
    # m = 1 + 1/4 along a, whose speed is 1, nearest to 1 and 1 along the gear: 1.2
    end = pushed.simulate(1, tol=1e-12).at(1.0)
    w = np.sqrt(1 / 1.25)
    assert float(end["x_a"]) == pytest.approx(1.2 / w * np.sin(w), abs=1e-10)
    assert float(end["x_a'"]) == pytest.approx(2 * float(end["x_b'"]), abs=1e-12)


@pytest.mark.parametrize("kind", joined.ENDS)
@pytest.mark.parametrize("n", [12, pytest.param(1000, marks=pytest.mark.long)])
def test_joined_models_that_are_alike_are_instances_of_one_kernel(kind, n):
    """So that a chain costs in proportion to its length; its rods keep their lengths and hang together."""
    model = joined.chain(kind, n)
    assert len(model.system.terms) < 12
    assert sum(term.count for term in model.system.terms) >= 2 * n
    motion = model.simulate(0.1, tol=1e-9)
    assert motion.energy.drift < 1e-8
    _, begin, end = (name.replace(".", "_") for name in joined.ENDS[kind])
    state = motion.at(0.1)
    ends = np.array([state[f"{end}_r{k}"] for k in range(1, n + 1)])
    begins = np.array([state[f"{begin}_r{k}"] for k in range(1, n + 1)])
    np.testing.assert_allclose(begins[1:], ends[:-1], atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(ends - begins, axis=1), 0.1, atol=1e-11)
