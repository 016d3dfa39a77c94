"""Connections -> points on lines and in planes, named joints."""

from __future__ import annotations

from linkwork.errors import did_you_mean
from linkwork.model.connections import JOINT_KINDS, Collinear, Coplanar, Joint
from linkwork.model.convert import split_points
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.parts import NAME_REMEDY
from linkwork.spec.report import MAX_NAME, Entry, Report
from linkwork.symbolic import Expr

KEYS = ("kind", "parts", "points", "point", "axes", "axis", "references", "reference")
EXAMPLE = "Write {kind: revolute, parts: [world, OAB], point: O, axis: [0, 0, 1]}"
PLANE_REMEDY = "Use Collinear; points with the same name are pinned together anyway"


def read_collinears(report: Report, node: Node | None) -> tuple[Collinear, ...]:
    """`Collinear: [ABC, ABCD]`."""
    names = _read_point_lists(report, node, "Collinear", "collinear")
    return tuple([Collinear(name, points=points) for name, points in names])


def read_coplanars(report: Report, node: Node | None) -> tuple[Coplanar, ...]:
    """`Coplanar: [ABCD]`, in 3D."""
    names = _read_point_lists(report, node, "Coplanar", "coplanar")
    return tuple([Coplanar(name, points=points) for name, points in names])


def _read_point_lists(report: Report, node: Node | None, section: str, kind: str) -> list[tuple[str, tuple[str, ...]]]:
    if node is None or node.empty:
        return []
    found: dict[str, tuple[str, ...]] = {}
    for item in node.items if node.kind == "list" else [node]:
        if not report.expect(
            item, "scalar", section, f"a list of points such as [{'ABCD' if kind == 'coplanar' else 'ABC'}]"
        ):
            continue
        name, part = item.text, f"{kind} '{item.text}'"
        points = split_points(name)
        if not points or len(name) > MAX_NAME:
            part = f"{kind} '{shorten(name)}'"
            report.add(item.line, "this is not a list of points", NAME_REMEDY, part)
        elif name in found:
            report.add(item.line, "already listed", "Remove one of the two", part)
        else:
            report.locate(part, item.line)
            found[name] = points
    return list(found.items())


def read_joints(report: Report, node: Node | None) -> tuple[Joint, ...]:
    """`Joints: {hinge: {kind: revolute, parts: [world, OAB], point: O, axes: [[0, 1, 0], [0, 0, 1]]}}`, in 3D."""
    joints = [_read_joint(report, entry) for entry in report.entries(node, "Joints")]
    return tuple([joint for joint in joints if joint is not None])


def _read_joint(report: Report, entry: Entry) -> Joint | None:
    part = f"joint '{entry.key}'"
    keys = report.section(entry.value, part, KEYS)
    names = {"axes": ("axes", "axis"), "references": ("references", "reference")}
    found = {name: keys[key] for name, both in names.items() for key in both if key in keys}
    report.locate(part, entry.line, **found)
    if entry.value.kind != "map":
        return None
    kind = _read_kind(report, keys.get("kind"), entry.line, part)
    parts = _read_pair(report, keys, "parts", "", entry.line, part)
    points = _read_pair(report, keys, "points", "point", entry.line, part)
    axes = _read_directions(report, keys, "axes", "axis", part)
    references = _read_directions(report, keys, "references", "reference", part)
    if kind is None or parts is None or points is None or axes is None or references is None:
        report.incomplete = True
        return None
    along = axes or ((0, 0, 1), (0, 0, 1))
    return Joint(name=entry.key, kind=kind, parts=parts, points=points, axes=along, references=references)


def _read_kind(report: Report, node: Node | None, line: int, part: str) -> str | None:
    if node is None or node.empty:
        report.add(line, "the kind is missing", EXAMPLE, part)
        return None
    if node.kind == "scalar" and node.text in JOINT_KINDS:
        return node.text
    remedy = did_you_mean(node.text[:20], JOINT_KINDS) or "Kinds are " + ", ".join(JOINT_KINDS)
    report.add(node.line, f"no kind of joint is called {node}", remedy, part)
    return None


def _read_pair(
    report: Report, keys: dict[str, Node], both: str, same: str, line: int, part: str
) -> tuple[str, str] | None:
    """Two names, or one that stands for both."""
    if same in keys and both in keys:
        report.add(keys[same].line, f"both '{same}' and '{both}' are given", "Remove one of the two", part)
        return None
    if same in keys:
        name = report.text(keys[same], part)
        return None if name is None else (name, name)
    node = keys.get(both)
    if node is None or node.empty:
        report.add(line, f"the {both} are missing", EXAMPLE, part)
        return None
    if node.kind != "list" or len(node.items) != 2 or any(item.kind != "scalar" for item in node.items):
        report.add(node.line, f"{both} is a list of two names", EXAMPLE, part)
        return None
    return node.items[0].text, node.items[1].text


def _read_directions(
    report: Report, keys: dict[str, Node], both: str, same: str, part: str
) -> tuple[tuple[Expr, ...], ...] | None:
    """A direction in the frame of each part, or one that is the same in both; empty if not given."""
    if same in keys and both in keys:
        report.add(keys[same].line, f"both '{same}' and '{both}' are given", "Remove one of the two", part)
        return None
    if same in keys:
        direction = report.vector(keys[same], part)
        return direction, direction
    node = keys.get(both)
    if node is None or node.empty:
        return ()
    if node.kind != "list" or len(node.items) != 2 or any(item.kind != "list" for item in node.items):
        report.add(node.line, f"{both} is a list of two directions", f"Write {both}: [[0, 0, 1], [0, 0, 1]]", part)
        return None
    return report.vector(node.items[0], part), report.vector(node.items[1], part)


def check_plane(report: Report, keys: dict[str, Node]) -> None:
    """In 2D there are lines only."""
    for key in ("Coplanar", "Joints"):
        if report.dimension == 2 and key in keys and not keys[key].empty:
            report.add(keys[key].line, f"{key} is for dimension 3", PLANE_REMEDY, "Connections")
            del keys[key]
            report.incomplete = True
