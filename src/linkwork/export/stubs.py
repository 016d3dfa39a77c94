"""Functions that nobody can look into, as stubs to be filled in: a file of its own beside the exported code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from linkwork.equations import System
from linkwork.model import Lagrangian, Mechanism
from linkwork.model.opaque import Call, Opaque, label_calls, relabel

UNITS = {
    "x": "m", "y": "m", "z": "m", "vx": "m/s", "vy": "m/s", "vz": "m/s", "angle": "rad", "omega": "rad/s", "t": "s",
    "length": "m", "speed": "m/s", "ax": "m/s^2", "ay": "m/s^2", "az": "m/s^2", "force": "N", "torque": "N m",
}  # fmt: skip


class Stub(NamedTuple):
    """A function to be filled in: the names of its arguments, and what these are in the model, for each call.

    of   of what it is the derivative, and by which argument, if it is one
    """

    name: str
    arguments: tuple[str, ...]
    calls: tuple[tuple[str, ...], ...]
    of: tuple[str, str] = ("", "")

    def remarks(self, names: Sequence[str]) -> list[str]:
        """What is to be known of it, line by line; its arguments have these names in the code."""
        of, by = self.of
        lines = [f"the derivative of {of} by {names[self.arguments.index(by)]}"] if of else []
        for call in self.calls:
            pairs = zip(names, call, strict=True)
            lines.append(", ".join(name if name == given else f"{name} = {given}" for name, given in pairs))
        return lines


def list_stubs(mechanism: Mechanism | Lagrangian, system: System, asked: Collection[str]) -> tuple[Stub, ...]:
    """The stubs of a system, by the names of their functions; those of slopes only where somebody asks for them."""
    called = {value.name: value.function for value in system.opaque}
    calls = {call.name: call for call in mechanism.opaque}
    found: dict[Opaque, list[Call]] = {}
    labels = label_calls(mechanism.opaque)
    for name, function in called.items():
        found.setdefault(function, []).append(calls[name])
    stubs = []
    for f, each in sorted(found.items(), key=lambda pair: pair[0].name):
        names, told = name_arguments(f), tuple(sorted(_describe_call(call, labels) for call in each))
        slopes = (Stub(name_slope(f, i), names, told, (f.name, by)) for i, by in enumerate(names))
        stubs += [Stub(f.name, names, told), *(slope for slope in slopes if slope.name in asked)]
    return tuple(stubs)


def _describe_call(call: Call, labels: Mapping[str, str]) -> tuple[str, ...]:
    """What the arguments of a call are, with their units where these are known."""
    texts = [relabel(str(law), labels) for law in call.arguments]
    units = [UNITS.get(text.rpartition(".")[2] if "." in text else text if text == "t" else "", "") for text in texts]
    return tuple(f"{text} [{unit}]" if unit else text for text, unit in zip(texts, units, strict=True))


def name_slope(f: Opaque, i: int) -> str:
    """What its derivative by an argument is called."""
    return f"{f.name}_by_{name_arguments(f)[i]}"


def name_arguments(f: Opaque) -> tuple[str, ...]:
    """As the function calls them, if it tells."""
    named = tuple(f"x{i + 1}" for i in range(f.count))
    if f.is_c or not _is_plain(f.call):
        return named
    return tuple(inspect.signature(f.call).parameters)[: f.count]


def _is_plain(call: Callable[..., float]) -> bool:
    return inspect.isfunction(call)
