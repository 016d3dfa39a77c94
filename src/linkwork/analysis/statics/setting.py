"""What is brought to rest: equations with the values of inputs that are held, and of those that follow from forces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.loops import close_loops


@dataclass(frozen=True, slots=True)
class Setting:
    """What is in equilibrium: equations, time, description; constraints that do not hold, whatever happens."""

    system: System
    t: float
    mechanism: Mechanism | Lagrangian
    off: frozenset[int] = frozenset()

    @property
    def has_states(self) -> bool:
        """Whether more has to come to rest than places: first-order states, and what sampled controllers hold."""
        return bool(self.system.states or self.mechanism.controllers)

    @property
    def has_sides(self) -> bool:
        """Whether there is friction that may stick, or a constraint that only pushes."""
        return bool(self.system.grips or self.system.barriers)


def hold_inputs(system: System, values: Mapping[str, float]) -> System:
    """The same with other values of inputs."""
    frozen, first = system.frozen.copy(), system.n
    for name, value in values.items():
        frozen[system.inputs[name] - first] = value
    return replace(system, frozen=frozen)


def close_values(system: System, off: frozenset[int], t: float, q: Floats, u: Floats) -> System:
    """The same with the forces of constraints that laws and limits name, as they are at a place."""
    if not system.algebra:
        return system
    rows = np.array([i for i in range(system.m) if i not in off], dtype=np.int64)
    found = system.inputs_in(close_loops(system, t, q, u, rows).q)
    values = dict(zip(system.inputs, found.tolist(), strict=True))
    return hold_inputs(system, {value.name: values[value.name] for value in system.algebra})
