"""What is worth a note about bodies: a world with a mass, frames that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from linkwork.model.complete import all_laws
from linkwork.model.connections import WORLD
from linkwork.model.findings import Findings
from linkwork.model.laws import quantities
from linkwork.symbolic import ZERO

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

MARK = "Join something to it or remove it; a frame that is only looked at is named in traces or OutFile"


def check_bodies(findings: Findings) -> None:
    m = findings.mechanism
    used = set(_used_points(m))
    for body in m.bodies:
        part = f"body '{body.name}'"
        if body.name == WORLD and (body.mass is not ZERO or any(x is not ZERO for x in body.inertia)):
            findings.note(part, "the world does not move: its mass and inertia are ignored", "Remove them")
        of_joints = {frame for joint in m.joints for frame in joint.frames}
        for name in body.frames:
            point = m.words.point(body.point(name))
            if body.point(name) not in of_joints and point not in used and body.point(name) not in used:
                findings.note(part, f"nothing uses the frame '{name}'", MARK)


def _used_points(m: Mechanism) -> Iterator[str]:
    """Points that something is attached to, that a law names, or that somebody wants to see."""
    for family in (m.springs, m.dampers, m.collinears, m.coplanars):
        for part in family:
            yield from part.points
    yield from (particle.point for particle in m.particles)
    yield from (force.point for force in m.forces)
    yield from (point for joint in m.joints if not joint.frames for point in joint.points)
    yield from (point for point in m.fixed if not point.startswith(f"{WORLD}."))
    yield from (*m.start.positions, *m.start.velocities)
    yield from m.settings.output_points or ()
    yield from map(str, _listed(m.display.animation.get("traces")))
    laws = [law for _, _, law in all_laws(m)] + [m.meaning(motion.target) for motion in m.motions]
    laws += [m.meaning(effort.on) for effort in m.efforts]
    for law in laws:
        yield from (point for _, found in quantities(law) for point in found.points)


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else []
