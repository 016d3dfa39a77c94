"""Algebraic values in absolute coordinates: those of a mechanism in points in, the same over poses out.

What a value reads of points is linear in poses and followers, so its program is copied with these in their places. What
holds a body together has no multipliers here. The force on a body at a point follows instead from what acts there: the
multipliers of the meeting with its home or, at home, all that other parts do at the point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.equations.algebra import Array, ReactionSheet, Sheet, derive_reaction, name_reaction
from linkwork.equations.collect import Collector
from linkwork.equations.reactions import attach
from linkwork.equations.system import System
from linkwork.equations.terms import Algebraic, OpaqueValue
from linkwork.errors import Ref
from linkwork.model import Mechanism
from linkwork.model.laws import OF_BODIES, quantities
from linkwork.symbolic import Expr

if TYPE_CHECKING:
    from linkwork.equations.absolute import Absolute


class PosedSheet(Sheet):
    """A program over a system in absolute coordinates, written in places, rows and formulas of that in points.

    q = A (x, e) + b, as in `Absolute`; formulas are the numbers here of the formulas there.
    """

    def __init__(self, absolute: Absolute, formulas: list[int]) -> None:
        super().__init__(absolute.system)
        self.points, self.formulas = absolute.points, formulas
        self.inner = Sheet(absolute.system)
        self.b, self.columns = self.inner.b, self.inner.columns
        self.rows = dict(zip(*absolute.rows.tolist(), strict=True))
        self._entries: dict[int, list[tuple[int, int]]] = {}
        for row, column, formula in absolute.entries.T.tolist():
            self._entries.setdefault(row, []).append((column, formula))
        self._offsets = dict(absolute.offsets.T.tolist())

    def read(self, kind: str, place: int) -> int:
        """A coordinate of a point, its speed or its acceleration, by those of poses."""
        n, s, b = self.points.n, self.system, self.b
        if place >= n:
            return self.inner.read(kind, place - n + s.n)
        found = [self.inner.parameter(self._offsets[place])] if kind == "q" and place in self._offsets else []
        for column, formula in self._entries.get(place, ()):
            node = self.inner.read(kind, column if column < s.n else column + len(s.frozen))
            found.append(node if formula < 0 else b.mul(self.inner.parameter(formula), node))
        return b.total(found)

    def parameter(self, column: int) -> int:
        """The number of a formula."""
        return self.inner.parameter(self.formulas[column])

    def multiplier(self, row: int) -> int:
        """The multiplier of a constraint that both systems have."""
        return self.inner.multiplier(self.rows[row])

    def translate(self, value: Algebraic) -> Algebraic:
        """A value in points whose multipliers are known here, too."""
        s = self.points
        copied = self.copy(value.program, range(s.first_follower), value.columns.tolist(), range(s.m))
        return self.close(value.name, copied["v"][0], value.implicit)


class PosedReactions(ReactionSheet):
    """Reactions as nodes of a program over a system in absolute coordinates."""

    def __init__(self, absolute: Absolute, f: Collector, formulas: list[int]) -> None:
        super().__init__(absolute.points, PosedSheet(absolute, formulas))
        self.collected, self.poses = f, absolute.system

    def find_residual(self, owner: Ref, point: str) -> Array:
        """What an owner needs at a point; a body by its pose what others do to it there."""
        if owner.kind != "rigid" or owner.name not in self.collected.carried:
            return super().find_residual(owner, point)
        force = self._meeting(owner.name, point)
        if force is None:
            others = [who for who, at in attach(self.system).items() if who != owner and point in at]
            force = sum((self._of_owner(who, point) for who in others), self._nothing)
        return force

    def _meeting(self, part: str, point: str) -> Array | None:
        """The force on a body at a point whose home is elsewhere: by the meeting and, to turn it, by joints."""
        rows = [self.poses.multipliers.get(f"lam_meet_{point}{axis}_{part}") for axis in self.collected.axes]
        if None in rows:
            return None
        inner = self.sheet.inner  # type: ignore[attr-defined]
        force = self._array([inner.multiplier(row) for row in rows])[None, :] * -1.0
        for joint, mine in self._joints_of(part):
            exerted = self._exerted(joint, part)
            force = force + exerted.get(point, 0.0)
            if point == mine:  # what it does besides turning it is done where the point is at home
                force = force - sum(exerted.values(), self._nothing)
        return np.asarray(force)


def find_obstacle(m: Mechanism, carried: Collection[str]) -> str:
    """What keeps the reactions that laws use from being known where poses carry parts, in words; or nothing.

    In points a part is turned by forces at its first points, and parts with two points in common may pull at both.
    """
    if all(name_reaction(m, name) is None for name in m.algebra):
        return ""
    parts = {rigid.name: set(rigid.points) for rigid in m.rigids}
    held = {**parts, "the ground": set(m.fixed)}
    shares = {part: [who for who in held if who != part and held[who] & parts[part]] for part in carried}
    for part, others in shares.items():
        for who in others:
            if len(held[who] & parts[part]) > 1:
                return f"{part} shares several points with {who}"
    turned = {q.of for law in _turning_laws(m) for _, q in quantities(law) if q.what in OF_BODIES}
    return next((f"{part} is turned by more than its joints" for part in shares if part in turned and shares[part]), "")


def find_felt(m: Mechanism) -> set[str]:
    """The parts that feel reactions which laws use."""
    parts, joints = {rigid.name for rigid in m.rigids}, {joint.name: joint.parts for joint in m.joints}
    reactions = [r for r in (name_reaction(m, name) for name in m.algebra) if r is not None]
    found = {r.of for r in reactions if r.point}
    for one, two in (joints[r.of] for r in reactions if not r.point and r.of in joints):
        found.add(two if two in parts else one)
    return found & parts


def _turning_laws(m: Mechanism) -> Iterator[Expr]:
    """Laws whose forces may act on the axes of parts."""
    yield from (law for part in m.parts if part not in m.forces for _, law in part.laws())
    yield from (m.meaning(motion.target) for motion in m.motions)
    for touch in m.touches.values():
        yield from (touch.force, touch.rate, *touch.rubbing, *touch.slips)
    for footing in m.footings.values():
        yield from (*footing.zero, *footing.still)


def lay_out_formulas(f: Collector, points: System) -> list[int]:
    """The numbers here of the formulas in points, which algebraic values and calls read."""
    return f.formulas.places(points.formulas.exprs) if points.algebra or points.opaque else []


def derive_posed(f: Collector, absolute: Absolute, formulas: list[int]) -> System:
    """The system in absolute coordinates with its algebraic values and calls of opaque functions."""
    points, algebra = absolute.points, []
    for value in points.algebra:
        reaction = name_reaction(f.mechanism, value.name)
        if reaction is None:
            algebra.append(PosedSheet(absolute, formulas).translate(value))
        else:
            algebra.append(derive_reaction(PosedReactions(absolute, f, formulas), value.name, reaction))
    return replace(absolute.system, algebra=tuple(algebra), opaque=_translate_calls(absolute, formulas))


def _translate_calls(absolute: Absolute, formulas: list[int]) -> tuple[OpaqueValue, ...]:
    def translate(argument: Algebraic) -> Algebraic:
        return PosedSheet(absolute, formulas).translate(argument)

    return tuple(replace(x, arguments=tuple(map(translate, x.arguments))) for x in absolute.points.opaque)
