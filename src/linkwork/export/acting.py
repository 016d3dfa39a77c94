"""What events do, as values to be computed and places that get them: inputs, first-order states, speeds that jump.

Speeds jump by impulses along what is asked for and along the constraints: with T u = wanted for the rows T,

    M Δu = Tᵀ μ + Gᵀ λ,    G Δu = 0,    T (u + Δu) = wanted
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linkwork.equations.acts import Act
from linkwork.export.factor import factorise
from linkwork.export.solved import Solved
from linkwork.program import Input, jacobian


class Target(NamedTuple):
    """A place in the state y or, if it has a name, an input."""

    place: int
    name: str = ""


class Acting(NamedTuple):
    """What an event does: its targets get the values from place `first` on; some of them are speeds that jump."""

    event: int
    first: int
    targets: tuple[Target, ...]
    speeds: frozenset[Target] = frozenset()


def plan_acts(s: Solved, places: Mapping[Input, tuple[str, int]]) -> tuple[list[Acting], list[int]]:
    """What all events do, and the nodes of the values."""
    found, nodes = list[Acting](), list[int]()
    for event, act in s.fused.system.acts.items():
        new = {Target(0, name): s.fused.readings[i] for name, i in act.inputs}
        new |= {Target(places[Input("u", at)][1]): s.fused.readings[i] for at, i in act.states}
        jumping = frozenset[Target]()
        if act.speeds:
            speeds = {Input("u", i): node for i, node in enumerate(_jump(s, act))}
            mechanical = s.fused.system.mechanical
            jumps = {Target(places[u][1]): node for u, node in speeds.items() if mechanical[u.index]}
            new, jumping = new | jumps, frozenset(jumps)
        found.append(Acting(event, len(nodes), tuple(new), jumping))
        nodes += new.values()
    return found, nodes


def _jump(s: Solved, act: Act) -> list[int]:
    """The speeds after an event."""
    f, b, n = s.fused, s.fused.b, s.fused.system.n
    targets = [f.readings[target] for target, _ in act.speeds]
    slopes = jacobian(b, targets, f.u)
    rows = [[slopes.get((i, j), b.zero) for j in range(n)] for i in range(len(targets))]
    moved = [s.solve(row, [b.zero] * f.system.m)[:n] for row in rows]
    H = {(i, j): _dot(s, rows[i], moved[j]) for i in range(len(rows)) for j in range(i + 1)}
    missing = [b.sub(f.readings[value], target) for (_, value), target in zip(act.speeds, targets, strict=True)]
    mu = factorise(b, H, {}, len(rows), 0).solve(missing)
    return [b.add(f.u[j], _dot(s, mu, [column[j] for column in moved])) for j in range(n)]


def _dot(s: Solved, one: Sequence[int], two: Sequence[int]) -> int:
    return s.fused.b.total(s.fused.b.mul(x, y) for x, y in zip(one, two, strict=True))
