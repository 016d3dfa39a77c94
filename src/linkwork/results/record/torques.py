"""Torques on parts: those applied, those that drive, those that joints carry. In: a Trajectory; out: numbers over time.

In the plane a torque is one number, counter-clockwise; in space it is a vector of the world frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import Ref
from linkwork.model import WORLD, Joint, Mechanism
from linkwork.model.bodies import is_hidden
from linkwork.model.laws import OF_PARTS, Moment, quantity
from linkwork.native.measure import Measure
from linkwork.native.numbers import compute_part_forces
from linkwork.results.names import find_words
from linkwork.results.reactions import Reactions
from linkwork.results.state import Snapshot
from linkwork.results.trajectory import Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning:
    """A torque on a part, drawn about one of its points.

    kind    "torque" (applied) or "reaction torque"
    source  what of `of` it is: "applied", "driving", "carried" or "moment"
    of      the part (in the plane) or joint (in space) whose angle it works on, the joint that carries it, or the
            number of the moment
    sign    -1 on the first part of a joint, and on the second body of a moment
    """

    kind: str
    name: str
    point: str
    part: str
    source: str
    of: str
    sign: float = 1.0


def find_torques(motion: Trajectory) -> list[Turning]:
    """Every torque on a part of a mechanism."""
    m = motion.mechanism
    if not isinstance(m, Mechanism):
        return []
    return list(_in_plane(m) if m.dimension == 2 else _in_space(m))


def compute_torques(motion: Trajectory, state: Snapshot, torques: Iterable[Turning]) -> list[Floats]:
    """The values of torques at the k times of a state: (k, 1) in the plane, (k, 3) in space."""
    if not isinstance(motion.mechanism, Mechanism):
        return []
    at = _TorquesAt(motion.mechanism, motion, state)
    return [at.value(torque) for torque in torques]


@dataclass(frozen=True)
class _TorquesAt:
    """Torques at k states."""

    mechanism: Mechanism
    motion: Trajectory
    state: Snapshot

    def value(self, torque: Turning) -> Floats:
        if torque.source == "moment":
            return torque.sign * self._moment(self.mechanism.moments[int(torque.of)])
        if torque.source == "carried":
            return torque.sign * self._carried(self.mechanism.find_joint(torque.of))
        about = self._applied(torque.of) if torque.source == "applied" else self._driving(torque.of)
        values = torque.sign * about[:, None]
        return values if self.mechanism.dimension == 2 else values * self._axis(self.mechanism.find_joint(torque.of))

    def _applied(self, name: str) -> Floats:
        """The sum of the torques given, constant and by laws.   (k,)"""
        # what the rest must supply against a torque is its opposite
        return np.zeros(len(self._reactions.t)) - self._torques.get(self.motion.system.chart.angles[name], 0.0)

    def _moment(self, moment: Moment) -> Floats:
        """A moment in the world.   (k, 3)"""
        s, system = self.state, self.motion.system
        words = find_words(self.mechanism, system)
        measures = [Measure(system, words.read("moment", law).expr, self.mechanism.values) for law in moment.world]
        t = np.asarray(s.t)
        return np.stack([x.compute(0, s.q.T, s.u.T, s.a.T, s.lam.T, t) for x in measures], axis=-1)

    def _driving(self, name: str) -> Floats:
        """The torque that keeps a prescribed angle, or its rate.   (k,)"""
        rows = self.motion.system.rows_of("motion")
        targets = [Ref("motion", f"{name}.{what}") for what in OF_PARTS]
        return -self.state.lam[:, next(rows[target] for target in targets if target in rows)]

    def _axis(self, joint: Joint) -> Floats:
        """The axis of a joint in the world, of length 1.   (k, 3)"""
        own = np.array([self.mechanism.compute(x) for x in joint.axes[0]])
        own = own / np.linalg.norm(own)
        if joint.parts[0] == WORLD:
            return np.tile(own, (len(self._reactions.t), 1))
        return np.asarray(self._reactions.axes(joint.parts[0]) @ own)

    def _carried(self, joint: Joint) -> Floats:
        """The torque that a joint itself carries to its second part, free of what works on its angle.   (k, 3)"""
        _, torque = self._reactions.of_joint(joint.name)
        if joint.name not in self.motion.system.chart.angles:
            return torque
        axis = self._axis(joint)
        return np.asarray(torque - np.sum(torque * axis, axis=1, keepdims=True) * axis)

    @cached_property
    def _reactions(self) -> Reactions:
        s = self.state
        return Reactions(self.motion.system, s.q, s.u, s.a, s.lam, np.asarray(s.t))

    @cached_property
    def _torques(self) -> dict[int, Floats]:
        s, owners = self.state, {torque.ref for torque in self.mechanism.torques}
        return compute_part_forces(self.motion.system, owners, s.q.T, s.u.T, s.a.T, s.lam.T, np.asarray(s.t))


# -- where torques act -------------------------------------------------------------------------------------------------


def _in_plane(m: Mechanism) -> Iterator[Turning]:
    partners: dict[str, list[str]] = {}
    for torque in m.torques:
        partners.setdefault(torque.part, []).extend([] if torque.other is None else [torque.other])
        if torque.other is not None:
            partners.setdefault(torque.other, []).append(torque.part)
    for part, others in partners.items():
        point = _pivot(m, part, others)
        yield Turning(kind="torque", name=f"on {part}", point=point, part=part, source="applied", of=part)
    for part in _driven(m):
        point = _pivot(m, part, ())
        yield Turning(kind="torque", name=f"driving {part}", point=point, part=part, source="driving", of=part)


def _pivot(m: Mechanism, part: str, partners: Iterable[str]) -> str:
    """The point to draw a torque about: one shared with a partner, a fixed one, or the first."""
    points = m.find_rigid(part).points
    shared = [p for other in partners for p in points if p in m.find_rigid(other).points]
    return [*shared, *(p for p in points if p in m.fixed), *points][0]


def _in_space(m: Mechanism) -> Iterator[Turning]:
    for name in dict.fromkeys(torque.part for torque in m.torques):
        yield from _of_joint(m.find_joint(name), "on", "applied", (0, 1))
    for i, moment in enumerate(m.moments):
        for part, sign in ((moment.body, 1.0), (moment.other, -1.0)):
            if part is not None:
                points = m.find_rigid(part).points
                point = next((p for p in points if not is_hidden(p)), points[0])
                name = f"moment {moment.name} on {part}"
                yield Turning(kind="torque", name=name, point=point, part=part, source="moment", of=str(i), sign=sign)
    for name in _driven(m):
        yield from _of_joint(m.find_joint(name), "driving", "driving", (0, 1))
    for joint in m.joints:
        if joint.kind != "spherical":
            yield from _of_joint(joint, "on", "carried", (1,) if joint.parts[1] != WORLD else (0,))


def _of_joint(joint: Joint, verb: str, source: str, sides: Iterable[int]) -> Iterator[Turning]:
    """What turns the second part of a joint turns the first the other way."""
    kind = "reaction torque" if source == "carried" else "torque"
    for i in sides:
        part, point = joint.parts[i], joint.points[i]
        name, sign = f"{verb} {part} at {joint.name}", 2.0 * i - 1.0
        if part != WORLD:
            yield Turning(kind=kind, name=name, point=point, part=part, source=source, of=joint.name, sign=sign)


def _driven(m: Mechanism) -> list[str]:
    """The parts or joints whose angle is prescribed, or its rate."""
    found = [quantity(motion.target) for motion in m.motions]
    return [target.of for target in found if target is not None and target.what in OF_PARTS]
