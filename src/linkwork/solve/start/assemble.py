"""Assembling a mechanism: what is wanted in, the nearest closed positions out, or where the search came closest.

The guess is closed and slid to the nearest point. If that fails, or the guess does not say which side is meant or is
far off, other guesses are closed as well and the nearest of what they lead to is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.solve.start.closing import CLOSED, STEPS, close
from linkwork.solve.start.nearest import slide
from linkwork.solve.start.refine import find_determined
from linkwork.solve.start.wanted import Wanted

MET = 1e-13  # constraints are met as they are when no coordinate would have to move by more than this (relative)
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

    Where all that was given can stay exactly as it is, it does. If the guess leads to a gap that is no more than
    `enough`, no others are tried.
    """
    return _keep(wanted) or _search(wanted, enough)


def _keep(wanted: Wanted) -> Found | None:
    """What was given, with all else moved as little as it needs; None if that does not close."""
    c, q, given, direct = wanted.constraints, wanted.position.values, wanted.position.given, True
    others = wanted.free[~given[wanted.free]]
    if c.gap(q) > MET:
        # first with parts that float and carry others as they are, too
        following = others[~wanted.tiers[0].floats[others]]
        ways = [(following, _trials(wanted)[0])] * (len(following) < len(others)) + [(others, 0)]
        closed = (_follow(wanted, some, count) for some, count in ways if given.any())
        found = next((found for found in closed if found is not None), None)
        if found is None:
            return None
        q, direct = found
    if len(others) and _is_bare(wanted, q):
        return None
    q = wanted.unwound(_return(wanted, q))
    return Found(q=q, gap=c.gap(q), attempts=1, direct=direct)


def _follow(wanted: Wanted, others: Ints, count: int) -> tuple[Floats, bool] | None:
    """The guess with some values moved so that it closes, from there or from so many places around; None if none does.

    The nearest of those found, and whether the guess led there directly.
    """
    c, q = wanted.constraints, wanted.position.values[:, None]
    if len(others) == 0:
        return None
    # what they have no influence on must be met already
    alone = np.asarray(abs(c.plain.matrix(q[:, 0])[:, others]).sum(axis=1)).ravel() == 0.0
    if np.max(c.plain.gaps(q)[alone, 0], initial=0.0) > CLOSED:
        return None
    for guesses in (q, wanted.near(count)) if count else (q,):
        Q = np.repeat(q, guesses.shape[1], axis=1)
        Q[others] = guesses[others]
        found = close(c, Q, others, wanted.system.scales[others], steps=HASTY)
        if (found.gaps <= CLOSED).any():
            met = found.Q[:, found.gaps <= CLOSED]
            return met[:, int(np.argmin(wanted.distances(met)))], guesses is q and bool(found.direct[0])
    return None


def _return(wanted: Wanted, q: Floats) -> Floats:
    """Slide what was not given back to its guess: first parts that carry others and float, then all."""
    if find_determined(wanted) is not None:
        return q
    others = wanted.free[~wanted.position.given[wanted.free]]
    floating = others[wanted.tiers[0].floats[others]]
    for some, held in ((floating, others[:0]), (others, floating)):
        free = np.setdiff1d(others, held)
        weight = np.zeros(len(q))
        weight[some] = 1.0 / wanted.system.scales[some] ** 2
        metric = 1.0 / wanted.system.scales**2
        if len(free) and (weight * (q - wanted.position.values) ** 2).any():
            q = slide(wanted.constraints, wanted.position.values, q, free, weight, metric)
    return q


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
    q = wanted.unwound(_return(wanted, _settle(wanted, candidates[int(np.argmin(distances))])))
    return Found(q=q, gap=wanted.constraints.gap(q), attempts=attempts, direct=direct)


def _trials(wanted: Wanted) -> tuple[int, int]:
    """How many other guesses are affordable."""
    if wanted.constraints.dense:
        return NEAR, ANYWHERE
    return (NEAR // 3, NEAR) if wanted.system.n + wanted.system.m <= LARGE else (4, 4)


def _is_doubtful(wanted: Wanted, q: Floats) -> bool:
    """Whether the guess leads far away, or a constraint has no direction there, as when points meet that should not."""
    return wanted.moved(q) > FAR or _is_bare(wanted, wanted.position.values)


def _is_bare(wanted: Wanted, q: Floats) -> bool:
    """Whether a constraint has no direction."""
    rows = wanted.constraints.row_sizes(q[:, None])[:, 0]
    return bool(len(rows) and rows.min() < 1e-3 * np.median(rows))


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
