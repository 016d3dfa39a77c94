"""The loads of a tree by Newton and Euler, for its audit: forces and moments at the origins of frames, which move.

A Tree in; by the name of each load and side an effort out. Knows nothing of partial velocities and speeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from linkwork.model.tree import Load, Tree
from linkwork.model.whereabouts import Effort, Lookup
from linkwork.symbolic import Expr
from linkwork.vectors import Frame, Vector, angular_velocity, components, cross, velocity
from linkwork.vectors.quantity import NOTHING


class Side(NamedTuple):
    """A force at a place in a frame, and a moment on it."""

    frame: Frame
    place: Vector
    force: Vector
    moment: Vector


def find_efforts(tree: Tree, rewritten: Callable[[Expr], Expr], *, weighed: bool) -> Lookup[Effort]:
    """Efforts by name, with laws rewritten in the rates of coordinates; weights, too, where they are loads."""
    sides = {name: side for load in tree.loads for name, side in _sides(load)}
    if weighed:
        weights = ((body, body.mass * tree.gravity) for body in tree.bodies)
        sides |= {f"weight of {body.name}": Side(body, body.centre.offset, F, NOTHING) for body, F in weights}

    def find(name: str) -> Effort:
        frame, place, force, moment = sides[name]
        moment = moment + cross(place, force)
        laws = (v.mapped(rewritten) for v in (force, moment))
        moving = (tree.in_rates(v) for v in (velocity(frame), angular_velocity(frame)))
        return Effort(*(components(v, tree.ground) for v in (*laws, *moving)))

    return Lookup(sides, find)


def _sides(load: Load) -> Iterator[tuple[str, Side]]:
    effort = load.magnitude * load.along
    if load.at is None:
        yield load.name, Side(load.on, NOTHING, NOTHING, effort)
        yield f"{load.name} reversed", Side(load.against, NOTHING, NOTHING, -effort)
        return
    yield load.name, Side(load.at.frame, load.at.offset, effort, NOTHING)
    if load.at_other is not None:
        yield f"{load.name} reversed", Side(load.at_other.frame, load.at_other.offset, -effort, NOTHING)
