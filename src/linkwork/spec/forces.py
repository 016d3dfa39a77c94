"""AppliedForces -> gravity and torques."""

from __future__ import annotations

from linkwork.model.convert import as_expr
from linkwork.model.mechanism import STANDARD_GRAVITY
from linkwork.model.parts import Torque
from linkwork.spec.nodes import Node
from linkwork.spec.report import Report
from linkwork.symbolic import Expr


def read_gravity(report: Report, node: Node | None) -> tuple[Expr, ...] | None:
    """`Gravity:` is (0, -9.80665); `Gravity: [gx, gy]` is that vector; no key at all is no gravity."""
    if node is None:
        return None
    report.locate("gravity", node.line)
    if node.empty:
        return tuple([as_expr(value) for value in STANDARD_GRAVITY])
    return report.vector(node, "gravity")


def read_torques(report: Report, node: Node | None) -> tuple[Torque, ...]:
    """`ConstTorques: {OA: tau}` turns OA against the world, `{'OA, AB': tau}` turns OA against AB."""
    torques = []
    for key, line, value in report.entries(node, "ConstTorques"):
        names = [name.strip() for name in key.split(",")]
        part = f"torque '{names[0]}'"
        report.locate(part, line)
        if len(names) > 2:
            remedy = "Write one part, or two for a torque on the first relative to the second"
            report.add(line, f"a torque acts on one or two parts, not {len(names)}", remedy, part)
        else:
            other = names[1] if len(names) == 2 else None
            torques.append(Torque(part=names[0], value=report.expression(value, part), other=other))
    return tuple(torques)
