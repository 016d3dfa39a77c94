"""The scene: a Recording in, plain data (JSON) for the page out. docs/scene.md describes every key.

Numbers over time are packed: coordinates as 32-bit steps between their smallest and largest value, all other arrays as
32-bit floats, times as 64-bit floats; each array is one base64 text.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.model.bodies import is_hidden
from linkwork.results import Arrow, Curve, Recording
from linkwork.view.layers import find_layers

Scene = dict[str, Any]

VERSION = 1
COPIED = (
    "springs", "dampers", "drivers", "particles", "lines", "planes", "joints", "wheels", "surfaces", "gravity",
    "torques", "motions", "parameters", "traces", "view", "width", "thickness",
)  # fmt: skip
STEPS = 2**32 - 1  # of the packed coordinates


def describe_scene(recording: Recording) -> Scene:
    """Everything the page needs, as dicts, lists, texts and numbers."""
    r, d = recording, recording.drawing
    times = _Times()
    return {
        "format": "linkwork scene",
        "version": VERSION,
        "title": r.title,
        "outcome": r.outcome,
        "early": r.early,
        "doubts": list(r.doubts),
        "summary": [list(line) for line in r.summary],
        "notes": d["notes"],
        "dimension": d["dimension"],
        "size": float(_size(r)),
        "bounds": _bounds(r),
        "coordinates": list(r.coordinates),
        "scales": [float(x) for x in r.scales],
        "motion": pack_motion(r),
        "points": _points(r),
        "rigids": [{**rigid, "layer": layer} for rigid, layer in zip(d["rigids"], find_layers(r), strict=True)],
        **{key: d[key] for key in COPIED},
        "events": [list(event) for event in r.events],
        "curves": [_curve(curve, times) for curve in r.curves],
        "arrows": [_arrow(arrow, times) for arrow in r.arrows],
        "times": times.packed,
    }


def pack(array: NDArray[Any], kind: str) -> str:
    """An array as base64 of little-endian numbers: "<f4", "<f8" or "<u4"."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def pack_motion(r: Recording) -> Scene:
    """Times, coordinates, speeds and accelerations at the knots, knot by knot."""
    k = r.knots
    low, high = np.min(k.q, axis=0), np.max(k.q, axis=0)
    step = np.where(high > low, (high - low) / STEPS, 1.0)
    return {
        "count": len(k.t),
        "accuracy": k.accuracy,
        "t": pack(k.t, "<f8"),
        "q": pack(np.rint((k.q - low) / step), "<u4"),
        "low": pack(low, "<f8"),
        "step": pack(step, "<f8"),
        "u": pack(_single(k.u), "<f4"),
        "a": pack(_single(k.a), "<f4"),
    }


def _single(array: Floats, without: float = 0.0) -> NDArray[np.float32]:
    """As single precision; what is too large for it stays finite, what has no value is `without`."""
    largest = float(np.finfo(np.float32).max)
    return np.clip(np.nan_to_num(array, nan=without), -largest, largest).astype(np.float32)


class _Times:
    """Series of times, each stored once however many curves use it."""

    def __init__(self) -> None:
        self.packed: list[str] = []

    def number(self, t: Floats) -> int:
        text = pack(t, "<f8")
        if text not in self.packed:
            self.packed.append(text)
        return self.packed.index(text)


def _curve(curve: Curve, times: _Times) -> Scene:
    return {
        "group": curve.group,
        "name": curve.name,
        "unit": curve.unit,
        "times": times.number(curve.t),
        "values": pack(_single(curve.values, np.nan), "<f4"),
    }


def _arrow(arrow: Arrow, times: _Times) -> Scene:
    return {
        "kind": arrow.kind,
        "name": arrow.name,
        "point": arrow.point,
        "part": arrow.part,
        "times": times.number(arrow.t),
        "values": pack(_single(arrow.values), "<f4"),
    }


def _points(r: Recording) -> dict[str, Scene]:
    """Every point with its coordinates' numbers if it moves, or with its place if it does not."""
    index = {name: i for i, name in enumerate(r.coordinates)}
    axes = "xyz"[: r.drawing["dimension"]]
    moving = {p: {"coordinates": [index[f"{p}{axis}"] for axis in axes]} for p in r.drawing["moving"]}
    return {**moving, **{p: {"at": place} for p, place in r.drawing["fixed"].items()}}


def _bounds(r: Recording) -> list[list[float]]:
    """The corners of the box all points stay in."""
    d, index = r.drawing, {name: i for i, name in enumerate(r.coordinates)}
    # a fixed point that only marks the direction of a guide may be far away
    used = {p for key in ("rigids", "springs", "dampers", "drivers") for part in d[key] for p in part["points"]}
    still = np.array([place for p, place in d["fixed"].items() if p in used] or [[0.0] * d["dimension"]])
    low, high = np.min(still, axis=0), np.max(still, axis=0)
    shown = [p for p in d["moving"] if not is_hidden(p)]
    if shown:
        places = r.knots.q[:, [index[f"{p}{axis}"] for p in shown for axis in "xyz"[: d["dimension"]]]]
        places = places.reshape(-1, d["dimension"])
        low, high = np.min(places, axis=0), np.max(places, axis=0)
        if any(p in used for p in d["fixed"]):
            low, high = np.minimum(low, np.min(still, axis=0)), np.maximum(high, np.max(still, axis=0))
    for places, reach in _round(r, index):
        low, high = np.minimum(low, np.min(places, axis=0) - reach), np.maximum(high, np.max(places, axis=0) + reach)
    return [low.tolist(), high.tolist()]


def _round(r: Recording, index: dict[str, int]) -> list[tuple[Floats, float]]:
    """Where the lines of cams, bowls and balls are: the path of what carries them, and how far they are from it."""
    d, axes = r.drawing, "xyz"[: r.drawing["dimension"]]
    first = {rigid["name"]: rigid["points"][0] for rigid in d["rigids"]}
    found: list[tuple[Floats, float]] = []
    for surface in d["surfaces"]:
        ends = np.array([place for line in surface["lines"] for place in line])
        point = first.get(surface["part"], surface["point"])
        if not len(ends):
            continue
        if point in d["moving"]:
            reach = float(np.max(np.linalg.norm(ends, axis=1)))
            found.append((r.knots.q[:, [index[f"{point}{axis}"] for axis in axes]], reach))
        else:
            found.append((ends + np.array(d["fixed"].get(point, [0.0] * len(axes))), 0.0))
    return found


def _size(r: Recording) -> float:
    """The diagonal of that box."""
    low, high = _bounds(r)
    return float(np.linalg.norm(np.subtract(high, low))) or 1.0
