"""Observed orders: error against step size at a fixed order, against tolerance, and of the dense output.

The polynomial of a step has degree p in positions, so a step leaves an error h^(p+1) in positions but h^p in
velocities, its derivative. Over a given time there are 1/h steps: the velocities at the end, and the positions they
lead to, are in error by h^(p−1).
"""

import math

import numpy as np
import pytest

from linkages import Plan
from linkwork.native import ReferenceMachine
from linkwork.solve import Options, integrate_with

HALVINGS = 4


@pytest.fixture(scope="module")
def linkage():
    """A four-bar with a spring and a swinging triangle: every kind of term but a torque."""
    places = {
        "P0": 0j,
        "P1": 0.5 + 0.8j,
        "P2": 1.6 + 1.1j,
        "Q": 1.9 + 0j,
        "T": 1.1 + 0.2j,
        "S": -1.0 + 1.0j,
        "R": 2.4 + 1.5j,
    }
    plan = Plan(
        places, ["P0", "Q", "S"],
        bars=[(("P0", "P1"), 1.0), (("P1", "P2", "T"), 2.0), (("P2", "Q"), 1.0), (("P2", "R"), 0.5)],
        springs=[("S", "P1", 20.0, 0.8)], speeds={"P1": 1.0 - 0.6j, "R": 1.0 + 2.0j},
    )  # fmt: skip
    return plan.assembly()


@pytest.fixture(scope="module")
def exact(linkage):
    return linkage.simulate(1.0, tol=1e-16, order=28)


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


@pytest.mark.parametrize("order", [4, 5, 6, 8, 10])
def test_the_error_falls_with_the_step_size_to_the_power_of_the_order_less_one(linkage, exact, order):
    # equal steps: the largest step binds, the tolerance does not
    steps = 0.003 * order / 2.0 ** (np.arange(HALVINGS) / 2)
    errors = []
    for h in steps:
        motion = linkage.simulate(1.0, tol=1e-2, order=order, max_step=h)
        assert np.min(np.diff(motion.t)[:-2]) > 0.49 * h
        errors.append(np.max(np.abs(motion.final.q - exact.final.q)))
    assert slope(steps, errors) == pytest.approx(order - 1, abs=0.4)


@pytest.mark.parametrize("order", [None, 10, 20])
def test_the_error_falls_in_proportion_to_the_tolerance(linkage, exact, order):
    tolerances = 10.0 ** -np.arange(4, 12)
    errors = [np.max(np.abs(linkage.simulate(1.0, tol=tol, order=order).final.q - exact.final.q)) for tol in tolerances]
    assert slope(tolerances, errors) == pytest.approx(1.0, abs=0.2)
    assert max(np.array(errors) / tolerances) < 300


@pytest.mark.parametrize("tol", [1e-6, 1e-9, 1e-12])
def test_every_order_gives_an_error_of_about_the_tolerance(linkage, exact, tol):
    for order in (8, 12, 18, 25):
        error = np.max(np.abs(linkage.simulate(1.0, tol=tol, order=order).final.q - exact.final.q))
        assert error < 300 * tol


def test_dense_output_is_as_accurate_as_the_steps(linkage, exact):
    t = np.linspace(0, 1, 201)
    wanted = exact.at(t)
    for tol in (1e-6, 1e-9, 1e-12):
        motion = linkage.simulate(1.0, tol=tol)
        between = np.max(np.abs(motion.at(t).q - wanted.q))
        at_steps = np.max(np.abs(motion.q - exact.at(motion.t).q))
        assert between < 10 * at_steps + 10 * tol


@pytest.mark.parametrize("derivative", [0, 1, 2])
def test_each_derivative_of_the_dense_output_costs_one_order(linkage, exact, derivative):
    # one step from the same point, evaluated at ever larger distances: error c h^(p + 1 − derivative)
    order = 8
    motion = linkage.simulate(0.2, tol=1e-2, order=order, max_step=0.1)
    series = motion.store
    distances = 0.1 / 2.0 ** (np.arange(5) / 2)
    errors = []
    for h in distances:
        found = series.evaluate(np.array([0]), np.array([h]))[derivative][0]
        wanted = getattr(exact.at(h), "qua"[derivative])
        errors.append(np.max(np.abs(found - wanted)))
    assert slope(distances, errors) == pytest.approx(order + 1 - derivative, abs=0.5)


def test_the_reference_machine_has_the_same_order(linkage, exact):
    order, steps, errors = 6, [0.05, 0.05 / math.sqrt(2), 0.025], []
    for h in steps:
        machine = ReferenceMachine(linkage.system)
        options = Options(tol=1e-2, order=order, max_step=h)
        motion = integrate_with(machine, linkage.start, 1.0, options)
        errors.append(np.max(np.abs(motion.final.q - exact.final.q)))
    assert slope(steps, errors) == pytest.approx(order - 1, abs=0.4)
