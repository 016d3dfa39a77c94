"""Formulation of a Lagrangian: energies and constraints over named coordinates in, a System out.

L is split at the speeds: V is −L at rest, T the rest of it. Terms of the sum that are equal but for the names of their
coordinates are instances of one kernel; where little repeats itself, and coordinates are few or each is in many terms,
all of L is one kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from linkwork.arrays import Floats, Ints
from linkwork.equations.algebra import Sheet
from linkwork.equations.chart import Chart, Marker
from linkwork.equations.collect import Instances, make_watch
from linkwork.equations.formulas import FormulaList
from linkwork.equations.happenings import find_happenings
from linkwork.equations.kernel import Contribution, Kernel
from linkwork.equations.laws import forces_of, kernel_of, motion_program, value_program
from linkwork.equations.system import System
from linkwork.equations.terms import Algebraic, OpaqueValue, Row, Watch
from linkwork.errors import InputError, Problem, Ref
from linkwork.model import Lagrangian
from linkwork.model.found import SIGN
from linkwork.model.own import Mass
from linkwork.model.reacting import grip_row, stop_row
from linkwork.model.signals import SMALLEST_SCALE, inputs_in, integral_name, integral_speed, rate_row
from linkwork.symbolic import (
    ZERO,
    Expr,
    Number,
    Product,
    Sum,
    Symbol,
    add,
    free_symbols,
    substitute,
    substitute_all,
    symbol,
)
from linkwork.symbolic.scalar import Node
from linkwork.symbolic.traverse import postorder

FUSED = 50  # coordinates up to which what does not repeat itself becomes one kernel, quicker to make and to run
WIDE = 8  # kernels that a coordinate is in, on the average, beyond which one kernel is quicker, however many there are
PRIMES = {"coordinate": "", "input": "", "speed": "'", "acceleration": "''"}  # behind the names of coordinates
ENERGY = Ref("L")  # whose terms are those of L


@dataclass(slots=True)
class _Piece:
    """What goes into one kernel instance: the energies, forces and constraints over the same coordinates."""

    T: list[Expr] = field(default_factory=list)
    V: list[Expr] = field(default_factory=list)
    R: list[Expr] = field(default_factory=list)
    efforts: list[tuple[Expr, Expr]] = field(default_factory=list)
    g: dict[str, Expr] = field(default_factory=dict)
    h: dict[str, Expr] = field(default_factory=dict)
    rates: dict[str, Expr] = field(default_factory=dict)
    balance: dict[str, Expr] = field(default_factory=dict)
    mass: Mapping[tuple[str, str], Expr] | None = None

    def exprs(self) -> Iterator[Expr]:
        yield from (
            *self.T,
            *self.V,
            *self.R,
            *self.g.values(),
            *self.h.values(),
            *self.rates.values(),
            *self.balance.values(),
        )
        for pair in self.efforts:
            yield from pair


def formulate_lagrangian(model: Lagrangian) -> System:
    """The terms of a Lagrangian."""
    found = _find_instances(model)
    list_ = found.formulas
    names, order = _names(model), _order(model)
    states = {state.name: order[integral_name(state.name)] for state in model.states}
    happenings = find_happenings(model, partial(_look, model, list_), _switched(found.constraints), states)
    markers = {name: _marker(model, place, list_) for name, place in model.points.items()}
    started = {name: list_.place(guess.value) for name, guess in model.start.angles.items()}
    scales = {order[integral_name(state.name)]: list_.place(state.scale) for state in model.states}
    inputs = np.array(list_.places(model.all_inputs.values()), dtype=np.int64)
    look = partial(_look, model, list_)
    equations = {name: look(name, x.formula) for name, x in model.implicits.items()}
    calls = {call.name: [look(call.name, x) for x in call.arguments] for call in model.opaque}
    numbers = list_.freeze(None).compute(model.values)
    system = System(
        coordinates=names,
        frozen=numbers[inputs],
        rows=tuple(found.constraints),
        terms=found.terms(numbers),
        scales=np.ones(len(names)),
        turns=tuple(order[name] for name in model.coordinates),
        chart=Chart(
            angles={name: order[name] for name in model.coordinates},
            markers={name: replace(m, parameters=numbers[m.columns]) for name, m in markers.items()},
        ),
        states=states,
        inputs={name: order[name] for name in model.all_inputs},
        **happenings.filled(numbers),
        off=frozenset(row for name in _inactive(model) for row in _switched(found.constraints)[name]),
        parameters=model.values,
        numbers=numbers,
        frozen_columns=inputs,
    )
    system = replace(
        system, algebra=tuple(_algebra(model, system, equations)), opaque=tuple(_calls(model, system, calls))
    )
    _check_jumps(system)
    others = [i for i in range(len(model.coordinates)) if i not in system.periodic]
    sizes = LagrangianSizes(
        n=system.n,
        others=np.array(others, dtype=np.int64),
        started=np.array([started[names[i]] for i in others if names[i] in started], dtype=np.int64),
        given={order[name]: float(scale) for name, scale in model.scales.items()},
        states=scales,
    )
    return replace(system, scales=sizes.compute(numbers), formulas=list_.freeze(sizes))


def _check_jumps(system: System) -> None:
    """Speeds jump by impulses that are linear in them, so energies must be quadratic where any does."""
    jumps = system.barriers or system.grips or any(act.speeds or act.on for act in system.acts.values())
    if jumps and any(term.kernel.derived.quick for term in system.terms):
        what = "L is not quadratic in the speeds, and events or stops make them jump"
        raise InputError([Problem(part="L", what=what, remedy="Leave out what makes speeds jump")])


@dataclass(frozen=True, slots=True, kw_only=True)
class LagrangianSizes:
    """The sizes of coordinates: as given; else 1 for angles and, for all others together, the largest initial value.

    others   the coordinates that are no angles, started the formulas of their initial values
    states   the formulas of the scales of states, by coordinate
    """

    n: int
    others: Ints
    started: Ints
    given: Mapping[int, float]
    states: Mapping[int, int]

    def compute(self, numbers: Floats) -> Floats:
        found = np.ones(self.n)
        largest = float(np.max(np.abs(numbers[self.started]), initial=0.0))
        found[self.others] = largest if largest >= SMALLEST_SCALE else 1.0
        for i, scale in self.given.items():
            found[i] = scale
        for i, place in self.states.items():
            found[i] = numbers[place]
        return found

    def places(self) -> Ints:
        return np.append(self.started, np.array([*self.states.values()], dtype=np.int64))


def _find_instances(model: Lagrangian) -> Instances:
    """Kernels of terms, or one of all of them; what a balance ties together is one."""
    energies = _Energies(model)
    blocks = _blocks(model, energies)
    fused = bool(model.balance) and len({*blocks.values()}) <= 1
    found = _instances(model, fused, blocks, energies)
    if fused or found.repetition >= 2:
        return found
    n, places = len(model.coordinates), sum(len(kernel.coordinates) for kernel in found.found)
    return _instances(model, True, blocks, energies) if n <= FUSED or places > WIDE * n else found


def _instances(model: Lagrangian, fused: bool, blocks: Mapping[str, tuple[str, ...]], energies: _Energies) -> Instances:
    found, order = Instances(FormulaList(model.values)), _order(model)
    for (owner, coordinates, _), piece in _pieces(model, fused, blocks, energies).items():
        _add(found, model, owner, coordinates, piece, order)
    return found


# -- pieces ------------------------------------------------------------------------------------------------------------

Key = tuple[Ref, tuple[str, ...], str]


def _pieces(
    model: Lagrangian, fused: bool, blocks: Mapping[str, tuple[str, ...]], energies: _Energies
) -> dict[Key, _Piece]:
    """Everything, by what it is called in the balance of power and by its coordinates; all of L as one, if asked."""
    order = _order(model)
    found: dict[Key, _Piece] = {}

    # a fused piece is of all coordinates, and of what inputs are in L and its balance
    used = {name for x in (model.energy, *model.balance.values()) for name in inputs_in(x)} if fused else ()
    whole = (*model.coordinates, *sorted(used, key=order.__getitem__))
    loose = {name for event in model.events for name in (*event.on, *event.off)} | {*model.off}

    def piece(owner: Ref, *exprs: Expr, purpose: str = "") -> _Piece:
        names = whole if fused and owner == ENERGY else _coordinates(exprs, order)
        return found.setdefault((owner, names, purpose), _Piece())

    def owner_of(name: str, constraint: Expr) -> Ref:
        return Ref("constraint", name) if name in loose else _owner(name, constraint)

    def block(name: str, expr: Expr) -> _Piece:
        """That of a coordinate: with a balance, all that is tied to it."""
        if fused or not model.balance:
            return piece(ENERGY, expr)
        return found.setdefault((ENERGY, blocks[name], "block"), _Piece())

    for still, moving in energies.whole if fused and model.balance else energies.terms:
        if moving != Number(0):
            block(_moved(moving)[0], moving).T.append(moving)
        if free_symbols(still):
            piece(ENERGY, still).V.append(-still)
    for name, balance in model.balance.items():
        block(name, balance).balance[name] = balance
    if fused and model.balance:
        piece(ENERGY).mass = model.mass
    for name, g in model.constraints.items():
        piece(owner_of(name, g), g).g[name] = g
    for name, h in model.velocity_constraints.items():
        piece(owner_of(name, h), h).h[name] = h
    for stop in model.stops:
        held = piece(stop.ref, stop.law)
        (held.g if stop.level == "gap" else held.h)[stop_row(stop.name)] = stop.law
    for friction in model.frictions:
        for name, speed in friction.rows.items():
            piece(friction.ref, speed, purpose="grip").h[grip_row(name)] = speed
        for force, speed in zip(friction.forces, friction.speeds, strict=True):
            piece(friction.ref, force, speed).efforts.append((force, speed - _at_rest(speed)))
    for name, force in model.forces.items():
        speed = symbol(f"{name}'", kind="speed")
        piece(Ref("force", name), force, speed).efforts.append((force, speed))
    states = {integral_speed(state.name) for state in model.states}
    for term in _terms(model.dissipation):
        if not states.isdisjoint(free_symbols(term)):
            piece(Ref("dissipation"), term).efforts += forces_of(term, states)
        elif free_symbols(term):
            piece(Ref("dissipation"), term).R.append(term)
    for state in model.states:
        changing = piece(Ref("state", state.name), state.rate, integral_speed(state.name))
        changing.rates[integral_name(state.name)] = state.rate
    return found


@dataclass(frozen=True)
class _Energies:
    """L at rest and what is added by motion: of each of its terms, or of all of it."""

    model: Lagrangian

    @cached_property
    def terms(self) -> list[tuple[Expr, Expr]]:
        return [_split(term) for term in _terms(self.model.energy)]

    @cached_property
    def whole(self) -> list[tuple[Expr, Expr]]:
        return [_split(self.model.energy)]


def _split(term: Expr) -> tuple[Expr, Expr]:
    still = _at_rest(term)
    return still, term - still


def _moved(expr: Expr, kinds: Sequence[str] = ("speed", "acceleration")) -> list[str]:
    """The coordinates whose rates are in an expression."""
    return sorted({s.name.rstrip("'") for s in free_symbols(expr) if s.kind in kinds})


def _blocks(model: Lagrangian, energies: _Energies) -> dict[str, tuple[str, ...]]:
    """By coordinate, what its balance and all that is tied to it by inertia are made of; none without a balance."""
    if not model.balance:
        return {}
    order = _order(model)
    first = {name: name for name in model.coordinates}

    def root(name: str) -> str:
        while first[name] != name:
            first[name] = first[first[name]]
            name = first[name]
        return name

    def tie(found: list[tuple[str, Expr, list[str]]]) -> None:
        for name, _, names in found:
            for other in names:
                first[root(other)] = root(name)

    rows = [(name, expr, _moved(expr, ("acceleration",))) for name, expr in model.balance.items()]
    tie(rows)
    if len({root(name) for name in first}) == 1:
        return dict.fromkeys(first, model.coordinates)
    rows += (moving := [(names[0], e, names) for _, e in energies.terms if (names := _moved(e))])
    tie(moving)
    used: dict[str, set[str]] = {}
    for name, expr, names in rows:
        used.setdefault(root(name), set()).update([name, *names, *_coordinates([expr], order)])
    blocks = {name: tuple(sorted(parts, key=order.__getitem__)) for name, parts in used.items()}
    return {name: blocks[root(name)] for name in first if root(name) in blocks}


def _owner(name: str, constraint: Expr) -> Ref:
    """A constraint that depends on time does work, under its own name."""
    return Ref("constraint", name) if any(s.kind == "time" for s in free_symbols(constraint)) else ENERGY


def _name(owner: Ref) -> str:
    """What an instance is called in messages and in the balance of power."""
    if owner.name is None or owner.kind == "constraint":
        return owner.name or owner.kind
    return f"force on {owner.name}" if owner.kind == "force" else f"{owner.kind} {owner.name}"


def _switched(rows: Iterable[Row]) -> dict[str, list[int]]:
    """The constraints that may go on and off, by what events call them."""
    found: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(str(row.owner.name), []).append(i)
    return found


def _inactive(model: Lagrangian) -> Iterator[str]:
    """What does not hold at the start."""
    yield from (*model.off, *(stop.name for stop in model.stops), *(friction.name for friction in model.frictions))


def _rows(model: Lagrangian, owner: Ref, piece: _Piece) -> Iterator[Row]:
    """Its constraints, those of positions first."""
    states = {rate_row(name): name for name in model.felt}
    if owner.kind in ("stop", "friction"):
        yield from (Row(name=name, owner=owner, kind=owner.kind) for name in (*piece.g, *piece.h))
        return
    for name in piece.g:
        yield Row(name=name, owner=Ref("constraint", name), kind="constraint")
    for name in piece.h:
        if name in states:
            yield Row(name=name, owner=Ref("state", states[name]), kind="rate")
        else:
            yield Row(name=name, owner=Ref("velocity constraint", name), kind="velocity")


def _terms(expr: Expr) -> Iterator[Expr]:
    """The summands, with factors that contain no coordinate multiplied in."""
    if isinstance(expr, Sum):
        for coefficient, term in expr.terms:
            yield from (coefficient * each for each in _terms(term))
        if expr.constant:
            yield Number(expr.constant)
        return
    if isinstance(expr, Product):
        moving = [(base, exponent) for base, exponent in expr.factors if _moves(base)]
        if len(moving) == 1 and moving[0][1] == 1 and isinstance(moving[0][0], Sum):
            inner = moving[0][0]
            yield from (expr / inner * each for each in _terms(inner))
            return
    yield expr


def _moves(expr: Expr) -> bool:
    return any(s.kind in ("coordinate", "speed") for s in free_symbols(expr))


def _at_rest(expr: Expr) -> Expr:
    """An expression without speeds: of a sum, terms that are seen to vanish are left out, the others are written."""
    if not any(s.kind == "speed" for s in free_symbols(expr)):
        return expr
    nothing = _find_nothing(expr)
    if expr in nothing:
        return ZERO
    if isinstance(expr, Sum):
        expr = add(Number(expr.constant), *(c * term for c, term in expr.terms if term not in nothing))
    speeds: dict[Expr, Expr] = {s: ZERO for s in free_symbols(expr) if s.kind == "speed"}
    return substitute(expr, speeds) if speeds else expr


def _find_nothing(expr: Expr) -> set[Node]:
    """Parts of an expression that are zero at rest: sums of such, and products with some that are no divisors."""
    found: set[Node] = set()
    for node in postorder([expr]):
        if isinstance(node, Symbol):
            zero = node.kind == "speed"
        elif isinstance(node, Sum):
            zero = node.constant == 0 and all(term in found for term in node.bag.nodes())
        else:
            powers = [e for base, e in node.bag.items() if base in found] if isinstance(node, Product) else []
            zero = bool(powers) and min(powers) > 0
        if zero:
            found.add(node)
    return found


def _coordinates(exprs: Iterable[Expr], order: Mapping[str, int]) -> tuple[str, ...]:
    """The coordinates whose place or speed occurs, and inputs, in the order of the model."""
    found = {s for e in exprs for s in free_symbols(e)}
    used = {s.name for s in found if s.kind in ("coordinate", "input")}
    used |= {s.name.removesuffix("'") for s in found if s.kind == "speed"}
    return tuple(sorted(used, key=order.__getitem__))


# -- kernels -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Local:
    """Coordinates and parameters under the names a kernel gives them."""

    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]

    def names(self, exprs: Iterable[Expr]) -> dict[Expr, Expr]:
        """What the symbols of expressions become there; time, and what the kernel does not know, stay."""
        places = {name: i for i, name in enumerate(self.coordinates)}
        columns = {name: i for i, name in enumerate(self.parameters)}
        found: dict[Expr, Expr] = {}
        for s in free_symbols(*exprs):
            if s.kind == "parameter" and s.name in columns:
                found[s] = symbol(f"k{columns[s.name]}")
            elif s.kind in PRIMES and (name := s.name.removesuffix(PRIMES[s.kind])) in places:
                kind = "coordinate" if s.kind == "input" else s.kind
                found[s] = symbol(f"q{places[name]}{PRIMES[s.kind]}", kind=kind)
        return found

    def kernel(self, purpose: str, c: Contribution) -> Kernel:
        q = tuple(f"q{i}" for i in range(len(self.coordinates)))
        return kernel_of(purpose, q, tuple(f"k{i}" for i in range(len(self.parameters))), c)

    @property
    def formulas(self) -> list[Expr]:
        return [symbol(name) for name in self.parameters]

    def places(self, order: Mapping[str, int]) -> list[int]:
        return [order[name] for name in self.coordinates]


def _names(model: Lagrangian) -> tuple[str, ...]:
    """All coordinates, those behind the states at the end."""
    return (*model.coordinates, *(integral_name(state.name) for state in model.states))


def _order(model: Lagrangian) -> Mapping[str, int]:
    """The numbers of coordinates and, behind them, of inputs."""
    return {name: i for i, name in enumerate((*_names(model), *model.all_inputs))}


def _local(coordinates: tuple[str, ...], exprs: Iterable[Expr]) -> _Local:
    used = {s.name for e in exprs for s in free_symbols(e) if s.kind == "parameter"}
    return _Local(coordinates, tuple(sorted(used)))


def _add(
    found: Instances,
    model: Lagrangian,
    owner: Ref,
    coordinates: tuple[str, ...],
    piece: _Piece,
    order: Mapping[str, int],
) -> None:
    exprs = list(piece.exprs())
    local = _local(coordinates, exprs)
    given = iter(substitute_all(exprs, local.names(exprs)))

    def renamed(count: int) -> list[Expr]:
        return [next(given) for _ in range(count)]

    def by_name(formulas: Mapping[str, Expr]) -> dict[str, Expr]:
        return {f"q{coordinates.index(name)}": next(given) for name in formulas}

    # in the order of piece.exprs()
    T, V, R = (add(*renamed(len(parts))) for parts in (piece.T, piece.V, piece.R))
    contribution = Contribution(
        kinetic=T,
        potential={"potential": V} if piece.V else {},
        dissipation=R,
        constraints=renamed(len(piece.g)),
        velocity_constraints=renamed(len(piece.h)),
        rates=by_name(piece.rates),
        balance=by_name(piece.balance),
        mass={} if piece.mass is None else Mass(partial(_mass, piece.mass, local)),
        efforts=[(next(given), next(given)) for _ in piece.efforts],
    )
    kernel = local.kernel("lagrangian", contribution)
    rows = list(_rows(model, owner, piece))
    found.add(kernel, owner, local.places(order), local.formulas, rows, _name(owner))


def _mass(mass: Mapping[tuple[str, str], Expr], local: _Local) -> dict[tuple[str, str], Expr]:
    """M under the names a kernel gives; nothing if it is over more than them: it is then found by differentiating."""
    entries = [*mass.values()]
    names = local.names(entries)
    if any(s not in names and s.kind != "time" for s in free_symbols(*entries)):
        return {}
    own = {name: f"q{i}" for i, name in enumerate(local.coordinates)}
    pairs = [(own[i], own[j]) for i, j in mass]
    return dict(zip(pairs, substitute_all(entries, names), strict=True))


def _look(
    model: Lagrangian, formulas: FormulaList, name: str, law: Expr, stop: bool = False, direction: int = 0
) -> Watch:
    """A law as an expression to look at."""
    order = _order(model)
    local = _local(_coordinates([law], order), [law])
    program = value_program(local.kernel("watch", Contribution()), substitute(law, local.names([law])))
    return make_watch(name, program, local.places(order), formulas.places(local.formulas), stop, direction)


def _algebra(model: Lagrangian, system: System, equations: Mapping[str, Watch]) -> Iterator[Algebraic]:
    """What vanishes of each algebraic value: q̈ − w, −λ − w, or the equation of a variable."""
    rows = {row.name: i for i, row in enumerate(system.rows)}
    for name in model.algebra:
        sheet = Sheet(system)
        if name in equations:
            yield sheet.close(name, _copy(sheet, equations[name]), implicit=True)
            continue
        b, held = sheet.b, name.removesuffix(SIGN)
        if name.endswith(SIGN):
            value = b.neg(sheet.multiplier(rows[held] if held in rows else rows[stop_row(held)]))
        else:
            value = sheet.read("a", system.index[name.removesuffix("''")])
        yield sheet.close(name, b.sub(value, sheet.read("q", system.inputs[name])))


def _calls(model: Lagrangian, system: System, arguments: Mapping[str, list[Watch]]) -> Iterator[OpaqueValue]:
    for call in model.opaque:
        sheets = [(Sheet(system), x) for x in arguments[call.name]]
        given = tuple(sheet.close("argument", _copy(sheet, x)) for sheet, x in sheets)
        yield OpaqueValue(name=call.name, function=call.function, arguments=given)


def _copy(sheet: Sheet, law: Watch) -> int:
    return sheet.copy(law.program, law.coordinates.tolist(), law.columns.tolist())["v"][0]


def mark(model: Lagrangian, points: Mapping[str, Sequence[Expr]]) -> dict[str, Marker]:
    """Points of a model besides those it names, with its values."""
    formulas = FormulaList(model.values)
    markers = {name: _marker(model, place, formulas) for name, place in points.items()}
    numbers = formulas.freeze(None).compute(model.values)
    return {name: replace(m, parameters=numbers[m.columns]) for name, m in markers.items()}


def _marker(model: Lagrangian, place: Sequence[Expr], formulas: FormulaList) -> Marker:
    order = _order(model)
    local = _local(_coordinates(place, order), place)
    names = local.names(place)
    program = motion_program(local.kernel("marker", Contribution()), [substitute(x, names) for x in place])
    return Marker(
        program=program,
        coordinates=np.array(local.places(order), dtype=np.int64),
        parameters=np.zeros(len(local.parameters)),
        columns=np.array(formulas.places(local.formulas), dtype=np.int64),
    )
