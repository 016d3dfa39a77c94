"""What the checks of a mechanism share: the mechanism, its numbers, and the problems found so far."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linkwork.errors import MAX_PROBLEMS, ExpressionError, Problem, Ref, did_you_mean
from linkwork.model.complete import ALONG
from linkwork.model.tracked import find_turn_angles
from linkwork.symbolic import Expr, free_symbols

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

SMALLEST, LARGEST = 1e-75, 1e75  # of sizes and numbers: products of four are within the range of floats


def are_along(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two directions of space are one and the same, or its opposite, or none."""
    across = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return math.hypot(*across) <= ALONG * math.hypot(*a) * math.hypot(*b)


class Flaw(NamedTuple):
    """Something wrong, and what to do; nothing if there are no words. `absent`: as in Problem."""

    what: str = ""
    remedy: str = ""
    absent: bool = False


class EnoughError(Exception):
    """Stops the search once there are MAX_PROBLEMS."""


class Findings:
    """The mechanism under examination and the problems found so far."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.moving = frozenset(mechanism.moving_points)
        self.points = self.moving | mechanism.fixed.keys()
        self.turns = find_turn_angles(mechanism)
        self.rigids = {rigid.name: rigid for rigid in mechanism.rigids}
        self.joints = {joint.name: joint for joint in mechanism.joints}
        # reported already: parameters without values, and variables and rates that stand for themselves
        self.broken = mechanism.parameters.keys() - mechanism.values.keys()
        self.broken |= mechanism.variables.keys() | {f"{state.name}'" for state in mechanism.states}
        self.names = [*mechanism.values, *mechanism.variables, *(state.name for state in mechanism.states)]
        self.names += [*mechanism.all_inputs, "t"]
        self.wrong: set[str] = set()  # names of joints and wheels that are, and what they name that is not there
        self.spoilt: set[Ref] = set()  # parts whose laws need no further look
        self.driven: Counter[tuple[frozenset[str], str]] = Counter()  # what motions prescribe
        self.problems: list[Problem] = []
        self.bounds: list[tuple[Expr, str]] = []  # formulas, and what they must not be beside zero: "<", "<=", "=="
        self.notes: list[Problem] = []  # what is allowed, but not likely to be meant

    def report(self, part: Ref, what: str, remedy: str = "", *, detail: str = "", absent: bool = False) -> None:
        """Something is wrong with a part, or a detail of it; perhaps only because something is `absent`."""
        if len(self.problems) == MAX_PROBLEMS:
            raise EnoughError
        self.problems.append(Problem(ref=part, detail=detail, what=what, remedy=remedy, absent=absent))

    def tell(self, part: Ref, flaw: Flaw) -> None:
        """The same in words that were found elsewhere, if there are any."""
        if flaw.what:
            self.report(part, flaw.what, flaw.remedy, absent=flaw.absent)

    def note(self, part: Ref, what: str, remedy: str = "") -> None:
        if len(self.notes) < MAX_PROBLEMS:
            self.notes.append(Problem(ref=part, what=what, remedy=remedy))

    def is_broken(self, *exprs: Expr) -> bool:
        """Whether a parameter that an expression needs has no value, which is reported already."""
        return bool(self.broken) and any(symbol.name in self.broken for symbol in free_symbols(*exprs))

    def number(self, expr: Expr, part: Ref, label: str, largest: float = LARGEST) -> float | None:
        """The value of an expression, or None after reporting why it has none."""
        if self.is_broken(expr):
            return None
        try:
            value = self.mechanism.compute(expr)
        except ExpressionError as error:
            self.report(part, f"{label}: {error.what}", error.remedy, detail=label)
            return None
        if abs(value) > largest:
            self.report(part, f"{label}: {value:g} is out of range", f"Use numbers up to {largest:g}", detail=label)
            return None
        return value

    def numbers(self, exprs: Iterable[Expr], part: Ref, label: str) -> list[float] | None:
        values = [self.number(expr, part, label) for expr in exprs]
        return None if None in values else [value for value in values if value is not None]

    def at_least_zero(self, expr: Expr, part: Ref, label: str) -> None:
        self.bounds.append((expr, "<"))
        value = self.number(expr, part, label)
        if value is not None and value < 0:
            self.report(part, f"{label} is negative ({value:g})", "Make it zero or positive", detail=label)

    def known_points(self, points: Iterable[str], part: Ref) -> bool:
        """Whether all points belong to a part or are fixed."""
        missing = [point for point in dict.fromkeys(points) if point not in self.points]
        for point in missing:
            self.report(part, f"no part has a point '{point}'", suggest(point, self.points, "Points"), absent=True)
        return not missing


def suggest(name: str, known: Iterable[str], title: str) -> str:
    """The closest known name, or all of them if they are few."""
    names = sorted(known)
    listed = f"{title} are {', '.join(names)}" if 0 < len(names) <= 8 else ""
    return did_you_mean(name, names) or listed
