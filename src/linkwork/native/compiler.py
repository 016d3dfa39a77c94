"""C text in, loaded shared libraries out, compiled at most once. Knows nothing of what the code computes.

Sources that share flags are compiled together, in as many units as there are processors, those with the same head in
one file: a compiler takes longer to start than to translate a small kernel. Each source is found again by its own key,
the hash of its text, compiler, flags and processor, whatever it was compiled with: its cached file is one more name (a
hard link) of the unit's library. The name carries the digest of the content, so a damaged entry is noticed and made
anew; files appear by linking, so two processes may compile the same at once. What has not been used for longest is
removed when the cache grows too large.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import logging
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from linkwork.clock import check_time, seconds_left
from linkwork.errors import CompilerError

FLAGS = ("-O3", "-std=gnu11", "-fPIC", "-shared", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")
TUNING = "-march=native"  # what code is made for; LINKWORK_TUNING says otherwise
# straight text: more optimisation takes twice as long and gains next to nothing, but for products and sums in one
BRIEF = "-O1", "-fexpensive-optimizations"
LEAN = "-Og", "-fexpensive-optimizations"  # of text so long that registers would be shared out for minutes
OF_GCC = "--param", "-fno-"  # how flags of sources begin that other compilers need not know
COMPILE_SECONDS = 300
SMALLEST_UNIT, LARGEST_UNIT = 20_000, 400_000  # characters of text compiled at once
CACHE_BYTES = 256 << 20  # kept; LINKWORK_CACHE_MB says otherwise
STALE = 86_400  # seconds after which what a killed process has left behind is removed
ENTRY = re.compile(r"[0-9a-f]{32}-[0-9a-f]{32}\.so")  # names of libraries: of what they are made, and what they are
SEEN = 3_600  # seconds after which an entry in use is marked as used again

log = logging.getLogger("linkwork.compiler")


@dataclass(frozen=True, slots=True)
class Source:
    """C text. The names it exports are written KERNEL(name) and become `source.symbol(name)`.

    `flags` and `headers`, files by name, are what all sources compiled together have in common, `head` (definitions) is
    what those in one file have.
    """

    body: str
    head: str = ""
    flags: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def tag(self) -> str:
        """What tells its names from those of other sources."""
        return hashlib.sha256(repr((self.flags, self.head, self.body)).encode()).hexdigest()[:16]

    @property
    def company(self) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """What it must have in common with sources it is compiled with."""
        return self.flags, self.headers

    def symbol(self, name: str) -> str:
        """The name under which a library exports KERNEL(name)."""
        return f"{name}_{self.tag}"

    @property
    def text(self) -> str:
        """The body, for a file that begins with the head."""
        return f"#define KERNEL(name) name##_{self.tag}\n{self.body}\n#undef KERNEL\n"


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


def _tuning() -> tuple[str, ...]:
    """The flags that say which processor code is made for."""
    return tuple(_words(os.environ.get("LINKWORK_TUNING", TUNING)))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an open quotation mark is no command
        return []


def load(sources: Iterable[Source]) -> dict[Source, ctypes.CDLL]:
    """Compile (or find) the sources and load the libraries they are in."""
    command = find_compiler()
    if command is None:
        raise CompilerError("no C compiler found")
    folder = _cache_folder()
    keys = {source: _key(source, command) for source in sources}
    found = _find(folder, keys)
    missing = {source: key for source, key in keys.items() if source not in found}
    if missing:
        found |= _compile(folder, missing, command)
        _trim(folder)
    return {source: found[source] for source in keys}


def _compile(folder: Path, keys: Mapping[Source, str], command: tuple[str, ...]) -> dict[Source, ctypes.CDLL]:
    """The libraries of sources that are not in the cache; no more compilers run at once than there are processors."""
    cores = os.cpu_count() or 1
    seconds = min(COMPILE_SECONDS, seconds_left())
    units = [
        _Compilation(folder, {source: keys[source] for source in unit}, command, seconds)
        for unit in _units(keys, cores)
    ]
    found: dict[Source, ctypes.CDLL] = {}
    log.info("compiling %d of %d kernels, once, then cached", 0, len(keys))
    with ThreadPoolExecutor(min(cores, len(units))) as pool:
        try:
            for made in as_completed([pool.submit(unit.run) for unit in units]):
                found |= made.result()
                log.info("compiling %d of %d kernels, once, then cached", len(found), len(keys))
        except BaseException:
            # if one of them failed, the others are of no use
            for unit in units:
                unit.abandon()
            pool.shutdown(cancel_futures=True)
            check_time("compiling")
            raise
    return found


def _units(sources: Collection[Source], cores: int) -> list[list[Source]]:
    """Sources to be compiled together: about the same amount of text in each unit, the largest first."""
    total = sum(len(source.body) for source in sources)
    target = min(LARGEST_UNIT, max(SMALLEST_UNIT, total / cores))
    units: list[list[Source]] = []
    for company in dict.fromkeys(source.company for source in sources):
        group = sorted((s for s in sources if s.company == company), key=lambda s: (-len(s.body), s.tag))
        count = min(len(group), max(1, round(sum(len(s.body) for s in group) / target)))
        bins: list[list[Source]] = [[] for _ in range(count)]
        for source in group:
            min(bins, key=_size).append(source)
        units += bins
    return sorted(units, key=_size, reverse=True)


def _size(unit: Sequence[Source]) -> int:
    return sum(len(source.body) for source in unit)


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
    try:
        private = Path(tempfile.mkdtemp(prefix="linkwork-"))
    except OSError as error:
        raise CompilerError(f"there is no folder to compile in: {error.strerror}") from error
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


def _key(source: Source, command: tuple[str, ...]) -> str:
    status = os.stat(command[0])
    compiler = (command, status.st_size, status.st_mtime_ns, FLAGS, _tuning(), _machine())
    identity = (compiler, source.flags, source.head, source.body, source.headers)
    return hashlib.sha256(repr(identity).encode()).hexdigest()[:32]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """What is in the cache."""
    try:
        with os.scandir(folder) as found:
            for entry in found:
                with contextlib.suppress(OSError):  # another process was faster
                    yield Path(entry.path), entry.stat(follow_symlinks=False)
    except OSError:
        return


def _find(folder: Path, keys: Mapping[Source, str]) -> dict[Source, ctypes.CDLL]:
    """The cached libraries whose content is what their name says; ones that are damaged are removed."""
    found = {source: library for source, key in keys.items() if (library := _recall(folder, key)) is not None}
    wanted = {key for source, key in keys.items() if source not in found}
    if not wanted:
        return found
    paths: dict[str, list[Path]] = {}
    with contextlib.suppress(OSError):
        # a full cache has thousands of entries: only names are looked at
        for name in sorted(name for name in os.listdir(folder) if name.partition("-")[0] in wanted):
            if name.endswith(".so"):
                paths.setdefault(name.partition("-")[0], []).append(folder / name)
    for source, key in keys.items():
        library = next(filter(None, map(_open, paths.get(key, ()))), None) if key in wanted else None
        if library is not None:
            found[source] = library
    return found


# by folder and key: an entry that was opened, how it was found, and its library
_OPENED: dict[tuple[Path, str], tuple[Path, os.stat_result, ctypes.CDLL]] = {}


def _recall(folder: Path, key: str) -> ctypes.CDLL | None:
    """The library of an entry that this process has opened, if nobody has touched the entry since."""
    path, before, library = _OPENED.get((folder, key), (None, None, None))
    if path is None or before is None:
        return None
    try:
        now = os.lstat(path)
    except OSError:
        return None
    same = (now.st_size, now.st_mtime_ns, now.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
    return library if same and time.time() - now.st_mtime <= SEEN else None


def _open(path: Path) -> ctypes.CDLL | None:
    """The library of an entry; None, and the entry is gone, if it is damaged or no file of its own."""
    with contextlib.suppress(OSError):
        if _digest(_read(path)) == path.stem.split("-")[1]:
            library = ctypes.CDLL(str(path))
            if time.time() - path.lstat().st_mtime > SEEN:
                os.utime(path)
            _OPENED[path.parent, path.stem.split("-")[0]] = path, path.lstat(), library
            return library
    with contextlib.suppress(OSError):
        path.unlink()
    return None


def _read(path: Path) -> bytes:
    """The content of a regular file: no link is followed, no pipe is waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is no regular file")
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _trim(folder: Path) -> None:
    """Remove what has not been used for longest until the cache is within its limit, and what was left behind."""
    entries = sorted(_entries(folder), key=lambda entry: entry[1].st_mtime)
    libraries = {path: status for path, status in entries if ENTRY.fullmatch(path.name)}
    total = sum(status.st_size // max(1, status.st_nlink) for status in libraries.values())
    limit = _cache_limit()
    for path, status in libraries.items():
        if total <= limit:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= status.st_size // max(1, status.st_nlink)
    for path, status in entries:
        if stat.S_ISDIR(status.st_mode) and path.name.startswith(".build-") and time.time() - status.st_mtime > STALE:
            shutil.rmtree(path, ignore_errors=True)


def _cache_limit() -> float:
    try:
        return float(os.environ["LINKWORK_CACHE_MB"]) * 2**20
    except (KeyError, ValueError):
        return CACHE_BYTES


# -- compiling ---------------------------------------------------------------------------------------------------------


class _Compilation:
    """Sources with common flags compiled to one library, in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        keys: Mapping[Source, str],
        command: tuple[str, ...],
        seconds: float,
    ) -> None:
        self.folder, self.keys, self.command = folder, keys, command
        self.seconds, self.unwanted = seconds, False
        self.flags, self.headers = next(iter(keys)).company
        self.process: subprocess.Popen[bytes] | None = None

    def run(self) -> dict[Source, ctypes.CDLL]:
        """Compile, keep the library under the key of each source, and load it."""
        try:
            scratch = Path(tempfile.mkdtemp(prefix=".build-", dir=self.folder))
            try:
                return self._compile(scratch)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
        except OSError as error:
            raise CompilerError(f"compiled code cannot be kept or loaded in '{self.folder}': {error}") from error

    def _compile(self, scratch: Path) -> dict[Source, ctypes.CDLL]:
        texts: dict[str, list[str]] = {}  # by head
        for source in self.keys:
            texts.setdefault(source.head, []).append(source.text)
        files = {f"kernel{i}.c": "\n".join([head, *text]) for i, (head, text) in enumerate(texts.items())}
        for name, content in (*files.items(), *self.headers):
            (scratch / name).write_text(content, encoding="utf-8")
        # a compiler that does not know some flags still gets its chance
        known = [flag for flag in self.flags if not flag.startswith(OF_GCC)]
        for flags in dict.fromkeys([(*self.flags, *_tuning()), (*known, *_tuning()), (*known,)]):
            status, output = self._translate(scratch, [*files], flags)
            if not status:
                break
        if status:
            raise CompilerError(f"'{' '.join(self.command)}' failed on generated code:\n{output.strip()[:2000]}")
        made = scratch / "kernel.so"
        if not made.exists():
            raise CompilerError(f"'{' '.join(self.command)}' made no library")
        return {source: ctypes.CDLL(str(path)) for source, path in self._keep(made)}

    def _translate(self, scratch: Path, files: Sequence[str], flags: Sequence[str]) -> tuple[int, str]:
        """Run the compiler: its exit status and what it said."""
        words = [*self.command, *FLAGS, *flags, "-o", "kernel.so", *files, "-lm"]
        try:
            self.process = subprocess.Popen(
                words,
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, "TMPDIR": str(scratch)},
            )
        except OSError as error:
            raise CompilerError(f"'{' '.join(self.command)}' cannot be run: {error.strerror}") from error
        with self.process as process:
            if self.unwanted:
                process.kill()
            try:
                output, _ = process.communicate(timeout=self.seconds)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise CompilerError(f"'{' '.join(self.command)}' did not finish in {self.seconds:g} s") from error
            return process.returncode, output.decode("utf-8", errors="replace")

    def _keep(self, made: Path) -> Iterator[tuple[Source, Path]]:
        """The library under its names in the cache."""
        digest = _digest(made.read_bytes())
        for source, key in self.keys.items():
            path = self.folder / f"{key}-{digest}.so"
            try:
                os.link(made, path)
            except FileExistsError:
                if not stat.S_ISREG(path.lstat().st_mode):  # a folder is in the way
                    path = made
            except OSError:  # there are no hard links here
                copy = made.with_name(f"{key}.so")
                shutil.copyfile(made, copy)
                os.replace(copy, path)
            yield source, path

    def abandon(self) -> None:
        """Stop, wherever it is."""
        self.unwanted = True
        if self.process is not None:
            self.process.kill()
