"""Every example runs, balances its energy and keeps its constraints; the ones with a formula follow it."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

import linkwork as lw
from linkwork.native.numbers import compute_power

FOLDER = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
PUBLISHED = {"andrews", "mechanism0", "mechanism1a", "mechanism1b"}  # their texts are those of the papers
TOL = 1e-11
BALANCE = 1e3 * TOL


@pytest.fixture(scope="module")
def run(load_example):
    """The motion of an example, made once."""
    made = {}

    def simulate(name, tol=TOL, **changes):
        key = (name, tol, *changes.items())
        if key not in made:
            made[key] = (load_example(name).with_parameters(**changes) if changes else load_example(name)).simulate(
                tol=tol
            )
        return made[key]

    return simulate


# -- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_example_ends_well_balances_energy_and_keeps_its_constraints(name, run):
    motion = run(name)
    assert motion.outcome.startswith(("reached t = ", "stopped at t = "))
    assert ("by event" in motion.outcome) == motion.outcome.startswith("stopped")
    assert motion.energy.drift < BALANCE
    assert motion.residuals.position < 1e-13
    assert motion.residuals.velocity < 1e-13
    assert motion.residuals.acceleration < 1e-8
    if motion.power:
        check_power(motion)


def check_power(motion):
    """Ė = P at the middle of some steps, Ė by central differences of the dense output."""
    lengths = np.diff(motion.t)
    inner = np.flatnonzero(lengths > min(1e-3 * (motion.t[-1] - motion.t[0]), 0.5 * np.max(lengths)))[:20]
    middle, h = (motion.t[inner] + motion.t[inner + 1]) / 2, 1e-4 * np.diff(motion.t)[inner]
    before, after = (motion.at(middle + s * h).energy.total for s in (-1, 1))
    power = compute_power_at(motion, middle)
    size = np.max(np.abs(np.concatenate([power, np.ptp(motion.energy.kinetic) / np.diff(motion.t)[inner]])))
    np.testing.assert_allclose((after - before) / (2 * h), power, rtol=0, atol=2e-6 * size)


def compute_power_at(motion, t):
    """Power of everything that is not conservative, at any times."""
    s = motion.at(t)
    return sum(compute_power(motion.system, s.q.T, s.u.T, s.lam.T, s.t).values())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PUBLISHED])
def test_every_example_starts_with_a_line_on_what_it_shows(name):
    first = (FOLDER / f"{name}.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ") and first.endswith(".") and len(first) < 130


def test_every_example_is_in_the_documentation():
    text = (FOLDER.parent / "docs" / "examples.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"{name}.yaml" not in text] == []


# -- curves ----------------------------------------------------------------------------------------------------------


def dense(motion, count=400):
    return motion.at(np.linspace(motion.t[0], motion.t[-1], count))


def test_peaucelliers_point_stays_on_a_straight_line(run):
    motion = run("peaucellier", 1e-14)
    p = motion["P"]
    assert np.ptp(p[:, 0]) > 0.5
    np.testing.assert_allclose(p[:, 1], -(1.6**2 - 0.6**2) / (2 * 0.7), rtol=0, atol=1e-12)
    np.testing.assert_allclose(dense(motion)["P"][:, 1], -2.2 / 1.4, rtol=0, atol=1e-12)


def test_the_pantograph_draws_a_scaled_copy(run):
    motion = run("pantograph", 1e-14)
    state = dense(motion)
    np.testing.assert_allclose(motion["P"], motion["C"] / 0.4, rtol=0, atol=1e-13)
    np.testing.assert_allclose(state["P"], state["C"] / 0.4, rtol=0, atol=1e-12)
    eight = np.column_stack([0.4 + 0.1 * np.sin(2 * state.t), 0.1 * np.sin(4 * state.t)])
    np.testing.assert_allclose(state["C"], eight, rtol=0, atol=1e-12)


def test_the_scotch_yoke_makes_a_pure_cosine(run):
    state = dense(run("scotch-yoke", 1e-14))
    np.testing.assert_allclose(state["B"][:, 0], 0.2 * np.cos(6 * state.t), rtol=0, atol=1e-12)
    np.testing.assert_allclose(state["B"][:, 1], -0.3, rtol=0, atol=1e-12)


def test_chebyshevs_point_goes_nearly_straight_for_half_a_turn_and_over_an_arch_back(run):
    # height 4a to within half a percent of the way of 4a
    state = dense(run("chebyshev"), 1001)
    turn = state["OA"] - math.pi
    straight = np.minimum(turn, 2 * math.pi - turn) <= math.pi / 2
    x, y = state["F"].T / 0.1
    assert np.ptp(x[straight]) > 3.99
    assert np.max(np.abs(y[straight] - 4)) < 0.01
    assert np.max(y) == pytest.approx(math.sqrt(24), rel=1e-4)


def test_the_shaper_goes_slowly_forward_and_comes_back_quickly(run):
    # the lever turns where it is at right angles to the crank: the times are as π + 2γ to π − 2γ, sin γ = a/d
    motion = run("quick-return", 1e-14)
    times = [event.t for event in motion.events if event.name == "turning"]
    gamma = math.asin(0.1 / 0.25)
    spans = sorted(np.diff(times)[:2])
    assert spans[0] == pytest.approx((math.pi - 2 * gamma) / 5, abs=1e-11)
    assert spans[1] == pytest.approx((math.pi + 2 * gamma) / 5, abs=1e-11)


# -- space -----------------------------------------------------------------------------------------------------------


def test_the_output_of_a_cardan_joint_follows_the_known_formula(run):
    for beta in (0.6, 0.2, 1.1):
        state = dense(run("cardan-shaft", 1e-13, beta=beta))
        phi = state["input"]
        np.testing.assert_allclose(phi, 10 * state.t, rtol=0, atol=1e-12)
        wanted = 10 * math.cos(beta) / (1 - math.sin(beta) ** 2 * np.cos(phi) ** 2)
        np.testing.assert_allclose(state.velocity("output"), wanted, rtol=1e-9)
        angle = np.unwrap(np.arctan2(np.sin(phi), np.cos(phi) * math.cos(beta)))
        np.testing.assert_allclose(state["output"], angle, rtol=0, atol=1e-10)


def test_the_gyroscope_precesses_evenly_without_nodding(run):
    motion = run("gyroscope", 1e-14)
    state = dense(motion)
    theta, W, l = 0.6, 4, 0.1
    wanted = l * np.column_stack(
        [math.sin(theta) * np.cos(W * state.t), math.sin(theta) * np.sin(W * state.t), np.full(400, math.cos(theta))]
    )
    np.testing.assert_allclose(state["A"], wanted, rtol=0, atol=1e-10)


def test_bennetts_linkage_keeps_the_relation_of_its_angles(run):
    # tan(θ₁/2) tan(θ₂/2) is constant, its size sin((α + β)/2)/sin((α − β)/2)
    motion = run("bennett", 1e-13)
    assert motion.stats.redundant == 3
    state = dense(motion)
    alpha = 1.0
    beta = math.asin(0.6 * math.sin(alpha))
    A, B = state["A"], state["B"]
    np.testing.assert_allclose(np.linalg.norm(A - B, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(B[:, 2], 0, atol=1e-12)  # across the axis at Q
    across = np.array([0, math.cos(alpha), math.sin(alpha)])
    one = np.arctan2(A @ across, A[:, 0])
    other = np.arctan2(B[:, 1], -(B[:, 0] + 1))
    product = np.tan(one / 2) * np.tan(other / 2)
    size = math.sin((alpha + beta) / 2) / math.sin((alpha - beta) / 2)
    assert np.ptp(np.unwrap(one)) > 1
    np.testing.assert_allclose(product, product[0], rtol=1e-9)
    assert min(abs(abs(product[0]) - s) for s in (size, 1 / size)) < 1e-9


def test_four_parallel_hinges_in_space_move_as_the_linkage_in_the_plane(run):
    plane, space = run("four-bar", 1e-13), run("spatial-four-bar", 1e-13)
    assert space.stats.redundant == 3
    one, other = dense(plane), dense(space)
    for point in ("A", "B"):
        np.testing.assert_allclose(other[point][:, :2], one[point], rtol=0, atol=1e-10)
        np.testing.assert_allclose(other[point][:, 2], 0, atol=1e-13)
        np.testing.assert_allclose(other.velocity(point)[:, :2], one.velocity(point), rtol=0, atol=1e-9)
    np.testing.assert_allclose(other["crank"], one["OA"], rtol=0, atol=1e-10)


# -- events ----------------------------------------------------------------------------------------------------------


def test_the_pendulum_stops_after_half_a_period(run):
    motion = run("pendulum-stop", 1e-14)
    quarter = ellipk(math.sin(1.25) ** 2) / math.sqrt(9.80665)
    assert [event.name for event in motion.events] == ["lowest", "back"]
    assert motion.events[0].t == pytest.approx(quarter, rel=1e-12)
    assert motion.final.t == motion.events[1].t == pytest.approx(2 * quarter, rel=1e-11)


def test_the_ball_bounces_by_its_two_laws(run):
    # free fall, then half an oscillation about the place where the floor bears the weight
    motion = run("bouncing-ball", 1e-14)
    m, k, g = 0.1, 5000.0, 9.80665
    speed, w = math.sqrt(2 * g), math.sqrt(k / m)
    below = 2 * (math.pi - math.atan(w * speed / g)) / w
    first = math.sqrt(2 / g)
    wanted = [first + i * (below + 2 * first) for i in range(3)]
    assert [event.t for event in motion.events] == pytest.approx(wanted, rel=1e-11)
    np.testing.assert_allclose(motion["A"][:, 0], 0.5 * motion.t, rtol=1e-12)


def test_two_hinges_without_skew_make_a_pendulum_of_the_plane():
    motion = lw.load(FOLDER / "skew2pend.yaml").with_parameters(alpha=0, beta=0).simulate(2.0, tol=1e-12)
    # without skew it is a double pendulum in the plane y = 0
    np.testing.assert_allclose(motion["B"][:, 1], 0, atol=1e-11)
