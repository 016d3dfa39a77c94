"""Work ends in words when its time is over, when it makes no progress, and when it is called within itself."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.clock import check_time, seconds_left

PENDULUM = """
PhysicalParams: {l: 1, m: 2}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m]}}}
AppliedForces: {Gravity: }
ProblemData: {tend: 0.2, positions: {A: [l]}}
"""
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_run_ends_after_its_seconds_with_what_was_computed():
    model = lw.loads(PENDULUM)
    model.simulate(0.1)  # compiled
    motion = model.simulate(1e7, max_seconds=0.3)
    assert motion.outcome.startswith("out of time at t = ")
    assert "after 0.3 s; what was computed is kept" in motion.outcome
    assert 0 < motion.final.t < 1e7
    assert motion.energy.drift < 1e-6


def test_a_limit_around_a_call_holds_inside_it_and_ends_with_it():
    model = lw.loads(PENDULUM)
    model.simulate(0.1)
    with lw.time_limit(1000), lw.time_limit(0.2):
        assert seconds_left() < 1
        assert model.simulate(1e7).outcome.startswith("out of time")
    with lw.time_limit(1e-9), pytest.raises(lw.TimeLimitError, match="the work was not finished in 1e-09 s"):
        check_time("the work")
    assert seconds_left() == np.inf
    check_time("the work")


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), "5"])
def test_a_limit_is_a_positive_number(seconds):
    with pytest.raises(lw.InputError, match=r"max_seconds: .* is no time to work in. Give a positive number"):
        lw.loads(PENDULUM).simulate(1, max_seconds=seconds)


def test_searches_end_when_their_time_is_over():
    model = lw.load(EXAMPLES / "four-bar.yaml")
    with lw.time_limit(1e-9), pytest.raises(lw.TimeLimitError):
        _ = model.start
    _ = model.start
    with lw.time_limit(1e-9):
        for point in ("equilibrium", "steady"):
            with pytest.raises(lw.TimeLimitError):
                model.linearize(point)
        with pytest.raises(lw.TimeLimitError):
            model.branches()


def test_commands_end_when_their_time_is_over(command, empty_folder):
    file = empty_folder / "long.yaml"
    file.write_text(PENDULUM)
    for name in ("check", "linearize", "modes"):
        code, _, err = command(name, file, "--max-seconds", "1e-9")
        assert (code, "was not finished in 1e-09 s" in err) == (1, True)
    command("run", file)  # compiled
    code, out, _ = command("run", file, "--until", "1e7", "--max-seconds", "2")
    assert (code, "out of time" in out) == (1, True)
    assert (empty_folder / "long.csv").exists()
    code, out, err = command("run", file, "--until", "1e7", "--max-seconds", "1", "-q")
    assert (code, out) == (1, "") and err.startswith("linkwork: out of time at t = ") and err.count("\n") == 1
    code, out, err = command("inverse", file, "--until", "1e7", "--max-seconds", "1", "-q", "--along", "OA.angle")
    assert (code, out) == (1, "") and "linkwork: out of time at t = " in err
    assert (empty_folder / "long-forces.csv").exists()
    code, _, err = command("run", file, "--max-seconds", "-2")
    assert (code, err) == (2, "linkwork: --max-seconds -2: give a positive number of seconds\n")


def test_a_state_that_never_leaves_its_border_ends_in_words():
    model = lw.loads(PENDULUM + "States: {X: 'atan2(0.7, min(3, 1/OA.angle - A.y**0.5))'}\n")
    with pytest.raises(lw.SolveError, match="stopped at t = 0"):
        model.simulate(max_seconds=60)


def test_a_motion_inside_the_progress_of_the_same_model_is_the_same_motion():
    model = lw.loads(PENDULUM)
    inner = []

    def progress(t):
        if not inner:
            inner.append(model.simulate(0.1))

    outer = model.simulate(progress=progress)
    assert inner[0].outcome == "reached t = 0.1"
    np.testing.assert_allclose(inner[0].final.q, outer.at(0.1).q, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(outer.final.q, lw.loads(PENDULUM).simulate().final.q)


def test_a_run_that_makes_no_progress_ends_in_words():
    # a vibration of 1e-12 s would take 1e12 steps to the end: the first tens of thousands tell
    stiff = lw.lagrangian("x", "x'**2/2 - k*x**2/2", parameters={"k": 4e25}, start={"x": 1}, tend=1)
    with pytest.raises(
        lw.SolveError, match=r"no progress: the last \d+ steps led from .* stiff, .* contradict"
    ) as caught:
        stiff.simulate(1)
    assert caught.value.motion.stats.steps < 100_000


def test_a_long_run_that_arrives_is_not_stopped():
    quick = lw.lagrangian("x", "x'**2/2 - k*x**2/2", parameters={"k": 4e10}, start={"x": 1}, tend=1)
    motion = quick.simulate(1, tol=1e-8)
    assert motion.outcome == "reached t = 1"
    assert motion.stats.steps > 40_000


def test_a_run_that_labours_at_a_singular_position_ends_in_words():
    # a scissor lift with a table guided twice falls flat, where all its constraints meet; one arm is off by 1e-10
    text = """
PartData:
  Fixed: {O: [], G: [2]}
  Rigids:
    OMA, CND: {Geom: [[0.28867513457], [0.57735026920]], Dyna: [[0.28], 5, 0.1]}
    BMC, ANE: {Geom: [[0.28867513459], [0.57735026919]], Dyna: [[0.28], 5, 0.1]}
    EFX: {Geom: [[0.5], [1, 0]], Dyna: [[0.5], 20, 1]}
Connections: {Collinear: [OBG, EXD, OCE]}
AppliedForces: {Gravity: }
ProblemData:
  positions: {B: [0.5, 0], M: [0.25, 0.15], A: [0.5, 0.3], C: [0, 0.3], N: [0.25, 0.45], D: [0.5, 0.6], E: [0, 0.6],
    F: [0.5, 0.6], X: [1, 0.6]}
"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            outcome = lw.loads(text).simulate(2, max_seconds=100).outcome
        except lw.SolveError as error:
            outcome = str(error)
    assert not outcome.startswith("out of time")
