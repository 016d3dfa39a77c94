"""Equations of a System derived as expressions over its own names: a number of a coordinate or constraint in, its
equation out.

    d/dt ∂L/∂u − ∂L/∂q + ∂R/∂u − Q + Gᵀλ = 0,   g(q, t) = 0,   h = A(q, t) u + b(q, t) = 0,   G = (∂g/∂q, A)

Where parts are carried by poses, what a coordinate tells of them is a formula of it; the axes of parts that turn any
way are followers e with rates ė = N u, and a slope along a speed is ∂/∂q + Nᵀ ∂/∂e. Inertia may be a balance there.

Everything is derived when it is asked for, instance by instance, so that a part of a large mechanism costs a part of
the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from linkwork.analysis.printed.collected import Form, collect_kinetic, collect_potential, find_form
from linkwork.analysis.printed.names import Names, plain
from linkwork.analysis.printed.raised import raise_program
from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.kernel import TIME
from linkwork.equations.system import ROTATION
from linkwork.equations.terms import Term, Tie
from linkwork.errors import ExpressionError, InputError, Problem
from linkwork.model.opaque import find_calls, label_calls
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    Number,
    Symbol,
    add,
    cos,
    derivatives,
    differentiate,
    free_symbols,
    sin,
    substitute,
    symbol,
)
from linkwork.symbolic.simplify import trigonometric

TURNED: dict[str, Callable[[Expr], Expr]] = {"c": cos, "s": sin}  # followers that an angle tells, by their stems
SPINS = ("wx", "wy", "wz")
Instance = tuple[int, int]  # number of a term, number of an instance in it
SHORT = 8  # a decimal of no more digits is what somebody has written, and stays exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one instance adds; `places` are the coordinates it moves, `rows` its constraints, `form` M if constant."""

    places: tuple[int, ...]
    rows: tuple[int, ...]
    kinetic: Expr
    form: Form | None
    potential: Mapping[str, Expr]
    dissipation: Expr
    efforts: tuple[tuple[Expr, Expr], ...]
    constraints: tuple[Expr, ...]
    velocity_constraints: tuple[Expr, ...]
    rates: Mapping[int, Expr]
    balance: Mapping[int, Expr]


class Derivation:
    """Symbols q, u, a, lam as numbered in the system, and what follows from its terms over them; e are followers."""

    def __init__(self, system: System) -> None:
        self.system = system
        names = self.names = Names()
        self.labels = [names.take(plain(name)) for name in system.labels]
        # a first-order state and ω are speeds that go by their own names; their coordinates occur nowhere
        self.plain_speeds = find_spins(system) | {j for j, place in enumerate(system.mechanical) if not place}
        primes = ["" if j in self.plain_speeds else "'" for j in range(system.n)]
        pairs = list(zip(self.labels, primes, strict=True))
        self.q = tuple(symbol(name if prime else f"integral.{name}", kind="coordinate") for name, prime in pairs)
        self.u = tuple(symbol(f"{name}{prime}", kind="speed") for name, prime in pairs)
        self.a = tuple(symbol(f"{name}'{prime}", kind="acceleration") for name, prime in pairs)
        self.e = tuple(symbol(names.take(plain(name)), kind="coordinate") for name in system.followers)
        self.lam = tuple(symbol(names.take(plain(name)), kind="multiplier") for name in system.multipliers)
        functions = {value.name: value.function.name for value in system.opaque}
        wishes = {name: functions.get(name, name) for name in self._values}
        self._parameter: dict[Expr, Symbol] = {
            symbol(name): symbol(names.take(plain(wish))) for name, wish in wishes.items()
        }
        self.pieces: dict[Instance, Piece] = {}

    # -- names -------------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[Symbol, float]:
        """The values of the parameters and inputs; reactions, accelerations and calls have formulas instead."""
        solved = {value.name for value in self.system.algebra if not value.implicit}
        solved |= {value.name for value in self.system.opaque}
        pairs = zip(self._parameter.values(), self._values.items(), strict=True)
        return {s: value for s, (name, value) in pairs if name not in solved}

    @property
    def _values(self) -> dict[str, float]:
        s = self.system
        held = s.frozen[len(s.frozen) - len(s.inputs) :].tolist()
        return {**s.parameters, **dict(zip(s.inputs, held, strict=True))}

    @property
    def called(self) -> dict[Symbol, str]:
        """What opaque functions return, with the calls as people write them."""
        labels = label_calls(find_calls(symbol(value.name) for value in self.system.opaque))
        return {self._parameter[symbol(name)]: label for name, label in labels.items()}

    @property
    def renamed(self) -> dict[Symbol, str]:
        """The symbols that could not keep their names, with these names."""
        system = self.system
        named = [u if j in self.plain_speeds else q for j, (q, u) in enumerate(zip(self.q, self.u, strict=True))]
        given = [(named, system.labels), (self._parameter.values(), self._values)]
        pairs = [(s, name) for symbols, names in given for s, name in zip(symbols, names, strict=True)]
        pairs += zip(self.lam, system.multipliers, strict=True)
        called = self.called
        return {s: name for s, name in pairs if s.name != name and s not in called}

    def row_name(self, row: int) -> str:
        """The name of a constraint as it is printed, which is that of its multiplier."""
        return self.lam[row].name.removeprefix("lam_")

    # -- what there is -----------------------------------------------------------------------------------------------

    @cached_property
    def instances(self) -> tuple[Instance, ...]:
        """All instances of all terms."""
        return tuple((k, i) for k, term in enumerate(self.system.terms) for i in range(term.count))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of potential energy."""
        kinds = (kind for term in self.system.terms for kind in term.kernel.contribution.potential)
        return tuple(dict.fromkeys(kinds))

    @property
    def balanced(self) -> bool:
        """Whether inertia is a balance of forces, without energies."""
        return any(term.kernel.contribution.balance for term in self.system.terms)

    @cached_property
    def forced(self) -> tuple[int, ...]:
        """The coordinates along which there are applied forces."""
        keys = [key for key in self.instances if self.system.terms[key[0]].kernel.contribution.efforts]
        places = sorted({j for key in keys for j in self.piece(key).places})
        return tuple(j for j in places if self.derive_force(j) is not ZERO)

    # -- energies and equations --------------------------------------------------------------------------------------

    def derive_kinetic(self, instances: Iterable[Instance]) -> Expr:
        """The kinetic energy of some instances."""
        pieces = [self.piece(key) for key in instances]
        return collect_kinetic([(piece.kinetic, piece.form) for piece in pieces], self._bodies)

    def derive_potential(self, kind: str, instances: Iterable[Instance]) -> Expr:
        """The potential energy of a kind of some instances."""
        pieces = [self.piece(key) for key in instances]
        found = [(p.potential[kind], [self.q[j] for j in p.places]) for p in pieces if kind in p.potential]
        return collect_potential(found)

    def derive_dissipation(self, instances: Iterable[Instance]) -> Expr:
        """The Rayleigh function of some instances."""
        return add(ZERO, *(self.piece(key).dissipation for key in instances))

    def derive_constraint(self, row: int) -> Expr:
        """A constraint of positions or of velocities, by its number."""
        piece = self.piece(self._owner[row])
        return (*piece.constraints, *piece.velocity_constraints)[piece.rows.index(row)]

    def derive_force(self, j: int) -> Expr:
        """The applied force along a coordinate: Q = Σ e ∂f/∂u."""
        efforts = (pair for key in self._touching[j] for pair in self.piece(key).efforts)
        return add(ZERO, *(effort * differentiate(flow, self.u[j]) for effort, flow in efforts))

    def derive_motion(self, j: int) -> list[Expr]:
        """The terms of the equation of motion of a coordinate: accelerations, forces, multipliers, each collected.

        That of a state is its rate minus the law of it.
        """
        if not self.system.mechanical[j]:
            return [self.a[j], *(-piece.rates[j] for piece in map(self.piece, self._touching[j]) if j in piece.rates)]
        inertia: dict[int, Expr] = {}
        reaction: dict[int, Expr] = {}
        forces: list[Expr] = [-self.derive_force(j)]
        u = self.u[j]
        for piece in map(self.piece, self._touching[j]):
            masses, gyroscopic = self._derive_inertia(piece, j)
            inertia |= {k: inertia.get(k, ZERO) + mass for k, mass in masses.items()}
            forces.append(gyroscopic)
            forces.extend(self._slope(potential, j) for potential in piece.potential.values())
            forces.append(differentiate(piece.dissipation, u))
            slopes = [self._slope(g, j) for g in piece.constraints]
            slopes += [differentiate(h, u) for h in piece.velocity_constraints]
            reaction |= dict(zip(piece.rows, slopes, strict=True))
        tidy = trigonometric if self.system.followers else _as_it_is
        pushes = [tidy(inertia[k]) * self.a[k] for k in sorted(inertia)]
        pulls = [tidy(reaction[row]) * self.lam[row] for row in sorted(reaction)]
        return [term for term in (*pushes, tidy(add(ZERO, *forces)), *pulls) if term is not ZERO]

    def _derive_inertia(self, piece: Piece, j: int) -> tuple[dict[int, Expr], Expr]:
        """d/dt ∂T/∂u − ∂T/∂q along a coordinate: the factors of the accelerations and the rest."""
        u, others = self.u, piece.places
        if piece.balance:
            asked = piece.balance.get(j, ZERO)
            masses = dict(zip(others, derivatives(asked, [self.a[k] for k in others]), strict=True))
            return masses, substitute(asked, {self.a[k]: ZERO for k in others})
        if piece.form is not None:
            form = piece.form
            return {k: form.get((u[j], u[k]), form.get((u[k], u[j]), ZERO)) for k in others}, ZERO
        momentum = differentiate(piece.kinetic, u[j])
        masses = dict(zip(others, derivatives(momentum, [u[k] for k in others]), strict=True))
        slopes = zip(others, derivatives(momentum, [self.q[k] for k in others]), strict=True)
        turning = [slope * u[k] for k, slope in slopes]
        turning += [differentiate(momentum, e) * rate for e, rate in self.moved.items()]
        return masses, add(*turning, differentiate(momentum, TIME), -self._slope(piece.kinetic, j))

    # -- instances ---------------------------------------------------------------------------------------------------

    def piece(self, key: Instance) -> Piece:
        """What an instance adds, over the names of the mechanism; derived once."""
        if key not in self.pieces:
            try:
                self.pieces[key] = self._derive_piece(*key)
            except ExpressionError as error:
                part = self.system.terms[key[0]].names[key[1]]
                raise InputError([Problem(part=part, what=error.what, remedy=error.remedy)]) from error
        return self.pieces[key]

    def _derive_piece(self, k: int, i: int) -> Piece:
        term = self.system.terms[k]
        c, local = term.kernel.contribution, self._local(term, i)
        places = tuple(dict.fromkeys(j for j in term.coordinates[i].tolist() if j < self.system.n))
        kinetic = substitute(c.kinetic, local)
        return Piece(
            places=places,
            balance={
                int(term.coordinates[i, term.kernel.coordinates.index(name)]): substitute(x, local)
                for name, x in c.balance.items()
            },
            rows=tuple(term.rows[i].tolist()),
            kinetic=kinetic,
            form=find_form(kinetic, [self.u[j] for j in places]),
            potential={kind: substitute(expr, local) for kind, expr in c.potential.items()},
            dissipation=substitute(c.dissipation, local),
            efforts=tuple((substitute(e, local), substitute(f, local)) for e, f in c.efforts),
            constraints=tuple(substitute(g, local) for g in c.constraints),
            velocity_constraints=tuple(substitute(h, local) for h in c.velocity_constraints),
            rates={
                int(term.coordinates[i, term.kernel.coordinates.index(name)]): substitute(rate, local)
                for name, rate in c.rates.items()
            },
        )

    def _local(self, term: Term, i: int) -> dict[Expr, Expr]:
        """The meaning of a kernel's symbols in an instance."""
        local = self._moving(term, i)
        for name, place in zip(term.kernel.follower_symbols.values(), self._followers_of(term, i), strict=True):
            local[name] = self.following[place]
        for name, expr in term.kernel.contribution.shared.items():
            local[name] = substitute(expr, local)
        return local

    def _moving(self, term: Term, i: int) -> dict[Expr, Expr]:
        """The meaning of its coordinates, their rates and parameters."""
        system = self.system
        q, u, p = term.kernel.symbols
        local: dict[Expr, Expr] = {}
        for at, place, speed in zip(term.coordinates[i].tolist(), q.values(), u.values(), strict=False):
            moving = at < system.n
            local[place] = self.q[at] if moving else self._frozen[at - system.n]
            local[speed] = self.u[at] if moving else ZERO
            local[symbol(f"{speed.name}'", kind="acceleration")] = self.a[at] if moving else ZERO
        columns = term.columns[i] if len(term.columns) else term.columns
        values = system.formulas_of(columns, term.parameters[i])
        return local | {name: self._formula(value) for name, value in zip(p.values(), values, strict=True)}

    def _followers_of(self, term: Term, i: int) -> list[int]:
        """The numbers of the followers that an instance knows."""
        places = term.coordinates[i].tolist()[len(term.kernel.coordinates) :]
        return [place - self.system.first_follower for place in places]

    # -- followers ---------------------------------------------------------------------------------------------------

    @cached_property
    def following(self) -> list[Expr]:
        """What each follower is: a formula of what it is told by, or a variable of its own."""
        s, found = self.system, list[Expr](self.e)
        for term in s.kinematics:
            names = term.kernel.followers
            for i in range(term.count):
                local, places = self._moving(term, i), dict(zip(names, self._followers_of(term, i), strict=True))
                for name in names:
                    stem = name.partition("_")[0]
                    if stem in TURNED:
                        angle = symbol(f"turn{name[len(stem) :]}", kind="coordinate")
                        found[places[name]] = TURNED[stem](local[angle])
        for tie in s.ties:
            if not tie.turns:
                for place, expr in zip(tie.followers, self._tied(tie, found), strict=True):
                    found[place] = expr
        return found

    def _tied(self, tie: Tie, known: list[Expr]) -> list[Expr]:
        """The axes R K(q)ᵀ of a part on a hinge, or the travel q R a."""
        columns, q = tie.columns.ravel().tolist(), self.q[tie.coordinate]
        numbers = [self._formula(x) for x in self.system.formulas_of(tie.columns.ravel(), self._numbers(columns))]
        one = [ONE if i == j else ZERO for i in range(3) for j in range(3)]
        R = [known[k] for k in tie.parent] if len(tie.parent) else one
        if len(tie.followers) != ROTATION:
            return [q * add(*(R[3 * i + j] * a for j, a in enumerate(numbers))) for i in range(3)]
        parts = [numbers[n * ROTATION : (n + 1) * ROTATION] for n in range(3)]
        K = [fixed + c * cos(q) + s * sin(q) for fixed, c, s in zip(*parts, strict=True)]
        return [add(*(R[3 * i + k] * K[3 * j + k] for k in range(3))) for i in range(3) for j in range(3)]

    def _numbers(self, columns: list[int]) -> Floats:
        return np.asarray(self.system.numbers[columns])

    @cached_property
    def moved(self) -> dict[Symbol, Expr]:
        """The rates of the followers that are variables of their own."""
        found: dict[Symbol, Expr] = {}
        for term in self.system.kinematics:
            for i in range(term.count):
                places, local = self._followers_of(term, i), self._local(term, i)
                for name, place in zip(term.kernel.followers, places, strict=True):
                    if self.following[place] is self.e[place]:
                        found[self.e[place]] = substitute(term.kernel.contribution.kinematics[name], local)
        return found

    def _slope(self, expr: Expr, j: int) -> Expr:
        """∂/∂q + Nᵀ ∂/∂e along a speed."""
        found = differentiate(expr, self.q[j])
        for e in sorted(free_symbols(expr) & self.moved.keys(), key=lambda s: s.name):
            along = differentiate(self.moved[e], self.u[j])
            if along is not ZERO:
                found = found + differentiate(expr, e) * along
        return found

    @cached_property
    def _frozen(self) -> list[Expr]:
        s = self.system
        fixed = [self._formula(x) for x in s.formulas_of(s.frozen_columns, s.frozen)][: len(s.frozen) - len(s.inputs)]
        return [*fixed, *(self._parameter[symbol(name)] for name in s.inputs)]

    def derive_values(self) -> list[tuple[Symbol, Expr, bool]]:
        """Algebraic values by their symbols: what each is, or what vanishes if it is given by an equation."""
        s, places = self.system, self.system.first_follower + len(self.system.followers)
        found = []
        for value in s.algebra:
            columns = [self._formula(x) for x in s.formulas_of(value.columns, value.parameters)]
            known: dict[str, Callable[[int], Expr]] = {
                "q": self._place,
                "u": lambda i: self.u[i],
                "a": lambda i: self.a[i],
                "lam": lambda i: self.lam[i - places],
                "p": lambda i, columns=columns: columns[i],  # type: ignore[misc]
                "t": lambda i: TIME,
            }
            rest, own = raise_program(value.program, known), self._parameter[symbol(value.name)]
            found.append((own, rest if value.implicit else rest + own, value.implicit))
        return found

    def _place(self, i: int) -> Expr:
        """What stands at a place that programs of the whole know."""
        s = self.system
        if i >= s.first_follower:
            return self.following[i - s.first_follower]
        return self.q[i] if i < s.n else self._frozen[i - s.n]

    def _formula(self, formula: Expr) -> Expr:
        return as_written(formula) if isinstance(formula, Number) else substitute(formula, self._parameter)

    @cached_property
    def _touching(self) -> list[list[Instance]]:
        """For each coordinate the instances that move it."""
        found: list[dict[Instance, None]] = [{} for _ in range(self.system.n)]
        for k, term in enumerate(self.system.terms):
            for i, places in enumerate(term.coordinates.tolist()):
                for j in places:
                    if j < self.system.n:
                        found[j][k, i] = None
        return [list(instances) for instances in found]

    @cached_property
    def _owner(self) -> dict[int, Instance]:
        """The instance that brings a constraint."""
        terms = enumerate(self.system.terms)
        return {row: (k, i) for k, term in terms for i, rows in enumerate(term.rows.tolist()) for row in rows}

    @cached_property
    def _bodies(self) -> dict[Symbol, str]:
        """The point a speed belongs to."""
        points = self.system.chart.points.items()
        return {self.u[j]: point for point, places in points for j in places if j < self.system.n}


def as_written(number: Number) -> Number:
    """A number as somebody may have written it: exact if it is a short decimal.

    >>> as_written(Number(0.25)), as_written(Number(1 / 3))
    (1/4, 0.3333333333333333)
    """
    text = repr(float(number.value))
    digits = text.partition("e")[0].strip("-0.").replace(".", "")
    return Number(Fraction(text)) if len(digits) <= SHORT else Number(float(number.value))


def _as_it_is(expr: Expr) -> Expr:
    return expr


def find_spins(system: System) -> set[int]:
    """The speeds that are components of an angular velocity, rates of no coordinate."""
    found = set[int]()
    for term in system.kinematics:
        for k, name in enumerate(term.kernel.coordinates):
            if name.partition("_")[0] in SPINS:
                found |= {int(j) for j in term.coordinates[:, k] if j < system.n}
    return found
