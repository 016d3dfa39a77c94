"""A MechSpec text -> the same text in order: sections and keys as in the schema, even spacing, aligned columns.

What is in brackets stays in brackets, and broken lines there stay broken; comments go with what they stand at; values
are never touched. The result is read again and compared before it is given out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from linkwork.errors import InputError, Problem
from linkwork.spec.layout import STEP, Entry, Layout, Piece, find_comments, read_layout
from linkwork.spec.mechanism import garbage_collection_paused, parse_mechanism
from linkwork.spec.nodes import Node, compose
from linkwork.spec.shape import Shape, find_shape

WIDTH = 120  # alignment that makes lines longer than this is left out
GAP = 16  # nor is a column aligned that would have more spaces than this in it


@dataclass(slots=True)
class Line:
    """A line and the comment at its end."""

    text: str
    comment: str = ""
    raw: bool = False  # part of a text of several lines


def rewrite(text: str, source: str = "<text>") -> str:
    """The text in order; InputError with all problems if it is not a good one.

    >>> print(rewrite("PartData: { Particles: {A : 1} } # one\\nTitle: Dot"), end="")
    Title: Dot
    PartData: {Particles: {A: 1}}  # one
    """
    parse_mechanism(text, source)
    with garbage_collection_paused():
        layout = read_layout(text)
        if not layout.aliases:  # what is referred to has to come first
            _sort(layout.root, find_shape())
        made = _write(layout)
        same = _says_the_same(text, made)
    if not same:
        what = "this cannot be put in order without changing what it says"
        raise InputError([Problem(file=source, what=what, remedy="It is left as it is")])
    return made


def _says_the_same(text: str, made: str) -> bool:
    """Whether two texts have the same values and the same comments."""
    comments = (sorted(comment.text for comment in find_comments(each + "\n")) for each in (text, made))
    return _equal(compose(text, ""), compose(made, "")) and next(comments) == next(comments)


def _equal(one: Node | None, other: Node | None) -> bool:
    if one is None or other is None or one.kind != other.kind or one.empty != other.empty:
        return False
    if one.kind == "scalar":
        return one.text == other.text and one.absent == other.absent and (one.plain == other.plain or "\n" in one.text)
    if one.kind == "list":
        return len(one.items) == len(other.items) and all(map(_equal, one.items, other.items))
    mine, others = ({key.text: value for key, value in node.pairs} for node in (one, other))
    return mine.keys() == others.keys() and all(_equal(mine[key], others[key]) for key in mine)


# -- order -----------------------------------------------------------------------------------------------------------


def _sort(piece: Piece, shape: Shape | None) -> None:
    """Put fixed keys into the order of the schema, unless they share lines with line breaks or comments among them."""
    if shape is None:
        return
    if piece.kind == "map" and shape.keys is not None:
        known, others = shape.keys.shapes, shape.keys.others
        if known and (piece.unbroken or not piece.flow):
            order = {key: n for n, key in enumerate(known)}
            piece.entries.sort(key=lambda entry: order.get(entry.name, len(order)))
        for entry in piece.entries:
            _sort(entry.value, known.get(entry.name, others))
    if piece.kind == "list" and shape.items is not None:
        for entry in piece.entries:
            _sort(entry.value, shape.items.others)


# -- lines -----------------------------------------------------------------------------------------------------------


def _write(layout: Layout) -> str:
    root = layout.root
    lines = [Line(text) for text in layout.top]
    lines += _write_brackets(root, "", 0) if root.inline else _write_block(root, 0)
    lines += [Line(text) for text in layout.bottom]
    return "".join(f"{text}\n" for text in _join(lines))


def _write_block(piece: Piece, indent: int) -> list[Line]:
    """The entries of a block, one below the other."""
    lines: list[Line] = []
    aligned = _align(piece, indent)
    for entry in piece.entries:
        above = entry.above[1:] if not lines and entry.above[:1] == [""] else entry.above
        lines += _write_comments(above, indent)
        if id(entry) in aligned:
            lines.append(Line(aligned[id(entry)], entry.beside))
        elif piece.kind == "map":
            lines += _write_entry(entry, f"{' ' * indent}{entry.key}:", indent)
        else:
            lines += _write_item(entry, indent)
    return lines + _write_comments(piece.foot, indent)


def _write_comments(comments: list[str], indent: int) -> list[Line]:
    return [Line(" " * indent + text if text else "") for text in comments]


def _write_entry(entry: Entry, head: str, indent: int) -> list[Line]:
    """A value after its key (or dash)."""
    value = entry.value
    if value.kind == "block scalar":
        first, *rest = value.text.split("\n")
        return [
            Line(f"{head} {first}"),
            *(Line(" " * (indent + STEP) + text if text else "", raw=True) for text in rest),
        ]
    if not value.inline:
        return [Line(f"{head} {value.text}".rstrip(), entry.beside), *_write_block(value, indent + STEP)]
    lines = _write_brackets(value, f"{head} ", indent)
    lines[-1].comment = entry.beside
    return lines


def _write_item(entry: Entry, indent: int) -> list[Line]:
    """A dash and the value after it; a block begins on the line of the dash, below the comments on its first entry."""
    value, dash = entry.value, " " * indent + "-"
    if value.inline or value.kind == "block scalar" or value.text:
        return _write_entry(entry, dash, indent)
    first = value.entries[0]
    above, first.above = first.above, []
    lines = _write_block(value, indent + STEP)
    lines[0].text = f"{dash} {lines[0].text.lstrip()}"
    return _write_comments([text for text in (*above, entry.beside) if text], indent) + lines


def _align(piece: Piece, indent: int) -> dict[int, str]:
    """Entries below each other whose values are maps with the same keys (but for the last), in columns."""
    aligned: dict[int, str] = {}
    for run in _runs(piece):
        head = max(len(entry.key) for entry in run) + 1
        rows = [[_write_pair(pair) for pair in entry.value.entries] for entry in run]
        widths = _widths(rows)
        for entry, row in zip(run, rows, strict=True):
            cells = [f"{cell},".ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
            aligned[id(entry)] = f"{' ' * indent}{entry.key + ':':{head}} {{{' '.join([*cells, row[-1]])}}}"
        if max(len(aligned[id(entry)]) for entry in run) > WIDTH:
            for entry in run:
                del aligned[id(entry)]
    return aligned


def _widths(rows: list[list[str]]) -> list[int]:
    """The widths of all columns but the last, up to the first that would have too large a gap."""
    columns = [[len(cell) + 1 for cell in column] for column in zip(*rows, strict=True)][:-1]
    wide = next((i for i, column in enumerate(columns) if max(column) - min(column) > GAP), len(columns))
    return [max(column) for column in columns[:wide]] + [0] * (len(columns) - wide)


def _runs(piece: Piece) -> Iterator[list[Entry]]:
    """Two or more entries that can be aligned."""
    run: list[Entry] = []
    for entry in piece.entries if piece.kind == "map" else []:
        value = entry.value
        table = value.kind == "map" and value.unbroken and bool(value.entries) and not value.text
        if run and (not table or entry.above or not _are_alike(value, run[0].value)):
            if len(run) > 1:
                yield run
            run = []
        if table:
            run.append(entry)
    if len(run) > 1:
        yield run


def _are_alike(one: Piece, other: Piece) -> bool:
    """Whether two maps have the same keys, or several of which only the last is another."""
    names, others = ([entry.name for entry in piece.entries] for piece in (one, other))
    return names == others or (len(names) == len(others) > 1 and names[:-1] == others[:-1])


def _join(lines: list[Line]) -> Iterator[str]:
    """Lines with their comments, those of neighbours aligned; never two empty lines, none at the ends."""
    kept = [
        line for line, before in zip(lines, [Line(""), *lines], strict=False) if line.raw or line.text or before.text
    ]
    while kept and not kept[-1].text:
        kept.pop()
    for commented, run in groupby(kept, key=lambda line: bool(line.comment)):
        group = list(run)
        column = max(len(line.text) for line in group)
        if any(column + 2 + len(line.comment) > WIDTH for line in group):
            column = 0
        for line in group:
            yield f"{line.text:{column}}  {line.comment}" if commented else line.text


# -- brackets --------------------------------------------------------------------------------------------------------


def _write_brackets(piece: Piece, head: str, indent: int) -> list[Line]:
    """A value in brackets after its key: on a line, or with its lines broken where they were."""
    if piece.unbroken:
        return [Line((head + _write_inline(piece)).rstrip())]
    lines = _Brackets(head, hanging=True).write(piece, indent)
    wide = any(len(line.text) > WIDTH for line in lines)
    return _Brackets(head, hanging=False).write(piece, indent) if wide else lines


def _write_inline(piece: Piece) -> str:
    if piece.kind == "scalar":
        return piece.text
    inner = ", ".join(_write_pair(entry) for entry in piece.entries)
    left, right = _signs(piece)
    return f"{piece.text} {left}{inner}{right}".lstrip()


def _write_pair(entry: Entry) -> str:
    value = _write_inline(entry.value)
    if entry.absent:
        return entry.key
    return f"{entry.key}: {value}" if entry.key else value


def _signs(piece: Piece) -> tuple[str, str]:
    if piece.bare:
        return "", ""
    return ("[", "]") if piece.kind == "list" else ("{", "}")


class _Brackets:
    """Writes brackets over several lines, their content hanging from the bracket or indented by a step."""

    def __init__(self, head: str, hanging: bool) -> None:
        self.now, self.hanging = head, hanging
        self.lines: list[Line] = []

    def write(self, piece: Piece, indent: int) -> list[Line]:
        self.put(piece, indent)
        self.end_line("", 0)
        return self.lines

    def end_line(self, comment: str, indent: int) -> None:
        self.lines.append(Line(self.now.rstrip(), comment))
        self.now = " " * indent

    def put(self, piece: Piece, indent: int) -> None:
        """Append a piece to the line that begins at `indent`."""
        if piece.unbroken:
            self.now += _write_inline(piece)
            return
        left, right = _signs(piece)
        self.now += f"{piece.text} {left}".lstrip()
        apart = not piece.entries or piece.entries[0].broken  # the brackets stand on lines of their own
        inner = indent + STEP if apart or not self.hanging else len(self.now)
        comment = ""
        for number, entry in enumerate(piece.entries):
            self.now += "," if number else ""
            self.begin(entry, comment, inner, number)
            if entry.absent:
                self.now += entry.key
            else:
                self.now += f"{entry.key}: " if entry.key else ""
                self.put(entry.value, inner)
            comment = entry.beside
        if comment or piece.foot or apart:
            for text in piece.foot:
                self.end_line(comment, inner)
                self.now, comment = self.now + text, ""
            self.end_line(comment, indent)
        self.now += right

    def begin(self, entry: Entry, comment: str, indent: int, number: int) -> None:
        """Go to where an entry is to be written, past the comment beside the one before and those above it."""
        if not (entry.broken or comment):
            self.now += " " if number else ""
            return
        self.end_line(comment, indent)
        for text in entry.above:
            self.now += text
            self.end_line("", indent)
