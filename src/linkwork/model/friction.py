"""Dry friction: a force against a relative speed that holds until it is overcome.

It slides with the force `limit` against the speed, or sticks: then the speed stays zero, by whatever force that takes,
until this exceeds `hold`. Of two speeds v at right angles their size counts, and the force is against both of them:

    F = −limit w/|w|,   w = v + |e|²/(|v|² + |e|²) e       |e| is next to nothing

where e is the way in which it began to slide. So the force has a direction where v is still zero, and is against that
way when v is zero again, as it is with one speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from linkwork.errors import InputError, Problem, show_line
from linkwork.model.convert import Scalar
from linkwork.model.laws import as_law, at_rest
from linkwork.model.part import Part, set_field
from linkwork.symbolic import Expr, sqrt, symbol
from linkwork.symbolic.vector import dot

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

Speeds = Scalar | Sequence[Scalar]
MOST = 2  # speeds


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class Friction(Part):
    """Friction against a relative speed (of a point, slide, length or angle, or a formula linear in speeds).

    speed   one, or two at right angles
    limit   force or torque while it slides [N, Nm], never negative: mu*N
    hold    the largest with which it sticks; `limit` if left out
    forces  while it slides, along the speeds
    watched what becomes zero where it may come to rest: the speed along the way in which it slides
    contact whether it was made for a rigid contact

    `sliding` names an input that tells what it does: 1 and -1 for sliding forwards and backwards, 0 for sticking; of
    two speeds 1 for sliding, and `leads` name the way in which it began.

    >>> Friction(name="brake", speed="OA.omega", limit="mu*N*r").sliding
    'brake_sliding'
    >>> Friction(name="floor", speed=["A.vx", "A.vy"], limit="mu*N").leads
    ('floor_lead_1', 'floor_lead_2')
    """

    WORD = "friction"

    name: str
    speeds: tuple[Expr, ...]
    limit: Expr
    hold: Expr
    forces: tuple[Expr, ...]
    watched: Expr
    contact: bool

    def __init__(
        self,
        *,
        name: str,
        speed: Speeds,
        limit: Scalar,
        hold: Scalar | None = None,
    ) -> None:
        set_field(self, "name", show_line(name))
        speeds = tuple(speed) if isinstance(speed, list | tuple) else (speed,)
        if not 1 <= len(speeds) <= MOST:
            remedy = "Give one, or two at right angles to each other"
            raise InputError([Problem(ref=self.ref, what=f"speed: {len(speeds)} speeds", remedy=remedy)])
        set_field(self, "speeds", tuple([as_law(x) for x in speeds]))
        set_field(self, "limit", as_law(limit))
        set_field(self, "hold", self.limit if hold is None else as_law(hold))
        set_field(self, "forces", tuple(self._slide()))
        along = [symbol(name) for name in self.leads]
        set_field(self, "watched", dot(self.speeds, along) if along else self.speeds[0])
        set_field(self, "contact", False)

    def _slide(self) -> Iterator[Expr]:
        """The forces while it slides."""
        force = -symbol(self.sliding) * self.limit
        if not self.leads:
            yield force
            return
        v, e = self.speeds, [symbol(name) for name in self.leads]
        little = dot(e, e)
        w = [x + little / (dot(v, v) + little) * y for x, y in zip(v, e, strict=True)]
        for x in w:
            yield force * x / sqrt(dot(w, w))

    @property
    def sliding(self) -> str:
        """The input that tells which way it slides."""
        return f"{self.name}_sliding"

    @property
    def leads(self) -> tuple[str, ...]:
        """The inputs that are the way in which it began to slide, as a speed next to nothing; one speed has none."""
        return tuple([f"{self.name}_lead_{i + 1}" for i in range(len(self.speeds))]) if len(self.speeds) > 1 else ()

    @property
    def inputs(self) -> dict[str, int]:
        """The inputs that are its own, at first."""
        return {self.sliding: 0} | {name: int(i == 0) for i, name in enumerate(self.leads)}

    @property
    def rows(self) -> dict[str, Expr]:
        """The constraints of sticking, by name."""
        if not self.leads:
            return {self.name: self.speeds[0]}
        return {f"{self.name}_{i + 1}": speed for i, speed in enumerate(self.speeds)}

    def of_contact(self) -> Friction:
        """The same, made for a contact."""
        return self._changed(contact=True)

    def laws(self) -> Iterator[tuple[str, Expr]]:
        """What may depend on the motion, with what messages call it."""
        yield from (("speed", speed) for speed in self.speeds)
        yield from (("limit", self.limit), ("hold", self.hold))
        yield from (("force", force) for force in self.forces)
        yield from (("speed", self.watched) for _ in self.leads[:1])

    def with_laws(self, change: Callable[[Expr], Expr]) -> Friction:
        """The same with other laws."""
        several = {key: tuple(map(change, getattr(self, key))) for key in ("speeds", "forces")}
        return self._changed(**several, **{key: change(getattr(self, key)) for key in ("limit", "hold", "watched")})

    def _changed(self, **fields: object) -> Friction:
        made = copy(self)
        for key, value in fields.items():
            set_field(made, key, value)
        return made

    def works(self, mechanism: Mechanism) -> Iterable[tuple[Expr, Expr]]:
        """The forces while it slides; what it is driven by, as a belt, works on its own account."""
        return [(force, speed - at_rest(speed)) for force, speed in zip(self.forces, self.speeds, strict=True)]
