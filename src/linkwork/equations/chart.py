"""The chart of a System: what the names of people mean in it. Made by the formalism; integrators do not need it.

Start, results, messages, linear models and the viewer ask it where a point is, what a part consists of, what a joint
joins and on which side it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeVar

from linkwork.arrays import Floats, Ints
from linkwork.equations.terms import Row, Term, Watch, no_columns
from linkwork.errors import Ref
from linkwork.program import Program

T = TypeVar("T")


class Bind(Protocol):
    """What puts other numbers into something that has formulas for them."""

    def __call__(self, one: T, /) -> T: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A point that is an expression of coordinates: a program of its place, velocity and acceleration."""

    program: Program
    coordinates: Ints
    parameters: Floats
    columns: Ints = field(default_factory=no_columns)


class Joined(NamedTuple):
    """What a joint joins: two parts, and its point on each."""

    one: str
    two: str
    point_one: str
    point_two: str


class Turner(NamedTuple):
    """Parts whose axes a law names, and the points that it names besides."""

    parts: tuple[str, ...]
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Points, angles, parts and joints of a System.

    points     the coordinates of each point, numbered as in Term.coordinates
    angles     the coordinate of each angle that is one: of a part, a joint, or a coordinate of a Lagrangian
    parts      the points of each rigid part
    joints     what each joint joins
    turners    laws that may turn parts by forces at their first points, each with these parts and the points it names
    markers    points that are expressions of coordinates
    hints      how to guess coordinates that are no places of points from those that are
    sides      terms whose constraints should be positive: they tell a joint from the same joint put together the wrong
               way, and side_rows say which
    conditions terms whose constraints hold at the start alone, and condition_rows: fixed angles of joints, which are
               no coordinates
    """

    points: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    angles: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joints: Mapping[str, Joined] = field(default_factory=dict)
    turners: Mapping[Ref, Turner] = field(default_factory=dict)
    markers: Mapping[str, Marker] = field(default_factory=dict)
    hints: Mapping[int, Watch] = field(default_factory=dict)
    sides: tuple[Term, ...] = ()
    side_rows: tuple[Row, ...] = ()
    conditions: tuple[Term, ...] = ()
    condition_rows: tuple[Row, ...] = ()

    @property
    def dimension(self) -> int:
        """How many coordinates a point has; none if there are no points."""
        return len(next(iter(self.points.values()), ()))

    def bound(self, bind: Bind) -> Chart:
        """The same with other numbers."""
        return replace(
            self,
            markers={name: bind(marker) for name, marker in self.markers.items()},
            hints={i: bind(hint) for i, hint in self.hints.items()},
            sides=tuple([bind(term) for term in self.sides]),
            conditions=tuple([bind(term) for term in self.conditions]),
        )
