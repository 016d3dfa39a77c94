"""The narrow waist: a mechanism as terms (kernel × instances) over numbered coordinates and constraints.

    M(q, t) u̇ + Gᵀλ = f(q, u, t),   g(q, t) = 0,   h = A(q, t) u + b(q, t) = 0,   q̇ = u,   G = (∂g/∂q, A)

A first-order state X with X' = d(q, u, t) is one of the speeds: that of a coordinate ∫X on which nothing depends, with
mass 1 and force d.

Followers e with ė = N(q, e, t) u carry what has no coordinates worth having, such as the rotation of a body whose
angular velocity is three of the speeds. M, f, g and h may depend on them, and G = (∂g/∂q + ∂g/∂e N, A). Wherever places
are handed around as numbers, the followers stand behind the coordinates in the same array: q is then (n + followers,).

Inputs w are numbers that are held: constant until something from outside changes them. They are frozen coordinates, the
last ones. Some of them are algebraic values: their numbers are found wherever forces are needed, and change along a
step. Along a motion, where they may change from step to step, they stand behind the followers in that same array,
with rates zero; where they do not, they have the values of `frozen`.

Formalisms make it, solvers and analyses consume it; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations.acts import Act, Barrier, Grip
from linkwork.equations.chart import Chart
from linkwork.equations.formulas import Formulas
from linkwork.equations.terms import Algebraic, OpaqueValue, Row, Term, Tie, Watch, multiplier_name, no_columns
from linkwork.errors import LinkworkError, Ref, did_you_mean
from linkwork.symbolic import Expr, Number

T = TypeVar("T")
ROTATION = 9  # entries of a rotation matrix


@dataclass(frozen=True, kw_only=True, eq=False)
class System:
    """Coordinates, frozen coordinates, constraints (rows) and the terms over them.

    scales are the sizes by which errors of coordinates are judged: the mechanism's extent for lengths, 1 for angles;
    turns the coordinates that may be angles; states maps a first-order state to the coordinate whose speed it is;
    watches are the events. The chart says what the names of people mean.

    All numbers are values of formulas of the named parameters: `formulas` has each formula once, `numbers` its value;
    terms, watches and the chart say which of them are theirs, frozen_columns which are the frozen coordinates'.
    `shared` is what was found out about the structure alone, the same object in all systems bound from one; `own` what
    was found out with these numbers.

    kinematics are the terms that move the followers: each follower belongs to one instance, whose kernel says its rate.
    inputs maps an input to its number, as in Term.coordinates; algebra says which of them are algebraic values, opaque
    which are calls of opaque functions.
    readings are expressions looked at when something happens: acts are what watches (by their numbers) do, barriers the
    constraints that only push, grips those of friction. Constraints in `off` do not hold at the start.

    invariants are groups of followers that rounding must not drift off: nine make a rotation matrix (by rows), other
    numbers a vector of unit length, such as Euler parameters or the cosine and sine of an angle. ties are followers
    that coordinates tell, each behind those it depends on.
    """

    coordinates: tuple[str, ...]
    frozen: Floats
    rows: tuple[Row, ...]
    terms: tuple[Term, ...]
    scales: Floats
    turns: tuple[int, ...] = ()
    states: Mapping[str, int] = field(default_factory=dict)
    watches: tuple[Watch, ...] = ()
    readings: tuple[Watch, ...] = ()
    acts: Mapping[int, Act] = field(default_factory=dict)
    barriers: tuple[Barrier, ...] = ()
    grips: tuple[Grip, ...] = ()
    off: frozenset[int] = frozenset()
    chart: Chart = field(default_factory=Chart)
    parameters: Mapping[str, float] = field(default_factory=dict)
    formulas: Formulas = field(default_factory=Formulas)
    numbers: Floats = field(default_factory=lambda: np.zeros(0))
    frozen_columns: Ints = field(default_factory=no_columns)
    shared: dict[object, object] = field(init=False, default_factory=dict, repr=False)
    own: dict[object, object] = field(init=False, default_factory=dict, repr=False)
    followers: tuple[str, ...] = ()
    kinematics: tuple[Term, ...] = ()
    invariants: tuple[tuple[int, ...], ...] = ()
    ties: tuple[Tie, ...] = ()
    inputs: Mapping[str, int] = field(default_factory=dict)
    algebra: tuple[Algebraic, ...] = ()
    opaque: tuple[OpaqueValue, ...] = ()

    def __post_init__(self) -> None:
        if list(self.inputs.values()) != list(range(self.first_follower - len(self.inputs), self.first_follower)):
            raise ValueError("inputs are the last frozen coordinates")
        moved = [term.coordinates[:, len(term.kernel.coordinates) :].ravel() for term in self.kinematics]
        places = np.sort(np.concatenate(moved)) if moved else np.zeros(0, dtype=np.int64)
        if not np.array_equal(places, self.first_follower + np.arange(len(self.followers))):
            raise ValueError("each follower must be moved by one instance of a kinematic term")

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    @property
    def first_follower(self) -> int:
        """The number of the first follower among the places that terms know."""
        return self.n + len(self.frozen)

    @property
    def m(self) -> int:
        """The number of constraint equations."""
        return len(self.rows)

    @cached_property
    def readers(self) -> NDArray[np.bool_]:
        """For each term whether it reads an algebraic value."""
        values = [self.inputs[value.name] for value in self.algebra]
        return np.array([bool(np.isin(term.coordinates, values).any()) for term in self.terms], dtype=bool)

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The names of the constraint equations."""
        return tuple(row.name for row in self.rows)

    @cached_property
    def multipliers(self) -> Mapping[str, int]:
        """The multipliers by name."""
        return {multiplier_name(row): i for i, row in enumerate(self.rows)}

    def rows_of(self, kind: str) -> dict[Ref, int]:
        """The numbers of the rows of a kind, by their owners."""
        return {row.owner: i for i, row in enumerate(self.rows) if row.kind == kind}

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Coordinates by name."""
        return {name: i for i, name in enumerate(self.coordinates)}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The coordinates as people know them: the integral of a state goes by the state's name."""
        names = {i: name for name, i in self.states.items()}
        return tuple(names.get(i, name) for i, name in enumerate(self.coordinates))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The coordinates that are places of the mechanism."""
        return tuple(name for name, place in zip(self.coordinates, self.mechanical, strict=True) if place)

    @cached_property
    def held(self) -> csr_array:
        """Rows that hold the integrals of states, which are no freedoms of the mechanism.   (states, n)"""
        k = len(self.states)
        return csr_array((np.ones(k), (np.arange(k), np.array([*self.states.values()], dtype=int))), shape=(k, self.n))

    @cached_property
    def mechanical(self) -> NDArray[np.bool_]:
        """For each coordinate whether it is a place of the mechanism, not the integral of a state."""
        found = np.ones(self.n, dtype=bool)
        found[list(self.states.values())] = False
        return found

    @cached_property
    def holonomic(self) -> NDArray[np.bool_]:
        """For each constraint whether it is one of positions (g), not of velocities (h)."""
        return np.array([row.level == "position" for row in self.rows], dtype=bool)

    @cached_property
    def periodic(self) -> Ints:
        """The coordinates that matter only up to whole turns: in every term they occur as sin and cos alone.

        Those whose speeds move followers count as angles.
        """
        free = np.isin(np.arange(self.n + len(self.frozen)), list(self.turns))
        for term in self.kinematics:
            free[term.coordinates[:, list(term.kernel.derived.turning)]] = True
        travels = [tie for tie in self.ties if len(tie.followers) < ROTATION and not tie.turns]
        free[[tie.coordinate for tie in travels]] = False
        for term in self.terms:
            for i, turning in enumerate(term.kernel.derived.periodic):
                if not turning:
                    free[term.coordinates[:, i]] = False
        return np.flatnonzero(free)

    # -- values ---------------------------------------------------------------------------------------------------

    def bind(self, values: Mapping[str, float], changed: Iterable[str] | None = None) -> System | None:
        """The same structure with other values of the parameters; None if they ask for another structure.

        `changed` names the values that are not what they were, all if it is not said.
        """
        names = [name for name, x in values.items() if self.parameters.get(name) != x] if changed is None else changed
        numbers = self.formulas.change(self.numbers, values, names)
        return None if numbers is None else self.with_numbers(numbers, values)

    def with_numbers(self, numbers: Floats, values: Mapping[str, float]) -> System:
        """The same structure with these numbers of the formulas, which are those of the values."""
        new = object.__new__(System)
        known = new.__dict__
        known.update(self.__dict__)  # with all that is known of the structure
        changed = numbers != self.numbers

        def bound(one: T) -> T:
            columns: Ints = one.columns  # type: ignore[attr-defined]
            return replace(one, parameters=numbers[columns]) if changed[columns].any() else one  # type: ignore[type-var]

        known["numbers"], known["parameters"], known["own"] = numbers, values, {}
        known["terms"] = tuple([bound(term) for term in self.terms])
        known["chart"] = self.chart.bound(bound)
        known["kinematics"] = tuple([bound(term) for term in self.kinematics])
        known["watches"] = tuple([bound(watch) for watch in self.watches])
        known["readings"] = tuple([bound(reading) for reading in self.readings])
        known["algebra"] = tuple([bound(value) for value in self.algebra])
        known["opaque"] = tuple([replace(x, arguments=tuple(map(bound, x.arguments))) for x in self.opaque])
        known["frozen"] = numbers[self.frozen_columns]
        sizes = self.formulas.sizes
        if sizes is not None and changed[self.once("places of sizes", sizes.places)].any():
            known["scales"] = sizes.compute(numbers)
        return new

    def with_values(self, values: Floats) -> System:
        """The same with other first numbers of the algebraic values, which are the last inputs."""
        new = object.__new__(System)
        new.__dict__.update(self.__dict__)
        new.__dict__["own"] = {}
        new.__dict__["frozen"] = np.concatenate([self.frozen[: len(self.frozen) - len(values)], values])
        return new

    @property
    def switches(self) -> bool:
        """Whether constraints go on and off, or speeds jump, during a motion."""
        return bool(self.acts or self.barriers or self.grips)

    def restricted(self, off: frozenset[int]) -> System:
        """The same without some constraints, given by their numbers: coordinates and all else stay."""
        return self._changed(("restricted", off), lambda: _restrict(self, off)) if off else self

    def in_mode(self, off: frozenset[int]) -> System:
        """The same without some constraints for good: nothing comes or goes any more."""
        return replace(self.restricted(off), barriers=(), grips=(), acts={}, off=frozenset())

    def conditioned(self) -> System:
        """The same with the conditions of its start behind its constraints."""
        return self._changed("conditioned", lambda: _condition(self)) if self.chart.conditions else self

    def _changed(self, key: object, make: Callable[[], System]) -> System:
        """Another structure made of this one, once, with the numbers of this one."""
        made = self.once(key, make)
        if made.numbers is self.numbers:
            return made
        return self.remember(key, lambda: made.with_numbers(self.numbers, self.parameters))

    def once(self, key: object, make: Callable[[], T]) -> T:
        """What `make` finds out about the structure, found once for all values."""
        if key not in self.shared:
            self.shared[key] = make()
        return self.shared[key]  # type: ignore[return-value]

    def remember(self, key: object, make: Callable[[], T]) -> T:
        """What `make` finds out with these numbers, found once."""
        if key not in self.own:
            self.own[key] = make()
        return self.own[key]  # type: ignore[return-value]

    def formulas_of(self, columns: Ints, numbers: Floats) -> list[Expr]:
        """The formulas at some columns; where there are none, the numbers."""
        if len(columns) < len(numbers):
            return [Number(float(x)) for x in numbers]
        return [self.formulas.exprs[i] for i in columns.tolist()]

    def __getstate__(self) -> dict[str, object]:
        # what is shared is found again
        return {**self.__dict__, "shared": {}, "own": {}}

    # -- coordinates ----------------------------------------------------------------------------------------------

    def extend(self, q: Floats) -> Floats:
        """Coordinates, frozen ones and followers, along the first axis.   q: (n + followers [+ inputs], ...)"""
        n, count, behind = len(self.coordinates), len(self.frozen), len(self.coordinates) + len(self.followers)
        moving = q[:behind]
        found = np.empty((len(moving) + count, *q.shape[1:]))
        found[:n], found[n + count :] = moving[:n], moving[n:]
        found[n : n + count].T[...] = self.frozen
        if len(q) > behind:
            found[n + count - len(self.inputs) : n + count] = q[behind:]
        return found

    def inputs_in(self, q: Floats) -> Floats:
        """The values of the inputs: those behind q, or else those they have at first.   (inputs, ...)"""
        behind, k = self.n + len(self.followers), len(self.inputs)
        return q[behind:] if len(q) > behind else self.frozen[len(self.frozen) - k :]

    def with_inputs(self, q: Floats, values: Mapping[str, float]) -> Floats:
        """q (n + followers [+ inputs],) with inputs behind it, some of which have other values."""
        for name in values:
            if name not in self.inputs:
                raise LinkworkError(f"no input named '{name}'. {did_you_mean(name, self.inputs)}".rstrip())
        new = [float(values.get(name, old)) for name, old in zip(self.inputs, self.inputs_in(q), strict=True)]
        if not np.isfinite(new).all():
            raise LinkworkError("an input is not a finite number")
        return np.concatenate([q[: self.n + len(self.followers)], new])

    def extend_rates(self, u: Floats) -> Floats:
        """Speeds or accelerations followed by the zeros of the frozen coordinates.   u: (n, ...)"""
        return np.concatenate([u[: self.n], np.zeros((len(self.frozen), *u.shape[1:]))])


def _condition(system: System) -> System:
    """A system in which what holds at the start alone is kept as constraints are."""
    terms = [replace(term, rows=system.m + term.rows) for term in system.chart.conditions]
    return replace(system, rows=(*system.rows, *system.chart.condition_rows), terms=(*system.terms, *terms))


def _restrict(system: System, off: frozenset[int]) -> System:
    """A system whose terms have lost the instances of some constraints, and the others new numbers."""
    stays: NDArray[np.bool_] = np.array([i not in off for i in range(system.m)], dtype=bool)
    number = np.cumsum(stays) - 1
    terms = []
    for term in system.terms:
        kept: NDArray[np.bool_] = np.asarray(stays[term.rows].all(axis=1))
        if kept.any():
            columns = term.columns[kept] if len(term.columns) else term.columns
            where = np.flatnonzero(kept).tolist()
            terms.append(
                replace(
                    term,
                    names=tuple(term.names[i] for i in where),
                    owners=tuple(term.owners[i] for i in where),
                    coordinates=term.coordinates[kept],
                    rows=number[term.rows[kept]],
                    parameters=term.parameters[kept],
                    columns=columns,
                )
            )
    places = system.first_follower + len(system.followers)
    algebra = tuple(value.without_rows(places, number, stays) for value in system.algebra)
    rows = tuple(system.rows[i] for i in np.flatnonzero(stays))
    return replace(system, rows=rows, terms=tuple(terms), algebra=algebra)
