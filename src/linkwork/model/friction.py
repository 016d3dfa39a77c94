"""Dry friction: a force against a relative speed that holds until it is overcome.

It slides with the force `limit` against the speed, or sticks: then the speed stays zero, by whatever force that takes,
until this exceeds `hold`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linkwork.errors import show_line
from linkwork.model.convert import Scalar
from linkwork.model.laws import as_law, at_rest
from linkwork.model.part import Part, set_field
from linkwork.symbolic import Expr, symbol

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Friction(Part):
    """Friction against a relative speed (of a point, slide, length or angle, or a formula linear in speeds).

    limit   force or torque while it slides [N, Nm], never negative: mu*N
    hold    the largest with which it sticks; `limit` if left out
    contact whether it was made for a rigid contact

    `sliding` names an input that tells what it does: 1 and -1 for sliding forwards and backwards, 0 for sticking.

    >>> Friction(name="brake", speed="OA.omega", limit="mu*N*r").sliding
    'brake_sliding'
    """

    WORD = "friction"
    LAWS = ("speed", "limit", "hold", "force")

    name: str
    speed: Expr
    limit: Expr
    hold: Expr
    force: Expr
    contact: bool

    def __init__(
        self, *, name: str, speed: Scalar, limit: Scalar, hold: Scalar | None = None, force: Expr | None = None
    ) -> None:
        set_field(self, "name", show_line(name))
        set_field(self, "speed", as_law(speed))
        set_field(self, "limit", as_law(limit))
        set_field(self, "hold", self.limit if hold is None else as_law(hold))
        set_field(self, "force", -symbol(self.sliding) * self.limit if force is None else force)
        set_field(self, "contact", False)

    @property
    def sliding(self) -> str:
        """The input that tells which way it slides."""
        return f"{self.name}_sliding"

    def of_contact(self) -> Friction:
        """The same, made for a contact."""
        made = copy(self)
        set_field(made, "contact", True)
        return made

    def with_laws(self, change: Callable[[Expr], Expr]) -> Friction:
        """The same with other laws."""
        laws = {key: change(getattr(self, key)) for key in self.LAWS}
        made = Friction(name=self.name, **laws)
        return made.of_contact() if self.contact else made

    def works(self, mechanism: Mechanism) -> Iterable[tuple[Expr, Expr]]:
        """The force while it slides; what it is driven by, as a belt, works on its own account."""
        return [(self.force, self.speed - at_rest(self.speed))]
