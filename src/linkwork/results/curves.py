"""Quantities of a motion by the words a person asks for them with: "Cx", "C'", "energy", "reaction OA at A".

In: a Trajectory and words; out: curves with names and units. Draws nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import LinkworkError, did_you_mean, show_value
from linkwork.model import Mechanism, quantity
from linkwork.model.laws import PLACES
from linkwork.model.units import find_unit
from linkwork.native.numbers import compute_power
from linkwork.results.extremes import Extremes, find_extremes, resolve
from linkwork.results.names import AXES, NAME, list_components, list_moving
from linkwork.results.reactions import Reactions
from linkwork.results.record.noise import Shaken, find_floors, silence
from linkwork.results.record.recording import (
    Curve,
    driving_curves,
    energy_curves,
    most_forces,
    residual_curves,
    work_curves,
)
from linkwork.results.state import Snapshot
from linkwork.results.trajectory import Trajectory

TIMES = 300  # at which a curve is looked at, besides its steps
LEVELS = ("position", "velocity", "acceleration")
UNITS = {"length": ("m", "m/s", "m/s²"), "angle": ("rad", "rad/s", "rad/s²"), "": ("", "", "")}


def find_curves(motion: Trajectory, what: str, state: Snapshot) -> list[Curve]:
    """The curves that an item such as "Cx", "C'", "energy" or "tension OA" stands for, at the times of a state.

    What is zero or constant but for rounding is zero or constant; residuals are rounding and stay as they are.
    """
    word = " ".join(what.split())
    found = _find(motion, word, state)
    if word.lower() in MEASURED or motion.t[-1] == motion.t[0]:
        return found
    floors = find_floors(Shaken(motion), lambda s: np.stack([curve.values for curve in _find(motion, word, s)], axis=1))
    values = silence(np.stack([curve.values for curve in found], axis=1), floors)
    return [replace(curve, values=column) for curve, column in zip(found, values.T, strict=True)]


def resolve_curves(motion: Trajectory, words: Sequence[str]) -> list[list[Curve]]:
    """The curves of some items at common times, from which straight lines show all that happens."""
    start = np.unique(np.append(motion.t, np.linspace(motion.t[0], motion.t[-1], TIMES)))
    plain = [w for w in (" ".join(word.split()) for word in words) if w.lower() not in MEASURED]

    def compute(times: Floats) -> Floats:
        state = motion.at(times)
        found = [curve.values for word in plain for curve in _find(motion, word, state)]
        return np.stack(found, axis=1) if found else np.zeros((len(times), 1))

    t = start if motion.t[-1] == motion.t[0] else resolve(compute, start, most_forces(motion, start))[0]
    state = motion.at(t)
    return [find_curves(motion, word, state) for word in words]


def find_all_extremes(motion: Trajectory, what: object) -> dict[str, Extremes]:
    """The extremes of each curve that an item stands for."""
    if not isinstance(what, str) or not what.strip():
        raise LinkworkError(f'{show_value(what)} has no extremes. Name a quantity, for example "energy" or "pin.force"')
    (found,) = resolve_curves(motion, [what])
    return {curve.name: find_extremes(curve.t, curve.values) for curve in found}


def _find(motion: Trajectory, word: str, state: Snapshot) -> list[Curve]:
    if word.lower() in GROUPS:
        found = list(GROUPS[word.lower()](motion, state))
        if not found:
            raise LinkworkError(f"'{word}': there is none in this motion")
        return found
    if reaction := re.fullmatch(r"reaction (?:on )?(\S.*?) at (\S+)", word):
        part, point = reaction.groups()
        values = _reactions(motion, state).at(part, point, "world")
        return list(_components(word, f"{part}, {point}: F", "N", state, values))
    if re.fullmatch(r"reaction( .*)?", word):
        part = next(iter(motion.system.chart.parts.items()), ("OA", ("A",)))
        raise LinkworkError(
            f"'{word}' does not say on what and where. Write, for example, 'reaction {part[0]} at {part[1][0]}'"
        )
    if tension := re.fullmatch(r"tension (?:of )?(\S+)", word):
        values = _reactions(motion, state).along(tension[1])
        return [_curve(word, word, "N", state, values)]
    if word in motion.system.constraints:
        return [_curve("Multiplier", word, "", state, state.multiplier(word))]
    return list(_of_name(motion, word, state))


def _reactions(motion: Trajectory, state: Snapshot) -> Reactions:
    return Reactions(motion.system, state.q, state.u, state.a, state.lam, state.t)


def known_words(motion: Trajectory) -> list[str]:
    """What can be asked for, as far as it can be listed."""
    s = motion.system
    variables = [] if motion.mechanism is None else motion.mechanism.variables
    return [
        *GROUPS,
        *s.chart.points,
        *s.chart.markers,
        *list_moving(s),
        *list_components(s),
        *variables,
        *s.constraints,
    ]


def _of_name(motion: Trajectory, word: str, state: Snapshot) -> Iterator[Curve]:
    name, primes = re.fullmatch(r"(.*?)('{0,2})", word, re.DOTALL).groups()  # type: ignore[union-attr]
    get: tuple[Callable[[str], Floats], ...] = (state.__getitem__, state.velocity, state.acceleration)
    try:
        values = get[len(primes)](name)
    except LinkworkError:
        if not NAME.fullmatch(name.rstrip("'")):
            raise
        known = known_words(motion)
        hint = did_you_mean(name, known) or f"There are, for example: {', '.join(known[:12])}"
        raise LinkworkError(f"no quantity named '{word}'. {hint}") from None
    unit = UNITS[_kind(motion, name)][len(primes)]
    if not unit and motion.mechanism is not None:
        unit = find_unit(motion.mechanism.units, word)
    if values.ndim == 1:
        yield _curve(word, word, unit, state, values)
    else:
        yield from _components(f"{name}: {LEVELS[len(primes)]}", name, unit, state, values, primes)


def _kind(motion: Trajectory, name: str) -> str:
    """Whether a name stands for a length or an angle; a Lagrangian does not say."""
    system = motion.system
    if not isinstance(motion.mechanism, Mechanism):
        return ""
    if name in system.chart.points or system.index.get(name) in {
        i for places in system.chart.points.values() for i in places
    }:
        return "length"
    found = quantity(name)
    if found is not None and found.what in (*PLACES, "length"):
        return "length"
    return "angle" if name in system.chart.angles or (found is not None and found.what == "angle") else ""


def _components(group: str, name: str, unit: str, state: Snapshot, values: Floats, primes: str = "") -> Iterator[Curve]:
    for axis, column in zip(AXES, values.T, strict=False):
        yield _curve(group, f"{name}{axis}{primes}", unit, state, column)


def _curve(group: str, name: str, unit: str, state: Snapshot, values: Floats) -> Curve:
    return Curve(group=group, name=name, unit=unit, t=np.atleast_1d(state.t), values=values)


def _power(motion: Trajectory, state: Snapshot) -> Iterator[Curve]:
    power = compute_power(motion.system, state.q.T, state.u.T, state.lam.T, state.t)
    for name, values in power.items():
        yield _curve("Power", name, "W", state, values)


GROUPS: dict[str, Callable[[Trajectory, Snapshot], Iterator[Curve]]] = {
    "energy": lambda motion, state: energy_curves(
        np.atleast_1d(state.t), state.energy.kinetic, state.energy.potentials
    ),
    "work": lambda motion, state: work_curves(motion, state),
    "power": _power,
    "residuals": lambda motion, state: residual_curves(motion),
    "driving": lambda motion, state: driving_curves(motion, state),
}
MEASURED = ("work", "residuals")  # along the whole motion, not from states
