"""Rigid parts carried by their poses: which ones can be, a Rigid in, its body and the points where it meets others out.

A point that several parts share has a home, the first part that carries it; at every other one its place there meets
the place at home. Where two parts share several points the equations ask no more than is left to ask: d of the first
point, one less of each further one that is not on a line or plane through those before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from linkwork.equations.choices import choose_least, choose_order, is_small
from linkwork.equations.collect import Carried, Collector, Pivot, keep
from linkwork.equations.formulas import FormulaList
from linkwork.equations.kernel import Contribution
from linkwork.equations.kernels.poses import BODY
from linkwork.equations.laws import Subject, local_kernel
from linkwork.errors import Ref
from linkwork.model import Mechanism, Rigid
from linkwork.model.connections import WORLD
from linkwork.model.joints import find_kind
from linkwork.symbolic import ONE, ZERO, Expr, sqrt, symbol
from linkwork.symbolic.vector import Vector, combine, cross, difference, dot

STRAIGHT = 1e-12  # distance over length of what counts as on an axis


# -- carriers ----------------------------------------------------------------------------------------------------------


def find_carried(m: Mechanism, formulas: FormulaList) -> list[Rigid]:
    """The parts that their poses carry."""
    return [rigid for rigid in m.rigids if _can_carry(m, formulas, rigid)]


def choose_homes(m: Mechanism, formulas: FormulaList) -> dict[str, list[str]]:
    """The parts that their poses carry, each with the points whose home it is."""
    carried = find_carried(m, formulas)
    taken = {*m.fixed, *find_own_points(m, formulas, {rigid.name for rigid in carried})}
    homes: dict[str, list[str]] = {}
    for rigid in carried:
        homes[rigid.name] = [point for point in rigid.points if point not in taken]
        taken.update(rigid.points)
    return homes


def choose_pivots(m: Mechanism, homes: Collection[str]) -> dict[str, Pivot]:
    """The parts of space among these that a fixed point holds: one of their own, or of the world by a joint.

    In the plane a part keeps the three coordinates that textbooks count.
    """
    found: dict[str, Pivot] = {}
    if m.dimension == 2:
        return found
    for joint in m.joints:
        kind = find_kind(m.dimension, joint.kind)
        if kind is not None and kind.meets and WORLD in joint.parts:
            side = joint.parts.index(WORLD)
            fixed, own, part = joint.points[side], joint.points[1 - side], joint.parts[1 - side]
            if fixed in m.fixed and part in homes:
                found.setdefault(part, Pivot(fixed=fixed, own=own))
    for part in homes:
        held = [point for point in m.find_rigid(part).points if point in m.fixed]
        if held:
            found[part] = Pivot(fixed=held[0], own=held[0])
    return found


def _can_carry(m: Mechanism, formulas: FormulaList, rigid: Rigid) -> bool:
    """Whether a part is a body with inertia that fixed points do not hold altogether."""
    d = m.dimension
    if len(rigid.points) < d or not _is_heavy(formulas, rigid):
        return False
    fixed = [place for point, place in zip(rigid.points, rigid.geometry, strict=True) if point in m.fixed]
    return len(choose_order(formulas, fixed)) < d


def tensor(rigid: Rigid) -> tuple[Expr, ...]:
    """The inertia: one number in the plane, ixx iyy izz ixy ixz iyz in space."""
    if len(rigid.geometry[0]) == 2:
        return rigid.inertia
    given = rigid.inertia if len(rigid.inertia) > 1 else rigid.inertia * 3
    return given + (ZERO,) * (6 - len(given))


def _is_heavy(formulas: FormulaList, rigid: Rigid) -> bool:
    """Whether a body has mass and inertia; about a thin line it may have none, and then joints must hold it."""
    moments = sum(tensor(rigid)[:3], ZERO)  # none is negative
    return not formulas.is_zero(rigid.mass) and not formulas.is_zero(moments)


def find_own_points(m: Mechanism, formulas: FormulaList, carried: set[str]) -> set[str]:
    """Points that need coordinates of their own, since something that no pose carries has inertia there."""
    found = {particle.point for particle in m.particles if not formulas.is_zero(particle.mass)}
    found |= {point for spring in m.springs if not formulas.is_zero(spring.mass) for point in spring.points}
    for rigid in m.rigids:
        if rigid.name not in carried and not formulas.is_zero(rigid.mass, *rigid.inertia):
            found |= set(rigid.points)
    return found


# -- instances ---------------------------------------------------------------------------------------------------------


def add_carried(f: Collector, rigid: Rigid) -> None:
    """A body by its pose, and the points where it meets others."""
    f.reach(*_sizes(rigid))
    carried = f.carried[rigid.name]
    if carried.hold is None:
        f.add(BODY[f.dimension], rigid.ref, (*carried.coordinates, *carried.followers), _inertia(f, rigid))
    for points in _meetings(f, rigid):
        _add_meetings(f, rigid, points)


def _inertia(f: Collector, rigid: Rigid) -> list[Expr]:
    """Mass, inertia J + m (c² 1 − c cᵀ) about what its pose places, the mass centre at c from there, gravity."""
    m, c = rigid.mass, f.carried[rigid.name].centre
    if f.dimension == 2:
        return [m, *rigid.inertia, *f.gravity]
    xx, yy, zz, xy, xz, yz = tensor(rigid)
    x, y, z = c
    about = [xx + m * (y**2 + z**2), yy + m * (x**2 + z**2), zz + m * (x**2 + y**2)]
    return [m, *about, xy - m * x * y, xz - m * x * z, yz - m * y * z, *c, *f.gravity]


def _sizes(rigid: Rigid) -> Iterator[Expr]:
    yield rigid.geometry[1][0]
    yield from (sqrt(dot(place, place)) for place in rigid.geometry[2:])


def _meetings(f: Collector, rigid: Rigid) -> list[list[str]]:
    """The points whose home is elsewhere, those of one home together; each that has none alone."""
    groups: dict[str, list[str]] = {}
    for point in rigid.points:
        if f.homes.get(point) != rigid.name:
            home = f.homes.get(point, "" if point in f.mechanism.fixed else f" {point}")
            groups.setdefault(home, []).append(point)
    first = _held_at(f.carried[rigid.name])
    return [sorted(points, key=lambda point: point != first) for points in groups.values()]


def _held_at(carried: Carried) -> str:
    """The point at which a pose is held."""
    if carried.hold is not None:
        return carried.hold.point
    return "" if carried.pivot is None else carried.pivot.fixed


def _holds(f: Collector, carried: Carried, point: str) -> bool:
    """Whether a part has a point that it shares where it must, by how it hangs: on the axis of its hinge, or welded."""
    hold = carried.hold
    if point == _held_at(carried):
        return True
    if hold is None or hold.make.travels or not hold.point:
        return False
    there = point in f.mechanism.fixed if hold.parent is None else f.homes.get(point) == hold.parent
    if not there:
        return False
    if hold.make.turn == "hinge":
        place = carried.at[point]
        return is_small(f.formulas, cross(place, hold.sides[1][2]), STRAIGHT * sqrt(dot(place, place)))
    return hold.make.turn == "none"


def _add_meetings(f: Collector, rigid: Rigid, points: Sequence[str]) -> None:
    """Points of one home are where the part has them."""
    at = dict(zip(rigid.points, rigid.geometry, strict=True))
    order = choose_order(f.formulas, [at[point] for point in points])
    places, carried = [at[points[i]] for i in order], f.carried[rigid.name]
    for point, ways in zip((points[i] for i in order), _ways(f, places), strict=True):
        if not _holds(f, carried, point):
            _add_meeting(f, rigid.name, point, ways)


def _add_meeting(f: Collector, part: str, point: str, ways: Sequence[Vector]) -> None:
    """A point is where a part has it, as far as directions in its axes tell; without them in all directions."""
    here = f.name_place(part, point)
    local = f.see(Subject(points=(point, here), angles=(), states=(), parts=(part,)))
    gap, d = difference(local.place(here), local.place(point)), f.dimension
    names = [[f"way{i}{axis}" for axis in f.axes] for i in range(len(ways))]
    axes = local.frame(part)
    equations = [dot(combine([symbol(n) for n in way], axes), gap) for way in names] if ways else list(gap)
    columns = (*(name for way in names for name in way), *local.columns)
    kernel = local_kernel("meet", local, columns, Contribution(constraints=equations))
    owner, numbers = Ref("rigid", part), f.axes if not ways else range(1, len(ways) + 1)
    rows = keep(owner, {f"meet_{point}{axis}_{part}": "place" for axis in numbers})
    assert len(rows) <= d
    f.add(kernel, owner, f.places(local), [*(x for way in ways for x in way), *f.values(local)], rows)


def _ways(f: Collector, places: Sequence[Sequence[Expr]]) -> Iterator[list[Vector]]:
    """For each of up to d points the directions in which it is not yet held by those before; none means all."""
    yield []
    edges = [difference(place, places[0]) for place in places[1:]]
    if f.dimension == 2:
        yield from ([_unit(Vector((-edge[1], edge[0])))] for edge in edges)
        return
    if edges:
        k = choose_least(f.formulas, edges[0])
        across = _unit(cross(edges[0], [ONE if i == k else ZERO for i in range(3)]))
        yield [across, _unit(cross(edges[0], across))]
    if len(edges) > 1:
        yield [_unit(cross(edges[0], edges[1]))]


def _unit(v: Vector) -> Vector:
    return v / sqrt(dot(v, v))
