"""Contacts: two shapes that may touch, and what happens when they do. Frozen data; `touch.py` makes laws of it.

A point, ball or disc touches a plane, another ball, the inside of a hollow one, or the rim of a cam. With a stiffness
the contact is compliant (Hunt and Crossley),

    F = k δⁿ (1 + c δ̇)   while the depth δ is positive, never pulling;      friction  −μ(v) F v/√(v² + v₀²)

without, it is rigid: a stop that is hit, with a restitution. The restitution e of a compliant contact at the speed v
follows from c alone, whatever the exponent and the masses are:

    m v dv/dδ = −k δⁿ (1 + c v)   ⇒   d (1 + e) = log((1 + d)/(1 − e d)),   d = c v
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, Ref
from linkwork.given import as_flag, as_name, as_object, as_part, is_empty
from linkwork.model.cam import Cam
from linkwork.model.convert import Scalar, as_value
from linkwork.model.part import Part, set_field
from linkwork.model.rolling import Plane
from linkwork.symbolic import ZERO, Curve, Expr, lookup

SHAPES = ("point", "ball", "disc")
SLIP_SPEED = 1e-3  # m/s: how fast what sticks creeps, at most, unless said
HERTZ = "3/2"  # the exponent of round bodies
SOFT = ("stiffness", "exponent", "damping", "impact_speed")  # what only compliant contacts have
RUBBING = ("friction", "slip_speed", "static", "stribeck")
LARGEST = 1.0 - 1e-16  # number below one
VALUES = ("radius", "restitution", *SOFT, *RUBBING)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Ball:
    """A ball that is touched from outside, or from inside if it is hollow; in 2D a circle.

    >>> Ball(frame="b.c", radius="R").hollow
    False
    """

    frame: str
    radius: Expr
    hollow: bool

    def __init__(self, *, frame: str, radius: Scalar, hollow: bool = False) -> None:
        part = Ref("ball")
        set_field(self, "frame", as_name(frame, part, "frame"))
        set_field(self, "radius", as_value(radius, part, "radius"))
        set_field(self, "hollow", hollow)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Contact(Part):
    """Two shapes that may touch.

    point, ball, disc   the frame (or, of points and balls, a point) of what touches; of a disc in space z is the axis
    on                  the xy plane (in 2D: the x axis) of a frame, a Plane, Ball or Cam; the ground if left out
    kept                whether they never part: a constraint, without a law of force
    stiffness           k of k δⁿ [N/mⁿ]; without one the contact is rigid
    exponent            n, 3/2 unless said
    damping             c [s/m]; or a restitution with the impact_speed at which it holds
    restitution         of a rigid contact at any speed; 0 unless said
    friction            μ while it slides; `slip_speed` v₀ is where friction is 0.7 of this
    static, stribeck    μ at rest, and the speed by which it has gone down to μ by 0.63 of the way

    >>> Contact(name="hit", ball="b.c", radius="r", stiffness=1e6).rigid
    False
    """

    WORD = "contact"

    name: str
    shape: str
    frame: str
    on: str | Plane | Ball | Cam
    kept: bool
    radius: Expr
    stiffness: Expr | None
    exponent: Expr
    damping: Expr
    restitution: Expr
    impact_speed: Expr | None
    friction: Expr
    slip_speed: Expr
    static: Expr | None
    stribeck: Expr | None

    def __init__(
        self,
        *,
        name: str,
        point: str = "",
        ball: str = "",
        disc: str = "",
        radius: Scalar | None = None,
        on: str | Plane | Ball | Cam = Plane(),  # noqa: B008  (frozen)
        kept: bool = False,
        stiffness: Scalar | None = None,
        exponent: Scalar | None = None,
        damping: Scalar | None = None,
        restitution: Scalar | None = None,
        impact_speed: Scalar | None = None,
        friction: Scalar | None = None,
        slip_speed: Scalar | None = None,
        static: Scalar | None = None,
        stribeck: Scalar | None = None,
    ) -> None:
        part = as_part(self.WORD, name)
        frames = {k: f for k, f in zip(SHAPES, (point, ball, disc), strict=True) if not is_empty(f)}
        given: dict[str, Any] = {
            "radius": radius, "stiffness": stiffness, "exponent": exponent, "damping": damping,
            "restitution": restitution, "impact_speed": impact_speed, "friction": friction,
            "slip_speed": slip_speed, "static": static, "stribeck": stribeck,
        }  # fmt: skip
        said = {key for key, value in given.items() if value is not None}
        problems = list(find_contradictions(part, list(frames), said, as_flag("kept", kept, part)))
        if problems:
            raise InputError(problems)
        usual = {
            "radius": 0,
            "exponent": HERTZ,
            "damping": 0,
            "restitution": 0,
            "friction": 0,
            "slip_speed": SLIP_SPEED,
        }
        values: dict[str, Any] = {key: usual.get(key) if value is None else value for key, value in given.items()}
        ((shape, frame),) = frames.items()
        set_field(self, "name", name)
        set_field(self, "shape", shape)
        set_field(self, "frame", as_name(frame, part, shape))
        set_field(self, "on", _as_surface(on, part))
        set_field(self, "kept", kept)
        for key, value in values.items():
            set_field(self, key, None if value is None else as_value(value, part, key))
        if self.impact_speed is not None:
            set_field(self, "damping", find_damping(self.restitution) / self.impact_speed)

    @property
    def rigid(self) -> bool:
        """Whether it gives way to nothing: a stop."""
        return self.stiffness is None and not self.kept

    @property
    def soft(self) -> bool:
        """Whether it gives way."""
        return self.stiffness is not None

    @property
    def rubs(self) -> bool:
        """Whether there is friction in it."""
        return self.friction is not ZERO or self.static is not None

    @property
    def dry(self) -> bool:
        """Whether it has friction that sticks, since it does not give way."""
        return self.rubs and not self.soft

    def values(self) -> Iterator[Expr]:
        """All its numbers, and those of what it touches."""
        yield from (value for key in VALUES if (value := getattr(self, key)) is not None)
        if isinstance(self.on, Plane):
            yield from (*self.on.point, *self.on.normal)
        elif isinstance(self.on, Ball):
            yield self.on.radius
        elif isinstance(self.on, Cam):
            yield self.on.sample


def find_contradictions(part: Ref, shapes: list[str], said: set[str], kept: bool) -> Iterator[Problem]:
    """What is missing, too much, or does not go together."""

    def problem(what: str, remedy: str) -> Problem:
        return Problem(ref=part, what=what, remedy=remedy)

    if len(shapes) != 1:
        yield problem("give one of point, ball and disc", "Name the frame at its centre, as in ball: marble.c")
    elif shapes != ["point"] and "radius" not in said:
        yield problem("the radius is missing", f"Give the radius of the {shapes[0]}")
    elif shapes == ["point"] and "radius" in said:
        yield problem("a point has no radius", "Leave it out, or write ball instead of point")
    if kept and said - {"radius", "friction", "static"}:
        key = next(key for key in VALUES if key in said - {"radius", "friction", "static"})
        yield problem(f"{key} is for shapes that may part, and these are kept together", f"Leave out kept, or {key}")
    elif "stiffness" not in said:
        soft = [key for key in (*SOFT[1:], "slip_speed", "stribeck") if key in said]
        if soft:
            yield problem(
                f"{soft[0]} belongs to a contact that gives way", f"Give the stiffness, or leave {soft[0]} out"
            )
    elif "restitution" in said and "damping" in said:
        yield problem("damping and restitution say the same", "Give one of them")
    elif ("restitution" in said) != ("impact_speed" in said):
        remedy = "Give restitution and impact_speed, or the damping; a contact without stiffness has it at any speed"
        yield problem("the restitution of a contact that gives way holds at one speed", remedy)
    if "static" in said and "friction" not in said:
        yield problem("static friction needs that of sliding, too", "Give friction and static")
    elif "stiffness" in said and ("static" in said) != ("stribeck" in said):
        yield problem("static and stribeck go together", "Give the friction at rest, and the speed by which it drops")


def _as_surface(on: Any, part: Ref) -> str | Plane | Ball | Cam:
    if isinstance(on, str):
        return as_name(on, part, "on")
    if isinstance(on, Plane | Cam):
        return on
    return as_object(on, Ball, part, "Name a frame, or give lw.Plane(...), lw.Ball(...) or lw.Cam(...)")


def find_damping(restitution: Expr) -> Expr:
    """d = c v by which a compliant contact has a restitution at the speed v: e d is a smooth function of e."""
    return lookup(_damping_curve(), restitution) / restitution


@cache
def _damping_curve() -> Curve:
    """y = e d over e from 0 to 1, by cubics with the slopes of y."""
    e = np.linspace(0.0, 1.0, 1025)
    inner = e[1:-1]
    y = _solve_damping(inner)
    d = y / inner
    slopes = np.array([0.0, *(d + inner**2 * d * (1 + d) / ((1 - y) - inner**2 * (1 + d))), -1.5])
    values = np.array([1.0, *y, 0.0])
    h, rise, left, right = e[1], np.diff(values) / e[1], slopes[:-1], slopes[1:]
    pieces = np.stack([values[:-1], left, (3 * rise - 2 * left - right) / h, (left + right - 2 * rise) / h**2], axis=1)
    return Curve("restitution", inner, e[:-1], pieces)


def _solve_damping(e: Floats) -> Floats:
    """y = e d with d (1 + e) = log((1 + d)/(1 − e d)), between the double root at zero and one, by halving."""

    terms = [((-1) ** k - e**k) / k for k in range(2, 64)]

    def lack(y: Floats) -> Floats:
        d = y / e
        large, small = np.maximum(d, 0.5), np.minimum(d, 0.5)
        far = (large * (1 + e) - np.log1p(large) + np.log1p(-np.minimum(e * large, LARGEST))) / large**2
        # Σ dᵏ⁻² ((−1)ᵏ − eᵏ)/k: nothing is lost where d is small
        near = np.zeros(len(e))
        for term in reversed(terms):
            near = near * small + term
        return np.asarray(np.where(d > 0.5, far, near))

    low, high = np.zeros(len(e)), np.full(len(e), LARGEST)
    whole = lack(high) >= 0.0
    for _ in range(54):
        middle = 0.5 * (low + high)
        below = lack(middle) > 0.0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(whole, 1.0, 0.5 * (low + high))
