"""linkwork linearize: the linear model of a mechanism at a point, in states of the user's choice."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import Fit, MaxSeconds, app, check_target, say, with_changes
from linkwork.errors import LinkworkError


class Format(StrEnum):
    """How a linear model is written."""

    TEXT = "text"
    JSON = "json"
    MAT = "mat"
    NPZ = "npz"


ENDINGS = {Format.TEXT: ".txt", Format.JSON: ".json", Format.MAT: ".mat", Format.NPZ: ".npz"}


@app.command(short_help="Linear models: matrices, eigenvalues and modes at a point.")
def linearize(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    at: Annotated[str, typer.Option(help="start, equilibrium, steady, or a time: t=2.5")] = "start",
    states: Annotated[str, typer.Option(help='such as "OA.angle, x = B.x - A.x"; default: chosen for you')] = "",
    speeds: Annotated[str, typer.Option(help="expressions of speeds; default: the rates of the states")] = "",
    inputs: Annotated[str, typer.Option(help="parameters, or quantities along which a force works")] = "",
    outputs: Annotated[str, typer.Option(help="expressions; default: the states")] = "",
    format: Annotated[Format, typer.Option("--format", "-f", help="how it is written")] = Format.TEXT,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="write to this file instead of printing")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Matrices A, B, C, D and M, C, K at a point, eigenvalues and modes."""
    from linkwork.equations.words import split_words
    from linkwork.pipeline import load

    target = _target(file, format, out)
    point = read_point(at)
    found = with_changes(load(file), set_, fit).linearize(
        point,
        states=split_words(states),
        speeds=split_words(speeds),
        inputs=split_words(inputs),
        outputs=split_words(outputs),
    )
    if target is not None:
        say(f"written to {found.save(target)}")
    elif format is Format.JSON:
        import json

        say(json.dumps(found.as_dict(), indent=1, allow_nan=False))
    else:
        say(found.text(), nl=False)


def _target(file: Path, format: Format, out: Path | None) -> Path | None:
    """Where to write; a binary format needs a file, an ending of the name says the format."""
    if out is None:
        if format in (Format.TEXT, Format.JSON):
            return None
        out = Path(f"{file.stem}{ENDINGS[format]}")
    check_target(out, file)
    if not out.suffix:
        out = out.with_name(f"{out.name}{ENDINGS[format]}")
    if out.suffix not in ENDINGS.values():
        raise LinkworkError(f"--out '{out}': the name must end in {', '.join(ENDINGS.values())}")
    check_target(out, file)
    return out


def read_point(text: str) -> float | str:
    """The point to linearise at: a word, or a time with or without "t="."""
    word = text.strip()
    if word in ("start", "equilibrium", "steady"):
        return word
    try:
        return float(word.removeprefix("t").strip().removeprefix("="))
    except ValueError:
        raise LinkworkError(f"--at '{text}': give start, equilibrium, steady or a time such as t=2.5") from None
