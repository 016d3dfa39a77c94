"""Forms that the energies, balances, constraints and rates of a kernel must have: nodes in, an error or nothing out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem
from linkwork.program import Builder

if TYPE_CHECKING:
    from linkwork.equations.kernel import Balance, Trace

QUADRATIC = "Write L as a quadratic form of the speeds; give other forces as forces or dissipation"
LINEAR = "Write it as A(q, t) u + b(q, t)"
RATES = "Write it as N(q, e, t) u"
MOMENTUM = "Give the rate of momentum as a balance, e.g. J a + u × J u"
ACCELERATIONS = "Write it as M(q, t) a + h(q, u, t) with M symmetric"


def check_forms(trace: Trace, balance: Balance) -> None:
    """Whether energies, constraints and rates have the form that the equations of motion need."""
    b, M, N = trace.b, balance.M, trace.N
    if trace.balance:
        bad = any(depends(b, node, ("u", "a")) for node in M.values()) or not _is_symmetric(b, M)
        refuse(bad, "the balance is not linear in the accelerations with a symmetric matrix", ACCELERATIONS)
    else:
        curved = any(depends(b, node, ("u",)) for node in M.values())
        refuse(
            curved and bool(N), "the kinetic energy of what moves followers is not quadratic in the speeds", QUADRATIC
        )
        # one speed alone moves along a curve, which has coordinates; several turn each other's directions
        driving = {j for _, j in N if balance.momentum[j] != b.zero}
        bad = len(driving) > 1 or depends(b, trace.T, ("e",))
        refuse(bad, "the kinetic energy contains followers or speeds that move them", MOMENTUM)
    refuse(
        any(depends(b, node, ("u",)) for node in balance.G.values()),
        "a constraint of velocities is not linear in the speeds",
        LINEAR,
    )
    bad = any(depends(b, node, ("u",)) for node in N.values()) or any(n != b.zero for n in trace.still(trace.n))
    refuse(bad, "the rate of a follower is not linear in the speeds", RATES)
    tables = any(b.nodes[n].op == "curve" for n in b.ancestors(trace.n))
    refuse(tables, "the rate of a follower reads a table", "Use a formula")


def _is_symmetric(b: Builder, M: Mapping[tuple[int, int], int]) -> bool:
    """Whether a matrix of nodes is symmetric: the same nodes, or else the same numbers at one place."""
    doubtful = [(node, M.get((j, i), b.zero)) for (i, j), node in M.items() if M.get((j, i)) != node]
    if not doubtful:
        return True
    program = b.program(one=[one for one, _ in doubtful], other=[other for _, other in doubtful])
    values: list[Floats] = []
    for i, node in enumerate(program.nodes):
        number = node.value if node.op == "constant" else 0.3 + 0.6180339887 * i % 1.0
        leaf = node.op in ("constant", "input")
        values.append(np.asarray(number) if leaf else node.compute(*(values[a] for a in node.args)))
    one, other = ([values[n] for n in program.outputs[name]] for name in ("one", "other"))
    return np.allclose(one, other, rtol=1e-9, atol=1e-12)


def refuse(bad: bool, what: str, remedy: str) -> None:
    """An error in words if something is bad."""
    if bad:
        raise InputError([Problem(what=what, remedy=remedy)])


def depends(b: Builder, node: int, kinds: tuple[str, ...]) -> bool:
    """Whether a node depends on an input of these kinds."""
    return not b.kinds(node).isdisjoint(kinds)
