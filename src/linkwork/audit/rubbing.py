"""Laws of what only pushes and of dry friction: which way it acts, how much it holds, by the formulas of a description.

sliding     F = −limit v/|v|                    whatever way the run says that it slides
sticking    |F| ≤ hold                          F by the motion, shared anew where several hold together
closed      a stop pushes: its force is not negative
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.arrays import Floats
from linkwork.audit.findings import Finding, worst
from linkwork.audit.laws import Laws
from linkwork.audit.layout import Layout, Rows
from linkwork.audit.readings import Readings, share_of_forces
from linkwork.audit.relations import measure_rate
from linkwork.model import Friction, Mechanism
from linkwork.symbolic import Expr

SLIDING = "sliding friction is its limit against the speed"
STICKING = "sticking friction is within its hold"
PUSHING = "closed stops push"
SUSPECTS = 8  # times at which forces that hold together are shared anew
NULL = 1e-9  # of the largest: a direction in which forces do nothing
MANY = 64  # directions that stand for all, where forces have two components
CLEAR = 4.0  # times what a speed may be off: it has a sign


def audit_rubbing(m: Mechanism, layout: Layout, laws: Laws, rows: Rows) -> list[Finding]:
    """The laws of friction and of stops; `rows` are those of all ties, friction that sticks among them."""
    if not m.frictions and not m.stops:
        return []
    r = layout.readings
    stuck = [x for x in m.frictions if is_stuck(m, x)]
    found = _slide(laws, r, [x for x in m.frictions if not is_stuck(m, x)])
    found += _stick(layout, laws, rows, stuck)
    forces = {stop.name: force for stop in m.stops if (force := _find_force(r, stop.name)) is not None}
    if forces:
        push = np.stack(list(forces.values()), axis=1)
        largest = np.max(np.abs(push), axis=1, keepdims=True) + _felt(laws, r)[:, None]
        allowed = share_of_forces(r.tol) * largest + r.quickness[:, None] * _mass(laws)
        found += worst(PUSHING, [f"stop {name}" for name in forces], r.t, np.maximum(-push, 0.0), allowed, "N")
    return found


def is_stuck(m: Mechanism, friction: Friction) -> bool:
    """Whether a friction holds, in the description of a phase."""
    held = {x.name for x in m.velocity_constraints}
    return held.issuperset(friction.rows)


def _find_force(r: Readings, name: str) -> Floats | None:
    return next(
        (r.driving[f"{kind} {name}"] for kind in ("relation", "velocity") if f"{kind} {name}" in r.driving), None
    )


def _mass(laws: Laws) -> float:
    return float(np.sum(laws.bodies.shapes.mass)) + sum(
        laws.mechanism.compute(p.mass) for p in laws.mechanism.particles
    )


def _felt(laws: Laws, r: Readings) -> Floats:
    """The weight and inertia of everything, beside which a force is nothing."""
    return np.asarray(_mass(laws) * np.max(np.linalg.norm(r.a, axis=2), axis=1, initial=0.0))


def _slide(laws: Laws, r: Readings, frictions: Sequence[Friction]) -> list[Finding]:
    amounts, limits = [], []
    for friction in frictions:
        n = len(friction.speeds)
        exprs: list[Expr] = [*friction.speeds, *friction.forces, friction.limit]
        values = laws.values(exprs)
        v, force, limit = np.stack(values[:n], 1), np.stack(values[n : 2 * n], 1), values[-1]
        off = np.linalg.norm(np.stack(laws.spread(friction.speeds), 1), axis=1)
        speed = np.linalg.norm(v, axis=1)
        against = -limit[:, None] * v / np.where(speed > 0.0, speed, 1.0)[:, None]
        clear = speed > CLEAR * off
        missed = np.linalg.norm(force - against, axis=1)
        # near its turning point a direction is not known, a size is
        amounts.append(np.where(clear, missed, np.maximum(np.linalg.norm(force, axis=1) - np.abs(limit), 0.0)))
        turned = np.where(n > 1, 2.0 * np.minimum(off / np.where(speed > 0.0, speed, 1.0), 1.0), 0.0)
        limits.append((share_of_forces(r.tol) + turned) * (np.abs(limit) + 1e-9 * _felt(laws, r)))
    if not amounts:
        return []
    names = [f"friction {x.name}" for x in frictions]
    return worst(SLIDING, names, r.t, np.stack(amounts, axis=1), np.stack(limits, axis=1), "N")


def _stick(layout: Layout, laws: Laws, rows: Rows, frictions: Sequence[Friction]) -> list[Finding]:
    r = layout.readings
    known = [x for x in frictions if all(f"velocity {row}" in r.driving for row in x.rows)]
    if not known:
        return []
    holds = np.stack([np.maximum(*laws.values([x.hold, x.limit])) for x in known], axis=1)
    forces = [np.stack([r.driving[f"velocity {row}"] for row in x.rows], axis=1) for x in known]
    sizes = np.stack([np.linalg.norm(force, axis=1) for force in forces], axis=1)
    felt = _felt(laws, r)[:, None]
    allowed = share_of_forces(r.tol) * (np.abs(holds) + felt) + r.quickness[:, None] * _mass(laws)
    over = sizes - holds
    suspects = np.flatnonzero((over > allowed).any(axis=1))
    for k in suspects[:: max(1, len(suspects) // SUSPECTS)].tolist() if len(known) > 1 else ():
        shared = _share(layout, laws, rows, known, np.concatenate([f[k] for f in forces]), holds[k], k)
        over[k] = np.minimum(over[k], shared - holds[k])
    if len(known) > 1 and len(suspects):
        chosen = suspects[:: max(1, len(suspects) // SUSPECTS)]
        over, allowed, t = over[chosen], allowed[chosen], r.t[chosen]
    else:
        t = r.t
    return worst(STICKING, [f"friction {x.name}" for x in known], t, np.maximum(over, 0.0), allowed, "N")


def _share(
    layout: Layout, laws: Laws, rows: Rows, frictions: Sequence[Friction], forces: Floats, holds: Floats, k: int
) -> Floats:
    """The sizes of forces that do what some do, with the least share of their holds."""
    from scipy.optimize import linprog  # a heavy import

    sizes = [len(x.speeds) for x in frictions]
    first = [rows.labels.index(f"velocity {name}") for x in frictions for name in x.rows]
    scale = np.array([measure_rate(laws, speed) for x in frictions for speed in x.speeds])
    others = [i for i in range(len(rows.labels)) if i not in first]
    # forces that do nothing together: Jᵀ y = 0, of rows of length one
    J = _dense(rows, k, layout.count)[[*first, *others]]
    lengths = np.maximum(np.linalg.norm(J, axis=1), 1e-300)
    U, sigma, _ = np.linalg.svd(J / lengths[:, None])
    rank = int(np.sum(sigma > NULL * np.max(sigma, initial=0.0)))
    free = (U[:, rank:] / lengths[:, None])[: len(first)] / scale[:, None]
    if not free.size:
        return np.array([np.linalg.norm(x) for x in np.split(forces, np.cumsum(sizes)[:-1])])
    A, b, begin = [], [], 0
    for hold, n in zip(holds, sizes, strict=True):
        angle = 2 * np.pi * np.arange(MANY) / MANY
        C = np.array([[1.0], [-1.0]]) if n == 1 else np.column_stack([np.cos(angle), np.sin(angle)])
        part = slice(begin, begin + n)
        A += [np.hstack([C @ free[part], np.full((len(C), 1), -max(float(hold), 1e-12))])]
        b += [-C @ forces[part]]
        begin += n
    y = linprog([*np.zeros(free.shape[1]), 1.0], A_ub=np.vstack(A), b_ub=np.concatenate(b), bounds=(None, None)).x
    shared = forces if y is None else forces + free @ y[:-1]
    return np.array([np.linalg.norm(x) for x in np.split(shared, np.cumsum(sizes)[:-1])])


def _dense(rows: Rows, k: int, columns: int) -> Floats:
    values, row, column = rows.triplets()
    found = np.zeros((len(rows.labels), columns))
    np.add.at(found, (row, column), values[k])
    return found
