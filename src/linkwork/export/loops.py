"""Algebraic values of an export: reactions, accelerations and implicit variables that laws depend on.

    M a + Gᵀλ = f(w),   G a = c,   ρ(a, λ, w) = 0      Newton's method in w:  D Δw = −ρ,  D = dρ/dw

a and λ are solved for in straight lines, so that ρ and D are functions of the state and of w alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwork.arrays import Floats
from linkwork.export.code import Plan
from linkwork.export.solved import Solved, Start
from linkwork.program import Builder, jacobian, replace_nodes

# as in templates/c/settle.c
MOST_ROUNDS, PATIENCE = 40, 6
ENOUGH, FEW, VALUE_SHARE = 1e-13, 1e-9, 1e-3


def plan_loop(s: Solved) -> list[Plan]:
    """What vanishes, and its slopes row by row, if there are such values."""
    f, b = s.fused, s.fused.b
    if not f.values:
        return []
    known = dict(zip((*f.a, *f.lam), (*s.a, *s.lam), strict=True))
    rho = replace_nodes(b, list(f.values.values()), known)
    D = jacobian(b, rho, f.settled)
    count = range(len(rho))
    return [Plan("loop", [], {"z": rho, "J": [D.get((i, j), b.zero) for i in count for j in count]})]


def settle(measure: Callable[[Floats], tuple[Floats, Floats]], first: Floats) -> Floats:
    """The values near the first ones; not numbers where none satisfy the laws.   first: (..., k)

    measure   what vanishes, and its slopes   (..., k) → (..., k), (..., k, k)
    """
    w = first.copy()
    left = np.ones(w.shape[:-1], dtype=bool)
    for rounds in range(MOST_ROUNDS):
        with np.errstate(all="ignore"):
            rho, D = measure(w)
            D = np.where(np.linalg.det(D)[..., None, None] == 0.0, np.nan, D)
            step = np.linalg.solve(D, rho[..., None])[..., 0]
            w = np.where(left[..., None], w - step, w)
            sizes = abs(w) + VALUE_SHARE * np.max(abs(w), axis=-1, keepdims=True)
            change = np.max(abs(step) / np.maximum(sizes, 1e-300), axis=-1)
        found = (change <= ENOUGH) | ((rounds >= PATIENCE) & (change <= FEW))
        left &= ~(found | np.isnan(change))
        if not left.any():
            break
    return np.where(left[..., None], np.nan, w)


def follow(s: Solved, at: Start, y: Sequence[int], changes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Changes along the state y where the values follow: those with the values held, and with the state held.

    changes: of a, λ and whatever else, by what changes: entries of y, then values  →  by entries of y
    """
    f, b = s.fused, s.fused.b
    rho, found = list(f.values.values()), (*f.a, *f.lam)
    partial = jacobian(b, rho, [*y, *f.settled, *found])
    known = dict(zip(found, (*s.a, *s.lam), strict=True))
    nodes = dict(zip(partial, replace_nodes(b, list(partial.values()), known), strict=True))
    behind = len(changes)

    def change(i: int, k: int) -> int:
        """How what vanishes changes with an entry of the state, or with a value."""
        through = (b.mul(nodes[i, behind + j], changes[k][j]) for j in range(len(found)) if (i, behind + j) in nodes)
        return b.add(nodes.get((i, k), b.zero), b.total(through))

    count = range(len(rho))
    D = [[change(i, len(y) + j) for j in count] for i in count]
    moved = _solve(b, D, [[b.neg(change(i, k)) for i in count] for k in range(len(y))], at)
    ways = changes[len(y) :]
    return [
        [b.add(x, b.total(b.mul(way[i], w) for way, w in zip(ways, values, strict=True))) for i, x in enumerate(held)]
        for held, values in zip(changes, moved, strict=False)
    ]


def _solve(b: Builder, D: list[list[int]], rights: list[list[int]], at: Start) -> list[list[int]]:
    """D x = r by elimination, for each r, with the pivots that are largest at the start."""
    count = len(D)
    numbers = np.reshape(at.compute(D=[node for row in D for node in row])[0], (count, count))
    pivots, left = list[tuple[int, int]](), numbers.copy()
    rows = [[*row, *(right[i] for right in rights)] for i, row in enumerate(D)]
    for _ in range(count):
        free = np.ones((count, count), dtype=bool)
        for i, j in pivots:
            free[i, :] = free[:, j] = False
        row, column = divmod(int(np.argmax(np.where(free, np.nan_to_num(abs(left)), -1.0))), count)
        pivots.append((row, column))
        inverse = b.div(b.one, rows[row][column])
        rows[row] = [b.mul(inverse, x) for x in rows[row]]
        left[row] /= left[row, column] or np.nan
        for k in range(count):
            if k != row:
                left[k] -= left[k, column] * left[row]
                factor = rows[k][column]
                rows[k] = [b.sub(x, b.mul(factor, y)) for x, y in zip(rows[k], rows[row], strict=True)]
    found = {column: rows[row][count:] for row, column in pivots}
    return [[found[j][k] for j in range(count)] for k in range(len(rights))]
