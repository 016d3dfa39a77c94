"""Signals: what a mechanism computes besides its motion. Variables name formulas, states have rates.

    variables   error = target - OA.angle              an alias, usable in every law
    states      X' = d(motion, states, time)           a controller, a filter, a charge, a temperature
    inputs      w, a number that is held                until something from outside changes it

In laws the name of a state stands for its value and X' for its rate. Here names become what they stand for, so that
nobody else needs to know variables; states and inputs are left as symbols of their own kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from linkwork.errors import Problem, Ref
from linkwork.given import as_part
from linkwork.model.convert import Scalar, as_value
from linkwork.model.laws import read_law
from linkwork.model.part import Part, set_field
from linkwork.model.values import find_cycles, in_order
from linkwork.symbolic import Expr, Symbol, free_symbols, substitute, symbol

LARGEST_SCALE = 1e15  # beyond it an error that is small beside the scale is larger than anything that moves
SMALLEST_SCALE = 1e-75  # below it squares of the scale leave the range of floats


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class State(Part):
    """A quantity with a given rate: dX/dt = rate, a law that may name states, X itself among them.

    `scale` is the size by which its errors are judged.

    >>> State(name="X", rate="(OA.omega - X)/tau", start=0.2).start
    0.2
    """

    WORD = "state"
    LAWS = ("rate",)
    VALUES = ("start", "scale")

    name: str
    rate: Expr
    start: Expr
    scale: Expr

    def __init__(self, *, name: str, rate: Scalar, start: Scalar = 0, scale: Scalar = 1) -> None:
        part = as_part(self.WORD, name)
        set_field(self, "name", name)
        set_field(self, "rate", read_law(rate, part, "rate"))
        set_field(self, "start", as_value(start, part, "start"))
        set_field(self, "scale", as_value(scale, part, "scale"))


class Signals:
    """The meaning of names in laws.

    formulas  of variables and of the rates X', by their symbols; they may name each other in any order
    values    what the symbols of states and inputs become
    """

    def __init__(self, formulas: Mapping[Symbol, Expr], values: Mapping[Symbol, Expr]) -> None:
        by_name = {s.name: s for s in formulas}
        needs = {s.name: sorted(x.name for x in free_symbols(law) if x in formulas) for s, law in formulas.items()}
        self.meaning: dict[Expr, Expr] = {s: value for s, value in values.items()}  # noqa: C416 - of wider type
        for name in in_order(needs):
            self.meaning[by_name[name]] = self.expand(formulas[by_name[name]])
        self.problems = [_circular(cycle) for cycle in find_cycles(needs)]

    def expand(self, law: Expr) -> Expr:
        """A law without variables and rates."""
        used: dict[Expr, Expr] = {s: self.meaning[s] for s in free_symbols(law) if s in self.meaning}
        return substitute(law, used) if used else law


def _circular(cycle: list[str]) -> Problem:
    name = cycle[0]
    part = Ref("state", name[:-1]) if name.endswith("'") else Ref("variable", name)
    path = f": {' -> '.join([*cycle[:7], name])}" if len(cycle) > 1 else ""
    return Problem(ref=part, what=f"depends on itself{path}", remedy="Break the circle")


Meanings = Callable[[Iterable[Symbol]], Mapping[Symbol, Expr]]


def signals_in_laws(
    variables: Mapping[str, Expr],
    states: Iterable[State],
    inputs: Iterable[str],
    meanings: Meanings,
    laws: Iterable[Expr] = (),
) -> Signals:
    """Those of a mechanism, whose laws name everything by plain symbols; `meanings` are those of joints and bodies."""
    given = tuple(states)
    used = free_symbols(*laws, *variables.values(), *(state.rate for state in given))
    rates = {symbol(f"{state.name}'"): state.rate for state in given}
    formulas = {symbol(name): law for name, law in variables.items()} | rates
    formulas |= meanings(sorted(used, key=lambda s: s.name))
    values = {symbol(state.name): state_symbol(state.name) for state in given}
    return Signals(formulas, values | {symbol(name): input_symbol(name) for name in inputs})


def state_symbol(name: str) -> Symbol:
    """The symbol of a state in a law."""
    return symbol(name, kind="state")


def input_symbol(name: str) -> Symbol:
    """The symbol of an input in a law."""
    return symbol(name, kind="input")


def integral_name(state: str) -> str:
    """What the coordinate is called whose speed is a state."""
    return f"∫{state}"


def integral_speed(state: str) -> Symbol:
    """The symbol of a state as a speed."""
    return symbol(f"{integral_name(state)}'", kind="speed")


def rate_row(state: str) -> str:
    """What the constraint is called that gives a coordinate the rate of a state."""
    return f"rate_{state}"


def states_in(law: Expr) -> list[str]:
    """The states a law depends on."""
    return sorted(s.name for s in free_symbols(law) if s.kind == "state")


def inputs_in(law: Expr) -> list[str]:
    """The inputs a law depends on."""
    return sorted(s.name for s in free_symbols(law) if s.kind == "input")
