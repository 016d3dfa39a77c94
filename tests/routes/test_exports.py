"""What is exported is what runs: source code built and run by itself against our own motions and equations."""

import os
import subprocess
import sys

import numpy as np
import pytest

import linkwork as lw
from exports import build, compare, need, run
from known.satellite import slewing

PROGRAMS = ["c", "fortran", "python"]


@pytest.fixture
def export(tmp_path):
    def make(model, target, **options):
        return model.export(target, tmp_path / target, **options)

    return make


@pytest.mark.parametrize("target", PROGRAMS)
@pytest.mark.parametrize("name", ["slider-crank", "andrews"])
def test_exported_code_reproduces_our_run(load_example, export, name, target):
    model = load_example(name)
    compare(model, export(model, target), target, "--samples", 20)


@pytest.mark.parametrize(
    ("name", "makers"),
    [
        ("slider-crank", {"a", "b", "w"}),
        ("bouncing-balls", set()),
        ("thruster", {"q0", "u0", "w"}),
        ("hydraulic-boom", {"l"}),
    ],
)
def test_parameters_that_make_the_start_are_told(load_example, export, name, makers):
    lines = (export(load_example(name), "c") / "parameters.txt").read_text().splitlines()
    assert {line.split(" = ")[0] for line in lines if line.endswith("makes the start, too")} == makers


@pytest.mark.parametrize("target", ["rust", "matlab"])
def test_exported_rust_and_octave_reproduce_our_run(load_example, export, target):
    model = load_example("slider-crank")
    compare(model, export(model, target), target, "--samples", 4)


@pytest.mark.parametrize("target", ["c", "fortran", pytest.param("matlab", marks=pytest.mark.long)])
def test_curves_are_exported_as_tables(load_example, export, target):
    model = load_example("driven-crank-with-damper")
    tend = ("--tend", 0.4) if target == "matlab" else ()  # Octave takes its time
    compare(model, export(model, target), target, "--samples", 4, *tend)


@pytest.mark.parametrize("name", ["gyroscope", "inverted-pendulum", "cart-pole", "double-pendulum-3d"])
def test_exported_c_reproduces_runs_of_bodies_controllers_and_lagrangians(load_example, export, name):
    model = load_example(name)
    compare(model, export(model, "c"), "c", "--samples", 10)


@pytest.mark.parametrize("name", ["bennett", "parallelogram"])
def test_constraints_that_follow_from_others_stay_closed_in_exports(load_example, export, name):
    # whichever of them could be left out at the start, elsewhere it may be the one that is needed
    model = load_example(name)
    compare(model, export(model, "c"), "c", "--samples", 10, multipliers=False)


@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize("name", ["bennett", "bricard", "sarrus", "cardan-shaft"])
def test_rates_are_right_where_constraints_of_all_sizes_follow_from_others(load_example, name, formulation):
    model = load_example(name).formulated(formulation)
    f, motion = model.rhs(compiled=False), model.simulate(1e-9)
    a = f(0.0, f.start)[-len(f.start) // 2 :]
    named = {name.removesuffix("'"): i for i, name in enumerate(f.names[-len(a) :])}
    shared = [name for name in motion.system.coordinates if name in named]
    ours = dict(zip(motion.system.coordinates, motion.at(0.0).a, strict=True))
    found, wanted = [a[named[name]] for name in shared], [ours[name] for name in shared]
    assert shared or formulation != "points"
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * (1 + np.abs(wanted).max(initial=0.0)))


@pytest.mark.long
@pytest.mark.parametrize("formulation", ["points", "absolute", "tree"])
@pytest.mark.parametrize("name", ["bennett", "bricard", "sarrus", "cardan-shaft"])
def test_overconstrained_machines_move_as_ours_wherever_they_go(load_example, export, name, formulation):
    model = load_example(name).formulated(formulation)
    arguments = "--end", 2.0, "--samples", 10, "--tolerance", 1e-11
    compare(model, export(model, "c"), "c", *arguments, multipliers=False, bound=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("name", ["bicycle", "governor", "andrews-bodies", "bushings"])
def test_exported_c_reproduces_runs_of_larger_machines(load_example, export, name):
    model = load_example(name)
    compare(model, export(model, "c"), "c", "--samples", 10, method="taylor")


def test_changed_parameters_move_the_exported_model_as_they_move_ours(load_example, export):
    model = load_example("slider-crank")
    folder = export(model, "python")
    (folder / "parameters.txt").write_text("F = 150  # less gas\n\nM=1.5\n")
    compare(model.with_parameters(F=150, M=1.5), folder, "python", "parameters.txt", "--samples", 5)


@pytest.mark.parametrize("target", PROGRAMS)
def test_a_mass_that_becomes_zero_is_refused_since_the_equations_would_be_others(load_example, export, target):
    folder = export(load_example("slider-crank"), target)
    (folder / "parameters.txt").write_text("M = 0\n")
    done = subprocess.run([*build(folder, target), "parameters.txt"], cwd=folder, capture_output=True, text=True)
    assert done.returncode != 0 and "the equations are others then" in done.stderr


@pytest.mark.parametrize("target", PROGRAMS)
@pytest.mark.parametrize("line", ["mB = -85", "IFyy = 0", "IByy = 1e-12", "rF = -0.3"])
def test_programs_refuse_values_that_their_equations_do_not_hold_for(load_example, export, target, line):
    folder = export(load_example("bicycle"), target)
    (folder / "parameters.txt").write_text(line + "\n")
    command = [*build(folder, target), "parameters.txt", "--end", "0.1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert (done.returncode != 0, done.stdout) == (True, "") and "the equations are others then" in done.stderr


def test_outputs_follow_the_parameters(export):
    text = """
Title: swing
PhysicalParams: {a: 0.3, b: 1, m: 1}
Dimension: 2
PartData:
  Fixed: {O: [a, a]}
  Rigids: {OA: {Geom: [[b]], Dyna: [[b/2], m]}}
AppliedForces: {Gravity: }
Variables: {far: A.x - O.x, turned: OA.angle}
ProblemData: {tend: 0.2, positions: {A: [a + b, a]}}
"""
    model = lw.loads(text)
    folder = export(model, "python")
    (folder / "parameters.txt").write_text("a = 0.5\nb = 1.5\n")
    names, table = run(folder, "python", "parameters.txt", "--samples", 2)
    ours = model.with_parameters(a=0.5, b=1.5).simulate(0.2, tol=1e-12).at(table[:, 0])
    # the start differs: what is compared are the outputs of the exported states
    places = {name: table[:, names.index(name)] for name in ("Ax", "Ay", "far", "turned")}
    assert ours.t[-1] == table[-1, 0]
    np.testing.assert_allclose(places["far"], places["Ax"] - 0.5, atol=1e-12)
    np.testing.assert_allclose(places["turned"], np.arctan2(places["Ay"] - 0.5, places["Ax"] - 0.5), atol=1e-12)


def test_text_is_the_same_from_processes_with_other_hashes(examples, tmp_path):
    texts = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        command = [sys.executable, "-m", "linkwork", "export", str(examples / "andrews.yaml"), "-o", str(folder)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True)
        texts.append({path.name: path.read_text() for path in folder.iterdir()})
    assert texts[0] == texts[1]


def test_exported_c_is_clean_under_sanitizers(load_example, export):
    folder = export(load_example("slider-crank"), "c")
    flags = "CFLAGS=-O1 -g -std=c99 -fsanitize=address,undefined -fno-sanitize-recover=all"
    done = subprocess.run(["make", "-s", flags, f"CC={need('c')}"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(["./slider_crank", "parameters.txt"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("target", [*PROGRAMS, "julia"])
def test_an_exported_program_ends_in_words(load_example, export, target):
    folder = export(load_example("four-bar"), target)
    (folder / "wrong.txt").write_text("mass = 1\n")
    command = build(folder, target)
    for arguments, words in ((["wrong.txt"], "no parameter named mass"), (["none.txt"], "cannot read none.txt")):
        done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True)
        assert done.returncode != 0 and words in done.stderr


def test_steps_of_a_given_length_have_order_four(load_example, export):
    model = load_example("four-bar")
    folder = export(model, "python")
    ends = [run(folder, "python", "--end", 0.5, "--samples", 1, "--step", h)[1][-1, 1] for h in (0.01, 0.005, 0.0025)]
    ratio = (ends[0] - ends[1]) / (ends[1] - ends[2])
    assert 12 < ratio < 20


# -- events that act ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:body 'B'. no body has this inertia")
@pytest.mark.parametrize(("target", "end"), [("c", 30), ("fortran", 30), ("python", 2)])
def test_exported_thrusters_fire_as_ours_do(export, target, end):
    model = slewing()
    names, table = run(export(model, target), target, "--end", end, "--samples", 20)
    seen = model.simulate(end, tol=1e-13).at(table[:, 0])
    exact = [f"{word}{k}" for word in ("pulses", "fire") for k in (1, 2, 3)]
    for name in [*(f"{x}{i}" for x in "qu" for i in range(1, 11)), *exact]:
        np.testing.assert_allclose(table[:, names.index(name)], seen[name], rtol=0, atol=0 if name in exact else 1e-10)
    assert end < 30 or [table[-1, names.index(f"pulses{k}")] for k in (1, 2, 3)] == [17, 134, 6]


def falling_ball():
    then = {"y'": "-e*y'", "hits": "hits + 1", "s": "s/2"}
    return lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*y", parameters={"m": 2, "g": 9.81, "e": 0.8}, inputs={"hits": 0},
        states={"s": "abs(y')"}, start={"y": 1, "x'": 0.5}, tend=1.5,
        events=[lw.Event(name="bounce", when="y", direction="falling", then=then)],
    )  # fmt: skip


@pytest.mark.parametrize("target", [*PROGRAMS, "rust", "matlab", "julia"])
def test_speeds_states_and_inputs_jump_in_exports_as_in_ours(export, target):
    model = falling_ball()
    folder = export(model, target)
    names, table = compare(model, folder, target, "--samples", 15)
    assert table[-1, names.index("hits")] == model.simulate(1.5).final["hits"] == 2


def test_speeds_jump_along_the_constraints_in_exports_too(export):
    # a rod on a pivot, held in two coordinates by its length, is pushed when it passes below
    model = lw.lagrangian(
        "x y", "m*(x'**2 + y'**2)/2 - m*g*y", constraints={"rod": "x**2 + y**2 - l**2"}, start={"x": 1, "y": 0},
        parameters={"m": 2, "l": 1, "g": 9.81}, tend=1.5,
        events=[lw.Event(name="push", when="x", then={"x'": "x' + 0.5*sign(x')"})],
    )  # fmt: skip
    compare(model, export(model, "c"), "c", "--samples", 15)


def test_an_exported_machine_with_thruster_and_fuel_runs_as_ours(load_example, export):
    model = load_example("thruster")
    compare(model, export(model, "c"), "c", "--samples", 10)


def test_events_that_set_off_each_other_end_in_words(export):
    model = lw.lagrangian(
        "x", "x'**2/2", start={"x'": 1}, inputs={"w": 0}, tend=2,
        events=[
            lw.Event(name="on", when="x - 1 + w", direction="rising", then={"w": "-1 - w"}),
            lw.Event(name="off", when="x - 1 + w", direction="falling", then={"w": "1 - w"}),
        ],
    )  # fmt: skip
    for target in ("c", "python", "rust"):
        folder = export(model, target)
        done = subprocess.run(build(folder, target), cwd=folder, capture_output=True, text=True)
        assert done.returncode != 0 and "events set off each other without end" in done.stderr


@pytest.mark.parametrize("target", ["c", "fortran"])
def test_models_without_parameters_are_built_and_run_by_make(export, target):
    """With variables whose names are words of the languages."""
    forces = {"double": "-end", "end": "-lambda - double", "lambda": "-double*lambda"}
    energy = "(double'**2 + end'**2 + lambda'**2)/2"
    model = lw.lagrangian("double end lambda", energy, forces=forces, start={"double": 1, "lambda": 0.1}, title="end")
    folder = export(model, target)
    compare(model, folder, target, "--samples", 5)
    done = subprocess.run(["make", "-s", "run"], cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert (folder / "motion.csv").read_text().replace("'", "").startswith('t,"double","end","lambda","double"')


@pytest.mark.parametrize(
    ("title", "target"),
    [
        *((name, "c") for name in ("integrate", "external", "system", "Makefile", "FILE", "fgets", "settings")),
        *((name, "python") for name in ("motion", "main", "csv", "types", "argparse")),
        *((name, "fortran") for name in ("jacobian", "modes", "spring", "trim", "huge")),
        *((name, "matlab") for name in ("zeros", "numel")),
    ],
)
def test_a_title_is_no_word_that_the_program_has_already(tmp_path, title, target):
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "-2*x"}, start={"x": 1}, tend=0.1, title=title)
    folder = model.export(target, tmp_path / "o", jacobian=True)
    compare(model, folder, target, "--samples", 2)


@pytest.mark.parametrize("target", ["c", "fortran"])
def test_a_title_may_be_that_of_an_opaque_function(tmp_path, target, functions_stay_in_their_test):
    lw.function("spring", lambda x: -x, opaque=True)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "spring(x)"}, start={"x": 1}, tend=0.1, title="spring")
    build(model.export(target, tmp_path / "o"), target)


def test_the_page_of_an_export_says_what_entries_of_poses_are(load_example, tmp_path):
    folder = load_example("bicycle").formulated("tree").export("python", tmp_path / "o")
    told = (folder / "README.md").read_text()
    assert "| `rear.r01` | 10 |" in told and "| component along x of its y axis (rotation matrix) |" in told
    for words in ("m | place of its mass centre", "rad | angle of its joint", "rad/s | spin about its own y axis"):
        assert words in told


@pytest.mark.parametrize("target", ["fortran", "python"])
def test_powers_with_negative_exponents_that_are_no_integers(export, target):
    model = lw.lagrangian("x", "x'**2/2 - 1/(2 + x**2)**0.75", forces={"x": "-abs(x)**-0.3"}, start={"x": 1}, tend=0.3)
    compare(model, export(model, target), target, "--samples", 3)


@pytest.mark.parametrize("target", [*PROGRAMS, "rust", "matlab", "julia"])
def test_long_products_go_on_in_lines_that_all_languages_read(export, target):
    names = [f"{word}_of_the_{place}_spring" for word in ("stiffness", "length") for place in ("first", "second")]
    model = lw.lagrangian(
        "x",
        "x'**2/2",
        forces={"x": f"-{'*'.join(names)}*x"},
        parameters=dict.fromkeys(names, 2),
        start={"x": 1},
        tend=0.3,
    )
    folder = export(model, target)
    assert not any(
        line.rstrip(" &.").endswith("=") for p in folder.glob("model.*") for line in p.read_text().split("\n")
    )
    compare(model, folder, target, "--samples", 3)


@pytest.mark.parametrize(("title", "name"), [("", "model"), ("Title: Falling stone\n", "Falling_stone")])
def test_a_text_without_a_file_is_exported_by_its_title(tmp_path, title, name):
    model = lw.loads(title + "PartData: {Particles: {A: 1}}\nAppliedForces: {Gravity: }\n")
    folder = model.export("c", tmp_path / "o")
    assert (folder / f"{name}.c").exists() and "<text>" not in (folder / "README.md").read_text()
    for file in ("README.md", f"{name}.c", f"{name}.h"):
        assert "written by linkwork. " in (folder / file).read_text()
