"""Constraints in words: a System and rows of it in, phrases such as 'the axes of joints B and C' out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linkwork.analysis.structure.mobility import Redundancy
from linkwork.equations import System
from linkwork.model.joints import find_kind

AXIAL = (
    "revolute",
    "universal",
    "cylindrical",
    "planar",
)  # joints that say nothing of directions but those of their axes
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
    owners = _owners(system)
    axes: dict[str, bool] = {}  # joints, and whether no more than their axes are concerned
    rods: dict[str, None] = {}
    bodies: dict[str, None] = {}
    others: dict[str, None] = {}
    for row in rows:
        name, about_axes = owners[row]
        if name in system.joints:
            axes[name] = axes.get(name, True) and about_axes
        elif name in system.parts:
            (rods if len(system.parts[name]) == 2 else bodies)[name] = None
        else:
            others[name if " " in name else system.constraints[row]] = None
    phrases = []
    if axes:
        joints = f"joint{'s' if len(axes) > 1 else ''} {join_names(axes)}"
        phrases.append(f"the {'axes' if len(axes) > 1 else 'axis'} of {joints}" if all(axes.values()) else joints)
    for what, parts in (("length", rods), ("shape", bodies)):
        if parts:
            phrases.append(f"the {what}{'s' if len(parts) > 1 else ''} of {join_names(parts)}")
    phrases += others
    return join_names(phrases)


def _owners(system: System) -> dict[int, tuple[str, bool]]:
    """For each constraint the name of the instance that brings it, and whether it is about the axis of a joint."""
    owners = {}
    for term in system.terms:
        for name, rows in zip(term.names, term.rows.tolist(), strict=True):
            for i, row in enumerate(rows):
                owners[row] = name, name in system.joints and _is_about_axis(system, name, system.constraints[row], i)
    return owners


def _is_about_axis(system: System, joint: str, constraint: str, i: int) -> bool:
    """Whether the i-th equation of a joint is about its axis: those of the places of its points come before."""
    kind = constraint.partition("_")[0].rstrip("0123456789")
    _, _, one, other = system.joints[joint]
    return kind in AXIAL and i >= (0 if one == other else _places(kind))


def _places(kind: str) -> int:
    found = find_kind(3, kind)
    return 3 if found is None else found.places


def describe_redundancy(system: System, group: Redundancy) -> str:
    """Which constraints repeat each other, and how many of them are too many."""
    who, several = describe_constraints(system, group.rows), len(group.rows) > 1
    where = "" if group.always == group.surplus else ", at this position only"
    if 0 < group.always < group.surplus:
        where = f", {group.always} of them at every position"
    repeat = "repeat each other" if several else "says nothing"
    are = "is" if group.surplus == 1 else "are"
    return f"{who} {repeat}: {group.surplus} of their {count_of(len(group.rows), 'equation')} {are} redundant{where}"
