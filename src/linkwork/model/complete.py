"""What a part leaves open until the mechanism is known: directions of space, inertia of rods, references of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.errors import Problem, Ref
from linkwork.model.algebra import find_speed
from linkwork.model.connections import Joint
from linkwork.model.convert import Vector, as_coordinates
from linkwork.model.joints import find_kind
from linkwork.model.laws import Force, Moment
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
        self.unformed: list[Problem] = []  # formulas of contacts without a value, to be told if nothing else says why

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
        part, n = rigid.ref, self.dimension
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
        self.problems.append(Problem(ref=rigid.ref, what=what, remedy="Give the inertia"))
        return False

    def force(self, force: Force) -> Force:
        part = force.ref
        if len(force.components) == self.dimension:
            return force
        return Force(point=force.point, part=force.part, components=self.vector(force.components, part))

    def moment(self, moment: Moment) -> Moment:
        """Missing components are zero; what is wrong in the plane is said elsewhere."""
        if len(moment.components) == 3 or self.dimension == 2:
            return moment
        return replace(moment, components=self.vector(moment.components, moment.ref))

    def joint(self, joint: Joint) -> Joint:
        """In space every joint has an axis in each part and a direction across it; parameters left out are usual."""
        part = joint.ref
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
    for name, implicit in mechanism.implicits.items():
        yield Ref("variable", name), "implicit", implicit.formula
    for state in mechanism.states:
        yield state.ref, "rate", state.rate
    for part in mechanism.parts:
        for label, law in part.laws():
            yield part.ref, label, law
    for call in mechanism.opaque:
        for law in call.arguments:
            yield Ref("function", call.function.name), "argument", law
    for footing in mechanism.footings.values():
        for law in (*footing.zero, *footing.still):
            yield Ref(footing.kind, footing.name), "contact", law
    for touch in mechanism.touches.values():
        for law in (touch.gap, touch.force, *touch.rubbing):
            yield touch.contact.ref, "contact", law


def all_rates(mechanism: Mechanism) -> Iterator[Expr]:
    """The laws of speeds whose rates are accelerations in laws."""
    for name in mechanism.algebra:
        speed = find_speed(name, mechanism.words)
        if speed is not None:
            yield speed
