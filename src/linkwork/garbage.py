"""Fewer looks for garbage while equations are made: they are many small objects that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARELY = 50_000, 20, 100  # objects made, and looks at younger ones, before a look


def collect_rarely() -> None:
    """From now on, for a process that is ours alone."""
    gc.set_threshold(*RARELY)


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Inside, unless somebody has switched the looks off, or made them as rare."""
    before = gc.get_threshold()
    if 0 < before[0] < RARELY[0]:
        collect_rarely()
    try:
        yield
    finally:
        gc.set_threshold(*before)
