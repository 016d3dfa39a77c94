"""A motion step by step: a machine and a start in, what moves as it is after each step out, for those who steer it.

Nothing matters for a step but the state and what is held, so that a state that is set back leads to the same numbers
again, bit by bit. Of the way nothing is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from threading import RLock

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import SeenAngles, find_seen_angles
from linkwork.equations.words import find_turned
from linkwork.errors import (
    ExpressionError,
    InputError,
    LinkworkError,
    Problem,
    Ref,
    did_you_mean,
    show_formula,
    show_value,
)
from linkwork.given import as_names, as_number, as_object, find_number
from linkwork.native import Machine, Side, Status, Stepper, SwitchedMachine
from linkwork.native.measure import Measure, Reader
from linkwork.results import About, Occurrence, Snapshot, Store
from linkwork.results.names import find_words, pick
from linkwork.results.turning import TURN, UNTURNED, KnownTurns, Turns
from linkwork.solve.acting import Acting
from linkwork.solve.options import Options
from linkwork.solve.run import integrate_with, make_request
from linkwork.solve.start.consistent import Start
from linkwork.solve.start.elsewhere import resume

LONG = 1e3  # seconds: steps are taken to be the beginning of such a run, where that matters
FAST = 2.0  # radians in a step: below, the mean of the rates is right to half a turn
NOTED = 256  # steps whose turns are counted together
MOST = 2.0**53  # steps of a length that a float can count
ROUNDED = 4e-16  # of a time: what two roundings may change


class Stepping:
    """What moves, one step after the other: `step(dt, tau=2)`, then `t`, `state` and `stepper["A.x"]`.

    over      whether an event has ended the motion; then `outcome` says which
    events    what happened in the last step
    names     the inputs that `step` takes, in this order

    Threads may share it: while one steps, sets or reads, the others wait.
    """

    def __init__(
        self, machine: Stepper, start: Start, options: Options, about: About, inputs: Iterable[str] | None = None
    ) -> None:
        self.system, self.about, self._lock = machine.system, about, RLock()
        self.names = tuple(self.system.inputs) if inputs is None else _check_inputs(self.system.inputs, inputs)
        self._machine, self._options = machine, options
        self._number = {name: i for i, name in enumerate(self.system.inputs)}
        self._readers: dict[str, Reader | None] = {}
        sampled = about.mechanism is not None and bool(about.mechanism.controllers)
        angles = find_seen_angles(about.mechanism, self.system)
        self._hops: _Hops | _SwitchedHops | None = None
        if isinstance(machine, Machine) and not sampled:
            self._hops = _Hops(machine, start, options, angles)
        elif isinstance(machine, SwitchedMachine) and isinstance(machine.inner, Machine) and not sampled:
            self._hops = _SwitchedHops(machine, start, options, angles)
        self._state: Snapshot | None = None  # None: it is in the machine
        self.t, self.over, self.outcome, self.events = start.t, False, "", tuple[Occurrence, ...]()
        self._first = self._take(start, start.t)

    # -- where it is ----------------------------------------------------------------------------------------------

    def reset(self) -> Snapshot:
        """Back to the start."""
        with self._lock:
            self.state = self._first
            return self._first

    @property
    def state(self) -> Snapshot:
        """All there is to know of where it is, which never changes; set it to go on from there."""
        with self._lock:
            if self._state is None:
                assert self._hops is not None
                hops = self._hops
                turns = UNTURNED if hops.turned is None else KnownTurns(hops.turned.count(self.t))
                self._state = self._frozen(self.t, hops.end, hops.off, tuple(hops.machine.sides), turns)
            return self._state

    @state.setter
    def state(self, state: Snapshot) -> None:
        with self._lock:
            as_object(state, Snapshot, Ref("state"), "Give stepper.state, motion.final or motion.at(2)")
            if state.system is not self.system:
                resume(self.system, state)  # refuses what is of another mechanism
            self._state, self.t = state, float(state.t)
            self.over, self.outcome, self.events = False, "", ()

    @property
    def inputs(self) -> dict[str, float]:
        """What is held."""
        return dict(zip(self.system.inputs, self.system.inputs_in(self.state.q).tolist(), strict=True))

    def __getitem__(self, name: str) -> float | Floats:
        """A value by name: a coordinate, a state, an input, a point, an angle, a variable or any expression."""
        with self._lock:
            if self._state is None and self._hops is not None and (place := self._hops.places.get(name)) is not None:
                machine = self._hops.machine
                return float(machine.series[(machine.run.current, *place)])
            if name not in self._readers:
                self._readers[name] = self._find_reader(name)
            read, s = self._readers[name], self.state
            return pick(s, name, "place") if read is None else read(self.t, s.q, s.u, s.a, s._lam)

    def _find_reader(self, name: str) -> Reader | None:
        """A quick way to an expression; None where there is none."""
        mechanism, system = self.about.mechanism, self.system
        if mechanism is None or name in system.chart.points or name in system.chart.markers:
            return None
        try:
            expr = find_words(mechanism, system, True).read("name", name).expr
        except ExpressionError:
            return None
        if find_turned(expr):
            return None
        measure = Measure(system, expr, mechanism.values)
        return None if "multiplier" in measure.used else measure.make_reader()

    # -- steps ----------------------------------------------------------------------------------------------------

    def step(self, dt: float, *values: float, **named: float) -> None:
        """Go on by so many seconds, with these values of inputs, in their order or by name, held from here on.

        A step that fails raises an error and leaves everything as it was.
        """
        with self._lock:
            if self.over:
                raise LinkworkError(f"{self.outcome}. Call reset(), or set a state from which to go on")
            if type(dt) is not float:
                dt = as_number(dt, Ref("dt"), "Give seconds")
            if not (dt > 0 and math.isfinite(dt)):
                raise InputError([Problem(ref=Ref("dt"), what=f"{show_value(dt)} is not a positive time")])
            if values:
                named = {**self._in_order(values), **named}
            until = _find_end(self.t, dt)
            held = self._read(named)
            if self._hops is not None and self._hops.go(self.t, self._state, until, held):
                self.t, self._state = until, None
                self.events = self._hops.events()
            else:
                start = resume(self.system, self.state)
                known = {name: value for name, (_, value) in zip(named, held, strict=True)}
                self._take(replace(start, q=self.system.with_inputs(start.q, known)) if known else start, until)

    def _in_order(self, values: tuple[float, ...]) -> dict[str, float]:
        if len(values) > len(self.names):
            what = f"{len(values)} values for {len(self.names)} inputs ({', '.join(self.names)})"
            raise InputError([Problem(ref=Ref("inputs"), what=what, remedy="Give them by name")])
        return dict(zip(self.names, values, strict=False))

    def _read(self, named: Mapping[str, float]) -> list[tuple[int, float]]:
        """Inputs by number."""
        found = []
        for name, given in named.items():
            number = self._number.get(name)
            if number is None:
                _check_inputs(self.system.inputs, [name])
            value = find_number(given)
            if number is None or value is None or not math.isfinite(value):
                raise InputError([Problem(ref=Ref("input", name), what=f"{show_value(given)} is not a finite number")])
            found.append((number, value))
        return found

    def _take(self, start: Start, until: float) -> Snapshot:
        """Go on in a run of its own, whatever happens in it."""
        try:
            motion = integrate_with(self._machine, start, until, self._options, None, self.about)
        finally:
            if self._hops is not None:
                self._hops.renew()
        if motion.stats.end == "interrupted":
            raise KeyboardInterrupt
        f = motion.final
        self._state = self._frozen(float(f.t), (f.q, f.u, f.a, f._lam), f.off, f.sides, f.turns)
        self.t, self.events = float(f.t), motion.events
        self.over = motion.stats.end != "reached"
        self.outcome = motion.outcome if self.over else ""
        return self._state

    def _frozen(
        self,
        t: float,
        arrays: tuple[Floats, Floats, Floats, Floats],
        off: frozenset[int],
        sides: tuple[Side, ...],
        turns: Turns,
    ) -> Snapshot:
        """A state that cannot change."""
        for array in arrays:
            array.flags.writeable = False
        return Snapshot(self.system, np.array(t), arrays, self.about.mechanism, off=off, sides=sides, turns=turns)


class _Hops:
    """Steps by a compiled machine alone, without Python on the way, for as long as nothing out of the ordinary happens.

    places   where the machine holds coordinates, states and inputs: row and slot
    accept   whether a step that was made may be kept
    """

    off: frozenset[int] = frozenset()

    def __init__(
        self,
        machine: Machine,
        start: Start,
        options: Options,
        angles: SeenAngles | None,
        accept: Callable[[], bool] = lambda: True,
    ) -> None:
        self.machine, self.start, self.accept = machine, start, accept
        self.turned = None if angles is None else _Turned(machine, angles)
        _, self.request, self.watcher = make_request(machine, start, start.t + LONG, options)
        self.renew()

    def renew(self) -> None:
        """Get the machine ready, which may have been at something else."""
        machine, s = self.machine, self.machine.system
        machine.begin(self.request, self.start.t, self.start.q, self.start.u)
        machine.prepare_hops()
        slots, inputs = machine.places, len(s.inputs)
        points = {f"{point}.": at for point, at in s.chart.points.items() if at[0] < s.n}
        known = {f"{point}{v}{axis}": (len(v), i) for point, at in points.items() for v in ("", "v")
                 for axis, i in zip("xyz", at, strict=False)}  # fmt: skip
        known |= {f"{name}{prime}": (len(prime), i) for name, i in s.index.items() for prime in ("", "'")}
        known |= {name: (1, i) for name, i in s.states.items()}
        self.places = {name: (row, int(slots[i])) for name, (row, i) in known.items()}
        self.places |= {name: (0, machine.moving - inputs + i) for i, name in enumerate(s.inputs)}

    def go(self, t: float, state: Snapshot | None, until: float, held: list[tuple[int, float]]) -> bool:
        """A step, from a state or from where the machine is; if it does not work out all is as it was."""
        machine, turned = self.machine, self.turned
        if turned is not None and turned.fast:
            return False
        if state is not None:
            s = machine.system
            machine.place(t, s.with_inputs(state.q, {}) if s.inputs else state.q, state.u)
            machine.sides = state.sides
            if turned is not None:
                turned.begin(state.turns.known())
        if self.watcher.switches and self.watcher.is_on_border(t, *machine.end[:2]):
            return False
        sides, rows = machine.sides, machine.series[machine.run.current, :2].copy()
        for number, value in held:
            machine.hold(number, value)
        if machine.hop(until) is Status.FINISHED and self.accept():
            if turned is not None:
                turned.note(t, rows, until)
            return True
        machine.run.t, machine.sides = t, sides
        machine.series[machine.run.current, :2] = rows
        machine.take_crossings()
        return False

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the machine is."""
        return self.machine.end

    def events(self) -> tuple[Occurrence, ...]:
        """What happened in the last step."""
        if self.machine.events is None:
            return ()
        return tuple(Occurrence(name=c.name, t=c.t) for c in self.machine.take_crossings())


class _SwitchedHops:
    """The same by the machines of a system whose constraints are switched, until one is released or switched on."""

    def __init__(self, switched: SwitchedMachine, start: Start, options: Options, angles: SeenAngles | None) -> None:
        self.switched, self._given = switched, (start, options, angles)
        self.acting = Acting(switched.system, switched.compiled, options.tol, LONG)
        self._made: dict[frozenset[int], _Hops] = {}
        self._fresh: set[frozenset[int]] = set()  # sets of constraints whose machines are ready
        self._now: _Hops | None = None

    def renew(self) -> None:
        """The machines may have been at something else."""
        self._now = None
        self._fresh.clear()

    def go(self, t: float, state: Snapshot | None, until: float, held: list[tuple[int, float]]) -> bool:
        """A step, from a state or from where the machine is; if it does not work out all is as it was."""
        if state is not None:
            self._now = self._enter(t, state)
        return self._now is not None and self._now.go(t, state, until, held)

    def _enter(self, t: float, state: Snapshot) -> _Hops | None:
        """The steps from a state on; None where friction has to be asked again before."""
        off = state.off
        if not self.acting.stay(t, state.q, state.u, off):
            return None
        self.switched.switch(off)
        machine = self.switched.inner
        if off not in self._made and isinstance(machine, Machine):
            self._made[off] = _Hops(machine, *self._given, self._is_kept)
        elif off in self._made and off not in self._fresh:
            self._made[off].renew()
        self._fresh.add(off)
        return self._made.get(off)

    def _is_kept(self) -> bool:
        """Whether all that holds went on holding in the last step."""
        if not self.acting.holds:
            return True
        chunk, store = self.machine.hopped(), Store()
        if chunk is None:
            return False
        store.append(self.switched.widen(chunk))
        return self.acting.find_release(store, 0) is None

    @property
    def now(self) -> _Hops:
        """The steps with the constraints that hold now."""
        assert self._now is not None
        return self._now

    @property
    def machine(self) -> Machine:
        """That of the constraints that hold now."""
        return self.now.machine

    @property
    def places(self) -> dict[str, tuple[int, int]]:
        """Where the machine holds coordinates, states and inputs."""
        return self.now.places

    @property
    def turned(self) -> _Turned | None:
        """The turns of angles."""
        return self.now.turned

    @property
    def off(self) -> frozenset[int]:
        """Constraints that do not hold now."""
        return self.switched.off

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the machine is, of the whole system."""
        return self.switched.end

    def events(self) -> tuple[Occurrence, ...]:
        """What happened in the last step."""
        return self.now.events()


class _Turned:
    """Counts the turns of angles that no coordinate tells, from the states at the ends of steps, many at a time.

    fast   whether something turns so quickly that the steps must be looked into
    """

    def __init__(self, machine: Machine, angles: SeenAngles) -> None:
        self.machine, self.angles = machine, angles
        self.fast, self.patience = False, 1
        self.begin({})

    def begin(self, turns: Mapping[str, Floats]) -> None:
        """Go on from a state."""
        self.turns = np.array([float(turns.get(name, 0.0)) for name in self.angles.names])
        self.times, self.rows = list[float](), list[Floats]()

    def note(self, t: float, rows: Floats, until: float) -> None:
        """A step from t to `until`, and where it began."""
        self.times.append(t)
        self.rows.append(rows)
        if len(self.rows) >= self.patience:
            self.count(until)
            self.patience = NOTED

    def count(self, t: float) -> dict[str, Floats]:
        """The turns now, by name."""
        machine, used = self.machine, self.angles.used
        if self.rows:
            rows = np.array([*self.rows, machine.series[machine.run.current, :2]])[:, :, machine.places[used]]
            seen, rates = self.angles.compute(rows[:, 0], rows[:, 1])
            swept = np.diff([*self.times, t])[:, None] * (rates[:-1] + rates[1:]) / 2
            self.fast = bool(np.max(np.abs(swept), initial=0.0) > FAST)
            self.turns = self.turns + np.sum(np.round((seen[:-1] + swept - seen[1:]) / TURN), axis=0)
            self.times, self.rows = [], []
        return {name: np.asarray(x) for name, x in zip(self.angles.names, self.turns, strict=True) if x}


def _find_end(t: float, dt: float) -> float:
    """t + dt, as a multiple of dt if it is one but for rounding: so many equal steps end where they should."""
    end = t + dt
    if not end / dt < MOST:
        return end
    near = round(end / dt) * dt
    return near if abs(near - end) <= ROUNDED * (abs(t) + abs(end)) else end


def _check_inputs(known: Mapping[str, int], names: Iterable[str]) -> tuple[str, ...]:
    given = as_names(names, Ref("inputs"))
    if unknown := [name for name in given if name not in known]:
        hint = did_you_mean(unknown[0], known) or "Make it one: Inputs: {tau: 0} in the file"
        raise InputError([Problem(ref=Ref("inputs"), what=f"no input named '{show_formula(unknown[0])}'", remedy=hint)])
    return given
