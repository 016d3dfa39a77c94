"""Formulas of a Lagrangian as they are given: numbers, texts, expressions and functions in, expressions out.

Collects everything that is wrong instead of stopping at the first problem. Knows no mechanics, but for one thing: which
states positions feel.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from linkwork.errors import ExpressionError, InputError, Problem, did_you_mean, show_line, show_value
from linkwork.model.algebra import Implicit, split_implicits
from linkwork.model.controllers import Pid, Transfer
from linkwork.model.convert import Scalar
from linkwork.model.convert import as_expr as read_number
from linkwork.model.found import Found
from linkwork.model.functions import FUNCTION_NAME, RESERVED, TRACED, as_result, registered_functions
from linkwork.model.laws import TIME
from linkwork.model.signals import LARGEST_SCALE, SMALLEST_SCALE, Signals, State, input_symbol, integral_speed, rate_row
from linkwork.model.start import Guess, InitialValues, Start
from linkwork.model.values import compute_number, compute_parameters
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, as_expr, free_symbols, is_in_range, substitute, symbol
from linkwork.symbolic.parse import parse

ARGUMENTS = ("q", "u", "p", "t")
FAMILY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\[([0-9]{1,6})\]")

Formula: TypeAlias = Scalar | Callable[..., Any]
Formulas: TypeAlias = Formula | Sequence[Formula] | Mapping[str, Formula]


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


class Reader:
    """Turns numbers, texts, expressions and functions into expressions over the coordinates; collects what is wrong."""

    def __init__(
        self,
        coordinates: str | Iterable[str],
        states: Mapping[str, Formula] | Iterable[State] | None,
        parameters: Mapping[str, Scalar] | None,
        variables: Mapping[str, Formula | Implicit] | None,
        inputs: Mapping[str, Scalar] | None = None,
        implicits: Mapping[str, Implicit] | None = None,
        constraints: Iterable[str] = (),
    ) -> None:
        self.problems: list[Problem] = []
        variables, solved = split_implicits(variables, implicits or {})
        families = _families(self._listed(coordinates))
        self.rates, self.starts, self.scales = self._listed_states(states)
        given = self.by_name("parameters", parameters, "{name: value}")
        formulas = self.by_name("variables", variables, "{name: formula}")
        held = self.by_name("inputs", inputs, "{name: value}")
        if self.problems:  # without the names everything else looks wrong
            raise InputError(self.problems)
        for name in self.rates:
            if name in families:
                self.fail(f"state '{name}'", "this name is used twice", "Use another name")
            families.setdefault(name, [name])
        self.names = tuple(name for names in families.values() for name in names)
        self._check_names(
            {"coordinate": self.names, "parameter": given, "variable": [*formulas, *solved], "input": held}
        )
        self.parameters = self._parameters(given)
        values, wrong = compute_parameters(self.parameters)
        self.values = dict.fromkeys(self.parameters, 1.0) | values  # one wrong parameter is one problem
        self.problems += wrong
        q = {name: symbol(name, kind="coordinate") for name in self.names}
        u = {name: symbol(f"{name}'", kind="speed") for name in self.names}
        p = {name: symbol(name, kind="parameter") for name in self.parameters}
        p |= {name: input_symbol(name) for name in (*held, *solved)}
        self.inputs = {name: self.read_value(f"input '{name}'", value).value for name, value in held.items()}
        places = [name for name in self.names if name not in self.rates]
        self.found = Found(places, constraints, solved)
        self.known: dict[str, Expr] = {**q, **p, **{s.name: s for s in u.values()}, "t": TIME, **self.found.known}
        self.symbols = {*self.known.values(), *map(integral_speed, self.rates)}
        lists = [name for name in families if name not in q]
        self.arguments = {
            "q": Names("coordinate", q | {name: [q[each] for each in families[name]] for name in lists}),
            "u": Names("speed", u | {name: [u[each] for each in families[name]] for name in lists}),
            "p": Names("parameter", p),
            "t": TIME,
        }
        self.meaning: dict[Expr, Expr] = {}
        self.variables = self._read_variables(formulas)
        self.found.implicits = {
            name: x.with_law(partial(self.read_law, f"variable '{name}'")) for name, x in solved.items()
        }

    def _read_variables(self, formulas: Mapping[str, Formula]) -> dict[str, Expr]:
        """What variables stand for; they may name each other in any order."""
        self.known |= {name: symbol(name) for name in formulas if name not in self.known}
        self.symbols |= {symbol(name) for name in formulas}
        read = {symbol(name): self.read(f"variable '{name}'", law) for name, law in formulas.items()}
        signals = Signals(read, {})
        self.problems += signals.problems
        self.meaning = signals.meaning
        if circle := self.found.reread(self._meant):
            self.fail("variables", circle, "Break the circle")
        return {name: signals.expand(symbol(name)) for name in formulas}

    def _listed_states(self, states: Any) -> tuple[dict[str, Formula], dict[str, Expr], dict[str, Expr]]:
        """Rates by name; starts and scales of states that bring theirs."""
        several = list(states) if isinstance(states, Iterable) and not isinstance(states, Mapping | str) else []
        if several and all(isinstance(state, State) for state in several):
            rates = {state.name: state.rate for state in several}
            if len(rates) < len(several):
                self.fail("states", "two of them have the same name", "Use another name")
            return rates, {s.name: s.start for s in several}, {s.name: s.scale for s in several}
        return self.by_name("states", states or None, "{state: formula of its rate}"), {}, {}

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

    def _check_names(self, listed: Mapping[str, Iterable[str]]) -> None:
        if not self.names:
            self.fail("coordinates", "there are none", "Name at least one, as in 'theta' or 'x y'")
        seen: set[str] = set()
        for kind, name in [(kind, name) for kind, names in listed.items() for name in names]:
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
                found[name] = read_number(value)
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
            elif isinstance(given, Pid | Transfer):
                raise ExpressionError("controllers belong to mechanisms of parts", "Write its states and its output")
            else:
                found = self._renamed(as_expr(given))
        except (ExpressionError, TypeError, ValueError) as error:
            self.fail(part, *_words(error))
            return ZERO
        found = self.found.take(found, self._meant)
        unknown = sorted(s.name for s in self._read_by(found) - self.symbols if not self.found.knows(s))
        if unknown:
            known = did_you_mean(unknown[0], self.known) or "Declare it as a coordinate or a parameter"
            self.fail(part, f"unknown name '{unknown[0]}'", known)
            return ZERO
        meant = substitute(found, {s: self.meaning[s] for s in free_symbols(found) if s in self.meaning})
        if not is_in_range(meant):
            self.fail(part, "a number in it is too large", "Use numbers up to 1e308")
            return ZERO
        return meant

    def _read_by(self, law: Expr) -> frozenset[Symbol]:
        """The symbols of a law and of the arguments of calls in it."""
        calls = [self.found.calls[s.name] for s in free_symbols(law) if s.name in self.found.calls]
        return free_symbols(law, *(x for call in calls for x in call.arguments))

    def _meant(self, law: Expr) -> Expr:
        """An expression over the symbols of this system, without variables."""
        return substitute(self._renamed(law), self.meaning)

    def _renamed(self, found: Expr) -> Expr:
        """An expression whose symbols are those of coordinates, speeds and parameters of the same name."""
        plain = ((s, self.known.get(s.name)) for s in free_symbols(found) if s not in self.symbols)
        return substitute(found, {s: meant for s, meant in plain if isinstance(meant, Symbol)})

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
            named = {show_line(str(name)): formula for name, formula in given.items()}
            if len(named) < len(given):
                self.fail(kind, "two of them have the same name", "Give each a name of its own")
            return {name: self.read(f"{kind} '{name}'", formula) for name, formula in named.items()}
        several = given if isinstance(given, Iterable) and not isinstance(given, str | Expr) else [given]
        numbered = {f"{letter}{i}": formula for i, formula in enumerate(several, 1)}
        return {name: self.read(f"{kind} '{name}'", formula) for name, formula in numbered.items()}

    def settle(self, rates: Mapping[str, Expr], felt: Sequence[Expr]) -> Callable[[Expr], Expr]:
        """Tell states that positions feel, which are coordinates with a velocity constraint, from those only forces do.

        Returns what puts the latter's symbols, speeds of their integrals, into an expression.
        """
        kept: dict[str, Expr] = {}
        pending = list(felt)
        while pending:
            named = {s.name for e in pending for s in free_symbols(e) if s.kind in ("coordinate", "speed")}
            found = {name: rate for name, rate in rates.items() if name not in kept and {name, f"{name}'"} & named}
            kept |= found
            pending = list(found.values())
        for name, rate in kept.items():
            if any(s.kind == "speed" for s in free_symbols(rate)):
                what = "its rate depends on speeds, and L, a constraint or a point contains it"
                remedy = "Let it act by forces only, or take the speeds out of its rate"
                self.fail(f"state '{name}'", what, remedy)
        self.felt = tuple(kept)
        self.equations = {rate_row(name): self.known[f"{name}'"] - rate for name, rate in kept.items()}
        others = {name: rate for name, rate in rates.items() if name not in kept}
        self.names = tuple(name for name in self.names if name not in others)
        speeds = {symbol(f"{name}'", kind="speed"): rate for name, rate in others.items()}
        signals = Signals(speeds, {symbol(name, kind="coordinate"): integral_speed(name) for name in others})
        self.problems += signals.problems
        self.states = {name: signals.expand(rate) for name, rate in others.items()}
        return signals.expand

    def read_states(self) -> tuple[State, ...]:
        """The states that only forces feel."""
        return tuple(
            State(name=name, rate=rate, start=self.starts.get(name, ZERO), scale=self.scales.get(name, ONE))
            for name, rate in self.states.items()
        )

    def read_scales(self, given: Any) -> dict[str, float]:
        """Scales of coordinates; those of states go with them."""
        found = self.by_name("scales", given, "{coordinate: positive number}")
        for name in self.states:
            if is_scale(found.get(name)):
                self.scales[name] = as_expr(found.pop(name))
        return found

    def read_forces(self, given: Mapping[str, Formula] | Callable[..., Any] | None) -> dict[str, Expr]:
        """Generalised forces by coordinate."""
        form = "{coordinate: formula}"
        found = self.read_all("force", "force", self.by_name("forces", self._returned("forces", given), form))
        moving = {*self.names}
        for name in found:
            if name not in moving:
                remedy = did_you_mean(name, self.names) or f"Give forces as {form}"
                remedy = "Put it into the rate of the state" if name in self.states else remedy
                self.fail("forces", f"no coordinate named '{name}'", remedy)
        return {name: force for name, force in found.items() if name in moving}

    def read_place(self, name: str, given: Formulas) -> tuple[Expr, ...]:
        """A point: two or three expressions."""
        place = tuple(self.read_all(f"point '{name}'", "xyz", given).values())
        if len(place) not in (2, 3):
            self.fail(f"point '{name}'", f"{len(place)} coordinates", "Give 2 or 3")
        return place

    def check_points(self, places: Mapping[str, tuple[Expr, ...]]) -> None:
        """A point and its coordinates Px, Py must not have the name of a state or variable."""
        for point, place in places.items():
            for name in (point, *(f"{point}{axis}" for axis, _ in zip("xyz", place, strict=False))):
                if name in self.rates or name in self.variables or name in self.inputs:
                    self.fail(f"point '{point}'", f"a state, variable or input is called '{name}'", "Use another name")

    def read_lines(self, given: Any) -> tuple[tuple[str, ...], ...]:
        """Lines as the names of their points."""
        lines = list(given) if isinstance(given, Iterable) else [given]
        for line in lines:
            if not isinstance(line, Iterable) or not all(isinstance(point, str) for point in line):
                self.fail("lines", f"{show_value(line)} is no line", 'Give lists of points, as in [("O", "P")]')
                return ()
        return tuple(tuple(line) for line in lines)

    def read_law(self, part: str, law: Expr) -> Expr:
        """A law of an event, stop or controller, whose plain names become those of this system."""
        found = self.found.take(self._meant(law), self._meant)
        unknown = [s for s in self._read_by(found) - self.symbols if not self.found.knows(s)]
        for s in sorted(unknown, key=lambda s: s.name):
            self.fail(part, f"unknown name '{s.name}'", did_you_mean(s.name, self.known))
        return found

    def read_start(
        self, given: Mapping[str, Start] | InitialValues | None, t0: Scalar, tend: Scalar | None
    ) -> InitialValues:
        """Initial values by coordinate and, with a prime, by speed."""
        if isinstance(given, InitialValues):
            return given
        found = self.by_name("start", given, "{coordinate: value}")
        moving = {*self.names}
        for name in found:
            if moving.isdisjoint((name, name.removesuffix("'"))) and name not in self.states:
                remedy = did_you_mean(name, (*self.names, *(f"{n}'" for n in self.names), *self.states))
                remedy = "The rate of a state follows from its formula" if name[:-1] in self.states else remedy
                self.fail("start", f"no coordinate or speed named '{name}'", remedy)
        felt = {name: start for name, start in self.starts.items() if name in moving and name not in found}
        read = {name: self.read_value(f"start of '{name}'", value) for name, value in {**felt, **found}.items()}
        self.starts |= {name: read[name].value for name in self.states if name in read}
        return InitialValues(
            t0=self.read_value("t0", t0).value,
            tend=None if tend is None else self.read_value("tend", tend).value,
            angles={name: value for name, value in read.items() if name in moving},
            rates={name[:-1]: value for name, value in read.items() if name.endswith("'") and name[:-1] in moving},
        )

    def read_value(self, part: str, given: Start) -> Guess:
        """An initial value that is a number once the parameters are known."""
        try:
            guess = given if isinstance(given, Guess) else Guess(value=read_number(given))
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


def is_scale(value: Any) -> bool:
    """Whether something is a positive number that may be the size of a coordinate or state."""
    try:
        return bool(SMALLEST_SCALE <= value <= LARGEST_SCALE)
    except (TypeError, ValueError):
        return False
