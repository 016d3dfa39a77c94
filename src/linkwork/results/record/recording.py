"""A recording: a motion as plain arrays and words, what a file keeps of it and a picture shows.

In: a Trajectory that knows its mechanism; out: knots of the motion, curves over time, arrows, and the words of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from linkwork.arrays import Floats
from linkwork.blas import in_one_thread
from linkwork.equations import Row
from linkwork.errors import LinkworkError
from linkwork.model import Lagrangian, Mechanism
from linkwork.results.record.drawing import Drawing, describe_drawing
from linkwork.results.record.forces import compute_forces, find_forces
from linkwork.results.record.knots import Knots, compute_knots, fill_knots
from linkwork.results.record.noise import Shaken, find_floors, silence, silence_knots, silence_work
from linkwork.results.record.samples import BalancedStates, Times, find_breaks, find_state, sample
from linkwork.results.record.shown import Lines, draw_lagrangian, locate_bodies
from linkwork.results.record.torques import compute_torques, find_torques
from linkwork.results.state import Snapshot
from linkwork.results.summary import is_early, summarise
from linkwork.results.trajectory import Trajectory
from linkwork.results.work import find_work

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


@in_one_thread(lambda motion: motion.system.n)
def record(motion: Trajectory) -> Recording:
    """Everything a picture of a motion shows."""
    if motion.mechanism is None:
        raise LinkworkError("this motion does not know its mechanism and cannot be drawn. Simulate with lw.load")
    model, (motion, lines) = motion.mechanism, locate_bodies(motion)
    if isinstance(model, Lagrangian) and not motion.system.chart.markers:
        raise LinkworkError('this Lagrangian names no points to draw. Give some: points={"P": ("x", "y")}')
    (knots, notes), breaks = prepare_knots(motion, compute_knots(motion)), find_breaks(motion)
    drawing, sampler = draw(motion, model, lines), Sampler(motion, knots.t, breaks)
    return Recording(
        title=motion.title,
        outcome=motion.outcome,
        early=is_early(motion),
        doubts=motion.doubts,
        coordinates=motion.shown.names,
        scales=motion.shown.scales,
        knots=knots,
        drawing={**drawing, "notes": [*drawing["notes"], *notes]},
        summary=tuple(summarise(motion)),
        events=tuple((event.name, event.t) for event in motion.events),
        curves=record_curves(sampler),
        arrows=record_arrows(sampler),
    )


def prepare_knots(motion: Trajectory, knots: Knots) -> tuple[Knots, list[str]]:
    """Knots as they can be drawn, without noise and with a value everywhere; and notes on what had none."""
    filled, missing = fill_knots(knots)
    names = [name for name, none in zip(motion.shown.names, missing, strict=True) if none]
    return silence_knots(filled, motion.shown.scales), [
        f"{name} has no value at some times: it is drawn where it was last" for name in names
    ]


def draw(motion: Trajectory, model: Mechanism | Lagrangian, lines: Lines = ()) -> Drawing:
    """What a picture needs to know besides the motion."""
    return draw_lagrangian(motion, model, lines) if isinstance(model, Lagrangian) else describe_drawing(model)


@dataclass(frozen=True)
class Sampler:
    """Samples quantities along a motion so that they give every value between.

    start: times to begin with; breaks: times where something jumps
    """

    motion: Trajectory
    start: Floats
    breaks: Floats

    @cached_property
    def balanced(self) -> BalancedStates:
        """States with their multipliers, for all that is made of forces."""
        return BalancedStates(self.motion)

    @cached_property
    def shaken(self) -> Shaken:
        """States that show what of a quantity is noise."""
        return Shaken(self.motion)

    def sample(
        self, compute: Callable[[Snapshot], Floats], most: int, floor: float, *, forces: bool = False
    ) -> tuple[Floats, Floats]:
        """Times and there the columns that are computed from states, without rounding that would look like a signal."""
        find = self.balanced.at if forces else partial(find_state, self.motion)
        t, values = sample(lambda times: compute(find(times)), self.start, self.breaks, most, floor)
        return t, silence(values, find_floors(self.shaken, compute))


def record_curves(s: Sampler) -> tuple[Curve, ...]:
    """All curves over time, from samples that give every value between."""
    return *_signals(s), *_energies(s), *residual_curves(s.motion), *_driving(s)


def _most(motion: Trajectory, start: Floats) -> int:
    """How many samples there may be, fewer for large mechanisms."""
    return max(50, min(max(MOST_TIMES, PER_KNOT * len(start)), MOST_NUMBERS // max(1, motion.system.n)))


def most_forces(motion: Trajectory, start: Floats) -> int:
    """The same for forces, which take long where constraints are many."""
    work = FORCE_WORK // max(1, motion.system.n * motion.system.m)
    return min(_most(motion, start), max(FORCE_TIMES, work))


def _signals(s: Sampler) -> Iterator[Curve]:
    """States, variables and inputs of the mechanism."""
    motion = s.motion
    variables = () if motion.mechanism is None else motion.mechanism.variables
    groups = {"States": list(motion.system.states), "Variables": list(variables), "Inputs": list(motion.system.inputs)}
    for group, names in groups.items():
        if not names:
            continue

        def compute(state: Snapshot, names: list[str] = names) -> Floats:
            return np.stack([state[name] for name in names], axis=1)

        t, values = s.sample(compute, _most(motion, s.start), SMALL_SIGNAL)
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


def _energies(s: Sampler) -> Iterator[Curve]:
    motion = s.motion
    work, kinds, names = find_work(motion), list(motion.final.energy.potentials), list(motion.power)

    def energies(state: Snapshot) -> Floats:
        energy = state.energy
        return np.stack([energy.kinetic, energy.total, *(energy.potentials[kind] for kind in kinds)], axis=1)

    def compute(times: Times) -> Floats:
        works = work(times.t, times.before)
        return np.column_stack([energies(find_state(motion, times)), *(works[name] for name in names)])

    t, values = sample(compute, s.start, s.breaks, _most(motion, s.start), SMALL_ENERGY)
    kinetic, _, *others = silence(values[:, : len(kinds) + 2], find_floors(s.shaken, energies)).T
    yield from energy_curves(t, kinetic, dict(zip(kinds, others, strict=True)))
    for name, column in zip(names, silence_work(motion, values[:, len(kinds) + 2 :]).T, strict=True):
        yield Curve(group="Work", name=name, unit="J", t=t, values=column)


def work_curves(motion: Trajectory, state: Snapshot) -> Iterator[Curve]:
    """Work of every law, damper and driver since the start, at the times of a state."""
    t = np.atleast_1d(state.t)
    found = find_work(motion)(t, np.zeros(len(t), dtype=np.bool_))
    for name, work in zip(found, silence_work(motion, np.column_stack(list(found.values()))).T, strict=True):
        yield Curve(group="Work", name=name, unit="J", t=t, values=work)


def residual_curves(motion: Trajectory) -> Iterator[Curve]:
    """How well the constraints hold, at three levels."""
    t, levels = motion.residual_history()
    for name, values in zip(("position", "velocity", "acceleration"), levels, strict=True):
        yield Curve(group="Constraint residuals", name=name, unit="", t=t, values=values)


def driving_curves(motion: Trajectory, state: Snapshot) -> Iterator[Curve]:
    """Forces and torques that keep prescribed motions."""
    for row in _drivers(motion):
        yield _driving_curve(row, np.asarray(state.t), -state.multiplier(row.name))


def _drivers(motion: Trajectory) -> list[Row]:
    return [row for row in motion.system.rows if row.kind == "motion"]


def _driving_curve(row: Row, t: Floats, values: Floats) -> Curve:
    unit = "N m" if row.unit == "rad" else "N"
    return Curve(group="Driving", name=str(row.owner.name), unit=unit, t=t, values=values)


def _driving(s: Sampler) -> Iterator[Curve]:
    rows = _drivers(s.motion)
    if not rows:
        return

    def compute(state: Snapshot) -> Floats:
        return np.stack([-state.multiplier(row.name) for row in rows], axis=1)

    t, values = s.sample(compute, most_forces(s.motion, s.start), SMALL_FORCE, forces=True)
    for row, column in zip(rows, values.T, strict=True):
        yield _driving_curve(row, t, column)


def record_arrows(s: Sampler) -> tuple[Arrow, ...]:
    """Forces and torques on parts, from samples that give every value between."""
    forces = tuple(_forces(s))
    largest = max((float(np.max(np.abs(arrow.values), initial=0.0)) for arrow in forces), default=0.0)
    return (*forces, *_torques(s, largest))


def _forces(s: Sampler) -> Iterator[Arrow]:
    """Reactions on parts and of guides, forces by laws and of drivers."""
    motion = s.motion
    found = find_forces(motion, MOST_ARROWS)
    size = len(motion.system.chart.points[found[0].point]) if found else 0
    t, each = _sample_arrows(s, lambda state: compute_forces(motion, state, found), (len(found), size))
    for push, values in zip(found, each, strict=True):
        yield Arrow(kind=push.kind, name=push.name, point=push.point, t=t, values=values)


def _torques(s: Sampler, force: float) -> Iterator[Arrow]:
    """Torques that are applied, that drive, and that joints carry; none that is only rounding of a force."""
    motion = s.motion
    found = find_torques(motion)
    found = found if len(found) <= MOST_ARROWS else []
    look = motion.at(np.linspace(motion.t[0], motion.t[-1], LOOKS))
    least = NOTHING * force * float(np.max(motion.system.scales, initial=0.0))
    sizes = [float(np.max(np.abs(values))) for values in compute_torques(motion, look, found)]
    found = [torque for torque, size in zip(found, sizes, strict=True) if size > least]
    size = 1 if found and len(motion.system.chart.points[found[0].point]) == 2 else 3
    t, each = _sample_arrows(s, lambda state: compute_torques(motion, state, found), (len(found), size))
    for torque, values in zip(found, each, strict=True):
        yield Arrow(kind=torque.kind, name=torque.name, point=torque.point, part=torque.part, t=t, values=values)


def _sample_arrows(
    s: Sampler, compute: Callable[[Snapshot], list[Floats]], shape: tuple[int, int]
) -> tuple[Floats, list[Floats]]:
    """Times and there the values of arrows.   shape: how many, and their components"""
    if not shape[0]:
        return s.start, []

    def columns(state: Snapshot) -> Floats:
        return np.concatenate(compute(state), axis=1)

    numbers = max(FORCE_NUMBERS, PER_KNOT * len(s.start) * s.motion.system.n)
    most = min(most_forces(s.motion, s.start), numbers // (shape[0] * shape[1]))
    t, values = s.sample(columns, most, SMALL_FORCE, forces=True)
    return t, np.split(values, shape[0], axis=1)
