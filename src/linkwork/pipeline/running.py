"""Motions of a model: options and a start in, a trajectory out that can be made again, or a stepper."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.blas import in_one_thread
from linkwork.errors import AccuracyWarning, InputError, ModelWarning, Ref, SolveError
from linkwork.given import as_object
from linkwork.model import Lagrangian, Mechanism
from linkwork.pipeline.machines import borrow, check_driven
from linkwork.results import About, Snapshot, Trajectory, find_doubts
from linkwork.results.trajectory import Again
from linkwork.solve import History, Options, Progress, Start, Stepping, integrate_with, resume, start_with
from linkwork.view import VIEWER

if TYPE_CHECKING:
    from linkwork.pipeline.model import Model

Begin = Snapshot | Mapping[str, float] | None

RUNAWAY = 1e6  # of its size: how far a motion must go at its last speed to be looked at
GROWTH = 1e4  # of kinetic energy in a quarter of a run, again and again


@in_one_thread(lambda model: model.whole.n)
def run(model: Model, until: float, options: Options, start: Start, progress: Progress | None = None) -> Trajectory:
    """The motion from a start until a time."""
    history: History = {}
    again = _make_again(model, start, options.kinematic, history)
    try:
        return _integrate(model, until, options, start, progress, again, history)
    except SolveError as error:
        words = _find_undefined(model.mechanism, error.motion)
        if words:
            raise SolveError(f"{error}. {words}", error.motion) from None
        raise
    except InputError as error:
        raise error if model.marks is None else InputError(map(model.marks.locate, error.problems)) from None


@in_one_thread(lambda motion: motion.system.n)
def doubt(motion: Trajectory) -> Trajectory:
    """The motion with what speaks against it, of which the caller's caller is warned."""
    motion = motion.doubted(find_doubts(motion))
    if motion.doubts:
        worst, *_, advice = motion.doubts if len(motion.doubts) > 1 else (*motion.doubts, "See motion.doubts")
        warnings.warn(f"{worst}. {advice}", AccuracyWarning, stacklevel=3)
    if words := _find_runaway(motion):
        warnings.warn(words, ModelWarning, stacklevel=3)
    return motion


def _find_runaway(motion: Trajectory) -> str:
    """A remark on a motion whose energy has grown again and again by powers of ten."""
    t, size = motion.t, float(np.max(motion.system.scales, initial=0.0))
    if not np.max(np.abs(motion.final.u), initial=0.0) * (t[-1] - t[0]) > RUNAWAY * size:
        return ""
    looks = motion.at(t[0] + (t[-1] - t[0]) * np.array([0.25, 0.5, 0.75, 1.0])).energy.kinetic
    if not np.all(looks[1:] > GROWTH * np.maximum(looks[:-1], 1e-300)):
        return ""
    sizes = " to ".join(f"{looks[i]:.3g} J" for i in (0, -1))
    return f"energy runs away: kinetic energy grows from {sizes}. Check the signs of dampers, forces and gains"


def find_begin(model: Model, start: Begin, weights: Mapping[str, float] | None = None) -> Start:
    """Where a motion begins: at the start of the model, at a state, or with other values."""
    if start is None:
        return model.start if weights is None else model.find_start(weights)
    if isinstance(start, Snapshot):
        return resume(model.whole, start)
    as_object(start, Mapping, Ref("start"), 'Give a state, as motion.final, or values by name: {"A.x": 1}')
    found = start_with(model.mechanism, model.system, start, lambda: model.start)
    return replace(found, fit=model.start.fit, fitted="")


def step(model: Model, options: Options, start: Start, inputs: Iterable[str] | None) -> Stepping:
    """The motion step by step, with a machine that goes back when nobody has the stepper any more."""
    stack = ExitStack()
    machine = stack.enter_context(borrow(model, start, options))
    found = Stepping(machine, start, options, About(mechanism=model.mechanism, presenter=VIEWER), inputs)
    weakref.finalize(found, stack.close)
    return found


def _integrate(
    model: Model,
    until: float,
    options: Options,
    start: Start,
    progress: Progress | None = None,
    again: Again | None = None,
    history: History | None = None,
    replay: bool = False,
) -> Trajectory:
    if options.kinematic:
        check_driven(model, start)
    with borrow(model, start, options) as machine:
        system = model.fitted if options.kinematic else None
        about = About(mechanism=model.mechanism, presenter=VIEWER, again=again, system=system)
        return integrate_with(machine, start, until, options, progress, about, history, replay)


def _make_again(model: Model, start: Start, kinematic: bool, history: History) -> Again:
    """Who can integrate a motion once more."""

    def again(until: float, *, tol: float, order: int, max_step: float) -> Trajectory:
        options = Options(tol=tol, order=order, max_step=max_step, kinematic=kinematic)
        try:
            return _integrate(model, until, options, start, history=history, replay=True)
        except SolveError as error:
            if not isinstance(error.motion, Trajectory):
                raise
            return error.motion

    return again


def _find_undefined(mechanism: Mechanism | Lagrangian, motion: object) -> str:
    """What of a Lagrangian has no value where its motion ends, in words."""
    if not isinstance(mechanism, Lagrangian) or not isinstance(motion, Trajectory):
        return ""
    final = motion.final
    return mechanism.find_undefined(float(final.t), final.q.tolist(), final.u.tolist())
