"""linkwork check: what a mechanism is like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Fit, MaxSeconds, app, say
from linkwork.errors import StartError
from linkwork.model.bodies import say_hidden

if TYPE_CHECKING:
    from linkwork.pipeline import Model
    from linkwork.solve import Branches

LARGE = 400  # coordinates from which nothing is proposed


@app.command(short_help="Degrees of freedom, redundant constraints, what was forgotten.")
def check(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    as_json: Annotated[bool, typer.Option("--json", help="print plain data for programs")] = False,
    branches: Annotated[bool, typer.Option("--branches", help="list the ways in which it can be assembled")] = False,
    hold: Annotated[list[str] | None, typer.Option(help="with --branches: a coordinate, point, angle to hold")] = None,
    picture: Annotated[Path | None, typer.Option(help="draw parts, joints and equations: .png, .svg or .pdf")] = None,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Say what a mechanism is like: degrees of freedom, index, redundant constraints, which values may be fixed."""
    from linkwork.pipeline import load

    assembly = load(file).with_fit(fit)
    try:
        structure = assembly.structure()
        assembly.warn_of_unused()
    except StartError:
        if not as_json:
            say(outline(assembly))
        raise
    if picture is not None:
        structure.draw(picture)
    if as_json:
        import json

        found = structure.as_dict() | describe_start(assembly)
        found |= {"branches": describe_branches(assembly.branches(hold))} if branches else {}
        say(json.dumps(found, indent=1))
    else:
        say(f"start        {assembly.start.report()}\n{structure.text()}\n\n{start_text(assembly)}")
        if branches:
            say(f"\n{assembly.branches(hold).text()}")


def outline(assembly: Model) -> str:
    """What can be said of a mechanism that cannot be assembled."""
    from linkwork.analysis import Structure

    return Structure(assembly.system, None, 0.0, assembly.mechanism).outline()


# -- the start ---------------------------------------------------------------------------------------------------------


def start_text(assembly: Model) -> str:
    """The start value by value, what the file leaves open, and what could be fixed."""
    if assembly.system.n > LARGE:
        return assembly.start.table()
    proposal = assembly.proposal()
    return (
        f"{assembly.start.table()}\n\n"
        f"still open   {proposal.remaining()}\n"
        f"to keep it   paste this over positions and velocities in the file\n\n{proposal.text}"
    )


def describe_start(assembly: Model) -> dict[str, object]:
    """The start as plain data."""
    rows = [
        {"name": say_hidden(v.name), "given": v.given, "start": v.found, "moved": v.moved, "status": v.status}
        for v in assembly.start.values
    ]
    if assembly.system.n > LARGE:
        return {"start": rows}
    proposal = assembly.proposal()
    return {
        "start": rows,
        "fixed": {"positions": dict(proposal.positions), "velocities": dict(proposal.velocities)},
        "open": [*map(say_hidden, proposal.open_positions), *(f"{say_hidden(x)}'" for x in proposal.open_velocities)],
    }


def describe_branches(found: Branches) -> dict[str, object]:
    """Branches as plain data."""
    return {
        "held": list(found.held),
        "start": found.start,
        "complete": found.finished,
        "positions": [branch.q.tolist() for branch in found],
    }
