"""The order in which terms and factors are written: nodes in, the same nodes sorted out.

Parameters come first (masses before all, as in m*g*l), then motions, functions and sums; x**2 before x.
Nodes are compared by a sketch of what is written on top, then a few levels deeper, and at last by their digest:
the order is total, cheap, and the same in every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from linkwork.symbolic.exact import Value

if TYPE_CHECKING:
    from linkwork.symbolic.scalar import Expr, Node

DEPTH: Final = 3  # of the second look
WIDTH: Final = 6  # sums and products of more parts are sketched by their size
KIND_RANK: Final = {
    "parameter": "1",
    "input": "2",
    "time": "2",
    "multiplier": "3",
    "coordinate": "4",
    "state": "5",
    "abbreviation": "5",
    "speed": "6",
    "acceleration": "7",
}
_look: Final = itemgetter(0)
_DIGITS: Final = re.compile(r"\d+")


def sorted_entries(entries: Iterable[tuple[Expr, Value]]) -> list[tuple[Expr, Value]]:
    """The (node, number) pairs of a bag in canonical order."""
    pairs = list(entries)
    if len(pairs) < 2:
        return pairs
    looks = [_first_look(pair) for pair in pairs]
    if len({*looks}) == len(looks):
        return [pair for _, pair in sorted(zip(looks, pairs, strict=True), key=_look)]
    pairs.sort(key=_first_look)
    result: list[tuple[Expr, Value]] = []
    for _, group in groupby(pairs, key=_first_look):
        tied = list(group)
        result += sorted(tied, key=_second_look) if len(tied) > 1 else tied
    return result


def _first_look(entry: tuple[Expr, Value]) -> str:
    node = entry[0]
    try:
        return node.sketch
    except AttributeError:
        object.__setattr__(node, "sketch", _sketch(node, 1))
    return node.sketch


def _second_look(entry: tuple[Expr, Value]) -> tuple[str, float, int]:
    return _sketch(entry[0], DEPTH), -_degree(entry[0]), entry[0].key


def _sketch(node: Node, depth: int) -> str:
    kind = type(node)
    if kind is scalar.Symbol:
        return _sketch_symbol(node.kind, node.name)  # type: ignore[attr-defined]
    if kind is scalar.Product:
        return _sketch_bag(node, depth)  # type: ignore[arg-type]
    if kind is scalar.Number:
        return f"0{node.value}"  # type: ignore[attr-defined]
    if kind is scalar.Sum:
        return f"9({_sketch_bag(node, depth)})"  # type: ignore[arg-type]
    name = node.name if isinstance(node, scalar.Function | scalar.Lookup) else kind.__name__
    inside = " ".join([_sketch(child, depth - 1) for child in node.children]) if depth else ""
    return f"8{name}({inside})"


@lru_cache(maxsize=1 << 14)
def _sketch_symbol(kind: str, name: str) -> str:
    # digits in full width sort as numbers do, x2 before x10
    lead = " " if name[0] in "mMIJ" else "!"
    padded = _DIGITS.sub(lambda digits: digits[0].zfill(6), name)
    return f"{KIND_RANK[kind]}{lead}{padded.lower()} {padded}"


def _sketch_bag(node: scalar.Sum | scalar.Product, depth: int) -> str:
    if depth == 0 or node.bag.size > WIDTH:
        return f"~{node.bag.size:06d}"
    return " ".join(sorted([_sketch(entry, depth - 1) for entry, _ in node.bag.items()]))


def _degree(node: Node) -> float:
    if not isinstance(node, scalar.Product) or node.bag.size > WIDTH:
        return 1.0
    return float(sum(sorted(exponent for _, exponent in node.bag.items())))


# only the classes are needed, and only when something is sorted
from linkwork.symbolic import scalar  # noqa: E402
