"""Parts that do not matter, and parts that have nothing to do with each other: a System in, names out.

idle          parts without mass or load whose constraints bear no force: taking them away changes nothing
still         parts that never move
spinning      parts in space that turn about the line through their connections, which nothing else feels
groups        what is connected, not counting the world
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from linkwork.analysis.structure.energies import Share
from linkwork.analysis.structure.signature import Pattern
from linkwork.equations import System
from linkwork.errors import Ref
from linkwork.native.rank import find_rank

ZERO = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Parts that are connected, by name, and whether anything ties them to the world."""

    names: tuple[str, ...]
    attached: bool


# -- idle and still ----------------------------------------------------------------------------------------------------


def find_idle(system: System, G: csc_array, shares: list[Share]) -> tuple[str, ...]:
    """Parts without mass or load whose constraints can bear no force, at scaled constraints G (m, n).

    Coordinates X that enter no energy and no power have the equations G_Xᵀ λ = 0: a multiplier that vanishes in all
    their solutions bears no force.
    """
    bare = np.array([i for i, share in enumerate(shares) if share.is_empty], dtype=np.int64)
    if len(bare) == 0 or system.m == 0:
        return ()
    possible = find_rank(csc_array(G[:, bare].T)).right
    if possible is None:
        return ()
    forceless = np.linalg.norm(possible, axis=1) < ZERO
    loaded = {name for share in shares for names in _loads(share) for name in names}
    rows: dict[str, list[int]] = {name: [] for name in system.chart.parts}
    for term in system.terms:
        for owner, mine in zip(term.owners, term.rows.tolist(), strict=True):
            if owner.kind == "rigid":
                rows[str(owner.name)] += mine
    return tuple(name for name, mine in rows.items() if mine and name not in loaded and forceless[mine].all())


def _loads(share: Share) -> list[list[str]]:
    return [share.kinetic, *share.potential.values(), share.power]


def find_still(system: System, still: tuple[str, ...]) -> tuple[str, ...]:
    """Parts all of whose points are fixed or never move."""
    quiet = {system.index[name] for name in still}

    def rests(point: str) -> bool:
        return all(i >= system.n or i in quiet for i in system.chart.points[point])

    return tuple(name for name, points in system.chart.parts.items() if all(rests(point) for point in points))


# -- spinning ----------------------------------------------------------------------------------------------------------


def find_spinning(system: System, G: csc_array) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Parts that turn by themselves, with the points they turn about, at scaled constraints G (m, n)."""
    if all(len(at) < 3 for at in system.chart.points.values()):
        return ()
    users = _users(system)
    found = []
    for name, points in system.chart.parts.items():
        own = [p for p in points if system.chart.points[p][0] < system.n and users[p] <= {Ref("rigid", name)}]
        held = tuple(p for p in points if p not in own)
        if not own or len(held) < 2:
            continue
        columns = np.array([i for p in own for i in system.chart.points[p]])
        touched = np.unique(csc_array(G[:, columns]).indices)
        free = find_rank(csc_array(G[touched][:, columns])).right
        if free is not None and free.shape[1] and any(system.chart.points[p][0] < system.n for p in held):
            found.append((name, held))
    return tuple(found)


def _users(system: System) -> dict[str, set[Ref]]:
    """What uses each point."""
    point_of = {i: point for point, at in system.chart.points.items() for i in at}
    users: dict[str, set[Ref]] = {point: set() for point in system.chart.points}
    for term in system.terms:
        for owner, places in zip(term.owners, term.coordinates.tolist(), strict=True):
            for i in places:
                if i in point_of:
                    users[point_of[i]].add(owner)
    return users


# -- groups ------------------------------------------------------------------------------------------------------------


def find_connected(system: System, pattern: Pattern) -> tuple[Group, ...]:
    """What depends on each other, directly or not; the coordinates of a point and of a part always do."""
    from scipy.sparse.csgraph import connected_components  # a heavy import

    n, m = system.n, system.m
    inside = (pattern.rows < n + m) & (pattern.columns < n + m)
    start, end = [pattern.rows[inside]], [pattern.columns[inside]]
    for places in (*system.chart.points.values(), *(_places(system, points) for points in system.chart.parts.values())):
        moving = [i for i in places if i < n]
        start.append(np.full(len(moving), moving[0] if moving else 0))
        end.append(np.array(moving, dtype=np.int64))
    rows, columns = np.concatenate(start), np.concatenate(end)
    graph = csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(n + m, n + m))
    _, label = connected_components(graph, directed=False)
    attached = _attached(system, label)
    members: dict[int, dict[str, None]] = {}
    for name, places in _named(system).items():
        members.setdefault(int(label[places[0]]), {})[name] = None
    return tuple(Group(names=tuple(names), attached=key in attached) for key, names in members.items())


def _places(system: System, points: tuple[str, ...]) -> list[int]:
    return [i for point in points for i in system.chart.points[point]]


def _named(system: System) -> dict[str, list[int]]:
    """Moving parts, points on no part, and other coordinates, with the coordinates each has."""
    named = {name: _places(system, points) for name, points in system.chart.parts.items()}
    held = {point for points in system.chart.parts.values() for point in points}
    named |= {point: list(at) for point, at in system.chart.points.items() if point not in held}
    named = {name: [i for i in places if i < system.n] for name, places in named.items()}
    known = {i for places in named.values() for i in places} | set(system.chart.angles.values())
    slides = system.index if not system.chart.points else {}
    named |= {name: [i] for name, i in slides.items() if i not in known}
    return {name: places for name, places in named.items() if places}


def _attached(system: System, label: NDArray[np.int32]) -> set[int]:
    """The labels of what some instance ties to a fixed point."""
    found: set[int] = set()
    for term in system.terms:
        tied = (term.coordinates >= system.n).any(axis=1)
        inside = term.coordinates[tied]
        found.update(label[inside[inside < system.n]].tolist())
    return found
