"""Parts that stand on fixed points: a Rigid in, the same Rigid in the frame of its fixed points out.

The first points of a part carry its equations (two in the plane, three in space) and all others follow from them. If
several points of a part are fixed they go first, so that no equation says once more what the fixed places say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.equations.collect import Collector
from linkwork.model import Rigid

Floats = NDArray[np.float64]

FLAT = 1e-6  # height over length of three points below which they are on one line


def with_fixed_first(f: Collector, rigid: Rigid) -> Rigid:
    """The same part with its fixed points among the first ones, if there are two or more of them."""
    d = f.dimension
    fixed = [i for i, point in enumerate(rigid.points) if point in f.mechanism.fixed]
    if len(fixed) < 2 or max(fixed) < d or fixed[:d] == list(range(d)):
        return rigid
    places = np.array([[f.number(x) for x in place] for place in rigid.geometry])
    first = _choose(places, fixed, d)
    order = [*first, *(i for i in range(len(places)) if i not in first)]
    Q = _frame(places[first])
    return Rigid(
        name=rigid.name,
        points=[rigid.points[i] for i in order],
        geometry=[(Q.T @ (places[i] - places[order[0]])).tolist() for i in order],
        centroid=(Q.T @ ([f.number(x) for x in rigid.centroid] - places[order[0]])).tolist(),
        mass=rigid.mass,
        inertia=_turned([f.number(x) for x in rigid.inertia], Q),
    )


def _choose(places: Floats, fixed: list[int], d: int) -> list[int]:
    """Two points far apart and, in space, a third one off their line; fixed ones where they will do."""
    a = fixed[0]
    b = max(fixed, key=lambda i: float(np.linalg.norm(places[i] - places[a])))
    if d == 2:
        return [a, b]
    axis = places[b] - places[a]
    height = np.linalg.norm(np.cross(places - places[a], axis), axis=1) / (axis @ axis)
    c = max(fixed, key=lambda i: float(height[i]))
    return [a, b, c if height[c] > FLAT else int(np.argmax(height))]


def _frame(first: Floats) -> Floats:
    """Axes as columns: along the first two points, with the third in the upper half of the xy plane."""
    x = (first[1] - first[0]) / np.linalg.norm(first[1] - first[0])
    if len(x) == 2:
        return np.array([[x[0], -x[1]], [x[1], x[0]]])
    y = (first[2] - first[0]) - x @ (first[2] - first[0]) * x
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _turned(inertia: list[float], Q: Floats) -> list[float]:
    """The inertia in other axes: QᵀIQ."""
    if len(inertia) == 1:
        return inertia
    xx, yy, zz, xy, xz, yz = inertia + [0.0] * (6 - len(inertia))
    I = Q.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ Q
    return [float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
