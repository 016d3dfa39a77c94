"""Values of a system given by energies that belong to the same instant as its forces: names in, inputs of laws out.

    theta''            the acceleration of a coordinate
    rod.force          the force along a constraint, a velocity constraint or a stop
    v                  a variable given by an equation
    drag(theta')       a call of an opaque function

In laws they are inputs of the same names, whose numbers are found wherever forces are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from linkwork.errors import show_line
from linkwork.model.algebra import Implicit
from linkwork.model.opaque import Call, find_calls, order_calls
from linkwork.model.signals import input_symbol
from linkwork.symbolic import ZERO, Expr, Symbol, free_symbols, substitute, symbol

Change = Callable[[Expr], Expr]
SIGN = ".force"


class Found:
    """The values that laws may name, and those of them that they do name.

    known   what names and symbols stand for
    calls   of opaque functions, over the symbols of the system
    """

    def __init__(
        self, coordinates: Iterable[str], constraints: Iterable[str], implicits: Mapping[str, Implicit]
    ) -> None:
        self.implicits = implicits
        second = [f"{name}''" for name in coordinates]
        forces = [f"{name}{SIGN}" for name in constraints]
        self.known = {name: input_symbol(name) for name in (*second, *forces, *implicits)}
        self.meaning: dict[Expr, Expr] = {symbol(name, kind="acceleration"): input_symbol(name) for name in second}
        self.calls: dict[str, Call] = {}
        self._used: set[str] = set()

    def knows(self, s: Symbol) -> bool:
        """Whether a symbol is that of one of them."""
        return s.kind == "input" and (s.name in self.known or s.name in self.calls)

    def take(self, law: Expr, read: Change) -> Expr:
        """A law with values as inputs; `read` makes arguments of calls those of the system."""
        calls = find_calls(free_symbols(law))
        for call in calls:
            if call.name not in self.calls:
                arguments = tuple(self.take(read(x), read) for x in call.arguments)
                self.calls[call.name] = replace(call, arguments=arguments)
        named: dict[Expr, Expr] = {symbol(call.name): input_symbol(call.name) for call in calls}
        found = substitute(law, named | self.meaning) if named or free_symbols(law) & self.meaning.keys() else law
        self._used |= {s.name for s in free_symbols(found) if s.kind == "input"} & self.known.keys()
        return found

    def reread(self, read: Change) -> str:
        """Put what variables mean into arguments of calls; returns what is wrong with them, in words."""
        ordered, circle = order_calls(replace(x, arguments=tuple(map(read, x.arguments))) for x in self.calls.values())
        self.calls = {call.name: call for call in ordered}
        return circle

    def settled(self, settle: Change) -> dict[str, Any]:
        """The values in use with their first numbers, equations and calls, with what states stand for."""
        used = {name: ZERO for name in self.known if name in self._used and name not in self.implicits}
        calls = tuple(replace(x, arguments=tuple(map(settle, x.arguments))) for x in self.calls.values())
        return {
            "algebra": {**used, **{name: x.guess for name, x in self.implicits.items()}},
            "implicits": {name: x.with_law(settle) for name, x in self.implicits.items()},
            "opaque": calls,
        }


def name_constraints(*given: object) -> list[str]:
    """What constraints are called that are given by name, in a list, or alone."""
    found: list[str] = []
    for letter, several in zip("gh", given, strict=True):
        if isinstance(several, Mapping):
            found += (show_line(str(name)) for name in several)
        elif not callable(several):
            count = len(list(several)) if isinstance(several, Iterable) and not isinstance(several, str | Expr) else 1
            found += [f"{letter}{i}" for i in range(1, count + 1)]
    return found
