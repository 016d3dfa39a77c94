"""Sample points on the constraints of a module: numbers for all names at which all constraints hold.

Whether rows follow from others is often true only there: a third parallel crank adds nothing to a parallelogram that is
closed, but something to one that is torn apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError
from linkwork.modular.elimination import SAMPLES, Point, sample_points
from linkwork.symbolic import Expr, Symbol, evaluate_all, free_symbols, jacobian

if TYPE_CHECKING:
    from linkwork.modular.module import Module

TRIES = 8
STEPS = 60
LONGEST = 0.3  # step of an unknown: who leaps ends in singular places
CLOSE = 1e-12


def find_samples(module: Module, values: Mapping[str, float]) -> list[Point]:
    """Points on the constraints, near those made of names alone; none if there are none."""
    found: list[Point] = []
    for base in sample_points(count=TRIES):
        point = _Point(base, values)
        positions = [e for m in module.levels for e in m.definitions.get(0, {}).values()]
        positions += module.constraints[0].values()
        speeds = list(module.constraints[1].values())
        if _closed(positions, module.coordinates, point) and _closed(speeds, module.speeds, point):
            found.append(point)
        if len(found) == SAMPLES:
            break
    return found


class _Point(dict[str, float]):
    """Numbers for all names; what was not set comes from elsewhere."""

    def __init__(self, base: Point, values: Mapping[str, float]) -> None:
        super().__init__(values)
        self.base = base

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> float:
        return self.base[name]


def _closed(exprs: Sequence[Expr], unknowns: Sequence[Symbol], point: _Point) -> bool:
    """Move the unknowns onto the constraints by Newton's method, the shortest way."""
    used = [s for s in unknowns if s in free_symbols(*exprs)] if exprs else []
    if not used:
        return True
    slopes = [e for row in jacobian(exprs, used) for e in row]
    for _ in range(STEPS):
        try:
            numbers = np.array(evaluate_all([*exprs, *slopes], point), dtype=float)
        except ExpressionError:
            return False
        g, G = numbers[: len(exprs)], numbers[len(exprs) :].reshape(len(exprs), len(used))
        if np.max(np.abs(g)) < CLOSE:
            return _is_regular(G)
        step = np.linalg.lstsq(G, -g, rcond=1e-10)[0]
        if not np.all(np.isfinite(step)):
            return False
        step *= min(1.0, LONGEST / max(np.max(np.abs(step)), LONGEST))
        for s, change in zip(used, step, strict=True):
            point[s.name] = point[s.name] + float(change)
    return False


def _is_regular(G: Floats) -> bool:
    """Whether it is clear which rows count: none that is hardly zero, as near a singular position."""
    sizes = np.linalg.svd(G, compute_uv=False)
    relative = sizes / max(sizes[0], 1e-300)
    return not np.any((relative > 1e-11) & (relative < 1e-5))
