"""A tree of bodies told as a dynamicist tells it: bodies on joints, forces and moments along directions.

    tree = Tree("arm", parameters={"l": 1})
    A = tree.add_body("A", rotate="z", centre=("l/2", 0, 0))
    B = tree.add_body("B", parent=A, joint_at=("l", 0, 0), rotate="z")
    tree.add_moment("spring", along=B.z, magnitude="-k*q2 - c*u2", on=B, against=A)

A body is a frame: B.x, B.point("P", (x, y, z)). Coordinates q1, q2, ... and speeds u1, u2, ... are numbered as they are
added, translations before rotations. Knows not how equations follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import ExpressionError
from linkwork.model.algebra import Implicit
from linkwork.model.found import SIGN
from linkwork.model.functions import as_result, registered_functions
from linkwork.model.opaque import make_calls
from linkwork.model.signals import input_symbol
from linkwork.model.tree_units import find_units
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    Number,
    Symbol,
    add,
    differentiate,
    free_symbols,
    sqrt,
    substitute,
    symbol,
)
from linkwork.symbolic.parse import parse
from linkwork.symbolic.simplify import trigonometric
from linkwork.symbolic.units import read_unit
from linkwork.vectors import (
    Dyadic,
    Frame,
    Point,
    Vector,
    VectorError,
    components,
    cross,
    dot,
    express,
    is_constant,
    position,
)
from linkwork.vectors.frames import axes_of, axis_number, turn
from linkwork.vectors.motion import origin_velocity
from linkwork.vectors.products import CYCLES
from linkwork.vectors.quantity import as_scalar, as_vector, calling_line, kind_of, name_of, unit_vectors

TIME = symbol("t", kind="time")
ROUNDING = 1e-12  # of products of unit vectors
ENTRIES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))

Given = Any  # a number, a text, an expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Freedom:
    """One coordinate with the speed that stands for its motion, and what the speed is by the rates of coordinates.

    kind   "translation" or "rotation"
    small  whether it is taken to be small, and its speed with it
    """

    coordinate: Symbol
    speed: Symbol
    body: str
    kind: str
    small: bool = False


class Turning(NamedTuple):
    """How a body turns in its parent: from a triad there, about own axes one after the other."""

    triad: tuple[Vector, ...]
    axes: tuple[int, ...]

    def rows(self, angles: Sequence[Expr]) -> tuple[Vector, ...]:
        """The axes of the body over those of the parent."""
        rows = self.triad
        for angle, axis in zip(angles, self.axes, strict=True):
            i, j, _ = CYCLES[axis]
            rows = turn(rows, angle, i, j)
        return rows


class TreeBody(Frame):
    """A body of a tree: a frame with mass, mass centre and inertia about it.

    freedoms   its coordinates and speeds, translations first
    unturned   its axes before it turns, over those of its parent
    sequence   the numbers of the own axes about which it turns, one after the other
    """

    def __init__(
        self,
        tree: Tree,
        name: str,
        parent: Frame,
        turning: Turning,
        shift: Vector,
        freedoms: Sequence[Freedom],
        long_name: str,
    ) -> None:
        angles = [freedom.coordinate for freedom in freedoms if freedom.kind == "rotation"]
        super().__init__(name, parent, turning.rows(angles), None, shift)
        self.unturned, self.sequence = turning.triad, turning.axes
        self.tree, self.freedoms, self.long_name = tree, tuple(freedoms), long_name
        self.mass: Expr = ZERO
        self.centre: Point = self.origin
        self.inertia: Dyadic = Dyadic({})

    @property
    def children(self) -> list[TreeBody]:
        """The bodies that stand on this one."""
        return [body for body in self.tree.bodies if body.parent is self]

    def __repr__(self) -> str:
        return f"TreeBody('{self.name}')"

    def point(self, name: str, place: Any) -> Point:
        """A point of the body, by three coordinates (texts, too) or by a vector from its origin."""
        return super().point(
            name, place if isinstance(place, Vector) else self.tree.read_triple(place, f"point '{name}'")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """A force or a moment: a magnitude along a direction, on one body and, opposite, on another.

    A force acts at a point of each; a direction that is not of unit length scales it. `place` is the line of the script
    that added it.
    """

    name: str
    along: Vector
    magnitude: Expr
    on: Frame
    against: Frame
    at: Point | None = None
    at_other: Point | None = None
    place: str = field(default_factory=calling_line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Something to be told by name."""

    name: str
    expr: Expr
    long_name: str = ""
    unit: str = ""


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
        self._named: tuple[tuple[int, ...], _Names] | None = None
        self.values: dict[str, Given] = _by_name(parameters, "parameters")
        self.inputs: dict[str, Given] = {}
        self.implicits: dict[str, Implicit] = {}
        for name, value in _by_name(inputs, "inputs").items():
            self.add_input(name, value)
        self.gravity = self._down(gravity)
        self.declared_units: dict[str, str] = {}
        for name, unit in _by_name(units, "units").items():
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
        """What is small, and of which order: coordinates with their rates and speeds, and what was declared so."""
        found: dict[Symbol, int] = {}
        for freedom in self.freedoms:
            if freedom.small:
                found |= dict.fromkeys((freedom.coordinate, rate_symbol(freedom.coordinate), freedom.speed), 1)
        return found | self._small

    def declare_small(self, name: str, order: Any = 1) -> Symbol:
        """Take a parameter to be small, of an order; or a coordinate, and its rate and speed with it."""
        if isinstance(order, bool) or not isinstance(order, int) or order < 1:
            raise VectorError(f"'{name}' cannot be small of order {name_of(order)}", "Give a whole number from 1")
        for freedom in self.freedoms:
            if name == freedom.coordinate.name:
                together = (freedom.coordinate, rate_symbol(freedom.coordinate), freedom.speed)
                self._small |= dict.fromkeys(together, order)
                return freedom.coordinate
        s = self.used.setdefault(_as_name(name, "what is small"), symbol(name))
        self._small[s] = order
        return s

    def declare_unit(self, name: str, unit: str) -> None:
        """Say the unit of a parameter or an input, such as N*m/rad or kg*m^2."""
        if any(name in (f.coordinate.name, f.speed.name) for f in self.freedoms):
            raise VectorError(f"the unit of '{name}' is known", "Declare those of parameters and inputs")
        self.declared_units[_as_name(name, "what has a unit")] = _as_unit(unit, f"unit of '{name}'")

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
            (x,) if isinstance(x, str) else _listed(x, f"the {what} of a call")
            for x, what in ((outputs, "outputs"), (inputs, "inputs"))
        )
        for n, name in enumerate(names):
            self._check_new(name, "what a call makes", names[:n])
        if not callable(function):
            raise VectorError(f"{name_of(function)}, a {kind_of(function)}, cannot be called", "Give a function")
        arguments = tuple(self.read(x, f"input of {', '.join(names)}") for x in given)
        try:
            found = make_calls(function, names, arguments) if opaque else _traced(function, names, arguments)
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

    def _names(self) -> _Names:
        """What names mean, made anew when there is something new."""
        known = len(self.chosen), len(self.implicits), len(self.inputs), len(self.called)
        if self._named is None or self._named[0] != known:
            self._named = known, _Names(self)
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
        if any(_as_name(name, what) in place for place in places):
            raise VectorError(f"there is something called '{name}' already", "Declare it once, before it is used")

    def _check_mine(self, what: str, *given: Any) -> None:
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
        direction, or successive own axes ("zxz"). Mass M_name and inertia I_name11 ... are parameters unless given; an
        inertia is three numbers (the diagonal), nine, or 0. `small` freedoms are taken to be small, all or one by one.
        """
        _as_name(name, "a body")
        parent = self.ground if parent is None else parent
        self._check_parent(name, parent)
        with self._undone():
            body = self._jointed(name, parent, joint_at, translate, rotate, reference, small, long_name)
            self._set_inertia(body, mass, inertia, centre)
        self.bodies.append(body)
        self.ground.memory.velocities.clear()  # of composites that have grown
        return body

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """What goes wrong leaves nothing behind."""
        frames, used = dict(self.ground.memory.frames), dict(self.used)
        try:
            yield
        except VectorError:
            self.ground.memory.frames, self.used = frames, used
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
        slides = self._slides(translate, parent)
        turning = self._turning(rotate, reference, parent)
        freedoms = self._freedoms(name, len(slides), len(turning.axes), small)
        q = [freedom.coordinate for freedom in freedoms]
        place = joint_at if isinstance(joint_at, Vector) else self._joint(joint_at, parent, name)
        self._check_mine(f"joint_at of '{name}'", place)
        shift = sum((x * d for x, d in zip(q, slides, strict=False)), place)
        body = TreeBody(self, name, parent, turning, shift, freedoms, long or name)
        self._set_speeds(body, slides, list(turning.axes), q[len(slides) :])
        return body

    def _check_parent(self, name: str, parent: Frame) -> None:
        if parent is not self.ground and not any(parent is body for body in self.bodies):
            what = f"the parent of '{name}', {name_of(parent)}, is no body of this tree"
            raise VectorError(what, "Give a body that was added before; one with mass=0, inertia=0 is a frame")

    def _joint(self, place: Any, parent: Frame, name: str) -> Vector:
        if isinstance(place, Point | Frame):
            return position(place, parent.origin)
        triple = self.read_triple(place, f"joint_at of '{name}'")
        return Vector(dict(zip(parent.axes, triple, strict=True)))

    def _slides(self, translate: Any, parent: Frame) -> list[Vector]:
        """The directions of sliding, of unit length."""
        found: list[Vector] = []
        if translate is None:
            return found
        if isinstance(translate, Mapping):
            raise VectorError(f"{name_of(translate)} is no list of directions", 'Give translate="xy", or directions')
        if isinstance(translate, Vector | int) or not isinstance(translate, Iterable):
            translate = [translate]
        for one in translate:
            if isinstance(one, Vector):
                found.append(_unit(express(one, parent), parent))
            elif isinstance(one, str | int):
                found.append(parent.axes[axis_number(one)])
            else:
                triple = self.read_triple(one, "a direction of sliding")
                found.append(_unit(Vector(dict(zip(parent.axes, triple, strict=True))), parent))
        if len(found) > 3:
            raise VectorError(f"{len(found)} translations", "A body has three at most")
        if _dependent(found):
            named = ", ".join(map(str, found))
            raise VectorError(f"the directions of sliding {named} repeat each other", "Leave one out")
        return found

    def _turning(self, rotate: Any, reference: Any, parent: Frame) -> Turning:
        rotate = () if rotate is None else [rotate] if isinstance(rotate, int) else rotate
        if isinstance(rotate, Vector):
            triad, k = parent.triad(rotate, reference)
            return Turning(triad, (k,))
        axes = axes_of(rotate)
        if len(axes) > 3:
            raise VectorError(f"{len(axes)} rotations", "A body turns about three axes at most")
        return Turning(parent.axes, tuple(axes))

    def _freedoms(self, body: str, slides: int, turns: int, small: Any) -> list[Freedom]:
        total = slides + turns
        flags = [small] * total if isinstance(small, bool) else list(small) if isinstance(small, list | tuple) else []
        if len(flags) != total or not all(isinstance(flag, bool) for flag in flags):
            raise VectorError(f"'{body}': small is {name_of(small)}", f"Give True, False, or {total} of them")
        kinds = ["translation"] * slides + ["rotation"] * turns
        found = []
        for n, (kind, flag) in enumerate(zip(kinds, flags, strict=True), len(self.freedoms) + 1):
            q, u = symbol(f"q{n}", kind="coordinate"), symbol(f"u{n}", kind="speed")
            found.append(Freedom(coordinate=q, speed=u, body=body, kind=kind, small=flag))
        return found

    # -- speeds --------------------------------------------------------------------------------------------------------

    def _set_speeds(self, body: TreeBody, slides: list[Vector], about: list[int], angles: list[Symbol]) -> None:
        """Say how a body moves by its speeds, and how these and the rates of its coordinates depend on each other."""
        speeds = [freedom.speed for freedom in body.freedoms]
        free = len(slides) == 3 and len(about) == 3 and body.parent is self.ground
        self._set_spin(body, about, angles, speeds[len(slides) :])
        if free and self.speed_choice == "body":
            self._set_free(body, slides, speeds[:3])
            return
        for q, u in zip((f.coordinate for f in body.freedoms[: len(slides)]), speeds, strict=False):
            self._equal(q, u)

    def _equal(self, q: Symbol, u: Symbol) -> None:
        self.ground.memory.rates[q] = u
        self.definitions[u] = rate_symbol(q)

    def _set_spin(self, body: TreeBody, about: list[int], angles: list[Symbol], speeds: list[Symbol]) -> None:
        directions = body.directions(angles, about) if len(about) != 1 else [body.axes[about[0]]]
        if len(about) != 3 or self.speed_choice == "rates":
            for q, u in zip(angles, speeds, strict=True):
                self._equal(q, u)
            body.spin = sum((u * d for u, d in zip(speeds, directions, strict=True)), Vector({}))
            return
        # ω = u1 x + u2 y + u3 z, and with the directions d of the turns, of which neighbours are at right angles:
        # q1' = ω·(d2 × d3) / d1·(d2 × d3),   q2' = ω·d2,   q3' = ω·d3 − q1' d1·d3
        body.spin = Vector(dict(zip(body.axes, speeds, strict=True)))
        first, second, third = (Vector(dict(zip(body.axes, components(d, body), strict=True))) for d in directions)
        side = cross(second, third)
        span = trigonometric(dot(first, side))
        rates = self.ground.memory.rates
        rates[angles[0]] = dot(body.spin, side) / span
        rates[angles[1]] = dot(body.spin, second)
        rates[angles[2]] = dot(body.spin, third) - rates[angles[0]] * dot(first, third)  # type: ignore[operator]
        turning = sum((rate_symbol(q) * d for q, d in zip(angles, (first, second, third), strict=True)), Vector({}))
        for u, c in zip(speeds, components(turning, body), strict=True):
            self.definitions[u] = c

    def _set_free(self, body: TreeBody, slides: list[Vector], speeds: list[Symbol]) -> None:
        """Speeds of a body free in space: components, in its axes, of the velocity of its composite's mass centre."""
        along = Vector(dict(zip(body.axes, speeds, strict=True)))

        def drift() -> Vector:
            # v of the origin = v of the centre − ω × r
            return along - cross(body.spin, self.composite_centre(body))

        body.drift = drift
        places = [freedom.coordinate for freedom in body.freedoms[:3]]
        for q, across in zip(places, _reciprocal(slides), strict=True):
            self.ground.memory.rates[q] = partial(_along, lambda: origin_velocity(body), across)
        moving = sum((rate_symbol(q) * d for q, d in zip(places, slides, strict=True)), Vector({}))

        def centre() -> Vector:
            return moving + cross(self.in_rates(body.spin), self.composite_centre(body))

        for u, axis in zip(speeds, body.axes, strict=True):
            self.definitions[u] = partial(_along, centre, axis)

    def choose_speeds(self, speeds: Mapping[str, Given], *, instead_of: Sequence[str]) -> None:
        """Name speeds of your own, linear in those of the tree (u1) or in the rates of coordinates (q1').

        They take the place of as many of the tree's, in what is printed; results and laws know both.
        """
        speeds = _by_name(speeds, "speeds")
        instead_of = [instead_of] if isinstance(instead_of, str) else _listed(instead_of, "instead_of")
        known = {freedom.speed.name: freedom.speed for freedom in self.freedoms}
        wrong = [name for name in instead_of if name not in known or known[name] in self.replaced]
        if wrong or len(instead_of) != len(speeds):
            what = f"{wrong[0]} is no speed" if wrong else f"{len(speeds)} speeds instead of {len(instead_of)}"
            raise VectorError(what, "Name as many speeds of the tree as are given: instead_of=['u1', 'u2']")
        memory = self.ground.memory
        rates = {rate_symbol(f.coordinate): memory.rate_of(f.coordinate) for f in self.freedoms}
        for name, given in speeds.items():
            if name in known or name in self.used or name in self.inputs or symbol(name, kind="speed") in self.chosen:
                raise VectorError(f"there is something called '{name}' already", "Give the speed another name")
            expr = self.read(given, f"speed '{name}'")
            own = substitute(expr, {s: rates[s] for s in free_symbols(expr) if s in rates})
            slopes = [differentiate(own, u) for u in known.values()]
            still = substitute(own, dict.fromkeys(known.values(), ZERO))
            if still is not ZERO or any(s.kind == "speed" for x in slopes for s in free_symbols(x)):
                raise VectorError(f"the speed '{name}' is not linear in the speeds", "Write it as a sum of speeds")
            self.chosen[symbol(name, kind="speed")] = own
        self.replaced += [known[name] for name in instead_of]

    def definition(self, u: Symbol) -> Expr:
        """What a speed is by the rates of coordinates."""
        known = self.definitions[u]
        return known if isinstance(known, Expr) else known()

    def in_rates(self, v: Vector) -> Vector:
        """A vector with its speeds replaced by the rates of coordinates."""

        def changed(c: Expr) -> Expr:
            used: dict[Expr, Any] = {s: self.definition(s) for s in free_symbols(c) if s in self.definitions}
            return substitute(c, used)

        return v.mapped(changed)

    # -- inertia -------------------------------------------------------------------------------------------------------

    def _set_inertia(self, body: TreeBody, mass: Given, inertia: Any, centre: Any) -> None:
        name = body.name
        body.mass = symbol(f"M_{name}") if mass is None else self.read(mass, f"mass of '{name}'")
        if mass is None:
            self.used[f"M_{name}"] = symbol(f"M_{name}")
        body.inertia = self._inertia(body, inertia)
        body.centre = centre if isinstance(centre, Point) else body.point(f"{name}*", centre)
        self._check_mine(f"centre of '{name}'", body.centre, body.centre.offset)
        self._check_mine(f"inertia of '{name}'", body.inertia)

    def _inertia(self, body: TreeBody, given: Any) -> Dyadic:
        if isinstance(given, Dyadic):
            return given
        given = given.tolist() if isinstance(given, np.ndarray) else given
        if given is None:
            names = {place: f"I_{body.name}{place[0] + 1}{place[1] + 1}" for place in ENTRIES}
            self.used |= {name: symbol(name) for name in names.values()}
            entries: dict[tuple[int, int], Expr] = {place: symbol(name) for place, name in names.items()}
        elif isinstance(given, Real) and given == 0:
            return Dyadic({})
        else:
            entries = self._entries(given, f"inertia of '{body.name}'")
        both = {**entries, **{(j, i): x for (i, j), x in entries.items()}}
        return Dyadic({(body.axes[i], body.axes[j]): x for (i, j), x in both.items()})

    def _entries(self, given: Any, what: str) -> dict[tuple[int, int], Expr]:
        rows = [given] if not isinstance(given, Sequence) or isinstance(given, str) else list(given)
        if len(rows) == 3 and all(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
            full = {(i, j): self.read(rows[i][j], what) for i in range(3) for j in range(3) if len(rows[i]) == 3}
            if len(full) == 9 and all(full[i, j] is full[j, i] for i, j in full):
                return {place: full[place] for place in ENTRIES}
        elif len(rows) == 3:
            return {(i, i): self.read(x, what) for i, x in enumerate(rows)}
        elif len(rows) == 6:
            return {place: self.read(x, what) for place, x in zip(ENTRIES, rows, strict=True)}
        raise VectorError(f"{what} is {name_of(given)}", "Give 3 (diagonal), 6 (11 12 13 22 23 33) or 3 x 3 symmetric")

    def composite_centre(self, body: TreeBody) -> Vector:
        """From the origin of a body to the mass centre of all that does not move in it: its own and its children's."""
        mass, moment = self._composite(body)
        return moment / mass if mass is not ZERO else Vector({})

    def _composite(self, body: TreeBody) -> tuple[Expr, Vector]:
        """Mass and first moment about the origin of a body and of those children whose mass centre is fixed in it."""
        mass, moment = body.mass, body.mass * express(body.centre.offset, body)
        for child in body.children:
            m, s = self._composite(child)
            if m is ZERO:
                continue
            seen = express(m * child.shift + s, body)
            if is_constant(seen) and is_constant(m):
                mass, moment = mass + m, moment + seen
        return mass, moment

    # -- loads, outputs, constraints -----------------------------------------------------------------------------------

    def add_force(self, name: str, *, along: Any, magnitude: Given, at: Any, against: Any = None) -> Load:
        """A force at a point of a body, and the opposite one at a point of another (the ground, if none is named)."""
        point, other = self._point(at, "at"), None if against is None else self._point(against, "against")
        along = as_vector(along, f"the direction of force '{name}'")
        self._check_mine(f"the direction of force '{name}'", along)
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
        self._check_mine(f"the direction of moment '{name}'", along)
        load = Load(
            name=self._new_load(name), along=along,
            magnitude=self.read(magnitude, f"moment '{name}'"), on=on, against=against or self.ground,
        )  # fmt: skip
        self.loads.append(load)
        return load

    def _new_load(self, name: str) -> str:
        _as_name(name, "a force or moment")
        if any(load.name == name for load in self.loads):
            raise VectorError(f"there is a force or moment '{name}' already", "Give it another name")
        return name

    def _point(self, given: Any, what: str) -> Point:
        found = given.origin if isinstance(given, Frame) else given
        if isinstance(found, Point) and found.frame.ground is self.ground:
            self._check_mine(what, found.offset)
            return found
        raise VectorError(f"{what}: {name_of(given)}, a {kind_of(given)}, is no point", "Give a point or a body")

    def add_output(self, name: str, expr: Given, *, long_name: str = "", unit: str = "") -> None:
        """Something to be told by name after a run, with its unit, unless its dimension tells it."""
        unit = _as_unit(unit, f"output '{name}'")
        coordinates = {freedom.coordinate.name for freedom in self.freedoms}
        if _as_name(name, "an output") in {*self.outputs, *coordinates, *self.inputs, *self.implicits, "t"}:
            raise VectorError(f"there is something called '{name}' already", "Give the output another name")
        self.outputs[name] = Output(
            name=name, expr=self.read(expr, f"output '{name}'"), long_name=long_name or name, unit=unit
        )

    def add_constraint(self, name: str, expr: Given) -> None:
        """A condition on coordinates that vanishes: closes a loop, drives a joint."""
        self._check_constraint(name)
        self.constraints[name] = self.read(expr, f"constraint '{name}'")

    def _check_constraint(self, name: Any) -> None:
        if _as_name(name, "a constraint") in (*self.constraints, *self.velocity_constraints):
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


class _Names(dict[str, Expr]):
    """What names in texts mean: coordinates, speeds, time; anything else is a parameter, which is thereby known."""

    def __init__(self, tree: Tree) -> None:
        super().__init__({"t": TIME})
        self.update({v.name: expr for v, expr in tree.chosen.items()})
        self.update({name: input_symbol(name) for name in tree.implicits})
        self.update({name: input_symbol(name) for name in tree.inputs})
        self.update(tree.called)
        self._tree = tree
        self._bodies = 0  # whose freedoms are known

    def grow(self) -> None:
        """Know the freedoms of bodies that are new, but for names that mean something else."""
        bodies = self._tree.bodies
        while self._bodies < len(bodies):
            for freedom in bodies[self._bodies].freedoms:
                speeds = freedom.speed, rate_symbol(freedom.coordinate)
                rates = [symbol(f"{s.name}'", kind="acceleration") for s in speeds]
                for s in (freedom.coordinate, *speeds, *rates):
                    self.setdefault(s.name, s)
            self._bodies += 1

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Expr:
        if name.endswith(SIGN):
            return input_symbol(name)  # of a constraint or stop, which a model knows
        return self._tree.used.setdefault(name, symbol(name))


def _traced(function: Callable[..., Any], names: tuple[str, ...], arguments: tuple[Expr, ...]) -> list[Expr]:
    """The outputs of a function of expressions."""
    try:
        made = function(*arguments)
    except TypeError as error:
        what = f"the function of {', '.join(names)} does not work with expressions: {error}"
        raise ExpressionError(what, "Use functions of linkwork, or opaque=True") from None
    found = [*made] if isinstance(made, Sequence) else [made]
    if len(found) != len(names):
        raise ExpressionError(f"{len(found)} outputs for {', '.join(names)}", "Name each of them")
    return [as_result(name, x) for name, x in zip(names, found, strict=True)]


def _as_name(name: Any, what: str) -> str:
    """A text that is not empty."""
    if isinstance(name, str) and name.strip():
        return name
    raise VectorError(f"{name_of(name)}, a {kind_of(name)}, is no name of {what}", "Give a text")


def _as_unit(unit: Any, what: str) -> str:
    """A text that can be read as a unit, or nothing."""
    if not isinstance(unit, str):
        raise VectorError(f"{what}: {name_of(unit)}, a {kind_of(unit)}, is no unit", "Give a text such as N*m/rad")
    try:
        read_unit(unit)
    except ExpressionError as error:
        raise VectorError(f"{what}: {error.what}", error.remedy) from None
    return unit


def _by_name(given: Any, what: str) -> dict[str, Any]:
    """What belongs to which name."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise VectorError(f"{what}: {name_of(given)} does not say what belongs to which name", "Write {name: value}")
    found = {_as_name(name, what): value for name, value in given.items()}
    if "t" in found:
        raise VectorError(f"{what}: t is the time", "Give it another name")
    return found


def _listed(given: Any, what: str) -> tuple[Any, ...]:
    if isinstance(given, Iterable):
        return tuple(given)
    raise VectorError(f"{what}: {name_of(given)}, a {kind_of(given)}, is no list", "Write a list")


def _along(velocity: Callable[[], Vector], axis: Vector) -> Expr:
    return dot(velocity(), axis)


def _reciprocal(lines: list[Vector]) -> list[Vector]:
    """Vectors of which each has the product one with its line and none with the others: q' = v · r where v = Σ q' d."""
    crosses = [cross(lines[j], lines[k]) for j, k in ((1, 2), (2, 0), (0, 1))]
    return [side / dot(lines[0], crosses[0]) for side in crosses]


def _dependent(lines: list[Vector]) -> bool:
    """Whether two directions are parallel, or three in one plane, as far as can be seen."""
    if len(lines) == 3:
        return is_nothing(dot(lines[0], cross(lines[1], lines[2])))
    return len(lines) == 2 and all(is_nothing(c) for c in cross(*lines).terms.values())


def is_nothing(x: Expr) -> bool:
    """Whether an expression is zero, or a number that is but for rounding."""
    simple = trigonometric(x)
    return simple is ZERO or (isinstance(simple, Number) and abs(float(simple.value)) < ROUNDING)


def rate_symbol(q: Symbol) -> Symbol:
    """The rate of a coordinate, as a symbol: q'."""
    return symbol(f"{q.name}'", kind="speed")


def _unit(v: Vector, parent: Frame) -> Vector:
    if not is_constant(v):
        what = f"a direction of sliding moves in '{parent.name}': it is {name_of(v)}"
        raise VectorError(what, f"Give one fixed in '{parent.name}'")
    length = sqrt(add(*(c**2 for c in v.terms.values())))
    if length is ZERO:
        raise VectorError("a direction of sliding has no length", "Give another")
    return v if length is ONE else v / length
