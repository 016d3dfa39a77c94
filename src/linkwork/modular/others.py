"""Other models as modules: mechanisms of parts, Lagrangians, trees and files; linear models (A, B, C, D)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analysis.printed.derivation import Derivation
from linkwork.errors import show_value
from linkwork.model import Lagrangian
from linkwork.model.signals import integral_name, integral_speed
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
    acting = [event for event in given.events if event.on or event.off or event.then]
    reacting: dict[str, Any] = {"stops": given.stops, "frictions": given.frictions, "controllers": given.controllers}
    reacting |= {"events that act": acting, "opaque functions": given.opaque}
    _refuse_reacting(label, [name for name, parts in reacting.items() if parts], bool(given.algebra))
    q = [symbol(n, kind="coordinate") for n in given.coordinates]
    still: dict[Expr, Expr] = {rate_of_symbol(s): ZERO for s in q}
    V = -substitute(given.energy, still)
    T = given.energy + V
    applied = {s.name: given.forces.get(s.name, ZERO) for s in q}
    states = {integral_speed(state.name): state.rate for state in given.states}
    return _energies(
        label, q, T, V, given.dissipation, applied, given.constraints, given.velocity_constraints, given.balance,
        dict(given.values), states,
    )  # fmt: skip


def _from_system(label: str, model: Model) -> Module:
    system, whole = model.system, model.whole
    reacting: dict[str, Any] = {"stops or contacts": whole.barriers, "frictions": whole.grips}
    reacting |= {"events that act": whole.acts, "controllers": model.mechanism.controllers}
    reacting["opaque functions"] = whole.opaque
    _refuse_reacting(label, [name for name, parts in reacting.items() if parts], bool(system.algebra))
    d = Derivation(system)
    moving = [j for j, place in enumerate(system.mechanical) if place]
    q = [d.q[j] for j in moving]
    T = d.derive_kinetic(d.instances)
    V = add(ZERO, *(d.derive_potential(kind, d.instances) for kind in d.kinds))
    R = d.derive_dissipation(d.instances)
    applied = {d.q[j].name: d.derive_force(j) for j in moving}
    rows = {"position": dict[str, Expr](), "velocity": dict[str, Expr]()}
    for i, row in enumerate(system.rows):
        rows[row.level][d.row_name(i)] = d.derive_constraint(i)
    values = {s.name: value for s, value in d.parameters.items()}
    rates = {
        d.u[j]: [p.rates[j] for key in d.instances if j in (p := d.piece(key)).rates] for j in system.states.values()
    }
    states = {s: add(ZERO, *parts) for s, parts in rates.items()}
    return _energies(label, q, T, V, R, applied, rows["position"], rows["velocity"], {}, values, states)


def _refuse_reacting(label: str, parts: Sequence[str], algebraic: bool) -> None:
    """An error if a model is more than equations: what goes on and off, or laws of what follows from the motion."""
    if parts:
        what = f"it has {', '.join(parts)}: a module is equations that always hold"
        raise refuse(
            f"system '{label}'", what, "Leave them out, or add them to the whole: S.model(stops=..., events=...)"
        )
    if algebraic:
        what = "its laws read reactions or accelerations, which a module knows only as part of a whole"
        raise refuse(f"system '{label}'", what, "Write these laws in the whole, or make the part with newton_euler")


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
    states: Mapping[Symbol, Expr],
) -> Module:
    """A module by Lagrange's equations, or by the balance that is given in their place.

    States, which are speeds of no place there, are coordinates with rates of their own here.
    """
    new = _Suffix(label, states)
    inertia, forces = {}, {}
    for s in q:
        u = rate_of_symbol(s)
        asked = balance.get(s.name, ZERO) if balance else total_rate(differentiate(T, u), rate_of) - differentiate(T, s)
        inertia[new.name(u.name)] = new(asked)
        forces[new.name(u.name)] = new(applied.get(s.name, ZERO) - differentiate(V, s) - differentiate(R, u))
    places = [new.symbol(s) for s in q]
    slow = {new.symbol(s): new(rate) for s, rate in states.items()}
    moving = [new.symbol(rate_of_symbol(s)) for s in q]
    rows = {
        order: {f"{label}.{name}": new(e) for name, e in given.items()} for order, given in ((0, g), (1, h)) if given
    }
    return Module(
        label=label,
        own_coordinates=(*places, *slow),
        own_speeds=tuple(moving),
        own_kinematics=dict(zip(places, moving, strict=True)) | slow,
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

    def __init__(self, label: str, states: Iterable[Symbol]) -> None:
        self.label = label
        self.states = {*states}

    def name(self, name: str) -> str:
        """theta' -> theta_L'."""
        primes = PRIMES.search(name)
        assert primes is not None
        return f"{name[: primes.start()].replace('.', '_')}_{self.label}{primes[0]}"

    def symbol(self, s: Symbol) -> Symbol:
        """The same for a symbol; time stays, and a state becomes a coordinate."""
        if s in self.states:
            return symbol(self.name(PRIMES.sub("", s.name.removeprefix(integral_name("")))), kind="coordinate")
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
