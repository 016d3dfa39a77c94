"""Algebraic values: numbers in laws that belong to the same instant as the forces they make.

    pin.fx  pin.fy  pin.force            force of a joint on its second part; its size
    pin.tx  pin.torque                   torque of a joint about its point there; its size (in the plane signed)
    OA.A.fx  OA.A.force                  force on a part at one of its points
    rail.force                           force along the formula of a relation, a velocity constraint or a stop
    A.ax  OA.omega'  guide.speed'        accelerations: the rates of speeds

and variables that are given by equations. They depend on the accelerations and multipliers, which depend on forces,
which may depend on them: a loop, solved wherever forces are needed. In laws they are inputs of the same names. Knows
nothing of how a formalism finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from linkwork.errors import Ref
from linkwork.model.convert import Scalar, as_value
from linkwork.model.laws import (
    ACCELERATIONS,
    FORCES,
    SIZES,
    TORQUES,
    law_rate,
    quantities,
    quantity_or_word,
    read_law,
    speeds_in,
)
from linkwork.model.part import set_field
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, add, free_symbols, less, select, sqrt, symbol

if TYPE_CHECKING:
    from linkwork.model.joints.words import Words


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Implicit:
    """A variable given by an equation: the number, near the guess, for which a formula vanishes.

    >>> Implicit(formula="v + v**3 - A.x").guess
    0
    """

    formula: Expr
    guess: Expr

    def __init__(self, *, formula: Scalar, guess: Scalar = 0) -> None:
        set_field(self, "formula", read_law(formula, Ref("variable"), "implicit"))
        set_field(self, "guess", as_value(guess, Ref("variable"), "guess"))

    def with_law(self, change: Callable[[Expr], Expr]) -> Implicit:
        """The same with another formula."""
        return replace(self, formula=change(self.formula))


def split_implicits(variables: Any, known: Mapping[str, Implicit]) -> tuple[Any, dict[str, Implicit]]:
    """Variables that are formulas, and those that are given by equations."""
    given = variables if isinstance(variables, Mapping) else {}
    solved = {name: x for name, x in given.items() if isinstance(x, Implicit) and isinstance(name, str)}
    plain = {name: x for name, x in given.items() if name not in solved} if solved else variables
    return plain, {**known, **solved}


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction by its name: `what` of a joint or a formula, or of a part at one of its points (`of`, `point`)."""

    of: str
    point: str
    what: str


def find_reaction(name: str, words: Words) -> Reaction | None:
    """The component of a reaction that a name stands for; in the plane a torque has but one, that of a formula, too."""
    of, _, what = name.rpartition(".")
    if words.owns(name):
        return None
    single = ("force",) if of in words.formulas else ("torque",) if words.dimension == 2 else TORQUES
    if not of or what not in (*(FORCES if of not in words.formulas else ()), *single):
        return None
    owner, _, point = of.partition(".")
    return Reaction(owner, point, what)


def find_size(name: str, words: Words) -> Expr | None:
    """What the size of a force, or in space of a torque, is by its components; with no slope where it is zero."""
    of, _, what = name.rpartition(".")
    if not of or what not in SIZES or words.owns(name) or find_reaction(name, words) is not None:
        return None
    square = add(*(symbol(f"{of}.{component}") ** 2 for component in SIZES[what][: words.dimension]))
    there = less(ZERO, square)
    return select(there, sqrt(select(there, square, ONE)), ZERO)


def find_speed(name: str, words: Words) -> Expr | None:
    """The law of speeds whose rate a name stands for, if it stands for an acceleration.

    A name with primes is an acceleration if it has so many that it is one: A.vx', A.x''.
    """
    plain = name.rstrip("'")
    of, _, what = plain.rpartition(".")
    primes = len(name) - len(plain)
    if what in ACCELERATIONS and not primes and not words.owns(name):
        plain, primes = f"{of}.{ACCELERATIONS[what]}", 1
    if not of or not primes:
        return None
    meant = words.meaning(plain)
    law = quantity_or_word(plain) if meant is None else meant
    if not quantities(law):
        return None
    return (law if primes == 1 else None) if speeds_in(law) else law_rate(law) if primes == 2 else None


def list_algebraic(symbols: Iterable[Symbol], words: Words) -> list[str]:
    """The names among some symbols that are those of components of reactions, and of accelerations."""
    named = {s.name for s in symbols if "." in s.name}
    sizes = [words.meaning(name) for name in named if name.rpartition(".")[2] in SIZES]
    named |= {s.name for size in sizes if size is not None for s in free_symbols(size)}
    return [n for n in sorted(named) if find_reaction(n, words) is not None or find_speed(n, words) is not None]
