"""Numbers of a System by the reference interpreter: residuals, matrices, energies. For starts, results and tests.

All functions take coordinates as arrays (n, ...) and work on any number of states at once. Followers, where a system
has some, stand behind the coordinates: q is (n + followers, ...).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import Marker, System, Term, Watch
from linkwork.native.interpreter import run_program
from linkwork.program import Hoisted, Program

Time = float | Floats  # one time, or one for each state
DENSE = 100  # unknowns and equations up to which matrices with all their zeros are quicker


def compute_constraints(system: System, q: Floats, t: Time = 0.0) -> Floats:
    """g(q, t).   q: (n, ...)  →  (m, ...)"""
    return compute_levels(system, q, np.zeros_like(q), np.zeros_like(q), t)[0]


def compute_levels(system: System, q: Floats, u: Floats, a: Floats, t: Time = 0.0) -> tuple[Floats, Floats, Floats]:
    """g and its first and second time derivatives along (u, a).   q, u, a: (n, ...)  →  three times (m, ...)"""
    levels = [np.zeros((system.m, *q.shape[1:])) for _ in range(3)]
    for term in system.terms:
        if term.kernel.constraint_count:
            found = run_term(system, term, term.kernel.derived.levels, q, u, a, t=t)
            for level, group in zip(levels, ("g", "g1", "g2"), strict=True):
                for i, values in enumerate(found[group]):
                    level[term.rows[:, i]] = np.broadcast_to(values, (term.count, *q.shape[1:]))
    return levels[0], levels[1], levels[2]


# infinite forces against each other have no sum: whoever asks looks whether the values are finite
@np.errstate(over="ignore", invalid="ignore")
def compute_residual(system: System, q: Floats, u: Floats, a: Floats, lam: Floats, t: Time = 0.0) -> Floats:
    """M a + Gᵀλ − f, which vanishes along a motion.   → (n, ...)"""
    total = np.zeros((system.n + len(system.frozen), *q.shape[1:]))
    for term in system.terms:
        found = run_term(system, term, term.kernel.derived.residual, q, u, a, lam, t)
        for i, values in enumerate(found["r"]):
            np.add.at(total, term.coordinates[:, i], np.broadcast_to(values, (term.count, *q.shape[1:])))
    return total[: system.n]


def find_not_finite(system: System, q: Floats, u: Floats, a: Floats, lam: Floats, t: float) -> list[str]:
    """The names of the instances whose equations have no finite value at a state."""
    names: list[str] = []
    for term in system.terms:
        found = run_term(system, term, term.kernel.derived.residual, q, u, a, lam, t)["r"]
        wrong = [~np.isfinite(np.broadcast_to(values, term.count)) for values in found]
        bad = np.any(wrong, axis=0) if wrong else np.zeros(term.count, dtype=bool)
        names += [term.names[i] for i in np.flatnonzero(bad)]
    return list(dict.fromkeys(names))


def find_no_energy(system: System, q: Floats, u: Floats, t: float) -> list[str]:
    """The names of the instances whose energy or power has no finite value at a state."""
    names: list[str] = []
    for term in system.terms:
        found = run_term(system, term, term.kernel.derived.energy, q, u, t=t)
        bad = np.zeros(term.count, dtype=bool)
        for value in (v for group in ("T", "V", "D", "P", "L") for v in found[group]):
            bad |= ~np.isfinite(value)
        names += [term.names[i] for i in np.flatnonzero(bad)]
    return list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class _Matrix:
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


def compute_matrices(system: System, q: Floats, t: float = 0.0) -> tuple[csc_array, csc_array]:
    """The sparse matrices M (n, n) and G (m, n) at one state q: (n,)."""
    M, G = system.once("matrices", lambda: _find_places(system))
    values = compute_all_entries(system, q, t)
    return M.make_sparse(values), G.make_sparse(values)


def compute_dense(system: System, q: Floats, t: float = 0.0) -> tuple[Floats, Floats]:
    """The same matrices with all their zeros, for small systems."""
    M, G = system.once("matrices", lambda: _find_places(system))
    values = compute_all_entries(system, q, t)
    return M.make_dense(values), G.make_dense(values)


def compute_all_entries(system: System, q: Floats, t: float) -> Floats:
    """Entries of M and G of all instances, one kind after the other. Those of the last state are remembered."""
    key, last = (q.tobytes(), t), system.own.get("entries")
    if not isinstance(last, tuple) or last[0] != key:
        found = [values for term in system.terms for _, values, _, _ in compute_entries(system, term, q, t)]
        last = system.own["entries"] = key, np.concatenate(found) if found else np.zeros(0)
    values: Floats = last[1]
    return values


def _find_places(system: System) -> tuple[_Matrix, _Matrix]:
    """Where the entries of M and G go."""
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
    return _matrix(parts["H"], system.n, system.n), _matrix(parts["G"], system.m, system.n)


def _matrix(parts: list[tuple[Ints, Ints, Ints]], rows: int, columns: int) -> _Matrix:
    empty = np.zeros(0, dtype=np.int64)
    chosen, row, column = (
        (np.concatenate([empty, *piece]) for piece in zip(*parts, strict=True)) if parts else [empty] * 3
    )
    inside = (row < rows) & (column < columns)
    keys, number = np.unique(column[inside] * rows + row[inside], return_inverse=True)
    return _Matrix(chosen[inside], keys, number, (rows, columns))


def compute_jacobians(system: System, q: Floats, t: Time) -> Floats:
    """The dense matrices G at several states.   q: (n, k)  →  (k, m, n)"""
    G = np.zeros((system.m, system.n + len(system.frozen), q.shape[1]))
    for term in system.terms:
        for kind, values, i, j in compute_entries(system, term, q, t):
            if kind == "G":
                np.add.at(G, (term.rows[:, i], term.coordinates[:, j]), values)
    return np.moveaxis(G[:, : system.n], 2, 0)


def compute_energy(system: System, q: Floats, u: Floats, t: Time = 0.0) -> tuple[Floats, dict[str, Floats]]:
    """Kinetic energy and the potentials by kind.   q, u: (n, ...)  →  arrays (...)"""
    kinetic = np.zeros(q.shape[1:])
    potential: dict[str, Floats] = {}
    for term in system.terms:
        found = run_term(system, term, term.kernel.derived.energy, q, u, t=t)
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
    power: dict[str, Floats] = {}
    for term in filter(_powered, system.terms):
        shape = (term.count, *q.shape[1:])
        found = run_term(system, term, term.kernel.derived.energy, q, u, t=t)
        fed = [np.broadcast_to(p, shape) for p in (*found["P"], *found["L"])]
        total = sum(fed, np.zeros(shape)) - np.broadcast_to(found["D"][0], shape)
        for i, rate in enumerate(found["gt"]):
            total = total + lam[term.rows[:, i]] * np.broadcast_to(rate, shape)
        for name, values in zip(term.names, total, strict=True):
            power[name] = power.get(name, 0.0) + values
    return power


def compute_watch(system: System, watch: Watch, q: Floats, u: Floats, t: Time) -> Floats:
    """The value of a watched expression.   q, u: (n, ...)  →  (...)"""
    inputs = {
        "q": list(system.extend(q)[watch.coordinates]),
        "u": list(system.extend_rates(u)[watch.coordinates]),
        "p": [np.asarray(p) for p in watch.parameters],
    }
    return np.broadcast_to(run_program(watch.program, inputs, t)["v"][0], q.shape[1:])


def compute_marker(system: System, marker: Marker, q: Floats, u: Floats, a: Floats, t: Time) -> dict[str, Floats]:
    """Place, velocity and acceleration of a marker.   q, u, a: (n, ...)  →  (dimension, ...)"""
    inputs = {kind: list(values[marker.coordinates]) for kind, values in (("q", q), ("u", u), ("a", a))}
    found = run_program(marker.program, {**inputs, "p": [np.asarray(p) for p in marker.parameters]}, t)
    return {name: np.array([np.broadcast_to(x, q.shape[1:]) for x in values]) for name, values in found.items()}


def compute_switches(system: System, q: Floats, u: Floats, t: Time, knots: bool = True) -> tuple[list[str], Floats]:
    """What changes sign where a piecewise law changes its piece, with the names of the laws.   → (switches, ...)

    Knots of curves count, unless said: compiled code knows them itself.
    """
    names: list[str] = []
    values: list[Floats] = []
    for term in system.terms:
        program = term.kernel.derived.switches
        if not any(program.outputs.values()):
            continue
        groups = run_term(system, term, program, q, u, t=t)
        for found in (*groups["s"], *(groups["k"] if knots else ())):
            names.extend(term.names)
            values.append(np.broadcast_to(found, (term.count, *q.shape[1:])))
    return names, np.concatenate(values) if values else np.zeros((0, *q.shape[1:]))


def compute_part_forces(
    system: System,
    names: Collection[str],
    q: Floats,
    u: Floats,
    a: Floats,
    lam: Floats,
    t: Time,
    without: tuple[str, ...] = (),
) -> dict[tuple[str, int], Floats]:
    """M a + Gᵀλ − f of the terms with these names alone, by name and coordinate: what the rest must supply there.

    Kernels whose names begin with one of `without` do not count.
    """
    forces: dict[tuple[str, int], Floats] = {}
    for term in system.terms:
        chosen = [i for i, name in enumerate(term.names) if name in names]
        if not chosen or (without and term.kernel.name.startswith(without)):
            continue
        some = _choose(term, chosen)
        found = run_term(system, some, term.kernel.derived.residual, q, u, a, lam, t)
        for j, values in enumerate(found["r"]):
            full = np.broadcast_to(values, (some.count, *q.shape[1:]))
            for name, i, force in zip(some.names, some.coordinates[:, j].tolist(), full, strict=True):
                forces[name, i] = forces.get((name, i), 0.0) + force
    return forces


def _choose(term: Term, chosen: list[int]) -> Term:
    """The same kernel on some of its instances."""
    return replace(
        term,
        names=tuple(term.names[i] for i in chosen),
        coordinates=term.coordinates[chosen],
        rows=term.rows[chosen],
        parameters=term.parameters[chosen],
        columns=term.columns[chosen] if len(term.columns) else term.columns,
    )


def run_term(
    system: System,
    term: Term,
    program: Program,
    q: Floats,
    u: Floats,
    a: Floats | None = None,
    lam: Floats | None = None,
    t: Time = 0.0,
) -> dict[str, list[Floats]]:
    """Run one of a kernel's programs on all instances.   Results: (instances, ...)"""
    tail = (1,) * (q.ndim - 1)
    local = {**_places(system, term, q), "u": _local(term, system.extend_rates(u))}
    if a is not None:
        local["a"] = _local(term, system.extend_rates(a))
    if lam is not None:
        # a multiplier is a local unknown behind the coordinates and followers
        padding = [np.zeros(0)] * term.coordinates.shape[1]
        local["lam"] = padding + [lam[rows] for rows in term.rows.T]
    parameters = [column.reshape(-1, *tail) for column in term.parameters.T]
    unused = [np.zeros((term.count, *tail))] * term.kernel.constraint_count
    return run_program(program, {**local, "p": parameters + unused}, t)


def _local(term: Term, extended: Floats) -> list[Floats]:
    return [extended[column] for column in term.coordinates.T[: len(term.kernel.coordinates)]]


def _places(system: System, term: Term, q: Floats) -> dict[str, list[Floats]]:
    """The local coordinates and, behind as many places, followers of all instances."""
    extended, count = system.extend(q), len(term.kernel.coordinates)
    local = {"q": [extended[column] for column in term.coordinates.T[:count]]}
    if term.kernel.followers:
        local["e"] = [np.zeros(0)] * count + [extended[column] for column in term.coordinates.T[count:]]
    return local


def compute_entries(system: System, term: Term, q: Floats, t: Time) -> Iterator[tuple[str, Floats, int, int]]:
    """Entries of M and G of all instances, H with the weights W set to zero being M.   values: (instances, ...)"""
    shape, places = (term.count, *q.shape[1:]), _places(system, term, q)
    for (hoisted, names), columns in zip(_matrix_programs(term), _matrix_columns(system, term), strict=True):
        p = columns if q.ndim == 1 else [c.reshape(c.shape + (1,) * (q.ndim - 1)) if c.ndim else c for c in columns]
        for (kind, i, j), values in zip(names, run_program(hoisted.body, {**places, "p": p}, t)["F"], strict=True):
            yield kind, values if values.shape == shape else np.broadcast_to(values, shape), i, j


def _matrix_programs(term: Term) -> list[tuple[Hoisted, tuple[tuple[str, int, int], ...]]]:
    """The programs of the entries of H and G."""
    d = term.kernel.derived
    changing = [(d.matrix, d.matrix_entries)] if d.matrix is not None else []
    return [*changing, (d.constant, d.constant_entries)]


def _matrix_columns(system: System, term: Term) -> list[list[Floats]]:
    """What these programs need of the parameters; computed once."""

    def compute() -> tuple[Term, list[list[Floats]]]:
        weights = [np.zeros(term.count)] * term.kernel.constraint_count
        inputs = {"p": [*term.parameters.T, *weights]}
        return term, [run_program(hoisted.setup, inputs)["p"] for hoisted, _ in _matrix_programs(term)]

    return system.remember(("matrix", id(term)), compute)[1]  # a term that is kept keeps its id


def make_sparse(parts: list[tuple[Floats, NDArray[np.int64], NDArray[np.int64]]], rows: int, columns: int) -> csc_array:
    if not parts:
        return csc_array((rows, columns))
    values, row, column = (np.concatenate(piece) for piece in zip(*parts, strict=True))
    inside = (row < rows) & (column < columns)
    return csc_array((values[inside], (row[inside], column[inside])), shape=(rows, columns))
