"""linkwork run: simulate, write the results, say how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Fit, Formulated, MaxSeconds, app, check_target, say, with_changes
from linkwork.cli.progress import simulate, waiting
from linkwork.clock import no_limit
from linkwork.errors import LinkworkError
from linkwork.model.settings import METHODS

if TYPE_CHECKING:
    from linkwork.audit import Audit
    from linkwork.pipeline import Model
    from linkwork.results import Trajectory


QUICK = 200  # coordinates and constraints up to which freedoms are told


@app.command(short_help="Simulate a mechanism; write, audit and judge the results.")
def run(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    until: Annotated[float | None, typer.Option(help="simulate until this time [s]; default: tend of the file")] = None,
    tol: Annotated[float | None, typer.Option(help="allowed error of a step, relative to size and speed")] = None,
    order: Annotated[int | None, typer.Option(help="order of the Taylor series; default: by the tolerance")] = None,
    max_step: Annotated[float | None, typer.Option(help="longest step [s], for laws with short pulses in time")] = None,
    method: Annotated[str | None, typer.Option(help=f"how to integrate: {', '.join(METHODS)}")] = None,
    step: Annotated[float | None, typer.Option(help="length of all steps [s]; default: by the tolerance")] = None,
    alpha: Annotated[float | None, typer.Option(help="of baumgarte [1/s]; default: by the steps")] = None,
    beta: Annotated[float | None, typer.Option(help="of baumgarte [1/s]; default: by the steps")] = None,
    rho: Annotated[float | None, typer.Option(help="of hht: what is left of fast vibrations; 0.8 by default")] = None,
    every: Annotated[
        float | None, typer.Option(help="keep states at such intervals only [s]; default: all steps")
    ] = None,
    kinematic: Annotated[
        bool, typer.Option("--kinematic", help="by prescribed motions alone, without masses and forces")
    ] = False,
    start: Annotated[
        Path | None, typer.Option(help="go on from the end of these results (.npz) of the same file")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="results: NAME.csv, .npz, .parquet, .mat or .xlsx")] = None,
    points: Annotated[int | None, typer.Option(help="write so many equally spaced times instead of the steps")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    branch: Annotated[int | None, typer.Option(help="how to put it together: a number of check --branches")] = None,
    formulation: Formulated = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")] = False,
    no_audit: Annotated[bool, typer.Option("--no-audit", help="do not audit the motion")] = False,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Simulate a mechanism, write the results, audit them and say how good they are."""
    from linkwork.pipeline import load
    from linkwork.results import check_points, check_results, read_last

    target = out or Path(f"{file.stem or 'mechanism'}.csv")
    check_results(target)
    check_target(target, file)
    if points is not None:
        check_points(points)
    assembly = with_changes(load(file), set_, fit).with_branch(branch).formulated(formulation)
    begin = None if start is None else read_last(start, assembly.whole, assembly.mechanism)
    motion, failure = simulate(
        assembly, until, quiet, kinematic=kinematic, start=begin, tol=tol, order=order, max_step=max_step,
        method=method, step=step, rho=rho, alpha=alpha, beta=beta, every=every,
    )  # fmt: skip
    with no_limit():
        with waiting("writing and auditing the results", quiet):
            _write(motion, assembly, target, points)
            verdict = None if no_audit else motion.audit()
        if not quiet:
            begun = assembly.start.report() if start is None else f"from the end of {start}, t = {motion.t[0]:g}"
            _summarise(assembly, motion, target, verdict, begun)
    if failure is not None:
        raise failure
    if verdict is not None and not verdict.ok:
        raise LinkworkError("\n".join(["the audit failed", *verdict.doubts]))


# -- run, in pieces --------------------------------------------------------------------------------------------------


def _freedom(assembly: Model) -> list[tuple[str, str]]:
    """How many ways to move there are, and what nothing holds; of systems that are quickly looked at."""
    from linkwork.analysis.structure.report import describe_floating, describe_freedom

    if assembly.system.n + assembly.system.m > QUICK:
        return []
    structure = assembly.structure()
    lines = [("freedom", describe_freedom(structure.mobility)), ("floating", describe_floating(structure))]
    return [(label, text) for label, text in lines if text]


def _write(motion: Trajectory, assembly: Model, target: Path, points: int | None) -> None:
    from linkwork.results import write_results

    settings = assembly.mechanism.settings
    write_results(
        motion,
        target,
        points=points,
        columns={**(settings.output_points or {}), **(settings.output_angles or {})} or None,
        time_format=settings.time_format,
        value_format=settings.value_format,
    )


def _summarise(assembly: Model, motion: Trajectory, target: Path, verdict: Audit | None, begun: str) -> None:
    from linkwork.results import summarise

    mechanism, *rest = summarise(motion)
    made_in = "points: kinematic" if motion.stats.kinematic else str(assembly.formulation)
    formulation = ("formulation", made_in)
    lines = [mechanism, formulation, *_freedom(assembly), ("start", begun), *rest]
    if verdict is not None:
        lines.append(("audit", verdict.line()))
    lines.append(("results", f"{target} ({target.stat().st_size / 1e6:.2g} MB)"))
    for name, text in lines:
        say(f"{name:>12}  {' '.join(text.split())}")
