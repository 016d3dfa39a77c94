"""Laws of time that a quantity is to follow: a formula, a function, a table or columns of numbers in, a law out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from numpy.typing import ArrayLike

from linkwork.errors import InputError, LinkworkError, Problem, Ref, show_value
from linkwork.model.convert import Scalar
from linkwork.model.laws import TIME, read_law
from linkwork.model.tables import Table
from linkwork.symbolic import Expr

Law: TypeAlias = Scalar | Table | Callable[[Expr], Expr] | tuple[ArrayLike, ArrayLike]

REMEDY = 'Give a formula such as "w*t", a function of t, a lw.Table, or (times, values)'


def as_law_of_time(target: str, given: Law) -> Expr:
    """The law that a quantity is to follow."""
    part = Ref("motion", target)
    if isinstance(given, Table):
        return given.law(TIME)
    if isinstance(given, tuple):
        if len(given) != 2:
            raise InputError([Problem(ref=part, what=f"{len(given)} columns instead of two", remedy=REMEDY)])
        return Table(f"follow_{target}", *given).law(TIME)  # type: ignore[arg-type]
    if callable(given) and not isinstance(given, Expr):
        try:
            return read_law(given(TIME), part, "law")
        except LinkworkError:
            raise
        except Exception as error:  # it is a function of the caller
            what = f"{show_value(given)} fails at t: {error}"
            raise InputError([Problem(ref=part, what=what, remedy=REMEDY)]) from error
    return read_law(given, part, "law")
