"""A language: how numbers, operations and names are written in it. Expressions in, text out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from linkwork.export.code import Tree, walk
from linkwork.program import Input

# how strongly operations bind
SUM, PRODUCT, ATOM = 1, 2, 4
INFIX = {"add": (" + ", SUM), "sub": (" - ", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT)}


def plain_number(value: float) -> str:
    """The shortest decimal that is exactly this number, with a point."""
    text = repr(value)
    return text if re.search(r"[.eni]", text) else f"{text}.0"


@dataclass(frozen=True, kw_only=True)
class Language:
    """How things are written.

    functions   patterns by operation; what is missing is a function of the same name
    number      a literal
    folds       whether capitals do not count in names
    keywords    words that are no names
    reserved    words that are no names of values within functions
    defined     words that are no names of functions to be filled in, since the program has them
    outside     words that are no names of models, since somebody else has them
    value       the type of values that change; one of several at once needs to be made of what is one number
    """

    number: Callable[[float], str]
    functions: Mapping[str, str]
    keywords: frozenset[str]
    reserved: frozenset[str]
    defined: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    folds: bool = False
    width: int = 110
    more: str = ""
    infix: Mapping[str, tuple[str, int]] = field(default_factory=lambda: INFIX)
    value: str = ""
    spread: str = ""


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """A language with the names of one function: of inputs, of constants, and of its own values."""

    language: Language
    input: Callable[[Input], str]
    constant: Callable[[str], str]
    local: Callable[[str], str]
    curve: Callable[[Tree, str], str]
    call: Callable[[str, str], str]

    def say(self, tree: Tree) -> str:
        """The text of an expression."""
        return self._say(tree)[0]

    def say_value(self, tree: Tree) -> str:
        """The text of an expression that stands by itself."""
        text = self.say(tree)
        return self.language.spread.format(text) if self.language.spread and _is_number(tree) else text

    def _say(self, tree: Tree) -> tuple[str, int]:
        match tree.op:
            case "number":
                text = self.language.number(tree.value)
                return text, SUM if tree.value < 0 else ATOM
            case "name":
                return self.local(tree.name), ATOM
            case "constant":
                return self.constant(tree.name), ATOM
            case "input":
                assert tree.source is not None
                return self.input(tree.source), ATOM
            case "neg":
                return f"-{self._bound(tree.args[0], PRODUCT)}", SUM
            case "curve":
                return self.curve(tree, self.say(tree.args[0])), ATOM
            case "side":
                return self.curve(tree, self.say(tree.args[0])), ATOM
        if tree.op in self.language.infix:
            sign, strength = self.language.infix[tree.op]
            # numbers go first in products
            one, other = tree.args[::-1] if tree.op == "mul" and tree.args[1].op == "number" else tree.args
            left, right = self._bound(one, strength), self._bound(other, strength + 1)
            return f"{left}{sign}{right}", strength
        args = [self.say_value(arg) for arg in tree.args]
        if tree.function is not None:
            return self.call(tree.function.name, ", ".join(args)), ATOM
        if tree.op in ("less", "less_equal") and tree.op not in self.language.functions:
            return f"{args[0]} {'<' if tree.op == 'less' else '<='} {args[1]}", 0
        if tree.op == "pow":
            args.append(self.language.number(tree.value))
        pattern = self.language.functions.get(tree.op, f"{tree.op}({', '.join(f'{{{i}}}' for i in range(len(args)))})")
        if "**" in pattern and tree.value < 0:
            args[1] = f"({args[1]})"
        if tree.op == "select" and "{0}" in pattern and not self.language.spread:
            args[1:] = [self._bound(arg, SUM) for arg in tree.args[1:]]
        return pattern.format(*args), ATOM

    def _bound(self, tree: Tree, least: int) -> str:
        """The text of an operand, in parentheses if it binds less strongly."""
        text, strength = self._say(tree)
        return text if strength >= least else f"({text})"


def _is_number(tree: Tree) -> bool:
    """Whether all of it is numbers, constants and parameters."""
    return not any(t.op == "name" or (t.source is not None and t.source.kind not in ("p", "w")) for t in walk(tree))


SIGN = re.compile(r"[*/](?![*/])")  # behind which a line may go on


def wrap(text: str, indent: str, width: int, more: str = "") -> list[str]:
    """A long line in pieces, broken at spaces of the value, or behind signs; `more` ends a line that goes on.

    >>> wrap("k = first*second*third", "", 20)
    ['k = first*second*', '    third']
    """
    lines, rest = list[str](), text
    inner = indent + "    "
    first = indent
    while len(first) + len(rest) > width:
        room = width - len(first) - len(more)
        begin = max(1, rest.find(" = ") + 3)
        cut = rest.rfind(" ", begin, room)
        if cut < 0:
            cut = max((end for sign in SIGN.finditer(rest, begin) if (end := sign.end()) <= room), default=-1)
        if cut < 0:
            break
        lines.append(f"{first}{rest[:cut].rstrip()}{more}")
        rest, first = rest[cut:].lstrip(), inner
    return [*lines, f"{first}{rest}"]


def wrap_list(head: str, items: Iterable[str], tail: str, width: int, more: str = "") -> list[str]:
    """A list in lines that are not too long, counted in bytes; items stay whole."""
    lines, line = list[str](), head
    for i, item in enumerate(items):
        piece = item if i == 0 else f", {item}"
        if sum(len(part.encode()) for part in (line, piece, more)) >= width and line.strip():
            lines.append(line.rstrip() + ("," if i else "") + more)
            line, piece = "    ", item
        line += piece
    return [*lines, line + tail]
