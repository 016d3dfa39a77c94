"""Notes on what is allowed and hardly ever meant: unused fixed points, degrees, inertias."""

from __future__ import annotations

import math
from collections.abc import Iterator

from linkwork.errors import Ref, did_you_mean
from linkwork.model.bodies import Body
from linkwork.model.check.bodies import list_used_points
from linkwork.model.check.findings import Findings
from linkwork.model.connections import WORLD
from linkwork.model.parts import Rigid
from linkwork.symbolic import Expr, free_symbols

DEGREES = frozenset({30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0, 180.0, 225.0, 270.0, 300.0, 315.0, 330.0, 360.0})
RIGHT = "Angles are in radians: write {}"
MANY = 200  # points up to which names are compared
BEYOND = 30.0  # of a body's size: its radius of gyration


def check_unlikely(findings: Findings) -> None:
    """Notes on a mechanism that is otherwise right."""
    if findings.problems:
        return
    note_misspelt(findings)
    note_degrees(findings)
    note_inertias(findings)


def note_misspelt(findings: Findings) -> None:
    """Fixed points that nothing uses, and whose name is like that of a point that moves."""
    m = findings.mechanism
    given = [point for point in m.fixed if not point.startswith(f"{WORLD}.")]
    moving = [point for point in m.moving_points if "." not in point]
    if not given or len(given) + len(moving) > MANY:
        return
    used = {*list_used_points(m, fixed=False)}
    for point in given:
        alike = [other for other in moving if _looks_like(point, other)]
        if point not in used and alike:
            what = f"nothing is attached to it, while the point '{alike[0]}' moves"
            findings.note(Ref("fixed", point), what, f"Write one name for both, if {alike[0]} is meant to be fixed")


def _looks_like(one: str, other: str) -> bool:
    same = str.maketrans("0lI", "O11")
    if one.translate(same).lower() == other.translate(same).lower():
        return True
    return min(len(one), len(other)) > 2 and bool(did_you_mean(one, [other]))


def note_degrees(findings: Findings) -> None:
    """Angles that are round numbers of degrees."""
    for part, label, angle in _angles(findings):
        value = findings.number(angle, part, label)
        if value is not None and abs(value) in DEGREES:
            what = f"{label} is {value:g} radians, {value / (2 * math.pi):.3g} turns"
            findings.note(part, what, RIGHT.format(f"{value:g}*pi/180"))


def _angles(findings: Findings) -> Iterator[tuple[Ref, str, Expr]]:
    m = findings.mechanism
    for name, guess in m.start.angles.items():
        yield Ref("angle of", name), "the start", guess.value
    for body in m.bodies:
        for name, frame in body.frames.items():
            yield body.ref, f"angle of frame '{name}'", frame.angle
    for driver in m.motions:
        if driver.turns and not free_symbols(driver.law):
            yield driver.ref, "the prescribed angle", driver.law


def note_inertias(findings: Findings) -> None:
    """Inertias of bodies that would have to be far larger than where their points are."""
    made = {each.rigid.name for each in findings.mechanism.words.placed.values() if each.rigid is not None}
    for body in findings.mechanism.bodies:
        places = [*(frame.at for frame in body.frames.values()), body.centre]
        _note_inertia(findings, body, body.mass, body.inertia, places)
    for rigid in findings.mechanism.rigids:
        if rigid.name not in made:
            _note_inertia(findings, rigid, rigid.mass, rigid.inertia, [*rigid.geometry, rigid.centroid])


def _note_inertia(
    findings: Findings, part: Body | Rigid, mass: Expr, inertia: tuple[Expr, ...], places: list[tuple[Expr, ...]]
) -> None:
    numbers = [findings.numbers(place, part.ref, "place") for place in places]
    m, J = findings.number(mass, part.ref, "mass"), findings.numbers(inertia, part.ref, "inertia")
    size = max((math.hypot(*place) for place in numbers if place), default=0.0)
    if not m or not J or m < 0 or not size:
        return
    largest = max(J[:3])
    if largest > m * (BEYOND * size) ** 2:
        what = f"its inertia {largest:.4g} kg m² is that of a mass of {m:.4g} kg at {math.sqrt(largest / m):.4g} m"
        findings.note(part.ref, f"{what}, though its points are within {size:.4g} m", "Check the units: kg, m, kg m²")
