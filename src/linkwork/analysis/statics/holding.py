"""Friction that sticks in equilibrium: a place in, the forces that hold it out, and how much of their limits they use.

With N, the directions that all other constraints leave free, the forces λ of friction have to hold what is left there:

    Nᵀ (r + Gᵀλ) = 0,   |λᵢ| ≤ hᵢ

Where that has many solutions, the one is told that uses the smallest share of the limits. What friction cannot hold
slides the way it is pulled, against the force of sliding, until it balances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import linprog

from linkwork.analysis.statics.equilibrium import find_equilibrium
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.errors import SolveError
from linkwork.native.loops import close_loops
from linkwork.native.numbers import compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.rank import solve_columns, split
from linkwork.solve.gripping import read_hold

LOOSE = 1e-9  # of the largest force: what need not be held
ROUNDS, AGREED = 60, 1e-12  # of places and forces that depend on each other, in scales
EDGE = 1e-9  # of a limit: what rounding makes of it
MANY = 32  # directions that stand for all, where forces of two components are shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """What a friction holds [N, Nm], and the most it can; of two speeds the size of its components."""

    name: str
    force: float
    limit: float
    components: tuple[float, ...]

    @property
    def share(self) -> float:
        """How much of its limit is used: more than 1 is too much."""
        return abs(self.force) / self.limit if self.limit else float("inf") if self.force else 0.0


def hold_inputs(system: System, values: dict[str, float]) -> System:
    """The same with other values of inputs."""
    frozen, first = system.frozen.copy(), system.n
    for name, value in values.items():
        frozen[system.inputs[name] - first] = value
    return replace(system, frozen=frozen)


def find_holds(whole: System, off: frozenset[int], t: float, q: Floats) -> tuple[Hold, ...]:
    """What frictions hold at a place, with the least shares of their limits; `off` are other constraints that are not.

    Raises SolveError if something moves that no friction holds.
    """
    grips = whole.grips
    gripping = [row for grip in grips for row in grip.rows]
    held = [i for i in range(whole.m) if i not in off and i not in gripping]
    at = settle_calls(whole, t, q, np.zeros_like(q))
    r = compute_residual(whole, at, np.zeros_like(q), np.zeros_like(q), np.zeros(whole.m), t)
    scales = whole.scales * whole.mechanical
    G = compute_matrices(whole, q, t)[1].toarray() * scales
    N = split(G[held]).right if held else np.eye(whole.n)
    A, b = (G[gripping] @ N).T, -(N.T @ (r * scales))
    size = np.max(np.linalg.norm(A, axis=0), initial=0.0)
    found = solve_columns(A[None], b[None], np.array([size]))[0][0]
    left = float(np.max(np.abs(A @ found - b), initial=0.0))
    if left > LOOSE * max(float(np.max(np.abs(r * scales), initial=0.0)), 1e-300):
        raise SolveError("the forces do not balance here, and friction does not hold what moves")
    limits = [_limit(whole, grip, t, q) for grip in grips]
    forces = np.split(_share(A, found, [len(grip.rows) for grip in grips], np.array(limits)), _ends(grips))
    return tuple(_hold(grip, -x, limit) for grip, x, limit in zip(grips, forces, limits, strict=True))


def _ends(grips: Sequence[Grip]) -> list[int]:
    return np.cumsum([len(grip.rows) for grip in grips[:-1]], dtype=np.int64).tolist() if grips else []


def _hold(grip: Grip, force: Floats, limit: float) -> Hold:
    size = float(force[0]) if len(force) == 1 else float(np.linalg.norm(force))
    return Hold(name=grip.name, force=size, limit=limit, components=tuple(force.tolist()))


def _limit(system: System, grip: Grip, t: float, q: Floats) -> float:
    hold = float(read_hold(system, grip, np.array([t]), q[None], np.zeros_like(q)[None])[0])
    if not hold >= 0.0:
        raise SolveError(f"friction '{grip.name}' holds {hold:g}. Its limit and hold are forces that are not negative")
    return hold


def _share(A: Floats, found: Floats, sizes: Sequence[int], limits: Floats) -> Floats:
    """Of all forces with the same effect those whose largest share of a limit is least: λ = λ₀ + Z y, min s."""
    Z = split(A).right if A.size else np.eye(len(found))
    k = Z.shape[1]
    if k == 0 or not len(found):
        return found
    size = float(np.max(np.abs(found), initial=0.0)) or 1.0
    # C (λ₀ + Z y) ≤ s h: in both directions or, of two components, in many
    C = block_diag(*(_directions(n) for n in sizes))
    bounds = np.repeat(np.maximum(limits, 1e-12 * size), [len(_directions(n)) for n in sizes])[:, None]
    solved = linprog([*np.zeros(k), 1.0], A_ub=np.hstack([C @ Z, -bounds]), b_ub=-C @ found, bounds=(None, None))
    return found if solved.x is None else np.asarray(found + Z @ solved.x[:k])


def _directions(size: int) -> Floats:
    if size == 1:
        return np.array([[1.0], [-1.0]])
    angle = 2 * np.pi * np.arange(MANY) / MANY
    return np.column_stack([np.cos(angle), np.sin(angle)])


def check_holds(holds: Sequence[Hold]) -> None:
    """Refuse what friction cannot hold, in words."""
    over = [hold for hold in holds if hold.share > 1.0 + EDGE]
    if not over:
        return
    told = ", ".join(
        f"'{h.name}' would have to hold {abs(h.force):.6g}, {abs(h.force) - h.limit:.3g} more than its {h.limit:.6g}"
        for h in over
    )
    raise SolveError(f"friction does not hold it here: {told}. Let it slide (slide=True), or begin elsewhere")


def _close(system: System, off: frozenset[int], t: float, q: Floats) -> System:
    """The same with the forces of constraints that laws and limits name, as they are at a place."""
    if not system.algebra:
        return system
    rows = np.array([i for i in range(system.m) if i not in off], dtype=np.int64)
    found = system.inputs_in(close_loops(system, t, q, np.zeros(system.n), rows).q)
    values = dict(zip(system.inputs, found.tolist(), strict=True))
    return hold_inputs(system, {value.name: values[value.name] for value in system.algebra})


def _rest(system: System, off: frozenset[int], t: float, q: Floats) -> Floats:
    """The equilibrium downhill from a place; where laws name forces of constraints, again until these agree with it."""
    for _ in range(ROUNDS):
        last, q = q, find_equilibrium(_close(system, off, t, q).restricted(off), t, q, still=False)
        if not system.algebra or np.max(np.abs(q - last) / system.scales) <= AGREED:
            return q
    raise SolveError("no equilibrium was found in which friction agrees with the forces that it depends on")


def rest_on_friction(
    whole: System, off: frozenset[int], t: float, q: Floats, slide: bool
) -> tuple[Floats, tuple[Hold, ...]]:
    """The equilibrium near a place, frictions stuck as far as they hold, and what they hold."""
    grips = {grip.name: grip for grip in whole.grips}
    ways, leads = dict.fromkeys(grips, 0.0), dict[str, float]()
    for _ in range(len(grips) + 1):
        moving = off | {row for name, grip in grips.items() if ways[name] for row in grip.rows}
        sliding = {grip.sliding: ways[name] for name, grip in grips.items()}
        q = _rest(hold_inputs(whole, sliding | leads), moving, t, q)
        still = hold_inputs(whole, {grip.sliding: 0.0 for grip in grips.values()})
        holds = find_holds(_close(still, off, t, q), off, t, q)
        over = [hold for hold in holds if hold.share > 1.0 + EDGE and not ways[hold.name]]
        if not over:
            return q, holds
        if not slide:
            check_holds(holds)
        worst = max(over, key=lambda hold: hold.share)
        # friction pushes back against the way it would slide
        grip = grips[worst.name]
        ways[worst.name] = 1.0 if grip.leads else -float(np.sign(worst.force))
        leads |= {name: -x / worst.force for name, x in zip(grip.leads, worst.components, strict=False)}
    return q, holds
