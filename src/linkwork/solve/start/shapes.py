"""Points placed by the parts they belong to: shapes and some known places in, places of all points out.

First part by part, outward from what is known; then, where parts form loops that do not fit, all unknown points at
once: each part turned to fit its points best, and the points moved to fit the parts best, in turn.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, diags_array

from linkwork.arrays import Floats

Ways = tuple[tuple[Floats, Floats], ...]  # directions in the world and in a part
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))  # successive directions never line up
FITTING = 1e-6  # misfit, relative to the largest part, that needs no relaxing
NEARLY = 0.01  # the same of shapes that need not be moved any further
ROUNDS = 100
FEW = 200  # vectors and points up to which a matrix with all its zeros is quicker
FAINT = 1e-9  # what keeps points in place that no part holds


@dataclass(frozen=True, slots=True)
class Shape:
    """A part as points with local positions, and how firmly it keeps them.   local: (points, dimension)

    ways   directions that are known: in the world, in the part
    """

    points: tuple[str, ...]
    local: Floats
    stiffness: float = 1.0
    upright: bool = False  # whether its axes are along those of the world, unless something says otherwise
    ways: Ways = ()

    @property
    def meets(self) -> bool:
        """Whether its points are at one place."""
        return self.stiffness == 1.0 and not self.local.any()

    def complete(self, place: dict[str, Floats], direction: Floats, ways: Ways) -> Floats:
        """Place the unknown points by the rotation that fits best what is known, else upright or along a direction.

        → the rotation
        """
        known = [i for i, p in enumerate(self.points) if p in place]
        world, local = np.array([place[self.points[i]] for i in known]), self.local[known]
        spread = (world - world[0]).T @ (local - local[0])
        size = max(float(np.abs(self.local - self.local[0]).max()), 1e-300)
        for there, here in (*self.ways, *ways):
            spread = spread + size**2 * np.outer(there, here)
        x = np.eye(len(direction))[0]
        rotation = np.eye(len(direction)) if self.upright else np.outer(direction, x)
        # a faint wish for the direction decides what is left open; once more, so that it does not bend what is known
        for _ in range(2):
            rotation = _rotations((spread + 1e-9 * size**2 * rotation)[None])[0]
        for p, z in zip(self.points, self.local, strict=True):
            place.setdefault(p, world[0] + rotation @ (z - local[0]))
        return rotation


@dataclass(frozen=True, slots=True)
class Link:
    """A joint between two shapes, by their numbers; −1 is the world.

    sides    the directions of its frame on either side, in the axes of the shape: z, x, y in space, x, y in the plane
    alike    which of them point the same way on both sides
    angle    how far the second x axis has turned from the first one to the second, if that is given
    origins  the origins of its frames, if they are near each other unless something else is known
    """

    shapes: tuple[int, int]
    sides: tuple[Floats, Floats]
    alike: tuple[int, ...]
    angle: float | None
    origins: tuple[str, str] | None

    def find_ways(self, of: int, rotation: Floats) -> Ways:
        """Directions in the world of one of its shapes, given the rotation of the other."""
        mine = self.shapes.index(of)
        there, here = self.sides[1 - mine] @ rotation.T, self.sides[mine]
        found = [(there[k], here[k]) for k in self.alike]
        if self.angle is not None:
            x, y = there[-2:]
            sign = 1.0 if mine else -1.0
            found.append((math.cos(self.angle) * x + sign * math.sin(self.angle) * y, here[-2]))
        return tuple(found)


def _rotations(spreads: Floats) -> Floats:
    """The rotations R that maximise trace(Rᵀ S) of each S: turning local vectors nearest to those of the world."""
    U, _, Vt = np.linalg.svd(spreads)
    U[:, :, -1] *= np.linalg.det(U @ Vt)[:, None]
    return np.asarray(U @ Vt)


# -- part by part ------------------------------------------------------------------------------------------------------


def hang(shapes: Sequence[Shape], place: dict[str, Floats], down: Floats, links: Sequence[Link] = ()) -> list[int]:
    """Complete shapes outward from the known points, one after the other; those first of which most is known.

    What joins points at one place goes before all else.   → the shapes in this order
    """
    return _Hanging(shapes, place, down, links).run()


class _Hanging:
    """Shapes on their way to be placed: how much is known of each, and the rotations of those that are."""

    def __init__(self, shapes: Sequence[Shape], place: dict[str, Floats], down: Floats, links: Sequence[Link]) -> None:
        self.shapes, self.place, self.down, self.links = shapes, place, down, links
        self.touching: dict[str, list[int]] = {}
        self.linked: dict[int, list[Link]] = {}
        for i, shape in enumerate(shapes):
            for p in shape.points:
                self.touching.setdefault(p, []).append(i)
        for link in links:
            for i in link.shapes:
                self.linked.setdefault(i, []).append(link)
        self.turned: dict[int, Floats] = {-1: np.eye(len(down))}
        self.known = [sum(p in place for p in shape.points) for shape in shapes]
        self.ways = [len(shape.ways) for shape in shapes]
        self.queue: list[tuple[float, int, int]] = []
        self.count = itertools.count()
        self.order: list[int] = []
        self._tell(-1)
        for i in range(len(shapes)):
            self._push(i)

    def run(self) -> list[int]:
        """Shape after shape, the best known first."""
        turn = 0
        while self.queue:
            _, _, i = heapq.heappop(self.queue)
            if i in self.turned:
                continue
            shape = self.shapes[i]
            new = [p for p in shape.points if p not in self.place]
            if len(new) == len(shape.points):
                self._begin(i, new[0])
            direction = _tilted(self.down, 0.1 * math.sin(GOLDEN_ANGLE * turn))
            turn += bool(new)
            self.turned[i] = shape.complete(self.place, direction, self._find_ways(i))
            self.order.append(i)
            for k in {k for p in new for k in self.touching[p]}:
                self.known[k] = sum(p in self.place for p in self.shapes[k].points)
                self._push(k)
            self._tell(i)
        return self.order

    def _push(self, i: int) -> None:
        """How much is known of a shape: of one at a single place all, else points and directions, points first."""
        if i in self.turned:
            return
        points, shape = self.known[i], self.shapes[i]
        if not points:
            second = any(link.shapes[1] == i and link.angle is not None for link in self.linked.get(i, ()))
            rank = 0.2 if self._find_origin(i) else -0.1 if second else 0.0
        elif shape.stiffness < 1.0:
            rank = 0.5  # a spring gives way to all else
        else:
            rank = math.inf if shape.meets else float(min(points + self.ways[i], len(self.down)))
        heapq.heappush(self.queue, (-rank, next(self.count), i))

    def _tell(self, i: int) -> None:
        """What the rotation of a shape says of those linked to it."""
        for link in self.linked.get(i, ()):
            k = link.shapes[1 - link.shapes.index(i)]
            if k not in self.turned:
                self.ways[k] += len(link.find_ways(k, self.turned[i]))
                self._push(k)

    def _find_ways(self, i: int) -> Ways:
        known = [(link, link.shapes[1 - link.shapes.index(i)]) for link in self.linked.get(i, ())]
        return tuple(way for link, k in known if k in self.turned for way in link.find_ways(i, self.turned[k]))

    def _find_origin(self, i: int) -> tuple[str, str] | None:
        """A point of a shape, and one that is known to be near it."""
        for link in self.linked.get(i, ()):
            if link.origins is not None:
                mine = link.shapes.index(i)
                if link.origins[1 - mine] in self.place:
                    return link.origins[mine], link.origins[1 - mine]
        return None

    def _begin(self, i: int, first: str) -> None:
        """Place a point of a shape of which none is known."""
        near = self._find_origin(i)
        if near is None:
            self.place[first] = np.zeros(len(self.down))
        else:
            self.place[near[0]] = self.place[near[1]].copy()


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


def relax(shapes: Sequence[Shape], place: dict[str, Floats], unknown: Collection[str]) -> bool:
    """Move the unknown points until the shapes fit as well as they can; whether they fit well then."""
    if not unknown or not shapes:
        return False
    number = {p: i for i, p in enumerate(place)}
    X, edges = np.array(list(place.values())), _Edges(shapes, number)
    vectors, size = edges.turned(X), float(np.max(np.abs(edges.local), initial=0.0))
    if edges.misfit(X, vectors) <= FITTING * size:
        return True
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
    return edges.misfit(X, vectors) <= NEARLY * size


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
