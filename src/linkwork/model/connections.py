"""Connections other than shared points: points on a line or in a plane, and named joints between parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from linkwork.model.convert import Vector, as_vector, split_points
from linkwork.symbolic import Expr

WORLD = "world"
_set = object.__setattr__


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Collinear:
    """Three or more points stay on one line: a rod that slides through a point, a pin in a slot, a piston.

    >>> Collinear("ABC").points
    ('A', 'B', 'C')
    """

    name: str
    points: tuple[str, ...]

    def __init__(self, name: str, *, points: Iterable[str] = ()) -> None:
        _set(self, "name", name)
        _set(self, "points", tuple(points) or split_points(name))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Coplanar:
    """Four or more points stay in one plane (3D).

    >>> Coplanar("ABCD").points
    ('A', 'B', 'C', 'D')
    """

    name: str
    points: tuple[str, ...]

    def __init__(self, name: str, *, points: Iterable[str] = ()) -> None:
        _set(self, "name", name)
        _set(self, "points", tuple(points) or split_points(name))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Joint:
    """A named joint between two parts (or a part and the world), at a point of each, with an axis in each local frame.

    kind        a name in the table of joints: spherical, revolute, universal, cylindrical, prismatic, planar, fixed
    points      one point on each part; the same name twice if the parts share it
    axes        the direction of the joint in the local frames of the two parts
    references  a direction across the axis in each frame; they enclose the joint's angle (fixed, prismatic: angle 0)

    >>> Joint(name="hinge", kind="revolute", parts=("world", "OAB"), points=("O", "O"), axes=[(0, 1), (0, 0, 1)]).parts
    ('world', 'OAB')
    """

    name: str
    kind: str
    parts: tuple[str, str]
    points: tuple[str, str]
    axes: tuple[tuple[Expr, ...], tuple[Expr, ...]]
    references: tuple[tuple[Expr, ...], tuple[Expr, ...]]

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        parts: tuple[str, str],
        points: tuple[str, str],
        axes: Iterable[Vector] = ((0, 0, 1), (0, 0, 1)),
        references: Iterable[Vector] = ((1, 0, 0), (1, 0, 0)),
    ) -> None:
        part = f"joint '{name}'"
        _set(self, "name", name)
        _set(self, "kind", kind)
        _set(self, "parts", parts)
        _set(self, "points", points)
        _set(self, "axes", tuple([as_vector(axis, 3, part) for axis in axes]))
        _set(self, "references", tuple([as_vector(reference, 3, part) for reference in references]))
