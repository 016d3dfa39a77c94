"""Equilibria from value to value of a parameter: the last one in, the next one on the same branch out.

    r(q, λ, p) = 0,   g(q, p) = 0        by Newton's method from where the last two equilibria point to

A step to the next value is halved until Newton's method arrives near its guess. Where even the smallest step does not,
the branch has an end there: a limit point, at which the stiffness vanishes and what is loaded snaps through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.analysis.statics.equilibrium import BALANCED, SOFT, Search, find_equilibrium
from linkwork.analysis.statics.rest import find_rest
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import SolveError
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.loops import close_loops

ROUNDS = 12  # of Newton's method, for one step
NEAR = 0.1  # of the scales: how far from the guess an equilibrium may be
FINEST = 1e-10  # of the whole range: the smallest step
LIMP = 1e-3  # of the stiffness at the begin: what is near a limit point


@dataclass(frozen=True, slots=True)
class Setting:
    """What is in equilibrium: equations, time, description; constraints that are off though friction has them."""

    system: System
    t: float
    mechanism: Mechanism | Lagrangian
    off: frozenset[int] = frozenset()


Make = Callable[[float], Setting]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balanced:
    """An equilibrium: the value it belongs to, places, states as speeds, multipliers, the lowest stiffness (relative).

    The stiffness is that with states and algebraic values held.
    """

    value: float
    system: System
    t: float
    q: Floats
    u: Floats
    lam: Floats
    stiffness: float
    mechanism: Mechanism | Lagrangian

    @property
    def stable(self) -> bool:
        """Whether it is a minimum of the potential."""
        return self.stiffness >= -SOFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Where a branch ends: the value, and whether the stiffness vanishes there."""

    value: float
    limit: bool


def balance(setting: Setting, q: Floats, value: float = 0.0) -> Balanced:
    """The equilibrium downhill from a place."""
    return settle(setting, find_equilibrium(setting.system, setting.t, q, still=False), value)


def come_to_rest(setting: Setting, q: Floats, u: Floats, value: float = 0.0) -> Balanced:
    """The equilibrium near a state, in which first-order states come to rest as well."""
    if not setting.system.states:
        return balance(setting, q, value)
    places, speeds = find_rest(setting.mechanism, setting.system, setting.t, q, u)
    return settle(setting, places, value, speeds)


def settle(setting: Setting, q: Floats, value: float, u: Floats | None = None) -> Balanced:
    """What is known of a place where forces balance; u has the values of states."""
    system, t, q = setting.system, setting.t, q[: setting.system.n]
    u = np.zeros_like(q) if u is None else u[: system.n]
    if system.algebra:
        system = system.with_values(close_loops(system, t, q, u).q[-len(system.algebra) :])
    search = Search(system, t, q, u)
    here = search.at(q)
    stiffness = search.find_softest(here)[0]
    return Balanced(
        value=value, system=system, t=t, q=q, u=u, lam=here.lam, stiffness=stiffness, mechanism=setting.mechanism
    )


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
            search = Search(setting.system, setting.t, guess, np.zeros_like(guess))
            place = search.at(search.closing.close(guess))
            for _ in range(ROUNDS):
                if place.size <= BALANCED:
                    break
                place = search.improve(place)
        except SolveError:
            return None
        far = float(np.max(np.abs(place.q - guess) / scales, initial=0.0))
        if place.size > BALANCED or far > NEAR:
            return None
        return settle(setting, place.q, value)
