"""Which formalism makes the motion of a mechanism: a description in, the name of one and why out.

`auto` takes what is faster, by what benchmarks/formalisms.py measures on all examples: in the plane two points carry a
body with four numbers and a constant mass matrix, and shared points join for nothing; in space three points have nine
numbers, three distances to keep and a mass matrix that changes, a pose has six numbers and a constant one.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwork.equations.formulas import FormulaList
from linkwork.equations.parts.pose import choose_homes
from linkwork.equations.posed_algebra import check_reactions
from linkwork.errors import InputError, Problem, did_you_mean, show_value
from linkwork.given import is_word
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.settings import FORMULATIONS


@dataclass(frozen=True, slots=True)
class Formulation:
    """A formalism, and the reason to take it, in words."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}" if self.reason else self.name


def check_formulation(given: object) -> None:
    """Raise an error in words unless it is the name of a formulation, or None."""
    if given is not None and not is_word(given, FORMULATIONS):
        what = f"{show_value(given)} is no formulation"
        hint = did_you_mean(given, FORMULATIONS)
        raise InputError([Problem(part="Formulation", what=what, remedy=hint or "Use points, absolute, tree or auto")])


def choose_formulation(m: Mechanism | Lagrangian, wanted: str | None = None) -> Formulation:
    """The formalism that is wanted, by the caller or by the description, or else the faster one."""
    if isinstance(m, Lagrangian):
        return Formulation("lagrangian", "given by its Lagrangian")
    asked = wanted or m.settings.formulation or "auto"
    check_formulation(asked)
    check_reactions(m)
    if asked == "points":
        return Formulation("points", "as asked")
    if asked == "auto" and m.dimension == 2:
        return Formulation("points", "in the plane they are faster")
    homes = choose_homes(m, FormulaList(m.values))
    bodies = len(homes)
    if not bodies:
        return Formulation("points", "no body with inertia of its own")
    if asked == "absolute":
        return Formulation("absolute", f"as asked, {_count(bodies)} by their poses")
    if asked == "tree":
        return Formulation("tree", f"as asked, {_count(bodies)} by their joints")
    return Formulation("absolute", f"{_count(bodies)} in space")


def _count(bodies: int) -> str:
    return "1 body" if bodies == 1 else f"{bodies} bodies"
