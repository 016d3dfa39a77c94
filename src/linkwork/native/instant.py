"""A system at one state as numbers, all at once: what is needed where something happens in no time.

In compiled code the programs of all terms are run as tables (`values.h`), which takes microseconds; by the interpreter
where there is no compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from scipy.sparse import csc_array, csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import System, Watch
from linkwork.native.code import load_runtime
from linkwork.native.numbers import (
    DENSE,
    MatrixPlaces,
    compute_all_entries,
    compute_energy,
    compute_levels,
    compute_residual,
    compute_watch,
    find_places,
    prepare_columns,
    prepare_entries,
    run_watch,
)
from linkwork.native.watch import SWITCH, Group, Quantities, Values, Watching, plan_values
from linkwork.program import Program, hoist, plan_taylor, rebuild, reverse

Matrix = Floats | csc_array


class _Found(Protocol):
    """Numbers as programs give them, at a state; levels: g, ġ and g̈ without accelerations."""

    def entries(self) -> Floats: ...

    def levels(self) -> Sequence[Floats]: ...

    def r(self) -> Floats: ...

    def T(self) -> float: ...

    def watches(self) -> Floats: ...

    def readings(self) -> Floats: ...

    def slopes(self) -> dict[int, Floats]: ...


class Instant:
    """Numbers of a system at a state, each put together when it is asked for."""

    def __init__(self, made_by: Instants, found: _Found, t: float, q: Floats, u: Floats) -> None:
        self._made_by, self._found = made_by, found
        self.t, self.q, self.u = t, q, u

    @cached_property
    def M(self) -> Matrix:
        """Inertia; with all its zeros if it is small."""
        return self._made_by.make_matrix(self._made_by.M, self._entries)

    @cached_property
    def G(self) -> Matrix:
        """Derivatives of the constraints, likewise."""
        return self._made_by.make_matrix(self._made_by.G, self._entries)

    @cached_property
    def _entries(self) -> Floats:
        return self._found.entries()

    @cached_property
    def _levels(self) -> Sequence[Floats]:
        return self._found.levels()

    @property
    def g(self) -> Floats:
        """Values of the constraints."""
        return self._levels[0]

    @property
    def rates(self) -> Floats:
        """Their rates."""
        return self._levels[1]

    @property
    def bias(self) -> Floats:
        """What their second derivatives are without accelerations."""
        return self._levels[2]

    @cached_property
    def f(self) -> Floats:
        """Forces: M a + Gᵀλ = f."""
        return -self._found.r()

    @cached_property
    def T(self) -> float:
        """Kinetic energy."""
        return self._found.T()

    @cached_property
    def watches(self) -> Floats:
        """Their values."""
        return self._found.watches()

    @cached_property
    def readings(self) -> Floats:
        """Theirs."""
        return self._found.readings()

    @cached_property
    def slopes(self) -> dict[int, Floats]:
        """Of readings that are speeds, by their numbers: how they depend on each speed."""
        return self._found.slopes()


class Instants:
    """Makes instants of a system, by compiled code if there is some."""

    def __init__(self, system: System, compiled: bool) -> None:
        self.system = system
        self.M, self.G, _ = system.once("matrices", lambda: find_places(system))
        self.small = system.n + system.m <= DENSE
        self.sheet = _Sheet(system) if compiled else None

    def at(self, t: float, q: Floats, u: Floats) -> Instant:
        """The numbers at a state.   q: (n + followers [+ inputs],), u: (n,) or longer"""
        s, u = self.system, u[: self.system.n]
        found: _Found = _Interpreted(s, t, q, u) if self.sheet is None else self.sheet.compute(t, q, u)
        return Instant(self, found, t, q, u)

    def make_matrix(self, places: MatrixPlaces, entries: Floats) -> Matrix:
        """The matrix of some entries, with all its zeros if it is small."""
        return places.make_dense(entries) if self.small else places.make_sparse(entries)


def find_targets(system: System) -> list[int]:
    """The readings that are speeds to be given."""
    return sorted({target for act in system.acts.values() for target, _ in act.speeds})


def _differentiate(watch: Watch) -> Program:
    """How a reading depends on each speed it reads."""
    b, new = rebuild(watch.program)
    speeds = [b.input("u", i) for i in range(len(watch.coordinates))]
    return b.program(v=reverse(b, {new[watch.program.outputs["v"][0]]: b.one}, speeds))


def _slope(system: System, watch: Watch, values: Sequence[Floats] | Floats) -> Floats:
    found = np.zeros(system.first_follower)
    np.add.at(found, watch.coordinates, values)
    return found[: system.n]


# -- interpreted ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Interpreted:
    """The numbers at a state by the interpreter."""

    system: System
    t: float
    q: Floats
    u: Floats

    def entries(self) -> Floats:
        return compute_all_entries(self.system, self.q, self.t)

    def levels(self) -> Sequence[Floats]:
        return compute_levels(self.system, self.q, self.u, np.zeros_like(self.u), self.t)

    def r(self) -> Floats:
        return compute_residual(self.system, self.q, self.u, np.zeros_like(self.u), np.zeros(self.system.m), self.t)

    def T(self) -> float:
        return float(compute_energy(self.system, self.q, self.u, self.t)[0])

    def watches(self) -> Floats:
        return self._values(self.system.watches)

    def readings(self) -> Floats:
        return self._values(self.system.readings)

    def slopes(self) -> dict[int, Floats]:
        return {i: self._slope(i) for i in find_targets(self.system)}

    def _values(self, watches: Sequence[Watch]) -> Floats:
        return np.array([float(compute_watch(self.system, watch, self.q, self.u, self.t)) for watch in watches])

    def _slope(self, i: int) -> Floats:
        s, watch = self.system, self.system.readings[i]
        program = s.once(("slopes", i), lambda: _differentiate(watch))
        return _slope(s, watch, run_watch(s, watch, program, self.q, self.u, self.t))


# -- compiled ---------------------------------------------------------------------------------------------------------


class _Sheet:
    """The programs of all terms, watches and readings of a system as one table of the runtime."""

    def __init__(self, s: System) -> None:
        self.system, self.targets = s, find_targets(s)
        self.groups: list[Group] = []
        # for each entry of M and G and each level the place of its value; those that do not change are known
        _, _, count = s.once("matrices", lambda: find_places(s))
        self.entries, self.entry_from = np.zeros(count), np.zeros(count, dtype=np.int64)
        self.known = np.ones(count, dtype=bool)
        self.level_from = np.zeros((3, s.m), dtype=np.int64)
        self.r_from: list[Ints] = []
        self.r_to: list[Ints] = []
        self.T_from: list[Ints] = []
        self.count = 0
        self._add_terms()
        watched = [self._add_watch(("value", kind, i), watch) for kind, i, watch in self._watches()]
        self.watch_from = np.concatenate([np.zeros(0, dtype=np.int64), *watched])
        self.slope_from = {i: self._add_slope(i) for i in self.targets}
        self.table = Watching(s.once("programs", lambda: load_runtime("programs")), self.groups, _quantities(s), 0)
        self.r = tuple(np.concatenate([np.zeros(0, dtype=np.int64), *parts]) for parts in (self.r_from, self.r_to))
        self.kinetic = np.concatenate([np.zeros(0, dtype=np.int64), *self.T_from])
        self.state = np.zeros((2, s.n + len(s.followers) + len(s.inputs)))

    def compute(self, t: float, q: Floats, u: Floats) -> _Computed:
        """All of it at a state."""
        s = self.system
        moving = s.n + len(s.followers)
        self.state[0, :moving], self.state[0, moving:], self.state[1, : s.n] = q[:moving], s.inputs_in(q), u
        values = np.zeros(self.count + 1)  # one more value behind all others, which stays zero
        self.table.evaluate(t, self.state, values)
        return _Computed(self, values)

    def _watches(self) -> list[tuple[str, int, Watch]]:
        named = ("watch", self.system.watches), ("reading", self.system.readings)
        return [(kind, i, watch) for kind, some in named for i, watch in enumerate(some)]

    def _add(self, values: Values, names: Sequence[str], places: Ints, parameters: Sequence[Floats]) -> Ints:
        """Put a program on instances into the table; the places of its values.   (results, instances)"""
        results, first = len(values.kinds), self.count
        if not results:
            return np.zeros((0, len(names)), dtype=np.int64)
        self.groups.append(Group(values=values, names=tuple(names), places=places, parameters=parameters))
        self.count += results * len(names)
        return np.arange(first, self.count).reshape(len(names), results).T

    def _add_terms(self) -> None:
        s, place = self.system, 0
        self.level_from[:] = -1
        for number, term in enumerate(s.terms):
            d, k = term.kernel.derived, term.kernel
            if d.matrix is not None:
                plan = s.once(("entries", number), partial(_plan, d.matrix.body, ("F",)))
                found = self._add(plan, term.names, term.coordinates, prepare_columns(term, d.matrix.setup)).ravel()
                self.entry_from[place : place + len(found)] = found
                self.known[place : place + len(found)] = False
                place += len(found)
            for constant in prepare_entries(term)[1]:
                self.entries[place : place + term.count] = constant
                place += term.count
            plans = s.once(("levels", number), partial(_plan, d.levels, ("g", "g1", "g2")))
            found = self._add(plans, term.names, term.coordinates, [*term.parameters.T])
            if k.constraint_count:
                self.level_from[:, term.rows.T] = found.reshape(3, k.constraint_count, term.count)
            plan = s.once(("forces", number), partial(_plan, d.residual, ("r",)))
            found = self._add(plan, term.names, term.coordinates, [*term.parameters.T])
            self.r_from.append(found.ravel())
            self.r_to.append(term.coordinates.T[: len(found)].ravel())
            plan = s.once(("kinetic", number), partial(_plan, d.energy, ("T",)))
            self.T_from.append(self._add(plan, term.names, term.coordinates, [*term.parameters.T]).ravel())

    def _add_watch(self, key: object, watch: Watch) -> Ints:
        plan = self.system.once(key, partial(plan_values, watch.program, "v", SWITCH))
        return self._on(plan, watch).ravel()

    def _add_slope(self, i: int) -> Ints:
        watch = self.system.readings[i]
        plan = self.system.once(("slope", i), lambda: _plan(_differentiate(watch), ("v",)))
        return self._on(plan, watch).ravel()

    def _on(self, values: Values, watch: Watch) -> Ints:
        return self._add(values, [watch.name], watch.coordinates[None], [np.array([p]) for p in watch.parameters])


@dataclass(frozen=True, slots=True)
class _Computed:
    """The numbers at a state from the values of a sheet."""

    sheet: _Sheet
    values: Floats

    def entries(self) -> Floats:
        return np.where(self.sheet.known, self.sheet.entries, self.values[self.sheet.entry_from])

    def levels(self) -> Sequence[Floats]:
        return [self.values[row] for row in self.sheet.level_from]

    def r(self) -> Floats:
        found: Floats = np.zeros(self.sheet.system.first_follower)
        np.add.at(found, self.sheet.r[1], self.values[self.sheet.r[0]])
        return found[: self.sheet.system.n]

    def T(self) -> float:
        return float(self.values[self.sheet.kinetic].sum())

    def watches(self) -> Floats:
        return np.asarray(self.values[self.sheet.watch_from[: len(self.sheet.system.watches)]])

    def readings(self) -> Floats:
        return np.asarray(self.values[self.sheet.watch_from[len(self.sheet.system.watches) :]])

    def slopes(self) -> dict[int, Floats]:
        s = self.sheet.system
        return {i: _slope(s, s.readings[i], self.values[places]) for i, places in self.sheet.slope_from.items()}


def _plan(program: Program, groups: Sequence[str]) -> Values:
    """The recurrences of some groups of results, without accelerations and multipliers."""
    b, new = rebuild(program, without=("a", "lam"))
    values = [new[node] for group in groups for node in program.outputs[group]]
    hoisted = hoist(b.program(v=values))
    return Values(hoisted, plan_taylor(hoisted.body, {"v": 0}), (SWITCH,) * len(values))


def _quantities(s: System) -> Quantities:
    """What programs read: coordinates, frozen ones and followers, from coordinates, followers and inputs in a row."""
    n, frozen, inputs, first = s.n, len(s.frozen), len(s.inputs), s.first_follower
    row = np.concatenate([np.arange(n), first + np.arange(len(s.followers)), np.arange(first - inputs, first)])
    count = first + len(s.followers)
    fixed = np.zeros(count)
    fixed[n : n + frozen - inputs] = s.frozen[: frozen - inputs]
    read = csr_array((np.ones(len(row)), (row, np.arange(len(row)))), shape=(count, len(row)))
    return Quantities(read=read, fixed=fixed, sizes=np.ones(count))
