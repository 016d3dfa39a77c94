"""The cache of compiled code: used when sound, made anew when damaged, shared by processes, never trusted blindly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.errors import CompilerError
from linkwork.native import compiler

pytestmark = pytest.mark.needs_compiler
SOURCE = "int answer(void) { return 42; }"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    compiler._cache_folder.cache_clear()
    yield tmp_path / "cache"
    compiler._cache_folder.cache_clear()


def answer():
    return compiler.load({"a": SOURCE}, {})["a"].answer()


def test_code_is_compiled_once(folder, compilations):
    assert answer() == answer() == 42
    assert len(compilations) == 1
    assert [path.suffix for path in folder.iterdir()] == [".so"]  # no scratch is left


def test_equal_code_under_two_names_is_one_library(folder):
    both = compiler.load({"a": SOURCE, "b": SOURCE}, {})
    assert both["a"].answer() == both["b"].answer() == 42
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_entry_is_made_anew(folder, compilations, damage):
    # compiled by another process, since a loaded library must not be overwritten
    run = f"from linkwork.native import compiler; compiler.load(dict(a={SOURCE!r}), dict())"
    subprocess.run([sys.executable, "-c", run], check=True, env=child_environment(LINKWORK_CACHE=str(folder)))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    assert answer() == 42
    assert len(compilations) == 1
    assert path.read_bytes() == whole


def test_an_entry_that_cannot_be_loaded_is_made_anew(folder, compilations):
    # its name matches its content, and yet it is no library
    folder.mkdir(mode=0o700)
    key = compiler._key(SOURCE, {}, compiler.find_compiler())
    bad = folder / f"{key}-{compiler._digest(b'no library')}.so"
    bad.write_bytes(b"no library")
    assert answer() == 42


def test_other_source_headers_and_flags_are_other_entries(folder, compilations, monkeypatch):
    answer()
    compiler.load({"a": SOURCE + "\n"}, {})
    compiler.load({"a": SOURCE}, {"other.h": ""})
    monkeypatch.setattr(compiler, "FLAGS", (*compiler.FLAGS, "-DX=1"))
    answer()
    assert len(set(compilations)) == 4


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_others_can_write_to_is_not_used(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    assert answer() == 42
    assert not list(folder.iterdir())
    assert compiler._cache_folder() != folder


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_not_used(folder):
    folder.mkdir(mode=0o500)
    assert answer() == 42
    assert compiler._cache_folder() != folder


def test_a_cache_that_is_a_file_is_not_used(folder):
    folder.write_text("in the way")
    assert answer() == 42
    assert folder.read_text() == "in the way"


def test_two_processes_may_compile_the_same_at_once(folder):
    run = f"from linkwork.native import compiler; print(compiler.load(dict(a={SOURCE!r}), dict())['a'].answer())"
    environment = child_environment(LINKWORK_CACHE=str(folder))
    children = [
        subprocess.Popen([sys.executable, "-c", run], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [child.communicate()[0].strip() for child in children] == ["42"] * 4
    assert len(list(folder.iterdir())) == 1


def test_changing_a_parameter_compiles_nothing(load_example, folder, compilations):
    pendulum = load_example("mechanism0")
    pendulum.with_parameters(L=10).simulate(0.1)
    before = len(compilations)
    motion = pendulum.with_parameters(L=12, k=50, torque=-1, m=0.1).simulate(0.1)
    assert motion.stats.compiled
    assert len(compilations) == before


def test_one_more_link_compiles_nothing_beyond_the_widest_block(folder, compilations):
    def chain(n):
        rods = [lw.Rigid.rod(f"P{i}P{i + 1}", 1, 1) for i in range(n)]
        return lw.Assembly(lw.Mechanism(fixed={"P0": ()}, rigids=rods, gravity=(0, -10)))

    chain(9).simulate(0.01)
    before = len(compilations)
    chain(30).simulate(0.01)
    assert len(compilations) == before


def test_code_that_does_not_compile_is_an_error_with_the_compilers_words_and_leaves_nothing(folder):
    with pytest.raises(CompilerError, match="error"):
        compiler.load({"a": "this is not C", "b": SOURCE, "c": SOURCE + " "}, {})
    assert not [path for path in folder.iterdir() if path.is_dir()]


@pytest.fixture
def environment(monkeypatch):
    compiler.find_compiler.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    compiler.find_compiler.cache_clear()


def test_the_compiler_of_the_environment_comes_first(environment):
    environment.setenv("CC", f"{sys.executable} -X dev")
    assert compiler.find_compiler() == (sys.executable, "-X", "dev")


def test_a_compiler_that_is_not_there_is_passed_over(environment):
    environment.setenv("CC", "no-such-compiler-anywhere")
    assert Path(compiler.find_compiler()[0]).name in ("cc", "gcc", "clang")


@pytest.mark.parametrize("text", ["'", '"cc', "  "])
def test_a_garbled_compiler_variable_is_passed_over(environment, text):
    environment.setenv("CC", text)
    assert compiler.find_compiler()


def test_a_compiler_can_be_refused(environment):
    environment.setenv("LINKWORK_COMPILER", "none")
    assert compiler.find_compiler() is None


def test_a_broken_compiler_leaves_the_interpreter(folder, environment, examples, caplog):
    environment.setenv("CC", "/bin/false")
    motion = lw.load(examples / "mechanism1a.yaml").simulate(0.01, tol=1e-6)
    assert not motion.stats.compiled
    assert "running in Python, slower" in caplog.text


def child_environment(**changes):
    source = str(Path(lw.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source, **changes}
