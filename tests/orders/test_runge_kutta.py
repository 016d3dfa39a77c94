"""Runge–Kutta: order conditions of the coefficients, observed orders of steps and of their dense output."""

import warnings
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

import linkwork as lw
from linkages import Plan
from linkwork.native import tableau

A = np.array([tableau.dense(row, 16) for row in tableau.COUPLING])
B, E5, E3 = (tableau.dense(row, 16) for row in (tableau.WEIGHTS, tableau.ERROR_5, tableau.ERROR_3))
C = np.array(tableau.NODES)


@cache
def trees(order):
    """All rooted trees with so many nodes, as sorted tuples of their branches."""
    return sorted({tuple(sorted(forest)) for forest in forests(order - 1, order - 1)})


@cache
def forests(count, largest):
    """All multisets of trees with so many nodes together, none larger than `largest`."""
    if count == 0:
        return [()]
    found = []
    for size in range(min(count, largest), 0, -1):
        for several in range(1, count // size + 1):
            for some in combinations_with_replacement(trees(size), several):
                found += [(*some, *rest) for rest in forests(count - several * size, size - 1)]
    return found


def size(tree):
    return 1 + sum(map(size, tree))


def density(tree):
    return size(tree) * np.prod([density(branch) for branch in tree], initial=1.0)


def weights(tree):
    """Elementary weights of a tree at the stages: Π over the branches of Σ a φ(branch)."""
    return np.prod([A @ weights(branch) for branch in tree], axis=0, initial=1.0) * np.ones(len(A))


def highest_order(b, c=1.0):
    """Up to which order a combination of stages is the solution after the part c of a step."""
    for order in range(1, 10):
        for tree in trees(order):
            if abs(b @ weights(tree) - c**order / density(tree)) > 2e-14:
                return order - 1
    return 9


def test_there_are_as_many_trees_as_there_are():
    assert [len(trees(k)) for k in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_the_coefficients_meet_the_order_conditions():
    np.testing.assert_allclose(A.sum(axis=1), C, rtol=0, atol=1e-14)
    assert highest_order(B) == 8
    assert highest_order(B - E5) == 5
    assert highest_order(B - E3) == 3
    assert highest_order(A[12]) == 8
    assert [highest_order(A[i], C[i]) for i in (13, 14, 15)] == [6, 6, 6]


def test_the_polynomial_of_seven_places_is_exact_up_to_its_degree():
    x = np.array([float(place) for place in tableau.places()])
    for k in range(7):
        np.testing.assert_allclose(tableau.interpolation() @ x**k, np.eye(7)[k], rtol=0, atol=1e-12)
        once, twice = tableau.integrals()
        assert once @ x**k == pytest.approx(1 / (k + 1), abs=1e-13)
        assert twice @ x**k == pytest.approx(1 / ((k + 1) * (k + 2)), abs=1e-13)
    five, more = x[[0, 1, 2, 3, 6]], x[4:6]
    u, q, a = tableau.predictions()
    for k in range(1, 7):
        slopes = np.array([1.0, *(k * five ** (k - 1))])
        np.testing.assert_allclose(u @ slopes, more**k, rtol=0, atol=1e-13)
        np.testing.assert_allclose(q @ slopes, more ** (k + 1) / (k + 1), rtol=0, atol=1e-13)
        np.testing.assert_allclose(a @ slopes, k * more ** (k - 1), rtol=0, atol=1e-13)
    first, second = tableau.forecasts()
    assert [first[:5] @ five**k for k in range(5)] == pytest.approx(more[0] ** np.arange(5))
    assert [second @ np.array([*five, more[0]]) ** k for k in range(6)] == pytest.approx(more[1] ** np.arange(6))


# -- observed orders ---------------------------------------------------------------------------------------------------


def slope(x, y):
    return np.polyfit(np.log(x), np.log(y), 1)[0]


@pytest.fixture(scope="module")
def linkage():
    """A four-bar with a spring and a swinging bar, and its motion."""
    places = {
        "P0": 0j,
        "P1": 0.5 + 0.8j,
        "P2": 1.6 + 1.1j,
        "Q": 1.9 + 0j,
        "T": 1.1 + 0.2j,
        "S": -1 + 1j,
        "R": 2.4 + 1.5j,
    }
    plan = Plan(
        places, ["P0", "Q", "S"],
        bars=[(("P0", "P1"), 1.0), (("P1", "P2", "T"), 2.0), (("P2", "Q"), 1.0), (("P2", "R"), 0.5)],
        springs=[("S", "P1", 20.0, 0.8)], speeds={"P1": 1.0 - 0.6j, "R": 1.0 + 2.0j},
    )  # fmt: skip
    model = plan.assembly()
    return model, model.simulate(1.0, tol=1e-16, order=28)


def simulate_coarsely(model, until, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.AccuracyWarning)  # that is what the test is about
        return model.simulate(until, tol=1e-9, **options)


@pytest.mark.parametrize(("method", "order"), [({"method": "rk8"}, 8), ({"method": "baumgarte", "beta": 5.0}, 8)])
def test_the_error_at_the_end_falls_with_the_step_to_the_power_of_the_order(method, order):
    swing = lw.lagrangian("theta", "theta'**2/2 + 9.81*cos(theta)", start={"theta": 1.5})
    exact = swing.simulate(2.0, tol=1e-16, order=28).final.q
    steps = 2.0 / np.array([18, 24, 32, 42])
    finals = [simulate_coarsely(swing, 2.0, step=h, **method).final.q for h in steps]
    assert slope(steps, [np.max(np.abs(q - exact)) for q in finals]) == pytest.approx(order, abs=0.15)


@pytest.mark.needs_compiler
@pytest.mark.parametrize(
    ("method", "orders"),
    [
        ({"method": "rk8"}, {"u": 8, "a": 7, "lam": 7}),
        ({"method": "baumgarte", "beta": 5.0}, {"u": 8, "a": 7, "lam": 7}),
        ({"method": "taylor", "order": 9}, {"u": 8}),
    ],
)
def test_inside_steps_speeds_accelerations_and_multipliers_have_their_orders(linkage, method, orders):
    # the accelerations and multipliers of a step are polynomials of degree 6 through seven places, whose states have at
    # least as many right terms: they are wrong by h⁷. Integrated once they are wrong by h⁸ and twice by h⁹, beside
    # which speeds and places have the error of all steps before, h⁸
    model, exact = linkage
    t, steps = np.linspace(0, 1, 1001), 1.0 / np.array([32, 40, 48, 56, 64])
    motions = [simulate_coarsely(model, 1.0, step=h, **method).at(t) for h in steps]
    wanted = exact.at(t)
    for name, order in orders.items():
        errors = [np.max(np.abs(getattr(motion, name) - getattr(wanted, name))) for motion in motions]
        assert slope(steps, errors) == pytest.approx(order, abs=0.15), name
    # of places the next term, of order 9, is still felt
    assert 7.85 < slope(steps, [np.max(np.abs(motion.q - wanted.q)) for motion in motions]) < 9.15


def test_the_error_falls_in_proportion_to_the_tolerance(linkage):
    model, exact = linkage
    tolerances = 10.0 ** -np.arange(4, 13)
    errors = [np.max(np.abs(model.simulate(1.0, tol=tol, method="rk8").final.q - exact.final.q)) for tol in tolerances]
    assert slope(tolerances, errors) == pytest.approx(1.0, abs=0.2)
    assert max(np.array(errors) / tolerances) < 300
