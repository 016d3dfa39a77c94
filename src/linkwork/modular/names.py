"""Names of a module's variables and what they stand for in formulas: texts in, expressions over typed symbols out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from linkwork.errors import ExpressionError, InputError, Problem, Ref, did_you_mean, show_value
from linkwork.given import as_list
from linkwork.model.functions import RESERVED
from linkwork.model.lagrangian import no_word
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, as_expr, free_symbols, substitute, symbol
from linkwork.symbolic.parse import parse

TIME = symbol("t", kind="time")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}'?")
LABEL = re.compile(r"[A-Za-z0-9_]{1,60}")
FOLLOWING = {"coordinate": "speed", "speed": "acceleration"}


def refuse(part: str, what: str, remedy: str) -> InputError:
    """The error about a part of a module."""
    return InputError([Problem(part=part, what=what, remedy=remedy)])


def rate_of(s: Symbol) -> Expr:
    """The rate of a symbol that nothing is said about: x' of x, x'' of x'; 1 of time, 0 of a parameter."""
    following = FOLLOWING.get(s.kind)
    if following is not None:
        return symbol(f"{s.name}'", kind=following)
    return ONE if s.kind == "time" else ZERO


def acceleration(speed: Symbol) -> Symbol:
    """The rate of a speed."""
    return symbol(f"{speed.name}'", kind="acceleration")


def as_label(given: Any) -> str:
    """A label, which becomes part of names."""
    if isinstance(given, str | int) and not isinstance(given, bool) and LABEL.fullmatch(str(given)):
        return str(given)
    raise refuse("label", f"{show_value(given)} is no label", "Use letters, digits and _")


def listed(given: Any, part: str) -> list[str]:
    """Names from a text with spaces or a list."""
    names = given.replace(",", " ").split() if isinstance(given, str) else as_list(given or (), Ref(part))
    return [as_variable(name, part) for name in names]


def as_variable(given: Any, part: str) -> str:
    """The name of a variable."""
    if not isinstance(given, str) or not NAME.fullmatch(given):
        raise refuse(part, f"{show_value(given)} is no name", "Use letters, digits and _, with ' for a rate")
    if given == TIME.name:
        raise refuse(part, "t is the time", "Choose another name")
    if given.rstrip("'") in RESERVED:
        raise refuse(part, f"the name {given} is built in", "Choose another name")
    return given


def as_formula(given: Any, part: str) -> Expr:
    """A number, text or expression as an expression."""
    try:
        return parse(given) if isinstance(given, str) else as_expr(given)
    except ExpressionError as error:
        raise refuse(part, error.what, error.remedy or "Check the formula") from None
    except TypeError:
        raise refuse(part, f"{show_value(given)} is no formula", "Give a text") from None


def as_formulas(given: Any, part: str, count: int | None = None) -> tuple[Expr, ...]:
    """Several of them; so many if that is said."""
    found = tuple(as_formula(e, part) for e in as_list(given, Ref(part), remedy="Write a list of formulas"))
    if count is not None and len(found) != count:
        raise refuse(part, f"{len(found)} components", f"Give {count}")
    return found


def as_symbols(given: Any, part: str) -> list[Symbol]:
    """Symbols, such as the coordinates of a module."""
    found = as_list(given, Ref(part), remedy="Write a list of symbols")
    for s in found:
        if not isinstance(s, Symbol):
            remedy = "Give symbols: module.coordinates, module.speeds, or linkwork.symbolic.symbol(...)"
            raise refuse(part, f"{show_value(s)} is no symbol", remedy)
    return found


Find = Callable[[str], Expr | None]  # what else a name stands for


class Names:
    """The variables that formulas of a module may name; every other name is a parameter."""

    def __init__(
        self, symbols: Iterable[Symbol], short: Mapping[str, Expr], part: str, find: Find | None = None
    ) -> None:
        self.part, self.symbols, self.find = part, tuple(symbols), find or no_word
        self.known: dict[str, Expr] = {**{s.name: s for s in self.symbols}, **short, "t": TIME}
        self._plain: dict[Expr, Expr] = {symbol(name): s for name, s in self.known.items()}

    def read(self, given: Any, what: str) -> Expr:
        """A number, text or expression as an expression."""
        found = as_formula(given, f"{self.part}: {what}")
        found = substitute(found, {s: e for s in free_symbols(found) if (e := self._meaning(s)) is not None})
        for s in sorted(free_symbols(found), key=lambda s: s.name):
            if s.kind == "parameter" and ("." in s.name or s.name.endswith("'")):
                remedy = did_you_mean(s.name, self.known) or f"There are: {', '.join(self.known)}"
                raise refuse(f"{self.part}: {what}", f"no variable named '{s.name}'", remedy)
        return found

    def _meaning(self, s: Symbol) -> Expr | None:
        """What a symbol of a formula stands for, unless it is meant as it is."""
        if s in self._plain:
            return self._plain[s]
        return self.find(s.name) if s.kind == "parameter" and "." in s.name else None
