"""The Lagrangian facility against motions found by other means: other coordinates, equations by hand, closed forms."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from linkwork.native import make_machine
from linkwork.symbolic import cos, sin

EXAMPLES = Path(__file__).parents[2] / "examples"
LAGRANGIANS = sorted((EXAMPLES / "lagrangian").glob("*.py"))


def example(name):
    """A module of examples/lagrangian."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / "lagrangian" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", LAGRANGIANS, ids=lambda path: path.stem)
def test_example_runs_and_is_listed(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(path)])
    spec = importlib.util.spec_from_file_location("__main__", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert capsys.readouterr().out
    assert f"lagrangian/{path.name}" in (EXAMPLES.parent / "docs" / "lagrangian.md").read_text(encoding="utf-8")


# -- the same motion in other coordinates ----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "point"), [("spherical_pendulum", "P"), ("bead_on_hoop", "B")])
def test_two_sets_of_coordinates_agree(name, point):
    module = example(name)
    one = module.in_space().simulate(10, tol=1e-14)
    other = (module.in_angle if hasattr(module, "in_angle") else module.in_angles)().simulate(10, tol=1e-14)
    times = np.linspace(0, 10, 101)
    assert np.abs(one.at(times)[point] - other.at(times)[point]).max() < 2e-11
    assert np.abs(one.at(times).velocity(point) - other.at(times).velocity(point)).max() < 2e-10
    assert np.abs(one.at(5.0).acceleration(point) - other.at(5.0).acceleration(point)).max() < 1e-9


def test_andrews_in_angles_is_andrews_in_points():
    angles = example("andrews").andrews().simulate(0.03, tol=1e-15)
    points = lw.load(EXAMPLES / "andrews.yaml").simulate(0.03, tol=1e-15)
    size = 0.1  # m, the mechanism's
    assert np.abs(angles.final["E"] - points.final["E"]).max() < 1e-12 * size
    assert np.abs(angles.final["OF"] / points.final["OF"] - 1) < 1e-12


def test_pendula_are_the_mechanism_of_rods():
    """Equation (1.6) with two bobs against massless rods with particles, in the plane."""
    text = """
Title: two bobs
Dimension: 2
PartData:
  Fixed: {O: []}
  Rigids: {OA: {Geom: [[1]], Dyna: [[0], 0, 0]}, AB: {Geom: [[1]], Dyna: [[0], 0, 0]}}
  Particles: {A: 1, B: 1}
AppliedForces: {Gravity: [0, -9.81]}
ProblemData: {tend: 5, positions: {A: [[1, fixed], 0], B: [[2, fixed], 0]}}
"""
    by_parts = lw.loads(text).simulate(5, tol=1e-15)
    bobs = lw.lagrangian(
        "x[2] y[2]",
        lambda u, q, p: sum(v**2 for v in [*u.x, *u.y]) / 2 - p.g * sum(q.y),
        constraints=["x1**2 + y1**2 - 1", "(x2 - x1)**2 + (y2 - y1)**2 - 1"],
        parameters={"g": 9.81},
        start={"x1": 1, "x2": 2, "y1": 0, "y2": 0},
    ).simulate(5, tol=1e-15)
    found = np.array([bobs.final[name] for name in ("x1", "y1", "x2", "y2")])
    assert np.abs(found - by_parts.final.q).max() < 1e-11


def test_repeated_terms_share_kernels(monkeypatch):
    """Equal terms become instances of one kernel, few different ones make one kernel; the motion is the same."""
    pendula = example("pendula").pendula
    assert len(example("spherical_pendulum").in_space().system.terms) == 1
    large = pendula(40).system
    assert len(large.terms) <= 4
    assert max(term.count for term in large.terms) == 80
    apart = pendula(4)
    assert len(apart.system.terms) == 4
    monkeypatch.setattr("linkwork.equations.collect.Instances.repetition", 1.0)
    whole = pendula(4)
    assert len(whole.system.terms) == 1
    one, other = (assembly.simulate(2, tol=1e-14).final.q for assembly in (apart, whole))
    assert np.abs(one - other).max() < 1e-11


def test_many_coordinates_are_one_kernel_if_each_is_in_many_terms():
    """A pendulum of 51 bobs is one; 51 springs, each by a law of its own, are 51."""
    n = 51

    def pendulum(q, u):
        vx, vy, y, total = 0, 0, 0, 0
        for a, w in zip(q.a, u.a, strict=True):
            vx, vy, y = vx + w * cos(a), vy + w * sin(a), y - cos(a)
            total = total + (vx**2 + vy**2) / 2 - 9.81 * y
        return total

    def springs(q, u):
        return sum(w**2 / 2 - x ** (k + 2) for k, (x, w) in enumerate(zip(q.a, u.a, strict=True)))

    widths = [
        [len(t.kernel.coordinates) for t in lw.lagrangian(f"a[{n}]", L).system.terms] for L in (pendulum, springs)
    ]
    assert widths[0] == [n]
    assert max(widths[1]) == 1 and len(widths[1]) >= n


# -- constraints of velocities ----------------------------------------------------------------------------------------


def test_chaplygin_sleigh_has_its_closed_form():
    """With b = J + m a²: forward speed V tanh(k(t − c)), turning W sech(k(t − c)), k = a √(2 E m) / b."""
    motion = example("chaplygin_sleigh").sleigh().simulate(10, tol=1e-14)
    m, a, b = 1.0, 0.5, 0.2 + 0.25
    times = np.linspace(0, 10, 50)
    state = motion.at(times)
    theta, omega = state["theta"], state.velocity("theta")
    speed = state.velocity("x") * np.cos(theta) + state.velocity("y") * np.sin(theta)
    E = (m * speed[0] ** 2 + b * omega[0] ** 2) / 2
    k, V, W = a * np.sqrt(2 * E * m) / b, np.sqrt(2 * E / m), np.sqrt(2 * E / b)
    c = -np.arctanh(speed[0] / V) / k
    assert np.abs(speed - V * np.tanh(k * (times - c))).max() < 1e-12
    assert np.abs(omega - W / np.cosh(k * (times - c))).max() < 1e-12
    assert motion.residuals.velocity < 1e-15


def test_rolling_disc_obeys_newton_and_euler():
    """Against the balance of momentum in axes that lean with the disc, integrated independently."""
    assembly = example("rolling_disc").disc()
    motion = assembly.simulate(5, tol=1e-14)
    m, R, g = (assembly.parameters[name] for name in ("m", "R", "g"))
    I, J = m * R**2 / 4, m * R**2 / 2

    def slopes(t, y):
        alpha, p, s, r, phi, *_ = y  # lean, turning along the heading, the axis, the diameter that points up
        turning = r / np.cos(alpha)
        frame = np.array([p, r * np.tan(alpha), r])
        # F1 = m (R s' + R r p), J s' = −R F1;   F2 = m (−R p' + R r s) + m g sin α,  I p' + ... = R F2
        s1 = -m * R**2 * r * p / (J + m * R**2)
        p1 = (R * (m * R * r * s + m * g * np.sin(alpha)) - frame[1] * I * r + frame[2] * J * s) / (I + m * R**2)
        r1 = (frame[1] * I * p - frame[0] * J * s) / I
        x1 = R * (s * np.cos(phi) + p * np.cos(alpha) * np.sin(phi))
        y1 = R * (s * np.sin(phi) - p * np.cos(alpha) * np.cos(phi))
        return [p, p1, s1, r1, turning, s - turning * np.sin(alpha), x1, y1]

    f = motion.at(0.0)
    alpha, turning = f["alpha"], f.velocity("phi")
    s = f.velocity("psi") + turning * np.sin(alpha)
    y0 = [alpha, f.velocity("alpha"), s, turning * np.cos(alpha), 0, 0, 0, 0]
    found = solve_ivp(slopes, (0, 5), y0, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    end = motion.final
    expected = dict(zip(("alpha", "phi", "psi", "x", "y"), found[[0, 4, 5, 6, 7]], strict=True))
    for name, value in expected.items():
        assert end[name] == pytest.approx(value, abs=2e-11), name
    assert motion.energy.drift < 1e-13
    assert motion.residuals.velocity < 1e-15


def test_interpreter_agrees_on_velocity_constraints():
    assembly = example("rolling_disc").disc()
    one, other = (assembly.simulate(0.5, tol=1e-12, compiled=compiled) for compiled in (True, False))
    assert np.abs(one.final.q - other.final.q).max() < 1e-11
    assert np.abs(one.final.lam - other.final.lam).max() < 1e-9


def test_driven_velocity_constraint_does_the_work_it_feeds_in():
    """A particle forced to the speed sin t along x, with friction: its driver feeds in what is missing."""
    motion = lw.lagrangian(
        "x y",
        "m/2*(x'**2 + y'**2)",
        velocity_constraints={"drive": "x' - sin(t)"},
        dissipation="c/2*x'**2",
        parameters={"m": 2, "c": 0.3},
        start={"x": 0, "y": 0, "y'": 1},
    ).simulate(3, tol=1e-13)
    assert motion["x"][-1] == pytest.approx(1 - np.cos(3), abs=1e-13)
    power = -motion.final.multiplier("drive") * np.sin(3.0)
    assert power == pytest.approx((2 * np.cos(3.0) + 0.3 * np.sin(3.0)) * np.sin(3.0), abs=1e-11)
    assert motion.energy.drift < 1e-12
    assert motion.work["dissipation"][-1] == pytest.approx(-0.3 * (1.5 - np.sin(6) / 4), abs=1e-11)


# -- time, turning frames, published values ---------------------------------------------------------------------------


def test_bead_keeps_the_jacobi_integral_and_its_driver_feeds_energy():
    module = example("bead_on_hoop")
    turning, driven = module.in_angle().simulate(10, tol=1e-14), module.in_space().simulate(10, tol=1e-14)
    assert turning.energy.drift < 1e-12
    assert driven.energy.drift < 1e-11
    assert abs(driven.work["plane"]).max() > 0.01


def test_gyroscopic_terms_do_no_work():
    """A charge in a magnetic field: L has a part linear in the speeds; the orbit is a circle."""
    motion = lw.lagrangian(
        "x y", "m/2*(x'**2 + y'**2) + B/2*(x*y' - y*x')", parameters={"m": 2, "B": 3}, start={"x": 1, "y": 0, "y'": 1.5}
    ).simulate(20, tol=1e-14)
    radius, rate = 2 * 1.5 / 3, 3 / 2
    centre = np.array([1 + radius, 0])  # it turns clockwise
    expected = centre - radius * np.array([np.cos(rate * 20), -np.sin(rate * 20)])
    assert np.abs(motion.final.q - expected).max() < 1e-12
    assert motion.energy.drift < 1e-13
    assert motion.energy.kinetic == pytest.approx(np.full(len(motion.t), 2.25), rel=1e-12)


def car_axis_slopes(t, y):
    """The car axis reduced by hand to an ordinary differential equation: both constraints differentiated twice."""
    l, l0, r, w, K = 1.0, 0.5, 0.1, 10.0, 0.01**2 * 10 / 2
    q, v = y[:4], y[4:]
    xl, yl, xr, yr = q
    s, c = np.sin(w * t), np.cos(w * t)
    yb, yb1, yb2 = r * s, r * w * c, -r * w * w * s
    xb = np.sqrt(l * l - yb * yb)
    xb1 = -yb * yb1 / xb
    xb2 = -(yb1**2 + yb * yb2 + xb1**2) / xb
    left, right = np.hypot(xl, yl), np.hypot(xr - xb, yr - yb)
    f = np.array([
        (l0 - left) * xl / left,
        (l0 - left) * yl / left - K,
        (l0 - right) * (xr - xb) / right,
        (l0 - right) * (yr - yb) / right - K,
    ])  # fmt: skip
    dx, dy = xl - xr, yl - yr
    G = np.array([[xb, yb, 0, 0], [2 * dx, 2 * dy, -2 * dx, -2 * dy]])
    gamma = np.array([
        2 * (v[0] * xb1 + v[1] * yb1) + xl * xb2 + yl * yb2,
        2 * ((v[0] - v[2]) ** 2 + (v[1] - v[3]) ** 2),
    ])  # fmt: skip
    lam = np.linalg.solve(G @ G.T / K, -gamma - G @ f / K)
    return np.concatenate([v, (f + G.T @ lam) / K])


def test_car_axis_to_ten_digits():
    motion = example("car_axis").car_axis().simulate(tol=1e-15)
    start = [0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0]
    found = solve_ivp(car_axis_slopes, (0, 3), start, method="DOP853", rtol=2.3e-14, atol=1e-16).y[:, -1]
    ours = np.concatenate([motion.final.q, motion.final.u])
    assert np.abs(ours / found - 1).max() < 1e-10
    # the last velocities of the test set's reference solution are -0.0770..., 0.00744..., 0.0175..., 0.770...
    assert found[0] == pytest.approx(0.0493455784275402809, rel=1e-11)
    assert found[7] == pytest.approx(0.770341043779251976, rel=1e-11)


# -- the ways to say it ------------------------------------------------------------------------------------------------


def test_texts_functions_and_expressions_are_the_same():
    import linkwork.symbolic as sym

    theta, speed = sym.symbol("theta", kind="coordinate"), sym.symbol("theta'", kind="speed")
    m, l, g = (sym.symbol(name) for name in "mlg")
    ways = [
        "m*l**2*theta'**2/2 + m*g*l*cos(theta)",
        lambda q, u, p: p.m * p.l**2 * u.theta**2 / 2 + p.m * p.g * p.l * np.cos(q.theta),
        m * l**2 * speed**2 / 2 + m * g * l * sym.cos(theta),
    ]
    known = {"parameters": {"m": 1, "l": 2, "g": 9.81}, "start": {"theta": 1}}
    ends = [lw.lagrangian("theta", way, **known).simulate(2).final["theta"] for way in ways]
    assert ends[0] == ends[1] == ends[2]


def test_parameters_change_without_recompiling():
    pendulum = lw.lagrangian(
        "theta", "l**2*theta'**2/2 + g*l*cos(theta)", parameters={"l": 1, "g": 9.81}, start={"theta": 1}
    )
    other = pendulum.with_parameters(l=2)
    one, two = (make_machine(x.system, x.start.q) for x in (pendulum, other))
    assert one.loaded.code[0].library._name == two.loaded.code[0].library._name
    assert other.simulate(1).final["theta"] != pendulum.simulate(1).final["theta"]


def test_forces_events_and_points():
    motion = lw.lagrangian(
        "x",
        "m*x'**2/2 - m*g*x",
        forces={"x": "-c*x'"},
        parameters={"m": 1, "g": 9.81, "c": 0.5},
        start={"x": 0, "x'": 10},
        events=[lw.Event(name="top", when="x'"), lw.Event(name="floor", when="x", stop=True, direction=-1)],
        points={"P": (0, "x")},
    ).simulate(5)
    assert [event.name for event in motion.events] == ["top", "floor"]
    top = np.log(1 + 0.5 * 10 / 9.81) / 0.5
    assert motion.events[0].t == pytest.approx(top, abs=1e-11)
    assert motion.at(1.0)["P"].tolist() == [0, motion.at(1.0)["x"]]
    assert motion.energy.drift < 1e-10
    assert motion.work["force on x"][-1] < 0


def test_rate_is_the_time_derivative():
    assembly = lw.lagrangian(
        "a b",
        lambda q, u, t: lw.rate(sin(q.a) * q.b + cos(t)) ** 2 / 2 + u.a**2 + u.b**2,
        start={"a": 0.3, "b": 1, "a'": 0.2, "b'": -0.1},
    )
    q, u, t = np.array([0.3, 1.0]), np.array([0.2, -0.1]), 0.7
    from linkwork.native.numbers import compute_energy

    value = (np.cos(0.3) * 0.2 * 1 + np.sin(0.3) * -0.1 - np.sin(t)) ** 2 / 2 + 0.05
    at_rest = np.sin(t) ** 2 / 2
    kinetic, V = compute_energy(assembly.system, q, u, t)
    linear = -np.sin(t) * (np.cos(0.3) * 0.2 + np.sin(0.3) * -0.1)
    assert kinetic == pytest.approx(value - at_rest - linear)
    assert V["potential"] == pytest.approx(-at_rest)


def test_states_follow_their_own_equations():
    """A mass with a controller that has an integral and a filtered measurement, integrated independently."""
    motion = lw.lagrangian(
        "x",
        "m*x'**2/2 - k*x**2/2",
        states={"I": "error", "y": "(x - y)/T + 0.1*x'**2", "z": "sin(z)*exp(-t) - z**2 + 0.2*I'"},
        variables={"error": "y - one", "one": "1"},
        forces={"x": "-c*x' - i*I - p*error + 0.1*z + 0.05*y'"},
        parameters={"m": 2, "k": 3, "c": 1, "i": 0.5, "p": 2, "T": 0.2},
        start={"x": 1, "x'": 0.5, "I": 0.1, "y": 0.9, "z": 0.7},
    ).simulate(8, tol=1e-13)

    def slopes(t, s):
        x, v, I, y, z = s
        slope = (x - y) / 0.2 + 0.1 * v**2
        force = -3 * x - v - 0.5 * I - 2 * (y - 1) + 0.1 * z + 0.05 * slope
        return [v, force / 2, y - 1, slope, np.sin(z) * np.exp(-t) - z**2 + 0.2 * (y - 1)]

    found = solve_ivp(slopes, (0, 8), [1, 0.5, 0.1, 0.9, 0.7], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    ours = [motion.final["x"], motion.final.velocity("x"), *(motion.final[name] for name in "Iyz")]
    assert np.abs(ours - found).max() < 1e-12
    assert motion.energy.drift < 1e-11
    np.testing.assert_allclose(motion["error"], motion["y"] - 1, atol=1e-15)
    np.testing.assert_allclose(motion.velocity("I"), motion["error"], atol=1e-13)


def test_positions_may_feel_a_state():
    """A pendulum whose length grows as X says, L and a constraint containing X: against the reduced equation."""
    motion = lw.lagrangian(
        "x y",
        "(x'**2 + y'**2)/2 - g*y",
        constraints={"rod": "x**2 + y**2 - X**2"},
        states={"X": "a*(2 - X) + b*cos(t)"},
        parameters={"g": 9.81, "a": 0.3, "b": 0.1},
        start={"x": 0.6, "y": -0.8, "X": lw.fix(1)},
    ).simulate(4, tol=1e-13)

    def slopes(t, s):
        angle, omega, l = s
        rate = 0.3 * (2 - l) + 0.1 * np.cos(t)
        return [omega, -9.81 / l * np.sin(angle) - 2 * rate / l * omega, rate]

    # the least change of the velocities that the growing rod allows is along the rod
    begin = [np.arctan2(0.6, 0.8), 0.0, 1.0]
    angle, _, l = solve_ivp(slopes, (0, 4), begin, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    final = motion.final
    assert [final["x"], final["y"], final["X"]] == pytest.approx([l * np.sin(angle), -l * np.cos(angle), l], abs=1e-11)


def test_states_survive_a_change_of_parameters():
    filtered = lw.lagrangian("x", "x'**2/2 - x**2/2", states={"y": "(x - y)/T"}, parameters={"T": 1}, start={"x": 1})
    other = filtered.with_parameters(T=2)
    assert other.mechanism.coordinates == ("x",)
    assert other.system.states == {"y": 1}
    assert other.simulate(1).final["y"] != filtered.simulate(1).final["y"]
