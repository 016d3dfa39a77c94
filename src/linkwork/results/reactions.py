"""Reactions along a motion: states and multipliers in, forces and torques as numbers out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.reactions import Reactions as AnyReactions
from linkwork.equations.reactions import find_length, moment
from linkwork.errors import LinkworkError, Ref, show_value
from linkwork.given import as_name, is_word
from linkwork.native.numbers import compute_part_forces


@dataclass(frozen=True)
class Reactions(AnyReactions):
    """Reactions at k states.   q, u, a: (k, n), lam: (k, m), t: (k,)"""

    system: System
    q: Floats
    u: Floats
    a: Floats
    lam: Floats
    t: Floats

    @property
    def count(self) -> int:
        """k."""
        return len(self.t)

    def at(self, part: str, point: str, frame: str = "world") -> Floats:
        """The force on a part at one of its points, or of a line or plane on a point it guides.   (k, dimension)"""
        as_name(part, Ref("part"), "")
        as_name(point, Ref("point"), "")
        if not is_word(frame, ("world", "part")):
            raise LinkworkError(f"frame {show_value(frame)} is neither 'world' nor 'part'")
        force = self.force_at(part, point)
        return force if frame == "world" else np.einsum("kij,ki->kj", self.axes(part), force)

    def along(self, part: str) -> Floats:
        """The tension between the first two points of a part: the pull of its length constraint.   (k,)"""
        as_name(part, Ref("part"), "")
        a, b, *_ = self.find_points(part)
        row = find_length(self.system, Ref("rigid", part), a, b)
        if row is None:
            raise LinkworkError(
                f"part '{part}' has no length that could be under tension (its turn is tracked, or it is fixed)"
            )
        # g = |b − a|² − ℓ², so the force on b is −2 λ (b − a)
        length = np.linalg.norm(self.find_place(b) - self.find_place(a), axis=-1)
        return np.asarray(2.0 * self.lam[:, row] * length)

    def of_joint(self, joint: str, on: str | None = None) -> tuple[Floats, Floats]:
        """Force and torque of a joint on one of its parts, about its point there; on the second unless said."""
        as_name(joint, Ref("joint"))
        force, torque = self.on_second(joint)
        one, two, p, r = self.chart.joints[joint]
        if on is None or as_name(on, Ref("on"), "") == two:
            return force, torque
        if on != one:
            raise LinkworkError(f"joint '{joint}' joins {one} and {two}, not '{on}'")
        arm = self.find_place(r) - self.find_place(p)
        return -force, -torque - moment(arm, force)

    def axes(self, part: str) -> Floats:
        """The part's axes as columns.   (k, dimension, dimension)"""
        as_name(part, Ref("part"), "")
        places = [self.find_place(p) for p in self.find_points(part)]
        x = places[1] - places[0]
        x = x / np.linalg.norm(x, axis=-1, keepdims=True)
        if x.shape[-1] == 2:
            return np.stack([x, np.stack([-x[:, 1], x[:, 0]], axis=-1)], axis=-1)
        if len(places) < 3:
            raise LinkworkError(f"part '{part}' is a rod without axes of its own; ask in the world frame")
        y = places[2] - places[0]
        y = y - np.sum(x * y, axis=-1, keepdims=True) * x
        y = y / np.linalg.norm(y, axis=-1, keepdims=True)
        return np.stack([x, y, np.cross(x, y)], axis=-1)

    def find_forces(self, owner: Ref) -> dict[int, Floats]:
        """The forces of an owner, by coordinate."""
        return compute_part_forces(self.system, {owner}, self.q.T, self.u.T, self.a.T, self.lam.T, self.t)

    def find_place(self, point: str) -> Floats:
        """Where a point is.   (k, dimension)"""
        return self.system.extend(self.q.T)[list(self.chart.points[point])].T
