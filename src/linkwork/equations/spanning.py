"""A spanning tree of a mechanism: a Mechanism in; which part hangs on which, and by what, out.

A part hangs on another one, or stands on the ground, at one place: where they share a point, or in a joint that leaves
travels along axes of the one and a turn of the other. Everything else between parts closes loops. A part that nothing
holds so floats: it stands on the ground with all its freedoms. Of all that could hold a part, what leaves it the least
freedom does, then what is nearer to the ground.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from linkwork.equations.choices import choose_least
from linkwork.equations.formulas import FormulaList
from linkwork.equations.holds import Hold, Place
from linkwork.equations.joints import find_directions
from linkwork.equations.limbs import Make
from linkwork.equations.parts.pose import find_carried, find_own_points
from linkwork.model import Mechanism
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints.words import derive_unit
from linkwork.symbolic import ONE, ZERO, cos, sin
from linkwork.symbolic.vector import Vector, cross, difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a kind of joint holds a part: travels along axes of the first frame, by their numbers, and a turn.

    one    the part must be the second, since it is the first whose axes guide it
    left   the equations of the kind that are to be kept besides
    """

    travels: tuple[int, ...] = ()
    turn: str = "none"
    one: bool = False
    left: tuple[int, ...] = ()

    def freedom(self, dimension: int) -> int:
        """How many freedoms a part has that is held so."""
        turning = {"none": 0, "hinge": 1, "turn": 1, "ball": 3}[self.turn]
        return len(self.travels) + turning - len(self.left)


WAYS: Mapping[int, Mapping[str, Way]] = {
    2: {
        "revolute": Way(turn="turn"),
        "translational": Way(travels=(0,)),
        "double_translational": Way(travels=(0, 1)),
        "parallel": Way(travels=(0, 1)),
        "pin_slot": Way(travels=(0,), turn="turn", one=True),
        "fixed": Way(),
    },
    3: {
        "spherical": Way(turn="ball"),
        "revolute": Way(turn="hinge"),
        "universal": Way(turn="ball", left=(3,)),
        "constant_velocity": Way(turn="ball", left=(3,)),
        "cylindrical": Way(travels=(2,), turn="hinge"),
        "screw": Way(travels=(2,), turn="hinge", left=(4,)),
        "prismatic": Way(travels=(2,)),
        "planar": Way(travels=(0, 1), turn="hinge"),
        "parallel": Way(travels=(0, 1, 2), turn="hinge"),
        "fixed": Way(),
        "in_line": Way(travels=(2,), turn="ball", one=True),
        "in_plane": Way(travels=(0, 1), turn="ball", one=True),
    },
}


@dataclass(slots=True)
class Spanning:
    """A tree in the making: how parts hang, and the points that they are the homes of, from the ground outwards."""

    mechanism: Mechanism
    formulas: FormulaList
    holds: dict[str, Hold] = field(default_factory=dict)
    homes: dict[str, list[str]] = field(default_factory=dict)
    depth: dict[str | None, int] = field(default_factory=lambda: {None: 0})
    taken: set[str] = field(default_factory=set)
    waiting: list[tuple[int, int, int, str, Hold]] = field(default_factory=list)
    number: Iterator[int] = field(default_factory=count)
    near: dict[str | None, list[str]] = field(default_factory=dict)


def span(
    m: Mechanism, formulas: FormulaList, loose: Collection[str] = ()
) -> tuple[dict[str, Hold], dict[str, list[str]]]:
    """How each part hangs, from the ground outwards, and the points whose home it is.

    Loose parts float, as the last: nothing hangs on them, and equations join them to all others.
    """
    carried = [rigid.name for rigid in find_carried(m, formulas)]
    tree = Spanning(m, formulas)
    tree.taken = {*m.fixed, *find_own_points(m, formulas, set(carried))}
    carried.sort(key=lambda part: part in loose)
    _find_neighbours(tree, [part for part in carried if part not in loose])
    _reach(tree, None)
    while len(tree.holds) < len(carried):
        if tree.waiting:
            *_, part, hold = heappop(tree.waiting)
        else:
            part = next(name for name in carried if name not in tree.holds)
            hold = _float(tree, part)
        if part not in tree.holds:
            _hang(tree, part, hold)
            _reach(tree, part)
    return tree.holds, tree.homes


def _find_neighbours(tree: Spanning, carried: Sequence[str]) -> None:
    """Who may hang on whom."""
    m, near = tree.mechanism, tree.near
    sharing: dict[str, list[str]] = {}
    for part in carried:
        for point in m.find_rigid(part).points:
            sharing.setdefault(point, []).append(part)
    pairs: list[tuple[str | None, str]] = []
    for point, parts in sharing.items():
        pairs += [(None, part) for part in parts] if point in m.fixed else []
        pairs += [(one, other) for one in parts for other in parts if one != other]
    known = {WORLD: None} | {part: part for part in carried}
    for joint in m.joints:
        if all(part in known for part in joint.parts):
            one, two = (known[part] for part in joint.parts)
            pairs += [(x, y) for x, y in ((one, two), (two, one)) if y is not None and x != y]
    for one, other in dict.fromkeys(pairs):
        near.setdefault(one, []).append(other)


def _hang(tree: Spanning, part: str, hold: Hold) -> None:
    tree.holds[part] = hold
    tree.depth[part] = tree.depth[hold.parent] + 1
    points = tree.mechanism.find_rigid(part).points
    tree.homes[part] = [point for point in points if point not in tree.taken]
    tree.taken.update(points)


def _reach(tree: Spanning, parent: str | None) -> None:
    """All that could hang on a part, or stand on the ground."""
    for part in tree.near.get(parent, ()):
        if part not in tree.holds:
            for freedom, hold in (*_by_points(tree, parent, part), *_by_joints(tree, parent, part)):
                heappush(tree.waiting, (freedom, tree.depth[parent], next(tree.number), part, hold))


def _float(tree: Spanning, part: str) -> Hold:
    d = tree.mechanism.dimension
    make = Make(grounded=True, floats=True, travels=d, turn="turn" if d == 2 else "ball")
    return Hold(parent=None, make=make, own=tree.mechanism.find_rigid(part).centroid)


def _by_points(tree: Spanning, parent: str | None, part: str) -> Iterator[tuple[int, Hold]]:
    """By the first point that they share; in space by the line through two of them."""
    m, points = tree.mechanism, tree.mechanism.find_rigid(part).points
    there = m.fixed if parent is None else tree.homes[parent]
    shared = [point for point in points if point in there]
    if not shared:
        return
    point, *more = shared
    at, own = _at(tree, parent, point), _own(m, part, point)
    turn, freedom = ("turn", 1) if m.dimension == 2 else ("ball", 3)
    lines = [(_at(tree, parent, other), _own(m, part, other)) for other in more if m.dimension == 3]
    pairs = [(difference(x, at), difference(z, own)) for x, z in lines]
    sides = next((s for s in (_line(tree, pair) for pair in pairs) if s is not None), ())
    turn, freedom = ("hinge", 1) if sides else (turn, freedom)
    make = Make(grounded=parent is None, turn=turn)
    yield freedom, Hold(parent=parent, make=make, at=at, own=own, sides=sides, point=point)


def _line(tree: Spanning, pair: tuple[Vector, Vector]) -> tuple[tuple[Vector, ...], ...] | None:
    """The axes of a hinge along a line in two parts; none if its points fall together."""
    if any(tree.formulas.is_zero(*line) for line in pair):
        return None
    return tuple(_across(tree, line) for line in pair)


def _across(tree: Spanning, line: Vector) -> tuple[Vector, ...]:
    """Axes x, y, z with z along a line."""
    z, k = derive_unit(line), choose_least(tree.formulas, line)
    x = derive_unit(cross(line, [ONE if i == k else ZERO for i in range(3)]))
    return x, cross(z, x), z


def _by_joints(tree: Spanning, parent: str | None, part: str) -> Iterator[tuple[int, Hold]]:
    m = tree.mechanism
    for joint in m.joints:
        way = WAYS[m.dimension].get(joint.kind)
        if way is None or {*joint.parts} != {parent or WORLD, part} or m.switches(joint):
            continue
        side = joint.parts.index(part)
        if not (way.one and side == 0):
            yield way.freedom(m.dimension), _hold(tree, joint, way, parent, part, side)


def _hold(tree: Spanning, joint: Joint, way: Way, parent: str | None, part: str, side: int) -> Hold:
    m = tree.mechanism
    sides = tuple(_axes(m, joint, i) for i in (1 - side, side))
    angle = joint.angles[1 - side] - joint.angles[side] if m.dimension == 2 else ZERO
    return Hold(
        parent=parent,
        make=Make(grounded=parent is None, travels=len(way.travels), turn=way.turn),
        at=_at(tree, parent, joint.points[1 - side]),
        own=_own(m, part, joint.points[side]),
        travels=tuple(tuple(sides[0][i]) for i in way.travels),
        sides=sides,
        angle=angle,
        way=1 if side == 1 else -1,
        point=joint.points[0] if joint.points[0] == joint.points[1] else "",
        joint=joint.name,
        left=way.left,
    )


def _axes(m: Mechanism, joint: Joint, i: int) -> tuple[Vector, ...]:
    """The axes of a side of a joint in its part."""
    if m.dimension == 2:
        c, s = cos(joint.angles[i]), sin(joint.angles[i])
        return Vector((c, s)), Vector((-s, c))
    z, x, y = find_directions(m, joint, i)
    return x, y, z


def _own(m: Mechanism, part: str, point: str) -> Place:
    rigid = m.find_rigid(part)
    return dict(zip(rigid.points, rigid.geometry, strict=True))[point]


def _at(tree: Spanning, parent: str | None, point: str) -> Place:
    if parent is None:
        return tree.mechanism.fixed[point]
    return tuple(difference(_own(tree.mechanism, parent, point), tree.holds[parent].own))
