"""Values by name: a point, angle, coordinate, state, variable or any expression in, its numbers along a motion out."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Protocol

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.words import REACTING, TURNS, Vocabulary, find_reacting, find_turned
from linkwork.errors import ExpressionError, LinkworkError, did_you_mean, show_formula, show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.bodies import is_hidden
from linkwork.native.measure import Measure
from linkwork.native.numbers import compute_marker
from linkwork.results.poses import Pose
from linkwork.results.turning import Turns

AXES = "xyz"
NAME = re.compile(r"\w*")
LEVELS = {"place": 0, "velocity": 1, "acceleration": 2}
LEVELS_OF = {"parameter": 0, "input": 0, "time": 0, "coordinate": 0, "speed": 1, "acceleration": 2, "multiplier": 2}


class Moving(Protocol):
    """What has values by name: a state, several, or a motion at its steps."""

    @property
    def system(self) -> System: ...
    @property
    def mechanism(self) -> Mechanism | Lagrangian | None: ...
    @property
    def t(self) -> Floats: ...
    @property
    def q(self) -> Floats: ...
    @property
    def u(self) -> Floats: ...
    @property
    def a(self) -> Floats: ...
    @property
    def lam(self) -> Floats: ...
    @property
    def turns(self) -> Turns: ...
    def __getitem__(self, name: str) -> Floats: ...
    def velocity(self, name: str) -> Floats: ...
    def acceleration(self, name: str) -> Floats: ...


class Valued:
    """What is asked by name: values["C"], values.velocity("C"), values.acceleration("C")."""

    def __getitem__(self: Moving, name: str) -> Floats:
        """Places of a point (..., dimension), an angle, a coordinate, a state, a variable or any expression (...)."""
        return pick(self, name, "place")

    def velocity(self: Moving, name: str) -> Floats:
        """The velocity of a point, or the rate of anything else."""
        return pick(self, name, "velocity")

    def acceleration(self: Moving, name: str) -> Floats:
        """The acceleration of a point, or the second rate of anything but states."""
        return pick(self, name, "acceleration")

    def body(self: Moving, name: str) -> Pose:
        """The pose of a rigid part: position, rotation, quaternion, Euler angles and their rates."""
        return Pose(self, name)


def pick(of: Moving, name: str, what: str) -> Floats:
    """Place, velocity or acceleration of a point, angle, coordinate, state or expression; a fixed point stays."""
    _check_name(name)
    system = of.system
    values = (of.q, of.u, of.a)[LEVELS[what]]
    if name in system.chart.markers:
        return np.moveaxis(
            compute_marker(system, system.chart.markers[name], of.q.T, of.u.T, of.a.T, of.t)[what], 0, -1
        )
    if name in system.chart.points:
        places = system.chart.points[name]
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
    if name in system.inputs:
        held = np.asarray(system.inputs_in(of.q.T)[[*system.inputs].index(name)])
        return np.broadcast_to(held if what == "place" else 0.0 * held, of.q.shape[:-1])
    if name[:-1] in system.chart.markers and name in list_components(system, name[:-1]):
        return pick(of, name[:-1], what)[..., AXES.index(name[-1])]
    return _measure(of, name, LEVELS[what])


def _measure(of: Moving, text: str, level: int) -> Floats:
    """An expression, its rate or acceleration."""
    system = of.system
    if of.mechanism is None:
        raise LinkworkError(_unknown(system, text))
    try:
        wording = find_words(of.mechanism, system, True).read("name", text)
    except ExpressionError as error:
        if NAME.fullmatch(text):
            raise LinkworkError(_unknown(system, text)) from None
        raise LinkworkError(f"'{show_formula(text)}': {error.what}. {error.remedy}".rstrip()) from None
    turned = {s.name: 2 * np.pi * of.turns.find(s.name.removeprefix(TURNS)) for s in find_turned(wording.expr)}
    reacting = find_reacting(wording.expr)
    values: dict[str, float | Floats] = {**of.mechanism.values, **turned, **_react(of, reacting)}
    measure = Measure(system, wording.expr, values)
    highest = max(LEVELS_OF[kind] for kind in (*measure.used, "multiplier" if reacting else "parameter"))
    if level and level + highest > 2:
        raise LinkworkError(f"the rates of '{show_formula(text)}' are not known: they need more than accelerations")
    lam = of.lam.T if "multiplier" in measure.used else np.zeros((system.m, 1))
    return measure.compute(level, of.q.T, of.u.T, of.a.T, lam, of.t)


def _react(of: Moving, names: list[str]) -> dict[str, Floats]:
    """Components of reactions along a motion, by the parameters that stand for them."""
    if not names:
        return {}
    from linkwork.results.reactions import Reactions
    from linkwork.results.values import find_reacted

    assert isinstance(of.mechanism, Mechanism)
    q, u, a, lam = (np.atleast_2d(x) for x in (of.q, of.u, of.a, of.lam))
    found = Reactions(of.system, q, u, a, lam, np.atleast_1d(of.t))
    shape = np.shape(of.t)
    return {f"{REACTING}{name}": find_reacted(of.mechanism, found, name).reshape(shape) for name in names}


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise LinkworkError(f"{show_value(name)} is no name. Give a text; for other times use at(t) first")


def _unknown(system: System, name: str) -> str:
    known = [*system.chart.points, *system.chart.markers, *list_moving(system)]
    return f"no point, angle or coordinate named '{name}'. {did_you_mean(name, known)}".rstrip()


@lru_cache(maxsize=8)
def find_words(mechanism: Mechanism | Lagrangian, system: System, turning: bool = False) -> Vocabulary:
    """All names of a mechanism, found once for many questions; those of turning angles with whole turns."""
    return Vocabulary(mechanism, system, turning=turning)


def list_moving(system: System) -> list[str]:
    """Coordinates and states, apart from those of points that nobody has named."""
    hidden = {
        system.coordinates[i] for p, at in system.chart.points.items() if is_hidden(p) for i in at if i < system.n
    }
    return [*(name for name in system.places if name not in hidden), *system.states]


def list_components(system: System, point: str | None = None) -> list[str]:
    """Px, Py of the points of a Lagrangian, or of one of them; a coordinate of the same name goes first."""
    points = system.chart.markers if point is None else {point: system.chart.markers[point]}
    sizes = {name: len(marker.program.outputs["place"]) for name, marker in points.items()}
    names = dict.fromkeys(f"{name}{axis}" for name, size in sizes.items() for axis in AXES[:size])
    return [name for name in names if name not in system.index]


def list_contacts(mechanism: Mechanism | Lagrangian | None) -> list[str]:
    """What is worth a column of each contact: how far apart, how deep, how hard; of what never parts the force."""
    touches = mechanism.touches.values() if isinstance(mechanism, Mechanism) else ()
    asked = (("force",) if x.contact.kept else ("gap", "depth", "force") for x in touches)
    return [f"{x.name}.{what}" for x, several in zip(touches, asked, strict=True) for what in several]


def list_columns(system: System, name: str) -> list[str]:
    """The coordinates that a known name stands for: those of a point, or itself."""
    if name in system.chart.markers:
        return list_components(system, name)
    if name not in system.chart.points:
        return [name]
    return [system.coordinates[i] for i in system.chart.points[name] if i < system.n]


def find_driver(system: System, target: str) -> int:
    """The number of the constraint that keeps a prescribed motion."""
    _check_name(target)
    rows = {str(owner.name): i for owner, i in system.rows_of("motion").items()}
    driven = list(rows)
    if target not in rows:
        known = f"Prescribed are {', '.join(driven)}" if driven else "Nothing is; Motions in the file prescribe"
        raise LinkworkError(f"'{target}' is not prescribed. {did_you_mean(target, driven) or known}")
    return rows[target]


def find_constraint(system: System, name: str) -> int:
    """The number of a constraint."""
    _check_name(name)
    if name not in system.constraints:
        hint = did_you_mean(name, system.constraints)
        raise LinkworkError(f"no constraint named '{name}'. {hint}".rstrip())
    return system.constraints.index(name)
