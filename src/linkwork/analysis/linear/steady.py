"""Steady motion: a mechanism whose states keep their speeds. Linear models in, the state where nothing accelerates out.

The speeds W stay as they are at the start; the places S and first-order states X change by Newton's method until
Ẇ(S, W, X) = 0 and Ẋ(S, W, X) = 0:

    ∂(Ẇ, Ẋ)/∂(S, X) (ΔS, ΔX) = −(Ẇ, Ẋ)      in the least-norm sense: what does not matter (the angle of a rotor) stays
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import vstack

from linkwork.analysis.linear.closing import Closing
from linkwork.analysis.linear.linearize import linearize
from linkwork.analysis.linear.measures import measure_states
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.linear.sensitivity import factorise
from linkwork.equations import System
from linkwork.equations.words import Vocabulary, Wording
from linkwork.errors import SolveError
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.native.numbers import compute_levels, compute_matrices
from linkwork.native.tangents import Point

Floats = NDArray[np.float64]

ROUNDS = 30
LONGEST = 0.2  # of the states' sizes in one step
STEADY = 1e-12  # steps below this are the last


def find_steady(
    model: Mechanism | Lagrangian, system: System, t: float, q: Floats, u: Floats, states: Sequence[Scalar]
) -> tuple[Floats, Floats]:
    """Positions and speeds of the steady motion near a state."""
    linear = linearize(model, system, t, q, u, states=states)
    words = Vocabulary(model, system)
    given = [words.read("state", text) for text in states]
    named = {w.name: w for w in given}
    S = [named.get(name) or words.read("state", name) for name in linear.states]
    W = [w for w in S if w.rate_name in linear.speeds]
    z, last = len(S), len(S) + len(W)
    kept, X, closing = linear.values[z:last], linear.values[last:], Closing(system, t, q)
    free = [*range(z), *range(last, len(linear.names))]
    for _ in range(ROUNDS):
        sizes = linear.sizes[free]
        step = np.linalg.lstsq(linear.A[z:, free] * sizes, -linear.rates[z:], rcond=1e-10)[0]
        length = float(np.max(np.abs(step), initial=0.0))
        change = sizes * step * min(1.0, LONGEST / max(length, 1e-300))
        q, X = closing.close(linear.at.q + linear.positions[:, :z] @ change[:z]), X + change[z:]
        u = _speeds(system, t, q, W, np.concatenate([kept, X]), model.values)
        linear = linearize(model, system, t, q, u, states=[*states, *linear.states[len(states) :]])
        if length <= STEADY:
            break
    if linear.balanced:
        return q, u
    worst = max(linear.residual, key=lambda name: abs(linear.residual[name]))
    raise SolveError(
        f"no steady motion was found: {worst} keeps changing by {linear.residual[worst]:.3g}. "
        f"Choose states whose speeds can stay as they are"
    )


def _speeds(
    system: System, t: float, q: Floats, W: Sequence[Wording], kept: Floats, values: Mapping[str, float]
) -> Floats:
    """Speeds that meet the constraints with the speeds of the states kept, and first-order states behind them:

    G u = −g_t,   w_q u = W − w_t
    """
    zero, none = np.zeros(system.n), np.zeros(system.m)
    still = measure_states(system, W, Point(t=t, q=q, u=zero, a=zero, lam=none), values)
    G = compute_matrices(system, q, t)[1].tocsr()
    rows = select_states(G, still.by["s_q"], system.scales).rows
    drift = compute_levels(system, q, zero, zero, t)[1][rows]
    lu = factorise(vstack([G[rows], still.by["s_q"], system.held], format="csr"), "speeds")
    offset = np.concatenate([still.values["s1"], np.zeros(len(system.states))])
    found: Floats = lu.solve(np.concatenate([-drift, kept - offset]))
    return found
