"""The command: what it prints, what it writes, how it ends. Exit code 0: done, 1: the run failed or was
interrupted, 2: bad input."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from conftest import ROOT

PENDULUM = """\
Title: Pendulum
PhysicalParams: {l: 1, m: 2}
Dimension: 2
PartData:
  Fixed: {O: []}
  Rigids:
    OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}
AppliedForces:
  Gravity:
ProblemData:
  t0: 0
  tend: 1
  positions: {A: [[l, fixed], 0]}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with pendulum.yaml in it, to work in."""
    monkeypatch.chdir(tmp_path)
    Path("pendulum.yaml").write_text(PENDULUM)
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def environment(**changes):
    return {**os.environ, "PYTHONPATH": str(Path(lw.__file__).parents[1]), **changes}


@contextlib.contextmanager
def child(*words, first="", **more):
    """The command as a process of its own, ended at the latest with the test; `first` is run before it."""
    words = [sys.executable, "-c", f"{first}\nfrom linkwork.cli import main; main()", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, **pipes, **more) as process:
        try:
            yield process
        finally:
            process.kill()


# -- done ------------------------------------------------------------------------------------------------------------


def test_a_run_says_how_good_it_is_and_where_it_went(here, command):
    code, out, err = command("run", "pendulum.yaml")
    assert code == 0
    assert err == ""
    lines = dict(line.strip().split("  ", 1) for line in out.splitlines())
    assert lines["mechanism"] == "Pendulum: 2 coordinates, 1 constraints"
    assert lines["outcome"] == "reached t = 1"
    assert lines["start"] == "all given values kept"
    assert re.fullmatch(
        r"\d+ steps of order \d+ \(\d+ rejected\) in [\d.e-]+ m?s, (compiled|interpreted)", lines["work"]
    )
    assert re.match(r"position \S+e-1\d, velocity \S+, acceleration", lines["constraints"])
    assert re.match(r"balance kept to \S+e-\d+ of the energy exchanged", lines["energy"])
    assert lines["results"].startswith("pendulum.csv (")
    assert files(here) == ["pendulum.csv", "pendulum.yaml"]


def test_options_change_the_run(here, command):
    code, out, _ = command("run", "pendulum.yaml", "--until", "0.25", "--tol", "1e-6", "--order", "9", "--out", "a.npz")
    assert code == 0
    assert "reached t = 0.25" in out
    assert "of order 9" in out
    with np.load("a.npz") as found:
        assert found["t"][-1] == 0.25


def test_equally_spaced_times_can_be_asked_for(here, command):
    assert command("run", "pendulum.yaml", "--points", 11)[0] == 0
    rows = Path("pendulum.csv").read_text().splitlines()[1:]
    assert [float(row.split(",")[0]) for row in rows] == pytest.approx(np.linspace(0, 1, 11))


def test_a_parameter_can_be_set(here, command):
    assert command("run", "pendulum.yaml", "--set", "l=4", "--set", "m=l/8", "--until", 0)[0] == 0
    assert float(Path("pendulum.csv").read_text().splitlines()[1].split(",")[1]) == 4.0


def test_quiet_is_quiet(here, command):
    assert command("run", "pendulum.yaml", "--quiet") == (0, "", "")
    assert Path("pendulum.csv").exists()


def test_the_version_is_told(command):
    assert command("--version") == (0, f"linkwork {lw.__version__}\n", "")


def test_help_is_given(command):
    assert "run" in command("--help")[1]
    assert "--until" in command("run", "--help")[1]


@pytest.mark.parametrize("name", ["andrews", "mechanism0", "mechanism1a", "mechanism1b"])
def test_every_example_runs(here, command, examples, name):
    code, out, err = command("run", examples / f"{name}.yaml")
    assert (code, err) == (0, "")
    assert "reached t = " in out
    assert files(here) == [f"{name}.csv", "pendulum.yaml"]


def test_the_file_says_which_columns_and_formats(here, command, examples):
    command("run", examples / "andrews.yaml", "--until", "0.001")
    head, first, *_ = Path("andrews.csv").read_text().splitlines()
    names = [f"{point}{axis}{mark}" for point in "DEFGH" for axis in "xy" for mark in ("", "'")]
    assert head.split(",") == ["t", *names, "OF", "T", "V"]
    assert first.startswith(" 0.00000000000000000e+00,")


# -- bad input: exit code 2, nothing written -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.yaml"], "nothing.yaml"),
        (["pendulum.yaml", "--until", "nan"], "until"),
        (["pendulum.yaml", "--until", "inf"], "until"),
        (["pendulum.yaml", "--until", "-1"], "until"),
        (["pendulum.yaml", "--until", "soon"], "until"),
        (["pendulum.yaml", "--tol", "0"], "tol"),
        (["pendulum.yaml", "--tol", "nan"], "tol"),
        (["pendulum.yaml", "--order", "1"], "order"),
        (["pendulum.yaml", "--order", "1.5"], "order"),
        (["pendulum.yaml", "--points", "1"], "points"),
        (["pendulum.yaml", "--points", "-3"], "points"),
        (["pendulum.yaml", "--out", "a.txt"], ".csv, .npz, .parquet, .mat or .xlsx"),
        (["pendulum.yaml", "--out", "sub/a.csv"], "there is no folder 'sub'. Make it first, or choose another"),
        (["pendulum.yaml", "--out", "pendulum.yaml"], ".csv, .npz, .parquet, .mat or .xlsx"),
        (["pendulum.yaml", "--set", "l"], "NAME=VALUE"),
        (["pendulum.yaml", "--set", "=3"], "NAME=VALUE"),
        (["pendulum.yaml", "--set", "L=3"], "no parameter named 'L'"),
        (["pendulum.yaml", "--set", "l=1/0"], "l"),
        (["pendulum.yaml", "--set", "m=-1"], "negative"),
        (["pendulum.yaml", "--set", "l=__import__('os').getcwd()"], "l"),
        (["pendulum.yaml", "--set", "l=l"], "l"),
        (["pendulum.yaml", "--colour", "red"], "--colour"),
        (["."], "."),
        ([".."], ".."),
        (["/"], "/"),
        ([""], ""),
        (["\0"], ""),
        ([], "file"),
        (["pendulum.yaml", "--set", "self=1"], "no parameter named 'self'"),
        (["pendulum.yaml", "--set", "m=l\nx=1"], "m"),
    ],
)
def test_bad_input_ends_in_words_and_code_2_and_writes_nothing(here, command, words, message):
    code, out, err = command("run", *words)
    assert code == 2
    assert message in err
    assert err.count("\n") <= 4
    assert out == ""
    assert files(here) == ["pendulum.yaml"]


def test_a_wrong_command_is_bad_input(command):
    assert command("ruin", "a.yaml")[0] == 2


def test_all_problems_of_a_file_are_told_together_with_their_lines(here, command):
    Path("bad.yaml").write_text(PENDULUM.replace("m, m*l", "-m, n*l").replace("A: [[", "B: [["))
    code, _, err = command("run", "bad.yaml")
    assert code == 2
    assert err.count("bad.yaml:") >= 3


def test_a_bad_file_does_not_touch_earlier_results(here, command):
    command("run", "pendulum.yaml")
    before = Path("pendulum.csv").read_bytes()
    Path("pendulum.yaml").write_text(PENDULUM.replace("OA:", "OA"))
    assert command("run", "pendulum.yaml")[0] == 2
    assert Path("pendulum.csv").read_bytes() == before


def test_results_never_overwrite_the_mechanism(here, command):
    Path("pendulum.yaml").rename("pendulum.csv")
    code, _, err = command("run", "pendulum.csv")
    assert code == 2
    assert "choose another name" in err
    assert Path("pendulum.csv").read_text() == PENDULUM


def test_no_time_anywhere_is_bad_input(here, command):
    Path("pendulum.yaml").write_text(PENDULUM.replace("  tend: 1\n", ""))
    code, _, err = command("run", "pendulum.yaml")
    assert code == 2
    assert "until" in err or "tend" in err


# -- a run that fails: exit code 1 -----------------------------------------------------------------------------------


def test_a_start_that_cannot_be_is_bad_input_and_writes_nothing(here, command):
    Path("pendulum.yaml").write_text(PENDULUM.replace("[[l, fixed], 0]", "[[2*l, fixed], 0]"))
    code, _, err = command("run", "pendulum.yaml")
    assert code == 2
    assert "cannot be assembled" in err
    assert files(here) == ["pendulum.yaml"]


def test_a_run_that_stops_is_code_1_and_keeps_what_it_has(here, command):
    # nothing at B has a mass
    text = PENDULUM.replace("  Rigids:\n", "  Rigids:\n    AB: {Geom: [[l]], Dyna: [[0], 0, 0]}\n")
    Path("pendulum.yaml").write_text(text)
    code, _, err = command("run", "pendulum.yaml")
    assert code in (1, 2)  # the model may notice it before the run does
    assert "mass" in err


# says once that the run is going on
TELL = """
import sys, linkwork.cli.progress
def tell(self, t, told=[]):
    if not told:
        print("going", file=sys.stderr, flush=True)
        told.append(t)
linkwork.cli.progress.Bar.__call__ = tell
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
def test_ctrl_c_keeps_what_was_computed(here):
    words = ("run", "pendulum.yaml", "--until", "1e9", "--out", "long.npz")
    with child(*words, first=TELL, env=environment(), cwd=here) as process:
        assert process.stderr.readline() == "going\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    assert "interrupted at t = " in out + err
    assert process.returncode == 1
    with np.load(here / "long.npz") as found:
        t, q = found["t"], found["q"]
        assert len(t) > 100
        assert np.max(np.diff(t)) < 5 * np.median(np.diff(t))  # no gap before the end
        np.testing.assert_allclose(np.hypot(q[:, 0], q[:, 1]), 1, atol=1e-9)


def test_ctrl_c_while_reading_ends_in_words(here, command, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("linkwork.pipeline.load", interrupt)
    assert command("run", "pendulum.yaml")[0] == 1


# -- without a compiler ----------------------------------------------------------------------------------------------


def test_without_a_compiler_it_runs_in_python_and_says_so(here, examples):
    words = ("run", examples / "andrews.yaml", "--until", "0.001", "--tol", "1e-9")
    with child(*words, cwd=here, env=environment(LINKWORK_COMPILER="none")) as process:
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert re.fullmatch(r"linkwork: no C compiler found: running in Python, slower\. .*\n", err)
    assert "interpreted" in out
    assert "reached t = 0.001" in out
    compiled = lw.load(examples / "andrews.yaml").simulate(0.001, tol=1e-9).final["OF"]
    last = (here / "andrews.csv").read_text().splitlines()[-1].split(",")
    assert float(last[-3]) == pytest.approx(compiled, rel=1e-8)


def test_output_into_a_closed_pipe_is_no_traceback(here):
    with child("run", "pendulum.yaml", env=environment(), cwd=here) as process:
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()


def test_a_longest_step_keeps_a_short_pulse_from_being_stepped_over(tmp_path, command):
    file = tmp_path / "pulse.yaml"
    law = "100*exp(-((t-2)/0.01)**2)"
    file.write_text(
        f"Dimension: 2\nPartData: {{Particles: {{A: 1}}}}\nAppliedForces: {{Forces: {{A: ['{law}', 0]}}}}\n"
        "ProblemData: {t0: 0, tend: 5, positions: {A: [0, 0]}}\n"
    )
    motion = lw.load(file).simulate(max_step=0.01)
    # the pulse gives √π m/s at t = 2
    assert motion.velocity("A")[-1, 0] == pytest.approx(np.sqrt(np.pi), rel=1e-9)
    assert command("run", str(file), "--max-step", "-1", "--out", str(tmp_path / "x.csv"))[0] == 2


@pytest.mark.needs_compiler
@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_first_run_says_on_the_terminal_that_it_compiles(command, examples, empty_folder, monkeypatch, quiet):
    from linkwork.native import compiler

    monkeypatch.setenv("LINKWORK_CACHE", str(empty_folder / "cache"))
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)
    compiler._cache_folder.cache_clear()
    words = ("run", examples / "mechanism1a.yaml", "--until", "0.01", "--out", "a.csv", *quiet)
    (_, _, first), (_, _, second) = command(*words), command(*words)
    compiler._cache_folder.cache_clear()
    assert ("\rcompiling 0 of " in first and "kernels, once, then cached ..." in first) == (not quiet)
    assert "compiling" not in second


# -- help --------------------------------------------------------------------------------------------------------------


def test_no_help_is_cut_off_at_eighty_columns():
    def help_of(*words):
        command = [sys.executable, "-m", "linkwork", *words, "--help"]
        return subprocess.run(command, capture_output=True, text=True, env=environment(COLUMNS="80"), check=True).stdout

    overview = help_of()
    commands = re.findall(r"^  (\w+)  ", overview.partition("Commands:")[2], re.MULTILINE)
    assert len(commands) == 14
    for text in (overview, help_of("run"), help_of("view"), help_of("plot")):
        assert "..." not in text.replace("COMMAND [ARGS]...", "") and "…" not in text
        assert max(len(line) for line in text.splitlines()) <= 80


def test_a_command_leaves_numpy_as_it_was_and_imports_no_tests() -> None:
    program = (
        "import sys, numpy as np; before = list(np.__all__)\n"
        "from linkwork.cli.haste import hurried\n"
        "with hurried(): pass\n"
        "assert list(np.__all__) == before and 'scipy.sparse' in sys.modules and 'numpy.f2py' not in sys.modules\n"
        "from scipy.linalg import eigvalsh; from scipy.optimize import brentq; np.testing.assert_allclose(1.0, 1.0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["four-bar", "stick-slip", "thruster"])
def test_a_run_goes_on_from_the_end_of_another_as_if_it_had_not_ended(command, tmp_path, name):
    file, first, second, whole = ROOT / "examples" / f"{name}.yaml", *(tmp_path / f"{x}.npz" for x in "abc")
    assert command("run", file, "--until", 0.7, "--out", first)[0] == 0
    code, said, _ = command("run", file, "--start", first, "--until", 1, "--out", second)
    assert code == 0 and f"from the end of {first}, t = 0.7" in " ".join(said.split())
    assert command("run", file, "--until", 1, "--out", whole)[0] == 0
    with np.load(second) as two, np.load(whole) as one:
        assert two["t"][0] == 0.7 and two["t"][-1] == one["t"][-1] == 1
        np.testing.assert_allclose(two["q"][-1], one["q"][-1], atol=1e-8)


def test_a_start_that_is_no_state_of_the_mechanism_is_refused_in_words(here, command):
    assert command("run", "pendulum.yaml", "--out", "swing.npz")[0] == 0
    other = ROOT / "examples" / "four-bar.yaml"
    code, _, said = command("run", other, "--start", "swing.npz")
    assert code != 0 and "these are results of another mechanism" in said
    Path("broken.npz").write_text("no results")
    code, _, said = command("run", "pendulum.yaml", "--start", "broken.npz")
    assert code != 0 and "no file of results, or it is damaged" in said
    code, _, said = command("run", "pendulum.yaml", "--start", "none.npz")
    assert code != 0 and "there is no such file" in said
