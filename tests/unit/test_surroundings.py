"""A command among signals and streams: it says what it can to whom it can, and leaves all as it was."""

import gc
import logging
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and streams as on POSIX")

FILE = Path(__file__).parents[2] / "examples" / "four-bar.yaml"
SOURCE = str(Path(lw.__file__).parents[1])
CHECK = ["-m", "linkwork", "check", str(FILE)]


def run(shell, *words, **variables):
    """A command of Python whose streams a shell puts in place."""
    line = ["sh", "-c", f'"$0" "$@" {shell}', sys.executable, *words]
    environment = {**os.environ, "PYTHONPATH": SOURCE, **variables}
    # tests may run in the background of a shell, where interrupts are ignored
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.run(line, capture_output=True, text=True, env=environment, timeout=120, preexec_fn=heard)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", [CHECK, ["-m", "linkwork", "--version"]], ids=["check", "version"])
def test_a_command_is_done_though_a_stream_is_closed(closed, words):
    done = run(closed, *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (">&- 2" not in closed and not closed.startswith(">&-") and " >&-" not in closed)


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", ">&- 2>&-"])
def test_bad_input_is_code_2_though_nobody_can_be_told(closed):
    done = run(closed, "-m", "linkwork", "check", "nothing.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


@pytest.mark.parametrize(
    "words", [CHECK, ["-m", "linkwork", "--help"], ["-m", "linkwork", "schema"]], ids=lambda w: w[2]
)
def test_a_full_device_is_told_and_code_1(words):
    done = run(">/dev/full", *words)
    assert (done.returncode, done.stderr) == (1, "linkwork: cannot print: No space left on device\n")


def test_a_reader_that_leaves_ends_a_command_in_words():
    done = run("| head -c 1; exit 0", "-m", "linkwork", "schema")
    assert done.stdout == "{" and done.stderr in ("", "linkwork: cannot print: Broken pipe\n")


def test_signs_that_an_output_lacks_are_spelled_out():
    plain = run("", *CHECK, PYTHONIOENCODING="ascii")
    assert plain.returncode == 0 and plain.stderr == ""
    assert run("", "-m", "linkwork", "check", "Ω.yaml", PYTHONIOENCODING="latin-1").stderr.startswith("linkwork: ")


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path):
    target = tmp_path / "motion.csv"
    done = run("<&- >&- 2>&-", "-m", "linkwork", "run", str(FILE), "--until", "0.1", "--out", str(target))
    assert done.returncode == 0 and target.read_text().startswith("t")


# a finder that sends a signal to its own process when a module is looked for
SIGNAL = """
import os, signal, sys
class Finder:
    def find_spec(name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.{signal})
sys.meta_path.insert(0, Finder)
"""
IMPORTED = ["linkwork.cli.commands", "typer", "linkwork.cli.run", "linkwork.errors", "numpy", "numpy.linalg",
            "numpy._core._multiarray_umath", "yaml", "scipy.sparse", "linkwork.pipeline", "linkwork.solve"]  # fmt: skip


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("module", IMPORTED)
def test_an_interrupt_while_modules_are_imported_ends_in_words(module, name):
    program = SIGNAL.format(name=module, signal=name) + "from linkwork.cli import main; main()"
    done = run("", "-c", program, *CHECK[2:])
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "linkwork: interrupted\n")


def test_who_ignores_signals_goes_on_ignoring_them():
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    )
    for name in ("SIGINT", "SIGTERM"):
        ignored = program + SIGNAL.format(name="scipy.sparse", signal=name) + "from linkwork.cli import main; main()"
        done = run("", "-c", ignored, *CHECK[2:])
        assert done.returncode == 0 and done.stdout and not done.stderr


def test_little_is_imported_before_signals_are_heard():
    program = "import sys; before = set(sys.modules); import linkwork.cli; print(*(set(sys.modules) - before))"
    new = set(run("", "-c", program).stdout.split())
    assert {n for n in new if n.startswith("linkwork")} == {"linkwork", "linkwork.cli", "linkwork.cli.surroundings"}
    assert not new & {"numpy", "typer", "re", "typing", "dataclasses", "pathlib"}


@pytest.mark.parametrize("words", [["--version"], ["check", str(FILE)], ["check", "nothing.yaml"], ["run", "--no-such"],
                                   ["run", str(FILE), "--until", "0.01", "-q", "--out", "{folder}/a.csv"]])  # fmt: skip
def test_a_command_in_this_process_leaves_everything_as_it_was(monkeypatch, capsys, tmp_path, words):
    def look():
        handlers = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)]
        levels = logging.getLogger("linkwork.compiler").level, tuple(logging.getLogger().handlers)
        return handlers, gc.get_threshold(), levels, dict(os.environ), sys.stdin, sys.stdout, sys.stderr

    before = look()
    monkeypatch.setattr(sys, "argv", ["linkwork", *(word.format(folder=tmp_path) for word in words)])
    with pytest.raises(SystemExit):
        main()
    assert look() == before


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted on Linux")
def test_matrices_of_a_command_have_one_thread_whatever_the_environment_says():
    program = (
        "import os, sys; from linkwork.cli import main\n"
        "try: main()\n"
        "finally: print(len(os.listdir('/proc/self/task')), os.environ['OPENBLAS_NUM_THREADS'])"
    )
    done = run("", "-c", program, "check", str(FILE), OPENBLAS_NUM_THREADS="16", OMP_NUM_THREADS="16")
    assert done.stdout.splitlines()[-1] == "1 16"


def test_a_command_runs_in_any_thread():
    program = (
        "import sys, threading; from linkwork.cli import main; sys.argv = ['linkwork', '--version']\n"
        "thread = threading.Thread(target=main); thread.start(); thread.join()"
    )
    done = run("", "-c", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"linkwork {lw.__version__}\n", "")
