"""A recording: a motion as plain arrays and words, what a file keeps of it and a picture shows.

In: a Trajectory that knows its mechanism; out: knots of the motion, curves over time, arrows, and the words of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import LinkworkError
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.drawing import Drawing, describe_drawing
from linkwork.native.numbers import compute_part_forces
from linkwork.results.knots import Knots, compute_knots
from linkwork.results.reactions import Reactions
from linkwork.results.shown import draw_lagrangian
from linkwork.results.summary import summarise
from linkwork.results.trajectory import State, Trajectory

Floats = NDArray[np.float64]
CURVE_TIMES = 1500  # times at which energies are sampled
FORCE_TIMES = 600  # times at which forces are sampled
MOST_ARROWS = 80  # places where forces are recorded
MOST_NUMBERS = 2_000_000  # numbers of a sampled state, all coordinates together


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One quantity over time. Curves of the same group belong into one plot."""

    group: str
    name: str
    unit: str
    t: Floats
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A force at a point over time: kind "force" (applied) or "reaction".   values: (k, dimension)"""

    kind: str
    name: str
    point: str
    t: Floats
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A motion by its knots, with everything that is shown beside it."""

    title: str
    outcome: str
    coordinates: tuple[str, ...]
    scales: Floats
    knots: Knots
    drawing: Drawing
    summary: tuple[tuple[str, str], ...] = ()
    events: tuple[tuple[str, float], ...] = ()
    curves: tuple[Curve, ...] = ()
    arrows: tuple[Arrow, ...] = field(default=())

    def place(self, point: str) -> tuple[int, ...]:
        """The numbers of a moving point's coordinates."""
        index = {name: i for i, name in enumerate(self.coordinates)}
        return tuple(index[f"{point}{axis}"] for axis in "xyz"[: self.drawing["dimension"]])


def record(motion: Trajectory) -> Recording:
    """Everything a picture of a motion shows."""
    if motion.mechanism is None:
        raise LinkworkError("this motion does not know its mechanism and cannot be drawn. Simulate with lw.load")
    if isinstance(motion.mechanism, Lagrangian) and not motion.system.markers:
        raise LinkworkError('this Lagrangian names no points to draw. Give some: points={"P": ("x", "y")}')
    loaded = motion.at(_times(motion, FORCE_TIMES))
    return Recording(
        title=motion.title,
        outcome=motion.outcome,
        coordinates=motion.shown.names,
        scales=motion.shown.scales,
        knots=compute_knots(motion),
        drawing=draw(motion, motion.mechanism),
        summary=tuple(summarise(motion)),
        events=tuple((event.name, event.t) for event in motion.events),
        curves=(*_energies(motion), *residual_curves(motion), *driving_curves(motion, loaded)),
        arrows=(*_reactions(motion, loaded), *_applied(motion, loaded)),
    )


def draw(motion: Trajectory, model: Mechanism | Lagrangian) -> Drawing:
    """What a picture needs to know besides the motion."""
    return draw_lagrangian(motion, model) if isinstance(model, Lagrangian) else describe_drawing(model)


def _times(motion: Trajectory, count: int) -> Floats:
    """Equally spaced times, fewer for large mechanisms."""
    most = max(50, MOST_NUMBERS // max(1, motion.system.n))
    return np.linspace(motion.t[0], motion.t[-1], min(count, most))


def energy_curves(t: Floats, kinetic: Floats, potentials: Mapping[str, Floats]) -> Iterator[Curve]:
    """Kinetic energy, potentials together and by kind if there are several, and the sum."""
    total = kinetic + sum(potentials.values(), np.zeros_like(kinetic))
    present = {name: values for name, values in potentials.items() if np.any(values)}
    several = present if len(present) > 1 else {}
    sums = {"potential": total - kinetic, "total": total} if present else {}
    named = {"kinetic": kinetic, **sums, **several}
    for name, values in named.items():
        yield Curve(group="Energy", name=name, unit="J", t=t, values=values)


def _energies(motion: Trajectory) -> Iterator[Curve]:
    state = motion.at(_times(motion, CURVE_TIMES))
    yield from energy_curves(np.asarray(state.t), state.energy.kinetic, state.energy.potentials)
    yield from work_curves(motion)


def work_curves(motion: Trajectory) -> Iterator[Curve]:
    """Work of every law, damper and driver since the start."""
    for name, work in motion.work.items():
        yield Curve(group="Work", name=name, unit="J", t=motion.t, values=work)


def residual_curves(motion: Trajectory) -> Iterator[Curve]:
    """How well the constraints hold, at three levels."""
    t, levels = motion.residual_history()
    for name, values in zip(("position", "velocity", "acceleration"), levels, strict=True):
        yield Curve(group="Constraint residuals", name=name, unit="", t=t, values=values)


def driving_curves(motion: Trajectory, state: State) -> Iterator[Curve]:
    """Forces and torques that keep prescribed motions."""
    for name in motion.system.constraints:
        if name.startswith("motion_"):
            target = name.removeprefix("motion_")
            unit = "N m" if target.endswith(".angle") else "N"
            values = -state.multiplier(name)
            yield Curve(group="Driving", name=target, unit=unit, t=np.asarray(state.t), values=values)


def _reactions(motion: Trajectory, state: State) -> Iterator[Arrow]:
    """The force on every rigid part at each of its points where something else meets it."""
    parts = motion.system.parts
    meeting = [point for points in parts.values() for point in points]
    outside = {p for _, _, *points in motion.system.joints.values() for p in points}
    outside |= {p for p, places in motion.system.points.items() if places[0] >= motion.system.n}
    pairs = [(part, p) for part, points in parts.items() for p in points if meeting.count(p) > 1 or p in outside]
    if not pairs or len(pairs) > MOST_ARROWS:
        return
    t = np.asarray(state.t)
    found = Reactions(motion.system, state.q, state.u, state.a, state.lam, t)
    for part, point in pairs:
        values = found.at(part, point, "world")
        yield Arrow(kind="reaction", name=f"on {part} at {point}", point=point, t=t, values=values)


def _applied(motion: Trajectory, state: State) -> Iterator[Arrow]:
    """The forces by laws at their points."""
    if not isinstance(motion.mechanism, Mechanism):
        return
    points = sorted({force.point for force in motion.mechanism.forces} & set(motion.mechanism.moving_points))
    if not points or len(points) > MOST_ARROWS:
        return
    t = np.asarray(state.t)
    names = {f"force {point}" for point in points}
    needed = compute_part_forces(motion.system, names, state.q.T, state.u.T, state.a.T, state.lam.T, t)
    for point in points:
        # what the rest must supply against a force is its opposite
        columns = [-np.broadcast_to(needed[f"force {point}", i], t.shape) for i in motion.system.points[point]]
        yield Arrow(kind="force", name=f"at {point}", point=point, t=t, values=np.stack(columns, axis=-1))
