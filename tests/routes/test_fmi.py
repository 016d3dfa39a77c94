"""Functional mock-up units: valid for FMPy, and the motion that it makes with them is ours."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

fmpy = pytest.importorskip("fmpy", reason="units are checked with FMPy")
pytestmark = pytest.mark.needs_compiler


def make(model, target, folder):
    place = model.export(target, folder / target)
    return str(next(place.glob("*.fmu")))


def simulate(unit, kind, end, outputs, **more):
    """A motion by FMPy: a structured array."""
    return fmpy.simulate_fmu(
        unit, fmi_type=kind, stop_time=end, relative_tolerance=1e-10, output_interval=end / 10, output=outputs, **more
    )


@pytest.mark.parametrize("target", ["fmu", "fmu3"])
def test_a_unit_is_valid_and_moves_as_we_do(load_example, tmp_path, target):
    from fmpy.validation import validate_fmu

    model = load_example("slider-crank")
    unit = make(model, target, tmp_path)
    assert validate_fmu(unit) == []
    ours = model.simulate(0.3, tol=1e-13)
    for kind, bound in (("CoSimulation", 1e-8), ("ModelExchange", 2e-4)):
        found = simulate(unit, kind, 0.3, ["Ax", "Bx", "OA", "lam_l_AB"])
        state = ours.at(found["time"])
        np.testing.assert_allclose(found["Ax"], state["Ax"], atol=bound * 0.1)
        np.testing.assert_allclose(found["OA"], state["OA"], atol=bound * 10)
        # where the gas begins to push forces jump, and units show both sides
        off = np.abs(found["lam_l_AB"] - state.lam[:, 2])
        assert np.median(off) <= bound * 100


def test_parameters_and_inputs_of_a_unit_move_it(tmp_path):
    push = lw.lagrangian(
        "x",
        "m*x'**2/2",
        forces={"x": "F"},
        parameters={"m": 2},
        inputs={"F": 0.0},
        start={"x": 0},
        tend=1,
        title="cart",
    )
    unit = make(push, "fmu", tmp_path)
    steps = np.array([(0.0, 3.0), (2.0, 3.0)], dtype=[("time", float), ("F", float)])
    found = simulate(unit, "CoSimulation", 1.0, ["x", "x'"], start_values={"m": 4.0, "x": 1.0}, input=steps)
    np.testing.assert_allclose(found["x"][-1], 1 + 3 / 4 / 2, rtol=1e-9)
    np.testing.assert_allclose(found["x'"][-1], 3 / 4, rtol=1e-9)


def test_a_unit_is_the_same_whenever_it_is_made(load_example, tmp_path):
    model = load_example("four-bar")
    (tmp_path / "again").mkdir()
    one, other = (Path(make(model, "fmu3", folder)).read_bytes() for folder in (tmp_path, tmp_path / "again"))
    assert one == other


def test_without_a_compiler_a_unit_has_its_sources(load_example, tmp_path, monkeypatch):
    from zipfile import ZipFile

    from linkwork.export import fmu

    monkeypatch.setattr(fmu, "find_compiler", lambda: None)
    unit = make(load_example("four-bar"), "fmu", tmp_path)
    names = ZipFile(unit).namelist()
    assert "sources/four_bar.c" in names and not any(name.startswith("binaries") for name in names)
    assert re.search("no library", (tmp_path / "fmu" / "README.md").read_text())


def bouncing():
    then = {"y'": "-e*y'", "hits": "hits + 1", "s": "s/2"}
    return lw.lagrangian(
        "y", "m*y'**2/2 - m*g*y", parameters={"m": 2, "g": 9.81, "e": 0.8}, inputs={"hits": 0},
        states={"s": "abs(y')"}, start={"y": 1}, tend=1.5, title="ball",
        events=[lw.Event(name="bounce", when="y", direction="falling", then=then)],
    )  # fmt: skip


def thrown():
    """A block is thrown against a wall, comes back, is braked, and pulled off again."""
    rub = lw.Friction(name="rub", speed="x'", limit="mu*m*g")
    wall = lw.Stop(name="wall", gap="1 - x", restitution=0.5)
    return lw.lagrangian(
        "x", "m*x'**2/2", forces={"x": "F*t"}, parameters={"m": 2, "mu": 0.3, "g": 9.81, "F": -2}, stops=[wall],
        frictions=[rub], start={"x'": 4}, tend=5, title="block",
    )  # fmt: skip


@pytest.mark.parametrize("target", ["fmu", "fmu3"])
def test_events_act_in_units_as_in_our_runs(tmp_path, target):
    from fmpy.validation import validate_fmu

    model = bouncing()
    unit = make(model, target, tmp_path)
    assert validate_fmu(unit) == []
    ours = model.simulate(1.5, tol=1e-13)
    for kind, bound in (("CoSimulation", 1e-8), ("ModelExchange", 1e-5)):
        found = simulate(unit, kind, 1.5, ["y", "y'", "s", "hits"], record_events=False)
        state = ours.at(found["time"])
        for name in ("y", "y'", "s"):
            np.testing.assert_allclose(found[name], state[name], atol=bound)
        np.testing.assert_array_equal(found["hits"], state["hits"])
        assert found["hits"][-1] == 2


@pytest.mark.parametrize("target", ["fmu", "fmu3"])
@pytest.mark.parametrize("make_model", [bouncing, thrown])
def test_the_sources_of_a_unit_compile_without_warnings(tmp_path, target, make_model):
    import subprocess
    from zipfile import ZipFile

    from linkwork.native import find_compiler

    ZipFile(make(make_model(), target, tmp_path)).extractall(tmp_path / "unit")
    sources = tmp_path / "unit" / "sources"
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-c"]
    command = [*find_compiler(), *flags, *(p.name for p in sources.glob("*.c"))]
    done = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("target", ["fmu", "fmu3"])
def test_sampled_controllers_by_formulas_work_in_units(load_example, tmp_path, target):
    from fmpy.validation import validate_fmu

    model = load_example("sampled-servo")
    unit = make(model, target, tmp_path)
    assert validate_fmu(unit) == []
    # samples between the instants
    ours = model.simulate(0.52, tol=1e-13)
    for kind, bound in (("CoSimulation", 1e-6), ("ModelExchange", 1e-4)):
        found = fmpy.simulate_fmu(
            unit, fmi_type=kind, stop_time=0.52, relative_tolerance=1e-10, output_interval=0.013,
            output=["Ax", "tau", "sum"], record_events=False,
        )  # fmt: skip
        within = abs(found["time"] * 1000 % 5 - 2.5) < 2
        state = ours.at(found["time"][within])
        for name in ("Ax", "tau", "sum"):
            np.testing.assert_allclose(found[name][within], state[name], atol=bound)


def test_what_a_function_controls_is_an_input_of_a_unit(tmp_path):
    one = lw.Sampled("see", period=0.1, delay=1, reads=["A.x"], sets=["F"], call=lambda t, x: -x)
    model = lw.Model(
        lw.Mechanism(
            particles=[lw.Particle(point="A", mass=2)], forces=[lw.Force(point="A", components=("F", 0))],
            controllers=[one], start=lw.InitialValues(positions={"A": (1, 0)}, tend=1),
        )
    )  # fmt: skip
    unit = make(model, "fmu", tmp_path)
    kinds = {v.name: v.causality for v in fmpy.read_model_description(unit).modelVariables}
    assert kinds["F"] == "input" and kinds["see reads A.x"] == "output" and "see_count" not in kinds
    push = np.array([(0.0, 4.0), (1.0, 4.0)], dtype=[("time", float), ("F", float)])
    found = simulate(unit, "CoSimulation", 1.0, ["see reads A.x"], input=push)
    np.testing.assert_allclose(found["see reads A.x"][-1], 1 + 4 / 2 / 2, rtol=1e-9)


@pytest.mark.parametrize("target", ["fmu", pytest.param("fmu3", marks=pytest.mark.long)])
def test_stops_and_friction_work_in_units(tmp_path, target):
    from fmpy.validation import validate_fmu

    model = thrown()
    ours = model.simulate(5, tol=1e-13)
    assert [event.name for event in ours.events] == ["wall", "rub: sticks", "rub: slips"]
    unit = make(model, target, tmp_path)
    assert validate_fmu(unit) == []
    for kind, bound in (("CoSimulation", 1e-8), ("ModelExchange", 1e-6)):
        names = ["x", "x'", "rub_sliding", "lam_friction_rub"]
        found = simulate(unit, kind, 5, names, record_events=False)
        state = ours.at(found["time"])
        for name, wanted in (("x", state["x"]), ("x'", state["x'"]), ("lam_friction_rub", state.lam[:, 1])):
            np.testing.assert_allclose(found[name], wanted, atol=bound)
        assert [*found["rub_sliding"]] == [*state["rub_sliding"]]


@pytest.mark.parametrize("target", ["fmu", "fmu3"])
def test_variables_tell_their_units_and_what_these_are_made_of(tmp_path, target):
    """As the laws of the mechanism tell them: a spring of k N/m, a moment in N.m, rates by time."""
    spring = "m*x'**2/2 - k*x**2/2 + J*a'**2/2"
    model = lw.lagrangian(
        "x a",
        spring,
        parameters={"m": 2, "k": 50, "J": 1, "c": 3},
        forces={"a": "tau - c*a'"},
        inputs={"tau": 0},
        units={"x": "m", "a": "rad", "m": "kg", "tau": "N*m"},
    )
    told = fmpy.read_model_description(make(model, target, tmp_path))
    units = {v.name: v.unit for v in told.modelVariables}
    wanted = {"x": "m", "x'": "m/s", "der(x')": "m/s2", "der(a)": "rad/s", "m": "kg", "k": "N/m", "tau": "N.m"}
    assert {name: units[name] for name in wanted} == wanted
    bases = {u.name: u.baseUnit for u in told.unitDefinitions}
    assert {*units.values()} - {None} <= bases.keys()
    assert (bases["N.m"].kg, bases["N.m"].m, bases["N.m"].s) == (1, 2, -2)
