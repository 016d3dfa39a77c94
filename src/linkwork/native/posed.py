"""A machine that integrates in absolute coordinates with the face of one in points: states in points in, steps out.

Multipliers that both systems have are handed over; the others are not numbers here, and whoever needs them finds them
from the motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from linkwork.arrays import Floats
from linkwork.equations.absolute import Absolute
from linkwork.native.machine import Machine
from linkwork.native.motion import Chunk, Request, Status, Tally
from linkwork.native.reference import ReferenceMachine


class PosedMachine:
    """The machine of a system in points whose motion is made by one in absolute coordinates."""

    def __init__(self, absolute: Absolute, inner: Machine | ReferenceMachine) -> None:
        self.absolute, self.inner = absolute, inner
        self.system = absolute.points
        self.A = absolute.A
        self._map: csr_array | None = None
        n, (known, _) = absolute.A.shape[0], absolute.rows
        # behind coordinates and inputs stand the multipliers that are known, then one that is not
        self.multiplier = np.full(self.system.m, n + len(known), dtype=np.int64)
        self.multiplier[known] = n + np.arange(len(known))

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return self.inner.compiled

    @property
    def checked(self) -> object:
        """The start that was last found regular."""
        return self.inner.checked

    @checked.setter
    def checked(self, key: object) -> None:
        self.inner.checked = key

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state in points."""
        return self.inner.begin(request, t, *self.absolute.place(q, u))

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on."""
        self.inner.set_inputs(values)

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps, in points."""
        status, chunk = self.inner.advance(seconds, limit)
        steps, orders, width = chunk.series.shape
        n, (known, _) = self.A.shape[0], self.absolute.rows
        series = np.empty((steps, orders, n + len(known) + 1))
        series[:, :, -1] = np.nan
        rows = series.reshape(steps * orders, n + len(known) + 1)  # there may be no steps
        self.inner.convert(self._find_map(chunk), chunk.series.reshape(steps * orders, width), rows)
        return status, Chunk(t=chunk.t, h=chunk.h, series=series, coordinate=np.arange(n), multiplier=self.multiplier)

    def _find_map(self, chunk: Chunk) -> csr_array:
        """From the numbers of a step as the machine holds them to coordinates in points and multipliers."""
        if self._map is None:
            entries, (known, there), n = self.A.tocoo(), self.absolute.rows, self.A.shape[0]
            row = np.concatenate([entries.row, n + np.arange(len(known))])
            column = np.concatenate([chunk.coordinate[entries.col], chunk.multiplier[there]])
            values = np.concatenate([entries.data, np.ones(len(known))])
            self._map = csr_array((values, (row, column)), shape=(n + len(known), chunk.series.shape[2]))
        return self._map

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is; a multiplier that is not known is not a number."""
        x, v, w, lam = self.inner.end
        found = np.full(self.system.m, np.nan)
        known, there = self.absolute.rows
        found[known] = lam[there]
        return self.A @ x, self.A @ v, self.A @ w, found

    @property
    def t(self) -> float:
        """Where the run is."""
        return self.inner.t

    @property
    def culprit(self) -> str:
        """The coordinate without inertia, if that ended the run."""
        return self.inner.culprit

    @property
    def suspicious(self) -> bool:
        """Whether the last step failed its check and was kept only because the run is lenient."""
        return self.inner.suspicious

    @property
    def tally(self) -> Tally:
        """What the run has done so far; redundant are constraints in points."""
        # the freedoms are the same: n − (m − redundant) in points and in poses
        tally, points, poses = self.inner.tally, self.system, self.absolute.system
        return replace(tally, redundant=tally.redundant + (points.m - points.n) - (poses.m - poses.n))
