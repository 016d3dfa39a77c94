"""Sampled controllers of an export: how many values each reads, remembers and sets, and where these are.

All that they hold are inputs: of one controller what it reads by name, remembers and sets, the number of its instants,
and the answers that are on their way. At instant k, offset + k period, reads are measured and rounded, the answer is
found by formulas or by a stub, rounded, and held from offset + (k + delay) period on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from linkwork.equations.words import Vocabulary
from linkwork.export.code import Plan
from linkwork.export.outputs import Seen, lower_words
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.sampled import Sampled
from linkwork.program import lower

NEAR = 1e-9  # of a period: instants so close together are one


class Controller(NamedTuple):
    """A controller.

    reads, named   how many values it reads, and how many of them, all or none, by names
    calls          whether it is a stub to be filled in
    slots          answers that may be on their way
    first_...      where its values begin: of what is read, held, of clocks and answers
    """

    name: str
    reads: int
    named: int
    memory: int
    targets: int
    slots: int
    calls: bool
    delay: float
    first_read: int
    first_held: int
    first_clock: int
    first_answer: int
    read_words: tuple[str, ...]
    target_names: tuple[str, ...]
    held: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """What it holds that others may want to see: no counts, nothing that is on its way."""
        return self.held[: self.named + self.memory + self.targets]

    def remarks(self, place: str, first: int) -> list[str]:
        """What is read and set, and where; a place of an array is written like this, the first of this number."""
        read = [f"read{place.format(i + first)}: {word}" for i, word in enumerate(self.read_words)]
        sets = [f"set{place.format(i + first)}: {word}" for i, word in enumerate(self.target_names)]
        return [f"controller {self.name}, asked at its instants", ", ".join(read), ", ".join(sets)]

    @property
    def numbers(self) -> tuple[int, ...]:
        """All whole numbers, in the order of NUMBERS."""
        return tuple(int(getattr(self, name)) for name in NUMBERS)


NUMBERS = (
    "reads", "named", "memory", "targets", "slots", "calls", "first_read", "first_held", "first_clock", "first_answer",
)  # fmt: skip


def list_controllers(mechanism: Mechanism | Lagrangian, calls: bool) -> list[Controller]:
    """The controllers of a mechanism; without `calls` only those that are formulas."""
    found, reads, held, clock, answer = list[Controller](), 0, 0, 0, 0
    for one in mechanism.controllers:
        if one.call is not None and not calls:
            continue
        slots, outputs = math.ceil(one.delay), 0 if one.call is not None else len(one.targets)
        found.append(
            Controller(
                name=one.name, reads=len(one.reads), named=len(one.read_names), memory=len(one.memory),
                targets=len(one.targets), slots=slots, calls=one.call is not None, delay=one.delay,
                first_read=reads, first_held=held, first_clock=clock, first_answer=answer,
                read_words=tuple(_say_reads(one)), target_names=one.targets, held=_list_held(one),
            )
        )  # fmt: skip
        reads += len(one.reads)
        held += len(found[-1].held)
        clock += 2 + len(one.reads) + len(one.targets)
        answer += outputs + len(one.memory)
    return found


def _list_held(one: Sampled) -> tuple[str, ...]:
    waiting = [name for k in range(math.ceil(one.delay)) for name in one.waiting(k)]
    return (*one.read_names, *(name for name, _ in one.memory), *one.targets, one.count, *waiting)


def _say_reads(one: Sampled) -> Iterator[str]:
    for text, law in zip(one.texts, one.reads, strict=True):
        yield text or str(law)


def plan_sampling(mechanism: Mechanism | Lagrangian, seen: Seen, controllers: list[Controller]) -> list[Plan]:
    """Periods, offsets and steps of rounding; what is read; what is answered and remembered by formulas."""
    words, f = Vocabulary(mechanism, seen.system, seen.fused.follows), seen.fused
    given = {one.name: one for one in mechanism.controllers}
    clocks, reads, answers = list[int](), list[int](), list[int]()
    for one in (given[c.name] for c in controllers):
        steps = [one.quantum.get(name) for name in (*(one.read_names or [""] * len(one.reads)), *one.targets)]
        clocks += [lower(f.b, x, f.symbols) if x is not None else f.b.zero for x in (one.period, one.offset, *steps)]
        laws = [text or law for text, law in zip(one.texts, one.reads, strict=True)]
        reads += [lower_words(seen, words.read("reads", law).expr) for law in laws]
        formulas = [law for _, law in (*one.outputs, *one.memory)]
        answers += [lower_words(seen, words.read("reads", law).expr) for law in formulas]
    arrays = {"clocks": clocks, "reads": reads, "answers": answers}
    return [Plan(name, [], {"z": nodes}) for name, nodes in arrays.items() if nodes]


def list_reads(mechanism: Mechanism | Lagrangian, seen: Seen) -> dict[str, int]:
    """What controllers read that are functions, by controller and words."""
    words, found = Vocabulary(mechanism, seen.system, seen.fused.follows), dict[str, int]()
    for one in (one for one in mechanism.controllers if one.call is not None):
        for text in _say_reads(one):
            found[f"{one.name} reads {text}"] = lower_words(seen, words.read("reads", text).expr)
    return found


def list_inner(mechanism: Mechanism | Lagrangian) -> set[str]:
    """What controllers that are functions hold that nobody else needs: counts, and what is on its way."""
    called = (one for one in mechanism.controllers if one.call is not None)
    return {
        name for one in called for name in _list_held(one)[len(one.read_names) + len(one.memory) + len(one.targets) :]
    }


def count_first(mechanism: Mechanism | Lagrangian, t: float) -> dict[str, float]:
    """The numbers of the first instants from a time on, by the inputs that count."""
    found = {}
    for one in mechanism.controllers:
        period, offset = mechanism.compute(one.period), mechanism.compute(one.offset)
        found[one.count] = float(max(0, math.ceil((t - offset) / period - NEAR)))
    return found
