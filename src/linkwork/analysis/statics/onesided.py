"""Equilibria with constraints that only push: stops, rigid contacts and ratchets. Which of them hold is found as well.

    r + Gᵀλ − Jᵀp = 0,   g = 0,   gaps ≥ 0,   p ≥ 0,   p · gaps = 0

Those that are pressed hold as constraints do while the search goes downhill; one that is met on the way holds from
there on, and where the forces balance those let go that would have to pull. A ratchet has no gap: each step begins
where it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.sparse import diags_array

from linkwork.analysis.statics.equilibrium import PUSHES, Here, Search
from linkwork.analysis.statics.rest import find_rest
from linkwork.analysis.statics.sampled import find_sampled_rest
from linkwork.analysis.statics.setting import Setting, hold_inputs
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.numbers import compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.saddle import Saddle
from linkwork.native.tangents import Point, compute_stiffness
from linkwork.solve.acting import PASSED, TOUCH
from linkwork.solve.complementarity import solve_pushing
from linkwork.solve.constraints import Constraints
from linkwork.solve.impacts import measure_rows

ROUNDS = 200  # changes of what holds, downhill,
TURNS = 12  # and where states need not go downhill
BALANCED = 1e-9  # of the largest forces: what may be left
PRESSED = 1e-12  # of the largest force: with less than this nothing is pressed
CLOSED = 1e-9  # of its size: a gap that counts as closed,
MET = 1e-12  # and one that is not passed
ROOM = 0.01  # of a push away from an unstable equilibrium
NONE = "no equilibrium was found in which stops push and do not pull. Begin elsewhere"
LOOKS, HALVINGS = (0.25, 0.5, 0.75, 1.0), 60  # along a step

Off = frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """A stop, contact or ratchet that is pressed in equilibrium, and its force [N, Nm]."""

    name: str
    force: float


class Sides:
    """The barriers of a system at places: gaps, and what pushes."""

    def __init__(self, whole: System, t: float, off: Off) -> None:
        self.whole, self.t = whole, t
        self.rows = np.array([b.row for b in whole.barriers], dtype=np.int64)
        self.base = off - frozenset(self.rows.tolist())  # other constraints that do not hold
        self.gaps = np.array([b.row for b in whole.barriers if b.is_gap], dtype=np.int64)
        self.ratchets = np.array([b.row for b in whole.barriers if not b.is_gap], dtype=np.int64)
        self.constraints = Constraints(whole, t, self.gaps)
        self.unit: float | None = None

    def off(self, holding: Iterable[int]) -> Off:
        """What does not hold, if of the barriers these do."""
        return self.base | (frozenset(self.rows.tolist()) - frozenset(holding))

    def measure_gaps(self, q: Floats) -> Floats:
        """Gaps in their sizes, in the order of `gaps`."""
        sizes = np.maximum(self.constraints.row_sizes(q[:, None])[:, 0], 1e-300)
        return np.asarray(self.constraints.values(q[:, None])[:, 0] / sizes)

    def find_closed(self, q: Floats, within: float = CLOSED) -> list[int]:
        """The rows of barriers that are closed; a ratchet always is."""
        closed = self.gaps[self.measure_gaps(q) <= within] if len(self.gaps) else self.gaps
        return [*closed.tolist(), *self.ratchets.tolist()]

    def find_passed(self, q: Floats) -> list[int]:
        """The rows of barriers that are passed."""
        return self.gaps[self.measure_gaps(q) < -CLOSED].tolist() if len(self.gaps) else []

    def check_open(self, q: Floats) -> None:
        """Refuse a place beyond a stop."""
        if len(self.gaps) and np.min(gaps := self.measure_gaps(q)) < -PASSED:
            name = self.name(int(self.gaps[int(np.argmin(gaps))]))
            words = f"{name} is passed at the start: its gap is negative"
            raise SolveError(f"{words}. Change the initial positions, or the sign of the gap")

    def name(self, row: int) -> str:
        """A barrier in words."""
        return str(self.whole.rows[row].owner)

    def press(self, q: Floats, states: Floats, closed: Sequence[int]) -> tuple[dict[int, float], bool]:
        """Which closed barriers push, by rows, and how much; whether all is in balance then."""
        whole, rows = self.whole, np.array(sorted(closed), dtype=np.int64)
        held = [i for i in range(whole.m) if i not in self.base and i not in self.rows]
        at, none = settle_calls(whole, self.t, q, states), np.zeros(whole.m)
        r = compute_residual(whole, at, states, np.zeros(whole.n), none, self.t) * whole.mechanical
        G = compute_matrices(whole, q, self.t)[1].tocsr()
        J = G[rows].toarray()
        D = diags_array(1.0 / whole.scales**2)
        saddle = Saddle(D, G[held], "positions", soft=True)
        x, X = saddle.solve(-r)[0], saddle.solve(J.T.copy())[0]
        p = solve_pushing(J @ X, J @ x) if len(rows) else np.zeros(0)
        sizes = measure_rows(whole, G[rows]) if len(rows) else np.zeros(0)
        most = self._find_unit(q, states, r)
        left = np.max(np.abs((x + X @ p) / whole.scales), initial=0.0)
        pushing = {int(row): float(p[k]) for k, row in enumerate(rows) if p[k] * sizes[k] > PRESSED * most}
        return pushing, bool(left <= BALANCED * most)

    def _find_unit(self, q: Floats, states: Floats, r: Floats) -> float:
        """The size of forces: of those that are left, and of what full changes in place or in a second would take."""
        if self.unit is None:
            at, none = settle_calls(self.whole, self.t, q, states), np.zeros(self.whole.m)
            K = compute_stiffness(self.whole, Point(t=self.t, q=at, u=states, a=np.zeros(self.whole.n), lam=none))
            scales = self.whole.scales * self.whole.mechanical
            masses = compute_matrices(self.whole, q, self.t)[0].diagonal() * scales**2
            stiff = np.abs(((K * scales[None, :]).T * scales[None, :]).data)
            self.unit = float(np.max(np.concatenate([stiff, masses]), initial=0.0))
        return max(self.unit, float(np.max(np.abs(r) * self.whole.scales, initial=0.0)), 1e-300)


class _Open:
    """The barriers that do not hold, as walls of a search."""

    def __init__(self, sides: Sides, holding: Iterable[int]) -> None:
        kept = frozenset(holding)
        self.sides = sides
        self.gaps = [k for k, row in enumerate(sides.gaps.tolist()) if row not in kept]
        self.ratchets = np.array([row for row in sides.ratchets.tolist() if row not in kept], dtype=np.int64)

    @property
    def one_way(self) -> bool:
        """Whether there is a ratchet among them."""
        return bool(len(self.ratchets))

    def find_room(self, along: Callable[[float], Floats]) -> tuple[int | None, float]:
        """Which barrier a way from 0 to 1 meets first, and how far it leads until then."""
        begin, end = along(0.0), along(1.0)
        turned = self._find_turned(begin, end)
        if turned is not None:
            return turned, 0.0
        low = 0.0
        for high in LOOKS if self.gaps else ():
            if np.min(self._gaps(along(high))) < -MET:
                return self._find_first(along, low, high)
            low = high
        return None, 1.0

    def _gaps(self, q: Floats) -> Floats:
        return self.sides.measure_gaps(q)[self.gaps]

    def _find_turned(self, begin: Floats, end: Floats) -> int | None:
        """A ratchet that a step would turn back."""
        if not len(self.ratchets):
            return None
        G = compute_matrices(self.sides.whole, begin, self.sides.t)[1].tocsr()[self.ratchets]
        turns = (G @ (end - begin)) / measure_rows(self.sides.whole, G)
        worst = int(np.argmin(turns))
        return int(self.ratchets[worst]) if turns[worst] < -MET else None

    def _find_first(self, along: Callable[[float], Floats], low: float, high: float) -> tuple[int, float]:
        """Where the first gap closes, by bisection from the open side."""
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if np.min(self._gaps(along(middle))) < -MET:
                high = middle
            else:
                low = middle
            if high - low <= 1e-12:
                break
        worst = int(np.argmin(self._gaps(along(high))))
        return int(self.sides.gaps[self.gaps[worst]]), low


@dataclass(frozen=True, slots=True, kw_only=True)
class Sided:
    """A place at rest: states as speeds, what does not hold, what controllers hold, whether the forces balance."""

    q: Floats
    u: Floats
    off: Off
    balanced: bool = True
    held: Mapping[str, float] = field(default_factory=dict)


def find_open(whole: System, off: Off, t: float, q: Floats, u: Floats) -> Off:
    """What does not hold at a place at rest: `off`, and barriers that nothing presses on; a passed one is refused."""
    sides = Sides(whole, t, off)
    sides.check_open(q)
    return sides.off(sides.press(q, u, sides.find_closed(q, TOUCH))[0])


def find_sided_rest(setting: Setting, q: Floats, u: Floats, pause: bool = False) -> Sided:
    """The equilibrium near a place, with what only pushes.

    A barrier that is passed, since it has moved, is met at once. With `pause` it ends where one is met on the way,
    where forces do not balance yet.
    """
    sides = Sides(setting.system, setting.t, setting.off)
    pressed = sides.press(q, u, sides.find_closed(q, TOUCH))[0]
    holding = frozenset(pressed) | frozenset(sides.find_passed(q))
    if setting.has_states:
        return _settle_states(setting, sides, holding, q, u)
    return _descend(sides, holding, q, u, pause)


def _descend(sides: Sides, holding: Off, q: Floats, u: Floats, pause: bool) -> Sided:
    """Downhill, from change to change of what holds."""
    pushes = 0
    for _ in range(ROUNDS):
        check_time("the search for an equilibrium")
        search = Search(sides.whole.restricted(sides.off(holding)), sides.t, q, u, walls := _Open(sides, holding))
        here = search.descend(search.at(search.closing.close(q)))
        q = here.q
        if here.met is not None:
            holding |= {here.met}
            if pause:
                return Sided(q=q, u=u, off=sides.off(holding), balanced=False)
            continue
        pushing, balanced = sides.press(q, u, sorted({*sides.find_closed(q), *holding}))
        if not balanced or frozenset(pushing) != holding:
            holding = frozenset(pushing)
            continue
        push = _leave(search, walls, here) if pushes < PUSHES else None
        if push is None:
            return Sided(q=q, u=u, off=sides.off(holding))
        q, pushes = push, pushes + 1
    raise SolveError(NONE)


def _settle_states(setting: Setting, sides: Sides, holding: Off, q: Floats, u: Floats) -> Sided:
    """With states, which need not let it go downhill: Newton's method, whatever holds in one round."""
    held = dict[str, float]()
    for _ in range(TURNS):
        system = setting.system.restricted(sides.off(holding))
        if setting.mechanism.controllers:
            found, states, held = find_sampled_rest(setting.mechanism, hold_inputs(system, held), setting.t, q, u)
        else:
            found, states = find_rest(setting.mechanism, system, setting.t, q, u)
        passed = [row for row in sides.find_passed(found) if row not in holding]
        if passed:
            holding |= frozenset(passed)
            continue
        q, u = found, states
        now = Sides(hold_inputs(setting.system, held), setting.t, setting.off)
        pushing, balanced = now.press(q, u, sorted({*now.find_closed(q), *holding}))
        if balanced and frozenset(pushing) == holding:
            return Sided(q=q, u=u, off=sides.off(holding), held=held)
        holding = frozenset(pushing)
    raise SolveError(NONE)


def agrees(setting: Setting, off: Off, q: Floats, u: Floats) -> Off | None:
    """What does not hold in an equilibrium without some constraints; None if it passes barriers or they would pull."""
    sides = Sides(setting.system, setting.t, setting.off)
    holding = [row for row in sides.rows.tolist() if row not in off]
    if sides.find_passed(q):
        return None
    pushing, balanced = sides.press(q, u, sorted({*sides.find_closed(q), *holding}))
    return sides.off(pushing) if balanced else None


def _leave(search: Search, walls: _Open, here: Here) -> Floats | None:
    """A place beside an unstable equilibrium, on the side that barriers leave; None if it is stable."""
    push = search.downhill(here)
    if push is None:
        return None
    for way in (push, -push):
        met, room = walls.find_room(partial(_go, search, here, way))
        if met is None or room > ROOM:
            return _go(search, here, way, 0.99 * room)
    return None


def _go(search: Search, here: Here, way: Floats, x: float) -> Floats:
    """A part of a way from a place."""
    return search.closing.close(here.q + x * way)


def find_pushes(whole: System, off: Off, t: float, q: Floats, states: Floats) -> tuple[Push, ...]:
    """The barriers that are pressed in equilibrium, and by how much."""
    if not whole.barriers:
        return ()
    sides = Sides(whole, t, off)
    holding = [row for row in sides.rows.tolist() if row not in off]
    pushing, _ = sides.press(q, states, holding)
    return tuple(Push(name=str(whole.rows[row].owner.name), force=force) for row, force in pushing.items())
