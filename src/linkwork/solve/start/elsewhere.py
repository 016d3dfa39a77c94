"""Starts elsewhere than a description says: a state of another motion, or values by name in, a Start out.

Values are kept exactly, or to rounding where there are more of them than are free; all others are those of the
description, moved as little as the constraints ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System, formulate
from linkwork.errors import InputError, Problem, Ref, StartError, did_you_mean, show_value
from linkwork.given import as_finite
from linkwork.model import Guess, Lagrangian, Mechanism
from linkwork.model.tracked import has_turn
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
        regular=regular, off=state.off, sides=state.sides, turns=state.turns.known(),
    )  # fmt: skip


def start_with(
    mechanism: Mechanism | Lagrangian, system: System, given: Mapping[str, float], usual: Callable[[], Start]
) -> Start:
    """The start of a mechanism with other values of some coordinates, angles, speeds, states and inputs, and of t.

    Inputs alone leave the usual start as it is. Fixed values of the description stay fixed where the given ones allow.
    """
    values = {name: as_finite(value, Ref("start of", str(name))) for name, value in given.items()}
    inputs = {name: values.pop(name) for name in [*values] if name in system.inputs}
    start = _search_with(mechanism, system, values) if values else usual()
    return replace(start, q=system.with_inputs(start.q, inputs)) if inputs else start


def _search_with(mechanism: Mechanism | Lagrangian, system: System, values: dict[str, float]) -> Start:
    """The start with other values than those of inputs."""
    t, asked, unknown = values.pop("t", None), _Asked({}, {}, {}, {}), list[str]()
    for name, value in values.items():
        turn = _find_turn(mechanism, system, name)
        found = None if turn else _find(system, name)
        if turn:
            (asked.rates if turn[1] else asked.angles)[turn[0]] = value
        elif found:
            (asked.speeds if found[1] else asked.places)[found[0]] = value
        else:
            unknown.append(name)
    if unknown:
        raise InputError([_unknown(mechanism, system, name) for name in unknown])
    first: StartError | None = None
    for keeping in Keeping:
        try:
            start = _try_with(mechanism, system, t, asked, keeping)
        except StartError as error:
            # of the description's own fixed values nobody needs to hear
            first = error if first is None or keeping is Keeping.GIVEN else first
            continue
        if keeping is not Keeping.NOTHING or asked.is_met(system, start):
            return start
    assert first is not None
    raise first from None


class Keeping(Enum):
    """Values that stay exactly as they are: those given and the fixed ones of the description, those given, none.

    More values than are free may fit all the same; then they are met without being kept.
    """

    ALL = auto()
    GIVEN = auto()
    NOTHING = auto()


@dataclass(frozen=True, slots=True)
class _Asked:
    """Values by coordinate of the System (places, speeds), and by body or joint (angles, rates)."""

    places: dict[int, float]
    speeds: dict[int, float]
    angles: dict[str, float]
    rates: dict[str, float]

    def is_met(self, system: System, start: Start) -> bool:
        """Whether a start has these values but for rounding of what was given."""
        off = [abs(start.q[i] - value) / system.scales[i] for i, value in self.places.items()]
        off += [abs(start.u[i] - value) / max(abs(value), system.scales[i]) for i, value in self.speeds.items()]
        return max(off, default=0.0) <= FITTING


def _try_with(
    mechanism: Mechanism | Lagrangian, system: System, t: float | None, asked: _Asked, keeping: Keeping
) -> Start:
    """The start with what is asked for, if this may be kept."""
    fixed, loose = keeping is not Keeping.NOTHING, keeping is not Keeping.ALL
    whole = system
    if (asked.angles or asked.rates) and isinstance(mechanism, Mechanism):
        mechanism = _turned(mechanism, asked, fixed, loose)
        whole = formulate(mechanism)
        whole = whole.restricted(whole.off)
    number = {name: i for i, name in enumerate(whole.coordinates)}
    here = np.array([number[name] for name in system.coordinates], dtype=np.int64)
    places, speeds = ({int(here[i]): x for i, x in of.items()} for of in (asked.places, asked.speeds))

    def change(wanted: Wanted) -> Wanted:
        position, velocity = _kept(wanted.position, places, fixed, loose), _kept(wanted.velocity, speeds, fixed, loose)
        if loose and whole is system:
            wanted = wanted.unconditioned()
        return replace(
            wanted, t=wanted.t if t is None else t, position=position, velocity=velocity, asked=position.values
        )

    start = search_start(mechanism, whole, change)
    if whole is system:
        return start
    back = {int(i): k for k, i in enumerate(here)}
    kept, held = (np.array([back[i] for i in of.tolist() if i in back], dtype=np.int64) for of in start.fixed)
    return replace(start, q=start.q[here], u=start.u[here], fixed=(kept, held))


def _turned(mechanism: Mechanism, asked: _Asked, fixed: bool, loose: bool) -> Mechanism:
    """The mechanism with other angles and rates of bodies and joints at its start."""
    start, joints = mechanism.start, mechanism.words.joints
    start = start.loosened(joints) if loose else start
    of_joint = {(ref.kind, str(ref.name)): str(joint.name) for ref, joint in start.told.items()}

    def put(kind: str, old: Mapping[str, Guess], new: Mapping[str, float]) -> dict[str, Guess]:
        stay = {name: guess for name, guess in old.items() if of_joint.get((kind, name)) not in new}
        return {**stay, **{name: Guess(value=x, fixed=fixed) for name, x in new.items()}}

    angles, rates = put("angle of", start.angles, asked.angles), put("rate of", start.rates, asked.rates)
    rigids, parts = mechanism.given
    return replace(mechanism, start=replace(start, angles=angles, rates=rates), rigids=rigids, joints=parts)


def _find_turn(mechanism: Mechanism | Lagrangian, system: System, name: str) -> tuple[str, bool] | None:
    """The joint or body whose angle a name is, if that is no coordinate, and whether its rate is meant."""
    if isinstance(mechanism, Lagrangian):
        return None
    plain = name.rstrip("'")
    of, _, what = plain.rpartition(".") if plain.endswith((".angle", ".omega")) else (plain, "", "angle")
    words, rate = mechanism.words, what == "omega" or plain != name
    if of in system.chart.angles or len(name) > len(plain) + 1 or (what == "omega" and plain != name):
        return None
    turns = of in words.joints and has_turn(words.joints[of], mechanism.dimension)
    return (of, rate) if turns or (mechanism.dimension == 2 and of in words.bodies) else None


def _kept(guesses: Guesses, values: Mapping[int, float], fixed: bool, loose: bool) -> Guesses:
    """Guesses of which some have other values, which may be fixed; if loose, these alone may be."""
    which = np.array([*values], dtype=np.int64)
    found: Floats = guesses.values.copy()
    found[which] = [*values.values()]
    given, kept = guesses.given.copy(), np.zeros_like(guesses.fixed) if loose else guesses.fixed.copy()
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


def _unknown(mechanism: Mechanism | Lagrangian, system: System, name: object) -> Problem:
    points = [point for point, at in system.chart.points.items() if at[0] < system.n]
    known = [*(f"{point}.{axis}" for point in points for axis in ("x", "y", "vx", "vy")), *system.coordinates]
    if isinstance(mechanism, Mechanism):
        turning = [joint.name for joint in mechanism.joints if has_turn(joint, mechanism.dimension)]
        known += [f"{name}.{what}" for name in turning for what in ("angle", "omega")]
    hint = did_you_mean(name, [*known, *system.states, *system.inputs]) or FORM
    return Problem(ref=Ref("start"), what=f"{show_value(name)} is nothing that a motion starts with", remedy=hint)
