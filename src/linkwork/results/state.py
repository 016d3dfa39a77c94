"""A state: the mechanism at one time or at several, with values by name, multipliers and energies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import eye_array

from linkwork.arrays import Floats
from linkwork.equations import System, formulate
from linkwork.errors import LinkworkError
from linkwork.model import Lagrangian, Mechanism
from linkwork.native import Side
from linkwork.native.numbers import compute_jacobians, compute_matrices, compute_residual
from linkwork.native.rank import balance, split
from linkwork.native.saddle import Saddle
from linkwork.results.evidence import Energy, find_energies
from linkwork.results.names import Valued, find_constraint
from linkwork.results.store import Balance
from linkwork.results.turning import UNTURNED, KnownTurns, Turns

DENSE = 400  # constraints up to which redundancy is looked for when multipliers are reported
MOST_NUMBERS = 4_000_000  # of matrices at several states at once
BALANCED = 1e-8  # of the largest force: what multipliers may leave of it

# a copy (by pickle or copy) formulates its mechanism anew, since equations hold functions
Packed = tuple[Callable[..., object], tuple[object, ...]]


class Snapshot(Valued):
    """The mechanism at one time or at several: positions by name, velocities, accelerations.

    state["C"] is an array (2,) for one time and (k, 2) for k times; state["OF"] an angle; state["Cx"] a coordinate;
    state["AB.length - l"] any expression over these, the variables and states of the mechanism and its parameters.

    A motion can go on from a state of one time: `off` are the constraints that do not hold there, by their numbers, and
    `sides` where watched values are, if that is known, `turns` how often angles that no coordinate tells have gone
    round.
    """

    def __init__(
        self,
        system: System,
        t: Floats,
        arrays: tuple[Floats, Floats, Floats, Floats],
        mechanism: Mechanism | Lagrangian | None = None,
        balanced: bool = False,
        off: frozenset[int] = frozenset(),
        sides: tuple[Side, ...] = (),
        turns: Turns = UNTURNED,
    ) -> None:
        self.system, self.t, self.mechanism = system, t, mechanism
        self.q, self.u, self.a, self._lam = arrays
        self.balanced = balanced  # whether the multipliers are known as well as they can be
        self.off, self.sides, self.turns = off, sides, turns

    @cached_property
    def lam(self) -> Floats:
        """Lagrange multipliers; where constraints are redundant those of least norm, zero where one does not hold."""
        if self.balanced:
            return self._lam
        on = np.array([i for i in range(self.system.m) if i not in self.off], dtype=np.int64)
        holding, found = self.system.restricted(self.off), np.zeros_like(self._lam)
        found[..., on] = find_multipliers(holding, self.t, self.q, self.u, self.a, self._lam[..., on])
        return found

    def multiplier(self, name: str) -> Floats:
        """The Lagrange multiplier of a constraint, by the constraint's name."""
        return self.lam[..., find_constraint(self.system, name)]

    @cached_property
    def energy(self) -> Energy:
        """Kinetic and potential energies."""
        return find_energies(self.system, self.q, self.u, self.t)

    def __reduce__(self) -> Packed:
        return restore_state, (known_mechanism(self.mechanism), *self.packed)

    @property
    def packed(self) -> tuple[object, ...]:
        """All but the mechanism."""
        return self.t, (self.q, self.u, self.a, self._lam), self.off, self.sides, self.turns.known()

    def __repr__(self) -> str:
        when = f"t = {float(self.t):.6g}" if self.t.ndim == 0 else f"{len(self.t)} times"
        return f"Snapshot({when}, {', '.join(self.system.labels[:6])}{' ...' if self.system.n > 6 else ''})"


def known_mechanism(mechanism: Mechanism | Lagrangian | None) -> Mechanism | Lagrangian:
    """The mechanism, which a copy needs."""
    if mechanism is None:
        raise LinkworkError("a motion that does not know its mechanism cannot be copied. Simulate with lw.load")
    return mechanism


def restore_state(
    mechanism: Mechanism | Lagrangian,
    t: Floats,
    arrays: tuple[Floats, Floats, Floats, Floats],
    off: frozenset[int],
    sides: tuple[Side, ...],
    turns: Mapping[str, Floats],
) -> Snapshot:
    """A copy of a state."""
    return Snapshot(formulate(mechanism), t, arrays, mechanism, off=off, sides=sides, turns=KnownTurns(turns))


def find_multipliers(system: System, t: Floats, q: Floats, u: Floats, a: Floats, lam: Floats) -> Floats:
    """The multipliers of states, of least norm with the same forces Gᵀλ.   q, u, a: (k, n) or (n,), lam: (k, m) or (m,)

    Where they do not balance the forces all follow from the motion: a run in poses does not make them, and their own
    series may be poorer than that of the motion. Else, if the constraints are independent, they are left as they are.
    """
    if system.m == 0 or (system.m > DENSE and not np.isnan(lam).any()):
        return lam
    states, times, found = np.atleast_2d(q), np.atleast_1d(t), np.atleast_2d(lam).copy()
    r, wrong = _find_unbalanced(system, times, (states, np.atleast_2d(u), np.atleast_2d(a)), found)
    if system.m > DENSE:
        found[wrong] = [_balance(system, states[i], times[i], r[i]) for i in np.flatnonzero(wrong)]
        return found.reshape(lam.shape)
    redundant = _is_redundant(compute_jacobians(system, states[:1].T, times[:1])[0])
    wanted = np.flatnonzero(wrong | redundant)
    block = max(1, MOST_NUMBERS // (system.m * system.n))
    for part in (wanted[i : i + block] for i in range(0, len(wanted), block)):
        G, bad = compute_jacobians(system, states[part].T, times[part]), wrong[part]
        found[part[bad]] = _balance_all(G[bad], r[part[bad]], redundant)
        found[part[~bad]] = _least_norm(G[~bad], found[part[~bad]])
    return found.reshape(lam.shape)


def make_balance(system: System) -> Balance:
    """What finds the multipliers of states of a system from its forces and accelerations alone."""

    def balance(t: Floats, q: Floats, u: Floats, a: Floats) -> Floats:
        return find_multipliers(system, t, q, u, a, np.full((*q.shape[:-1], system.m), np.nan))

    return balance


def _find_unbalanced(
    system: System, t: Floats, motion: tuple[Floats, Floats, Floats], lam: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """M a − f at some states, and where multipliers do not balance it.   lam: (k, m)  →  (k, n), (k,)"""
    q, u, a = (x.T for x in motion)
    r = compute_residual(system, q, u, a, np.zeros_like(lam.T), t)
    left = np.abs(compute_residual(system, q, u, a, lam.T, t))
    # what is not a number is wrong, too
    balanced = np.max(left, axis=0) <= BALANCED * np.max(np.abs(r), initial=0.0)
    return r.T, ~balanced & np.isfinite(r).all(axis=0)


def _least_norm(G: Floats, lam: Floats) -> Floats:
    """Of all multipliers with the same forces the least.   G: (k, m, n), lam: (k, m)"""
    return balance(G, -np.einsum("kmn,km->kn", G, lam))


def _balance_all(G: Floats, r: Floats, redundant: bool) -> Floats:
    """λ with Gᵀλ = −r.   G: (k, m, n), r: (k, n)"""
    if redundant:
        return balance(G, r)
    Q, R = np.linalg.qr(G.swapaxes(1, 2))
    return -np.asarray(np.linalg.solve(R, Q.swapaxes(1, 2) @ r[:, :, None])[:, :, 0])


def _balance(system: System, q: Floats, t: float, r: Floats) -> Floats:
    """The same for a large system: x + Gᵀλ = −r, G x = 0."""
    return Saddle(eye_array(system.n), compute_matrices(system, q, t)[1], "multipliers").solve(-r)[1]


@np.errstate(all="ignore")
def _is_redundant(G: Floats) -> bool:
    return bool(np.isfinite(G).all()) and split(G).rank < len(G)
