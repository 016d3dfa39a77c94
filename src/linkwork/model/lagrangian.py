"""A Lagrangian: energy and constraints over named coordinates as one frozen whole that is valid from birth.

Functions are called once, with symbols, when the Lagrangian is made; what they return is differentiable and compiled
like everything else. Knows not how equations follow from it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from linkwork.errors import ExpressionError, InputError, Problem, did_you_mean, show_value
from linkwork.model.convert import Scalar, as_exprs
from linkwork.model.functions import FUNCTION_NAME, RESERVED, TRACED, as_result, registered_functions
from linkwork.model.laws import TIME, Event
from linkwork.model.settings import Display, Settings
from linkwork.model.start import Guess, InitialValues, Start
from linkwork.model.values import compute_number, compute_parameters
from linkwork.symbolic import (
    Expr,
    ExprLike,
    Number,
    Symbol,
    as_expr,
    derivatives,
    differentiate,
    free_symbols,
    substitute,
    symbol,
)
from linkwork.symbolic.parse import parse

ZERO: Expr = Number(0)
ARGUMENTS = ("q", "u", "p", "t")
FAMILY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\[([0-9]{1,6})\]")

Formula: TypeAlias = Scalar | Callable[..., Any]
Formulas: TypeAlias = Formula | Sequence[Formula] | Mapping[str, Formula]

_set = object.__setattr__


class Names:
    """Symbols by name: q.theta or q["theta"]; a family x[3] is the list q.x of the symbols x1, x2, x3."""

    def __init__(self, what: str, entries: Mapping[str, Any]) -> None:
        self._what, self._entries = what, dict(entries)

    def __getitem__(self, name: str) -> Any:
        if name not in self._entries:
            known = did_you_mean(name, self._entries) or f"There are: {', '.join(self._entries)}"
            raise ExpressionError(f"no {self._what} named '{name}'", known)
        return self._entries[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


def rate(expr: ExprLike) -> Expr:
    """The time derivative of an expression of coordinates and time, as an expression of coordinates and speeds.

    >>> rate(symbol("x", kind="coordinate") ** 2)
    2*x*x'
    """
    formula, total = as_expr(expr), ZERO
    for s in sorted(free_symbols(formula), key=lambda s: s.name):
        if s.kind == "coordinate":
            total = total + differentiate(formula, s) * symbol(f"{s.name}'", kind="speed")
        elif s.kind == "time":
            total = total + differentiate(formula, s)
        elif s.kind == "speed":
            raise ExpressionError(f"the rate of the speed {s.name} is unknown", "Take rates of positions only")
    return total


@dataclass(frozen=True, slots=True, kw_only=True, init=False, eq=False)
class Lagrangian:
    """L = T − V with what constrains, drives and damps the motion. Construction raises InputError with all problems.

    >>> pendulum = Lagrangian("theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81})
    >>> pendulum.coordinates
    ('theta',)
    """

    title: str
    coordinates: tuple[str, ...]
    energy: Expr
    constraints: Mapping[str, Expr]
    velocity_constraints: Mapping[str, Expr]
    states: Mapping[str, Expr]
    forces: Mapping[str, Expr]
    dissipation: Expr
    parameters: Mapping[str, Expr]
    points: Mapping[str, tuple[Expr, ...]]
    lines: tuple[tuple[str, ...], ...]
    events: tuple[Event, ...]
    start: InitialValues
    scales: Mapping[str, float]
    settings: Settings
    display: Display

    values: Mapping[str, float] = field(init=False, repr=False)

    def __init__(
        self,
        coordinates: str | Iterable[str],
        energy: Formula,
        *,
        constraints: Formulas = (),
        velocity_constraints: Formulas = (),
        states: Mapping[str, Formula] | None = None,
        forces: Mapping[str, Formula] | Callable[..., Any] | None = None,
        dissipation: Formula = 0,
        parameters: Mapping[str, Scalar] | None = None,
        start: Mapping[str, Start] | InitialValues | None = None,
        t0: Scalar = 0,
        tend: Scalar | None = None,
        points: Mapping[str, Formulas] | None = None,
        lines: Iterable[Iterable[str]] = (),
        events: Event | Iterable[Event] = (),
        scales: Mapping[str, float] | None = None,
        title: str = "",
        settings: Settings | None = None,
        display: Display | None = None,
    ) -> None:
        reader = _Reader(coordinates, states, parameters)
        _set(self, "title", title)
        _set(self, "coordinates", reader.names)
        _set(self, "parameters", reader.parameters)
        _set(self, "values", reader.values)
        _set(self, "energy", reader.read("L", energy))
        _set(self, "constraints", reader.read_all("constraint", "g", constraints))
        _set(self, "states", {name: reader.read(f"state '{name}'", rate) for name, rate in reader.states.items()})
        given = reader.read_all("velocity constraint", "h", velocity_constraints)
        _set(self, "velocity_constraints", given | reader.rates(self.states))
        _set(self, "forces", reader.read_forces(forces))
        _set(self, "dissipation", reader.read("dissipation", dissipation))
        places = reader.by_name("points", points, "{point: (x, y)}")
        _set(self, "points", {name: reader.read_place(name, place) for name, place in places.items()})
        _set(self, "lines", reader.read_lines(lines))
        _set(self, "events", reader.read_events(events))
        _set(self, "start", reader.read_start(start, t0, tend))
        _set(self, "scales", reader.by_name("scales", scales, "{coordinate: positive number}"))
        _set(self, "settings", settings or Settings())
        _set(self, "display", display or Display())
        problems = reader.problems or list(_find_problems(self))
        if problems:
            raise InputError(problems)

    def compute(self, expr: Expr) -> float:
        """The value of an expression over the parameters."""
        return compute_number(expr, self.values)

    def find_undefined(self, t: float, q: Sequence[float], u: Sequence[float]) -> str:
        """The first of L, forces and constraints that has no value at a state, in words; nothing if all have one."""
        speeds = [f"{name}'" for name in self.coordinates]
        values = {**self.values, **dict(zip((*self.coordinates, *speeds), (*q, *u), strict=True)), "t": t}
        forces = {f"force on {name}": force for name, force in self.forces.items()}
        named = {"L": self.energy, **self.constraints, **self.velocity_constraints, **forces}
        for name, expr in {**named, "dissipation": self.dissipation}.items():
            try:
                compute_number(expr, values)
            except ExpressionError as error:
                return f"{name}: {error.what}"
        return ""

    def with_parameters(self, /, **changes: Scalar) -> Lagrangian:
        """A copy in which some parameters have other values."""
        unknown = [name for name in changes if name not in self.parameters]
        if unknown:
            raise InputError(
                Problem(what=f"no parameter named '{name}'", remedy=did_you_mean(name, self.parameters))
                for name in unknown
            )
        parameters: dict[str, Any] = {**self.parameters, **changes}
        return replace(self, parameters=parameters)


# -- reading what was given --------------------------------------------------------------------------------------------


class _Reader:
    """Turns numbers, texts, expressions and functions into expressions over the coordinates; collects what is wrong."""

    def __init__(
        self,
        coordinates: str | Iterable[str],
        states: Mapping[str, Formula] | None,
        parameters: Mapping[str, Scalar] | None,
    ) -> None:
        self.problems: list[Problem] = []
        families = _families(self._listed(coordinates))
        self.states = self.by_name("states", states, "{state: formula of its rate}")
        given = self.by_name("parameters", parameters, "{name: value}")
        if self.problems:  # without the names everything else looks wrong
            raise InputError(self.problems)
        for name in self.states:
            families.setdefault(name, [name])
        self.names = tuple(name for names in families.values() for name in names)
        self._check_names(given)
        self.parameters = self._parameters(given)
        values, wrong = compute_parameters(self.parameters)
        self.values = dict.fromkeys(self.parameters, 1.0) | values  # one wrong parameter is one problem
        self.problems += wrong
        q = {name: symbol(name, kind="coordinate") for name in self.names}
        u = {name: symbol(f"{name}'", kind="speed") for name in self.names}
        p = {name: symbol(name, kind="parameter") for name in self.parameters}
        self.known: dict[str, Expr] = {**q, **p, **{s.name: s for s in u.values()}, "t": TIME}
        self.symbols = {*self.known.values()}
        lists = [name for name in families if name not in q]
        self.arguments = {
            "q": Names("coordinate", q | {name: [q[each] for each in families[name]] for name in lists}),
            "u": Names("speed", u | {name: [u[each] for each in families[name]] for name in lists}),
            "p": Names("parameter", p),
            "t": TIME,
        }

    def _listed(self, coordinates: Any) -> list[str]:
        """The names of the coordinates, as they were written."""
        if isinstance(coordinates, str):
            return coordinates.replace(",", " ").split()
        several = isinstance(coordinates, Iterable) and not isinstance(coordinates, bytes)
        listed = list(coordinates) if several else [coordinates]
        for name in listed:
            if not isinstance(name, str):
                remedy = "Name them, as in 'theta', 'x y' or ['x', 'y']"
                self.fail("coordinates", f"{show_value(name)} is no name", remedy)
                return []
        return listed

    def by_name(self, part: str, given: object, form: str) -> dict[str, Any]:
        """What was given by name; nothing, and a problem noted, if it was not."""
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            self.fail(part, f"{show_value(given)} does not say what belongs to which name", f"Give {part} as {form}")
            return {}
        for name in given:
            if not isinstance(name, str):
                self.fail(part, f"{show_value(name)} is no name", f"Give {part} as {form}")
        return {name: value for name, value in given.items() if isinstance(name, str)}

    def _check_names(self, parameters: Mapping[str, Scalar]) -> None:
        if not self.names:
            self.fail("coordinates", "there are none", "Name at least one, as in 'theta' or 'x y'")
        seen: set[str] = set()
        for kind, name in [*(("coordinate", n) for n in self.names), *(("parameter", n) for n in parameters)]:
            if not FUNCTION_NAME.fullmatch(str(name)):
                self.fail(f"{kind} '{name}'", "this is no name", "Use letters, digits and _, starting with a letter")
            elif name in RESERVED or name == "t":
                self.fail(f"{kind} '{name}'", "this name is built in", "Use another name")
            elif name in seen:
                self.fail(f"{kind} '{name}'", "this name is used twice", "Use another name")
            seen.add(name)

    def _parameters(self, parameters: Mapping[str, Scalar]) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        for name, value in parameters.items():
            try:
                found[name] = as_exprs({name: value})[name]
            except ExpressionError as error:
                self.fail(f"parameter '{name}'", error.what, error.remedy)
                found[name] = ZERO
        return found

    def fail(self, part: str, what: str, remedy: str = "") -> None:
        self.problems.append(Problem(part=part, what=what, remedy=remedy))

    def read(self, part: str, given: Formula) -> Expr:
        """One expression; zero, and a problem noted, if it cannot be read."""
        try:
            if callable(given):
                found = as_result(part, self._call(given))
            elif isinstance(given, str):
                found = parse(given, self.known, registered_functions())
            else:
                found = as_expr(given)
        except (ExpressionError, TypeError, ValueError) as error:
            self.fail(part, *_words(error))
            return ZERO
        unknown = sorted(s.name for s in free_symbols(found) - self.symbols)
        if unknown:
            known = did_you_mean(unknown[0], self.known) or "Declare it as a coordinate or a parameter"
            self.fail(part, f"unknown name '{unknown[0]}'", known)
            return ZERO
        return found

    def _call(self, given: Callable[..., Any]) -> Any:
        """What a function of q, u, p, t returns."""
        arguments = [self.arguments[name] for name in _argument_names(given)]
        try:
            return given(*arguments)
        except ExpressionError:
            raise
        except Exception as error:
            raise ExpressionError(f"the function failed: {type(error).__name__}: {error}", TRACED) from error

    def _returned(self, kind: str, given: Any) -> Any:
        """What was given or, of a function, what it returns; nothing, and a problem noted, if it fails."""
        if not callable(given):
            return given
        try:
            return self._call(given)
        except ExpressionError as error:
            self.fail(kind, error.what, error.remedy)
            return {}

    def read_all(self, kind: str, letter: str, given: Formulas) -> dict[str, Expr]:
        """Expressions by name: a mapping keeps its names, others are numbered."""
        given = self._returned(kind, given)
        if isinstance(given, Mapping):
            return {str(name): self.read(f"{kind} '{name}'", formula) for name, formula in given.items()}
        several = given if isinstance(given, Iterable) and not isinstance(given, str | Expr) else [given]
        numbered = {f"{letter}{i}": formula for i, formula in enumerate(several, 1)}
        return {name: self.read(f"{kind} '{name}'", formula) for name, formula in numbered.items()}

    def rates(self, states: Mapping[str, Expr]) -> dict[str, Expr]:
        """The equation of every state as a constraint of velocities: X' − f = 0."""
        return {f"rate_{name}": self.known[f"{name}'"] - f for name, f in states.items() if f"{name}'" in self.known}

    def read_forces(self, given: Mapping[str, Formula] | Callable[..., Any] | None) -> dict[str, Expr]:
        """Generalised forces by coordinate."""
        form = "{coordinate: formula}"
        found = self.read_all("force", "force", self.by_name("forces", self._returned("forces", given), form))
        for name in found:
            if name not in self.names:
                remedy = did_you_mean(name, self.names) or f"Give forces as {form}"
                self.fail("forces", f"no coordinate named '{name}'", remedy)
        return {name: force for name, force in found.items() if name in self.names}

    def read_place(self, name: str, given: Formulas) -> tuple[Expr, ...]:
        """A point: two or three expressions."""
        place = tuple(self.read_all(f"point '{name}'", "xyz", given).values())
        if len(place) not in (2, 3):
            self.fail(f"point '{name}'", f"{len(place)} coordinates", "Give 2 or 3")
        return place

    def read_lines(self, given: Any) -> tuple[tuple[str, ...], ...]:
        """Lines as the names of their points."""
        lines = list(given) if isinstance(given, Iterable) else [given]
        for line in lines:
            if not isinstance(line, Iterable) or not all(isinstance(point, str) for point in line):
                self.fail("lines", f"{show_value(line)} is no line", 'Give lists of points, as in [("O", "P")]')
                return ()
        return tuple(tuple(line) for line in lines)

    def read_events(self, given: Any) -> tuple[Event, ...]:
        """One event or several."""
        several = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        for event in several:
            if not isinstance(event, Event):
                remedy = 'Give events=[lw.Event(name="low", when="theta")]'
                self.fail("events", f"{show_value(event)} is no event", remedy)
        return tuple(self.read_event(event) for event in several if isinstance(event, Event))

    def read_event(self, event: Event) -> Event:
        """An event whose names are those of the coordinates."""
        speeds = {symbol(s.name): s for s in self.known.values() if isinstance(s, Symbol)}
        when = substitute(event.when, {s: speeds[s] for s in free_symbols(event.when) if s in speeds})
        for s in sorted(free_symbols(when) - self.symbols, key=lambda s: s.name):
            self.fail(f"event '{event.name}'", f"unknown name '{s.name}'", did_you_mean(s.name, self.known))
        return Event(name=event.name, when=when, stop=event.stop, direction=event.direction)

    def read_start(
        self, given: Mapping[str, Start] | InitialValues | None, t0: Scalar, tend: Scalar | None
    ) -> InitialValues:
        """Initial values by coordinate and, with a prime, by speed."""
        if isinstance(given, InitialValues):
            return given
        found = self.by_name("start", given, "{coordinate: value}")
        for name in found:
            if name.removesuffix("'") not in self.names:
                remedy = did_you_mean(name, (*self.names, *(f"{n}'" for n in self.names)))
                self.fail("start", f"no coordinate or speed named '{name}'", remedy)
        read = {name: self.read_value(f"start of '{name}'", value) for name, value in found.items()}
        return InitialValues(
            t0=self.read_value("t0", t0).value,
            tend=None if tend is None else self.read_value("tend", tend).value,
            angles={name: value for name, value in read.items() if name in self.names},
            rates={name[:-1]: value for name, value in read.items() if name.endswith("'") and name[:-1] in self.names},
        )

    def read_value(self, part: str, given: Start) -> Guess:
        """An initial value that is a number once the parameters are known."""
        try:
            guess = given if isinstance(given, Guess) else Guess(value=given)
            compute_number(guess.value, self.values)
            return guess
        except ExpressionError as error:
            self.fail(part, error.what, error.remedy)
            return Guess(value=0)


def _families(words: Iterable[str]) -> dict[str, list[str]]:
    """Names as they were written, each with the coordinates it stands for: x[2] for x1, x2."""
    found: dict[str, list[str]] = {}
    for word in words:
        family = FAMILY.fullmatch(word)
        if family:
            found.setdefault(family[1], []).extend(f"{family[1]}{i}" for i in range(1, int(family[2]) + 1))
        else:
            found.setdefault(word, []).append(word)
    return found


def _argument_names(given: Callable[..., Any]) -> list[str]:
    remedy = "Use some of q (coordinates), u (speeds), p (parameters) and t (time), by these names"
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):
        raise ExpressionError("the function does not tell its arguments", remedy) from None
    names = [p.name for p in parameters if p.default is inspect.Parameter.empty]
    wrong = [name for name in names if name not in ARGUMENTS]
    if wrong:
        raise ExpressionError(f"the function asks for '{wrong[0]}'", remedy)
    return names


def _words(error: Exception) -> tuple[str, str]:
    if isinstance(error, ExpressionError):
        return error.what, error.remedy
    return f"{type(error).__name__}: {error}", "Give a number, a text, an expression or a function"


# -- checks ------------------------------------------------------------------------------------------------------------


def _find_problems(model: Lagrangian) -> Iterator[Problem]:
    speeds = [symbol(f"{name}'", kind="speed") for name in model.coordinates]
    yield from _check_energy(model, speeds)
    for name, g in model.constraints.items():
        used = sorted(s.name for s in free_symbols(g) if s.kind == "speed")
        if used:
            remedy = "Give it as a velocity constraint"
            yield Problem(part=f"constraint '{name}'", what=f"it contains the speed {used[0]}", remedy=remedy)
        elif not any(s.kind == "coordinate" for s in free_symbols(g)):
            yield Problem(part=f"constraint '{name}'", what="it contains no coordinate", remedy="Check the formula")
    yield from _check_states(model)
    for name, h in model.velocity_constraints.items():
        slopes = derivatives(h, [s for s in speeds if s in free_symbols(h)])
        if not slopes:
            yield Problem(part=f"velocity constraint '{name}'", what="it contains no speed", remedy="Check the formula")
        elif any(s.kind == "speed" for slope in slopes for s in free_symbols(slope)):
            remedy = "Only constraints A(q, t) u + b(q, t) = 0 are possible"
            yield Problem(part=f"velocity constraint '{name}'", what="it is not linear in the speeds", remedy=remedy)
    repeated = model.constraints.keys() & model.velocity_constraints.keys()
    for name in sorted(repeated):
        yield Problem(part=f"constraint '{name}'", what="two constraints have this name", remedy="Rename one")
    for name, scale in model.scales.items():
        if name not in model.coordinates or not _is_positive(scale):
            remedy = "Give {coordinate: positive number}"
            yield Problem(
                part="scales", what=f"'{name}': {show_value(scale)} is no scale of a coordinate", remedy=remedy
            )
    for line in model.lines:
        for point in line:
            if point not in model.points:
                yield Problem(part="lines", what=f"no point named '{point}'", remedy=did_you_mean(point, model.points))


def _is_positive(value: Any) -> bool:
    try:
        return bool(value > 0)
    except (TypeError, ValueError):
        return False


def _check_states(model: Lagrangian) -> Iterator[Problem]:
    """What a state's equation feels of the speeds must not come back to them as a force of its constraint."""
    felt = {s for g in (model.energy, *model.constraints.values()) for s in free_symbols(g)}
    for name, f in model.states.items():
        if symbol(name, kind="coordinate") in felt and any(s.kind == "speed" for s in free_symbols(f)):
            what = "its rate depends on speeds, and L or a constraint contains it"
            remedy = "Let it act by forces only, or take the speeds out of its rate"
            yield Problem(part=f"state '{name}'", what=what, remedy=remedy)


def _check_energy(model: Lagrangian, speeds: Sequence[Symbol]) -> Iterator[Problem]:
    used = [s for s in speeds if s in free_symbols(model.energy)]
    for s, momentum in zip(used, derivatives(model.energy, used), strict=True):
        inside = [v for v in used if v in free_symbols(momentum)]
        for second in derivatives(momentum, inside):
            wrong = sorted(v.name for v in free_symbols(second) if v.kind == "speed")
            if wrong:
                what = f"∂²L/∂{s.name}² or a mixed derivative depends on {wrong[0]}"
                remedy = "L must be quadratic in the speeds; give other forces as forces or dissipation"
                yield Problem(part="L", what=what, remedy=remedy)
                return
