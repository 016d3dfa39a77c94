"""What a tree is made of: freedoms, bodies on their joints, loads and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from linkwork.symbolic import ZERO, Expr, Symbol, cos, sin, symbol
from linkwork.vectors import Dyadic, Frame, Point, Vector, components, cross, dot
from linkwork.vectors.frames import turn
from linkwork.vectors.products import CYCLES
from linkwork.vectors.quantity import calling_line

if TYPE_CHECKING:
    from linkwork.model.tree.tree import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """One coordinate with the speed that stands for its motion, and what the speed is by the rates of coordinates.

    kind   "translation" or "rotation"
    small  whether it is taken to be small, and its rate with it
    """

    coordinate: Symbol
    speed: Symbol
    body: str
    kind: str
    small: bool = False


class Turning(NamedTuple):
    """How a body turns in its parent: a triad there turns about own axes one after the other.

    The axes of the body are those of the triad or, where other ones are `carried` along by a turn about the triad's z,
    what becomes of these.
    """

    triad: tuple[Vector, ...]
    axes: tuple[int, ...]
    carried: tuple[Vector, ...] | None = None

    def rows(self, angles: Sequence[Expr]) -> tuple[Vector, ...]:
        """The axes of the body over those of the parent."""
        if self.carried is not None:
            return tuple(_turned(e, self.triad[2], angles[0]) for e in self.carried)
        rows = self.triad
        for angle, axis in zip(angles, self.axes, strict=True):
            i, j, _ = CYCLES[axis]
            rows = turn(rows, angle, i, j)
        return rows


def _turned(e: Vector, n: Vector, angle: Expr) -> Vector:
    """A vector after a turn about n: cos e + sin n × e + (1 − cos) (n · e) n."""
    c, s = cos(angle), sin(angle)
    along = dot(n, e)
    return c * (e - along * n) + s * cross(n, e) + along * n


class TreeBody(Frame):
    """A body of a tree: a frame with mass, mass centre and inertia about it.

    freedoms   its coordinates and speeds, translations first
    turning    the frame fixed in it about whose axes it turns: the body itself, unless it turns about a direction
    unturned   the axes of this frame before it turns, over those of the parent
    sequence   the numbers of these axes, about which it turns one after the other
    """

    def __init__(
        self,
        tree: Tree,
        name: str,
        parent: Frame,
        turning: Turning,
        shift: Vector,
        freedoms: Sequence[Freedom],
        long_name: str,
    ) -> None:
        angles = [freedom.coordinate for freedom in freedoms if freedom.kind == "rotation"]
        super().__init__(name, parent, turning.rows(angles), None, shift)
        self.unturned, self.sequence = turning.triad, turning.axes
        self.turning: Frame = self
        if turning.carried is not None:
            seen = (components(axis, parent) for axis in turning.triad)
            rows = [Vector(dict(zip(self.axes, row, strict=True))) for row in seen]
            self.turning = Frame(f"{name}: turning", self, rows)
        self.tree, self.freedoms, self.long_name = tree, tuple(freedoms), long_name
        self.mass: Expr = ZERO
        self.centre: Point = self.origin
        self.inertia: Dyadic = Dyadic({})

    @property
    def children(self) -> list[TreeBody]:
        """The bodies that stand on this one."""
        return [body for body in self.tree.bodies if body.parent is self]

    def __repr__(self) -> str:
        return f"TreeBody('{self.name}')"

    def point(self, name: str, place: Any) -> Point:
        """A point of the body, by three coordinates (texts, too) or by a vector from its origin."""
        return super().point(
            name, place if isinstance(place, Vector) else self.tree.read_triple(place, f"point '{name}'")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A force or a moment: a magnitude along a direction, on one body and, opposite, on another.

    A force acts at a point of each; a direction that is not of unit length scales it. `place` is the line of the script
    that added it.
    """

    name: str
    along: Vector
    magnitude: Expr
    on: Frame
    against: Frame
    at: Point | None = None
    at_other: Point | None = None
    place: str = field(default_factory=calling_line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Something to be told by name."""

    name: str
    expr: Expr
    long_name: str = ""
    unit: str = ""


def rate_symbol(q: Symbol) -> Symbol:
    """The rate of a coordinate, as a symbol: q'."""
    return symbol(f"{q.name}'", kind="speed")
