"""A module: the model of a system, free or composed of others, with all that follows from it.

    q̇ = N u + n                 kinematics, by coordinate
    constraints of order 0, 1, 2  in coordinates, speeds, accelerations; lower orders are differentiated upwards
    d = F − M u̇                  applied and inertia forces, by speed

A subsystem's own complement C̃ takes its independent speeds to all of its speeds. Over the independent speeds of all
subsystems and the speeds a system adds, its own constraints have the Jacobian A, whose complement is C. The balance of
the whole is Cᵀ [d̄₁; d̄₂; ...] = 0, and diag(C̃ₙ) C takes its independent speeds to all speeds of all levels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import InputError, Problem, Ref, show_value
from linkwork.garbage import rarely_collected
from linkwork.given import as_map
from linkwork.modular.elimination import Point, eliminate, sample_points, values_at
from linkwork.modular.identities import check_rules
from linkwork.modular.labelled import COLUMN, Labelled, assemble
from linkwork.modular.names import Find, Names, acceleration, rate_of, refuse
from linkwork.modular.rotations import Matrix
from linkwork.modular.rules import Rule, Rules
from linkwork.modular.samples import describe_conflict, find_samples
from linkwork.native.saddle import join
from linkwork.symbolic import (
    ZERO,
    Expr,
    Symbol,
    add,
    differentiate,
    evaluate_all,
    free_symbols,
    multiply,
    substitute,
    substitute_all,
)
from linkwork.symbolic import jacobian as derive_jacobian

if TYPE_CHECKING:
    from linkwork.modular.linear import LinearModel
    from linkwork.pipeline import Model

NOWHERE = "Change or leave out one of them; if there is a place where all hold, tell one nearby as at={name: number}"
NOTHING = 1e-11  # of the size of numbers near one: what vanishes at all sample points

Orders = Mapping[int, Mapping[str, Expr]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Module:
    """The model of a system; made by `newton_euler`, `compose` and their like. What is its own is said here:

    own_coordinates, own_speeds    variables that no subsystem has
    own_kinematics                 rates of its coordinates, linear in speeds
    definitions                    by order, what is true of its variables by definition: ω of the rates of angles
    own_constraints                by order, what it demands
    own_inertia, own_applied       d = applied − inertia by speed; inertia is linear in accelerations
    own_independent                the independent speeds of the whole; None: the plainest
    how                            the kind of complement
    at                             numbers of parameters for which rows are judged, and of variables near a place
    kinetic, potential             energies of its own, where they are known
    by_energies                    whether inertia is known to be that of the kinetic energy, by Lagrange's equations
    short                          other names of variables, and names of outputs: "B.px", "F.y1"
    values                         of parameters, where they come with it
    words                          what else formulas may name; bodies: the names of those that words tell of in space
    """

    label: str
    description: str = ""
    subsystems: tuple[Module, ...] = ()
    own_coordinates: tuple[Symbol, ...] = ()
    own_speeds: tuple[Symbol, ...] = ()
    own_kinematics: Mapping[Symbol, Expr] = field(default_factory=dict)
    definitions: Orders = field(default_factory=dict)
    own_constraints: Orders = field(default_factory=dict)
    own_inertia: Mapping[str, Expr] = field(default_factory=dict)
    own_applied: Mapping[str, Expr] = field(default_factory=dict)
    own_independent: tuple[str, ...] | None = None
    how: str = "exact"
    at: Mapping[str, float] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)
    kinetic: Expr | None = None
    potential: Expr | None = None
    by_energies: bool = False
    own_frames: Mapping[str, Matrix] = field(default_factory=dict)
    short: Mapping[str, Expr] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    words: Find | None = None
    bodies: tuple[str, ...] = ()

    # -- all levels ----------------------------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> tuple[Module, ...]:
        """All systems, each after its subsystems."""
        return (*(m for sub in self.subsystems for m in sub.levels), self)

    @cached_property
    def coordinates(self) -> tuple[Symbol, ...]:
        """All coordinates."""
        return tuple(s for m in self.levels for s in m.own_coordinates)

    @cached_property
    def speeds(self) -> tuple[Symbol, ...]:
        """All speeds."""
        return tuple(s for m in self.levels for s in m.own_speeds)

    @property
    def spins(self) -> tuple[str, ...]:
        """The names of all angular velocities of bodies."""
        return tuple(s.name for s in self.speeds if s.name.startswith("w_"))

    @cached_property
    def kinematics(self) -> dict[Symbol, Expr]:
        """The rates of all coordinates."""
        return {q: rate for m in self.levels for q, rate in m.own_kinematics.items()}

    @cached_property
    def frames(self) -> dict[str, Matrix]:
        """The rotation matrices of all bodies, by label."""
        return {label: R for m in self.levels for label, R in m.own_frames.items()}

    @cached_property
    def names(self) -> dict[str, Expr]:
        """Short names of all variables and outputs."""
        return {name: s for m in self.levels for name, s in m.short.items()}

    def find(self, name: str) -> Expr | None:
        """What else a name stands for, at any level."""
        found = (m.words(name) for m in self.levels if m.words is not None)
        return next((e for e in found if e is not None), None)

    @cached_property
    def all_rules(self) -> Rules:
        """The rules of all levels."""
        found = Rules()
        for m in self.levels:
            found = found + m.rules
        return found

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of all parameters."""
        exprs = [*self.kinematics.values()]
        for m in self.levels:
            exprs += m.own_applied.values()
            exprs += () if m.by_energies else m.own_inertia.values()
            exprs += [e for order in (m.definitions, m.own_constraints) for c in order.values() for e in c.values()]
        exprs += [e for m in self.levels for e in (m.kinetic, m.potential) if e is not None]
        return tuple(sorted(s.name for s in free_symbols(*exprs) if s.kind == "parameter"))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of inputs that nothing is connected to yet."""
        exprs = [*self.kinematics.values()]
        exprs += [e for m in self.levels for e in (*m.own_applied.values(), m.kinetic) if e is not None]
        return tuple(sorted(s.name for s in free_symbols(*exprs) if s.kind == "input"))

    def rate(self, expr: Expr) -> Expr:
        """The rate of an expression, by the kinematics."""
        total: list[Expr] = []
        for s in sorted(free_symbols(expr), key=lambda s: s.name):
            rate = self.kinematics[s] if s in self.kinematics else rate_of(s)
            if rate is not ZERO:
                total.append(multiply(differentiate(expr, s), rate))
        return add(*total)

    # -- constraints ---------------------------------------------------------------------------------------------------

    @cached_property
    def completed(self) -> dict[int, dict[str, Expr]]:
        """The constraints of its own at each order, with the rates of those one order below."""
        found: dict[int, dict[str, Expr]] = {0: dict(self.own_constraints.get(0, {}))}
        for order in (1, 2):
            given = dict(self.own_constraints.get(order, {}))
            rates = {f"{name}'": self.rate(e) for name, e in found[order - 1].items()}
            seen = set(given.values())
            kept = {name: e for name, e in rates.items() if e not in seen and not _vanishes(e)}
            found[order] = kept | given
        return found

    @cached_property
    def constraints(self) -> dict[int, dict[str, Expr]]:
        """The constraints of all levels at each order."""
        return {order: {n: e for m in self.levels for n, e in m.completed[order].items()} for order in (0, 1, 2)}

    @cached_property
    def own_jacobian(self) -> Labelled:
        """∂(constraints of its own)/∂(all speeds)."""
        only = self.own_constraints.get(2, {})
        lower = self.completed[1]
        names = [s.name for s in self.speeds]
        rows = [
            *_sparse_rows(lower, self.speeds),
            *_sparse_rows(only, [acceleration(s) for s in self.speeds]),
        ]
        entries = {(name, s.removesuffix("'") if name in only else s): e for name, row in rows for s, e in row.items()}
        return Labelled.of([name for name, _ in rows], names, entries)

    @cached_property
    def jacobian(self) -> Labelled:
        """∂(constraints of all levels)/∂(all speeds)."""
        rows = [m.own_jacobian for m in self.levels if m.own_jacobian.rows]
        empty = Labelled([], [s.name for s in self.speeds], [])
        return assemble(empty, *rows)

    @cached_property
    def _below(self) -> Labelled:
        """diag(C̃ₙ, 1): from what subsystems leave free, and the speeds that are added, to all speeds."""
        own = [s.name for s in self.own_speeds]
        parts = [sub.total_complement for sub in self.subsystems]
        return assemble(*parts, Labelled.identity(own)) if own or not parts else assemble(*parts)

    @cached_property
    def A(self) -> Labelled:
        """The Jacobian of its own constraints over what its subsystems leave free."""
        part: Labelled = self.own_jacobian[:, self._below.rows]
        return part @ self._below

    @cached_property
    def C(self) -> Labelled:
        """The complement of A."""
        if not self.A.rows:
            return Labelled.identity(self.A.columns)
        try:
            C = self.A.complement(
                self.own_independent, how=self.how, label=self.label, tidy=self._tidy, points=self._samples
            )
        except InputError as error:
            problems = [replace(p, part=f"system '{self.label}'") for p in error.problems]
            raise InputError(map(self._doubted, problems)) from None
        if self.how == "exact":
            self._check_rank(self.A)
        else:
            self._check_agreement(self.redundant if len(C.columns) > len(self.A.columns) - len(self.A.rows) else ())
        return C

    def _check_rank(self, A: Labelled) -> None:
        """An error if rows follow from others where all constraints hold, though not elsewhere; or if they never hold.

        The bars of a parallelogram say twice that two of them are parallel, but only when it is closed.
        """
        points = find_samples(self, self.judged_at, count=1) if A.rows else []
        for tied in (_find_tied(A, point) for point in points):
            if tied:
                what = f"of {len(A.rows)} rows some follow from others where all constraints hold: {', '.join(tied)}"
                remedy = 'Leave out those that repeat others, or use how="least squares"'
                raise refuse(f"system '{self.label}'", what, remedy)
        if A.rows and not points:
            self._check_conflict(NOWHERE)

    def _doubted(self, problem: Problem) -> Problem:
        """What is wrong with rows that repeat each other: perhaps they contradict each other."""
        if "follow from others" not in problem.what:
            return problem
        if find_samples(self, self.judged_at):
            tied = ", ".join(self._tied())
            return replace(problem, what=f"{problem.what}; those that take part: {tied}") if tied else problem
        conflict = describe_conflict(self, self.judged_at)
        what = f"{problem.what}; no place was found where all constraints hold" + (f": {conflict}" if conflict else "")
        return replace(problem, what=what, remedy="Do they contradict each other? Leave out those that are wrong")

    def _tied(self) -> list[str]:
        """The rows that take part in redundancy."""
        return _find_tied(self.A, next(iter(find_samples(self, self.judged_at))))

    def _check_agreement(self, rows: Sequence[str]) -> None:
        """An error if there is no place where all constraints hold; some rows repeat others."""
        if self.jacobian.rows and not self._samples and not find_samples(self, self.judged_at):
            told = f"Change or leave out one of them; {', '.join(rows)} repeat others"
            self._check_conflict(told if rows else NOWHERE)

    def _check_conflict(self, remedy: str) -> None:
        """An error that tells who contradicts whom, where no place was found at which all constraints hold.

        None if that may be for the sake of numbers that nobody gave.
        """
        known = self.judged_at
        exprs = [e for order in (0, 1) for e in self.constraints[order].values()]
        if exprs and any(s.kind == "parameter" and s.name not in known for s in free_symbols(*exprs)):
            return
        if conflict := describe_conflict(self, known):
            raise refuse(f"system '{self.label}'", f"the constraints contradict each other: {conflict}", remedy)

    @property
    def judged_at(self) -> dict[str, float]:
        """Numbers of parameters for which rows and rules are judged."""
        return {name: x for m in self.levels for name, x in m.at.items()}

    @cached_property
    def _samples(self) -> list[Point]:
        """Points on the constraints, where rows that follow from others are looked for; none if none are expected."""
        if all(m.how == "exact" for m in self.levels):
            return []
        return find_samples(self, self.judged_at)

    @property
    def redundant(self) -> tuple[str, ...]:
        """The constraints of its own that follow from others."""
        found = eliminate(self.A.by_row, self.A.columns, points=self._samples)
        return tuple(self.A.rows[i] for i in found.redundant)

    @property
    def rank(self) -> int:
        """How many of its own constraints are independent."""
        return len(self.A.rows) - len(self.redundant)

    def _tidy(self, expr: Expr) -> Expr:
        return self.all_rules.simplify(expr) if self.all_rules else expr

    @cached_property
    def total_complement(self) -> Labelled:
        """From the independent speeds of the whole to all speeds of all levels."""
        return self._below @ self.C

    @property
    def independent(self) -> tuple[str, ...]:
        """The independent speeds."""
        return self.C.columns

    @cached_property
    def freedoms(self) -> int:
        """How many speeds are independent."""
        return len(self.independent)

    # -- dynamics ------------------------------------------------------------------------------------------------------

    @property
    def own_forces(self) -> dict[str, Expr]:
        """d of its own, by speed: applied and inertia forces."""
        names = dict.fromkeys((*self.own_applied, *self.own_inertia))
        return {n: self.own_applied.get(n, ZERO) - self.own_inertia.get(n, ZERO) for n in names}

    def _total(self, of: Callable[[Module], Mapping[str, Expr]]) -> dict[str, Expr]:
        """By speed, the sum over all levels."""
        sums: dict[str, list[Expr]] = {s.name: [] for s in self.speeds}
        for m in self.levels:
            for name, e in of(m).items():
                if name not in sums:
                    what = f"the dynamics have a row '{name}', which is no speed"
                    raise refuse(f"system '{m.label}'", what, f"Speeds are {', '.join(sums)}")
                sums[name].append(e)
        return {name: add(*parts) for name, parts in sums.items()}

    @cached_property
    def inertia(self) -> dict[str, Expr]:
        """What inertia asks for, by speed."""
        return self._total(lambda m: m.own_inertia)

    @cached_property
    def applied(self) -> dict[str, Expr]:
        """Applied forces by speed."""
        return self._total(lambda m: m.own_applied)

    @cached_property
    def assembled_by_speed(self) -> dict[str, Expr]:
        """d by speed, as all levels give it."""
        return {s.name: self.applied[s.name] - self.inertia[s.name] for s in self.speeds}

    @property
    def assembled(self) -> Labelled:
        """d before constraints: applied and inertia forces by speed."""
        return Labelled.column(self.assembled_by_speed)

    @cached_property
    def balance(self) -> Labelled:
        """Cᵀ d of the subsystems: the equations of motion, each = 0, by independent speed."""
        parts = [sub.balance for sub in self.subsystems]
        own = Labelled.column(dict(self.own_forces))
        inner = [name for name in own.rows if name not in self._below.columns]
        if inner:
            # forces of its own on speeds that a subsystem has already expressed by others
            below = assemble(own, Labelled.column(dict.fromkeys(self._below.rows, ZERO)))
            own = self._below.T @ below
        d = assemble(*parts, own, Labelled.column(dict.fromkeys(self._below.columns, ZERO)))
        return (self.C.T @ d).apply(self._tidy)

    @cached_property
    def accelerations(self) -> list[Symbol]:
        """The rates of all speeds."""
        return [acceleration(s) for s in self.speeds]

    @cached_property
    def mass(self) -> Labelled:
        """M of d = F − M u̇, over all speeds."""
        names = [s.name for s in self.speeds]
        rows = _sparse_rows(self.assembled_by_speed, self.accelerations)
        return Labelled.of(names, names, {(i, s.removesuffix("'")): -e for i, row in rows for s, e in row.items()})

    @cached_property
    def loads(self) -> Labelled:
        """F of d = F − M u̇."""
        still: dict[Expr, Expr] = dict.fromkeys(self.accelerations, ZERO)
        names = [s.name for s in self.speeds]
        exprs = substitute_all([self.assembled_by_speed[n] for n in names], still)
        return Labelled(names, [COLUMN], [[e] for e in exprs])

    def derive(self, *, explicit: bool = False, progress: Callable[[str], object] | None = None) -> dict[str, float]:
        """Derive everything now, not when it is asked for, and tell the seconds each step has taken.

        `progress` is called with the name of each step that begins, and with its time when it ends: progress=print.
        """
        steps: dict[str, Callable[[], object]] = {
            "constraints": lambda: self.constraints,
            "Jacobian": lambda: self.A,
            "complement": lambda: self.total_complement,
            "balance": lambda: self.balance,
        }
        if progress is not None and not callable(progress):
            raise refuse(f"system '{self.label}'", f"progress: {show_value(progress)} is no function", "Give print")
        if explicit:
            steps["explicit equations"] = self.explicit
        times = {}
        for name, step in steps.items():
            if progress is not None:
                progress(f"{self.label}: {name}")
            begin = perf_counter()
            step()
            times[name] = perf_counter() - begin
            if progress is not None:
                progress(f"{self.label}: {name} in {times[name]:.3f} s")
        return times

    # -- again ---------------------------------------------------------------------------------------------------------

    def rename(self, names: Mapping[str, str], *, share: bool = False) -> Module:
        """The same under other labels and names of variables: {"B": "left", "theta": "theta_left"}.

        Parameters go with the label they carry, m_B to m_left; with `share` they stay.
        """
        from linkwork.modular.renaming import rename_module

        return rename_module(self, names, share=share)

    def copy(self, suffix: str, *, share: bool = True) -> Module:
        """The same once more, with a suffix behind all labels and variables; parameters are shared if not said else."""
        from linkwork.modular.renaming import copy_module

        return copy_module(self, suffix, share=share)

    # -- linear --------------------------------------------------------------------------------------------------------

    def linearize(
        self,
        reference: Mapping[str, Any] | None = None,
        *,
        known: Mapping[str, LinearModel] | None = None,
        rules: Mapping[str, Any] | None = None,
    ) -> LinearModel:
        """The linear model about a reference motion: see `linearize_system`."""
        from linkwork.modular.linear import linearize_system

        return linearize_system(self, reference, known=known, rules=rules)

    # -- motion --------------------------------------------------------------------------------------------------------

    @rarely_collected()
    def model(self, **options: Any) -> Model:
        """The system ready to be worked with.

        parameters    values of all parameters
        start         of coordinates and speeds, by name
        points        {name: (x, y, z)} formulas of places to be drawn, `lines` between them
        variables     {name: formula} of results besides all speeds
        inputs        {name: number} of inputs that nothing is connected to; zero if not told
        and title, t0, tend, events, scales, settings as for a Lagrangian
        """
        from linkwork.modular.models import describe_module
        from linkwork.pipeline import Model

        return Model(describe_module(self, **options))

    # -- explicit ------------------------------------------------------------------------------------------------------

    def explicit(self, rules: Rules | None = None) -> dict[str, Expr]:
        """All accelerations by coordinates and speeds.

        The whole is solved at once, constraints of all levels and multipliers included,

            [M  Aᵀ][u̇]   [F ]
            [A  0 ][λ] = [−γ]

        by pivots that are as plain as possible, so that it does not matter which speeds are independent.
        """
        if rules is not None and not isinstance(rules, Rules):
            raise refuse(f"system '{self.label}'", f"rules: {show_value(rules)} are none", "Give modular.Rules([...])")
        if not rules:
            return dict(self._explicit)
        symbols, part = [*self.coordinates, *self.speeds, *self.accelerations], f"system '{self.label}'"
        names = Names(symbols, self.names, part, self.find)
        added = Rules(Rule(names.read(rule.old, "rule"), names.read(rule.new, "rule")) for rule in rules.rules)
        check_rules(self, added)
        return self._solved(self.all_rules + added)

    @cached_property
    def _explicit(self) -> dict[str, Expr]:
        return self._solved(self.all_rules)

    def _solved(self, known: Rules) -> dict[str, Expr]:
        tidy, neat = known.patient(known.reduce), known.patient(known.simplify)
        names = [s.name for s in self.speeds]
        lam = {row: f"λ {row}" for row in self.jacobian.rows}
        rows: list[dict[str, Expr]] = []
        drift = self._drift()
        for row, entries in zip(self.jacobian.rows, self.jacobian.by_row, strict=True):
            rows.append({j: tidy(e) for j, e in entries.items()} | {COLUMN: tidy(drift[row])})
        columns = dict(zip(names, self.jacobian.T.by_row, strict=True))
        for name, entries in zip(names, self.mass.by_row, strict=True):
            pushed = {lam[row]: tidy(e) for row, e in columns[name].items()}
            rows.append({j: tidy(e) for j, e in entries.items()} | pushed | {COLUMN: tidy(-self.loads[name])})
        found = eliminate(rows, [*names, *lam.values()], tidy=tidy, points=self._samples)
        ties = self.jacobian.rows
        repeated = [ties[i] for i in found.redundant if i < len(ties)]
        plain = not repeated and all(m.how == "exact" for m in self.levels)
        if not plain:
            self._check_agreement(repeated)
        if any(row.keys() == {COLUMN} for i, row in found.left.items() if i < len(ties)):
            what = f"the constraints contradict each other: {describe_conflict(self, self.judged_at)}"
            raise refuse(f"system '{self.label}'", what, "Change or leave out one of them")
        if plain:
            self._check_rank(self.jacobian)
        missing = [name for name in names if name not in found.solved or found.solved[name].keys() - {COLUMN}]
        if missing:
            what = f"nothing determines the rate of {', '.join(missing)}"
            raise refuse(f"system '{self.label}'", what, "Give constraints or dynamics that do")
        return {f"{name}'": neat(found.solved[name].get(COLUMN, ZERO)) for name in names}

    def compute_accelerations(self, values: Mapping[str, float]) -> dict[str, float]:
        """The numbers of all accelerations at numbers of everything else; redundant constraints do no harm."""
        values = as_map(values, Ref(f"system '{self.label}'"), "values")
        M, A, F = (X.evaluate(values) for X in (self.mass, self.jacobian, self.loads))
        drift = self._drift()
        gamma = np.array(evaluate_all([drift[row] for row in self.jacobian.rows], values), dtype=float)
        found = np.linalg.lstsq(join(M, A), np.concatenate([F[:, 0], -gamma]), rcond=1e-13)[0]
        return {a.name: float(x) for a, x in zip(self.accelerations, found[: len(M)], strict=True)}

    def _drift(self) -> dict[str, Expr]:
        """γ of the constraints A u̇ + γ = 0, by row of the Jacobian."""
        found: dict[str, Expr] = {}
        still: dict[Expr, Expr] = dict.fromkeys(self.accelerations, ZERO)
        for m in self.levels:
            only = m.own_constraints.get(2, {})
            found |= {row: substitute(self.rate(m.completed[1][row]), still) for row in m.completed[1]}
            found |= {row: substitute(e, still) for row, e in only.items()}
        return found


def _find_tied(A: Labelled, point: Point) -> list[str]:
    """The rows that take part in redundancy at a point: y of yᵀ A = 0 is not zero there."""
    numbers = np.array(values_at([e for row in A.array for e in row], [point]), dtype=float).reshape(len(A.rows), -1)
    if not np.all(np.isfinite(numbers)):
        return []
    U, sizes, _ = np.linalg.svd(numbers)
    rank = int(np.sum(sizes > 1e-9 * max(sizes[0], 1e-300))) if len(sizes) else 0
    share = np.linalg.norm(U[:, rank:], axis=1)
    return [name for name, x in zip(A.rows, share.tolist(), strict=True) if x > 1e-9]


def _sparse_rows(exprs: Mapping[str, Expr], symbols: Iterable[Symbol]) -> list[tuple[str, dict[str, Expr]]]:
    """Derivatives that are not zero, each expression by the symbols it has."""
    known = {s: i for i, s in enumerate(symbols)}
    found = []
    for name, e in exprs.items():
        used = sorted((s for s in free_symbols(e) if s in known), key=known.__getitem__)
        slopes = derive_jacobian([e], used)[0] if used else ()
        found.append((name, {s.name: slope for s, slope in zip(used, slopes, strict=True) if slope is not ZERO}))
    return found


def _vanishes(expr: Expr) -> bool:
    """Whether an expression is zero whatever its symbols, judged by numbers."""
    if not free_symbols(expr):
        return expr is ZERO
    return all(abs(x) < NOTHING for x in values_at([expr], sample_points())[0])
