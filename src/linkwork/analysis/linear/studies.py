"""Studies: linear models over the values of a parameter or a speed in, modes as lines without jumps out.

From one value to the next modes are paired by shape (MAC, the modal assurance criterion) and by closeness of their
eigenvalues, all at once, so that crossing lines cross. Knows nothing of how a model is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.analysis.linear.discrete import Discrete
from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.modes import Mode
from linkwork.analysis.linear.slowest import Slowest
from linkwork.arrays import Floats
from linkwork.errors import InputError, LinkworkError, Problem
from linkwork.quoting import csv_head


@dataclass(frozen=True, kw_only=True)
class Study:
    """Modes over a parameter.

    values       (k,) of the parameter `name`
    models       the k linear models
    eigenvalues  (k, lines); what is missing at a value is NaN
    labels       of the lines: what mode it is at the first value
    """

    name: str
    values: Floats
    models: tuple[Linear | Slowest | Discrete, ...]
    eigenvalues: NDArray[np.complex128]
    labels: tuple[str, ...]

    @property
    def frequencies(self) -> Floats:
        """Hz by value and line; NaN where a mode does not oscillate."""
        found = np.abs(self.eigenvalues.imag) / (2 * np.pi)
        return np.where(found > 0, found, np.nan)

    def table(self) -> str:
        """Rows by value, as comma-separated text."""
        columns = [f"{part}_{i + 1}" for i in range(self.eigenvalues.shape[1]) for part in ("re", "im")]
        rows = [csv_head([self.name, *columns])]
        for value, line in zip(self.values, self.eigenvalues, strict=True):
            rows.append(",".join(f"{x:.12g}" for x in [value, *(p for z in line for p in (z.real, z.imag))]))
        return "\n".join(rows) + "\n"

    def plot(self, path: Any = None, *, what: str = "campbell") -> Any:
        """A Campbell diagram ("campbell": frequency and damping over the values) or a root locus ("locus")."""
        from linkwork.analysis.linear.plots import plot_study

        return plot_study(self, path, what)


def study_modes(name: str, values: Sequence[float], make: Callable[[float], Linear | Slowest | Discrete]) -> Study:
    """The modes of the models that `make` returns for each value, as lines."""
    try:
        grid = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        grid = np.zeros((0, 0))
    if grid.ndim != 1 or len(grid) == 0 or not np.isfinite(grid).all():
        raise InputError([Problem(part=f"vary {name}", what="no list of finite numbers", remedy="As in 0:10:41")])
    models = [_made(name, float(value), make) for value in grid]
    lines: list[Mode] = list(models[0].modes)
    rows = [[mode.eigenvalue for mode in lines]]
    labels = [_label(mode) for mode in lines]
    for model in models[1:]:
        row: list[complex] = [complex(np.nan, np.nan)] * len(lines)
        for i, mode in _pair(lines, list(model.modes)):
            if i == len(lines):
                lines.append(mode)
                labels.append(_label(mode))
                row.append(mode.eigenvalue)
            else:
                lines[i], row[i] = mode, mode.eigenvalue
        rows.append(row)
    table = np.full((len(rows), len(lines)), complex(np.nan, np.nan))
    for k, row in enumerate(rows):
        table[k, : len(row)] = row
    return Study(name=name, values=grid, models=tuple(models), eigenvalues=table, labels=tuple(labels))


def _made(name: str, value: float, make: Callable[[float], Linear | Slowest | Discrete]) -> Linear | Slowest | Discrete:
    try:
        return make(value)
    except LinkworkError as error:
        raise type(error)(*_words(error, f"at {name} = {value:g}")) from error


def _words(error: LinkworkError, where: str) -> tuple[Any, ...]:
    if isinstance(error, InputError):
        return ([Problem(part=where, what=str(p).rstrip(".")) for p in error.problems],)
    return (f"{where}: {error}",)


def _label(mode: Mode) -> str:
    shares = mode.participation or mode.kinetic or {"nothing moves": 1.0}
    top = max(shares, key=lambda name: shares[name])
    return f"{mode.kind}, {top.rstrip(chr(39))}"


def _pair(lines: list[Mode], modes: list[Mode]) -> Iterable[tuple[int, Mode]]:
    """Each mode with the line it belongs to; a mode too many begins a new line."""
    from scipy.optimize import linear_sum_assignment  # a heavy import

    size = max((mode.omega for mode in (*lines, *modes)), default=1.0) or 1.0
    cost = np.array([[_distance(old, new, size) for new in modes] for old in lines]).reshape(len(lines), len(modes))
    rows, columns = linear_sum_assignment(cost)
    taken = dict(zip(columns.tolist(), rows.tolist(), strict=True))
    for j, mode in enumerate(modes):
        yield taken.get(j, len(lines)), mode


def _distance(old: Mode, new: Mode, size: float) -> float:
    return 1.0 - mac(old, new) + abs(old.eigenvalue - new.eigenvalue) / (0.2 * size + abs(old.eigenvalue))


def mac(one: Mode, other: Mode) -> float:
    """|v₁ᴴ v₂|² / (v₁ᴴv₁ v₂ᴴv₂) of the shapes in states of full size: 1 if they are the same, 0 if at right angles."""
    a, b = one.states / one.linear.sizes, other.states / other.linear.sizes
    a, b = _level(a, one), _level(b, other)
    return float(abs(np.vdot(a, b)) ** 2 / (np.vdot(a, a).real * np.vdot(b, b).real))


def _level(v: NDArray[np.complex128], mode: Mode) -> NDArray[np.complex128]:
    """Speeds measured by the mode's own frequency, so that they weigh as much as positions."""
    z = len(mode.linear.states)
    return np.concatenate([v[:z], v[z:] / (mode.omega or 1.0)])
