"""A machine some of whose constraints can be off: the machine of each set of them in, steps of the whole system out.

States have the coordinates of the whole system in every phase; the multiplier of a constraint that is off is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.around import Around
from linkwork.native.motion import Chunk, Status, Stepper

Off = frozenset[int]


class SwitchedMachine(Around[Stepper]):
    """The machines of a system without some of its constraints, one for each set of them, behind one face.

    `make` gives the machine of a set; `off` are the numbers of the constraints that are off now.
    """

    def __init__(self, system: System, make: Callable[[Off], Stepper], off: Off = frozenset()) -> None:
        self.whole, self.make, self.off = system, make, off
        self._made: dict[Off, Stepper] = {}
        self._places: dict[Off, Ints] = {}
        self.switch(off)

    @property
    def system(self) -> System:
        """The whole of it."""
        return self.whole

    def switch(self, off: Off) -> None:
        """From the next begin on these constraints are off, and no others."""
        if self._made and off == self.off:
            return
        if off not in self._made:
            self._made[off] = self.make(off)
        self.off, self.inner = off, self._made[off]
        self.on: Ints = np.array([i for i in range(self.system.m) if i not in off], dtype=np.int64)

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps, with zeros for what is off."""
        status, chunk = self.inner.advance(seconds, limit)
        return status, self.widen(chunk)

    def widen(self, chunk: Chunk) -> Chunk:
        """Steps of the machine inside, with zeros for what is off."""
        if not self.off:
            return chunk
        steps, orders, width = chunk.series.shape
        series = np.zeros((steps, orders, width + 1))
        series[:, :, :width] = chunk.series
        multiplier = self._multipliers(width, chunk.multiplier)
        return replace(chunk, series=series, multiplier=multiplier)

    def _multipliers(self, width: int, places: Ints) -> Ints:
        """Where multipliers are in a step, those that are off behind all else; the same array while it is right."""
        found = np.full(self.system.m, width, dtype=np.int64)
        found[self.on] = places
        known = self._places.get(self.off)
        if known is None or not np.array_equal(known, found):
            known = self._places[self.off] = found
        return known

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is."""
        q, u, a, lam = self.inner.end
        found = np.zeros(self.system.m)
        found[self.on] = lam
        return q, u, a, found
