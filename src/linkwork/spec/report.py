"""What the section readers share: problems with file and line, keys of a map, expressions, coordinates.

What does not have the shape of the schema is reported by `shape.py`; the readers pass over it in silence and put HOLE
in its place, as for a formula that cannot be read, so that reading goes on and finds the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template
from typing import NamedTuple

from linkwork.errors import MAX_PROBLEMS, ExpressionError, Problem, Ref
from linkwork.model.cam import PHI
from linkwork.model.functions import registered_functions
from linkwork.model.laws import LawNames
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.schema_words import COORDINATES
from linkwork.symbolic import ZERO, Expr, symbol
from linkwork.symbolic.parse import parse

MAX_NAME = 1_000  # characters; YAML has about the same limit
HOLE = symbol("?")
QUOTED = "Close all parentheses; inside [...] and {...} a formula with commas needs quotes: ['max(x, 0)']"
NOTHING: Mapping[str, Node] = {}
EXAMPLES = {
    2: {"vector": "[x, y]", "inertia": "inertia"},
    3: {"vector": "[x, y, z]", "inertia": "[Ixx, Iyy, Izz]"},
}


class TooManyError(Exception):
    """Ends the reading once there are MAX_PROBLEMS."""


class Entry(NamedTuple):
    """One `key: value` of a map."""

    key: str
    line: int
    value: Node


class Report:
    """The problems found so far in one file, where its parts are, and the names its expressions may use."""

    def __init__(self, source: str, folder: Path | None = None) -> None:
        self.source, self.folder = source, folder  # what messages call the file, and where its neighbours are
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []  # what is ignored
        self.lines: dict[Ref, int] = {}  # where each part stands
        self.details: dict[tuple[Ref, str], int] = {}  # where (part, detail) stands, if on another line
        self.dimension = 2
        self.incomplete = False  # whether a part or section had to be left out
        self.names: dict[str, Expr] = {}
        self.signals: dict[str, Expr] = {}  # further names laws may use: variables and states
        self.functions: Mapping[str, Callable[..., Expr]] = registered_functions()
        self._known: dict[str, Expr] = {}  # texts already parsed
        self._laws: dict[str, Expr] = {}
        self._lawful: LawNames | None = None

    def add(self, line: int | None, what: str, remedy: str = "", part: Ref | str = "") -> None:
        problem = Problem(file=self.source, line=line, part=str(part), what=what, remedy=remedy)
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyError

    def note(self, line: int | None, what: str, remedy: str = "", part: Ref | str = "") -> None:
        if len(self.notes) < MAX_PROBLEMS:
            self.notes.append(Problem(file=self.source, line=line, part=str(part), what=what, remedy=remedy))

    def say(self, node: Node, says: str, part: Ref | str, remedy: str = "", line: int = 0, **fields: object) -> None:
        """Add a problem in the words of the schema: what is wrong, a full stop, what to do if `remedy` says nothing."""
        what, _, usual = says.partition(". ")
        known = {"value": node, "count": len(node.items), "dimension": self.dimension, **EXAMPLES[self.dimension]}
        what, usual = (Template(text).substitute(known, **fields) for text in (what, usual))
        self.add(line or node.line, what, remedy or usual, part)

    def locate(self, part: Ref, line: int, details: Mapping[str, Node] = NOTHING) -> None:
        """Remember where a part stands, and which of its details stand on other lines."""
        self.lines[part] = line
        for detail, node in details.items():
            if node.line != line:
                self.details[part, detail] = node.line

    def find_line(self, part: Ref, detail: str) -> int | None:
        """The line of a part, or of a detail of it."""
        return self.details.get((part, detail), self.lines.get(part))

    # maps

    def entries(self, node: Node | None) -> list[Entry]:
        """The entries of a map, each key once; none if there is no map."""
        found: dict[str, Entry] = {}
        for key, value in node.pairs if node is not None else ():
            if key.kind == "scalar" and 0 < len(key.text) <= MAX_NAME:
                found.setdefault(key.text, Entry(key.text, key.line, value))
        return list(found.values())

    def section(self, node: Node | None) -> dict[str, Node]:
        """The values of a map with fixed keys, by key."""
        return {entry.key: entry.value for entry in self.entries(node)}

    # values

    def text(self, node: Node | None) -> str | None:
        """The text of a scalar as written, or None if there is none."""
        return None if node is None or node.kind != "scalar" or node.empty else node.text or None

    def expression(self, node: Node, part: Ref) -> Expr:
        """The expression over parameters that a scalar stands for; HOLE if it cannot be read."""
        if node.kind == "scalar" and node.text in self._known:
            return self._known[node.text]
        return self._parsed(node, part, self.names, self._known)

    def curve(self, node: Node, part: Ref) -> Expr:
        """The radius of a cam: an expression over parameters and the angle phi."""
        return self._parsed(node, part, {**self.names, PHI.name: PHI}, {})

    def law(self, node: Node, part: Ref) -> Expr:
        """The law that a scalar stands for, over parameters, time and quantities; HOLE if it cannot be read."""
        if node.kind == "scalar" and node.text in self._laws:
            return self._laws[node.text]
        return self._parsed(node, part, self._law_names(), self._laws)

    def _law_names(self) -> LawNames:
        """What laws may name; made anew when names have been added."""
        count = len(self.names) + len(self.signals)
        if self._lawful is None or len(self._lawful) != count + 1:
            self._lawful = LawNames({**self.names, **self.signals})
        return self._lawful

    def _parsed(self, node: Node, part: Ref, names: Mapping[str, Expr], known: dict[str, Expr]) -> Expr:
        if node.kind != "scalar" or node.empty:
            return HOLE
        try:
            value = known[node.text] = parse(node.text, names, self.functions)
        except ExpressionError as error:
            remedy = QUOTED if node.text.count("(") != node.text.count(")") else error.remedy
            self.add(node.line, f"{error.what} in '{_around(node.text, error.column)}'", remedy, part)
            return HOLE
        return value

    def vector(self, node: Node, part: Ref) -> tuple[Expr, ...]:
        """Coordinates from a list, padded with zeros to the dimension."""
        n = self.dimension
        if node.kind != "list":
            return (HOLE,) * n
        self.check_size(node, part)
        given = tuple([self.expression(item, part) for item in node.items[:n]])
        return given + (ZERO,) * (n - len(given))

    def check_size(self, node: Node, part: Ref) -> None:
        """At most as many coordinates as there are dimensions; more than three never fit and are reported already."""
        if self.dimension < len(node.items) <= 3:
            self.say(node, COORDINATES, part)


def _around(text: str, column: int | None) -> str:
    """A long text is cut to the neighbourhood of the column."""
    start = max(0, (column or 0) - 25) if len(text) > 60 else 0
    return ("..." if start else "") + shorten(text[start:])
