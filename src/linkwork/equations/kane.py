"""Kane's equations of a tree of bodies: a Tree in; the balance of each speed, its mass matrix and what forces it, out.

    Σ over bodies   ∂v*/∂uᵢ · (m a* − F) + ∂ω/∂uᵢ · (J·α + ω × J·ω − M) = 0

v* and a* are velocity and acceleration of the mass centre, ω and α those of turning; F and M the forces and moments. All
vectors stay over the axes in which they came up. Accelerations are linear in u̇: a* = Σ ∂v*/∂uⱼ u̇ⱼ + what is left, so the
mass matrix is made of the partial velocities alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from linkwork.model.tree import Load, Tree, TreeBody
from linkwork.symbolic import ZERO, Expr, Symbol, add, symbol
from linkwork.vectors import Vector, angular_velocity, cross, dot, dt, partial, velocity


class Partials(NamedTuple):
    """The partial velocities of a body: of its mass centre and of its turning, by speed."""

    linear: dict[Symbol, Vector]
    angular: dict[Symbol, Vector]


@dataclass(frozen=True, kw_only=True, eq=False)
class Kane:
    """The equations M(q) u̇ = f(q, u, t) of a tree, before constraints.   mass[i, j] has i ≥ j and no zeros."""

    tree: Tree

    @cached_property
    def speeds(self) -> list[Symbol]:
        """The speeds in order."""
        return [freedom.speed for freedom in self.tree.freedoms]

    @cached_property
    def bodies(self) -> list[TreeBody]:
        """Those that have mass or inertia."""
        return [body for body in self.tree.bodies if body.mass is not ZERO or body.inertia]

    @cached_property
    def partials(self) -> dict[str, Partials]:
        """The partial velocities of each body that has mass or inertia."""
        return {body.name: self._partials(body) for body in self.bodies}

    def _partials(self, body: TreeBody) -> Partials:
        v, w = velocity(body.centre), angular_velocity(body)
        linear = {u: p for u in self.speeds if (p := partial(v, u))}
        angular = {u: p for u in self.speeds if (p := partial(w, u))}
        return Partials(linear, angular)

    @cached_property
    def mass(self) -> dict[tuple[int, int], Expr]:
        """The mass matrix, its lower triangle."""
        number = {u: i for i, u in enumerate(self.speeds)}
        found: dict[tuple[int, int], list[Expr]] = {}
        for body in self.bodies:
            p = self.partials[body.name]
            momenta = {u: body.mass * v for u, v in p.linear.items()}
            spins = {u: dot(body.inertia, w) for u, w in p.angular.items()}
            for vectors, products in ((p.linear, momenta), (p.angular, spins)):
                for u, v in vectors.items():
                    for w, momentum in products.items():
                        if number[u] >= number[w]:
                            found.setdefault((number[u], number[w]), []).append(dot(v, momentum))
        sums = {place: add(*parts) for place, parts in found.items()}
        return {place: entry for place, entry in sums.items() if entry is not ZERO}

    @cached_property
    def forces(self) -> list[Expr]:
        """f: what drives each speed, of loads, gravity and what turns."""
        parts: dict[Symbol, list[Expr]] = {u: [] for u in self.speeds}
        for body in self.bodies:
            p = self.partials[body.name]
            force = body.mass * (self.tree.gravity - self._left(velocity(body.centre)))
            w = angular_velocity(body)
            moment = -dot(body.inertia, self._left(w)) - cross(w, dot(body.inertia, w))
            for vectors, effort in ((p.linear, force), (p.angular, moment)):
                for u, v in vectors.items():
                    parts[u].append(dot(v, effort))
        for load in self.tree.loads:
            for u in self.speeds:
                parts[u].append(generalized(load, u))
        return [add(*parts[u]) for u in self.speeds]

    def _left(self, v: Vector) -> Vector:
        """The derivative of a velocity in the ground, but for the terms with u̇."""
        still = {symbol(f"{u.name}'", kind="acceleration"): ZERO for u in self.speeds}
        return _without(dt(v), still)

    def balance(self) -> dict[Symbol, Expr]:
        """M u̇ − f by speed, with accelerations u'."""
        rates = [symbol(f"{u.name}'", kind="acceleration") for u in self.speeds]
        rows: list[list[Expr]] = [[-f] for f in self.forces]
        for (i, j), entry in self.mass.items():
            rows[i].append(entry * rates[j])
            if i != j:
                rows[j].append(entry * rates[i])
        return {u: add(*row) for u, row in zip(self.speeds, rows, strict=True)}

    def rates(self) -> dict[Symbol, Expr]:
        """q̇ by coordinate, by the speeds."""
        memory = self.tree.ground.memory
        return {f.coordinate: memory.rate_of(f.coordinate) for f in self.tree.freedoms}


def _without(v: Vector, zeros: dict[Symbol, Expr]) -> Vector:
    from linkwork.symbolic import substitute

    return v.mapped(lambda c: substitute(c, zeros))  # type: ignore[arg-type]


def generalized(load: Load, u: Symbol) -> Expr:
    """The force of a load along a speed: magnitude times what the speed adds to the flow the load works on."""
    if load.at is None:
        flow: Vector = angular_velocity(load.on, load.against)
    else:
        flow = velocity(load.at) - (velocity(load.at_other) if load.at_other is not None else Vector({}))
    along = partial(flow, u)
    return load.magnitude * dot(load.along, along) if along else ZERO


__all__: Sequence[str] = ["Kane", "generalized"]
