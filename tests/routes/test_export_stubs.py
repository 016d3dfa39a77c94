"""Functions that nobody can look into are exported as stubs: what is filled in moves the export as ours moves."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import linkwork as lw
from exports import build, compare

FILES = {"c": "external.c", "fortran": "external.f90", "python": "external.py", "rust": "external.rs",
         "matlab": "external.m", "julia": "external.jl"}  # fmt: skip
# what stands in a stub, by function, and how it is filled in
STOPS = {
    "c": r'fputs\(.*{0}.*\n    exit\(1\);', "fortran": r"value = 0.0_dp\n      error stop .*{0}.*",
    "python": r"sys.exit\(.*{0}.*\)", "rust": r"crate::fail\(.*{0}.*\)", "matlab": r"error\('.*{0}.*'\);",
    "julia": r'error\(".*{0}.*"\)',
}  # fmt: skip
WORK = {
    "c": {"drag": "return -c*v*(v < 0.0 ? -v : v);", "cubic": "return x - x*x*x/6.0;"},
    "fortran": {"drag": "value = -c*v*abs(v)", "cubic": "value = x - x**3/6"},
    "python": {"drag": "return -c * v * abs(v)", "cubic": "return x - x**3 / 6"},
    "rust": {"drag": "-c * v * v.abs()", "cubic": "x - x * x * x / 6.0"},
    "matlab": {"drag": "value = -c*v*abs(v);", "cubic": "value = x - x^3/6;"},
    "julia": {"drag": "return -c*v*abs(v)", "cubic": "return x - x^3/6"},
}


@pytest.fixture(autouse=True)
def functions(functions_stay_in_their_test):
    lw.function("drag", lambda v, c: -c * v * abs(v), opaque=True)
    lw.function("cubic", lambda x: x - x**3 / 6, opaque=True)


def arm():
    law = "drag(B.vy, 2*c) - cubic(drag(A.vx, c))"
    return lw.Model(
        lw.Mechanism(
            parameters={"c": 0.3}, fixed={"O": ()}, gravity=(0, -9.81), title="arm",
            rigids=[lw.Rigid.rod("OA", 1, 1), lw.Rigid.rod("AB", 1, 1)],
            forces=[lw.Force(point="B", components=("drag(B.vx, c)", law))],
            start=lw.InitialValues(positions={"A": (1, 0), "B": (2, 0)}, tend=0.5),
        )
    )  # fmt: skip


def fill_in(folder, target):
    path = folder / FILES[target]
    text = path.read_text()
    for name, work in WORK[target].items():
        text, count = re.subn(STOPS[target].format(name), lambda _, work=work: work, text)
        assert count == 1
    path.write_text(text)


@pytest.mark.parametrize("target", [*FILES])
def test_an_unfilled_stub_stops_in_words_and_a_filled_one_moves_the_export_as_ours(tmp_path, target):
    model = arm()
    folder = model.export(target, tmp_path / target)
    done = subprocess.run(build(folder, target), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"the function drag in {FILES[target]} is to be filled in" in done.stderr
    fill_in(folder, target)
    for made in folder.glob("arm"):
        made.unlink()
    compare(model, folder, target, "--samples", 4)


def test_page_and_equations_tell_functions_by_their_names(tmp_path):
    model = arm()
    page = (model.export("c", tmp_path / "arm") / "README.md").read_text()
    assert "## Functions to be filled in" in page and "`external`" in page
    assert "| `drag` | `v = A.vx [m/s], c; v = B.vx [m/s], c; v = B.vy [m/s], c = 2*c` |" in page
    assert "| `cubic` | `x = drag(A.vx, c)` |" in page
    assert re.search(r"# drag_* = drag\(B.vx, c\)", page) and "# cubic = cubic(drag(A.vx, c))" in page
    assert re.search(r"Q_By = .*cubic", page) and "stands for" not in page
    assert not re.search(r"(drag|cubic)_[0-9a-f]{8}", page)
    texts = model.equations().latex(), model.equations().sympy()
    assert all("drag(B.vx, c)" in text and not re.search(r"drag_*[0-9a-f]{8}", text) for text in texts)
    exec(compile(texts[1], "script", "exec"), {})  # it is ours, and defines what it uses


def test_page_tells_whose_equations_it_shows_where_something_comes_and_goes(load_example, tmp_path):
    page = (load_example("stick-slip").export("c", tmp_path / "belt") / "README.md").read_text()
    assert "Those of what holds at the start" in page and "while it holds: `lam_friction_belt`." in page


def test_a_filled_stub_is_not_overwritten_unless_forced(tmp_path):
    model = arm()
    folder = model.export("c", tmp_path / "c")
    fill_in(folder, "c")
    filled = (folder / "external.c").read_text()
    model.export("c", folder)
    assert (folder / "external.c").read_text() == filled
    model.export("c", folder, force=True)
    assert "exit(1)" in (folder / "external.c").read_text()


def test_values_of_opaque_functions_are_inputs_of_a_unit_and_their_arguments_outputs(tmp_path):
    fmpy = pytest.importorskip("fmpy", reason="units are checked with FMPy")
    folder = arm().export("fmu", tmp_path / "fmu")
    description = fmpy.read_model_description(str(folder / "arm.fmu"))
    kinds = {v.name: v.causality for v in description.modelVariables}
    assert kinds["drag(B.vx, c)"] == kinds["cubic(drag(A.vx, c))"] == "input"
    assert kinds["drag(B.vx, c) 1"] == kinds["drag(B.vx, c) 2"] == "output"


SCRIPT = """
import sys
from concurrent.futures import ThreadPoolExecutor
import linkwork as lw

lw.function("drag", lambda v, c: -c * v * abs(v), opaque=True)
model = lw.lagrangian(
    "x y", "m*(x'**2 + y'**2)/2", forces={"x": "drag(x', c) + drag(y', c)", "y": "drag(y', 2*c)"},
    parameters={"m": 1, "c": 0.2}, start={"x'": 1, "y'": 2}, tend=1, title="slide",
)
model.export("c", sys.argv[1])
"""


def test_text_with_stubs_is_the_same_from_processes_with_other_hashes(tmp_path):
    texts = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / seed)], check=True, env=environment)
        texts.append({path.name: path.read_text() for path in (tmp_path / seed).iterdir()})
    assert texts[0] == texts[1]


def test_functions_of_arrays_ask_opaque_functions_and_their_slopes():
    model, h = arm(), 1e-6
    f, motion = model.rhs(), model.simulate(0.5, tol=1e-12)
    assert not f.compiled
    x, end = f.start + 0.1, motion.at(0.5)
    n = len(x) // 2
    columns = [motion.system.index[name] for name in f.names[:n]]
    np.testing.assert_allclose(f(0.5, [*end.q[columns], *end.u[columns]])[n:], end.a[columns], atol=1e-9)
    steps = h * np.eye(2 * n)
    differences = ((f(0.0, x + steps) - f(0.0, x - steps)) / (2 * h)).T
    np.testing.assert_allclose(f.jacobian(0.0, x), differences, rtol=0, atol=1e-7 * np.abs(differences).max())


def test_trees_that_ask_opaque_functions_have_rates_and_are_exported(tmp_path):
    tree, h = lw.Tree("slide", parameters={"m": 1, "c": 0.3}), 1e-6
    body = tree.add_body("A", translate=("x",), mass="m", inertia=0)
    tree.add_body("B", parent=body, rotate="y", mass="m", inertia=[1, 1, 1], centre=(0, 0, 1))
    tree.add_force("drag", along=tree.ground.x, magnitude="drag(u1 + 0.1*u2, c)", at=body)
    model = tree.model(start={"q1'": 2, "q2": 0.4}, tend=0.5)
    f = model.rhs()
    x, steps = f.start + 0.2, h * np.eye(4)
    differences = ((f(0.0, x + steps) - f(0.0, x - steps)) / (2 * h)).T
    np.testing.assert_allclose(f.jacobian(0.0, x), differences, rtol=0, atol=1e-8)
    folder = model.export("python", tmp_path / "python")
    text = (folder / "external.py").read_text()
    (folder / "external.py").write_text(re.sub(STOPS["python"].format("drag"), WORK["python"]["drag"], text))
    compare(model, folder, "python", "--samples", 4)


def test_opaque_functions_are_not_compiled_and_their_failures_are_told():
    model = arm()
    for ask in (lambda: model.rhs(compiled=True), model.c_function, lambda: model.rhs().c_function):
        with pytest.raises(lw.LinkworkError, match=r"nobody can trace \(drag, cubic\) cannot be compiled"):
            ask()
    lw.function("drag", lambda v, c: c / (v - 1), opaque=True)
    f = arm().rhs()
    with pytest.raises(lw.LinkworkError, match=r"function 'drag' failed with 1, 0\.3: ZeroDivisionError"):
        f(0.0, np.where(np.isin(f.names, "Ax'"), 1.0, f.start))


def test_failures_of_declared_derivatives_are_told():
    lw.function("drag", lambda v: -v, opaque=True, derivatives=[lambda v: 1 / (v - v)])
    f = lw.lagrangian("x", "x'**2/2", forces={"x": "drag(x')"}, start={"x'": 2}, title="x").rhs()
    assert f(0.0, f.start)[1] == -2.0
    with pytest.raises(lw.LinkworkError, match="a derivative of function 'drag' failed with 2: ZeroDivisionError"):
        f.jacobian(0.0, f.start)


@pytest.mark.parametrize("target", ["c", "fortran", "python"])
def test_slopes_are_stubs_where_a_jacobian_is_asked_for(tmp_path, target):
    folder = arm().export(target, tmp_path / target, jacobian=True)
    text = (folder / FILES[target]).read_text()
    assert "the derivative of drag by v" in text
    assert "the derivative of drag by c" not in text
    build(folder, target)


def test_parameters_alone_may_be_arguments(tmp_path):
    model = lw.lagrangian(
        "x", "m*x'**2/2", forces={"x": "-cubic(c)*x"}, parameters={"m": 1, "c": 0.2}, start={"x": 1}, tend=1,
        title="arm",
    )  # fmt: skip
    folder = model.export("python", tmp_path / "python")
    text = (folder / "external.py").read_text()
    (folder / "external.py").write_text(re.sub(STOPS["python"].format("cubic"), WORK["python"]["cubic"], text))
    _, table = compare(model, folder, "python", "--samples", 4)
    assert np.isfinite(table).all()


def test_a_function_that_fails_at_the_start_is_told_by_name(tmp_path):
    lw.function("drag", lambda v: "much", opaque=True)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "drag(x')"}, start={"x'": 2}, title="x")
    for ask in (model.rhs, lambda: model.export("python", tmp_path / "x")):
        with pytest.raises(lw.LinkworkError, match="at the start function 'drag' failed with 2: ValueError"):
            ask()


def test_threads_hear_of_their_own_failures():
    lw.function("cubic", lambda x: 1 / 0 if x > 0.5 else x, opaque=True)
    f = lw.lagrangian("x", "x'**2/2", forces={"x": "cubic(x)"}, title="x").rhs()
    interval = sys.getswitchinterval()

    def fails(x):
        try:
            return np.isnan(f(0.0, [x, 0.0])).any()  # never: what fails is told
        except lw.LinkworkError:
            return x > 0.5

    try:
        sys.setswitchinterval(1e-5)
        with ThreadPoolExecutor(8) as pool:
            x = np.random.default_rng(1).normal(size=2000)
            assert list(pool.map(fails, x)) == (x > 0.5).tolist()
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("target", [*FILES])
def test_remarks_of_a_function_name_its_arguments_as_the_code_does(target, tmp_path):
    lw.function("wind", lambda t, y: t * y, opaque=True)
    lw.function("push", lambda lambda_, y: lambda_ - y, opaque=True)
    model = lw.lagrangian("x", "x'**2/2", forces={"x": "wind(t, 2*x) + push(x, t)"}, tend=1, title="sail")
    folder = model.export(target, tmp_path / target)
    for file in (FILES[target], "README.md"):
        text = (folder / file).read_text()
        assert "t_ = t [s], y_ = 2*x" in text and "lambda_ = x, y_ = t [s]" in text
