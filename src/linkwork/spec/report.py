"""What the section readers share: problems with file and line, keys of a map, expressions, coordinates.

A value that cannot be read is reported and replaced by HOLE, so that reading goes on and finds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from linkwork.errors import ExpressionError, Problem, did_you_mean
from linkwork.model.functions import registered_functions
from linkwork.model.laws import LawNames
from linkwork.spec.nodes import Node, shorten
from linkwork.symbolic import Expr, Number, symbol
from linkwork.symbolic.parse import parse

MAX_PROBLEMS = 200  # nobody reads more at once
MAX_NAME = 1_000  # characters; YAML has about the same limit
HOLE = symbol("?")
DETAIL = re.compile(r"place of '\w+'|[xyz] component|\w+")
ZERO = Number(0)
FORMS = {"scalar": "a single value", "list": "a list such as [x, y]", "map": "a map such as {key: value}"}


class TooManyError(Exception):
    """Ends the reading once there are MAX_PROBLEMS."""


class Entry(NamedTuple):
    """One `key: value` of a map."""

    key: str
    line: int
    value: Node


class Report:
    """The problems found so far in one file, where its parts are, and the names its expressions may use."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self.lines: dict[str, int] = {}  # where each part stands
        self.details: dict[tuple[str, str], int] = {}  # where (part, detail) stands, if on another line
        self.dimension = 2
        self.incomplete = False  # whether a part or section had to be left out
        self.names: dict[str, Expr] = {}
        self.functions: Mapping[str, Callable[..., Expr]] = registered_functions()
        self._known: dict[str, Expr] = {}  # texts already parsed
        self._laws: dict[str, Expr] = {}

    def add(self, line: int | None, what: str, remedy: str = "", part: str = "") -> None:
        problem = Problem(file=self.source, line=line, part=part, what=what, remedy=remedy)
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise TooManyError

    def locate(self, part: str, line: int, **details: Node) -> None:
        """Remember where a part stands, and which of its details stand on other lines."""
        self.lines[part] = line
        for detail, node in details.items():
            if node.line != line:
                self.details[part, detail] = node.line

    def find_line(self, part: str, what: str) -> int | None:
        """The line of a part, or of the detail that a problem begins with: "mass is negative"."""
        detail = DETAIL.match(what)
        line = self.lines.get(part)
        return self.details.get((part, detail[0]), line) if detail else line

    # shapes

    def expect(self, node: Node, kind: str, part: str, form: str = "") -> bool:
        if node.kind == kind:
            return True
        self.add(node.line, f"expected {form or FORMS[kind]}, not {node}", part=part)
        return False

    def entries(self, node: Node | None, part: str, known: Iterable[str] | None = None) -> list[Entry]:
        """The entries of a map, each key once and, if `known` is given, none outside it; none if empty."""
        if node is None or node.empty:
            return []
        if not self.expect(node, "map", part):
            self.incomplete = True
            return []
        found: dict[str, Entry] = {}
        for key, value in node.pairs:
            if not self.expect(key, "scalar", part, "a name before the colon"):
                continue
            name = key.text
            if len(name) > MAX_NAME:
                self.incomplete = True
                self.add(key.line, f"a name of {len(name):,} characters", f"The limit is {MAX_NAME:,}", part)
            elif name in found:
                what = f"the key '{shorten(name)}' is already on line {found[name].line}"
                self.add(key.line, what, "Remove one of the two", part)
            elif known is not None and name not in known:
                self.incomplete = True
                remedy = did_you_mean(name, known) or "Known keys are " + ", ".join(known)
                self.add(key.line, f"unknown key '{shorten(name)}'", remedy, part)
            else:
                found[name] = Entry(name, key.line, value)
        return list(found.values())

    def section(self, node: Node | None, part: str, known: Iterable[str]) -> dict[str, Node]:
        """The entries of a map with fixed keys, by key."""
        return {entry.key: entry.value for entry in self.entries(node, part, known)}

    # values

    def text(self, node: Node, part: str) -> str | None:
        """The text of a scalar as written, or None."""
        return node.text if self.expect(node, "scalar", part) else None

    def expression(self, node: Node, part: str) -> Expr:
        """The expression over parameters that a scalar stands for; HOLE if it cannot be read."""
        if node.kind == "scalar" and node.text in self._known:
            return self._known[node.text]
        return self._parsed(node, part, self.names, self._known)

    def law(self, node: Node, part: str) -> Expr:
        """The law that a scalar stands for, over parameters, time and quantities; HOLE if it cannot be read."""
        if node.kind == "scalar" and node.text in self._laws:
            return self._laws[node.text]
        return self._parsed(node, part, LawNames(self.names), self._laws)

    def _parsed(self, node: Node, part: str, names: Mapping[str, Expr], known: dict[str, Expr]) -> Expr:
        if node.empty:
            self.add(node.line, "a value is missing", "Write a number or a formula", part)
            return HOLE
        if not self.expect(node, "scalar", part, "a number or a formula"):
            return HOLE
        try:
            value = known[node.text] = parse(node.text, names, self.functions)
        except ExpressionError as error:
            self.add(node.line, f"{error.what} in '{_around(node.text, error.column)}'", error.remedy, part)
            return HOLE
        return value

    def vector(self, node: Node, part: str) -> tuple[Expr, ...]:
        """Coordinates from a list, padded with zeros to the dimension."""
        n = self.dimension
        if not self.expect(node, "list", part):
            return (HOLE,) * n
        self.check_size(node, part)
        given = tuple([self.expression(item, part) for item in node.items[:n]])
        return given + (ZERO,) * (n - len(given))

    def check_size(self, node: Node, part: str) -> None:
        if len(node.items) > self.dimension:
            what = f"{len(node.items)} coordinates in dimension {self.dimension}"
            self.add(node.line, what, f"Give at most {self.dimension}", part)


def _around(text: str, column: int | None) -> str:
    """A long text is cut to the neighbourhood of the column."""
    start = max(0, (column or 0) - 25) if len(text) > 60 else 0
    return ("..." if start else "") + shorten(text[start:])
