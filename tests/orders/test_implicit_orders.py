"""Observed order of implicit steps: everything they compute is in error by the square of their length."""

import numpy as np
import pytest

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")


def errors(model, until, steps, **options):
    exact = model.simulate(until, tol=1e-13, method="taylor").final
    found = []
    for n in steps:
        end = model.simulate(until, method="hht", step=until / n, tol=1e-11, **options).final
        pairs = [(end.q, exact.q), (end.u, exact.u), (end.a, exact.a), (end.lam, exact.lam)]
        found.append([float(np.nanmax(np.abs(x - y), initial=0.0)) for x, y in pairs])
    return np.array(found)


def slopes(steps, found):
    used = np.all(found > 0, axis=0)
    return -np.polyfit(np.log(steps), np.log(found[:, used]), 1)[0]


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_places_speeds_accelerations_and_multipliers_are_of_order_2(load_example, rho):
    steps = np.array([200, 400, 800])
    found = errors(load_example("double-pendulum-3d").formulated("points"), 0.5, steps, rho=rho)
    assert slopes(steps, found) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize(("example", "until"), [("double-pendulum-3d", 0.4), ("bricard", 0.2), ("gyroscope", 0.1)])
def test_turning_bodies_and_redundant_constraints_are_of_order_2(load_example, example, until):
    steps = np.array([50, 100, 200])
    found = errors(load_example(example).formulated("absolute"), until, steps)
    assert slopes(steps, found[:, :3]) == pytest.approx(2.0, abs=0.15)


def test_tighter_tolerances_make_smaller_errors_in_proportion(load_example):
    model, tols = load_example("double-pendulum-3d"), np.array([1e-4, 1e-6, 1e-8])
    exact = model.simulate(0.5, tol=1e-13).final
    found = [np.max(np.abs(model.simulate(0.5, method="hht", tol=tol).final.q - exact.q)) for tol in tols]
    # the error of a step is h³ ~ tol^(3/2), that of the motion h² ~ tol
    assert np.polyfit(np.log(tols), np.log(found), 1)[0] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_accelerations_and_multipliers_between_the_ends_of_steps_are_of_order_2(load_example, formulation, compiled):
    model, steps = load_example("double-pendulum-3d").formulated(formulation), np.array([25, 50, 100])
    exact, found = model.simulate(0.2, tol=1e-13), []
    for n in steps:
        motion = model.simulate(0.2, method="hht", step=0.2 / n, tol=1e-10, compiled=compiled)
        t = (np.arange(n) + 0.37) * 0.2 / n
        one, other = motion.at(t), exact.at(t)
        found.append([np.max(np.abs(getattr(one, x) - getattr(other, x))) for x in ("a", "lam")])
    assert slopes(steps, np.array(found)) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("formulation", ["points", "absolute"])
def test_a_free_body_that_tumbles_is_turned_with_order_2(formulation):
    """About the middle one of its axes of inertia, through a whole turn over."""
    frames = {"c": lw.Frame(), "p": lw.Frame(at=(1, 0, 0)), "r": lw.Frame(at=(0, 1, 0))}
    body = lw.Body("b", mass=2, inertia=(0.3, 0.5, 0.7), frames=frames)
    start = lw.InitialValues(velocities={"b.c": (0, 0, 0), "b.p": (0, 0.1, -6), "b.r": (-0.1, 0, 0.2)})
    model = lw.Model(lw.Mechanism(dimension=3, bodies=[body], gravity=None, start=start)).formulated(formulation)
    steps = np.array([200, 400, 800])
    found = errors(model, 2.0, steps)
    assert slopes(steps, found[:, :3]) == pytest.approx(2.0, abs=0.15)
