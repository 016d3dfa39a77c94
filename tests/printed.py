"""Printed equations read back: text in, formulas by name out, and the accelerations they give.

Shares nothing with the derivation of the equations but the parser of expressions and the calculus.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from linkwork.symbolic import Number, Symbol, derivatives, evaluate_all, free_symbols, symbol
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
    """Numbers of parameters and definitions by name, and equations by section and name.

    Parameters stay symbols in formulas: put in, they would be multiplied out, and k (x - y) is not k x - k y in digits.
    """

    numbers: dict = field(default_factory=dict)
    definitions: dict = field(default_factory=dict)
    constraints: dict = field(default_factory=dict)
    velocity_constraints: dict = field(default_factory=dict)
    motion: dict = field(default_factory=dict)
    states: dict = field(default_factory=dict)
    longest: int = 0


def read(text, functions=None, held=None):
    """The formulas of a printed text; `functions` are those it calls besides the usual ones, `held` new inputs."""
    found, section, title = Read(), "", ""
    names = AnyName(found.definitions)
    for line in text.replace("\n    ", " ").splitlines():
        if line.startswith("# "):
            title = line[2:].partition(":")[0]
            section = HEADS.get(title, "")
        elif line and section:
            name, _, rest = line.partition(": ")
            assert rest.endswith(" = 0")
            getattr(found, section)[name] = parse(rest.removesuffix(" = 0"), names, functions or {})
        elif line:
            name, _, formula = line.partition(" = ")
            if name in (held or {}):  # what laws make of it is not asked for: its number is given
                found.numbers[name] = held[name]
                continue
            assert name not in found.definitions and name not in found.numbers, f"{name} is defined twice"
            made = parse(formula, names, functions or {})
            if title == "Parameters" and isinstance(made, Number):
                found.numbers[name] = float(made)
            else:
                found.definitions[name] = made
        found.longest = max(found.longest, len(line))
    formulas = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    shown = {
        name: x for name, x in (held or {}).items() if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", formulas)
    }
    assert set(shown) <= set(found.numbers), "an input has no value"
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
        assert known not in found.definitions and known not in found.numbers, f"{known} is both defined and variable"
    values |= found.numbers

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


def value(found, label, q, u, t):
    """The value of a definition at a state."""
    names, expr = list(found.motion), found.definitions[label]
    values = dict(zip(names, q, strict=False)) | {f"{n}'": x for n, x in zip(names, u, strict=False)} | {"t": t}
    values |= found.numbers
    return evaluate_all([expr], {name: values[name] for name in {s.name for s in free_symbols(expr)}})[0]


def unknown_names(found):
    """The names that occur in formulas without being defined."""
    groups = (found.definitions, found.constraints, found.velocity_constraints, found.motion)
    symbols = {s for group in groups for expr in group.values() for s in free_symbols(expr) if isinstance(s, Symbol)}
    return {s.name for s in symbols} - set(found.numbers)
