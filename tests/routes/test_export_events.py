"""Events of exported programs and units, over tolerances: those that our own runs find, at the same times."""

import math
import subprocess

import numpy as np
import pytest

import linkwork as lw
from exports import build, need
from striking import MODELS as STRIKING
from striking import read_events

G = 10.0
TARGETS = ("c", "python", "fortran", "rust", "matlab", "julia")
MANY = [10 ** (-6 - 7.5 * k / 39) for k in range(40)]
FEW = (1e-6, 3e-8, 1e-10, 2e-13)


def falling(events, e=0.6, end=1.2, **more):
    """Balls A and B of which events do what a floor would."""
    given = {"particles": [lw.Particle(point=p, mass=m) for p, m in (("A", 2), ("B", 3))], "gravity": (0, -G)}
    start = lw.InitialValues(positions={"A": (0, 1), "B": (1, 1)}, velocities={"A": (1, 0), "B": (0, 0)}, tend=end)
    return lw.Model(lw.Mechanism(**{**given, "parameters": {"e": e}, "start": start, "events": events, **more}))


def both_at_once():
    """Two balls strike at one instant, by events of their own."""
    return falling([lw.Event(name=f"hit {p}", when=f"{p}.y", then={f"{p}.vy": f"-e*{p}.vy"}) for p in "AB"])


def counted_both_ways():
    """A ball comes up again through the border through which it has fallen, and each passage is counted."""
    events = [lw.Event(name="hit", when="A.y", direction="falling", then={"A.vy": "-e*A.vy"})]
    events += [lw.Event(name="down", when="A.y - 0.1", direction="falling", then={"n": "n + 1"})]
    events += [
        lw.Event(name="up", when="A.y - 0.1", direction="rising", then={"n": "n + 1"}),
        lw.Event(name="top", when="A.vy"),
    ]
    return falling(events, inputs={"n": 0})


def switched_off_and_on():
    """A force holds a value that comes back to the border at which the force ends: off and on at one instant."""
    events = [lw.Event(name="off", when="x - 1", direction="falling", then={"F": 0, "n": "n + 1"})]
    events += [lw.Event(name="on", when="x - 1", direction="rising", then={"F": "-4 - n/8", "n": "n + 1"})]
    return lw.lagrangian(
        "x", "m*x'**2/2", forces={"x": "F + 3"}, parameters={"m": 1}, inputs={"F": 0, "n": 0}, events=events,
        start={"x": 0, "x'": 0.1}, tend=6, title="held",
    )  # fmt: skip


def glance():
    """A swinging mass passes a border twice within a fraction of a step, over and over."""
    events = [lw.Event(name="in", when="x - 0.9995", direction="rising", then={"n": "n + 1"})]
    events += [lw.Event(name="out", when="x - 0.9995", direction="falling"), lw.Event(name="half", when="x")]
    return lw.lagrangian(
        "x", "x'**2/2 - x**2/2", inputs={"n": 0}, events=events, start={"x": 0, "x'": 1}, tend=30, title="glance"
    )


def at_outputs():
    """Events of time, two at the start, some at the instants of a table."""
    events = [lw.Event(name=f"at {k}", when=f"t - {k}/4", then={"n": f"n + {k + 1}"}) for k in range(9)]
    events.append(lw.Event(name="start", when="x"))
    return lw.lagrangian(
        "x", "x'**2/2", inputs={"n": 0}, events=events, start={"x": 0, "x'": 1}, tend=2.2, title="times"
    )


def sampled_and_set():
    """A controller sets what an event looks at: it happens at an instant of the controller."""
    servo = lw.Sampled("servo", period=0.25, reads=["A.x", "A.vx"], outputs={"F": "-6*A.x - 2*A.vx"})
    events = [lw.Event(name="pushed", when="F - 1", then={"n": "n + 1"}), lw.Event(name="centre", when="A.x")]
    return lw.Model(lw.Mechanism(
        particles=[lw.Particle(point="A", mass=2)], forces=[lw.Force(point="A", components=("F", 0))],
        controllers=[servo], events=events, inputs={"n": 0}, title="set",
        start=lw.InitialValues(positions={"A": (1, 0)}, tend=4),
    ))  # fmt: skip


MADE = {
    f.__name__: (f, None)
    for f in (both_at_once, counted_both_ways, switched_off_and_on, glance, at_outputs, sampled_and_set)
}
MODELS = {"thruster": (None, 12.0), **MADE, **STRIKING}
LOOSE = {"puck": 1e-7, "row of balls": 1e-6}  # the loosest tolerance at which a motion is the same at all


def find_model(name, load_example):
    make, end = MODELS[name]
    model = load_example(name) if make is None else make()
    return model, float(model.mechanism.start.tend if end is None else end)


def run_at(command, folder, target, end, tolerance):
    if target == "matlab":
        name = command[-1]
        command = [*command[:-1], f"{name}('tend', {end}, 'samples', 4, 'tolerance', {tolerance!r});"]
    else:
        command = [*command, "--end", str(end), "--samples", "4", "--tolerance", repr(tolerance)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return read_events(done.stderr)


def check_events(model, folder, target, end, tolerances):
    """Names in the order of time, and times within what the tolerance allows."""
    ours = sorted(model.simulate(end, tol=1e-13).events, key=lambda event: (round(event.t, 4), event.name))
    assert ours
    command = build(folder, target)
    for tolerance in tolerances:
        found = sorted(run_at(command, folder, target, end, tolerance), key=lambda e: (round(e[1], 4), e[0]))
        assert [name for name, _ in found] == [event.name for event in ours], tolerance
        off = np.abs(np.array([t for _, t in found]) - [event.t for event in ours])
        assert np.max(off) <= 1e4 * tolerance + 1e-9, tolerance


CASES = [(target, name) for target in TARGETS for name in MODELS]
QUICK = [("c", name) for name in ("thruster", *MADE)] + [("python", "thruster"), ("python", "both_at_once")]


@pytest.mark.parametrize(("target", "name"), QUICK)
def test_exports_find_the_events_of_our_runs_at_any_tolerance(target, name, load_example, tmp_path):
    model, end = find_model(name, load_example)
    end, tolerances = (end, FEW) if target == "c" else (min(end, 3.0), FEW[:2])
    check_events(model, model.export(target, tmp_path / "x"), target, end, tolerances)


@pytest.mark.long
@pytest.mark.parametrize(("target", "name"), CASES)
def test_all_exports_find_the_events_of_our_runs_at_forty_tolerances(target, name, load_example, tmp_path):
    model, end = find_model(name, load_example)
    loosest, slow = LOOSE.get(name, 1.0), target in ("matlab", "julia")
    tolerances = [x for x in (MANY[::8] if slow else MANY) if x <= loosest]
    check_events(model, model.export(target, tmp_path / "x"), target, min(end, 3.0) if slow else end, tolerances)


@pytest.mark.parametrize("target", ["c", "python", *(pytest.param(t, marks=pytest.mark.long) for t in TARGETS[2:])])
@pytest.mark.parametrize(("e", "floor"), [(0.7, 0), (0.05, 100)])
def test_an_export_whose_event_acts_faster_and_faster_ends_in_a_sentence(target, e, floor, tmp_path):
    hit = lw.Event(name="hit", when=f"A.y - {floor}", then={"A.vy": "-e*A.vy"})
    start = lw.InitialValues(positions={"A": (0, 1 + floor)}, velocities={"A": (1, 0)}, tend=10)
    model = falling([hit], e=e, particles=[lw.Particle(point="A", mass=2)], start=start)
    folder = model.export(target, tmp_path / target)
    done = subprocess.run(build(folder, target), cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "an event acts faster and faster, without end: let a stop do that" in done.stderr


# -- units -----------------------------------------------------------------------------------------------------------


def count_by_unit(model, folder, target, kind, end, tolerance, solver, step, name):
    """What a unit has counted at the end, in FMPy."""
    fmpy = pytest.importorskip("fmpy", reason="units are run with FMPy")
    need("c")
    unit = str(next(model.export(target, folder / target).glob("*.fmu")))
    found = fmpy.simulate_fmu(
        unit, fmi_type=kind, stop_time=end, output_interval=step, relative_tolerance=tolerance, solver=solver,
        output=[name], step_size=step if solver == "Euler" else None,
    )  # fmt: skip
    return float(found[-1][name])


UNITS = [("fmu", "ModelExchange", 1e-7), ("fmu3", "ModelExchange", 1e-9), ("fmu", "CoSimulation", 1e-6)]
UNITS += [("fmu3", "CoSimulation", 1e-9)]


@pytest.mark.needs_compiler
@pytest.mark.parametrize(("target", "kind", "tolerance"), UNITS)
@pytest.mark.parametrize(
    ("name", "count"), [("thruster", "pulses"), ("switched_off_and_on", "n"), ("counted_both_ways", "n")]
)
def test_units_find_the_events_of_our_runs(target, kind, tolerance, name, count, load_example, tmp_path):
    model, end = find_model(name, load_example)
    ours = float(model.simulate(end, tol=1e-13).final[count])
    assert count_by_unit(model, tmp_path, target, kind, end, tolerance, "CVode", end / 20, count) == ours


@pytest.mark.needs_compiler
@pytest.mark.parametrize("target", ["fmu", "fmu3"])
def test_units_find_events_however_crude_the_steps_of_others_are(target, tmp_path):
    model, end = find_model("counted_both_ways", None)
    ours = float(model.simulate(end, tol=1e-13).final["n"])
    assert count_by_unit(model, tmp_path, target, "ModelExchange", end, None, "Euler", 2e-4, "n") == ours


def test_the_time_at_which_bounces_by_an_event_end_is_that_of_the_geometric_series():
    e, height = 0.7, 1.0
    hit = lw.Event(name="hit", when="A.y", then={"A.vy": "-e*A.vy"})
    model = falling([hit], e=e, end=10.0)
    fall = math.sqrt(2 * height / G)
    last = fall + 2 * fall * e / (1 - e)
    for options in ({"tol": 1e-10}, {"tol": 1e-6}, {"method": "rk8"}, {"compiled": False}):
        motion = model.simulate(**options)
        assert "event 'hit' acts faster and faster" in motion.outcome and "Stops" in motion.outcome
        assert last - 1e-5 < motion.final.t < last
        assert abs(motion.final["A"][1]) < 1e-9


def twisting():
    """A mass that two relays pull to a place, switched ever faster by where it is and how it moves."""
    events = [lw.Event(name="passes", when="x", then={"s": "select(x' > 0, 1, -1)"})]
    events.append(lw.Event(name="turns", when="x'", then={"w": "-w"}))
    return lw.lagrangian(
        "x", "x'**2/2", forces={"x": "-3*s - 2*w"}, inputs={"s": 1.0, "w": -1.0}, events=events,
        start={"x": 1, "x'": 0}, tend=20, title="twist",
    )  # fmt: skip


@pytest.mark.parametrize("options", [{"tol": 1e-6}, {"tol": 1e-10}, {"method": "radau"}])
def test_no_passage_is_lost_where_relays_switch_ever_faster(options):
    motion = twisting().simulate(**options)
    # pulled back by 5 or by 1 [m/s^2]: a swing is a fifth of the one before, and its time the root of that
    ratio = 1 / math.sqrt(5)
    assert "acts faster and faster" in motion.outcome
    times = [event.t for event in motion.events if event.name == "passes"]
    np.testing.assert_allclose(np.diff(times)[1:6] / np.diff(times)[:5], ratio, rtol=1e-4)
    assert abs(motion.final["x"]) < 1e-9 and len(times) > 10


@pytest.mark.needs_compiler
def test_an_exported_program_ends_where_relays_switch_ever_faster(tmp_path):
    folder = twisting().export("c", tmp_path / "c")
    done = subprocess.run(build(folder, "c"), cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "acts faster and faster" in done.stderr
    assert len(done.stderr.splitlines()) > 20
