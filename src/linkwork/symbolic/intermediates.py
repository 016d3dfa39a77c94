"""Intermediate values: expressions in, a program for people out: constants p1, p2, ..., then z1, z2, ..., then results.

Each value is computed once. What depends on parameters alone is one constant, and the constant factor of a product is
split off, so that A*sin(x)**2/cos(3*A) is p1*z2 with p1 = A/cos(3*A). Sums have their common factor taken out. A value
that is used once is written where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from linkwork.symbolic.algebra import add, multiply, power, scale, split_coefficient
from linkwork.symbolic.calculus import substitute
from linkwork.symbolic.exact import Value, magnitude
from linkwork.symbolic.scalar import ONE, Expr, Kind, Node, Number, Product, Sum, Symbol
from linkwork.symbolic.simplify import factored, terms_of
from linkwork.symbolic.traverse import free_symbols, postorder, rebuild

DEEPEST: Final = 60  # levels of an expression that are named from above
LONGEST: Final = 120  # characters of a line into which a value is written that is used once


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Definitions in order, each over those before it: constants, then variables, then the results by name."""

    constants: Mapping[Symbol, Expr]
    variables: Mapping[Symbol, Expr]
    results: Mapping[str, Expr]

    def exprs(self) -> list[Expr]:
        """All right-hand sides but those of constants."""
        return [*self.variables.values(), *self.results.values()]


class Intermediates:
    """Names values as they come, the same value once.

    >>> from linkwork.symbolic import cos, sin, symbol
    >>> A, B, x = symbol("A"), symbol("B"), symbol("x", kind="coordinate")
    >>> names = Intermediates()
    >>> names.name(A * sin(B * x) ** 2 / cos(3 * A))
    z4
    >>> names.constants, names.variables
    ({p1: A/cos(3*A)}, {z1: B*x, z2: sin(z1), z3: z2**2, z4: p1*z3})
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        used = [*taken]
        self.p, self.z = _free_letter("p", used), _free_letter("z", used)
        self.constants: dict[Symbol, Expr] = {}
        self.variables: dict[Symbol, Expr] = {}
        self._known: dict[Expr, Expr] = {}
        self._fixed: dict[Node, bool] = {}

    def name(self, expr: Expr) -> Expr:
        """The atom that stands for an expression: itself, or a p or z."""
        height: dict[Node, int] = {}
        for node in postorder([expr]):
            height[node] = 1 + max((height[child] for child in node.children), default=0)
            self._is_fixed(node)
            # a very deep expression is named from below, though less shortly
            if height[node] % DEEPEST == 0 and isinstance(node, Expr) and node is not expr:
                self._atom_of(node)
        return self._atom_of(expr)

    def _is_fixed(self, node: Node) -> bool:
        """Whether it has only numbers and parameters; goes no deeper than what is new."""
        found = self._fixed.get(node)
        if found is None:
            moves = isinstance(node, Symbol) and node.kind != Kind.PARAMETER
            found = self._fixed[node] = not moves and all(self._is_fixed(child) for child in node.children)
        return found

    def _atom_of(self, expr: Expr) -> Expr:
        found = self._known.get(expr)
        if found is None:
            found = self._known[expr] = self._constant(expr) if self._is_fixed(expr) else self._name(expr)
        return found

    def _name(self, expr: Expr) -> Expr:
        if isinstance(expr, Symbol):
            return expr
        if isinstance(expr, Sum):
            return self._sum(expr)
        if isinstance(expr, Product):
            return self._named_product(expr)
        children = [self._atom(child) for child in expr.children]
        made = rebuild(expr, children)
        assert isinstance(made, Expr)
        return self._variable(made)

    def _atom(self, node: Node) -> Node:
        if isinstance(node, Expr):
            return self._atom_of(node)
        return rebuild(node, [self._atom(child) for child in node.children])

    def _constant(self, expr: Expr) -> Expr:
        """One symbol for the whole of what depends on parameters alone; a name or a number is its own."""
        value, core = split_coefficient(expr)
        if isinstance(expr, Number) or (isinstance(core, Symbol) and value in (1, -1)):
            return expr
        if expr not in self._known:
            self._known[expr] = p = Symbol(f"{self.p}{len(self.constants) + 1}", Kind.PARAMETER)
            self.constants[p] = expr
        return self._known[expr]

    def _variable(self, value: Expr) -> Expr:
        if isinstance(value, Number | Symbol):
            return value
        found = self._known.get(value)
        if found is None:
            self._known[value] = found = Symbol(f"{self.z}{len(self.variables) + 1}", Kind.ABBREVIATION)
            self.variables[found] = value
        return found

    def _sum(self, expr: Sum) -> Expr:
        common = factored(expr)
        if isinstance(common, Product):
            return self._atom_of(common)
        fixed: list[tuple[Value, Expr]] = []
        moving: list[tuple[Value, Expr]] = []
        for term, value in terms_of(expr).items():
            (fixed if self._is_fixed(term) else moving).append((value, term))
        constant = self._constant(add(*(scale(value, term) for value, term in fixed)))
        parts = [self._scaled(value, term) for value, term in moving]
        return self._variable(add(*parts, constant))

    def _scaled(self, value: Value, term: Expr) -> Expr:
        """A term of a sum: a sign stays there, a number is part of the constant factor."""
        if value in (1, -1):
            return scale(value, self._atom_of(term))
        sign = -1 if value < 0 else 1
        return scale(sign, self._named_product(scale(magnitude(value), term)))

    def _named_product(self, expr: Expr) -> Expr:
        """«constant factor» times the others, from left to right."""
        value, core = split_coefficient(_with_factors_out(expr))
        factors = core.factors if isinstance(core, Product) else ((core, 1),)
        fixed = [power(base, Number(e)) for base, e in factors if self._is_fixed(base)]
        moving = [(base, e) for base, e in factors if not self._is_fixed(base)]
        constant = self._constant(scale(value, multiply(*fixed)) if fixed else Number(value))
        total: Expr = constant
        for base, e in moving:
            one = self._variable(power(self._atom_of(base), Number(e))) if e > 0 else self._atom_of(base)
            if e < 0:
                divisor = one if e == -1 else self._variable(power(one, Number(-e)))
                total = self._variable(total / divisor)
            else:
                total = self._variable(multiply(total, one)) if total is not ONE else one
        return total


def _with_factors_out(expr: Expr) -> Expr:
    """A product whose sums have their common factors beside them."""
    value, core = split_coefficient(expr)
    if not isinstance(core, Product):
        return expr
    parts = [power(factored(base) if isinstance(base, Sum) else base, Number(e)) for base, e in core.factors]
    return scale(value, multiply(*parts))


def list_values(results: Mapping[str, Expr], hide: bool = True) -> Listing:
    """The program of some expressions; values used once are written where they are used, unless told otherwise."""
    names = Intermediates([*results, *(s.name for s in free_symbols(*results.values()))])
    found = {name: names.name(expr) for name, expr in results.items()}
    listing = Listing(constants=names.constants, variables=names.variables, results=found)
    return _shortened(listing, names) if hide else listing


def _free_letter(letter: str, taken: Iterable[str]) -> str:
    """The letter, or one with underscores behind it, that makes no name with a number which somebody has."""
    used = {name.rstrip("0123456789") for name in taken}
    while letter in used:
        letter += "_"
    return letter


def _shortened(listing: Listing, names: Intermediates) -> Listing:
    """Constants and variables that nobody uses left out, those used once written in place while lines stay short."""
    kept_z, results = _written_back(listing.variables, listing.results)
    uses = _uses([*kept_z.values(), *results.values()])
    kept_p = {p: expr for p, expr in listing.constants.items() if uses[p]}
    # numbers in order
    new: dict[Expr, Expr] = {p: Symbol(f"{names.p}{i + 1}", Kind.PARAMETER) for i, p in enumerate(kept_p)}
    new |= {z: Symbol(f"{names.z}{i + 1}", Kind.ABBREVIATION) for i, z in enumerate(kept_z)}
    return Listing(
        constants={new[p]: expr for p, expr in kept_p.items()},  # type: ignore[misc]
        variables={new[z]: substitute(expr, new) for z, expr in kept_z.items()},  # type: ignore[misc]
        results={name: substitute(expr, new) for name, expr in results.items()},
    )


def _written_back(
    definitions: Mapping[Symbol, Expr], results: Mapping[str, Expr]
) -> tuple[dict[Symbol, Expr], dict[str, Expr]]:
    uses = _uses([*definitions.values(), *results.values()])
    inside: dict[Expr, Expr] = {}
    kept: dict[Symbol, Expr] = {}
    for name, expr in definitions.items():
        if not uses[name]:
            continue
        value = _filled(expr, inside)
        if uses[name] == 1 and len(str(value)) <= LONGEST:
            inside[name] = value
        else:
            kept[name] = value
    return kept, {name: _filled(expr, inside) for name, expr in results.items()}


def _filled(expr: Expr, inside: Mapping[Expr, Expr]) -> Expr:
    return substitute(expr, {s: inside[s] for s in free_symbols(expr) if s in inside})


def _uses(exprs: Iterable[Expr]) -> Counter[Node]:
    """How often each symbol is read."""
    found: Counter[Node] = Counter()
    for expr in exprs:
        if isinstance(expr, Symbol):
            found[expr] += 1
        for node in postorder([expr]):
            for child in node.children:
                if isinstance(child, Symbol):
                    found[child] += 1
    return found
