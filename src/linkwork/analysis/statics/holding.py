"""Friction that sticks in equilibrium: a place in, the forces that hold it out, and how much of their limits they use.

With N, the directions that all other constraints leave free, the forces λ of friction have to hold what is left there:

    Nᵀ (r + Gᵀλ) = 0,   |λᵢ| ≤ hᵢ

Where that has many solutions, the one is told that uses the smallest share of the limits. What friction cannot hold
slides the way it is pulled, against the force of sliding, until it balances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import block_diag
from scipy.optimize import linprog

from linkwork.analysis.statics.equilibrium import CLOSED
from linkwork.analysis.statics.onesided import find_open, find_sided_rest
from linkwork.analysis.statics.setting import Setting, close_values, hold_inputs
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.errors import SolveError
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.rank import solve_columns, split
from linkwork.solve.gripping import read_hold

LOOSE = 1e-9  # of the largest force: what need not be held
CHANGES, FICKLE = 60, 2  # of what holds; of one friction that holds now and not then
ROUNDS, AGREED = 60, 1e-12  # of places and forces that depend on each other, in scales
EDGE = 1e-9  # of a limit: what rounding makes of it
LEAD = 1e-9  # of a speed: the lead of a friction of two speeds that slides with it
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


def find_holds(whole: System, off: frozenset[int], t: float, q: Floats, u: Floats) -> tuple[Hold, ...]:
    """What frictions hold at a place, with the least shares of their limits; `off` are constraints that do not hold.

    Raises SolveError if something moves that no friction holds.
    """
    grips = [grip for grip in whole.grips if not off.issuperset(grip.rows)]
    if not grips:
        return ()
    gripping = [row for grip in grips for row in grip.rows]
    held = [i for i in range(whole.m) if i not in off and i not in gripping]
    at = settle_calls(whole, t, q, u)
    r = compute_residual(whole, at, u, np.zeros_like(u), np.zeros(whole.m), t)
    scales = whole.scales * whole.mechanical
    G = compute_matrices(whole, q, t)[1].toarray() * scales
    N = split(G[held]).right if held else np.eye(whole.n)
    A, b = (G[gripping] @ N).T, -(N.T @ (r * scales))
    size = np.max(np.linalg.norm(G[gripping], axis=1), initial=0.0)  # what constraints leave of a speed may be nothing
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rested:
    """An equilibrium: places, states as speeds, what does not hold there, what frictions and controllers hold."""

    q: Floats
    u: Floats
    off: frozenset[int]
    holds: tuple[Hold, ...] = ()
    held: Mapping[str, float] = field(default_factory=dict)


class Resting:
    """The search for an equilibrium near a place, in which frictions stick as far as they hold and stops only push."""

    def __init__(self, setting: Setting, q: Floats, u: Floats) -> None:
        self.setting, self.t, self.q, self.u = setting, setting.t, q, u
        self.grips = {grip.name: grip for grip in setting.system.grips}
        self.driven = self._find_driven()
        self.whole = hold_inputs(setting.system, dict.fromkeys(self._sliding({}), 0.0) | self.driven)
        self.gripping = frozenset(row for grip in self.grips.values() for row in grip.rows)
        self.off = find_open(self.whole, setting.off, self.t, q, u)
        self.ways, self.leads = dict.fromkeys(self.grips, 0.0), dict[str, float]()
        self.ways |= {
            name: self.driven[grip.sliding] for name, grip in self.grips.items() if grip.sliding in self.driven
        }
        self.held = dict[str, float]()

    def _sliding(self, ways: Mapping[str, float]) -> dict[str, float]:
        """The inputs that tell which way frictions slide."""
        return {grip.sliding: ways.get(name, 0.0) for name, grip in self.grips.items()}

    def _find_driven(self) -> dict[str, float]:
        """Inputs of frictions on what moves by itself, as a belt: they slide where all else rests."""
        whole, found = self.setting.system, dict[str, float]()
        rates = compute_levels(whole, self.q, self.u, np.zeros_like(self.u), self.t)[1] if self.grips else np.zeros(0)
        for grip in self.grips.values():
            v = rates[list(grip.rows)]
            if not np.linalg.norm(v) > CLOSED:
                continue
            found[grip.sliding] = 1.0 if grip.leads else float(np.sign(v[0]))
            found |= dict(zip(grip.leads, (LEAD * v).tolist(), strict=False))
        return found

    def run(self, slide: bool) -> Rested:
        """What is found; with `slide` friction lets go of what it cannot hold."""
        loose, turned = self._find_loose(), Counter[str]()
        for _ in range(CHANGES):
            # what holds nothing where it sticks and something where it does not is left to slide without a force
            free = {name for name, times in turned.items() if times > FICKLE}
            before = self._find_loose() | free
            if not self._descend(before):
                continue
            now = self._find_loose()
            if changed := (now ^ before) - free:
                turned.update(changed)
                continue
            rows = {row for name in self._free(now) for row in self.grips[name].rows}
            held = self.off | rows
            holds = find_holds(close_values(self.whole, held, self.t, self.q, self.u), held, self.t, self.q, self.u)
            over = [hold for hold in holds if hold.share > 1.0 + EDGE and not self.ways[hold.name]]
            if not over:
                return Rested(q=self.q, u=self.u, off=held, holds=holds, held=self.held | self.driven)
            if not slide:
                check_holds([hold for hold in holds if hold.name not in loose])
            self._let_go(max(over, key=lambda hold: hold.share))
        raise SolveError("no equilibrium was found in which frictions agree with what they have to hold")

    def _free(self, loose: frozenset[str]) -> frozenset[str]:
        """Frictions that do not stick: those that can hold nothing, and those that are driven."""
        return loose | {name for name, grip in self.grips.items() if grip.sliding in self.driven}

    def _find_loose(self) -> frozenset[str]:
        """Frictions that can hold nothing, as in contacts that are open."""
        if not self.grips:
            return frozenset()
        whole = close_values(self.whole, self.off, self.t, self.q, self.u)
        return frozenset(name for name, grip in self.grips.items() if not _limit(whole, grip, self.t, self.q))

    def _descend(self, loose: frozenset[str]) -> bool:
        """Downhill, where laws name forces of constraints again until these agree; whether it came to an end."""
        whole = hold_inputs(self.whole, self._sliding(self.ways) | self.leads)
        gone = {row for name, grip in self.grips.items() if self.ways[name] or name in loose for row in grip.rows}
        base = self.setting.off | gone
        for _ in range(ROUNDS):
            last, now = self.q, close_values(whole, self.off | gone, self.t, self.q, self.u)
            found = find_sided_rest(replace(self.setting, system=now, off=base), self.q, self.u, pause=bool(loose))
            self.q, self.u, self.off, self.held = found.q, found.u, found.off - self.gripping, dict(found.held)
            self.whole = hold_inputs(self.whole, self.held)
            far = np.max(np.abs(self.q - last) / whole.scales, initial=0.0)
            if not found.balanced:
                return False
            if not whole.algebra or far <= AGREED:
                return True
        raise SolveError("no equilibrium was found in which friction agrees with the forces that it depends on")

    def _let_go(self, worst: Hold) -> None:
        """A friction slides: it pushes back against the way it would slide."""
        grip = self.grips[worst.name]
        self.ways[worst.name] = 1.0 if grip.leads else -float(np.sign(worst.force))
        self.leads |= {name: -x / worst.force for name, x in zip(grip.leads, worst.components, strict=False)}
