"""The equations of a tree in its own speeds, put together; and the rates of its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from linkwork.equations.own.bias import derive_bias
from linkwork.equations.own.links import Link, find_links
from linkwork.equations.own.mass import compose, derive_mass
from linkwork.equations.own.moments import NONE, find_moments, reference
from linkwork.equations.own.names import Names
from linkwork.equations.own.posture import UNITS
from linkwork.model.own import OwnEquations
from linkwork.model.tree import Tree
from linkwork.symbolic import ZERO, Expr, Symbol
from linkwork.symbolic.vector import Vector, cross
from linkwork.vectors import components


def derive_own(tree: Tree, keep: int | None, definitions: Mapping[Symbol, Expr], loads: Sequence[Expr]) -> OwnEquations:
    """M (u̇ + shift) + bias = loads, with `keep` orders of what is small.

    definitions: the speeds by the rates of coordinates; loads: by speed
    """
    names = Names(tree.small, keep)
    links = find_links(tree, names)
    gravity = Vector(components(tree.gravity, tree.ground)) if tree.gravity else NONE
    composites = compose(links, find_moments(tree), names)
    mass = derive_mass(links, composites, names)
    bias, shift = derive_bias(links, composites, gravity, names)
    rates = [rate for link in links for rate in _rates(link, names)]
    return OwnEquations(
        definitions={u.name: expr for u, expr in definitions.items()},
        rates=tuple(rates),
        mass=mass,
        shift=tuple(shift.get(u, ZERO) for u in definitions),
        bias=tuple(bias[u] for u in definitions),
        loads=tuple(loads),
        shared=names.shared,
    )


def _rates(link: Link, names: Names) -> Vector:
    """q̇ of a body, by coordinate."""
    tree, body = link.body.tree, link.body
    rates = [tree.ground.memory.rate_of(freedom.coordinate) for freedom in body.freedoms]
    slides = len(rates) - len(body.sequence)
    if link.is_free:
        rates[:slides] = link.posture.to_parent(names.keep(link.velocity - cross(link.spin, reference(body))))
    if len(body.sequence) == 3 and tree.speed_choice == "body":
        rates[slides:] = _angle_rates(link, names)
    return names.keep(rates)


def _angle_rates(link: Link, names: Names) -> list[Expr]:
    """The rates of three angles by ω; before the last turn the axes k2 and k3 of the later ones are axes:

    ω = q1' d + q2' k2 + q3' k3     with d, the axis of the first, at right angles to k2
    """
    _, second, third = link.posture.turns
    w = names.keep(third.back(link.spin))
    d = second.on(UNITS[link.body.sequence[0]])
    (j,) = {0, 1, 2} - {second.k, third.k}
    first = names.name(w[j] / d[j])
    return [first, w[second.k], w[third.k] - d[third.k] * first]
