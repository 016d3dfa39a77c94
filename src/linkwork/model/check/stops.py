"""What can be wrong with stops and friction, and with constraints that are off at the start."""

from __future__ import annotations

from collections import Counter

from linkwork.model.check.findings import Findings
from linkwork.model.friction import Friction
from linkwork.model.laws import quantities, speeds_in
from linkwork.model.signals import states_in
from linkwork.model.stops import Stop
from linkwork.symbolic import free_symbols


def check_stop(findings: Findings, stop: Stop) -> None:
    part, speeds = stop.ref, speeds_in(stop.law)
    if stop.level == "gap" and speeds:
        remedy = "Give a formula of places and angles; a ratchet is {speed: ...}"
        findings.report(part, f"the gap depends on the speed {speeds[0]}", remedy)
    elif stop.level == "speed" and not speeds and not findings.is_broken(stop.law):
        findings.report(part, "the formula has no speed in it", "Name one, as in OA.omega")
    elif states_in(stop.law):
        findings.report(part, "the formula depends on a state", "Give a formula of places, angles and time")
    elif all("." not in s.name for s in free_symbols(stop.law)) and not quantities(stop.law):
        findings.report(part, "the formula does not depend on the motion", "Name places or angles, as in A.y - r")


def check_friction(findings: Findings, friction: Friction) -> None:
    part = friction.ref
    for speed in friction.speeds:
        if not speeds_in(speed) and not findings.is_broken(speed):
            remedy = "Name one, as in OA.omega or A.vx - v"
            findings.report(part, "the formula has no speed in it", remedy, detail="speed")


def check_switched(findings: Findings) -> None:
    """Constraints that go on and off need names of their own and equations of their own."""
    m = findings.mechanism
    names = [x.ref for x in (*m.joints, *m.relations, *m.velocity_constraints, *m.stops, *m.frictions)]
    named = {name for event in m.events for name in (*event.on, *event.off)}
    count = Counter(ref.name for ref in names)
    for ref in names:
        if count[ref.name] > 1 and (ref.name in named or ref.kind in ("stop", "friction")):
            findings.report(ref, "something else has this name", "Give it a name of its own")
    for joint in m.joints:
        shared = len(joint.points) == 2 and joint.points[0] == joint.points[1]
        if shared and (not joint.active or joint.name in named):
            remedy = "Give each part a point of its own there, and name both in points"
            findings.report(joint.ref, "parts that share a point cannot come apart", remedy)
