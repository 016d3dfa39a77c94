"""What can be wrong with contacts."""

from __future__ import annotations

import math

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import Ref
from linkwork.model.cam import CLOSED, LOOKS, PHI, Cam
from linkwork.model.check.findings import SMALLEST, Findings
from linkwork.model.check.velocities import check_frame, check_name, check_plane
from linkwork.model.connections import WORLD
from linkwork.model.contact import Ball, Contact
from linkwork.model.rolling import Plane
from linkwork.symbolic import Expr, differentiate, evaluate_all

NOT_NEGATIVE = ("damping", "friction", "static")
POSITIVE = ("stiffness", "slip_speed", "stribeck", "impact_speed")


def check_contact(findings: Findings, contact: Contact) -> None:
    part, before = contact.ref, len(findings.problems)
    check_name(findings, contact.name, part)
    check_numbers(findings, contact, part)
    one = check_place(findings, contact.frame, part, contact.shape != "disc")
    if isinstance(contact.on, Plane):
        check_plane(findings, contact.on, part)
        other, two = WORLD, True
    elif isinstance(contact.on, Ball):
        other, two = owner(contact.on.frame), check_place(findings, contact.on.frame, part, True)
        check_balls(findings, contact, contact.on, part)
    elif isinstance(contact.on, Cam):
        other, two = owner(contact.on.frame), check_frame(findings, contact.on.frame, part)
        check_cam(findings, contact, contact.on, part)
    else:
        other, two = owner(contact.on), check_frame(findings, contact.on, part)
    if one and two:
        check_apart(findings, contact, other, part)
    if len(findings.problems) > before:
        findings.spoilt.add(part)


def check_apart(findings: Findings, contact: Contact, other: str, part: Ref) -> None:
    """Two shapes of one body always have the same distance, and so have those of the world."""
    own, fixed = owner(contact.frame), findings.mechanism.fixed
    still = own == WORLD or contact.frame in fixed
    if still and (other == WORLD or (isinstance(contact.on, Ball) and contact.on.frame in fixed)):
        findings.report(part, "nothing in it can move", "Name a frame of a body that does")
    elif own and own == other:
        findings.report(part, f"both shapes belong to '{own}'", "Name a frame of another body after `on`")
    elif isinstance(contact.on, Ball) and contact.on.frame == contact.frame:
        findings.report(part, f"both balls have the centre '{contact.frame}'", "Name two different frames or points")


def check_place(findings: Findings, name: str, part: Ref, is_round: bool) -> bool:
    """Whether there is a frame of this name, or a point where no direction counts."""
    if is_round and "." not in name:
        return findings.known_points([name], part)
    return check_frame(findings, name, part)


def check_numbers(findings: Findings, contact: Contact, part: Ref) -> None:
    """Every number in its range."""
    for key in POSITIVE:
        check_positive(findings, getattr(contact, key), part, key)
    for key in NOT_NEGATIVE:
        if (value := getattr(contact, key)) is not None and not (key == "damping" and contact.impact_speed is not None):
            findings.at_least_zero(value, part, key)
    if contact.shape != "point":
        check_positive(findings, contact.radius, part, "radius")
    e, low = findings.number(contact.restitution, part, "restitution"), 0.0 if contact.impact_speed is None else 0.01
    findings.bounds += [(contact.restitution - low, "<"), (1 - contact.restitution, "<")]
    if e is not None and not low <= e <= 1:
        findings.report(part, f"restitution is out of range ({e:g})", f"Use {low:g} to 1", detail="restitution")
    n = findings.number(contact.exponent, part, "exponent")
    if n is not None and not 1 <= n <= 10:
        findings.report(
            part, f"exponent is out of range ({n:g})", "Use 1 to 10; 3/2 is that of balls", detail="exponent"
        )


def check_balls(findings: Findings, contact: Contact, ball: Ball, part: Ref) -> None:
    check_positive(findings, ball.radius, part, "radius")
    if contact.shape == "disc" and findings.mechanism.dimension == 3:
        findings.report(part, "the rim of a disc touches planes only", "Write ball instead of disc")
    r, R = (findings.number(x, part, "radius") for x in (contact.radius, ball.radius))
    if ball.hollow and r is not None and R is not None and 0 < R <= r:
        what = f"a ball of radius {r:g} does not fit into one of radius {R:g}"
        findings.report(part, what, "Make the inner one smaller", detail="radius")


def check_cam(findings: Findings, contact: Contact, cam: Cam, part: Ref) -> None:
    """A closed curve round its frame, nowhere so hollow that a roller does not get to it."""
    if contact.shape == "disc" and findings.mechanism.dimension == 3:
        findings.report(part, "the rim of a disc touches planes only", "Write ball instead of disc")
    values, rho = findings.mechanism.values, findings.number(contact.radius, part, "radius")
    if findings.number(cam.sample, part, "radius of the cam") is None or findings.is_broken(cam.radius) or rho is None:
        return
    angle = np.linspace(0.0, 2 * math.pi, LOOKS + 1)
    slope = differentiate(cam.radius, PHI)
    known: dict[str, float | Floats] = {**values, PHI.name: angle}
    with np.errstate(all="ignore"):
        laws = evaluate_all([cam.radius, slope, differentiate(slope, PHI)], known)
        r, r1, r2 = (np.broadcast_to(np.asarray(x, dtype=np.float64), angle.shape) for x in laws)
        bend = (r**2 + 2 * r1**2 - r * r2) / (r**2 + r1**2) ** 1.5
    if not np.all(np.isfinite(r)) or not np.all(r > 0):
        where = angle[np.argmin(np.where(np.isfinite(r), r, -np.inf))]
        what = f"the radius of the cam is not positive at phi = {where:.4g}"
        findings.report(part, what, "Give a curve round the origin of its frame", detail="on")
    elif abs(r[-1] - r[0]) > CLOSED * r[0] or abs(r1[-1] - r1[0]) > 1e3 * CLOSED * r[0]:
        what = f"the curve is not closed: its radius is {r[0]:.6g} at phi = 0 and {r[-1]:.6g} after a turn"
        findings.report(part, what, "Use phi in sin(phi), cos(2*phi) and the like", detail="on")
    elif np.min(1 + rho * bend) <= 0:
        where = angle[np.argmin(bend)]
        what = f"a roller of radius {rho:.4g} does not reach into the hollow of the cam at phi = {where:.4g}"
        findings.report(part, what, f"Make it smaller than {-1 / np.min(bend):.4g}", detail="radius")


def check_positive(findings: Findings, given: Expr | None, part: Ref, label: str) -> None:
    if given is None:
        return
    value = findings.number(given, part, label)
    findings.bounds.append((given, "<="))
    if value is not None and not value > SMALLEST:
        findings.report(part, f"{label} is not positive ({value:g})", f"Give a positive {label}", detail=label)


def owner(frame: str) -> str:
    """The part of a frame; nothing for a point."""
    return frame.rpartition(".")[0]
