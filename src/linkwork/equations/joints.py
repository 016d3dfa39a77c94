"""Joints over points: a Joint in, instances of the kernel of its kind out.

A side of a joint is a point and the axes of a part, which follow from the part's first points; its directions in these
axes are columns of the kernel, so that all joints of one kind between parts of the same make share one kernel. In space
a tracked turn θ is a coordinate of its own with one more equation: x₂ points along x₁ cos θ + y₁ sin θ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial

from linkwork.equations.collect import Collector, keep
from linkwork.equations.kernel import Contribution, Kernel
from linkwork.equations.kinematics import Local
from linkwork.equations.laws import Subject, kernel_of, local_kernel, value_program
from linkwork.errors import InputError, Problem, Ref
from linkwork.model import Mechanism
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints import JointKind, MovingFrame, find_kind
from linkwork.model.joints.kinds import TURN
from linkwork.model.joints.words import derive_directions
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
from linkwork.symbolic.vector import Vector, combine, dot

SHORT = 10  # characters of a length that somebody has written


def add_joint(f: Collector, joint: Joint) -> None:
    """The constraints of a joint between two parts, and the equation of its turn if that is tracked."""
    kind = find_kind(f.dimension, joint.kind)
    assert kind is not None
    held = f.held.get(joint.name)
    if held is not None and not held.left:
        return  # what hangs by it cannot do otherwise
    if f.holds and f.weld(joint.parts[0]) == f.weld(joint.parts[1]) and not f.mechanism.switches(joint):
        return  # nor can parts that the tree has made one
    turns = _tracked(f, joint, kind)
    points = f.meet(joint, kind)
    local = _see(f, joint, kind, turns, points)
    left = tuple(range(len(kind.keeps))) if held is None else held.left
    made = _Made(kind=kind, joint=joint, points=points, local=local, tracked=bool(turns), left=left)
    shape = _shape(made)
    tracked = f.dimension == 3 and bool(turns) and joint.name not in f.hinges
    owner = joint.ref
    # equations keep their numbers where a pivot meets the others
    numbers = (range(len(shape.keeps)) if held is None else left) if points == joint.points else kind.left
    rows = {f"{joint.kind}{i + 1}_{joint.name}": what for i, what in zip(numbers, shape.keeps, strict=True)}
    if tracked:
        rows[f"turn_{joint.name}"] = "turn"
    own = [joint.parameters[name] for name in kind.parameters]
    values = [*(x for i in (0, 1) for x in _side_values(f, joint, i)), *f.values(local), *own]
    kept = [row for name, what in rows.items() for row in keep(owner, {name: what}, "m" if what == "place" else "rad")]
    f.add(shape.kernel, owner, f.places(local), values, kept)
    if f.carried:
        return  # starts are made of points
    if shape.ways:
        ways = keep(owner, {f"{way}_{joint.name}": way for way in shape.ways})
        f.sides.add(shape.sides, owner, f.places(local), values, ways)
    if shape.hint is not None:
        f.add_hint(joint.name, shape.hint, tuple(local.points), values)


def _tracked(f: Collector, joint: Joint, kind: JointKind) -> tuple[str, ...]:
    """The angles that its equations use: in space its own turn if that is tracked, in the plane those of its parts."""
    if f.dimension == 3:
        return (joint.name,) if joint.name in f.angles else ()
    return tuple(part for part in dict.fromkeys(joint.parts) if part != WORLD) if kind.tracks else ()


def _see(f: Collector, joint: Joint, kind: JointKind, turns: tuple[str, ...], points: tuple[str, ...]) -> Local:
    """What its kernel works on: the joint's points, and the parts whose axes it needs."""
    parts = []
    for part in joint.parts:
        if part == WORLD:
            continue
        has_frame = len(f.mechanism.find_rigid(part).points) >= f.dimension
        if not has_frame and kind.axes:
            what = f"part '{part}' is a rod without a frame of its own"
            raise InputError([Problem(ref=Ref("joint", joint.name), what=what, remedy="Give it a third point")])
        if has_frame and kind.axes:
            parts.append(part)
    return f.see(Subject(points=points, angles=turns, states=(), parts=tuple(dict.fromkeys(parts))))


def _side_values(f: Collector, joint: Joint, i: int) -> list[Expr]:
    """The directions of one side in the axes of its part, as formulas."""
    if f.dimension == 3:
        return [component for direction in find_directions(f.mechanism, joint, i) for component in direction]
    angle = joint.angles[i]
    return [cos(angle), sin(angle), angle]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """A joint and what its kernel works on. Two of the same make have the same kernel.

    left   the numbers of the equations that are asked for, if the points are apart
    """

    kind: JointKind
    joint: Joint
    points: tuple[str, ...]
    local: Local
    tracked: bool
    left: tuple[int, ...] = ()

    @property
    def _make(self) -> tuple[object, ...]:
        local, joint = self.local, self.joint
        known = {name: i for i, name in enumerate((*local.corners, *local.poses))}
        points = tuple(local.points[p] for p in self.points)
        sides = tuple(known.get(part, -1) for part in joint.parts)
        return self.kind, local.shape, points, sides, self.tracked, self.left

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Made) and self._make == other._make

    def __hash__(self) -> int:
        return hash(self._make)

    def frame(self, i: int) -> MovingFrame:
        """One side as vectors of the world."""
        local, part, tag = self.local, self.joint.parts[i], i + 1
        o = local.place(self.points[i])
        axes = local.frame(part) if part in local.corners or part in local.poses else None
        if local.dimension == 2:
            cosine, sine, own = (symbol(f"{name}{tag}") for name in ("cosine", "sine", "angle"))
            x = Vector((cosine, sine)) if axes is None else cosine * axes[0] + sine * axes[1]
            angle = local.angle(part) + own if self.tracked and part != WORLD else own
            return MovingFrame(o=o, x=x, y=Vector((-x[1], x[0])), angle=angle)
        z, x, y = (Vector(symbol(f"{name}{tag}{axis}") for axis in "xyz") for name in "zxy")
        if axes is not None:
            z, x, y = (combine(direction, axes) for direction in (z, x, y))
        return MovingFrame(o=o, x=x, y=y, z=z)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: the directions of each side, what the kinematics need, own parameters."""
        found: list[str] = []
        for tag in (1, 2):
            plane = self.local.dimension == 2
            found += [f"{name}{tag}" for name in ("cosine", "sine", "angle")] if plane else _nine(tag)
        return (*found, *self.local.columns, *(f"own_{name}" for name in self.kind.parameters))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What joints of one kind between parts of the same make share: their kernels, and how to guess a tracked turn.

    keeps   what each equation is about: a place, an axis, any direction
    """

    kernel: Kernel
    keeps: tuple[str, ...]
    sides: Kernel
    ways: tuple[str, ...]
    hint: Program | None


@lru_cache(maxsize=256)
def _shape(made: _Made) -> _Shape:
    """The kernels of a joint."""
    kind, local = made.kind, made.local
    i, j = made.frame(0), made.frame(1)
    c = kind.conditions(i, j, {name: symbol(f"own_{name}") for name in kind.parameters})
    angle: dict[Expr, Expr] = {}
    if local.dimension == 3 and made.tracked:
        angle = {TURN: local.angle(made.joint.name)}
    asked = c.zero if len(c.zero) < len(kind.keeps) else [c.zero[i] for i in made.left]
    equations = [substitute(x, angle) if angle else x for x in asked]
    ways = {name: substitute(x, angle) if angle else x for name, x in c.positive.items()}
    hint = None
    if angle and made.joint.name not in local.hinges:
        theta = angle[TURN]
        equations.append(sin(theta) * dot(i.x, j.x) - cos(theta) * dot(i.y, j.x))
        ways["turn"] = cos(theta) * dot(i.x, j.x) + sin(theta) * dot(i.y, j.x)
    if angle and not local.poses:
        still = kernel_of("turn", Local(3, tuple(local.points)).coordinates, made.columns, Contribution())
        hint = value_program(still, atan2(dot(i.y, j.x), dot(i.x, j.x)))
    # of a shared point there are no equations of places
    keeps = kind.keeps[len(kind.keeps) - len(c.zero) :] if asked is c.zero else tuple(kind.keeps[i] for i in made.left)
    return _Shape(
        keeps=keeps,
        kernel=local_kernel(kind.name, local, made.columns, Contribution(constraints=equations)),
        sides=local_kernel("side", local, made.columns, Contribution(constraints=list(ways.values()))),
        ways=tuple(ways),
        hint=hint,
    )


def _nine(tag: int) -> list[str]:
    return [f"{name}{tag}{axis}" for name in "zxy" for axis in "xyz"]


def derive_turn(mechanism: Mechanism, joint: Joint, place: Callable[[str], Sequence[Expr]]) -> Expr:
    """The angle of a joint of space over the places of points, from x₁ to x₂ about the axis; if it is not tracked."""
    f = Collector(mechanism, [])
    kind = find_kind(3, joint.kind)
    assert kind is not None
    points = joint.points
    made = _Made(kind=kind, joint=joint, points=points, local=_see(f, joint, kind, (), points), tracked=False)
    i, j = made.frame(0), made.frame(1)
    numbers = [*(x for side in (0, 1) for x in _side_values(f, joint, side)), *f.values(made.local)]
    values = (Number(mechanism.compute(x)) for x in numbers)
    meaning: dict[Expr, Expr] = {symbol(n): x for n, x in zip(made.columns, values, strict=False)}
    for point in made.local.points:
        meaning |= dict(zip(made.local.place(point), place(point), strict=True))
    return substitute(atan2(dot(i.y, j.x), dot(i.x, j.x)), meaning)


# -- directions in space -----------------------------------------------------------------------------------------------


def find_directions(m: Mechanism, joint: Joint, i: int) -> tuple[Vector, Vector, Vector]:
    """z, x and y of a side; that axes have a length and references are across them was checked."""
    return derive_directions(joint.axes[i], joint.references[i], partial(_unit, m))


def _unit(m: Mechanism, v: Sequence[Expr]) -> Vector:
    """v/|v|; a length that no parameter changes is the number it is, if that is a short one."""
    square = dot(v, v)
    length = sqrt(square)
    if free_symbols(square) and all(differentiate(square, s) == Number(0) for s in free_symbols(square)):
        size = f"{evaluate(length, m.values):.14g}"
        length = Number(Fraction(size)) if len(size) <= SHORT else length
    return Vector(c / length for c in v)
