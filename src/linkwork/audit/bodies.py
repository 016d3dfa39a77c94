"""Rigid parts as bodies that turn and travel: places of their points in, frames and twists out, by plain kinematics.

A frame follows from the first points of a part: in the plane two, in space three, of a rod two.

    x_P = o + R z_P     v_P = v_o + ω × R z_P     a_P = a_o + α × R z_P + ω × (ω × R z_P)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats, Ints
from linkwork.audit.readings import Readings
from linkwork.model import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """The rigid parts of a mechanism as numbers, P parts with Q points altogether.

    first    numbers of the first points of each part; a rod in space has no third one   (P, dimension)
    of, at   part and point of each entry of z   (Q,)
    z        places of points in the frames of their parts   (Q, dimension)
    centroid, mass, inertia   (P, dimension), (P,), (P,) or (P, 3, 3)
    """

    names: tuple[str, ...]
    first: Ints
    of: Ints
    at: Ints
    z: Floats
    centroid: Floats
    mass: Floats
    inertia: Floats
    rods: NDArray[np.bool_]


def measure_shapes(m: Mechanism, points: dict[str, int]) -> Shapes:
    """Lengths, places and masses of a description as numbers."""
    d, n = m.dimension, m.compute
    first, of, at, z = [], [], [], []
    for i, part in enumerate(m.rigids):
        first.append([points[p] for p in (*part.points[:d], *part.points[: max(0, d - len(part.points))])])
        for point, place in zip(part.points, part.geometry, strict=True):
            of.append(i)
            at.append(points[point])
            z.append([n(x) for x in place])
    count = len(m.rigids)
    return Shapes(
        names=tuple(part.name for part in m.rigids),
        first=np.array(first, dtype=np.int64).reshape(count, d),
        of=np.array(of, dtype=np.int64),
        at=np.array(at, dtype=np.int64),
        z=np.array(z, dtype=np.float64).reshape(-1, d),
        centroid=np.array([[n(x) for x in part.centroid] for part in m.rigids]).reshape(count, d),
        mass=np.array([n(part.mass) for part in m.rigids]),
        inertia=_inertia(m),
        rods=np.array([d == 3 and len(part.points) == 2 for part in m.rigids], dtype=bool),
    )


def _inertia(m: Mechanism) -> Floats:
    numbers = [[m.compute(x) for x in part.inertia] for part in m.rigids]
    if m.dimension == 2:
        return np.array([values[0] for values in numbers])
    found = np.zeros((len(numbers), 3, 3))
    for I, values in zip(found, numbers, strict=True):
        xx, yy, zz, xy, xz, yz = values + [0.0] * (6 - len(values)) if len(values) > 1 else (0.0, *values * 2, 0, 0, 0)
        I[:] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return found


@dataclass(frozen=True)
class Bodies:
    """All rigid parts at k times.   o, v, a: (k, P, d);  R: (k, P, d, d);  ω, α: (k, P, 1 or 3)"""

    shapes: Shapes
    readings: Readings

    @cached_property
    def o(self) -> Floats:
        """Where the first points are."""
        return self.readings.x[:, self.shapes.first[:, 0]]

    @cached_property
    def R(self) -> Floats:
        """The axes of the parts as columns."""
        x = _unit(self._from_first(self.readings.x, 1))
        if x.shape[-1] == 2:
            return np.stack([x, _across(x)], axis=-1)
        y = self._from_first(self.readings.x, 2)
        # a rod has no third point: any direction across it will do
        y = np.where(self.shapes.rods[:, None], np.eye(3)[np.argmin(np.abs(x), axis=-1)], y)
        y = _unit(y - np.sum(x * y, axis=-1, keepdims=True) * x)
        return np.stack([x, y, cross(x, y)], axis=-1)

    @cached_property
    def omega(self) -> Floats:
        """Angular velocities; of rods those across."""
        return self._turning(self.readings.v)

    @cached_property
    def alpha(self) -> Floats:
        """Angular accelerations."""
        a, w = self.readings.a, self.omega
        relative = [self._from_first(self.readings.x, i) for i in range(1, a.shape[-1])]
        inward = [cross(w, cross(w, r)) for r in relative]
        return self._turning(a, inward)

    def travel(self, level: int, z: Floats, of: Ints | slice = slice(None)) -> Floats:
        """Place, velocity or acceleration of what is at z in the frames of parts.   z: (Q, d)  →  (k, Q, d)"""
        r = np.einsum("kqij,qj->kqi", self.R[:, of], z)
        if level == 0:
            return np.asarray(self.o[:, of] + r)
        first, w = self.shapes.first[:, 0][of], self.omega[:, of]
        if level == 1:
            return np.asarray(self.readings.v[:, first] + cross(w, r))
        return np.asarray(self.readings.a[:, first] + cross(self.alpha[:, of], r) + cross(w, cross(w, r)))

    def _from_first(self, values: Floats, i: int) -> Floats:
        """Differences of the i-th to the first points."""
        return np.asarray(values[:, self.shapes.first[:, i]] - values[:, self.shapes.first[:, 0]])

    def _turning(self, values: Floats, less: list[Floats] | None = None) -> Floats:
        """ω or α from velocities or accelerations of the first points.   d = ω × r"""
        d = [self._from_first(values, i) - (less[i - 1] if less else 0.0) for i in range(1, values.shape[-1])]
        R, z = self.R, self._first_places
        length = z[:, 1, 0]
        along = np.einsum("kpij,kpi->kpj", R, d[0]) / length[:, None]
        if len(d) == 1:
            return np.asarray(along[:, :, 1:])
        w1, w2 = -along[:, :, 2], along[:, :, 1]
        xi, eta = z[:, 2, 0], np.where(self.shapes.rods, 1.0, z[:, 2, 1])
        w0 = (np.einsum("kpi,kpi->kp", d[1], R[:, :, :, 2]) + w1 * xi) / eta
        w0 = np.where(self.shapes.rods, 0.0, w0)
        return np.asarray(np.einsum("kpij,kpj->kpi", R, np.stack([w0, w1, w2], axis=-1)))

    @cached_property
    def drawn(self) -> Floats:
        """The shortest distance that the axes of each part are drawn by.   (P,)"""
        s, z = self.shapes, np.abs(self._first_places)
        along = z[:, 1, 0]
        return along if z.shape[1] == 2 else np.where(s.rods, along, np.minimum(along, z[:, 2, -2]))

    @cached_property
    def _first_places(self) -> Floats:
        """Places of the first points in the frames of their parts.   (P, d, d)"""
        s, d = self.shapes, self.shapes.z.shape[1]
        found = np.zeros((len(s.names), d, d))
        counts = np.zeros(len(s.names), dtype=np.int64)
        for i, z in zip(s.of, s.z, strict=True):
            if counts[i] < d:
                found[i, counts[i]] = z
                counts[i] += 1
        return found


def cross(a: Floats, b: Floats) -> Floats:
    """a × b; in the plane ω × r with ω of one component, or r × F."""
    if a.shape[-1] == 1:
        return np.asarray(a * _across(b))
    if a.shape[-1] == 2:
        return np.asarray(a[..., :1] * b[..., 1:] - a[..., 1:] * b[..., :1])
    # written out, since np.cross is slow for small arrays
    a0, a1, a2, b0, b1, b2 = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    first = a1 * b2 - a2 * b1
    found = np.empty((*first.shape, 3))
    found[..., 0], found[..., 1], found[..., 2] = first, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
    return found


def norm(x: Floats) -> Floats:
    """Lengths of vectors along the last axis, which is kept."""
    return np.asarray(np.sqrt(np.add.reduce(x * x, axis=-1, keepdims=True)))


def _across(r: Floats) -> Floats:
    found = np.empty(r.shape)
    found[..., 0], found[..., 1] = -r[..., 1], r[..., 0]
    return found


def _unit(x: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(x / norm(x))
