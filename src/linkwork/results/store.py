"""The steps of a motion as polynomials, within a budget of memory; what does not fit goes to a private file.

In: chunks of steps; out: coefficients of any step. Knows nothing of names or mechanics.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import IO

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.errors import LinkworkError
from linkwork.native import Chunk

MEMORY = 1 << 30  # bytes of polynomials kept in memory unless asked otherwise
TOGETHER = 1 << 24  # bytes of small chunks that are put together, so that there are few of them
SLACK = 1e-9  # of a step, and of a time: what rounding makes of times
Balance = Callable[[Floats, Floats, Floats, Floats], Floats]  # t, q, u, a of some states in, their multipliers out
BLOCK = 250_000  # numbers of polynomials evaluated together: what a processor's cache holds


class Store:
    """Steps in order of time; appended while a run goes on, read afterwards."""

    def __init__(self, memory: int = MEMORY, every: float | None = None) -> None:
        self.memory = memory
        self.every = every  # the time between states, if not all steps were kept
        self.bytes = 0
        self.starts: list[int] = []  # number of the first step of each chunk
        self.chunks: list[Chunk] = []
        self.count = 0
        self.failure = ""  # why no more steps can be kept
        self.balance: Balance | None = None  # what finds the multipliers, if the steps were made without forces
        self._times = _Column(), _Column()  # begins and lengths of all steps
        self._file: IO[bytes] | None = None

    def append(self, chunk: Chunk) -> None:
        """Add the next steps; if there is no more room for them, `failure` says so and they are kept in memory."""
        if len(chunk.t) == 0:
            return
        size = chunk.series.nbytes
        if self.bytes + size > self.memory:
            chunk = self._to_disk(chunk)
        else:
            self.bytes += size
        self.starts.append(self.count)
        self.chunks.append(chunk)
        for column, values in zip(self._times, (chunk.t, chunk.h), strict=True):
            column.put(self.count, values)
        self.count += len(chunk.t)
        while len(self.chunks) > 1 and _belong_together(*self.chunks[-2:]):
            last = self.chunks.pop()
            self.chunks[-1] = _join(self.chunks[-1], last)
            self.starts.pop()

    def __getstate__(self) -> dict[str, object]:
        """A copy keeps everything in memory: the private file belongs to this store."""
        chunks = [replace(chunk, series=np.array(chunk.series)) for chunk in self.chunks]
        held = sum(chunk.series.nbytes for chunk in chunks)
        return {**self.__dict__, "chunks": chunks, "bytes": held, "_file": None, "balance": None}

    @property
    def on_disk(self) -> bool:
        """Whether part of the steps had to go to a file."""
        return self._file is not None

    def _to_disk(self, chunk: Chunk) -> Chunk:
        try:
            if self._file is None:
                # without a name, so that nothing is left behind even if the program is killed
                self._file = tempfile.TemporaryFile(prefix="linkwork-")  # noqa: SIM115 (it lives as long as the store)
                weakref.finalize(self, self._file.close)
            place = self._file.seek(0, os.SEEK_END)
            self._file.write(np.ascontiguousarray(chunk.series).data)
            self._file.flush()
            series = np.memmap(self._file, chunk.series.dtype, "r", place, chunk.series.shape)
            return replace(chunk, series=series)
        except OSError as error:
            self.failure = f"the steps cannot be kept in '{tempfile.gettempdir()}': {error.strerror or error}"
            return chunk

    def part(self, first: int, last: int, rows: NDArray[np.int64]) -> Store:
        """The steps from number `first` on and before `last`, with some of the multipliers."""
        found = Store(self.memory, self.every)
        for start, chunk in zip(self.starts, self.chunks, strict=True):
            low, high = max(first - start, 0), min(last - start, len(chunk.t))
            if low < high:
                t, h, series = (x[low:high] for x in (chunk.t, chunk.h, chunk.series))
                found.append(replace(chunk, t=t, h=h, series=series, multiplier=chunk.multiplier[rows]))
        return found

    # -- reading --------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Floats:
        """Times at which the steps begin."""
        return self._times[0].values[: self.count]

    @property
    def h(self) -> Floats:
        """Lengths of the steps."""
        return self._times[1].values[: self.count]

    @property
    def whole(self) -> bool:
        """Whether steps follow each other without gaps."""
        return self.every is None or bool(np.all(self.h[:-1] >= np.diff(self.t) * (1.0 - SLACK)))

    def take_first(self) -> Chunk:
        """The first chunk, which goes."""
        first = self.chunks.pop(0)
        gone = len(first.t)
        self.starts = [start - gone for start in self.starts[1:]]
        self.count -= gone
        self.bytes -= 0 if isinstance(first.series, np.memmap) else first.series.nbytes
        for column in self._times:
            column.values = column.values[gone:].copy()
        return first

    def _check_kept(self, steps: NDArray[np.int64], dt: Floats) -> None:
        """Refuse what lies between states that were kept."""
        if self.every is None:
            return
        lost = dt > self.h[steps] * (1.0 + SLACK) + SLACK * np.abs(self.t[steps])
        if lost.any():
            when = float((self.t[steps] + dt)[np.argmax(lost)])
            kept = "only start and end were" if np.isinf(self.every) else f"one every {self.every:g} s was"
            raise LinkworkError(
                f"the state at t = {when:.6g} was not kept: {kept}. Ask for a time that was, or simulate without "
                "every= and save="
            )

    def cut(self, t: float) -> None:
        """Forget everything after a time: the step that contains it becomes shorter, later ones go."""
        while self.chunks and self.chunks[-1].t[0] >= t and self.count > 1:
            self.count = self.starts.pop()
            self.chunks.pop()
        if self.chunks:
            last = self.chunks[-1]
            keep = max(1, int(np.searchsorted(last.t, t, side="left")))
            h = last.h[:keep].copy()
            h[-1] = t - last.t[keep - 1]
            self.chunks[-1] = replace(last, t=last.t[:keep], h=h, series=last.series[:keep])
            self.count = self.starts[-1] + keep
            self._times[1].values[self.count - 1] = h[-1]

    def drop_last(self) -> None:
        """Forget the last step."""
        last = self.chunks.pop()
        first = self.starts.pop()
        self.count = first
        if len(last.t) > 1:
            self.starts.append(first)
            self.chunks.append(replace(last, t=last.t[:-1], h=last.h[:-1], series=last.series[:-1]))
            self.count = first + len(last.t) - 1

    def coefficients(self, order: int) -> Floats:
        """One coefficient of the coordinates for all steps.   (steps, n)"""
        return np.concatenate([c.q(order) for c in self.chunks])

    def beginnings(self, steps: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """q and u at the beginnings of some steps.   two times (k, n)"""
        if len(self.chunks) == 1:
            (only,) = self.chunks
            found = only.series[steps, :2][:, :, only.coordinate]
        else:
            which = np.searchsorted(np.array(self.starts), steps, side="right") - 1
            rows = [(self.chunks[i], int(s) - self.starts[i]) for i, s in zip(which, steps, strict=True)]
            found = np.array([chunk.series[row, :2][:, chunk.coordinate] for chunk, row in rows])
        return found[:, 0], found[:, 1]

    def multipliers(self) -> Floats:
        """Multipliers at the beginning of all steps.   (steps, m)"""
        if self.balance is not None:
            return self.evaluate(np.arange(self.count), np.zeros(self.count))[3]
        return np.concatenate([c.lam(0) for c in self.chunks])

    def evaluate(self, steps: NDArray[np.int64], dt: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a: (k, n) and λ: (k, m) at times dt after the beginning of the given steps."""
        self._check_kept(steps, dt)
        which = np.searchsorted(np.array(self.starts), steps, side="right") - 1
        n, m = len(self.chunks[0].coordinate), len(self.chunks[0].multiplier)
        q, u, a = (np.empty((len(steps), n)) for _ in range(3))
        lam = np.empty((len(steps), m))
        for i in np.unique(which):
            chunk, mine = self.chunks[i], np.flatnonzero(which == i)
            rows = max(1, BLOCK // max(1, chunk.series[0].size))
            for part in (mine[k : k + rows] for k in range(0, len(mine), rows)):
                # order by order, so that what is added together lies together
                rows_of = steps[part] - self.starts[i]
                series = np.ascontiguousarray(chunk.polynomials[rows_of].swapaxes(0, 1))
                series[-2:, :, chunk.multiplier] = 0.0  # multipliers end two orders earlier
                p, dp, ddp = _horner(series, np.repeat(dt[part, None], series.shape[2], axis=1))
                if chunk.bends:
                    ddp = chunk.accelerations(rows_of, dt[part])
                q[part], u[part], a[part] = (x[:, chunk.coordinate] for x in (p, dp, ddp))
                lam[part] = p[:, chunk.multiplier]
        if self.balance is not None:
            lam = self.balance(self.t[steps] + dt, q, u, a)
        return q, u, a, lam

    def along(self, step: int, dt: Floats) -> tuple[Floats, Floats, Floats]:
        """q, u: (k, n) and λ: (k, m) at a few times after the beginning of one step, quickly."""
        i = bisect_right(self.starts, step) - 1
        chunk = self.chunks[i]
        row = step - self.starts[i]
        c = chunk.polynomials[row]
        x, orders = c.take(chunk.coordinate, axis=1), np.arange(float(len(c)))
        powers = dt[:, None] ** orders
        return powers @ x, (powers[:, :-1] * orders[1:]) @ x[1:], powers[:, :-2] @ c[:-2].take(chunk.multiplier, axis=1)


class _Column:
    """Numbers that grow at the end, in room that doubles when it is used up."""

    def __init__(self) -> None:
        self.values = np.empty(64)

    def put(self, count: int, more: Floats) -> None:
        """Write numbers behind the first `count`."""
        room = len(self.values)
        while room < count + len(more):
            room *= 2
        if room > len(self.values):
            self.values = np.concatenate([self.values[:count], np.empty(room - count)])
        self.values[count : count + len(more)] = more


def _belong_together(one: Chunk, other: Chunk) -> bool:
    """Whether two neighbours are small, about equally large (so that no step is copied often), and of one kind."""
    alike = (
        one.series.shape[1:] == other.series.shape[1:]
        and one.bends == other.bends
        and (one.coordinate is other.coordinate or np.array_equal(one.coordinate, other.coordinate))
        and (one.multiplier is other.multiplier or np.array_equal(one.multiplier, other.multiplier))
    )
    small = one.series.nbytes + other.series.nbytes <= TOGETHER and len(one.t) <= 2 * len(other.t)
    return small and alike and not isinstance(one.series, np.memmap) and not isinstance(other.series, np.memmap)


def _join(one: Chunk, other: Chunk) -> Chunk:
    t, h, series = (np.concatenate([getattr(c, key) for c in (one, other)]) for key in ("t", "h", "series"))
    return replace(one, t=t, h=h, series=series)


def _horner(c: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Polynomials, first and second derivatives.   c: (order + 1, ...), x: (...)"""
    p, dp, half = c[-1].copy(), np.zeros_like(x), np.zeros_like(x)
    for coefficient in c[-2::-1]:
        half *= x
        half += dp
        dp *= x
        dp += p
        p *= x
        p += coefficient
    return p, dp, 2.0 * half
