"""Plain values -> expressions, part names -> point names: what lets a mechanism be written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.model.functions import FunctionTable, registered_functions
from linkwork.symbolic import Expr, Number
from linkwork.symbolic.parse import parse

Scalar: TypeAlias = Expr | int | float | Fraction | str
Vector: TypeAlias = Iterable[Scalar]

POINT_NAME = re.compile(r"[A-Za-z][0-9]*")
PART_NAME = re.compile(r"(?:[A-Za-z][0-9]*)+")


def as_expr(value: Scalar) -> Expr:
    """An expression from a number, a text such as "m*l**2/12", or an expression.

    >>> as_expr("2*3")
    6
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return _parsed(value, registered_functions())
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Number(value)
    try:
        return Number(float(value))
    except (TypeError, ValueError):
        raise ExpressionError(
            f"{show_value(value)} is not a number", "Give a number, a text or an expression"
        ) from None


@lru_cache(maxsize=1024)
def _parsed(text: str, functions: FunctionTable) -> Expr:
    return parse(text, functions=functions)


def as_exprs(values: Mapping[str, Scalar]) -> dict[str, Expr]:
    """The same names with expressions."""
    return {name: as_expr(value) for name, value in values.items()}


def as_vectors(rows: Iterable[Vector], part: Ref) -> tuple[tuple[Expr, ...], ...]:
    """Coordinates as given, of at most three directions; the mechanism knows how many there are."""
    return tuple([as_coordinates(row, part) for row in rows])


def as_coordinates(values: Vector, part: Ref) -> tuple[Expr, ...]:
    """At most three expressions."""
    if isinstance(values, str):
        raise InputError([Problem(ref=part, what="a text where coordinates belong", remedy="Write a list")])
    given = tuple([as_expr(value) for value in values])
    if len(given) > 3:
        what = f"{len(given)} coordinates"
        raise InputError([Problem(ref=part, what=what, remedy="Give at most 3")])
    return given


def split_points(name: str) -> tuple[str, ...]:
    """The points a part name lists, each a letter and its digits; empty if the name is not of that form.

    >>> split_points("OA12b")
    ('O', 'A12', 'b')
    """
    return tuple(POINT_NAME.findall(name)) if PART_NAME.fullmatch(name) else ()


def name_points(name: str, points: Iterable[str], part: Ref) -> tuple[str, ...]:
    """The points of a part: those given, or those its name lists."""
    found = tuple(points) or split_points(name)
    if not found:
        what = "the name does not list points"
        remedy = "Name it by its points, letter and digits each, as in 'OA' or 'P1P2', or give `points`"
        raise InputError([Problem(ref=part, what=what, remedy=remedy)])
    return found


def as_flag(what: str, given: object, ref: Ref) -> bool:
    """True or False, or an error in words."""
    if given is not True and given is not False:
        remedy = "Give True or False (in a file: yes or no)"
        raise InputError([Problem(ref=ref, what=f"{what} is {show_value(given)}", remedy=remedy)])
    return given
