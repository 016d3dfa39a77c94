"""The audit of a mechanism: a description and readings of a motion in, findings out.

Shares nothing with the equations that were solved: rigid parts are bodies with a frame and a twist, ties are gaps and
rows over twists, and what remains of inertia minus forces must be forces that the ties can exert (d'Alembert).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, eye_array

from linkwork.arrays import Floats, Ints
from linkwork.audit.bodies import Bodies, Shapes, cross, measure_shapes
from linkwork.audit.energy import Masses, compute_energies, measure_masses
from linkwork.audit.findings import Finding, find_rough, worst
from linkwork.audit.glance import Glance, make_glance
from linkwork.audit.laws import Laws
from linkwork.audit.layout import Layout, Rows
from linkwork.audit.loads import Mechanics, weigh
from linkwork.audit.readings import PLACES, ROUNDING, Readings, Weight, share_of_forces
from linkwork.audit.relations import Gap
from linkwork.audit.rubbing import audit_rubbing
from linkwork.audit.ties import tie
from linkwork.model import Mechanism
from linkwork.model.complete import all_laws
from linkwork.model.laws import is_constant, law_rate, speeds_in
from linkwork.model.signals import input_symbol
from linkwork.symbolic import substitute
from linkwork.symbolic.evaluate import evaluate_all

DENSE = 150  # columns up to which forces of ties are found by dense matrices
SHARED = 1e-4  # of the largest force of all that counts for every part
SUSPECTS = 60  # times that are looked at more closely
DAMPING = 1e-11  # of the quick way to forces of ties
NEWTON = "Newton's and Euler's laws"
REPORTED = "Newton's and Euler's laws with the reactions reported"
CUT = 1e-12  # singular values below this part of the largest belong to no tie


@dataclass(frozen=True, eq=False)
class Subject:
    """A mechanism measured once, to be audited often."""

    mechanism: Mechanism
    points: dict[str, int]
    shapes: Shapes
    masses: Masses

    @cached_property
    def glance(self) -> Glance | None:
        """What a quick look needs, in the plane."""
        return make_glance(self.shapes, self.masses, len(self.points))

    @staticmethod
    def of(mechanism: Mechanism, points: dict[str, int]) -> Subject:
        """The numbers of a description; `points` says in which order readings have the points."""
        return Subject(mechanism, points, measure_shapes(mechanism, points), measure_masses(mechanism, points))


def audit_shape(subject: Subject, r: Readings) -> list[Finding]:
    """Rigid parts are rigid, in places and velocities."""
    s, b = subject.shapes, Bodies(subject.shapes, r)
    if not len(s.names):
        return []
    names = [f"part {s.names[i]}" for i in s.of]
    found = []
    for level, allowed, unit in ((0, r.place, "m"), (1, r.speed[:, None], "m/s")):
        off = np.linalg.norm((r.x, r.v)[level][:, s.at] - b.travel(level, s.z, s.of), axis=2)
        law = "rigid parts are rigid" if level == 0 else "rigid parts move as such"
        found += worst(law, names, r.t, off, allowed, unit)
    return found


def audit_mechanism(subject: Subject, r: Readings, mechanics: Mechanics | None = None) -> list[Finding]:
    """All laws that hold at single times; `mechanics` of these times, where it is known."""
    m, bodies = subject.mechanism, Bodies(subject.shapes, r)
    layout, laws = Layout(m, bodies, r), Laws(m, r, bodies)
    rows = Rows(layout)
    gaps = tie(m, layout, laws, rows)
    mechanics = mechanics or weigh(m, layout, laws)
    return [
        *audit_shape(subject, r),
        *_closed(r, gaps),
        *_moving(layout, r, rows),
        *_turning(m, layout, r),
        *_states(m, laws, r),
        *_newton(layout, r, rows, mechanics),
        *audit_rubbing(m, layout, laws, rows),
    ]


def audit_reactions(
    subject: Subject, r: Readings, reactions: Mapping[str, tuple[Mapping[str, Floats], Floats]]
) -> list[Finding]:
    """m a = m g + ΣF and İω + ω × Iω = Σ r × F + M of parts, with the forces by point and torques that are reported."""
    b, s, names = Bodies(subject.shapes, r), subject.shapes, list(reactions)
    if not names:
        return []
    c, a, layout = b.travel(0, s.centroid), b.travel(2, s.centroid), Layout(subject.mechanism, b, r)
    amounts, limits = [], []
    for name in names:
        i, (forces, torque) = layout.part[name], reactions[name]
        I = s.inertia[i] if b.omega.shape[2] == 1 else b.R[:, i] @ s.inertia[i] @ np.swapaxes(b.R[:, i], 1, 2)
        spin, turning = _times(I, b.omega[:, i]), _times(I, b.alpha[:, i])
        turning = turning if spin.shape[1] == 1 else turning + cross(b.omega[:, i], spin)
        force, moment = s.mass[i] * (a[:, i] - subject.masses.gravity), turning - torque
        size = np.linalg.norm(force, axis=1) + np.linalg.norm(torque, axis=1) / r.size
        for point, F in forces.items():
            force, moment = force - F, moment - cross(r.at(point) - c[:, i], F)
            size = size + np.linalg.norm(F, axis=1)
        inertia = s.mass[i] + float(np.max(np.abs(s.inertia[i]))) / r.size**2
        amounts.append(np.linalg.norm(force, axis=1) + np.linalg.norm(moment, axis=1) / r.size)
        limits.append(share_of_forces(r.tol) * size + r.quickness * inertia)
    allowed = np.stack(limits, axis=1)
    allowed = allowed + SHARED * np.max(allowed, axis=1, keepdims=True)
    return worst(REPORTED, [f"part {name}" for name in names], r.t, np.stack(amounts, axis=1), allowed, "N")


def audit_values(subject: Subject, r: Readings, found: Mapping[str, Floats]) -> list[Finding]:
    """Reactions and accelerations that laws have used are those of the motion, and equations of variables hold."""
    m, amounts, limits = subject.mechanism, dict[str, Floats](), dict[str, Floats]()
    share, mass = share_of_forces(r.tol), float(np.sum(subject.shapes.mass) + np.sum(subject.masses.mass))
    largest = np.max([np.abs(x) for x in found.values()], axis=0, initial=0.0) if found else np.zeros(len(r.t))
    for name, value in found.items():
        amounts[name] = np.abs(r.inputs[name] - value)
        limits[name] = share * (np.abs(value) + SHARED * largest) + r.quickness * max(1.0, mass)
    laws = Laws(m, r, Bodies(subject.shapes, r))
    for name, implicit in m.implicits.items():
        (left,), (spread,) = laws.values([implicit.formula]), laws.spread([implicit.formula])
        (beside,) = laws.values([substitute(implicit.formula, {input_symbol(name): (1 + share) * input_symbol(name)})])
        amounts[name], limits[name] = np.abs(left), spread + np.abs(beside - left) + share
    if not amounts:
        return []
    names = [f"value {name}" for name in amounts]
    amount, allowed = (np.stack(list(x.values()), axis=1) for x in (amounts, limits))
    return worst("values in laws are those of the motion", names, r.t, amount, allowed, "")


def _times(I: Floats | float, w: Floats) -> Floats:
    return np.asarray(I * w if w.shape[1] == 1 else np.einsum("kij,kj->ki", I, w))


def weigh_energy(subject: Subject, r: Readings, powered: bool = True) -> Weight:
    """Energies and, if there is any, the power of what is not conservative."""
    if powered:
        return weigh_power(subject, r)[0]
    T, V = compute_energies(Bodies(subject.shapes, r), subject.masses, r)
    return Weight(kinetic=T, energy=T + V, size=T + np.abs(V), power=np.zeros_like(T), slack=_reserve(subject, r))


def weigh_power(subject: Subject, r: Readings) -> tuple[Weight, Mechanics]:
    """Energies, the power of what is not conservative, and what moves everything."""
    bodies = Bodies(subject.shapes, r)
    T, V = compute_energies(bodies, subject.masses, r)
    layout = Layout(subject.mechanism, bodies, r)
    found = weigh(subject.mechanism, layout, Laws(subject.mechanism, r, bodies))
    # drivers of what has no mass and no force work against rounding only
    idle = not np.any(found.needed.size)
    power = np.zeros_like(T) if idle else found.power
    return Weight(kinetic=T, energy=T + V, size=T + np.abs(V), power=power, slack=found.slack), found


def _reserve(subject: Subject, r: Readings) -> Floats:
    """The slack of a conservative mechanism: m g δx + ½ k δx² + ½ m δv², and errors of stretched springs."""
    masses, shapes = subject.masses, subject.shapes
    mass = float(np.sum(shapes.mass) + np.sum(masses.mass) + np.sum(masses.spread))
    weight = mass * float(np.linalg.norm(masses.gravity)) * r.place
    d = np.linalg.norm(r.x[:, masses.ends[:, 1]] - r.x[:, masses.ends[:, 0]], axis=2)
    pull = np.abs(d - masses.rest) @ masses.k * r.place
    return np.asarray(weight + pull + 0.5 * float(np.sum(masses.k)) * r.place**2 + 0.5 * mass * r.speed**2)


def drive_rates(m: Mechanism, t: Floats) -> Floats:
    """How fast prescribed motions, which are laws of time, are meant to go.   (k, drivers)"""
    known: dict[str, float | Floats] = {**m.values, "t": t}
    laws = [motion.law if speeds_in(m.meaning(motion.target)) else law_rate(motion.law) for motion in m.motions]
    rates = evaluate_all(laws, known)
    return np.stack([np.broadcast_to(rate, t.shape) for rate in rates], axis=1) if rates else np.zeros((len(t), 0))


def find_rough_law(subject: Subject, r: Readings) -> tuple[str, float]:
    """The law that changes most abruptly over readings evenly spread in time, and how abruptly."""
    found = [(part, label, law) for part, label, law in all_laws(subject.mechanism) if not is_constant(law)]
    named = [(f"{part} ({label})", law) for part, label, law in found if part.kind not in ("variable", "event")]
    if not named:
        return "", 0.0
    laws = Laws(subject.mechanism, r, Bodies(subject.shapes, r))
    values = np.stack(laws.values([law for _, law in named]), axis=1)
    return find_rough([name for name, _ in named], values)


# -- ties --------------------------------------------------------------------------------------------------------------


def _closed(r: Readings, gaps: list[Gap]) -> list[Finding]:
    found = []
    for unit, allowed in (("m", r.place), ("rad", PLACES * r.tol + ROUNDING)):
        some = [gap for gap in gaps if gap[2] == unit]
        if some:
            amount = np.stack([gap for _, gap, _ in some], axis=1)
            law = "points stay where ties hold them" if unit == "m" else "directions and angles agree"
            found += worst(law, [label for label, _, _ in some], r.t, amount, allowed, unit)
    return found


def _moving(layout: Layout, r: Readings, rows: Rows) -> list[Finding]:
    """Rows times V: velocities that ties forbid, and those that drivers ask for."""
    if not rows.labels:
        return []
    values, row, column = rows.triplets()
    amount = np.zeros((layout.k, len(rows.labels)))
    sizes = np.zeros_like(amount)
    terms = values * layout.velocities[:, column]
    np.add.at(amount.T, row, terms.T)
    np.add.at(sizes.T, row, np.abs(terms).T)
    rates = np.stack(rows.rates, axis=1)
    allowed = r.speed[:, None] + ROUNDING * (sizes + np.abs(rates))
    # rows of angular velocities count as those of points at unit distance
    return worst("ties and drivers hold in velocities", rows.labels, r.t, np.abs(amount - rates), allowed, "m/s")


def _turning(m: Mechanism, layout: Layout, r: Readings) -> list[Finding]:
    """Rates of turn angles of parts are their angular velocities."""
    if m.dimension == 3 or not r.turns:
        return []
    rates = np.stack([rate - layout.bodies.omega[:, layout.part[name], 0] for name, (_, rate) in r.turns.items()], 1)
    fastest = np.max(np.abs(layout.bodies.omega), axis=(1, 2))
    # of a short part rounding of places and speeds makes more
    short = np.maximum(1.0, r.size / layout.bodies.drawn[[layout.part[name] for name in r.turns]])
    allowed = (r.order * PLACES * r.tol / r.h)[:, None] + (ROUNDING * (fastest + 1 / r.h))[:, None] * short
    names = [f"angle of {name}" for name in r.turns]
    return worst("turn angles change as parts turn", names, r.t, np.abs(rates), allowed, "rad/s")


def _states(m: Mechanism, laws: Laws, r: Readings) -> list[Finding]:
    """X' is the rate that is given for it."""
    if not m.states:
        return []
    wanted = np.stack(laws.values([state.rate for state in m.states]), axis=1)
    given = np.stack([r.states[state.name][1] for state in m.states], axis=1)
    scales = np.array([m.compute(state.scale) for state in m.states])
    allowed = r.order * PLACES * r.tol / r.h[:, None] * scales + share_of_forces(r.tol) * np.abs(wanted)
    # a stiff rate makes much of the errors that states and speeds may have
    errors = {
        s.name: r.order * PLACES * r.tol * np.maximum(x, np.abs(r.states[s.name][0]))
        for s, x in zip(m.states, scales, strict=True)
    }
    if r.damped:
        allowed = allowed + np.stack(laws.spread([state.rate for state in m.states], errors), axis=1)
    return worst(
        "states obey their rates", [f"state {s.name}" for s in m.states], r.t, np.abs(given - wanted), allowed, ""
    )


# -- Newton and Euler --------------------------------------------------------------------------------------------------


def _newton(layout: Layout, r: Readings, rows: Rows, mechanics: Mechanics) -> list[Finding]:
    """What is left of inertia minus forces when the ties have done what they can."""
    if not layout.count:
        return []
    weights, inertia = _weights(layout, r), _inertia(layout)
    needed, size = mechanics.needed.total / weights, mechanics.needed.size / weights
    groups, labels = _groups(layout), layout.labels

    def judge(which: Ints, shares: Floats | None) -> tuple[Floats, Floats]:
        left, held = _project(layout, rows, weights, needed, which, shares)
        amount = _by_group(left**2, groups, len(labels)) ** 0.5
        total = _by_group(size[which] + np.abs(held), groups, len(labels))
        # heavy neighbours are felt through the ties, hence the largest of all forces counts a little
        largest = np.max(total, axis=1, keepdims=True)
        allowed = share_of_forces(r.tol) * (total + SHARED * largest) + r.quickness[which, None] * inertia
        return amount, allowed

    amount, allowed = judge(np.arange(layout.k), None)
    excess = np.max(amount / np.where(allowed > 0, allowed, 1e-300), axis=1)
    suspects = np.flatnonzero(~(excess <= 1))
    if len(suspects) and layout.count <= DENSE:
        # a closer look puts what is left where it is allowed; of many some tell enough
        suspects = suspects[:: max(1, len(suspects) // SUSPECTS)]
        amount, allowed = judge(suspects, allowed[suspects][:, groups])
        return worst(NEWTON, _names(layout), r.t[suspects], amount, allowed, "N")
    return worst(NEWTON, _names(layout), r.t, amount, allowed, "N")


def _names(layout: Layout) -> list[str]:
    return [f"part {name}" if name in layout.part else f"point {name}" for name in layout.labels]


def _weights(layout: Layout, r: Readings) -> Floats:
    """What turns torques into forces: the size of the mechanism."""
    part = np.concatenate([np.ones(layout.d), np.full(layout.width - layout.d, r.size)])
    return np.concatenate([np.tile(part, len(layout.part)), np.ones(layout.d * len(layout.free))])


def _inertia(layout: Layout) -> Floats:
    """The mass behind every part and free point, with that of what hangs on its points."""
    m, s = layout.mechanism, layout.bodies.shapes
    mass = dict(zip(layout.labels, np.zeros(len(layout.labels)), strict=True))
    size = layout.readings.size
    for name, part, inertia in zip(s.names, s.mass, s.inertia, strict=True):
        mass[name] += part + float(np.max(np.abs(inertia), initial=0.0)) / size**2
    loads = [(p.point, m.compute(p.mass)) for p in m.particles]
    loads += [(point, m.compute(spring.mass)) for spring in m.springs for point in spring.points]
    for point, load in loads:
        owners = layout.owners.get(point, [])
        label = s.names[owners[0]] if owners else point
        if label in mass:
            mass[label] += load
    return np.array(list(mass.values()))


def _groups(layout: Layout) -> Ints:
    parts = np.repeat(np.arange(len(layout.part)), layout.width)
    return np.concatenate([parts, len(layout.part) + np.repeat(np.arange(len(layout.free)), layout.d)])


def _by_group(values: Floats, groups: Ints, count: int) -> Floats:
    """Sums over the columns of each part or point.   (k, columns) → (k, count)"""
    total = np.zeros((count, len(values)))
    np.add.at(total, groups, values.T)
    return total.T


def _project(
    layout: Layout, rows: Rows, weights: Floats, needed: Floats, which: Ints, shares: Floats | None
) -> tuple[Floats, Floats]:
    """What is left of forces that ties cannot exert, and what they exert, at some times.   two times (k, columns)

    With `shares` the remainder is the least in proportion to these, found exactly; without, the least, found quickly.
    """
    f = needed[which]
    if not rows.labels:
        return f, np.zeros_like(f)
    values, row, column = rows.triplets()
    values = values[which] / weights[column]
    if layout.count > DENSE:
        held = np.stack([_held_sparse(v, row, column, g, len(rows.labels)) for v, g in zip(values, f, strict=True)])
        return f - held, held
    J = np.zeros((len(rows.labels), layout.count, len(which)))
    np.add.at(J, (row, column), values.T)
    J = np.ascontiguousarray(np.moveaxis(J, 2, 0))
    if shares is None:
        held = _held_quickly(J, f)
    else:
        shares = np.maximum(shares, 1e-9 * np.max(shares, axis=1, keepdims=True))
        held = _held_exactly(J / shares[:, None, :], f / shares) * shares
    return f - held, held


def _held_quickly(J: Floats, f: Floats) -> Floats:
    """The part of f in the range of Jᵀ, by damped normal equations that are repeated on what is left."""
    N = J @ np.swapaxes(J, 1, 2)
    damping = np.maximum(DAMPING * np.trace(N, axis1=1, axis2=2), 1e-300)
    N[:, np.arange(N.shape[1]), np.arange(N.shape[1])] += damping[:, None]
    inverse = np.linalg.inv(N)
    held = np.zeros_like(f)
    for _ in range(3):
        held = held + np.einsum("kij,ki->kj", J, np.einsum("kij,kj->ki", inverse, np.einsum("kij,kj->ki", J, f - held)))
    return np.asarray(held)


def _held_exactly(J: Floats, f: Floats) -> Floats:
    """The same by singular values, also where ties are nearly redundant; rows of like size."""
    J = J / np.maximum(np.linalg.norm(J, axis=2, keepdims=True), 1e-300)
    _, sizes, V = np.linalg.svd(J, full_matrices=False)
    along = np.where(sizes > CUT * sizes[:, :1], np.einsum("kij,kj->ki", V, f), 0.0)
    return np.asarray(np.einsum("kij,ki->kj", V, along))


def _held_sparse(values: Floats, row: list[int], column: list[int], f: Floats, count: int) -> Floats:
    """The same for many parts."""
    J = csc_array((values, (row, column)), shape=(count, len(f)))
    N = csc_array(J @ J.T)
    from scipy.sparse.linalg import splu  # a heavy import

    solve = splu(csc_array(N + DAMPING * abs(N).max() * eye_array(count))).solve
    held = np.zeros_like(f)
    for _ in range(20):
        more = np.asarray(J.T @ solve(np.asarray(J @ (f - held))))
        held = held + more
        if np.linalg.norm(more) <= 1e-12 * np.linalg.norm(f):
            break
    return held
