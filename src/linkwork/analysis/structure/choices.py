"""Which initial values may be fixed: a basis of free motions in, groups of coordinates out.

The rows of a null space basis N of G say how each coordinate moves with the freedoms. A set of coordinates may be
fixed if their rows are independent. Coordinates with parallel rows move together, so one of them stands for all;
coordinates such as those of a point on a sphere span a plane, so any two of the three will do. Groups are taken one
after another, each seen when those before it stand still, so any choice within the groups is admissible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.model.bodies import say_hidden

STILL = 1e-6  # a row this small does not move
PARALLEL = 1e-6  # sine of the angle between parallel rows
SEVERAL = 2000  # combinations looked at to make sure that any choice within a group will do

NUMERALS = ("no", "one", "two", "three", "four", "five", "six")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Of these coordinates any `count` may be fixed."""

    count: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        names = [say_hidden(name) for name in self.names]
        if self.count == len(names):
            return " and ".join(names)
        count = NUMERALS[self.count] if self.count < len(NUMERALS) else str(self.count)
        return f"{count} of {', '.join(names)}"


def find_choices(N: Floats, names: Sequence[str], families: Iterable[Sequence[int]] = ()) -> tuple[Choice, ...]:
    """Groups for each freedom; `families` are coordinates that belong together, such as those of a point in space."""
    rows, left, choices = N.copy(), N.shape[1], []
    sets = [np.array(family) for family in families]
    while left > 0:
        size = np.linalg.norm(rows, axis=1)
        moving = np.flatnonzero(size > STILL)
        chosen, count = _together(rows, size, moving), 1
        if len(chosen) == 1:
            chosen, count = min(_spanning(rows, size, sets), key=lambda f: (f[1], f[0][0]), default=(chosen, 1))
        choices.append(Choice(count=count, names=tuple(names[i] for i in chosen)))
        # what is left when they stand still
        _, _, Vt = np.linalg.svd(rows[chosen] / size[chosen, None], full_matrices=False)
        rows -= (rows @ Vt[:count].T) @ Vt[:count]
        left -= count
    return tuple(choices)


def _together(rows: Floats, size: Floats, moving: Ints) -> Ints:
    """The largest set of coordinates that move together; of equal ones the first."""
    unit = rows[moving] / size[moving, None]
    # parallel rows have the same shadow on any vector: look for equal shadows, then make sure
    shadow = np.abs(unit @ np.random.default_rng(1).standard_normal(unit.shape[1]))
    order = np.argsort(shadow, kind="stable")
    runs = np.split(order, np.flatnonzero(np.diff(shadow[order]) > PARALLEL) + 1)
    best = np.zeros(0, dtype=np.int64)
    for run in sorted(runs, key=lambda r: (-len(r), int(r.min()))):
        if len(run) < len(best):
            break
        same = _parallel(unit, np.sort(run))
        if len(same) > len(best) or (len(same) == len(best) and same[0] < best[0]):
            best = same
    return moving[best]


def _parallel(unit: Floats, run: Ints) -> Ints:
    """Of a run with equal shadows the largest set that is truly parallel."""
    across = np.linalg.norm(unit[run][None] - (unit[run] @ unit[run].T)[:, :, None] * unit[run][:, None], axis=2)
    parallel = across < PARALLEL
    same: Ints = run[parallel[int(np.argmax(parallel.sum(axis=1)))]]
    return same


def _spanning(rows: Floats, size: Floats, families: list[Ints]) -> list[tuple[Ints, int]]:
    """Families of more coordinates than they have freedoms, any of which will do."""
    found = []
    for family in families:
        members = family[size[family] > STILL]
        if len(members) < 3:
            continue
        unit = rows[members] / size[members, None]
        count = int(np.sum(np.linalg.svd(unit, compute_uv=False) > PARALLEL))
        if count < len(members) and _any_will_do(unit, count):
            found.append((members, count))
    return found


def _any_will_do(unit: Floats, count: int) -> bool:
    sets = list(combinations(range(len(unit)), count))
    if len(sets) > SEVERAL:
        return False
    return bool(np.linalg.svd(unit[np.array(sets)], compute_uv=False).min() > PARALLEL)
