"""A machine for a system without masses and forces: the same steps, with multipliers that are not numbers.

Whoever needs multipliers finds them from the motion, the masses and the forces.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.native.around import Around
from linkwork.native.motion import Chunk, Status, Stepper


class BareMachine(Around[Stepper]):
    """A machine that knows the motion and no forces."""

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps."""
        status, chunk = self.inner.advance(seconds, limit)
        steps, orders, width = chunk.series.shape
        series = np.full((steps, orders, width + 1), np.nan)
        series[:, :, :width] = chunk.series
        return status, replace(chunk, series=series, multiplier=np.full(self.system.m, width, dtype=np.int64))

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a where the run is."""
        q, u, a, lam = self.inner.end
        return q, u, a, np.full_like(lam, np.nan)
