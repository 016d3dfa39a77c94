"""Contacts as laws over the quantities of points and parts: a Contact and its two sides in, a Touch out.

With the centre o and radius r of what touches, a plane through p with normal n, another ball with its centre at p,

    ball, plane     gap = n·(o − p) − r                    c = o − r n
    disc, plane     gap = n·(o − p) − r s                  c = o − r m,  m = (n − (n·a) a)/s,  s² = |n − (n·a) a|² + σ²
    ball, ball      gap = |o − p| − r − R                  n = (o − p)/|o − p|,   c halfway between the surfaces
    ball in ball    gap = R − r − |o − p|                  n = −(o − p)/|o − p|,  likewise
    ball, cam       gap = n(φ)·(o − c(φ)) − r              c = o − r n,  φ the angle of the nearest place of the curve

The angle of the nearest place, where (o − c)·c′ = 0, is found by Newton's method from the direction in which o is seen.
An error of it changes the gap by its square only.

A rim of axis a that lies flat would touch everywhere: σ lets it rest on its middle there. Forces act at c on what is
there of either body: F on the rate of the gap, which is the normal component of their relative velocity v, and friction
on its components along the surface. The depth δ is as good as −gap, whose power n is made regular where it begins:

    δⁿ ≈ δ (δ² + ε²)^((n − 1)/2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from linkwork.model.cam import Cam
from linkwork.model.connections import WORLD
from linkwork.model.contact import Ball, Contact
from linkwork.model.friction import Friction
from linkwork.model.joints.kinds import MovingFrame
from linkwork.model.laws import PLACES, SPINS, Relation, law_rate, quantity_symbol_of
from linkwork.model.stops import Stop
from linkwork.symbolic import ONE, ZERO, Expr, Number, atan2, cos, exp, less, select, sin, sqrt, symbol
from linkwork.symbolic import abs as magnitude
from linkwork.symbolic import max as larger
from linkwork.symbolic.vector import Vector, combine, cross, dot

NEAREST = 3  # steps of Newton's method to the nearest place of a cam
FLAT = 1e-6  # rad: a rim that lies as flat as this rests on its middle
CONCENTRIC = 1e-8  # of the radius: where the middle of a hollow ball begins
ODD = ((-10, 2, 11), (10, -5, 10), (5, 14, 2))  # of 15: axes at right angles that nothing else is along
SHALLOW = 1e-11  # of the radius: where the depth begins; of points in metres


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two: its part (the world; nothing if it is a point of its own), its frame."""

    part: str
    frame: MovingFrame

    def velocity(self, place: Vector) -> Vector:
        """Of what is at a place and moves with the part: v = ȯ + ω × (place − o)."""
        o = self.frame.o
        if self.part == WORLD:
            return Vector((ZERO,) * len(o))
        v = Vector(map(law_rate, o))
        if not self.part:
            return v
        arm = place - o
        if len(o) == 3:
            return v + cross([quantity_symbol_of(f"{self.part}.{w}") for w in SPINS], arm)
        # ω = x × ẋ, so that no turn has to be counted
        x, y = (quantity_symbol_of(f"{self.part}.x{k}") for k in PLACES[:2])
        omega = x * law_rate(y) - y * law_rate(x)
        return v + omega * Vector((-arm[1], arm[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """The laws of a contact.

    parts    what touches, and what it touches
    gap      how far they are apart; negative where they press
    normal   from what is touched to what touches
    point    where they touch
    slips    components of the velocity of one against the other, along the surface or (in space, between balls) of all
    along    the part of these that is along the surface; the same where the slips are
    grips    the components along the surface in directions at right angles: one in the plane, two in space
    rate     that of the gap
    force    normal force, never negative; nothing if the contact is rigid
    rubbing  forces along the slips
    """

    contact: Contact
    parts: tuple[str, str]
    gap: Expr
    normal: Vector
    point: Vector
    slips: tuple[Expr, ...]
    along: tuple[Expr, ...]
    grips: tuple[Expr, ...]
    rate: Expr
    force: Expr
    rubbing: tuple[Expr, ...]

    @property
    def name(self) -> str:
        """That of the contact."""
        return self.contact.name

    def stop(self) -> Stop:
        """What a rigid contact is to the equations."""
        return Stop(name=self.name, gap=self.gap, restitution=self.contact.restitution).of_contact()

    def friction(self) -> Friction:
        """Dry friction of shapes that do not give way: it slides with μ times their force, or sticks."""
        force = symbol(f"{self.name}.force")
        normal = magnitude(force) if self.contact.kept else force
        rest = self.contact.friction if self.contact.static is None else self.contact.static
        limit, hold = self.contact.friction * normal, rest * normal
        return Friction(name=f"{self.name}_friction", speed=self.grips, limit=limit, hold=hold).of_contact()

    def relation(self) -> Relation:
        """What shapes that are kept together are to the equations."""
        return Relation(name=self.name, formula=self.gap, contact=True)

    def quantity(self, what: str) -> Expr | None:
        """gap, gap_rate, depth, force, slip, friction, contact_x ...; slip and friction are signed in the plane."""
        if what == "gap":
            return self.gap
        if what == "gap_rate":
            return self.rate
        if what == "depth":
            return larger(-self.gap, 0)
        if what == "slip":
            return _size(self.along)
        places = [f"contact_{axis}" for axis in PLACES[: len(self.point)]]
        if what in places:
            return self.point[places.index(what)]
        if not self.contact.soft or what not in ("force", "friction"):
            return None
        return self.force if what == "force" else _size(self.rubbing)


def _size(components: tuple[Expr, ...]) -> Expr:
    return components[0] if len(components) == 1 else sqrt(dot(components, components))


def touch(contact: Contact, one: Side, two: Side) -> Touch:
    """The laws of a contact between two sides."""
    meet = touch_ball if isinstance(contact.on, Ball) else touch_cam if isinstance(contact.on, Cam) else touch_plane
    gap, n, point = meet(contact, one.frame, two.frame)
    v = one.velocity(point) - two.velocity(point)
    grips = tuple([dot(way, v) for way in find_ways(contact, n, two.frame)])
    slips = along = grips
    if len(n) == 3 and isinstance(contact.on, Ball | Cam):
        slips, along = tuple(v), tuple(v - dot(n, v) * n)
    rate = dot(n, v) if isinstance(contact.on, Cam) else law_rate(gap)
    force = press(contact, gap, rate) if contact.soft else ZERO
    rubbing = rub(contact, force, along) if contact.rubs and contact.soft else tuple([ZERO] * len(along))
    return Touch(
        contact=contact,
        parts=(one.part, two.part),
        gap=gap,
        normal=n,
        point=point,
        slips=slips,
        along=along,
        grips=grips,
        rate=rate,
        force=force,
        rubbing=rubbing,
    )


def find_ways(contact: Contact, n: Vector, frame: MovingFrame) -> list[Vector]:
    """Directions along the surface, at right angles to the normal and to each other."""
    if len(n) == 2:
        return [Vector((n[1], -n[0]))]
    if isinstance(contact.on, Cam):
        return [cross(frame.z, n), frame.z]
    return across(n) if isinstance(contact.on, Ball) else [frame.x, frame.y]


def across(n: Vector) -> list[Vector]:
    """Two directions at right angles to a direction and to each other, by what turns an axis into it.

        (1 − a²/s, −a b/s, −a)   (−a b/s, 1 − b²/s, −b)      s = 1 + c

    n = (a, b, c) in axes that nothing else is along: no two such directions are regular everywhere, these are not at
    c = −1.
    """
    axes = [Vector(Number(Fraction(x, 15)) for x in axis) for axis in ODD]
    a, b, c = (dot(n, axis) for axis in axes)
    s = 1 + c
    return [combine((1 - a**2 / s, -a * b / s, -a), axes), combine((-a * b / s, 1 - b**2 / s, -b), axes)]


def touch_plane(contact: Contact, shape: MovingFrame, plane: MovingFrame) -> tuple[Expr, Vector, Vector]:
    """Gap, normal and point of a point, ball or rim on a plane."""
    space, r = len(shape.o) == 3, contact.radius
    n = plane.z if space else plane.y
    height = dot(n, shape.o - plane.o)
    if contact.shape != "disc" or not space:
        return height - r, n, shape.o - r * n
    up = [dot(n, shape.x), dot(n, shape.y)]
    s = sqrt(up[0] ** 2 + up[1] ** 2 + FLAT**2)
    return height - r * s, n, shape.o - r / s * combine(up, [shape.x, shape.y])


def touch_ball(contact: Contact, shape: MovingFrame, ball: MovingFrame) -> tuple[Expr, Vector, Vector]:
    """The same of a ball on a ball, or in one."""
    assert isinstance(contact.on, Ball)
    r, R, d = contact.radius, contact.on.radius, shape.o - ball.o
    if contact.on.hollow:
        apart = sqrt(dot(d, d) + (CONCENTRIC * R) ** 2)
        gap, out = R - r - apart, d / apart
        return gap, -out, ball.o + (R - gap / 2) * out
    apart = sqrt(dot(d, d))
    gap, n = apart - r - R, d / apart
    return gap, n, ball.o + (R + gap / 2) * n


def touch_cam(contact: Contact, shape: MovingFrame, frame: MovingFrame) -> tuple[Expr, Vector, Vector]:
    """The same of a point or roller on a cam; in space of what is above or below its plane as well."""
    assert isinstance(contact.on, Cam)
    d = shape.o - frame.o
    X, Y = dot(d, frame.x), dot(d, frame.y)
    angle = atan2(Y, X)
    for _ in range(NEAREST):
        r, r1, r2 = contact.on.at(angle)
        e = Vector((cos(angle), sin(angle)))
        out, on = dot((X, Y), e), dot((X, Y), (-e[1], e[0]))
        # h = (o − c)·c′ and its slope, with c′ = r′ e_r + r e_φ and c″ = (r″ − r) e_r + 2 r′ e_φ
        h = (out - r) * r1 + on * r
        slope = (out - r) * (r2 - r) + 2 * on * r1 - r**2 - r1**2
        angle = angle - h / slope
    r, r1, _ = contact.on.at(angle)
    e = Vector((cos(angle), sin(angle)))
    size = sqrt(r**2 + r1**2)
    n = combine([r / size, -r1 / size], [e, Vector((-e[1], e[0]))])
    gap = dot(n, Vector((X, Y)) - r * e) - contact.radius
    world = combine(n, [frame.x, frame.y])
    return gap, world, shape.o - contact.radius * world


def press(contact: Contact, gap: Expr, rate: Expr) -> Expr:
    """The normal force, by Hunt and Crossley."""
    assert contact.stiffness is not None
    spring = contact.stiffness * power(-gap, contact.exponent, contact.radius)
    if contact.damping is not ZERO:
        spring = spring * larger(ONE - contact.damping * rate, 0)
    return select(less(gap, 0), spring, 0)


def power(depth: Expr, exponent: Expr, radius: Expr) -> Expr:
    """δⁿ; regular at zero."""
    if isinstance(exponent, Number) and exponent.value in (1, 2, 3):
        return depth**exponent
    small = SHALLOW * (radius if radius is not ZERO else ONE)
    return depth * (depth**2 + small**2) ** ((exponent - 1) / 2)


def rub(contact: Contact, force: Expr, along: Iterable[Expr]) -> tuple[Expr, ...]:
    """Friction along the surface: −μ(v) F v/√(v² + v₀²)."""
    v = tuple(along)
    square = dot(v, v)
    mu = contact.friction
    if contact.static is not None and contact.stribeck is not None:
        mu = mu + (contact.static - mu) * exp(-square / contact.stribeck**2)
    factor = -mu * force / sqrt(square + contact.slip_speed**2)
    return tuple([factor * x for x in v])
