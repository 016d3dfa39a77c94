"""Equations a person would write: an expression and the user's rules in, the shortest form found out.

A rule such as px**2 + py**2 -> a**2 - pz**2 is applied wherever its left side stands up to a factor, in numerators and
in denominators, until nothing changes; a rule that never comes to an end is named. Sines and cosines know each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from linkwork.errors import InputError, Problem, Ref
from linkwork.given import as_list, as_object
from linkwork.modular.names import as_formula
from linkwork.modular.polynomials import (
    Poly,
    Ring,
    TooLargeError,
    as_poly,
    cancelled,
    over,
    plus,
    primitive,
    times,
)
from linkwork.symbolic import (
    ONE,
    ZERO,
    Expr,
    Number,
    Sum,
    Symbol,
    add,
    count_operations,
    free_symbols,
    multiply,
    power,
    substitute,
)
from linkwork.symbolic.algebra import scale
from linkwork.symbolic.printing import turned
from linkwork.symbolic.simplify import collect, factored, gcf, terms_of

ROUNDS = 200  # applications of rules, besides some for each term, before it is said that they do not end
LONGEST = 3000  # operations of an expression beyond which it is left as it is
PATIENCE = 5_000  # operations of all expressions that are reduced in one elimination; what comes later is left


@dataclass(frozen=True, slots=True)
class Rule:
    """Wherever `old` stands, `new` may be written; they are equal along every motion."""

    old: Expr
    new: Expr

    def __post_init__(self) -> None:
        for key in ("old", "new"):
            object.__setattr__(self, key, as_formula(getattr(self, key), "rule"))

    def __str__(self) -> str:
        return f"{self.old} -> {self.new}"


class Rules:
    """Several rules, and the way to shorten expressions with them."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        remedy = "Give modular.Rule(old, new)"
        self.rules = tuple(as_object(rule, Rule, Ref("rules"), remedy) for rule in as_list(rules, Ref("rules")))
        self._plain = {r.old: r for r in self.rules if isinstance(r.old, Symbol)}
        self._sums = [r for r in self.rules if not isinstance(r.old, Symbol)]
        self._known: dict[Expr, Expr] = {}
        self._plainly: dict[Expr, Expr] = {}

    def __bool__(self) -> bool:
        return bool(self.rules)

    def __add__(self, other: Rules) -> Rules:
        return Rules([*dict.fromkeys((*self.rules, *other.rules))])

    def renamed(self, names: Mapping[Expr, Expr]) -> Rules:
        """The same rules over other symbols."""
        return Rules(Rule(substitute(r.old, names), substitute(r.new, names)) for r in self.rules)

    def simplify(self, expr: Expr) -> Expr:
        """The shortest form found; the expression itself if it is too long to look at."""
        if expr not in self._known:
            self._known[expr] = self._rewritten(self._replaced(expr), neat=True)
        return self._known[expr]

    def reduce(self, expr: Expr) -> Expr:
        """Numerator over denominator, multiplied out and cancelled: what is zero comes out as zero."""
        if expr not in self._plainly:
            self._plainly[expr] = self._rewritten(self._replaced(expr), neat=False)
        return self._plainly[expr]

    def patient(self, work: Callable[[Expr], Expr], patience: int = PATIENCE) -> Callable[[Expr], Expr]:
        """`simplify` or `reduce`, until as much was given to it as anybody would read: large systems come to an end."""
        left = patience

        def tidied(expr: Expr) -> Expr:
            nonlocal left
            left -= count_operations(expr)
            return work(expr) if left > 0 else self._replaced(expr)

        return tidied

    def _replaced(self, expr: Expr) -> Expr:
        """With the rules for single symbols, which reach into functions."""
        for _ in range(ROUNDS):
            names: dict[Expr, Expr] = {s: self._plain[s].new for s in free_symbols(expr) if s in self._plain}
            if not names:
                return expr
            expr = substitute(expr, names)
        raise _endless(next(rule for s, rule in self._plain.items() if s in free_symbols(expr)))

    def _find_used(self, expr: Expr) -> list[Rule]:
        """The rules that may apply, now or to what others make."""
        known, used = free_symbols(expr), list[Rule]()
        while True:
            more = [rule for rule in self._sums if rule not in used and free_symbols(rule.old) <= known]
            if not more:
                return used
            used += more
            known = known.union(*(free_symbols(rule.new) for rule in more))

    def _rewritten(self, expr: Expr, neat: bool) -> Expr:
        if not 2 <= count_operations(expr) <= LONGEST:
            return expr
        used = self._find_used(expr)
        ring = Ring([expr, *(side for rule in used for side in (rule.old, rule.new))])
        try:
            above, below = ring.ratio(expr)
            pairs = [(rule, as_poly(ring, rule.old), as_poly(ring, rule.new)) for rule in used]
            ways = (1, -1) if neat and ring.angles else (1,)
            found = [_reduced(ring, above, below, pairs, way) for way in ways]
        except TooLargeError:
            return expr
        if not found[0][0]:
            return ZERO
        if not neat:
            return multiply(ring.expr(found[0][0]), power(ring.expr(found[0][1]), -1))
        forms = [form for n, d in found for form in written(ring, n, d)]
        return min([*forms, expr] if not used else forms, key=length)


Pair = tuple[Rule, Poly, Poly]


def _endless(rule: Rule) -> InputError:
    what = "it never comes to an end: what it makes it applies to again"
    return InputError([Problem(part=f"rule {rule}", what=what, remedy="Give it the other way round, or leave it out")])


def _reduced(ring: Ring, above: Poly, below: Poly, rules: Sequence[Pair], way: int) -> tuple[Poly, Poly]:
    """Numerator and denominator by the rules, without what they share; `way` says which of sin², cos² is replaced."""
    angles = [(i, j) if way == 1 else (j, i) for i, j in ring.angles]
    n, d = (_settled(ring, p, rules, angles) for p in (above, below))
    if not n:
        return n, d
    n, d = cancelled(n, d)
    n, d = (_settled(ring, p, rules, angles) for p in (n, d))
    (c, n), (e, d) = primitive(n), primitive(d)
    return {m: x * Fraction(c) / e for m, x in n.items()}, d


def _settled(ring: Ring, p: Poly, rules: Sequence[Pair], angles: Sequence[tuple[int, int]]) -> Poly:
    """A polynomial to which no rule applies any more."""
    for angle in angles:
        p = ring.reduced(p, angle)
    for _ in range(ROUNDS + 4 * len(p)):
        for _, old, new in rules:
            changed = _applied(p, old, new) or _shorter(p, old, new)
            if changed is not None and changed != p:
                p = changed
                for angle in angles:
                    p = ring.reduced(p, angle)
                break
        else:
            return p
    raise _endless(next(rule for rule, old, new in rules if _applied(p, old, new) is not None))


def _applied(p: Poly, old: Poly, new: Poly) -> Poly | None:
    """p with c m old -> c m new, where all terms of c m old are among those of p."""
    lead = max(old)
    for m, c in p.items():
        place = over(m, lead)
        if place is None:
            continue
        factor = Fraction(c) / old[lead]
        if all(p.get(tuple(map(int.__add__, place, n))) == factor * d for n, d in old.items()):
            return plus(p, times({place: factor}, plus(new, old, -1)))
    return None


def _shorter(p: Poly, old: Poly, new: Poly) -> Poly | None:
    """p with one term of old replaced by new and the rest of old, if there are fewer terms then."""
    best = None
    for lead, value in old.items() if len(old) > 1 else ():
        changed = p
        for _ in range(20):
            hits = {m: c for m, c in changed.items() if over(m, lead) is not None}
            if not hits or len(changed) > 3 * len(p) + 6:
                break
            for m, c in hits.items():
                place = over(m, lead)
                assert place is not None
                changed = plus(changed, times({place: Fraction(c) / value}, plus(new, old, -1)))
        if len(changed) < len(best if best is not None else p):
            best = changed
    return best


def length(expr: Expr) -> int:
    """How many operations it takes to write it; a minus sign that a difference can take in costs nothing."""
    count = count_operations(expr)
    if isinstance(expr, Sum) and len(expr.terms) == 1 and expr.constant == 0 and expr.terms[0][0] < 0:
        return count - (turned(*expr.terms[0])[0] > 0)
    return count


# -- forms -------------------------------------------------------------------------------------------------------------


def written(ring: Ring, above: Poly, below: Poly) -> Iterator[Expr]:
    """Ways to write a fraction: as one, or with each term over what is left of the denominator."""
    (c, n), (e, d) = primitive(above), primitive(below)
    content = Fraction(c) / e
    upper, lower = neat(ring.expr(n)), neat(ring.expr(d))
    yield multiply(Number(content.numerator), upper, power(multiply(Number(content.denominator), lower), -1))
    if len(d) == 1 and len(n) > 1:
        terms = [multiply(term, power(lower, -1)) for term in ring.terms(n)]
        yield multiply(Number(content), neat(add(*terms)))
        yield neat(add(*(multiply(Number(content), term) for term in terms)))


def neat(expr: Expr) -> Expr:
    """A sum with what its terms share taken out, as far as it makes it shorter."""
    shared = gcf(expr)
    if shared in (ZERO, ONE):
        return min([expr, *_collected(expr)], key=length)
    rest = add(*(multiply(scale(value, term), power(shared, -1)) for term, value in terms_of(expr).items()))
    whole = [multiply(shared, part) for part in (rest, *_collected(rest))]
    return min([expr, *_collected(expr), *whole], key=length)


def _collected(expr: Expr) -> list[Expr]:
    """A sum collected, and then with a sum that all of it shares taken out:   a*(x + y) + b*(x + y)."""
    once = collect(expr)
    return [once, factored(once)]
