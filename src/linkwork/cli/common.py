"""The command `linkwork`: what all commands share. Words in, calls to the pipeline, words out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.clock import time_limit
from linkwork.errors import InputError, LinkworkError, no_folder, show_text

if TYPE_CHECKING:
    from linkwork.pipeline import Model

app = typer.Typer(
    name="linkwork",
    help="Mechanisms: from a text file to their motion.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def say(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print a text; what a terminal would obey is shown instead."""
    typer.echo(show_text(text), nl=nl, err=err)


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


def _limit_time(context: typer.Context, seconds: float | None) -> float | None:
    """Let the whole command end after so many seconds."""
    try:
        context.with_resource(time_limit(seconds))
    except InputError:
        raise LinkworkError(f"--max-seconds {seconds:g}: give a positive number of seconds") from None
    return seconds


MaxSeconds = Annotated[
    float | None,
    typer.Option("--max-seconds", callback=_limit_time, help="end in words after so many seconds; default: no limit"),
]


Formulated = Annotated[
    str | None,
    typer.Option("--formulation", help="integrate in points, absolute, tree or auto; default: as the file says"),
]


def check_target(target: Path, source: Path | None = None) -> None:
    """Refuse before computing what cannot be written afterwards, or what would replace a mechanism."""
    if target.suffix.lower() in (".yaml", ".yml"):
        raise LinkworkError(f"--out '{str(target)[:200]}' looks like a mechanism; choose a name with another ending")
    try:
        if target.is_dir():
            raise LinkworkError(f"--out '{target}' is a folder; choose another name")
        if source is not None and target.exists() and source.exists() and target.samefile(source):
            raise LinkworkError(f"--out '{target}' is the mechanism itself; choose another name")
        folder = target.absolute().parent
        if not folder.exists():
            raise LinkworkError(f"--out '{target}': {no_folder(target)}")
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise LinkworkError(f"--out '{target}': cannot write in '{folder}'")
    except OSError as error:
        raise LinkworkError(f"--out '{str(target)[:200]}': {error.strerror}") from error


Fit = Annotated[
    float | None,
    typer.Option("--fit", help="what redundant constraints may contradict each other by, relative to the size; 1e-5"),
]


def with_changes(assembly: Model, pairs: list[str] | None, fit: float | None = None) -> Model:
    """The mechanism with the parameters changed that are given as NAME=VALUE, and another tolerance of its numbers."""
    assembly = assembly.with_fit(fit)
    if not pairs:
        return assembly
    try:
        return assembly.with_parameters(**_changes(pairs))
    except LinkworkError as error:
        names = ", ".join(sorted(assembly.parameters))
        raise LinkworkError(f"--set: {error} (parameters: {names})") from error


def _changes(pairs: list[str]) -> dict[str, str]:
    changes = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise LinkworkError(f"--set '{pair}' is not of the form NAME=VALUE")
        changes[name.strip()] = value.strip()
    return changes
