"""Names of a module's variables and what they stand for in formulas: texts in, expressions over typed symbols out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from linkwork.errors import ExpressionError, InputError, Problem, did_you_mean, show_value
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
    names = given.replace(",", " ").split() if isinstance(given, str) else list(given or ())
    for name in names:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise refuse(part, f"{show_value(name)} is no name", "Use letters, digits and _, with ' for a rate")
    return names


class Names:
    """The variables that formulas of a module may name; every other name is a parameter."""

    def __init__(self, symbols: Iterable[Symbol], short: Mapping[str, Expr], part: str) -> None:
        self.part, self.symbols = part, tuple(symbols)
        self.known: dict[str, Expr] = {**{s.name: s for s in self.symbols}, **short, "t": TIME}
        self._plain: dict[Expr, Expr] = {symbol(name): s for name, s in self.known.items()}

    def read(self, given: Any, what: str) -> Expr:
        """A number, text or expression as an expression."""
        try:
            found = parse(given) if isinstance(given, str) else as_expr(given)
        except ExpressionError as error:
            raise refuse(f"{self.part}: {what}", error.what, error.remedy) from None
        except TypeError:
            raise refuse(f"{self.part}: {what}", f"{show_value(given)} is no formula", "Give a text") from None
        found = substitute(found, {s: self._plain[s] for s in free_symbols(found) if s in self._plain})
        for s in sorted(free_symbols(found), key=lambda s: s.name):
            if s.kind == "parameter" and ("." in s.name or s.name.endswith("'")):
                remedy = did_you_mean(s.name, self.known) or f"There are: {', '.join(self.known)}"
                raise refuse(f"{self.part}: {what}", f"no variable named '{s.name}'", remedy)
        return found
