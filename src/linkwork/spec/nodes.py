"""YAML text -> a tree of nodes that know their line. Knows nothing of mechanisms.

Events are composed here, without recursion, rather than by `yaml.compose`, which overflows the C stack on deep
nesting. Aliases are counted for what they expand to, every scalar keeps its text as written (`y`, `on` and `1e3`
stay what they are), and nothing is ever constructed from a tag.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NoReturn, TypeAlias

import yaml

from linkwork.errors import InputError, Problem
from linkwork.spec.loaders import SLOW, is_misread, parse_events

Kind: TypeAlias = Literal["scalar", "list", "map"]

MAX_DEPTH = 50
MAX_NODES = 2_000_000  # after expanding aliases; about 125,000 rods

PLAIN_TAGS = {"!"} | {f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "null", "map", "seq")}
NULL_TEXTS = {"", "~", "null"}

# what libyaml says -> what to do about it; the first that fits
REMEDIES = {
    "tab": "Indent with spaces instead of tabs",
    "cannot start any token": "Indent with spaces; put quotes around text that starts with a special sign",
    "',' or ']'": "Close the bracket '[' with ']'",
    "',' or '}'": "Close the brace '{' with '}'",
    "mapping values are not allowed": "Check the indentation; put quotes around text with a colon",
    "could not find expected ':'": "Write a colon and a space after the key",
    "expected <block end>": "Indent the keys of one section equally",
    "did not find expected key": "Indent the keys of one section equally",
    "undefined alias": "Define the anchor before using it",
    "end of stream": "Close the quote",
}


NO_ITEMS: list[Node] = []  # shared by all nodes that have none
NO_PAIRS: list[tuple[Node, Node]] = []


class Node:
    """One value of the file: a scalar (its text), a list of nodes, or a map as a list of pairs of nodes."""

    __slots__ = ("absent", "complete", "items", "kind", "line", "pairs", "plain", "size", "text")

    def __init__(self, kind: Kind, line: int, text: str = "", plain: bool = False) -> None:
        self.kind, self.line, self.text, self.plain = kind, line, text, plain
        self.items: list[Node] = [] if kind == "list" else NO_ITEMS
        self.pairs: list[tuple[Node, Node]] = [] if kind == "map" else NO_PAIRS
        self.size = 1
        self.absent = False  # as the value of OA in {OA, AB: 1}, which has not even a colon
        self.complete = kind == "scalar"

    @property
    def empty(self) -> bool:
        """Whether nothing was written: `velocities:`."""
        return self.plain and self.text in NULL_TEXTS

    def join_keys(self) -> None:
        """Read {OA, AB: 1} as what it says in a block, where `OA, AB` is one key."""
        pairs: list[tuple[Node, Node]] = []
        for key, value in self.pairs:
            if pairs and pairs[-1][1].absent and pairs[-1][0].kind == key.kind == "scalar":
                first = pairs.pop()[0]
                key = Node("scalar", first.line, f"{first.text}, {key.text}", plain=True)
            pairs.append((key, value))
        self.pairs = pairs

    def __str__(self) -> str:
        if self.kind == "scalar":
            return f"'{shorten(self.text)}'" if self.text else "nothing"
        return "a list" if self.kind == "list" else "a map"


def shorten(text: str, limit: int = 60) -> str:
    """The text on one line, cut to a length that fits into a message."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 3] + "..."


def compose(text: str, source: str) -> Node | None:
    """The tree of the one document in the text, or None if there is nothing but comments.

    >>> compose("a: [1, x]", "text").pairs[0][1].items[1].text
    'x'
    """
    try:
        return _Composer(text, source).run(parse_events(text))
    except yaml.MarkedYAMLError as error:
        if is_misread(error):
            return _compose_slowly(text, source)
        raise InputError([_explain(error, source)]) from None
    except (yaml.reader.ReaderError, UnicodeEncodeError) as error:
        position = error.position if isinstance(error, yaml.reader.ReaderError) else error.start
        raise InputError([_unprintable(text, position, source)]) from None


def _compose_slowly(text: str, source: str) -> Node | None:
    try:
        return _Composer(text, source).run(parse_events(text, SLOW))
    except yaml.MarkedYAMLError as error:
        raise InputError([_explain(error, source)]) from None


class _Composer:
    """Turns events into nodes, with a stack of open collections instead of recursion."""

    def __init__(self, text: str, source: str) -> None:
        self.text, self.source = text, source
        self.open: list[Node] = []
        self.keys: list[Node | None] = []  # per open collection: the key still waiting for its value
        self.anchors: dict[str, Node] = {}
        self.root: Node | None = None

    def run(self, events: Iterator[Any]) -> Node | None:
        for event in events:
            kind = type(event)
            if kind is yaml.ScalarEvent:
                node = self.node("scalar", event, event.value, not event.style)
                node.absent = not event.value and is_absent(self.text, event)
                self.put(node)
            elif kind is yaml.SequenceStartEvent:
                self.push(self.node("list", event))
            elif kind is yaml.MappingStartEvent:
                self.push(self.node("map", event))
            elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
                self.pop()
            elif kind is yaml.AliasEvent:
                self.put(self.resolve(event))
            elif kind is yaml.DocumentStartEvent and self.root is not None:
                line = event.start_mark.line + 1
                self.refuse(line, "a second document starts here", "Remove everything from '---' on")
        return self.root

    def node(self, kind: Kind, event: Any, text: str = "", plain: bool = False) -> Node:
        node = Node(kind, event.start_mark.line + 1, text, plain)
        if event.tag is not None and event.tag not in PLAIN_TAGS:
            self.refuse(node.line, f"the tag '{shorten(event.tag)}' is not allowed", "Remove the tag")
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def resolve(self, event: Any) -> Node:
        line, name = event.start_mark.line + 1, shorten(event.anchor)
        node = self.anchors.get(event.anchor)
        if node is None:
            self.refuse(line, f"nothing is anchored as '{name}'", "Write &name before *name")
        if not node.complete:
            self.refuse(line, f"the alias '{name}' contains itself", "Remove the alias")
        return node

    def push(self, node: Node) -> None:
        if len(self.open) == MAX_DEPTH:
            self.refuse(node.line, f"more than {MAX_DEPTH} levels of nesting", "Check the brackets")
        self.open.append(node)
        self.keys.append(None)

    def pop(self) -> None:
        node = self.open.pop()
        self.keys.pop()
        node.complete = True
        self.put(node)

    def put(self, node: Node) -> None:
        """Append a complete node to the innermost open collection."""
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        parent.size += node.size
        if parent.size > MAX_NODES:
            self.refuse(node.line, f"more than {MAX_NODES:,} values", "Remove aliases that repeat aliases")
        if parent.kind == "list":
            parent.items.append(node)
        elif self.keys[-1] is None:
            self.keys[-1] = node
        else:
            parent.pairs.append((self.keys[-1], node))
            self.keys[-1] = None

    def refuse(self, line: int, what: str, remedy: str) -> NoReturn:
        raise InputError([Problem(file=self.source, line=line, what=what, remedy=remedy)])


def is_absent(text: str, event: Any) -> bool:
    """Whether the value of a key was not even begun by a colon, as that of OA in {OA, AB: 1}."""
    index = event.start_mark.index
    before = text[max(0, index - 100) : index].rstrip()
    return index == event.end_mark.index and text[index : index + 1] in (",", "}") and not before.endswith(":")


def _explain(error: yaml.MarkedYAMLError, source: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    what = error.problem or "this is not YAML"
    if error.context and error.context_mark and mark and error.context_mark.line != mark.line:
        what += f" ({error.context} that starts on line {error.context_mark.line + 1})"
    remedy = next((text for key, text in REMEDIES.items() if key in what), "")
    return Problem(file=source, line=mark.line + 1 if mark else None, what=f"not valid YAML: {what}", remedy=remedy)


def _unprintable(text: str, position: int, source: str) -> Problem:
    line = text.count("\n", 0, position) + 1
    what = f"the character {text[position : position + 1]!a} is not allowed in YAML"
    return Problem(file=source, line=line, what=what, remedy="Remove it")
