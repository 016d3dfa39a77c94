"""Signals, streams and threads of the process while a command runs; afterwards they are as they were."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# of libraries for dense matrices: ours are small, and threads wait for each other for longer than they work
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "OMP_NUM_THREADS")
STREAMS = ("stdin", "stdout", "stderr")


@contextmanager
def streams_open() -> Iterator[None]:
    """Input and output that somebody closed are the null device; signs that an output lacks are spelled out."""
    before = {name: getattr(sys, name) for name in STREAMS}
    for number, name in enumerate(STREAMS):
        _open_number(number)
        if before[name] is None:
            setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    strict = [s for s in (sys.stdout, sys.stderr) if isinstance(s, io.TextIOWrapper) and s.errors == "strict"]
    for stream in strict:
        stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        for stream in strict:
            stream.reconfigure(errors="strict")
        for name in (name for name in STREAMS if before[name] is None):
            setattr(sys, name, None)


def _open_number(number: int) -> None:
    """Let no file that is written later get the number of a closed stream: what children print would go there."""
    try:
        os.fstat(number)
    except OSError:
        found = os.open(os.devnull, os.O_RDWR)
        os.set_inheritable(found, True)


@contextmanager
def one_thread() -> Iterator[None]:
    """Libraries for dense matrices that are loaded inside use one thread, whatever the environment says."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def signals_heard() -> Iterator[Callable[[], None]]:
    """A kind request to end, SIGTERM, is heard as Ctrl-C is; until the function given is called Ctrl-C ends at once.

    Who ignores a signal, or handles it in a way of his own, goes on doing so; so does who is not in the main thread.
    """
    own = {signal.SIGTERM: (signal.SIG_DFL, _interrupt), signal.SIGINT: (signal.default_int_handler, _leave)}
    mine = {number: before for number, (before, _) in own.items() if signal.getsignal(number) == before}
    try:
        for number in mine:
            signal.signal(number, own[number][1])
    except ValueError:  # another thread than the main one
        mine = {}
    try:
        yield lambda: _listen(signal.SIGINT in mine)
    finally:
        for number, before in mine.items():
            signal.signal(number, before)


def _listen(heard: bool) -> None:
    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(*_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def _leave(*_: object) -> None:
    """End while modules are imported: nothing was begun, and an exception would be lost or told as another one."""
    os.write(2, b"linkwork: interrupted\n")
    os._exit(1)
