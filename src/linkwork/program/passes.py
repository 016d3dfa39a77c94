"""Passes over programs: what depends on parameters only is computed once; what an evaluation costs is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from linkwork.program.builder import Builder, Input, Node, Program, find_ancestors
from linkwork.program.ops import LEAVES, OPS


@dataclass(frozen=True, slots=True, kw_only=True)
class Hoisted:
    """A program split in two: `setup` maps parameters to columns (output group "p"), `body` reads those columns."""

    setup: Program
    body: Program

    @property
    def cursors(self) -> dict[int, int]:
        """The cursor that each column of the body holds, of those that hold one."""
        sources = [self.setup.nodes[node].source for node in self.setup.outputs["p"]]
        return {column: s.index for column, s in enumerate(sources) if s is not None and s.kind == "c"}

    @property
    def columns(self) -> int:
        """How many parameter columns the body reads."""
        return len(self.setup.outputs["p"])


def replace_nodes(b: Builder, nodes: Sequence[int], by: Mapping[int, int]) -> list[int]:
    """The nodes rebuilt with some of the nodes they depend on replaced by others."""
    new = dict(by)
    for old in sorted(b.ancestors(nodes)):
        if old not in new:
            node = b.nodes[old]
            args = tuple(new[a] for a in node.args)
            new[old] = old if args == node.args else copy_node(b, node, args, b.labels)
    return [new[node] for node in nodes]


def copy_node(b: Builder, node: Node, args: tuple[int, ...], labels: Mapping[Input, str]) -> int:
    """Emit one instruction again on other nodes, with its simplifications."""
    if node.source is not None:
        return b.input(node.source.kind, node.source.index, labels.get(node.source, ""))
    if node.op == "constant":
        return b.constant(node.value)
    if node.function is not None:
        return b.call(node.function, args)
    if node.op in ("add", "sub", "mul", "div", "neg"):
        made: int = getattr(b, node.op)(*args)
        return made
    return b.emit(node.op, *args, value=node.value, curve=node.curve)


def copy_exactly(b: Builder, node: Node, args: tuple[int, ...], labels: Mapping[Input, str]) -> int:
    """Emit one instruction again on other nodes, as it is."""
    if node.source is not None or node.op in ("constant", "call"):
        return copy_node(b, node, args, labels)
    return b.emit(node.op, *args, value=node.value, curve=node.curve)


def rebuild(program: Program, without: Collection[str] = ()) -> tuple[Builder, list[int]]:
    """A builder that holds a program, and its node for each node of the program; inputs of some kinds are zero."""
    b, new = Builder(), list[int]()
    for node in program.nodes:
        gone = node.source is not None and node.source.kind in without
        new.append(b.zero if gone else copy_node(b, node, tuple(new[a] for a in node.args), program.labels))
    return b, new


def inline(
    b: Builder, program: Program, source: Callable[[Input], int], curve: Callable[[Node, int], int] | None = None
) -> dict[str, list[int]]:
    """The results of a program built once more on other nodes; `curve` makes a curve's node again on its argument."""
    new: list[int] = []
    for node in program.nodes:
        if node.source is not None:
            new.append(source(node.source))
        elif curve is not None and node.curve is not None:
            new.append(curve(node, new[node.args[1]]))
        else:
            new.append(copy_node(b, node, tuple(new[a] for a in node.args), {}))
    return {name: [new[n] for n in group] for name, group in program.outputs.items()}


def find_switches(b: Builder, nodes: Sequence[int]) -> list[int]:
    """The nodes whose sign decides in abs, sign, min, max and comparisons that some nodes are made of."""
    found: list[int] = []
    for n in sorted(b.ancestors(nodes)):
        node = b.nodes[n]
        if node.op in ("abs", "sign"):
            found.append(node.args[0])
        elif node.op in ("min", "max", "less", "less_equal"):
            found.append(b.sub(node.args[0], node.args[1]))
    return list(dict.fromkeys(found))


def fixed_nodes(program: Program) -> list[bool]:
    """For each node whether it depends on parameters, cursors and numbers only."""
    fixed: list[bool] = []
    for node in program.nodes:
        if node.op == "input":
            assert node.source is not None
            fixed.append(node.source.kind in ("p", "c"))
        else:
            fixed.append(all(fixed[arg] for arg in node.args))
    return fixed


def hoist(program: Program) -> Hoisted:
    """Split off everything that depends on parameters only; division by a parameter becomes a product.

    >>> b = Builder()
    >>> x, c = b.input("q", 0), b.input("p", 0)
    >>> halves = hoist(b.program(y=[b.mul(x, b.mul(c, c))]))
    >>> halves.columns, [node.op for node in halves.body.nodes]
    (1, ['input', 'input', 'mul'])
    """
    fixed = fixed_nodes(program)
    setup, body = Builder(), Builder()
    early: list[int] = []
    columns: dict[int, int] = {}
    late: dict[int, int] = {}

    def column(node: int) -> int:
        """The body's node for an early value: a number, or the column that holds it."""
        if setup.is_constant(node):
            return body.constant(setup.nodes[node].value)
        index = columns.setdefault(node, len(columns))
        source = setup.nodes[node].source
        return body.input("p", index, setup.labels.get(source, "") if source else "")

    def argument(old: int) -> int:
        return column(early[old]) if fixed[old] else late[old]

    for i, node in enumerate(program.nodes):
        if fixed[i]:
            args = tuple(early[a] for a in node.args)
            early.append(copy_node(setup, node, args, program.labels))
            continue
        early.append(-1)
        if node.op == "div" and fixed[node.args[1]]:
            inverse = setup.div(setup.one, early[node.args[1]])
            late[i] = body.mul(late[node.args[0]], column(inverse))
        else:
            args = tuple(argument(a) for a in node.args)
            late[i] = copy_node(body, node, args, program.labels)
    outputs = {name: [argument(node) for node in group] for name, group in program.outputs.items()}
    return Hoisted(setup=setup.program(p=list(columns)), body=body.program(**outputs))


def cut(program: Program, results: Sequence[int]) -> Program:
    """The part of a program that some of its nodes need, with these as the group "v"."""
    order = {old: new for new, old in enumerate(sorted(find_ancestors(program.nodes, results)))}
    nodes = [program.nodes[old] for old in order]
    moved = tuple(node._replace(args=tuple(order[arg] for arg in node.args)) for node in nodes)
    return Program(nodes=moved, outputs={"v": tuple(order[result] for result in results)})


def count_written(program: Program, results: Iterable[int]) -> dict[str, int]:
    """How often each operation occurs in results that share nothing, and "total" arithmetic operations."""
    costs: list[Counter[str]] = []
    for node in program.nodes:
        costs.append(sum((costs[arg] for arg in node.args), Counter() if node.op in LEAVES else Counter([node.op])))
    counts = sum((costs[i] for i in results), Counter[str]())
    return {**dict(sorted(counts.items())), "total": sum(OPS[op].flops * times for op, times in counts.items())}


def count_operations(program: Program) -> dict[str, int]:
    """How often each operation occurs, and "total" arithmetic operations of one evaluation."""
    counts = Counter(node.op for node in program.nodes if node.op not in LEAVES)
    total = sum(OPS[op].flops * times for op, times in counts.items())
    return {**dict(sorted(counts.items())), "total": total}
