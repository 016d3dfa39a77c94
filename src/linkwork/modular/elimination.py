"""Elimination in matrices of expressions: rows by label in, some labels solved for by the others out.

The plainest pivot is taken first: numbers, then parameters, then the shortest expression. Beside each entry go its
values at two sample points, so that what cancels is known to be zero without being simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite, nan

from linkwork.errors import ExpressionError
from linkwork.symbolic import ZERO, Expr, Number, count_operations, evaluate_all, free_symbols, multiply

NOISE = 1e-9  # relative: what is left of a cancellation of numbers
ROUNDING = 1e-14  # beside the largest entry of a row: what is zero but for rounding
SMALL = 1e-3  # beside the largest entry of a row: pivots that make errors grow
SAMPLES = 2

Row = dict[str, Expr]
Point = Mapping[str, float]


def sample_points(known: Iterable[Point] = (), count: int = SAMPLES) -> list[Point]:
    """Values for every name: those given, or else numbers made from the name."""
    given = list(known)
    return given or [_Made(k) for k in range(count)]


class _Made(dict[str, float]):
    """A number from 0.5 to 1.5 for every name, the same in every run."""

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = k

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __missing__(self, name: str) -> float:
        return _made(name, self.k)


@lru_cache(maxsize=100_000)
def _made(name: str, k: int) -> float:
    total = 7 + 13 * k
    for letter in f"{name}{k}":
        total = (total * 69_069 + 12_345 * ord(letter)) % 1_000_003
    return 0.5 + total / 1_000_003


def values_at(exprs: list[Expr], points: Iterable[Point]) -> list[tuple[float, ...]]:
    """The values of expressions at all points; nan where there is none."""
    columns = []
    for point in points:
        try:
            columns.append([float(x) for x in evaluate_all(exprs, point)])
        except ExpressionError:
            columns.append([_value(expr, point) for expr in exprs])
    return list(zip(*columns, strict=True)) if exprs else []


def _value(expr: Expr, point: Point) -> float:
    try:
        return float(evaluate_all([expr], point)[0])
    except ExpressionError:
        return nan


@dataclass(frozen=True, slots=True)
class Eliminated:
    """solved   by label the row that gives it:  x = Σ row[label] x_label, with the label "" for what is constant
    left     by number, rows in which nothing was left to solve for, and which are not zero
    redundant  numbers of the rows that became zero
    """

    solved: dict[str, Row] = field(default_factory=dict)
    left: dict[int, Row] = field(default_factory=dict)
    redundant: list[int] = field(default_factory=list)


class _Matrix:
    def __init__(self, rows: list[Row], points: list[Point], tidy: Callable[[Expr], Expr]) -> None:
        self.tidy = tidy
        entries = [(i, label, expr) for i, row in enumerate(rows) for label, expr in row.items()]
        numbers = values_at([expr for _, _, expr in entries], points)
        self.rows: list[dict[str, tuple[Expr, tuple[float, ...]]]] = [{} for _ in rows]
        largest = [0.0] * len(rows)
        for (i, _, _), value in zip(entries, numbers, strict=True):
            largest[i] = max([largest[i], *(abs(x) for x in value if isfinite(x))])
        for (i, label, expr), value in zip(entries, numbers, strict=True):
            if expr is not ZERO and not _is_zero(value, [ROUNDING * largest[i]] * len(value), 1.0):
                self.rows[i][label] = (expr, value)

    def pivot(self, open_rows: Iterable[int], candidates: frozenset[str]) -> tuple[int, str] | None:
        """The plainest entry of those that no sample point shows as small beside their row; else of the others."""
        best, found = None, None
        for i in open_rows:
            row = self.rows[i]
            least = [SMALL * max(abs(x) for x in values) for values in zip(*(v for _, v in row.values()), strict=True)]
            for label in row:
                if label in candidates:
                    expr, numbers = row[label]
                    small = any(abs(x) <= y for x, y in zip(numbers, least, strict=True))
                    key = (small, *_plainness(expr), len(row), i, label)
                    if best is None or key < best:
                        best, found = key, (i, label)
        return found

    def divide(self, i: int, label: str) -> None:
        expr, numbers = self.rows[i][label]
        for other, (e, v) in self.rows[i].items():
            quotient = self.tidy(e / expr)
            self.rows[i][other] = (quotient, tuple(x / y if y else nan for x, y in zip(v, numbers, strict=True)))

    def subtract(self, j: int, i: int, label: str) -> None:
        """Row j without the label, by row i, whose pivot is one."""
        expr, numbers = self.rows[j].pop(label)
        for other, (e, v) in self.rows[i].items():
            if other == label:
                continue
            old, w = self.rows[j].get(other, (ZERO, (0.0,) * len(v)))
            change = [x * y for x, y in zip(numbers, v, strict=True)]
            new = tuple(a - b for a, b in zip(w, change, strict=True))
            if _is_zero(new, [abs(a) + abs(b) for a, b in zip(w, change, strict=True)]):
                self.rows[j].pop(other, None)
            else:
                self.rows[j][other] = (self.tidy(old - multiply(expr, e)), new)


def _is_zero(values: tuple[float, ...], sizes: list[float], share: float = NOISE) -> bool:
    return all(isfinite(x) and abs(x) <= share * size for x, size in zip(values, sizes, strict=True))


def _plainness(expr: Expr) -> tuple[int, int]:
    if isinstance(expr, Number):
        return 0, 0 if expr.value in (1, -1) else 1
    kinds = {s.kind for s in free_symbols(expr)}
    return (1 if kinds <= {"parameter"} else 2), count_operations(expr)


def eliminate(
    rows: Iterable[Mapping[str, Expr]],
    candidates: Iterable[str],
    *,
    points: Iterable[Point] = (),
    tidy: Callable[[Expr], Expr] = lambda expr: expr,
) -> Eliminated:
    """Solve rows, each = 0, for as many of the candidates as they determine."""
    matrix = _Matrix([dict(row) for row in rows], sample_points(points), tidy)
    wanted, open_rows, chosen = frozenset(candidates), list(range(len(matrix.rows))), dict[str, int]()
    while (found := matrix.pivot(open_rows, wanted - chosen.keys())) is not None:
        i, label = found
        open_rows.remove(i)
        chosen[label] = i
        matrix.divide(i, label)
        for j, row in enumerate(matrix.rows):
            if j != i and label in row:
                matrix.subtract(j, i, label)
    solved = {
        label: {other: -e for other, (e, _) in matrix.rows[i].items() if other != label} for label, i in chosen.items()
    }
    left = {i: {label: e for label, (e, _) in matrix.rows[i].items()} for i in open_rows if matrix.rows[i]}
    return Eliminated(solved=solved, left=left, redundant=[i for i in open_rows if not matrix.rows[i]])
