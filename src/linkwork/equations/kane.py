"""Kane's equations of a tree of bodies: a Tree in; the balance of each speed, its mass matrix and what forces it, out.

    Σ over bodies   ∂v*/∂uᵢ · (m a* − F) + ∂ω/∂uᵢ · (J·α + ω × J·ω − M) = 0

v* and a* are velocity and acceleration of the mass centre, ω and α those of turning; F and M the forces and moments.
What inertia asks for comes from a recursion along the tree (`recursion`); it is linear in u̇, so the mass matrix is its
derivative and the rest of it the bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.equations.carried import derive_mass, is_carried, keeps_centres, moves_by_itself
from linkwork.equations.efforts import find_efforts
from linkwork.equations.own import derive_own
from linkwork.equations.recursion import recurse, recurse_still, velocities, weigh
from linkwork.errors import ExpressionError, InputError, Problem
from linkwork.garbage import rarely_collected
from linkwork.model import Lagrangian
from linkwork.model.convert import as_expr
from linkwork.model.own import Mass, Own, OwnEquations
from linkwork.model.tree import Load, Tree, TreeBody, rate_symbol
from linkwork.model.tree.units import find_dimensions, find_units
from linkwork.model.units import Units
from linkwork.model.values import compute_parameters
from linkwork.model.whereabouts import Effort, Lookup, Whereabouts
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    add,
    differentiate,
    evaluate,
    free_symbols,
    jacobian,
    substitute,
    substitute_all,
    symbol,
    total_rate,
)
from linkwork.symbolic.small import MOST, truncate
from linkwork.vectors import (
    Point,
    Vector,
    angular_velocity,
    components,
    cross,
    dot,
    dt,
    entries,
    material_velocity,
    partial,
    position,
    velocity,
)

SLACK = 1e-9  # of an inertia
GIVE = 'Give it as parameters={"name": value}'


@dataclass(frozen=True, kw_only=True, eq=False)
class Kane:
    """The equations M(q) u̇ = f(q, u, t) of a tree, before constraints.   mass[i, j] has i ≥ j and no zeros.

    keep  how many orders of what is small are kept, all if it is not said: M, bias, forces and the rates of coordinates
          are cut at the end, when all that is to be differentiated has been
    composites  whether M is made by composites, where they tell all of it, or by differentiating
    """

    tree: Tree
    keep: int | None = None
    composites: bool = True

    def cut(self, expr: Expr, beyond: int = 0) -> Expr:
        """An expression without what is negligible, or with some orders of it."""
        return expr if self.keep is None else truncate(expr, self.small, min(self.keep + beyond, max(self.keep, MOST)))

    @cached_property
    def small(self) -> dict[Symbol, int]:
        """What is small, and of which order."""
        return self.tree.small

    @cached_property
    def speeds(self) -> list[Symbol]:
        """The speeds in order."""
        return [freedom.speed for freedom in self.tree.freedoms]

    @cached_property
    def needed(self) -> list[Expr]:
        """M u̇ + bias."""
        return list(recurse(self.tree).values())

    @cached_property
    def mass(self) -> dict[tuple[int, int], Expr]:
        """The mass matrix, its lower triangle: what u̇ is multiplied by."""
        entries = derive_mass(self.tree) if self.composites and is_carried(self.tree) else self._differentiated()
        found = {place: self.cut(entry) for place, entry in entries.items() if entry is not ZERO}
        return {place: entry for place, entry in found.items() if entry is not ZERO}

    def _differentiated(self) -> dict[tuple[int, int], Expr]:
        rows = jacobian(self.needed, [acceleration_of(u) for u in self.speeds])
        return {(i, j): row[j] for i, row in enumerate(rows) for j in range(i + 1)}

    @cached_property
    def bias(self) -> list[Expr]:
        """What inertia asks for without accelerations: centrifugal, Coriolis and gyroscopic terms, M u̇ + bias."""
        return [self.cut(expr) for expr in recurse_still(self.tree).values()]

    @cached_property
    def loads(self) -> list[Expr]:
        """The generalised forces of the loads."""
        try:
            return [self.cut(add(*(generalized(load, u) for load in self.tree.loads))) for u in self.speeds]
        except ExpressionError as error:
            raise self._blamed(error) from None

    def _blamed(self, error: ExpressionError) -> ExpressionError:
        """The error of one load, with the line that added it."""
        for load in self.tree.loads:
            try:
                self.cut(load.magnitude)
            except ExpressionError as its:
                return ExpressionError(f"'{load.name}', added in {load.place}: {its.what}", its.remedy)
        return error

    @cached_property
    def weights(self) -> list[Expr]:
        """The generalised forces of gravity: what it takes to be accelerated upwards."""
        g = self.tree.gravity
        if not g:
            return [ZERO] * len(self.speeds)
        return [self.cut(weight) for weight in weigh(self.tree, g).values()]

    @cached_property
    def forces(self) -> list[Expr]:
        """f of M u̇ = f; weight is what it takes to be accelerated upwards."""
        if self.keep is None:
            pull = recurse_still(self.tree, -self.tree.gravity)
            return [load - asked for load, asked in zip(self.loads, pull.values(), strict=True)]
        parts = zip(self.loads, self.weights, self.bias, strict=True)
        return [load + weight - bias for load, weight, bias in parts]

    @property
    def kinetic(self) -> Expr:
        """The kinetic energy, by the speeds."""
        parts = []
        for body, (w, v) in velocities(self.tree).items():
            at_centre = v + cross(w, body.centre.offset) + dt(body.centre.offset, body)
            parts.append((body.mass * dot(at_centre, at_centre) + dot(w, dot(body.inertia, w))) / 2)
        return add(*parts)

    @property
    def potential(self) -> Expr:
        """The potential energy of gravity."""
        g = self.tree.gravity
        return -add(*(body.mass * dot(g, position(body.centre)) for body in self.tree.bodies)) if g else ZERO

    def inertia(self) -> dict[Symbol, Expr]:
        """M u̇ + bias by speed, with accelerations u'; M itself is in it only as a product with them."""
        return dict(zip(self.speeds, self.needed, strict=True)) if self.keep is None else self._from_matrix()

    def _from_matrix(self) -> dict[Symbol, Expr]:
        rows: list[list[Expr]] = [[bias] for bias in self.bias]
        rates = [acceleration_of(u) for u in self.speeds]
        for (i, j), entry in self.mass.items():
            rows[i].append(entry * rates[j])
            if i != j:
                rows[j].append(entry * rates[i])
        return {u: add(*row) for u, row in zip(self.speeds, rows, strict=True)}

    def in_own_speeds(self, definitions: Mapping[Symbol, Expr]) -> OwnEquations:
        """M u̇ + bias = loads as it stands, where composites do not tell all of it."""
        still = [ZERO] * len(self.speeds)
        return OwnEquations(
            definitions={u.name: expr for u, expr in definitions.items()},
            rates=tuple(self.rates().values()),
            mass=self.mass,
            shift=tuple(still),
            bias=tuple(bias - weight for bias, weight in zip(self.bias, self.weights, strict=True)),
            loads=tuple(self.loads),
            shared={},
        )

    def rewritten(self, expr: Expr) -> Expr:
        """An expression without what is negligible, in these speeds."""
        return self.cut(expr)

    def rates(self) -> dict[Symbol, Expr]:
        """q̇ by coordinate, by the speeds."""
        memory = self.tree.ground.memory
        return {f.coordinate: self.cut(memory.rate_of(f.coordinate)) for f in self.tree.freedoms}


def generalized(load: Load, u: Symbol) -> Expr:
    """The force of a load along a speed: magnitude times what the speed adds to the flow the load works on.

    A force works on what is fixed in the body where it acts, also where its place in the body changes.
    """
    if load.at is None:
        flow: Vector = angular_velocity(load.on, load.against)
    else:
        flow = material_velocity(load.at)
        if load.at_other is not None:
            flow = flow - material_velocity(load.at_other)
    along = partial(flow, u)
    return load.magnitude * dot(load.along, along) if along else ZERO


def acceleration_of(u: Symbol) -> Symbol:
    """u̇ as a symbol."""
    return symbol(f"{u.name}'", kind="acceleration")


# -- in the rates of coordinates ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class InRates:
    """The same in the rates of coordinates: with u = W(q) q̇, the balance along q̇ⱼ is Σ Wᵢⱼ (balance of uᵢ)."""

    kane: Kane

    @cached_property
    def speeds(self) -> dict[Symbol, Expr]:
        """u by q and q̇, with one order more of what is small, since slopes and rates of what is cut lose one."""
        return {u: self.kane.cut(self.kane.tree.definition(u), beyond=1) for u in self.kane.speeds}

    @cached_property
    def _names(self) -> dict[Expr, ExprLike]:
        """What u and u̇ become."""
        names: dict[Expr, ExprLike] = {u: expr for u, expr in self.speeds.items()}  # noqa: C416
        return names | {acceleration_of(u): total_rate(expr, rate_of) for u, expr in self.speeds.items()}

    def rewritten(self, expr: Expr) -> Expr:
        """An expression of u and u̇ by q̇ and q̈."""
        return substitute(expr, self._names)

    def along(self, by_speed: Sequence[Expr]) -> dict[str, Expr]:
        """Generalised forces by speed as forces by coordinate."""
        found, rewritten = {}, substitute_all(by_speed, self._names)
        for freedom in self.kane.tree.freedoms:
            q = rate_symbol(freedom.coordinate)
            parts = zip(self.speeds.values(), rewritten, strict=True)
            total = add(*(w * f for u, f in parts if f is not ZERO and (w := differentiate(u, q)) is not ZERO))
            if total is not ZERO:
                found[freedom.coordinate.name] = total
        return found

    def mass(self) -> Mass | None:
        """M by pairs of coordinates, where their rates are the speeds and composites tell all of it."""
        kane, freedoms = self.kane, self.kane.tree.freedoms
        plain = all(self.speeds[f.speed] is rate_symbol(f.coordinate) for f in freedoms)
        if not plain or kane.keep is not None or not is_carried(kane.tree):
            return None
        names = [f.coordinate.name for f in freedoms]
        return Mass(lambda: {(names[i], names[j]): entry for (i, j), entry in kane.mass.items()})


def rate_of(s: Symbol) -> Expr:
    """ṡ as a symbol, or a number, of coordinates, their rates and time."""
    following = {"coordinate": "speed", "speed": "acceleration"}.get(s.kind)
    if following is not None:
        return symbol(f"{s.name}'", kind=following)
    return ONE if s.kind == "time" else ZERO


@rarely_collected()
def describe_tree(
    tree: Tree,
    *,
    keep: int | None = None,
    values: Mapping[str, Any] | None = None,
    points: Mapping[str, Point] | None = None,
    **options: Any,
) -> Lagrangian:
    """The tree as a system in its coordinates, whose speeds, outputs and parameters have their names.

    `keep` orders of small quantities are kept. The other options are those of a Lagrangian: start, tend, lines, events.
    """
    kane = Kane(tree=tree, keep=keep)
    rates = InRates(kane=kane)
    forces = kane.loads
    # what is cut, and a mass that changes on the way, has no potential
    weighed = keep is not None or _changes_on_the_way(tree)
    if weighed:
        forces = [load + weight for load, weight in zip(kane.loads, kane.weights, strict=True)]
    kinetic = rates.rewritten(kane.kinetic)
    named = rates.speeds | {v: rates.rewritten(expr) for v, expr in tree.chosen.items()}
    variables = {u.name: expr for u, expr in named.items() if u.name not in tree.outputs}
    variables |= {name: rates.rewritten(output.expr) for name, output in tree.outputs.items()}
    return Lagrangian(
        [freedom.coordinate.name for freedom in tree.freedoms],
        kinetic - (0 if weighed else kane.potential),
        balance=_without_still(tree, kinetic, rates.along([*kane.inertia().values()])),
        mass=rates.mass(),
        neglected=find_neglected(tree, keep),
        forces=rates.along(forces),
        constraints=tree.constraints,
        velocity_constraints={name: rates.rewritten(h) for name, h in tree.velocity_constraints.items()},
        variables=variables,
        implicits={name: x.with_law(rates.rewritten) for name, x in tree.implicits.items()},
        parameters=_parameters(tree, values or {}),
        inputs=tree.inputs,
        points={name: components(position(p), tree.ground) for name, p in (points or {}).items()},
        bodies=find_bodies(tree),
        efforts=_efforts(kane, rates, weighed=weighed),
        title=tree.title,
        notes=find_notes(tree, values or {}),
        own=_own(kane),
        units=Units(lambda: find_units(tree)),
        long_names={name: o.long_name for name, o in tree.outputs.items() if o.long_name != name},
        **options,
    )


def _without_still(tree: Tree, kinetic: Expr, balance: dict[str, Expr]) -> dict[str, Expr]:
    """What inertia asks for but for what a Lagrangian takes for a potential: the kinetic energy that there is without
    speeds, where places move by themselves.
    """
    if not moves_by_itself(tree):
        return balance
    rates: dict[Expr, ExprLike] = {s: ZERO for s in free_symbols(kinetic) if s.kind == "speed"}
    still = substitute(kinetic, rates)
    felt = {s.name: differentiate(still, s) for s in free_symbols(still) if s.kind == "coordinate"}
    names = [freedom.coordinate.name for freedom in tree.freedoms]
    parts = {name: add(*(x[name] for x in (balance, felt) if name in x)) for name in names}
    return {name: part for name, part in parts.items() if part is not ZERO}


def _changes_on_the_way(tree: Tree) -> bool:
    """Whether a mass depends on where something is."""
    return any(s.kind in ("coordinate", "speed") for body in tree.bodies for s in free_symbols(body.mass))


def find_bodies(tree: Tree) -> Lookup[Whereabouts]:
    """Where the bodies are and how they move, by coordinates and their rates."""
    known = {body.name: body for body in tree.bodies}

    def find(name: str) -> Whereabouts:
        body, ground = known[name], tree.ground
        speed, spin = (tree.in_rates(v) for v in (velocity(body), angular_velocity(body)))
        axes = tuple(components(axis, ground) for axis in body.axes)
        place, centre = (components(position(point), ground) for point in (body, body.centre))
        parent = body.parent.name if isinstance(body.parent, TreeBody) else ""
        return Whereabouts(place, components(speed, ground), axes, components(spin, ground), centre, parent)

    return Lookup(known, find)


def _efforts(kane: Kane, rates: InRates, *, weighed: bool) -> Mapping[str, Effort]:
    """What pulls at bodies, but where forces are cut, or weigh masses that move inside their bodies."""
    told = kane.keep is None and (keeps_centres(kane.tree) or not weighed)
    return find_efforts(kane.tree, rates.rewritten, weighed=weighed) if told else {}


def _own(kane: Kane) -> Own:
    """The equations in the speeds of the tree, and what they are where nothing is neglected."""
    whole = _own(Kane(tree=kane.tree)) if kane.keep is not None else None
    by_composites = is_carried(kane.tree) and keeps_centres(kane.tree)

    def derive() -> OwnEquations:
        speeds = {u: kane.cut(kane.tree.definition(u)) for u in kane.speeds}
        return derive_own(kane.tree, kane.keep, speeds, kane.loads) if by_composites else kane.in_own_speeds(speeds)

    return Own(derive, whole=whole)


def find_neglected(tree: Tree, keep: int | None) -> str:
    """What the equations leave out: what is small, and the momentum that a mass takes along that comes or goes."""
    if keep is not None:
        return f"what is small of order {keep} and more"
    varying = [x for body in tree.bodies for x in (body.mass, *body.inertia.terms.values())]
    changes = any(s.kind != "parameter" for s in free_symbols(*varying))
    return "the momentum that comes or goes with mass" if changes else ""


def find_notes(tree: Tree, more: Mapping[str, Any]) -> list[Problem]:
    """Units that contradict;  inertias that no body has: the largest principal moment exceeds the sum of the others."""
    given = {name: as_expr(value) for name, value in {**tree.values, **more}.items()}
    values, _ = compute_parameters(given)
    notes = find_unit_notes(tree)
    for body in tree.bodies:
        entries_of = [x for row in entries(body.inertia, body) for x in row]
        if any(s.name not in values for s in free_symbols(body.mass, *entries_of)):
            continue  # it varies
        if evaluate(body.mass, values) <= 0:
            continue  # a frame, or something taken away
        J = np.array([evaluate(x, values) for x in entries_of]).reshape(3, 3)
        a, b, c = np.linalg.eigvalsh(J)
        if b <= SLACK * c:
            continue  # one moment alone: it turns about one axis, and no other matters
        if c > (a + b) * (1 + SLACK) or a < -SLACK * c:
            what = f"no body has this inertia: its principal moments are {a:.4g}, {b:.4g} and {c:.4g}"
            remedy = "The largest is at most the sum of the others; check the signs of the products of inertia"
            notes.append(Problem(part=f"body '{body.name}'", what=what, remedy=remedy))
    return notes


def find_unit_notes(tree: Tree) -> list[Problem]:
    """Laws that contradict others or what was declared; whoever declares no units is left alone."""
    if not tree.declared_units and not any(output.unit for output in tree.outputs.values()):
        return []
    remedy = "Check the laws and the units that were declared"
    found = find_dimensions(tree).contradictions()
    return [Problem(part=f"tree '{tree.title}'", what=what, remedy=remedy) for what in found]


def _parameters(tree: Tree, more: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all parameters; one without is told by name."""
    values = {**tree.values, **more}
    missing = [name for name in tree.used if name not in values]
    if missing:
        names = ", ".join(missing)
        raise InputError([Problem(part=f"tree '{tree.title}'", what=f"no value for {names}", remedy=GIVE)])
    return values
