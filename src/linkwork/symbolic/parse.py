"""Text of an expression -> Expr: a small parser of our own, so that no input can ever run code.

Grammar, as in Python:  sum: product (+|- product)*    product: sign (*|/ sign)*    sign: (+|-)* power
                        power: atom [** sign]          atom: number | name | function(sum, ...) | (sum)
A name may end in ' or '', for a rate and an acceleration.
Time and memory are bounded: the length of the text, the depth of nesting and the size of numbers are limited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final, NamedTuple, NoReturn

from linkwork.errors import ExpressionError, did_you_mean
from linkwork.symbolic.algebra import add, divide, multiply, power
from linkwork.symbolic.functions import FUNCTIONS, less, less_equal, select
from linkwork.symbolic.scalar import Compare, Expr, Number, symbol

MAX_LENGTH: Final = 10_000  # characters of an expression
MAX_DEPTH: Final = 60  # nested parentheses, functions, powers
MAX_DIGITS: Final = 1_000  # characters of a number
LARGEST: Final = 1797693134862315  # leading digits of the largest double, about 1.8e308

TOKEN: Final = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)*'{0,2})"
    r"|(?P<operator>\*\*|<=|>=|[-+*/(),<>])"
    r"|(?P<end>\Z)"
    r")"
)
SPACE: Final = re.compile(r"[ \t\r\n]*")
NAME_BEFORE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*$")
LEADING_ZERO: Final = re.compile(r"0[0-9]")  # alone it is a number, in a formula likely part of a date
NUMBER: Final = re.compile(r"([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?")

# characters people write -> what the parser wants
REPLACEMENTS: Final = {
    "^": "Use ** for a power",
    "²": "Use **2 for a square",
    "³": "Use **3 for a cube",
    "·": "Use * for a product",
    "×": "Use * for a product",
    "÷": "Use / for a quotient",
    "−": "Use the plain minus sign -",
    "–": "Use the plain minus sign -",
    "π": "Write pi",
    "=": "Compare with < <= > >= inside select(condition, yes, no)",
    "!": "Compare with < <= > >= inside select(condition, yes, no)",
    "%": "There is no remainder; use * / ** + -",
    ".": "Use a finite number such as 0.5",
    "[": "Use round parentheses",
    "]": "Use round parentheses",
    "{": "Use round parentheses",
    "}": "Use round parentheses",
}
# least and most arguments where not exactly one
ARGUMENTS: Final = {"atan2": (2, 2), "min": (2, MAX_LENGTH), "max": (2, MAX_LENGTH)}
FINITE: Final = "Use a finite number"
IN_LAWS: Final = "Only laws of forces, torques, dampers, motions and events can use it"
REMEDIES: Final = {"e": "Write exp(1) for Euler's number", "nan": FINITE, "inf": FINITE, "t": IN_LAWS}
NO_FUNCTIONS: Final[Mapping[str, Callable[..., Expr]]] = {}
KNOWN: Final = (*FUNCTIONS, "select")
DEFINE: Final = "Define a parameter with this name"
SPLIT: Final = "Split it into several parameters"
SELECT_REMEDY: Final = "Write select(x < 0, yes, no)"
PI: Final = Number(math.pi)


class Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse(
    text: str,
    names: Mapping[str, Expr] | None = None,
    functions: Mapping[str, Callable[..., Expr]] = NO_FUNCTIONS,
) -> Expr:
    """The expression a text stands for; a name means `names[name]`, or, without `names`, a parameter symbol.

    `functions` are called with expressions, next to those that are built in; what is wrong with a call they say by
    an ExpressionError.

    >>> parse("2*x + 0.1*10", {"x": Number(3)})
    7
    >>> parse("twice(x) + 1", {"x": Number(3)}, {"twice": lambda x: 2 * x})
    7
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression has {len(text):,} characters, more than {MAX_LENGTH:,}", SPLIT)
    return _Parser(text, names, functions).run()


class _Parser:
    """Recursive descent with one token of lookahead; `depth` bounds the recursion."""

    def __init__(
        self, text: str, names: Mapping[str, Expr] | None, functions: Mapping[str, Callable[..., Expr]]
    ) -> None:
        self.text, self.names, self.functions = text, names, functions
        self.depth = 0
        self.place = 0
        self.token = self.read()

    def run(self) -> Expr:
        if self.token.kind == "end":
            self.fail("the expression is empty", "Write a number or a formula")
        value = self.sum()
        if self.token.kind != "end":
            self.fail_after_operand()
        return value

    # tokens

    def read(self) -> Token:
        match = TOKEN.match(self.text, self.place)
        if match is None or match.lastgroup is None:
            column = SPACE.match(self.text, self.place).end()  # type: ignore[union-attr]
            character = self.text[column]
            remedy = REPLACEMENTS.get(character, "Use numbers, names, + - * / ** and parentheses")
            if character == "." and NAME_BEFORE.search(self.text[:column]):
                remedy = "Write a letter behind the dot of a name, as in A.x"
            raise ExpressionError(f"unexpected character {character!r}", remedy, column)
        self.place = match.end()
        return Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup))

    def next(self) -> Token:
        token, self.token = self.token, self.read()
        return token

    def at(self, *operators: str) -> bool:
        return self.token.kind == "operator" and self.token.text in operators

    def expect(self, operator: str, remedy: str) -> None:
        if self.at(operator):
            self.next()
        elif self.token.kind in ("end", "operator"):
            self.fail(f"'{operator}' is missing" + self.before(), remedy)
        else:
            self.fail_after_operand()

    # grammar

    def sum(self) -> Expr:
        value = self.product()
        while self.at("+", "-"):
            operator = self.next()
            term = self.product()
            value = self.compute(operator, add, value, -term if operator.text == "-" else term)
        return value

    def product(self) -> Expr:
        value = self.sign()
        while self.at("*", "/"):
            operator = self.next()
            value = self.compute(operator, multiply if operator.text == "*" else divide, value, self.sign())
        return value

    def sign(self) -> Expr:
        minus = False
        while self.at("+", "-"):
            minus ^= self.next().text == "-"
        value = self.power()
        return -value if minus else value

    def power(self) -> Expr:
        base = self.atom()
        if not self.at("**"):
            return base
        operator = self.next()
        self.enter()
        exponent = self.sign()
        self.depth -= 1
        return self.compute(operator, power, base, exponent)

    def atom(self) -> Expr:
        token = self.next()
        if token.kind == "number":
            if LEADING_ZERO.match(token.text) and token.text != self.text.strip():
                remedy = "Leave out the leading zeros; a date is no number"
                self.fail_at(token.column, f"the number {token.text[:20]} begins with a zero", remedy)
            return Number(read_number(token.text, token.column))
        if token.kind == "name":
            return self.applied(token) if self.at("(") and self.is_function(token.text) else self.find(token)
        if token.text == "(":
            self.enter()
            value = self.sum()
            self.depth -= 1
            self.expect(")", "Close the parenthesis")
            return value
        self.place, self.token = token.column, token
        self.fail("a number or a name is missing" + self.before(), "Complete the expression")

    def is_function(self, name: str) -> bool:
        return name in KNOWN or name in self.functions

    def applied(self, name: Token) -> Expr:
        if name.text == "select":
            return self.choice(name)
        arguments = self.arguments(name)
        if name.text not in FUNCTIONS:
            return self.compute(name, self.functions[name.text], *arguments)
        least, most = ARGUMENTS.get(name.text, (1, 1))
        if not least <= len(arguments) <= most:
            wanted = "one value" if most == 1 else "two values" if most == 2 else "two or more values"
            self.fail_at(name.column, f"{name.text} takes {wanted}, not {len(arguments)}")
        return self.compute(name, FUNCTIONS[name.text], *arguments)

    def arguments(self, name: Token) -> list[Expr]:
        """(value, value, ...)"""
        self.enter()
        self.next()
        arguments = [self.sum()]
        while self.at(","):
            self.next()
            arguments.append(self.sum())
        self.depth -= 1
        self.expect(")", f"Close the parenthesis of {name.text}(...)")
        return arguments

    def choice(self, name: Token) -> Expr:
        """select(condition, yes, no)."""
        self.enter()
        self.next()
        condition = self.condition()
        self.expect(",", SELECT_REMEDY)
        yes = self.sum()
        self.expect(",", SELECT_REMEDY)
        no = self.sum()
        self.depth -= 1
        self.expect(")", SELECT_REMEDY)
        return select(condition, yes, no)

    def condition(self) -> Compare:
        left = self.sum()
        if not self.at("<", "<=", ">", ">="):
            self.fail("select needs a comparison first", SELECT_REMEDY)
        operator = self.next().text
        right = self.sum()
        if operator in (">", ">="):
            left, right = right, left
        return less(left, right) if operator in ("<", ">") else less_equal(left, right)

    # meaning

    def find(self, name: Token) -> Expr:
        names = self.names
        if self.at("(") and not (names and name.text in names) and name.text != "pi":
            known = (*KNOWN, *self.functions)
            remedy = did_you_mean(name.text, known) or "Known functions are " + ", ".join(known)
            self.fail_at(name.column, f"unknown function '{name.text}'", remedy)
        if names is not None and name.text in names:
            return names[name.text]
        if name.text == "pi":
            return PI
        if names is None:
            return symbol(name.text)
        if self.is_function(name.text):
            self.fail_at(name.column, f"the function '{name.text}' has no argument", f"Write {name.text}(x)")
        other = IN_LAWS if "." in name.text else DEFINE
        remedy = did_you_mean(name.text, names) or REMEDIES.get(name.text, other)
        self.fail_at(name.column, f"unknown name '{name.text}'", remedy)

    def compute(self, token: Token, make: Callable[..., Expr], *arguments: Expr) -> Expr:
        """make(*arguments); where that has no value, the failure is reported at the token."""
        try:
            return make(*arguments)
        except ExpressionError as error:
            self.fail_at(token.column, error.what, error.remedy)

    # failures

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} nested parentheses or powers", SPLIT)

    def before(self) -> str:
        return " at the end" if self.token.kind == "end" else f" before '{self.token.text}'"

    def fail(self, what: str, remedy: str = "") -> NoReturn:
        raise ExpressionError(what, remedy, self.token.column)

    def fail_at(self, column: int, what: str, remedy: str = "") -> NoReturn:
        raise ExpressionError(what, remedy, column)

    def fail_after_operand(self) -> NoReturn:
        """A complete operand is followed by something that is not an operator."""
        token = self.token
        if token.text in ("<", "<=", ">", ">="):
            self.fail(f"unexpected '{token.text}'", "Compare only inside select(condition, yes, no)")
        if token.text == ")":
            self.fail("')' has no '(' before it", "Remove it or open the parenthesis")
        if token.text == ",":
            self.fail("unexpected ','", "Use a point in decimals; commas separate the values of a function")
        if token.text.startswith("_") and self.text[token.column - 1].isdigit():
            self.fail(f"unexpected '{token.text}' after a number", "Write numbers without underscores")
        self.fail(f"an operator is missing before '{token.text}'", f"Write *{token.text} for a product")


def read_number(text: str, column: int) -> int | Fraction:
    """The exact value of a decimal literal: 0.1 is one tenth.

    >>> read_number(".014", 0)
    Fraction(7, 500)
    """
    if len(text) < 18 and text.isdigit():
        return int(text)
    if len(text) > MAX_DIGITS:
        raise ExpressionError(f"a number has more than {MAX_DIGITS} digits", "Shorten it", column)
    whole, decimals, exponent = NUMBER.fullmatch(text).groups()  # type: ignore[union-attr]
    digits = (whole + decimals).lstrip("0")
    scale = int(exponent or 0) - len(decimals)
    magnitude = len(digits) + scale  # 10**(magnitude - 1) <= value < 10**magnitude
    if not digits:
        return 0
    if magnitude > 309 or (magnitude == 309 and int(digits[:16].ljust(16, "0")) > LARGEST):
        raise ExpressionError(f"the number {_cut(text)} is too large", "Use numbers up to 1e308", column)
    if magnitude < -306:
        raise ExpressionError(f"the number {_cut(text)} is too small", "Use 0 or at least 1e-307", column)
    return int(digits) * 10**scale if scale >= 0 else Fraction(int(digits), 10**-scale)


def _cut(number: str) -> str:
    return number if len(number) <= 20 else f"{number[:17]}..."
