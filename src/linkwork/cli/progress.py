"""Progress: a bar on the terminal for what lasts long enough to need one, as a simulation does."""

from __future__ import annotations

import logging
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from linkwork.cli.common import say
from linkwork.errors import AccuracyWarning, SolveError

if TYPE_CHECKING:
    from linkwork.pipeline import Model
    from linkwork.results import Trajectory

BAR_AFTER = 0.5  # seconds before a bar appears


class Compiling(logging.Handler):
    """A line on the terminal while code is compiled, which is only the first time; gone when it is done."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.shown = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line over the one before."""
        done, total = record.args if isinstance(record.args, tuple) and len(record.args) == 2 else (0, 0)
        text = "" if done == total else f"{record.getMessage()} ..."
        sys.stderr.write(f"\r{text:{self.shown}}" + ("" if text else "\r"))
        sys.stderr.flush()
        self.shown = len(text)


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Say on the terminal, if there is one, that code is being compiled."""
    if not sys.stderr.isatty():
        yield
        return
    log, handler = logging.getLogger("linkwork.compiler"), Compiling()
    before = log.level, log.propagate
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]


class Bar:
    """Called with how far the work has come, from `begin` to `end`; shown at the end of `words`."""

    def __init__(self, label: str, begin: float, end: float, words: str, quiet: bool = False) -> None:
        self.label, self.begin, self.end, self.words = label, begin, end, words
        self.begun = time.perf_counter()
        self.wanted = not quiet and sys.stderr.isatty()
        self.bar: Any = None

    @staticmethod
    def of_run(assembly: Model, until: float | None, quiet: bool) -> Bar:
        """A bar for a simulation, from the start of the mechanism's time."""
        m = assembly.mechanism
        begin = m.compute(m.start.t0)
        end = until if until is not None else m.compute(m.start.tend) if m.start.tend is not None else begin
        return Bar("simulating", begin, end, "t = {task.fields[now]:.4g}", quiet)

    def __enter__(self) -> Bar:
        return self

    def __call__(self, now: float) -> None:
        if not self.wanted or (self.bar is None and time.perf_counter() - self.begun < BAR_AFTER):
            return
        if self.bar is None:
            from rich.console import Console
            from rich.progress import Progress, TextColumn

            columns = (*Progress.get_default_columns(), TextColumn(self.words))
            self.bar = Progress(*columns, transient=True, console=Console(stderr=True))
            self.bar.start()
            self.task = self.bar.add_task(self.label, total=self.end - self.begin, now=now)
        self.bar.update(self.task, completed=now - self.begin, now=now)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


@contextmanager
def waiting(words: str, quiet: bool) -> Iterator[None]:
    """Say on the terminal, if there is one, what is being done, once it lasts."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(words)
    timer = threading.Timer(BAR_AFTER, status.start)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()


def simulate(assembly: Model, until: float | None, quiet: bool, **options: Any) -> tuple[Trajectory, SolveError | None]:
    """The motion as far as it comes, and why it ended early if it did; it is an error if nothing was computed."""
    try:
        with Bar.of_run(assembly, until, quiet) as progress, warnings.catch_warnings(), _compiling_quiet(quiet):
            # commands say by themselves what is doubtful
            warnings.simplefilter("ignore", AccuracyWarning)
            motion = assembly.simulate(until, progress=progress, **options)
    except SolveError as error:
        cut: Any = error.motion
        if cut is None or len(cut.t) < 2:
            raise
        return cut, error
    return motion, SolveError(motion.outcome) if motion.stats.end in ("interrupted", "out of time") else None


@contextmanager
def _compiling_quiet(quiet: bool) -> Iterator[None]:
    log = logging.getLogger("linkwork.compiler")
    before = log.level
    if quiet:
        log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


def tell_doubts(motion: Trajectory) -> None:
    """What is doubtful about a motion, beside what a command writes."""
    for doubt in motion.doubts:
        say(f"warning: {doubt}", err=True)
