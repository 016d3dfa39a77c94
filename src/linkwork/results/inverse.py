"""Inverse dynamics: a motion and the quantities that actuators act along in, the forces that make the motion out.

    M a + Gᵀλ − f = Sᵀτ      G: the constraints without prescribed motions,  S = ∂ṡ/∂u of the actuated quantities s

The forces λ of constraints are whatever they need to be, so with the projector P = 1 − G⁺G on what they leave free

    P Sᵀ τ = P (M a − f)

Actuators that are independent there have one τ at most; what is left over is a force that they cannot supply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.equations import System
from linkwork.equations.words import Vocabulary, Wording
from linkwork.errors import ExpressionError, InputError, LinkworkError, Problem, Ref, SolveError, did_you_mean
from linkwork.given import as_name
from linkwork.model import Effort, InitialValues, Lagrangian, Mechanism
from linkwork.model.bodies import say_hidden
from linkwork.model.laws import TIME
from linkwork.native.interpreter import run_program
from linkwork.native.measure import Measure
from linkwork.native.numbers import compute_jacobians, compute_levels, compute_residual, compute_watch
from linkwork.native.rank import balance, find_free, solve_columns, split
from linkwork.program import jacobian
from linkwork.quoting import csv_head
from linkwork.results.files import as_path, write_whole
from linkwork.results.state import Snapshot
from linkwork.symbolic import Curve, lookup

if TYPE_CHECKING:
    from linkwork.results.trajectory import Times, Trajectory

MISSED = 1e-6  # of the largest force: what actuators may leave over,
SLACK = 1e4  # and so many tolerances, since accelerations are known less well than places
OPEN = 1e-6  # of the size: what constraints may be off in a motion of another mechanism
NUMBERS = 4_000_000  # of matrices at several states at once
DEGREE = 12  # of forces as polynomials of time, one for each step
ENOUGH = "Give as many actuators as there are freedoms, or least_squares=True for"


@dataclass(frozen=True, eq=False)
class Forces:
    """Forces and torques [N, Nm] of actuators along a motion: forces["OA.angle"] at the times `t` of its steps.

    least_squares   they are the nearest to what the motion needs, the smallest of these
    """

    motion: Trajectory
    actuators: tuple[Wording, ...]
    least_squares: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """What the actuators act along."""
        return tuple(wording.name for wording in self.actuators)

    @property
    def t(self) -> Floats:
        """The times of the steps.   (k,)"""
        return self.motion.t

    def __getitem__(self, name: str) -> Floats:
        as_name(name, Ref("actuator"))
        if name not in self.values:
            raise LinkworkError(f"no actuator named '{name}'. {did_you_mean(name, self.names)}".rstrip())
        return self.values[name]

    @cached_property
    def values(self) -> Mapping[str, Floats]:
        """All of them at the steps, by name.   each (k,)"""
        return self.at(self.t)

    def at(self, t: Times) -> dict[str, Floats]:
        """All of them at one time or several, by name."""
        from linkwork.results.trajectory import as_times

        times = as_times(t)
        found, _ = self._solve(np.atleast_1d(times))
        return {name: found[:, i].reshape(times.shape) for i, name in enumerate(self.names)}

    @cached_property
    def power(self) -> dict[str, Floats]:
        """The power [W] of each at the steps."""
        return {
            name: self[name] * self._speed(wording) for name, wording in zip(self.names, self.actuators, strict=True)
        }

    @cached_property
    def missed(self) -> Floats:
        """What the motion needs beyond them at the steps, relative to its largest force.   (k,)"""
        return self._solve(self.t)[1]

    def table(self, t: Times | None = None) -> dict[str, Floats]:
        """Columns by name: t, then the forces."""
        from linkwork.results.trajectory import as_times

        times = self.t if t is None else np.atleast_1d(as_times(t))
        return {"t": times, **(self.values if t is None else self.at(times))}

    def write(self, path: str | Path, t: Times | None = None) -> Path:
        """The table as a .csv file: numbers that give back the very same ones when read."""
        target, table = as_path(path), self.table(t)
        if target.suffix.lower() != ".csv":
            raise LinkworkError(f"'{target}': forces are written as .csv")
        rows = [csv_head(table), *(",".join(f"{x:.17g}" for x in row) for row in np.column_stack([*table.values()]))]
        return write_whole(target, lambda file: file.write(("\n".join(rows) + "\n").encode()))

    def laws(self) -> dict[str, Effort]:
        """The forces as laws of time, to be applied to the mechanism: a polynomial for each step."""
        x = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
        begin, h = self.t[:-1], np.diff(self.t)
        if not len(h):
            raise LinkworkError("a motion of one instant has no laws of time")
        middle = begin + h / 2
        values, _ = self._solve((middle[:, None] + h[:, None] / 2 * x).ravel())
        basis = np.linalg.inv(np.vander(x, increasing=True))
        scale = (2.0 / h[:, None]) ** np.arange(DEGREE + 1)
        found = {}
        for i, name in enumerate(self.names):
            c = values[:, i].reshape(len(h), -1) @ basis.T * scale
            curve = Curve(f"force_{i}", begin[1:], middle, c)
            found[name] = Effort(on=name, value=lookup(curve, TIME))
        return found

    # -- numbers --------------------------------------------------------------------------------------------------

    def _speed(self, wording: Wording) -> Floats:
        m = self.motion
        slopes = _gradient(m.system, wording, _parameters(m), m.t, m.q, m.u)
        return np.asarray(np.sum(slopes * m.u[:, : m.system.n], axis=1))

    def _solve(self, t: Floats) -> tuple[Floats, Floats]:
        """τ (k, actuators) and what it misses (k,), at some times."""
        m = self.motion
        state = m.at(t)
        found, missed = np.zeros((len(t), len(self.actuators))), np.zeros(len(t))
        for off, at in _phases(m, t):
            gone = off | _drivers(m.system)
            system, sides = m.system.restricted(gone), _sides(m.system, gone)
            block = max(1, NUMBERS // (system.n * (system.m + system.n)))
            for part in (at[i : i + block] for i in range(0, len(at), block)):
                arrays = t[part], state.q[part], state.u[part], state.a[part]
                found[part], missed[part] = self._balance(system, sides, arrays)
        return found, missed

    def _balance(
        self, system: System, sides: Mapping[int, str], arrays: tuple[Floats, Floats, Floats, Floats]
    ) -> tuple[Floats, Floats]:
        t, q, u, a = arrays
        n, places = system.n, system.mechanical * system.scales
        r = compute_residual(system, q.T, u.T, a.T, np.zeros((system.m, len(t))), t).T * places
        S = [_gradient(system, wording, _parameters(self.motion), t, q, u) for wording in self.actuators]
        columns = np.stack(S, axis=2) * places[:, None] if S else np.zeros((len(t), n, 0))
        G = compute_jacobians(system, q.T, t) * places
        free = find_free(G)
        largest = np.max(np.linalg.norm(columns, axis=1), axis=1, initial=0.0)
        given, needed, columns = columns, np.einsum("kij,kj->ki", free, r), free @ columns
        tau, unique = solve_columns(columns, needed, largest)
        self._check_unique(t, unique)
        left = needed - np.einsum("kia,ka->ki", columns, tau)
        size = float(np.max(np.linalg.norm(r, axis=1), initial=0.0)) or 1.0
        missed = np.linalg.norm(left, axis=1) / size
        self._check_enough(system, t, missed, left)
        if sides:
            _check_pushes(sides, t, G, r - np.einsum("kia,ka->ki", given, tau))
        return tau, missed

    def _check_unique(self, t: Floats, unique: Bools) -> None:
        weak = np.flatnonzero(~unique)
        if self.least_squares or not len(weak):
            return
        what = f"the forces along {', '.join(self.names)} are not unique at t = {t[weak[0]]:.6g}"
        words = "there are more of them than freedoms, or some act along what does not move"
        raise SolveError(f"{what}: {words}. {ENOUGH} the smallest ones")

    def _check_enough(self, system: System, t: Floats, missed: Floats, left: Floats) -> None:
        worst = int(np.argmax(missed))
        if self.least_squares or missed[worst] <= MISSED + SLACK * self.motion.stats.tol:
            return
        along = say_hidden(system.coordinates[int(np.argmax(np.abs(left[worst])))])
        force = float(np.max(np.abs(left[worst] / np.where(system.scales > 0, system.scales, 1.0))))
        words = f"forces along {', '.join(self.names) or 'nothing'} do not make this motion"
        lack = f"at t = {t[worst]:.6g} a force of {force:.3g} along {along} is missing"
        raise SolveError(f"{words}: {lack}. {ENOUGH} the nearest ones")


def find_forces(motion: Trajectory, actuators: Sequence[str], least_squares: bool) -> Forces:
    """The forces along some quantities that make a motion; along those that are prescribed, if none are named."""
    if motion.mechanism is None:
        raise LinkworkError("this motion does not know its mechanism. Simulate with lw.load or lw.Model")
    names = actuators or [str(row.owner.name) for row in motion.system.rows if row.kind == "motion"]
    if not names:
        what, remedy = "no actuators are named, and nothing is prescribed", 'Name some, as in inverse("OA.angle")'
        raise InputError([Problem(part="inverse", what=what, remedy=remedy)])
    forces = Forces(motion, tuple(_read(motion, names)), least_squares)
    assert forces.values is not None  # what cannot be is told at once
    return forces


def begin_at(mechanism: Mechanism, motion: Trajectory) -> InitialValues:
    """Initial values of a mechanism that are those of a motion where it begins."""
    first, system = motion.at(float(motion.t[0])), motion.system
    moving = [point for point in mechanism.moving_points if point in system.chart.points]
    turning = list(system.chart.angles)
    return InitialValues(
        t0=float(motion.t[0]),
        tend=float(motion.t[-1]),
        positions={point: first[point].tolist() for point in moving},
        velocities={point: first.velocity(point).tolist() for point in moving},
        angles={name: float(first[name]) for name in turning},
        rates={name: float(first.velocity(name)) for name in turning},
        states={name: float(first[name]) for name in system.states},
    )


def tell_of(motion: Trajectory, mechanism: Mechanism | Lagrangian, system: System) -> Trajectory:
    """A motion told of another mechanism that can move so: it has no more coordinates, and its constraints hold."""
    from linkwork.results.trajectory import Trajectory

    old = motion.system
    if not set(system.coordinates) <= set(old.coordinates) or [*old.inputs] != [*system.inputs] or motion.breaks:
        raise _another("its coordinates and inputs are others, or it is not smooth")
    columns = [*(old.index[name] for name in system.coordinates), *(old.n + i for i in range(len(old.inputs)))]
    store = copy(motion.store)
    store.chunks = [replace(chunk, coordinate=chunk.coordinate[columns]) for chunk in store.chunks]
    f, about = motion.final, replace(motion.about, mechanism=mechanism, again=None)
    final = Snapshot(system, f.t, (f.q[columns], f.u[columns], f.a[columns], np.full(system.m, np.nan)), mechanism)
    told = Trajectory(
        system, store, final, replace(motion.stats, kinematic=True), motion.outcome, motion.events, about=about
    )
    _check_apart(told, system)
    free = system.restricted(_drivers(system))
    gaps = compute_levels(free, told.q.T, told.u.T, told.a.T, told.t)[0]
    if np.max(np.abs(gaps), initial=0.0) > OPEN * max(1.0, float(np.max(system.scales, initial=0.0))) ** 2:
        raise _another("its constraints do not hold there")
    return told


def _check_apart(told: Trajectory, system: System) -> None:
    """A motion of another mechanism knows nothing of what a stop of this one pushes, or of what its events do."""
    t = np.sort(np.concatenate([told.t, (told.t[1:] + told.t[:-1]) / 2]))
    state = told.at(t)
    for barrier in system.barriers:
        near = compute_watch(system, system.watches[barrier.watch], state.q.T, state.u.T, t) <= OPEN
        if np.any(near):
            when = float(t[int(np.argmax(near))])
            raise _another(f"it meets stop '{barrier.name}' at t = {when:.6g}, whose force it does not tell")
    for watch in system.acts:
        values = np.broadcast_to(compute_watch(system, system.watches[watch], state.q.T, state.u.T, t), t.shape)
        crossed = (values[1:] < 0) != (values[:-1] < 0)
        if np.any(crossed):
            raise _another(f"event '{system.watches[watch].name}' happens at t = {t[int(np.argmax(crossed))]:.6g}")


def _sides(system: System, off: frozenset[int]) -> dict[int, str]:
    """The stops, contacts and ratchets that hold, by their rows among the constraints that do."""
    number = {row: i for i, row in enumerate(row for row in range(system.m) if row not in off)}
    return {number[b.row]: b.name for b in system.barriers if b.row in number}


def _check_pushes(sides: Mapping[int, str], t: Floats, G: Floats, left: Floats) -> None:
    """Stops that hold along the motion may not have to pull for it.   G: (k, m, n), left = −Gᵀλ: (k, n)"""
    for k in range(len(t)):
        if split(G[k]).rank < len(G[k]):
            continue  # what each of them does is not known
        lam = balance(G[k][None], left[k][None])[0]
        pulls = np.abs(G[k]).max(axis=1) * lam
        most = float(np.max(np.abs(left[k]), initial=0.0))
        for row, name in sides.items():
            if pulls[row] > MISSED * most:
                words = f"stop '{name}' would have to pull at t = {t[k]:.6g}"
                raise SolveError(f"{words}. Give other actuators, or leave the stop out")


def _another(why: str) -> InputError:
    what = f"this is not a motion of this mechanism: {why}"
    return InputError([Problem(part="inverse", what=what, remedy="Give laws of time, or ask motion.inverse(...)")])


def _read(motion: Trajectory, names: Iterable[str]) -> Iterable[Wording]:
    assert motion.mechanism is not None
    words, problems = Vocabulary(motion.mechanism, motion.system), list[Problem]()
    for name in names:
        try:
            wording = words.read("actuator", name)
            used = Measure(motion.system, wording.expr, _parameters(motion)).used
            if not used & {"coordinate", "speed"}:
                raise ExpressionError(f"'{name}' does not move", "Name a place, length, angle or speed")
            yield wording
        except ExpressionError as error:
            problems.append(Problem(part=f"actuator {name!r}", what=error.what, remedy=error.remedy))
    if problems:
        raise InputError(problems)


def _parameters(motion: Trajectory) -> Mapping[str, float]:
    m: Mechanism | Lagrangian | None = motion.mechanism
    return {} if m is None else m.values


def _gradient(
    system: System, wording: Wording, parameters: Mapping[str, float], t: Floats, q: Floats, u: Floats
) -> Floats:
    """How the rate of a quantity depends on the speeds; a speed is its own rate.   (k, n)"""
    measure = Measure(system, wording.expr, parameters)
    kind = "u" if "speed" in measure.used else "q"
    slopes = jacobian(measure.b, [measure.value], measure.x[kind])
    inputs = measure.inputs(q.T, u.T, u.T, np.zeros((system.m, len(t))))
    values = run_program(measure.b.program(F=list(slopes.values())), inputs, t)["F"]
    found = np.zeros((len(t), system.n))
    for (_, j), value in zip(slopes, values, strict=True):
        found[:, measure.places[kind][j]] += value
    return found


def _drivers(system: System) -> frozenset[int]:
    return frozenset(i for i, row in enumerate(system.rows) if row.kind == "motion")


def _phases(motion: Trajectory, t: Floats) -> list[tuple[frozenset[int], np.ndarray]]:
    """Constraints that do not hold, with the times at which they do not."""
    if not motion.breaks:
        return [(frozenset(), np.arange(len(t)))]
    begins = np.array([b.t for b in motion.breaks])
    which = np.maximum(np.searchsorted(begins, t, side="right") - 1, 0)
    return [(motion.breaks[i].off, np.flatnonzero(which == i)) for i in np.unique(which)]
