"""Parts that stand on fixed points: a Rigid in, the same Rigid in the frame of its fixed points out.

The first points of a part carry its equations (two in the plane, three in space) and all others follow from them. If
several points of a part are fixed they go first, so that no equation says once more what the fixed places say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations.choices import FLAT, is_small
from linkwork.equations.collect import Collector
from linkwork.model import Rigid
from linkwork.symbolic import ZERO, Expr, sqrt
from linkwork.symbolic.vector import Vector, cross, difference, dot


def with_fixed_first(f: Collector, rigid: Rigid) -> Rigid:
    """The same part with its fixed points among the first ones, if there are two or more of them."""
    d = f.dimension
    fixed = [i for i, point in enumerate(rigid.points) if point in f.mechanism.fixed]
    if len(fixed) < 2 or max(fixed) < d or fixed[:d] == list(range(d)):
        return rigid
    places = rigid.geometry
    first = f.formulas.decide(partial(choose_first, fixed=tuple(fixed), d=d), [x for place in places for x in place])
    assert isinstance(first, tuple)
    order = [*first, *(i for i in range(len(places)) if i not in first)]
    edges = [difference(places[i], places[order[0]]) for i in order]
    # what has axes must not lose them
    f.formulas.is_zero(dot(edges[1], edges[1]))
    if d == 3:
        is_small(f.formulas, cross(edges[1], edges[2]), ZERO)
    axes, reference = _frame(edges[1:d])

    def turned(v: Vector) -> Vector:
        return Vector(dot(axis, v) for axis in axes)

    return Rigid(
        name=rigid.name,
        points=[rigid.points[i] for i in order],
        geometry=[(ZERO,) * d, *reference, *map(turned, edges[d:])],
        centroid=turned(difference(rigid.centroid, places[order[0]])),
        mass=rigid.mass,
        inertia=_turned(rigid.inertia, axes),
    )


def choose_first(numbers: Floats, fixed: tuple[int, ...], d: int) -> tuple[int, ...]:
    """Two points far apart and, in space, a third one off their line; fixed ones where they will do."""
    places = numbers.reshape(-1, d)
    a = fixed[0]
    b = max(fixed, key=lambda i: float(np.linalg.norm(places[i] - places[a])))
    if d == 2:
        return a, b
    axis = places[b] - places[a]
    height = np.linalg.norm(np.cross(places - places[a], axis), axis=1) / (axis @ axis)
    c = max(fixed, key=lambda i: float(height[i]))
    return a, b, c if height[c] > FLAT else int(np.argmax(height))


def _frame(edges: Sequence[Vector]) -> tuple[list[Vector], list[Vector]]:
    """Axes along the first edge and, in space, with the second in the upper half of the xy plane; the edges in them."""
    length = sqrt(dot(edges[0], edges[0]))
    x = edges[0] / length
    if len(x) == 2:
        return [x, Vector((-x[1], x[0]))], [Vector((length, ZERO))]
    along = dot(edges[1], x)
    across = edges[1] - along * x
    height = sqrt(dot(across, across))
    y = across / height
    return [x, y, cross(x, y)], [Vector((length, ZERO, ZERO)), Vector((along, height, ZERO))]


def _turned(inertia: tuple[Expr, ...], axes: Sequence[Vector]) -> tuple[Expr, ...]:
    """The inertia in other axes: e_i · I e_j."""
    if len(inertia) == 1:
        return inertia
    xx, yy, zz, xy, xz, yz = inertia + (ZERO,) * (6 - len(inertia))
    rows = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return tuple(dot(axes[i], [dot(row, axes[j]) for row in rows]) for i, j in pairs)
