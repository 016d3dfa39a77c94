"""What moves: derivatives in time of scalars, vectors and dyadics seen from a frame, velocities, partial derivatives.

    dt(v, frame=A)     Σ ċ e + c (ω × e), with the angular velocity ω of e's frame seen from A

A frame may say the velocity of its origin itself (speeds that are not derivatives of coordinates); else it follows from
its place. Velocities are seen from the ground unless a frame is named.
"""

from __future__ import annotations

from typing import Any

from linkwork.errors import ExpressionError
from linkwork.symbolic import Expr, Symbol, differentiate, evaluate, free_symbols, substitute
from linkwork.symbolic.simplify import constant_terms
from linkwork.symbolic.traverse import postorder
from linkwork.vectors.frames import Frame, Memory
from linkwork.vectors.points import Point, as_point, position
from linkwork.vectors.products import cross, express
from linkwork.vectors.quantity import (
    Dyadic,
    Quantity,
    UnitVector,
    Vector,
    VectorError,
    as_frame,
    as_scalar,
    kind_of,
    name_of,
    unit_vectors,
)

TURNING = "what turns"


def dt(x: Any, frame: Frame | None = None) -> Any:
    """The time derivative of a scalar, or of a vector or dyadic seen from a frame (the ground, if none is named)."""
    if isinstance(x, Quantity):
        return _rate(x, frame)
    scalar = as_scalar(x, "what has a rate")
    return (as_frame(frame, "who sees a rate").memory if frame is not None else Memory()).rate(scalar)


def _rate(x: Quantity[Any], seen_from: Frame | None) -> Any:
    if not x:
        return x
    ground = next(unit_vectors(x)).frame.ground
    frame = as_frame(seen_from, "who sees a rate") if seen_from is not None else ground
    total = x.mapped(ground.memory.rate)
    if isinstance(x, Vector):
        for axis, c in x.terms.items():
            if axis not in frame.axis_set:
                total = total + c * _axis_rate(axis, frame)
        return total
    assert isinstance(x, Dyadic)
    for (a, b), c in x.terms.items():
        total = total + c * (_pair(_axis_rate(a, frame), b) + _pair(a, _axis_rate(b, frame)))
    return total


def _pair(a: Vector, b: Vector) -> Dyadic:
    return Dyadic({(i, j): x * y for i, x in a.terms.items() for j, y in b.terms.items()})


def _axis_rate(axis: UnitVector, frame: Frame) -> Vector:
    return cross(angular_velocity(axis.frame, frame), axis)


def angular_velocity(frame: Frame, of: Frame | None = None) -> Vector:
    """The angular velocity of a frame seen from another one, or from the ground."""
    other = as_frame(of, TURNING) if of is not None else as_frame(frame, TURNING).ground
    meet = as_frame(frame, TURNING).common(other)
    return _spin(frame, meet) - _spin(other, meet)


def _spin(frame: Frame, ancestor: Frame) -> Vector:
    total = Vector({})
    while frame is not ancestor:
        total = frame.spin + total
        assert frame.parent is not None
        frame = frame.parent
    return total


def angular_acceleration(frame: Frame, of: Frame | None = None) -> Vector:
    """Its derivative, seen from that other one."""
    other = of if of is not None else as_frame(frame, TURNING).ground
    return dt(angular_velocity(frame, other), other)  # type: ignore[no-any-return]


def velocity(p: Any, of: Any = None, frame: Frame | None = None) -> Vector:
    """The velocity of a point; with another point, the difference of both velocities; or as seen from a frame."""
    point = as_point(p)
    if of is not None and frame is not None:
        raise VectorError("a velocity is either relative to a point or seen from a frame", "Give one of them")
    if of is not None:
        point.frame.common(as_point(of).frame)  # of one tree
        return velocity(point) - velocity(of)
    if frame is None or as_frame(frame, "who sees a velocity") is point.frame.ground:
        return _velocity(point)
    seen: Vector = dt(position(point, frame.origin), frame)
    return seen


def _velocity(p: Point) -> Vector:
    """v of the origin + ω × r + the velocity of the point inside its frame."""
    if not p.offset:
        return origin_velocity(p.frame)
    # all of one frame's derivative, so that axes of others in the offset are right
    inside: Vector = dt(p.offset, p.frame)
    return material_velocity(p) + inside


def material_velocity(p: Any) -> Vector:
    """The velocity of what is fixed in its frame where a point is: v of the origin + ω × r.

    A point whose place in its frame changes moves on from there with a velocity of its own.
    """
    point = as_point(p)
    return origin_velocity(point.frame) + cross(angular_velocity(point.frame), point.offset)


def origin_velocity(frame: Frame) -> Vector:
    """The velocity of the origin of a frame, seen from the ground; remembered."""
    known = frame.memory.velocities
    if frame.name not in known:
        known[frame.name] = _origin_velocity(frame)
    return known[frame.name]


def _origin_velocity(frame: Frame) -> Vector:
    if frame.drift is not None:
        return frame.drift()
    if frame.parent is None:
        return Vector({})
    parent, shift = frame.parent, frame.shift
    if not shift:
        return origin_velocity(parent)
    inside: Vector = dt(shift, parent)
    return origin_velocity(parent) + cross(angular_velocity(parent), shift) + inside


def acceleration(p: Any, frame: Frame | None = None) -> Vector:
    """The acceleration of a point, seen from a frame or the ground."""
    point = as_point(p)
    seen = frame if frame is not None else point.frame.ground
    return dt(velocity(point, frame=seen), seen)  # type: ignore[no-any-return]


# -- derivatives by variables ------------------------------------------------------------------------------------------


def partial(x: Any, by: Symbol, frame: Frame | None = None) -> Any:
    """∂x/∂s: by a speed with the unit vectors held; by a coordinate, of vectors, as seen from a frame."""
    if not isinstance(by, Symbol):
        raise VectorError(f"a derivative by {name_of(by)}, a {kind_of(by)}, has no meaning", "Use a symbol")
    if not isinstance(x, Quantity):
        return differentiate(as_scalar(x, "what is differentiated"), by)
    if by.kind != "coordinate":
        return x.mapped(lambda c: differentiate(c, by))
    if frame is None:
        raise VectorError(
            f"the derivative of a {x.kind} by the coordinate {by.name} depends on who looks",
            "Name the frame: partial(v, q, frame=N)",
        )
    as_frame(frame, "who sees a derivative")
    # over the axes of that frame only the coefficients change
    return express(x, frame).mapped(lambda c: differentiate(c, by))


def nominal(x: Any) -> Any:
    """The same with all coordinates zero; speeds stay. Of vectors, coefficients alone."""
    if isinstance(x, Quantity):
        return x.mapped(nominal)
    expr = as_scalar(x, "what has a nominal value")
    return _at_zero(expr)


def _at_zero(expr: Expr) -> Expr:
    zeros: dict[Expr, Any] = {s: 0 for s in free_symbols(expr) if s.kind == "coordinate"}
    try:
        found = substitute(expr, zeros)
        # numbers alone have a value, or it is a pole
        for part in postorder([found]):
            if isinstance(part, Expr) and not free_symbols(part):
                evaluate(part, {})
    except (ExpressionError, ZeroDivisionError):
        raise VectorError(f"{name_of(expr)} has no value where all coordinates are zero") from None
    return found


def constant_part(x: Any) -> Any:
    """What of it is constant: all of a constant, the constant terms of a sum, else nothing."""
    if isinstance(x, Quantity):
        return x.mapped(constant_terms)
    return constant_terms(as_scalar(x, "what has a constant part"))
