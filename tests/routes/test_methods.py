"""Methods against each other: the same motions, whoever integrates, in C and in Python, in points and in poses."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import linkwork as lw
from linkages import linkages
from mechanisms import random_mechanism

METHODS = ["rk8", "baumgarte"]
compiled_only = pytest.mark.needs_compiler
BOTH = [  # methods and machines; those without a compiler share what they do here
    pytest.param("rk8", True, marks=compiled_only),
    pytest.param("baumgarte", True, marks=compiled_only),
    ("rk8", False),
]
T = np.linspace(0.0, 1.0, 101)


def differences(one, other, until):
    """Largest differences of q, u and a over a motion: in sizes, and in the largest speed and acceleration."""
    t = until * T
    a, b, scales = one.at(t), other.at(t), one.system.scales
    pairs = [(getattr(a, name) / scales, getattr(b, name) / scales) for name in ("q", "u", "a")]
    # what hangs at rest has speeds of rounding, or none at all
    sizes = [1.0, *(max(np.max(np.abs(y)), 1e-6) for _, y in pairs[1:])]
    return [np.max(np.abs(x - y)) / size for (x, y), size in zip(pairs, sizes, strict=True)]


@compiled_only
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("name", "until", "formulation"),
    [
        ("andrews", 0.03, None),
        ("andrews-bodies", 0.03, "absolute"),
        ("slider-crank", 0.3, None),
        ("spatial-four-bar", 0.5, "points"),
        ("spatial-four-bar", 0.5, "absolute"),
        ("quick-return", 1.0, None),
        ("bicycle", 0.5, None),
        ("parallelogram", 1.0, None),
    ],
)
def test_methods_agree_on_examples_to_their_tolerances(load_example, method, name, until, formulation):
    model = load_example(name).formulated(formulation)
    exact = model.simulate(until, tol=1e-14)
    for tol in (1e-6, 1e-10):
        motion = model.simulate(until, tol=tol, method=method)
        assert motion.method.name == method and motion.outcome == f"reached t = {until:g}"
        q, u, a = differences(motion, exact, until)
        assert q < 1000 * tol and u < 1000 * tol and a < 1e4 * tol
        assert motion.audit().ok and not motion.doubts
        assert motion.energy.drift < 1000 * tol


ALL = {  # a tolerance of each method, and by how much places and speeds may be off at it
    "taylor": (1e-9, 1e-8), "rk8": (1e-8, 1e-6), "baumgarte": (1e-8, 1e-6),
    "hht": (1e-6, 20 * 1e-6 ** (2 / 3)),  # of order 2, and steps of order 3 by step: errors as tol^(2/3)
    "ida": (1e-7, 1e-5),
}  # fmt: skip


def with_event(model, exact, until):
    """The same model with an event where one of its points is two fifths on the way."""
    m = model.mechanism
    point = max(m.moving_points, key=lambda p: abs(float(exact.at(0.4 * until)[f"{p}.vx"])))
    law = f"{point}.x - {float(exact.at(0.4 * until)[f'{point}.x'])!r}"
    rigids, joints = m.given
    event = lw.Event(name="there", when=law)
    return lw.Model(replace(m, rigids=rigids, joints=joints, events=[event])), float(
        exact.at(0.4 * until)[f"{point}.vx"]
    )


@compiled_only
@pytest.mark.parametrize("formulation", ["points", "absolute"])
@pytest.mark.parametrize(("name", "until"), [("andrews", 0.01), ("slider-crank", 0.1), ("spatial-four-bar", 0.3)])
def test_all_methods_agree_in_both_formulations_with_events_dense_output_and_evidence(
    load_example, formulation, name, until
):
    pytest.importorskip("sksundae")
    exact = load_example(name).simulate(until, tol=1e-13)
    model, speed = with_event(load_example(name), exact, until)
    for method, (tol, off) in ALL.items():
        motion = model.formulated(formulation).simulate(until, tol=tol, method=method)
        assert motion.method.name == method and motion.outcome == exact.outcome
        q, u, _ = differences(motion, exact, until)
        assert q < off and u < off, f"{method}: {q:.1e}, {u:.1e}"
        late = min(abs(event.t - 0.4 * until) for event in motion.events)
        assert late < off * np.max(motion.system.scales) / abs(speed) + 1e-12, f"{method}: {late:.1e}"
        assert motion.audit().ok and not motion.doubts, f"{method}: {motion.audit().text()}"
        assert motion.energy.drift < max(off, 1e-7), method


@compiled_only
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("formulation", ["points", "absolute"])
@pytest.mark.parametrize(("name", "until"), [("bennett", 3.0), ("bricard", None)])
def test_stages_off_redundant_constraints_cost_no_digits(load_example, method, formulation, name, until):
    # at a distance d from the constraints redundant ones contradict each other: accelerations must not feel that
    model = load_example(name).formulated(formulation)
    exact = model.simulate(until, tol=1e-14)
    for tol in (1e-10, 1e-12):
        motion = model.simulate(until, tol=tol, method=method)
        assert differences(exact, motion, exact.t[-1])[0] < 100 * tol
        assert motion.audit().ok


@compiled_only
@pytest.mark.parametrize("method", METHODS)
def test_steps_that_lead_nowhere_end_in_words(load_example, method):
    with pytest.raises(lw.SolveError, match=r"Steps of 0\.125 s may be too long"):
        load_example("spatial-four-bar").formulated("absolute").simulate(1.0, method=method, step=0.125)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "until"), [("andrews", 0.006), ("quick-return", 0.3), ("double-pendulum-3d", 0.4)])
def test_without_a_compiler_the_steps_are_the_same(load_example, method, name, until):
    model = load_example(name)
    one, other = (model.simulate(until, tol=1e-9, method=method, compiled=c) for c in (True, False))
    assert one.stats.compiled and not other.stats.compiled
    assert one.stats.steps == other.stats.steps and one.stats.rejected == other.stats.rejected
    assert max(differences(one, other, until)) < 1e-8


@pytest.mark.parametrize("method", METHODS)
@given(linkages(torque=True))
@settings(max_examples=20)
def test_methods_agree_on_any_linkage(method, plan):
    model = plan.assembly()
    one, other = model.simulate(0.4, tol=1e-9, method=method), model.simulate(0.4, tol=1e-12)
    q, u, _ = differences(one, other, 0.4)
    assert q < 1e-6 and u < 1e-5


@pytest.mark.parametrize("method", METHODS)
def test_random_mechanisms_of_every_kind_pass_their_audit(method):
    moved = 0
    for seed in range(16):  # those with contacts that give way are refused
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.AccuracyWarning)
            warnings.simplefilter("ignore", lw.ModelWarning)
            try:
                motion = lw.Model(random_mechanism(seed)).simulate(0.3, tol=1e-8, method=method, max_seconds=100)
            except (lw.InputError, lw.StartError, lw.SolveError):
                continue
        moved += 1
        assert motion.audit().ok, f"seed {seed}: {motion.audit().text()}"
    assert moved > 5


@pytest.mark.parametrize(("method", "compiled"), BOTH)
def test_events_are_found_as_exactly_as_the_motion_is(method, compiled):
    events = [lw.Event(name="zero", when="x"), lw.Event(name="end", when="x + 0.5", stop=True)]
    swing = lw.lagrangian("x", "x'**2/2 - x**2/2", start={"x": 1}, events=events)
    motion = swing.simulate(10.0, tol=1e-10, method=method, compiled=compiled)
    assert [event.name for event in motion.events] == ["zero", "end"]
    assert [event.t for event in motion.events] == pytest.approx([np.pi / 2, 2 * np.pi / 3], abs=1e-8)
    assert motion.t[-1] == motion.events[-1].t


@pytest.mark.parametrize(("method", "compiled"), BOTH)
def test_steps_end_at_the_borders_of_laws(method, compiled):
    # x'' = -sign(x) from x = 1 at rest: parabolas, of which the first reaches zero at √2 and the next after 2 √2
    swing = lw.lagrangian("x", "x'**2/2", forces={"x": "select(x > 0, -1, 1)"}, start={"x": 1})
    motion = swing.simulate(3.0, tol=1e-6, method=method, compiled=compiled)
    t = np.linspace(0, 3, 301)
    late = t > np.sqrt(2)
    x = np.where(late, (t - np.sqrt(2)) ** 2 / 2 - np.sqrt(2) * (t - np.sqrt(2)), 1 - t**2 / 2)
    np.testing.assert_allclose(motion.at(t)["x"], x, rtol=0, atol=1e-11)
    assert np.min(np.abs(motion.t - np.sqrt(2))) < 1e-11


@compiled_only
@pytest.mark.parametrize("method", METHODS)
def test_laws_with_kinks_cost_no_digits(method):
    bounce = lw.lagrangian("x", "x'**2/2", forces={"x": "select(x < 0, -1000*x, 0) - 9.81"}, start={"x": 1})
    one, other = bounce.simulate(3.0, tol=1e-10, method=method), bounce.simulate(3.0, tol=1e-14)
    q, u, _ = differences(one, other, 3.0)
    assert q < 1e-9 and u < 1e-9
    # of given lengths, too: the next step goes on to the grid
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.AccuracyWarning)
        fixed = bounce.simulate(1.0, step=1 / 512, method=method)
    assert max(differences(fixed, other, 1.0)[:2]) < 1e-8


@pytest.mark.parametrize(("method", "compiled"), BOTH)
def test_steps_end_at_the_knots_of_tables(method, compiled):
    text = """
Tables: {push: {x: [0, 0.3, 0.5, 1], y: [0, 1, -1, 2], kind: linear}}
PartData: {Particles: {A: 1}}
AppliedForces: {Forces: {A: [push(t), 0]}}
ProblemData: {tend: 1, positions: {A: [0, 0]}}
"""
    model = lw.loads(text)
    one, other = model.simulate(tol=1e-9, method=method, compiled=compiled), model.simulate(tol=1e-12)
    assert max(differences(one, other, 1.0)) < 1e-8
    for knot in (0.3, 0.5):
        assert np.min(np.abs(one.t - knot)) < 1e-12


@pytest.mark.parametrize(("method", "compiled"), BOTH)
def test_a_singular_start_is_left_as_with_series(method, compiled, load_example):
    # a flat four-bar whose speeds say which way to go
    model = lw.loads("""
PartData:
  Fixed: {O: [], P: [2]}
  Rigids:
    OA: {Geom: [[1]], Dyna: [[0.5], 1, 1/12]}
    AB: {Geom: [[2]], Dyna: [[1], 1, 1/3]}
    PB: {Geom: [[1]], Dyna: [[0.5], 1, 1/12]}
ProblemData: {positions: {A: [1, 0], B: [3, 0]}, velocities: {A: [0, 1], B: [0, 1]}}
""")
    one, other = model.simulate(0.5, tol=1e-9, method=method, compiled=compiled), model.simulate(0.5, tol=1e-11)
    assert max(differences(one, other, 0.5)) < 1e-5
