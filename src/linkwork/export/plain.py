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
                    yield from self.record(node.name, _doc(node), self.records[node.name])
                case ast.FunctionDef():
                    arguments = [(a.arg, kind) for a, kind in zip(node.args.args, _sign(node).arguments, strict=True)]
                    self.types = dict(arguments)
                    yield from self.function(node, arguments, _sign(node))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=value)):
                    _, _, words = self.lines[node.lineno - 1].partition("#")
                    yield from self.constant(name, float(value), words.strip())
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
                return self._join(op, [left, right])
            case ast.BoolOp(op=op, values=values):
                return self._join(op, values)
            case ast.List(elts=values):
                return self.array([self.say(v) for v in values]), ATOM
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self.call(name, arguments), ATOM
        raise NotImplementedError(ast.dump(node))

    def _join(self, op: ast.AST, values: Sequence[ast.expr]) -> tuple[str, int]:
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
            return f"{name}({', '.join(self.pass_on(name, arguments))})"
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


MODEL = {"holds": "Flags", "fastest": "Reals", "slow": "Real"}


def _list_fields(node: ast.ClassDef) -> dict[str, str]:
    return {
        a.target.id: ast.unparse(a.annotation)
        for a in node.body
        if isinstance(a, ast.AnnAssign)
        for _ in [0]
        if isinstance(a.target, ast.Name)
    }


def _doc(node: ast.ClassDef | ast.FunctionDef) -> str:
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


# -- languages ---------------------------------------------------------------------------------------------------------


class Rust(Printer):
    """Rust: arguments that are changed are handed over and handed back, the others are looked at."""

    remark = "//"
    nan = "f64::NAN"
    kinds: Mapping[str, str] = {"Real": "f64", "Whole": "i64", "Flag": "bool"} | {
        "Reals": "Vec<f64>", "Wholes": "Vec<i64>", "Flags": "Vec<bool>",
    }  # fmt: skip
    seen: Mapping[str, str] = {"Reals": "&[f64]", "Wholes": "&[i64]", "Flags": "&[bool]"}
    methods: Mapping[str, str] = {
        "abs": "abs", "sqrt": "sqrt", "max": "max", "min": "min", "hypot": "hypot", "is_finite": "is_finite",
        "floor": "floor",
    }  # fmt: skip

    def constant(self, name: str, value: float, words: str) -> Iterator[str]:
        yield f"const {name}: f64 = {value!r}; // {words}"

    def record(self, name: str, words: str, fields: Mapping[str, str]) -> Iterator[str]:
        yield from (f"/// {line.strip()}" for line in words.splitlines())
        yield "#[derive(Clone)]"
        yield f"pub struct {name} {{"
        yield from (f"    pub {field}: {self.kinds.get(kind, kind)}," for field, kind in fields.items())
        yield "}"

    def function(self, node: ast.FunctionDef, arguments: list[tuple[str, str]], signature: Signature) -> Iterator[str]:
        self.scopes: list[set[str]] = [{name for name, _ in arguments}]
        yield from (f"/// {line.strip()}" for line in _doc(node).splitlines())
        given = []
        for (name, kind), changed in zip(arguments, signature.changed, strict=True):
            whole = self.kinds.get(kind, kind)
            looked_at = whole if kind in SCALARS else self.seen.get(kind, f"&{whole}")
            given.append(f"mut {name}: {whole}" if changed else f"{name}: {looked_at}")
        results = [self.kinds.get(kind, kind) for kind in signature.results]
        result = results[0] if len(results) == 1 else f"({', '.join(results)})"
        yield f"pub fn {node.name}({', '.join(given)}) -> {result} {{"
        yield from self._inner(node.body, "    ")
        yield "}"

    def _inner(self, body: Sequence[ast.stmt], indent: str) -> Iterator[str]:
        self.scopes.append(set())
        yield from self.block(body, indent)
        self.scopes.pop()

    def name(self, name: str) -> str:
        return name.upper() if name in self.constants.tables else name

    def entry(self, array: str, place: ast.expr) -> str:
        if isinstance(place, ast.Constant):
            return f"{array}[{place.value}]"
        return f"{array}[{self.say(place, UNARY)} as usize]"

    def array(self, values: list[str]) -> str:
        return f"vec![{', '.join(values)}]"

    def make(self, name: str, values: list[str]) -> str:
        pairs = [f if f == v else f"{f}: {v}" for f, v in zip(self.records[name], values, strict=True)]
        return f"{name} {{ {', '.join(pairs)} }}"

    def pass_on(self, name: str, arguments: Sequence[ast.expr]) -> list[str]:
        signature = self.signatures[name]
        changed = signature.changed or (False,) * len(arguments)
        return [
            self.say(a) if kind in SCALARS or moved else f"&{self.say(a, ATOM)}"
            for a, kind, moved in zip(arguments, signature.arguments, changed, strict=True)
        ]

    def built_in(self, name: str, arguments: Sequence[ast.expr]) -> str:
        if name == "copy":
            return f"{self.say(arguments[0])}.{'to_vec' if self.type_of(arguments[0]) in ARRAYS else 'clone'}()"
        if name == "len":
            return f"({self.say(arguments[0])}.len() as i64)"
        if name in MADE:
            zero = {"zeros": "0.0", "wholes": "0i64", "flags": "false"}[name]
            return f"vec![{zero}; {self._size(arguments[0])}]"
        first, *rest = arguments
        return f"{self.say(first, ATOM)}.{self.methods[name]}({', '.join(self.say(a) for a in rest)})"

    def _size(self, node: ast.expr) -> str:
        return str(node.value) if isinstance(node, ast.Constant) else f"{self.say(node, UNARY)} as usize"

    def assign(self, target: ast.expr, value: ast.expr) -> str:
        new = self._declare(target)
        literal = value.operand if isinstance(value, ast.UnaryOp) else value
        kind = {float: ": f64", int: ": i64"}.get(type(getattr(literal, "value", None)), "") if new else ""
        return f"{new}{self.say(target)}{kind} = {self.say(value)};"

    def _declare(self, target: ast.expr) -> str:
        """A name that is new in its place is declared."""
        if not isinstance(target, ast.Name) or any(target.id in scope for scope in self.scopes):
            return ""
        self.scopes[-1].add(target.id)
        return "let mut "

    def unpack(self, targets: list[str], value: ast.expr) -> Iterator[str]:
        new = [name for name in targets if not any(name in scope for scope in self.scopes)]
        self.scopes[-1].update(new)
        yield from (f"let mut {name};" for name in new if len(new) < len(targets))
        together = ", ".join(f"mut {name}" if len(new) == len(targets) else name for name in targets)
        yield f"{'let ' if len(new) == len(targets) else ''}({together}) = {self.say(value)};"

    def append(self, array: str, value: str) -> str:
        return f"{array}.push({value});"

    def leave(self, values: list[str]) -> Iterator[str]:
        yield f"return {values[0] if len(values) == 1 else '(' + ', '.join(values) + ')'};"

    def end_statement(self, text: str) -> str:
        return f"{text};"

    def loop(self, name: str, limits: list[ast.expr], body: list[ast.stmt], indent: str) -> Iterator[str]:
        first, last, down = self.limits(limits)
        numbers = f"({last}..={first}).rev()" if down else f"{first}..{self.say(limits[-1])}"
        self.scopes.append({name})
        yield f"{indent}for {name} in {numbers} {{"
        yield from self._inner(body, indent + "    ")
        yield f"{indent}}}"
        self.scopes.pop()

    def branch(self, node: ast.If, indent: str) -> Iterator[str]:
        yield f"{indent}if {self.say(node.test)} {{"
        yield from self._inner(node.body, indent + "    ")
        if node.orelse:
            yield f"{indent}}} else {{"
            yield from self._inner(node.orelse, indent + "    ")
        yield f"{indent}}}"


class Script(Printer):
    """What Julia and MATLAB share: arrays begin at 1, nothing is declared, blocks end with a word."""

    brackets = "[]"

    def entry(self, array: str, place: ast.expr) -> str:
        return f"{array}{self.brackets[0]}{self._beside(place, 1)}{self.brackets[1]}"

    def branch(self, node: ast.If, indent: str) -> Iterator[str]:
        yield f"{indent}if {self.say(node.test)}"
        yield from self.block(node.body, indent + "    ")
        if node.orelse:
            yield f"{indent}else"
            yield from self.block(node.orelse, indent + "    ")
        yield f"{indent}end"

    def assign(self, target: ast.expr, value: ast.expr) -> str:
        return self.end_statement(f"{self.say(target)} = {self.say(value)}")


class Julia(Script):
    """Julia."""

    remark = "#"
    renamed = {ast.FloorDiv: "÷"}  # noqa: RUF012 (never changed)
    kinds: Mapping[str, str] = {"Real": "Float64", "Whole": "Int", "Flag": "Bool"} | {
        "Reals": "Vector{Float64}", "Wholes": "Vector{Int}", "Flags": "Vector{Bool}",
    }  # fmt: skip

    def constant(self, name: str, value: float, words: str) -> Iterator[str]:
        yield f"const {name} = {value!r} # {words}"

    def record(self, name: str, words: str, fields: Mapping[str, str]) -> Iterator[str]:
        yield f'"{words}"'
        yield f"mutable struct {name}"
        yield from (f"    {field}::{self.kinds.get(kind, kind)}" for field, kind in fields.items())
        yield "end"

    def function(self, node: ast.FunctionDef, arguments: list[tuple[str, str]], signature: Signature) -> Iterator[str]:
        yield f'"{_doc(node)}"'
        yield f"function {node.name}({', '.join(name for name, _ in arguments)})"
        yield from self.block(node.body, "    ")
        yield "end"

    def name(self, name: str) -> str:
        return name

    def array(self, values: list[str]) -> str:
        return f"[{', '.join(values)}]"

    def make(self, name: str, values: list[str]) -> str:
        return f"{name}({', '.join(values)})"

    def built_in(self, name: str, arguments: Sequence[ast.expr]) -> str:
        said = [self.say(a) for a in arguments]
        if name == "copy" and self.type_of(arguments[0]) not in ARRAYS:
            return f"deepcopy({said[0]})"
        pattern = {
            "len": "length({})",
            "wholes": "zeros(Int, {})",
            "flags": "fill(false, {})",
            "is_finite": "isfinite({})",
        }
        return pattern.get(name, f"{name}({{}})").format(", ".join(said))

    def unpack(self, targets: list[str], value: ast.expr) -> Iterator[str]:
        yield f"{', '.join(targets)} = {self.say(value)}"

    def append(self, array: str, value: str) -> str:
        return f"push!({array}, {value})"

    def leave(self, values: list[str]) -> Iterator[str]:
        yield f"return {', '.join(values)}"

    def loop(self, name: str, limits: list[ast.expr], body: list[ast.stmt], indent: str) -> Iterator[str]:
        first, last, down = self.limits(limits)
        yield f"{indent}for {name} in {first}:{'-1:' if down else ''}({last})"
        yield from self.block(body, indent + "    ")
        yield f"{indent}end"


class Matlab(Script):
    """MATLAB and Octave: results have names, constants are fields of d."""

    remark = "%"
    brackets = "()"
    negation = "~"
    renamed = {ast.NotEq: "~="}  # noqa: RUF012 (never changed)

    def constant(self, name: str, value: float, words: str) -> Iterator[str]:
        self.numbers = {**getattr(self, "numbers", {}), name: value}
        yield from ()

    def record(self, name: str, words: str, fields: Mapping[str, str]) -> Iterator[str]:
        yield from ()

    def function(self, node: ast.FunctionDef, arguments: list[tuple[str, str]], signature: Signature) -> Iterator[str]:
        self.results, self.uses = self._name_results(node, signature), False
        body = list(self.block(node.body, "    "))
        if body[-1] == "    return":
            body.pop()
        results = self.results[0] if len(self.results) == 1 else f"[{', '.join(self.results)}]"
        yield f"function {results} = {node.name}({', '.join(name for name, _ in arguments)})"
        yield from (f"    % {line.strip()}" for line in _doc(node).splitlines())
        yield from ["    d = tables();"] if self.uses else []
        yield from body
        yield "end"

    def _name_results(self, node: ast.FunctionDef, signature: Signature) -> list[str]:
        """What is returned everywhere by the same name has this name, the others their own."""
        returned = [r.value for r in ast.walk(node) if isinstance(r, ast.Return)]
        found = []
        for i in range(len(signature.results)):
            parts = [r.elts[i] if isinstance(r, ast.Tuple) else r for r in returned]
            names = {p.id if isinstance(p, ast.Name) else "" for p in parts}
            name = names.pop() if len(names) == 1 else ""
            found.append(name or ("found" if len(signature.results) == 1 else f"found_{i + 1}"))
        return found

    def name(self, name: str) -> str:
        if name in self.constants.tables or name in self.constants.numbers:
            self.uses = True
            return f"d.{name}"
        numbers: Mapping[str, float] = getattr(self, "numbers", {})
        return repr(numbers[name]) if name in numbers else name

    def array(self, values: list[str]) -> str:
        return f"[{'; '.join(values)}]"

    def make(self, name: str, values: list[str]) -> str:
        pairs = [f"'{field}', {value}" for field, value in zip(self.records[name], values, strict=True)]
        return f"struct({', '.join(pairs)})"

    def built_in(self, name: str, arguments: Sequence[ast.expr]) -> str:
        said = ", ".join(self.say(a) for a in arguments)
        pattern = {"len": "numel({})", "zeros": "zeros({}, 1)", "wholes": "zeros({}, 1)", "flags": "false({}, 1)"}
        pattern |= {"is_finite": "isfinite({})", "copy": "{}"}
        return pattern.get(name, f"{name}({{}})").format(said)

    def unpack(self, targets: list[str], value: ast.expr) -> Iterator[str]:
        yield f"[{', '.join(targets)}] = {self.say(value)};"

    def change(self, target: str, sign: str, value: str, bound: str) -> str:
        return f"{target} = {target} {sign} {value if sign == '+' else bound};"

    def append(self, array: str, value: str) -> str:
        return f"{array}(end + 1, 1) = {value};"

    def leave(self, values: list[str]) -> Iterator[str]:
        pairs = zip(self.results, values, strict=True)
        yield from (f"{name} = {value};" for name, value in pairs if name != value)
        yield "return"

    def loop(self, name: str, limits: list[ast.expr], body: list[ast.stmt], indent: str) -> Iterator[str]:
        first, last, down = self.limits(limits)
        yield f"{indent}for {name} = {first}:{'-1:' if down else ''}({last})"
        yield from self.block(body, indent + "    ")
        yield f"{indent}end"

    def end_statement(self, text: str) -> str:
        return f"{text};" if text != "break" else text
