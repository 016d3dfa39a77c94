"""Taylor mode: a program in, a plan that computes its results one order at a time out.

Each instruction becomes a recurrence for its coefficient of order j in terms of coefficients of order ≤ j of its
arguments (and < j of itself). Results are needed at different orders in the same stage k: dynamics ("r") at order k,
constraints ("g") at order k + 2; a node's *offset* is the largest such lead among the results that use it.

At stage k the coefficients that the stage is to find are still unknown and enter as zero:

    q at order k + 2      u at order k + 1      a and λ at order k

so nodes at those orders are provisional. The next stage corrects them first, in one linear pass, since the top
coefficient of every operation depends on the top coefficients of its arguments only through the order-0 partial
derivatives. Knows nothing of C; `native` and the interpreter execute the plan.

Followers e move at rates ė = n, linear in u, which are results ("n") at order k + 1 of plans of their own, executed
before the others in each stage: the correction makes e of order k + 1 final, then the next order makes

    e at order k + 2 = n at order k + 1 / (k + 2),   provisional, since u at order k + 1 enters as zero

The others read it as it is, and the next stage corrects them by the difference of its final and provisional values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from linkwork.program.builder import Program
from linkwork.program.passes import fixed_nodes
from linkwork.symbolic import Curve

# by how many orders the newest known or unknown coefficient of an input leads the stage
LEAD = {"q": 2, "e": 2, "u": 1, "a": 0, "lam": 0}
# entire, or nearly so: far away from where they change, all their coefficients vanish
FLAT = ("exp", "tanh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One recurrence.

    op       input const add sub neg scale mul square div sqrt pow rate abs sign min max less less_equal select piece
    args     steps it reads; `rate` also reads `pairs`: f' = Σ c φ x' over (c, φ, x)
    value    the number of a constant, the exponent of `pow`, which derivative of a curve it is
    curve    of `rate` and `piece`; `piece` is its highest derivative, constant on each piece
    offset   it is computed at order k + offset in stage k
    stored   its coefficients of all orders are kept
    top      it depends on coefficients unknown at its stage, to be corrected in the next
    """

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    kind: str = ""
    index: int = 0
    function: str = ""
    pairs: tuple[tuple[float, int, int], ...] = ()
    offset: int = 0
    stored: bool = False
    top: bool = False
    curve: Curve | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps in order of computation, and for each result (group, index) its step and order offset.

    `corrected` are the steps whose provisional coefficients the next stage corrects, with the rates of followers among
    them; `constant_results` says that
    nothing but order 0 of the dynamics differs from zero, so later stages can be skipped.
    """

    steps: tuple[Step, ...]
    outputs: Mapping[str, tuple[int, ...]]
    offsets: Mapping[str, int]
    corrected: tuple[int, ...]

    @property
    def constant_results(self) -> bool:
        """Whether all results are constants, so that only the stage of order 0 contributes."""
        return all(self.steps[s].op == "const" for group in self.outputs.values() for s in group)

    @property
    def hiding(self) -> tuple[int, ...]:
        """The arguments of functions that are flat without being constant, so that their series may show nothing."""
        found = (step.args[0] for step in self.steps if step.op == "rate" and step.function in FLAT)
        return tuple(dict.fromkeys(found))

    def curve_arguments(self, cursors: Mapping[int, int], order: int) -> dict[int, tuple[int, int]]:
        """For each cursor the step that is its curve's argument, and how many coefficients of it a series has.

        `cursors` tells which column holds which cursor. The last coefficient does not count if it is provisional.
        """
        found: dict[int, tuple[int, int]] = {}
        for step in self.steps:
            if step.curve is not None:
                column, x = self.steps[step.args[0]].index, self.steps[step.args[1]]
                found[cursors[column]] = step.args[1], order - 1 + x.offset - x.top
        return found

    @property
    def storage(self) -> dict[int, int]:
        """The place of each stored step among the stored ones."""
        stored = [i for i, step in enumerate(self.steps) if step.stored]
        return {step: place for place, step in enumerate(stored)}


def plan_taylor(program: Program, offsets: Mapping[str, int]) -> Plan:
    """The Taylor plan of a hoisted program whose result groups have the given order offsets."""
    translator = _Translator(program)
    steps = translator.steps
    outputs = {name: tuple(translator.new[n] for n in group) for name, group in program.outputs.items()}
    lead = _spread_offsets(steps, outputs, offsets)
    steps = [replace(step, offset=lead[i]) for i, step in enumerate(steps)]
    stored = _find_stored(steps, outputs, offsets)
    top = _find_top(steps)
    steps = [replace(step, stored=stored[i], top=top[i]) for i, step in enumerate(steps)]
    corrected = _find_corrected(steps, outputs.get("n", ()))
    # a follower is corrected by the difference to what it was
    steps = [replace(s, stored=True) if i in corrected and s.kind == "e" else s for i, s in enumerate(steps)]
    return Plan(steps=tuple(steps), outputs=outputs, offsets=dict(offsets), corrected=corrected)


class _Translator:
    """Rewrites instructions as recurrences; functions become `rate` steps, f' = φ x'."""

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self.new: list[int] = []
        self.trigonometric: dict[int, tuple[int, int]] = {}
        self.numbers: dict[float, int] = {}
        self.curves: dict[tuple[int, int, float], int] = {}
        fixed = fixed_nodes(program)
        for i, node in enumerate(program.nodes):
            self.new.append(self._translate(program, i, fixed[i]))
            assert not (fixed[i] and node.op not in ("constant", "input")), "hoist before planning"

    def step(self, op: str, *args: int, **more: object) -> int:
        self.steps.append(Step(op=op, args=args, **more))  # type: ignore[arg-type]
        return len(self.steps) - 1

    def number(self, value: float) -> int:
        if value not in self.numbers:
            self.numbers[value] = self.step("const", value=value)
        return self.numbers[value]

    def is_const(self, step: int) -> bool:
        return self.steps[step].op == "const"

    def _translate(self, program: Program, i: int, fixed: bool) -> int:
        node = program.nodes[i]
        args = [self.new[a] for a in node.args]
        if node.op == "constant":
            return self.number(node.value)
        if node.op == "input":
            assert node.source is not None
            op = "const" if fixed else "input"
            return self.step(op, kind=node.source.kind, index=node.source.index)
        if node.op == "mul":
            return self._product(*args)
        if node.op == "curve":
            assert node.curve is not None
            return self._curve(node.curve, int(node.value), *args)
        if node.op in _FUNCTIONS:
            return _FUNCTIONS[node.op](self, *args)
        return self.step(node.op, *args, value=node.value)

    def _square(self, a: int) -> int:
        # a constant has no series to convolve
        return self.step("scale", a, a) if self.is_const(a) else self.step("square", a)

    def _product(self, a: int, b: int) -> int:
        if a == b:
            return self._square(a)
        if self.is_const(a) or self.is_const(b):
            return self.step("scale", *((a, b) if self.is_const(a) else (b, a)))
        return self.step("mul", a, b)

    # -- functions by the differential equations they satisfy ------------------------------------------------------

    def rate(self, function: str, args: tuple[int, ...], *pairs: tuple[float, int, int]) -> int:
        moving = tuple(pair for pair in pairs if not self.is_const(pair[2]))
        return self.step("rate", *args, function=function, pairs=moving)

    def _exp(self, x: int) -> int:
        return self.rate("exp", (x,), (1.0, len(self.steps), x))

    def _sincos(self, x: int) -> tuple[int, int]:
        if x not in self.trigonometric:
            s = self.rate("sin", (x,), (1.0, len(self.steps) + 1, x))
            c = self.rate("cos", (x,), (-1.0, s, x))
            self.trigonometric[x] = s, c
        return self.trigonometric[x]

    def _sin(self, x: int) -> int:
        return self._sincos(x)[0]

    def _cos(self, x: int) -> int:
        return self._sincos(x)[1]

    def _tan(self, x: int) -> int:
        return self._tangent("tan", "add", x)

    def _tanh(self, x: int) -> int:
        return self._tangent("tanh", "sub", x)

    def _tangent(self, function: str, sign: str, x: int) -> int:
        # y' = (1 ± y²) x', where 1 ± y² is the second step after y
        one = self.number(1.0)
        y = self.rate(function, (x,), (1.0, len(self.steps) + 2, x))
        self.step(sign, one, self.step("square", y))
        return y

    def _log(self, x: int) -> int:
        return self.rate("log", (x,), (1.0, self.step("div", self.number(1.0), x), x))

    def _atan(self, x: int) -> int:
        below = self.step("add", self.number(1.0), self.step("square", x))
        return self.rate("atan", (x,), (1.0, self.step("div", self.number(1.0), below), x))

    def _asin(self, x: int) -> int:
        return self.rate("asin", (x,), (1.0, self._inverse_root(x), x))

    def _acos(self, x: int) -> int:
        return self.rate("acos", (x,), (-1.0, self._inverse_root(x), x))

    def _inverse_root(self, x: int) -> int:
        below = self.step("sqrt", self.step("sub", self.number(1.0), self.step("square", x)))
        return self.step("div", self.number(1.0), below)

    def _atan2(self, y: int, x: int) -> int:
        below = self.step("add", self._square(y), self._square(x))
        over_y, over_x = self.step("div", x, below), self.step("div", y, below)
        return self.rate("atan2", (y, x), (1.0, over_y, y), (-1.0, over_x, x))

    def _curve(self, curve: Curve, order: int, cursor: int, x: int) -> int:
        # f' = f⁽¹⁾ x' and so on down to the last derivative, which is constant while x stays on its piece
        key = cursor, x, order
        if key not in self.curves:
            if order == curve.degree:
                self.curves[key] = self.step("piece", cursor, x, value=order, curve=curve)
            else:
                pair = 1.0, self._curve(curve, order + 1, cursor, x), x
                self.curves[key] = self.step(
                    "rate", cursor, x, function="curve", value=order, curve=curve, pairs=(pair,)
                )
        return self.curves[key]


_FUNCTIONS: dict[str, Callable[..., int]] = {
    "exp": _Translator._exp,
    "log": _Translator._log,
    "sin": _Translator._sin,
    "cos": _Translator._cos,
    "tan": _Translator._tan,
    "tanh": _Translator._tanh,
    "asin": _Translator._asin,
    "acos": _Translator._acos,
    "atan": _Translator._atan,
    "atan2": _Translator._atan2,
}


def reads(step: Step) -> tuple[int, ...]:
    """All steps whose coefficients a step reads."""
    return step.args + tuple(s for _, phi, x in step.pairs for s in (phi, x))


def _spread_offsets(steps: list[Step], outputs: Mapping[str, tuple[int, ...]], offsets: Mapping[str, int]) -> list[int]:
    lead = [-1] * len(steps)
    for name, group in outputs.items():
        for s in group:
            lead[s] = max(lead[s], offsets[name])
    # a pair such as sin and cos read each other, so repeat until nothing changes
    changed = True
    while changed:
        changed = False
        for i in range(len(steps) - 1, -1, -1):
            for arg in reads(steps[i]):
                if lead[arg] < lead[i]:
                    lead[arg] = lead[i]
                    changed = True
    return lead


_LINEAR = ("add", "sub", "neg", "scale")


def _find_stored(steps: list[Step], outputs: Mapping[str, tuple[int, ...]], offsets: Mapping[str, int]) -> list[bool]:
    stored = [False] * len(steps)
    for i, step in enumerate(steps):
        if step.op in ("div", "sqrt", "pow", "rate"):
            stored[i] = True  # its recurrence reads its own past
        for arg in reads(step):
            past = step.op not in _LINEAR or steps[arg].offset > step.offset
            stored[arg] = stored[arg] or past
    for name, group in outputs.items():
        for s in group:
            stored[s] = stored[s] or steps[s].offset > offsets[name]
    return [keep and step.op != "const" for keep, step in zip(stored, steps, strict=True)]


def _find_top(steps: list[Step]) -> list[bool]:
    top = [False] * len(steps)
    for i, step in enumerate(steps):
        if step.op == "input":
            top[i] = LEAD.get(step.kind) == step.offset
        elif step.op not in ("sign", "less", "less_equal", "piece"):
            top[i] = any(top[a] and steps[a].offset == step.offset for a in reads(step) if a < i)
    return top


def _find_corrected(steps: list[Step], rates: tuple[int, ...]) -> tuple[int, ...]:
    needed = {i for i, step in enumerate(steps) if step.top and (step.stored or i in rates)}
    for i in range(len(steps) - 1, -1, -1):
        if i in needed:
            for arg in reads(steps[i]):
                if steps[arg].top and steps[arg].offset == steps[i].offset and arg < i:
                    needed.add(arg)
    return tuple(sorted(needed))
