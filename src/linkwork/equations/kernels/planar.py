"""Kernels of planar parts over the world positions of their points. Physics only, written once, over symbols.

A body's reference points are a and b; any other point of it is c = a + ζ (b − a) in complex numbers, ζ = ξ + iη,
so that positions and velocities are linear and the mass matrix is constant.
"""

from __future__ import annotations

from types import SimpleNamespace

from linkwork.equations.kernel import Contribution, kernel
from linkwork.symbolic import Expr, cos, sin, sqrt

Pair = tuple[Expr, Expr]


def _along(z: SimpleNamespace, xi: Expr, eta: Expr) -> Pair:
    """a + ζ (b − a), for positions and velocities alike."""
    dx, dy = z.bx - z.ax, z.by - z.ay
    return z.ax + xi * dx - eta * dy, z.ay + xi * dy + eta * dx


def _weight(mass: Expr, at: Pair, p: SimpleNamespace) -> Expr:
    """Potential of gravity: −m g · c."""
    potential: Expr = -mass * (p.gx * at[0] + p.gy * at[1])
    return potential


@kernel("ax ay bx by", "xi eta length mass inertia gx gy")
def body(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m |ċ|² + ½ I ω² with ω² = |ḃ − ȧ|²/ℓ²; weight at the centroid c."""
    vx, vy = _along(u, p.xi, p.eta)
    spin = ((u.bx - u.ax) ** 2 + (u.by - u.ay) ** 2) / p.length**2
    return Contribution(
        kinetic=(p.mass * (vx**2 + vy**2) + p.inertia * spin) / 2,
        potential={"gravity": _weight(p.mass, _along(q, p.xi, p.eta), p)},
    )


@kernel("x y", "mass gx gy")
def particle(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """T = ½ m |v|², with its weight."""
    return Contribution(
        kinetic=p.mass * (u.x**2 + u.y**2) / 2,
        potential={"gravity": _weight(p.mass, (q.x, q.y), p)},
    )


@kernel("ax ay bx by", "stiffness rest")
def spring(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """V = ½ k (|b − a| − ℓ)²."""
    stretch = sqrt((q.bx - q.ax) ** 2 + (q.by - q.ay) ** 2) - p.rest
    return Contribution(potential={"spring": p.stiffness * stretch**2 / 2})


@kernel("ax ay bx by", "stiffness")
def plain_spring(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A spring without rest length, smooth even where its ends meet: V = ½ k |b − a|²."""
    return Contribution(potential={"spring": p.stiffness * ((q.bx - q.ax) ** 2 + (q.by - q.ay) ** 2) / 2})


@kernel("ax ay bx by", "mass gx gy")
def spring_mass(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """The spring as a stretchable uniform rod: T = m/6 (|ȧ|² + ȧ·ḃ + |ḃ|²), weight at the middle."""
    square = u.ax**2 + u.ay**2 + u.ax * u.bx + u.ay * u.by + u.bx**2 + u.by**2
    middle = ((q.ax + q.bx) / 2, (q.ay + q.by) / 2)
    return Contribution(kinetic=p.mass * square / 6, potential={"gravity": _weight(p.mass, middle, p)})


@kernel("ax ay bx by", "length")
def distance(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """Two points stay ℓ apart: |b − a|² = ℓ²."""
    return Contribution(constraints=[(q.bx - q.ax) ** 2 + (q.by - q.ay) ** 2 - p.length**2])


@kernel("ax ay bx by cx cy", "xi eta")
def placement(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A further point of a body stays where it belongs: c = a + ζ (b − a)."""
    x, y = _along(q, p.xi, p.eta)
    return Contribution(constraints=[q.cx - x, q.cy - y])


@kernel("ax ay bx by turn", "length")
def turning(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """Two points stay ℓ apart and the angle of the line through them is tracked: b − a = ℓ (cos θ, sin θ)."""
    return Contribution(
        constraints=[q.bx - q.ax - p.length * cos(q.turn), q.by - q.ay - p.length * sin(q.turn)],
    )


@kernel("turn", "torque")
def torque(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
    """A constant torque does the work τ θ."""
    return Contribution(potential={"torque": -p.torque * q.turn})
