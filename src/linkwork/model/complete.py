"""What a part leaves open until the mechanism is known: directions of space, inertia of rods, references of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.errors import Problem, Ref
from linkwork.model.connections import WORLD, Joint
from linkwork.model.convert import Vector, as_coordinates
from linkwork.model.joints import find_kind
from linkwork.model.laws import OF_PARTS, Force, Moment, quantities
from linkwork.model.parts import TWELFTH, Rigid
from linkwork.model.values import compute_numbers
from linkwork.symbolic import ONE, ZERO, Expr, add

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

X_AXIS, Y_AXIS, Z_AXIS = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
MIDDLE = 1e-9  # relative: decimals a person writes for a square root
ALONG = 1e-6  # sine of the angle below which two directions are taken for the same


class Space:
    """A space of two or three dimensions: fills up coordinates, and collects those that are too many."""

    def __init__(self, dimension: int, values: Mapping[str, float]) -> None:
        self.dimension, self.values = dimension, values
        self.problems: list[Problem] = []

    def vector(self, given: tuple[Expr, ...], part: Ref) -> tuple[Expr, ...]:
        """Coordinates for every direction; missing ones are zero (the padding rule)."""
        n = self.dimension
        if len(given) > n:
            what = f"{len(given)} coordinates in dimension {n}"
            self.problems.append(Problem(ref=part, what=what, remedy=f"Give at most {n}"))
        return given[:n] + (ZERO,) * (n - len(given))

    def place(self, values: Vector, part: Ref) -> tuple[Expr, ...]:
        return self.vector(as_coordinates(values, part), part)

    def rigid(self, rigid: Rigid) -> Rigid:
        part, n = Ref("rigid", rigid.name), self.dimension
        inertia = rigid.inertia or self.inertia(rigid)
        if len(rigid.centroid) == n and inertia is rigid.inertia and all(len(place) == n for place in rigid.geometry):
            return rigid
        return Rigid(
            name=rigid.name,
            points=rigid.points,
            geometry=[self.vector(place, part) for place in rigid.geometry],
            centroid=self.vector(rigid.centroid, part),
            mass=rigid.mass,
            inertia=inertia,
        )

    def inertia(self, rigid: Rigid) -> tuple[Expr, ...]:
        """What is meant if none is given: m l²/12 for two points, nothing for a body."""
        if len(rigid.points) == 2 and len(rigid.geometry) == 2:
            if rigid.mass is ZERO or not self.is_uniform(rigid):
                return (ZERO,)
            end = rigid.geometry[1]
            square = end[0] ** 2 if end[1:] == (ZERO,) * len(end[1:]) else add(*(x**2 for x in end))
            return (rigid.mass * square * TWELFTH,)
        return (ZERO,) if self.dimension == 2 else (ZERO, ZERO, ZERO)

    def is_uniform(self, rigid: Rigid) -> bool:
        """Whether two points, centroid and mass can be those of a uniform rod; reports if they are not."""
        end, centroid = rigid.geometry[1] + (ZERO,) * 3, rigid.centroid + (ZERO,) * 3
        numbers = compute_numbers([rigid.mass, *end, *centroid], self.values)
        if not numbers:
            return True  # reported elsewhere
        if numbers[rigid.mass] < 0:
            return False
        l, c = [numbers[x] for x in end], [numbers[x] for x in centroid]
        if math.dist([x / 2 for x in l], c) <= MIDDLE * math.hypot(*l):
            return True
        what = "the centroid is not in the middle, so the inertia is not that of a uniform rod"
        self.problems.append(Problem(ref=Ref("rigid", rigid.name), what=what, remedy="Give the inertia"))
        return False

    def force(self, force: Force) -> Force:
        part = Ref("force", force_name(force))
        if len(force.components) == self.dimension:
            return force
        return Force(point=force.point, part=force.part, components=self.vector(force.components, part))

    def moment(self, moment: Moment) -> Moment:
        """Missing components are zero; what is wrong in the plane is said elsewhere."""
        if len(moment.components) == 3 or self.dimension == 2:
            return moment
        return replace(moment, components=self.vector(moment.components, Ref("moment", moment.name)))

    def joint(self, joint: Joint) -> Joint:
        """In space every joint has an axis in each part and a direction across it; parameters left out are usual."""
        part = Ref("joint", joint.name)
        kind = find_kind(self.dimension, joint.kind)
        if kind is not None:
            usual = {name: value for name, value in kind.parameters.items() if value is not None}
            joint = replace(joint, parameters={**usual, **joint.parameters})
        if self.dimension == 2:
            return joint
        axes = tuple([self.vector(axis, part) for axis in joint.axes or (Z_AXIS, Z_AXIS)])
        given = joint.references or ((),) * len(axes)
        pairs = zip(given, axes, strict=False)
        references = tuple([self.vector(r, part) if r else across(a, self.values) for r, a in pairs])
        return replace(joint, axes=axes, references=references)


def force_name(force: Force) -> str:
    """What messages call a force: 'A', or 'A in OA'."""
    return force.point if force.part is None else f"{force.point} in {force.part}"


def across(axis: tuple[Expr, ...], values: Mapping[str, float]) -> tuple[Expr, ...]:
    """The local x axis, or y if x is along the axis."""
    numbers = compute_numbers(axis, values)
    x, y, z = (numbers.get(component, 1.0) for component in axis)
    return Y_AXIS if math.hypot(y, z) <= ALONG * abs(x) else X_AXIS


# -- laws and what they use -------------------------------------------------------------------------------------------


def all_laws(mechanism: Mechanism) -> Iterator[tuple[Ref, str, Expr]]:
    """(part, label, law) of everything that may depend on the motion; first of what others may name."""
    for name, formula in mechanism.variables.items():
        yield Ref("variable", name), "formula", formula
    for state in mechanism.states:
        yield Ref("state", state.name), "rate", state.rate
    for force in mechanism.forces:
        for axis, component in zip("xyz", force.components, strict=False):
            yield Ref("force", force_name(force)), f"{axis} component", component
    for moment in mechanism.moments:
        for axis, component in zip("xyz", moment.components, strict=False):
            yield Ref("moment", moment.name), f"{axis} component", component
    for torque in mechanism.torques:
        yield Ref("torque", torque.part), "value", torque.value
    for damper in mechanism.dampers:
        yield Ref("damper", damper.name), "force", damper.force
    for dissipation in mechanism.dissipations:
        yield Ref("dissipation", dissipation.name), "function", dissipation.function
    for effort in mechanism.efforts:
        yield Ref("effort", effort.on), "value", effort.value
    for motion in mechanism.motions:
        yield Ref("motion", motion.target), "law", motion.law
    for relation in mechanism.relations:
        yield Ref("relation", relation.name), "formula", relation.formula
    for held in mechanism.velocity_constraints:
        yield Ref("velocity", held.name), "formula", held.formula
    for contact in mechanism.contacts.values():
        for law in (*contact.zero, *contact.still):
            yield Ref(contact.kind, contact.name), "contact", law
    for event in mechanism.events:
        yield Ref("event", event.name), "when", event.when


def find_turn_angles(mechanism: Mechanism) -> tuple[str, ...]:
    """Parts (2D) or joints (3D) whose turn is tracked: with a torque, in a law, driven, or in a joint; sorted."""
    names = {name for torque in mechanism.torques for name in (torque.part, torque.other) if name is not None}
    laws = [law for _, _, law in all_laws(mechanism)]
    laws += [mechanism.meaning(motion.target) for motion in mechanism.motions]
    laws += [mechanism.meaning(effort.on) for effort in mechanism.efforts]
    for law in laws:
        names.update(found.of for _, found in quantities(law) if found.what in OF_PARTS)
    for joint in mechanism.joints:
        kind = find_kind(mechanism.dimension, joint.kind)
        if kind is not None and kind.tracks:
            names.update([joint.name] if mechanism.dimension == 3 else [p for p in joint.parts if p != WORLD])
    if mechanism.dimension == 2:
        # a body that is told where it starts to turn
        names.update({*mechanism.start.angles, *mechanism.start.rates} & mechanism.words.bodies.keys())
    return tuple(sorted(names))
