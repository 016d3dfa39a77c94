"""What an implicit step needs of a kernel: its residuals and the matrix of an iteration. A Kernel in, programs out.

    r(q, e, u, a, λ, t),   g(q, e, t),   ġ or h(q, e, u, t)
    S = M + c₀ C + c₁ K + Gᵀ W B        C = ∂r/∂u,  K = ∂r/∂q + ∂r/∂e N,  N of the followers e
    B = G + c₂ D                        D = ∂ġ/∂q + ∂ġ/∂e N, and the same of h

with numbers of the method: how much a speed (c₀) and a place (c₁) change with an acceleration, and a place with a speed
(c₂, or zero where constraints of positions are iterated). S is not symmetric.
Knows no instances. Made when an implicit method runs: nobody else pays for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from linkwork.equations.forms import depends
from linkwork.equations.kernel import MOVING, Balance, Kernel, Trace
from linkwork.program import Builder, Hoisted, hoist, jacobian

CHANGING = (*MOVING, "a", "lam", "s")  # what entries that are not constant depend on
Entry = tuple[str, int, int]
Nodes = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Implicit:
    """Programs of a kernel for implicit steps.

    residual  r by coordinate; g by constraint of positions; v: ġ, then h, by constraint. None if all of it vanishes
    matrix    "F": entries of S, B and Gᵀ that change, by `entries`: ("S", i, j) is row i and column j, ("G", c, j) of B
    constant  the others, by `constant_entries`
    coupled   pairs i > j of coordinates between which there is stiffness or damping

    ("T", c, j) is the entry of Gᵀ in the column of constraint c.
    """

    residual: Hoisted | None
    matrix: Hoisted | None
    entries: tuple[Entry, ...]
    constant: Hoisted
    constant_entries: tuple[Entry, ...]
    coupled: tuple[tuple[int, int], ...]


_KNOWN: WeakKeyDictionary[Kernel, Implicit] = WeakKeyDictionary()


def derive_implicit(k: Kernel) -> Implicit:
    """Differentiate a kernel's balance, once for each kernel that is in use."""
    if k not in _KNOWN:
        _KNOWN[k] = _derive(k)
    return _KNOWN[k]


def _derive(k: Kernel) -> Implicit:
    trace = Trace(k)
    b = trace.b
    balance = Balance(trace, b.total(trace.potentials.values()))
    g1, _ = trace.rates_of_constraints()
    idle = all(node == b.zero for node in (*balance.full, *trace.g, *g1))
    by_speed, by_place = jacobian(b, balance.full, trace.u), trace.along(balance.full)
    rows = dict(balance.G)
    _add(b, rows, trace.along(g1), b.input("s", 2, "c2"))
    total = _sum_up(trace, balance, by_speed, by_place, rows)
    entries: dict[Entry, int] = {("S", i, j): node for (i, j), node in total.items()}
    entries |= {("G", i, j): node for (i, j), node in rows.items()}
    entries |= {("T", i, j): node for (i, j), node in balance.G.items()}
    entries = {key: node for key, node in sorted(entries.items()) if node != b.zero}
    moving = {key: node for key, node in entries.items() if depends(b, node, CHANGING)}
    fixed = {key: node for key, node in entries.items() if key not in moving}
    return Implicit(
        residual=None if idle else hoist(b.program(r=balance.full, g=trace.g, v=g1)),
        matrix=hoist(b.program(F=list(moving.values()))) if moving else None,
        entries=tuple(moving),
        constant=hoist(b.program(F=list(fixed.values()))),
        constant_entries=tuple(fixed),
        coupled=tuple(sorted({(max(pair), min(pair)) for pair in (*by_speed, *by_place) if pair[0] != pair[1]})),
    )


def _sum_up(trace: Trace, balance: Balance, C: Nodes, K: Nodes, B: Nodes) -> Nodes:
    """The entries of S."""
    b = trace.b
    found = jacobian(b, balance.full, trace.a)
    _add(b, found, C, b.input("s", 0, "c0"))
    _add(b, found, K, b.input("s", 1, "c1"))
    for (c, i), left in balance.G.items():
        for (d, j), right in B.items():
            if c == d:
                _add(b, found, {(i, j): b.mul(left, right)}, trace.w[c])
    return found


def _add(b: Builder, to: Nodes, entries: Nodes, factor: int) -> None:
    for place, node in entries.items():
        to[place] = b.add(to.get(place, b.zero), b.mul(factor, node))
