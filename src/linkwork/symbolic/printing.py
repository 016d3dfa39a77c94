"""Expressions as text: an expression in, a string out that a person would have written and a parser can read.

Python's operators and precedence, its function names, select(a < b, x, y). The text is produced piece by piece,
so depth is no limit; what would be longer than LIMIT characters is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from linkwork.errors import ExpressionError
from linkwork.symbolic import algebra
from linkwork.symbolic.exact import Value, magnitude
from linkwork.symbolic.scalar import Compare, Expr, Function, Lookup, Node, Number, Power, Product, Select, Sum, Symbol

LIMIT: Final = 5_000_000
SHORT: Final = 2_000
DECIMALS: Final = 15  # an exact number such as 0.07115 is written so, if it has no more digits than this
ROOT: Final = Fraction(1, 2)

# how tightly an operation binds: a piece goes into parentheses where something tighter is needed
ADD, MULTIPLY, POWER, ATOM = 1, 2, 3, 4

Piece: TypeAlias = str | tuple[Node, int]
Layout: TypeAlias = tuple[int, list[Piece]]
Factor: TypeAlias = tuple[Expr, Value]


def to_text(expr: Node, *, limit: int = LIMIT) -> str:
    """The expression in Python notation.   -m*g*sin(theta), M*L**2/12, sqrt(x)."""
    return written(expr, _TEXT.layout, ("(", ")"), limit)


def to_sympy(expr: Node, names: Mapping[str, str], *, limit: int = LIMIT) -> str:
    """The expression as Python code for SymPy; `names` has the variable of each symbol, and of each curve as "road'()".

    >>> to_sympy(abs(Symbol("x'")) ** Fraction(3, 2) + Fraction(1, 3), {"x'": "x_dot"})
    'Abs(x_dot)**(Rational(3, 2)) + Rational(1, 3)'
    """
    notation = Notation(names=names, functions=SYMPY, fraction="Rational({}, {})", choice=PIECEWISE)
    return written(expr, notation.layout, ("(", ")"), limit)


def short_text(expr: Node) -> str:
    """The text if it is short, else a description; for messages."""
    try:
        return to_text(expr, limit=SHORT)
    except ExpressionError:
        size = expr.bag.size if isinstance(expr, Sum | Product) else len(expr.children)
        return f"<{type(expr).__name__} of {size} parts>"


# ---- what every notation shares ------------------------------------------------------------------


def written(expr: Node, layout: Callable[[Node], Layout], brackets: tuple[str, str], limit: int) -> str:
    """The pieces that `layout` makes of each node, in a row; refuses to write more than `limit` characters."""
    pending: list[Piece] = [(expr, ADD)]
    pieces: list[str] = []
    length = 0
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise ExpressionError(f"the expression takes more than {limit:,} characters to write")
            continue
        node, needed = piece
        binding, parts = layout(node)
        if binding < needed:
            parts = [brackets[0], *parts, brackets[1]]
        pending.extend(reversed(parts))
    return "".join(pieces)


def lay_out_sum(node: Sum, lay_out_term: Callable[[Value, Expr | None], Layout]) -> Layout:
    """The terms with their signs, beginning with a positive one if there is one, the constant at the end."""
    parts: list[tuple[Value, Expr | None]] = list(node.terms)
    if node.constant != 0:
        parts.append((node.constant, None))
    if len(parts) == 1:
        parts = [turned(*parts[0])]
    first = next((k for k, (coefficient, _) in enumerate(parts) if coefficient > 0), 0)
    pieces: list[Piece] = []
    for coefficient, term in [parts[first], *parts[:first], *parts[first + 1 :]]:
        minus, plus = (" - ", " + ") if pieces else ("-", "")
        pieces += [minus if coefficient < 0 else plus, *lay_out_term(magnitude(coefficient), term)[1]]
    return (MULTIPLY if len(parts) == 1 and parts[0][0] > 0 else ADD), pieces


def turned(coefficient: Value, term: Expr | None) -> tuple[Value, Expr | None]:
    """The same with a minus sign in front brought into a difference:   -x*(a - b) reads better as x*(b - a)."""
    if coefficient != -1 or not isinstance(term, Product):
        return coefficient, term
    for base, exponent in term.factors:
        if exponent == 1 and isinstance(base, Sum) and min(base.constant, *(c for c, _ in base.terms)) < 0:
            bag = term.bag.with_value(base, exponent, 0).with_new(algebra.scale(-1, base), 1)
            return (1, Product(bag)) if bag is not None else (coefficient, term)
    return coefficient, term


def fraction_of(coefficient: Value, term: Expr | None) -> tuple[Value, list[Factor], int, list[Factor]]:
    """coefficient * term as (number above, factors above, number below, factors below); coefficient > 0."""
    number, divisor = coefficient, 1
    if isinstance(coefficient, Fraction) and decimal_of(coefficient) is None:
        number, divisor = coefficient.numerator, coefficient.denominator
    factors: list[Factor] = []
    if term is not None:
        factors = list(term.factors) if isinstance(term, Product) else [(term, 1)]
    above = [(base, e) for base, e in factors if e > 0]
    below = [(base, -e) for base, e in factors if e < 0]
    if isinstance(number, Fraction):
        number, above = _with_decimals_inside(number, above)
    return number, above, divisor, below


def decimal_of(value: Value) -> str | None:
    """An exact number as a decimal if it looks like one, 7/500 -> 0.014; simple fractions such as 2/5 stay."""
    if not isinstance(value, Fraction) or not (value.denominator % 10 == 0 or value.denominator % 25 == 0):
        return None
    context = Context(prec=DECIMALS)
    decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return str(decimal).lower() if Fraction(decimal) == value else None


def binding_of(value: Value) -> int:
    """How tightly a written number binds."""
    if value < 0:
        return ADD
    return MULTIPLY if isinstance(value, Fraction) and decimal_of(value) is None else ATOM


def _with_decimals_inside(number: Value, above: list[Factor]) -> tuple[Value, list[Factor]]:
    # 5e-05*y*(1423*x - 700) reads better as y*(0.07115*x - 0.035)
    sums = [k for k, (base, e) in enumerate(above) if isinstance(base, Sum) and e == 1]
    if len(sums) != 1:
        return number, above
    base = above[sums[0]][0]
    assert isinstance(base, Sum)
    if all(magnitude(value) < 100 for value in (base.constant, *(c for c, _ in base.terms))):
        return number, above
    inside = algebra.scale(number, base)
    return 1, [*above[: sums[0]], (inside, 1), *above[sums[0] + 1 :]]


def joined(items: list[list[Piece]], separator: str) -> list[Piece]:
    """The pieces of all items with a separator between."""
    pieces: list[Piece] = []
    for k, item in enumerate(items):
        pieces += [separator, *item] if k else item
    return pieces


# ---- text ----------------------------------------------------------------------------------------

# where SymPy has other names for functions, and how it writes a choice
SYMPY: Final = {"abs": "Abs", "min": "Min", "max": "Max"}
PIECEWISE: Final = ("Piecewise((", "then", ", ", "condition", "), (", "otherwise", ", True))")
SELECT: Final = ("select(", "condition", ", ", "then", ", ", "otherwise", ")")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """Python's operators, with the names of symbols and functions where they are written differently.

    fraction   how a fraction that stands alone is written
    choice     how `select` is written: words and the names of its three parts
    """

    names: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    fraction: str = "{}/{}"
    choice: tuple[str, ...] = SELECT

    def layout(self, node: Node) -> Layout:
        """The pieces of a node."""
        match node:
            case Symbol():
                return ATOM, [self.names.get(node.name, node.name)]
            case Number():
                return binding_of(node.value), [self._number(node.value)]
            case Sum():
                return lay_out_sum(node, self._lay_out_term)
            case Product():
                return self._lay_out_term(1, node)
            case Power():
                return POWER, [(node.base, ATOM), "**", (node.exponent, ATOM)]
            case Function():
                name = self.functions.get(node.name, node.name)
                return ATOM, [name, "(", *joined([[(arg, ADD)] for arg in node.args], ", "), ")"]
            case Lookup():
                return ATOM, [self.names.get(f"{node.name}()", node.name), "(", (node.arg, ADD), ")"]
            case Compare():
                return ADD, [(node.left, ADD), f" {node.op} ", (node.right, ADD)]
            case Select():
                parts = {"condition": node.condition, "then": node.then, "otherwise": node.otherwise}
                return ATOM, [(parts[word], ADD) if word in parts else word for word in self.choice]
        raise AssertionError(f"unknown node {type(node).__name__}")

    def _number(self, value: Value) -> str:
        if isinstance(value, Fraction):
            return decimal_of(value) or self.fraction.format(value.numerator, value.denominator)
        return repr(value)

    def _lay_out_term(self, coefficient: Value, term: Expr | None) -> Layout:
        if term is None:
            return MULTIPLY, [self._number(coefficient)]
        number, above, divisor, below = fraction_of(coefficient, term)
        numerator = [self._lay_out_factor(*factor) for factor in above]
        denominator = [self._lay_out_factor(*factor) for factor in below]
        if number != 1 or not numerator:
            numerator.insert(0, [self._number(number)])
        if divisor != 1:
            denominator.insert(0, [str(divisor)])
        pieces = joined(numerator, "*")
        if denominator:
            inside = joined(denominator, "*")
            pieces += ["/", *inside] if len(denominator) == 1 else ["/(", *inside, ")"]
        lone_power = len(numerator) == 1 and not denominator and above and above[0][1] not in (1, ROOT)
        return (POWER if lone_power else MULTIPLY), pieces

    def _lay_out_factor(self, base: Expr, exponent: Value) -> list[Piece]:
        if exponent == 1:
            return [(base, POWER)]
        if exponent == ROOT:
            return ["sqrt(", (base, ADD), ")"]
        power = repr(exponent)
        if isinstance(exponent, Fraction):
            power = f"({self.fraction.format(exponent.numerator, exponent.denominator)})"
        return [(base, ATOM), "**", power]


_TEXT: Final = Notation()
