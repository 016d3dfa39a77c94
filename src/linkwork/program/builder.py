"""Straight-line programs with value numbering: instructions in, a minimal instruction array out.

`Builder` never emits the same instruction twice, folds constants and drops neutral elements; `Program` is the frozen
result. Knows nothing of where the expressions came from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linkwork.arrays import Floats
from linkwork.program.ops import OPS, External
from linkwork.symbolic import Curve


@dataclass(frozen=True, slots=True)
class Input:
    """An argument of a program: a kind (`q e u a lam t p c s`) and its place among the arguments of that kind.

    `p` are parameters, `s` numbers of a method; `c` are cursors, one for each curve and argument, which tell compiled
    code where the data are.
    """

    kind: str
    index: int


class Node(NamedTuple):
    """One instruction: an operation on earlier nodes.

    `value` is a constant, the exponent of `pow`, or the order of the derivative of `curve`; `function` what is called.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    source: Input | None = None
    curve: Curve | None = None
    function: External | None = None

    @property
    def more(self) -> tuple[Any, ...]:
        """What the operation takes behind its arguments."""
        if self.curve is not None:
            return self.value, self.curve
        if self.function is not None:
            return (self.function,)
        return (self.value,) if self.op == "pow" else ()

    def compute(self, *args: Any) -> Floats:
        """The operation on arrays."""
        return np.asarray(OPS[self.op].array(*args, *self.more), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Tape:
    """A program on arrays: what is known beforehand, the inputs (node, source), the operations in order.

    An operation is the node it makes, a function, its arguments and what else the function takes.
    """

    known: list[Any]
    inputs: list[tuple[int, Input]]
    operations: list[tuple[int, Callable[..., Any], tuple[int, ...], tuple[Any, ...]]]


def make_tape(nodes: Sequence[Node]) -> Tape:
    """Lay out the nodes of a program."""
    tape = Tape([None] * len(nodes), [], [])
    for i, node in enumerate(nodes):
        if node.op == "constant":
            tape.known[i] = np.asarray(node.value)
        elif node.source is not None:
            tape.inputs.append((i, node.source))
        else:
            tape.operations.append((i, OPS[node.op].array, node.args, node.more))
    return tape


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An array of instructions and the named groups of its results.

    A result is the index of the node that holds it; `labels` are the names of the inputs, for readable output.
    """

    nodes: tuple[Node, ...]
    outputs: Mapping[str, tuple[int, ...]]
    labels: Mapping[Input, str] = field(default_factory=dict)
    _tape: list[Tape] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def tape(self) -> Tape:
        """The program laid out to be run on arrays; made once."""
        if not self._tape:
            self._tape.append(make_tape(self.nodes))
        return self._tape[0]

    def inputs(self) -> list[int]:
        """The nodes that are inputs, in order of appearance."""
        return [i for i, node in enumerate(self.nodes) if node.op == "input"]


def find_ancestors(nodes: Sequence[Node], roots: Iterable[int]) -> set[int]:
    """The nodes that some nodes are made of, these included."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(nodes[node].args)
    return seen


class Builder:
    """Collects instructions; the same instruction on the same arguments is the same node.

    >>> b = Builder()
    >>> x = b.input("q", 0)
    >>> b.mul(x, x) == b.mul(x, x), b.add(x, b.zero) == x
    (True, True)
    """

    def __init__(self) -> None:
        self.zero: int
        self.one: int
        self.nodes: list[Node] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self.labels: dict[Input, str] = {}
        self.cursors: dict[tuple[Curve, int], int] = {}
        self._kinds: list[frozenset[str]] = []
        self._alike: dict[frozenset[str], frozenset[str]] = {}
        self._factors: dict[int, tuple[float, int]] = {}
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    # -- leaves ---------------------------------------------------------------------------------------------------

    def _number(self, key: tuple[object, ...], node: Node) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.nodes)
            self.nodes.append(node)
        return found

    def constant(self, value: float) -> int:
        """The node that holds a number."""
        value = float(value) + 0.0  # -0.0 and 0.0 are the same constant
        return self._number(("constant", value), Node("constant", (), value))

    def input(self, kind: str, index: int, label: str = "") -> int:
        """The node that holds an argument of the program."""
        source = Input(kind, index)
        if label:
            self.labels[source] = label
        return self._number(("input", kind, index), Node("input", (), 0.0, source))

    # -- instructions ---------------------------------------------------------------------------------------------

    def is_constant(self, node: int, value: float | None = None) -> bool:
        """Whether the node is a number (and this one, if a value is given)."""
        found = self.nodes[node]
        return found.op == "constant" and (value is None or found.value == value)

    def lookup(self, curve: Curve, x: int, order: int = 0) -> int:
        """The derivative of a curve of this order at a node."""
        if self.is_constant(x):
            return self.constant(float(curve.value(self.nodes[x].value, order)))
        cursor = self.input("c", self.cursors.setdefault((curve, x), len(self.cursors)))
        return self.emit("curve", cursor, x, value=order, curve=curve)

    def call(self, function: External, args: Sequence[int]) -> int:
        """The node of a call."""
        node = Node("call", tuple(args), function=function)
        return self._number((*node,), node)

    def emit(self, op: str, *args: int, value: float = 0.0, curve: Curve | None = None) -> int:
        """The node of an operation on nodes, folded if all of them are numbers."""
        for arg in args:
            if self.nodes[arg].op != "constant":
                break
        else:
            folded = self._fold(op, args, value)
            if folded is not None:
                return self.constant(folded)
        if OPS[op].commutative and args[0] > args[1]:
            args = (args[1], args[0])
        if op == "select" and args[1] == args[2]:
            return args[1]
        if op in ("min", "max"):
            # of the same, or of one that is asked already
            first, last = sorted(args)
            if first == last or (self.nodes[last].op == op and first in self.nodes[last].args):
                return last
        key = op, args, value, curve
        found = self._numbers.get(key)
        return self._number(key, Node(op, args, value, None, curve)) if found is None else found

    def _fold(self, op: str, args: Sequence[int], value: float) -> float | None:
        """The number an operation on numbers gives, or None if it has none (the run will say so)."""
        numbers = [self.nodes[arg].value for arg in args] + ([value] if op == "pow" else [])
        try:
            result = OPS[op].fold(*numbers)
        except (ArithmeticError, ValueError):
            return None
        # a negative number to a fractional power is complex: no number either
        return result if not isinstance(result, complex) and math.isfinite(result) else None

    def add(self, a: int, b: int) -> int:
        """a + b; like terms are gathered: 2x + 3x = 5x."""
        if a == self.zero:
            return b
        if b == self.zero:
            return a
        (c, x), (d, y) = self._factor(a), self._factor(b)
        if x == y and math.isfinite(c + d):
            return self.mul(self.constant(c + d), x)
        if self.nodes[b].op == "neg":
            return self.sub(a, self.nodes[b].args[0])
        if self.nodes[a].op == "neg":
            return self.sub(b, self.nodes[a].args[0])
        return self.emit("add", a, b)

    def sub(self, a: int, b: int) -> int:
        """a − b; like terms are gathered."""
        if b == self.zero:
            return a
        if a == self.zero:
            return self.neg(b)
        (c, x), (d, y) = self._factor(a), self._factor(b)
        if x == y and math.isfinite(c - d):
            return self.mul(self.constant(c - d), x)
        if self.nodes[b].op == "neg":
            return self.add(a, self.nodes[b].args[0])
        return self.emit("sub", a, b)

    def neg(self, a: int) -> int:
        """−a."""
        node = self.nodes[a]
        if node.op == "neg":
            return node.args[0]
        if node.op == "sub":
            return self.emit("sub", node.args[1], node.args[0])
        return self.emit("neg", a)

    def mul(self, a: int, b: int) -> int:
        """a · b; signs and numbers are moved outward so that −a·b and a·(−b), 2a·b and a·2b are one node."""
        (c, x), (d, y) = self._factor(a), self._factor(b)
        number = c * d
        if c == 0.0 or d == 0.0:
            return self.zero
        if number == 0.0 or not math.isfinite(number):  # out of range: leave the numbers where they are
            return self.emit("mul", a, b)
        product = y if x == self.one else x if y == self.one else self.emit("mul", x, y)
        if product == self.one:
            return self.constant(number)
        scaled = product if abs(number) == 1.0 else self.emit("mul", self.constant(abs(number)), product)
        return self.neg(scaled) if number < 0.0 else scaled

    def _factor(self, a: int) -> tuple[float, int]:
        """A node as number times node: (c, x) with a = c · x; found once for each node."""
        found = self._factors.get(a)
        if found is None:
            found = self._factors[a] = self._find_factor(a)
        return found

    def _find_factor(self, a: int) -> tuple[float, int]:
        node = self.nodes[a]
        if node.op == "constant":
            return node.value, self.one
        if node.op == "neg":
            number, rest = self._factor(node.args[0])
            return -number, rest
        if node.op == "mul":
            for number_node, rest in (node.args, node.args[::-1]):
                if self.is_constant(number_node):
                    return self.nodes[number_node].value, rest
        return 1.0, a

    def div(self, a: int, b: int) -> int:
        """a / b; signs and numbers are moved outward."""
        (c, x), (d, y) = self._factor(a), self._factor(b)
        if c == 0.0 and d != 0.0:
            return self.zero
        if d == 0.0 or c / d == 0.0 or not math.isfinite(c / d):
            return self.emit("div", a, b)
        quotient = x if y == self.one else self.emit("div", x, y)
        return self.mul(self.constant(c / d), quotient)

    def power(self, a: int, exponent: float) -> int:
        """aⁿ by multiplication for small integers, by sqrt for halves, else by `pow`."""
        if exponent == 0.0:
            return self.one
        if exponent == 1.0:
            return a
        if exponent < 0.0 and (exponent == -0.5 or exponent == int(exponent)):
            return self.div(self.one, self.power(a, -exponent))
        if exponent == int(exponent) and exponent <= 64:
            return self._integer_power(a, int(exponent))
        if exponent == 0.5:
            return self.emit("sqrt", a)
        return self.emit("pow", a, value=float(exponent))

    def _integer_power(self, a: int, exponent: int) -> int:
        # binary powering: square and multiply
        result, square = None, a
        while exponent:
            if exponent & 1:
                result = square if result is None else self.mul(result, square)
            exponent >>= 1
            if exponent:
                square = self.mul(square, square)
        return self.one if result is None else result

    def total(self, nodes: Iterable[int]) -> int:
        """The sum of nodes."""
        result = self.zero
        for node in nodes:
            result = self.add(result, node)
        return result

    # -- result ---------------------------------------------------------------------------------------------------

    def program(self, **outputs: Sequence[int]) -> Program:
        """The program that computes the named groups of nodes: everything else is dropped, order is kept."""
        needed = sorted(self.ancestors(node for group in outputs.values() for node in group))
        new = {old: i for i, old in enumerate(needed)}
        nodes = [self.nodes[old] for old in needed]
        renamed = (Node(n.op, tuple(new[a] for a in n.args), n.value, n.source, n.curve, n.function) for n in nodes)
        results = {name: tuple(new[node] for node in group) for name, group in outputs.items()}
        return Program(nodes=tuple(renamed), outputs=results, labels=dict(self.labels))

    def kinds(self, node: int) -> frozenset[str]:
        """The kinds of inputs that a node depends on; found once for each node."""
        known, alike = self._kinds, self._alike
        for i in range(len(known), node + 1):
            source = self.nodes[i].source
            found = frozenset[str]() if source is None else frozenset((source.kind,))
            for arg in self.nodes[i].args:
                found = found | known[arg]
            known.append(alike.setdefault(found, found))
        return known[node]

    def ancestors(self, roots: Iterable[int]) -> set[int]:
        """The nodes that some nodes are made of, these included."""
        return find_ancestors(self.nodes, roots)
