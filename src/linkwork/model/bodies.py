"""Bodies by name, with frames: frozen data over symbols in, rigid parts named by points out.

A body has axes of its own; its mass centre and its frames are given in them. A frame has a place and, where it matters,
a direction: an angle in the plane, in space a z axis (the axis of a joint there) and an x axis across it. The origin of
frame `pin` of body `crank` is the point `crank.pin`, a point like any other. A body is a Rigid whose first points are
its own origin, a point on its x axis and, in space, one in its xy plane; where no frame is there, a point is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from linkwork.errors import InputError, Problem, Ref, show_value
from linkwork.given import as_list, shown_part
from linkwork.model.connections import WORLD
from linkwork.model.convert import Scalar, Vector, as_coordinates, as_value, as_values
from linkwork.model.laws import OF_BODIES, OF_PAIRS, OF_PARTS, PLACES, SPEEDS
from linkwork.model.part import Part, set_field
from linkwork.model.parts import Rigid
from linkwork.model.values import compute_numbers
from linkwork.symbolic import ONE, ZERO, Expr, Number, cos, sin

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
HIDDEN = ("_0", "_x", "_y")  # points of a body that no frame of the user is at
QUANTITIES = frozenset(
    {*PLACES, *SPEEDS, *OF_BODIES, *OF_PAIRS, *OF_PARTS, "position", "rotation", "quaternion", "travel", "speed"}
)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Frame:
    """A frame of a body: where it is, and where it looks.

    at      its origin, in the axes of the body
    angle   in the plane, from the body's x axis to its own
    z, x    in space, its z axis and a direction across it, in the axes of the body; left out: the body's

    >>> Frame(at=("a",), angle="pi/2").at
    (a,)
    """

    at: tuple[Expr, ...]
    angle: Expr
    z: tuple[Expr, ...]
    x: tuple[Expr, ...]

    def __init__(self, at: Vector = (), *, angle: Scalar = 0, z: Vector = (), x: Vector = ()) -> None:
        part = Ref("frame")
        set_field(self, "at", as_coordinates(at, part, "at"))
        set_field(self, "angle", as_value(angle, part, "angle"))
        set_field(self, "z", as_coordinates(z, part, "z"))
        set_field(self, "x", as_coordinates(x, part, "x"))


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Body(Part):
    """A rigid body with a name and frames; the body 'world' does not move.

    inertia   about the mass centre, in the body's axes: one number in the plane, Ixx Iyy Izz or
              Ixx Iyy Izz Ixy Ixz Iyz in space (elements of the matrix, Ixy = −∫xy dm); left out: zero

    >>> Body("crank", mass="m", centre=("a/2",), inertia="J", frames={"o": (), "pin": ("a",)}).frames["pin"].at
    (a,)
    """

    WORD = "body"

    name: str
    mass: Expr
    centre: tuple[Expr, ...]
    inertia: tuple[Expr, ...]
    frames: Mapping[str, Frame]

    def __init__(
        self,
        name: str,
        *,
        mass: Scalar = 0,
        centre: Vector = (),
        inertia: Scalar | Vector = (),
        frames: Mapping[str, Frame | Vector] | Iterable[str] = (),
    ) -> None:
        part = shown_part(self.WORD, name)
        _check_name(name, part, "body")
        set_field(self, "name", name)
        set_field(self, "mass", as_value(mass, part, "mass"))
        set_field(self, "centre", as_coordinates(centre, part, "centre"))
        set_field(self, "inertia", as_values(inertia, part, "inertia"))
        set_field(self, "frames", _read_frames(frames, part))

    def point(self, frame: str) -> str:
        """The point at the origin of a frame."""
        return f"{self.name}.{frame}"


def _read_frames(given: Any, part: Ref) -> dict[str, Frame]:
    """Frames by name: a Frame, or where it is; a list of names is of frames at the origin."""
    named = given.items() if isinstance(given, Mapping) else [(name, ()) for name in as_list(given, part, "frames")]
    frames: dict[str, Frame] = {}
    for name, at in named:
        _check_name(name, part, "frame")
        frames[name] = at if isinstance(at, Frame) else Frame(as_coordinates(at, part, f"frame '{name}'"))
    return frames


def _check_name(name: Any, part: Ref, what: str) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        problem = f"{show_value(name)} is no name for a {what}"
        raise InputError([Problem(ref=part, what=problem, remedy="Use letters, digits and _, starting with a letter")])
    if what == "frame" and name in QUANTITIES:
        problem = f"'{name}' is a quantity of every body and cannot be a frame"
        raise InputError([Problem(ref=part, what=problem, remedy="Give the frame another name")])


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A body as a rigid part, or as fixed points of the world, and which point each of its frames is at."""

    rigid: Rigid | None
    fixed: Mapping[str, tuple[Expr, ...]]
    point_of: Mapping[str, str]


def place_body(body: Body, dimension: int, values: Mapping[str, float]) -> Placed:
    """The points of a body, each place once; frames at the same place share a point."""
    places: dict[str, tuple[Expr, ...]] = {}
    point_of: dict[str, str] = {}
    first: dict[tuple[Expr, ...], str] = {}
    for name, frame in body.frames.items():
        at = frame.at[:dimension] + (ZERO,) * (dimension - len(frame.at))
        point = first.setdefault(at, body.point(name))
        places[point] = at
        point_of[body.point(name)] = point
    if body.name == WORLD:
        return Placed(rigid=None, fixed=places, point_of=point_of)
    ordered = _with_references(body.name, places, dimension, values)
    inertia = body.inertia or ((ZERO,) if dimension == 2 else (ZERO,) * 3)
    rigid = Rigid(
        name=body.name,
        points=tuple(ordered),
        geometry=tuple(ordered.values()),
        centroid=body.centre,
        mass=body.mass,
        inertia=inertia,
    )
    return Placed(rigid=rigid, fixed={}, point_of=point_of)


def _with_references(
    body: str, places: dict[str, tuple[Expr, ...]], dimension: int, values: Mapping[str, float]
) -> dict[str, tuple[Expr, ...]]:
    """The places with those first that span the body's axes: its origin, one on the x axis, one in the xy plane."""
    numbers = compute_numbers([x for place in places.values() for x in place], values)
    size = Number(_round_size([abs(number) for number in numbers.values()]))
    directions = [(ZERO,) * dimension, (size, *(ZERO,) * (dimension - 1)), (ZERO, size, ZERO)][:dimension]
    references: dict[str, tuple[Expr, ...]] = {}
    for axis, hidden, default in zip(range(-1, 2), HIDDEN, directions, strict=False):
        found = next((p for p, place in places.items() if p not in references and _spans(place, axis, numbers)), None)
        references[found or f"{body}.{hidden}"] = places[found] if found else default
    return references | {p: place for p, place in places.items() if p not in references}


def _spans(place: tuple[Expr, ...], axis: int, numbers: Mapping[Expr, float]) -> bool:
    """Whether a place is the origin (axis −1), on the positive x axis (0), or well in the upper xy plane (1)."""
    if any(x is not ZERO for x in place[axis + 1 :]):
        return False
    if axis < 0:
        return True
    along = numbers.get(place[axis], 0.0)
    return along > 0.1 * max(abs(numbers.get(x, 0.0)) for x in place)


def _round_size(sizes: list[float]) -> float:
    """About the largest of the sizes, as a power of two, so that hidden points are neither near nor far."""
    largest = max(sizes, default=0.0) or 1.0
    power = 1.0
    while power < largest and power < 1e60:
        power *= 2.0
    while power > 2.0 * largest and power > 1e-60:
        power /= 2.0
    return power


def is_hidden(point: str) -> bool:
    """Whether a point was made to carry a body, and nobody has named it."""
    return point.rpartition(".")[2] in HIDDEN


def say_hidden_point(point: str) -> str:
    """What people know of a hidden point: `d._x` is on the x axis of d, `d._0` its origin."""
    body, _, rest = point.rpartition(".")
    if rest not in HIDDEN:
        return point
    return f"origin of {body}" if rest == HIDDEN[0] else f"{rest[1]} axis of {body}"


def say_hidden(coordinate: str) -> str:
    """What people know of a coordinate of a hidden point: `d._xz` is about `d.xz`, a component of an axis of d.

    >>> say_hidden("d._xz"), say_hidden("d._0x'"), say_hidden("Ax")
    ('d.xz', "d.x'", 'Ax')
    """
    name = coordinate.rstrip("'")
    body, _, rest = name.rpartition(".")
    if rest[:2] not in HIDDEN or len(rest) != 3:
        return coordinate
    return f"{body}.{rest[2] if rest[1] == '0' else rest[1:]}{coordinate[len(name) :]}"


def frame_directions(frame: Frame | None, dimension: int) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The z and x directions of a frame in the axes of its body; in the plane the x direction only counts."""
    if frame is None:
        return (ZERO, ZERO, ONE)[:3], ((ONE, ZERO) if dimension == 2 else ())
    if dimension == 2:
        return (), (cos(frame.angle), sin(frame.angle))
    return frame.z or (ZERO, ZERO, ONE), frame.x
