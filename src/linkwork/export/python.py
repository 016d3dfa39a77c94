"""Python: a module with a class of the model, and a program that integrates. Nothing but the standard library."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterable, Iterator
from math import isfinite

from linkwork.arrays import Floats
from linkwork.export.code import Function, Tree, walk
from linkwork.export.document import write_document, write_parameters
from linkwork.export.exported import Exported
from linkwork.export.language import Language, Speaker, wrap, wrap_list
from linkwork.export.naming import Naming
from linkwork.export.other_plain import write_python_modes
from linkwork.export.sampling import NUMBERS
from linkwork.export.template import fill, find_words
from linkwork.export.usage import FILE, TOLERANCES, tell_options
from linkwork.quoting import column_name, python_comment, python_doc, python_string
from linkwork.symbolic import Curve

METHODS = """user loop settle settled controllers held clocks reads answers ask
init rhs residual correct constraints outputs events jacobian mass parameters start sizes state_names
multiplier_names output_names event_names event_directions event_stops acts act terms moves renorm readings slopes
holds fastest slow seen beat start_modes take_over"""
WORDS = """now self J mm gg ff cc vv by of z
a event t y dy r s g dg out lam math inf nan sin cos tan asin acos atan atan2 tanh exp log sqrt
power abs min max sign float int bool str list tuple dict print range len curve_value curve_side"""


# what the program imports, defines and keeps
GLOBAL = find_words(r"^(?:import|def|class) (\w+)", "python") | find_words(r"^([A-Z]\w*) = ", "python")
KEPT = find_words(r"\bmodel\.(\w+)", "python") | find_words(r"def (\w+)\(self", "python")
CLASSES = ("Motion",)  # and its classes
OTHER = "a value is negative, or next to nothing, or no longer zero: the equations are others then, export again"


def number(value: float) -> str:
    """A literal."""
    return repr(value) if isfinite(value) else f"math.{value!r}"


PYTHON = Language(
    number=number,
    functions={"pow": "power({0}, {1})", "select": "({1} if {0} else {2})"},
    keywords=KEPT.union(METHODS.split(), keyword.kwlist),
    reserved=GLOBAL.union(WORDS.split(), keyword.kwlist),
    outside=frozenset(sys.stdlib_module_names),
)

ARGUMENTS = {
    "rhs": ("y",),
    "residual": ("y", "dy", "lam"),
    "correct": ("y",),
    "constraints": ("y",),
    "outputs": ("y", "dy", "lam"),
    "events": ("y",),
    "acts": ("y",),
    "loop": ("y",),
    "clocks": (),
    "reads": ("y", "dy", "lam"),
    "answers": ("y", "dy", "lam"),
    "jacobian": ("y",),
    "mass": ("y",),
    "terms": ("y",),
    "moves": ("y", "vv"),
    "renorm": ("y",),
    "readings": ("y",),
    "slopes": ("y",),
}
LOOP = ("y", "dy", "lam")  # of `loop`, where constraints come and go
DOCS = {
    "rhs": "The rates of the state, and the multipliers.",
    "residual": "What is missing in M a + G' lam = f.",
    "correct": "The smallest change of the state, by masses, that closes the constraints to first order.",
    "constraints": "By how much constraints are open, and how fast they open.",
    "outputs": "The values of `output_names`.",
    "jacobian": "The derivatives of the rates by the state, row by row.",
    "mass": "The mass matrix, row by row.",
    "events": "Values that change their sign where something happens.",
    "loop": "What vanishes for the values in laws that belong to the same instant, and its slopes, row by row.",
    "clocks": "Of each controller its period, its offset, and in which steps values are read and set.",
    "reads": "What controllers read at their instants.",
    "answers": "What controllers set and remember by formulas.",
    "acts": "What events make of speeds, states and inputs.",
    "terms": "The mass matrix, the constraint matrix, both row by row, the forces, and what G a is.",
    "moves": "The rates of places with given speeds.",
    "renorm": "Corrections of what must have length one.",
    "readings": "The restitutions of stops, then the largest forces that friction holds.",
    "slopes": "The slopes of speeds that events give values, by all speeds, row by row.",
}
USAGE = """
```sh
python {name}.py [parameters.txt] [--end T] [--samples N] [--tolerance E] [--step H] > motion.csv
```

`{name}.py` has the class `{cls}`: set its attributes, call `init`, then `rhs`. Steps are those of Dormand and Prince
(order 5), or with `--step` equally long ones of order 4{closing}. Python 3.8 or newer, without any package.
"""


class Writer:
    """Writes one model."""

    def __init__(self, exported: Exported, equations: str) -> None:
        self.x, self.equations = exported, equations
        self.names = Naming(exported, PYTHON)
        name = "".join(word[:1].upper() + word[1:] for word in self.names.model.split("_")) or "Model"
        self.cls = f"{name}Model" if name in CLASSES else name

    def files(self) -> dict[str, str]:
        """Texts by file name."""
        x, name, flags = self.x, self.names.model, self.names.flags
        words = {"name": name, "class": self.cls, "title": python_doc(x.title), "written": python_doc(x.written)}
        words |= {"t0": number(x.t0), "tend": number(x.tend), "closing": _closing(x), "data": self._data()}
        words |= {"defaults": self._defaults(), "init": "\n".join(self._init()), "helpers": self._helpers()}
        functions = ["\n".join(self._function(f)) for f in x.code.functions]
        words["functions"] = "\n\n".join([*functions, *(["\n".join(self._act())] if x.acts else []), *self._ask()])
        words |= (
            TOLERANCES | {f"about_{key}": repr(what) for key, what in tell_options(x).items()} | {"file": repr(FILE)}
        )
        words["stub_bodies"] = "\n".join(self._stub_bodies())
        words["base"] = "(modes.Model)" if flags["happening"] else ""
        usage = USAGE.format(
            name=name, cls=self.cls, closing=", each followed by closing the constraints" if x.corrects else ""
        )
        return {
            f"{name}.py": fill("python/model.txt", words, flags),
            **({"modes.py": write_python_modes(x, self.names)} if flags["happening"] else {}),
            **({"external.py": fill("python/external.txt", words, flags)} if flags["stubs"] else {}),
            "parameters.txt": write_parameters(x),
            "README.md": write_document(x, self.names, usage, self.equations),
        }

    def _data(self) -> str:
        x = self.x
        lines: list[str] = []

        def table(name: str, values: Iterable[str]) -> None:
            lines.extend("    " + line for line in wrap_list(f"{name} = [", values, "]", PYTHON.width - 4))

        table("start", (number(s.value) for s in x.states))
        table("sizes", (number(s) for s in x.scales))
        for key, named in (
            ("state", x.states),
            ("multiplier", x.multipliers),
            ("output", x.outputs),
            ("event", x.told),
        ):
            if named:
                table(f"{key}_names", (python_string(column_name(n.name)) for n in named))
        if x.watched:
            table("event_directions", (str(w.direction if w.event else 2) for w in x.told))
            table("event_stops", (str(w.stop) for w in x.told))
        if x.settled:
            table("settled", (repr(self.names.field(n.name)) for n in x.settled))
        if x.controllers:
            table(
                "controllers",
                (repr(dict(zip((*NUMBERS, "delay"), (*c.numbers, c.delay), strict=True))) for c in x.controllers),
            )
            table("held", (repr(self.names.field(name)) for c in x.controllers for name in c.held))
        rows = [f"{python_string(n.name)}: {self.names.field(n.name)!r}" for n in x.parameters]
        lines += ["    " + line for line in wrap_list("parameters = {", rows, "}", PYTHON.width - 4)]
        return "\n".join(lines)

    def _defaults(self) -> str:
        lines = []
        for n in (*self.x.parameters, *self.x.inputs, *self.x.settled):
            words = " ".join(w for w in (f"[{n.unit}]" if n.unit else "", n.words) if w)
            lines.append(
                f"        self.{self.names.field(n.name)} = {number(n.value)}"
                + (f"  # {python_comment(words)}" if words else "")
            )
        if self.names.flags["stubs"]:
            lines.append("        self.user = None  # whatever functions in external.py remember")
        lines += ["        self.start_modes()"] if self.names.flags["happening"] else []
        return "\n".join([*lines, "        self.init()"])

    def _stub_bodies(self) -> Iterator[str]:
        for stub in self.x.stubs:
            name, arguments = self.names.function(stub.name), self.names.arguments(stub)
            yield "\n"
            yield f"def {name}(model, {', '.join(arguments)}):"
            first, *more = (python_doc(line) for line in stub.remarks(arguments))
            yield f'    """{first}' + ('"""' if not more else "")
            yield from (f"    {line}" for line in more)
            yield from ['    """'] if more else []
            yield f'    sys.exit("{self.names.model}: the function {name} in external.py is to be filled in")'

        for c in (c for c in self.x.controllers if c.calls):
            name = self.names.function(c.name)
            yield "\n"
            yield f"def {name}(model, t, {', '.join(f'x{i + 1}' for i in range(c.reads))}):"
            yield f'    """Controller {python_doc(c.name)}, asked at its instants.'
            yield ""
            yield from (f"    x{i + 1} = {python_doc(words)}" for i, words in enumerate(c.read_words))
            yield f"    Returns a list: {', '.join(map(python_doc, c.target_names))}."
            yield '    """'
            yield f'    sys.exit("{self.names.model}: the function {name} in external.py is to be filled in")'

    def _ask(self) -> Iterator[str]:
        """The method by which controllers are asked that are to be filled in."""
        if not self.names.flags["asks"]:
            return
        lines = ["    def ask(self, controller, t, read):", '        """What a controller answers."""']
        for i, c in enumerate(self.x.controllers):
            if c.calls:
                lines.append(f"        if controller == {i}:")
                lines.append(f"            return external.{self.names.function(c.name)}(self, t, *read)")
        lines.append("        raise LookupError(controller)")
        yield "\n".join(lines)

    def _init(self) -> Iterator[str]:
        speaker, init = self._speaker(), self.x.code.init
        wrong = [f"{speaker.say(tree)} {wrong} 0.0" for tree, wrong in self.x.code.bounds]
        divides = any(part.op == "div" for tree in init.trees for part in walk(tree))
        if init.sections and (wrong or divides):
            yield "        try:"
            yield from self._statements(init, speaker, " " * 12)
            yield "        except (ArithmeticError, ValueError):"
            yield f"            raise ValueError({OTHER!r}) from None"
        else:
            yield from self._statements(init, speaker)
        if wrong:
            yield from wrap(f"if ({' or '.join(wrong)}):", "        ", PYTHON.width)
            yield f"            raise ValueError({OTHER!r})"
        elif not init.sections:
            yield "        pass"

    def _speaker(self, model: str = "self.") -> Speaker:
        numbers = {curve: i + 1 for i, curve in enumerate(self.x.code.curves)}

        def say_curve(tree: Tree, x: str) -> str:
            assert tree.curve is not None
            name = f"CURVE_{numbers[tree.curve]}"
            return f"curve_side({name}, {x})" if tree.op == "side" else f"curve_value({name}, {x}, {tree.value:.0f})"

        return self.names.speaker(model, say_curve, "external.{0}(self, {1})")

    def _function(self, f: Function) -> Iterator[str]:
        settles = self.x.settles(f)
        speaker = self._speaker("now." if settles else "self.")
        arguments = LOOP if f.name == "loop" and self.x.modes else ARGUMENTS[f.name]
        yield f"    def {f.name}({', '.join(('self', 't', *arguments))}):"
        yield f'        """{DOCS[f.name]}"""'
        yield from ["        now = copy.copy(self)", "        now.settle(t, y)"] if settles else []
        for local, array, i in self.names.loads(f):
            yield f"        {local} = {'lam' if array == 'lambda' else array}[{i}]"
        yield from self._statements(f, speaker)
        arrays = list(f.results)
        for array, trees in f.results.items():
            yield from self._array("lam" if array == "lambda" else array, trees, speaker)
        if f.name == "rhs" and "lambda" not in arrays:
            yield "        lam = []"
            arrays.append("lambda")
        yield f"        return {', '.join('lam' if a == 'lambda' else a for a in arrays)}"

    def _act(self) -> Iterator[str]:
        """The method that gives the values of an event to their places."""
        yield "    def act(self, event, a, y):"
        yield '        """Give the values that `acts` has computed for an event to the inputs and the state y."""'
        for k, act in enumerate(self.x.acts):
            yield f"        {'if' if k == 0 else 'elif'} event == {act.event}:"
            for i, target in enumerate(act.targets, act.first):
                place = f"self.{self.names.field(target.name)}" if target.name else f"y[{target.place}]"
                yield f"            {place} = a[{i}]"

    def _array(self, name: str, trees: Iterable[Tree], speaker: Speaker) -> Iterator[str]:
        yield f"        {name} = ["
        for tree in trees:
            yield from wrap(f"{speaker.say(tree)},", " " * 12, PYTHON.width)
        yield "        ]"

    def _statements(self, f: Function, speaker: Speaker, indent: str = " " * 8) -> Iterator[str]:
        for section in f.sections:
            if section.title:
                yield f"{indent}# {python_comment(section.title)}"
            for s in section.statements:
                name = speaker.constant(s.name) if s.constant else speaker.local(s.name)
                text = f"{name} = {speaker.say(s.tree)}"
                if len(text) + len(indent) > PYTHON.width:
                    text = f"{name} = ({speaker.say(s.tree)})"
                yield from wrap(text, indent, PYTHON.width)

    def _helpers(self) -> str:
        """Functions that have no value where others would raise, and curves."""
        code = self.x.code
        used = {op for op in ("sqrt", "log", "asin", "acos", "pow", "sign", "exp") if code.uses(op)}
        flags = {op: op in used for op in ("sqrt", "log", "asin", "acos", "pow", "sign", "exp")}
        flags |= {"curves": bool(code.curves), "sides": code.uses("side")}
        plain = [op for op in ("sin", "cos", "tan", "atan", "atan2", "tanh") if code.uses(op)]
        head = f"from math import {', '.join(plain)}\n" if plain else ""
        text = head + fill("python/helpers.txt", {}, flags)
        tables = [line for i, curve in enumerate(code.curves) for line in _table(i + 1, curve)]
        return (text + "\n".join(tables)).rstrip()


def _table(i: int, curve: Curve) -> list[str]:
    def row(values: Floats) -> str:
        return ", ".join(number(float(x)) for x in values)

    rows = ", ".join(f"[{row(values)}]" for values in curve.coefficients)
    text = f"([{row(curve.knots)}], [{row(curve.origins)}], [{rows}], {number(curve.period)})"
    return wrap(f"CURVE_{i} = {text}", "", PYTHON.width)


def _closing(x: Exported) -> str:
    return " Constraints are closed after each step." if x.corrects else ""


def write_python(exported: Exported, equations: str = "") -> dict[str, str]:
    """The files of a model in Python."""
    return Writer(exported, equations).files()
