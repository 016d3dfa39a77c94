"""The graph of a mechanism: a Mechanism in, its parts, what links them, and Grübler's count out. Knows no equations.

Grübler's count is the freedom of all moving parts minus what the links between them take away, as if no link repeated
another: 3 for a body in the plane and 6 in space, less 2 (3) for each pin, 6 − f for a joint that leaves f free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from linkwork.model import Mechanism
from linkwork.model.connections import WORLD
from linkwork.model.joints import find_kind
from linkwork.model.joints.kinds import FREEDOMS
from linkwork.model.laws import quantities
from linkwork.symbolic import Expr

ROLLING = "rolling contact"
PLURALS = {"body": "bodies", "point on a line": "points on a line", "point in a plane": "points in a plane"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something that moves as a whole, or the world: its kind, its freedom alone, its points."""

    name: str
    kind: str
    freedom: int
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What holds parts together: a pin, a joint, a line, a plane, or a prescribed motion; it takes away freedoms.

    A pin that joins more than two parts counts as several; `each` is what one takes away. `short` is what a picture
    calls its kind, if that is not the same.
    """

    name: str
    kind: str
    parts: tuple[str, ...]
    each: int
    times: int = 1
    short: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A spring or damper between two points: it pulls, but takes no freedom away."""

    name: str
    kind: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Parts, the world first, with links and ties; `holders` are the parts at each point, `masses` the particles."""

    parts: tuple[Part, ...]
    links: tuple[Link, ...]
    ties: tuple[Tie, ...]
    holders: dict[str, tuple[str, ...]]
    masses: tuple[str, ...]

    @property
    def count(self) -> int:
        """Grübler's count."""
        return sum(part.freedom for part in self.parts) - sum(link.each * link.times for link in self.links)

    def formula(self) -> str:
        """The count as it is made: '3 bodies × 6 - 4 revolute joints × 5 = -2'."""
        parts = Counter((part.kind, part.freedom) for part in self.parts if part.kind != WORLD)
        links: Counter[tuple[str, int]] = Counter()
        for link in self.links:
            links[link.kind, link.each] += link.times
        plus = " + ".join(_product(kind, each, n) for (kind, each), n in parts.items())
        minus = "".join(f" - {_product(kind, each, n)}" for (kind, each), n in links.items())
        return f"{plus or '0'}{minus} = {self.count}"


def _product(kind: str, each: int, count: int) -> str:
    many = kind if count == 1 else PLURALS.get(kind, f"{kind}s")
    return f"{count} {many} × {each}"


def find_graph(mechanism: Mechanism) -> Graph:
    """Parts and links of a mechanism."""
    parts = list(_parts(mechanism))
    holders: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for point in part.points:
            holders[point] = (*holders.get(point, ()), part.name)
    ties = [Tie(name=x.ref.name or "", kind=x.WORD, points=x.ends) for x in mechanism.parts if x.TIES]
    return Graph(
        parts=tuple(parts),
        links=tuple(_links(mechanism, holders)),
        ties=tuple(ties),
        holders=holders,
        masses=tuple(particle.point for particle in mechanism.particles),
    )


def _parts(m: Mechanism) -> Iterable[Part]:
    yield Part(name=WORLD, kind=WORLD, freedom=0, points=tuple(m.fixed))
    held = {point for rigid in m.rigids for point in rigid.points}
    for rigid in m.rigids:
        # a thin rod in space does not spin about itself
        kind, freedom = ("body", 3) if m.dimension == 2 else ("rod", 5) if len(rigid.points) == 2 else ("body", 6)
        yield Part(name=rigid.name, kind=kind, freedom=freedom, points=rigid.points)
    for point in m.moving_points:
        if point not in held:
            yield Part(name=point, kind="point", freedom=m.dimension, points=(point,))


def _links(m: Mechanism, holders: dict[str, tuple[str, ...]]) -> list[Link]:
    d = m.dimension
    pins = {point: len(names) - 1 for point, names in holders.items()}
    joints = []
    for joint in m.joints:
        made = find_kind(d, joint.kind)
        assert made is not None
        taken = FREEDOMS[d] - made.freedom
        if joint.points[0] == joint.points[1]:
            # the shared point is part of the joint
            pins[joint.points[0]] -= 1
            taken += d - made.places
        joints.append(
            Link(name=joint.name, kind=f"{joint.kind} joint", parts=joint.parts, each=taken, short=joint.kind)
        )
    joints += [Link(name=r.name, kind="relation", parts=_concerned(m, r.formula, holders), each=1) for r in m.relations]
    held = ((h.name, _concerned(m, h.formula, holders)) for h in m.velocity_constraints)
    joints += [Link(name=name, kind="velocity constraint", parts=parts, each=1) for name, parts in held]
    kinds = {"rolling": ROLLING, "edge": "knife edge"}
    joints += [Link(name=c.name, kind=kinds[c.kind], parts=c.parts, each=len(c.rows)) for c in m.footings.values()]
    links = [
        Link(
            name=point,
            kind="pin" if d == 2 else "ball joint",
            parts=holders[point],
            each=d,
            times=count,
            short="pin" if d == 2 else "ball",
        )
        for point, count in pins.items()
        if count > 0
    ]
    links += joints
    for points, short, base, each in (
        *((line.points, "on a line", 2, d - 1) for line in m.collinears),
        *((plane.points, "in a plane", 3, 1) for plane in m.coplanars),
    ):
        parts, count = _unique(part for point in points for part in holders[point]), len(points) - base
        name, kind = "".join(points), f"point {short}"
        links.append(Link(name=name, kind=kind, parts=parts, each=each, times=count, short=short))
    for motion in m.motions:
        links.append(Link(name=motion.target, kind="motion", parts=_moved(m, motion.target, holders), each=1))
    return links


def _moved(m: Mechanism, target: str, holders: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The parts a prescribed motion is about."""
    joints = {joint.name: joint.parts for joint in m.joints}
    of = target.rpartition(".")[0]
    return joints[of] if of in joints else _concerned(m, m.meaning(target), holders)


def _concerned(m: Mechanism, law: Expr, holders: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The parts that a law is about."""
    joints = {joint.name: joint.parts for joint in m.joints}
    parts: list[str] = []
    for _, found in quantities(law):
        parts += [part for point in found.points for part in holders[point]]
        if not found.points:
            parts += joints.get(found.of, (WORLD, found.of))
    return _unique(parts)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
