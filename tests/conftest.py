"""What all tests share: limits of time, one BLAS thread, examples by name, commands, hypothesis, compilers."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import linkwork as lw
from limits import Limits
from linkwork.cli import main

ROOT = Path(__file__).parents[1]

# before numpy is imported: two workers with all threads each would only be in each other's way
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# kernels that only tests need do not belong into the user's cache
os.environ.setdefault("LINKWORK_CACHE", str(ROOT / ".pytest_cache" / "linkwork"))

# the same examples everywhere, no clocks; shrinking a mechanism takes minutes and can be asked for by hand
settings.register_profile(
    "linkwork",
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
# `make test-long` tries other examples every time
settings.register_profile(
    "fresh", parent=settings.get_profile("linkwork"), derandomize=False, database=None, max_examples=200
)
settings.load_profile(os.environ.get("LINKWORK_EXAMPLES", "linkwork"))


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_compiler: skipped where there is no C compiler")
    if os.name == "posix":
        config.pluginmanager.register(Limits())


def pytest_collection_modifyitems(items):
    from linkwork.native import find_compiler

    if find_compiler() is None:
        for item in items:
            if item.get_closest_marker("needs_compiler"):
                item.add_marker(pytest.mark.skip(reason="there is no C compiler"))


@pytest.fixture(scope="session")
def examples():
    """The folder of the examples."""
    return ROOT / "examples"


@pytest.fixture(scope="session")
def load_example(examples):
    """An example by name; made once for all tests of a worker."""
    made = {}

    def load(name):
        if name not in made:
            made[name] = lw.load(examples / f"{name}.yaml")
        return made[name]

    return load


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command in this process: exit code, what it printed, what it complained."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["linkwork", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return ended.value.code or 0, printed.out, printed.err

    return run


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def compilations(monkeypatch):
    """The keys of what is compiled while a test runs."""
    from linkwork.native import compiler

    made = []

    class Counted(compiler._Compilation):
        def __init__(self, folder, keys, *rest):
            made.extend(keys.values())
            super().__init__(folder, keys, *rest)

    monkeypatch.setattr(compiler, "_Compilation", Counted)
    return made


@pytest.fixture(autouse=True)
def functions_stay_in_their_test(monkeypatch):
    """What a test registers with `lw.function` is forgotten after it."""
    from linkwork.model import functions

    monkeypatch.setattr(functions, "_registered", functions._registered)


@pytest.fixture(autouse=True, scope="module")
def what_a_file_registers_is_forgotten():
    """Functions and kinds of joints that the fixtures of a file register are not known to the others."""
    from linkwork.model import functions
    from linkwork.model.joints import kinds

    registered, before = functions._registered, dict(kinds._table)
    yield
    functions._registered = registered
    if kinds._table != before:
        kinds._table.clear()
        kinds._table.update(before)
        kinds._version[0] += 1
