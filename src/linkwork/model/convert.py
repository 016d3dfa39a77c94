"""Plain values -> expressions, part names -> point names: what lets a mechanism be written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from linkwork.errors import InputError, Problem
from linkwork.symbolic import Expr, Number
from linkwork.symbolic.parse import parse

Scalar: TypeAlias = Expr | int | float | Fraction | str
Vector: TypeAlias = Iterable[Scalar]

POINT_NAME = re.compile(r"[A-Za-z][0-9]*")
PART_NAME = re.compile(r"(?:[A-Za-z][0-9]*)+")
ZERO = Number(0)


def as_expr(value: Scalar) -> Expr:
    """An expression from a number, a text such as "m*l**2/12", or an expression.

    >>> as_expr("2*3")
    6
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, str):
        return _parsed(value)
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Number(value)
    return Number(float(value))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Expr:
    return parse(text)


def as_vector(values: Vector, size: int, part: str) -> tuple[Expr, ...]:
    """`size` expressions from at most `size` values; missing ones are zero (the padding rule)."""
    if isinstance(values, str):
        raise InputError([Problem(part=part, what="a text where coordinates belong", remedy="Write a list")])
    given = tuple([as_expr(value) for value in values])
    if len(given) > size:
        what = f"{len(given)} coordinates in dimension {size}"
        raise InputError([Problem(part=part, what=what, remedy=f"Give at most {size}")])
    return given + (ZERO,) * (size - len(given))


def as_exprs(values: Mapping[str, Scalar]) -> dict[str, Expr]:
    """The same names with expressions."""
    return {name: as_expr(value) for name, value in values.items()}


def split_points(name: str) -> tuple[str, ...]:
    """The points a part name lists, each a letter and its digits; empty if the name is not of that form.

    >>> split_points("OA12b")
    ('O', 'A12', 'b')
    """
    return tuple(POINT_NAME.findall(name)) if PART_NAME.fullmatch(name) else ()
