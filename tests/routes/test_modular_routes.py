"""Composed models against other ways to the same numbers: numeric linear models, Lagrangians, files, formalisms."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import composed
import linkwork as lw
import pendulums
from linkwork import modular as md
from linkwork.symbolic import evaluate

EXAMPLES = Path(__file__).parents[2] / "examples"
LARGER = {
    "five-bar": composed.five_bar,
    "3-RRR": composed.three_rrr,
    "delta": composed.delta,
    "vehicle": composed.vehicle,
}


def without_constraint_forces(linear):
    """The linear model whose complement is taken to be constant."""
    forces = {name: linear._work.linear(e)[1] for name, e in linear.module.assembled_by_speed.items()}
    return replace(linear, change=linear.total.T @ md.Labelled.column(forces))


def vibrations(values):
    """Eigenvalues that are not zero, in an order of their own."""
    return sorted(values[np.abs(values) > 1e-3], key=lambda z: (round(z.imag, 6), z.real))


def check_linear(module, model, place, parameters, state):
    ours = module.linearize(place, rules=parameters)
    assert np.max(np.abs(ours.residual.evaluate({}))) < 1e-6
    wanted = vibrations(model.linearize(state).eigenvalues)
    np.testing.assert_allclose(vibrations(ours.eigenvalues()), wanted, rtol=1e-10, atol=1e-10)
    bare = vibrations(without_constraint_forces(ours).eigenvalues())
    assert len(bare) != len(wanted) or np.max(np.abs(np.subtract(bare, wanted))) > 1e-6


@pytest.mark.parametrize("name", LARGER)
def test_linear_models_are_those_found_by_numbers_and_need_constraint_forces(name):
    module, parameters, start, freedoms = LARGER[name]()
    assert module.freedoms == freedoms
    model = module.model(parameters=parameters, start=start)
    motion = model.simulate(0.3, tol=1e-11)
    assert motion.energy.drift < 1e-7
    assert motion.residuals.position < 1e-12
    # at rest, held or hanging: the reference is where forces balance, or wherever it is steady
    rest = model.equilibrium()
    place = {q.name: float(rest.state[q.name]) for q in module.coordinates}
    check_linear(module, model, place, parameters, rest.state)


def test_the_linear_model_of_bricards_linkage_is_that_found_by_numbers():
    module, parameters, _, _ = composed.bricard()
    file = lw.load(EXAMPLES / "bricard.yaml")
    rest = file.equilibrium()
    place = composed.bricard_pose(rest.state)
    model = module.model(parameters=parameters, start=place)
    check_linear(module, model, place, parameters, "start")
    ours = vibrations(module.linearize(place, rules=parameters).eigenvalues())
    theirs = vibrations(file.linearize(rest.state).eigenvalues)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)  # the rest itself is known to its square root


def test_the_equilibrium_of_bricards_linkage_of_free_bodies_is_that_of_the_file():
    """On the way there, constraints that were independent at the start become dependent; others take their place."""
    module, parameters, start, _ = composed.bricard()
    ours = module.model(parameters=parameters, start=start).equilibrium()
    theirs = lw.load(EXAMPLES / "bricard.yaml").equilibrium()
    assert ours.stable
    assert theirs.stable
    first, third = ([float(ours.state[f"p_{k}{x}"]) for x in "xyz"] for k in (0, 2))
    np.testing.assert_allclose(np.multiply(2, first), theirs.state["A"], atol=1e-7)
    np.testing.assert_allclose(np.multiply(2, third), theirs.state["B"] + theirs.state["C"], atol=1e-7)


def test_bricards_linkage_of_free_bodies_moves_as_that_of_the_file():
    module, parameters, start, freedoms = composed.bricard()
    assert (module.rank, module.freedoms) == (29, freedoms)
    ours = module.model(parameters=parameters, start=start).simulate(0.6, tol=1e-11)
    theirs = lw.load(EXAMPLES / "bricard.yaml").simulate(0.6, tol=1e-11).at(0.6)
    end = ours.at(0.6)
    first = np.array([float(end[f"p_0{x}"]) for x in "xyz"])
    third = np.array([float(end[f"p_2{x}"]) for x in "xyz"])
    np.testing.assert_allclose(2 * first, theirs["A"], atol=1e-9)
    np.testing.assert_allclose(2 * third, np.add(theirs["B"], theirs["C"]), atol=1e-9)
    assert ours.energy.drift < 1e-9


def test_a_lagrangian_is_a_subsystem():
    """A cart on a spring, told by energies, with a bob that is a body: as the crane told by energies alone."""
    cart = lw.lagrangian("x", "m*x'**2/2 - k*x**2/2", parameters={"m": 2, "k": 50}, start={"x": 0})
    bob = md.newton_euler("bob", plane="xy", gravity="-y")
    rows = {"x": "p_bobx - x_car - a*sin(angle)", "y": "p_boby + a*cos(angle)", "t": "theta_bob - angle"}
    both = md.compose("S", [md.from_model("car", cart), bob], coordinates="angle", constraints={0: rows})
    values = {"a": 1, "m_bob": 1.5, "I_bob": 0.2, "g": 9.81}
    ours = both.model(parameters=values, start={"angle": 0.5, "x_car": 0}).simulate(2, tol=1e-12).at(2.0)
    energy = "m*x'**2/2 - k*x**2/2 + 1.5*((x' + p'*cos(p))**2 + (p'*sin(p))**2)/2 + 0.1*p'**2 + 1.5*9.81*cos(p)"
    whole = lw.lagrangian("x p", energy, parameters={"m": 2, "k": 50}, start={"p": 0.5}).simulate(2, tol=1e-12).at(2.0)
    assert ours["x_car"] == pytest.approx(whole["x"], abs=1e-10)
    assert ours["angle"] == pytest.approx(whole["p"], abs=1e-10)


def test_a_file_is_a_subsystem():
    """The four-bar of the examples as a module moves as the file does."""
    loaded = lw.load(EXAMPLES / "four-bar.yaml")
    module = md.from_model("F", EXAMPLES / "four-bar.yaml")
    names = dict(zip(loaded.system.labels, module.coordinates, strict=True))
    q, u = loaded.start.q[: loaded.system.n], loaded.start.u[: loaded.system.n]
    start = {s.name: float(x) for s, x in zip(names.values(), q, strict=True)}
    start |= {f"{s.name}'": float(x) for s, x in zip(names.values(), u, strict=True)}
    ours = module.model(start=start).simulate(1, tol=1e-12)
    theirs = loaded.simulate(1, tol=1e-12)
    for label, s in names.items():
        assert ours.at(1.0)[s.name] == pytest.approx(float(theirs.at(1.0)[label]), abs=1e-9)


def test_a_linear_model_is_a_subsystem():
    """A cart pushed by a filter of its own speed, and the same with a state."""
    cart = md.from_model("C", lw.lagrangian("x", "x'**2 - 25*x**2", start={"x": 0}))
    filter_ = md.linear_module("F", A=[[-5]], B=[[5]], C=[[-4]], D=[[-1]])
    both = md.compose("S", [cart, filter_], inputs={"F.w1": "x_C'"}, forces={"x_C'": "F.y1"})
    ours = both.model(start={"x_C": 0.3, "x_C'": 0, "x1_F": 0.1}).simulate(2, tol=1e-12).at(2.0)["x_C"]
    other = lw.lagrangian(
        "x", "x'**2 - 25*x**2", states={"z": "-5*z + 5*x'"}, forces={"x": "-4*z - x'"}, start={"x": 0.3, "z": 0.1}
    )
    assert ours == pytest.approx(float(other.simulate(2, tol=1e-12).at(2.0)["x"]), abs=1e-10)


def test_a_constraint_not_linear_in_speeds_is_kept():
    """A point whose speed is constant, on a sphere: its force is along its velocity, as in the explicit equations."""
    P = md.newton_euler("P", plane="xy", gravity="-y")
    S = md.compose("S", P, constraints={1: {"c": "v_Px**2 + v_Py**2 - c**2"}})
    model = S.model(parameters={"m_P": 1, "I_P": 1, "g": 9.81, "c": 2}, start={"v_Px": 1.2, "v_Py": 1.6})
    end = model.simulate(1, tol=1e-12).at(1.0)
    assert end["v_Px"] ** 2 + end["v_Py"] ** 2 == pytest.approx(4, abs=1e-12)
    # θ' = -g cos θ / c for the direction θ of the velocity
    ode = lw.lagrangian("s", "s'**2/2", states={"h": "-9.81*cos(h)/2"}, start={"h": np.arctan2(1.6, 1.2)})
    assert np.arctan2(end["v_Py"], end["v_Px"]) == pytest.approx(
        float(ode.simulate(1, tol=1e-12).at(1.0)["h"]), abs=1e-10
    )


def test_a_constraint_of_accelerations_is_obeyed():
    P = md.newton_euler("P", plane="xy", gravity="-y")
    S = md.compose("S", P, constraints={2: {"c": "v_Px' - b*p_Py"}})
    start = {"p_Py": 1, "v_Px": 1.2, "v_Py": 1.6}
    end = S.model(parameters={"m_P": 1, "I_P": 1, "g": 9.81, "b": 2}, start=start).simulate(1, tol=1e-12).at(1.0)
    assert end["v_Px"] == pytest.approx(1.2 + 2 * (1 + 0.8 - 9.81 / 6), abs=1e-12)


@pytest.mark.parametrize("n", [20, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("chain", [composed.planar_chain, composed.spatial_chain])
def test_bodies_that_are_alike_are_instances_of_one_kernel(chain, n):
    """So that large systems, which keep their constraints and multipliers, cost in proportion to their size."""
    module, values, start = chain(n)
    model = module.model(parameters=values, start=start)
    assert sum(term.count for term in model.system.terms) >= 2 * n
    assert len(model.system.terms) < 16
    motion = model.simulate(0.02)
    assert motion.energy.drift < 1e-6
    assert motion.residuals.position < 1e-10


BODIES = """
Dimension: 3
Bodies:
  b1: &rod {mass: 0.1, inertia: [3e-5, 1e-4, 1.2e-4], frames: {c: [], o: [-0.05], e: [0.05], u: [0, 0.05, 0]}}
  b2: *rod
  b3: *rod
  world: {frames: {o: []}}
Connections:
  Joints:
    a: {kind: spherical, frames: [world.o, b1.o]}
    b: {kind: spherical, frames: [b1.e, b2.o]}
    c: {kind: spherical, frames: [b2.e, b3.o]}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData:
  positions:
    b1.c: [0.05, 0, 0]
    b1.e: [0.1, 0, 0]
    b1.u: [0.05, 0.05, 0]
    b2.c: [0.15, 0, 0]
    b2.e: [0.2, 0, 0]
    b2.u: [0.15, 0.05, 0]
    b3.c: [0.25, 0, 0]
    b3.e: [0.3, 0, 0]
    b3.u: [0.25, 0.05, 0]
  velocities: {b3.c: [0, 0.1, 0], b3.e: [0, 0.2, 0], b3.u: [-0.1, 0.1, 0]}
"""


def test_a_chain_of_joined_bodies_in_space_moves_as_those_of_other_formalisms():
    module, values, start = composed.spatial_chain(3)
    ours = module.model(parameters=values, start=start).simulate(0.5, tol=1e-12).at(0.5)
    for formalism in ("points", "absolute", "tree"):
        theirs = lw.loads(BODIES).formulated(formalism).simulate(0.5, tol=1e-12).at(0.5)
        for k in (1, 2, 3):
            np.testing.assert_allclose([ours[f"p_{k}{x}"] for x in "xyz"], theirs[f"b{k}.c"], atol=1e-10)


def test_the_motion_goes_on_where_the_independent_speeds_are_singular():
    """v_Px and v_Py cannot be independent where the pendulum is level; constraints are kept, so that nobody minds."""
    system = pendulums.figure2(independent=["v_Px", "v_Py", *pendulums.body().spins])
    assert system.independent[:2] == ("v_Px", "v_Py")
    start = {"p_Px": 1.3, "p_Py": 0.0, "p_Pz": 0.0, "v_Px": 0.0, "v_Py": 1.0, "v_Pz": 6.0}
    motion = system.model(parameters=pendulums.PARAMETERS, start=start).simulate(2, tol=1e-11)
    assert np.min(motion["p_Pz"]) < -1 < 1 < np.max(motion["p_Pz"])
    assert motion.energy.drift < 1e-10


def energy_of_bodies(state, module, values, turning):
    """½ m v² + ½ I ω² + m g h of all bodies, by their numbers alone."""
    total = 0.0
    for label in [m.label for m in module.levels if m.kinetic is not None]:
        kind = label.rstrip("0123456789") or label
        value = {p: values.get(f"{p}_{label}", values.get(f"{p}_{kind}", 0.0)) for p in ("m", "I", "Ix", "Iy", "Iz")}
        axes = [x for x in "xyz" if f"v_{label}{x}" in {s.name for s in module.speeds}]
        total = total + value["m"] / 2 * sum(np.square(state[f"v_{label}{x}"]) for x in axes)
        total = total + value["m"] * values["g"] * state[f"p_{label}{turning}"]
        if f"w_{label}" in {s.name for s in module.speeds}:
            total = total + value["I"] / 2 * np.square(state[f"w_{label}"])
        else:
            spins = {x: value[f"I{x}"] or value["I"] for x in "xyz"}
            total = total + sum(J / 2 * np.square(state[f"w_{label}{x}"]) for x, J in spins.items())
    return total


LONG = {
    "five-bar": (composed.five_bar, "y", 10),
    "3-RRR": (composed.three_rrr, "y", 5),
    "delta": (composed.delta, "z", 5),
    "bricard": (composed.bricard, "y", 5),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_long_motions_of_larger_mechanisms_keep_energy_and_constraints(name):
    """Far beyond where any one set of independent speeds is regular; judged by the description alone."""
    make, up, end = LONG[name]
    module, parameters, start, _ = make()
    motion = module.model(parameters=parameters, start=start).simulate(end, tol=1e-11)
    assert motion.outcome == f"reached t = {end}"
    assert motion.audit().ok
    times = np.linspace(0, end, 400)
    state = motion.at(times)
    known = {**parameters, **{s.name: state[s.name] for s in (*module.coordinates, *module.speeds)}}
    for order in (0, 1):
        for row, e in module.constraints[order].items():
            assert np.max(np.abs(evaluate(e, known))) < 1e-9, row
    energy = energy_of_bodies(state, module, parameters, up)
    heights = [state[s.name] for s in module.coordinates if s.name.startswith("p_") and s.name.endswith(up)]
    turned_over = parameters["g"] * sum(np.ptp(h) for h in heights)  # of a kilogramme each
    assert turned_over > 0.1
    assert np.ptp(energy) < 1e-8 * turned_over


@pytest.mark.long
def test_a_vehicle_comes_to_rest_on_its_springs():
    """Its dampers take what it has, and in the end it stands where forces balance."""
    module, parameters, start, _ = composed.vehicle()
    model = module.model(parameters=parameters, start=start | {"p_Cz": 0.75, "theta_C": 0.05})
    motion = model.simulate(20, tol=1e-10)
    assert motion.audit().ok
    rest = model.equilibrium().state
    for name in ("p_Cz", "theta_C", "s0", "s3"):
        assert float(motion.at(20.0)[name]) == pytest.approx(float(rest[name]), abs=1e-6)


POLES = {"through it": (0.7, -1.0, 0.0), "hardly beside it": (0.7, 0.0, 1e-6), "from it": (0.0, 1.0, 0.0)}


@pytest.mark.parametrize("way", POLES)
def test_the_motion_goes_on_where_angles_have_their_pole(way):
    """Figure 4 of the documentation: at the bottom the angle around says nothing, and the pendulum does not mind."""
    theta, theta1, phi1 = POLES[way]
    c, s, cp, sp, a = np.cos(theta), np.sin(theta), np.cos(0.4), np.sin(0.4), pendulums.a
    start = {"p_Px": a * s * cp, "p_Py": a * s * sp, "p_Pz": -a * c, "v_Pz": a * s * theta1}
    start |= {"v_Px": a * (c * cp * theta1 - s * sp * phi1), "v_Py": a * (c * sp * theta1 + s * cp * phi1)}
    angles = {"theta": theta, "phi": 0.4, "theta'": theta1, "phi'": phi1}
    ours = pendulums.figure4().model(parameters=pendulums.PARAMETERS, start=start | angles).simulate(8, tol=1e-11)
    theirs = pendulums.figure2().model(parameters=pendulums.PARAMETERS, start=start).simulate(8, tol=1e-11)
    assert ours.outcome == "reached t = 8"
    assert ours.audit().ok
    times = np.linspace(0, 8, 60)
    for name in ("p_Px", "p_Py", "p_Pz", "v_Px"):
        np.testing.assert_allclose(ours.at(times)[name], theirs.at(times)[name], rtol=0, atol=1e-9)


def test_states_of_a_lagrangian_and_of_a_file_come_with_it():
    """A cart with a controller that has a state of its own, also one whose rate is not linear in the speed."""
    for rate in ("-5*z + 5*x'", "-5*z + x'**2"):
        cart = lw.lagrangian("x", "x'**2 - 25*x**2", states={"z": rate}, forces={"x": "-4*z - x'"}, start={"x": 0.3})
        module = md.from_model("C", cart)
        wanted = cart.simulate(2, tol=1e-12).at(2.0)
        found = module.model(start={"x_C": 0.3, "z_C": 0}).simulate(2, tol=1e-12).at(2.0)
        assert float(found["x_C"]) == pytest.approx(float(wanted["x"]), abs=1e-10)
        assert float(found["z_C"]) == pytest.approx(float(wanted["z"]), abs=1e-10)
    boom = lw.load(EXAMPLES / "inverted-pendulum.yaml")
    module = md.from_model("F", boom)
    system, n = boom.system, boom.system.n
    labels = [label.replace(".", "_") for label in system.labels]
    start = {}
    for label, place, q, u in zip(labels, system.mechanical, boom.start.q[:n], boom.start.u[:n], strict=True):
        start |= {f"{label}_F": float(q), f"{label}_F'": float(u)} if place else {f"{label}_F": float(u)}
    found = module.model(start=start).simulate(0.5, tol=1e-11).at(0.5)
    wanted = boom.simulate(0.5, tol=1e-11).at(0.5)
    for label, name in zip(labels, system.labels, strict=True):
        assert float(found[f"{label}_F"]) == pytest.approx(float(wanted[name]), abs=1e-9)


@pytest.mark.parametrize("name", ["double-pendulum-3d", "bennett"])
def test_a_mechanism_in_space_is_a_subsystem(name):
    model = lw.load(EXAMPLES / f"{name}.yaml")
    module = md.from_model("F", model)
    n, labels = model.system.n, [label.replace(".", "_") for label in model.system.labels]
    start = dict(zip((f"{label}_F" for label in labels), map(float, model.start.q[:n]), strict=True))
    start |= dict(zip((f"{label}_F'" for label in labels), map(float, model.start.u[:n]), strict=True))
    found, wanted = (m.simulate(0.5, tol=1e-11).at(0.5) for m in (module.model(start=start), model))
    for label, own in zip(labels, model.system.labels, strict=True):
        assert float(found[f"{label}_F"]) == pytest.approx(float(wanted[own]), abs=1e-9)


def test_the_choice_of_a_complement_does_not_change_the_motion():
    """u̇ = c + C α by each complement, by SciPy, and the motion that keeps its constraints."""
    P, spins = pendulums.PARAMETERS, ["w_Px", "w_Py", "w_Pz"]
    wanted = pendulums.figure2().model(parameters=P, start=pendulums.START).simulate(0.3, tol=1e-12).at(0.3)
    choices = [(["v_Px", "v_Py", *spins], "exact"), (["v_Py", "v_Pz", *spins], "exact"), (None, "null space")]
    for independent, how in [*choices, (None, "least squares")]:
        S = pendulums.figure2(independent=independent, how=how)
        names, drift = [s.name for s in (*S.coordinates, *S.speeds)], S._drift()

        def rates(_, y, S=S, names=names, drift=drift):
            values = {**P, **dict(zip(names, y, strict=True))}
            C, M, F, A = (X.evaluate(values) for X in (S.total_complement, S.mass, S.loads, S.jacobian))
            gamma = np.array([[evaluate(drift[row], values)] for row in S.jacobian.rows])
            c = np.linalg.lstsq(A, -gamma, rcond=None)[0]
            a = c + C @ np.linalg.solve(C.T @ M @ C, C.T @ (F - M @ c))
            return [*(evaluate(S.kinematics[q], values) for q in S.coordinates), *a[:, 0]]

        start = [pendulums.START[name] for name in names]
        found = solve_ivp(rates, (0, 0.3), start, rtol=1e-12, atol=1e-12, method="DOP853").y[:, -1]
        np.testing.assert_allclose(found, [float(wanted[name]) for name in names], rtol=0, atol=1e-10)
