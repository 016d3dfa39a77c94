"""Assembling a mechanism: what is wanted in, the nearest closed positions out, or where the search came closest.

The guess is closed and slid to the nearest point. If that fails, or the guess does not say which side is meant or is
far off, other guesses are closed as well and the nearest of what they lead to is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.solve.start.closing import CLOSED, STEPS, close
from linkwork.solve.start.nearest import slide
from linkwork.solve.start.wanted import Wanted

FAR = 0.25  # a guess whose values have to move by more than this, in scales, may mean another side
COMPARED = 3  # ways to close that are compared then
ROUGH = 0.03  # length of the last step, in scales, when ways are compared
LARGE = 2000  # unknowns from which only a few guesses are tried
ENOUGH = 8  # closed guesses among which the nearest are looked for
NEAR, ANYWHERE = 24, 200  # other guesses: around the given one, and all over the place
PATIENT, HASTY = 120, 60  # steps to close such guesses: of those that can be closed, 99 and 90 in 100 need fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Positions, the gap they leave, from how many guesses they were sought, and whether one led there directly."""

    q: Floats
    gap: float
    attempts: int
    direct: bool = False

    @property
    def closed(self) -> bool:
        """Whether the constraints are met."""
        return self.gap <= CLOSED


def find_positions(wanted: Wanted, enough: float = 0.0) -> Found:
    """The nearest closed positions; or, if none were found, those with the smallest gap.

    If the guess leads to a gap that is no more than `enough`, no others are tried.
    """
    found = _search(wanted, enough)
    if not found.closed and found.gap > enough and (wanted.signs < 0).any():
        # the guess turned joints against their directions, and it cannot be
        found = _search(replace(wanted, sided=False), enough)
    return found


def _search(wanted: Wanted, enough: float) -> Found:
    guess = wanted.position.values[:, None]
    # the guess alone if it is good, else at once with those around it
    rough = wanted.constraints.gap(guess[:, 0]) > FAR
    Q, gaps = np.zeros((len(guess), 0)), np.zeros(0)
    for guesses, steps, reach in _tries(wanted, rough):
        more, open_by, direct = close(wanted.constraints, guesses, wanted.free, reach, enough=ENOUGH, steps=steps)
        Q, gaps = np.hstack([Q, more]), np.append(gaps, open_by)
        candidates = [_approach(wanted, q) for q in _nearest(wanted, Q[:, gaps <= CLOSED])]
        if candidates and (len(gaps) > 1 or not _is_doubtful(wanted, candidates[0])):
            return _found(wanted, candidates, len(gaps), len(gaps) == 1 and bool(direct[0]))
        if not candidates and np.min(gaps) <= enough:
            break
    best = int(np.argmin(gaps))
    return Found(q=Q[:, best], gap=float(gaps[best]), attempts=len(gaps))


def _tries(wanted: Wanted, rough: bool) -> Iterator[tuple[Floats, int, Floats]]:
    """Guesses, some at a time, how many steps they may take, and how far coordinates may move in one."""
    guess, (near, anywhere) = wanted.position.values[:, None], _trials(wanted)
    if rough:
        yield np.hstack([guess, wanted.near(near)]), PATIENT, wanted.reach
    else:
        yield guess, STEPS, wanted.reach
        yield wanted.near(near), PATIENT, wanted.reach
    yield wanted.anywhere(anywhere), HASTY, wanted.reach
    # what was given may be far off: all coordinates alike
    yield guess, STEPS, wanted.system.scales[wanted.free]


def _found(wanted: Wanted, candidates: list[Floats], attempts: int, direct: bool) -> Found:
    """The nearest of the candidates."""
    distances = wanted.distances(np.array(candidates).T)
    q = wanted.unwound(_settle(wanted, candidates[int(np.argmin(distances))]))
    return Found(q=q, gap=wanted.constraints.gap(q), attempts=attempts, direct=direct)


def _trials(wanted: Wanted) -> tuple[int, int]:
    """How many other guesses are affordable."""
    if wanted.constraints.dense:
        return NEAR, ANYWHERE
    return (NEAR // 3, NEAR) if wanted.system.n + wanted.system.m <= LARGE else (4, 4)


def _is_doubtful(wanted: Wanted, q: Floats) -> bool:
    """Whether the guess leads far away, or a constraint has no direction there, as when points meet that should not."""
    rows = wanted.constraints.row_sizes(wanted.position.values[:, None])[:, 0]
    return wanted.moved(q) > FAR or bool(len(rows) and rows.min() < 1e-3 * np.median(rows))


def _nearest(wanted: Wanted, Q: Floats) -> list[Floats]:
    """The closed positions nearest to the guess, a few of them."""
    order = np.argsort(wanted.distances(Q), kind="stable")
    return [Q[:, i] for i in order[:COMPARED]]


def _approach(wanted: Wanted, q: Floats) -> Floats:
    """Slide towards the guesses until it is clear where this leads."""
    if not _has_wishes(wanted):
        return q
    return slide(wanted.constraints, wanted.position.values, q, wanted.free, wanted.weight, wanted.weight, last=ROUGH)


def _settle(wanted: Wanted, q: Floats) -> Floats:
    """Slide to the guesses, with what nobody gave left out, so that it holds back nothing given."""
    if not _has_wishes(wanted):
        return q
    weight = np.where(wanted.position.given, wanted.weight, 0.0)
    return slide(wanted.constraints, wanted.position.values, q, wanted.free, weight, wanted.weight)


def _has_wishes(wanted: Wanted) -> bool:
    """Whether anybody asked for more than a closed mechanism."""
    return bool((wanted.position.given & ~wanted.position.fixed).any())
