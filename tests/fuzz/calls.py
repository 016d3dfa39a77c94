"""Hostile calls of the Python interface: a seed in, a callable and its arguments out.

A call is a good one in which one or two arguments, or things inside them, are replaced by what does not belong there.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, get_type_hints

import numpy as np

import linkwork as lw
from linkwork.model import Display, Settings
from linkwork.model.families import Families

ARM = """
PhysicalParams: {l: 1, m: 2, tau: 0.1}
Bodies:
  world: {frames: {o: []}}
  crank: {mass: m, inertia: 0.1, centre: [l/2], frames: {o: [], pin: [l]}}
PartData:
  Fixed: {Q: [0, -2]}
  Rigids: {rod: {points: [crank.pin, B], Geom: [[l]], Dyna: [[l/2], 1]}}
  Springs: {BQ: {stiffness: 3, length: 1, damping: 0.1}}
Connections: {Joints: {hinge: {kind: revolute, frames: [world.o, crank.o]}}}
AppliedForces: {Gravity: , Torques: {crank: tau}}
Motions: {B.x: 1.5 + 0.1*sin(t)}
Events: {low: B.y + 1}
ProblemData: {tend: 0.3, positions: {crank.pin: [1, 0], B: [1.5, -0.8]}}
"""


class Shy:
    """Cannot be shown, compared or counted."""

    def __repr__(self) -> str:
        raise RuntimeError("do not look at me")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("incomparable")

    __hash__ = None  # type: ignore[assignment]


HOSTILE: list[Callable[[], Any]] = [
    *(lambda x=x: x for x in (None, True, False, 0, 1, -1, 7, 3.5, 10**400, float("nan"), float("inf"), 1e300, 1j)),
    *(lambda x=x: x for x in ("", " ", "x", "A", "OA", "world", "?", "1/0", "sin(", "A.x", "rod.angle", "nan")),
    *(
        lambda x=x: x
        for x in ("\x1b[31m", "é∂😀", "\ud800", "a" * 5000, "A.B.C", "world.o", "crank.pin", "a\nb", "*", b"bytes")
    ),
    *(lambda x=x: x for x in ((), [], {}, set(), [None], [[]], [[[1]]], {"a": None}, {None: 1}, {1: 2}, {"": 1})),
    *(lambda x=x: x for x in ([1, 2, 3, 4], ["a", 1], [float("nan")], {"A": [1, "x"]}, {"A": 1}, range(3), {"a", "b"})),
    *(lambda x=x: x for x in (object(), int, len, lw.Rigid, lambda: 1, Ellipsis, NotImplemented, ValueError("no"))),
    Shy,
    lambda: [0.0] * 20_000,
    lambda: (x for x in "ab"),
    lambda: np.array(1.0),
    lambda: np.array([1.0, np.nan]),
    lambda: np.zeros((2, 2, 2)),
    lambda: np.array(["a", None], dtype=object),
    lambda: np.float32(2),
    lambda: lw.Particle(point="P", mass=1),
    lambda: lw.Frame(),
    lambda: lw.InitialValues(),
    lambda: [lw.Spring(name="AB", stiffness=1, rest_length=1)],
    lambda: lw.loads(ARM),
    lambda: arm(),
    lambda: moved(),
]


@cache
def arm() -> lw.Model:
    return lw.loads(ARM)


@cache
def moved() -> lw.Trajectory:
    return arm().simulate(0.05, compiled=False, tol=1e-6)


def _own_joint(words: Any, parameters: Any, free: Any, dimension: Any, name: Any) -> Any:
    @lw.joint_kind(name, dimension=dimension, free=free, words=words, parameters=parameters)
    def kind(i: Any, j: Any) -> lw.Conditions:
        return lw.Conditions(zero=[lw.dot(j.o - i.o, i.x)])

    return kind


# what is called, with good arguments; more come from signatures
CLASSES: dict[Any, dict[str, Any]] = {
    lw.Body: {"name": "crank", "mass": "m", "centre": (0.5,), "inertia": 1, "frames": {"o": (), "pin": lw.Frame((1,))}},
    lw.Collinear: {"name": "ABC", "points": ("A", "B", "C")},
    lw.Coplanar: {"name": "ABCD", "points": ("A", "B", "C", "D")},
    lw.Damper: {"name": "AB", "points": ("A", "B"), "coefficient": 1},
    lw.Dissipation: {"name": "air", "function": "A.vx**2"},
    lw.Driver: {"target": "OA.angle", "law": "t"},
    lw.Effort: {"on": "OA.angle", "value": "1"},
    lw.Event: {"name": "e", "when": "A.x", "stop": False, "direction": 0},
    lw.Force: {"point": "A", "components": (1, "A.x"), "part": None},
    lw.Frame: {"at": (1,), "angle": 1},
    lw.Guess: {"value": 1, "fixed": True},
    lw.InitialValues: {"t0": 0, "tend": 1, "positions": {"A": (1, 0)}, "velocities": {"A": (lw.fix(1),)}, "angles": {}},
    lw.Joint: {"name": "j", "kind": "revolute", "frames": ("world.o", "crank.o"), "parameters": {}},
    lw.KnifeEdge: {"name": "k", "frame": "crank.o"},
    lw.Moment: {"body": "a", "components": (0, 0, 1), "other": None, "frame": None},
    lw.Particle: {"point": "A", "mass": 1},
    lw.Pid: {"error": "A.x", "P": 1},
    lw.Plane: {"point": (0, 0), "normal": (0, 1)},
    lw.Relation: {"name": "r", "formula": "A.x - B.x"},
    lw.Rigid: {"name": "OA", "points": ("O", "A"), "geometry": ((), (1,)), "centroid": (0.5,), "mass": 1, "inertia": 1},
    lw.Rigid.rod: {"name": "OA", "length": 1, "mass": 1},
    lw.Rolling: {"name": "w", "wheel": "crank.o", "radius": 1, "on": lw.Plane()},
    lw.Spring: {"name": "AB", "points": ("A", "B"), "stiffness": 1, "rest_length": 1, "mass": 0},
    lw.State: {"name": "X", "rate": "A.x", "start": 0, "scale": 1},
    lw.Table: {"name": "ramp", "x": [0, 1, 2], "y": [0, 1, 4], "kind": "spline"},
    lw.Torque: {"part": "OA", "value": 1, "other": None},
    lw.Transfer: {"input": "A.x", "numerator": [1], "denominator": [1, 1]},
    lw.VelocityConstraint: {"name": "v", "formula": "A.vx"},
}
FUNCTIONS: dict[Any, dict[str, Any]] = {
    lw.fix: {"value": 1},
    lw.loads: {"text": ARM},
    lw.load: {"path": "no/such/file.yaml"},
    lw.rate: {"expr": lw.Frame((1,)).at[0]},
    lw.function: {"name": "fuzzed", "definition": lambda x: 2 * x},
    lw.dot: {"a": (1, 2), "b": (1, 2)},
    lw.cross: {"a": (1, 2, 3), "b": (1, 2, 3)},
    lw.turn: {"i": None, "j": None},
    lw.Conditions: {"zero": ()},
    lw.Model: {"mechanism": None},
    _own_joint: {"words": "", "parameters": {}, "free": 2, "dimension": 2, "name": "fuzzed"},
}
MODEL: dict[str, dict[str, Any]] = {
    "with_parameters": {"l": 1.1},
    "bind": {"columns": {"l": [1, 1.1]}},
    "with_branch": {"number": 1},
    "formulated": {"formulation": "points"},
    "with_fit": {"fit": 1e-6},
    "branches": {"hold": None},
    "linearize": {"at": "start", "states": (), "inputs": ["tau"], "outputs": ["B.y"]},
    "slowest": {"count": 1, "at": "start"},
    "vary": {"name": "l", "values": [1, 1.01]},
    "show_mode": {"mode": None, "path": None, "browser": False},
    "driven": {"laws": {"B.x": "1.5", "B.y": "-0.8 + 0.1*t"}},
    "inverse": {
        "motion": {"B.x": "1.5", "B.y": "-0.8 + 0.1*t"},
        "until": 0.02,
        "actuators": (),
        "least_squares": False,
    },
    "with_forces": {"forces": None},
    "equilibrium": {"slide": False},
    "statics": {"over": {"tau": [0.1, 0.2]}, "snap": False},
    "show_statics": {"statics": None, "path": None, "browser": False},
    "simulate": {"until": 0.02, "compiled": False, "tol": 1e-6, "max_seconds": 1.0, "max_steps": 50},
}
MOTION: dict[str, dict[str, Any]] = {
    "at": {"t": 0.01},
    "__getitem__": {"name": "B.x"},
    "velocity": {"name": "B.x"},
    "driving": {"target": "B.x"},
    "inverse": {"least_squares": False},
    "multiplier": {"name": "l_rod"},
    "reaction": {"part": "rod", "point": "B"},
    "tension": {"part": "rod"},
    "wrench": {"joint": "hinge", "on": None, "t": None},
    "table": {"t": None},
    "plot": {"what": "B.x", "path": None},
    "show": {"path": "page.html", "browser": False},
    "audit": {"deep": False},
}
SNAPSHOT: dict[str, dict[str, Any]] = {
    "__getitem__": {"name": "B.x"},
    "multiplier": {"name": "l_rod"},
    "velocity": {"name": "B.x"},
}
MECHANISM: dict[str, Any] = {
    "parameters": {"l": 1},
    "fixed": {"O": (0, 0)},
    "rigids": [lw.Rigid.rod("OA", "l", 1)],
    "springs": [lw.Spring(name="OA", stiffness=1, rest_length=1)],
    "gravity": (0, -9.81),
    "start": lw.InitialValues(tend=1),
}


def list_calls() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Everything public that can be called, with its name and good arguments."""
    for target, given in (*CLASSES.items(), *FUNCTIONS.items()):
        yield target.__qualname__, target, given
    for _ in range(8):  # it has most arguments
        yield "Mechanism", _use_mechanism, MECHANISM
    yield "Settings", lambda **given: _use_mechanism(**MECHANISM, settings=Settings(**given)), {"tol": 1e-6}
    yield "Display", lambda **given: _use_mechanism(**MECHANISM, display=Display(**given)), {"animation": {}}
    for owner, several in ((arm, MODEL), (moved, MOTION), (lambda: moved().final, SNAPSHOT)):
        for name, given in several.items():
            yield name, partial(_use, owner, name), given
    yield "write_results", lambda **a: lw.write_results(**a), {"motion": None, "path": "out.csv", "points": 5}
    yield "time_limit", _use_limit, {"seconds": 1}


def make_call(seed: int) -> tuple[str, Callable[..., Any], dict[str, Any]]:
    """One call."""
    pick = random.Random(f"call {seed}")
    calls = list(list_calls())
    name, target, given = calls[seed % len(calls)]
    arguments = dict(given)
    if name == "write_results":
        arguments["motion"] = moved()
    known = [*arguments, *_others(target, name)]
    for key in pick.sample(known, min(len(known), pick.choice([1, 1, 1, 2]))):
        arguments[key] = _spoil(pick, arguments.get(key))
    return name, target, arguments


def _others(target: Callable[..., Any], name: str) -> list[str]:
    """Arguments that a good call leaves out."""
    if name == "Mechanism":
        own = inspect.signature(lw.Mechanism).parameters
        return [x for x in (*own, *get_type_hints(Families)) if x not in ("parts", *MECHANISM)]
    if name in ("Settings", "Display"):
        return list(get_type_hints({"Settings": Settings, "Display": Display}[name]))
    if name in ("simulate", "linearize", "slowest", "vary"):
        return [x for x in inspect.signature(getattr(lw.Model, name)).parameters if x not in ("self", *MODEL[name])]
    if isinstance(target, type):
        return [x for x in inspect.signature(target).parameters if x not in CLASSES.get(target, {})]
    return []


def _spoil(pick: random.Random, value: Any) -> Any:
    """Something else, or the same with something else in it."""
    if isinstance(value, dict) and value and pick.random() < 0.5:
        key = pick.choice(list(value))
        return {**value, key: _spoil(pick, value[key])}
    if isinstance(value, list | tuple) and value and pick.random() < 0.5:
        items = list(value)
        items[pick.randrange(len(items))] = _spoil(pick, items[0])
        return type(value)(items)
    return pick.choice(HOSTILE)()


def _use(owner: Callable[[], Any], method: str, /, **arguments: Any) -> Any:
    called = getattr(owner(), method)
    return called(*arguments.values()) if method == "__getitem__" else called(**arguments)


def _use_mechanism(**given: Any) -> Any:
    """A mechanism that is accepted can be worked with."""
    return lw.Model(lw.Mechanism(**given)).simulate(0.01, compiled=False, max_steps=20)


def _use_limit(seconds: Any) -> None:
    with lw.time_limit(seconds):
        pass
