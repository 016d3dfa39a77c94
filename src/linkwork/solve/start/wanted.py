"""What is wanted of a start: the guesses for a System and how much each of them matters, as one.

Knows how far a state is from what is wanted, and other guesses to try; not how a consistent state is found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.errors import Ref, StartError, did_you_mean
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.check.findings import LARGEST
from linkwork.solve.constraints import Constraints, sides_of
from linkwork.solve.start.guess import Guesses, bring_near, guess_positions, guess_velocities, read_positions
from linkwork.solve.start.tiers import Tiers, find_tiers

CLEAR = 0.5  # cosine beyond which guessed directions say which way they are turned
BEYOND = 1e6  # scales within which a guess is taken as it is
UNMENTIONED = 1e-3  # weight of values the user did not give


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Guesses of positions and velocities of a System at a time.

    importance  (n,) > 0, 1 unless said otherwise
    asked       the positions as they were given, however far away
    bare        the same System without the conditions of the start, which are the last of its constraints
    conditions  what those keep, by the name in the description
    told        the angles of parts that follow from those of joints
    tiers       of positions and of velocities
    """

    system: System
    t: float
    position: Guesses
    velocity: Guesses
    importance: Floats
    asked: Floats
    bare: System
    conditions: Mapping[Ref, float]
    told: Mapping[Ref, Ref]
    tiers: tuple[Tiers, Tiers]

    @cached_property
    def constraints(self) -> Constraints:
        """The constraints the positions must meet, with all joints on the sides that their directions say."""
        return Constraints(self.system, self.t, sided=True)

    @cached_property
    def turned(self) -> tuple[Ref, ...]:
        """The joints whose directions are opposite where the user's values clearly place them."""
        s = self.system
        known = np.append(self.position.given, np.ones(len(s.frozen), dtype=bool))
        known[self.turns] = True
        said = np.zeros(len(s.chart.side_rows), dtype=bool)
        for term in s.chart.sides:
            said[term.rows] = np.all(known[term.coordinates], axis=1, keepdims=True)
        said &= np.array([row.kind != "turn" for row in s.chart.side_rows], dtype=bool)
        if not said.any():
            return ()
        guess = sides_of(s, self.t).values(self.position.values[:, None])[:, 0]
        # beyond −1 the guess is too rough to have directions
        opposite = said & (guess < -CLEAR) & (guess > CLEAR - 2.0)
        return tuple(dict.fromkeys(s.chart.side_rows[i].owner for i in np.flatnonzero(opposite)))

    def unconditioned(self) -> Wanted:
        """The same without conditions."""
        return replace(self, system=self.bare, conditions={})

    def moving(self) -> Wanted:
        """The same with the conditions on velocities alone."""
        s = self.system
        off = frozenset(i for i in range(self.bare.m, s.m) if s.holonomic[i])
        kept = {ref: value for ref, value in self.conditions.items() if ref.kind == "rate of"}
        return replace(self, system=s.restricted(off), conditions=kept) if off else self

    @cached_property
    def free(self) -> Ints:
        """The coordinates that may be moved."""
        return np.flatnonzero(~self.position.fixed)

    @cached_property
    def weight(self) -> Floats:
        """The weights of positions in the distance."""
        return self.weights(self.position)

    def weights(self, guesses: Guesses) -> Floats:
        """What was given counts, the rest hardly; all in units of the coordinates' scales."""
        return np.asarray(self.importance * np.where(guesses.given, 1.0, UNMENTIONED) / self.system.scales**2)

    @cached_property
    def reach(self) -> Floats:
        """How far the free coordinates may be moved, relative to each other."""
        weight = self.weight[self.free]
        return np.asarray(1.0 / np.sqrt(np.maximum(weight, UNMENTIONED * np.max(weight, initial=0.0))))

    @cached_property
    def turns(self) -> Ints:
        """The turn angles."""
        return np.array(sorted(self.system.chart.angles.values()), dtype=np.int64)

    def distances(self, Q: Floats) -> Floats:
        """Σ w (q − guess)² of each state.   Q: (n, k)  →  (k,)"""
        return np.asarray(self.weight @ (Q - self.position.values[:, None]) ** 2)

    def moved(self, q: Floats) -> float:
        """The largest change of a value that was given, in scales."""
        change = np.abs(q - self.position.values) / self.system.scales
        return float(np.max(change[self.position.given], initial=0.0))

    def near(self, count: int) -> Floats:
        """Guesses around the given one at growing distance, always the same ones.   → (n, count)"""
        random = np.random.default_rng(1)
        size = 2.0 * np.arange(1, count + 1) / count
        return self._shifted(self.position.values, size * random.standard_normal((len(self.free), count)))

    def anywhere(self, count: int, seed: int = 2) -> Floats:
        """Guesses all over the place the mechanism is in.   → (n, count)"""
        random = np.random.default_rng(seed)
        middle = np.where(self.position.fixed, self.position.values, self._middle)
        return self._shifted(middle, random.uniform(-1.5, 1.5, (len(self.free), count)))

    def _shifted(self, q: Floats, shifts: Floats) -> Floats:
        Q = np.repeat(q[:, None], shifts.shape[1], axis=1)
        Q[self.free] += self.system.scales[self.free][:, None] * np.where(
            np.isin(self.free, self.turns)[:, None], 2.0 * shifts, shifts
        )
        return Q

    @cached_property
    def _middle(self) -> Floats:
        """For points the middle of those that do not move or, if all do, of the guess; zero for all else."""
        middle = np.zeros(self.system.n)
        moving = [list(at) for at in self.system.chart.points.values() if at[0] < self.system.n]
        fixed = [self.system.frozen[np.array(at) - self.system.n] for at in self.system.chart.points.values()
                 if at[0] >= self.system.n]  # fmt: skip
        if moving:
            center = np.mean(fixed or [self.position.values[at] for at in moving], axis=0)
            for at in moving:
                middle[at] = center
        return middle

    def bounded(self) -> Wanted:
        """The same with guesses of constrained coordinates within bounds, beyond which they say nothing more."""
        values, reach = self.position.values, BEYOND * self.system.scales
        farthest = max(np.abs(values).max(initial=0.0), np.abs(self.system.frozen).max(initial=0.0))
        if farthest <= min(LARGEST, 0.5 * reach.min(initial=np.inf)):
            return self  # wherever the middle is
        near = np.clip(values, self._middle - reach, self._middle + reach)
        if (near == values).all() and np.max(np.abs(values), initial=0.0) <= LARGEST:
            return self
        keep = self.position.fixed | ~self.constraints.touched
        values = np.where(keep, values, near)
        for i in np.flatnonzero(np.abs(values) > LARGEST):
            what = f"{self.system.coordinates[i]} would start at {values[i]:g}, which is out of range"
            parts = [Ref("position of", point) for point, at in self.system.chart.points.items() if i in at]
            raise StartError(f"{what}. Use positions up to {LARGEST:g}", parts=parts)
        return replace(self, position=replace(self.position, values=values))

    def unwound(self, q: Floats) -> Floats:
        """The same position with whole turns taken out of angles, as far as the constraints do not care."""
        reference = np.where(self.position.given, self.position.values, 0.0)
        turns = np.ceil((q - reference - math.pi) / (2 * math.pi))
        for i in self.turns[(turns[self.turns] != 0) & ~self.position.fixed[self.turns]]:
            other = q.copy()
            other[self._turning_with(int(i))] -= 2 * math.pi * turns[i]
            if self.constraints.gap(other) <= max(1e-12, 2 * self.constraints.gap(q)):
                q = other
        return q

    def _turning_with(self, i: int) -> list[int]:
        """A turn angle and those that conditions tie to it, directly or by others."""
        found, tied = [i], [at.tolist() for term in self.bare.chart.conditions for at in term.coordinates]
        for one in found:
            found += [other for at in tied if one in at for other in at if other not in found]
        return found

    def holding(self, held: Ints, q: Floats) -> Wanted:
        """A state as what is wanted, some of its positions fixed."""
        fixed = np.isin(np.arange(self.system.n), held)
        return replace(self, position=Guesses(values=q, given=np.ones(self.system.n, dtype=bool), fixed=fixed))


def read_wanted(mechanism: Mechanism | Lagrangian, system: System, weights: Mapping[str, float] | None) -> Wanted:
    """The initial values of a mechanism; `weights` by coordinate ('Cx') or point ('C')."""
    return _want(mechanism, system, guess_positions(mechanism, system), _importance(system, weights or {}))


def read_given(mechanism: Mechanism, system: System, elsewhere: Floats) -> Wanted:
    """The same, with all that was not given as it is in some other position."""
    given = read_positions(mechanism, system)
    position = replace(given, values=np.where(given.given, given.values, elsewhere))
    return _want(mechanism, system, position, np.ones(system.n))


def _want(mechanism: Mechanism | Lagrangian, system: System, position: Guesses, importance: Floats) -> Wanted:
    start = mechanism.start
    conditions = {row.owner: (start.rates if row.level == "velocity" else start.angles)[str(row.owner.name)]
                  for row in system.chart.condition_rows}  # fmt: skip
    near, velocity = bring_near(mechanism, system, position), guess_velocities(mechanism, system)
    given = position.given | velocity.given
    wanted = Wanted(
        tiers=(
            find_tiers(mechanism, system, given, start.angles),
            find_tiers(mechanism, system, given, start.rates),
        ),
        system=system.conditioned(),
        bare=system,
        told=start.told,
        conditions={owner: mechanism.compute(guess.value) for owner, guess in conditions.items()},
        t=mechanism.compute(mechanism.start.t0),
        position=near,
        velocity=velocity,
        importance=importance,
        asked=position.values,
    )
    return wanted.bounded()


def _importance(system: System, weights: Mapping[str, float]) -> Floats:
    values = np.ones(system.n)
    for name, weight in weights.items():
        if not (math.isfinite(weight) and weight > 0):
            raise StartError(f"weight of '{name}' must be a positive number, not {weight}")
        values[find_coordinates(system, name, f"weight of '{name}'")] = weight
    return values


def find_coordinates(system: System, name: str, who: str) -> list[int]:
    """The coordinates of a point, an angle or a single coordinate, by name."""
    if name in system.index:
        return [system.index[name]]
    if name in system.chart.points and all(i < system.n for i in system.chart.points[name]):
        return list(system.chart.points[name])
    hint = did_you_mean(name, [*system.coordinates, *system.chart.points])
    raise StartError(f"{who}: no moving point or coordinate of that name. {hint}".rstrip())
