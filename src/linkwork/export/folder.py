"""The folder of an export: texts by name in, files out. What is not ours is left alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from linkwork.errors import LinkworkError, no_folder, show_value

OURS = ".linkwork-export"  # lists the files that are ours


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
        if folder.is_dir() and any(folder.iterdir()) and not (folder / OURS).is_file() and not force:
            raise LinkworkError(
                f"the folder '{shown}' exists and was not written by export; choose another, or --force"
            )
        if not folder.exists() and not folder.absolute().parent.is_dir():
            raise LinkworkError(f"'{shown}': {no_folder(folder)}")
        place = folder if folder.is_dir() else folder.absolute().parent
        if not os.access(place, os.W_OK):
            raise LinkworkError(f"cannot write in '{str(place)[:200]}'")
    except OSError as error:
        raise LinkworkError(f"'{shown}': {error.strerror}") from error


def write_folder(folder: Path, texts: Mapping[str, str | bytes], force: bool) -> None:
    """Write all files; those of an earlier export that are no more go away. What others fill in stays."""
    check_folder(folder, force)
    try:
        folder.mkdir(exist_ok=True)
        for name in _list_old(folder):
            if name not in texts and not _is_stub(name):
                (folder / name).unlink(missing_ok=True)
        for name, text in texts.items():
            path = folder / name
            if _is_stub(name) and path.exists() and not force:
                continue
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        (folder / OURS).write_text("\n".join(texts) + "\n", encoding="utf-8")
    except OSError as error:
        raise LinkworkError(f"cannot write '{str(folder)[:200]}': {error.strerror}") from error


def _is_stub(name: str) -> bool:
    """Whether others fill in a file, which then is theirs."""
    return name.partition(".")[0] == "external"


def _list_old(folder: Path) -> list[str]:
    """The files of an earlier export, none of them outside of the folder."""
    if not (folder / OURS).is_file():
        return []
    names = (folder / OURS).read_text(encoding="utf-8").splitlines()
    return [name for name in names if name and not Path(name).is_absolute() and ".." not in Path(name).parts]
