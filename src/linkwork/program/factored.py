"""Fewer products: what terms of a sum have in common is taken out, a*b + a*c = a*(b + c), and in a product what depends
on parameters alone stands together, so that it is computed once.

Only values that are used once are taken apart, so that nothing is computed twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from linkwork.program.builder import Builder, Node, Program, find_ancestors
from linkwork.program.passes import copy_node, fixed_nodes

SIGNS = {"add": (1.0, 1.0), "sub": (1.0, -1.0), "neg": (-1.0,)}
LONGEST = 200  # terms of a sum that is looked through


class Factor(NamedTuple):
    """A node or, where there is none, a number."""

    node: int | None
    number: float = 1.0


class Term(NamedTuple):
    """A number times nodes."""

    number: float
    factors: tuple[int, ...]

    def without(self, common: Factor) -> Term | None:
        """The term without a factor; None if it has it not."""
        if common.node is None:
            has = abs(self.number) == common.number and bool(self.factors)
            return Term(self.number / common.number, self.factors) if has else None
        if common.node not in self.factors:
            return None
        k = self.factors.index(common.node)
        return Term(self.number, self.factors[:k] + self.factors[k + 1 :])


def factor_program(program: Program, named: Collection[str] = ()) -> Program:
    """The same program with common factors taken out; the groups `named` have values that are no results.

    >>> b = Builder()
    >>> x, y, z = (b.input("q", i) for i in range(3))
    >>> short = factor_program(b.program(s=[b.add(b.mul(x, y), b.mul(z, x))]))
    >>> [node.op for node in short.nodes[3:]]
    ['add', 'mul']
    """
    return _Factoring(program, named).run()


class _Factoring:
    """How a program is factored: node by node into a new builder.   known: nodes there that are fixed"""

    def __init__(self, program: Program, named: Collection[str]) -> None:
        self.program, self.nodes, self.b = program, program.nodes, Builder()
        self.fixed = fixed_nodes(program)
        self.known: set[int] = set()
        results = [node for name, group in program.outputs.items() if name not in named for node in group]
        needed = find_ancestors(program.nodes, results)
        uses = Counter(results)
        uses.update(arg for i in needed for arg in program.nodes[i].args)
        # by what operation a value is used that is used once and depends on more than parameters
        self.user: dict[int, str] = {}
        for node in (program.nodes[i] for i in sorted(needed)):
            self.user.update({arg: node.op for arg in node.args if uses[arg] == 1 and not self.fixed[arg]})

    def run(self) -> Program:
        new: list[int] = []
        for i, node in enumerate(self.nodes):
            new.append(self._make(i, node, new))
            if self.fixed[i]:
                self.known.add(new[i])
        self.b.labels.update(self.program.labels)
        return self.b.program(**{name: [new[i] for i in group] for name, group in self.program.outputs.items()})

    def _make(self, i: int, node: Node, new: Sequence[int]) -> int:
        user = self.user.get(i, "")
        if not self.fixed[i]:
            if node.op in ("add", "sub") and user not in SIGNS:
                terms = self._terms(i, new)
                if len(terms) <= LONGEST and _find_common(terms) is not None:
                    return self._gather(terms)
            if node.op == "mul" and user != "mul":
                return self._product(self._term(i, new))
        return copy_node(self.b, node, tuple(new[a] for a in node.args), self.program.labels)

    # -- taking apart --------------------------------------------------------------------------------------------------

    def _terms(self, root: int, new: Sequence[int]) -> list[Term]:
        """The terms of a sum, in order."""
        found: list[Term] = []
        stack = [(root, 1.0)]
        while stack:
            i, sign = stack.pop()
            node = self.nodes[i]
            if node.op in SIGNS and (i == root or self.user.get(i) in SIGNS):
                signed = zip(node.args, SIGNS[node.op], strict=True)
                stack.extend(reversed([(arg, sign * s) for arg, s in signed]))
            elif self.user.get(i) in SIGNS:
                number, factors = self._term(i, new)
                found.append(Term(sign * number, factors))
            else:
                found.append(Term(sign, (new[i],)))
        return found

    def _term(self, root: int, new: Sequence[int]) -> Term:
        """A product, taken apart as far as its parts are used once."""
        number, factors, stack = 1.0, list[int](), [root]
        while stack:
            i = stack.pop()
            node = self.nodes[i]
            if node.op == "constant":
                number *= node.value
            elif node.op == "mul" and (i == root or self.user.get(i) == "mul"):
                stack.extend(reversed(node.args))
            else:
                factors.append(new[i])
        return Term(number, tuple(factors))

    # -- putting together ----------------------------------------------------------------------------------------------

    def _gather(self, terms: Sequence[Term]) -> int:
        """The sum of terms, with common factors taken out."""
        common = _find_common(terms)
        if common is None:
            return self._total(terms)
        inside, outside = list[Term](), list[Term]()
        for term in terms:
            rest = term.without(common)
            if rest is None:
                outside.append(term)
            else:
                inside.append(rest)
        inner = self._gather(inside)
        whole = Term(common.number, (inner,) if common.node is None else (common.node, inner))
        return self._gather([*outside, whole])

    def _total(self, terms: Sequence[Term]) -> int:
        b, total = self.b, self.b.zero
        # what is added comes first
        for term in sorted(terms, key=lambda term: term.number < 0):
            part = self._product(Term(abs(term.number), term.factors))
            total = b.sub(total, part) if term.number < 0 else b.add(total, part)
        return total

    def _product(self, term: Term) -> int:
        """The number and what is fixed first, as one constant."""
        b = self.b
        early = [x for x in term.factors if x in self.known]
        late = [x for x in term.factors if x not in self.known]
        number = b.constant(abs(term.number))
        if not early:
            return self._signed(term.number, b.mul(number, self._times(late)))
        constant = self._times(early)
        if number != b.one:
            constant = b.emit("mul", number, constant)
        self.known.add(constant)
        return self._signed(term.number, b.emit("mul", *sorted((constant, self._times(late)))) if late else constant)

    def _signed(self, number: float, node: int) -> int:
        return self.b.neg(node) if number < 0 else node

    def _times(self, nodes: Sequence[int]) -> int:
        product = self.b.one
        for node in nodes:
            product = self.b.mul(product, node)
        return product


def _find_common(terms: Sequence[Term]) -> Factor | None:
    """The factor that most terms have, if two have it."""
    counts: Counter[Factor] = Counter()
    for term in terms:
        counts.update({Factor(node) for node in term.factors})
        if abs(term.number) != 1.0 and term.factors:
            counts[Factor(None, abs(term.number))] += 1
    found = max(counts, key=lambda factor: (counts[factor], factor.node or 0, factor.number), default=None)
    return found if found is not None and counts[found] > 1 else None
