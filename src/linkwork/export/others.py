"""Julia, MATLAB (and Octave) and Rust: the model and a program that integrates, in one file each.

They differ in how functions begin and end, in where arrays begin, and in what functions are called; the rest is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from linkwork.export.code import Function, Tree, walk
from linkwork.export.document import write_document, write_parameters
from linkwork.export.exported import Exported
from linkwork.export.language import Language, Speaker, plain_number, wrap, wrap_list
from linkwork.export.mode_tables import count_seen
from linkwork.export.naming import Naming
from linkwork.export.other_plain import write_plain
from linkwork.export.other_stubs import Named, julia_stubs, matlab_stubs, rust_stubs
from linkwork.export.template import fill, find_words
from linkwork.export.usage import TOLERANCES, list_matlab_usage, list_usage
from linkwork.program.ops import OPS
from linkwork.quoting import column_name, julia_string, line_comment, matlab_string, rust_string
from linkwork.symbolic import Curve

READS = {
    "rhs": ("y",),
    "residual": ("y", "dy", "lambda"),
    "correct": ("y",),
    "constraints": ("y",),
    "outputs": ("y", "dy", "lambda"),
    "events": ("y",),
    "acts": ("y",),
    "loop": ("y",),
    "jacobian": ("y",),
    "mass": ("y",),
    "terms": ("y",),
    "moves": ("y", "vv"),
    "renorm": ("y",),
    "readings": ("y",),
    "slopes": ("y",),
    "clocks": ("y",),
    "reads": ("y", "dy", "lambda"),
    "answers": ("y", "dy", "lambda"),
}
MAKES = {
    "rhs": ("dy", "lambda"),
    "residual": ("r",),
    "correct": ("dy",),
    "constraints": ("g", "dg"),
    "outputs": ("out",),
    "events": ("s",),
    "acts": ("a",),
    "loop": ("z", "J"),
    "jacobian": ("J",),
    "mass": ("mm",),
    "terms": ("mm", "gg", "ff", "cc"),
    "moves": ("dy",),
    "renorm": ("dy",),
    "readings": ("z",),
    "slopes": ("z",),
    "clocks": ("z",),
    "reads": ("z",),
    "answers": ("z",),
}
MODAL_LOOP = ("y", "dy", "lambda"), ("z", "J", "by", "of")  # where constraints come and go
REMARKS = {
    "rhs": "the rates of the state, and the multipliers",
    "residual": "what is missing in M a + G' lambda = f",
    "correct": "the smallest change of the state, by masses, that closes the constraints to first order",
    "constraints": "by how much constraints are open, and how fast they open",
    "outputs": "the outputs, by output_names",
    "events": "values that change their sign where something happens",
    "acts": "the values that events give to speeds, states and inputs",
    "loop": "what vanishes for the values in laws that belong to the same instant, and its slopes, row by row",
    "jacobian": "the derivatives of the rates by the state, row by row",
    "mass": "the mass matrix, row by row",
    "terms": "M and G, row by row, f and c: M a + G' lambda = f, G a = c",
    "moves": "the rates of places with given speeds",
    "renorm": "what brings directions back to length one",
    "readings": "restitutions of stops, and what friction holds",
    "slopes": "the derivatives by the speeds of those that events give a value",
    "clocks": "periods and offsets of controllers, and steps of rounding",
    "reads": "what controllers read at their instants",
    "answers": "what controllers set and remember by formulas",
}
LOCAL = """m t y dy r s g dg out J mm lambda sin cos tan asin acos atan atan2 tanh exp log sqrt pow power abs
min max sign sgn pick curve_value curve_side model defaults init rhs residual correct constraints
clocks reads answers sample ask terms moves renorm readings slopes vv mm gg ff cc by of
outputs events jacobian mass start sizes state_names multiplier_names output_names event_names
event_directions event_stops parameters rates advance attempt try_step try_classical locate
a act acts crossed jumped happen tell close_constraints z loops settle
user external read_parameters fail main motion settings i e pi im number tables"""
# what all define alike, and their constants
PLAIN = find_words(r"^(?:def|class) (\w+)", "plain") | find_words(r"\b([A-Z][A-Z_0-9]{2,})\b", "plain")
SHARED = PLAIN.union(LOCAL.split())
TABLES = find_words(r"\b([a-z]\w{2,})\[", "plain")
JULIA_WORDS = """baremodule begin break catch const continue do else elseif end export false finally for function
global if import let local macro module quote return struct true try using while in isa where
abstract mutable primitive type holds fastest slow seen beat user zeros nothing"""
# what the program uses of Julia, and calls its own
JULIA_NAMES = """ARGS Any Base Bool Dict Float64 Inf Int Model NaN PROGRAM_FILE String Symbol Vector abspath all
any copy deepcopy div eachindex eachline eliminate error exit fieldnames fill filter floor foreach getfield haskey
hypot ifelse include isempty isfile isfinite isnothing isodd join known length maximum occursin parse popfirst
println prod push read_arguments read_number round row safe_acos safe_asin safe_cos safe_log safe_sin safe_sqrt
safe_tan searchsortedlast setfield split startswith stderr strip sum take trouble tryparse A C E"""
MATLAB_WORDS = """break case catch classdef continue else elseif end for function global if otherwise parfor
persistent return spmd switch try while ans eps inf nan i j pi end_ endif endfor endwhile
endfunction until do unwind_protect holds fastest slow seen beat user zeros value"""
RUST_WORDS = """as break const continue crate else enum extern false fn for if impl in let loop match mod move mut
pub ref return self Self static struct super trait true type unsafe use where while async await dyn
abstract become box do final macro override priv typeof unsized virtual yield try f64 usize bool str
String Vec Option Some None Ok Err holds fastest slow seen beat user EVENT_STOPS"""


# flags of constraints, a number, and zeros
RUST_HELD = ("vec![{}]", "{}", "vec![0.0; {}]")
JULIA_HELD = ("Vector{{Bool}} = [{}]", "Float64 = {}", "Vector{{Float64}} = zeros({})")
MATLAB_HELD = ("logical([{}])'", "{}", "zeros({}, 1)")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What a language does in its own way.

    ending   of its file, and of its statements
    first    number of the first entry of an array, and the brackets around it
    settle   how values that belong to the same instant are found first
    load     how a value is named;  begin, end: a function, given its name, remark, reads and makes
    tell     how a line is printed, with what is around it
    program  how it is called
    case     how what an event does begins, the indent of what it does, and how that ends
    """

    language: Language
    ending: str
    first: int
    brackets: str
    close: str
    remark: str
    string: Callable[[str], str]
    let: str
    indent: str
    field: str
    settle: str
    begin: Callable[[str, str, tuple[str, ...], tuple[str, ...]], list[str]]
    end: Callable[[tuple[str, ...]], list[str]]
    allocate: Callable[[str, int], str]
    tell: str
    program: str
    case: tuple[str, ...]
    call: str
    stubs: Callable[[str, str, Sequence[Named]], Iterator[str]]
    usage: str


def _julia_begin(name: str, remark: str, reads: tuple[str, ...], makes: tuple[str, ...]) -> list[str]:
    return [f'"{remark}"', f"function {name}(m, t, {', '.join(reads)})"]


def _matlab_begin(name: str, remark: str, reads: tuple[str, ...], makes: tuple[str, ...]) -> list[str]:
    return [f"function [{', '.join(makes)}] = {name}(m, t, {', '.join(reads)})", f"    % {remark}"]


def _rust_begin(name: str, remark: str, reads: tuple[str, ...], makes: tuple[str, ...]) -> list[str]:
    arguments = [*(f"{a}: &[f64]" for a in reads)]
    result = "Vec<f64>" if len(makes) == 1 else f"({', '.join(['Vec<f64>'] * len(makes))})"
    return [f"/// {remark}", f"pub fn {name}(m: &Model, t: f64, {', '.join(arguments)}) -> {result} {{"]


def _number(value: float) -> str:
    return plain_number(value) if isfinite(value) else "1e308"


JULIA = Dialect(
    language=Language(
        number=_number,
        functions={"atan2": "atan({0}, {1})", "pow": "power({0}, {1})", "select": "ifelse({0}, {1}, {2})"}
        | {op: f"safe_{op}({{0}})" for op in ("sin", "cos", "tan", "sqrt", "log", "asin", "acos")},
        keywords=frozenset(JULIA_WORDS.split()),
        reserved=SHARED.union(
            JULIA_WORDS.split(), JULIA_NAMES.split(), find_words(r"^(?:function |const )?(\w+)!?(?:\(| = )", "jl.txt")
        ),
        defined=TABLES | find_words(r"\b([A-Za-z]\w*)!?\(", "jl.txt"),
    ),
    ending="jl", first=1, brackets="[]", close="", remark="#", string=julia_string, let="", indent="    ", field="m.",
    settle="    m = settle(m, t, y)",
    begin=_julia_begin,
    end=lambda makes: [f"    return {', '.join(makes)}", "end"],
    allocate=lambda name, size: f"{name} = zeros({size})",
    tell="            println({})", program="julia {name}.jl",
    case=("    if event == {}", "        ", "    end"), call="{0}(m, {1})", stubs=julia_stubs,
    usage="julia {name}.jl [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv",
)  # fmt: skip
MATLAB = Dialect(
    language=Language(
        number=_number,
        functions={"pow": "power({0}, {1})", "select": "pick({0}, {1}, {2})"}
        | {op: f"safe_{op}({{0}})" for op in ("sqrt", "log", "asin", "acos")},
        keywords=frozenset(MATLAB_WORDS.split()),
        reserved=SHARED.union(MATLAB_WORDS.split(), find_words(r"^function (?:.*= )?(\w+)", "m.txt")),
        defined=find_words(r"\b([A-Za-z]\w+)\(", "m.txt"),
        outside=find_words(r"\b([A-Za-z]\w+)\(", "m.txt"),
        more=" ...",
    ),
    ending="m", first=1, brackets="()", close=";", remark="%", string=matlab_string, let="", indent="    ", field="m.",
    settle="    m = settle(m, t, y);",
    begin=_matlab_begin,
    end=lambda makes: ["end"],
    allocate=lambda name, size: f"{name} = zeros({size}, 1);",
    tell="        fprintf('%s\\n', {});", program="{name}",
    case=("        case {}", "            "), call="external('{0}', m, {1})", stubs=matlab_stubs,
    usage="octave --eval {name} > motion.csv   # or in MATLAB: {name}('parameters', 'parameters.txt', 'tend', 1)",
)  # fmt: skip
RUST = Dialect(
    language=Language(
        number=_number,
        functions={"select": "(if {0} {{ {1} }} else {{ {2} }})"},
        keywords=frozenset(RUST_WORDS.split()),
        reserved=SHARED.union(
            RUST_WORDS.split(),
            find_words(r"\b(?:fn|struct) (\w+)", "rs.txt"),
            find_words(r"\b([A-Z][A-Z_0-9]{2,})\b", "rs.txt"),
            find_words(r"^const (\w+)", "rs.txt"),
            map(str.upper, TABLES),
        ),
    ),
    ending="rs", first=0, brackets="[]", close=";", remark="//", string=rust_string, let="let ", indent="    ",
    field="m.",
    settle="    let m = &settle(m, t, y);",
    begin=_rust_begin,
    end=lambda makes: [f"    {makes[0] if len(makes) == 1 else '(' + ', '.join(makes) + ')'}", "}"],
    allocate=lambda name, size: f"let mut {name} = vec![0.0; {size}];" if size else f"let {name} = Vec::new();",
    tell="            println!({});", program="./{name}",
    case=("        {} => {{", "            ", "        }"), call="external::{0}(m, {1})", stubs=rust_stubs,
    usage="rustc -O {name}.rs\n"
    "./{name} [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv",
)  # fmt: skip


class Writer:
    """Writes one model in one of them."""

    def __init__(self, exported: Exported, equations: str, dialect: Dialect) -> None:
        self.x, self.equations, self.d = exported, equations, dialect
        self.names = Naming(exported, dialect.language)

    def files(self) -> dict[str, str]:
        """Texts by file name."""
        x, d, name = self.x, self.d, self.names.model
        counts = {"states": x.states, "multipliers": x.multipliers, "outputs": x.outputs, "events": x.watched}
        words = {"name": name, "title": line_comment(x.title), "written": line_comment(x.written)}
        words |= {f"n_{key}": str(len(named)) for key, named in counts.items()}
        words |= {"t0": _number(x.t0), "tend": _number(x.tend), "functions": self._functions()}
        words |= {"fields": self._fields(), "defaults": self._defaults(), "init": "\n".join(self._init())}
        words |= {"wrong": self._wrong(), "data": "\n".join(self._data()), "known": self._known()}
        words["tables"] = "\n".join(line for i, curve in enumerate(x.code.curves) for line in self._table(i + 1, curve))
        words["mut"] = "mut " if x.settled or x.watched or x.modes or x.controllers else ""
        words["plain"] = write_plain(x, self.names, d.ending)
        words |= self._settled()
        words["act"] = "\n".join(self._act())
        told = list_matlab_usage(x, name) if d.ending == "m" else list_usage(x, d.program.format(name=name))
        words |= TOLERANCES | {"usage": "\n".join(d.tell.format(d.string(line)) for line in told)}
        words["handles"] = ", ".join(f"'{name}', @{name}" for name in map(_function_name, x.code.functions))
        computes = bool(x.code.init.sections or x.code.bounds)
        flags = self.names.flags | {"computes": computes, "curves": bool(x.code.curves)}
        flags |= {op: x.code.uses(op) for op in OPS}
        flags["plain"] = flags["happening"] or bool(x.controllers)
        flags["acts"] = bool(x.acts) and x.modes is None
        usage = f"```sh\n{d.usage.format(name=name)}\n```\n\nPlaces below are counted from 0."
        return {
            f"{name}.{d.ending}": fill(f"{d.ending}.txt", words, flags),
            **({f"external.{d.ending}": self._stubs()} if self.names.flags["stubs"] else {}),
            "parameters.txt": write_parameters(x),
            "README.md": write_document(x, self.names, usage, self.equations),
        }

    def _stubs(self) -> str:
        """The file of functions to be filled in."""
        named = [
            Named(self.names.function(s.name), tuple(names), tuple(map(line_comment, s.remarks(names))))
            for s in self.x.stubs
            for names in [self.names.arguments(s)]
        ]
        place = f"{self.d.brackets[0]}{{}}{self.d.brackets[1]}"
        for c in (c for c in self.x.controllers if c.calls):
            remarks = tuple(map(line_comment, c.remarks(place, self.d.first)))
            named.append(Named(self.names.function(c.name), ("t", "read"), remarks, controls=True))
        return "\n".join(self.d.stubs(line_comment(self.x.title), self.names.model, named)) + "\n"

    # -- data -----------------------------------------------------------------------------------------------------

    def _given(self) -> list[tuple[str, float, str]]:
        """Parameters and inputs: field, value, remark."""
        found = []
        for n in (*self.x.parameters, *self.x.inputs, *self.x.settled):
            words = " ".join(w for w in (f"[{n.unit}]" if n.unit else "", n.words) if w)
            found.append(
                (self.names.field(n.name), n.value, f" {self.d.remark} {line_comment(words)}" if words else "")
            )
        return found

    def _constants(self) -> list[str]:
        return [self.names.constant(name) for name in self.x.code.constants]

    def _fields(self) -> str:
        if self.d.ending == "rs":
            fields = [*(f"    pub {name}: f64,{remark}" for name, _, remark in self._given())]
            return "\n".join([*fields, *(f"    pub {name}: f64," for name in self._constants()), *self._held_fields()])
        fields = [f"    {name}::Float64 = {_number(value)}{remark}" for name, value, remark in self._given()]
        return "\n".join([*fields, *(f"    {name}::Float64 = 0.0" for name in self._constants()), *self._held_fields()])

    def _defaults(self) -> str:
        pattern = "        {0}: {1}," if self.d.ending == "rs" else "    m.{0} = {1};"
        held = self._held_first() if self.d.ending == "rs" else self._held_fields() if self.d.ending == "m" else ()
        return "\n".join([*(pattern.format(name, _number(value)) for name, value, _ in self._given()), *held])

    def _held(self) -> Iterator[tuple[str, str, str]]:
        """What the model has where something happens: its name, its first value, a remark."""
        x = self.x
        if not self.names.flags["happening"]:
            return
        on = ["true" if i not in x.modes.off else "false" for i in range(len(x.multipliers))] if x.modes else []
        yield "holds", ", ".join(on), "which constraints hold"
        yield "fastest", str(x.modes.count_grips if x.modes else 0), "how fast friction has moved,"
        yield "slow", "1e-10", "and what of it is slow"
        yield "seen", str(count_seen(x)), "values of events, on which sides they are"
        yield "beat", str(4 * len(x.watched)), "when events acted, and after which pauses"

    def _held_fields(self) -> Iterator[str]:
        """The same as fields of the model, in MATLAB with their values."""
        for name, value, remark in self._held():
            kind = {"holds": 0, "slow": 1}.get(name, 2)
            yield {
                "rs": f"    pub {name}: {('Vec<bool>', 'f64', 'Vec<f64>')[kind]}, // {remark}",
                "jl": f"    {name}::{JULIA_HELD[kind].format(value)} # {remark}",
                "m": f"    m.{name} = {MATLAB_HELD[kind].format(value)}; % {remark}",
            }[self.d.ending]

    def _held_first(self) -> Iterator[str]:
        """The same at first, in Rust."""
        for name, value, _ in self._held():
            yield f"        {name}: {RUST_HELD[{'holds': 0, 'slow': 1}.get(name, 2)].format(value)},"

    def _data(self) -> Iterator[str]:
        x = self.x
        yield from self._list("start", "f64", [_number(s.value) for s in x.states])
        yield from self._list("sizes", "f64", [_number(s) for s in x.scales])
        for key, named in (
            ("state", x.states),
            ("multiplier", x.multipliers),
            ("output", x.outputs),
            ("event", x.told),
        ):
            yield from self._list(f"{key}_names", "&str", [self.d.string(column_name(n.name)) for n in named])
        yield from self._list("event_directions", "i32", [str(w.direction if w.event else 2) for w in x.told])
        yield from self._list("event_stops", "bool", ["true" if w.stop else "false" for w in x.told])

    def _list(self, name: str, kind: str, items: list[str]) -> list[str]:
        width, more = self.d.language.width, self.d.language.more
        if self.d.ending == "rs":
            return wrap_list(f"const {name.upper()}: [{kind}; {len(items)}] = [", items, "];", width)
        if self.d.ending == "jl":
            typed = {"&str": "String", "f64": "Float64", "i32": "Int", "bool": "Bool"}[kind]
            return wrap_list(f"const {name} = {typed}[", items, "]", width)
        opening, closing = ("{", "}") if kind == "&str" else ("[", "]")
        return wrap_list(f"    d.{name} = {opening}", items, f"{closing};", width, more)

    def _known(self) -> str:
        pairs = [(self.d.string(n.name), self.names.field(n.name)) for n in self.x.parameters]
        if self.d.ending == "rs":
            return "\n".join(f"        {name} => m.{field} = value," for name, field in pairs)
        if self.d.ending == "jl":
            return ", ".join(f"{name} => :{field}" for name, field in pairs)
        return ", ".join(f"{name}, '{field}'" for name, field in pairs)

    def _table(self, i: int, curve: Curve) -> Iterator[str]:
        parts = {"knots": curve.knots, "origins": curve.origins, "rows": curve.coefficients.ravel()}
        for part, values in parts.items():
            name, items = f"curve_{i}_{part}", [_number(float(v)) for v in values]
            if self.d.ending == "m":
                yield f"function x = {name}()"
                yield from wrap_list("    x = [", items, "];", self.d.language.width, " ...")
                yield "end\n"
            else:
                yield from self._list(name, "f64", items)

    # -- functions ------------------------------------------------------------------------------------------------

    def _speaker(self) -> Speaker:
        numbers = {curve: i + 1 for i, curve in enumerate(self.x.code.curves)}

        def say_curve(tree: Tree, x: str) -> str:
            assert tree.curve is not None
            i, rust = numbers[tree.curve], self.d.ending == "rs"
            c = f"&CURVE_{i}_" if rust else f"curve_{i}_"
            knots, origins, rows = (f"{c}{part.upper() if rust else part}" for part in ("knots", "origins", "rows"))
            if tree.op == "side":
                return f"curve_side({knots}, {x})"
            period = _number(tree.curve.period)
            return f"curve_value({knots}, {origins}, {rows}, {period}, {x}, {tree.value:.0f})"

        return self.names.speaker(self.d.field, say_curve, self.d.call)

    def _init(self) -> Iterator[str]:
        yield from self._statements(self.x.code.init, self._speaker())

    def _wrong(self) -> str:
        speaker, differs = self._speaker(), {"!=": "~="} if self.d.ending == "m" else {}
        wrong = [f"{speaker.say(tree)} {differs.get(wrong, wrong)} 0.0" for tree, wrong in self.x.code.bounds]
        return " || ".join(wrong) or "false"

    def _functions(self) -> str:
        return "\n\n".join("\n".join(self._function(f)) for f in self.x.code.functions)

    def _function(self, f: Function) -> Iterator[str]:
        d, speaker = self.d, self._speaker()
        reads, makes = self._shape(f)
        yield from d.begin(_function_name(f), REMARKS[f.name], reads, makes)
        yield from [d.settle] if self.x.settles(f) else []
        yield from self._unused(f)
        for local, array, i in self.names.loads(f):
            yield f"{d.indent}{d.let}{local} = {self._entry(array, i)}{d.close}"
        yield from self._statements(f, speaker)
        for array in makes:
            yield d.indent + d.allocate(array, len(f.results.get(array, ())))
            for i, tree in enumerate(f.results.get(array, ())):
                yield from self._wrap(f"{self._entry(array, i)} = {speaker.say(tree)}{d.close}")
        yield from d.end(makes)

    def _shape(self, f: Function) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The arrays that a function reads and makes."""
        return MODAL_LOOP if f.name == "loop" and self.x.modes else (READS[f.name], MAKES[f.name])

    def _settled(self) -> dict[str, str]:
        """How values that belong to the same instant are read and set."""
        fields = [self.names.field(n.name) for n in self.x.settled]
        entries = [self._entry("w", i) for i in range(len(fields))]
        sets = [f"        m.{field} = {entry}{self.d.close}" for field, entry in zip(fields, entries, strict=True)]
        return {"settled_values": ", ".join(f"m.{field}" for field in fields), "settled_sets": "\n".join(sets)}

    def _act(self) -> Iterator[str]:
        """The cases of what gives the values of events to their places."""
        d = self.d
        for act in self.x.acts:
            yield d.case[0].format(act.event + d.first)
            for i, target in enumerate(act.targets, act.first):
                place = f"m.{self.names.field(target.name)}" if target.name else self._entry("y", target.place)
                yield f"{d.case[1]}{place} = {self._entry('a', i)}{d.close}"
            yield from d.case[2:]

    def _entry(self, array: str, i: int) -> str:
        return f"{array}{self.d.brackets[0]}{i + self.d.first}{self.d.brackets[1]}"

    def _statements(self, f: Function, speaker: Speaker) -> Iterator[str]:
        for section in f.sections:
            if section.title:
                yield f"{self.d.indent}{self.d.remark} {line_comment(section.title)}"
            for s in section.statements:
                name = speaker.constant(s.name) if s.constant else self.d.let + speaker.local(s.name)
                yield from self._wrap(f"{name} = {speaker.say(s.tree)}{self.d.close}")

    def _wrap(self, text: str) -> list[str]:
        """A statement in lines; in Julia a line that goes on must be open."""
        if self.d.ending == "jl" and len(text) + 4 > self.d.language.width:
            name, _, value = text.partition(" = ")
            text = f"{name} = ({value})"
        return wrap(text, self.d.indent, self.d.language.width, self.d.language.more)

    def _unused(self, f: Function) -> Iterator[str]:
        """Arguments that nobody reads, so that Rust does not wonder."""
        if self.d.ending != "rs":
            return
        used = {array for _, array, _ in self.names.loads(f)} | (
            {"t"} if any(s.kind == "t" for s in f.inputs) else set()
        )
        used |= {"t", "y"} if self.x.settles(f) else set()
        if any(s.kind in ("p", "w") for s in f.inputs) or any(
            t.op in ("constant", "call") for tree in f.trees for t in walk(tree)
        ):
            used.add("m")
        missing = [a for a in ("m", "t", *self._shape(f)[0]) if a not in used]
        if missing:
            yield f"    let _ = ({', '.join(missing)},);"


def _function_name(f: Function) -> str:
    """What a function is called: `loop` is a word of Rust."""
    return "loops" if f.name == "loop" else f.name


def write_julia(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in Julia."""
    return Writer(exported, equations, JULIA).files()


def write_matlab(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in MATLAB."""
    return Writer(exported, equations, MATLAB).files()


def write_rust(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in Rust."""
    return Writer(exported, equations, RUST).files()
