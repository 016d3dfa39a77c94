"""Kane's equations by partial velocities, body by body: a second route to the mass matrix and bias of a tree."""

from __future__ import annotations

from linkwork import Tree
from linkwork.equations.kane import Kane, acceleration_of
from linkwork.symbolic import ZERO, Expr, add, substitute
from linkwork.vectors import Vector, angular_velocity, cross, dot, dt, partial, velocity


def by_partial_velocities(tree: Tree) -> tuple[dict[tuple[int, int], Expr], list[Expr]]:
    """M (lower triangle) and bias: sums over bodies of partial velocities times what moves them."""
    speeds = Kane(tree=tree).speeds
    still = {acceleration_of(u): ZERO for u in speeds}

    def left(v: Vector) -> Vector:
        return dt(v).mapped(lambda c: substitute(c, still))

    mass: dict[tuple[int, int], list[Expr]] = {}
    bias: list[list[Expr]] = [[] for _ in speeds]
    for body in tree.bodies:
        v, w = velocity(body.centre), angular_velocity(body)
        for flow, momentum, effort in (
            (v, lambda p, body=body: body.mass * p, body.mass * left(v)),
            (w, lambda p, body=body: dot(body.inertia, p), dot(body.inertia, left(w)) + cross(w, dot(body.inertia, w))),
        ):
            partials = {i: p for i, u in enumerate(speeds) if (p := partial(flow, u))}
            for i, p in partials.items():
                bias[i].append(dot(p, effort))
                for j, other in partials.items():
                    if i >= j:
                        mass.setdefault((i, j), []).append(dot(p, momentum(other)))
    return {place: add(*parts) for place, parts in mass.items()}, [add(*parts) for parts in bias]
