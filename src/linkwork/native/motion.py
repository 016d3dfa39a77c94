"""What goes to and comes from a machine that integrates: request, status, chunks of steps, events, tally."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats, Ints
from linkwork.equations import System


class Status(enum.Enum):
    """How a call to the integrator ended; the numbers are those of runtime.h."""

    FINISHED = 0
    MORE = 1
    TOO_SMALL = 2
    NOT_FINITE = 3
    NO_INERTIA = 4
    NOT_CLOSED = 5
    JUMP = 6
    LOCKED = 7
    STOPPED = 8  # by an event
    CHATTERS = 9  # a law switches to and fro without end
    JAMMED = 10  # algebraic values are not determined


STATUS = tuple(Status)  # by number: several times quicker than to ask the class


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to integrate: until when, how accurately, by which method, with which order and largest step.

    `span` is the length of the run that this is a part of, by which first steps are judged; 0: this is all of it.
    A `step` makes all steps end on a grid from the time `origin` on, whatever their errors; 0: as long as errors allow.
    alpha, beta are Baumgarte's: g'' + 2 alpha g' + beta² g = 0; rho is that of `hht`, one step of which may be wrong by
    a `part` of the tolerance; stages are those of `radau`.
    A run that watches notes events, ends at one that stops it, and begins anew where a law switches. If the machine
    does not look for them itself, whoever does asks for a lenient run: it hands over a step that fails its check, since
    a law may switch inside it. `fused` asks for all terms of a small system as one kernel.
    """

    t_end: float
    tol: float
    order: int
    h_max: float = float("inf")
    watch: bool = False
    lenient: bool = False
    method: str = "taylor"
    step: float = 0.0
    origin: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0
    rho: float = 0.8
    part: float = 1.0
    stages: int = 3
    span: float = 0.0
    fused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """Steps in other coordinates: y = offset + B x of the numbers x of a step, and one that is none behind them.

    The entries of row i of B are those from begin[i] to begin[i + 1], each with its column; the offset is of order 0.
    """

    begin: NDArray[np.int32]
    column: NDArray[np.int32]
    entry: Floats
    offset: Floats

    @property
    def width(self) -> int:
        """Numbers of a step that is handed over."""
        return len(self.offset) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Steps of a motion as polynomials in t − t[i], in the order in which the machine holds its unknowns.

    t, h: (steps,)   series: (steps, order + 1, unknowns); `coordinate` and `multiplier` say where each one is.
    Followers stand behind the coordinates, as everywhere.

    Where errors of steps are as large as h³, the second derivatives of polynomials through both ends of a step are
    wrong by as much as h inside. There accelerations change by polynomials of their own, whose coefficients from
    order 1 on are so many rows at the end of the series: `bends`.
    """

    t: Floats
    h: Floats
    series: Floats
    coordinate: Ints
    multiplier: Ints
    bends: int = 0

    @property
    def polynomials(self) -> Floats:
        """The series without those of accelerations."""
        return self.series[:, : self.series.shape[1] - self.bends]

    def accelerations(self, steps: Ints, dt: Floats) -> Floats:
        """Those of their own at times after the begins of steps.   (k, unknowns)"""
        bends, x, a = self.series[steps, -self.bends :], dt[:, None], np.zeros((len(steps), self.series.shape[2]))
        for k in reversed(range(self.bends)):
            a = (a + bends[:, k]) * x
        return np.asarray(2.0 * self.series[steps, 2] + a)

    def bent(self, bends: Floats) -> Chunk:
        """The same with accelerations of their own.   bends: (steps, orders from 1 on, unknowns)"""
        return replace(self, series=np.concatenate([self.series, bends], axis=1), bends=bends.shape[1])

    def q(self, order: int) -> Floats:
        """One coefficient of the coordinates and followers.   (steps, n + followers)"""
        return np.asarray(self.series[:, order])[:, self.coordinate]

    def lam(self, order: int) -> Floats:
        """One coefficient of the multipliers, which end two orders earlier.   (steps, m)"""
        return np.asarray(self.series[:, order])[:, self.multiplier]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a run did: steps kept and rejected, matrices factorised, redundant constraints, largest corrections.

    fused: as one kernel, at least in the end.
    """

    steps: int
    rejected: int
    factorisations: int
    redundant: int
    worst_projection: float
    worst_defect: float
    fused: bool = False

    @staticmethod
    def total(tallies: Sequence[Tally]) -> Tally:
        """Tallies of the pieces of a run, put together."""
        if len(tallies) == 1:
            return tallies[0]
        return Tally(
            steps=sum(t.steps for t in tallies),
            rejected=sum(t.rejected for t in tallies),
            factorisations=sum(t.factorisations for t in tallies),
            redundant=max(t.redundant for t in tallies),
            worst_projection=max(t.worst_projection for t in tallies),
            worst_defect=max(t.worst_defect for t in tallies),
            fused=any(t.fused for t in tallies),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """An event: its name, when its value passed zero, whether it is positive since, whether the machine ends there.

    watch is the number of the event among those of the system.
    """

    name: str
    t: float
    positive: bool
    stop: bool
    watch: int = -1


@dataclass(frozen=True, slots=True)
class Side:
    """Where a watched value is: the side it was last clearly on (None: on neither yet), and when it has left it."""

    positive: bool | None = None
    left: float | None = None
    raw: bool | None = None  # the sign at the last look, noise or not


class Stepper(Protocol):
    """What integrates: a state in, steps of the motion out, chunk by chunk, whatever the method and the coordinates."""

    checked: object  # the start that was last found regular

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state.   q: (n + followers,), u: (n,) or longer"""
        ...

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """Integrate until the end, or for about so many seconds, or for so many steps, or until a chunk is full."""
        ...

    def foresee(self, request: Request) -> Future[Any] | None:
        """Get ready, beside the run, for a request to go on with; nothing if there is nothing to wait for."""
        ...

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on; to be called between `begin` and any `advance`."""
        ...

    def prolong(self, t_end: float) -> None:
        """Go on until another time; to be called where the run has ended."""
        ...

    @property
    def system(self) -> System:
        """What moves, in whose coordinates states and steps are."""
        ...

    @property
    def t(self) -> float:
        """Where the run is."""
        ...

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is; behind q the followers, behind u and a their rates."""
        ...

    @property
    def jerk(self) -> float:
        """How large the third derivatives of the coordinates it works in are where the run is, in sizes of these."""
        ...

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        ...

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        ...

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself."""
        ...

    @property
    def sides(self) -> Sequence[Side]:
        """Where the watched values are, by event; they may be set."""
        ...

    @sides.setter
    def sides(self, sides: Sequence[Side]) -> None: ...

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked."""
        ...

    @property
    def suspicious(self) -> bool:
        """Whether the last step failed its check and was kept only because the run is lenient."""
        ...

    @property
    def culprit(self) -> str:
        """The coordinate without inertia or the law that chatters, if that ended the run."""
        ...
