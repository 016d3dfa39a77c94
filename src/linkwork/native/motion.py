"""What goes to and comes from a machine that integrates: request, status, chunks of steps, tally."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Status(enum.Enum):
    """How a call to the integrator ended; the numbers are those of runtime.c."""

    FINISHED = 0
    MORE = 1
    TOO_SMALL = 2
    NOT_FINITE = 3
    NO_INERTIA = 4
    NOT_CLOSED = 5
    JUMP = 6
    LOCKED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to integrate: until when, how accurately, with which order and largest step.

    A lenient run hands over a step that fails its check, since a law may switch inside it, and the caller looks.
    """

    t_end: float
    tol: float
    order: int
    h_max: float = float("inf")
    lenient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Steps of a motion as polynomials in t − t[i].

    t, h: (steps,)   q: (steps, order + 1, n)   lam: (steps, order − 1, m)
    """

    t: Floats
    h: Floats
    q: Floats
    lam: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a run did: steps kept and rejected, matrices factorised, redundant constraints, largest corrections."""

    steps: int
    rejected: int
    factorisations: int
    redundant: int
    worst_projection: float
    worst_defect: float
