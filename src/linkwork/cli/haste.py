"""What makes a short command short: fewer looks for garbage, fewer imports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from linkwork.garbage import rarely_collected


@contextmanager
def hurried() -> Iterator[None]:
    """Look for garbage rarely inside, and import sparse matrices without what they do not use."""
    with rarely_collected():
        with _names_of_numpy():
            import scipy.sparse  # noqa: F401
        yield


@contextmanager
def _names_of_numpy() -> Iterator[None]:
    """Let scipy, which copies all of numpy, find what is there: other names import tests and a reader of Fortran."""
    kept: dict[str, object] = {name: getattr(np, name) for name in ("__all__", "__dir__") if name in vars(np)}
    there = [name for name in np.__all__ if name in vars(np)]
    vars(np).update(__all__=there, __dir__=lambda: there)
    try:
        yield
    finally:
        del np.__all__, np.__dir__
        vars(np).update(kept)
