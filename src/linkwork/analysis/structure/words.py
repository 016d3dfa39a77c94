"""Constraints in words: a System and rows of it in, phrases such as 'the axes of joints B and C' out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linkwork.analysis.structure.mobility import Redundancy
from linkwork.equations import System
from linkwork.equations.collect import name_instance

BY_NAME = ("constraint", "velocity constraint", "state")  # whose constraints have names that people gave
MOST = 12  # names in a list before the rest is only counted


def join_names(names: Iterable[object], last: str = "and", most: int = MOST) -> str:
    """'A', 'A and B', 'A, B and C', or 'A, B, C and 17 more'."""
    found = list_names(names, most)
    return f" {last} ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def list_names(names: Iterable[object], most: int = MOST) -> list[str]:
    """The first names, and how many more there are."""
    found = [str(name) for name in names]
    return found if len(found) <= most else [*found[:most], f"{len(found) - most} more"]


def count_of(number: int, thing: str) -> str:
    """'1 equation', '3 equations'."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def describe_constraints(system: System, rows: Sequence[int]) -> str:
    """What constraints are about, each part or joint named once."""
    axes: dict[str, bool] = {}  # joints, and whether no more than their axes are concerned
    rods: dict[str, None] = {}
    bodies: dict[str, None] = {}
    others: dict[str, None] = {}
    for row in (system.rows[i] for i in rows):
        name = str(row.owner.name)
        if row.owner.kind == "joint":
            axes[name] = axes.get(name, True) and row.kind == "axis"
        elif row.owner.kind == "rigid":
            (rods if len(system.chart.parts[name]) == 2 else bodies)[name] = None
        else:
            others[row.name if row.owner.kind in BY_NAME else name_instance(row.owner)] = None
    phrases = []
    if axes:
        joints = f"joint{'s' if len(axes) > 1 else ''} {join_names(axes)}"
        phrases.append(f"the {'axes' if len(axes) > 1 else 'axis'} of {joints}" if all(axes.values()) else joints)
    for what, parts in (("length", rods), ("shape", bodies)):
        if parts:
            phrases.append(f"the {what}{'s' if len(parts) > 1 else ''} of {join_names(parts)}")
    phrases += others
    return join_names(phrases)


def describe_redundancy(system: System, group: Redundancy) -> str:
    """Which constraints repeat each other, and how many of them are too many."""
    who, several = describe_constraints(system, group.rows), len(group.rows) > 1
    where = "" if group.always == group.surplus else ", at this position only"
    if 0 < group.always < group.surplus:
        where = f", {group.always} of them at every position"
    repeat = "repeat each other" if several else "says nothing"
    are = "is" if group.surplus == 1 else "are"
    return f"{who} {repeat}: {group.surplus} of their {count_of(len(group.rows), 'equation')} {are} redundant{where}"
