"""What can be wrong with rigid parts: places, frame, inertia, and points that are fixed."""

from __future__ import annotations

import math
from collections import Counter
from typing import TypeAlias

import numpy as np

from linkwork.errors import Ref
from linkwork.model.bodies import is_hidden
from linkwork.model.check.findings import SMALLEST, Findings
from linkwork.model.parts import Rigid

SAME_PLACE = 1e-12  # relative to the size of the part: rounding of coordinates computed two ways
SAME_LENGTH = 1e-9  # relative: decimals a person writes for a square root
FLAT = 1e-6  # height over length of reference points below which their plane is lost to rounding
ORIGINS = {2: "(0, 0)", 3: "(0, 0, 0)"}
INERTIA_REMEDY = "No body has one that exceeds the sum of the other two; it is used as it is"

Place: TypeAlias = tuple[float, ...]


def check_rigid(findings: Findings, rigid: Rigid) -> None:
    part = rigid.ref
    findings.at_least_zero(rigid.mass, part, "mass")
    check_inertia(findings, rigid, part)
    check_centroid(findings, rigid, part)
    if check_points(findings, rigid, part):
        check_geometry(findings, rigid, part)


def check_points(findings: Findings, rigid: Rigid, part: Ref) -> bool:
    """Whether the points are distinct by name and each has a place."""
    points, places = rigid.points, rigid.geometry
    if len(points) < 2:
        findings.report(part, "a rigid part needs at least two points", "Use a particle for a single point")
    elif len(set(points)) < len(points):
        twice = next(point for point, count in Counter(points).items() if count > 1)
        findings.report(part, f"point '{twice}' occurs twice", "Name each point once")
    elif len(places) != len(points):
        findings.report(part, f"{len(places)} places for {len(points)} points", "Give one place per point")
    else:
        return True
    return False


def check_centroid(findings: Findings, rigid: Rigid, part: Ref) -> None:
    centroid = findings.numbers(rigid.centroid, part, "centroid")
    if centroid is None or findings.mechanism.dimension == 2 or len(rigid.points) > 2:
        return
    if math.hypot(*centroid[1:]) > SAME_LENGTH * math.hypot(*centroid):
        what = f"centroid {_show(tuple(centroid))} is not on the line of the thin rod"
        findings.report(part, what, "Place it at (x, 0, 0), or give the part a third point", detail="centroid")


# -- inertia ----------------------------------------------------------------------------------------------------------


def check_inertia(findings: Findings, rigid: Rigid, part: Ref) -> None:
    count, dimension = len(rigid.inertia), findings.mechanism.dimension
    if dimension == 2 or len(rigid.points) == 2:
        if count == 1:
            findings.at_least_zero(rigid.inertia[0], part, "inertia")
        else:
            what = "a thin rod" if dimension == 3 else "dimension 2"
            findings.report(
                part, f"inertia of {what} is one number, not {count}", "Give that about the centroid", detail="inertia"
            )
    elif count in (3, 6):
        numbers = findings.numbers(rigid.inertia, part, "inertia")
        findings.bounds += [(moment, "<") for moment in rigid.inertia[:3]]
        if numbers is not None:
            check_moments(findings, numbers, part)
    else:
        remedy = "Give [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] about the centroid"
        findings.report(
            part, f"inertia of a body in dimension 3 is 3 or 6 numbers, not {count}", remedy, detail="inertia"
        )


def check_moments(findings: Findings, numbers: list[float], part: Ref) -> None:
    """Principal moments are sums of two of three second moments that cannot be negative: 0 <= a, b, c <= (a+b+c)/2."""
    moments = sorted(numbers) if len(numbers) == 3 else principal_moments(numbers)
    slack = SAME_LENGTH * max(map(abs, moments))
    if moments[0] < -slack:
        what = f"inertia is not physical: a principal moment is negative ({moments[0]:g})"
        findings.report(part, what, "Make it zero or positive", detail="inertia")
    elif moments[2] > moments[0] + moments[1] + slack:
        a, b, c = (f"{moment:.6g}" for moment in moments)
        findings.note(part, f"inertia is not physical: principal moments {a}, {b} and {c}", INERTIA_REMEDY)


def principal_moments(numbers: list[float]) -> list[float]:
    """Of the matrix with the elements xx yy zz xy xz yz, in order of size."""
    xx, yy, zz, xy, xz, yz = numbers
    return [float(m) for m in np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])]


# -- geometry ---------------------------------------------------------------------------------------------------------


def check_geometry(findings: Findings, rigid: Rigid, part: Ref) -> None:
    rows = [
        findings.numbers(place, part, f"place of '{p}'") for p, place in zip(rigid.points, rigid.geometry, strict=True)
    ]
    places = [tuple(row) for row in rows if row is not None]
    if len(places) < len(rows):
        return
    size = max(math.hypot(*place) for place in places)
    if 0 < size < SMALLEST:
        findings.report(part, f"its points are {size:g} apart, too close", f"Use distances of {SMALLEST:g} or more")
    elif tiny := next((x for place in places for x in place if 0 < abs(x) < SMALLEST), 0.0):
        remedy = f"Use zero, or numbers of {SMALLEST:g} or more"
        findings.report(part, f"a coordinate of one of its points is {tiny:g}, out of range", remedy)
    elif any(places[0]):
        origin = ORIGINS[findings.mechanism.dimension]
        what = f"the first point '{rigid.points[0]}' is not at the local origin"
        findings.report(part, what, f"Place it at {origin}")
    elif check_distinct(findings, rigid, part, places, size) and check_frame(findings, rigid, part, places, size):
        check_fixed_points(findings, rigid, part, places)


def check_distinct(findings: Findings, rigid: Rigid, part: Ref, places: list[Place], size: float) -> bool:
    grid = size * SAME_PLACE or 1.0
    seen: dict[tuple[int, ...], str] = {}
    for point, place in zip(rigid.points, places, strict=True):
        if is_hidden(point):
            continue  # a frame may be next to a point that only carries the axes
        cell = tuple([round(x / grid) for x in place])
        if cell in seen:
            what = f"points '{seen[cell]}' and '{point}' coincide"
            findings.report(part, what, "Give each point its own place; a rod needs a positive length")
            return False
        seen[cell] = point
    return True


def check_frame(findings: Findings, rigid: Rigid, part: Ref, places: list[Place], size: float) -> bool:
    """The second point is on the positive x axis; in 3D the third is in the xy plane, at positive y."""
    first, second = rigid.points[:2]
    x, *across = places[1]
    # frames of bodies may be on either side
    is_body = rigid.name in findings.mechanism.words.placed
    findings.bounds.append((rigid.geometry[1][0], "==" if is_body else "<="))
    if x < 0 or math.hypot(*across) > SAME_PLACE * size:
        zeros = ", 0" * len(across)
        what = f"'{second}' is at {_show(places[1])}, not on the positive local x axis"
        remedy = f"Place '{second}' at (distance from '{first}'{zeros}) and turn the other points with it"
        findings.report(part, what, remedy)
    elif findings.mechanism.dimension == 3 and len(places) > 2:
        return check_third(findings, rigid, part, places, size)
    else:
        return True
    return False


def check_third(findings: Findings, rigid: Rigid, part: Ref, places: list[Place], size: float) -> bool:
    first, second, third = rigid.points[:3]
    _, y, z = places[2]
    if rigid.name not in findings.mechanism.words.placed:
        findings.bounds.append((rigid.geometry[2][1], "<="))
    if math.hypot(y, z) <= FLAT * size:
        what = f"the reference points '{first}', '{second}' and '{third}' are on one line"
        findings.report(part, what, "Name a point off the line third; it defines the local xy plane")
    elif y <= 0 or abs(z) > SAME_PLACE * size:
        what = f"'{third}' is at {_show(places[2])}, not in the upper half of the local xy plane"
        findings.report(part, what, f"Turn the local frame about x so that '{third}' is at (x, y, 0) with y > 0")
    else:
        return True
    return False


def check_fixed_points(findings: Findings, rigid: Rigid, part: Ref, places: list[Place]) -> None:
    """Points of one body that are all fixed must keep their places relative to each other."""
    fixed = findings.mechanism.fixed
    held = [(p, z) for p, z in zip(rigid.points, places, strict=True) if p in fixed]
    worlds = [findings.numbers(fixed[point], part, "fixed points") for point, _ in held]
    w = [tuple(world) for world in worlds if world is not None]
    if len(held) < 2 or len(w) < len(held):
        return
    names, z = [point for point, _ in held], [place for _, place in held]
    if abs(math.dist(w[0], w[1]) / math.dist(z[0], z[1]) - 1) > SAME_LENGTH:
        lengths = f"{math.dist(w[0], w[1]):g} apart, but {math.dist(z[0], z[1]):g} in the part"
        what = f"fixed points '{names[0]}' and '{names[1]}' are {lengths}"
        findings.report(part, what, "Make both distances equal or free one of the points")
        return
    for k in range(2, len(held)):
        if not _same_shape(w[: k + 1], z[: k + 1]):
            what = f"fixed point '{names[k]}' is not where the part has it"
            findings.report(part, what, f"Move or free '{names[k]}'")


def _same_shape(w: list[Place], z: list[Place]) -> bool:
    """Whether the last of the points has the same distances to the others, on the same side."""
    size = max(math.dist(place, z[0]) for place in z)
    far = any(
        abs(math.dist(w[-1], a) - math.dist(z[-1], b)) > SAME_LENGTH * size for a, b in zip(w[:-1], z[:-1], strict=True)
    )
    return not far and abs(_volume(w) - _volume(z)) <= SAME_LENGTH * size ** len(w[0])


def _volume(places: list[Place]) -> float:
    """The signed area (2D) or volume (3D) that the last point spans with the first ones; 0 if they are too few."""
    dimension = len(places[0])
    if len(places) <= dimension:
        return 0.0
    spanning = [*places[1:dimension], places[-1]]
    return float(np.linalg.det([np.subtract(place, places[0]) for place in spanning]))


def _show(place: Place) -> str:
    return f"({', '.join(f'{x:g}' for x in place)})"
