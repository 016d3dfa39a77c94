"""Small systems as one kernel: against blocks of instances and against the interpreter, which know nothing of it."""

import multiprocessing
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import linkwork as lw
from linkages import linkages
from linkwork.errors import InputError, LinkworkError
from linkwork.native import Request, Status
from linkwork.native.fusing import can_fuse
from linkwork.solve import run as run_module
from mechanisms import random_mechanism
from tools import assert_series_equal, expand, machines

pytestmark = pytest.mark.needs_compiler
ROOT = Path(__file__).parents[2]
EXAMPLES = ["andrews", "four-bar", "slider-crank", "double-pendulum-3d", "quick-return", "scotch-yoke", "mechanism1b"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_fused_series_of_an_example_are_the_interpreted_ones(name, load_example):
    model = load_example(name)
    start, system = model.start, model.system
    assert can_fuse(system)
    compiled, interpreted = machines(system, start.q)
    (q, lam), (q2, lam2) = (
        expand(machine, start.q, start.u, 14, h=1e-6, fused=fused)
        for machine, fused in ((compiled, True), (interpreted, False))
    )
    assert compiled.tally.fused
    assert_series_equal(q / system.scales, q2 / system.scales, 1e-9)
    assert_series_equal(lam, lam2, 1e-9)


def series_by_all(model, order=12, h=1e-5):
    """Coefficients by one kernel, by blocks and by the interpreter."""
    start = model.start
    compiled, interpreted = machines(model.system, start.q)
    for machine, fused in ((compiled, True), (compiled, False), (interpreted, False)):
        q, lam = expand(machine, start.q, start.u, order, h=h, fused=fused)
        assert machine is interpreted or machine.tally.fused is fused
        yield np.hstack([q[: order - 1], lam])


POTENTIALS = [
    "sqrt(2 + x*y)/(3 + x)",
    "p*sin(x - y)*cos(t)*cos(x)",
    "(2 + y**2)**1.5 + (3 + x)**(-0.7)",
    "log(3 + x**2)*atan(y)",
    "tan(y/3) + atan2(2 + x, 3 + y) + asin(x/4)*acos(y/4)",
    "abs(x - 3)*y + min(x, y + 5)*max(x, y - 5)",
]


@pytest.mark.parametrize("potential", POTENTIALS)
def test_every_operation_on_series_is_fused_as_it_is_interpreted(potential):
    energy = f"x'**2 + (1 + x**2)*y'**2/2 - ({potential})"
    model = lw.lagrangian("x, y", energy, parameters={"p": 0.7}, start={"x": 0.4, "y": -0.3, "x'": 0.5, "y'": 0.8})
    fused, blocks, interpreted = series_by_all(model)
    assert_series_equal(fused, interpreted, 1e-11)
    assert_series_equal(fused, blocks, 1e-12)


def test_constraints_of_positions_and_of_velocities_are_fused_as_they_are_interpreted():
    model = lw.lagrangian(
        "x, y, z, a",
        "(x'**2 + y'**2 + z'**2 + a'**2)/2 - 9.81*z - x*a/3",
        constraints=["z - (x**2 + y**2)/4"],
        velocity_constraints=["x'*sin(a) - y'*cos(a)"],
        start={"x": 0.3, "y": 0.1, "a": 0.2, "x'": 1.0, "a'": 0.7},
    )
    fused, blocks, interpreted = series_by_all(model)
    assert_series_equal(fused, interpreted, 1e-10)
    assert_series_equal(fused, blocks, 1e-11)


def starts(model):
    """Whether a random mechanism can be fused, has a start and can move from it."""
    try:
        system, start = model.system, model.start
    except LinkworkError:
        return False
    machine = machines(system, start.q)[0]
    request = Request(t_end=1e-7, tol=1e-2, order=8)
    return can_fuse(system) and machine.begin(request, start.t, start.q, start.u) is Status.FINISHED


def test_random_mechanisms_have_the_same_coefficients_as_one_kernel():
    models = [model for seed in range(16) if starts(model := lw.Model(random_mechanism(seed)))]
    for model in models:
        fused, blocks, _ = series_by_all(model, order=8, h=1e-7)
        assert_series_equal(fused, blocks, 1e-9)
    assert len(models) >= 2


@pytest.mark.parametrize("method", ["taylor", "rk8", "baumgarte"])
def test_fused_runs_follow_parameters_and_move_as_blocks_do(method, load_example):
    andrews = load_example("andrews")
    for model in (andrews, andrews.with_parameters(m1=0.05), andrews.with_parameters(c0=5000.0, l0=0.08), andrews):
        one, other = (model.simulate(0.01, tol=1e-11, method=method, fused=fused) for fused in (True, False))
        assert one.stats.fused and not other.stats.fused
        np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-9)


def test_constraints_that_repeat_each_other_are_softened_in_one_kernel_as_in_blocks(load_example):
    model = load_example("parallelogram")
    one, other = (model.simulate(tol=1e-11, fused=fused) for fused in (True, False))
    assert one.stats.fused and one.stats.redundant == other.stats.redundant > 0
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-10)


def test_fused_runs_are_the_same_whatever_ran_before(load_example):
    model = load_example("four-bar")
    first = model.simulate(1.0, fused=True)
    model.simulate(1.0)
    again = model.simulate(1.0, fused=True)
    assert np.array_equal(first.final.q, again.final.q) and np.array_equal(first.final.u, again.final.u)


@pytest.mark.parametrize("promising", [10, 10_000], ids=["compiled beside it", "compiled then"])
def test_a_long_run_goes_over_to_one_kernel_after_so_many_steps(load_example, monkeypatch, promising):
    model = load_example("four-bar")
    short = model.simulate(5.0, tol=1e-11)
    monkeypatch.setattr(run_module, "PROMISING", promising)
    monkeypatch.setattr(run_module, "LONG", short.stats.steps // 2)
    long, apart = model.simulate(5.0, tol=1e-11), model.simulate(5.0, tol=1e-11, fused=False)
    assert long.stats.fused and not short.stats.fused and not apart.stats.fused
    np.testing.assert_allclose(long.final.q, short.final.q, rtol=0, atol=1e-8)
    np.testing.assert_array_equal(apart.final.q, short.final.q)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are of Unix")
def test_a_long_run_after_a_fork_goes_over_to_one_kernel_as_before_it(load_example, monkeypatch):
    model = load_example("four-bar")
    monkeypatch.setattr(run_module, "PROMISING", 10)
    monkeypatch.setattr(run_module, "LONG", model.simulate(5.0, tol=1e-11).stats.steps // 2)
    assert model.simulate(5.0, tol=1e-11).stats.fused
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn of forks beside threads
        pool = multiprocessing.get_context("fork").Pool(1)
    with pool:
        assert pool.apply_async(_is_fused, (ROOT / "examples" / "four-bar.yaml",)).get(timeout=60)


def _is_fused(path):
    return lw.load(path).simulate(5.0, tol=1e-11).stats.fused


def test_what_cannot_be_fused_runs_in_blocks(load_example):
    model = load_example("bricard")
    motion = model.simulate(0.01, fused=True)
    assert not motion.stats.fused and motion.stats.compiled


def test_whether_to_fuse_is_a_flag(load_example):
    with pytest.raises(InputError, match="fused = 'yes' is not True or False"):
        load_example("four-bar").simulate(1.0, fused="yes")


@given(linkages(torque=True))
@settings(max_examples=8)
def test_fused_motion_of_any_linkage_is_the_one_by_blocks(plan):
    model = plan.assembly()
    if not can_fuse(model.system):
        return
    one, other = (model.simulate(0.4, tol=1e-11, order=14, fused=fused) for fused in (True, False))
    assert one.stats.fused and not other.stats.fused
    np.testing.assert_allclose(one.final.q, other.final.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(one.final.u, other.final.u, rtol=0, atol=1e-6)
