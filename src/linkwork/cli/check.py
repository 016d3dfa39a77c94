"""linkwork check: what a mechanism is like."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.app import app


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    as_json: Annotated[bool, typer.Option("--json", help="print plain data for programs")] = False,
) -> None:
    """Say what a mechanism is like: degrees of freedom, index, redundant constraints, which values may be fixed."""
    from linkwork.pipeline import load

    assembly = load(file)
    structure = assembly.structure()
    if as_json:
        import json

        typer.echo(json.dumps(structure.as_dict(), indent=1))
    else:
        typer.echo(f"start        {assembly.start.report()}\n{structure.text()}")
