"""Guesses for a start: a Mechanism's initial values in, a complete vector of coordinates out.

Points that the user did not mention are placed where the parts they belong to suggest. Knows no constraints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.collect import FAR, is_pin
from linkwork.equations.joints import find_directions
from linkwork.model import Guess, Joint, Lagrangian, Mechanism, Rigid, find_kind
from linkwork.model.check.findings import LARGEST
from linkwork.model.connections import WORLD
from linkwork.native.numbers import compute_watch
from linkwork.solve.start.shapes import Link, Shape, Ways, hang, relax
from linkwork.solve.start.tiers import find_tiers
from linkwork.symbolic import Expr

SLACK = 1e-6  # how firmly a spring keeps its length where points are placed, against a rigid part


@dataclass(frozen=True, slots=True, kw_only=True)
class Guesses:
    """Values for all coordinates (or speeds); which of them the user gave, and which of those are fixed."""

    values: Floats
    given: NDArray[np.bool_]
    fixed: NDArray[np.bool_]


def read_positions(mechanism: Mechanism | Lagrangian, system: System) -> Guesses:
    """The user's positions; zero where nothing is said."""
    return _collect(mechanism, system, mechanism.start.positions, mechanism.start.angles)


def guess_positions(mechanism: Mechanism | Lagrangian, system: System) -> Guesses:
    """The user's positions, with all other points placed by their parts; angles and slides read off the points."""
    guesses = read_positions(mechanism, system)
    if isinstance(mechanism, Lagrangian):
        return guesses
    values = guesses.values.copy()
    for point, where in _place_points(mechanism, system, guesses).items():
        for i, x in zip(system.chart.points[point], where, strict=True):
            if i < system.n and not guesses.given[i]:
                values[i] = x
    for i, hint in system.chart.hints.items():
        if not guesses.given[i]:
            values[i] = _finite(float(compute_watch(system, hint, values, np.zeros(system.n), 0.0)))
    return Guesses(values=values, given=guesses.given, fixed=guesses.fixed)


def bring_near(mechanism: Mechanism | Lagrangian, system: System, guesses: Guesses) -> Guesses:
    """Guesses of parts that are pinned to the ground, but by mistake far away from there as a whole, moved there."""
    if isinstance(mechanism, Lagrangian):
        return guesses
    values = guesses.values.copy()
    pins = [joint for joint in mechanism.joints if is_pin(mechanism, joint)]
    for points in _find_groups(mechanism) if pins else ():
        at = [list(system.chart.points[p]) for p in points]
        held = {joint.points[k]: joint.points[1 - k] for joint in pins for k in (0, 1) if joint.points[k] in points}
        if not held or guesses.fixed[np.concatenate(at)].any():
            continue
        places = values[at]
        size = float(np.max(np.linalg.norm(places - places.mean(axis=0), axis=1)))
        grounds = [system.frozen[[i - system.n for i in system.chart.points[p]]] for p in held.values()]
        off = np.array(grounds) - [values[list(system.chart.points[p])] for p in held]
        middle = off.mean(axis=0)
        if float(np.linalg.norm(middle)) > FAR * max(size, float(np.max(np.abs(off - middle)))):
            values[at] += middle
    return replace(guesses, values=values) if (values != guesses.values).any() else guesses


def _find_groups(m: Mechanism) -> list[list[str]]:
    """The moving points of parts that hang together by points, joints and springs, the ground left out."""
    joined = [rigid.points for rigid in m.rigids] + [spring.points for spring in m.springs]
    joined += [joint.points for joint in m.joints]
    group: dict[str, set[str]] = {}
    for points in joined:
        moving = [p for p in points if p not in m.fixed]
        merged = {*moving}.union(*(group[p] for p in moving if p in group))
        group |= dict.fromkeys(merged, merged)
    return [sorted(points) for points in {id(points): points for points in group.values()}.values()]


def _finite(x: float) -> float:
    return x if math.isfinite(x) else 0.0


def guess_velocities(mechanism: Mechanism | Lagrangian, system: System) -> Guesses:
    """The user's velocities; zero where nothing is said. States have the values they start with."""
    guesses = _collect(mechanism, system, mechanism.start.velocities, mechanism.start.rates)
    for state in mechanism.states:
        i = system.states[state.name]
        value = mechanism.compute(mechanism.start.states.get(state.name, state.start))
        guesses.values[i], guesses.given[i], guesses.fixed[i] = value, True, True
    return guesses


def _collect(
    mechanism: Mechanism | Lagrangian,
    system: System,
    of_points: Mapping[str, tuple[Guess, ...]],
    of_angles: Mapping[str, Guess],
) -> Guesses:
    values = np.zeros(system.n)
    given, fixed = np.zeros(system.n, dtype=bool), np.zeros(system.n, dtype=bool)
    pairs = [(i, g) for point, gs in of_points.items() for i, g in zip(system.chart.points[point], gs, strict=True)]
    # a joint that is none of the angles has a condition of its own
    pairs += [(system.chart.angles[part], g) for part, g in of_angles.items() if part in system.chart.angles]
    for i, guess in pairs:
        values[i], given[i], fixed[i] = mechanism.compute(guess.value), True, guess.fixed
    return Guesses(values=values, given=given, fixed=fixed)


# -- points nobody mentioned -----------------------------------------------------------------------------------------


def _place_points(mechanism: Mechanism, system: System, guesses: Guesses) -> dict[str, Floats]:
    """World positions of all points: the known ones, and the others where the parts suggest."""
    place: dict[str, Floats] = {}
    for point, at in system.chart.points.items():
        if at[0] >= system.n:
            place[point] = system.frozen[[i - system.n for i in at]]
        elif guesses.given[list(at)].any():
            place[point] = np.clip(guesses.values[list(at)], -LARGEST, LARGEST)
    known = set(place)
    shapes = [_shape(mechanism, rigid, _find_ways(mechanism, rigid.name)) for rigid in mechanism.rigids]
    shapes += [Shape(joint.points, np.zeros((2, mechanism.dimension))) for joint in mechanism.joints if _meets(joint)]
    shapes += [_spring_shape(mechanism, s.points, s.rest_length) for s in mechanism.springs]
    hang(shapes, place, _down(mechanism), _find_links(mechanism))
    unknown = [p for p in place if p not in known]
    # what carries others and floats stays as it is where they can reach what they must
    tiers = find_tiers(mechanism, system, guesses.given, mechanism.start.angles)
    following = [p for p in unknown if not tiers.floats[list(system.chart.points[p])].all()]
    if len(following) == len(unknown) or not relax(shapes, copied := place.copy(), following):
        relax(shapes, place, unknown)
    else:
        place.update(copied)
    return {**{p: np.zeros(mechanism.dimension) for p in system.chart.points}, **place}


def _down(mechanism: Mechanism) -> Floats:
    """The direction in which an unmentioned point is put: along gravity, else along x."""
    x: Floats = np.eye(mechanism.dimension)[0]
    if mechanism.gravity is None:
        return x
    g = np.array([mechanism.compute(component) for component in mechanism.gravity])
    size = float(np.linalg.norm(g))
    return np.asarray(g / size) if size else x


def _shape(mechanism: Mechanism, rigid: Rigid, ways: Ways) -> Shape:
    local = np.array([[mechanism.compute(x) for x in place] for place in rigid.geometry])
    return Shape(rigid.points, local, upright=rigid.name in mechanism.words.bodies, ways=ways)


def _find_ways(mechanism: Mechanism, part: str) -> Ways:
    """The x axis of a part of the plane whose angle is given."""
    guess = mechanism.start.angles.get(part) if mechanism.dimension == 2 else None
    if guess is None:
        return ()
    angle = mechanism.compute(guess.value)
    return ((np.array([math.cos(angle), math.sin(angle)]), np.array([1.0, 0.0])),)


def _find_links(mechanism: Mechanism) -> list[Link]:
    """The joints between parts that say which way these are turned, or where they are."""
    number = {rigid.name: i for i, rigid in enumerate(mechanism.rigids)} | {WORLD: -1}
    given = mechanism.start.angles
    found = []
    for joint in mechanism.joints:
        kind = find_kind(mechanism.dimension, joint.kind)
        plain = mechanism.dimension == 2 and bool(joint.angles)
        if kind is None or not (kind.axes or plain) or not {*joint.parts} <= number.keys() or len({*joint.parts}) < 2:
            continue
        angle = mechanism.compute(given[joint.name].value) if joint.name in given and kind.turns else None
        near = (joint.points[0], joint.points[1]) if kind.travels and not kind.meets else None
        sides = _find_side(mechanism, joint, 0), _find_side(mechanism, joint, 1)
        found.append(Link((number[joint.parts[0]], number[joint.parts[1]]), sides, kind.alike, angle, near))
    return found


def _find_side(mechanism: Mechanism, joint: Joint, i: int) -> Floats:
    """The directions of one side in the axes of its part: z, x, y in space, x, y in the plane."""
    if mechanism.dimension == 2:
        angle = mechanism.compute(joint.angles[i])
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, s], [-s, c]])
    return np.array([[mechanism.compute(x) for x in way] for way in find_directions(mechanism, joint, i)])


def _meets(joint: Joint) -> bool:
    """Whether a joint holds two points together that have different names."""
    kind = find_kind(3 if joint.axes else 2, joint.kind)
    return kind is not None and kind.meets and joint.points[0] != joint.points[1]


def _spring_shape(mechanism: Mechanism, points: tuple[str, ...], rest: Expr) -> Shape:
    local = np.zeros((2, mechanism.dimension))
    local[1, 0] = mechanism.compute(rest)
    return Shape(points, local, stiffness=SLACK)
