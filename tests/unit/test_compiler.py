"""The cache of compiled code: used when sound, made anew when damaged, shared by processes, never trusted blindly."""

import errno
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.errors import CompilerError
from linkwork.native import compiler

pytestmark = pytest.mark.needs_compiler
SOURCE = compiler.Source("int answer(void) { return 42; }")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("LINKWORK_CACHE", str(tmp_path / "cache"))
    compiler._cache_folder.cache_clear()
    yield tmp_path / "cache"
    compiler._cache_folder.cache_clear()


def answer():
    return compiler.load([SOURCE])[SOURCE].answer()


def makers(count, head=""):
    """Sources that export KERNEL(answer), each with an answer of its own."""
    return [compiler.Source(f"int KERNEL(answer)(void) {{ return {i}; }}", head) for i in range(count)]


def answers(libraries):
    return [getattr(library, source.symbol("answer"))() for source, library in libraries.items()]


def test_code_is_compiled_once(folder, compilations):
    assert answer() == answer() == 42
    assert len(compilations) == 1
    assert [path.suffix for path in folder.iterdir()] == [".so"]  # no scratch is left


def test_equal_code_is_one_library(folder):
    both = compiler.load([SOURCE, compiler.Source(SOURCE.body)])
    assert [library.answer() for library in both.values()] == [42]
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_a_damaged_entry_is_made_anew(folder, compilations, damage):
    # compiled by another process, since a loaded library must not be overwritten
    run = f"from linkwork.native import compiler; compiler.load([compiler.{SOURCE!r}])"
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
    key = compiler._key(SOURCE, compiler.find_compiler())
    bad = folder / f"{key}-{compiler._digest(b'no library')}.so"
    bad.write_bytes(b"no library")
    assert answer() == 42


@pytest.mark.parametrize(
    "make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path)]
)
def test_what_is_no_file_in_the_cache_keeps_nobody_waiting_and_is_made_anew(folder, compilations, make):
    folder.mkdir(mode=0o700)
    key = compiler._key(SOURCE, compiler.find_compiler())
    make(folder / f"{key}-{'0' * 32}.so")
    assert answer() == 42
    assert [path.is_file() and not path.is_symlink() for path in folder.iterdir()] == [True]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="files as on POSIX")
@pytest.mark.parametrize("named", ["right", "wrong"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "full folder", "link", "dangling link", "endless link", "device"])
def test_what_is_no_file_of_the_cache_is_neither_read_nor_followed(folder, tmp_path, kind, named):
    answer()
    (path,) = folder.iterdir()
    other, whole = tmp_path / "other.so", path.read_bytes()
    other.write_bytes(whole)
    os.utime(other, (0, 0))
    path.unlink()
    if named == "wrong":
        path = path.with_name(f"{path.stem.split('-')[0]}-{'0' * 32}.so")
    if kind == "pipe":
        os.mkfifo(path)
    elif "folder" in kind:
        path.mkdir()
        if kind == "full folder":
            (path / "kept").write_text("by somebody")
    else:
        targets = {"dangling link": tmp_path / "nowhere", "endless link": path, "device": Path("/dev/zero")}
        path.symlink_to(targets.get(kind, other))
    for _ in range(2):
        assert answer() == 42
    assert other.read_bytes() == whole and other.stat().st_mtime == 0
    assert not (tmp_path / "nowhere").exists() and (kind != "full folder" or (path / "kept").exists())


def test_other_source_headers_and_flags_are_other_entries(folder, compilations, monkeypatch):
    answer()
    compiler.load([compiler.Source(SOURCE.body + "\n")])
    compiler.load([replace(SOURCE, headers=(("other.h", ""),))])
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


def test_no_folder_at_all_is_said(folder, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    folder.write_text("in the way")
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(CompilerError, match="there is no folder to compile in: No space left on device"):
        answer()


def test_two_processes_may_compile_the_same_at_once(folder):
    run = f"from linkwork.native import compiler as c; s = c.{SOURCE!r}; print(c.load([s])[s].answer())"
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
        return lw.Model(lw.Mechanism(fixed={"P0": ()}, rigids=rods, gravity=(0, -10)))

    chain(9).simulate(0.01)
    before = len(compilations)
    chain(30).simulate(0.01)
    assert len(compilations) == before


def test_code_that_does_not_compile_is_an_error_with_the_compilers_words_and_leaves_nothing(folder):
    with pytest.raises(CompilerError, match="error"):
        compiler.load([compiler.Source("this is not C"), *makers(3)])
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


# -- units ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def units(monkeypatch):
    """How many sources each run of the compiler gets, and how many compilers run at once."""
    sizes, running, most = [], [], []

    class Counted(compiler._Compilation):
        def run(self):
            sizes.append(len(self.keys))
            running.append(self)
            most.append(len(running))
            try:
                return super().run()
            finally:
                running.remove(self)

    monkeypatch.setattr(compiler, "_Compilation", Counted)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    return sizes, most


def test_many_small_sources_are_few_units_and_each_is_found_again_whatever_it_was_compiled_with(folder, units):
    sources = makers(60)
    assert answers(compiler.load(sources)) == list(range(60))
    assert units[0] == [60]
    assert answers(compiler.load(sources[7:9] + makers(3, "/* else */"))) == [7, 8, 0, 1, 2]
    assert units[0] == [60, 3]
    assert len({path.stat().st_ino for path in folder.iterdir()}) == 2


def test_no_more_compilers_run_than_there_are_processors(folder, units, monkeypatch):
    monkeypatch.setattr(compiler, "SMALLEST_UNIT", 10)
    monkeypatch.setattr(compiler, "LARGEST_UNIT", 100)
    assert answers(compiler.load(makers(9))) == list(range(9))
    assert len(units[0]) > 2
    assert max(units[1]) <= 2


def test_sources_of_different_heads_or_flags_are_not_mixed(folder):
    text = "int KERNEL(answer)(void) { return N; }"
    sources = [compiler.Source(text, f"#define N {i}") for i in (1, 2)]
    sources += [compiler.Source(text, "", (f"-DN={i}",)) for i in (3, 4)]
    assert answers(compiler.load(sources)) == [1, 2, 3, 4]


def test_a_folder_without_hard_links_gets_copies(folder, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    assert answers(compiler.load(makers(3))) == [0, 1, 2]
    assert len(list(folder.iterdir())) == 3


# -- the size of the cache --------------------------------------------------------------------------------------------


def test_the_cache_keeps_what_was_used_last(folder, monkeypatch):
    old, used, new = makers(3)
    for age, source in ((9_000, old), (9_500, used)):
        compiler.load([source])
        (path,) = folder.glob(f"{compiler._key(source, compiler.find_compiler())}-*.so")
        os.utime(path, (path.stat().st_atime - age, path.stat().st_mtime - age))
    size = path.stat().st_size
    compiler.load([used])  # read from the cache, hence younger than the other
    monkeypatch.setenv("LINKWORK_CACHE_MB", str(2.5 * size / 2**20))
    compiler.load([new])
    kept = {path.name.partition("-")[0] for path in folder.iterdir()}
    assert kept == {compiler._key(source, compiler.find_compiler()) for source in (used, new)}


def test_a_cache_without_room_still_gives_code(folder, monkeypatch):
    monkeypatch.setenv("LINKWORK_CACHE_MB", "0")
    assert answers(compiler.load(makers(3))) == [0, 1, 2]
    assert not list(folder.iterdir())


def test_files_of_others_in_the_folder_of_the_cache_are_left_alone(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    others = [folder / "mine.so", folder / f"{'0' * 32}-.so", folder / "notes.txt"]
    for path in others:
        path.write_text("precious")
        os.utime(path, (0, 0))
    monkeypatch.setenv("LINKWORK_CACHE_MB", "0")
    assert answers(compiler.load(makers(2))) == [0, 1]
    assert sorted(folder.iterdir()) == sorted(others)


def test_what_killed_processes_left_is_removed(folder):
    (folder / ".build-old").mkdir(parents=True)
    (folder / ".build-new").mkdir()
    folder.chmod(0o700)
    os.utime(folder / ".build-old", (0, 0))
    answer()
    assert [path.name for path in folder.iterdir() if path.is_dir()] == [".build-new"]


# -- compilers that fail ----------------------------------------------------------------------------------------------


def make_compiler(environment, path, text, mode=0o755):
    path.write_bytes(text)
    path.chmod(mode)
    environment.setenv("CC", str(path))
    return path


def test_a_compiler_that_speaks_latin_1_is_quoted(folder, environment, tmp_path):
    make_compiler(environment, tmp_path / "cc", b"#!/bin/sh\nprintf 'error: ung\\374ltig'\nexit 1\n")
    with pytest.raises(CompilerError, match="failed on generated code:\nerror: ung\ufffdltig"):
        answer()


def test_a_compiler_that_is_no_program_is_named(folder, environment, tmp_path):
    path = make_compiler(environment, tmp_path / "cc", b"\x00\x01 no program")
    with pytest.raises(CompilerError, match=f"'{path}' cannot be run: "):
        answer()


def test_a_compiler_that_never_ends_is_stopped(folder, environment, tmp_path, monkeypatch):
    make_compiler(environment, tmp_path / "cc", b"#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(compiler, "COMPILE_SECONDS", 0.2)
    with pytest.raises(CompilerError, match=r"did not finish in 0\.2 s"):
        answer()


def test_a_time_limit_holds_for_the_compiler(folder, environment, tmp_path):
    make_compiler(environment, tmp_path / "cc", b"#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(lw.TimeLimitError, match=r"compiling was not finished in 0\.3 s"), lw.time_limit(0.3):
        answer()


def test_a_compiler_that_is_no_program_leaves_the_interpreter(folder, environment, tmp_path, examples, caplog):
    make_compiler(environment, tmp_path / "cc", b"no program")
    assert not lw.load(examples / "mechanism1a.yaml").simulate(0.01, tol=1e-6).stats.compiled
    assert "running in Python, slower" in caplog.text


def test_compiling_is_told(folder, caplog):
    caplog.set_level("INFO", logger="linkwork.compiler")
    compiler.load(makers(3))
    assert caplog.messages == [f"compiling {i} of 3 kernels, once, then cached" for i in (0, 3)]
    caplog.clear()
    compiler.load(makers(3))
    assert not caplog.messages
