"""The outputs of an export: energies, places of points, named variables, as nodes of the fused program.

What the names of people mean is known in points; where poses carry a mechanism, its points follow from them:
q = A (x, e) + b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.equations import Absolute, System
from linkwork.equations.words import Vocabulary
from linkwork.export.fuse import Fused
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.bodies import is_hidden
from linkwork.program import forward, lower
from linkwork.symbolic import Expr, Symbol, free_symbols


@dataclass(frozen=True, slots=True)
class Seen:
    """A fused program as people see it: the nodes of the coordinates, rates and multipliers of the System in points."""

    fused: Fused
    system: System
    q: list[int]
    u: list[int]
    a: list[int]
    lam: dict[str, int]


def see(f: Fused, absolute: Absolute | None) -> Seen:
    """What people see of a fused program."""
    if absolute is None:
        lam = dict(zip(f.system.multipliers, f.lam, strict=True))
        return Seen(f, f.system, f.q, f.rates, f.bends, lam)
    b, points = f.b, absolute.points
    behind = [*f.q, *f.e]
    # rates by the chain rule: x at the rate u, e at the rate n
    q = [b.zero] * points.n
    for row, column, formula in absolute.entries.T.tolist():
        factor = b.one if formula < 0 else f.formula(formula)
        q[row] = b.add(q[row], b.mul(factor, behind[column]))
    for row, formula in absolute.offsets.T.tolist():
        q[row] = b.add(q[row], f.formula(formula))
    shape = dict(zip((*f.q, *f.e, *f.u), (*f.u, *f.n, *f.a), strict=True)) | {f.t: b.one}
    u = forward(b, q, shape)
    names = list(points.multipliers)
    lam = {names[i]: f.lam[j] for i, j in absolute.rows.T.tolist()}
    return Seen(f, points, q, u, forward(b, u, shape), lam)


def list_outputs(mechanism: Mechanism | Lagrangian, seen: Seen, held: Sequence[str] = ()) -> dict[str, int]:
    """Energies, places that are no coordinates, and the named variables, as nodes; what has no node is left out.

    held   inputs that controllers change, and algebraic values
    """
    f, b = seen.fused, seen.fused.b
    kinds = ("kinetic", *(kind for kind in f.energy if kind != "kinetic"))
    found = {f"{kind} energy": f.energy[kind] for kind in kinds if f.energy.get(kind, b.zero) != b.zero}
    if seen.system is not f.system:
        hidden = {i for point, at in seen.system.chart.points.items() if is_hidden(point) for i in at}
        states = {*seen.system.states.values()}
        for i, name in enumerate(seen.system.coordinates):
            if i not in hidden and i not in states and name not in f.system.index:
                found[name] = seen.q[i]
    changed = {*held} | {name for act in f.system.acts.values() for name, _ in act.inputs}
    found |= {name: f.w[i] for i, name in enumerate(f.system.inputs) if name in changed}
    words = Vocabulary(mechanism, seen.system, f.follows) if mechanism.variables else {}
    own = f.own.definitions if f.own is not None else {}
    for name in mechanism.variables:
        if name in own:
            continue  # it is one of the states
        expr = words[name]
        if all(s.kind != "multiplier" or s.name in seen.lam for s in free_symbols(expr)):
            found[name] = lower_words(seen, expr)
    return found


def lower_words(seen: Seen, expr: Expr) -> int:
    """The node of an expression over coordinates, rates, multipliers, parameters, inputs and time."""
    return lower(seen.fused.b, expr, {s: _node_of(seen, s) for s in free_symbols(expr)})


def _node_of(seen: Seen, s: Symbol) -> int:
    f, system, plain = seen.fused, seen.system, s.name.rstrip("'")
    match str(s.kind):
        case "coordinate":
            return seen.q[system.index[plain]]
        case "speed":
            return seen.u[system.index[plain]]
        case "acceleration":
            return seen.a[system.index[plain]]
        case "multiplier":
            return seen.lam[s.name]
        case "input":
            return f.w[[*system.inputs].index(s.name)]
        case "time":
            return f.t
    return f.symbols[s]
