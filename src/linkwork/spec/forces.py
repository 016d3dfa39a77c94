"""AppliedForces -> gravity, torques, forces at points, dissipation."""

from __future__ import annotations

import re
from collections.abc import Callable

from linkwork.errors import Ref
from linkwork.model.convert import as_expr
from linkwork.model.friction import Friction
from linkwork.model.laws import Dissipation, Effort, Force, Moment
from linkwork.model.mechanism import STANDARD_GRAVITY, STANDARD_GRAVITY_3D
from linkwork.model.parts import Torque
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Report
from linkwork.symbolic import ZERO, Expr

BODIES = re.compile(r"\s*(\w+)(?:\s*,\s*(\w+))?(?:\s+in\s+(\w+))?\s*")
PLACE = re.compile(r"\s*([\w.]+)(?:\s+in\s+(\w+))?\s*")


def read_gravity(report: Report, node: Node | None) -> tuple[Expr, ...] | None:
    """`Gravity:` is 9.80665 downward; `Gravity: [gx, gy]` is that vector; no key at all is no gravity."""
    if node is None:
        return None
    report.locate(Ref("gravity"), node.line)
    if node.empty:
        down = STANDARD_GRAVITY_3D if report.dimension == 3 else STANDARD_GRAVITY
        return tuple([as_expr(value) for value in down])
    return report.vector(node, Ref("gravity"))


def read_constant_torques(report: Report, node: Node | None) -> list[Torque]:
    """`ConstTorques: {OA: tau}` turns OA against the world, `{'OA, AB': tau}` turns OA against AB."""
    return _read_torques(report, node, report.expression)


def read_torques(report: Report, node: Node | None) -> list[Torque]:
    """`Torques: {OA: law}`: the same by laws."""
    return _read_torques(report, node, report.law)


def _read_torques(report: Report, node: Node | None, read: Callable[[Node, Ref], Expr]) -> list[Torque]:
    torques = []
    for key, line, value in report.entries(node):
        name, *others = [name.strip() for name in key.split(",")]
        part = Ref("torque", name)
        report.locate(part, line)
        torques.append(Torque(part=name, value=read(value, part), other=others[0] if others else None))
    return torques


def read_forces(report: Report, node: Node | None) -> tuple[Force, ...]:
    """`Forces: {A: [fx, fy]}` in the world frame, `{A in OA: [fx, fy]}` in the frame of the part OA."""
    forces = []
    for key, line, value in report.entries(node):
        match = PLACE.fullmatch(key)
        if match is None:
            continue
        point, frame = match.groups()
        part = Ref("force", point if frame is None else f"{point} in {frame}")
        report.locate(part, line)
        forces.append(Force(point=point, part=frame, components=_read_components(report, value, part)))
    return tuple(forces)


def read_moments(report: Report, node: Node | None) -> tuple[Moment, ...]:
    """`Moments: {a: [mx, my, mz]}` in the world, `{a in a: [...]}` in body axes, `{'a, b': [...]}` on a against b."""
    moments = []
    for key, line, value in report.entries(node):
        match = BODIES.fullmatch(key)
        if match is None:
            continue
        body, other, frame = match.groups()
        moment = Moment(body=body, other=other, frame=frame, components=())
        part = Ref("moment", moment.name)
        report.locate(part, line)
        components = _read_components(report, value, part) if report.dimension == 3 else ()
        moments.append(Moment(body=body, other=other, frame=frame, components=components))
    return tuple(moments)


def read_efforts(report: Report, node: Node | None) -> tuple[Effort, ...]:
    """`Efforts: {guide.travel: -c*guide.speed, hinge.angle: tau}`."""
    efforts = []
    for name, line, value in report.entries(node):
        part = Ref("effort", name)
        report.locate(part, line, {"value": value})
        efforts.append(Effort(on=name, value=report.law(value, part)))
    return tuple(efforts)


def read_frictions(report: Report, node: Node | None) -> tuple[Friction, ...]:
    """`Friction: {belt: {speed: A.vx - v, limit: mu*m*g, hold: 1.3*mu*m*g}}`, or `speed: [A.vx, A.vy]`."""
    found = []
    for name, line, value in report.entries(node):
        part, keys = Ref("friction", name), report.section(value)
        report.locate(part, line, keys)
        if {"speed", "limit"} <= keys.keys():
            laws = {key: report.law(keys[key], part) for key in ("limit", "hold") if key in keys}
            node = keys["speed"]
            speeds = [report.law(x, part) for x in (node.items if node.kind == "list" else [node])]
            found.append(Friction(name=name, speed=speeds, **laws))
        else:
            report.incomplete = True
    return tuple(found)


def _read_components(report: Report, node: Node, part: Ref) -> tuple[Expr, ...]:
    n = report.dimension
    if node.kind != "list":
        return (HOLE,) * n
    report.check_size(node, part)
    for axis, item in zip("xyz", node.items, strict=False):
        report.details[part, f"{axis} component"] = item.line
    given = tuple([report.law(item, part) for item in node.items[:n]])
    return given + (ZERO,) * (n - len(given))


def read_dissipation(report: Report, node: Node | None) -> tuple[Dissipation, ...]:
    """`Dissipation: {air: c/2*(A.vx**2 + A.vy**2)}`."""
    dissipations = []
    for name, line, value in report.entries(node):
        part = Ref("dissipation", name)
        report.locate(part, line, {"function": value})
        dissipations.append(Dissipation(name=name, function=report.law(value, part)))
    return tuple(dissipations)
