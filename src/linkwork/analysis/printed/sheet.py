"""What is printed, in order and independent of the format: Equations in, sections of named formulas out.

Subexpressions that occur often get names of their own, sums too long to be read back are split, and of a large
mechanism only the beginning is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from linkwork.analysis.printed.collected import is_constant
from linkwork.analysis.printed.derivation import Derivation, Instance
from linkwork.analysis.printed.names import Names
from linkwork.equations import Contribution, System
from linkwork.symbolic import ZERO, Expr, Kind, Number, Sum, Symbol, free_symbols, symbol, to_text
from linkwork.symbolic.algebra import scale
from linkwork.symbolic.parse import MAX_LENGTH
from linkwork.symbolic.shared import name_shared

LIMIT = 50  # coordinates or constraints up to which everything is printed; of more, so many
SPLIT = MAX_LENGTH * 4 // 5  # characters of a sum that are written in one piece


@dataclass(frozen=True, slots=True)
class Statement:
    """name = Σ terms or, in a section of equations, name: Σ terms = 0; `of` is the coordinate of a force."""

    name: str
    terms: tuple[Expr, ...]
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Statements under a title; `missing` says in words what was left out."""

    title: str
    statements: tuple[Statement, ...]
    equations: bool = False
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """All sections by key; the symbols that occur, parameters with values, what stands for calls of functions that
    nobody can trace, and names that could not be kept."""

    title: str
    summary: str
    parameters: dict[Symbol, float]
    called: dict[Symbol, str]
    symbols: frozenset[Symbol]
    sections: dict[str, Section]
    renamed: dict[str, str]

    def label(self, key: str) -> str:
        """The name of what a section defines; of several things, the last."""
        return self.sections[key].statements[-1].name if key in self.sections else ""


def compose(equations: Derivation, title: str, limit: int | None = LIMIT) -> Sheet:
    """Everything, or the first `limit` parts, constraints and equations of a mechanism that has more than that."""
    system = equations.system
    composer = _Composer(equations, limit)
    sections = composer.abbreviated({key: s for key, s in composer.sections() if s.statements})
    used = free_symbols(*(term for s in sections.values() for line in s.statements for term in line.terms))
    return Sheet(
        title=" ".join("".join(c if c.isprintable() else " " for c in title).split()),
        summary=_summary(system),
        parameters={p: value for p, value in equations.parameters.items() if p in used},
        called={s: call for s, call in equations.called.items() if s in used},
        symbols=used,
        sections=sections,
        renamed={s.name: name for s, name in equations.renamed.items() if s in used},
    )


def _summary(system: System) -> str:
    states = [counted(len(system.states), "state")] if system.states else []
    places = counted(int(system.mechanical.sum()), "coordinate")
    return ", ".join([places, *states, counted(system.m, "constraint")])


class _Composer:
    """Makes the sections; `limit` is None if everything is taken."""

    def __init__(self, equations: Derivation, limit: int | None) -> None:
        self.equations = equations
        self.names = Names(equations.names.taken)
        whole = limit is None or max(equations.system.n, equations.system.m) <= limit
        self.limit = None if whole else limit

    # -- sections ----------------------------------------------------------------------------------------------------

    def sections(self) -> Iterator[tuple[str, Section]]:
        e = self.equations
        T, V, L, R = (
            self.names.take(*wishes)
            for wishes in (("T", "kinetic"), ("V", "potential"), ("L", "lagrangian"), ("R", "dissipation"))
        )
        if e.balanced:
            found = self.potential(V)
            yield (
                "potential",
                replace(found, statements=() if found.statements[-1].terms == (ZERO,) else found.statements),
            )
        else:
            keys, missing = self.some_instances(lambda c: c.kinetic is not ZERO)
            yield "kinetic", self.define("Kinetic energy", T, e.derive_kinetic(keys), missing)
            yield "potential", self.potential(V)
            yield "lagrangian", self.define("Lagrangian", L, symbol(T) - symbol(V))
        keys, missing = self.some_instances(lambda c: c.dissipation is not ZERO)
        if keys:
            yield "dissipation", self.define("Dissipation (Rayleigh)", R, e.derive_dissipation(keys), missing)
        solved = e.derive_values()
        values = tuple(Statement(s.name, summands(expr)) for s, expr, implicit in solved if not implicit)
        yield "values", Section(title="Algebraic values", statements=values)
        yield "forces", self.forces()
        yield from self.constraints()
        moved = tuple(Statement(f"{s.name}'", summands(rate)) for s, rate in e.moved.items())
        yield "kinematics", Section(title="Kinematics: rates of axes and what moves with them", statements=moved)
        yield "motion", self.motion("Equations of motion", np.flatnonzero(e.system.mechanical).tolist())
        yield "states", self.motion("States", list(e.system.states.values()))
        rest = tuple(Statement(s.name, summands(expr)) for s, expr, implicit in solved if implicit)
        yield "implicit", Section(title="Variables by equations", statements=rest, equations=True)

    def define(self, title: str, name: str, expr: Expr, missing: str = "") -> Section:
        return Section(title=title, statements=(Statement(name, summands(expr)),), missing=missing)

    def potential(self, total: str) -> Section:
        """V by kind and in total."""
        e, lines, gaps = self.equations, [], []
        for kind in e.kinds:
            keys, missing = self.some_instances(lambda c, kind=kind: kind in c.potential)  # type: ignore[misc]
            energy = e.derive_potential(kind, keys)
            if energy is not ZERO:
                lines.append(Statement(self.names.take(f"{total}_{kind}"), summands(energy)))
                gaps += [missing] if missing else []
        if len(lines) == 1:
            lines = [replace(lines[0], name=total)]
        else:
            lines.append(Statement(total, tuple(symbol(line.name) for line in lines) or (ZERO,)))
        return Section(title="Potential energy", statements=tuple(lines), missing="; ".join(gaps))

    def forces(self) -> Section:
        e = self.equations
        coordinates, missing = self.some(e.forced, "applied force")
        lines = []
        for j in coordinates:
            of = e.q[j].name
            lines.append(Statement(self.names.take(f"Q_{of}"), summands(e.derive_force(j)), of))
        return Section(title="Applied forces", statements=tuple(lines), missing=missing)

    def constraints(self) -> Iterator[tuple[str, Section]]:
        e, holonomic = self.equations, self.equations.system.holonomic.tolist()
        for key, title, kept in (
            ("constraints", "Constraints", True),
            ("velocity_constraints", "Constraints of velocities", False),
        ):
            rows, missing = self.some([row for row, g in enumerate(holonomic) if g == kept], "constraint")
            lines = [Statement(e.row_name(row), summands(e.derive_constraint(row))) for row in rows]
            yield key, Section(title=title, statements=tuple(lines), equations=True, missing=missing)

    def motion(self, title: str, places: Sequence[int]) -> Section:
        e = self.equations
        coordinates, missing = self.some(places, "equation")
        lines = []
        for j in coordinates:
            terms = [part for term in e.derive_motion(j) for part in summands(term)]
            lines.append(Statement(e.labels[j], tuple(terms) or (ZERO,)))
        return Section(title=title, statements=tuple(lines), equations=True, missing=missing)

    # -- a part of it ------------------------------------------------------------------------------------------------

    def some(self, items: Sequence[int], what: str) -> tuple[Sequence[int], str]:
        """As many as wanted, and what is missing in words."""
        more = 0 if self.limit is None else len(items) - self.limit
        return (items[: self.limit], counted(more, f"more {what}")) if more > 0 else (items, "")

    def some_instances(self, wanted: Callable[[Contribution], bool]) -> tuple[list[Instance], str]:
        terms = self.equations.system.terms
        used = {k for k, term in enumerate(terms) if wanted(term.kernel.contribution)}
        keys = [key for key in self.equations.instances if key[0] in used]
        chosen, missing = self.some(range(len(keys)), "part")
        return [keys[i] for i in chosen], missing

    # -- shorter -----------------------------------------------------------------------------------------------------

    def abbreviated(self, sections: dict[str, Section]) -> dict[str, Section]:
        """The sections over subexpressions that have got names, with sums of bounded length."""
        terms = [term for section in sections.values() for line in section.statements for term in line.terms]
        numbers = count(1)

        def make() -> Symbol:
            return symbol(self.names.take(f"z{next(numbers)}"), kind=Kind.ABBREVIATION)

        definitions, shorter = name_shared(terms, make)
        named = [part for z, expr in definitions for part in self.split(Statement(z.name, summands(expr)))]
        left = iter(shorter)
        found: dict[str, Section] = {}
        for key, section in sections.items():
            lines = []
            for line in section.statements:
                *parts, last = self.split(replace(line, terms=tuple(next(left) for _ in line.terms)))
                named += parts
                lines.append(last)
            found[key] = replace(section, statements=tuple(lines))
        shared = {"shared": Section(title="Abbreviations", statements=tuple(named))} if named else {}
        return shared | found

    def split(self, line: Statement) -> list[Statement]:
        """The statement, after its partial sums if it is too long to be read back in one piece."""
        chunks: list[list[Expr]] = [[]]
        length = 0
        for term in line.terms:
            size = len(to_text(term)) + 3
            if length + size > SPLIT and chunks[-1]:
                chunks.append([])
                length = 0
            chunks[-1].append(term)
            length += size
        if len(chunks) == 1:
            return [line]
        parts = [Statement(self.names.take(f"{line.name}_{k}"), tuple(terms)) for k, terms in enumerate(chunks, 1)]
        return [*parts, replace(line, terms=tuple(symbol(part.name) for part in parts))]


def counted(count: int, what: str) -> str:
    """1 part, 2 parts."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def summands(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum as they are written: what moves before what is constant, a positive one first."""
    if not isinstance(expr, Sum):
        return (expr,)
    pairs = sorted(expr.terms, key=lambda pair: is_constant(pair[1]))
    first = next((k for k, (coefficient, _) in enumerate(pairs) if coefficient > 0), 0)
    terms = [scale(coefficient, term) for coefficient, term in (pairs[first], *pairs[:first], *pairs[first + 1 :])]
    return (*terms, Number(expr.constant)) if expr.constant != 0 else tuple(terms)
