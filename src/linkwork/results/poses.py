"""Poses: a part of a mechanism that moves in, its position, orientation and their rates out, in any of the usual ways.

The axes of a part follow from its first points, ê₁ along the first two and, in space, ê₂ towards the third, so that a
pose is as accurate as the points. With R = (ê₁ ê₂ ê₃) the angular velocity is that of Ṙ = ω × R, and its rate that of
R̈ = α × R + ω × (ω × R).
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import LinkworkError, did_you_mean
from linkwork.model import Lagrangian, Mechanism

if TYPE_CHECKING:
    from linkwork.results.names import Moving


# the twelve: three letters, neighbours different; turns about the axes as they are after the turns before
SEQUENCES = tuple("".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] != s[2])
FRAMES = ("world", "body")


class Pose:
    """Where a part is and how it has turned, at one time or at several (the first axis of every array).

    position, velocity, acceleration   of the part's origin, in the world   (..., d)
    rotation                           R, whose columns are the part's axes in the world   (..., d, d)
    angle                              in the plane: of the x axis, with whole turns      (...)
    """

    def __init__(self, of: Moving, part: str) -> None:
        m = of.mechanism
        self.part, self._of = part, of
        if isinstance(m, Lagrangian) and part in m.bodies:
            self._d, self._local = 3, np.eye(2)
            return
        if not isinstance(m, Mechanism) or part not in of.system.chart.parts:
            known = list(m.bodies if isinstance(m, Lagrangian) else of.system.chart.parts)
            hint = did_you_mean(part, known) or (f"Parts are {', '.join(known)}" if known else "There are none")
            raise LinkworkError(f"no part named '{part}'. {hint}")
        self._d = m.dimension
        rigid = m.find_rigid(part)
        if len(rigid.points) < self._d:
            raise LinkworkError(f"part '{part}' is a thin rod without axes of its own. Give it a third point")
        self._points: tuple[str, ...] = rigid.points[: self._d]
        places = np.array([[m.compute(x) for x in place] for place in rigid.geometry[: self._d]])
        # edges of the first points in the part's axes: world edges = R edges
        self._local = np.linalg.inv((places[1:] - places[0]).T[: self._d - 1])

    def __repr__(self) -> str:
        return f"Pose({self.part})"

    @property
    def _by_words(self) -> bool:
        """Whether the axes are known by name, as of bodies that are told by coordinates."""
        return isinstance(self._of.mechanism, Lagrangian)

    def _edges(self, what: str) -> Floats:
        from linkwork.results.names import pick

        if self._by_words:
            rows = [[pick(self._of, f"{self.part}.{axis}{c}", what) for axis in "xy"] for c in "xyz"]
            return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
        first, *others = (pick(self._of, point, what) for point in self._points)
        return np.stack([other - first for other in others], axis=-1) @ self._local

    @property
    def position(self) -> Floats:
        """Of the part's origin."""
        return self._origin("place")

    @property
    def velocity(self) -> Floats:
        """Of the part's origin."""
        return self._origin("velocity")

    @property
    def acceleration(self) -> Floats:
        """Of the part's origin."""
        return self._origin("acceleration")

    def _origin(self, what: str) -> Floats:
        from linkwork.results.names import pick

        if self._by_words:
            return np.stack([pick(self._of, f"{self.part}.{c}", what) for c in "xyz"], axis=-1)
        return pick(self._of, self._points[0], what)

    @cached_property
    def rotation(self) -> Floats:
        """R, the part's axes in the world as columns."""
        e = self._edges("place")
        if self._d == 2:
            x = e[..., 0]
            return np.stack([x, np.stack([-x[..., 1], x[..., 0]], axis=-1)], axis=-1)
        return np.stack([e[..., 0], e[..., 1], np.cross(e[..., 0], e[..., 1])], axis=-1)

    @property
    def angle(self) -> Floats:
        """Of the x axis, with whole turns."""
        self._only(2, "an angle; in space ask for its rotation, quaternion or Euler angles")
        return self._of[f"{self.part}.angle"]

    def omega(self, frame: str = "world") -> Floats:
        """The angular velocity: a number in the plane, a vector in the world's or the body's axes in space."""
        return self._turned(self._omega, frame)

    def alpha(self, frame: str = "world") -> Floats:
        """The angular acceleration."""
        return self._turned(self._alpha, frame)

    @cached_property
    def _omega(self) -> Floats:
        return _axial(self.rotation, self._edges("velocity"))

    @cached_property
    def _alpha(self) -> Floats:
        w, R = self._omega, self.rotation
        rates = self._edges("acceleration")
        if self._d == 2:
            return _axial(R, rates + (w**2)[..., None, None] * R[..., :1])
        turning = np.cross(w[..., None, :], np.cross(w[..., None, :], np.swapaxes(R, -1, -2)))
        return _axial(R, rates - np.swapaxes(turning, -1, -2)[..., :2])

    @property
    def quaternion(self) -> Floats:
        """Euler parameters (e₀, e₁, e₂, e₃), e₀ the cosine of half the angle; along a motion without jumps."""
        self._only(3, "Euler parameters")
        return _quaternion(self.rotation)

    def euler(self, sequence: str = "zxz") -> Floats:
        """Three angles, of turns about the axes named, each as it is after the turns before: R = R₁ R₂ R₃."""
        self._only(3, "Euler angles")
        if sequence not in SEQUENCES:
            raise LinkworkError(f"'{sequence}' is no sequence of Euler angles. Use one of {', '.join(SEQUENCES)}")
        return euler_angles(self.rotation, sequence)

    def _only(self, dimension: int, what: str) -> None:
        if self._d != dimension:
            raise LinkworkError(
                f"part '{self.part}' has no {what}" if dimension == 2 else f"{what} are for dimension 3"
            )

    def _turned(self, w: Floats, frame: str) -> Floats:
        if frame not in FRAMES:
            raise LinkworkError(f"frame '{frame}' is neither 'world' nor 'body'")
        return w if frame == "world" or self._d == 2 else np.einsum("...ij,...i->...j", self.rotation, w)


def _axial(R: Floats, rates: Floats) -> Floats:
    """ω of the rates ω × R of the first axes."""
    if R.shape[-1] == 2:
        return np.asarray(np.einsum("...i,...i->...", R[..., :, 1], rates[..., 0]))
    e1, e2, e3 = (R[..., i] for i in range(3))
    d1, d2 = rates[..., 0], rates[..., 1]
    parts = [np.einsum("...i,...i->...", a, b) for a, b in ((e3, d2), (-e3, d1), (e2, d1))]
    return np.asarray(parts[0][..., None] * e1 + parts[1][..., None] * e2 + parts[2][..., None] * e3)


def _quaternion(R: Floats) -> Floats:
    """Of rotation matrices, from the largest of the four squares; neighbours point the same way."""
    xx, yy, zz = (R[..., i, i] for i in range(3))
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    d, e, f = R[..., 1, 0] + R[..., 0, 1], R[..., 0, 2] + R[..., 2, 0], R[..., 2, 1] + R[..., 1, 2]
    rows = np.stack([
        np.stack([squares[..., 0], a, b, c], axis=-1), np.stack([a, squares[..., 1], d, e], axis=-1),
        np.stack([b, d, squares[..., 2], f], axis=-1), np.stack([c, e, f, squares[..., 3]], axis=-1),
    ], axis=-2)  # fmt: skip
    best = np.argmax(squares, axis=-1)
    found = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    found = found / np.linalg.norm(found, axis=-1, keepdims=True)
    if found.ndim == 1:
        return np.asarray(found if found[0] >= 0 else -found)
    signs = np.cumprod(np.where(np.sum(found[1:] * found[:-1], axis=-1) < 0, -1.0, 1.0))
    first = 1.0 if found[0, 0] >= 0 else -1.0
    return np.asarray(found * (first * np.concatenate([[1.0], signs]))[:, None])


def euler_angles(R: Floats, sequence: str) -> Floats:
    """Angles of R = R₁(a) R₂(b) R₃(c); where the second is singular the third is zero.   (..., 3)"""
    i, j, k = ("xyz".index(axis) for axis in sequence)
    proper = i == k
    other = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0  # of i, j, other as a right-handed triple
    if proper:
        b = np.arctan2(np.hypot(R[..., i, j], R[..., i, other]), R[..., i, i])
        a = np.arctan2(R[..., j, i], -sign * R[..., other, i])
        c = np.arctan2(R[..., i, j], sign * R[..., i, other])
    else:
        b = np.arctan2(sign * R[..., i, k], np.hypot(R[..., i, i], R[..., i, j]))
        a = np.arctan2(-sign * R[..., j, k], R[..., k, k])
        c = np.arctan2(-sign * R[..., i, j], R[..., i, i])
    singular = (np.sin(b) if proper else np.cos(b)) ** 2 < 1e-24
    if np.any(singular):
        # a and c turn about the same axis: all of it is a
        whole = np.arctan2(sign * R[..., other if proper else k, j], R[..., j, j])
        a, c = np.where(singular, whole, a), np.where(singular, 0.0, c)
    return np.stack([a, b, c], axis=-1)
