"""Static equilibrium: a System and a place to begin in, the positions where all forces balance out.

    r(q, λ) = ∂V/∂q − f + Gᵀλ = 0,   g(q) = 0          by Newton's method with a shift:

    [ K + μD  Gᵀ ] [dq]     [ r ]
    [ G       0  ] [dλ] = − [ g ]        K = ∂r/∂q with the stiffness of the reactions, D a measure of size

A step must do work against the forces (it must go downhill), else μ grows; so minima of the potential are found where
there is one, stable equilibria. Of unstable ones it lets itself be pushed away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array

from linkwork.analysis.linear.krylov import Krylov
from linkwork.analysis.linear.selection import select_states
from linkwork.analysis.statics.closing import Closing
from linkwork.analysis.statics.moving import check_moves
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import InputError, Problem, SolveError
from linkwork.native.loops import close_loops, name_values
from linkwork.native.numbers import compute_levels, compute_matrices, compute_residual
from linkwork.native.opaque import settle_calls
from linkwork.native.rank import split
from linkwork.native.saddle import Saddle
from linkwork.native.tangents import Point, compute_stiffness
from linkwork.solve.constraints import Constraints

BALANCED = 1e-12  # forces below this fraction of the stiffness count as balanced
CLOSED = 1e-12  # constraints that change more slowly than this rest
LONGEST = 0.3  # how far a coordinate may go in one step, in its scale
TURNED = 0.5  # and by how much the gradient of a constraint may change, relative to its size
FARTHEST = 15.0  # and on the whole; who goes on does not come to rest
ROUND = 2 * np.pi - LONGEST  # a full circle, but for a step
ALIKE = 0.2  # forces that differ by no more than this are those of one place
ROUNDS = 200
TINY = 1e-300
STEEPEST, CRAMPED = 10.0, 1e-6  # a shift with which steps go straight downhill; of a step: less is no room for it
BACKWARDS = 20  # times a step is shortened
SOFTER = 8  # larger shifts for one step
DENSE = 400  # coordinates up to which the stability of what was found is looked at with dense matrices
SIGMA, LOOK = 1e-4, 160  # in larger ones: a shift, relative to the stiffness, and the size of the Krylov space
SOFT = 1e-9  # a stiffness, relative, that rounding may make of none
PUSHES = 4  # how often an unstable equilibrium is left
REPEATS, SETTLED = 80, 1e-14  # equilibria with values of the one before, until these stay


@dataclass(slots=True)
class Here:
    """A place on the constraints: their matrix, multipliers, residual forces, and how large they are (relative).

    pull    the multipliers that Newton's method expects in equilibrium: those of a rope that still falls are too small
    met     the constraint that only pushes and that was met on the way, if one was
    """

    q: Floats
    G: csr_array
    lam: Floats
    pull: Floats
    r: Floats
    size: float
    K: csc_array | None = None
    met: int | None = None


@dataclass(slots=True)
class _Step:
    """Where a step leads, the work of the residual forces along it, and what would turn it downhill.

    shift   what it needed
    bend    how much the potential bends downwards along it, as a shift
    blocked the constraint that only pushes and leaves no room for it, if there is one
    """

    there: Here | None
    shift: float
    work: float = 0.0
    bend: float = 0.0
    blocked: int | None = None


def find_equilibrium(system: System, t: float, q: Floats, states: Floats | None = None, still: bool = True) -> Floats:
    """The static equilibrium that going downhill from q leads to.

    First-order states keep their values in `states`: (n,), or are zero. Prescribed motions must be `still`, or are held
    where they are at the time. Algebraic values are those of the equilibrium that they lead to.
    """
    none = np.zeros_like(q) if states is None else states
    if not system.algebra:
        return _find_equilibrium(system, t, q, none, still)
    n = system.n
    return settle_with_values(system, t, lambda s: (_find_equilibrium(s, t, q[:n], none[:n], still), none[:n]))[0]


Find = Callable[[System], tuple[Floats, Floats]]


def settle_with_values(system: System, t: float, find: Find) -> tuple[Floats, Floats]:
    """What is found with algebraic values that are those of what is found: positions and speeds."""
    count = len(system.algebra)
    held = system.frozen[len(system.frozen) - count :]
    for _ in range(REPEATS):
        q, u = find(system.with_values(held))
        before, held = held, close_loops(system.with_values(held), t, q[: system.n], u).q[-count:]
        if not (np.abs(held - before) > SETTLED * np.max(np.abs(held))).any():
            return q, u
    raise SolveError(f"no equilibrium was found with the {name_values(system)} that its laws depend on")


def _find_equilibrium(system: System, t: float, q: Floats, states: Floats, still: bool) -> Floats:
    if still:
        check_still(system, t, q)
    search = Search(system, t, q, states)
    here = search.descend(search.at(q))
    for _ in range(PUSHES):
        push = search.downhill(here)
        if push is None:
            break
        here = search.descend(search.at(search.closing.close(here.q + push)))
    return here.q


def check_still(system: System, t: float, q: Floats) -> None:
    """A prescribed motion that goes on leaves nothing to rest."""
    zero = np.zeros_like(q)
    rate = compute_levels(system, q, zero, zero, t)[1]
    moving = [system.rows[i] for i in np.flatnonzero(np.abs(rate) > CLOSED)]
    if moving and moving[0].kind == "rate":
        what = f"the state {moving[0].owner.name}, which positions feel, changes at the start"
        raise InputError([Problem(what=what, remedy="Let it start where its rate is zero")])
    if moving:
        name = f"motion of {moving[0].owner.name}" if moving[0].kind == "motion" else moving[0].name
        what = f"{name} does not rest at t = {t:g}: there is no static equilibrium"
        raise InputError([Problem(what=what, remedy="Linearise at a time instead, or hold the motion still")])
    check_moves(system, q, t, zero)


class Walls(Protocol):
    """Constraints that only push and do not hold at the moment; of ratchets among them what goes cannot come back."""

    @property
    def one_way(self) -> bool: ...

    def find_room(self, along: Callable[[float], Floats]) -> tuple[int | None, float]:
        """Which of them a way from 0 to 1 meets first, and how far it leads until then."""
        ...


class Search:
    """Newton's method with a shift, along the constraints, up to the walls."""

    def __init__(self, system: System, t: float, q: Floats, states: Floats, walls: Walls | None = None) -> None:
        self.system, self.t, self.states, self.walls = system, t, states, walls
        self.rows = np.zeros(0, dtype=np.int64)
        self._look(q)
        K = abs(self._stiffness(q, np.zeros(system.m)))
        forces = np.abs(self._forces(q, np.zeros(system.m))) * system.scales
        scaled = (K * system.scales[None, :]).T * system.scales[None, :]
        self.unit = float(np.max(np.concatenate([scaled.data, forces]), initial=0.0)) or 1.0
        with np.errstate(over="ignore"):  # seen below
            sizes = self.unit / system.scales**2
        if not np.isfinite(sizes).all():
            what = "the forces or their stiffness have no value where the search for an equilibrium begins"
            raise SolveError(f"{what}, or are out of range. Begin elsewhere, or check the laws there")
        self.D = diags_array(sizes)

    def _look(self, q: Floats) -> bool:
        """Which constraints are independent here; whether they are others than before."""
        system = self.system
        G = compute_matrices(system, q, self.t)[1].tocsr()
        rows = select_states(G, csr_array((0, system.n)), system.scales).rows
        changed = not np.array_equal(rows, self.rows)
        self.rows = rows
        self.constraints = Constraints(system, self.t, rows[system.holonomic[rows]])
        self.closing = Closing(system, self.t, q)
        return changed

    # -- numbers ----------------------------------------------------------------------------------------------------

    def _forces(self, q: Floats, lam: Floats) -> Floats:
        at = settle_calls(self.system, self.t, q, self.states)
        r = compute_residual(self.system, at, self.states, np.zeros_like(q), lam, self.t)
        return np.where(self.system.mechanical, r, 0.0)

    def _stiffness(self, q: Floats, lam: Floats) -> csc_array:
        places = settle_calls(self.system, self.t, q, self.states)
        at = Point(t=self.t, q=places, u=self.states, a=np.zeros_like(q), lam=lam)
        mechanical = diags_array(self.system.mechanical.astype(float))  # states are held
        return csc_array(mechanical @ compute_stiffness(self.system, at))

    def _matrix(self, q: Floats) -> csr_array:
        if self.constraints.m == len(self.rows):
            return self.constraints.matrix(q).tocsr()
        return compute_matrices(self.system, q, self.t)[1].tocsr()[self.rows]

    def at(self, q: Floats) -> Here:
        """The multipliers that balance the forces best."""
        system, lam = self.system, np.zeros(self.system.m)
        G, forces = self._matrix(q), self._forces(q, lam)
        lam[self.rows] = pull = Saddle(self.D, G, "positions").solve(-forces)[1]
        r = forces + np.where(system.mechanical, G.T @ pull, 0.0)
        return Here(q, G, lam, lam.copy(), r, float(np.max(np.abs(r * system.scales), initial=0.0)) / self.unit)

    # -- search --------------------------------------------------------------------------------------------------------

    def descend(self, here: Here) -> Here:
        """Downhill until the forces balance."""
        shift, last, begin, passed = 1e-3, False, here.q, [here]
        for _ in range(ROUNDS):
            check_time("the search for an equilibrium")
            if np.max(np.abs(here.q - begin) / self.system.scales, initial=0.0) > FARTHEST or self._goes_round(passed):
                break
            step = self._step(here, shift)
            there, shift, settled = step.there, step.shift, here.size <= BALANCED
            worse = there is None or there.size >= here.size
            if worse and not settled and self.closing.redundant and self._look(here.q):
                here = self.at(here.q)  # constraints that were independent where it began are not so here
                continue
            if settled and (last or there is None or there.size >= here.size):
                return here
            if step.blocked is not None and shift > STEEPEST:
                return replace(here, met=step.blocked)
            if there is not None and (settled or step.work < 0 or (there.size < here.size < 1e-6)):
                here, last = there, settled
                if here.met is not None:
                    return here
                passed.append(here)
                shift = shift / 8 if shift > 1e-12 else 0.0
            else:
                shift = max(4 * shift, 1e-6, 2 * step.bend)
                if shift > 1e12:
                    break
        if here.size <= 1e3 * BALANCED:
            return here
        raise SolveError(self._explain(here, begin))

    def _goes_round(self, passed: list[Here]) -> bool:
        """Whether an angle has gone full circle, back to where the forces are the same."""
        turning, here = list(self.system.chart.angles.values()), passed[-1]
        if not turning or np.max(np.abs(here.q - passed[0].q)[turning]) < ROUND:
            return False
        for there in passed:
            far = np.abs(here.q - there.q) / self.system.scales
            alike = np.max(np.abs(here.r - there.r) * self.system.scales) <= ALIKE * there.size * self.unit
            if alike and np.max(far[turning]) >= ROUND and np.max(np.delete(far, turning), initial=0.0) <= LONGEST:
                return True
        return False

    # beside a huge stiffness a step may bend without bound or lead out of range: the shift grows, until words end it
    @np.errstate(over="ignore", invalid="ignore")
    def _step(self, here: Here, shift: float) -> _Step:
        K = here.K = self._stiffness(here.q, here.pull) if here.K is None else here.K
        try:
            dq, dlam, part = self._direction(here, K, shift)
            for _ in range(SOFTER):
                if part > 0.3:
                    break
                # a larger shift makes a shorter and smoother step than a part of a long one
                shift = max(shift, 1e-6) / max(part, 0.1)
                dq, dlam, part = self._direction(here, K, shift)
            bend = -float(np.asarray(K @ dq) @ dq) / max(float(np.asarray(self.D @ dq) @ dq), TINY)
            met, room = None, 1.0
            if self.walls is not None:
                met, room = self.walls.find_room(lambda x: self.closing.close(here.q + x * part * dq))
                if met is not None and room < CRAMPED:
                    return _Step(None, shift, blocked=met)
            there = self.at(self.closing.close(here.q + room * part * dq))
            if self.walls is not None and self.walls.one_way:
                there = self._shorten_back(here, there, room * part * dq)
            there.met, there.pull[self.rows] = met, here.lam[self.rows] + dlam
        except SolveError:
            return _Step(None, shift)
        return _Step(there, shift, float((here.r + there.r) @ (there.q - here.q)) / 2, bend)

    def _shorten_back(self, here: Here, there: Here, dq: Floats) -> Here:
        """A step no longer than forces pull along it, where a ratchet would not let it come back."""
        pulls, part = -float(here.r @ dq), 1.0
        for _ in range(BACKWARDS):
            back = float(there.r @ dq)
            if back <= TINY or pulls <= 0.0:
                break
            part *= 0.999 * max(0.1, pulls / (pulls + back))
            there = self.at(self.closing.close(here.q + part * dq))
        return there

    def _direction(self, here: Here, K: csc_array, shift: float) -> tuple[Floats, Floats, float]:
        """Newton's step with a shift, in positions and multipliers, and how much of it can be gone."""
        dq, dlam = Saddle(K + shift * self.D, here.G, "positions").solve(-here.r)
        far = float(np.max(np.abs(dq) / self.system.scales, initial=0.0))
        if not np.isfinite(far):
            raise SolveError("the step is not finite")
        part = min(1.0, LONGEST / max(far, TINY))
        return dq, dlam, part * self._shorten(here, part * dq)

    def _shorten(self, here: Here, dq: Floats) -> float:
        """The part of a step after which no constraint has turned too far, as short rods would in a long step."""
        turned = self._matrix(here.q + dq) - here.G
        sizes = [np.sqrt(np.asarray((G.multiply(G)) @ self.system.scales**2)) for G in (turned, here.G)]
        most = float(np.max(sizes[0] / np.maximum(sizes[1], TINY), initial=0.0))
        return min(1.0, TURNED / max(most, TINY))

    def downhill(self, here: Here) -> Floats | None:
        """A direction in which an equilibrium is unstable, of a tenth of full size; None if it is stable."""
        value, direction = self.find_softest(here)
        if value >= -SOFT:
            return None
        push: Floats = 0.1 * direction / np.max(np.abs(direction) / self.system.scales)
        return push

    def find_softest(self, here: Here) -> tuple[float, Floats]:
        """The lowest stiffness along the constraints, relative, and its direction."""
        K = self._stiffness(here.q, here.lam)
        if not np.isfinite(K.data).all():
            raise SolveError("the forces balance in a place where their stiffness has no value. Check the laws there")
        K = csc_array((K + K.T).multiply(0.5))
        return (self._lowest if self.system.n <= DENSE else self._lowest_sparse)(here, K)

    def improve(self, here: Here) -> Here:
        """A step of Newton's method without any shift, wherever it leads."""
        dq, _, _ = self._direction(here, self._stiffness(here.q, here.lam), 0.0)
        return self.at(self.closing.close(here.q + dq))

    def _lowest(self, here: Here, K: csc_array) -> tuple[float, Floats]:
        """The smallest κ of K x = κ D x along the constraints, and x."""
        s, n = self.system.scales, self.system.n
        N = split(here.G.toarray() * s).right if len(self.rows) else np.eye(n)
        if N.shape[1] == 0:
            return 0.0, np.zeros(n)
        values, vectors = np.linalg.eigh(N.T @ (s[:, None] * K.toarray() * s[None, :]) @ N)
        return float(values[0]) / self.unit, s * (N @ vectors[:, 0])

    def _lowest_sparse(self, here: Here, K: csc_array) -> tuple[float, Floats]:
        """The same from a Krylov space of (K + σD)⁻¹ D, where θ = 1/(κ + σ); a negative κ in it proves instability."""
        n, root = self.system.n, self.system.scales[:, None] / np.sqrt(self.unit)
        saddle = Saddle(K + SIGMA * self.D, here.G, "positions")

        def solve(v: Floats) -> Floats:
            return np.asarray(saddle.solve(v / root)[0] / root)

        space = Krylov(solve, n, -SIGMA)
        space.grow(LOOK)
        theta, Y = np.linalg.eigh(space.Q.T @ space.W)
        k = 0 if theta[0] < -1e-9 * abs(theta[-1]) else -1
        return float(1 / theta[k]) - SIGMA, (root * (space.Q @ Y[:, [k]]))[:, 0]

    def _explain(self, here: Here, begin: Floats) -> str:
        system = self.system
        worst = int(np.argmax(np.abs(here.r * system.scales)))
        moved = np.abs(here.q - begin) / system.scales
        found = (
            f"no static equilibrium was found: a force of {abs(here.r[worst]):.3g} along {system.coordinates[worst]}"
        )
        if np.max(moved) < ROUND:
            return f"{found} stays unbalanced. Is it stuck at a dead centre? Begin elsewhere"
        name, by = system.coordinates[int(np.argmax(moved))], float(np.max(np.abs(here.q - begin)))
        return (
            f"{found} stays unbalanced after {name} has moved by {by:.3g}. Does something fall freely, or does a force "
            f"never rest? Hold it by a spring, or linearise at a time instead"
        )
