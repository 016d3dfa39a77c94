"""A measure: an expression of what moves, compiled over a System. An expression in, its values along a motion out.

The symbols are those of coordinates, speeds, accelerations, multipliers (lam_NAME), parameters, inputs and time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import TypeAlias

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.native.interpreter import run_program
from linkwork.program import Builder, forward, lower
from linkwork.symbolic import Expr, Symbol, free_symbols

Reader: TypeAlias = Callable[..., float]  # of t, q, u, a, λ at one time
STATE = ("q", "u", "a", "lam")
KINDS = {"coordinate": "q", "speed": "u", "acceleration": "a"}


class Measure:
    """One expression over the coordinates, multipliers and parameters it names.

    x       input nodes by kind: q, u, a, p (parameters and inputs), l (multipliers)
    places  for each kind the numbers of these in the system; inputs count behind all parameters
    """

    def __init__(self, system: System, expr: Expr, parameters: Mapping[str, float | Floats]) -> None:
        b = self.b = Builder()
        symbols = sorted(free_symbols(expr), key=lambda s: s.name)
        self.used = frozenset(str(s.kind) for s in symbols)
        names = sorted({s.name.rstrip("'") for s in symbols if s.kind in KINDS})
        known = [s.name for s in symbols if s.kind in ("parameter", "input")]
        self.system = system
        reactions = [s.name for s in symbols if s.kind == "multiplier"]
        at, columns = [system.index[name] for name in names], [*parameters, *system.inputs]
        rows = [system.multipliers[name] for name in reactions]
        self.places = {"q": at, "u": at, "a": at, "l": rows, "p": [columns.index(name) for name in known]}
        self.x = {kind: [b.input(kind, i, name) for i, name in enumerate(names)] for kind in ("q", "u", "a")}
        self.x["p"] = [b.input("p", i, name) for i, name in enumerate(known)]
        self.x["l"] = [b.input("lam", i, name) for i, name in enumerate(reactions)]
        self.t = b.input("t", 0, "t")
        self.known = known
        self.parameters = [parameters.get(name, name) for name in known]
        nodes: dict[Symbol, int] = {}
        for s in symbols:
            if s.kind in KINDS:
                nodes[s] = self.x[KINDS[s.kind]][names.index(s.name.rstrip("'"))]
            elif s.kind in ("parameter", "input"):
                nodes[s] = self.x["p"][known.index(s.name)]
            elif s.kind == "multiplier":
                nodes[s] = self.x["l"][reactions.index(s.name)]
            else:
                nodes[s] = self.t
        self.value = lower(b, expr, nodes)

    def on(self, system: System, parameters: Mapping[str, float]) -> Measure:
        """The same expression over a system of the same structure with other values."""
        other = copy(self)
        other.system, other.parameters = system, [parameters.get(name, name) for name in self.known]
        return other

    def rates(self, count: int) -> list[int]:
        """The nodes of the value and of its first rates along the motion; accelerations have none."""
        x, b = self.x, self.b
        shape = dict(zip((*x["q"], *x["u"]), (*x["u"], *x["a"]), strict=True)) | {self.t: b.one}
        found, current = [], [self.value]
        for _ in range(count):
            found += current
            current = forward(b, current, shape)
        return found

    def inputs(self, q: Floats, u: Floats, a: Floats, lam: Floats) -> dict[str, list[Floats]]:
        """What its programs take of a state or of several.   q, u, a: (n, ...), lam: (m, ...)"""
        moving = {kind: [values[i] for i in self.places[kind]] for kind, values in (("q", q), ("u", u), ("a", a))}
        held = dict(zip(self.system.inputs, self.system.inputs_in(q), strict=True))
        known = [np.asarray(held[x] if isinstance(x, str) else x) for x in self.parameters]
        return {**moving, "p": known, "lam": [lam[i] for i in self.places["l"]]}

    def make_reader(self) -> Reader:
        """A function of one state that gives the value, for those who ask often."""
        program = self.b.program(v=[self.value])
        (result,), tape = program.outputs["v"], program.tape
        held = {name: i - len(self.system.inputs) for i, name in enumerate(self.system.inputs)}  # behind q
        known, moving = tape.known.copy(), list[tuple[int, int, int]]()
        for i, source in tape.inputs:
            number = self.parameters[source.index] if source.kind == "p" else 0.0
            if source.kind in STATE:
                kind = "l" if source.kind == "lam" else source.kind
                moving.append((i, STATE.index(source.kind), self.places[kind][source.index]))
            elif isinstance(number, str):
                moving.append((i, 0, held[number]))
            else:
                known[i] = number  # curves need not be told where they are
        times = [i for i, source in tape.inputs if source.kind == "t"]

        def read(t: float, *state: Floats) -> float:
            values = known.copy()
            for i in times:
                values[i] = t
            for i, kind, place in moving:
                values[i] = state[kind][place]
            with np.errstate(all="ignore"):
                for i, function, args, more in tape.operations:
                    values[i] = function(*[values[arg] for arg in args], *more)
            return float(values[result])

        return read

    def compute(self, level: int, q: Floats, u: Floats, a: Floats, lam: Floats, t: Floats | float) -> Floats:
        """The value (level 0), its rate (1) or acceleration (2).   → (...)"""
        program = self.b.program(v=self.rates(level + 1)[-1:])
        return np.array(np.broadcast_to(run_program(program, self.inputs(q, u, a, lam), t)["v"][0], q.shape[1:]))
