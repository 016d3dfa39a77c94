"""The kinematics that laws and joints see: names of points and parts in, places, velocities, axes, angles out.

A point has coordinates of its own, or a part carries it by its pose: with the mass centre p and the rotation matrix R

    o = p + R z       ȯ = ṗ + R (ω × z)      Ṙ = R ω^

where z is its place in the axes of the part, a column of the kernel. In the plane R = [c −s; s c] with ċ = −s ω and
ṡ = c ω. The entries of R are followers: they have rates but no equations of their own. The axes of a part that is not
carried so follow from the places of its first points. Formalisms mix; whoever writes a law knows none of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from linkwork.equations.kernels.spatial import Axes, angular_velocity, axes_of, axes_rates
from linkwork.model.laws import AXES, OF_BODIES, PLACES, SPEEDS, SPINS, quantity
from linkwork.symbolic import Expr, sqrt, symbol
from linkwork.symbolic.vector import Vector, combine, cross, difference, dot

TRIANGLE = ("r11", "r12", "r22")  # columns of R, which places the first points of a body of space


class Kinematics(Protocol):
    """What a law or a joint may ask of the points and parts it works on."""

    dimension: int

    def place(self, point: str) -> Vector:
        """Where a point is."""

    def velocity(self, point: str) -> Vector:
        """How fast it moves."""

    def frame(self, part: str) -> tuple[Vector, ...]:
        """The axes of a part in the world."""

    def frame_rates(self, part: str) -> tuple[Vector, ...]:
        """Their velocities."""

    def spin(self, part: str) -> Vector:
        """The angular velocity of a part of space, in the world."""

    def angle(self, name: str) -> Expr:
        """A turn angle, of a part of the plane or of a joint of space; or a place along a line."""

    def omega(self, name: str) -> Expr:
        """Its rate; of the integral of a state, the state."""


# -- poses -------------------------------------------------------------------------------------------------------------


class Pose(ABC):
    """A part carried by its mass centre p and its rotation R, number `i` of a kernel, as expressions.

    coordinates  names of its coordinates
    followers    names of the entries of R
    """

    coordinates: tuple[str, ...]
    followers: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers it needs."""
        return ()

    @property
    def shape(self) -> object:
        """All that matters but its number: of what is alike, equal laws make equal kernels."""
        return None

    @property
    @abstractmethod
    def centre(self) -> Vector:
        """p."""

    @property
    @abstractmethod
    def axes(self) -> tuple[Vector, ...]:
        """The columns of R."""

    @property
    @abstractmethod
    def axes_rates(self) -> tuple[Vector, ...]:
        """The columns of Ṙ."""

    @property
    @abstractmethod
    def rates(self) -> dict[str, Expr]:
        """The rates of the followers."""

    @property
    @abstractmethod
    def spin(self) -> Vector:
        """The angular velocity, in the world; in the plane one component."""

    @property
    @abstractmethod
    def turn(self) -> Expr:
        """How far a part of the plane has turned, or a hinge."""

    @property
    def turn_rate(self) -> Expr:
        """Its rate."""
        return self.spin[0]

    def place(self, z: Sequence[Expr]) -> Vector:
        """Where a point is that has the place z in the part."""
        return self.centre + combine(z, self.axes)

    @abstractmethod
    def velocity(self, z: Sequence[Expr]) -> Vector:
        """Its velocity."""

    def _speeds(self, first: int, last: int) -> Vector:
        return Vector(symbol(f"{name}'", kind="speed") for name in self.coordinates[first:last])

    def _places(self, first: int, last: int) -> Vector:
        return Vector(symbol(name, kind="coordinate") for name in self.coordinates[first:last])

    @property
    def entries(self) -> list[Expr]:
        """The followers as symbols."""
        return [symbol(name, kind="coordinate") for name in self.followers]


class PlanePose(Pose):
    """A part of the plane: x, y, the turn and its cosine and sine."""

    def __init__(self, i: int | str) -> None:
        self.coordinates = (f"x{i}", f"y{i}", f"turn{i}")
        self.followers = (f"c{i}", f"s{i}")

    @property
    def centre(self) -> Vector:
        return self._places(0, 2)

    @property
    def turn(self) -> Expr:
        """How far it has turned."""
        return self._places(2, 3)[0]

    @property
    def spin(self) -> Vector:
        return self._speeds(2, 3)

    @property
    def axes(self) -> tuple[Vector, ...]:
        c, s = self.entries
        return Vector((c, s)), Vector((-s, c))

    @property
    def axes_rates(self) -> tuple[Vector, ...]:
        (w,), (x, y) = self.spin, self.axes
        return w * y, -w * x

    @property
    def rates(self) -> dict[str, Expr]:
        return dict(zip(self.followers, self.axes_rates[0], strict=True))

    def velocity(self, z: Sequence[Expr]) -> Vector:
        x, y = combine(z, self.axes)
        (w,) = self.spin
        return self._speeds(0, 2) + w * Vector((-y, x))


class SpacePose(Pose):
    """A part of space: x, y, z, three quasi-coordinates whose speeds are ω in its own axes, and R by rows."""

    def __init__(self, i: int | str) -> None:
        self.coordinates = tuple(f"{name}{i}" for name in ("x", "y", "z", "wx", "wy", "wz"))
        self.followers = tuple(f"r{row}{column}_{i}" for row in range(3) for column in range(3))

    @property
    def centre(self) -> Vector:
        return self._places(0, 3)

    @property
    def turn(self) -> Expr:
        raise AssertionError("a part of space has no turn")

    @property
    def own_spin(self) -> Vector:
        """ω in the axes of the part."""
        return self._speeds(3, 6)

    @property
    def spin(self) -> Vector:
        return combine(self.own_spin, self.axes)

    @property
    def _rows(self) -> list[Vector]:
        return [Vector(self.entries[3 * i : 3 * i + 3]) for i in range(3)]

    @property
    def axes(self) -> tuple[Vector, ...]:
        return tuple(map(Vector, zip(*self._rows, strict=True)))

    @property
    def axes_rates(self) -> tuple[Vector, ...]:
        # Ṙ = R ω^: each row r of R moves at the rate r × ω
        return tuple(map(Vector, zip(*(cross(row, self.own_spin) for row in self._rows), strict=True)))

    @property
    def rates(self) -> dict[str, Expr]:
        by_rows = [rate for row in self._rows for rate in cross(row, self.own_spin)]
        return dict(zip(self.followers, by_rows, strict=True))

    def velocity(self, z: Sequence[Expr]) -> Vector:
        return self._speeds(0, 3) + combine(cross(self.own_spin, z), self.axes)


POSES: dict[int, type[PlanePose] | type[SpacePose]] = {2: PlanePose, 3: SpacePose}


# -- the view of one kernel --------------------------------------------------------------------------------------------


class Local:
    """The points, parts and angles a law kernel sees, by name, as expressions of its local coordinates.

    angles   scalars that are coordinates of their own, or inputs
    corners  parts that are known by their first points: two in the plane, whose distance is a column of the kernel,
             three in space, with the columns TRIANGLE
    poses    parts that are carried by their poses, each with how it moves if it hangs on another one
    homes    the points that these carry, each with its part
    hinges   the angles that are coordinates of such parts, each with its part
    """

    def __init__(
        self,
        dimension: int,
        points: Sequence[str],
        angles: Sequence[str] = (),
        states: Sequence[str] = (),
        corners: Mapping[str, Sequence[str]] | None = None,
        poses: Mapping[str, Pose] | None = None,
        homes: Mapping[str, str] | None = None,
        hinges: Mapping[str, str] | None = None,
    ) -> None:
        self.dimension = dimension
        self.axes, self.states = PLACES[:dimension], tuple(states)
        self.points = {name: i for i, name in enumerate(points)}
        self.angles = {name: i for i, name in enumerate(angles)}
        self.corners = dict(corners or {})
        self.parts = {name: i for i, name in enumerate(self.corners)}
        self.poses = dict(poses or {})
        self.hinges = dict(hinges or {})
        self.homes = {name: part for name, part in (homes or {}).items() if name in self.points}
        self._known: dict[tuple[str, str], tuple[Vector, ...]] = {}

    @property
    def shape(self) -> tuple[object, ...]:
        """All that matters but the names: where it is equal, equal laws make equal kernels."""
        poses = {name: i for i, name in enumerate(self.poses)}
        corners = tuple(tuple(self.points[p] for p in first) for first in self.corners.values())
        homes = tuple((self.points[p], poses[part]) for p, part in self.homes.items())
        hinges = tuple(poses[part] for part in self.hinges.values())
        makes = tuple(pose.shape for pose in self.poses.values())
        return self.dimension, len(self.points), len(self.angles), corners, makes, homes, hinges

    # -- what the kernel is made of --------------------------------------------------------------------------------

    @property
    def own(self) -> list[str]:
        """The points with coordinates of their own."""
        return [name for name in self.points if name not in self.homes]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the local coordinates: of points, then the angles and the integrals of states, then of poses."""
        of_points = [f"p{self.points[name]}{axis}" for name in self.own for axis in self.axes]
        of_poses = [name for pose in self.poses.values() for name in pose.coordinates]
        return (*of_points, *(f"a{i}" for i in self.angles.values()), *of_poses)

    @property
    def followers(self) -> tuple[str, ...]:
        """Names of the entries of all rotations."""
        return tuple(name for pose in self.poses.values() for name in pose.followers)

    @property
    def rates(self) -> dict[str, Expr]:
        """Their rates."""
        return {name: rate for pose in self.poses.values() for name, rate in pose.rates.items()}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: how far first points of parts are apart, and where points are in their parts."""
        of_parts = [name for part in self.corners for name in self._columns(part)]
        of_parts += [name for pose in self.poses.values() for name in pose.columns]
        return (*of_parts, *(name for point in self.homes for name in self._local(point)))

    def _columns(self, part: str) -> tuple[str, ...]:
        names = ("length",) if self.dimension == 2 else TRIANGLE
        return tuple(f"{name}_{self.parts[part]}" for name in names)

    def _local(self, point: str) -> tuple[str, ...]:
        return tuple(f"at{self.points[point]}{axis}" for axis in self.axes)

    # -- points ----------------------------------------------------------------------------------------------------

    def place(self, point: str) -> Vector:
        """Where a point is."""
        if point in self.homes:
            return self.poses[self.homes[point]].place([symbol(name) for name in self._local(point)])
        return Vector(symbol(f"p{self.points[point]}{axis}", kind="coordinate") for axis in self.axes)

    def velocity(self, point: str) -> Vector:
        """How fast it moves."""
        if point in self.homes:
            pose, at = self.poses[self.homes[point]], [symbol(name) for name in self._local(point)]
            return self._once("velocity", point, lambda: (pose.velocity(at),))[0]
        return Vector(symbol(f"p{self.points[point]}{axis}'", kind="speed") for axis in self.axes)

    # -- angles and parts ------------------------------------------------------------------------------------------

    def angle(self, name: str) -> Expr:
        """A tracked turn angle."""
        pose = self._turning(name)
        return symbol(f"a{self.angles[name]}", kind="coordinate") if pose is None else pose.turn

    def omega(self, name: str) -> Expr:
        """Its rate; of the integral of a state, the state."""
        pose = self._turning(name)
        return symbol(f"a{self.angles[name]}'", kind="speed") if pose is None else pose.turn_rate

    def _turning(self, name: str) -> Pose | None:
        """The pose whose turn an angle is, of a part of the plane or of a hinge."""
        return self.poses.get(name if self.dimension == 2 else self.hinges.get(name, ""))

    def _once(self, what: str, name: str, make: Callable[[], tuple[Vector, ...]]) -> tuple[Vector, ...]:
        """Vectors that laws name again and again."""
        if (what, name) not in self._known:
            self._known[what, name] = make()
        return self._known[what, name]

    def frame(self, part: str) -> tuple[Vector, ...]:
        """The axes of a part in the world."""
        return self._once("frame", part, lambda: self._frame(part))

    def _frame(self, part: str) -> tuple[Vector, ...]:
        if part in self.poses:
            return self.poses[part].axes
        return derive_axes([self.place(p) for p in self.corners[part]], self._apart(part))

    def frame_rates(self, part: str) -> tuple[Vector, ...]:
        """Their velocities."""
        return self._once("frame_rates", part, lambda: self._frame_rates(part))

    def _frame_rates(self, part: str) -> tuple[Vector, ...]:
        if part in self.poses:
            return self.poses[part].axes_rates
        places, speeds = ([of(p) for p in self.corners[part]] for of in (self.place, self.velocity))
        return derive_axes_rates(places, speeds, self._apart(part))

    def _apart(self, part: str) -> list[Expr]:
        return [symbol(name) for name in self._columns(part)]

    def spin(self, part: str) -> Vector:
        """The angular velocity of a part of space, in the world."""
        if part in self.poses:
            return self.poses[part].spin
        return self._once("spin", part, lambda: (derive_spin(self.frame(part), self.frame_rates(part)),))[0]


# -- parts known by their first points ---------------------------------------------------------------------------------


def derive_axes(corners: Sequence[Vector], apart: Sequence[Expr]) -> tuple[Vector, ...]:
    """The axes of a part from the places of its first points, which are so far apart: ℓ in the plane, R in space."""
    if len(corners) == 3:
        return axes_of(corners, apart).columns
    x = difference(corners[1], corners[0]) / apart[0]
    return x, Vector((-x[1], x[0]))


def derive_axes_rates(corners: Sequence[Vector], speeds: Sequence[Vector], apart: Sequence[Expr]) -> tuple[Vector, ...]:
    """Their velocities; in the plane they are the axes of the velocities."""
    return axes_rates(corners, speeds, apart).columns if len(corners) == 3 else derive_axes(speeds, apart)


def derive_spin(axes: tuple[Vector, ...], rates: tuple[Vector, ...]) -> Vector:
    """The angular velocity of a part of space, in the world."""
    own = Axes(axes)  # type: ignore[arg-type]
    return own.along(angular_velocity(own, Axes(rates)))  # type: ignore[arg-type]


def length(k: Kinematics, a: str, b: str) -> Expr:
    """|b − a|."""
    d = difference(k.place(b), k.place(a))
    return sqrt(dot(d, d))


def separation_rate(k: Kinematics, a: str, b: str) -> Expr:
    """(b − a)·(ḃ − ȧ) / |b − a|."""
    d, v = difference(k.place(b), k.place(a)), difference(k.velocity(b), k.velocity(a))
    return dot(d, v) / length(k, a, b)


def measure(k: Kinematics, name: str) -> Expr:
    """The expression of a quantity such as "A.vx"."""
    found = quantity(name)
    assert found is not None
    match found.what:
        case "length":
            return length(k, *found.points)
        case "rate":
            return separation_rate(k, *found.points)
        case "angle":
            return k.angle(found.of)
        case "omega":
            return k.omega(found.of)
    if found.what in SPINS:
        return k.spin(found.of)[SPINS.index(found.what)]
    if found.what in OF_BODIES:
        axis, component = found.what[-2], found.what[-1]
        axes = k.frame(found.of) if found.what in AXES else k.frame_rates(found.of)
        return axes[PLACES.index(axis)][PLACES.index(component)]
    if found.what in SPEEDS:
        return k.velocity(found.of)[SPEEDS.index(found.what)]
    return k.place(found.of)[PLACES.index(found.what)]
