"""What is given to a tree, read: names, units, lists, and what names in texts mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.errors import ExpressionError
from linkwork.model.found import SIGN
from linkwork.model.functions import as_result
from linkwork.model.signals import input_symbol
from linkwork.model.tree.bodies import rate_symbol
from linkwork.symbolic import Expr, symbol
from linkwork.symbolic.units import read_unit
from linkwork.vectors import VectorError
from linkwork.vectors.quantity import kind_of, name_of

if TYPE_CHECKING:
    from linkwork.model.tree.tree import Tree

TIME = symbol("t", kind="time")

Given = Any  # a number, a text, an expression


class Names(dict[str, Expr]):
    """What names in texts mean: coordinates, speeds, time; anything else is a parameter, which is thereby known."""

    def __init__(self, tree: Tree) -> None:
        super().__init__({"t": TIME})
        self.update({v.name: expr for v, expr in tree.chosen.items()})
        self.update({name: input_symbol(name) for name in tree.implicits})
        self.update({name: input_symbol(name) for name in tree.inputs})
        self.update(tree.called)
        self._tree = tree
        self._bodies = 0  # whose freedoms are known

    def grow(self) -> None:
        """Know the freedoms of bodies that are new, but for names that mean something else."""
        bodies = self._tree.bodies
        while self._bodies < len(bodies):
            for freedom in bodies[self._bodies].freedoms:
                speeds = freedom.speed, rate_symbol(freedom.coordinate)
                rates = [symbol(f"{s.name}'", kind="acceleration") for s in speeds]
                for s in (freedom.coordinate, *speeds, *rates):
                    self.setdefault(s.name, s)
            self._bodies += 1

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Expr:
        if name.endswith(SIGN):
            return input_symbol(name)  # of a constraint or stop, which a model knows
        return self._tree.used.setdefault(name, symbol(name))


def traced(function: Callable[..., Any], names: tuple[str, ...], arguments: tuple[Expr, ...]) -> list[Expr]:
    """The outputs of a function of expressions."""
    try:
        made = function(*arguments)
    except TypeError as error:
        what = f"the function of {', '.join(names)} does not work with expressions: {error}"
        raise ExpressionError(what, "Use functions of linkwork, or opaque=True") from None
    found = [*made] if isinstance(made, Sequence) else [made]
    if len(found) != len(names):
        raise ExpressionError(f"{len(found)} outputs for {', '.join(names)}", "Name each of them")
    return [as_result(name, x) for name, x in zip(names, found, strict=True)]


def as_name(name: Any, what: str) -> str:
    """A text that is not empty."""
    if isinstance(name, str) and name.strip():
        return name
    raise VectorError(f"{name_of(name)}, a {kind_of(name)}, is no name of {what}", "Give a text")


def as_unit(unit: Any, what: str) -> str:
    """A text that can be read as a unit, or nothing."""
    if not isinstance(unit, str):
        raise VectorError(f"{what}: {name_of(unit)}, a {kind_of(unit)}, is no unit", "Give a text such as N*m/rad")
    try:
        read_unit(unit)
    except ExpressionError as error:
        raise VectorError(f"{what}: {error.what}", error.remedy) from None
    return unit


def by_name(given: Any, what: str) -> dict[str, Any]:
    """What belongs to which name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise VectorError(f"{what}: {name_of(given)} does not say what belongs to which name", "Write {name: value}")
    found = {as_name(name, what): value for name, value in given.items()}
    if "t" in found:
        raise VectorError(f"{what}: t is the time", "Give it another name")
    return found


def listed(given: Any, what: str) -> tuple[Any, ...]:
    if isinstance(given, Iterable):
        return tuple(given)
    raise VectorError(f"{what}: {name_of(given)}, a {kind_of(given)}, is no list", "Write a list")
