"""Joints over points: a Joint in, instances of the kernel of its kind out.

A side of a joint is a point and the axes of a part, which follow from the part's first points; its directions in these
axes are columns of the kernel, so that all joints of one kind between parts of the same make share one kernel. In space
a tracked turn θ is a coordinate of its own with one more equation: x₂ points along x₁ cos θ + y₁ sin θ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from linkwork.equations.collect import Collector
from linkwork.equations.kernel import Contribution, Kernel
from linkwork.equations.laws import Local, kernel_of, value_program
from linkwork.errors import InputError, Problem
from linkwork.model import Mechanism
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints import JointKind, MovingFrame, find_kind
from linkwork.model.joints.kinds import TURN
from linkwork.program import Program
from linkwork.symbolic import (
    Expr,
    Number,
    atan2,
    cos,
    differentiate,
    evaluate,
    free_symbols,
    sin,
    sqrt,
    substitute,
    symbol,
)
from linkwork.symbolic.vector import Vector, combine, cross, difference, dot

Floats = NDArray[np.float64]
GIVEN = -1  # in place of the number of an axis
SHORT = 10  # characters of a length that somebody has written


def add_joint(f: Collector, joint: Joint) -> None:
    """The constraints of a joint between two parts, and the equation of its turn if that is tracked."""
    kind = find_kind(f.dimension, joint.kind)
    assert kind is not None
    sides = [_Side(f, joint, kind, i) for i in (0, 1)]
    points = tuple(dict.fromkeys(p for side in sides for p in side.points))
    one, two = (tuple(points.index(p) for p in side.points) for side in sides)
    turns = _tracked(f, joint, kind)
    shape = _shape(kind, one, two, tuple(turns))
    tracked = f.dimension == 3 and bool(turns)
    rows = [f"{joint.kind}{i + 1}_{joint.name}" for i in range(shape.kernel.constraint_count - tracked)]
    if tracked:
        rows.append(f"turn_{joint.name}")
    own = [joint.parameters[name] for name in kind.parameters]
    values = [*sides[0].values, *sides[1].values, *own]
    places = [*f.of(*points), *(f.angles[name] for name in turns.values())]
    f.add(shape.kernel, joint.name, places, values, rows)
    if shape.ways:
        f.sides.add(shape.sides, joint.name, places, values, [f"{way}_{joint.name}" for way in shape.ways])
    if shape.hint is not None:
        f.add_hint(joint.name, shape.hint, points, values)


def _tracked(f: Collector, joint: Joint, kind: JointKind) -> dict[str, str]:
    """The angles that its equations use: in space its own turn if that is tracked, in the plane those of its parts."""
    if f.dimension == 3:
        return {"turn": joint.name} if joint.name in f.angles else {}
    if not kind.tracks:
        return {}
    return {f"turn{i + 1}": part for i, part in enumerate(joint.parts) if part != WORLD}


class _Side:
    """One part at a joint: the points it needs, and its directions as numbers."""

    def __init__(self, f: Collector, joint: Joint, kind: JointKind, i: int) -> None:
        part, r = joint.parts[i], list[Expr]()
        corners: tuple[str, ...] = ()
        if part != WORLD:
            rigid = f.mechanism.find_rigid(part)
            has_frame = len(rigid.points) >= f.dimension
            if not has_frame and kind.axes:
                what = f"part '{part}' is a rod without a frame of its own"
                raise InputError([Problem(part=f"joint '{joint.name}'", what=what, remedy="Give it a third point")])
            if has_frame and (kind.axes or f.dimension == 3):
                corners, r = rigid.points[: f.dimension], f.columns(part)
        self.points = (*corners, joint.points[i])
        if f.dimension == 2:
            angle = joint.angles[i]
            self.values = [cos(angle), sin(angle), angle, *r]
        else:
            self.values = [*_directions(f, joint, i), *r]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What joints of one kind between parts of the same make share: their kernels, and how to guess a tracked turn."""

    kernel: Kernel
    sides: Kernel
    ways: tuple[str, ...]
    hint: Program | None


@lru_cache(maxsize=256)
def _shape(kind: JointKind, one: tuple[int, ...], two: tuple[int, ...], turns: tuple[str, ...]) -> _Shape:
    """The shape of a joint whose sides need the points of these numbers: the corners of the part, then the joint's."""
    d = kind.dimension
    points = tuple(str(i) for i in range(max(*one, *two) + 1))
    local = Local(d, points, turns, (), _corners(points, one, two))
    i, j = (_frame(local, points, side, tag, turns) for side, tag in ((one, "1"), (two, "2")))
    c = kind.conditions(i, j, {name: symbol(f"own_{name}") for name in kind.parameters})
    names = _names(local, d, one, two, kind)
    angle: dict[Expr, Expr] = {TURN: local.angle("turn")} if d == 3 and turns else {}
    equations = [substitute(x, angle) if angle else x for x in c.zero]
    ways = {name: substitute(x, angle) if angle else x for name, x in c.positive.items()}
    hint = None
    if angle:
        theta = local.angle("turn")
        equations.append(sin(theta) * dot(i.x, j.x) - cos(theta) * dot(i.y, j.x))
        ways["turn"] = cos(theta) * dot(i.x, j.x) + sin(theta) * dot(i.y, j.x)
        still = kernel_of("turn", Local(d, points, ()).coordinates, names, Contribution())
        hint = value_program(still, atan2(dot(i.y, j.x), dot(i.x, j.x)))
    return _Shape(
        kernel=kernel_of(kind.name, local.coordinates, names, Contribution(constraints=equations)),
        sides=kernel_of("side", local.coordinates, names, Contribution(constraints=list(ways.values()))),
        ways=tuple(ways),
        hint=hint,
    )


def _corners(points: Sequence[str], one: Sequence[int], two: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """The first points of each side that has a part with axes."""
    sides = {"1": one, "2": two}
    return {tag: tuple(points[k] for k in side[:-1]) for tag, side in sides.items() if len(side) > 1}


def _names(local: Local, d: int, one: Sequence[int], two: Sequence[int], kind: JointKind) -> tuple[str, ...]:
    """Names of the columns: the directions of each side, then how far its first points are apart; own parameters."""
    found: list[str] = []
    for tag, side in (("1", one), ("2", two)):
        found += [f"{name}{tag}" for name in ("cosine", "sine", "angle")] if d == 2 else _nine(tag)
        found += local.columns(tag) if len(side) > 1 else ()
    return (*found, *(f"own_{name}" for name in kind.parameters))


def _nine(tag: str) -> list[str]:
    return [f"{name}{tag}{axis}" for name in "zxy" for axis in "xyz"]


def _frame(local: Local, points: Sequence[str], side: Sequence[int], tag: str, turns: Sequence[str]) -> MovingFrame:
    """One side of a joint as vectors of the world."""
    o = local.place(points[side[-1]])
    axes = local.frame(tag) if len(side) > 1 else None
    if local.dimension == 2:
        cosine, sine, own = (symbol(f"{name}{tag}") for name in ("cosine", "sine", "angle"))
        x = Vector((cosine, sine)) if axes is None else cosine * axes[0] + sine * axes[1]
        angle = local.angle(f"turn{tag}") + own if f"turn{tag}" in turns else own
        return MovingFrame(o=o, x=x, y=Vector((-x[1], x[0])), angle=angle)
    z, x, y = (Vector(symbol(f"{name}{tag}{axis}") for axis in "xyz") for name in "zxy")
    if axes is not None:
        z, x, y = (combine(direction, axes) for direction in (z, x, y))
    return MovingFrame(o=o, x=x, y=y, z=z)


def derive_turn(mechanism: Mechanism, joint: Joint, place: Callable[[str], Sequence[Expr]]) -> Expr:
    """The angle of a joint of space over the places of points, from x₁ to x₂ about the axis; if it is not tracked."""
    f = Collector(mechanism, [])
    kind = find_kind(3, joint.kind)
    assert kind is not None
    sides = [_Side(f, joint, kind, i) for i in (0, 1)]
    points = tuple(dict.fromkeys(p for side in sides for p in side.points))
    one, two = (tuple(points.index(p) for p in side.points) for side in sides)
    names = tuple(str(i) for i in range(len(points)))
    local = Local(3, names, (), (), _corners(names, one, two))
    i, j = (_frame(local, names, side, tag, ()) for side, tag in ((one, "1"), (two, "2")))
    columns = _names(local, 3, one, two, kind)[: -len(kind.parameters) or None]
    numbers = [value for side in sides for value in side.values]
    values = (Number(mechanism.compute(x)) for x in numbers)
    meaning: dict[Expr, Expr] = {symbol(n): x for n, x in zip(columns, values, strict=True)}
    for k, point in enumerate(points):
        meaning |= dict(zip(local.place(names[k]), place(point), strict=True))
    return substitute(atan2(dot(i.y, j.x), dot(i.x, j.x)), meaning)


# -- directions in space -----------------------------------------------------------------------------------------------


def _directions(f: Collector, joint: Joint, i: int) -> list[Expr]:
    """The axis z, the reference x made perpendicular to it, and y = z × x, all of length one; nine formulas."""
    axis, reference = joint.axes[i], joint.references[i]
    found = f.formulas.decide(_find_across, [*axis, *reference])
    if found is None:
        raise InputError(
            [Problem(part=f"joint '{joint.name}'", what="an axis of length zero", remedy="Give a direction")]
        )
    across = reference if found == GIVEN else tuple(Number(int(k == found)) for k in range(3))
    z = _unit(f, axis)
    along = dot(across, z)
    x = _unit(f, difference(across, [along * c for c in z]))
    return [*z, *x, *cross(z, x)]


def _find_across(numbers: Floats) -> int | None:
    """Whether the reference is GIVEN across the axis, or else which axis of space to take; None without an axis."""
    axis, reference = numbers[:3], numbers[3:]
    if not np.linalg.norm(axis) > 0:
        return None
    z = axis / np.linalg.norm(axis)
    x = reference - (reference @ z) * z
    if np.linalg.norm(x) < 1e-9 * max(1.0, float(np.linalg.norm(reference))):
        return int(np.argmin(np.abs(z)))
    return GIVEN


def _unit(f: Collector, v: Sequence[Expr]) -> Vector:
    """v/|v|; a length that no parameter changes is the number it is, if that is a short one."""
    square = dot(v, v)
    length = sqrt(square)
    if free_symbols(square) and all(differentiate(square, s) == Number(0) for s in free_symbols(square)):
        size = f"{evaluate(length, f.mechanism.values):.14g}"
        length = Number(Fraction(size)) if len(size) <= SHORT else length
    return Vector(c / length for c in v)
