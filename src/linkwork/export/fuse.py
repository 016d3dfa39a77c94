"""A System as one program: all terms expanded over named coordinates and parameters, nothing twice.

    M a + Gᵀ λ + rest = 0,   G a + γ = 0        for the accelerations a and multipliers λ

Inputs of the program are `q e u a lam w t` by their numbers in the System and `p`, the named parameters. A formula of
parameters is lowered where it is used, so that who changes a value changes all that follows from it.

Where equations in speeds of their own are known, these are the u: q̇ = N u, and what other terms ask for along the rates
of coordinates they ask for along u by Nᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from linkwork.arrays import Ints
from linkwork.equations import System, Term, Watch
from linkwork.equations.kane import rate_of
from linkwork.equations.terms import Algebraic
from linkwork.errors import ExpressionError
from linkwork.export.stubs import name_slope
from linkwork.model.opaque import Opaque
from linkwork.model.own import OwnEquations
from linkwork.program import Builder, External, Input, Program, forward, jacobian, lower, passes
from linkwork.program import Node as ProgramNode
from linkwork.symbolic import Expr, Node, Symbol, evaluate_all, free_symbols, symbol, total_rate

Matrix = dict[tuple[int, int], int]
OWN = ("L", "force")  # owners of what equations in speeds of their own say already
Groups = dict[str, list[int]]  # nodes by group of results


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a term: the nodes of its local coordinates, followers, rates, multipliers and parameters.

    A multiplier counts behind the coordinates and followers, as the programs of kernels have it.
    """

    q: list[int]
    u: list[int]
    a: list[int]
    lam: list[int]
    p: list[int]

    def node(self, source: Input, t: int, zero: int) -> int:
        """The node that an input of a kernel's program stands for; weights and cursors are zero."""
        match source.kind:
            case "t":
                return t
            case "q" | "e":
                return self.q[source.index]
            case "u":
                return self.u[source.index]
            case "a":
                return self.a[source.index]
            case "lam":
                return self.lam[source.index - len(self.q)]
            case "p":
                return self.p[source.index] if source.index < len(self.p) else zero
        return zero


@dataclass(frozen=True, kw_only=True)
class Fused:
    """All equations of a System as nodes of one builder.

    r      M a + Gᵀλ − f by coordinate; rest is the same without accelerations and multipliers
    M      lower triangle of the mass matrix, G the constraint matrix by (row, coordinate)
    g      constraints of positions, g1 of velocities, gamma: their second rates without accelerations
    n      rates of the followers; rates of the coordinates, which are the speeds unless they have their own
    bends  accelerations of the coordinates
    shift  what is taken off the solution for the accelerations: M (a + shift) + Gᵀ λ + rest = 0
    switches change sign where laws change their pieces; watches and readings are those of the System
    energy kinetic and potential, by kind
    values what vanishes for each algebraic value, which is an input, by name
    asked  the arguments of functions that nobody can look into, by the names of their calls
    """

    system: System
    b: Builder
    q: list[int]
    e: list[int]
    u: list[int]
    a: list[int]
    lam: list[int]
    w: list[int]
    t: int
    symbols: Mapping[Symbol, int]
    r: list[int] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    M: Matrix = field(default_factory=dict)
    G: Matrix = field(default_factory=dict)
    g: list[int] = field(default_factory=list)
    g1: list[int] = field(default_factory=list)
    gamma: list[int] = field(default_factory=list)
    n: list[int] = field(default_factory=list)
    switches: list[int] = field(default_factory=list)
    watches: list[int] = field(default_factory=list)
    readings: list[int] = field(default_factory=list)
    rates: list[int] = field(default_factory=list)
    bends: list[int] = field(default_factory=list)
    shift: list[int] = field(default_factory=list)
    own: OwnEquations | None = None
    energy: dict[str, int] = field(default_factory=dict)
    asked: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, int] = field(default_factory=dict)

    @property
    def follows(self) -> bool:
        """Whether all numbers are those of their formulas: rounded ones were made to agree otherwise."""
        known, system = self.system.formulas, self.system
        return len(known.exprs) > 0 and bool(np.array_equal(known.compute(system.parameters), system.numbers))

    @property
    def settled(self) -> list[int]:
        """The algebraic values: inputs."""
        first = self.system.first_follower - len(self.system.inputs)
        return [self.w[self.system.inputs[name] - first] for name in self.values]

    def formula(self, column: int) -> int:
        """The node of a formula of the System."""
        return lower(self.b, self.system.formulas.exprs[column], self.symbols)


def inline(b: Builder, program: Program, node_of: Callable[[Input], int]) -> Groups:
    """The results of a program built once more on other nodes; pieces of curves are found without cursors."""

    def look_up(node: ProgramNode, x: int) -> int:
        curve = node.curve
        assert curve is not None
        if not b.is_constant(x):
            return b.emit(node.op, b.zero, x, value=node.value, curve=curve)
        at = b.nodes[x].value
        return b.constant(float(curve.value(at, int(node.value)) if node.op == "curve" else curve.side(at)))

    return passes.inline(b, program, node_of, look_up)


def _as_external(f: Opaque) -> External:
    """A function that is called, and its slopes."""
    slopes = (External(name_slope(f, i), partial(f.slope, i)) for i in range(f.count))
    return External(f.name, f.compute, tuple(slopes))


def fuse(
    system: System, definitions: Mapping[str, Expr], own: OwnEquations | None = None, *, calls: bool = True
) -> Fused:
    """Expand all terms of a System; definitions say which parameters follow from others.

    Without `calls` of functions that nobody can look into, these stay inputs, and what they are asked is in `asked`.
    """
    return _Fusion(system, definitions, own, calls).fuse()


class Terms:
    """The terms of a System over nodes: of its coordinates, with all that stands behind them, and of their rates."""

    def __init__(self, system: System, b: Builder, symbols: Mapping[Symbol, int], t: int) -> None:
        self.system, self.b, self.symbols, self.t = system, b, symbols, t
        self.memo: dict[Node, int] = {}
        self.places: list[int] = []
        self.speeds: list[int] = []

    def place(self, q: Sequence[int], u: Sequence[int], w: Sequence[int], e: Sequence[int]) -> None:
        """Say where things are: coordinates and rates, inputs, followers."""
        held = len(self.system.frozen) - len(self.system.inputs)
        fixed = self.numbers(self.system.frozen_columns, self.system.frozen.tolist())[:held]
        self.places = [*q, *fixed, *w, *e]
        self.speeds = [*u, *[self.b.zero] * (len(self.places) - len(u))]

    def numbers(self, columns: Ints, numbers: Sequence[float]) -> list[int]:
        """The nodes of numbers of the system: their formulas, unless these were changed to make all agree."""
        found = []
        for i, value in enumerate(numbers):
            node = self._formula(int(columns[i]), value) if len(columns) == len(numbers) else None
            found.append(self.b.constant(value) if node is None else node)
        return found

    def _formula(self, column: int, value: float) -> int | None:
        expr = self.system.formulas.exprs[column]
        if not {s.name for s in free_symbols(expr)} <= self.system.parameters.keys():
            return None
        try:
            if float(evaluate_all([expr], self.system.parameters)[0]) != value:
                return None
        except ExpressionError:
            return None
        return lower(self.b, expr, self.symbols, self.memo)

    def instance(self, term: Term, i: int, a: Sequence[int] = (), lam: Sequence[int] = ()) -> Instance:
        """One instance of a term, with accelerations and multipliers if there are any."""
        places = term.coordinates[i].tolist()
        own = places[: len(term.kernel.coordinates)]
        columns = term.columns[i] if len(term.columns) else term.columns
        return Instance(
            q=[self.places[k] for k in places],
            u=[self.speeds[k] for k in own],
            a=[a[k] if k < len(a) else self.b.zero for k in own],
            lam=[lam[k] for k in term.rows[i].tolist()] if len(lam) else [],
            p=self.numbers(columns, term.parameters[i].tolist()),
        )

    def run(self, program: Program, at: Instance) -> Groups:
        """The results of a kernel's program for one instance."""
        return inline(self.b, program, lambda source: at.node(source, self.t, self.b.zero))

    def find_energy(self, found: dict[str, int], term: Term, at: Instance) -> None:
        """Add what an instance has of each kind of energy."""
        energy = self.run(term.kernel.derived.energy, at)
        names = ("kinetic", *term.kernel.contribution.potential)
        for name, node in zip(names, [*energy["T"], *energy["V"]], strict=True):
            found[name] = self.b.add(found.get(name, self.b.zero), node)


class _Fusion:
    """How a System is expanded."""

    def __init__(self, system: System, definitions: Mapping[str, Expr], own: OwnEquations | None, calls: bool) -> None:
        b, n, m = Builder(), system.n, system.m
        self.system, self.b, self.calls = system, b, calls
        self.symbols = {symbol(name): b.input("p", i, name) for i, name in enumerate(system.parameters)}
        for name, expr in definitions.items():
            if free_symbols(expr):
                self.symbols[symbol(name)] = lower(b, expr, self.symbols, {})
        u = [b.input("u", i, name) for i, name in enumerate(system.coordinates)]
        a = [b.input("a", i, name) for i, name in enumerate(system.coordinates)]
        self.into = Fused(
            system=system,
            b=b,
            q=[b.input("q", i, name) for i, name in enumerate(system.coordinates)],
            e=[b.input("e", i, name) for i, name in enumerate(system.followers)],
            u=u,
            a=a,
            lam=[b.input("lam", i, name) for i, name in enumerate(system.multipliers)],
            w=[b.input("w", i, name) for i, name in enumerate(system.inputs)],
            t=b.input("t", 0, "t"),
            symbols=self.symbols,
            r=[b.zero] * n,
            rest=[b.zero] * n,
            g=[b.zero] * m,
            g1=[b.zero] * m,
            gamma=[b.zero] * m,
            n=[b.zero] * len(system.followers),
            rates=list(u),
            bends=list(a),
            shift=[b.zero] * n,
            own=own,
        )
        # accelerations of the coordinates with u̇ zero, and what the speeds do to them: N by rows
        self.resting = [b.zero] * n
        self.along: list[list[tuple[int, int]]] = [[(i, b.one)] for i in range(n)]
        self.own_rows: set[int] = set()
        self.functions: dict[Opaque, External] = {}
        self.terms = Terms(system, b, self.symbols, self.into.t)
        self.terms.place(self.into.q, self.into.rates, self.into.w, self.into.e)
        if own is None:
            self._call()
        else:
            self._set_own(own)

    # -- functions that nobody can look into ---------------------------------------------------------------------------

    def _call(self) -> None:
        """Calls take the places of the inputs that stand for them, each behind its arguments."""
        first = self.system.first_follower - len(self.system.inputs)
        for value in self.system.opaque:
            function = self.functions.setdefault(value.function, _as_external(value.function))
            self.into.asked[value.name] = asked = [self._see(argument) for argument in value.arguments]
            place = self.system.inputs[value.name]
            if self.calls:
                self.terms.places[place] = self.into.w[place - first] = self.b.call(function, asked)

    def _see(self, value: Algebraic) -> int:
        """The node of a value over the whole system."""
        into, p = self.into, self.terms.numbers(value.columns, value.parameters.tolist())
        whole = Instance(q=self.terms.places, u=self.terms.speeds, a=into.bends, lam=into.lam, p=p)
        return self.terms.run(value.program, whole)["v"][0]

    # -- speeds of their own -------------------------------------------------------------------------------------------

    def _set_own(self, own: OwnEquations) -> None:
        """The rates of coordinates by the speeds, and their accelerations by u̇ and with u̇ zero."""
        into, b = self.into, self.b
        known = dict(self.symbols) | {symbol("t", kind="time"): into.t}
        for name, q, u in zip(self.system.coordinates, into.q, into.u, strict=True):
            known |= {symbol(name, kind="coordinate"): q, symbol(f"{name}'", kind="speed"): u}
        known |= {symbol(u, kind="speed"): into.u[i] for i, u in enumerate(own.definitions)}
        for short, expr in own.shared.items():
            known[short] = lower(b, expr, known)
        for i, rate in enumerate(own.rates):
            into.rates[i] = known[symbol(f"{self.system.coordinates[i]}'", kind="speed")] = lower(b, rate, known)
        self.terms.speeds[: self.system.n] = into.rates
        self._call()
        known |= zip((symbol(name, kind="input") for name in self.system.inputs), into.w, strict=True)
        self._name_values(own, known)
        still = dict(zip((*into.q, into.t), (*into.rates, b.one), strict=True))
        self.resting = forward(b, into.rates, still)
        into.bends[:] = forward(b, into.rates, still | dict(zip(into.u, into.a, strict=True)))
        self.along = [[] for _ in into.rates]
        for (i, j), node in jacobian(b, into.rates, into.u).items():
            self.along[i].append((j, node))
        self._add_own(own, known)

    def _name_values(self, own: OwnEquations, known: dict[Symbol, int]) -> None:
        """Calls and accelerations that loads depend on are inputs; those of speeds follow from those of coordinates."""
        places = dict(zip(self.system.inputs, self.into.w, strict=True))
        known |= {symbol(name, kind="acceleration"): node for name, node in places.items()}
        known |= {symbol(value.name): places[value.name] for value in self.system.opaque}
        asked = {s.name for s in free_symbols(*own.loads) if s.kind == "acceleration"}
        for u, expr in own.definitions.items():
            if f"{u}'" in asked:
                known[symbol(f"{u}'", kind="acceleration")] = lower(self.b, total_rate(expr, rate_of), known)

    def _add_own(self, own: OwnEquations, known: Mapping[Symbol, int]) -> None:
        """M (u̇ + shift) + bias − loads."""
        into, b = self.into, self.b
        into.M.update({place: lower(b, entry, known) for place, entry in own.mass.items()})
        shift = [lower(b, x, known) for x in own.shift]
        for i, (bias, load) in enumerate(zip(own.bias, own.loads, strict=True)):
            into.rest[i] = into.r[i] = b.sub(lower(b, bias, known), lower(b, load, known))
        into.shift[: len(shift)] = shift
        felt = [b.add(a, x) for a, x in zip(into.a, into.shift, strict=True)]
        for (i, j), entry in into.M.items():
            into.r[i] = b.add(into.r[i], b.mul(entry, felt[j]))
            if i != j:
                into.r[j] = b.add(into.r[j], b.mul(entry, felt[i]))

    def _push(self, forces: list[int], place: int, node: int) -> None:
        """Add a force along the rate of a coordinate to those along the speeds."""
        for j, factor in self.along[place]:
            forces[j] = self.b.add(forces[j], self.b.mul(factor, node))

    def fuse(self) -> Fused:
        for term in self.system.terms:
            for i in range(term.count):
                self._add(term, i)
        for term in self.system.kinematics:
            self._move(term)
        self.into.watches.extend(self._watch(watch) for watch in self.system.watches)
        self.into.readings.extend(self._watch(reading) for reading in self.system.readings)
        self.into.values.update({value.name: self._see(value) for value in self.system.algebra})
        for (row, j), node in self.into.G.items():
            if row in self.own_rows:
                self.into.r[j] = self.b.add(self.into.r[j], self.b.mul(node, self.into.lam[row]))
        return self.into

    def _watch(self, watch: Watch) -> int:
        places = watch.coordinates.tolist()
        at = Instance(
            q=[self.terms.places[k] for k in places],
            u=[self.terms.speeds[k] for k in places],
            a=[],
            lam=[],
            p=self.terms.numbers(watch.columns, watch.parameters.tolist()),
        )
        return self.terms.run(watch.program, at)["v"][0]

    def _add(self, term: Term, i: int) -> None:
        """One instance, in all equations."""
        into, b, d, n = self.into, self.b, term.kernel.derived, self.system.n
        moving = self.terms.instance(term, i, into.bends, into.lam)
        still = self.terms.instance(term, i, self.resting, [b.zero] * self.system.m)
        places, rows = term.coordinates[i].tolist(), term.rows[i].tolist()
        # inertia and loads are known already where speeds are their own
        known = into.own is not None and term.owners[i].kind in OWN
        if known:
            self.own_rows.update(rows)
        for total, at in ((into.r, moving), (into.rest, still)) if not known else ():
            for k, node in zip(places, self.terms.run(d.residual, at)["r"], strict=False):
                if k < n:
                    self._push(total, k, node)
        if rows:
            levels = self.terms.run(d.levels, still)
            for total, group in ((into.g, "g"), (into.g1, "g1"), (into.gamma, "g2")):
                for k, node in zip(rows, levels[group], strict=True):
                    total[k] = node
        self._add_matrices(term, still, places, rows, known)
        self.terms.find_energy(into.energy, term, moving)
        switches = self.terms.run(d.switches, moving)
        into.switches.extend(s for s in (*switches["s"], *switches["k"]) if not b.is_constant(s))

    def _add_matrices(self, term: Term, at: Instance, places: Sequence[int], rows: Sequence[int], known: bool) -> None:
        d, n = term.kernel.derived, self.system.n
        halves = [(d.matrix, d.matrix_entries), (d.constant, d.constant_entries)]
        for hoisted, entries in halves:
            if hoisted is None:
                continue
            columns = self.terms.run(hoisted.setup, at)["p"]
            inner = Instance(at.q, at.u, at.a, at.lam, columns)
            for (kind, i, j), node in zip(entries, self.terms.run(hoisted.body, inner)["F"], strict=True):
                if places[j] >= n or node == self.b.zero or (kind == "H" and places[i] >= n):
                    continue
                if kind == "G":
                    self._add_row(rows[i], places[j], node)
                elif not known:
                    twice = i != j and places[i] == places[j]
                    self._add_mass(places[i], places[j], self.b.mul(self.b.constant(2.0), node) if twice else node)

    def _add_row(self, row: int, place: int, node: int) -> None:
        """An entry of the constraint matrix."""
        G, b = self.into.G, self.b
        for j, factor in self.along[place]:
            G[row, j] = b.add(G.get((row, j), b.zero), b.mul(factor, node))

    def _add_mass(self, i: int, j: int, node: int) -> None:
        """An entry of the mass matrix and its mirror image, seen by the speeds."""
        M, b = self.into.M, self.b
        for one, two in ((i, j), (j, i)) if i != j else ((i, j),):
            for k, left in self.along[one]:
                for l, right in self.along[two]:
                    if k >= l:
                        M[k, l] = b.add(M.get((k, l), b.zero), b.mul(b.mul(left, right), node))

    def _move(self, term: Term) -> None:
        """The rates of the followers of a kinematic term."""
        into, rates = self.into, term.kernel.derived.rates
        assert rates is not None
        count = len(term.kernel.coordinates)
        for i in range(term.count):
            at = self.terms.instance(term, i, into.bends, into.lam)
            columns = self.terms.run(rates.setup, at)["p"]
            found = self.terms.run(rates.body, Instance(at.q, at.u, at.a, at.lam, columns))["n"]
            for place, node in zip(term.coordinates[i, count:].tolist(), found, strict=True):
                into.n[place - self.system.first_follower] = node
