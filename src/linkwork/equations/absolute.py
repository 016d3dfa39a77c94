"""The absolute formalism: a Mechanism in, a System out in which rigid parts are carried by their poses.

It is made for the integration alone. All coordinates q of the points formalism are linear in those of this one and its
followers, the entries of rotation matrices:

    q = A (x, e) + b       o = p + R z

with a constant matrix A and the places b of fixed points that parts turn about; so are all coefficients of their Taylor
series. What is known of the motion is known in points; the poses of a start follow from its points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations.collect import Collector
from linkwork.equations.formulas import FormulaList
from linkwork.equations.parts.pose import choose_homes, choose_pivots
from linkwork.equations.points import collect_parts
from linkwork.equations.posed_algebra import derive_posed, lay_out_formulas
from linkwork.equations.system import System
from linkwork.model import Mechanism
from linkwork.symbolic import Expr


@dataclass(frozen=True, kw_only=True)
class Absolute:
    """A System in absolute coordinates, and how it belongs to that in points.

    entries   (3, k): row, column and formula of the entries of A; −1 stands for the number 1
    offsets   (2, k): row and formula of the entries of b
    own       (2, k): coordinates that both have, in points and here
    parts     where the parts are: their coordinates and followers of a state in points
    rows      (2, k): constraints that both have, in points and here
    """

    points: System
    system: System
    entries: Ints
    offsets: Ints
    own: Ints
    parts: Placed
    rows: Ints

    @cached_property
    def A(self) -> csr_array:
        """q = A (x, e), and inputs behind both are the same.   (n of points + inputs, n + followers + inputs)"""
        row, column, formula = self.entries
        values = np.where(formula < 0, 1.0, self.system.numbers[formula])
        some = values != 0.0
        n, behind, held = self.points.n, self.system.n + len(self.system.followers), np.arange(len(self.points.inputs))
        values = np.concatenate([values[some], np.ones(len(held))])
        row, column = np.concatenate([row[some], n + held]), np.concatenate([column[some], behind + held])
        return csr_array((values, (row, column)), shape=(n + len(held), behind + len(held)))

    @cached_property
    def offset(self) -> Floats:
        """b.   (n of points + inputs,)"""
        b, (row, formula) = np.zeros(self.points.n + len(self.points.inputs)), self.offsets
        b[row] = self.system.numbers[formula]
        return b

    def bind(self, points: System, values: Mapping[str, float]) -> Absolute | None:
        """The same with other values of the parameters; None if they ask for another structure."""
        system = self.system.bind(values)
        return None if system is None else replace(self, points=points, system=system)

    def restricted(self, off: frozenset[int]) -> Absolute:
        """The same without some constraints, given by their numbers in points."""
        if not off:
            return self
        points, owners = self.points.restricted(off), {self.points.rows[i].owner for i in off}
        there = frozenset(i for i, row in enumerate(self.system.rows) if row.owner in owners)
        system = self.system.restricted(there)
        return replace(self, points=points, system=system, rows=_common_rows(points, system))

    def place(self, q: Floats, u: Floats) -> tuple[Floats, Floats]:
        """Coordinates with followers and inputs, and speeds, of a state in points."""
        s = self.system
        x, v = np.zeros(s.n + len(s.followers)), np.zeros(s.n)
        x[self.own[1]], v[self.own[1]] = q[self.own[0]], u[self.own[0]]
        if len(self.parts.corners):
            at, speeds = (y[self.parts.corners] for y in (self.points.extend(q), self.points.extend_rates(u)))
            self.parts.place(s.numbers, Moving(at=at, speeds=speeds), q, x, v)
        return np.concatenate([x, self.points.inputs_in(q)]), v


class Moving:
    """Where the first points of parts are and how they move.   at, speeds: (parts, d, d)"""

    def __init__(self, at: Floats, speeds: Floats) -> None:
        self.at, self.speeds = at, speeds
        self.R = compute_axes(at)
        self.w = compute_spin(at, speeds)

    @property
    def rotation(self) -> Floats:
        """The entries of R that follow: in the plane (c, s), the first column.   (parts, 2 or 9)"""
        return (self.R if self.R.shape[1] == 3 else self.R[:, :, :1]).reshape(len(self.R), -1)

    @property
    def own_spin(self) -> Floats:
        """ω in the axes of the parts."""
        return self.w if self.R.shape[1] == 2 else np.einsum("kji,kj->ki", self.R, self.w)

    def turns_of(self, part: Ints, tracked: Ints, q: Floats) -> Floats:
        """How far parts of the plane have turned: as tracked, or as it is seen."""
        seen = np.arctan2(self.R[part, 1, 0], self.R[part, 0, 0])
        return np.where(tracked < 0, seen, q[tracked])

    def find(self, z: Floats) -> tuple[Floats, Floats]:
        """The places and velocities of one point of each part, at z in the axes of the part.   z: (parts, d)"""
        arm = np.einsum("kij,kj->ki", self.R, z)
        return self.at[:, 0] + arm, self.speeds[:, 0] + turned(self.w, arm)


class Placed(Protocol):
    """Where parts are: a state in points in, their coordinates, followers and speeds out."""

    @property
    def corners(self) -> Ints:
        """(parts, d, d): the places of the first points of parts, as in Term.coordinates."""

    def place(self, numbers: Floats, moving: Moving, q: Floats, x: Floats, v: Floats) -> None:
        """Put coordinates and followers into x, speeds into v."""


@dataclass(frozen=True, kw_only=True)
class Poses:
    """Parts by their poses.

    corners   (parts, d, d): the places of the first points of parts, as in Term.coordinates
    centres   (parts, d): the formulas of their mass centres
    turns     (parts,): their tracked turn angles in points, or −1
    poses     (parts, coordinates) and followers (parts, entries of R), behind the coordinates
    """

    corners: Ints
    centres: Ints
    turns: Ints
    poses: Ints
    followers: Ints

    def place(self, numbers: Floats, moving: Moving, q: Floats, x: Floats, v: Floats) -> None:
        """Put coordinates and followers into x, speeds into v."""
        d = moving.R.shape[1]
        x[self.followers] = moving.rotation
        free = self.poses[:, 0] < len(v)  # others turn about fixed points
        where, speed = moving.find(numbers[self.centres])
        x[self.poses[free, :d]], v[self.poses[free, :d]] = where[free], speed[free]
        v[self.poses[:, d:]] = moving.own_spin
        if d == 2:
            x[self.poses[:, 2]] = moving.turns_of(np.arange(len(self.turns)), self.turns, q)


def compute_axes(at: Floats) -> Floats:
    """Rotation matrices of parts whose first points are at these places.   at: (parts, d, d)  →  (parts, d, d)"""
    x = _unit(at[:, 1] - at[:, 0])
    if at.shape[2] == 2:
        return np.stack([x, np.stack([-x[:, 1], x[:, 0]], axis=1)], axis=2)
    y = at[:, 2] - at[:, 0]
    y = _unit(y - np.sum(x * y, axis=1, keepdims=True) * x)
    return np.stack([x, y, np.cross(x, y)], axis=2)


def compute_spin(at: Floats, v: Floats) -> Floats:
    """Angular velocities in the world, from velocities ω × d of two edges d.   → (parts, 1 or 3)"""
    d, rate = at[:, 1] - at[:, 0], v[:, 1] - v[:, 0]
    size = np.sum(d * d, axis=1, keepdims=True)
    if at.shape[2] == 2:
        return np.asarray((d[:, :1] * rate[:, 1:] - d[:, 1:] * rate[:, :1]) / size)
    # across the first edge ω = d × ḋ / d²; along it what moves the second edge, e, across both
    across = np.cross(d, rate) / size
    e, other = at[:, 2] - at[:, 0], v[:, 2] - v[:, 0]
    normal = np.cross(d, e)
    left = other - np.cross(across, e)
    share = np.sum(normal * left, axis=1, keepdims=True) / np.sum(normal * normal, axis=1, keepdims=True)
    return np.asarray(across + share * d)


def turned(w: Floats, r: Floats) -> Floats:
    """ω × r.   w: (k, 1 or 3), r: (k, d)"""
    return np.asarray(np.cross(_in_space(w), _in_space(r))[:, : r.shape[1]])


def _unit(v: Floats) -> Floats:
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


def _in_space(v: Floats) -> Floats:
    """Vectors of the plane in space; one component is along z."""
    k, d = v.shape
    found = np.zeros((k, 3))
    found[:, slice(2, 3) if d == 1 else slice(0, d)] = v
    return found


def formulate_absolute(mechanism: Mechanism, points: System) -> Absolute:
    """The equations of a mechanism in which poses carry what they can, given those in points."""
    formulas = FormulaList(mechanism.values)
    homes = choose_homes(mechanism, formulas)
    # a fixed point that a body turns about has no multipliers: laws of reactions need them
    pivots = {} if mechanism.algebra else choose_pivots(mechanism, homes)
    f = collect_parts(mechanism, homes, formulas, pivots)
    read = lay_out_formulas(f, points)
    entries, offsets = _entries(f, points), _offsets(f, points)
    centres = [f.formulas.places(mechanism.find_rigid(part).centroid) for part in f.carried]
    system = f.system()
    behind = system.n - system.first_follower
    parts = Poses(
        corners=find_corners(f, points),
        centres=np.array(centres, dtype=np.int64).reshape(-1, mechanism.dimension),
        turns=np.array([points.chart.angles.get(part, -1) for part in f.carried], dtype=np.int64),
        poses=np.array([each.coordinates for each in f.carried.values()], dtype=np.int64),
        followers=np.array([each.followers for each in f.carried.values()], dtype=np.int64) + behind,
    )
    made = make_absolute(points, system, entries, offsets, parts)
    return replace(made, system=derive_posed(f, made, read)) if read else made


def find_corners(f: Collector, points: System) -> Ints:
    """The places of the first points of carried parts, as in Term.coordinates.   (parts, d, d)"""
    d, corners = f.dimension, [[points.chart.points[p] for p in f.corners(part)] for part in f.carried]
    return np.array(corners, dtype=np.int64).reshape(-1, d, d)


def make_absolute(
    points: System,
    system: System,
    entries: Sequence[tuple[int, ...]],
    offsets: Sequence[tuple[int, ...]],
    parts: Placed,
) -> Absolute:
    """Two systems of one mechanism, by what links them."""
    own = [(i, system.index[name]) for i, name in enumerate(points.coordinates) if name in system.index]
    return Absolute(
        points=points,
        system=system,
        entries=_table(entries, 3).T,
        offsets=_table(offsets, 2).T,
        own=_table(own, 2).T,
        parts=parts,
        rows=_common_rows(points, system),
    )


def _table(rows: Sequence[tuple[int, ...]], width: int) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _entries(f: Collector, points: System) -> list[tuple[int, ...]]:
    """The entries of A: row, column, formula."""
    here = {name: i for i, name in enumerate(f.names)}
    found: list[tuple[int, ...]] = [(i, here[name], -1) for i, name in enumerate(points.coordinates) if name in here]
    behind = len(f.names) - f.first_follower
    for part, carried in f.carried.items():
        if f.dimension == 2 and part in points.chart.angles:
            found.append((points.chart.angles[part], carried.coordinates[2], -1))
    at_home = ((point, part) for point, part in f.homes.items() if point in points.chart.points)
    for point, part in at_home:
        carried = f.carried[part]
        for i, row in enumerate(points.chart.points[point]):
            if carried.pivot is None:
                found.append((row, carried.coordinates[i], -1))
            turned_by = rotated(carried.followers, carried.at[point], i)
            found += [(row, e + behind, f.formulas.place(factor)) for e, factor in turned_by]
    return found


def _offsets(f: Collector, points: System) -> list[tuple[int, ...]]:
    """The entries of b: row, formula."""
    found: list[tuple[int, ...]] = []
    for point, part in f.homes.items():
        pivot = f.carried[part].pivot
        if pivot is not None and point in points.chart.points:
            found += zip(points.chart.points[point], f.formulas.places(f.mechanism.fixed[pivot.fixed]), strict=True)
    return found


def rotated(followers: tuple[int, ...], z: Sequence[Expr], i: int) -> list[tuple[int, Expr]]:
    """Component i of R z: entries of R with their factors."""
    if len(z) == 3:
        return [(followers[3 * i + j], z[j]) for j in range(3)]
    c, s = followers
    return [(c, z[0]), (s, -z[1])] if i == 0 else [(s, z[0]), (c, z[1])]


def _common_rows(points: System, system: System) -> Ints:
    """Constraints that both systems have, by their names.   (2, k)"""
    known = {name: i for i, name in enumerate(points.constraints) if points.constraints.count(name) == 1}
    return _table([(known[name], i) for i, name in enumerate(system.constraints) if name in known], 2).T
