"""Examiners: a Trajectory in, what an audit reads of it and finds out, for mechanisms and for Lagrangians alike."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.audit import (
    SPREAD,
    STENCIL,
    Course,
    Finding,
    Formulas,
    Readings,
    Subject,
    Weight,
    audit_held,
    audit_lagrangian,
    audit_mechanism,
    audit_reactions,
    audit_shape,
    audit_values,
    drive_rates,
    find_rough_formula,
    find_rough_law,
    weigh_course,
    weigh_energy,
    weigh_power,
)
from linkwork.equations import System
from linkwork.equations.reactions import attach
from linkwork.errors import Ref
from linkwork.model import Lagrangian, Mechanism, Relation, VelocityConstraint
from linkwork.native.numbers import has_power
from linkwork.results.reactions import Reactions
from linkwork.results.state import find_multipliers
from linkwork.results.values import find_values

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

Arrays = tuple[Floats, Floats, Floats, Floats]
MOST = 40  # parts whose reactions are looked at
LOOKS = 65  # times within a step
SHORTEST = 1e-300  # a step of no length


class Examiner(Protocol):
    """Looks at a motion at times dt after the beginning of steps.

    weighs   whether energies have to be balanced: not where equations neglect something
    """

    @property
    def weighs(self) -> bool: ...

    def laws(self, steps: Ints, dt: Floats) -> list[Finding]:
        """The laws that hold at single times."""

    def reactions(self, steps: Ints, dt: Floats) -> list[Finding]:
        """Newton's and Euler's laws with the reactions that the motion reports."""

    def shape(self, steps: Ints, dt: Floats) -> list[Finding]:
        """Those of geometry that are quickly looked at."""

    def weigh(self, steps: Ints, dt: Floats) -> Weight:
        """Energies and power, also of the final state, which comes last."""

    def look(self, steps: Ints, dt: Floats, count: int) -> tuple[list[Finding], Weight]:
        """The laws at the first `count` of these times, and what `weigh` gives for all of them."""

    def find_rough_law(self, step: int) -> tuple[str, float]:
        """The law that changes most abruptly within a step, and how abruptly."""

    def clears(self, steps: Ints) -> bool:
        """Whether a glance at the beginnings of steps and the end finds nothing that deserves a closer look."""

    def rates(self, t: Floats) -> Floats:
        """How fast drivers are meant to go.   (k, drivers)"""


def make_examiner(motion: Trajectory) -> Examiner | None:
    """Who can examine a motion, if its model is known."""
    m = motion.mechanism
    if isinstance(m, Mechanism):
        return MechanismExaminer(motion, m)
    return LagrangianExaminer(motion, m) if isinstance(m, Lagrangian) else None


class _Known(NamedTuple):
    """What is measured once for many motions of a mechanism."""

    subject: Subject
    places: Ints
    size: float
    drivers: dict[str, int]
    powered: bool


@lru_cache(maxsize=32)
def find_known(mechanism: Mechanism, s: System) -> _Known:
    """A mechanism measured, where its points are among the coordinates, and by what errors are judged."""
    points, places, moving, drivers, powered = s.once("examined", lambda: _find_structure(mechanism, s))
    size = float(s.scales[moving].max(initial=0.0)) or 1.0
    return _Known(Subject.of(mechanism, points), places, size, drivers, powered)


def _find_structure(mechanism: Mechanism, s: System) -> tuple[dict[str, int], Ints, Ints, dict[str, int], bool]:
    """Numbers of points, their coordinates, those of them that move, rows of drivers, and whether power is fed in."""
    points = s.chart.points
    places = np.array(list(points.values()), dtype=np.int64).reshape(-1, mechanism.dimension)
    drivers = {str(owner.name): i for owner, i in s.rows_of("motion").items()}
    for kind in ("relation", "velocity"):
        drivers |= {f"{kind} {owner.name}": i for owner, i in s.rows_of(kind).items()}
    # stops that are closed are relations or velocity constraints, and so is friction that sticks
    switched = [(i, row) for i, row in enumerate(s.rows) if row.kind in ("stop", "friction")]
    closed = {row.name.removeprefix(f"{row.kind}_"): i for i, row in switched}
    drivers |= {f"{x.WORD} {x.name}": closed[x.name] for x in _held(mechanism) if x.name in closed}
    return {point: i for i, point in enumerate(points)}, places, places[places < s.n], drivers, has_power(s)


def _held(mechanism: Mechanism) -> list[Relation | VelocityConstraint]:
    return [*mechanism.relations, *mechanism.velocity_constraints]


@lru_cache(maxsize=32)
def find_formulas(model: Lagrangian) -> Formulas:
    """What follows from a Lagrangian, found once for many motions."""
    return Formulas(model)


class MechanismExaminer:
    """Reads places of points, turn angles, states and driving forces."""

    weighs = True

    def __init__(self, motion: Trajectory, mechanism: Mechanism) -> None:
        self.motion = motion
        known = find_known(mechanism, motion.system)
        self.subject, self.places, self.size, self.drivers, self.powered = known
        self.points = self.subject.points

    def laws(self, steps: Ints, dt: Floats) -> list[Finding]:
        return audit_mechanism(self.subject, self.read(steps, dt))

    def reactions(self, steps: Ints, dt: Floats) -> list[Finding]:
        s, r = self.motion.system, self.read(steps, dt)
        q, u, a, lam = self.motion.store.evaluate(steps, dt)
        found = Reactions(s, q, u, a, find_multipliers(s, r.t, q, u, a, lam), r.t)
        parts = [name for name, points in s.chart.parts.items() if {*points} & {*attach(s).get(Ref("rigid", name), ())}]
        told = {name: found.on_part(name) for name in parts[:: -(-len(parts) // MOST) or 1]}
        values = audit_values(self.subject, r, find_values(self.subject.mechanism, found))
        return [*audit_reactions(self.subject, r, told), *values]

    def shape(self, steps: Ints, dt: Floats) -> list[Finding]:
        return audit_shape(self.subject, self.read(steps, dt))

    def weigh(self, steps: Ints, dt: Floats) -> Weight:
        return weigh_energy(self.subject, self._read_all(steps, dt), self.powered)

    def look(self, steps: Ints, dt: Floats, count: int) -> tuple[list[Finding], Weight]:
        r = self._read_all(steps, dt)
        weight, mechanics = weigh_power(self.subject, r)
        return audit_mechanism(self.subject, r.head(count), mechanics.head(count)), weight

    def find_rough_law(self, step: int) -> tuple[str, float]:
        h = self.motion.store.h[step]
        return find_rough_law(self.subject, self.read(np.full(LOOKS, step), np.linspace(0.01, 0.99, LOOKS) * h))

    def rates(self, t: Floats) -> Floats:
        return drive_rates(self.subject.mechanism, t)

    def clears(self, steps: Ints) -> bool:
        motion, s, glance = self.motion, self.motion.system, self.subject.glance
        if self.powered or glance is None or self.subject.mechanism.collinears:
            return False
        q, u = motion.store.beginnings(steps)
        k, n, final = len(steps) + 1, s.n, motion.final
        states = np.zeros((2 * k, n + len(s.frozen)))
        states[: k - 1, :n], states[k - 1, :n], states[:k, n:] = q[:, :n], final.q[:n], s.frozen
        states[k:-1, :n], states[-1, :n] = u[:, :n], final.u[:n]
        turns = {name: states[:k, i] for name, i in s.chart.angles.items()}
        return not glance.is_suspicious(states.take(self.places, axis=1), turns, self.size, motion.stats.judged)

    def read(self, steps: Ints, dt: Floats) -> Readings:
        """What the motion says."""
        store = self.motion.store
        return self._readings(store.t[steps] + dt, store.h[steps], store.evaluate(steps, dt))

    def _read_all(self, steps: Ints, dt: Floats) -> Readings:
        """The same with the final state."""
        return self._readings(*_with_final(self.motion, steps, dt))

    def _readings(self, t: Floats, h: Floats, arrays: Arrays) -> Readings:
        s, (q, u, a, lam) = self.motion.system, arrays
        return Readings(
            t=t,
            h=np.maximum(h, SHORTEST),
            points=self.points,
            x=s.extend(q.T)[self.places].transpose(2, 0, 1),
            v=s.extend_rates(u.T)[self.places].transpose(2, 0, 1),
            a=s.extend_rates(a.T)[self.places].transpose(2, 0, 1),
            turns={name: (q[:, i], u[:, i]) for name, i in s.chart.angles.items()},
            states={name: (u[:, i], a[:, i]) for name, i in s.states.items()},
            inputs=dict(zip(s.inputs, s.inputs_in(q.T), strict=True)),
            driving={name: -lam[:, i] for name, i in self.drivers.items()},
            order=self.motion.stats.order,
            damped=self.motion.method.damps,
            tol=self.motion.stats.judged,
            size=self.size,
        )


class LagrangianExaminer:
    """Reads coordinates, speeds and multipliers."""

    def __init__(self, motion: Trajectory, model: Lagrangian) -> None:
        self.motion, self.formulas = motion, find_formulas(model)
        self.weighs = not model.neglected

    @property
    def _scale(self) -> tuple[Floats, int, float]:
        return self.motion.system.scales, self.motion.stats.order, self.motion.stats.judged

    def laws(self, steps: Ints, dt: Floats) -> list[Finding]:
        h = self.motion.store.h[steps]
        around = {i: self.read(steps, dt + i * SPREAD * h) for i in STENCIL}
        return audit_lagrangian(self.formulas, self.read(steps, dt), around, *self._scale)

    def reactions(self, steps: Ints, dt: Floats) -> list[Finding]:
        return []

    def shape(self, steps: Ints, dt: Floats) -> list[Finding]:
        return audit_held(self.formulas, self.read(steps, dt), *self._scale)

    def find_rough_law(self, step: int) -> tuple[str, float]:
        h = self.motion.store.h[step]
        course = self.read(np.full(LOOKS, step), np.linspace(0.01, 0.99, LOOKS) * h)
        return find_rough_formula(self.formulas, course)

    def weigh(self, steps: Ints, dt: Floats) -> Weight:
        return weigh_course(self.formulas, self._course(*_with_final(self.motion, steps, dt)), *self._scale)

    def look(self, steps: Ints, dt: Floats, count: int) -> tuple[list[Finding], Weight]:
        return self.laws(steps[:count], dt[:count]), self.weigh(steps, dt)

    def rates(self, t: Floats) -> Floats:
        return np.zeros((len(t), 0))

    def clears(self, steps: Ints) -> bool:
        return False

    def read(self, steps: Ints, dt: Floats) -> Course:
        """What the motion says."""
        store = self.motion.store
        return self._course(store.t[steps] + dt, store.h[steps], store.evaluate(steps, dt))

    def _course(self, t: Floats, h: Floats, arrays: Arrays) -> Course:
        q, u, a, lam = arrays
        s = self.motion.system
        names = {name: lam[:, i] for i, name in enumerate(s.constraints)}
        inputs = dict(zip(s.inputs, s.inputs_in(q.T), strict=True))
        q, u, a = (x[:, : s.n] for x in (q, u, a))
        return Course(t=t, h=np.maximum(h, SHORTEST), q=q, u=u, a=a, lam=names, inputs=inputs)


def _with_final(motion: Trajectory, steps: Ints, dt: Floats) -> tuple[Floats, Floats, Arrays]:
    """Times, steps and states at some times, and at the end."""
    store, f = motion.store, motion.final
    arrays = zip(store.evaluate(steps, dt), (f.q, f.u, f.a, f._lam), strict=True)
    q, u, a, lam = (np.concatenate([some, last[None]]) for some, last in arrays)
    return np.append(store.t[steps] + dt, f.t), np.append(store.h[steps], store.h[-1]), (q, u, a, lam)
