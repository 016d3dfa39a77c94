"""Evidence: how good a motion is and what it took, as plain records. A System and states in, energies out."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native.machine import IMPLICIT
from linkwork.native.numbers import compute_energy

SPRINGS = ("spring", "plain_spring")  # whose first parameter is a stiffness
FITTED = 0.1  # an audit allows a hundred times the tolerance and more


End = Literal["reached", "stopped", "interrupted", "out of time"]


@dataclass(frozen=True, slots=True)
class Method:
    """How a motion was integrated: the name of the method, why it was taken, its numbers by name.

    `before` are the methods that made the first steps, where it was changed on the way.
    """

    name: str
    why: str
    numbers: Mapping[str, float] = field(default_factory=dict)
    before: frozenset[str] = frozenset()

    @property
    def damps(self) -> bool:
        """Whether steps damp vibrations that are much faster than they are."""
        return not IMPLICIT.isdisjoint({self.name, *self.before})

    def __str__(self) -> str:
        numbers = ", ".join(f"{key} = {value:.6g}" for key, value in self.numbers.items())
        return f"{self.name}: {self.why}" + (f"; {numbers}" if numbers else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What the run took: steps kept and rejected, order, tolerance, factorisations, seconds inside the solver.

    `elapsed` are the seconds from begin to end, those for events, switches and the progress bar among them. `fitted` is
    by how much rounded numbers contradicted each other, or were changed to agree, whichever is more. `end` is how it
    ended: at the time asked for, or before. `kinematic`: by constraints and prescribed motions alone.
    `fused`: with all terms as one kernel, at least in the end.
    """

    steps: int
    rejected: int
    order: int
    tol: float
    factorisations: int
    redundant: int
    seconds: float
    elapsed: float
    compiled: bool
    fitted: float = 0.0
    method: Method = Method("taylor", "as asked")
    end: End = "reached"
    kinematic: bool = False
    fused: bool = False

    @property
    def judged(self) -> float:
        """The tolerance by which the motion is judged from its description: numbers there may be rounded."""
        return self.tol + FITTED * self.fitted


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Energy:
    """Energies [J] at a series of times: kinetic, potentials by kind, and what they add up to.

    Constant torques count as potentials (−τθ). `supplied` is the work of everything else that is not conservative
    (forces by laws, dampers, drivers) since the start, so that total − supplied stays constant. `faint` is an energy so
    small that rounding of places changes it.
    """

    kinetic: Floats
    potentials: Mapping[str, Floats]
    supplied: Floats | float = 0.0
    faint: float = 0.0

    def __repr__(self) -> str:
        times = f" at {len(self.kinetic)} times, at the last" if self.kinetic.ndim else ""
        last = {"kinetic": self.kinetic, **self.potentials, "total": self.total}
        return f"Energy [J]{times}: {', '.join(f'{name} {np.ravel(v)[-1]:.6g}' for name, v in last.items())}"

    @property
    def potential(self) -> Floats:
        """All potentials together."""
        return np.asarray(sum(self.potentials.values(), np.zeros_like(self.kinetic)))

    @property
    def total(self) -> Floats:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def work(self) -> Floats:
        """Work of the applied torques since the start."""
        torque = self.potentials.get("torque", np.zeros_like(self.kinetic))
        return torque[..., :1] - torque if torque.ndim else np.zeros_like(torque)

    @property
    @np.errstate(all="ignore")
    def drift(self) -> float:
        """Largest imbalance of energy and work, relative to the largest energy or work that was exchanged at a time.

        What goes to and fro counts once, so that a long run is judged no more mildly than a short one.
        """
        size = max(self.exchanged if self.has_energy else 0.0, self._still)
        return self.imbalance / size if size and self.has_energy else 0.0

    @property
    @np.errstate(all="ignore")
    def imbalance(self) -> float:
        """How far energy less work is from what it was at first, at most [J]."""
        balance = self.total - self.supplied
        return float(np.max(np.abs(balance - balance.flat[0])))

    @property
    @np.errstate(all="ignore")
    def exchanged(self) -> float:
        """The largest energy or work that was exchanged at a time [J]."""
        supplied = np.asarray(self.supplied)
        flow = [np.max(np.abs(self.kinetic)), *(np.ptp(v) for v in (supplied, *self.potentials.values()))]
        return float(max(flow))

    @property
    def at_rest(self) -> bool:
        """Whether no more is exchanged than rounding makes of what is there."""
        return not self.exchanged > self._still

    @property
    def _still(self) -> float:
        """Where nothing moves, rounding of the potentials is not to be taken for a loss."""
        return max([self.faint, *(1e-6 * float(np.max(np.abs(v))) for v in self.potentials.values())])

    @property
    def has_energy(self) -> bool:
        """Whether there is any; drivers of what has neither mass nor spring work against rounding only."""
        return bool(np.any(self.kinetic) or any(np.any(v) for v in self.potentials.values()))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Residuals:
    """Largest violation of the constraints along the motion, relative: positions, velocities, accelerations.

    g is divided by ‖∂g/∂q‖ and the mechanism's size; rates by the fastest speed and acceleration as well.
    """

    position: float
    velocity: float
    acceleration: float

    def __repr__(self) -> str:
        levels = f"position {self.position:.1e}, velocity {self.velocity:.1e}, acceleration {self.acceleration:.1e}"
        return f"Residuals (relative): {levels}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """An event that happened: its name and when."""

    name: str
    t: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Where a motion is not smooth: something happened before a step.

    step   the number of the first step after it
    name   of what happened
    off    constraints that do not hold from then on
    loss   kinetic energy [J] that was lost
    """

    step: int
    t: float
    name: str = ""
    off: frozenset[int] = frozenset()
    loss: float = 0.0


def name_energies(energy: Energy, taken: Container[str]) -> dict[str, Floats]:
    """Columns of kinetic and potential energy: T and V or, where something else has that name, in full."""
    T, V = ("T" if "T" not in taken else "kinetic"), ("V" if "V" not in taken else "potential")
    return {T: energy.kinetic, V: energy.potential}


def find_energies(system: System, q: Floats, u: Floats, t: Floats) -> Energy:
    """Energies along the last axis, a slice of states at a time so that memory stays bounded."""
    flat_q, flat_u, flat_t = np.atleast_2d(q), np.atleast_2d(u), np.atleast_1d(t)
    block = max(1, int(3e5 / max(1, system.n)))
    slices = [slice(i, i + block) for i in range(0, len(flat_q), block)]
    parts = [compute_energy(system, flat_q[s].T, flat_u[s].T, flat_t[s]) for s in slices]
    kinetic, faint = np.concatenate([T for T, _ in parts]), _find_faint(system)
    kinds = parts[0][1]
    potentials = {kind: np.concatenate([V[kind] for _, V in parts]) for kind in kinds}
    if q.ndim == 1:
        return Energy(kinetic=kinetic[0], potentials={kind: v[0] for kind, v in potentials.items()}, faint=faint)
    return Energy(kinetic=kinetic, potentials=potentials, faint=faint)


def _find_faint(system: System) -> float:
    """k L² of all springs, times what rounding makes of it."""
    stiff = [term for term in system.terms if term.kind in SPRINGS]
    total = sum(float(np.sum(term.parameters[:, 0])) for term in stiff)
    return 1e-14 * total * min(float(np.max(system.scales, initial=0.0)), 1e150) ** 2
