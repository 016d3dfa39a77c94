"""Polynomials over any parts of expressions: an expression in, numerator and denominator out, reduced and cancelled.

A polynomial is a dictionary from exponents, one for each generator, to exact numbers. Generators are whatever cannot be
taken apart: symbols, sines, roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm

from linkwork.errors import ExpressionError
from linkwork.symbolic import Expr, Function, Node, Number, Product, Sum, add, cos, multiply, postorder, power, sin

Monomial = tuple[int, ...]
Poly = dict[Monomial, Fraction | int]

LARGEST = 4000  # terms of a product; beyond it an expression is left as it is
DEEPEST = 3000  # products of lengths of what is looked through for a common factor


class TooLargeError(Exception):
    """A polynomial that nobody would read."""


# -- arithmetic --------------------------------------------------------------------------------------------------------


def plus(a: Poly, b: Poly, factor: Fraction | int = 1) -> Poly:
    """a + factor b."""
    found = dict(a)
    for m, c in b.items():
        total = found.get(m, 0) + factor * c
        if total:
            found[m] = total
        else:
            found.pop(m, None)
    return found


def times(a: Poly, b: Poly) -> Poly:
    """a b."""
    if len(a) * len(b) > LARGEST:
        raise TooLargeError
    found: Poly = {}
    for m, c in a.items():
        for n, d in b.items():
            place = tuple(map(int.__add__, m, n))
            found[place] = found.get(place, 0) + c * d
    return {m: c for m, c in found.items() if c}


def over(m: Monomial, n: Monomial) -> Monomial | None:
    """m / n, if n divides m."""
    quotient = tuple(map(int.__sub__, m, n))
    return None if any(e < 0 for e in quotient) else quotient


def raised(a: Poly, exponent: int, one: Monomial) -> Poly:
    """a to a whole power."""
    found: Poly = {one: 1}
    for _ in range(exponent):
        found = times(found, a)
    return found


def divided(a: Poly, b: Poly) -> Poly | None:
    """a / b, if there is no rest."""
    rest, quotient = dict(a), Poly()
    lead = max(b)
    while rest:
        top = max(rest)
        place = over(top, lead)
        if place is None or len(quotient) > LARGEST:
            return None
        factor = Fraction(rest[top]) / b[lead]
        quotient[place] = factor
        rest = plus(rest, {tuple(map(int.__add__, m, place)): c for m, c in b.items()}, -factor)
    return quotient


def primitive(a: Poly) -> tuple[Fraction, Poly]:
    """The content of the numbers, with the sign of the first of them, and the rest: whole numbers."""
    values = [Fraction(c) for c in a.values()]
    content = Fraction(gcd(*(v.numerator for v in values)), lcm(*(v.denominator for v in values)))
    if a[max(a)] < 0:
        content = -content
    return content, {m: Fraction(c) / content for m, c in a.items()}


def shared_monomial(polys: Iterable[Poly]) -> Monomial:
    """The largest monomial that divides all."""
    return tuple(map(min, *monomials)) if len(monomials := [m for p in polys for m in p]) > 1 else monomials[0]


def lowered(a: Poly, by: Monomial) -> Poly:
    """a over a monomial that divides it."""
    return {tuple(map(int.__sub__, m, by)): c for m, c in a.items()}


# -- common factors ----------------------------------------------------------------------------------------------------


def common(a: Poly, b: Poly) -> Poly:
    """The greatest common divisor of two polynomials, by the sequence of primitive remainders."""
    one = (0,) * len(next(iter(a)))
    if len(a) * len(b) > DEEPEST:
        return {one: 1}
    shared = shared_monomial([a, b])
    a, b = (primitive(lowered(p, shared_monomial([p])))[1] for p in (a, b))
    found = {one: Fraction(1)} if len(a) == 1 or len(b) == 1 else _common(a, b, one)
    return {tuple(map(int.__add__, m, shared)): c for m, c in found.items()}


def cancelled(a: Poly, b: Poly) -> tuple[Poly, Poly]:
    """Both without what they share."""
    shared = common(a, b)
    first, second = divided(a, shared), divided(b, shared)
    return (a, b) if first is None or second is None else (first, second)


def _common(a: Poly, b: Poly, one: Monomial) -> Poly:
    used = [{i for m in p for i, e in enumerate(m) if e} for p in (a, b)]
    alone = used[0] ^ used[1]
    if not used[0] & used[1]:
        return {one: 1}
    for i in sorted(alone):
        # a generator of one of them only: what they share divides all its coefficients
        p, q = (a, b) if i in used[0] else (b, a)
        for coefficient in _coefficients(p, i).values():
            q = common(coefficient, q)
            if len(q) == 1:
                break
        return q
    i = min(used[0], key=lambda i: max(m[i] for m in (*a, *b)))
    contents, parts = zip(*(_split(p, i, one) for p in (a, b)), strict=True)
    p, q = parts
    for _ in range(60):
        if _degree(p, i) < _degree(q, i):
            p, q = q, p
        if _degree(q, i) == 0:
            return common(*contents) if q else times(common(*contents), p)
        rest = _remainder(p, q, i)
        if not rest:
            return times(common(*contents), q)
        if len(rest) > LARGEST:
            break
        p, q = q, _split(primitive(rest)[1], i, one)[1]
    return {one: 1}


def _coefficients(a: Poly, i: int) -> dict[int, Poly]:
    found: dict[int, Poly] = {}
    for m, c in a.items():
        found.setdefault(m[i], {})[(*m[:i], 0, *m[i + 1 :])] = c
    return found


def _degree(a: Poly, i: int) -> int:
    return max((m[i] for m in a), default=0)


def _split(a: Poly, i: int, one: Monomial) -> tuple[Poly, Poly]:
    """What all coefficients along a generator share, and the rest."""
    content: Poly | None = None
    for coefficient in _coefficients(a, i).values():
        content = coefficient if content is None else common(content, coefficient)
    assert content is not None
    content = primitive(content)[1]
    rest = divided(a, content)
    return (content, rest) if rest is not None else ({one: 1}, a)


def _remainder(a: Poly, b: Poly, i: int) -> Poly:
    """The rest of lead(b)^k a by b, along one generator."""
    degree = _degree(b, i)
    lead = _coefficients(b, i)[degree]
    while a and (n := _degree(a, i)) >= degree:
        top = _coefficients(a, i)[n]
        lift = {(*m[:i], n - degree, *m[i + 1 :]): c for m, c in top.items()}
        a = plus(times(lead, a), times(lift, b), -1)
    return a


# -- expressions -------------------------------------------------------------------------------------------------------


class Ring:
    """The generators of some expressions, and the way from expressions to polynomials and back."""

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self.generators: list[Expr] = []
        for node in postorder(exprs):
            if isinstance(node, Expr) and not isinstance(node, Sum | Number | Product):
                self.generators.append(node)
            elif isinstance(node, Product):
                self.generators += [base**e for base, e in node.factors if not isinstance(e, int)]
        self.generators = list(dict.fromkeys(self.generators))
        # a sine has its cosine beside it
        for g in list(self.generators):
            if isinstance(g, Function) and g.name in ("sin", "cos"):
                self.generators += [f for f in (sin(g.args[0]), cos(g.args[0])) if f not in self.generators]
        self.place = {g: i for i, g in enumerate(self.generators)}
        self.one: Monomial = (0,) * len(self.generators)
        self._known: dict[Node, tuple[Poly, Poly]] = {}

    def power_of(self, g: Expr, exponent: int = 1) -> Poly:
        """A generator as a polynomial."""
        i = self.place[g]
        return {(*self.one[:i], exponent, *self.one[i + 1 :]): 1}

    @property
    def angles(self) -> list[tuple[int, int]]:
        """The places of sin and cos of each angle."""
        return [
            (i, self.place[cos(g.args[0])])
            for g, i in self.place.items()
            if isinstance(g, Function) and g.name == "sin"
        ]

    def ratio(self, expr: Expr) -> tuple[Poly, Poly]:
        """An expression as numerator and denominator."""
        for node in postorder([expr]):
            if node not in self._known and isinstance(node, Expr):
                self._known[node] = self._ratio(node)
        return self._known[expr]

    def _ratio(self, node: Expr) -> tuple[Poly, Poly]:
        unit: Poly = {self.one: 1}
        if isinstance(node, Number):
            if isinstance(node.value, float):
                raise TooLargeError  # nothing exact follows from it
            return ({self.one: node.value} if node.value else {}), unit
        if node in self.place:
            return self.power_of(node), unit
        if isinstance(node, Sum):
            total: tuple[Poly, Poly] = self._ratio(Number(node.constant))
            for c, term in node.terms:
                total = self._add(total, self._known[term], c)
            return total
        assert isinstance(node, Product)
        above, below = unit, unit
        for base, e in node.factors:
            if not isinstance(e, int):
                above = times(above, self.power_of(base**e))
                continue
            n, d = self._known[base]
            n, d = (n, d) if e > 0 else (d, n)
            above, below = times(above, raised(n, abs(e), self.one)), times(below, raised(d, abs(e), self.one))
        return above, below

    def _add(self, a: tuple[Poly, Poly], b: tuple[Poly, Poly], factor: object) -> tuple[Poly, Poly]:
        if isinstance(factor, float):
            raise TooLargeError
        assert isinstance(factor, int | Fraction)
        if a[1] == b[1]:
            return plus(a[0], b[0], factor), a[1]
        first, second = cancelled(a[1], b[1])
        # over the product of one and what the other has beyond it
        return plus(times(a[0], second), times(b[0], first), factor), times(a[1], second)

    def reduced(self, p: Poly, angle: tuple[int, int]) -> Poly:
        """The same with the second of two generators squared replaced by one minus the first squared."""
        i, j = angle
        while any(m[j] >= 2 for m in p):
            found: Poly = {}
            for m, c in p.items():
                if m[j] < 2:
                    found = plus(found, {m: c})
                    continue
                low = [*m]
                low[j] -= 2
                high = [*low]
                high[i] += 2
                found = plus(plus(found, {tuple(low): c}), {tuple(high): c}, -1)
            p = found
        return p

    def terms(self, p: Poly) -> list[Expr]:
        """The summands of a polynomial."""
        return [
            multiply(Number(c), *(power(g, e) for g, e in zip(self.generators, m, strict=True) if e))
            for m, c in p.items()
        ]

    def expr(self, p: Poly) -> Expr:
        """A polynomial as an expression."""
        return add(*self.terms(p))


def as_poly(ring: Ring, expr: Expr) -> Poly:
    """An expression without denominators as a polynomial."""
    above, below = ring.ratio(expr)
    if len(below) == 1 and ring.one in below:
        return {m: Fraction(c) / below[ring.one] for m, c in above.items()}
    raise ExpressionError(f"{expr} has a denominator", "Multiply by it")
