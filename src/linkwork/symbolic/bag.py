"""A persistent map from nodes to numbers: the terms of a sum, the factors of a product.

In goes a bag and a change, out comes a new bag; the old one stays valid. A change costs O(log n) because the
two bags share all they have in common, so a sum of 100,000 terms can be built one term at a time.
The digest of a bag depends on its contents alone, not on the order in which they came.
Ignores what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias, final

from linkwork.symbolic.exact import MASK, Value, value_digest

if TYPE_CHECKING:
    from linkwork.symbolic.scalar import Expr

# up to LEAF entries are one dictionary, never changed once made; more are a tree of FAN branches chosen by
# successive BITS of the node's own digest
Root: TypeAlias = "dict[Expr, Value] | tuple[Root, ...]"

LEAF: Final = 24
BITS: Final = 4
FAN: Final = 1 << BITS


@final
class Bag:
    """An immutable multiset {node: number}; no number is zero."""

    __slots__ = ("digest", "root", "size")

    def __init__(self, root: Root, size: int, digest: int) -> None:
        self.root, self.size, self.digest = root, size, digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Bag) or self.size != other.size:
            return False
        # trees of equal contents have equal shapes, unless something was taken out of one
        return self.root == other.root or dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return self.digest

    @staticmethod
    def of(entries: dict[Expr, Value]) -> Bag:
        """The bag of all entries of a dictionary, which it may keep."""
        total = 0
        for node, value in entries.items():
            total += node.key if type(value) is int and value == 1 else node.key * value_digest(value)
        size = len(entries)
        return Bag(entries if size <= LEAF else _tree(entries, 0), size, total & MASK)

    def value(self, node: Expr) -> Value:
        """The number of a node; zero if it is not in the bag."""
        root = self.root
        key = node.key
        while type(root) is tuple:
            root, key = root[key % FAN], key >> BITS
        return root.get(node, 0)  # type: ignore[union-attr]

    def with_new(self, node: Expr, value: Value) -> Bag | None:
        """A bag with one more node, or None if the node is in it already."""
        root: Root | None = self.root
        if type(root) is dict and len(root) < LEAF:
            root = {**root, node: value} if node not in root else None
        else:
            root = _inserted(self.root, node, value)
        if root is None:
            return None
        weight = node.key if type(value) is int and value == 1 else node.key * value_digest(value)
        return Bag(root, self.size + 1, self.digest + weight & MASK)

    def with_value(self, node: Expr, old: Value, value: Value) -> Bag:
        """A bag in which a node that had the number `old` has another; zero removes it."""
        digest = self.digest - node.key * value_digest(old)
        if value == 0:
            root = _changed(self.root, node, 0)
            small = root if self.size - 1 > LEAF else dict(_entries(root))
            return Bag(small, self.size - 1, digest & MASK)
        digest += node.key * value_digest(value)
        return Bag(_changed(self.root, node, value), self.size, digest & MASK)

    def items(self) -> Iterable[tuple[Expr, Value]]:
        """All entries, in no particular order."""
        return self.root.items() if type(self.root) is dict else _entries(self.root)

    def nodes(self) -> Iterable[Expr]:
        """All nodes, in no particular order."""
        return self.root.keys() if type(self.root) is dict else (node for node, _ in _entries(self.root))

    def single(self) -> tuple[Expr, Value]:
        """The only entry of a bag of size one."""
        (entry,) = self.items()
        return entry


def _entries(root: Root) -> Iterator[tuple[Expr, Value]]:
    pending = [root]
    while pending:
        top = pending.pop()
        if isinstance(top, tuple):
            pending.extend(top)
        else:
            yield from top.items()


def _tree(entries: dict[Expr, Value], shift: int) -> Root:
    if len(entries) <= LEAF:
        return entries
    leaves: list[dict[Expr, Value]] = [{} for _ in range(FAN)]
    for node, value in entries.items():
        leaves[(node.key >> shift) % FAN][node] = value
    return tuple([_tree(leaf, shift + BITS) for leaf in leaves])


def _inserted(root: Root, node: Expr, value: Value) -> Root | None:
    # down to the leaf, remembering the way
    key = node.key
    path = []
    while type(root) is tuple:
        path.append(root)
        root, key = root[key % FAN], key >> BITS
    if node in root:
        return None
    leaf = root.copy()  # type: ignore[union-attr]
    leaf[node] = value
    new: Root = leaf if len(leaf) <= LEAF else _tree(leaf, len(path) * BITS)
    return _replaced(path, node.key, new) if path else new


def _replaced(path: list[tuple[Root, ...]], key: int, new: Root) -> Root:
    """The tree with another leaf at the end of a path; branches along the path are copied."""
    for level in range(len(path) - 1, -1, -1):
        branches = list(path[level])
        branches[(key >> level * BITS) % FAN] = new
        new = tuple(branches)
    return new


def _changed(root: Root, node: Expr, value: Value) -> Root:
    key = node.key
    path = []
    while type(root) is tuple:
        path.append(root)
        root, key = root[key % FAN], key >> BITS
    leaf = root.copy()  # type: ignore[union-attr]
    if value == 0:
        del leaf[node]
    else:
        leaf[node] = value
    return _replaced(path, node.key, leaf)


EMPTY: Final = Bag({}, 0, 0)
