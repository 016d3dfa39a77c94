"""A run: a machine and a consistent start in, a Trajectory out, whatever the method.

The steps are made by a machine of `native`; here chunks of steps are collected, crossings looked for, progress told
and Ctrl-C honoured; `outcome` puts the end of the run into words.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.clock import seconds_left
from linkwork.equations import System, find_seen_angles
from linkwork.errors import InputError, Problem, SolveError
from linkwork.native import Chunk, Crossing, Request, Side, Status, Stepper, SwitchedMachine, Tally, make_machine
from linkwork.native.loops import settle_values
from linkwork.results import About, Break, End, Method, Occurrence, Snapshot, Stats, Store, Thinner, Trajectory
from linkwork.results.state import make_balance
from linkwork.results.turning import KnownTurns, TurnCounter, Turning, TurnsAt
from linkwork.solve.acting import Acting, Aftermath, Release, set_off
from linkwork.solve.choice import AUTO, add_damping, choose_method, find_numbers, find_order, find_part
from linkwork.solve.events import Watcher
from linkwork.solve.interruption import Interruption
from linkwork.solve.looking import Looking
from linkwork.solve.options import Options
from linkwork.solve.outcome import (
    check_energies,
    describe_chatter,
    describe_endless,
    describe_outcome,
    find_end,
    refuse_weightless,
)
from linkwork.solve.pace import Pace
from linkwork.solve.pauses import Pauses
from linkwork.solve.sampling import History, Sampling, find_sampling
from linkwork.solve.start.consistent import Start
from linkwork.solve.start.departure import Departure, Origin, find_departure, find_leap
from linkwork.solve.start.singular import is_regular
from linkwork.solve.stiffness import (
    BACK,
    IMPLICIT,
    TRIAL,
    WORTH,
    Stiffness,
    find_implicit,
    is_suspicious,
    make_implicit,
    may_be_worth_it,
    try_method,
)

FINEST = 1e-15  # what rounding leaves to be asked of a step: asking for less makes steps creep at singular positions
SHORT = 1e-12  # of the whole run
STUCK = Status.TOO_SMALL, Status.LOCKED
INSTANT = 1e-13  # of a time or step: what happens so close together happens at once
SOON = 1e-7  # of a step: when one looks which way things go
GOING = 1e-6  # of a step: within which one sees whether a value rises or falls,
NEAR = 1e3  # and of its change in that: what it is at zero
ROUNDED = 1e-14  # of places: what rounding leaves of them,
SHOWN = 0.03  # and of what that makes of a value: a change that shows which way it goes
ENDLESS = 1000  # happenings at one time that have no end
LONG = 100_000  # steps of a run after which it goes on with all terms as one kernel
PROMISING = 10_000  # and after which that begins to be compiled: beside the run, so that nobody waits for it
SLICE = 0.1  # seconds between looks at the clock, the progress bar and the keyboard
MAKE_ROOM = "Make room there, or name a folder with more room by the environment variable TMPDIR"

Progress = Callable[[float], None]


def integrate(
    system: System, start: Start, until: float, options: Options, progress: Progress | None = None
) -> Trajectory:
    """The motion from a consistent start to the time `until`. Raises SolveError with the motion so far if it cannot."""
    machine = make_machine(system, start.q, compiled=options.compiled)
    return integrate_with(machine, start, until, options, progress)


def integrate_with(
    machine: Stepper,
    start: Start,
    until: float,
    options: Options,
    progress: Progress | None = None,
    about: About = About(),  # noqa: B008  (frozen)
    history: History | None = None,
    replay: bool = False,
) -> Trajectory:
    """The same with a machine that is already made; `about` tells what moves.

    What the functions of sampled controllers answer is noted in `history`, or taken from it in a `replay`.
    """
    if not (math.isfinite(until) and until >= start.t):
        what = f"cannot simulate until t = {until:g}: the start is at t = {start.t:g}"
        raise InputError([Problem(what=what, remedy="Give a later time")])
    options.check_length(until - start.t)
    system = machine.inner.system if isinstance(machine, SwitchedMachine) else machine.system
    if system.algebra:
        start = replace(start, q=settle_values(system, start.t, start.q, start.u))
    method, request, watcher = make_request(machine, start, until, options)
    # what was asked of a start once need not be asked again
    key = start.t, start.q.tobytes(), start.u.tobytes(), options.tol, request.order
    if machine.checked != key:
        if not options.kinematic:
            check_energies(system, start, until)
        machine.checked = key if start.regular else None
    for value in system.opaque:
        value.function.trouble.clear()
    run = Run(machine, request, options, method, watcher)
    run.sampling = find_sampling(about.mechanism, run.system, history, replay)
    run.key = key
    run.count_turns(about, start)
    with Interruption() as interruption:
        run.integrate(start, interruption, progress)
    end: End = "stopped" if run.outcome else find_end(run.status, interruption.asked)
    outcome = run.outcome or describe_outcome(machine, run.status, end, until, options.step)
    motion = run.trajectory(start, end, outcome, about)
    if run.status is Status.NO_INERTIA and run.store.count == 0:
        raise refuse_weightless(system, machine.culprit, motion.outcome)
    if run.status not in (Status.FINISHED, Status.MORE) or run.store.failure:
        raise SolveError(motion.outcome, motion)
    return motion


def make_request(machine: Stepper, start: Start, until: float, options: Options) -> tuple[Method, Request, Watcher]:
    """What is asked of a machine for a run, by which method, and what is watched in it."""
    system = machine.inner.system if isinstance(machine, SwitchedMachine) else machine.system
    method = choose_method(system, options)
    watcher = Watcher(machine.system, options.tol, until - start.t, knots=not machine.compiled)
    request = Request(
        t_end=until,
        tol=max(options.tol, FINEST),
        order=find_order(method.name, options),
        h_max=options.max_step,
        watch=watcher.active,
        method=method.name,
        step=options.step or 0.0,
        origin=start.t,
        rho=options.rho,
        part=find_part(options.tol),
        stages=options.stages,
        fused=bool(options.fused),
    )
    if method.name == "baumgarte":
        method, request = add_damping(method, machine, request, start, options)
    return method, request, watcher


class Run:
    """An integration in progress: the machine, what it made, the crossings on the way."""

    def __init__(self, machine: Stepper, request: Request, options: Options, method: Method, watcher: Watcher) -> None:
        self.request, self.options, self.watcher = request, options, watcher
        self.looking = Looking(machine, watcher)
        self.machine = machine if machine.watches else self.looking
        self.machine.sides = ()
        self.method = method
        self.key: object = None  # of the start, as machines remember it
        self.system, self.store = machine.system, Store(options.memory)
        self.status, self.seconds, self.outcome = Status.MORE, 0.0, ""
        self.began = time.perf_counter()
        self.tallies: list[Tally] = []
        self.crossings: list[Crossing] = []
        self.happened: list[Occurrence] = []
        self.pauses: dict[int, Pauses] = {}  # of events that act
        self.held = False
        self.switched = machine if isinstance(machine, SwitchedMachine) else None
        span = request.t_end - request.origin
        self.acting = None if self.switched is None else Acting(self.system, machine.compiled, request.tol, span)
        self.breaks: list[Break] = []
        self.pace = Pace(request.t_end, 0.0)
        self.stiffness, self.tol = Stiffness(self.explicit), request.tol
        self.thinner = Thinner(options.every, request.origin, options.memory) if options.every is not None else None
        self.coming: Future[object] | None = None  # what going over to one kernel waits for
        self.gone = 0  # steps of which the thinner has kept what is asked for
        self.until = request.t_end  # where the run ends; that of the request is the next instant of controllers
        self.sampling: Sampling | None = None

    def count_turns(self, about: About, start: Start) -> None:
        """Have the turns of angles counted along steps that are not kept."""
        angles = None if self.thinner is None else find_seen_angles(about.mechanism, about.system or self.system)
        if self.thinner is not None and angles is not None:
            self.thinner.counter = TurnCounter(angles, start.turns)

    def integrate(self, start: Start, interruption: Interruption, progress: Progress | None) -> None:
        """Chunk after chunk until the end, an event that stops, Ctrl-C or a failure."""
        entered = self.enter(start)
        if entered is None:
            return
        self.depart(entered)
        while self.status is Status.MORE and not self.outcome and not interruption.asked:
            self.thin(1)
            allowed = self.options.max_steps - self.made
            if allowed <= 0 or (left := seconds_left()) <= 0:
                break
            if self.made or progress is not None:
                interruption.listen()
            self.advance(entered, allowed, min(SLICE, left))
            if progress is not None and not self.store.failure:
                self.tell(progress)

    def enter(self, start: Start) -> Start | None:
        """The start after what happens in its first instant; None if nothing can move from there."""
        if self.acting is not None:
            # what cannot move at all is told before anything happens to it
            self.begin(start.t, start.q, start.u)
            if self.status is not Status.MORE:
                return None
            if start.off is None:
                after = self.acting.begin(start.t, start.q, start.u)
            else:
                after = self.acting.resume(start.t, start.q, start.u, start.off)
            start = replace(start, q=after.at.q, u=after.at.u)
            self.switch(start.t, after)
        return start if self.sampling is None else self.sample_first(self.sampling, start)

    def depart(self, start: Start) -> None:
        """Begin, with a step of its own out of a singular position."""
        # a law that starts exactly on its border shows its side after a very short step
        on_border = self.watcher.is_on_border(start.t, start.q, start.u)
        departure = None
        fresh = self.machine.checked is None and start.t < self.request.t_end
        if not on_border and fresh and self.acting is None and not self.system.opaque:
            departure = find_departure(self.machine, self.series, Origin(start.t, start.q, start.u))
            self.machine.checked = self.key if departure is None else None
        if departure is not None:
            self.leave(departure)
        else:
            self.begin(start.t, start.q, start.u, SHORT * (self.until - start.t) if on_border else math.inf)
        if start.sides:
            self.machine.sides = start.sides if self.acting is None else self.acting.sides(start.sides)
        self.pace.then = start.t
        if self.outcome:  # a controller has failed
            self.machine.advance(0.0, 0)
            self.status = Status.TOO_SMALL

    def advance(self, start: Start, allowed: int, seconds: float) -> None:
        """One chunk of at most so many steps, and what it asks for."""
        first, before = self.made, self.machine.t
        allowed = min(allowed, self.stiffness.next_look(first) or allowed) if self.open else allowed
        allowed = min([allowed, *(count - first for count in (PROMISING, LONG) if count > first)])
        self.seconds -= time.perf_counter()
        self.status, chunk = self.machine.advance(seconds, 1 if self.held else allowed)
        self.seconds += time.perf_counter()
        self.store.append(chunk if first else _keep_fixed(chunk, start))
        if self.store.failure:
            self.outcome = f"stopped at t = {self.machine.t:g}: {self.store.failure}. {MAKE_ROOM}"
            return
        self.find_events(first)
        if self.status is Status.CHATTERS:
            self.outcome = describe_chatter(self.machine.t, self.machine.culprit)
            self.machine.advance(0.0, 0)
        elif self.held and self.status is Status.MORE and self.made > first:
            self.release()
        if self.status is Status.MORE and self.open and self.stiffness.is_due(self.made) and self.may_change(chunk):
            self.consider_method(chunk)
        if self.status is Status.MORE and self.made in (PROMISING, LONG) and self.may_fuse:
            self.fuse(ready=self.made == LONG)
        if self.status is Status.MORE and self.is_hopeless(before):
            self.status = Status.TOO_SMALL
        if self.status in STUCK and self.open and self.request.method in IMPLICIT:
            self.leave_implicit()
        elif self.status in STUCK and self.store.count and self.acting is None and not self.system.opaque:
            self.leap()
        if self.status is Status.FINISHED and self.sampling is not None and self.machine.t < self.until:
            self.sample(self.sampling)

    def sample_first(self, sampling: Sampling, start: Start) -> Start:
        """Ask the controllers whose instant is the start."""
        t, q, u = start.t, sampling.begin(start.t, start.q), start.u
        zero: Floats = np.zeros(len(q))
        if sampling.is_due(t, q) and t < self.until:
            state = q, u, zero, np.zeros(self.system.m)
            if not sampling.quick:
                self.begin(t, q, u)
                self.machine.advance(0.0, 0)
                state = self.machine.end
            q = self.system.with_inputs(q, self.ask(sampling, t, state))
            if self.acting is not None and not self.outcome:
                after = self.acting.renew(t, q, u)
                q, u = after.at.q, after.at.u
                if after.new:
                    self.switch(t, after)
        self.request = replace(self.request, t_end=min(self.until, sampling.next(t, q)), span=self.until - t)
        return replace(start, q=q, u=u)

    def ask(self, sampling: Sampling, t: float, state: tuple[Floats, Floats, Floats, Floats]) -> dict[str, float]:
        """What controllers change at an instant; if one fails the run ends in words, with what there is."""
        try:
            return sampling.act(t, state)
        except SolveError as error:
            self.status, self.outcome = Status.TOO_SMALL, f"stopped at t = {t:.9g}: {error}"
            return {}

    def sample(self, sampling: Sampling) -> None:
        """An instant of controllers: ask them, and go on with what they say."""
        t, (q, u, a, lam) = self.machine.t, (x.copy() for x in self.machine.end)
        changes = self.ask(sampling, t, (q, u, a, lam))
        if self.outcome:
            return
        new = q.copy()
        for name, value in changes.items():
            new[sampling.at[name]] = value
        end = min(self.until, sampling.next(t, new))
        self.request = replace(self.request, t_end=end)
        if self.acting is None and not self.watcher.switches:
            self.machine.set_inputs(changes)
            self.machine.prolong(end)
            self.status = Status.MORE
            return
        if self.acting is not None:
            instants = self.acting.instants
            now = set_off(self.system, instants.at(t, q, u), instants.at(t, new, u))
            self.go_on(t, lambda acting: acting.react(now, t, new, u) if now else acting.renew(t, new, u), now)
            return
        self.tallies.append(self.machine.tally)
        border = self.watcher.is_on_border(t, new, u)
        self.begin(t, new, u, SHORT * (self.until - t) if border else math.inf)

    def tell(self, progress: Progress) -> None:
        """Tell the time reached; if that fails the run ends in words, with what there is."""
        try:
            progress(self.machine.t)
        except Exception as error:  # it is the function of the caller
            self.status = Status.TOO_SMALL
            self.outcome = f"stopped at t = {self.machine.t:g}: the function told of progress failed: {error}"

    @property
    def open(self) -> bool:
        """Whether the method is left to us and may still change."""
        left = self.options.method == AUTO and self.options.step is None and self.sampling is None
        free = self.acting is None and not self.held and not self.options.kinematic
        return left and self.request.method in (self.explicit, *IMPLICIT) and free

    @property
    def explicit(self) -> str:
        """The method of what is not stiff: functions that cannot be traced have no series."""
        return "rk8" if self.system.opaque else "taylor"

    @property
    def may_fuse(self) -> bool:
        """Whether a run that turns out to be long may go on in one kernel."""
        free = self.acting is None and self.sampling is None and not self.held
        return free and self.options.fused is None and self.request.method not in IMPLICIT

    def fuse(self, *, ready: bool) -> None:
        """Go on with all terms as one kernel, or get that ready; steps decide, so that every run is the same."""
        # its first step is none of a short run, however little is left
        span = self.request.span or self.until - self.request.origin
        fused = replace(self.request, fused=True, span=span)
        if not ready:
            self.coming = self.machine.foresee(fused)
            return
        left = seconds_left()
        if self.coming is not None and not wait([self.coming], left if math.isfinite(left) else None).done:
            return  # the time allowed is over
        self.tallies.append(self.machine.tally)
        q, u, _, _ = (x.copy() for x in self.machine.end)
        self.request = fused
        self.begin(self.machine.t, q, u)

    def consider_method(self, chunk: Chunk) -> None:
        """Where steps are held up by what nobody sees go on with implicit ones, and back where they are not."""
        t, h = self.machine.t, float(np.median(chunk.h))
        before = self.request
        self.tallies.append(self.machine.tally)
        q, u, _, _ = (x.copy() for x in self.machine.end)
        if before.method in IMPLICIT:
            if float(np.median(try_method(self.machine, self.explicit_request, BACK))) > h:
                self.turn_explicit(f"stiff no more, {self.method.name} was taken until t = {t:.4g}")
        else:
            implicit = self.implicit
            length = float(np.max(try_method(self.machine, implicit, TRIAL)))
            if length > WORTH[implicit.method] * h:
                self.request = implicit
                longer = f"steps {length / h:.0f} times as long as those of {before.method}"
                why = f"stiff, {longer}, which was taken until t = {t:.4g}"
                numbers = find_numbers(implicit.method, self.options)
                self.method = Method(implicit.method, why, numbers, self.method.before | {self.method.name})
        if self.request is not before:
            self.stiffness.change(self.request.method, self.made)
        self.begin(t, q, u)

    def turn_explicit(self, why: str) -> None:
        """From the next begin on explicit steps are made."""
        self.request = self.explicit_request
        self.method = Method(self.explicit, why, {}, self.method.before | {self.method.name})

    def leave_implicit(self) -> None:
        """Go on by explicit steps where implicit ones, which were our choice, are stuck."""
        t, (q, u, _, _) = self.machine.t, self.machine.end
        q, u = q.copy(), u.copy()
        self.tallies.append(self.machine.tally)
        self.turn_explicit(f"{self.method.name} was taken until t = {t:.4g}, where it could not go on")
        self.stiffness.change(self.request.method, self.made)
        self.begin(t, q, u)

    @property
    def explicit_request(self) -> Request:
        """The same by explicit steps."""
        order = find_order(self.explicit, self.options)
        return replace(self.request, method=self.explicit, order=order, tol=self.tol)

    @property
    def implicit(self) -> Request:
        """The same by implicit steps, to be tried."""
        method = find_implicit(self.request.tol, bool(self.watcher.switches))
        return make_implicit(self.request, method, find_order(method, self.options))

    def may_change(self, chunk: Chunk) -> bool:
        """Whether another method is worth a trial."""
        if self.request.method in IMPLICIT:
            return True
        implicit = self.implicit
        left, scales = self.request.t_end - self.machine.t, self.system.scales
        if left < self.made * float(np.median(chunk.h)):
            return False  # a change costs a compilation: it is not for the smaller part of a run
        if not (is_suspicious(chunk, scales, left) and may_be_worth_it(chunk, scales, self.machine.jerk, implicit)):
            return False
        done = self.machine.tally
        if done.rejected > done.steps:
            return False  # laws that jump hold it up, whatever the method
        # near a singular position steps are short as well, and to begin again there costs digits
        return is_regular(self.system, self.machine.end[0], self.machine.t)

    @property
    def made(self) -> int:
        """Steps made so far."""
        return self.gone + self.store.count

    def thin(self, newest: int) -> None:
        """Let go all steps but the newest chunks, and keep of them what is asked for."""
        while self.thinner is not None and len(self.store.chunks) > newest:
            chunk = self.store.take_first()
            self.gone += len(chunk.t)
            self.thinner.take(chunk)

    @property
    def series(self) -> Request:
        """The same by Taylor series, which lead out of singular positions; nobody watches there."""
        return replace(self.request, method="taylor", order=self.options.chosen_order, step=0.0, watch=False)

    def leave(self, departure: Departure) -> None:
        """Begin after the step out of a singular position."""
        step, end = Store(), self.request.t_end
        step.append(departure.chunk)
        if departure.t < end:
            self.begin(departure.t, departure.q, departure.u)
        else:
            step.cut(end)
            q, u, _, _ = step.evaluate(np.array([0]), step.h)
            self.begin(end, q[0], u[0])
        self.store.append(self.look(step.chunks[0]))
        if self.status is Status.STOPPED:
            self.stop(self.crossings[-1])

    def look(self, chunk: Chunk) -> Chunk:
        """Find crossings in steps that no machine has made, and cut them where a law switches."""
        if not self.watcher.active:
            return chunk
        self.looking.request, self.looking.sides = self.request, self.machine.sides
        self.status, chunk = self.looking.look(self.status, chunk)
        self.machine.sides = self.looking.sides
        self.crossings += self.looking.take_crossings()
        return chunk

    def leap(self) -> None:
        """Where steps become too small near a singular position, go on beyond it."""
        q, u, _, _ = self.machine.end
        end, status = Origin(self.machine.t, q.copy(), u.copy()), self.status
        self.tallies.append(self.machine.tally)
        # events have been told up to here
        found = find_leap(self.machine, self.series, None if self.watcher.active else self.store, end)
        if found is None:
            self.begin(end.t, end.q, end.u)
            self.status = status
            if self.pace.words:
                self.outcome = f"stopped at t = {end.t:g}: {self.pace.words}"
            return
        begin, departure = found
        if begin.t < end.t:
            self.store.cut(begin.t)
        self.leave(departure)

    def begin(self, t: float, q: Floats, u: Floats, h_max: float = math.inf) -> None:
        """Start, or start again, at a state; the first step may be held short."""
        self.held = math.isfinite(h_max)
        request = replace(self.request, h_max=h_max) if h_max < self.request.h_max else self.request
        status = self.machine.begin(request, t, q, u)
        self.status = Status.MORE if status is Status.FINISHED else status

    def stop(self, crossing: Crossing) -> None:
        """End the run at an event, in one of the newest steps."""
        step = max(0, int(np.searchsorted(self.store.t, crossing.t, side="right")) - 1)
        q, u, _, _ = self.store.evaluate(np.array([step]), np.array([crossing.t - self.store.t[step]]))
        self.tallies.append(self.machine.tally)
        self.begin(crossing.t, q[0], u[0])
        self.store.cut(crossing.t)
        self.machine.advance(0.0, 0)
        self.outcome = f"stopped at t = {crossing.t:.9g} by event '{crossing.name}'"

    def find_events(self, first: int) -> None:
        """What was noticed in the newest steps: events, some of which act or end the run, and barriers that let go."""
        noticed = self.machine.take_crossings()
        release = None if self.acting is None else self.acting.find_release(self.store, first - self.gone)
        if release is not None and not any(c.stop and c.t <= release.t for c in noticed):
            self.crossings += [c for c in noticed if c.t < release.t]
            self.let_go(release)
        elif self.status is Status.STOPPED and self.acting is not None:
            self.act(noticed)
        else:
            self.crossings += noticed
            if self.status is Status.STOPPED:
                self.stop(noticed[-1])

    def act(self, noticed: list[Crossing]) -> None:
        """Something happens at the last crossing, and at those that are there at the same time."""
        t = noticed[-1].t
        step = max(0, int(np.searchsorted(self.store.t, t, side="right")) - 1)
        h = float(self.store.h[step])  # the step itself goes if it begins here
        span = INSTANT * max(abs(t), h)
        now = [c.watch for c in noticed if t - c.t <= span]
        self.crossings += [c for c in noticed if t - c.t > span]
        alone = len(set(now)) == len(self.system.watches)  # nothing else can happen
        times = np.array([0.0] if alone else [0.0, -span, span])
        q, u, _ = self.store.along(step, t - self.store.t[step] + times)
        beside: dict[int, bool] = {}
        if not alone:
            assert self.acting is not None
            before, after = (self.acting.instants.at(t + times[k], q[k], u[k]) for k in (1, 2))
            now += [watch for watch in set_off(self.system, before, after) if watch not in now]
            beside = self.acting.find_beside(before, after)
        self.go_on(t, lambda acting: acting.react(sorted(now), t, q[0], u[0]), now)
        self.turn_back(t, h, beside)
        self.leave_zero(t, h, now)

    def leave_zero(self, t: float, h: float, happened: list[int]) -> None:
        """Events that have acted are on the side where their values go: these may come back at once, or without end."""
        watches = [watch for watch in happened if watch in self.system.acts]
        if not watches or self.status is not Status.MORE or self.outcome:
            return
        assert self.acting is not None
        struck = any(watch in self.acting.by_watch for watch in happened)  # a stop comes to rest by itself
        self.machine.advance(0.0, 0)  # for the accelerations after what happened
        q, u, a, _ = (x.copy() for x in self.machine.end)
        span, sides, at = GOING * h, list(self.machine.sides), self.acting.instants.at
        now = at(t, q, u).watches
        change = at(t + span, q + span * u, u + span * a).watches - at(t - span, q - span * u, u - span * a).watches
        # what values change by if places are wrong by rounding
        wrong = ROUNDED * (np.abs(q) + float(np.max(self.system.scales)))
        noise = np.abs(at(t, q + wrong * np.cos(np.arange(1, len(q) + 1)), u).watches - now)
        clear = np.abs(change) > SHOWN * noise
        for watch in watches:
            if clear[watch] and abs(float(now[watch])) <= NEAR * abs(float(change[watch])):
                positive = bool(change[watch] > 0.0)
                sides[watch] = Side(positive, None, positive)
            if struck:
                continue
            known = self.pauses.get(watch)
            pauses = self.pauses[watch] = Pauses(t) if known is None else known.after(t)
            if pauses.are_endless(resolved=bool(clear[watch])):
                self.outcome = describe_endless(t, self.system.watches[watch].name)
        self.machine.sides = sides

    def turn_back(self, t: float, h: float, beside: dict[int, bool]) -> None:
        """Watches that cross zero beside what happened, where it does not count, and turn back at once: that counts."""
        while beside and self.status is Status.MORE and not self.outcome:
            assert self.acting is not None
            self.machine.advance(0.0, 0)  # for the accelerations after what happened
            q, u, a, _ = (x.copy() for x in self.machine.end)
            soon = self.acting.instants.at(t + SOON * h, q + SOON * h * u, u + SOON * h * a)
            turned = self.acting.find_turned(self.acting.instants.at(t, q, u), soon, beside)
            if not turned:
                return
            beside = {watch: side for watch, side in beside.items() if watch not in turned}
            self.go_on(t, lambda acting: acting.react(turned, t, q, u), turned)  # noqa: B023 (called at once)

    def let_go(self, release: Release) -> None:
        """A barrier that would have to pull lets go."""
        t, step = release.t, release.step
        q, u, _ = self.store.along(step, np.array([t - self.store.t[step]]))
        self.go_on(t, lambda acting: acting.release(release, q[0], u[0]))

    def go_on(self, t: float, happen: Callable[[Acting], Aftermath], now: Sequence[int] = ()) -> None:
        """Start again after something happens, to some watches among others."""
        assert self.acting is not None
        self.tallies.append(self.machine.tally)
        self.store.cut(t)
        try:
            after = happen(self.acting)
        except SolveError as error:
            q, u, _, _ = self.store.evaluate(np.array([self.store.count - 1]), self.store.h[-1:])
            self.begin(t, q[0], u[0])
            self.machine.advance(0.0, 0)
            self.status, self.outcome = Status.TOO_SMALL, f"stopped at t = {t:.9g}: {error}"
            return
        known = self.machine.sides
        if after.new:
            self.switch(t, after, now)
        else:
            self.machine.sides = self.acting.sides(known)
        self.begin(t, after.at.q, after.at.u)
        if after.stop:
            self.machine.advance(0.0, 0)
            self.outcome = f"stopped at t = {t:.9g} by event '{after.stop}'"

    def switch(self, t: float, after: Aftermath, now: Sequence[int] = ()) -> None:
        """Constraints go on and off, and what happened is noted; what did not happen is still where it was."""
        assert self.acting is not None and self.switched is not None
        self.switched.switch(after.off)
        sides = self.acting.sides()
        for i, before in enumerate(self.machine.sides):
            stays = before.positive is not None and bool(after.at.watches[i] >= 0.0) == before.positive
            if stays and sides[i].positive is None and i not in now:
                sides[i] = Side(before.positive, None, before.positive)
        self.machine.sides = sides
        name = after.told[0].name if after.told else "friction" if self.breaks else "start"
        self.breaks.append(Break(step=self.store.count, t=t, name=name, off=after.off, loss=after.loss))
        self.happened += after.told
        recent = self.breaks[-ENDLESS:]
        if len(recent) == ENDLESS and t - recent[0].t <= INSTANT * max(abs(t), abs(self.request.t_end)):
            self.status = Status.TOO_SMALL
            self.outcome = f"stopped at t = {t:g}: event '{name}' happens again and again at one time"

    def release(self) -> None:
        """After a step that was held short, go on freely."""
        self.tallies.append(self.machine.tally)
        q, u, _, _ = self.machine.end
        self.begin(self.machine.t, q.copy(), u.copy())

    def is_hopeless(self, before: float) -> bool:
        """Whether the run stands still, or its steps have become too short to arrive."""
        now, count = self.machine.t, self.made
        if self.pace.stands_still(now, before):
            return True
        if not self.pace.is_due(count):
            return False
        rejected = sum(tally.rejected for tally in (*self.tallies, self.machine.tally))
        return self.pace.is_crawling(now, count, rejected, float(np.max(self.store.h)))

    def trajectory(self, start: Start, end: End, outcome: str, about: About) -> Trajectory:
        machine = self.machine
        tally = Tally.total([*self.tallies, machine.tally])
        stats = Stats(
            steps=self.made,
            rejected=tally.rejected,
            order=self.request.order,
            tol=self.options.tol,
            factorisations=tally.factorisations,
            redundant=tally.redundant,
            seconds=self.seconds,
            elapsed=time.perf_counter() - self.began,
            compiled=machine.compiled,
            fused=tally.fused,
            method=self.method,
            end=end,
            kinematic=self.options.kinematic,
            fitted=max(start.fit.misfit, start.fit.change) if start.fit else 0.0,
        )
        final = self.final(about)
        self.thin(0)
        system, store, breaks, kept = about.system or self.system, self.store, self.breaks, None
        if self.thinner is not None:
            store, kept = self.thinner.store, self.thinner.kept_turns(float(final.t))
            breaks = [replace(b, step=int(np.searchsorted(store.t, b.t))) for b in breaks]
        noticed = (Occurrence(name=c.name, t=c.t) for c in self.crossings)
        events = sorted([*noticed, *self.happened], key=lambda event: event.t)
        turning = Turning(lambda: find_seen_angles(about.mechanism, system), store, start.turns, kept)
        final.turns = TurnsAt(turning, final.t) if kept is None else KnownTurns(kept.end)
        return Trajectory(system, store, final, stats, outcome, events, breaks, about, turning=turning)

    def final(self, about: About) -> Snapshot:
        """The last state; before a jump the end of the last step that surely did not cross it."""
        if self.status is not Status.JUMP or self.store.count < 2:
            q, u, a, lam = (x.copy() for x in self.machine.end)
            lam = lam if about.system is None else make_balance(about.system)(np.asarray(self.machine.t), q, u, a)
            return self.snapshot(self.machine.t, (q, u, a, lam), about)
        self.store.drop_last()
        last, h = np.array([self.store.count - 1]), self.store.h[-1:]
        q, u, a, lam = (x[0] for x in self.store.evaluate(last, h))
        return self.snapshot(float(self.store.t[-1] + h[0]), (q, u, a, lam), about)

    def snapshot(self, t: float, arrays: tuple[Floats, Floats, Floats, Floats], about: About) -> Snapshot:
        """A state from which a motion can go on."""
        off, sides = frozenset[int]() if self.acting is None else self.acting.off, tuple(self.machine.sides)
        return Snapshot(about.system or self.system, np.asarray(t), arrays, about.mechanism, off=off, sides=sides)


def _keep_fixed(chunk: Chunk, start: Start) -> Chunk:
    """The first steps, with what is fixed exactly as given: projections may have moved it by rounding."""
    if len(chunk.t):
        for order, value, which in zip((0, 1), (start.q, start.u), start.fixed, strict=True):
            chunk.series[0, order, chunk.coordinate[which]] = value[which]
    return chunk
