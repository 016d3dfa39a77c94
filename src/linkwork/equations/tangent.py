"""Tangents of a kernel: its balance of forces and its constraints differentiated once more. A Kernel in, programs out.

    r(q, u, a, λ, t; p)   →   ∂r/∂q, ∂r/∂u, ∂r/∂p      with the stiffness of the reactions λ ∂G/∂q
    g, ġ, g̈              →   their derivatives by q, u and p

What linear models and equilibria need besides M and G. Knows no instances, and refuses followers: a turned body has
other directions of its speeds, so that the linear model would not be of the form δq̇ = δu.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from weakref import WeakKeyDictionary

from linkwork.equations.kernel import Balance, Kernel, Trace
from linkwork.errors import InputError, Problem
from linkwork.program import Program, jacobian


@dataclass(frozen=True, slots=True, kw_only=True)
class Tangent:
    """Entries of derivatives: `entries` name them ("r", "q", i, j) for ∂rᵢ/∂qⱼ, in the order of the group "F"."""

    program: Program
    entries: tuple[tuple[str, str, int, int], ...]


def _once(derive: Callable[[Kernel], Tangent]) -> Callable[[Kernel], Tangent]:
    """Derived once for each kernel that is in use."""
    known: WeakKeyDictionary[Kernel, Tangent] = WeakKeyDictionary()

    @wraps(derive)
    def find(k: Kernel) -> Tangent:
        if k not in known:
            known[k] = derive(k)
        return known[k]

    return find


@_once
def derive_tangent(k: Kernel) -> Tangent:
    """r, g, ġ and g̈ by coordinates and speeds; ∂ġ/∂u and ∂g̈/∂a are the matrix G, ∂r/∂a is M."""
    return _derive(k, [("r", "q"), ("r", "u"), ("g", "q"), ("g1", "q"), ("g2", "q"), ("g2", "u")])


@_once
def derive_stiffness(k: Kernel) -> Tangent:
    """∂r/∂q alone, for what stands still."""
    return _derive(k, [("r", "q")])


@_once
def derive_by_parameters(k: Kernel) -> Tangent:
    """r, g, ġ and g̈ by parameters."""
    return _derive(k, [("r", "p"), ("g", "p"), ("g1", "p"), ("g2", "p")])


def _derive(k: Kernel, pairs: Sequence[tuple[str, str]]) -> Tangent:
    if k.followers:
        what = f"there is no linear model of '{k.name}', whose rotation follows its speeds"
        raise InputError([Problem(what=what, remedy="Formulate it in points")])
    trace = Trace(k)
    b = trace.b
    balance = Balance(trace, b.total(trace.potentials.values()))
    g1, g2 = trace.rates_of_constraints()
    results = {"r": balance.full, "g": [*trace.g, *([b.zero] * len(trace.h))], "g1": g1, "g2": g2}
    variables = {"q": trace.q, "u": trace.u, "p": trace.p}
    found = {
        (what, by, i, j): node
        for what, by in pairs
        for (i, j), node in jacobian(b, results[what], variables[by]).items()
    }
    return Tangent(program=b.program(F=list(found.values())), entries=tuple(found))
