"""A file of numbers -> the points of a table. Text in columns in; x and y out, or problems by line.

Columns are separated by commas, semicolons, tabs or blanks; a first line of words names them; # begins a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, did_you_mean, show_value
from linkwork.model.tables import MAX_POINTS, find_misplaced
from linkwork.spec.source import read_text

Row = tuple[int, list[str]]  # number of a line, its words


def read_points(folder: Path, name: str, columns: Sequence[str]) -> tuple[Floats, Floats]:
    """x and y from two columns (by heading or number) of a file in a folder; InputError if there are none."""
    file = _find(folder, name)
    rows = list(_split(read_text(file)))
    heading = rows.pop(0)[1] if rows and not any(_is_number(word) for word in rows[0][1]) else []
    places = [_find_column(file, heading, column) for column in columns]
    if len(rows) > MAX_POINTS:
        _refuse(file, None, f"{len(rows)} points", f"Give 2 to {MAX_POINTS:,}")
    x, y = (np.array([_number(file, row, place) for row in rows]) for place in places)
    found = find_misplaced(x, y)
    if found is not None:
        place, _, what, remedy = found
        _refuse(file, rows[place][0], what.replace(" at $place", "").replace(" $place", ""), remedy)
    return x, y


def _find(folder: Path, name: str) -> Path:
    """The file, which must be in the folder or below it: a mechanism has no business elsewhere."""
    try:
        file = folder / name
        inside = file.resolve().is_relative_to(folder.resolve())
        ordinary = not file.exists() or file.is_file()
    except (OSError, ValueError, RuntimeError):
        inside = ordinary = False
    if not inside or Path(name).is_absolute():
        _refuse(name, None, "it is not in the folder of the mechanism", "Put it beside the YAML file or below")
    if not ordinary:
        _refuse(name, None, "it is no ordinary file", "Name a text file with two columns of numbers")
    return file


def _split(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if content:
            mark = next((mark for mark in ";,\t" if mark in content), None)
            yield number, [word.strip() for word in content.split(mark)]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _find_column(file: Path, heading: list[str], column: str) -> int:
    names = [word.strip("\"'") for word in heading]
    if column in names:
        return names.index(column)
    if column.isdecimal() and 1 <= int(column) <= 1000:
        return int(column) - 1
    known = f"Its columns are {', '.join(names[:20])}" if names else "Give the number of a column"
    _refuse(file, None, f"has no column {show_value(column)}", did_you_mean(column, names) or known)


def _number(file: Path, row: Row, place: int) -> float:
    line, words = row
    if place >= len(words):
        _refuse(file, line, f"there is no column {place + 1}", "Give x and y on each line")
    word = words[place]
    try:
        return float(word)
    except ValueError:
        hint = "Write decimals with a point" if "," in word else "Give numbers only, below a line of headings"
        _refuse(file, line, f"{show_value(word)} is not a number", hint)


def _refuse(file: Path | str, line: int | None, what: str, remedy: str) -> NoReturn:
    raise InputError([Problem(file=str(file), line=line, what=what, remedy=remedy)]) from None
