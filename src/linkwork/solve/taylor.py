"""Integration by Taylor series: a System and a consistent start in, a Trajectory out.

The steps are made by a machine of `native`; here the order is chosen, chunks of steps are collected, progress is
told, Ctrl-C is honoured, and the end of the run is put into words.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.equations import System
from linkwork.errors import InputError, Problem, SolveError
from linkwork.native import Machine, ReferenceMachine, Request, Status, make_machine
from linkwork.results import MEMORY, State, Stats, Store, Trajectory
from linkwork.solve.start import Start

DEFAULT_TOL = 1e-10
SMALLEST_TOL, LARGEST_TOL = 1e-16, 1e-2
SMALLEST_ORDER, LARGEST_ORDER = 4, 60
SLICE = 0.1  # seconds between looks at the clock, the progress bar and the keyboard

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Taylor:
    """Options of the integrator.

    tol        allowed error of one step, relative to the size of the mechanism (for angles: radians)
    order      of the series; None chooses it by the tolerance
    max_step   largest step [s]
    max_steps  give up after so many steps
    memory     bytes of polynomials kept in memory; more goes to a temporary file
    compiled   None: if there is a compiler
    """

    tol: float = DEFAULT_TOL
    order: int | None = None
    max_step: float = math.inf
    max_steps: int = 50_000_000
    memory: int = MEMORY
    compiled: bool | None = None

    def __post_init__(self) -> None:
        problems = []
        if not SMALLEST_TOL <= self.tol <= LARGEST_TOL:
            problems.append(f"tol = {self.tol:g} is outside {SMALLEST_TOL:g} .. {LARGEST_TOL:g}")
        if self.order is not None and not SMALLEST_ORDER <= self.order <= LARGEST_ORDER:
            problems.append(f"order = {self.order} is outside {SMALLEST_ORDER} .. {LARGEST_ORDER}")
        if not self.max_step > 0:
            problems.append(f"max_step = {self.max_step:g} is not positive")
        if problems:
            raise InputError(Problem(what=what) for what in problems)

    @property
    def chosen_order(self) -> int:
        """The given order, or one that makes this tolerance cheap: a flat optimum, measured in benchmarks/orders.py."""
        return self.order or max(8, min(30, round(5.0 - 1.5 * math.log10(self.tol))))


def integrate(
    system: System, start: Start, until: float, options: Taylor, progress: Progress | None = None, title: str = ""
) -> Trajectory:
    """The motion from a consistent start to the time `until`. Raises SolveError with the motion so far if it cannot."""
    machine = make_machine(system, start.q, compiled=options.compiled)
    return integrate_with(machine, system, start, until, options, progress, title)


def integrate_with(
    machine: Machine | ReferenceMachine,
    system: System,
    start: Start,
    until: float,
    options: Taylor,
    progress: Progress | None = None,
    title: str = "",
) -> Trajectory:
    """The same with a machine that is already made."""
    if not (math.isfinite(until) and until >= start.t):
        what = f"cannot simulate until t = {until:g}: the start is at t = {start.t:g}"
        raise InputError([Problem(what=what, remedy="Give a later time")])
    order = options.chosen_order
    request = Request(t_end=until, tol=options.tol, order=order, h_max=options.max_step)
    store = Store(options.memory)
    status = machine.begin(request, start.t, start.q, start.u)
    status = Status.MORE if status is Status.FINISHED else status
    seconds = 0.0
    with _Interruption() as interruption:
        while status is Status.MORE and store.count < options.max_steps and not interruption.asked:
            seconds -= time.perf_counter()
            status, chunk = machine.advance(SLICE, options.max_steps - store.count)
            seconds += time.perf_counter()
            store.append(chunk)
            if progress is not None:
                progress(machine.t)
    motion = _trajectory(machine, system, store, options, order, seconds, title)
    motion.outcome = _outcome(machine, status, until, interruption.asked and status is Status.MORE)
    if status not in (Status.FINISHED, Status.MORE):
        raise SolveError(motion.outcome, motion)
    return motion


class _Interruption:
    """Ctrl-C ends the run after the current slice, with everything kept; a second one ends it at once."""

    def __init__(self) -> None:
        self.asked = False

    def __enter__(self) -> _Interruption:
        self.mine = threading.current_thread() is threading.main_thread()
        if self.mine:
            self.before = signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, number: int, frame: object) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: object) -> None:
        if self.mine:
            signal.signal(signal.SIGINT, self.before)


def _trajectory(
    machine: Machine | ReferenceMachine,
    system: System,
    store: Store,
    options: Taylor,
    order: int,
    seconds: float,
    title: str,
) -> Trajectory:
    tally = machine.tally
    stats = Stats(
        steps=tally.steps,
        rejected=tally.rejected,
        order=order,
        tol=options.tol,
        factorisations=tally.factorisations,
        redundant=tally.redundant,
        seconds=seconds,
        compiled=isinstance(machine, Machine),
    )
    q, u, a, lam = (x.copy() for x in machine.end)
    final = State(system, np.asarray(machine.t), (q, u, a, lam))
    return Trajectory(system, store, final, stats, "", title)


def _outcome(machine: Machine | ReferenceMachine, status: Status, until: float, interrupted: bool) -> str:
    if interrupted:
        return f"interrupted at t = {machine.t:g}; what was computed is kept"
    words = {
        Status.FINISHED: f"reached t = {until:g}",
        Status.MORE: f"stopped at t = {machine.t:g} after {machine.tally.steps} steps, the most that were allowed",
        Status.TOO_SMALL: f"stopped at t = {machine.t:g}: the step became too small. The mechanism is near a singular "
        "position or a force changes too fast there",
        Status.NOT_FINITE: f"stopped at t = {machine.t:g}: a value is not finite. A spring may have shrunk to nothing "
        "or the positions may have run away",
        Status.NO_INERTIA: f"stopped at t = {machine.t:g}: coordinate '{machine.culprit}' can move without moving any "
        "mass, so its motion is undefined. Give the part a mass or connect it",
        Status.NOT_CLOSED: f"stopped at t = {machine.t:g}: the constraints can no longer be met",
    }
    return words[status]
