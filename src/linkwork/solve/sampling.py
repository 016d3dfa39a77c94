"""Sampled controllers in a run: a state at an instant in, the inputs that change there out.

All that they remember is among the inputs of the state; what the functions of people remember is their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.errors import ExpressionError, InputError, Problem, SolveError, show_value
from linkwork.given import find_number
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.sampled import Sampled
from linkwork.native.measure import Measure, Reader
from linkwork.results import Snapshot
from linkwork.results.names import find_words
from linkwork.symbolic import Expr

FINE = 2.0**52  # quanta that a float may hold; of more it cannot tell the next
NEAR = 1e-9  # of a period: instants so close together are one
History = dict[tuple[str, int], tuple[float, ...]]  # what functions answered, by controller and instant
State = tuple[Floats, Floats, Floats, Floats]  # q, u, a, λ


class Sampling:
    """The sampled controllers of a mechanism.

    `history` is filled with the answers of functions or, if it is complete, answers for them.
    """

    def __init__(
        self, mechanism: Mechanism | Lagrangian, system: System, history: History | None, replay: bool = False
    ) -> None:
        self.system, self.mechanism = system, mechanism
        self.each = [_Sampler(mechanism, system, one, history, replay) for one in mechanism.controllers]
        self.at = {name: i - len(system.inputs) for i, name in enumerate(system.inputs)}  # behind q
        self.quick = not any(one.deep for one in self.each)  # whether places and speeds are all that is read

    def begin(self, t: float, q: Floats) -> Floats:
        """The inputs at the start, where controllers begin to count; instants that have gone by are not made up for."""
        q = self.system.with_inputs(q, {})
        return self.system.with_inputs(q, {s.one.count: s.first(t, q) for s in self.each})

    def is_due(self, t: float, q: Floats) -> bool:
        """Whether something is to be done at a time."""
        return any(s.is_due(t, q) for s in self.each)

    def next(self, t: float, q: Floats) -> float:
        """The next instant after a time."""
        return min(s.next(t, q) for s in self.each)

    def act(self, t: float, state: State) -> dict[str, float]:
        """The inputs that change at an instant; SolveError in words if a controller fails."""
        q, u, a, _ = state
        if not self.quick:
            state = q, u, a, Snapshot(self.system, np.asarray(t), state, self.mechanism).lam
        changes: dict[str, float] = {}
        for s in self.each:
            changes |= s.act(t, state)
        return changes


class _Sampler:
    """One of them, with its numbers and ways to read."""

    def __init__(
        self, mechanism: Mechanism | Lagrangian, system: System, one: Sampled, history: History | None, replay: bool
    ) -> None:
        self.one, self.system, self.history, self.replay = one, system, history, replay
        self.period, self.offset = mechanism.compute(one.period), mechanism.compute(one.offset)
        self.quantum = {name: mechanism.compute(step) for name, step in one.quantum.items()}
        self.slots = math.ceil(one.delay)
        behind = {name: i - len(system.inputs) for i, name in enumerate(system.inputs)}
        self.at: Mapping[str, int] = behind
        self.deep = False
        given: list[Expr | str] = [text or law for text, law in zip(one.texts, one.reads, strict=True)]
        self.reads = [self._reader(mechanism, x) for x in given]
        self.outputs = [(name, self._reader(mechanism, law)) for name, law in one.outputs]
        self.memory = [(name, self._reader(mechanism, law)) for name, law in one.memory]
        if not replay and (reset := getattr(one.call, "reset", None)) is not None:
            self._guard(math.nan, reset)

    def _reader(self, mechanism: Mechanism | Lagrangian, given: Expr | str) -> Reader:
        try:
            expr = find_words(mechanism, self.system).read("reads", given).expr
        except ExpressionError as error:
            raise InputError([Problem(ref=self.one.ref, what=error.what, remedy=error.remedy)]) from None
        measure = Measure(self.system, expr, mechanism.values)
        self.deep |= not measure.used.isdisjoint({"multiplier", "acceleration"})
        return measure.make_reader()

    # -- when -----------------------------------------------------------------------------------------------------

    def time(self, k: float) -> float:
        """When instant k is; a product, so that rounding does not add up."""
        return self.offset + k * self.period

    def count(self, q: Floats) -> int:
        return int(q[self.at[self.one.count]])

    def first(self, t: float, q: Floats) -> float:
        """The number of the first instant from a start on; of a state in the middle of a motion it is known."""
        if count := self.count(q):
            return count
        return max(0, math.ceil((t - self.offset) / self.period - NEAR))

    def _arrivals(self, q: Floats) -> list[tuple[float, int]]:
        """When answers arrive that may be on their way, and their instants."""
        k = self.count(q)
        return [(self.time(j + self.one.delay), j) for j in range(max(0, k - self.slots), k)]

    def _is_now(self, when: float, t: float) -> bool:
        return abs(when - t) <= NEAR * self.period

    def is_due(self, t: float, q: Floats) -> bool:
        arrivals = [when for when, _ in self._arrivals(q)]
        return any(self._is_now(when, t) for when in (self.time(self.count(q)), *arrivals))

    def next(self, t: float, q: Floats) -> float:
        times = [self.time(self.count(q)), *(when for when, _ in self._arrivals(q))]
        return min((when for when in times if when > t and not self._is_now(when, t)), default=math.inf)

    # -- what -----------------------------------------------------------------------------------------------------

    def act(self, t: float, state: State) -> dict[str, float]:
        """What arrives now, and what is asked and answered."""
        q, k, one = state[0], self.count(state[0]), self.one
        changes: dict[str, float] = {}
        for when, j in self._arrivals(q):
            if self._is_now(when, t):
                changes |= {to: float(q[self.at[name]]) for to, name in zip(one.targets, one.waiting(j), strict=True)}
        if not self._is_now(self.time(k), t):
            return changes
        names = one.read_names or [""] * len(self.reads)
        measured = [self._round(name, read(t, *state)) for name, read in zip(names, self.reads, strict=True)]
        known = dict(zip(one.read_names, measured, strict=False))
        answer = self._ask(t, k, measured) if one.call is not None else self._compute(t, state, known)
        values = [self._round(name, value) for name, value in zip(one.targets, answer, strict=True)]
        changes |= known | dict(zip(one.waiting(k) or one.targets, values, strict=True))
        return {**changes, **self._remember(t, state, known), one.count: k + 1.0}

    def _round(self, name: str, value: float) -> float:
        """A value in the steps in which it is read or set; steps finer than its own rounding leave it as it is."""
        step = self.quantum.get(name)
        if step is None or not abs(value) < FINE * step:
            return value
        return step * math.floor(value / step + 0.5)

    def _with(self, state: State, known: Mapping[str, float]) -> State:
        q = state[0].copy()
        for name, value in known.items():
            q[self.at[name]] = value
        return q, *state[1:]

    def _compute(self, t: float, state: State, known: Mapping[str, float]) -> list[float]:
        now = self._with(state, known)
        return [self._check(t, name, read(t, *now)) for name, read in self.outputs]

    def _remember(self, t: float, state: State, known: Mapping[str, float]) -> dict[str, float]:
        now = self._with(state, known)
        return {name: self._check(t, name, read(t, *now)) for name, read in self.memory}

    def _ask(self, t: float, k: int, measured: list[float]) -> tuple[float, ...]:
        """What the function answers, now or when it was asked before."""
        key, call = (self.one.name, k), self.one.call
        if self.replay and self.history is not None and key in self.history:
            return self.history[key]
        assert call is not None
        answer = self._read_answer(t, *self._guard(t, lambda: self._list_answer(call(t, *measured))))
        if self.history is not None:
            self.history[key] = answer
        return answer

    def _guard(self, t: float, work: Callable[[], Any]) -> Any:
        """Whatever goes wrong in the function of somebody else is told with its name and the time."""
        try:
            return work()
        except Exception as error:
            words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            when = f" at t = {t:.9g}" if math.isfinite(t) else ""
            raise SolveError(f"controller '{self.one.name}' failed{when}: {words}") from error

    def _list_answer(self, answer: Any) -> tuple[Any, list[Any] | None]:
        """What is answered for all that it sets, by name, in order, or one alone; None if that is not what it is."""
        targets = self.one.targets
        if isinstance(answer, Mapping):
            return answer, [answer[name] for name in targets] if {*answer} == {*targets} else None
        listed = [answer] if isinstance(answer, str) or np.ndim(answer) == 0 else answer
        return answer, list(listed) if len(listed) == len(targets) else None

    def _read_answer(self, t: float, answer: Any, listed: list[Any] | None) -> tuple[float, ...]:
        if listed is None:
            raise self._nonsense(t, answer)
        return tuple(self._check(t, name, value) for name, value in zip(self.one.targets, listed, strict=True))

    def _check(self, t: float, name: str, value: Any) -> float:
        number = find_number(value)
        if number is None or not math.isfinite(number):
            words = f"controller '{self.one.name}' gives {show_value(value)} for {name} at t = {t:.9g}"
            raise SolveError(f"{words}, which is not a finite number")
        return number

    def _nonsense(self, t: float, answer: Any) -> SolveError:
        count = len(self.one.targets)
        wanted = f"{count} number{'s' * (count > 1)} ({', '.join(self.one.targets)})"
        return SolveError(
            f"controller '{self.one.name}' gives {show_value(answer)} at t = {t:.9g}. Let it return {wanted}"
        )


def find_sampling(
    mechanism: Mechanism | Lagrangian | None, system: System, history: History | None, replay: bool
) -> Sampling | None:
    """The sampled controllers of what moves, if there are any."""
    if mechanism is None or not mechanism.controllers:
        return None
    return Sampling(mechanism, system, history, replay)
