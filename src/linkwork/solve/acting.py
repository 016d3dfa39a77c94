"""What happens at events during a run: a state and what crossed zero in, what is after it out.

Speeds and states jump, constraints go on and off, barriers are struck, hold and let go. A barrier at which something
comes to rest in ever smaller bounces is closed as soon as they are smaller than rounding; when the last one would have
ended follows from the geometric series they make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, vstack

from linkwork.arrays import Bools, Floats, Ints
from linkwork.equations import System, Watch
from linkwork.equations.acts import Act, Barrier, Grip
from linkwork.errors import SolveError
from linkwork.native import Side
from linkwork.native.numbers import (
    compute_constraints,
    compute_energy,
    compute_levels,
    compute_matrices,
    compute_watch,
)
from linkwork.results import Occurrence, Store
from linkwork.solve.gripping import read_hold, settle_grips
from linkwork.solve.impacts import change_speeds, find_place, find_pressed, measure_rows, strike

TOUCH = 1e-8  # of its size: a gap that counts as closed
PASSED = 1e-6  # of its size: a gap that should not be there
REST = 1e-14  # of the size: bounces lower than this are none
SLOW = 1e-10  # of the fastest it has been: a grip that stands still
CHAIN = 100  # events that set off each other at one time
SMALL = 1e-9  # of a jump: what is on the border is not across it
LOOKS = 17  # at the push of a barrier in a step
LIFTED = 1e-9  # of the largest push: a pull that counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What is after something happened: a state, constraints that are off, and what to tell.

    loss   of kinetic energy [J]
    """

    q: Floats
    u: Floats
    off: frozenset[int]
    told: tuple[Occurrence, ...] = ()
    loss: float = 0.0
    stop: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A barrier that nothing presses on any more, or a grip that slips (and which way): when, and in which step."""

    barrier: Barrier | Grip
    step: int
    t: float
    way: float = 0.0


class Acting:
    """The events that act and the barriers of a system, during a run."""

    def __init__(self, system: System) -> None:
        self.system, self.off = system, system.off
        self.slipping: dict[str, float] = {}  # grips that have just been overcome, and which way they slide,
        self.halted: set[int] = set()  # the watches of those that have just stopped,
        self.ways: dict[str, float] = {}  # which way they all slide,
        self.fastest: dict[str, float] = {}  # and how fast they have been
        self.rows = np.array([b.row for b in system.barriers], dtype=np.int64)
        self.by_watch = {b.watch: i for i, b in enumerate(system.barriers)}
        self.grips = {g.watch: g for g in system.grips}

    @property
    def sides(self) -> list[Side]:
        """What is known of watched values when a machine begins: those of barriers that are off are not negative."""
        found = [Side() for _ in self.system.watches]
        for barrier in self.system.barriers:
            if barrier.row in self.off:
                found[barrier.watch] = Side(True, None, True)
        for grip in self.system.grips:
            if way := self.ways.get(grip.name, 0.0):
                found[grip.watch] = Side(way > 0, None, way > 0)
        return found

    # -- when something happens -----------------------------------------------------------------------------------

    def begin(self, t: float, q: Floats, u: Floats) -> Aftermath:
        """The start: barriers that are touched hold if they are pressed on, and are struck if they are run into."""
        gaps, u = self._gaps(t, q), u[: self.system.n]
        for barrier, gap in zip(self.system.barriers, gaps, strict=True):
            if gap < -PASSED:
                words = f"stop '{barrier.name}' is passed at the start: its gap is negative"
                raise SolveError(f"{words}. Change the initial positions, or the sign of the gap")
        return self._settle(t, q, u, gaps <= TOUCH, [])

    def resume(self, q: Floats, u: Floats, off: frozenset[int]) -> Aftermath:
        """A state in the middle of a motion, in which these constraints do not hold: all stays as it is."""
        held = dict(zip(self.system.inputs, self.system.inputs_in(q).tolist(), strict=True))
        self.off, self.ways = off, {grip.name: held[grip.sliding] for grip in self.system.grips}
        return Aftermath(q=q, u=u[: self.system.n], off=off)

    def react(self, watches: Sequence[int], t: float, q: Floats, u: Floats) -> Aftermath:
        """What events, by their watches, and barriers do at a state, and what they set off at the same time."""
        after = self._react(watches, t, q, u)
        for _ in range(CHAIN):
            jumped = set_off(self.system, t, (q, u), (after.q, after.u))
            more = [i for i in jumped if i not in self.by_watch and i not in self.grips]
            if not more:
                return after
            q, u, before = after.q, after.u, after
            after = self._react(more, t, q, u)
            after = replace(
                after, told=before.told + after.told, loss=before.loss + after.loss, stop=before.stop or after.stop
            )
        name = self.system.watches[more[0]].name
        raise SolveError(f"event '{name}' happens again and again at t = {t:.9g}. Let it change what sets it off")

    def _react(self, watches: Sequence[int], t: float, q: Floats, u: Floats) -> Aftermath:
        acts = [(self.system.watches[w].name, self.system.acts[w]) for w in watches if w in self.system.acts]
        stops = [self.system.watches[w].name for w in watches if self._ends(w)]
        told = [Occurrence(name=self.system.watches[w].name, t=t) for w in watches if w not in self.grips]
        u = u[: self.system.n]
        energy = self._kinetic(t, q, u)
        values = [self._evaluate(act, t, q, u) for _, act in acts]
        self._check_agreement(acts, values)
        for (name, act), found in zip(acts, values, strict=True):
            q, u = self._apply(name, act, found, t, q, u)
        jumped = energy - self._kinetic(t, q, u)
        self.halted = {w for w in watches if w in self.grips}
        struck = np.isin(np.arange(len(self.rows)), [self.by_watch[w] for w in watches if w in self.by_watch])
        after = self._settle(t, q, u, struck | (self._gaps(t, q) <= TOUCH), told)
        self.halted = set()
        return replace(after, loss=jumped + after.loss, stop=stops[0] if stops else "")

    def release(self, release: Release, q: Floats, u: Floats) -> Aftermath:
        """A barrier lets go, or a grip slips."""
        row = release.barrier.row
        if isinstance(release.barrier, Grip):
            self.slipping = {release.barrier.name: release.way}
            after = self._settle(release.t, q, u[: self.system.n], self._gaps(release.t, q) <= TOUCH, [])
            self.slipping = {}
            return after
        self.off = self.off | {row}
        told = [Occurrence(name=f"{release.barrier.name}: off", t=release.t)]
        closed = self._gaps(release.t, q) <= TOUCH
        return self._settle(release.t, q, u[: self.system.n], closed, told, free=row)

    def _ends(self, watch: int) -> bool:
        """Whether the run ends at an event."""
        act = self.system.acts.get(watch)
        if act is not None or watch in self.by_watch or watch in self.grips:
            return act is not None and act.stop
        return self.system.watches[watch].stop

    def _evaluate(self, act: Act, t: float, q: Floats, u: Floats) -> dict[int, float]:
        """What an event sets, by readings: all from the state before it."""
        return {i: self._read(i, t, q, u) for _, i in (*act.speeds, *act.states, *act.inputs)}

    def _check_agreement(self, acts: Sequence[tuple[str, Act]], values: Sequence[dict[int, float]]) -> None:
        """Two events at one time must not ask for different things."""
        asked: dict[object, tuple[str, float]] = {}
        for (name, act), found in zip(acts, values, strict=True):
            targets = [(self.system.readings[target].name, i) for target, i in act.speeds]
            switches = [(f"constraint {row}", float(row in act.on)) for row in (*act.on, *act.off)]
            wanted = [*((key, found[i]) for key, i in (*targets, *act.states, *act.inputs)), *switches]
            for key, value in wanted:
                other, before = asked.setdefault(key, (name, value))
                if before != value:
                    words = f"events '{other}' and '{name}' happen at one time and contradict each other"
                    raise SolveError(f"{words}. Let them happen one after the other, or make them one event")

    def _apply(
        self, name: str, act: Act, values: dict[int, float], t: float, q: Floats, u: Floats
    ) -> tuple[Floats, Floats]:
        """Switch constraints, and change speeds, states and inputs as an event says; what holds follows."""
        self.off = (self.off - act.on) | act.off
        self._check_closed(name, act, t, q)
        if act.on or act.speeds:
            targets = np.array([self._gradient(target, t, q) for target, _ in act.speeds]).reshape(-1, len(u))
            u = self._jump(name, targets, np.array([values[i] for _, i in act.speeds]), t, q, u)
        u = u.copy()
        for coordinate, i in act.states:
            u[coordinate] = values[i]
        return self.system.with_inputs(q, {name: values[i] for name, i in act.inputs}), u

    def _jump(self, name: str, targets: Floats, wanted: Floats, t: float, q: Floats, u: Floats) -> Floats:
        """Speeds after impulses along the targets and all constraints that hold."""
        held = self._held()
        M, G = compute_matrices(self.system, q, t)
        _, rates, _ = compute_levels(self.system, q, u, np.zeros_like(u), t)
        J = vstack([csc_array(targets), G[held]], format="csc")
        after = change_speeds(M, J, u, np.concatenate([wanted, G[held] @ u - rates[held]]))
        if after is None:
            words = f"event '{name}' at t = {t:.9g} asks for speeds that the constraints do not allow"
            raise SolveError(f"{words}. Give fewer of them, or let the constraints go")
        return after

    def _settle(
        self, t: float, q: Floats, u: Floats, closed: Bools, told: list[Occurrence], free: int = -1
    ) -> Aftermath:
        """Impacts at the barriers that are closed, and which of them hold afterwards."""
        s = self.system
        touched = np.flatnonzero(closed)
        rows = self.rows[touched]
        if not len(rows):
            self.off = self.off | set(self.rows.tolist())
            return self._grip(t, Aftermath(q=q, u=u, off=self.off, told=tuple(told)))
        place = find_place(s, t, q, u, self._held(), rows)
        drift = compute_levels(s, q, u, np.zeros_like(u), t)[1][rows] - place.J @ u
        v = place.J @ u + drift
        e = np.array([self._restitution(int(i), t, q, u) for i in touched]).reshape(-1)
        # bounces that would be lower than rounding are none: v²/2a
        low = (place.free < 0) & (v < 0) & ((e * v) ** 2 < 2 * np.abs(place.free) * REST * place.size)
        for k in np.flatnonzero(low & (e > 0)):
            rest = t + 2.0 * e[k] * abs(v[k]) / (abs(place.free[k]) * (1.0 - e[k])) if e[k] < 1 else t
            told.append(Occurrence(name=f"{s.barriers[touched[k]].name}: rest", t=float(rest)))
        before = self._kinetic(t, q, u)
        after, _ = strike(place, u, drift, np.where(low, 0.0, e))
        pressed = find_pressed(place, after, drift, rows != free)
        self.off = (self.off | set(self.rows.tolist())) - set(rows[pressed].tolist())
        lost = before - self._kinetic(t, q, after)
        return self._grip(t, Aftermath(q=q, u=after, off=self.off, told=tuple(told), loss=lost))

    def _grip(self, t: float, after: Aftermath) -> Aftermath:
        """Friction sticks or slides."""
        s = self.system
        if not s.grips:
            return after
        rows = {grip.row for grip in s.grips}
        held = np.array([i for i in range(s.m) if i not in self.off and i not in rows], dtype=np.int64)
        q, self.ways = settle_grips(s, t, after.q, after.u, held, self._moving(t, after.q, after.u))
        before, stuck = self.off, {grip.row for grip in s.grips if not self.ways[grip.name]}
        self.off = (self.off | rows) - stuck
        told = [self._tell_grip(grip, before, t) for grip in s.grips if (grip.row in before) != (grip.row in self.off)]
        return replace(after, q=q, off=self.off, told=(*after.told, *told))

    def _moving(self, t: float, q: Floats, u: Floats) -> dict[str, float]:
        """Which way each grip moves; 0: it stands still, or has just come to a stop."""
        s, found = self.system, {}
        rates = compute_levels(s, q, u, np.zeros_like(u), t)[1]
        sizes = measure_rows(s, compute_matrices(s, q, t)[1])
        for grip in s.grips:
            v = float(rates[grip.row])
            self.fastest[grip.name] = max(self.fastest.get(grip.name, 0.0), abs(v))
            rest = max(SLOW * self.fastest[grip.name], REST * float(sizes[grip.row]))
            still = grip.watch in self.halted or abs(v) <= rest
            found[grip.name] = self.slipping.get(grip.name, 0.0) or (0.0 if still else float(np.sign(v)))
        return found

    def _tell_grip(self, grip: Grip, before: frozenset[int], t: float) -> Occurrence:
        return Occurrence(name=f"{grip.name}: {'sticks' if grip.row in before else 'slips'}", t=t)

    # -- what is read ---------------------------------------------------------------------------------------------

    def _held(self) -> Ints:
        """Constraints that hold and are no barriers."""
        gone = self.off | set(self.rows.tolist()) | {grip.row for grip in self.system.grips}
        return np.array([i for i in range(self.system.m) if i not in gone], dtype=np.int64)

    def _gaps(self, t: float, q: Floats) -> Floats:
        """The gaps of barriers in their sizes; a ratchet has none."""
        g = compute_constraints(self.system, q, t)[self.rows]
        size = measure_rows(self.system, compute_matrices(self.system, q, t)[1][self.rows])
        return np.where([b.is_gap for b in self.system.barriers], g / size, 0.0)

    def _read(self, reading: int, t: float, q: Floats, u: Floats) -> float:
        return _value(self.system, self.system.readings[reading], t, q, u)

    def _gradient(self, reading: int, t: float, q: Floats) -> Floats:
        """How a reading that is linear in the speeds depends on each of them."""
        n, r = self.system.n, self.system.readings[reading]
        u = np.concatenate([np.eye(n), np.zeros((n, 1))], axis=1)  # unit speeds, and none
        Q = np.repeat(q[:, None], n + 1, axis=1)
        values = np.broadcast_to(compute_watch(self.system, r, Q, u, np.full(n + 1, t)), (n + 1,))
        return np.asarray(values[:n] - values[n])

    def _restitution(self, barrier: int, t: float, q: Floats, u: Floats) -> float:
        b = self.system.barriers[barrier]
        e = self._read(b.restitution, t, q, u)
        if not 0.0 <= e <= 1.0:
            words = f"the restitution of stop '{b.name}' is {e:g} at t = {t:.9g}"
            raise SolveError(f"{words}. It is between 0 and 1")
        return e

    def _kinetic(self, t: float, q: Floats, u: Floats) -> float:
        return float(np.sum(compute_energy(self.system, q, u, t)[0]))

    def _check_closed(self, name: str, act: Act, t: float, q: Floats) -> None:
        """Constraints that are switched on must fit where things are."""
        rows = np.array(sorted(act.on), dtype=np.int64)
        if not len(rows):
            return
        size = measure_rows(self.system, compute_matrices(self.system, q, t)[1][rows])
        g = np.abs(compute_constraints(self.system, q, t)[rows])
        if (g > PASSED * size).any():
            worst = self.system.rows[rows[int(np.argmax(g / size))]].name
            words = f"event '{name}' at t = {t:.9g} switches on what does not meet there"
            raise SolveError(f"{words}: {worst} is off by {np.max(g):.3g}. Let the event happen where it closes")

    # -- when a barrier lets go -------------------------------------------------------------------------------------

    def find_release(self, store: Store, first: int) -> Release | None:
        """The first barrier in the steps from number `first` on that would have to pull."""
        holding = [b for b in self.system.barriers if b.row not in self.off]
        steps = np.arange(first, store.count)
        sticking = [grip for grip in self.system.grips if grip.row not in self.off]
        if not (holding or sticking) or not len(steps):
            return None
        x = np.linspace(0.0, 1.0, LOOKS)
        each = np.repeat(steps, LOOKS)
        dt = (store.h[steps][:, None] * x).ravel()
        lam = store.evaluate(each, dt)[3]
        found = [self._first_pull(store, b, steps, lam[:, b.row].reshape(len(steps), LOOKS)) for b in holding]
        found += [self._first_slip(store, grip, each, dt) for grip in sticking]
        return min((r for r in found if r is not None), key=lambda r: r.t, default=None)

    def _first_slip(self, store: Store, grip: Grip, steps: Ints, dt: Floats) -> Release | None:
        """The first look at which a grip would have to hold more than it can, and where that began."""
        over = self._excess(store, grip, steps, dt)[0] > 0.0
        if not over.any():
            return None
        i = int(np.argmax(over))
        step, high = steps[i : i + 1], float(dt[i])
        low = float(dt[i - 1]) if i and steps[i - 1] == steps[i] else 0.0
        while low < (middle := 0.5 * (low + high)) < high:
            slips = self._excess(store, grip, step, np.array([middle]))[0][0] > 0.0
            low, high = (low, middle) if slips else (middle, high)
        way = float(np.sign(self._excess(store, grip, step, np.array([high]))[1][0]))
        return Release(barrier=grip, step=int(step[0]), t=float(store.t[step[0]]) + high, way=way)

    def _excess(self, store: Store, grip: Grip, steps: Ints, dt: Floats) -> tuple[Floats, Floats]:
        """By how much the force of a grip exceeds what it can hold, and its multiplier, at some times."""
        q, u, _, lam = store.evaluate(steps, dt)
        force = lam[:, grip.row]
        return np.abs(force) - read_hold(self.system, grip, store.t[steps] + dt, q, u), force

    def _first_pull(self, store: Store, barrier: Barrier, steps: Ints, lam: Floats) -> Release | None:
        # the force along the gap is −λ
        pulls = lam > LIFTED * float(np.max(np.abs(lam), initial=0.0))
        if not pulls.any():
            return None
        k = int(np.argmax(pulls.any(axis=1)))
        i, h = int(np.argmax(pulls[k])), float(store.h[steps[k]])
        low, high = max(0, i - 1) * h / (LOOKS - 1), i * h / (LOOKS - 1)
        for _ in range(80):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            value = store.evaluate(steps[k : k + 1], np.array([middle]))[3][0, barrier.row]
            low, high = (low, middle) if value > 0.0 else (middle, high)
        return Release(barrier=barrier, step=int(steps[k]), t=float(store.t[steps[k]]) + high)


def set_off(system: System, t: float, before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> list[int]:
    """The watches whose values go through zero, in a direction that counts, from one state to another."""
    found = []
    for i, watch in enumerate(system.watches):
        one, two = (_value(system, watch, t, *state) for state in (before, after))
        rises = one < 0.0 <= two and one < -SMALL * abs(two)
        falls = two < 0.0 <= one and two < -SMALL * abs(one)
        if (rises and watch.direction >= 0) or (falls and watch.direction <= 0):
            found.append(i)
    return found


def _value(system: System, watch: Watch, t: float, q: Floats, u: Floats) -> float:
    return float(np.ravel(compute_watch(system, watch, q[:, None], u[:, None], np.array([t])))[0])
