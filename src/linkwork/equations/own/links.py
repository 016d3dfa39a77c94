"""Bodies of a tree as links: how each stands on its parent, and what its speeds do to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from linkwork.equations.own.moments import NONE, axes_of, find_arm, parent_of, reference
from linkwork.equations.own.names import Names
from linkwork.equations.own.posture import Posture, find_posture
from linkwork.model.tree import Tree, TreeBody
from linkwork.symbolic import ZERO, Expr, ExprLike, Symbol, substitute_all, symbol
from linkwork.symbolic.simplify import canonical
from linkwork.symbolic.vector import Vector, cross
from linkwork.vectors import Frame, components, dt, partial
from linkwork.vectors import Vector as Arrow


class Way(NamedTuple):
    """What a speed does to its body: travel of its reference point, over the axes it travels along, and turn, over its
    own axes. A free body travels along its own axes, another one along its parent's.
    """

    travel: Vector
    turn: Vector


@dataclass(frozen=True, kw_only=True, eq=False)
class Link:
    """A body of a tree.

    parent   the one it stands on, none if it stands on the ground
    arm      from its parent's reference point to its own
    spin     its angular velocity seen from its parent, over its own axes
    """

    body: TreeBody
    parent: Link | None
    posture: Posture
    arm: Vector
    ways: dict[Symbol, Way]
    spin: Vector

    @property
    def is_free(self) -> bool:
        """Whether its speeds tell how it moves in space."""
        return self.body.drift is not None

    @property
    def axis(self) -> int | None:
        """The number of the axis about which it turns, if it is one alone: it is an axis of the triad, too."""
        return self.body.sequence[0] if len(self.body.sequence) == 1 else None

    @property
    def velocity(self) -> Vector:
        """Of the reference point of a free body, over its axes."""
        total = NONE
        for u, way in self.ways.items():
            total = total + u * way.travel
        return total

    def still(self, v: Arrow, frame: Frame) -> Vector:
        """The components of a rate with all u̇ zero."""
        speeds = [freedom.speed for freedom in self.body.tree.freedoms]
        none: dict[Expr, ExprLike] = {symbol(f"{u.name}'", kind="acceleration"): ZERO for u in speeds}
        return Vector(substitute_all(components(v, frame), none))


def find_links(tree: Tree, names: Names) -> list[Link]:
    """The bodies in order, each behind its parent."""
    found: dict[Frame, Link] = {}
    for body in tree.bodies:
        found[body] = Link(
            body=body,
            parent=found.get(parent_of(body)),
            posture=find_posture(body, names),
            arm=names.keep(find_arm(body)),
            ways={freedom.speed: _way(body, freedom.speed) for freedom in body.freedoms},
            spin=Vector(components(body.spin, axes_of(body))),
        )
    return list(found.values())


def _way(body: TreeBody, u: Symbol) -> Way:
    turn, parent = Vector(components(partial(body.spin, u), axes_of(body))), axes_of(parent_of(body))
    if body.drift is None:
        return Way(Vector(components(partial(dt(body.shift, parent), u), parent)), turn)
    slide = Vector(components(partial(body.drift(), u), axes_of(body))) + cross(turn, reference(body))
    return Way(Vector(canonical(x) for x in slide), turn)
