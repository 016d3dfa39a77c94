"""Walking through expressions without recursion: nodes in; descendants, rebuilt nodes, flat records out.

Every walk visits a shared node once, however deep or shared the expression is. Ignores what the nodes mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_not
from typing import Final, TypeAlias

from linkwork.symbolic import algebra, functions
from linkwork.symbolic.bag import Bag
from linkwork.symbolic.exact import magnitude
from linkwork.symbolic.scalar import (
    Compare,
    Expr,
    Function,
    Lookup,
    Node,
    Number,
    Power,
    Product,
    Select,
    Sum,
    Symbol,
    compare,
)

LARGEST: Final = sys.float_info.max


def postorder(roots: Iterable[Node]) -> list[Node]:
    """All nodes at or below the roots, each once, children before parents, in canonical order."""
    found: list[Node] = []
    done: set[int] = set()
    pending = [*roots][::-1]
    while pending:
        node = pending[-1]
        if id(node) not in done:
            below = [child for child in node.children if id(child) not in done]
            if below:
                pending += below[::-1]
                continue
            done.add(id(node))
            found.append(node)
        pending.pop()
    return found


def bottom_up(roots: Iterable[Node]) -> list[Node]:
    """The same in any order in which children come before parents: nothing is sorted for it."""
    found: list[Node] = []
    done: set[int] = set()
    pending = [*roots]
    while pending:
        node = pending[-1]
        if id(node) not in done:
            below = [part for part in node.parts if id(part) not in done]
            if below:
                pending += below
                continue
            done.add(id(node))
            found.append(node)
        pending.pop()
    return found


def free_symbols(*exprs: Node) -> frozenset[Symbol]:
    """The symbols that occur in the expressions."""
    return frozenset().union(*map(_symbols_of, exprs))


def _symbols_of(expr: Node) -> frozenset[Symbol]:
    """Those of one expression, which it remembers."""
    if isinstance(expr, Symbol):
        return frozenset((expr,))
    known: frozenset[Symbol] | None = getattr(expr, "_symbols", None)
    if known is not None:
        return known
    found: set[Symbol] = set()
    seen: set[int] = set()
    pending: list[Node] = [expr]
    while pending:
        for child in pending.pop().parts:
            if id(child) in seen:
                continue
            seen.add(id(child))
            known = getattr(child, "_symbols", None)
            if known is not None:
                found |= known
            elif isinstance(child, Symbol):
                found.add(child)
            else:
                pending.append(child)
    object.__setattr__(expr, "_symbols", frozenset(found))
    return expr._symbols


def is_in_range(expr: Node) -> bool:
    """Whether all numbers in an expression are within the range of floats, up to 1.8e308."""
    for node in bottom_up([expr]):
        if isinstance(node, Number):
            numbers = [node.value]
        elif isinstance(node, Sum):
            numbers = [node.constant, *(coefficient for _, coefficient in node.bag.items())]
        else:
            continue
        if max(map(magnitude, numbers)) > LARGEST:
            return False
    return True


def replaced(node: Node, changed: Mapping[Node, Node]) -> Node:
    """The same operation applied to what some of its parts have become; itself if none has changed."""
    parts = list(node.parts)
    new = [changed.get(part, part) for part in parts]
    if not any(map(is_not, new, parts)):
        return node
    if type(node) is Sum and _stands_apart(new, _WHOLE):
        values = [value for _, value in node.bag.items()]
        return algebra.make_sum(node.constant, Bag.of(dict(zip(new, values, strict=True))))  # type: ignore[arg-type]
    if type(node) is Product and _stands_apart(new, _PLAIN) and not any(map(_is_absolute, new)):
        values = [value for _, value in node.bag.items()]
        return algebra.make_product(Bag.of(dict(zip(new, values, strict=True))))  # type: ignore[arg-type]
    return rebuild(node, [changed.get(child, child) for child in node.children])


def _stands_apart(nodes: Sequence[Node], kinds: frozenset[type[Node]]) -> bool:
    """Whether all are of some kinds, and no two are alike."""
    return kinds.issuperset(map(type, nodes)) and len({id(node) for node in nodes}) == len(nodes)


def _is_absolute(node: Node) -> bool:
    return type(node) is Function and node.name == "abs"


def rebuild(node: Node, children: Sequence[Node]) -> Node:
    """The same operation applied to other children, given in the order of node.children."""
    maker = _REBUILD.get(type(node))
    return node if maker is None else maker(node, children)


def _rebuild_sum(node: Sum, children: Sequence[Expr]) -> Expr:
    scaled = (algebra.scale(coefficient, child) for (coefficient, _), child in zip(node.terms, children, strict=True))
    return algebra.add(Number(node.constant), *scaled)


def _rebuild_product(node: Product, children: Sequence[Expr]) -> Expr:
    pairs = zip(children, node.factors, strict=True)
    return algebra.multiply(*(algebra.power(child, exponent) for child, (_, exponent) in pairs))


_PLAIN: Final[frozenset[type[Node]]] = frozenset({Symbol, Function})
# what has no coefficient and is no sum
_WHOLE: Final[frozenset[type[Node]]] = frozenset({Symbol, Product, Function, Lookup, Power, Select})

_Maker: TypeAlias = Callable[..., Node]
_REBUILD: Final[dict[type[Node], _Maker]] = {
    Sum: _rebuild_sum,
    Product: _rebuild_product,
    Power: lambda node, children: algebra.power(children[0], children[1]),
    Function: lambda node, children: functions.function(node.name, *children),
    Lookup: lambda node, children: functions.lookup(node.curve, children[0], node.order),
    Compare: lambda node, children: compare(node.op, children[0], children[1]),
    Select: lambda node, children: functions.select(children[0], children[1], children[2]),
}


# ---- a flat record of an expression, for pickling ------------------------------------------------

Record: TypeAlias = tuple[tuple[object, ...], ...]


def pack(node: Node) -> Record:
    """A tuple of entries, children before parents; an entry names a child by its place."""
    nodes = postorder([node])
    place = {id(found): k for k, found in enumerate(nodes)}
    return tuple(_entry(found, tuple(place[id(child)] for child in found.children)) for found in nodes)


def unpack(record: Record) -> Node:
    """The expression of a record made by `pack`."""
    nodes: list[Node] = []
    for kind, data, places in record:
        nodes.append(_MAKE[kind](data, [nodes[k] for k in places]))  # type: ignore[attr-defined]
    return nodes[-1]


def _entry(node: Node, places: tuple[int, ...]) -> tuple[object, ...]:
    match node:
        case Number():
            return "number", node.value, places
        case Symbol():
            return "symbol", (node.name, node.kind.value), places
        case Sum():
            return "sum", (node.constant, tuple(c for c, _ in node.terms)), places
        case Product():
            return "product", tuple(e for _, e in node.factors), places
        case Function():
            return "function", node.name, places
        case Lookup():
            return "lookup", (node.curve, node.order), places
        case Compare():
            return "compare", node.op, places
    return ("power" if isinstance(node, Power) else "select"), None, places


_MAKE: Final[dict[object, Callable[..., Node]]] = {
    "number": lambda value, _: Number(value),
    "symbol": lambda data, _: Symbol(*data),
    "sum": lambda data, nodes: algebra.add(
        Number(data[0]), *(algebra.scale(c, node) for c, node in zip(data[1], nodes, strict=True))
    ),
    "product": lambda data, nodes: algebra.multiply(
        *(algebra.power(node, e) for node, e in zip(nodes, data, strict=True))
    ),
    "function": lambda name, nodes: functions.function(name, *nodes),
    "lookup": lambda data, nodes: functions.lookup(data[0], nodes[0], data[1]),
    "compare": lambda op, nodes: compare(op, *nodes),
    "power": lambda _, nodes: algebra.power(*nodes),
    "select": lambda _, nodes: functions.select(*nodes),
}
