"""What Python, Julia, MATLAB and Rust have from plain texts: constraints that come and go, sampled controllers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from linkwork.export.exported import Exported
from linkwork.export.language import wrap_list
from linkwork.export.mode_tables import TROUBLE, count_seen, list_goals, list_kinds
from linkwork.export.modes import Modes
from linkwork.export.naming import Naming
from linkwork.export.plain import GIVEN, STUB, Constants, Printer, Signature, transcribe
from linkwork.export.plain_languages import Julia, Matlab, Rust
from linkwork.export.template import fill

PRINTERS: dict[str, type[Printer]] = {"jl": Julia, "m": Matlab, "rs": Rust}
STATE = ("Model", "Real", "Reals")
FUNCTIONS = {
    "terms": Signature(STATE, ("Reals",) * 4),
    "moves": Signature((*STATE, "Reals"), ("Reals",)),
    "constraints": Signature(STATE, ("Reals", "Reals")),
    "loops": Signature((*STATE, "Reals", "Reals"), ("Reals",) * 4),
} | {name: Signature(STATE, ("Reals",)) for name in ("events", "readings", "acts", "slopes", "renorm", "clocks")}
FUNCTIONS |= {name: Signature((*STATE, "Reals", "Reals"), ("Reals",)) for name in ("reads", "answers")}
FUNCTIONS["closed"] = Signature(("Model", "Settings", "Real", "Reals"), ("Reals",))
FUNCTIONS["attempt"] = Signature(("Model", "Settings", "Real", "Real", "Reals", "Reals"), ("Reals", "Real"))
# what MATLAB has better than loops
ALGEBRA = {
    "dot": Signature(("Reals", "Reals"), ("Real",)),
    "dot_sizes": Signature(("Reals", "Reals"), ("Real",)),
    "part": Signature(("Reals", "Whole", "Whole"), ("Reals",)),
    "border": Signature(("Reals", "Reals"), ("Saddle",)),
    "solve": Signature(("Saddle", "Reals", "Reals"), ("Reals",)),
    "solve_square": Signature(("Reals", "Reals"), ("Reals",)),
}


def _list_events(x: Exported) -> Constants:
    """Counts and tables of events."""
    goals = list_goals(x)
    tables: dict[str, tuple[str, Sequence[float]]] = {
        "sizes": ("Reals", x.scales),
        "event_kind": ("Wholes", list_kinds(x)),
        "event_direction": ("Wholes", [w.direction if w.event else 0 for w in x.watched]),
        "event_stop": ("Flags", [w.stop for w in x.watched]),
        "goal_event": ("Wholes", [event for event, _ in goals]),
        "goal": ("Wholes", [goal for _, goal in goals]),
    }
    return Constants({"EVENTS": len(x.watched), "GRIPS": 0, "VALUES": len(goals)}, tables)


def _list_modes(x: Exported, modes: Modes) -> Constants:
    """Counts and tables of who holds when."""
    numbers = {
        "SPEEDS": modes.speeds, "PLACES": modes.first, "ROWS": len(x.multipliers), "BARRIERS": len(modes.barriers),
        "GRIPS": len(modes.grips), "SWITCHES": len(modes.switches), "WANTED": len(modes.wanted),
        "SETTLED": len(x.settled),
    }  # fmt: skip
    tables: dict[str, tuple[str, Sequence[float]]] = {
        "barrier_row": ("Wholes", [b.row for b in modes.barriers]),
        "barrier_watch": ("Wholes", [b.watch for b in modes.barriers]),
        "barrier_is_gap": ("Flags", [b.is_gap for b in modes.barriers]),
        "grip_rows": ("Wholes", [len(g.rows) for g in modes.grips]),
        "grip_row": ("Wholes", [row for g in modes.grips for row in (g.rows[0], g.rows[-1])]),
        "grip_watch": ("Wholes", [g.watch for g in modes.grips]),
        "switch_event": ("Wholes", [s.event for s in modes.switches]),
        "switch_row": ("Wholes", [s.row for s in modes.switches]),
        "switch_on": ("Flags", [s.on for s in modes.switches]),
        "wanted_event": ("Wholes", [w.event for w in modes.wanted]),
        "wanted_value": ("Wholes", [w.value for w in modes.wanted]),
        "wanted_slopes": ("Wholes", [w.slopes for w in modes.wanted]),
    }
    return Constants({**numbers, "SPAN": x.tend - x.t0}, tables)


def _list_sampling(x: Exported) -> Constants:
    """Counts and tables of controllers."""
    numbers = ("reads", "named", "memory", "targets", "slots")  # of each
    tables: dict[str, tuple[str, Sequence[float]]] = {
        **{f"controller_{name}": ("Wholes", [getattr(c, name) for c in x.controllers]) for name in numbers},
        "controller_read": ("Wholes", [c.first_read for c in x.controllers]),
        "controller_held": ("Wholes", [c.first_held for c in x.controllers]),
        "controller_clock": ("Wholes", [c.first_clock for c in x.controllers]),
        "controller_answer": ("Wholes", [c.first_answer for c in x.controllers]),
        "controller_calls": ("Flags", [c.calls for c in x.controllers]),
        "controller_delay": ("Reals", [c.delay for c in x.controllers]),
    }
    return Constants({"CONTROLLERS": len(x.controllers), "HELD": sum(len(c.held) for c in x.controllers)}, tables)


def list_plain(x: Exported) -> tuple[list[str], Constants]:
    """The plain texts that a model needs, and what they know of it."""
    parts, known = ["arrays"], [_list_events(x)]
    if x.modes:
        parts.append("solve")
        known.append(_list_modes(x, x.modes))
    if x.watched:
        parts += ["modes", "events"] if x.modes and x.modes.happens else ["events"]
    if x.controllers:
        parts.append("sampling")
        known.append(_list_sampling(x))
    constants = Constants(
        {name: value for some in known for name, value in some.numbers.items()},
        {name: table for some in known for name, table in some.tables.items()},
    )
    return parts if len(parts) > 1 else [], constants


def write_python_modes(x: Exported, names: Naming) -> str:
    """The plain texts of events and of constraints that come and go, which are Python."""
    parts, constants = list_plain(x)
    words, flags = _fill_in(x, names, ""), names.flags | {"written": True}
    text = "".join(fill(f"plain/{part}.txt", words, flags) for part in parts if part != "sampling")
    tables = [wrap_list(f"{name} = [", map(repr, values), "]", 100) for name, (_, values) in constants.tables.items()]
    words = {
        "first": repr([i not in x.modes.off for i in range(len(x.multipliers))]) if x.modes else "[]",
        "seen": str(count_seen(x)),
        "numbers": "\n".join(f"{name} = {value!r}" for name, value in constants.numbers.items()),
        "tables": "\n".join(line for lines in tables for line in lines),
        "trouble": "\n".join(f"    {words!r}," for words in TROUBLE),
        "text": re.sub(r"^class ", "@dataclass\nclass ", text, flags=re.MULTILINE),
    }
    return fill("python/modes.txt", words, flags)


def write_plain(x: Exported, names: Naming, ending: str) -> str:
    """Constants and functions; nothing for models that have nothing of the kind."""
    parts, constants = list_plain(x)
    if not parts:
        return ""
    words, flags = _fill_in(x, names, GIVEN), names.flags | {"written": ending != "m"}
    text = "".join(fill(f"plain/{part}.txt", words, flags) for part in parts)
    given = FUNCTIONS | (ALGEBRA if ending == "m" else {})
    # whose equations are solved in straight lines has these already
    given |= {} if x.modes else {"rhs": Signature(STATE, ("Reals", "Reals")), "settle": Signature(STATE, ("Model",))}
    called = [names.function(c.name) for c in x.controllers if c.calls]
    given |= {f"{STUB}{name}": Signature(("Model", "Real", "Reals"), ("Reals",)) for name in called}
    return "\n".join([*DATA[ending](constants), transcribe(text, constants, given, PRINTERS[ending])])


def _fill_in(x: Exported, names: Naming, given: str) -> dict[str, str]:
    """What differs from model to model: where values are that change. `given` stands before their names."""
    sliding = x.modes.sliding if x.modes else ()
    held = [f"{given}{names.field(name)}" for c in x.controllers for name in c.held]
    settled = [f"{given}{names.field(n.name)}" for n in x.settled]
    ways = [(3 * i + k, f"{given}{names.field(name)}") for i, some in enumerate(sliding) for k, name in enumerate(some)]
    lines = {
        "get_settled": [f"    w[{i}] = m.{name}" for i, name in enumerate(settled)],
        "set_settled": [f"    m.{name} = w[{i}]" for i, name in enumerate(settled)],
        "ask_function": [
            f"    if i == {i}:\n        return {STUB}{names.function(c.name)}(m, t, read)"
            for i, c in enumerate(x.controllers)
            if c.calls
        ],
        "get_held": [f"    held[{i}] = m.{name}" for i, name in enumerate(held)],
        "set_held": [f"    m.{name} = held[{i}]" for i, name in enumerate(held)],
        "get_ways": [f"    ways[{i}] = m.{name}" for i, name in ways],
        "set_ways": [f"    m.{name} = ways[{i}]" for i, name in ways],
        "give": list(_list_gifts(x, names, given)),
    }
    return {key: "\n".join(some) for key, some in lines.items()}


def _list_gifts(x: Exported, names: Naming, given: str) -> Iterator[str]:
    for act in x.acts:
        yield f"    if event == {act.event}:"
        for i, target in enumerate(act.targets, act.first):
            place = f"at.m.{given}{names.field(target.name)}" if target.name else f"at.y[{target.place}]"
            yield f"        {place} = a[{i}]"


# -- constants ---------------------------------------------------------------------------------------------------------


def _write(value: float, kind: str) -> str:
    return str(bool(value)).lower() if kind == "Flags" else repr(float(value)) if kind == "Reals" else str(int(value))


def _rust_data(constants: Constants) -> Iterator[str]:
    for name, value in constants.numbers.items():
        kind = "f64" if name == "SPAN" else "i64"
        yield f"const {name}: {kind} = {value!r};"
    kinds = {"Wholes": "i64", "Flags": "bool", "Reals": "f64"}
    for name, (kind, values) in constants.tables.items():
        if name != "sizes":
            said = ", ".join(_write(v, kind) for v in values)
            yield f"const {name.upper()}: [{kinds[kind]}; {len(values)}] = [{said}];"
    yield from [f"const TROUBLE: [&str; {len(TROUBLE)}] = [", *(f'    "{t}",' for t in TROUBLE), "];", ""]


def _julia_data(constants: Constants) -> Iterator[str]:
    for name, value in constants.numbers.items():
        yield f"const {name} = {value!r}"
    kinds = {"Wholes": "Int", "Flags": "Bool", "Reals": "Float64"}
    for name, (kind, values) in constants.tables.items():
        if name != "sizes":
            yield f"const {name} = {kinds[kind]}[{', '.join(_write(v, kind) for v in values)}]"
    yield from ["const trouble = [", *(f'    "{t}",' for t in TROUBLE), "]", ""]


def _matlab_data(constants: Constants) -> Iterator[str]:
    yield from ["function d = tables()", "    % constants of the equations, made once", "    persistent kept"]
    yield "    if isempty(kept)"
    for name, value in constants.numbers.items():
        yield f"        kept.{name} = {value!r};"
    for name, (kind, values) in constants.tables.items():
        yield f"        kept.{name} = [{', '.join(_write(v, kind) for v in values)}];"
    yield "        kept.trouble = { ..."
    yield from (f"            '{t}', ..." for t in TROUBLE)
    yield from ["        };", "    end", "    d = kept;", "end", ""]


DATA = {"rs": _rust_data, "jl": _julia_data, "m": _matlab_data}
