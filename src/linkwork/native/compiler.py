"""C text in, a loaded shared library out, compiled at most once. Knows nothing of what the code computes.

Libraries are cached under the hash of source, compiler, flags and processor. The name of a cached file carries the
digest of its content, so a damaged entry is noticed and made anew; files appear by renaming, so two processes may
compile the same kernel at once.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import platform
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from linkwork.clock import check_time, seconds_left
from linkwork.errors import CompilerError

FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
TUNING = ("-march=native",)
COMPILE_SECONDS = 300


@functools.cache
def find_compiler() -> tuple[str, ...] | None:
    """The command of a C compiler: $CC, cc, gcc, clang or the ziglang wheel; None if there is none.

    LINKWORK_COMPILER=none switches compiled code off.
    """
    if os.environ.get("LINKWORK_COMPILER", "").lower() == "none":
        return None
    for text in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        words = _words(text)
        if words and (path := shutil.which(words[0])):
            return (path, *words[1:])
    return (sys.executable, "-m", "ziglang", "cc") if find_spec("ziglang") else None


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an open quotation mark is no command
        return []


def load(sources: Mapping[str, str], headers: Mapping[str, str]) -> dict[str, ctypes.CDLL]:
    """Compile (or find) each source with the headers beside it and load the libraries, by name."""
    command = find_compiler()
    if command is None:
        raise CompilerError("no C compiler found")
    folder = _cache_folder()
    keys = {name: _key(source, headers, command) for name, source in sources.items()}
    found = {name: library for name, key in keys.items() if (library := _find(folder, key))}
    missing = [name for name in sources if name not in found]
    running = {name: _Compilation(folder, keys[name], sources[name], headers, command) for name in missing}
    try:
        return found | {name: compilation.finish() for name, compilation in running.items()}
    finally:
        # if one of them failed, the others are of no use
        for compilation in running.values():
            compilation.abandon()


# -- cache -----------------------------------------------------------------------------------------------------------


@functools.cache
def _cache_folder() -> Path:
    """The user's cache, or a private temporary folder if that is not safe to use."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(os.environ.get("LINKWORK_CACHE") or os.path.join(base, "linkwork"))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        if _is_private(folder):
            return folder
    except OSError:
        pass
    private = Path(tempfile.mkdtemp(prefix="linkwork-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private


def _is_private(folder: Path) -> bool:
    """Nobody else may write there: what lies in it will be executed."""
    if not hasattr(os, "getuid"):
        return True
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def _machine() -> str:
    """What the tuned code depends on: the processor's features."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            features = next((line for line in lines if line.lower().startswith(("flags", "features"))), "")
    except OSError:
        features = ""
    return f"{platform.system()} {platform.machine()} {platform.processor()} {features}"


def _key(source: str, headers: Mapping[str, str], command: tuple[str, ...]) -> str:
    status = os.stat(command[0])
    identity = (command, status.st_size, status.st_mtime_ns, FLAGS, TUNING, _machine(), source, sorted(headers.items()))
    return hashlib.sha256(repr(identity).encode()).hexdigest()[:32]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _find(folder: Path, key: str) -> ctypes.CDLL | None:
    """The cached library of a key whose content is what its name says; ones that are damaged are removed."""
    for path in sorted(folder.glob(f"{key}-*.so")):
        with contextlib.suppress(OSError):
            if _digest(path.read_bytes()) == path.stem.split("-")[1]:
                return ctypes.CDLL(str(path))
        with contextlib.suppress(OSError):
            path.unlink()
    return None


class _Compilation:
    """One run of the compiler in a folder of its own, going on while others start."""

    def __init__(
        self, folder: Path, key: str, source: str, headers: Mapping[str, str], command: tuple[str, ...]
    ) -> None:
        self.folder, self.key, self.command = folder, key, command
        self.scratch = Path(tempfile.mkdtemp(prefix=".build-", dir=folder))
        for name, text in {"kernel.c": source, **headers}.items():
            (self.scratch / name).write_text(text, encoding="utf-8")
        self.process = self._start(TUNING)

    def _start(self, tuning: tuple[str, ...]) -> subprocess.Popen[str]:
        words = [*self.command, *FLAGS, *tuning, "-o", "kernel.so", "kernel.c", "-lm"]
        return subprocess.Popen(
            words,
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def finish(self) -> ctypes.CDLL:
        """Wait, move the library into the cache and load it."""
        try:
            output = self._wait()
            if self.process.returncode:
                # a compiler that does not know the tuning flags still gets its chance
                self.process = self._start(())
                output = self._wait()
            if self.process.returncode:
                raise CompilerError(f"'{' '.join(self.command)}' failed on generated code:\n{output.strip()}")
            made = self.scratch / "kernel.so"
            if not made.exists():
                raise CompilerError(f"'{' '.join(self.command)}' made no library")
            path = self.folder / f"{self.key}-{_digest(made.read_bytes())}.so"
            os.replace(made, path)
            return ctypes.CDLL(str(path))
        except OSError as error:
            raise CompilerError(f"compiled code cannot be kept or loaded in '{self.folder}': {error}") from error
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def abandon(self) -> None:
        """Leave nothing behind, unless it is finished anyway."""
        if self.process.stdout and not self.process.stdout.closed:
            self.process.kill()
            self.process.communicate()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _wait(self) -> str:
        try:
            output, _ = self.process.communicate(timeout=max(0.0, min(COMPILE_SECONDS, seconds_left())))
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            self.process.communicate()
            check_time("compiling")
            raise CompilerError(f"'{' '.join(self.command)}' did not finish in {COMPILE_SECONDS} s") from error
        return output
