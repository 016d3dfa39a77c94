"""PartData -> fixed points, rigid parts, springs, dampers, particles."""

from __future__ import annotations

from collections.abc import Iterator

from linkwork.errors import Ref
from linkwork.model.convert import split_points
from linkwork.model.laws import FRAME_POINT, Damper
from linkwork.model.parts import Particle, Rigid, Spring
from linkwork.spec.check import example_places
from linkwork.spec.nodes import Node, shorten
from linkwork.spec.report import HOLE, Report
from linkwork.spec.schema import find_names
from linkwork.spec.schema_words import DYNAMICS, FORMULA
from linkwork.symbolic import ZERO, Expr


def read_fixed(report: Report, node: Node | None) -> dict[str, tuple[Expr, ...]]:
    """`Fixed: {O: [], A: [x, y]}`."""
    places: dict[str, tuple[Expr, ...]] = {}
    for name, _, line, value in _named_parts(report, node, "Fixed"):
        part = Ref("fixed", name)
        report.locate(part, line)
        places[name] = report.vector(value, part)
    return places


def read_rigids(report: Report, node: Node | None) -> tuple[Rigid, ...]:
    """`Rigids: {OA: {Geom: [[l]], Dyna: [[l/2], m, m*l**2/12]}}`."""
    parts = _named_parts(report, node, "Rigids")
    return tuple([_read_rigid(report, name, points, line, value) for name, points, line, value in parts])


def read_springs(report: Report, node: Node | None) -> list[Spring | Damper]:
    """`Springs: {AB: [k, l, mu], CD: {stiffness: k, length: l, mass: mu, damping: c}}`; mu and c may be left out."""
    found: list[Spring | Damper] = []
    for name, points, line, value in _named_parts(report, node, "Springs"):
        spring, damping = _read_spring(report, name, points, line, value)
        found.append(spring)
        if damping is not None:
            found.append(Damper(name=name, points=points, coefficient=damping))
            report.lines.setdefault(Ref("damper", name), line)
    return found


def read_dampers(report: Report, node: Node | None) -> tuple[Damper, ...]:
    """`Dampers: {AB: c, CD: {force: c*CD.rate*abs(CD.rate)}}`."""
    dampers: list[Damper] = []
    for name, points, line, value in _named_parts(report, node, "Dampers"):
        part = Ref("damper", name)
        report.locate(part, line)
        keys = report.section(value) if value.kind == "map" else {"coefficient": value}
        report.locate(part, line, keys)
        laws = {key: report.law(law, part) for key, law in keys.items() if key in ("coefficient", "force")}
        dampers.append(Damper(name=name, points=points, **(laws if len(laws) == 1 else {"force": HOLE})))
    return tuple(dampers)


def read_particles(report: Report, node: Node | None) -> tuple[Particle, ...]:
    """`Particles: {B: m}`."""
    particles = []
    for name, _, line, value in _named_parts(report, node, "Particles"):
        part = Ref("particle", name)
        report.locate(part, line)
        particles.append(Particle(point=name, mass=report.expression(value, part)))
    return tuple(particles)


def _read_rigid(report: Report, name: str, points: tuple[str, ...], line: int, node: Node) -> Rigid:
    part = Ref("rigid", name)
    keys = report.section(node)
    report.locate(part, line)
    geometry = ((ZERO,) * report.dimension, *_read_geometry(report, name, points, line, keys.get("Geom")))
    centroid, mass, inertia = _read_dynamics(report, part, len(points), keys.get("Dyna"))
    return Rigid(name=name, points=points, geometry=geometry, centroid=centroid, mass=mass, inertia=inertia)


def _read_geometry(
    report: Report, name: str, points: tuple[str, ...], line: int, node: Node | None
) -> list[tuple[Expr, ...]]:
    """Local coordinates of all points but the first, which is the origin."""
    part, count = Ref("rigid", name), len(points) - 1
    unknown: list[tuple[Expr, ...]] = [(HOLE,) * report.dimension] * count
    if node is None or node.kind != "list":
        return unknown
    if len(node.items) != count:
        others = ", ".join(points[1:9]) + (", ..." if count > 8 else "")
        what = f"the number of places in Geom is {len(node.items)}, but there are {count} to give ({others})"
        remedy = f"'{points[0]}' is the origin; write Geom: {example_places(name, report.dimension)}"
        if name.isalpha() and name.islower() and len(name) > 2 and "".join(points) == name:
            listed = ", ".join("OABCDEFG"[: len(node.items) + 1]) if len(node.items) < 8 else "O, A, ..."
            remedy = (
                f"If '{name}' is a name and not a list of points, say them: {name}: {{points: [{listed}], Geom: ...}}"
            )
        report.add(node.line, what, remedy, part)
        return unknown
    for point, item in zip(points[1:], node.items, strict=True):
        if item.line != line:
            report.details[part, f"place of '{point}'"] = item.line
    return [report.vector(item, part) for item in node.items]


def _read_dynamics(
    report: Report, part: Ref, points: int, node: Node | None
) -> tuple[tuple[Expr, ...], Expr, tuple[Expr, ...] | None]:
    """Centroid, mass and inertia; a part without Dyna is massless, a rod without inertia is uniform."""
    n = report.dimension
    if node is None or node.empty:
        return (ZERO,) * n, ZERO, None
    if not 2 <= len(node.items) <= 3:
        return (HOLE,) * n, HOLE, None
    if len(node.items) == 2 and points > 2:
        report.say(node, DYNAMICS, part)
        return (HOLE,) * n, HOLE, None
    named = dict(zip(("centroid", "mass", "inertia"), node.items, strict=False))
    report.locate(part, report.lines[part], named)
    inertia = _read_inertia(report, part, named["inertia"]) if "inertia" in named else None
    return report.vector(named["centroid"], part), report.expression(named["mass"], part), inertia


def _read_inertia(report: Report, part: Ref, node: Node) -> tuple[Expr, ...]:
    """One number, or, in 3D, a list of them."""
    if node.kind == "list" and report.dimension == 2:
        report.say(node, FORMULA, part)
        return (HOLE,)
    return tuple([report.expression(item, part) for item in (node.items if node.kind == "list" else [node])])


def _read_spring(
    report: Report, name: str, points: tuple[str, ...], line: int, node: Node
) -> tuple[Spring, Expr | None]:
    """The spring, and its damping if it has any."""
    part = Ref("spring", name)
    listed = dict(zip(("stiffness", "length", "mass"), node.items, strict=False))
    keys = report.section(node) if node.kind == "map" else listed
    report.locate(part, line, keys)
    stiffness, length, mass = [
        report.expression(keys[key], part) if key in keys else absent
        for key, absent in (("stiffness", HOLE), ("length", HOLE), ("mass", ZERO))
    ]
    damping = report.law(keys["damping"], part) if "damping" in keys else None
    return Spring(name=name, points=points, stiffness=stiffness, rest_length=length, mass=mass), damping


def _read_points(report: Report, node: Node) -> tuple[str, ...]:
    """The points of a part that has an ordinary name: `points: [O, A]`."""
    listed = report.section(node).get("points") if node.kind == "map" else None
    items = listed.items if listed is not None else ()
    return tuple([name for name in map(report.text, items) if name is not None])


def _named_parts(report: Report, node: Node | None, section: str) -> Iterator[tuple[str, tuple[str, ...], int, Node]]:
    """(name, points, line, value) of each part; `AC, BD: value` stands for two equal parts."""
    first_line: dict[str, int] = {}
    kind, least, most = find_names(section)
    for key, line, value in report.entries(node):
        for name in key.split(","):
            name = name.strip()
            points = _read_points(report, value) or ((name,) if FRAME_POINT.fullmatch(name) else split_points(name))
            if not least <= len(points) <= most:
                continue
            if name in first_line:
                what = f"already defined on line {first_line[name]}"
                report.add(line, what, "Remove one of the two", Ref(kind, shorten(name)))
            else:
                first_line[name] = line
                yield name, points, line, value
