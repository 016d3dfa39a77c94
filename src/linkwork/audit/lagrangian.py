"""The audit of a Lagrangian: the formulas as given and readings of a motion in, findings out.

    d/dt ∂L/∂u − ∂L/∂q + ∂D/∂u − F = forces of constraints,   dE/dt = F·u − ∂D/∂u·u − ∂L/∂t + drivers,   E = u·∂L/∂u − L

The rates of momenta are differences of momenta along the motion itself, so that no second derivatives are shared with
the equations that were solved. Where these neglect what is small, they are judged as they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.audit.bodies import cross
from linkwork.audit.findings import Finding, find_rough, worst
from linkwork.audit.readings import PLACES, ROUGH, ROUNDING, Weight, share_of_forces
from linkwork.audit.rubbing import CLEAR, SLIDING, STICKING
from linkwork.model.found import SIGN
from linkwork.model.lagrangian import Lagrangian
from linkwork.model.reacting import grip_row, stop_row
from linkwork.model.signals import integral_name
from linkwork.symbolic import ZERO, Expr, Symbol, derivatives, differentiate, free_symbols, gradient, substitute, symbol
from linkwork.symbolic.evaluate import Evaluation

TIME = symbol("t", kind="time")
SPREAD = 0.004  # of a step: how far apart the momenta are whose differences are their rates
ROUNDING_OF_DIFFERENCES = 1e-13 / SPREAD
STENCIL = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
CUT = 1e-11
MOST = 16  # bodies that are looked at
TRIED = 3  # speeds along which the work of loads is compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A motion in its coordinates at k times.   t, h: (k,);  q, u, a: (k, n), integrals of states last

    lam and inputs are by name.
    """

    t: Floats
    h: Floats
    q: Floats
    u: Floats
    a: Floats
    lam: Mapping[str, Floats]
    inputs: Mapping[str, Floats]


@dataclass(frozen=True)
class Formulas:
    """What follows from a Lagrangian by differentiation, once."""

    model: Lagrangian
    _evaluations: dict[tuple[Expr, ...], Evaluation] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def coordinates(self) -> list[Symbol]:
        return [symbol(name, kind="coordinate") for name in self.model.coordinates]

    @cached_property
    def speeds(self) -> list[Symbol]:
        return [symbol(f"{name}'", kind="speed") for name in self.model.coordinates]

    @cached_property
    def momenta(self) -> list[Expr]:
        return list(gradient(self.model.energy, self.speeds))

    @cached_property
    def slopes(self) -> list[Expr]:
        return list(gradient(self.model.energy, self.coordinates))

    @cached_property
    def forces(self) -> list[Expr]:
        given = [self.model.forces.get(name, ZERO) for name in self.model.coordinates]
        resisting = derivatives(self.model.dissipation, self.speeds)
        found = [force - less for force, less in zip(given, resisting, strict=True)]
        for friction in self.model.frictions:
            for effort, speed in zip(friction.forces, friction.speeds, strict=True):
                along = derivatives(speed, self.speeds)
                found = [force + effort * x for force, x in zip(found, along, strict=True)]
        return found

    @cached_property
    def rows(self) -> list[dict[int, Expr]]:
        """Of each constraint what it has of each coordinate or speed, where that is not zero."""
        held = [self._sparse(g, "coordinate") for g in self.model.constraints.values()]
        return held + [self._sparse(h, "speed") for h in self.model.velocity_constraints.values()]

    def _sparse(self, expr: Expr, kind: str) -> dict[int, Expr]:
        known = self._places
        present = [s for s in free_symbols(expr) if s.kind == kind and s.name in known]
        used = sorted(present, key=lambda s: known[s.name])
        pairs = zip(used, derivatives(expr, used), strict=True)
        return {self._places[s.name]: slope for s, slope in pairs if slope is not ZERO}

    @cached_property
    def _places(self) -> dict[str, int]:
        numbered = enumerate(self.model.coordinates)
        return {name: i for i, x in numbered for name in (x, f"{x}'")}

    @property
    def by_balance(self) -> bool:
        """Whether the equations are those given, for want of Lagrange's."""
        return bool(self.model.neglected) or self.model.quasi

    @cached_property
    def given(self) -> list[Expr]:
        """What inertia asks for by equations that neglect something, or have speeds that are no rates."""
        return [self.model.balance.get(name, ZERO) for name in self.model.coordinates]

    @cached_property
    def pulls(self) -> list[Expr]:
        """The forces of the potential."""
        still: dict[Expr, Expr] = dict.fromkeys(self.speeds, ZERO)
        return list(gradient(substitute(self.model.energy, still), self.coordinates))

    @cached_property
    def masses(self) -> list[Expr]:
        return [differentiate(p, u) for p, u in zip(self.momenta, self.speeds, strict=True)]

    @cached_property
    def supplied(self) -> list[Expr]:
        """Powers: what forces feed in, and by constraint what its multiplier does."""
        still: dict[Expr, Expr] = dict.fromkeys(self.speeds, ZERO)
        fed = sum((f * u for f, u in zip(self.forces, self.speeds, strict=True)), ZERO)
        moved = [differentiate(g, TIME) for g in self.model.constraints.values()]
        moved += [substitute(h, still) for h in self.model.velocity_constraints.values()]
        return [fed - differentiate(self.model.energy, TIME), *moved]

    def values(self, exprs: list[Expr], c: Course) -> Floats:
        """Expressions along a motion.   (k, expressions)"""
        names = [*self.model.coordinates, *(integral_name(state.name) for state in self.model.states)]
        known: dict[str, Floats | float] = {**self.model.values, **c.inputs, "t": c.t}
        known |= {name: c.q[:, i] for i, name in enumerate(names)} | {f"{x}'": c.u[:, i] for i, x in enumerate(names)}
        known |= {f"{x}''": c.a[:, i] for i, x in enumerate(names)}
        key = tuple(exprs)
        if key not in self._evaluations:
            self._evaluations[key] = Evaluation(exprs)
        found = self._evaluations[key].compute(known)
        return np.stack([np.broadcast_to(np.asarray(x, dtype=np.float64), c.t.shape) for x in found], axis=1)


def audit_lagrangian(
    f: Formulas, c: Course, around: Mapping[int, Course], scales: Floats, order: int, tol: float
) -> list[Finding]:
    """All laws that hold at single times; `around` is the motion a little earlier and later."""
    n, states = len(f.model.coordinates), f.model.states
    found = [*audit_held(f, c, scales, order, tol), *_euler_lagrange(f, c, around, scales, order, tol)]
    found += audit_bodies(f, c, order, tol)
    found += audit_efforts(f, c, scales)
    found += audit_found(f, c, scales, order, tol)
    found += audit_dry(f, c, scales, order, tol)
    if states:
        wanted, given = f.values([state.rate for state in states], c), c.a[:, n:]
        size = np.array([f.model.compute(state.scale) for state in states])
        allowed = order * PLACES * tol / c.h[:, None] * size + share_of_forces(tol) * np.abs(wanted)
        names = [f"state {state.name}" for state in states]
        found += worst("states obey their rates", names, c.t, np.abs(given - wanted), allowed, "")
    return found


def audit_dry(f: Formulas, c: Course, scales: Floats, order: int, tol: float) -> list[Finding]:
    """Friction slides with its limit against its speed, and sticks within its hold."""
    m, n, found = f.model, len(f.model.coordinates), list[Finding]()
    wrong = order * PLACES * tol / c.h[:, None] * scales[:n] + ROUNDING * np.abs(c.u[:, :n])
    for friction in m.frictions:
        rows, k = [grip_row(name) for name in friction.rows], len(friction.speeds)
        values = f.values([*friction.speeds, *friction.forces, friction.limit, friction.hold], c)
        v, force, limit, hold = values[:, :k], values[:, k : 2 * k], values[:, -2], values[:, -1]
        allowed = share_of_forces(tol) * (np.abs(limit) + np.max(np.abs(c.a[:, :n]) * f.values(f.masses, c), axis=1))
        if set(rows) <= set(m.velocity_constraints):
            held = np.linalg.norm(np.stack([c.lam[row] for row in rows], axis=1), axis=1)
            over = np.maximum(held - np.maximum(hold, limit), 0.0)
            # several on one speed share what they hold: only what one has alone is judged
            alone = len([x for x in m.frictions if {*map(grip_row, x.rows)} <= set(m.velocity_constraints)]) == 1
            found += worst(STICKING, [friction.name], c.t, over[:, None], allowed[:, None], "N") if alone else []
            continue
        slopes = [np.abs(f.values([*derivatives(speed, f.speeds)], c)) for speed in friction.speeds]
        off, speed = np.sum([np.sum(x * wrong, axis=1) for x in slopes], axis=0), np.linalg.norm(v, axis=1)
        safe = np.where(speed > 0.0, speed, 1.0)
        missed = np.linalg.norm(force + limit[:, None] * v / safe[:, None], axis=1)
        amount = np.where(speed > CLEAR * off, missed, 0.0)
        turned = 2.0 * np.minimum(off / safe, 1.0) * np.abs(limit) if k > 1 else 0.0
        found += worst(SLIDING, [friction.name], c.t, amount[:, None], (allowed + turned)[:, None], "N")
    return found


def audit_found(f: Formulas, c: Course, scales: Floats, order: int, tol: float) -> list[Finding]:
    """Accelerations, forces of constraints and calls in laws are those of the motion, equations of variables hold."""
    m, n, share = f.model, len(f.model.coordinates), share_of_forces(tol)
    told: dict[str, Floats] = {f"{name}''": c.a[:, i] for i, name in enumerate(m.coordinates)}
    told |= {f"{name}{SIGN}": -lam for row, lam in c.lam.items() for name in (row, row.removeprefix(stop_row("")))}
    told |= {x.name: _call(x.function.compute, f.values(list(x.arguments), c)) for x in m.opaque}
    told |= {name: np.zeros(len(c.t)) for name in m.algebra if name not in told}  # of what does not hold there
    used = [name for name in (*m.algebra, *(x.name for x in m.opaque)) if name not in m.implicits]
    amounts = [np.abs(told[name] - c.inputs[name]) for name in used]
    largest = np.max([np.abs(told[name]) for name in used], axis=0, initial=0.0) if used else 0.0
    mass = np.max(np.abs(f.values(f.masses, c)) * scales[:n], axis=1, initial=1.0) if used else 1.0
    limits = [share * (largest + 1.0) + order**2 * PLACES * tol / c.h**2 * mass] * len(used)
    for name, implicit in m.implicits.items():
        w = symbol(name, kind="input")
        left, beside = f.values([implicit.formula, substitute(implicit.formula, {w: (1 + share) * w})], c).T
        amounts, limits, used = [*amounts, np.abs(left)], [*limits, np.abs(beside - left) + share], [*used, name]
    if not used:
        return []
    names, law = [f"value {name}" for name in used], "values in laws are those of the motion"
    return worst(law, names, c.t, np.stack(amounts, axis=1), np.stack(limits, axis=1), "")


def _call(function: Callable[..., float], values: Floats) -> Floats:
    return np.array([function(*row) for row in values.tolist()])


def audit_bodies(f: Formulas, c: Course, order: int, tol: float) -> list[Finding]:
    """Velocities of bodies, by which they have energy, are the rates of their places, and angular ones those of axes.

    ṗ = v,   ė = ω × e    with differences along (u, 1) from (q, t), whatever the motion is
    """
    names = [*f.model.bodies][:: -(-len(f.model.bodies) // MOST) or 1]
    if not names:
        return []
    bodies = [f.model.bodies[name] for name in names]
    seen = [x for body in bodies for triple in (body.place, *body.axes) for x in triple]
    told = [x for body in bodies for x in (*body.velocity, *body.spin)]
    k, dt = len(c.t), SPREAD * c.h
    near = _together([replace(c, t=c.t + i * dt, q=c.q + i * dt[:, None] * c.u) for i in STENCIL])
    around = f.values([*seen, TIME], near)[:, :-1].reshape(len(STENCIL), k, len(names), 4, 3)
    rates = np.einsum("s,skbxc->kbxc", [*STENCIL.values()], around) / dt[:, None, None, None]
    axes = f.values([*seen, TIME], c)[:, :-1].reshape(k, len(names), 4, 3)[:, :, 1:]
    v, w = np.split(f.values([*told, TIME], c)[:, :-1].reshape(k, len(names), 2, 3), 2, axis=2)
    off = np.linalg.norm(rates - np.concatenate([v, cross(w, axes)], axis=2), axis=3)
    size = np.linalg.norm(np.concatenate([v, w, w, w], axis=2), axis=3)
    allowed = ROUGH * (size + np.max(size, axis=1, keepdims=True))
    # bodies told by points are as rigid as the tolerance makes them
    extent = np.linalg.norm(around[0], axis=3)
    allowed += (ROUNDING_OF_DIFFERENCES + order * PLACES * tol) * extent / c.h[:, None, None]
    turned, limit = np.max(off[:, :, 1:], axis=2), allowed[:, :, 1]
    return [
        *worst("bodies move as their places say", names, c.t, off[:, :, 0], allowed[:, :, 0], "m/s"),
        *worst("bodies turn as their axes say", names, c.t, turned, limit, "rad/s"),
    ]


def audit_efforts(f: Formulas, c: Course, scales: Floats) -> list[Finding]:
    """The forces along coordinates are those of the forces and moments on bodies, by their work along arbitrary speeds.

    Σ Q·δ = Σ F·δv + M·δω    with δv and δω as speeds δ make them
    """
    efforts, n, k = [*f.model.efforts.values()], len(f.model.coordinates), len(c.t)
    if not efforts:
        return []
    Q = f.values([*(f.model.forces.get(name, ZERO) for name in f.model.coordinates), TIME], c)[:, :-1]
    loads = f.values([*(x for effort in efforts for x in (*effort.force, *effort.moment)), TIME], c)[:, :-1]
    flows = [*(x for effort in efforts for x in (*effort.velocity, *effort.spin)), TIME]
    speeds = np.random.default_rng(0).normal(size=(TRIED, n)) * scales[:n]
    still = np.zeros((1, n))
    u = [np.pad(np.tile(delta, (k, 1)), ((0, 0), (0, c.u.shape[1] - n))) for delta in (*still, *speeds)]
    moved = np.split(f.values(flows, _together([replace(c, u=x) for x in u]))[:, :-1], len(u))
    sizes = np.abs(loads), np.abs(Q)
    off, allowed = np.zeros((k, 1)), np.zeros((k, 1))
    for delta, flow in zip(speeds, moved[1:], strict=True):
        along = flow - moved[0]
        parts = np.sum(sizes[0] * np.abs(along), axis=1) + np.sum(sizes[1] * np.abs(delta), axis=1)
        off[:, 0] = np.maximum(off[:, 0], np.abs(np.sum(loads * along, axis=1) - Q @ delta))
        allowed[:, 0] = np.maximum(allowed[:, 0], ROUGH * parts)
    return worst("forces are those of the loads", ["loads"], c.t, off, allowed, "W")


def audit_held(f: Formulas, c: Course, scales: Floats, order: int, tol: float) -> list[Finding]:
    """Constraints are met, relative to what moving by the size of the coordinates makes of them."""
    m, n = f.model, len(f.model.coordinates)
    scales = scales[:n]
    if not f.rows:
        return []
    i, j, entries = _entries(f, c)
    entries = entries * scales[j]
    size = np.sqrt(_summed(entries**2, i, len(f.rows)))
    held = len(m.constraints)
    found = []
    if held:
        g = np.abs(f.values([*m.constraints.values()], c))
        allowed = (PLACES * tol + ROUNDING) * size[:, :held]
        found += worst("constraints are met", [*m.constraints], c.t, g, allowed, "")
    speed = np.max(np.abs(c.u[:, :n]) / scales, axis=1)
    # ġ = G u + ∂g/∂t and h itself
    along = _summed(entries * (c.u[:, :n] / scales)[:, j], i, len(f.rows))[:, :held]
    rates = along + f.values([*f.supplied[1 : 1 + held], TIME], c)[:, :-1]
    given = f.values([*m.velocity_constraints.values(), TIME], c)[:, :-1]
    allowed = size * (order * PLACES * tol / c.h + ROUNDING * (speed + 1 / c.h))[:, None]
    names = [*m.constraints, *m.velocity_constraints]
    amount = np.abs(np.concatenate([rates, given], axis=1))
    return found + worst("constraints hold in velocities", names, c.t, amount, allowed, "")


def _entries(f: Formulas, c: Course) -> tuple[Ints, Ints, Floats]:
    """Rows, columns and values of what is not zero in G.   (entries,), (entries,), (k, entries)"""
    places = np.array([(i, j) for i, row in enumerate(f.rows) for j in row], dtype=np.int64).reshape(-1, 2)
    found = f.values([*(entry for row in f.rows for entry in row.values()), TIME], c)[:, :-1]
    return places[:, 0], places[:, 1], found


def _summed(values: Floats, i: Ints, count: int) -> Floats:
    """The sums of entries by row.   (k, entries) → (k, rows)"""
    found = np.zeros((count, len(values)))
    np.add.at(found, i, values.T)
    return found.T


def _matrix(f: Formulas, c: Course) -> Floats:
    i, j, entries = _entries(f, c)
    G = np.zeros((len(c.t), len(f.rows), len(f.model.coordinates)))
    G[:, i, j] = entries
    return G


def _euler_lagrange(
    f: Formulas, c: Course, around: Mapping[int, Course], scales: Floats, order: int, tol: float
) -> list[Finding]:
    scales = scales[: len(f.model.coordinates)]
    momenta = dict(zip(around, np.split(f.values(f.momenta, _together([*around.values()])), len(around)), strict=True))
    rate = sum((STENCIL[i] * p for i, p in momenta.items()), np.zeros_like(next(iter(momenta.values()))))
    rate, slope, force = rate / (SPREAD * c.h[:, None]), f.values(f.slopes, c), f.values(f.forces, c)
    if f.by_balance:
        rate, slope = f.values(f.given, c), f.values(f.pulls, c)
    needed, size = (rate - slope - force) * scales, (np.abs(rate) + np.abs(slope) + np.abs(force)) * scales
    mass = np.abs(f.values(f.masses, c)) * scales**2
    if f.rows:
        G = _matrix(f, c) * scales
        _, sizes, V = np.linalg.svd(G, full_matrices=False)
        along = np.where(sizes > CUT * sizes[:, :1], np.einsum("kij,kj->ki", V, needed), 0.0)
        held = np.einsum("kij,ki->kj", V, along)
        needed, size = needed - held, size + np.abs(held)
        # constraints hand errors on to coordinates that have no mass of their own
        handed = np.einsum("kij,ki->kj", np.abs(V), np.einsum("kij,kj->ki", np.abs(V), mass))
        mass = np.where(mass > 0.0, mass, handed)
    p = np.abs(next(iter(momenta.values()))) * scales
    largest = np.max(size, axis=1, keepdims=True)
    allowed = share_of_forces(tol) * (size + 1e-4 * largest) + order**2 * PLACES * tol / c.h[:, None] ** 2 * mass
    allowed = allowed + ROUNDING_OF_DIFFERENCES * p / c.h[:, None]
    names = list(f.model.coordinates)
    law = "the equations as given" if f.by_balance else "the equations of Euler and Lagrange"
    return worst(law, names, c.t, np.abs(needed), allowed, "J")


def _together(courses: list[Course]) -> Course:
    """Several courses of equal length, one after another."""
    arrays = {name: np.concatenate([getattr(c, name) for c in courses]) for name in ("t", "h", "q", "u", "a")}
    held = {name: np.concatenate([c.inputs[name] for c in courses]) for name in courses[0].inputs}
    return Course(**arrays, lam={}, inputs=held)


def weigh_course(f: Formulas, c: Course, scales: Floats, order: int, tol: float) -> Weight:
    """u·∂L/∂u − L, the size of its terms, and the power that is fed in."""
    n = len(f.model.coordinates)
    p, L, slope = f.values(f.momenta, c), f.values([f.model.energy], c)[:, 0], f.values(f.slopes, c)
    terms, powers = p * c.u[:, :n], f.values(f.supplied, c)
    names = [*f.model.constraints, *f.model.velocity_constraints]
    power = powers[:, 0] + sum((c.lam[name] * powers[:, i + 1] for i, name in enumerate(names)), np.zeros(len(c.t)))
    place = (PLACES * tol + ROUNDING) * scales[:n]
    speed = order * place / c.h[:, None] + ROUNDING * np.abs(c.u[:, :n])
    slack = np.sum(np.abs(slope) * place + np.abs(p) * speed, axis=1)
    kinetic, energy = 0.5 * np.sum(np.abs(terms), axis=1), np.sum(terms, axis=1) - L
    return Weight(kinetic=kinetic, energy=energy, power=power, slack=slack, size=np.abs(L) + kinetic)


def find_rough_formula(f: Formulas, c: Course) -> tuple[str, float]:
    """The slope of L or force that changes most abruptly over times evenly spread, and how abruptly."""
    named = {f"the slope of L by {name}": slope for name, slope in zip(f.model.coordinates, f.slopes, strict=True)}
    named |= {f"the force on {name}": force for name, force in f.model.forces.items()}
    return find_rough(list(named), f.values(list(named.values()), c))
