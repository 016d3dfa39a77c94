"""A kernel: physics of one kind of part, written once over symbols. In: a Python function; out: derived programs.

    @kernel("ax ay bx by", "length")
    def rod_length(q, u, p):
        return Contribution(constraints=[(q.bx - q.ax)**2 + (q.by - q.ay)**2 - p.length**2])

From kinetic energy T, potential V and constraints g of the local coordinates follow, by differentiating programs,

    r = d/dt ∂T/∂u − ∂T/∂q + ∂V/∂q + ∂R/∂u − Σ e ∂f/∂u + Gᵀλ
    H = M + Gᵀ W G,  G = (∂g/∂q, ∂h/∂u)

with the Rayleigh function R, efforts e along flows f (a force along a velocity, a torque along an angular velocity) and
constraints h on velocities. A first-order state X with the rate d is the speed of a coordinate of its own, on which
nothing else depends, so that its equation u̇ = d is one more row of the same form with M = 1; it has no energy.

Followers e are variables that no equation of dynamics determines: they only move at rates linear in the speeds,

    ė = N(q, e, t) u            for instance Ṙ = R ω^, with the body rates ω as speeds of quasi-coordinates
    ġ = (∂g/∂q + ∂g/∂e N) u + ∂g/∂t,   so that   G = ∂g/∂q + ∂g/∂e N   and the forces of V are ∂V/∂q + Nᵀ ∂V/∂e

Where speeds are no derivatives of coordinates, Lagrange's equations lack the terms of Hamel, such as ω × J ω: there the
kernel says the rate of momentum itself, linear in the accelerations, as a balance; M is its derivative by them.

Knows nothing of instances, indices in a whole system, or C.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import SimpleNamespace
from weakref import WeakValueDictionary

from linkwork.clock import check_time
from linkwork.equations.forms import check_forms, depends, refuse
from linkwork.program import (
    Builder,
    Hoisted,
    Plan,
    Program,
    find_switches,
    forward,
    hoist,
    jacobian,
    lower,
    nest_sums,
    plan_taylor,
    replace_nodes,
    reverse,
)
from linkwork.symbolic import Curve, Expr, Node, Number, Symbol, symbol

TIME = symbol("t", kind="time")

# the orders by which constraints and dynamics lead the stage of a Taylor expansion
OFFSETS = {"r": 0, "g": 2, "h": 1}
# the rates of followers lead it by one: ė of order k + 1 makes e of order k + 2
RATE_OFFSETS = {"n": 1}
# what changes in time
MOVING = ("q", "e", "u", "t")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contribution:
    """What one part adds to the mechanism.

    kinetic               T; it may have a part linear in u, which does no work, but none without u
    potential             V by kind
    dissipation           the Rayleigh function R, whose forces are −∂R/∂u
    efforts               pairs (e, f) of an effort and the flow it works on, linear in u; the power is e f
    constraints           g, each = 0
    velocity_constraints  h = A u + b, each = 0, linear in u and not to be integrated
    rates                 d by the coordinate whose speed is a first-order state: u̇ = d(q, u, t)
    kinematics            ė by follower, linear in u; a kernel that reads a follower says how it moves
    balance               r by coordinate, linear in the accelerations (`accelerations`); where one is given, T makes no
                          forces and is evidence only
    mass                  beside a balance: M, its derivative by the accelerations, by pairs of coordinates, of which
                          one order is enough; where it is not given it is found by differentiating
    shared                what several formulas share, by the symbol they know it by, each over those before it

    All of them may depend on TIME.
    """

    kinetic: Expr = field(default_factory=lambda: Number(0))
    potential: Mapping[str, Expr] = field(default_factory=dict)
    dissipation: Expr = field(default_factory=lambda: Number(0))
    efforts: Sequence[tuple[Expr, Expr]] = ()
    constraints: Sequence[Expr] = ()
    velocity_constraints: Sequence[Expr] = ()
    rates: Mapping[str, Expr] = field(default_factory=dict)
    kinematics: Mapping[str, Expr] = field(default_factory=dict)
    balance: Mapping[str, Expr] = field(default_factory=dict)
    mass: Mapping[tuple[str, str], Expr] = field(default_factory=dict)
    shared: Mapping[Symbol, Expr] = field(default_factory=dict)


Define = Callable[[SimpleNamespace, SimpleNamespace, SimpleNamespace], Contribution]


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A kind of part: its local coordinates and followers, its parameters, and the function that says its physics.

    kind   what it is an equation of, whatever its name, which tells it from all others: "spring", "force"
    """

    name: str
    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    define: Define
    followers: tuple[str, ...] = ()
    kind: str = ""

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[object, ...]]:
        # a kernel of a module is found there, that of a formula is made again
        place = self.define.__module__, self.define.__name__
        if getattr(sys.modules.get(place[0]), place[1], None) is self:
            return _find_kernel, place
        made = (self.name, self.coordinates, self.parameters, self.contribution, self.followers, self.kind)
        return known_kernel, made

    @cached_property
    def contribution(self) -> Contribution:
        """The physics over symbols named like the local coordinates and followers."""
        q, u, p = self.symbols
        places = SimpleNamespace(**q, **self.follower_symbols)
        found = self.define(places, SimpleNamespace(**u), SimpleNamespace(**p))
        for name in sorted({*self.followers} ^ {*found.kinematics}):
            refuse(name in self.followers, f"the rate of follower '{name}' is missing", "Add it to the kinematics")
            refuse(True, f"there is no follower '{name}'", "Name it as a follower of the kernel")
        return found

    @cached_property
    def follower_symbols(self) -> dict[str, Symbol]:
        """Symbols of the followers, by name."""
        return {name: symbol(name, kind="coordinate") for name in self.followers}

    @cached_property
    def symbols(self) -> tuple[dict[str, Symbol], dict[str, Symbol], dict[str, Symbol]]:
        """Symbols of the coordinates, their speeds and the parameters, by name."""
        q = {name: symbol(name, kind="coordinate") for name in self.coordinates}
        u = {name: symbol(f"{name}'", kind="speed") for name in self.coordinates}
        p = {name: symbol(name, kind="parameter") for name in self.parameters}
        return q, u, p

    @property
    def local_count(self) -> int:
        """How many places of a system an instance knows: coordinates, followers, multipliers."""
        return len(self.coordinates) + len(self.followers) + self.constraint_count

    @property
    def constraint_count(self) -> int:
        """How many constraint equations an instance brings: those of positions, then those of velocities."""
        return self.holonomic_count + len(self.contribution.velocity_constraints)

    @property
    def holonomic_count(self) -> int:
        """How many of them are constraints of positions."""
        return len(self.contribution.constraints)

    @cached_property
    def derived(self) -> Derived:
        """The programs that run."""
        return derive(self)


@dataclass(frozen=True, kw_only=True)
class Derived:
    """The programs of a kernel, each made of its nodes when it is first asked for.

    dynamics   r, g, h with the acceleration part of a constant mass matrix left out; None if all vanish
    plan       its Taylor plan
    matrix     entries of H (lower triangle) and G that change with q; None if there are none
    constant   entries of H and G that do not
    mass       the entries (i, j) of M, of which H has more
    levels     g, ġ, g̈ for (q, u, a); for a constraint of velocities 0, h, ḣ
    energy     T, each potential V, the power P of each effort, the dissipated power D, the power L of what changes
               with time, and gt: ∂g/∂t or b of h = A u + b
    residual   all of r
    quick      whether M depends on speeds
    periodic   for each coordinate whether it matters only up to whole turns
    switches   s: what changes sign where a piecewise operation changes its piece; k: where a curve does
    cursors    the curves it reads, one for each argument
    rates      n, the rates ė of its followers; None if it has none
    rate_plan  its Taylor plan
    turning    the coordinates whose speeds move followers
    """

    builder: Builder
    nodes: Mapping[str, Mapping[str, Sequence[int]]]  # of programs, by their names and those of their outputs
    matrix_entries: tuple[tuple[str, int, int], ...]
    constant_entries: tuple[tuple[str, int, int], ...]
    mass: frozenset[tuple[int, int]]
    constant_mass: bool
    quick: bool
    cursors: tuple[Curve, ...]
    turning: tuple[int, ...]

    def _program(self, name: str) -> Program:
        return self.builder.program(**self.nodes[name])

    @cached_property
    def dynamics(self) -> Hoisted | None:
        """What runs in each stage of an expansion."""
        return hoist(self._program("dynamics")) if "dynamics" in self.nodes else None

    @cached_property
    def plan(self) -> Plan | None:
        """Its Taylor plan."""
        return plan_taylor(self.dynamics.body, OFFSETS) if self.dynamics else None

    @cached_property
    def matrix(self) -> Hoisted | None:
        """Entries of the matrix that change."""
        return hoist(self._program("matrix")) if self.matrix_entries else None

    @cached_property
    def constant(self) -> Hoisted:
        """Entries that do not."""
        return hoist(self._program("constant"))

    @cached_property
    def levels(self) -> Program:
        """Constraints and their derivatives."""
        return self._program("levels")

    @cached_property
    def energy(self) -> Program:
        """Energies and powers."""
        return self._program("energy")

    @cached_property
    def residual(self) -> Program:
        """The balance of forces."""
        return self._program("residual")

    @cached_property
    def periodic(self) -> tuple[bool, ...]:
        """For each coordinate whether it matters only up to whole turns."""
        return _periodic(self._program("all"), len(self.nodes["all"]["r"]))

    @cached_property
    def switches(self) -> Program:
        """Where laws change."""
        return self._program("switches")

    @cached_property
    def rates(self) -> Hoisted | None:
        """The rates of followers."""
        return hoist(self._program("rates")) if "rates" in self.nodes else None

    @cached_property
    def rate_plan(self) -> Plan | None:
        """Their Taylor plan."""
        return plan_taylor(self.rates.body, RATE_OFFSETS) if self.rates else None


def accelerations(u: SimpleNamespace) -> SimpleNamespace:
    """The accelerations that belong to the speeds a kernel is given, by the same names."""
    return SimpleNamespace(**{key: symbol(f"{speed.name}'", kind="acceleration") for key, speed in vars(u).items()})


def kernel(coordinates: str, parameters: str, followers: str = "") -> Callable[[Define], Kernel]:
    """Make a kernel of a function of (q, u, p); names are separated by spaces. Followers are among q."""

    def make(define: Define) -> Kernel:
        return Kernel(
            name=define.__name__,
            coordinates=tuple(coordinates.split()),
            parameters=tuple(parameters.split()),
            define=define,
            followers=tuple(followers.split()),
            kind=define.__name__.rstrip("3"),
        )

    return make


def _find_kernel(module: str, name: str) -> Kernel:
    found: Kernel = getattr(import_module(module), name)
    return found


_KNOWN: WeakValueDictionary[str, Kernel] = WeakValueDictionary()


def known_kernel(
    name: str,
    coordinates: tuple[str, ...],
    parameters: tuple[str, ...],
    c: Contribution,
    followers: tuple[str, ...] = (),
    kind: str = "",
) -> Kernel:
    """The kernel of a contribution under a name that tells its content, one object while it is in use."""

    def define(q: SimpleNamespace, u: SimpleNamespace, p: SimpleNamespace) -> Contribution:
        return c

    made = Kernel(
        name=name, coordinates=coordinates, parameters=parameters, define=define, followers=followers, kind=kind
    )
    return _KNOWN.setdefault(name, made)


class Trace:
    """A kernel lowered into a builder: the nodes of q, e, u, a, λ and of T, V, g, h and ė = n."""

    def __init__(self, k: Kernel) -> None:
        b = self.b = Builder()
        self.q = [b.input("q", i, name) for i, name in enumerate(k.coordinates)]
        self.u = [b.input("u", i, f"{name}'") for i, name in enumerate(k.coordinates)]
        self.a = [b.input("a", i, f"{name}''") for i, name in enumerate(k.coordinates)]
        # a follower is a local place behind the coordinates
        self.e = [b.input("e", len(self.q) + i, name) for i, name in enumerate(k.followers)]
        p = self.p = [b.input("p", i, name) for i, name in enumerate(k.parameters)]
        sq, su, sp = k.symbols
        sa = vars(accelerations(SimpleNamespace(**su)))
        nodes: dict[Symbol, int] = {}
        for symbols, inputs in ((sq, self.q), (k.follower_symbols, self.e), (su, self.u), (sa, self.a), (sp, p)):
            nodes.update(zip(symbols.values(), inputs, strict=True))
        self.t = nodes[TIME] = b.input("t", 0, "t")
        memo: dict[Node, int] = {}
        c = k.contribution
        nested = nest_sums([*c.balance.values(), *c.mass.values(), c.kinetic]) if c.balance else None
        for name, expr in c.shared.items():
            nodes[name] = lower(b, expr, nodes, memo, nested)
        self.T = lower(b, c.kinetic, nodes, memo, nested)
        self.potentials = {kind: lower(b, expr, nodes, memo) for kind, expr in c.potential.items()}
        self.R = lower(b, c.dissipation, nodes, memo)
        self.efforts = [(lower(b, e, nodes, memo), lower(b, f, nodes, memo)) for e, f in c.efforts]
        self.g = [lower(b, expr, nodes, memo) for expr in c.constraints]
        self.h = [lower(b, expr, nodes, memo) for expr in c.velocity_constraints]
        self.rates = {k.coordinates.index(name): lower(b, expr, nodes, memo) for name, expr in c.rates.items()}
        own = {name: lower(b, expr, nodes, memo, nested) for name, expr in c.balance.items()}
        self.balance = {k.coordinates.index(name): node for name, node in own.items()}
        self.mass: dict[tuple[int, int], int] = {}
        for pair, expr in c.mass.items():
            i, j = (k.coordinates.index(name) for name in pair)
            self.mass[i, j] = self.mass[j, i] = lower(b, expr, nodes, memo, nested)
        self.n = [lower(b, c.kinematics[name], nodes, memo) for name in k.followers]
        self.N = jacobian(b, self.n, self.u)
        # a multiplier is a local unknown behind them
        before = len(self.q) + len(self.e)
        self.lam = [b.input("lam", before + i, f"lambda{i}") for i in range(k.constraint_count)]
        self.w = [b.input("p", len(p) + i, f"w{i}") for i in range(k.constraint_count)]

    @property
    def shape(self) -> dict[int, int]:
        """How everything moves in time: q at the rate u, e at the rate n, u at the rate a, t at the rate 1."""
        moving = zip((*self.q, *self.e, *self.u), (*self.u, *self.n, *self.a), strict=True)
        return dict(moving) | {self.t: self.b.one}

    def along(self, outputs: Sequence[int]) -> dict[tuple[int, int], int]:
        """∂ẏ/∂u of outputs y(q, e, t): by the chain rule ∂y/∂q + ∂y/∂e N, the same as ∂y/∂q where nothing follows."""
        b, found = self.b, jacobian(self.b, outputs, self.q)
        for (i, k), partial in jacobian(b, outputs, self.e).items():
            for j in range(len(self.u)):
                if (k, j) in self.N:
                    found[i, j] = b.add(found.get((i, j), b.zero), b.mul(partial, self.N[k, j]))
        return {place: node for place, node in found.items() if node != b.zero}

    def rates_of_constraints(self) -> tuple[list[int], list[int]]:
        """ġ and g̈; for a constraint of velocities h and ḣ."""
        g1 = [*forward(self.b, self.g, self.shape), *self.h]
        return g1, forward(self.b, g1, self.shape)

    def still(self, nodes: Sequence[int]) -> list[int]:
        """The same with all speeds zero."""
        return replace_nodes(self.b, nodes, dict.fromkeys(self.u, self.b.zero))


class Balance:
    """The balance of forces of a kernel, as nodes: r = Ṁu-terms + M a − ∂(T − V)/∂q + ∂R/∂u − Σ e ∂f/∂u + Gᵀλ.

    In the rows of first-order states r = a − d. If the kernel gives its own balance, that is Ṁu-terms + M a − ∂T/∂q.
    """

    def __init__(self, trace: Trace, V: int) -> None:
        b, q, u = trace.b, trace.q, trace.u
        self.momentum = reverse(b, {trace.T: b.one}, u)
        given = [trace.balance.get(i, b.zero) for i in range(len(q))]
        by_rates = trace.mass or jacobian(b, given, trace.a) if trace.balance else jacobian(b, self.momentum, u)
        self.M = {place: node for place, node in by_rates.items() if node != b.zero}
        self.M |= {(i, i): b.one for i in trace.rates}
        self.G = trace.along(trace.g)
        self.G |= {(len(trace.g) + i, j): entry for (i, j), entry in jacobian(b, trace.h, u).items()}

        inertia = given if trace.balance else forward(b, self.momentum, trace.shape)
        forces = reverse(b, {V: b.one} if trace.balance else {trace.T: b.constant(-1.0), V: b.one}, q)
        # the work of V on followers is done by the speeds that move them: Nᵀ ∂V/∂e
        for (_, j), entry in jacobian(b, [V], trace.e).items():
            for i in range(len(q)):
                forces[i] = b.add(forces[i], b.mul(trace.N.get((j, i), b.zero), entry))
        self.damping = reverse(b, {trace.R: b.one}, u)
        applied = self._apply(trace)
        reaction = self._react(trace)
        self.full = [b.total(parts) for parts in zip(inertia, forces, self.damping, applied, reaction, strict=True)]
        for i, rate in trace.rates.items():
            self.full[i] = b.sub(trace.a[i], rate)

    def _apply(self, trace: Trace) -> list[int]:
        """The forces −Σ e ∂f/∂u of efforts; where something follows by adjoints if that takes fewer products."""
        b = trace.b
        one = [b.zero] * len(trace.q)
        for (i, j), entry in jacobian(b, [flow for _, flow in trace.efforts], trace.u).items():
            one[j] = b.sub(one[j], b.mul(entry, trace.efforts[i][0]))
        if not trace.e:
            return one
        seeds: dict[int, int] = {}
        for effort, flow in trace.efforts:
            seeds[flow] = b.sub(seeds.get(flow, b.zero), effort)
        return min(one, reverse(b, seeds, trace.u), key=lambda nodes: _products(b, nodes))

    def _react(self, trace: Trace) -> list[int]:
        """The forces Gᵀλ of constraints.

        Entry by entry, or where something follows by the adjoints of λ·g, (λ·g)_q + Nᵀ (λ·g)_e, which several
        constraints share: what takes fewer products of series.
        """
        b = trace.b

        def by_entries(first: int) -> list[int]:
            found = [b.zero] * len(trace.q)
            for (i, j), entry in self.G.items():
                if i >= first:
                    found[j] = b.add(found[j], b.mul(entry, trace.lam[i]))
            return found

        one = by_entries(0)
        if not trace.e:
            return one
        seeds: dict[int, int] = {}
        for node, lam in zip(trace.g, trace.lam, strict=False):
            seeds[node] = b.add(seeds.get(node, b.zero), lam)
        adjoint = reverse(b, seeds, [*trace.q, *trace.e])
        other = by_entries(len(trace.g))
        for j in range(len(trace.q)):
            along = (b.mul(entry, adjoint[len(trace.q) + k]) for (k, i), entry in trace.N.items() if i == j)
            other[j] = b.total([other[j], adjoint[j], *along])
        return min(one, other, key=lambda nodes: _products(b, nodes))


def _products(b: Builder, nodes: Sequence[int]) -> int:
    """How many products of two things that change in time nodes are made of."""
    changing = (*MOVING, "lam")
    both = (b.nodes[n].args for n in b.ancestors(nodes) if b.nodes[n].op == "mul")
    return sum(all(depends(b, arg, changing) for arg in args) for args in both)


def derive(k: Kernel) -> Derived:
    """Differentiate a kernel's energies and constraints into the programs that run."""
    check_time("the derivation of the equations")
    trace = Trace(k)
    b, u = trace.b, trace.u
    V = b.total(trace.potentials.values())
    balance = Balance(trace, V)
    M, G, damping, full = balance.M, balance.G, balance.damping, balance.full

    check_forms(trace, balance)
    constant_mass = not any(depends(b, node, MOVING) for node in M.values())
    rest = replace_nodes(b, full, dict.fromkeys(trace.a, b.zero)) if constant_mass else full
    idle = all(n == b.zero for n in rest) and not trace.g and not trace.h
    entries, constants = _matrix_entries(trace, M, G)

    g1, g2 = trace.rates_of_constraints()
    whole: dict[str, Sequence[int]] = {"r": full, "g": trace.g, "h": trace.h}
    # all nodes are made here, so that programs are the same whichever is asked for first
    nodes: dict[str, dict[str, Sequence[int]]] = {
        "matrix": {"F": [*entries.values()]},
        "constant": {"F": [*constants.values()]},
        "levels": {"g": [*trace.g, *([b.zero] * len(trace.h))], "g1": g1, "g2": g2},
        "energy": {
            "T": [_kinetic(trace, balance)],
            "V": [*trace.potentials.values()],
            "P": [b.mul(effort, flow) for effort, flow in trace.efforts],
            "D": [b.total(b.mul(force, speed) for force, speed in zip(damping, u, strict=True))],
            "L": forward(b, [b.sub(V, trace.T)], {trace.t: b.one}),
            "gt": [*forward(b, trace.g, {trace.t: b.one}), *trace.still(trace.h)],
        },
        "residual": {"r": full},
        "all": whole,
        "switches": {name: find(b, [n for group in whole.values() for n in group]) for name, find in SWITCHING.items()},
    }
    if not idle:
        nodes["dynamics"] = whole | {"r": rest}
    if trace.n:
        nodes["rates"] = {"n": trace.n}
    return Derived(
        builder=b,
        nodes=nodes,
        matrix_entries=tuple(entries),
        constant_entries=tuple(constants),
        mass=frozenset((i, j) for (i, j), node in M.items() if i >= j and node != b.zero),
        constant_mass=constant_mass,
        quick=any(depends(b, node, ("u",)) for node in M.values()),
        cursors=tuple(curve for curve, _ in b.cursors),
        turning=tuple(sorted({j for _, j in trace.N})),
    )


def _kinetic(trace: Trace, balance: Balance) -> int:
    """The kinetic energy that takes part in the balance: u·∂T/∂u − T, which is T itself if that is quadratic in u."""
    b, momentum = trace.b, balance.momentum
    quick = any(depends(b, node, ("u",)) for node in balance.M.values())
    if not quick and all(p == b.zero for p in trace.still(momentum)):
        return trace.T
    return b.sub(b.total(b.mul(p, u) for p, u in zip(momentum, trace.u, strict=True)), trace.T)


def _switches(b: Builder, nodes: Sequence[int]) -> list[int]:
    """What changes sign where a piecewise operation changes its piece, unless parameters alone decide."""
    return [n for n in find_switches(b, nodes) if depends(b, n, MOVING)]


def _sides(b: Builder, nodes: Sequence[int]) -> list[int]:
    """What changes sign at the knots of each curve."""
    curves = (b.nodes[n] for n in sorted(b.ancestors(nodes)) if b.nodes[n].op == "curve")
    found = dict.fromkeys(b.emit("side", *node.args, curve=node.curve) for node in curves)
    return [n for n in found if depends(b, n, MOVING)]


SWITCHING = {"s": _switches, "k": _sides}  # outputs of the program of switches


def _periodic(program: Program, count: int) -> tuple[bool, ...]:
    """For each coordinate whether it enters as sin and cos only."""
    found = [True] * count
    for node in program.nodes:
        for arg in node.args:
            source = program.nodes[arg].source
            if source is not None and source.kind == "q" and node.op not in ("sin", "cos"):
                found[source.index] = False
    for group in program.outputs.values():
        for n in group:
            source = program.nodes[n].source
            if source is not None and source.kind == "q":
                found[source.index] = False
    return tuple(found)


Entries = dict[tuple[str, int, int], int]


def _matrix_entries(
    trace: Trace, M: Mapping[tuple[int, int], int], G: Mapping[tuple[int, int], int]
) -> tuple[Entries, Entries]:
    """Lower triangle of H = M + Gᵀ W G and all of G, split into entries that change and entries that do not."""
    b = trace.b
    H: dict[tuple[int, int], int] = {(i, j): node for (i, j), node in M.items() if i >= j}
    for (c, i), left in G.items():
        for (d, j), right in G.items():
            if c == d and i >= j:
                H[i, j] = b.add(H.get((i, j), b.zero), b.mul(trace.w[c], b.mul(left, right)))
    found: Entries = {("H", i, j): node for (i, j), node in sorted(H.items()) if node != b.zero}
    found |= {("G", i, j): node for (i, j), node in sorted(G.items())}
    moving = {key: node for key, node in found.items() if depends(b, node, MOVING)}
    return moving, {key: node for key, node in found.items() if key not in moving}
