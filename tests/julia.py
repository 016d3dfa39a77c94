"""Runs the part of Julia that our exports are written in, where there is no Julia: python julia.py FILE [ARGUMENTS].

The syntax tree of tree-sitter becomes Python. Names have the scopes of Julia: blocks of loops have their own, afresh
each time. Whatever is not known, a word, a name, a function, a type of argument, ends the run. Operators are read in
julia_operators.py, values and functions are in julia_base.py.
"""

import itertools
import math
import os
import re
import sys
import traceback
from typing import NamedTuple

import tree_sitter
import tree_sitter_julia

import julia_base as base
from julia_base import JuliaError, String, Symbol, Tuple
from julia_operators import OPERATORS, Reader, RefusedError, inner, parts, said

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
NATIVE = {"+": 6, "-": 6, "*": 7}  # what Python does alike, and how strongly it binds there
CALLED = {"/": "divide", "÷": "div", "%": "rem"}
NEGATIVE, ATOM = 8, 9
LOOPS = ("for_statement", "while_statement")
ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\\\": "\\", "\\$": "$", "\\0": "\0", "\\ufeff": "\ufeff"}
HELPERS = (
    base.get, base.put, base.unpack, base.truth, base.make_array, base.make_typed, base.stack, base.collect, base.div,
    base.count_range, base.broadcast, base.divide, base.rem, base.raise_to, base.put_field, base.make_record,
    base.parametrised, base.say, base.Pair, Tuple,
)  # fmt: skip

TYPES = {name for name, value in base.BASE.items() if isinstance(value, base.Type)}


class Said(NamedTuple):
    """A value in Python: how strongly it binds, and whether it is surely true or false."""

    text: str
    binds: int = ATOM
    flag: bool = False

    def at_least(self, binds):
        return self.text if self.binds >= binds else f"({self.text})"


class Scope:
    """Names of a function, or of a block within, and what they are called in Python."""

    def __init__(self, parent, names, numbers, loop=False):
        self.parent, self.loop = parent, loop
        self.names = {name: f"{clean(name)}_{next(numbers)}" for name in names}

    def find(self, name):
        found = self.names.get(name)
        return found or (self.parent.find(name) if self.parent else None)


def clean(name):
    return name.replace("!", "_b")


class Program(Reader):
    """A file as a Python program."""

    def __init__(self, path, world=None):
        self.path = os.path.abspath(path)
        self.lines, self.rows, self.depth = [], [], 0
        self.numbers = itertools.count(1)
        self.world = world or World()
        with open(path, "rb") as file:
            root = PARSER.parse(file.read()).root_node
        self.check(root)
        self.block(parts(root), None)

    def run(self):
        """Do what it says, line after line."""
        code = compile("\n".join(self.lines) + "\n", self.path, "exec")
        exec(code, self.world.names)

    def emit(self, text, node):
        self.lines.append("    " * self.depth + text)
        self.rows.append(node.start_point[0] + 1)

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, nodes, scope, tail=False):
        """Statements one after the other; in the tail of a function the last one is its value."""
        begun = len(self.lines)
        for k, node in enumerate(nodes):
            if k and nodes[k - 1].type != ";" and node.type != ";" and node.start_point[0] == nodes[k - 1].end_point[0]:
                self.refuse(node, "stands behind something else on its line")
            if node.type != ";":
                self.statement(node, scope, tail and k == len(nodes) - 1)
        if len(self.lines) == begun:
            self.lines.append("    " * self.depth + ("return None" if tail else "pass"))
            self.rows.append(self.rows[-1] if self.rows else 0)

    def indented(self, nodes, scope, tail=False):
        self.depth += 1
        self.block(nodes, scope, tail)
        self.depth -= 1

    def statement(self, node, scope, tail):
        kept, self.open = self.open, False
        if node.type in OPERATORS:
            self.conditional(self.parse(node), node, scope, tail)
        elif do := getattr(self, f"do_{node.type}", None):
            do(node, scope, tail)
        else:
            self.emit(("return " if tail else "") + self.atom(node, scope).text, node)
        self.open = kept

    def conditional(self, tree, node, scope, tail):
        """a && b, a || b, where b may be a statement"""
        if tree[0] not in ("&&", "||"):
            self.emit(("return " if tail else "") + self.value(tree, scope).text, node)
            return
        condition = self.condition(tree[1], scope)
        self.emit(f"if {condition if tree[0] == '&&' else f'not ({condition})'}:", node)
        self.depth += 1
        if tree[2][0] == "atom":
            self.statement(tree[2][1], scope, tail)
        else:
            self.conditional(tree[2], node, scope, tail)
        self.depth -= 1
        if tail:
            self.emit(f"return {tree[0] == '||'}", node)

    def do_return_statement(self, node, scope, tail):
        if scope is None:
            self.refuse(node, "is in no function")
        values = inner(node)
        self.emit(f"return {self.atom(values[0], scope).text if values else None}", node)

    def do_break_statement(self, node, scope, tail):
        self.emit(said(node), node)

    do_continue_statement = do_break_statement

    def head(self, node, scope):
        """What stands behind a word as a condition, and the rest; a sign in it may have split it in two."""
        _, first, *rest = parts(node)
        condition = [first]
        while rest and rest[0].is_named and rest[0].start_point[0] == condition[-1].end_point[0]:
            condition.append(rest.pop(0))
        return self.condition(self.parse(*condition), scope), [n for n in rest if n.type != "end"]

    def do_if_statement(self, node, scope, tail):
        condition, body = self.head(node, scope)
        self.emit(f"if {condition}:", node)
        self.indented([n for n in body if n.type not in ("elseif_clause", "else_clause")], scope, tail)
        for clause in (n for n in body if n.type in ("elseif_clause", "else_clause")):
            condition, rest = self.head(clause, scope) if clause.type == "elseif_clause" else ("", parts(clause)[1:])
            self.emit(f"elif {condition}:" if condition else "else:", clause)
            self.indented(rest, scope, tail)
        if tail and body[-1].type != "else_clause":
            self.emit("return None", node)

    def do_while_statement(self, node, scope, tail):
        condition, body = self.head(node, scope)
        self.emit(f"while {condition}:", node)
        self.loop(node, body, Scope(scope, (), self.numbers, loop=True), tail)

    def do_for_statement(self, node, scope, tail):
        name, values = self.binding(parts(node)[1], scope)
        own = Scope(scope, [name], self.numbers, loop=True)
        self.emit(f"for {own.names[name]} in {values}:", node)
        self.loop(node, parts(node)[2:-1], own, tail)

    def binding(self, node, scope):
        """i in values: the name, and the values"""
        name, sign, values = parts(node)
        if name.type != "identifier" or said(sign) not in ("in", "="):
            self.refuse(node, "is not covered")
        return said(name), self.atom(values, scope).text

    def loop(self, node, body, scope, tail):
        """A block whose own names are new in each turn."""
        fresh = [name for name in assigned(body) if not scope.find(name)]
        scope.names |= Scope(None, fresh, self.numbers).names
        self.depth += 1
        for name in fresh:
            self.emit(f"{scope.names[name]} = None; del {scope.names[name]}", node)
        self.block(body, scope)
        self.depth -= 1
        if tail:
            self.emit("return None", node)

    def do_assignment(self, node, scope, tail):
        target, sign, value = parts(node)
        if target.type == "call_expression":
            self.define(target, [value], node, scope)
        elif said(sign) != "=":
            self.refuse(node, "is not covered")
        elif target.type == "open_tuple":
            names = inner(target)
            count = len(inner(value)) if value.type == "open_tuple" else None
            self.emit(f"given = {self.atom(value, scope).text}", node)
            given = "given" if count == len(names) else f"unpack(given, {len(names)})"
            self.emit(f"{', '.join(self.name(n, scope) for n in names)} = {given}", node)
        elif value.type == "assignment":
            self.statement(value, scope, False)
            self.store(target, self.atom(parts(value)[0], scope).text, node, scope)
        elif tail:
            self.emit(f"given = {self.atom(value, scope).text}", node)
            self.store(target, "given", node, scope)
        else:
            self.store(target, self.atom(value, scope).text, node, scope)
        if tail:
            self.emit("return given" if value.type != "assignment" else self.refuse(node, "is not covered"), node)

    def name(self, node, scope):
        """A name that gets a value."""
        if node.type != "identifier":
            self.refuse(node, "is not covered")
        return scope.find(said(node)) if scope else self.world.define(said(node), None, self, node)

    def store(self, target, value, node, scope):
        if target.type == "identifier":
            self.emit(f"{self.name(target, scope)} = {value}", node)
        elif target.type == "index_expression":
            array, place = inner(target)
            self.emit(f"put({self.atom(array, scope).text}, {self.entries(place, scope)}, {value})", node)
        elif target.type == "field_expression":
            record, name = inner(target)
            self.world.asked.setdefault(said(name), self.place(node))
            self.emit(f"put_field({self.atom(record, scope).text}, {said(name)!r}, {value})", node)
        else:
            self.refuse(node, "is not covered")

    def do_compound_assignment_expression(self, node, scope, tail):
        target, sign, value = parts(node)
        sign = said(sign).removesuffix("=")
        if sign not in ("+", "-", "*", "/") or tail or (target.type == "identifier" and scope is None):
            self.refuse(node, "is not covered")
        if target.type == "identifier" and not scope.find(said(target)):
            self.refuse(node, "adds to what is not defined")
        self.store(target, self.value((sign, ("atom", target), self.parse(value)), scope).text, node, scope)

    def do_const_statement(self, node, scope, tail):
        (what,) = inner(node)
        target, _, value = parts(what)
        if scope is not None or target.type != "identifier":
            self.refuse(node, "is not covered")
        given = self.atom(value, scope).text
        self.emit(f"{self.world.define(said(target), 'const', self, node)} = {given}", node)

    def do_string_literal(self, node, scope, tail):
        following = node.next_named_sibling
        if tail:
            self.emit(f"return {self.atom(node, scope).text}", node)
        elif any(n.type == "string_interpolation" for n in node.children) or following is None:
            self.refuse(node, "describes nothing")
        elif following.type not in ("function_definition", "assignment", "struct_definition", "macrocall_expression"):
            self.refuse(node, "describes what cannot be described")

    # -- functions and structs -----------------------------------------------------------------------------------------

    def do_function_definition(self, node, scope, tail):
        head = inner(parts(node)[1])[0]
        self.define(head, parts(node)[2:-1], node, scope)

    def define(self, head, body, node, scope):
        """A function, in a file or in another function."""
        called, given = parts(head)
        names = [said(n) for n in inner(given)]
        if called.type != "identifier" or {n.type for n in inner(given)} > {"identifier"} or len({*names}) < len(names):
            self.refuse(head, "is not covered")
        if scope is None:
            python = self.world.define(said(called), len(names), self, node)
        elif scope.loop:
            self.refuse(node, "is not covered in a loop")
        else:
            python = scope.find(said(called))
        own = Scope(scope, names, self.numbers)
        arguments = ", ".join(own.names.values())
        local = assigned(body)
        outer = [own.find(name) for name in local if own.find(name) and name not in own.names]
        own.names |= Scope(None, [name for name in local if not own.find(name)], self.numbers).names
        self.emit(f"def {python}({arguments}{', /' if arguments else ''}):", node)
        if outer:
            self.emit(f"    nonlocal {', '.join(outer)}", node)
        self.indented(body, own, tail=True)

    def do_macrocall_expression(self, node, scope, tail):
        if len(inner(node)) == 3 and [said(n) for n in inner(node)[:2]] == ["Base", "@kwdef"] and scope is None:
            self.do_struct_definition(*inner(inner(node)[2]), scope, tail, named=True)
        else:
            self.refuse(node, "is not covered")

    def do_struct_definition(self, node, scope, tail, named=False):
        head, *fields = inner(node)
        own, names, kinds = Scope(None, (), self.numbers), [], []
        python = self.world.define(said(head), "struct", self, node)
        self.emit(f"def default_{python}(given):", node)
        self.depth += 1
        for field in fields:
            typed = parts(field)[0] if field.type == "assignment" else field
            if typed.type != "typed_expression" or (field.type == "assignment") != named:
                self.refuse(field, "is not covered")
            name, kind = inner(typed)
            names.append(said(name))
            self.world.fields.add(said(name))
            kinds.append(self.atom(kind, None).text)
            if named:
                # earlier fields are names in the values of later ones
                value = self.atom(parts(field)[2], own).text
                own.names |= Scope(None, [said(name)], self.numbers).names
                self.emit(
                    f"{own.names[said(name)]} = given.pop({said(name)!r}) if {said(name)!r} in given else {value}",
                    field,
                )
        self.emit(f"if given: raise TypeError(f'{said(head)} has no {{list(given)}}')", node)
        self.emit(f"return [{', '.join(own.names.values())}]", node)
        self.depth -= 1
        pairs = ", ".join(f"({name!r}, {kind})" for name, kind in zip(names, kinds, strict=True))
        mutable = parts(node)[0].type == "mutable"
        defaults = f"default_{python}" if named else None
        self.emit(f"{python} = make_record({said(head)!r}, [{pairs}], {mutable}, {defaults})", node)

    # -- operators -----------------------------------------------------------------------------------------------------

    def condition(self, tree, scope):
        """What must be true or false."""
        found = self.value(tree, scope)
        return found.text if found.flag else f"truth({found.text})"

    def value(self, tree, scope):
        """The value of a tree of operators."""
        match tree:
            case ("atom", node):
                return self.atom(node, scope)
            case ("unary", "!", value):
                return Said(f"(not {self.condition(value, scope)})", flag=True)
            case ("unary", sign, value):
                return Said(sign + self.value(value, scope).at_least(NEGATIVE), NEGATIVE)
            case ("compare", [sign], [one, other]) if sign.startswith("."):
                return Said(self.dotted(sign[1:], one, other, scope))
            case ("compare", signs, values):
                if any(sign.startswith(".") for sign in signs):
                    raise RefusedError(f"{self.path}: comparisons with dots in a row")
                texts = [self.value(v, scope).at_least(NATIVE["+"]) for v in values]
                words = "".join(f" {sign} {text}" for sign, text in zip(signs, texts[1:], strict=True))
                return Said(f"({texts[0]}{words})", flag=True)
            case ("&&" | "||" as sign, one, other):
                right = self.value(other, scope)
                word = {"&&": "and", "||": "or"}[sign]
                return Said(f"({self.condition(one, scope)} {word} {right.text})", flag=right.flag)
            case ("?", condition, one, other):
                first, second = self.value(one, scope), self.value(other, scope)
                text = f"({first.text} if {self.condition(condition, scope)} else {second.text})"
                return Said(text, flag=first.flag and second.flag)
            case ("range", first, step, last):
                by = self.value(step, scope).text if step else 1
                return Said(f"count_range({self.value(first, scope).text}, {by}, {self.value(last, scope).text})")
            case ("=>", key, value):
                return Said(f"Pair(({self.value(key, scope).text}, {self.value(value, scope).text}))")
            case ("^", one, other):
                # how whole numbers that are written down are raised differs
                raised = other[-1] if other[0] == "unary" else other
                whole = raised[0] == "atom" and raised[1].type == "integer_literal"
                given = f"{self.value(one, scope).text}, {self.value(other, scope).text}, {whole}"
                return Said(f"raise_to({given})")
        return self.product(*tree, scope)

    def product(self, sign, one, other, scope):
        if sign.startswith("."):
            return Said(self.dotted(sign[1:], one, other, scope))
        left, right = self.value(one, scope), self.value(other, scope)
        if sign in CALLED:
            return Said(f"{CALLED[sign]}({left.text}, {right.text})")
        if sign == "*" and (left.flag or right.flag):
            raise RefusedError(f"{self.path}: what is true or false times something is not covered")
        binds = NATIVE[sign]
        return Said(f"{left.at_least(binds)} {sign} {right.at_least(binds + 1)}", binds)

    def dotted(self, sign, one, other, scope):
        body = f"{CALLED[sign]}(a, b)" if sign in CALLED else f"a {sign} b"
        return f"broadcast(lambda a, b: {body}, {self.value(one, scope).text}, {self.value(other, scope).text})"

    # -- values --------------------------------------------------------------------------------------------------------

    def atom(self, node, scope):
        """The value of a node."""
        if node.type in OPERATORS or self.is_sign(node):
            return self.value(self.parse(node), scope)
        if not (write := getattr(self, f"at_{node.type}", None)):
            self.refuse(node, f"a {node.type} is not covered")
        return write(node, scope)

    def within(self, node, scope, is_open):
        """A value between brackets; in round ones lines go on by themselves."""
        kept, self.open = self.open, is_open
        found = self.atom(node, scope)
        self.open = kept
        return found

    def at_integer_literal(self, node, scope):
        if not said(node).isdigit() or int(said(node)) >= 2**63:
            self.refuse(node, "is not covered")
        return Said(str(int(said(node))))

    def at_float_literal(self, node, scope):
        text = said(node)
        if not re.fullmatch(r"\d+\.\d+([eE][+-]?\d+)?|\d+[eE][+-]?\d+", text) or not math.isfinite(float(text)):
            self.refuse(node, "is not covered")
        return Said(repr(float(text)))

    def at_boolean_literal(self, node, scope):
        return Said(said(node).capitalize(), flag=True)

    def at_identifier(self, node, scope):
        name = said(node)
        found = scope.find(name) if scope else None
        if name.startswith("_") or name in ("end", "begin"):
            self.refuse(node, "is not covered")
        return Said(found or self.world.look_up(name, self, node))

    def at_string_literal(self, node, scope):
        texts = []
        for part in node.children[1:]:
            if part.type == "string_interpolation":
                texts.append(f"say({self.within(inner(part)[0], scope, True).text})")
            elif part.type == "escape_sequence" and said(part) in ESCAPES:
                texts.append(self.world.keep(String(ESCAPES[said(part)])))
            elif part.type == "content":
                texts.append(self.world.keep(String(said(part))))
            else:
                self.refuse(node, "is not covered")
        return Said(" * ".join(texts) or self.world.keep(String("")), NATIVE["*"] if len(texts) > 1 else ATOM)

    def at_prefixed_string_literal(self, node, scope):
        prefix, _, content = node.children
        if said(prefix) != "r" or "\\d" in said(content):
            self.refuse(node, "is not covered")
        return Said(self.world.keep(re.compile(said(content))))

    def at_quote_expression(self, node, scope):
        (name,) = inner(node)
        return Said(self.world.keep(Symbol(said(name))))

    def at_parenthesized_expression(self, node, scope):
        if len(parts(node)) != 3:
            self.refuse(node, "is not covered")
        return self.within(parts(node)[1], scope, True)

    def at_argument_list(self, node, scope):
        return self.at_parenthesized_expression(node, scope)

    def at_open_tuple(self, node, scope):
        return Said(f"Tuple(({', '.join(self.atom(n, scope).text for n in inner(node))}, ))")

    def entries(self, node, scope):
        return ", ".join(self.within(n, scope, False).text for n in inner(node))

    def at_vector_expression(self, node, scope):
        return Said(f"make_array({self.entries(node, scope)})")

    def at_matrix_expression(self, node, scope):
        rows = inner(node)
        if any(len(inner(row)) != 1 for row in rows):
            self.refuse(node, "is not covered")
        return Said(f"stack({', '.join(self.within(inner(row)[0], scope, False).text for row in rows)})")

    def at_comprehension_expression(self, node, scope):
        value, clause = inner(node)
        return Said(f"collect({self.generator(value, clause, scope)})")

    def generator(self, value, clause, scope):
        (binding,) = inner(clause)
        name, values = self.binding(binding, scope)
        own = Scope(scope, [name], self.numbers)
        return f"({self.atom(value, own).text} for {own.names[name]} in {values})"

    def at_index_expression(self, node, scope):
        array, places = inner(node)
        if places.type != "vector_expression":
            self.refuse(node, "is not covered")
        verb = "make_typed" if said(array) in TYPES and not (scope and scope.find(said(array))) else "get"
        return Said(f"{verb}({', '.join(filter(None, [self.atom(array, scope).text, self.entries(places, scope)]))})")

    def at_field_expression(self, node, scope):
        record, name = inner(node)
        self.world.asked.setdefault(said(name), self.place(node))
        return Said(f"{self.atom(record, scope).text}.{said(name)}_")

    def at_parametrized_type_expression(self, node, scope):
        name, kinds = inner(node)
        given = [self.atom(n, scope).text for n in (name, *inner(kinds))]
        return Said(f"parametrised({', '.join(given)})")

    def at_arrow_function_expression(self, node, scope):
        given, _, body = parts(node)
        names = [said(n) for n in inner(given)] if given.type == "argument_list" else [said(given)]
        own = Scope(scope, names, self.numbers)
        return Said(f"(lambda {', '.join(own.names.values())}: {self.atom(body, own).text})")

    def at_macrocall_expression(self, node, scope):
        if said(node) != "@__FILE__":
            self.refuse(node, "is not covered")
        return Said(self.world.keep(String(self.path)))

    def at_broadcast_call_expression(self, node, scope):
        function, _, given = parts(node)
        return Said(f"broadcast({', '.join([self.atom(function, scope).text, *self.arguments(given, scope)])})")

    def at_call_expression(self, node, scope):
        function, *given = parts(node)
        if len(given) != 1 or function.type not in ("identifier", "parametrized_type_expression"):
            self.refuse(node, "is not covered")
        if said(function) == "include":
            return self.include(node, given[0], scope)
        arguments = self.arguments(given[0], scope)
        if function.type == "identifier" and not (scope and scope.find(said(function))):
            self.world.calls.append((said(function), len(arguments), self.place(node)))
        return Said(f"{self.atom(function, scope).text}({', '.join(arguments)})")

    def arguments(self, node, scope):
        values = inner(node)
        if len(values) > 1 and values[1].type == "for_clause":
            named = [self.named(n, scope) for n in values[2:]]
            return [self.generator(values[0], values[1], scope), *named]
        return [self.named(n, scope) for n in values]

    def named(self, node, scope):
        if node.type != "named_argument":
            return self.within(node, scope, True).text
        name, _, value = parts(node)
        return f"{said(name)}={self.within(value, scope, True).text}"

    def include(self, node, given, scope):
        (literal,) = inner(given)
        if scope is not None or literal.type != "string_literal":
            self.refuse(node, "is not covered")
        path = os.path.join(os.path.dirname(self.path), said(literal).strip('"'))
        return Said(f"{self.world.keep(Program(path, self.world).run)}()")


class World:
    """What is defined in a program, in all of its files."""

    def __init__(self):
        self.names = {helper.__name__: helper for helper in HELPERS}
        self.kinds, self.wanted, self.calls = {}, {}, []
        self.fields, self.asked = set(), {}

    def keep(self, value):
        """A name of a value that does not change."""
        name = f"kept_{len(self.names)}"
        self.names[name] = value
        return name

    def define(self, name, kind, program, node):
        """A name in the file: a number of arguments, "const", "struct", or nothing of the kind."""
        if name in self.kinds and (kind is not None or self.kinds[name] is not None):
            program.refuse(node, f"{name} is defined twice")
        if name in base.BASE:
            program.refuse(node, f"{name} is a name of Base that is used")
        self.kinds[name] = kind
        return f"G_{clean(name)}"

    def look_up(self, name, program, node):
        self.wanted.setdefault(name, program.place(node))
        if name in base.BASE and name not in self.kinds:
            self.names[f"G_{clean(name)}"] = base.BASE[name]
        return f"G_{clean(name)}"

    def check(self):
        """Names and fields that nothing defines, and calls with another number of arguments."""
        for name, place in self.wanted.items():
            if name not in self.kinds and name not in base.BASE and name not in ("ARGS", "PROGRAM_FILE"):
                raise RefusedError(f"{place}: UndefVarError: {name} not defined")
        for name, place in self.asked.items():
            if name not in self.fields:
                raise RefusedError(f"{place}: no struct has a field {name}")
        for name, count, place in self.calls:
            if self.kinds.get(name, count) not in (count, "struct"):
                raise RefusedError(f"{place}: MethodError: {name} takes {self.kinds[name]} arguments, not {count}")


def assigned(nodes):
    """Names that get a value in a block, not in loops and functions within."""
    found = {}
    for node in nodes:
        if node.type in (*LOOPS, "function_definition", "arrow_function_expression", "comprehension_expression"):
            continue
        if node.type in ("assignment", "compound_assignment_expression"):
            target, _, value = parts(node)
            if target.type == "call_expression":
                found |= {said(target.children[0]): None}
                continue
            names = inner(target) if target.type == "open_tuple" else [target]
            found |= {said(n): None for n in names if n.type == "identifier"}
            found |= assigned([value])
        else:
            found |= assigned(node.children)
    return found


def start(path, *arguments):
    """Run a file as `julia path arguments` does; the exit status."""
    world = World()
    world.names |= {"G_ARGS": base.Array(base.STRING, map(String, arguments)), "G_PROGRAM_FILE": String(path)}
    try:
        program = Program(path, world)
        world.check()
    except RefusedError as words:
        print(f"ERROR: LoadError: {words}", file=sys.stderr)
        return 2
    try:
        program.run()
    except (JuliaError, TypeError, NameError, AttributeError, RecursionError) as mistake:
        frames = [f for f in traceback.extract_tb(mistake.__traceback__) if f.filename == program.path]
        rows = ", ".join(str(program.rows[f.lineno - 1]) for f in reversed(frames))
        kind = {TypeError: "MethodError: ", NameError: "UndefVarError: ", UnboundLocalError: "UndefVarError: "}
        print(f"ERROR: LoadError: {kind.get(type(mistake), '')}{mistake}\n  {path}: lines {rows}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(start(*sys.argv[1:]))
