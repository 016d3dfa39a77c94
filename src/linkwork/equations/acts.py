"""What happens at events, as numbers: which readings give which speeds and states new values, which constraints switch.

Readings, constraints, coordinates and watches are meant by their numbers in a System.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What an event does.

    speeds   (target, value): a reading that is linear in the speeds, and the reading of what it becomes
    states   (coordinate, value): the coordinate whose speed a first-order state is, and the reading of what it becomes
    inputs   (name, value): an input, and the reading of what it becomes
    on, off  constraints that hold from then on, or no longer
    stop     whether the run ends there as well
    """

    speeds: tuple[tuple[int, int], ...] = ()
    states: tuple[tuple[int, int], ...] = ()
    inputs: tuple[tuple[str, int], ...] = ()
    on: frozenset[int] = frozenset()
    off: frozenset[int] = frozenset()
    stop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Barrier:
    """A constraint that only pushes: its value is never negative, and it holds while something presses on it.

    row, watch     its constraint, and the watch of the same value
    restitution    the reading of it
    is_gap         whether it is one of positions, not of speeds
    """

    name: str
    row: int
    watch: int
    restitution: int
    is_gap: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grip:
    """Friction: constraints of a speed, or of two at right angles, that hold until their force exceeds a limit.

    rows, watch   its constraints, and the watch of the speed along the way in which it slides
    sliding       the input that tells which way it slides
    leads         the inputs that are the way in which it began to slide, if there are two speeds
    hold, limit   the readings of the largest force with which it sticks, and of that with which it slides
    """

    name: str
    rows: tuple[int, ...]
    watch: int
    sliding: str
    leads: tuple[str, ...]
    hold: int
    limit: int
