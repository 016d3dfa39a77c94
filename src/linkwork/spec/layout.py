"""YAML text -> how it is laid out: the tree of its values as they are written, with the comments beside them.

For texts that `nodes.compose` has accepted, whose nesting is therefore bounded. Every comment ends up in exactly one
place: above an entry, at the end of its line, or at the foot of a collection. Knows nothing of mechanisms.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import yaml

from linkwork.spec.loaders import find_loader, parse_events, scan_tokens
from linkwork.spec.nodes import is_absent

Kind: TypeAlias = Literal["scalar", "block scalar", "list", "map"]

LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
COMMENT = re.compile("#[^\r\n\x85\u2028\u2029]*")
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
SIMPLE_KEY = re.compile(r"(?!(?:null|true|false|yes|no|on|off|y|n)$)[A-Za-z_][A-Za-z0-9_]*", re.I)
STEP = 2  # columns by which a block is indented
ENDS = (yaml.SequenceEndEvent, yaml.MappingEndEvent)
STARTS = (yaml.SequenceStartEvent, yaml.MappingStartEvent)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its text from # on, and where it stands."""

    text: str
    index: int
    line: int
    column: int


@dataclass(slots=True, kw_only=True)
class Piece:
    """A value as it is written. Of a collection `text` is only its anchor and tag, of a scalar it is all there is."""

    kind: Kind
    text: str = ""
    flow: bool = False  # in brackets
    bare: bool = False  # a pair in a list, without braces around it
    entries: list[Entry] = field(default_factory=list)
    foot: list[str] = field(default_factory=list)  # comments after the last entry

    @property
    def inline(self) -> bool:
        """Whether it begins on the line of its key."""
        return self.flow or self.kind == "scalar"

    @property
    def unbroken(self) -> bool:
        """Whether it fits on a line: no comment or line break within."""
        if self.kind == "scalar":
            return True
        return self.flow and not self.foot and all(entry.unbroken for entry in self.entries)


@dataclass(slots=True, kw_only=True)
class Entry:
    """An item of a list or a pair of a map; `above` are comments and empty lines (""), `beside` ends its line."""

    key: str = ""  # as it is written
    name: str = ""  # as it is meant
    value: Piece
    above: list[str] = field(default_factory=list)
    beside: str = ""
    broken: bool = False  # within brackets: begins a line
    absent: bool = False  # a key without a colon, as OA in {OA, AB: 1}

    @property
    def unbroken(self) -> bool:
        return not self.above and not self.beside and not self.broken and self.value.unbroken


@dataclass(slots=True, kw_only=True)
class Layout:
    """A whole text: its value, comments above and below, and whether something in it stands for something else."""

    top: list[str]
    root: Piece
    bottom: list[str]
    aliases: bool


def read_layout(text: str) -> Layout:
    """The layout of a text that is known to be good.

    >>> read_layout("a: [1, 2]  # two").root.entries[0].beside
    '# two'
    """
    return _Reader(text + "\n").run()


def find_comments(text: str) -> list[Comment]:
    """The comments of a text: from # to the end of a line, where there is no token."""
    lines = _line_starts(text)
    found, end = [], 0
    for token in scan_tokens(text, find_loader(text)):
        for comment in COMMENT.finditer(text, end, token.start_mark.index):
            line = bisect_right(lines, comment.start()) - 1
            found.append(Comment(comment[0].rstrip(), comment.start(), line, comment.start() - lines[line]))
        end = token.end_mark.index
    return found


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in LINE_BREAK.finditer(text))]


class _Reader:
    """Goes through events and comments together, in the order of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = _line_starts(text)
        self.comments = find_comments(text)[::-1]
        self.events = list(parse_events(text, find_loader(text)))[::-1]
        self.line = 0  # where the last value ended

    def run(self) -> Layout:
        aliases = any(isinstance(event, yaml.AliasEvent) for event in self.events)
        while not isinstance(self.events.pop(), yaml.DocumentStartEvent):
            pass
        start = self.events[-1].start_mark
        top = self.above(self.comments_before(start.index), start.line)
        root = self.piece()
        return Layout(top=top, root=root, bottom=self.above(self.comments[::-1]), aliases=aliases)

    # comments

    def comments_before(self, index: int) -> list[Comment]:
        found = []
        while self.comments and self.comments[-1].index < index:
            found.append(self.comments.pop())
        return found

    def comment_on(self, line: int, index: int | None = None) -> str:
        """The next comment, if it stands on a line and before an index."""
        comment = self.comments[-1] if self.comments else None
        if comment is None or comment.line != line or (index is not None and comment.index > index):
            return ""
        return self.comments.pop().text

    def above(self, comments: list[Comment], line: int | None = None) -> list[str]:
        """Comments as lines, with an empty one where there is one, also before `line`."""
        lines = []
        for comment in comments:
            lines += [""] * self.follows_nothing(comment.line) + [comment.text]
        return lines + [""] * (line is not None and self.follows_nothing(line))

    def follows_nothing(self, line: int) -> bool:
        return line > 0 and not self.text[self.lines[line - 1] : self.lines[line]].strip()

    # values

    def piece(self, column: int = 0) -> Piece:
        """The next value; `column` is where the block around it begins."""
        event = self.events.pop()
        self.line = event.end_mark.line
        if isinstance(event, yaml.AliasEvent):
            return Piece(kind="scalar", text=f"*{event.anchor}")
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, column)
        kind: Kind = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
        if not event.flow_style:
            return self.block(Piece(kind=kind, text=_properties(event)), event.start_mark.column)
        bare = kind == "map" and self.text[event.end_mark.index - 1] != "{"
        return self.brackets(Piece(kind=kind, text=_properties(event), flow=True, bare=bare))

    def block(self, piece: Piece, column: int) -> Piece:
        """The entries of a block that begins at a column, up to the comments at its foot."""
        if piece.text:
            column = self.events[-1].start_mark.column  # it begins after its anchor
        while not isinstance(self.events[-1], ENDS):
            start = self.events[-1].start_mark
            above = self.above(self.comments_before(start.index), start.line)
            if not piece.entries and above[:1] == [""]:
                del above[0]
            key, name = self.key() if piece.kind == "map" else ("", "")
            entry = self.block_entry(column) if _is_block(self.events[-1]) else self.inline_entry(column)
            entry.key, entry.name, entry.above = key, name, above + entry.above
            piece.entries.append(entry)
        end = self.events.pop().start_mark
        while self.comments and self.comments[-1].index < end.index:
            if not end.column < self.comments[-1].column >= column:
                break
            piece.foot += self.above([self.comments.pop()])
        return piece

    def block_entry(self, column: int) -> Entry:
        """A value on lines of its own; what stands beside its key is beside the entry."""
        beside = self.comment_on(self.line, self.events[-1].start_mark.index)
        return Entry(value=self.piece(column), beside=beside)

    def inline_entry(self, column: int) -> Entry:
        """A value that is written on the line of its key; at most one of its comments fits there."""
        comments = [comment.text for comment in self.comments_before(self.events[-1].start_mark.index)]
        value = self.piece(column)
        comments += [self.comment_on(self.line)] if value.inline else []
        *above, beside = [text for text in comments if text] or [""]
        return Entry(value=value, above=above, beside=beside)

    def brackets(self, piece: Piece) -> Piece:
        while True:
            start, line = self.events[-1].start_mark, self.line
            above = self.above_in_brackets(piece, start.index)
            if isinstance(self.events[-1], ENDS):
                piece.foot = above
                self.line = self.events.pop().end_mark.line
                return piece
            key, name = self.key() if piece.kind == "map" else ("", "")
            above += [comment.text for comment in self.comments_before(self.events[-1].start_mark.index)]
            broken = start.line > line or bool(above)
            absent = isinstance(self.events[-1], yaml.ScalarEvent) and is_absent(self.text, self.events[-1])
            entry = Entry(key=key, name=name, value=self.piece(), above=above, broken=broken, absent=absent)
            piece.entries.append(entry)
            if entry.value.bare:  # its comments are those of the item
                inner = entry.value.entries[0]
                entry.above, inner.above = [*entry.above, *inner.above, *entry.value.foot], []
                entry.beside, inner.beside, entry.value.foot = inner.beside, "", []
                entry.broken, inner.broken = broken or bool(entry.above), False

    def above_in_brackets(self, piece: Piece, index: int) -> list[str]:
        """Comments up to an index; the first belongs to the entry before if it stands on the line of that."""
        comments = self.comments_before(index)
        if comments and piece.entries and comments[0].line == self.line and not piece.entries[-1].beside:
            piece.entries[-1].beside = comments.pop(0).text
        return [comment.text for comment in comments]

    def key(self) -> tuple[str, str]:
        """A key as it is written and as it is meant."""
        event = self.events[-1]
        text = self.piece().text
        if isinstance(event, yaml.AliasEvent):
            return text + " ", text  # or the colon would belong to the alias
        if event.style and not _properties(event) and SIMPLE_KEY.fullmatch(event.value):
            text = event.value
        return text or '""', event.value

    def scalar(self, event: Any, column: int) -> Piece:
        raw = self.text[event.start_mark.index : event.end_mark.index]
        if not LINE_BREAK.search(raw):
            return Piece(kind="scalar", text=raw)
        if event.style in ("|", ">"):
            return Piece(kind="block scalar", text=_dedent(raw, column))
        folded = event.value if not event.style and "\n" not in event.value else _quoted(event.value)
        return Piece(kind="scalar", text=f"{_properties(event)} {folded}".strip())


def _is_block(event: Any) -> bool:
    return isinstance(event, STARTS) and not event.flow_style


def _properties(event: Any) -> str:
    """The anchor and the tag of a value."""
    tag = event.tag.replace("tag:yaml.org,2002:", "!!") if event.tag else ""
    return f"{'&' + event.anchor if event.anchor else ''} {tag}".strip()


def _quoted(value: str) -> str:
    """A text on one line, in double quotes."""
    escaped = json.dumps(value, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped)


def _dedent(raw: str, column: int) -> str:
    """A text of several lines (| or >): its head, then its lines without the indentation they had in the file."""
    head, *lines = LINE_BREAK.split(raw)
    start, sign, comment = head.partition(" #")
    digit = re.search(r"[|>][-+]?([1-9])", start)
    first = next((line for line in lines if line.strip()), "")
    indent = column + int(digit[1]) if digit else len(first) - len(first.lstrip(" "))
    if digit:
        start = start.replace(digit[1], str(STEP))
    del lines[len(lines) - (lines[-1:] == [""]) :]  # what follows the last line break
    while "+" not in start and lines and not lines[-1].strip(" "):
        lines.pop()
    return "\n".join([start.rstrip() + sign + comment, *(line[indent:] for line in lines)])
