"""Names for what formulas share; of what is small the part of each order has its own name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from linkwork.symbolic import ZERO, Expr, Number, Symbol, add, symbol
from linkwork.symbolic.algebra import split_coefficient
from linkwork.symbolic.small import series
from linkwork.symbolic.vector import Vector


class Names:
    """Names as they come, the same value once, whatever its sign.

    shared   what names stand for, each over those before it
    kept     how many orders of what is small are kept, all if it is not said
    """

    def __init__(self, small: Mapping[Symbol, int], kept: int | None) -> None:
        self.shared: dict[Symbol, Expr] = {}
        self.kept, self._orders = kept, dict(small)
        self._known: dict[Expr, Expr] = {}
        self._names: dict[Expr, Symbol] = {}

    def keep(self, v: Iterable[Expr]) -> Vector:
        """A vector by the names of its components."""
        return Vector(self.name(x) for x in v)

    def name(self, x: Expr) -> Expr:
        """What stands for an expression: a name or its negative, or a sum of them, one for each order."""
        if isinstance(x, Number) or (isinstance(x, Symbol) and self.kept is None):
            return x
        if x not in self._known:
            parts = [x] if self.kept is None else series(x, self._orders, self.kept)
            self._known[x] = add(*(self._part(part, k) for k, part in enumerate(parts) if part is not ZERO))
        return self._known[x]

    def _part(self, x: Expr, order: int) -> Expr:
        _, core = split_coefficient(x)
        if isinstance(core, Number | Symbol):
            return x
        if -x in self._names:
            return -self._names[-x]
        if x not in self._names:
            name = self._names[x] = symbol(f"z{len(self.shared)}", kind="abbreviation")
            self.shared[name] = x
            if order:
                self._orders[name] = order
        return self._names[x]
