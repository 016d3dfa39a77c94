"""Programs as code for people, in no language yet: what depends on parameters alone is computed once, values that are
used once are written where they are used, the others have names, and sections say what they are about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from linkwork.program import Builder, External, Input, Program, hoist
from linkwork.program.builder import Node, find_ancestors
from linkwork.program.factored import factor_program
from linkwork.program.ops import OPS
from linkwork.program.passes import copy_exactly, copy_node
from linkwork.symbolic import Curve

LARGEST = 10  # leaves of an expression that is written in one piece
COMPARISONS = ("less", "less_equal")


@dataclass(frozen=True, slots=True)
class Tree:
    """An expression: an operation on others, a number, or a name.

    op      as in programs, or "number", "name" (of a value of this function), "input", "constant" (of the model)
    value   a number, the exponent of `pow`, or the order of the derivative of `curve`; function: what is called
    """

    op: str
    args: tuple[Tree, ...] = ()
    value: float = 0.0
    name: str = ""
    source: Input | None = None
    curve: Curve | None = None
    size: int = 1
    function: External | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether it is a number or a name."""
        return not self.args


@dataclass(frozen=True, slots=True)
class Statement:
    """A name for a value; of a value of the model or of a function."""

    name: str
    tree: Tree
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Statements that belong together, and what they are about."""

    title: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function: what it computes on the way, and its results by array.

    inputs   what it reads
    """

    name: str
    sections: tuple[Section, ...]
    results: Mapping[str, tuple[Tree, ...]]
    inputs: frozenset[Input]

    @property
    def trees(self) -> Iterator[Tree]:
        """All expressions."""
        for section in self.sections:
            yield from (s.tree for s in section.statements)
        for group in self.results.values():
            yield from group


@dataclass(frozen=True, slots=True)
class Plan:
    """A function to be made: sections of (name, node), and results: arrays of nodes."""

    name: str
    sections: Sequence[tuple[str, Sequence[tuple[str, int]]]]
    results: Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Code:
    """All functions of a model, and how the constants that they share follow from the parameters.

    bounds  values of parameters, and what they must not be beside zero, as in "<=", for the equations to hold
    """

    init: Function
    functions: tuple[Function, ...]
    programs: Mapping[str, Program]
    bounds: tuple[tuple[Tree, str], ...] = ()

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of the constants."""
        return tuple(s.name for section in self.init.sections for s in section.statements if s.constant)

    @property
    def local_names(self) -> frozenset[str]:
        """The names of values within functions."""
        functions = (self.init, *self.functions)
        return frozenset(s.name for f in functions for part in f.sections for s in part.statements if not s.constant)

    @property
    def parts(self) -> Iterator[Tree]:
        """All expressions and what they are made of."""
        for function in (self.init, *self.functions):
            for tree in function.trees:
                yield from walk(tree)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that are looked at, each once."""
        return tuple({t.curve: None for t in self.parts if t.curve is not None})

    @property
    def called(self) -> frozenset[str]:
        """The functions that are called, by name."""
        return frozenset(t.function.name for t in self.parts if t.function is not None)

    def uses(self, *ops: str) -> bool:
        """Whether one of these operations occurs."""
        return any(t.op in ops for t in self.parts)


def walk(tree: Tree) -> Iterator[Tree]:
    """A tree and all its parts."""
    stack = [tree]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(current.args)


def change_trees(f: Function, change: Callable[[Tree], Tree]) -> Function:
    """A function with other expressions."""
    sections = tuple(
        replace(part, statements=tuple(replace(s, tree=change(s.tree)) for s in part.statements)) for part in f.sections
    )
    results = {array: tuple(map(change, trees)) for array, trees in f.results.items()}
    changed = replace(f, sections=sections, results=results)
    return replace(changed, inputs=find_inputs(changed.trees))


def find_inputs(trees: Iterable[Tree]) -> frozenset[Input]:
    """The inputs that expressions read."""
    return frozenset(t.source for tree in trees for t in walk(tree) if t.source is not None)


def make_code(b: Builder, plans: Sequence[Plan], bounds: Sequence[tuple[int, str, str]] = ()) -> Code:
    """The functions of some plans; `bounds`: nodes, what they must not be beside zero, and a name or none."""
    whole = _factor(b, plans, [node for node, _, _ in bounds])
    halves = hoist(whole)
    names = _name_columns(halves.setup, halves.body, plans, [name for _, _, name in bounds])
    columns = [_column(halves.setup, node, name) for node, name in zip(halves.setup.outputs["p"], names, strict=True)]
    functions = tuple(_write(halves.body, columns, plan) for plan in plans)
    init = _write_init(halves.setup, names)
    kept = dict.fromkeys(zip(_trees(halves.body, columns, "bounds"), (wrong for _, wrong, _ in bounds), strict=True))
    programs = {"init": halves.setup, "body": halves.body}
    return Code(init, functions, programs, tuple(pair for pair in kept if pair[0].op != "number"))


def _factor(b: Builder, plans: Sequence[Plan], bounds: Sequence[int]) -> Program:
    """All plans as one program, each with common factors taken out; what is only named on the way may vanish."""
    new, groups = Builder(), dict[str, list[int]]()
    programs = []
    for plan in plans:
        named = {f"{plan.name} {k}": [node for _, node in named] for k, (_, named) in enumerate(plan.sections)}
        results = {f"{plan.name}:{array}": nodes for array, nodes in plan.results.items()}
        programs.append(factor_program(b.program(**named, **results), [*named]))
    # last, so that constants stand in the order in which the functions read them
    for program in (*programs, b.program(bounds=bounds)):
        copies: list[int] = []
        for node in program.nodes:
            copies.append(copy_exactly(new, node, tuple(copies[a] for a in node.args), program.labels))
        groups |= {name: [copies[node] for node in group] for name, group in program.outputs.items()}
    return new.program(**groups)


def _trees(body: Program, columns: Sequence[Tree], group: str) -> list[Tree]:
    """What results that depend on parameters alone are: numbers, constants or parameters."""
    found = []
    for i in body.outputs[group]:
        node = body.nodes[i]
        # a constant, or its negative
        whose = body.nodes[node.args[0]] if node.op == "neg" else node
        tree = columns[whose.source.index] if whose.source is not None else Tree("number", value=whose.value)
        found.append(Tree("neg", (tree,)) if node.op == "neg" and tree.op != "number" else tree)
    return found


def _column(setup: Program, node: int, name: str) -> Tree:
    """What stands for a column of constants: its name, or the parameter that it is."""
    return Tree("constant", name=name) if name else Tree("input", source=setup.nodes[node].source)


def _name_columns(setup: Program, body: Program, plans: Sequence[Plan], bounds: Sequence[str]) -> list[str]:
    """The names of constants: those of results that turn out constant, else k1, k2, ...; none for parameters."""
    sections = [
        (f"{plan.name} {k}", [n for n, _ in named]) for plan in plans for k, (_, named) in enumerate(plan.sections)
    ]
    given: dict[int, str] = {}
    for group, known in [*sections, ("bounds", bounds)]:
        for name, node in zip(known, body.outputs[group], strict=True):
            source = body.nodes[node].source
            if name and source is not None and source.kind == "p":
                given.setdefault(source.index, name)
    names, count, taken = list[str](), 0, set(given.values())
    for i, node in enumerate(setup.outputs["p"]):
        if setup.nodes[node].source is not None:
            names.append("")
            continue
        if i not in given:
            count += 1
            while f"k{count}" in taken:
                count += 1
        names.append(given.get(i, f"k{count}"))
    return names


def _write_init(setup: Program, names: Sequence[str]) -> Function:
    """The function that computes the constants, each over those before it."""
    named = sorted((node, name) for node, name in zip(setup.outputs["p"], names, strict=True) if name)
    body = _Body(setup, (), [node for node, _ in named], dict(named))
    for node, name in named:
        tree = body.tree(node)
        body.statements.append(Statement(name, tree, constant=True))
    statements = body.take()
    return Function("init", (Section("", statements),) if statements else (), {}, frozenset(body.inputs))


def _write(program: Program, columns: Sequence[Tree], plan: Plan) -> Function:
    """The function of a plan."""
    outputs = program.outputs
    results = {array: outputs[f"{plan.name}:{array}"] for array in plan.results}
    body = _Body(program, columns, [node for group in results.values() for node in group], {})
    sections = []
    for k, (title, named) in enumerate(plan.sections):
        nodes = outputs[f"{plan.name} {k}"]
        body.define([(name, node) for (name, _), node in zip(named, nodes, strict=True)])
        sections.append(Section(title, body.take()))
    trees = {array: tuple(body.tree(node, "results") for node in group) for array, group in results.items()}
    sections.append(Section("the same for several" if plan.sections else "", body.take()))
    return Function(plan.name, tuple(s for s in sections if s.statements), trees, frozenset(body.inputs))


class _Body:
    """The statements of one function, made as they are needed.

    wanted     nodes that the function computes in the end: what is only named on the way does not count as a use
    """

    def __init__(
        self, program: Program, columns: Sequence[Tree], wanted: Sequence[int], known: Mapping[int, str]
    ) -> None:
        self.nodes, self.columns, self.known = program.nodes, columns, known
        self.needed = find_ancestors(program.nodes, wanted)
        self.uses = self._count(wanted)
        self.made: dict[int, Tree] = {}
        self.statements: list[Statement] = []
        self.inputs: set[Input] = set()
        self.names = 0

    def _count(self, wanted: Sequence[int]) -> Counter[int]:
        """How often each node is written; who reads a comparison reads what is compared."""
        uses = Counter(wanted)
        for node in sorted(self.needed, reverse=True):
            times = uses[node] if self.nodes[node].op in COMPARISONS else 1
            for arg in self.nodes[node].args:
                uses[arg] += times
        return uses

    def define(self, named: Sequence[tuple[str, int]]) -> None:
        """Make the statements that are still missing for some nodes."""
        for name, node in named:
            if node in self.needed and node not in self.made:
                self.tree(node, name)

    def take(self) -> tuple[Statement, ...]:
        """The statements since the last time."""
        found, self.statements = tuple(self.statements), []
        return found

    def tree(self, root: int, name: str = "") -> Tree:
        """The expression of a node, which may have this name; all that it needs is made before."""
        stack = [root]
        while stack:
            node = stack[-1]
            missing = [arg for arg in self.nodes[node].args if arg not in self.made] if node not in self.made else []
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if node not in self.made:
                self.made[node] = self._make(node, name if node == root else "")
        return self.made[root]

    def _make(self, i: int, name: str) -> Tree:
        node = self.nodes[i]
        if node.op == "constant":
            return Tree("number", value=node.value)
        if node.source is not None:
            return self._input(node.source)
        args = tuple(self._argument(arg) for arg in (node.args[1:] if node.curve else node.args))
        size = sum(arg.size for arg in args)
        tree = Tree(node.op, args, node.value, "", None, node.curve, size, node.function)
        if i in self.known or node.op in COMPARISONS or (node.op == "neg" and args[0].is_leaf):
            return tree
        if name == "results":
            return self._name(tree, "") if self.uses[i] > 1 else tree
        if name or self.uses[i] > 1 or size > LARGEST:
            return self._name(tree, name)
        return tree

    def _argument(self, arg: int) -> Tree:
        """What stands for a node in an expression: a constant that has a name goes by it."""
        if arg in self.known:
            return Tree("constant", name=self.known[arg])
        return self.made[arg]

    def _name(self, tree: Tree, name: str) -> Tree:
        if not name:
            self.names += 1
            name = f"z{self.names}"
        self.statements.append(Statement(name, tree))
        return Tree("name", name=name)

    def _input(self, source: Input) -> Tree:
        tree = self.columns[source.index] if self.columns and source.kind == "p" else Tree("input", source=source)
        if tree.source is not None:
            self.inputs.add(tree.source)
        return tree


def prune(program: Program, group: str) -> Program:
    """The part of a program that makes one group of results."""
    b, new = Builder(), dict[int, int]()
    needed, stack = set[int](), list(program.outputs[group])
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(program.nodes[node].args)
    for i in sorted(needed):
        new[i] = copy_node(b, program.nodes[i], tuple(new[a] for a in program.nodes[i].args), program.labels)
    return b.program(**{group: [new[i] for i in program.outputs[group]]})


def count_flops(nodes: Iterable[Node]) -> list[int]:
    """Additions, products, divisions and functions among the values of a program."""
    kinds = {"add": "add", "sub": "add", "mul": "mul", "div": "div"}
    counts = Counter(kinds.get(n.op, "function") for n in nodes if n.op in OPS and n.op != "neg")
    return [counts[kind] for kind in ("add", "mul", "div", "function")]
