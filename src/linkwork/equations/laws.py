"""Laws as kernels: expressions over the quantities of a mechanism in, kernels over local coordinates out.

A law names places, velocities, lengths and angles ("A.x", "AB.rate", "OA.omega"). Here these become expressions of the
coordinates of the points involved, and parameters become columns, so that equal laws share one kernel and a changed
parameter recompiles nothing. Knows nothing of where the points live in the whole system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from linkwork.equations.kernel import TIME, Contribution, Kernel, known_kernel
from linkwork.equations.spatial import Axes, angular_velocity, axes_of, axes_rates
from linkwork.model.laws import AXES, OF_BODIES, PLACES, SPEEDS, SPINS, quantities, quantity
from linkwork.model.signals import state_symbol, states_in
from linkwork.program import Builder, Program, forward, lower
from linkwork.symbolic import Expr, Node, Symbol, differentiate, free_symbols, sqrt, substitute, symbol
from linkwork.symbolic.vector import Vector, cross, difference, dot

TRIANGLE = ("r11", "r12", "r22")  # columns of R, which places the first points of a body of space


class Local:
    """The points, parts and angles a law kernel sees, by name, as expressions of its local coordinates.

    A part is known by its first points, `corners`: two in the plane, whose distance is a column of the kernel, three in
    space, with the columns TRIANGLE.
    """

    def __init__(
        self,
        dimension: int,
        points: Sequence[str],
        angles: Sequence[str],
        states: Sequence[str] = (),
        corners: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.dimension = dimension
        self.axes, self.states = PLACES[:dimension], tuple(states)
        self.points = {name: i for i, name in enumerate(points)}
        self.angles = {name: i for i, name in enumerate(angles)}
        self.corners = dict(corners or {})
        self.parts = {name: i for i, name in enumerate(self.corners)}

    def columns(self, part: str) -> tuple[str, ...]:
        """The names of the columns that say how far the first points of a part are apart."""
        names = ("length",) if self.dimension == 2 else TRIANGLE
        return tuple(f"{name}_{self.parts[part]}" for name in names)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the local coordinates: the points' ones, then the angles and the integrals of states."""
        of_points = [f"p{i}{axis}" for i in self.points.values() for axis in self.axes]
        return (*of_points, *(f"a{i}" for i in self.angles.values()))

    def place(self, point: str) -> Vector:
        """Where a point is."""
        return Vector(symbol(f"p{self.points[point]}{axis}", kind="coordinate") for axis in self.axes)

    def velocity(self, point: str) -> Vector:
        """How fast it moves."""
        return Vector(symbol(f"p{self.points[point]}{axis}'", kind="speed") for axis in self.axes)

    def angle(self, name: str) -> Expr:
        """A tracked turn angle."""
        return symbol(f"a{self.angles[name]}", kind="coordinate")

    def omega(self, name: str) -> Expr:
        """Its rate; of the integral of a state, the state."""
        return symbol(f"a{self.angles[name]}'", kind="speed")

    def frame(self, part: str) -> tuple[Vector, ...]:
        """The axes of a part in the world."""
        r = [symbol(name) for name in self.columns(part)]
        corners = [self.place(p) for p in self.corners[part]]
        if self.dimension == 3:
            return axes_of(corners, r).columns
        x = difference(corners[1], corners[0]) / r[0]
        return x, Vector((-x[1], x[0]))

    def frame_rates(self, part: str) -> tuple[Vector, ...]:
        """Their velocities."""
        r = [symbol(name) for name in self.columns(part)]
        places, speeds = ([of(p) for p in self.corners[part]] for of in (self.place, self.velocity))
        if self.dimension == 3:
            return axes_rates(places, speeds, r).columns
        x = difference(speeds[1], speeds[0]) / r[0]
        return x, Vector((-x[1], x[0]))

    def spin(self, part: str) -> Vector:
        """The angular velocity of a part of space, in the world."""
        axes, rates = Axes(self.frame(part)), Axes(self.frame_rates(part))  # type: ignore[arg-type]
        return axes.along(angular_velocity(axes, rates))

    def length(self, a: str, b: str) -> Expr:
        """|b − a|."""
        d = difference(self.place(b), self.place(a))
        return sqrt(dot(d, d))

    def rate(self, a: str, b: str) -> Expr:
        """(b − a)·(ḃ − ȧ) / |b − a|."""
        d, v = difference(self.place(b), self.place(a)), difference(self.velocity(b), self.velocity(a))
        return dot(d, v) / self.length(a, b)

    def measure(self, name: str) -> Expr:
        """The expression of a quantity such as "A.vx"."""
        found = quantity(name)
        assert found is not None
        match found.what:
            case "length":
                return self.length(*found.points)
            case "rate":
                return self.rate(*found.points)
            case "angle":
                return self.angle(found.of)
            case "omega":
                return self.omega(found.of)
        if found.what in SPINS:
            return self.spin(found.of)[SPINS.index(found.what)]
        if found.what in OF_BODIES:
            axis, component = found.what[-2], found.what[-1]
            axes = self.frame(found.of) if found.what in AXES else self.frame_rates(found.of)
            return axes[PLACES.index(axis)][PLACES.index(component)]
        if found.what in SPEEDS:
            return self.velocity(found.of)[SPEEDS.index(found.what)]
        return self.place(found.of)[PLACES.index(found.what)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LawKernel:
    """A kernel and what its instance needs: points and angles for its coordinates, parameters and parts for columns."""

    kernel: Kernel
    points: tuple[str, ...]
    angles: tuple[str, ...]
    parameters: tuple[str, ...]
    parts: tuple[str, ...]


Build = Callable[[Local, list[Expr]], Contribution]


def law_kernel(
    purpose: str,
    laws: Sequence[Expr],
    build: Build,
    *,
    dimension: int,
    points: Sequence[str] = (),
    angles: Sequence[str] = (),
    numbers: Sequence[str] = (),
    parts: Sequence[str] = (),
    corners: Callable[[str], Sequence[str]] = lambda part: (),
) -> LawKernel:
    """The kernel of a use of laws.

    `points`, `angles` and `parts` are what it works on besides what the laws name, `numbers` names further parameter
    columns; `corners` tells the first points of a part.
    """
    named = [q for law in laws for _, q in quantities(law)]
    all_parts = dict.fromkeys([*parts, *(q.of for q in named if q.what in OF_BODIES)])
    reference = {part: tuple(corners(part)) for part in all_parts}
    of_parts = [p for first in reference.values() for p in first]
    all_points = tuple(dict.fromkeys([*points, *(p for q in named for p in q.points), *of_parts]))
    turns = [q.of for q in named if q.what in ("angle", "omega")]
    states = sorted({name for law in laws for name in states_in(law)})
    all_angles = tuple(dict.fromkeys([*angles, *turns, *states]))
    local = Local(dimension, all_points, all_angles, states, reference)
    parameters = sorted({s.name for law in laws for s in free_symbols(law) if s.kind == "parameter"})
    local_names: dict[Expr, Expr] = {symbol(name): symbol(f"k{i}") for i, name in enumerate(parameters)}
    local_names |= {s: local.measure(s.name) for law in laws for s, _ in quantities(law)}
    local_names |= {state_symbol(name): local.omega(name) for name in states}
    contribution = build(local, [substitute(law, local_names) for law in laws])
    columns = [column for part in all_parts for column in local.columns(part)]
    names = (*(f"k{i}" for i in range(len(parameters))), *columns, *numbers)
    kernel = kernel_of(purpose, local.coordinates, names, contribution)
    return LawKernel(
        kernel=kernel, points=all_points, angles=all_angles, parameters=tuple(parameters), parts=tuple(all_parts)
    )


def kernel_of(purpose: str, coordinates: tuple[str, ...], parameters: tuple[str, ...], c: Contribution) -> Kernel:
    """The kernel of a contribution, one object for equal ones in use; its name carries the hash of its content."""
    made = Kernel(name=purpose, coordinates=coordinates, parameters=parameters, define=lambda q, u, p: c)
    text = "|".join([purpose, *coordinates, *parameters, *c.potential, *c.rates, _write(made, c)])
    name = f"{purpose}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return known_kernel(name, coordinates, parameters, c)


def _write(kernel: Kernel, c: Contribution) -> str:
    """A contribution as a text in which what formulas share is written once."""
    b, memo = Builder(), dict[Node, int]()
    nodes = _inputs(b, kernel)
    groups = {
        "energies": [c.kinetic, *c.potential.values(), c.dissipation],
        "efforts": [x for pair in c.efforts for x in pair],
        "constraints": c.constraints,
        "velocity_constraints": c.velocity_constraints,
        "rates": c.rates.values(),
    }
    program = b.program(**{name: [lower(b, x, nodes, memo) for x in group] for name, group in groups.items()})
    lines = [f"{n.op} {n.args} {n.value!r} {n.source} {n.curve and n.curve.digest}" for n in program.nodes]
    return "\n".join([*lines, *(f"{name} {found}" for name, found in program.outputs.items())])


def law_program(law: Expr, *, dimension: int, corners: Callable[[str], Sequence[str]]) -> tuple[Program, LawKernel]:
    """The program that computes a law (output group "v"), and what its inputs are."""

    def build(local: Local, v: list[Expr]) -> Contribution:
        return Contribution(potential={"v": v[0]})

    made = law_kernel("watch", [law], build, dimension=dimension, corners=corners)
    return value_program(made.kernel, made.kernel.contribution.potential["v"]), made


def value_program(kernel: Kernel, value: Expr) -> Program:
    """The program of an expression over a kernel's coordinates, speeds and parameters (output group "v")."""
    b = Builder()
    return b.program(v=[lower(b, value, _inputs(b, kernel))])


def motion_program(kernel: Kernel, place: Sequence[Expr]) -> Program:
    """The program of a place over a kernel's coordinates, with its velocity and acceleration."""
    b = Builder()
    nodes = _inputs(b, kernel)
    q, u, _ = kernel.symbols
    a = [b.input("a", i, f"{name}''") for i, name in enumerate(kernel.coordinates)]
    rates = {nodes[x]: nodes[v] for x, v in zip(q.values(), u.values(), strict=True)}
    rates |= {nodes[v]: w for v, w in zip(u.values(), a, strict=True)} | {nodes[TIME]: b.one}
    x = [lower(b, value, nodes) for value in place]
    v = forward(b, x, rates)
    return b.program(place=x, velocity=v, acceleration=forward(b, v, rates))


def _inputs(b: Builder, kernel: Kernel) -> dict[Symbol, int]:
    q, u, p = kernel.symbols
    nodes = {TIME: b.input("t", 0, "t")}
    for kind, symbols in (("q", q), ("u", u), ("p", p)):
        nodes.update({s: b.input(kind, i, s.name) for i, s in enumerate(symbols.values())})
    return nodes


# -- uses of laws ------------------------------------------------------------------------------------------------------


def force_at(point: str) -> Build:
    """A force in the world frame: its components work on the velocity of the point."""
    return lambda local, F: Contribution(efforts=list(zip(F, local.velocity(point), strict=True)))


def force_in_plane_frame(point: str, a: str, b: str) -> Build:
    """A force (along, across) in the frame of a planar part whose x axis runs from a to b."""

    def build(local: Local, F: list[Expr]) -> Contribution:
        d = difference(local.place(b), local.place(a))
        length = local.length(a, b)
        x, y = d[0] / length, d[1] / length
        world = (F[0] * x - F[1] * y, F[0] * y + F[1] * x)
        return Contribution(efforts=list(zip(world, local.velocity(point), strict=True)))

    return build


def torque_on(part: str, other: str | None) -> Build:
    """A torque works on the angular velocity of a part, relative to another if there is one."""

    def build(local: Local, tau: list[Expr]) -> Contribution:
        omega = local.omega(part) if other is None else local.omega(part) - local.omega(other)
        return Contribution(efforts=[(tau[0], omega)])

    return build


def damping_between(a: str, b: str) -> Build:
    """A damper's force works against the rate of separation."""
    return lambda local, F: Contribution(efforts=[(-F[0], local.rate(a, b))])


def dissipating() -> Build:
    """A Rayleigh function; one that contains states, which are speeds to a kernel, by its forces."""

    def build(local: Local, R: list[Expr]) -> Contribution:
        states = {local.omega(name) for name in local.states}
        if states.isdisjoint(free_symbols(R[0])):
            return Contribution(dissipation=R[0])
        return Contribution(efforts=forces_of(R[0], states))

    return build


def forces_of(R: Expr, states: Container[Expr]) -> list[tuple[Expr, Expr]]:
    """The efforts −∂R/∂u of a Rayleigh function on all speeds that are no states."""
    speeds = sorted((s for s in free_symbols(R) if s.kind == "speed" and s not in states), key=lambda s: s.name)
    return [(-differentiate(R, s), s) for s in speeds]


def following(target: str) -> Build:
    """A quantity follows a law of time: quantity − law = 0; the multiplier is minus the driving force or torque."""
    return lambda local, law: Contribution(constraints=[local.measure(target) - law[0]])


def vanishing() -> Build:
    """Laws that stay zero."""
    return lambda local, laws: Contribution(constraints=laws)


def withholding() -> Build:
    """Laws of speeds that stay zero: constraints of velocities."""
    return lambda local, laws: Contribution(velocity_constraints=laws)


def acting() -> Build:
    """Components and the flows they work on, one after another."""

    def build(local: Local, laws: list[Expr]) -> Contribution:
        half = len(laws) // 2
        return Contribution(efforts=list(zip(laws[:half], laws[half:], strict=True)))

    return build


def working() -> Build:
    """An effort and the flow it works on."""
    return lambda local, laws: Contribution(efforts=[(laws[0], laws[1])])


def changing(state: str) -> Build:
    """The equation of a state."""
    return lambda local, d: Contribution(rates={f"a{local.angles[state]}": d[0]})


def force_in_space_frame(point: str, corners: Sequence[str]) -> Build:
    """A force in the axes of a body with these reference points; the columns TRIANGLE hold its R."""

    def build(local: Local, F: list[Expr]) -> Contribution:
        axes = axes_of([local.place(p) for p in corners], [symbol(name) for name in TRIANGLE])
        return Contribution(efforts=list(zip(axes.along(F), local.velocity(point), strict=True)))

    return build


def force_along_rod(point: str, a: str, b: str) -> Build:
    """A force along a thin rod of space, which has no other direction of its own."""

    def build(local: Local, F: list[Expr]) -> Contribution:
        d, length = difference(local.place(b), local.place(a)), local.length(a, b)
        world = [F[0] * x / length for x in d]
        return Contribution(efforts=list(zip(world, local.velocity(point), strict=True)))

    return build


def in_plane(a: str, b: str, c: str, d: str) -> Build:
    """Four points of space in one plane: (b − a) × (c − a) · (d − a) = 0."""

    def build(local: Local, _: list[Expr]) -> Contribution:
        A, B, C, D = (local.place(p) for p in (a, b, c, d))
        normal = cross(difference(B, A), difference(C, A))
        return Contribution(constraints=[dot(normal, difference(D, A))])

    return build


def sliding(a: str, b: str, c: str, slide: str) -> Build:
    """Three points of space on one line, with the place along it as a coordinate: c = a + s (b − a)."""

    def build(local: Local, _: list[Expr]) -> Contribution:
        A, B, C = (local.place(p) for p in (a, b, c))
        s = local.angle(slide)
        return Contribution(constraints=[C[i] - A[i] - s * (B[i] - A[i]) for i in range(3)])

    return build


def on_line(a: str, b: str, c: str) -> Build:
    """Three points of the plane on one line: (b − a) × (c − a) = 0."""

    def build(local: Local, _: list[Expr]) -> Contribution:
        A, B, C = (local.place(p) for p in (a, b, c))
        return Contribution(constraints=list(cross(difference(B, A), difference(C, A))))

    return build
