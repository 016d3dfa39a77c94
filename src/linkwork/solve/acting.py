"""What happens at events during a run: a state and what crossed zero in, what is after it out.

Speeds and states jump, constraints go on and off, barriers are struck, hold and let go. A barrier at which something
comes to rest in ever smaller bounces is closed as soon as they are smaller than rounding; when the last one would have
ended follows from the geometric series they make.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.sparse import csc_array, vstack

from linkwork.arrays import Bools, Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Act, Barrier, Grip
from linkwork.errors import SolveError
from linkwork.native import Side
from linkwork.native.instant import Instant, Instants
from linkwork.native.saddle import Saddle
from linkwork.results import Occurrence, Store
from linkwork.solve.gripping import Question, Settled, find_speeding, full, read_hold, settle
from linkwork.solve.impacts import (
    MET,
    REST,
    Place,
    change_speeds,
    find_place,
    measure_missed,
    measure_rows,
    strike,
)
from linkwork.solve.sharing import Group, find_group

TOUCH = 1e-8  # of its size: a gap that counts as closed at the start,
NEAR = 1e-12  # and on the way
PASSED = 1e-6  # of its size: a gap that should not be there
SLOW = 1e-10  # of the fastest it has been: a grip that stands still
SEEN = 30.0  # tolerances: speeds that steps resolve
AHEAD = 1e-6, 1e-5, 1e-4, 1e-3  # of a step: how far one looks to see what cannot hold
NEXT = 8.0  # leads: a grip of two speeds that stands still where the one along its lead is zero
ROUNDED = 1e-14  # of what a speed is made of: rounding
NOUGHT = 1e-3  # of what a value soon is: what is rounding of zero
CHAIN = 100  # events that set off each other at one time
SMALL = 1e-9  # of a jump: what is on the border is not across it
LOOKS = 17  # at the push of a barrier in a step
Looked = tuple[Floats, Floats, Floats]  # q, u and λ at some times of a step
CLOSER = np.array([-1e-2, -1e-4, -1e-7, -1e-11, -1e-15, 0.0, 1e-15, 1e-11, 1e-7, 1e-4, 1e-2])  # of an interval
LIFTED = 1e-9  # of the largest push: a pull that counts
EDGE = 1e-10  # of what holds: beyond it by rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """What is after something happened: a state, constraints that are off, and what to tell.

    loss   of kinetic energy [J]
    new    whether speeds jump, or something holds that did not, or no longer
    """

    at: Instant
    off: frozenset[int]
    told: tuple[Occurrence, ...] = ()
    loss: float = 0.0
    stop: str = ""
    new: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A barrier that nothing presses on any more, or grips that slip: when, and in which step.

    pulls   of these grips, the way they go
    """

    step: int
    t: float
    barrier: Barrier | None = None
    pulls: Mapping[str, Floats] = field(default_factory=dict)


class Acting:
    """The events that act and the barriers of a system, during a run."""

    def __init__(self, system: System, compiled: bool, tol: float, span: float) -> None:
        self.system, self.off = system, system.off
        self.slow = max(SLOW, SEEN * tol)  # of the fastest it has been: the lead of a grip of two speeds
        self.slowest = 1.0 / span if span > 0.0 else 1.0  # in sizes: a speed that matters in a run so long
        self.instants = Instants(system, compiled)
        self.slipping: Mapping[str, Floats] = {}  # grips that have just been overcome, and which way they go,
        self.halted: set[str] = set()  # those that have just stopped, or did not move until now,
        self.ways: dict[str, float] = {}  # which way they all slide,
        self.leads = {
            g.name: np.eye(len(g.leads))[0] for g in system.grips if g.leads
        }  # those of two speeds, where to,
        self.fastest: dict[str, float] = {}  # and how fast they have been
        self.quickest = self.slowest  # in sizes: how fast anything has been
        self.rows = np.array([b.row for b in system.barriers], dtype=np.int64)
        self.barred = frozenset(self.rows.tolist())
        self.gripping = frozenset(row for grip in system.grips for row in grip.rows)
        self.group: Group | None = None  # grips that hold together, if there are any
        self.is_gap = np.array([b.is_gap for b in system.barriers], dtype=bool)
        self.by_watch = {b.watch: i for i, b in enumerate(system.barriers)}
        self.grips = {g.watch: g for g in system.grips}

    def sides(self, known: Sequence[Side] = ()) -> list[Side]:
        """What is known of watched values when a machine begins: those of barriers that are off are not negative.

        `known` are those of events, if nothing happens to them.
        """
        found = list(known) or [Side() for _ in self.system.watches]
        for barrier in self.system.barriers:
            found[barrier.watch] = Side(True, None, True) if barrier.row in self.off else Side()
        for grip in self.system.grips:
            way = self.ways.get(grip.name, 0.0)
            found[grip.watch] = Side(way > 0, None, way > 0) if way else Side()
        return found

    # -- when something happens -----------------------------------------------------------------------------------

    def begin(self, t: float, q: Floats, u: Floats) -> Aftermath:
        """The start: barriers that are touched hold if they are pressed on, and are struck if they are run into."""
        at = self.instants.at(t, q, u)
        gaps = self._gaps(at)
        for barrier, gap in zip(self.system.barriers, gaps, strict=True):
            if gap < -PASSED:
                words = f"stop '{barrier.name}' is passed at the start: its gap is negative"
                raise SolveError(f"{words}. Change the initial positions, or the sign of the gap")
        return self._settle(at, gaps <= TOUCH, [])

    def resume(self, t: float, q: Floats, u: Floats, off: frozenset[int]) -> Aftermath:
        """A state in the middle of a motion, in which these constraints do not hold; forces may have jumped since."""
        self._adopt(q, off)
        return self.renew(t, q, u)

    def _adopt(self, q: Floats, off: frozenset[int]) -> None:
        held = dict(zip(self.system.inputs, self.system.inputs_in(q).tolist(), strict=True))
        self.off, self.ways = off, {grip.name: held[grip.sliding] for grip in self.system.grips}
        self.leads = {g.name: np.array([held[name] for name in g.leads]) for g in self.system.grips if g.leads}

    def stay(self, t: float, q: Floats, u: Floats, off: frozenset[int]) -> bool:
        """Take over a state with what holds there. False where friction rests that constraints may move on."""
        self._adopt(q, off)
        s, sticking = self.system, self.gripping - off
        at = self.instants.at(t, q, u) if sticking else None
        self.group = None if at is None else find_group(s, at, self._held(self.barred - off), s.grips, sticking)
        return all(self.ways[grip.name] or off.isdisjoint(grip.rows) for grip in s.grips)

    @property
    def holds(self) -> bool:
        """Whether there is anything that may be released."""
        return not self.off.issuperset(self.barred | self.gripping)

    def renew(self, t: float, q: Floats, u: Floats) -> Aftermath:
        """A state in which forces have jumped: what pushes, holds and rubs is decided again."""
        at, off = self.instants.at(t, q, u), self.off
        self.halted = self._stuck()
        after = self._settle(at, self._closed(at), [])
        self.halted = set()
        opened = [b for b in self.system.barriers if b.row not in off and b.row in after.off]
        told = (*after.told, *(Occurrence(name=f"{barrier.name}: off", t=t) for barrier in opened))
        return replace(after, told=told, new=after.off != off or bool(np.any(after.at.u != at.u)))

    def react(self, watches: Sequence[int], t: float, q: Floats, u: Floats) -> Aftermath:
        """What events, by their watches, and barriers do at a state, and what they set off at the same time."""
        at = self._meet(self.instants.at(t, q, u), [i for i in range(self.system.m) if i not in self.off])
        after = self._react(watches, at)
        for _ in range(CHAIN):
            jumped = set_off(self.system, at, after.at)
            more = [i for i in jumped if i not in self.by_watch and i not in self.grips]
            if not more:
                return after
            at, before = after.at, after
            after = self._react(more, at)
            after = replace(
                after, told=before.told + after.told, loss=before.loss + after.loss, stop=before.stop or after.stop
            )
        name = self.system.watches[more[0]].name
        raise SolveError(f"event '{name}' happens again and again at t = {t:.9g}. Let it change what sets it off")

    def find_beside(self, before: Instant, after: Instant) -> dict[int, bool]:
        """The watches that cross zero from one state to another where only the way back counts, and to which side."""
        found = {}
        for i, (watch, one, two) in enumerate(zip(self.system.watches, before.watches, after.watches, strict=True)):
            rises = bool(one < 0.0 <= two)
            if (rises or two < 0.0 <= one) and watch.direction == (-1 if rises else 1):
                found[i] = rises
        return {i: side for i, side in found.items() if i not in self.by_watch and i not in self.grips}

    def find_turned(self, now: Instant, soon: Instant, beside: Mapping[int, bool]) -> list[int]:
        """Those of them that are still at zero, and soon where they came from."""
        found = []
        for i, positive in beside.items():
            one, two = float(now.watches[i]), float(soon.watches[i])
            if (two < 0.0) == positive and abs(one) <= NOUGHT * abs(two):
                found.append(i)
        return found

    def _react(self, watches: Sequence[int], at: Instant) -> Aftermath:
        acts = [(self.system.watches[w].name, self.system.acts[w]) for w in watches if w in self.system.acts]
        stops = [self.system.watches[w].name for w in watches if self._ends(w)]
        told = [Occurrence(name=self.system.watches[w].name, t=at.t) for w in watches if not self._is_quiet(w)]
        before = at
        self._check_agreement(acts, before)
        self.halted = self._stuck() | {self.grips[w].name for w in watches if w in self.grips}
        for name, act in acts:
            at = self._apply(name, act, before, at)
        struck = np.zeros(len(self.rows), dtype=bool)
        struck[[self.by_watch[w] for w in watches if w in self.by_watch]] = True
        after = self._settle(at, struck | self._closed(at), told)
        self.halted = set()
        return replace(after, loss=before.T - at.T + after.loss, stop=stops[0] if stops else "")

    def release(self, release: Release, q: Floats, u: Floats) -> Aftermath:
        """A barrier lets go, or grips slip."""
        at = self.instants.at(release.t, q, u)
        closed, told, freed = self._closed(at), [], -1
        if release.barrier is not None:
            freed = release.barrier.row
            self.off = self.off | {freed}
            told = [Occurrence(name=f"{release.barrier.name}: off", t=release.t)]
        self.slipping, self.halted = release.pulls, self._stuck() - set(release.pulls)
        after = self._settle(at, closed, told, freed)
        self.slipping, self.halted = {}, set()
        return after

    def _is_quiet(self, watch: int) -> bool:
        """Whether nothing is told of a watch: grips tell it themselves, and what is closed is not struck."""
        return watch in self.grips or (watch in self.by_watch and self.rows[self.by_watch[watch]] not in self.off)

    def _ends(self, watch: int) -> bool:
        """Whether the run ends at an event."""
        act = self.system.acts.get(watch)
        if act is not None or watch in self.by_watch or watch in self.grips:
            return act is not None and act.stop
        return self.system.watches[watch].stop

    def _check_agreement(self, acts: Sequence[tuple[str, Act]], at: Instant) -> None:
        """Two events at one time must not ask for different things."""
        asked: dict[object, tuple[str, float]] = {}
        for name, act in acts if len(acts) > 1 else ():
            targets = [(self.system.readings[target].name, i) for target, i in act.speeds]
            switches = [(f"constraint {row}", float(row in act.on)) for row in (*act.on, *act.off)]
            given = (*targets, *act.states, *act.inputs)
            for key, value in [*((key, float(at.readings[i])) for key, i in given), *switches]:
                other, before = asked.setdefault(key, (name, value))
                if before != value:
                    words = f"events '{other}' and '{name}' happen at one time and contradict each other"
                    raise SolveError(f"{words}. Let them happen one after the other, or make them one event")

    def _apply(self, name: str, act: Act, before: Instant, at: Instant) -> Instant:
        """Switch constraints, and change speeds, states and inputs as an event says; what holds follows."""
        self.off = (self.off - act.on) | act.off
        self._check_closed(name, act, at)
        q, u, wanted = at.q, at.u, before.readings
        if act.on or act.speeds:
            self.halted = set()
            targets = np.array([at.slopes[target] for target, _ in act.speeds]).reshape(-1, len(u))
            u = self._jump(name, targets, wanted[[i for _, i in act.speeds]], at)
        u = u.copy()
        for coordinate, i in act.states:
            u[coordinate] = wanted[i]
        if act.inputs:
            q = self.system.with_inputs(q, {name: float(wanted[i]) for name, i in act.inputs})
        return self.instants.at(at.t, q, u)

    def _jump(self, name: str, targets: Floats, wanted: Floats, at: Instant) -> Floats:
        """Speeds after impulses along the targets and all constraints that hold."""
        held = self._held()
        G = at.G[held]
        J = (
            np.concatenate([targets, G])
            if isinstance(G, np.ndarray)
            else vstack([csc_array(targets), csc_array(G)], format="csc")
        )
        after = change_speeds(self.system, at.M, J, at.u, np.concatenate([wanted, G @ at.u - at.rates[held]]))
        if after is None:
            words = f"event '{name}' at t = {at.t:.9g} asks for speeds that the constraints do not allow"
            raise SolveError(f"{words}. Give fewer of them, or let the constraints go")
        return after

    def _settle(self, at: Instant, closed: Bools, told: list[Occurrence], freed: int = -1) -> Aftermath:
        """Impacts at the barriers that are closed, and which of them hold afterwards."""
        s = self.system
        touched = np.flatnonzero(closed)
        rows = self.rows[touched]
        if not len(rows):
            return self._hold(Aftermath(at=at, off=self.off, told=tuple(told)), rows)
        place = find_place(s, at, self._held(), rows)
        v = at.rates[rows]
        drift = v - place.J @ at.u
        e = np.array([self._restitution(int(i), at) for i in touched])
        free = place.find_free(at)
        low = (free < 0) & (v < 0) & ((e * v) ** 2 < place.find_lowest(free))
        comes = np.array([row in self.off for row in rows])  # what was held until now was at rest before
        for k in np.flatnonzero(low & (e > 0) & comes):
            rest = at.t + 2.0 * e[k] * abs(v[k]) / (abs(free[k]) * (1.0 - e[k])) if e[k] < 1 else at.t
            told.append(Occurrence(name=f"{s.barriers[touched[k]].name}: rest", t=float(rest)))
        u, impulses = strike(place, at.u, drift, np.where(low, 0.0, e))
        after = at
        if impulses.any():
            self.halted = set()  # an impact shakes loose what stuck
            after = self.instants.at(at.t, at.q, u)
            free = place.find_free(after)  # forces and turning depend on speeds
        self._check_struck(at, after, place, touched)
        left = np.abs(after.rates[rows])
        still = (left <= 10.0 * np.maximum(place.still(u), place.still(at.u))) | (left**2 <= place.find_lowest(free))
        hold = still & (rows != freed) & ~place.firm
        return self._hold(Aftermath(at=after, off=self.off, told=tuple(told), loss=at.T - after.T), rows[hold])

    def _hold(self, after: Aftermath, closed: Ints) -> Aftermath:
        """Of barriers that are closed and grips, what pushes, holds and rubs."""
        s, at, before = self.system, after.at, self.off
        if not s.grips and not len(closed):
            self.off = before | self.barred
            return replace(after, off=self.off)
        given = dict(self.slipping)
        self.quickest = max(self.quickest, self._measure(at.u))
        loosed = [row for g in s.grips if g.name in given for row in g.rows if row not in before]
        at = self._meet(at, [*self._held().tolist(), *loosed]) if np.any(at.rates[loosed]) else at
        moving, leads = self._moving(at, given)
        for _ in range(2 * len(s.grips) + 1):
            asked, was = Question(held=self._held(), closed=closed, moving=moving, leads=leads), moving
            at, found = settle(self.instants, at, asked)
            back = self._find_turned_back(at, found)
            # it was overcome, and others that give way let it hold again, or slide the other way
            given |= {grip.name: np.zeros(len(grip.rows)) for grip in back}
            if not back:
                rest = [grip for grip in s.grips if not moving[grip.name]]
                at = self._stand_still(at, found, rest)
                given |= self._find_contrary(at, found, rest)
            # a body that rubs at two places stops at both: what moved by no more than is taken away stands still, too
            moving, leads = self._moving(at, given)
            if moving == was:
                break
        self.ways, self.leads = found.ways, found.leads
        self.off = (self.off | self.barred | self.gripping) - found.pushing - found.sticking
        self.group = find_group(s, at, self._held(found.pushing), s.grips, found.sticking)
        changed = [grip for grip in s.grips if before.issuperset(grip.rows) != self.off.issuperset(grip.rows)]
        told = [self._tell_grip(grip, before, at.t) for grip in changed]
        return replace(after, at=at, off=self.off, told=(*after.told, *told))

    def _moving(self, at: Instant, given: Mapping[str, Floats]) -> tuple[dict[str, float], dict[str, Floats]]:
        """Which way each grip moves, 0: it stands still, or has just come to a stop; and leads of those of two speeds.

        given   the way of some, whatever their speeds
        """
        found, leads, sizes = dict[str, float](), dict[str, Floats](), measure_rows(self.system, at.G)
        for grip in self.system.grips:
            v, size = at.rates[list(grip.rows)], float(sizes[list(grip.rows)].max())
            speed, name = float(np.linalg.norm(v)), grip.name
            self.fastest[name] = max(self.fastest.get(name, 0.0), speed)
            little = self._find_little(grip, size)
            # where the speed along the lead is zero there may be one across: then it has turned
            halted = name in self.halted and not (grip.leads and speed > NEXT * little)
            way = np.asarray(given.get(name, np.zeros_like(v) if halted or speed <= little else v))
            found[name] = float(np.any(way)) if grip.leads else float(np.sign(way[0]))
            if grip.leads:
                lead = way if found[name] else self.leads[name]
                leads[name] = lead * (little / float(np.linalg.norm(lead)))
        return found, leads

    def _find_little(self, grip: Grip, size: float) -> float:
        """A speed that is none."""
        fastest = self.fastest.get(grip.name, 0.0)
        if grip.leads:
            return self.slow * max(fastest, self.slowest * size)
        return max(SLOW * fastest, REST * size)

    def _find_turned_back(self, at: Instant, found: Settled) -> list[Grip]:
        """The grips that were overcome, and would go another way."""
        grips = [g for g in self.system.grips if g.name in self.slipping and found.ways[g.name]]
        if not grips:
            return []
        held = np.array([*self._held(found.pushing), *sorted(found.sticking)], dtype=np.int64)
        speeding = find_speeding(self.system, at, held, grips)
        return [grip for grip in grips if float(self.slipping[grip.name] @ speeding[grip.name]) < 0.0]

    def _find_contrary(self, at: Instant, found: Settled, rest: Sequence[Grip]) -> dict[str, Floats]:
        """The speeds of grips that begin to slide against them: they have not come to rest yet, as it seemed.

        Where constraints let hardly anything move a speed, its zero is where they say, to the last digit of the time.
        """
        contrary, beginning = dict[str, Floats](), [g for g in rest if found.ways[g.name]]
        if not beginning:
            return contrary
        held = np.array([*self._held(found.pushing), *sorted(found.sticking)], dtype=np.int64)
        speeding = find_speeding(self.system, at, held, beginning)
        for grip in beginning:
            rows = list(grip.rows)
            v, way = at.rates[rows], found.leads[grip.name] if grip.leads else np.array([found.ways[grip.name]])
            speeds = np.abs(full(at.G[rows])) @ np.abs(at.u[: self.system.n])
            rounding = ROUNDED * (float(np.max(speeds)) + self.fastest[grip.name])
            rounding += 2.0 * float(np.spacing(at.t)) * float(np.linalg.norm(speeding[grip.name]))
            if float(v @ way) < -rounding * float(np.linalg.norm(way)):
                contrary[grip.name] = v
        return contrary

    def _stand_still(self, at: Instant, found: Settled, grips: Sequence[Grip]) -> Instant:
        """The instant without what is left of the speeds of grips that stick, and of those that only begin to slide.

        Unless that takes away more than next to nothing, as where something can hardly move.
        """
        held, sticking = self._held(found.pushing).tolist(), sorted(found.sticking)
        if np.any(at.rates[sticking]):
            at = self._meet(at, [*held, *sticking])
        rest = [row for grip in grips for row in grip.rows]
        if np.any(at.rates[rest]):
            after = self._meet(at, [*held, *rest])
            if self._measure(after.u - at.u) <= NEXT * self.slow * self.quickest:
                return after
        return at

    def _measure(self, u: Floats) -> float:
        """The largest of some speeds, in sizes."""
        return float(np.max(np.abs(u) / self.system.scales, initial=0.0))

    def _meet(self, at: Instant, rows: Sequence[int]) -> Instant:
        """The instant with speeds that meet these constraints: inside a step they do as well as the tolerance asks."""
        if not rows or not (off := np.max(np.abs(at.rates[rows]))) > 0.0:
            return at
        change, _ = Saddle(at.M, at.G[rows], "accelerations", soft=True).solve(None, -at.rates[rows])
        after = self.instants.at(at.t, at.q, at.u + change)
        return after if np.max(np.abs(after.rates[rows])) < off else at

    def _tell_grip(self, grip: Grip, before: frozenset[int], t: float) -> Occurrence:
        return Occurrence(name=f"{grip.name}: {'sticks' if before.issuperset(grip.rows) else 'slips'}", t=t)

    # -- what is read ---------------------------------------------------------------------------------------------

    def _stuck(self) -> set[str]:
        """The grips that hold."""
        return {grip.name for grip in self.system.grips if not self.off.issuperset(grip.rows)}

    def _held(self, pushing: frozenset[int] = frozenset()) -> Ints:
        """Constraints that hold and are no grips, and of barriers those that push."""
        gone = (self.off | self.barred | self.gripping) - pushing
        return np.array([i for i in range(self.system.m) if i not in gone], dtype=np.int64)

    def _gaps(self, at: Instant) -> Floats:
        """The gaps of barriers in their sizes; a ratchet has none."""
        if not len(self.rows):
            return np.zeros(0)
        return np.where(self.is_gap, at.g[self.rows] / measure_rows(self.system, at.G[self.rows]), 0.0)

    def _closed(self, at: Instant) -> Bools:
        """The barriers that are closed on the way: those that hold, and those next to nothing away."""
        held: Bools = np.array([row not in self.off for row in self.rows.tolist()], dtype=bool)
        return held | (self._gaps(at) <= NEAR) if len(held) else held

    def _restitution(self, barrier: int, at: Instant) -> float:
        b = self.system.barriers[barrier]
        e = float(at.readings[b.restitution])
        if not 0.0 <= e <= 1.0:
            words = f"the restitution of stop '{b.name}' is {e:g} at t = {at.t:.9g}"
            raise SolveError(f"{words}. It is between 0 and 1")
        return e

    def _check_struck(self, at: Instant, after: Instant, place: Place, touched: Ints) -> None:
        """What strikes is stopped by impulses, and constraints hold all the same; else nothing can give way."""
        slow = MET * (np.abs(place.J) @ np.abs(at.u) + np.abs(at.rates[place.rows]))
        into = after.rates[place.rows] < -slow
        opened = np.abs(after.rates[place.held]) - np.abs(at.rates[place.held])
        if not into.any() and place.firm.any():
            into = place.find_driven(after) & (after.rates[place.rows] <= slow)
        missed = measure_missed(self.system, at.G[place.held], np.abs(at.u) + np.abs(after.u))
        if into.any() or (opened > missed).any():
            stop = self.system.barriers[touched[int(np.argmax(into))]].name
            driven = [row.owner.name for i in place.held if (row := self.system.rows[i]).kind == "motion"]
            moved = f": it is moved by {' and '.join(driven)}" if driven else ""
            words = f"stop '{stop}' at t = {at.t:.9g} holds up what cannot give way{moved}"
            raise SolveError(f"{words}. Let it give way: by a spring, or by a force in place of a motion")

    def _check_closed(self, name: str, act: Act, at: Instant) -> None:
        """Constraints that are switched on must fit where things are."""
        rows = np.array(sorted(act.on), dtype=np.int64)
        if not len(rows):
            return
        size, g = measure_rows(self.system, at.G[rows]), np.abs(at.g[rows])
        if (g > PASSED * size).any():
            worst = self.system.rows[rows[int(np.argmax(g / size))]].name
            words = f"event '{name}' at t = {at.t:.9g} switches on what does not meet there"
            raise SolveError(f"{words}: {worst} is off by {np.max(g):.3g}. Let the event happen where it closes")

    # -- when a barrier lets go -------------------------------------------------------------------------------------

    def find_release(self, store: Store, first: int) -> Release | None:
        """The first in the steps from number `first` on: a barrier that would have to pull, grips that cannot hold.

        Or a grip that rests, without a force, where constraints move it on.
        """
        holding = [b for b in self.system.barriers if b.row not in self.off]
        sticking = [grip for grip in self.system.grips if not self.off.issuperset(grip.rows)]
        alone = [grip for grip in sticking if self.group is None or grip not in self.group.grips]
        resting = [g for g in self.system.grips if not self.ways[g.name] and not self.off.isdisjoint(g.rows)]
        if not (holding or sticking or resting):
            return None
        for step in range(first, store.count):
            h = float(store.h[step])
            dt = np.linspace(0.0, h, LOOKS)
            looked = store.along(step, dt)
            found = [self._first_pull(store, b, step, dt, looked[2][:, b.row]) for b in holding]
            found += [self._first_slip(store, grip, step, dt, looked) for grip in alone]
            found += [self._first_slip_of(store, self.group, step, dt, looked)] if self.group is not None else []
            found += [self._find_departure(store, resting, step, dt, looked)] if resting else []
            if any(found):
                return min((r for r in found if r is not None), key=lambda r: r.t)
        return None

    def _first_slip(self, store: Store, grip: Grip, step: int, dt: Floats, looked: Looked) -> Release | None:
        """The first look at which a grip would have to hold more than it can, and where that began."""
        start, rows = float(store.t[step]), list(grip.rows)

        def excess(x: Floats, at: Looked) -> tuple[Floats, Floats]:
            hold = read_hold(self.system, grip, start + x, at[0], at[1])
            return np.asarray(np.linalg.norm(at[2][:, rows], axis=1) - hold), hold

        x = _find_excess(excess, store, step, dt, looked)
        if x is None:
            return None
        pull = store.along(step, np.array([x]))[2][0, rows]
        return Release(step=step, t=start + x, pulls={grip.name: pull})

    def _first_slip_of(self, store: Store, group: Group, step: int, dt: Floats, looked: Looked) -> Release | None:
        """The same of grips that hold together."""
        start = float(store.t[step])

        def holds(x: Floats, at: Looked) -> Floats:
            found = [read_hold(self.system, grip, start + x, at[0], at[1]) for grip in group.grips]
            return np.maximum(np.array(found).T, 0.0)

        def excess(x: Floats, at: Looked) -> tuple[Floats, Floats]:
            shares = map(group.share, at[2][:, list(group.rows)], holds(x, at))
            return np.array([shared.most for shared in shares]) - 1.0, np.ones(len(x))

        x = _find_excess(excess, store, step, dt, looked)
        if x is None:
            return None
        for share in AHEAD:
            if pulls := self._look_ahead(store, group, step, x + share * float(dt[-1])):
                return Release(step=step, t=start + x, pulls=pulls)
        at = store.along(step, np.array([x]))
        pulls = group.find_pulls(at[2][0, list(group.rows)], holds(np.array([x]), at)[0])
        return Release(step=step, t=start + x, pulls=pulls)

    def _look_ahead(self, store: Store, group: Group, step: int, x: float) -> dict[str, Floats]:
        """Which of the grips that hold together slide, and which way, where it is clear that they cannot hold."""
        q, u, _ = store.along(step, np.array([x]))
        at = self.instants.at(float(store.t[step]) + x, q[0], u[0])
        closed = np.array([row for row in self.rows.tolist() if row not in self.off], dtype=np.int64)
        asked = Question(held=self._held(), closed=closed, moving=self.ways, leads=self.leads)
        _, found = settle(self.instants, at, asked)
        return {
            grip.name: found.leads[grip.name] if grip.leads else np.array([found.ways[grip.name]])
            for grip in group.grips
            if found.ways[grip.name]
        }

    def _find_departure(
        self, store: Store, resting: Sequence[Grip], step: int, dt: Floats, looked: Looked
    ) -> Release | None:
        """Grips that rest where constraints let nothing move them, and are moved by them all the same: which way.

        In a step all is smooth, so that what moves in it does so from its beginning.
        """
        sizes: Floats | None = None
        pulls = dict[str, Floats]()
        for x, q, u in zip(dt[1:], looked[0][1:], looked[1][1:], strict=True):
            at = self.instants.at(float(store.t[step] + x), q, u)
            sizes = measure_rows(self.system, at.G) if sizes is None else sizes
            for grip in (g for g in resting if g.name not in pulls):
                v, size = at.rates[list(grip.rows)], float(sizes[list(grip.rows)].max())
                fastest = max(self.fastest.get(grip.name, 0.0), self.slowest * size)
                if float(np.linalg.norm(v)) > self.slow * fastest:
                    pulls[grip.name] = v
        return Release(step=step, t=float(store.t[step]), pulls=pulls) if pulls else None

    def _first_pull(self, store: Store, barrier: Barrier, step: int, dt: Floats, lam: Floats) -> Release | None:
        # the force along the gap is −λ
        pulls = lam > LIFTED * float(np.max(np.abs(lam)))
        if not pulls.any():
            return None
        before = max(0, int(np.argmax(pulls)) - 1)
        x = _find_change(lambda x: store.along(step, x)[2][:, barrier.row], dt[before:], lam[before:])
        return Release(barrier=barrier, step=step, t=float(store.t[step]) + x)


def _find_excess(
    excess: Callable[[Floats, Looked], tuple[Floats, Floats]], store: Store, step: int, dt: Floats, looked: Looked
) -> float | None:
    """Where a value becomes positive in a step, if it does by more than rounding; with it, what it is measured by."""
    over, size = excess(dt, looked)
    clear = over > EDGE * size
    if not clear.any() or clear[0]:
        return float(dt[0]) if clear.any() else None
    # what is rounding before has not begun
    before = max(0, int(np.argmax(clear)) - 1)
    begin = np.where(np.arange(len(dt)) <= before, np.minimum(over, 0.0), over)
    return _find_change(lambda x: excess(x, store.along(step, x))[0], dt[before:], begin[before:])


def _find_change(values: Callable[[Floats], Floats], x: Floats, y: Floats) -> float:
    """Where values become positive, to the last digit, from some of them in order: the first number beyond.

    All of a handful of places are looked at together, ever closer around where a straight line would be zero.
    """
    while True:
        i = int(np.argmax(y > 0.0))
        if i == 0:
            return float(x[0])
        (low, high), (below, above) = x[i - 1 : i + 1], y[i - 1 : i + 1]
        gap = high - low
        if not low < low + 0.5 * gap < high:
            return float(high)
        zero = low + gap * min(max(-below / (above - below), 0.0), 1.0)
        new = np.concatenate([zero + gap * CLOSER, [low + 0.5 * gap]])
        new = np.unique(new[(new > low) & (new < high)])
        x, y = np.concatenate([[low], new, [high]]), np.concatenate([[below], values(new), [above]])


def set_off(system: System, before: Instant, after: Instant) -> list[int]:
    """The watches whose values go through zero, in a direction that counts, from one state to another."""
    found = []
    for i, (watch, one, two) in enumerate(zip(system.watches, before.watches, after.watches, strict=True)):
        rises = one < 0.0 <= two and one < -SMALL * abs(two)
        falls = two < 0.0 <= one and two < -SMALL * abs(one)
        if (rises and watch.direction >= 0) or (falls and watch.direction <= 0):
            found.append(i)
    return found
