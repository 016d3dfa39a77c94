"""The names of an exported model in a language: of the model, its fields, its constants and the values of functions."""

from __future__ import annotations

from collections.abc import Callable

from linkwork.export.code import Function, Tree
from linkwork.export.exported import Exported
from linkwork.export.language import Language, Speaker
from linkwork.export.names import Identifiers
from linkwork.export.stubs import Stub
from linkwork.program import Input

FILES = ("main", "integrate", "external", "solve", "modes", "Makefile", "README")  # beside that of the model


class Naming:
    """Identifiers for everything that has a name."""

    def __init__(self, exported: Exported, language: Language) -> None:
        x, self.language, self.exported = exported, language, exported
        called = [*(stub.name for stub in x.stubs), *(c.name for c in x.controllers if c.calls)]
        taken = [*language.reserved, *language.outside, *FILES, *called]
        self.model = Identifiers(taken, language.folds).make(x.name)
        # words of templates that have the name of the model in them
        own = {word.replace("@NAME@", self.model.upper()) for word in language.keywords if "@" in word}
        self._reserved = language.reserved | own
        fields = Identifiers(language.keywords | own, language.folds)
        self._fields = {n.name: fields.make(n.name) for n in (*x.parameters, *x.inputs, *x.settled)}
        self._constants = {name: fields.make(name) for name in x.code.constants}
        functions = Identifiers(self._reserved | language.defined | x.code.local_names, language.folds)
        self._functions = {name: functions.make(name) for name in called}
        self._locals = self._name_locals()
        self.flags = {
            "corrects": x.corrects,
            "multipliers": bool(x.multipliers),
            "outputs": bool(x.outputs),
            "events": bool(x.watched),
            "parameters": bool(x.parameters),
            "inputs": bool(x.inputs),
            "acts": bool(x.acts),
            "stubs": bool(x.stubs or any(c.calls for c in x.controllers)),
            "controllers": bool(x.controllers),
            "settled": bool(x.settled),
            "copies": bool(x.settled or x.controllers),
            "reads": any(c.reads for c in x.controllers),
            "answers": any(f.name == "answers" for f in x.code.functions),
            "asks": any(c.calls for c in x.controllers),
            "modes": x.modes is not None,
            "happens": x.modes is not None and x.modes.happens,
            "barriers": x.modes is not None and bool(x.modes.barriers),
            "grips": x.modes is not None and bool(x.modes.grips),
            "wanted": x.modes is not None and bool(x.modes.wanted),
            "switches": x.modes is not None and bool(x.modes.switches),
            "shapes": any(f.name == "renorm" for f in x.code.functions),
            "readings": x.modes is not None and bool(x.modes.barriers or x.modes.grips),
            "acting": x.modes is not None and bool(x.modes.acting),
            "impulses": x.modes is not None and bool(x.modes.barriers or x.modes.acting),
            "products": x.modes is not None and bool(x.modes.barriers or x.modes.grips or x.modes.wanted),
            "measures": x.modes is not None and bool(x.modes.barriers or x.modes.grips or x.modes.switches),
            "loops": x.modes is None and bool(x.settled),
            "packs": x.modes is not None and bool(x.settled),
            "counted": bool(x.acts) or (x.modes is not None and bool(x.modes.goals)),
            "values": bool(x.acts) or (x.modes is not None and bool(x.modes.goals)),
            "happening": bool(x.watched) or x.modes is not None,
            "reacts": bool(x.acts) or (x.modes is not None and x.modes.happens),
        }

    def _name_locals(self) -> dict[Input, str]:
        """Values of the state and the multipliers, as functions know them."""
        ids = Identifiers(self._reserved, self.language.folds)
        for name in sorted({*self.exported.code.local_names, *self._functions.values()}):
            ids.make(name)
        return {source: ids.make(label) for source, label in self.exported.labels.items()}

    def field(self, name: str) -> str:
        """A parameter or an input."""
        return self._fields[name]

    def function(self, name: str) -> str:
        """A function that is to be filled in."""
        return self._functions[name]

    def arguments(self, stub: Stub) -> list[str]:
        """The names of its arguments."""
        ids = Identifiers([*self._reserved, self.function(stub.name)], self.language.folds)
        return [ids.make(name) for name in stub.arguments]

    def constant(self, name: str) -> str:
        """A constant of the model."""
        return self._constants[name]

    def loads(self, f: Function) -> list[tuple[str, str, int]]:
        """What a function reads of arrays: its name, the array and the place in it."""
        places = self.exported.places
        found = [(self._locals[s], *places[s]) for s in f.inputs if s in places]
        return sorted(found, key=lambda load: (("y", "dy", "lambda", "vv").index(load[1]), load[2]))

    def speaker(self, model: str, curve: Callable[[Tree, str], str], call: str) -> Speaker:
        """Who says the expressions of a function; `model` stands before fields of the model, `call` is how functions
        are called that are to be filled in, given name and arguments.
        """

        def say_input(source: Input) -> str:
            if source.kind == "t":
                return "t"
            if source.kind == "p":
                return f"{model}{self._fields[self.exported.parameter_names[source.index]]}"
            if source.kind == "w":
                return f"{model}{self._fields[self.exported.input_names[source.index]]}"
            return self._locals[source]

        return Speaker(
            language=self.language,
            input=say_input,
            constant=lambda name: f"{model}{self._constants[name]}",
            local=lambda name: name,
            curve=curve,
            call=lambda name, arguments: call.format(self._functions[name], arguments),
        )
