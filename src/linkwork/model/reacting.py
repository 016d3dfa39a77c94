"""What reacts in a system given by energies: events, stops, friction and sampled controllers, over its own names.

The same parts as in a mechanism; here what they name are coordinates, speeds (theta'), states, inputs and variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from linkwork.errors import ExpressionError, Problem, did_you_mean, show_value
from linkwork.model.formulas import Reader
from linkwork.model.friction import Friction
from linkwork.model.laws import Event
from linkwork.model.part import Part
from linkwork.model.sampled import Sampled
from linkwork.model.signals import inputs_in
from linkwork.model.stops import Stop
from linkwork.symbolic import Expr, derivatives, free_symbols

P = TypeVar("P", Event, Stop, Friction, Sampled)

FORMS: Mapping[type[Part], tuple[str, str]] = {
    Event: ("events", 'Give events=[lw.Event(name="low", when="theta")]'),
    Stop: ("stops", 'Give stops=[lw.Stop(name="floor", gap="x")]'),
    Friction: ("frictions", 'Give frictions=[lw.Friction(name="brake", speed="theta\'", limit=2)]'),
    Sampled: ("controllers", 'Give controllers=[lw.Sampled("servo", period=0.01, outputs={"tau": "-k*theta"})]'),
}
TARGETS = "Name a speed such as theta', a variable that is one, a state, or an input"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacting:
    """Events, stops, friction and sampled controllers, as they were given."""

    events: tuple[Event, ...] = ()
    stops: tuple[Stop, ...] = ()
    frictions: tuple[Friction, ...] = ()
    controllers: tuple[Sampled, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def held(self) -> dict[str, int]:
        """The inputs that are their own, at first."""
        gripping = {name: x for friction in self.frictions for name, x in friction.inputs.items()}
        return gripping | {name: 0 for one in self.controllers for name in one.held}

    def read(self, reader: Reader) -> Reacting:
        """The same over the symbols of a system."""

        def read(part: P) -> P:
            return part.with_laws(lambda law: reader.read_law(f"{part.WORD} '{part.ref.name}'", law))

        return self._changed(read)

    def settled(self, settle: Callable[[Expr], Expr]) -> Reacting:
        """The same with what states stand for."""
        return self._changed(lambda part: part.with_laws(settle))

    def _changed(self, change: Callable[[Any], Any]) -> Reacting:
        return replace(self, **{key: tuple(map(change, getattr(self, key))) for key, _ in FORMS.values()})


def list_reacting(events: Any, stops: Any, frictions: Any, controllers: Any) -> Reacting:
    """One of each, or several; what is none of its kind is a problem."""
    problems: list[Problem] = []

    def listed(kind: type[P], given: Any) -> tuple[P, ...]:
        several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        key, remedy = FORMS[kind]
        for part in several:
            if not isinstance(part, kind):
                what = f"{show_value(part)} is no {kind.WORD}"
                problems.append(Problem(part=key, what=what, remedy=remedy))
        return tuple(part for part in several if isinstance(part, kind))

    return Reacting(
        events=listed(Event, events),
        stops=listed(Stop, stops),
        frictions=listed(Friction, frictions),
        controllers=listed(Sampled, controllers),
        problems=tuple(problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What may be named: constraints that go on and off, inputs, states, coordinates, and variables with their laws."""

    switched: frozenset[str]
    inputs: frozenset[str]
    states: frozenset[str]
    felt: frozenset[str]
    coordinates: tuple[str, ...]
    variables: Mapping[str, Expr]
    compute: Callable[[Expr], float]


def check_reacting(parts: Reacting, known: Known) -> Iterator[Problem]:
    """What is wrong with them once all names are known."""
    for event in parts.events:
        yield from _check_event(event, known)
    for stop in parts.stops:
        yield from _check_stop(stop)
    for friction in parts.frictions:
        if not all(map(_speeds, friction.speeds)):
            remedy = "Name one, as in theta'"
            yield Problem(ref=friction.ref, what="the formula has no speed in it", remedy=remedy)
    named = [*(stop.name for stop in parts.stops), *(friction.name for friction in parts.frictions)]
    for name in sorted({name for name in named if named.count(name) > 1 or name in known.switched}):
        what, remedy = f"something else is called '{name}', too", "Give it a name of its own"
        yield Problem(part="stops and frictions", what=what, remedy=remedy)
    yield from _check_controllers(parts.controllers, known.compute)


def _check_event(event: Event, known: Known) -> Iterator[Problem]:
    for name in (*event.on, *event.off):
        if name not in known.switched:
            remedy = did_you_mean(name, known.switched) or "Name a constraint"
            yield Problem(ref=event.ref, what=f"'{name}' cannot be switched on or off", remedy=remedy)
    for name in sorted({*event.on} & {*event.off}):
        what = f"'{name}' is switched on and off at once"
        yield Problem(ref=event.ref, what=what, remedy="Give it in one of the two")
    for target, _ in event.then:
        if not _may_jump(target, known):
            yield Problem(ref=event.ref, what=f"'{target}' cannot change at once", remedy=TARGETS)


def _may_jump(target: str, known: Known) -> bool:
    if target in known.inputs or target in known.states:
        return True
    if target.endswith("'") and target[:-1] in known.coordinates and target[:-1] not in known.felt:
        return True
    law = known.variables.get(target)
    speeds = [] if law is None else _speeds(law)
    return bool(speeds) and not any(map(_speeds, derivatives(law, speeds)))  # type: ignore[arg-type]


def _check_stop(stop: Stop) -> Iterator[Problem]:
    speeds = _speeds(stop.law)
    if stop.level == "gap" and speeds:
        what, remedy = f"the gap depends on the speed {speeds[0].name}", "Give a ratchet as speed="
        yield Problem(ref=stop.ref, what=what, remedy=remedy)
    elif stop.level == "gap" and inputs_in(stop.law):
        what = f"the gap depends on the input {inputs_in(stop.law)[0]}: places cannot follow when it jumps"
        yield Problem(ref=stop.ref, what=what, remedy="Give a formula of coordinates and time")
    elif stop.level == "gap" and not any(s.kind == "coordinate" for s in free_symbols(stop.law)):
        what, remedy = "the formula does not depend on the motion", "Name coordinates, as in x - r"
        yield Problem(ref=stop.ref, what=what, remedy=remedy)
    elif stop.level == "speed" and not speeds:
        yield Problem(ref=stop.ref, what="the formula has no speed in it", remedy="Name one, as in theta'")


def _check_controllers(controllers: tuple[Sampled, ...], compute: Callable[[Expr], float]) -> Iterator[Problem]:
    for i, one in enumerate(controllers):
        try:
            numbers = {"period": compute(one.period), **{name: compute(x) for name, x in one.quantum.items()}}
            compute(one.offset)
        except ExpressionError as error:
            yield Problem(ref=one.ref, what=error.what, remedy=error.remedy)
            continue
        for name, value in numbers.items():
            if not value > 0:
                what = f"the {name if name == 'period' else f'quantum of {name}'} is {value:g}"
                yield Problem(ref=one.ref, what=what, remedy="Give a positive number")
        for name in sorted({*one.held} & {name for other in controllers[:i] for name in other.held}):
            what, remedy = f"another controller has '{name}', too", "Let one of them set it"
            yield Problem(ref=one.ref, what=what, remedy=remedy)
        known = (*one.read_names, *one.targets)
        for name in one.quantum:
            if name not in known:
                what = f"quantum: it neither reads nor sets '{name}' by name"
                yield Problem(ref=one.ref, what=what, remedy=did_you_mean(name, known))


def _speeds(law: Expr) -> list[Any]:
    """The speeds in a law, in a fixed order; those behind states are none."""
    found = [s for s in free_symbols(law) if s.kind == "speed" and not s.name.startswith("∫")]
    return sorted(found, key=lambda s: s.name)


def stop_row(name: str) -> str:
    """What the constraint of a closed stop is called."""
    return f"stop_{name}"


def grip_row(name: str) -> str:
    """What the constraint of friction that sticks is called."""
    return f"friction_{name}"
