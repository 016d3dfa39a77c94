"""What a finished model tells of itself: a model in; energies, forces, constraints and words out, over its own names.

Words are its points, angles and variables as formulas of its coordinates: A.x, A.vx, AB.angle.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from linkwork.analysis.printed.derivation import Derivation
from linkwork.equations.words import Vocabulary
from linkwork.errors import ExpressionError, show_value
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.lagrangian import no_word
from linkwork.model.signals import integral_speed
from linkwork.modular.models import LIFTED, carrier_name
from linkwork.modular.names import Find, rate_of, refuse
from linkwork.pipeline import Model, load
from linkwork.symbolic import ZERO, Expr, Symbol, add, differentiate, free_symbols, substitute, symbol, total_rate
from linkwork.trees import Tree

Line = tuple[str, ...]
AXES = "xyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Energies T and V, dissipation R, applied forces by coordinate, constraints g of positions and h of velocities.

    balance   what inertia asks for by coordinate, where it is told in place of Lagrange's equations
    states    the rates of first-order states, which are speeds of no place
    names     speeds that are rates of no place: what they are called
    whole     whether T and V are all the energy there is
    words     formulas by name; find: of other names; bodies: those of space that it knows
    points their places, lines what is drawn between them
    """

    q: tuple[Symbol, ...]
    T: Expr
    V: Expr
    R: Expr
    applied: Mapping[str, Expr]
    g: Mapping[str, Expr]
    h: Mapping[str, Expr]
    values: Mapping[str, float]
    balance: Mapping[str, Expr] = field(default_factory=dict)
    states: Mapping[Symbol, Expr] = field(default_factory=dict)
    names: Mapping[Symbol, str] = field(default_factory=dict)
    inputs: Mapping[str, float] = field(default_factory=dict)
    whole: bool = True
    words: Mapping[str, Expr] = field(default_factory=dict)
    find: Find = no_word
    bodies: tuple[str, ...] = ()
    variables: Mapping[str, Expr] = field(default_factory=dict)
    points: Mapping[str, tuple[Expr, ...]] = field(default_factory=dict)
    lines: tuple[Line, ...] = ()
    _derived: dict[str, dict[str, Expr]] = field(init=False, default_factory=dict, repr=False, compare=False)

    @property
    def inertia(self) -> dict[str, Expr]:
        """What inertia asks for by coordinate: d/dt ∂T/∂u − ∂T/∂q, or what the balance tells."""
        if self.balance:
            return {s.name: self.balance.get(s.name, ZERO) for s in self.q}
        return self._once(
            "inertia", lambda s, u: total_rate(differentiate(self.T, u), rate_of) - differentiate(self.T, s)
        )

    @property
    def forces(self) -> dict[str, Expr]:
        """What pushes by coordinate: applied forces, −∂V/∂q and −∂R/∂u."""

        def push(s: Symbol, u: Symbol) -> Expr:
            return self.applied.get(s.name, ZERO) - differentiate(self.V, s) - differentiate(self.R, u)

        return self._once("forces", push)

    def _once(self, key: str, derive: Callable[[Symbol, Symbol], Expr]) -> dict[str, Expr]:
        """By coordinate, derived once however often the model is used."""
        if key not in self._derived:
            self._derived[key] = {s.name: derive(s, rate_symbol(s)) for s in self.q}
        return self._derived[key]


def rate_symbol(s: Symbol) -> Symbol:
    """The speed that is the rate of a coordinate."""
    found = rate_of(s)
    assert isinstance(found, Symbol)
    return found


def as_model(label: str, given: Any) -> Model:
    """A model, or what makes one: a file, a mechanism, a Lagrangian, a tree."""
    if isinstance(given, str | os.PathLike):
        return load(given)
    if isinstance(given, Tree):
        return given.model()
    if isinstance(given, Lagrangian | Mechanism):
        return Model(given)
    if not isinstance(given, Model):
        what = f"{show_value(given)} is no model"
        raise refuse(f"system '{label}'", what, "Give what lw.load or lw.lagrangian returns")
    return given


def tell(label: str, model: Model) -> Told:
    """What a model tells."""
    described = model.mechanism
    return tell_lagrangian(label, described) if isinstance(described, Lagrangian) else tell_system(label, model)


def tell_lagrangian(label: str, given: Lagrangian) -> Told:
    """What a Lagrangian tells; a composed model is one, too."""
    acting = [event for event in given.events if event.on or event.off or event.then]
    reacting: dict[str, Any] = {"stops": given.stops, "frictions": given.frictions, "controllers": given.controllers}
    reacting |= {"events that act": acting, "opaque functions": given.opaque}
    _refuse_reacting(label, [name for name, parts in reacting.items() if parts], bool(given.algebra))
    if given.neglected == LIFTED:
        what = "its speeds are positions, as some of its constraints are not linear in speeds or are of accelerations"
        raise refuse(f"system '{label}'", what, "Give the module it was made of, not its model")
    q = [symbol(n, kind="coordinate") for n in given.coordinates]
    still: dict[Expr, Expr] = {rate_of(s): ZERO for s in q}
    V = -substitute(given.energy, still)
    return Told(
        q=tuple(q),
        T=given.energy + V,
        V=V,
        R=given.dissipation,
        applied=given.forces,
        g=given.constraints,
        h=given.velocity_constraints,
        values=given.values,
        balance=given.balance,
        states={integral_speed(state.name): state.rate for state in given.states},
        names=_quasi(given) if given.quasi else {},
        inputs={name: given.compute(e) for name, e in given.inputs.items()},
        whole=not given.neglected,
        words={f"{p}.{a}": e for p, place in given.points.items() for a, e in zip(AXES, place, strict=False)},
        find=given.word,
        bodies=tuple(given.bodies),
        variables=given.variables,
        points=given.points,
        lines=given.lines,
    )


def _quasi(given: Lagrangian) -> dict[Symbol, str]:
    """Speeds that are rates of no place, by the variables they are."""
    found = {symbol(f"{carrier_name(name)}'", kind="speed"): name for name in given.variables}
    return {s: name for s, name in found.items() if given.variables[name] is s}


def tell_system(label: str, model: Model) -> Told:
    """What a mechanism of parts tells."""
    system, whole = model.system, model.whole
    reacting: dict[str, Any] = {"stops or contacts": whole.barriers, "frictions": whole.grips}
    reacting |= {"events that act": whole.acts, "controllers": model.mechanism.controllers}
    reacting["opaque functions"] = whole.opaque
    _refuse_reacting(label, [name for name, parts in reacting.items() if parts], bool(system.algebra))
    d = Derivation(system)
    moving = [j for j, place in enumerate(system.mechanical) if place]
    rows = {"position": dict[str, Expr](), "velocity": dict[str, Expr]()}
    for i, row in enumerate(system.rows):
        rows[row.level][d.row_name(i)] = d.derive_constraint(i)
    rates = {
        d.u[j]: [p.rates[j] for key in d.instances if j in (p := d.piece(key)).rates] for j in system.states.values()
    }
    words = _Words(model, d)
    return Told(
        q=tuple(d.q[j] for j in moving),
        T=d.derive_kinetic(d.instances),
        V=add(ZERO, *(d.derive_potential(kind, d.instances) for kind in d.kinds)),
        R=d.derive_dissipation(d.instances),
        applied={d.q[j].name: d.derive_force(j) for j in moving},
        g=rows["position"],
        h=rows["velocity"],
        values={s.name: value for s, value in d.parameters.items()},
        states={s: add(ZERO, *parts) for s, parts in rates.items()},
        words=dict(words.named()),
        find=words.find,
        bodies=words.bodies,
        variables={name: words(name) for name in model.mechanism.variables},
        points=words.points,
        lines=words.lines,
    )


class _Words:
    """The words of a mechanism over the symbols of its derivation."""

    def __init__(self, model: Model, d: Derivation) -> None:
        self.chart, self._known = model.system.chart, Vocabulary(model.mechanism, model.system, formulas=True)
        names = zip(model.system.coordinates, d.q, d.u, strict=True)
        self._new: dict[Expr, Expr] = {}
        for name, q, u in names:
            self._new |= {symbol(name, kind="coordinate"): q, symbol(f"{name}'", kind="speed"): u}
        self._new |= {symbol(name): s for s, name in d.renamed.items() if s.kind == "parameter"}

    def __call__(self, name: str) -> Expr:
        expr = self._known[name]
        # an input is a parameter of a module
        plain = substitute(expr, {s: symbol(s.name) for s in free_symbols(expr) if s.kind == "input"})
        return substitute(plain, {s: self._new[s] for s in free_symbols(plain) if s in self._new})

    def named(self) -> Iterator[tuple[str, Expr]]:
        """Places and velocities of all points, and all angles."""
        for point, places in self.chart.points.items():
            for axis in AXES[: len(places)]:
                yield f"{point}.{axis}", self(f"{point}.{axis}")
                yield f"{point}.v{axis}", self(f"{point}.v{axis}")
        yield from ((name, self(name)) for name in self._known.angles)

    def find(self, name: str) -> Expr | None:
        """What a dotted name stands for, if it is formulas of coordinates and speeds."""
        try:
            found = self(name)
        except (KeyError, ExpressionError):
            return None
        plain = {"coordinate", "speed", "acceleration", "parameter", "time"}
        return found if all(s.kind in plain for s in free_symbols(found)) else None

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies of space that have axes."""
        return tuple(name for name, points in self.chart.parts.items() if self.chart.dimension == 3 <= len(points))

    @property
    def points(self) -> dict[str, tuple[Expr, ...]]:
        """The places of all points."""
        return {p: tuple(self(f"{p}.{a}") for a in AXES[: len(at)]) for p, at in self.chart.points.items()}

    @property
    def lines(self) -> tuple[Line, ...]:
        """Each part as a closed line through its points."""
        parts = [points for points in self.chart.parts.values() if len(points) > 1]
        return tuple((*points, points[0]) if len(points) > 2 else tuple(points) for points in parts)


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
