"""Layout: velocities by which everything in a mechanism moves, those of its parts and of the points that no part has.

Every part has a velocity of its first point and an angular velocity, every point without a part a velocity. Forces at
points and torques on parts become forces along these (power F·v), and ties become rows over them (row·V = rate).
"""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.bodies import Bodies, cross, norm
from linkwork.audit.readings import Readings
from linkwork.model import Mechanism


class Layout:
    """Columns of parts and free points at k times."""

    def __init__(self, m: Mechanism, bodies: Bodies, readings: Readings) -> None:
        self.mechanism, self.bodies, self.readings = m, bodies, readings
        self.d = m.dimension
        self.width = self.d + (1 if self.d == 2 else 3)
        self.part = {part.name: i for i, part in enumerate(m.rigids)}
        self.owners: dict[str, list[int]] = {}
        for i, part in enumerate(m.rigids):
            for point in part.points:
                self.owners.setdefault(point, []).append(i)
        begin = self.width * len(m.rigids)
        loose = [p for p in readings.points if p not in self.owners and p not in m.fixed]
        self.free = {p: begin + self.d * i for i, p in enumerate(loose)}
        self.count = begin + self.d * len(loose)
        self.k = len(readings.t)

    @cached_property
    def velocities(self) -> Floats:
        """V as the motion has it.   (k, columns)"""
        b, r = self.bodies, self.readings
        parts = np.concatenate([r.v[:, b.shapes.first[:, 0]], b.omega], axis=2).reshape(self.k, -1)
        loose = r.v[:, [r.points[p] for p in self.free]].reshape(self.k, -1)
        return np.concatenate([parts, loose], axis=1)

    @property
    def labels(self) -> list[str]:
        """Whom a group of columns belongs to."""
        return [*self.part, *self.free]

    def begin(self, part: int) -> int:
        """The first column of a part."""
        return self.width * part


class Loads:
    """Forces and torques summed up along the columns, and how large they are part by part."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.total = np.zeros((layout.k, layout.count))
        self.size = np.zeros((layout.k, layout.count))

    def head(self, count: int) -> Loads:
        """Those of the first times."""
        found = copy(self)
        found.total, found.size = self.total[:count], self.size[:count]
        return found

    def push(self, point: str, force: Floats) -> None:
        """A force at a point.   (k, d)"""
        lay = self.layout
        if point in lay.owners:
            self.push_part(lay.owners[point][0], lay.readings.at(point), force)
        elif point in lay.free:
            self._add(lay.free[point], force)

    def push_part(self, part: int, place: Floats, force: Floats) -> None:
        """A force on a part at a place.   (k, d)"""
        begin = self.layout.begin(part)
        self._add(begin, force)
        self._add(begin + self.layout.d, cross(place - self.layout.bodies.o[:, part], force))

    def push_parts(self, places: Floats, forces: Floats) -> None:
        """Forces on all parts at places.   (k, P, d)"""
        moments = cross(places - self.layout.bodies.o, forces)
        self._add_parts(np.concatenate([forces, moments], axis=2), norm(forces), norm(moments))

    def turn_parts(self, torques: Floats) -> None:
        """Torques on all parts.   (k, P, 1 or 3)"""
        forces = np.zeros((*torques.shape[:2], self.layout.d))
        self._add_parts(np.concatenate([forces, torques], axis=2), np.zeros_like(torques[..., :1]), norm(torques))

    def _add_parts(self, values: Floats, force: Floats, moment: Floats) -> None:
        lay = self.layout
        shape, columns = (lay.k, len(lay.part), lay.width), slice(0, lay.width * len(lay.part))
        self.total[:, columns] += values.reshape(lay.k, -1)
        size = np.empty(shape)
        size[..., : lay.d], size[..., lay.d :] = force, moment
        self.size[:, columns] += size.reshape(lay.k, -1)

    def turn(self, part: int, torque: Floats) -> None:
        """A torque on a part.   (k, 1 or 3)"""
        self._add(self.layout.begin(part) + self.layout.d, torque)

    def _add(self, begin: int, values: Floats) -> None:
        columns = slice(begin, begin + values.shape[1])
        self.total[:, columns] += values
        self.size[:, columns] += norm(values)


class Rows:
    """Rows over the columns, as triplets with values at k times, and what the rows times V should be."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.labels: list[str] = []
        self.rates: list[Floats] = []
        self.row: list[int] = []
        self.column: list[int] = []
        self.values: list[Floats] = []

    def new(self, label: str, rate: Floats | None = None) -> int:
        """One more row."""
        self.labels.append(label)
        self.rates.append(np.zeros(self.layout.k) if rate is None else np.broadcast_to(rate, self.layout.k))
        return len(self.labels) - 1

    def point(self, row: int, point: str, direction: Floats, owner: int | None = None) -> None:
        """direction · (velocity of a point), as a point of this part or of the first that has it.   (k, d)"""
        lay = self.layout
        owners = lay.owners.get(point, ())
        if owners:
            self.place(row, owners[0] if owner is None else owner, lay.readings.at(point), direction)
        elif point in lay.free:
            self._add(row, lay.free[point], direction)

    def place(self, row: int, part: int, place: Floats, direction: Floats) -> None:
        """direction · (velocity of what is at a place and moves with a part)."""
        lay = self.layout
        begin = lay.begin(part)
        self._add(row, begin, direction)
        self._add(row, begin + lay.d, cross(place - lay.bodies.o[:, part], direction))

    def spin(self, row: int, part: int, direction: Floats) -> None:
        """direction · (angular velocity of a part).   (k, 1 or 3)"""
        self._add(row, self.layout.begin(part) + self.layout.d, direction)

    def _add(self, row: int, begin: int, values: Floats) -> None:
        for i in range(values.shape[1]):
            self.row.append(row)
            self.column.append(begin + i)
            self.values.append(values[:, i])

    def triplets(self) -> tuple[Floats, list[int], list[int]]:
        """Values (k, entries), rows and columns."""
        return np.stack(self.values, axis=1) if self.values else np.zeros((self.layout.k, 0)), self.row, self.column
