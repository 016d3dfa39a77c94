"""Quantities of joints and bodies in terms of points and parts: `guide.travel` in, a law over `A.x`, `OA.xx` out.

So a law, an event, a driver or a plot may name what is free in a joint, and no formalism has to know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from linkwork.model.algebra import find_size
from linkwork.model.bodies import Body, Placed, frame_directions
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints.kinds import TURN, Conditions, MovingFrame, find_kind
from linkwork.model.laws import (
    AXES,
    OF_PAIRS,
    PLACES,
    SPEEDS,
    flow_of,
    join_pair,
    law_rate,
    quantity,
    quantity_or_word,
    quantity_symbol_of,
    split_pair,
)
from linkwork.model.rolling import Footing
from linkwork.model.touch import Touch
from linkwork.symbolic import ZERO, Expr, Symbol, atan2, cos, sin, sqrt, substitute
from linkwork.symbolic.vector import Vector, combine, cross, dot

RATE = "_rate"  # what the rate of a quantity is called, if it has no word of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The bodies and joints of a mechanism, for the meaning of their quantities; formulas are constraints by name."""

    dimension: int
    bodies: Mapping[str, Body]
    placed: Mapping[str, Placed]
    joints: Mapping[str, Joint]
    touching: Mapping[str, Footing | Touch] = field(default_factory=dict)
    formulas: frozenset[str] = frozenset()
    _known: dict[str, Expr | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    _flows: dict[str, Expr] = field(default_factory=dict, init=False, repr=False, compare=False)
    _held: dict[str, Conditions] = field(default_factory=dict, init=False, repr=False, compare=False)

    def meanings(self, symbols: Iterable[Symbol]) -> dict[Symbol, Expr]:
        """What those of the symbols mean that are quantities of joints and bodies, or points of other names."""
        found = ((s, self.meaning(s.name)) for s in symbols if "." in s.name)
        return {s: law for s, law in found if law is not None and law is not s}

    def meaning(self, name: str) -> Expr | None:
        """The law that a dotted name stands for, unless it is a quantity of a point or part already; found once."""
        if name not in self._known:
            self._known[name] = self._find_meaning(name)
        return self._known[name]

    def flow(self, name: str) -> Expr:
        """What a force along a quantity works on; found once."""
        if name not in self._flows:
            found = self.meaning(name)
            self._flows[name] = flow_of(quantity_or_word(name) if found is None else found)
        return self._flows[name]

    def _find_meaning(self, name: str) -> Expr | None:
        of, _, what = name.rpartition(".")
        if self.owns(name):
            return self._of_joint(self.joints[of], what)
        if what in (*PLACES, *SPEEDS):
            point = self.point(of)
            return None if point == of else quantity_symbol_of(f"{point}.{what}")
        if what in OF_PAIRS:
            pair = join_pair(map(self.point, split_pair(of)))
            named = pair != of and quantity(f"{pair}.{what}") is not None
            return quantity_symbol_of(f"{pair}.{what}") if named else None
        joint, contact = self.joints.get(of), self.touching.get(of)
        if contact is None and (size := find_size(name, self)) is not None:
            return size
        found = None if joint is None else self._of_joint(joint, what)
        return found if found is not None or contact is None else contact.quantity(what)

    def owns(self, name: str) -> bool:
        """Whether a name is that of a quantity that the kind of a joint names itself, whatever it means elsewhere."""
        of, _, what = name.rpartition(".")
        joint = self.joints.get(of)
        kind = None if joint is None else find_kind(self.dimension, joint.kind)
        return kind is not None and not kind.is_own and what.removesuffix(RATE) in kind.quantities

    def point(self, name: str) -> str:
        """The point that a name stands for: a frame at another one's place, or a body's origin."""
        body, _, frame = name.rpartition(".")
        if body in self.placed:
            return self.placed[body].point_of.get(name, name)
        placed = self.placed.get(frame) if not body else None
        return name if placed is None or placed.rigid is None else placed.rigid.points[0]

    def own_point(self, part: str, point: str) -> str:
        """What a point of a part is called; those of a body are its frames."""
        return self.point(f"{part}.{point}") if part in self.placed else point

    def _of_joint(self, joint: Joint, what: str) -> Expr | None:
        kind = find_kind(self.dimension, joint.kind)
        if kind is None or len(joint.parts) != 2 or not _has_names(joint):
            return None
        if what in ("angle", "omega"):
            if self.dimension == 3 or not kind.turns:
                return None
            angle = self._conditions(joint).angle
            return angle if what == "angle" or angle is None else law_rate(angle)
        names = {quantity: (quantity, False) for quantity in kind.quantities}
        names |= {"speed" if name == "travel" else name + RATE: (name, True) for name in kind.quantities}
        if what not in names:
            return None
        name, rate = names[what]
        c = self._conditions(joint)
        law = c.more.get(name, c.travel)
        assert law is not None
        return law_rate(law) if rate else law

    def ends(self, joint: Joint) -> Mapping[str, Expr]:
        """What stays positive while a joint works, by what it means if that vanishes."""
        return self._conditions(joint).until

    def _conditions(self, joint: Joint) -> Conditions:
        if joint.name not in self._held:
            self._held[joint.name] = self._find_conditions(joint)
        return self._held[joint.name]

    def _find_conditions(self, joint: Joint) -> Conditions:
        kind = find_kind(self.dimension, joint.kind)
        assert kind is not None
        i, j = (quantity_frame(joint, side, self.dimension) for side in (0, 1))
        found = kind.conditions(i, j, joint.parameters)
        if self.dimension == 2:
            return found
        tracked: dict[Expr, Expr] = {TURN: quantity_symbol_of(f"{joint.name}.angle")}
        travel = None if found.travel is None else substitute(found.travel, tracked)
        more = {name: substitute(law, tracked) for name, law in found.more.items()}
        until = {name: substitute(law, tracked) for name, law in found.until.items()}
        return Conditions(zero=[substitute(x, tracked) for x in found.zero], travel=travel, more=more, until=until)


def _has_names(joint: Joint) -> bool:
    """Whether its points and parts can be named in laws; what is wrong with the others is said elsewhere."""
    named = [f"{point}.x" for point in joint.points] + [f"{part}.xx" for part in joint.parts]
    return all(quantity(name) is not None for name in named)


def quantity_frame(joint: Joint, side: int, dimension: int) -> MovingFrame:
    """One side of a joint over the quantities of its point and part."""
    part, point = joint.parts[side], joint.points[side]
    o = Vector(quantity_symbol_of(f"{point}.{axis}") for axis in PLACES[:dimension])
    if dimension == 2:
        angle = joint.angles[side]
        direction = Vector((cos(angle), sin(angle)))
        if part == WORLD:
            return MovingFrame(o=o, x=direction, y=_perpendicular(direction), angle=angle)
        own = Vector(quantity_symbol_of(f"{part}.{axis}") for axis in AXES[:2])
        x = direction[0] * own + direction[1] * _perpendicular(own)
        return MovingFrame(o=o, x=x, y=_perpendicular(x), angle=quantity_symbol_of(f"{part}.angle") + angle)
    z, x, y = derive_directions(joint.axes[side], joint.references[side])
    if part != WORLD:
        own_axes = [Vector(quantity_symbol_of(f"{part}.{e}{axis}") for axis in PLACES) for e in PLACES]
        z, x, y = (combine(d, own_axes) for d in (z, x, y))
    return MovingFrame(o=o, x=x, y=y, z=z)


def derive_directions(
    axis: Iterable[Expr], across: Iterable[Expr], unit: Callable[[Vector], Vector] | None = None
) -> tuple[Vector, Vector, Vector]:
    """The axis z, the reference x made perpendicular to it, and y = z × x, all of length one.

    `unit` makes a vector one of length one, by a formula unless said.
    """
    unit = unit or derive_unit
    z = unit(Vector(axis))
    given = Vector(across)
    x = unit(given - dot(given, z) * z)
    return z, x, cross(z, x)


def derive_unit(v: Vector) -> Vector:
    """v/|v|; a direction of length zero stays as it is, for the checks to tell."""
    square = dot(v, v)
    return v if square is ZERO else v / sqrt(square)


def _perpendicular(v: Vector) -> Vector:
    return Vector((-v[1], v[0]))


# -- frames of joints --------------------------------------------------------------------------------------------------


def resolve_joint(joint: Joint, dimension: int, bodies: Mapping[str, Body], placed: Mapping[str, Placed]) -> Joint:
    """A joint between frames with their points and directions; in the plane with the angles of its directions."""
    if len(joint.frames) == 2:
        sides = [_resolve_frame(frame, dimension, bodies, placed) for frame in joint.frames]
        parts, points, axes, references, angles = zip(*sides, strict=True)
        if dimension == 2:
            return replace(joint, parts=parts, points=points, references=references, angles=angles)
        return replace(joint, parts=parts, points=points, axes=axes, references=references)
    if dimension == 2 and not joint.angles:
        references = joint.references or ((), ())
        angles = tuple([atan2(r[1], r[0]) if len(r) > 1 else ZERO for r in references])
        return replace(joint, angles=angles)
    return joint


def _resolve_frame(
    name: str, dimension: int, bodies: Mapping[str, Body], placed: Mapping[str, Placed]
) -> tuple[str, str, tuple[Expr, ...], tuple[Expr, ...], Expr]:
    part, _, own = name.rpartition(".")
    body = bodies.get(part)
    frame = body.frames.get(own) if body is not None else None
    z, x = frame_directions(frame, dimension)
    point = placed[part].point_of[name] if frame is not None else own
    return part, point, z, x, frame.angle if frame is not None else ZERO
