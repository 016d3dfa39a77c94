"""The structure of a mechanism as a page of text for people: a Structure in, words out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analysis.structure.choices import Choice
from linkwork.analysis.structure.energies import Share
from linkwork.analysis.structure.graph import ROLLING
from linkwork.analysis.structure.mobility import Mobility
from linkwork.analysis.structure.signature import Signature
from linkwork.analysis.structure.words import MOST, count_of, describe_redundancy, join_names, list_names
from linkwork.model import Mechanism
from linkwork.model.bodies import say_hidden, say_hidden_point
from linkwork.model.check.bodies import find_unused_frames
from linkwork.model.connections import WORLD

if TYPE_CHECKING:
    from linkwork.analysis.structure.structure import Structure

WIDTH, LABEL = 110, 13
WIDEST, BROADEST = 40, 160  # variables and characters up to which the signature matrix is printed
LONGEST = 30  # lines of a table before the rest is only counted


def write_report(s: Structure) -> str:
    """All that is worth saying, in the order in which people ask."""
    lines = [line for label, text in _facts(s) for line in _wrap(label, text)]
    lines += _energy_table(s)
    lines += _block_table(s)
    return "\n".join([*lines, *_tableau(s)])


def write_outline(s: Structure) -> str:
    """What can be said without a state."""
    facts = [*_counts(s), *(("", text) for text in _describe_misfit(s))]
    if s.signature is not None:
        facts.append(
            ("index", f"{s.signature.index} by structure, which leaves {s.signature.degrees_of_freedom} values free")
        )
    return "\n".join(line for label, text in facts for line in _wrap(label, text))


def _wrap(label: str, text: str) -> list[str]:
    pad = " " * LABEL
    return textwrap.wrap(text, WIDTH, initial_indent=f"{label:{LABEL}}", subsequent_indent=pad, break_long_words=False)


# -- facts -------------------------------------------------------------------------------------------------------------


def _facts(s: Structure) -> Iterator[tuple[str, str]]:
    system, m = s.system, s.mobility
    yield from _counts(s)
    yield "freedom", describe_freedom(m)
    yield from (("", text) for text in _differences(s))
    yield "index", _index(s)
    yield "may be fixed", describe_choices(s)
    if m.resting:
        verb = "stands" if len(m.resting) == 1 else "stand"
        yield (
            "",
            f"but at this position not {join_names(map(say_hidden, m.resting), 'or')}, which {verb} still for a moment",
        )
    for group in m.redundant:
        yield "redundant", describe_redundancy(system, group)
    if m.redundant:
        yield "", _advise(m)
    yield from _oddities(s)


def _counts(s: Structure) -> Iterator[tuple[str, str]]:
    system, velocity = s.system, int((~s.system.holonomic).sum())
    yield "coordinates", f"{len(system.places)}: {', '.join(list_names([*map(say_hidden, system.places)], LONGEST))}"
    if system.states:
        yield "states", f"{len(system.states)}: {', '.join(list_names(list(system.states), LONGEST))}"
    yield "constraints", str(system.m) + (f", {velocity} of them of velocities" if velocity else "")
    if s.graph is not None:
        yield "Grübler", s.graph.formula()


def _advise(m: Mobility) -> str:
    if all(group.always == group.surplus for group in m.redundant):
        return "the motion is the same without them; how they share their forces is not determined"
    return "around this position all of them are needed, and near it their forces may become very large"


def describe_freedom(m: Mobility) -> str:
    """Degrees of freedom, with the reason where there is more than one answer."""
    text = str(m.freedom)
    if m.velocity_freedom != m.freedom:
        text = f"{m.freedom} of positions, {m.velocity_freedom} of velocities"
    if m.motion is None:
        return f"{text} at this instant; too large to find out whether all are freedoms of motion"
    if m.motion < m.freedom and m.motion == 0:
        return f"{text} at this instant, but none of motion: it can shake but not move"
    if m.motion < m.freedom:
        why = "a singular position, where ways of moving meet or something can only shake"
        return f"{text} at this instant, {m.motion} of motion: {why}"
    if m.undriven > m.freedom:
        return f"{text}, and {m.undriven} if nothing were prescribed"
    return text


def _differences(s: Structure) -> Iterator[str]:
    """Where counting, structure and numbers do not agree, and why."""
    m, graph = s.mobility, s.graph
    # links take freedoms of velocities away
    true = (m.freedom if m.motion is None else m.motion) - (m.freedom - m.velocity_freedom)
    if graph is not None and graph.count != true:
        always, fixed = sum(group.always for group in m.redundant), m.count - graph.count
        reasons = [count_of(always, "redundant constraint"), f"{count_of(fixed, 'constraint')} between fixed points"]
        told = join_names(why for number, why in zip((always, fixed), reasons, strict=True) if number)
        if graph.count < true:
            yield f"Grübler's count is {true - graph.count} less: it counts {told}"
        else:
            why = "it cannot see that the dimensions leave no way to move"
            yield f"Grübler's count is {graph.count - true} more: {why}"
    yield from _describe_misfit(s)
    total = 0 if s.signature is None else s.signature.degrees_of_freedom - len(s.system.states)
    if s.signature is not None and total != m.freedom + m.velocity_freedom:
        told = str(total // 2) if s.system.holonomic.all() else f"{total} for positions and velocities together"
        why = "it cannot see that constraints repeat each other"
        if not m.redundant:
            why = "it does not count what moves without a mass"
        elif all(group.always == 0 for group in m.redundant):
            why = "it cannot see that constraints repeat each other at this position"
        yield f"the structure alone says {told}: {why}"


def _describe_misfit(s: Structure) -> Iterator[str]:
    misfit, system = s.misfit, s.system
    if misfit is None:
        return
    if len(misfit.crowded):
        on = f" ({join_names([system.labels[i] for i in misfit.on], most=6)})" if len(misfit.on) else ""
        act = "acts" if len(misfit.crowded) == 1 else "act"
        yield (
            f"the structure alone is singular: {count_of(len(misfit.crowded), 'constraint')} {act} on "
            f"{count_of(len(misfit.on), 'coordinate')}{on}"
        )
    if len(misfit.bare):
        names = join_names([system.labels[i] for i in misfit.bare])
        yield f"the structure alone is singular: too little inertia and too few constraints for {names}"


def _index(s: Structure) -> str:
    if s.reduced is None:
        return "none: the equations of motion have no unique solution"
    if s.mobility.weightless:
        return f"{s.reduced.index} by structure, but masses are missing"
    return f"{s.reduced.index}" + (", the redundant constraints left out" if s.mobility.redundant else "")


def describe_choices(s: Structure) -> str:
    """Which initial values may be fixed."""
    m = s.mobility
    positions = _list(m.choices, m.freedom)
    if m.choices == m.velocity_choices:
        return positions if m.choices == () else f"{positions}; the same for velocities"
    return f"positions: {positions}; velocities: {_list(m.velocity_choices, m.velocity_freedom)}"


def _list(choices: tuple[Choice, ...] | None, freedom: int) -> str:
    if choices is None:
        return f"{count_of(freedom, 'value')}, too many to list"
    if not choices:
        return "nothing: every coordinate is determined"
    shown = " and ".join(str(choice) for choice in choices[:MOST])
    more = sum(choice.count for choice in choices[MOST:])
    return shown + (f" and {count_of(more, 'more value')}" if more else "")


def _oddities(s: Structure) -> Iterator[tuple[str, str]]:
    """What a person may not have meant."""
    for group in s.mobility.weightless:
        remedy = "give the part or the point there one" if s.system.chart.points else "give its speed a part in L"
        yield "undefined", f"{_places(s, group)} can move without moving a mass: {remedy}"
    if isinstance(s.mechanism, Mechanism) and (frames := find_unused_frames(s.mechanism)):
        yield (
            "unused",
            f"nothing is joined to {join_names(frames)}, and nothing names {'it' if len(frames) == 1 else 'them'}",
        )
    if s.idle:
        yield "idle", f"{join_names(s.idle)}: no mass and no load; taken away, nothing would change"
    if s.still and len(s.still) < len(s.system.chart.parts):
        yield "idle", f"{join_names(s.still)} cannot move"
    for part, about in s.spinning:
        yield "idle", f"{part} turns about the line through {join_names(about)} by itself; nothing else feels it"
    if len(s.groups) > 1:
        told = "; ".join(join_names(group.names) for group in s.groups[:LONGEST])
        yield "unconnected", f"{len(s.groups)} groups that do not feel each other: {told}"
    if floating := describe_floating(s):
        yield "floating", floating


def describe_floating(s: Structure) -> str:
    """What no fixed point holds, and what its names may have been meant to be: oa is not OA."""
    links = s.graph.links if s.graph is not None else ()
    rolling = {part for link in links if link.kind == ROLLING and WORLD in link.parts for part in link.parts}
    loose = [group for group in s.groups if not group.attached and rolling.isdisjoint(group.names)]
    floating = [name for group in loose for name in group.names]
    if not floating or not s.system.chart.points:
        return ""
    points = {p for name in floating for p in s.system.chart.parts.get(name, (name,))}
    others = {p.casefold(): p for p in s.system.chart.points if p not in points}
    meant = {p: others[p.casefold()] for p in sorted(points) if p.casefold() in others}
    remedy = f". Did you mean {join_names(meant.values())} where it says {join_names(meant)}?" if meant else ""
    return f"nothing ties {join_names(floating)} to a fixed point{remedy}"


def _places(s: Structure, names: tuple[str, ...]) -> str:
    """The points that coordinates belong to, or else the coordinates themselves."""
    system = s.system
    point_of = {system.coordinates[i]: point for point, at in system.chart.points.items() for i in at if i < system.n}
    return join_names(dict.fromkeys(point_of.get(name, name) for name in names))


# -- tables ------------------------------------------------------------------------------------------------------------


def _energy_table(s: Structure) -> list[str]:
    """Through which parts each point or angle enters the energies."""
    rows = [(name, *_cells([s.energies[i] for i in places])) for name, places in _owners(s)]
    if not rows:
        return []
    head = ("", "kinetic energy", "potential energy", "power")
    columns = [k for k in range(4) if k < 3 or any(row[k] != "-" for row in rows)]
    more = [f"  and {len(rows) - LONGEST} more"] if len(rows) > LONGEST else []
    return ["", "energies", *_table([[row[k] for k in columns] for row in [head, *rows[:LONGEST]]]), *more]


def _owners(s: Structure) -> list[tuple[str, list[int]]]:
    """Moving points, then the coordinates that belong to none."""
    n, system = s.system.n, s.system
    owners = [(point, [i for i in at if i < n]) for point, at in system.chart.points.items() if at[0] < n]
    known = {i for _, places in owners for i in places}
    owners = [(say_hidden_point(point), places) for point, places in owners]
    return owners + [(name, [i]) for i, name in enumerate(system.labels) if i not in known]


def _cells(shares: list[Share]) -> tuple[str, str, str]:
    """What some coordinates contribute together."""
    kinds = sorted({kind for share in shares for kind in share.potential})
    potential = [f"{kind} {_unite(share.potential.get(kind, []) for share in shares)}" for kind in kinds]
    kinetic, power = _unite(share.kinetic for share in shares), _unite(share.power for share in shares)
    return kinetic or "-", "; ".join(potential) or "-", power or "-"


def _unite(lists: Iterable[list[str]]) -> str:
    return ", ".join(list_names(sorted({name for names in lists for name in names}), 6))


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  " + "   ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _block_table(s: Structure) -> list[str]:
    """The blocks but T and V, which only use what is known."""
    signature = s.reduced
    if signature is None:
        return []
    last = signature.pattern.size - 2
    blocks = [block for block in s.blocks if block.equations[0] < last]
    if len(blocks) < 2:
        return []
    rows = [["", "unknown", "from"]]
    for i, block in enumerate(blocks[:LONGEST]):
        gives = _label(signature, block.variables.tolist(), "", "force of ")
        same = len(block.equations) > 1 and np.array_equal(np.sort(block.equations), block.variables)
        uses = "their own equations" if same else _label(signature, block.equations.tolist(), "equation of ", "")
        rows.append([str(i + 1), gives, uses])
    more = [f"  and {len(blocks) - LONGEST} more"] if len(blocks) > LONGEST else []
    return ["", "order of solution: a block is solved once those above it are", *_table(rows), *more]


def _label(signature: Signature, numbers: list[int], coordinate: str, constraint: str) -> str:
    """Coordinates, then constraints, by name."""
    n, names = signature.pattern.coordinates, signature.names
    groups = (coordinate, [i for i in numbers if i < n]), (constraint, [i for i in numbers if i >= n])
    return "; ".join(prefix + ", ".join(list_names([names[i] for i in some], 4)) for prefix, some in groups if some)


def _tableau(s: Structure) -> list[str]:
    """The signature matrix, if it fits a screen."""
    if s.reduced is None or s.reduced.pattern.size > WIDEST:
        return []
    lines = s.reduced.tableau().splitlines()
    left_out = ", redundant constraints left out" if s.mobility.redundant else ""
    return ["", f"signature matrix{left_out}", *(f"  {line}" for line in lines)] if len(lines[1]) <= BROADEST else []
