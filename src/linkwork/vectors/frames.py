"""Frames: a tree of triads of unit vectors, each turned against its parent.

    N = Frame("N")
    B = N.turned("B", q, about=N.z)
    C = B.turned("C", p, about="x")          C.x is B.x

A frame knows its axes as vectors over those of its parent (the rows of its cosine matrix), and an axis parallel to one
of its parent's is that one. Trees only grow: what is remembered stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

from linkwork.errors import did_you_mean
from linkwork.symbolic import ONE, ZERO, Expr, Function, Number, Symbol, add, cos, sin, sqrt, symbol, total_rate
from linkwork.symbolic.algebra import split_coefficient
from linkwork.vectors.points import Point
from linkwork.vectors.points import point as make_point
from linkwork.vectors.products import CYCLES, cosine, cross, express
from linkwork.vectors.quantity import (
    UnitVector,
    Vector,
    VectorError,
    as_frame,
    as_scalar,
    as_vector,
    is_constant,
    kind_of,
    name_of,
)

AXES: Final = {"x": 0, "y": 1, "z": 2, "1": 0, "2": 1, "3": 2, 1: 0, 2: 1, 3: 2}


ROUNDING = 1e-14  # of a direction: components that are none
FROZEN = frozenset(("name", "parent", "ground", "level", "rows", "shift", "axes"))  # of a frame


class Frame:
    """A triad of unit vectors x, y, z with an origin; B[1] is B.x.

    parent   the frame it is turned against, None for the ground
    level    how far below the ground
    rows     its axes as vectors over those of its parent
    spin     its angular velocity seen from its parent
    shift    from the parent's origin to its own
    drift    the velocity of its origin where it does not follow from the shift
    axes     its unit vectors, some of them its parent's; axis_set: in no order, for who asks what is among them

    What is remembered of a tree stays true, since frames are added to it and none is moved: `FROZEN` is set once.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if name in FROZEN and name in self.__dict__:
            raise VectorError(f"the {name} of frame '{self.name}' cannot be changed", "Add another frame")
        super().__setattr__(name, value)

    def __init__(
        self,
        name: Any,
        parent: Frame | None = None,
        rows: Sequence[Vector] | None = None,
        spin: Vector | None = None,
        shift: Any = 0,
        drift: Callable[[], Vector] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise VectorError(f"{name_of(name)} is no name of a frame", "Give a text")
        if parent is not None:
            as_frame(parent, f"the parent of '{name}'")
        self.name, self.parent = name, parent
        self.ground: Frame = parent.ground if parent is not None else self
        self.level: int = parent.level + 1 if parent is not None else 0
        if parent is None:
            self._memory = Memory()
        if name in self.memory.frames:
            raise VectorError(f"there is a frame '{name}' already in this tree", "Give it another name")
        self.serial = len(self.memory.frames)
        self.memory.frames[name] = self
        self.spin: Vector = spin if spin is not None else Vector({})
        self.shift, self.drift = as_vector(shift, "the shift of a frame"), drift
        if parent is None:
            self.axes: tuple[UnitVector, ...] = tuple(UnitVector(self, i) for i in range(3))
            self.rows: tuple[Vector, ...] = self.axes
        else:
            self.rows = tuple(rows if rows is not None else parent.axes)
            # an axis parallel to one of the parent's is that one
            self.axes = tuple(_shared(row) or UnitVector(self, i) for i, row in enumerate(self.rows))
            self._note_cosines(parent)
        self.axis_set = frozenset(self.axes)
        self.origin = Point(f"{name}0", self, Vector({}))

    def _note_cosines(self, parent: Frame) -> None:
        """Its products with the axes of its parent, where its rows tell them as they are."""
        for axis, row in zip(self.axes, self.rows, strict=True):
            if axis.frame is self and parent.axis_set.issuperset(row.terms):
                for other in parent.axes:
                    c = row.terms.get(other, ZERO)
                    if type(split_coefficient(c)[1]) in (Function, Number):
                        axis.cosines[other] = other.cosines[axis] = c

    # -- axes ----------------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> Memory:
        """What the whole tree knows."""
        return self.ground._memory

    @property
    def x(self) -> UnitVector:
        """The first axis."""
        return self.axes[0]

    @property
    def y(self) -> UnitVector:
        """The second axis."""
        return self.axes[1]

    @property
    def z(self) -> UnitVector:
        """The third axis."""
        return self.axes[2]

    def __getitem__(self, number: int) -> UnitVector:
        if number not in (1, 2, 3):
            raise VectorError(f"frame '{self.name}' has no axis {number!r}", "Axes are numbered 1, 2, 3")
        return self.axes[number - 1]

    def __repr__(self) -> str:
        return f"Frame('{self.name}')"

    @property
    def path(self) -> list[Frame]:
        """The frame, its parent, and so on to the ground."""
        found: list[Frame] = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found

    # -- growing -------------------------------------------------------------------------------------------------------

    def turned(self, name: str, angle: Any, about: Any, reference: Any = None, shift: Any = 0) -> Frame:
        """A new frame, turned by an angle about an axis of this one (x, y, z, 1, 2, 3) or a direction fixed in it.

        Where the direction is no axis, the new frame's third axis is along it, its first near the reference. The shift
        is the vector from this origin to the new one.
        """
        angle = as_scalar(angle, "the angle of a turn")
        rows, k = self.triad(about, reference)
        i, j, k = CYCLES[k]
        spin = self.memory.rate(angle) * rows[k]
        return Frame(name, self, turn(rows, angle, i, j), spin, shift)

    def turned_by(self, name: str, angles: Any, sequence: str | Sequence[Any], shift: Any = 0) -> Frame:
        """A new frame by successive turns about its own axes: B.turned_by("C", [q1, q2, q3], "zxz")."""
        if not isinstance(angles, Sequence) or isinstance(angles, str):
            raise VectorError(f"{name_of(angles)}, a {kind_of(angles)}, is no list of angles", "Give one for each axis")
        scalars, axes = [as_scalar(a, "the angle of a turn") for a in angles], axes_of(sequence)
        new = Frame(name, self, self.turns(scalars, axes), None, shift)
        directions = new.directions(scalars, axes)
        rates = [self.memory.rate(a) for a in scalars]
        new.spin = sum((w * d for w, d in zip(rates, directions, strict=True)), Vector({}))
        return new

    def turns(self, angles: Sequence[Expr], axes: Sequence[int]) -> tuple[Vector, ...]:
        """The rows after successive turns, over the axes of this frame."""
        if len(angles) != len(axes):
            raise VectorError(f"{len(angles)} angles for {len(axes)} turns", "Give as many angles as axes")
        rows: tuple[Vector, ...] = self.axes
        for angle, axis in zip(angles, axes, strict=True):
            i, j, _ = CYCLES[axis]
            rows = turn(rows, angle, i, j)
        return rows

    def directions(self, angles: Sequence[Expr], axes: Sequence[int]) -> list[Vector]:
        """The directions of the turns that made it: the first an axis of its parent, others over its own axes."""
        assert self.parent is not None
        found: list[Vector] = []
        for n, axis in enumerate(axes):
            # an axis of the frame after turn n, over the axes after each further turn
            along = {axis: ONE}
            for angle, later in zip(angles[n + 1 :], axes[n + 1 :], strict=True):
                along = _turned_back(along, angle, *CYCLES[later])
            found.append(Vector({self.axes[i]: c for i, c in along.items()}))
        return [self.parent.axes[axes[0]], *found[1:]] if axes else []

    def point(self, name: str, place: Any) -> Point:
        """A point of this frame, by its three coordinates or by a vector from the origin."""
        return make_point(name, self, place)

    def triad(self, about: Any, reference: Any) -> tuple[tuple[Vector, ...], int]:
        """The axes before the turn, and the number of the one it is about."""
        if isinstance(about, UnitVector) and about in self.axes and reference is None:
            return self.axes, self.axes.index(about)
        if not isinstance(about, Vector):
            return self.axes, axis_number(about)
        along = self.direction(about, "the direction of a turn")
        if reference is None and (axis := _shared(along)) in self.axes:
            return self.axes, self.axes.index(axis)
        near: Vector = self.x if along == self.z or along == -self.z else self.z
        if reference is not None:
            near = as_vector(reference, "the reference")
        side = self.direction(cross(along, near), "the reference, which must not be parallel to it")
        return (cross(side, along), side, along), 2

    def direction(self, v: Vector, what: str) -> Vector:
        """A vector fixed in this frame, over its axes, with length one and without what is rounding."""
        v = express(v, self)
        if not is_constant(v):
            raise VectorError(f"{what} moves in '{self.name}': it is {name_of(v)}", f"Give one fixed in '{self.name}'")
        sizes = [abs(float(c.value)) for c in v.terms.values() if isinstance(c, Number)]
        if len(sizes) == len(v.terms):
            pairs = zip(sizes, v.terms.items(), strict=True)
            v = Vector({axis: c for size, (axis, c) in pairs if size > ROUNDING * max(sizes)})
        length = sqrt(add(*(c**2 for c in v.terms.values())))
        if length is ZERO:
            raise VectorError(f"{what} has no length", "Give another")
        return v / length if length is not ONE else v

    # -- how it stands to others ---------------------------------------------------------------------------------------

    def check_tree(self, other: Frame) -> None:
        """Refuse a frame of another tree."""
        if other.ground is not self.ground:
            raise VectorError(
                f"frames '{self.name}' and '{other.name}' belong to two trees",
                "Make both from one ground",
            )

    def common(self, other: Frame) -> Frame:
        """The nearest frame that both stand on."""
        self.check_tree(other)
        mine = {id(frame) for frame in self.path}
        return next(frame for frame in other.path if id(frame) in mine)


class Memory:
    """What a tree of frames remembers: frames by name, and how its scalars change in time.

    rates   of coordinates whose rate is not the symbol of the same name with a prime
    """

    def __init__(self) -> None:
        self.frames: dict[str, Frame] = {}
        self.rates: dict[Symbol, Expr | Callable[[], Expr]] = {}
        self.velocities: dict[str, Vector] = {}

    def rate(self, x: Expr) -> Expr:
        """The time derivative of a scalar."""
        return self.rate_of(x) if type(x) is Symbol else total_rate(x, self.rate_of)

    def rate_of(self, s: Symbol) -> Expr:
        """The time derivative of a symbol: x has x', which has x''; parameters stay."""
        if s in self.rates:
            known = self.rates[s]
            return known if isinstance(known, Expr) else known()
        if s.kind == "time":
            return ONE
        following = {"coordinate": "speed", "speed": "acceleration"}.get(s.kind)
        if following is not None:
            return symbol(f"{s.name}'", kind=following)
        if s.kind in ("parameter", "input"):
            return ZERO
        raise VectorError(f"the rate of {s.name}, a {s.kind}, is not known", "Say what it depends on instead")

    def find(self, name: str) -> Frame:
        """The frame of a name."""
        if name not in self.frames:
            raise VectorError(f"there is no frame '{name}'. {did_you_mean(name, self.frames)}".rstrip())
        return self.frames[name]


def _shared(row: Vector) -> UnitVector | None:
    """The unit vector that a row is, if it is one."""
    if len(row.terms) != 1:
        return None
    ((axis, c),) = row.terms.items()
    return axis if c is ONE else None


def turn(rows: Sequence[Vector], angle: Expr, i: int, j: int) -> tuple[Vector, ...]:
    """A triad after a turn by which i goes to j."""
    new = list(rows)
    c, s = cos(angle), sin(angle)
    new[i], new[j] = c * rows[i] + s * rows[j], c * rows[j] - s * rows[i]
    return tuple(new)


def _turned_back(along: dict[int, Expr], angle: Expr, i: int, j: int, k: int) -> dict[int, Expr]:
    """A vector over the axes before a turn, written over those after it."""
    c, s = cos(angle), sin(angle)
    x, y, z = (along.get(axis, ZERO) for axis in (i, j, k))
    return {i: c * x + s * y, j: c * y - s * x, k: z}


def axis_number(axis: Any) -> int:
    """The number of an axis given as x, y, z or 1, 2, 3; counted from zero."""
    try:
        return AXES[None if isinstance(axis, bool) else axis]
    except (KeyError, TypeError):
        raise VectorError(
            f"{name_of(axis)}, a {kind_of(axis)}, is no axis", "Use x, y, z, 1, 2, 3 or a vector"
        ) from None


def axes_of(sequence: str | Sequence[Any]) -> list[int]:
    """The numbers of successive axes: "zxz", "313" or [3, 1, 3]; no axis twice in a row."""
    if not isinstance(sequence, Sequence):
        raise VectorError(f"{name_of(sequence)}, a {kind_of(sequence)}, is no sequence of axes", 'Use "x" or "zxz"')
    numbers = [axis_number(axis) for axis in sequence]
    if any(a == b for a, b in pairwise(numbers)):
        raise VectorError(f"{name_of(sequence)} turns twice about one axis", "Add the two angles instead")
    return numbers


def matrix(a: Frame, b: Frame) -> tuple[tuple[Expr, ...], ...]:
    """The cosine matrix: entry i, j is a_i · b_j, so that its rows are the axes of a over those of b."""
    first, second = (as_frame(x, "each argument of matrix") for x in (a, b))
    return tuple(tuple(cosine(one, two) for two in second.axes) for one in first.axes)
