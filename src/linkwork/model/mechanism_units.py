"""Units of what a mechanism names: a Mechanism in; units of its parameters, inputs, states and variables out.

Masses, places, inertias, forces and moments have the units they have, and what stands in them follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from linkwork.symbolic import Expr, Symbol, free_symbols, symbol
from linkwork.symbolic.units import Dimensions

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

# of what a dotted name ends with: a place, an axis, a turn, a force
OF_WORDS = {
    **dict.fromkeys(("x", "y", "z", "length", "travel"), "m"),
    **dict.fromkeys(("vx", "vy", "vz", "rate", "speed"), "m/s"),
    **dict.fromkeys(("ax", "ay", "az"), "m/s²"),
    **dict.fromkeys(("fx", "fy", "fz", "force"), "N"),
    **dict.fromkeys(("tx", "ty", "tz", "torque"), "N·m"),
    **dict.fromkeys(("omega", "wx", "wy", "wz"), "rad/s"),
    **dict.fromkeys([axis + component for axis in "xyz" for component in "xyz"], "1"),
    "angle": "rad",
}
ALONG = {"m": "N", "m/s": "N", "rad": "N·m", "rad/s": "N·m"}  # what works on a quantity
OF_JOINTS = {"length": "m", "radius": "m", "offset": ""}


class Law(NamedTuple):
    """Expressions of one kind, and their unit where it is known."""

    who: str
    unit: str
    exprs: Iterable[Expr]


def find_units(mechanism: Mechanism) -> dict[str, str]:
    """Units by name, of all that has one."""
    laws = [law._replace(exprs=tuple(law.exprs)) for law in list_laws(mechanism)]
    used = free_symbols(*(expr for law in laws for expr in law.exprs))
    known = {"t": "s"} | {s.name: unit for s in used if (unit := unit_of_word(s))}
    found = Dimensions(known)
    for law in laws:
        if law.unit:
            for expr in law.exprs:
                found.require(expr, law.unit, law.who)
        elif law.exprs:
            found.relate(law.exprs, law.who)
    states = [state.name for state in mechanism.states]
    names = [*mechanism.parameters, *mechanism.inputs, *states, *mechanism.implicits, *mechanism.variables]
    units = {name: found.unit(symbol(name)) for name in names}
    return {name: unit for name, unit in units.items() if unit}


def unit_of_word(s: Symbol) -> str:
    """The unit of a name such as OA.angle; nothing of others."""
    _, dot, what = s.name.rpartition(".")
    return OF_WORDS.get(what, "") if dot else ""


def list_laws(m: Mechanism) -> Iterator[Law]:
    """All that says something about units."""
    yield from _list_parts(m)
    yield from _list_forces(m)
    for driver in m.motions:
        yield Law(f"motion of '{driver.target}'", unit_of_word(symbol(driver.target)), [driver.law])
    for formula in (*(x.formula for x in m.relations), *(x.formula for x in m.velocity_constraints)):
        yield Law("a constraint", "", [formula])
    for name, formula in (*m.parameters.items(), *m.variables.items(), *m.inputs.items()):
        yield Law(f"'{name}'", "", [symbol(name), formula])
    for name, implicit in m.implicits.items():
        yield Law(f"variable '{name}'", "", [implicit.formula])
    for state in m.states:
        yield Law(f"state '{state.name}'", "", [symbol(f"{state.name}'"), state.rate])
        yield Law(f"state '{state.name}'", "", [symbol(state.name), state.start])


def _list_parts(m: Mechanism) -> Iterator[Law]:
    for name, place in m.fixed.items():
        yield Law(f"place of '{name}'", "m", place)
    for rigid in m.rigids:
        yield Law(f"places of '{rigid.name}'", "m", [x for place in (*rigid.geometry, rigid.centroid) for x in place])
        yield Law(f"inertia of '{rigid.name}'", "kg·m²", rigid.inertia)
    for body in m.bodies:
        frames = [x for frame in body.frames.values() for x in frame.at]
        yield Law(f"places of '{body.name}'", "m", [*body.centre, *frames])
        yield Law(f"inertia of '{body.name}'", "kg·m²", body.inertia)
        yield Law(f"frames of '{body.name}'", "rad", [frame.angle for frame in body.frames.values()])
        for x in [x for frame in body.frames.values() for x in (*frame.z, *frame.x)]:
            yield Law(f"frames of '{body.name}'", "", [x])
    yield Law("masses", "kg", [*(x.mass for x in m.rigids), *(x.mass for x in m.bodies)])
    yield Law("masses", "kg", [*(x.mass for x in m.springs), *(x.mass for x in m.particles)])
    for spring in m.springs:
        yield Law(f"spring '{spring.name}'", "N/m", [spring.stiffness])
        yield Law(f"spring '{spring.name}'", "m", [spring.rest_length])
    for rolling in m.rollings:
        yield Law(f"rolling '{rolling.name}'", "m", [rolling.radius, rolling.tread])
    for joint in m.joints:
        for name, value in joint.parameters.items():
            yield Law(f"joint '{joint.name}'", OF_JOINTS.get(name, ""), [value])
    for places, unit in ((m.start.positions, "m"), (m.start.velocities, "m/s")):
        yield Law("the start", unit, [guess.value for place in places.values() for guess in place])
    for turns, unit in ((m.start.angles, "rad"), (m.start.rates, "rad/s")):
        yield Law("the start", unit, [guess.value for guess in turns.values()])


def _list_forces(m: Mechanism) -> Iterator[Law]:
    yield Law("gravity", "m/s²", m.gravity or ())
    for torque in m.torques:
        yield Law(f"torque on '{torque.part}'", "N·m", [torque.value])
    for force in m.forces:
        yield Law(f"force on '{force.point}'", "N", force.components)
    for moment in m.moments:
        yield Law(f"moment on '{moment.body}'", "N·m", moment.components)
    for damper in m.dampers:
        yield Law(f"damper '{damper.name}'", "N", [damper.force])
    for dissipation in m.dissipations:
        yield Law(f"dissipation '{dissipation.name}'", "W", [dissipation.function])
    for effort in m.efforts:
        yield Law(f"effort on '{effort.on}'", ALONG.get(unit_of_word(symbol(effort.on)), ""), [effort.value])
