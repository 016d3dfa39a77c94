"""Expressions as text and as LaTeX: an expression in, a string out that a person would have written.

The text can be read back: Python's operators and precedence, the functions of `functions`, select(a < b, x, y).
Output is produced piece by piece, so depth is no limit; what would be longer than LIMIT characters is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from linkwork.errors import ExpressionError
from linkwork.symbolic.exact import Value
from linkwork.symbolic.scalar import (
    Compare,
    Expr,
    Function,
    Node,
    Number,
    Power,
    Product,
    Select,
    Sum,
    Symbol,
)

LIMIT: Final = 20_000_000
SHORT: Final = 2_000

# how tightly an operation binds: a piece is put in parentheses where something tighter is needed
ADD, MULTIPLY, POWER, ATOM = 1, 2, 3, 4

Piece: TypeAlias = "str | tuple[Node, int]"
Layout: TypeAlias = "tuple[int, list[Piece]]"


def to_text(expr: Node) -> str:
    """The expression in Python notation.   -m*g*sin(theta), M*L**2/12, sqrt(x)."""
    return _written(expr, _text_layout, LIMIT)


def to_latex(expr: Node) -> str:
    """The expression for a formula in LaTeX.   \\frac{1}{12} M L^{2}."""
    return _written(expr, _latex_layout, LIMIT)


def short_text(expr: Node) -> str:
    """The text if it is short, else a description; for messages."""
    try:
        return _written(expr, _text_layout, SHORT)
    except ExpressionError:
        size = expr.bag.size if isinstance(expr, Sum | Product) else len(expr.children)
        return f"<{type(expr).__name__} of {size} parts>"


def _written(expr: Node, layout: Callable[[Node], Layout], limit: int) -> str:
    pending: list[Piece] = [(expr, ADD)]
    pieces: list[str] = []
    length = 0
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise ExpressionError(f"the expression is longer than {limit:,} characters")
            continue
        node, needed = piece
        binding, parts = layout(node)
        if binding < needed:
            parts = [_OPEN[layout], *parts, _CLOSE[layout]]
        pending.extend(reversed(parts))
    return "".join(pieces)


# ---- what both notations share ----------------------------------------------------------------------------------


def _signed_terms(node: Sum) -> list[tuple[Value, Expr | None]]:
    """The terms and the constant in the order of writing: a positive one first if there is one."""
    parts: list[tuple[Value, Expr | None]] = list(node.terms)
    if node.constant != 0:
        parts.append((node.constant, None))
    first = next((k for k, (coefficient, _) in enumerate(parts) if coefficient > 0), 0)
    return [parts[first], *parts[:first], *parts[first + 1 :]]


def _fraction(coefficient: Value, term: Expr | None) -> tuple[Value, list[Factor], Value, list[Factor]]:
    """coefficient * term as (number above, factors above, number below, factors below), coefficient > 0."""
    above, below = (
        (coefficient.numerator, coefficient.denominator)
        if isinstance(coefficient, Fraction)
        else (coefficient, 1)
    )
    if term is None:
        return above, [], below, []
    factors = term.factors if isinstance(term, Product) else ((term, 1),)
    numerator: list[Factor] = [(base, e) for base, e in factors if e > 0]
    denominator: list[Factor] = [(base, -e) for base, e in factors if e < 0]
    return above, numerator, below, denominator


Factor: TypeAlias = tuple[Expr, Value]


def _joined(items: list[list[Piece]], separator: str) -> list[Piece]:
    pieces: list[Piece] = []
    for k, item in enumerate(items):
        pieces += [separator, *item] if k else item
    return pieces


# ---- text ------------------------------------------------------------------------------------------------------


def _text_layout(node: Node) -> Layout:
    match node:
        case Symbol():
            return ATOM, [node.name]
        case Number():
            return _text_number(node.value)
        case Sum():
            return _text_sum(node)
        case Product():
            return _text_term(1, node)
        case Power():
            return POWER, [(node.base, ATOM), "**", (node.exponent, ATOM)]
        case Function():
            return ATOM, [node.name, "(", *_joined([[(arg, ADD)] for arg in node.args], ", "), ")"]
        case Compare():
            return ADD, [(node.left, ADD), f" {node.op} ", (node.right, ADD)]
        case Select():
            return ATOM, ["select(", *_joined([[(child, ADD)] for child in node.children], ", "), ")"]
    raise AssertionError(f"unknown node {type(node).__name__}")


def _text_number(value: Value) -> Layout:
    text = repr(value) if not isinstance(value, Fraction) else f"{value.numerator}/{value.denominator}"
    return (ADD if value < 0 else MULTIPLY if isinstance(value, Fraction) else ATOM), [text]


def _text_sum(node: Sum) -> Layout:
    parts = _signed_terms(node)
    pieces: list[Piece] = []
    for k, (coefficient, term) in enumerate(parts):
        pieces.append((" - " if coefficient < 0 else " + ") if k else ("-" if coefficient < 0 else ""))
        pieces += _text_term(abs(coefficient), term)[1]
    return (MULTIPLY if len(parts) == 1 and parts[0][0] > 0 else ADD), pieces


def _text_term(coefficient: Value, term: Expr | None) -> Layout:
    number, above, divisor, below = _fraction(coefficient, term)
    numerator = [_text_factor(*factor) for factor in above]
    denominator = [_text_factor(*factor) for factor in below]
    if number != 1 or not numerator:
        numerator.insert(0, [repr(number)])
    if divisor != 1:
        denominator.insert(0, [repr(divisor)])
    alone = len(above) == 1 and not denominator and number == 1
    if alone:
        return (POWER if above[0][1] != 1 and above[0][1] != Fraction(1, 2) else MULTIPLY), numerator[0]
    pieces = _joined(numerator, "*")
    if denominator:
        inside = _joined(denominator, "*")
        pieces += ["/", *inside] if len(denominator) == 1 else ["/(", *inside, ")"]
    return MULTIPLY, pieces


def _text_factor(base: Expr, exponent: Value) -> list[Piece]:
    if exponent == 1:
        return [(base, POWER)]
    if exponent == Fraction(1, 2):
        return ["sqrt(", (base, ADD), ")"]
    power = f"({exponent})" if isinstance(exponent, Fraction) else repr(exponent)
    return [(base, ATOM), "**", power]


# ---- LaTeX -----------------------------------------------------------------------------------------------------

GREEK: Final = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split()
)
SPECIAL: Final = {
    "lam": r"\lambda",
    "varphi": r"\varphi",
    "vartheta": r"\vartheta",
    "varepsilon": r"\varepsilon",
}
ACCENTS: Final = {"dot": r"\dot", "ddot": r"\ddot", "hat": r"\hat", "bar": r"\bar"}
LATEX_FUNCTIONS: Final = {
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "sign": r"\operatorname{sgn}",
}
_ESCAPES: Final = str.maketrans(
    {c: "\\" + c for c in "#$%&_{}"} | {"\\": r"\backslash ", "^": r"\hat{}", "~": r"\sim "}
)
_TRAILING_DIGITS: Final = re.compile(r"^(.*?[^\d_.])(\d+)$")


def latex_name(name: str) -> str:
    """A symbol's name: Greek letters, subscripts, accents.   theta1 -> \\theta_{1}, x_dot -> \\dot{x}."""
    head, *rest = [part for part in re.split(r"[_.]", name) if part] or [name]
    subscripts, accents = [], []
    if split := _TRAILING_DIGITS.match(head):
        head = split[1]
        subscripts.append(split[2])
    for part in rest:
        (accents if part in ACCENTS else subscripts).append(part)
    text = _latex_word(head)
    for accent in accents:
        text = f"{ACCENTS[accent]}{{{text}}}"
    return text + (f"_{{{','.join(map(_latex_word, subscripts))}}}" if subscripts else "")


def _latex_word(word: str) -> str:
    if word in SPECIAL:
        return SPECIAL[word]
    if word in GREEK:
        return f"\\{word}"
    plain = word.translate(_ESCAPES)
    return plain if len(word) == 1 or word.isdigit() else rf"\mathrm{{{plain}}}"


def _latex_layout(node: Node) -> Layout:
    match node:
        case Symbol():
            return ATOM, [latex_name(node.name)]
        case Number():
            return _latex_number(node.value)
        case Sum():
            return _latex_sum(node)
        case Product():
            return _latex_term(1, node)
        case Power():
            return POWER, [(node.base, ATOM), "^{", (node.exponent, ADD), "}"]
        case Function():
            return _latex_function(node)
        case Compare():
            return ADD, [(node.left, ADD), " < " if node.op == "<" else r" \le ", (node.right, ADD)]
        case Select():
            return ATOM, [
                r"\begin{cases} ",
                *((node.then, ADD), r" & \text{if } ", (node.condition, ADD), r" \\ "),
                *((node.otherwise, ADD), r" & \text{otherwise} \end{cases}"),
            ]
    raise AssertionError(f"unknown node {type(node).__name__}")


def _latex_number(value: Value) -> Layout:
    if isinstance(value, Fraction):
        sign = "-" if value < 0 else ""
        return (ADD if sign else MULTIPLY), [rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"]
    mantissa, _, exponent = repr(value).partition("e")
    if exponent:
        return (ADD if value < 0 else MULTIPLY), [rf"{mantissa} \cdot 10^{{{int(exponent)}}}"]
    return (ADD if value < 0 else ATOM), [mantissa]


def _latex_sum(node: Sum) -> Layout:
    parts = _signed_terms(node)
    pieces: list[Piece] = []
    for k, (coefficient, term) in enumerate(parts):
        pieces.append((" - " if coefficient < 0 else " + ") if k else ("-" if coefficient < 0 else ""))
        pieces += _latex_term(abs(coefficient), term)[1]
    return (MULTIPLY if len(parts) == 1 and parts[0][0] > 0 else ADD), pieces


def _latex_term(coefficient: Value, term: Expr | None) -> Layout:
    number, above, divisor, below = _fraction(coefficient, term)
    # a lone sum above or below a fraction line, or the only factor with an exponent, needs no parentheses
    numerator = [
        _latex_factor(*factor, alone=bool(below) and len(above) == 1 and number == 1) for factor in above
    ]
    denominator = [_latex_factor(*factor, alone=len(below) == 1 and divisor == 1) for factor in below]
    if number != 1 or not numerator:
        numerator.insert(0, _latex_number(number)[1])
    if divisor != 1:
        denominator.insert(0, _latex_number(divisor)[1])
    if not denominator:
        lone_power = len(above) == 1 and number == 1 and above[0][1] not in (1, Fraction(1, 2))
        return (POWER if lone_power else MULTIPLY), _joined(numerator, " ")
    return MULTIPLY, [r"\frac{", *_joined(numerator, " "), "}{", *_joined(denominator, " "), "}"]


def _latex_factor(base: Expr, exponent: Value, *, alone: bool = False) -> list[Piece]:
    if exponent == 1:
        return [(base, ADD if alone else POWER)]
    if exponent == Fraction(1, 2):
        return [r"\sqrt{", (base, ADD), "}"]
    if (
        isinstance(base, Function)
        and base.name in ("sin", "cos", "tan", "tanh")
        and isinstance(exponent, int)
    ):
        return [rf"\{base.name}^{{{exponent}}}", r"\left(", (base.args[0], ADD), r"\right)"]
    power = (
        f"{exponent.numerator}/{exponent.denominator}" if isinstance(exponent, Fraction) else repr(exponent)
    )
    return [(base, ATOM), f"^{{{power}}}"]


def _latex_function(node: Function) -> Layout:
    if node.name == "abs":
        return ATOM, [r"\left|", (node.args[0], ADD), r"\right|"]
    if node.name == "exp":
        return POWER, ["e^{", (node.args[0], ADD), "}"]
    name = LATEX_FUNCTIONS.get(node.name) or rf"\{node.name}"
    if node.name == "atan2":
        name = r"\operatorname{atan2}"
    return ATOM, [name, r"\left(", *_joined([[(arg, ADD)] for arg in node.args], ", "), r"\right)"]


_OPEN: Final[dict[Callable[[Node], Layout], str]] = {_text_layout: "(", _latex_layout: r"\left("}
_CLOSE: Final[dict[Callable[[Node], Layout], str]] = {_text_layout: ")", _latex_layout: r"\right)"}
