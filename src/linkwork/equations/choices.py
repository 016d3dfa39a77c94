"""What the places of points decide: formulas in, which of them carry equations out.

A choice is good as long as what it rests on stays so: points that are apart, off a line, on an axis. This is asked
again when values change, by formulas that must stay zero or must not become zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations.formulas import FormulaList
from linkwork.symbolic import ZERO, Expr
from linkwork.symbolic import max as larger
from linkwork.symbolic.vector import Vector, cross, difference, dot

FLAT = 1e-6  # height over length of three points below which they are on one line


def is_small(formulas: FormulaList, v: Vector, bound: Expr) -> bool:
    """Whether |v| is no larger than a bound."""
    return formulas.is_zero(larger(dot(v, v) - bound**2, ZERO))


def choose_least(formulas: FormulaList, v: Vector) -> int:
    """Which entry of a vector is the least, without signs; it must not become the only one."""
    k = formulas.decide(_find_least, v)
    assert isinstance(k, int)
    others = [x for i, x in enumerate(v) if i != k]
    formulas.is_zero(dot(others, others))
    return k


def _find_least(numbers: Floats) -> int:
    return int(np.argmin(np.abs(numbers)))


def choose_order(formulas: FormulaList, places: Sequence[Sequence[Expr]]) -> tuple[int, ...]:
    """A point, one far from it and, in space, one off their line, as far as there are such."""
    if len(places) < 2:
        return tuple(range(len(places)))
    order = formulas.decide(ORDERS[len(places[0])], [x for place in places for x in place])
    assert isinstance(order, tuple)
    # there must not be more of them, nor less
    edges = [difference(place, places[0]) for place in places]
    if len(order) == 1:
        formulas.is_zero(*(dot(edge, edge) for edge in edges[1:]))
        return order
    axis = edges[order[1]]
    length = dot(axis, axis)
    formulas.is_zero(length)
    if len(axis) == 3:
        others = order[2:] or [i for i in range(1, len(places)) if i != order[1]]
        for i in others:
            is_small(formulas, cross(edges[i], axis), FLAT * length)
    return order


def _choose_order(numbers: Floats, d: int) -> tuple[int, ...]:
    places = numbers.reshape(-1, d)
    far = np.linalg.norm(places - places[0], axis=1)
    b = int(np.argmax(far))
    if far[b] == 0.0:
        return (0,)
    if d == 2 or len(places) < 3:
        return 0, b
    axis = places[b] - places[0]
    height = np.linalg.norm(np.cross(places - places[0], axis), axis=1) / (axis @ axis)
    c = int(np.argmax(height))
    return (0, b, c) if height[c] > FLAT else (0, b)


ORDERS = {d: partial(_choose_order, d=d) for d in (2, 3)}  # one rule for each dimension
