"""A mechanism between the instants of its sampled controllers, and what these do there. Linear models in and out.

    ẋ = r + A δx + B δh                  between instants the inputs h that controllers hold stay
    h⁺ = y + C δx + D δh                 at an instant: what is read first, then answers and memory by what was read

All changes δ are those from the point, and all maps are matrices over (x, h, answers on their way, inputs, 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy.linalg import expm

from linkwork.analysis.linear.linearize import Task, Wanted
from linkwork.analysis.linear.model import Linear
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.words import Vocabulary, Wording
from linkwork.errors import ExpressionError, InputError, Problem, SolveError
from linkwork.model import Lagrangian, Mechanism, Scalar
from linkwork.model.sampled import Sampled
from linkwork.solve.mode import Mode
from linkwork.solve.sampling import NEAR

FINEST = 1000  # of the ratio of two periods: denominators that are tried,
ALIKE = 1e-9  # and how near to such a ratio they are
MOST = 10_000  # instants of one round


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A sampled controller in numbers: where its laws are among the outputs of the plant."""

    one: Sampled
    period: float
    offset: float
    reads: range
    outputs: range
    memory: range

    @property
    def slots(self) -> int:
        """How many answers can be on their way."""
        return math.ceil(self.one.delay)

    @property
    def late(self) -> float:
        """How long after an instant an answer arrives, where none does at the instant."""
        return (self.one.delay - self.slots + 1) * self.period if self.slots else 0.0

    @property
    def arrives_between(self) -> bool:
        """Whether answers arrive between instants."""
        return self.slots > 0 and self.one.delay != self.slots

    @property
    def held(self) -> tuple[str, ...]:
        """The inputs that it reads, remembers and sets."""
        return tuple(dict.fromkeys([*self.one.read_names, *(name for name, _ in self.one.memory), *self.one.targets]))

    @property
    def waiting(self) -> list[str]:
        """The answers on their way, the newest first."""
        return [f"{self.one.name}_{target}_{j + 1}" for j in range(self.slots) for target in self.one.targets]


def check_formulas(model: Mechanism | Lagrangian, what: str) -> None:
    """Refuse controllers into which nobody can look."""
    calls = [one for one in model.controllers if one.call is not None]
    if calls:
        words, remedy = "it is a function, into which nobody can look", f"Give it `outputs`, formulas, for {what}"
        raise InputError([Problem(ref=one.ref, what=words, remedy=remedy) for one in calls])


class Plant:
    """A mechanism with its sampled controllers at a point: `linear` has what they hold as its first inputs."""

    def __init__(self, model: Mechanism | Lagrangian, mode: Mode, wanted: Wanted, where: str = "") -> None:
        self.model, self.mode = model, mode
        self.controls, laws = _read_laws(model, mode.system)
        self.held = tuple(dict.fromkeys(name for control in self.controls for name in control.held))
        whole = replace(wanted, inputs=[*self.held, *wanted.inputs], outputs=[*laws, *wanted.outputs])
        self.linear: Linear = Task(model, mode, whole, still=True).linear(where)
        self.laws = len(laws)
        self.x = len(self.linear.names)
        queue = [name for control in self.controls for name in control.waiting]
        self.names = (*self.linear.names, *self.held, *queue)
        self.place = {name: self.x + i for i, name in enumerate((*self.held, *queue))}
        inputs = mode.whole.inputs_in(mode.q)
        self.values = {name: float(inputs[list(mode.whole.inputs).index(name)]) for name in self.held}

    @property
    def size(self) -> int:
        """The number of all states, of the mechanism and of controllers."""
        return len(self.names)

    @property
    def width(self) -> int:
        """States, inputs, and 1."""
        return self.size + len(self.linear.inputs) - len(self.held) + 1

    def advance(self, seconds: float) -> Floats:
        """What goes on between instants."""
        found, n, x, h = np.eye(self.width), self.linear, self.x, len(self.held)
        if not seconds > 0.0:
            return found
        k = x + n.B.shape[1] + 1
        generator = np.zeros((k, k))
        generator[:x, :x], generator[:x, x : k - 1], generator[:x, k - 1] = n.A, n.B, n.rates
        moved = expm(generator * seconds)[:x]
        found[:x, : x + h], found[:x, self.size :] = moved[:, : x + h], moved[:, x + h :]
        return found

    def look(self, row: int, known: Floats | None = None) -> Floats:
        """An output of the plant as a row; with what is known of what controllers hold, as rows."""
        n, x, h = self.linear, self.x, len(self.held)
        found = np.zeros(self.width)
        found[:x], found[self.size : -1], found[-1] = n.C[row], n.D[row, h:], n.y[row]
        by = n.D[row, :h]
        found += by @ (np.eye(self.width)[x : x + h] if known is None else known)
        return found

    def sample(self, asked: Iterable[Control], arriving: Iterable[Control]) -> Floats:
        """What controllers do that are asked, or whose answers arrive, at one instant; all see what was before."""
        found = np.eye(self.width)
        for control in arriving:
            for target in control.one.targets:
                found[self.place[target]] = self._unit(f"{control.one.name}_{target}_{control.slots}")
        for control in asked:
            self._ask(control, found)
        return found

    def _unit(self, name: str) -> Floats:
        return np.asarray(np.eye(self.width)[self.place[name]])

    def _ask(self, control: Control, found: Floats) -> None:
        one, h = control.one, len(self.held)
        known = np.eye(self.width)[self.x : self.x + h]
        for name, row in zip(one.read_names, control.reads, strict=False):
            known[self.held.index(name)] = found[self.place[name]] = self._change(name, self.look(row))
        answers = {t: self._change(t, self.look(r, known)) for t, r in zip(one.targets, control.outputs, strict=True)}
        for (name, _), row in zip(one.memory, control.memory, strict=True):
            found[self.place[name]] = self._change(name, self.look(row, known))
        for j in range(control.slots - 1, 0, -1):
            for target in one.targets:
                found[self.place[f"{one.name}_{target}_{j + 1}"]] = self._unit(f"{one.name}_{target}_{j}")
        for target, answer in answers.items():
            found[self.place[f"{one.name}_{target}_1" if control.slots else target]] = answer

    def _change(self, name: str, row: Floats) -> Floats:
        """From the value of what is held to its change."""
        row = row.copy()
        row[-1] -= self.values[name]
        return row

    # -- rounds -------------------------------------------------------------------------------------------------------

    @property
    def period(self) -> float:
        """After how long all controllers do the same again."""
        first = self.controls[0]
        ratios = [self._ratio(control, first) for control in self.controls]
        common = Fraction(math.lcm(*(r.numerator for r in ratios)), math.gcd(*(r.denominator for r in ratios)))
        if sum(common / r for r in ratios) > MOST:
            raise SolveError(f"the periods of the controllers repeat together after {float(common):g} periods only")
        return float(common) * first.period

    def _ratio(self, control: Control, first: Control) -> Fraction:
        exact = control.period / first.period
        near = Fraction(exact).limit_denominator(FINEST)
        if not near or abs(float(near) - exact) > ALIKE * exact:
            names = f"'{first.one.name}' and '{control.one.name}'"
            told = f"the periods of controllers {names}, {first.period:g} and {control.period:g} s, never meet"
            raise SolveError(f"{told}: together they have no model in discrete time. Change one of them")
        return near

    def round(self) -> Floats:
        """What happens in one period, from just before an instant of the first controller on."""
        period, now, found = self.period, 0.0, np.eye(self.width)
        for time, asked, arriving in self._instants(period):
            found = self.sample(asked, arriving) @ self.advance(time - now) @ found
            now = time
        return np.asarray(self.advance(period - now) @ found)

    def _instants(self, period: float) -> Iterator[tuple[float, list[Control], list[Control]]]:
        """When somebody is asked or an answer arrives, in order."""
        begin = self.controls[0].offset
        happening = list[tuple[float, bool, Control]]()
        for control in self.controls:
            for j in range(round(period / control.period)):
                time = (control.offset - begin + j * control.period) % period
                happening.append((time, True, control))
                if control.slots:
                    after = (time + control.late) % period if control.arrives_between else time
                    happening.append((after, False, control))
        close = NEAR * min(control.period for control in self.controls)
        at_begin = [(0.0 if period - time <= close else time, ask, control) for time, ask, control in happening]
        group, now = list[tuple[bool, Control]](), 0.0
        for time, ask, control in sorted(at_begin, key=lambda each: each[0]):
            if group and time - now > close:
                yield now, [c for asks, c in group if asks], [c for asks, c in group if not asks]
                group = []
            now = now if group else time
            group.append((ask, control))
        yield now, [c for asks, c in group if asks], [c for asks, c in group if not asks]


def _read_laws(model: Mechanism | Lagrangian, system: System) -> tuple[list[Control], list[Wording]]:
    """All controllers, and their laws as outputs."""
    words, laws, found = Vocabulary(model, system), list[Wording](), list[Control]()

    def read(one: Sampled, given: Iterable[Scalar]) -> range:
        first = len(laws)
        for each in given:
            try:
                laws.append(words.read("reads", each))
            except ExpressionError as error:
                raise InputError([Problem(ref=one.ref, what=error.what, remedy=error.remedy)]) from None
        return range(first, len(laws))

    for one in model.controllers:
        reads = read(one, (text or law for text, law in zip(one.texts, one.reads, strict=True)))
        outputs, memory = read(one, (law for _, law in one.outputs)), read(one, (law for _, law in one.memory))
        period, offset = model.compute(one.period), model.compute(one.offset)
        found.append(Control(one=one, period=period, offset=offset, reads=reads, outputs=outputs, memory=memory))
    return found, laws
