"""Bodies -> named bodies with frames."""

from __future__ import annotations

from collections.abc import Mapping

from linkwork.errors import InputError, Ref
from linkwork.model.bodies import Body, Frame
from linkwork.spec.nodes import Node
from linkwork.spec.report import Entry, Report
from linkwork.symbolic import ZERO, Expr


def read_bodies(report: Report, node: Node | None) -> tuple[Body, ...]:
    """`Bodies: {crank: {mass: m, centre: [a/2], inertia: J, frames: {o: [], pin: [a]}}}`."""
    bodies = [_read_body(report, entry) for entry in report.entries(node)]
    return tuple([body for body in bodies if body is not None])


def _read_body(report: Report, entry: Entry) -> Body | None:
    part, keys = Ref("body", entry.key), report.section(entry.value)
    report.locate(part, entry.line, keys)
    report.lines[Ref("rigid", entry.key)] = entry.line
    frames = {frame.key: _read_frame(report, frame, part) for frame in report.entries(keys.get("frames"))}
    inertia = keys.get("inertia")
    try:
        return Body(
            entry.key,
            mass=report.expression(keys["mass"], part) if "mass" in keys else ZERO,
            centre=report.vector(keys["centre"], part) if "centre" in keys else (),
            inertia=() if inertia is None else _read_inertia(report, inertia, part),
            frames=frames,
        )
    except InputError as error:
        report.incomplete = True
        for problem in error.problems:
            report.add(entry.line, problem.what, problem.remedy, part)
        return None


def _read_inertia(report: Report, node: Node, part: Ref) -> tuple[Expr, ...]:
    """One number, or, in 3D, a list of them."""
    return tuple([report.expression(item, part) for item in (node.items if node.kind == "list" else [node])])


def _read_frame(report: Report, entry: Entry, part: Ref) -> Frame:
    """`[a]`, or `{at: [a], angle: pi/2}`, or in space `{at: [a], z: [0, 1, 0], x: [1, 0, 0]}`."""
    node = entry.value
    keys: Mapping[str, Node] = report.section(node) if node.kind == "map" else {} if node.empty else {"at": node}
    if "angle" in keys and report.dimension == 3:
        report.add(keys["angle"].line, f"frame '{entry.key}' has an angle", "In space give its z and x axes", part)
    for axis in ("z", "x"):
        if axis in keys and report.dimension == 2:
            report.add(keys[axis].line, f"frame '{entry.key}' has axes", "In the plane give its angle", part)
    report.details[part, f"frame '{entry.key}'"] = entry.line
    report.details |= {(part, f"{axis} of frame '{entry.key}'"): keys[axis].line for axis in "zx" if axis in keys}
    vectors = {key: report.vector(keys[key], part) for key in ("at", "z", "x") if key in keys}
    angle = report.expression(keys["angle"], part) if "angle" in keys else ZERO
    return Frame(vectors.get("at", ()), angle=angle, z=vectors.get("z", ()), x=vectors.get("x", ()))
