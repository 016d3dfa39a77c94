"""Fewer looks for garbage while equations are made: they are many small objects that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARELY = 50_000, 20, 100  # objects made, and looks at younger ones, before a look


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Inside, unless somebody has switched the looks off, or made them as rare."""
    before = gc.get_threshold()
    if 0 < before[0] < RARELY[0]:
        gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
