"""Laws as kernels: expressions over the quantities of a mechanism in, kernels over local coordinates out.

A law names places, velocities, lengths and angles ("A.x", "AB.rate", "OA.omega"). Here these become expressions of the
coordinates of the points involved, and parameters become columns, so that equal laws share one kernel and a changed
parameter recompiles nothing. Knows nothing of where the points live in the whole system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

from linkwork.equations.kernel import TIME, Contribution, Kernel, known_kernel
from linkwork.equations.kinematics import Local, length, measure, separation_rate
from linkwork.model.laws import OF_BODIES, quantities
from linkwork.model.own import Mass
from linkwork.model.signals import input_symbol, inputs_in, state_symbol, states_in
from linkwork.program import Builder, Program, forward, lower
from linkwork.symbolic import ZERO, Expr, Symbol, differentiate, free_symbols, substitute, symbol
from linkwork.symbolic.vector import combine, cross, difference, dot


@dataclass(frozen=True, slots=True, kw_only=True)
class LawKernel:
    """A kernel, and what its instance needs: what it works on, and parameters for its first columns."""

    kernel: Kernel
    local: Local
    parameters: tuple[str, ...]


Build = Callable[[Local, list[Expr]], Contribution]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What laws work on: points, angles and states that are coordinates, parts whose axes or turn they name."""

    points: tuple[str, ...]
    angles: tuple[str, ...]
    states: tuple[str, ...]
    parts: tuple[str, ...]


def law_kernel(
    purpose: str,
    laws: Sequence[Expr],
    build: Build,
    see: Callable[[Subject], Local],
    *,
    points: Sequence[str] = (),
    angles: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> LawKernel:
    """The kernel of a use of laws.

    `points`, `angles` and `parts` are what it works on besides what the laws name; `see` tells how a formalism carries
    all that.
    """
    named = [q for law in laws for _, q in quantities(law)]
    turns = [q.of for q in named if q.what in ("angle", "omega")]
    states = sorted({name for law in laws for name in states_in(law)})
    inputs = sorted({name for law in laws for name in inputs_in(law)})
    local = see(
        Subject(
            points=tuple(dict.fromkeys([*points, *(p for q in named for p in q.points)])),
            angles=tuple(dict.fromkeys([*angles, *turns, *states, *inputs])),
            states=tuple(states),
            parts=tuple(dict.fromkeys([*parts, *(q.of for q in named if q.what in OF_BODIES)])),
        )
    )
    parameters = sorted({s.name for law in laws for s in free_symbols(law) if s.kind == "parameter"})
    local_names: dict[Expr, Expr] = {symbol(name): symbol(f"k{i}") for i, name in enumerate(parameters)}
    local_names |= {s: measure(local, s.name) for s in dict.fromkeys(s for law in laws for s, _ in quantities(law))}
    local_names |= {state_symbol(name): local.omega(name) for name in states}
    local_names |= {input_symbol(name): local.angle(name) for name in inputs}
    contribution = build(local, [substitute(law, local_names) for law in laws])
    names = (*(f"k{i}" for i in range(len(parameters))), *local.columns)
    return LawKernel(
        kernel=local_kernel(purpose, local, names, contribution), local=local, parameters=tuple(parameters)
    )


def local_kernel(purpose: str, local: Local, columns: tuple[str, ...], c: Contribution) -> Kernel:
    """The kernel of a contribution over what a kernel sees."""
    moving = replace(c, kinematics=local.rates) if local.followers else c
    return kernel_of(purpose, local.coordinates, columns, moving, local.followers)


def lift(kernel: Kernel, local: Local, points: Sequence[str], angles: Sequence[str]) -> Kernel:
    """A kernel over coordinates of points, then angles, where poses carry some of them; it has no inertia.

    Its coordinates and speeds become places and velocities.
    """
    q, u, _ = kernel.symbols
    places = [*(x for p in points for x in local.place(p)), *map(local.angle, angles)]
    speeds = [*(v for p in points for v in local.velocity(p)), *map(local.omega, angles)]
    meaning: dict[Expr, Expr] = dict(zip([*q.values(), *u.values()], [*places, *speeds], strict=True))
    c = kernel.contribution
    assert c.kinetic is ZERO, "only points of their own can have inertia"
    lifted = Contribution(
        potential={kind: substitute(x, meaning) for kind, x in c.potential.items()},
        constraints=[substitute(x, meaning) for x in c.constraints],
    )
    return local_kernel(kernel.kind, local, (*kernel.parameters, *local.columns), lifted)


def kernel_of(
    purpose: str,
    coordinates: tuple[str, ...],
    parameters: tuple[str, ...],
    c: Contribution,
    followers: tuple[str, ...] = (),
) -> Kernel:
    """The kernel of a contribution, one object for equal ones in use; its name carries the hash of its content."""
    # M follows from the balance: that it is given tells one that was differentiated from it apart
    named = [*c.potential, *c.rates, *c.balance, *(["mass"] if isinstance(c.mass, Mass) else [])]
    text = "|".join([purpose, *coordinates, *followers, *parameters, *named, _write(c)])
    name = f"{purpose}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return known_kernel(name, coordinates, parameters, c, followers, purpose)


def _write(c: Contribution) -> str:
    """A contribution as a text: of each formula its key, which tells it from all others."""
    groups: dict[str, Iterable[Expr]] = {
        "energies": [c.kinetic, *c.potential.values(), c.dissipation],
        "efforts": [x for pair in c.efforts for x in pair],
        "constraints": c.constraints,
        "velocity_constraints": c.velocity_constraints,
        "rates": c.rates.values(),
        "kinematics": c.kinematics.values(),
        "balance": c.balance.values(),
    }
    return "\n".join(f"{name} {' '.join(f'{x.key:x}' for x in group)}" for name, group in groups.items())


def law_program(law: Expr, see: Callable[[Subject], Local]) -> tuple[Program, LawKernel]:
    """The program that computes a law (output group "v"), and what its inputs are."""

    def build(local: Local, v: list[Expr]) -> Contribution:
        return Contribution(potential={"v": v[0]})

    made = law_kernel("watch", [law], build, see)
    return value_program(made.kernel, made.kernel.contribution.potential["v"]), made


def value_program(kernel: Kernel, value: Expr) -> Program:
    """The program of an expression over a kernel's coordinates, speeds and parameters (output group "v")."""
    b = Builder()
    nodes, shared, asked = _inputs(b, kernel), kernel.contribution.shared, set(free_symbols(value))
    for name in reversed([*shared]):
        asked |= free_symbols(shared[name]) if name in asked else set()
    for name in shared:
        if name in asked:
            nodes[name] = lower(b, shared[name], nodes)
    return b.program(v=[lower(b, value, nodes)])


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
    first = len(kernel.coordinates)
    nodes.update({s: b.input("e", first + i, s.name) for i, s in enumerate(kernel.follower_symbols.values())})
    return nodes


# -- uses of laws ------------------------------------------------------------------------------------------------------


def force_at(point: str) -> Build:
    """A force in the world frame: its components work on the velocity of the point."""
    return lambda local, F: Contribution(efforts=list(zip(F, local.velocity(point), strict=True)))


def force_in_frame(point: str, part: str) -> Build:
    """A force in the axes of a part."""

    def build(local: Local, F: list[Expr]) -> Contribution:
        world = combine(F, local.frame(part))
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
    return lambda local, F: Contribution(efforts=[(-F[0], separation_rate(local, a, b))])


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


def vanishing() -> Build:
    """Laws that stay zero."""
    return lambda local, laws: Contribution(constraints=laws)


def withholding() -> Build:
    """Laws of speeds that stay zero: constraints of velocities."""
    return lambda local, laws: Contribution(velocity_constraints=laws)


def touching(places: int) -> Build:
    """Laws that stay zero, the first of them of places, the others of speeds."""
    return lambda local, laws: Contribution(constraints=laws[:places], velocity_constraints=laws[places:])


def acting() -> Build:
    """Components and the flows they work on, one after another."""

    def build(local: Local, laws: list[Expr]) -> Contribution:
        half = len(laws) // 2
        return Contribution(efforts=list(zip(laws[:half], laws[half:], strict=True)))

    return build


def changing(state: str) -> Build:
    """The equation of a state."""
    return lambda local, d: Contribution(rates={f"a{local.angles[state]}": d[0]})


def force_along_rod(point: str, a: str, b: str) -> Build:
    """A force along a thin rod of space, which has no other direction of its own."""

    def build(local: Local, F: list[Expr]) -> Contribution:
        d, size = difference(local.place(b), local.place(a)), length(local, a, b)
        world = [F[0] * x / size for x in d]
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
