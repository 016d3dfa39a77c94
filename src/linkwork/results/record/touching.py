"""What touches and what is touched, for a picture: contacts in, balls, lines and planes as numbers out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.model import WORLD, Ball, Cam, Contact, Mechanism, Plane
from linkwork.model.cam import PHI
from linkwork.symbolic import Expr
from linkwork.symbolic.evaluate import evaluate_all

Drawing = dict[str, Any]
ROUND, CURVED = 48, 180  # lines of a circle, of a cam


class Touching:
    """The contacts of a mechanism as numbers in the axes of its parts."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    def balls(self) -> list[Drawing]:
        """Balls and discs on parts, each once; in the plane with spokes, so that they are seen to turn."""
        found: dict[tuple[str, float], Drawing] = {}
        for frame, radius, tread in self._round():
            part, centre, axes = self._frame(frame)
            if part and part != WORLD and radius > 0:
                axle = axes[:, 2].tolist() if self.mechanism.dimension == 3 else [0.0, 0.0, 1.0]
                found[frame, radius] = {
                    "name": frame, "part": part, "centre": centre.tolist(), "axle": axle, "radius": radius,
                    "tread": tread if self.mechanism.dimension == 3 else 0.0,
                }  # fmt: skip
        return list(found.values())

    def surfaces(self) -> list[Drawing]:
        """Everything else: planes, cams, bowls, balls of points; each once."""
        found: dict[object, Drawing] = {}
        for contact in self.mechanism.contacts:
            if not isinstance(contact.on, Ball):
                found.setdefault(contact.on, self._surface(contact))
        for ball in self._balls():
            part, o, axes = self._frame(ball.frame)
            if ball.hollow or not part or part == WORLD:
                found.setdefault(ball, self._circles(ball, part, o, axes))
        return list(found.values())

    def _round(self) -> list[tuple[str, float, float]]:
        """Centre, radius and radius of the tread of whatever is round on the outside."""
        shapes = [
            (c.frame, self._number(c.radius), 0.0 if c.shape == "disc" else self._number(c.radius))
            for c in self.mechanism.contacts
        ]
        others = [ball for contact in self.mechanism.contacts if isinstance(ball := contact.on, Ball)]
        return shapes + [(b.frame, self._number(b.radius), self._number(b.radius)) for b in others if not b.hollow]

    def _balls(self) -> list[Ball]:
        """All of them."""
        touching = [Ball(frame=c.frame, radius=c.radius) for c in self.mechanism.contacts if c.shape == "ball"]
        return touching + [contact.on for contact in self.mechanism.contacts if isinstance(contact.on, Ball)]

    def _surface(self, contact: Contact) -> Drawing:
        """A plane or a cam."""
        on, d = contact.on, self.mechanism.dimension
        if isinstance(on, Cam):
            part, o, axes = self._frame(on.frame)
            angle = np.linspace(0.0, 2 * math.pi, CURVED + 1)
            known: dict[str, float | Floats] = {**self.mechanism.values, PHI.name: angle}
            (radius,) = evaluate_all([on.radius], known)
            path = o + (np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) @ axes[:, :2].T)
            return _drawn(on.frame, part, "", _chain(path))
        if isinstance(on, Plane):
            touch = self.mechanism.touches[contact.name]
            normal = np.array(evaluate_all(list(touch.normal), self.mechanism.values), dtype=np.float64)
            o = np.array([self._number(x) for x in on.point] + [0.0] * (d - len(on.point)))
            across = [[normal[1], -normal[0]]] if d == 2 else _across(normal)
            return _drawn(contact.name, WORLD, "", [], [o.tolist(), *across])
        assert isinstance(on, str)
        part, o, axes = self._frame(on)
        return _drawn(on, part, "", [], [o.tolist(), *axes[:, : d - 1].T.tolist()])

    def _circles(self, ball: Ball, part: str, o: Floats, axes: Floats) -> Drawing:
        """A circle, or three in space."""
        angle = np.linspace(0.0, 2 * math.pi, ROUND + 1)
        c, s = self._number(ball.radius) * np.cos(angle), self._number(ball.radius) * np.sin(angle)
        planes = [(0, 1)] if self.mechanism.dimension == 2 else [(0, 1), (1, 2), (2, 0)]
        lines = [line for i, j in planes for line in _chain(o + np.outer(c, axes[:, i]) + np.outer(s, axes[:, j]))]
        moving = "" if part else ball.frame
        return _drawn(ball.frame, part, moving, lines)

    def _frame(self, name: str) -> tuple[str, Floats, Floats]:
        """The part of a frame, its origin there, and its axes as columns; of a point, itself and those of the world."""
        m = self.mechanism
        d = m.dimension
        if "." not in name:
            at = m.fixed.get(name)
            o = np.zeros(d) if at is None else np.array([self._number(x) for x in at])
            return "" if at is None else WORLD, o, np.eye(d)
        part, _, own = name.rpartition(".")
        point = m.words.point(name)
        if part == WORLD:
            at = m.fixed.get(point, m.fixed.get(own))
            assert at is not None
        else:
            rigid = m.find_rigid(part)
            at = rigid.geometry[rigid.points.index(point if point in rigid.points else own)]
        return part, np.array([self._number(x) for x in at]), self._axes(part, own)

    def _axes(self, part: str, own: str) -> Floats:
        """The axes of a frame in those of its part, as columns."""
        d, body = self.mechanism.dimension, self.mechanism.words.bodies.get(part)
        frame = None if body is None else body.frames.get(own)
        if frame is None:
            return np.eye(d)
        if d == 2:
            a = self._number(frame.angle)
            return np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        z = self._direction(frame.z, [0.0, 0.0, 1.0])
        x = self._direction(frame.x, _across(z)[0])
        x = x - (x @ z) * z
        x = x / np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z], axis=1)

    def _direction(self, given: Sequence[Expr], usual: Sequence[float]) -> Floats:
        v = np.array([self._number(x) for x in given] + [0.0] * (3 - len(given))) if given else np.array(usual)
        return np.asarray(v / np.linalg.norm(v))

    def _number(self, value: Expr) -> float:
        return float(self.mechanism.compute(value))


def _across(n: Floats) -> list[list[float]]:
    """Two directions across one of space: x, or y where that is along it, made perpendicular."""
    x = np.eye(3)[1 if math.hypot(n[1], n[2]) <= 1e-6 * abs(n[0]) else 0]
    x = x - (x @ n) * n
    x = x / np.linalg.norm(x)
    return [x.tolist(), np.cross(n, x).tolist()]


def _chain(path: Floats) -> list[list[list[float]]]:
    return [[a, b] for a, b in zip(path[:-1].tolist(), path[1:].tolist(), strict=True)]


def _drawn(
    name: str, part: str, point: str, lines: list[list[list[float]]], plane: list[list[float]] | None = None
) -> Drawing:
    return {"name": name, "part": part, "point": point, "lines": lines, "plane": plane}
