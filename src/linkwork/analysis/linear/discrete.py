"""The linear model of a mechanism with sampled controllers: from one of their instants to the next, exactly.

x⁺ = A x + B w,  y = C x + D w       x: changes of states, speeds and what controllers hold, just before an instant
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.analysis.linear.deflate import find_spectrum
from linkwork.analysis.linear.files import write_linear
from linkwork.analysis.linear.linearize import read_wanted
from linkwork.analysis.linear.model import Setting, import_control, plain_name
from linkwork.analysis.linear.modes import Mode, Modes, clean, find_unit
from linkwork.analysis.linear.plant import Plant, check_formulas
from linkwork.arrays import Complexes, Floats, Ints
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.model.laws import TIME
from linkwork.solve.mode import Mode as Holding
from linkwork.symbolic import free_symbols

BALANCED = 1e-8  # of the size of a state: it stays where it is from instant to instant
STABLE = 1e-9  # eigenvalues larger than 1 by no more than this do not grow
GONE = 1e-9  # an eigenvalue so small is that of something forgotten within a period


@dataclass(frozen=True, kw_only=True)
class Discrete(Setting):
    """A linear model from one instant of sampled controllers to the next.

    period                how long that is: after it all controllers do the same again
    A, B, C, D            x⁺ = A x + B w, y = C x + D w, just before an instant; inputs w are held for a period
    values, y             x and outputs at the point; `first_order` has first-order states and what controllers hold
    rates                 by how much x changes in a period, divided by the period: nothing in an equilibrium
    positions, velocities the changes of all coordinates and of their speeds by x: (n, z)
    eigenvalues           those of A: what does not grow is in the unit circle
    """

    period: float
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Floats
    B: Floats
    C: Floats
    D: Floats
    values: Floats
    y: Floats
    positions: Floats
    velocities: Floats
    notes: tuple[str, ...]

    @property
    def balanced(self) -> bool:
        """True if the state is the same at every sampling instant."""
        return bool(np.all(np.abs(self.rates) * self.period <= BALANCED * self.sizes))

    @property
    def still(self) -> bool:
        """True if all speeds are zero."""
        return self.is_still(1.0 / self.period)

    @property
    def stable(self) -> bool:
        """True if no mode grows."""
        return bool(np.all(np.abs(self.eigenvalues) <= 1.0 + STABLE))

    @property
    def eigenvalues(self) -> Complexes:
        """All eigenvalues of A, slowest first; those of modes e^(λ period)."""
        found, _ = self._spectrum
        return found

    @cached_property
    def _spectrum(self) -> tuple[Complexes, Complexes]:
        """Eigenvalues μ and right eigenvectors, slowest first: by |log μ|."""
        found = find_spectrum(self.A - np.eye(len(self.A)), self.sizes)
        values = clean(found.eigenvalues) + 1.0
        order = np.lexsort((-values.imag, values.real, np.round(self._rates(values), 12)))
        return values[order], found.right[:, order]

    @staticmethod
    def _rates(values: Complexes) -> Floats:
        return np.asarray(np.abs(np.log(np.maximum(np.abs(values), 1e-300)) + 1j * np.angle(values)))

    @cached_property
    def modes(self) -> Modes:
        """Modes with the eigenvalue λ of what looks alike at the instants in continuous time: e^(λ period) = μ.

        What is forgotten within a period, an eigenvalue of zero, has none.
        """
        values, vectors = self._spectrum
        kept = np.flatnonzero((np.abs(values) > GONE) & (values.imag >= 0))
        found = [self._mode(complex(values[i]), vectors[:, i]) for i in kept]
        pairs = [z for mode in found for z in (mode.eigenvalue, mode.eigenvalue.conjugate())[: 1 + mode.oscillates]]
        return Modes(eigenvalues=np.array(pairs, dtype=np.complex128), found=tuple(found))

    def _mode(self, mu: complex, v: Complexes) -> Mode:
        rate = 0j if mu == 1 else complex(np.log(mu)) / self.period
        shape, speeds = self.positions @ v, self.velocities @ v
        unit = find_unit(self, shape, v)
        weight = np.abs(v / self.sizes) ** 2
        return Mode(
            eigenvalue=rate,
            stable=abs(mu) <= 1.0 + STABLE,
            states=v / unit,
            coordinates=shape / unit,
            speeds=speeds / unit,
            linear=self,
            participation=dict(zip(self.names, (weight / (weight.sum() or 1.0)).tolist(), strict=True)),
        )

    def step(self, count: int) -> Floats:
        """The outputs before so many instants after each input has jumped by one.   (count, outputs, inputs)"""
        x, found = np.zeros((len(self.A), len(self.inputs))), []
        for _ in range(count):
            found.append(self.C @ x + self.D)
            x = self.A @ x + self.B
        return np.array(found).reshape(count, len(self.outputs), len(self.inputs))

    def text(self, matrices: bool = True) -> str:
        """The report for people."""
        from linkwork.analysis.linear.report import write_discrete

        return write_discrete(self, matrices)

    def as_dict(self) -> dict[str, object]:
        """The report as plain data."""
        from linkwork.analysis.linear.report import make_discrete_dict

        return make_discrete_dict(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as .mat, .npz, .json or .txt."""
        return write_linear(self, path)

    def to_control(self) -> Any:
        """The state space of the package python-control, with its period; in its names a dot becomes an underscore."""
        names = {kind: [plain_name(name) for name in getattr(self, kind)] for kind in ("inputs", "outputs")}
        states = [plain_name(name) for name in self.names]
        return import_control().ss(self.A, self.B, self.C, self.D, self.period, states=states, **names)

    def __repr__(self) -> str:
        told = f"{len(self.names)} states {', '.join(self.names[:6])}, every {self.period:g} s"
        return f"Discrete({self.title or 'mechanism'}: {told})"


def discretize(
    model: Mechanism | Lagrangian,
    mode: Holding,
    *,
    states: Iterable[Scalar] = (),
    speeds: Iterable[Scalar] = (),
    inputs: Iterable[Scalar] = (),
    outputs: Iterable[Scalar] = (),
    where: str = "",
) -> Discrete:
    """The linear model with sampled controllers, with what holds at a consistent state."""
    check_formulas(model, "a linear model")
    wanted = read_wanted(model, mode.system, states, speeds, inputs, outputs, mode.turns)
    plant = Plant(model, mode, wanted, where)
    linear, x, z = plant.linear, plant.x, plant.size
    names = list(linear.outputs[plant.laws :])
    # without any asked for, the states are the outputs
    looks = [plant.look(plant.laws + i) for i in range(len(names))] or [np.eye(plant.width)[i] for i in range(x)]
    first = plant.round()
    CD = np.array(looks).reshape(-1, plant.width)
    kept = _find_kept(first[:z, :z], CD[:, :z], x)
    A, B = first[np.ix_(kept, kept)], first[kept, z:-1]
    held = [name for i, name in enumerate(plant.names) if i >= x and i in kept]
    sizes = np.concatenate([linear.sizes, _find_sizes(plant, len(kept) - x)])
    spread = np.zeros((mode.whole.n, len(held)))
    mechanical = [*linear.values.tolist(), *(_value(plant, name) for name in held)]
    return Discrete(
        title=linear.title, system=linear.system, at=linear.at, where=where, states=linear.states,
        speeds=linear.speeds, first_order=(*linear.first_order, *held), rates=first[kept, -1] / plant.period,
        sizes=sizes, period=plant.period, inputs=linear.inputs[len(plant.held) :],
        outputs=tuple(names or plant.names[:x]), A=A, B=B, C=CD[:, kept], D=CD[:, z:-1],
        values=np.array(mechanical), y=CD[:, -1] if names else linear.values.copy(),
        positions=np.hstack([linear.positions, spread]), velocities=np.hstack([linear.velocities, spread]),
        notes=(*linear.noted, *_find_notes(model, plant)),
    )  # fmt: skip


def _find_kept(F: Floats, C: Floats, x: int) -> Ints:
    """States of the mechanism, and of controllers what anything depends on later."""
    kept = list(range(len(F)))
    while gone := [i for i in kept if i >= x and not F[kept, i].any() and not C[:, i].any()]:
        kept = [i for i in kept if i not in gone]
    return np.array(kept, dtype=np.int64)


def _find_sizes(plant: Plant, count: int) -> Floats:
    """Scales of held values: their change for full changes of the states."""
    n = plant.linear
    most = float(np.max(np.abs(n.C[: plant.laws]) @ n.sizes, initial=0.0))
    return np.full(count, most or 1.0)


def _value(plant: Plant, name: str) -> float:
    """Values held at the point; delayed answers have the values that are set there."""
    if name in plant.values:
        return plant.values[name]
    one = next(c.one for c in plant.controls if name in c.waiting)
    return plant.values[name.removeprefix(f"{one.name}_").rpartition("_")[0]]


def _find_notes(model: Mechanism | Lagrangian, plant: Plant) -> Iterator[str]:
    """What the model leaves out of the controllers."""
    names = ", ".join(control.one.name for control in plant.controls)
    yield f"in discrete time, from instant to instant of {names}: every {plant.period:g} s"
    for control in plant.controls:
        one = control.one
        if one.quantum:
            yield f"controller {one.name} rounds {', '.join(one.quantum)} in steps, which the model leaves out"
        used = {s for _, law in one.laws() for s in free_symbols(law)}
        if TIME in used or any(s.name == one.count for s in used):
            yield f"controller {one.name} depends on time, which stands still in the model"
