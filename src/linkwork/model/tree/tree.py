"""A tree of bodies told as a dynamicist tells it: bodies on joints, forces and moments along directions.

    tree = Tree("arm", parameters={"l": 1})
    A = tree.add_body("A", rotate="z", centre=("l/2", 0, 0))
    B = tree.add_body("B", parent=A, joint_at=("l", 0, 0), rotate="z")
    tree.add_moment("spring", along=B.z, magnitude="-k*q2 - c*u2", on=B, against=A)

A body is a frame: B.x, B.point("P", (x, y, z)). Coordinates q1, q2, ... and speeds u1, u2, ... are numbered as they are
added, translations before rotations. Knows not how equations follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from linkwork.errors import ExpressionError
from linkwork.model.algebra import Implicit
from linkwork.model.functions import registered_functions
from linkwork.model.opaque import make_calls
from linkwork.model.signals import input_symbol
from linkwork.model.tree.bodies import Freedom, Load, Output, TreeBody, rate_symbol
from linkwork.model.tree.given import Given, Names, as_name, as_unit, by_name, listed, traced
from linkwork.model.tree.inertia import set_inertia
from linkwork.model.tree.joints import make_freedoms, read_place, read_slides, read_turning
from linkwork.model.tree.speeds import choose_speeds, set_speeds
from linkwork.model.tree.units import find_units
from linkwork.symbolic import ZERO, Expr, Symbol, free_symbols, substitute_all, symbol
from linkwork.symbolic.parse import parse
from linkwork.symbolic.simplify import trigonometric
from linkwork.symbolic.small import series
from linkwork.vectors import Frame, Point, Vector, VectorError
from linkwork.vectors.quantity import as_scalar, as_vector, kind_of, name_of, unit_vectors


class Tree:
    """A mechanism told body by body. `ground` is the frame N; `parameters` have values, others become known by use.

    `inputs` are numbers that are held until events, sampled controllers or a stepper change them. `units` are those of
    parameters and inputs that laws do not tell, or are to be checked by.
    """

    def __init__(
        self,
        title: str = "",
        *,
        parameters: Mapping[str, Given] | None = None,
        inputs: Mapping[str, Given] | None = None,
        gravity: Any = 0,
        speeds: str = "body",
        units: Mapping[str, str] | None = None,
    ) -> None:
        if speeds not in ("body", "rates"):
            raise VectorError(f"speeds {speeds!r} are not known", 'Use "body" or "rates"')
        self.title, self.speed_choice = title, speeds
        self.ground = Frame("N")
        self.bodies: list[TreeBody] = []
        self.loads: list[Load] = []
        self.outputs: dict[str, Output] = {}
        self.constraints: dict[str, Expr] = {}
        self.velocity_constraints: dict[str, Expr] = {}
        self.used: dict[str, Symbol] = {}
        self.definitions: dict[Symbol, Expr | Callable[[], Expr]] = {}
        self.called: dict[str, Expr] = {}
        self.chosen: dict[Symbol, Expr] = {}
        self.replaced: list[Symbol] = []
        self.dependent: dict[str, Symbol] = {}
        self._small: dict[Symbol, int] = {}
        self._named: tuple[tuple[int, ...], Names] | None = None
        self.values: dict[str, Given] = by_name(parameters, "parameters")
        self.inputs: dict[str, Given] = {}
        self.implicits: dict[str, Implicit] = {}
        for name, value in by_name(inputs, "inputs").items():
            self.add_input(name, value)
        self.gravity = self._down(gravity)
        self.declared_units: dict[str, str] = {}
        for name, unit in by_name(units, "units").items():
            self.declare_unit(name, unit)

    def _down(self, gravity: Any) -> Vector:
        """Downwards, against the ground's z; or three components along its axes."""
        if isinstance(gravity, Sequence | np.ndarray) and not isinstance(gravity, str):
            return Vector(dict(zip(self.ground.axes, self.read_triple(gravity, "gravity"), strict=True)))
        return -self.read(gravity, "gravity") * self.ground.z

    # -- reading -------------------------------------------------------------------------------------------------------

    @property
    def freedoms(self) -> list[Freedom]:
        """All freedoms in order."""
        return [freedom for body in self.bodies for freedom in body.freedoms]

    @property
    def small(self) -> dict[Symbol, int]:
        """What is small, and of which order: coordinates with their rates, what was declared so, and the speeds
        that are made of small quantities alone.
        """
        found: dict[Symbol, int] = {}
        for freedom in self.freedoms:
            if freedom.small:
                found |= dict.fromkeys((freedom.coordinate, rate_symbol(freedom.coordinate)), 1)
        found |= self._small
        orders = {freedom.speed: self._order(freedom.speed, found) for freedom in self.freedoms} if found else {}
        return found | {u: n for u, n in orders.items() if n}

    def _order(self, u: Symbol, small: Mapping[Symbol, int]) -> int:
        """The order of a speed: that of what it is by coordinates and their rates."""
        expr = self.definition(u)
        if small.keys().isdisjoint(free_symbols(expr)):
            return 0
        most = max(small.values())
        found = series(expr, small, most)
        return next((n for n, c in enumerate(found) if trigonometric(c) is not ZERO), most)

    def declare_small(self, name: str, order: Any = 1) -> Symbol:
        """Take a parameter to be small, of an order; or a coordinate, and its rate with it."""
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise VectorError(f"'{name}' cannot be small of order {name_of(order)}", "Give a whole number from 1")
        for freedom in self.freedoms:
            if name == freedom.coordinate.name:
                self._small |= dict.fromkeys((freedom.coordinate, rate_symbol(freedom.coordinate)), order)
                return freedom.coordinate
        s = self.used.setdefault(as_name(name, "what is small"), symbol(name))
        self._small[s] = order
        return s

    def declare_unit(self, name: str, unit: str) -> None:
        """Say the unit of a parameter or an input, such as N*m/rad or kg*m^2."""
        if any(name in (f.coordinate.name, f.speed.name) for f in self.freedoms):
            raise VectorError(f"the unit of '{name}' is known", "Declare those of parameters and inputs")
        self.declared_units[as_name(name, "what has a unit")] = as_unit(unit, f"unit of '{name}'")

    @property
    def units(self) -> dict[str, str]:
        """The units of coordinates, speeds, parameters, inputs and outputs: declared, or as laws tell them.

        >>> tree = Tree()
        >>> B = tree.add_body("B", rotate="z", mass="m", inertia=(0, 0, "J"))
        >>> _ = tree.add_moment("spring", along=B.z, magnitude="-k*q1 - c*u1", on=B)
        >>> tree.units["k"], tree.units["c"], tree.units["J"]
        ('N·m/rad', 'N·m·s/rad', 'kg·m²')
        """
        return find_units(self)

    def add_input(self, name: str, value: Given = 0) -> Symbol:
        """A number that laws may name and that is held, with its first value."""
        self._check_new(name, "an input")
        self.inputs[name] = value
        return input_symbol(name)

    def add_implicit(self, name: str, formula: Given, guess: Given = 0) -> Symbol:
        """A variable that laws may name, given by an equation: where, near the guess, a formula vanishes."""
        self._check_new(name, "a variable")
        self.implicits[name] = Implicit(formula=0, guess=self.read(guess, f"guess of '{name}'"))
        self.implicits[name] = replace(self.implicits[name], formula=self.read(formula, f"variable '{name}'"))
        return input_symbol(name)

    def add_call(
        self, outputs: Sequence[str], function: Callable[..., Any], inputs: Sequence[Given], *, opaque: bool = True
    ) -> list[Expr]:
        """Names for what a function makes of its inputs, known to laws from here on and among the results.

        An opaque function is one of numbers, called once for all outputs while the tree moves; one that is not gets
        expressions, once, and becomes part of the laws.

        >>> tree = Tree()
        >>> tree.add_call(["double", "square"], lambda x: (2 * x, x**2), ["k"], opaque=False)
        [2*k, k**2]
        """
        names, given = (
            (x,) if isinstance(x, str) else listed(x, f"the {what} of a call")
            for x, what in ((outputs, "outputs"), (inputs, "inputs"))
        )
        for n, name in enumerate(names):
            self._check_new(name, "what a call makes", names[:n])
        if not callable(function):
            raise VectorError(f"{name_of(function)}, a {kind_of(function)}, cannot be called", "Give a function")
        arguments = tuple(self.read(x, f"input of {', '.join(names)}") for x in given)
        try:
            found = make_calls(function, names, arguments) if opaque else traced(function, names, arguments)
        except ExpressionError as error:
            raise VectorError(error.what, error.remedy) from None
        self.called |= dict(zip(names, found, strict=True))
        for name, expr in zip(names, found, strict=True):
            self.add_output(name, expr)
        return found

    def read(self, given: Given, what: str) -> Expr:
        """A number, text or expression as an expression; names that are no coordinates or speeds are parameters."""
        if isinstance(given, str):
            known = self._names().get(given, self.used.get(given))
            if known is not None:
                return known
            try:
                return parse(given, self._names(), registered_functions())
            except ExpressionError as error:
                raise VectorError(f"{what}: {error.what}", error.remedy) from None
        if isinstance(given, Expr):
            return given
        return as_scalar(given, what)

    def _names(self) -> Names:
        """What names mean, made anew when there is something new."""
        known = len(self.chosen), len(self.implicits), len(self.inputs), len(self.called)
        if self._named is None or self._named[0] != known:
            self._named = known, Names(self)
        names = self._named[1]
        names.grow()
        return names

    def read_triple(self, given: Any, what: str) -> tuple[Expr, ...]:
        """Three scalars."""
        listed = given.tolist() if isinstance(given, np.ndarray) else given
        if isinstance(listed, str) or not isinstance(listed, Sequence) or len(listed) != 3:
            raise VectorError(f"{what} is {name_of(given)}", "Give three coordinates")
        return tuple(self.read(x, what) for x in listed)

    def _check_new(self, name: Any, what: str, more: Sequence[str] = ()) -> None:
        """Refuse a name that says something already."""
        known = {freedom.coordinate.name for freedom in self.freedoms} | {"t"}
        places = (self.used, self.values, self.inputs, self.implicits, self.called, self.outputs, known, more)
        if any(as_name(name, what) in place for place in places):
            raise VectorError(f"there is something called '{name}' already", "Declare it once, before it is used")

    def check_mine(self, what: str, *given: Any) -> None:
        """Refuse vectors, dyadics and points of another tree."""
        for x in given:
            frames = [x.frame] if isinstance(x, Point) else [axis.frame for axis in unit_vectors(x)]
            if any(frame.ground is not self.ground for frame in frames):
                raise VectorError(f"{what}: {name_of(x)} belongs to another tree", "Give one of this tree")

    # -- bodies --------------------------------------------------------------------------------------------------------

    def add_body(
        self,
        name: str,
        *,
        parent: Frame | None = None,
        joint_at: Any = (0, 0, 0),
        translate: Any = (),
        rotate: Any = (),
        reference: Any = None,
        mass: Given = None,
        inertia: Any = None,
        centre: Any = (0, 0, 0),
        small: bool | Sequence[bool] = False,
        long_name: str = "",
    ) -> TreeBody:
        """Add a body: it slides along `translate` and turns about `rotate`, both in its parent, from the joint there.

        Translations are along axes (x, y, z, 1, 2, 3) or directions of the parent; rotations about one axis or
        direction, or successive own axes ("zxz"). Where its angles are zero its axes are the parent's; with a direction
        and a `reference` its z axis is along the direction, its x axis near the reference. Mass M_name and inertia
        I_name11 ... are parameters unless given; an inertia is three numbers (the diagonal), six, nine, or 0. `small`
        freedoms are taken to be small, all or one by one.
        """
        as_name(name, "a body")
        parent = self.ground if parent is None else parent
        self._check_parent(name, parent)
        with self._undone():
            body = self._jointed(name, parent, joint_at, translate, rotate, reference, small, long_name)
            self.bodies.append(body)  # its mass may depend on its own coordinates
            set_inertia(self, body, mass, inertia, centre)
        self.ground.memory.velocities.clear()  # of composites that have grown
        return body

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """What goes wrong leaves nothing behind."""
        frames, used, bodies = dict(self.ground.memory.frames), dict(self.used), [*self.bodies]
        try:
            yield
        except VectorError:
            self.ground.memory.frames, self.used, self.bodies = frames, used, bodies
            raise

    def _jointed(
        self,
        name: str,
        parent: Frame,
        joint_at: Any,
        translate: Any,
        rotate: Any,
        reference: Any,
        small: Any,
        long: str,
    ) -> TreeBody:
        """A body on its joint, without mass."""
        slides = read_slides(self, translate, parent)
        turning = read_turning(rotate, reference, parent)
        freedoms = make_freedoms(self, name, len(slides), len(turning.axes), small)
        q = [freedom.coordinate for freedom in freedoms]
        place = joint_at if isinstance(joint_at, Vector) else read_place(self, joint_at, parent, name)
        self.check_mine(f"joint_at of '{name}'", place)
        shift = sum((x * d for x, d in zip(q, slides, strict=False)), place)
        body = TreeBody(self, name, parent, turning, shift, freedoms, long or name)
        set_speeds(self, body, place, slides, list(turning.axes), q[len(slides) :])
        return body

    def _check_parent(self, name: str, parent: Frame) -> None:
        if parent is not self.ground and not any(parent is body for body in self.bodies):
            what = f"the parent of '{name}', {name_of(parent)}, is no body of this tree"
            raise VectorError(what, "Give a body that was added before; one with mass=0, inertia=0 is a frame")

    # -- speeds --------------------------------------------------------------------------------------------------------

    def choose_speeds(self, speeds: Mapping[str, Given], *, instead_of: Sequence[str]) -> None:
        """Name speeds of your own, linear in those of the tree (u1) or in the rates of coordinates (q1').

        They take the place of as many of the tree's, in what is printed; results and laws know both.
        """
        choose_speeds(self, by_name(speeds, "speeds"), instead_of)

    def definition(self, u: Symbol) -> Expr:
        """What a speed is by the rates of coordinates."""
        known = self.definitions[u]
        return known if isinstance(known, Expr) else known()

    def in_rates(self, v: Vector) -> Vector:
        """A vector with its speeds replaced by the rates of coordinates."""
        entries = [*v.terms.values()]
        used: dict[Expr, Any] = {s: self.definition(s) for s in free_symbols(*entries) if s in self.definitions}
        return Vector(dict(zip(v.terms, substitute_all(entries, used), strict=True)))

    # -- loads, outputs, constraints -----------------------------------------------------------------------------------

    def add_force(self, name: str, *, along: Any, magnitude: Given, at: Any, against: Any = None) -> Load:
        """A force at a point of a body, and the opposite one at a point of another (the ground, if none is named)."""
        point, other = self._point(at, "at"), None if against is None else self._point(against, "against")
        along = as_vector(along, f"the direction of force '{name}'")
        self.check_mine(f"the direction of force '{name}'", along)
        load = Load(
            name=self._new_load(name), along=along, magnitude=self.read(magnitude, f"force '{name}'"),
            on=point.frame, against=other.frame if other else self.ground, at=point, at_other=other,
        )  # fmt: skip
        self.loads.append(load)
        return load

    def add_moment(self, name: str, *, along: Any, magnitude: Given, on: Frame, against: Frame | None = None) -> Load:
        """A moment on a body and the opposite one on another (the ground, if none is named)."""
        for body in (on, against or self.ground):
            if getattr(body, "ground", None) is not self.ground:
                raise VectorError(f"moment '{name}': {name_of(body)} is no body of this tree", "Give one of its bodies")
        along = as_vector(along, f"the direction of moment '{name}'")
        self.check_mine(f"the direction of moment '{name}'", along)
        load = Load(
            name=self._new_load(name), along=along,
            magnitude=self.read(magnitude, f"moment '{name}'"), on=on, against=against or self.ground,
        )  # fmt: skip
        self.loads.append(load)
        return load

    def _new_load(self, name: str) -> str:
        as_name(name, "a force or moment")
        if any(load.name == name for load in self.loads):
            raise VectorError(f"there is a force or moment '{name}' already", "Give it another name")
        return name

    def _point(self, given: Any, what: str) -> Point:
        found = given.origin if isinstance(given, Frame) else given
        if isinstance(found, Point) and found.frame.ground is self.ground:
            self.check_mine(what, found.offset)
            return found
        raise VectorError(f"{what}: {name_of(given)}, a {kind_of(given)}, is no point", "Give a point or a body")

    def add_output(self, name: str, expr: Given, *, long_name: str = "", unit: str = "") -> None:
        """Something to be told by name after a run, with its unit, unless its dimension tells it."""
        unit = as_unit(unit, f"output '{name}'")
        coordinates = {freedom.coordinate.name for freedom in self.freedoms}
        if as_name(name, "an output") in {*self.outputs, *coordinates, *self.inputs, *self.implicits, "t"}:
            raise VectorError(f"there is something called '{name}' already", "Give the output another name")
        self.outputs[name] = Output(
            name=name, expr=self.read(expr, f"output '{name}'"), long_name=long_name or name, unit=unit
        )

    def add_constraint(self, name: str, expr: Given) -> None:
        """A condition on coordinates that vanishes: closes a loop, drives a joint."""
        self._check_constraint(name)
        self.constraints[name] = self.read(expr, f"constraint '{name}'")

    def _check_constraint(self, name: Any) -> None:
        if as_name(name, "a constraint") in (*self.constraints, *self.velocity_constraints):
            raise VectorError(f"there is a constraint '{name}' already", "Give it another name")

    def add_velocity_constraint(self, name: str, expr: Given, *, dependent: str | None = None) -> None:
        """A condition on speeds that vanishes: rolling, a knife edge.

        A `dependent` speed is eliminated by it in what is printed; a motion is made with its multiplier.
        """
        self._check_constraint(name)
        self.velocity_constraints[name] = self.read(expr, f"velocity constraint '{name}'")
        if dependent is None:
            return
        left = {f.speed for f in self.freedoms if f.speed not in self.replaced} | {*self.chosen}
        found = symbol(dependent, kind="speed")
        if found not in left or found in self.dependent.values():
            del self.velocity_constraints[name]
            known = ", ".join(sorted(s.name for s in left - {*self.dependent.values()}))
            raise VectorError(f"velocity constraint '{name}': '{dependent}' is no free speed", f"There are {known}")
        self.dependent[name] = found
