"""Layers: which flat parts of a planar mechanism lie before which, so that none runs into another.

In: a Recording; out: a whole number for each rigid part. Parts that share a point or a joint, or cross each other at
some time, get different layers; as few as a simple greedy choice finds.
"""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats
from linkwork.results import Recording

LOOKS = 60  # times at which crossings are looked for
MANY = 150  # parts beyond which only shared points count


def find_layers(recording: Recording) -> list[int]:
    """A layer for each rigid part; in space all are 0."""
    rigids = recording.drawing["rigids"]
    if recording.drawing["dimension"] != 2:
        return [0] * len(rigids)
    users: dict[str, list[int]] = {}
    for i, rigid in enumerate(rigids):
        for point in rigid["points"]:
            users.setdefault(point, []).append(i)
    numbers = {rigid["name"]: i for i, rigid in enumerate(rigids)}
    joined: list[set[int]] = [set() for _ in rigids]
    for joint in recording.drawing["joints"]:
        pair = [numbers[part] for part in joint["parts"] if part in numbers]
        for i in pair:
            joined[i] |= set(pair) - {i}
    apart = _crossings(recording) if len(rigids) <= MANY else [set() for _ in rigids]
    layers: dict[int, int] = {}
    # the widest go to the back
    for i in sorted(range(len(rigids)), key=lambda i: -_width(rigids[i]["geometry"])):
        others = {j for p in rigids[i]["points"] for j in users[p]} | apart[i] | joined[i]
        taken = {layers[j] for j in others if j in layers}
        layers[i] = next(layer for layer in range(len(rigids) + 1) if layer not in taken)
    return [layers[i] for i in range(len(rigids))]


def _width(geometry: list[list[float]]) -> float:
    """How far a part reaches to both sides of its first two points; 0 for a rod."""
    return max(abs(y) for _, y in geometry)


def _crossings(recording: Recording) -> list[set[int]]:
    """For each part the parts whose segments it crosses at one of some times."""
    rigids = recording.drawing["rigids"]
    segments = [_segments(recording, rigid) for rigid in rigids]
    found: list[set[int]] = [set() for _ in rigids]
    for i, mine in enumerate(segments):
        for j in range(i):
            if any(_cross(a, b) for a in mine for b in segments[j]):
                found[i].add(j)
                found[j].add(i)
    return found


def _segments(recording: Recording, rigid: dict[str, list[str]]) -> list[tuple[Floats, Floats]]:
    """The sides of a part over time: the lines between neighbouring points.   (looks, 2) each"""
    places = [_place(recording, point) for point in rigid["points"]]
    count = len(places)
    sides = range(count if count > 2 else count - 1)
    return [(places[i], places[(i + 1) % count]) for i in sides]


def _place(recording: Recording, point: str) -> Floats:
    pick = np.linspace(0, len(recording.knots.t) - 1, LOOKS).astype(int)
    if point in recording.drawing["fixed"]:
        return np.tile(np.asarray(recording.drawing["fixed"][point], dtype=np.float64), (LOOKS, 1))
    return np.asarray(recording.knots.q[pick][:, list(recording.place(point))])


def _cross(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    """Whether two segments cross at one of the times: each has its ends on both sides of the other."""
    (a, b), (c, d) = one, other
    return bool(np.any((_side(a, b, c) * _side(a, b, d) < 0) & (_side(c, d, a) * _side(c, d, b) < 0)))


def _side(a: Floats, b: Floats, p: Floats) -> Floats:
    return np.asarray((b[:, 0] - a[:, 0]) * (p[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (p[:, 0] - a[:, 0]))
