"""Measures: named expressions compiled over a System. Expressions in, their values, rates and gradients out.

States need s, ṡ, s̈ and their derivatives by q and u; outputs need y and its derivatives by q, u and a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from linkwork.analysis.linear.words import Wording
from linkwork.equations import System
from linkwork.native.interpreter import run_program
from linkwork.native.tangents import Point
from linkwork.program import Builder, forward, jacobian, lower
from linkwork.symbolic import Symbol, free_symbols

Floats = NDArray[np.float64]
Pairs = Sequence[tuple[str, str]]

OF_STATES: Pairs = [("s", "q"), ("s1", "q"), ("s2", "q"), ("s2", "u"), ("s", "p"), ("s1", "p"), ("s2", "p")]
OF_OUTPUTS: Pairs = [("y", "q"), ("y", "u"), ("y", "a"), ("y", "l"), ("y", "p")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradients:
    """Values (k,) and derivatives of k measures: values["s1"], by["s1_q"] (k, n), by["s_p"] (k, parameters)."""

    values: Mapping[str, Floats]
    by: Mapping[str, csr_array]


def measure_states(
    system: System, wordings: Sequence[Wording], at: Point, parameters: Mapping[str, float]
) -> Gradients:
    """s, s1 = ṡ and s2 = s̈ with s_q, s1_q, s2_q, s2_u and s_p, s1_p, s2_p; ∂ṡ/∂u and ∂s̈/∂a are s_q again."""
    return _measure(system, wordings, at, parameters, ("s", "s1", "s2"), OF_STATES)


def measure_outputs(
    system: System, wordings: Sequence[Wording], at: Point, parameters: Mapping[str, float]
) -> Gradients:
    """y with y_q, y_u, y_a, y_l (by multipliers) and y_p."""
    return _measure(system, wordings, at, parameters, ("y",), OF_OUTPUTS)


def _measure(
    system: System,
    wordings: Sequence[Wording],
    at: Point,
    parameters: Mapping[str, float],
    levels: Sequence[str],
    pairs: Pairs,
) -> Gradients:
    values: dict[str, list[float]] = {level: [] for level in levels}
    entries: dict[str, list[tuple[int, int, float]]] = {f"{what}_{by}": [] for what, by in pairs}
    columns = {name: i for i, name in enumerate(parameters)}
    for k, wording in enumerate(wordings):
        one = _Compiled(system, wording, columns)
        found, slopes = one.evaluate(levels, pairs, at, parameters)
        for level in levels:
            values[level].append(found[level])
        for name, j, slope in slopes:
            entries[name].append((k, j, slope))
    width = {"q": system.n, "u": system.n, "a": system.n, "l": system.m, "p": len(parameters)}
    return Gradients(
        values={level: np.array(found) for level, found in values.items()},
        by={name: _sparse(found, len(wordings), width[name[-1]]) for name, found in entries.items()},
    )


def _sparse(entries: list[tuple[int, int, float]], rows: int, columns: int) -> csr_array:
    i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
    return csr_array((np.array(v, dtype=np.float64), (np.array(i, int), np.array(j, int))), shape=(rows, columns))


class _Compiled:
    """One expression over the coordinates and parameters it names."""

    def __init__(self, system: System, wording: Wording, columns: Mapping[str, int]) -> None:
        b = self.b = Builder()
        symbols = sorted(free_symbols(wording.expr), key=lambda s: s.name)
        moving = ("coordinate", "speed", "acceleration")
        names = sorted({s.name.rstrip("'") for s in symbols if s.kind in moving})
        self.places = [system.index[name] for name in names]
        self.columns = [columns[s.name] for s in symbols if s.kind == "parameter"]
        reactions = [s.name.removeprefix("lam_") for s in symbols if s.kind == "multiplier"]
        self.rows = [system.constraints.index(name) for name in reactions]
        self.x = {kind: [b.input(kind, i, name) for i, name in enumerate(names)] for kind in ("q", "u", "a")}
        self.x["p"] = [b.input("p", i, "") for i in range(len(self.columns))]
        self.x["l"] = [b.input("lam", i, "") for i in range(len(self.rows))]
        self.t = b.input("t", 0, "t")
        kinds = {"coordinate": "q", "speed": "u", "acceleration": "a"}
        nodes: dict[Symbol, int] = {}
        for s in symbols:
            if s.kind in kinds:
                nodes[s] = self.x[kinds[s.kind]][names.index(s.name.rstrip("'"))]
            elif s.kind == "parameter":
                nodes[s] = self.x["p"][self.columns.index(columns[s.name])]
            elif s.kind == "multiplier":
                nodes[s] = self.x["l"][reactions.index(s.name.removeprefix("lam_"))]
            else:
                nodes[s] = self.t
        self.value = lower(b, wording.expr, nodes)

    def evaluate(
        self, levels: Sequence[str], pairs: Pairs, at: Point, parameters: Mapping[str, float]
    ) -> tuple[dict[str, float], list[tuple[str, int, float]]]:
        """Values by level, and derivatives as ("s1_q", column, value)."""
        b, x = self.b, self.x
        shape = dict(zip((*x["q"], *x["u"]), (*x["u"], *x["a"]), strict=True)) | {self.t: b.one}
        results, current = {}, [self.value]
        for level in levels:
            results[level] = current
            current = forward(b, current, shape)
        slopes = {
            (what, by, j): node for what, by in pairs for (_, j), node in jacobian(b, results[what], x[by]).items()
        }
        given = list(parameters.values())
        inputs = {kind: [np.asarray(v[i]) for i in self.places] for kind, v in (("q", at.q), ("u", at.u), ("a", at.a))}
        inputs["p"] = [np.asarray(given[i]) for i in self.columns]
        inputs["lam"] = [np.asarray(at.lam[i]) for i in self.rows]
        found = run_program(b.program(F=list(slopes.values()), **results), inputs, at.t)
        place = {"q": self.places, "u": self.places, "a": self.places, "l": self.rows, "p": self.columns}
        named = [(f"{what}_{by}", place[by][j], float(v)) for (what, by, j), v in zip(slopes, found["F"], strict=True)]
        return {level: float(found[level][0]) for level in levels}, named
