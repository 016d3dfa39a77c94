"""Values in laws as unknowns of IDA: algebraic values and calls of opaque functions, their residuals and slopes.

ρ(q, u, u̇, λ, w, t) = 0        of calls of opaque functions first; residuals in compiled code, slopes exact
"""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations import System
from linkwork.native.loops import compute_slopes
from linkwork.native.opaque import compute_call_slopes
from linkwork.native.tangents import Point, compute_stiffness_by

if TYPE_CHECKING:
    from linkwork.native.machine import Machine

Block = tuple[Ints, Ints]


class IdaValues:
    """The values of a system, which stand behind all other unknowns.

    places   numbers of their inputs, as in Term.coordinates;  behind  their numbers among the inputs behind q
    loop     ∂ρ/∂w where slopes were last asked for
    """

    def __init__(self, system: System) -> None:
        self.system = system
        names = [*(call.name for call in system.opaque), *(value.name for value in system.algebra)]
        self.places = [system.inputs[name] for name in names]
        self.behind = np.array(self.places, dtype=np.int64) - (system.first_follower - len(system.inputs))
        self.rest, self.loop = np.zeros(len(names)), -np.eye(len(names))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.places)

    def slots(self, machine: Machine) -> Ints:
        """Where a machine holds them."""
        return np.asarray(machine.slots[self.places])

    def find_rest(self, machine: Machine, t: float) -> Floats:
        """ρ at the point that a machine holds."""
        assert machine.implicit is not None
        tables = ctypes.byref(machine.c), ctypes.byref(machine.implicit.c)
        machine.method.lw_find_left(*tables, ctypes.c_double(t), self.rest.ctypes.data_as(ctypes.c_void_p))
        return self.rest

    def blocks(self, parts: Ints) -> dict[str, Block]:
        """Rows and columns of their entries in the Jacobian, given where the parts of y begin."""
        q, u, lam, _, w = (np.arange(a, b) for a, b in pairwise(parts))

        def grid(rows: Ints, columns: Ints) -> Block:
            i, j = np.meshgrid(rows, columns, indexing="ij")
            return i.ravel(), j.ravel()

        return {"rw": grid(u, w), "wq": grid(w, q), "wu": grid(w, u), "wl": grid(w, lam), "ww": grid(w, w)}

    def slopes(self, at: Point, cj: float) -> dict[str, Floats]:
        """The entries of these blocks at a state whose accelerations change cj times as much as its speeds."""
        s, calls = self.system, len(self.system.opaque)
        by_place, by_speed = compute_call_slopes(s, at.t, at.q, at.u)
        by_place[np.arange(calls), self.places[:calls]] -= 1.0
        by_multiplier = np.zeros((calls, s.m))
        if s.algebra:
            by = compute_slopes(s, at)
            by_place, by_speed = np.vstack([by_place, by.q]), np.vstack([by_speed, by.u + cj * by.a])
            by_multiplier = np.vstack([by_multiplier, by.lam])
        found = {"wq": by_place[:, : s.n], "wu": by_speed, "wl": by_multiplier, "ww": by_place[:, self.places]}
        self.loop = found["ww"]
        found["rw"] = compute_stiffness_by(s, at, self.places)
        return {name: np.asarray(x).ravel() for name, x in found.items()}
