"""Angles that are no coordinates: states in points in, angles up to whole turns and their rates out, all at once.

Of a part of the plane the way of its x axis; of a joint of space that turns, from x₁ to x₂ about the common axis:

    φ = atan2(y₁·x₂, x₁·x₂)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations.absolute import compute_axes, compute_spin
from linkwork.equations.joints import find_directions
from linkwork.equations.system import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.connections import WORLD
from linkwork.model.tracked import has_turn


@dataclass(frozen=True, kw_only=True)
class SeenAngles:
    """Angles that are read off the places of points.

    names    (angles,): of parts of the plane or of joints of space
    used     the coordinates they depend on
    corners  (parts, d, d): the places of the first points of parts, among those used and the fixed ones behind
    fixed    coordinates that do not move
    parts    (2, angles): the part on each side of a joint, behind the last one the world; of a part itself, twice
    sides    (2, angles, 2, 3): x and y of each side in the axes of its part; empty in the plane
    """

    names: tuple[str, ...]
    used: Ints
    corners: Ints
    fixed: Floats
    parts: Ints
    sides: Floats

    def compute(self, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Angles in (−π, π], and their rates.   q, u: (k, used)  →  two times (k, angles)"""
        k, (count, d, _) = len(q), self.corners.shape
        still = np.broadcast_to(self.fixed, (k, len(self.fixed)))
        at = np.concatenate([q, still], axis=1)[:, self.corners].reshape(-1, d, d)
        speeds = np.concatenate([u, 0.0 * still], axis=1)[:, self.corners].reshape(-1, d, d)
        w = compute_spin(at, speeds).reshape(k, count, -1)
        if d == 2:
            x = (at[:, 1] - at[:, 0]).reshape(k, count, 2)
            return np.arctan2(x[:, :, 1], x[:, :, 0]), w[:, :, 0]
        R = np.concatenate([compute_axes(at).reshape(k, count, 3, 3), np.broadcast_to(np.eye(3), (k, 1, 3, 3))], axis=1)
        w = np.concatenate([w, np.zeros((k, 1, 3))], axis=1)
        one, two = (np.einsum("knij,naj->knai", R[:, p], side) for p, side in zip(self.parts, self.sides, strict=True))
        relative, x = w[:, self.parts[1]] - w[:, self.parts[0]], two[:, :, 0]
        turned = np.cross(relative, x)
        c, s = (np.sum(one[:, :, i] * x, axis=2) for i in (0, 1))
        dc, ds = (np.sum(one[:, :, i] * turned, axis=2) for i in (0, 1))
        return np.arctan2(s, c), (c * ds - s * dc) / (c * c + s * s)

    def only(self, name: str) -> SeenAngles:
        """One of them alone."""
        i = self.names.index(name)
        parts = [p for p in dict.fromkeys(self.parts[:, i].tolist()) if p < len(self.corners)]
        number = {p: k for k, p in enumerate(parts)} | {len(self.corners): len(parts)}
        places, n = self.corners[parts], len(self.used)
        needed = np.unique(places[places < n])
        return SeenAngles(
            names=(name,),
            used=self.used[needed],
            corners=np.where(places < n, np.searchsorted(needed, places), places - n + len(needed)),
            fixed=self.fixed,
            parts=np.array([[number[int(p)]] for p in self.parts[:, i]], dtype=np.int64),
            sides=self.sides[:, i : i + 1],
        )


def find_seen_angles(mechanism: Mechanism | Lagrangian | None, system: System) -> SeenAngles | None:
    """The angles of a mechanism that no coordinate tells; None if there are none."""
    if not isinstance(mechanism, Mechanism):
        return None
    return system.remember("seen angles", lambda: _find(mechanism, system))


def _find(mechanism: Mechanism, system: System) -> SeenAngles | None:
    chart, d = system.chart, mechanism.dimension
    if d == 2:
        names = [name for name, points in chart.parts.items() if name not in chart.angles and len(points) > 1]
        ends: list[tuple[str, ...]] = [(name, name) for name in names]
    else:
        turning = [joint for joint in mechanism.joints if has_turn(joint, 3) and joint.name not in chart.angles]
        names, ends = [joint.name for joint in turning], [joint.parts for joint in turning]
    if not names:
        return None
    parts = list(dict.fromkeys(part for pair in ends for part in pair if part != WORLD))
    places = np.array([[chart.points[p] for p in chart.parts[part][:d]] for part in parts], dtype=np.int64)
    used = np.unique(places[places < system.n])
    corners = np.where(places < system.n, np.searchsorted(used, places), places - system.n + len(used))
    number = {part: i for i, part in enumerate(parts)} | {WORLD: len(parts)}
    return SeenAngles(
        names=tuple(names),
        used=used,
        corners=corners.reshape(-1, d, d),
        fixed=system.frozen,
        parts=np.array([[number[pair[side]] for pair in ends] for side in (0, 1)], dtype=np.int64),
        sides=_find_sides(mechanism, names) if d == 3 else np.zeros((2, 0, 2, 3)),
    )


def _find_sides(m: Mechanism, joints: list[str]) -> Floats:
    found = [[find_directions(m, m.find_joint(name), i)[1:] for name in joints] for i in (0, 1)]
    numbers = [[[[m.compute(x) for x in axis] for axis in axes] for axes in side] for side in found]
    return np.array(numbers)
