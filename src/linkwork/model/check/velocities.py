"""What can be wrong with constraints of velocities: formulas, rolling wheels, knife edges."""

from __future__ import annotations

import math

from linkwork.errors import Ref
from linkwork.model.check.connections import check_frame_name, check_side
from linkwork.model.check.findings import SMALLEST, Findings
from linkwork.model.connections import WORLD
from linkwork.model.laws import PART_OR_JOINT, VelocityConstraint, is_linear, quantity, speeds_in
from linkwork.model.rolling import KnifeEdge, Plane, Rolling
from linkwork.model.signals import states_in
from linkwork.symbolic import Expr, free_symbols


def check_velocity_constraint(findings: Findings, held: VelocityConstraint) -> None:
    part, law = held.ref, held.formula
    check_name(findings, held.name, part)
    if states_in(law):
        findings.report(
            part, "formula depends on a state", "Give a formula of speeds, places and time", detail="formula"
        )
    elif not all("." not in s.name or quantity(s.name) for s in free_symbols(law)):
        return  # reported with the laws
    elif not speeds_in(law) and not findings.is_broken(law):
        remedy = "Name speeds, as in A.vx - 2*B.vx; a formula of places belongs under Relations"
        findings.report(part, "formula does not depend on a speed", remedy, detail="formula")
    elif not is_linear(law):
        remedy = "Write it as a sum of speeds with factors of places, parameters and time, as in A.x*A.vy - v"
        findings.report(part, "formula is not linear in the speeds", remedy, detail="formula")


def check_name(findings: Findings, name: str, part: Ref) -> None:
    if not PART_OR_JOINT.fullmatch(name):
        remedy = "Use letters, digits and _, starting with a letter"
        findings.report(part, "this name cannot be used in formulas", remedy)


# -- wheels and edges -------------------------------------------------------------------------------------------------


def check_edge(findings: Findings, edge: KnifeEdge) -> None:
    check_name(findings, edge.name, edge.ref)
    check_moving_frame(findings, edge.frame, edge.ref)


def check_rolling(findings: Findings, rolling: Rolling) -> None:
    part, before = rolling.ref, len(findings.problems)
    check_name(findings, rolling.name, part)
    check_radii(findings, rolling, part)
    wheel = check_moving_frame(findings, rolling.frame, part)
    if isinstance(rolling.on, Plane):
        check_plane(findings, rolling.on, part)
    elif check_frame(findings, rolling.on, part) and wheel and _part(rolling.on) == _part(rolling.frame):
        findings.report(part, f"'{_part(rolling.frame)}' rolls on itself", "Name a frame of another body after `on`")
    if len(findings.problems) > before:
        findings.spoilt.add(part)


def check_radii(findings: Findings, rolling: Rolling, part: Ref) -> None:
    """The radius is positive, that of the tread at most as large."""
    radius, tread = (findings.number(x, part, what) for x, what in _radii(rolling))
    findings.bounds += [(rolling.radius, "<="), (rolling.tread, "<"), (rolling.radius - rolling.tread, "<")]
    if radius is not None and not radius > SMALLEST:
        findings.report(part, f"radius is not positive ({radius:g})", "Give a positive radius", detail="radius")
    elif radius is not None and tread is not None and not 0 <= tread <= radius:
        remedy = "Give the radius of a round tread, from 0 (a thin disc) to the whole radius (a ball)"
        findings.report(part, f"tread is out of range ({tread:g})", remedy, detail="tread")


def _radii(rolling: Rolling) -> list[tuple[Expr, str]]:
    same = rolling.tread is rolling.radius
    return [(rolling.radius, "radius"), (rolling.radius if same else rolling.tread, "radius" if same else "tread")]


def check_plane(findings: Findings, plane: Plane, part: Ref) -> None:
    findings.numbers(plane.point, part, "point")
    normal = findings.numbers(plane.normal, part, "normal")
    if normal and math.hypot(*normal) < SMALLEST:
        findings.report(
            part, "normal: its length is zero", "Give the direction that is up, such as [0, 0, 1]", detail="normal"
        )


def check_moving_frame(findings: Findings, frame: str, part: Ref) -> bool:
    """Whether something that moves has the frame."""
    if frame.startswith(f"{WORLD}."):
        findings.report(part, "the world does not move", "Name a frame of a body that does")
        return False
    return check_frame(findings, frame, part)


def check_frame(findings: Findings, frame: str, part: Ref) -> bool:
    """Whether a frame exists and has axes."""
    if not check_frame_name(findings, frame, part):
        return False
    name, point = _part(frame), findings.mechanism.words.point(frame)
    own = point if ("." in point and point != frame) or point in findings.points else frame.rpartition(".")[2]
    if not check_side(findings, name, own, part, framed=True):
        return False
    if findings.mechanism.dimension == 3 and name != WORLD and len(findings.rigids[name].points) == 2:
        findings.report(part, f"'{name}' is a thin rod, which has no axes of its own", "Give it a third point")
        return False
    return True


def _part(frame: str) -> str:
    return frame.rpartition(".")[0]
