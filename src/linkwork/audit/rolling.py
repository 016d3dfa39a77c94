"""Contacts of wheels, balls and edges: readings in, gaps and rows out, by the lowest point of the wheel as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import cross
from linkwork.audit.layout import Layout, Rows
from linkwork.audit.relations import Gap
from linkwork.model import WORLD, Mechanism, Plane
from linkwork.symbolic import Expr


def tie_rollings(m: Mechanism, lay: Layout, rows: Rows) -> Iterator[Gap]:
    """The lowest point of a wheel is on its plane, and what is there of the wheel moves as the plane does there."""
    for rolling in m.rollings:
        part, o, axes = find_frame(m, lay, rolling.frame)
        base, p, n = find_plane(m, lay, rolling.on)
        rho, r = m.compute(rolling.radius), m.compute(rolling.tread)
        arm = rho * n
        if m.dimension == 3:
            a = axes[:, :, 2]
            up = n - np.sum(n * a, axis=1, keepdims=True) * a
            arm = (rho - r) * up / np.linalg.norm(up, axis=1, keepdims=True) + r * n if rho != r else arm
        contact, label = o - arm, f"rolling {rolling.name}"
        for direction in np.eye(m.dimension):
            _hold(lay, rows, label, contact, np.broadcast_to(direction, contact.shape), part, base)
        yield label, np.abs(np.sum(n * (contact - p), axis=1)), "m"


def tie_edges(m: Mechanism, lay: Layout, rows: Rows) -> None:
    """The origin of a frame does not move along its y axis."""
    for edge in m.knife_edges:
        part, o, axes = find_frame(m, lay, edge.frame)
        _hold(lay, rows, f"edge {edge.name}", o, axes[:, :, 1], part, WORLD)


def _hold(lay: Layout, rows: Rows, label: str, place: Floats, direction: Floats, part: str, base: str) -> None:
    row = rows.new(label)
    rows.place(row, lay.part[part], place, direction)
    if base != WORLD:
        rows.place(row, lay.part[base], place, -direction)


def find_plane(m: Mechanism, lay: Layout, on: str | Plane) -> tuple[str, Floats, Floats]:
    """What the plane belongs to, a point of it, and the direction that is up.   (k, d)"""
    d = m.dimension
    if not isinstance(on, Plane):
        part, o, axes = find_frame(m, lay, on)
        return part, o, axes[:, :, d - 1]
    point, normal = _numbers(m, on.point), _numbers(m, on.normal) if on.normal else np.eye(d)[d - 1]
    return WORLD, np.tile(point, (lay.k, 1)), np.tile(normal / np.linalg.norm(normal), (lay.k, 1))


def _numbers(m: Mechanism, given: Sequence[Expr]) -> Floats:
    return np.array([m.compute(x) for x in given] + [0.0] * (m.dimension - len(given)))


def find_frame(m: Mechanism, lay: Layout, frame: str) -> tuple[str, Floats, Floats]:
    """The part of a frame, its origin (k, d) and its axes as columns (k, d, d) in the world."""
    part, _, _ = frame.rpartition(".")
    point = m.words.point(frame) if m.words.point(frame) in lay.readings.points else frame.rpartition(".")[2]
    R = np.tile(np.eye(m.dimension), (lay.k, 1, 1)) if part == WORLD else lay.bodies.R[:, lay.part[part]]
    return part, lay.readings.at(point), R @ _own_axes(m, frame)


def _own_axes(m: Mechanism, frame: str) -> Floats:
    """The axes of a frame in those of its part, as columns."""
    body, _, name = frame.rpartition(".")
    given = m.words.bodies[body].frames.get(name) if body in m.words.bodies else None
    if m.dimension == 2:
        angle = 0.0 if given is None else m.compute(given.angle)
        return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    z = _numbers(m, given.z) if given is not None and given.z else np.array([0.0, 0.0, 1.0])
    z = z / np.linalg.norm(z)
    x = _numbers(m, given.x) if given is not None and given.x else np.eye(3)[0]
    x = x - (x @ z) * z
    if np.linalg.norm(x) < 1e-6:
        x = np.eye(3)[1] - z[1] * z
    x = x / np.linalg.norm(x)
    return np.stack([x, cross(z, x), z], axis=1)
