"""Turns that are counted, not only seen: which parts or joints need an angle that knows full turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.model.complete import all_laws, all_rates
from linkwork.model.connections import WORLD
from linkwork.model.joints import find_kind
from linkwork.model.laws import OF_PARTS, quantities

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
    if mechanism.dimension == 2:
        # a body that is told where it starts to turn
        names.update({*mechanism.start.angles, *mechanism.start.rates} & mechanism.words.bodies.keys())
    return tuple(sorted(names))
