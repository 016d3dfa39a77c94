"""Forces of compliant contacts from places, directions and twists, by the geometry of solids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import cross
from linkwork.audit.layout import Layout
from linkwork.audit.rolling import find_frame, find_plane
from linkwork.model import WORLD, Ball, Cam, Contact, Mechanism
from linkwork.model.cam import PHI
from linkwork.symbolic import Expr, differentiate
from linkwork.symbolic.evaluate import evaluate_all

NEAR = 360  # places of a cam among which the nearest is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A contact at k times: what is pushed where, with which force; by how much errors of places and speeds change it.

    one, two    part or point that is pushed, and that is pushed back   (nothing: the world)
    place       where   (k, d)
    force       on the first   (k, d)
    power       of the pair   (k,)
    spread      of the force   (k,)
    """

    one: str
    two: str
    place: Floats
    force: Floats
    power: Floats
    spread: Floats


def find_pressed(m: Mechanism, lay: Layout) -> Iterator[Pressed]:
    """All compliant contacts."""
    for contact in m.contacts:
        if contact.soft:
            yield _press(m, lay, contact)


def _press(m: Mechanism, lay: Layout, contact: Contact) -> Pressed:
    one, two, n, place, depth = _meet(m, lay, contact)
    v = _velocity(lay, one, place) - _velocity(lay, two, place)
    out = np.sum(v * n, axis=1)
    along = v - out[:, None] * n
    k, power, c = m.compute(_given(contact.stiffness)), m.compute(contact.exponent), _damping(m, contact)
    inside = np.maximum(depth, 0.0)
    N = k * inside**power * np.maximum(1.0 - c * out, 0.0)
    # what an error of a place changes, just below the surface as well
    r = lay.readings
    spread = (
        k * ((inside + r.place) ** power - inside**power) * (1.0 + c * np.abs(out)) + k * inside**power * c * r.speed
    )
    mu, slow = _friction(m, contact, np.linalg.norm(along, axis=1))
    F = N[:, None] * n - (mu * N / np.sqrt(np.sum(along**2, axis=1) + slow**2))[:, None] * along
    spread = spread * (1.0 + mu) + mu * N * np.minimum(r.speed / slow, 1.0)
    return Pressed(one=one, two=two, place=place, force=F, power=np.sum(F * v, axis=1), spread=spread)


def _given(value: Expr | None) -> Expr:
    assert value is not None
    return value


HALVINGS = 60  # of an interval, until nothing is left of it


def _damping(m: Mechanism, contact: Contact) -> float:
    """c; from a restitution by d (1 + e) = log((1 + d)/(1 − e d)), d = c v."""
    if contact.impact_speed is None:
        return m.compute(contact.damping)
    e, v = m.compute(contact.restitution), m.compute(contact.impact_speed)
    if e > 0.999:
        return 1.5 * (1 - e * e) / (1 + e**3) / v
    low, high = 0.5 * (1 - e), (1.0 - 1e-15) / e
    for _ in range(HALVINGS):
        d = 0.5 * (low + high)
        low, high = (d, high) if d * (1 + e) - math.log1p(d) + math.log1p(-e * d) > 0.0 else (low, d)
    return d / v


def _friction(m: Mechanism, contact: Contact, speed: Floats) -> tuple[Floats, float]:
    """The coefficient at a speed, and the speed by which it is regular."""
    mu = np.full(len(speed), m.compute(contact.friction))
    if contact.static is not None and contact.stribeck is not None:
        rest, drop = m.compute(contact.static), m.compute(contact.stribeck)
        mu = mu + (rest - mu) * np.exp(-((speed / drop) ** 2))
    return mu, m.compute(contact.slip_speed)


# -- where they meet ---------------------------------------------------------------------------------------------------


def _meet(m: Mechanism, lay: Layout, contact: Contact) -> tuple[str, str, Floats, Floats, Floats]:
    """Both sides, the direction from the second to the first, where they meet, and how deep."""
    one, o, axes = _place(m, lay, contact.frame)
    r = m.compute(contact.radius)
    if isinstance(contact.on, Ball):
        two, p, _ = _place(m, lay, contact.on.frame)
        R, d = m.compute(contact.on.radius), o - p
        distance = np.linalg.norm(d, axis=1)
        n = d / np.where(distance > 0, distance, 1.0)[:, None]
        depth = distance + r - R if contact.on.hollow else r + R - distance
        # halfway between the surfaces
        middle = R + depth / 2 if contact.on.hollow else R - depth / 2
        return one, two, -n if contact.on.hollow else n, p + middle[:, None] * n, depth
    if isinstance(contact.on, Cam):
        return _meet_cam(m, lay, contact.on, one, o, r)
    two, p, n = find_plane(m, lay, contact.on)
    lowest = o - r * n
    if contact.shape == "disc" and m.dimension == 3:
        a = axes[:, :, 2]
        up = n - np.sum(n * a, axis=1, keepdims=True) * a
        size = np.linalg.norm(up, axis=1, keepdims=True)
        lowest = o - r * up / np.sqrt(size**2 + 1e-12)
        depth = r * np.sqrt(size[:, 0] ** 2 + 1e-12) - np.sum(n * (o - p), axis=1)
        return one, two, n, lowest, depth
    return one, two, n, lowest, -np.sum(n * (lowest - p), axis=1)


def _meet_cam(
    m: Mechanism, lay: Layout, cam: Cam, one: str, o: Floats, r: float
) -> tuple[str, str, Floats, Floats, Floats]:
    """The nearest of many places of the curve, then nearer by halving, and the direction outward there."""
    two, p, axes = find_frame(m, lay, cam.frame)
    at = np.einsum("kji,kj->ki", axes[:, :, :2], o - p)
    slope = differentiate(cam.radius, PHI)

    def curve(angle: Floats) -> tuple[Floats, Floats]:
        known: dict[str, float | Floats] = {**m.values, PHI.name: angle}
        radius, rate = (np.broadcast_to(x, angle.shape) for x in evaluate_all([cam.radius, slope], known))
        e, f = np.stack([np.cos(angle), np.sin(angle)], -1), np.stack([-np.sin(angle), np.cos(angle)], -1)
        return radius[..., None] * e, rate[..., None] * e + radius[..., None] * f

    looks = np.linspace(-np.pi, np.pi, NEAR + 1)
    nearest = looks[np.argmin(np.sum((curve(looks)[0][None] - at[:, None]) ** 2, axis=2), axis=1)]
    low, high = nearest - 2 * np.pi / NEAR, nearest + 2 * np.pi / NEAR
    for _ in range(50):
        middle = (low + high) / 2
        place, along = curve(middle)
        before = np.sum((at - place) * along, axis=1) > 0
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    place, along = curve((low + high) / 2)
    out = np.stack([along[:, 1], -along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    n = np.einsum("kij,kj->ki", axes[:, :, :2], out)
    return one, two, n, o - r * n, r - np.sum(out * (at - place), axis=1)


def _place(m: Mechanism, lay: Layout, name: str) -> tuple[str, Floats, Floats]:
    """What a frame or point belongs to, where it is, and its axes."""
    if "." in name:
        return find_frame(m, lay, name)
    part = WORLD if name in m.fixed else name
    return part, lay.readings.at(name), np.zeros((lay.k, m.dimension, m.dimension))


def _velocity(lay: Layout, owner: str, place: Floats) -> Floats:
    """Of what is at a place and moves with a part."""
    if owner == WORLD:
        return np.zeros_like(place)
    if owner not in lay.part:
        return lay.readings.velocity(owner)
    i = lay.part[owner]
    first = lay.bodies.shapes.first[i, 0]
    w, arm = lay.bodies.omega[:, i], place - lay.bodies.o[:, i]
    turning = w * np.stack([-arm[:, 1], arm[:, 0]], axis=1) if place.shape[1] == 2 else cross(w, arm)
    return np.asarray(lay.readings.v[:, first] + turning)
