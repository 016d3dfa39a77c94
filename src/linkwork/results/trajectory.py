"""A motion: values by name at the steps and at any time between, with the evidence of how good it is.

In: polynomials of the steps and the System they belong to; out: numbers a person asks for. Integrates nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.audit import Audit
from linkwork.equations import System, find_seen_angles
from linkwork.errors import LinkworkError, Ref, show_value
from linkwork.given import as_flag
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.numbers import compute_levels, compute_matrices, compute_power, has_power
from linkwork.results.auditing import audit_deeply, audit_motion
from linkwork.results.evidence import (
    Break,
    Energy,
    Method,
    Occurrence,
    Residuals,
    Stats,
    find_energies,
    name_energies,
)
from linkwork.results.names import Valued, find_constraint, find_driver, list_components, list_contacts, list_moving
from linkwork.results.phases import find_phase_multipliers, split_phases
from linkwork.results.reactions import Reactions
from linkwork.results.record.shown import Shown, find_shown
from linkwork.results.state import Packed, Snapshot, find_multipliers, known_mechanism, make_balance, restore_state
from linkwork.results.store import SLACK, Store
from linkwork.results.turning import KeptTurns, Turning, TurnsAt
from linkwork.results.work import compute_work

if TYPE_CHECKING:
    from linkwork.results.extremes import Extremes
    from linkwork.results.inverse import Forces

Times = float | Sequence[float] | Floats
AT_REST = 1e-12  # of the size: less far than this in a whole run is rounding
PHASES = 200  # of a motion that are looked at
EVIDENCE = 2000  # residuals are measured at no more steps than this


class Presenter(Protocol):
    """Who can show a motion: the viewer, handed in from above because results know only what is below them."""

    def show(self, motion: Trajectory, path: str | None, browser: bool) -> Path:
        """Write a page and open it."""

    def html(self, motion: Trajectory) -> str | None:
        """The page as a piece of a notebook, if there can be one."""


class Again(Protocol):
    """Who can integrate a motion once more from its start, handed in from above."""

    def __call__(self, until: float, *, tol: float, order: int, max_step: float) -> Trajectory: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a motion is of, to be asked for in words, who can show it and who can integrate it again.

    system   the equations with all forces, if the motion was made without them
    """

    mechanism: Mechanism | Lagrangian | None = None
    presenter: Presenter | None = None
    again: Again | None = None
    system: System | None = None


class Trajectory(Valued):
    """The motion from start to end. `motion["C"]` at the steps, `motion.at(t)["C"]` at any time, to full accuracy."""

    def __init__(
        self,
        system: System,
        store: Store,
        final: Snapshot,
        stats: Stats,
        outcome: str,
        events: Iterable[Occurrence] = (),
        breaks: Iterable[Break] = (),
        about: About = About(),
        doubts: tuple[str, ...] = (),
        turning: Turning | None = None,
    ) -> None:
        self.system, self.store, self.final = system, store, final
        self.turning = turning or Turning(lambda: find_seen_angles(about.mechanism, system), store, {})
        if stats.kinematic:
            store.balance = make_balance(system)
        self.stats, self.outcome, self.about = stats, outcome, about
        self.events, self.breaks = tuple(events), tuple(breaks)
        self.doubts = doubts  # what speaks against the result, in sentences

    def doubted(self, doubts: Iterable[str]) -> Trajectory:
        """The same motion with what speaks against it, if anything does."""
        if not (found := tuple(doubts)):
            return self
        new = object.__new__(Trajectory)
        new.__dict__.update(self.__dict__, doubts=found, outcome=f"{self.outcome}, in doubt")
        return new

    def seen_by(self, system: System) -> Trajectory:
        """The same motion by a System that is the same but for what its chart names."""
        new = object.__new__(Trajectory)
        kept = {name: x for name, x in self.__dict__.items() if name != "shown"}
        new.__dict__.update(kept, system=system)
        return new

    @property
    def mechanism(self) -> Mechanism | Lagrangian | None:
        """What moves."""
        return self.about.mechanism

    @property
    def title(self) -> str:
        """What it is called."""
        return "" if self.mechanism is None else self.mechanism.title

    @property
    def method(self) -> Method:
        """How it was integrated, and why so."""
        return self.stats.method

    # -- values ---------------------------------------------------------------------------------------------------

    @cached_property
    def t(self) -> Floats:
        """Times of the steps, the end included.   (k,)"""
        return np.append(self.store.t, float(self.final.t))

    @cached_property
    def q(self) -> Floats:
        """Coordinates at the steps.   (k, n)"""
        return self._with_final(0, 1.0, self.final.q)

    @cached_property
    def u(self) -> Floats:
        """Speeds at the steps.   (k, n)"""
        return self._with_final(1, 1.0, self.final.u)

    @cached_property
    def a(self) -> Floats:
        """Accelerations at the steps.   (k, n)"""
        return self._with_final(2, 2.0, self.final.a)

    @cached_property
    def lam(self) -> Floats:
        """Lagrange multipliers at the steps; where constraints are redundant those of least norm.   (k, m)"""
        last = self.final.lam[None, :]
        if not self.store.chunks:
            return last
        arrays = self.q[:-1], self.u[:-1], self.a[:-1], self.store.multipliers()
        return np.vstack([self._find_multipliers(self.t[:-1], arrays), last])

    def _find_multipliers(self, t: Floats, arrays: tuple[Floats, Floats, Floats, Floats]) -> Floats:
        """Multipliers at some times, of least norm where constraints are redundant; zero where one does not hold."""
        if self.breaks:
            return find_phase_multipliers(self, t, arrays)
        return find_multipliers(self.system, t, *arrays)

    @property
    def turns(self) -> TurnsAt:
        """Whole turns of angles that no coordinate tells, at the steps."""
        return TurnsAt(self.turning, self.t)

    @cached_property
    def phases(self) -> tuple[Trajectory, ...]:
        """The smooth motions between the times at which something happened; itself if nothing did."""
        return split_phases(self) if self.breaks else (self,)

    @property
    def whole(self) -> bool:
        """Whether all steps are there, not only states that were kept."""
        store = self.store
        if store.every is None or not store.count:
            return True
        end = float(store.t[-1] + store.h[-1])
        return store.whole and bool(self.final.t <= end + SLACK * (float(store.h[-1]) + abs(end)))

    def _with_final(self, order: int, factor: float, last: Floats) -> Floats:
        if not self.store.chunks:
            return last[None, :]
        return np.vstack([factor * self.store.coefficients(order), last])

    def at(self, t: Times) -> Snapshot:
        """The state at one time or several, from the polynomials of the steps: as accurate as the steps themselves."""
        times = as_times(t)
        flat = np.atleast_1d(times)
        first, last = float(self.t[0]), float(self.t[-1])
        slack = 1e-12 * max(abs(first), abs(last), last - first)
        if flat.size == 0 or not ((flat >= first - slack) & (flat <= last + slack)).all():
            raise LinkworkError(f"time outside the motion: it runs from {first:g} to {last:g}")
        inside = np.clip(flat, first, last)
        arrays = self._evaluate(inside)
        if self.breaks:
            arrays = *arrays[:3], find_phase_multipliers(self, inside, arrays)
        if times.ndim == 0:
            arrays = arrays[0][0], arrays[1][0], arrays[2][0], arrays[3][0]
        return Snapshot(
            self.system,
            times,
            arrays,
            self.mechanism,
            balanced=bool(self.breaks),
            off=self._find_off(float(inside[0])),
            turns=TurnsAt(self.turning, times),
        )

    def _find_off(self, t: float) -> frozenset[int]:
        """The constraints that do not hold from a time on."""
        if not self.breaks or t >= self.t[-1]:
            return self.final.off
        step = int(np.searchsorted(self.store.t, t, side="right")) - 1
        return [b.off for b in self.breaks if b.step <= step][-1]

    def _evaluate(self, t: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        f = self.final
        at_end = t >= self.t[-1]
        arrays = tuple(np.repeat(x[None, :], len(t), axis=0) for x in (f.q, f.u, f.a, f._lam))
        if not at_end.all():
            inside = np.flatnonzero(~at_end)
            steps = np.searchsorted(self.store.t, t[inside], side="right") - 1
            for array, values in zip(arrays, self.store.evaluate(steps, t[inside] - self.store.t[steps]), strict=True):
                array[inside] = values
        return arrays[0], arrays[1], arrays[2], arrays[3]

    # -- evidence -------------------------------------------------------------------------------------------------

    @cached_property
    def energy(self) -> Energy:
        """Energies at the steps."""
        found = find_energies(self.system, self.q, self.u, self.t)
        faint = max(found.faint, self._rest_energy)
        if not self.whole and has_power(self.system):
            return replace(found, faint=faint, supplied=math.nan)  # work needs all steps
        return replace(
            found, faint=faint, supplied=sum((*self.work.values(), *self.losses.values()), np.zeros(len(self.t)))
        )

    @property
    def _rest_energy(self) -> float:
        """Kinetic energy of what moves no further in the whole run than rounding does."""
        u, moving = np.zeros_like(self.final.u), np.flatnonzero(self.system.mechanical)
        seconds = float(self.t[-1] - self.t[0])
        if seconds > 0:
            u[moving] = AT_REST * self.system.scales[moving] / seconds
        found = find_energies(self.system, self.final.q, u, np.asarray(self.final.t))
        return float(found.kinetic) if np.isfinite(found.kinetic) else 0.0

    @cached_property
    def power(self) -> dict[str, Floats]:
        """Power [W] into the mechanism of every law, damper, dissipation and driver, by name, at the steps."""
        return compute_power(self.system, self.q.T, self.u.T, self.lam.T, self.t)

    @cached_property
    def work(self) -> dict[str, Floats]:
        """Work [J] of each of them since the start, at the steps: the power integrated over the dense output."""
        return compute_work(self)

    @cached_property
    def losses(self) -> dict[str, Floats]:
        """Work [J] since the start of what happens at once, by the name of the event or stop."""
        found: dict[str, Floats] = {}
        for b in self.breaks:
            if b.loss:
                found.setdefault(b.name, np.zeros(len(self.t)))[b.step :] -= b.loss
        return found

    def driving(self, target: str, t: Times | None = None) -> Floats:
        """Force or torque [N, Nm] that keeps a prescribed motion, e.g. driving("OA.angle").

        At the steps or at given times.
        """
        return -self._multipliers(t)[:, find_driver(self.system, target)]

    def extremes(self, what: str) -> dict[str, Extremes]:
        """The least and largest values of what a plot shows, such as "driving" or "pin.force", over the whole motion.

        They are found between the steps, however long these are, and told by the names of the curves.
        """
        from linkwork.results.curves import find_all_extremes

        return find_all_extremes(self, what)

    def inverse(self, *actuators: str, least_squares: bool = False) -> Forces:
        """The forces [N, Nm] along quantities that make this motion; along those prescribed, if none is named.

        Prescribed motions are let go: the actuators do what they did. It is an error if they cannot make the motion, or
        can in several ways; with `least_squares` the nearest forces are found, and the smallest of these.
        """
        from linkwork.results.inverse import find_forces

        return find_forces(self, actuators, as_flag("least_squares", least_squares, Ref("inverse")))

    def multiplier(self, name: str, t: Times | None = None) -> Floats:
        """Lagrange multiplier of a constraint, at the steps or at given times."""
        return self._multipliers(t)[:, find_constraint(self.system, name)]

    def _multipliers(self, t: Times | None) -> Floats:
        return self.lam if t is None else self.at(np.atleast_1d(as_times(t))).lam

    def reaction(self, part: str, point: str, *, frame: str = "world", t: Times | None = None) -> Floats:
        """Force [N] on a part at one of its points from everything else that meets it there.   (k, dimension)

        At the steps or at given times; in the world frame, or with frame="part" in the part's own axes.
        """
        return self._reactions(t).at(part, point, frame)

    def tension(self, part: str, t: Times | None = None) -> Floats:
        """Force [N] along a rod or between the first two points of a part, positive when it pulls (mean)."""
        return self._reactions(t).along(part)

    def wrench(self, joint: str, on: str | None = None, t: Times | None = None) -> tuple[Floats, Floats]:
        """Force [N] and torque [Nm] of a joint on one of its parts, about its frame there; on the second unless said.

        In the world's axes; (k, 2) and (k, 1) in the plane, two times (k, 3) in space.
        """
        return self._reactions(t).of_joint(joint, on)

    def _reactions(self, t: Times | None) -> Reactions:
        state = self if t is None else self.at(np.atleast_1d(as_times(t)))
        return Reactions(self.system, state.q, state.u, state.a, state.lam, np.asarray(state.t))

    @cached_property
    def residuals(self) -> Residuals:
        """How well the constraints hold along the motion (at up to 2000 steps)."""
        # a phase at rest is judged by how fast the others are
        paces = [phase.fastest for phase in self.some_phases]
        pace = (max(speed for speed, _ in paces), max(quick for _, quick in paces))
        levels = np.concatenate([phase.residual_history(pace)[1] for phase in self.some_phases], axis=1)
        worst = [float(np.max(level, initial=0.0)) for level in levels]
        return Residuals(position=worst[0], velocity=worst[1], acceleration=worst[2])

    @property
    def some_phases(self) -> tuple[Trajectory, ...]:
        """All phases, or so many of them that looking at each takes no longer than is worth it."""
        return self.phases[:: -(-len(self.phases) // PHASES)] if len(self.phases) > PHASES else self.phases

    @cached_property
    def _picked(self) -> Ints:
        """Up to 2000 steps."""
        count = max(2, min(EVIDENCE, int(1e6 / max(1, self.system.n))))
        return np.unique(np.linspace(0, len(self.t) - 1, min(count, len(self.t))).astype(int))

    @property
    def fastest(self) -> tuple[float, float]:
        """The largest speed and acceleration, of the mechanism's size; what moves less than rounding is at rest."""
        moving, pick = np.flatnonzero(self.system.mechanical), self._picked
        scales = self.system.scales[moving, None]
        rest = AT_REST / max(float(self.t[-1] - self.t[0]), 1e-100)
        speed, quick = (float(np.max(np.abs(x[pick].T[moving]) / scales, initial=0.0)) for x in (self.u, self.a))
        speed = max(speed, rest)
        return speed, max(quick, min(speed, 1e150) ** 2, rest**2 / AT_REST)

    def residual_history(self, pace: tuple[float, float] | None = None) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
        """Times (up to 2000 steps) and there the largest violation of g, its first and its second rate, relative.

        Rates are divided by the largest speed and acceleration, or by what is given as such.
        """
        pick = self._picked
        if self.system.m == 0:
            return self.t[pick], (np.zeros(len(pick)), np.zeros(len(pick)), np.zeros(len(pick)))
        q, u, a = (x[pick].T for x in (self.q, self.u, self.a))
        _, G = compute_matrices(self.system, self.final.q, float(self.final.t))
        rows = np.sqrt(np.asarray(G.multiply(G) @ self.system.scales**2).ravel())[:, None]
        rows = np.where(rows > 0, rows, 1.0)
        speed, quick = pace or self.fastest
        g, g1, g2 = compute_levels(self.system, q, u, a, self.t[pick])
        position, velocity, acceleration = (np.max(np.abs(x) / rows, axis=0) for x in (g, g1, g2))
        return self.t[pick], (position, velocity / speed, acceleration / quick)

    def audit(self, *, deep: bool = False) -> Audit:
        """Whether the motion obeys the laws of mechanics, judged from the description alone.

        Rigid parts, ties and drivers, fixed points, Newton's and Euler's laws, energy against work, states. With `deep`
        it is integrated again with another order, shorter steps and a tighter tolerance, which tells the global error.
        """
        return audit_deeply(self, self._audit) if as_flag("deep", deep, Ref("audit")) else self._audit

    @cached_property
    def _audit(self) -> Audit:
        return audit_motion(self)

    @cached_property
    def shown(self) -> Shown:
        """Names and scales of what a picture shows."""
        return find_shown(self)

    # -- pictures -------------------------------------------------------------------------------------------------

    def show(self, path: str | None = None, *, browser: bool = True) -> Path:
        """Write the moving mechanism as one HTML page (a temporary one if no path is given) and open it."""
        return self._presenter().show(self, path, browser)

    def plot(self, what: str | Sequence[str] | None = None, path: str | Path | None = None) -> object:
        """A matplotlib figure, one panel per item of "Cx, C', energy, Cy vs Cx"; written to a file if given a path.

        Without items: the points that the file traces, and the energies. At the end of a notebook's cell it is shown.
        """
        from linkwork.results.plots import plot_motion

        return plot_motion(self, what, path)

    def _repr_html_(self) -> str | None:
        return None if self.about.presenter is None else self.about.presenter.html(self)

    def _presenter(self) -> Presenter:
        if self.about.presenter is None:
            raise LinkworkError("this motion has no parts to draw: only a mechanism of parts and points can be shown")
        return self.about.presenter

    # -- tables ---------------------------------------------------------------------------------------------------

    def table(self, t: Sequence[float] | Floats | None = None) -> dict[str, Floats]:
        """Columns by name in the paper's order: t, each coordinate followed by its derivative, T, V.

        Behind the coordinates come the states, the points of a Lagrangian, the variables, gap, depth and force of
        contacts, and the inputs.
        """
        state = self if t is None else self.at(np.atleast_1d(as_times(t)))
        columns = {"t": state.t}
        for name in (*list_moving(self.system), *list_components(self.system)):
            columns[name] = state[name]
            columns[name + "'"] = state.velocity(name)
        variables = () if self.mechanism is None else self.mechanism.variables
        columns |= {name: state[name] for name in (*variables, *list_contacts(self.mechanism), *self.system.inputs)}
        return {**columns, **name_energies(state.energy, columns)}

    # -- copies ---------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Packed:
        f, mechanism = self.final, known_mechanism(self.mechanism)
        words = (self.outcome, self.events, self.breaks, self.about.presenter, self.doubts)
        return _restore, (mechanism, self.store, f.packed, self.stats, *words, self.turning.begin, self.turning.kept)

    def __repr__(self) -> str:
        return f"Trajectory({self.title or 'mechanism'}: {len(self.t) - 1} steps, {self.outcome})"


def _restore(
    mechanism: Mechanism | Lagrangian,
    store: Store,
    final: tuple[Any, ...],
    stats: Stats,
    outcome: str,
    events: tuple[Occurrence, ...],
    breaks: tuple[Break, ...],
    presenter: Presenter | None,
    doubts: tuple[str, ...],
    begin: Mapping[str, Floats],
    kept: KeptTurns | None,
) -> Trajectory:
    last = restore_state(mechanism, *final)
    about = About(mechanism=mechanism, presenter=presenter)
    turning = Turning(lambda: find_seen_angles(mechanism, last.system), store, begin, kept)
    return Trajectory(last.system, store, last, stats, outcome, events, breaks, about, doubts, turning)


def as_times(t: object) -> Floats:
    """One time or a list of them as numbers."""
    try:
        times = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        times = np.zeros((0, 0))
    if times.ndim > 1:
        raise LinkworkError(f"{show_value(t)} is no time. Give one number or a list of numbers")
    return times
