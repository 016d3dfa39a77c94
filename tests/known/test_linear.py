"""Linear models against hand-derived and SymPy-derived ones, to ten digits."""

import math
import re
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy

import linkwork as lw
from known.linear_models import CART_POLE, DOUBLE_PENDULUM, FOUR_BAR, PENDULUM, TOP, disc, top_in_angles
from linkwork.analysis.linear.animate import record_mode
from linkwork.native.numbers import compute_constraints

EXACT = 1e-10


def assert_same_eigenvalues(found, wanted, rtol=EXACT):
    """The same set, each by its own size."""
    found, wanted = list(np.asarray(found, complex)), list(np.asarray(wanted, complex))
    assert len(found) == len(wanted)
    size = max(map(abs, wanted))
    for value in wanted:
        nearest = min(found, key=lambda z: abs(z - value))
        found.remove(nearest)
        assert abs(nearest - value) <= rtol * (abs(value) or size), (nearest, value)


# -- pendulum ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [["OA.angle"], ["A.x"], ["A.x - 3*A.y"], ["gap = AQ.length"], []])
def test_a_hanging_rod_swings_at_its_known_frequency_in_any_state(states):
    linear = lw.loads(PENDULUM).linearize("equilibrium", states=states)
    omega = math.sqrt(1.5 * 9.81 / 2)
    assert_same_eigenvalues(linear.eigenvalues, [1j * omega, -1j * omega])
    assert linear.balanced and linear.still


def test_a_pendulum_in_its_angle_has_the_matrices_of_the_textbook():
    linear = lw.loads(PENDULUM).linearize("equilibrium", states=["OA.angle"], inputs=["tau"], outputs=["A.x", "A.y"])
    np.testing.assert_allclose(linear.mass, [[3 * 2**2 / 3]], rtol=EXACT)
    np.testing.assert_allclose(linear.stiffness, [[3 * 9.81 * 1]], rtol=EXACT)
    np.testing.assert_allclose(linear.B, [[0], [1 / 4]], rtol=EXACT, atol=1e-14)
    np.testing.assert_allclose(linear.C, [[2, 0], [0, 0]], rtol=EXACT, atol=1e-12)


def test_an_upright_pendulum_doubles_in_its_known_time():
    upright = PENDULUM.replace("A: [1, -2]", "A: [0, 2]")
    linear = lw.loads(upright).linearize(states=["OA.angle"])
    omega = math.sqrt(1.5 * 9.81 / 2)
    (mode,) = linear.modes.unstable
    assert mode.time_to_half == pytest.approx(-math.log(2) / omega, rel=EXACT)
    assert_same_eigenvalues(linear.eigenvalues, [omega, -omega])


def test_away_from_equilibrium_the_residual_acceleration_is_told():
    linear = lw.loads(PENDULUM.replace("A: [1, -2]", "A: [2, 0]")).linearize(states=["OA.angle"])
    assert not linear.balanced and linear.still
    assert linear.residual["OA.angle'"] == pytest.approx(-1.5 * 9.81 / 2, rel=EXACT)
    assert "not in equilibrium" in linear.text()


# -- cart and pole -----------------------------------------------------------------------------------------------------


def cart_pole_matrices(sign):
    """M, K, by (x, theta) of a cart m1 with a uniform rod (m2, length l), hanging (+1) or upright (−1)."""
    m1, m2, l, g = 2.0, 0.6, 1.2, 9.81
    M = np.array([[m1 + m2, sign * m2 * l / 2], [sign * m2 * l / 2, m2 * l**2 / 3]])
    return M, np.diag([0, sign * m2 * g * l / 2])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "states",
    [["A.x", "AB.angle"], ["A.x", "B.x"], ["AB.angle", "B.x"], ["A.x + B.x", "B.x - A.x"], ["B.x"], []],
)
def test_cart_pole_has_its_known_eigenvalues_in_any_states(states, sign):
    linear = lw.loads(CART_POLE.replace("SIGN", str(-sign))).linearize(states=states)
    M, K = cart_pole_matrices(sign)
    lam2 = -np.linalg.eigvals(np.linalg.solve(M, K))
    wanted = [s * np.sqrt(complex(z)) for z in lam2 for s in (1, -1)]
    assert_same_eigenvalues(linear.eigenvalues, wanted)
    assert [mode.kind for mode in linear.modes][:2] == ["rigid body", "rigid body"]


def test_cart_pole_matrices_are_those_of_the_textbook():
    linear = lw.loads(CART_POLE.replace("SIGN", "-1")).linearize(states=["A.x", "AB.angle"], inputs=["A.x", "F"])
    M, K = cart_pole_matrices(1)
    np.testing.assert_allclose(linear.mass, M, rtol=EXACT)
    np.testing.assert_allclose(linear.stiffness, K, rtol=EXACT, atol=1e-12)
    np.testing.assert_allclose(linear.B[2:, 0], np.linalg.solve(M, [1, 0]), rtol=EXACT)
    np.testing.assert_allclose(linear.B[:, 1], linear.B[:, 0], rtol=EXACT, atol=1e-14)


# -- double pendulum, four-bar -----------------------------------------------------------------------------------------


def test_double_pendulum_of_rods():
    """M, K by hand in the angles of both rods from the vertical."""
    m1, m2, l1, l2, g = 1.0, 2.0, 0.7, 1.1, 9.81
    M = np.array([[m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2], [m2 * l1 * l2 / 2, m2 * l2**2 / 3]])
    K = np.diag([(m1 / 2 + m2) * g * l1, m2 * g * l2 / 2])
    linear = lw.loads(DOUBLE_PENDULUM).linearize("equilibrium", states=["OA.angle", "AB.angle"])
    np.testing.assert_allclose(linear.mass, M, rtol=EXACT)
    np.testing.assert_allclose(linear.stiffness, K, rtol=EXACT, atol=1e-11)
    relative = lw.loads(DOUBLE_PENDULUM).linearize("equilibrium", states=["OA.angle", "AB.angle - OA.angle"])
    assert_same_eigenvalues(relative.eigenvalues, linear.eigenvalues)


def four_bar_by_hand(near):
    """ω² = V''/m at the minimum of V, all as functions of the crank angle alone, in 40 digits."""
    a, b, c, d, rho, k, rest, g = map(mpmath.mpf, ("0.4", "1", "0.8", "1", "2", "30", "0.5", "9.81"))

    def places(theta):
        A = a * mpmath.expj(theta)
        # C: b from A and c from D
        D = mpmath.mpc(d, 0)
        r = abs(D - A)
        x = (b**2 - c**2 + r**2) / (2 * r)
        C = A + (D - A) / r * mpmath.mpc(x, mpmath.sqrt(b**2 - x**2))
        return A, C

    def potential(theta):
        A, C = places(theta)
        gravity = rho * g * (a * A.imag / 2 + b * (A.imag + C.imag) / 2 + c * C.imag / 2)
        return gravity + k / 2 * (abs(C - mpmath.mpc(0, "1.5")) - rest) ** 2

    def rate(f, theta):
        return mpmath.mpc(mpmath.diff(lambda t: f(t).real, theta), mpmath.diff(lambda t: f(t).imag, theta))

    def mass(theta):
        # T = ½ m(θ) θ̇²; a uniform rod: m/3 (v₁² + v₁·v₂ + v₂²) / 2
        vA, vC = rate(lambda t: places(t)[0], theta), rate(lambda t: places(t)[1], theta)

        def rod(length, v, w):
            return rho * length / 3 * (abs(v) ** 2 + (v * mpmath.conj(w)).real + abs(w) ** 2)

        return rod(a, mpmath.mpc(0), vA) + rod(b, vA, vC) + rod(c, vC, mpmath.mpc(0))

    with mpmath.workdps(40):
        theta = mpmath.findroot(lambda t: mpmath.diff(potential, t), near)
        return float(theta), float(mpmath.sqrt(mpmath.diff(potential, theta, 2) / mass(theta)))


@pytest.mark.parametrize("states", [["OA.angle"], ["A.x"], ["DC.angle"], ["EC.length"], []])
def test_four_bar_with_a_spring(states):
    linear = lw.loads(FOUR_BAR).linearize("equilibrium", states=states)
    found = {name: linear.at.q[i] for name, i in linear.system.index.items()}
    crank = math.atan2(found["Ay"], found["Ax"])
    theta, omega = four_bar_by_hand(crank)
    assert crank == pytest.approx(theta, abs=1e-10)
    assert_same_eigenvalues(linear.eigenvalues, [1j * omega, -1j * omega])


# -- gyroscopic and non-holonomic --------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.5, 1.2, 1.3, 3.0, 8.0])
def test_rolling_disc_falls_below_and_wobbles_above_its_critical_speed(speed):
    """(A + m R²) α̈ + [(C + m R²) C/A Ω² − m g R] α = 0 with A = m R²/4, C = m R²/2, Ω = v/R."""
    R, g = 0.5, 9.81
    linear = disc(speed).linearize()
    lam = np.sqrt(complex(-(3 * (speed / R) ** 2 - g / R) / 1.25))
    assert (len(linear.states), len(linear.speeds)) == (5, 3)
    assert linear.balanced
    assert_same_eigenvalues(linear.eigenvalues, [0] * 6 + [lam, -lam])


@pytest.mark.parametrize("spin", [0.0, 50.0, 150.0, 400.0])
def test_spinning_heavy_top_upright(spin):
    """λ = i (C s ± √(C² s² − 4 A m g l)) / 2A, from the file in the axis' place and from angles."""
    m, l, r, g = 0.5, 0.1, 0.05, 9.81
    A, C = m * r**2 / 4 + m * l**2, m * r**2 / 2
    root = np.sqrt(complex(C**2 * spin**2 - 4 * A * m * g * l))
    pair = [1j * (C * spin + sign * root) / (2 * A) for sign in (1, -1)]
    wanted = [*pair, *np.conj(pair), 0, 0] if spin else [*pair, *[-z for z in pair], 0, 0]
    states = ["A.x", "A.y", "turn = atan2(U.y, U.x)"]
    from_file = lw.loads(TOP).with_parameters(s=spin).linearize(states=states)
    assert from_file.balanced
    wanted = np.where(np.abs(np.array(wanted)) < 1e-14, 0, wanted)
    assert_same_eigenvalues(from_file.eigenvalues, wanted)
    assert_same_eigenvalues(top_in_angles(spin).linearize().eigenvalues, wanted)


# -- SymPy -------------------------------------------------------------------------------------------------------------


def test_a_sympy_model_of_a_damped_driven_pair():
    """A linear model derived by SymPy from the same Lagrangian: gyroscopic, damped, with an applied force."""
    x, y, vx, vy, F = sympy.symbols("x y vx vy F")
    L = (vx**2 + (2 + sympy.cos(x)) * vy**2 + vx * vy * sympy.sin(y)) / 2 + x * vy - sympy.cosh(x) - 3 * y**2 + y**3
    R = vx**2 / 5 + (vx - vy) ** 2 / 3
    q, v = sympy.Matrix([x, y]), sympy.Matrix([vx, vy])
    p = sympy.Matrix([L]).jacobian(v).T
    forces = sympy.Matrix([L]).jacobian(q).T - p.jacobian(q) * v - sympy.Matrix([R]).jacobian(v).T
    forces += sympy.Matrix([sympy.sin(F), F * x])
    a = p.jacobian(v).LUsolve(forces)
    point = {x: 0, y: 0, vx: 0, vy: 0, F: 0}
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:] = np.array(a.jacobian([x, y, vx, vy]).subs(point), dtype=float)
    B = np.array(a.jacobian([F]).subs(point), dtype=float)
    found = lw.lagrangian(
        "x y",
        "(x'**2 + (2 + cos(x))*y'**2 + x'*y'*sin(y))/2 + x*y' - (exp(x) + exp(-x))/2 - 3*y**2 + y**3",
        dissipation="x'**2/5 + (x' - y')**2/3",
        forces={"x": "sin(F)", "y": "F*x"},
        parameters={"F": 0},
    ).linearize(states=["x", "y"], inputs=["F"])
    np.testing.assert_allclose(found.A, A, atol=EXACT)
    np.testing.assert_allclose(found.B[2:], B, atol=EXACT)
    assert_same_eigenvalues(found.eigenvalues, np.linalg.eigvals(A))


def test_a_controller_with_a_state_of_its_own():
    """An integral controller is a coordinate without inertia, X' = x: mass m, force −k x − c x' − i X.

    The characteristic polynomial is m s³ + c s² + k s + i.
    """
    controlled = lw.lagrangian(
        "x X",
        "m*x'**2/2 - k*x**2/2",
        velocity_constraints={"integrator": "X' - x"},
        forces={"x": "-c*x' - i*X + F"},
        parameters={"m": 2, "k": 30, "c": 5, "i": 11, "F": 0},
    )
    linear = controlled.linearize(states=["x", "X"], inputs=["F"])
    assert linear.names == ("x", "X", "x'")
    assert_same_eigenvalues(linear.eigenvalues, np.roots([2, 5, 30, 11]))
    np.testing.assert_allclose(linear.bode([0.0]).H[0, 0, 0], 0, atol=1e-12)  # no error remains


# -- responses ---------------------------------------------------------------------------------------------------------


def test_step_and_frequency_response_of_one_mass():
    linear = lw.lagrangian(
        "x", "m*x'**2/2 - k*x**2/2", dissipation="c*x'**2/2", forces={"x": "F"},
        parameters={"m": 2, "k": 8, "c": 1, "F": 0},
    ).linearize(inputs=["F"])  # fmt: skip
    omega = np.array([0.5, 2.0, 7.0])
    np.testing.assert_allclose(linear.bode(omega).H[:, 0, 0], 1 / (8 - 2 * omega**2 + 1j * omega), rtol=EXACT)
    t = np.linspace(0, 9, 10)
    delta, damped = 1 / 4, math.sqrt(4 - 1 / 16)
    wanted = (1 - np.exp(-delta * t) * (np.cos(damped * t) + delta / damped * np.sin(damped * t))) / 8
    np.testing.assert_allclose(linear.step(t).y[:, 0, 0], wanted, atol=EXACT)


def test_a_free_mass_answers_a_constant_force_without_bound():
    free = lw.lagrangian("x", "x'**2/2", forces={"x": "F"}, parameters={"F": 0}).linearize(inputs=["F"])
    assert np.isinf(free.bode([0.0]).gain).all()
    np.testing.assert_allclose(free.bode([3.0]).H[0, 0, 0], -1 / 9, rtol=EXACT)
    np.testing.assert_allclose(free.step([0, 2]).y[:, 0, 0], [0, 2], rtol=EXACT)


def test_lines_of_modes_cross_without_jumping():
    """Two uncoupled oscillators, one of which gets stiffer: the lines cross at k = 4."""
    pair = lw.lagrangian("x y", "(x'**2 + y'**2)/2 - k*x**2/2 - 4*y**2/2", parameters={"k": 1})
    study = pair.vary("k", np.linspace(1, 9, 17))
    frequencies = 2 * np.pi * study.frequencies
    lines = sorted(frequencies.T.tolist(), key=lambda line: line[-1])
    np.testing.assert_allclose(lines[0], 2, rtol=EXACT)
    np.testing.assert_allclose(lines[1], np.sqrt(study.values), rtol=EXACT)


# -- everything in it --------------------------------------------------------------------------------------------------


def test_a_pendulum_on_a_shaken_support_is_linearised_at_a_time():
    """θ̈ = −(g + ÿ)/l · 3/2 for a uniform rod, with y = b sin(w t) prescribed: Mathieu's equation at that time."""
    shaken = lw.loads("""
PhysicalParams: {l: 2, b: 0.05, w: 20}
PartData:
  Fixed: {P: [0, -5], Q: [0, 5]}
  Rigids: {AB: {Geom: [[l]], Dyna: [[l/2], 3]}}
  Particles: {A: 1}
Connections: {Collinear: [PQA]}
AppliedForces: {Gravity: [0, -9.81]}
Motions: {A.y: b*sin(w*t)}
ProblemData: {positions: {A: [0, 0], B: [[0, fixed], -l]}}
""")
    for t in (0.0, 0.11, 0.3):
        linear = shaken.linearize(t, states=["AB.angle"])
        wanted = -1.5 * (9.81 - 0.05 * 20**2 * math.sin(20 * t)) / 2
        assert linear.A[1, 0] == pytest.approx(wanted, rel=1e-9)
        assert linear.balanced and any("depends on time" in note for note in linear.notes)


def test_friction_and_air_become_damping():
    rough = lw.loads("""
PhysicalParams: {mu: 3, v: 0.2, c: 0.7}
PartData:
  Fixed: {P: [-5], Q: [5], W: [-1]}
  Particles: {A: 2}
  Springs: {WA: [50, 1]}
Connections: {Collinear: [PQA]}
AppliedForces: {Forces: {A: ["-mu*tanh(A.vx/v) - c*A.vx - A.vx*abs(A.vx)"]}}
ProblemData: {positions: {A: [0, 0]}}
""").linearize(states=["A.x"])
    np.testing.assert_allclose(rough.damping, [[3 / 0.2 + 0.7]], rtol=EXACT)
    np.testing.assert_allclose(rough.stiffness, [[50]], rtol=EXACT)


def test_redundant_constraints_change_nothing():
    """The same four-bar linkage in the plane and with seven redundant constraints in space."""
    plane = lw.load("examples/four-bar.yaml").linearize("equilibrium")
    space = lw.load("examples/spatial-four-bar.yaml").linearize("equilibrium")
    assert any("redundant" in note for note in space.notes)
    assert_same_eigenvalues(space.eigenvalues, plane.eigenvalues)


@pytest.mark.parametrize("name", ["a", "b", "d", "rho"])
def test_inputs_that_are_lengths_or_places_move_the_equilibrium_as_they_do(name):
    """dx/dp = −A⁻¹ B against equilibria found anew; a moves rods, d a fixed point, rho masses."""
    four_bar = lw.loads(FOUR_BAR)
    value, h = four_bar.parameters[name], 1e-4
    linear = four_bar.linearize("equilibrium", states=["OA.angle"], inputs=[name], outputs=["C.x", "AC.angle"])

    def found(p):
        at = four_bar.with_parameters(**{name: p}).linearize("equilibrium", states=["OA.angle"], outputs=linear.outputs)
        return np.array([*at.values[:1], *at.y])

    slope = (8 * (found(value + h) - found(value - h)) - found(value + 2 * h) + found(value - 2 * h)) / (12 * h)
    x = -np.linalg.solve(linear.A, linear.B)
    np.testing.assert_allclose([x[0, 0], *(linear.C @ x + linear.D)[:, 0]], slope, rtol=1e-7, atol=1e-9)


def test_shares_of_energy_and_participation_say_which_mode_it_is():
    """Two masses on springs, far apart in frequency: each mode belongs to one of them."""
    pair = lw.loads("""
PartData:
  Fixed: {P: [-5], Q: [5]}
  Particles: {A: 1, B: 1}
  Springs: {PA: [1, 4], QB: [10000, 4]}
Connections: {Collinear: [PQAB]}
ProblemData: {positions: {A: [-1, 0], B: [1, 0]}}
""").linearize(states=["A.x", "B.x"], inputs=["A.x"])
    slow, fast = pair.modes
    assert (slow.omega, fast.omega) == (pytest.approx(1), pytest.approx(100))
    for mode, body, spring in ((slow, "A", "PA"), (fast, "B", "QB")):
        assert mode.kinetic == {body: pytest.approx(1.0)}
        assert mode.strain == {spring: pytest.approx(1.0)}
        assert sum(mode.participation.values()) == pytest.approx(1)
        assert mode.participation[f"{body}.x"] == pytest.approx(0.5)
    assert slow.inputs["A.x"] > 0 == fast.inputs["A.x"]


def test_python_control_gets_the_same_model():
    control = pytest.importorskip("control")
    linear = lw.loads(PENDULUM).linearize("equilibrium", states=["OA.angle"], inputs=["tau"])
    model = linear.to_control()
    assert isinstance(model, control.StateSpace)
    np.testing.assert_allclose(model.A, linear.A)
    np.testing.assert_allclose(model(2j)[0, 0] if np.ndim(model(2j)) else model(2j), linear.bode([2.0]).H[0, 0, 0])
    assert model.input_labels == ["tau"] and model.state_labels == ["OA_angle", "OA_angle'"]


def test_an_input_reaches_a_place_by_its_speed_and_not_what_it_leaves_alone():
    """By Kalman's rank: a force on a free mass controls both of its zeros, and none of those of another mass."""
    free = lw.lagrangian("x y", "x'**2/2 + y'**2/2", forces={"x": "F"}, parameters={"F": 0})
    linear = free.linearize(inputs=["F"], outputs=["x", "y"])
    reached = [mode for mode in linear.modes if mode.inputs["F"] > 0]
    assert len(linear.modes) == 4 and len(reached) == 2
    kalman = np.hstack([np.linalg.matrix_power(linear.A, k) @ linear.B for k in range(4)])
    assert np.linalg.matrix_rank(kalman) == 2
    span = np.column_stack([mode.states.real for mode in reached])
    assert np.linalg.matrix_rank(np.hstack([kalman, span])) == 2
    cart = lw.lagrangian(
        "x th", "x'**2/2 + (x'**2 + 2*x'*th'*cos(th) + th'**2)/2 - 9.81*cos(th)", forces={"x": "F"}, parameters={"F": 0}
    ).linearize(inputs=["F"])
    assert all(mode.inputs["F"] > 0 for mode in cart.modes)
    assert "out of reach" not in cart.text()


def test_the_steady_turn_of_a_conical_pendulum_is_found():
    """A thin rod turning about the vertical at W: cos θ = 3 g / (2 l W²), and it nods at W √(1 + 3 cos² θ)."""
    W, l = 4.0, 1.5
    turning = lw.loads("""
PhysicalParams: {l: 1.5, W: 4}
Dimension: 3
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], 2]}}
AppliedForces: {Gravity: [0, 0, -9.81]}
ProblemData: {positions: {A: [[0.9, fixed], [0, fixed], -1.2]}, velocities: {A: [0, [0.9*W, fixed], 0]}}
""")
    states = ["tilt = acos(-A.z/l)", "turn = atan2(A.y, A.x)"]
    assert not turning.linearize(states=states).balanced
    linear = turning.linearize("steady", states=states)
    theta = math.acos(1.5 * 9.81 / (l * W**2))
    assert linear.balanced and not linear.still
    assert linear.values[0] == pytest.approx(theta, rel=EXACT)
    assert linear.values[3] == pytest.approx(W, rel=EXACT)
    nod = W * math.sqrt(1 + 3 * math.cos(theta) ** 2)
    assert_same_eigenvalues(linear.eigenvalues, [0, 0, 1j * nod, -1j * nod])


@pytest.mark.parametrize(
    ("stiffness", "mass", "inertia"), [(540.0, 0.025, 0.0116), (890.0, 0.0116, 0.0383), (5e4, 1e-3, 2.0)]
)
def test_the_free_turn_of_a_steady_governor_has_exact_zeros(stiffness, mass, inertia):
    """A mass on a turning guide, held by a spring: ω² = k/m − W² + 4 W² m r²/(J + m r²), and the turn is free."""
    W, l = 3.0, 1.3
    governor = lw.loads(f"""
PhysicalParams: {{l: {l}, W: {W}, k: {stiffness}, m: {mass}}}
PartData:
  Fixed: {{O: []}}
  Rigids: {{OP: {{Geom: [[1]], Dyna: [[0], 2, {inertia}]}}}}
  Particles: {{A: m}}
  Springs: {{OA: [k, l]}}
Connections: {{Collinear: [OPA]}}
ProblemData:
  positions: {{P: [0.6, 0.8], A: [0.6*l, 0.8*l]}}
  velocities: {{P: [[-0.8*W, fixed], 0.6*W], A: [-0.8*W*l, 0.6*W*l]}}
""")
    linear = governor.linearize("steady", states=["turn = OP.angle", "r = OA.length"])
    eigenvalues = np.sort_complex(linear.eigenvalues)
    assert np.sum(eigenvalues == 0) == 2
    assert [mode.kind for mode in linear.modes] == ["rigid body", "rigid body", "oscillation"]
    r, W = linear.values[1], linear.values[2]
    assert r == pytest.approx(stiffness * l / (stiffness - mass * W**2), rel=1e-9)
    square = stiffness / mass - W**2 + 4 * W**2 * mass * r**2 / (inertia + mass * r**2)
    assert eigenvalues[-1].imag == pytest.approx(math.sqrt(square), rel=1e-9)


def test_no_steady_motion_where_something_falls():
    ball = lw.lagrangian("x y", "(x'**2 + y'**2)/2 - 9.81*y", start={"x'": 1})
    with pytest.raises(lw.SolveError, match="no steady motion"):
        ball.linearize("steady")
    disc_at_speed = disc(3.0)
    assert disc_at_speed.linearize("steady").balanced


def test_the_page_about_linear_models_runs(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "linear.md").read_text()
    programs = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    examples = Path(__file__).parents[2] / "examples"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(examples)
    space = {}
    for text in programs:
        exec(compile(text, "linear.md", "exec"), space)
    assert {"bode.png", "model.mat", "mode.html", "campbell.png"} <= {path.name for path in tmp_path.iterdir()}
    assert space["controlled"].linearize(inputs=["F"]).names == ("x", "x'", "X")
    assert space["top"].linearize(speeds=["w1", "w2", "w3"]).speeds == ("w1", "w2", "w3")


def test_an_animated_mode_keeps_its_rods_and_its_rates():
    """The recording closes the constraints at its knots, and its speeds and accelerations belong to its places."""
    assembly = lw.loads(DOUBLE_PENDULUM)
    mode = assembly.linearize("equilibrium").modes[1]
    recording = record_mode(assembly.mechanism, mode, amplitude=0.05, phase=0.5)
    knots = recording.knots
    g = compute_constraints(assembly.system, knots.q.T)
    assert np.max(np.abs(g)) < 1e-12
    h = knots.t[1] - knots.t[0]
    np.testing.assert_allclose(np.diff(knots.q, axis=0), h * (knots.u[:-1] + knots.u[1:]) / 2
                               + h**2 / 12 * (knots.a[:-1] - knots.a[1:]), atol=1e-6)  # fmt: skip
    assert np.ptp(knots.q[:, 0]) > 0.02


def test_forces_of_constraints_and_accelerations_are_outputs():
    """A particle on a massless rod, swinging: the tension N = m (g cos θ + l θ̇²) is 2 l λ, since g = |OA|² − l²."""
    swinging = lw.loads("""
PhysicalParams: {l: 2, m: 3}
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[l]]}}
  Particles: {A: m}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {positions: {A: [[1.2, fixed], -1.6]}, velocities: {A: [1.6, 1.2]}}
""")
    outputs = ["N = 2*l*lam_l_OA", "Ax''"]
    linear = swinging.linearize(states=["theta = atan2(A.x, -A.y)"], outputs=outputs)
    sine, cosine, rate = 0.6, 0.8, 1.0
    assert linear.y[0] == pytest.approx(3 * (9.81 * cosine + 2 * rate**2), rel=EXACT)
    np.testing.assert_allclose(linear.C[0], [-3 * 9.81 * sine, 3 * 4 * rate], rtol=EXACT)
    # x = l sin θ: ẍ = −g sin θ cos θ − l θ̇² sin θ
    wanted = [-9.81 * (cosine**2 - sine**2) - 2 * rate**2 * cosine, -4 * rate * sine]
    np.testing.assert_allclose(linear.C[1], wanted, rtol=EXACT)
