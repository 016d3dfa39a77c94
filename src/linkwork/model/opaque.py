"""Opaque functions: numbers in, a number out, and nobody knows how. Calls of them in laws are values of their own.

A call such as `drag(A.vx, A.vy)` stands in laws as a symbol; what it is a call of, and of which laws, is remembered by
its name. Its number is found anew wherever forces are needed.
"""

from __future__ import annotations

import ctypes
import inspect
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

from linkwork.errors import ExpressionError, InputError, Problem, Ref
from linkwork.symbolic import Expr, Number, Symbol, as_expr, free_symbols, symbol

MOST_ARGUMENTS = 8  # as in opaque.h
STEP = 6e-6  # of an argument: differences over this have their errors of truncation and of rounding alike
NAME_BYTES = 8  # of names of calls: of a million in one process no two are alike
POINTER: Any = ctypes.CFUNCTYPE(None).__bases__[0]  # what all functions of C are
FORM = "Give argtypes of c_double and restype c_double, or a Python function of numbers"


_heard = threading.local()  # who listens, in each thread


@contextmanager
def listen() -> Iterator[list[str]]:
    """What goes wrong meanwhile in calls of this thread, in order."""
    before = getattr(_heard, "troubles", [])
    _heard.troubles = found = list[str]()
    try:
        yield found
    finally:
        _heard.troubles = before


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A function of numbers.

    call      in Python
    native    the same as a function of C; `is_c`: it was one from the beginning
    derivatives  by each argument, functions of the same; none: differences stand for them
    trouble   what went wrong in its last call, if anything did
    """

    name: str
    count: int
    call: Callable[..., float]
    is_c: bool = False
    derivatives: tuple[Callable[..., float], ...] = ()
    trouble: list[str] = field(default_factory=list)
    native: Any = field(init=False)

    def __post_init__(self) -> None:
        kind = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * self.count)
        object.__setattr__(self, "native", self.call if self.is_c else kind(self.compute))

    def compute(self, *values: float) -> float:
        """The value; not a number if the function fails, and `trouble` says why."""
        return self._ask(self.call, values, f"function '{self.name}'")

    def _ask(self, call: Callable[..., float], values: tuple[float, ...], what: str) -> float:
        try:
            found = float(call(*values))
        except Exception as error:
            words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._tell(f"{what} failed with {', '.join(f'{x:g}' for x in values)}: {words}")
            return math.nan
        if not math.isfinite(found):
            shown = ", ".join(f"{x:g}" for x in values)
            self._tell(f"{what} gives {found:g} for {shown}")
        return found

    def _tell(self, words: str) -> None:
        self.trouble[:] = [words]
        getattr(_heard, "troubles", []).append(words)

    def slopes(self, *values: float) -> list[float]:
        """Its derivatives by its arguments: those that were declared, or else differences."""
        if self.derivatives:
            what = f"a derivative of function '{self.name}'"
            return [self._ask(derivative, values, what) for derivative in self.derivatives]
        found = []
        for i, x in enumerate(values):
            step = STEP * (abs(x) + 1.0)
            up, down = (self.compute(*values[:i], x + d, *values[i + 1 :]) for d in (step, -step))
            found.append((up - down) / (2 * step))
        return found

    def slope(self, i: int, *values: float) -> float:
        """Its derivative by one argument."""
        return self.slopes(*values)[i]

    def __reduce__(self) -> tuple[Any, ...]:
        return Opaque, (self.name, self.count, self.call, self.is_c, self.derivatives)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call of an opaque function in laws, by the name that it has there."""

    name: str
    function: Opaque
    arguments: tuple[Expr, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return note_call, (self.name, self.function, self.arguments)


_calls: dict[str, Call] = {}
_called: dict[str, list[Opaque]] = {}  # functions that are called, by name


def _number(function: Opaque) -> int:
    """Which of the functions of its name it is, so that names of calls are the same in all processes."""
    same = _called.setdefault(function.name, [])
    if function not in same:
        same.append(function)
    return same.index(function)


def note_call(name: str, function: Opaque, arguments: tuple[Expr, ...]) -> Call:
    """Remember what the name of a call means."""
    return _calls.setdefault(name, Call(name, function, arguments))


def make_opaque(name: str, definition: Any, derivatives: Any = ()) -> Opaque:
    """An opaque function from one of Python, of C (ctypes), or of numba (cfunc), with derivatives that are known."""
    part = Ref("function", name)
    given = getattr(definition, "ctypes", definition)  # numba's know themselves as functions of C
    if isinstance(given, POINTER):
        kinds = [*(given.argtypes or ()), given.restype]
        if len(kinds) < 2 or any(kind is not ctypes.c_double for kind in kinds):
            what = "it is not known as a function of numbers"
            raise InputError([Problem(ref=part, what=what, remedy=FORM)])
        count, is_c = len(kinds) - 1, True
    else:
        count, is_c = _count_arguments(part, definition), False
    if not 1 <= count <= MOST_ARGUMENTS:
        what = f"it has {count} arguments"
        raise InputError([Problem(ref=part, what=what, remedy=f"Use 1 to {MOST_ARGUMENTS}")])
    known = (derivatives,) if callable(derivatives) else tuple(derivatives)
    if known and (len(known) != count or not all(map(callable, known))):
        what = f"it has {count} arguments, and derivatives by {len(known)}"
        raise InputError([Problem(ref=part, what=what, remedy="Give a function of all arguments for each of them")])
    return Opaque(name, count, given if is_c else definition, is_c, known)


def _count_arguments(part: Ref, definition: Any) -> int:
    try:
        parameters = inspect.signature(definition).parameters.values()
    except (TypeError, ValueError):
        what, remedy = "it does not tell how many arguments it has", "Give lambda x, y: f(x, y)"
        raise InputError([Problem(ref=part, what=what, remedy=remedy)]) from None
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len([p for p in parameters if p.kind in plain and p.default is inspect.Parameter.empty])


def make_call(function: Opaque, arguments: tuple[Expr, ...]) -> Expr:
    """What a call stands for in a law: its number if it has one, else a symbol of its own."""
    if len(arguments) != function.count:
        what = f"the number of values for {function.name} is {len(arguments)}"
        raise ExpressionError(what, f"It takes {function.count}")
    given = tuple(as_expr(x) for x in arguments)
    if all(isinstance(x, Number) for x in given):
        value = function.compute(*(float(x) for x in given))
        if not math.isfinite(value):
            raise ExpressionError("; ".join(function.trouble) or f"{function.name} has no value", "")
        return as_expr(value)
    # two tables may be called alike, so that texts of arguments may mean different things
    text = f"{_number(function)} " + "; ".join(f"{x.key:x}" for x in given)
    name = f"{function.name}_{blake2b(text.encode(), digest_size=NAME_BYTES).hexdigest()}"
    return symbol(note_call(name, function, given).name)


class _Several:
    """A function of several outputs, called once for all of them: its last arguments and what it made of them."""

    def __init__(self, definition: Callable[..., Any], count: int) -> None:
        self.definition, self.count = definition, count
        self.last: tuple[tuple[float, ...], tuple[float, ...]] | None = None

    def output(self, number: int, *values: float) -> float:
        """One of the outputs."""
        if self.last is None or self.last[0] != values:
            found = self.definition(*values)
            several = isinstance(found, Iterable) or self.count > 1  # one output may come as it is
            made = tuple(float(x) for x in (found if several else (found,)))
            if len(made) != self.count:
                raise ValueError(f"it returned {len(made)} values instead of {self.count}")
            self.last = values, made
        return self.last[1][number]


def make_calls(definition: Callable[..., Any], outputs: tuple[str, ...], arguments: tuple[Expr, ...]) -> list[Expr]:
    """What each output of a function of numbers with several outputs stands for in laws."""
    several = _Several(definition, len(outputs))
    functions = [Opaque(name, len(arguments), partial(several.output, i)) for i, name in enumerate(outputs)]
    return [make_call(function, arguments) for function in functions]


def find_calls(used: Iterable[Symbol]) -> tuple[Call, ...]:
    """The calls among some symbols, and those that their arguments need, these first."""
    found: dict[str, Call] = {}

    def visit(name: str) -> None:
        call = _calls.get(name)
        if call is None or name in found:
            return
        for s in sorted(free_symbols(*call.arguments), key=lambda s: s.name):
            visit(s.name)
        found[name] = call

    for s in sorted(used, key=lambda s: s.name):
        visit(s.name)
    return tuple(found.values())


def label_calls(calls: Iterable[Call]) -> dict[str, str]:
    """Calls as people write them, by the names that they have in laws; each stands behind those that it needs."""
    found: dict[str, str] = {}
    for call in calls:
        found[call.name] = f"{call.function.name}({', '.join(relabel(str(law), found) for law in call.arguments)})"
    return found


def relabel(text: str, labels: Mapping[str, str]) -> str:
    """A text with calls as people write them."""
    for name, label in labels.items():
        text = text.replace(name, label)
    return text


def order_calls(calls: Iterable[Call]) -> tuple[tuple[Call, ...], str]:
    """Calls, each behind those that its arguments need, and what is wrong with the rest, in words."""
    left = {call.name: call for call in calls}
    asked = {name: {s.name for s in free_symbols(*x.arguments)} & left.keys() for name, x in left.items()}
    found: dict[str, Call] = {}
    while free := [name for name in left if asked[name] <= found.keys()]:
        found |= {name: left.pop(name) for name in free}
    circle = next((f"'{x.function.name}' is called with what it returns" for x in left.values()), "")
    return tuple(found.values()), circle
