"""Other values for the same mechanism: what depends on them is computed and checked again, and nothing else.

This is the short way. Where values ask for more (a formula for a parameter, a number that something is to be said
about) it makes nothing, and the mechanism is made from the beginning, which says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError, InputError, Problem, Ref
from linkwork.model.bodies import Body, Placed, place_body
from linkwork.model.check.connections import check_directions, check_parameters
from linkwork.model.check.findings import Findings
from linkwork.model.check.laws import check_coefficient
from linkwork.model.check.mechanism import (
    check_fixed_point,
    check_mass_at_springs,
    check_start,
    check_time,
)
from linkwork.model.check.rigids import check_rigid
from linkwork.model.check.signals import check_signals
from linkwork.model.complete import Space, all_laws
from linkwork.model.connections import Joint
from linkwork.model.convert import as_exprs
from linkwork.model.families import FAMILIES
from linkwork.model.joints.words import resolve_joint
from linkwork.model.laws import Damper, is_constant
from linkwork.model.part import Part, set_field
from linkwork.model.parts import Rigid
from linkwork.symbolic import Evaluation, Expr, Number, evaluate_all, evaluate_columns, free_symbols

if TYPE_CHECKING:
    from linkwork.model.mechanism import Mechanism

Look = Callable[[Findings], object]
T = TypeVar("T")
NOWHERE = Ref("")  # of problems that are found again, with their place, from the beginning


@dataclass(frozen=True, slots=True)
class _Check:
    """Something to look at again when one of these parameters changes."""

    names: frozenset[str]
    look: Look


class Revaluer:
    """What does not change with values, found once for a mechanism and all that is made of it by other values."""

    def __init__(self, mechanism: Mechanism, exprs: Iterable[Expr]) -> None:
        self.findings = Findings(mechanism)
        self.fields = [field.name for field in fields(mechanism)]
        listed = [(names_in(used), look) for used, look in _list_checks(mechanism)]
        self.checks = [_Check(names, look) for names, look in listed if names]
        self.exprs = list(dict.fromkeys(exprs))
        self.prepared: dict[tuple[str, ...], tuple[list[Expr], Evaluation]] = {}
        self.of_name: dict[str, list[Expr]] = {}
        for expr in self.exprs:
            for name in names_in([expr]):
                self.of_name.setdefault(name, []).append(expr)

    def make(self, old: Mechanism, changes: Mapping[str, Expr]) -> Mechanism | None:
        """The mechanism with other numbers for some parameters; None if this is not enough."""
        if not is_short(old.parameters, changes):
            return None
        following = find_following(old.parameters, changes)
        changed, values = (*changes, *following), dict(old.values)
        try:
            values.update(zip(changes, evaluate_all(changes.values(), {}), strict=True))
            for name in following:
                values[name] = evaluate_all([old.parameters[name]], values)[0]
            exprs, evaluation = self._prepare(changed)
            numbers = dict(zip(exprs, evaluation.compute(values), strict=True))
        except ExpressionError:
            return None
        parameters = {**old.parameters, **changes}
        new = self.copy(old, parameters, values, {**self.kept(old), **numbers})
        return new if self.is_good(new, self.find_checks(changed)) else None

    def depending(self, names: Iterable[str]) -> list[Expr]:
        """The expressions that contain one of these parameters."""
        return list(dict.fromkeys(expr for name in names for expr in self.of_name.get(name, ())))

    def _prepare(self, names: tuple[str, ...]) -> tuple[list[Expr], Evaluation]:
        """The same, ready to be evaluated; whoever changes values changes the same ones again."""
        found = self.prepared.get(names)
        if found is None:
            exprs = self.depending(names)
            found = exprs, Evaluation(exprs)
            self.prepared.clear()
            self.prepared[names] = found
        return found

    def kept(self, old: Mechanism) -> dict[Expr, float]:
        """The numbers of a mechanism that are looked up often."""
        known = old._numbers
        return {expr: known[expr] for expr in self.exprs if expr in known}

    def copy(
        self, old: Mechanism, parameters: Mapping[str, Expr], values: Mapping[str, float], numbers: dict[Expr, float]
    ) -> Mechanism:
        """The same mechanism with these values."""
        new: Mechanism = object.__new__(type(old))
        for name in self.fields:
            set_field(new, name, getattr(old, name))
        set_field(new, "parameters", parameters)
        set_field(new, "values", values)
        set_field(new, "_numbers", numbers)
        return new

    def find_checks(self, changed: Iterable[str]) -> list[Look]:
        """What to look at when these parameters change."""
        names = frozenset(changed)
        return [check.look for check in self.checks if not check.names.isdisjoint(names)]

    def is_good(self, new: Mechanism, looks: Iterable[Look]) -> bool:
        """Whether nothing is to be said about changed values."""
        findings = copy(self.findings)
        findings.mechanism, findings.problems, findings.notes = new, [], []
        for look in looks:
            look(findings)
            if findings.problems or findings.notes:
                return False
        return True


class Members(Generic[T]):
    """Models with many sets of values, each made when it is asked for.

    doubtful   those about which something may be to be said
    """

    def __init__(self, count: int, make: Callable[[int], T], doubtful: Iterable[int]) -> None:
        self.count, self.make, self.doubtful = count, make, tuple(doubtful)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> T:
        return self.make(i)

    def find_errors(self) -> Iterator[tuple[int, InputError]]:
        """The members that cannot be, and why."""
        for i in self.doubtful:
            try:
                self.make(i)
            except InputError as error:
                yield i, error
            except ExpressionError as error:
                yield i, InputError([Problem(what=error.what, remedy=error.remedy)])


class _Columns:
    """A mechanism with columns of values, all of them checked at once."""

    def __init__(self, revaluer: Revaluer, old: Mechanism, columns: Mapping[str, Floats], count: int) -> None:
        self.revaluer, self.old, self.columns = revaluer, old, columns
        self.short = [False] * count
        if not all(isinstance(old.parameters[name], Number) for name in columns):
            return
        following = find_following(old.parameters, columns)
        values: dict[str, Floats] = {name: np.asarray(x) for name, x in old.values.items()} | dict(columns)
        for name in following:
            values[name] = evaluate_columns([old.parameters[name]], values)[0]
        self.changed = [*columns, *following]
        self.exprs = revaluer.depending(self.changed)
        self.rows = _rows([values[name] for name in self.changed], count)
        self.numbers = _rows(evaluate_columns(self.exprs, values), count)
        self.kept = revaluer.kept(old)
        self._check(revaluer.find_checks(self.changed))

    def _check(self, looks: list[Look]) -> None:
        scratch = self.revaluer.copy(self.old, self.old.parameters, {}, {})
        for i, (row, numbers) in enumerate(zip(self.rows, self.numbers, strict=True)):
            if all(map(math.isfinite, row)) and all(map(math.isfinite, numbers)):
                set_field(scratch, "values", self._values(i))
                set_field(scratch, "_numbers", self._numbers(i))
                self.short[i] = self.revaluer.is_good(scratch, looks)

    def _values(self, i: int) -> dict[str, float]:
        return {**self.old.values, **dict(zip(self.changed, self.rows[i], strict=True))}

    def _numbers(self, i: int) -> dict[Expr, float]:
        return {**self.kept, **dict(zip(self.exprs, self.numbers[i], strict=True))}

    def make(self, i: int) -> Mechanism:
        """One of the mechanisms."""
        changes = {name: float(column[i]) for name, column in self.columns.items()}
        if not self.short[i]:
            return self.old.with_parameters(**changes)
        parameters = {**self.old.parameters, **as_exprs(changes, Ref("parameter"))}
        return self.revaluer.copy(self.old, parameters, self._values(i), self._numbers(i))


def with_columns(revaluer: Revaluer, old: Mechanism, columns: Mapping[str, Floats], count: int) -> Members[Mechanism]:
    """A mechanism with columns of values."""
    made = _Columns(revaluer, old, columns, count)
    return Members(count, made.make, [i for i, short in enumerate(made.short) if not short])


def _rows(columns: Iterable[Floats], count: int) -> list[list[float]]:
    """Columns (count,) as rows of floats."""
    full = [np.broadcast_to(column, count) for column in columns]
    rows: list[list[float]] = np.array(full).T.tolist() if full else [[]] * count
    return rows


def names_in(exprs: Iterable[Expr]) -> frozenset[str]:
    """The names that expressions contain."""
    return frozenset(s.name for s in free_symbols(*exprs))


def is_short(parameters: Mapping[str, Expr], changes: Mapping[str, Expr]) -> bool:
    """Whether numbers take the place of numbers."""
    return all(isinstance(expr, Number) and isinstance(parameters[name], Number) for name, expr in changes.items())


def find_following(parameters: Mapping[str, Expr], changed: Iterable[str]) -> list[str]:
    """The parameters that are formulas of changed ones, at first or second hand, each after those it needs."""
    formulas = {name: names_in([expr]) for name, expr in parameters.items() if not isinstance(expr, Number)}
    found, front = set[str](), set(changed)
    while front:
        front = {name for name, needs in formulas.items() if name not in found and not needs.isdisjoint(front)}
        found |= front
    ordered: list[str] = []
    while len(ordered) < len(found):
        ordered += [x for x in formulas if x in found and x not in ordered and not (formulas[x] & found) - {*ordered}]
    return ordered


# -- checks ------------------------------------------------------------------------------------------------------------


def _list_checks(m: Mechanism) -> Iterator[tuple[list[Expr], Look]]:
    """What the checks of a mechanism look at that has values: expressions, and the check of them."""
    for point, place in m.fixed.items():
        yield [*place], partial(check_fixed_point, point=point)
    for body in m.bodies:
        frames = body.frames.values()
        used = [x for frame in frames for x in frame.at]
        yield used, partial(_place_alike, body=body, made=m.words.placed[body.name])
    for part in m.parts:
        yield from RECHECKS.get(type(part), _list_part)(m, part)
    for given in m.given[0]:
        if not given.inertia:
            used = [x for place in (*given.geometry, given.centroid) for x in place]
            yield [given.mass, *used], partial(_complete_rigid_alike, given=given)
    yield [spring.mass for spring in m.springs], check_mass_at_springs
    for joint, said in zip(m.joints, m.given[1], strict=True):
        used = [*(x for v in (*joint.axes, *joint.references) for x in v), *joint.angles]
        yield used, partial(_complete_joint_alike, given=said, made=joint)
    yield [*(m.gravity or ())], partial(_have_values, exprs=m.gravity or ())
    of_signals = [x for state in m.states for x in (state.start, state.scale)] + [*m.all_inputs.values()]
    yield [*of_signals, *m.start.states.values(), *(divisor for _, divisor in m.divisors.values())], check_signals
    for _, _, law in all_laws(m):
        if is_constant(law):
            yield [law], partial(_have_values, exprs=[law])
    yield [m.start.t0, *([] if m.start.tend is None else [m.start.tend])], check_time
    guesses = [*m.start.positions.values(), *m.start.velocities.values()]
    turns = [*m.start.angles.values(), *m.start.rates.values()]
    yield [*(guess.value for place in guesses for guess in place), *(guess.value for guess in turns)], check_start


def _list_part(m: Mechanism, part: Part) -> Iterator[tuple[list[Expr], Look]]:
    check = FAMILIES[type(part)].check
    yield [*part.values()], lambda findings: check(findings, part)


def _list_rigid(m: Mechanism, rigid: Rigid) -> Iterator[tuple[list[Expr], Look]]:
    held = [x for point in rigid.points if point in m.fixed for x in m.fixed[point]]
    yield [*rigid.values(), *held], partial(check_rigid, rigid=rigid)


def _list_joint(m: Mechanism, joint: Joint) -> Iterator[tuple[list[Expr], Look]]:
    used = [*(x for v in (*joint.axes, *joint.references) for x in v), *joint.angles]
    yield used, partial(check_directions, joint=joint)
    yield [*joint.parameters.values()], partial(check_parameters, joint=joint)


def _list_damper(m: Mechanism, damper: Damper) -> Iterator[tuple[list[Expr], Look]]:
    yield [damper.force], partial(check_coefficient, damper=damper)


# what is not all of the check of a part over its values
RECHECKS: dict[type[Part], Callable[..., Iterator[tuple[list[Expr], Look]]]] = {
    Rigid: _list_rigid,
    Joint: _list_joint,
    Damper: _list_damper,
}


def _have_values(findings: Findings, exprs: Iterable[Expr]) -> None:
    findings.numbers(exprs, NOWHERE, "")


def _place_alike(findings: Findings, body: Body, made: Placed) -> None:
    _must_be_alike(findings, place_body(body, findings.mechanism.dimension, findings.mechanism.values) == made)


def _complete_rigid_alike(findings: Findings, given: Rigid) -> None:
    m = findings.mechanism
    space = Space(m.dimension, m.values)
    _must_be_alike(findings, space.rigid(given) == m.find_rigid(given.name) and not space.problems)


def _complete_joint_alike(findings: Findings, given: Joint, made: Joint) -> None:
    m = findings.mechanism
    resolved = resolve_joint(given, m.dimension, m.words.bodies, m.words.placed)
    _must_be_alike(findings, Space(m.dimension, m.values).joint(resolved) == made)


def _must_be_alike(findings: Findings, alike: bool) -> None:
    """What was left open is to be filled in the same way."""
    if not alike:
        findings.note(NOWHERE, "it is to be completed in another way")
