"""The order in which terms and factors are written: a node in, a sortable key out.

Parameters come first (masses before all, as in m*g*l), then motions, then functions, then sums. The key looks only
a few levels deep and ends with the node's digest, so it is total, cheap, and the same in every run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from linkwork.symbolic.scalar import Node

OrderKey: TypeAlias = tuple[str, float, int]

DEPTH: Final = 3
WIDTH: Final = 6
KIND_RANK: Final = {
    "parameter": "1",
    "input": "2",
    "time": "2",
    "multiplier": "3",
    "coordinate": "4",
    "state": "5",
    "speed": "6",
    "acceleration": "7",
}
_DIGITS = re.compile(r"\d+")


def order_key(node: Node) -> OrderKey:
    """(sketch, -degree, digest): a depends on what is written, the rest breaks ties; x**2 comes before x."""
    if node._order is None:
        object.__setattr__(node, "_order", (_sketch(node, DEPTH), -_degree(node), node.key))
    return node._order  # type: ignore[return-value]


def _sketch(node: Node, depth: int) -> str:
    if isinstance(node, scalar.Symbol):
        lead = " " if node.name[0] in "mMIJ" else "!"
        padded = _DIGITS.sub(lambda digits: digits[0].zfill(6), node.name)
        return f"{KIND_RANK[node.kind]}{lead}{padded.lower()}{padded}"
    if isinstance(node, scalar.Product):
        return _sketch_bag(node, depth)
    if isinstance(node, scalar.Number):
        return f"0{node.value}"
    if isinstance(node, scalar.Sum):
        return f"9({_sketch_bag(node, depth)})"
    name = node.name if isinstance(node, scalar.Function) else type(node).__name__
    inside = " ".join(_sketch(child, depth - 1) for child in node.children) if depth else ""
    return f"8{name}({inside})"


def _sketch_bag(node: scalar.Sum | scalar.Product, depth: int) -> str:
    if depth == 0 or node.bag.size > WIDTH:
        return f"~{node.bag.size:06d}"
    return " ".join(sorted(_sketch(entry, depth - 1) for entry, _ in node.bag.items()))


def _degree(node: Node) -> float:
    if not isinstance(node, scalar.Product) or node.bag.size > WIDTH:
        return 1.0
    return float(sum(sorted(exponent for _, exponent in node.bag.items())))


from linkwork.symbolic import scalar  # noqa: E402
