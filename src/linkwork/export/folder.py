"""The folder of an export: texts by name in, files out. What is not ours, or was changed since, is left alone.

A list in the folder has the name and the SHA-256 of each file that was written. It may come from anybody: only plain
names of regular files are taken from it, and only files that still have the listed content are replaced or removed. No
link in the folder is followed, and files appear whole or not at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from linkwork.errors import LinkworkError, no_folder, show_value

OURS = ".linkwork-export"  # lists the files that are ours
# names of files that exports write
NAMES = re.compile(r"Makefile|README\.md|parameters\.txt|[A-Za-z]\w*\.(?:c|h|f90|py|jl|m|rs|fmu)", re.ASCII)
LINE = re.compile(r"([0-9a-f]{64})  (.+)")
LONGEST_LIST = 1 << 20  # bytes of a list that are read
MOST_NAMED = 5  # files in a message
OTHER = "no regular file"  # in place of a digest


def as_folder(given: object) -> Path:
    """The folder of this name."""
    if isinstance(given, str | os.PathLike) and isinstance(name := os.fspath(given), str) and "\0" not in name:
        return Path(name)
    raise LinkworkError(f"folder: {show_value(given)} is no name of a folder. Give a text or a Path")


def check_folder(folder: Path, force: bool) -> None:
    """Refuse before computing what may not be written afterwards."""
    shown = str(folder)[:200]
    try:
        if folder.exists() and not folder.is_dir():
            raise LinkworkError(f"'{shown}' is a file; choose a folder")
        if folder.is_dir() and any(folder.iterdir()) and not _has_list(folder) and not force:
            raise LinkworkError(
                f"the folder '{shown}' exists and was not written by export; choose another, or --force"
            )
        if not folder.exists() and not folder.absolute().parent.is_dir():
            raise LinkworkError(f"'{shown}': {no_folder(folder)}")
        place = folder if folder.is_dir() else folder.absolute().parent
        if not os.access(place, os.W_OK):
            raise LinkworkError(f"cannot write in '{str(place)[:200]}'")
    except (OSError, ValueError) as error:
        raise LinkworkError(f"'{shown}': {getattr(error, 'strerror', None) or error}") from error


def _has_list(folder: Path) -> bool:
    try:
        return stat.S_ISREG((folder / OURS).lstat().st_mode)
    except OSError:
        return False


def write_folder(folder: Path, texts: Mapping[str, str | bytes], force: bool) -> None:
    """Write all files; those of an earlier export that are no more go away. What others fill in or changed stays."""
    check_folder(folder, force)
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in texts.items()}
    assert all(NAMES.fullmatch(name) for name in contents), sorted(contents)
    try:
        folder.mkdir(exist_ok=True)
        with OpenFolder(folder) as place:
            _write(place, contents, str(folder)[:200], force)
    except OSError as error:
        raise LinkworkError(f"cannot write '{str(folder)[:200]}': {error.strerror}") from error


def _write(place: OpenFolder, contents: Mapping[str, bytes], shown: str, force: bool) -> None:
    before = _read_list(place)
    there = {name: digest for name in {*contents, *before} if (digest := place.digest(name))}
    new = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    filled_in = {name for name in contents if name in there and _is_stub(name) and not force}
    changed = [
        name
        for name in sorted(contents.keys() & there.keys() - filled_in)
        if there[name] not in (new[name], *before.get(name, ()))
    ]
    if changed and not force:
        raise LinkworkError(_refuse(shown, changed))
    written = [name for name in contents if name not in filled_in and there.get(name) != new[name]]
    # an export that is interrupted leaves files of both on the list
    both = {name: {*before.get(name, ()), *([new[name]] if name in new else [])} for name in [*before, *contents]}
    place.write({OURS: _show_list(both)})
    place.write({name: contents[name] for name in written})
    for name, known in before.items():
        if name not in contents and not _is_stub(name) and there.get(name) in known:
            place.remove(name)
    place.write({OURS: _show_list({name: [digest] for name, digest in new.items()})})


def _refuse(shown: str, changed: list[str]) -> str:
    more = f" and {len(changed) - MOST_NAMED} more" if len(changed) > MOST_NAMED else ""
    them = "it" if len(changed) == 1 else "them"
    return (
        f"'{shown}': {', '.join(changed[:MOST_NAMED])}{more}: changed since, or not from export. "
        f"Choose another folder, move {them} away, or let --force replace {them}"
    )


def _is_stub(name: str) -> bool:
    """Whether others fill in a file, which then is theirs."""
    return name.partition(".")[0] == "external"


def _read_list(place: OpenFolder) -> dict[str, set[str]]:
    """The digests of the files of earlier exports by name, as far as these are names that exports write."""
    found: dict[str, set[str]] = {}
    for line in place.read(OURS, LONGEST_LIST).decode(errors="replace").split("\n"):
        if (match := LINE.fullmatch(line)) and NAMES.fullmatch(match[2]):
            found.setdefault(match[2], set()).add(match[1])
    return found


def _show_list(digests: Mapping[str, Iterable[str]]) -> bytes:
    return "".join(f"{one}  {name}\n" for name, some in digests.items() for one in sorted(some)).encode()


class OpenFolder:
    """Files of a folder by plain names; what is moved or linked elsewhere meanwhile makes no difference."""

    def __init__(self, path: Path) -> None:
        self.handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self) -> OpenFolder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self.handle)

    def _open(self, name: str) -> int | None:
        """A regular file; None if there is none."""
        try:
            # neither does a pipe keep us waiting, nor is a link followed
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=self.handle)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
        return None

    def read(self, name: str, most: int) -> bytes:
        """The content of a regular file; nothing if there is none."""
        handle = self._open(name)
        if handle is None:
            return b""
        with os.fdopen(handle, "rb") as file:
            return file.read(most)

    def digest(self, name: str) -> str:
        """The SHA-256 of a regular file; a word for anything else that is there; nothing if nothing is."""
        handle = self._open(name)
        if handle is not None:
            with os.fdopen(handle, "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        try:
            os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        except FileNotFoundError:
            return ""
        return OTHER

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Files whole or not at all, in place of what is there by their names."""
        made: dict[str, str] = {}
        try:
            for name, content in contents.items():
                temporary = f".{name}.{secrets.token_hex(8)}"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                handle = os.open(temporary, flags, 0o666, dir_fd=self.handle)
                made[temporary] = name
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
            for temporary, name in made.items():
                os.replace(temporary, name, src_dir_fd=self.handle, dst_dir_fd=self.handle)
        finally:
            for temporary in made:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=self.handle)

    def remove(self, name: str) -> None:
        """A file, if it is there."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self.handle)
