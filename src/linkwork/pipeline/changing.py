"""Mechanisms made of a mechanism: one whose quantities follow laws of time, one with forces applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.errors import InputError, Problem, Ref
from linkwork.given import as_map, as_object
from linkwork.model import Driver, Lagrangian, Mechanism
from linkwork.model.following import Law, as_law_of_time

if TYPE_CHECKING:
    from linkwork.results.inverse import Forces


def drive(mechanism: Mechanism | Lagrangian, laws: Mapping[str, Law]) -> Mechanism:
    """The same with these prescribed motions instead of its own, and all initial values as guesses."""
    if isinstance(mechanism, Lagrangian):
        what, remedy = "a Lagrangian has no motions", "Give it constraints such as theta - w*t"
        raise InputError([Problem(part="driven", what=what, remedy=remedy)])
    given = as_map(laws, Ref("driven"), "laws")
    motions = [Driver(target=name, law=as_law_of_time(name, law)) for name, law in given.items()]
    rigids, joints = mechanism.given
    start = mechanism.start.loosened(mechanism.words.joints)
    return replace(mechanism, motions=tuple(motions), start=start, rigids=rigids, joints=joints)


def apply_forces(mechanism: Mechanism | Lagrangian, forces: Forces) -> Mechanism:
    """The same with the forces of an inverse instead of prescribed motions, from the start of that motion on."""
    from linkwork.results.inverse import Forces, begin_at

    as_object(forces, Forces, Ref("with_forces"), "Give what motion.inverse(...) returns")
    if isinstance(mechanism, Lagrangian):
        what, remedy = "a Lagrangian has forces by coordinate", "Give them as `forces` of lw.lagrangian"
        raise InputError([Problem(part="with_forces", what=what, remedy=remedy)])
    rigids, joints = mechanism.given
    start, efforts = begin_at(mechanism, forces.motion), (*mechanism.efforts, *forces.laws().values())
    return replace(mechanism, motions=(), efforts=efforts, start=start, rigids=rigids, joints=joints)
