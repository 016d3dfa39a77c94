"""How a motion is integrated: what is asked for, what is taken, and steps of a given length."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import AccuracyWarning
from linkwork.results import Method
from linkwork.solve.stiffness import try_method

SWING = """
PhysicalParams: {l: 1, m: 1}
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [0.8, -0.6]}}
"""
MACHINES = [None, pytest.param(True, marks=pytest.mark.needs_compiler), False]


def test_a_motion_says_by_which_method_it_was_made_and_why():
    swing = lw.loads(SWING)
    assert swing.simulate(0.1).method == Method("taylor", "the laws are smooth")
    asked = swing.simulate(0.1, method="taylor", step=0.01)
    assert str(asked.method) == "taylor: as asked; step = 0.01"
    assert pickle.loads(pickle.dumps(asked)).method == asked.method


def test_a_file_says_its_method_and_a_caller_overrules_it():
    text = SWING + "SolverParams: {Integration: {method: taylor, step: 1/64}}\n"
    asked = lw.loads(text).simulate()
    assert asked.method == Method("taylor", "as asked", {"step": 1 / 64})
    assert lw.loads(text).simulate(method="auto", step=0.01).method == Method(
        "taylor", "the laws are smooth", {"step": 0.01}
    )


def test_a_command_says_the_method(command, tmp_path):
    file = tmp_path / "swing.yaml"
    file.write_text(SWING)
    _, said, _ = command("run", file, "--out", tmp_path / "x.npz", "--method", "taylor", "--step", "0.01")
    assert "method  taylor: as asked; step = 0.01" in said
    assert "work  100 steps" in said
    assert str(np.load(tmp_path / "x.npz")["method"]) == "taylor: as asked; step = 0.01"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tailor"}, r"'tailor' is no method. Did you mean 'taylor'\?"),
        ({"method": "x"}, "'x' is no method. Use auto, taylor, rk8"),
        ({"step": 0.0}, "step = 0 is not a positive time. Give seconds"),
        ({"step": -1.0}, "step = -1 is not a positive time"),
        ({"step": float("nan")}, "step = nan is not a positive time"),
        ({"step": float("inf")}, "step = inf is not a positive time"),
        ({"step": "a"}, "step = 'a' is not a number"),
        ({"step": 0.1, "max_step": 0.01}, "step = 0.1 is longer than max_step = 0.01"),
        (
            {"step": 1e-9},
            "1 s in steps of 1e-09 s are 1e\\+09 steps, more than max_steps. Give a step of 2e-08 s or more",
        ),
    ],
)
def test_wrong_methods_and_steps_are_refused_in_words(options, message):
    with pytest.raises(lw.InputError, match=message):
        lw.loads(SWING).simulate(1.0, **options)


@pytest.mark.parametrize("compiled", MACHINES)
def test_all_steps_have_the_length_that_is_asked_for_but_the_last(compiled):
    motion = lw.loads(SWING).simulate(0.305, step=0.01, compiled=compiled)
    np.testing.assert_allclose(motion.t[:-1], 0.01 * np.arange(31), rtol=0, atol=1e-15)
    assert motion.t[-1] == 0.305 and motion.stats.rejected == 0


@pytest.mark.parametrize("compiled", MACHINES)
def test_steps_end_at_events_and_go_on_to_their_grid(compiled):
    text = SWING + "Events: {low: {when: A.x - 0.5, do: stop}}\n"
    motion = lw.loads(text).simulate(1.0, step=0.125, compiled=compiled)
    assert "event 'low'" in motion.outcome
    assert motion.final["A"][0] == pytest.approx(0.5, abs=1e-9)
    switching = SWING.replace("Gravity: ", "Gravity: , Forces: {A: ['select(A.x > 0.5, 1, -1)', 0]}")
    t = lw.loads(switching).simulate(1.0, step=0.125, compiled=compiled).t
    on_grid = np.isclose(t % 0.125, 0.0, atol=1e-12) | np.isclose(t % 0.125, 0.125, atol=1e-12)
    assert on_grid.sum() == 9 and not on_grid.all()


def test_the_evidence_tells_what_steps_of_a_given_length_are_worth(load_example):
    andrews = load_example("andrews")
    fine, wanted = andrews.simulate(0.03, step=1e-4, tol=1e-10), andrews.simulate(0.03, tol=1e-13)
    assert fine.audit().ok and not fine.doubts
    np.testing.assert_allclose(fine.final.q, wanted.final.q, rtol=0, atol=1e-9)
    with pytest.warns(AccuracyWarning, match="Steps of 0.0005 s are too long for tol = 1e-10: give a shorter step"):
        coarse = andrews.simulate(0.03, step=5e-4, tol=1e-10)
    assert coarse.energy.drift > 100 * fine.energy.drift


@pytest.mark.parametrize("compiled", MACHINES)
def test_a_step_that_cannot_be_taken_ends_the_run_in_words(load_example, compiled):
    with pytest.raises(lw.SolveError, match=r"Steps of 0.03 s may be too long for it: give a shorter step, or none"):
        load_example("andrews").simulate(0.03, step=0.03, compiled=compiled)


# -- what is kept ------------------------------------------------------------------------------------------------------

DAMPED = SWING.replace("Gravity: ", "Gravity: , Forces: {A: [-A.vx, 0]}")


@pytest.mark.parametrize("method", ["taylor", "rk8"])
@pytest.mark.parametrize("every", [0.01, 0.25])
def test_states_are_kept_at_intervals_as_they_are_in_the_whole_motion(method, every):
    # intervals shorter and longer than the steps
    swing = lw.loads(DAMPED)
    whole, thin = (swing.simulate(1.0, method=method, tol=1e-9, max_step=0.05, every=e) for e in (None, every))
    assert thin.stats.steps == whole.stats.steps and thin.outcome == whole.outcome
    np.testing.assert_allclose(thin.t, [*(every * np.arange(round(1 / every))), 1.0], rtol=0, atol=1e-15)
    there = whole.at(thin.t)
    for name in ("q", "u", "a", "lam"):
        np.testing.assert_allclose(getattr(thin, name), getattr(there, name), rtol=1e-9, atol=1e-9)
    assert thin.final.q.tolist() == whole.final.q.tolist()
    assert thin.audit().ok and not thin.doubts
    np.testing.assert_allclose(thin.at(every)["A"], whole.at(every)["A"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(thin.energy.kinetic, there.energy.kinetic, rtol=1e-9, atol=1e-12)


def test_what_needs_steps_that_were_not_kept_says_so():
    thin = lw.loads(DAMPED).simulate(1.0, tol=1e-9, max_step=0.05, every=0.25)
    with pytest.raises(lw.LinkworkError, match=r"the state at t = 0.2 was not kept: one every 0.25 s was. Ask for"):
        thin.at(0.2)
    with pytest.raises(lw.LinkworkError, match="work needs all steps, and not all were kept"):
        _ = thin.work
    assert np.isnan(thin.energy.drift)
    end = lw.loads(SWING).simulate(1.0, max_step=0.05, save="end")
    assert end.t.tolist() == [0.0, 1.0] and end.energy.drift < 1e-8
    with pytest.raises(lw.LinkworkError, match="only start and end were"):
        end.at(0.5)


def test_events_and_files_of_a_motion_that_was_thinned(command, tmp_path):
    file, table = tmp_path / "swing.yaml", tmp_path / "swing.csv"
    file.write_text(DAMPED + "Events: {low: {when: A.x}}\n")
    whole, thin = (lw.load(file).simulate(1.0, every=every) for every in (None, 0.5))
    assert thin.events == whole.events and len(thin.events) == 1
    _, said, _ = command("run", file, "--out", table, "--every", "0.125")
    assert "not balanced: work needs all steps" in said
    assert len(table.read_text().splitlines()) == 1 + 9
    command("run", file, "--out", tmp_path / "swing.npz", "--every", "0.125")
    assert np.load(tmp_path / "swing.npz")["t"].tolist() == (0.125 * np.arange(9)).tolist()


@pytest.mark.needs_compiler
def test_memory_stays_flat_however_many_steps_there_are():
    swing = lw.loads(SWING)
    short, long = (swing.simulate(until, tol=1e-3, step=1e-3, every=1.0) for until in (4.0, 100.0))
    assert long.stats.steps == 25 * short.stats.steps
    for motion in (short, long):
        assert len(motion.t) == round(motion.t[-1]) + 1
        assert sum(chunk.series.nbytes for chunk in motion.store.chunks) < 2000 * len(motion.t)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0.0}, "every = 0 is not a positive time"),
        ({"every": "a"}, "every = 'a' is not a number"),
        ({"save": "some"}, "save = 'some' is not known"),
        ({"save": "end", "every": 1.0}, "save and every contradict each other"),
    ],
)
def test_wrong_wishes_of_what_to_keep_are_refused_in_words(options, message):
    with pytest.raises(lw.InputError, match=message):
        lw.loads(SWING).simulate(1.0, **options)


@pytest.mark.parametrize("wrong", [1, "yes", np.zeros(3)], ids=str)
def test_whether_to_compile_is_yes_or_no(wrong):
    model = lw.loads(SWING)
    with pytest.raises(lw.InputError, match="is not True or False"):
        model.simulate(0.1, compiled=wrong)
    assert model.simulate(0.01, compiled=False).outcome == "reached t = 0.01"


def test_kept_states_of_implicit_steps_have_their_accelerations(load_example):
    model = load_example("double-pendulum-3d")
    whole, thin = (model.simulate(0.2, method="hht", tol=1e-6, **more) for more in ({}, {"every": 0.013}))
    t = thin.t[1:-1]
    np.testing.assert_allclose(thin.at(t).a, whole.at(t).a, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(thin.at(t).u, whole.at(t).u, rtol=1e-12, atol=1e-12)


HELD_UP = """
PartData: {Particles: {A: 1}}
AppliedForces: {Forces: {A: ["%s", "-A.y"]}}
ProblemData: {tend: %s, positions: {A: [0.01, 1]}, velocities: {A: [%s, 0]}}
"""


@pytest.mark.needs_compiler
def test_steps_held_up_by_jumps_are_no_reason_for_implicit_ones_and_those_of_a_steep_law_are(monkeypatch):
    tried = []
    monkeypatch.setattr("linkwork.solve.run.try_method", lambda *x: (tried.append(1), try_method(*x))[1])
    lw.function("held_up_jump", lambda x: 1.0 if x > 0 else -1.0, opaque=True)
    jumps = lw.loads(HELD_UP % ("-held_up_jump(A.x)", 20, 0)).simulate(tol=1e-6)
    assert jumps.method.name == "rk8" and not tried
    assert jumps.stats.rejected > jumps.stats.steps > 512  # it was asked twice
    lw.function("held_up_steep", lambda v: 1e5 * v, opaque=True, derivatives=[lambda v: 1e5])
    steep = lw.loads(HELD_UP % ("-held_up_steep(A.vx - cos(t))", 3, 1)).simulate(tol=1e-6)
    assert steep.method.name == "radau" and tried
    assert steep.stats.rejected < steep.stats.steps < 512
