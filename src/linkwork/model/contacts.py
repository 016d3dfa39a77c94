"""Wheels and edges of a mechanism -> the laws of their contacts, for those whose frames exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from linkwork.errors import Ref
from linkwork.model.bodies import Body, Placed
from linkwork.model.complete import Space, across
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints.kinds import MovingFrame
from linkwork.model.joints.words import derive_directions, quantity_frame, resolve_joint
from linkwork.model.parts import Rigid
from linkwork.model.rolling import Contact, KnifeEdge, Plane, Rolling, glide, roll
from linkwork.symbolic import ONE, ZERO, sqrt
from linkwork.symbolic.vector import Vector, dot


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What frames may belong to."""

    space: Space
    bodies: Mapping[str, Body]
    placed: Mapping[str, Placed]
    rigids: Mapping[str, Rigid]
    fixed: Iterable[str]

    def contacts(self, rollings: Iterable[Rolling], edges: Iterable[KnifeEdge]) -> Iterator[Contact]:
        """The contacts between frames that exist; what is wrong with the others is said by the checks."""
        for rolling in rollings:
            wheel, plane = self.frame(rolling.frame), self.plane(rolling)
            if wheel is not None and plane is not None:
                yield roll(rolling, (wheel[0], plane[0]), wheel[1], plane[1])
        for edge in edges:
            found = self.frame(edge.frame)
            if found is not None:
                yield glide(edge, found[0], WORLD, found[1])

    def side(self, frame: str) -> Joint:
        """A frame, resolved as both sides of a joint."""
        made = Joint(name=frame, kind="", frames=(frame, frame))
        return self.space.joint(resolve_joint(made, self.space.dimension, self.bodies, self.placed))

    def frame(self, name: str) -> tuple[str, MovingFrame] | None:
        """The part of a frame, and its axes over the quantities of that part."""
        side = self.side(name)
        part, point, d = side.parts[0], side.points[0], self.space.dimension
        rigid = self.rigids.get(part)
        if part == WORLD:
            return (part, quantity_frame(side, 0, d)) if point in self.fixed else None
        if rigid is None or point not in rigid.points or len(rigid.points) < d:
            return None
        return part, quantity_frame(side, 0, d)

    def plane(self, rolling: Rolling) -> tuple[str, MovingFrame] | None:
        """What it rolls on."""
        if not isinstance(rolling.on, Plane):
            return self.frame(rolling.on)
        d, part = self.space.dimension, Ref("rolling", rolling.name)
        o = Vector(self.space.vector(rolling.on.point, part))
        up = (ZERO,) * (d - 1) + (ONE,)
        n = Vector(self.space.vector(rolling.on.normal, part) if rolling.on.normal else up)
        if all(c is ZERO for c in n):
            return None
        if d == 2:
            y = n / sqrt(dot(n, n))
            return WORLD, MovingFrame(o=o, x=Vector((y[1], -y[0])), y=y)
        z, x, y = derive_directions(n, across(n, self.space.values))
        return WORLD, MovingFrame(o=o, x=x, y=y, z=z)
