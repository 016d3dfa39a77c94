"""The points formalism: a Mechanism in, a System over the world positions of its moving points out.

Coordinates are x, y (z) of every moving point, in lexicographic order of their names, followed by the turn angles and
the integrals of first-order states.
A pin joint is a shared point and costs nothing. Knows no solver and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from linkwork.equations.algebra import derive_algebra, derive_calls, find_laws, lay_out_calls
from linkwork.equations.collect import Collector, Pivot, keep
from linkwork.equations.formulas import FormulaList
from linkwork.equations.holds import Hold
from linkwork.equations.joints import add_joint
from linkwork.equations.kernel import Kernel
from linkwork.equations.kernels import planar, spatial
from linkwork.equations.laws import (
    acting,
    changing,
    damping_between,
    dissipating,
    force_along_rod,
    force_at,
    force_in_frame,
    in_plane,
    on_line,
    sliding,
    torque_on,
    touching,
    vanishing,
    withholding,
)
from linkwork.equations.parts.branch import add_branches
from linkwork.equations.parts.plane import add_plane_rigid
from linkwork.equations.parts.pose import add_carried
from linkwork.equations.parts.space import add_line_hint, add_space_rigid
from linkwork.equations.system import System
from linkwork.errors import Ref
from linkwork.model import Mechanism, Rigid, Spring, Torque
from linkwork.model.connections import Coplanar, Joint
from linkwork.model.friction import Friction
from linkwork.model.laws import (
    AXES,
    OF_PARTS,
    Damper,
    Dissipation,
    Driver,
    Force,
    Relation,
    VelocityConstraint,
    is_constant,
    quantities,
    speeds_in,
)
from linkwork.model.part import Part
from linkwork.model.parts import Particle
from linkwork.model.stops import Stop
from linkwork.model.tracked import find_conditions
from linkwork.symbolic import Expr

# what differs between the plane and space
RIGID: dict[int, Callable[[Collector, Rigid], None]] = {2: add_plane_rigid, 3: add_space_rigid}
SPRING: dict[int, tuple[Kernel, Kernel, Kernel]] = {
    2: (planar.spring, planar.plain_spring, planar.spring_mass),
    3: (spatial.spring3, spatial.plain_spring3, spatial.spring_mass3),
}
PARTICLE: dict[int, Kernel] = {2: planar.particle, 3: spatial.particle3}


def formulate_points(mechanism: Mechanism) -> System:
    """The equations of a mechanism in the coordinates of its points."""
    f = collect_parts(mechanism)
    laws = find_laws(f)
    lay_out_calls(f)
    system = f.system()
    if not mechanism.algebra and not mechanism.opaque:
        return system
    return replace(system, algebra=derive_algebra(f, system, laws), opaque=derive_calls(f, system))


def collect_parts(
    mechanism: Mechanism,
    homes: Mapping[str, Sequence[str]] | None = None,
    formulas: FormulaList | None = None,
    pivots: Mapping[str, Pivot] | None = None,
    holds: Mapping[str, Hold] | None = None,
) -> Collector:
    """All parts, forces and connections; the parts that are homes of points are carried by their poses."""
    lines = [(line.name, *_base(mechanism, line.points), c) for line in mechanism.collinears for c in line.points]
    lines = [(name, a, b, c) for name, a, b, c in lines if c not in (a, b)]
    slides = [f"slide_{a}{b}{c}" for _, a, b, c in lines] if mechanism.dimension == 3 else []
    f = Collector(mechanism, slides, homes, formulas, pivots, holds)
    add_branches(f)
    for rigid in mechanism.rigids:
        (add_carried if rigid.name in f.carried else RIGID[f.dimension])(f, rigid)
    _add_all(f, Spring, Particle, Joint)
    for name, a, b, c in lines:
        _add_line(f, name, a, b, c)
    _add_all(f, Coplanar, Torque, Force, Damper, Dissipation)
    _add_works(f)
    _add_all(f, Driver, Relation, VelocityConstraint, Friction, Stop)
    _add_touching(f)
    for state in mechanism.states:
        f.add_law(state.ref, "state", [state.rate], changing(state.name), angles=[state.name])
    _add_conditions(f)
    return f


def _add_all(f: Collector, *kinds: type[Part]) -> None:
    """All parts of some kinds, in the way of the table below."""
    for kind in kinds:
        for part in f.mechanism.members(kind):
            ADDED[kind](f, part)


def _base(mechanism: Mechanism, points: Sequence[str]) -> tuple[str, str]:
    """Two of the points that keep their distance, or else the first two."""
    groups = [set(rigid.points) for rigid in mechanism.rigids] + [set(mechanism.fixed)]
    for i, a in enumerate(points):
        for b in points[i + 1 :]:
            if any(a in group and b in group for group in groups):
                return a, b
    return points[0], points[1]


def _add_line(f: Collector, name: str, a: str, b: str, c: str) -> None:
    """A further point on the line through two points: one equation in the plane, a slide and three in space."""
    row, owner = f"line_{a}{b}{c}", Ref("collinear", name)
    if f.dimension == 2:
        f.add_law(owner, "line", [], on_line(a, b, c), points=[a, b, c], rows=keep(owner, {row: "line"}))
        return
    slide = f"slide_{a}{b}{c}"
    rows = keep(owner, {f"{row}_{axis}": "line" for axis in f.axes})
    f.add_law(owner, "slide", [], sliding(a, b, c, slide), points=[a, b, c], angles=[slide], rows=rows)
    add_line_hint(f, slide, a, b, c)


def _add_spring(f: Collector, spring: Spring) -> None:
    if not f.is_moving(*spring.points):
        return
    stretched, plain, heavy = SPRING[f.dimension]
    owner = spring.ref
    f.reach(spring.rest_length)
    if f.formulas.is_zero(spring.rest_length):
        f.add_on(plain, owner, spring.points, [spring.stiffness])
    else:
        f.add_on(stretched, owner, spring.points, [spring.stiffness, spring.rest_length])
    if not f.formulas.is_zero(spring.mass):
        f.add_on(heavy, owner, spring.points, [spring.mass, *f.gravity])


def _add_particle(f: Collector, particle: Particle) -> None:
    if f.is_moving(particle.point) and not f.formulas.is_zero(particle.mass):
        f.add_on(PARTICLE[f.dimension], particle.ref, [particle.point], [particle.mass, *f.gravity])


def _add_plane(f: Collector, plane: Coplanar) -> None:
    a, b, c, *others = plane.points
    for d in others:
        rows = keep(plane.ref, {f"plane_{a}{b}{c}{d}": "plane"})
        f.add_law(plane.ref, "plane", [], in_plane(a, b, c, d), points=[a, b, c, d], rows=rows)


# -- forces, torques, motions ------------------------------------------------------------------------------------------


def _add_damper(f: Collector, damper: Damper) -> None:
    a, b = damper.points
    f.add_law(damper.ref, "damper", [damper.force], damping_between(a, b), points=[a, b])


def _add_dissipation(f: Collector, dissipation: Dissipation) -> None:
    f.add_law(dissipation.ref, "dissipation", [dissipation.function], dissipating())


def _add_works(f: Collector) -> None:
    """What parts of any kind do along quantities: efforts, and parts that users have added."""
    for part in f.mechanism.parts:
        pairs = list(part.works(f.mechanism))
        if pairs:
            laws = [*(effort for effort, _ in pairs), *(flow for _, flow in pairs)]
            f.add_law(part.ref, part.WORD, laws, acting())


def _add_relation(f: Collector, relation: Relation) -> None:
    rows = keep(relation.ref, {f"relation_{relation.name}": "relation"}, _unit_of(relation.formula))
    f.add_law(relation.ref, "relation", [relation.formula], vanishing(), rows=rows)


def _add_velocity(f: Collector, held: VelocityConstraint) -> None:
    rows = keep(held.ref, {f"velocity_{held.name}": "velocity"}, _unit_of(held.formula))
    f.add_law(held.ref, "velocity", [held.formula], withholding(), rows=rows)


def _unit_of(law: Expr) -> str:
    """What a law that vanishes is open by: an angle if it names angles alone, else a length."""
    named = [found.what for _, found in quantities(law)]
    return "rad" if named and all(what in OF_PARTS for what in named) else "m"


def _add_friction(f: Collector, friction: Friction) -> None:
    rows = keep(friction.ref, {f"friction_{name}": "friction" for name in friction.rows})
    f.add_law(friction.ref, "friction", [*friction.speeds], withholding(), rows=rows)


def _add_stop(f: Collector, stop: Stop) -> None:
    build = vanishing() if stop.level == "gap" else withholding()
    f.add_law(stop.ref, "stop", [stop.law], build, rows=keep(stop.ref, {f"stop_{stop.name}": "stop"}))


def _add_touching(f: Collector) -> None:
    """Wheels and edges on what they roll or slide on, and contacts that give way."""
    for footing in f.mechanism.footings.values():
        laws, owner = [*footing.zero, *footing.still], Ref(footing.kind, footing.name)
        f.add_law(owner, footing.kind, laws, touching(len(footing.zero)), rows=keep(owner, footing.rows))
    for touch in f.mechanism.touches.values():
        if touch.contact.soft:
            owner = touch.contact.ref
            f.add_law(owner, "contact", [touch.force, touch.rate], acting())
            if touch.contact.rubs:
                name = f"friction of {touch.name}"
                f.add_law(owner, "rubbing", [*touch.rubbing, *touch.slips], acting(), name=name)


def _add_conditions(f: Collector) -> None:
    """Fixed angles and rates of joints that are none of a part, for the start."""
    m = f.mechanism
    kinds = ("angle", m.start.angles, vanishing()), ("omega", m.start.rates, withholding())
    for what, given, build in kinds:
        for joint in find_conditions(m, given):
            owner = Ref("angle of" if what == "angle" else "rate of", joint)
            f.add_condition(owner, m.meaning(f"{joint}.{what}") - given[joint].value, build, "rad")


def _add_torque(f: Collector, torque: Torque) -> None:
    """A constant torque is a potential; any other is an effort on the angular velocity."""
    owner = torque.ref
    if not is_constant(torque.value):
        angles = [torque.part] if torque.other is None else [torque.part, torque.other]
        build = torque_on(torque.part, torque.other)
        f.add_law(owner, "torque", [torque.value], build, angles=angles)
        return
    f.add_on(planar.torque, owner, (), [torque.value], angles=[torque.part], name=torque.part)
    if torque.other is not None:
        f.add_on(planar.torque, owner, (), [-torque.value], angles=[torque.other], name=torque.other)


def _add_force(f: Collector, force: Force) -> None:
    if not f.is_moving(force.point):
        return
    build, points, parts = force_at(force.point), [force.point], list[str]()
    if force.part is not None:
        corners = f.corners(force.part)
        if len(corners) < f.dimension:
            build, points = force_along_rod(force.point, *corners), [force.point, *corners]
        else:
            build, parts = force_in_frame(force.point, force.part), [force.part]
    owner, name = force.ref, f"force {force.point}"
    f.add_law(owner, "force", force.components, build, points=points, parts=parts, name=name)


def _add_motion(f: Collector, motion: Driver) -> None:
    """A driver: the quantity minus its law is a constraint, of positions or of velocities.

    A speed that follows a law leaves the place to the start: x = x₀ + ∫ law, which the integration makes by itself.
    """
    of_axes = motion.target.rpartition(".")[2] in AXES
    owner, unit = motion.ref, "" if of_axes else "rad" if motion.turns else "m"
    rows = keep(owner, {f"motion_{motion.target}": "motion"}, unit)
    meant = f.mechanism.meaning(motion.target)
    if speeds_in(meant):
        f.add_law(owner, "motion", [meant - motion.law], withholding(), rows=rows)
        return
    f.add_law(owner, "motion", [meant - motion.law], vanishing(), rows=rows)


# how each kind of part becomes equations; one that users have added says it itself, by `works`
ADDED: dict[type[Part], Callable[[Collector, Any], None]] = {
    Spring: _add_spring,
    Particle: _add_particle,
    Joint: add_joint,
    Coplanar: _add_plane,
    Torque: _add_torque,
    Force: _add_force,
    Damper: _add_damper,
    Dissipation: _add_dissipation,
    Driver: _add_motion,
    Relation: _add_relation,
    VelocityConstraint: _add_velocity,
    Friction: _add_friction,
    Stop: _add_stop,
}
