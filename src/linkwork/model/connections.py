"""Connections other than shared points: points on a line or in a plane, and named joints between parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from linkwork.model.convert import Vector, as_vectors, name_points
from linkwork.symbolic import Expr

WORLD = "world"
_set = object.__setattr__


@dataclass(frozen=True, slots=True, kw_only=True)
class JointKind:
    """What a kind of joint leaves free and what it has to be told."""

    freedom: int
    axes: bool = False  # a direction in each part
    references: bool = False  # and another one across it
    turns: bool = False  # whether there is one angle, that between the references


JOINT_KINDS = {
    "spherical": JointKind(freedom=3),
    "revolute": JointKind(freedom=1, axes=True, references=True, turns=True),
    "universal": JointKind(freedom=2, axes=True),
    "cylindrical": JointKind(freedom=2, axes=True, references=True, turns=True),
    "prismatic": JointKind(freedom=1, axes=True, references=True),
    "planar": JointKind(freedom=3, axes=True, references=True, turns=True),
    "fixed": JointKind(freedom=0, axes=True, references=True),
}


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
        _set(self, "points", name_points(name, points, f"collinear '{name}'"))


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
        _set(self, "points", name_points(name, points, f"coplanar '{name}'"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Joint:
    """A named joint between two parts (or a part and the world), at a point of each, with an axis in each local frame.

    kind        a name in JOINT_KINDS: spherical, revolute, universal, cylindrical, prismatic, planar, fixed
    points      one point on each part; the same name twice if the parts share it
    axes        the direction of the joint in the local frames of the two parts, of any length; universal: the two
                arms of the cross, which stay at right angles
    references  a direction across the axis in each frame; they enclose the joint's angle (fixed, prismatic: angle 0).
                Left out: the local x axis, or y if x is along the axis; filled in by the mechanism

    >>> Joint(name="hinge", kind="revolute", parts=("world", "OAB"), points=("O", "O"), axes=[(0, 1), (0, 0, 1)]).parts
    ('world', 'OAB')
    """

    name: str
    kind: str
    parts: tuple[str, str]
    points: tuple[str, str]
    axes: tuple[tuple[Expr, ...], ...]
    references: tuple[tuple[Expr, ...], ...]

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        parts: tuple[str, str],
        points: tuple[str, str],
        axes: Iterable[Vector] = ((0, 0, 1), (0, 0, 1)),
        references: Iterable[Vector] = (),
    ) -> None:
        part = f"joint '{name}'"
        _set(self, "name", name)
        _set(self, "kind", kind)
        _set(self, "parts", tuple(parts))
        _set(self, "points", tuple(points))
        _set(self, "axes", as_vectors(axes, part))
        _set(self, "references", as_vectors(references, part))
