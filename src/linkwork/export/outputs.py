"""The outputs of an export: energies, places of points, named variables, as nodes of the fused program.

What the names of people mean is known in points; where poses carry a mechanism, its points follow from them:
q = A (x, e) + b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from linkwork.equations import Absolute, System
from linkwork.equations.words import Vocabulary
from linkwork.export.fuse import Fused, Terms
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.bodies import is_hidden
from linkwork.program import forward, lower
from linkwork.symbolic import ZERO, Expr, Symbol, free_symbols


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
    energy = find_energies(seen)
    kinds = ("kinetic", *(kind for kind in energy if kind != "kinetic"))
    found = {f"{kind} energy": energy[kind] for kind in kinds if energy.get(kind, b.zero) != b.zero}
    if seen.system is not f.system:
        found |= _list_places(seen)
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


def _list_places(seen: Seen) -> dict[str, int]:
    """Coordinates in points that are no states; one whose name a state has for something else is told as a word."""
    f, system, found = seen.fused, seen.system, dict[str, int]()
    words = {
        i: f"{point}.{axis}" for point, at in system.chart.points.items() for axis, i in zip("xyz", at, strict=False)
    }
    hidden = {i for point, at in system.chart.points.items() if is_hidden(point) for i in at}
    states = dict(zip((*f.system.coordinates, *f.system.followers), (*f.q, *f.e), strict=True))
    for i, name in enumerate(system.coordinates):
        if i in hidden or i in {*system.states.values()} or states.get(name) == seen.q[i]:
            continue
        found[words.get(i, name) if name in states else name] = seen.q[i]
    return found


def find_energies(seen: Seen) -> dict[str, int]:
    """Kinetic and potential energy by kind: in points where a recursion along a tree makes the motion without them."""
    f = seen.fused
    made = (term.kernel.contribution for term in f.system.terms)
    if seen.system is f.system or not any(c.balance and c.kinetic is ZERO for c in made):
        return f.energy
    terms, found = Terms(seen.system, f.b, f.symbols, f.t), dict[str, int]()
    inputs, followers = dict(zip(f.system.inputs, f.w, strict=True)), dict(zip(f.system.followers, f.e, strict=True))
    held = [inputs[name] for name in seen.system.inputs]
    terms.place(seen.q, seen.u, held, [followers[name] for name in seen.system.followers])
    for term in seen.system.terms:
        for i in range(term.count):
            terms.find_energy(found, term, terms.instance(term, i))
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
