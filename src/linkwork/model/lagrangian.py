"""A Lagrangian: energy and constraints over named coordinates as one frozen whole that is valid from birth.

Functions are called once, with symbols, when the Lagrangian is made; what they return is differentiable and compiled
like everything else. Knows not how equations follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_line
from linkwork.given import as_map, as_names
from linkwork.model.algebra import Implicit
from linkwork.model.check.energies import check_scales, check_start, find_problems
from linkwork.model.convert import Scalar, as_changes
from linkwork.model.formulas import Formula, Formulas, Reader
from linkwork.model.found import name_constraints
from linkwork.model.friction import Friction
from linkwork.model.lagrangian_units import check_units, find_units
from linkwork.model.laws import PLACES, SPEEDS, Event
from linkwork.model.opaque import Call, label_calls, relabel
from linkwork.model.own import Own
from linkwork.model.part import set_field
from linkwork.model.reacting import Known, Reacting, check_reacting, grip_row, list_reacting, stop_row
from linkwork.model.revalue import Members, find_following, is_short
from linkwork.model.sampled import Sampled
from linkwork.model.settings import Display, Settings
from linkwork.model.signals import State, integral_name, rate_row
from linkwork.model.start import InitialValues, Start
from linkwork.model.stops import Stop
from linkwork.model.units import Units
from linkwork.model.values import compute_number
from linkwork.model.whereabouts import Effort, Whereabouts
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    as_expr,
    evaluate_all,
    symbol,
    total_rate,
)


def rate(expr: ExprLike) -> Expr:
    """The time derivative of an expression of coordinates and time, as an expression of coordinates and speeds.

    >>> rate(symbol("x", kind="coordinate") ** 2)
    2*x*x'
    """
    return total_rate(as_expr(expr), _rate_of)


def _rate_of(s: Symbol) -> Expr:
    if s.kind == "speed":
        raise ExpressionError(f"the rate of the speed {s.name} is unknown", "Take rates of positions only")
    if s.kind == "coordinate":
        return symbol(f"{s.name}'", kind="speed")
    return ONE if s.kind == "time" else ZERO


def no_word(name: str) -> None:
    """Nothing stands for other names."""


@dataclass(frozen=True, slots=True, kw_only=True, init=False, eq=False)
class Lagrangian:
    """L = T − V with what constrains, drives and damps the motion. Construction raises InputError with all problems.

    `balance` has what inertia asks for along each coordinate, linear in the accelerations, where that is known already,
    and `mass`, where that is known, its derivative by them; L is then evidence, but for its potential. `neglected` says
    what it leaves out, where it leaves something out, and `quasi` that some speeds are no rates of places, such as ω,
    so that Lagrange's equations do not hold along them.
    `felt` are the states that positions feel: they are coordinates, and velocity constraints give them their rates.
    `algebra` are accelerations, forces of constraints and variables by equations that laws name, `opaque` the calls of
    functions that cannot be traced. `inputs` are numbers that are held until an event, a controller or a stepper
    changes them; constraints in `off` do not hold at the start. `own` are the same equations in speeds of their own,
    where these are known. `bodies` tell where bodies are and how they move, and `efforts` the
    forces and moments that `forces` are made of, where there are any; `words` what else names stand for. `units` are
    those of coordinates, parameters, inputs and variables, as far as known; `long_names` say what variables are.

    >>> pendulum = Lagrangian("theta", "m*l**2*theta'**2/2 + m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81})
    >>> pendulum.coordinates
    ('theta',)
    """

    title: str
    coordinates: tuple[str, ...]
    energy: Expr
    balance: Mapping[str, Expr]
    mass: Mapping[tuple[str, str], Expr] | None
    neglected: str
    quasi: bool
    constraints: Mapping[str, Expr]
    velocity_constraints: Mapping[str, Expr]
    variables: Mapping[str, Expr]
    implicits: Mapping[str, Implicit]
    states: tuple[State, ...]
    forces: Mapping[str, Expr]
    dissipation: Expr
    parameters: Mapping[str, Expr]
    points: Mapping[str, tuple[Expr, ...]]
    lines: tuple[tuple[str, ...], ...]
    bodies: Mapping[str, Whereabouts]
    efforts: Mapping[str, Effort]
    words: Callable[[str], Expr | None]
    events: tuple[Event, ...]
    stops: tuple[Stop, ...]
    frictions: tuple[Friction, ...]
    controllers: tuple[Sampled, ...]
    inputs: Mapping[str, Expr]
    off: tuple[str, ...]
    start: InitialValues
    scales: Mapping[str, float]
    settings: Settings
    display: Display
    notes: tuple[Problem, ...]
    own: Own | None
    units: Mapping[str, str]
    long_names: Mapping[str, str]

    values: Mapping[str, float] = field(init=False, repr=False)
    felt: tuple[str, ...] = field(init=False, repr=False)
    algebra: Mapping[str, Expr] = field(init=False, repr=False)
    opaque: tuple[Call, ...] = field(init=False, repr=False)

    def __init__(
        self,
        coordinates: str | Iterable[str],
        energy: Formula,
        *,
        balance: Mapping[str, Expr] | None = None,
        mass: Mapping[tuple[str, str], Expr] | None = None,
        neglected: str = "",
        quasi: bool = False,
        constraints: Formulas = (),
        velocity_constraints: Formulas = (),
        variables: Mapping[str, Formula | Implicit] | None = None,
        implicits: Mapping[str, Implicit] | None = None,
        states: Mapping[str, Formula] | Iterable[State] | None = None,
        forces: Mapping[str, Formula] | Callable[..., Any] | None = None,
        dissipation: Formula = 0,
        parameters: Mapping[str, Scalar] | None = None,
        start: Mapping[str, Start] | InitialValues | None = None,
        t0: Scalar = 0,
        tend: Scalar | None = None,
        points: Mapping[str, Formulas] | None = None,
        lines: Iterable[Iterable[str]] = (),
        bodies: Mapping[str, Whereabouts] | None = None,
        efforts: Mapping[str, Effort] | None = None,
        words: Callable[[str], Expr | None] | None = None,
        events: Event | Iterable[Event] = (),
        stops: Stop | Iterable[Stop] = (),
        frictions: Friction | Iterable[Friction] = (),
        controllers: Sampled | Iterable[Sampled] = (),
        inputs: Mapping[str, Scalar] | None = None,
        off: str | Iterable[str] = (),
        scales: Mapping[str, float] | None = None,
        title: str = "",
        settings: Settings | None = None,
        display: Display | None = None,
        notes: Iterable[Problem] = (),
        own: Own | None = None,
        units: Mapping[str, str] | None = None,
        long_names: Mapping[str, str] | None = None,
    ) -> None:
        reacting = list_reacting(events, stops, frictions, controllers)
        given = {**reacting.held, **as_map(inputs, Ref("inputs"))}
        held = [*name_constraints(constraints, velocity_constraints), *(stop.name for stop in reacting.stops)]
        reader = Reader(coordinates, states, parameters, variables, given, implicits, held)
        reader.problems += reacting.problems
        settled = self._read_places(reader, energy, constraints, velocity_constraints, points)
        reacting = self._read_laws(reader, settled, forces, dissipation, reacting)
        self._fill(title=show_line(title), parameters=reader.parameters, values=reader.values, inputs=reader.inputs)
        self._fill(balance=balance or {}, mass=mass, neglected=neglected, quasi=quasi, own=own)
        self._fill(off=(off,) if isinstance(off, str) else as_names(off, Ref("off"), "off"))
        self._fill(start=reader.read_start(start, t0, tend), scales=reader.read_scales(scales))
        self._fill(states=reader.read_states(), lines=reader.read_lines(lines), long_names=dict(long_names or {}))
        self._fill(bodies=bodies or {}, efforts=efforts or {}, words=words or no_word)
        self._fill(settings=settings or Settings(), display=display or Display(), notes=tuple(notes))
        self._fill(units=self._read_units(reader, units))
        problems = reader.problems or list(find_problems(self)) + list(check_reacting(reacting, self.known))
        if problems:
            raise InputError(problems)

    def _fill(self, **fields: Any) -> None:
        for name, value in fields.items():
            set_field(self, name, value)

    def _read_places(
        self, reader: Reader, energy: Formula, constraints: Formulas, velocity_constraints: Formulas, points: Any
    ) -> Callable[[Expr], Expr]:
        """L, constraints and points, which tell the states that are coordinates; what the others stand for in laws."""
        L = reader.read("L", energy)
        g = reader.read_all("constraint", "g", constraints)
        h = reader.read_all("velocity constraint", "h", velocity_constraints)
        named = reader.by_name("points", points, "{point: (x, y)}")
        places = {name: reader.read_place(name, place) for name, place in named.items()}
        reader.check_points(places)
        rates = {name: reader.read(f"state '{name}'", rate) for name, rate in reader.rates.items()}
        settled = reader.settle(rates, [L, *g.values(), *h.values(), *(x for place in places.values() for x in place)])
        self._fill(coordinates=reader.names, felt=reader.felt, energy=L, constraints=g, points=places)
        self._fill(velocity_constraints=h | reader.equations)
        return settled

    def _read_laws(
        self, reader: Reader, settled: Callable[[Expr], Expr], forces: Any, dissipation: Formula, reacting: Reacting
    ) -> Reacting:
        """What acts: variables, forces, and all that reacts; calls and algebraic values in them are known then."""
        self._fill(
            variables={name: settled(law) for name, law in reader.variables.items()},
            forces={name: settled(force) for name, force in reader.read_forces(forces).items()},
            dissipation=settled(reader.read("dissipation", dissipation)),
        )
        found = reacting.read(reader).settled(settled)
        self._fill(**{key: getattr(found, key) for key in ("events", "stops", "frictions", "controllers")})
        self._fill(**reader.found.settled(settled))
        return found

    def _read_units(self, reader: Reader, units: Any) -> Mapping[str, str]:
        """Units by name; those that laws tell besides are found when somebody asks."""
        if isinstance(units, Units):
            return units
        declared = as_map(units, Ref("units"))
        reader.problems += check_units(declared)
        return Units(lambda: find_units(self, declared)) if declared else declared

    def compute(self, expr: Expr) -> float:
        """The value of an expression over the parameters."""
        return compute_number(expr, self.values)

    @property
    def all_inputs(self) -> dict[str, Expr]:
        """Inputs, and behind them calls of opaque functions and algebraic values, with what they are at first."""
        return {**self.inputs, **dict.fromkeys([call.name for call in self.opaque], ZERO), **self.algebra}

    @property
    def known(self) -> Known:
        """What events may name."""
        given = self.velocity_constraints.keys() - {rate_row(name) for name in self.felt}
        return Known(
            switched=frozenset([*self.constraints, *given]),
            inputs=frozenset(self.inputs),
            states=frozenset(state.name for state in self.states),
            felt=frozenset(self.felt),
            coordinates=self.coordinates,
            variables=self.variables,
            compute=self.compute,
        )

    def meaning(self, name: str) -> Expr:
        """What a speed is that an event changes, by its name."""
        return self.variables[name] if name in self.variables else symbol(name, kind="speed")

    def word(self, name: str) -> Expr | None:
        """What a dotted name stands for: a place or velocity of a point, what is known of a body, or another word."""
        of, _, what = name.rpartition(".")
        place = self.points.get(of)
        if place is not None and what in (*PLACES, *SPEEDS) and "xyz".index(what[-1]) < len(place):
            value = place["xyz".index(what[-1])]
            return rate(value) if what in SPEEDS else value
        found = self.bodies[of].find(what) if of in self.bodies else None
        return self.words(name) if found is None else found

    def without(self, names: Collection[str]) -> Lagrangian:
        """A copy in which some constraints, stops and frictions do not hold, and all other stops and frictions do.

        It is for looking at a motion while it is so: nothing is checked.
        """
        new, closed = copy(self), [stop for stop in self.stops if stop.name not in names]
        sticking = [x for x in self.frictions if x.name not in names]
        stuck = {grip_row(name): speed for x in sticking for name, speed in x.rows.items()}
        gaps = {stop_row(stop.name): stop.law for stop in closed if stop.level == "gap"}
        speeds = {stop_row(stop.name): stop.law for stop in closed if stop.level == "speed"}
        held = {name: g for name, g in self.constraints.items() if name not in names}
        moved = {name: h for name, h in self.velocity_constraints.items() if name not in names}
        set_field(new, "constraints", held | gaps)
        set_field(new, "velocity_constraints", moved | speeds | stuck)
        return new

    def find_undefined(self, t: float, q: Sequence[float], u: Sequence[float]) -> str:
        """The first of L, forces and constraints that has no value at a state, in words; nothing if all have one."""
        names = [*self.coordinates, *(integral_name(state.name) for state in self.states)]
        speeds = [f"{name}'" for name in names]
        values = {**self.values, "t": t, **dict(zip((*names, *self.all_inputs), q, strict=False))}
        values |= dict(zip(speeds, u, strict=False))
        forces = {f"force on {name}": force for name, force in self.forces.items()}
        forces |= {f"state {state.name}": state.rate for state in self.states}
        named = {"L": self.energy, **self.constraints, **self.velocity_constraints, **forces}
        for name, expr in {**named, "dissipation": self.dissipation}.items():
            try:
                compute_number(expr, values)
            except ExpressionError as error:
                return f"{name}: {relabel(error.what, label_calls(self.opaque))}"
        return ""

    def with_parameters(self, /, **changes: Scalar) -> Lagrangian:
        """A copy in which some parameters have other values."""
        exprs = as_changes(changes, self.parameters)
        return self._revalue(exprs) or replace(self, parameters={**self.parameters, **exprs})

    def with_settings(self, settings: Settings) -> Lagrangian:
        """A copy that asks for something else of solver and output."""
        new = copy(self)
        set_field(new, "settings", settings)
        return new

    def _revalue(self, changes: Mapping[str, Expr]) -> Lagrangian | None:
        """A copy with other numbers for some parameters, on which little depends; None if this is not enough."""
        if not is_short(self.parameters, changes):
            return None
        values = dict(self.values)
        try:
            values.update(zip(changes, evaluate_all(changes.values(), {}), strict=True))
            for name in find_following(self.parameters, changes):
                values[name] = compute_number(self.parameters[name], values)
            new = copy(self)
            set_field(new, "parameters", {**self.parameters, **changes})
            set_field(new, "values", values)
            given = [*self.start.angles.values(), *self.start.rates.values()]
            times = [self.start.t0, *([] if self.start.tend is None else [self.start.tend])]
            held = (*(state.start for state in self.states), *self.all_inputs.values())
            for expr in (*(guess.value for guess in given), *times, *held):
                new.compute(expr)
        except ExpressionError:
            return None
        return None if any(check_scales(new)) or any(check_start(new)) else new

    def with_columns(self, columns: Mapping[str, Floats], count: int) -> Members[Lagrangian]:
        """Copies with other values, one for each row of the columns, each made when it is asked for."""

        def make(i: int) -> Lagrangian:
            return self.with_parameters(**{name: float(column[i]) for name, column in columns.items()})

        return Members(count, make, range(count))

    def is_like(self, other: object) -> bool:
        """Whether it differs from another, from which it was made, in values only."""
        return isinstance(other, Lagrangian) and (self.energy, self.states) == (other.energy, other.states)
