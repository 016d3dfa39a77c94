"""linkwork export: the equations of a mechanism as source code that needs nothing of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, say, with_changes


@app.command(short_help="Write the equations of motion as source code.")
def export(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    target: Annotated[
        str, typer.Option("--target", "-t", help="c, fortran, python, julia, matlab, rust, fmu, fmu3")
    ] = "c",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="the folder; default: FILE-TARGET")] = None,
    force: Annotated[bool, typer.Option("--force", help="write into a folder that export did not make")] = False,
    jacobian: Annotated[bool, typer.Option("--jacobian", help="also derivatives of the rates, mass matrix")] = False,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
) -> None:
    """Write a folder of source code that needs nothing of linkwork: functions, a program, a Makefile, README.md."""
    from linkwork.pipeline import load

    folder = with_changes(load(file), set_).export(target, out, force=force, jacobian=jacobian)
    say(f"{folder}: {', '.join(sorted(p.name for p in folder.iterdir() if not p.name.startswith('.')))}")
