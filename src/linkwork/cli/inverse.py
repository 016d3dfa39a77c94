"""linkwork inverse: the forces that make a motion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Fit, MaxSeconds, app, check_target, say, with_changes
from linkwork.cli.progress import simulate
from linkwork.clock import no_limit
from linkwork.errors import InputError, LinkworkError, SolveError

if TYPE_CHECKING:
    from linkwork.pipeline import Model
    from linkwork.results import Trajectory
    from linkwork.results.inverse import Forces


@app.command(short_help="Inverse dynamics: the forces that make a motion.")
def inverse(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    along: Annotated[
        list[str] | None, typer.Option(help="a quantity that a force acts along, OA.angle; default: what is prescribed")
    ] = None,
    until: Annotated[float | None, typer.Option(help="until this time [s]; default: tend of the file")] = None,
    tol: Annotated[float | None, typer.Option(help="allowed error of a step, relative to size and speed")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="forces over time: NAME.csv")] = None,
    points: Annotated[int | None, typer.Option(help="write so many equally spaced times instead of the steps")] = None,
    least_squares: Annotated[
        bool, typer.Option("--least-squares", help="the nearest forces where there is not exactly one solution")
    ] = False,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")] = False,
    fit: Fit = None,
    max_seconds: MaxSeconds = None,
) -> None:
    """Find the forces and torques that make the motion of a file: where all is prescribed by kinematics alone."""
    import numpy as np

    from linkwork.pipeline import load
    from linkwork.results import check_points

    target = out or Path(f"{file.stem or 'mechanism'}-forces.csv")
    if target.suffix.lower() != ".csv":
        raise LinkworkError(f"--out '{target}': the name must end in .csv")
    check_target(target, file)
    count = None if points is None else check_points(points)
    motion, failure = _move(with_changes(load(file), set_, fit), until, tol, quiet)
    with no_limit():
        forces = motion.inverse(*(along or ()), least_squares=least_squares)
        times = None if count is None else np.linspace(motion.t[0], motion.t[-1], count)
        forces.write(target, times)
        if not quiet:
            _summarise(motion, forces, target)
    if failure is not None:
        raise failure


def _summarise(motion: Trajectory, forces: Forces, target: Path) -> None:
    import numpy as np

    say(f"{motion.title or 'mechanism'}: {motion.outcome}, {'kinematic' if motion.stats.kinematic else 'simulated'}")
    for name in forces.names:
        force, power = forces[name], forces.power[name]
        say(f"{name:>16}  {np.min(force):.6g} .. {np.max(force):.6g}, power up to {np.max(np.abs(power)):.6g} W")
    say(f"{'results':>16}  {target}")


def _move(model: Model, until: float | None, tol: float | None, quiet: bool) -> tuple[Trajectory, SolveError | None]:
    """The motion, by kinematics if all is prescribed, else simulated, and why it ended early if it did."""
    try:
        return simulate(model, until, quiet, tol=tol, kinematic=True)
    except InputError:
        return simulate(model, until, quiet, tol=tol)
