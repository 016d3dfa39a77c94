"""Algebraic values of an export: reactions, accelerations and implicit variables that laws depend on.

    M a + Gᵀλ = f(w),   G a = c,   ρ(a, λ, w) = 0      Newton's method in w:  D Δw = −ρ,  D = dρ/dw

a and λ are solved for in straight lines, so that ρ and D are functions of the state and of w alone.
"""

from __future__ import annotations

from linkwork.export.code import Plan
from linkwork.export.solved import Solved
from linkwork.program import jacobian, replace_nodes


def plan_loop(s: Solved) -> list[Plan]:
    """What vanishes, and its slopes row by row, if there are such values."""
    f, b = s.fused, s.fused.b
    if not f.values:
        return []
    known = dict(zip((*f.a, *f.lam), (*s.a, *s.lam), strict=True))
    rho = replace_nodes(b, list(f.values.values()), known)
    first = f.system.first_follower - len(f.system.inputs)
    w = [f.w[f.system.inputs[name] - first] for name in f.values]
    D = jacobian(b, rho, w)
    count = range(len(w))
    return [Plan("loop", [], {"z": rho, "J": [D.get((i, j), b.zero) for i in count for j in count]})]
