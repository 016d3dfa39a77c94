"""What values of parameters must keep to for the equations to hold: formulas that must not be zero, negative, or next
to nothing. `init` asks in exported code; limits.py puts answers into words.

Elimination in an order that is chosen once loses a digit with each power of ten that masses move apart from each other
and from the weights of constraints that help: the light one is what is left of large numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from linkwork.export.fuse import Fused
from linkwork.export.solved import GIVE, Solved, find_extreme
from linkwork.model import Lagrangian, Mechanism
from linkwork.program import lower
from linkwork.symbolic import free_symbols

APART = 1e-6  # what masses may move apart: in all examples half of the sixteen digits are left then
SOFTLY = APART / GIVE  # the same where constraints give way, which takes digits, too


class Bound(NamedTuple):
    """What must not be: the value of a node is `wrong`, as in "<=", than zero.

    of   masses beside what they were, if these move apart
    """

    node: int
    wrong: str
    of: tuple[int, ...] = ()


def list_bounds(mechanism: Mechanism | Lagrangian, fused: Fused, solved: Solved | None = None) -> list[Bound]:
    """All of them, each once; those of numbers alone stay as they are."""
    b, known = fused.b, fused.system.formulas
    found = dict[int, str]()
    for i, was in zip(known.zeros.tolist(), known.were_zero.tolist(), strict=True):
        if free_symbols(known.exprs[i]):
            found.setdefault(fused.formula(i), "!=" if was else "==")
    if solved is not None and not fused.system.m:
        found |= {node: "==" for (i, j), node in fused.M.items() if i == j and b.kinds(node) == {"p"}} | found
    for expr, wrong in mechanism.bounds if isinstance(mechanism, Mechanism) else ():
        node = lower(b, expr, fused.symbols)
        # what must not be zero, too
        before = found.get(node, wrong)
        # one comparison for both
        found[node] = before if before in (wrong, "!=") else "<="
    bounds = [Bound(node, wrong) for node, wrong in found.items()]
    if solved is not None and solved.ratios:
        bounds.append(_keep_together(solved))
    return [bound for bound in bounds if not b.is_constant(bound.node)]


def _keep_together(s: Solved) -> Bound:
    """The least of the masses, each beside what it was, must not be next to nothing beside the largest."""
    b = s.fused.b
    least, largest = (find_extreme(b, op, s.ratios, s.weights) for op in ("min", "max"))
    apart = SOFTLY if s.gives_way else APART
    return Bound(b.sub(least, b.mul(b.constant(apart), largest)), "<=", s.ratios)
