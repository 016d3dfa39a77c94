"""Tangents of a System at a state: how its balance of forces and its constraints change. Sparse matrices out.

By coordinates and speeds for all terms together or for each instance alone, and along a change of parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from linkwork.arrays import Complexes, Floats
from linkwork.equations import System, Term
from linkwork.equations.tangent import Tangent, derive_by_parameters, derive_stiffness, derive_tangent
from linkwork.native.numbers import Local, compute_entries, make_sparse
from linkwork.native.opaque import compute_call_slopes


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A state with its accelerations and multipliers.   q, u, a: (n,), lam: (m,)"""

    t: float
    q: Floats
    u: Floats
    a: Floats
    lam: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Tangents:
    """Derivatives of the residual r (n rows) and of g, ġ, g̈ (m rows); the frozen coordinates are behind the n."""

    r_q: csc_array
    r_u: csc_array
    g_q: csc_array
    g1_q: csc_array
    g2_q: csc_array
    g2_u: csc_array


def compute_tangents(system: System, at: Point) -> Tangents:
    """All derivatives at one state."""
    parts: dict[str, list[tuple[Floats, NDArray[np.int64], NDArray[np.int64]]]] = {
        name: [] for name in ("r_q", "r_u", "g_q", "g1_q", "g2_q", "g2_u")
    }
    for term in system.terms:
        for what, by, i, j, values in _tangent_entries(system, term, at, derive_tangent(term.kernel)):
            rows = term.coordinates[:, i] if what == "r" else term.rows[:, i]
            parts[f"{what}_{by}"].append((values, rows, term.coordinates[:, j]))
    width = system.n + len(system.frozen)
    made = {name: make_sparse(found, system.n if name[0] == "r" else system.m, width) for name, found in parts.items()}
    if system.opaque:
        by_call, (by_place, by_speed) = _find_calls(system, at, made["r_q"])
        made |= {"r_q": made["r_q"] + by_call @ by_place, "r_u": made["r_u"] + by_call @ by_speed}
    return Tangents(**made)


def compute_stiffness(system: System, at: Point) -> csc_array:
    """∂r/∂q alone.   (n, n)"""
    parts = [
        (values, term.coordinates[:, i], term.coordinates[:, j])
        for term in system.terms
        for _, _, i, j, values in _tangent_entries(system, term, at, derive_stiffness(term.kernel))
    ]
    if not system.opaque:
        return make_sparse(parts, system.n, system.n)
    whole = make_sparse(parts, system.n, system.n + len(system.frozen))
    by_call, (by_place, _) = _find_calls(system, at, whole)
    return csc_array((whole + by_call @ by_place)[:, : system.n])


def _find_calls(system: System, at: Point, by_place: csc_array) -> tuple[csc_array, tuple[csc_array, csc_array]]:
    """How forces change with what calls of opaque functions give, and how this changes with places and speeds."""
    width, called = system.n + len(system.frozen), [system.inputs[value.name] for value in system.opaque]
    places, speeds = compute_call_slopes(system, at.t, at.q, at.u)
    own, rates = places[:, called], np.zeros((len(called), width))
    places[:, called], rates[:, : system.n] = 0.0, speeds
    by_q, by_u = (csc_array(see_through_calls(own, x)) for x in (places[:, :width], rates))
    return csc_array(by_place[:, called]), (by_q, by_u)


def see_through_calls(own: Floats, change: Floats) -> Floats:
    """Changes of what calls give where calls are in arguments of calls: (1 − ∂w/∂w) dw = ∂w/∂q dq."""
    return np.asarray(np.linalg.solve(np.eye(len(own)) - own, change))


def compute_stiffness_by(system: System, at: Point, places: Sequence[int]) -> Floats:
    """∂r/∂q by some places, which may be inputs.   (n, places)"""
    found = np.zeros((system.n + len(system.frozen), len(places)))
    column = {place: i for i, place in enumerate(places)}
    for term in system.terms:
        if not np.isin(term.coordinates, places).any():
            continue
        for _, _, i, j, values in _tangent_entries(system, term, at, derive_stiffness(term.kernel)):
            for row, place, value in zip(
                term.coordinates[:, i].tolist(), term.coordinates[:, j].tolist(), values, strict=True
            ):
                if place in column:
                    found[row, column[place]] += value
    return found[: system.n]


def compute_shares(
    system: System, at: Point, q: Complexes, u: Complexes
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Quadratic forms by instance: uᴴ M u and Re qᴴ (∂r/∂q) q of changes q, u: (n, k) complex  →  (k,) by name."""
    inertia: dict[str, Floats] = {}
    stiffness: dict[str, Floats] = {}
    still = np.zeros((len(system.frozen), q.shape[1]))
    moving = np.where(system.mechanical[:, None], u, 0.0)  # first-order states have no inertia
    full_q, full_u = np.concatenate([q, still]), np.concatenate([moving, still])
    for term in system.terms:
        _add_mass(system, term, at, full_u, inertia)
        total = np.zeros((term.count, q.shape[1]))
        for _, _, i, j, values in _tangent_entries(system, term, at, derive_stiffness(term.kernel)):
            total += values[:, None] * _product(full_q, term, i, j)
        _gather(term, total, stiffness)
    return inertia, stiffness


def _add_mass(system: System, term: Term, at: Point, full_u: Complexes, found: dict[str, Floats]) -> None:
    total = np.zeros((term.count, full_u.shape[1]))
    for kind, values, i, j in compute_entries(system, term, at.q, at.t, at.u):
        if kind == "H":
            total += (1 if i == j else 2) * values[:, None] * _product(full_u, term, i, j)
    _gather(term, total, found)


def _product(full: Complexes, term: Term, i: int, j: int) -> Floats:
    product: Floats = np.real(np.conj(full[term.coordinates[:, i]]) * full[term.coordinates[:, j]])
    return product


def _gather(term: Term, total: Floats, found: dict[str, Floats]) -> None:
    for name, row in zip(term.names, total, strict=True):
        if np.any(row):
            found[name] = found.get(name, 0.0) + row


def compute_along_parameters(
    system: System, at: Point, rates: Sequence[Floats]
) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
    """The change of r and of g, ġ, g̈ when the parameters of each term change by `rates`: (instances, parameters)."""
    r = np.zeros(system.n + len(system.frozen))
    levels = {name: np.zeros(system.m) for name in ("g", "g1", "g2")}
    for term, rate in zip(system.terms, rates, strict=True):
        if not np.any(rate):
            continue
        tangent = derive_by_parameters(term.kernel)
        found = Local(system, at.q, at.u, at.a, at.lam, at.t).run(term, tangent.program)["F"]
        for (what, _, i, j), values in zip(tangent.entries, found, strict=True):
            change = np.broadcast_to(values, term.count) * rate[:, j]
            if what == "r":
                np.add.at(r, term.coordinates[:, i], change)
            else:
                levels[what][term.rows[:, i]] += change
    return r[: system.n], (levels["g"], levels["g1"], levels["g2"])


def _tangent_entries(
    system: System, term: Term, at: Point, tangent: Tangent
) -> Iterator[tuple[str, str, int, int, Floats]]:
    found = Local(system, at.q, at.u, at.a, at.lam, at.t).run(term, tangent.program)["F"]
    for (what, by, i, j), values in zip(tangent.entries, found, strict=True):
        yield what, by, i, j, np.broadcast_to(values, term.count)
