"""Rounded numbers: constraints that repeat each other but contradict by a trifle in, a System in which they agree out.

A linkage with more constraints than it needs closes only if its lengths and angles fit. Written with six or ten digits
they do not, and taken literally it has no position at all, or only a few. So its numbers p are made to fit: at positions
all along the motion, closed as far as they can be, with Y the left null vectors of G,

    Yᵀ (g + ∂g/∂p Δp) = 0        for all of these positions at once, with the least relative changes Δp/p

Then the constraints agree to rounding, and everybody who asks gets one answer. Numbers that are equal by their formulas
stay so, zeros stay zeros, and fixed points stay where they are unless nothing else helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.native.numbers import find_driven
from linkwork.native.rank import Split, find_groups, split
from linkwork.solve.closing import CLOSED
from linkwork.solve.constraints import Constraints

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIT = 1e-5  # of the size of the mechanism: what constraints may contradict each other by, unless it is said
MARGIN = 30.0  # singular values of constraints that agree only to a tolerance are no more than this times as large
LARGE = 60_000  # entries of a matrix of dependent constraints up to which their numbers are looked at
STRIDE, OTHER = 0.2, 0.27  # from one position to the next, in scales; the same when the result is checked
WALK, RAYS = 12, 4  # positions in one direction, and directions where there are several to go in
ROUNDS, CLOSINGS = 8, 40
AGREED = 2e-14  # what rounding leaves of a contradiction
SOLVED = 1e-9  # combinations of numbers that matter less than this beside others stay as they are
MOST = 10.0  # times the tolerance: how much a number may be changed
CLEAN = 1e-2  # singular values of independent constraints, smaller ones being those of a singular position
PART = 0.3
DIFFERENCE = 1e-6  # of a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Numbers made to agree.

    system   with the numbers changed
    misfit   by how much the constraints contradicted each other at worst, in sizes of the mechanism
    change   the largest relative change of a number
    rows     the constraints that take part
    """

    system: System
    misfit: float
    change: float
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A position as closed as can be: its matrix, what is left open in unit rows, the largest of that."""

    q: Floats
    matrix: Split
    rank: int
    open: Floats

    @property
    def gap(self) -> float:
        return float(np.max(np.abs(self.open), initial=0.0))

    @property
    def left(self) -> Floats:
        """Y for unit rows."""
        return self.matrix.U[:, self.rank :]

    @property
    def clean(self) -> bool:
        """Whether what is independent is clearly so."""
        return self.rank == 0 or bool(self.matrix.sigma[self.rank - 1] > CLEAN * self.matrix.sigma[0])


@np.errstate(all="ignore")
def fit_numbers(system: System, t: float, guesses: tuple[Floats, ...], allowed: float = FIT) -> Fit | None:
    """The system with numbers that agree, near the first of the guesses that can be closed within what is allowed.

    None if nothing contradicts, or not by a trifle, or if no numbers would do.
    """
    rows = np.flatnonzero(system.holonomic & ~find_driven(system))
    for q in guesses:
        found = _fit_near(system, t, q, rows, allowed)
        if found is not None:
            return found
    return None


def _fit_near(system: System, t: float, q: Floats, rows: Ints, allowed: float) -> Fit | None:
    linkage = _Linkage(system, t, rows, allowed)
    if not linkage.small:
        return None
    here = linkage.close([q])[0]
    if here is None or here.gap > allowed or here.rank == len(rows):
        return None
    if here.gap <= CLOSED and all(place.gap <= CLOSED for place in linkage.walk(here, STRIDE, 1)):
        return None
    return _Fitting(linkage, here).run()


class _Linkage:
    """Some constraints of positions of a System, closed by steps of least norm in their independent directions."""

    def __init__(self, system: System, t: float, rows: Ints, allowed: float) -> None:
        self.system, self.t, self.rows, self.allowed = system, t, rows, allowed
        self.constraints = Constraints(system, t, rows)
        self.columns = np.flatnonzero(self.constraints.touched & system.mechanical)
        self.scales = system.scales[self.columns]
        self.small = 0 < len(rows) * len(self.columns) <= LARGE

    def rank(self, matrix: Split) -> int:
        """How many rows are independent: of the small singular values those above the widest gap count."""
        sigma = np.zeros(len(self.rows) + 1)
        sigma[: len(matrix.sigma)] = matrix.sigma
        sigma = np.maximum(sigma, 1e-13 * max(sigma[0], 1e-300))
        small = np.flatnonzero(sigma[1:] <= MARGIN * self.allowed * sigma[0]) + 1
        return int(small[np.argmax(sigma[small - 1] / sigma[small])])

    def close(self, Q: Sequence[Floats], rank: int | None = None) -> list[_Place | None]:
        """The nearest position to each where only contradictions are left; None where there is none."""
        Q = [q.copy() for q in Q]
        found: list[_Place | None] = [None] * len(Q)
        last, going = np.full(len(Q), np.inf), list(range(len(Q)))
        for _ in range(CLOSINGS):
            check_time("the search for numbers that agree")
            if not going:
                break
            some = np.array([Q[i] for i in going]).T
            J = self.constraints.matrices(some)[:, :, self.columns] * self.scales
            g = self.constraints.values(some)
            still = []
            for k, i in enumerate(going):
                if not (np.isfinite(J[k]).all() and np.isfinite(g[:, k]).all()):
                    continue
                matrix = split(J[k])
                independent = self.rank(matrix) if rank is None else rank
                step = matrix.solve(-g[:, k], independent)
                size = float(np.max(np.abs(step), initial=0.0))
                if size < 1e-15 or (size < 1e-10 and size > 0.5 * last[i]):
                    found[i] = _Place(Q[i], matrix, independent, g[:, k] / matrix.rows)
                    continue
                Q[i][self.columns] += self.scales * step * min(1.0, 1.0 / max(size, 1e-300))
                last[i] = size
                still.append(i)
            going = still
        return found

    # -- along the motion ---------------------------------------------------------------------------------------------

    def walk(self, here: _Place, stride: float, count: int) -> Iterator[_Place]:
        """Positions on the ways that lead away from one, up and down each way."""
        free = here.matrix.Vt[here.rank :].T
        mixes = np.random.default_rng(1).standard_normal((RAYS, free.shape[1]))
        ways = [free @ mix for mix in (mixes if free.shape[1] > 1 else np.ones((1, free.shape[1])))]
        fronts = [(here, sign * way) for way in ways for sign in (1.0, -1.0) if way.any()]
        for _ in range(count):
            ahead = [place.q + self._step(stride * way / np.max(np.abs(way))) for place, way in fronts]
            reached = self.close(ahead, here.rank) if ahead else []
            # what comes back, or opens by more than a trifle, was no way to go
            kept = [
                (there, self._turn(there, way))
                for (place, way), there in zip(fronts, reached, strict=True)
                if there is not None and there.gap <= 10 * self.allowed and self._moved(place, there) > stride / 3
            ]
            yield from (there for there, _ in kept)
            fronts = kept

    def _step(self, step: Floats) -> Floats:
        full = np.zeros(self.system.n)
        full[self.columns] = self.scales * step
        return full

    def _turn(self, there: _Place, way: Floats) -> Floats:
        """A direction turned into the next free one."""
        N = there.matrix.Vt[there.rank :].T
        return np.asarray(N @ (N.T @ way))

    def _moved(self, here: _Place, there: _Place) -> float:
        return float(np.max(np.abs(there.q - here.q)[self.columns] / self.scales))


class _Fitting:
    """The search for numbers with which some positions of a linkage can be closed."""

    def __init__(self, linkage: _Linkage, here: _Place) -> None:
        self.linkage, self.here, self.system = linkage, here, linkage.system
        walked = [place for place in linkage.walk(here, STRIDE, WALK) if place.clean]
        self.places = [here, *walked]
        self.misfit = max(place.gap for place in self.places)

    def run(self) -> Fit | None:
        """The numbers nearest to those given; None if there are none near."""
        if self.misfit > self.linkage.allowed:
            return None
        lengths, fixed, zeros = self._candidates()
        for chosen in (lengths, np.append(lengths, fixed), np.concatenate([lengths, fixed, zeros])):
            numbers = self._solve(chosen) if len(chosen) else None
            if numbers is not None:
                change = np.max(np.abs(numbers - self.system.numbers) / self._sizes(chosen))
                fitted = self.system.with_numbers(numbers, self.system.parameters)
                members = np.concatenate(find_groups(self.here.left))
                rows = tuple(self.linkage.rows[np.sort(members)].tolist())
                return Fit(system=fitted, misfit=self.misfit, change=float(change), rows=rows)
        return None

    def _candidates(self) -> tuple[Ints, Ints, Ints]:
        """The formulas on which the constraints may depend: of parts, of fixed points, and those that are zero."""
        s = self.system
        found = [np.zeros(0, dtype=np.int64)]
        for term in s.terms:
            mine = np.isin(term.rows, self.linkage.rows).any(axis=1)
            if mine.any() and len(term.columns):
                found.append(term.columns[mine].ravel())
        parts, fixed = np.unique(np.concatenate(found)), np.unique(s.frozen_columns)
        fixed = np.setdiff1d(fixed, parts)
        empty = s.numbers == 0.0
        return parts[~empty[parts]], fixed[~empty[fixed]], np.append(parts[empty[parts]], fixed[empty[fixed]])

    def _sizes(self, chosen: Ints) -> Floats:
        """By what changes of numbers are judged: themselves or, if they are small beside the others, a part of these."""
        size = np.abs(self.system.numbers)
        some = size[chosen][size[chosen] > 0]
        return np.maximum(size, PART * float(np.median(some)) if len(some) else 1.0)

    def _solve(self, chosen: Ints) -> Floats | None:
        """Gauss–Newton steps of the least relative changes."""
        numbers, size, places = self.system.numbers.copy(), self._sizes(chosen), self.places
        before = np.inf
        for _ in range(ROUNDS):
            slopes = self._slopes(numbers, size, chosen, places)
            wanted = np.concatenate([-place.left.T @ place.open for place in places])
            B = np.concatenate([place.left.T @ A for place, A in zip(places, slopes, strict=True)])
            numbers[chosen] += size[chosen] * np.linalg.lstsq(B, wanted, rcond=SOLVED)[0]
            linkage = self._with(numbers)
            closed = linkage.close([place.q for place in places], self.here.rank)
            places = [place for place in closed if place is not None]
            left = max((place.gap for place in places), default=np.inf)
            far = float(np.max(np.abs(numbers - self.system.numbers) / size))
            if len(places) < len(self.places) or far > MOST * self.linkage.allowed:
                return None
            if left <= AGREED or left > 0.5 * before:
                break
            before = left
        return numbers if left <= CLOSED / 10 and self._holds(linkage, places[0]) else None

    def _with(self, numbers: Floats) -> _Linkage:
        changed = self.system.with_numbers(numbers, self.system.parameters)
        return _Linkage(changed, self.linkage.t, self.linkage.rows, self.linkage.allowed)

    def _slopes(self, numbers: Floats, size: Floats, chosen: Ints, places: list[_Place]) -> list[Floats]:
        """∂g/∂p of all positions, in unit rows and sizes of numbers.   each (rows, chosen)"""
        Q = np.array([place.q for place in places]).T
        A = self._with(numbers).constraints.number_slopes(Q, chosen, DIFFERENCE * size) * size[chosen][:, None, None]
        return [A[:, :, k].T / place.matrix.rows[:, None] for k, place in enumerate(places)]

    def _holds(self, linkage: _Linkage, here: _Place) -> bool:
        """Whether positions between the fitted ones can be closed as well."""
        return all(place.gap <= CLOSED for place in linkage.walk(here, OTHER, WALK) if place.clean)
