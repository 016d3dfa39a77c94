"""Units by name, found when somebody asks for them; of x' they are those of x by time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from linkwork.symbolic.units import read_unit, write_unit


def find_unit(units: Mapping[str, str], name: str) -> str:
    """The unit of a name, with as many primes as it has; nothing if it is not known.

    >>> find_unit({"x": "m"}, "x''")
    'm/s²'
    """
    plain = name.rstrip("'")
    unit, primes = units.get(plain, ""), len(name) - len(plain)
    return write_unit(read_unit(f"{unit}/s^{primes}")) if unit and primes else unit


class Units(Mapping[str, str]):
    """Units that are found once, when the first of them is asked for; a copy by pickle has them.

    >>> Units(lambda: {"l": "m"})["l"]
    'm'
    """

    def __init__(self, find: Callable[[], Mapping[str, str]]) -> None:
        self._find = find
        self._found: dict[str, str] | None = None

    def _all(self) -> Mapping[str, str]:
        if self._found is None:
            self._found = dict(self._find())
        return self._found

    def __getitem__(self, name: str) -> str:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __reduce__(self) -> tuple[type[dict[str, str]], tuple[Mapping[str, str]]]:
        return dict, (self._all(),)
