"""Equations of a System derived as expressions over its own names: a number of a coordinate or constraint in, its
equation out.

    d/dt ∂L/∂u − ∂L/∂q + ∂R/∂u − Q + Gᵀλ = 0,   g(q, t) = 0,   h = A(q, t) u + b(q, t) = 0,   G = (∂g/∂q, A)

Everything is derived when it is asked for, instance by instance, so that a part of a large mechanism costs a part of
the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from linkwork.analysis.printed.collected import Form, collect_kinetic, collect_potential, find_form
from linkwork.analysis.printed.names import Names, plain
from linkwork.analysis.printed.raised import raise_program
from linkwork.equations import System
from linkwork.equations.kernel import TIME
from linkwork.errors import ExpressionError, InputError, Problem
from linkwork.model.opaque import find_calls, label_calls
from linkwork.symbolic import ZERO, Expr, Number, Symbol, add, derivatives, differentiate, substitute, symbol

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


class Derivation:
    """Symbols q, u, a, lam as numbered in the system, and what follows from its terms over them."""

    def __init__(self, system: System) -> None:
        self.system = system
        names = self.names = Names()
        self.labels = [names.take(plain(name)) for name in system.labels]
        # a first-order state is a speed that goes by its own name; its coordinate occurs nowhere
        primes = ["'" if place else "" for place in system.mechanical]
        pairs = list(zip(self.labels, primes, strict=True))
        self.q = tuple(symbol(name if prime else f"integral.{name}", kind="coordinate") for name, prime in pairs)
        self.u = tuple(symbol(f"{name}{prime}", kind="speed") for name, prime in pairs)
        self.a = tuple(symbol(f"{name}'{prime}", kind="acceleration") for name, prime in pairs)
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
        named = [q if place else u for q, u, place in zip(self.q, self.u, system.mechanical, strict=True)]
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
        q, u = self.q[j], self.u[j]
        for piece in map(self.piece, self._touching[j]):
            masses, gyroscopic = self._derive_inertia(piece, j)
            inertia |= {k: inertia.get(k, ZERO) + mass for k, mass in masses.items()}
            forces.append(gyroscopic)
            forces.extend(differentiate(potential, q) for potential in piece.potential.values())
            forces.append(differentiate(piece.dissipation, u))
            slopes = [differentiate(g, q) for g in piece.constraints]
            slopes += [differentiate(h, u) for h in piece.velocity_constraints]
            reaction |= dict(zip(piece.rows, slopes, strict=True))
        pushes = [inertia[k] * self.a[k] for k in sorted(inertia)]
        pulls = [reaction[row] * self.lam[row] for row in sorted(reaction)]
        return [term for term in (*pushes, add(ZERO, *forces), *pulls) if term is not ZERO]

    def _derive_inertia(self, piece: Piece, j: int) -> tuple[dict[int, Expr], Expr]:
        """d/dt ∂T/∂u − ∂T/∂q along a coordinate: the factors of the accelerations and the rest."""
        u, others = self.u, piece.places
        if piece.form is not None:
            form = piece.form
            return {k: form.get((u[j], u[k]), form.get((u[k], u[j]), ZERO)) for k in others}, ZERO
        momentum = differentiate(piece.kinetic, u[j])
        masses = dict(zip(others, derivatives(momentum, [u[k] for k in others]), strict=True))
        slopes = zip(others, derivatives(momentum, [self.q[k] for k in others]), strict=True)
        turning = [slope * u[k] for k, slope in slopes]
        return masses, add(*turning, differentiate(momentum, TIME), -differentiate(piece.kinetic, self.q[j]))

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
        c, local = term.kernel.contribution, self._local(k, i)
        places = tuple(dict.fromkeys(j for j in term.coordinates[i].tolist() if j < self.system.n))
        kinetic = substitute(c.kinetic, local)
        return Piece(
            places=places,
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

    def _local(self, k: int, i: int) -> dict[Expr, Expr]:
        """The meaning of a kernel's symbols in an instance."""
        system, term = self.system, self.system.terms[k]
        q, u, p = term.kernel.symbols
        local: dict[Expr, Expr] = {}
        for at, place, speed in zip(term.coordinates[i].tolist(), q.values(), u.values(), strict=True):
            moving = at < system.n
            local[place] = self.q[at] if moving else self._frozen[at - system.n]
            local[speed] = self.u[at] if moving else ZERO
        columns = term.columns[i] if len(term.columns) else term.columns
        values = system.formulas_of(columns, term.parameters[i])
        return local | {name: self._formula(value) for name, value in zip(p.values(), values, strict=True)}

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
                "q": lambda i: self.q[i] if i < s.n else self._frozen[i - s.n],
                "u": lambda i: self.u[i],
                "a": lambda i: self.a[i],
                "lam": lambda i: self.lam[i - places],
                "p": lambda i, columns=columns: columns[i],  # type: ignore[misc]
                "t": lambda i: TIME,
            }
            rest, own = raise_program(value.program, known), self._parameter[symbol(value.name)]
            found.append((own, rest if value.implicit else rest + own, value.implicit))
        return found

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
