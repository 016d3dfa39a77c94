"""A whole small system as C: the Taylor plan of all its terms and the program of its matrix in, C text out.

Blocks of instances (`emit_c`) gather and scatter more than they compute where a system is small. Here every unknown has
its place in the text. A coefficient of order n of a product, quotient, root or function is

    Σ a_i b_{n−i}  over i = 1 .. n − 1,   and what the coefficients of order 0 and n of its arguments say

The sum is made of older coefficients alone, so the sums of all steps are made first, side by side in registers: the
factors of `width` of them lie beside each other, once as a and once as b, in each row of the stored coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from linkwork.program.builder import Program
from linkwork.program.emit_c import Inputs, Stage, plain
from linkwork.program.taylor import LEAD, Plan, Step

MOST = 12  # registers of sums in one loop

_HEAD = """#define LANES 1
#include "kernel.h"
typedef double wide __attribute__((vector_size({bytes}), aligned({bytes}), may_alias));
"""
_HEADER = """
/* {what} */
{inline} void KERNEL({name})(const long k, double t, const double *restrict S, const double *restrict p,
        double *restrict w, double *restrict R)
{{
"""
_STAGES = """
void KERNEL(lw_stage)(long k, long blocks, long capacity, double t, const double *S, long stride, const int *from,
        const int *to, const double *par, double *work, double *R)
{
    switch (k) {
    case -2: KERNEL(stage_first)(-2, t, S, par, work, R); break;
    case -1: KERNEL(stage_first)(-1, t, S, par, work, R); break;
    case 0: KERNEL(stage_first)(0, t, S, par, work, R); break;
    default: KERNEL(stage_later)(k, t, S, par, work, R);
    }
}
"""
_MATRIX_HEAD = """
/* entries of the system matrix that change */
void KERNEL(lw_matrix)(long blocks, double t, const double *restrict S, long stride, const int *from, const int *to,
        const double *restrict p, double *restrict F)
{
"""

Series = tuple[Literal["s", "d"], int]  # the coefficients of a step, or those times their order
Slots = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """Where coefficients are in a row of their order.

    places  of each series, wherever it is a factor; home is the first one of a step
    number  of each sum (step, which of its sums), among those of its offset
    count   of an offset: registers of sums; `up` and `down` tell at which register of a row the factors of each are
    """

    row: int
    places: Mapping[Series, Sequence[int]]
    home: dict[int, int]
    number: Mapping[tuple[int, int], int]
    count: Mapping[int, int]
    up: Mapping[int, Sequence[int]]
    down: Mapping[int, Sequence[int]]


def _factors(step: Step, i: int) -> list[tuple[Series, Series]]:
    """The sums that a step has, by their factors."""
    match step.op:
        case "mul":
            return [(("s", step.args[0]), ("s", step.args[1]))]
        case "square":
            return [(("s", step.args[0]), ("s", step.args[0]))]
        case "div":
            return [(("s", step.args[1]), ("s", i))]
        case "sqrt":
            return [(("s", i), ("s", i))]
        case "rate":
            return [(("d", x), ("s", phi)) for _, phi, x in step.pairs]
    return []


Sum = tuple[tuple[int, int], tuple[Series, Series]]  # (step, which of its sums) and its factors
Lanes = tuple[Series | None, ...]


def pack(plan: Plan, width: int) -> Packing:
    """Lay out the factors of all sums in registers of so many numbers, and what else is stored behind them."""
    number: dict[tuple[int, int], int] = {}
    registers: dict[Lanes, int] = {}
    up: dict[int, list[int]] = {}
    down: dict[int, list[int]] = {}
    for offset in (2, 1, 0):
        own = [(i, step) for i, step in enumerate(plan.steps) if step.offset == offset]
        sums: list[Sum] = [((i, j), pair) for i, step in own for j, pair in enumerate(_factors(step, i))]
        groups = _group(sums, list(registers), width)
        for place, group in enumerate(groups):
            number.update((one[0], place * width + lane) for lane, one in enumerate(group) if one is not None)
        up[offset], down[offset] = (
            [registers.setdefault(tuple(one and one[1][side] for one in group), len(registers)) for group in groups]
            for side in (0, 1)
        )
    places: dict[Series, list[int]] = {}
    for lanes, r in registers.items():
        for lane, series in enumerate(lanes):
            if series is not None:
                places.setdefault(series, []).append(r * width + lane)
    row, home = len(registers) * width, {}
    for i, step in enumerate(plan.steps):
        if step.stored:
            known = places.setdefault(("s", i), [])
            if not known:
                known.append(row)
                row += 1
            home[i] = known[0]
    count = {offset: len(found) for offset, found in up.items()}
    return Packing(row=-(-row // width) * width, places=places, home=home, number=number, count=count, up=up, down=down)


def _group(sums: Sequence[Sum], known: Sequence[Lanes], width: int) -> list[list[Sum | None]]:
    """Sums in registers: those whose factors are in a register already, then squares, then all others."""
    left = dict(sums)
    groups: list[list[Sum | None]] = []
    for lanes in known:
        group = [_take(left, series) for series in lanes]
        if sum(one is not None for one in group) > width // 2:
            groups.append(group)
        else:
            left.update(one for one in group if one is not None)
    rest = sorted(left.items(), key=lambda one: (one[1][0] != one[1][1], one[0]))
    for first in range(0, len(rest), width):
        some = rest[first : first + width]
        groups.append([*some, *[None] * (width - len(some))])
    return groups


def _take(left: dict[tuple[int, int], tuple[Series, Series]], series: Series | None) -> Sum | None:
    """A sum with a factor, which becomes the second one."""
    for key, (a, b) in left.items():
        if series is not None and series in (a, b) and a[0] == b[0] == "s":
            del left[key]
            return key, (a if b == series else b, series)
    return None


class _Slots(Inputs):
    """Writes how inputs are read: each has its slot in S."""

    def __init__(self, stride: int) -> None:
        super().__init__(at_once=False)
        self.stride = stride

    def read(self, step: Step, offset: int, early: bool = False) -> str:
        if step.kind == "t":
            return f"(k + {offset} == 0 ? t : k + {offset} == 1 ? 1.0 : 0.0)"
        ahead = 2 - LEAD[step.kind] if step.kind != "lam" else 0
        at = f"S[(k + {offset + ahead}) * {self.stride} + {step.index}]"
        return " * ".join([*(f"(double)(k + {offset + i})" for i in range(1, ahead + 1)), at])


class _First(Stage):
    """Writes the stages up to 0 of a whole system: coefficients of order 0, 1 and 2."""

    def __init__(self, plan: Plan, packing: Packing, slots: Slots, stride: int, unknowns: int) -> None:
        super().__init__(plan, at_once=False, apart=False)
        self.packing, self.slots, self.stride, self.unknowns = packing, slots, stride, unknowns
        self.place, self.row = packing.home, packing.row

    def stage(self, offsets: Sequence[int]) -> list[str]:
        """All coefficients and results of a stage."""
        return [*(line for offset in offsets for line in self.orders(offset)), *self.results()]

    def inputs(self) -> Inputs:
        return _Slots(self.stride)

    def const(self, step: int) -> str:
        s = self.plan.steps[step]
        return f"p[{self.unknowns + s.index}]" if s.kind == "p" else repr(s.value)

    def keep(self, i: int, order: str) -> str:
        return self.store(i, order, f"n{i}") if self.plan.steps[i].stored else f"(void)n{i};"

    def store(self, i: int, order: str, name: str) -> str:
        """Put a coefficient wherever it will be read."""
        places = self.packing.places
        found = [f"w[{order} * {self.row} + {place}] = {name};" for place in places.get(("s", i), ())]
        scaled = [
            f"w[{order} * {self.row} + {place}] = (double){order} * {name};" for place in places.get(("d", i), ())
        ]
        return " ".join(found + scaled)

    def _scatter(self, name: str) -> list[str]:
        offset = self.plan.offsets[name]
        values = [self.value(s, offset, f"(k + {offset})") for s in self.plan.outputs[name]]
        return [self.result(name, slot, x) for slot, x in zip(self.slots[name], values, strict=True)]

    def result(self, name: str, slot: int, value: str) -> str:
        """Hand over a result of a group."""
        return f"R[{slot}] = {value};"


class _Later(_First):
    """Writes the stages from 1 on, whose results become right-hand sides at once.

    What is linear in the unknowns of the stage alone is zero until it is corrected, and neither made nor stored before.
    """

    def __init__(self, plan: Plan, packing: Packing, slots: Slots, stride: int, unknowns: int) -> None:
        super().__init__(plan, packing, slots, stride, unknowns)
        self.silent = _find_silent(plan)

    def value(self, step: int, offset: int, order: str) -> str:
        s = self.plan.steps[step]
        zero = s.op == "const" or (step in self.silent and s.offset == offset)
        return "0.0" if zero else super().value(step, offset, order)

    def correct(self, i: int, order: str) -> str:
        if i in self.silent:
            return self.store(i, order, f"d{i}")
        return f"{{ const double x = {self.coefficient(i, order)} + d{i}; {self.store(i, order, 'x')} }}"

    def add_up(self, offset: int) -> list[str]:
        """The middle of all sums of an offset, in as few loops as registers allow."""
        p, n = self.packing, f"(k + {offset})"
        count = p.count[offset]
        lines = [f"wide sums{offset}[{count}];"] if count else []
        for begin in range(0, count, MOST):
            groups = range(begin, min(begin + MOST, count))
            lines += ["{", *(f"    wide c{g} = {{0}};" for g in groups)]
            lines.append(f"    for (long i = 2; i <= {n} - 2; i++) {{")
            lines.append(f"        const wide *a = (const wide *)(w + i * {p.row});")
            lines.append(f"        const wide *b = (const wide *)(w + ({n} - i) * {p.row});")
            lines += [f"        c{g} += a[{p.up[offset][g]}] * b[{p.down[offset][g]}];" for g in groups]
            lines += ["    }", *(f"    sums{offset}[{g}] = c{g};" for g in groups), "}"]
        if count:
            share = "1.0" if offset == 2 else "k > 1 ? 1.0 : 0.5" if offset == 1 else "k > 2 ? 1.0 : k > 1 ? 0.5 : 0.0"
            lines += [
                f"const double *sum{offset} = (const double *)sums{offset};",
                f"const double ends{offset} = {share};",
            ]
        return lines

    def sum(self, i: int, j: int) -> str:
        """A sum: its middle, and the products of coefficients of order 1 and n - 1, which are the same if n = 2."""
        step = self.plan.steps[i]
        (of, a), (_, b) = _factors(step, i)[j]
        last = f"(k + {step.offset - 1})"
        a1, b1 = (f"w[{self.row + self.place[s]}]" for s in (a, b))
        an, bn = self.coefficient(a, last), self.coefficient(b, last)
        ends = (
            f"2.0 * {a1} * {an}"
            if (of, a) == ("s", b)
            else f"{a1} * {bn} + {an if of == 's' else f'(double){last} * {an}'} * {b1}"
        )
        middle = f"sum{step.offset}[{self.packing.number[i, j]}]"
        return f"{middle} + {ends}" if step.offset == 2 else f"{middle} + ends{step.offset} * ({ends})"

    def formula(self, i: int, step: Step, order: str) -> str:
        a = [self.value(arg, step.offset, order) for arg in step.args]
        s = [self.sum(i, j) for j in range(len(_factors(step, i)))]
        me = f"w[{self.place[i]}]" if i in self.place else ""
        match step.op:
            case "mul":
                zero = [self.first(arg) for arg in step.args]
                return _plus(s[0], _times(zero[0], a[1]), _times(a[0], zero[1]))
            case "square":
                return _plus(s[0], _times(f"2.0 * {self.first(step.args[0])}", a[0]))
            case "div":
                return f"({a[0]} - ({_plus(s[0], _times(a[1], me))})) / {self.first(step.args[1])}"
            case "sqrt":
                return f"({a[0]} - ({s[0]})) / (2.0 * {me})"
            case "rate":
                return _plus(*(self._rate(one, pair, step, order) for one, pair in zip(s, step.pairs, strict=True)))
            case "add":
                return _plus(*a)
            case "sub" if a[1] == "0.0":
                return a[0]
            case "scale" if a[1] == "0.0":
                return "0.0"
        return super().formula(i, step, order)

    def _rate(self, one: str, pair: tuple[float, int, int], step: Step, order: str) -> str:
        # n f_n = Σ i x_i φ_{n−i}, in which i = n is n x_n φ_0
        c, phi, x = pair
        newest = _times(self.first(phi), self.value(x, step.offset, order))
        return f"{c!r} * ({_plus(f'({one}) * (1.0 / (double){order})', newest)})"

    def result(self, name: str, slot: int, value: str) -> str:
        if name == "r":
            return f"R[{slot}] = -({value});"
        rise = "(double)((k + 1) * (k + 2))" if name == "g" else "(double)(k + 1)"
        return f"row[{slot}] = p[{slot}] * (R[{slot}] = -{rise} * ({value}));"


def _find_silent(plan: Plan) -> frozenset[int]:
    """Steps that are zero as long as the unknowns of their stage are."""
    found: set[int] = set()
    for i, step in enumerate(plan.steps):
        if step.op == "input":
            silent = step.top and step.kind != "e"
        else:
            args = step.args[1:] if step.op == "scale" else step.args
            linear = step.op in ("add", "sub", "neg", "scale")
            silent = linear and all(arg in found and plan.steps[arg].offset == step.offset for arg in args)
        if silent:
            found.add(i)
    return frozenset(found)


def _plus(*terms: str) -> str:
    return " + ".join(term for term in terms if term != "0.0") or "0.0"


def _times(a: str, b: str) -> str:
    return "0.0" if "0.0" in (a, b) else f"{a} * {b}"


def emit_fused(
    *,
    plan: Plan,
    width: int,
    slots: Mapping[str, Sequence[int]],
    stride: int,
    unknowns: int,
    matrix: Program,
    places: Sequence[int],
) -> tuple[str, str, int]:
    """The C source of a system, as head and body, and how many numbers a row of stored coefficients has.

    slots   where the results of each group go
    stride  numbers in a row of S
    places  where the results of the matrix's program go
    """
    packing = pack(plan, width)
    first, later = _First(plan, packing, slots, stride, unknowns), _Later(plan, packing, slots, stride, unknowns)
    offsets = sorted({s.offset for s in plan.steps if s.op != "const" and s.offset >= 0}, reverse=True)
    begin = ["if (k < 1) __builtin_unreachable();", f"double *row = (double *)S + k * {stride};", "(void)row; (void)t;"]
    sums = [line for offset in offsets for line in later.add_up(offset)]
    lines = [*begin, *sums, *later.increments(), *later.stage(offsets)]
    parts = [
        "/* all terms of a system, generated by linkwork */",
        _function(
            "stage_later", "stages from 1 on: right-hand sides, and in row k of S what the weights make of them", lines
        ),
        _function("stage_first", "stages up to 0", first.stage(offsets), "PART"),
        _STAGES,
        _emit_matrix(matrix, places),
    ]
    return _HEAD.format(bytes=8 * width), "\n".join(parts), packing.row


def _function(name: str, what: str, lines: Sequence[str], inline: str = "static") -> str:
    return _HEADER.format(name=name, what=what, inline=inline) + "\n".join("    " + line for line in lines) + "\n}\n"


def _emit_matrix(program: Program, places: Sequence[int]) -> str:
    lines = [f"    const double n{i} = {_plain(program, i)};" for i in range(len(program.nodes))]
    lines += [f"    F[{place}] += n{node};" for place, node in zip(places, program.outputs["F"], strict=True)]
    return _MATRIX_HEAD + "\n".join(lines) + "\n}\n"


def _plain(program: Program, i: int) -> str:
    node = program.nodes[i]
    if node.source is None or node.source.kind in ("p", "t"):
        return plain(program, i, at_once=False)
    row = " + stride" if node.source.kind == "u" else ""
    return f"S[{node.source.index}{row}]"
