"""Places for the nodes of a graph on paper: edges and first guesses in, positions out.

Stress majorisation: node i is moved to the mean of where its neighbours at distance d_ij would like it to be, weighted
by 1/d_ij², d_ij the number of edges between them. Starting from the places the things have in the mechanism, the
drawing keeps its likeness to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from linkwork.arrays import Floats

ROUNDS = 300
APART = 2.0  # distance in edges between things that are not connected, beyond the longest there is


def place_nodes(guess: Floats, edges: Sequence[tuple[int, int]]) -> Floats:
    """Positions (nodes, 2) near guesses (nodes, 2), neighbours one apart."""
    n = len(guess)
    if n < 2:
        return np.zeros((n, 2))
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    distance = shortest_path(graph, directed=False, unweighted=True)
    distance[~np.isfinite(distance)] = np.max(distance[np.isfinite(distance)]) + APART
    weight = 1.0 / np.maximum(distance, 0.5) ** 2
    np.fill_diagonal(weight, 0.0)
    at = _spread(guess, float(distance.max()))
    for _ in range(ROUNDS):
        gap = at[:, None] - at[None]
        length = np.maximum(np.linalg.norm(gap, axis=2), 1e-9)
        wanted = at[None] + gap * (distance / length)[:, :, None]
        at = np.einsum("ij,ijk->ik", weight, wanted) / weight.sum(axis=1)[:, None]
    return np.asarray(at - at.mean(axis=0))


def _spread(guess: Floats, size: float) -> Floats:
    """The guesses at the scale of the drawing, with a little disorder so that no two coincide."""
    middle = guess - guess.mean(axis=0)
    extent = float(np.max(np.abs(middle))) or 1.0
    disorder = np.random.default_rng(1).standard_normal(guess.shape)
    return np.asarray(middle * (size / 2 / extent) + 0.05 * disorder)
