"""Whatever formulas of a model may name, at given states: places and axes of frames, velocities, lengths, angles.

Formulas are lowered into the fused program, and become a function of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from linkwork.equations.words import Vocabulary
from linkwork.errors import ExpressionError, LinkworkError, show_formula
from linkwork.export.code import Plan
from linkwork.export.exported import Layout, Origin, Prepared, describe
from linkwork.export.outputs import Seen, lower_words, see
from linkwork.export.part import Part
from linkwork.model.opaque import find_calls
from linkwork.program import jacobian
from linkwork.symbolic import free_symbols

OF_FRAMES = re.compile(r"[\w.]+\.a[xyz]")  # accelerations of points


class Values:
    """Formulas of a fused program, and their derivatives by the state, as functions."""

    def __init__(self, origin: Origin, prepared: Prepared, compiled: bool) -> None:
        self._origin, self._prepared, self._compiled = origin, prepared, compiled
        self._fused = prepared[0].fused
        self._nodes: dict[str, int] = {}
        self._parts: dict[tuple[str, tuple[str, ...]], Part] = {}

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
                named = self._find_acceleration(text)
                what = f"'{named}' is an acceleration, no" if named else f"{show_formula(text)} is no"
                raise LinkworkError(f"{what} formula of places and speeds. Make it a variable, and use outputs")
            self._nodes[text] = lower_words(self._seen, expr)
        return self._nodes[text]

    def _find_acceleration(self, text: str) -> str:
        """An acceleration of a point that a formula names, as `A.ax`: a state alone does not tell it; or nothing."""
        return next((name for name in OF_FRAMES.findall(text) if f"{name[:-2]}{name[-1]}" in self._words), "")

    def find(self, texts: Sequence[str], by: str = "") -> Part:
        """What computes formulas, or their derivatives by the state or the speeds, one after the other; made once."""
        key = by, tuple(texts)
        if key not in self._parts:
            f, b = self._fused, self._fused.b
            found = [self._node(text) for text in texts]
            if by:
                layout = Layout(f.system, f.own)
                y = layout.arrange(f.q, f.e, f.u)
                y = y[sum(layout.counts[:2]) :] if by == "speeds" else y
                entries = jacobian(b, found, y)
                found = [entries.get((i, k), b.zero) for i in range(len(texts)) for k in range(len(y))]
            plan = Plan("values", [], {"out": found})
            described = describe(self._origin, only=("loop",), prepared=self._prepared, asked=[plan])
            self._parts[key] = Part(described, "values", self._compiled)
        return self._parts[key]
