"""What is wrong with a mechanism: all of it, in words. Looks at numbers and names; changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from linkwork.errors import ExpressionError, Problem, did_you_mean
from linkwork.model.laws import is_constant
from linkwork.model.parts import Rigid
from linkwork.model.start import Guess
from linkwork.symbolic import Expr, free_symbols

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

MAX_PROBLEMS = 200  # nobody reads more at once
SAME_PLACE = 1e-12  # relative to the size of the part: rounding of coordinates computed two ways
SAME_LENGTH = 1e-9  # relative: decimals a person writes for a square root
MISSING = (
    "no part has",
    "no rigid part",
    "no turn angle",
    "no point",
    "there are no",
    "nothing can",
    "no mass at",
)
TOLERANCES = (1e-16, 0.1)
ORDERS = (2, 60)


def find_problems(mechanism: Mechanism) -> list[Problem]:
    """All problems of a mechanism, apart from those of its parameters; an empty list if it is sound."""
    findings = Findings(mechanism)
    try:
        for check in CHECKS:
            check(findings)
    except _EnoughError:
        more = Problem(what=f"more than {MAX_PROBLEMS} problems", remedy="Start with the first ones")
        findings.problems.append(more)
    return findings.problems


class _EnoughError(Exception):
    """Stops the search once there are MAX_PROBLEMS."""


class Findings:
    """The mechanism under examination and the problems found so far."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.moving = frozenset(mechanism.moving_points)
        self.broken = mechanism.parameters.keys() - mechanism.values.keys()  # reported already
        self.problems: list[Problem] = []

    def report(self, part: str, what: str, remedy: str = "") -> None:
        if len(self.problems) == MAX_PROBLEMS:
            raise _EnoughError
        self.problems.append(Problem(part=part, what=what, remedy=remedy))

    def number(self, expr: Expr, part: str, label: str) -> float | None:
        """The value of an expression, or None after reporting why it has none."""
        if self.broken and any(symbol.name in self.broken for symbol in free_symbols(expr)):
            return None
        try:
            return self.mechanism.compute(expr)
        except ExpressionError as error:
            self.report(part, f"{label}: {error.what}", error.remedy)
            return None

    def numbers(self, exprs: Iterable[Expr], part: str, label: str) -> list[float] | None:
        values = [self.number(expr, part, label) for expr in exprs]
        return None if None in values else [value for value in values if value is not None]

    def at_least_zero(self, expr: Expr, part: str, label: str) -> None:
        value = self.number(expr, part, label)
        if value is not None and value < 0:
            self.report(part, f"{label} is negative ({value:g})", "Make it zero or positive")


def check_names(findings: Findings) -> None:
    mechanism = findings.mechanism
    kinds: dict[str, list[str]] = {
        "rigid": [rigid.name for rigid in mechanism.rigids],
        "spring": [spring.name for spring in mechanism.springs],
        "particle": [particle.point for particle in mechanism.particles],
    }
    for kind, names in kinds.items():
        for name, count in Counter(names).items():
            if count > 1:
                findings.report(f"{kind} '{name}'", f"defined {count} times", "Give each part its own name")


def check_fixed(findings: Findings) -> None:
    for point, place in findings.mechanism.fixed.items():
        findings.numbers(place, f"fixed '{point}'", "coordinates")


def check_rigids(findings: Findings) -> None:
    for rigid in findings.mechanism.rigids:
        part = f"rigid '{rigid.name}'"
        findings.at_least_zero(rigid.mass, part, "mass")
        findings.at_least_zero(rigid.inertia[0], part, "inertia")
        findings.numbers(rigid.centroid, part, "centroid")
        if check_points(findings, rigid, part):
            check_geometry(findings, rigid, part)


def check_points(findings: Findings, rigid: Rigid, part: str) -> bool:
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


def check_geometry(findings: Findings, rigid: Rigid, part: str) -> None:
    rows = [
        findings.numbers(place, part, f"place of '{p}'") for p, place in zip(rigid.points, rigid.geometry, strict=True)
    ]
    places = [complex(*row) for row in rows if row is not None]
    if len(places) < len(rows):
        return
    first, second = rigid.points[:2]
    size = max(abs(place) for place in places)
    if places[0] != 0:
        findings.report(part, f"the first point '{first}' is not at the local origin", "Place it at (0, 0)")
    elif check_distinct(findings, rigid, part, places, size):
        if abs(places[1].imag) > SAME_PLACE * size or places[1].real < 0:
            x, y = places[1].real, places[1].imag
            what = f"'{second}' is at ({x:g}, {y:g}), not on the positive local x axis"
            remedy = f"Place '{second}' at (distance from '{first}', 0) and turn the other points with it"
            findings.report(part, what, remedy)
        else:
            check_fixed_points(findings, rigid, part, places)


def check_distinct(findings: Findings, rigid: Rigid, part: str, places: list[complex], size: float) -> bool:
    grid = size * SAME_PLACE or 1.0
    seen: dict[tuple[int, int], str] = {}
    for point, place in zip(rigid.points, places, strict=True):
        cell = (round(place.real / grid), round(place.imag / grid))
        if cell in seen:
            what = f"points '{seen[cell]}' and '{point}' coincide"
            findings.report(part, what, "Give each point its own place; a rod needs a positive length")
            return False
        seen[cell] = point
    return True


def check_fixed_points(findings: Findings, rigid: Rigid, part: str, places: list[complex]) -> None:
    """Points of one body that are all fixed must keep their places relative to each other."""
    # z -> w0 + r (z - z0), r = (w1 - w0)/(z1 - z0), |r| = 1, maps local places z to world places w
    mechanism = findings.mechanism
    held = [(p, z) for p, z in zip(rigid.points, places, strict=True) if p in mechanism.fixed]
    if len(held) < 2:
        return
    worlds = [findings.numbers(mechanism.fixed[point], part, "fixed points") for point, _ in held]
    w = [complex(*world) for world in worlds if world is not None]
    if len(w) < len(held):
        return
    (p0, z0), (p1, z1) = held[:2]
    r = (w[1] - w[0]) / (z1 - z0)
    if abs(abs(r) - 1) > SAME_LENGTH:
        lengths = f"{abs(w[1] - w[0]):g} apart, but {abs(z1 - z0):g} in the part"
        what = f"fixed points '{p0}' and '{p1}' are {lengths}"
        findings.report(part, what, "Make both distances equal or free one of the points")
        return
    for (point, z), place in zip(held[2:], w[2:], strict=True):
        if abs(w[0] + r * (z - z0) - place) > SAME_LENGTH * abs(z1 - z0):
            what = f"fixed point '{point}' is not where the part has it"
            findings.report(part, what, f"Move or free '{point}'")


def check_springs(findings: Findings) -> None:
    for spring in findings.mechanism.springs:
        part = f"spring '{spring.name}'"
        findings.at_least_zero(spring.stiffness, part, "stiffness")
        findings.at_least_zero(spring.rest_length, part, "rest length")
        findings.at_least_zero(spring.mass, part, "mass")
        if len(spring.points) != 2 or spring.points[0] == spring.points[1]:
            findings.report(part, "a spring joins two different points", "Name it by its ends, as in 'AB'")


def check_particles(findings: Findings) -> None:
    for particle in findings.mechanism.particles:
        findings.at_least_zero(particle.mass, f"particle '{particle.point}'", "mass")


def check_something_moves(findings: Findings) -> None:
    mechanism = findings.mechanism
    if not mechanism.moving_points:
        parts = len(mechanism.rigids) + len(mechanism.springs) + len(mechanism.particles)
        what = "nothing can move: all points are fixed" if parts else "there are no parts"
        findings.report("PartData", what, "Add a part with a point that is not in Fixed")


def check_mass_at_springs(findings: Findings) -> None:
    """A point that only massless springs hold would move infinitely fast."""
    mechanism = findings.mechanism
    carried = {point for rigid in mechanism.rigids for point in rigid.points}
    carried.update(particle.point for particle in mechanism.particles)
    light: dict[str, str] = {}
    for spring in mechanism.springs:
        mass = findings.number(spring.mass, f"spring '{spring.name}'", "mass")
        if mass == 0:
            for point in spring.points:
                light.setdefault(point, spring.name)
        else:
            carried.update(spring.points)
    for point, name in light.items():
        if point not in carried and point not in mechanism.fixed:
            what = f"no mass at point '{point}'"
            remedy = f"Add a particle at '{point}' or give the spring a mass"
            findings.report(f"spring '{name}'", what, remedy)


def check_forces(findings: Findings) -> None:
    mechanism = findings.mechanism
    findings.numbers(mechanism.gravity or (), "gravity", "value")
    names = {rigid.name for rigid in mechanism.rigids}
    for torque in mechanism.torques:
        part = f"torque '{torque.part}'"
        if is_constant(torque.value):
            findings.number(torque.value, part, "value")
        for name in (torque.part, torque.other):
            if name is not None and name not in names:
                findings.report(part, f"no rigid part named '{name}'", suggest(name, names, "Rigid parts"))
        if torque.part == torque.other:
            findings.report(part, "the torque is between a part and itself", "Name two different parts")


def check_time(findings: Findings) -> None:
    start = findings.mechanism.start
    t0 = findings.number(start.t0, "ProblemData", "t0")
    tend = None if start.tend is None else findings.number(start.tend, "ProblemData", "tend")
    if t0 is not None and tend is not None and tend < t0:
        findings.report("ProblemData", f"tend ({tend:g}) is before t0 ({t0:g})", "Give a later tend")


def check_start(findings: Findings) -> None:
    mechanism = findings.mechanism
    start = mechanism.start
    for section, guesses in (("position", start.positions), ("velocity", start.velocities)):
        for point, values in guesses.items():
            part = f"{section} of '{point}'"
            check_start_point(findings, point, part)
            findings.numbers([guess.value for guess in values], part, "value")
            if len(values) > 2:
                findings.report(part, f"{len(values)} coordinates in dimension 2", "Give at most 2")
    check_turns(findings, "angle", start.angles)
    check_turns(findings, "rate", start.rates)


def check_start_point(findings: Findings, point: str, part: str) -> None:
    mechanism = findings.mechanism
    if point in mechanism.fixed:
        findings.report(part, f"point '{point}' is fixed", "Remove it here or from Fixed")
    elif point not in findings.moving:
        remedy = suggest(point, mechanism.moving_points, "Moving points")
        findings.report(part, f"no part has a point '{point}'", remedy)


def check_turns(findings: Findings, section: str, guesses: Mapping[str, Guess]) -> None:
    turns = findings.mechanism.turn_angles
    for name, guess in guesses.items():
        part = f"{section} of '{name}'"
        findings.number(guess.value, part, "value")
        if name not in turns:
            remedy = suggest(name, turns, "Parts with a torque, hence a turn angle,")
            findings.report(part, f"no turn angle named '{name}'", remedy)


def check_settings(findings: Findings) -> None:
    settings = findings.mechanism.settings
    low, high = TOLERANCES
    if settings.tol is not None and not low <= settings.tol <= high:
        findings.report("Integration", f"tol {settings.tol:g} is out of range", f"Use {low:g} to {high:g}")
    first, last = ORDERS
    if settings.order is not None and not first <= settings.order <= last:
        findings.report("Integration", f"order {settings.order} is out of range", f"Use {first} to {last}")
    check_output(findings, "point", settings.output_points, findings.mechanism.moving_points)
    check_output(findings, "turn angle", settings.output_angles, findings.mechanism.turn_angles)


def check_output(findings: Findings, kind: str, wanted: Mapping[str, int] | None, known: tuple[str, ...]) -> None:
    names = frozenset(known)
    for name in wanted or ():
        if name not in names and name not in findings.mechanism.fixed:
            findings.report("OutFile", f"no {kind} named '{name}'", suggest(name, known, f"Known {kind}s"))


def suggest(name: str, known: Iterable[str], title: str) -> str:
    """The closest known name, or all of them if they are few."""
    names = sorted(known)
    listed = f"{title} are {', '.join(names)}" if 0 < len(names) <= 8 else ""
    return did_you_mean(name, names) or listed


CHECKS = (
    check_names,
    check_fixed,
    check_rigids,
    check_springs,
    check_particles,
    check_something_moves,
    check_mass_at_springs,
    check_forces,
    check_time,
    check_start,
    check_settings,
)
