"""Initial values: guesses of positions and velocities, some fixed. Knows not how a start is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from linkwork.model.convert import Scalar, as_expr
from linkwork.model.part import set_field
from linkwork.symbolic import Expr


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Guess:
    """One initial value: exact if `fixed`, otherwise a starting point for the search of a consistent state.

    >>> Guess(value="l/2", fixed=True).value
    l/2
    """

    value: Expr
    fixed: bool

    def __init__(self, *, value: Scalar, fixed: bool = False) -> None:
        set_field(self, "value", as_expr(value))
        set_field(self, "fixed", fixed)


Start: TypeAlias = Scalar | Guess


def fix(value: Scalar) -> Guess:
    """An initial value the search of a consistent start must not change.

    >>> fix(1).fixed
    True
    """
    return Guess(value=value, fixed=True)


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class InitialValues:
    """The time span, and guesses by point (positions, velocities) and by part with a torque (angles, rates).

    `states` are values with which first-order states start, instead of their own. A point that is not mentioned is free
    to be found. Without `tend` the caller says how long to simulate.

    >>> InitialValues(tend=10, positions={"A": (fix(1), 0)}).positions["A"][0].fixed
    True
    """

    t0: Expr
    tend: Expr | None
    positions: Mapping[str, tuple[Guess, ...]]
    velocities: Mapping[str, tuple[Guess, ...]]
    angles: Mapping[str, Guess]
    rates: Mapping[str, Guess]
    states: Mapping[str, Expr]

    def __init__(
        self,
        *,
        t0: Scalar = 0,
        tend: Scalar | None = None,
        positions: Mapping[str, Iterable[Start]] | None = None,
        velocities: Mapping[str, Iterable[Start]] | None = None,
        angles: Mapping[str, Start] | None = None,
        rates: Mapping[str, Start] | None = None,
        states: Mapping[str, Scalar] | None = None,
    ) -> None:
        set_field(self, "t0", as_expr(t0))
        set_field(self, "tend", None if tend is None else as_expr(tend))
        set_field(self, "positions", {name: _guesses(values) for name, values in (positions or {}).items()})
        set_field(self, "velocities", {name: _guesses(values) for name, values in (velocities or {}).items()})
        set_field(self, "angles", {name: _guess(value) for name, value in (angles or {}).items()})
        set_field(self, "rates", {name: _guess(value) for name, value in (rates or {}).items()})
        set_field(self, "states", {name: as_expr(value) for name, value in (states or {}).items()})

    def renamed(self, name: Callable[[str], str]) -> InitialValues:
        """The same with other names for points."""
        positions = {name(point): values for point, values in self.positions.items()}
        velocities = {name(point): values for point, values in self.velocities.items()}
        return replace(self, positions=positions, velocities=velocities)


def _guess(value: Start) -> Guess:
    return value if isinstance(value, Guess) else Guess(value=value)


def _guesses(values: Iterable[Start]) -> tuple[Guess, ...]:
    return tuple([_guess(value) for value in values])
