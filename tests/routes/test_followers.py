"""Followers, ė = N u, by independent routes.

Twelve Euler sequences, Euler parameters and the rotation matrix against each other and the law of angular momentum;
coefficients by repeated symbolic differentiation; pinned bodies against SciPy and against points.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tools
from followers import (
    CARRIERS,
    SEQUENCES,
    body,
    chain_state,
    chain_system,
    cross,
    hat,
    make_system,
    pin,
    pinned_state,
    pinned_system,
    rotor_system,
    run,
    tether,
    top_equations,
    turn,
)
from linkwork import symbolic as sy
from linkwork.equations import Contribution, accelerations, kernel
from linkwork.equations.kernels import planar
from linkwork.equations.tangent import derive_tangent
from linkwork.errors import InputError
from linkwork.native import Machine, choose_weights
from linkwork.native.numbers import compute_energy, compute_levels, compute_residual
from linkwork.solve import Options, integrate
from linkwork.symbolic import differentiate, evaluate, symbol
from tools import assert_series_equal, distance, expand, machines, make_start

TURNS = 100


def make_machine(system, q):
    return Machine(system, choose_weights(system, np.asarray(q, dtype=float)))


def rotor_start(carrier):
    """Followers, moments and body rates of an asymmetric rotor that turns about once in 2π, away from singularities.

    A sequence is singular where its third axis, fixed in the body, lies along its first, fixed in space. So the angular
    momentum lies along the first axis and the third is the one of the least moment, which stays far from it.
    """
    if carrier.name == "matrix":
        return np.eye(3).ravel(), np.array([1.0, 2.0, 2.8]), np.array([0.2, 0.3, 1.0])
    if carrier.name == "quaternion":
        return np.array([0.5, 0.5, -0.5, 0.5]), np.array([1.0, 2.0, 2.8]), np.array([0.2, 0.3, 1.0])
    first, _, third = ("xyz".index(axis) for axis in carrier.name)
    J = np.full(3, 2.0)
    most = next(i for i in range(3) if i != third)
    J[third], J[most] = 1.0, 2.8
    middle = 0.3 if len(set(carrier.name)) == 3 else np.pi / 2 - 0.3
    # the last angle that brings the axis of the largest moment nearest to the momentum, and a little more
    last = max(np.arange(0, 6.3, 0.05), key=lambda x: carrier.rotation([0.0, middle, x])[first, most]) + 0.2
    angles = np.array([0.4, middle, last])
    momentum = 2.7 * carrier.rotation(angles).T[:, first]
    return angles, J, momentum / J


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", CARRIERS)
def test_a_free_rotor_keeps_its_angular_momentum_in_space_over_a_hundred_turns(name):
    carrier = CARRIERS[name]
    e, J, w = rotor_start(carrier)
    system = rotor_system(carrier, J)
    q = np.concatenate([np.zeros(3), e])
    machine = make_machine(system, q)
    before = carrier.rotation(e) @ (J * w)
    for chunk in run(machine, q, w, 2 * np.pi * TURNS):
        for place, rates in zip(chunk.q(0), chunk.q(1), strict=True):
            assert distance(carrier.rotation(place[3:]) @ (J * rates[:3]), before) < 1e-11
    end, rates, _, _ = machine.end
    assert distance(carrier.rotation(end[3:]) @ (J * rates[:3]), before) < 1e-11


@pytest.mark.needs_compiler
@pytest.mark.parametrize("name", [*SEQUENCES, "quaternion"])
def test_every_carrier_of_a_rotation_gives_the_motion_of_the_matrix(name):
    carrier, matrix = CARRIERS[name], CARRIERS["matrix"]
    e, J, w = rotor_start(carrier)
    ends = []
    for way, start in ((carrier, e), (matrix, carrier.rotation(e).ravel())):
        q = np.concatenate([np.zeros(3), start])
        machine = make_machine(rotor_system(way, J), q)
        run(machine, q, w, 2 * np.pi * 10)
        ends.append(way.rotation(machine.end[0][3:]))
    assert distance(*ends) < 1e-11


@pytest.mark.needs_compiler
@pytest.mark.parametrize("tol", [1e-6, 1e-9, 1e-12, 1e-14])
def test_a_steady_spin_is_resolved_although_its_speeds_are_constant(tol):
    # the quasi-coordinates are linear in time; only the rotation shows how long a step may be
    system, w, order = rotor_system(CARRIERS["matrix"], [1.0, 2.0, 2.8]), 50.0, Options(tol=tol).chosen_order
    q = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    machine = make_machine(system, q)
    run(machine, q, [0, 0, w], 2 * np.pi * TURNS / w, tol=tol, order=order)
    end, rates, _, _ = machine.end
    assert distance(end[3:], np.eye(3).ravel()) < max(tol, 1e-12)
    assert machine.tally.rejected == 0
    # whole turns are counted, and the rates of followers are there
    assert end[2] == pytest.approx(2 * np.pi * TURNS, abs=1e-11)
    assert distance(rates[3:].reshape(3, 3), end[3:].reshape(3, 3) @ hat([0, 0, w])) < 1e-13


# -- coefficients ------------------------------------------------------------------------------------------------------


def differentiate_repeatedly(rates, start, order):
    """Taylor coefficients of all symbols that move at `rates` (expressions), by total derivatives."""
    found = np.zeros((order + 1, len(rates)))
    for j, current in enumerate(rates):
        expr = current
        for k in range(order + 1):
            found[k, j] = float(evaluate(expr, start)) / math.factorial(k)
            expr = sum((differentiate(expr, s) * rate for s, rate in rates.items()), sy.Number(0))
    return found


def rotor_by_hand(carrier, J, e, w, order):
    """Coefficients of ω and of the followers, from ω' = J⁻¹ (J ω × ω) and ė = n."""
    spin = [symbol(name) for name in ("a", "b", "c")]
    places = [symbol(name) for name in carrier.followers.split()]
    u = SimpleNamespace(**dict(zip(("wx", "wy", "wz"), spin, strict=True)))
    q = SimpleNamespace(**dict(zip(carrier.followers.split(), places, strict=True)))
    momentum = [float(j) * s for j, s in zip(J, spin, strict=True)]
    turning = [x / float(j) for x, j in zip(cross(momentum, spin), J, strict=True)]
    rates = dict(zip(spin, turning, strict=True)) | dict(zip(places, carrier.rates(q, u).values(), strict=True))
    start = dict(zip((*spin, *places), map(float, (*w, *e)), strict=True))
    return differentiate_repeatedly(rates, start, order)


@pytest.mark.needs_compiler
@pytest.mark.parametrize(("name", "order"), [("matrix", 6), ("quaternion", 6), ("zxz", 4), ("xyz", 4)])
def test_coefficients_of_speeds_that_are_no_derivatives_are_those_of_repeated_differentiation(name, order):
    carrier = CARRIERS[name]
    e, J, w = rotor_start(carrier)
    by_hand = rotor_by_hand(carrier, J, e, w, order)
    q = np.concatenate([np.zeros(3), e])
    for machine in machines(rotor_system(carrier, J), q):
        found, _ = expand(machine, q, w, order)
        # the series of a quasi-coordinate is the integral of that of its speed
        speeds = found[1:, :3] * np.arange(1, order + 1)[:, None]
        assert_series_equal(speeds, by_hand[:-1, :3], 1e-13)
        assert_series_equal(found[:, 3:], by_hand[:, 3:], 1e-13)


TOP, ARM = (1.3, 0.4, 0.5, 0.3, 9.81), (0.1, -0.05, -0.7)


def test_coefficients_of_a_pinned_body_are_those_of_repeated_differentiation():
    order = 5
    acceleration = top_equations(TOP, ARM)
    spin, places = [symbol(f"w{i}") for i in range(3)], [symbol(f"r{i}{j}") for i in range(3) for j in range(3)]
    rows = [places[3 * i : 3 * i + 3] for i in range(3)]
    # ω' is affine in the last row of R and quadratic in ω: read its coefficients off the numbers
    zero, eye = np.zeros(3), np.eye(3)
    pull = [acceleration(np.vstack([zero, zero, row]), zero) for row in eye]
    square = {
        (i, j): (acceleration(np.zeros((3, 3)), eye[i] + eye[j]) - acceleration(np.zeros((3, 3)), eye[i] - eye[j])) / 4
        for i in range(3)
        for j in range(3)
    }
    rates = {
        spin[k]: sum((float(pull[i][k]) * rows[2][i] for i in range(3)), sy.Number(0))
        + sum((float(c[k]) * spin[i] * spin[j] for (i, j), c in square.items()), sy.Number(0))
        for k in range(3)
    }
    for row in rows:
        rates |= dict(zip(row, cross(row, spin), strict=True))
    R, w = turn(0, 0.4) @ turn(1, 0.3), np.array([0.5, -0.7, 2.0])
    start = dict(zip((*spin, *places), map(float, (*w, *R.ravel())), strict=True))
    by_hand = differentiate_repeatedly(rates, start, order)
    q, u = pinned_state(R, w, ARM)
    for machine in machines(pinned_system(TOP, ARM), q):
        found, _ = expand(machine, q, u, order)
        assert_series_equal(found[:, 6:], by_hand[:, 3:], 1e-12)
        assert_series_equal(found[1:, 3:6] * np.arange(1, order + 1)[:, None], by_hand[:-1, :3], 1e-12)
        # the centre is −R s
        arms = by_hand[:, 3:].reshape(-1, 3, 3) @ np.array(ARM)
        assert_series_equal(found[:, :3], -arms, 1e-12)


def tethered():
    places = range(15)
    return make_system(
        (body, places, TOP), (tether, places, [*ARM, 0.9, 4.0]), n=6, followers=9, kinematics=[0],
        invariants=[tuple(range(9))],
    )  # fmt: skip


def tethered_state():
    R, w = turn(2, 0.3) @ turn(0, 0.8), np.array([0.4, 1.1, -0.6])
    end = np.array([0.6, 0.0, -np.sqrt(0.45)])
    arm = np.array(ARM)
    along = np.array([0.3, 0.7, 0.0])
    velocity = along - end * (end @ along) / 0.81
    q = np.concatenate([end - R @ arm, np.zeros(3), R.ravel()])
    return q, np.concatenate([velocity - R @ np.cross(w, arm), w])


@pytest.mark.needs_compiler
@pytest.mark.parametrize("make", [lambda: (pinned_system(TOP, ARM), *pinned_state(turn(1, 2.0), np.ones(3), ARM)),
                                  lambda: (tethered(), *tethered_state())])  # fmt: skip
def test_compiled_coefficients_with_constraints_over_followers_are_the_interpreted_ones_to_high_order(make):
    system, q, u = make()
    compiled, interpreted = machines(system, q)
    for one, other in zip(expand(compiled, q, u, 18), expand(interpreted, q, u, 18), strict=True):
        assert_series_equal(one, other, 1e-12)


# -- constraints over followers ----------------------------------------------------------------------------------------


@pytest.mark.needs_compiler
def test_a_heavy_top_held_by_a_constraint_moves_as_the_equations_about_its_fixed_point_say():
    R, w, until = turn(0, 0.4) @ turn(1, 0.3), np.array([0.5, -0.7, 20.0]), 5.0
    q, u = pinned_state(R, w, ARM)
    machine = make_machine(pinned_system(TOP, ARM), q)
    run(machine, q, u, until)
    acceleration = top_equations(TOP, ARM)

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(R @ hat(w)).ravel(), acceleration(R, w)])

    start = np.concatenate([R.ravel(), w])
    found = solve_ivp(rates, (0, until), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    q, u, _, _ = machine.end
    assert distance(q[6:], found[:9]) < 5e-12
    assert distance(u[3:6], found[9:]) < 5e-11


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", [0, 1])
def test_a_spherical_pendulum_on_a_tether_keeps_its_energy_and_the_interpreter_agrees(kind):
    system = tethered()
    q, u = tethered_state()
    machine = machines(system, q)[kind]
    before = sum_of_energies(system, q, u)
    run(machine, q, u, 0.5 if kind else 20.0)
    end, rates, _, _ = machine.end
    assert sum_of_energies(system, end, rates) == pytest.approx(before, abs=1e-11)
    if kind:
        compiled = machines(system, q)[0]
        run(compiled, q, u, 0.5)
        assert distance(compiled.end[0], end) < 1e-12


def sum_of_energies(system, q, u):
    kinetic, potential = compute_energy(system, q, u)
    return float(kinetic + sum(potential.values()))


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", [0, 1])
def test_a_start_near_the_constraints_is_projected_onto_them_and_onto_the_rotations(kind):
    rng = np.random.default_rng(5)
    for system, (q, u) in ((pinned_system(TOP, ARM), pinned_state(turn(1, 2.0), np.ones(3), ARM)),
                           (tethered(), tethered_state())):  # fmt: skip
        machine = machines(system, q)[kind]
        away, faster = q + 1e-4 * rng.normal(size=q.shape), u + 1e-3 * rng.normal(size=u.shape)
        run(machine, away, faster, 0.3)
        q, u, a, lam = machine.end
        check_consistent(system, q, u, a, lam)
        assert distance(q[6:], turn(1, 2.0).ravel()) > 0.1  # it moved


def check_consistent(system, q, u, a, lam):
    for level in compute_levels(system, q, u, a):
        assert np.max(np.abs(level)) < 1e-13
    assert np.max(np.abs(compute_residual(system, q, u, a, lam))) < 1e-12
    R = q[6:].reshape(3, 3)
    assert distance(R.T @ R, np.eye(3)) < 1e-15
    assert np.linalg.det(R) > 0


@pytest.mark.needs_compiler
@pytest.mark.parametrize("compiled", [True, False])
def test_constraints_over_followers_may_be_redundant(compiled):
    once, places = pinned_system(TOP, ARM), range(15)
    twice = make_system(
        (body, places, TOP), (pin, places, ARM), (pin, places, ARM), n=6, followers=9, kinematics=[0],
        invariants=[tuple(range(9))],
    )  # fmt: skip
    q, u = pinned_state(turn(1, 2.0), np.ones(3), ARM)
    until = 2.0 if compiled else 0.2
    one, two = (integrate(s, make_start(q, u), until, Options(tol=1e-12, compiled=compiled)) for s in (once, twice))
    assert two.stats.redundant == 3
    assert distance(one.final.q, two.final.q) < 1e-13


@pytest.mark.needs_compiler
def test_the_same_run_gives_the_same_bits():
    system = tethered()
    q, u = tethered_state()
    machine = make_machine(system, q)
    one, other = (np.concatenate([chunk.series for chunk in run(machine, q, u, 3.0)]) for _ in range(2))
    assert np.array_equal(one, other)
    again = np.concatenate([chunk.series for chunk in run(make_machine(system, q), q, u, 3.0)])
    assert np.array_equal(one, again)


@pytest.mark.needs_compiler
def test_all_levels_of_the_constraints_hold_at_every_step():
    system = pinned_system(TOP, ARM)
    q, u = pinned_state(turn(0, 1.0), np.array([1.0, 2.0, 3.0]), ARM)
    for chunk in run(make_machine(system, q), q, u, 10.0):
        levels = compute_levels(system, chunk.q(0).T, chunk.q(1).T, 2 * chunk.q(2).T)
        sizes = [1.0, 1.0, max(1.0, np.max(np.abs(chunk.q(2))))]
        for level, size in zip(levels, sizes, strict=True):
            assert np.max(np.abs(level)) < 1e-13 * size


# -- in the plane ------------------------------------------------------------------------------------------------------


@kernel("x y turn", "m J g", "c s")
def plate(q, u, p):
    """A body in the plane, its rotation as cosine and sine; one speed alone moves them, so T may be given."""
    return Contribution(
        kinetic=p.m * (u.x**2 + u.y**2) / 2 + p.J * u.turn**2 / 2,
        potential={"gravity": p.m * p.g * q.y},
        kinematics={"c": -q.s * u.turn, "s": q.c * u.turn},
    )


@kernel("x y turn", "sx sy", "c s")
def plate_pin(q, u, p):
    return Contribution(
        constraints=[q.x + q.c * p.sx - q.s * p.sy, q.y + q.s * p.sx + q.c * p.sy],
        kinematics={"c": -q.s * u.turn, "s": q.c * u.turn},
    )


@pytest.mark.needs_compiler
def test_a_pinned_plate_is_the_pendulum_in_points():
    # two masses on a triangle of rods, one corner at the origin
    places, masses, g, rate, until = np.array([[1.0, 0.2], [-0.3, -0.8]]), np.array([1.2, 0.7]), 9.81, 1.5, 10.0
    lengths = [np.hypot(*places[0]), np.hypot(*places[1]), np.hypot(*(places[1] - places[0]))]
    points = tools.make_system(
        (planar.particle, [[0, 1], [2, 3]], [[m, 0, -g] for m in masses]),
        (planar.distance, [[4, 5, 0, 1], [4, 5, 2, 3], [0, 1, 2, 3]], lengths),
        n=4, frozen=[0, 0],
    )  # fmt: skip
    q, u = places.ravel(), rate * np.stack([-places[:, 1], places[:, 0]], axis=1).ravel()
    one = make_machine(points, q)
    run(one, q, u, until)
    # the same as one body
    centre = masses @ places / masses.sum()
    J = float(masses @ np.sum((places - centre) ** 2, axis=1))
    plates = make_system(
        (plate, range(5), [masses.sum(), J, g]), (plate_pin, range(5), -centre),
        n=3, followers=2, kinematics=[0], invariants=[(0, 1)],
    )  # fmt: skip
    q = np.array([*centre, 0.0, 1.0, 0.0])
    other = make_machine(plates, q)
    run(other, q, rate * np.array([-centre[1], centre[0], 1.0]), until)
    x, y, _, c, s = other.end[0]
    found = np.array([x, y]) + (places - centre) @ np.array([[c, s], [-s, c]])
    assert distance(found.ravel(), one.end[0]) < 1e-11


@kernel("x y turn", "m J ahead drive", "c s")
def sleigh(q, u, p):
    """A sleigh on a knife edge under its centre, pushed ahead of it across its runner by a force that turns with it."""
    across = -q.s * u.x + q.c * u.y
    return Contribution(
        kinetic=p.m * (u.x**2 + u.y**2) / 2 + p.J * u.turn**2 / 2,
        velocity_constraints=[across - p.ahead * u.turn],
        efforts=[(p.drive * q.c, u.x), (p.drive * q.s, u.y)],
        kinematics={"c": -q.s * u.turn, "s": q.c * u.turn},
    )


@pytest.mark.needs_compiler
@pytest.mark.parametrize("kind", [0, 1])
def test_a_sleigh_on_a_knife_edge_obeys_its_equations_along_and_about_the_runner(kind):
    m, J, a, f, until = 2.0, 0.7, 0.4, 0.3, 3.0
    system = make_system((sleigh, range(5), [m, J, a, f]), n=3, followers=2, kinematics=[0], invariants=[(0, 1)])
    v, w = 1.2, 0.9
    q, u = np.array([0.0, 0.0, 0.0, 1.0, 0.0]), np.array([v, a * w, w])
    machine = machines(system, q)[kind]
    run(machine, q, u, until)

    # with the centre `a` ahead of the edge: m v' = m a w² + f, (J + m a²) w' = −m a v w
    def rates(t, y):
        v, w, angle = y[:3]
        c, s = np.cos(angle), np.sin(angle)
        return [a * w**2 + f / m, -m * a * v * w / (J + m * a**2), w, v * c - a * w * s, v * s + a * w * c]

    v, w, angle, x, y = solve_ivp(rates, (0, until), [v, w, 0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    end, speeds, _, _ = machine.end
    assert distance(end, [x, y, angle, np.cos(angle), np.sin(angle)]) < 1e-11
    assert speeds[2] == pytest.approx(w, abs=1e-11)


# -- many bodies -------------------------------------------------------------------------------------------------------


@pytest.mark.needs_compiler
@pytest.mark.parametrize("count", [1, 3, 5])
def test_chains_of_bodies_on_the_world_have_the_interpreted_coefficients_and_keep_their_energy(count):
    weights, half = (1.3, 0.4, 0.5, 0.3, 9.81), 0.5
    system = chain_system(count, weights, half)
    q, u = chain_state(count, half)
    compiled, interpreted = machines(system, q)
    for one, other in zip(expand(compiled, q, u, 14), expand(interpreted, q, u, 14), strict=True):
        assert_series_equal(one, other, 1e-11)
    before = sum_of_energies(system, q, u)
    run(compiled, q, u, 5.0)
    q, u, a, lam = compiled.end
    assert sum_of_energies(system, q, u) == pytest.approx(before, abs=1e-10)
    for level in compute_levels(system, q, u, a):
        assert np.max(np.abs(level)) < 1e-13 * max(1.0, np.max(np.abs(a)))
    assert np.max(np.abs(compute_residual(system, q, u, a, lam))) < 1e-12 * np.max(np.abs(a))


@pytest.mark.needs_compiler
def test_a_body_joined_to_the_world_is_the_body_that_is_pinned():
    weights, half = (1.3, 0.4, 0.5, 0.3, 9.81), 0.5
    q, u = chain_state(1, half)
    ends = []
    for system in (chain_system(1, weights, half), pinned_system(weights, [0, 0, half])):
        machine = make_machine(system, q)
        run(machine, q, u, 5.0)
        ends.append(machine.end[0])
    assert distance(*ends) < 1e-12


@pytest.mark.needs_compiler
def test_a_run_of_the_integrator_carries_followers_from_restart_to_restart():
    # held short at first and told in chunks, the same motion
    q, u = chain_state(3, 0.5)
    system = chain_system(3, (1.3, 0.4, 0.5, 0.3, 9.81), 0.5)
    whole = integrate(system, make_start(q, u), 2.0, Options(tol=1e-13))
    first = integrate(system, make_start(q, u), 1.0, Options(tol=1e-13))
    second = integrate(system, make_start(first.final.q, first.final.u, 1.0), 2.0, Options(tol=1e-13))
    assert distance(whole.final.q, second.final.q) < 1e-10
    middle, _, _, _ = whole.store.evaluate(np.array([0]), np.array([0.0]))
    assert distance(middle[0], q) < 1e-14


# -- what a kernel or a system must say --------------------------------------------------------------------------------


def define(followers="c s", balance=None, **given):
    """A kernel of two coordinates with one mistake."""

    def wrong(q, u, p):
        a = accelerations(u)
        made = {key: value(q, u) for key, value in given.items()}
        rates = {"c": -q.s * u.x, "s": q.c * u.x} if followers else {}
        more = {"balance": balance(a, u)} if balance else {}
        return Contribution(**({"kinematics": rates} | made | more))

    return kernel("x y", "", followers)(wrong)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (define(kinematics=lambda q, u: {"c": u.x**2, "s": u.x}), "the rate of a follower is not linear in the speeds"),
        (
            define(kinematics=lambda q, u: {"c": u.x + 1, "s": u.x}),
            "the rate of a follower is not linear in the speeds",
        ),
        (define(kinetic=lambda q, u: (1 + q.c**2) * u.y**2), "the kinetic energy contains followers"),
        (
            define(
                kinetic=lambda q, u: u.x**2 + u.y**2,
                kinematics=lambda q, u: {"c": -q.s * u.x, "s": q.c * u.y},
            ),
            "speeds that move them",
        ),
        (define(balance=lambda a, u: {"x": a.x**2}), "the balance is not linear in the accelerations"),
        (define(balance=lambda a, u: {"x": a.x + 2 * a.y, "y": a.y}), "with a symmetric matrix"),
        (define(balance=lambda a, u: {"x": a.x + 2 * a.y, "y": a.x + a.y}), "with a symmetric matrix"),
    ],
)
def test_a_kernel_that_cannot_be_right_says_why(made, message):
    with pytest.raises(InputError, match=message):
        _ = made.derived


def test_there_is_no_linear_model_of_a_kernel_with_followers():
    with pytest.raises(InputError, match="there is no linear model of 'plate'"):
        derive_tangent(plate)


def test_a_follower_that_nothing_moves_is_refused():
    with pytest.raises(ValueError, match="each follower must be moved by one instance"):
        make_system((plate, range(5), [1, 1, 1]), n=3, followers=2)


def test_a_kernel_says_how_all_of_its_followers_move():
    with pytest.raises(InputError, match="the rate of follower 's' is missing"):
        _ = define(kinematics=lambda q, u: {"c": u.x}).contribution
