"""Motions with a formula: pendulums (elliptic functions), flight, springs, steady turning, redundant bars."""

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import linkwork as lw
from linkwork.model import STANDARD_GRAVITY
from linkwork.native.numbers import compute_matrices

g = 9.80665
TIGHT = 1e-14


def assemble(**parts):
    return lw.Model(lw.Mechanism(**parts))


def begin(positions, velocities=None, **more):
    return lw.InitialValues(positions=positions, velocities=velocities or {}, **more)


def swing(amplitude, frequency, t):
    """The angle of a pendulum released at rest: sin(θ/2) = k sn(K − ω t, k)."""
    k = math.sin(amplitude / 2)
    sn, *_ = ellipj(ellipk(k**2) - frequency * t, k**2)
    return 2 * np.arcsin(k * sn)


@pytest.mark.parametrize("amplitude", [0.01, 0.5, 1.5, 3.0])
def test_a_simple_pendulum_swings_by_elliptic_functions(amplitude):
    length = 1.3
    place = (length * math.sin(amplitude), -length * math.cos(amplitude))
    pendulum = assemble(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", length)], particles=[lw.Particle(point="A", mass=2)],
        gravity=STANDARD_GRAVITY, start=begin({"A": place}),
    )  # fmt: skip
    motion = pendulum.simulate(5.0, tol=TIGHT)
    t = np.linspace(0, 5, 101)
    theta = swing(amplitude, math.sqrt(g / length), t)
    wanted = length * np.column_stack([np.sin(theta), -np.cos(theta)])
    np.testing.assert_allclose(motion.at(t)["A"], wanted, rtol=0, atol=3e-11)


def test_a_rod_swings_like_a_simple_pendulum_of_two_thirds_its_length():
    length, amplitude = 1.2, 1.9
    place = (length * math.sin(amplitude), -length * math.cos(amplitude))
    rod = assemble(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", length, 3)], gravity=STANDARD_GRAVITY, start=begin({"A": place})
    )
    t = np.linspace(0, 4, 81)
    theta = swing(amplitude, math.sqrt(1.5 * g / length), t)
    wanted = length * np.column_stack([np.sin(theta), -np.cos(theta)])
    np.testing.assert_allclose(rod.simulate(4.0, tol=TIGHT).at(t)["A"], wanted, rtol=0, atol=3e-11)


def test_a_particle_flies_along_a_parabola():
    ball = assemble(
        particles=[lw.Particle(point="P", mass=0.3)],
        gravity=STANDARD_GRAVITY,
        start=begin({"P": (1, 2)}, {"P": (3, 4)}),
    )
    t = np.linspace(0, 10, 11)
    state = ball.simulate(10.0).at(t)
    wanted = np.column_stack([1 + 3 * t, 2 + 4 * t - g * t**2 / 2])
    np.testing.assert_allclose(state["P"], wanted, rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(state.velocity("P")[:, 1], 4 - g * t, rtol=1e-13)


def test_a_free_body_turns_evenly_while_its_centroid_flies_along_a_parabola():
    # a plate of three points, none of them the centroid
    rate, centre, speed = 2.5, np.array([0.4, 0.2]), np.array([1.0, 3.0])
    local = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 0.8]])
    arms = local - centre
    plate = assemble(
        rigids=[lw.Rigid(name="ABC", geometry=local.tolist(), centroid=centre.tolist(), mass=2.0, inertia=0.3)],
        gravity=STANDARD_GRAVITY,
        start=begin(
            {p: z.tolist() for p, z in zip("ABC", local, strict=True)},
            {p: (speed + rate * np.array([-a[1], a[0]])).tolist() for p, a in zip("ABC", arms, strict=True)},
        ),
    )
    motion = plate.simulate(6.0, tol=TIGHT)
    for t in (0.7, 3.0, 6.0):
        c, s = math.cos(rate * t), math.sin(rate * t)
        middle = centre + speed * t - np.array([0, g * t**2 / 2])
        for point, arm in zip("ABC", arms, strict=True):
            wanted = middle + np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
            np.testing.assert_allclose(motion.at(t)[point], wanted, rtol=0, atol=1e-11)


def test_two_particles_on_a_spring_oscillate_about_their_centroid():
    m1, m2, k, rest, stretch = 1.0, 3.0, 50.0, 1.0, 0.2
    pair = assemble(
        particles=[lw.Particle(point="A", mass=m1), lw.Particle(point="B", mass=m2)],
        springs=[lw.Spring(name="AB", stiffness=k, rest_length=rest)],
        start=begin({"A": (0, 0), "B": (rest + stretch, 0)}),
    )
    t = np.linspace(0, 5, 51)
    state = pair.simulate(5.0, tol=TIGHT).at(t)
    frequency = math.sqrt(k * (1 / m1 + 1 / m2))
    np.testing.assert_allclose(state["B"][:, 0] - state["A"][:, 0], rest + stretch * np.cos(frequency * t), atol=1e-12)
    np.testing.assert_allclose(m1 * state["A"][:, 0] + m2 * state["B"][:, 0], m2 * (rest + stretch), atol=1e-12)
    np.testing.assert_allclose(state["A"][:, 1], 0, atol=1e-14)


def test_a_massive_spring_alone_falls_and_breathes():
    # T = m/6 (ȧ² + ȧḃ + ḃ²): the stretch ḃ − ȧ = s has mass m/12, so ω² = 12 k/m
    k, m, rest, stretch = 40.0, 1.5, 1.0, 0.1
    spring = assemble(
        springs=[lw.Spring(name="AB", stiffness=k, rest_length=rest, mass=m)], gravity=STANDARD_GRAVITY,
        start=begin({"A": (0, 0), "B": (rest + stretch, 0)}),
    )  # fmt: skip
    t = np.linspace(0, 2, 21)
    state = spring.simulate(2.0, tol=TIGHT).at(t)
    gap = state["B"] - state["A"]
    np.testing.assert_allclose(gap[:, 0], rest + stretch * np.cos(math.sqrt(12 * k / m) * t), atol=1e-12)
    np.testing.assert_allclose((state["A"] + state["B"])[:, 1] / 2, -g * t**2 / 2, atol=1e-11)


# -- torques and many turns ------------------------------------------------------------------------------------------


def crank(torque, gravity=None, rate=0.0, **more):
    return assemble(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 3)], gravity=gravity,
        torques=[lw.Torque(part="OA", value=torque)],
        start=lw.InitialValues(positions={"A": (1, 0)}, velocities={"A": (0, rate)}, **more),
    )  # fmt: skip


def test_a_constant_torque_turns_a_rod_ever_faster():
    # I = m l²/3 = 1: θ = τ t²/2
    motion = crank(4.0).simulate(50.0, tol=TIGHT)
    assert motion.final["OA"] == pytest.approx(0.5 * 4 * 50**2, rel=1e-12)  # 796 turns
    assert motion.final.velocity("OA") == pytest.approx(200, rel=1e-12)
    t = np.linspace(0, 50, 37)
    np.testing.assert_allclose(motion.at(t)["OA"], 2 * t**2, rtol=1e-11, atol=1e-11)


def test_work_of_a_torque_is_torque_times_angle_over_thousands_of_turns():
    # over the top again and again: ½ I θ̇² + m g l/2 sin θ − τ θ stays what it was
    motion = crank(2.0, STANDARD_GRAVITY, rate=20.0).simulate(120.0, tol=1e-13)
    turns = motion.final["OA"] / (2 * math.pi)
    assert turns > 2000
    assert motion.energy.work[-1] == pytest.approx(2.0 * motion.final["OA"], rel=1e-12)
    rate, angle = motion.velocity("OA"), motion["OA"]
    total = rate**2 / 2 + 3 * g / 2 * np.sin(angle) - 2.0 * angle
    np.testing.assert_allclose(total, total[0], rtol=0, atol=2e-11 * np.max(rate**2 / 2))


def test_the_tracked_angle_is_continuous_and_points_along_the_part():
    motion = crank(-1.0, STANDARD_GRAVITY, rate=12.0).simulate(10.0, tol=1e-12)
    state = motion.at(np.linspace(0, 10, 4001))
    assert np.max(np.abs(np.diff(state["OA"]))) < 0.1
    np.testing.assert_allclose(state["A"], np.column_stack([np.cos(state["OA"]), np.sin(state["OA"])]), atol=1e-11)


@pytest.mark.parametrize("turns", [0, 1, -3, 1000])
def test_a_given_angle_keeps_its_whole_turns(turns):
    motion = crank(1.0, angles={"OA": 2 * math.pi * turns}).simulate(2.0, tol=1e-13)
    assert motion["OA"][0] == pytest.approx(2 * math.pi * turns, abs=1e-9)
    assert motion.final["OA"] == pytest.approx(2 * math.pi * turns + 2, rel=1e-11, abs=1e-11)


# -- rest and symmetry -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [(0, -1), (0, 1)])
def test_a_pendulum_at_rest_in_equilibrium_stays_there(place):
    rod = assemble(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=STANDARD_GRAVITY, start=begin({"A": place})
    )
    motion = rod.simulate(1.0)
    assert motion.outcome == "reached t = 1"
    np.testing.assert_allclose(motion["A"], np.broadcast_to(place, motion["A"].shape), atol=1e-13)


def test_a_mechanism_without_any_force_at_rest_stays_at_rest_forever():
    rod = assemble(rigids=[lw.Rigid.rod("AB", 1, 1)], start=begin({"A": (0, 0), "B": (1, 0)}))
    motion = rod.simulate(1e6)
    np.testing.assert_allclose(motion.final["B"], (1, 0), atol=1e-15)


@pytest.mark.parametrize("tol", [1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("order", [8, 9, 16, 17])
def test_vanishing_coefficients_at_a_symmetric_rest_do_not_cause_a_giant_step(order, tol):
    # from rest all odd coefficients vanish; the amplitude makes even ones small as well
    amplitude = 0.001
    rod = assemble(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 1)], gravity=STANDARD_GRAVITY,
        start=begin({"A": (math.sin(amplitude), -math.cos(amplitude))}),
    )  # fmt: skip
    motion = rod.simulate(20.0, tol=tol, order=order)
    theta = swing(amplitude, math.sqrt(1.5 * g), motion.t)
    np.testing.assert_allclose(motion["A"][:, 0], np.sin(theta), rtol=0, atol=2000 * tol)


def test_a_four_bar_at_rest_in_a_symmetric_position_falls_symmetrically():
    # O and Q on one level, coupler level and in the middle: x of the coupler's middle grows from zero at order 2
    linkage = assemble(
        fixed={"O": (0, 0), "Q": (2, 0)}, gravity=(0, "-9.80665"),
        rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 1), lw.Rigid.rod("BQ", 1, 1)],
        start=begin({"A": (0.5, -math.sqrt(0.75)), "B": (1.5, -math.sqrt(0.75))}),
    )  # fmt: skip
    motion = linkage.simulate(3.0, tol=1e-12)
    np.testing.assert_allclose(motion["A"][:, 0] + motion["B"][:, 0], 2, atol=1e-10)
    assert np.max(np.abs(motion["A"] - motion["A"][0])) < 1e-10  # the lowest position of a symmetric four-bar


# -- redundant constraints -------------------------------------------------------------------------------------------


def parallelogram(bars):
    fixed = {f"O{i}": (float(i), 0.0) for i in range(bars)}
    local = [(float(i), 0.0) for i in range(bars)]
    x, y = 0.6, -0.8
    rods = [lw.Rigid.rod(f"O{i}A{i}", 1, 1 if i < 2 else 0) for i in range(bars)]
    plate = lw.Rigid(
        name="plate", points=[f"A{i}" for i in range(bars)], geometry=local, centroid=(0.5, 0), mass=2, inertia=0.2
    )
    places = {f"A{i}": (i + x, y) for i in range(bars)}
    speeds = {f"A{i}": (1.6, 1.2) for i in range(bars)}
    return assemble(fixed=fixed, rigids=[*rods, plate], gravity=STANDARD_GRAVITY, start=begin(places, speeds))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_third_parallel_bar_changes_nothing(compiled):
    two, three = (parallelogram(bars).simulate(2.0, tol=1e-13, compiled=None if compiled else False) for bars in (2, 3))
    assert two.stats.redundant == 0
    assert three.stats.redundant == 1
    for point in ("A0", "A1"):
        np.testing.assert_allclose(three.final[point], two.final[point], rtol=0, atol=2e-11)
        np.testing.assert_allclose(three.final.velocity(point), two.final.velocity(point), rtol=0, atol=2e-10)
    assert three.energy.drift < 1e-11


@pytest.mark.parametrize("compiled", [True, False])
def test_multipliers_of_redundant_constraints_are_of_least_norm(compiled):
    # λ of least norm is the one without a part in the null space of Gᵀ
    motion = parallelogram(3).simulate(0.5, tol=1e-12, compiled=None if compiled else False)
    for state in (motion.at(0.0), motion.final):
        _, G = compute_matrices(motion.system, state.q)
        U, sigma, _ = np.linalg.svd(G.toarray())
        null = U[:, np.sum(sigma > 1e-9) :]
        assert null.shape[1] == 1
        assert np.max(np.abs(null.T @ state.lam)) < 1e-8 * np.linalg.norm(state.lam)


def test_the_same_bar_twice_is_the_bar_once():
    def pendulum(*names):
        rods = [lw.Rigid.rod(name, 1, 1.0 / len(names), points=("O", "A")) for name in names]
        return assemble(fixed={"O": ()}, rigids=rods, gravity=STANDARD_GRAVITY, start=begin({"A": (1, 0)}))

    once, twice = pendulum("a").simulate(3.0, tol=1e-13), pendulum("a", "b").simulate(3.0, tol=1e-13)
    np.testing.assert_allclose(twice.final["A"], once.final["A"], atol=2e-11)
    assert twice.stats.redundant == 1
