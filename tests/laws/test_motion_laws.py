"""Laws every motion obeys, on random linkages: energy, constraints, reversal, invariance, dense output, determinism."""

import cmath

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import linkwork as lw
from linkages import linkages, numbers
from linkwork.native.numbers import compute_energy, compute_levels, compute_matrices, compute_residual
from linkwork.solve import Options, integrate
from tools import make_start

TOL = 1e-12
UNTIL = 0.5
examples = settings(max_examples=20)


def simulate(plan, until=UNTIL, tol=TOL, **more):
    return plan.assembly().simulate(until, tol=tol, **more)


def at(motion, point, t):
    return complex(*motion.at(t)[point])


@given(linkages(torque=True), numbers(6.0, 12.0))
@examples
def test_energy_is_kept_to_the_tolerance(plan, exponent):
    motion = simulate(plan, 2.0, 10.0**-exponent)
    assert motion.energy.drift < 30 * motion.stats.steps * motion.stats.tol + 1e-12


@given(linkages(torque=True))
@examples
def test_constraints_hold_at_all_three_levels_at_the_steps(plan):
    residuals = simulate(plan, 1.0).residuals
    assert residuals.position < 1e-13
    assert residuals.velocity < 1e-12
    assert residuals.acceleration < 1e-10


@given(linkages(torque=True), st.lists(numbers(0.0, UNTIL), min_size=1, max_size=9))
@examples
def test_constraints_hold_at_all_three_levels_between_the_steps(plan, times):
    motion = simulate(plan)
    state = motion.at(times)
    speed = 1 + np.max(np.abs(state.u))
    for level, size in zip(compute_levels(motion.system, state.q.T, state.u.T, state.a.T), (1, 1e2, 1e4), strict=True):
        assert np.max(np.abs(level), initial=0.0) < 1e-10 * size * speed**2


@given(linkages(torque=True), st.lists(numbers(0.0, UNTIL), min_size=1, max_size=9))
@examples
def test_the_equations_of_motion_hold_between_the_steps(plan, times):
    motion = simulate(plan)
    state = motion.at(times)
    residual = compute_residual(motion.system, state.q.T, state.u.T, state.a.T, state.lam.T)
    M, _ = compute_matrices(motion.system, motion.final.q)
    force = np.max(M.diagonal()) * (1 + np.max(np.abs(motion.a)))
    assert np.max(np.abs(residual)) < 1e-7 * force


@given(linkages(torque=True))
@examples
def test_power_of_all_forces_is_the_rate_of_kinetic_energy(plan):
    # V is a function of q: Ṫ = −V̇, both read off the polynomials by central differences
    motion = simulate(plan)
    t, h = 0.25, 1e-4
    q, u = ([getattr(motion.at(s), x) for s in (t - h, t + h)] for x in ("q", "u"))
    (T1, V1), (T2, V2) = (compute_energy(motion.system, *x) for x in zip(q, u, strict=True))
    change, flow = T2 - T1, sum(V2.values()) - sum(V1.values())
    assert change == pytest.approx(-flow, abs=1e-10 * (1 + T1 + abs(sum(V1.values()))))


@given(linkages())
@examples
def test_a_motion_reversed_returns_to_its_start(plan):
    assembly = plan.assembly()
    there = assembly.simulate(UNTIL, tol=TOL)
    back = integrate(assembly.system, make_start(there.final.q, -there.final.u), UNTIL, Options(tol=TOL))
    np.testing.assert_allclose(back.final.q, assembly.start.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(back.final.u, -assembly.start.u, rtol=0, atol=1e-6)


@given(linkages(torque=True), numbers(-3.0, 3.0), numbers(-5.0, 5.0), numbers(-5.0, 5.0))
@examples
def test_a_mechanism_turned_and_shifted_with_its_gravity_moves_the_same(plan, angle, x, y):
    shift, turn = complex(x, y), cmath.exp(1j * angle)
    here, there = simulate(plan), simulate(plan.turned(angle, shift))
    for point in plan.moving:
        assert abs(turn * at(here, point, UNTIL) + shift - at(there, point, UNTIL)) < 1e-7


@given(linkages(torque=True), numbers(0.01, 100.0))
@examples
def test_masses_and_forces_times_any_factor_leave_the_motion(plan, factor):
    one, other = simulate(plan), simulate(plan.heavier(factor))
    np.testing.assert_allclose(other.final.q, one.final.q, rtol=0, atol=1e-7)
    assert other.energy.kinetic[-1] == pytest.approx(factor * one.energy.kinetic[-1], rel=1e-6, abs=1e-9)


@given(linkages(torque=True), st.randoms(use_true_random=False))
@examples
def test_other_names_give_the_same_motion_under_other_names(plan, random):
    points = list(plan.places)
    fresh = [f"{letter}{i}" for i, letter in enumerate("ZQAMXBLCWKDVJENHUFTIGSROPY"[: len(points)])]
    random.shuffle(fresh)
    names = dict(zip(points, fresh, strict=True))
    one, other = simulate(plan), simulate(plan.renamed(names))
    for point in plan.moving:
        np.testing.assert_allclose(other.final[names[point]], one.final[point], rtol=0, atol=1e-7)


@given(linkages(torque=True), numbers(0.05, 0.45))
@examples
def test_dense_output_is_where_a_run_ends_that_stops_there(plan, t):
    assembly = plan.assembly()
    whole, part = assembly.simulate(UNTIL, tol=TOL), assembly.simulate(t, tol=TOL)
    state = whole.at(t)
    np.testing.assert_allclose(state.q, part.final.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(state.u, part.final.u, rtol=0, atol=1e-7)


@given(linkages(torque=True))
@examples
def test_dense_output_passes_through_the_steps(plan):
    motion = simulate(plan)
    state = motion.at(motion.t)
    np.testing.assert_allclose(state.q, motion.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(state.u, motion.u, rtol=0, atol=1e-12)


@given(linkages(torque=True))
@settings(max_examples=8)
def test_the_same_run_gives_the_same_bits(plan):
    # a new mechanism, and the same machine run twice
    first, second = plan.assembly(), plan.assembly()
    motions = [first.simulate(UNTIL, tol=1e-9), first.simulate(UNTIL, tol=1e-9), second.simulate(UNTIL, tol=1e-9)]
    for other in motions[1:]:
        assert np.array_equal(other.t, motions[0].t)
        assert np.array_equal(other.q, motions[0].q)
        assert np.array_equal(other.lam, motions[0].lam)


@given(linkages(gravity=False, springs=False), numbers(0.5, 2.0))
@examples
def test_without_forces_twice_the_speed_is_the_same_path_in_half_the_time(plan, factor):
    assume(plan.speeds)
    slow = simulate(plan)
    fast = simulate(plan.copy(speeds={p: factor * v for p, v in plan.speeds.items()}), UNTIL / factor)
    np.testing.assert_allclose(fast.final.q, slow.final.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(fast.final.u, factor * slow.final.u, rtol=0, atol=1e-6)


@given(linkages(loops=False, springs=False, gravity=False))
@examples
def test_a_free_linkage_keeps_momentum_and_angular_momentum(plan):
    # nothing holds it: the first point moves too
    plan = plan.copy(fixed=[], masses={**plan.masses, "P0": 0.7})
    motion = simulate(plan, 1.0)
    M, _ = compute_matrices(motion.system, motion.final.q)
    p = (M @ motion.u.T).T
    x, y = motion.q[:, ::2], motion.q[:, 1::2]
    for momentum in (p[:, ::2].sum(1), p[:, 1::2].sum(1), (x * p[:, 1::2] - y * p[:, ::2]).sum(1)):
        np.testing.assert_allclose(momentum, momentum[0], rtol=0, atol=1e-9 * (1 + np.max(np.abs(p))))


# -- the start -------------------------------------------------------------------------------------------------------


@given(linkages(torque=True))
@examples
def test_a_consistent_state_is_a_start_that_moves_nothing(plan):
    start = plan.assembly().start
    size = max(abs(z) for z in plan.places.values())
    for point in plan.moving:
        i, j = (plan.assembly().system.index[f"{point}{axis}"] for axis in "xy")
        assert abs(complex(start.q[i], start.q[j]) - plan.places[point]) < 1e-12 * size
    speeds = {p: complex(*(start.u[plan.assembly().system.index[f"{p}{axis}"]] for axis in "xy")) for p in plan.moving}
    again = plan.copy(speeds=speeds).assembly().start
    np.testing.assert_allclose(again.u, start.u, rtol=0, atol=1e-11 * (1 + np.max(np.abs(start.u))))
    assert not again.moved


@given(linkages(springs=False), st.randoms(use_true_random=False))
@examples
def test_a_start_meets_the_constraints_and_no_nearby_one_is_nearer(plan, random):
    # disturb all guesses; at the nearest point W (q − guess) is a combination of the rows of G
    guesses = {p: z + complex(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1)) for p, z in plan.places.items()}
    mechanism = plan.mechanism()
    start = lw.InitialValues(
        positions={p: (guesses[p].real, guesses[p].imag) for p in plan.moving},
        velocities={p: (random.uniform(-1, 1), random.uniform(-1, 1)) for p in plan.moving},
    )
    moved = lw.Mechanism(
        fixed=mechanism.fixed, rigids=mechanism.rigids, springs=mechanism.springs, particles=mechanism.particles,
        gravity=mechanism.gravity, start=start,
    )  # fmt: skip
    assembly = lw.Model(moved)
    q, u, system = assembly.start.q, assembly.start.u, assembly.system
    wanted = np.array([x for p in plan.moving for x in (guesses[p].real, guesses[p].imag)])
    speeds = np.array([moved.compute(g.value) for p in plan.moving for g in start.velocities[p]])
    g, g1, _ = compute_levels(system, q, u, np.zeros_like(q))
    assert np.max(np.abs(g)) < 1e-11
    assert np.max(np.abs(g1)) < 1e-11
    G = compute_matrices(system, q)[1].toarray()
    for gap, allowed in ((q - wanted, 1e-6), (u - speeds, 1e-10)):
        multipliers = np.linalg.lstsq(G.T, gap, rcond=None)[0]
        assert np.linalg.norm(gap - G.T @ multipliers) < allowed * (1e-3 + np.linalg.norm(gap))
