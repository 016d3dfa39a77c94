"""Initial values: guesses of positions and velocities, some fixed. Knows not how a start is found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from linkwork.errors import InputError, Problem, Ref, show_value
from linkwork.given import as_list, as_map
from linkwork.model.connections import WORLD, Joint
from linkwork.model.convert import Scalar, as_value
from linkwork.model.part import set_field
from linkwork.symbolic import ZERO, Expr

START = Ref("ProblemData")


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Guess:
    """One initial value: exact if `fixed`, otherwise a starting point for the search of a consistent state.

    >>> Guess(value="l/2", fixed=True).value
    l/2
    """

    value: Expr
    fixed: bool

    def __init__(self, *, value: Scalar, fixed: bool = False) -> None:
        set_field(self, "value", as_value(value, Ref("initial value")))
        set_field(self, "fixed", _as_fixed(fixed))


Start: TypeAlias = Scalar | Guess


def fix(value: Scalar) -> Guess:
    """An initial value the search of a consistent start must not change.

    >>> fix(1).fixed
    True
    """
    return Guess(value=value, fixed=True)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class InitialValues:
    """The time span, and guesses by point (positions, velocities) and by part with a torque (angles, rates).

    `states` are values with which first-order states start, instead of their own. A point that is not mentioned is free
    to be found. Without `tend` the caller says how long to simulate. `told` says which angles of parts follow from that
    of a joint.

    >>> InitialValues(tend=10, positions={"A": (fix(1), 0)}).positions["A"][0].fixed
    True
    """

    t0: Expr
    tend: Expr | None
    positions: Mapping[str, tuple[Guess, ...]]
    velocities: Mapping[str, tuple[Guess, ...]]
    angles: Mapping[str, Guess]
    rates: Mapping[str, Guess]
    states: Mapping[str, Expr]
    told: Mapping[Ref, Ref]

    def __init__(
        self,
        *,
        t0: Scalar = 0,
        tend: Scalar | None = None,
        positions: Mapping[str, Iterable[Start]] | None = None,
        velocities: Mapping[str, Iterable[Start]] | None = None,
        angles: Mapping[str, Start] | None = None,
        rates: Mapping[str, Start] | None = None,
        states: Mapping[str, Scalar] | None = None,
        told: Mapping[Ref, Ref] | None = None,
    ) -> None:
        set_field(self, "t0", as_value(t0, START, "t0"))
        set_field(self, "tend", None if tend is None else as_value(tend, START, "tend"))
        for key, places, word in (("positions", positions, "position of"), ("velocities", velocities, "velocity of")):
            given = as_map(places, START, key)
            set_field(self, key, {name: _guesses(values, Ref(word, name)) for name, values in given.items()})
        for key, turns, word in (("angles", angles, "angle of"), ("rates", rates, "rate of")):
            single = as_map(turns, START, key)
            set_field(self, key, {name: _guess(value, Ref(word, name)) for name, value in single.items()})
        begun = as_map(states, START, "states")
        set_field(self, "states", {name: as_value(value, Ref("start of", name)) for name, value in begun.items()})
        set_field(self, "told", dict(told or {}))

    def renamed(self, name: Callable[[str], str]) -> InitialValues:
        """The same with other names for points."""
        positions = {name(point): values for point, values in self.positions.items()}
        velocities = {name(point): values for point, values in self.velocities.items()}
        return replace(self, positions=positions, velocities=velocities)

    def loosened(self, joints: Mapping[str, Joint]) -> InitialValues:
        """The same with all values as guesses; those of a joint between two parts that have their own are left out."""

        def loose(given: Mapping[str, tuple[Guess, ...]]) -> dict[str, tuple[Guess, ...]]:
            return {name: tuple([replace(guess, fixed=False) for guess in guesses]) for name, guesses in given.items()}

        def follows(name: str, given: Mapping[str, Guess]) -> bool:
            return name in joints and given.keys() >= {*joints[name].parts} - {WORLD}

        angles, rates = (
            {name: replace(guess, fixed=False) for name, guess in given.items() if not follows(name, given)}
            for given in (self.angles, self.rates)
        )
        positions, velocities = loose(self.positions), loose(self.velocities)
        return replace(self, positions=positions, velocities=velocities, angles=angles, rates=rates)

    def on_parts(
        self, joints: Iterable[Joint], bodies: Collection[str], parallel: Collection[str] = ()
    ) -> InitialValues:
        """The same with turns of joints of the plane as those of the bodies they turn; some joints let nothing turn."""
        angles, rates, bodies = dict(self.angles), dict(self.rates), {*bodies} - {WORLD}
        every = [*joints]
        known, stiff = ({j.name: j for j in every if (j.name in parallel) == held} for held in (False, True))
        shifts = {joint.name: joint.angles[0] - joint.angles[1] for joint in every if joint.angles}
        if not (angles.keys() | rates.keys()) & known.keys():
            stiff = {}  # nothing follows from what they say
        by_angle = _turn_parts(angles, known, stiff, shifts, bodies)
        by_rate = _turn_parts(rates, known, stiff, {}, bodies)
        told = {Ref("angle of", part): Ref("angle of", joint) for part, joint in by_angle.items()}
        told |= {Ref("rate of", part): Ref("rate of", joint) for part, joint in by_rate.items()}
        return replace(self, angles=angles, rates=rates, told={**self.told, **told})


def _turn_parts(
    turns: dict[str, Guess],
    joints: Mapping[str, Joint],
    stiff: Mapping[str, Joint],
    shifts: Mapping[str, Expr],
    bodies: Collection[str],
) -> dict[str, str]:
    """Turns of joints by those of parts, one after the other from what is known; where nothing is, a part rests.

    → which part has its turn from which joint
    """
    told: dict[str, str] = {}
    while True:
        _turn_alike(turns, stiff, shifts, bodies)
        left = [joint for name, joint in joints.items() if name in turns]
        done = {_turn_part(turns, joint, shifts.get(joint.name, ZERO), bodies): joint.name for joint in left}
        told |= {part: name for part, name in done.items() if part is not None}
        if any(part is not None for part in done):
            continue
        # a guess need not be more than that: the first part is upright, as one of which nothing is known
        free = [x for x in left if not turns[x.name].fixed and x.parts[0] in bodies and x.parts[0] not in turns]
        if not free:
            return told  # what is fixed is a condition of the start; a guess between two that are known is refused
        turns[_find_base(free[0].parts[0], [*left, *stiff.values()], turns, bodies)] = Guess(value=0)


def _turn_alike(
    turns: dict[str, Guess], stiff: Mapping[str, Joint], shifts: Mapping[str, Expr], bodies: Collection[str]
) -> None:
    """Bodies that turn like the world, or like others that are known."""
    more = bool(stiff) and not turns.keys().isdisjoint({*turns} - {*bodies})
    while more:
        more = False
        for joint in stiff.values():
            for (base, part), sign in ((joint.parts, 1), (joint.parts[::-1], -1)):
                known = Guess(value=0) if base == WORLD else turns.get(base)
                if known is not None and part in bodies and part not in turns:
                    turns[part] = Guess(value=known.value + sign * shifts.get(joint.name, ZERO))
                    more = True


def _find_base(part: str, left: Iterable[Joint], turns: Mapping[str, Guess], bodies: Collection[str]) -> str:
    """The first of the bodies that a body follows by joints whose turns are known."""
    before = {joint.parts[1]: joint.parts[0] for joint in left}
    passed = {part}
    while (first := before.get(part)) is not None and first in bodies and first not in turns and first not in passed:
        part = first
        passed.add(part)
    return part


def _turn_part(turns: dict[str, Guess], joint: Joint, shift: Expr, bodies: Collection[str]) -> str | None:
    """Have the turn of a joint done by one of its parts, if the other is the world or its turn is known. → that part

    What is fixed on top of a guess makes one more guess and stays, as a condition of the start.
    """
    guess, (one, two) = turns[joint.name], joint.parts
    for base, part, sign in ((one, two, 1), (two, one, -1)):
        known, before = fix(0) if base == WORLD else turns.get(base), turns.get(part)
        if known is None or part not in bodies:
            continue
        kept = guess.fixed and known.fixed
        if before is None or (kept and not before.fixed):
            turns[part] = Guess(value=known.value + sign * (guess.value + shift), fixed=kept)
            if kept or not guess.fixed:
                del turns[joint.name]
            return part
    return None


def _guess(value: Start, part: Ref) -> Guess:
    return value if isinstance(value, Guess) else Guess(value=as_value(value, part))


def _guesses(values: Iterable[Start], part: Ref) -> tuple[Guess, ...]:
    return tuple([_guess(value, part) for value in as_list(values, part)])


def _as_fixed(given: Any) -> bool:
    if isinstance(given, bool):
        return given
    what, remedy = f"fixed is {show_value(given)}", "Give True to keep the value, or False"
    raise InputError([Problem(ref=Ref("initial value"), what=what, remedy=remedy)])
