"""Sample points on the constraints of a module: numbers for all names at which all constraints hold.

Whether rows follow from others is often true only there: a third parallel crank adds nothing to a parallelogram that is
closed, but something to one that is torn apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError
from linkwork.modular.elimination import SAMPLES, Point, sample_points
from linkwork.symbolic import Expr, Symbol, evaluate_all, free_symbols, jacobian

if TYPE_CHECKING:
    from linkwork.modular.module import Module

TRIES = 8
SIZES = (1.0, 30.0, 0.03)  # of coordinates and speeds where a place is looked for before it is said that there is none
STEPS = 60
LONGEST = 0.3  # step of an unknown: who leaps ends in singular places
CLOSE = 1e-12
OPEN = 1e-6  # what stays open by more takes part in a contradiction
SHOWN = 8  # rows that are named


def describe_conflict(module: Module, values: Mapping[str, float]) -> str:
    """Which constraints contradict each other, and by how much they stay open where they are nearest to holding.

    Where the sum of squares is least its slopes vanish, Gᵀ g = 0: rows that are open there hold each other open.
    """
    best: tuple[float, list[str], list[float], _Point] | None = None
    for point in _begin(module, values, SIZES):
        for order, unknowns in enumerate((module.coordinates, module.speeds, module.accelerations)):
            named = module.constraints[order]
            if order == 0:
                named = {n: e for m in module.levels for n, e in m.definitions.get(0, {}).items()} | named
            left = _nearest(list(named.values()), unknowns, point)
            size = float(np.linalg.norm(left))
            if size > OPEN:
                if best is None or size < best[0]:
                    rows = np.flatnonzero(np.abs(left) > OPEN).tolist()
                    best = size, [[*named][i] for i in rows], [abs(left[i]) for i in rows], point
                break
        else:
            return ""
    return _words(module, values, *best[1:]) if best else ""


def _words(module: Module, values: Mapping[str, float], rows: list[str], gaps: list[float], point: _Point) -> str:
    exprs = [e for named in module.constraints.values() for name, e in named.items() if name in rows]
    unknown = sorted(s.name for s in free_symbols(*exprs) if s.kind == "parameter" and s.name not in values)
    at = f" for {', '.join(f'{name} = {point[name]:.3g}' for name in unknown[:SHOWN])}" if unknown else ""
    pairs = zip(rows[:SHOWN], gaps, strict=False)
    told = ", ".join(f"{name} {f'stays open by {gap:.3g}' if isfinite(gap) else 'has no value'}" for name, gap in pairs)
    more = f" and {len(rows) - SHOWN} others" if len(rows) > SHOWN else ""
    return f"{told}{more} where they are nearest to holding{at}"


def _nearest(exprs: Sequence[Expr], unknowns: Sequence[Symbol], point: _Point) -> Floats:
    """Move the unknowns to where the squares of the expressions are least, and tell what is left of them."""
    used = [s for s in unknowns if s in free_symbols(*exprs)] if exprs else []
    if not used:
        return np.zeros(0)
    slopes = [e for row in jacobian(exprs, used) for e in row]

    def value(x: Floats) -> Floats:
        point.update(zip((s.name for s in used), x.tolist(), strict=True))
        return np.array(evaluate_all(exprs, point), dtype=float)

    def slope(x: Floats) -> Floats:
        point.update(zip((s.name for s in used), x.tolist(), strict=True))
        return np.array(evaluate_all(slopes, point), dtype=float).reshape(len(exprs), len(used))

    try:
        begin = np.array([point[s.name] for s in used])
        found = least_squares(value, begin, jac=slope, xtol=1e-12, ftol=1e-14, gtol=1e-14)
        return value(np.asarray(found.x))
    except (ExpressionError, ValueError):
        return np.full(len(exprs), np.inf)


def find_samples(
    module: Module, values: Mapping[str, float], count: int = SAMPLES, told: Sequence[Expr] = ()
) -> list[Point]:
    """Points on the constraints, near those made of names alone; none if there are none.

    `told` is what vanishes by the choice of parameters that have no values yet.
    """
    positions = [e for m in module.levels for e in m.definitions.get(0, {}).values()]
    positions += module.constraints[0].values()
    speeds = list(module.constraints[1].values())
    unknown = [s for s in free_symbols(*told) if s.name not in values] if told else []
    unknown.sort(key=lambda s: s.name)
    levels = ((told, unknown), (positions, module.coordinates), (speeds, module.speeds))
    found: list[Point] = []
    for point in _begin(module, values):
        if all(_closed(exprs, unknowns, point) for exprs, unknowns in levels):
            found.append(point)
        if len(found) == count:
            break
    return found


def _begin(module: Module, values: Mapping[str, float], sizes: Sequence[float] = (1.0,)) -> Iterator[_Point]:
    """Where places on the constraints are looked for: numbers made of names, of some sizes."""
    moving = [s.name for s in (*module.coordinates, *module.speeds)]
    for size in sizes:
        for base in sample_points(count=TRIES):
            made = {} if size == 1.0 else {name: size * base[name] for name in moving}
            yield _Point(base, made | dict(values))


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
