"""Wheels, balls and knife edges: what rolls or glides, and the laws of its contact over quantities of points and parts.

A wheel of radius ρ with a round tread of radius r is what a ball of radius r sweeps along a circle of radius R = ρ − r:
a thin disc has r = 0, a ball R = 0. With its centre o, its axle a (z of its frame), a plane through p with normal n,

    m = (n − (n·a) a)/s,   s = |n − (n·a) a| = √((n·x)² + (n·y)²)      the way up in the wheel
    c = o − R m − r n                                                 the lowest point: that of contact
    n·(c − p) = 0,   or   n·(o − p) = R s + r                          it touches
    t·(v_o + ω × (c − o) − v_p − ω_p × (c − p)) = 0                    it does not slip along t₁, t₂ across n

The normal component of the last is the rate of the touching condition, since c is lowest: moving it along the wheel
does not change its height. Linear in the rates of the wheel's axes x, y, a,

    ω × (c − o) = −(R/s) ((n·x) ẋ + (n·y) ẏ) − r ((n·x) ẋ + (n·y) ẏ + (n·a) ȧ)

A disc that lies flat (s = 0) touches everywhere, and the laws have no value. In the plane c = o − ρ n, with one
direction along the line. A knife edge is a frame whose origin does not move along its y axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from linkwork.errors import InputError, Problem, Ref
from linkwork.given import as_name, as_part, is_empty
from linkwork.model.convert import Scalar, as_coordinates, as_value
from linkwork.model.convert import Vector as Given
from linkwork.model.joints.kinds import MovingFrame
from linkwork.model.laws import law_rate
from linkwork.model.part import Part, set_field
from linkwork.symbolic import ZERO, Expr, sqrt
from linkwork.symbolic.vector import Vector, combine, dot


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Plane:
    """A plane of the world to roll on, or in 2D a line: through a point, with the direction that is up.

    >>> Plane(normal=("sin(a)", 0, "cos(a)")).point
    ()
    """

    point: tuple[Expr, ...]
    normal: tuple[Expr, ...]

    def __init__(self, *, point: Given = (), normal: Given = ()) -> None:
        set_field(self, "point", as_coordinates(point, Ref("plane"), "point"))
        set_field(self, "normal", as_coordinates(normal, Ref("plane"), "normal"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Rolling(Part):
    """A wheel or ball that rolls without slipping.

    frame    at its centre; in space its z axis is the axle
    radius   how high the centre of an upright wheel is above the ground
    tread    radius of its round tread: zero is a thin disc, the whole radius a ball
    on       the frame whose xy plane (in 2D: x axis) it rolls on, a Plane, or the ground (z = 0, in 2D y = 0)

    >>> Rolling(name="front", wheel="front.axle", radius="R").tread
    0
    >>> Rolling(name="marble", ball="marble.c", radius="r", on="table.top").tread
    r
    """

    WORD = "rolling"

    name: str
    frame: str
    radius: Expr
    tread: Expr
    on: str | Plane

    def __init__(
        self,
        *,
        name: str,
        radius: Scalar,
        wheel: str = "",
        ball: str = "",
        tread: Scalar = 0,
        on: str | Plane = Plane(),
    ) -> None:
        part = as_part(self.WORD, name)
        frames = [as_name(given, part, "frame") for given in (wheel, ball) if not is_empty(given)]
        if len(frames) != 1:
            remedy = "Name the frame at its centre, as in wheel: rear.axle"
            raise InputError([Problem(ref=part, what="give either a wheel or a ball", remedy=remedy)])
        set_field(self, "name", name)
        set_field(self, "frame", frames[0])
        set_field(self, "radius", as_value(radius, part, "radius"))
        set_field(self, "tread", as_value(radius if ball else tread, part, "tread"))
        set_field(self, "on", on if isinstance(on, Plane) else as_name(on, part, "on"))

    def values(self) -> Iterator[Expr]:
        """Its radii and, if it is given by numbers, the plane."""
        yield from (self.radius, self.tread)
        if isinstance(self.on, Plane):
            yield from (*self.on.point, *self.on.normal)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnifeEdge(Part):
    """A skate or blade: the origin of a frame moves along its x axis and not along its y axis.

    >>> KnifeEdge(name="skate", frame="sleigh.edge").frame
    'sleigh.edge'
    """

    WORD = "edge"

    name: str
    frame: str

    def __post_init__(self) -> None:
        as_name(self.frame, as_part(self.WORD, self.name), "frame")


@dataclass(frozen=True, slots=True, kw_only=True)
class Footing:
    """What a wheel, ball or edge demands, as laws.

    kind    "rolling" or "edge"
    parts   what touches, and what it touches
    zero    laws of places that vanish
    still   laws of speeds that vanish
    point   where it touches
    """

    name: str
    kind: str
    parts: tuple[str, str]
    zero: tuple[Expr, ...]
    still: tuple[Expr, ...]
    point: Vector

    @property
    def rows(self) -> dict[str, str]:
        """The names of its constraints, with what they keep."""
        slips = {f"slip{i + 1}_{self.name}": "slip" for i in range(len(self.still))}
        return {f"contact_{self.name}": "contact", **slips} if self.zero else {f"edge_{self.name}": "edge"}

    def quantity(self, what: str) -> Expr | None:
        """`contact_x`, or its rate `contact_x_rate`: how fast the place of contact moves along the ground."""
        names = [f"contact_{axis}" for axis in "xyz"[: len(self.point)]]
        plain = what.removesuffix("_rate")
        if plain not in names:
            return None
        law = self.point[names.index(plain)]
        return law if what == plain else law_rate(law)


def roll(rolling: Rolling, parts: tuple[str, str], wheel: MovingFrame, plane: MovingFrame) -> Footing:
    """The laws of a wheel on a plane, or in 2D on a line."""
    space = len(wheel.o) == 3
    n = plane.z if space else plane.y
    R, r = rolling.radius - rolling.tread, rolling.tread
    if space:
        up = [dot(n, e) for e in (wheel.x, wheel.y, wheel.z)]
        s = sqrt(up[0] ** 2 + up[1] ** 2)
        in_wheel = combine(up[:2], [wheel.x, wheel.y]) / s
        lift, arm = R * s + r, R * in_wheel + r * n
        # what turns with the wheel, with these components in its axes
        turning = R / s * combine(up[:2], _rates([wheel.x, wheel.y])) if R is not ZERO else _zero(3)
        if r is not ZERO:
            turning = turning + r * combine(up, _rates([wheel.x, wheel.y, wheel.z]))
    else:
        lift, arm = rolling.radius, rolling.radius * n
        turning = rolling.radius * law_rate(wheel.angle) * Vector((-n[1], n[0]))
    point = wheel.o - arm
    across = point - plane.o
    ground = _rates([plane.o])[0] + combine([dot(across, plane.x)], _rates([plane.x]))
    if space:
        ground = ground + dot(across, plane.y) * _rates([plane.y])[0]
    slip = _rates([wheel.o])[0] - turning - ground
    tangents = [plane.x, plane.y] if space else [plane.x]
    return Footing(
        name=rolling.name,
        kind="rolling",
        parts=parts,
        zero=(dot(n, wheel.o - plane.o) - lift,),
        still=tuple([dot(t, slip) for t in tangents]),
        point=point,
    )


def glide(edge: KnifeEdge, part: str, world: str, frame: MovingFrame) -> Footing:
    """The law of a knife edge."""
    law = dot(frame.y, _rates([frame.o])[0])
    return Footing(name=edge.name, kind="edge", parts=(part, world), zero=(), still=(law,), point=frame.o)


def _rates(vectors: Iterable[Vector]) -> list[Vector]:
    return [Vector(law_rate(x) for x in v) for v in vectors]


def _zero(d: int) -> Vector:
    return Vector((ZERO,) * d)
