"""What may be fixed: a consistent state in, a well-chosen set of coordinates that determines it out.

The null space N of G says how coordinates can move: a set of them determines the state if their rows in N are
independent. They are chosen one by one, each the one that still moves most when those before it stand still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import StartError
from linkwork.model.bodies import say_hidden
from linkwork.native.numbers import compute_matrices
from linkwork.native.rank import split
from linkwork.solve.start.guess import Guesses
from linkwork.solve.start.wanted import Wanted

LARGEST = 1500  # coordinates up to which the null space is computed
DEPENDENT = 1e-7  # a coordinate that moves less than this when the others stand still is determined by them
NOTHING = 1e-15  # values smaller than this, in scales, are rounding errors
GUESSED = 0.3  # how much a value the user did not give is worth, against one that was given


def find_directions(system: System, q: Floats, t: float, rows: NDArray[np.bool_] | None = None) -> Floats:
    """A basis of the directions, in scales, in which constraints, or some of them, let one move.   → (n, freedom)

    The integrals of states are held.
    """
    if system.n > LARGEST:
        raise StartError(f"{system.n} coordinates are too many to find out what may be fixed (at most {LARGEST})")
    G = compute_matrices(system, q, t)[1].toarray() * system.scales
    return split(np.vstack([G if rows is None else G[rows], system.held.toarray()])).right


def choose(N: Floats, first: Iterable[int], value: Floats) -> list[int]:
    """Coordinates that determine all directions N: `first` those of a list, then the most movable by their value."""
    rows, chosen = N.copy(), []

    def take(i: int) -> bool:
        size = float(np.linalg.norm(rows[i]))
        if size <= DEPENDENT:
            return False
        direction = rows[i] / size
        rows[:] -= np.outer(rows @ direction, direction)
        chosen.append(i)
        return True

    for i in first:
        take(i)
    while len(chosen) < N.shape[1] and take(int(np.argmax(np.linalg.norm(rows, axis=1) * value))):
        pass
    return chosen


def propose_positions(wanted: Wanted, q: Floats, first: Iterable[int] | None = None) -> list[int]:
    """Coordinates that determine the positions: those the user fixed (or `first`), and more if they do not suffice."""
    N = find_directions(wanted.system, q, wanted.t, wanted.system.holonomic)
    return _propose(wanted.system, N, wanted.position, first)


def propose_velocities(wanted: Wanted, q: Floats) -> list[int]:
    """The same for velocities."""
    system = wanted.moving().system
    return _propose(system, find_directions(system, q, wanted.t), wanted.velocity, None)


def _propose(system: System, N: Floats, guesses: Guesses, first: Iterable[int] | None) -> list[int]:
    named = np.zeros(system.n, dtype=bool)
    named[[i for at in system.chart.points.values() for i in at if i < system.n]] = True
    named[list(system.chart.angles.values())] = True
    value = np.where(named, np.where(guesses.given, 1.0, GUESSED), 1e-3)
    return choose(N, np.flatnonzero(guesses.fixed) if first is None else first, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Values that may be fixed: as many positions, and velocities, as there are degrees of freedom.

    positions, velocities            all of them, by coordinate
    open_positions, open_velocities  those the user did not fix: they start near their guesses
    text                             ready to be pasted into the file
    """

    positions: Mapping[str, float]
    velocities: Mapping[str, float]
    open_positions: tuple[str, ...]
    open_velocities: tuple[str, ...]
    text: str

    def remaining(self) -> str:
        """Which freedoms the file leaves at guessed values."""
        names = [*map(say_hidden, self.open_positions), *(f"{say_hidden(name)}'" for name in self.open_velocities)]
        if not names:
            return "nothing: the fixed values determine the start"
        return f"{', '.join(names)}: as near to the guess as the constraints allow"


def propose(wanted: Wanted, q: Floats, u: Floats) -> Proposal:
    """A valid set of fixed values at a consistent state."""
    s = wanted.system
    places, speeds = propose_positions(wanted, q), propose_velocities(wanted, q)
    q, u = (np.where(np.abs(x) < NOTHING * s.scales, 0.0, x) for x in (q, u))
    return Proposal(
        positions={s.coordinates[i]: float(q[i]) for i in places},
        velocities={s.coordinates[i]: float(u[i]) for i in speeds},
        open_positions=tuple(s.coordinates[i] for i in places if not wanted.position.fixed[i]),
        open_velocities=tuple(s.coordinates[i] for i in speeds if not wanted.velocity.fixed[i]),
        text=_as_file(wanted, places, speeds, q, u) if s.chart.points else _as_python(s, places, speeds, q, u),
    )


def _as_file(wanted: Wanted, places: list[int], speeds: list[int], q: Floats, u: Floats) -> str:
    """The lines of ProblemData: positions of all points, to tell the side; velocities only where one is fixed."""
    s = wanted.system
    moving = {point: at for point, at in s.chart.points.items() if at[0] < s.n}
    turning = {part: (i,) for part, i in s.chart.angles.items()}
    lines = ["ProblemData:", "  positions:"]
    for name, at in {**moving, **turning}.items():
        if name in moving or at[0] in places or wanted.position.given[at[0]]:
            lines.append(f"    {name}: [{', '.join(_value(q[i], i in places) for i in at)}]")
    lines += _conditions(wanted, "angle of")
    fixed = {name: at for name, at in {**moving, **turning}.items() if set(at) & set(speeds)}
    rates = _conditions(wanted, "rate of")
    lines += ["  velocities:"] if fixed or rates else []
    for name, at in fixed.items():
        lines.append(f"    {name}: [{', '.join(_value(u[i], True) if i in speeds else '0' for i in at)}]")
    return "\n".join([*lines, *rates])


def _conditions(wanted: Wanted, kind: str) -> list[str]:
    """The lines of fixed angles, or rates, of joints."""
    return [f"    {ref.name}: [{_value(x, True)}]" for ref, x in wanted.conditions.items() if ref.kind == kind]


def _value(x: float, fixed: bool) -> str:
    return f"[{float(x)!r}, fixed]" if fixed else f"{float(x):.6g}"


def _as_python(s: System, places: list[int], speeds: list[int], q: Floats, u: Floats) -> str:
    """The argument `start` of a Lagrangian."""
    entries = [f'"{n}": {_call(q[i], i in places)}' for i, n in enumerate(s.coordinates) if s.mechanical[i]]
    entries += [f'"{n}\'": {_call(u[i], True)}' for i, n in enumerate(s.coordinates) if i in speeds]
    entries += [f'"{n}": {float(u[i])!r}' for n, i in s.states.items()]
    return f"start={{{', '.join(entries)}}}"


def _call(x: float, fixed: bool) -> str:
    return f"lw.fix({float(x)!r})" if fixed else f"{float(x):.6g}"
