"""Connections other than shared points: points on a line or in a plane, and named joints between parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from linkwork.given import as_flag, as_map, as_name, as_part, as_texts
from linkwork.model.convert import Scalar, Vector, as_value, as_values, as_vectors, name_points
from linkwork.model.part import Part, set_field
from linkwork.symbolic import Expr

WORLD = "world"


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Collinear(Part):
    """Three or more points stay on one line: a rod that slides through a point, a pin in a slot, a piston.

    >>> Collinear("ABC").points
    ('A', 'B', 'C')
    """

    WORD = "collinear"
    POINTS = ("points",)

    name: str
    points: tuple[str, ...]

    def __init__(self, name: str, *, points: Iterable[str] = ()) -> None:
        set_field(self, "name", name)
        set_field(self, "points", name_points(name, points, as_part(self.WORD, name)))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Coplanar(Part):
    """Four or more points stay in one plane (3D).

    >>> Coplanar("ABCD").points
    ('A', 'B', 'C', 'D')
    """

    WORD = "coplanar"
    POINTS = ("points",)

    name: str
    points: tuple[str, ...]

    def __init__(self, name: str, *, points: Iterable[str] = ()) -> None:
        set_field(self, "name", name)
        set_field(self, "points", name_points(name, points, as_part(self.WORD, name)))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Joint(Part):
    """A named joint between two parts (or a part and the world), at a point of each, with directions in each frame.

    kind        a kind of the table of joints: revolute, translational, spherical, ... or one of the user's own
    frames      the two frames it joins: `crank.pin` of a body, `OA.A` at the point A of a part, `world.O`
    or
    parts       the two parts
    points      one point on each part; the same name twice if the parts share it
    axes        in space, the direction of the joint in the local frames of the two parts, of any length; universal: the
                two arms of the cross, which stay at right angles
    references  a direction across the axis in each frame; they enclose the joint's angle (fixed, prismatic: angle 0).
                Left out: the local x axis, or y if x is along the axis; filled in by the mechanism
    and
    parameters  further numbers that the kind needs: length, radius, pitch, ...
    active      whether it holds from the start on; events switch it on and off

    >>> Joint(name="hinge", kind="revolute", parts=("world", "OAB"), points=("O", "O"), axes=[(0, 1), (0, 0, 1)]).parts
    ('world', 'OAB')
    >>> Joint(name="big", kind="revolute", frames=("crank.pin", "rod.big")).parts
    ('crank', 'rod')
    """

    WORD = "joint"
    VALUES = ("axes", "references", "angles", "parameters")

    name: str
    kind: str
    frames: tuple[str, ...]
    parts: tuple[str, ...]
    points: tuple[str, ...]
    axes: tuple[tuple[Expr, ...], ...]
    references: tuple[tuple[Expr, ...], ...]
    angles: tuple[Expr, ...]
    parameters: Mapping[str, Expr]
    active: bool

    def __init__(
        self,
        *,
        name: str,
        kind: str,
        frames: Iterable[str] = (),
        parts: Iterable[str] = (),
        points: Iterable[str] = (),
        axes: Iterable[Vector] = (),
        references: Iterable[Vector] = (),
        angles: Iterable[Scalar] = (),
        parameters: Mapping[str, Scalar] | None = None,
        active: bool = True,
    ) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "active", as_flag("active", active, part))
        named, joined, at = (as_texts(given, part) for given in (frames, parts, points))
        if named and not joined:
            joined = tuple([frame.rpartition(".")[0] for frame in named])
            at = tuple([frame.rpartition(".")[2] if "." in frame else frame for frame in named])
        own = as_map(parameters, part, "parameters")
        set_field(self, "name", name)
        set_field(self, "kind", kind if kind == "" else as_name(kind, part, "kind"))
        set_field(self, "frames", named)
        set_field(self, "parts", joined)
        set_field(self, "points", at)
        set_field(self, "axes", as_vectors(axes, part, "axes"))
        set_field(self, "references", as_vectors(references, part, "references"))
        set_field(self, "angles", as_values(angles, part, "angles"))
        set_field(self, "parameters", {key: as_value(value, part, key) for key, value in own.items()})
