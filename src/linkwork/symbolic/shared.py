"""Subexpressions worth a name: expressions in, definitions and shorter expressions over them out.

A subexpression gets a name if writing it once saves room, or if what contains it would be too long or too deep to be
read back. Equal input gives equal names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from linkwork.symbolic.calculus import substitute
from linkwork.symbolic.exact import Value
from linkwork.symbolic.scalar import Expr, Function, Lookup, Node, Number, Product, Sum, Symbol
from linkwork.symbolic.traverse import postorder

SAVING: Final = 60  # characters that a name has to save
SHORTEST: Final = 16  # characters worth a name
LONGEST: Final = 1_500  # characters written without a name
DEEPEST: Final = 20  # levels written without a name

Definitions = list[tuple[Symbol, Expr]]


def name_shared(roots: Sequence[Expr], make: Callable[[], Symbol]) -> tuple[Definitions, list[Expr]]:
    """Definitions, each over the ones before it, and the roots over them; `make` gives a new symbol.

    >>> from linkwork.symbolic import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> long = sin(x * y + x**2 * cos(y))
    >>> name_shared([long, 2 * long, 3 * long, 4 * long], lambda: symbol("z"))
    ([(z, sin(x*y + x**2*cos(y)))], [z, 2*z, 3*z, 4*z])
    """
    chosen: dict[Expr, Symbol] = {}
    for node in _worth_naming(roots):
        chosen[node] = make()
    definitions: Definitions = []
    known: dict[Expr, Expr] = {}
    for node, name in chosen.items():
        definitions.append((name, substitute(node, known)))
        known[node] = name
    return definitions, [substitute(root, known) for root in roots]


def _worth_naming(roots: Sequence[Expr]) -> list[Expr]:
    """The nodes to be named, children before parents."""
    nodes = postorder(roots)
    uses = Counter(child for node in nodes for child in node.children)
    uses.update(roots)
    lengths: dict[Node, int] = {}
    heights: dict[Node, int] = {}
    chosen: list[Expr] = []
    for node in nodes:
        length = _length(node, lengths)
        height = 1 + max((heights[child] for child in node.children), default=0)
        saving = (uses[node] - 1) * (length - 4)
        wanted = (saving >= SAVING and length >= SHORTEST) or length > LONGEST or height > DEEPEST
        if wanted and isinstance(node, Expr) and not _is_simple(node):
            chosen.append(node)
            length, height = 3, 0
        lengths[node], heights[node] = length, height
    return chosen


def _is_simple(node: Expr) -> bool:
    """A symbol or a number, or one times the other."""
    if isinstance(node, Sum) and len(node.terms) == 1 and node.constant == 0:
        return isinstance(node.terms[0][1], Symbol)
    return isinstance(node, Symbol | Number)


def _length(node: Node, lengths: dict[Node, int]) -> int:
    """About how many characters it takes to write a node."""
    match node:
        case Symbol():
            return len(node.name)
        case Number():
            return len(str(node.value))
        case Sum():
            constant = 3 + len(str(node.constant)) if node.constant else 0
            return constant + sum(lengths[term] + 3 + _factor_length(c) for c, term in node.terms)
        case Product():
            return sum(
                lengths[base] + (3 if isinstance(base, Sum) else 1) + _factor_length(exponent)
                for base, exponent in node.factors
            )
    name = len(node.name) if isinstance(node, Function | Lookup) else 6
    return name + 2 + sum(lengths[child] + 2 for child in node.children)


def _factor_length(value: Value) -> int:
    return 0 if abs(value) == 1 else 1 + len(str(value))
