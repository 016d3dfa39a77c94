"""Kernels as C: a Taylor plan and a values program in, C text out. Knows no compiler and no runtime.

Both functions work on blocks of LANES instances (`native/kernel.h`). Names from input files never reach this text:
labels come from kernels of the library and are comments only.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from linkwork.program.builder import Program
from linkwork.program.passes import Hoisted
from linkwork.program.sweeps import Sweep, schedule
from linkwork.program.taylor import LEAD, Plan, Step

_STAGE_HEAD = """
/* stage k of the Taylor expansion: dynamics at order k, constraints at order k + 2 */
{function}(const long k, long blocks, long capacity, double t, const double *S, long stride,
        const int *from, const int *to, const double *par, double *work, double *R)
{{
    for (long block = 0; block < blocks; block++) {{
        const int *ix = from + block * {inputs} * LANES;
        const int *iy = to + block * {outputs} * LANES;
        const v *p = (const v *)par + block * {columns};
        v *w = (v *)work + block * {stored} * capacity;
        (void)ix; (void)iy; (void)p; (void)w; (void)t; (void)S; (void)stride;
"""

_END = """    }
}
"""

# of a small kernel the stages up to 0 are made apart, so that tests for order 0 cost the many later ones nothing
_BODY = "static inline __attribute__((always_inline)) void KERNEL(stage_body)"
_CALL = "KERNEL(stage_body)({k}, blocks, capacity, t, S, stride, from, to, par, work, R);"
_STAGES = f"""
void KERNEL(lw_stage)(long k, long blocks, long capacity, double t, const double *S, long stride, const int *from,
        const int *to, const double *par, double *work, double *R)
{{
    if (k > 0) {_CALL.format(k="k")}
    else if (k == 0) {_CALL.format(k=0)}
    else if (k == -1) {_CALL.format(k=-1)}
    else {_CALL.format(k=-2)}
}}
"""
SUMS = frozenset({"mul", "square", "div", "sqrt", "pow"})
FEW = 12  # operations on series that become part of their formulas; more are calls, quicker to make
PAIR = 2  # lanes whose numbers are gathered and scattered one by one in a stage: a loop would be slower
LARGE = 100  # steps of a plan from which less code, quick to make and to fetch, is worth more than special cases

_MATRIX_HEAD = """
/* entries of the system matrix, added where `to` says */
void KERNEL(lw_matrix)(long blocks, double t, const double *S, long stride, const int *from, const int *to,
        const double *par, double *F)
{{
    for (long block = 0; block < blocks; block++) {{
        const int *ix = from + block * {inputs} * LANES;
        const int *iy = to + block * {outputs} * LANES;
        const v *p = (const v *)par + block * {columns};
        (void)ix; (void)iy; (void)p; (void)t; (void)S; (void)stride;
"""


# what implicit steps need: rows of S are places and multipliers, speeds, accelerations; c are numbers of the method
_PLAIN_HEAD = """
/* {what} */
void KERNEL({function})(long blocks, double t, const double *S, long stride, const double *c, const int *from,
        const int *to, const double *par, double *F)
{{
    for (long block = 0; block < blocks; block++) {{
        const int *ix = from + block * {inputs} * LANES;
        const int *iy = to + block * {outputs} * LANES;
        const v *p = (const v *)par + block * {columns};
        (void)ix; (void)iy; (void)p; (void)t; (void)S; (void)stride; (void)c;
"""

# a part of one of these, for a compiler that takes more than twice as long for twice as many lines
_PART_HEAD = """
APART void KERNEL({function})(double t, const double *S, long stride, const double *c, const int *ix, const int *iy,
        const v *p, double *F, v *kept)
{{
"""
LONG = 400  # lines of such a part

# the rates of followers: results go to the row of the series that they make, R
_RATES_HEAD = """
/* {what} */
void KERNEL({function})(long k, long blocks, long capacity, double t, const double *S, long stride, const int *from,
        const int *to, const double *par, double *work, double *R)
{{
    for (long block = 0; block < blocks; block++) {{
        const int *ix = from + block * {inputs} * LANES;
        const int *iy = to + block * {outputs} * LANES;
        const v *p = (const v *)par + block * {columns};
        v *w = (v *)work + block * {stored} * capacity;
        (void)ix; (void)iy; (void)p; (void)w; (void)t; (void)S; (void)stride; (void)k;
"""
_CORRECT = "followers at order k + 1, now that the speeds of order k are known"
_ADVANCE = "followers at order k + 2, as long as the speeds of order k + 1 are zero"


def emit_rates(*, name: str, lanes: int, inputs: int, plan: Plan, columns: int) -> tuple[str, str]:
    """The C source of the rates of a kernel's followers, as head and body: `inputs` coordinates, then followers."""
    stage, form = (
        Stage(plan, at_once=lanes > PAIR, apart=True),
        {
            "inputs": inputs,
            "outputs": len(plan.outputs["n"]),
            "columns": columns,
            "stored": len(plan.storage),
        },
    )
    parts = [f"/* kinematics of {_plain_name(name)}, generated by linkwork */"]
    for what, function, lines in (
        (_CORRECT, "lw_correct", stage.correct_rates()),
        (_ADVANCE, "lw_advance", [*stage.orders(1), *stage.results()]),
    ):
        head = _RATES_HEAD.format(what=what, function=function, **form)
        parts.append(head + "\n".join("        " + line for line in lines) + "\n" + _END)
    return _head(lanes, apart=True), "\n".join(parts)


def emit_implicit(
    *, name: str, lanes: int, inputs: int, residual: Hoisted | None, matrix: Hoisted | None
) -> tuple[str, str]:
    """The C source of a kernel's part of implicit steps, as head and body."""
    parts = [f"/* implicit steps of {_plain_name(name)}, generated by linkwork */"]
    for what, function, program in (
        ("what the equations lack", "lw_residual", residual),
        ("entries of the matrix of an iteration, added where `to` says", "lw_tangent", matrix),
    ):
        if program is not None:
            before, lines, count = _plain_parts(program.body, function)
            form = {"inputs": inputs, "outputs": count, "columns": program.columns}
            parts.append(before + _PLAIN_HEAD.format(what=what, function=function, **form) + lines)
    return _head(lanes, apart=True), "\n".join(parts)


def _plain_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_ -]", "_", name)


def emit_kernel(
    *,
    name: str,
    lanes: int,
    inputs: int,
    plan: Plan | None,
    columns: int,
    matrix: Program | None,
    matrix_columns: int,
) -> tuple[str, str]:
    """The C source of a kernel: `inputs` local unknowns (coordinates, then multipliers), `lanes` instances a block.

    The head has what kernels compiled together share; the names that the body exports are written KERNEL(name).
    """
    body = [f"/* kernel {_plain_name(name)}, generated by linkwork */"]
    apart = plan is not None and (is_large(plan) or _count_series(plan) > FEW)
    if plan is not None:
        body.append(_emit_stage(plan, inputs, columns, at_once=apart and lanes > PAIR, apart=apart))
    if matrix is not None:
        at_once = apart and lanes > 1 and not reads_speeds(matrix)
        body.append(_emit_matrix(matrix, inputs, matrix_columns, at_once=at_once))
    return _head(lanes, apart=apart), "\n".join(body)


def reads_speeds(program: Program) -> bool:
    """Whether a program has speeds among its inputs."""
    return any(node.source is not None and node.source.kind == "u" for node in program.nodes)


def _head(lanes: int, *, apart: bool) -> str:
    """What says how a kernel is made. A compiler that chose what to inline would choose by what is compiled along."""
    series = "#define SERIES_APART\n" if apart else ""
    return f'#define LANES {lanes}\n{series}#include "kernel.h"'


def _count_series(plan: Plan) -> int:
    """How many sums over coefficients of series a plan has."""
    return sum(len(step.pairs) if step.op == "rate" else step.op in SUMS for step in plan.steps)


# -- Taylor stages ---------------------------------------------------------------------------------------------------


def _emit_stage(plan: Plan, inputs: int, columns: int, *, at_once: bool, apart: bool) -> str:
    count = sum(len(group) for group in plan.outputs.values())
    function = "void KERNEL(lw_stage)" if is_large(plan) else _BODY
    stored = len(plan.storage)
    head = _STAGE_HEAD.format(function=function, inputs=inputs, outputs=count, columns=columns, stored=stored)
    body = Stage(plan, at_once=at_once, apart=apart)
    lines = body.correction()
    for offset in sorted({step.offset for step in plan.steps if step.op != "const" and step.offset >= 0}, reverse=True):
        lines += body.orders(offset)
    lines += body.results()
    tail = _END if is_large(plan) else _END + _STAGES
    return head + "\n".join("        " + line for line in lines) + "\n" + tail


def is_large(plan: Plan) -> bool:
    """Whether a kernel has so much code that it should be compiled for size."""
    return len(plan.steps) >= LARGE


class Stage:
    """Writes the lines of one stage.

    `at_once`: inputs are gathered and results scattered by one loop for many of them, which is quicker to compile;
    `apart`: so are products of series summed up.
    """

    def __init__(self, plan: Plan, *, at_once: bool, apart: bool) -> None:
        self.plan, self.at_once, self.apart = plan, at_once, apart
        self.place = plan.storage
        self.row = len(self.place)  # numbers from one order to the next
        self.silent: frozenset[int] = frozenset()  # steps that are zero until they are corrected, and not made before

    def inputs(self) -> Inputs:
        """How inputs are read."""
        return Inputs(self.at_once)

    def series(self, step: int) -> str:
        """The stored coefficients of a step, and how many numbers they are apart."""
        return f"w + {self.place[step]}"

    def coefficient(self, step: int, order: str) -> str:
        """One of them."""
        return f"w[{order} * {self.row} + {self.place[step]}]"

    def const(self, step: int) -> str:
        s = self.plan.steps[step]
        return f"p[{s.index}]" if s.kind == "p" else f"fill({s.value!r})"

    def value(self, step: int, offset: int, order: str) -> str:
        """The coefficient of a step at an order, as seen by a step of the given offset."""
        s = self.plan.steps[step]
        if s.op == "const":
            return f"({order} == 0 ? {self.const(step)} : ZERO)"
        return f"n{step}" if s.offset == offset else self.coefficient(step, order)

    def first(self, step: int) -> str:
        """The coefficient of order 0."""
        return self.const(step) if self.plan.steps[step].op == "const" else f"w[{self.place[step]}]"

    # the newest coefficients, with the unknowns of this stage zero

    def orders(self, offset: int) -> list[str]:
        order = f"(k + {offset})"
        inputs = self.inputs()
        lines: list[str] = []
        for i in schedule(self.plan, offset, shared=self.apart):
            if isinstance(i, Sweep):
                lines += ["    " + line for line in self.sweep(i, order)]
                continue
            if i in self.silent:
                continue
            step = self.plan.steps[i]
            unknown = step.op == "input" and step.top and step.kind != "e"
            formula = inputs.read(step, offset, unknown) if step.op == "input" else self.formula(i, step, order)
            if unknown:
                formula = f"k < 0 ? {formula} : ZERO"  # from stage 0 on it is what the stage is to find
            lines += [f"    const v n{i} = {formula};", f"    {self.keep(i, order)}"]
        lines += ["    " + line for line in self.scatter(offset)]
        return [f"if ({order} >= 0) {{", *("    " + line for line in inputs.gather()), *lines, "}"]

    def keep(self, i: int, order: str) -> str:
        """Store a coefficient just made, if it is to be."""
        return f"{self.coefficient(i, order)} = n{i};" if self.plan.steps[i].stored else f"(void)n{i};"

    def correct(self, i: int, order: str) -> str:
        """Correct a coefficient that is stored."""
        return f"{self.coefficient(i, order)} += d{i};"

    def sweep(self, sweep: Sweep, order: str) -> list[str]:
        """Sums of products in one loop; what is read more than once gets a name."""
        products = [product for products in sweep.sums.values() for product in products]
        rows = {"up": [a for _, a, _ in products], "down": [b for _, _, b in products]}
        named = {(row, s) for row, listed in rows.items() for s, count in Counter(listed).items() if count > 1}
        lines = [f"v n{i} = ZERO;" for i in sweep.sums]
        stored = self.row
        lines.append(f"for (long i = 0; i <= {order}; i++) {{")
        lines.append(f"    const v *up = w + i * {stored}, *down = w + ({order} - i) * {stored};")
        lines += [f"    const v {row}{s} = {row}[{self.place[s]}];" for row, s in sorted(named)]

        def read(row: str, s: int) -> str:
            return f"{row}{s}" if (row, s) in named else f"{row}[{self.place[s]}]"

        for i, sum_of in sweep.sums.items():
            lines += [f"    n{i} {'+' if c > 0 else '-'}= {read('up', a)} * {read('down', b)};" for c, a, b in sum_of]
        return [*lines, "}", *(self.keep(i, order) for i in sweep.sums)]

    def formula(self, i: int, step: Step, order: str) -> str:
        a = [self.value(arg, step.offset, order) for arg in step.args]
        s = [self.series(arg) if arg in self.place else "" for arg in step.args]
        zero = [self.first(arg) if arg in self.place or self.plan.steps[arg].op == "const" else "" for arg in step.args]
        me, apart = self.series(i) if i in self.place else "", self.row
        match step.op:
            case "add":
                return f"{a[0]} + {a[1]}"
            case "sub":
                return f"{a[0]} - {a[1]}"
            case "neg":
                return f"-{a[0]}"
            case "scale":
                return f"{self.const(step.args[0])} * {a[1]}"
            case "mul":
                return f"series_mul({s[0]}, {s[1]}, {apart}, {order})"
            case "square":
                return f"series_square({s[0]}, {apart}, {order})"
            case "div":
                return f"series_div({a[0]}, {s[1]}, {me}, {apart}, {order})"
            case "sqrt":
                return f"series_sqrt({a[0]}, {me}, {apart}, {order})"
            case "pow":
                return f"series_pow({s[0]}, {me}, {step.value!r}, {apart}, {order})"
            case "rate":
                return self.rate(step, order)
            case "abs":
                return f"pick(v_less_equal(ZERO, {zero[0]}), {a[0]}, -{a[0]})"
            case "sign":
                return f"({order} == 0 ? v_sign({zero[0]}) : ZERO)"
            case "min":
                return f"pick(v_less_equal({zero[0]}, {zero[1]}), {a[0]}, {a[1]})"
            case "max":
                return f"pick(v_less_equal({zero[1]}, {zero[0]}), {a[0]}, {a[1]})"
            case "less" | "less_equal":
                return f"({order} == 0 ? v_{step.op}({zero[0]}, {zero[1]}) : ZERO)"
            case "piece":
                return f"({order} == 0 ? v_curve({zero[0]}, {zero[1]}, {step.value:.0f}) : ZERO)"
            case "select":
                return f"pick({zero[0]}, {a[1]}, {a[2]})"
        raise AssertionError(step.op)

    def rate(self, step: Step, order: str) -> str:
        args = [self.first(arg) for arg in step.args] + ([f"{step.value:.0f}"] if step.curve else [])
        start = f"v_{step.function}({', '.join(args)})"
        apart = self.row
        sums = [(c, f"series_rate({self.series(phi)}, {self.series(x)}, {apart}, {order})") for c, phi, x in step.pairs]
        terms = [f"{c!r} * {one}" for c, one in sums]
        return f"{order} == 0 ? {start} : {' + '.join(terms)}"

    # the coefficients of the last stage, now that its unknowns are known

    def correction(self) -> list[str]:
        if not self.plan.corrected:
            return []
        return ["if (k >= 1) {", *("    " + line for line in self.increments()), "}"]

    def increments(self) -> list[str]:
        lines = []
        inputs = self.inputs()
        for i in self.plan.corrected:
            step = self.plan.steps[i]
            order = f"(k - 1 + {step.offset})"
            formula = inputs.read(step, step.offset - 1) if step.op == "input" else self.increment(i, step)
            if step.kind == "e":
                formula += f" - {self.coefficient(i, order)}"
            lines.append(f"const v d{i} = {formula};")
            if step.stored:
                lines.append(self.correct(i, order))
        return inputs.gather() + lines

    def increment(self, i: int, step: Step) -> str:
        """What the newly known top coefficients add to this one: Σ ∂step/∂arg at order 0 times theirs."""
        moved = [arg in self.plan.corrected and self.plan.steps[arg].offset == step.offset for arg in step.args]
        d = [f"d{arg}" if moving else "ZERO" for arg, moving in zip(step.args, moved, strict=True)]
        zero = [self.first(arg) if arg in self.place or self.plan.steps[arg].op == "const" else "" for arg in step.args]
        me = f"w[{self.place[i]}]" if i in self.place else ""
        match step.op:
            case "add":
                return f"{d[0]} + {d[1]}"
            case "sub":
                return f"{d[0]} - {d[1]}"
            case "neg":
                return f"-{d[0]}"
            case "scale":
                return f"{zero[0]} * {d[1]}"
            case "mul":
                return f"{zero[0]} * {d[1]} + {zero[1]} * {d[0]}"
            case "square":
                return f"2.0 * {zero[0]} * {d[0]}"
            case "div":
                return f"({d[0]} - {me} * {d[1]}) / {zero[1]}"
            case "sqrt":
                return f"{d[0]} / (2.0 * {me})"
            case "pow":
                return f"{step.value!r} * {me} / {zero[0]} * {d[0]}"
            case "rate":
                known = [pair for pair in step.pairs if pair[2] in self.plan.corrected]
                return " + ".join(f"{c!r} * w[{self.place[phi]}] * d{x}" for c, phi, x in known)
            case "abs":
                return f"pick(v_less_equal(ZERO, {zero[0]}), {d[0]}, -{d[0]})"
            case "min":
                return f"pick(v_less_equal({zero[0]}, {zero[1]}), {d[0]}, {d[1]})"
            case "max":
                return f"pick(v_less_equal({zero[1]}, {zero[0]}), {d[0]}, {d[1]})"
            case "select":
                return f"pick({zero[0]}, {d[1]}, {d[2]})"
        raise AssertionError(step.op)

    def correct_rates(self) -> list[str]:
        """The correction of the rates, added to the followers they move."""
        moved = [(place, s) for place, s in enumerate(self.plan.outputs["n"]) if s in self.plan.corrected]
        return self.increments() + [f"scatter(R, iy + {place} * LANES, d{s} / (double)(k + 1));" for place, s in moved]

    # results

    def scatter(self, offset: int) -> list[str]:
        """Scatter the results that are needed at this offset and computed in this scope."""
        groups = [name for name in self.plan.outputs if self.plan.offsets[name] == offset]
        return [line for name in groups for line in self._scatter(name)]

    def results(self) -> list[str]:
        """Results whose scope does not exist because nothing else has their offset."""
        scopes = {step.offset for step in self.plan.steps if step.op != "const"}
        missing = [name for name in self.plan.outputs if self.plan.offsets[name] not in scopes]
        return [f"if (k + {self.plan.offsets[name]} >= 0) {line}" for name in missing for line in self._scatter(name)]

    def _scatter(self, name: str) -> list[str]:
        """The results of a group."""
        offset, group = self.plan.offsets[name], self.plan.outputs[name]
        first = sum(len(self.plan.outputs[other]) for other in itertools.takewhile(name.__ne__, self.plan.outputs))
        values = [self.value(s, offset, f"(k + {offset})") for s in group]
        if name == "n":  # a rate of order k + 1 makes its follower of order k + 2
            return [f"put(R, iy + {first + i} * LANES, ({x}) / (double)(k + 2));" for i, x in enumerate(values)]
        if self.at_once and len(values) > 1:
            return [f"{{ {_scatter_at_once('R', first, values)} }}"]
        constant = [self.plan.steps[s].op == "const" for s in group]
        return [
            f"if (k + {offset} == 0) {_scatter(first + i, self.const(s))}" if fixed else _scatter(first + i, x)
            for i, (s, x, fixed) in enumerate(zip(group, values, constant, strict=True))
        ]


class Inputs:
    """Writes how inputs are read from the series S of coordinates and multipliers, in one scope.

    Coefficients are in row k + `ahead` of S. At once: those of a row lie beside each other in an array of the row.
    """

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self.rows: dict[tuple[int, bool], list[int]] = {}  # by row, and whether they are read for k < 0 only

    def read(self, step: Step, offset: int, early: bool = False) -> str:
        """The coefficient of order k + `offset`; early: it is read for k < 0 only."""
        if step.kind == "t":
            return f"(k + {offset} == 0 ? fill(t) : k + {offset} == 1 ? fill(1.0) : ZERO)"
        ahead = 2 - LEAD[step.kind] if step.kind != "lam" else 0
        row = offset + ahead
        if self.at_once:
            self.rows.setdefault((row, early), []).append(step.index)
            read = f"{_array(row, early)}[{step.index}]"
        else:
            read = f"gather(S + (k + {row}) * stride, ix + {step.index} * LANES)"
        return " * ".join([*(f"(double)(k + {offset + i})" for i in range(1, ahead + 1)), read])

    def gather(self) -> list[str]:
        """The lines before those that read."""
        lines = []
        for (row, early), places in self.rows.items():
            first, end, name = min(places), max(places) + 1, _array(row, early)
            lines.append(f"v {name}[{end}];")
            lines.append(
                ("if (k < 0) " if early else "") + _gather_at_once(f"S + (k + {row}) * stride", name, first, end)
            )
        return lines


def _array(row: int, early: bool) -> str:
    return f"{'early' if early else 'row'}{row + 1}"


def _gather_at_once(source: str, name: str, first: int, end: int) -> str:
    return f"gather_all({source}, ix + {first} * LANES, {name} + {first}, {end - first});"


def _scatter(place: int, value: str) -> str:
    return f"scatter(R, iy + {place} * LANES, {value});"


def _scatter_at_once(target: str, first: int, values: Sequence[str]) -> str:
    """Results beside each other, from a place on."""
    listed = ", ".join(values)
    return f"v y[] = {{{listed}}}; scatter_all({target}, iy + {first} * LANES, y, {len(values)});"


# -- plain values ----------------------------------------------------------------------------------------------------


def _emit_matrix(program: Program, inputs: int, columns: int, at_once: bool) -> str:
    before, (lines, count) = "", _plain_lines(program, at_once)
    if not at_once and len(program.nodes) > LONG:
        before, lines, count = _plain_parts(program, "lw_matrix")
        lines = "        const double *c = 0;\n" + lines
    return before + _MATRIX_HEAD.format(inputs=inputs, outputs=count, columns=columns) + lines


def _plain_lines(program: Program, at_once: bool = False) -> tuple[str, int]:
    """The lines of a program whose results are added to F, and how many results there are.

    At once: inputs are of the first row of S, gathered by a loop, and so are results scattered.
    """
    lines = [f"const v n{i} = {plain(program, i, at_once)};" for i in range(len(program.nodes))]
    results = [node for group in program.outputs.values() for node in group]
    if at_once:
        places = [node.source.index for node in program.nodes if node.source and node.source.kind not in ("p", "t")]
        first, end = (min(places), max(places) + 1) if places else (0, 0)
        lines = [f"v x[{max(1, end)}];", _gather_at_once("S", "x", first, end), *lines]
        lines.append(_scatter_at_once("F", 0, [f"n{node}" for node in results]))
    else:
        lines += [f"scatter(F, iy + {place} * LANES, n{node});" for place, node in enumerate(results)]
    return "\n".join("        " + line for line in lines) + "\n    }\n}\n", len(results)


def order_results(program: Program) -> list[tuple[int, int]]:
    """Results, place and node, in the order in which they are added: of a long program as they are made."""
    results = [*enumerate(node for group in program.outputs.values() for node in group)]
    return sorted(results, key=lambda result: result[1]) if len(program.nodes) > LONG else results


def _plain_parts(program: Program, function: str) -> tuple[str, str, int]:
    """The same in several functions, one after the other, if it is long: those, the lines that call them, the results.

    What later ones read of earlier ones is kept in an array.
    """
    results = order_results(program)
    if len(program.nodes) <= LONG:
        return "", *_plain_lines(program)
    parts = [range(i, min(i + LONG, len(program.nodes))) for i in range(0, len(program.nodes), LONG)]
    readers = [{arg for i in part for arg in program.nodes[i].args if arg < part.start} for part in parts]
    kept = {node: place for place, node in enumerate(sorted(set().union(*readers)))}
    places: dict[int, list[int]] = {}
    for place, node in results:
        places.setdefault(node, []).append(place)
    functions = []
    for number, (part, read) in enumerate(zip(parts, readers, strict=True)):
        lines = [f"const v n{i} = kept[{kept[i]}];" for i in sorted(read)]
        for i in part:
            lines.append(f"const v n{i} = {plain(program, i, False)};")
            lines += [f"kept[{kept[i]}] = n{i};"] if i in kept else []
            lines += [f"scatter(F, iy + {place} * LANES, n{i});" for place in places.get(i, ())]
        head = _PART_HEAD.format(function=f"{function}_part{number}")
        functions.append(head + "\n".join("    " + line for line in lines) + "\n}\n")
    calls = [f"KERNEL({function}_part{i})(t, S, stride, c, ix, iy, p, F, kept);" for i in range(len(parts))]
    lines = [f"v kept[{max(1, len(kept))}];", *calls]
    return "\n".join(functions), "\n".join("        " + line for line in lines) + "\n    }\n}\n", len(results)


ROWS = {"u": 1, "a": 2}  # of S, behind places and multipliers
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def plain(program: Program, i: int, at_once: bool) -> str:
    node = program.nodes[i]
    if node.op == "constant":
        return f"fill({node.value!r})"
    if node.op == "input":
        source = node.source
        assert source is not None
        if source.kind == "p":
            return f"p[{source.index}]"
        if source.kind == "s":
            return f"fill(c[{source.index}])"
        row = ROWS.get(source.kind, 0)
        rows = f"S + {row} * stride" if row else "S"
        read = f"x[{source.index}]" if at_once else f"gather({rows}, ix + {source.index} * LANES)"
        return "fill(t)" if source.kind == "t" else read
    args = [f"n{a}" for a in node.args]
    if node.op in _INFIX:
        return f"{args[0]} {_INFIX[node.op]} {args[1]}"
    if node.op == "neg":
        return f"-{args[0]}"
    if node.op == "select":
        return f"pick({', '.join(args)})"
    if node.op == "pow":
        return f"v_pow({args[0]}, fill({node.value!r}))"
    if node.op == "curve":
        return f"v_curve({args[0]}, {args[1]}, {node.value:.0f})"
    return f"v_{node.op}({', '.join(args)})"
