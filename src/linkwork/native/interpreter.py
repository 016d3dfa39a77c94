"""The reference interpreter: programs and Taylor plans on NumPy arrays. Needs no compiler; the oracle for the C."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from linkwork.arrays import Floats
from linkwork.program import LEAD, Plan, Program, Step
from linkwork.program.ops import OPS

CACHED = 4096  # numbers of one value computed together: a program's values then stay in the cache
SHORTEST = 64  # of a slice
ZERO = np.zeros(())


def run_program(
    program: Program, inputs: Mapping[str, Sequence[Floats] | Floats], t: Floats | float = 0.0
) -> dict[str, list[Floats]]:
    """The results of a program by group.   inputs["q"][i] etc. are arrays of one common shape, or rows of one array.

    Long arrays go through the program in slices of their last axis, so that what is computed stays in the cache.
    """
    when = np.asarray(t)
    if not program.tape.operations:
        return _run_slice(program, inputs, when)
    size, length = _measure(inputs, when)
    block = max(SHORTEST, CACHED * length // max(1, size))
    if length <= 2 * block:
        return _run_slice(program, inputs, when)

    def cut(x: Floats, part: slice) -> Floats:
        return x[..., part] if x.ndim and x.shape[-1] == length else x

    pieces = []
    for i in range(0, length, block):
        part = slice(i, i + block)
        some = {kind: [cut(np.asarray(x), part) for x in values] for kind, values in inputs.items()}
        pieces.append(_run_slice(program, some, cut(when, part)))

    def whole(found: list[Floats]) -> Floats:
        # what is as wide as the first slice depends on the slices
        return np.concatenate(found, axis=-1) if found[0].ndim and found[0].shape[-1] == block else found[0]

    return {name: [whole([p[name][j] for p in pieces]) for j in range(len(g))] for name, g in program.outputs.items()}


def _measure(inputs: Mapping[str, Sequence[Floats] | Floats], when: Floats) -> tuple[int, int]:
    """The most numbers that one input has, and the longest last axis."""
    # coordinates are as wide as anything
    q = inputs.get("q", ())
    if len(q):
        shapes = {when.shape, np.shape(q[0])}
    else:
        shapes = {when.shape, *[getattr(x, "shape", ()) for values in inputs.values() for x in values]}
    return max(map(math.prod, shapes)), max(shape[-1] if shape else 1 for shape in shapes)


def _run_slice(program: Program, inputs: Mapping[str, Sequence[Floats] | Floats], t: Floats) -> dict[str, list[Floats]]:
    tape = program.tape
    values = tape.known.copy()
    for i, source in tape.inputs:
        if source.kind == "t":
            values[i] = t
        elif source.kind == "c" and "c" not in inputs:
            values[i] = ZERO  # only compiled code needs to be told where a curve is
        else:
            values[i] = inputs[source.kind][source.index]
    with np.errstate(all="ignore"):
        for i, function, args, more in tape.operations:
            if len(args) == 2 and not more:
                values[i] = function(values[args[0]], values[args[1]])
            else:
                values[i] = function(*[values[arg] for arg in args], *more)
    return {name: [np.asarray(values[n], dtype=np.float64) for n in group] for name, group in program.outputs.items()}


class PlanRunner:
    """Executes a Taylor plan stage by stage for all instances at once.

    S is the array of series (orders, slots); `slots` (local unknowns, instances) says where each local one lives.
    """

    def __init__(self, plan: Plan, parameters: Sequence[Floats], slots: NDArray[np.int64], orders: int) -> None:
        self.plan, self.parameters, self.slots = plan, parameters, slots
        self.count = slots.shape[1]
        self.series = {i: np.zeros((orders + 3, self.count)) for i, s in enumerate(plan.steps) if s.op != "const"}

    def stage(self, k: int, t: float, S: Floats) -> dict[str, list[Floats]]:
        """Results of stage k: dynamics at order k, constraints at order k + 2."""
        if k >= 1:
            self.correct(k, S)
        return self.advance(k, t, S)

    def advance(self, k: int, t: float, S: Floats) -> dict[str, list[Floats]]:
        """The same after the correction."""
        with np.errstate(all="ignore"):
            for offset in (2, 1, 0):
                if k + offset >= 0:
                    self._compute(k + offset, offset, t, S)
            return {
                name: [self._at(s, k + self.plan.offsets[name]) for s in group]
                for name, group in self.plan.outputs.items()
                if k + self.plan.offsets[name] >= 0
            }

    def _const(self, step: int) -> Floats:
        s = self.plan.steps[step]
        value = self.parameters[s.index] if s.kind == "p" else s.value
        return np.broadcast_to(np.asarray(value, dtype=np.float64), (self.count,))

    def _at(self, step: int, order: int) -> Floats:
        if self.plan.steps[step].op == "const":
            return self._const(step) if order == 0 else np.zeros(self.count)
        value: Floats = self.series[step][order]
        return value

    def _compute(self, j: int, offset: int, t: float, S: Floats) -> None:
        for i, step in enumerate(self.plan.steps):
            if step.op == "input" and step.offset == offset:
                # from stage 0 on a top coefficient is what the stage is to find; of a follower a part of it is there
                unknown = step.top and step.kind != "e" and j >= offset
                self.series[i][j] = np.zeros(self.count) if unknown else self._input(step, j, t, S)
            elif step.op != "const" and step.offset == offset:
                self.series[i][j] = self._order(i, step, j)

    def _input(self, step: Step, j: int, t: float, S: Floats) -> Floats:
        if step.kind == "t":
            return np.full(self.count, t if j == 0 else float(j == 1))
        ahead = 0 if step.kind == "lam" else 2 - LEAD[step.kind]
        value: Floats = S[j + ahead, self.slots[step.index]]
        for i in range(1, ahead + 1):
            value = value * (j + i)
        return value

    def _order(self, i: int, step: Step, j: int) -> Floats:
        a = [self._at(arg, j) for arg in step.args]
        zero = [self._at(arg, 0) for arg in step.args]
        series = [self.series.get(arg) for arg in step.args]
        me = self.series[i]
        match step.op:
            case "add":
                return a[0] + a[1]
            case "sub":
                return a[0] - a[1]
            case "neg":
                return -a[0]
            case "scale":
                return zero[0] * a[1]
            case "mul":
                return _convolve(series[0], series[1], j, 0, j)
            case "square":
                return _convolve(series[0], series[0], j, 0, j)
            case "div":
                return (a[0] - _convolve(series[1], me, j, 1, j)) / zero[1]
            case "sqrt":
                return (a[0] - _convolve(me, me, j, 1, j - 1)) / (2 * me[0]) if j else np.sqrt(a[0])
            case "pow":
                return self._power(step.value, series[0], me, j)
            case "rate":
                return self._rate(step, j)
            case "abs":
                return np.where(zero[0] >= 0, a[0], -a[0])
            case "sign" | "less" | "less_equal":
                return OPS[step.op].array(*zero).astype(np.float64) if j == 0 else np.zeros(self.count)
            case "piece":
                return self._curve(step) if j == 0 else np.zeros(self.count)
            case "min":
                return np.where(zero[0] <= zero[1], a[0], a[1])
            case "max":
                return np.where(zero[1] <= zero[0], a[0], a[1])
            case "select":
                return np.where(zero[0] != 0, a[1], a[2])
        raise AssertionError(step.op)

    def _power(self, p: float, x: Floats | None, me: Floats, j: int) -> Floats:
        assert x is not None
        if j == 0:
            return np.asarray(x[0] ** p)
        weight = p * np.arange(1, j + 1) - np.arange(j - 1, -1, -1)
        return np.asarray((weight[:, None] * x[1 : j + 1] * me[j - 1 :: -1][:j]).sum(0) / (j * x[0]))

    def _rate(self, step: Step, j: int) -> Floats:
        if j == 0 and step.curve is not None:
            return self._curve(step)
        if j == 0:
            return np.asarray(OPS[step.function].array(*(self._at(arg, 0) for arg in step.args)))
        total = np.zeros(self.count)
        order = np.arange(1, j + 1)[:, None]
        for c, phi, x in step.pairs:
            total += c * (order * self.series[x][1 : j + 1] * self.series[phi][:j][::-1]).sum(0) / j
        return total

    def _curve(self, step: Step) -> Floats:
        assert step.curve is not None
        return step.curve.value(self._at(step.args[1], 0), int(step.value))

    def correct(self, k: int, S: Floats) -> dict[int, Floats]:
        """Add what the unknowns of the last stage contribute, now that they are known.   → what was added, by step"""
        with np.errstate(all="ignore"):
            return self._correct(k, S)

    def _correct(self, k: int, S: Floats) -> dict[int, Floats]:
        d: dict[int, Floats] = {}
        for i in self.plan.corrected:
            step = self.plan.steps[i]
            j = k - 1 + step.offset
            if step.op == "input":
                d[i] = self._input(step, j, 0.0, S) - (self.series[i][j] if step.kind == "e" else 0.0)
            else:
                moved = [
                    d.get(a, np.zeros(self.count)) if self._same(a, step) else np.zeros(self.count) for a in step.args
                ]
                d[i] = self._increment(i, step, moved, d)
        for i, value in d.items():
            self.series[i][k - 1 + self.plan.steps[i].offset] += value
        return d

    def _same(self, arg: int, step: Step) -> bool:
        return self.plan.steps[arg].offset == step.offset

    def _increment(self, i: int, step: Step, d: list[Floats], all_d: Mapping[int, Floats]) -> Floats:
        zero = [self._at(arg, 0) for arg in step.args]
        me: Floats = self.series[i][0]
        match step.op:
            case "add":
                return d[0] + d[1]
            case "sub":
                return d[0] - d[1]
            case "neg":
                return -d[0]
            case "scale":
                return zero[0] * d[1]
            case "mul":
                return zero[0] * d[1] + zero[1] * d[0]
            case "square":
                return 2 * zero[0] * d[0]
            case "div":
                return (d[0] - me * d[1]) / zero[1]
            case "sqrt":
                return d[0] / (2 * me)
            case "pow":
                return step.value * me / zero[0] * d[0]
            case "rate":
                parts = [c * self.series[phi][0] * all_d[x] for c, phi, x in step.pairs if x in all_d]
                return np.asarray(np.sum(parts, axis=0))
            case "abs":
                return np.asarray(np.where(zero[0] >= 0, d[0], -d[0]))
            case "min":
                return np.asarray(np.where(zero[0] <= zero[1], d[0], d[1]))
            case "max":
                return np.asarray(np.where(zero[1] <= zero[0], d[0], d[1]))
            case "select":
                return np.asarray(np.where(zero[0] != 0, d[1], d[2]))
        raise AssertionError(step.op)


def _convolve(x: Floats | None, y: Floats | None, n: int, first: int, last: int) -> Floats:
    """Σ x[i] y[n − i] for i = first .. last."""
    assert x is not None and y is not None
    if last < first:
        return np.zeros(x.shape[1])
    return np.asarray((x[first : last + 1] * y[n - last : n - first + 1][::-1]).sum(0))
