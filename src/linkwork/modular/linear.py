"""Linear models of modules about a reference motion, symbolically and exactly.

    A = A₀ + Σ A_x δx,  C = C₀ + Σ C_x δx,  d = d₀ + d₁
    A₀ C_x + A_x C₀ = 0      rows of C_x are zero where speeds are independent, else −A_r⁻¹ A_x C₀
    d̄ = C₀ᵀ d₀ + C₀ᵀ d₁ + C₁ᵀ d₀

C₁ᵀ d₀ is the stiffness by constraint forces: a pendulum has no other. So d₀ of a subsystem counts even where the
subsystem alone would not be at rest. Deviations are marked: δx is that of x.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.arrays import Floats
from linkwork.errors import ExpressionError, Ref, did_you_mean
from linkwork.given import as_finite, as_map, as_object
from linkwork.modular.elimination import eliminate, sample_points, values_at
from linkwork.modular.labelled import COLUMN, Labelled, assemble
from linkwork.modular.module import Module
from linkwork.modular.names import Names, acceleration, as_formula, as_symbols, refuse
from linkwork.modular.rules import Rules
from linkwork.symbolic import (
    ZERO,
    Expr,
    ExprLike,
    Symbol,
    add,
    evaluate,
    free_symbols,
    jacobian,
    multiply,
    substitute,
    substitute_all,
    symbol,
)

VARIABLE = ("coordinate", "speed", "acceleration")
RESIDUAL = 1e-9  # of numbers near one: what a reference may miss a constraint by

Reference = Mapping[Symbol, Expr]


def deviation(s: Symbol) -> Symbol:
    """The small change of a variable."""
    (one,) = as_symbols([s], "deviation")
    return symbol(f"δ{one.name}", kind=one.kind)


def reference_motion(module: Module, values: Mapping[str, Any] | None = None) -> dict[Symbol, Expr]:
    """The values of all coordinates, speeds and accelerations about which a model is linear: zero unless given."""
    part = Ref("linearize")
    as_object(module, Module, part, "Give a module: that of newton_euler, compose or from_model")
    symbols = [*module.coordinates, *module.speeds, *module.accelerations]
    names = Names(symbols, module.names, f"system '{module.label}'", module.find)
    found: dict[Symbol, Expr] = dict.fromkeys(symbols, ZERO)
    for name, value in as_map(values, part, "reference").items():
        s = names.known.get(name)
        if s not in found:
            remedy = did_you_mean(name, names.known) or "Check the name"
            raise refuse(names.part, f"the reference has '{name}', which is no variable", remedy)
        assert isinstance(s, Symbol)
        found[s] = names.read(value, f"reference of '{name}'")
    return found


def linearize(expr: Expr, reference: Mapping[Any, ExprLike] | None = None) -> Expr:
    """f(x°) + Σ ∂f/∂x δx.   What the reference does not tell is zero there.

    >>> x, v = symbol("x", kind="coordinate"), symbol("x'", kind="speed")
    >>> linearize(x * v, {x: 1})
    δx'
    """
    given = {name: as_formula(e, "reference") for name, e in _named(reference).items()}
    expr = as_formula(expr, "linearize")
    moving = sorted((s for s in free_symbols(expr) if s.kind in VARIABLE), key=lambda s: s.name)
    still: dict[Expr, ExprLike] = {s: given.get(s.name, ZERO) for s in moving}
    slopes = jacobian([expr], moving)[0] if moving else ()
    at = substitute_all([expr, *slopes], still)
    return add(at[0], *(multiply(slope, deviation(s)) for s, slope in zip(moving, at[1:], strict=True)))


def linearize_system(
    module: Module,
    reference: Mapping[Any, Any] | None = None,
    *,
    known: Mapping[str, LinearModel] | None = None,
    rules: Mapping[str, Any] | None = None,
) -> LinearModel:
    """The linear model about a reference; linear models of subsystems that are `known` by label are used as they are.

    reference   {variable: value}, zero if not told; it has to be on the constraints
    rules       {parameter: value}, put in everywhere
    """
    at = reference_motion(module, _named(reference))
    names = Names([*at], module.names, f"system '{module.label}'", module.find)
    values = _read_values(module, rules, names)
    at = {s: substitute(e, values) for s, e in at.items()}
    work = _Work(at, values, module.all_rules)
    work.check(module)
    return _linear(module, work, _read_known(module, known, work))


def _read_values(module: Module, given: Any, names: Names) -> dict[Expr, ExprLike]:
    """What is put in for parameters."""
    values, parameters = as_map(given, Ref(names.part), "rules"), module.parameters
    for name in values:
        if name not in parameters:
            remedy = did_you_mean(name, parameters) or f"There are: {', '.join(parameters)}"
            raise refuse(names.part, f"rules: no parameter named '{name}'", remedy)
    return {symbol(name): names.read(e, "rule") for name, e in values.items()}


def _read_known(module: Module, given: Any, work: _Work) -> dict[str, LinearModel]:
    """Linear models by label, each of a subsystem and about the same reference."""
    part = f"system '{module.label}'"
    found: dict[str, LinearModel] = as_map(given, Ref(part), "known")
    labels = {m.label: m for m in module.levels if m is not module}
    for label, linear in found.items():
        if label not in labels:
            remedy = did_you_mean(label, labels) or f"Subsystems are {', '.join(labels) or 'none'}"
            raise refuse(part, f"known: no subsystem is labelled '{label}'", remedy)
        as_object(linear, LinearModel, Ref(f"{part}: known", label), "Give what linearize returns")
        for s, there in linear.reference.items():
            here = work.at.get(s, ZERO)
            if not _is_nothing(substitute(here - there, work.values)):
                what = f"the linear model of '{label}' is about {s.name} = {there}, not {here}"
                raise refuse(part, what, "Linearise it about the same reference")
    return found


def _named(reference: Any) -> dict[str, Any]:
    given = reference or {}
    if isinstance(given, Mapping):
        given = {(s.name if isinstance(s, Symbol) else s): value for s, value in given.items()}
    return as_map(given, Ref("linearize"), "reference")


class _Work:
    """The reference and the way to put it in."""

    def __init__(self, at: Reference, values: Mapping[Expr, ExprLike], rules: Rules) -> None:
        self.at, self.values, self.rules = at, values, rules
        self._all: dict[Expr, ExprLike] = {**values}
        self._all.update((s, e) for s, e in at.items())

    def there(self, exprs: Iterable[Expr]) -> list[Expr]:
        """Expressions at the reference."""
        return [self.rules.reduce(e) for e in substitute_all(list(exprs), self._all)]

    def linear(self, expr: Expr) -> tuple[Expr, Expr]:
        """Value and change of an expression."""
        moving = [s for s in self.at if s in free_symbols(expr)]
        slopes = jacobian([expr], moving)[0] if moving else ()
        value, *along = self.there([expr, *slopes])
        return value, add(*(multiply(e, deviation(s)) for s, e in zip(moving, along, strict=True)))

    def matrices(self, A: Labelled) -> tuple[Labelled, dict[Symbol, Labelled]]:
        """A₀ and each A_x that is not zero."""
        entries = A.entries
        moving = [s for s in self.at if s in A.symbols]
        slopes = jacobian(list(entries.values()), moving)
        value = Labelled.of(A.rows, A.columns, dict(zip(entries, self.there(entries.values()), strict=True)))
        found = {}
        for k, s in enumerate(moving):
            along = dict(zip(entries, self.there(row[k] for row in slopes), strict=True))
            if any(e is not ZERO for e in along.values()):
                found[s] = Labelled.of(A.rows, A.columns, along)
        return value, found

    def check(self, module: Module) -> None:
        """An error with the residual if the reference is not on the constraints."""
        for order in (0, 1):  # accelerations follow
            rows = _norms(module, order) | module.constraints[order]
            for (name, _), residual in zip(rows.items(), self.there(rows.values()), strict=True):
                if not _is_nothing(residual):
                    what = f"the reference is not on constraint '{name}', which is {_shown(residual)} there, not 0"
                    raise refuse(f"system '{module.label}'", what, "Give a reference that is on all constraints")


def _norms(module: Module, order: int) -> dict[str, Expr]:
    """What coordinates obey by definition, as quaternions do; of speeds, definitions are what kinematics say, too."""
    return {n: e for m in module.levels for n, e in m.definitions.get(0, {}).items()} if order == 0 else {}


def _is_nothing(expr: Expr) -> bool:
    if not free_symbols(expr):
        return abs(float(evaluate(expr, {}))) <= RESIDUAL
    return all(abs(x) <= RESIDUAL for x in values_at([expr], sample_points())[0])


def _shown(expr: Expr) -> str:
    return f"{evaluate(expr, {}):.6g}" if not free_symbols(expr) else str(expr)


def _linear(module: Module, work: _Work, known: Mapping[str, LinearModel]) -> LinearModel:
    subs = [known[sub.label] if sub.label in known else _linear(sub, work, known) for sub in module.subsystems]
    own = [s.name for s in module.own_speeds]
    # what subsystems leave free -> all speeds, B₀ and B_x
    B0 = (
        assemble(*(sub.total for sub in subs), Labelled.identity(own))
        if own or not subs
        else assemble(*(s.total for s in subs))
    )
    B1 = _merged([sub.total_slopes for sub in subs])
    J0, J1 = work.matrices(module.own_jacobian[:, B0.rows])
    A0 = J0 @ B0
    A1 = {
        x: _sum_of([(J1[x] @ B0) if x in J1 else None, (J0 @ _on(B1[x], B0)) if x in B1 else None])
        for x in {**J1, **B1}
    }
    C0 = (
        A0.complement(module.own_independent, how="least squares", tidy=work.rules.reduce)
        if A0.rows
        else Labelled.identity(A0.columns)
    )
    C1 = _slopes_of_complement(A0, A1, C0, work.rules)
    d0, d1 = _own_forces(module, work, B0)
    for sub in subs:
        d0, d1 = assemble(d0, sub.residual), assemble(d1, sub.change)
    empty = Labelled.column(dict.fromkeys(B0.columns, ZERO))
    d0, d1 = assemble(empty, d0), assemble(empty, d1)
    change = C0.T @ d1
    for x, Cx in C1.items():
        change = change + (Cx.T @ d0) * deviation(x)
    slopes: dict[Symbol, Labelled] = {}
    for x in {**B1, **C1}:
        slopes[x] = _sum_of([(_on(B1[x], B0) @ C0) if x in B1 else None, (B0 @ C1[x]) if x in C1 else None])
    return LinearModel(
        module=module,
        reference=work.at,
        values=work.values,
        total=(B0 @ C0).apply(work.rules.reduce),
        total_slopes=slopes,
        residual=(C0.T @ d0).apply(work.rules.simplify),
        change=change,
    )


def _own_forces(module: Module, work: _Work, B0: Labelled) -> tuple[Labelled, Labelled]:
    """d₀ and d₁ of the module's own, over what its subsystems leave free."""
    rows = {name: work.linear(e) for name, e in module.own_forces.items()}
    d0, d1 = (Labelled.column({name: pair[k] for name, pair in rows.items()}) for k in (0, 1))
    if all(name in B0.columns for name in rows):
        return d0, d1
    empty = Labelled.column(dict.fromkeys(B0.rows, ZERO))
    return B0.T @ assemble(empty, d0), B0.T @ assemble(empty, d1)


def _merged(parts: list[Mapping[Symbol, Labelled]]) -> dict[Symbol, Labelled]:
    found: dict[Symbol, Labelled] = {}
    for part in parts:
        for x, matrix in part.items():
            found[x] = assemble(found[x], matrix) if x in found else matrix
    return found


def _on(matrix: Labelled, like: Labelled) -> Labelled:
    """The same with the labels of another matrix."""
    return Labelled.of(like.rows, like.columns, matrix.entries)


def _sum_of(parts: list[Labelled | None]) -> Labelled:
    return assemble(*(part for part in parts if part is not None))


def _slopes_of_complement(
    A0: Labelled, A1: Mapping[Symbol, Labelled], C0: Labelled, rules: Rules
) -> dict[Symbol, Labelled]:
    """C_x of A₀ C_x + A_x C₀ = 0, with rows of zeros for independent speeds."""
    dependent = [c for c in A0.columns if c not in C0.columns]
    right = {x: A @ C0 for x, A in A1.items()}
    rows = []
    for i, row in zip(A0.rows, A0.by_row, strict=True):
        entries = {c: e for c, e in row.items() if c in dependent}
        for x, matrix in right.items():
            entries |= {f"{x.name}|{j}": e for j in matrix.columns if (e := matrix[i, j]) is not ZERO}
        rows.append(entries)
    found = eliminate(rows, dependent, tidy=rules.reduce)
    slopes = {}
    for x in right:
        slope = {
            (c, j): row[f"{x.name}|{j}"]
            for c, row in found.solved.items()
            for j in C0.columns
            if f"{x.name}|{j}" in row
        }
        if slope:
            slopes[x] = Labelled.of(C0.rows, C0.columns, slope)
    return slopes


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearModel:
    """A module to first order about a reference.

    total, total_slopes   the complement to all speeds: C₀, and C_x by variable
    residual              C₀ᵀ d₀: what is left of the forces at the reference; zero where it is a motion of its own
    change                the balance, linear in deviations, by independent speed
    """

    module: Module
    reference: Reference
    values: Mapping[Expr, ExprLike]
    total: Labelled
    total_slopes: Mapping[Symbol, Labelled]
    residual: Labelled
    change: Labelled

    @property
    def label(self) -> str:
        """That of the module."""
        return self.module.label

    @cached_property
    def _work(self) -> _Work:
        return _Work(self.reference, self.values, self.module.all_rules)

    @cached_property
    def constraints(self) -> dict[int, dict[str, Expr]]:
        """The constraints of all levels at each order, linear in deviations."""
        rows = {k: _norms(self.module, k) | named for k, named in self.module.constraints.items()}
        return {k: {name: self._work.linear(e)[1] for name, e in rows[k].items()} for k in rows}

    @cached_property
    def kinematics(self) -> dict[Symbol, Expr]:
        """The rates of deviations of coordinates."""
        return {q: self._work.linear(e)[1] for q, e in self.module.kinematics.items()}

    @property
    def independent(self) -> tuple[str, ...]:
        """The independent speeds."""
        return self.total.columns

    @cached_property
    def _dependent(self) -> dict[Expr, Expr]:
        """Deviations of coordinates, speeds and accelerations by those of independent ones."""
        free = {*self.independent}
        followed = {q for q, rate in self.module.kinematics.items() if isinstance(rate, Symbol) and rate.name in free}
        held = [q for q in self.module.coordinates if q not in followed]
        found = self._solved(0, held, self.module.coordinates)
        speeds = [s for s in self.module.speeds if s.name not in free]
        found |= self._solved(1, speeds, self.module.speeds, found)
        rates = [acceleration(s) for s in speeds]
        return found | self._solved(2, rates, self.module.accelerations, found)

    def _solved(
        self,
        order: int,
        wanted: Iterable[Symbol],
        among: Iterable[Symbol],
        known: Mapping[Expr, ExprLike] | None = None,
    ) -> dict[Expr, Expr]:
        symbols = [deviation(s) for s in among]
        rows = []
        for e in self.constraints[order].values():
            expr = substitute(e, known or {})
            used = [s for s in symbols if s in free_symbols(expr)]
            slopes = jacobian([expr], used)[0] if used else ()
            rest = substitute(expr, dict.fromkeys(used, ZERO))
            row = {s.name: self._work.rules.reduce(x) for s, x in zip(used, slopes, strict=True)}
            rows.append(row | ({COLUMN: rest} if rest is not ZERO else {}))
        found = eliminate(rows, [deviation(s).name for s in wanted], tidy=self._work.rules.reduce)
        by_name = {s.name: s for s in symbols}
        return {
            by_name[name]: add(*(multiply(e, by_name[j]) if j != COLUMN else e for j, e in row.items()))
            for name, row in found.solved.items()
        }

    @property
    def independent_coordinates(self) -> tuple[Symbol, ...]:
        """The coordinates whose deviations are free."""
        return tuple(q for q in self.module.coordinates if deviation(q) not in self._dependent)

    @cached_property
    def equations(self) -> dict[str, Expr]:
        """The balance by independent deviations alone, each = 0."""
        exprs = [self.change[name] for name in self.change.rows]
        found = substitute_all(exprs, self._dependent)
        return {name: self._work.rules.reduce(e) for name, e in zip(self.change.rows, found, strict=True)}

    def _matrix(self, symbols: Iterable[Symbol], sign: int) -> Labelled:
        columns = list(symbols)
        slopes = jacobian(list(self.equations.values()), [deviation(s) for s in columns])
        tidy = self._work.rules.simplify
        labels = [s.name for s in columns]
        return Labelled(self.equations, labels, [[tidy(sign * e) for e in row] for row in slopes])

    @cached_property
    def M(self) -> Labelled:
        """The mass matrix:  M δu̇ + C δu + K δq = 0 of independent speeds and coordinates."""
        rates = [acceleration(symbol(name, kind="speed")) for name in self.independent]
        return self._matrix(rates, -1).relabelled(columns=self.independent)

    @cached_property
    def C(self) -> Labelled:
        """What damps and what gyroscopes do."""
        return self._matrix([symbol(name, kind="speed") for name in self.independent], -1)

    @cached_property
    def K(self) -> Labelled:
        """The stiffness, that by constraint forces included."""
        return self._matrix(self.independent_coordinates, -1)

    def explicit(self) -> dict[str, Expr]:
        """The deviations of all accelerations by those of independent coordinates and speeds."""
        names = [*self.independent]
        rows = []
        for name in names:
            row = {j: self.M[name, j] for j in names if self.M[name, j] is not ZERO}
            rest = substitute(self.equations[name], {deviation(a): ZERO for a in self.module.accelerations})
            rows.append(row | ({COLUMN: -rest} if rest is not ZERO else {}))
        found = eliminate(rows, names, tidy=self._work.rules.reduce)
        rates: dict[Expr, Expr] = {}
        for name in names:
            a = acceleration(symbol(name, kind="speed"))
            rates[deviation(a)] = found.solved.get(name, {}).get(COLUMN, ZERO)
        tidy = self._work.rules.simplify
        result = {}
        for a in self.module.accelerations:
            expr = self._dependent.get(deviation(a), deviation(a))
            result[a.name] = tidy(substitute(expr, rates))
        return result

    def state_matrix(self, values: Mapping[str, float] | None = None) -> tuple[Floats, tuple[str, ...]]:
        """The matrix of ẋ = A x and the names of x: independent coordinates, then independent speeds."""
        part = Ref(f"system '{self.label}': values")
        given = {name: as_finite(x, Ref(part.kind, name)) for name, x in as_map(values, part).items()}
        coordinates, speeds = self.independent_coordinates, [symbol(n, kind="speed") for n in self.independent]
        states = [deviation(s) for s in (*coordinates, *speeds)]
        rates = substitute_all([self.kinematics[q] for q in coordinates], self._dependent)
        right = [*rates, *self.equations.values()]
        slopes = jacobian(right, states)
        try:
            A = np.array([[evaluate(e, given) for e in row] for row in slopes], dtype=float).reshape(
                len(right), len(states)
            )
            M = self.M.evaluate(given)
        except ExpressionError as error:
            raise refuse(f"system '{self.label}'", error.what, "Give values={name: number}") from None
        k = len(coordinates)
        try:
            A[k:] = np.linalg.solve(M, A[k:])
        except np.linalg.LinAlgError:
            what = f"nothing has mass along some of {', '.join(self.independent)}"
            raise refuse(f"system '{self.label}'", what, "Give other values") from None
        return A, tuple(s.name for s in (*coordinates, *speeds))

    def eigenvalues(self, values: Mapping[str, float] | None = None) -> np.ndarray[Any, np.dtype[np.complex128]]:
        """The eigenvalues, by imaginary part."""
        A, _ = self.state_matrix(values)
        found = np.linalg.eigvals(A).astype(np.complex128)
        return found[np.lexsort((found.real, found.imag))]
