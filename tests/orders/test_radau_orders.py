"""Observed order of Radau steps, and the identities that their coefficients satisfy."""

import math
from fractions import Fraction

import numpy as np
import pytest

from linkwork.native.radau import ORDERS, find_degree, find_nodes, find_radau

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")


@pytest.mark.parametrize("order", ORDERS)
def test_coefficients_satisfy_the_simplifying_assumptions(order):
    r = find_radau((order + 1) // 2)
    c, A, b, s = r.nodes, r.A, r.A[-1], r.stages
    for k in range(1, 2 * s):  # B(2 s − 1)
        assert b @ c ** (k - 1) == pytest.approx(1 / k, abs=1e-14)
    for k in range(1, s + 1):  # C(s)
        np.testing.assert_allclose(A @ c ** (k - 1), c**k / k, rtol=0, atol=1e-14)
    for k in range(1, s):  # D(s − 1)
        np.testing.assert_allclose((b * c ** (k - 1)) @ A, b * (1 - c**k) / k, rtol=0, atol=1e-14)


@pytest.mark.parametrize("stages", [1, 2, *range(3, 21, 2)])
def test_nodes_are_right_to_the_last_bit(stages):
    # Hairer and Wanner II, IV.5 (5.4): they are the zeros of the derivative of order s − 1 of x^(s − 1) (x − 1)^s
    p = [0] * (stages - 1) + [math.comb(stages, k) * (-1) ** (stages - k) for k in range(stages + 1)]
    for _ in range(stages - 1):
        p = [k * x for k, x in enumerate(p)][1:]
    nodes = find_nodes(stages).tolist()
    assert len(nodes) == stages and nodes == sorted(set(nodes)) and nodes[-1] == 1.0

    def sign(x):
        return np.sign(sum(a * x**k for k, a in enumerate(p)))

    for c in nodes[:-1]:  # the root lies nearer to c than to its neighbours among floats
        low, high = ((Fraction(c) + Fraction(float(np.nextafter(c, end)))) / 2 for end in (0.0, 1.0))
        assert sign(low) * sign(high) < 0


@pytest.mark.parametrize("order", ORDERS)
def test_what_is_infinitely_stiff_is_damped_at_once(order):
    r = find_radau((order + 1) // 2)
    one, eye = np.ones(r.stages), np.eye(r.stages)
    left = [abs(1 + z * r.A[-1] @ np.linalg.solve(eye - z * r.A, one)) for z in (1e3j, -1e3, -1e6)]
    assert max(left) < 0.02 and left[2] < 1e-4
    assert abs(1 + 1j * r.A[-1] @ np.linalg.solve(eye - 1j * r.A, one)) < 1


@pytest.mark.parametrize("order", ORDERS)
def test_coefficients_split_the_iteration(order):
    r = find_radau((order + 1) // 2)
    split = r.there @ r.A @ r.back
    expected = np.diag(r.spectrum[:1].tolist() + np.repeat(r.spectrum[1::2], 2).tolist())
    for k in range(1, r.stages, 2):
        expected[k, k + 1], expected[k + 1, k] = -r.spectrum[k + 1], r.spectrum[k + 1]
    np.testing.assert_allclose(split, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_the_polynomial_of_a_step_is_the_motion_where_that_is_one(order):
    r, degree = find_radau((order + 1) // 2), find_degree((order + 1) // 2)
    p = np.polynomial.Polynomial(np.concatenate([np.zeros(3), np.arange(1.0, degree - 1)]))
    inner = [p.deriv(2)(c) for c in r.nodes[:-1]]
    np.testing.assert_allclose(r.dense @ [p(1), p.deriv()(1), p.deriv(2)(1), *inner], p.coef[3:], rtol=0, atol=1e-8)
    lam = np.polynomial.Polynomial(np.concatenate([[0.0], np.arange(1.0, r.stages + 1)]))
    np.testing.assert_allclose(r.between @ lam(r.nodes), lam.coef[1:], rtol=0, atol=1e-9)


def errors(model, until, steps, **options):
    exact = model.simulate(until, tol=1e-14, method="taylor").final
    found = []
    for n in steps:
        end = model.simulate(until, method="radau", step=until / n, tol=1e-13, **options).final
        pairs = [(end.q, exact.q), (end.u, exact.u), (end.a, exact.a), (end.lam, exact.lam)]
        found.append([float(np.nanmax(np.abs(x - y), initial=0.0)) for x, y in pairs])
    return np.array(found)


def slopes(steps, found):
    return -np.polyfit(np.log(steps), np.log(found[:, np.all(found > 0, axis=0)]), 1)[0]


@pytest.mark.parametrize(("order", "until", "steps"), [(5, 0.5, (16, 32, 64)), (9, 2.0, (100, 140, 200))])
def test_places_speeds_accelerations_and_multipliers_are_of_full_order(load_example, order, until, steps):
    found = errors(load_example("double-pendulum-3d").formulated("points"), until, steps, order=order)
    assert slopes(steps, found) == pytest.approx(order, abs=0.15)


def test_turning_bodies_and_redundant_constraints_are_of_full_order(load_example):
    steps = (10, 20)  # with twice as many only rounding is left
    found = errors(load_example("bricard").formulated("absolute"), 0.4, steps, order=5)
    assert slopes(steps, found)[1:] == pytest.approx(5.0, abs=0.15)  # places are closed to rounding
    turning = errors(load_example("gyroscope").formulated("absolute"), 0.1, (32, 64), order=5)
    assert slopes((32, 64), turning)[0] == pytest.approx(5.0, abs=0.15)


@pytest.mark.parametrize("order", ORDERS)
def test_the_polynomial_of_a_step_meets_its_end_whatever_its_stages_say(order):
    rng = np.random.default_rng(order)
    stages = (order + 1) // 2
    q, u, a, *inner = rng.normal(size=stages + 2)
    p = np.polynomial.Polynomial([0.0, 0.0, 0.0, *(find_radau(stages).dense @ [q, u, a, *inner])])
    assert [p(1), p.deriv()(1), p.deriv(2)(1)] == pytest.approx([q, u, a], abs=1e-10)


@pytest.mark.parametrize("order", ORDERS)
def test_speeds_inside_a_turn_are_off_by_what_its_length_tells(order):
    """Collocation of a body that turns at a constant rate, y' = i x y, and the polynomial of the step."""
    r, x = find_radau((order + 1) // 2), 0.4
    Y = np.linalg.solve(np.eye(r.stages) - 1j * x * r.A, np.ones(r.stages))
    y = np.exp(1j * x)
    left = [y - 1 - 1j * x + 0.5 * x * x, 1j * x * y - 1j * x + x * x, -x * x * (y - 1), *(-x * x * (Y[:-1] - 1))]
    p = np.polynomial.Polynomial([1, 1j * x, -0.5 * x * x, *(r.dense @ np.array(left))])
    at = np.linspace(0, 1, 101)
    off = np.max(np.abs(p.deriv()(at) / x - 1j * np.exp(1j * x * at)))
    assert off == pytest.approx(r.inside * x ** (r.stages + 2), rel=0.1)


def errors_inside(model, until, steps, **options):
    """The largest errors of q, u, a and λ anywhere inside steps."""
    exact, found, at = model.simulate(until, tol=1e-14, method="taylor"), [], np.linspace(0, until, 391)
    truth = exact.at(at)
    for n in steps:
        there = model.simulate(until, method="radau", step=until / n, tol=1e-13, **options).at(at)
        pairs = [(there.q, truth.q), (there.u, truth.u), (there.a, truth.a), (there.lam, truth.lam)]
        found.append([float(np.nanmax(np.abs(x - y), initial=0.0)) for x, y in pairs])
    return np.array(found)


@pytest.mark.parametrize(
    ("name", "order", "until", "steps", "expected"),
    [
        # q, u, a and λ are of order s + 2, s + 1, s and s where constraints turn: those of inner stages are collocated
        ("double-pendulum-3d", 5, 0.5, (16, 32, 64), (5, 5, 4, 4)),
        ("double-pendulum-3d", 9, 0.5, (30, 40, 50, 60), (7, 6, 5, 5)),  # with 80 steps q is off by rounding alone
        # and of order s + 3, s + 2, s + 1 where none do
        ("gyroscope", 9, 0.1, (15, 30, 60), (8, 7, 6)),
        ("gyroscope", 13, 0.1, (10, 15, 20), (10, 9, 8)),
    ],
)
def test_inside_steps_there_are_few_orders_less_than_at_their_ends(load_example, name, order, until, steps, expected):
    form = "absolute" if name == "gyroscope" else "points"
    found = errors_inside(load_example(name).formulated(form), until, steps, order=order)
    assert slopes(steps, found)[: len(expected)] == pytest.approx(expected, abs=0.15)
