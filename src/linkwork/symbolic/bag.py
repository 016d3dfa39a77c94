"""A persistent map from nodes to numbers: the terms of a sum, the factors of a product.

In goes a bag and a change, out comes a new bag; the old one stays valid. A change costs O(log n) because the
two bags share all they have in common, so a sum of 100,000 terms can be built one term at a time.
The digest of a bag depends on its contents alone, not on the order in which they came.
Ignores what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias, Union, final

from linkwork.symbolic.exact import MASK, Value, value_digest

if TYPE_CHECKING:
    from linkwork.symbolic.scalar import Expr

# up to LEAF entries are one dictionary, never changed once made; more are a tree of FAN branches chosen by
# successive BITS of the node's own digest
Root: TypeAlias = Union[dict["Expr", Value], tuple["Root", ...]]

LEAF: Final = 32
BITS: Final = 4
FAN: Final = 1 << BITS


@final
class Bag:
    """An immutable multiset {node: number}; no number is zero."""

    __slots__ = ("digest", "root", "size")

    def __init__(self, root: Root, size: int, digest: int) -> None:
        self.root, self.size, self.digest = root, size, digest

    @staticmethod
    def of(entries: dict[Expr, Value]) -> Bag:
        """The bag of all entries of a dictionary, which it may keep."""
        total = 0
        for node, value in entries.items():
            total += node.key if value == 1 else node.key * value_digest(value)
        return Bag(_tree(entries, 0), len(entries), total & MASK)

    def get(self, node: Expr) -> Value | None:
        """The number of a node, or None."""
        root, key = self.root, node.key
        while isinstance(root, tuple):
            root, key = root[key % FAN], key >> BITS
        return root.get(node)

    def with_value(self, node: Expr, value: Value) -> Bag:
        """A bag in which the node has this number; zero removes it."""
        old = self.get(node)
        digest, size = self.digest, self.size
        if old is not None:
            digest -= node.key * value_digest(old)
            size -= 1
        if value != 0:
            digest += node.key * value_digest(value)
            size += 1
        return Bag(_changed(self.root, 0, node, value), size, digest & MASK)

    def items(self) -> Iterator[tuple[Expr, Value]]:
        """All entries, in no particular order."""
        pending = [self.root]
        while pending:
            root = pending.pop()
            if isinstance(root, tuple):
                pending.extend(root)
            else:
                yield from root.items()

    def single(self) -> tuple[Expr, Value]:
        """The only entry of a bag of size one."""
        return next(self.items())


def _tree(entries: dict[Expr, Value], shift: int) -> Root:
    if len(entries) <= LEAF:
        return entries
    leaves: list[dict[Expr, Value]] = [{} for _ in range(FAN)]
    for node, value in entries.items():
        leaves[(node.key >> shift) % FAN][node] = value
    return tuple(_tree(leaf, shift + BITS) for leaf in leaves)


def _changed(root: Root, shift: int, node: Expr, value: Value) -> Root:
    if isinstance(root, tuple):
        branches = list(root)
        place = (node.key >> shift) % FAN
        branches[place] = _changed(branches[place], shift + BITS, node, value)
        return tuple(branches)
    leaf = root.copy()
    if value == 0:
        leaf.pop(node, None)
    else:
        leaf[node] = value
    return _tree(leaf, shift)


EMPTY: Final = Bag({}, 0, 0)
