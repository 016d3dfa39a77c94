"""linkwork view: a mechanism's motion as one HTML page, or as a video."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.cli.common import Formulated, app, check_target, say, with_changes
from linkwork.cli.progress import Bar, simulate, tell_doubts, waiting
from linkwork.errors import LinkworkError, SolveError, did_you_mean

if TYPE_CHECKING:
    from linkwork.results import Recording
    from linkwork.view.video import Film


@app.command(short_help="Show a mechanism move, in any browser or as a video.")
def view(
    file: Annotated[Path, typer.Argument(help="the mechanism (YAML), or results of linkwork run (.npz)")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="where the page goes; default: NAME.html")] = None,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="open the page in the browser")] = True,
    until: Annotated[float | None, typer.Option(help="simulate until this time [s]; default: tend of the file")] = None,
    tol: Annotated[float | None, typer.Option(help="allowed error of a step, relative to size and speed")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="change a parameter: NAME=VALUE")] = None,
    trace: Annotated[list[str] | None, typer.Option(help="draw the path of this point; may be repeated")] = None,
    video: Annotated[Path | None, typer.Option(help="make a video instead: NAME.mp4 or NAME.gif")] = None,
    fps: Annotated[float, typer.Option(help="frames per second of the video")] = 30.0,
    size: Annotated[str, typer.Option(help="width and height of the video in pixels")] = "960x600",
    speed: Annotated[float | None, typer.Option(help="model seconds per second of the video")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="a video on a dark ground")] = False,
    formulation: Formulated = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")] = False,
) -> None:
    """Show a mechanism move: one HTML page that needs nothing else, or a video."""
    from linkwork.view import read_template

    read_template()
    film = _film(fps, size, speed, dark)
    page = out or (None if video else Path(f"{file.stem or 'mechanism'}.html"))
    _check(page, video, file)
    recording, failure = _record(file, until, tol, set_, formulation, quiet)
    _add_traces(recording, trace or [])
    for note in recording.drawing["notes"]:
        say(f"linkwork: {file.name}: {note}", err=True)
    if page is not None:
        _write_page(recording, page, browser, quiet)
    if video is not None:
        _write_video(recording, video, film, quiet)
    if failure is not None:
        raise failure


def _film(fps: float, size: str, speed: float | None, dark: bool) -> Film:
    from linkwork.view.video import Film

    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size)
    if found is None:
        raise LinkworkError(f"--size '{size[:40]}' is not of the form 960x600")
    return Film(fps=fps, width=int(found[1]), height=int(found[2]), speed=speed, dark=dark)


def _check(page: Path | None, video: Path | None, source: Path) -> None:
    """Refuse before computing what cannot be written afterwards."""
    if page is not None:
        if page.suffix not in (".html", ".htm"):
            raise LinkworkError(f"--out '{page}': the name must end in .html")
        check_target(page, source)
    if video is not None:
        from linkwork.view.browser import require_browser
        from linkwork.view.video import check_video

        check_video(video)
        check_target(video, source)
        require_browser()


def _record(
    file: Path, until: float | None, tol: float | None, pairs: list[str] | None, formulation: str | None, quiet: bool
) -> tuple[Recording, SolveError | None]:
    """What to show, and why the run ended early if it did."""
    from linkwork.results import read_recording, record
    from linkwork.results.files import ENDINGS

    if file.suffix == ".npz":
        if until is not None or tol is not None or pairs or formulation:
            words = "--until, --tol, --set and --formulation need the mechanism (YAML); results are shown as they are"
            raise LinkworkError(words)
        return read_recording(file), None
    if file.suffix in ENDINGS:
        raise LinkworkError(
            f"'{file}': of results only .npz can be shown. Write them: linkwork run FILE.yaml --out NAME.npz"
        )
    from linkwork.pipeline import load

    motion, failure = simulate(with_changes(load(file), pairs).formulated(formulation), until, quiet, tol=tol)
    tell_doubts(motion)
    with waiting("preparing the page", quiet):
        return record(motion), failure


def _add_traces(recording: Recording, points: list[str]) -> None:
    moving = recording.drawing["moving"]
    for point in points:
        if point not in moving:
            hint = did_you_mean(point, moving) or f"There are {', '.join(moving[:12])}"
            raise LinkworkError(f"--trace '{point}': no such moving point. {hint}")
        recording.drawing["traces"].append(point)


def _write_page(recording: Recording, page: Path, browser: bool, quiet: bool) -> None:
    from linkwork.view import open_page, write_page

    write_page(recording, page)
    opened = browser and open_page(page)
    if not quiet:
        how = "opened in the browser" if opened else "open it in any browser"
        say(f"{page} ({page.stat().st_size / 1e6:.2g} MB): {how}")


def _write_video(recording: Recording, video: Path, film: Film, quiet: bool) -> None:
    from linkwork.view.video import count_frames, write_video

    total = count_frames(recording, film, video)
    with Bar("drawing", 0, total, "frame {task.fields[now]:.0f} of " + str(total), quiet) as progress:
        write_video(recording, video, film, progress)
    if not quiet:
        say(f"{video} ({video.stat().st_size / 1e6:.2g} MB): {total} frames")
