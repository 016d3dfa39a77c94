"""Points placed by the parts they belong to: shapes and some known places in, places of all points out.

First part by part, outward from what is known; then, where parts form loops that do not fit, all unknown points at
once: each part turned to fit its points best, and the points moved to fit the parts best, in turn.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, diags_array

from linkwork.arrays import Floats

GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))  # successive directions never line up
FITTING = 1e-6  # misfit, relative to the largest part, that needs no relaxing
ROUNDS = 100
FEW = 200  # vectors and points up to which a matrix with all its zeros is quicker
FAINT = 1e-9  # what keeps points in place that no part holds


@dataclass(frozen=True, slots=True)
class Shape:
    """A part as points with local positions, and how firmly it keeps them.   local: (points, dimension)"""

    points: tuple[str, ...]
    local: Floats
    stiffness: float = 1.0
    upright: bool = False  # whether its axes are along those of the world, unless something says otherwise

    def complete(self, place: dict[str, Floats], direction: Floats) -> None:
        """Place the unknown points by the rotation that fits the known ones best, else upright or along a direction."""
        known = [i for i, p in enumerate(self.points) if p in place]
        world, local = np.array([place[self.points[i]] for i in known]), self.local[known]
        spread = (world - world[0]).T @ (local - local[0])
        # a faint wish for the direction decides what the known points leave open
        size = max(float(np.abs(self.local - self.local[0]).max()), 1e-300)
        x = np.eye(len(direction))[0]
        wish = np.eye(len(direction)) if self.upright else np.outer(direction, x)
        rotation = _rotations((spread + 1e-9 * size**2 * wish)[None])[0]
        for p, z in zip(self.points, self.local, strict=True):
            place.setdefault(p, world[0] + rotation @ (z - local[0]))


def _rotations(spreads: Floats) -> Floats:
    """The rotations R that maximise trace(Rᵀ S) of each S: turning local vectors nearest to those of the world."""
    U, _, Vt = np.linalg.svd(spreads)
    U[:, :, -1] *= np.linalg.det(U @ Vt)[:, None]
    return np.asarray(U @ Vt)


# -- part by part ------------------------------------------------------------------------------------------------------


def hang(shapes: Sequence[Shape], place: dict[str, Floats], down: Floats) -> None:
    """Complete shapes outward from the known points; one that is known at two points before one known at one."""
    touching: dict[str, list[int]] = {}
    for i, shape in enumerate(shapes):
        for p in shape.points:
            touching.setdefault(p, []).append(i)
    known = [sum(p in place for p in shape.points) for shape in shapes]
    firm = deque(i for i, count in enumerate(known) if count > 1)
    loose = deque(i for i, count in enumerate(known) if count == 1)
    others, turn = deque(range(len(shapes))), 0
    while firm or loose or others:
        shape = shapes[(firm or loose or others).popleft()]
        new = [p for p in shape.points if p not in place]
        if len(new) == len(shape.points):
            place[new[0]] = np.zeros(len(down))
        if new:
            shape.complete(place, _tilted(down, 0.1 * math.sin(GOLDEN_ANGLE * turn)))
            turn += 1
        for i in (i for p in new for i in touching[p]):
            known[i] += 1
            (firm if known[i] > 1 else loose).append(i)


def _tilted(direction: Floats, angle: float) -> Floats:
    """A direction turned a little, in the plane of its two largest components."""
    i, j = np.argsort(-np.abs(direction), kind="stable")[:2]
    turned = direction.copy()
    turned[i] = direction[i] * math.cos(angle) - direction[j] * math.sin(angle)
    turned[j] = direction[i] * math.sin(angle) + direction[j] * math.cos(angle)
    return turned


# -- all together ------------------------------------------------------------------------------------------------------


class _Edges:
    """The vectors from the first point of each shape to its others: points from → to, local vectors, shapes."""

    def __init__(self, shapes: Sequence[Shape], number: dict[str, int]) -> None:
        pairs = [(k, number[s.points[0]], number[p]) for k, s in enumerate(shapes) for p in s.points[1:]]
        self.shape, self.start, self.end = np.array(pairs).T
        self.local = np.concatenate([s.local[1:] - s.local[0] for s in shapes])
        self.stiffness = np.array([shapes[k].stiffness for k in self.shape])
        self.count = len(shapes)

    def turned(self, X: Floats) -> Floats:
        """The local vectors, each shape turned to fit the points X best."""
        d = X[self.end] - X[self.start]
        spreads = np.zeros((self.count, X.shape[1], X.shape[1]))
        np.add.at(spreads, self.shape, d[:, :, None] * self.local[:, None, :])
        return np.asarray(np.einsum("eij,ej->ei", _rotations(spreads)[self.shape], self.local))

    def misfit(self, X: Floats, vectors: Floats) -> float:
        """The largest difference of firm vectors from those between the points."""
        firm = self.stiffness == 1.0
        return float(np.max(np.abs(X[self.end] - X[self.start] - vectors)[firm], initial=0.0))


def relax(shapes: Sequence[Shape], place: dict[str, Floats], unknown: Collection[str]) -> None:
    """Move the unknown points until the shapes fit as well as they can."""
    if not unknown or not shapes:
        return
    number = {p: i for i, p in enumerate(place)}
    X, edges = np.array(list(place.values())), _Edges(shapes, number)
    vectors, size = edges.turned(X), float(np.max(np.abs(edges.local), initial=0.0))
    if edges.misfit(X, vectors) <= FITTING * size:
        return
    # Σ k |x_end − x_start − vector|² is least where AᵀK A x = AᵀK vector
    rows, ones, moving = np.arange(len(vectors)), np.ones(len(vectors)), [number[p] for p in unknown]
    places = (np.concatenate([rows, rows]), np.concatenate([edges.end, edges.start]))
    A = csc_array((np.concatenate([ones, -ones]), places), shape=(len(vectors), len(X)))
    solve = _make_solver(A.toarray() if sum(A.shape) <= FEW else A, edges.stiffness, moving)
    for _ in range(ROUNDS):
        step = solve(vectors - A @ X)
        X[moving] += step
        vectors = edges.turned(X)
        if float(np.max(np.abs(step))) <= FITTING * size:
            break
    place.update((p, X[number[p]]) for p in unknown)


def _make_solver(A: csc_array | Floats, stiffness: Floats, moving: list[int]) -> Callable[[Floats], Floats]:
    """What finds the steps of moving points that make differences of vectors least."""
    if isinstance(A, np.ndarray):
        pull = A[:, moving].T * stiffness
        inverse = np.linalg.inv(pull @ A[:, moving] + FAINT * np.eye(len(moving))) @ pull
        return lambda missing: np.asarray(inverse @ missing)
    from scipy.sparse.linalg import splu

    sparse = csc_array(A[:, moving].T @ diags_array(stiffness))
    factors = splu(csc_array(sparse @ A[:, moving] + FAINT * diags_array(np.ones(len(moving)))))
    return lambda missing: np.asarray(factors.solve(sparse @ missing))
