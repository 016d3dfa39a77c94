"""Algebraic values at a state: accelerations, multipliers and the values that depend on them, all at once.

    [M Gᵀ; G 0] (a, λ) = (f(w), −γ),   ρ(a, λ, w) = 0      Newton's method in w, with exact slopes

For starts, friction that sticks, and linear models; machines have their own, along a motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Never

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.interpreter import run_program
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.opaque import differentiate_value, settle_calls
from linkwork.native.saddle import Saddle
from linkwork.native.tangents import Point, compute_stiffness_by

ENOUGH, SHARE, MOST = 1e-14, 1e-3, 60  # of a value: a correction so small is the last; of the largest; corrections
FAINT = 1e-14  # of the largest acceleration or multiplier: a correction so small is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Slopes:
    """Derivatives of ρ by places (frozen ones and followers included), speeds, accelerations and multipliers.

    p are those by parameters, of each value by its own.
    """

    q: Floats
    u: Floats
    a: Floats
    lam: Floats
    p: list[Floats]


def compute_rest(system: System, at: Point) -> Floats:
    """ρ, which vanishes along a motion.   (values,)"""
    inputs = _inputs(system, at)
    found = [run_program(value.program, {**inputs, "p": value.parameters}, at.t)["v"][0] for value in system.algebra]
    return np.array([float(x) for x in found])


def compute_slopes(system: System, at: Point) -> Slopes:
    """The derivatives of ρ at a state."""
    inputs, places = _inputs(system, at), system.first_follower + len(system.followers)
    sizes = {"q": places, "u": system.n, "a": system.n, "lam": system.m}
    found = {kind: np.zeros((len(system.algebra), size)) for kind, size in sizes.items()}
    by_parameters = [np.zeros(len(value.parameters)) for value in system.algebra]
    for i, value in enumerate(system.algebra):
        program, entries = system.once(("slopes of values", i), lambda value=value: differentiate_value(value))  # type: ignore[misc]
        values = run_program(program, {**inputs, "p": value.parameters}, at.t)["F"]
        for (kind, j), x in zip(entries, values, strict=True):
            if kind == "p":
                by_parameters[i][j] = float(x)
            else:
                found["q" if kind == "e" else kind][i, j - places if kind == "lam" else j] = float(x)
    return Slopes(**found, p=by_parameters)


def _inputs(system: System, at: Point) -> dict[str, Floats]:
    places = system.extend(at.q)
    padding = np.zeros(len(places))
    return {"q": places, "e": places, "u": at.u, "a": at.a, "lam": np.concatenate([padding, at.lam])}


def close_loops(system: System, t: float, q: Floats, u: Floats, rows: Ints | None = None, strict: bool = True) -> Point:
    """The state with its accelerations and multipliers, and behind q the algebraic values.

    rows    what holds
    strict  whether to refuse where the values have no solution
    """
    rows = np.arange(system.m) if rows is None else rows
    M, G = compute_matrices(system, q, t, u)
    saddle = Saddle(M, G[rows], "accelerations", soft=True)
    zero, none = np.zeros(system.n), np.zeros(system.m)
    gamma = -compute_levels(system, q, u, zero, t)[2][rows]
    q, places = system.with_inputs(q, {}), [system.inputs[value.name] for value in system.algebra]
    behind = np.array(places, dtype=np.int64) - system.first_follower + len(q)

    def respond() -> Point:
        lam = np.zeros(system.m)
        a, lam[rows] = saddle.solve(-compute_residual(system, q, u, zero, none, t), gamma)
        return Point(t=t, q=q.copy(), u=u[: system.n], a=a, lam=lam)

    at = respond()
    for _ in range(MOST if places else 0):
        step = find_step(system, at, saddle, rows)
        q[behind] += step
        at = respond()
        size = np.abs(q[behind]) + SHARE * np.max(np.abs(q[behind]))
        if not (np.abs(step) > ENOUGH * size).any():
            return at
    # values that pass zero have no digits of their own
    found = not places or float(np.max(np.abs(step))) <= FAINT * max(
        np.max(np.abs(at.a)), np.max(np.abs(at.lam), initial=0.0)
    )
    return at if found or not strict else refuse_loop(system, t)


def find_step(system: System, at: Point, saddle: Saddle, rows: Ints) -> Floats:
    """The Newton step of the values."""
    places = [system.inputs[value.name] for value in system.algebra]
    by = compute_slopes(system, at)
    a, lam = saddle.solve(-compute_stiffness_by(system, at, places))
    D = by.q[:, places] + by.a @ a + by.lam[:, rows] @ lam
    rest = compute_rest(system, at)
    if not (np.isfinite(D).all() and np.isfinite(rest).all()):
        raise SolveError(f"a law of {name_values(system)} is not finite or has no slope at t = {at.t:.9g}")
    return np.asarray(np.linalg.lstsq(-D, rest, rcond=None)[0])


def refuse_loop(system: System, t: float) -> Never:
    """Say that the values have no solution."""
    raise SolveError(f"no values of {name_values(system)} satisfy the laws that depend on them at t = {t:.9g}")


def name_values(system: System) -> str:
    """The algebraic values by their names."""
    return ", ".join(value.name for value in system.algebra)


def settle_values(system: System, t: float, q: Floats, u: Floats, off: frozenset[int] = frozenset()) -> Floats:
    """q with the algebraic values of the state and calls of opaque functions behind it, or what is nearest to them."""
    q = settle_calls(system, t, q, u)
    if not system.algebra:
        return q
    rows = np.array([i for i in range(system.m) if i not in off], dtype=np.int64)
    return close_loops(system, t, q, u, rows, strict=False).q
