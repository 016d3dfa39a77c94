"""How long work may take: a limit in seconds around it, and a question that long searches ask on their way.

Knows nothing of the work. A limit holds for all that is called inside it, in this thread; the earliest end counts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from linkwork.errors import InputError, Problem, TimeLimitError, show_value

LONGEST = 1e300  # seconds


@dataclass(frozen=True, slots=True)
class _Limit:
    """When the work must end, and how many seconds it was given."""

    end: float
    seconds: float


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """What is done inside ends in words after so many seconds; None sets no limit.

    >>> with time_limit(60):
    ...     seconds_left() > 50
    True
    """
    if seconds is None:
        yield
        return
    if not _is_positive(seconds):
        what = f"{show_value(seconds)} is no time to work in"
        raise InputError([Problem(part="max_seconds", what=what, remedy="Give a positive number of seconds")])
    limit, before = _Limit(time.monotonic() + float(seconds), float(seconds)), _limit.get()
    token = _limit.set(limit if before is None or limit.end < before.end else before)
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def no_limit() -> Iterator[None]:
    """What is done inside takes the time it takes: telling what was computed, when the time is over."""
    token = _limit.set(None)
    try:
        yield
    finally:
        _limit.reset(token)


def _is_positive(seconds: object) -> bool:
    return isinstance(seconds, int | float) and seconds > 0 and (seconds <= LONGEST or seconds == math.inf)


def seconds_left() -> float:
    """Until the limit; infinite without one."""
    limit = _limit.get()
    return math.inf if limit is None else limit.end - time.monotonic()


def seconds_allowed() -> float:
    """That the limit gave; infinite without one."""
    limit = _limit.get()
    return math.inf if limit is None else limit.seconds


def check_time(doing: str) -> None:
    """End the work if its time is over; `doing` says what is not finished, as 'the search for a start'."""
    if seconds_left() <= 0.0:
        raise TimeLimitError(f"{doing} was not finished in {seconds_allowed():g} s. Allow more with max_seconds")
