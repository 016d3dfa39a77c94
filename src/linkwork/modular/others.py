"""Other models as modules: mechanisms of parts, Lagrangians, trees and files; linear models (A, B, C, D)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analysis.printed.derivation import Derivation
from linkwork.errors import show_value
from linkwork.model import Lagrangian
from linkwork.modular.module import Module
from linkwork.modular.names import as_label, rate_of, refuse
from linkwork.pipeline import Model, load
from linkwork.symbolic import (
    ZERO,
    Expr,
    Number,
    Symbol,
    add,
    as_expr,
    differentiate,
    free_symbols,
    multiply,
    substitute,
    symbol,
    total_rate,
)

PRIMES = re.compile(r"'*$")


def from_model(label: str, model: Model | Lagrangian | str | os.PathLike[str]) -> Module:
    """A mechanism, a Lagrangian, a tree's model, or the file of one, as a module.

    Its variables and parameters get the label behind their names: theta becomes theta_L, its rate theta_L'. Values of
    parameters come with it.
    """
    name = as_label(label)
    if isinstance(model, str | os.PathLike):
        model = load(model)
    if isinstance(model, Lagrangian):
        model = Model(model)
    if not isinstance(model, Model):
        raise refuse(
            f"system '{name}'", f"{show_value(model)} is no model", "Give what lw.load or lw.lagrangian returns"
        )
    described = model.mechanism
    if isinstance(described, Lagrangian):
        return _from_lagrangian(name, described)
    return _from_system(name, model)


def _from_lagrangian(label: str, given: Lagrangian) -> Module:
    if given.states or given.dissipation is None:
        raise refuse(f"system '{label}'", "states of a Lagrangian have no place in a module", "Leave them out")
    q = [symbol(n, kind="coordinate") for n in given.coordinates]
    still: dict[Expr, Expr] = {rate_of_symbol(s): ZERO for s in q}
    V = -substitute(given.energy, still)
    T = given.energy + V
    applied = {s.name: given.forces.get(s.name, ZERO) for s in q}
    return _energies(
        label, q, T, V, given.dissipation, applied, given.constraints, given.velocity_constraints, given.balance,
        dict(given.values),
    )  # fmt: skip


def _from_system(label: str, model: Model) -> Module:
    d = Derivation(model.system)
    if not all(model.system.mechanical) or model.system.algebra or model.system.followers:
        what = "it has states, algebraic values or bodies in space, which have no place in a module"
        raise refuse(f"system '{label}'", what, "Make these parts with newton_euler or compose")
    q = list(d.q)
    T = d.derive_kinetic(d.instances)
    V = add(ZERO, *(d.derive_potential(kind, d.instances) for kind in d.kinds))
    R = d.derive_dissipation(d.instances)
    applied = {s.name: d.derive_force(j) for j, s in enumerate(q)}
    rows = {"position": dict[str, Expr](), "velocity": dict[str, Expr]()}
    for i, row in enumerate(model.system.rows):
        rows[row.level][d.row_name(i)] = d.derive_constraint(i)
    values = {s.name: value for s, value in d.parameters.items()}
    return _energies(label, q, T, V, R, applied, rows["position"], rows["velocity"], {}, values)


def rate_of_symbol(s: Symbol) -> Symbol:
    """The speed that is the rate of a coordinate."""
    found = rate_of(s)
    assert isinstance(found, Symbol)
    return found


def _energies(
    label: str,
    q: Sequence[Symbol],
    T: Expr,
    V: Expr,
    R: Expr,
    applied: Mapping[str, Expr],
    g: Mapping[str, Expr],
    h: Mapping[str, Expr],
    balance: Mapping[str, Expr],
    values: Mapping[str, float],
) -> Module:
    """A module by Lagrange's equations, or by the balance that is given in their place."""
    new = _Suffix(label)
    inertia, forces = {}, {}
    for s in q:
        u = rate_of_symbol(s)
        asked = balance.get(s.name, ZERO) if balance else total_rate(differentiate(T, u), rate_of) - differentiate(T, s)
        inertia[new.name(u.name)] = new(asked)
        forces[new.name(u.name)] = new(applied.get(s.name, ZERO) - differentiate(V, s) - differentiate(R, u))
    places = [new.symbol(s) for s in q]
    moving = [new.symbol(rate_of_symbol(s)) for s in q]
    rows = {
        order: {f"{label}.{name}": new(e) for name, e in given.items()} for order, given in ((0, g), (1, h)) if given
    }
    return Module(
        label=label,
        own_coordinates=tuple(places),
        own_speeds=tuple(moving),
        own_kinematics=dict(zip(places, moving, strict=True)),
        own_constraints=rows,
        own_inertia={name: e for name, e in inertia.items() if e is not ZERO},
        own_applied={name: e for name, e in forces.items() if e is not ZERO},
        kinetic=new(T),
        potential=new(V),
        how="least squares" if rows else "exact",
        at={new.name(name): value for name, value in values.items()},
        values={new.name(name): value for name, value in values.items()},
        short={f"{label}.{s.name.replace('.', '_')}": t for s, t in zip(q, places, strict=True)},
    )


class _Suffix:
    """Every name with a label behind it."""

    def __init__(self, label: str) -> None:
        self.label = label

    def name(self, name: str) -> str:
        """theta' -> theta_L'."""
        primes = PRIMES.search(name)
        assert primes is not None
        return f"{name[: primes.start()].replace('.', '_')}_{self.label}{primes[0]}"

    def symbol(self, s: Symbol) -> Symbol:
        """The same for a symbol; time stays."""
        return s if s.kind == "time" else symbol(self.name(s.name), kind=s.kind)

    def __call__(self, expr: Expr) -> Expr:
        return substitute(expr, {s: self.symbol(s) for s in free_symbols(expr)})


def linear_module(label: str, A: Any, B: Any = None, C: Any = None, D: Any = None, *, description: str = "") -> Module:
    """A linear model ẋ = A x + B w, y = C x + D w as a module: coordinates x1_L ..., inputs w1_L ..., outputs L.y1 ...

    In `compose`, inputs={"L.w1": formula} says what goes in, and formulas name the outputs L.y1.
    """
    name = as_label(label)
    a = _table(name, "A", A, None, None)
    n = len(a)
    if n and len(a[0]) != n:
        raise refuse(f"system '{name}'", f"A has {n} rows and {len(a[0])} columns", "Give a square matrix")
    b = _table(name, "B", B if B is not None else [[] for _ in range(n)], n, None)
    k = len(b[0]) if n else 0
    c = _table(name, "C", C if C is not None else np.eye(n), None, n)
    d = _table(name, "D", D if D is not None else np.zeros((len(c), k)), len(c), k)
    x = [symbol(f"x{i}_{name}", kind="coordinate") for i in range(1, n + 1)]
    w = [symbol(f"w{i}_{name}", kind="input") for i in range(1, k + 1)]
    known: dict[str, Expr] = {f"{name}.x{i}": s for i, s in enumerate(x, 1)}
    known |= {f"{name}.w{i}": s for i, s in enumerate(w, 1)}
    known |= {f"{name}.y{i}": _row(c[i - 1], x, d[i - 1], w) for i in range(1, len(c) + 1)}
    return Module(
        label=name,
        description=description,
        own_coordinates=tuple(x),
        own_kinematics={s: _row(a[i], x, b[i], w) for i, s in enumerate(x)},
        short=known,
    )


def _row(a: Sequence[Expr], x: Sequence[Expr], b: Sequence[Expr], w: Sequence[Expr]) -> Expr:
    pairs = [*zip(a, x, strict=True), *zip(b, w, strict=True)]
    return add(ZERO, *(multiply(e, s) for e, s in pairs if e is not ZERO))


def _table(label: str, what: str, given: Any, rows: int | None, columns: int | None) -> list[list[Expr]]:
    try:
        found = [[_number(e) for e in row] for row in given]
    except (TypeError, ValueError):
        raise refuse(f"system '{label}'", f"{what}: {show_value(given)} is no matrix", "Give rows of numbers") from None
    widths = {len(row) for row in found}
    if (rows is not None and len(found) != rows) or len(widths) > 1 or (columns is not None and widths - {columns}):
        shape = f"{len(found)} x {max(widths, default=0)}"
        wanted = f"{rows if rows is not None else 'any'} x {columns if columns is not None else 'any'}"
        raise refuse(f"system '{label}'", f"{what} is {shape}, not {wanted}", "Give matrices that fit together")
    return found


def _number(given: Any) -> Expr:
    if isinstance(given, Expr):
        return given
    if isinstance(given, str):
        return symbol(given)
    value = float(given)
    return Number(int(value)) if value == int(value) else as_expr(value)
