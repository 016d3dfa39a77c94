"""What the results of a kernel's program depend on: a Term in, orders of derivatives of its local unknowns out.

A local unknown is a coordinate or, behind the coordinates, a multiplier. Its order in a result is the highest
derivative of it that occurs there, one number for each instance, −1 if it does not occur. A product with a parameter
that is zero depends on nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.equations import System, Term
from linkwork.native.numbers import compute_entries
from linkwork.program import Node, Program

Orders = NDArray[np.int8]  # (), or one for each instance
Dependence = dict[int, Orders]

ORDER = {"q": 0, "lam": 0, "u": 1, "a": 2}
ABSENT = np.int8(-1)
NEGLIGIBLE = 1e-13  # a mass this much smaller than the largest of its part is a rounding error of zero


def find_dependence(
    term: Term, program: Program, group: str, parameters: list[Floats] | None = None
) -> list[Dependence]:
    """For each result of a group the order of each local unknown that enters it."""
    p = pad_parameters(term) if parameters is None else parameters
    values: list[Floats | None] = []
    found: list[Dependence] = []
    with np.errstate(all="ignore"):
        for node in program.nodes:
            values.append(_known(node, values, p))
            found.append({} if values[-1] is not None else _combine(node, values, found))
    return [found[n] for n in program.outputs[group]]


def pad_parameters(term: Term) -> list[Floats]:
    """The parameters of the instances, followed by weights of zero for the constraints."""
    return [*term.parameters.T, *([np.zeros(term.count)] * term.kernel.constraint_count)]


def _known(node: Node, values: list[Floats | None], p: list[Floats]) -> Floats | None:
    """The value of a node that depends on parameters only."""
    if node.op == "constant":
        return np.asarray(node.value)
    if node.source is not None and node.source.kind == "c":
        return np.zeros(())
    if node.source is not None:
        return p[node.source.index] if node.source.kind == "p" else None
    args = [values[a] for a in node.args]
    return None if any(arg is None for arg in args) else node.compute(*args)


def _combine(node: Node, values: list[Floats | None], found: list[Dependence]) -> Dependence:
    if node.source is not None:
        known = node.source.kind in ORDER
        return {node.source.index: np.asarray(ORDER[node.source.kind], dtype=np.int8)} if known else {}
    mine: Dependence = {}
    for arg in node.args:
        for unknown, order in found[arg].items():
            mine[unknown] = np.maximum(order, mine.get(unknown, ABSENT))
    if node.op == "mul":
        for factor in (values[arg] for arg in node.args):
            if factor is not None and (factor == 0.0).any():
                mine = {unknown: np.where(factor == 0.0, ABSENT, order) for unknown, order in mine.items()}
    return mine


def find_inertia(system: System, term: Term) -> dict[tuple[int, int], NDArray[np.bool_]] | None:
    """For each entry of a constant mass matrix whether it is there, by instance; None if the matrix changes."""
    if not term.kernel.derived.constant_mass:
        return None
    anywhere = np.random.default_rng(1).standard_normal(system.n)
    entries = {(i, j): np.abs(v) for kind, v, i, j in compute_entries(system, term, anywhere, 0.0) if kind == "H"}
    largest = np.max(list(entries.values()), axis=0) if entries else np.zeros(term.count)
    there = {key: ~(values <= NEGLIGIBLE * largest) for key, values in entries.items()}
    return there | {(j, i): values for (i, j), values in there.items()}
