"""Stops, friction that sticks and constraints that go on and off, exported: the motions and events of our own runs."""

import math
import subprocess
from itertools import pairwise

import numpy as np
import pytest

import linkwork as lw
from exports import build, compare, need, stem, tell

G = 10.0


def particle(**more):
    """A particle A of 2 kg in the plane, thrown over a floor."""
    given = {"particles": [lw.Particle(point="A", mass=2)], "gravity": (0, -G)}
    start = lw.InitialValues(positions={"A": (0, 1)}, velocities={"A": (1, 0)})
    return lw.Model(lw.Mechanism(**{**given, "start": start, **more}))


def ball():
    """It bounces until it rests."""
    return particle(parameters={"e": 0.6}, stops=[lw.Stop(name="floor", gap="A.y", restitution="e")])


def block(force="0", speed=0.0, limit="4", hold=None):
    """A block of 2 kg on a rail, with friction and a force along it."""
    rub = lw.Friction(name="dry", speed="A.vx", limit=limit, hold=hold)
    return lw.Model(lw.Mechanism(
        particles=[lw.Particle(point="A", mass=2)], relations=[lw.Relation(name="rail", formula="A.y")],
        forces=[lw.Force(point="A", components=(force, 0))], frictions=[rub],
        start=lw.InitialValues(positions={"A": (0, 0)}, velocities={"A": (speed, 0)}),
    ))  # fmt: skip


def pendulum():
    """Between a peg and its turning point."""
    return lw.Model(lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1.5, 0)], particles=[lw.Particle(point="A", mass=1)],
        gravity=(0, -G), stops=[lw.Stop(name="peg", gap="OA.angle + pi/2 + 0.3", restitution=0.9)],
        start=lw.InitialValues(positions={"A": (1.5 * math.sin(1), -1.5 * math.cos(1))}),
    ))  # fmt: skip


def counted():
    """A ball whose bounces are counted where it comes up again."""
    up = lw.Event(name="up", when="A.y", direction="rising", then={"count": "count + 1"})
    floor = lw.Stop(name="floor", gap="A.y", restitution=0.6)
    return particle(stops=[floor], events=[up], inputs={"count": 0})


def row_of_balls():
    """Two balls run into three that touch."""
    names, gap = "ABCDE", 0.1
    stops = [lw.Stop(name=a + b, gap=f"{b}.x - {a}.x - d", restitution=1) for a, b in pairwise(names)]
    positions = {name: (gap * i - (0.2 if i < 2 else 0.0), 0) for i, name in enumerate(names)}
    start = lw.InitialValues(positions=positions, velocities=dict.fromkeys("AB", (1, 0)))
    balls = [lw.Particle(point=name, mass=1.5) for name in names]
    return lw.Model(lw.Mechanism(parameters={"d": gap}, particles=balls, stops=stops, start=start))


def catcher():
    """A falls into a cup, which lets it go again where it comes back."""
    cup = [lw.Relation(name=f"cup_{x}", formula=f"A.{x} - B.{x}", active=False) for x in "xy"]
    catch = lw.Event(name="catch", when="A.y - B.y", direction="falling", on=["cup_x", "cup_y"], then={"held": 1})
    drop = lw.Event(name="drop", when="B.vy + 6.1", direction="falling", off=["cup_x", "cup_y"], then={"A.vx": "0.5"})
    start = lw.InitialValues(positions={"A": (0, 2), "B": (0, 0)}, velocities={"A": (0, -1), "B": (0, 3)})
    particles = [lw.Particle(point="A", mass=1), lw.Particle(point="B", mass=3)]
    return lw.Model(lw.Mechanism(
        particles=particles, gravity=(0, -G), relations=cup, events=[catch, drop], inputs={"held": 0}, start=start,
    ))  # fmt: skip


def ratchet():
    """A wheel that a pawl lets turn one way only."""
    return lw.Model(lw.Mechanism(
        fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", 1, 3)], torques=[lw.Torque(part="OA", value="cos(t) + 0.2")],
        stops=[lw.Stop(name="pawl", speed="OA.omega")], start=lw.InitialValues(positions={"A": (1, 0)}),
    ))  # fmt: skip


def puck():
    """Thrown across an incline it turns downhill, and stops."""
    rub = lw.Friction(name="rub", speed=["x'", "y'"], limit="mu*m*g*c")
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*s*y", parameters={"m": 2, "g": 10, "s": 0.3, "c": 0.95, "mu": 0.5},
        frictions=[rub], start={"x'": 2, "y'": 1}, tend=1.5, title="puck",
    )  # fmt: skip


MODELS = {
    "ball": (ball, 3),
    "block that stops": (lambda: block(speed=3.0), 4),
    "block that breaks loose": (lambda: block(force="2*t", limit="3", hold="5"), 4),
    "block on a spring": (lambda: block(force="-8*A.x + 9", limit="1.1"), 12),
    "pendulum": (pendulum, 8),
    "counted": (counted, 1.6),
    "row of balls": (row_of_balls, 1),
    "catcher": (catcher, 1.5),
    "ratchet": (ratchet, 7),
    "puck": (puck, 1.5),
}


# what it says where there is no screen, and on its way out
OCTAVE = ("octave: ", "error: ignoring const execution_exception& while preparing to exit")


def read_events(text):
    """Names and times as programs tell them."""
    found = []
    for line in text.splitlines():
        if not line.startswith("t = "):
            assert line.startswith(OCTAVE), line
            continue
        time, _, name = line.removeprefix("t = ").partition(": ")
        found.append((name.strip(), float(time)))
    return sorted(found, key=lambda event: (round(event[1], 7), event[0]))


def check(model, folder, target, end, samples=30, bound=1e-10):
    """States at every sample, and events by name and time."""
    compare(model, folder, target, "--end", end, "--samples", samples, bound=bound)
    found = read_events(tell(folder, target, "--end", end).stderr)
    ours = [(event.name, event.t) for event in model.simulate(end, tol=1e-13).events]
    ours = sorted(ours, key=lambda event: (round(event[1], 7), event[0]))
    assert [name for name, _ in found] == [name for name, _ in ours]
    np.testing.assert_allclose([t for _, t in found], [t for _, t in ours], rtol=0, atol=1e-9)


def shorten(cases, quick):
    """All cases, of which only these are not long."""
    return [pytest.param(*case, marks=() if case in quick else pytest.mark.long) for case in cases]


CASES = [(target, name) for target in ("c", "python", "fortran", "rust", "matlab", "julia") for name in MODELS]
QUICK = [("c", "ball"), ("c", "catcher"), ("python", "block that breaks loose"), ("fortran", "ball")]
QUICK += [
    ("rust", "catcher"),
    ("matlab", "block that stops"),
    ("julia", "catcher"),
    ("julia", "block that breaks loose"),
]


@pytest.mark.parametrize(("target", "name"), shorten(CASES, QUICK))
def test_exported_code_strikes_sticks_and_switches_as_ours_does(target, name, tmp_path):
    make, end = MODELS[name]
    model = make()
    check(model, model.export(target, tmp_path / target), target, end)


EXAMPLES = {
    "c": [("newtons-cradle", 6), ("stick-slip", 5), ("brake-shoe", 0.4)],
    "python": [("newtons-cradle", 1.8), ("stick-slip", 2), ("brake-shoe", 0.4)],
    "fortran": [("newtons-cradle", 6), ("stick-slip", 5), ("brake-shoe", 0.4)],
    "rust": [("newtons-cradle", 6), ("stick-slip", 5), ("brake-shoe", 0.4)],
    "matlab": [("newtons-cradle", 0.6), ("stick-slip", 1), ("brake-shoe", 0.02)],
    "julia": [("newtons-cradle", 0.6), ("stick-slip", 1), ("brake-shoe", 0.02)],
}


@pytest.mark.parametrize(
    ("target", "name", "end"),
    shorten([(target, *case) for target, cases in EXAMPLES.items() for case in cases], [("c", "brake-shoe", 0.4)]),
)
def test_exported_examples_strike_and_stick_as_ours_do(load_example, target, name, end, tmp_path):
    model = load_example(name)
    check(model, model.export(target, tmp_path / target), target, end)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.long
def test_exported_c_that_strikes_and_sticks_is_clean_under_sanitizers(name, tmp_path):
    make, end = MODELS[name]
    folder = make().export("c", tmp_path / "c")
    flags = "CFLAGS=-O1 -g -std=c99 -Wall -Wextra -pedantic -fsanitize=address,undefined -fno-sanitize-recover=all"
    done = subprocess.run(["make", "-s", flags, f"CC={need('c')}"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    command = [f"./{stem(folder)}", "--end", str(end)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and all(line.startswith("t = ") for line in done.stderr.splitlines())


@pytest.mark.parametrize(
    "target", ["python", "julia", *(pytest.param(t, marks=pytest.mark.long) for t in ("c", "fortran"))]
)
def test_a_restitution_beyond_one_ends_an_exported_run_in_words(target, tmp_path):
    folder = ball().export(target, tmp_path / target)
    (folder / "parameters.txt").write_text("e = 1.5\n")
    done = subprocess.run([*build(folder, target), "parameters.txt"], cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "a restitution is not between 0 and 1" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("target", ["fmu", "fmu3"])
@pytest.mark.parametrize("name", MODELS)
def test_whoever_integrates_a_unit_strikes_sticks_and_switches_as_we_do(tmp_path, name, target):
    fmpy = pytest.importorskip("fmpy", reason="units are checked with FMPy")
    from fmpy.validation import validate_fmu

    make, end = MODELS[name]
    model = make()
    unit, names = str(next(model.export(target, tmp_path / "unit").glob("*.fmu"))), list(model.whole.coordinates)
    assert validate_fmu(unit) == []
    found = fmpy.simulate_fmu(
        unit, fmi_type="ModelExchange", stop_time=float(end), relative_tolerance=1e-10, output_interval=end / 10,
        output=names,
    )  # fmt: skip
    state = model.simulate(float(end), tol=1e-13).at(found["time"])
    for i, coordinate in enumerate(names):
        np.testing.assert_allclose(found[coordinate], state.q[:, i], atol=1e-6)
