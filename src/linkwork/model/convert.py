"""Plain values -> expressions, part names -> point names: what lets a mechanism be written by hand."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from linkwork.errors import ExpressionError, InputError, Problem, Ref, did_you_mean, show_value
from linkwork.given import as_list, as_map, as_names, refuse
from linkwork.model.functions import FunctionTable, registered_functions
from linkwork.symbolic import Expr, Number
from linkwork.symbolic.parse import parse

Scalar: TypeAlias = Expr | int | float | Fraction | str
Vector: TypeAlias = Iterable[Scalar]

POINT_NAME = re.compile(r"[A-Za-z][0-9]*")
PART_NAME = re.compile(r"(?:[A-Za-z][0-9]*)+")

TRUTHS = ("bool", "bool_")  # of Python and of arrays, by either name: true is no number


def as_expr(value: Scalar) -> Expr:
    """An expression from a number, a text such as "m*l**2/12", or an expression.

    >>> as_expr("2*3")
    6
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return _parsed(value, registered_functions())
    if isinstance(value, int | Fraction) and type(value) is not bool:
        return Number(value)
    try:
        number = None if type(value).__name__ in TRUTHS else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise ExpressionError(f"{show_value(value)} is not a number", "Give a number, a text or an expression")
    return Number(number)


@lru_cache(maxsize=1024)
def _parsed(text: str, functions: FunctionTable) -> Expr:
    return parse(text, functions=functions)


def as_exprs(values: Mapping[str, Scalar] | None, part: Ref) -> dict[str, Expr]:
    """The same names with expressions."""
    return {name: as_value(value, Ref(part.kind, name)) for name, value in as_map(values, part).items()}


def as_changes(changes: Mapping[str, Scalar], parameters: Collection[str]) -> dict[str, Expr]:
    """The same for new values of parameters, all of which must be known."""
    unknown = [name for name in changes if name not in parameters]
    if unknown:
        raise InputError(
            Problem(what=f"no parameter named '{name}'", remedy=did_you_mean(name, parameters)) for name in unknown
        )
    return as_exprs(changes, Ref("parameter"))


def as_value(value: Scalar, part: Ref, label: str = "") -> Expr:
    """The same as `as_expr`, with the part and what of it in the words of an InputError."""
    try:
        return as_expr(value)
    except ExpressionError as error:
        raise refused(error, part, label) from None


def as_values(values: Scalar | Vector, part: Ref, label: str) -> tuple[Expr, ...]:
    """One value, or a list of them."""
    several = [values] if isinstance(values, Scalar) else as_list(values, part, label)
    return tuple([as_value(value, part, label) for value in several])


def as_vectors(rows: Iterable[Vector], part: Ref, label: str) -> tuple[tuple[Expr, ...], ...]:
    """Coordinates as given, of at most three directions; the mechanism knows how many there are."""
    return tuple([as_coordinates(row, part, label) for row in as_list(rows, part, label)])


def as_coordinates(values: Vector, part: Ref, label: str = "") -> tuple[Expr, ...]:
    """At most three expressions."""
    given = as_list(values, part, label, "Write a list of coordinates")
    if len(given) > 3:
        what = f"{len(given)} coordinates"
        raise InputError([Problem(ref=part, detail=label, what=what, remedy="Give at most 3")])
    return tuple([as_value(value, part, label) for value in given])


def refused(error: ExpressionError, part: Ref, label: str) -> InputError:
    """The same words, with the part they are about."""
    return refuse(part, label, error.what, error.remedy)


def split_points(name: str) -> tuple[str, ...]:
    """The points a part name lists, each a letter and its digits; empty if the name is not of that form.

    >>> split_points("OA12b")
    ('O', 'A12', 'b')
    """
    return tuple(POINT_NAME.findall(name)) if PART_NAME.fullmatch(name) else ()


def name_points(name: str, points: Iterable[str], part: Ref) -> tuple[str, ...]:
    """The points of a part: those given, or those its name lists."""
    found = as_names(points, part, "points") or split_points(name)
    if not found:
        what = "the name does not list points"
        remedy = "Name it by its points, letter and digits each, as in 'OA' or 'P1P2', or give `points`"
        raise InputError([Problem(ref=part, what=what, remedy=remedy)])
    return found
