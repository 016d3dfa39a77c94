"""Guesses for a start: a Mechanism's initial values in, a complete vector of coordinates out.

Points that the user did not mention are placed where the parts they belong to suggest. Knows no constraints.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System
from linkwork.model import Guess, Mechanism, Rigid

Floats = NDArray[np.float64]
GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))  # successive directions never line up


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Values for all coordinates (or speeds); which of them the user gave, and which of those are fixed."""

    values: Floats
    given: NDArray[np.bool_]
    fixed: NDArray[np.bool_]


def guess_positions(mechanism: Mechanism, system: System) -> Guesses:
    """The user's positions, with all other points placed by their parts and angles read off the points."""
    guesses = _collect(mechanism, system, mechanism.start.positions, mechanism.start.angles)
    place = _place_points(mechanism, system, guesses)
    values = guesses.values.copy()
    for point, where in place.items():
        for i, x in zip(system.points[point], (where.real, where.imag), strict=True):
            if i < system.n and not guesses.given[i]:
                values[i] = x
    for part, i in system.angles.items():
        if not guesses.given[i]:
            values[i] = _angle(mechanism.find_rigid(part), system.extend(values), system)
    return Guesses(values=values, given=guesses.given, fixed=guesses.fixed)


def guess_velocities(mechanism: Mechanism, system: System) -> Guesses:
    """The user's velocities; zero where nothing is said."""
    return _collect(mechanism, system, mechanism.start.velocities, mechanism.start.rates)


def _collect(
    mechanism: Mechanism,
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


def _angle(rigid: Rigid, extended: Floats, system: System) -> float:
    a, b = (complex(*extended[list(system.points[p])]) for p in rigid.points[:2])
    return cmath.phase(b - a) if a != b else 0.0


# -- points nobody mentioned -----------------------------------------------------------------------------------------


def _place_points(mechanism: Mechanism, system: System, guesses: Guesses) -> dict[str, complex]:
    """World positions of all points: the known ones, then part by part those that hang on them."""
    place: dict[str, complex] = {}
    for point, (i, j) in system.points.items():
        if i >= system.n:
            place[point] = complex(system.frozen[i - system.n], system.frozen[j - system.n])
        elif guesses.given[i] or guesses.given[j]:
            place[point] = complex(guesses.values[i], guesses.values[j])
    down = _down(mechanism)
    waiting = [_Shape.of_rigid(mechanism, r) for r in mechanism.rigids]
    waiting += [
        _Shape((s.points[0], s.points[1]), (0j, complex(mechanism.compute(s.rest_length)))) for s in mechanism.springs
    ]
    turn = 0
    while waiting:
        known = [sum(p in place for p in shape.points) for shape in waiting]
        best = max(range(len(waiting)), key=known.__getitem__)
        if known[best] == 0:
            place[waiting[best].points[0]] = 0j
        for i in [i for i, count in enumerate(known) if count >= 2] or [best]:
            waiting[i].complete(place, down * cmath.exp(0.1j * math.sin(GOLDEN_ANGLE * turn)))
            turn += 1
        waiting = [shape for shape in waiting if any(p not in place for p in shape.points)]
    return {**dict.fromkeys(system.points, 0j), **place}


def _down(mechanism: Mechanism) -> complex:
    """The direction in which an unmentioned point is put: along gravity, else along x."""
    if mechanism.gravity is None:
        return 1.0 + 0j
    g = complex(*(mechanism.compute(x) for x in mechanism.gravity))
    return g / abs(g) if g else 1.0 + 0j


@dataclass(frozen=True, slots=True)
class _Shape:
    """A part as points with local positions."""

    points: tuple[str, ...]
    local: tuple[complex, ...]

    @staticmethod
    def of_rigid(mechanism: Mechanism, rigid: Rigid) -> _Shape:
        local = tuple(complex(*(mechanism.compute(x) for x in place)) for place in rigid.geometry)
        return _Shape(rigid.points, local)

    def complete(self, place: dict[str, complex], direction: complex) -> None:
        """Place the unknown points, by the known ones if there are two, else along a direction."""
        known = [(place[p], z) for p, z in zip(self.points, self.local, strict=True) if p in place]
        (world, origin), *others = known
        rotation = direction
        for w, z in others:
            if w != world and z != origin:
                rotation = (w - world) / (z - origin)
                rotation /= abs(rotation)
        for p, z in zip(self.points, self.local, strict=True):
            place.setdefault(p, world + rotation * (z - origin))
