"""Algebraic values in absolute coordinates: those of a mechanism in points in, the same over poses out.

What a value reads of points is linear in poses and followers, so its program is copied with these in their places. What
holds a body together has no multipliers here. The force on a body at a point follows instead from what acts there: the
multipliers of the meeting with its home or, at home, all that other parts do at the point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.equations.algebra import Array, ReactionSheet, Sheet, derive_reaction, name_reaction
from linkwork.equations.collect import Collector
from linkwork.equations.reactions import attach
from linkwork.equations.system import System
from linkwork.equations.terms import Algebraic, OpaqueValue
from linkwork.errors import InputError, Problem, Ref
from linkwork.model import Mechanism
from linkwork.model.algebra import Reaction
from linkwork.model.laws import FORCES

if TYPE_CHECKING:
    from linkwork.equations.absolute import Absolute


STRAIGHT = 1e-12  # of a line: a component that it does not have


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
        """The force on a body at a point whose home is elsewhere: by the meeting and, to turn it, by others."""
        met = self._met(part, point)
        if met is None:
            return None
        force = met
        for exerted, mine in self._turning(part):
            force = force + exerted.get(point, 0.0)
            if point == mine:  # what it does besides turning it is done where the point is at home
                force = force - sum(exerted.values(), self._nothing)
        return np.asarray(force)

    def _met(self, part: str, point: str) -> Array | None:
        """−Gᵀλ of a meeting along the coordinates of the mass centre; nothing if the point is at home there."""
        owner, d, inner = Ref("rigid", part), self._dimension, self.sheet.inner  # type: ignore[attr-defined]
        rows = {self.poses.multipliers.get(f"lam_meet_{point}{k}_{part}") for k in (*self.collected.axes, 1, 2, 3)}
        for term in self.poses.terms:
            for i in (i for i, who in enumerate(term.owners) if who == owner and rows & {*term.rows[i].tolist()}):
                places, own, columns = (x[i].tolist() for x in (term.coordinates, term.rows, term.columns))
                nodes = inner.copy(term.kernel.derived.residual, places, columns, own)["r"]
                centre = self.collected.carried[part].coordinates[:d]
                return self._array([nodes[places.index(k)] for k in centre])[None, :] * -1.0
        return None


def check_reactions(m: Mechanism) -> None:
    """Raise an error in words if laws use a reaction that is not determined: at one of several points that parts share.

    Along the line through them they may pull at one another as they like; across it each has its force.
    """
    problems = [
        Problem(part=f"law of {name}", what=what, remedy=SHARED) for name in m.algebra if (what := _find_doubt(m, name))
    ]
    if problems:
        raise InputError(problems)


SHARED = "Let them share one of these points and join them there by a joint, or name a reaction elsewhere"


def _find_doubt(m: Mechanism, name: str) -> str:
    """Why a reaction is not determined, in words; or nothing."""
    reaction = name_reaction(m, name)
    part, point = ("", "") if reaction is None else _find_place(m, reaction)
    held = {**{rigid.name: rigid.points for rigid in m.rigids}, "the ground": tuple(m.fixed)}
    for who, points in held.items():
        shared = [p for p in held.get(part, ()) if p in points and who != part]
        if point in shared and len(shared) > 1 and not (who == "the ground" and _is_across(m, shared, reaction)):
            line = "".join(shared[:2])
            return (
                f"{part} and {who} share {' and '.join(shared)}: which of them carries what pulls along {line} is open"
            )
    return ""


def _find_place(m: Mechanism, reaction: Reaction) -> tuple[str, str]:
    """The part and point whose force a reaction is, if it is one at a point that parts share."""
    if reaction.point or reaction.what not in FORCES:
        return (reaction.of, reaction.point) if reaction.point else ("", "")
    joint = next((joint for joint in m.joints if joint.name == reaction.of), None)
    if joint is None or joint.points[0] != joint.points[1]:
        return "", ""
    parts = {rigid.name for rigid in m.rigids}
    return next(part for part in reversed(joint.parts) if part in parts), joint.points[0]


def _is_across(m: Mechanism, shared: Sequence[str], reaction: Reaction | None) -> bool:
    """Whether a component is across the line through fixed points."""
    assert reaction is not None
    places = np.array([[m.compute(x) for x in m.fixed[p]] for p in shared])
    k, lines = FORCES.index(reaction.what), places[1:] - places[0]
    return bool(np.all(np.abs(lines[:, k]) <= STRAIGHT * np.linalg.norm(lines, axis=1)))


def find_felt(m: Mechanism) -> set[str]:
    """The parts that feel reactions which laws use."""
    parts, joints = {rigid.name for rigid in m.rigids}, {joint.name: joint.parts for joint in m.joints}
    reactions = [r for r in (name_reaction(m, name) for name in m.algebra) if r is not None]
    found = {r.of for r in reactions if r.point}
    for one, two in (joints[r.of] for r in reactions if not r.point and r.of in joints):
        found.add(two if two in parts else one)
    return found & parts


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
