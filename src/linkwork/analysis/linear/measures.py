"""Measures: named expressions compiled over a System. Expressions in, their values, rates and gradients out.

States need s and ṡ, speeds w and ẇ with their derivatives by q and u; outputs need y and its derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from linkwork.arrays import Floats
from linkwork.equations import System
from linkwork.equations.words import Wording
from linkwork.native.interpreter import run_program
from linkwork.native.measure import Measure
from linkwork.native.tangents import Point
from linkwork.program import Program, jacobian
from linkwork.symbolic import Expr

Pairs = Sequence[tuple[str, str]]

OF_STATES: Pairs = [("s", "q"), ("s1", "q"), ("s", "p"), ("s1", "p")]
OF_SPEEDS: Pairs = [("w", "q"), ("w", "u"), ("w1", "q"), ("w1", "u"), ("w", "p"), ("w1", "p")]
OF_OUTPUTS: Pairs = [("y", "q"), ("y", "u"), ("y", "a"), ("y", "l"), ("y", "p")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradients:
    """Values (k,) and derivatives of k measures: values["s1"], by["s1_q"] (k, n), by["s_p"] (k, p)."""

    values: Mapping[str, Floats]
    by: Mapping[str, csr_array]


def measure_states(
    system: System, wordings: Sequence[Wording], at: Point, parameters: Mapping[str, float]
) -> Gradients:
    """s and s1 = ṡ with s_q, s1_q and s_p, s1_p; ∂ṡ/∂u is s_q again."""
    return _measure(system, wordings, at, parameters, ("s", "s1"), OF_STATES)


def measure_speeds(
    system: System, wordings: Sequence[Wording], at: Point, parameters: Mapping[str, float]
) -> Gradients:
    """w and w1 = ẇ with w_q, w_u, w1_q, w1_u and w_p, w1_p; ∂ẇ/∂a is w_u again."""
    return _measure(system, wordings, at, parameters, ("w", "w1"), OF_SPEEDS)


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
    for k, wording in enumerate(wordings):
        found, slopes = _evaluate(_derive(system, wording.expr, parameters, levels, pairs), levels, at)
        for level in levels:
            values[level].append(found[level])
        for name, j, slope in slopes:
            entries[name].append((k, j, slope))
    width = {"q": system.n, "u": system.n, "a": system.n, "l": system.m, "p": len(parameters) + len(system.inputs)}
    return Gradients(
        values={level: np.array(found) for level, found in values.items()},
        by={name: _sparse(found, len(wordings), width[name[-1]]) for name, found in entries.items()},
    )


def _sparse(entries: list[tuple[int, int, float]], rows: int, columns: int) -> csr_array:
    """The matrix of entries that come row by row."""
    i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
    begins = np.concatenate([[0], np.cumsum(np.bincount(np.array(i, int), minlength=rows))])
    return csr_array((np.array(v, dtype=np.float64), np.array(j, int), begins), shape=(rows, columns))


class _Derived(NamedTuple):
    """A measure with the program of its values and derivatives, and what each derivative is: ("s1", "q", number)."""

    measure: Measure
    program: Program
    slopes: tuple[tuple[str, str, int], ...]


def _derive(
    system: System, expr: Expr, parameters: Mapping[str, float], levels: Sequence[str], pairs: Pairs
) -> _Derived:
    """A measure differentiated; done once for a structure."""

    def make() -> _Derived:
        measure = Measure(system, expr, parameters)
        b, x = measure.b, measure.x
        results = dict(zip(levels, measure.rates(len(levels)), strict=True))
        slopes = {
            (what, by, j): node for what, by in pairs for (_, j), node in jacobian(b, [results[what]], x[by]).items()
        }
        return _Derived(measure, b.program(F=list(slopes.values()), values=list(results.values())), tuple(slopes))

    # parameters are numbered in their order
    found = system.once(("derived", expr, tuple(parameters), tuple(levels), tuple(pairs)), make)
    return found._replace(measure=found.measure.on(system, parameters))


def _evaluate(
    derived: _Derived, levels: Sequence[str], at: Point
) -> tuple[dict[str, float], list[tuple[str, int, float]]]:
    """Values by level, and derivatives as ("s1_q", column, value)."""
    measure = derived.measure
    found = run_program(derived.program, measure.inputs(at.q, at.u, at.a, at.lam), at.t)
    named = [
        (f"{what}_{by}", measure.places[by][j], float(v))
        for (what, by, j), v in zip(derived.slopes, found["F"], strict=True)
    ]
    return dict(zip(levels, map(float, found["values"]), strict=True)), named
