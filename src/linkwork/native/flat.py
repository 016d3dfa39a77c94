"""Programs on floats: a program and the instances of its term written out one by one, for one state of a small system.

An array of a few numbers costs as much as several of them: where there are few instances and one state, a list of
floats is gone through in a fraction of the time. What has no finite value is left to arrays, which say what it is.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.arrays import Bools, Floats
from linkwork.equations import Term
from linkwork.program import Program
from linkwork.program.builder import Input
from linkwork.program.ops import OPS

LARGEST = 600  # operations; more are quicker on arrays
OPERATORS: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": math.pow,
}


@dataclass(frozen=True, slots=True)
class Flat:
    """Operations on a list of numbers: places, the time, parameters, constants; each operation adds one behind.

    An operation is a function and where its arguments are, the second −1 if it has one; results are where those are.
    """

    constants: tuple[float, ...]
    operations: tuple[tuple[Callable[..., float], int, int], ...]
    results: tuple[int, ...]

    def run(self, places: Sequence[float], t: float, parameters: Sequence[float]) -> Floats | None:
        """The results at one state; None if one has no finite value."""
        x = [*places, t, *parameters, *self.constants]
        add = x.append
        try:
            for f, a, b in self.operations:
                add(f(x[a]) if b < 0 else f(x[a], x[b]))
        except (ZeroDivisionError, OverflowError, ValueError):
            return None
        found = np.array([x[i] for i in self.results], dtype=np.float64)
        return found if np.isfinite(found).all() else None


@dataclass(frozen=True, slots=True)
class Job:
    """A program over a term's instances with so many parameters each, and which results count: (results, instances)."""

    term: Term
    program: Program
    parameters: int
    counts: Bools


def write_out(jobs: Sequence[Job], places: int) -> Flat | None:
    """Programs (output group "v") over so many places, written out; None if they are too large, or need arrays."""
    size = sum(job.term.count * len(job.program.tape.operations) for job in jobs)
    if size > LARGEST or not all(map(_is_plain, jobs)):
        return None
    writer = _Writer(places, jobs)
    for job in jobs:
        writer.write(job)
    return Flat(tuple(writer.constants), tuple(writer.operations), tuple(writer.results))


def _is_plain(job: Job) -> bool:
    """Whether a program has nothing but functions of one or two numbers."""
    sources = {node.source.kind for node in job.program.nodes if node.source is not None}
    functions = (node for node in job.program.nodes if node.source is None and node.op != "constant")
    return sources <= {"q", "p", "t"} and all(node.curve is None and OPS[node.op].arity <= 2 for node in functions)


class _Writer:
    """What was written so far; constants of all jobs are known before the first operation is."""

    def __init__(self, places: int, jobs: Sequence[Job]) -> None:
        self.time = places
        self.parameter = places + 1
        self.constants: list[float] = []
        self.operations: list[tuple[Callable[..., float], int, int]] = []
        self.results: list[int] = []
        self.first = self.parameter + sum(job.term.count * job.parameters for job in jobs)
        self.behind = self.first + sum(_count_constants(job.program) for job in jobs)

    def write(self, job: Job) -> None:
        """All instances of a program."""
        nodes = job.program.nodes
        known = {i: self._constant(node.value) for i, node in enumerate(nodes) if node.op in ("constant", "pow")}
        outputs = []
        for row in job.term.coordinates.tolist():
            at: list[int] = []
            for i, node in enumerate(nodes):
                if node.source is not None:
                    at.append(self._find(node.source, row))
                elif node.op == "constant":
                    at.append(known[i])
                else:
                    first, *rest = [at[arg] for arg in node.args] + ([known[i]] if node.op == "pow" else [])
                    at.append(self.behind + len(self.operations))
                    function = OPERATORS.get(node.op, OPS[node.op].fold)
                    self.operations.append((function, first, rest[0] if rest else -1))
            self.parameter += job.parameters
            outputs.append([at[n] for n in job.program.outputs["v"]])
        table = np.array(outputs, dtype=np.int64).reshape(job.term.count, -1).T
        self.results += table[job.counts].tolist()

    def _find(self, source: Input, row: Sequence[int]) -> int:
        """Where an input of the instance with these coordinates is."""
        if source.kind == "q":
            return row[source.index]
        return self.time if source.kind == "t" else self.parameter + source.index

    def _constant(self, value: float) -> int:
        self.constants.append(float(value))
        return self.first + len(self.constants) - 1


def _count_constants(program: Program) -> int:
    return sum(node.op in ("constant", "pow") for node in program.nodes)
