"""Assembled positions near one: a System, a state and its free directions in, another state on the constraints out.

A step along the free directions is closed by Gauss–Newton steps of least norm. Where the constraints are regular that
is quick and stays near the step; where a freedom is only one of the instant, the way back is slow and leads to the
start.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.native.numbers import compute_constraints, compute_matrices
from linkwork.native.rank import split

STEPS = (0.03, 0.003, 0.0003)  # lengths of a step in scales of the coordinates, if need be shorter ones for small parts
ITERATIONS = 60
STAYED = 0.2  # part of the step that must be left for it to count as a move


def move_off(
    system: System, q: Floats, t: float, kept: NDArray[np.bool_], directions: Floats, attempt: int = 0
) -> Floats | None:
    """A state a step away along directions (n, f) in scaled coordinates that meets the constraints kept, if any."""
    if directions.shape[1] == 0:
        return None
    mix = np.random.default_rng(attempt + 1).standard_normal(directions.shape[1])
    step = directions @ mix
    step /= max(float(np.max(np.abs(step), initial=0.0)), 1e-300)
    for length in STEPS:
        found = _close(system, q, length * step, t, np.flatnonzero(kept))
        if found is not None:
            return found
    return None


def _close(system: System, start: Floats, step: Floats, t: float, rows: NDArray[np.int64]) -> Floats | None:
    """A step away from the start, constraints closed by steps of least norm; None if that leads back or nowhere."""
    n, length = system.n, float(np.max(np.abs(step), initial=0.0))  # behind the coordinates stand held values
    q = start.copy()
    q[:n] += system.scales * step
    if len(rows) == 0:
        return q
    # what is open by less is closed; where it opens only with the square of the way, that is far from the start yet
    enough = min(1e-8, 1e-3 * length**2)
    with np.errstate(all="ignore"):
        for _ in range(ITERATIONS):
            check_time("the search for freedoms of motion")
            g = compute_constraints(system, q, t)[rows]
            G = compute_matrices(system, q, t)[1][rows].toarray() * system.scales
            size = np.linalg.norm(G, axis=1)
            size = np.where(size > 0, size, 1.0)
            if not (np.isfinite(g).all() and np.isfinite(G).all()):
                return None
            if np.max(np.abs(q - start)[:n] / system.scales) < STAYED * length:
                return None
            if np.max(np.abs(g) / size) < enough:
                return q
            delta = split(G).solve(-g)
            longest = float(np.max(np.abs(delta)))
            q[:n] += system.scales * delta * min(1.0, length / max(longest, 1e-300))
    return None
