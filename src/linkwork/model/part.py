"""What a mechanism asks of everything in it: a word, a name, its laws, its values, its points. Knows no kind.

A kind of part is a frozen dataclass that says which of its fields are what; `families.py` lists the kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from linkwork.errors import Ref
from linkwork.symbolic import Expr

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

set_field = object.__setattr__  # how a frozen object fills itself at birth


class Part:
    """Something in a mechanism: a part, a connection, a force, an event.

    WORD     what messages call one: with its name this is how it is addressed, spring 'AB'
    NAME     the field (or property) that is its name
    UNIQUE   whether a name is given once in a family
    LAWS     fields that may depend on the motion: a law, or a tuple of them (components along x, y, z)
    VALUES   fields over parameters only: expressions, or tuples and maps of them
    POINTS   fields that name points: one, or a tuple
    PLACES   whether points exist by being named here
    TIES     whether it ties its points without taking freedoms, as a spring does
    """

    __slots__ = ()

    WORD: ClassVar[str]
    NAME: ClassVar[str] = "name"
    UNIQUE: ClassVar[bool] = True
    LAWS: ClassVar[tuple[str, ...]] = ()
    VALUES: ClassVar[tuple[str, ...]] = ()
    POINTS: ClassVar[tuple[str, ...]] = ()
    PLACES: ClassVar[bool] = False
    TIES: ClassVar[bool] = False

    @property
    def ref(self) -> Ref:
        """What it is, for messages and for finding its line."""
        return Ref(self.WORD, getattr(self, self.NAME))

    @property
    def ends(self) -> tuple[str, ...]:
        """The points it names."""
        return tuple([point for field in self.POINTS for point in _listed(getattr(self, field))])

    def laws(self) -> Iterator[tuple[str, Expr]]:
        """What may depend on the motion, with what messages call it."""
        for field in self.LAWS:
            given = getattr(self, field)
            if isinstance(given, Expr):
                yield field, given
            else:
                yield from zip((f"{axis} component" for axis in "xyz"), given, strict=False)

    def values(self) -> Iterator[Expr]:
        """What depends on parameters only."""
        return _flatten(getattr(self, field) for field in self.VALUES)

    def works(self, mechanism: Mechanism) -> Iterable[tuple[Expr, Expr]]:
        """The forces it brings: pairs of a law and the flow that it works on (a law of speeds); their power is f·v."""
        return ()

    def with_laws(self, change: Callable[[Expr], Expr]) -> Self:
        """The same with other laws."""
        return self._with(self.LAWS, change)

    def renamed(self, name: Callable[[str], str]) -> Self:
        """The same with other names for points."""
        return self._with(self.POINTS, name)

    def _with(self, fields: Iterable[str], change: Callable[[Any], Any]) -> Self:
        new = {}
        for field in fields:
            old = getattr(self, field)
            new[field] = tuple(map(change, old)) if isinstance(old, tuple) else change(old)
        return replace(self, **new) if new else self  # type: ignore[type-var]


def _listed(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def _flatten(given: Iterable[Any]) -> Iterator[Expr]:
    for each in given:
        if isinstance(each, Expr):
            yield each
        else:
            yield from _flatten(each.values() if isinstance(each, Mapping) else each)
