"""Branches: the different ways in which a mechanism can be put together while some of its values are held.

A consistent state in, the list of branches out, nearest to the guess first. Held are the values the user fixed, and
what else he gave of the same points as far as the start kept it; if that leaves freedom, further points are held where
the start has them. Many guesses are closed, always the same ones, until no new branch turns up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.errors import Ref, StartError, TimeLimitError
from linkwork.given import as_names
from linkwork.native.rank import split
from linkwork.solve.start.assemble import LARGE as MANY
from linkwork.solve.start.closing import CLOSED, close
from linkwork.solve.start.freedom import propose_positions
from linkwork.solve.start.nearest import slide
from linkwork.solve.start.wanted import Wanted, find_coordinates

KEPT = 1e-9  # a given value that the start moves by less than this, in scales, is kept
SAME = 1e-6  # branches that differ by less than this, in scales, are the same
SAME_LOOSE = 1e-3  # the same where a branch can be moved or two of them meet, so that it is found less exactly
# guesses closed at once, how often at most, and in how many steps: in small, in large and in very large systems
SMALL, LARGE, VERY_LARGE = (256, 12, 300), (16, 3, 100), (4, 2, 60)
SLIDES = 60  # branches that can be moved are slid to the start, each taking as long as many guesses
MOST = 100  # branches after which the search ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One way to assemble: its number (1 is the nearest), its positions, its distance from the guess.

    distance  root mean square, in scales, by weight
    loose     in how many directions it can still be moved, although everything is held
    """

    number: int
    q: Floats
    distance: float
    loose: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """All branches found, which coordinates were held, and the number of the branch of the start."""

    branches: tuple[Branch, ...]
    held: tuple[str, ...]
    start: int
    finished: bool
    places: tuple[tuple[str, tuple[int, ...]], ...]

    def __len__(self) -> int:
        return len(self.branches)

    def __iter__(self) -> Iterator[Branch]:
        return iter(self.branches)

    def __getitem__(self, number: int) -> Branch:
        """A branch by its number, from 1."""
        if not 1 <= number <= len(self.branches):
            raise StartError(f"no branch {number}: {_count(len(self.branches))}, numbered from 1")
        return self.branches[number - 1]

    def text(self) -> str:
        """The list for people: where each branch puts the points in which they differ."""
        held = f"with {', '.join(self.held)} held" if self.held else "with nothing held"
        more = "" if self.finished else " and there may be more"
        lines = [f"{_count(len(self.branches))}{more}, {held}"]
        Q = np.array([branch.q for branch in self.branches])
        size = float(np.max(np.abs(Q), initial=0.0))
        moving = [(name, list(at)) for name, at in self.places if (np.ptp(Q[:, at], axis=0) > SAME * size).any()]
        for branch in self.branches:
            shown = np.where(np.abs(branch.q) < SAME * size, 0.0, branch.q)
            places = ", ".join(f"{name} ({', '.join(f'{x:.4g}' for x in shown[at])})" for name, at in moving)
            notes = " (the start)" if branch.number == self.start else ""
            notes += f" (can still be moved: {branch.loose})" if branch.loose else ""
            lines.append(f"{branch.number:3d}  {places or 'the only one'}{notes}")
        return "\n".join(lines)


def _count(n: int) -> str:
    return f"{n} branch{'' if n == 1 else 'es'}"


def find_branches(wanted: Wanted, q: Floats, hold: Iterable[str] | None = None) -> Branches:
    """The branches that share some values with a consistent state q: those that were kept, or those `hold` names."""
    s = wanted.system
    held = _held(wanted, q, hold)
    search = _Search(wanted.holding(held, q))
    search.add(q)
    finished = search.run()
    found = [search.wanted.unwound(x) for x in search.found]
    distances = np.sqrt(wanted.distances(np.array(found).T) / max(1, s.n))
    order = np.argsort(np.round(distances, 9), kind="stable")
    branches = tuple(
        Branch(number=k + 1, q=found[i], distance=float(distances[i]), loose=search.loose[i])
        for k, i in enumerate(order)
    )
    return Branches(
        branches=branches,
        held=tuple(s.coordinates[i] for i in held),
        start=int(np.flatnonzero(order == 0)[0]) + 1,
        finished=finished,
        places=tuple((name, at) for name, at in {**s.chart.points, **_scalars(s)}.items() if at[0] < s.n),
    )


def _held(wanted: Wanted, q: Floats, hold: Iterable[str] | None) -> Ints:
    """The coordinates to hold: the fixed ones, those kept beside them or named, and points until nothing can move."""
    s = wanted.system
    held = wanted.position.fixed.copy()
    if hold is None:
        kept = wanted.position.given & (np.abs(q - wanted.position.values) <= KEPT * s.scales)
        for at in _moving_points(s):
            held[at] |= kept[at] & held[at].any()
    else:
        for name in [hold] if isinstance(hold, str) else as_names(hold, Ref("hold"), ""):
            held[find_coordinates(s, name, f"hold '{name}'")] = True
    for i in propose_positions(wanted, q, first=np.flatnonzero(held)):
        if not held[i]:
            held[next((at for at in _moving_points(s) if i in at), [i])] = True
    return np.flatnonzero(held)


def _scalars(s: System) -> dict[str, tuple[int]]:
    """The coordinates that belong to no point."""
    return {s.coordinates[i]: (i,) for i in set(range(s.n)) - {i for at in s.chart.points.values() for i in at}}


def _moving_points(s: System) -> list[list[int]]:
    return [list(at) for at in s.chart.points.values() if at[0] < s.n]


class _Search:
    """Branches found so far, and how often."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.scales = wanted.system.scales
        self.turns = [i for i in wanted.turns if not wanted.position.fixed[i] and self._turns(int(i))]
        self.found: list[Floats] = []
        self.loose: list[int] = []
        self.times: list[int] = []
        self.slides = 0

    def run(self) -> bool:
        """Close guesses until every branch was met at least twice; whether that came to be."""
        w = self.wanted
        if len(w.free) == 0:
            return True
        guesses, rounds, steps = self._effort()
        try:
            for round_ in range(rounds):
                some = w.anywhere(guesses, seed=10 + round_)
                Q, gaps, _ = close(w.constraints, some, w.free, self.scales[w.free], steps=steps)
                known = len(self.found)
                for q in Q[:, gaps <= CLOSED].T:
                    self.add(q)
                    if len(self.found) > MOST or self.slides > SLIDES:
                        return False
                if len(self.found) == known and min(self.times) > 1:
                    return True
        except TimeLimitError:
            pass  # what was found is worth telling
        return False

    def _effort(self) -> tuple[int, int, int]:
        """How much is affordable."""
        if self.wanted.constraints.dense:
            return SMALL
        return LARGE if self.wanted.system.n + self.wanted.system.m <= MANY else VERY_LARGE

    def add(self, q: Floats) -> None:
        """Count a closed position with the branch it belongs to."""
        loose = self._looseness(q)
        if loose and self.found:
            weight = self.wanted.weight
            self.slides += 1
            q = slide(self.wanted.constraints, self.wanted.position.values, q, self.wanted.free, weight, weight)
        for i, other in enumerate(self.found):
            if self._difference(q, other) < (SAME_LOOSE if loose or self.loose[i] else SAME):
                self.times[i] += 1
                return
        self.found.append(q)
        self.loose.append(loose)
        self.times.append(1)

    def _looseness(self, q: Floats) -> int:
        """In how many directions the free coordinates can move."""
        w = self.wanted
        if not w.constraints.m:
            return len(w.free)
        J = w.constraints.matrices(q[:, None])[0][:, w.free] * self.scales[w.free]
        return len(w.free) - split(J).rank

    def _difference(self, q: Floats, other: Floats) -> float:
        """The largest, in scales; angles up to whole turns."""
        difference = q - other
        difference[self.turns] -= 2 * math.pi * np.round(difference[self.turns] / (2 * math.pi))
        return float(np.max(np.abs(difference) / self.scales, initial=0.0))

    def _turns(self, i: int) -> bool:
        """Whether the constraints do not care about a whole turn of a coordinate."""
        before = self.wanted.anywhere(3)
        after = before.copy()
        after[i] += 2 * math.pi
        # angles that a condition ties together turn together
        g = self.wanted.unconditioned().constraints.values(np.hstack([before, after]))
        return bool(np.allclose(g[:, :3], g[:, 3:], rtol=1e-9, atol=1e-12 * float(np.max(np.abs(g), initial=0.0))))
