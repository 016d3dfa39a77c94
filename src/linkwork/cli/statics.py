"""linkwork statics: equilibria, one or a sequence over the values of a parameter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Fit, MaxSeconds, app, check_target, say, with_changes
from linkwork.cli.modes import read_range
from linkwork.errors import LinkworkError
from linkwork.quoting import csv_head

if TYPE_CHECKING:
    from linkwork.analysis.statics.sequence import Equilibrium, Statics

ENDINGS = (".csv", ".png", ".svg", ".pdf", ".html")


@app.command(short_help="Equilibria, one or over the values of a parameter.")
def statics(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    over: Annotated[str | None, typer.Option(help="a parameter, an input or t: load=0:10:50")] = None,
    what: Annotated[str | None, typer.Option(help='quantities, such as "A.y, AB.length"; default: coordinates')] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="NAME.csv, a plot .png .svg .pdf, or .html")] = None,
    snap: Annotated[bool, typer.Option("--snap", help="go on downhill where a branch of equilibria ends")] = False,
    slide: Annotated[bool, typer.Option("--slide", help="let friction slide to where it holds")] = False,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Where all forces balance: from the start downhill, then along the values of a parameter."""
    from linkwork.equations.words import split_words
    from linkwork.pipeline import load

    if out is not None:
        check_target(out, file)
        if out.suffix.lower() not in ENDINGS:
            raise LinkworkError(f"--out '{out}': the name must end in {', '.join(ENDINGS)}")
        if over is None:
            raise LinkworkError("--out: one equilibrium is printed; give --over for a sequence")
    model = with_changes(load(file), set_, fit)
    words = split_words(what) if what is not None else None
    if over is None:
        say(_describe(model.equilibrium(slide=slide), words))
        return
    name, values = read_range(over, "--over")
    found = model.statics({name: values}, snap=snap)
    if out is None:
        say(_table(found, words), nl=False)
    elif out.suffix.lower() == ".csv":
        found.write(out, words)
    elif out.suffix.lower() == ".html":
        model.show_statics(found, str(out), browser=False)
    else:
        found.plot(words or list(model.system.places[:3]), out)
    say(
        f"{len(found.points)} equilibria over {name}, {int(found.stable.sum())} of them stable: {found.outcome}",
        err=True,
    )


def _describe(found: Equilibrium, words: list[str] | None) -> str:
    """One equilibrium, a line for each quantity."""
    lines = [f"{'stable' if found.stable else 'unstable'}, lowest stiffness {found.stiffness:.3g} of the largest"]
    for name in words or found.state.system.places:
        values = found[name]
        lines.append(f"{name:>16}  {', '.join(f'{x:.9g}' for x in values.ravel().tolist())}")
    lines += [f"{push.name:>16}  pushes with {push.force:.6g}" for push in found.pushes]
    for hold in found.holds:
        lines.append(f"{hold.name:>16}  holds {hold.force:.6g} of {hold.limit:.6g} ({hold.share:.1%})")
    return "\n".join(lines)


def _table(found: Statics, words: list[str] | None) -> str:
    """Rows by value, as comma-separated text."""
    table = found.table(words)
    rows = [csv_head(table)]
    rows += [
        ",".join(f"{x:.9g}" for x in row) for row in zip(*(column.tolist() for column in table.values()), strict=True)
    ]
    return "\n".join(rows) + "\n"
