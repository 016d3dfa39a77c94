"""Forces at points: on parts, of guides, by laws, of drivers. In: a Trajectory; out: numbers over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.reactions import find_guided
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.laws import INTEGRAL, OF_PAIRS, PLACES, quantity
from linkwork.native.numbers import compute_part_forces
from linkwork.results.names import find_driver
from linkwork.results.reactions import Reactions
from linkwork.results.state import Snapshot
from linkwork.results.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A force at a point.

    kind    "force" (applied) or "reaction"
    source  what of `of` it is: "part", "guide", "law" or "driver"
    of      the part it acts on, the guide it comes from, or the driven quantity
    sign    -1 at the first end of a driven length
    """

    kind: str
    name: str
    point: str
    source: str
    of: str = ""
    sign: float = 1.0


def find_forces(motion: Trajectory, most: int) -> list[Push]:
    """Every force at a point of a mechanism; none of a kind of which there are more than `most`."""
    kinds = _on_parts(motion), _of_guides(motion.system), _by_laws(motion), _of_drivers(motion)
    return [push for found in map(list, kinds) if len(found) <= most for push in found]


def compute_forces(motion: Trajectory, state: Snapshot, pushes: Iterable[Push]) -> list[Floats]:
    """The values of forces at the k times of a state.   each (k, dimension)"""
    at = _ForcesAt(motion.system, motion.mechanism, state)
    return [at.value(push) for push in pushes]


@dataclass(frozen=True)
class _ForcesAt:
    """Forces at k states."""

    system: System
    mechanism: Mechanism | Lagrangian | None
    state: Snapshot

    def value(self, push: Push) -> Floats:
        if push.source in ("part", "guide"):
            return self._reactions.at(push.of, push.point, "world")
        return self._by_law(push.point) if push.source == "law" else self._driving(push)

    def _by_law(self, point: str) -> Floats:
        # what the rest must supply against a force is its opposite
        s = self.state
        assert isinstance(self.mechanism, Mechanism)
        owners = {force.ref for force in self.mechanism.forces if force.point == point}
        needed = compute_part_forces(self.system, owners, s.q.T, s.u.T, s.a.T, s.lam.T, np.asarray(s.t))
        return np.stack([-np.broadcast_to(needed[i], np.shape(s.t)) for i in self.system.chart.points[point]], axis=-1)

    def _driving(self, push: Push) -> Floats:
        target = quantity(push.of)
        assert target is not None
        force = -push.sign * self.state.lam[:, find_driver(self.system, push.of)][:, None]
        if (axis := INTEGRAL.get(target.what, target.what)) in PLACES:
            return np.asarray(force * np.eye(len(self.system.chart.points[push.point]))[PLACES.index(axis)])
        one, other = (self.state[point] for point in target.points)
        apart = other - one
        length = np.linalg.norm(apart, axis=1, keepdims=True)
        return np.asarray(force * apart / np.where(length > 0, length, 1.0))

    @cached_property
    def _reactions(self) -> Reactions:
        s = self.state
        return Reactions(self.system, s.q, s.u, s.a, s.lam, np.asarray(s.t))


# -- where forces act --------------------------------------------------------------------------------------------------


def _on_parts(motion: Trajectory) -> Iterator[Push]:
    """Every rigid part with each of its points where something else meets it."""
    system = motion.system
    users = [point for points in system.chart.parts.values() for point in points]
    met = {point for point in users if users.count(point) > 1}
    met |= {p for _, _, *points in system.chart.joints.values() for p in points}
    met |= {p for p, places in system.chart.points.items() if places[0] >= system.n}
    met |= _met_by_others(motion)
    for part, points in system.chart.parts.items():
        for point in points:
            if point in met:
                yield Push(kind="reaction", name=f"on {part} at {point}", point=point, source="part", of=part)


def _met_by_others(motion: Trajectory) -> set[str]:
    """The points on lines or planes, with particles, and at ends of springs, dampers and driven lengths."""
    m = motion.mechanism
    if not isinstance(m, Mechanism):
        return set()
    groups = [spring.points for spring in m.springs] + [damper.points for damper in m.dampers]
    groups += [guided.held for guided in find_guided(motion.system)]
    found = {point for points in groups for point in points} | {particle.point for particle in m.particles}
    return found | {point for target in map(quantity, _driven(m)) if target is not None for point in target.points}


def _of_guides(system: System) -> Iterator[Push]:
    """Lines and planes with each moving point they hold; parts that are such lines with each point on them."""
    found: dict[tuple[str, str], None] = {}
    for guided in find_guided(system):
        moving = (point for point in guided.held if system.chart.points[point][0] < system.n)
        found |= dict.fromkeys((guided.guide, point) for point in moving)
        if guided.part:
            found[guided.part, guided.point] = None
    for of, point in found:
        name = f"on {of} at {point}" if of in system.chart.parts else f"of guide {of} on {point}"
        yield Push(kind="reaction", name=name, point=point, source="guide", of=of)


def _by_laws(motion: Trajectory) -> Iterator[Push]:
    if isinstance(motion.mechanism, Mechanism):
        points = {force.point for force in motion.mechanism.forces} & set(motion.mechanism.moving_points)
        for point in sorted(points):
            yield Push(kind="force", name=f"at {point}", point=point, source="law")


def _of_drivers(motion: Trajectory) -> Iterator[Push]:
    """Driven lengths push both of their ends apart, driven places push their point."""
    if not isinstance(motion.mechanism, Mechanism):
        return
    for driven in _driven(motion.mechanism):
        target = quantity(driven)
        if target is None or INTEGRAL.get(target.what, target.what) not in (*PLACES, "length"):
            continue
        signs = (-1.0, 1.0) if target.what in OF_PAIRS else (1.0,)
        for point, sign in zip(target.points, signs, strict=True):
            name = f"driving {driven} at {point}"
            yield Push(kind="force", name=name, point=point, source="driver", of=driven, sign=sign)


def _driven(m: Mechanism) -> list[str]:
    return [motion.target for motion in m.motions]
