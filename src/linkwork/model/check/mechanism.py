"""What is wrong with a mechanism: all of it, in words. Looks at numbers and names; changes nothing."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from linkwork.errors import MAX_PROBLEMS, Problem, Ref, show_value
from linkwork.model.check.findings import LARGEST, EnoughError, Findings, suggest
from linkwork.model.check.laws import check_laws
from linkwork.model.check.opaque import check_calls
from linkwork.model.check.signals import check_signals
from linkwork.model.check.stops import check_switched
from linkwork.model.check.unlikely import check_unlikely
from linkwork.model.connections import WORLD, Joint
from linkwork.model.families import FAMILIES
from linkwork.model.laws import quantity
from linkwork.model.rolling import KnifeEdge, Rolling
from linkwork.model.start import Guess
from linkwork.model.tracked import find_conditions
from linkwork.symbolic import Expr

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

TOLERANCES = (1e-16, 1e-2)
FITS = (0.0, 1e-3)  # of redundant constraints
ORDERS = (4, 60)
# what settings of the integration are, at least and at most
RANGES: dict[str, tuple[type[Any], float, float]] = {
    "tol": (Real, *TOLERANCES),
    "order": (Integral, *ORDERS),
    "fit": (Real, *FITS),
    "max_step": (Real, 0.0, math.inf),  # s
    "step": (Real, 0.0, math.inf),
    "every": (Real, 0.0, math.inf),
    "rho": (Real, 0.0, 1.0),
    "alpha": (Real, 0.0, math.inf),
    "beta": (Real, 0.0, math.inf),
}
TIMES, FACTORS = ("max_step", "step", "every"), ("alpha", "beta")
TRACKED = {
    2: "A part has one if it has a torque or a motion, or if a law or event uses its angle",
    3: "A joint has one if it has a torque or a motion, or if a law or event uses its angle",
}


def find_problems(mechanism: Mechanism) -> tuple[list[Problem], list[Problem]]:
    """All problems of a mechanism, apart from those of its parameters, and what is worth a note."""
    findings = Findings(mechanism)
    try:
        for check in CHECKS:
            check(findings)
    except EnoughError:
        more = Problem(what=f"more than {MAX_PROBLEMS} problems", remedy="Start with the first ones")
        findings.problems.append(more)
    return findings.problems, findings.notes


def find_bounds(mechanism: Mechanism) -> list[tuple[Expr, str]]:
    """Formulas of parameters, and what they must not be beside zero, as in "<": what is asked of a good mechanism."""
    findings = Findings(mechanism)
    for check in CHECKS:
        check(findings)
    return findings.bounds


def check_names(findings: Findings) -> None:
    """Each name once in its family, and none for what is there anyway."""
    if WORLD in findings.rigids:
        findings.report(Ref("rigid", WORLD), "the name stands for the ground", "Give the part another name")
    for part, count in Counter(part.ref for part in findings.mechanism.parts if part.UNIQUE).items():
        if count > 1:
            findings.report(part, f"defined {count} times", "Give each part its own name")


def check_parts(findings: Findings) -> None:
    for part in findings.mechanism.parts:
        before = len(findings.problems)
        FAMILIES[type(part)].check(findings, part)
        if len(findings.problems) > before and isinstance(part, Joint | Rolling | KnifeEdge):
            # what laws say of it needs no further words
            joined = part.parts if isinstance(part, Joint) else ()
            findings.wrong.update([part.name, *(name for name in joined if name not in findings.rigids)])


def check_fixed(findings: Findings) -> None:
    for point in findings.mechanism.fixed:
        check_fixed_point(findings, point)


def check_fixed_point(findings: Findings, point: str) -> None:
    findings.numbers(findings.mechanism.fixed[point], Ref("fixed", point), "coordinates")


def check_something_moves(findings: Findings) -> None:
    mechanism = findings.mechanism
    if not mechanism.moving_points:
        parts = len(mechanism.rigids) + len(mechanism.springs) + len(mechanism.particles)
        what = "nothing can move: all points are fixed" if parts else "there are no parts"
        findings.report(Ref("PartData"), what, "Add a part with a point that is not in Fixed", absent=True)


def check_mass_at_springs(findings: Findings) -> None:
    """A point that only massless springs hold would move infinitely fast, unless motions and guides place it."""
    mechanism = findings.mechanism
    carried = {point for rigid in mechanism.rigids for point in rigid.points}
    carried.update(particle.point for particle in mechanism.particles)
    light: dict[str, str] = {}
    for spring in mechanism.springs:
        mass = findings.number(spring.mass, Ref("spring", spring.name), "mass")
        if mass == 0:
            for point in spring.points:
                light.setdefault(point, spring.name)
        else:
            carried.update(spring.points)
    for point, name in light.items():
        if point not in carried and point not in mechanism.fixed and not is_placed(mechanism, point):
            what = f"no mass at point '{point}'"
            remedy = f"Add a particle at '{point}' or give the spring a mass"
            findings.report(Ref("spring", name), what, remedy, absent=True)


def is_placed(mechanism: Mechanism, point: str) -> bool:
    """Whether as many motions, lines and planes hold a point as it has directions to go."""
    targets = [quantity(motion.target) for motion in mechanism.motions]
    driven = sum(target is not None and point in target.points for target in targets)
    lines = sum(point in line.points for line in mechanism.collinears) * (mechanism.dimension - 1)
    planes = sum(point in plane.points for plane in mechanism.coplanars)
    return driven + lines + planes >= mechanism.dimension


def check_gravity(findings: Findings) -> None:
    findings.numbers(findings.mechanism.gravity or (), Ref("gravity"), "value")


def check_time(findings: Findings) -> None:
    start = findings.mechanism.start
    t0 = findings.number(start.t0, Ref("ProblemData"), "t0")
    tend = None if start.tend is None else findings.number(start.tend, Ref("ProblemData"), "tend")
    if t0 is not None and tend is not None and tend < t0:
        findings.report(
            Ref("ProblemData"), f"tend ({tend:g}) is before t0 ({t0:g})", "Give a later tend", detail="tend"
        )


def check_start(findings: Findings) -> None:
    mechanism = findings.mechanism
    start = mechanism.start
    for section, guesses in (("position", start.positions), ("velocity", start.velocities)):
        for point, values in guesses.items():
            part = Ref(f"{section} of", point)
            check_start_point(findings, point, part)
            for guess in values:
                # a guess of a place may be out of this world: it is only where the search begins
                begins = section == "position" and not guess.fixed
                findings.number(guess.value, part, "value", math.inf if begins else LARGEST)
            if len(values) > mechanism.dimension:
                n = mechanism.dimension
                findings.report(part, f"{len(values)} coordinates in dimension {n}", f"Give at most {n}")
    check_turns(findings, "angle", start.angles)
    check_turns(findings, "rate", start.rates)


def check_start_point(findings: Findings, point: str, part: Ref) -> None:
    mechanism = findings.mechanism
    if point in mechanism.fixed:
        findings.report(part, f"point '{point}' is fixed", "Remove it here or from Fixed")
    elif point not in findings.moving:
        remedy = suggest(point, mechanism.moving_points, "Moving points")
        findings.report(part, f"no part has a point '{point}'", remedy, absent=True)


def check_turns(findings: Findings, section: str, guesses: Mapping[str, Guess]) -> None:
    turns = findings.turns
    known = {*turns, *find_conditions(findings.mechanism, guesses), *findings.wrong}
    for name, guess in guesses.items():
        part = Ref(f"{section} of", name)
        findings.number(guess.value, part, "value")
        if name not in known:
            remedy = suggest(name, turns, "Tracked turn angles") or TRACKED[findings.mechanism.dimension]
            joint = findings.mechanism.words.joints.get(name)
            if findings.mechanism.dimension == 2 and joint is not None:
                remedy = f"Its bodies turn: give {section}s of {' and '.join(joint.parts)}, or of one of them besides"
            findings.report(part, f"no turn angle named '{name}'", remedy, absent=True)


def check_settings(findings: Findings) -> None:
    settings, part = findings.mechanism.settings, Ref("Integration")
    for name, (kind, low, high) in RANGES.items():
        value: Any = getattr(settings, name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, kind):
            number = "number" if kind is Real else "whole number"
            findings.report(part, f"{name} is {show_value(value)}", f"Give a {number}", detail=name)
        elif name in TIMES and not value > 0:
            findings.report(part, f"{name} {value:g} is not positive", "Give a time in seconds", detail=name)
        elif name in FACTORS and not (value >= 0 and math.isfinite(value)):
            findings.report(part, f"{name} {value:g} is out of range", "Use 0 or more", detail=name)
        elif not low <= value <= high:
            findings.report(part, f"{name} {value:g} is out of range", f"Use {low:g} to {high:g}", detail=name)
    check_output(findings, "point", settings.output_points, findings.mechanism.moving_points)
    check_output(findings, "turn angle", settings.output_angles, findings.turns)


def check_output(findings: Findings, kind: str, wanted: Mapping[str, int] | None, known: tuple[str, ...]) -> None:
    names = frozenset(known)
    for name in wanted or ():
        if name not in names and name not in findings.mechanism.fixed:
            findings.report(
                Ref("OutFile"), f"no {kind} named '{name}'", suggest(name, known, f"Known {kind}s"), absent=True
            )


CHECKS = (
    check_names,
    check_fixed,
    check_parts,
    check_something_moves,
    check_mass_at_springs,
    check_gravity,
    check_signals,
    check_laws,
    check_calls,
    check_time,
    check_start,
    check_switched,
    check_settings,
    check_unlikely,
)
