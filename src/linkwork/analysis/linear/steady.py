"""Steady motion: a mechanism whose states keep their speeds. Linear models in, the state where nothing accelerates out.

The speeds W stay as they are at the start; the places S change by Newton's method until Ẇ(S, W) = 0:

    ∂Ẇ/∂S ΔS = −Ẇ          in the least-norm sense: what does not matter (the angle of a rotor) stays
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from linkwork.analysis.linear.model import Linear
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.linear.sensitivity import factorise
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.native.numbers import compute_levels, compute_matrices

Floats = NDArray[np.float64]

ROUNDS = 60
LONGEST = 0.2  # of the states' sizes in one step
STEADY = 1e-13  # steps below this are the last


def find_steady(q: Floats, u: Floats, make: Callable[[Floats, Floats], Linear]) -> tuple[Floats, Floats]:
    """Positions and speeds of the steady motion near a state; `make` linearises there."""
    linear = make(q, u)
    kept = linear.values[len(linear.states) :]
    for _ in range(ROUNDS):
        z = len(linear.states)
        sizes = linear.sizes[:z]
        slope = linear.A[z:, :z] * sizes
        step = np.linalg.lstsq(slope, -linear.rates[z:], rcond=1e-10)[0]
        if not np.isfinite(step).all():
            break
        length = float(np.max(np.abs(step), initial=0.0))
        change = sizes * step * min(1.0, LONGEST / max(length, 1e-300))
        q, u = _moved(linear, change, kept)
        linear = make(q, u)
        if length <= STEADY:
            break
    if linear.balanced:
        return q, u
    worst = max(linear.residual, key=lambda name: abs(linear.residual[name]))
    raise SolveError(
        f"no steady motion was found: {worst} keeps changing by {linear.residual[worst]:.3g}. "
        f"Choose states whose speeds can stay as they are"
    )


def _moved(linear: Linear, change: Floats, kept: Floats) -> tuple[Floats, Floats]:
    """The places changed along the constraints, and speeds that meet them with the states' speeds kept."""
    system, t, z = linear.system, linear.at.t, len(linear.states)
    q = _close(system, t, linear.at.q + linear.positions[:, :z] @ change)
    # the gradient of the states' speeds: where u belongs to W, W = w_q u + w_t
    w_q = linear.gradient
    w_t = linear.values[z:] - w_q @ linear.at.u
    G = compute_matrices(system, q, t)[1].tocsr()
    rows = select_states(G, w_q, system.scales).rows
    zero = np.zeros(system.n)
    drift = compute_levels(system, q, zero, zero, t)[1]
    u = factorise(vstack([G[rows], w_q], format="csr"), "speeds").solve(np.concatenate([-drift[rows], kept - w_t]))
    return q, u


def _close(system: System, t: float, q: Floats) -> Floats:
    """Back onto the constraints of positions, the nearest way."""
    s, zero = system.scales, np.zeros(system.n)
    rows = np.flatnonzero(system.holonomic)
    for _ in range(20):
        g = compute_levels(system, q, zero, zero, t)[0][rows]
        G = compute_matrices(system, q, t)[1].tocsr()[rows].toarray() * s
        step = s * np.linalg.lstsq(G, -g, rcond=1e-10)[0] if len(rows) else zero
        q = q + step
        if np.max(np.abs(step) / s, initial=0.0) <= STEADY:
            break
    return q
