"""Connections -> points on lines and in planes, named joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linkwork.errors import InputError, Ref
from linkwork.model.cam import Cam
from linkwork.model.connections import Collinear, Coplanar, Joint
from linkwork.model.contact import SHAPES, VALUES, Ball, Contact, find_contradictions
from linkwork.model.convert import split_points
from linkwork.model.joints.kinds import joint_kinds, parameter_names
from linkwork.model.laws import Relation, VelocityConstraint
from linkwork.model.rolling import KnifeEdge, Plane, Rolling
from linkwork.model.stops import Stop
from linkwork.spec.nodes import Node
from linkwork.spec.report import HOLE, Entry, Report
from linkwork.symbolic import ZERO, Expr


def read_collinears(report: Report, node: Node | None) -> tuple[Collinear, ...]:
    """`Collinear: [ABC, ABCD]`."""
    names = _read_point_lists(report, node, "collinear")
    return tuple([Collinear(name, points=points) for name, points in names])


def read_coplanars(report: Report, node: Node | None) -> tuple[Coplanar, ...]:
    """`Coplanar: [ABCD]`, in 3D."""
    if report.dimension == 2:
        return ()
    names = _read_point_lists(report, node, "coplanar")
    return tuple([Coplanar(name, points=points) for name, points in names])


def _read_point_lists(report: Report, node: Node | None, kind: str) -> list[tuple[str, tuple[str, ...]]]:
    found: dict[str, tuple[str, ...]] = {}
    for item in [] if node is None else node.items if node.kind == "list" else [node]:
        name, part = report.text(item) or "", Ref(kind, item.text)
        points = split_points(name)
        if name in found:
            report.add(item.line, "already listed", "Remove one of the two", part)
        elif points:
            report.locate(part, item.line)
            found[name] = points
    return list(found.items())


def read_joints(report: Report, node: Node | None) -> tuple[Joint, ...]:
    """`Joints: {big: {kind: revolute, frames: [crank.pin, rod.big]}}`, or by parts, points and axes."""
    joints = [_read_joint(report, entry) for entry in report.entries(node)]
    return tuple([joint for joint in joints if joint is not None])


def _read_joint(report: Report, entry: Entry) -> Joint | None:
    part = Ref("joint", entry.key)
    keys = report.section(entry.value)
    names = {"axes": ("axes", "axis"), "references": ("references", "reference")}
    found = {name: keys[key] for name, both in names.items() for key in both if key in keys}
    report.locate(part, entry.line, found)
    kind = report.text(keys.get("kind"))
    frames = _read_pair(report, keys, "frames", "")
    parts = _read_pair(report, keys, "parts", "")
    points = _read_pair(report, keys, "points", "point")
    axes = _read_directions(report, keys, "axes", "axis", part)
    references = _read_directions(report, keys, "references", "reference", part)
    if frames is None and parts is not None and points is None and not {"points", "point"} & keys.keys():
        remedy = "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}"
        report.add(entry.line, "the points are missing", remedy, part)
    known = any(kind in joint_kinds(dimension) for dimension in (2, 3))
    if (
        not known
        or kind is None
        or axes is None
        or references is None
        or (frames is None and (parts is None or points is None))
    ):
        report.incomplete = True
        return None
    own = {name: report.expression(keys[name], part) for name in parameter_names() if name in keys}
    if frames is not None:
        return Joint(name=entry.key, kind=kind, frames=frames, parameters=own, active=is_active(report, keys))
    return Joint(
        name=entry.key, kind=kind, parts=parts or (), points=points or (), axes=axes, references=references,
        parameters=own, active=is_active(report, keys),
    )  # fmt: skip


def read_relations(report: Report, node: Node | None) -> tuple[Relation, ...]:
    """`Relations: {gear: 20*a.angle + 40*b.angle}`."""
    relations = []
    for name, line, value in report.entries(node):
        part = Ref("relation", name)
        report.locate(part, line, {"formula": value})
        formula, active = _read_formula(report, value, part)
        relations.append(Relation(name=name, formula=formula, active=active))
    return tuple(relations)


def read_velocities(report: Report, node: Node | None) -> tuple[VelocityConstraint, ...]:
    """`Velocity: {skate: A.vx*sin(OA.angle) - A.vy*cos(OA.angle)}`."""
    held = []
    for name, line, value in report.entries(node):
        part = Ref("velocity", name)
        report.locate(part, line, {"formula": value})
        formula, active = _read_formula(report, value, part)
        held.append(VelocityConstraint(name=name, formula=formula, active=active))
    return tuple(held)


def read_stops(report: Report, node: Node | None) -> tuple[Stop, ...]:
    """`Stops: {floor: {gap: A.y - r, restitution: e}}`, `{floor: A.y - r}`, `{pawl: {speed: OA.omega}}`."""
    stops = []
    for name, line, value in report.entries(node):
        part = Ref("stop", name)
        keys = {"gap": value} if value.kind == "scalar" else report.section(value)
        report.locate(part, line, keys)
        laws = {key: report.law(keys[key], part) for key in ("gap", "speed", "restitution") if key in keys}
        if len(laws.keys() & {"gap", "speed"}) == 1 and not ("speed" in laws and "restitution" in laws):
            stops.append(Stop(name=name, **laws))
        else:
            report.incomplete = True
    return tuple(stops)


def read_contacts(report: Report, node: Node | None) -> tuple[Contact, ...]:
    """`Contacts: {floor: {ball: b.c, radius: r, on: world.floor, stiffness: k, friction: mu}}`."""
    found = [_read_contact(report, entry) for entry in report.entries(node)]
    return tuple([contact for contact in found if contact is not None])


def _read_contact(report: Report, entry: Entry) -> Contact | None:
    part, keys = Ref("contact", entry.key), report.section(entry.value)
    report.locate(part, entry.line, {key: keys[key] for key in VALUES if key in keys})
    shapes = {key: text for key in SHAPES if (text := report.text(keys.get(key))) is not None}
    values = {key: report.expression(keys[key], part) for key in VALUES if key in keys}
    kept = report.text(keys.get("kept")) == "yes"
    nameless = any(key in keys and key not in shapes for key in SHAPES)  # reported with its shape
    problems = [] if nameless else list(find_contradictions(part, list(shapes), set(values), kept))
    for problem in problems:
        report.add(entry.line, problem.what, problem.remedy, part)
    on = _read_surface(report, keys.get("on"), part)
    if problems or nameless or on is None:
        report.incomplete = True
        return None
    given: dict[str, Any] = {**shapes, **values}
    return Contact(name=entry.key, on=on, kept=kept, **given)


def _read_surface(report: Report, node: Node | None, part: Ref) -> str | Plane | Ball | Cam | None:
    """A plane, a ball `{ball: b.c, radius: R}`, its inside `{bowl: b.c, radius: R}`, a cam `{cam: c, radius: ...}`."""
    keys = report.section(node) if node is not None and node.kind == "map" else {}
    if (cam := report.text(keys.get("cam"))) is not None:
        return _read_cam(report, cam, keys, part)
    ball, bowl = (report.text(keys.get(key)) for key in ("ball", "bowl"))
    if ball is None and bowl is None:
        return _read_plane(report, node, part)
    if (ball is not None and bowl is not None) or "radius" not in keys:
        return None
    radius = report.expression(keys["radius"], part)
    return Ball(frame=ball or bowl or "", radius=radius, hollow=bowl is not None)


def _read_cam(report: Report, frame: str, keys: dict[str, Node], part: Ref) -> Cam | None:
    """`{cam: disc.axis, radius: R + e*cos(phi)}`, or `{cam: disc.axis, points: [[1, 0], [0, 1.2], ...]}`."""
    if ("radius" in keys) == ("points" in keys):
        report.add(keys["cam"].line, "give either a radius or points", "Write radius: R + e*cos(phi)", part)
        return None
    if "radius" in keys:
        return Cam(frame=frame, radius=report.curve(keys["radius"], part))
    try:
        return Cam(frame=frame, points=[[_as_float(x) for x in place.items] for place in keys["points"].items])
    except InputError as error:
        for problem in error.problems:
            report.add(keys["points"].line, problem.what, problem.remedy, part)
    return None


def _as_float(node: Node) -> Any:
    """A number, or what is written in its place."""
    try:
        return float(node.text)
    except ValueError:
        return node.text


def _read_formula(report: Report, node: Node, part: Ref) -> tuple[Expr, bool]:
    """A formula that stays zero, and whether from the start on: `formula`, or `{formula: ..., active: no}`."""
    keys = {"formula": node} if node.kind == "scalar" else report.section(node)
    formula = report.law(keys["formula"], part) if "formula" in keys else HOLE
    return formula, is_active(report, keys)


def is_active(report: Report, keys: Mapping[str, Node]) -> bool:
    """Whether a constraint holds from the start on."""
    return report.text(keys.get("active")) != "no"


def read_rollings(report: Report, node: Node | None) -> tuple[Rolling, ...]:
    """`Rolling: {rear: {wheel: rear.axle, radius: R}, marble: {ball: marble.c, radius: r, on: table.top}}`."""
    found = [_read_rolling(report, entry) for entry in report.entries(node)]
    return tuple([rolling for rolling in found if rolling is not None])


def _read_rolling(report: Report, entry: Entry) -> Rolling | None:
    part, keys = Ref("rolling", entry.key), report.section(entry.value)
    report.locate(part, entry.line, {key: keys[key] for key in ("radius", "tread") if key in keys})
    wheel, ball = (report.text(keys.get(key)) for key in ("wheel", "ball"))
    if bool(wheel) == bool(ball) or "radius" not in keys:
        report.incomplete = True
        return None
    tread = report.expression(keys["tread"], part) if "tread" in keys else ZERO
    radius, on = report.expression(keys["radius"], part), _read_plane(report, keys.get("on"), part)
    return Rolling(name=entry.key, wheel=wheel or "", ball=ball or "", radius=radius, tread=tread, on=on)


def _read_plane(report: Report, node: Node | None, part: Ref) -> str | Plane:
    """`on: table.top`, or `on: {point: [0, 0, h], normal: [sin(a), 0, cos(a)]}`; the ground if left out."""
    if node is None or node.kind == "list":
        return Plane()
    if node.kind != "map":
        return report.text(node) or Plane()
    keys = report.section(node)
    report.locate(part, report.lines[part], keys)
    point, normal = (report.vector(keys[key], part) if key in keys else () for key in ("point", "normal"))
    return Plane(point=point, normal=normal)


def read_edges(report: Report, node: Node | None) -> tuple[KnifeEdge, ...]:
    """`KnifeEdge: {skate: sleigh.edge}`."""
    edges = []
    for name, line, value in report.entries(node):
        report.locate(Ref("edge", name), line)
        if (frame := report.text(value)) is not None:
            edges.append(KnifeEdge(name=name, frame=frame))
    return tuple(edges)


def _read_pair(report: Report, keys: dict[str, Node], both: str, same: str) -> tuple[str, str] | None:
    """Two names, or one that stands for both."""
    node = keys.get(both)
    items = [keys[same]] * 2 if same in keys else node.items if node is not None else []
    names = [name for name in map(report.text, items) if name is not None]
    return (names[0], names[1]) if len(names) == 2 else None


def _read_directions(
    report: Report, keys: dict[str, Node], both: str, same: str, part: Ref
) -> tuple[tuple[Expr, ...], ...] | None:
    """A direction in the frame of each part, or one that is the same in both; empty if not given."""
    if same in keys:
        direction = report.vector(keys[same], part)
        return direction, direction
    node = keys.get(both)
    if node is None or node.empty:
        return ()
    if node.kind != "list" or len(node.items) != 2:
        return None
    return report.vector(node.items[0], part), report.vector(node.items[1], part)
