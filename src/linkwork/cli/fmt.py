"""linkwork fmt: put a mechanism's file in order."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import app, say
from linkwork.errors import InputError, LinkworkError, Problem


@app.command(short_help="Put files in order, without changing what they say.")
def fmt(
    files: Annotated[
        list[str], typer.Argument(help="mechanisms (YAML); - reads from the input and prints", metavar="FILE")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit with 1 if something would change")
    ] = False,
) -> None:
    """Put files in order: sections and keys as in the format, even spacing, aligned columns; comments are kept.

    What a file says never changes. A file with errors is left as it is.
    """
    changed: list[str] = []
    problems: list[Problem] = []
    for file in files:
        try:
            if _format(file, check):
                changed.append(file)
        except InputError as error:
            problems += error.problems
    for file in changed if check else ():
        say(f"linkwork: {file} would change", err=True)
    if problems:
        raise InputError(problems)
    raise typer.Exit(1 if check and changed else 0)


def _format(file: str, check: bool) -> bool:
    """Whether the order of a file is another; unless only checked it is put in order."""
    from linkwork.spec.rewrite import rewrite
    from linkwork.spec.source import read_input, read_text

    source = "<input>" if file == "-" else file
    text = read_input(sys.stdin.buffer, source) if file == "-" else read_text(file)
    made = rewrite(text, source)
    if file == "-" and not check:
        typer.echo(made.encode(), nl=False)
    elif made != text and not check:
        _write(Path(file).resolve(), made)
    return made != text


def _write(path: Path, text: str) -> None:
    """The file as a whole or not at all, with the permissions it had."""
    from linkwork.results import write_whole

    if not os.access(path, os.W_OK):
        raise LinkworkError(f"cannot write '{path}': it may not be changed")
    mode = path.stat().st_mode
    write_whole(path, lambda file: file.write(text.encode()))
    os.chmod(path, mode)
