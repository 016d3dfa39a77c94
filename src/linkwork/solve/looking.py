"""A machine that somebody looks after: one that does not look for crossings itself in, one that does out.

What it makes is looked at step by step for events and switches of laws, in Python. A step is cut where a law switches,
and the machine begins again so little beyond that rounding cannot lead back to the old law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.native import Chunk, Crossing, Request, Side, Status, Stepper, Tally
from linkwork.native.around import Around
from linkwork.native.tableau import EXPLICIT
from linkwork.results import Store
from linkwork.solve.events import Found, Watcher

LOOK = 64  # steps between looks
BEYOND, FIRST = 1e-12, 1 / 32  # of a usual step: no further than this beyond a switch; of a run: such a step
FARTHEST = 1e-9  # unless the point that fits the constraints is still before it
STAGED = EXPLICIT | {"hht", "radau"}  # methods whose steps feel laws at their ends, or between
APPROACHES = 12  # tries of a step that is to end before a border
BEFORE, BRIEF = (
    1e-6,
    1e-12,
)  # so far before it, of the way there; of the run: a way so short that nothing is wrong in it
CHATTER, STUCK = 40, 1e-9  # so many changes of law in such a part of the times of a run count as chattering


class Looking(Around[Stepper]):
    """A machine with a watcher that looks at its steps."""

    def __init__(self, inner: Stepper, watcher: Watcher) -> None:
        super().__init__(inner)
        self.watcher = watcher
        self.found: list[Crossing] = []
        self.switched: list[float] = []
        self.tallies: list[Tally] = []
        self.held = False
        self.approaches = 0
        self.law = ""

    # -- what it makes --------------------------------------------------------------------------------------------

    def begin(self, request: Request, t: float, q: Floats, u: Floats) -> Status:
        """Start from a consistent state."""
        self.tallies, self.request, self.law, self.watcher.across = [], request, "", {}
        return self._begin(t, q, u)

    def _begin(self, t: float, q: Floats, u: Floats, h_max: float = np.inf) -> Status:
        """Begin, or begin again; the first step may be held short."""
        self.held = bool(np.isfinite(h_max))
        lenient = self.request.watch and bool(self.watcher.switches)
        request = replace(self.request, lenient=lenient, h_max=min(h_max, self.request.h_max))
        return self.inner.begin(request, t, q, u)

    def _begin_again(self, t: float, q: Floats, u: Floats, h_max: float = np.inf) -> Status:
        """The same in the middle of a run, which goes on if it can."""
        self.tallies.append(self.inner.tally)
        status = self._begin(t, q, u, h_max)
        return Status.MORE if status is Status.FINISHED else status

    def advance(self, seconds: float, limit: int) -> tuple[Status, Chunk]:
        """The next steps, up to the first change of law or the first event that stops."""
        if not self.request.watch:
            return self.inner.advance(seconds, limit)
        held = self.held
        status, chunk = self.inner.advance(seconds, 1 if held else min(LOOK, limit))
        status, chunk = self.look(status, chunk)
        if held and self.held and status is Status.MORE and len(chunk.t):
            # a step that was held short is made: go on freely
            q, u, _, _ = self.inner.end
            status = self._begin_again(self.inner.t, q.copy(), u.copy())
        return status, chunk

    # -- looking --------------------------------------------------------------------------------------------------

    def look(self, status: Status, chunk: Chunk) -> tuple[Status, Chunk]:
        """Find crossings in new steps and cut these where a law switches, from where the machine begins again."""
        store = Store()
        store.append(chunk)
        found = self.watcher.find(store, 0)
        last = store.count - 1
        # a step that failed its check is kept only if a law switches in it; what happened before it did happen
        if self.inner.suspicious and store.count and not any(c.is_switch or c.step < last for c in found if c.ends):
            self.found += [c.crossing for c in found if c.step < last]
            self.watcher.forget_last()
            return self._repeat_last(store), _first_steps(chunk, last)
        if found and found[-1].is_switch and self._is_felt(store, found[-1]):
            self.found += [c.crossing for c in found if c.step < found[-1].step]
            self.watcher.forget_last()
            return self._approach(store, found[-1]), _first_steps(chunk, found[-1].step)
        self.approaches = 0
        self.found += [c.crossing for c in found if not c.is_switch]
        if not found or not found[-1].ends:
            return status, chunk
        if found[-1].crossing.stop:
            return Status.STOPPED, _first_steps(chunk, found[-1].step + 1)
        status, t = self._begin_beyond(store, found[-1])
        store.cut(t)
        if status is Status.MORE and self._chatters(found[-1].t):
            status, self.law = Status.CHATTERS, found[-1].crossing.name
        return status, store.chunks[0]

    def _is_felt(self, store: Store, found: Found) -> bool:
        """Whether stages beyond the border felt another law, so that what they say of the part before is wrong."""
        span = self.request.t_end - self.request.origin
        near = found.faint or found.t - float(store.t[found.step]) <= BRIEF * span
        self.approaches += 1
        return self.request.method in STAGED and not near and self.approaches <= APPROACHES

    def _approach(self, store: Store, found: Found) -> Status:
        """Take a step again, to a little before the border."""
        t = float(store.t[found.step])
        q, u, _, _ = store.evaluate(np.array([found.step]), np.zeros(1))
        return self._begin_again(t, q[0], u[0], h_max=(found.t - t) * (1.0 - BEFORE))

    def _begin_beyond(self, store: Store, found: Found) -> tuple[Status, float]:
        """Begin again beyond a switch, and when."""
        start, h = float(store.t[found.step]), float(store.h[found.step])
        beyond, end = float(np.spacing(max(abs(found.t), h))), self.request.t_end
        usual = max(h, FIRST * (end - self.request.origin))
        self.tallies.append(self.inner.tally)
        while True:
            t = min(found.t + beyond, end)
            q, u, _, _ = store.evaluate(np.array([found.step]), np.array([t - start]))
            status = self._begin(t, q[0], u[0])
            q, u, _, _ = self.inner.end
            if beyond > FARTHEST * usual or self.watcher.is_across(found, t, q, u, beyond <= BEYOND * usual):
                self.watcher.across[found.function] = found.crossing.positive
                return Status.MORE if status is Status.FINISHED else status, t
            beyond *= 2.0

    def _repeat_last(self, store: Store) -> Status:
        """The last step was wrong and no law switched in it: take it again, much shorter."""
        t, h = float(store.t[-1]), float(store.h[-1])
        q, u, _, _ = store.evaluate(np.array([store.count - 1]), np.zeros(1))
        status = self._begin_again(t, q[0], u[0], h_max=h / 8)
        return Status.JUMP if h < 1e-12 * max(abs(t), abs(self.request.t_end)) else status

    def _chatters(self, t: float) -> bool:
        """Many changes of law in next to no time mean that the motion sticks to the border between two laws."""
        self.switched = [*self.switched, t][-CHATTER:]
        span = abs(self.request.t_end) + abs(self.request.origin)
        return len(self.switched) == CHATTER and self.switched[-1] - self.switched[0] < STUCK * span

    def prolong(self, t_end: float) -> None:
        """Go on until another time."""
        self.request = replace(self.request, t_end=t_end)
        self.inner.prolong(t_end)

    # -- what it knows --------------------------------------------------------------------------------------------

    def take_crossings(self) -> list[Crossing]:
        """The events since this was last asked."""
        found, self.found = self.found, []
        return found

    @property
    def sides(self) -> Sequence[Side]:
        """Where the watched values are, by event."""
        return self.watcher.sides

    @sides.setter
    def sides(self, sides: Sequence[Side]) -> None:
        self.watcher.sides = sides or [Side() for _ in self.watcher.system.watches]

    @property
    def watches(self) -> bool:
        """Whether it looks for events and switches itself."""
        return True

    @property
    def tally(self) -> Tally:
        """What the run has done so far."""
        return Tally.total([*self.tallies, self.inner.tally])

    @property
    def culprit(self) -> str:
        """The coordinate without inertia or the law that chatters, if that ended the run."""
        return self.law or self.inner.culprit

    @property
    def suspicious(self) -> bool:
        """Whether the last step failed its check: then it was taken again."""
        return False


def _first_steps(chunk: Chunk, count: int) -> Chunk:
    return replace(chunk, t=chunk.t[:count], h=chunk.h[:count], series=chunk.series[:count])
