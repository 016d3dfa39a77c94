"""What a tree is made of: freedoms, bodies on their joints, loads and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from linkwork.symbolic import ZERO, Expr, Symbol, symbol
from linkwork.vectors import Dyadic, Frame, Point, Vector
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
    """How a body turns in its parent: from a triad there, about own axes one after the other."""

    triad: tuple[Vector, ...]
    axes: tuple[int, ...]

    def rows(self, angles: Sequence[Expr]) -> tuple[Vector, ...]:
        """The axes of the body over those of the parent."""
        rows = self.triad
        for angle, axis in zip(angles, self.axes, strict=True):
            i, j, _ = CYCLES[axis]
            rows = turn(rows, angle, i, j)
        return rows


class TreeBody(Frame):
    """A body of a tree: a frame with mass, mass centre and inertia about it.

    freedoms   its coordinates and speeds, translations first
    unturned   its axes before it turns, over those of its parent
    sequence   the numbers of the own axes about which it turns, one after the other
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
