"""linkwork modes: eigenvalues and shapes at a point, or as lines over a parameter (Campbell diagram, root locus)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Fit, MaxSeconds, app, check_target, say, with_changes
from linkwork.cli.linearize import read_point
from linkwork.errors import LinkworkError

if TYPE_CHECKING:
    from linkwork.analysis.linear import Modes, Study
    from linkwork.pipeline import Model

PICTURES = (".html", ".png", ".svg", ".pdf")
MOST = 100_000  # values of a parameter


@app.command()
def modes(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    at: Annotated[str, typer.Option(help="start, equilibrium, steady, or a time: t=2.5")] = "start",
    states: Annotated[str, typer.Option(help="states to linearise in; default: chosen for you")] = "",
    count: Annotated[int | None, typer.Option(help="only so many, the slowest: quick for large mechanisms")] = None,
    vary: Annotated[str | None, typer.Option(help="a parameter and its values: NAME=FROM:TO:COUNT")] = None,
    locus: Annotated[bool, typer.Option("--locus", help="draw the root locus instead of the Campbell diagram")] = False,
    animate: Annotated[
        int | None, typer.Option(help="write the moving mechanism along this mode (--out .html)")
    ] = None,
    amplitude: Annotated[float, typer.Option(help="of the animation, relative to the mechanism's size")] = 0.1,
    phase: Annotated[float, typer.Option(help="of the animation [rad]")] = 0.0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="picture (.html .png .svg .pdf) or .csv")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Print the modes, or follow them while a parameter changes."""
    from linkwork.equations.words import split_words
    from linkwork.pipeline import load

    _check_out(file, out, vary, animate)
    point, chosen = read_point(at), split_words(states)
    if vary is None:
        assembly = with_changes(load(file), set_, fit)
        found, text = _find(assembly, point, chosen, count)
        if animate is None:
            say(text, nl=False)
            return
        if not 1 <= animate <= len(found):
            raise LinkworkError(f"--animate {animate}: there are modes 1 to {len(found)}")
        target = out or Path(f"{file.stem}-mode-{animate}.html")
        assembly.show_mode(found[animate - 1], str(target), amplitude=amplitude, phase=phase, browser=False)
        say(f"written to {target}")
        return
    name, values = read_range(vary)
    study = with_changes(load(file), set_, fit).vary(name, values, point, states=chosen, count=count)
    _write(study, out, "locus" if locus else "campbell")


def _find(assembly: Model, point: float | str, states: list[str], count: int | None) -> tuple[Modes, str]:
    """All modes or the slowest, and the report."""
    if count is None:
        linear = assembly.linearize(point, states=states)
        return linear.modes, linear.text(matrices=False)
    slowest = assembly.slowest(count, point, states=states)
    return slowest.modes, slowest.text()


def _check_out(file: Path, out: Path | None, vary: str | None, animate: int | None) -> None:
    if vary is not None and animate is not None:
        raise LinkworkError("give either --vary or --animate")
    if out is None:
        return
    if vary is None and animate is None:
        raise LinkworkError("--out draws modes over a parameter: give --vary NAME=FROM:TO:COUNT too, or --animate MODE")
    endings = (".html",) if animate is not None else (*PICTURES, ".csv")
    if out.suffix not in endings:
        raise LinkworkError(f"--out '{out}': the name must end in {', '.join(endings)}")
    check_target(out, file)


def _write(study: Study, out: Path | None, what: str) -> None:
    if out is None:
        say(study.table(), nl=False)
        return
    if out.suffix == ".csv":
        from linkwork.results import write_whole

        write_whole(out, lambda file: file.write(study.table().encode()))
    else:
        study.plot(out, what=what)
    say(f"written to {out}: {study.eigenvalues.shape[1]} modes at {len(study.values)} values of {study.name}")


def read_range(text: str, option: str = "--vary") -> tuple[str, list[float]]:
    """ "omega=0:10:41" -> the name and 41 values."""
    import numpy as np

    name, _, numbers = text.partition("=")
    try:
        first, last, count = numbers.split(":")
        low, high, number = float(first), float(last), int(count)
    except ValueError:
        raise LinkworkError(f"{option} '{text}': give NAME=FROM:TO:COUNT, as in omega=0:10:41") from None
    if not (2 <= number <= MOST and np.isfinite([low, high]).all() and low != high):
        raise LinkworkError(f"{option} '{text}': give two different finite numbers and a count of 2 to {MOST:,}")
    return name.strip(), np.linspace(low, high, number).tolist()
