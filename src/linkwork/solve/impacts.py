"""Impacts and contact: how speeds jump, and which of the constraints that only push hold. Linear algebra, no time.

With the inertia M and the constraints G that hold anyway, impulses p along the rows J of barriers change the speeds by

    u⁺ = u⁻ + X p,     X = M⁻¹Jᵀ on the constraints:   [ M  Gᵀ ] [ X ]   [ Jᵀ ]
                                                        [ G  0  ] [ · ] = [ 0  ]

so that the speeds v = J u at the barriers become v + W p with W = J X, which is symmetric and not negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Bools, Floats, Ints
from linkwork.equations import System
from linkwork.native.instant import Instant
from linkwork.native.saddle import Matrix, Saddle
from linkwork.solve.complementarity import solve_pushing

ROUNDS = 2000  # impacts of pairs at one instant, after which all are stopped together
STILL = 1e-11  # of the speeds that make up a relative speed: what counts as none
MET = 1e-8  # of what speeds are made of: by how much wanted ones may be missed
REST = 1e-14  # of the size: bounces lower than this are none
SOFT = 1e-12  # of what it is if everything moves: the mobility of a barrier that nothing can move


@dataclass(frozen=True, kw_only=True)
class Place:
    """A mechanism at a state, as impacts see it: constraints `held` hold, barriers have the rows J.

    saddle  M with the constraints that hold, factorised
    X, W    what unit impulses do to speeds, and to those at the barriers
    size    of each row: by how much it changes if everything moves by its size
    firm    whether no impulse at a barrier moves anything, constraints being as they are
    """

    saddle: Saddle
    held: Ints
    rows: Ints
    J: Floats
    X: Floats
    W: Floats
    size: Floats
    firm: Bools

    def still(self, u: Floats) -> Floats:
        """What counts as no speed at the barriers."""
        return STILL * (np.abs(self.J) @ np.abs(u)) + 1e-300

    def find_lowest(self, free: Floats) -> Floats:
        """Squares of the speeds with which something rises no higher than rounding: v² = 2 a ε."""
        return np.asarray(2.0 * np.abs(free) * REST * self.size)

    def find_free(self, at: Instant) -> Floats:
        """Accelerations at the barriers if none of them pushes, at these places with any speeds."""
        a, _ = self.saddle.solve(at.f, -at.bias[self.held])
        return np.asarray(self.J @ a + at.bias[self.rows])

    def find_driven(self, at: Instant) -> Bools:
        """Barriers into which constraints drive on, whatever pushes back."""
        a, _ = self.saddle.solve(at.f, -at.bias[self.held])
        into, scale = -(self.J @ a + at.bias[self.rows]), np.abs(self.J) @ np.abs(a) + np.abs(at.bias[self.rows])
        return np.asarray(self.firm & (into > MET * scale))


def find_place(system: System, at: Instant, held: Ints, rows: Ints) -> Place:
    """The mechanism at a state of the whole system, with some constraints that hold and some that are barriers."""
    J = at.G[rows] if isinstance(at.G, np.ndarray) else np.asarray(at.G[rows].todense())
    saddle = Saddle(at.M, at.G[held], "accelerations", soft=True)
    X, _ = saddle.solve(J.T.copy())
    W, size = J @ X, measure_rows(system, at.G[rows])
    inertia = float(at.M.diagonal() @ system.scales**2)  # of everything, moving by its size
    firm = W.diagonal() * inertia < SOFT * size**2
    return Place(saddle=saddle, held=held, rows=rows, J=J, X=X, W=W, size=size, firm=firm)


def strike(place: Place, u: Floats, drift: Floats, restitution: Floats) -> tuple[Floats, Floats]:
    """Speeds after impacts at all barriers that something moves into, and the total impulses.

    `drift` are the rates of the barriers at rest, where they move by themselves. One pair at a time, the fastest first,
    each with its own restitution, until all move apart: so momentum runs through a row of balls. Where that does not
    end, what still moves together is stopped together.
    """
    u, p, still = u.copy(), np.zeros(len(place.J)), place.still(u)
    for _ in range(ROUNDS):
        v = place.J @ u + drift
        i = int(np.argmin(v / np.maximum(still, 1e-300)))
        if v[i] >= -still[i] or place.firm[i]:
            return u, p
        impulse = -(1.0 + restitution[i]) * v[i] / place.W[i, i]
        u, p[i] = u + place.X[:, i] * impulse, p[i] + impulse
    rest = solve_pushing(place.W, place.J @ u + drift)
    return u + place.X @ rest, p + rest


def change_speeds(system: System, M: Matrix, J: Matrix, u: Floats, wanted: Floats) -> Floats | None:
    """Speeds changed by impulses along J so that J u is what is wanted, and by nothing else; None if it cannot be."""
    change, _ = Saddle(M, J, "accelerations", soft=True).solve(None, wanted - J @ u)
    after = u + change
    missed = measure_missed(system, J, np.abs(u) + np.abs(after))  # what stops at once has no speeds any more
    met: Bools = np.abs(J @ after - wanted) <= missed + MET * np.abs(wanted)
    return np.asarray(after) if met.all() else None


def measure_missed(system: System, J: Matrix, u: Floats) -> Floats:
    """By how much the rates J u may be missed: a little of the speeds they are made of, and rounding of all speeds.

    A point that is pinned to the ground has no speed, and what rounding leaves of it is nothing beside the others'.
    """
    fastest = float(np.max(np.abs(u[system.mechanical]) / system.scales[system.mechanical], initial=0.0))
    little = MET * np.abs(u) + STILL * fastest * system.scales
    size = np.abs(J) if isinstance(J, np.ndarray) else abs(J)
    return np.asarray(np.maximum(np.asarray(size @ little), 1e-300))


def measure_rows(system: System, G: Matrix) -> Floats:
    """By how much each constraint changes if everything moves by its size."""
    squares = G * G if isinstance(G, np.ndarray) else G.multiply(G)
    return np.asarray(np.maximum(np.sqrt(squares @ system.scales**2), 1e-300))
