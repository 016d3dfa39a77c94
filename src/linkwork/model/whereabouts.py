"""Where bodies are in space, how they move and what pulls at them, as formulas, found when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from linkwork.model.laws import AXES, PLACES, SPEEDS, SPINS
from linkwork.symbolic import Expr

Triple = tuple[Expr, ...]  # along x, y, z of space


class Whereabouts(NamedTuple):
    """The place and velocity of a body's origin, its axes one after the other, its angular velocity: all in space.

    Where known, the place of its mass centre and the body that it stands on.
    """

    place: Triple
    velocity: Triple
    axes: tuple[Triple, ...]
    spin: Triple
    centre: Triple = ()
    parent: str = ""

    def find(self, what: str) -> Expr | None:
        """What a word stands for that may follow the dot: "x", "vx", "xy" (the y component of the x axis), "wx"."""
        flat = tuple(component for axis in self.axes for component in axis)
        for words, values in ((PLACES, self.place), (SPEEDS, self.velocity), (AXES, flat), (SPINS, self.spin)):
            if what in words:
                return values[words.index(what)]
        return None


class Effort(NamedTuple):
    """A force at the origin of a frame and the moment about it, with how this moves and turns: all in space."""

    force: Triple
    moment: Triple
    velocity: Triple
    spin: Triple


T = TypeVar("T")


class Lookup(Mapping[str, T]):
    """Things by name, each found once; a copy by pickle has all of them."""

    def __init__(self, names: Iterable[str], find: Callable[[str], T]) -> None:
        self._known: dict[str, T | None] = dict.fromkeys(names)
        self._find = find

    def __getitem__(self, name: str) -> T:
        found = self._known[name]
        if found is None:
            found = self._known[name] = self._find(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __reduce__(self) -> tuple[type[dict[str, T]], tuple[dict[str, T]]]:
        return dict, (dict(self),)
