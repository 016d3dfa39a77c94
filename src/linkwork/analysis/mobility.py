"""Degrees of freedom by numbers: a System and a state in, mobility, redundant constraints and what may be fixed out.

The rows of G that depend on others are redundant; the columns of a basis N of its null space say how coordinates can
move. Coordinates whose rows in N are parallel move together: one of them fixes all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.native.numbers import compute_matrices

Floats = NDArray[np.float64]
RANK = 1e-9  # singular values below this fraction of the largest count as zero


@dataclass(frozen=True, slots=True, kw_only=True)
class Mobility:
    """What the constraints leave free at a state.

    count       coordinates minus constraints, the Grübler count of this formulation
    freedom     the true number of degrees of freedom here
    redundant   groups of constraints that repeat each other
    choices     groups of coordinates: one of each group may be fixed
    """

    count: int
    freedom: int
    redundant: tuple[tuple[str, ...], ...]
    choices: tuple[tuple[str, ...], ...]


def find_mobility(system: System, q: Floats, t: float = 0.0) -> Mobility:
    """Rank and redundancy at a state, and free choices."""
    U, rank, N = _decompose(system, q, t)
    # a special position hides choices (a point may just stand still): look at a general one, if it is as free
    general = q + 0.1 * system.scales * np.random.default_rng(1).standard_normal(system.n)
    _, general_rank, general_N = _decompose(system, general, t)
    return Mobility(
        count=system.n - system.m,
        freedom=system.n - rank,
        redundant=_groups(U[:, rank:], system.constraints),
        choices=_choices(general_N if general_rank == rank else N, system.coordinates),
    )


def _decompose(system: System, q: Floats, t: float) -> tuple[Floats, int, Floats]:
    """Left singular vectors and rank of G with rows and columns scaled, and a basis of its null space."""
    if system.m == 0:
        return np.zeros((0, 0)), 0, np.eye(system.n)
    G = compute_matrices(system, q, t)[1].toarray() * system.scales[None, :]
    rows = np.linalg.norm(G, axis=1, keepdims=True)
    U, sigma, Vt = np.linalg.svd(G / np.where(rows > 0, rows, 1.0))
    rank = int(np.sum(sigma > RANK * max(sigma.max(initial=0.0), 1e-300)))
    return U, rank, Vt[rank:].T


def _groups(null: Floats, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Constraints that take part in a dependence, those that share one together."""
    if null.shape[1] == 0:
        return ()
    # two constraints belong together if the projector on the null space couples them
    P = np.abs(null @ null.T)
    left = {i for i in range(len(names)) if P[i, i] > 1e-9}
    groups = []
    while left:
        group, new = set(), {min(left)}
        while new:
            group |= new
            new = {j for i in new for j in left if P[i, j] > 1e-9} - group
        groups.append(tuple(names[i] for i in sorted(group)))
        left -= group
    return tuple(groups)


def _choices(N: Floats, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """One group of coordinates per degree of freedom, each chosen so that fixing one of it removes one freedom."""
    rows, choices = N.copy(), []
    while rows.shape[1]:
        size = np.linalg.norm(rows, axis=1)
        moving = np.flatnonzero(size > 1e-9)
        unit = rows[moving] / size[moving, None]
        parallel = np.abs(unit @ unit.T) > 1.0 - 1e-9
        # the largest set of coordinates that move together
        best = int(np.argmax(parallel.sum(axis=1)))
        chosen = moving[parallel[best]]
        choices.append(tuple(names[i] for i in chosen))
        # what is left when they stand still
        direction = unit[best][:, None]
        _, _, Vt = np.linalg.svd(direction.T)
        rows = rows @ Vt[1:].T
    return tuple(choices)
