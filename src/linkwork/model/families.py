"""The kinds of parts a mechanism may have: one line each. What is common to them is in `part.py`.

A new kind is a class and a line here: its laws are expanded, checked and followed by starts, events and values, its
points are named, and the forces it `works` with act in every formalism and in the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_value
from linkwork.given import as_list
from linkwork.model.bodies import Body
from linkwork.model.check.bodies import check_body
from linkwork.model.check.connections import check_collinear, check_coplanar, check_joint
from linkwork.model.check.contact import check_contact
from linkwork.model.check.findings import Findings
from linkwork.model.check.laws import (
    check_damper,
    check_dissipation,
    check_effort,
    check_event,
    check_force,
    check_moment,
    check_motion,
    check_relation,
    check_torque,
)
from linkwork.model.check.parts import check_particle, check_spring
from linkwork.model.check.rigids import check_rigid
from linkwork.model.check.sampled import check_sampled
from linkwork.model.check.stops import check_friction, check_stop
from linkwork.model.check.velocities import check_edge, check_rolling, check_velocity_constraint
from linkwork.model.complete import Space
from linkwork.model.connections import Collinear, Coplanar, Joint
from linkwork.model.contact import Contact
from linkwork.model.friction import Friction
from linkwork.model.laws import Damper, Dissipation, Driver, Effort, Event, Force, Moment, Relation, VelocityConstraint
from linkwork.model.part import Part
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.rolling import KnifeEdge, Rolling
from linkwork.model.sampled import Sampled
from linkwork.model.stops import Stop

OTHERS = "others"  # where parts of kinds without an argument of their own are


@dataclass(frozen=True, slots=True)
class Family:
    """All parts of one kind.

    kind       their class
    check      what is wrong with one of them
    field      the argument and field of a Mechanism they have
    complete   one with everything filled in that it leaves open until the space is known
    """

    kind: type[Part]
    check: Callable[[Findings, Any], None]
    field: str = OTHERS
    complete: Callable[[Space, Any], Any] = lambda space, part: part


class Families(TypedDict, total=False):
    """The arguments of a Mechanism that are lists of parts; `others` are parts of any kind."""

    bodies: Iterable[Body]
    rigids: Iterable[Rigid]
    springs: Iterable[Spring]
    particles: Iterable[Particle]
    collinears: Iterable[Collinear]
    coplanars: Iterable[Coplanar]
    joints: Iterable[Joint]
    torques: Iterable[Torque]
    forces: Iterable[Force]
    moments: Iterable[Moment]
    dampers: Iterable[Damper]
    dissipations: Iterable[Dissipation]
    efforts: Iterable[Effort]
    motions: Iterable[Driver]
    relations: Iterable[Relation]
    velocity_constraints: Iterable[VelocityConstraint]
    rollings: Iterable[Rolling]
    knife_edges: Iterable[KnifeEdge]
    stops: Iterable[Stop]
    frictions: Iterable[Friction]
    contacts: Iterable[Contact]
    controllers: Iterable[Sampled]
    events: Iterable[Event]
    others: Iterable[Part]


# in the order in which they are checked
FAMILIES: dict[type[Part], Family] = {
    family.kind: family
    for family in (
        Family(Rigid, check_rigid, "rigids"),
        Family(Body, check_body, "bodies"),
        Family(Spring, check_spring, "springs"),
        Family(Particle, check_particle, "particles"),
        Family(Collinear, check_collinear, "collinears"),
        Family(Coplanar, check_coplanar, "coplanars"),
        Family(Joint, check_joint, "joints"),
        Family(Rolling, check_rolling, "rollings"),
        Family(KnifeEdge, check_edge, "knife_edges"),
        Family(Torque, check_torque, "torques"),
        Family(Force, check_force, "forces", Space.force),
        Family(Moment, check_moment, "moments", Space.moment),
        Family(Damper, check_damper, "dampers"),
        Family(Dissipation, check_dissipation, "dissipations"),
        Family(Effort, check_effort, "efforts"),
        Family(Driver, check_motion, "motions"),
        Family(Relation, check_relation, "relations"),
        Family(VelocityConstraint, check_velocity_constraint, "velocity_constraints"),
        Family(Stop, check_stop, "stops"),
        Family(Friction, check_friction, "frictions"),
        Family(Contact, check_contact, "contacts"),
        Family(Sampled, check_sampled, "controllers"),
        Family(Event, check_event, "events"),
    )
}


def register(family: Family) -> None:
    """Make a kind of part known: from now on a Mechanism may have such parts among its `others`."""
    if FAMILIES.setdefault(family.kind, family) is not family:
        what, remedy = "this kind of part is known already", "Give the class another name"
        raise InputError([Problem(part=family.kind.__name__, what=what, remedy=remedy)])


def sort_members(given: Mapping[str, Any]) -> dict[str, list[Part]]:
    """Parts by field, the others where they belong; InputError if something is no part or out of place."""
    fields = {family.field: family for family in FAMILIES.values()}
    found: dict[str, list[Part]] = {field: [] for field in (*fields, OTHERS)}
    problems: list[Problem] = []
    for field, several in given.items():
        if field not in found:
            problems.append(_unknown(field, found))
            continue
        for part in _listed(field, several, problems):
            family = FAMILIES.get(type(part))
            if family is None or field not in (OTHERS, family.field):
                problems.append(_out_of_place(field, part))
            else:
                found[family.field].append(part)
    if problems:
        raise InputError(problems)
    return found


def _listed(field: str, given: Any, problems: list[Problem]) -> list[Any]:
    remedy = f"Write {field}=[{show_value(given)}]" if isinstance(given, Part) else _remedy(field)
    try:
        return as_list(given, Ref(field), "", remedy)
    except InputError as error:
        problems += error.problems
        return []


def _unknown(field: str, known: Iterable[str]) -> Problem:
    what, remedy = f"a mechanism has no '{field}'", did_you_mean(field, known)
    return Problem(ref=Ref("Mechanism"), what=what, remedy=remedy or f"It has {', '.join(known)}")


def _out_of_place(field: str, part: Any) -> Problem:
    family = FAMILIES.get(type(part))
    remedy = _remedy(field) if family is None else f"Put it into {family.field}"
    return Problem(ref=Ref(field), what=f"{show_value(part)} is out of place", remedy=remedy)


def _remedy(field: str) -> str:
    kinds = [family.kind.__name__ for family in FAMILIES.values() if family.field == field]
    return f"Give a list of lw.{kinds[0]}" if kinds and field != OTHERS else "Give a list of parts"
