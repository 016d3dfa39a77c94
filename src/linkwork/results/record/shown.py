"""What of a motion a picture shows: its coordinates and, behind them, those of the markers of a Lagrangian.

In: a Trajectory; out: names, scales and columns of numbers, and the drawing of points and lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import Marker, System
from linkwork.equations.lagrangian import mark
from linkwork.model import Lagrangian
from linkwork.native.numbers import compute_marker
from linkwork.results.record.drawing import Drawing, empty_drawing
from linkwork.symbolic import Expr

if TYPE_CHECKING:
    from linkwork.results.trajectory import Trajectory

Lines = tuple[tuple[str, ...], ...]
LEVELS = ("place", "velocity", "acceleration")
STRETCH = 1e-6  # a line that changes its length by more is drawn as a spring
FARTHEST = 1e100  # a place beyond it is none
LOOKS = 200  # times at which the lengths of lines are looked at


@dataclass(frozen=True, slots=True)
class Shown:
    """Names and scales of the shown coordinates."""

    names: tuple[str, ...]
    scales: Floats


def find_shown(motion: Trajectory) -> Shown:
    """All places; those of a marker are named Px, Py, Pz and as large as the motion of all of them."""
    system, place = motion.system, motion.system.mechanical
    coordinates, scales = system.places, system.scales[place]
    names = [f"{point}{axis}" for point, marker in system.chart.markers.items() for axis in "xyz"[: _dimension(marker)]]
    if not names:
        return Shown(coordinates, scales)
    places = _columns(system, motion.q, motion.u, motion.a, motion.t)[0]
    there = places[np.isfinite(places) & (np.abs(places) < FARTHEST)]
    size = float(np.max(np.abs(there), initial=0.0)) or 1.0
    return Shown((*coordinates, *names), np.append(scales, np.full(len(names), size)))


def show_markers(system: System, q: Floats, u: Floats, a: Floats, t: Floats) -> tuple[Floats, Floats, Floats]:
    """Places, speeds and accelerations with those of the markers behind them.   (k, n) → (k, shown)"""
    places = np.flatnonzero(system.mechanical)
    shown = (q, u, a) if len(places) == q.shape[1] else tuple(x[:, places] for x in (q, u, a))
    if system.chart.markers:
        shown = tuple(np.hstack([x, more]) for x, more in zip(shown, _columns(system, q, u, a, t), strict=True))
    return shown[0], shown[1], shown[2]


def _columns(system: System, q: Floats, u: Floats, a: Floats, t: Floats) -> list[Floats]:
    found = [compute_marker(system, marker, q.T, u.T, a.T, t) for marker in system.chart.markers.values()]
    return [np.concatenate([each[level] for each in found]).T for level in LEVELS]


def _dimension(marker: Marker) -> int:
    return len(marker.program.outputs["place"])


def locate_bodies(motion: Trajectory) -> tuple[Trajectory, Lines]:
    """A motion whose model names no points, with those of its bodies: origins B and mass centres B*; lines between."""
    model = motion.mechanism
    if not isinstance(model, Lagrangian) or motion.system.chart.markers or not model.bodies:
        return motion, ()
    places, lines = dict[str, Sequence[Expr]](), list[tuple[str, ...]]()
    for name, body in model.bodies.items():
        places[name] = body.place
        if body.centre and body.centre != body.place:
            places[f"{name}*"] = body.centre
            lines.append((name, f"{name}*"))
        if body.parent:
            lines.append((body.parent, name))
    chart = replace(motion.system.chart, markers=mark(model, places))
    return motion.seen_by(replace(motion.system, chart=chart)), tuple(lines)


def draw_lagrangian(motion: Trajectory, model: Lagrangian, more: Lines = ()) -> Drawing:
    """Points as balls, and lines between them: rods where they keep their length, springs where they do not.

    A line that ends where it begins is the outline of a body; its points get no balls.
    """
    system = motion.system
    still = {p for p, marker in system.chart.markers.items() if not len(marker.coordinates) and not _uses_time(marker)}
    state = motion.at(np.linspace(motion.t[0], motion.t[-1], LOOKS))
    places = {point: _within(np.atleast_2d(state[point])) for point in system.chart.markers}
    dimension = max((_dimension(marker) for marker in system.chart.markers.values()), default=2)
    drawing = empty_drawing(model.title, dimension)
    drawing["fixed"] = {point: places[point][0].tolist() for point in system.chart.markers if point in still}
    drawing["moving"] = [point for point in system.chart.markers if point not in still]
    lines = (*model.lines, *more)
    outlines = {point for line in lines if line[0] == line[-1] for point in line}
    balls = [point for point in drawing["moving"] if point not in outlines]
    drawing["particles"] = [{"point": point, "mass": 1.0} for point in balls]
    for a, b in dict.fromkeys(pair for line in lines for pair in pairwise(line)):
        length = np.linalg.norm(places[b] - places[a], axis=1)
        name, mean = f"{a}{b}", float(np.mean(length))
        if np.ptp(length) > STRETCH * mean:
            drawing["springs"].append({"name": name, "points": [a, b], "stiffness": 0.0, "rest": mean, "mass": 0.0})
        else:
            geometry = [[0.0] * dimension, [mean] + [0.0] * (dimension - 1)]
            centre = [mean / 2] + [0.0] * (dimension - 1)
            drawing["rigids"].append(
                {"name": name, "points": [a, b], "geometry": geometry, "centroid": centre, "mass": 0.0, "arms": None}
            )
    return drawing


def _within(places: Floats) -> Floats:
    """Places that can be drawn: what has no value or is beyond all bounds is put at zero."""
    return np.where(np.abs(np.nan_to_num(places, nan=np.inf)) < FARTHEST, places, 0.0)


def _uses_time(marker: Marker) -> bool:
    return any(node.source is not None and node.source.kind == "t" for node in marker.program.nodes)
