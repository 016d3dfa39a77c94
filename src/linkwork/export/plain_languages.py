"""The languages that plain programs are written in: Rust, Julia, MATLAB."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from linkwork.export.plain import ARRAYS, ATOM, MADE, SCALARS, UNARY, Printer, Signature, read_doc


class Rust(Printer):
    """Rust: arguments that are changed are handed over and handed back, the others are looked at."""

    remark = "//"
    stub = "external::{0}({1})"
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
        yield from (f"/// {line.strip()}" for line in read_doc(node).splitlines())
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
            return f"{array}[{place.value!r}]"
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
        if name in ("whole", "real"):
            return f"({self.say(arguments[0], UNARY)} as {'i64' if name == 'whole' else 'f64'})"
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
        yield f'"{read_doc(node)}"'
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
        pattern |= {"whole": "floor(Int, {})", "real": "{}"}
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
    stub = "external('{0}', {1})"
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
        yield from (f"    % {line.strip()}" for line in read_doc(node).splitlines())
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
        pattern |= {"is_finite": "isfinite({})", "copy": "{}", "whole": "floor({})", "real": "{}"}
        return pattern.get(name, f"{name}({{}})").format(said)

    def join(self, op: ast.AST, values: Sequence[ast.expr]) -> tuple[str, int]:
        if isinstance(op, ast.Mod):
            return f"mod({', '.join(self.say(v) for v in values)})", ATOM
        return super().join(op, values)

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
