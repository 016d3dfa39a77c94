"""Other models as modules: mechanisms of parts, Lagrangians, trees and files; linear models (A, B, C, D)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.signals import integral_name
from linkwork.modular.module import Module
from linkwork.modular.names import as_formula, as_label, refuse
from linkwork.modular.told import Told, as_model, rate_symbol, tell
from linkwork.pipeline import Model
from linkwork.symbolic import (
    ZERO,
    Expr,
    Number,
    Symbol,
    add,
    as_expr,
    free_symbols,
    multiply,
    substitute,
    substitute_all,
    symbol,
)
from linkwork.trees import Tree

PRIMES = re.compile(r"'*$")


def from_model(label: str, model: Model | Mechanism | Lagrangian | Tree | str | os.PathLike[str]) -> Module:
    """A mechanism, a Lagrangian, a tree, a composed model, or the file of one, as a module.

    Its variables and parameters get the label behind their names: theta becomes theta_L, its rate theta_L'. Points,
    angles and variables are words: L.A.x, L.AB.angle, L.power. Values of parameters come with it.
    """
    name = as_label(label)
    return make_module(name, tell(name, as_model(name, model)))


def make_module(label: str, told: Told) -> Module:
    """A module by Lagrange's equations, or by the balance that is told in their place.

    States, which are speeds of no place there, are coordinates with rates of their own here.
    """
    new = Suffix(label, told)
    speeds = {s.name: new.symbol(rate_symbol(s)) for s in told.q}
    places = [s for s in told.q if rate_symbol(s) not in told.names]
    slow = {new.symbol(s): new(rate) for s, rate in told.states.items()}
    named = {order: given for order, given in ((0, told.g), (1, told.h)) if given}
    rows = {order: {f"{label}.{name}": new(e) for name, e in given.items()} for order, given in named.items()}
    values = {new.name(name): value for name, value in told.values.items()}
    return Module(
        label=label,
        own_coordinates=(*map(new.symbol, places), *slow),
        own_speeds=tuple(speeds.values()),
        own_kinematics={new.symbol(s): new.symbol(rate_symbol(s)) for s in places} | slow,
        own_constraints=rows,
        own_inertia=_Inertia(told, new),
        own_applied={speeds[q].name: e for q, e in new.all(told.forces).items() if e is not ZERO},
        by_energies=not told.balance,
        kinetic=new(told.T) if told.whole else None,
        potential=new(told.V) if told.whole else None,
        how="least squares" if rows else "exact",
        at=values,
        values=values,
        short=_words(label, told, new),
        words=Words(label, told, new),
        bodies=tuple(f"{label}.{name}" for name in told.bodies),
    )


@dataclass(frozen=True, slots=True)
class Words:
    """What a model knows by dotted names, under a label: axes and rates of bodies, quantities of joints."""

    label: str
    told: Told
    new: Suffix

    def __call__(self, name: str) -> Expr | None:
        """What a name stands for."""
        head = f"{self.label}."
        found = self.told.find(name.removeprefix(head)) if name.startswith(head) else None
        return None if found is None else self.new(found)


def _words(label: str, told: Told, new: Suffix) -> dict[str, Expr]:
    """What formulas may name: coordinates and speeds, inputs, points and angles, variables."""
    found: dict[str, Expr] = {}
    for s in told.q:
        found |= {f"{label}.{x.name.replace('.', '_')}": new.symbol(x) for x in (s, rate_symbol(s))}
    found |= {f"{label}.{name}": symbol(new.name(name), kind="input") for name in told.inputs}
    return found | {f"{label}.{name}": e for name, e in new.all({**told.words, **told.variables}).items()}


class _Inertia(Mapping[str, Expr]):
    """What inertia asks for by speed, written when somebody reads it: whoever goes by energies never does."""

    def __init__(self, told: Told, new: Suffix) -> None:
        self._told, self._new = told, new
        self._rows = {new.symbol(rate_symbol(s)).name: s.name for s in told.q if told.inertia[s.name] is not ZERO}

    @cached_property
    def _written(self) -> dict[str, Expr]:
        return self._new.all(self._told.inertia)

    def __getitem__(self, row: str) -> Expr:
        return self._written[self._rows[row]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class Suffix:
    """Every name with a label behind it."""

    def __init__(self, label: str, told: Told) -> None:
        self.label, self._told = label, told

    def name(self, name: str) -> str:
        """theta' -> theta_L'."""
        primes = PRIMES.search(name)
        assert primes is not None
        return f"{name[: primes.start()].replace('.', '_')}_{self.label}{primes[0]}"

    def symbol(self, s: Symbol) -> Symbol:
        """The same for a symbol; time stays, a state becomes a coordinate, a rate of no place goes by its own name."""
        if s in self._told.states:
            return symbol(self.name(PRIMES.sub("", s.name.removeprefix(integral_name("")))), kind="coordinate")
        if s in self._told.names:
            return symbol(self.name(self._told.names[s]), kind="speed")
        if s.kind == "acceleration" and (u := symbol(s.name[:-1], kind="speed")) in self._told.names:
            return symbol(f"{self.symbol(u).name}'", kind="acceleration")
        return s if s.kind == "time" else symbol(self.name(s.name), kind=s.kind)

    def __call__(self, expr: Expr) -> Expr:
        return substitute(expr, {s: self.symbol(s) for s in free_symbols(expr)})

    def all(self, exprs: Mapping[str, Expr]) -> dict[str, Expr]:
        """Several at once: what they share is written once."""
        names: dict[Expr, Expr] = {s: self.symbol(s) for s in free_symbols(*exprs.values())}
        return dict(zip(exprs, substitute_all([*exprs.values()], names), strict=True))


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
    except (TypeError, ValueError, OverflowError):
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
        return as_formula(given, "linear model")
    value = float(given)
    return Number(int(value)) if value == int(value) else as_expr(value)
