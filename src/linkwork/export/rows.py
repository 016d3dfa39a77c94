"""Arrays that callers give: numbers, as wide as they must be, for as many states as there are. Knows no model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.arrays import Floats
from linkwork.errors import LinkworkError, show_value

Lead = tuple[int, ...]  # the axes in front


def as_array(given: ArrayLike, word: str) -> Floats:
    """Numbers one after the other in memory."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise LinkworkError(f"{word}: an array with masked entries. Give numbers for all of them")
    try:
        found = np.asarray(given, order="C")
        if found.dtype.kind in "iuf" or (found.dtype.kind == "O" and all(map(_is_number, found.flat))):
            return found.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise LinkworkError(f"{word}: {show_value(given)} is no array of numbers. Give numbers")


def as_rows(given: ArrayLike, word: str, width: int, entries: str = "entries") -> Floats:
    """The same, where the last axis has so many entries."""
    found = as_array(given, word)
    if found.shape[-1:] != (width,):
        raise LinkworkError(f"{word} has the shape {found.shape}; its last axis has {width} {entries}")
    return found


def find_lead(t: Floats, rows: Mapping[str, Floats], others: Mapping[str, Floats] | None = None) -> Lead:
    """The axes in front of times and rows, by which others are to go, too."""
    others = others or {}
    leads = {array.shape[:-1] for array in rows.values()}
    if len(leads) == 1 and not (t.ndim or others):
        return leads.pop()
    try:
        lead = np.broadcast_shapes(t.shape, *(array.shape[:-1] for array in rows.values()))
        if np.broadcast_shapes(lead, *(array.shape[:-1] for array in others.values())) == lead:
            return lead
    except ValueError:
        pass
    shapes = ", ".join(f"{word} {array.shape}" for word, array in {**rows, **others}.items())
    raise LinkworkError(f"the shapes do not belong to as many states: t {t.shape}, {shapes}")


def spread(rows: Floats, lead: Lead) -> Floats:
    """A row for each state."""
    return np.ascontiguousarray(rows if rows.shape[:-1] == lead else np.broadcast_to(rows, (*lead, rows.shape[-1])))


def _is_number(given: Any) -> bool:
    """Whether it is a number of another kind, such as a fraction."""
    return not isinstance(given, str | bytes | bool) and given is not None
