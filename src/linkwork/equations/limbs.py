"""Poses along a tree: how a part moves that hangs on another one, over joint coordinates. Knows no masses.

A part is placed by its joint: o is the place of the joint on the part, R its axes, ω its angular velocity,

    o = o_p + r          r = R_p d + Σ f        f = s R_p a        e = R_p a
    ȯ = ȯ_p + ω_p × r + Σ ṡ e
    ö = ö_p + α_p × r + ω_p × (ω_p × r) + Σ (s̈ e + 2 ṡ ω_p × e)

with the parent p, the place d of the joint and the directions a of its travels s in the axes of the parent. The speeds
of turning are those that keep equations short: in the plane the rate of the turn that is seen from the ground; for a
ball the angular velocity, seen from the ground, in the axes of the part; for a hinge the rate of its angle:

    plane  ω = θ'           ball  ω = R u           hinge  ω = ω_p + R a θ'           none  ω = ω_p,  R = R_p Q

R and, where the parent moves, f follow the speeds, so that every place is linear in what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from linkwork.equations.kinematics import Pose
from linkwork.symbolic import ONE, ZERO, Expr, symbol
from linkwork.symbolic.vector import Vector, combine, cross, dot

AXES = "xyz"
Keep = Callable[[Vector], Iterable[Expr]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """What matters of how a part hangs but numbers: whether on the ground, how many travels, which turn.

    turn    "turn" of the plane, "hinge" or "ball" of space, or "none"
    floats  it stands on the ground with all its freedoms
    """

    grounded: bool
    turn: str
    travels: int = 0
    floats: bool = False

    @property
    def rigid(self) -> bool:
        """Whether nothing moves."""
        return self.turn == "none" and self.travels == 0


TURNS = {"turn": ("turn",), "hinge": ("angle",), "ball": ("wx", "wy", "wz"), "none": ()}


class Limb(Pose):
    """A part that hangs on another one, number `i` of a kernel, as expressions.

    `keep` may give names to components that parts further out share.
    """

    def __init__(self, i: int, make: Make, parent: Limb | None, dimension: int, keep: Keep = tuple) -> None:
        self.i, self.make, self.parent, self.dimension = i, make, parent, dimension
        self._keep = keep
        self.names = AXES[:dimension]
        self.going = tuple(f"go{k}_{i}" for k in range(make.travels))
        self.turning = tuple(f"{name}_{i}" for name in TURNS[make.turn])
        self.coordinates = (*self.going, *self.turning)
        entries = ("c", "s") if dimension == 2 else [f"r{row}{column}" for row in range(3) for column in range(3)]
        self.rotation = tuple(f"{entry}_{i}" for entry in entries) if make.turn != "none" else ()
        carried = range(0 if make.grounded else make.travels)
        self.carried = tuple(tuple(f"f{k}{axis}_{i}" for axis in self.names) for k in carried)
        self.followers = (*self.rotation, *(name for each in self.carried for name in each))

    def keep(self, v: Vector) -> Vector:
        """A vector, by names if it is shared."""
        return Vector(self._keep(v))

    @property
    def leans(self) -> bool:
        """Whether it turns with its parent: its speeds of turning are counted from there, or it has none."""
        return self.make.turn in ("hinge", "none")

    @property
    def shape(self) -> object:
        """How it hangs, and on which."""
        return self.make, -1 if self.parent is None else self.parent.i

    # -- columns ---------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers it needs: the place of the joint, its travels, its axis or how it stands at rest."""
        found = [] if self.make.floats else [f"d{axis}_{self.i}" for axis in self.names]
        if not self.make.floats:
            found += [f"a{k}{axis}_{self.i}" for k in range(self.make.travels) for axis in self.names]
        if self.make.turn == "hinge":
            found += [f"n{axis}_{self.i}" for axis in self.names]
        if self.make.turn == "none":
            found += [f"q{row}{column}_{self.i}" for row in self.names for column in self.names]
            found += [f"rest_{self.i}"] if self.dimension == 2 else []
        return tuple(found)

    def _column(self, name: str) -> Vector:
        return Vector(symbol(f"{name}{axis}_{self.i}") for axis in self.names)

    @property
    def _rest(self) -> list[Vector]:
        """The axes of a part that does not turn, in those of its parent."""
        return [Vector(symbol(f"q{row}{column}_{self.i}") for row in self.names) for column in self.names]

    # -- places ----------------------------------------------------------------------------------------------------

    def _own(self, names: Sequence[str], order: int = 0) -> Vector:
        kind = ("coordinate", "speed", "acceleration")[order]
        return Vector(symbol(name + "'" * order, kind=kind) for name in names)

    def _of_parent(self, v: Sequence[Expr]) -> Vector:
        """A direction in the axes of the parent, in the world."""
        return Vector(v) if self.parent is None else combine(v, self.parent.axes)

    @cached_property
    def axes(self) -> tuple[Vector, ...]:
        if not self.rotation:
            return tuple(self.keep(self._of_parent(e)) for e in self._rest)
        entries = self._own(self.rotation)
        if self.dimension == 2:
            c, s = entries
            return Vector((c, s)), Vector((-s, c))
        return tuple(Vector(entries[j::3]) for j in range(3))

    @cached_property
    def lines(self) -> list[Vector]:
        """The directions e of its travels in the world."""
        if self.make.floats:
            return [Vector(ONE if i == j else ZERO for j in range(self.dimension)) for i in range(self.dimension)]
        return [self.keep(self._of_parent(self._column(f"a{k}"))) for k in range(self.make.travels)]

    @cached_property
    def arm(self) -> Vector:
        """r, from what the parent's pose places to what its own places."""
        if self.make.floats:
            return self._own(self.going)
        found = self._of_parent(self._column("d"))
        for k, s in enumerate(self._own(self.going)):
            found = found + (s * self.lines[k] if self.make.grounded else self._own(self.carried[k]))
        return self.keep(found)

    @cached_property
    def centre(self) -> Vector:
        return self.arm if self.parent is None else self.parent.centre + self.arm

    @property
    def turn(self) -> Expr:
        """How far a part of the plane has turned, or a hinge."""
        if self.turning:
            return self._own(self.turning)[0]
        rest = symbol(f"rest_{self.i}")
        return rest if self.parent is None else self.parent.turn + rest

    @property
    def turn_rate(self) -> Expr:
        """Its rate."""
        return self._own(self.turning, 1)[0] if self.turning else self.spin[0]

    # -- velocities ------------------------------------------------------------------------------------------------

    @property
    def _still(self) -> Vector:
        return Vector([ZERO] * (1 if self.dimension == 2 else 3))

    def _spin(self, order: int) -> Vector:
        """Speeds or accelerations of its own turning."""
        own = self._own(self.turning, order)
        return own if self.dimension == 2 else combine(own, self.axes)

    @cached_property
    def hinge(self) -> Vector:
        """The axis of a hinge, in the world."""
        return self.keep(combine(self._column("n"), self.axes))

    @cached_property
    def spin(self) -> Vector:
        around = self._still if self.parent is None else self.parent.spin
        match self.make.turn:
            case "none":
                return around
            case "hinge":
                return self.keep(around + self._own(self.turning, 1)[0] * self.hinge)
        return self.keep(self._spin(1))

    @cached_property
    def own_spin(self) -> Vector:
        """ω in the axes of the part."""
        return self._own(self.turning, 1) if self.make.turn == "ball" else self.keep(self.seen(self.spin))

    def seen(self, v: Sequence[Expr]) -> Vector:
        """A vector of the world in the axes of the part."""
        return Vector(dot(axis, v) for axis in self.axes)

    @property
    def axes_rates(self) -> tuple[Vector, ...]:
        if self.make.turn == "ball":
            # Ṙ = R u^: each row r of R moves at the rate r × u
            rows = zip(*self.axes, strict=True)
            return tuple(map(Vector, zip(*(cross(row, self.own_spin) for row in rows), strict=True)))
        return tuple(turned(self.spin, axis) for axis in self.axes)

    @cached_property
    def drift(self) -> Vector:
        """The velocity of what its pose places."""
        sliding = Vector([ZERO] * self.dimension)
        for speed, line in zip(self._own(self.going, 1), self.lines, strict=True):
            sliding = sliding + speed * line
        if self.parent is None:
            return sliding
        return self.keep(self.parent.drift + turned(self.parent.spin, self.arm) + sliding)

    def velocity(self, z: Sequence[Expr]) -> Vector:
        return self.drift + turned(self.spin, combine(z, self.axes))

    @property
    def rates(self) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        if self.rotation:
            columns = self.axes_rates
            entries = columns[0] if self.dimension == 2 else [column[i] for i in range(3) for column in columns]
            found |= dict(zip(self.rotation, entries, strict=True))
        for k, names in enumerate(self.carried):
            assert self.parent is not None
            rate = self._own(self.going, 1)[k] * self.lines[k] + turned(self.parent.spin, self._own(names))
            found |= dict(zip(names, rate, strict=True))
        return found

    # -- accelerations ---------------------------------------------------------------------------------------------

    @cached_property
    def alpha(self) -> Vector:
        """The angular acceleration, in the world."""
        around = self._still if self.parent is None else self.parent.alpha
        match self.make.turn:
            case "none":
                return around
            case "hinge":
                swept = Vector([ZERO] * 3)
                if self.parent is not None:
                    swept = cross(self.parent.spin, self._own(self.turning, 1)[0] * self.hinge)
                return self.keep(around + self._own(self.turning, 2)[0] * self.hinge + swept)
        return self.keep(self._spin(2))

    @cached_property
    def own_alpha(self) -> Vector:
        """α in the axes of the part."""
        return self._own(self.turning, 2) if self.make.turn == "ball" else self.keep(self.seen(self.alpha))

    @cached_property
    def _field(self) -> tuple[Vector, ...]:
        """B of the acceleration B r = α × r + ω × (ω × r) of what is r away, by rows."""
        if self.dimension == 2:
            square, alpha = self.spin[0] ** 2, self.alpha[0]
            return self.keep(Vector((-square, -alpha))), self.keep(Vector((alpha, -square)))
        w, (x, y, z) = self.spin, self.alpha
        xx, yy, zz, xy, xz, yz = (w[i] * w[j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        return (
            self.keep(Vector((-yy - zz, xy - z, xz + y))),
            self.keep(Vector((xy + z, -xx - zz, yz - x))),
            self.keep(Vector((xz - y, yz + x, -xx - yy))),
        )

    def accelerated(self, r: Sequence[Expr]) -> Vector:
        """The acceleration of what is r away, in the world, against what its pose places."""
        return Vector(dot(row, r) for row in self._field)

    @cached_property
    def acceleration(self) -> Vector:
        """The acceleration of what its pose places."""
        found = Vector([ZERO] * self.dimension)
        for k, line in enumerate(self.lines):
            found = found + self._own(self.going, 2)[k] * line
            if self.parent is not None:
                found = found + turned(2 * self._own(self.going, 1)[k] * self.parent.spin, line)
        if self.parent is None:
            return found
        return self.keep(self.parent.acceleration + self.parent.accelerated(self.arm) + found)


def turned(w: Vector, v: Sequence[Expr]) -> Vector:
    """ω × v; in the plane ω has one component."""
    return cross(w, v) if len(w) == 3 else Vector((-w[0] * v[1], w[0] * v[0]))


def make_limbs(makes: Sequence[Make], parents: Sequence[int], dimension: int, keep: Keep = tuple) -> list[Limb]:
    """The parts of a tree, given by the numbers of their parents, −1 for the ground, each behind its own."""
    found: list[Limb] = []
    for i, (make, parent) in enumerate(zip(makes, parents, strict=True)):
        found.append(Limb(i, make, found[parent] if parent >= 0 else None, dimension, keep))
    return found
