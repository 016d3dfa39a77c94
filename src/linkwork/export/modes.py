"""What is exported where constraints come and go: the terms of the equations as arrays, and who may hold when.

Stops, friction that sticks and events that switch change which rows of G hold, so that nothing is factorised in
straight lines: the exported code solves

    [ M  Gᵀ ] [a]   [f]
    [ G  0  ] [λ] = [c]        with the rows that hold

by elimination. In speeds of their own M (a + s) + Gᵀ λ = f, of which M s is taken to the right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linkwork.equations import System
from linkwork.equations.acts import Barrier, Grip
from linkwork.export.acting import Acting, Target
from linkwork.export.code import Plan
from linkwork.export.fuse import Fused, inline
from linkwork.program import Input, jacobian
from linkwork.solve.mode import has_modes


class Switch(NamedTuple):
    """A constraint that an event lets hold, or not any longer."""

    event: int
    row: int
    on: bool


class Wanted(NamedTuple):
    """A speed that an event gives a value: the place of the value and that of the speed's slopes."""

    event: int
    value: int
    slopes: int


class Modes(NamedTuple):
    """Who holds when.

    first, speeds   where the speeds begin in y, and how many there are
    off             rows that do not hold at first
    goals           of each value of events the event and the number of what it is given to: who shares one must agree
    acting          events that act
    happens         whether anything can change
    """

    first: int
    speeds: int
    off: frozenset[int]
    barriers: tuple[Barrier, ...]
    grips: tuple[Grip, ...]
    switches: tuple[Switch, ...]
    wanted: tuple[Wanted, ...]
    goals: tuple[tuple[int, int], ...]
    acting: frozenset[int]
    happens: bool

    @property
    def told(self) -> tuple[str, ...]:
        """What is told beside the events, in the order of its numbers behind theirs."""
        of_stops = [f"{b.name}: {word}" for b in self.barriers for word in ("off", "rest")]
        return (*of_stops, *(f"{g.name}: {word}" for g in self.grips for word in ("sticks", "slips")))

    @property
    def count_grips(self) -> int:
        """How many there are."""
        return len(self.grips)

    @property
    def most(self) -> int:
        """How many speeds an event gives at most."""
        events = [w.event for w in self.wanted]
        return max((events.count(event) for event in events), default=0)

    @property
    def sliding(self) -> tuple[tuple[str, ...], ...]:
        """Of each grip the inputs that tell which way it slides: the way, and the lead if there are two speeds."""
        return tuple((g.sliding, *g.leads) for g in self.grips)


Value = tuple[int, object, int]  # an event, what it gives a value, and the node of that


class Numbered(NamedTuple):
    """The nodes of speeds, and where they are in y."""

    fused: Fused
    order: Sequence[int]
    places: Mapping[Input, tuple[str, int]]

    @property
    def n(self) -> int:
        """How many speeds."""
        return len(self.order)


def needs_modes(system: System) -> bool:
    """Whether constraints come and go, or couple the jumps of several events, which may happen at one time."""
    return has_modes(system) or (system.m > 0 and sum(bool(act.speeds) for act in system.acts.values()) > 1)


def plan_modes(at: Numbered) -> tuple[Modes, list[Acting], list[Plan]]:
    """Who holds when, what events do, and the functions that tell the numbers."""
    s, f = at.fused.system, at.fused
    acts, values, wanted, slopes = _plan_acts(at)
    ids: dict[object, int] = {}
    goals = tuple((event, ids.setdefault(goal, len(ids))) for event, goal, _ in values)
    switches = [Switch(event, row, row in act.on) for event, act in s.acts.items() for row in sorted(act.on | act.off)]
    modes = Modes(
        first=at.places[Input("u", at.order[0])][1], speeds=at.n, off=s.off, barriers=s.barriers, grips=s.grips,
        switches=tuple(switches), wanted=tuple(wanted), goals=goals, acting=frozenset(s.acts),
        happens=bool(s.barriers or s.grips or s.acts),
    )  # fmt: skip
    readings = [f.readings[b.restitution] for b in s.barriers] + [f.readings[g.hold] for g in s.grips]
    arrays = {"readings": readings, "acts": [node for _, _, node in values], "slopes": slopes}
    plans = [Plan(name, [], {"a" if name == "acts" else "z": nodes}) for name, nodes in arrays.items() if nodes]
    return modes, acts, [_plan_terms(at), _plan_moves(at), *plans, *_plan_loop(at)]


def _plan_terms(at: Numbered) -> Plan:
    """M, G, f and c, row by row."""
    f, b, order = at.fused, at.fused.b, at.order
    rows = range(f.system.m)
    M = {i: {j: f.M.get((max(i, j), min(i, j)), b.zero) for j in order} for i in order}
    shifted = {i: b.total(b.mul(M[i][j], f.shift[j]) for j in order) for i in order}
    return Plan("terms", [], {
        "mm": [M[i][j] for i in order for j in order],
        "gg": [f.G.get((row, j), b.zero) for row in rows for j in order],
        "ff": [b.sub(b.neg(f.rest[i]), shifted[i]) for i in order],
        "cc": [b.neg(f.gamma[row]) for row in rows],
    })  # fmt: skip


def _plan_moves(at: Numbered) -> Plan:
    """The rates of places and followers with given speeds v: N v."""
    f, b = at.fused, at.fused.b
    v = {Input("u", i): b.input("v", k) for k, i in enumerate(at.order)}

    def node_of(source: Input) -> int:
        return v.get(source, b.input(source.kind, source.index))

    found = inline(b, b.program(q=f.rates, n=f.n), node_of)
    moving = [i for i in at.order if Input("q", i) in at.places]
    return Plan("moves", [], {"dy": [*(found["q"][i] for i in moving), *found["n"]]})


def _plan_acts(at: Numbered) -> tuple[list[Acting], list[Value], list[Wanted], list[int]]:
    """What events do; the values, each with what it is given to; speeds that get some, and the slopes of these."""
    f, b = at.fused, at.fused.b
    acts, values, wanted, slopes = list[Acting](), list[Value](), list[Wanted](), list[int]()
    for event, act in f.system.acts.items():
        targets = {Target(0, name): f.readings[i] for name, i in act.inputs}
        targets |= {Target(at.places[Input("u", place)][1]): f.readings[i] for place, i in act.states}
        acts += [Acting(event, len(values), tuple(targets))] if targets else []
        values += [(event, target, node) for target, node in targets.items()]
        for target, value in act.speeds:
            by = jacobian(b, [f.readings[target]], [f.u[i] for i in at.order])
            wanted.append(Wanted(event, len(values), len(slopes) // at.n))
            values.append((event, f.system.readings[target].name, f.readings[value]))
            slopes += [by.get((0, k), b.zero) for k in range(at.n)]
    return acts, values, wanted, slopes


def _plan_loop(at: Numbered) -> list[Plan]:
    """What vanishes for algebraic values w, ρ(a, λ, w), its slopes by w and by (a, λ), and those of (f, c) by w.

    A (a, λ) = (f, c) and ρ = 0:   D = ∂ρ/∂w + ∂ρ/∂(a, λ) A⁻¹ ∂(f, c)/∂w
    """
    f, b = at.fused, at.fused.b
    if not f.values:
        return []
    first = f.system.first_follower - len(f.system.inputs)
    w = [f.w[f.system.inputs[name] - first] for name in f.values]
    rho, x = list(f.values.values()), [*(f.a[i] for i in at.order), *f.lam]
    bends = [
        b.total([f.gamma[row], *(b.mul(node, f.a[j]) for (i, j), node in f.G.items() if i == row)])
        for row in range(f.system.m)
    ]
    by_w, by_x = jacobian(b, rho, w), jacobian(b, rho, x)
    right = jacobian(b, [b.neg(node) for node in (*(f.r[i] for i in at.order), *bends)], w)
    values, unknowns = range(len(w)), range(len(x))
    return [Plan("loop", [], {
        "z": rho,
        "J": [by_w.get((i, j), b.zero) for i in values for j in values],
        "by": [by_x.get((i, j), b.zero) for i in values for j in unknowns],
        "of": [right.get((i, j), b.zero) for j in values for i in unknowns],
    })]  # fmt: skip
