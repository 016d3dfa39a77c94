"""Degrees of freedom by numbers: a System and a state in, mobility, redundant constraints and what may be fixed out.

The rows of G that depend on others are redundant; the columns of a basis N of its null space say how coordinates can
move. A freedom of the instant need not be one of motion: a state a step away tells. M must be positive on N, else the
motion is not defined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, vstack

from linkwork.analysis.structure.choices import STILL, Choice, find_choices
from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.numbers import compute_matrices, find_driven
from linkwork.native.rank import Rank, find_groups, find_kernel, find_rank, find_spare, scale_rows
from linkwork.solve.start.nearby import move_off

INERTIA = 1e-12  # a motion with less than this fraction of the largest inertia has none
ATTEMPTS = 8  # directions in which a way out of a singular position is sought


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """Constraints that repeat each other, by number.

    surplus   how many of them could be left out at this position
    always    how many of these at the positions around it, too
    spare     such ones, without which the others are independent; none if there are too many to look at
    """

    rows: tuple[int, ...]
    surplus: int
    always: int
    spare: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mobility:
    """What the constraints leave free at a state.

    count              coordinates minus constraints
    freedom            degrees of freedom of positions at this instant
    velocity_freedom   the same of velocities, fewer if there are constraints of velocities
    undriven           what freedom would be without the constraints that depend on time
    motion             degrees of freedom in which the mechanism truly moves; None if that was not examined
    redundant          groups of constraints that repeat each other
    choices            groups of coordinates of which some may be fixed; None if there are too many to look at
    velocity_choices   the same for velocities
    resting            coordinates among the choices that stand still at this instant, so not to be fixed here
    still              coordinates that never move
    weightless         groups of coordinates that can move without moving a mass
    """

    count: int
    freedom: int
    velocity_freedom: int
    undriven: int
    motion: int | None
    redundant: tuple[Redundancy, ...]
    choices: tuple[Choice, ...] | None
    velocity_choices: tuple[Choice, ...] | None
    resting: tuple[str, ...]
    still: tuple[str, ...]
    weightless: tuple[tuple[str, ...], ...]


@np.errstate(all="ignore")
def find_mobility(system: System, q: Floats, t: float = 0.0, u: Floats | None = None) -> Mobility:
    """Rank and redundancy at a state, and free choices; where ways of moving meet, on that of the velocities u."""
    here = State(system, q, t)
    around = _find_around(here, u)
    near = around[0] if around else None
    general = near or here
    motion = _motion(here, near)
    choices = () if motion == 0 else _choices(general, general.positions)
    return Mobility(
        count=int(system.mechanical.sum()) - system.m,
        freedom=here.freedom,
        velocity_freedom=system.n - here.velocities.rank,
        undriven=_undriven(here).freedom,
        motion=motion,
        redundant=tuple(_redundant(here, near)),
        choices=choices,
        velocity_choices=choices if system.holonomic.all() else _choices(general, general.velocities),
        resting=_resting(here, choices),
        still=_still(here, around),
        weightless=_weightless(here),
    )


def find_motion(system: System, q: Floats, t: float, u: Floats) -> tuple[int, int | None]:
    """Degrees of freedom at a state: of the instant, and of motion if that could be examined."""
    here = State(system, q, t)
    around = _find_around(here, u)
    return here.freedom, _motion(here, around[0] if around else None)


class State:
    """The constraint matrix at a state, scaled, with its ranks; `kept` are the constraints of positions that count.

    Behind the constraints G has rows that hold the integrals of first-order states.
    """

    def __init__(self, system: System, q: Floats, t: float, kept: NDArray[np.bool_] | None = None) -> None:
        self.system, self.q, self.t = system, q, t
        self.kept = system.holonomic if kept is None else kept
        self.M, G = compute_matrices(system, q, t)
        G = scale_rows(G, system.scales)
        self.G = csc_array(vstack([G, system.held])) if system.states else G

    @cached_property
    def positions(self) -> Rank:
        """Of the constraints of positions alone."""
        if self.kept.all():
            return self.velocities
        rows = np.append(np.flatnonzero(self.kept), np.arange(self.system.m, self.G.shape[0]))
        return find_rank(csc_array(self.G[rows]))

    @cached_property
    def velocities(self) -> Rank:
        """Of all constraints."""
        return find_rank(self.G)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of positions."""
        return self.system.n - self.positions.rank

    def rank_of(self, rows: Ints) -> int:
        """The rank of some constraints."""
        return find_rank(csc_array(self.G[rows])).rank


# -- motion ------------------------------------------------------------------------------------------------------------


def _find_around(here: State, u: Floats | None = None) -> list[State]:
    """Assembled states a step away, since a special state hides what is true in general: along u, then the freest."""
    N = here.positions.right
    if N is None or N.shape[1] == 0:
        return []
    regular = here.positions.left.shape[1] == 0
    found: list[State] = []
    if not regular and u is not None and np.any(u[here.system.mechanical]):
        along = _move(here, np.where(here.system.mechanical, u / here.system.scales, 0.0)[:, None], 0)
        found += [along] if along is not None else []
    for attempt in range(1 if regular else ATTEMPTS):
        state = _move(here, N, attempt)
        if state is not None:
            found.append(state)
        if found and found[-1].freedom == here.freedom:
            break  # freer than here is nothing near
    first = found[:1] if u is not None and np.any(u) else []
    return first + sorted(found[len(first) :], key=lambda state: -state.freedom)


def _move(here: State, directions: Floats, attempt: int) -> State | None:
    """The state a step away in one of the directions."""
    q = move_off(here.system, here.q, here.t, here.kept, directions, attempt)
    return None if q is None else State(here.system, q, here.t, here.kept)


def _motion(here: State, near: State | None) -> int | None:
    """Where constraints are independent every freedom is one of motion; where not, a state a step away tells."""
    if here.freedom == 0 or here.positions.left.shape[1] == 0:
        return here.freedom
    if here.positions.right is None:
        return None
    return 0 if near is None else near.freedom


def _undriven(here: State) -> State:
    """The same state without the constraints that depend on time."""
    driven = find_driven(here.system)
    return State(here.system, here.q, here.t, here.kept & ~driven) if driven.any() else here


def _still(here: State, around: list[State]) -> tuple[str, ...]:
    """Coordinates that would not move whatever the drivers do, on any way."""
    free = _undriven(here)
    states = (around if free is here else _find_around(free)) or [free]
    bases = [state.positions.right for state in states]
    resting = here.system.mechanical.copy()
    for N in bases:
        if N is None:
            return ()
        resting &= np.linalg.norm(N, axis=1) < STILL
    return tuple(here.system.coordinates[i] for i in np.flatnonzero(resting))


# -- redundancy and inertia --------------------------------------------------------------------------------------------


def _redundant(here: State, near: State | None) -> list[Redundancy]:
    """Groups of constraints that depend on each other."""
    found = []
    for rows in _merge(here.system, find_groups(here.velocities.left)):
        surplus = round(float(np.sum(here.velocities.left[rows] ** 2)))  # the trace of the projector
        shaking = near is None and here.freedom > 0 and here.positions.right is not None
        always = 0 if shaking else surplus if near is None else len(rows) - near.rank_of(rows)
        spare = () if here.velocities.right is None else rows[find_spare(here.G[rows].toarray(), surplus)].tolist()
        found.append(Redundancy(rows=tuple(rows.tolist()), surplus=surplus, always=always, spare=tuple(spare)))
    return found


def _merge(system: System, groups: list[Ints]) -> list[Ints]:
    """Groups about the same parts and joints together, for people think of these rather than of equations."""
    owner = {
        row: name for term in system.terms for name, rows in zip(term.names, term.rows, strict=True) for row in rows
    }
    merged: list[tuple[set[str], Ints]] = []
    for about, rows in sorted(
        (({owner[row] for row in rows}, rows) for rows in groups), key=lambda pair: -len(pair[0])
    ):
        for i, (known, mine) in enumerate(merged):
            if about <= known:
                merged[i] = known, np.sort(np.concatenate([mine, rows]))
                break
        else:
            merged.append((about, rows))
    return sorted((rows for _, rows in merged), key=lambda rows: int(rows[0]))


def _weightless(here: State) -> tuple[tuple[str, ...], ...]:
    """Coordinates that move in motions without inertia."""
    system, N = here.system, here.velocities.right
    S = diags_array(system.scales)
    M = csc_array(S @ here.M @ S)
    largest = float(abs(M).max()) if M.nnz else 0.0
    if N is None:
        light = find_kernel(csc_array(M / (largest or 1.0) + here.G.T @ here.G), INERTIA)
    else:
        reduced = N.T @ M @ N
        if not np.isfinite(reduced).all():
            return ()
        inertia, modes = np.linalg.eigh(reduced)
        light = N @ modes[:, inertia <= INERTIA * largest]
    return tuple(tuple(system.coordinates[i] for i in group) for group in find_groups(light))


# -- choices -----------------------------------------------------------------------------------------------------------


def _choices(state: State, rank: Rank) -> tuple[Choice, ...] | None:
    if rank.right is None:
        return None
    system = state.system
    families = [at for at in system.chart.points.values() if at[0] < system.n]
    if not families:
        # without points, what a constraint ties together
        G = csc_array(state.G).tocsr()
        families = [tuple(G.indices[a:b]) for a, b in zip(G.indptr[:-1], G.indptr[1:], strict=True) if b > a]
    return find_choices(rank.right, system.coordinates, families)


def _resting(here: State, choices: tuple[Choice, ...] | None) -> tuple[str, ...]:
    if choices is None or here.positions.right is None:
        return ()
    system, speed = here.system, np.linalg.norm(here.positions.right, axis=1)
    named = [system.index[name] for choice in choices for name in choice.names]
    return tuple(system.coordinates[i] for i in sorted(named) if speed[i] < STILL)
