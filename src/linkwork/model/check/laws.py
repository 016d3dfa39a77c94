"""What can be wrong with laws, and with the forces, dampers, motions and events that follow them."""

from __future__ import annotations

from linkwork.errors import Ref, did_you_mean
from linkwork.model.check.algebra import check_algebra, list_speeds
from linkwork.model.check.findings import Findings, Flaw, suggest
from linkwork.model.complete import all_laws
from linkwork.model.convert import split_points
from linkwork.model.joints import find_kind, joint_kinds
from linkwork.model.laws import (
    INTEGRAL,
    OF_BODIES,
    OF_PAIRS,
    OF_PARTS,
    OF_SPEED,
    PART_OR_JOINT,
    PLACES,
    SPEEDS,
    TIME,
    Damper,
    Dissipation,
    Driver,
    Effort,
    Event,
    Force,
    Moment,
    Quantity,
    Relation,
    is_constant,
    join_pair,
    quantities,
    quantity,
    speeds_in,
)
from linkwork.model.parts import Torque
from linkwork.model.signals import inputs_in, states_in
from linkwork.symbolic import ZERO, Expr, differentiate, free_symbols, is_in_range, symbol

KNOWN = (*PLACES, *SPEEDS, *OF_PAIRS, *OF_PARTS)
LISTED = "Quantities are A.x, A.vx, AB.length, AB.rate, OA.angle, OA.omega and the like"
DRIVEN = "Prescribe a place (A.x), a length (AB.length), an angle (OA.angle) or the rate of one (A.vx, OA.omega)"


def check_laws(findings: Findings) -> None:
    timed = False
    for part, label, law in all_laws(findings.mechanism):
        timed = timed or TIME in free_symbols(law)
        if part not in findings.spoilt:
            check_law(findings, law, part, label)
    if timed and "t" in findings.mechanism.parameters:
        findings.report(Ref("parameter", "t"), "hides the time, which a law uses", "Give the parameter another name")


def check_law(findings: Findings, law: Expr, part: Ref, label: str) -> None:
    """Every name in a law is a parameter, the time or a quantity of something that exists."""
    before = len(findings.problems)
    values = findings.mechanism.values
    for name in list_speeds(findings, check_algebra(findings, law, part, label)):
        check_quantity(findings, name, part, label)
    for name in sorted(s.name for s in free_symbols(law) if s is not TIME and s.kind not in ("state", "input")):
        if name in findings.broken:
            continue
        if "." in name:
            check_quantity(findings, name, part, label)
        elif name not in values:
            known = did_you_mean(name, findings.names) or "Define a parameter with this name"
            remedy = f"Write {name}.x for a coordinate of the point" if name in findings.points else known
            findings.report(part, f"{label}: unknown name '{name}'", remedy, detail=label)
    if len(findings.problems) == before and is_constant(law):
        findings.number(law, part, label)
    elif not is_in_range(law):
        findings.report(part, f"{label}: a number in it is too large", "Use numbers up to 1e308", detail=label)
    elif part.kind in ("variable", "state"):
        # what is wrong here is wrong again in every law that uses it
        findings.broken |= {s.name for s in free_symbols(law) if s.kind == "parameter" and s.name not in values}


def check_quantity(findings: Findings, name: str, part: Ref, label: str) -> bool:
    """Whether a dotted name stands for something this mechanism has."""
    found = quantity(name)
    if is_wrong(findings, name):
        return False
    flaw = explain_quantity(name) if found is None else find_quantity_problem(findings, found)
    if flaw.what:
        words = f"{label}: {flaw.what} (in '{name}')"
        findings.report(part, words, flaw.remedy, detail=label, absent=flaw.absent)
    return not flaw.what


def is_wrong(findings: Findings, name: str) -> bool:
    """Whether a quantity is one of something that was found to be wrong."""
    return name.rpartition(".")[0] in findings.wrong


def find_quantity_problem(findings: Findings, found: Quantity) -> Flaw:
    """Why this mechanism has no such quantity."""
    if found.what in OF_PARTS:
        return find_turn_problem(findings, found.of)
    if found.what in OF_BODIES:
        return find_axis_problem(findings, found)
    if found.what in ("z", "vz") and findings.mechanism.dimension == 2:
        return Flaw("there is no z in dimension 2", "Use x and y, or Dimension: 3")
    missing = [point for point in found.points if point not in findings.points]
    if missing:
        return Flaw(f"no part has a point '{missing[0]}'", suggest(missing[0], findings.points, "Points"), absent=True)
    if found.what in OF_PAIRS and len(set(found.points)) == 1:
        return Flaw("a length is between two different points", "Name two points")
    return Flaw()


def find_axis_problem(findings: Findings, found: Quantity) -> Flaw:
    """Why something has no axes, and the remedy; empty if it has them."""
    rigid, d = findings.rigids.get(found.of), findings.mechanism.dimension
    if rigid is None:
        remedy = suggest(found.of, findings.rigids, "Rigid parts")
        return Flaw(f"no rigid part named '{found.of}'", remedy, absent=True)
    if d == 2 and found.what not in ("xx", "xy", "vxx", "vxy"):
        return Flaw(f"there is no {found.what} in dimension 2", "Use xx, xy, angle and omega")
    if d == 3 and len(rigid.points) == 2:
        return Flaw(f"'{found.of}' is a thin rod, which has no axes of its own", "Give it a third point off the line")
    return Flaw()


def explain_quantity(name: str) -> Flaw:
    """What is wrong with a dotted name that is no quantity, and what to write."""
    of, _, what = name.rpartition(".")
    points = split_points(of)
    if what not in KNOWN:
        close = did_you_mean(what, KNOWN)
        return Flaw(f"unknown quantity '{what}'", close.replace("mean '", f"mean '{of}.") or LISTED)
    if not points:
        return Flaw(f"'{of}' does not name points", "A point is a letter with or without digits, as in A or P12")
    if what in OF_PAIRS:
        return Flaw(f"a {what} is between two points, not {len(points)}", f"Write AB.{what} for the points A and B")
    return Flaw(f"'{what}' belongs to one point, not {len(points)}", f"Write {points[0]}.{what}")


def find_turn_problem(findings: Findings, name: str) -> Flaw:
    """Why something has no turn angle, and the remedy; empty if it has one."""
    if findings.mechanism.dimension == 2:
        if name in findings.rigids:
            return Flaw()
        return Flaw(f"no rigid part named '{name}'", suggest(name, findings.rigids, "Rigid parts"), absent=True)
    turning = [joint.name for joint in findings.joints.values() if is_turning(joint.kind)]
    if name not in findings.joints:
        part = f"'{name}' is a part; " if name in findings.rigids else ""
        remedy = suggest(name, turning, "Joints with an angle") or "Add a revolute joint"
        told = f"{part}in 3D angles belong to joints. {remedy}" if part else remedy
        return Flaw(f"no joint named '{name}'", told, absent=True)
    if name not in turning:
        what = f"a {findings.joints[name].kind} joint has no angle"
        return Flaw(what, "Kinds with an angle are " + ", ".join(kind for kind in joint_kinds(3) if is_turning(kind)))
    return Flaw()


def is_turning(kind: str) -> bool:
    found = find_kind(3, kind)
    return found is not None and found.turns


# -- forces and torques -----------------------------------------------------------------------------------------------


def check_torque(findings: Findings, torque: Torque) -> None:
    part = torque.ref
    if findings.mechanism.dimension == 3 and torque.other is not None:
        what = "in dimension 3 a torque acts about the axis of a joint"
        findings.report(part, what, "Name one joint; it turns its second part against its first")
        return
    for name in (torque.part, torque.other):
        findings.tell(part, Flaw() if name is None else find_turn_problem(findings, name))
    if torque.part == torque.other:
        findings.report(part, "the torque is between a part and itself", "Name two different parts")


def check_moment(findings: Findings, moment: Moment) -> None:
    part = moment.ref
    if findings.mechanism.dimension == 2:
        remedy = f"Use Torques: {{{moment.body}: law}}"
        findings.report(part, "moments by components are for dimension 3", remedy)
        findings.spoilt.add(part)
        return
    for name in dict.fromkeys([moment.body, moment.other, moment.frame]):
        findings.tell(part, Flaw() if name is None else find_axis_problem(findings, Quantity(name, "wx")))
    if moment.body == moment.other:
        findings.report(part, "the moment is between a body and itself", "Name two different bodies")


def check_force(findings: Findings, force: Force) -> None:
    part = force.ref
    if not findings.known_points([force.point], part):
        return
    if force.point in findings.mechanism.fixed:
        findings.report(part, f"point '{force.point}' is fixed: the force does nothing", "Remove it or free the point")
    elif force.part is not None:
        check_force_frame(findings, force, force.part, part)


def check_force_frame(findings: Findings, force: Force, frame: str, part: Ref) -> None:
    """A force in the frame of a part acts at a point of the part, which has a frame."""
    rigid = findings.rigids.get(frame)
    if rigid is None:
        remedy = suggest(frame, findings.rigids, "Rigid parts")
        findings.report(part, f"no rigid part named '{frame}'", remedy, absent=True)
    elif force.point not in rigid.points:
        findings.report(
            part, f"'{force.point}' is not a point of '{frame}'", suggest(force.point, rigid.points, "Its points")
        )
    elif (
        findings.mechanism.dimension == 3
        and len(rigid.points) == 2
        and any(c is not ZERO for c in force.components[1:])
    ):
        remedy = "Give the force along x only, or the part a third point"
        findings.report(part, f"the thin rod '{frame}' has no y and z directions of its own", remedy)


def check_damper(findings: Findings, damper: Damper) -> None:
    part = damper.ref
    if len(damper.points) != 2 or damper.points[0] == damper.points[1]:
        findings.report(part, "a damper joins two different points", "Name it by its ends, as in 'AB'")
        findings.spoilt.add(part)
    elif not findings.known_points(damper.points, part):
        findings.spoilt.add(part)
    elif all(point in findings.mechanism.fixed for point in damper.points):
        findings.report(part, "both points are fixed: the damper does nothing", "Remove it")
    else:
        check_coefficient(findings, damper)


def check_coefficient(findings: Findings, damper: Damper) -> None:
    """A coefficient that is a number must not feed energy into the motion."""
    rate = symbol(f"{join_pair(damper.points)}.rate", kind="speed")
    coefficient = differentiate(damper.force, rate)
    if is_constant(coefficient) and all(s.name in findings.mechanism.values for s in free_symbols(coefficient)):
        findings.at_least_zero(coefficient, damper.ref, "coefficient")


def check_dissipation(findings: Findings, dissipation: Dissipation) -> None:
    law = dissipation.function
    known = all("." not in s.name or quantity(s.name) for s in free_symbols(law))  # else reported below
    if known and not findings.is_broken(law) and not any(found.what in OF_SPEED for _, found in quantities(law)):
        what, remedy = "function does not depend on a speed", "Write for example c/2*A.vx**2 or c/2*AB.rate**2"
        findings.report(Ref("dissipation", dissipation.name), what, remedy, detail="function")


# -- prescribed motions and events ------------------------------------------------------------------------------------


def check_motion(findings: Findings, motion: Driver) -> None:
    part = motion.ref
    check_time_only(findings, motion, part)
    found = quantity(motion.target)
    if findings.mechanism.words.meaning(motion.target) is not None:
        check_derived(findings, motion.target, part)
    elif is_wrong(findings, motion.target):
        return
    elif found is None:
        flaw = explain_quantity(motion.target) if "." in motion.target else Flaw("this cannot be prescribed")
        findings.report(part, flaw.what, flaw.remedy or DRIVEN)
    elif check_quantity(findings, motion.target, part, "target"):
        check_driven(findings, found, part)
        same = (frozenset(found.points or (found.of,)), INTEGRAL.get(found.what, found.what))
        count_driven(findings, part, same)


def check_derived(findings: Findings, target: str, part: Ref) -> None:
    """A prescribed quantity of a joint or body: only once, be it as a place or as its rate."""
    of, _, what = target.rpartition(".")
    plain = "travel" if what == "speed" else INTEGRAL.get(what, what.removesuffix("_rate"))
    count_driven(findings, part, (frozenset([of]), plain))


def count_driven(findings: Findings, part: Ref, same: tuple[frozenset[str], str]) -> None:
    """A place is prescribed once, or its speed."""
    findings.driven[same] += 1
    if findings.driven[same] == 2:
        findings.report(part, "is prescribed twice", "Remove one of the two motions")


def check_effort(findings: Findings, effort: Effort) -> None:
    part = effort.ref
    law = findings.mechanism.meaning(effort.on)
    found = quantities(law)
    if is_wrong(findings, effort.on):
        return
    if not found:
        remedy = "Name what it works on: guide.travel, hinge.angle, AB.length, A.x"
        findings.report(part, f"'{effort.on}' is no quantity of this mechanism", remedy)
    elif all(check_quantity(findings, s.name, part, "quantity") for s, _ in found):
        points = [point for _, x in found for point in x.points]
        if len(points) >= len(found) and all(point in findings.mechanism.fixed for point in points):
            what = f"'{effort.on}' does not move: the effort does nothing"
            findings.report(part, what, "Remove it, or name a quantity that moves")


def check_relation(findings: Findings, relation: Relation) -> None:
    part = relation.ref
    if not PART_OR_JOINT.fullmatch(relation.name):
        findings.report(part, "this is no name", "Use letters, digits and _, starting with a letter")
    found = quantities(relation.formula)
    known = all("." not in s.name or quantity(s.name) for s in free_symbols(relation.formula))
    speeds = speeds_in(relation.formula)
    if speeds:
        remedy = "Give a formula of places and angles, or put it under Velocity"
        findings.report(part, f"formula depends on the speed {speeds[0]}", remedy, detail="formula")
    elif states_in(relation.formula):
        findings.report(
            part, "formula depends on a state", "Give a formula of places, angles and time", detail="formula"
        )
    elif held := [name for name in inputs_in(relation.formula) if name in findings.mechanism.inputs]:
        what = f"formula depends on the input {held[0]}: places cannot follow when it jumps"
        remedy = "Put a formula of speeds under Velocity, or use a parameter"
        findings.report(part, what, remedy, detail="formula")
    elif known and not found:
        remedy = "Name places or angles, as in a.angle + b.angle"
        findings.report(part, "formula does not depend on the motion", remedy, detail="formula")


def check_time_only(findings: Findings, motion: Driver, part: Ref) -> None:
    others = [s.name for s, _ in quantities(motion.law)] + states_in(motion.law)
    if others:
        what = f"law depends on {others[0]}, not on time alone"
        findings.report(
            part, what, "Use t and parameters only; a force or torque may depend on the motion", detail="law"
        )
    elif (held := inputs_in(motion.law)) and not speeds_in(findings.mechanism.meaning(motion.target)):
        what = f"law depends on the input {held[0]}: places cannot follow when it jumps"
        findings.report(part, what, "Prescribe the rate, or use a parameter", detail="law")


def check_driven(findings: Findings, found: Quantity, part: Ref) -> None:
    """A motion of something that cannot move."""
    mechanism = findings.mechanism
    if found.what in OF_BODIES:
        return
    if found.what in OF_PARTS:
        if mechanism.dimension == 2 and sum(p in mechanism.fixed for p in findings.rigids[found.of].points) >= 2:
            findings.report(part, f"'{found.of}' has two fixed points and cannot turn", "Free one of them")
        return
    if all(point in mechanism.fixed for point in found.points):
        if len(found.points) == 1:
            remedy = f"Remove '{found.of}' from Fixed or the motion"
            findings.report(part, f"point '{found.of}' is fixed", remedy)
        else:
            findings.report(part, "both points are fixed", "Free one of them or remove the motion")
    elif len(found.points) == 2:
        a, b = found.points
        holding = next((r.name for r in mechanism.rigids if a in r.points and b in r.points), None)
        if holding is not None:
            what = f"'{a}' and '{b}' are points of the rigid part '{holding}', so their distance is fixed"
            findings.report(part, what, "Prescribe another length, or replace the part by one for each point")


def check_event(findings: Findings, event: Event) -> None:
    part = event.ref
    known = all("." not in s.name for s in free_symbols(event.when))
    if known and is_constant(event.when) and not findings.is_broken(event.when):
        findings.report(part, "when does not depend on the motion or on time", LISTED, detail="when")
    m = findings.mechanism
    switched = {str(x.ref.name) for x in (*m.joints, *m.relations, *m.velocity_constraints)}
    for name in (*event.on, *event.off):
        if name not in switched:
            remedy = suggest(name, switched, "These") or "Name a joint, relation or velocity constraint"
            findings.report(part, f"'{name}' cannot be switched on or off", remedy)
    for name in sorted({*event.on} & {*event.off}):
        findings.report(part, f"'{name}' is switched on and off at once", "Give it in one of the two")
    for target, _ in event.then:
        check_target(findings, target, part)


def check_target(findings: Findings, target: str, part: Ref) -> None:
    """What an event gives another value: a speed, a state or an input."""
    m = findings.mechanism
    if target in m.inputs or target in {state.name for state in m.states}:
        return
    if not speeds_in(m.meaning(target)):
        remedy = "Name a speed such as A.vx, OA.omega or pin.rate, a state, or an input"
        findings.report(part, f"'{target}' cannot change at once", remedy)
