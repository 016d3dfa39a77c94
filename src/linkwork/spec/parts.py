"""PartData -> fixed points, rigid parts, springs, particles."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.model.convert import split_points
from linkwork.model.parts import Particle, Rigid, Spring
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.report import HOLE, ZERO, Report
from linkwork.symbolic import Expr

NAME_REMEDY = "Name a part by its points, each a letter with or without digits, as in OA or P1P2"


def read_fixed(report: Report, node: Node | None) -> dict[str, tuple[Expr, ...]]:
    """`Fixed: {O: [], A: [x, y]}`."""
    places: dict[str, tuple[Expr, ...]] = {}
    for name, _, line, value in _named_parts(report, node, "Fixed", "fixed", 1, 1):
        part = f"fixed '{name}'"
        report.locate(part, line)
        places[name] = report.vector(value, part)
    return places


def read_rigids(report: Report, node: Node | None) -> tuple[Rigid, ...]:
    """`Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}`."""
    parts = _named_parts(report, node, "Rigids", "rigid", 2)
    return tuple([_read_rigid(report, name, points, line, value) for name, points, line, value in parts])


def read_springs(report: Report, node: Node | None) -> tuple[Spring, ...]:
    """`Springs: {AB: [k, l, mu]}`; the mass mu may be left out."""
    parts = _named_parts(report, node, "Springs", "spring", 2, 2)
    return tuple([_read_spring(report, name, points, line, value) for name, points, line, value in parts])


def read_particles(report: Report, node: Node | None) -> tuple[Particle, ...]:
    """`Particles: {B: m}`."""
    particles = []
    for name, _, line, value in _named_parts(report, node, "Particles", "particle", 1, 1):
        part = f"particle '{name}'"
        report.locate(part, line)
        particles.append(Particle(point=name, mass=report.expression(value, part)))
    return tuple(particles)


def _read_rigid(report: Report, name: str, points: tuple[str, ...], line: int, node: Node) -> Rigid:
    part = f"rigid '{name}'"
    keys = report.section(node, part, ("Geom", "Dyna"))
    report.locate(part, line)
    geometry = ((ZERO, ZERO), *_read_geometry(report, part, points, line, keys.get("Geom")))
    centroid, mass, inertia = _read_dynamics(report, part, keys.get("Dyna"))
    return Rigid(name=name, points=points, geometry=geometry, centroid=centroid, mass=mass, inertia=(inertia,))


def _read_geometry(
    report: Report, part: str, points: tuple[str, ...], line: int, node: Node | None
) -> list[tuple[Expr, ...]]:
    """Local coordinates of all points but the first, which is the origin."""
    count = len(points) - 1
    unknown: list[tuple[Expr, ...]] = [(HOLE, HOLE)] * count
    example = "Geom: [[l]]" if count == 1 else "Geom: [" + ", ".join(["[x, y]"] * min(count, 3)) + "]"
    if node is None or node.empty:
        report.add(line, "Geom is missing", f"Write {example}", part)
        return unknown
    if node.kind != "list" or any(item.kind != "list" for item in node.items):
        report.add(node.line, "Geom is a list of lists of coordinates", f"Write {example}", part)
        return unknown
    if len(node.items) != count:
        others = ", ".join(points[1:9]) + (", ..." if count > 8 else "")
        what = f"the number of places in Geom is {len(node.items)}, but there are {count} to give ({others})"
        report.add(node.line, what, f"'{points[0]}' is the origin; write {example}", part)
        return unknown
    for point, item in zip(points[1:], node.items, strict=True):
        if item.line != line:
            report.details[part, f"place of '{point}'"] = item.line
    return [report.vector(item, part) for item in node.items]


def _read_dynamics(report: Report, part: str, node: Node | None) -> tuple[tuple[Expr, ...], Expr, Expr]:
    """Centroid, mass and inertia; a part without Dyna is massless."""
    if node is None or node.empty:
        return (ZERO, ZERO), ZERO, ZERO
    if node.kind != "list" or len(node.items) != 3 or node.items[0].kind != "list":
        what = "Dyna is a list of centroid, mass and inertia"
        report.add(node.line, what, "Write Dyna: [[x, y], mass, inertia]", part)
        return (HOLE, HOLE), HOLE, HOLE
    centroid, mass, inertia = node.items
    report.locate(part, report.lines[part], centroid=centroid, mass=mass, inertia=inertia)
    return report.vector(centroid, part), report.expression(mass, part), report.expression(inertia, part)


def _read_spring(report: Report, name: str, points: tuple[str, ...], line: int, node: Node) -> Spring:
    part = f"spring '{name}'"
    report.locate(part, line)
    if node.kind == "list" and len(node.items) in (2, 3):
        values = [report.expression(item, part) for item in node.items]
    else:
        what = f"expected [stiffness, rest length] or [stiffness, rest length, mass], not {node}"
        if node.kind == "list":
            what = f"{len(node.items)} values instead of two or three"
        report.add(node.line, what, "Write [k, l] or [k, l, mass]", part)
        values = [HOLE, HOLE]
    mass = values[2] if len(values) == 3 else ZERO
    return Spring(name=name, points=points, stiffness=values[0], rest_length=values[1], mass=mass)


def _named_parts(
    report: Report, node: Node | None, section: str, kind: str, least: int, most: int | None = None
) -> Iterator[tuple[str, tuple[str, ...], int, Node]]:
    """(name, points, line, value) of each part; `AC, BD: value` stands for two equal parts."""
    first_line: dict[str, int] = {}
    for key, line, value in report.entries(node, section):
        for name in key.split(","):
            name = name.strip()
            part = f"{kind} '{shorten(name)}'"
            points = split_points(name)
            if not points:
                report.incomplete = True
                report.add(line, "this is not the name of a part or point", NAME_REMEDY, part)
            elif len(points) < least or (most is not None and len(points) > most):
                report.incomplete = True
                wanted = {1: "one point", 2: "two points"}[least] if most else "two or more points"
                report.add(line, f"the name stands for {len(points)} points, not {wanted}", NAME_REMEDY, part)
            elif name in first_line:
                report.add(line, f"already defined on line {first_line[name]}", "Remove one of the two", part)
            else:
                first_line[name] = line
                yield name, points, line, value
