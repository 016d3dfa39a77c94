"""What a start must be before it is handed out: a System at a state in, nothing or a StartError in words out.

Inertia and constraints must have values, and a constraint must have a direction: where the derivatives of g vanish on
all its solutions, as those of a square do, G says nothing of it and no force can keep it; where they jump on all its
solutions, as those of |f| do, G says one thing on this side and another one on that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.equations import System
from linkwork.equations.happenings import list_ends
from linkwork.errors import Ref, StartError
from linkwork.model import Mechanism
from linkwork.native.numbers import compute_all_entries, compute_matrices, compute_watch
from linkwork.solve.constraints import Constraints
from linkwork.solve.start.closing import CLOSED, close
from linkwork.solve.start.wanted import Wanted

FLAT = 1e-5  # of the derivatives around: smaller ones vanish
AROUND = 8  # places around a start that are looked at
NEAR = 0.02  # how far away they are, in scales
SIDES = (1e-6, 1e-8)  # and how far from a solution both its sides are looked at: a jump is as large however near
MET = 1e-9  # of what vanishes where a joint ceases to work, in scales: less is rounding
JUMP = 0.1  # of the derivatives from side to side, relative to their size: more is no curvature
VANISH = (
    "vanish",
    "a square or of a sum of squares do: no force can keep that. Write each condition by itself, f = 0 instead of "
    "f**2 = 0",
)
JUMPING = (
    "jump",
    "abs(f) do: no force can keep that. Write f = 0 instead of abs(f) = 0; an inequality is no constraint",
)


def check_values(system: System, q: Floats, t: float) -> None:
    """Inertia and the derivatives of constraints must be finite; name what is not."""
    values = compute_all_entries(system, q, t)
    if np.isfinite(values).all():
        return
    M, G = (A.tocoo() for A in compute_matrices(system, q, t))
    rows = np.unique(G.row[~np.isfinite(G.data)])
    masses = np.unique(M.row[~np.isfinite(M.data)])
    names = [system.constraints[i] for i in rows] or [f"inertia of {system.coordinates[i]}" for i in masses]
    if names:
        raise StartError(f"not finite at the start: {', '.join(names[:5])}. Start elsewhere, or check the formulas")


def check_wheels(wanted: Wanted, q: Floats) -> None:
    """A thin wheel that lies flat touches its plane everywhere: the slopes of its contact jump from side to side."""
    c = wanted.constraints.plain
    rows = [wanted.system.rows[i] for i in c.rows]
    touching = [i for i, row in enumerate(rows) if row.kind == "contact"]
    if not touching or not c.dense:
        return
    flat = _jumps(c, q[:, None], wanted.system.scales)[:, 0]
    wheels = [rows[i].owner for i in touching if flat[i]]
    if wheels:
        raise lies_flat(wheels)


def lies_flat(wheels: Sequence[Ref]) -> StartError:
    """That wheels lie flat."""
    names = " and of ".join(str(wheel.name) for wheel in wheels)
    words = f"the wheel of {names} lies flat on its plane, which it touches everywhere. Let it lean less"
    return StartError(words, parts=wheels)


def refuse_turned(wanted: Wanted) -> StartError | None:
    """What is wrong if the positions close but for joints that they turn over."""
    c, position = wanted.constraints.plain, wanted.position.values[:, None]
    if not wanted.turned or close(c, position, wanted.free, wanted.reach).gaps[0] > CLOSED:
        return None
    names = ", ".join(f"'{joint.name}'" for joint in wanted.turned[:5])
    words = (
        f"the positions turn the axes of the frames of joint {names} against each other, and there is no way to "
        "assemble it with axes that point the same way. Reverse the axis of one of the two frames"
    )
    return StartError(words, parts=wanted.turned)


def check_ends(m: Mechanism, system: System, q: Floats, u: Floats, t: float) -> None:
    """No joint may start where it ceases to work, as a gear does whose centres meet."""
    watches = {watch.name: watch for watch in system.watches}
    for joint, name, _ in list_ends(m):
        value = float(compute_watch(system, watches[name], q, u, t)) if name in watches else np.inf
        if abs(value) <= MET * float(system.scales.max()):
            remedy = "it works on one side of that only. Start elsewhere, or remove what holds it there"
            raise StartError(f"{name} at the start, and {remedy}", conflict=[name], parts=[joint])


def check_directions(wanted: Wanted, q: Floats) -> None:
    """The derivatives of a constraint may vanish or jump at the start, but not wherever it is met."""
    c, scales = wanted.constraints.plain, wanted.system.scales
    if c.m == 0:
        return
    shifts = NEAR * np.random.default_rng(3).uniform(-1.0, 1.0, (len(q), AROUND))
    around = q[:, None] + scales[:, None] * shifts
    usual = np.median(np.nan_to_num(c.row_sizes(around), posinf=0.0), axis=1)
    flat, bent = _find_flat(c, q, usual), _find_bent(c, q[:, None], scales).any(axis=1)
    if not (flat | bent).any():
        return
    # so it is at the start: how is it wherever else the constraints are met that were not
    Q, gaps, _ = close(c, around, np.arange(len(q)), scales)
    met = Q[:, (gaps <= CLOSED) & (np.max(c.gaps(around), axis=0) > CLOSED)]
    flat &= ~(c.row_sizes(met) > FLAT * usual[:, None]).any(axis=1)
    bent &= _find_bent(c, met, scales).all(axis=1) & (met.shape[1] > 0)
    for which, (what, like) in ((flat, VANISH), (bent, JUMPING)):
        if names := [wanted.system.constraints[i] for i in c.rows[which]]:
            where = f"{what} where {'it is' if len(names) == 1 else 'they are'} met"
            raise StartError(f"the derivatives of {', '.join(names[:5])} {where}, as those of {like}", conflict=names)


def _find_flat(c: Constraints, q: Floats, usual: Floats) -> Bools:
    """Whether each constraint is without a direction at q, although it has one around it."""
    return np.asarray((usual > 0) & (c.row_sizes(q[:, None])[:, 0] <= FLAT * usual))


def _find_bent(c: Constraints, Q: Floats, scales: Floats) -> Bools:
    """Whether the derivatives of each constraint jump at some states, from one side to the other.   → (m, k)"""
    if not (c.cornered.any() and c.dense and Q.shape[1]):
        return np.zeros((c.m, Q.shape[1]), dtype=bool)
    return _jumps(c, Q, scales) & c.cornered[:, None]


def _jumps(c: Constraints, Q: Floats, scales: Floats) -> Bools:
    found = np.zeros((c.m, Q.shape[1]), dtype=bool)
    across = np.random.default_rng(4).choice([-1.0, 1.0], (AROUND, len(scales))) * scales
    for direction in across:
        jumps = np.ones_like(found)
        for far in SIDES:
            ahead, behind = (c.matrices(Q + s * far * direction[:, None]) * scales for s in (1.0, -1.0))
            sizes = np.maximum(np.linalg.norm(ahead, axis=2), np.linalg.norm(behind, axis=2))
            jumps &= (np.linalg.norm(ahead - behind, axis=2) > JUMP * sizes).T
        found |= jumps
    return found
