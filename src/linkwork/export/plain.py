"""Programs in a plain language, written in others: what all targets do alike is told once.

The plain language is a part of Python: functions of numbers, arrays of them and records, with loops, branches and
calls. Arrays begin at 0. What a function changes of its arguments it returns, so that it does not matter whether
a language passes copies. Names in capitals and tables are constants of the model.

    def total(values: Reals) -> Real:
        \"\"\"their sum\"\"\"
        found = 0.0
        for i in range(len(values)):
            found += values[i]
        return found
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

ARRAYS = ("Reals", "Wholes", "Flags")
SCALARS = ("Real", "Whole", "Flag")
SIGNS = {
    ast.Add: ("+", 6), ast.Sub: ("-", 6), ast.Mult: ("*", 7), ast.Div: ("/", 7), ast.FloorDiv: ("/", 7),
    ast.Mod: ("%", 7),
    ast.Lt: ("<", 4), ast.LtE: ("<=", 4), ast.Gt: (">", 4), ast.GtE: (">=", 4), ast.Eq: ("==", 4), ast.NotEq: ("!=", 4),
    ast.And: ("&&", 2), ast.Or: ("||", 1),
}  # fmt: skip
UNARY, ATOM = 8, 9
GIVEN = "given_"  # stands before names of parameters and inputs, which may be words of Python
STUB = "stub_"  # before names of functions that are to be filled in
MADE = {"zeros": "Reals", "wholes": "Wholes", "flags": "Flags"}


@dataclass(frozen=True, slots=True)
class Signature:
    """A function: the types of its arguments and results, and which arguments it changes and returns."""

    arguments: tuple[str, ...]
    results: tuple[str, ...]
    changed: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Constants:
    """What is known of a model: numbers by name, and tables by name: their type and entries."""

    numbers: Mapping[str, float]
    tables: Mapping[str, tuple[str, Sequence[float]]]


def transcribe(text: str, constants: Constants, given: Mapping[str, Signature], printer: type[Printer]) -> str:
    """A plain text in another language; `given` are functions of the model that it calls."""
    return "\n".join(printer(text, constants, given).write()).rstrip() + "\n"


class Printer(ABC):
    """Writes a plain text in a language."""

    remark = ""
    joined = " "  # between the two sides of a sign
    true, false, nan = "true", "false", "NaN"
    negation = "!"
    stub = "{0}({1})"  # a call of a function that is to be filled in
    renamed: Mapping[type, str] = {}

    def __init__(self, text: str, constants: Constants, given: Mapping[str, Signature]) -> None:
        self.lines, self.tree = text.splitlines(), ast.parse(text)
        self.constants, self.said = constants, 0
        self.records = {c.name: _list_fields(c) for c in self.tree.body if isinstance(c, ast.ClassDef)}
        defined = {f.name: _sign(f) for f in self.tree.body if isinstance(f, ast.FunctionDef)}
        self.signatures: Mapping[str, Signature] = {**given, **defined}
        self.fixed = {name for a in self.tree.body if isinstance(a, ast.Assign) for name in _names(a.targets[0])}
        self.types: dict[str, str] = {}

    def write(self) -> Iterator[str]:
        """The lines."""
        for node in self.tree.body:
            yield from self._remarks(node)
            match node:
                case ast.ClassDef():
                    yield from self.record(node.name, read_doc(node), self.records[node.name])
                case ast.FunctionDef():
                    arguments = [(a.arg, kind) for a, kind in zip(node.args.args, _sign(node).arguments, strict=True)]
                    self.types = dict(arguments)
                    yield from self.function(node, arguments, _sign(node))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=float(value))):
                    _, _, words = self.lines[node.lineno - 1].partition("#")
                    yield from self.constant(name, value, words.strip())
            yield ""
            self.said = node.end_lineno or 0

    def _remarks(self, node: ast.stmt) -> Iterator[str]:
        """The remarks in front of a statement, as far as they were not said yet."""
        for line in self.lines[self.said : node.lineno - 1]:
            if line.strip().startswith("#"):
                yield f"{self.remark}{line.strip().removeprefix('#')}"
        self.said = max(self.said, node.lineno)

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt], indent: str) -> Iterator[str]:
        """Statements, one after the other."""
        for node in body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                self.said = node.end_lineno or 0
                continue
            for line in self._remarks(node):
                yield indent + line
            self.learn(node)
            for line in self.statement(node, indent):
                yield line

    def statement(self, node: ast.stmt, indent: str) -> Iterator[str]:
        """One statement."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                yield from (indent + line for line in self.unpack([self.say(t) for t in targets], value))
            case ast.Assign(targets=[target], value=value):
                yield indent + self.assign(target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                yield indent + self.change(
                    self.say(target), SIGNS[type(op)][0], self.say(value), self.say(value, UNARY)
                )
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append", value=array), args=[value])):
                yield indent + self.append(self.say(array), self.say(value))
            case ast.Return(value=value):
                assert value is not None
                parts = value.elts if isinstance(value, ast.Tuple) else [value]
                yield from (indent + line for line in self.leave([self.say(p) for p in parts]))
            case ast.Break():
                yield indent + self.end_statement("break")
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=limits), body=body):
                yield from self.loop(name, limits, body, indent)
            case ast.If():
                yield from self.branch(node, indent)
            case _:
                raise NotImplementedError(ast.dump(node))

    def learn(self, node: ast.stmt) -> None:
        """The types of names that get a value."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.types.setdefault(name, self.type_of(value))
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call(func=ast.Name(id=called))):
                for target, kind in zip(targets, self.signatures[called].results, strict=True):
                    for name in _names(target):
                        self.types.setdefault(name, kind)

    def type_of(self, node: ast.expr) -> str:
        """The type of a value, as far as it matters."""
        match node:
            case ast.Name(id=name):
                return self.types.get(name, "Real")
            case ast.Attribute(value=value, attr=name):
                return self.records.get(self.type_of(value), MODEL).get(name, "Real")
            case ast.Call(func=ast.Name(id="copy"), args=[value]):
                return self.type_of(value)
            case ast.Call(func=ast.Name(id=called)) if called in self.records:
                return called
            case ast.Call(func=ast.Name(id=called)) if called in MADE:
                return MADE[called]
            case ast.Call(func=ast.Name(id=called)) if called in self.signatures:
                return self.signatures[called].results[0]
            case ast.List():
                return "Reals"
        return "Real"

    # -- expressions --------------------------------------------------------------------------------------------------

    def say(self, node: ast.expr, least: int = 0) -> str:
        """The text of a value, in brackets if it does not bind as strongly as that."""
        text, strength = self._say(node)
        return text if strength >= least else f"({text})"

    def _say(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(value=bool(value)):
                return self.true if value else self.false, ATOM
            case ast.Constant(value=value):
                return repr(value), ATOM
            case ast.Name(id="NAN"):
                return self.nan, ATOM
            case ast.Name(id=name):
                return self.name(name), ATOM
            case ast.Attribute(value=value, attr=name):
                return f"{self.say(value)}.{name.removeprefix(GIVEN)}", ATOM
            case ast.Subscript(value=array, slice=place):
                return self.entry(self.say(array), place), ATOM
            case ast.UnaryOp(op=ast.Not(), operand=value):
                return f"{self.negation}{self.say(value, ATOM)}", UNARY
            case ast.UnaryOp(operand=value):
                return f"-{self.say(value, UNARY)}", UNARY
            case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.join(op, [left, right])
            case ast.BoolOp(op=op, values=values):
                return self.join(op, values)
            case ast.List(elts=values):
                return self.array([self.say(v) for v in values]), ATOM
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments), ATOM
        raise NotImplementedError(ast.dump(node))

    def join(self, op: ast.AST, values: Sequence[ast.expr]) -> tuple[str, int]:
        """Values with a sign between them, and how strongly it binds."""
        sign, strength = SIGNS[type(op)]
        sign = self.renamed.get(type(op), sign)
        # what stands on the right binds more strongly than what stands on the left, and comparisons are not chained
        first = self.say(values[0], strength + (strength == 4))
        return f" {sign} ".join([first, *(self.say(v, strength + 1) for v in values[1:])]), strength

    def call(self, name: str, arguments: Sequence[ast.expr]) -> str:
        """A call of a function, or the making of a record."""
        if name in self.records:
            return self.make(name, [self.say(a) for a in arguments])
        if name in self.signatures:
            given = ", ".join(self.pass_on(name, arguments))
            return self.stub.format(name.removeprefix(STUB), given) if name.startswith(STUB) else f"{name}({given})"
        return self.built_in(name, arguments)

    def pass_on(self, name: str, arguments: Sequence[ast.expr]) -> list[str]:
        """The arguments of a call."""
        return [self.say(a) for a in arguments]

    # -- what languages do in their own ways --------------------------------------------------------------------------

    @abstractmethod
    def constant(self, name: str, value: float, words: str) -> Iterator[str]:
        """A number with a name."""

    @abstractmethod
    def record(self, name: str, words: str, fields: Mapping[str, str]) -> Iterator[str]:
        """A type of records."""

    @abstractmethod
    def function(self, node: ast.FunctionDef, arguments: list[tuple[str, str]], signature: Signature) -> Iterator[str]:
        """A function."""

    @abstractmethod
    def name(self, name: str) -> str:
        """A name of a value, a constant or a table."""

    @abstractmethod
    def entry(self, array: str, place: ast.expr) -> str:
        """An entry of an array."""

    @abstractmethod
    def array(self, values: list[str]) -> str:
        """An array of some values."""

    @abstractmethod
    def make(self, name: str, values: list[str]) -> str:
        """A record."""

    @abstractmethod
    def built_in(self, name: str, arguments: Sequence[ast.expr]) -> str:
        """A call of something that the language has."""

    @abstractmethod
    def assign(self, target: ast.expr, value: ast.expr) -> str:
        """A name, an entry or a field gets a value."""

    @abstractmethod
    def unpack(self, targets: list[str], value: ast.expr) -> Iterator[str]:
        """Several get the results of a function."""

    @abstractmethod
    def append(self, array: str, value: str) -> str:
        """An array becomes longer."""

    @abstractmethod
    def leave(self, values: list[str]) -> Iterator[str]:
        """A function ends with results."""

    @abstractmethod
    def loop(self, name: str, limits: list[ast.expr], body: list[ast.stmt], indent: str) -> Iterator[str]:
        """A loop over numbers."""

    @abstractmethod
    def branch(self, node: ast.If, indent: str) -> Iterator[str]:
        """One way or the other."""

    def end_statement(self, text: str) -> str:
        """A statement with its end."""
        return text

    def change(self, target: str, sign: str, value: str, bound: str) -> str:
        """Something is added, taken off, multiplied or divided."""
        return self.end_statement(f"{target} {sign}= {value}")

    def limits(self, limits: Sequence[ast.expr]) -> tuple[str, str, bool]:
        """The first and the last number of a loop, and whether it counts downwards."""
        if len(limits) == 3:
            return self.say(limits[0]), self._beside(limits[1], 1), True
        first = self.say(limits[0]) if len(limits) == 2 else "0"
        return first, self._beside(limits[-1], -1), False

    def _beside(self, node: ast.expr, step: int) -> str:
        """A number and one more, or less."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return str(step - int(str(node.operand.value)))
        if isinstance(node, ast.Constant):
            return str(int(str(node.value)) + step)
        return f"{self.say(node)} {'+' if step > 0 else '-'} 1"


MODEL = {"holds": "Flags", "fastest": "Reals", "slow": "Real", "seen": "Reals", "beat": "Reals"}


def _list_fields(node: ast.ClassDef) -> dict[str, str]:
    fields = [a for a in node.body if isinstance(a, ast.AnnAssign)]
    return {name: ast.unparse(a.annotation) for a in fields for name in _names(a.target)}


def read_doc(node: ast.ClassDef | ast.FunctionDef) -> str:
    return ast.get_docstring(node) or ""


def _names(target: ast.expr) -> list[str]:
    return [target.id] if isinstance(target, ast.Name) else []


def _sign(node: ast.FunctionDef) -> Signature:
    """The signature of a function that is written here."""
    assert node.returns is not None
    results = node.returns.elts if isinstance(node.returns, ast.Tuple) else [node.returns]
    changed = _find_changed(node)
    kinds = tuple(ast.unparse(a.annotation) for a in node.args.args if a.annotation is not None)
    return Signature(kinds, tuple(map(ast.unparse, results)), tuple(a.arg in changed for a in node.args.args))


def _find_changed(node: ast.FunctionDef) -> set[str]:
    """Names that get another value, or of which a part does, or that are handed back."""
    found = set()
    for inner in ast.walk(node):
        targets: list[ast.expr] = []
        match inner:
            case ast.Assign(targets=[ast.Tuple(elts=several)]):
                targets = several
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
                targets = [target]
            case ast.Call(func=ast.Attribute(attr="append", value=array)):
                targets = [array]
            case ast.Return(value=ast.Tuple(elts=several)):
                targets = [part for part in several if isinstance(part, ast.Name)]
            case ast.Return(value=ast.Name() as handed):
                targets = [handed]
        for target in targets:
            while isinstance(target, ast.Attribute | ast.Subscript):
                target = target.value
            found.update(_names(target))
    return found
