"""Printed equations read back: text in, formulas by name out, and the accelerations they give.

Shares nothing with the derivation of the equations but the parser of expressions and the calculus.
"""

from dataclasses import dataclass, field

import numpy as np

from linkwork.symbolic import Number, Symbol, as_expr, derivatives, evaluate_all, free_symbols, symbol
from linkwork.symbolic.parse import parse

HEADS = {
    "Constraints": "constraints",
    "Constraints of velocities": "velocity_constraints",
    "Equations of motion": "motion",
    "States": "states",
}


class AnyName:
    """Names with a meaning, and symbols for all others."""

    def __init__(self, known):
        self.known = known

    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return self.known[name] if name in self.known else symbol(name)


@dataclass
class Read:
    """Definitions by name, parameters among them, and equations by section and name."""

    definitions: dict = field(default_factory=dict)
    constraints: dict = field(default_factory=dict)
    velocity_constraints: dict = field(default_factory=dict)
    motion: dict = field(default_factory=dict)
    states: dict = field(default_factory=dict)
    longest: int = 0


def read(text, functions=None, held=None):
    """The formulas of a printed text; `functions` are those it calls besides the usual ones, `held` new inputs."""
    found, section = Read(), ""
    names = AnyName(found.definitions)
    for line in text.replace("\n    ", " ").splitlines():
        if line.startswith("# "):
            section = HEADS.get(line[2:].partition(":")[0], "")
        elif line and section:
            name, _, rest = line.partition(": ")
            assert rest.endswith(" = 0")
            getattr(found, section)[name] = parse(rest.removesuffix(" = 0"), names, functions or {})
        elif line:
            name, _, formula = line.partition(" = ")
            assert name not in found.definitions, f"{name} is defined twice"
            found.definitions[name] = parse(formula, names, functions or {})
            if name in (held or {}):
                assert isinstance(found.definitions[name], Number), f"the input {name} has no value"
                found.definitions[name] = as_expr(held[name])
        found.longest = max(found.longest, len(line))
    return found


def solve(found, q, u, t):
    """Accelerations and multipliers (by least squares) at a state, with the matrices M and G they come from."""
    names, states = list(found.motion), list(found.states)
    speeds = [*(f"{n}'" for n in names), *states]  # a state is a speed without a coordinate
    values = dict(zip(names, q, strict=False)) | dict(zip(speeds, u, strict=True))
    values |= {f"{n}'": 0.0 for n in speeds} | {"t": t}
    rows = [*found.constraints, *found.velocity_constraints]
    values |= {f"lam_{name}": 0.0 for name in rows}
    for known in values:
        assert known not in found.definitions, f"{known} is both defined and variable"

    motion = [*found.motion.values(), *found.states.values()]
    M = jacobian(motion, [f"{n}'" for n in speeds], values)
    Gt = jacobian(motion, [f"lam_{name}" for name in rows], values)
    rest = np.array(evaluate_all(motion, values))

    levels = [rate(g, names) for g in found.constraints.values()] + list(found.velocity_constraints.values())
    G = jacobian(levels, speeds, values)
    drift = np.array(evaluate_all([rate(level, names) for level in levels], values))
    np.testing.assert_allclose(Gt, G.T, rtol=1e-12, atol=1e-12 * np.max(np.abs(G), initial=1.0))

    n, m = len(speeds), len(rows)
    K = np.block([[M, G.T], [G, np.zeros((m, m))]])
    b = -np.concatenate([rest, drift])
    x = np.linalg.lstsq(K, b, rcond=1e-13)[0]
    x += np.linalg.lstsq(K, b - K @ x, rcond=1e-13)[0]  # what rounding left
    return x[:n], x[n:], M, G


def jacobian(exprs, names, values):
    """∂expr/∂name at a state."""
    slopes = [slope for expr in exprs for slope in derivatives(expr, [symbol(name) for name in names])]
    return np.array(evaluate_all(slopes, values)).reshape(len(exprs), len(names))


def rate(expr, names):
    """d/dt of an expression of coordinates, speeds and time, with all accelerations zero."""
    symbols = [symbol(name) for name in names]
    slopes = derivatives(expr, [*symbols, symbol("t")])
    total = slopes[-1]
    for name, slope in zip(names, slopes, strict=False):
        total = total + slope * symbol(f"{name}'")
    return total


def value(expr, names, q, u, t):
    """The value of a parsed formula at a state."""
    values = dict(zip(names, q, strict=False)) | {f"{n}'": x for n, x in zip(names, u, strict=False)} | {"t": t}
    return evaluate_all([expr], {name: values[name] for name in {s.name for s in free_symbols(expr)}})[0]


def parameters(found):
    """The definitions that are numbers."""
    return {name: float(expr) for name, expr in found.definitions.items() if isinstance(expr, Number)}


def unknown_names(found):
    """The names that occur in formulas without being defined."""
    groups = (found.definitions, found.constraints, found.velocity_constraints, found.motion)
    return {s.name for group in groups for expr in group.values() for s in free_symbols(expr) if isinstance(s, Symbol)}
