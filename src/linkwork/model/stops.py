"""Stops: what a mechanism runs against. A gap that cannot become negative, or a speed that cannot.

A stop lies open until its gap closes; what happens then is an impact with restitution, after which it opens again or
stays closed as long as it is pressed on. A ratchet is a stop of a speed: it lets things turn one way.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from linkwork.errors import InputError, Problem, Ref, show_line
from linkwork.model.convert import Scalar
from linkwork.model.laws import as_law
from linkwork.model.part import Part, set_field
from linkwork.symbolic import ZERO, Expr


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Stop(Part):
    """Something that is never negative: a gap (of positions), or the speed of a ratchet.

    restitution  relative speed after an impact over that before, 0 to 1; may depend on the speed
    contact      whether it was made for a rigid contact of the same name

    >>> Stop(name="floor", gap="A.y - r", restitution=0.8).level
    'gap'
    >>> Stop(name="pawl", speed="OA.omega").level
    'speed'
    """

    WORD = "stop"
    LAWS = ("law", "restitution")

    name: str
    level: str
    law: Expr
    restitution: Expr
    contact: bool

    def __init__(
        self, *, name: str, gap: Scalar | None = None, speed: Scalar | None = None, restitution: Scalar = 0
    ) -> None:
        given = [("gap", gap), ("speed", speed)]
        levels = [(level, law) for level, law in given if law is not None]
        if len(levels) != 1:
            what, remedy = "it needs a gap or a speed, not both", "Give a gap of positions, or the speed of a ratchet"
            raise InputError([Problem(ref=Ref("stop", name), what=what, remedy=remedy)])
        ((level, law),) = levels
        set_field(self, "name", show_line(name))
        set_field(self, "level", level)
        set_field(self, "law", as_law(law))
        set_field(self, "restitution", as_law(restitution))
        set_field(self, "contact", False)
        if level == "speed" and self.restitution != ZERO:
            what = "a ratchet has no restitution"
            raise InputError([Problem(ref=Ref("stop", name), what=what, remedy="Leave it out, or give a gap")])

    @property
    def text(self) -> str:
        """Its law as a person would write it."""
        return f"{self.name}.gap" if self.contact else str(self.law)

    def with_laws(self, change: Callable[[Expr], Expr]) -> Stop:
        """The same with other laws."""
        made = Stop(name=self.name, restitution=change(self.restitution), **{self.level: change(self.law)})
        return made.of_contact() if self.contact else made

    def of_contact(self) -> Stop:
        """The same, made for a contact."""
        made = copy(self)
        set_field(made, "contact", True)
        return made
