"""Dry friction at a state: which grips stick and which way the others slide.

All that stand still are taken to stick; a grip that would need more than it can hold slides the way it is pulled, with
the force of sliding, and the others are asked again. A grip of two speeds has one way to slide, 1, and a lead: where
to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.errors import SolveError
from linkwork.native.instant import Instant, Instants
from linkwork.native.loops import close_loops
from linkwork.native.numbers import compute_watch
from linkwork.native.rank import split
from linkwork.native.saddle import Saddle

DEPENDENT = 1e-9  # of a row, in sizes: what constraints leave of one that follows from them

Ways = dict[str, float]  # of grips: 1 or −1 for sliding forwards or backwards, 0 for standing still


def settle_grips(
    instants: Instants, at: Instant, held: Ints, moving: Ways, leads: dict[str, Floats]
) -> tuple[Instant, Ways, set[int]]:
    """The instant with the ways in which grips slide, these ways, and the rows of those that stick.

    held    constraints that hold, those of grips not among them
    moving  which way each grip moves, 0 where it stands still
    leads   of grips of two speeds: where to they slide, as a speed next to nothing; changed where they begin to
    """
    system, ways = instants.system, dict(moving)
    for _ in range(len(system.grips) + 1):
        q = system.with_inputs(at.q, find_inputs(system, ways, leads))
        idle = find_idle(system, at, held, ways)
        rows = {g.name: [row for row in g.rows if row not in idle] for g in system.grips if not ways[g.name]}
        stuck = [grip for grip in system.grips if rows.get(grip.name)]
        gripping = [row for grip in stuck for row in rows[grip.name]]
        if system.algebra:
            # what it holds may depend on the forces of what holds
            q = close_loops(system, at.t, q, at.u, np.array([*held, *gripping], dtype=np.int64)).q
        at = instants.at(at.t, q, at.u)
        if not stuck:
            break
        forces = find_forces(at, held, gripping)
        pulls = [np.array([forces[gripping.index(row)] if row in gripping else 0.0 for row in g.rows]) for g in stuck]
        over = [float(np.linalg.norm(x)) - _check_hold(grip, at) for grip, x in zip(stuck, pulls, strict=True)]
        worst = int(np.argmax(over))
        if not over[worst] > 0.0:
            break
        # the force of friction is −λ, and that of sliding against the way it slides
        name, pull = stuck[worst].name, pulls[worst]
        ways[name] = 1.0 if name in leads or pull[0] > 0.0 else -1.0
        if name in leads:
            leads[name] = pull * (np.linalg.norm(leads[name]) / np.linalg.norm(pull))
    return at, ways, set(gripping) if stuck else set()


def find_inputs(system: System, ways: Ways, leads: dict[str, Floats]) -> dict[str, float]:
    """What the inputs of grips are."""
    found = {grip.sliding: ways[grip.name] for grip in system.grips}
    for grip in system.grips:
        found |= dict(zip(grip.leads, leads[grip.name].tolist(), strict=True)) if grip.leads else {}
    return found


def find_idle(system: System, at: Instant, held: Ints, ways: Ways) -> set[int]:
    """The rows of grips that stand still where constraints let nothing move: they have nothing to hold."""
    rows = [row for grip in system.grips if not ways[grip.name] for row in grip.rows]
    if not rows or not len(held):
        return set()
    G, J = (x if isinstance(x, np.ndarray) else x.toarray() for x in (at.G[held], at.G[rows]))
    G, J = G * system.scales, J * system.scales
    left = J @ split(G).right
    gone = np.max(np.abs(left), axis=1, initial=0.0) <= DEPENDENT * np.max(np.abs(J), axis=1)
    return {row for row, idle in zip(rows, gone.tolist(), strict=True) if idle}


def _check_hold(grip: Grip, at: Instant) -> float:
    hold = float(at.readings[grip.hold])
    if not hold >= 0.0:
        words = f"friction '{grip.name}' holds {hold:g} at t = {at.t:.9g}"
        raise SolveError(f"{words}. Its limit and hold are forces that are not negative")
    return hold


def find_forces(at: Instant, held: Ints, gripping: Sequence[int]) -> Floats:
    """The multipliers of grips that stick, by their rows."""
    rows = np.array([*held, *gripping], dtype=np.int64)
    _, lam = Saddle(at.M, at.G[rows], "accelerations", soft=True).solve(at.f, -at.bias[rows])
    return lam[len(held) :]


def read_hold(system: System, grip: Grip, t: Floats, q: Floats, u: Floats) -> Floats:
    """The largest force with which a grip sticks, at some states.   q, u: (k, n)  →  (k,)"""
    return np.broadcast_to(compute_watch(system, system.readings[grip.hold], q.T, u.T, t), t.shape)
