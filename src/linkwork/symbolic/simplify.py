"""Simplification on request: trigonometric identities, common factors, collecting, expansion, a canonical form.

Nothing here happens by itself. Building an expression applies only rules that never lose a cancellation; what is below
may make an expression shorter for people and programs, or longer but comparable (`expand`, `canonical`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Final

from linkwork.errors import ExpressionError
from linkwork.symbolic.algebra import add, multiply, power, scale, split_coefficient
from linkwork.symbolic.count import count_operations
from linkwork.symbolic.exact import Value, magnitude, normalize, plus, times
from linkwork.symbolic.functions import cos, sin
from linkwork.symbolic.scalar import ONE, ZERO, Expr, Function, Node, Number, Product, Sum, Symbol
from linkwork.symbolic.traverse import free_symbols, postorder, rebuild

OTHER: Final = {"sin": cos, "cos": sin}
LARGEST: Final = 20_000  # terms of an expansion

Terms = dict[Expr, Value]  # a sum: products without coefficients, and their coefficients


def terms_of(expr: Expr) -> Terms:
    """The summands of an expression; a constant belongs to ONE.   2*x*y - 3 -> {x*y: 2, 1: -3}."""
    if isinstance(expr, Sum):
        found = {term: value for value, term in expr.terms}
        return found | {ONE: expr.constant} if expr.constant != 0 else found
    if isinstance(expr, Number):
        return {ONE: expr.value} if expr.value != 0 else {}
    return {expr: 1}


def sum_of(terms: Mapping[Expr, Value]) -> Expr:
    """The expression that has these summands."""
    return add(*(scale(value, term) for term, value in terms.items()))


def factors_of(expr: Expr) -> dict[Expr, Value]:
    """The bases of a product and their exponents; its coefficient is left out."""
    core = split_coefficient(expr)[1]
    if isinstance(core, Product):
        return dict(core.factors)
    return {core: 1} if core is not ONE else {}


def is_fixed(expr: Expr) -> bool:
    """Whether it has only numbers and parameters."""
    return all(s.kind == "parameter" for s in free_symbols(expr))


def constant_terms(expr: Expr) -> Expr:
    """All of a constant, the constant terms of a sum, else zero.   L + q -> L;   L*q -> 0."""
    return sum_of({term: value for term, value in terms_of(expr).items() if is_fixed(term)})


# ---- trigonometric identities --------------------------------------------------------------------


def trigonometric(expr: Expr) -> Expr:
    """A sin² + A cos² -> A and A - A sin² -> A cos², wherever they stand in sums.

    >>> x = Symbol("x", "coordinate")
    >>> trigonometric(3 * sin(x) ** 2 + 3 * cos(x) ** 2 + x)
    x + 3
    """
    nodes = postorder([expr])
    if not any(isinstance(node, Product) and any(_squared(*f) for f in node.factors) for node in nodes):
        return expr
    changed: dict[Node, Node] = {}
    for node in nodes:
        new: Node = node
        if any(child in changed for child in node.children):
            new = rebuild(node, [changed.get(child, child) for child in node.children])
        if isinstance(new, Sum):
            new = _shortened(new)
        if new is not node:
            changed[node] = new
    result = changed.get(expr, expr)
    assert isinstance(result, Expr)
    return result


def _squared(base: Expr, exponent: Value) -> bool:
    return isinstance(base, Function) and base.name in OTHER and isinstance(exponent, int) and exponent >= 2


def _shortened(expr: Sum) -> Expr:
    """One sum, with the identities applied until none is left to apply."""
    terms = terms_of(expr)
    while True:
        found = _find_identity(terms)
        if found is None:
            return sum_of(terms)
        for term, change in found:
            total = plus(terms.get(term, 0), change)
            terms[term] = total
            if total == 0:
                del terms[term]


def _find_identity(terms: Terms) -> list[tuple[Expr, Value]] | None:
    """What to add to the coefficients of some terms so that one term less is left."""
    for term, value in terms.items():
        for base, exponent in factors_of(term).items():
            if not _squared(base, exponent):
                continue
            assert isinstance(base, Function)
            rest = multiply(term, power(base, -2))
            twin = multiply(rest, power(OTHER[base.name](base.args[0]), 2))
            if terms.get(twin) == value:
                return [(term, times(-1, value)), (twin, times(-1, value)), (rest, value)]
            if terms.get(rest) == times(-1, value):
                return [(term, times(-1, value)), (rest, value), (twin, times(-1, value))]
    return None


# ---- common factors ------------------------------------------------------------------------------


def gcf(*exprs: Expr) -> Expr:
    """The greatest common factor of all terms.   gcf(2*B*X, B**2*Y) is B."""
    terms = [(value, term) for expr in exprs for term, value in terms_of(expr).items()]
    if not terms:
        return ZERO
    shared: dict[Expr, Value] | None = None
    for _, term in terms:
        own = factors_of(term)
        shared = own if shared is None else {b: _nearer(e, own[b]) for b, e in shared.items() if b in own}
    assert shared is not None
    common = multiply(*(power(base, Number(e)) for base, e in shared.items() if e != 0))
    return scale(_content(value for value, _ in terms), common)


def _nearer(a: Value, b: Value) -> Value:
    """The exponent that both have: none if one is above and the other below the line."""
    if (a > 0) != (b > 0):
        return 0
    return min(a, b) if a > 0 else max(a, b)


def _content(values: Iterable[Value]) -> Value:
    """The largest number that leaves whole coefficients; 1 where they are floats."""
    whole: list[Fraction] = []
    for value in values:
        if isinstance(value, float):
            return 1
        whole.append(Fraction(value))
    return normalize(Fraction(gcd(*(v.numerator for v in whole)), lcm(*(v.denominator for v in whole))))


def factored(expr: Expr) -> Expr:
    """gcf * (what is left).   A*B + A*C -> A*(B + C)."""
    common = gcf(expr)
    if common is ZERO or common is ONE:
        return expr
    rest = add(*(multiply(scale(value, term), power(common, -1)) for term, value in terms_of(expr).items()))
    return multiply(common, rest)


def collect(expr: Expr, *symbols: Symbol) -> Expr:
    """Terms with the same powers of the symbols put together; without symbols, whatever is shared by most terms.

    collect(u1 + P*u5 - L*u5, u1, u5) is u1 + (P - L)*u5
    """
    if not symbols:
        return _collect_best(expr)
    wanted = frozenset(symbols)
    groups: dict[Expr, list[Expr]] = {}
    for term, value in terms_of(expr).items():
        inside = {b: e for b, e in factors_of(term).items() if not wanted.isdisjoint(free_symbols(b))}
        lead = multiply(*(power(b, Number(e)) for b, e in inside.items()))
        groups.setdefault(lead, []).append(multiply(scale(value, term), power(lead, -1)))
    return add(*(multiply(lead, add(*parts)) for lead, parts in groups.items()))


def _collect_best(expr: Expr) -> Expr:
    """Greedy: the factor of most terms is taken out of them, then the same inside and outside."""
    terms = terms_of(expr)
    counts = Counter(base for term in terms for base, e in factors_of(term).items() if e > 0)
    best = max(counts.values(), default=0)
    if len(terms) < 2 or best < 2:
        return expr
    base = next(b for term in terms for b in factors_of(term) if counts[b] == best)
    inside = {t: v for t, v in terms.items() if (e := factors_of(t).get(base, 0)) and e > 0}
    outside = sum_of({t: v for t, v in terms.items() if t not in inside})
    quotient = add(*(scale(v, multiply(t, power(base, -1))) for t, v in inside.items()))
    return multiply(base, _collect_best(quotient)) + _collect_best(outside)


# ---- expansion -----------------------------------------------------------------------------------


def expand(expr: Expr) -> Expr:
    """Products of sums multiplied out.   (x + 1)*(x - 1) -> x**2 - 1."""
    return sum_of(_expansion(expr, angles=False))


def canonical(expr: Expr) -> Expr:
    """Expanded, with angles taken apart and cos² = 1 - sin²: one form for all that are equal by these identities.

    >>> x, y = Symbol("x"), Symbol("y")
    >>> canonical(sin(x + y) ** 2 + cos(y + x) ** 2)
    1
    """
    return sum_of(_expansion(expr, angles=True))


def simplify(expr: Expr, *rules: Callable[[Expr], Expr]) -> Expr:
    """The shortest that rules lead to, applied again and again until none makes it shorter; never longer than before.

    Without rules: identities, products multiplied out, common factors, the canonical form. A rule that fails (an
    expansion too large) is passed over.

    >>> x, y = Symbol("x", "coordinate"), Symbol("y")
    >>> simplify(sin(x) * (y * sin(x) + cos(x)) + cos(x) * (y * cos(x) - sin(x)))
    y
    """
    tried = rules or (trigonometric, _multiplied_out, factored, canonical)
    cost = count_operations(expr)
    while cost:
        shortest = min((form for rule in tried for form in _attempt(rule, expr)), key=count_operations, default=expr)
        if (found := count_operations(shortest)) >= cost:
            return expr
        expr, cost = shortest, found
    return expr


def _multiplied_out(expr: Expr) -> Expr:
    return trigonometric(expand(expr))


def _attempt(rule: Callable[[Expr], Expr], expr: Expr) -> Iterator[Expr]:
    """What a rule makes of an expression, if it can."""
    try:
        yield rule(expr)
    except ExpressionError:
        return


def _expansion(expr: Expr, angles: bool) -> Terms:
    known: dict[Node, Terms] = {}
    for node in postorder([expr]):
        if isinstance(node, Sum):
            known[node] = _combined([({ONE: node.constant}, 1), *((known[t], c) for c, t in node.terms)])
        elif isinstance(node, Product):
            known[node] = _product([(base, e, known[base]) for base, e in node.factors], angles)
        elif isinstance(node, Function) and angles and node.name in ("sin", "cos", "tan"):
            known[node] = _angle(node.name, sum_of(known[node.args[0]]), angles)
        elif isinstance(node, Expr):
            children = [sum_of(known[c]) if isinstance(c, Expr) else c for c in node.children]
            new = rebuild(node, children) if children else node
            assert isinstance(new, Expr)
            known[node] = terms_of(new)
    return known[expr]


def _combined(parts: Iterable[tuple[Terms, Value]]) -> Terms:
    found: Terms = {}
    for terms, factor in parts:
        for term, value in terms.items():
            found[term] = plus(found.get(term, 0), times(factor, value))
    return {term: value for term, value in found.items() if value != 0}


def _product(factors: list[tuple[Expr, Value, Terms]], angles: bool) -> Terms:
    total: Terms = {ONE: 1}
    for _, exponent, terms in factors:
        if isinstance(exponent, int) and exponent > 0:
            for _ in range(exponent):
                total = _times(total, terms, angles)
        else:
            total = _times(total, terms_of(power(sum_of(terms), Number(exponent))), angles)
    return total


def _times(a: Terms, b: Terms, angles: bool) -> Terms:
    if len(a) * len(b) > LARGEST:
        raise ExpressionError(f"the expansion has more than {LARGEST:,} terms", "Simplify its parts instead")
    found: Terms = {}
    for one, x in a.items():
        for two, y in b.items():
            for term, value in _reduced(multiply(one, two), angles).items():
                found[term] = plus(found.get(term, 0), times(times(x, y), value))
    return {term: value for term, value in found.items() if value != 0}


def _reduced(product: Expr, angles: bool) -> Terms:
    """A product with cos² replaced by 1 - sin²."""
    if angles:
        for base, e in factors_of(product).items():
            if isinstance(base, Function) and base.name == "cos" and isinstance(e, int) and e >= 2:
                rest = multiply(product, power(base, -2))
                less = multiply(rest, power(sin(base.args[0]), 2))
                return _combined([(_reduced(rest, angles), 1), (_reduced(less, angles), -1)])
    value, core = split_coefficient(product)
    return {core: value}


def _angle(name: str, argument: Expr, angles: bool) -> Terms:
    """sin, cos or tan of a sum by the addition theorems, of whole multiples likewise."""
    if name == "tan":
        below = sum_of(_angle("cos", argument, angles))
        return _times(_angle("sin", argument, angles), terms_of(power(below, -1)), angles)
    parts = list(terms_of(argument).items())
    s, c = (terms_of(f(ZERO)) for f in (sin, cos))
    for term, value in parts:
        turns, one = (abs(value), term) if isinstance(value, int) and magnitude(value) <= 8 else (1, scale(value, term))
        sign = -1 if isinstance(value, int) and one is term and value < 0 else 1
        for _ in range(turns):
            sx, cx = terms_of(scale(sign, sin(one))), terms_of(cos(one))
            s, c = (
                _combined([(_times(s, cx, angles), 1), (_times(c, sx, angles), 1)]),
                _combined([(_times(c, cx, angles), 1), (_times(s, sx, angles), -1)]),
            )
    return s if name == "sin" else c
