"""A recording: a motion as plain arrays and words, what a file keeps of it and a picture shows.

In: a Trajectory that knows its mechanism; out: knots of the motion, curves over time, arrows, and the words of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import LinkworkError
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.drawing import Drawing, describe_drawing
from linkwork.native.numbers import compute_part_forces
from linkwork.results.knots import Knots, compute_knots
from linkwork.results.reactions import Reactions
from linkwork.results.samples import Times, find_breaks, find_state, sample
from linkwork.results.shown import draw_lagrangian
from linkwork.results.state import State
from linkwork.results.summary import is_early, summarise
from linkwork.results.torques import compute_torques, find_torques
from linkwork.results.trajectory import Trajectory
from linkwork.results.work import find_work

Floats = NDArray[np.float64]
MOST_TIMES = 20_000  # times at which curves are sampled, or
PER_KNOT = 4  # so many per knot of the motion, if that is more
MOST_ARROWS = 80  # places where forces are recorded
MOST_NUMBERS = 2_000_000  # numbers of a sampled state, all coordinates together
FORCE_TIMES = 600  # forces may be sampled so often whatever it costs, and more often
FORCE_WORK = 20_000_000  # if times, coordinates and constraints multiply to less than this
FORCE_NUMBERS = 120_000  # components of all arrows together, or as many as the motion itself takes
SMALL_ENERGY = 1e-6  # of the largest energy: what is smaller is not resolved further
SMALL_SIGNAL = 1e-9  # of the largest signal, which may have other units
SMALL_FORCE = 1e-4  # of the largest force
NOTHING = 1e-8  # of the largest force times the size: torques that are smaller are rounding
ARROW_KINDS = ("force", "torque", "reaction", "reaction torque")
LOOKS = 50  # times at which the sizes of torques are looked at


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
    """A force at a point over time, or a torque on a part, drawn about a point.

    kind    one of ARROW_KINDS; "force" and "torque" are applied
    part    the part that a torque acts on
    values  (k, dimension); of torques in the plane (k, 1)
    """

    kind: str
    name: str
    point: str
    t: Floats
    values: Floats
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A motion by its knots, with everything that is shown beside it.

    early   whether it ended before the time it was to reach; `outcome` says why
    doubts  what speaks against the result, in sentences
    """

    title: str
    outcome: str
    coordinates: tuple[str, ...]
    scales: Floats
    knots: Knots
    drawing: Drawing
    summary: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()
    events: tuple[tuple[str, float], ...] = ()
    curves: tuple[Curve, ...] = ()
    arrows: tuple[Arrow, ...] = field(default=())
    early: bool = False

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
    knots, breaks = compute_knots(motion), find_breaks(motion)
    return Recording(
        title=motion.title,
        outcome=motion.outcome,
        early=is_early(motion),
        doubts=motion.doubts,
        coordinates=motion.shown.names,
        scales=motion.shown.scales,
        knots=knots,
        drawing=draw(motion, motion.mechanism),
        summary=tuple(summarise(motion)),
        events=tuple((event.name, event.t) for event in motion.events),
        curves=record_curves(motion, knots.t, breaks),
        arrows=record_arrows(motion, knots.t, breaks),
    )


def draw(motion: Trajectory, model: Mechanism | Lagrangian) -> Drawing:
    """What a picture needs to know besides the motion."""
    return draw_lagrangian(motion, model) if isinstance(model, Lagrangian) else describe_drawing(model)


def record_curves(motion: Trajectory, start: Floats, breaks: Floats) -> tuple[Curve, ...]:
    """All curves over time, from samples that give every value between.

    start: times to begin sampling with; breaks: times where something jumps
    """
    return (
        *_signals(motion, start, breaks),
        *_energies(motion, start, breaks),
        *residual_curves(motion),
        *_driving(motion, start, breaks),
    )


def _most(motion: Trajectory, start: Floats) -> int:
    """How many samples there may be, fewer for large mechanisms."""
    return max(50, min(max(MOST_TIMES, PER_KNOT * len(start)), MOST_NUMBERS // max(1, motion.system.n)))


def _most_forces(motion: Trajectory, start: Floats) -> int:
    """The same for forces, which take long where constraints are many."""
    work = FORCE_WORK // max(1, motion.system.n * motion.system.m)
    return min(_most(motion, start), max(FORCE_TIMES, work))


def _signals(motion: Trajectory, start: Floats, breaks: Floats) -> Iterator[Curve]:
    """States and variables of the mechanism."""
    variables = () if motion.mechanism is None else motion.mechanism.variables
    groups = {"States": list(motion.system.states), "Variables": list(variables)}
    for group, names in groups.items():
        if not names:
            continue

        def compute(times: Times, names: list[str] = names) -> Floats:
            state = find_state(motion, times)
            return np.stack([state[name] for name in names], axis=1)

        t, values = sample(compute, start, breaks, _most(motion, start), SMALL_SIGNAL)
        for name, column in zip(names, values.T, strict=True):
            yield Curve(group=group, name=name, unit="", t=t, values=column)


def energy_curves(t: Floats, kinetic: Floats, potentials: Mapping[str, Floats]) -> Iterator[Curve]:
    """Kinetic energy, potentials together and by kind if there are several, and the sum."""
    total = kinetic + sum(potentials.values(), np.zeros_like(kinetic))
    present = {name: values for name, values in potentials.items() if np.any(values)}
    several = present if len(present) > 1 else {}
    sums = {"potential": total - kinetic, "total": total} if present else {}
    named = {"kinetic": kinetic, **sums, **several}
    for name, values in named.items():
        yield Curve(group="Energy", name=name, unit="J", t=t, values=values)


def _energies(motion: Trajectory, start: Floats, breaks: Floats) -> Iterator[Curve]:
    work, kinds, names = find_work(motion), list(motion.final.energy.potentials), list(motion.power)

    def compute(times: Times) -> Floats:
        energy, works = find_state(motion, times).energy, work(times.t, times.before)
        columns = [energy.kinetic, energy.total, *(energy.potentials[kind] for kind in kinds)]
        return np.stack([*columns, *(works[name] for name in names)], axis=1)

    t, values = sample(compute, start, breaks, _most(motion, start), SMALL_ENERGY)
    kinetic, _, *others = values.T
    yield from energy_curves(t, kinetic, dict(zip(kinds, others, strict=False)))
    for name, values in zip(names, others[len(kinds) :], strict=True):
        yield Curve(group="Work", name=name, unit="J", t=t, values=values)


def work_curves(motion: Trajectory, state: State) -> Iterator[Curve]:
    """Work of every law, damper and driver since the start, at the times of a state."""
    t = np.atleast_1d(state.t)
    for name, work in find_work(motion)(t, np.zeros(len(t), dtype=np.bool_)).items():
        yield Curve(group="Work", name=name, unit="J", t=t, values=work)


def residual_curves(motion: Trajectory) -> Iterator[Curve]:
    """How well the constraints hold, at three levels."""
    t, levels = motion.residual_history()
    for name, values in zip(("position", "velocity", "acceleration"), levels, strict=True):
        yield Curve(group="Constraint residuals", name=name, unit="", t=t, values=values)


def driving_curves(motion: Trajectory, state: State) -> Iterator[Curve]:
    """Forces and torques that keep prescribed motions."""
    for name in _drivers(motion):
        yield _driving_curve(name, np.asarray(state.t), -state.multiplier(name))


def _drivers(motion: Trajectory) -> list[str]:
    return [name for name in motion.system.constraints if name.startswith("motion_")]


def _driving_curve(name: str, t: Floats, values: Floats) -> Curve:
    target = name.removeprefix("motion_")
    unit = "N m" if target.endswith(".angle") else "N"
    return Curve(group="Driving", name=target, unit=unit, t=t, values=values)


def _driving(motion: Trajectory, start: Floats, breaks: Floats) -> Iterator[Curve]:
    names = _drivers(motion)
    if not names:
        return

    def compute(times: Times) -> Floats:
        state = find_state(motion, times)
        return np.stack([-state.multiplier(name) for name in names], axis=1)

    t, values = sample(compute, start, breaks, _most_forces(motion, start), SMALL_FORCE)
    for name, column in zip(names, values.T, strict=True):
        yield _driving_curve(name, t, column)


def record_arrows(motion: Trajectory, start: Floats, breaks: Floats) -> tuple[Arrow, ...]:
    """Forces and torques on parts, from samples that give every value between."""
    forces = tuple(_forces(motion, start, breaks))
    largest = max((float(np.max(np.abs(arrow.values), initial=0.0)) for arrow in forces), default=0.0)
    return (*forces, *_torques(motion, start, breaks, largest))


def _forces(motion: Trajectory, start: Floats, breaks: Floats) -> Iterator[Arrow]:
    """Reactions on parts and forces by laws."""
    pairs, points = _meetings(motion), _pushed(motion)

    def compute(state: State) -> list[Floats]:
        return [*_reactions(motion, state, pairs), *_applied(motion, state, points)]

    words = [("reaction", f"on {part} at {point}", point) for part, point in pairs]
    words += [("force", f"at {point}", point) for point in points]
    size = len(motion.system.points[words[0][2]]) if words else 0
    t, each = _sample_arrows(motion, compute, (len(words), size), start, breaks)
    for (kind, name, point), values in zip(words, each, strict=True):
        yield Arrow(kind=kind, name=name, point=point, t=t, values=values)


def _torques(motion: Trajectory, start: Floats, breaks: Floats, force: float) -> Iterator[Arrow]:
    """Torques that are applied, that drive, and that joints carry; none that is only rounding of a force."""
    found = find_torques(motion)
    found = found if len(found) <= MOST_ARROWS else []
    look = motion.at(np.linspace(motion.t[0], motion.t[-1], LOOKS))
    least = NOTHING * force * float(np.max(motion.system.scales, initial=0.0))
    sizes = [float(np.max(np.abs(values))) for values in compute_torques(motion, look, found)]
    found = [torque for torque, size in zip(found, sizes, strict=True) if size > least]
    size = 1 if found and len(motion.system.points[found[0].point]) == 2 else 3
    t, each = _sample_arrows(motion, lambda s: compute_torques(motion, s, found), (len(found), size), start, breaks)
    for torque, values in zip(found, each, strict=True):
        yield Arrow(kind=torque.kind, name=torque.name, point=torque.point, part=torque.part, t=t, values=values)


def _sample_arrows(
    motion: Trajectory, compute: Callable[[State], list[Floats]], shape: tuple[int, int], start: Floats, breaks: Floats
) -> tuple[Floats, list[Floats]]:
    """Times and there the values of arrows.   shape: how many, and their components"""
    if not shape[0]:
        return start, []

    def columns(times: Times) -> Floats:
        return np.concatenate(compute(find_state(motion, times)), axis=1)

    numbers = max(FORCE_NUMBERS, PER_KNOT * len(start) * motion.system.n)
    most = min(_most_forces(motion, start), numbers // (shape[0] * shape[1]))
    t, values = sample(columns, start, breaks, most, SMALL_FORCE)
    return t, np.split(values, shape[0], axis=1)


def _meetings(motion: Trajectory) -> list[tuple[str, str]]:
    """Every rigid part with each of its points where something else meets it."""
    parts = motion.system.parts
    meeting = [point for points in parts.values() for point in points]
    outside = {p for _, _, *points in motion.system.joints.values() for p in points}
    outside |= {p for p, places in motion.system.points.items() if places[0] >= motion.system.n}
    pairs = [(part, p) for part, points in parts.items() for p in points if meeting.count(p) > 1 or p in outside]
    return pairs if len(pairs) <= MOST_ARROWS else []


def _reactions(motion: Trajectory, state: State, pairs: list[tuple[str, str]]) -> list[Floats]:
    """The force on a part at a point.   each (k, dimension)"""
    found = Reactions(motion.system, state.q, state.u, state.a, state.lam, np.asarray(state.t)) if pairs else None
    return [found.at(part, point, "world") for part, point in pairs] if found else []


def _pushed(motion: Trajectory) -> list[str]:
    """The points that forces by laws act on."""
    if not isinstance(motion.mechanism, Mechanism):
        return []
    points = sorted({force.point for force in motion.mechanism.forces} & set(motion.mechanism.moving_points))
    return points if len(points) <= MOST_ARROWS else []


def _applied(motion: Trajectory, state: State, points: list[str]) -> list[Floats]:
    """The force by laws at a point.   each (k, dimension)"""
    t = np.asarray(state.t)
    names = {f"force {point}" for point in points}
    needed = compute_part_forces(motion.system, names, state.q.T, state.u.T, state.a.T, state.lam.T, t)
    # what the rest must supply against a force is its opposite
    return [
        np.stack([-np.broadcast_to(needed[f"force {point}", i], t.shape) for i in motion.system.points[point]], axis=-1)
        for point in points
    ]
