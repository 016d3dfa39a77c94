"""What is exported of a model: its state, parameters, multipliers, outputs and events by name, and its functions.

The state y has the positions, what follows them, the speeds and the first-order states.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import Absolute, System
from linkwork.errors import InputError, Problem
from linkwork.export.acting import Acting, plan_acts
from linkwork.export.bounds import Bound, list_bounds
from linkwork.export.code import Code, Function, Plan, make_code
from linkwork.export.fuse import Fused, fuse, inline
from linkwork.export.loops import follow, plan_loop
from linkwork.export.modes import Modes, Numbered, needs_modes, plan_modes
from linkwork.export.outputs import Seen, list_outputs, see
from linkwork.export.poses import tell_pose
from linkwork.export.sampling import Controller, count_first, list_controllers, list_inner, list_reads, plan_sampling
from linkwork.export.solved import Solved, Start, solve
from linkwork.export.stubs import Stub, list_stubs
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.opaque import label_calls
from linkwork.model.own import Own, OwnEquations
from linkwork.model.units import find_unit
from linkwork.program import Input, jacobian, replace_nodes
from linkwork.symbolic import evaluate_all, free_symbols

MAKERS = (
    "Some parameters make the start, too, as the table of parameters says. The start stays as it was written whatever "
    "their values are, and constraints are closed from there: export again for the start that other values make."
)
SMALL = 1000  # values in the equations that a document shows
SAMPLES = 2  # states at which speeds must tell rates and rates speeds
SAME = 1e-9  # to which they do


class Named(NamedTuple):
    """Something with a name: its value, its unit and what it is, in words."""

    name: str
    value: float = 0.0
    unit: str = ""
    words: str = ""


class Watched(NamedTuple):
    """A function whose sign changes where something happens: an event, which may end the run, or a law's next piece."""

    name: str
    direction: int = 0
    stop: bool = False
    event: bool = False


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A model as it is exported, in no language.

    source     the file that it is from, if there is one
    counts     of positions, followers, speeds and first-order states in y
    places     where the inputs of programs are: in y, dy or lambda; labels are their names
    scales     the sizes of the entries of y
    stubs      functions that are to be filled in
    controllers  that are sampled
    settled    values in laws that belong to the same instant, with numbers near them
    modes      who holds when, where constraints come and go
    makers     the parameters that make the start, too, which stays as it was written
    notes      what is worth knowing, in words
    """

    title: str
    name: str
    source: str
    states: tuple[Named, ...]
    counts: tuple[int, int, int, int]
    parameters: tuple[Named, ...]
    inputs: tuple[Named, ...]
    multipliers: tuple[Named, ...]
    outputs: tuple[Named, ...]
    watched: tuple[Watched, ...]
    acts: tuple[Acting, ...]
    t0: float
    tend: float
    code: Code
    places: Mapping[Input, tuple[str, int]]
    labels: Mapping[Input, str]
    parameter_names: tuple[str, ...]
    input_names: tuple[str, ...]
    scales: tuple[float, ...]
    stubs: tuple[Stub, ...]
    controllers: tuple[Controller, ...]
    settled: tuple[Named, ...]
    modes: Modes | None
    notes: tuple[str, ...]
    makers: frozenset[str] = frozenset()

    def marked(self, makers: frozenset[str]) -> Exported:
        """The same, with these parameters marked as those that make the start."""
        words = dict.fromkeys(makers, "makes the start, too")
        parameters = (n._replace(words=words.get(n.name, n.words)) for n in self.parameters)
        notes = (*self.notes, MAKERS) if makers else self.notes
        return replace(self, makers=makers, parameters=tuple(parameters), notes=notes)

    @property
    def is_small(self) -> bool:
        """Whether its equations fit on a few pages."""
        residual = next(f for f in self.code.functions if f.name == "residual")
        return sum(tree.size for tree in residual.trees) <= SMALL

    @property
    def acted(self) -> frozenset[str]:
        """The inputs that events and controllers change."""
        of_events = (target.name for act in self.acts for target in act.targets if target.name)
        of_grips = (name for names in (self.modes.sliding if self.modes else ()) for name in names)
        return frozenset((*of_events, *of_grips, *(name for c in self.controllers for name in c.held)))

    @property
    def told(self) -> tuple[Watched, ...]:
        """All that may be told: events, then what stops and friction do."""
        return (*self.watched, *(Watched(name, event=True) for name in (self.modes.told if self.modes else ())))

    @property
    def written(self) -> str:
        """By whom, and from what."""
        return f"written by linkwork from {self.source}" if self.source else "written by linkwork"

    def is_state(self, source: Input | None) -> bool:
        """Whether an input is an entry of the state."""
        return source is not None and self.places.get(source, ("", 0))[0] == "y"

    def settles(self, f: Function) -> bool:
        """Whether a function reads values that are to be settled before."""
        names = {n.name for n in self.settled}
        read = {self.input_names[s.index] for s in f.inputs if s.kind == "w"}
        return f.name not in ("loop", "terms") and not names.isdisjoint(read)

    @property
    def corrects(self) -> bool:
        """Whether there is anything that integration may drift off."""
        return self.modes is not None or any(function.name == "correct" for function in self.code.functions)


class Origin(NamedTuple):
    """Where an export comes from: a description, its System in points, a consistent start, and until when it runs.

    absolute   the same in absolute coordinates, if these are exported
    """

    mechanism: Mechanism | Lagrangian
    system: System
    t: float
    q: Floats
    u: Floats
    tend: float
    name: str
    source: str
    absolute: Absolute | None = None


# positions with followers, and speeds, at the start
First = tuple[Floats, Floats]
# the equations solved, and the start
Prepared = tuple[Solved, First]


class Planned(NamedTuple):
    """The functions of the equations, what events do, who holds when, what is worth knowing of it; bounds of values."""

    plans: list[Plan]
    acts: list[Acting]
    modes: Modes | None = None
    notes: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()


def describe(
    origin: Origin,
    more: bool = False,
    *,
    calls: bool = True,
    only: Collection[str] | None = None,
    prepared: Prepared | None = None,
    asked: Sequence[Plan] = (),
) -> Exported:
    """All that is exported; with `more` also the mass matrix and the derivatives of the rates; or `only` some of it.

    What else is `asked` for are functions of nodes of what was prepared.

    Without `calls` the values of functions that nobody can look into are inputs, and their arguments outputs, those of
    controllers alike.
    """
    check_exportable(origin, more or "jacobian" in (only or ()))
    wanted = {"mass", "jacobian"} if more else set(only or ())
    if needs_modes(origin.system):
        fused, (q, u) = expand(origin, calls)
        planned, solved = _plan_switched(fused), None
    else:
        solved, (q, u) = prepared or prepare(origin, calls)
        fused = solved.fused
        planned = _plan_solved(solved, wanted, Start(fused, q, u, origin.t))
    shown = _show(origin, fused, planned, calls)
    watched, events = _list_events(fused)
    plans = [
        *planned.plans,
        *_plan_array("outputs", "out", "", list(shown.outputs.values())),
        *_plan_array("events", "s", "", events),
        *(plan_sampling(origin.mechanism, shown.seen, shown.controllers) if shown.controllers else ()),
    ]
    planned = planned._replace(
        plans=[*(plan for plan in plans if only is None or plan.name in only), *asked],
        bounds=tuple(list_bounds(origin.mechanism, fused, solved)),
    )
    places = q[: fused.system.n + len(fused.system.followers)]
    return _assemble(origin, fused, planned, shown, watched, (places, u))


class Shown(NamedTuple):
    """What can be seen of a model: outputs by name, controllers, and the labels of calls that are not made."""

    seen: Seen
    outputs: dict[str, int]
    controllers: list[Controller]
    labels: Mapping[str, str]
    calls: bool


def _show(origin: Origin, fused: Fused, planned: Planned, calls: bool) -> Shown:
    """Outputs, and what controllers and friction hold among them."""
    mechanism, seen = origin.mechanism, see(fused, origin.absolute)
    controllers = list_controllers(mechanism, calls)
    sliding = planned.modes.sliding if planned.modes else ()
    held = [*(name for c in controllers for name in c.shown), *(name for some in sliding for name in some)]
    outputs = list_outputs(mechanism, seen, [*held, *fused.values])
    labels = {} if calls else label_calls(mechanism.opaque)
    outputs |= {f"{labels[name]} {i + 1}": x for name, xs in fused.asked.items() if labels for i, x in enumerate(xs)}
    outputs |= list_reads(mechanism, seen) if not calls else {}
    return Shown(seen, outputs, controllers, labels, calls)


def _assemble(
    origin: Origin, fused: Fused, planned: Planned, shown: Shown, watched: Sequence[Watched], first: First
) -> Exported:
    """Everything by its name, with values at the start and units."""
    system, mechanism, labels = fused.system, origin.mechanism, shown.labels
    layout, start, units = Layout(system, fused.own), np.concatenate(first), mechanism.units
    code = make_code(fused.b, planned.plans, [(x.node, x.wrong, "together" if x.of else "") for x in planned.bounds])
    return Exported(
        title=mechanism.title or origin.name,
        name=origin.name,
        source=origin.source,
        states=tuple(
            Named(name, float(start[at]), find_unit(units, name) or unit, words)
            for name, at, unit, words in layout.describe(len(first[0]), origin)
        ),
        counts=layout.counts,
        parameters=tuple(Named(name, value, units.get(name, "")) for name, value in _free_parameters(origin).items()),
        inputs=tuple(_list_inputs(origin, labels, shown.calls, units)),
        multipliers=tuple(
            Named(name, 0.0, "", f"of {row.owner}") for name, row in zip(system.multipliers, system.rows, strict=True)
        ),
        outputs=tuple(_describe_outputs(shown.outputs, mechanism, shown.seen.system, units)),
        watched=tuple(watched),
        acts=tuple(planned.acts),
        t0=origin.t,
        tend=origin.tend,
        code=code,
        places=layout.places(),
        labels=layout.labels(),
        parameter_names=tuple(system.parameters),
        input_names=tuple(labels.get(name, name) for name in system.inputs),
        stubs=list_stubs(mechanism, system, code.called) if shown.calls else (),
        controllers=tuple(shown.controllers),
        settled=tuple(_list_settled(origin, units)),
        scales=tuple(layout.scales()),
        modes=planned.modes,
        notes=planned.notes,
    )


def _describe_outputs(
    names: Iterable[str], mechanism: Mechanism | Lagrangian, system: System, units: Mapping[str, str]
) -> Iterable[Named]:
    """Outputs with their units and what they are."""
    long_names = mechanism.long_names if isinstance(mechanism, Lagrangian) else {}
    points = {i for at in system.chart.points.values() for i in at}
    for name in names:
        unit = "J" if name.endswith(" energy") else "m" if system.index.get(name) in points else units.get(name, "")
        yield Named(name, unit=unit, words=long_names.get(name, ""))


def expand(origin: Origin, calls: bool = True, own: Own | None = None) -> tuple[Fused, First]:
    """The equations as one program, and positions with followers and speeds at the start.

    own   equations in speeds of their own, if not those of the mechanism
    """
    system, q, u = origin.system, origin.q, origin.u
    if origin.absolute is not None:
        system = origin.absolute.system
        q, u = origin.absolute.place(q, u)
    if own is None and isinstance(origin.mechanism, Lagrangian):
        own = origin.mechanism.own
    fused, u = (own and _fuse_own(origin, q, u, calls, own.equations)) or (
        fuse(system, origin.mechanism.parameters, calls=calls),
        u,
    )
    return fused, (q, u)


def prepare(origin: Origin, calls: bool = True, own: Own | None = None) -> Prepared:
    """The equations solved, and the start."""
    fused, (q, u) = expand(origin, calls, own)
    masses = origin.mechanism.masses if isinstance(origin.mechanism, Mechanism) else ()
    return solve(fused, q, u, origin.t, masses), (q, u)


def _fuse_own(origin: Origin, q: Floats, u: Floats, calls: bool, own: OwnEquations) -> tuple[Fused, Floats] | None:
    """In speeds of their own and what these are at the start, if they tell the rates."""
    m, system = origin.mechanism, origin.system
    names = system.coordinates

    def by_rates(q: Floats, rates: Floats) -> Floats:
        values = {**system.parameters, "t": origin.t, **dict(zip(names, q, strict=False))}
        values |= {f"{name}'": rate for name, rate in zip(names, rates, strict=True)}
        return np.array([*evaluate_all(own.definitions.values(), values), *rates[len(own.definitions) :]])

    fused = fuse(system, m.parameters, own, calls=calls)
    # what is small may have been cut on the way from the rates and back
    for seed in range(SAMPLES):
        some = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, system.n))
        place = np.concatenate([some[0], q[system.n :]])
        (rates,) = Start(fused, place, some[1], origin.t).compute(rates=fused.rates)
        if not np.allclose(by_rates(place, rates), some[1], rtol=0.0, atol=SAME):
            return None
    return fused, by_rates(q, u)


def _list_inputs(origin: Origin, labels: Mapping[str, str], calls: bool, units: Mapping[str, str]) -> Iterable[Named]:
    """The inputs that are not computed; labels are those of calls that are not made."""
    system = origin.system
    called = {value.name for value in system.opaque} - labels.keys() | {value.name for value in system.algebra}
    values = dict(zip(system.inputs, system.inputs_in(origin.q).tolist(), strict=True))
    values |= count_first(origin.mechanism, origin.t)
    called |= set() if calls else list_inner(origin.mechanism)
    return [
        Named(labels.get(name, name), value, units.get(name, ""))
        for name, value in values.items()
        if name not in called
    ]


def _list_settled(origin: Origin, units: Mapping[str, str]) -> Iterable[Named]:
    """The algebraic values at the start."""
    system = origin.system
    at_start = dict(zip(system.inputs, system.inputs_in(origin.q).tolist(), strict=True))
    return [Named(value.name, at_start[value.name], units.get(value.name, "")) for value in system.algebra]


def check_exportable(origin: Origin, more: bool = False) -> None:
    """Refuse in words what exported code could not do."""
    system, found = origin.system, list[str]()
    if needs_modes(system) and more:
        found.append("derivatives with stops, friction that sticks, or constraints that go on and off")
    if found:
        what = f"exported code cannot have {', '.join(found)} yet"
        raise InputError([Problem(part="export", what=what, remedy="Leave them out, or run the model here")])


def _free_parameters(origin: Origin) -> dict[str, float]:
    """The parameters that do not follow from others."""
    formulas = origin.mechanism.parameters
    return {name: value for name, value in origin.system.parameters.items() if not free_symbols(formulas[name])}


class Layout:
    """Where the variables of a System are in the state y."""

    def __init__(self, system: System, own: OwnEquations | None = None) -> None:
        self.system = system
        speeds = [f"{name}'" for name in system.coordinates]
        self.speeds = speeds if own is None else [*own.definitions, *speeds[len(own.definitions) :]]
        self.moving = np.flatnonzero(system.mechanical).tolist()
        self.first_order = list(system.states.values())
        self.counts = (len(self.moving), len(system.followers), len(self.moving), len(self.first_order))

    def arrange(self, q: Sequence[int], e: Sequence[int], u: Sequence[int]) -> list[int]:
        """Values of positions, followers and speeds, in the order of y."""
        return [*(q[i] for i in self.moving), *e, *(u[i] for i in self.moving), *(u[i] for i in self.first_order)]

    def places(self) -> dict[Input, tuple[str, int]]:
        """Where the inputs of programs are: in y, its rate dy, lambda."""
        n, behind, _, _ = self.counts
        first = n + behind
        found: dict[Input, tuple[str, int]] = {}
        for k, i in enumerate(self.moving):
            found |= {Input("q", i): ("y", k), Input("u", i): ("y", first + k), Input("a", i): ("dy", first + k)}
        for k, i in enumerate(self.first_order):
            found |= {Input("u", i): ("y", first + n + k), Input("a", i): ("dy", first + n + k)}
        found |= {Input("e", k): ("y", n + k) for k in range(behind)}
        found |= {Input("lam", k): ("lambda", k) for k in range(self.system.m)}
        return found | {Input("v", k): ("vv", k) for k in range(self.system.n)}

    def labels(self) -> dict[Input, str]:
        """The names of these."""
        s = self.system
        found: dict[Input, str] = {}
        for i in self.moving:
            name = s.coordinates[i]
            found |= {Input("q", i): name, Input("u", i): self.speeds[i], Input("a", i): f"{self.speeds[i]}'"}
        for name, i in s.states.items():
            found |= {Input("u", i): name, Input("a", i): f"{name}'"}
        found |= {Input("e", k): name for k, name in enumerate(s.followers)}
        found |= {Input("v", k): f"v {self.speeds[i]}" for k, i in enumerate([*self.moving, *self.first_order])}
        return found | {Input("lam", k): name for k, name in enumerate(s.multipliers)}

    def describe(self, behind: int, origin: Origin) -> list[tuple[str, int, str, str]]:
        """Name, place in (q, u), unit and words of each entry of y."""
        # coordinates of mechanisms are in m and rad; where poses carry parts, names tell what is what
        measured, posed = isinstance(origin.mechanism, Mechanism), origin.absolute is not None
        s, found = self.system, list[tuple[str, int, str, str]]()
        points = {i for at in s.chart.points.values() for i in at} if measured else set[int]()
        angles = {*s.chart.angles.values()} if measured else set[int]()
        told = {i: tell_pose(s.coordinates[i]) if posed else None for i in self.moving}
        for i in self.moving:
            unit = "rad" if i in angles else "m" if i in points else ""
            pose = told[i]
            found.append((s.coordinates[i], i, pose.unit if pose else unit, pose.place if pose else "position"))
        speeds = [(self.speeds[i], behind + i, f"{unit}/s" if unit else "", told[i]) for _, i, unit, _ in found]
        for k, name in enumerate(s.followers):
            pose = tell_pose(name) if posed else None
            found.append((name, s.n + k, pose.unit if pose else "", pose.place if pose else "follower"))
        found += [(name, at, unit, pose.speed if pose else "speed") for name, at, unit, pose in speeds]
        return found + [(name, behind + i, "", "state") for name, i in s.states.items()]

    def scales(self) -> list[float]:
        """The sizes by which errors are judged, in the order of y; of speeds and states not known."""
        _, behind, _, states = self.counts
        sizes = self.system.scales[self.moving].tolist()
        return [*sizes, *[1.0] * behind, *sizes, *[1.0] * states]


def _plan_solved(s: Solved, wanted: Collection[str], at: Start) -> Planned:
    """All constraints hold at all times."""
    layout = Layout(s.fused.system, s.fused.own)
    acts, values = plan_acts(s, layout.places())
    plans = [
        _plan_rhs(s, layout),
        _plan_residual(s.fused, layout),
        *_plan_corrections(s, layout),
        *_plan_array("acts", "a", "", values),
        *plan_loop(s),
        *(_plan_mass(s, layout) if "mass" in wanted else ()),
        *(_plan_jacobian(s, layout, at) if "jacobian" in wanted else ()),
    ]
    return Planned(plans, acts, None, tuple(_note(s)))


def _plan_switched(f: Fused) -> Planned:
    """Constraints come and go."""
    layout = Layout(f.system, f.own)
    at = Numbered(f, [*layout.moving, *layout.first_order], layout.places())
    modes, acts, plans = plan_modes(at)
    shape = layout.arrange([f.b.zero] * f.system.n, _normalise(f, [f.b.zero] * len(f.n)), [f.b.zero] * f.system.n)
    plans += _plan_array("constraints", "g", "dg", f.g, f.g1)
    plans += _plan_array("renorm", "dy", "", shape) if f.system.invariants else []
    return Planned([_plan_residual(f, layout), *plans], acts, modes)


def _plan_rhs(s: Solved, layout: Layout) -> Plan:
    """q̇ = u, ė = n, M a + Gᵀλ = f, G a = c."""
    f, b, n = s.fused, s.fused.b, s.fused.system.n
    masses = [(f"M_{i + 1}_{j + 1}", node) for (i, j), node in f.M.items()]
    G = [(f"G_{row + 1}_{j + 1}", node) for (row, j), node in f.G.items()]
    c = [(f"c_{row + 1}", b.neg(node)) for row, node in enumerate(f.gamma)]
    factors = []
    for k in s.factors.order:
        factors.append((f"d_{k + 1}", s.factors.inverse[k]))
        factors += [(f"L_{i + 1}_{k + 1}", node) for i, node in s.factors.columns[k].items()]
    x = [(f"x_{k + 1}", node) for k, node in enumerate((*s.a, *s.lam))]
    sections = [
        ("mass matrix M, lower triangle", masses),
        ("constraint matrix G", G),
        ("forces f: M a + G' lambda = f", [(f"f_{i + 1}", s.right[i]) for i in range(n)]),
        ("right-hand side c: G a = c", c),
        ("factors L and inverse pivots d of the matrix of both", factors),
        ("solution x: accelerations, then multipliers", [x[k] for k in reversed(s.factors.order)]),
    ]
    results = {"dy": layout.arrange(f.rates, f.n, s.a)}
    if f.system.m:
        results["lambda"] = s.lam
    return Plan("rhs", sections, results)


def _plan_residual(f: Fused, layout: Layout) -> Plan:
    """M a + Gᵀλ − f, by speed, in the order of y."""
    return Plan("residual", [], {"r": [*(f.r[i] for i in layout.moving), *(f.r[i] for i in layout.first_order)]})


def _plan_corrections(s: Solved, layout: Layout) -> list[Plan]:
    """How far the constraints are from being kept, and what makes up for it: of positions and speeds at once."""
    f, b, system = s.fused, s.fused.b, s.fused.system
    plans = []
    if not system.m and not system.invariants:
        return []
    if system.m:
        plans += _plan_array("constraints", "g", "dg", f.g, f.g1)
        dq, du = s.correct(f.g), s.correct(f.g1)
    else:
        dq = du = [b.zero] * system.n
    # places move as the speeds move them: Δq, Δe = N Δ
    speeds = {Input("u", i): node for i, node in enumerate(dq)}
    moved = inline(b, b.program(q=f.rates, n=f.n), lambda source: speeds.get(source, _same(f, source)))
    plans.append(Plan("correct", [], {"dy": layout.arrange(moved["q"], _normalise(f, moved["n"]), du)}))
    return plans


def _plan_mass(s: Solved, layout: Layout) -> list[Plan]:
    """M, by the speeds."""
    f, order = s.fused, [*layout.moving, *layout.first_order]
    masses = [f.M.get((max(i, j), min(i, j)), f.b.zero) for i in order for j in order]
    return [Plan("mass", [], {"mm": masses})]


def _plan_jacobian(s: Solved, layout: Layout, at: Start) -> list[Plan]:
    """The derivatives of the rates: with a and λ held, A dx = −(∂r, ∂(G a + γ)) for the matrix A of both.

    Values of the same instant change along: D dw = −∂ρ, as in loops.
    """
    f, b, system = s.fused, s.fused.b, s.fused.system
    c = [
        b.total([f.gamma[row], *(b.mul(node, f.a[j]) for (i, j), node in f.G.items() if i == row)])
        for row in range(system.m)
    ]
    y = layout.arrange(f.q, f.e, f.u)
    partial = jacobian(b, [*f.r, *c, *f.n, *f.rates], [*y, *f.settled])
    found = dict(zip((*f.a, *f.lam), (*s.a, *s.lam), strict=True))
    nodes = dict(zip(partial, replace_nodes(b, list(partial.values()), found), strict=True))
    first = system.n + system.m
    behind = first + len(f.n)
    solutions, rest = list[list[int]](), list[list[int]]()  # by what changes: those of a and λ, those of n and rates
    for k in range(len(y) + len(f.settled)):
        changes = [b.neg(nodes.get((i, k), b.zero)) for i in range(first)]
        solutions.append(s.solve(changes[: system.n], changes[system.n :]))
        rest.append([nodes.get((first + i, k), b.zero) for i in range(behind - first + system.n)])
    every = [[*x, *others] for x, others in zip(solutions, rest, strict=True)]
    every = follow(s, at, y, every) if f.settled else every
    columns = [layout.arrange(x[behind:], x[first:behind], x[: system.n]) for x in every]
    rows = [column[i] for i in range(len(y)) for column in columns]
    return [Plan("jacobian", [], {"J": rows})]


def _same(f: Fused, source: Input) -> int:
    return f.b.input(source.kind, source.index)


def _normalise(f: Fused, de: list[int]) -> list[int]:
    """Corrections of followers that also bring vectors to length one and matrices to rotations, by Newton's step."""
    b, found = f.b, list(de)
    half = b.constant(0.5)
    for group in f.system.invariants:
        e = [f.e[i] for i in group]
        if len(group) == 9:
            # R (3 − RᵀR) / 2
            R = [e[0:3], e[3:6], e[6:9]]
            S = [[b.total(b.mul(R[k][i], R[k][j]) for k in range(3)) for j in range(3)] for i in range(3)]
            S = [[b.sub(b.one if i == j else b.zero, S[i][j]) for j in range(3)] for i in range(3)]
            moves = [
                b.mul(half, b.total(b.mul(R[i][k], S[k][j]) for k in range(3))) for i in range(3) for j in range(3)
            ]
        else:
            excess = b.mul(half, b.sub(b.one, b.total(b.mul(x, x) for x in e)))
            moves = [b.mul(excess, x) for x in e]
        for i, move in zip(group, moves, strict=True):
            found[i] = b.add(found[i], move)
    return found


def _plan_array(name: str, array: str, second: str, nodes: list[int], more: Sequence[int] = ()) -> list[Plan]:
    """A function that only computes arrays, if there is anything in them."""
    results = {array: nodes} | ({second: list(more)} if second else {})
    return [Plan(name, [], results)] if nodes else []


def _list_events(f: Fused) -> tuple[list[Watched], list[int]]:
    """Events by name, and what changes sign where a law changes its piece."""
    acts = f.system.acts
    inner = {b.watch for b in f.system.barriers} | {g.watch for g in f.system.grips}
    watched = [
        Watched(w.name, w.direction, acts[i].stop if i in acts else w.stop and i not in inner, True)
        for i, w in enumerate(f.system.watches)
    ]
    nodes = list(f.watches)
    for k, node in enumerate(dict.fromkeys(f.switches)):
        watched.append(Watched(f"switch {k + 1}"))
        nodes.append(node)
    return watched, nodes


def _note(s: Solved) -> Iterable[str]:
    if s.gives_way:
        yield "Some constraints follow from others: their multipliers are one choice of many, the motion is the same."
