"""Printed equations say what runs: text parsed again and SymPy scripts give the accelerations of the machine."""

import importlib.util
import inspect
import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork as lw
from linkwork.analysis.printed.equations import Equations
from linkwork.model import Driver, Mechanism, Particle, Rigid, Table, Torque
from linkwork.model.contact import _damping_curve
from linkwork.native.numbers import compute_energy, compute_levels, compute_matrices, compute_residual
from linkwork.pipeline import Model
from linkwork.symbolic import evaluate, lookup, sin
from linkwork.symbolic.parse import MAX_DEPTH, MAX_LENGTH
from printed import read, solve, unknown_names, value

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
LAGRANGIANS = ("bead_on_hoop", "car_axis", "chaplygin_sleigh", "pendula", "rolling_disc", "spherical_pendulum")
SCRIPTED = (
    *("andrews", "mechanism0", "mechanism1a", "slider-crank", "driven-crank-with-damper", "gyroscope"),
    pytest.param("spatial-four-bar", marks=pytest.mark.long),
)


def moving_states(assembly):
    """The native code at a random step of each phase: equations, t, q, u, and accelerations and multipliers there."""
    tend = assembly.mechanism.start.tend
    motion = assembly.simulate(1.0 if tend is None else min(assembly.mechanism.compute(tend), 1.0), tol=1e-12)
    for phase in motion.phases:
        i = int(np.random.default_rng(len(phase.t)).integers(1, len(phase.t)))
        equations = Equations(phase.system) if motion.breaks else assembly.equations()
        yield equations, phase.t[i], phase.q[i], phase.u[i], phase.a[i], phase.lam[i]


def assert_close(found, wanted, rtol=1e-11, size=0.0):
    largest = max(1e-3, size, np.max(np.abs(wanted), initial=0.0))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * largest)


def starting_states(assembly):
    """The same at the start by the reference interpreter, without a compiler."""
    system, start = assembly.system, assembly.start
    t, q, u, still = start.t, start.q, start.u, np.zeros(assembly.system.n)
    M, G = (matrix.toarray() for matrix in compute_matrices(system, q, t))
    forces = compute_residual(system, q, u, still, np.zeros(system.m), t)
    drift = compute_levels(system, q, u, still, t)[2]
    K = np.block([[M, G.T], [G, np.zeros((system.m, system.m))]])
    x = np.linalg.solve(K, -np.concatenate([forces, drift]))
    yield assembly.equations(), t, q, u, x[: system.n], x[system.n :]


def calls(*tables):
    """Tables and their derivatives as functions of a text."""
    return {f"{t.name}{order * chr(39)}": partial(lookup, t.curve, order=order) for t in tables for order in range(3)}


def check_text(assembly, states=moving_states, tables=()):
    """The printed text has the matrices, accelerations and multipliers of the native code. The last text and state."""
    named = getattr(assembly.mechanism, "tables", {})
    looked = list(states(assembly))
    largest = max(np.max(np.abs(a)) for *_, a, _ in looked)  # where something sticks, all others are rounding
    for equations, t, q, u, a_native, lam_native in looked:
        system = equations.system
        n, held = system.n, dict(zip(system.inputs, system.inputs_in(q), strict=True))
        known = (*named.values(), *tables, SimpleNamespace(name="restitution", curve=_damping_curve()))
        found = read(equations.text(limit=None), calls(*known), held)
        assert found.longest <= MAX_LENGTH
        a, lam, M, G = solve(found, q[:n], u[:n], t)
        printed = [*np.flatnonzero(system.holonomic), *np.flatnonzero(~system.holonomic)]
        M_native, G_native = (matrix.toarray() for matrix in compute_matrices(system, q, t))
        assert_close(M, M_native, 1e-13)
        assert_close(G, G_native[printed], 1e-13)
        assert_close(a, a_native[:n], size=largest)
        if np.linalg.matrix_rank(G) == system.m:  # else the multipliers are not determined
            assert_close(lam, lam_native[printed], 1e-10)
    return found, (t, q[:n], u[:n])


@pytest.mark.parametrize("name", EXAMPLES)
def test_text_of_an_example_gives_the_accelerations_of_the_machine(load_example, name):
    assembly = load_example(name).formulated("points")
    found, (t, q, u) = check_text(assembly)
    T, V = compute_energy(assembly.system, q, u)
    energies = {"T": T, "V": sum(V.values())}
    for label, long, wanted in (("T", "kinetic", energies["T"]), ("V", "potential", energies["V"])):
        name = label if label not in assembly.parameters else long
        assert value(found, name, q, u, t) == pytest.approx(wanted, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", LAGRANGIANS)
def test_text_of_a_lagrangian_gives_the_accelerations_of_the_machine(name):
    spec = importlib.util.spec_from_file_location(f"printed_{name}", ROOT / "examples" / "lagrangian" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = [f for f in vars(module).values() if inspect.isfunction(f)]
    makers = [f for f in functions if inspect.signature(f).return_annotation is lw.Model]
    assert makers
    for make in makers:
        check_text(make())


def test_parameters_are_printed_without_loss(load_example):
    assembly = load_example("gyroscope").formulated("points")  # its parameters follow from each other
    found = read(assembly.equations().text())
    printed = {name: x for name, x in found.numbers.items() if name in assembly.parameters}
    assert set(printed) == {"m", "l", "r", "g", "I1", "I3"}
    assert all(printed[name] == assembly.parameters[name] for name in printed)


@pytest.mark.parametrize("name", EXAMPLES)
def test_numbers_are_the_values_of_their_formulas(load_example, name):
    assembly = load_example(name)
    system = assembly.system
    pairs = [(term.columns, term.parameters) for term in system.terms] + [(system.frozen_columns, system.frozen)]
    assert any(columns.size for columns, _ in pairs)
    for columns, numbers in pairs:
        for i, number in zip(columns.ravel(), numbers.ravel(), strict=True):
            assert evaluate(system.formulas.exprs[i], assembly.parameters) == number


def test_a_changed_parameter_changes_the_numbers_only(load_example):
    assembly = load_example("four-bar")
    before, after = (x.equations().text() for x in (assembly, assembly.with_parameters(rho=7)))
    assert before.replace("rho = 2", "rho = 7") == after


# -- SymPy -----------------------------------------------------------------------------------------------------------

# what a user of the script might write: accelerations from the lists, and Lagrange's equations from L itself
SOLVE = """
import json, sys
from sympy import Matrix, Symbol, lambdify

def check(L, R, forces, constraints, velocity_constraints, equations, q, u, a, lam, values, given):
    t = Symbol("t", real=True)
    Q = Matrix([forces.get(x, 0) for x in q])
    q, u, a, lam = map(Matrix, (q, u, a, lam))
    E = Matrix(equations)
    rates = [Matrix([g]).jacobian(q).dot(u) + g.diff(t) for g in constraints] + velocity_constraints
    G = Matrix(rates).jacobian(u) if rates else Matrix(0, len(q), [])
    drift = Matrix(rates).jacobian(q) * u + Matrix(rates).diff(t) if rates else Matrix(0, 1, [])
    p = Matrix([L.diff(x) for x in u])
    own = p.jacobian(u) * a + p.jacobian(q) * u + p.diff(t) - Matrix([L.diff(x) for x in q])
    own += Matrix([R.diff(x) for x in u]) - Q
    own += G.T * lam if rates else own * 0
    everything = [E.jacobian(a), E.subs({x: 0 for x in [*a, *lam]}), G, drift, own - E]
    run = lambdify([t, *q, *u, *a, *lam, *values], everything, modules="numpy", cse=True)
    found = run(given["t"], *given["q"], *given["u"], *given["a"], *given["lam"], *values.values())
    print(json.dumps([x.tolist() for x in found]))

_given = json.load(sys.stdin)
_L = globals()[_given["lagrangian"]]
_R = globals()[_given["friction"]] if _given["friction"] else _L * 0
_parts = (forces, constraints, velocity_constraints, equations, coordinates, speeds, accelerations, multipliers, values)
check(_L, _R, *_parts, _given)
"""


def run_script(script, tmp_path, given):
    """What SOLVE prints when it is run behind a script, by a Python of its own."""
    path = tmp_path / "equations.py"
    path.write_text(script + SOLVE, encoding="utf-8")
    words = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    return [np.array(x, dtype=float) for x in json.loads(done.stdout)]


def check_script(assembly, tmp_path, lagrangian="L", friction=""):
    (_, t, q, u, a_native, lam_native), *_ = moving_states(assembly)
    given = {"t": t, "q": q.tolist(), "u": u.tolist(), "a": a_native.tolist(), "lam": lam_native.tolist()}
    script = assembly.equations().sympy(limit=None)
    M, rest, G, drift, difference = run_script(
        script, tmp_path, given | {"lagrangian": lagrangian, "friction": friction}
    )
    n, m = len(q), len(lam_native)
    G, drift = G.reshape(m, n), drift.reshape(m)
    K, f = np.block([[M, G.T], [G, np.zeros((m, m))]]), -np.concatenate([rest.ravel(), drift])
    x = np.zeros(n + m)
    for _ in range(2):  # what rounding leaves of the first solution differs from processor to processor
        x += np.linalg.lstsq(K, f - K @ x, rcond=1e-13)[0]
    assert_close(x[:n], a_native)
    size = np.max(np.abs(rest)) + np.max(np.abs(M @ a_native)) + np.max(np.abs(G.T @ lam_native), initial=0.0)
    assert np.max(np.abs(difference)) < 1e-12 * size  # SymPy's own derivatives of L are the printed equations


@pytest.mark.parametrize("name", SCRIPTED)
def test_script_gives_the_accelerations_of_the_machine(load_example, tmp_path, name):
    pytest.importorskip("sympy")
    assembly = load_example(name).formulated("points")
    lagrangian = "lagrangian" if "L" in assembly.parameters else "L"
    check_script(assembly, tmp_path, lagrangian, "R" if assembly.mechanism.dissipations else "")


def test_script_of_velocity_constraints(tmp_path):
    pytest.importorskip("sympy")
    sleigh = lw.lagrangian(
        "x y phi",
        "m*((2 + sin(t))*x'**2 + y'**2)/2 + J*phi'**2/2 + m*a*phi'*(y'*cos(phi) - x'*sin(phi)) + m*x*cos(t) + y*x'*t",
        velocity_constraints={"blade": "x'*sin(phi) - y'*cos(phi) + a*phi'/3"},
        dissipation="c*phi'**2/2",
        forces={"y": "min(x, y)*atan2(x, 2 + y**2)"},
        parameters={"m": 2, "J": 0.7, "a": 0.3, "c": 0.1},
        start={"x": 0.1, "y": 0.2, "phi": 0.3, "x'": 1, "phi'": 2},
    )
    check_text(sleigh)
    check_script(sleigh, tmp_path, "L", "R")


# -- names -----------------------------------------------------------------------------------------------------------

WILD_TITLE = "A & B_100% \\ {x} ~^#$\nimport os; os.abort()\r\x0b\x0c\x85\u2028raise SystemExit('β')\x00\"\"\"'''"


@pytest.fixture(scope="module")
def wild():
    """Names that are keywords, functions, labels of the sheet, coordinates, Greek, primed, or no names at all."""
    return Model(
        Mechanism(
            title=WILD_TITLE,
            parameters={
                "Ax": 1,
                "T": 2,
                "L": 3,
                "V": 0.5,
                "R": 0.7,
                "t_": 5,
                "Q_Bx": 2,
                "z1": 1,
                "lam_l_rod": 3,
                "sin": 0.1,
            },
            fixed={"O": ()},
            rigids=[
                Rigid.rod("is", "Ax*2", "T", points=("O", "A")),
                Rigid.rod("β'", "L", "V", points=("A", "B")),
                Rigid.rod("arm 2", "R", "Q_Bx", points=("B", "C'")),
                Rigid.rod("2.x", "z1", "sin", points=("B", "C''")),
                Rigid.rod("rod", "t_", "lam_l_rod", points=("B", "γ")),
            ],
            torques=[Torque(part="is", value="sin*is.omega + t"), Torque(part="β'", value="Ax")],
            particles=[Particle(point="lambda", mass=1)],
            gravity=(0, "-9.8"),
        )
    )


def test_any_name_can_be_printed_and_read_back(wild):
    found, _ = check_text(wild)
    text = wild.equations().text()
    assert "# Ax_ stands for 'Ax'" in text
    known = {f"{name}{mark}" for name in found.motion for mark in ("", "'", "''")}
    known |= {f"lam_{name}" for name in found.constraints} | {"t"}
    assert unknown_names(found) <= known
    assert len(found.motion) == wild.system.n and len(found.constraints) == wild.system.m


def test_any_name_can_be_a_variable(wild, tmp_path):
    pytest.importorskip("sympy")
    check_script(wild, tmp_path, "lagrangian")


def check_latex(text):
    """Braces, \\left and \\right, environments and dollars match; only known commands; nothing unescaped outside."""
    body = re.sub(r"(?m)^%.*$", "", text)
    plain = re.sub(r"\\[\\{}#$%&_]", "", body)
    assert plain.count("{") == plain.count("}")
    depth = 0
    for character in plain:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0 and "%" not in plain and "#" not in plain and "$" not in plain
    assert body.count(r"\left") == body.count(r"\right")
    opened = []
    for word, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", body):
        assert word == "begin" or opened.pop() == name
        opened += [name] if word == "begin" else []
    assert not opened
    for display in re.findall(r"\\begin\{align\*\}(.*?)\\end\{align\*\}", body, re.S):
        assert display.strip() and "\n\n" not in display
        assert not display.strip().endswith(r"\\")
    commands = set(re.findall(r"\\([A-Za-z]+)", body))
    return commands


COMMANDS = set(
    re.findall(
        r"\w+",
        "allowdisplaybreaks section subsection begin end frac sqrt left right dot ddot mathrm mathtt mathcal quad tag "
        "texttt text textbackslash textasciicircum textasciitilde cdot le partial sum sin cos arctan log tanh max "
        "operatorname alpha beta gamma delta epsilon lambda mu rho tau theta omega phi psi xi eta",
    )
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_latex_is_well_formed(load_example, name):
    text = load_example(name).equations().latex()
    assert check_latex(text) <= COMMANDS
    assert text.isascii()


@pytest.mark.parametrize("name", ["lambda", "lam", "lambda_1", "lam2"])
def test_in_latex_lambda_is_for_multipliers_alone(name):
    free = lw.lagrangian("x", f"x'**2/2 - {name}*x", parameters={name: 2}).equations().latex()
    assert r"\lambda" in free and r"\mathtt" not in free
    held = lw.lagrangian("x y", f"x'**2/2 + y'**2/2 - {name}*x", constraints="x - y", parameters={name: 2})
    text = held.equations().latex()
    assert rf"\mathtt{{{name}}} &= 2".replace("_", r"\_") in text
    assert set(re.findall(r"\\lambda\S*", text)) == {r"\lambda", r"\lambda_{\mathrm{g1}}"}
    assert check_latex(text) <= COMMANDS


def test_in_latex_a_coordinate_lambda_is_no_multiplier():
    held = lw.lagrangian("lambda y", "lambda'**2/2 + y'**2/2", constraints="lambda - y", start={"y": 1})
    assert r"\mathtt{lambda} - y = 0" in held.equations().latex()


def test_latex_of_any_name_is_well_formed(wild):
    text = wild.equations().latex()
    assert check_latex(text) <= COMMANDS
    assert r"A \& B\_100\% \textbackslash{} \{x\} \textasciitilde{}\textasciicircum{}\#\$" in text
    names = re.findall(r"^(\S+) &=", text, re.M)
    assert len(set(names)) == len(names)  # no two things look alike


def test_latex_is_read_by_a_typesetter(load_example):
    mathtext = pytest.importorskip("matplotlib.mathtext")
    parser = mathtext.MathTextParser("path")
    lines = 0
    for name in ("four-bar", "andrews", "gyroscope"):
        text = load_example(name).equations().latex()
        for display in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end\{align\*\}", text, re.S):
            for row in display.split("\\\\\n"):
                formula = re.sub(r"\\tag\{.*\}\s*$", "", row).replace("&", " ")
                parser.parse(f"${formula.strip()}$")
                lines += 1
    assert lines > 60


# -- large, long, deep -----------------------------------------------------------------------------------------------


def chain(count):
    rods = [Rigid.rod(f"P{i}P{i + 1}", "l", "m") for i in range(count)]
    fixed = {"P0": ()}
    return Model(Mechanism(parameters={"l": 0.25, "m": 0.2}, fixed=fixed, rigids=rods, gravity=(0, "-9.8")))


@pytest.mark.parametrize("count", [26, 1000])
def test_of_a_large_mechanism_the_beginning_is_printed(count):
    equations = chain(count).equations()
    text = equations.text()
    found = read(text)
    assert len(found.motion) == 50
    assert f"# left out: {2 * count - 50} more equations" in text
    assert len(found.constraints) == min(count, 50)
    assert (f"# left out: {count - 50} more constraints" in text) == (count > 50)
    assert len(equations.symbols.pieces) <= 210  # what is not printed is not derived
    assert f"Left out: {2 * count - 50} more equations." in equations.latex()
    assert f"# left out: {2 * count - 50} more equations" in equations.sympy()


def test_all_of_a_large_mechanism_can_be_read_back():
    equations = chain(160).equations()
    found = read(equations.text(limit=None))
    assert found.longest <= MAX_LENGTH
    assert "T_2" in found.definitions  # the kinetic energy had to be split
    assert list(found.motion) == list(equations.motion)
    at = np.random.default_rng(1).normal(size=(2, 320))
    wanted = compute_energy(equations.system, at[0], at[1])[0]
    assert value(found, "T", *at, 0.0) == pytest.approx(wanted, rel=1e-12)


def test_a_shortened_script_runs(tmp_path):
    pytest.importorskip("sympy")
    path = tmp_path / "equations.py"
    path.write_text(chain(60).equations().sympy() + "print(len(equations), len(coordinates), len(constraints))\n")
    done = subprocess.run([sys.executable, "-W", "error", str(path)], capture_output=True, text=True)
    assert done.stdout.split() == ["50", "50", "50"], done.stderr


def test_long_tables_and_deep_laws_can_be_read_back():
    x = np.linspace(0, 3, 120)
    table = Table("curve", x, np.sin(x))

    def nested(angle):
        for _ in range(MAX_DEPTH + 10):
            angle = sin(angle + 0.1)
        return angle

    lw.function("nested", nested)
    pendulum = Mechanism(
        fixed={"O": ()},
        rigids=[Rigid.rod("OA", 1, 2), Rigid.rod("AB", 1, 2)],
        torques=[Torque(part="AB", value="nested(AB.angle)")],
        motions=[Driver(target="OA.angle", law=table("t"))],
        gravity=(0, "-9.8"),
    )
    check_text(Model(pendulum), starting_states, [table])


def test_the_script_of_a_long_table_leaves_it_a_function():
    x = np.linspace(0, 3, 2000)
    swing = lw.lagrangian("x", lambda q, u, p: u.x**2 / 2 - Table("road", x, np.sin(x))(q.x), start={"x": 1})
    script = swing.equations().sympy()
    assert "road = Function(" in script and "- road_prime(x)" in script.replace("+", "-")
    assert len(script) < 3000


def test_the_same_is_printed_in_every_run(examples):
    code = "import sys, linkwork as lw; e = lw.load(sys.argv[1]).equations(); print(e.text(), e.latex(), e.sympy())"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code, str(examples / "spatial-four-bar.yaml")],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1


# -- the object and the command --------------------------------------------------------------------------------------


def test_everything_can_be_had_by_name(load_example):
    equations = load_example("driven-crank-with-damper").equations()
    assert set(equations.potentials) == {"gravity", "spring"}
    assert equations.L is equations.T - equations.V
    assert str(equations.R) == "0.01*c*(AB' - OA')**2"
    assert set(equations.forces) == {"Bx", "By"}
    assert list(equations.constraints) == list(equations.system.constraints)
    assert equations.velocity_constraints == {}
    assert list(equations.motion) == ["Ax", "Ay", "Bx", "By", "AB", "OA"]
    assert str(equations.motion["Ax"]) == "2*m*Ax''/3 + m*Bx''/6 - lam_x_AB + lam_x_OA"


def test_doc_page_shows_what_is_printed(load_example, monkeypatch, capsys):
    page = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
    equations = load_example("four-bar").equations()
    assert f"```\n{equations.text()}```" in page
    (latex,) = re.findall(r"```latex\n(.*?)```", page, re.S)
    assert latex in equations.latex()
    (script,) = re.findall(r"```python\n# from the script\n(.*?)```", page, re.S)
    assert script in equations.sympy()
    (program,) = re.findall(r"```python\n(import linkwork.*?)```", page, re.S)
    monkeypatch.chdir(ROOT)
    exec(compile(program, "equations.md", "exec"), {})
    assert equations.sympy() in capsys.readouterr().out


@pytest.fixture
def command(command):
    return partial(command, "equations")


def test_command_prints_and_writes(command, examples, load_example, tmp_path):
    file, equations = examples / "four-bar.yaml", load_example("four-bar").equations()
    assert command(file) == (0, equations.text(), "")
    assert command(file, "--format", "latex") == (0, equations.latex(), "")
    target = tmp_path / "four.py"
    code, out, err = command(file, "-f", "sympy", "-o", target)
    assert (code, err) == (0, "") and out.startswith(str(target))
    assert target.read_text(encoding="utf-8") == equations.sympy()
    code, out, _ = command(file, "--set", "rho=7", "--all")
    assert (code, out) == (0, equations.text().replace("rho = 2", "rho = 7"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "word"], "'word' is not one of 'text', 'latex', 'sympy'"),
        (["--set", "q=1"], "no parameter named 'q'"),
        (["-o", "."], "is a folder"),
    ],
)
def test_command_refuses_in_words(command, examples, words, message):
    code, out, err = command(examples / "four-bar.yaml", *words)
    assert (code, out) == (2, "")
    assert message in err and "Traceback" not in err


def test_a_law_without_value_at_a_fixed_point_is_named(command, tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text(
        "PartData: {Fixed: {O: []}, Particles: {A: 1}, Springs: {OA: [1, 1]}}\n"
        'AppliedForces: {Forces: {A: ["1/O.x", 0]}}\n'
        "ProblemData: {positions: {A: [1, 1]}}\n"
    )
    code, out, err = command(file)
    assert (code, out) == (2, "")
    assert "force A: division by zero" in err and "Traceback" not in err


def test_command_keeps_the_mechanism(command, examples, tmp_path):
    file = tmp_path / "four.yaml"
    file.write_text((examples / "four-bar.yaml").read_text())
    code, _, err = command(file, "-o", file)
    assert code == 2 and "looks like a mechanism" in err
    assert file.read_text() == (examples / "four-bar.yaml").read_text()
