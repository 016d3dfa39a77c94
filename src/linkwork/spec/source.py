"""A path -> text, refusing what cannot be a mechanism before reading it. Knows nothing of YAML."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, NoReturn

from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_value

MAX_BYTES = 32 * 1024 * 1024
# what a shell pipes in, which ends: of a pipe by name nobody knows
STDIN, DESCRIPTORS = Path("/dev/stdin"), (Path("/dev/fd"), Path("/proc/self/fd"))
LIMIT = f"{MAX_BYTES // 2**20} MB"


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file of at most 32 MB; anything else is an InputError in words."""
    try:
        file = Path(path)
    except TypeError:
        what, remedy = f"{show_value(path)} is no file name", "Give a text such as 'arm.yaml'"
        raise InputError([Problem(ref=Ref("load"), what=what, remedy=remedy)]) from None
    try:
        data = _read_bytes(file)
    except FileNotFoundError:
        _refuse(path, "there is no such file", find_neighbour(file))
    except IsADirectoryError:
        _refuse(path, "is a directory", "Name a file in it")
    except PermissionError:
        _refuse(path, "may not be read", "Change its permissions")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _refuse(path, f"cannot be read: {reason}", "")
    if file.suffix == ".py":
        _refuse(path, "is a script, no description", "Run it with python; models have simulate(), show(), export()")
    return decode(data, os.fspath(path))


def read_input(stream: BinaryIO, source: str) -> str:
    """The same from an open stream, which messages call `source`."""
    return decode(_read_stream(stream, source), source)


def decode(data: bytes, source: str) -> str:
    """UTF-8 bytes as text, with the line of the first byte that is not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8 text (byte 0x{data[error.start]:02x})"
        problem = Problem(file=source, line=line, what=what, remedy="Save the file as UTF-8")
        raise InputError([problem]) from None
    if "\0" in text:
        _refuse(source, "is a binary file", "Name a text file in YAML")
    return text


def _read_bytes(file: Path) -> bytes:
    if file.is_dir():
        raise IsADirectoryError
    about = file.stat()
    if not (stat.S_ISREG(about.st_mode) or file == STDIN or file.parent in DESCRIPTORS):
        _refuse(file, "is no regular file", "Name a file that is, or give its text to linkwork.loads")
    size = about.st_size
    if size > MAX_BYTES:
        _refuse(file, f"is too large ({size / 2**20:.0f} MB)", f"The limit is {LIMIT}")
    with file.open("rb") as stream:
        return _read_stream(stream, os.fspath(file))


def _read_stream(stream: BinaryIO, source: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        _refuse(source, f"is larger than {LIMIT}", "Write a smaller file")
    return data


def find_neighbour(file: Path) -> str:
    """A suggestion from the files in the same directory, for a file that is not there."""
    try:
        with os.scandir(file.parent) as entries:
            names = [entry.name for entry, _ in zip(entries, range(1000), strict=False)]
    except OSError:
        return "Check the path"
    return did_you_mean(file.name, names) or "Check the path"


def _refuse(path: str | os.PathLike[str], what: str, remedy: str) -> NoReturn:
    raise InputError([Problem(file=os.fspath(path), what=what, remedy=remedy)]) from None
