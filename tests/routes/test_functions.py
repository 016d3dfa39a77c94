"""The equations of motion as functions of arrays: compiled, interpreted, against our residuals and differences."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import InputError, LinkworkError
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual

NAMES = ["slider-crank", "gyroscope", "inverted-pendulum"]


def near(f, count, seed=0):
    """States around the start."""
    rng = np.random.default_rng(seed)
    return f.start + 1e-2 * rng.normal(size=(count, len(f.start)))


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_interpreted_functions_agree(load_example, name):
    model = load_example(name)
    one, other = model.rhs(compiled=True), model.rhs(compiled=False)
    t, x = np.linspace(0, 1, 5), near(one, 5)
    for compute in ("__call__", "multipliers", "jacobian", "mass_matrix"):
        a, b = (getattr(f, compute)(t, x) for f in (one, other))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * (1 + np.abs(b).max(initial=0.0)))
    for key, values in one.outputs(t, x).items():
        np.testing.assert_allclose(values, other.outputs(t, x)[key], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_jacobian_is_the_limit_of_differences(load_example, name):
    f = load_example(name).rhs(compiled=False)
    x, h = near(f, 1, seed=3)[0], 1e-6
    steps = h * np.eye(len(x))
    differences = ((f(0.3, x + steps) - f(0.3, x - steps)) / (2 * h)).T
    J = f.jacobian(0.3, x)
    np.testing.assert_allclose(J, differences, rtol=0, atol=1e-6 * np.abs(J).max())


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "hydraulic-boom", "slider-crank-bodies", "gyroscope"])
def test_outputs_have_the_energies_of_the_motion_in_every_formulation(load_example, name, formulation):
    model = load_example(name).formulated(formulation)
    at = model.simulate(0.02).at(0.015)
    f = model.rhs(at=at, compiled=False)
    found = {key: float(value) for key, value in f.outputs(float(at.t), f.start).items() if key.endswith(" energy")}
    kinetic, potential = found.pop("kinetic energy"), sum(found.values())
    size = abs(kinetic) + abs(potential)
    assert [kinetic, potential] == pytest.approx(
        [float(at.energy.kinetic), float(at.energy.potential)], abs=1e-9 * size
    )


def test_an_output_whose_name_is_that_of_a_state_is_told_as_a_word():
    f = lw.loads(
        """
        Dimension: 2
        Formulation: tree
        Bodies:
          world: {frames: {o: [0.5, 0.3]}}
          a: {mass: 2, centre: [0.1, 0.2], inertia: 0.1, frames: {o: [], f0: [0.2, 0.1]}}
          b: {mass: 1, centre: [0.1, 0.2], inertia: 0.1, frames: {o: [], f0: [0.2, 0.1]}}
        Connections:
          Joints: {j0: {kind: revolute, frames: [world.o, a.o]}, j: {kind: translational, frames: [a.f0, b.f0]}}
        ProblemData: {tend: 1, positions: {a.f0: [0.7, 0.4], b.f0: [1.2, 0.5]}}
        """
    ).rhs(compiled=False)
    assert not {*f.names} & {*f.output_names}
    found = f.outputs(0.0, f.start)["b.f0.x"]
    assert found == pytest.approx(f.values(0.0, f.start, "b.f0.x"), abs=1e-14)


def test_formulas_are_compiled_beside_laws_of_reactions(load_example):
    one, other = (load_example("brake-shoe").rhs(compiled=compiled) for compiled in (True, False))
    x = near(one, 3)
    for compute in ("values", "slopes"):
        a, b = (getattr(f, compute)(0.0, x, ["OW.angle", "OW.omega"]) for f in (one, other))
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-14)


def test_rates_and_multipliers_make_our_residual_vanish(load_example):
    model = load_example("andrews")
    f, system = model.rhs(compiled=False), model.fitted
    x, n = near(f, 1)[0], system.n
    dx, lam = f(0.0, x), f.multipliers(0.0, x)
    q, u, a = x[:n], x[n:], dx[n:]
    scale = np.abs(compute_matrices(system, q)[0] @ a).max()
    assert np.abs(compute_residual(system, q, u, a, lam)).max() <= 1e-11 * scale
    assert np.abs(compute_levels(system, q, u, a)[2]).max() <= 1e-9 * np.abs(a).max()
    np.testing.assert_allclose(f.residual(0.0, x, dx, lam), 0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(f.mass_matrix(0.0, x), compute_matrices(system, q)[0].toarray(), rtol=1e-13)


def test_inverse_dynamics_is_mass_times_acceleration_and_what_speeds_make(load_example):
    f = load_example("gyroscope").rhs(compiled=False)
    x, M = near(f, 4), f.mass_matrix(0.0, near(f, 4))
    a = np.random.default_rng(1).normal(size=M.shape[:-1])
    still = f.inverse_dynamics(0.0, x, np.zeros_like(a))
    np.testing.assert_allclose(f.inverse_dynamics(0.0, x, a) - still, np.einsum("kij,kj->ki", M, a), rtol=0, atol=1e-12)


@pytest.mark.needs_compiler
def test_one_state_gives_what_a_batch_gives_from_many_threads_at_once(load_example):
    f = load_example("slider-crank").rhs(compiled=True)
    x = near(f, 64)
    together = f(0.0, x)
    with ThreadPoolExecutor(4) as pool:
        alone = [*pool.map(lambda one: f(0.0, one), [*x] * 8)]
    np.testing.assert_array_equal(alone, np.tile(together, (8, 1)))
    np.testing.assert_allclose(f(0.0, f.start, {}), f(0.0, f.start), rtol=1e-15)


# every function that laws know, of angles and of other things
LAWS = (
    "cos(theta)", "sin(theta)*s", "sin(theta - 2*s)", "tan(theta/5)", "exp(-s**2)", "log(2 + s**2)",
    "sqrt(1 + theta**2)",
    "atan2(s, 2 + theta)", "tanh(3*s)", "asin(s/20)", "acos(theta/20)", "atan(s)", "abs(theta - 0.3)**1.5",
    "min(s, theta)**2", "max(s, 2)", "select(theta < s, s**2, theta**2)", "abs(s)*s", "(2 + theta**2)**-1.5",
)  # fmt: skip


@pytest.mark.needs_compiler
@pytest.mark.parametrize("function", ["__call__", "mass_matrix", "jacobian", "outputs"])
def test_each_of_many_states_has_the_numbers_of_one_alone(function):
    energy = "s'**2/2 + theta'**2*(1 + s**2)/2 - " + " - ".join(
        f"{0.1 * (i + 1):g}*({law})" for i, law in enumerate(LAWS)
    )
    f = lw.lagrangian("theta s", energy, start={"theta": 0.5, "s": 0.2}).rhs()
    x = np.random.default_rng(5).uniform(-3, 3, (37, 4))
    x[5], x[20, 0] = 1e7, np.inf  # what is far is not told to others
    slow = lw.lagrangian("theta s", energy, start={"theta": 0.5, "s": 0.2}).rhs(compiled=False)
    compute = getattr(f, function)
    for count in (2, 3, 8, 13, 37):
        together = compute(0.1, x[:count])
        for i in range(count):
            np.testing.assert_array_equal(_numbers(together, i), _numbers(compute(0.1, x[i])))
    finite = np.delete(np.arange(37), [5, 20])
    for i in finite:
        expected = _numbers(getattr(slow, function)(0.1, x[i]))
        np.testing.assert_allclose(_numbers(together, i), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", ["peaucellier", "bicycle", "governor", "chain", "hydraulic-boom"])
def test_each_of_many_states_of_an_example_has_the_numbers_of_one_alone(load_example, name):
    f = load_example(name).rhs()
    x = near(f, 11)
    np.testing.assert_array_equal(f(0.1, x), [f(0.1, one) for one in x])
    # parameters of their own go one by one
    rows = np.tile([*f.parameters.values()], (11, 1))
    np.testing.assert_array_equal(f(0.1, x, rows), f(0.1, x))


@pytest.mark.needs_compiler
def test_what_functions_return_is_of_that_state_alone(load_example):
    f = load_example("andrews-bodies").rhs()
    x, words = near(f, 5), ["k2.x", "k2.vy", "k1.angle"]
    a, lam = np.ones((5, f.mass_matrix(0.1, x[0]).shape[0])), np.ones((5, len(f.multiplier_names)))
    functions = {
        "multipliers": lambda x, a, lam: f.multipliers(0.1, x),
        "residual": lambda x, a, lam: f.residual(0.1, x, 2 * x, lam),
        "inverse": lambda x, a, lam: f.inverse_dynamics(0.1, x, a, lam),
        "without": lambda x, a, lam: f.inverse_dynamics(0.1, x, a),
        "values": lambda x, a, lam: f.values(0.1, x, words),
        "slopes": lambda x, a, lam: f.slopes(0.1, x, words),
        "outputs": lambda x, a, lam: f.outputs(0.1, x)["kinetic energy"],
    }
    for name, compute in functions.items():
        alone = [compute(x[i], a[i], lam[i]) for i in range(5)]
        np.testing.assert_array_equal(alone, compute(x, a, lam), name)


def _numbers(found, i=None):
    """Results of one of many states, or of one alone."""
    columns = [*found.values()] if isinstance(found, dict) else [found]
    return np.concatenate([np.ravel(c if i is None else c[i]) for c in columns])


def test_parameters_are_given_by_name_or_as_rows(load_example):
    model = load_example("slider-crank")
    f = model.rhs()
    heavier = model.with_parameters(M=3.0).rhs()
    np.testing.assert_allclose(f(0.0, f.start, {"M": 3.0}), heavier(0.0, f.start), rtol=1e-13)
    rows = np.array([[*f.parameters.values()], [*heavier.parameters.values()]])
    both = f(0.0, np.array([f.start, f.start]), rows)
    np.testing.assert_allclose(both, [f(0.0, f.start), heavier(0.0, f.start)], rtol=1e-13)


@pytest.mark.needs_compiler
def test_the_function_of_c_computes_the_same(load_example):
    import ctypes

    model = load_example("slider-crank")
    f = model.rhs()
    number = ctypes.POINTER(ctypes.c_double)
    for function in (f.c_function, model.c_function()):
        dx = np.zeros_like(f.start)
        function(0.0, f.start.ctypes.data_as(number), dx.ctypes.data_as(number), None)
        np.testing.assert_array_equal(dx, f(0.0, f.start))


def test_wrong_calls_are_told_in_words(load_example):
    f = load_example("slider-crank").rhs(compiled=False)
    with pytest.raises(LinkworkError, match=r"x has the shape \(3,\); its last axis has 10 entries"):
        f(0.0, [1, 2, 3])
    with pytest.raises(LinkworkError, match=r"'B\.ax' is an acceleration, no formula of places and speeds"):
        f.values(0.0, f.start, "2*B.ax")
    with pytest.raises(LinkworkError, match=r"Give a number, or for each state a row with all of f\.parameters"):
        f(0.0, [f.start, f.start], {"M": [1, 2]})
    g = load_example("gyroscope").rhs(compiled=False)
    with pytest.raises(
        LinkworkError, match=r"'I1' follows from others: I1 = m\*r\*\*2/4. Give those, or use with_param"
    ):
        g(0.0, g.start, {"I1": 1.0})
    assert repr(g) == "<functions of 'gyroscope': 15 states, 6 parameters, interpreted>"
    with pytest.raises(LinkworkError, match="no parameter named 'MM'"):
        f(0.0, f.start, {"MM": 1})
    with pytest.raises(LinkworkError, match="its last axis has 7 parameters"):
        f(0.0, f.start, [1.0])
    with pytest.raises(LinkworkError, match="t: 'now' is no array of numbers"):
        f("now", f.start)
    with pytest.raises(LinkworkError, match=r"as many states: t \(3,\), x \(2, 10\)"):
        f(np.zeros(3), np.zeros((2, 10)))


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
def test_values_that_make_other_equations_are_refused_with_the_remedy(load_example, way):
    model = load_example("slider-crank").with_parameters(M=0.0)
    f = model.rhs(compiled=way)
    x, rows = np.tile(f.start, (3, 1)), np.tile([*f.parameters.values()], (3, 1))
    rows[:, [*f.parameters].index("M")] = 0.0, 1.0, 0.0
    said = (
        "M = 1 makes other equations than M = 0, for which these were derived. "
        r"Derive them anew: model.with_parameters\(M=1\).rhs\(\)"
    )
    for compute in (f, f.mass_matrix, f.jacobian, f.outputs):
        with pytest.raises(LinkworkError, match="^" + said):
            compute(0.0, f.start, p={"M": 1.0})
        with pytest.raises(LinkworkError, match="^row 1 of p: " + said):
            compute(0.0, x, p=rows)
    for compute, rates in ((f.inverse_dynamics, f.start[5:]), (f.residual, f.start)):
        with pytest.raises(LinkworkError, match=said):
            compute(0.0, f.start, rates, p={"M": 1.0})
    with pytest.raises(LinkworkError, match=said):
        f.values(0.0, f.start, "B.x", {"M": 1.0})
    with pytest.raises(LinkworkError, match="M = 0 makes other equations than M = 2, for which these were derived"):
        load_example("slider-crank").rhs(compiled=way)(0.0, x, {"M": 0.0})
    np.testing.assert_array_equal(f(0.0, x, {"M": 0.0}), f(0.0, x))


def test_parameters_from_which_a_zero_follows_are_named():
    text = (Path(__file__).parents[2] / "examples/slider-crank.yaml").read_text(encoding="utf-8")
    f = lw.loads(text.replace("M: 2,", "H: 2, L: 2, M: H - L,")).rhs(compiled=False)
    with pytest.raises(LinkworkError, match=r"^L = 1 makes other equations.*with_parameters\(L=1\)"):
        f(0.0, f.start, {"L": 1.0})
    assert np.isfinite(f(0.0, f.start, {"L": 1.0, "H": 1.0})).all()


@pytest.mark.needs_compiler
def test_the_function_of_c_says_nan_where_equations_are_others(load_example):
    import ctypes

    f = load_example("slider-crank").rhs()
    number = ctypes.POINTER(ctypes.c_double)
    for M, known in ((0.0, False), (2.0, True)):
        p = np.array([*{**f.parameters, "M": M}.values()])
        dx = np.zeros_like(f.start)
        f.c_function(0.0, *(a.ctypes.data_as(number) for a in (f.start, dx, p)))
        assert np.isfinite(dx).all() if known else np.isnan(dx).all()


SHAPES = {
    r"as many states: t \(\), x \(3, 10\), p \(2, 7\)": lambda f, x: f(0.0, x, np.ones((2, 7))),
    r"as many states: t \(\), x \(10,\), p \(3, 7\)": lambda f, x: f(0.0, f.start, np.ones((3, 7))),
    r"x \(3, 10\), p \(2, 3, 7\)": lambda f, x: f(0.0, x, np.ones((2, 3, 7))),
    r"x \(3, 10\), p \(4, 7\)": lambda f, x: f.values(0.0, x, "B.x", np.ones((4, 7))),
    r"a has the shape \(1,\); its last axis has 5 entries": lambda f, x: f.inverse_dynamics(0.0, f.start, [1.0]),
    r"a has the shape \(\); its last axis has 5 entries": lambda f, x: f.inverse_dynamics(0.0, f.start, 1.0),
    "a: 'up' is no array of numbers": lambda f, x: f.inverse_dynamics(0.0, f.start, "up"),
    r"a: \[\[1\], \[1, 2\]\] is no array": lambda f, x: f.inverse_dynamics(0.0, f.start, [[1], [1, 2]]),
    r"x \(3, 10\), a \(4, 5\)": lambda f, x: f.inverse_dynamics(0.0, x, np.zeros((4, 5))),
    r"x: \[\[1\], \[1, 2\]\] is no array": lambda f, x: f.residual(0.0, [[1], [1, 2]], f.start),
    "dx: .* is no array": lambda f, x: f.residual(0.0, f.start, [[1], [1, 2]]),
    "lam: 'x' is no array": lambda f, x: f.residual(0.0, f.start, f.start, "x"),
    "x: .* is no array of numbers": lambda f, x: f(0.0, f.start + 1j),
    "t: None is no array of numbers": lambda f, x: f(None, f.start),
    "t: True is no array of numbers": lambda f, x: f(True, f.start),
    r"x: array\(\['0', .* is no array of numbers": lambda f, x: f(0.0, np.full(10, "0")),
}


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
def test_arrays_that_do_not_fit_are_told_in_words(load_example, way):
    f = load_example("slider-crank").rhs(compiled=way)
    for words, call in SHAPES.items():
        with pytest.raises(LinkworkError, match=words):
            call(f, np.tile(f.start, (3, 1)))


def test_whether_functions_are_compiled_is_yes_or_no(load_example):
    with pytest.raises(LinkworkError, match=r"compiled is 'x'\. Give True or False"):
        load_example("slider-crank").rhs(compiled="x")


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
def test_no_states_and_no_formulas_give_empty_arrays(load_example, way):
    f = load_example("slider-crank").rhs(compiled=way)
    n, none = len(f.start), np.zeros((0, len(f.start)))
    assert f(0.0, none).shape == (0, n)
    assert f.jacobian(0.0, none).shape == (0, n, n)
    assert f.inverse_dynamics(0.0, none, np.zeros((0, 5))).shape == (0, 5)
    assert f.values(0.0, none, ["B.x"]).shape == (0, 1)
    assert f.slopes(0.0, none, ["B.x"]).shape == (0, 1, n)
    assert f.values(0.0, f.start, []).shape == (0,)
    assert f.slopes(0.0, f.start, []).shape == (0, n)


def test_a_lagrangian_has_functions_too():
    swing = lw.lagrangian("theta", "theta'**2/2 + g*cos(theta)", parameters={"g": 9.81}, start={"theta": 1})
    f = swing.rhs(compiled=False)
    np.testing.assert_allclose(f(0.0, [0.3, 2.0]), [2.0, -9.81 * np.sin(0.3)], rtol=1e-15)
    np.testing.assert_allclose(f.jacobian(0.0, [0.3, 2.0]), [[0, 1], [-9.81 * np.cos(0.3), 0]], rtol=1e-15)


FRAMES = {
    "slider-crank": ["B.x", "B.vx", "A.y", "OA.angle", "AB.length", "a*A.vy"],
    "andrews-bodies": ["k2.E.x", "k2.E.vy", "k3.D.y", "k3.xy", "k2.angle"],
}
BICYCLE = ["frame.xx", "frame.wz", "front.axle.vx", "front.axle.x", "lean"]
CASES = [(name, way) for name in FRAMES for way in ("points", "absolute", "tree")] + [("bicycle", "absolute")]
LONG = [("bicycle", "points"), ("bicycle", "tree")]


@pytest.mark.parametrize(("name", "formulation"), [*CASES, *(pytest.param(*c, marks=pytest.mark.long) for c in LONG)])
def test_formulas_of_frames_have_the_values_of_motions_and_the_slopes_of_differences(load_example, name, formulation):
    model = load_example(name).formulated(formulation)
    f, words = model.rhs(compiled=False), FRAMES.get(name, BICYCLE)
    begin = model.simulate(1e-9).at(0.0)
    found = f.values(0.0, f.start, words)
    np.testing.assert_allclose(found, [float(begin[word]) for word in words], rtol=0, atol=1e-14)
    states = f.start + 0.01 * np.sin(np.arange(3 * len(f.start))).reshape(3, -1)
    np.testing.assert_array_equal(f.values(0.0, states, words)[1], f.values(0.0, states[1], words))
    slopes, h = f.slopes(0.0, states[2], words), 1e-6
    for k, change in enumerate(h * np.eye(len(f.start))):
        around = f.values(0.0, np.stack([states[2] + change, states[2] - change]), words)
        np.testing.assert_allclose(slopes[:, k], (around[0] - around[1]) / (2 * h), atol=3e-9)
    by_speeds = f.slopes(0.0, states[2], words, by="speeds")
    np.testing.assert_allclose(by_speeds, slopes[:, -by_speeds.shape[1] :], rtol=0, atol=1e-13)


def test_formulas_of_places_know_parameters_and_tell_what_they_are_not(load_example):
    f = load_example("slider-crank").rhs(compiled=False)
    assert f.values(0.0, f.start, "A.y + a", {"a": 0.3}) == f.values(0.0, f.start, "A.y") + 0.3
    for wrong, words in (
        ("Z.x", "unknown name 'Z.x'"),
        ("lam_l_AB", "no formula of places and speeds"),
        ([3], "3 is no"),
    ):
        with pytest.raises(LinkworkError, match=words):
            f.values(0.0, f.start, wrong)


SPATIAL = """
Bodies:
  s: {mass: 2, centre: [0.1, 0.2, 0.3], inertia: [0.1, 0.2, 0.25], frames: {o: [], e: [0.5, 0, 0]}}
  d: {mass: 1, centre: [0, 0.1, -0.3], inertia: [0.3, 0.2, 0.25], frames: {o: []}}
Dimension: 3
Connections: {Joints: {ball: {kind: spherical, frames: [s.e, d.o]}}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {tend: 1}
"""


class Turned:
    """A state of the spatial bodies, and the entries of one of them."""

    def __init__(self, formulation):
        self.f = lw.loads(SPATIAL).formulated(formulation).rhs(compiled=False)
        self.x = self.f.start + 0.3 * np.sin(np.arange(len(self.f.start)))
        for body in "sd":
            U, _, V = np.linalg.svd(self.rotation(body))
            self.x[self.places(body)] = (U @ V * np.linalg.det(U @ V)).ravel()

    def at(self, *names):
        return [self.f.names.index(name) for name in names]

    def places(self, body):
        return self.at(*(f"{body}.r{i}{j}" for i in range(3) for j in range(3)))

    def rotation(self, body):
        return self.x[self.places(body)].reshape(3, 3)


def skew(w):
    return np.cross(np.eye(3), w)


@pytest.mark.parametrize("formulation", ["absolute", "tree"])
def test_the_state_has_mass_centres_and_spins_over_body_axes_where_formulas_have_origins_and_the_world(formulation):
    it = Turned(formulation)
    origin = it.f.values(0.0, it.x, ["s.x", "s.y", "s.z"])
    centre = origin + it.rotation("s") @ [0.1, 0.2, 0.3]
    np.testing.assert_allclose(it.x[it.at("s.x", "s.y", "s.z")], centre, rtol=0, atol=1e-14)
    for body in "sd":
        spin = it.x[it.at(*(f"{body}.w{c}'" for c in "xyz"))]
        found = it.f.values(0.0, it.x, [f"{body}.w{c}" for c in "xyz"])
        np.testing.assert_allclose(found, it.rotation(body) @ spin, rtol=0, atol=1e-14)
        dR = it.f(0.0, it.x)[it.places(body)].reshape(3, 3)
        np.testing.assert_allclose(dR, it.rotation(body) @ skew(spin), rtol=0, atol=1e-14)
        assert not it.f.jacobian(0.0, it.x)[:, it.at(*(f"{body}.w{c}" for c in "xyz"))].any()


@pytest.mark.parametrize("formulation", ["absolute", "tree"])
def test_jacobian_of_bodies_in_space_is_the_limit_of_differences_along_rotations(formulation):
    it, h = Turned(formulation), 1e-5
    J = it.f.jacobian(0.0, it.x)
    for body in "sd":
        R, places, ends = it.rotation(body), it.places(body), []
        for S in map(skew, np.eye(3)):
            for sign in (1, -1):
                turned = it.x.copy()
                # a turn by h about a unit axis: I + sin h S + (1 − cos h) S²
                turned[places] = (R + sign * np.sin(h) * R @ S + (1 - np.cos(h)) * R @ S @ S).ravel()
                ends.append(it.f(0.0, turned))
            step = np.zeros_like(it.x)
            step[places] = (R @ S).ravel()
            np.testing.assert_allclose(J @ step, (ends[-2] - ends[-1]) / (2 * h), rtol=0, atol=1e-8)


def test_points_of_a_lagrangian_have_values_at_any_state():
    swing = lw.lagrangian("theta", "theta'**2/2 + 9.81*cos(theta)", points={"P": ("sin(theta)", "-cos(theta)")})
    f = swing.rhs(compiled=False)
    np.testing.assert_allclose(f.values(0.0, [0.3, 2.0], ["P.x", "P.vx"]), [np.sin(0.3), 2 * np.cos(0.3)], rtol=1e-15)
    np.testing.assert_allclose(f.slopes(0.0, [0.3, 2.0], "P.vx"), [-2 * np.sin(0.3), np.cos(0.3)], rtol=1e-15)


@pytest.mark.parametrize("name", ["stick-slip", "newtons-cradle"])
def test_rates_in_a_mode_are_those_of_the_motion(load_example, name):
    model = load_example(name)
    motion = model.simulate(2.0)
    for t in (0.0, 0.3, 0.8, 1.2, 1.9):
        state = motion.at(t)
        f = model.rhs(at=state, compiled=False)
        n = len(f.start) // 2
        found = f(t, f.start)
        np.testing.assert_allclose(found[:n], state.u[:n], rtol=0, atol=1e-12)
        np.testing.assert_allclose(found[n:], state.a[:n], rtol=0, atol=1e-8 * (1 + np.abs(state.a).max()))
        assert len(f.multiplier_names) == model.whole.m - len(state.off)


def test_without_a_state_the_mode_is_that_of_the_start(load_example):
    model = load_example("stick-slip")
    f = model.rhs(compiled=False)
    # the mass sticks to the belt and moves with it
    np.testing.assert_allclose(f(0.0, f.start), [f.parameters["v"], 0, 0, 0], atol=1e-14)
    assert "lam_friction_belt" in f.multiplier_names


@pytest.mark.parametrize("folder", [3, b"bytes", "a\0b", ["a"]])
def test_a_folder_that_is_none_is_told_in_words(load_example, folder):
    with pytest.raises(LinkworkError, match=r"folder: .* is no name of a folder\. Give a text or a Path"):
        load_example("slider-crank").export("c", folder)


def test_a_member_by_no_number_is_told_in_words(load_example):
    bound = load_example("slider-crank").bind({"M": [1, 2]})
    for wrong in ("a", 1.5, None, slice("a", None)):
        with pytest.raises(LinkworkError, match=r"no number of a member\. Give a number: there are 2, counted from 0"):
            bound[wrong]
    with pytest.raises(IndexError, match="there are 2 members"):
        bound[2]
    assert [m.mechanism.values["M"] for m in (*bound[:1], bound[-1])] == [1, 2]


TOUCHING = """
Title: two parts that share three points
Dimension: 3
Formulation: {form}
PhysicalParams: {{h: {h}, J: 0.3, m: 2}}
PartData:
  Fixed: {{O: []}}
  Rigids:
    OXYABC: {{Geom: [[1], [0, 1, 0], [0.3, 0.4, 0.1], [0.5, 0.4, 0.1], [0.7, 0.4 + h, 0.1]],
             Dyna: [[0.5, 0.1, 0], m, [J, J, J]]}}
    UVWABC: {{Geom: [[1], [0, 1, 0], [0.3, 0.4, 0.1], [0.5, 0.4, 0.1], [0.7, 0.4 + h, 0.1]],
             Dyna: [[0.1, 0.9, 0], m, [0.2, 0.25, 0.3]]}}
AppliedForces: {{Gravity: }}
ProblemData: {{t0: 0, positions: {{X: [1, 0], Y: [0, 1], U: [], V: [1], W: [0, 1]}}}}
"""


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
@pytest.mark.parametrize("form", ["absolute", "tree"])
@pytest.mark.parametrize(("first", "changed"), [(0.0, 0.3), (0.3, 0.0)])
def test_values_by_which_points_come_on_a_line_or_off_it_are_refused(form, way, first, changed):
    f = lw.loads(TOUCHING.format(form=form, h=first)).rhs(compiled=way)
    with pytest.raises(LinkworkError, match=r"^h = .* makes other equations"):
        f(0.0, f.start, {"h": changed})
    if first:
        other = lw.loads(TOUCHING.format(form=form, h=0.2)).rhs(compiled=way)
        np.testing.assert_allclose(f(0.0, f.start, {"h": 0.2}), other(0.0, other.start), rtol=0, atol=1e-9)


@pytest.mark.parametrize("form", ["absolute", "tree"])
def test_a_body_that_loses_its_inertia_is_refused(form):
    f = lw.loads(TOUCHING.format(form=form, h=0.3)).rhs(compiled=False)
    with pytest.raises(LinkworkError, match=r"^J = 0 makes other equations"):
        f(0.0, f.start, {"J": 0.0})


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("four-bar", {"rho": -1}),
        ("four-bar", {"b": -1}),
        ("cart-pole", {"m": -1}),
        ("bicycle", {"mB": -85, "mF": 2}),
        ("bicycle", {"rF": 0}),
        ("andrews", {"c0": -4530}),
        ("driven-crank-with-damper", {"c": -5}),
        ("bouncing-balls", {"mu": -0.2}),
        ("bouncing-balls", {"e": 1.1}),
        ("sampled-servo", {"T": 0}),
    ],
)
def test_what_a_model_refuses_its_functions_refuse_in_its_words(load_example, name, changes, way):
    model = load_example(name)
    f = model.rhs(compiled=way)
    with pytest.raises(InputError) as told:
        model.mechanism.with_parameters(**changes)
    with pytest.raises(InputError) as said:
        f(0.0, f.start, changes)
    assert str(said.value) == str(told.value)
    rows = np.array([[*f.parameters.values()], [*{**f.parameters, **changes}.values()]])
    with pytest.raises(LinkworkError) as said:
        f(0.0, np.tile(f.start, (2, 1)), rows)
    assert str(said.value) == f"row 1 of p: {told.value}"


def two_rods(coordinates):
    """A double pendulum: its angles against the vertical, or the second against the first."""
    second = {"a b": "b", "a c": "a + c"}[coordinates]
    turn = "'+".join(second.split(" + ")) + "'"
    fast = f"m1*l1**2*a'**2 + m2*(l1**2*a'**2 + l2**2*({turn})**2 + 2*l1*l2*a'*({turn})*cos(a - ({second})))"
    high = f"m1*g*l1*cos(a) + m2*g*(l1*cos(a) + l2*cos({second}))"
    values = {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81}
    return lw.lagrangian(coordinates, f"({fast})/2 + {high}", parameters=values, start={"a": 0.3, coordinates[-1]: 1.1})


@pytest.mark.parametrize("way", [False, pytest.param(True, marks=pytest.mark.needs_compiler)])
@pytest.mark.parametrize("coordinates", ["a b", "a c"])
def test_what_leaves_a_lagrangian_without_inertia_is_refused_by_name(coordinates, way):
    f = two_rods(coordinates).rhs(compiled=way)
    for changes in ({"m1": 0.0, "m2": 0.0}, {"l1": 0.0}, {"m2": 0.0}):
        said, given = (", ".join(f"{name}{equal}0" for name in changes) for equal in (" = ", "="))
        names = rf"(m2 = 0|{said})(:| makes other equations)"
        with pytest.raises(LinkworkError, match=rf"^{names}.*with_parameters\((m2=0|{given})\)"):
            f(0.0, f.start, changes)
    # what has inertia still is none of their business, however light
    light = f(0.0, f.start, {"m1": 0.0, "m2": 1e-12})
    np.testing.assert_allclose(light, f(0.0, f.start, {"m1": 0.0}), rtol=1e-9)


@pytest.mark.parametrize("name", ["IFyy", "IRyy"])
def test_an_inertia_about_one_axis_that_becomes_zero_is_refused(load_example, name):
    f = load_example("bicycle").rhs(compiled=False)
    with pytest.raises(LinkworkError, match=rf"^{name} = 0 makes other equations.*with_parameters\({name}=0\)"):
        f(0.0, f.start, {name: 0.0})


@pytest.mark.filterwarnings("ignore:.*inertia is not physical", "ignore:.*its inertia .* is that of a mass")
@pytest.mark.parametrize("name", ["IByy", "mF", "mR", "mB"])
def test_masses_that_move_apart_lose_no_digits_silently(load_example, name):
    model = load_example("bicycle")
    f = model.rhs(compiled=False)
    for factor in (1e-5, 1e5):
        changes = {name: factor * f.parameters[name]}
        anew = model.with_parameters(**changes).rhs(compiled=False)(0.1, f.start)
        np.testing.assert_allclose(f(0.1, f.start, changes), anew, rtol=0, atol=1e-8 * abs(anew).max())
    for factor in (1e-13, 1e13):
        with pytest.raises(
            LinkworkError, match=f"^{name} = .* is so far from {name} = .*more than half of their digits"
        ):
            f(0.1, f.start, {name: factor * f.parameters[name]})
    # what matters is how they differ from each other
    masses = {n: 1e9 * value for n, value in f.parameters.items() if n[0] in "mI"}
    heavy = model.with_parameters(**masses).rhs(compiled=False)
    with pytest.raises(LinkworkError, match="so far from"):
        f(0.1, f.start, masses)
    assert heavy.start.shape == f.start.shape


def test_masses_that_are_numbers_stay_where_they_are():
    rods = "{fast}*(x'**2 + y'**2) + 1.5*(v'**2 + w'**2)"
    text = {"x": 1.0, "v": 2.0}
    bound = lw.lagrangian(
        "x y v w",
        rods.format(fast="m"),
        parameters={"m": 2},
        constraints=["x**2 + y**2 - 1", "v - 2*x", "w - y"],
        start=text,
    )
    f = bound.rhs(compiled=False)
    assert np.isfinite(f(0.0, f.start, {"m": 1e-3})).all()
    with pytest.raises(LinkworkError, match="m = 1e-09 is so far from m = 2"):
        f(0.0, f.start, {"m": 1e-9})


@pytest.mark.parametrize("name", ["bricard", "sarrus", "cardan-shaft"])
def test_constraints_that_follow_from_others_give_way_as_the_masses_are(load_example, name):
    model = load_example(name)
    f = model.rhs(compiled=False)
    for factor in (1e-2, 1e2, 1e4):
        changes = {"m": factor * f.parameters["m"]}
        anew = model.with_parameters(**changes).rhs(compiled=False)(0.0, f.start)
        np.testing.assert_allclose(f(0.0, f.start, changes), anew, rtol=0, atol=1e-9 * abs(anew).max())


def test_what_is_asked_in_a_long_formula_is_not_printed_whole(load_example):
    model = load_example("slider-crank")
    f, motion = model.rhs(compiled=False), model.simulate(0.01)
    long = "+".join(["B.qx"] * 500)
    for ask in (
        lambda: f.values(0.0, f.start, long),
        lambda: motion[long],
        lambda: model.linearize("start", outputs=[long]),
        lambda: f.values(0.0, f.start, long.replace("qx", "ax")),
        lambda: f(0.0, f.start, {long: 1.0}),
    ):
        with pytest.raises(LinkworkError) as caught:
            ask()
        assert len(str(caught.value)) < 200
    with pytest.raises(LinkworkError, match=r"Write a letter behind the dot of a name, as in A.x"):
        f.values(0.0, f.start, "a._yx")


def test_masked_entries_are_no_numbers(load_example):
    f = load_example("slider-crank").rhs(compiled=False)
    with pytest.raises(LinkworkError, match=r"x: an array with masked entries. Give numbers"):
        f(0.0, np.ma.array(f.start, mask=np.arange(len(f.start)) == 1))
