"""PartData -> fixed points, rigid parts, springs, dampers, particles."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.model.convert import split_points
from linkwork.model.laws import Damper
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


def read_springs(report: Report, node: Node | None) -> tuple[tuple[Spring, ...], tuple[Damper, ...]]:
    """`Springs: {AB: [k, l, mu], CD: {stiffness: k, length: l, mass: mu, damping: c}}`; mu and c may be left out."""
    springs: list[Spring] = []
    dampers: list[Damper] = []
    for name, points, line, value in _named_parts(report, node, "Springs", "spring", 2, 2):
        spring, damping = _read_spring(report, name, points, line, value)
        springs.append(spring)
        if damping is not None:
            dampers.append(Damper(name=name, points=points, coefficient=damping))
            report.lines.setdefault(f"damper '{name}'", line)
    return tuple(springs), tuple(dampers)


def read_dampers(report: Report, node: Node | None) -> tuple[Damper, ...]:
    """`Dampers: {AB: c, CD: {force: c*CD.rate*abs(CD.rate)}}`."""
    dampers: list[Damper] = []
    for name, points, line, value in _named_parts(report, node, "Dampers", "damper", 2, 2):
        part = f"damper '{name}'"
        report.locate(part, line)
        if value.kind == "map":
            keys = report.section(value, part, ("coefficient", "force"))
            report.locate(part, line, **keys)
            if len(keys) != 1:
                report.add(line, "give either the coefficient or the force", "Write c or {force: c*AB.rate}", part)
            force = report.law(keys["force"], part) if "force" in keys else None
            coefficient = report.law(keys["coefficient"], part) if "coefficient" in keys else None
            dampers.append(Damper(name=name, points=points, coefficient=coefficient, force=force))
        else:
            dampers.append(Damper(name=name, points=points, coefficient=report.law(value, part)))
    return tuple(dampers)


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
    geometry = ((ZERO,) * report.dimension, *_read_geometry(report, part, points, line, keys.get("Geom")))
    centroid, mass, inertia = _read_dynamics(report, part, len(points), keys.get("Dyna"))
    return Rigid(name=name, points=points, geometry=geometry, centroid=centroid, mass=mass, inertia=inertia)


def _read_geometry(
    report: Report, part: str, points: tuple[str, ...], line: int, node: Node | None
) -> list[tuple[Expr, ...]]:
    """Local coordinates of all points but the first, which is the origin."""
    count = len(points) - 1
    unknown: list[tuple[Expr, ...]] = [(HOLE,) * report.dimension] * count
    example = "Geom: [[l]]" if count == 1 else "Geom: [" + ", ".join(_places(report.dimension, count)) + "]"
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


def _places(dimension: int, count: int) -> list[str]:
    """How the places of a body are written; the third point of one in space is in the xy plane."""
    return ["[x, y]"] * min(count, 3) if dimension == 2 else ["[l]", "[x, y]", "[x, y, z]"][:count]


def _read_dynamics(
    report: Report, part: str, points: int, node: Node | None
) -> tuple[tuple[Expr, ...], Expr, tuple[Expr, ...] | None]:
    """Centroid, mass and inertia; a part without Dyna is massless, a rod without inertia is uniform."""
    n = report.dimension
    if node is None or node.empty:
        return (ZERO,) * n, ZERO, None
    sizes = (2, 3) if points == 2 else (3,)
    if node.kind != "list" or len(node.items) not in sizes or node.items[0].kind != "list":
        example = "[[x, y], mass, inertia]" if n == 2 else "[[x, y, z], mass, [Ixx, Iyy, Izz]]"
        what = "Dyna is a list of centroid, mass and inertia"
        report.add(node.line, what, f"Write Dyna: {example}", part)
        return (HOLE,) * n, HOLE, None
    named = dict(zip(("centroid", "mass", "inertia"), node.items, strict=False))
    report.locate(part, report.lines[part], **named)
    inertia = _read_inertia(report, part, named["inertia"]) if "inertia" in named else None
    return report.vector(named["centroid"], part), report.expression(named["mass"], part), inertia


def _read_inertia(report: Report, part: str, node: Node) -> tuple[Expr, ...]:
    """One number, or, in 3D, a list of them."""
    items = node.items if node.kind == "list" and report.dimension == 3 else [node]
    return tuple([report.expression(item, part) for item in items])


def _read_spring(
    report: Report, name: str, points: tuple[str, ...], line: int, node: Node
) -> tuple[Spring, Expr | None]:
    """The spring, and its damping if it has any."""
    part = f"spring '{name}'"
    report.locate(part, line)
    damping = None
    if node.kind == "map":
        before = len(report.problems)
        keys = report.section(node, part, ("stiffness", "length", "mass", "damping"))
        report.locate(part, line, **keys)
        missing = [key for key in ("stiffness", "length") if key not in keys]
        if missing and len(report.problems) == before:
            report.add(line, f"the {missing[0]} is missing", "Write {stiffness: k, length: l}", part)
        values = [report.expression(keys[key], part) if key in keys else HOLE for key in ("stiffness", "length")]
        values += [report.expression(keys["mass"], part)] if "mass" in keys else []
        damping = report.law(keys["damping"], part) if "damping" in keys else None
    elif node.kind == "list" and len(node.items) in (2, 3):
        values = [report.expression(item, part) for item in node.items]
    else:
        what = f"expected [stiffness, rest length] or [stiffness, rest length, mass], not {node}"
        if node.kind == "list":
            what = f"{len(node.items)} values instead of two or three"
        report.add(node.line, what, "Write [k, l] or [k, l, mass]", part)
        values = [HOLE, HOLE]
    mass = values[2] if len(values) == 3 else ZERO
    return Spring(name=name, points=points, stiffness=values[0], rest_length=values[1], mass=mass), damping


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
