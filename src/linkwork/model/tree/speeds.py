"""The speeds of a tree: how bodies move by them, and how they and the rates of coordinates depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from linkwork.model.tree.bodies import TreeBody, rate_symbol
from linkwork.model.tree.given import Given, listed
from linkwork.model.tree.inertia import find_composite_centre
from linkwork.symbolic import ZERO, Expr, Symbol, differentiate, free_symbols, substitute, symbol
from linkwork.symbolic.simplify import trigonometric
from linkwork.vectors import Vector, VectorError, components, cross, dot
from linkwork.vectors.motion import dt, origin_velocity

if TYPE_CHECKING:
    from linkwork.model.tree.tree import Tree


def set_speeds(
    tree: Tree, body: TreeBody, place: Vector, slides: list[Vector], about: list[int], angles: list[Symbol]
) -> None:
    """Say how a body moves by its speeds, and how these and the rates of its coordinates depend on each other.

    Its joint is at a place from which it slides.
    """
    speeds = [freedom.speed for freedom in body.freedoms]
    free = len(slides) == 3 and len(about) == 3 and body.parent is tree.ground
    _set_spin(tree, body, about, angles, speeds[len(slides) :])
    if free and tree.speed_choice == "body":
        _set_free(tree, body, place, slides, speeds[:3])
        return
    for q, u in zip((f.coordinate for f in body.freedoms[: len(slides)]), speeds, strict=False):
        _equal(tree, q, u)


def _equal(tree: Tree, q: Symbol, u: Symbol) -> None:
    tree.ground.memory.rates[q] = u
    tree.definitions[u] = rate_symbol(q)


def _set_spin(tree: Tree, body: TreeBody, about: list[int], angles: list[Symbol], speeds: list[Symbol]) -> None:
    directions = body.directions(angles, about) if len(about) != 1 else [body.turning.axes[about[0]]]
    if len(about) != 3 or tree.speed_choice == "rates":
        for q, u in zip(angles, speeds, strict=True):
            _equal(tree, q, u)
        body.spin = sum((u * d for u, d in zip(speeds, directions, strict=True)), Vector({}))
        return
    # ω = u1 x + u2 y + u3 z, and with the directions d of the turns, of which neighbours are at right angles:
    # q1' = ω·(d2 × d3) / d1·(d2 × d3),   q2' = ω·d2,   q3' = ω·d3 − q1' d1·d3
    body.spin = Vector(dict(zip(body.axes, speeds, strict=True)))
    first, second, third = (Vector(dict(zip(body.axes, components(d, body), strict=True))) for d in directions)
    side = cross(second, third)
    span = trigonometric(dot(first, side))
    rates = tree.ground.memory.rates
    rates[angles[0]] = dot(body.spin, side) / span
    rates[angles[1]] = dot(body.spin, second)
    rates[angles[2]] = dot(body.spin, third) - rates[angles[0]] * dot(first, third)  # type: ignore[operator]
    turning = sum((rate_symbol(q) * d for q, d in zip(angles, (first, second, third), strict=True)), Vector({}))
    for u, c in zip(speeds, components(turning, body), strict=True):
        tree.definitions[u] = c


def _set_free(tree: Tree, body: TreeBody, place: Vector, slides: list[Vector], speeds: list[Symbol]) -> None:
    """Speeds of a body free in space: components, in its axes, of the velocity of its composite's mass centre.

    v of the origin = v of the place + Σ q' d, with the directions d of the slides
    """
    along = Vector(dict(zip(body.axes, speeds, strict=True)))

    def drift() -> Vector:
        # v of the origin = v of the centre − ω × r
        return along - cross(body.spin, find_composite_centre(body))

    body.drift = drift
    places = [freedom.coordinate for freedom in body.freedoms[:3]]
    for q, across in zip(places, _reciprocal(slides), strict=True):
        tree.ground.memory.rates[q] = partial(_along, lambda: origin_velocity(body) - dt(place), across)
    moving = sum((rate_symbol(q) * d for q, d in zip(places, slides, strict=True)), Vector({}))

    def centre() -> Vector:
        return tree.in_rates(dt(place)) + moving + cross(tree.in_rates(body.spin), find_composite_centre(body))

    for u, axis in zip(speeds, body.axes, strict=True):
        tree.definitions[u] = partial(_along, centre, axis)


def choose_speeds(tree: Tree, speeds: Mapping[str, Given], instead_of: Sequence[str]) -> None:
    """Let speeds of a person's own take the place of as many of the tree's."""
    instead_of = [instead_of] if isinstance(instead_of, str) else listed(instead_of, "instead_of")
    known = {freedom.speed.name: freedom.speed for freedom in tree.freedoms}
    wrong = [name for name in instead_of if name not in known or known[name] in tree.replaced]
    if wrong or len(instead_of) != len(speeds):
        what = f"{wrong[0]} is no speed" if wrong else f"{len(speeds)} speeds instead of {len(instead_of)}"
        raise VectorError(what, "Name as many speeds of the tree as are given: instead_of=['u1', 'u2']")
    memory = tree.ground.memory
    rates = {rate_symbol(f.coordinate): memory.rate_of(f.coordinate) for f in tree.freedoms}
    for name, given in speeds.items():
        if name in known or name in tree.used or name in tree.inputs or symbol(name, kind="speed") in tree.chosen:
            raise VectorError(f"there is something called '{name}' already", "Give the speed another name")
        expr = tree.read(given, f"speed '{name}'")
        own = substitute(expr, {s: rates[s] for s in free_symbols(expr) if s in rates})
        slopes = [differentiate(own, u) for u in known.values()]
        still = substitute(own, dict.fromkeys(known.values(), ZERO))
        if still is not ZERO or any(s.kind == "speed" for x in slopes for s in free_symbols(x)):
            raise VectorError(f"the speed '{name}' is not linear in the speeds", "Write it as a sum of speeds")
        tree.chosen[symbol(name, kind="speed")] = own
    tree.replaced += [known[name] for name in instead_of]


def _along(velocity: Callable[[], Vector], axis: Vector) -> Expr:
    return dot(velocity(), axis)


def _reciprocal(lines: list[Vector]) -> list[Vector]:
    """Vectors of which each has the product one with its line and none with the others: q' = v · r where v = Σ q' d."""
    crosses = [cross(lines[j], lines[k]) for j, k in ((1, 2), (2, 0), (0, 1))]
    return [side / dot(lines[0], crosses[0]) for side in crosses]
