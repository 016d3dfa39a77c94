"""Stubs of functions to be filled in, in Julia, MATLAB and Rust: their names, arguments and remarks in, a file out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

ABOUT = "functions of its laws that could not be written down, to be filled in"


class Named(NamedTuple):
    """A stub by the names of a language; a controller is given what it reads as an array, and answers with one."""

    name: str
    arguments: tuple[str, ...]
    remarks: tuple[str, ...]
    controls: bool = False


def _what(model: str, name: str, file: str) -> str:
    return f"{model}: the function {name} in {file} is to be filled in"


def julia_stubs(title: str, model: str, stubs: Sequence[Named]) -> Iterator[str]:
    """external.jl."""
    yield f"# {title}: {ABOUT}."
    yield "# What they remember belongs to the model: let m.user be it."
    for stub in stubs:
        yield ""
        yield from (f"# {line}" for line in stub.remarks)
        yield f"function {stub.name}(m, {', '.join(stub.arguments)})"
        yield f'    error("{_what(model, stub.name, "external.jl")}")'
        yield "end"


def matlab_stubs(title: str, model: str, stubs: Sequence[Named]) -> Iterator[str]:
    """external.m."""
    yield "function value = external(name, m, varargin)"
    yield f"    % {title}: {ABOUT}."
    yield "    % What they remember belongs to the model: let m.user be it."
    yield "    switch name"
    for stub in stubs:
        yield f"        case '{stub.name}'"
        yield f"            value = {stub.name}(m, varargin{{:}});"
    yield "    end"
    yield "end"
    for stub in stubs:
        yield ""
        yield f"function value = {stub.name}(m, {', '.join(stub.arguments)})"
        yield from (f"    % {line}" for line in stub.remarks)
        yield f"    error('{_what(model, stub.name, 'external.m')}');"
        yield "end"


def rust_stubs(title: str, model: str, stubs: Sequence[Named]) -> Iterator[str]:
    """external.rs."""
    yield f"// {title}: {ABOUT}."
    yield "// What they remember belongs to the model: let m.user be it."
    yield "use crate::Model;"
    for stub in stubs:
        yield ""
        yield from (f"// {line}" for line in stub.remarks)
        kinds = ["f64", "&[f64]"] if stub.controls else ["f64"] * len(stub.arguments)
        given = ", ".join(f"{name}: {kind}" for name, kind in zip(stub.arguments, kinds, strict=True))
        yield f"pub fn {stub.name}(m: &Model, {given}) -> {'Vec<f64>' if stub.controls else 'f64'} {{"
        yield f"    let _ = (m, {', '.join(stub.arguments)});"
        yield f'    crate::fail("{_what(model, stub.name, "external.rs").partition(": ")[2]}")'
        yield "}"
