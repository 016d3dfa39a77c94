"""Rotations and homogeneous transforms by sequences of axes, angular velocities, and skew matrices of vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_value
from linkwork.given import as_list
from linkwork.modular.names import as_formula, as_formulas, rate_of
from linkwork.modular.rules import Rules
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    add,
    as_expr,
    cos,
    free_symbols,
    multiply,
    sin,
    sqrt,
    symbol,
    total_rate,
)

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}

Matrix = tuple[tuple[Expr, ...], ...]
Axis = str | Sequence[ExprLike]


def product(a: Sequence[Sequence[Expr]], b: Sequence[Sequence[Expr]]) -> Matrix:
    """a b."""
    return tuple(
        tuple(add(*(multiply(a[i][k], b[k][j]) for k in range(len(b)))) for j in range(len(b[0])))
        for i in range(len(a))
    )


def times(a: Sequence[Sequence[Expr]], v: Sequence[Expr]) -> tuple[Expr, ...]:
    """a v."""
    return tuple(add(*(multiply(e, x) for e, x in zip(row, v, strict=True))) for row in a)


def transposed(a: Sequence[Sequence[Expr]]) -> Matrix:
    """aᵀ."""
    return tuple(zip(*a, strict=True))


def rotation(*axes: Axis) -> Callable[..., Matrix]:
    """The matrix of turns about one axis after the other, each about the axes turned already.

    >>> rotation("z")("theta")[0]
    (cos(theta), -sin(theta), 0)
    """
    units = [_unit(axis) for axis in axes]

    def of(*angles: ExprLike | str) -> Matrix:
        _check_count(len(angles), len(units), "angles")
        found: Matrix = identity(3)
        for unit, angle in zip(units, angles, strict=True):
            found = product(found, _turn(unit, _read(angle)))
        return found

    return of


def transformation(matrix: Any) -> Callable[[Sequence[ExprLike | str]], tuple[Expr, ...]]:
    """A matrix as a function of places: R v of a 3 x 3 matrix, and (H (v, 1)) of a homogeneous one.

    >>> transformation(homogeneous("Tx")("l"))((1, 2, 3))
    (l + 1, 2, 3)
    """
    rows = _table(getattr(matrix, "array", matrix), "transformation")
    if len(rows) not in (3, 4) or {len(row) for row in rows} != {len(rows)}:
        what = f"a matrix of {len(rows)} rows moves no places"
        raise InputError([Problem(part="transformation", what=what, remedy="Give 3 x 3 or 4 x 4 entries")])

    def move(place: Sequence[ExprLike | str]) -> tuple[Expr, ...]:
        v = [*as_formulas(place, "transformation: place", 3), ONE][: len(rows)]
        return times(rows, v)[:3]

    return move


def homogeneous(*steps: str | tuple[str, Axis]) -> Callable[..., Matrix]:
    """The 4 x 4 matrix of turns "Rx", ("R", axis) and shifts "Tx", ("T", axis), one after the other.

    >>> homogeneous("Rz", "Tx")("theta", "l")[0]
    (cos(theta), -sin(theta), 0, l*cos(theta))
    """
    read = [_step(step) for step in steps]

    def of(*amounts: ExprLike | str) -> Matrix:
        _check_count(len(amounts), len(read), "amounts")
        found: Matrix = identity(4)
        for (kind, unit), amount in zip(read, amounts, strict=True):
            x = _read(amount)
            turn = _turn(unit, x) if kind == "R" else identity(3)
            shift = tuple(multiply(x, e) for e in unit) if kind == "T" else (ZERO, ZERO, ZERO)
            step = (*((*row, s) for row, s in zip(turn, shift, strict=True)), (ZERO, ZERO, ZERO, ONE))
            found = product(found, step)
        return found

    return of


def identity(n: int) -> Matrix:
    """Ones on the diagonal."""
    return tuple(tuple(ONE if i == j else ZERO for j in range(n)) for i in range(n))


def skew(v: Sequence[ExprLike | str]) -> Matrix:
    """The matrix of v ×."""
    x, y, z = as_formulas(v, "skew", 3)
    return ((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO))


def unskew(a: Sequence[Sequence[ExprLike]]) -> tuple[Expr, Expr, Expr]:
    """The vector of a skew matrix; an InputError if it is none."""
    m = _table(a, "unskew", 3)
    tidy = Rules().simplify
    wrong = [(i, j) for i in range(3) for j in range(i + 1) if tidy(m[i][j] + m[j][i]) is not ZERO]
    if wrong:
        i, j = wrong[0]
        what = f"entries ({i + 1}, {j + 1}) and ({j + 1}, {i + 1}) are {m[i][j]} and {m[j][i]}"
        raise InputError([Problem(part="unskew", what=what, remedy="Give a skew matrix")])
    return m[2][1], m[0][2], m[1][0]


def angular_velocity(R: Sequence[Sequence[Expr]], rates: Mapping[Symbol, Expr] | None = None) -> tuple[Expr, ...]:
    """Of a rotation matrix, in the axes of the body: the vector of Rᵀ Ṙ.   `rates` of its symbols, else x'.

    Names turn, as there is nothing else to turn; beside coordinates and time they are parameters, which stay.

    >>> angular_velocity(rotation("z")("psi"))
    (0, 0, psi')
    """
    table = _table(getattr(R, "array", R), "angular_velocity", 3)
    moving = {"coordinate", "speed", "time"}
    named = moving.isdisjoint(s.kind for s in free_symbols(*(e for row in table for e in row)))

    def rate(s: Symbol) -> Expr:
        if rates is not None:
            return rates.get(s, ZERO)
        return symbol(f"{s.name}'", kind="speed") if named and s.kind == "parameter" else rate_of(s)

    changing = tuple(tuple(total_rate(e, rate) for e in row) for row in table)
    spin = product(transposed(table), changing)
    tidy = Rules().simplify
    return tuple(tidy(e) for e in (spin[2][1], spin[0][2], spin[1][0]))


def _turn(unit: tuple[Expr, ...], angle: Expr) -> Matrix:
    # cos I + (1 - cos) e eᵀ + sin e×
    c, s = cos(angle), sin(angle)
    across = skew(unit)
    return tuple(
        tuple((c if i == j else ZERO) + (1 - c) * unit[i] * unit[j] + s * across[i][j] for j in range(3))
        for i in range(3)
    )


def _unit(axis: Axis) -> tuple[Expr, ...]:
    if isinstance(axis, str):
        if axis.lower() not in AXES:
            raise InputError(
                [Problem(part="rotation", what=f"no axis '{axis}'", remedy="Use x, y, z or three numbers")]
            )
        return tuple(as_expr(e) for e in AXES[axis.lower()])
    entries = as_formulas(axis, "rotation: axis")
    if len(entries) != 3 or all(e is ZERO for e in entries):
        what = f"{show_value(axis)} is no axis"
        raise InputError([Problem(part="rotation", what=what, remedy="Use x, y, z or three numbers")])
    length = sqrt(add(*(e * e for e in entries)))
    return entries if length is ONE else tuple(e / length for e in entries)


def _step(step: str | tuple[str, Axis]) -> tuple[str, tuple[Expr, ...]]:
    pair: Any = (step[:1], step[1:]) if isinstance(step, str) else step
    kind, axis = pair if isinstance(pair, tuple) and len(pair) == 2 else ("", "")
    if kind not in ("R", "T"):
        words = ["Rx", "Ry", "Rz", "Tx", "Ty", "Tz"]
        remedy = did_you_mean(str(step), words) or 'Use Rx, Ry, Rz, Tx, Ty, Tz, ("R", axis) or ("T", axis)'
        raise InputError([Problem(part="homogeneous", what=f"no step {show_value(step)}", remedy=remedy)])
    return kind, _unit(axis)


def _check_count(given: int, wanted: int, what: str) -> None:
    if given != wanted:
        raise InputError([Problem(part="rotation", what=f"{given} {what} for {wanted} axes", remedy="Give one each")])


def _read(given: Any) -> Expr:
    return as_formula(given, "rotation")


def _table(given: Any, part: str, size: int | None = None) -> list[tuple[Expr, ...]]:
    """Rows of formulas; size x size if that is said."""
    rows = [as_formulas(row, part, size) for row in as_list(given, Ref(part), remedy="Give rows of entries")]
    if size is not None and len(rows) != size:
        raise InputError([Problem(part=part, what=f"{len(rows)} rows", remedy=f"Give {size}")])
    return rows
