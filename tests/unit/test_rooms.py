"""The house is as its tables of contents say."""

import ast
import re
from pathlib import Path

import pytest

import linkwork

SOURCE = Path(linkwork.__file__).parent
ROOMS = sorted(path.parent.relative_to(SOURCE) for path in SOURCE.rglob("__init__.py"))


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_table_of_contents_names_all_that_is_in_a_room(room):
    folder = SOURCE / room
    words = {*re.findall(r"\w+", ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or "")}
    inside = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    inside |= {path.parent.name for path in folder.glob("*/__init__.py")}
    assert sorted(inside - words) == [], f"say in {room}/__init__.py what they are for"
