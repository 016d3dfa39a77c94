"""A mechanism: parts, forces, initial values and settings as one frozen whole that is valid from birth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_line
from linkwork.model.bodies import Body, Placed, place_body
from linkwork.model.check.mechanism import find_problems
from linkwork.model.complete import Space, find_turn_angles
from linkwork.model.connections import WORLD, Collinear, Coplanar, Joint
from linkwork.model.contacts import Surroundings
from linkwork.model.controllers import Control, Controller
from linkwork.model.convert import Scalar, Vector, as_exprs
from linkwork.model.joints import find_kind
from linkwork.model.joints.words import Words, resolve_joint
from linkwork.model.laws import (
    Damper,
    Dissipation,
    Driver,
    Effort,
    Event,
    Force,
    Moment,
    Relation,
    VelocityConstraint,
    flow_of,
    quantity_or_word,
)
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.revalue import Members, Revaluer, with_columns
from linkwork.model.rolling import Contact, KnifeEdge, Rolling
from linkwork.model.settings import Display, Settings
from linkwork.model.signals import Signals, State, signals_in_laws
from linkwork.model.start import InitialValues
from linkwork.model.tables import Table
from linkwork.model.values import compute_number, compute_numbers, compute_parameters
from linkwork.symbolic import Expr, symbol

DIMENSIONS = (2, 3)
STANDARD_GRAVITY = (0, "-9.80665")  # m/s², down: -y in 2D, -z in 3D
STANDARD_GRAVITY_3D = (0, 0, "-9.80665")

_set = object.__setattr__


@dataclass(frozen=True, slots=True, kw_only=True, init=False, eq=False)
class Mechanism:
    """All about a mechanism, symbolic in its parameters. Construction raises InputError with all problems.

    `held` are the parameters and inputs that controllers take for constant where they differentiate.

    >>> pendulum = Mechanism(
    ...     parameters={"l": 1, "m": 2},
    ...     fixed={"O": ()},
    ...     rigids=[Rigid.rod("OA", "l", "m")],
    ...     gravity=STANDARD_GRAVITY,
    ... )
    >>> pendulum.moving_points
    ('A',)
    >>> pendulum.with_parameters(l=3).compute(pendulum.rigids[0].inertia[0])
    1.5
    """

    title: str
    dimension: int
    parameters: Mapping[str, Expr]
    fixed: Mapping[str, tuple[Expr, ...]]
    bodies: tuple[Body, ...]
    rigids: tuple[Rigid, ...]
    springs: tuple[Spring, ...]
    particles: tuple[Particle, ...]
    gravity: tuple[Expr, ...] | None
    torques: tuple[Torque, ...]
    forces: tuple[Force, ...]
    moments: tuple[Moment, ...]
    dampers: tuple[Damper, ...]
    dissipations: tuple[Dissipation, ...]
    efforts: tuple[Effort, ...]
    motions: tuple[Driver, ...]
    relations: tuple[Relation, ...]
    velocity_constraints: tuple[VelocityConstraint, ...]
    events: tuple[Event, ...]
    collinears: tuple[Collinear, ...]
    coplanars: tuple[Coplanar, ...]
    joints: tuple[Joint, ...]
    rollings: tuple[Rolling, ...]
    knife_edges: tuple[KnifeEdge, ...]
    tables: Mapping[str, Table]
    variables: Mapping[str, Expr]
    states: tuple[State, ...]
    inputs: Mapping[str, Expr]
    held: frozenset[str]
    start: InitialValues
    settings: Settings
    display: Display

    values: Mapping[str, float] = field(init=False, repr=False)
    moving_points: tuple[str, ...] = field(init=False, repr=False)
    turn_angles: tuple[str, ...] = field(init=False, repr=False)
    words: Words = field(init=False, repr=False, compare=False)
    contacts: Mapping[str, Contact] = field(init=False, repr=False, compare=False)
    _rigid_of: Mapping[str, Rigid] = field(init=False, repr=False)
    _joint_of: Mapping[str, Joint] = field(init=False, repr=False)
    _numbers: dict[Expr, float] = field(init=False, repr=False)
    divisors: Mapping[str, tuple[str, Expr]] = field(init=False, repr=False)
    given: tuple[tuple[Rigid, ...], tuple[Joint, ...]] = field(init=False, repr=False)  # before they were completed
    _shared: Shared = field(init=False, repr=False)
    notes: tuple[Problem, ...] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        *,
        title: str = "",
        dimension: int = 2,
        parameters: Mapping[str, Scalar] | None = None,
        fixed: Mapping[str, Vector] | None = None,
        bodies: Iterable[Body] = (),
        rigids: Iterable[Rigid] = (),
        springs: Iterable[Spring] = (),
        particles: Iterable[Particle] = (),
        gravity: Vector | None = None,
        torques: Iterable[Torque] = (),
        forces: Iterable[Force] = (),
        moments: Iterable[Moment] = (),
        dampers: Iterable[Damper] = (),
        dissipations: Iterable[Dissipation] = (),
        efforts: Iterable[Effort] = (),
        motions: Iterable[Driver] = (),
        relations: Iterable[Relation] = (),
        velocity_constraints: Iterable[VelocityConstraint] = (),
        events: Iterable[Event] = (),
        collinears: Iterable[Collinear] = (),
        coplanars: Iterable[Coplanar] = (),
        joints: Iterable[Joint] = (),
        rollings: Iterable[Rolling] = (),
        knife_edges: Iterable[KnifeEdge] = (),
        tables: Mapping[str, Table] | None = None,
        variables: Mapping[str, Scalar | Controller] | None = None,
        states: Iterable[State] = (),
        inputs: Mapping[str, Scalar] | None = None,
        held: Iterable[str] = (),
        start: InitialValues | None = None,
        settings: Settings | None = None,
        display: Display | None = None,
    ) -> None:
        if dimension not in DIMENSIONS:
            what = f"{dimension} is not a dimension"
            raise InputError([Problem(part="Dimension", what=what, remedy="Use 2 or 3")])
        _set(self, "title", show_line(title))
        _set(self, "dimension", dimension)
        _set(self, "parameters", as_exprs(parameters or {}))
        values, problems = compute_parameters(self.parameters)
        _set(self, "values", values)
        space = Space(dimension, values)
        _set(self, "bodies", tuple(bodies))
        placed = {body.name: place_body(body, dimension, values) for body in self.bodies}
        grounds = {**(fixed or {}), **{point: at for each in placed.values() for point, at in each.fixed.items()}}
        _set(self, "fixed", {point: space.place(place, Ref("fixed", point)) for point, place in grounds.items()})
        _set(self, "given", (tuple(_given(rigids, placed)), tuple(joints)))
        _set(self, "_shared", Shared())
        made = [each.rigid for each in placed.values() if each.rigid is not None]
        _set(self, "rigids", tuple([space.rigid(rigid) for rigid in (*self.given[0], *made)]))
        _set(self, "springs", tuple(springs))
        _set(self, "particles", tuple(particles))
        if gravity is STANDARD_GRAVITY and dimension == 3:
            gravity = STANDARD_GRAVITY_3D
        _set(self, "gravity", None if gravity is None else space.place(gravity, Ref("gravity")))
        _set(self, "torques", tuple(torques))
        _set(self, "forces", tuple([space.force(force) for force in forces]))
        _set(self, "moments", tuple([space.moment(moment) for moment in moments]))
        _set(self, "dampers", tuple(dampers))
        _set(self, "dissipations", tuple(dissipations))
        _set(self, "efforts", tuple(efforts))
        _set(self, "motions", tuple(motions))
        _set(self, "relations", tuple(relations))
        _set(self, "velocity_constraints", tuple(velocity_constraints))
        _set(self, "events", tuple(events))
        _set(self, "collinears", tuple(collinears))
        _set(self, "coplanars", tuple(coplanars))
        known = {body.name: body for body in self.bodies}
        resolved = [space.joint(resolve_joint(joint, dimension, known, placed)) for joint in self.given[1]]
        _set(self, "joints", tuple(resolved))
        _set(self, "rollings", tuple(rollings))
        _set(self, "knife_edges", tuple(knife_edges))
        by_name = {joint.name: joint for joint in resolved}
        parts = {rigid.name: rigid for rigid in self.rigids}
        around = Surroundings(space=space, bodies=known, placed=placed, rigids=parts, fixed=self.fixed)
        _set(self, "contacts", {x.name: x for x in around.contacts(self.rollings, self.knife_edges)})
        words = Words(dimension=dimension, bodies=known, placed=placed, joints=by_name, contacts=self.contacts)
        _set(self, "words", words)
        _set(self, "tables", dict(tables or {}))
        _set(self, "start", start or InitialValues())
        _set(self, "settings", settings or Settings())
        _set(self, "display", display or Display())
        _set(self, "inputs", as_exprs(inputs or {}))
        control = Control(variables, states, self.inputs, self.words.meanings)
        _set(self, "held", frozenset(control.held | set(held)))
        _set(self, "divisors", control.divisors)
        self._rename(placed)
        signals = signals_in_laws(control.laws, control.states, self.inputs, self.words.meanings, _all_laws(self))
        self._expand(signals, control.laws, control.states)
        self._complete(problems + space.problems + control.problems + signals.problems)

    def _rename(self, placed: Mapping[str, Placed]) -> None:
        """Call points by one name where two frames of a body are at the same place, and turn what turns joints."""
        if self.dimension == 2:
            _set(self, "torques", tuple([_on_parts(torque, self.words.joints) for torque in self.torques]))
        aliases = {a: b for each in placed.values() for a, b in each.point_of.items() if a != b}
        if not aliases:
            return

        def name(point: str) -> str:
            return aliases.get(point, point)

        for family in ("springs", "dampers", "collinears", "coplanars"):
            parts = [replace(part, points=tuple(map(name, part.points))) for part in getattr(self, family)]
            _set(self, family, tuple(parts))
        _set(self, "particles", tuple([replace(part, point=name(part.point)) for part in self.particles]))
        _set(self, "forces", tuple([replace(force, point=name(force.point)) for force in self.forces]))
        _set(self, "start", self.start.renamed(name))

    def _expand(self, signals: Signals, variables: Iterable[str], states: Iterable[State]) -> None:
        """Put what they stand for in the place of variables, wherever there are laws."""
        expand = signals.expand
        _set(self, "variables", {name: expand(symbol(name)) for name in variables})
        _set(self, "states", tuple([replace(state, rate=expand(state.rate)) for state in states]))
        if not signals.meaning:
            return
        _set(self, "torques", tuple([replace(x, value=expand(x.value)) for x in self.torques]))
        _set(self, "forces", tuple([replace(x, components=tuple(map(expand, x.components))) for x in self.forces]))
        _set(self, "moments", tuple([replace(x, components=tuple(map(expand, x.components))) for x in self.moments]))
        _set(self, "dampers", tuple([replace(x, force=expand(x.force)) for x in self.dampers]))
        _set(self, "dissipations", tuple([replace(x, function=expand(x.function)) for x in self.dissipations]))
        _set(self, "efforts", tuple([replace(x, value=expand(x.value)) for x in self.efforts]))
        _set(self, "motions", tuple([replace(x, law=expand(x.law)) for x in self.motions]))
        _set(self, "relations", tuple([replace(x, formula=expand(x.formula)) for x in self.relations]))
        held = [replace(x, formula=expand(x.formula)) for x in self.velocity_constraints]
        _set(self, "velocity_constraints", tuple(held))
        _set(self, "events", tuple([replace(x, when=expand(x.when)) for x in self.events]))

    def _complete(self, problems: list[Problem]) -> None:
        """Derive what is looked up often, then check everything."""
        _set(self, "_numbers", compute_numbers(_all_exprs(self), self.values))
        _set(self, "moving_points", tuple(sorted(_all_points(self) - self.fixed.keys())))
        _set(self, "turn_angles", find_turn_angles(self))
        _set(self, "_rigid_of", {rigid.name: rigid for rigid in self.rigids})
        _set(self, "_joint_of", {joint.name: joint for joint in self.joints})
        found, notes = find_problems(self)
        if problems or found:
            raise InputError(problems + found)
        _set(self, "notes", tuple(notes))

    def compute(self, expr: Expr) -> float:
        """The value of an expression over the parameters; computed once, then remembered."""
        number = self._numbers.get(expr)
        if number is None:
            number = self._numbers[expr] = compute_number(expr, self.values)
        return number

    def meaning(self, name: str) -> Expr:
        """The law that the name of a quantity stands for, over quantities of points and parts."""
        found = self.words.meaning(name)
        return quantity_or_word(name) if found is None else found

    def flow(self, name: str) -> Expr:
        """What a force along a quantity works on: the rate of a place, length or angle, or the speed itself."""
        return flow_of(self.meaning(name))

    def find_rigid(self, name: str) -> Rigid:
        """The rigid part with this name."""
        if name not in self._rigid_of:
            what, remedy = f"no rigid part named '{name}'", did_you_mean(name, self._rigid_of)
            raise InputError([Problem(what=what, remedy=remedy)])
        return self._rigid_of[name]

    def find_joint(self, name: str) -> Joint:
        """The joint with this name."""
        if name not in self._joint_of:
            what, remedy = f"no joint named '{name}'", did_you_mean(name, self._joint_of)
            raise InputError([Problem(what=what, remedy=remedy)])
        return self._joint_of[name]

    def with_parameters(self, /, **changes: Scalar) -> Mechanism:
        """A copy in which some parameters have other values; everything that depends on them follows."""
        unknown = [name for name in changes if name not in self.parameters]
        if unknown:
            raise InputError(
                Problem(what=f"no parameter named '{name}'", remedy=did_you_mean(name, self.parameters))
                for name in unknown
            )
        exprs = as_exprs(changes)
        return self._revaluer.make(self, exprs) or self.remake(exprs)

    def with_settings(self, settings: Settings) -> Mechanism:
        """A copy that asks for something else of solver and output."""
        new = copy(self)
        _set(new, "settings", settings)
        return new

    def is_like(self, other: object) -> bool:
        """Whether it differs from another, from which it was made, in values only."""
        return isinstance(other, Mechanism) and (self.rigids, self.joints) == (other.rigids, other.joints)

    def with_columns(self, columns: Mapping[str, NDArray[np.float64]], count: int) -> Members[Mechanism]:
        """Copies with other values, one for each row of the columns, each made when it is asked for."""
        return with_columns(self._revaluer, self, columns, count)

    @property
    def _revaluer(self) -> Revaluer:
        if self._shared.revaluer is None:
            self._shared.revaluer = Revaluer(self, _all_exprs(self))
        return self._shared.revaluer

    def remake(self, changes: Mapping[str, Expr]) -> Mechanism:
        """The same from the beginning, with other formulas for parameters."""
        rigids, joints = self.given
        return replace(self, parameters={**self.parameters, **changes}, rigids=rigids, joints=joints)


class Shared:
    """What mechanisms share that differ in values only; not part of copies."""

    def __init__(self) -> None:
        self.revaluer: Revaluer | None = None

    def __reduce__(self) -> tuple[type[Shared], tuple[()]]:
        return Shared, ()


def _given(rigids: Iterable[Rigid], placed: Mapping[str, Placed]) -> Iterator[Rigid]:
    """The rigid parts that are not made of bodies; a copy of a mechanism brings those along."""
    for rigid in rigids:
        made = placed.get(rigid.name)
        if made is None or made.rigid is None or rigid.points != made.rigid.points:
            yield rigid


def _on_parts(torque: Torque, joints: Mapping[str, Joint]) -> Torque:
    """A torque at a joint of the plane: on its second part against its first."""
    joint = joints.get(torque.part)
    if joint is None or torque.other is not None or len(joint.parts) != 2:
        return torque
    kind = find_kind(2, joint.kind)
    if kind is None or not kind.turns:
        return torque
    one, two = joint.parts
    if two == WORLD:
        return replace(torque, part=one, value=-torque.value)
    return replace(torque, part=two, other=None if one == WORLD else one)


def _all_laws(m: Mechanism) -> Iterator[Expr]:
    """What may name quantities, before anything is put in their place."""
    yield from (torque.value for torque in m.torques)
    yield from (component for force in m.forces for component in force.components)
    yield from (component for moment in m.moments for component in moment.components)
    yield from (damper.force for damper in m.dampers)
    yield from (dissipation.function for dissipation in m.dissipations)
    yield from (effort.value for effort in m.efforts)
    yield from (motion.law for motion in m.motions)
    yield from (relation.formula for relation in m.relations)
    yield from (held.formula for held in m.velocity_constraints)
    yield from (event.when for event in m.events)


def _all_points(mechanism: Mechanism) -> set[str]:
    points = {point for rigid in mechanism.rigids for point in rigid.points}
    points.update(point for spring in mechanism.springs for point in spring.points)
    points.update(particle.point for particle in mechanism.particles)
    return points


def _all_exprs(mechanism: Mechanism) -> Iterator[Expr]:
    for place in mechanism.fixed.values():
        yield from place
    for rigid in mechanism.rigids:
        for place in rigid.geometry:
            yield from place
        yield from rigid.centroid
        yield rigid.mass
        yield from rigid.inertia
    for spring in mechanism.springs:
        yield from (spring.stiffness, spring.rest_length, spring.mass)
    for guesses in (*mechanism.start.positions.values(), *mechanism.start.velocities.values()):
        for guess in guesses:
            yield guess.value
    for state in mechanism.states:
        yield from (state.start, state.scale)
    yield from mechanism.inputs.values()
