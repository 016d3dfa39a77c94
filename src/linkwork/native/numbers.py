"""Numbers of a System by the reference interpreter: residuals, matrices, energies. For starts, results and tests.

All functions take coordinates as arrays (n, ...) and work on any number of states at once. Followers, where a system
has some, stand behind the coordinates: q is (n + followers, ...).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import Marker, System, Term, Watch
from linkwork.equations.kernel import Kernel
from linkwork.errors import Ref
from linkwork.native.interpreter import run_program
from linkwork.program import Program, cut, hoist

Time = float | Floats  # one time, or one for each state
MODERATE, FACTORS = 1e10, 30  # numbers of ordinary size, and how many of them have a product within the range of floats
# operations that have a value wherever their arguments have one, no larger than these are
BOUNDED = frozenset({"constant", "input", "add", "sub", "neg", "mul", "sin", "cos", "atan", "atan2", "tanh", "sign"})
BOUNDED |= frozenset({"abs", "min", "max", "less", "less_equal", "select"})
DENSE = 100  # unknowns and equations up to which matrices with all their zeros are quicker


def compute_constraints(system: System, q: Floats, t: Time = 0.0) -> Floats:
    """g(q, t).   q: (n, ...)  →  (m, ...)"""
    return compute_levels(system, q, np.zeros_like(q), np.zeros_like(q), t)[0]


def compute_levels(system: System, q: Floats, u: Floats, a: Floats, t: Time = 0.0) -> tuple[Floats, Floats, Floats]:
    """g and its first and second time derivatives along (u, a).   q, u, a: (n, ...)  →  three times (m, ...)"""
    levels = [np.zeros((system.m, *q.shape[1:])) for _ in range(3)]
    local = Local(system, q, u, a, t=t)
    for term in system.terms:
        if term.kernel.constraint_count:
            found = local.run(term, term.kernel.derived.levels)
            for level, group in zip(levels, ("g", "g1", "g2"), strict=True):
                for i, values in enumerate(found[group]):
                    level[term.rows[:, i]] = np.broadcast_to(values, (term.count, *q.shape[1:]))
    return levels[0], levels[1], levels[2]


# infinite forces against each other have no sum: whoever asks looks whether the values are finite
@np.errstate(over="ignore", invalid="ignore")
def compute_residual(system: System, q: Floats, u: Floats, a: Floats, lam: Floats, t: Time = 0.0) -> Floats:
    """M a + Gᵀλ − f, which vanishes along a motion.   → (n, ...)"""
    total = np.zeros((system.n + len(system.frozen), *q.shape[1:]))
    local = Local(system, q, u, a, lam, t)
    for term in system.terms:
        found = local.run(term, term.kernel.derived.residual)
        for i, values in enumerate(found["r"]):
            np.add.at(total, term.coordinates[:, i], np.broadcast_to(values, (term.count, *q.shape[1:])))
    return total[: system.n]


def find_not_finite(system: System, q: Floats, u: Floats, a: Floats, lam: Floats, t: float) -> list[str]:
    """The names of the instances whose equations have no finite value at a state."""
    names, local = list[str](), Local(system, q, u, a, lam, t)
    for term in system.terms:
        found = local.run(term, term.kernel.derived.residual)["r"]
        wrong = [~np.isfinite(np.broadcast_to(values, term.count)) for values in found]
        bad = np.any(wrong, axis=0) if wrong else np.zeros(term.count, dtype=bool)
        names += [term.names[i] for i in np.flatnonzero(bad)]
    return list(dict.fromkeys(names))


def _are_moderate(system: System, q: Floats, u: Floats, t: float) -> bool:
    """Whether all numbers of a system at a state are of ordinary size."""
    numbers = q, u, system.frozen, system.numbers
    return abs(t) <= MODERATE and all(np.abs(x).max(initial=0.0) <= MODERATE for x in numbers)


def _find_unbounded(system: System) -> list[Term]:
    """The terms whose energies might have no value even with MODERATE numbers."""

    def is_safe(term: Term, setup: Program | None) -> bool:
        return setup is not None and term.remember("moderate", lambda: _has_moderate_columns(term, setup))

    setups = system.once("bounded", lambda: [_find_setup(term.kernel) for term in system.terms])
    return [term for term, setup in zip(system.terms, setups, strict=True) if not is_safe(term, setup)]


_SETUPS: WeakKeyDictionary[Kernel, Program | None] = WeakKeyDictionary()


def _find_setup(kernel: Kernel) -> Program | None:
    """What its energy needs of the parameters, if it is bounded where these are MODERATE."""
    if kernel not in _SETUPS:
        both = hoist(kernel.derived.energy)
        _SETUPS[kernel] = both.setup if is_bounded(both.body) else None
    return _SETUPS[kernel]


def _has_moderate_columns(term: Term, setup: Program) -> bool:
    found = run_program(setup, {"p": [*term.parameters.T]})["p"]
    return all(np.abs(column).max(initial=0.0) <= MODERATE for column in found)


def is_bounded(program: Program) -> bool:
    """Whether MODERATE numbers have finite results: few factors in each product, and no function with a pole."""
    factors: list[int] = []
    positive: list[bool] = []  # squares and their sums, of which there are roots
    for node in program.nodes:
        root = node.op == "sqrt" and positive[node.args[0]]
        if not (root or node.op in BOUNDED) or not abs(node.value) <= MODERATE:
            return False
        own = [factors[arg] for arg in node.args]
        factors.append(sum(own) if node.op == "mul" else max(own, default=1))
        square = node.op == "mul" and node.args[0] == node.args[1]
        positive.append(root or square or (node.op == "add" and all(positive[arg] for arg in node.args)))
    return max(factors, default=0) <= FACTORS


def find_no_energy(system: System, q: Floats, u: Floats, t: float) -> list[str]:
    """The names of the instances whose energy or power has no finite value at a state."""
    terms = _find_unbounded(system) if _are_moderate(system, q, u, t) else system.terms
    if not terms:
        return []
    local, groups = Local(system, q, u, t=t), ("T", "V", "D", "P", "L")
    found = [local.run(term, term.kernel.derived.energy) for term in terms]
    values = [[value for group in groups for value in one[group]] for one in found]
    if np.isfinite(np.concatenate([np.zeros(0), *(value for one in values for value in one)], axis=None)).all():
        return []
    names: list[str] = []
    for term, some in zip(terms, values, strict=True):
        bad = np.any([~np.isfinite(np.broadcast_to(value, term.count)) for value in some], axis=0)
        names += [term.names[i] for i in np.flatnonzero(bad)]
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class MatrixPlaces:
    """Where the entries of M or G come from and go: `chosen` of all entries, in this order, to the places `keys`.

    keys     column * rows + row of each place, without repetition, in order
    number   of the place of each chosen entry
    """

    chosen: Ints
    keys: Ints
    number: Ints
    shape: tuple[int, int]

    def sum_up(self, values: Floats) -> Floats:
        """The numbers at the places."""
        sums = np.bincount(self.number, weights=values[self.chosen], minlength=len(self.keys))
        return np.asarray(sums, dtype=np.float64)

    def make_dense(self, values: Floats) -> Floats:
        rows, columns = self.shape
        flat = np.zeros(rows * columns)
        flat[self.keys] = self.sum_up(values)
        return flat.reshape(columns, rows).T

    def make_sparse(self, values: Floats) -> csc_array:
        rows, columns = self.shape
        ends = np.searchsorted(self.keys, rows * np.arange(columns + 1)) if rows else np.zeros(columns + 1, dtype=int)
        return csc_array((self.sum_up(values), self.keys % max(1, rows), ends), shape=self.shape)


def compute_matrices(system: System, q: Floats, t: float = 0.0, u: Floats | None = None) -> tuple[csc_array, csc_array]:
    """The sparse matrices M (n, n) and G (m, n) at one state q: (n,); M may depend on u, which is zero if not given."""
    M, G, _ = system.once("matrices", lambda: find_places(system))
    values = compute_all_entries(system, q, t, u)
    return M.make_sparse(values), G.make_sparse(values)


def compute_dense(system: System, q: Floats, t: float = 0.0) -> tuple[Floats, Floats]:
    """The same matrices with all their zeros, for small systems."""
    M, G, _ = system.once("matrices", lambda: find_places(system))
    values = compute_all_entries(system, q, t)
    return M.make_dense(values), G.make_dense(values)


def compute_all_entries(system: System, q: Floats, t: float, u: Floats | None = None) -> Floats:
    """Entries of M and G of all instances, one kind after the other. Those of the last state are remembered."""
    u = None if u is None or not is_quick(system) else u
    key, last = (q.tobytes(), t, None if u is None else u.tobytes()), system.own.get("entries")
    if isinstance(last, tuple) and last[0] == key:
        known: Floats = last[1]
        return known
    values, local, place = (
        np.empty(system.once("matrices", lambda: find_places(system))[2]),
        Local(system, q, u, t=t),
        0,
    )
    for term in system.terms:
        count = term.count
        for found in local.compute_entries(term):
            for entry in found:
                values[place : place + count] = entry
                place += count
    system.own["entries"] = key, values
    return values


def is_quick(system: System) -> bool:
    """Whether the mass matrix depends on speeds, as that of energies that are not quadratic in them."""
    return system.once("quick", lambda: any(term.kernel.derived.quick for term in system.terms))


def find_places(system: System) -> tuple[MatrixPlaces, MatrixPlaces, int]:
    """Where the entries of M and G go, and how many there are."""
    parts: dict[str, list[tuple[Ints, Ints, Ints]]] = {"H": [], "G": []}
    first = 0
    for term in system.terms:
        d, count = term.kernel.derived, term.count
        matrix = d.matrix_entries if d.matrix is not None else ()
        for kind, i, j in (*matrix, *d.constant_entries):
            mine, column = np.arange(first, first + count), term.coordinates[:, j]
            first += count
            parts[kind].append((mine, term.coordinates[:, i] if kind == "H" else term.rows[:, i], column))
            if kind == "H" and i != j:
                # the lower triangle of M, mirrored
                parts["H"].append((mine, column, term.coordinates[:, i]))
    return _matrix(parts["H"], system.n, system.n), _matrix(parts["G"], system.m, system.n), first


def _matrix(parts: list[tuple[Ints, Ints, Ints]], rows: int, columns: int) -> MatrixPlaces:
    empty = np.zeros(0, dtype=np.int64)
    chosen, row, column = (
        (np.concatenate([empty, *piece]) for piece in zip(*parts, strict=True)) if parts else [empty] * 3
    )
    inside = (row < rows) & (column < columns)
    keys, number = np.unique(column[inside] * rows + row[inside], return_inverse=True)
    return MatrixPlaces(chosen[inside], keys, number, (rows, columns))


def compute_jacobians(system: System, q: Floats, t: Time) -> Floats:
    """The dense matrices G at several states.   q: (n, k)  →  (k, m, n)"""
    G, local = np.zeros((system.m, system.n + len(system.frozen), q.shape[1])), Local(system, q, t=t)
    for number, term in enumerate(system.terms):
        d, parts = term.kernel.derived, system.once(("slopes of constraints", number), partial(_find_slopes, term))
        if parts.changing and d.quick:
            entries = zip(d.matrix_entries, next(local.compute_entries(term)), strict=True)
            slopes = [((i, j), values) for (kind, i, j), values in entries if kind == "G"]
        else:
            slopes = [*zip(parts.changing, local.compute_slopes(term, parts), strict=True)]
        constant = term.remember("entries", lambda term=term: prepare_entries(term))[1]  # type: ignore[misc]
        slopes += [((i, j), local.wide(constant[k])) for i, j, k in parts.constant]
        for (i, j), values in slopes:
            G[term.rows[:, i], term.coordinates[:, j]] += values
    return np.moveaxis(G[:, : system.n], 2, 0)


class _Slopes(NamedTuple):
    """Entries of G of a term: (row, column) of those that change, their program, (row, column, number) of constants."""

    changing: list[tuple[int, int]]
    program: Program | None
    constant: list[tuple[int, int, int]]


def _find_slopes(term: Term) -> _Slopes:
    d = term.kernel.derived
    found = (
        [(i, j, k) for k, (kind, i, j) in enumerate(d.matrix_entries) if kind == "G"] if d.matrix is not None else []
    )
    program = cut(d.matrix.body, [d.matrix.body.outputs["F"][k] for *_, k in found]) if d.matrix and found else None
    constant = [(i, j, k) for k, (kind, i, j) in enumerate(d.constant_entries) if kind == "G"]
    return _Slopes([(i, j) for i, j, _ in found], program, constant)


def compute_energy(system: System, q: Floats, u: Floats, t: Time = 0.0) -> tuple[Floats, dict[str, Floats]]:
    """Kinetic energy and the potentials by kind.   q, u: (n, ...)  →  arrays (...)"""
    kinetic, local = np.zeros(q.shape[1:]), Local(system, q, u, t=t)
    potential: dict[str, Floats] = {}
    for term in system.terms:
        found = local.run(term, term.kernel.derived.energy)
        shape = (term.count, *q.shape[1:])
        kinetic = kinetic + np.broadcast_to(found["T"][0], shape).sum(axis=0)
        for kind, values in zip(term.kernel.contribution.potential, found["V"], strict=True):
            potential[kind] = potential.get(kind, 0.0) + np.broadcast_to(values, shape).sum(axis=0)
    return kinetic, potential


def is_driven(system: System) -> bool:
    """Whether a constraint depends on time, so that its multiplier does work."""
    return bool(find_driven(system).any())


def find_driven(system: System) -> NDArray[np.bool_]:
    """For each constraint whether it depends on time."""
    driven = np.zeros(system.m, dtype=bool)
    for term in system.terms:
        energy = term.kernel.derived.energy
        for i, n in enumerate(energy.outputs["gt"]):
            node = energy.nodes[n]
            driven[term.rows[:, i]] = node.op != "constant" or node.value != 0.0
    return driven


def has_power(system: System) -> bool:
    """Whether anything but conservative forces does work: efforts, dissipation, constraints that depend on time."""
    return any(_powered(term) for term in system.terms)


def _powered(term: Term) -> bool:
    c, energy = term.kernel.contribution, term.kernel.derived.energy
    rates = [energy.nodes[n] for group in ("gt", "D", "L") for n in energy.outputs[group]]
    return bool(c.efforts) or any(rate.op != "constant" or rate.value != 0.0 for rate in rates)


def compute_power(system: System, q: Floats, u: Floats, lam: Floats, t: Time) -> dict[str, Floats]:
    """Power [W] fed in by each effort, dissipation and driver, by name.   q, u: (n, ...), lam: (m, ...)

    The power of a constraint that depends on time is λ ∂g/∂t, since the force of a constraint is −Gᵀλ and ġ = 0; in the
    same way that of h = A u + b is λ b. A Lagrangian that depends on time feeds in −∂L/∂t.
    """
    power, local = dict[str, Floats](), Local(system, q, u, t=t)
    for term in filter(_powered, system.terms):
        shape = (term.count, *q.shape[1:])
        found = local.run(term, term.kernel.derived.energy)
        fed = [np.broadcast_to(p, shape) for p in (*found["P"], *found["L"])]
        total = sum(fed, np.zeros(shape)) - np.broadcast_to(found["D"][0], shape)
        for i, rate in enumerate(found["gt"]):
            total = total + lam[term.rows[:, i]] * np.broadcast_to(rate, shape)
        for name, values in zip(term.names, total, strict=True):
            power[name] = power.get(name, 0.0) + values
    return power


def compute_watch(system: System, watch: Watch, q: Floats, u: Floats, t: Time) -> Floats:
    """The value of a watched expression.   q, u: (n, ...)  →  (...)"""
    return np.broadcast_to(run_watch(system, watch, watch.program, q, u, t)[0], q.shape[1:])


def run_watch(system: System, watch: Watch, program: Program, q: Floats, u: Floats, t: Time) -> list[Floats]:
    """The values of a program over what a watched expression reads."""
    inputs = {
        "q": list(system.extend(q)[watch.coordinates]),
        "u": list(system.extend_rates(u)[watch.coordinates]),
        "p": [np.asarray(p) for p in watch.parameters],
    }
    return run_program(program, inputs, t)["v"]


def compute_marker(system: System, marker: Marker, q: Floats, u: Floats, a: Floats, t: Time) -> dict[str, Floats]:
    """Place, velocity and acceleration of a marker.   q, u, a: (n, ...)  →  (dimension, ...)"""
    inputs = {kind: list(values[marker.coordinates]) for kind, values in (("q", q), ("u", u), ("a", a))}
    found = run_program(marker.program, {**inputs, "p": [np.asarray(p) for p in marker.parameters]}, t)
    return {name: np.array([np.broadcast_to(x, q.shape[1:]) for x in values]) for name, values in found.items()}


def compute_switches(system: System, q: Floats, u: Floats, t: Time, knots: bool = True) -> tuple[list[str], Floats]:
    """What changes sign where a piecewise law changes its piece, with the names of the laws.   → (switches, ...)

    Knots of curves count, unless said: compiled code knows them itself.
    """
    names, values, switching = list[str](), list[Floats](), system.once("switching", lambda: _find_switching(system))
    local = Local(system, q, u, t=t) if switching else None
    for term in [system.terms[i] for i in switching]:
        assert local is not None
        groups = local.run(term, term.kernel.derived.switches)
        for found in (*groups["s"], *(groups["k"] if knots else ())):
            names.extend(term.names)
            values.append(np.broadcast_to(found, (term.count, *q.shape[1:])))
    return names, np.concatenate(values) if values else np.zeros((0, *q.shape[1:]))


def _find_switching(system: System) -> list[int]:
    """The numbers of the terms whose laws are piecewise."""
    return [i for i, term in enumerate(system.terms) if any(term.kernel.derived.switches.outputs.values())]


def compute_part_forces(
    system: System, owners: Collection[Ref], q: Floats, u: Floats, a: Floats, lam: Floats, t: Time
) -> dict[int, Floats]:
    """M a + Gᵀλ − f of the terms of these owners alone, by coordinate: what the rest must supply there."""
    forces, local = dict[int, Floats](), Local(system, q, u, a, lam, t)
    for term in system.terms:
        chosen = [i for i, owner in enumerate(term.owners) if owner in owners]
        if not chosen:
            continue
        some = _choose(term, chosen)
        found = local.run(some, term.kernel.derived.residual)
        for j, values in enumerate(found["r"]):
            full = np.broadcast_to(values, (some.count, *q.shape[1:]))
            for i, force in zip(some.coordinates[:, j].tolist(), full, strict=True):
                forces[i] = forces.get(i, 0.0) + force
    return forces


def _choose(term: Term, chosen: list[int]) -> Term:
    """The same kernel on some of its instances."""
    return replace(
        term,
        names=tuple(term.names[i] for i in chosen),
        owners=tuple(term.owners[i] for i in chosen),
        coordinates=term.coordinates[chosen],
        rows=term.rows[chosen],
        parameters=term.parameters[chosen],
        columns=term.columns[chosen] if len(term.columns) else term.columns,
    )


NEAR_REST = 1e-3  # speeds at which a mass matrix is looked at that has no value at rest


class Local:
    """A state as the instances of terms see it: their own coordinates, followers, rates and multipliers."""

    def __init__(
        self,
        system: System,
        q: Floats,
        u: Floats | None = None,
        a: Floats | None = None,
        lam: Floats | None = None,
        t: Time = 0.0,
    ) -> None:
        self.system, self.lam, self.t, self.tail = system, lam, t, q.shape[1:]
        self.places = system.extend(q)
        self.rates = {kind: system.extend_rates(x) for kind, x in (("u", u), ("a", a)) if x is not None}

    def run(self, term: Term, program: Program) -> dict[str, list[Floats]]:
        """Run one of a kernel's programs on all instances.   Results: (instances, ...)"""
        inputs = self.inputs(term)
        own = term.coordinates.T[: len(term.kernel.coordinates)]
        for kind, rates in self.rates.items():
            inputs[kind] = rates.take(own, axis=0)
        if self.lam is not None:
            # a multiplier is a local unknown behind the coordinates and followers
            padding = [np.zeros(0)] * term.coordinates.shape[1]
            inputs["lam"] = padding + [self.lam[rows] for rows in term.rows.T]
        inputs["p"] = self.wide(term.parameters.T)
        return run_program(program, inputs, self.t)

    def inputs(self, term: Term) -> dict[str, Sequence[Floats] | Floats]:
        """The coordinates and, behind as many places, followers of all instances."""
        columns, count = term.coordinates.T, len(term.kernel.coordinates)
        inputs: dict[str, Sequence[Floats] | Floats] = {"q": self.places.take(columns[:count], axis=0)}
        if term.kernel.followers:
            inputs["e"] = [np.zeros(0)] * count + [self.places[column] for column in columns[count:]]
        return inputs

    def compute_entries(self, term: Term) -> Iterator[list[Floats]]:
        """Entries of M and G of all instances, H with the weights W set to zero being M: changing, then constant ones.

        With several states constant entries have room for them, (instances, 1).
        """
        changing, constant = term.remember("entries", lambda: prepare_entries(term))
        d = term.kernel.derived
        if d.matrix is not None:
            inputs = self.inputs(term)
            inputs["p"] = [self.wide(column) for column in changing]
            yield self._compute_quick(term, inputs) if d.quick else run_program(d.matrix.body, inputs, self.t)["F"]
        yield [self.wide(entry) for entry in constant] if self.tail else constant

    def compute_slopes(self, term: Term, slopes: _Slopes) -> list[Floats]:
        """Changing entries of G that depend on no speeds."""
        if slopes.program is None:
            return []
        changing, _ = term.remember("entries", lambda: prepare_entries(term))
        inputs = self.inputs(term)
        inputs["p"] = [self.wide(column) for column in changing]
        return run_program(slopes.program, inputs, self.t)["v"]

    def _compute_quick(self, term: Term, inputs: dict[str, Any]) -> list[Floats]:
        """Changing entries that depend on speeds; without any those at rest or, if these have no value, near it."""
        rates, own = self.rates.get("u"), term.coordinates.T[: len(term.kernel.coordinates)]
        inputs["u"] = np.zeros_like(inputs["q"]) if rates is None else rates.take(own, axis=0)
        matrix = term.kernel.derived.matrix
        assert matrix is not None
        found: list[Floats] = run_program(matrix.body, inputs, self.t)["F"]
        if rates is None and not all(np.isfinite(entry).all() for entry in found):
            slow = NEAR_REST * (1.0 + np.arange(len(own)))
            inputs["u"] = np.broadcast_to(slow.reshape(-1, *[1] * (np.ndim(inputs["q"]) - 1)), np.shape(inputs["q"]))
            found = run_program(matrix.body, inputs, self.t)["F"]
        return found

    def wide(self, columns: Floats) -> Floats:
        """Numbers of instances (..., instances), beside as many states as there are."""
        return columns.reshape(*columns.shape, *(1 for _ in self.tail)) if self.tail and columns.ndim else columns


def compute_entries(
    system: System, term: Term, q: Floats, t: Time, u: Floats | None = None
) -> Iterator[tuple[str, Floats, int, int]]:
    """Entries of M and G of all instances with their kinds and places.   values: (instances, ...)"""
    shape = (term.count, *q.shape[1:])
    d = term.kernel.derived
    names = [d.matrix_entries, d.constant_entries] if d.matrix is not None else [d.constant_entries]
    for some, found in zip(names, Local(system, q, u, t=t).compute_entries(term), strict=True):
        for (kind, i, j), values in zip(some, found, strict=True):
            yield kind, np.broadcast_to(values, shape), i, j


def prepare_entries(term: Term) -> tuple[list[Floats], list[Floats]]:
    """Of the entries that change what their program needs of the parameters, and those that are constant."""
    d = term.kernel.derived
    changing = prepare_columns(term, d.matrix.setup) if d.matrix is not None else []
    return changing, run_program(d.constant.body, {"p": prepare_columns(term, d.constant.setup)})["F"]


def prepare_columns(term: Term, setup: Program) -> list[Floats]:
    """What a program of the matrix needs of the parameters, with weights W of zero; computed once."""

    def compute() -> list[Floats]:
        weights = [np.zeros(term.count)] * term.kernel.constraint_count
        return run_program(setup, {"p": [*term.parameters.T, *weights]})["p"]

    return term.remember(("columns", id(setup)), compute)  # a term keeps its kernel, and that its programs


def make_sparse(parts: list[tuple[Floats, NDArray[np.int64], NDArray[np.int64]]], rows: int, columns: int) -> csc_array:
    if not parts:
        return csc_array((rows, columns))
    values, row, column = (np.concatenate(piece) for piece in zip(*parts, strict=True))
    inside = (row < rows) & (column < columns)
    return csc_array((values[inside], (row[inside], column[inside])), shape=(rows, columns))
