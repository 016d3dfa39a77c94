"""A machine some of whose constraints can be off: the machine of each set of them in, steps of the whole system out.

States have the coordinates of the whole system in every phase; the multiplier of a constraint that is off is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.motion import Chunk, Crossing, Request, Side, Status, Stepper, Tally

Off = frozenset[int]


class SwitchedMachine:
    """The machines of a system without some of its constraints, one for each set of them, behind one face.

    `make` gives the machine of a set; `off` are the numbers of the constraints that are off now.
    """

    def __init__(self, system: System, make: Callable[[Off], Stepper], off: Off = frozenset()) -> None:
        self.system, self.make = system, make
        self._made: dict[Off, Stepper] = {}
        self.switch(off)

    def switch(self, off: Off) -> None:
        """From the next begin on these constraints are off, and no others."""
        if off not in self._made:
            self._made[off] = self.make(off)
        self.off, self.inner = off, self._made[off]
        self.on: Ints = np.array([i for i in range(self.system.m) if i not in off], dtype=np.int64)

    @property
    def checked(self) -> object:
        """The start that was last found regular."""
        return self.inner.checked

    @checked.setter
    def checked(self, key: object) -> None:
        self.inner.checked = key

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a state that meets the constraints that are on."""
        return self.inner.begin(request, t, q, u)

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps, with zeros for what is off."""
        status, chunk = self.inner.advance(seconds, limit)
        if not self.off:
            return status, chunk
        steps, orders, width = chunk.series.shape
        series = np.zeros((steps, orders, width + 1))
        series[:, :, :width] = chunk.series
        multiplier = np.full(self.system.m, width, dtype=np.int64)
        multiplier[self.on] = chunk.multiplier
        return status, Chunk(t=chunk.t, h=chunk.h, series=series, coordinate=chunk.coordinate, multiplier=multiplier)

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on."""
        self.inner.set_inputs(values)

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked."""
        return self.inner.take_crossings()

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself."""
        return self.inner.watches

    @property
    def sides(self) -> Sequence[Side]:
        """Where the watched values are, by event."""
        return self.inner.sides

    @sides.setter
    def sides(self, sides: Sequence[Side]) -> None:
        self.inner.sides = sides

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is."""
        q, u, a, lam = self.inner.end
        found = np.zeros(self.system.m)
        found[self.on] = lam
        return q, u, a, found

    @property
    def t(self) -> float:
        """Where the run is."""
        return self.inner.t

    @property
    def tally(self) -> Tally:
        """What the run has done since it began."""
        return self.inner.tally

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return self.inner.compiled

    @property
    def suspicious(self) -> bool:
        """Whether the last step failed its check and was kept only because the run is lenient."""
        return self.inner.suspicious

    @property
    def culprit(self) -> str:
        """The coordinate without inertia, if that ended the run."""
        return self.inner.culprit
