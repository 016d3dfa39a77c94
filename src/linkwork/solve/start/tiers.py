"""How far parts are from what stands: a Mechanism in, the number of joints between each coordinate and a base out.

The base is the ground or, of parts that hang together and not on the ground, one of them: where it can be, not the
second one of a joint whose turn is given, and one of which something is given rather than one of which nothing is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Bools, Ints
from linkwork.equations import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.connections import WORLD
from linkwork.model.start import Guess

GROUND = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """Tiers of coordinates (n,): those of points of parts next to a base have 1; −1 for all that is no point of a part.

    floats  those of parts that are a base themselves
    """

    number: Ints
    floats: Bools


def find_tiers(
    m: Mechanism | Lagrangian, system: System, given: NDArray[np.bool_], turns: Mapping[str, Guess]
) -> Tiers:
    """The tiers, where these coordinates and turns of joints are given."""
    number, floats = np.full(system.n, -1, dtype=np.int64), np.zeros(system.n, dtype=bool)
    if isinstance(m, Lagrangian):
        return Tiers(number=number, floats=floats)
    found, bases = _find_parts(m, _find_known(m, system, given), {j.parts[1] for j in m.joints if j.name in turns})
    for part in sorted(found, key=lambda part: -found[part]):
        at = [i for p in m.rigids[part].points for i in system.chart.points[p] if i < system.n]
        number[at], floats[at] = found[part], part in bases
    return Tiers(number=number, floats=floats)


def _find_known(m: Mechanism, system: System, given: NDArray[np.bool_]) -> set[str]:
    """The parts of which a point is given."""
    points = {p for p, at in system.chart.points.items() if at[0] < system.n and given[list(at)].any()}
    return {rigid.name for rigid in m.rigids if not points.isdisjoint(rigid.points)}


def _find_parts(m: Mechanism, known: Collection[str], turned: Collection[str]) -> tuple[dict[int, int], set[int]]:
    """The tiers of rigid parts, by number, and those that are a base."""
    next_to = _find_neighbours(m)
    tiers, bases = _spread(next_to, GROUND, 0), set[int]()
    order = sorted(range(len(m.rigids)), key=lambda i: (m.rigids[i].name in turned, m.rigids[i].name not in known, i))
    for i in order:
        if i not in tiers:
            bases.add(i)
            tiers |= _spread(next_to, i, 1)
    return {i: tier for i, tier in tiers.items() if i != GROUND}, bases


def _find_neighbours(m: Mechanism) -> dict[int, set[int]]:
    """Parts that share a point or a joint, and those that share one with the ground."""
    number = {rigid.name: i for i, rigid in enumerate(m.rigids)} | {WORLD: GROUND}
    next_to: dict[int, set[int]] = {i: set() for i in number.values()}
    owners: dict[str, set[int]] = {point: {GROUND} for point in m.fixed}
    for i, rigid in enumerate(m.rigids):
        for point in rigid.points:
            owners.setdefault(point, set()).add(i)
    groups = [*owners.values(), *({number[part] for part in joint.parts if part in number} for joint in m.joints)]
    groups += [set().union(*(owners.get(point, set()) for point in line.points)) for line in m.collinears]
    for group in groups:
        for i in group:
            next_to[i] |= group - {i}
    return next_to


def _spread(next_to: Mapping[int, Collection[int]], base: int, tier: int) -> dict[int, int]:
    """The tiers of all that hangs together with a base."""
    found, waiting = {base: tier}, deque([base])
    while waiting:
        i = waiting.popleft()
        for k in next_to[i]:
            if k not in found:
                found[k] = found[i] + 1
                waiting.append(k)
    return found
