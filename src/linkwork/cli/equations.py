"""linkwork equations: the equations of a mechanism, for reading."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, check_target, say, with_changes


class Format(StrEnum):
    """How equations are written."""

    TEXT = "text"
    LATEX = "latex"
    SYMPY = "sympy"


@app.command(short_help="Print energies, constraints and equations of motion.")
def equations(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    format: Annotated[Format, typer.Option("--format", "-f", help="how they are written")] = Format.TEXT,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="write to this file instead of printing")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    all_: Annotated[bool, typer.Option("--all", help="all equations of a large mechanism, not only the first")] = False,
) -> None:
    """Print energies, constraints and equations of motion with their names."""
    from linkwork.pipeline import load

    if out is not None:
        check_target(out, file)
    found = with_changes(load(file), set_).equations()
    write = {Format.TEXT: found.text, Format.LATEX: found.latex, Format.SYMPY: found.sympy}[format]
    text = write(None) if all_ else write()
    if out is None:
        say(text, nl=False)
        return
    from linkwork.results import write_whole

    write_whole(out, lambda file: file.write(text.encode()))
    say(f"{out} ({len(text) / 1e3:.3g} kB)")
