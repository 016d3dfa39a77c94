"""Rigid parts and joints in space: a Rigid or a Joint in, instances of spatial kernels out."""

from __future__ import annotations

from linkwork.equations.collect import Collector, keep, triangle
from linkwork.equations.kernel import Contribution, Kernel
from linkwork.equations.kernels import spatial
from linkwork.equations.kinematics import Local
from linkwork.equations.laws import kernel_of, value_program
from linkwork.equations.parts.standing import with_fixed_first
from linkwork.model import Rigid
from linkwork.symbolic import (
    ZERO,
    Expr,
    sqrt,
)
from linkwork.symbolic.vector import difference, dot


def add_space_rigid(f: Collector, rigid: Rigid) -> None:
    """A rod (two points) or a body (three reference points and further ones)."""
    if len(rigid.points) == 2:
        _add_rod(f, rigid)
    else:
        _add_body(f, rigid)


def _add_rod(f: Collector, rigid: Rigid) -> None:
    (a, b), owner = rigid.points, rigid.ref
    length = rigid.geometry[1][0]
    f.reach(length)
    mass, inertia = rigid.mass, rigid.inertia[0]
    if not f.formulas.is_zero(mass, inertia):
        xi = rigid.centroid[0] / length
        f.add_on(spatial.rod3, owner, [a, b], [xi, length, mass, inertia, *f.gravity])
    if f.is_moving(a, b):
        f.add_on(spatial.distance3, owner, [a, b], [length], keep(owner, {f"l_{rigid.name}": "length"}))


def _add_body(f: Collector, rigid: Rigid) -> None:
    rigid, owner = with_fixed_first(f, rigid), rigid.ref
    corners, r = rigid.points[:3], triangle(rigid)
    f.reach(*(_distance(rigid, 0, i) for i in range(1, len(rigid.points))))
    mass, inertia = rigid.mass, rigid.inertia
    if not f.formulas.is_zero(mass, *inertia):
        given = inertia if len(inertia) > 1 else inertia * 3
        tensor = given + (ZERO,) * (6 - len(given))
        f.add_on(spatial.body3, owner, [*corners], [*r, *rigid.centroid, mass, *tensor, *f.gravity])
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if f.is_moving(corners[i], corners[j]):
            rows = keep(owner, {f"l_{corners[i]}{corners[j]}_{rigid.name}": "length"})
            f.add_on(spatial.distance3, owner, [corners[i], corners[j]], [_distance(rigid, i, j)], rows)
    for point, place in zip(rigid.points[3:], rigid.geometry[3:], strict=True):
        # a fixed point holds the body, unless one of the first three does already
        if f.is_moving(point) or all(map(f.is_moving, corners)):
            rows = keep(owner, {f"{point}{axis}_{''.join(corners)}": "place" for axis in f.axes})
            f.add_on(spatial.placement3, owner, [*corners, point], [*r, *place], rows)


def _distance(rigid: Rigid, i: int, j: int) -> Expr:
    """How far apart two points of a body are."""
    if (i, j) == (0, 1):
        return rigid.geometry[1][0]
    d = difference(rigid.geometry[j], rigid.geometry[i])
    return sqrt(dot(d, d))


# -- slides ------------------------------------------------------------------------------------------------------------

_LINE = Local(3, "abc", ())
_ALONG: Kernel = kernel_of("along", _LINE.coordinates, (), Contribution())


def add_line_hint(f: Collector, slide: str, a: str, b: str, c: str) -> None:
    """Guess the place along a line: s = (c − a)·(b − a)/|b − a|²."""
    A, B, C = (_LINE.place(p) for p in "abc")
    d = difference(B, A)
    f.add_hint(slide, value_program(_ALONG, dot(difference(C, A), d) / dot(d, d)), [a, b, c])
