"""Equilibrium of a mechanism with sampled controllers: places, states and what is held, where no instant changes them.

    ü = 0,  Ẋ = d(q, X, h) = 0,  h⁺(q, X, h) = h        by Newton's method from one linear model to the next

in the least-norm sense: what does not matter stays. Nothing is said of whether the controllers keep it there.
"""

from __future__ import annotations

import numpy as np

from linkwork.analysis.linear.linearize import Wanted
from linkwork.analysis.linear.plant import Plant, check_formulas
from linkwork.analysis.statics.closing import Closing
from linkwork.analysis.statics.setting import hold_inputs
from linkwork.arrays import Floats
from linkwork.clock import check_time
from linkwork.equations import System
from linkwork.errors import InputError, Problem, SolveError
from linkwork.model import Lagrangian, Mechanism
from linkwork.solve.mode import Mode

ROUNDS = 60
LONGEST = 0.5  # of the sizes of places, in one step
BALANCED = 1e-12  # steps below this, in the sizes of what changes, are the last
WEAK = 1e-11  # of the largest: directions in which nothing is asked for
MISSED = 1e-8  # of what full changes do: what may be left
PATIENCE = 8  # rounds in which the steps may fail to shrink


def check_sampled(model: Mechanism | Lagrangian) -> None:
    """Refuse controllers whose equilibria cannot be found: functions, and those that round."""
    check_formulas(model, "an equilibrium")
    rounding = [one for one in model.controllers if one.quantum]
    if rounding:
        what, remedy = "it rounds values in steps, and may never come to rest", "Leave out the quantum, or simulate"
        raise InputError([Problem(ref=one.ref, what=what, remedy=remedy) for one in rounding])


def find_sampled_rest(
    model: Mechanism | Lagrangian, system: System, t: float, q: Floats, u: Floats
) -> tuple[Floats, Floats, dict[str, float]]:
    """Places, states as speeds, and what is held, where nothing changes from instant to instant."""
    search = _Search(model, system, t)
    q, u, held = q[: system.n], np.where(system.mechanical, 0.0, u[: system.n]), dict[str, float]()
    least, vain = np.inf, 0
    for _ in range(ROUNDS):
        check_time("the search for an equilibrium")
        (q, u, held), length, left = search.advance(q, u, held)
        if length <= BALANCED:
            if left <= MISSED:
                return q, u, held
            break
        least, vain = (length, 0) if length < 0.9 * least else (least, vain + 1)
        if vain > PATIENCE:
            break
    raise SolveError("no equilibrium of the mechanism and its sampled controllers was found. Can they come to rest?")


State = tuple[Floats, Floats, dict[str, float]]


class _Search:
    def __init__(self, model: Mechanism | Lagrangian, system: System, t: float) -> None:
        check_sampled(model)
        self.model, self.system, self.t = model, system.in_mode(frozenset()), t

    def advance(self, q: Floats, u: Floats, held: dict[str, float]) -> tuple[State, float, float]:
        """One step of Newton's method, how long it would be, and what was left before it."""
        system = hold_inputs(self.system, held)
        mode = Mode(whole=system, t=self.t, q=system.with_inputs(q, {}), u=u, off=frozenset())
        plant = Plant(self.model, mode, Wanted(states=[], speeds=[], inputs=[], outputs=[]))
        n, x, names = plant.linear, plant.x, plant.held
        z, w = len(n.states), len(n.speeds)
        every = np.arange(plant.width - 1)
        unknown = np.concatenate([every[:z], every[z + w : x + len(names)]])
        # accelerations and rates, then what instants change
        rest = np.zeros((plant.width, plant.width))
        rest[:x, :x], rest[:x, x : x + len(names)], rest[:x, -1] = n.A, n.B[:, : len(names)], n.rates
        asked = plant.sample(plant.controls, ()) if names else np.eye(plant.width)
        answers = self._answer(plant, asked) - np.eye(plant.width)
        J = np.concatenate([rest[z:x], answers[x : x + len(names)]])
        by, b = J[:, unknown], J[:, -1]
        sizes = np.concatenate([n.sizes[:z], n.sizes[z + w :], self._sizes(plant)])
        scaled = by * sizes
        rows = np.maximum(np.max(np.abs(scaled), axis=1, initial=0.0), 1e-300)
        step = sizes * np.linalg.lstsq(scaled / rows[:, None], -b / rows, rcond=WEAK)[0]
        left = float(np.max(np.abs(b + by @ step) / rows, initial=0.0))
        length = float(np.max(np.abs(step) / sizes, initial=0.0))
        part = min(1.0, LONGEST / max(float(np.max(np.abs(step[:z]) / sizes[:z], initial=0.0)), 1e-300))
        closing = Closing(system, self.t, q)
        q = closing.close(q + part * n.positions[:, :z] @ step[:z])
        u = u.copy()
        for name, change in zip(n.first_order, step[z : z + len(n.first_order)], strict=True):
            u[system.states[name]] += part * change
        after = step[z + len(n.first_order) :]
        held = {name: plant.values[name] + part * float(dx) for name, dx in zip(names, after, strict=True)}
        return (q, u, held), length, left

    @staticmethod
    def _answer(plant: Plant, asked: Floats) -> Floats:
        """What instants make of what is set at once: an answer that arrives later is the same in equilibrium."""
        found = asked.copy()
        for control in plant.controls:
            for target in control.one.targets if control.slots else ():
                found[plant.place[target]] = asked[plant.place[f"{control.one.name}_{target}_1"]]
        return found

    @staticmethod
    def _sizes(plant: Plant) -> Floats:
        """What is a change of full size of what is held: what moves the states as much as their own do, or 1."""
        n, h = plant.linear, len(plant.held)
        pull = np.max(np.abs(n.B[:, :h]) / n.sizes[:, None], axis=0, initial=0.0)
        quickest = float(np.max(np.abs(n.A) * n.sizes / n.sizes[:, None], initial=0.0)) or 1.0
        return np.where(pull > 0.0, quickest / np.maximum(pull, 1e-300), 1.0)
