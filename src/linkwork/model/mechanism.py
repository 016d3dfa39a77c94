"""A mechanism: parts, forces, initial values and settings as one frozen whole that is valid from birth."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeVar, Unpack

from linkwork.arrays import Floats
from linkwork.errors import InputError, Problem, Ref, did_you_mean, show_line, show_value
from linkwork.given import as_map, as_names, as_object, as_one, as_text, is_among
from linkwork.model.algebra import Implicit, list_algebraic, split_implicits
from linkwork.model.bodies import Body, Placed, place_body
from linkwork.model.check.mechanism import find_bounds, find_problems
from linkwork.model.complete import Space
from linkwork.model.connections import WORLD, Collinear, Coplanar, Joint
from linkwork.model.contact import Contact
from linkwork.model.controllers import Control, Controller
from linkwork.model.convert import Scalar, Vector, as_changes, as_exprs
from linkwork.model.families import FAMILIES, OTHERS, Families, sort_members
from linkwork.model.friction import Friction
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
    quantity_or_word,
)
from linkwork.model.mechanism_units import find_units
from linkwork.model.opaque import Call, find_calls, order_calls
from linkwork.model.part import Part, set_field
from linkwork.model.parts import Particle, Rigid, Spring, Torque
from linkwork.model.revalue import Members, Revaluer, with_columns
from linkwork.model.rolling import Footing, KnifeEdge, Rolling
from linkwork.model.sampled import Sampled
from linkwork.model.settings import Display, Settings
from linkwork.model.signals import Signals, State, signals_in_laws
from linkwork.model.start import InitialValues
from linkwork.model.stops import Stop
from linkwork.model.surroundings import Surroundings
from linkwork.model.tables import Table
from linkwork.model.touch import Touch
from linkwork.model.tracked import has_turn, is_parallel
from linkwork.model.values import compute_number, compute_numbers, compute_parameters
from linkwork.symbolic import ZERO, Expr, free_symbols, symbol

P = TypeVar("P", bound=Part)
DIMENSIONS = (2, 3)
STANDARD_GRAVITY = (0, "-9.80665")  # m/s², down: -y in 2D, -z in 3D
STANDARD_GRAVITY_3D = (0, 0, "-9.80665")


@dataclass(frozen=True, slots=True, kw_only=True, init=False, eq=False)
class Mechanism:
    """All about a mechanism, symbolic in its parameters. Construction raises InputError with all problems.

    `held` are the parameters and inputs that controllers take for constant where they differentiate; `algebra` the
    reactions, accelerations and implicit variables that laws name, with guesses.

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
    controllers: tuple[Sampled, ...]
    events: tuple[Event, ...]
    collinears: tuple[Collinear, ...]
    coplanars: tuple[Coplanar, ...]
    joints: tuple[Joint, ...]
    rollings: tuple[Rolling, ...]
    knife_edges: tuple[KnifeEdge, ...]
    stops: tuple[Stop, ...]
    frictions: tuple[Friction, ...]
    contacts: tuple[Contact, ...]
    tables: Mapping[str, Table]
    variables: Mapping[str, Expr]
    implicits: Mapping[str, Implicit]
    states: tuple[State, ...]
    inputs: Mapping[str, Expr]
    held: frozenset[str]
    start: InitialValues
    settings: Settings
    display: Display
    others: tuple[Part, ...]

    values: Mapping[str, float] = field(init=False, repr=False)
    moving_points: tuple[str, ...] = field(init=False, repr=False)
    algebra: Mapping[str, Expr] = field(init=False, repr=False)
    opaque: tuple[Call, ...] = field(init=False, repr=False)
    words: Words = field(init=False, repr=False, compare=False)
    footings: Mapping[str, Footing] = field(init=False, repr=False, compare=False)
    touches: Mapping[str, Touch] = field(init=False, repr=False, compare=False)
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
        gravity: Vector | None = None,
        tables: Mapping[str, Table] | None = None,
        variables: Mapping[str, Scalar | Controller | Implicit] | None = None,
        implicits: Mapping[str, Implicit] | None = None,
        states: Iterable[State] = (),
        inputs: Mapping[str, Scalar] | None = None,
        held: Iterable[str] = (),
        start: InitialValues | None = None,
        settings: Settings | None = None,
        display: Display | None = None,
        **parts: Unpack[Families],
    ) -> None:
        if not is_among(dimension, DIMENSIONS):
            what = f"{show_value(dimension)} is not a dimension"
            raise InputError([Problem(ref=Ref("Dimension"), what=what, remedy="Use 2 or 3")])
        set_field(self, "title", show_line(as_text(title, Ref("Title"))))
        set_field(self, "dimension", dimension)
        set_field(self, "parameters", as_exprs(parameters, Ref("parameter")))
        values, problems = compute_parameters(self.parameters)
        set_field(self, "values", values)
        space = Space(dimension, values)
        if gravity is STANDARD_GRAVITY and dimension == 3:
            gravity = STANDARD_GRAVITY_3D
        set_field(self, "gravity", None if gravity is None else space.place(gravity, Ref("gravity")))
        set_field(self, "tables", as_map(tables, Ref("tables")))
        set_field(self, "start", as_one(start, InitialValues, Ref("start")))
        set_field(self, "settings", as_one(settings, Settings, Ref("settings")))
        set_field(self, "display", as_one(display, Display, Ref("display")))
        self._gather(parts, as_map(fixed, Ref("fixed")), space)
        gripping = {name: x for friction in self.frictions for name, x in friction.inputs.items()}
        own = as_exprs(gripping | {name: 0 for c in self.controllers for name in c.held}, Ref("input"))
        set_field(self, "inputs", {**own, **as_exprs(inputs, Ref("input"))})
        known = as_map(implicits, Ref("variables"))
        for name, x in known.items():
            as_object(x, Implicit, Ref("variable", name), 'Give lw.Implicit("formula that vanishes", guess=1)')
        plain, solved = split_implicits(variables, known)
        control = Control(plain, states, (*self.inputs, *solved), self.words.meanings)
        set_field(self, "held", frozenset([*control.held, *as_names(held, Ref("held"), "")]))
        set_field(self, "divisors", control.divisors)
        laws = [law for part in self.parts for _, law in part.laws()]
        laws += [x.formula for x in solved.values()]
        used = free_symbols(*laws, *control.laws.values(), *(state.rate for state in control.states))
        reactions = dict.fromkeys(list_algebraic(used, self.words), ZERO)
        set_field(self, "algebra", {**reactions, **{name: x.guess for name, x in solved.items()}})
        set_field(self, "opaque", find_calls(used))
        laws += [law for call in self.opaque for law in call.arguments]
        signals = signals_in_laws(control.laws, control.states, self.all_inputs, self.words.meanings, laws)
        circles = self._expand(signals, control.laws, control.states)
        set_field(self, "implicits", {name: x.with_law(signals.expand) for name, x in solved.items()})
        self._complete(problems + space.problems + control.problems + signals.problems + circles, space.unformed)

    def _gather(self, parts: Families, fixed: Mapping[str, Vector], space: Space) -> None:
        """Take the parts, each in its family, and tie bodies, joints and wheels to them."""
        set_field(self, "_shared", Shared())
        for name, several in sort_members(parts).items():
            set_field(self, name, tuple([FAMILIES[type(part)].complete(space, part) for part in several]))
        placed = {body.name: place_body(body, self.dimension, space.values) for body in self.bodies}
        grounds = {**fixed, **{point: at for each in placed.values() for point, at in each.fixed.items()}}
        set_field(self, "fixed", {point: space.place(place, Ref("fixed", point)) for point, place in grounds.items()})
        set_field(self, "given", (tuple(_given(self.rigids, placed)), self.joints))
        made = [each.rigid for each in placed.values() if each.rigid is not None]
        set_field(self, "rigids", tuple([space.rigid(rigid) for rigid in (*self.given[0], *made)]))
        known = {body.name: body for body in self.bodies}
        resolved = [space.joint(resolve_joint(joint, self.dimension, known, placed)) for joint in self.joints]
        set_field(self, "joints", tuple(resolved))
        by_name = {joint.name: joint for joint in resolved}
        rigids = {rigid.name: rigid for rigid in self.rigids}
        points = {p for part in (*self.parts, *self.rigids) if part.PLACES for p in part.ends} | self.fixed.keys()
        around = Surroundings(space=space, bodies=known, placed=placed, rigids=rigids, fixed=self.fixed, points=points)
        set_field(self, "footings", {x.name: x for x in around.footings(self.rollings, self.knife_edges)})
        touches = {x.name: x for x in around.touches(self.contacts)}
        set_field(self, "touches", touches)
        hit = [x.stop() for x in touches.values() if x.contact.rigid]
        set_field(self, "stops", (*(stop for stop in self.stops if not stop.contact), *hit))
        dry = [x.friction() for x in touches.values() if x.contact.dry]
        set_field(self, "frictions", (*(friction for friction in self.frictions if not friction.contact), *dry))
        kept = [x.relation() for x in touches.values() if x.contact.kept]
        set_field(self, "relations", (*(relation for relation in self.relations if not relation.contact), *kept))
        touching: dict[str, Footing | Touch] = {**self.footings, **touches}
        formulas = frozenset(str(x.ref.name) for x in (*self.relations, *self.velocity_constraints, *self.stops))
        words = Words(
            dimension=self.dimension,
            bodies=known,
            placed=placed,
            joints=by_name,
            touching=touching,
            formulas=formulas,
        )
        set_field(self, "words", words)
        self._rename(placed)

    def _rename(self, placed: Mapping[str, Placed]) -> None:
        """Call points by one name where two frames of a body are at the same place, and turn what turns joints."""
        if self.dimension == 2:
            set_field(self, "torques", tuple([_on_parts(torque, self.words.joints) for torque in self.torques]))
            parallel = [joint for joint in self.joints if is_parallel(joint)]
            turning = [joint for joint in self.joints if has_turn(joint, 2)]
            stiff = {joint.name for joint in parallel}
            set_field(self, "start", self.start.on_parts([*turning, *parallel], self.words.bodies.keys(), stiff))
        aliases = {a: b for each in placed.values() for a, b in each.point_of.items() if a != b}
        if not aliases:
            return

        def name(point: str) -> str:
            return aliases.get(point, point)

        self._change(lambda part: part.renamed(name))
        rigids, joints = self.given
        set_field(self, "given", (tuple([rigid.renamed(name) for rigid in rigids]), joints))
        set_field(self, "start", self.start.renamed(name))

    def _expand(self, signals: Signals, variables: Iterable[str], states: Iterable[State]) -> list[Problem]:
        """Put what they stand for in the place of variables, wherever there are laws."""
        set_field(self, "variables", {name: signals.expand(symbol(name)) for name in variables})
        set_field(self, "states", tuple([state.with_laws(signals.expand) for state in states]))
        calls = [replace(call, arguments=tuple(map(signals.expand, call.arguments))) for call in self.opaque]
        ordered, circle = order_calls(calls)
        set_field(self, "opaque", ordered)
        if signals.meaning:
            self._change(lambda part: part.with_laws(signals.expand))
        return [Problem(part="variables", what=circle, remedy="Break the circle")] if circle else []

    def _change(self, change: Callable[[Part], Part]) -> None:
        for name in dict.fromkeys(family.field for family in FAMILIES.values()):
            set_field(self, name, tuple([change(part) for part in getattr(self, name)]))

    def _complete(self, problems: list[Problem], unformed: list[Problem]) -> None:
        """Derive what is looked up often, then check everything; what is unformed is told where nothing else is."""
        set_field(self, "_numbers", compute_numbers(_all_exprs(self), self.values))
        points = {point for part in self.parts if part.PLACES for point in part.ends}
        set_field(self, "moving_points", tuple(sorted(points - self.fixed.keys())))
        set_field(self, "_rigid_of", {rigid.name: rigid for rigid in self.rigids})
        set_field(self, "_joint_of", {joint.name: joint for joint in self.joints})
        found, notes = find_problems(self)
        if problems or found or unformed:
            raise InputError(problems + found or unformed)
        set_field(self, "notes", tuple(notes))

    @property
    def all_inputs(self) -> dict[str, Expr]:
        """Inputs, and behind them calls of opaque functions and algebraic values, with what they are at first."""
        return {**self.inputs, **dict.fromkeys([call.name for call in self.opaque], ZERO), **self.algebra}

    @property
    def parts(self) -> Iterator[Part]:
        """Everything in it, family by family."""
        for family in FAMILIES.values():
            yield from self.members(family.kind)

    def members(self, kind: type[P]) -> tuple[P, ...]:
        """All parts of a kind."""
        family = FAMILIES[kind]
        several: tuple[P, ...] = getattr(self, family.field)
        return several if family.field != OTHERS else tuple([part for part in several if type(part) is kind])

    @property
    def units(self) -> dict[str, str]:
        """The units of parameters, inputs, states and variables, as far as laws tell them.

        >>> spring = Spring(name="OA", stiffness="k", rest_length=1, mass="m")
        >>> Mechanism(parameters={"k": 3, "m": 1}, fixed={"O": ()}, springs=[spring]).units
        {'k': 'N/m', 'm': 'kg'}
        """
        return find_units(self)

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
        return self.words.flow(name)

    def find_rigid(self, name: str) -> Rigid:
        """The rigid part with this name."""
        if name not in self._rigid_of:
            what, remedy = f"no rigid part named '{name}'", did_you_mean(name, self._rigid_of)
            raise InputError([Problem(what=what, remedy=remedy)])
        return self._rigid_of[name]

    def switches(self, joint: Joint) -> bool:
        """Whether a joint goes on and off."""
        return not joint.active or any(joint.name in (*event.on, *event.off) for event in self.events)

    def find_joint(self, name: str) -> Joint:
        """The joint with this name."""
        if name not in self._joint_of:
            what, remedy = f"no joint named '{name}'", did_you_mean(name, self._joint_of)
            raise InputError([Problem(what=what, remedy=remedy)])
        return self._joint_of[name]

    def with_parameters(self, /, **changes: Scalar) -> Mechanism:
        """A copy in which some parameters have other values; everything that depends on them follows."""
        exprs = as_changes(changes, self.parameters)
        return self._revaluer.make(self, exprs) or self.remake(exprs)

    def with_settings(self, settings: Settings) -> Mechanism:
        """A copy that asks for something else of solver and output."""
        new = copy(self)
        set_field(new, "settings", settings)
        return new

    def without(self, names: Collection[str]) -> Mechanism:
        """A copy in which some joints, relations, velocity constraints and stops do not hold, and other stops do.

        It is for looking at a motion while it is so: nothing is checked.
        """
        new, closed = copy(self), [stop for stop in self.stops if stop.name not in names]
        gaps = [Relation(name=stop.name, formula=stop.law) for stop in closed if stop.level == "gap"]
        speeds = [VelocityConstraint(name=stop.name, formula=stop.law) for stop in closed if stop.level == "speed"]
        stuck = [friction for friction in self.frictions if friction.name not in names]
        speeds += [VelocityConstraint(name=name, formula=x) for friction in stuck for name, x in friction.rows.items()]
        set_field(new, "joints", tuple([x for x in self.joints if x.name not in names]))
        set_field(new, "relations", (*(x for x in self.relations if x.name not in names), *gaps))
        held = [x for x in self.velocity_constraints if x.name not in names]
        set_field(new, "velocity_constraints", (*held, *speeds))
        return new

    def is_like(self, other: object) -> bool:
        """Whether it differs from another, from which it was made, in values only."""
        return isinstance(other, Mechanism) and (self.rigids, self.joints) == (other.rigids, other.joints)

    def with_columns(self, columns: Mapping[str, Floats], count: int) -> Members[Mechanism]:
        """Copies with other values, one for each row of the columns, each made when it is asked for."""
        return with_columns(self._revaluer, self, columns, count)

    @property
    def _revaluer(self) -> Revaluer:
        if self._shared.revaluer is None:
            self._shared.revaluer = Revaluer(self, _all_exprs(self))
        return self._shared.revaluer

    @property
    def masses(self) -> list[Expr]:
        """All masses and moments of inertia."""
        found = [x for rigid in self.rigids for x in (rigid.mass, *rigid.inertia[:3])]
        return [*found, *(x.mass for x in self.particles), *(x.mass for x in self.springs)]

    @property
    def bounds(self) -> list[tuple[Expr, str]]:
        """Formulas of parameters, and what they must not be beside zero, as in "<"."""
        if self._shared.bounds is None:
            self._shared.bounds = find_bounds(self)
        return self._shared.bounds

    def remake(self, changes: Mapping[str, Expr]) -> Mechanism:
        """The same from the beginning, with other formulas for parameters."""
        rigids, joints = self.given
        return replace(self, parameters={**self.parameters, **changes}, rigids=rigids, joints=joints)


class Shared:
    """What mechanisms share that differ in values only; not part of copies."""

    def __init__(self) -> None:
        self.revaluer: Revaluer | None = None
        self.bounds: list[tuple[Expr, str]] | None = None

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
    if joint is None or torque.other is not None or not has_turn(joint, 2):
        return torque
    one, two = joint.parts
    if two == WORLD:
        return replace(torque, part=one, value=-torque.value)
    return replace(torque, part=two, other=None if one == WORLD else one)


def _all_exprs(m: Mechanism) -> Iterator[Expr]:
    """What has a value that is looked up often."""
    for place in m.fixed.values():
        yield from place
    for part in (*m.parts, *m.states):
        yield from part.values()
    for guesses in (*m.start.positions.values(), *m.start.velocities.values()):
        for guess in guesses:
            yield guess.value
    yield from m.all_inputs.values()
