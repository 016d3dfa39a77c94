"""linkwork plot: quantities of a motion over time, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from linkwork.cli.common import Formulated, app, check_target, say, with_changes
from linkwork.cli.progress import simulate, tell_doubts, waiting


@app.command(short_help="Plot quantities over time or against each other.")
def plot(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    what: Annotated[
        str | None,
        typer.Option(help='one panel for each of "Cx, C\', energy, Cy vs Cx"; default: traced points and energy'),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="NAME.png, NAME.svg or NAME.pdf")] = None,
    until: Annotated[float | None, typer.Option(help="simulate until this time [s]; default: tend of the file")] = None,
    tol: Annotated[float | None, typer.Option(help="allowed error of a step, relative to size and speed")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    formulation: Formulated = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")] = False,
) -> None:
    """Plot coordinates, points, speeds, energies, forces over time or against each other."""
    from linkwork.pipeline import load
    from linkwork.results.plots import check_plot, list_items, plot_motion

    target = check_plot(out or Path(f"{file.stem or 'mechanism'}.png"))
    check_target(target, file)
    words = None if what is None else list_items(what)
    assembly = with_changes(load(file), set_).formulated(formulation)
    motion, failure = simulate(assembly, until, quiet, tol=tol)
    tell_doubts(motion)
    with waiting("drawing", quiet):
        plot_motion(motion, words, target)
    if not quiet:
        say(f"{target} ({target.stat().st_size / 1e3:.3g} kB)")
    if failure is not None:
        raise failure
