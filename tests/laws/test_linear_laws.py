"""Laws of linear models, on random linkages and random states: eigenvalues do not depend on the states; M̂ and K are
what mechanics says; the model predicts what the simulator does."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.sparse import csr_array

import linkwork as lw
from linkages import linkages, numbers
from linkwork.analysis.linear.measures import measure_speeds, measure_states
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.linear.sensitivity import find_point
from linkwork.equations.words import Vocabulary, Wording
from linkwork.native.numbers import compute_levels, compute_matrices
from linkwork.native.rank import find_rank, scale_rows

examples = settings(max_examples=15)


def equilibrium(plan):
    """The linear model at rest, in states chosen for us; a linkage that can go through a dead centre is left out."""
    linear = plan.assembly().linearize("equilibrium")
    assume(conditioned(linear))
    return linear


def conditioned(linear, most=1e3):
    """Whether the states span the motion well."""
    return np.linalg.cond(linear.positions[:, : len(linear.states)]) < most


def candidates(plan):
    """Expressions that may serve as states."""
    moving = plan.moving
    found = [f"{p}.{axis}" for p in moving for axis in "xy"] + [f"{''.join(points)}.angle" for points, _ in plan.bars]
    found += [f"{p}.x*{q}.y - 2*{q}.x" for p, q in pairwise(moving)]
    return found


def states_of(plan):
    return st.lists(st.sampled_from(candidates(plan)), max_size=6, unique=True)


def distance(one, other):
    """The largest distance between two sets of eigenvalues, relative to the fastest."""
    one, other = list(one), list(other)
    size = max(map(abs, one), default=1.0) or 1.0
    far = 0.0
    for value in one:
        nearest = min(other, key=lambda z: abs(z - value))
        other.remove(nearest)
        far = max(far, abs(nearest - value) / size)
    return far


@given(linkages(), st.data())
@examples
def test_the_choice_of_states_never_changes_the_eigenvalues(plan, data):
    linear = equilibrium(plan)
    chosen = data.draw(states_of(plan))
    try:
        other = plan.assembly().linearize("equilibrium", states=chosen)
    except lw.InputError as error:
        assert "does not change with the motion" in str(error)  # a state that is none at this point
        return
    assume(conditioned(other))
    assert len(other.states) == len(linear.states)
    assert set(other.states) <= set(chosen) | set(linear.system.coordinates)
    assert distance(linear.eigenvalues, other.eigenvalues) < 1e-6
    squares = [np.sort((m.eigenvalues**2).real) for m in (linear, other)]
    np.testing.assert_allclose(*squares, atol=1e-9 * np.max(np.abs(squares[0])))


@given(linkages(), st.data())
@examples
def test_mass_is_positive_definite_and_stiffness_symmetric_at_rest(plan, data):
    chosen = data.draw(states_of(plan))
    try:
        linear = plan.assembly().linearize("equilibrium", states=chosen)
    except lw.InputError:
        return
    assume(conditioned(linear))
    assert np.linalg.eigvalsh(linear.mass)[0] > 0
    size = np.max(np.abs(linear.stiffness), initial=0.0)
    np.testing.assert_allclose(linear.stiffness, linear.stiffness.T, atol=1e-9 * size)
    np.testing.assert_allclose(linear.damping, 0, atol=1e-9 * np.max(np.abs(linear.mass)))
    assert linear.balanced and linear.still
    # what was found is a minimum of the potential
    assert not linear.modes.unstable


@given(linkages(longest=3), numbers(0.05, 0.6))
@examples
def test_near_equilibrium_the_simulator_follows_the_linear_model(plan, until):
    linear = equilibrium(plan)
    fast = np.max(np.abs(linear.eigenvalues))
    assume(0 < fast < 100)
    z, names, system = len(linear.states), linear.system.coordinates, linear.system
    assert set(linear.states) <= set(names)
    change = 1e-6 * np.random.default_rng(1).standard_normal(z)
    start = linear.at.q + linear.positions[:, :z] @ change
    places = {p: tuple(start[list(at)]) for p, at in system.chart.points.items() if at[0] < system.n}
    fixed = {
        p: tuple(lw.fix(x) if f"{p}{axis}" in linear.states else x for x, axis in zip(place, "xy", strict=True))
        for p, place in places.items()
    }
    moved = lw.Model(lw.Mechanism(**{**_parts(plan.mechanism()), "start": lw.InitialValues(positions=fixed)})).simulate(
        until, tol=1e-14
    )
    pick = [system.index[name] for name in linear.states]
    wanted = expm(linear.A * until)[:z, :z] @ change
    np.testing.assert_allclose(moved.final.q[pick] - linear.at.q[pick], wanted, atol=1e-4 * np.max(np.abs(change)))


def _parts(m):
    return {"fixed": m.fixed, "rigids": m.rigids, "springs": m.springs, "particles": m.particles, "gravity": m.gravity}


@given(linkages(torque=True, longest=3), st.data())
@examples
def test_along_a_motion_the_model_is_the_derivative_of_the_accelerations(plan, data):
    """Central differences of the nonlinear equations, as an oracle."""
    assembly = plan.assembly()
    state = assembly.simulate(0.3, tol=1e-12).final
    try:
        linear = assembly.linearize(state, states=data.draw(states_of(plan)))
    except lw.InputError:
        return
    # differences are no oracle where the motion is a strongly curved function of the states
    assume(conditioned(linear, 30) and np.max(np.abs(linear.positions)) < 30 and np.max(np.abs(linear.A)) < 1e5)
    system, h = assembly.system, 2e-5
    words = Vocabulary(assembly.mechanism, system)
    states = [words.read("state", name) for name in linear.states]
    speeds = [Wording(w.rate_name, lw.rate(w.expr)) for w in states]

    def slopes(change):
        q, u = consistent(system, linear.at.q + linear.positions @ change, linear.at.u + linear.velocities @ change)
        at, _ = find_point(system, linear.at.t, q, u, np.arange(system.m))
        s = measure_states(system, states, at, assembly.parameters).values
        w = measure_speeds(system, speeds, at, assembly.parameters).values
        return np.concatenate([s["s"], w["w"]]), np.concatenate([s["s1"], w["w1"]])

    def differences(h):
        pairs = [(slopes(h * e), slopes(-h * e)) for e in np.eye(len(linear.names))]
        return np.array([[(a - b) / (2 * h) for a, b in zip(*pair, strict=True)] for pair in pairs])

    # two lengths of step, so that the error of the third derivative cancels
    found = (4 * differences(h / 2) - differences(h)) / 3
    x, rates = found[:, 0].T, found[:, 1].T
    size = 1 + np.max(np.abs(linear.A))
    np.testing.assert_allclose(x, np.eye(len(linear.names)), atol=1e-5)
    np.testing.assert_allclose(rates, linear.A @ x, atol=2e-5 * size)


def consistent(system, q, u):
    """The nearest positions and velocities that meet the constraints."""
    zero = np.zeros_like(q)
    for _ in range(5):
        G = compute_matrices(system, q)[1].toarray()
        q = q - np.linalg.lstsq(G, compute_levels(system, q, zero, zero)[0], rcond=None)[0] if system.m else q
    G = compute_matrices(system, q)[1].toarray()
    return q, u - np.linalg.lstsq(G, G @ u, rcond=None)[0] if system.m else u


@given(numbers(0.3, 2), numbers(0.3, 2), numbers(0.5, 3), numbers(0.5, 3), numbers(0, 20))
@examples
def test_the_file_and_the_lagrangian_in_other_coordinates_have_the_same_eigenvalues(l1, l2, m1, m2, k):
    file = lw.loads(f"""
PartData:
  Fixed: {{O: [], S: [{l1 + l2}, {-l1}]}}
  Rigids:
    OA: {{Geom: [[{l1}]], Dyna: [[{l1 / 2}], {m1}]}}
    AB: {{Geom: [[{l2}]], Dyna: [[{l2 / 2}], {m2}]}}
  Springs: {{SB: [{k}, {l2 / 3}]}}
AppliedForces: {{Gravity: [0, -9.81]}}
ProblemData: {{positions: {{A: [0.1, {-l1}], B: [0.2, {-l1 - l2}]}}}}
""")
    # angle of the first rod, and of the second relative to it
    energy = """m1*l1**2*a'**2/6 + m2/2*(l1**2*a'**2 + l1*l2*a'*(a' + b')*cos(b) + l2**2*(a' + b')**2/3)
      + g*(m1/2 + m2)*l1*cos(a) + g*m2*l2/2*cos(a + b)
      - k/2*(sqrt((l1*sin(a) + l2*sin(a + b) - l1 - l2)**2 + (l1 - l1*cos(a) - l2*cos(a + b))**2) - l2/3)**2"""
    parameters = {"l1": l1, "l2": l2, "m1": m1, "m2": m2, "k": k, "g": 9.81}
    angles = lw.lagrangian("a b", energy.replace("\n", " "), parameters=parameters, start={"a": 0.1, "b": 0.1})
    one, other = file.linearize("equilibrium"), angles.linearize("equilibrium")
    assume(np.allclose(one.at.q[0], l1 * np.sin(other.at.q[0]), atol=1e-6))  # the same of several equilibria
    np.testing.assert_allclose(
        np.sort((one.eigenvalues**2).real), np.sort((other.eigenvalues**2).real),
        atol=1e-9 * np.max(np.abs(one.eigenvalues**2)),
    )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "four-bar",
        "slider-crank",
        "andrews",
        "mechanism1a",
        "skew2pend",
        "spatial-four-bar",
        "bennett",
        "bricard",
        "sarrus",
    ],
)
def test_what_a_parameter_changes_is_known_for_every_number_of_an_example(name):
    """The derivatives behind inputs, against formulating the mechanism with a changed parameter."""
    from linkwork.analysis.linear.inputs import _Rates

    assembly = lw.load(f"examples/{name}.yaml")
    for parameter, value in assembly.parameters.items():
        h = 1e-6 * (abs(value) or 1.0)
        changed = [assembly.with_parameters(**{parameter: value + s * h}).system for s in (1, -1)]
        rates = _Rates(assembly.mechanism, parameter)
        for term, up, down in zip(assembly.system.terms, changed[0].terms, changed[1].terms, strict=True):
            wanted = (up.parameters - down.parameters) / (2 * h)
            found = rates.of_formulas(assembly.system)[term.columns]
            np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * (1 + np.max(np.abs(wanted), initial=0.0)))


@pytest.mark.parametrize("size", [1.0, 1e-200, 1e200])
@pytest.mark.parametrize("lean", [1e-4, 1e-7, 1e-8, 1e-12, 0.0])
def test_states_and_structure_count_the_same_independent_constraints(lean, size):
    """A constraint that leans by so little against another is one more, or the same once more, for everybody."""
    G = csr_array(size * np.array([[1.0, 0, 0, 0], [1.0, lean, 0, 0], [0, 0, 2.0, 2.0]]))
    found = select_states(G, csr_array((0, 4)), np.ones(4))
    assert len(found.rows) == find_rank(scale_rows(G, np.ones(4))).rank == 4 - len(found.coordinates)
