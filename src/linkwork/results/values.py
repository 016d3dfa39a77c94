"""Algebraic values found again: the names of reactions and accelerations in laws in, what a motion says of them out."""

from __future__ import annotations

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations.algebra import is_formula
from linkwork.model import Mechanism
from linkwork.model.algebra import Reaction, find_reaction
from linkwork.model.laws import ACCELERATIONS, FORCES, TORQUES
from linkwork.results.names import pick
from linkwork.results.reactions import Reactions
from linkwork.results.state import Snapshot


def find_values(mechanism: Mechanism, found: Reactions) -> dict[str, Floats]:
    """The reactions and accelerations that laws name, from accelerations and multipliers.   (k,) by name"""
    state = Snapshot(found.system, found.t, (found.q, found.u, found.a, found.lam), mechanism)
    values = {}
    for name in mechanism.algebra:
        reaction = find_reaction(name, mechanism.words)
        if reaction is not None:
            values[name] = _find_reaction(mechanism, found, reaction)
        elif name not in mechanism.implicits:
            values[name] = _find_acceleration(state, name)
    return values


def find_reacted(mechanism: Mechanism, found: Reactions, name: str) -> Floats:
    """The component of a reaction that a name stands for.   (k,)"""
    reaction = find_reaction(name, mechanism.words)
    assert reaction is not None
    return _find_reaction(mechanism, found, reaction)


def _find_reaction(mechanism: Mechanism, found: Reactions, reaction: Reaction) -> Floats:
    of, what = reaction.of, reaction.what
    if what == "force":
        rows = [i for i, row in enumerate(found.system.rows) if is_formula(row.owner, of)]
        return np.asarray(-found.lam[:, rows].sum(axis=1))
    if reaction.point:
        return found.force_at(of, mechanism.words.own_point(of, reaction.point))[:, FORCES.index(what)]
    force, torque = found.on_second(of)
    return force[:, FORCES.index(what)] if what in FORCES else torque[:, TORQUES.index(what) if what in TORQUES else 0]


def _find_acceleration(state: Snapshot, name: str) -> Floats:
    plain = name.rstrip("'")
    of, _, what = plain.rpartition(".")
    if what in ACCELERATIONS and plain == name:
        return pick(state, f"{of}.{ACCELERATIONS[what]}", "velocity")
    return pick(state, plain, "velocity" if len(name) == len(plain) + 1 else "acceleration")
