"""The steps of a motion as polynomials, within a budget of memory; what does not fit goes to a private file.

In: chunks of steps; out: coefficients of any step. Knows nothing of names or mechanics.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from linkwork.native import Chunk

Floats = NDArray[np.float64]
MEMORY = 1 << 30  # bytes of polynomials kept in memory unless asked otherwise


class Store:
    """Steps in order of time; appended while a run goes on, read afterwards."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self.bytes = 0
        self.starts: list[int] = []  # number of the first step of each chunk
        self.chunks: list[Chunk] = []
        self.count = 0
        self._folder: Path | None = None

    def append(self, chunk: Chunk) -> None:
        """Add the next steps."""
        if len(chunk.t) == 0:
            return
        size = chunk.series.nbytes
        if self.bytes + size > self.memory:
            chunk = self._to_disk(chunk)
        else:
            self.bytes += size
        self.starts.append(self.count)
        self.chunks.append(chunk)
        self.count += len(chunk.t)

    def __getstate__(self) -> dict[str, object]:
        """A copy keeps everything in memory: the private file belongs to this store."""
        chunks = [replace(chunk, series=np.array(chunk.series)) for chunk in self.chunks]
        held = sum(chunk.series.nbytes for chunk in chunks)
        return {**self.__dict__, "chunks": chunks, "bytes": held, "_folder": None}

    @property
    def on_disk(self) -> bool:
        """Whether part of the steps had to go to a file."""
        return self._folder is not None

    def _to_disk(self, chunk: Chunk) -> Chunk:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="linkwork-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path = self._folder / f"{len(self.chunks)}.npy"
        np.save(path, chunk.series)
        return replace(chunk, series=np.load(path, mmap_mode="r"))

    # -- reading --------------------------------------------------------------------------------------------------

    @property
    def t(self) -> Floats:
        """Times at which the steps begin."""
        return np.concatenate([c.t for c in self.chunks]) if self.chunks else np.zeros(0)

    @property
    def h(self) -> Floats:
        """Lengths of the steps."""
        return np.concatenate([c.h for c in self.chunks]) if self.chunks else np.zeros(0)

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
        return np.concatenate([c.lam(0) for c in self.chunks])

    def evaluate(self, steps: NDArray[np.int64], dt: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """q, u, a: (k, n) and λ: (k, m) at times dt after the beginning of the given steps."""
        which = np.searchsorted(np.array(self.starts), steps, side="right") - 1
        n, m = len(self.chunks[0].coordinate), len(self.chunks[0].multiplier)
        q, u, a = (np.empty((len(steps), n)) for _ in range(3))
        lam = np.empty((len(steps), m))
        for i in np.unique(which):
            chunk, mine = self.chunks[i], np.flatnonzero(which == i)
            # a few thousand polynomials at a time
            for part in np.array_split(mine, max(1, len(mine) * chunk.series[0].size // 2_000_000 + 1)):
                series, x = np.asarray(chunk.series[steps[part] - self.starts[i]]), dt[part, None]
                q[part], u[part], a[part] = _horner(series[:, :, chunk.coordinate], x)
                lam[part] = _horner(series[:, :-2, chunk.multiplier], x)[0]
        return q, u, a, lam


def _horner(c: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Polynomials, first and second derivatives.   c: (k, order + 1, n), x: (k, 1)"""
    p, dp, ddp = c[:, -1].copy(), np.zeros_like(c[:, 0]), np.zeros_like(c[:, 0])
    for i in range(c.shape[1] - 2, -1, -1):
        ddp = ddp * x + 2.0 * dp
        dp = dp * x + p
        p = p * x + c[:, i]
    return p, dp, ddp
