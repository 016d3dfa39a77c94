"""Sampled controllers: asked at instants, with measured values; what they answer is held until the next.

    offset + k·period            reads are measured, the answer is found
    offset + (k + delay)·period  the answer is held from here on

What is read, remembered and set are inputs of the mechanism: numbers that are held, so that all of it is part of every
state of a motion. So are NAME_count, the number of instants so far, and answers that are still on their way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

from linkwork.errors import InputError, Problem, Ref, show_line, show_value
from linkwork.given import as_list, as_map, as_names, as_number, as_part
from linkwork.model.convert import Scalar, as_value
from linkwork.model.laws import read_law
from linkwork.model.part import Part, set_field
from linkwork.symbolic import ZERO, Expr

Named: TypeAlias = tuple[tuple[str, Expr], ...]
WAYS = "Give outputs={'tau': formula}, or call=function with reads=[...] and sets=[...]"
FORM = 'Write reads=["OA.angle", "OA.omega"]'
OF_RESULTS = ("''", "lam_")  # what a text has in it that names accelerations or multipliers
MOST_DELAY = 1000  # periods


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Sampled(Part):
    """A controller that is asked every `period` seconds, from `offset` on.

    reads     what is measured, by names of its own: {"y": "OA.angle"}; a list if nobody else needs the names
    outputs   formulas of what it sets (inputs), and `memory` of what it remembers: of the state at the instant, of what
              is read, and of what was remembered and set before
    call      or a function of the time and of what is read that gives what it `sets`: a number, several, or a mapping
    quantum   the steps in which values are read and set, by name
    delay     periods until what it gives is set, whole or not

    >>> Sampled(name="servo", period=0.01, reads={"y": "OA.angle"}, outputs={"tau": "-k*y"}, delay=1.5).held
    ('y', 'tau', 'servo_count', 'servo_tau_1', 'servo_tau_2')
    """

    WORD = "controller"
    VALUES = ("period", "offset", "quantum")

    name: str
    period: Expr
    offset: Expr
    delay: float
    read_names: tuple[str, ...]
    reads: tuple[Expr, ...]
    texts: tuple[str, ...]
    outputs: Named
    memory: Named
    sets: tuple[str, ...]
    quantum: Mapping[str, Expr]
    call: Callable[..., Any] | None

    def __init__(
        self,
        name: str,
        *,
        period: Scalar,
        offset: Scalar = 0,
        delay: float = 0.0,
        reads: Mapping[str, Scalar] | Iterable[Scalar] = (),
        outputs: Mapping[str, Scalar] | None = None,
        memory: Mapping[str, Scalar] | None = None,
        sets: Iterable[str] = (),
        quantum: Mapping[str, Scalar] | None = None,
        call: Callable[..., Any] | None = None,
    ) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", show_line(name))
        set_field(self, "period", as_value(period, part, "period"))
        set_field(self, "offset", as_value(offset, part, "offset"))
        set_field(self, "delay", as_number(delay, part, "Give the number of periods, whole or not"))
        self._take_reads(part, reads)
        for key, given in (("outputs", outputs), ("memory", memory)):
            laws = as_map(given, part, key)
            set_field(self, key, tuple([(each, read_law(law, part, f"{key} {each}")) for each, law in laws.items()]))
        set_field(self, "sets", (sets,) if isinstance(sets, str) else as_names(sets, part, "sets"))
        steps = as_map(quantum, part, "quantum")
        set_field(self, "quantum", {each: as_value(x, part, f"quantum {each}") for each, x in steps.items()})
        set_field(self, "call", None if call is None else _as_call(call, part))
        self._check(part)

    def _take_reads(self, part: Ref, reads: Any) -> None:
        """Laws, or texts where they name what laws cannot: accelerations and multipliers."""
        named = dict(reads) if isinstance(reads, Mapping) else {}
        given = [*named.values()] if isinstance(reads, Mapping) else as_list(reads, part, "reads", FORM)
        texts = [x if isinstance(x, str) and any(mark in x for mark in OF_RESULTS) else "" for x in given]
        laws = [ZERO if text else read_law(x, part, "reads") for x, text in zip(given, texts, strict=True)]
        set_field(self, "read_names", as_names([*named], part, "reads"))
        set_field(self, "reads", tuple(laws))
        set_field(self, "texts", tuple(texts))

    def _check(self, part: Ref) -> None:
        if (self.call is None) == (not self.outputs) or (self.call is None) == bool(self.sets):
            raise InputError([Problem(ref=part, what="it is not said what it sets, or twice", remedy=WAYS)])
        if not 0.0 <= self.delay <= MOST_DELAY:
            what = f"a delay of {self.delay:g} periods is out of range"
            raise InputError([Problem(ref=part, what=what, remedy=f"Use 0 to {MOST_DELAY}")])

    # -- what is held ---------------------------------------------------------------------------------------------

    @property
    def targets(self) -> tuple[str, ...]:
        """The inputs that it sets."""
        return self.sets or tuple(name for name, _ in self.outputs)

    @property
    def count(self) -> str:
        """The input that counts its instants."""
        return f"{self.name}_count"

    def waiting(self, k: int) -> tuple[str, ...]:
        """The inputs in which the answer of instant k waits to be set."""
        slots = math.ceil(self.delay)
        return tuple(f"{self.name}_{target}_{k % slots + 1}" for target in self.targets) if slots else ()

    @property
    def held(self) -> tuple[str, ...]:
        """All inputs that are its own."""
        waiting = [name for k in range(math.ceil(self.delay)) for name in self.waiting(k)]
        own = [*self.read_names, *(name for name, _ in self.memory), *self.targets, self.count, *waiting]
        return tuple(dict.fromkeys(own))

    # -- as a part ------------------------------------------------------------------------------------------------

    def laws(self) -> Iterator[tuple[str, Expr]]:
        """What may depend on the motion."""
        yield from (("reads", law) for law in self.reads)
        for key, laws in (("outputs", self.outputs), ("memory", self.memory)):
            yield from ((f"{key} {name}", law) for name, law in laws)

    def with_laws(self, change: Callable[[Expr], Expr]) -> Sampled:
        """The same with other laws."""
        new = copy(self)
        set_field(new, "reads", tuple(map(change, self.reads)))
        for key, laws in (("outputs", self.outputs), ("memory", self.memory)):
            set_field(new, key, tuple([(name, change(law)) for name, law in laws]))
        return new


def _as_call(given: Any, part: Ref) -> Callable[..., Any]:
    if callable(given):
        return given  # type: ignore[no-any-return]
    what, remedy = f"{show_value(given)} cannot be called", "Give a function of the time and of what it reads"
    raise InputError([Problem(ref=part, what=what, remedy=remedy)])
