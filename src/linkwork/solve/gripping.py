"""Dry friction at a state: which grips stick and which way the others slide.

All that stand still are taken to stick; a grip that would need more than it can hold slides the way it is pulled, with
the force of sliding, and the others are asked again.
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


def settle_grips(instants: Instants, at: Instant, held: Ints, moving: Ways) -> tuple[Instant, Ways, set[int]]:
    """The instant with the ways in which grips slide, these ways, and the rows of those that stick.

    held    constraints that hold, those of grips not among them
    moving  which way each grip moves, 0 where it stands still
    """
    system, ways = instants.system, dict(moving)
    for _ in range(len(system.grips) + 1):
        q = system.with_inputs(at.q, {grip.sliding: ways[grip.name] for grip in system.grips})
        idle = find_idle(system, at, held, ways)
        stuck = [grip for grip in system.grips if not ways[grip.name] and grip.row not in idle]
        if system.algebra:
            # what it holds may depend on the forces of what holds
            rows = np.array([*held, *(grip.row for grip in stuck)], dtype=np.int64)
            q = close_loops(system, at.t, q, at.u, rows).q
        at = instants.at(at.t, q, at.u)
        if not stuck:
            break
        forces = find_forces(at, held, stuck)
        over = np.abs(forces) - np.array([_check_hold(grip, at) for grip in stuck])
        worst = int(np.argmax(over))
        if not over[worst] > 0.0:
            break
        # the force of friction is −λ, and that of sliding against the way it slides
        ways[stuck[worst].name] = 1.0 if forces[worst] > 0.0 else -1.0
    return at, ways, {grip.row for grip in stuck}


def find_idle(system: System, at: Instant, held: Ints, ways: Ways) -> set[int]:
    """The rows of grips that stand still where constraints let nothing move: they have nothing to hold."""
    rows = [grip.row for grip in system.grips if not ways[grip.name]]
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


def find_forces(at: Instant, held: Ints, stuck: Sequence[Grip]) -> Floats:
    """The multipliers of grips that stick."""
    rows = np.array([*held, *(grip.row for grip in stuck)], dtype=np.int64)
    _, lam = Saddle(at.M, at.G[rows], "accelerations", soft=True).solve(at.f, -at.bias[rows])
    return lam[len(held) :]


def read_hold(system: System, grip: Grip, t: Floats, q: Floats, u: Floats) -> Floats:
    """The largest force with which a grip sticks, at some states.   q, u: (k, n)  →  (k,)"""
    return np.broadcast_to(compute_watch(system, system.readings[grip.hold], q.T, u.T, t), t.shape)
