"""Whatever ends a run, words say why and what was computed is kept."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import linkwork as lw

POSIX = pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
PENDULUM = """
PartData: {Fixed: {O: []}, Rigids: {OA: {Geom: [[1]]}}, Particles: {A: 1}}
AppliedForces: {Gravity: }
ProblemData: {tend: 1, positions: {A: [1, 0]}}
"""


def particle(**parts):
    start = lw.InitialValues(positions={"A": (0, 1)}, velocities={"A": (1, 0)})
    return lw.Model(lw.Mechanism(particles=[lw.Particle(point="A", mass=1)], start=start, **parts))


def interrupted_after(seconds, work, number=signal.SIGINT):
    """What work gives if Ctrl-C is pressed meanwhile."""
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), number))
    timer.start()
    try:
        return work()
    finally:
        timer.cancel()
        timer.join()


# -- Ctrl-C and kill --------------------------------------------------------------------------------------------------

LONG = {
    "plain": lambda: lw.loads(PENDULUM),
    "with a controller": lambda: particle(
        forces=[lw.Force(point="A", components=("F", 0))],
        controllers=[lw.Sampled("c", period=1e-3, reads=["A.x"], sets=["F"], call=lambda t, x: -x)],
    ),
    "with a stop": lambda: particle(
        stops=[lw.Stop(name="left", gap="A.x + 1", restitution=1), lw.Stop(name="right", gap="1 - A.x", restitution=1)],
    ),
}


@POSIX
@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_a_run_in_words_and_keeps_the_motion(what):
    model = LONG[what]()
    model.simulate(0.01)
    motion = interrupted_after(0.4, lambda: model.simulate(1e5, tol=1e-12, max_step=0.01, max_seconds=60))
    assert motion.stats.end == "interrupted"
    assert motion.outcome.startswith("interrupted at t = ") and "what was computed is kept" in motion.outcome
    assert motion.final.t == motion.t[-1] > 0 and np.isfinite(motion.q).all()
    # and it goes on from there
    assert model.simulate(float(motion.final.t) + 0.1, start=motion.final).stats.end == "reached"


@POSIX
def test_ctrl_c_in_a_step_leaves_the_state_as_it_was():
    stepper = LONG["with a controller"]().stepper()
    stepper.step(0.1)
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.4, lambda: stepper.step(1e9))
    assert stepper.t == 0.1
    stepper.step(0.1)


def child(code, folder):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


TELL = """
import sys, linkwork.cli, linkwork.cli.progress
def tell(self, t, told=[]):
    if not told:
        print("going", file=sys.stderr, flush=True)
        told.append(t)
linkwork.cli.progress.Bar.__call__ = tell
sys.argv = ["linkwork", "run", "pendulum.yaml", "--until", "1e9", "--out", "long.npz"]
linkwork.cli.main()
"""


@POSIX
def test_a_command_that_is_killed_kindly_keeps_what_was_computed(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    with child(TELL, tmp_path) as process:
        assert process.stderr.readline() == "going\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and "Traceback" not in err and "interrupted at t = " in out + err
    with np.load(tmp_path / "long.npz") as kept:
        assert len(kept["t"]) > 100


WRITE = """
import linkwork as lw
motion = lw.load("pendulum.yaml").simulate(200)
while True:
    for name in ("a.csv", "a.npz"):
        lw.write_results(motion, name)
        print("written", flush=True)
"""


@POSIX
def test_who_is_killed_while_writing_leaves_whole_files(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    for wait in (0.02, 0.05, 0.11):
        with child(WRITE, tmp_path) as process:
            process.stdout.readline()
            process.stdout.readline()
            time.sleep(wait)
            process.kill()
        rows = (tmp_path / "a.csv").read_text().splitlines()
        assert rows[-1].startswith("200") and len({row.count(",") for row in rows}) == 1
        with np.load(tmp_path / "a.npz") as kept:
            assert kept["t"][-1] == 200


# -- laws and events --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how", [{}, {"method": "rk8"}, {"method": "hht", "tol": 1e-6}, {"method": "radau"}, {"compiled": False}]
)
def test_a_law_that_has_no_value_any_more_ends_in_words(how):
    model = particle(forces=[lw.Force(point="A", components=("sqrt(1 - t)", 0))])
    with pytest.raises(lw.SolveError, match="stopped at t = ") as caught:
        model.simulate(2, **how)
    motion = caught.value.motion
    assert 0.5 < motion.final.t < 1.01 and np.isfinite(motion.q).all() and motion.stats.end == "stopped"


def test_an_event_that_happens_for_ever_keeps_the_motion_before_it():
    events = [
        lw.Event(name="up", when="side - 0.5", direction="rising", then={"side": 0}),
        lw.Event(name="down", when="side - 0.5", direction="falling", then={"side": 1}),
        lw.Event(name="begin", when="t - 0.2", then={"side": 1}),
    ]
    with pytest.raises(lw.SolveError, match="again and again") as caught:
        particle(events=events, inputs={"side": 0}).simulate(1)
    motion = caught.value.motion
    assert abs(motion.final.t - 0.2) < 1e-9 and abs(motion.final["A.x"] - 0.2) < 1e-9


@pytest.mark.filterwarnings("ignore::linkwork.AccuracyWarning")  # how far it comes, and how fast it is then, depends
def test_ever_faster_bounces_between_closing_walls_end_in_words():
    # the gap closes at t = 1, after infinitely many bounces that nothing makes weaker
    walls = [lw.Stop(name=name, gap=gap, restitution=1) for name, gap in (("l", "A.x + 1 - t"), ("r", "1 - t - A.x"))]
    motion = particle(stops=walls).simulate(2, max_seconds=2)
    assert motion.stats.end == "out of time" and "what was computed is kept" in motion.outcome
    assert 0.9 < motion.final.t < 1 and len(motion.events) > 20


def test_contradictory_jumps_at_one_time_keep_the_motion():
    events = [lw.Event(name=name, when="A.x - 1/2", then={"A.vx": v}) for name, v in (("one", 1), ("two", -1))]
    with pytest.raises(lw.SolveError, match="'one' and 'two' happen at one time and contradict") as caught:
        particle(events=events).simulate(2)
    assert abs(caught.value.motion.final["A.x"] - 0.5) < 1e-12


# -- long runs --------------------------------------------------------------------------------------------------------


def test_a_file_may_say_which_states_are_kept():
    text = PENDULUM + "SolverParams: {Integration: {every: 0.25}}\n"
    motion = lw.loads(text).simulate(2)
    np.testing.assert_allclose(motion.t, 0.25 * np.arange(9))
    assert len(lw.loads(text).simulate(2, every=1.0).t) == 3
    with pytest.raises(lw.InputError, match="every"):
        lw.loads(PENDULUM + "SolverParams: {Integration: {every: -1}}\n")


@pytest.mark.parametrize("name, end", [("bouncing-ball", 3), ("stick-slip", 6), ("newtons-cradle", 2)])
def test_where_events_act_a_thinned_motion_is_the_same(name, end):
    model = lw.load(f"examples/{name}.yaml")
    whole, thin = model.simulate(end), model.simulate(end, every=end / 7)
    np.testing.assert_allclose(thin.q, whole.at(thin.t).q, atol=1e-9)
    np.testing.assert_allclose(thin.u, whole.at(thin.t).u, atol=1e-7)
    assert [event.name for event in thin.events] == [event.name for event in whole.events]
    last = {key: values[-1] for key, values in whole.losses.items()}
    assert {key: values[-1] for key, values in thin.losses.items()} == pytest.approx(last)
    assert len(thin.t) == 8 and len(whole.t) > 8
    assert model.simulate(end, start=thin.at(float(thin.t[4]))).final.q == pytest.approx(whole.final.q, abs=1e-8)


def test_an_order_that_a_method_does_not_have_is_refused_in_words():
    model = lw.loads(PENDULUM)
    for method in ("rk8", "baumgarte", "hht", "ida"):
        with pytest.raises(lw.InputError, match=f"order is of Taylor series; that of {method} is its own"):
            model.simulate(1, method=method, order=12)
    lw.loads(PENDULUM + "SolverParams: {Integration: {order: 12}}\n").simulate(1, method="rk8")
    with pytest.raises(lw.InputError, match=r"order = 12 is none of radau. Give one of 5, 9, 13,"):
        model.simulate(1, method="radau", order=12)


MEMORY = """
import resource, sys
import linkwork as lw
text = open("pendulum.yaml").read()
model = lw.loads(text)
model.simulate(1, method="rk8", step=1e-4, save="end")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
motion = model.simulate(float(sys.argv[1]), method="rk8", step=1e-4, save="end", max_steps=20_000_000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, motion.stats.steps)
"""


@pytest.mark.long
@POSIX
def test_memory_stays_flat_over_ten_million_steps(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    with child(MEMORY.replace("sys.argv[1]", "'1000'"), tmp_path) as process:
        out, err = process.communicate(timeout=900)
    grown, steps = map(int, out.split())
    assert steps == 10_000_000 and grown < 200_000, err  # kilobytes; all steps would be gigabytes
