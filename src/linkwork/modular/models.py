"""A module as a model that moves: its equations over coordinates and their rates, constraints and all, for the solvers.

    speed u = q̇ of a coordinate       written as that rate
    any other speed                    the rate of a coordinate of its own, which nothing depends on
    any other rate q̇ = N u             a velocity constraint; by the module's own definitions where it has them

Constraints stay constraints, so that the motion is kept on them and goes on where a chosen set of independent speeds
would become singular. What cannot be said so, constraints that are not linear in speeds and those of accelerations, is
told by `lifted`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from linkwork.errors import Ref, did_you_mean
from linkwork.given import as_list, as_map
from linkwork.model import Lagrangian
from linkwork.model.laws import AXES, PLACES, SPEEDS, SPINS
from linkwork.model.named import find_named
from linkwork.model.whereabouts import Lookup, Whereabouts
from linkwork.modular.elimination import sample_points, values_at
from linkwork.modular.module import Module
from linkwork.modular.names import Names, acceleration, refuse
from linkwork.symbolic import (
    ZERO,
    Expr,
    Symbol,
    add,
    derivatives,
    differentiate,
    free_symbols,
    substitute,
    symbol,
)

GROUPS = (PLACES, SPEEDS, AXES, SPINS)
LIFTED = "energies, as speeds are positions here"
OPTIONS = (
    *("title", "t0", "tend", "lines", "events", "stops", "frictions", "controllers", "off"),
    *("scales", "settings", "display", "notes"),
)
GIVE = 'Give it as parameters={"name": value}'


def carrier_name(speed: str) -> str:
    """What the integral of a speed is called that is the rate of no place."""
    return f"int_{speed.replace(chr(39), '_rate')}"


def describe_module(
    module: Module,
    *,
    parameters: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None,
    points: Mapping[str, Iterable[Any]] | None = None,
    variables: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    **options: Any,
) -> Lagrangian:
    """The module as a system in coordinates and their rates; the other options are those of a Lagrangian."""
    part = f"system '{module.label}'"
    _check_options(part, options)
    begin, held = as_map(start, Ref(part), "start"), as_map(inputs, Ref(part), "inputs")
    given = as_map(parameters, Ref(part), "parameters")
    known = module.parameters
    values = {name: x for m in module.levels for name, x in m.values.items()} | given
    missing = [name for name in known if name not in values]
    if missing:
        raise refuse(part, f"no value for {', '.join(missing)}", GIVE)
    rates = _Rates(module)
    form: _Rates | _Lifted = _Lifted(module) if rates.strange else rates
    names = Names([*module.coordinates, *module.speeds], module.names, part, module.find)
    reader = _Reader(form, names)
    whole = Lagrangian(
        form.coordinates,
        form.energy,
        balance=form.balance if not form.is_lagrangian else {},
        neglected=form.neglected,
        quasi=form.quasi,
        forces=form.forces,
        constraints=form.constraints,
        velocity_constraints=form.velocity_constraints,
        variables={**form.variables, **reader.variables(variables)},
        parameters=values,
        start=(rates.guess_rates(values, begin) if form is rates else {}) | reader.start(begin),
        inputs={**dict.fromkeys(module.inputs, 0), **held},
        points=reader.points(points),
        bodies=Lookup([name for m in module.levels for name in m.bodies], reader.body),
        words=reader.word,
        title=options.pop("title", module.description or module.label),
        **options,
    )
    _check_named(part, "parameters", given.keys() - {*known}, whole)
    _check_named(part, "inputs", held.keys() - {*module.inputs}, whole)
    return whole


def _check_named(part: str, word: str, doubtful: Set[str], whole: Lagrangian) -> None:
    """An error if something has a value and nothing names it."""
    named = find_named(whole) if doubtful else set()
    for name in sorted(doubtful - named):
        kinds = getattr(whole, word).keys() - {name}
        remedy = did_you_mean(name, kinds) or f"There are: {', '.join(sorted(kinds)) or 'none'}"
        raise refuse(part, f"{word}: nothing names '{name}'", remedy)


@dataclass(frozen=True, eq=False)
class _Reader:
    """What is given besides a module, over the variables of its form."""

    form: _Rates | _Lifted
    names: Names

    def _read(self, given: Any, what: str) -> Expr:
        return self.form.rewritten(self.names.read(given, what))

    def word(self, name: str) -> Expr | None:
        """What a name of the module stands for."""
        found = self.names.known[name] if name in self.names.known else self.names.find(name)
        return None if found is None else self.form.rewritten(found)

    def body(self, name: str) -> Whereabouts:
        """Where a body is and how it moves."""
        told = {what: self.word(f"{name}.{what}") for words in GROUPS for what in words}
        known = {what: ZERO if e is None else e for what, e in told.items()}
        place, velocity, axes, spin = (tuple(known[what] for what in words) for words in GROUPS)
        return Whereabouts(place, velocity, (axes[:3], axes[3:6], axes[6:]), spin)

    def points(self, given: Any) -> dict[str, list[Expr]]:
        part, found = Ref(self.names.part), {}
        for name, place in as_map(given, part, "points").items():
            word = f"point '{name}'"
            found[name] = [self._read(e, word) for e in as_list(place, part, word, "Give (x, y) or (x, y, z)")]
        return found

    def variables(self, given: Any) -> dict[str, Expr]:
        laws = as_map(given, Ref(self.names.part), "variables")
        return {name: self._read(e, f"variable '{name}'") for name, e in laws.items()}

    def start(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """By the names of the form."""
        moving = {*self.form.coordinates, *(f"{q}'" for q in self.form.coordinates)}
        known = self.names.known
        for name in given:
            if name not in known and name not in moving:
                remedy = did_you_mean(name, known) or f"There are: {', '.join(known)}"
                raise refuse(self.names.part, f"start: no coordinate or speed named '{name}'", remedy)
        return {self.form.start_name(self.names, name): value for name, value in given.items()}


def _check_options(part: str, options: Mapping[str, Any]) -> None:
    """The other options are those of a Lagrangian."""
    for name in options:
        if name not in OPTIONS:
            known = ("parameters", "start", "points", "variables", "inputs", *OPTIONS)
            remedy = did_you_mean(name, known) or f"Options are {', '.join(known)}"
            raise refuse(part, f"no option is called '{name}'", remedy)


@dataclass(frozen=True, eq=False)
class _Rates:
    """The form in coordinates and their rates."""

    module: Module

    @cached_property
    def carriers(self) -> dict[Symbol, Symbol]:
        """The coordinate whose rate each speed is."""
        found: dict[Symbol, Symbol] = {}
        for q, rate in self.module.kinematics.items():
            if isinstance(rate, Symbol) and rate.kind == "speed" and rate not in found:
                found[rate] = q
        for s in self.module.speeds:
            if s not in found and s not in self.defined:
                found[s] = symbol(carrier_name(s.name), kind="coordinate")
        return found

    @cached_property
    def carried(self) -> set[Symbol]:
        """The coordinates whose rates are speeds."""
        return {*self.carriers.values()}

    @cached_property
    def defined(self) -> dict[Symbol, Expr]:
        """Speeds without inertia and force that one constraint, not linear in speeds, only gives a name to."""
        module, found = self.module, dict[Symbol, Expr]()
        given = [e for m in module.levels for e in m.own_constraints.get(1, {}).values()]
        if not (bent := [e for e in given if _nonlinear(e)]):
            return found
        moving = free_symbols(*module.assembled_by_speed.values(), *module.kinematics.values())
        for e in bent:
            others = free_symbols(*(other for other in given if other is not e))
            for s in module.speeds:
                if s in free_symbols(e) and s not in moving and s not in others:
                    slope = differentiate(e, s)
                    if module.assembled_by_speed[s.name] is ZERO and not _has(slope, "speed"):
                        found[s] = -substitute(e, {s: ZERO}) / slope
                        break
        return found

    @cached_property
    def strange(self) -> list[str]:
        """Constraints that have no place here."""
        found = []
        for m in self.module.levels:
            found += [*m.own_constraints.get(2, {})]
            found += [f"rate of {q.name}" for q, rate in m.own_kinematics.items() if _nonlinear(rate)]
            for name, e in m.own_constraints.get(1, {}).items():
                if _nonlinear(e) and not any(s in free_symbols(e) for s in self.defined):
                    found.append(name)
        return found

    @cached_property
    def _names(self) -> dict[Expr, Expr]:
        found: dict[Expr, Expr] = {}
        for s, q in self.carriers.items():
            found[s] = symbol(f"{q.name}'", kind="speed")
            found[acceleration(s)] = symbol(f"{q.name}''", kind="acceleration")
        return found

    def rewritten(self, expr: Expr) -> Expr:
        """An expression by rates of coordinates."""
        if self.defined:
            expr = substitute(expr, {s: e for s, e in self.defined.items()})  # noqa: C416
        return substitute(expr, {s: self._names[s] for s in free_symbols(expr) if s in self._names})

    @property
    def coordinates(self) -> list[str]:
        return [q.name for q in dict.fromkeys((*self.module.coordinates, *self.carriers.values()))]

    @cached_property
    def is_lagrangian(self) -> bool:
        """Whether Lagrange's equations say the same: then equal parts are found among the terms of the energy."""
        known = self._energies is not None and not self.quasi and not self._dragged
        return known and all(map(self._follows, self.module.levels))

    @cached_property
    def _dragged(self) -> dict[str, Expr]:
        """By speed, what of applied forces depends on accelerations: inertia in other words."""
        found = {}
        for name, force in self.module.applied.items():
            if _has(force, "acceleration"):
                found[name] = force - _still(force)
        return found

    def _follows(self, m: Module) -> bool:
        """Whether what inertia asks for in a module is that of its kinetic energy, judged by numbers."""
        if m.by_energies:
            return True
        T = m.kinetic if m.kinetic is not None else ZERO
        gaps = []
        for s in m.own_speeds:
            asked = self.module.rate(differentiate(T, s)) - differentiate(T, self.carriers[s])
            gaps.append(m.own_inertia.get(s.name, ZERO) - asked)
        others = m.own_inertia.keys() - {s.name for s in m.own_speeds}
        return not others and all(abs(x) < 1e-11 for row in values_at(gaps, sample_points()) for x in row)

    @property
    def quasi(self) -> bool:
        return not self.carried <= {*self.module.coordinates}

    @cached_property
    def _energies(self) -> tuple[Expr, Expr] | None:
        """T and V, if all are known, no force is inertia, and V is of coordinates that carry forces."""
        levels = [m for m in self.module.levels if m.own_inertia]
        if self._dragged or any(m.kinetic is None for m in levels):
            return None
        T = self.rewritten(add(*(m.kinetic for m in levels if m.kinetic is not None)))
        known = [m.potential for m in levels if m.potential is not None]
        V = add(*(v for v in known if {s for s in free_symbols(v) if s.kind == "coordinate"} <= self.carried))
        return T, V

    @property
    def energy(self) -> Expr:
        return self._energies[0] - self._energies[1] if self._energies else ZERO

    @property
    def neglected(self) -> str:
        return "" if self._energies else "the energies of parts that do not tell theirs"

    @cached_property
    def balance(self) -> dict[str, Expr]:
        """Inertia by coordinate."""
        asked = {s.name: self.module.inertia[s.name] - self._dragged.get(s.name, ZERO) for s in self.carriers}
        rows = {self.carriers[s].name: self.rewritten(asked[s.name]) for s in self.carriers}
        return {name: e for name, e in rows.items() if e is not ZERO}

    @cached_property
    def forces(self) -> dict[str, Expr]:
        """Applied forces by coordinate, but for those of V."""
        V = self._energies[1] if self._energies else ZERO
        pulls = derivatives(V, self.carriers.values())
        rows = {}
        for (s, q), pull in zip(self.carriers.items(), pulls, strict=True):
            applied = self.module.applied[s.name]
            rows[q.name] = self.rewritten(_still(applied) if s.name in self._dragged else applied) + pull
        return {name: e for name, e in rows.items() if e is not ZERO}

    @cached_property
    def constraints(self) -> dict[str, Expr]:
        levels = self.module.levels
        found = {name: e for m in levels for name, e in m.definitions.get(0, {}).items()}
        return found | {name: e for m in levels for name, e in m.own_constraints.get(0, {}).items()}

    @cached_property
    def velocity_constraints(self) -> dict[str, Expr]:
        found: dict[str, Expr] = {}
        for m in self.module.levels:
            given = {name: e for name, e in m.own_constraints.get(1, {}).items() if not self._only_names(e)}
            found |= {name: self.rewritten(e) for name, e in given.items()}
            found |= {name: self.rewritten(e) for name, e in m.definitions.get(1, {}).items()}
            if not m.definitions.get(1):
                found |= {
                    f"rate_{q.name}": symbol(f"{q.name}'", kind="speed") - self.rewritten(rate)
                    for q, rate in m.own_kinematics.items()
                    if q not in self.carried
                }
        return found

    def guess_rates(self, parameters: Mapping[str, Any], start: Mapping[str, Any]) -> dict[str, float]:
        """Rates of coordinates that are no speeds, as far as the numbers of a start tell them."""
        known = {name: x for name, x in {**parameters, **start}.items() if isinstance(x, int | float)}
        found = {}
        for q, rate in self.module.kinematics.items():
            if q in self.carried:
                continue
            still = {s.name: 0.0 for s in free_symbols(rate) if s.kind != "parameter"}
            told = {s.name: known[s.name] for s in free_symbols(rate) if s.name in known}
            value = values_at([rate], [still | told])[0][0]
            if isfinite(value):
                found[f"{q.name}'"] = value
        return found

    def _only_names(self, e: Expr) -> bool:
        return _nonlinear(e) and any(s in free_symbols(e) for s in self.defined)

    @cached_property
    def variables(self) -> dict[str, Expr]:
        names = {s: self.rewritten(s) for s in self.module.speeds}
        return {s.name: e for s, e in names.items() if not s.name.endswith("'")}

    def start_name(self, names: Names, name: str) -> str:
        """What a start is given for: a coordinate, or the rate of one."""
        s = names.known.get(name)
        if isinstance(s, Symbol) and s in self.carriers:
            return f"{self.carriers[s].name}'"
        return s.name if isinstance(s, Symbol) else name


@dataclass(frozen=True, eq=False)
class _Lifted:
    """The form in coordinates and speeds as positions, first order in time; nothing but constraints:

    q̇ = N z + n,   h(q, z) = 0,   Cᵀ (F − M ż) = 0
    """

    module: Module
    energy: Expr = ZERO
    is_lagrangian = False
    neglected: str = LIFTED
    quasi: bool = False

    balance: Mapping[str, Expr] | None = None
    forces: Mapping[str, Expr] | None = None
    variables: Mapping[str, Expr] = ()  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", {})

    @cached_property
    def _names(self) -> dict[Expr, Expr]:
        found: dict[Expr, Expr] = {}
        for s in self.module.speeds:
            z = symbol(s.name.replace("'", "_rate"), kind="coordinate")
            found[s] = z
            found[acceleration(s)] = symbol(f"{z.name}'", kind="speed")
        return found

    def rewritten(self, expr: Expr) -> Expr:
        """An expression in which speeds are coordinates."""
        return substitute(expr, self._names)

    @property
    def coordinates(self) -> list[str]:
        return [q.name for q in self.module.coordinates] + [str(self._names[s]) for s in self.module.speeds]

    @cached_property
    def constraints(self) -> dict[str, Expr]:
        found = {name: e for m in self.module.levels for name, e in m.definitions.get(0, {}).items()}
        found |= self.module.constraints[0]
        return found | {name: self.rewritten(e) for name, e in self.module.constraints[1].items()}

    @cached_property
    def velocity_constraints(self) -> dict[str, Expr]:
        found = {
            f"rate_{q.name}": symbol(f"{q.name}'", kind="speed") - self.rewritten(rate)
            for q, rate in self.module.kinematics.items()
        }
        for m in self.module.levels:
            found |= {name: self.rewritten(e) for name, e in m.own_constraints.get(2, {}).items()}
        balance = self.module.balance
        return found | {f"balance_{name}": self.rewritten(balance[name]) for name in balance.rows}

    def start_name(self, names: Names, name: str) -> str:
        """What a start is given for."""
        s = names.known.get(name)
        return str(self.rewritten(s)) if isinstance(s, Symbol) else name


def _still(expr: Expr) -> Expr:
    """An expression without accelerations."""
    return substitute(expr, {s: ZERO for s in free_symbols(expr) if s.kind == "acceleration"})


def _has(expr: Expr, kind: str) -> bool:
    return any(s.kind == kind for s in free_symbols(expr))


def _nonlinear(expr: Expr) -> bool:
    """Whether a constraint of speeds is not linear in them."""
    speeds = [s for s in free_symbols(expr) if s.kind == "speed"]
    return any(_has(differentiate(expr, s), "speed") for s in speeds)
