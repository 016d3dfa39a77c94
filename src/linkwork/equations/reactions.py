"""Reactions: what the rest of a mechanism does to one of its parts. In: residuals of terms; out: forces, torques.

The equations of motion are a sum over terms. The terms of one part alone leave a residual at its points; that is the
force its neighbours must supply there. The multipliers of a joint give the forces it exerts on the points of its parts.
Written once over arrays, be they of numbers along a motion or of nodes of a program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.equations.chart import Chart
from linkwork.equations.collect import name_instance
from linkwork.equations.system import System
from linkwork.errors import LinkworkError, Ref, did_you_mean

GUIDES = ("collinear", "coplanar")
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Guided:
    """A point kept on a line or in a plane through others.

    owner    the line or plane
    through  the points that the guide goes through
    part     the rigid part that carries the guide, if one has all of them
    """

    owner: Ref
    point: str
    through: tuple[str, ...]
    part: str

    @property
    def guide(self) -> str:
        """The name that the file gives the line or plane."""
        return str(self.owner.name)

    @property
    def held(self) -> tuple[str, ...]:
        """The points that feel the guide as a force; a part that is a guide feels it where it is touched."""
        return (self.point,) if self.part else (*self.through, self.point)


class Reactions(ABC):
    """Reactions at k states of a system: forces (k, dimension), torques (k, 1 or 3)."""

    system: System

    @property
    @abstractmethod
    def count(self) -> int:
        """k."""

    @abstractmethod
    def find_forces(self, owner: Ref) -> dict[int, Array]:
        """M a + Gᵀλ − f of the terms of an owner alone, by coordinate.   (k,) each"""

    @abstractmethod
    def find_place(self, point: str) -> Array:
        """Where a point is.   (k, dimension)"""

    def force_at(self, part: str, point: str) -> Array:
        """The force on a part at one of its points, or of a line or plane on a point it guides.   (k, dimension)"""
        if (guided := self._guided(part, point)) is not None:
            return guided
        force = self._force(part, point)
        for exerted, mine in self._turning(part):
            # what is put on several points to turn the part is a force at the own point of what does it, if it has one
            force = force - exerted.get(point, 0.0)
            if point == mine:
                force = force + sum(exerted.values(), np.zeros_like(force))
        for owner in {guided.owner: None for guided in self._guides if guided.part == part}:
            force = force - self._of_owner(owner, point)  # the part feels it where it is touched
        return force

    def on_part(self, part: str) -> tuple[dict[str, Array], Array]:
        """All forces on a rigid part, by point, and what turns it besides: torques, drivers of its angle, joints."""
        here = self._owner_of(part)
        forces = {point: self.force_at(part, point) for point in self.find_points(part) if self._has(here, point)}
        touching = {(g.owner, g.point): None for g in self._guides if g.part == part and g.point not in forces}
        for owner, point in touching:
            forces[point] = forces.get(point, 0.0) - self._of_owner(owner, point)
        torque = np.zeros((self.count, 1 if self._dimension == 2 else 3))
        if part in self.chart.angles:
            torque = torque + self._forces(here)[self.chart.angles[part]][:, None]
        for exerted, mine in self._turning(part):
            torque = torque + self._torque(exerted, mine or next(iter(exerted), ""))
        return forces, torque

    def on_second(self, joint: str) -> tuple[Array, Array]:
        """Force and torque of a joint on its second part, about its point there."""
        if joint not in self.chart.joints:
            raise LinkworkError(f"no joint named '{joint}'. {did_you_mean(joint, self.chart.joints)}".rstrip())
        one, two, point_one, point = self.chart.joints[joint]
        # on the world: the opposite of what the first part feels
        part, sign = (two, 1.0) if two in self.chart.parts else (one, -1.0)
        exerted = self._exerted(joint, part)
        force, torque = sum(exerted.values(), self._nothing), self._torque(exerted, point)
        if self._dimension == 2 and part in self.chart.angles:
            # what its equations say of the angle itself
            turning = self._forces(Ref("joint", joint)).get(self.chart.angles[part])
            torque = torque if turning is None else torque - turning[:, None]
        if point == point_one:
            # the pin itself: what the part needs at the shared point, less what other joints do there
            others = [other for other, mine in self._joints_of(part) if other != joint and mine == point]
            nets = (sum(self._exerted(other, part).values(), np.zeros_like(force)) for other in others)
            force = self.force_at(part, point) - sum(nets, np.zeros_like(force))
        return sign * force, sign * torque

    def _turning(self, part: str) -> Iterator[tuple[dict[str, Array], str]]:
        """The forces on points of a part of each joint and law that may turn it, and the point where it pushes."""
        yield from ((self._exerted(joint, part), mine) for joint, mine in self._joints_of(part))
        for owner, turner in self.chart.turners.items():
            if part in turner.parts:
                points = self.chart.parts[part]
                own = [point for point in turner.points if point in points]
                others = {p for other in turner.parts if other != part for p in self.chart.parts[other]}
                if len(own) < 2 and others.isdisjoint(own):
                    yield self._put(owner, points, others, True), own[0] if own else ""

    def _joints_of(self, part: str) -> list[tuple[str, str]]:
        """The joints of a part, and its point at each."""
        joints = self.chart.joints.items()
        return [(name, p if part == one else r) for name, (one, two, p, r) in joints if part in (one, two)]

    def _exerted(self, joint: str, part: str) -> dict[str, Array]:
        """What a joint's equations put on the points of one of its parts.

        Of a point that both parts have, it is the rest of a couple, whose forces add up to nothing.
        """
        one, two, point_one, point_two = self.chart.joints[joint]
        mine, theirs = (two, point_two), (one, point_one)
        if part == one:
            mine, theirs = theirs, mine
        others = {*self.chart.parts.get(theirs[0], ()), theirs[1]}
        points = dict.fromkeys((*self.chart.parts.get(part, ()), mine[1]))
        return self._put(Ref("joint", joint), points, others, mine[1] == theirs[1])

    def _put(self, owner: Ref, points: Iterable[str], others: Collection[str], couple: bool) -> dict[str, Array]:
        """What the equations of an owner put on some points; on one that others have, too, the rest of a couple."""
        some = [p for p in points if self._has(owner, p)]
        found = {p: self._of_owner(owner, p) for p in some if p not in others}
        shared = [p for p in some if p in others]
        if len(shared) == 1 and couple:
            found[shared[0]] = -sum(found.values(), self._nothing)
        return found

    def _torque(self, forces: dict[str, Array], about: str) -> Array:
        """The torque of forces at points about one of them."""
        arms = ((self.find_place(p) - self.find_place(about), f) for p, f in forces.items())
        return sum((moment(d, f) for d, f in arms), np.zeros((self.count, 1 if self._dimension == 2 else 3)))

    @property
    def chart(self) -> Chart:
        """What names mean."""
        return self.system.chart

    @property
    def _dimension(self) -> int:
        return self.chart.dimension

    @property
    def _nothing(self) -> Array:
        return np.zeros((self.count, self._dimension))

    def _guided(self, part: str, point: str) -> Array | None:
        """The force of a guide on a point that it holds; or, opposite, of the point on the part that is the guide."""
        if point in self.chart.parts.get(part, ()):
            return None
        for guided in self._guides:
            if part == guided.guide and point in guided.held:
                return self._of_owner(guided.owner, point)
            if part == guided.part and point == guided.point:
                return -self._of_owner(guided.owner, point)
        return None

    def _of_owner(self, owner: Ref, point: str) -> Array:
        """The force −Gᵀλ of the terms of an owner at a point."""
        return -self.find_residual(owner, point)

    def find_residual(self, owner: Ref, point: str) -> Array:
        """M a + Gᵀλ − f of the terms of an owner alone at a point.   (k, dimension)"""
        forces, t = self._forces(owner), np.zeros(self.count)
        return np.stack([forces.get(i, t) for i in self.chart.points[point]], axis=-1)

    def _forces(self, owner: Ref) -> dict[int, Array]:
        if owner not in self._computed:
            self._computed[owner] = self.find_forces(owner)
        return self._computed[owner]

    @cached_property
    def _computed(self) -> dict[Ref, dict[int, Array]]:
        """The forces of parts and joints that were asked for."""
        return {}

    def _owner_of(self, name: str) -> Ref:
        """What a name stands for: a rigid part or, if there is none, the first of what else is called so."""
        if name in self.chart.parts:
            return Ref("rigid", name)
        return next((owner for owner in attach(self.system) if name_instance(owner) == name), Ref("rigid", name))

    @cached_property
    def _guides(self) -> list[Guided]:
        return find_guided(self.system)

    def _force(self, part: str, point: str) -> Array:
        owner = self._owner_of(part)
        if not self._has(owner, point):
            known = [f"{name_instance(o)} at {p}" for o, points in attach(self.system).items() for p in points]
            hint = did_you_mean(f"{part} at {point}", known)
            raise LinkworkError(f"no part '{part}' with a point '{point}'. {hint}".rstrip())
        return self.find_residual(owner, point)

    def _has(self, owner: Ref, point: str) -> bool:
        """Whether it has terms at a point."""
        return point in attach(self.system).get(owner, ())

    def find_points(self, part: str) -> tuple[str, ...]:
        """The points of a rigid part."""
        if part not in self.chart.parts:
            raise LinkworkError(f"no rigid part named '{part}'. {did_you_mean(part, self.chart.parts)}".rstrip())
        return self.chart.parts[part]


def moment(arm: Array, force: Array) -> Array:
    """arm × force; in the plane one number."""
    if arm.shape[-1] == 3:
        return np.cross(arm, force)
    return np.asarray(arm[:, :1] * force[:, 1:] - arm[:, 1:] * force[:, :1])


def find_guided(system: System) -> list[Guided]:
    """Every point that a line or a plane guides."""
    owner = {i: point for point, places in system.chart.points.items() for i in places}
    found = []
    for term in system.terms:
        for who, row in zip(term.owners, term.coordinates.tolist(), strict=True):
            if who.kind in GUIDES:
                *through, point = dict.fromkeys(owner[i] for i in row if i in owner)
                carrier = (part for part, points in system.chart.parts.items() if set(through) <= set(points))
                found.append(Guided(who, point, tuple(through), next(carrier, "")))
    return found


@lru_cache(maxsize=8)
def attach(system: System) -> dict[Ref, list[str]]:
    """The points where each owner has terms."""
    owner = {i: point for point, places in system.chart.points.items() for i in places}
    found: dict[Ref, dict[str, None]] = {}
    for term in system.terms:
        for who, row in zip(term.owners, term.coordinates.tolist(), strict=True):
            found.setdefault(who, {}).update({owner[i]: None for i in row if i in owner})
    return {who: list(points) for who, points in found.items()}


def find_length(system: System, owner: Ref, a: str, b: str) -> int | None:
    """The number of the constraint that keeps two points of a part apart, if there is one."""
    ends = [*system.chart.points[a], *system.chart.points[b]]
    for term in system.terms:
        if term.kind == "distance":
            for who, places, rows in zip(term.owners, term.coordinates.tolist(), term.rows.tolist(), strict=True):
                if who == owner and places == ends:
                    return int(rows[0])
    return None
