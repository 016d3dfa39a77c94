"""linkwork run: simulate, write the results, say how good they are."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.app import app
from linkwork.errors import LinkworkError, SolveError

if TYPE_CHECKING:
    from linkwork.pipeline import Assembly
    from linkwork.results import Trajectory

BAR_AFTER = 0.5  # seconds before a progress bar appears


@app.command()
def run(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML)")],
    until: Annotated[float | None, typer.Option(help="simulate until this time [s]; default: tend of the file")] = None,
    tol: Annotated[float | None, typer.Option(help="allowed error of a step, relative to the mechanism's size")] = None,
    order: Annotated[int | None, typer.Option(help="order of the Taylor series; default: by the tolerance")] = None,
    max_step: Annotated[float, typer.Option(help="longest step [s]; for laws with short pulses in time")] = math.inf,
    out: Annotated[Path | None, typer.Option(help="where results go: NAME.csv or NAME.npz")] = None,
    points: Annotated[int | None, typer.Option(help="write so many equally spaced times instead of the steps")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")] = False,
) -> None:
    """Simulate a mechanism, write the results and say how good they are."""
    from linkwork.pipeline import load

    target = out or Path(f"{file.stem or 'mechanism'}.csv")
    _check_target(target, file)
    if points is not None and points < 2:
        raise LinkworkError("--points must be at least 2")
    assembly = load(file)
    if set_:
        assembly = _with_changes(assembly, set_)
    failure: SolveError | None = None
    try:
        with _Progress(assembly, until, quiet) as progress:
            motion = assembly.simulate(until, tol=tol, order=order, max_step=max_step, progress=progress)
    except SolveError as error:
        if error.motion is None:
            raise
        failure, motion = error, error.motion  # type: ignore[assignment]
    if failure is not None and len(motion.t) < 2:
        raise failure  # nothing was computed: leave older results alone
    _write(motion, assembly, target, points)
    if not quiet:
        _summarise(assembly, motion, target)
    if failure is not None:
        raise failure
    if motion.outcome.startswith("interrupted"):
        raise typer.Exit(1)


# -- run, in pieces --------------------------------------------------------------------------------------------------


def _check_target(target: Path, source: Path) -> None:
    """Refuse before computing what cannot be written afterwards."""
    if target.suffix not in (".csv", ".npz"):
        raise LinkworkError(f"--out '{target}': the name must end in .csv or .npz")
    try:
        if target.is_dir():
            raise LinkworkError(f"--out '{target}' is a folder; choose another name")
        if target.exists() and source.exists() and target.samefile(source):
            raise LinkworkError(f"--out '{target}' is the mechanism itself; choose another name")
        folder = target.absolute().parent
        if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise LinkworkError(f"--out '{target}': cannot write in '{folder}'")
    except OSError as error:
        raise LinkworkError(f"--out '{str(target)[:200]}': {error.strerror}") from error


def _with_changes(assembly: Assembly, pairs: list[str]) -> Assembly:
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


class _Progress:
    """A bar on the terminal, for runs that last long enough to need one."""

    def __init__(self, assembly: Assembly, until: float | None, quiet: bool) -> None:
        import time

        m = assembly.mechanism
        self.clock, self.begun = time.perf_counter, time.perf_counter()
        self.t0 = m.compute(m.start.t0)
        self.until = until if until is not None else m.compute(m.start.tend) if m.start.tend is not None else self.t0
        self.wanted = not quiet and sys.stderr.isatty()
        self.bar: object | None = None

    def __enter__(self) -> _Progress:
        return self

    def __call__(self, t: float) -> None:
        if not self.wanted or (self.bar is None and self.clock() - self.begun < BAR_AFTER):
            return
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        if self.bar is None:
            columns = (*Progress.get_default_columns(), TextColumn("t = {task.fields[t]:.4g}"))
            self.bar = Progress(*columns, transient=True, console=Console(stderr=True))
            self.bar.start()
            self.task = self.bar.add_task("simulating", total=self.until - self.t0, t=t)
        assert isinstance(self.bar, Progress)
        self.bar.update(self.task, completed=t - self.t0, t=t)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()  # type: ignore[attr-defined]


def _write(motion: Trajectory, assembly: Assembly, target: Path, points: int | None) -> None:
    import numpy as np

    from linkwork.results import write_results

    settings = assembly.mechanism.settings
    times = None if points is None else np.linspace(motion.t[0], motion.t[-1], points)
    options: dict[str, object] = {"times": times}
    if target.suffix == ".csv":
        columns = {**(settings.output_points or {}), **(settings.output_angles or {})}
        options |= {
            "columns": columns or None,
            "time_format": settings.time_format,
            "value_format": settings.value_format,
        }
    write_results(motion, target, **options)


def _summarise(assembly: Assembly, motion: Trajectory, target: Path) -> None:
    s, system, residuals, energy = motion.stats, motion.system, motion.residuals, motion.energy
    speed = "compiled" if s.compiled else "interpreted"
    redundant = f", {s.redundant} redundant" if s.redundant else ""
    lines = [
        ("mechanism", f"{motion.title or 'untitled'}: {system.n} coordinates, {system.m} constraints{redundant}"),
        ("start", assembly.start.report()),
        ("outcome", motion.outcome),
        ("work", f"{s.steps} steps of order {s.order} ({s.rejected} rejected) in {_seconds(s.seconds)}, {speed}"),
        ("constraints", f"position {residuals.position:.1e}, velocity {residuals.velocity:.1e}, "
                        f"acceleration {residuals.acceleration:.1e} (relative)"),
        ("energy", f"balance kept to {energy.drift:.1e} of the largest energy" + _work(motion)),
        ("results", f"{target} ({target.stat().st_size / 1e6:.2g} MB)"),
    ]  # fmt: skip
    if energy.drift > max(1e-4, 1e4 * s.tol):
        lines.append(
            ("warning", "energy and work do not balance: a law or a prescribed motion may jump; try a smaller --tol")
        )
    if motion.events:
        lines.insert(3, ("events", _events(motion)))
    for name, text in lines:
        typer.echo(f"{name:>12}  {' '.join(text.split())}")


def _work(motion: Trajectory) -> str:
    """What did work, and how much, the largest first."""
    done = {name: float(work[-1]) for name, work in motion.work.items()}
    if "torque" in motion.energy.potentials:
        done["constant torques"] = float(motion.energy.work[-1])
    largest = sorted(done.items(), key=lambda item: -abs(item[1]))[:4]
    more = f" and {len(done) - 4} more" if len(done) > 4 else ""
    return ("; work of " + ", ".join(f"{name} {work:.4g} J" for name, work in largest) + more) if done else ""


def _events(motion: Trajectory) -> str:
    """Which events happened when, the first few of them."""
    first = ", ".join(f"{event.name} at t = {event.t:.6g}" for event in motion.events[:4])
    return first + (f" and {len(motion.events) - 4} more" if len(motion.events) > 4 else "")


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
