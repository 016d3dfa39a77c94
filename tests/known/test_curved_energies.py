"""Lagrangians that are not quadratic in the speeds: relativistic motion in closed form, Finsler geodesics."""

import math

import numpy as np
import pytest

import linkwork as lw

PARTICLE = "-m*c**2*sqrt(1 - x'**2/c**2) + F*x"


@pytest.mark.parametrize("method", ["taylor", "rk8", "hht"])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_relativistic_particle_under_a_constant_force_moves_on_a_hyperbola(method, compiled):
    m, c, F, end = 2.0, 3.0, 5.0, 4.0
    model = lw.lagrangian("x", PARTICLE, parameters={"m": m, "c": c, "F": F}, start={"x": 0})
    motion = model.simulate(end, tol=1e-12 if method != "hht" else 1e-6, method=method, compiled=compiled)
    stretch = math.sqrt(1 + (F * end / (m * c)) ** 2)
    exact = 1e-12 if method != "hht" else 1e-3
    assert motion.final["x"] == pytest.approx(m * c**2 / F * (stretch - 1), rel=exact)
    assert motion.final["x'"] == pytest.approx(F * end / m / stretch, rel=exact)
    # kinetic energy is (γ − 1) m c²
    assert motion.energy.kinetic[-1] == pytest.approx(m * c**2 * (stretch - 1), rel=exact)
    assert motion.audit().ok


def test_a_relativistic_orbit_precesses_as_sommerfeld_says():
    # L = -c² sqrt(1 - v²/c²) + 1/r: the angle between perihelia is 2π/sqrt(1 - 1/(c h)²), h the angular momentum
    c = 6.0
    model = lw.lagrangian(
        "x y", "-c**2*sqrt(1 - (x'**2 + y'**2)/c**2) + 1/sqrt(x**2 + y**2)", parameters={"c": c},
        start={"x": 1, "y'": 1.2}, events=lw.Event(name="apsis", when="x*x' + y*y'"),
        variables={"h": "(x*y' - y*x')/sqrt(1 - (x'**2 + y'**2)/c**2)"},
    )  # fmt: skip
    motion = model.simulate(60, tol=1e-12)
    h = motion.final["h"]
    near = [motion.at(e.t) for e in motion.events if np.hypot(motion.at(e.t)["x"], motion.at(e.t)["y"]) < 1.001][-1]
    turned = math.atan2(near["y"], near["x"])
    count = sum(1 for e in motion.events if 0 < e.t <= near.t and np.hypot(*_place(motion, e.t)) < 1.001)
    expected = count * 2 * math.pi * (1 / math.sqrt(1 - 1 / (c * h) ** 2) - 1)
    assert math.remainder(turned - expected, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    assert motion.energy.drift < 1e-11 and motion.audit().ok


def _place(motion, t):
    return motion.at(t)["x"], motion.at(t)["y"]


def test_a_relativistic_pendulum_is_the_same_with_a_constraint_and_in_its_angle():
    values = {"c": 10}
    one = lw.lagrangian(
        "x y", "-c**2*sqrt(1 - (x'**2 + y'**2)/c**2) - 9.81*y", constraints="x**2 + y**2 - 1", parameters=values,
        start={"x": 1, "y": 0},
    ).simulate(3, tol=1e-12)  # fmt: skip
    other = lw.lagrangian("q", "-c**2*sqrt(1 - q'**2/c**2) - 9.81*sin(q)", parameters=values, start={"q": 0})
    end = other.simulate(3, tol=1e-12).final["q"]
    assert one.final["x"] == pytest.approx(math.cos(end), abs=1e-11) and one.audit().ok


def test_a_randers_geodesic_is_a_circle_of_the_field_it_has():
    # F = |u| + b·u with b = B y x, |b| < 1: geodesics turn with the curvature B, the field rot b
    B = 0.3
    model = lw.lagrangian(
        "x y", "(sqrt(x'**2 + y'**2) + B*y*x')**2/2", parameters={"B": B}, start={"x": 0, "y": 0.2, "x'": 1, "y'": 0.4}
    )
    motion = model.simulate(3, tol=1e-12)
    t = np.linspace(0, 3, 7)
    x, y = motion.at(t)["x"], motion.at(t)["y"]
    # three points make the circle, the others are on it
    A = np.column_stack([2 * x, 2 * y, np.ones_like(x)])
    centre = np.linalg.lstsq(A, x**2 + y**2, rcond=None)[0]
    radius = np.hypot(x - centre[0], y - centre[1])
    np.testing.assert_allclose(radius, 1 / B, rtol=1e-9)
    assert motion.energy.drift < 1e-12 and motion.audit().ok


def test_a_charge_in_a_magnetic_field_circles_at_the_frequency_of_its_relativistic_mass():
    model = lw.lagrangian(
        "x y", "-m*c**2*sqrt(1 - (x'**2 + y'**2)/c**2) + B*(x*y' - y*x')/2", parameters={"m": 1, "c": 2, "B": 3},
        start={"x'": 1.6},
    )  # fmt: skip
    gamma = 1 / math.sqrt(1 - 0.64)
    period = 2 * math.pi * gamma / 3
    motion = model.simulate(period, tol=1e-13)
    assert motion.final["x"] == pytest.approx(0, abs=1e-11) and motion.final["y"] == pytest.approx(0, abs=1e-11)
    assert motion.final["x'"] == pytest.approx(1.6, abs=1e-11) and motion.audit().ok


def test_the_linear_model_of_a_relativistic_pendulum_at_rest_is_that_of_newton():
    model = lw.lagrangian("q", "-c**2*sqrt(1 - q'**2/c**2) - g*cos(q)", parameters={"c": 10, "g": 9.81},
                          start={"q": math.pi})  # fmt: skip
    assert max(model.linearize().eigenvalues.imag) == pytest.approx(math.sqrt(9.81), rel=1e-12)
