"""Long functions in pieces: a function in, pieces out that follow each other, and the values that they hand on.

A compiler shares out registers over a whole function, in a time that grows with the square of its length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from linkwork.export.code import Function, Section, Statement, Tree, find_inputs, walk

LONG = 1000  # operands of a function that is compiled in one piece
PIECE = 400  # operands of a piece


@dataclass(frozen=True, slots=True)
class Pieces:
    """The statements of a function, in pieces, and the results that follow from them.

    kept   names of values that a later piece, or a result, reads
    """

    pieces: tuple[Function, ...]
    last: Function
    kept: tuple[str, ...]


def cut(f: Function) -> Pieces | None:
    """A long function in pieces; None if it is short."""
    if sum(s.tree.size for section in f.sections for s in section.statements) <= LONG:
        return None
    runs = [tuple(run) for run in _runs(f)]
    made = [frozenset(s.name for section in run for s in section.statements) for run in runs]
    results = [tree for trees in f.results.values() for tree in trees]
    reads = [_names(s.tree for section in run for s in section.statements) for run in runs]
    later = _names(results)
    kept = set[str]()
    for own, read in reversed([*zip(made, reads, strict=True)]):
        kept |= own & later
        later |= read
    pieces = tuple(
        Function(f.name, run, {}, find_inputs(s.tree for part in run for s in part.statements)) for run in runs
    )
    order = [s.name for run in runs for section in run for s in section.statements if s.name in kept]
    return Pieces(pieces, Function(f.name, (), f.results, find_inputs(results)), tuple(order))


def _runs(f: Function) -> Iterator[list[Section]]:
    """Sections, or parts of them, that make up a piece."""
    run: list[Section] = []
    room = PIECE
    for section in f.sections:
        title, some = section.title, list[Statement]()
        for s in section.statements:
            if room < s.tree.size and (run or some):
                yield [*run, Section(title, tuple(some))] if some else run
                run, some, room, title = [], [], PIECE, f"{section.title}, continued" if section.title else ""
            some.append(s)
            room -= s.tree.size
        run += [Section(title, tuple(some))] if some else []
    if run:
        yield run


def _names(trees: Iterable[Tree]) -> set[str]:
    return {t.name for tree in trees for t in walk(tree) if t.op == "name"}
