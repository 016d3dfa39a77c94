"""Dry friction at a state: which grips stick and which way the others slide.

All that stand still are taken to stick; a grip that would need more than it can hold slides the way it is pulled, with
the force of sliding, and the others are asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import csc_array

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.errors import SolveError
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual, compute_watch
from linkwork.native.saddle import Saddle

Ways = dict[str, float]  # of grips: 1 or −1 for sliding forwards or backwards, 0 for sticking


def settle_grips(
    system: System, t: float, q: Floats, u: Floats, held: Ints, moving: Mapping[str, float]
) -> tuple[Floats, Ways]:
    """q with the ways in which grips slide, and these ways.

    held    constraints that hold, those of grips not among them
    moving  which way each grip moves, 0 where it stands still
    """
    M, G = compute_matrices(system, q, t)
    ways = dict(moving)
    for _ in range(len(system.grips) + 1):
        q = system.with_inputs(q, {grip.sliding: ways[grip.name] for grip in system.grips})
        stuck = [grip for grip in system.grips if not ways[grip.name]]
        if not stuck:
            break
        forces = find_forces(system, t, q, u, M, G, held, stuck)
        holds = [_check_hold(system, grip, t, q, u) for grip in stuck]
        over = np.abs(forces) - np.array(holds)
        worst = int(np.argmax(over))
        if not over[worst] > 0.0:
            break
        # the force of friction is −λ, and that of sliding against the way it slides
        ways[stuck[worst].name] = 1.0 if forces[worst] > 0.0 else -1.0
    return q, ways


def _check_hold(system: System, grip: Grip, t: float, q: Floats, u: Floats) -> float:
    hold = float(read_hold(system, grip, np.array([t]), q[None], u[None])[0])
    if not hold >= 0.0:
        words = f"friction '{grip.name}' holds {hold:g} at t = {t:.9g}"
        raise SolveError(f"{words}. Its limit and hold are forces that are not negative")
    return hold


def find_forces(
    system: System, t: float, q: Floats, u: Floats, M: csc_array, G: csc_array, held: Ints, stuck: Sequence[Grip]
) -> Floats:
    """The multipliers of grips that stick."""
    rows = np.array([*held, *(grip.row for grip in stuck)], dtype=np.int64)
    zero = np.zeros_like(u)
    f = -compute_residual(system, q, u, zero, np.zeros(system.m), t)
    _, _, bias = compute_levels(system, q, u, zero, t)
    _, lam = Saddle(M, G[rows], "accelerations", soft=True).solve(f, -bias[rows])
    return lam[len(held) :]


def read_hold(system: System, grip: Grip, t: Floats, q: Floats, u: Floats) -> Floats:
    """The largest force with which a grip sticks, at some states.   q, u: (k, n)  →  (k,)"""
    return np.broadcast_to(compute_watch(system, system.readings[grip.hold], q.T, u.T, t), t.shape)
