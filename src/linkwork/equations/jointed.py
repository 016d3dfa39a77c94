"""The tree formalism: a Mechanism in, a System out in which parts hang on one another by joint coordinates.

Parts that their poses carry in the absolute formalism hang on one another here, along a spanning tree; what is not of
the tree closes loops by the same equations as there. Every place is linear in coordinates and followers,

    o = o_p + R_p d + Σ f + R z

along the path to the ground, so that this System belongs to that in points as the absolute one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations.absolute import Absolute, Moving, find_corners, make_absolute, rotated, turned
from linkwork.equations.collect import Collector
from linkwork.equations.formulas import FormulaList
from linkwork.equations.points import collect_parts
from linkwork.equations.posed_algebra import derive_posed, find_felt, lay_out_formulas
from linkwork.equations.spanning import span
from linkwork.equations.system import System
from linkwork.model import Mechanism
from linkwork.symbolic import ONE, ZERO, Expr
from linkwork.symbolic.vector import Vector, dot

ENTRIES = {2: 2, 3: 9}  # of a rotation, that follow


def formulate_tree(mechanism: Mechanism, points: System) -> Absolute:
    """The equations of a mechanism in joint coordinates, given those in points."""
    formulas = FormulaList(mechanism.values)
    # forces that laws use are multipliers
    holds, homes = span(mechanism, formulas, find_felt(mechanism))
    f = collect_parts(mechanism, homes, formulas, None, holds)
    read = lay_out_formulas(f, points)
    entries, offsets = _places(f, points), _offsets(f, points)
    parts = _limbs(f, points)
    made = make_absolute(points, f.system(), entries, offsets, parts)
    return replace(made, system=derive_posed(f, made, read)) if read else made


# -- points of joint coordinates ---------------------------------------------------------------------------------------


def _places(f: Collector, points: System) -> list[tuple[int, ...]]:
    """The entries of A: row, column, formula."""
    here = {name: i for i, name in enumerate(f.names)}
    found: list[tuple[int, ...]] = [(i, here[name], -1) for i, name in enumerate(points.coordinates) if name in here]
    behind = len(f.names) - f.first_follower
    for name, row in points.chart.angles.items():
        column = _angle(f, name)[0]
        found += [(row, column, -1)] if column is not None else []
    for point, rows, part in _at_home(f, points):
        for i, column, factor in _spread(f, part, f.carried[part].at[point]):
            found.append((rows[i], column + (behind if column >= f.first_follower else 0), f.formulas.place(factor)))
    return found


def _offsets(f: Collector, points: System) -> list[tuple[int, ...]]:
    """The entries of b: row, formula."""
    found: list[tuple[int, ...]] = []
    for name, row in points.chart.angles.items():
        _, rest = _angle(f, name)
        found += [(row, f.formulas.place(rest))] if rest is not ZERO else []
    for point, rows, part in _at_home(f, points):
        found += zip(rows, f.formulas.places(_rest(f, part, f.carried[part].at[point])), strict=True)
    return found


def _at_home(f: Collector, points: System) -> Iterator[tuple[str, tuple[int, ...], str]]:
    """Points that parts carry, with their coordinates in points and the part."""
    known = points.chart.points
    yield from ((point, known[point], part) for point, part in f.homes.items() if point in known)


def _angle(f: Collector, name: str) -> tuple[int | None, Expr]:
    """The coordinate of a tracked angle here, and what is to be added."""
    if name in f.hinges:
        return f.angles[name], ZERO
    if name not in f.carried:
        return None, ZERO
    rest: Expr = ZERO
    part: str | None = name
    while part is not None and f.holds[part].make.turn == "none":
        rest, part = rest + f.holds[part].angle, f.holds[part].parent
    return None if part is None else f.scalars[part], rest


def _in_parent(f: Collector, part: str, z: Vector | tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Where a place of a part is in its parent, but for what its own rotation and travels add."""
    hold = f.holds[part]
    if hold.make.floats:
        return (ZERO,) * f.dimension
    if hold.make.turn != "none":
        return hold.at
    return tuple(x + dot(row, z) for x, row in zip(hold.at, hold.rest, strict=True))


def _spread(f: Collector, part: str, z: tuple[Expr, ...]) -> Iterator[tuple[int, int, Expr]]:
    """What moves a place of a part: component, coordinate or follower, factor; along the path to the ground."""
    carried, hold, d = f.carried[part], f.holds[part], f.dimension
    make, size = hold.make, ENTRIES[d]
    followers = carried.followers
    if make.turn != "none":
        for i in range(d):
            yield from ((i, e, factor) for e, factor in rotated(followers[:size], z, i) if factor is not ZERO)
        followers = followers[size:]
    for k in range(make.travels):
        if make.floats:
            yield k, carried.coordinates[k], ONE
        elif make.grounded:
            yield from ((i, carried.coordinates[k], x) for i, x in enumerate(hold.travels[k]) if x is not ZERO)
        else:
            yield from ((i, followers[d * k + i], ONE) for i in range(d))
    if hold.parent is not None:
        yield from _spread(f, hold.parent, _in_parent(f, part, z))


def _rest(f: Collector, part: str, z: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The part of a place that does not move."""
    hold = f.holds[part]
    inner = _in_parent(f, part, z)
    return inner if hold.parent is None else _rest(f, hold.parent, inner)


# -- joint coordinates of points ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Limbs:
    """Parts that hang on one another.   Formulas are columns of numbers; −1 among parents is the ground.

    corners   (parts, d, d): the places of the first points of parts, as in Term.coordinates
    parents   (parts,)
    own       (parts, d): what their poses place, in the parts; at (parts, d): the same in the parents
    floating  (3, k): component, coordinate, part of what floats
    travels   (2 + d, k): coordinate and part of a travel, formulas of its direction; carried (d, k): what follows it
    rotations (entries + 1, k): part and the entries of its R, among the followers
    turns     (3, k): coordinate, part and tracked turn angle in points, or −1
    balls     (4, k): part and its coordinates
    hinges    (2, k): coordinate and part; angles (k,) as tracked in points, or −1; sides (k, 2, 3, 3) formulas of axes
    ways      (k,)
    """

    corners: Ints
    parents: Ints
    own: Ints
    at: Ints
    floating: Ints
    travels: Ints
    carried: Ints
    rotations: Ints
    turns: Ints
    balls: Ints
    hinges: Ints
    angles: Ints
    sides: Ints
    ways: Ints

    def place(self, numbers: Floats, moving: Moving, q: Floats, x: Floats, v: Floats) -> None:
        """Put coordinates and followers into x, speeds into v."""
        part = self.rotations[0]
        x[self.rotations[1:].T] = moving.rotation[part]
        o, ov = moving.find(numbers[self.own])
        i, coordinate, part = self.floating
        x[coordinate], v[coordinate] = o[part, i], ov[part, i]
        self._slide(numbers, moving, (o, ov), x, v)
        coordinate, part, tracked = self.turns
        if len(part):
            x[coordinate], v[coordinate] = moving.turns_of(part, tracked, q), moving.w[part, 0]
        v[self.balls[1:].T] = moving.own_spin[self.balls[0]]
        self._bend(numbers, moving, q, x, v)

    def _slide(self, numbers: Floats, moving: Moving, at: tuple[Floats, Floats], x: Floats, v: Floats) -> None:
        """Travels s = e · (r − R_p d) at the rate e · (ȯ − ȯ_p − ω_p × r)."""
        coordinate, part, *direction = self.travels
        if not len(part):
            return
        o, ov = (_with_ground(y) for y in at)
        R, w = _with_ground(moving.R, np.eye(moving.R.shape[1])), _with_ground(moving.w)
        p = self.parents[part]
        r, e = o[part] - o[p], np.einsum("kij,jk->ki", R[p], numbers[np.array(direction)])
        s = np.sum(e * (r - np.einsum("kij,kj->ki", R[p], numbers[self.at[part]])), axis=1)
        x[coordinate] = s
        v[coordinate] = np.sum(e * (ov[part] - ov[p] - turned(w[p], r)), axis=1)
        some = self.carried[0] >= 0
        x[self.carried[:, some]] = (s[:, None] * e).T[:, some]

    def _bend(self, numbers: Floats, moving: Moving, q: Floats, x: Floats, v: Floats) -> None:
        """Angles of hinges, as tracked or as seen, and their rates about the axes."""
        coordinate, part = self.hinges
        if not len(part):
            return
        R, w = _with_ground(moving.R, np.eye(3)), _with_ground(moving.w)
        p = self.parents[part]
        sides = numbers[self.sides]  # (k, 2, x y z, 3)
        here, there = (np.einsum("kij,kaj->kai", R[at], sides[:, i]) for i, at in enumerate((p, part)))
        seen = self.ways * np.arctan2(
            np.sum(here[:, 1] * there[:, 0], axis=1), np.sum(here[:, 0] * there[:, 0], axis=1)
        )
        x[coordinate] = np.where(self.angles < 0, seen, q[self.angles])
        v[coordinate] = self.ways * np.sum(there[:, 2] * (w[part] - w[p]), axis=1)


def _with_ground(y: Floats, ground: Floats | None = None) -> Floats:
    """Values of parts with those of the ground behind them, which is number −1."""
    last = np.zeros(y.shape[1:]) if ground is None else ground
    return np.concatenate([y, last[None]])


def _limbs(f: Collector, points: System) -> Limbs:
    holds, places, d = [f.holds[part] for part in f.carried], f.formulas.places, f.dimension
    number: dict[str | None, int] = {part: i for i, part in enumerate(f.carried)}
    found = _Found()
    for part in f.carried:
        _add_limb(f, found, part, number[part], points)
    return Limbs(
        corners=find_corners(f, points),
        parents=_array([number.get(hold.parent, -1) for hold in holds], ()),
        own=_array([places(hold.own) for hold in holds], (d,)),
        at=_array([places(hold.at or (ZERO,) * d) for hold in holds], (d,)),
        floating=_array(found.floating, (3,)).T,
        travels=_array(found.travels, (2 + d,)).T,
        carried=_array(found.carried, (d,)).T,
        rotations=_array(found.rotations, (1 + ENTRIES[d],)).T,
        turns=_array(found.turns, (3,)).T,
        balls=_array(found.balls, (4,)).T,
        hinges=_array(found.hinges, (2,)).T,
        angles=_array(found.angles, ()),
        sides=_array(found.sides, (2, 3, 3)),
        ways=_array(found.ways, ()),
    )


@dataclass(slots=True)
class _Found:
    """The rows of tables of limbs, as they are found."""

    floating: list[tuple[int, ...]] = field(default_factory=list)
    travels: list[tuple[int, ...]] = field(default_factory=list)
    carried: list[tuple[int, ...]] = field(default_factory=list)
    rotations: list[tuple[int, ...]] = field(default_factory=list)
    turns: list[tuple[int, ...]] = field(default_factory=list)
    balls: list[tuple[int, ...]] = field(default_factory=list)
    hinges: list[tuple[int, ...]] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)
    sides: list[list[list[list[int]]]] = field(default_factory=list)
    ways: list[int] = field(default_factory=list)


def _add_limb(f: Collector, found: _Found, part: str, i: int, points: System) -> None:
    """The rows of one part, number i."""
    hold, coordinates, d, places = f.holds[part], f.carried[part].coordinates, f.dimension, f.formulas.places
    make, first = hold.make, f.first_follower - len(f.names)
    followers = tuple(e - first for e in f.carried[part].followers)
    if make.turn != "none":
        found.rotations.append((i, *followers[: ENTRIES[d]]))
        followers = followers[ENTRIES[d] :]
    if make.floats:
        found.floating += [(k, coordinates[k], i) for k in range(d)]
    for k, axis in enumerate(hold.travels):
        found.travels.append((coordinates[k], i, *places(axis)))
        found.carried.append(followers[d * k : d * k + d] or (-1,) * d)
    turning = coordinates[make.travels :]
    match make.turn:
        case "turn":
            found.turns.append((*turning, i, points.chart.angles.get(part, -1)))
        case "ball":
            found.balls.append((i, *turning))
        case "hinge":
            found.hinges.append((*turning, i))
            found.angles.append(points.chart.angles.get(hold.joint, -1))
            found.sides.append([[places(axis) for axis in side] for side in hold.sides])
            found.ways.append(hold.way)


def _array(rows: object, shape: tuple[int, ...]) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, *shape)
