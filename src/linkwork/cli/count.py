"""linkwork count: what an evaluation of the equations of motion costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, say, with_changes


@app.command(short_help="Count the operations of the equations of motion.")
def count(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
) -> None:
    """Count additions, products, divisions and functions, before and after each technique that makes them fewer."""
    from linkwork.pipeline import load

    say(str(with_changes(load(file), set_).count_operations()))
