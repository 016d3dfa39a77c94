"""What a mechanism touches: wheels, edges and shapes in, the laws of their contacts out, where their frames exist."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from linkwork.errors import ExpressionError, Problem, Ref
from linkwork.model.bodies import Body, Placed
from linkwork.model.cam import Cam
from linkwork.model.complete import Space, across
from linkwork.model.connections import WORLD, Joint
from linkwork.model.contact import Ball, Contact
from linkwork.model.joints.kinds import MovingFrame
from linkwork.model.joints.words import derive_directions, quantity_frame, resolve_joint
from linkwork.model.laws import quantity, quantity_symbol_of
from linkwork.model.part import Part
from linkwork.model.parts import Rigid
from linkwork.model.rolling import Footing, KnifeEdge, Plane, Rolling, glide, roll
from linkwork.model.touch import Side, Touch, touch
from linkwork.symbolic import ONE, ZERO, sqrt
from linkwork.symbolic.vector import Vector, dot

OUT_OF_RANGE = "Check the sizes and directions it is made of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What frames may belong to."""

    space: Space
    bodies: Mapping[str, Body]
    placed: Mapping[str, Placed]
    rigids: Mapping[str, Rigid]
    fixed: Iterable[str]
    points: Container[str]

    def footings(self, rollings: Iterable[Rolling], edges: Iterable[KnifeEdge]) -> Iterator[Footing]:
        """Those of wheels and edges between frames that exist; what is wrong with the others is said by the checks."""
        for rolling in rollings:
            with self.formed(rolling):
                wheel, plane = self.frame(rolling.frame), self.plane(rolling.on, rolling.ref)
                if wheel is not None and plane is not None:
                    yield roll(rolling, (wheel[0], plane[0]), wheel[1], plane[1])
        for edge in edges:
            found = self.frame(edge.frame)
            if found is not None:
                yield glide(edge, found[0], WORLD, found[1])

    def touches(self, contacts: Iterable[Contact]) -> Iterator[Touch]:
        """Those of shapes, likewise."""
        for contact in contacts:
            with self.formed(contact):
                one, two = self.side_of(contact.frame, contact.shape != "disc"), self.other_side(contact)
                if one is not None and two is not None and (one.part != two.part or not one.part):
                    yield touch(contact, one, two)

    @contextmanager
    def formed(self, part: Part) -> Iterator[None]:
        """Keep why a formula of a part has no value, for the end of the checks, which may know a better reason."""
        try:
            yield
        except ExpressionError as error:
            self.space.unformed.append(Problem(ref=part.ref, what=error.what, remedy=error.remedy or OUT_OF_RANGE))

    def other_side(self, contact: Contact) -> Side | None:
        """What a shape may touch."""
        if isinstance(contact.on, Ball | Cam):
            return self.side_of(contact.on.frame, isinstance(contact.on, Ball))
        plane = self.plane(contact.on, contact.ref)
        return None if plane is None else Side(part=plane[0], frame=plane[1])

    def side_of(self, name: str, round_: bool) -> Side | None:
        """One side of a contact: a frame, or, of what has no direction, a point that may belong to no part."""
        if "." in name or not round_:
            found = self.frame(name)
            return None if found is None else Side(part=found[0], frame=found[1])
        if name not in self.points or quantity(f"{name}.x") is None:
            return None
        axes = "xyz"[: self.space.dimension]
        o = Vector(quantity_symbol_of(f"{name}.{axis}") for axis in axes)
        return Side(part=WORLD if name in self.fixed else "", frame=MovingFrame(o=o, x=Vector(), y=Vector()))

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

    def plane(self, on: str | Plane, part: Ref) -> tuple[str, MovingFrame] | None:
        """What something rolls or lies on."""
        if not isinstance(on, Plane):
            return self.frame(on)
        d = self.space.dimension
        o = Vector(self.space.vector(on.point, part))
        up = (ZERO,) * (d - 1) + (ONE,)
        n = Vector(self.space.vector(on.normal, part) if on.normal else up)
        if all(c is ZERO for c in n):
            return None
        if d == 2:
            y = n / sqrt(dot(n, n))
            return WORLD, MovingFrame(o=o, x=Vector((y[1], -y[0])), y=y)
        z, x, y = derive_directions(n, across(n, self.space.values))
        return WORLD, MovingFrame(o=o, x=x, y=y, z=z)
