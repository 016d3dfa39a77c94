"""Numbers that no float holds, or that are finer than floats can tell: refused in words, or without effect."""

import math
import threading

import numpy as np
import pytest

import linkwork as lw

HUGE = 10**400


class Fails(float):
    def __float__(self):
        raise RuntimeError("no number today")


class Unread(dict):
    def __iter__(self):
        raise RuntimeError("no number today")


def pushed(call, **more):
    hand = lw.Sampled("hand", period=0.1, reads=["A.x"], sets=["F"], call=call, **more)
    return lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)], forces=[lw.Force(point="A", components=("F", 0))],
            controllers=[hand], start=lw.InitialValues(positions={"A": (1, 0)}),
        )
    )  # fmt: skip


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.needs_compiler), False])
@pytest.mark.parametrize("value", [HUGE, -HUGE, Fails(1), math.inf, math.nan, "1", True, 1j, None])
def test_an_input_that_no_float_holds_is_refused_and_nothing_moves(load_example, value, compiled):
    stepper = load_example("cart-pole").stepper(inputs=["F"], compiled=compiled)
    stepper.step(0.01, 0.5)
    for give in (lambda: stepper.step(0.01, value), lambda: stepper.step(0.01, F=value)):
        with pytest.raises(lw.InputError, match=r"input 'F': .* is not a finite number"):
            give()
    assert stepper.t == 0.01 and stepper.inputs == {"F": 0.5}


@pytest.mark.parametrize("answer", [HUGE, [HUGE], {"F": -HUGE}, Fails(1), [Fails(1)], Unread(F=1), [[1]], 1j, math.nan])
def test_an_answer_that_no_float_holds_ends_a_run_in_words(answer):
    with pytest.raises(lw.SolveError, match=r"stopped at t = 0: controller 'hand' (gives|failed)"):
        pushed(lambda t, x: answer).simulate(0.5)


@pytest.mark.parametrize("fine", [1e-307, 5e-324, 1e-20])
def test_steps_finer_than_rounding_change_no_value(fine):
    def push(t, x):
        return 100 * math.sin(50 * t) + x / 3

    exact, rounded = (pushed(push, **more).simulate(0.5) for more in ({}, {"quantum": {"F": fine}}))
    np.testing.assert_array_equal(rounded.final.q, exact.final.q)


@pytest.mark.parametrize("dt", [HUGE, Fails(1), math.inf, math.nan, 0, -1, "1"])
def test_a_step_that_is_no_time_is_refused(load_example, dt):
    with pytest.raises(lw.InputError, match="dt"):
        load_example("cart-pole").stepper(inputs=["F"]).step(dt)


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.needs_compiler), False])
@pytest.mark.parametrize("method", ["taylor", "rk8", "baumgarte", "radau", "hht"])
@pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")
@pytest.mark.parametrize("number", [5e-324, 1e200])
def test_options_at_the_borders_of_floats_end_in_a_motion_or_in_words(load_example, number, method, compiled):
    model = load_example("four-bar")
    options = ["until", "tol", "max_step", "step", "every", *(["alpha", "beta"] if method == "baumgarte" else [])]
    for option in options:
        given = {"until": 0.01, "max_steps": 20, "max_seconds": 0.05, "method": method, "compiled": compiled}
        try:
            model.simulate(**(given | {option: number}))
        except lw.LinkworkError as error:
            assert str(error)


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.needs_compiler), False])
@pytest.mark.parametrize("name", ["four-bar", "sampled-servo"])
def test_a_stepper_of_baumgarte_begins_and_goes_on(load_example, name, compiled):
    model = load_example(name)
    stepper, motion = model.stepper(method="baumgarte", compiled=compiled), model.simulate(0.03, tol=1e-10)
    for dt in (0.01, 5e-324, 0.02):
        stepper.step(dt)
    np.testing.assert_allclose(stepper.state.q, motion.final.q, rtol=0, atol=1e-5)


@pytest.mark.parametrize("compiled", [pytest.param(True, marks=pytest.mark.needs_compiler), False])
def test_threads_share_a_stepper_and_lose_no_step(load_example, compiled):
    model = load_example("cart-pole")
    shared, alone = (model.stepper(inputs=["F"], compiled=compiled) for _ in range(2))
    count, wrong = (100 if compiled else 3), []

    def go():
        for _ in range(count):
            try:
                shared.step(0.001, 0.3)
                wrong.extend(x for x in (shared["tilt"], *shared.state.q) if not math.isfinite(x))
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(8 * count):
        alone.step(0.001, 0.3)
    assert not wrong and shared.t == alone.t
    np.testing.assert_array_equal(shared.state.q, alone.state.q)


@pytest.mark.filterwarnings("ignore::linkwork.errors.AccuracyWarning")
@pytest.mark.parametrize("method", ["radau", "hht", "taylor", "rk8"])
@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
def test_a_body_that_is_fixed_to_the_world_moves_nothing(method, formulation):
    text = """
Dimension: 2
Formulation: {}
Bodies:
  world: {{frames: {{o: []}}}}
  a: {{mass: 1, inertia: 0.1, centre: [0.5], frames: {{p: []}}}}
  {}
Connections:
  Joints: {{turn: {{kind: revolute, frames: [world.o, a.p]}}{}}}
AppliedForces: {{Gravity: }}
SolverParams: {{Integration: {{method: {}}}}}
ProblemData: {{tend: 0.3}}
"""
    held = "b: {mass: 1, inertia: 0.1, frames: {p: []}}", ", held: {kind: fixed, frames: [world.o, b.p]}"
    with_it, without = (lw.loads(text.format(formulation, *x, method)).simulate() for x in (held, ("", "")))
    assert with_it.outcome == without.outcome == "reached t = 0.3"
    np.testing.assert_allclose(with_it.final["a.angle"], without.final["a.angle"], rtol=0, atol=1e-4)
