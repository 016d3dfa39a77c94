"""A state: the mechanism at one time or at several, with values by name, multipliers and energies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System, formulate
from linkwork.errors import LinkworkError
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.numbers import compute_jacobians
from linkwork.results.evidence import Energy, find_energies
from linkwork.results.names import Valued, find_constraint

Floats = NDArray[np.float64]

DENSE = 400  # constraints up to which redundancy is looked for when multipliers are reported
MOST_NUMBERS = 4_000_000  # of matrices at several states at once

# a copy (by pickle or copy) formulates its mechanism anew, since equations hold functions
Packed = tuple[Callable[..., object], tuple[object, ...]]


class State(Valued):
    """The mechanism at one time or at several: positions by name, velocities, accelerations.

    state["C"] is an array (2,) for one time and (k, 2) for k times; state["OF"] an angle; state["Cx"] a coordinate;
    state["AB.length - l"] any expression over these, the variables and states of the mechanism and its parameters.
    """

    def __init__(
        self,
        system: System,
        t: Floats,
        arrays: tuple[Floats, Floats, Floats, Floats],
        mechanism: Mechanism | Lagrangian | None = None,
    ) -> None:
        self.system, self.t, self.mechanism = system, t, mechanism
        self.q, self.u, self.a, self._lam = arrays

    @cached_property
    def lam(self) -> Floats:
        """Lagrange multipliers; where constraints are redundant those of least norm."""
        return find_least_norm(self.system, self.q, self._lam, self.t)

    def multiplier(self, name: str) -> Floats:
        """The Lagrange multiplier of a constraint, by the constraint's name."""
        return self.lam[..., find_constraint(self.system, name)]

    @cached_property
    def energy(self) -> Energy:
        """Kinetic and potential energies."""
        return find_energies(self.system, self.q, self.u, self.t)

    def __reduce__(self) -> Packed:
        return restore_state, (known_mechanism(self.mechanism), self.t, (self.q, self.u, self.a, self._lam))

    def __repr__(self) -> str:
        when = f"t = {float(self.t):.6g}" if self.t.ndim == 0 else f"{len(self.t)} times"
        return f"State({when}, {', '.join(self.system.labels[:6])}{' ...' if self.system.n > 6 else ''})"


def known_mechanism(mechanism: Mechanism | Lagrangian | None) -> Mechanism | Lagrangian:
    """The mechanism, which a copy needs."""
    if mechanism is None:
        raise LinkworkError("a motion that does not know its mechanism cannot be copied. Simulate with lw.load")
    return mechanism


def restore_state(mechanism: Mechanism | Lagrangian, t: Floats, arrays: tuple[Floats, Floats, Floats, Floats]) -> State:
    """A copy of a state."""
    return State(formulate(mechanism), t, arrays, mechanism)


def find_least_norm(system: System, q: Floats, lam: Floats, t: Floats) -> Floats:
    """The multipliers of least norm with the same forces Gᵀλ.   q: (k, n) or (n,), lam: (k, m) or (m,)

    If the constraints are independent at the first state they are left as they are.
    """
    states, times = np.atleast_2d(q), np.atleast_1d(t)
    if system.m == 0 or system.m > DENSE or not _is_redundant(compute_jacobians(system, states[:1].T, times[:1])[0]):
        return lam
    found = np.atleast_2d(lam).copy()
    block = max(1, MOST_NUMBERS // (system.m * system.n))
    for i in range(0, len(states), block):
        part = slice(i, i + block)
        G = compute_jacobians(system, states[part].T, times[part])
        # the projector on the row space of G, which leaves forces as they are
        found[part] = np.einsum("kab,kb->ka", G @ np.linalg.pinv(G, rcond=1e-10), found[part])
    return found.reshape(lam.shape)


@np.errstate(all="ignore")
def _is_redundant(G: Floats) -> bool:
    rows = np.linalg.norm(G, axis=1)
    return bool(np.linalg.matrix_rank(G / np.where(rows > 0, rows, 1.0)[:, None], tol=1e-9) < len(G))
