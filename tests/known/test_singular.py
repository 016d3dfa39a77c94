"""Positions where the constraints lose rank: passed where the motion is well defined, told in words where it is not."""

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipkinc

import linkwork as lw
from tools import digits

g = 9.80665


def begin(positions, velocities=None):
    return lw.InitialValues(positions=positions, velocities=velocities or {})


def turn(inertia, moment, rate, t, angle=0.0):
    """θ(t) of J(θ) θ̈ + ½ J′(θ) θ̇² = moment(θ) by scipy; inertia gives J and J′."""

    def f(_, y):
        J, dJ = inertia(y[0])
        return [y[1], (moment(y[0]) - dJ * y[1] ** 2 / 2) / J]

    return solve_ivp(f, (0, t[-1]), [angle, rate], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=t).y


# -- the parallelogram -----------------------------------------------------------------------------------------------


def parallelogram(rate, angle=0.3, d=1.5, gravity=(0, -g)):
    c, s = math.cos(angle), math.sin(angle)
    A, v = (c, s), (-s * rate, c * rate)
    rods = [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", d, 2), lw.Rigid.rod("QB", 1, 1)]
    return lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (d, 0)}, rigids=rods, gravity=gravity,
            start=begin({"A": A, "B": (d + c, s)}, {"A": v, "B": v}),
        )
    )  # fmt: skip


@pytest.mark.parametrize("rate", [8.0, 12.3, -9.1])
def test_a_spinning_parallelogram_passes_its_flat_positions(rate):
    # two rods and a coupler that only translates: J = 2/3 + 2, moment −(½ + ½ + 2) g cos θ
    end = 10.0
    motion = parallelogram(rate).simulate(end, tol=1e-10)
    t = np.linspace(0, end, 201)
    theta, _ = turn(lambda _: (2 / 3 + 2, 0.0), lambda x: -3 * g * math.cos(x), rate, t, 0.3)
    assert abs(theta[-1] - theta[0]) / math.pi > 10  # flat twice a turn
    found = motion.at(t)["A"]
    assert digits(found, np.column_stack([np.cos(theta), np.sin(theta)])) > 8
    np.testing.assert_allclose(motion["B"] - motion["A"], np.broadcast_to((1.5, 0), motion["A"].shape), atol=1e-9)


@pytest.mark.parametrize("tol", [1e-6, 1e-8, 1e-12])
def test_a_spinning_parallelogram_stays_one_at_every_tolerance(tol):
    motion = parallelogram(10.0).simulate(5.0, tol=tol)
    np.testing.assert_allclose(motion["B"] - motion["A"], np.broadcast_to((1.5, 0), motion["A"].shape), atol=1e4 * tol)


@pytest.mark.parametrize(("rate", "tol"), [(10.0, 1e-14), (10.0, 1e-16), (12.3, 1e-13), (12.3, 1e-16), (9.4, 3e-16)])
def test_a_spinning_parallelogram_passes_its_flat_positions_at_the_smallest_tolerances(rate, tol):
    # as fine as rounding, so that steps creep towards the singular position if nothing leads over it
    end = 5.0
    motion = parallelogram(rate).simulate(end, tol=tol)
    t = np.linspace(0, end, 101)
    theta, _ = turn(lambda _: (2 / 3 + 2, 0.0), lambda x: -3 * g * math.cos(x), rate, t, 0.3)
    assert motion.outcome == f"reached t = {end:g}"
    np.testing.assert_allclose(motion.at(t)["A"], np.column_stack([np.cos(theta), np.sin(theta)]), rtol=0, atol=1e-9)
    assert motion.energy.drift < 1e-11


def test_a_parallelogram_without_weight_turns_evenly():
    motion = parallelogram(5.0, gravity=None).simulate(20.0, tol=1e-12)
    state = motion.at(np.linspace(0, 20, 401))
    wanted = np.column_stack([np.cos(0.3 + 5 * state.t), np.sin(0.3 + 5 * state.t)])
    np.testing.assert_allclose(state["A"], wanted, rtol=0, atol=1e-9)


# -- dead points and toggles -----------------------------------------------------------------------------------------


def test_a_slider_crank_pushed_at_its_slider_passes_its_dead_points():
    # equal rods: x = 2a cos θ; at θ = ±π/2 the slider is on the crank's pivot and may leave its way, but does not
    a, m, M, rate = 0.5, 1.0, 2.0, 12.0
    start = begin({"A": (a, 0), "B": (2 * a, 0)}, {"A": (0, a * rate)})
    crank = lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (1, 0)}, rigids=[lw.Rigid.rod("OA", a, m), lw.Rigid.rod("AB", a, m)],
            particles=[lw.Particle(point="B", mass=M)], collinears=[lw.Collinear("OQB")], start=start,
        )
    )  # fmt: skip
    motion = crank.simulate(4.0, tol=1e-12)

    # crank m a²/3; rod with centroid (3/2 a cos θ, a/2 sin θ) turning at −θ̇; slider 2a cos θ
    def inertia(x):
        s2 = math.sin(x) ** 2
        J = m * a**2 / 3 + m * (a**2 / 12 + a**2 / 4 * (1 - s2) + 9 * a**2 / 4 * s2) + 4 * M * a**2 * s2
        return J, math.sin(2 * x) * (2 * m * a**2 + 4 * M * a**2)

    t = np.linspace(0, 4, 201)
    theta, _ = turn(inertia, lambda x: 0.0, rate, t)
    assert theta[-1] > 4 * math.pi
    state = motion.at(t)
    assert digits(state["B"][:, 0], 2 * a * np.cos(theta)) > 8
    assert motion.energy.drift < 1e-9


def test_a_rocker_swings_its_crank_through_the_dead_points():
    # a force on the rocker carries the crank round; where crank and coupler are in line it has no lever
    motion = lw.loads("""
PhysicalParams: {a: 0.3, b: 1, c: 0.8, d: 1}
PartData:
  Fixed: {O: [], Q: [d]}
  Rigids:
    OA: {Geom: [[a]], Dyna: [[a/2], 5]}
    AB: {Geom: [[b]], Dyna: [[b/2], 1]}
    QB: {Geom: [[c]], Dyna: [[c/2], 1]}
AppliedForces:
  ConstTorques: {QB: 1, OA: 0}
ProblemData:
  positions: {A: [[0, fixed], a], B: [0.8, 0.8]}
  velocities: {A: [-3, 0]}
""").simulate(5.0, tol=1e-12)
    assert motion.outcome == "reached t = 5"
    assert abs(motion.final["OA"] - motion["OA"][0]) > 2 * math.pi
    assert motion.energy.drift < 1e-9


# -- what cannot move ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [None, False])
def test_two_rods_stretched_between_fixed_points_are_locked_in_words(compiled):
    stretched = lw.Model(
        lw.Mechanism(
            fixed={"O": (), "Q": (2, 0)}, rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AQ", 1, 1)],
            gravity=(0, -g), start=begin({"A": (1, 0)}),
        )
    )  # fmt: skip
    with pytest.raises(lw.SolveError, match=r"locked|singular") as caught:
        stretched.simulate(1.0, compiled=compiled)
    assert caught.value.motion.outcome.startswith("stopped at t = 0")


def test_a_mechanism_that_cannot_reach_where_it_is_driven_ends_in_words():
    # a crank driven beyond the reach of its coupler
    text = """
PartData:
  Fixed: {O: [], Q: [2]}
  Rigids:
    OA, AB: {Geom: [[1]], Dyna: [[1/2], 1]}
    QB: {Geom: [[0.7]], Dyna: [[0.7/2], 1]}
Motions: {OA.angle: t}
ProblemData: {tend: 6, positions: {A: [1], B: [1.7, 0.6]}}
"""
    with pytest.raises(lw.SolveError) as caught:
        lw.loads(text).simulate()
    motion = caught.value.motion
    # A and Q part until they are 1.7 apart: 5 − 4 cos θ = 1.7²
    assert float(motion.final.t) == pytest.approx(math.acos((5 - 1.7**2) / 4), abs=1e-3)
    assert "dead point" in motion.outcome


# -- nearly singular -------------------------------------------------------------------------------------------------


def nearly_a_parallelogram(d):
    rods = [lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("QB", 1, 1), lw.Rigid.rod("AB", 1 + d, 1)]
    start = begin({"A": (0, 1), "B": (1, 1)}, {"A": (lw.fix(1), 0), "B": (1, 0)})
    return lw.Model(lw.Mechanism(fixed={"O": (), "Q": (1, 0)}, rigids=rods, gravity=(0, -9.81), start=start))


@pytest.mark.parametrize("d", [1e-4, -1e-4, 1e-6, 1e-8, 1e-9, 1e-10, -1e-10, 1e-11, 1e-12, -1e-12, 1e-13, -1e-14])
def test_next_to_a_singular_position_energy_is_kept_or_the_run_ends_in_words(d):
    try:
        with warnings.catch_warnings():
            # a gap that rounding all but fills may be warned of, one that it does not may not
            warnings.simplefilter("ignore" if abs(d) <= 1e-10 else "error", lw.AccuracyWarning)
            motion = nearly_a_parallelogram(d).simulate(5.0)
    except lw.SolveError as error:
        motion = error.motion
        assert abs(d) < 1e-10
        assert "near a singular position" in motion.outcome
    assert motion.energy.drift < 1e-6
    lengths = np.linalg.norm(motion["B"] - motion["A"], axis=1)
    np.testing.assert_allclose(lengths, 1 + d, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rate", [12.3, -9.1])
@pytest.mark.parametrize("tol", [1e-12, 1e-14])
def test_flat_positions_are_passed_at_the_smallest_tolerances(rate, tol):
    end = 5.0
    motion = parallelogram(rate).simulate(end, tol=tol)
    theta, _ = turn(lambda _: (2 / 3 + 2, 0.0), lambda x: -3 * g * math.cos(x), rate, np.array([0.0, end]), 0.3)
    np.testing.assert_allclose(motion.final["A"], (math.cos(theta[-1]), math.sin(theta[-1])), rtol=0, atol=1e-10)


def swung(rate, t, angle=0.3):
    """Where A is: (2/3 + 2) θ̈ = −3 g cos θ, a pendulum that turns right round, by elliptic functions."""
    k, phi = 9 * g / 8, angle + math.pi / 2
    E = rate**2 / 2 - k * math.cos(phi)
    m = 2 * k / (E + k)
    sn, cn, _, _ = ellipj(ellipkinc(phi / 2, m) + math.copysign(math.sqrt((E + k) / 2), rate) * t, m)
    return 2 * sn * cn, 2 * sn**2 - 1


@pytest.mark.parametrize("tol", [1e-9, 1e-12, 1e-14])
def test_flat_positions_cost_no_digits_at_any_speed(tol):
    # a dozen flat positions in each run, met anywhere in a step; one run ends in one, up to rounding
    rng = np.random.default_rng(0)
    rates = [*(12.3 + rng.uniform(-0.5, 0.5, 20)), *(-9.1 + rng.uniform(-0.5, 0.5, 20)), -9.195448160178472]
    for rate in rates:
        motion = parallelogram(rate).simulate(5.0, tol=tol)
        np.testing.assert_allclose(
            motion.final["A"], swung(rate, 5.0), rtol=0, atol=10 * tol + 2e-11, err_msg=f"{rate}"
        )


@pytest.mark.parametrize("gap", [0.0, 1e-12, 1e-7, 1e-4])
@pytest.mark.parametrize("tol", [1e-9, 1e-13])
def test_a_run_may_end_in_a_flat_position(gap, tol):
    # free of gravity the cranks turn evenly: θ = 0.3 + 2 t, flat at π
    end = (math.pi - 0.3) / 2 - gap
    motion = parallelogram(2.0, gravity=(0, 0)).simulate(end, tol=tol)
    assert motion.stats.end == "reached" and not motion.doubts
    final = motion.final
    c, s = math.cos(0.3 + 2 * end), math.sin(0.3 + 2 * end)
    np.testing.assert_allclose(final["A"], (c, s), rtol=0, atol=tol)
    np.testing.assert_allclose(final.velocity("A"), (-2 * s, 2 * c), rtol=0, atol=10 * tol)
    np.testing.assert_allclose(final.a[:2], (-4 * c, -4 * s), rtol=0, atol=1e3 * tol)


# -- joints whose conditions lose rank ---------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_a_constant_velocity_joint_that_folds_right_back_is_passed_or_named(formulation):
    # x₁·y₂ − y₁·x₂ is w e₃ of a quaternion (w, e): bent by e₃ = 0, it says nothing more where w = 0
    frame = lw.Frame((), z=(0, 0, 1), x=(1, 0, 0))
    frames = {"o": frame, "tip": (0, 0, 1), "side": (0, 1, 0)}
    inertia = (0.1, 0.2, 0.25, 0.03, 0.02, 0)
    mechanism = lw.Mechanism(
        dimension=3,
        bodies=[
            lw.Body("arm", mass=1, centre=(0.1, 0.2, 0.5), inertia=inertia, frames=frames),
            lw.Body("world", frames={"o": frame}),
        ],
        joints=[lw.Joint(name="bend", kind="constant_velocity", frames=("world.o", "arm.o"))],
        gravity=(0, 0, -9.81),
        start=begin({"arm.tip": (0, 0.1, 0.995), "arm.side": (0, 0.995, -0.1)}, {"arm.tip": (0.2, 4, 0)}),
    )
    try:
        motion = lw.Model(mechanism).formulated(formulation).simulate(3.0)
    except lw.SolveError as error:
        motion = error.motion
        assert "near a singular position: the conditions of joint 'bend' are no longer independent" in motion.outcome
        assert motion.body("arm").rotation[-1, 2, 2] < -1 + 1e-6
    turned = motion.body("arm").rotation
    # the bend is about a line across the axis all the way: no other branch is taken
    np.testing.assert_allclose(turned[:, 0, 1], turned[:, 1, 0], atol=1e-10)
    assert (turned[:, 0, 0] + turned[:, 1, 1] > -1e-10).all()
    np.testing.assert_allclose(turned[:, 0, 2], -turned[:, 2, 0], atol=1e-5)
    assert motion.energy.drift < 1e-9
