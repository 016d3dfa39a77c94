"""Parts in space over the world positions of their points. Physics only, over symbols.

A rod is two points, a body three reference points a, b, c in general position. The body's axes follow from them by the
QR factorisation of its local coordinates, whose factor R = [r11 r12; 0 r22] is constant:

    û₁ = (b − a)/r11      û₂ = ((c − a) − r12 û₁)/r22      û₃ = û₁ × û₂

so that a further point is a + ξ₁û₁ + ξ₂û₂ + ξ₃û₃, and the angular velocity in the body's axes is
ω = (û₃·û̇₂, −û₃·û̇₁, û₂·û̇₁).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from linkwork.equations.kernel import Contribution, kernel
from linkwork.symbolic import Expr, sqrt
from linkwork.symbolic.vector import Vector, combine, cross, difference, dot

GRAVITY = "gx gy gz"


def _point(z: SimpleNamespace, name: str) -> Vector:
    return Vector(getattr(z, f"{name}{axis}") for axis in "xyz")


def _weight(mass: Expr, at: Sequence[Expr], p: SimpleNamespace) -> Expr:
    """Potential of gravity: −m g · c."""
    return -mass * dot((p.gx, p.gy, p.gz), at)


def _square(v: Sequence[Expr]) -> Expr:
    return dot(v, v)


# -- frames ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Axes:
    """The axes û₁ û₂ û₃ of a body, or their velocities."""

    columns: tuple[Vector, Vector, Vector]

    def along(self, local: Sequence[Expr]) -> Vector:
        """A vector given in the body's axes, in the world."""
        return combine(local, self.columns)


def axes_of(corners: Sequence[Vector], r: Sequence[Expr]) -> Axes:
    """The axes of a body from its reference points and R = (r11, r12, r22)."""
    first, second = _two_axes(corners, r)
    return Axes((first, second, cross(first, second)))


def axes_rates(places: Sequence[Vector], speeds: Sequence[Vector], r: Sequence[Expr]) -> Axes:
    """The velocities of the axes; û₃ by the product rule."""
    first, second = _two_axes(places, r)
    d1, d2 = _two_axes(speeds, r)
    return Axes((d1, d2, cross(d1, second) + cross(first, d2)))


def _two_axes(corners: Sequence[Vector], r: Sequence[Expr]) -> tuple[Vector, Vector]:
    (a, b, c), (r11, r12, r22) = corners, r
    first = difference(b, a) / r11
    return first, (difference(c, a) - r12 * first) / r22


def angular_velocity(axes: Axes, rates: Axes) -> Vector:
    """ω in the body's axes."""
    (_, second, third), (d1, d2, _) = axes.columns, rates.columns
    return Vector((dot(third, d2), -dot(third, d1), dot(second, d1)))


# -- kernels -----------------------------------------------------------------------------------------------------------

_BODY = "ax ay az bx by bz cx cy cz"


@kernel(_BODY, f"r11 r12 r22 x y z mass ixx iyy izz ixy ixz iyz {GRAVITY}")
def body3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m |ċ|² + ½ ωᵀ I ω with the inertia about the centroid, in the body's axes."""
    places, speeds = (tuple(_point(z, name) for name in "abc") for z in (q, u))
    r = (p.r11, p.r12, p.r22)
    axes, rates = axes_of(places, r), axes_rates(places, speeds, r)
    local = (p.x, p.y, p.z)
    velocity = tuple(x + y for x, y in zip(speeds[0], rates.along(local), strict=True))
    centroid = tuple(x + y for x, y in zip(places[0], axes.along(local), strict=True))
    w1, w2, w3 = angular_velocity(axes, rates)
    spin = p.ixx * w1**2 + p.iyy * w2**2 + p.izz * w3**2 + 2 * (p.ixy * w1 * w2 + p.ixz * w1 * w3 + p.iyz * w2 * w3)
    return Contribution(
        kinetic=(p.mass * _square(velocity) + spin) / 2,
        potential={"gravity": _weight(p.mass, centroid, p)},
    )


@kernel(f"{_BODY} dx dy dz", "r11 r12 r22 x y z")
def placement3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A further point of a body stays where it belongs: d = a + x û₁ + y û₂ + z û₃."""
    a, b, c, d = (_point(q, name) for name in "abcd")
    at = axes_of((a, b, c), (p.r11, p.r12, p.r22)).along((p.x, p.y, p.z))
    return Contribution(constraints=[d[i] - a[i] - at[i] for i in range(3)])


@kernel("ax ay az bx by bz", f"xi length mass inertia {GRAVITY}")
def rod3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A thin rod: T = ½ m |ċ|² + ½ I |ḃ − ȧ|²/ℓ², its centroid at c = a + ξ (b − a)."""
    (a, b), (va, vb) = ((_point(z, "a"), _point(z, "b")) for z in (q, u))
    centroid = tuple(x + p.xi * (y - x) for x, y in zip(a, b, strict=True))
    velocity = tuple(x + p.xi * (y - x) for x, y in zip(va, vb, strict=True))
    spin = _square(difference(vb, va)) / p.length**2
    return Contribution(
        kinetic=(p.mass * _square(velocity) + p.inertia * spin) / 2,
        potential={"gravity": _weight(p.mass, centroid, p)},
    )


@kernel("x y z", f"mass {GRAVITY}")
def particle3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m |v|², with its weight."""
    place, velocity = ((z.x, z.y, z.z) for z in (q, u))
    return Contribution(kinetic=p.mass * _square(velocity) / 2, potential={"gravity": _weight(p.mass, place, p)})


@kernel("ax ay az bx by bz", "stiffness rest")
def spring3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """V = ½ k (|b − a| − ℓ)²."""
    stretch = sqrt(_square(difference(_point(q, "b"), _point(q, "a")))) - p.rest
    return Contribution(potential={"spring": p.stiffness * stretch**2 / 2})


@kernel("ax ay az bx by bz", "stiffness")
def plain_spring3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A spring without rest length: V = ½ k |b − a|²."""
    return Contribution(potential={"spring": p.stiffness * _square(difference(_point(q, "b"), _point(q, "a"))) / 2})


@kernel("ax ay az bx by bz", f"mass {GRAVITY}")
def spring_mass3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """The spring as a stretchable uniform rod: T = m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²), weight at the middle."""
    a, b, va, vb = _point(q, "a"), _point(q, "b"), _point(u, "a"), _point(u, "b")
    middle = tuple((x + y) / 2 for x, y in zip(a, b, strict=True))
    square = _square(va) + dot(va, vb) + _square(vb)
    return Contribution(kinetic=p.mass * square / 6, potential={"gravity": _weight(p.mass, middle, p)})


@kernel("ax ay az bx by bz", "length")
def distance3(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """Two points stay ℓ apart: |b − a|² = ℓ²."""
    return Contribution(constraints=[_square(difference(_point(q, "b"), _point(q, "a"))) - p.length**2])
