"""What stands around a machine and is one itself: all that it does not do otherwise goes through to the machine inside.

Whoever wraps a machine says what is different and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native.motion import Chunk, Crossing, Request, Side, Status, Stepper, Tally

Inner = TypeVar("Inner", bound=Stepper)


class Around(Generic[Inner]):
    """A machine made of another, to be completed."""

    def __init__(self, inner: Inner) -> None:
        self.inner = inner

    @property
    def checked(self) -> object:
        """The start that was last found regular."""
        return self.inner.checked

    @checked.setter
    def checked(self, key: object) -> None:
        self.inner.checked = key

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state."""
        return self.inner.begin(request, t, q, u)

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps."""
        return self.inner.advance(seconds, limit)

    def foresee(self, request: Request) -> Future[Any] | None:
        """Get ready for a request to go on with."""
        return self.inner.foresee(request)

    def set_inputs(self, values: Mapping[str, float]) -> None:
        """Hold other values of inputs from here on."""
        self.inner.set_inputs(values)

    def prolong(self, t_end: float) -> None:
        """Go on until another time."""
        self.inner.prolong(t_end)

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked."""
        return self.inner.take_crossings()

    @property
    def system(self) -> System:
        """What moves, in whose coordinates states and steps are."""
        return self.inner.system

    @property
    def t(self) -> float:
        """Where the run is."""
        return self.inner.t

    @property
    def end(self) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a and λ where the run is."""
        return self.inner.end

    @property
    def jerk(self) -> float:
        """How large third derivatives are where the run is."""
        return self.inner.jerk

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        return self.inner.tally

    @property
    def compiled(self) -> bool:
        """Whether it runs in compiled code."""
        return self.inner.compiled

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
    def suspicious(self) -> bool:
        """Whether the last step failed its check and was kept only because the run is lenient."""
        return self.inner.suspicious

    @property
    def culprit(self) -> str:
        """The coordinate without inertia or the law that chatters, if that ended the run."""
        return self.inner.culprit
