"""Velocities are controlled as positions are: close encounters and light carts, beside SciPy at the same tolerance."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw


def kepler(tol, speed, end):
    orbit = lw.lagrangian("x y", "x'**2/2 + y'**2/2 + 1/sqrt(x**2 + y**2)", start={"x": 1, "y'": speed})
    return orbit.simulate(end, tol=tol)


def solve_kepler(tol, speed, end):
    def f(_, y):
        r3 = (y[0] ** 2 + y[1] ** 2) ** 1.5
        return [y[2], y[3], -y[0] / r3, -y[1] / r3]

    return solve_ivp(f, (0, end), [1, 0, 0, speed], method="DOP853", rtol=tol, atol=tol).y[:, -1]


def place_on_orbit(speed, t):
    """Where the body is, by Kepler's equation with Newton's method.   x = 1 is the farthest point"""
    a = 1 / (2 - speed**2)
    e = 1 / a - 1
    n, E = a**-1.5, math.pi
    M = math.pi + n * t
    E = M
    for _ in range(200):
        E -= (E - e * math.sin(E) - M) / (1 - e * math.cos(E))
    return np.array([-a * (math.cos(E) - e), -a * math.sqrt(1 - e * e) * math.sin(E)])


@pytest.mark.parametrize("tol", [1e-8, 1e-10, 1e-12, 3e-14])
@pytest.mark.parametrize("speed", [0.001, 0.02, 0.3])
def test_a_needle_orbit_is_as_good_as_with_scipy_at_the_same_tolerance(speed, tol):
    end = 10.0
    wanted = place_on_orbit(speed, end)
    ours = np.max(np.abs(kepler(tol, speed, end).final.q - wanted))
    theirs = np.max(np.abs(solve_kepler(tol, speed, end)[:2] - wanted))
    assert ours < 10 * theirs + 1e-9


def test_energy_of_a_needle_orbit_is_kept_to_the_tolerance_of_its_fastest_speed():
    motion = kepler(1e-10, 0.001, 10.0)
    fastest = float(np.max(motion.energy.kinetic))
    assert fastest > 1e6
    assert np.ptp(motion.energy.total) < 1e-9 * fastest


@pytest.mark.parametrize("mass", [1.0, 1e-2, 1e-4])
def test_a_light_cart_is_as_good_as_with_scipy_within_two_digits(mass):
    def f(_, y):
        M = np.array([[mass + 1, math.cos(y[1])], [math.cos(y[1]), 1]])
        return [*y[2:], *np.linalg.solve(M, [y[3] ** 2 * math.sin(y[1]), 9.81 * math.sin(y[1])])]

    def solve(tol):
        return solve_ivp(f, (0, 10), [0, 2, 0, 0], method="DOP853", rtol=tol, atol=tol).y[:, -1]

    energy = "(m + 1)/2*x'**2 + x'*th'*cos(th) + th'**2/2 - 9.81*cos(th)"
    cart = lw.lagrangian("x th", energy, parameters={"m": mass}, start={"th": 2})
    exact = solve(3e-14)
    for tol in (1e-8, 1e-10):
        final = cart.simulate(10, tol=tol).final
        ours, theirs = (np.max(np.abs(y - exact)) for y in (np.concatenate([final.q, final.u]), solve(tol)))
        assert ours < 100 * theirs


@pytest.mark.needs_compiler
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
def test_a_stiff_damper_does_not_reject_step_after_step(tol):
    text = """
    PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: {stiffness: 1e3, length: 0.3, damping: 1e5}}}
    ProblemData: {tend: 0.02, positions: {A: [0.5]}}
    """
    stats = lw.loads(text).simulate(tol=tol).stats
    assert stats.steps > 100
    assert stats.rejected < stats.steps / 4
