"""What pushes, holds and rubs at a state, decided all at once: accelerations in, which way everything goes out.

The speeds u of an instant are given. A grip that moves is a force against its speed, by the sign the speed has. Of
grips that stand still, and of stops that are closed and do not move, the accelerations decide. With the constraints
that hold anyway, and forces z along the rows J of these places,

    [ M  Gᵀ ] [ a ]   [ f + Jᵀz ]
    [ G  0  ] [ · ] = [   −γ    ],      s = J a + bias = b + W z,      W = J X,  X = M⁻¹Jᵀ on the constraints

and z, s obey the laws of `complementarity`: stops push or open, friction holds (s = 0) or slides against s. What
slides does so with its limit: where that is less than its hold it is asked again with the limit. Limits and holds may
depend on the forces of what holds; then they are found for what is thought to hold, until that is what is found.

A grip whose row follows from the constraints alone (a driven part where it turns, a slide at a dead centre) can hold
nothing: it slides the way in which its speed changes; if that does not change either it rests, without a force, until
its speed is something: `Acting` looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Bools, Floats, Ints
from linkwork.equations import System
from linkwork.equations.acts import Grip
from linkwork.errors import SolveError
from linkwork.native.instant import Instant, Instants
from linkwork.native.loops import close_loops
from linkwork.native.numbers import compute_watch
from linkwork.native.rank import split
from linkwork.native.saddle import Matrix, Saddle
from linkwork.solve.complementarity import Place, Pushing, Rubbing, solve_complementary
from linkwork.solve.impacts import measure_rows

DEPENDENT = 1e-9  # of a row, in sizes: what constraints leave of one that follows from them
STILL = 1e-10  # of what an acceleration is made of: none
SMALLEST = 1e-6  # of the largest part in a dependence: one that counts
NOTHING = 1e-9  # of the forces it was computed from: a hold that is rounding
ROUNDS, PATIENT = 24, 12  # in which what holds and what it depends on agree; after so many what has slipped slides

Ways = dict[str, float]  # of grips: 1 or −1 for sliding forwards or backwards, 0 for standing still


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be decided at a state.

    held    constraints that hold anyway
    closed  rows of stops that are closed and do not move
    moving  which way each grip moves, 0 where it stands still
    leads   of grips of two speeds: where to they slide, as a speed next to nothing
    """

    held: Ints
    closed: Ints
    moving: Ways
    leads: dict[str, Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What was decided.

    pushing   rows of stops that hold
    sticking  rows of grips that hold
    ways      in which grips slide; 0 where they stick or rest
    leads     of those of two speeds, where to
    overcome  the grips that stood still and slide, or slid before they were asked again
    """

    pushing: frozenset[int]
    sticking: frozenset[int]
    ways: Ways
    leads: dict[str, Floats]
    overcome: frozenset[str] = frozenset()

    def agrees(self, other: Settled) -> bool:
        """Whether both say the same, but for digits of directions."""
        same = self.pushing == other.pushing and self.sticking == other.sticking and self.ways == other.ways
        return same and all(np.allclose(x, other.leads[name], rtol=1e-9) for name, x in self.leads.items())


def settle(instants: Instants, at: Instant, asked: Question) -> tuple[Instant, Settled]:
    """The instant with the forces of what slides, and what was decided."""
    system = instants.system
    rest = [grip for grip in system.grips if not asked.moving[grip.name]]
    firm = find_firm(system, at, asked.held, [row for grip in rest for row in grip.rows])
    found = Settled(
        pushing=find_fewest(system, at, asked.held, asked.closed, np.ones(len(asked.closed))),
        sticking=frozenset(row for grip in rest for row in grip.rows) - firm,
        ways=dict(asked.moving),
        leads=dict(asked.leads),
    )
    for turn in range(ROUNDS):
        before, at = found, _close(instants, at, asked.held, found)
        found = _ask(instants, at, asked, before, firm)
        if turn >= PATIENT:
            # what slides is not asked whether it sticks: this ends
            asked = Question(held=asked.held, closed=asked.closed, moving=found.ways, leads=found.leads)
        if found.agrees(before) or not (rest or len(asked.closed)):
            break
        if not system.algebra and found.overcome == before.overcome:
            at = _close(instants, at, asked.held, found)
            break
    _check_forces(system, at)
    return at, found


def _close(instants: Instants, at: Instant, held: Ints, found: Settled) -> Instant:
    """The instant with the inputs of grips, and the values that depend on the forces of what holds."""
    system = instants.system
    q = system.with_inputs(at.q, find_inputs(system, found.ways, found.leads))
    if system.algebra:
        rows = np.array([*held, *sorted(found.pushing), *sorted(found.sticking)], dtype=np.int64)
        q = close_loops(system, at.t, q, at.u, rows).q
    return instants.at(at.t, q, at.u)


def _ask(instants: Instants, at: Instant, asked: Question, before: Settled, firm: frozenset[int]) -> Settled:
    """Which places push, hold or slide, with holds and limits as they are at an instant."""
    system = instants.system
    rest = [grip for grip in system.grips if not asked.moving[grip.name]]
    rows = np.array([*asked.closed.tolist(), *(row for grip in rest for row in grip.rows)], dtype=np.int64)
    if not len(rows):
        return Settled(pushing=frozenset(), sticking=frozenset(), ways=asked.moving, leads=asked.leads)
    # those that stand still give no force here: theirs are sought
    still = instants.at(at.t, system.with_inputs(at.q, {grip.sliding: 0.0 for grip in rest}), at.u)
    places: list[Place] = [Pushing(i) for i in range(len(asked.closed))]
    rubbing = [*_rubbing(at, rest, len(places), before.overcome)]
    z, s, noise, W = _solve(system, still, asked.held, rows, [*places, *rubbing])
    # what is pressed on by rounding is not pressed on
    pushes = np.where(z * W.diagonal() > noise, z, 0.0)[: len(asked.closed)]
    pushing = find_fewest(system, at, asked.held, asked.closed, pushes)
    ways, leads, sticking, first = dict(asked.moving), dict(asked.leads), set[int](), len(places)
    for grip in rest:
        own = slice(first, first + len(grip.rows))
        first += len(grip.rows)
        if (np.abs(s[own]) <= noise[own]).all():
            sticking |= set(grip.rows) - firm
            continue
        ways[grip.name] = 1.0 if grip.leads else float(np.sign(s[own][0]))
        if grip.leads:
            leads[grip.name] = s[own] * (np.linalg.norm(leads[grip.name]) / np.linalg.norm(s[own]))
    overcome = before.overcome | {grip.name for grip in rest if ways[grip.name]}
    return Settled(pushing=pushing, sticking=frozenset(sticking), ways=ways, leads=leads, overcome=overcome)


def _rubbing(at: Instant, grips: Sequence[Grip], first: int, overcome: frozenset[str]) -> Iterable[Place]:
    """The places of grips behind others, with what they can hold, or with which they slide."""
    for grip in grips:
        hold, limit = read_forces(grip, at)
        yield Rubbing(first, len(grip.rows), limit if grip.name in overcome else hold)
        first += len(grip.rows)


def _solve(
    system: System, at: Instant, held: Ints, rows: Ints, places: Sequence[Place]
) -> tuple[Floats, Floats, Floats, Floats]:
    """z, s, what of s is rounding, and W."""
    saddle, J, bias = Saddle(at.M, at.G[held], "accelerations", soft=True), full(at.G[rows]), at.bias[rows]
    a, _ = saddle.solve(at.f, -at.bias[held])
    X, _ = saddle.solve(J.T.copy())
    W, b = J @ X, J @ a + bias
    alone = measure_rows(system, at.G[rows]) ** 2 / float(at.M.diagonal() @ system.scales**2)
    noise = STILL * (np.abs(J) @ np.abs(a) + np.abs(bias) + _find_shaken(system, at, rows))
    z = solve_complementary(0.5 * (W + W.T), b, places, alone, noise)
    return z, b + W @ z, noise + STILL * (np.abs(W) @ np.abs(z)) + 1e-300, W


def _find_shaken(system: System, at: Instant, rows: Sequence[int] | Ints) -> Floats:
    """Accelerations that forces make which constraints take up, where everything moves by its size."""
    largest = float(np.max(np.abs(at.f) * system.scales, initial=0.0))
    for grip in system.grips:  # friction may balance what it is against
        largest += read_forces(grip, at)[1] * float(np.max(measure_rows(system, at.G[list(grip.rows)])))
    return measure_rows(system, at.G[rows]) * (largest / float(at.M.diagonal() @ system.scales**2))


def find_speeding(system: System, at: Instant, held: Ints, grips: Sequence[Grip]) -> dict[str, Floats]:
    """How the speeds of grips that slide change where some constraints hold; zero where it is rounding."""
    rows = [row for grip in grips for row in grip.rows]
    limits = np.array([read_forces(grip, at)[1] for grip in grips for _ in grip.rows])
    saddle, J, bias = Saddle(at.M, at.G[held], "accelerations", soft=True), full(at.G[rows]), at.bias[rows]
    a, _ = saddle.solve(at.f, -at.bias[held])
    X, _ = saddle.solve(J.T.copy())
    # what friction takes of it counts as well as what is left
    felt = np.abs(J) @ np.abs(a) + np.abs(bias) + np.abs(J @ X) @ limits + _find_shaken(system, at, rows)
    s, noise = J @ a + bias, STILL * felt
    found = iter(np.where(np.abs(s) > noise, s, 0.0).tolist())
    return {grip.name: np.array([next(found) for _ in grip.rows]) for grip in grips}


def full(x: Matrix) -> Floats:
    """A matrix with all its zeros."""
    return x if isinstance(x, np.ndarray) else np.asarray(x.toarray())


def find_inputs(system: System, ways: Ways, leads: dict[str, Floats]) -> dict[str, float]:
    """What the inputs of grips are."""
    found = {grip.sliding: ways[grip.name] for grip in system.grips}
    for grip in system.grips:
        found |= dict(zip(grip.leads, leads[grip.name].tolist(), strict=True)) if grip.leads else {}
    return found


def find_fewest(system: System, at: Instant, held: Ints, rows: Ints, forces: Floats) -> frozenset[int]:
    """Rows that push, as few as do the same: of a foot on four points three, so that their forces are determined."""
    chosen, forces = rows[forces > 0.0], forces[forces > 0.0]
    if not len(chosen):
        return frozenset()
    N = split(full(at.G[held]) * system.scales).right if len(held) else np.eye(at.G.shape[1])
    A, sizes = (full(at.G[chosen]) * system.scales) @ N, measure_rows(system, at.G[chosen])
    while True:
        weighed = split(A / sizes[:, None])
        if weighed.rank == len(chosen):
            return frozenset(chosen.tolist())
        # along what does nothing, until the first of them pushes no more
        idle = weighed.left[:, 0] / sizes
        idle = idle if np.max(idle) >= -np.min(idle) else -idle
        steps = np.where(idle > SMALLEST * np.max(idle), forces / np.maximum(idle, 1e-300), np.inf)
        last = len(steps) - 1 - int(np.argmin(steps[::-1]))
        keep = np.arange(len(chosen)) != last
        forces = (forces - steps[last] * idle)[keep]
        chosen, A, sizes = chosen[keep], A[keep], sizes[keep]


def find_firm(system: System, at: Instant, held: Ints, rows: Sequence[int]) -> frozenset[int]:
    """The rows of grips that follow from constraints that hold: they have nothing to hold."""
    if not rows or not len(held):
        return frozenset()
    G, J = full(at.G[held]) * system.scales, full(at.G[np.array(rows)]) * system.scales
    left = np.max(np.abs(J @ split(G).right), axis=1, initial=0.0)
    gone: Bools = left <= DEPENDENT * np.max(np.abs(J), axis=1, initial=0.0)
    return frozenset(row for row, idle in zip(rows, gone.tolist(), strict=True) if idle)


def read_forces(grip: Grip, at: Instant) -> tuple[float, float]:
    """What a grip can hold, and with which force it slides; nothing where a guess makes them negative."""
    limit = max(0.0, float(at.readings[grip.limit]))
    return max(limit, float(at.readings[grip.hold])), limit


def _check_forces(system: System, at: Instant) -> None:
    """Limits and holds are not negative, but for rounding of the forces that they are computed from."""
    largest = float(np.max(np.abs(at.f), initial=0.0))
    for grip in system.grips:
        force = min(float(at.readings[grip.hold]), float(at.readings[grip.limit]))
        if not force >= -NOTHING * largest:
            words = f"friction '{grip.name}' holds {force:g} at t = {at.t:.9g}"
            raise SolveError(f"{words}. Its limit and hold are forces that are not negative")


def read_hold(system: System, grip: Grip, t: Floats, q: Floats, u: Floats) -> Floats:
    """The largest force with which a grip sticks, at some states.   q, u: (k, n)  →  (k,)"""
    found = [compute_watch(system, system.readings[i], q.T, u.T, t) for i in dict.fromkeys((grip.hold, grip.limit))]
    return np.broadcast_to(np.max(np.array(np.broadcast_arrays(*found)), axis=0), t.shape)
