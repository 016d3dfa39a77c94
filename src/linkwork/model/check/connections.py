"""What can be wrong with connections: points on lines and planes, and joints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from linkwork.errors import Ref, did_you_mean
from linkwork.model.check.findings import SMALLEST, Findings, are_along, suggest
from linkwork.model.connections import WORLD, Collinear, Coplanar, Joint
from linkwork.model.joints import joint_kinds
from linkwork.model.laws import PART_OR_JOINT

SAME_TEETH = 1e-12  # relative: rounding of radii computed two ways
# numbers of joints that cannot be: any up to zero (True), or zero alone, and what to say of them
RANGES: dict[tuple[str, str], tuple[bool, str, str]] = {
    ("distance", "length"): (True, "is not positive", "Give a positive length; a revolute joint holds frames together"),
    ("rack_pinion", "radius"): (False, "is zero", "Give the radius of the pinion, negative if the rack is above"),
    ("gear", "teeth1"): (False, "is zero", "Give the teeth or the radius of the wheel, negative for a ring"),
    ("gear", "teeth2"): (False, "is zero", "Give the teeth or the radius of the wheel, negative for a ring"),
}


def check_collinear(findings: Findings, collinear: Collinear) -> None:
    check_point_list(findings, collinear.points, collinear.ref, 3, "on a line")


def check_coplanar(findings: Findings, coplanar: Coplanar) -> None:
    if findings.mechanism.dimension == 2:
        findings.report(coplanar.ref, "all points are in one plane in dimension 2", "Use Dimension: 3, or Collinear")
    else:
        check_point_list(findings, coplanar.points, coplanar.ref, 4, "in a plane")


def check_point_list(findings: Findings, points: tuple[str, ...], part: Ref, least: int, where: str) -> None:
    twice = [point for point, count in Counter(points).items() if count > 1]
    if len(points) < least:
        words = {3: "three", 4: "four"}[least]
        findings.report(part, f"{len(points)} points are {where} anyway", f"Name {words} or more")
    elif twice:
        findings.report(part, f"point '{twice[0]}' occurs twice", "Name each point once")
    elif findings.known_points(points, part):
        if all(point in findings.mechanism.fixed for point in points):
            findings.report(part, "all its points are fixed", "Name at least one point that moves")
        holding = [r.name for r in findings.mechanism.rigids if set(points) <= set(r.points)]
        if holding:
            findings.report(part, f"all its points are on the rigid part '{holding[0]}'", "Remove it")


def check_joint(findings: Findings, joint: Joint) -> None:
    part, kinds = joint.ref, joint_kinds(findings.mechanism.dimension)
    if joint.kind not in kinds:
        remedy = did_you_mean(joint.kind, kinds) or "Kinds are " + ", ".join(kinds)
        where = f" in dimension {findings.mechanism.dimension}" if is_known_elsewhere(joint.kind) else ""
        findings.report(part, f"no kind of joint is called '{joint.kind}'{where}", remedy)
        return
    if not PART_OR_JOINT.fullmatch(joint.name):
        remedy = "Use letters, digits and _, starting with a letter"
        findings.report(part, "this name cannot be used in formulas", remedy)
    if joint.name in findings.rigids or joint.name in (WORLD, "t"):
        findings.report(part, f"'{joint.name}' is the name of something else", "Give the joint another name")
    if joint.name in findings.points:
        findings.report(part, "a point has the same name", "Give the joint another name")
    check_parameters(findings, joint)
    if check_sides(findings, joint, part) and check_joint_parts(findings, joint, part):
        check_directions(findings, joint)


def is_known_elsewhere(kind: str) -> bool:
    """Whether another dimension has a kind of this name."""
    return any(kind in joint_kinds(dimension) for dimension in (2, 3))


def check_parameters(findings: Findings, joint: Joint) -> None:
    """A joint has the numbers that its kind needs, and no others."""
    part = joint.ref
    kind = joint_kinds(findings.mechanism.dimension)[joint.kind]
    for name in kind.parameters:
        if name not in joint.parameters:
            findings.report(part, f"the {name} is missing", f"A {joint.kind} joint needs it: write {name}: value")
    numbers: dict[str, float | None] = {}
    for name, value in joint.parameters.items():
        if name not in kind.parameters:
            known = f"It may have {', '.join(kind.parameters)}" if kind.parameters else "It has none"
            findings.report(part, f"a {joint.kind} joint has no '{name}'", known)
        else:
            numbers[name] = findings.number(value, part, name)
    if kind.is_own:
        check_ranges(findings, joint, {name: number for name, number in numbers.items() if number is not None})


def check_ranges(findings: Findings, joint: Joint, numbers: Mapping[str, float]) -> None:
    """Every number of a kind of our own in its range."""
    before, part = len(findings.problems), joint.ref
    for name, number in numbers.items():
        any_up_to, what, remedy = RANGES.get((joint.kind, name), (False, "", ""))
        if what:
            findings.bounds.append((joint.parameters[name], "<=" if any_up_to else "=="))
        if what and (number if any_up_to else abs(number)) <= SMALLEST:
            findings.report(part, f"{name} {what} ({number:g})", remedy, detail=name)
    if numbers.keys() >= {"teeth1", "teeth2"} and len(findings.problems) == before:
        check_teeth(findings, part, numbers["teeth1"], numbers["teeth2"])


def check_teeth(findings: Findings, part: Ref, one: float, two: float) -> None:
    """A wheel does not fit into a ring of as many teeth."""
    if abs(one + two) <= SAME_TEETH * max(abs(one), abs(two)):
        what = f"a wheel of {abs(one):g} teeth does not mesh inside a ring of as many"
        findings.report(part, what, "Give them different numbers; only those of a ring with inner teeth are negative")


def check_sides(findings: Findings, joint: Joint, part: Ref) -> bool:
    """Whether there are two of everything."""
    sides: dict[str, tuple[object, ...]] = {"parts": joint.parts, "points": joint.points}
    if findings.mechanism.dimension == 3:
        sides |= {"axes": joint.axes, "references": joint.references}
    for name, values in sides.items():
        if len(values) != 2:
            findings.report(
                part, f"{name}: {len(values)} instead of 2", "Give one for each of the two parts", detail=name
            )
            return False
    return True


def check_joint_parts(findings: Findings, joint: Joint, part: Ref) -> bool:
    before, mechanism = len(findings.problems), findings.mechanism
    kind = joint_kinds(mechanism.dimension)[joint.kind]
    if not all(check_frame_name(findings, frame, part) for frame in joint.frames):
        return False
    if joint.parts[0] == joint.parts[1]:
        findings.report(part, f"joins '{joint.parts[0]}' to itself", "Name two different parts")
        return False
    for name, point in zip(joint.parts, joint.points, strict=True):
        if not check_side(findings, name, point, part, bool(joint.frames)) or name == WORLD:
            continue
        if mechanism.dimension == 3 and kind.axes and len(findings.rigids[name].points) == 2:
            what = f"'{name}' is a thin rod, which has no frame for the axis of a {joint.kind} joint"
            findings.report(part, what, "Give the part a third point off the line, or use a spherical joint")
    return len(findings.problems) == before


def check_frame_name(findings: Findings, frame: str, part: Ref) -> bool:
    if "." not in frame:
        remedy = "Name a body and its frame, as in crank.pin, or the world and a fixed point, as in world.O"
        findings.report(part, f"'{frame}' is no frame", remedy)
    return "." in frame


def check_side(findings: Findings, name: str, point: str, part: Ref, framed: bool) -> bool:
    """Whether a part exists and has a point, or a frame there."""
    before, body = len(findings.problems), findings.mechanism.words.bodies.get(name)
    if body is not None and framed and "." not in point:
        remedy = suggest(point, body.frames, "Its frames") or f"Add it to the frames of '{name}'"
        findings.report(part, f"body '{name}' has no frame '{point}'", remedy)
    elif name == WORLD:
        check_world_point(findings, point, part)
    elif name not in findings.rigids:
        remedy = suggest(name, [WORLD, *findings.rigids], "Parts")
        findings.report(part, f"no rigid part named '{name}'", remedy, absent=True)
    elif point not in findings.rigids[name].points:
        remedy = suggest(point, findings.rigids[name].points, "Its points")
        findings.report(part, f"'{point}' is not a point of '{name}'", remedy)
    return len(findings.problems) == before


def check_world_point(findings: Findings, point: str, part: Ref) -> None:
    if point not in findings.mechanism.fixed:
        known = findings.mechanism.fixed
        remedy = f"Add '{point}' to Fixed" if point in findings.moving else suggest(point, known, "Fixed points")
        findings.report(part, f"the point '{point}' of the world is not fixed", remedy)


def check_directions(findings: Findings, joint: Joint) -> None:
    """Axes have a length; references are not along them. In the plane, angles are numbers."""
    part = joint.ref
    if findings.mechanism.dimension == 2:
        findings.numbers(joint.angles, part, "angles")
        return
    if joint.frames:
        return  # their axes are looked at with their bodies
    for name, axis, reference in zip(joint.parts, joint.axes, joint.references, strict=True):
        a = findings.numbers(axis, part, "axes")
        r = findings.numbers(reference, part, "references")
        if a is None or r is None:
            continue
        if math.hypot(*a) < SMALLEST:
            findings.report(
                part, f"axes: the axis in '{name}' is zero", "Give a direction such as [0, 0, 1]", detail="axes"
            )
        elif are_along(a, r):
            what = f"references: the one in '{name}' is along the axis or zero"
            findings.report(part, what, "Give a direction across the axis", detail="references")
