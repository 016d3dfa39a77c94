"""Rounded numbers: constraints that repeat each other but contradict by a trifle in, a System in which they agree out.

A linkage with more constraints than it needs closes only if its lengths and angles fit. Written with six or ten digits
they do not, and taken literally it has no position at all, or only a few. So its numbers p are made to fit: at places
all along the motion, closed as far as they can be, with Y the left null vectors of G,

    Yᵀ (g + ∂g/∂p Δp) = 0        for all of these places at once, with the least relative changes Δp/p

Then the constraints agree to rounding, and everybody who asks gets one answer. Numbers that are equal by their formulas
stay so, zeros stay zeros, and fixed points stay where they are unless nothing else helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.native.numbers import find_driven
from linkwork.native.rank import Split, find_groups, split
from linkwork.solve.constraints import Constraints
from linkwork.symbolic import Number, free_symbols
from linkwork.symbolic.traverse import postorder

FIT = 1e-5  # of the size of the mechanism: what constraints may contradict each other by, unless it is said
MARGIN = 30.0  # singular values of constraints that agree only to a tolerance are no more than this times as large
ALIKE = 1e-3  # of what is allowed: smaller singular values are all none, be they of rounded or of exact numbers
LARGE = 60_000  # entries of a matrix of dependent constraints up to which their numbers are looked at
STRIDE, OTHER = 0.2, 0.27  # from one position to the next, in scales; the same when the result is checked
WALK, RAYS = 12, 4  # positions in one direction, and directions where there are several to go in
ROUNDS, CLOSINGS = 8, 40
AGREED = 2e-14  # what rounding leaves of a contradiction at most
SOLVED = (1e-4, 1e-8)  # combinations of numbers that matter less than this beside others stay as they are
FEW, MANY = 5, 15  # digits of a number that was rounded
MOST = 10.0  # times the tolerance: how much a number may be changed
CLEAN = 1e-2  # singular values of independent constraints, smaller ones being those of a singular position
PART = 0.3
DIFFERENCE = 1e-6  # of a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Numbers of a System that were made to agree.

    misfit   by how much the constraints contradicted each other at worst, in sizes of the mechanism
    change   the largest change of a number, relative to its size
    rows     the constraints that take part
    places   which numbers of formulas are changed, and their values
    """

    misfit: float
    change: float
    rows: tuple[int, ...]
    places: Ints
    values: Floats

    def apply(self, system: System) -> System:
        """The system with these numbers, whatever its others are."""
        numbers = system.numbers.copy()
        numbers[self.places] = self.values
        return system.with_numbers(numbers, system.parameters)


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
def fit_numbers(system: System, t: float, guess: Floats, found: Floats | None, allowed: float = FIT) -> Fit | None:
    """Numbers that agree, near a guess that can be closed within what is allowed, or near closed positions found.

    None if nothing contradicts, or not by a trifle, or if no numbers would do.
    """
    linkage = _Linkage(system, t, np.flatnonzero(system.holonomic & ~find_driven(system)), allowed)
    if not linkage.small or not allowed > 0.0:
        return None
    if found is not None:
        here = linkage.close([found])[0]
        if here is None or here.rank == len(linkage.rows) or linkage.agrees(here):
            return None
    for q in (guess, found):
        here = linkage.close([q])[0] if q is not None else None
        doubtful = here is not None and here.gap <= allowed and here.rank < len(linkage.rows)
        if here is not None and doubtful and not linkage.agrees(here):
            fit = _Fitting(linkage, here).run()
            if fit is not None:
                return fit
    return None


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
        if not sigma[0] > 0.0:
            return 0
        sigma = np.maximum(sigma, max(1e-13, ALIKE * self.allowed) * sigma[0])
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

    def agrees(self, here: _Place) -> bool:
        """Whether the constraints are met here and a step away, if there is a way."""
        if here.gap > AGREED:
            return False
        near = [*self.walk(here, STRIDE, 1)]
        free = here.rank < len(self.columns)
        return all(place.gap <= AGREED for place in near) and (len(near) > 0 or not free)

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
        free = self.here.rank < len(self.linkage.columns)
        if not AGREED < self.misfit <= self.linkage.allowed or (free and len(self.places) == 1):
            return None  # all agree, or too little; or a singular position, with no way to go on
        for chosen in self._choices():
            for cut in SOLVED:
                numbers = self._solve(chosen, cut)
                if numbers is not None:
                    return self._found(numbers, chosen)
        return None

    def _found(self, numbers: Floats, chosen: Ints) -> Fit:
        changes = np.abs(numbers - self.system.numbers) / self._sizes(chosen)
        places, members = np.flatnonzero(changes), np.concatenate(find_groups(self.here.left))
        rows = tuple(self.linkage.rows[np.sort(members)].tolist())
        return Fit(misfit=self.misfit, change=float(np.max(changes)), rows=rows, places=places, values=numbers[places])

    def _choices(self) -> Iterator[Ints]:
        """More and more numbers that may be changed: those that look rounded, of parts, of fixed points, and zeros."""
        parts, fixed, zeros = self._candidates()
        rounded = np.array([i for i in (*parts, *fixed) if self._looks_rounded(int(i))], dtype=np.int64)
        choices = (rounded, parts, np.append(parts, fixed), np.concatenate([parts, fixed, zeros]))
        yield from (chosen for chosen in choices if len(chosen))

    def _looks_rounded(self, place: int) -> bool:
        """Whether a formula has a number with many digits in it, but not with all."""
        exprs = self.system.formulas.exprs
        if place >= len(exprs):
            return False
        values = [node.value for node in postorder([exprs[place]]) if isinstance(node, Number)]
        values += [self.system.parameters.get(symbol.name, 0.0) for symbol in free_symbols(exprs[place])]
        return any(FEW <= count_digits(x) <= MANY for x in values)

    def _candidates(self) -> tuple[Ints, Ints, Ints]:
        """The formulas on which the constraints may depend: of parts, of fixed points, and those that are zero."""
        s = self.system
        found = [np.zeros(0, dtype=np.int64)]
        for term in s.terms:
            mine = np.isin(term.rows, self.linkage.rows).any(axis=1)
            if mine.any() and len(term.columns):
                found.append(term.columns[mine].ravel())
        parts = np.unique(np.concatenate(found))
        fixed = np.unique(s.frozen_columns[: len(s.frozen_columns) - len(s.inputs)])
        fixed = np.setdiff1d(fixed, parts)
        empty = s.numbers == 0.0
        return parts[~empty[parts]], fixed[~empty[fixed]], np.append(parts[empty[parts]], fixed[empty[fixed]])

    def _sizes(self, chosen: Ints) -> Floats:
        """By what changes of numbers are judged: themselves or, if they are small, a part of the others."""
        size = np.abs(self.system.numbers)
        some = size[chosen][size[chosen] > 0]
        return np.maximum(size, PART * float(np.median(some)) if len(some) else 1.0)

    def _solve(self, chosen: Ints, cut: float) -> Floats | None:
        """Gauss–Newton steps of the least relative changes."""
        numbers, size, places = self.system.numbers.copy(), self._sizes(chosen), self.places
        before = np.inf
        for _ in range(ROUNDS):
            slopes = self._slopes(numbers, size, chosen, places)
            wanted = np.concatenate([-place.left.T @ place.open for place in places])
            B = np.concatenate([place.left.T @ A for place, A in zip(places, slopes, strict=True)])
            numbers[chosen] += size[chosen] * np.linalg.lstsq(B, wanted, rcond=cut)[0]
            linkage = self._with(numbers)
            closed = linkage.close([place.q for place in places], self.here.rank)
            places = [place for place in closed if place is not None]
            left = max((place.gap for place in places), default=np.inf)
            far = float(np.max(np.abs(numbers - self.system.numbers) / size))
            if len(places) < len(self.places) or far > MOST * self.linkage.allowed:
                return None
            if left <= AGREED / 10 or left > 0.5 * before:
                break
            before = left
        return numbers if left <= AGREED and self._holds(linkage, places[0]) else None

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
        return all(place.gap <= AGREED for place in linkage.walk(here, OTHER, WALK) if place.clean)


def count_digits(x: int | float | Fraction) -> int:
    """How many digits a number is written with; of a quotient, the more of its two parts.

    >>> [count_digits(x) for x in (0.5, 1.4142136, Fraction(577350270, 288675127))]
    [1, 8, 9]
    """
    if isinstance(x, Fraction) and 10**18 % x.denominator:
        return max(count_digits(x.numerator), count_digits(x.denominator))
    digits = repr(float(x)).partition("e")[0].replace(".", "").replace("-", "")
    return len(digits.strip("0"))
