"""A motion: values by name at the steps and at any time between, with the evidence of how good it is.

In: polynomials of the steps and the System they belong to; out: numbers a person asks for. Integrates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linkwork.equations import System, formulate
from linkwork.equations.words import Vocabulary
from linkwork.errors import ExpressionError, LinkworkError, did_you_mean, show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.native.measure import Measure
from linkwork.native.numbers import (
    compute_energy,
    compute_jacobians,
    compute_levels,
    compute_marker,
    compute_matrices,
    compute_power,
    has_power,
)
from linkwork.results.reactions import Reactions
from linkwork.results.shown import Shown, find_shown
from linkwork.results.store import Store

Floats = NDArray[np.float64]
Times = float | Sequence[float] | Floats
DENSE = 400  # constraints up to which redundancy is looked for when multipliers are reported
GAUSS = 14  # points of the quadrature of power over a step
MOST_NUMBERS = 4_000_000  # of matrices at several states at once
AXES = "xyz"
NAME = re.compile(r"\w*")
LEVELS_OF = {"parameter": 0, "time": 0, "coordinate": 0, "speed": 1, "acceleration": 2, "multiplier": 2}
EVIDENCE = 2000  # residuals are measured at no more steps than this


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What the run took: steps kept and rejected, order, tolerance, factorisations, seconds inside the solver."""

    steps: int
    rejected: int
    order: int
    tol: float
    factorisations: int
    redundant: int
    seconds: float
    compiled: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Energy:
    """Energies [J] at a series of times: kinetic, potentials by kind, and what they add up to.

    Constant torques count as potentials (−τθ). `supplied` is the work of everything else that is not conservative
    (forces by laws, dampers, drivers) since the start, so that total − supplied stays constant.
    """

    kinetic: Floats
    potentials: Mapping[str, Floats]
    supplied: Floats | float = 0.0

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
    def drift(self) -> float:
        """Largest imbalance of energy and work, relative to the largest energy or work that flowed."""
        balance = self.total - self.supplied
        moved = [np.ptp(self.kinetic), np.max(np.abs(self.kinetic)), *(np.ptp(v) for v in self.potentials.values())]
        # where nothing moves, rounding of the potentials is not to be taken for a loss
        still = 1e-6 * max((float(np.max(np.abs(v))) for v in self.potentials.values()), default=0.0)
        size = float(max([*moved, np.ptp(np.asarray(self.supplied)), still]))
        return float(np.max(np.abs(balance - balance.flat[0])) / size) if size else 0.0


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


class State:
    """The mechanism at one time or at several: positions by name, velocities, accelerations.

    state["C"] is an array (2,) for one time and (k, 2) for k times; state["OF"] an angle; state["Cx"] a coordinate;
    state["AB.length - l"] any expression over these, the variables and states of the mechanism and its parameters.
    """

    def __init__(
        self,
        system: System,
        t: Floats,
        arrays: tuple[Floats, Floats, Floats, Floats],
        mechanism: Mechanism | Lagrangian | None = None,
    ) -> None:
        self.system, self.t, self.mechanism = system, t, mechanism
        self.q, self.u, self.a, self._lam = arrays

    def __getitem__(self, name: str) -> Floats:
        return _pick(self, name, "place")

    def velocity(self, name: str) -> Floats:
        """Velocity of a point, rate of an angle or coordinate."""
        return _pick(self, name, "velocity")

    def acceleration(self, name: str) -> Floats:
        """Acceleration of a point, of an angle or coordinate."""
        return _pick(self, name, "acceleration")

    @cached_property
    def lam(self) -> Floats:
        """Lagrange multipliers; where constraints are redundant those of least norm."""
        return _least_norm(self.system, self.q, self._lam, self.t)

    def multiplier(self, name: str) -> Floats:
        """The Lagrange multiplier of a constraint, by the constraint's name."""
        return self.lam[..., _constraint(self.system, name)]

    @cached_property
    def energy(self) -> Energy:
        """Kinetic and potential energies."""
        return _energies(self.system, self.q, self.u, self.t)

    def __reduce__(self) -> Packed:
        return _restore_state, (_known(self.mechanism), self.t, (self.q, self.u, self.a, self._lam))

    def __repr__(self) -> str:
        when = f"t = {float(self.t):.6g}" if self.t.ndim == 0 else f"{len(self.t)} times"
        return f"State({when}, {', '.join(self.system.labels[:6])}{' ...' if self.system.n > 6 else ''})"


class Presenter(Protocol):
    """Who can show a motion: the viewer, handed in from above because results know only what is below them."""

    def show(self, motion: Trajectory, path: str | None, browser: bool) -> Path:
        """Write a page and open it."""

    def html(self, motion: Trajectory) -> str | None:
        """The page as a piece of a notebook, if there can be one."""


class Trajectory:
    """The motion from start to end. `motion["C"]` at the steps, `motion.at(t)["C"]` at any time, to full accuracy."""

    def __init__(self, system: System, store: Store, final: State, stats: Stats, outcome: str, title: str = "") -> None:
        self.system, self.store, self.final = system, store, final
        self.stats, self.outcome, self.title = stats, outcome, title
        self.events: tuple[Occurrence, ...] = ()
        self.mechanism: Mechanism | Lagrangian | None = None
        self.presenter: Presenter | None = None

    def attach(self, mechanism: Mechanism | Lagrangian, presenter: Presenter) -> None:
        """Make known what moves, so that it can be asked for in words, and who can show it."""
        self.mechanism = self.final.mechanism = mechanism
        self.presenter = presenter

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
        return np.vstack([_least_norm(self.system, self.q[:-1], self.store.multipliers(), self.t[:-1]), last])

    def _with_final(self, order: int, factor: float, last: Floats) -> Floats:
        if not self.store.chunks:
            return last[None, :]
        return np.vstack([factor * self.store.coefficients(order), last])

    def __getitem__(self, name: str) -> Floats:
        """Positions of a point (k, 2), an angle, a coordinate or any expression (k,) at the steps."""
        return _pick(self, name, "place")

    def velocity(self, name: str) -> Floats:
        """Velocities of a point (k, 2) or rates of an angle or coordinate (k,) at the steps."""
        return _pick(self, name, "velocity")

    def acceleration(self, name: str) -> Floats:
        """Accelerations at the steps."""
        return _pick(self, name, "acceleration")

    def at(self, t: Times) -> State:
        """The state at one time or several, from the polynomials of the steps: as accurate as the steps themselves."""
        times = _as_times(t)
        flat = np.atleast_1d(times)
        first, last = float(self.t[0]), float(self.t[-1])
        slack = 1e-12 * max(abs(first), abs(last), last - first)
        if flat.size == 0 or not ((flat >= first - slack) & (flat <= last + slack)).all():
            raise LinkworkError(f"time outside the motion: it runs from {first:g} to {last:g}")
        arrays = self._evaluate(np.clip(flat, first, last))
        if times.ndim == 0:
            arrays = arrays[0][0], arrays[1][0], arrays[2][0], arrays[3][0]
        return State(self.system, times, arrays, self.mechanism)

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
        found = _energies(self.system, self.q, self.u, self.t)
        return replace(found, supplied=sum(self.work.values(), np.zeros(len(self.t))))

    @cached_property
    def power(self) -> dict[str, Floats]:
        """Power [W] into the mechanism of every law, damper, dissipation and driver, by name, at the steps."""
        return compute_power(self.system, self.q.T, self.u.T, self.lam.T, self.t)

    @cached_property
    def work(self) -> dict[str, Floats]:
        """Work [J] of each of them since the start, at the steps: the power integrated over the dense output."""
        if not has_power(self.system) or len(self.t) < 2:
            return {name: np.zeros(len(self.t)) for name in self.power}
        x, weight = np.polynomial.legendre.leggauss(GAUSS)
        h = np.diff(self.t)
        state = self.at((self.t[:-1, None] + h[:, None] * (x + 1) / 2).ravel())
        power = compute_power(self.system, state.q.T, state.u.T, state._lam.T, state.t)
        each = {name: (p.reshape(-1, GAUSS) @ weight) * h / 2 for name, p in power.items()}
        return {name: np.concatenate([[0.0], np.cumsum(w)]) for name, w in each.items()}

    def driving(self, target: str) -> Floats:
        """Force or torque [N, Nm] that keeps a prescribed motion, at the steps, e.g. driving("OA.angle")."""
        return -self.multiplier(f"motion_{target}")

    def multiplier(self, name: str) -> Floats:
        """Lagrange multiplier of a constraint at the steps."""
        return self.lam[:, _constraint(self.system, name)]

    def reaction(self, part: str, point: str, *, frame: str = "world", t: Times | None = None) -> Floats:
        """Force [N] on a part at one of its points from everything else that meets it there.   (k, dimension)

        At the steps or at given times; in the world frame, or with frame="part" in the part's own axes.
        """
        return self._reactions(t).at(part, point, frame)

    def tension(self, part: str, t: Times | None = None) -> Floats:
        """Force [N] along a rod or between the first two points of a part, positive when it pulls (mean)."""
        return self._reactions(t).along(part)

    def joint_reaction(self, joint: str, t: Times | None = None) -> tuple[Floats, Floats]:
        """Force [N] and torque [Nm] on the second part of a joint, about its point there.   two times (k, 3)"""
        return self._reactions(t).of_joint(joint)

    def _reactions(self, t: Times | None) -> Reactions:
        state = self if t is None else self.at(np.atleast_1d(_as_times(t)))
        return Reactions(self.system, state.q, state.u, state.a, state.lam, np.asarray(state.t))

    @cached_property
    def residuals(self) -> Residuals:
        """How well the constraints hold along the motion (at up to 2000 steps)."""
        _, levels = self.residual_history()
        worst = [float(np.max(level, initial=0.0)) for level in levels]
        return Residuals(position=worst[0], velocity=worst[1], acceleration=worst[2])

    def residual_history(self) -> tuple[Floats, tuple[Floats, Floats, Floats]]:
        """Times (up to 2000 steps) and there the largest violation of g, its first and its second rate, relative."""
        count = max(2, min(EVIDENCE, int(1e6 / max(1, self.system.n))))
        pick = np.unique(np.linspace(0, len(self.t) - 1, min(count, len(self.t))).astype(int))
        if self.system.m == 0:
            return self.t[pick], (np.zeros(len(pick)), np.zeros(len(pick)), np.zeros(len(pick)))
        q, u, a = (x[pick].T for x in (self.q, self.u, self.a))
        _, G = compute_matrices(self.system, self.final.q, float(self.final.t))
        rows = np.sqrt(np.asarray(G.multiply(G) @ self.system.scales**2).ravel())[:, None]
        rows = np.where(rows > 0, rows, 1.0)
        speed = max(float(np.max(np.abs(u) / self.system.scales[:, None])), 1e-300)
        quick = max(float(np.max(np.abs(a) / self.system.scales[:, None])), speed**2, 1e-300)
        g, g1, g2 = compute_levels(self.system, q, u, a, self.t[pick])
        position, velocity, acceleration = (np.max(np.abs(x) / rows, axis=0) for x in (g, g1, g2))
        return self.t[pick], (position, velocity / speed, acceleration / quick)

    @cached_property
    def shown(self) -> Shown:
        """Names and scales of what a picture shows."""
        return find_shown(self)

    # -- pictures -------------------------------------------------------------------------------------------------

    def show(self, path: str | None = None, *, browser: bool = True) -> Path:
        """Write the moving mechanism as one HTML page (a temporary one if no path is given) and open it."""
        return self._presenter().show(self, path, browser)

    def plot(self, what: str | Sequence[str] = "energy", path: str | Path | None = None) -> object:
        """A matplotlib figure, one panel per item of "Cx, C', energy, Cy vs Cx"; written to a file if given a path."""
        from linkwork.results.plots import plot_motion

        return plot_motion(self, what, path)

    def _repr_html_(self) -> str | None:
        return None if self.presenter is None else self.presenter.html(self)

    def _presenter(self) -> Presenter:
        if self.presenter is None:
            raise LinkworkError("this motion has no parts to draw: only a mechanism of parts and points can be shown")
        return self.presenter

    # -- tables ---------------------------------------------------------------------------------------------------

    def table(self, t: Sequence[float] | Floats | None = None) -> dict[str, Floats]:
        """Columns by name in the paper's order: t, each coordinate followed by its derivative, T, V.

        Behind the coordinates come the states, the points of a Lagrangian, and the variables.
        """
        state = self if t is None else self.at(np.atleast_1d(_as_times(t)))
        columns = {"t": state.t}
        for name in (*list_moving(self.system), *list_components(self.system)):
            columns[name] = state[name]
            columns[name + "'"] = state.velocity(name)
        variables = {} if self.mechanism is None else {name: state[name] for name in self.mechanism.variables}
        return {**columns, **variables, "T": state.energy.kinetic, "V": state.energy.potential}

    # -- copies ---------------------------------------------------------------------------------------------------

    def __reduce__(self) -> Packed:
        f, mechanism = self.final, _known(self.mechanism)
        final = (f.t, (f.q, f.u, f.a, f._lam))
        words = (self.outcome, self.title, self.events, self.presenter)
        return _restore, (mechanism, self.store, final, self.stats, *words)

    def __repr__(self) -> str:
        return f"Trajectory({self.title or 'mechanism'}: {len(self.t) - 1} steps, {self.outcome})"


# a copy (by pickle or copy) formulates its mechanism anew, since equations hold functions
Packed = tuple[Callable[..., object], tuple[object, ...]]


def _known(mechanism: Mechanism | Lagrangian | None) -> Mechanism | Lagrangian:
    if mechanism is None:
        raise LinkworkError("a motion that does not know its mechanism cannot be copied. Simulate with lw.load")
    return mechanism


def _restore_state(
    mechanism: Mechanism | Lagrangian, t: Floats, arrays: tuple[Floats, Floats, Floats, Floats]
) -> State:
    return State(formulate(mechanism), t, arrays, mechanism)


def _restore(
    mechanism: Mechanism | Lagrangian,
    store: Store,
    final: tuple[Floats, tuple[Floats, Floats, Floats, Floats]],
    stats: Stats,
    outcome: str,
    title: str,
    events: tuple[Occurrence, ...],
    presenter: Presenter | None,
) -> Trajectory:
    last = _restore_state(mechanism, *final)
    motion = Trajectory(last.system, store, last, stats, outcome, title)
    motion.events, motion.mechanism, motion.presenter = events, mechanism, presenter
    return motion


def _as_times(t: object) -> Floats:
    """One time or a list of them as numbers."""
    try:
        times = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError):
        times = np.zeros((0, 0))
    if times.ndim > 1:
        raise LinkworkError(f"{show_value(t)} is no time. Give one number or a list of numbers")
    return times


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise LinkworkError(f"{show_value(name)} is no name. Give a text; for other times use at(t) first")


def list_moving(system: System) -> list[str]:
    """Coordinates and states."""
    places = [name for name, place in zip(system.coordinates, system.mechanical, strict=True) if place]
    return [*places, *system.states]


def list_components(system: System, point: str | None = None) -> list[str]:
    """Px, Py of the points of a Lagrangian, or of one of them; a coordinate of the same name goes first."""
    points = system.markers if point is None else {point: system.markers[point]}
    sizes = {name: len(marker.program.outputs["place"]) for name, marker in points.items()}
    names = dict.fromkeys(f"{name}{axis}" for name, size in sizes.items() for axis in AXES[:size])
    return [name for name in names if name not in system.index]


def list_columns(system: System, name: str) -> list[str]:
    """The coordinates that a known name stands for: those of a point, or itself."""
    if name in system.markers:
        return list_components(system, name)
    if name not in system.points:
        return [name]
    return [system.coordinates[i] for i in system.points[name] if i < system.n]


def _constraint(system: System, name: str) -> int:
    _check_name(name)
    if name not in system.constraints:
        hint = did_you_mean(name, system.constraints)
        raise LinkworkError(f"no constraint named '{name}'. {hint}".rstrip())
    return system.constraints.index(name)


def _energies(system: System, q: Floats, u: Floats, t: Floats) -> Energy:
    """Energies along the last axis, a slice of states at a time so that memory stays bounded."""
    flat_q, flat_u, flat_t = np.atleast_2d(q), np.atleast_2d(u), np.atleast_1d(t)
    block = max(1, int(3e5 / max(1, system.n)))
    slices = [slice(i, i + block) for i in range(0, len(flat_q), block)]
    parts = [compute_energy(system, flat_q[s].T, flat_u[s].T, flat_t[s]) for s in slices]
    kinetic = np.concatenate([T for T, _ in parts])
    kinds = parts[0][1]
    potentials = {kind: np.concatenate([V[kind] for _, V in parts]) for kind in kinds}
    if q.ndim == 1:
        return Energy(kinetic=kinetic[0], potentials={kind: v[0] for kind, v in potentials.items()})
    return Energy(kinetic=kinetic, potentials=potentials)


def _least_norm(system: System, q: Floats, lam: Floats, t: Floats) -> Floats:
    """The multipliers of least norm with the same forces Gᵀλ.   q: (k, n) or (n,), lam: (k, m) or (m,)

    If the constraints are independent at the first state they are left as they are.
    """
    states, times = np.atleast_2d(q), np.atleast_1d(t)
    if system.m == 0 or system.m > DENSE or not _is_redundant(compute_jacobians(system, states[:1].T, times[:1])[0]):
        return lam
    found = np.atleast_2d(lam).copy()
    block = max(1, MOST_NUMBERS // (system.m * system.n))
    for i in range(0, len(states), block):
        part = slice(i, i + block)
        G = compute_jacobians(system, states[part].T, times[part])
        # the projector on the row space of G, which leaves forces as they are
        found[part] = np.einsum("kab,kb->ka", G @ np.linalg.pinv(G, rcond=1e-10), found[part])
    return found.reshape(lam.shape)


def _is_redundant(G: Floats) -> bool:
    rows = np.linalg.norm(G, axis=1)
    return bool(np.linalg.matrix_rank(G / np.where(rows > 0, rows, 1.0)[:, None], tol=1e-9) < len(G))


LEVELS = {"place": 0, "velocity": 1, "acceleration": 2}


def _pick(of: State | Trajectory, name: str, what: str) -> Floats:
    """Place, velocity or acceleration of a point, angle, coordinate, state or expression; a fixed point stays."""
    _check_name(name)
    system = of.system
    values = (of.q, of.u, of.a)[LEVELS[what]]
    if name in system.markers:
        return np.moveaxis(compute_marker(system, system.markers[name], of.q.T, of.u.T, of.a.T, of.t)[what], 0, -1)
    if name in system.points:
        places = system.points[name]
        if places[0] < system.n:
            return values[..., list(places)]
        still = system.frozen[[i - system.n for i in places]] if what == "place" else np.zeros(len(places))
        return np.broadcast_to(still, (*values.shape[:-1], len(places)))
    if name in system.index:
        return values[..., system.index[name]]
    if name in system.states:
        if what == "acceleration":
            raise LinkworkError(f"a state such as '{name}' has a rate but no acceleration")
        return (of.u, of.a)[LEVELS[what]][..., system.states[name]]
    if name[:-1] in system.markers and name in list_components(system, name[:-1]):
        return _pick(of, name[:-1], what)[..., AXES.index(name[-1])]
    return _measure(of, name, LEVELS[what])


def _measure(of: State | Trajectory, text: str, level: int) -> Floats:
    """An expression, its rate or acceleration."""
    system = of.system
    known = [*system.points, *system.markers, *list_moving(system)]
    unknown = f"no point, angle or coordinate named '{text}'. {did_you_mean(text, known)}".rstrip()
    if of.mechanism is None:
        raise LinkworkError(unknown)
    try:
        wording = Vocabulary(of.mechanism, system).read("name", text)
    except ExpressionError as error:
        if NAME.fullmatch(text):
            raise LinkworkError(unknown) from None
        raise LinkworkError(f"'{text}': {error.what}. {error.remedy}".rstrip()) from None
    measure = Measure(system, wording.expr, of.mechanism.values)
    highest = max(LEVELS_OF[kind] for kind in (*measure.used, "parameter"))
    if level and level + highest > 2:
        raise LinkworkError(f"the rates of '{text}' are not known: they need more than accelerations")
    lam = of.lam.T if "multiplier" in measure.used else np.zeros((system.m, 1))
    return measure.compute(level, of.q.T, of.u.T, of.a.T, lam, of.t)
