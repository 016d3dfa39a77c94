"""Algebraic values as programs: the names of reactions and accelerations in laws in, what vanishes out.

A value w of a system obeys ρ = 0 with ρ(q, u, a, λ, w, t) = g − w, where g is the reaction or acceleration over the
coordinates and multipliers of the whole system; the program of a value is its ρ. Reactions themselves are written once,
in `reactions`, over arrays: here their entries are nodes of a program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.equations.collect import Collector
from linkwork.equations.laws import law_program, value_program
from linkwork.equations.reactions import Reactions
from linkwork.equations.system import System
from linkwork.equations.terms import Algebraic, OpaqueValue, Term
from linkwork.errors import Ref
from linkwork.model import Mechanism
from linkwork.model.algebra import Reaction, find_reaction, find_speed
from linkwork.model.laws import FORCES, TORQUES
from linkwork.program import Builder, Program, forward
from linkwork.program.passes import copy_node
from linkwork.symbolic import Expr, symbol

Array = NDArray[Any]


class Entry:
    """A node with the arithmetic of numbers, so that arrays of them can be computed with."""

    __slots__ = ("b", "node")

    def __init__(self, b: Builder, node: int) -> None:
        self.b, self.node = b, node

    def _of(self, x: object) -> int:
        return x.node if isinstance(x, Entry) else self.b.constant(float(x))  # type: ignore[arg-type]

    def __add__(self, x: object) -> Entry:
        return Entry(self.b, self.b.add(self.node, self._of(x)))

    def __sub__(self, x: object) -> Entry:
        return Entry(self.b, self.b.sub(self.node, self._of(x)))

    def __rsub__(self, x: object) -> Entry:
        return Entry(self.b, self.b.sub(self._of(x), self.node))

    def __mul__(self, x: object) -> Entry:
        return Entry(self.b, self.b.mul(self.node, self._of(x)))

    def __neg__(self) -> Entry:
        return Entry(self.b, self.b.neg(self.node))

    __radd__, __rmul__ = __add__, __mul__


class Sheet:
    """A program over a whole system while it is written: its inputs are places, rows and formulas of the system.

    q, u, a and e have the numbers of places, as in Term.coordinates; multipliers count behind all places.
    """

    def __init__(self, system: System) -> None:
        self.system, self.b = system, Builder()
        self.places = system.first_follower + len(system.followers)
        self.columns: dict[int, int] = {}

    def read(self, kind: str, place: int) -> int:
        """A coordinate or follower, its speed or its acceleration; what is fixed or held has none of these."""
        follows = place >= self.system.first_follower
        if kind == "q":
            return self.b.input("e" if follows else "q", place)
        if follows:
            return self._follow(kind, place)
        return self.b.input(kind, place) if place < self.system.n else self.b.zero

    def _follow(self, kind: str, place: int) -> int:
        """The rate ė = N u of a follower, or the rate of this."""
        term, i, k = find_mover(self.system, place)
        kernel, places = term.kernel, term.coordinates[i].tolist()
        law = value_program(kernel, kernel.contribution.kinematics[kernel.followers[k]])
        rate = self.copy(law, places, term.columns[i].tolist())["v"][0]
        return rate if kind == "u" else self.differentiate(rate, places)

    def differentiate(self, node: int, places: Sequence[int]) -> int:
        """The rate of a node that reads some places and their speeds."""
        rates = {self.b.input("t", 0, "t"): self.b.one}
        for place in places:
            if place < self.system.n:
                rates[self.read("u", place)] = self.read("a", place)
            if place < self.system.n or place >= self.system.first_follower:
                rates[self.read("q", place)] = self.read("u", place)
        return forward(self.b, [node], rates)[0]

    def parameter(self, column: int) -> int:
        """The number of a formula."""
        return self.b.input("p", self.columns.setdefault(column, len(self.columns)))

    def multiplier(self, row: int) -> int:
        """The multiplier of a constraint."""
        return self.b.input("lam", self.places + row)

    def copy(self, program: Program, places: Sequence[int], columns: Sequence[int], rows: Sequence[int] = ()) -> Copied:
        """The nodes of a program over local coordinates, now over those of the system."""
        first = len(places)
        sources: dict[str, Callable[[int], int]] = {
            "p": lambda i: self.parameter(columns[i]) if i < len(columns) else self.b.zero,
            "lam": lambda i: self.multiplier(rows[i - first]),
            "t": lambda i: self.b.input("t", 0, "t"),
            **{kind: lambda i, kind=kind: self.read(kind, places[i]) for kind in ("q", "u", "a")},  # type: ignore[misc]
            "e": lambda i: self.read("q", places[i]),
        }
        new: list[int] = []
        for node in program.nodes:
            if node.curve is not None:
                new.append(self.b.lookup(node.curve, new[node.args[1]], int(node.value)))
            elif node.source is not None:
                new.append(self.b.zero if node.source.kind == "c" else sources[node.source.kind](node.source.index))
            else:
                new.append(copy_node(self.b, node, tuple(new[a] for a in node.args), {}))
        return {name: [new[n] for n in group] for name, group in program.outputs.items()}

    def close(self, name: str, node: int, implicit: bool = False) -> Algebraic:
        """The algebraic value for which a node vanishes."""
        columns = np.array(list(self.columns), dtype=np.int64)
        return Algebraic(
            name=name,
            program=self.b.program(v=[node]),
            parameters=self.system.numbers[columns],
            implicit=implicit,
            columns=columns,
        )


Copied = Mapping[str, list[int]]


class ReactionSheet(Reactions):
    """Reactions as nodes of a program over the whole system."""

    def __init__(self, system: System, sheet: Sheet | None = None) -> None:
        self.system, self.sheet = system, sheet or Sheet(system)

    @property
    def count(self) -> int:
        """One state, any."""
        return 1

    def find_forces(self, owner: Ref) -> dict[int, Array]:
        """The forces of an owner, by coordinate."""
        b, forces = self.sheet.b, dict[int, int]()
        for term in self.system.terms:
            for i in (i for i, who in enumerate(term.owners) if who == owner):
                for place, node in zip(term.coordinates[i].tolist(), self._residual(term, i), strict=False):
                    forces[place] = b.add(forces.get(place, b.zero), node)
        return {place: self._array([node]) for place, node in forces.items()}

    def find_place(self, point: str) -> Array:
        """Where a point is."""
        return self._array([self.sheet.read("q", i) for i in self.chart.points[point]])[None, :]

    def _residual(self, term: Term, i: int) -> list[int]:
        places, rows, columns = (x[i].tolist() for x in (term.coordinates, term.rows, term.columns))
        return self.sheet.copy(term.kernel.derived.residual, places, columns, rows)["r"]

    def _array(self, nodes: Sequence[int]) -> Array:
        found = np.empty(len(nodes), dtype=object)
        found[:] = [Entry(self.sheet.b, node) for node in nodes]
        return found

    def node(self, x: object) -> int:
        """The node of an entry, which may be a plain number."""
        return x.node if isinstance(x, Entry) else self.sheet.b.constant(float(x))  # type: ignore[arg-type]


def find_mover(system: System, place: int) -> tuple[Term, int, int]:
    """What moves a follower: a term, the number of the instance, and that of the follower in it."""
    for term in system.kinematics:
        found = np.argwhere(term.coordinates[:, len(term.kernel.coordinates) :] == place)
        if len(found):
            return term, *found[0].tolist()
    raise LookupError(f"nothing moves place {place}")


def derive_reaction(writer: ReactionSheet, name: str, reaction: Reaction) -> Algebraic:
    """The algebraic value of a reaction."""
    b, value = writer.sheet.b, writer.node(_find_component(writer, reaction))
    return writer.sheet.close(name, b.sub(value, writer.sheet.read("q", writer.system.inputs[name])))


def _find_component(writer: ReactionSheet, reaction: Reaction) -> object:
    what = reaction.what
    if what == "force":
        (row,) = (i for i, row in enumerate(writer.system.rows) if is_formula(row.owner, reaction.of))
        return -Entry(writer.sheet.b, writer.sheet.multiplier(row))
    if reaction.point:
        return writer.force_at(reaction.of, reaction.point)[0, FORCES.index(what)]
    force, torque = writer.on_second(reaction.of)
    return force[0, FORCES.index(what)] if what in FORCES else torque[0, TORQUES.index(what) if what in TORQUES else 0]


def is_formula(owner: Ref, name: str) -> bool:
    """Whether something is a constraint by formula of this name."""
    return owner.name == name and owner.kind in ("relation", "velocity", "stop")


def derive_acceleration(f: Collector, system: System, name: str, speed: Expr) -> Algebraic:
    """The algebraic value of the rate of a law of speeds."""
    sheet = Sheet(system)
    rate = sheet.differentiate(*copy_law(sheet, f, speed))
    return sheet.close(name, sheet.b.sub(rate, sheet.read("q", system.inputs[name])))


def copy_law(sheet: Sheet, f: Collector, law: Expr) -> tuple[int, list[int]]:
    """The node of a law on a sheet, and the places that it reads."""
    program, places, columns = _lay_out(f, law)
    return sheet.copy(program, places, columns)["v"][0], places


def _lay_out(f: Collector, law: Expr) -> tuple[Program, list[int], list[int]]:
    program, made = law_program(law, f.see)
    columns = f.formulas.places([*map(symbol, made.parameters), *f.values(made.local)])
    return program, f.places(made.local), columns


def find_laws(f: Collector) -> dict[str, Expr]:
    """Laws of speeds whose rates are values, and of what vanishes; their parameters become formulas of the system."""
    m = f.mechanism
    found = {name: find_speed(name, m.words) for name in m.algebra}
    laws = {name: law for name, law in found.items() if law is not None}
    laws |= {name: implicit.formula for name, implicit in m.implicits.items()}
    for law in laws.values():
        _lay_out(f, law)
    return laws


def lay_out_calls(f: Collector) -> None:
    """The parameters of arguments of opaque functions are among the formulas from then on."""
    for call in f.mechanism.opaque:
        for law in call.arguments:
            _lay_out(f, law)


def derive_calls(f: Collector, system: System) -> tuple[OpaqueValue, ...]:
    """The calls of opaque functions, in an order in which each has its arguments."""

    def derive(law: Expr) -> Algebraic:
        sheet = Sheet(system)
        return sheet.close("argument", copy_law(sheet, f, law)[0])

    return tuple(
        OpaqueValue(name=call.name, function=call.function, arguments=tuple(map(derive, call.arguments)))
        for call in f.mechanism.opaque
    )


def derive_algebra(f: Collector, system: System, laws: Mapping[str, Expr]) -> tuple[Algebraic, ...]:
    """The algebraic values of a mechanism whose system has been collected."""
    found = []
    for name in f.mechanism.algebra:
        reaction = name_reaction(f.mechanism, name)
        if name in f.mechanism.implicits:
            sheet = Sheet(system)
            found.append(sheet.close(name, copy_law(sheet, f, laws[name])[0], implicit=True))
        elif reaction is not None:
            found.append(derive_reaction(ReactionSheet(system), name, reaction))
        else:
            found.append(derive_acceleration(f, system, name, laws[name]))
    return tuple(found)


def name_reaction(m: Mechanism, name: str) -> Reaction | None:
    """The reaction that a name of a value stands for, at a point by the name the part has for it."""
    found = None if name in m.implicits else find_reaction(name, m.words)
    if found is None or not found.point:
        return found
    return replace(found, point=m.words.own_point(found.of, found.point))
