"""Stops, friction that sticks and constraints that go on and off, exported: the motions and events of our own runs."""

import subprocess

import numpy as np
import pytest

from exports import build, compare, need, stem, tell
from striking import MODELS, ball, read_events


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
QUICK += [("c", "crank beyond dead centres"), ("fortran", "friction under a driver")]
QUICK += [("python", "friction under a driver from rest")]
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
