"""Starts elsewhere than a description says: a state of another motion, or values by name in, a Start out.

Values are kept exactly, or to rounding where there are more of them than are free; all others are those of the
description, moved as little as the constraints ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import InputError, Problem, Ref, StartError, did_you_mean, show_value
from linkwork.given import as_finite
from linkwork.model import Lagrangian, Mechanism
from linkwork.results.state import Snapshot
from linkwork.solve.start.consistent import Start, search_start
from linkwork.solve.start.guess import Guesses
from linkwork.solve.start.singular import is_regular
from linkwork.solve.start.wanted import Wanted

FORM = 'Give a state, such as motion.final or motion.at(2), or values by name: {"A.x": 1, "A.vx": 0}'
NONE = np.zeros(0, dtype=np.int64)
FITTING = 1e-6  # of its size: values that are given to more digits than they have fit by so much


def resume(system: System, state: Snapshot) -> Start:
    """The start at a state of another motion of the same mechanism, with what holds and what is held there."""
    n, known = system.n, state.system
    if state.t.ndim or known.coordinates != system.coordinates or [*known.inputs] != [*system.inputs]:
        what = "this is not one state of this mechanism"
        raise InputError([Problem(ref=Ref("start"), what=what, remedy=FORM)])
    q, u = system.with_inputs(state.q, {}) if system.inputs else state.q, state.u[:n]
    if not (np.isfinite(q).all() and np.isfinite(u).all()):
        raise InputError([Problem(ref=Ref("start"), what="a value of this state is not finite", remedy=FORM)])
    regular = is_regular(system.restricted(state.off), q, float(state.t))
    return Start(
        t=float(state.t), q=q.copy(), u=u.copy(), attempts=0, fixed=(NONE, NONE),
        regular=regular, off=state.off, sides=state.sides,
    )  # fmt: skip


def start_with(mechanism: Mechanism | Lagrangian, system: System, given: Mapping[str, float]) -> Start:
    """The start of a mechanism with other values of some coordinates, speeds, states and inputs, and of the time t."""
    values = {name: as_finite(value, Ref("start of", str(name))) for name, value in given.items()}
    inputs = {name: values.pop(name) for name in [*values] if name in system.inputs}
    t = values.pop("t", None)
    places, speeds, unknown = dict[int, float](), dict[int, float](), list[str]()
    for name, value in values.items():
        found = _find(system, name)
        if found is None:
            unknown.append(name)
        else:
            (speeds if found[1] else places)[found[0]] = value
    if unknown:
        raise InputError([_unknown(system, name) for name in unknown])

    def change(wanted: Wanted, fixed: bool) -> Wanted:
        position, velocity = _kept(wanted.position, places, fixed), _kept(wanted.velocity, speeds, fixed)
        when = wanted.t if t is None else t
        return replace(wanted.unconditioned(), t=when, position=position, velocity=velocity, asked=position.values)

    try:
        start = search_start(mechanism, system, lambda wanted: change(wanted, fixed=True))
    except StartError as error:
        # more values than are free may fit all the same
        start = search_start(mechanism, system, lambda wanted: change(wanted, fixed=False))
        off = [abs(start.q[i] - value) / system.scales[i] for i, value in places.items()]
        off += [abs(start.u[i] - value) / max(abs(value), system.scales[i]) for i, value in speeds.items()]
        if max(off) > FITTING:
            raise error from None
    return replace(start, q=system.with_inputs(start.q, inputs)) if inputs else start


def _kept(guesses: Guesses, values: Mapping[int, float], fixed: bool) -> Guesses:
    """Guesses of which some have other values, which alone may be fixed."""
    which = np.array([*values], dtype=np.int64)
    found: Floats = guesses.values.copy()
    found[which] = [*values.values()]
    given, kept = guesses.given.copy(), np.zeros_like(guesses.fixed)
    given[which], kept[which] = True, fixed
    return Guesses(values=found, given=given, fixed=kept)


def _find(system: System, name: str) -> tuple[int, bool] | None:
    """The coordinate that a name stands for, and whether it means its speed."""
    if name in system.states:
        return system.states[name], True
    rate = name.endswith("'")
    plain = name.removesuffix("'")
    if plain in system.index:
        return system.index[plain], rate
    of, _, what = plain.rpartition(".")
    if what in ("angle", "omega") and of in system.chart.angles:
        return system.chart.angles[of], rate or what == "omega"
    at = system.chart.points.get(of, ())
    axis = "xyz".find(what[-1:]) if what in ("x", "y", "z", "vx", "vy", "vz") else -1
    if 0 <= axis < len(at) and at[axis] < system.n:
        return at[axis], rate or what.startswith("v")
    return None


def _unknown(system: System, name: object) -> Problem:
    points = [point for point, at in system.chart.points.items() if at[0] < system.n]
    known = [*(f"{point}.{axis}" for point in points for axis in ("x", "y", "vx", "vy")), *system.coordinates]
    hint = did_you_mean(name, [*known, *system.states, *system.inputs]) or FORM
    return Problem(ref=Ref("start"), what=f"{show_value(name)} is nothing that a motion starts with", remedy=hint)
