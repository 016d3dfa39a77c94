"""Whatever formulas of a model may name, at given states: places and axes of frames, velocities, lengths, angles.

Formulas are lowered into the fused program; the interpreter runs the part of it that they need, for all states at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from linkwork.arrays import Floats
from linkwork.equations.words import Vocabulary
from linkwork.errors import ExpressionError, LinkworkError, show_formula
from linkwork.export.exported import Layout, Origin
from linkwork.export.fuse import Fused
from linkwork.export.outputs import Seen, lower_words, see
from linkwork.model.opaque import find_calls
from linkwork.native.interpreter import run_program
from linkwork.program import Program, jacobian
from linkwork.symbolic import free_symbols


class Values:
    """Formulas of a fused program, and their derivatives by the state."""

    def __init__(self, origin: Origin, fused: Fused) -> None:
        self._origin, self._fused = origin, fused
        self._layout = Layout(fused.system, fused.own)
        self._nodes: dict[str, int] = {}
        self._programs: dict[tuple[bool, tuple[str, ...]], Program] = {}

    @cached_property
    def _seen(self) -> Seen:
        return see(self._fused, self._origin.absolute)

    @cached_property
    def _words(self) -> Vocabulary:
        return Vocabulary(self._origin.mechanism, self._seen.system, self._fused.follows)

    def _node(self, text: str) -> int:
        if text not in self._nodes:
            try:
                expr = self._words.read("formula", text).expr
            except ExpressionError as error:
                raise LinkworkError(f"{show_formula(text)}: {error}") from None
            kinds = {str(s.kind) for s in free_symbols(expr)}
            at_once = any(s.name in self._fused.values for s in free_symbols(expr))
            if at_once or kinds & {"acceleration", "multiplier"} or find_calls(free_symbols(expr)):
                what = f"{show_formula(text)} is no formula of places and speeds"
                raise LinkworkError(f"{what}. Make it a variable, and use outputs")
            self._nodes[text] = lower_words(self._seen, expr)
        return self._nodes[text]

    def _program(self, texts: tuple[str, ...], slopes: bool) -> Program:
        if (slopes, texts) not in self._programs:
            f, b = self._fused, self._fused.b
            found = [self._node(text) for text in texts]
            if slopes:
                y = self._layout.arrange(f.q, f.e, f.u)
                entries = jacobian(b, found, y)
                found = [entries.get((i, k), b.zero) for i in range(len(texts)) for k in range(len(y))]
            self._programs[slopes, texts] = b.program(x=found)
        return self._programs[slopes, texts]

    def compute(self, texts: Sequence[str], slopes: bool, t: Floats, values: Mapping[str, Floats], y: Floats) -> Floats:
        """Numbers of formulas, or their derivatives by the state.   y: (..., n)  →  (..., k) or (..., k, n)"""
        system, lead = self._fused.system, y.shape[:-1]
        missing = np.asarray(np.nan)
        inputs: dict[str, list[Floats]] = {"p": [np.asarray(values.get(name, missing)) for name in system.parameters]}
        inputs["w"] = [np.asarray(values.get(name, missing)) for name in system.inputs]
        for source, (array, i) in self._layout.places().items():
            if array == "y":
                row = inputs.setdefault(source.kind, [np.zeros(lead)] * (system.n + len(system.followers)))
                row[source.index] = y[..., i]
        found = run_program(self._program(tuple(texts), slopes), inputs, t)["x"]
        flat = np.stack([np.broadcast_to(x, lead) for x in found], axis=-1) if len(found) else np.zeros((*lead, 0))
        return flat.reshape(*lead, len(texts), y.shape[-1]) if slopes else flat
