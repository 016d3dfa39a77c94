"""The cost of expressions: expressions in, a number of operations out; shared parts count once."""

from __future__ import annotations

from linkwork.symbolic.scalar import Expr, Node, Number, Product, Sum, Symbol
from linkwork.symbolic.traverse import postorder


def count_operations(*exprs: Expr) -> int:
    """Additions, multiplications, divisions, powers, functions and comparisons.   m*g*sin(x) + 1 takes 4."""
    return sum(_cost(node) for node in postorder(exprs))


def _cost(node: Node) -> int:
    if isinstance(node, Number | Symbol):
        return 0
    if isinstance(node, Sum):
        # a coefficient is a multiplication, unless it is 1 or only a sign
        additions = len(node.terms) - 1 + (node.constant != 0)
        return (
            max(additions, 0)
            + sum(abs(coefficient) != 1 for coefficient, _ in node.terms)
            + (node.constant == 0 and all(coefficient == -1 for coefficient, _ in node.terms))
        )
    if isinstance(node, Product):
        # 1/x is a division; other exponents are powers
        above = any(exponent > 0 for _, exponent in node.factors)
        return len(node.factors) - above + sum(abs(exponent) != 1 for _, exponent in node.factors)
    return 1
