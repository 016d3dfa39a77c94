"""Equilibria from value to value of a parameter: the last one in, the next one on the same branch out.

    r(q, λ, p) = 0,   g(q, p) = 0        by Newton's method from where the last two equilibria point to

A step to the next value is halved until Newton's method arrives near its guess. Where even the smallest step does not,
the branch has an end there: a limit point, at which the stiffness vanishes and what is loaded snaps through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.linear.discrete import discretize
from linkwork.analysis.statics.equilibrium import BALANCED, SOFT, Search, find_equilibrium
from linkwork.analysis.statics.holding import Hold, Rested, Resting
from linkwork.analysis.statics.onesided import Push, agrees, find_pushes, find_sided_rest
from linkwork.analysis.statics.rest import find_rest
from linkwork.analysis.statics.setting import Setting, close_values, hold_inputs
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.model import Lagrangian, Mechanism
from linkwork.solve.mode import Mode

ROUNDS = 12  # of Newton's method, for one step
NEAR = 0.1  # of the scales: how far from the guess an equilibrium may be
FINEST = 1e-10  # of the whole range: the smallest step
LIMP = 1e-3  # of the stiffness at the begin: what is near a limit point


Make = Callable[[float], Setting]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """An equilibrium: the value it belongs to, places, states as speeds, multipliers, the lowest stiffness (relative).

    The stiffness is that with states and algebraic values held, and with what holds: constraints in `off` do not.
    holds and pushes are what frictions and stops do; lasts is whether sampled controllers keep it there.
    """

    value: float
    system: System
    t: float
    q: Floats
    u: Floats
    lam: Floats
    stiffness: float
    mechanism: Mechanism | Lagrangian
    off: frozenset[int] = frozenset()
    holds: tuple[Hold, ...] = ()
    pushes: tuple[Push, ...] = ()
    lasts: bool | None = None

    @property
    def stable(self) -> bool:
        """Whether it is a minimum of the potential or, with sampled controllers, whether nothing grows."""
        return self.stiffness >= -SOFT if self.lasts is None else self.lasts


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Where a branch ends: the value, and whether the stiffness vanishes there."""

    value: float
    limit: bool


def come_to_rest(setting: Setting, q: Floats, u: Floats, value: float = 0.0, slide: bool = True) -> Balanced:
    """The equilibrium near a state, in which first-order states come to rest as well.

    Without `slide`, friction that cannot hold what is there is an error.
    """
    system, q = setting.system.restricted(setting.off), q[: setting.system.n]
    u = np.where(system.mechanical, 0.0, u[: system.n])
    if setting.has_sides or setting.mechanism.controllers:
        return settle(setting, Resting(setting, q, u).run(slide), value)
    if system.states:
        places, speeds = find_rest(setting.mechanism, system, setting.t, q, u)
    else:
        places, speeds = find_equilibrium(system, setting.t, q, still=False), np.zeros_like(q)
    return settle(setting, Rested(q=places[: system.n], u=speeds[: system.n], off=setting.off), value)


def settle(setting: Setting, found: Rested, value: float) -> Balanced:
    """What is known of a place where forces balance."""
    whole, t, q, u = hold_inputs(setting.system, found.held), setting.t, found.q, found.u
    whole = close_values(whole, found.off, t, q, u)
    search = Search(whole.restricted(found.off), t, q, u)
    here, lam = search.at(q), np.zeros(whole.m)
    lam[[i for i in range(whole.m) if i not in found.off]] = here.lam
    return Balanced(
        value=value, system=whole, t=t, q=q, u=u, lam=lam, stiffness=search.find_softest(here)[0],
        mechanism=setting.mechanism, off=found.off, holds=found.holds,
        pushes=find_pushes(whole, found.off, t, q, u), lasts=_find_lasting(setting, whole, found),
    )  # fmt: skip


def _find_lasting(setting: Setting, whole: System, found: Rested) -> bool | None:
    """Whether sampled controllers keep a mechanism where it rests; nothing if there are none."""
    if not setting.mechanism.controllers:
        return None
    mode = Mode(whole=whole, t=setting.t, q=whole.with_inputs(found.q, {}), u=found.u, off=found.off)
    return discretize(setting.mechanism, mode).stable


class Branch:
    """A branch of equilibria that is followed; `path` are those found so far."""

    def __init__(self, make: Make, first: Balanced) -> None:
        self.make, self.path = make, [first]
        self.size = abs(first.stiffness) or 1.0

    def follow(self, target: float, span: float) -> Balanced | Lost:
        """The equilibrium of a value, by as many steps as it takes; the range of all values is the span."""
        step = target - self.path[-1].value
        while self.path[-1].value != target:
            check_time("the search for equilibria")
            here = self.path[-1]
            value = target if abs(target - here.value) <= abs(step) else here.value + step
            found = self._try(value)
            if found is not None:
                self.path.append(found)
                step *= 2.0
                continue
            step = (value - here.value) / 2
            if abs(step) <= FINEST * span:
                return Lost(value=here.value, limit=abs(here.stiffness) <= LIMP * self.size)
        return self.path[-1]

    def _try(self, value: float) -> Balanced | None:
        here = self.path[-1]
        guess, scales = here.q, here.system.scales
        if len(self.path) > 1 and (before := self.path[-2]).value != here.value:
            ahead = (here.q - before.q) * ((value - here.value) / (here.value - before.value))
            guess = here.q + ahead * min(1.0, NEAR / max(float(np.max(np.abs(ahead) / scales)), NEAR))
        setting = self.make(value)
        try:
            found = self._improve(setting, guess) or self._change(setting)
        except SolveError:
            return None
        return None if found is None else settle(setting, found, value)

    def _improve(self, setting: Setting, guess: Floats) -> Rested | None:
        """The equilibrium near a guess with what held before, unless it passes what it must not."""
        here, none = self.path[-1], np.zeros_like(guess)
        search = Search(setting.system.restricted(here.off), setting.t, guess, none)
        place = search.at(search.closing.close(guess))
        for _ in range(ROUNDS):
            if place.size <= BALANCED:
                break
            place = search.improve(place)
        if place.size > BALANCED or self._far(place.q, guess) > NEAR:
            return None
        off = agrees(setting, here.off, place.q, none) if setting.has_sides else here.off
        return None if off is None else Rested(q=place.q, u=none, off=off)

    def _change(self, setting: Setting) -> Rested | None:
        """The equilibrium downhill from the last one, where stops are met or let go."""
        here = self.path[-1]
        if not setting.has_sides:
            return None
        found = find_sided_rest(setting, here.q, np.zeros_like(here.q))
        return Rested(q=found.q, u=found.u, off=found.off) if self._far(found.q, here.q) <= NEAR else None

    def _far(self, q: Floats, guess: Floats) -> float:
        return float(np.max(np.abs(q - guess) / self.path[-1].system.scales, initial=0.0))
