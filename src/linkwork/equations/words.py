"""Words for what a mechanism does: texts in, expressions over the coordinates of a System out.

A name is a coordinate ("Cx", "OF", "theta"), its rate ("theta'") or acceleration ("theta''"), a quantity of the file
format ("A.x", "OA.angle", "AB.length", "A.vx"), a variable, a state, multipliers ("lam_l_OA"), a force along a formula
("rail.force"), a parameter, an input, or t.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from linkwork.arrays import Floats
from linkwork.equations.collect import triangle
from linkwork.equations.joints import derive_turn
from linkwork.equations.kinematics import derive_axes, derive_axes_rates, derive_spin, measure
from linkwork.equations.system import System
from linkwork.equations.terms import multiplier_name
from linkwork.errors import ExpressionError, did_you_mean
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.model.algebra import find_reaction
from linkwork.model.connections import Joint
from linkwork.model.functions import registered_functions
from linkwork.model.joints import find_kind
from linkwork.model.lagrangian import rate
from linkwork.model.laws import ACCELERATIONS, OF_BODIES, OF_PAIRS, OF_PARTS, PLACES, SPINS, TIME, Quantity, quantity
from linkwork.model.opaque import find_calls
from linkwork.model.signals import integral_name
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    Number,
    Symbol,
    as_expr,
    atan2,
    free_symbols,
    substitute,
    symbol,
    total_rate,
)
from linkwork.symbolic.parse import parse
from linkwork.symbolic.vector import Vector

FORMULAS = ("relation", "velocity", "stop", "constraint", "velocity constraint")  # what has a force along its formula
TURNS = "turns of "  # before the name of an angle, the parameter of its whole turns
REACTING = "reaction "  # before the name of a component of a reaction, the parameter that a motion gives the value of
NAMED = re.compile(r"([^<>=]*)=(?!=)(.*)", re.DOTALL)  # name = formula


@dataclass(frozen=True, slots=True)
class Wording:
    """A named expression over coordinates, speeds, accelerations, parameters and time."""

    name: str
    expr: Expr

    @property
    def rate_name(self) -> str:
        """What its rate is called."""
        plain = all(c.isalnum() or c in "_.'" for c in self.name)
        return f"{self.name}'" if plain else f"({self.name})'"


def find_forces(system: System) -> dict[str, Expr]:
    """The forces along constraints by formula, by name: rail.force is minus the multiplier."""
    rows = [row for row in system.rows if row.owner.kind in FORMULAS]
    return {f"{row.owner.name}.force": -symbol(multiplier_name(row), kind="multiplier") for row in rows}


def find_reacting(expr: Expr) -> list[str]:
    """The names of the reactions that an expression asks a motion for."""
    return sorted(s.name.removeprefix(REACTING) for s in free_symbols(expr) if s.name.startswith(REACTING))


def find_turned(expr: Expr) -> list[Symbol]:
    """The whole turns in an expression."""
    return [s for s in free_symbols(expr) if s.name.startswith(TURNS)]


class Vocabulary(Mapping[str, Expr]):
    """Every name that may be used, with its expression over the coordinates; a prime makes it its rate.

    Lengths and places that do not change are numbers or, if asked for, formulas of the parameters. An angle that no
    coordinate tells is known up to whole turns. These may be given as numbers or, if asked for, be parameters of their
    own, "turns of NAME" [rad].
    """

    def __init__(
        self,
        mechanism: Mechanism | Lagrangian,
        system: System,
        formulas: bool = False,
        turning: bool = False,
        turned: Mapping[str, Floats] = {},
    ) -> None:
        self.mechanism, self.system, self.formulas, self.turning = mechanism, system, formulas, turning
        self.turned = turned
        self.plain: dict[str, Expr] = {"t": TIME}
        for name in system.places:
            self.plain |= {name: coordinate(name), f"{name}'": speed(name), f"{name}''": acceleration(name)}
        self.plain |= {name: symbol(name, kind="multiplier") for name in system.multipliers}
        self.plain |= find_forces(system)
        self.plain |= {name: symbol(name) for name in mechanism.parameters}
        self.plain |= {name: symbol(name, kind="input") for name in system.inputs}
        for name in system.states:
            self.plain |= {name: speed(integral_name(name)), f"{name}'": acceleration(integral_name(name))}
        self.dotted: Callable[[str], Expr | None] = (
            mechanism.word if isinstance(mechanism, Lagrangian) else self._of_mechanism
        )

    def __getitem__(self, name: str) -> Expr:
        if name in self.mechanism.variables:
            law = self.mechanism.variables[name]
            return law if isinstance(self.mechanism, Lagrangian) else self._renamed(law)
        found = self.plain[name] if name in self.plain else self.dotted(name) if "." in name else None
        if found is None and name.endswith("'") and name[:-1] in self:
            found = self._rate(name)
        of, _, what = name.rpartition(".")
        if found is None and what in ACCELERATIONS and (flow := f"{of}.{ACCELERATIONS[what]}") in self:
            found = self._rate(f"{flow}'")
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and self[name] is not None
        except KeyError:
            return False

    def _rate(self, name: str) -> Expr:
        """The rate of what a name without its last prime stands for."""

        def following(s: Symbol) -> Expr:
            if s.kind in ("coordinate", "speed"):
                return (speed if s.kind == "coordinate" else acceleration)(s.name.rstrip("'"))
            if s.kind not in ("time", "parameter", "input"):
                raise ExpressionError(f"{name} would need more than accelerations", f"Use {name[:-1]}")
            return ONE if s.kind == "time" else ZERO

        return total_rate(self[name[:-1]], following)

    def __iter__(self) -> Iterator[str]:
        yield from self.plain
        yield from self.mechanism.variables
        for point, places in self.system.chart.points.items():
            yield from (f"{point}.{axis}" for axis, _ in zip("xyz", places, strict=False))
        yield from (f"{point}.{axis}" for point in self.system.chart.markers for axis in "xy")
        if isinstance(self.mechanism, Lagrangian):
            yield from (f"{body}.{axis}" for body in self.mechanism.bodies for axis in PLACES)
        yield from self.angles

    @property
    def angles(self) -> list[str]:
        """The names of all angles of parts and joints."""
        return [f"{name}.angle" for name in (self.system.chart.parts if self._is_plane else self._turning)]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    # -- reading --------------------------------------------------------------------------------------------------

    def read(self, kind: str, given: Scalar) -> Wording:
        """One text ("expression" or "name = expression") or expression; raises ExpressionError in words."""
        if not isinstance(given, str):
            expr = self._renamed(as_expr(given))
            return Wording(str(given), expr)
        named = NAMED.fullmatch(given)
        name = " ".join((named[1] if named else given).split())
        text = named[2] if named else given
        if not name:
            raise ExpressionError(f"an empty {kind}", "Leave it out, or name something such as 'theta' or 'A.x'")
        found = parse(text, self, registered_functions())
        if calls := [call for call in find_calls(free_symbols(found)) if call.name not in self.system.inputs]:
            words = f"{calls[0].function.name} is opaque: it has values only where laws call it"
            raise ExpressionError(words, "Give the call a name among the Variables, and ask for that")
        return Wording(name, found)

    def _renamed(self, expr: Expr) -> Expr:
        """An expression with its symbols replaced by those of this vocabulary."""
        names: dict[Expr, Expr] = {}
        for s in free_symbols(expr):
            if s.name not in self:
                raise ExpressionError(f"unknown name '{s.name}'", did_you_mean(s.name, self))
            names[s] = self[s.name]
        return substitute(expr, names)

    # -- dotted names ----------------------------------------------------------------------------------------------

    def _of_mechanism(self, name: str) -> Expr | None:
        """A quantity of the file format; its rates are those of the expression it stands for."""
        if name.endswith("'") or isinstance(self.mechanism, Lagrangian):
            return None
        derived = self.mechanism.words.meaning(name)
        if derived is not None:
            return self._renamed(derived)
        found = quantity(name)
        if found is None:
            return self._of_reaction(name) if self.turning else None
        return measure(self.sight, name) if self._has(found) else None

    def _of_reaction(self, name: str) -> Expr | None:
        """What a motion tells of a joint, a formula or a part at one of its points."""
        assert isinstance(self.mechanism, Mechanism)
        words = self.mechanism.words
        found = find_reaction(name, words)
        if found is None:
            return None
        if not found.point:
            known = found.of in words.formulas or any(joint.name == found.of for joint in self.mechanism.joints)
        else:
            known = words.own_point(found.of, found.point) in self.system.chart.parts.get(found.of, ())
        return symbol(f"{REACTING}{name}") if known else None

    def _has(self, found: Quantity) -> bool:
        """Whether there is what a quantity is about."""
        chart = self.system.chart
        axes = PLACES[: chart.dimension]
        if found.what in OF_PARTS:
            return found.of in chart.angles or found.of in (chart.parts if self._is_plane else self._turning)
        if found.what in OF_BODIES:
            known = chart.dimension == 3 if found.what in SPINS else {*found.what[-2:]} <= {*axes}
            return known and len(chart.parts.get(found.of, ())) >= chart.dimension
        known = found.what in OF_PAIRS or found.what[-1] in axes
        return known and all(point in chart.points for point in found.points)

    @property
    def _is_plane(self) -> bool:
        return all(len(at) == 2 for at in self.system.chart.points.values())

    @property
    def _turning(self) -> dict[str, Joint]:
        """The joints of space that have an angle."""
        joints = () if isinstance(self.mechanism, Lagrangian) else self.mechanism.joints
        return {joint.name: joint for joint in joints if _turns(joint)}

    @cached_property
    def sight(self) -> Sight:
        """How points and parts move, over the coordinates."""
        assert isinstance(self.mechanism, Mechanism)
        return Sight(self.mechanism, self.system, self._turning, self.formulas, self._count_turns)

    def _count_turns(self, name: str) -> Expr:
        """The whole turns of an angle that no coordinate tells."""
        if self.turning:
            return symbol(f"{TURNS}{name}")
        return Number(2.0 * math.pi * float(self.turned[name])) if name in self.turned else ZERO


class Sight:
    """The kinematics of a whole mechanism, as expressions of the coordinates of its System."""

    def __init__(
        self,
        mechanism: Mechanism,
        system: System,
        turning: Mapping[str, Joint],
        formulas: bool,
        turns: Callable[[str], Expr],
    ) -> None:
        self.mechanism, self.system, self.turning, self.turns = mechanism, system, turning, turns
        self.dimension, self.formulas = mechanism.dimension, formulas

    def place(self, point: str) -> Vector:
        """Where a point is."""
        s = self.system
        return Vector(coordinate(s.coordinates[i]) if i < s.n else self._fixed(i - s.n) for i in s.chart.points[point])

    def _fixed(self, i: int) -> Expr:
        """A frozen coordinate."""
        s = self.system
        return s.formulas.exprs[s.frozen_columns[i]] if self.formulas else Number(float(s.frozen[i]))

    def velocity(self, point: str) -> Vector:
        """How fast it moves."""
        return Vector(map(rate, self.place(point)))

    def frame(self, part: str) -> tuple[Vector, ...]:
        """The axes of a part in the world."""
        return derive_axes([self.place(p) for p in self._corners(part)], self._apart(part))

    def frame_rates(self, part: str) -> tuple[Vector, ...]:
        """Their velocities."""
        places, speeds = ([of(p) for p in self._corners(part)] for of in (self.place, self.velocity))
        return derive_axes_rates(places, speeds, self._apart(part))

    def spin(self, part: str) -> Vector:
        """The angular velocity of a part of space, in the world."""
        return derive_spin(self.frame(part), self.frame_rates(part))

    def angle(self, name: str) -> Expr:
        """The turn angle: a coordinate if it is tracked, else the way of the part's x axis, or the joint's turn."""
        chart = self.system.chart
        if name in chart.angles:
            return coordinate(self.system.coordinates[chart.angles[name]])
        turns = self.turns(name)
        if self.dimension == 3:
            return derive_turn(self.mechanism, self.turning[name], self.place) + turns
        a, b = (self.place(point) for point in chart.parts[name][:2])
        return atan2(b[1] - a[1], b[0] - a[0]) + turns

    def omega(self, name: str) -> Expr:
        """Its rate."""
        return rate(self.angle(name))

    def _corners(self, part: str) -> tuple[str, ...]:
        return self.system.chart.parts[part][: self.dimension]

    def _apart(self, part: str) -> list[Expr]:
        rigid = self.mechanism.find_rigid(part)
        lengths = triangle(rigid) if self.dimension == 3 else [rigid.geometry[1][0]]
        return [x if self.formulas else Number(self.mechanism.compute(x)) for x in lengths]


def _turns(joint: Joint) -> bool:
    kind = find_kind(3, joint.kind)
    return kind is not None and kind.turns


def coordinate(name: str) -> Expr:
    """The symbol of a coordinate."""
    return symbol(name, kind="coordinate")


def speed(name: str) -> Expr:
    """The symbol of its rate."""
    return symbol(f"{name}'", kind="speed")


def acceleration(name: str) -> Expr:
    """The symbol of its acceleration."""
    return symbol(f"{name}''", kind="acceleration")


def split_words(text: str) -> list[str]:
    """The pieces of a text between commas that are not inside parentheses.

    >>> split_words("theta, angle = atan2(A.y, A.x)")
    ['theta', 'angle = atan2(A.y, A.x)']
    """
    pieces, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += c
    return [piece.strip() for piece in pieces if piece.strip()]
