"""Rigid parts and joints in space: a Rigid or a Joint in, instances of spatial kernels out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import spatial
from linkwork.equations.collect import Collector
from linkwork.equations.joints import JOINTS, SIDES, Ends, turn, turn_side
from linkwork.equations.kernel import Contribution, Kernel
from linkwork.equations.laws import TRIANGLE, Local, kernel_of, value_program
from linkwork.equations.standing import with_fixed_first
from linkwork.equations.vectors import Vector, cross, difference, dot
from linkwork.errors import InputError, Problem
from linkwork.model import Mechanism, Rigid
from linkwork.model.connections import WORLD, Joint
from linkwork.program import Program
from linkwork.symbolic import (
    ZERO,
    Expr,
    Number,
    atan2,
    differentiate,
    evaluate,
    evaluate_all,
    free_symbols,
    sqrt,
    substitute,
    symbol,
)

Floats = NDArray[np.float64]
GIVEN = -1  # in place of the number of an axis
SHORT = 10  # characters of a length that somebody has written


def triangle(rigid: Rigid) -> list[Expr]:
    """R = (r11, r12, r22) of the local coordinates of a body's reference points."""
    # the first point is the origin, the second lies on the x axis and the third in the xy plane
    (x, *_), (xi, eta, _) = rigid.geometry[1:3]
    return [x, xi, eta]


def add_space_rigid(f: Collector, rigid: Rigid) -> None:
    """A rod (two points) or a body (three reference points and further ones)."""
    if len(rigid.points) == 2:
        _add_rod(f, rigid)
    else:
        _add_body(f, rigid)


def _add_rod(f: Collector, rigid: Rigid) -> None:
    a, b = rigid.points
    if not f.is_moving(a, b):
        return
    length = rigid.geometry[1][0]
    f.reach(length)
    mass, inertia = rigid.mass, rigid.inertia[0]
    if not f.formulas.is_zero(mass, inertia):
        xi = rigid.centroid[0] / length
        f.add(spatial.rod3, rigid.name, f.of(a, b), [xi, length, mass, inertia, *f.gravity])
    f.add(spatial.distance3, rigid.name, f.of(a, b), [length], [f"l_{rigid.name}"])


def _add_body(f: Collector, rigid: Rigid) -> None:
    rigid = with_fixed_first(f, rigid)
    corners, r = rigid.points[:3], triangle(rigid)
    f.reach(*(_distance(rigid, 0, i) for i in range(1, len(rigid.points))))
    mass, inertia = rigid.mass, rigid.inertia
    if not f.formulas.is_zero(mass, *inertia) and f.is_moving(*corners):
        given = inertia if len(inertia) > 1 else inertia * 3
        tensor = given + (ZERO,) * (6 - len(given))
        f.add(spatial.body3, rigid.name, f.of(*corners), [*r, *rigid.centroid, mass, *tensor, *f.gravity])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if f.is_moving(corners[i], corners[j]):
            name = f"l_{corners[i]}{corners[j]}_{rigid.name}"
            f.add(spatial.distance3, rigid.name, f.of(corners[i], corners[j]), [_distance(rigid, i, j)], [name])
    for point, place in zip(rigid.points[3:], rigid.geometry[3:], strict=True):
        # a fixed point holds the body, unless one of the first three does already
        if f.is_moving(point) or all(map(f.is_moving, corners)):
            names = [f"{point}{axis}_{''.join(corners)}" for axis in f.axes]
            f.add(spatial.placement3, rigid.name, f.of(*corners, point), [*r, *place], names)


def _distance(rigid: Rigid, i: int, j: int) -> Expr:
    """How far apart two points of a body are."""
    if (i, j) == (0, 1):
        return rigid.geometry[1][0]
    d = difference(rigid.geometry[j], rigid.geometry[i])
    return sqrt(dot(d, d))


# -- joints ------------------------------------------------------------------------------------------------------------


def add_joint(f: Collector, joint: Joint) -> None:
    """The constraints of a joint between two parts, and the equation of its turn if that is tracked."""
    sides = [_Side(f, joint, i) for i in (0, 1)]
    points = tuple(dict.fromkeys(p for side in sides for p in side.points))
    tracked = joint.name in f.angles
    one, two = (tuple(points.index(p) for p in side.points) for side in sides)
    shape = _joint_shape(joint.kind, one, two, tracked)
    rows = [f"{joint.kind}{i + 1}_{joint.name}" for i in range(shape.kernel.constraint_count - tracked)]
    if tracked:
        rows.append(f"turn_{joint.name}")
    values = [*sides[0].values, *sides[1].values]
    places = [*f.of(*points), *([f.angles[joint.name]] if tracked else [])]
    f.add(shape.kernel, joint.name, places, values, rows)
    if shape.ways:
        f.sides.add(shape.sides, joint.name, places, values, [f"{way}_{joint.name}" for way in shape.ways])
    if shape.hint is not None:
        f.add_hint(joint.name, shape.hint, points, values)


class _Side:
    """One part at a joint: the points it needs, and its axis and reference directions as parameters."""

    def __init__(self, f: Collector, joint: Joint, i: int) -> None:
        part = joint.parts[i]
        corners: tuple[str, ...] = ()
        r: list[Expr] = []
        if part != WORLD:
            rigid = f.mechanism.find_rigid(part)
            if len(rigid.points) < 3 and joint.kind != "spherical":
                what = f"part '{part}' is a rod without a frame of its own"
                raise InputError([Problem(part=f"joint '{joint.name}'", what=what, remedy="Give it a third point")])
            if len(rigid.points) > 2:
                corners, r = rigid.points[:3], triangle(rigid)
        self.points = (*corners, joint.points[i])
        self.values = [*_directions(f, joint, i), *r]


@dataclass(frozen=True, slots=True, kw_only=True)
class _JointShape:
    """What joints of one kind between parts of the same make share: their kernels, and how to guess a tracked turn."""

    kernel: Kernel
    sides: Kernel
    ways: tuple[str, ...]
    hint: Program | None


@cache
def _joint_shape(kind: str, one: tuple[int, ...], two: tuple[int, ...], tracked: bool) -> _JointShape:
    """The shape of a joint whose sides need the points of these numbers: the corners of the part, then the joint's."""
    points = tuple(str(i) for i in range(max(*one, *two) + 1))
    local = Local(3, points, ["turn"] if tracked else [])
    e = _ends(local, *((tuple(points[i] for i in side)) for side in (one, two)))
    names = (*_parameters("1", one), *_parameters("2", two))
    equations = [equation for condition in JOINTS[kind] for equation in condition(e)]
    ways = dict(SIDES[condition](e) for condition in JOINTS[kind] if condition in SIDES)
    hint = None
    if tracked:
        equations.append(turn(e, local.angle("turn")))
        ways["turn"] = turn_side(e, local.angle("turn"))
        still = kernel_of("turn", Local(3, points, ()).coordinates, names, Contribution())
        hint = value_program(still, atan2(dot(e.n1, e.x2), dot(e.m1, e.x2)))
    return _JointShape(
        kernel=kernel_of(kind, local.coordinates, names, Contribution(constraints=equations)),
        sides=kernel_of("side", local.coordinates, names, Contribution(constraints=list(ways.values()))),
        ways=tuple(ways),
        hint=hint,
    )


def derive_turn(mechanism: Mechanism, joint: Joint, place: Callable[[str], Sequence[Expr]]) -> Expr:
    """The angle of a joint over the places of points, from m₁ to x₂ about the axis; for one that is not tracked."""
    f = Collector(mechanism, [])
    sides = [_Side(f, joint, i) for i in (0, 1)]
    points = tuple(dict.fromkeys(p for side in sides for p in side.points))
    local = Local(3, points, ())
    e = _ends(local, sides[0].points, sides[1].points)
    names = [name for tag, side in zip("12", sides, strict=True) for name in _parameters(tag, side.points)]
    values = [value for side in sides for value in side.values]
    numbers = evaluate_all(values, mechanism.values)
    meaning: dict[Expr, Expr] = {symbol(n): Number(float(x)) for n, x in zip(names, numbers, strict=True)}
    meaning |= {s: x for p in points for s, x in zip(local.place(p), place(p), strict=True)}
    return substitute(atan2(dot(e.n1, e.x2), dot(e.m1, e.x2)), meaning)


def _parameters(tag: str, side: Sequence[object]) -> tuple[str, ...]:
    """Names of a side's directions z, x, y and, if the part has a frame of its own, of its R."""
    directions = tuple(f"{name}{tag}{axis}" for name in "zxy" for axis in "xyz")
    return directions + (tuple(f"{name}_{tag}" for name in TRIANGLE) if len(side) > 1 else ())


def _ends(local: Local, one: tuple[str, ...], two: tuple[str, ...]) -> Ends:
    return Ends(
        p1=local.place(one[-1]),
        p2=local.place(two[-1]),
        z1=_along(local, "1", one, "z"),
        z2=_along(local, "2", two, "z"),
        m1=_along(local, "1", one, "x"),
        n1=_along(local, "1", one, "y"),
        x2=_along(local, "2", two, "x"),
        shared=one[-1] == two[-1],
    )


def _along(local: Local, tag: str, side: tuple[str, ...], name: str) -> Vector:
    """One of the directions z, x, y of a side in the world."""
    direction = tuple(symbol(f"{name}{tag}{axis}") for axis in "xyz")
    corners = side[:-1]
    if not corners:
        return direction
    r: list[Expr] = [symbol(f"{entry}_{tag}") for entry in TRIANGLE]
    return spatial.axes_of([local.place(p) for p in corners], r).along(direction)


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


def _unit(f: Collector, v: Vector) -> Vector:
    """v/|v|; a length that no parameter changes is the number it is, if that is a short one."""
    square = dot(v, v)
    length = sqrt(square)
    if free_symbols(square) and all(differentiate(square, s) == Number(0) for s in free_symbols(square)):
        size = f"{evaluate(length, f.mechanism.values):.14g}"
        length = Number(Fraction(size)) if len(size) <= SHORT else length
    return tuple(c / length for c in v)


# -- slides ------------------------------------------------------------------------------------------------------------

_LINE = Local(3, "abc", ())
_ALONG: Kernel = kernel_of("along", _LINE.coordinates, (), Contribution())


def add_line_hint(f: Collector, slide: str, a: str, b: str, c: str) -> None:
    """Guess the place along a line: s = (c − a)·(b − a)/|b − a|²."""
    A, B, C = (_LINE.place(p) for p in "abc")
    d = difference(B, A)
    f.add_hint(slide, value_program(_ALONG, dot(difference(C, A), d) / dot(d, d)), [a, b, c])
