"""A machine that integrates in absolute coordinates with the face of one in points: states in points in, steps out.

Multipliers that both systems have are handed over; the others are not numbers here, and whoever needs them finds them
from the motion.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.absolute import Absolute
from linkwork.native.around import Around
from linkwork.native.machine import Machine
from linkwork.native.motion import Chunk, Handover, Request, Status, Tally
from linkwork.native.reference import ReferenceMachine


class PosedMachine(Around[Machine | ReferenceMachine]):
    """The machine of a system in points whose motion is made by one in absolute coordinates."""

    def __init__(self, absolute: Absolute, inner: Machine | ReferenceMachine) -> None:
        super().__init__(inner)
        self.absolute = absolute
        self.A = absolute.A
        self._handover: tuple[object, Handover] | None = None
        if isinstance(inner, Machine):
            inner.observe(self.system)
        n, (known, _) = absolute.A.shape[0], absolute.rows
        # behind coordinates and inputs stand the multipliers that are known, then one that is not
        self.multiplier = np.full(self.system.m, n + len(known), dtype=np.int64)
        self.multiplier[known] = n + np.arange(len(known))

    @property
    def system(self) -> System:
        """What moves, in points."""
        return self.absolute.points

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state in points."""
        self.inner.make_ready(request)
        if self._handover is None or self._handover[0] is not self.inner.places:
            self._handover = self.inner.places, self._find_handover()
        return self.inner.begin(request, t, *self.absolute.place(q, u), self._handover[1])

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps, in points."""
        status, chunk = self.inner.advance(seconds, limit)
        return status, replace(chunk, coordinate=np.arange(self.A.shape[0]), multiplier=self.multiplier)

    def _find_handover(self) -> Handover:
        """From the numbers of a step as the machine holds them to coordinates in points and multipliers."""
        A, (known, there) = self.A, self.absolute.rows
        end = np.arange(1, len(known) + 1) + A.indptr[-1]
        return Handover(
            begin=np.concatenate([A.indptr, end]).astype(np.int32),
            column=np.concatenate([self.inner.places[A.indices], self.inner.multipliers[there]]).astype(np.int32),
            entry=np.concatenate([A.data, np.ones(len(known))]),
            offset=np.append(self.absolute.offset, np.zeros(len(known))),
        )

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is; a multiplier that is not known is not a number."""
        x, v, w, lam = self.inner.end
        found = np.full(self.system.m, np.nan)
        known, there = self.absolute.rows
        found[known] = lam[there]
        return self.A @ x + self.absolute.offset, self.A @ v, self.A @ w, found

    @property
    def tally(self) -> Tally:
        """What the run has done so far; redundant are constraints in points."""
        # the freedoms are the same: n − (m − redundant) in points and in poses
        tally, points, poses = self.inner.tally, self.system, self.absolute.system
        return replace(tally, redundant=tally.redundant + (points.m - points.n) - (poses.m - poses.n))
