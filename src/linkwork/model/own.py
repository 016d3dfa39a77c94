"""What is known of equations beside what moves them, derived when somebody asks: in speeds of their own, and M.

    M (u̇ + shift) + bias = loads and q̇ by u, with what they share

Trees of bodies have them; they are shorter than the same in the rates of coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from linkwork.symbolic import Expr, Symbol


@dataclass(frozen=True, kw_only=True)
class OwnEquations:
    """The equations, by number of the speed; one for each coordinate.

    definitions  the speeds by coordinates and their rates q'
    rates        q̇ by coordinate
    mass         the lower triangle of M
    shared       what the formulas share, by name, each over those before it
    """

    definitions: Mapping[str, Expr]
    rates: tuple[Expr, ...]
    mass: Mapping[tuple[int, int], Expr]
    shift: tuple[Expr, ...]
    bias: tuple[Expr, ...]
    loads: tuple[Expr, ...]
    shared: Mapping[Symbol, Expr]


class Mass(Mapping[tuple[str, str], Expr]):
    """The lower triangle of M by pairs of coordinates, derived when first looked into; a copy by pickle has it."""

    def __init__(self, derive: Callable[[], Mapping[tuple[str, str], Expr]]) -> None:
        self._derive: Callable[[], Mapping[tuple[str, str], Expr]] | None = derive
        self._entries: Mapping[tuple[str, str], Expr] = {}

    @property
    def entries(self) -> Mapping[tuple[str, str], Expr]:
        """The entries, derived once."""
        if self._derive is not None:
            self._entries, self._derive = self._derive(), None
        return self._entries

    def __getitem__(self, pair: tuple[str, str]) -> Expr:
        return self.entries[pair]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __reduce__(self) -> tuple[type[dict[tuple[str, str], Expr]], tuple[dict[tuple[str, str], Expr]]]:
        return dict, (dict(self.entries),)


class Own:
    """Equations that are derived when somebody asks for them; a copy by pickle has them.

    whole   the same before small terms were neglected, if any were
    """

    def __init__(
        self,
        derive: Callable[[], OwnEquations] | None,
        equations: OwnEquations | None = None,
        whole: Own | None = None,
    ) -> None:
        self._derive, self._equations, self.whole = derive, equations, whole

    @property
    def equations(self) -> OwnEquations:
        """The equations, derived once."""
        if self._equations is None:
            assert self._derive is not None
            self._equations = self._derive()
        return self._equations

    def __reduce__(self) -> tuple[type[Own], tuple[None, OwnEquations, Own | None]]:
        return Own, (None, self.equations, self.whole)
