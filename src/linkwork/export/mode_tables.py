"""Who holds when as tables of the exported code: counts and rows, in the notation of C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from linkwork.export.exported import Exported
from linkwork.export.modes import Modes

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


def list_kinds(modes: Modes, events: int) -> list[int]:
    """Of each event whether it acts, is a stop that is struck, or friction that comes to a stop: 1, 2, 3."""
    kinds = {b.watch: 2 for b in modes.barriers} | {g.watch: 3 for g in modes.grips}
    return [kinds.get(i, int(i in modes.acting)) for i in range(events)]


def list_tables(modes: Modes, events: int) -> Iterator[tuple[str, str, list[str]]]:
    """The type of the rows, if it is not a number, the name and the rows of each table that is not empty."""
    yield "", "event_kinds", [str(kind) for kind in list_kinds(modes, events)]
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
