"""Turns that are counted, not only seen: which parts or joints need an angle that knows full turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from linkwork.model.complete import all_laws, all_rates
from linkwork.model.connections import WORLD, Joint
from linkwork.model.joints import find_kind
from linkwork.model.laws import OF_PARTS, quantities
from linkwork.model.start import Guess

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


def find_turn_angles(mechanism: Mechanism) -> tuple[str, ...]:
    """Parts (2D) or joints (3D) whose turn is tracked: with a torque, in a law, driven, or in a joint; sorted."""
    names = {name for torque in mechanism.torques for name in (torque.part, torque.other) if name is not None}
    laws = [law for _, _, law in all_laws(mechanism)] + [*all_rates(mechanism)]
    laws += [mechanism.meaning(motion.target) for motion in mechanism.motions]
    laws += [flow for part in mechanism.parts for _, flow in part.works(mechanism)]
    for law in laws:
        names.update(found.of for _, found in quantities(law) if found.what in OF_PARTS)
    for joint in mechanism.joints:
        kind = find_kind(mechanism.dimension, joint.kind)
        if kind is not None and kind.tracks:
            names.update([joint.name] if mechanism.dimension == 3 else [p for p in joint.parts if p != WORLD])
    return tuple(sorted(names.union(_find_started(mechanism))))


def _find_started(mechanism: Mechanism) -> Iterator[str]:
    """Those that are told where they start to turn, or how fast: bodies and joints of the plane, joints in space."""
    start, joints = mechanism.start, mechanism.words.joints
    told = {*start.angles, *start.rates}
    if mechanism.dimension == 3:
        yield from (name for name in told if name in joints and has_turn(joints[name], 3))
        return
    yield from told & mechanism.words.bodies.keys()
    for turns in (start.angles, start.rates):
        for name in find_conditions(mechanism, turns):
            yield from (part for part in joints[name].parts if part != WORLD)


def find_conditions(mechanism: Mechanism, turns: Mapping[str, Guess]) -> list[str]:
    """The joints of the plane with a fixed turn that is not that of one of their parts: it is left to the start."""
    joints, bodies = mechanism.words.joints, {*mechanism.words.bodies, WORLD}
    fixed = [name for name, guess in turns.items() if guess.fixed and name in joints]
    if mechanism.dimension == 3:
        return []
    return [name for name in fixed if has_turn(joints[name], 2) and bodies.issuperset(joints[name].parts)]


def is_parallel(joint: Joint) -> bool:
    """Whether a joint of the plane keeps the x axes of its frames parallel."""
    kind = find_kind(2, joint.kind)
    return kind is not None and not kind.turns and 0 in kind.alike and len(joint.parts) == 2


def has_turn(joint: Joint, dimension: int) -> bool:
    """Whether a joint has an angle."""
    kind = find_kind(dimension, joint.kind)
    return kind is not None and kind.turns and len(joint.parts) == 2
