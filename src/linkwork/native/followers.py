"""Followers in the reference machine: series of coordinates in, series of what follows their speeds out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native.interpreter import PlanRunner, run_program


class Followers:
    """The rates of all followers of a system, ready to expand to an order; S is (orders, slots) as in the machine."""

    def __init__(self, system: System, order: int) -> None:
        self.system = system
        self.places = np.arange(system.first_follower, system.first_follower + len(system.followers))
        self.runners: list[tuple[PlanRunner, NDArray[np.int64]]] = []
        for term in system.kinematics:
            d = term.kernel.derived
            assert d.rates is not None and d.rate_plan is not None
            p = run_program(d.rates.setup, {"p": [*term.parameters.T]})["p"]
            slots = term.coordinates.T
            runner = PlanRunner(d.rate_plan, p, slots, order)
            self.runners.append((runner, slots[len(term.kernel.coordinates) :]))

    def stage(self, k: int, t: float, S: Floats) -> None:
        """The followers' part of a stage, before all others."""
        if k >= 1:
            self.correct(k, S)
        if k >= -1:
            self.advance(k, t, S)

    def correct(self, k: int, S: Floats) -> None:
        """Order k + 1, now that the speeds of order k are known."""
        for runner, slots in self.runners:
            added = runner.correct(k, S)
            for slot, step in zip(slots, runner.plan.outputs["n"], strict=True):
                S[k + 1, slot] += added.get(step, 0.0) / (k + 1)

    def advance(self, k: int, t: float, S: Floats) -> None:
        """Order k + 2, as long as the speeds of order k + 1 are zero."""
        for runner, slots in self.runners:
            for slot, rate in zip(slots, runner.advance(k, t, S)["n"], strict=True):
                S[k + 2, slot] = rate / (k + 2)

    def move(self, t: float, S: Floats, delta: Floats) -> None:
        """Move row 0 as the coordinates are moved, e := e + N(e) delta."""
        if len(self.places):
            moved = S[:2].copy()
            moved[1, : self.system.n] = delta
            self.advance(-1, t, moved)
            S[0, self.places] += moved[1, self.places]
            self.normalise(S)

    def normalise(self, S: Floats) -> float:
        """Bring row 0 back to its invariants, rotations by the polar decomposition; how far it was off."""
        off = 0.0
        for group in self.system.invariants:
            places = self.places[list(group)]
            before = S[0, places]
            if len(group) == 9:
                left, _, right = np.linalg.svd(before.reshape(3, 3))
                S[0, places] = (left @ right).ravel()
            else:
                S[0, places] = before / np.linalg.norm(before)
            off = max(off, float(np.max(np.abs(S[0, places] - before))))
        return max(off, self._tie(S[0]))

    def _tie(self, e: Floats) -> float:
        """Followers that coordinates tell, as they tell them; how far they were off."""
        s, off = self.system, 0.0
        for tie in s.ties:
            places = self.places[list(tie.followers)]
            found = tie.find(e[tie.coordinate], _axes(e[self.places[list(tie.parent)]], len(places)), s.numbers)
            off = max(off, float(np.max(np.abs(found - e[places]))) / s.scales[tie.coordinate])
            e[places] = found
        return off


def _axes(entries: Floats, count: int) -> Floats:
    """The axes of a part from its followers; without any those of the ground."""
    if not len(entries):
        return np.eye(2 if count == 2 else 3)
    c, s = entries[:2]
    return np.array([[c, -s], [s, c]]) if len(entries) == 2 else entries.reshape(3, 3)
