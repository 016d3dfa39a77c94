"""Points of frames, and where they are: a point has a place in its frame, an origin a place in the frame's parent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.symbolic import Expr
from linkwork.vectors.products import components
from linkwork.vectors.quantity import Vector, VectorError, as_frame, as_scalar, kind_of, name_of

if TYPE_CHECKING:
    from linkwork.vectors.frames import Frame


class Point:
    """A point of a frame: its offset from the frame's origin is a vector, which may change in time."""

    __slots__ = ("frame", "name", "offset")

    def __init__(self, name: str, frame: Frame, offset: Vector) -> None:
        self.name, self.frame, self.offset = name, frame, offset

    def __repr__(self) -> str:
        return f"Point('{self.name}' of '{self.frame.name}')"


def point(name: str, frame: Frame, place: Any) -> Point:
    """A point of a frame, by its three coordinates there or by a vector from the frame's origin."""
    if isinstance(place, Vector):
        return Point(name, frame, place)
    listed = place.tolist() if isinstance(place, np.ndarray) else place
    if not isinstance(listed, Sequence) or isinstance(listed, str) or len(listed) != 3:
        raise VectorError(f"the place of '{name}' is {name_of(place)}", "Give three coordinates or a vector")
    scalars = [as_scalar(x, f"a coordinate of '{name}'") for x in listed]
    return Point(name, frame, Vector(dict(zip(frame.axes, scalars, strict=True))))


def position(p: Any, of: Any = None) -> Vector:
    """The vector to a point from another one, or from the ground's origin."""
    p = as_point(p)
    q = as_point(of) if of is not None else p.frame.ground.origin
    # only as far as the frame on which both stand
    meet = p.frame.common(q.frame)
    return _from(p, meet) - _from(q, meet)


def _from(p: Point, ancestor: Frame) -> Vector:
    """The vector from the origin of an ancestor of its frame."""
    total, frame = p.offset, p.frame
    while frame is not ancestor:
        total = total + frame.shift
        assert frame.parent is not None
        frame = frame.parent
    return total


def coordinates(p: Any, frame: Frame) -> tuple[Expr, ...]:
    """The place of a point in a frame, seen from that frame's origin."""
    return components(position(p, as_frame(frame, "who sees a place").origin), frame)


def as_point(p: Any) -> Point:
    """The point; of a frame its origin."""
    if isinstance(p, Point):
        return p
    origin = getattr(p, "origin", None)
    if isinstance(origin, Point):
        return origin
    raise VectorError(f"{name_of(p)}, a {kind_of(p)}, is no point", "Give a point or a frame")
