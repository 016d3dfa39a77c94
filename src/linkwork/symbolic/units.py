"""Units by the dimensions of laws: what is known of some quantities, and laws, in; the units of the others out.

A dimension is a product of powers of base units (kg, m, s, rad) and of names whose unit is not known yet. A law says
that two dimensions are equal: a linear equation of exponents. Elimination tells the names, as far as laws do.

Factors such as ½ and π have no unit, other numbers may have any; a law that contradicts others because of its numbers
is one in which they had a unit, and says nothing. A radian is 1: it is counted as far as laws agree on it. What else
contradicts is told, and has no unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from linkwork.errors import ExpressionError
from linkwork.symbolic.exact import Value
from linkwork.symbolic.parse import parse
from linkwork.symbolic.scalar import Compare, Expr, Function, Node, Number, Power, Product, Select, Sum, Symbol
from linkwork.symbolic.traverse import postorder

Dimension = dict[str, Fraction]  # exponents by base unit or, with a ?, by name

KG, M, S, RAD = "kg", "m", "s", "rad"
NEWTON: Final[Dimension] = {KG: Fraction(1), M: Fraction(1), S: Fraction(-2)}
DERIVED: Final[Mapping[str, Dimension]] = {
    "N": NEWTON,
    "J": {**NEWTON, M: Fraction(2)},
    "W": {KG: Fraction(1), M: Fraction(2), S: Fraction(-3)},
    "Pa": {**NEWTON, M: Fraction(-1)},
    "Hz": {S: Fraction(-1)},
}
ORDER = ("N", KG, M, S)  # in which units are written, before others
HIGH, LOW = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"
LOWERED, LIFTED = str.maketrans(HIGH, LOW), str.maketrans(LOW, HIGH)
LARGEST = 4 * math.pi  # of factors
OF_ANGLES, TO_ANGLES = ("sin", "cos", "tan"), ("asin", "acos", "atan")
PURE, ALIKE = ("exp", "log", "tanh"), ("abs", "min", "max")


class Sized(NamedTuple):
    """The dimension of an expression, and whether it has no numbers, which might have one of their own."""

    dimension: Dimension
    exact: bool = True


class Law(NamedTuple):
    """A dimension that is 1, whether without numbers, and who says so."""

    ratio: Dimension
    exact: bool
    who: str


class Dimensions:
    """Dimensions of names and of expressions over them; x' is x by time.

    known     units that go without saying, of coordinates and time
    declared  units that laws may contradict

    >>> spring = Dimensions({"x": "m", "v": "m/s"})
    >>> spring.require(parse("-k*x - c*v"), "N", "force")
    >>> spring.unit(parse("k")), spring.unit(parse("c"))
    ('N/m', 'N·s/m')
    """

    def __init__(self, known: Mapping[str, str], declared: Mapping[str, str] = MappingProxyType({})) -> None:
        self.known = {name: read_unit(unit) for name, unit in known.items()}
        self.names: dict[str, None] = dict.fromkeys([*known, *declared])  # all that occur
        self._declared = dict(declared)
        self._laws = [
            Law(_times(_unknown(x), read_unit(unit), -1), True, f"unit of '{x}'") for x, unit in declared.items()
        ]
        self._sizes: dict[int, tuple[Node, Sized | None]] = {}
        self._solved: tuple[int, dict[str, Dimension], dict[str, str]] | None = None

    # -- laws ----------------------------------------------------------------------------------------------------------

    def require(self, expr: Expr, unit: str, who: str) -> None:
        """A law says that an expression has this unit."""
        self._equate(self._size(expr, who), Sized(read_unit(unit)), who)

    def relate(self, exprs: Iterable[Expr], who: str) -> None:
        """A law says that expressions, and the terms of each, are of one kind."""
        first, *others = [self._size(expr, who) for expr in exprs]
        for other in others:
            self._equate(first, other, who)

    def _equate(self, one: Sized | None, other: Sized | None, who: str) -> None:
        if one is not None and other is not None and one.dimension != other.dimension:
            ratio = _times(one.dimension, other.dimension, -1)
            self._laws.append(Law(ratio, one.exact and other.exact, who))

    def _size(self, expr: Expr, who: str) -> Sized | None:
        """The dimension of an expression, if it has one that can be told; what its parts must be becomes law."""
        for node in postorder([expr]):
            if id(node) not in self._sizes:
                self._sizes[id(node)] = node, self._size_of(node, who)
        return self._sizes[id(expr)][1]

    def _sized(self, node: Node) -> Sized | None:
        return self._sizes[id(node)][1]

    def _size_of(self, node: Node, who: str) -> Sized | None:
        if isinstance(node, Symbol):
            return Sized(self._of_name(node.name))
        if isinstance(node, Sum):
            return self._size_sum(node, who)
        if isinstance(node, Product):
            return self._size_product(node)
        if isinstance(node, Power):
            for part in node.children:
                self._equate(self._sized(part), Sized({}), who)
            return Sized({})
        if isinstance(node, Function):
            return self._size_function(node, who)
        if isinstance(node, Select):
            return self._agreed([self._sized(node.then), self._sized(node.otherwise)], who)
        if isinstance(node, Compare):
            self._agreed([self._sized(side) for side in node.children], who)
        return None  # of a number alone and of a table it may be anything

    def _of_name(self, name: str) -> Dimension:
        plain = name.rstrip("'")
        self.names[plain] = None
        base = self.known[plain] if plain in self.known else _unknown(plain)
        return _times(base, {S: Fraction(len(plain) - len(name))})

    def _size_sum(self, node: Sum, who: str) -> Sized | None:
        terms = [(self._sized(term), max(n, -n)) for n, term in node.terms]
        sizes = [x and Sized(x.dimension, x.exact and n == 1) if is_factor(n) else None for x, n in terms]
        if None in sizes:  # where one number may have a unit, so may the others
            sizes = [x for x in sizes if x is not None and x.exact]
        one = [Sized({}, exact=False)] if node.constant in (1, -1) else []  # as in 1 + x/l
        return self._agreed([*sizes, *one], who)

    def _agreed(self, sizes: Iterable[Sized | None], who: str) -> Sized | None:
        """The dimension of things that are of one kind; none if they are not.

        What has no names, such as cos(t) beside k x, may have a 1 before it that has a unit.
        """
        known = sorted((x for x in sizes if x is not None), key=lambda x: not x.exact)
        for other in known[1:]:
            told = all(any(name[0] == "?" for name in x.dimension) for x in (known[0], other))
            self._equate(known[0], other._replace(exact=other.exact and told), who)
        exact = [_times(x.dimension, known[0].dimension, -1) for x in known if x.exact]
        if not exact and any(x.dimension != known[0].dimension for x in known):
            return None  # factors alone may make them alike
        apart = {name for ratio in exact if not any(name[0] == "?" for name in ratio) for name in ratio}
        return known[0] if known and apart <= {RAD} else None

    def _size_product(self, node: Product) -> Sized | None:
        total, exact = Dimension(), True
        for factor, exponent in node.factors:
            number = isinstance(factor, Number) and is_factor(max(factor.value, -factor.value))
            size = Sized({}, exact=False) if number else self._sized(factor)
            if size is None:
                return None
            total, exact = _times(total, size.dimension, Fraction(exponent)), exact and size.exact
        return Sized(total, exact)

    def _size_function(self, node: Function, who: str) -> Sized | None:
        sizes = [self._sized(x) for x in node.args]
        if node.name in ALIKE:
            return self._agreed(sizes, who)
        angle = Sized({RAD: Fraction(1)})
        if node.name == "atan2":
            self._agreed(sizes, who)
            return angle
        asked = {**dict.fromkeys(OF_ANGLES, angle), **dict.fromkeys((*TO_ANGLES, *PURE), Sized({}))}.get(node.name)
        for size in sizes:
            self._equate(size, asked, who)
        return angle if node.name in TO_ANGLES else Sized({}) if asked or node.name == "sign" else None

    # -- what follows --------------------------------------------------------------------------------------------------

    def unit(self, expr: Expr) -> str:
        """The unit of an expression; nothing if it is not told."""
        if isinstance(expr, Symbol) and expr.name in self._declared:
            return self._declared[expr.name]
        size = self._size(expr, "")
        solved, doubtful = self._solve()
        if size is None or any(name[1:] in doubtful for name in size.dimension if name[0] == "?"):
            return ""
        found = _reduced(size.dimension, solved)
        return "" if any(name[0] == "?" for name in found) else write_unit(found)

    def contradictions(self) -> list[str]:
        """What laws contradict others, in words."""
        return [*dict.fromkeys(self._solve()[1].values())]

    def _solve(self) -> tuple[dict[str, Dimension], dict[str, str]]:
        """Names by their dimensions, and those of laws that contradict with what to say about it."""
        if self._solved is None or self._solved[0] != len(self._laws):
            self._solved = len(self._laws), *eliminate(self._laws)
        return self._solved[1:]


def is_factor(n: Value) -> bool:
    """Whether a number is one of geometry, such as ½, ⅔ or a part of π, which has no unit."""
    if n > LARGEST:
        return False
    for unit in (1.0, math.pi):
        part = Fraction(float(n) / unit).limit_denominator(12)
        small = part.numerator <= 4 and part.denominator in (1, 2, 3, 4, 6, 12)
        if math.isclose(part * unit, float(n), rel_tol=1e-12) and (small or part == Fraction(2, 5)):
            return True
    return False


def _unknown(name: str) -> Dimension:
    return {f"?{name}": Fraction(1)}


def eliminate(laws: Iterable[Law]) -> tuple[dict[str, Dimension], dict[str, str]]:
    """Names by their dimensions, by Gauss, and what to say of names about which laws contradict one another.

    Laws without radians come first. One without names is of numbers: cos(t), or −x for a force.
    """
    solved: dict[str, Dimension] = {}
    users: dict[str, set[str]] = {}  # who is told by a name that is open
    doubtful: dict[str, str] = {}
    for law in sorted(laws, key=lambda law: (not law.exact, RAD in law.ratio)):
        left = _reduced(law.ratio, solved)
        # of those that are open the one by which the fewest are told, so that few change
        name = min((x for x in left if x[0] == "?"), key=lambda x: (len(users.get(x, ())), x), default="")
        if name:
            rest = {other: -n / left[name] for other, n in left.items() if other != name}
            changed = {name: rest} | {x: _reduced(solved[x], {name: rest}) for x in users.pop(name, ())}
            solved |= changed
            for other in (x for x in rest if x[0] == "?"):
                told = users.setdefault(other, set())
                told.difference_update(changed)
                told.update(x for x in changed if other in changed[x])
        elif law.exact and left.keys() - {RAD}:
            names = [name[1:] for name in law.ratio if name[0] == "?"]
            doubtful |= dict.fromkeys(names, f"{law.who}: units do not agree, by a factor of {write_unit(left)}")
    return solved, doubtful


def _reduced(d: Dimension, solved: Mapping[str, Dimension]) -> Dimension:
    """A dimension with names replaced by what they are."""
    for name in [name for name in d if name in solved]:
        d = _times({k: n for k, n in d.items() if k != name}, solved[name], d[name])
    return d


def _times(one: Dimension, other: Dimension, exponent: Fraction | int = 1) -> Dimension:
    """one * other**exponent."""
    total = dict(one)
    for name, n in other.items():
        total[name] = total.get(name, Fraction(0)) + n * exponent
    return {name: n for name, n in total.items() if n}


# -- texts -------------------------------------------------------------------------------------------------------------


def read_unit(text: str) -> Dimension:
    """The dimension of a unit such as N·m/rad, kg*m^2 or m/s²; of names that are not known a base of its own.

    >>> write_unit(read_unit("kg m^2/(s^2 rad)"))
    'N·m/rad'
    """
    plain = re.sub(f"[{HIGH}]+", lambda found: f"**{found[0].translate(LOWERED)}", text.strip() or "1")
    plain = re.sub(r"(?<=[\w)])\s+(?=[\w(])", "*", plain.replace("·", "*").replace("^", "**"))
    if plain == "1":
        return {}
    bare = Dimensions({})
    size = bare._size(parse(plain), text)
    if size is None or bare._laws or not size.exact:
        raise ExpressionError(f"'{text}' is no unit", "Write, for example, N*m/rad or kg*m^2")
    return _reduced({name[1:]: n for name, n in size.dimension.items()}, DERIVED)


def write_unit(d: Dimension) -> str:
    """A dimension as a unit: forces and moments by N.   1 if it is none."""
    if d.get(KG) == 1 and d.get(S, 0) <= -1:
        d = _times({**d, "N": Fraction(1)}, NEWTON, -1)
    names = [*(name for name in ORDER if name in d), *sorted(d.keys() - {*ORDER})]
    above, below = ([_raised(name, n * sign) for name in names if (n := d[name]) * sign > 0] for sign in (1, -1))
    if not below:
        return "·".join(above) or "1"
    return f"{'·'.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + '·'.join(below) + ')'}"


def _raised(name: str, n: Fraction) -> str:
    if n.denominator > 1:
        return f"{name}^({n})"
    return name if n == 1 else name + str(n).translate(LIFTED)
