"""Many models that differ in values: columns of values in, models and their motions out, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import InputError, LinkworkError, Problem, SolveError, StartError, did_you_mean, show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.revalue import Members
from linkwork.results import Trajectory
from linkwork.solve import Progress


class Runnable(Protocol):
    """What can be simulated."""

    @property
    def simulate(self) -> Callable[..., Trajectory]:
        """What makes its motion."""


M = TypeVar("M", bound=Runnable)


class Bound(Sequence[M], Generic[M]):
    """A mechanism with many sets of values: as many models, each made when it is asked for.

    All values are checked at once; what is wrong is said with the number of the member, counted from 0.
    """

    def __init__(
        self, columns: Mapping[str, Floats], members: Members[Any], make: Callable[[Mechanism | Lagrangian], M]
    ) -> None:
        self.columns, self._members, self._make = columns, members, make
        self._numbers: Sequence[int] = range(len(members))
        problems = [p for i, error in members.find_errors() for p in self._problems(i, error.problems)]
        if problems:
            raise InputError(problems)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, i: int) -> M: ...
    @overload
    def __getitem__(self, i: slice) -> list[M]: ...
    def __getitem__(self, i: int | slice) -> M | list[M]:
        try:
            found = self._numbers[i]
        except TypeError:
            remedy = f"Give a number: there are {len(self)}, counted from 0"
            raise LinkworkError(f"{show_value(i)} is no number of a member. {remedy}") from None
        except IndexError:
            raise IndexError(f"there are {len(self)} members, counted from 0") from None
        if isinstance(found, int):
            return self._make(self._members[found])
        return [self._make(self._members[k]) for k in found]

    def simulate(
        self, until: float | None = None, *, progress: Progress | None = None, **options: Any
    ) -> list[Trajectory]:
        """The motions of all members, with the options that a model's `simulate` has.

        `progress` is called with the share of members that are done; an error says which member it is about.
        """
        motions: list[Trajectory] = []
        for i in self._numbers:
            try:
                motions.append(self[i].simulate(until, **options))
            except LinkworkError as error:
                raise self._named(i, error) from None
            if progress is not None:
                progress((i + 1) / len(self))
        return motions

    def _named(self, i: int, error: LinkworkError) -> LinkworkError:
        """The error, with the member it is about."""
        words = f"{self._name(i)}: {error}"
        if isinstance(error, InputError):
            return InputError(self._problems(i, error.problems))
        if isinstance(error, StartError):
            return StartError(words, error.closest, error.conflict, error.parts)
        return SolveError(words, error.motion) if isinstance(error, SolveError) else type(error)(words)

    def _problems(self, i: int, problems: Iterable[Problem]) -> list[Problem]:
        return [replace(p, part=": ".join(filter(None, (self._name(i), p.part)))) for p in problems]

    def _name(self, i: int) -> str:
        values = ", ".join(f"{name} = {column[i]:g}" for name, column in self.columns.items())
        return f"member {i} ({values})"

    def __repr__(self) -> str:
        return f"Bound({len(self)} models, by {', '.join(self.columns)})"


def read_columns(given: Any, known: Iterable[str]) -> tuple[dict[str, Floats], int]:
    """Columns of numbers, all of one length, and that length; a number alone is the same for all."""
    remedy = "Give {parameter: values}, as many values of each, or one for all"
    if not isinstance(given, Mapping) or len(given) == 0:
        raise InputError([Problem(part="bind", what=f"{show_value(given)} is no mapping of columns", remedy=remedy)])
    names, problems, columns = list(known), list[Problem](), dict[str, Floats]()
    for name, values in given.items():
        try:
            columns[name] = np.array(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            problems.append(
                Problem(part=f"column '{name}'", what=f"{show_value(values)} are no numbers", remedy=remedy)
            )
            continue
        if name not in names:
            problems.append(Problem(what=f"no parameter named '{name}'", remedy=did_you_mean(name, names)))
        elif columns[name].ndim > 1:
            problems.append(Problem(part=f"column '{name}'", what="it is a table, not a column", remedy=remedy))
    lengths = {name: len(column) for name, column in columns.items() if column.ndim == 1}
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{length} of {name}" for name, length in lengths.items())
        problems.append(Problem(part="bind", what=f"columns of different lengths: {words}", remedy=remedy))
    if problems:
        raise InputError(problems)
    count = next(iter(lengths.values()), 1)
    return {name: np.broadcast_to(column, count) for name, column in columns.items()}, count
