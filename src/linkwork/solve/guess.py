"""Guesses for a start: a Mechanism's initial values in, a complete vector of coordinates out.

Points that the user did not mention are placed where the parts they belong to suggest. Knows no constraints.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.model import Guess, Lagrangian, Mechanism
from linkwork.native.numbers import compute_watch
from linkwork.symbolic import Expr

Floats = NDArray[np.float64]
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))  # successive directions never line up


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Values for all coordinates (or speeds); which of them the user gave, and which of those are fixed."""

    values: Floats
    given: NDArray[np.bool_]
    fixed: NDArray[np.bool_]


def guess_positions(mechanism: Mechanism | Lagrangian, system: System) -> Guesses:
    """The user's positions, with all other points placed by their parts; angles and slides read off the points."""
    guesses = _collect(mechanism, system, mechanism.start.positions, mechanism.start.angles)
    if isinstance(mechanism, Lagrangian):
        return guesses
    values = guesses.values.copy()
    for point, where in _place_points(mechanism, system, guesses).items():
        for i, x in zip(system.points[point], where, strict=True):
            if i < system.n and not guesses.given[i]:
                values[i] = x
    for i, hint in system.hints.items():
        if not guesses.given[i]:
            values[i] = _finite(float(compute_watch(system, hint, values, np.zeros(system.n), 0.0)))
    return Guesses(values=values, given=guesses.given, fixed=guesses.fixed)


def _finite(x: float) -> float:
    return x if math.isfinite(x) else 0.0


def guess_velocities(mechanism: Mechanism | Lagrangian, system: System) -> Guesses:
    """The user's velocities; zero where nothing is said."""
    return _collect(mechanism, system, mechanism.start.velocities, mechanism.start.rates)


def _collect(
    mechanism: Mechanism | Lagrangian,
    system: System,
    of_points: Mapping[str, tuple[Guess, ...]],
    of_angles: Mapping[str, Guess],
) -> Guesses:
    values = np.zeros(system.n)
    given, fixed = np.zeros(system.n, dtype=bool), np.zeros(system.n, dtype=bool)
    pairs = [(i, g) for point, gs in of_points.items() for i, g in zip(system.points[point], gs, strict=True)]
    pairs += [(system.angles[part], g) for part, g in of_angles.items()]
    for i, guess in pairs:
        values[i], given[i], fixed[i] = mechanism.compute(guess.value), True, guess.fixed
    return Guesses(values=values, given=given, fixed=fixed)


# -- points nobody mentioned -----------------------------------------------------------------------------------------


def _place_points(mechanism: Mechanism, system: System, guesses: Guesses) -> dict[str, Floats]:
    """World positions of all points: the known ones, then part by part those that hang on them."""
    place: dict[str, Floats] = {}
    for point, at in system.points.items():
        if at[0] >= system.n:
            place[point] = system.frozen[[i - system.n for i in at]]
        elif guesses.given[list(at)].any():
            place[point] = guesses.values[list(at)]
    shapes = [_shape(mechanism, r.points, r.geometry) for r in mechanism.rigids]
    shapes += [_spring_shape(mechanism, s.points, s.rest_length) for s in mechanism.springs]
    _hang(shapes, place, _down(mechanism))
    return {**{p: np.zeros(mechanism.dimension) for p in system.points}, **place}


def _hang(shapes: Sequence[_Shape], place: dict[str, Floats], down: Floats) -> None:
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


def _down(mechanism: Mechanism) -> Floats:
    """The direction in which an unmentioned point is put: along gravity, else along x."""
    x: Floats = np.eye(mechanism.dimension)[0]
    if mechanism.gravity is None:
        return x
    g = np.array([mechanism.compute(component) for component in mechanism.gravity])
    size = float(np.linalg.norm(g))
    return np.asarray(g / size) if size else x


def _tilted(direction: Floats, angle: float) -> Floats:
    """A direction turned a little, in the plane of its two largest components."""
    i, j = np.argsort(-np.abs(direction), kind="stable")[:2]
    turned = direction.copy()
    turned[i] = direction[i] * math.cos(angle) - direction[j] * math.sin(angle)
    turned[j] = direction[i] * math.sin(angle) + direction[j] * math.cos(angle)
    return turned


@dataclass(frozen=True, slots=True)
class _Shape:
    """A part as points with local positions.   local: (points, dimension)"""

    points: tuple[str, ...]
    local: Floats

    def complete(self, place: dict[str, Floats], direction: Floats) -> None:
        """Place the unknown points by the rotation that fits the known ones best, else along a direction."""
        known = [i for i, p in enumerate(self.points) if p in place]
        world, local = np.array([place[self.points[i]] for i in known]), self.local[known]
        spread = (world - world[0]).T @ (local - local[0])
        # a faint wish for the direction decides what the known points leave open
        size = max(float(np.abs(self.local - self.local[0]).max()), 1e-300)
        x = np.eye(len(direction))[0]
        U, _, Vt = np.linalg.svd(spread + 1e-9 * size**2 * np.outer(direction, x))
        turn = np.diag([1.0] * (len(direction) - 1) + [float(np.linalg.det(U @ Vt))])
        rotation = U @ turn @ Vt
        for p, z in zip(self.points, self.local, strict=True):
            place.setdefault(p, world[0] + rotation @ (z - local[0]))


def _shape(mechanism: Mechanism, points: tuple[str, ...], geometry: Sequence[Sequence[Expr]]) -> _Shape:
    return _Shape(points, np.array([[mechanism.compute(x) for x in place] for place in geometry]))


def _spring_shape(mechanism: Mechanism, points: tuple[str, ...], rest: Expr) -> _Shape:
    local = np.zeros((2, mechanism.dimension))
    local[1, 0] = mechanism.compute(rest)
    return _Shape(points, local)
