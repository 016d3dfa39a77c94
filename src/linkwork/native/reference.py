"""The reference machine: the integrator of the C runtime again, in NumPy. Slower, needs no compiler, and is its oracle.

It shares no code with the C: kernels run in the interpreter, and the saddle-point problem is solved as it stands by
SciPy's sparse LU with pivoting, or by eigenvalues where constraints are redundant.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, csc_array, csr_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.followers import Followers
from linkwork.native.interpreter import PlanRunner, run_program
from linkwork.native.motion import Chunk, Crossing, Handover, Request, Side, Status, Tally
from linkwork.native.numbers import compute_matrices, is_driven, is_quick
from linkwork.native.opaque import find_opaque
from linkwork.native.reference_algebra import Loops
from linkwork.native.reference_implicit import BENDS, ImplicitSteps
from linkwork.native.reference_radau import RadauSteps
from linkwork.native.reference_rk import RungeKutta
from linkwork.native.tableau import EXPLICIT
from linkwork.native.weights import choose_weights

QUADRATIC = 1e-8  # a Newton correction this small leaves a remainder below rounding
REDUNDANT = 1e-11  # singular values below this fraction of the largest mean redundant constraints
ROUNDING = 8 * 2.2e-16
SAFETY = 0.9  # of the largest step whose last terms stay below the tolerance
# the same limits as in the C runtime
JUMPS, ABRUPT, LENIENT_RETRIES, MAX_RETRIES, CALM = 0.2, 1e-9, 3, 20, 25
FIRST, GROWTH, LEFT_OUT, INNER, INSIDE, NOISE = 1 / 32, 10.0, 4.0, 0.62, 10.0, 1e-10
BRIEF = 4e-12  # of the whole run
TINY = 1e-300  # seconds: a run without length has a span all the same
FASTEST = 1e30  # per second: powers of rates stay finite
LOOKS = 12  # at the argument of a function that may hide something inside a step
CONTRADICTION, LOW_ORDERS = 1e-3, 4
IMPLICIT: dict[str, type[ImplicitSteps] | type[RadauSteps]] = {"hht": ImplicitSteps, "radau": RadauSteps}
DENSE = 150


class ReferenceMachine:
    """A system ready to run in Python; the same interface as `machine.Machine`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.culprit = ""
        self.sides: Sequence[Side] = ()  # of watched values, which somebody else looks at
        self.driven = is_driven(system)
        self.checked: object = None  # the start that a run was last found to begin at without further ado
        self.units: Floats = np.zeros(system.m)  # √W: constraints in comparable units
        self.tally_factorisations = 0
        # slots: coordinates, frozen coordinates, followers, multipliers
        self.first = system.first_follower + len(system.followers)
        inputs = np.array([*system.inputs.values()], dtype=np.int64)
        self.moving = np.concatenate([np.arange(system.n), np.arange(system.first_follower, self.first), inputs])
        # what algebraic values do shows in what they move
        judged = np.ones(len(self.moving) - system.n)
        judged[len(judged) - len(system.algebra) - len(system.opaque) :] = np.inf
        self.scales = np.concatenate([system.scales, judged])
        self.loops: Loops | None = None

    # -- equations ------------------------------------------------------------------------------------------------

    def _runners(self, order: int) -> list[tuple[PlanRunner, NDArray[np.int64], NDArray[np.int64]]]:
        s, found = self.system, []
        for term in s.terms:
            d = term.kernel.derived
            if d.plan is None or d.dynamics is None:
                continue
            weights = [np.zeros(term.count)] * term.kernel.constraint_count
            p = run_program(d.dynamics.setup, {"p": [*term.parameters.T, *weights]})["p"]
            rows = term.rows + self.first
            slots = np.hstack([term.coordinates, rows]).T
            coordinates = term.coordinates.T[: len(term.kernel.coordinates)]
            found.append((PlanRunner(d.plan, p, slots, order), coordinates, rows.T))
        return found

    @property
    def reading(self) -> list[bool]:
        """For each runner whether it reads algebraic values."""
        s = self.system
        return [bool(reads) for term, reads in zip(s.terms, s.readers, strict=True) if term.kernel.derived.plan]

    def _stage(self, k: int, t: float, S: Floats) -> Floats:
        self.followers.stage(k, t, S)
        if k == 0 and self.system.opaque:
            find_opaque(self.system, t, S[0, : self.first], S[1, : self.first])
            S[1, [self.system.inputs[value.name] for value in self.system.opaque]] = 0.0
        R = np.zeros(S.shape[1])
        for runner, coordinates, rows in self.runners:
            found = runner.stage(k, t, S)
            holonomic = len(runner.plan.outputs["g"])
            groups = {"r": coordinates, "g": rows[:holonomic], "h": rows[holonomic:]}
            for name, values in found.items():
                for target, value in zip(groups[name], values, strict=True):
                    np.add.at(R, target, value)
        return R

    def _factorise(self, t: float, S: Floats) -> Status:
        M, G = compute_matrices(self.system, S[0, self.moving], t, S[1, : self.system.n])
        self.tally_factorisations += 1
        K = block_array([[M, G.T], [G, csc_array((self.system.m, self.system.m))]], format="csc")
        self.K = K
        weighted = G.multiply(self.units[:, None])
        H = csc_array(M + weighted.T @ weighted)
        self.H = np.maximum(H.diagonal(), 1e-300)
        if not np.isfinite(K.data).all():
            return Status.NOT_FINITE
        self.solve, self.redundant, idle = _solver(K, H, self.system.n)
        if idle is not None:
            self.culprit = self.system.coordinates[idle]
            return Status.NO_INERTIA
        return Status.FINISHED

    def _expand(self, t: float, S: Floats, order: int) -> Status:
        n, first = self.system.n, self.first
        if self.loops is not None:
            return self.loops.expand(t, S, order)
        for k in range(order - 1):
            factor = (k + 1.0) * (k + 2.0)
            S[k + 2] = 0.0
            R = self._stage(k, t, S)
            b = np.concatenate([-R[:n], -np.where(self.system.holonomic, factor, k + 1.0) * R[first:]])
            x = self.solve(b)
            if k == 0:
                H = self.H
                size = float(np.max(np.abs(b[:n]) / np.sqrt(H), initial=0.0))
                rate = min(math.sqrt(self._size(b[:n] / H)), FASTEST)
            if self.redundant and size and k <= LOW_ORDERS and self._contradicts(x, b, size * rate**k):
                return Status.LOCKED
            S[k + 2, :n] = x[:n] / factor
            S[k, first:] = x[n:]
        self.followers.correct(order - 1, S)
        return Status.FINISHED

    def _contradicts(self, x: Floats, b: Floats, size: float) -> bool:
        """Whether the constraints cannot be met together, by more than a trifle of the natural size √M a."""
        n = self.system.n
        left = np.max(np.abs(self.K @ x - b)[n:] * self.units, initial=0.0)
        return bool(left > CONTRADICTION * np.max(np.abs(b[n:]) * self.units, initial=1e-300) and left > 1e-6 * size)

    # -- consistent points ----------------------------------------------------------------------------------------

    def _correct(self, t: float, S: Floats, row: int, R: Floats) -> float:
        n = self.system.n
        x = self.solve(np.concatenate([np.zeros(n), -R[self.first :]]))
        S[row, :n] += x[:n]
        if row == 0:
            self.followers.move(t, S, x[:n])
        # what rounding hides does not count
        visible = np.abs(x[:n]) - ROUNDING * np.abs(S[row, :n])
        return float(np.max(visible / self.system.scales, initial=0.0))

    def _settle(self, t: float, S: Floats) -> tuple[Status, float]:
        moved = self.followers.normalise(S)
        for i in range(10):
            R = self._stage(-2, t, S)
            status = self._factorise(t, S)
            if status is not Status.FINISHED:
                return status, moved
            size = self._correct(t, S, 0, R)
            moved = max(moved, size)
            if not math.isfinite(size):
                return Status.NOT_FINITE, moved
            if size <= min(QUADRATIC, max(self.request.tol, 1e-14)):
                break
            if i == 8:
                return Status.NOT_CLOSED, moved
        self._stage(-2, t, S)
        size = self._correct(t, S, 1, self._stage(-1, t, S)) / self.speed
        if is_quick(self.system) and size:
            self._factorise(t, S)
        self._stage(-1, t, S)
        return (Status.FINISHED, max(moved, size)) if math.isfinite(size) else (Status.NOT_FINITE, moved)

    # -- the integration ------------------------------------------------------------------------------------------

    @np.errstate(all="ignore")  # what is not finite is told by the status
    def begin(self, request: Request, t: float, q: Floats, u: Floats, handover: Handover | None = None) -> Status:
        """Start from a consistent state, to hand over steps as they are or otherwise.

        q: (n + followers [+ inputs],), u: (n,) or longer
        """
        s, self.handover = self.system, handover
        self.request, self.t, self.order = request, t, request.order
        self.steps = self.rejected = self.tally_factorisations = self.redundant = 0
        self.worst_projection = self.worst_defect = 0.0
        self.runners, self.followers = self._runners(request.order), Followers(s, request.order)
        self.loops = Loops(self) if s.algebra else None
        self.units = np.sqrt(choose_weights(s, q))
        self.S = np.zeros((request.order + 1, self.first + s.m))
        self.S[0, s.n : s.n + len(s.frozen)] = s.frozen
        self.S[0, self.moving], self.S[1, : s.n] = s.with_inputs(q, {}), u[: s.n]
        self.h_last, self.expanded, self.changed = 0.0, False, False
        self.turns = np.zeros(s.n)
        self.retries = self.calm = 0
        self.suspicious = False
        self.implicit: ImplicitSteps | RadauSteps | None = None
        self.h_largest = 0.0
        self.span = max(request.span or request.t_end - t, TINY)
        self.speed = max(1 / self.span, self._size(self.S[1, self.moving]))
        self.rk = RungeKutta(self) if request.method in EXPLICIT else None
        return self._settle_here()

    def _settle_here(self) -> Status:
        """Make the point where the run is consistent."""
        return (self._settle if self.rk is None else self.rk.settle)(self.t, self.S)[0]

    def foresee(self, request: Request) -> None:
        """There is nothing to get ready."""

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on; to be called between `begin` and any `advance`."""
        self.S[0, self.moving] = self.system.with_inputs(self.S[0, self.moving], values)
        self.changed = True

    def prolong(self, t_end: float) -> None:
        """Go on until another time; to be called where the run has ended."""
        self.request, self.changed = replace(self.request, t_end=t_end), True

    @np.errstate(all="ignore")  # what is not finite is told by the status
    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """Integrate until the end, or for about so many seconds, or for so many steps."""
        deadline = time.perf_counter() + seconds
        kept: list[tuple[float, float, Floats]] = []
        if self.changed:
            # go on from the same place with other inputs
            self.changed = self.expanded = False
            settled = self._settle_here()
            if settled is not Status.FINISHED:
                return settled, self._chunk(kept)
        status = Status.MORE
        while status is Status.MORE:
            if not self.expanded:
                expanded = self._expand_here()
                if expanded is not Status.FINISHED:
                    return expanded, self._chunk(kept)
                self.expanded = True
                steps = IMPLICIT.get(self.request.method)
                self.implicit = None if steps is None else steps(self)
            if self.t >= self.request.t_end:
                status = Status.FINISHED
            elif len(kept) >= limit or (kept and (self.suspicious or time.perf_counter() > deadline)):
                break
            else:
                stepper = self.rk or self.implicit
                status = self._step(kept) if stepper is None else stepper.step(kept)
        return status, self._chunk(kept)

    def _expand_here(self) -> Status:
        """The series at the point where the run is, or what stands for it."""
        if self.rk is not None:
            return Status.FINISHED  # it was made when the point was settled
        return self._expand(self.t, self.S, self.order if self.t < self.request.t_end else 2)

    def _step(self, kept: list[tuple[float, float, Floats]]) -> Status:
        """One checked step from the expanded point; MORE if it succeeded."""
        h = min(self._choose(), self.request.t_end - self.t)
        if math.isnan(h):
            return Status.NOT_FINITE
        smallest = 2 * ROUNDING * max(abs(self.t), abs(self.request.t_end))
        fixed = self.request.step > 0.0
        h = self._fixed_step() if fixed else self._inspect(h, smallest, self._hiding_places(h))
        for attempt in range(80):
            left = self.request.t_end - self.t
            last = h >= left or 0.5 * left < smallest
            h = left if last else h if fixed else min(h, 0.5 * left)
            if h < smallest and not last:
                return Status.TOO_SMALL
            t = self.request.t_end if last else self.t + h
            S, a = self._evaluate(h)
            turns = self.turns + self._unwind(S)
            status, moved = self._settle(t, S)
            if fixed and status is not Status.FINISHED:
                return status
            if fixed or (status is Status.FINISHED and moved <= 1e3 * self.request.tol + 1e-10):
                status = self._expand(t, S, self.order if t < self.request.t_end else 2)
                if status is not Status.FINISHED:
                    return status
                fresh, begin = 2 * S[2, self.moving], 2 * self.S[2, self.moving]
                lack, largest = self._size(a - fresh), max(map(self._size, (a, fresh, begin)))
                usual = max(self.h_largest, FIRST * self.span)
                jumps = lack > JUMPS * largest and lack * usual * usual > self.request.tol and h > BRIEF * self.span
                wrong = not fixed and (jumps or self._is_too_much(lack, largest, h, 100.0 * self.order))
                self.suspicious = wrong and self.request.lenient and self.retries >= LENIENT_RETRIES
                if not wrong or self.suspicious:
                    self.calm += 1
                    self.h_largest = max(self.h_largest, h)
                    self.retries = 0 if self.calm > CALM else self.retries
                    self.S[0, : self.system.n] += 2 * math.pi * self.turns
                    kept.append((self.t, h, self.S))
                    self.turns = turns
                    self.worst_projection = max(self.worst_projection, moved)
                    self.worst_defect = max(self.worst_defect, lack * h * h)
                    self.S, self.t, self.h_last = S, t, h
                    self.steps += 1
                    return Status.MORE
                self.retries, self.calm = self.retries + 1, 0
                if jumps and self.retries > MAX_RETRIES and h < ABRUPT * usual:
                    return Status.JUMP
                h *= 0.5 / 0.7
            self.rejected += 1
            h *= 0.7 if attempt < 4 else 0.25
        return Status.TOO_SMALL

    def _fixed_step(self) -> float:
        """A step of the given length: to the next place of a grid, so that rounding does not add up."""
        request = self.request
        done = (self.t - request.origin) / request.step
        slack = 1e-9 + 4e-16 * done
        next_ = request.origin + (math.floor(done + slack) + 1) * request.step
        on_grid = next_ < request.t_end - slack * request.step
        return min(next_ - self.t, request.h_max) if on_grid else request.t_end - self.t

    def _size(self, x: Floats) -> float:
        """The largest entry of what moves, measured in its scales, or of the coordinates alone."""
        return float(np.max(np.abs(x) / self.scales[: len(x)], initial=0.0))

    # -- inside a step --------------------------------------------------------------------------------------------

    def _hiding_places(self, h: float) -> list[float]:
        """Where inside a step laws may do what the series does not show: see `note_hiding` in inside.h."""
        found: list[float] = []
        for runner, _, _ in self.runners:
            for step in runner.plan.hiding:
                for c in runner.series[step][: self.order - 2].T:
                    found += _find_hiding(np.polynomial.Polynomial(c), h)
        return sorted(found)

    def _inspect(self, h: float, smallest: float, places: Sequence[float]) -> float:
        """A step of at most h inside of which the polynomials are right as far as it shows."""
        while h > smallest:
            inside = (*(x for x in places if x < h), INNER * h)
            wrong = next((x for x in inside if self._is_wrong(x, h, x in places)), None)
            if wrong is None:
                break
            self.rejected += 1
            h = 0.7 * wrong
        return h

    def _is_wrong(self, x: float, h: float, hidden: bool) -> bool:
        """Whether at x, inside a step, accelerations are missing or, where a law may hide, forces of drivers."""
        missing, y = self._find_lack(x)
        n = self.system.n
        if self._is_too_much(self._size(missing[:n]), self._size(y[:n]), h, INSIDE):
            return True
        lack, forces = (float(np.max(np.abs(z[n:]) / self.units, initial=0.0)) for z in (missing, y))
        allowed = INSIDE * self.request.tol + NOISE
        return hidden and self.driven and not self.redundant and lack > allowed * forces

    def _find_lack(self, x: float) -> tuple[Floats, Floats]:
        """What accelerations and forces of ties the polynomials lack at x after the begin of the step, and those there.

        The equations of motion are made anew there, K y = b with y = (a, λ); missing is about K₀⁻¹ (b − K y).
        """
        n, first, t = self.system.n, self.first, self.t + x
        S, a = self._evaluate(x)
        kept = self.runners, self.followers
        self.runners, self.followers = self._runners(2), Followers(self.system, 2)
        for k in (-2, -1, 0):
            R = self._stage(k, t, S)
        self.runners, self.followers = kept
        lam: Floats = x ** np.arange(self.order - 1) @ self.S[: self.order - 1, first:]
        M, G = compute_matrices(self.system, S[0, self.moving], t, S[1, :n])
        b = np.concatenate([-R[:n], -np.where(self.system.holonomic, 2.0, 1.0) * R[first:]])
        missing = self.solve(b - np.concatenate([M @ a[:n] + G.T @ lam, G @ a[:n]]))
        return missing, np.concatenate([a[:n], lam])

    def _is_too_much(self, lack: float, largest: float, h: float, tolerances: float) -> bool:
        """Whether so much acceleration, missing in a step of length h, is too much for positions or speeds."""
        allowed, noise = tolerances * self.request.tol, NOISE * largest
        position = lack * h * h <= allowed + 1e-12 + noise * h * h
        speed = lack * h <= (LEFT_OUT * allowed + 1e-12) * self.speed + noise * h
        return not (position and speed)

    def _choose(self) -> float:
        h = math.inf
        for p in (self.order, self.order - 1):
            size = self._size(self.S[p, self.moving])
            if not math.isfinite(size):
                return math.nan
            if size > 0:
                h = min(h, math.exp(math.log(self.request.tol / (p * size)) / p))
        h = self._multiplier_step(h) if self.driven else h
        h = h if self.loops is None else self.loops.step(h)
        # p |q_p| h^(p-1) ≤ 4 tol speed, from p |q_p| h^p ≤ tol
        rates = [self._size(self.S[k, self.moving]) for k in (1, 2, 3)]
        free = h
        for _ in range(2):
            part = LEFT_OUT * self._speed(rates, h) * free
            h = free * math.exp(math.log(part) / (self.order - 2)) if part < 1 else h
        h = min(SAFETY * h, self.request.h_max, GROWTH * self.h_last if self.h_last else FIRST * self.span)
        self.speed = self._speed(rates, min(h, self.request.t_end - self.t))
        return h

    def _speed(self, rates: Sequence[float], h: float) -> float:
        """How fast things move in a step, in sizes a second; what would not move them in the whole run is slow."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.fmax.reduce([1 / self.span, rates[0], 2 * rates[1] * h, np.float64(3 * rates[2]) * h * h]))

    def _multiplier_step(self, h: float) -> float:
        """The largest step over which the multipliers' own series meets the tolerance: drivers do work by them."""
        norms = [float(np.max(np.abs(row[self.first :]) / self.units, initial=0.0)) for row in self.S]
        size = max(norms[k] * h**k for k in range(3))
        for p in (self.order - 2, self.order - 3):
            if size > 0 and norms[p] > 0:
                h = min(h, math.exp(math.log(self.request.tol * size / norms[p]) / p))
        return h

    def _evaluate(self, h: float) -> tuple[Floats, Floats]:
        """A new series whose rows 0 and 1 are the polynomial and its derivative at h; the second derivative."""
        q = self.S[self.order, self.moving]
        u, a = np.zeros_like(q), np.zeros_like(q)
        for row in self.S[self.order - 1 :: -1, self.moving]:
            a = a * h + 2 * u
            u = u * h + q
            q = q * h + row
        S = np.zeros_like(self.S)
        S[0, self.system.n : self.system.first_follower] = self.system.frozen
        S[0, self.moving], S[1, self.moving] = q, u
        return S, a

    def _unwind(self, S: Floats) -> Floats:
        """Bring angles back into (−π, π]; the whole turns taken away."""
        k = np.zeros(self.system.n)
        k[self.system.periodic] = np.round(S[0, self.system.periodic] / (2 * math.pi))
        S[0, : self.system.n] -= 2 * math.pi * k + 2.4492935982947064e-16 * k
        return k

    def make_ready(self, request: Request) -> None:
        """Nothing here depends on the method."""

    @property
    def places(self) -> Ints:
        """The slots of coordinates and followers."""
        return self.moving

    @property
    def multipliers(self) -> Ints:
        """The slots of multipliers."""
        return np.arange(self.first, self.first + self.system.m)

    def _chunk(self, kept: list[tuple[float, float, Floats]]) -> Chunk:
        width = self.S.shape[1]
        bends = BENDS if self.request.method == "hht" else 0
        series = np.array([S for _, _, S in kept]).reshape(len(kept), self.order + 1 + bends, width)
        return Chunk(
            t=np.array([t for t, _, _ in kept]),
            h=np.array([h for _, h, _ in kept]),
            series=_hand_over(self.handover, series) if self.handover else series,
            coordinate=self.moving,
            multiplier=self.multipliers,
            bends=bends,
        )

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return False

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself: somebody else does."""
        return False

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked: none, since it does not look."""
        return []

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is; behind q the followers and inputs, behind u and a their rates."""
        q, u, a = self.S[:3, self.moving]
        q[: self.system.n] += 2 * math.pi * self.turns
        return q, u, 2.0 * a, self.S[0, self.first :]

    @property
    def jerk(self) -> float:
        """How large the third derivatives of the coordinates are where the run is, in their sizes."""
        third = self.S[3, : self.system.n]
        return 6.0 * float(np.max(np.abs(third) / self.system.scales, initial=0.0))

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        return Tally(
            steps=self.steps,
            rejected=self.rejected,
            factorisations=self.tally_factorisations,
            redundant=self.redundant,
            worst_projection=self.worst_projection,
            worst_defect=self.worst_defect,
        )


def _find_hiding(x: np.polynomial.Polynomial, h: float) -> list[float]:
    """Half a unit before the argument x of exp or tanh turns or passes zero inside a step."""
    looks = np.linspace(0.0, h, LOOKS + 1)
    slope = x.deriv()
    if not np.ptp(x(looks)) > 1:
        return []
    found = []
    for function, bend in ((slope, slope.deriv()), (x, None)):
        below = function(looks) < 0
        for i in np.flatnonzero(below[1:] != below[:-1]):
            low, high = float(looks[i]), float(looks[i + 1])
            for _ in range(40):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if (function(middle) < 0) == below[i] else (low, middle)
            ahead = 0.5 / abs(slope(low)) if bend is None else 1 / math.sqrt(abs(bend(low)))
            found.append(low - ahead)
    return [place for place in found if 0 < place < h]


def _solver(K: csc_array, H: csc_array, n: int) -> tuple[Callable[[Floats], Floats], int, int | None]:
    """A function that solves K x = b, the number of redundant constraints, and a coordinate without inertia, if any.

    A null direction of K is either one of the multipliers (redundant constraints) or moves coordinates (no inertia).
    The inertia is positive in all motions that the constraints allow if K has n positive eigenvalues, or (for large
    systems without redundant constraints) if the pivots of H = M + Gᵀ W G are positive.
    """
    # rows and columns to size one, so that ranks do not depend on units
    largest = np.sqrt(abs(K).max(axis=1).toarray().ravel()) if K.nnz else np.zeros(K.shape[0])
    scale = 1.0 / np.where(largest > 0, largest, 1.0)
    scaled = csc_array(K.multiply(scale[:, None]).multiply(scale[None, :]))
    if K.shape[0] > DENSE and (solve := _sparse_solver(scaled)) is not None:
        return (lambda b: scale * solve(scale * b)), 0, _find_negative_pivot(H)
    dense = K.toarray()
    w, V = np.linalg.eigh(scaled.toarray())
    keep = np.abs(w) > REDUNDANT * np.max(np.abs(w), initial=0.0)
    moving = np.abs(V[:n, ~keep]).max(axis=1, initial=0.0)
    idle = int(np.argmax(moving)) if n and moving.max() > 1e-6 else None
    if idle is None and np.sum(w[keep] > 0) < n:
        idle = _find_negative(dense[:n, :n], dense[n:, :n])
    inverse = (V[:, keep] / w[keep]) @ V[:, keep].T
    return (lambda b: scale * (inverse @ (scale * b))), int(np.sum(~keep)), idle


def _find_negative(M: Floats, G: Floats) -> int:
    """The coordinate that moves most in the allowed motion of least inertia."""
    from scipy.linalg import null_space

    allowed = null_space(G) if len(G) else np.eye(len(M))
    if not allowed.size:  # constraints that hold everything only to rounding
        return int(np.argmin(np.diagonal(M)))
    _, V = np.linalg.eigh(allowed.T @ M @ allowed)
    moved = np.abs(allowed @ V[:, 0])
    # the last of those that move as much
    return int(np.flatnonzero(moved > 0.999 * moved.max())[-1])


def _find_negative_pivot(H: csc_array) -> int | None:
    """The coordinate of the most negative pivot, if there is one."""
    from scipy.sparse.linalg import splu

    try:
        symmetric = {"SymmetricMode": True, "DiagPivotThresh": 0.0}
        factors = splu(H, permc_spec="MMD_AT_PLUS_A", options=symmetric)
    except RuntimeError:
        return None
    pivots = factors.U.diagonal()[factors.perm_c]
    return int(np.argmin(pivots)) if pivots.min() < 0 else None


def _sparse_solver(K: csc_array) -> Callable[[Floats], Floats] | None:
    """A solver by pivoted LU; None where a pivot vanishes but for rounding."""
    from scipy.sparse.linalg import splu

    try:
        factors = splu(K)
    except RuntimeError:
        return None
    pivots = np.abs(factors.U.diagonal())
    return None if pivots.min() < REDUNDANT * pivots.max() else lambda b: np.asarray(factors.solve(b))


def _hand_over(to: Handover, series: Floats) -> Floats:
    """Steps in other coordinates; the last number of each is none."""
    steps, orders, width = series.shape
    B = csr_array((to.entry, to.column, to.begin), shape=(len(to.offset), width))
    made = np.full((steps, orders, to.width), np.nan)
    rows = np.asarray(B @ series.reshape(-1, width).T).T
    made[:, :, :-1] = rows.reshape(steps, orders, len(to.offset))
    made[:, 0, :-1] += to.offset
    return made
