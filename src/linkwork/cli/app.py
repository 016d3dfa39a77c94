"""The command `linkwork`: what all commands share. Words in, calls to the pipeline, words out."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(
    name="linkwork",
    help="Mechanisms: from a text file to their motion.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def callback(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version")] = False,
) -> None:
    """Mechanisms: from a text file to their motion."""
    if version:
        from linkwork import __version__

        typer.echo(f"linkwork {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
