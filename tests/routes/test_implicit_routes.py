"""Implicit steps: the C runtime against the reference, the matrix of the iteration against differences of residuals."""

from types import SimpleNamespace

import numpy as np
import pytest

from linkwork.equations import formulate_absolute
from linkwork.native import ReferenceMachine, Request, Status
from linkwork.native.reference_implicit import ImplicitSteps

CASES = [("slider-crank", "points", 0.005), ("double-pendulum-3d", "absolute", 0.1)]
CASES += [("bricard", "absolute", 0.02), ("turntable", "auto", 0.03)]


def begin(system, start):
    machine = ReferenceMachine(system)
    request = Request(t_end=1.0, tol=1e-9, order=5, method="hht", step=1e-3)
    assert machine.begin(request, start.t, start.q, start.u) is Status.FINISHED
    machine._expand(start.t, machine.S, 3)
    return machine, ImplicitSteps(machine)


@pytest.mark.parametrize(
    ("example", "formulation"), [("slider-crank", "points"), ("andrews", "points"), ("spatial-four-bar", "points")]
)
def test_the_matrix_of_an_iteration_is_the_derivative_of_the_residuals(load_example, example, formulation):
    model = load_example(example).formulated(formulation)
    machine, steps = begin(model.system, model.start)
    check_matrix(machine, steps)


def test_the_matrix_knows_how_followers_turn(load_example):
    model = load_example("double-pendulum-3d")
    absolute = formulate_absolute(model.mechanism, model.system)
    q, u = absolute.place(model.start.q, model.start.u)
    check_matrix(*begin(absolute.system, SimpleNamespace(t=0.0, q=q, u=u)))


@pytest.mark.parametrize(("example", "formulation"), [("slider-crank", "points"), ("turntable", "absolute")])
def test_constraints_of_velocities_change_with_places_as_the_matrix_says(load_example, example, formulation):
    model = load_example(example).formulated(formulation)
    machine, steps = begin(model.system, model.start)
    n, rng, X = machine.system.n, np.random.default_rng(5), steps.point.copy()
    D = steps.equations.matrix(X, 0.0, (0.0, 0.0, 1.0)) - steps.equations.matrix(X, 0.0, (0.0, 0.0, 0.0))
    for _ in range(4):
        x, ends = rng.normal(size=n), []
        for sign in (1e-5, -1e-5):
            Y = X.copy()
            Y[0, :n] += sign * x
            ends.append(steps.equations.residuals(Y, 0.0)[2])
        difference = (ends[0] - ends[1]) / 2e-5
        np.testing.assert_allclose((D[:, :n] @ x)[n:], difference, rtol=0, atol=1e-6 * np.max(np.abs(difference)))


def check_matrix(machine, steps):
    n, m, rng, c = machine.system.n, machine.system.m, np.random.default_rng(3), (0.3, 0.2, 0.0)
    X = steps.point.copy()
    A = steps.equations.matrix(X, 0.0, c)

    def residuals(x):
        Y = X.copy()
        Y[2, :n] += x[:n]
        Y[1, :n] += c[0] * x[:n]
        Y[0, :n] += c[1] * x[:n]
        Y[0, machine.first :] += x[n:]
        if len(machine.followers.places):
            S = np.vstack([X[0], np.zeros_like(X[0]), np.zeros_like(X[0])])
            machine.followers.move(0.0, S, c[1] * x[:n])
            Y[0, machine.followers.places] = S[0, machine.followers.places]
        return steps.equations.residuals(Y, 0.0)[0]

    for _ in range(4):
        x = rng.normal(size=n + m)
        difference = (residuals(1e-5 * x) - residuals(-1e-5 * x)) / 2e-5
        np.testing.assert_allclose((A @ x)[:n], difference, rtol=0, atol=2e-6 * np.max(np.abs(difference)))


@pytest.mark.needs_compiler
@pytest.mark.parametrize("method", ["hht", "radau"])
@pytest.mark.parametrize(("example", "formulation", "until"), CASES)
def test_compiled_steps_are_those_of_the_reference(load_example, example, formulation, until, method):
    model = load_example(example).formulated(formulation)
    options = {"method": method, "tol": 1e-6}
    exact = model.simulate(until, tol=1e-12).final
    one, two = (model.simulate(until, compiled=compiled, **options) for compiled in (True, False))
    assert abs(one.stats.steps - two.stats.steps) <= 0.1 * two.stats.steps + 2
    for name in ("q", "u"):
        error = np.max(np.abs(getattr(two.final, name) - getattr(exact, name)))
        # both iterate to a part of the tolerance, with matrices of another age; errors of radau are smaller than that
        left = 1e-9 if method == "hht" else 1e-8 * (1 + np.max(np.abs(getattr(exact, name))))
        np.testing.assert_allclose(getattr(one.final, name), getattr(two.final, name), rtol=0, atol=0.3 * error + left)
