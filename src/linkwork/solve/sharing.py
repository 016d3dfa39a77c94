"""Friction that holds together: forces of grips that depend on each other in, what share of their holds they take out.

Where several hold one and the same motion (two on one shaft, the feet of a table) their forces F are not determined,
only what they do together, B F = T. Such a group holds as long as any forces within their holds do, so what counts is

    γ(T) = min { γ : B F = T, |Fᵢ| ≤ γ hᵢ },   and it slips where γ > 1

F = w Bᵀ y is the least in the sum of F²/w. It begins with w = h, forces in proportion to holds, which is the answer for
all that have one and the same speed. After that w = h/|Bᵀy|, until the largest share is what y says; where that takes
too long, those that give all they have are named, and the others have the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.native.instant import Instant
from linkwork.native.rank import split
from linkwork.solve.gripping import full

TURNS = 60  # of weights
AGREED = 1e-12  # between shares and what bounds them from below
EXACT = 1e-10  # of forces: what is left of their balance
SMALLEST = 1e-9  # of the largest: a pull
TAKEN = 1e-6  # of the largest share: what is at its limit as well
DEPENDENT = 1e-7  # of a row: what takes part in a dependence


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Forces of grips that hold together.

    most    γ, the largest share of a hold
    forces  F, and ways Bᵀy: how all of them would slide
    """

    most: float
    forces: Floats
    ways: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Grips that stick and depend on each other.   B: (f, rows)"""

    grips: tuple[Grip, ...]
    rows: tuple[int, ...]
    B: Floats

    @property
    def sizes(self) -> list[int]:
        """The number of rows of each."""
        return [len(grip.rows) for grip in self.grips]

    def share(self, forces: Floats, holds: Floats) -> Shared:
        """The least share of their holds with which they do what some forces do.   forces: (rows,)"""
        return share(self.B, self.B @ forces, holds, self.sizes)

    def find_pulls(self, forces: Floats, holds: Floats) -> dict[str, Floats]:
        """Those that slip where the others have too little left, and which way."""
        shared, first = self.share(forces, holds), np.cumsum([0, *self.sizes])
        size = float(np.max(np.abs(shared.ways)))
        found = {}
        for grip, hold, begin, end in zip(self.grips, holds, first, first[1:], strict=False):
            way, used = shared.ways[begin:end], float(np.linalg.norm(shared.forces[begin:end]))
            if used >= (1.0 - TAKEN) * shared.most * hold and np.max(np.abs(way)) > TAKEN * size:
                found[grip.name] = way
        return found


def find_group(
    system: System, at: Instant, held: Ints, grips: Sequence[Grip], sticking: frozenset[int]
) -> Group | None:
    """Those of the grips that stick that depend on each other where constraints hold."""
    stuck = [grip for grip in grips if sticking.issuperset(grip.rows)]
    rows = [row for grip in stuck for row in grip.rows]
    if len(rows) < 2:
        return None
    J = full(at.G[rows]) * system.scales
    N = split(full(at.G[held]) * system.scales).right if len(held) else np.eye(J.shape[1])
    A = J @ N
    dependence = split(A)
    taking = np.linalg.norm(dependence.U[:, dependence.rank :], axis=1) > DEPENDENT
    own = dict(zip(rows, taking.tolist(), strict=True))
    together = tuple([grip for grip in stuck if any(own[row] for row in grip.rows)])
    if not together:
        return None
    chosen = tuple([row for grip in together for row in grip.rows])
    return Group(grips=together, rows=chosen, B=A[[rows.index(row) for row in chosen]].T)


def share(B: Floats, T: Floats, holds: Floats, sizes: Sequence[int]) -> Shared:
    """The forces, and their share.   B: (f, n), T: (f,), holds: (grips,), sizes: of grips, n together"""
    first, nothing = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(int), np.zeros(B.shape[1])
    able, largest = holds > 0.0, float(np.max(holds, initial=0.0))
    if not np.any(T) or not able.any():
        return Shared(most=np.inf if np.any(T) else 0.0, forces=nothing, ways=B.T @ T)
    w = holds / largest
    best, ways = Shared(most=np.inf, forces=nothing, ways=nothing), nothing
    for _ in range(TURNS):
        # F = w Bᵀ y with B F = T, by singular values of B √w
        root = np.sqrt(np.repeat(w, sizes))
        x = np.linalg.lstsq(B * root, T, rcond=1e-10)[0]
        y = np.linalg.lstsq((B * root).T, x, rcond=1e-10)[0]
        F, ways = root * x, B.T @ y
        pull = np.sqrt(np.add.reduceat(ways**2, first))
        most = float(np.max(np.sqrt(np.add.reduceat(F**2, first))[able] / holds[able]))
        if most < best.most:
            best = Shared(most=most, forces=F, ways=ways)
        least = float(T @ y) / max(float(holds @ pull), 1e-300)
        if best.most - least <= AGREED * best.most:
            return best
        w = holds / np.maximum(pull, SMALLEST * float(np.max(pull)))
        w = w / float(np.max(w))
    return _saturate(B, T, holds, sizes, best, ways)


def _saturate(B: Floats, T: Floats, holds: Floats, sizes: Sequence[int], best: Shared, ways: Floats) -> Shared:
    """The same exactly: the grips that would slide fastest give all they have the way they would, others the rest."""
    parts = [slice(begin, end) for begin, end in pairwise(np.cumsum([0, *sizes]))]
    pulls = np.array([np.linalg.norm(ways[part]) for part in parts])
    order = np.argsort(-pulls, kind="stable").tolist()
    chosen = [(order[:count], ways) for count in range(1, len(parts) + 1)]
    if len(holds) == B.shape[1]:
        chosen.append(_find_limited(B, T, holds))
    for limited, along in chosen:
        given = np.zeros(B.shape[1])
        for i in limited:
            given[parts[i]] = along[parts[i]] * (holds[i] / max(float(np.linalg.norm(along[parts[i]])), 1e-300))
        free = np.concatenate([np.full(size, i not in limited) for i, size in enumerate(sizes)])
        A = np.column_stack([B @ given, B[:, free]])
        x = np.linalg.lstsq(A, T, rcond=1e-12)[0]
        forces = x[0] * given
        forces[free] += x[1:]
        used = np.array([np.linalg.norm(forces[part]) for part in parts])
        met = np.linalg.norm(A @ x - T) <= EXACT * np.linalg.norm(T)
        fits = np.max(used - x[0] * holds) <= AGREED * float(np.max(used))
        if met and fits and x[0] < best.most:
            best = Shared(most=float(x[0]), forces=forces, ways=ways)
    return best


def _find_limited(B: Floats, T: Floats, holds: Floats) -> tuple[list[int], Floats]:
    """Of grips of one speed those that give all they have, and all forces, by a linear program."""
    from scipy.optimize import linprog  # a heavy import

    n, eye = len(holds), np.eye(len(holds))
    within = np.block([[eye, -holds[:, None]], [-eye, -holds[:, None]]])
    balance, cost = np.hstack([B, np.zeros((len(T), 1))]), [*np.zeros(n), 1.0]
    x = linprog(cost, A_ub=within, b_ub=np.zeros(2 * n), A_eq=balance, b_eq=T, bounds=(None, None)).x
    if x is None:
        return [], np.zeros(n)
    return np.flatnonzero(np.abs(x[:n]) >= (1.0 - TAKEN) * x[n] * holds).tolist(), x[:n]
