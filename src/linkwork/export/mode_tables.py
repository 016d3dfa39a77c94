"""Who holds when as tables of the exported code: counts and rows, in the notation of C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linkwork.export.exported import Exported

# why a motion cannot go on, by status: -1, -2, ...
TROUBLE = (
    "the step became too small",
    "the constraints cannot be closed",
    "events set off each other without end",
    "events at one time contradict each other",
    "a restitution is not between 0 and 1",
    "a stop holds up what cannot give way",
    "an event asks for speeds that the constraints do not allow",
    "an event switches on what does not meet there",
    "friction holds a force that is negative",
    "a stop is passed at the start: its gap is negative",
    "something moves without inertia",
    "an event acts faster and faster, without end: let a stop do that, which comes to rest",
)


def count_modes(x: Exported) -> dict[str, str]:
    """Counts by the names that templates have for them."""
    modes = x.modes
    assert modes is not None
    counts = {
        "first_speed": modes.first, "n_speeds": modes.speeds, "n_barriers": len(modes.barriers),
        "n_grips": len(modes.grips), "n_switches": len(modes.switches), "n_wanted": len(modes.wanted),
        "n_values": len(modes.goals), "acts": len(modes.goals), "most_wanted": modes.most,
    }  # fmt: skip
    return {name: str(count) for name, count in counts.items()}


def list_kinds(x: Exported) -> list[int]:
    """Of each event whether it acts, is a stop that is struck, or friction that comes to a stop: 1, 2, 3."""
    if x.modes is None:
        acting, kinds = frozenset(act.event for act in x.acts), dict[int, int]()
    else:
        acting = x.modes.acting
        kinds = {b.watch: 2 for b in x.modes.barriers} | {g.watch: 3 for g in x.modes.grips}
    return [kinds.get(i, int(i in acting)) for i in range(len(x.watched))]


def list_goals(x: Exported) -> list[tuple[int, int]]:
    """Of each value of events the event and the number of what it is given to: events that share one must agree."""
    if x.modes is not None:
        return list(x.modes.goals)
    numbers: dict[object, int] = {}
    goals = [
        (act, target if target not in act.speeds else (act.event, target)) for act in x.acts for target in act.targets
    ]
    return [(act.event, numbers.setdefault(goal, len(numbers))) for act, goal in goals]


def count_seen(x: Exported) -> int:
    """How many values are watched: of events and, where something comes and goes, of stops and friction."""
    return len(x.watched) + (len(x.modes.barriers) + x.modes.count_grips if x.modes and x.modes.happens else 0)


def list_tables(x: Exported) -> Iterator[tuple[str, str, list[str]]]:
    """The type of the rows, if it is not a number, the name and the rows of each table that is not empty."""
    if x.watched:
        yield "", "event_kinds", [str(kind) for kind in list_kinds(x)]
    modes = x.modes
    if modes is None or not modes.happens:
        goals = [f"{{{event}, {goal}}}" for event, goal in list_goals(x)]
        yield from [("goal", "goals", goals)] if goals else []
        return
    grips = [(len(g.rows), f"{{{g.rows[0]}, {g.rows[-1]}}}", g.watch) for g in modes.grips]
    tables: dict[tuple[str, str], Sequence[tuple[object, ...]]] = {
        ("barrier", "barriers"): [(b.row, b.watch, int(b.is_gap)) for b in modes.barriers],
        ("grip", "grips"): grips,
        ("switch", "switches"): [(s.event, s.row, int(s.on)) for s in modes.switches],
        ("want", "wanted"): modes.wanted,
        ("goal", "goals"): modes.goals,
    }
    for (kind, name), rows in tables.items():
        if rows:
            yield kind, name, [f"{{{', '.join(map(str, row))}}}" for row in rows]
