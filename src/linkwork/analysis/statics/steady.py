"""Steady motion: a mechanism whose states keep their speeds. Linear models in, the state where nothing accelerates out.

The speeds W stay as they are at the start; the places S and first-order states X change by Newton's method until
Ẇ(S, W, X) = 0 and Ẋ(S, W, X) = 0:

    ∂(Ẇ, Ẋ)/∂(S, X) (ΔS, ΔX) = −(Ẇ, Ẋ)      in the least-norm sense: what does not matter (the angle of a rotor) stays
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.sparse import vstack

from linkwork.analysis.linear.linearize import linearize
from linkwork.analysis.linear.measures import measure_states
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.statics.closing import Closing
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.equations.words import Vocabulary, Wording
from linkwork.errors import InputError, SolveError
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.native.numbers import compute_levels, compute_matrices
from linkwork.native.saddle import factorise
from linkwork.native.tangents import Point
from linkwork.solve.mode import Mode

ROUNDS = 30
LONGEST = 0.2  # of the states' sizes in one step
STEADY = 1e-12  # steps below this are the last
MOMENTARY = 1e-9  # accelerations below this, in the sizes of the states, are none
PATIENCE = 6  # rounds in which the accelerations may fail to shrink
HALVINGS = 3  # of a step on which the constraints cannot be kept


def find_steady(model: Mechanism | Lagrangian, mode: Mode, states: Sequence[Scalar]) -> Mode:
    """The steady motion near a state, with what holds there."""
    system = mode.system
    if system.algebra:
        raise SolveError(f"steady motions are not sought where laws use {system.algebra[0].name}")
    if system.opaque:
        raise SolveError(f"steady motions are not sought where laws call '{system.opaque[0].function.name}'")
    search = _Search(model, mode, states)
    least, waiting = np.inf, 0
    for _ in range(ROUNDS):
        check_time("the search for a steady motion")
        if search.advance() <= STEADY:
            break
        least, waiting = (search.unrest, 0) if search.unrest < 0.9 * least else (least, waiting + 1)
        if waiting > PATIENCE:
            break
    linear = search.linear
    if linear.balanced:
        found = mode.at(linear.at.q, linear.at.u)
        if linearize(model, found, states=states).balanced:
            return found
        raise SolveError(f"a motion was found that is steady in the states {', '.join(linear.states)}. Give these")
    worst = max(linear.residual, key=lambda name: abs(linear.residual[name]))
    changing = f"{worst} keeps changing by {linear.residual[worst]:.3g}"
    if search.unrest <= MOMENTARY:
        changing = "for a moment nothing accelerates, but that does not last"
    remedy = "Choose states whose speeds can stay as they are, or look for an equilibrium"
    raise SolveError(f"no steady motion was found: {changing}. {remedy}")


class _Search:
    """Newton's method from one linear model to the next."""

    def __init__(self, model: Mechanism | Lagrangian, mode: Mode, states: Sequence[Scalar]) -> None:
        self.model, self.mode, self.states = model, mode, states
        self.system, self.t = mode.system, mode.t
        self._choose(mode.q, mode.u[: self.system.n])

    def _choose(self, q: Floats, u: Floats) -> None:
        """States with which the search can go on from here, those given first; their speeds are kept."""
        self.linear = linear = linearize(self.model, self.mode.at(q, u), states=self.states)
        words = Vocabulary(self.model, self.system)
        named = {w.name: w for w in (words.read("state", text) for text in self.states)}
        self.S = [named.get(name) or words.read("state", name) for name in linear.states]
        self.W = [w for w in self.S if w.rate_name in linear.speeds]
        z, last = len(self.S), len(self.S) + len(self.W)
        self.kept, self.X = linear.values[z:last], linear.values[last:]
        self.closing = Closing(self.system, self.t, q)

    @property
    def unrest(self) -> float:
        """How much still accelerates."""
        z = len(self.S)
        return float(np.max(np.abs(self.linear.rates[z:]) / self.linear.sizes[z:], initial=0.0))

    def advance(self) -> float:
        """One step, and how long it would have been, in the sizes of the states; infinite if these had to change."""
        linear, z = self.linear, len(self.S)
        free = [*range(z), *range(z + len(self.W), len(linear.names))]
        sizes = linear.sizes[free]
        step = np.linalg.lstsq(linear.A[z:, free] * sizes, -linear.rates[z:], rcond=1e-10)[0]
        length = float(np.max(np.abs(step), initial=0.0))
        change = sizes * step * min(1.0, LONGEST / max(length, 1e-300))
        q, self.X = self._closed(linear.positions[:, :z] @ change[:z]), self.X + change[z:]
        u = _speeds(self.system, self.t, q, self.W, np.concatenate([self.kept, self.X]), self.model.values)
        chosen = [*self.states, *linear.states[len(self.states) :]]
        try:
            self.linear = linearize(self.model, self.mode.at(q, u), states=chosen)
        except InputError:  # these are no states any more
            self._choose(q, u)
            return np.inf  # in others it may not be steady yet
        return length

    def _closed(self, change: Floats) -> Floats:
        """Changed positions on the constraints; a change that leads away from them is halved."""
        for i in range(HALVINGS):
            try:
                return self.closing.close(self.linear.at.q + change / 2**i)
            except SolveError:
                # elsewhere other constraints are redundant
                self.closing = Closing(self.system, self.t, self.linear.at.q)
        return self.closing.close(self.linear.at.q + change / 2**HALVINGS)


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
    matrix = vstack([G[rows], still.by["s_q"], system.held], format="csr")
    if matrix.shape[0] != system.n:
        raise SolveError(
            "no steady motion was found: on the way the mechanism comes to a place where its freedom changes"
        )
    offset = np.concatenate([still.values["s1"], np.zeros(len(system.states))])
    found: Floats = factorise(matrix, "speeds").solve(np.concatenate([-drift, kept - offset]))
    return found
