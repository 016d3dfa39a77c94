"""What a picture needs to know of a mechanism: a Mechanism in, plain numbers and names out (JSON without further ado).

The sections `Animation`, `Skeleton` and `Skels` are read here. They are wishes about a picture, so what cannot be
understood in them is told in `notes` and otherwise ignored. Knows no equations and no motion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from linkwork.errors import LinkworkError, did_you_mean
from linkwork.model.connections import Joint
from linkwork.model.convert import as_expr, split_points
from linkwork.model.joints import find_kind
from linkwork.model.laws import quantity
from linkwork.model.mechanism import Mechanism
from linkwork.model.parts import Rigid
from linkwork.model.rolling import Rolling
from linkwork.model.settings import Plain
from linkwork.results.record.touching import Touching
from linkwork.symbolic import Expr

Drawing = dict[str, Any]


def describe_drawing(mechanism: Mechanism) -> Drawing:
    """Geometry by names, with everything the file says about the picture (docs/scene.md lists the keys)."""
    m = mechanism
    pen, touching = _Pen(m), Touching(m)
    arms = pen.skeletons()
    return {
        "title": m.title,
        "dimension": m.dimension,
        "fixed": {point: pen.numbers(place) for point, place in m.fixed.items()},
        "moving": list(m.moving_points),
        "rigids": [pen.rigid(rigid, arms.get(rigid.name)) for rigid in m.rigids],
        "springs": [
            {"name": s.name, "points": list(s.points), "stiffness": pen.number(s.stiffness),
             "rest": pen.number(s.rest_length), "mass": pen.number(s.mass)}
            for s in m.springs
        ],
        "dampers": [{"name": d.name, "points": list(d.points)} for d in m.dampers],
        "drivers": pen.drivers(),
        "particles": [{"point": p.point, "mass": pen.number(p.mass)} for p in m.particles],
        "lines": [{"name": line.name, "points": list(line.points)} for line in m.collinears],
        "planes": [{"name": plane.name, "points": list(plane.points)} for plane in m.coplanars],
        "joints": [pen.joint(joint) for joint in m.joints],
        "wheels": [*(pen.wheel(rolling) for rolling in m.rollings), *touching.balls()],
        "surfaces": touching.surfaces(),
        "gravity": None if m.gravity is None else pen.numbers(m.gravity),
        "forces": sorted({force.point for force in m.forces}),
        "torques": sorted({torque.part for torque in m.torques}),
        "motions": [motion.target for motion in m.motions],
        "view": pen.view(),
        "parameters": pen.parameters(),
        "traces": pen.traces(),
        "width": pen.length("fleshoutwid"),
        "thickness": pen.length("zscale"),
        "notes": pen.notes,
    }  # fmt: skip


def empty_drawing(title: str, dimension: int) -> Drawing:
    """The drawing of nothing, to be filled in."""
    parts = ("moving", "rigids", "springs", "dampers", "drivers", "particles", "lines", "planes", "joints", "wheels")
    wishes = ("gravity", "view", "width", "thickness")
    filled: Drawing = {
        key: [] for key in (*parts, "surfaces", "forces", "torques", "motions", "parameters", "traces", "notes")
    }
    return {"title": title, "dimension": dimension, "fixed": {}, **filled, **dict.fromkeys(wishes)}


class _Pen:
    """Turns values of a mechanism into numbers and collects what it did not understand."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.display = mechanism.display
        self.notes: list[str] = []

    def number(self, value: Expr) -> float:
        return float(self.mechanism.compute(value))

    def numbers(self, values: Sequence[Expr]) -> list[float]:
        return [self.number(value) for value in values]

    def rigid(self, rigid: Rigid, arms: object) -> Drawing:
        return {
            "name": rigid.name,
            "points": list(rigid.points),
            "geometry": [self.numbers(place) for place in rigid.geometry],
            "centroid": self.numbers(rigid.centroid),
            "mass": self.number(rigid.mass),
            "arms": arms,
        }

    def wheel(self, rolling: Rolling) -> Drawing:
        """A wheel or ball on its part: its centre and axle in the part's frame."""
        m = self.mechanism
        part, _, own = rolling.frame.rpartition(".")
        rigid, point = m.find_rigid(part), m.words.point(rolling.frame)
        frame = m.words.bodies[part].frames.get(own) if part in m.words.bodies else None
        axle = self.numbers(frame.z) if frame is not None else []
        return {
            "name": rolling.name,
            "part": part,
            "centre": self.numbers(rigid.geometry[rigid.points.index(point if point in rigid.points else own)]),
            "axle": (axle + [0.0] * 3)[:3] if axle else [0.0, 0.0, 1.0],
            "radius": self.number(rolling.radius),
            "tread": self.number(rolling.tread),
        }

    def joint(self, joint: Joint) -> Drawing:
        """A joint with its axes in the frames of its parts; in the plane these are the directions it slides along."""
        kind = find_kind(self.mechanism.dimension, joint.kind)
        axes = [self.numbers(axis) for axis in joint.axes]
        if self.mechanism.dimension == 2:
            axes = [[math.cos(angle), math.sin(angle)] for angle in self.numbers(joint.angles)]
        return {
            "name": joint.name,
            "kind": joint.kind,
            "parts": list(joint.parts),
            "points": list(joint.points),
            "axes": axes,
            "slides": kind is not None and kind.usual.travel is not None and not kind.usual.more,
        }

    def drivers(self) -> list[Drawing]:
        """Prescribed lengths between two points, as a cylinder or a spindle would keep them."""
        found = [quantity(motion.target) for motion in self.mechanism.motions]
        lengths = [target for target in found if target is not None and target.what == "length"]
        return [{"name": target.of, "points": list(target.points)} for target in lengths]

    # -- wishes of the file ---------------------------------------------------------------------------------------

    def view(self) -> list[float] | None:
        """`Animation: {view: [azimuth, elevation]}` in degrees."""
        given = self.display.animation.get("view")
        if given is None:
            return None
        if isinstance(given, list) and len(given) == 2:
            angles = [self._value(x) for x in given]
            if None not in angles:
                return [float(x) for x in angles if x is not None]
        self.notes.append("Animation: view is not of the form [azimuth, elevation] in degrees")
        return None

    def parameters(self) -> list[list[str | float]]:
        """`Animation: {physParamsToShow: [$beta0, $mom]}`: names and values."""
        given = self.display.animation.get("physParamsToShow")
        names = given if isinstance(given, list) else [] if given is None else [given]
        shown: list[list[str | float]] = []
        for text in names:
            name = str(text).lstrip("$")
            if name in self.mechanism.values:
                shown.append([name, float(self.mechanism.values[name])])
            else:
                hint = did_you_mean(name, self.mechanism.values)
                self.notes.append(f"Animation: physParamsToShow: no parameter named '{name[:60]}'. {hint}".rstrip())
        return shown

    def traces(self) -> list[str]:
        """`Animation: {traces: [C, D]}`: points whose paths are drawn."""
        given = self.display.animation.get("traces")
        names = [str(name) for name in (given if isinstance(given, list) else [] if given is None else [given])]
        for name in names:
            if name not in self.mechanism.moving_points:
                hint = did_you_mean(name, self.mechanism.moving_points)
                self.notes.append(f"Animation: traces: no moving point '{name[:60]}'. {hint}".rstrip())
        return [name for name in names if name in self.mechanism.moving_points]

    def length(self, key: str) -> float | None:
        """`Skeleton: {fleshoutwid: 0.0015, zscale: 0.0005}`: half the width and half the thickness of a part [m]."""
        given = self.display.skeleton.get(key)
        value = None if given is None else self._value(given)
        if given is not None and (value is None or value <= 0):
            self.notes.append(f"Skeleton: {key} is not a positive length")
            return None
        return value

    def skeletons(self) -> dict[str, list[list[list[float]]]]:
        """`Skels: {BED: {path: XBEXDX, newpts: [X, [sa, sb]]}}`: the arms of a part, as pairs of local places."""
        found = {}
        for name, content in self.display.skeletons.items():
            try:
                found[name] = self._arms(name, content)
            except (LinkworkError, ArithmeticError, ValueError, TypeError) as error:
                self.notes.append(f"Skels '{name[:60]}': {error}. The part is drawn plain")
        return found

    def _arms(self, name: str, content: Plain) -> list[list[list[float]]]:
        rigid = self.mechanism.find_rigid(name)
        if not isinstance(content, Mapping) or not isinstance(content.get("path"), str):
            raise ValueError("write {path: XBEXDX, newpts: [X, [x, y]]}")
        places = {p: self.numbers(place) for p, place in zip(rigid.points, rigid.geometry, strict=True)}
        new = self._new_points(content.get("newpts"))
        path = split_points(str(content["path"]))
        unknown = [p for p in path if p not in places and p not in new]
        if len(path) < 2 or unknown:
            raise ValueError(f"path '{content['path']!s:.60}' names no point '{unknown[0]}'" if unknown else "no path")
        # with points of its own a skeleton has its arms there: between two points of the part it only moves on
        pairs = [(a, b) for a, b in pairwise(path) if not new or a in new or b in new]
        once = {frozenset(pair): pair for pair in reversed(pairs) if pair[0] != pair[1]}
        everything = {**places, **new}
        return [[everything[a], everything[b]] for a, b in reversed(once.values())]

    def _new_points(self, given: Plain) -> dict[str, list[float]]:
        """`[X, [sa, sb], Y, [0, h]]` or `{X: [sa, sb]}`."""
        if isinstance(given, Mapping):
            items = list(given.items())
        elif isinstance(given, list) and len(given) % 2 == 0:
            items = [(str(point), place) for point, place in zip(given[::2], given[1::2], strict=True)]
        elif given is None:
            items = []
        else:
            raise ValueError("newpts is not of the form [X, [x, y]]")
        return {point: self._place(place) for point, place in items}

    def _place(self, given: Plain) -> list[float]:
        d = self.mechanism.dimension
        values = [self._value(x) for x in given] if isinstance(given, list) else []
        if not isinstance(given, list) or len(values) > d or None in values:
            raise ValueError("a place in newpts is not of the form [x, y]")
        numbers = [x for x in values if x is not None]
        return numbers + [0.0] * (d - len(numbers))

    def _value(self, given: Plain) -> float | None:
        """A number or a formula over the parameters."""
        if not isinstance(given, str | int | float) or isinstance(given, bool):
            return None
        try:
            value = self.number(as_expr(given))
        except (LinkworkError, ArithmeticError):
            return None
        return value if math.isfinite(value) else None
