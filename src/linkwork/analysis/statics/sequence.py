"""Quasi-static sequences: equilibria over the values of a parameter, an input or the time, as values by name.

In: what makes the equations of a value; out: the equilibria, which of them are stable, and where they could not be
followed any further, with tables, plots and a moving picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analysis.statics.equilibrium import SOFT
from linkwork.analysis.statics.following import Balanced, Branch, Lost, Make, come_to_rest
from linkwork.analysis.statics.holding import Hold
from linkwork.analysis.statics.onesided import Push
from linkwork.arrays import Floats
from linkwork.errors import InputError, LinkworkError, Problem, SolveError, show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.quoting import csv_head
from linkwork.results import Recording, Snapshot
from linkwork.results.files import as_path, write_whole
from linkwork.results.record.drawing import describe_drawing
from linkwork.results.record.knots import Knots

SECONDS = 6.0  # that a sequence takes on the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Snap:
    """Where a branch of equilibria ends: the last value on it, and whether the stiffness vanishes there."""

    value: float
    limit: bool

    def __str__(self) -> str:
        why = "a limit point, where the stiffness vanishes" if self.limit else "Newton's method does not go on"
        return f"{self.value:.9g}: {why}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Equilibrium:
    """An equilibrium: its state by name, whether it is stable, what frictions hold and which stops push.

    stiffness   the lowest one, relative to the largest: negative where it is unstable
    lasts       whether sampled controllers, if there are any, keep it there: then that decides
    """

    state: Snapshot
    stiffness: float
    holds: tuple[Hold, ...] = ()
    pushes: tuple[Push, ...] = ()
    lasts: bool | None = None

    @property
    def stable(self) -> bool:
        """Whether it stays where it is if it is pushed a little."""
        return self.stiffness >= -SOFT if self.lasts is None else self.lasts

    def __getitem__(self, name: str) -> Floats:
        return self.state[name]

    def __repr__(self) -> str:
        held = [f"{hold.name} uses {hold.share:.1%} of {hold.limit:.4g}" for hold in self.holds]
        pushed = [f"{push.name} pushes with {push.force:.4g}" for push in self.pushes]
        told = f"; {', '.join([*held, *pushed])}" if held or pushed else ""
        return f"Equilibrium({'stable' if self.stable else 'unstable'}{told})"


@dataclass(frozen=True, eq=False)
class Statics:
    """Equilibria over the values of `name`: statics["A.y"] (k,), statics.stable (k,), statics.snaps.

    outcome   how far they could be followed
    """

    name: str
    mechanism: Mechanism | Lagrangian
    points: tuple[Balanced, ...]
    outcome: str
    snaps: tuple[Snap, ...] = ()

    @property
    def holds(self) -> tuple[tuple[Hold, ...], ...]:
        """What frictions hold in each; nothing if there are none."""
        return tuple(point.holds for point in self.points) if self.points[0].system.grips else ()

    @property
    def pushes(self) -> tuple[dict[str, float], ...]:
        """The force of each stop, contact and ratchet that is pressed, by name, in each."""
        return tuple({push.name: push.force for push in point.pushes} for point in self.points)

    @property
    def values(self) -> Floats:
        """The values that were reached.   (k,)"""
        return np.array([point.value for point in self.points])

    @property
    def stable(self) -> np.ndarray:
        """Which of the equilibria are minima of the potential.   (k,)"""
        return np.array([point.stable for point in self.points], dtype=bool)

    @property
    def stiffness(self) -> Floats:
        """The lowest stiffness of each, relative to the largest; zero at a limit point.   (k,)"""
        return np.array([point.stiffness for point in self.points])

    def at(self, i: int) -> Snapshot:
        """One of the equilibria, by its number."""
        return _look(self.points[i])

    def __getitem__(self, name: str) -> Floats:
        if name == self.name:
            return self.values
        return np.stack([np.asarray(self.at(i)[name]) for i in range(len(self.points))])

    def table(self, what: Sequence[str] | None = None) -> dict[str, Floats]:
        """Columns by name: values, coordinates (or what is asked for), shares of friction, 1 where it is stable."""
        system = self.points[0].system
        columns = {self.name: self.values, **{name: self[name] for name in what or system.places}}
        for i, hold in enumerate(self.holds[0] if self.holds else ()):
            columns[f"{hold.name} used"] = np.array([holds[i].share for holds in self.holds])
        return {**columns, "stable": self.stable.astype(float)}

    def write(self, path: str | Path, what: Sequence[str] | None = None) -> Path:
        """The table as a .csv file."""
        target = as_path(path)
        if target.suffix.lower() != ".csv":
            raise LinkworkError(f"'{target}': a sequence of equilibria is written as .csv")
        table = self.table(what)
        rows = [csv_head(table), *(",".join(f"{x:.17g}" for x in row) for row in np.column_stack([*table.values()]))]
        return write_whole(target, lambda file: file.write(("\n".join(rows) + "\n").encode()))

    def plot(self, what: str | Sequence[str], path: str | Path | None = None) -> Any:
        """A figure of quantities over the values; unstable equilibria are dotted."""
        from linkwork.analysis.statics.plots import plot_statics

        return plot_statics(self, what, path)

    def record(self) -> Recording:
        """The sequence as a moving picture."""
        if isinstance(self.mechanism, Lagrangian):
            raise LinkworkError("this sequence has no parts to draw: only a mechanism of parts and points can be shown")
        system = self.points[0].system
        q = np.array([point.q[: system.n] for point in self.points])
        t = SECONDS * np.linspace(0.0, 1.0, len(q)) if len(q) > 1 else np.zeros(1)
        u = np.gradient(q, t, axis=0) if len(q) > 1 else np.zeros_like(q)
        words = f"{self.name} from {self.values[0]:g} to {self.values[-1]:g}"
        return Recording(
            title=f"{self.mechanism.title or 'mechanism'}: equilibria, {words}",
            outcome=self.outcome,
            coordinates=system.coordinates,
            scales=system.scales,
            knots=Knots(t=t, q=q, u=u, a=np.zeros_like(q), accuracy=None),
            drawing=describe_drawing(self.mechanism),
            summary=(("equilibria", words), ("outcome", self.outcome)),
        )

    def __repr__(self) -> str:
        return f"Statics({len(self.points)} equilibria over {self.name}: {self.outcome})"


def read_values(name: str, given: Any) -> Floats:
    """Values of a parameter: a list of finite numbers."""
    try:
        values = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        what, remedy = f"{show_value(given)} is no list of finite numbers", "Give a list such as [0, 0.5, 1]"
        raise InputError([Problem(part=f"over {name}", what=what, remedy=remedy)])
    return values


Found = tuple[tuple[Balanced, ...], str, tuple[Snap, ...]]


def follow_values(make: Make, values: Floats, q: Floats, snap: bool) -> Found:
    """Equilibria over values from a place on: those of the values, where branches ended, and how it ended."""
    still = np.zeros_like(q)
    branch = Branch(make, come_to_rest(make(float(values[0])), q, still, float(values[0])))
    points, snaps, span = [branch.path[0]], list[Snap](), float(np.ptp(values)) or 1.0
    for value in values[1:].tolist():
        found = branch.follow(value, span)
        if isinstance(found, Lost):
            snaps.append(Snap(value=found.value, limit=found.limit))
            if not snap:
                return tuple(points), f"the branch ends at {snaps[-1]}", tuple(snaps)
            found = come_to_rest(make(value), branch.path[-1].q, still, value)
            branch = Branch(make, found)
        points.append(found)
    words = f"; it snapped at {', '.join(f'{s.value:.9g}' for s in snaps)}" if snaps else ""
    return tuple(points), f"reached {float(values[-1]):g}{words}", tuple(snaps)


def follow_rests(make: Make, values: Floats, q: Floats, u: Floats) -> Found:
    """Equilibria over values, each from the last one: states come to rest, friction sticks as long as it can."""
    points = list[Balanced]()
    for value in values.tolist():
        setting = make(value)
        try:
            found = come_to_rest(setting, q, u, value)
        except SolveError as error:
            if not points:
                raise
            lost = "nothing holds" if setting.system.grips else "no equilibrium"
            return tuple(points), f"{lost} at {value:g}: {error}", ()
        points.append(found)
        q, u = found.q, found.u
    return tuple(points), f"reached {float(values[-1]):g}", ()


def make_equilibrium(point: Balanced) -> Equilibrium:
    """One equilibrium by itself."""
    return Equilibrium(
        state=_look(point), stiffness=point.stiffness, holds=point.holds, pushes=point.pushes, lasts=point.lasts
    )


def _look(point: Balanced) -> Snapshot:
    system = point.system
    arrays = system.with_inputs(point.q, {}), point.u, np.zeros_like(point.q), point.lam
    return Snapshot(system, np.asarray(point.t), arrays, point.mechanism, off=point.off)
