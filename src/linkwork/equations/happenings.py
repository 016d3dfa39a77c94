"""What happens along a motion, as numbers of a system: events, stops and friction in, watches, readings and acts out.

Shared by mechanisms and Lagrangians; how a law becomes something to look at is the formalism's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from linkwork.arrays import Floats
from linkwork.equations.acts import Act, Barrier, Grip
from linkwork.equations.terms import Watch
from linkwork.errors import Ref
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.laws import Event
from linkwork.symbolic import Expr


class Look(Protocol):
    """Makes of a law something to look at."""

    def __call__(self, name: str, law: Expr, stop: bool = False, direction: int = 0) -> Watch: ...


@dataclass(slots=True)
class Happenings:
    """Events, stops and friction, as they are found."""

    watches: list[Watch] = field(default_factory=list)
    readings: list[Watch] = field(default_factory=list)
    acts: dict[int, Act] = field(default_factory=dict)
    barriers: list[Barrier] = field(default_factory=list)
    grips: list[Grip] = field(default_factory=list)

    def read(self, reading: Watch) -> int:
        """One more reading, by its number."""
        self.readings.append(reading)
        return len(self.readings) - 1

    def filled(self, numbers: Floats) -> dict[str, Any]:
        """What a System has of it, with the numbers of all formulas."""
        return {
            "watches": tuple(fill_watch(watch, numbers) for watch in self.watches),
            "readings": tuple(fill_watch(reading, numbers) for reading in self.readings),
            "acts": self.acts,
            "barriers": tuple(self.barriers),
            "grips": tuple(self.grips),
        }


def fill_watch(watch: Watch, numbers: Floats) -> Watch:
    """The same with its numbers."""
    return replace(watch, parameters=numbers[watch.columns])


def find_happenings(
    m: Mechanism | Lagrangian, look: Look, rows: Mapping[str, list[int]], states: Mapping[str, int]
) -> Happenings:
    """What is watched, and what it does.

    rows    the constraints of what goes on and off, by name
    states  the coordinates whose speeds the states are
    """
    found = Happenings()
    for event in m.events:
        if event.acts:
            found.acts[len(found.watches)] = _act(m, event, found, look, rows, states)
        found.watches.append(look(event.name, event.when, event.stop or event.acts, event.direction))
    for stop in m.stops:
        (row,) = rows[stop.name]
        watch, restitution = len(found.watches), len(found.readings)
        found.watches.append(look(stop.name, stop.law, True, -1))
        found.readings.append(look(f"restitution of {stop.name}", stop.restitution))
        is_gap = stop.level == "gap"
        found.barriers.append(Barrier(name=stop.name, row=row, watch=watch, restitution=restitution, is_gap=is_gap))
    for friction in m.frictions:
        watch = len(found.watches)
        found.watches.append(look(friction.name, friction.watched, True))
        hold = limit = found.read(look(f"hold of {friction.name}", friction.hold))
        if friction.hold != friction.limit:
            limit = found.read(look(f"limit of {friction.name}", friction.limit))
        own, way, leads = tuple(rows[friction.name]), friction.sliding, friction.leads
        grip = Grip(name=friction.name, rows=own, watch=watch, sliding=way, leads=leads, hold=hold, limit=limit)
        found.grips.append(grip)
    found.watches += [look(name, law, True, -1) for _, name, law in list_ends(m)] if isinstance(m, Mechanism) else []
    return found


def list_ends(m: Mechanism) -> Iterator[tuple[Ref, str, Expr]]:
    """Where joints stop to work, which ends a run: (joint, name, law); not those of joints that go on and off."""
    switched = {name for event in m.events for name in (*event.on, *event.off)}
    for joint in m.joints:
        if joint.active and joint.name not in switched:
            yield from ((joint.ref, f"{joint.name}: {what}", law) for what, law in m.words.ends(joint).items())


def _act(
    m: Mechanism | Lagrangian,
    event: Event,
    found: Happenings,
    look: Look,
    rows: Mapping[str, list[int]],
    states: Mapping[str, int],
) -> Act:
    speeds, jumps, inputs = [], [], []
    for target, law in event.then:
        value = found.read(look(f"{event.name}: {target}", law))
        if target in states:
            jumps.append((states[target], value))
        elif target in m.inputs:
            inputs.append((target, value))
        else:
            speeds.append((found.read(look(target, m.meaning(target))), value))
    on, off = (frozenset(row for name in names for row in rows[name]) for names in (event.on, event.off))
    return Act(speeds=tuple(speeds), states=tuple(jumps), inputs=tuple(inputs), on=on, off=off, stop=event.stop)
