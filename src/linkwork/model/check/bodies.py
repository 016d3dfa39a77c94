"""What can be wrong with bodies: axes of frames, a world with a mass; and which frames nothing uses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from linkwork.errors import Problem
from linkwork.model.bodies import Body, Frame
from linkwork.model.check.findings import SMALLEST, Findings, are_along
from linkwork.model.complete import all_laws, all_rates
from linkwork.model.connections import WORLD
from linkwork.model.laws import quantities
from linkwork.model.parts import Rigid
from linkwork.symbolic import ZERO

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism


def check_body(findings: Findings, body: Body) -> None:
    if body.name == WORLD and (body.mass is not ZERO or any(x is not ZERO for x in body.inertia)):
        what, remedy = "the world does not move: its mass and inertia are ignored", "Remove them"
        findings.note(body.ref, what, remedy)
    for name, frame in body.frames.items() if findings.mechanism.dimension == 3 else ():
        check_axes(findings, body, name, frame)


def check_axes(findings: Findings, body: Body, name: str, frame: Frame) -> None:
    """The axes of a frame have a length, and are not along each other."""
    labels = [f"{axis} of frame '{name}'" for axis in "zx"]
    axes = zip((frame.z, frame.x), labels, strict=True)
    given = [findings.numbers(axis, body.ref, label) for axis, label in axes]
    if None in given:
        return
    z, x = ((*map(float, each or ()), 0.0, 0.0, 0.0)[:3] for each in given)
    if frame.z and math.hypot(*z) < SMALLEST:
        what, remedy = f"{labels[0]} is zero", "Give a direction such as [0, 0, 1]"
        findings.report(body.ref, what, remedy, detail=labels[0])
    elif frame.x and are_along(z if frame.z else (0.0, 0.0, 1.0), x):
        what, remedy = f"{labels[1]} is along its z axis, or zero", "Give a direction across the z axis"
        findings.report(body.ref, what, remedy, detail=labels[1])


def find_unused_frames(m: Mechanism) -> tuple[str, ...]:
    """Frames that are neither joined, nor named by anything."""
    used = {*list_used_points(m), *(frame for joint in m.joints for frame in joint.frames)}
    frames = (body.point(name) for body in m.bodies for name in body.frames)
    return tuple(frame for frame in frames if frame not in used and m.words.point(frame) not in used)


def note_unused_frames(m: Mechanism) -> list[Problem]:
    """A note for each of these frames, about its body."""
    unused, notes = set(find_unused_frames(m)), []
    for body in m.bodies:
        for name in (name for name in body.frames if body.point(name) in unused):
            what = f"frame '{name}': nothing is joined to it, and nothing names it"
            notes.append(Problem(ref=body.ref, what=what, remedy="Join it, or leave it out", detail=f"frame '{name}'"))
    return notes


def list_used_points(m: Mechanism, *, fixed: bool = True) -> Iterator[str]:
    """Points that something is attached to, that a law names, or that somebody wants to see; `fixed` ones at once."""
    made = {each.rigid.name for each in m.words.placed.values() if each.rigid is not None}
    for part in m.parts:
        if not (isinstance(part, Rigid) and part.name in made):
            yield from part.ends
    yield from (point for joint in m.joints if not joint.frames for point in joint.points)
    yield from (point for point in m.fixed if fixed and not point.startswith(f"{WORLD}."))
    yield from (*m.start.positions, *m.start.velocities)
    yield from m.settings.output_points or ()
    yield from map(str, _listed(m.display.animation.get("traces")))
    laws = [law for _, _, law in all_laws(m)] + [m.meaning(motion.target) for motion in m.motions]
    laws += [*(m.meaning(effort.on) for effort in m.efforts), *all_rates(m)]
    for law in laws:
        yield from (point for _, found in quantities(law) for point in found.points)


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else []
