"""The mass matrix of a tree by composites: a Tree in, the entries of M by pairs of freedoms out.

What moves with a body, as if all that stands on it were rigid, is its composite: mass m, first moment h and inertia J
about its origin, of which only what is along axes that something turns about is made. A speed whose partial velocities
there are v and w gives it the momenta

    p = m v + w × h          L = h × v + J·w

and M has what these do along the partial velocities of the body and of all it stands on, L taking r × p along inwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from linkwork.equations.recursion import over, parent_of, slide_of
from linkwork.model.tree import Tree, TreeBody
from linkwork.symbolic import ONE, ZERO, Expr, Symbol, add, free_symbols
from linkwork.symbolic.algebra import add_products, multiply, scale
from linkwork.vectors import Dyadic, Frame, Vector, cross, dot, partial
from linkwork.vectors.quantity import UnitVector

Axes = tuple[UnitVector, ...]


class Composite(NamedTuple):
    """Mass, first moment, and inertia about the origin of a body, over its axes."""

    m: Expr
    h: Vector
    J: Dyadic


class Flow(NamedTuple):
    """The velocity of the origin of a body, and its angular velocity, by one of its own speeds."""

    number: int
    v: Vector
    w: Vector


def is_carried(tree: Tree) -> bool:
    """Whether all places in a body are fixed in it but for its own freedoms, so that composites tell all of M."""
    for body in tree.bodies:
        own = {freedom.coordinate for freedom in body.freedoms}
        if any(s.kind in ("coordinate", "speed") for s in (_felt(body.shift) - own) | _felt(body.centre.offset)):
            return False
    return True


def keeps_centres(tree: Tree) -> bool:
    """Whether mass centres stay where they are in their bodies."""
    return all(s.kind == "parameter" for body in tree.bodies for s in _felt(body.centre.offset))


def moves_by_itself(tree: Tree) -> bool:
    """Whether a place in a body depends on time."""
    places = (place for body in tree.bodies for place in (body.shift, body.centre.offset))
    return any(s.kind == "time" for place in places for s in _felt(place))


def _felt(place: Vector) -> frozenset[Symbol]:
    """What a place depends on."""
    return free_symbols(*place.terms.values())


def derive_mass(tree: Tree) -> dict[tuple[int, int], Expr]:
    """The lower triangle of M, by the numbers of freedoms."""
    found: dict[tuple[int, int], Expr] = {}
    flows = _flows(tree)
    axes = _find_axes(tree, flows)
    composites = _compose(tree, axes)
    for body in tree.bodies:
        c = composites[body]
        for j, v, w in flows[body]:
            p, L = c.m * v + cross(w, c.h), _along(axes[body], [cross(c.h, v), dot(c.J, w)])
            below: Frame = body
            while isinstance(below, TreeBody):
                others = (flow for flow in flows[below] if below is not body or flow.number <= j)
                found |= {(max(i, j), min(i, j)): dot(p, v_i) + dot(L, w_i) for i, v_i, w_i in others}
                below = parent_of(carried := below)
                if below is not tree.ground:
                    p = over(below, p)
                    L = _along(axes[below], [L, cross(carried.shift, p)])
    return found


def _flows(tree: Tree) -> dict[Frame, list[Flow]]:
    numbers = {freedom.speed: i for i, freedom in enumerate(tree.freedoms)}
    found: dict[Frame, list[Flow]] = {}
    for body in tree.bodies:
        slide, own = slide_of(body), [freedom.speed for freedom in body.freedoms]
        flows = ((numbers[u], partial(slide, u), partial(body.spin, u)) for u in own)
        found[body] = [Flow(i, over(body, v), over(body, w)) for i, v, w in flows]
    return found


def _find_axes(tree: Tree, flows: dict[Frame, list[Flow]]) -> dict[Frame, Axes]:
    """The axes of each body along which its angular momentum matters: it, or what it stands on, turns about them."""
    found: dict[Frame, Axes] = {tree.ground: ()}
    for body in tree.bodies:
        turns = [*(flow.w for flow in flows[body]), *(over(body, axis) for axis in found[parent_of(body)])]
        used = {axis for w in turns for axis in w.terms}
        found[body] = tuple(axis for axis in body.axes if axis in used)
    return found


def _along(axes: Axes, vectors: Iterable[Vector]) -> Vector:
    """The components of a sum of vectors along some axes."""
    vectors = [v for v in vectors if v]
    return Vector({axis: add(*(_component(v, axis) for v in vectors)) for axis in axes})


def _component(v: Vector, axis: UnitVector) -> Expr:
    """v · axis, read off where v is over the axes of its frame."""
    return v.terms.get(axis, ZERO) if axis.frame.axis_set.issuperset(v.terms) else dot(v, axis)


def _entry(J: Dyadic, i: UnitVector, j: UnitVector) -> Expr:
    """i · J · j, read off where J is over the axes of both."""
    used = {axis for pair in J.terms for axis in pair}
    read = i.frame.axis_set.issuperset(used) and j.frame.axis_set.issuperset(used)
    return J.terms.get((i, j), ZERO) if read else dot(dot(i, J), j)


def _compose(tree: Tree, axes: dict[Frame, Axes]) -> dict[Frame, Composite]:
    found: dict[Frame, Composite] = {body: _alone(body, axes[body]) for body in tree.bodies}
    for body in reversed(tree.bodies):
        parent = parent_of(body)
        if isinstance(parent, TreeBody):
            found[parent] = _with_child(found[parent], body, found[body], parent, axes[parent])
    return found


def _alone(body: TreeBody, axes: Axes) -> Composite:
    c = over(body, body.centre.offset)
    return Composite(body.mass, body.mass * c, _inertia(axes, [body.inertia], [(body.mass * c, c)]))


def _with_child(own: Composite, child: TreeBody, c: Composite, parent: TreeBody, axes: Axes) -> Composite:
    # m at r, and h at r both ways: m (r² 1 − r r) + 2 (r·h) 1 − r h − h r
    r, h = over(parent, child.shift), over(parent, c.h)
    at = c.m * r
    return Composite(own.m + c.m, own.h + at + h, _inertia(axes, [own.J, c.J], [(at + h, r), (r, h)]))


def _inertia(axes: Axes, parts: list[Dyadic], moments: list[tuple[Vector, Vector]]) -> Dyadic:
    """The sum of dyadics and, of each pair h, r of a first moment and its place, (h·r) 1 − h r, along some axes.

    All moments and places are over the axes of one body.
    """
    felt = [(h.terms, r.terms) for h, r in moments]
    spread = add_products([(x, r[k], ONE) for h, r in felt for k, x in h.items() if k in r])
    found = {}
    for n, i in enumerate(axes):
        for j in axes[: n + 1]:
            apart = [scale(-1, multiply(h[i], r[j])) for h, r in felt if i in h and j in r]
            entry = add(*(_entry(J, i, j) for J in parts if J), *apart)
            found[i, j] = found[j, i] = entry + spread if i is j else entry
    return Dyadic(found)
