"""Plots of a motion with matplotlib: words in, a labelled figure out. matplotlib is needed only here.

motion.plot("C, energy", path="crank.png")     one panel for each item, time below
motion.plot("Cy vs Cx")                         one quantity against another
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.equations.words import split_words
from linkwork.errors import LinkworkError, show_line, show_value
from linkwork.model import Mechanism
from linkwork.quoting import mathtext
from linkwork.results.curves import resolve_curves
from linkwork.results.files import as_path, write_whole
from linkwork.results.record.drawing import describe_drawing
from linkwork.results.record.recording import Curve
from linkwork.results.summary import is_early
from linkwork.results.trajectory import Trajectory

FORMATS = (".png", ".svg", ".pdf")
MOST_TRACES = 3  # points plotted if nothing is asked for
LINE, LINES = 24, 3  # characters of a line of a label, and lines
FLAT = 1e-9  # of a value: what varies by less is constant
COLORS = ("#1f5fb0", "#c8611a", "#23876b", "#a83a55", "#6b4fa8", "#7a7a1f", "#4d7ea8", "#555555")
STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "font.size": 10,
    "svg.hashsalt": "linkwork",  # the same picture, the same file
    "svg.fonttype": "none",
    "text.usetex": False,
}


def plot_motion(motion: Trajectory, what: str | Sequence[str] | None = None, path: str | Path | None = None) -> Any:
    """A figure with one panel per item; written to a file if a path is given.

    Without items: the points that the file traces, and the energies.
    """
    target = None if path is None else check_plot(path)
    drawing = require_matplotlib()
    words = usual_items(motion) if what is None else list_items(what)
    panels = [_panel(motion, word) for word in words]
    with drawing.rc_context(STYLE):
        figure = drawing.Picture(figsize=(8, 1.2 + 2.3 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for panel, ax in zip(panels, axes, strict=True):
            _draw(panel, ax)
            if ax.get_yscale() == "linear":
                ax.yaxis.set_major_locator(drawing.MaxNLocator(6, min_n_ticks=3, steps=[1, 2, 2.5, 5, 10]))
        if head := _head(motion):
            figure.suptitle(mathtext(head), fontsize="large" if "\n" not in head else "medium")
        if target is not None:
            write_picture(figure, target)
    return figure


def _head(motion: Trajectory) -> str:
    """The title; below it, if the run ended early, why and where."""
    early = textwrap.wrap(motion.outcome, 100) if is_early(motion) else []
    return "\n".join([*textwrap.wrap(show_line(motion.title), 80), *early])


def usual_items(motion: Trajectory) -> list[str]:
    """What to plot if nothing is asked for: the points that the file traces, and the energies."""
    if not isinstance(motion.mechanism, Mechanism):
        return ["energy"]
    traces = describe_drawing(motion.mechanism)["traces"]
    return [*list(dict.fromkeys(traces))[:MOST_TRACES], "energy"]


def list_items(what: str | Sequence[str]) -> list[str]:
    """The items of a text such as "Cx, energy"."""
    items = [what] if isinstance(what, str) or not isinstance(what, Iterable) else list(what)
    for item in items:
        if not isinstance(item, str):
            raise LinkworkError(f'{show_value(item)} cannot be plotted. Name quantities, for example "Cx, energy"')
    words = [word for item in items for word in split_words(item)]
    if not words:
        raise LinkworkError('nothing to plot: name quantities, for example "Cx, energy"')
    return words


def check_plot(given: str | Path) -> Path:
    """A file name that matplotlib can write to."""
    path = as_path(given)
    if path.suffix.lower() not in FORMATS:
        raise LinkworkError(f"'{path}': the name of a plot must end in {', '.join(FORMATS)}")
    return path


Panel = list[Curve] | tuple[Curve, Curve]


def _panel(motion: Trajectory, word: str) -> Panel:
    if against := re.fullmatch(r"(.+?) (?:vs|against) (.+)", word):
        y, x = resolve_curves(motion, against.groups())
        if len(x) != 1 or len(y) != 1:
            raise LinkworkError(f"'{word}': only single quantities can be drawn against each other, as in 'Cy vs Cx'")
        return y[0], x[0]
    return resolve_curves(motion, [word])[0]


def _draw(panel: Panel, ax: Any) -> None:
    if isinstance(panel, tuple):
        y, x = panel
        ax.plot(x.values, y.values, color=COLORS[0])
        ax.plot(x.values[:1], y.values[:1], "o", color=COLORS[0], markersize=5)
        ax.set_xlabel(_label(x))
        ax.set_ylabel(_label(y))
        if x.unit == y.unit != "":
            ax.set_aspect("equal", adjustable="datalim")
        return
    for i, curve in enumerate(panel):
        ax.plot(curve.t, curve.values, color=COLORS[i % len(COLORS)], label=_wrap(curve.name))
    unit = f" [{panel[0].unit}]" if panel[0].unit else ""
    ax.set_ylabel(_wrap(panel[0].group + unit) if len(panel) > 1 else _label(panel[0]))
    if len(panel) > 1:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    if "residuals" in panel[0].group and any((curve.values > 0).any() for curve in panel):
        ax.set_yscale("log")
        _widen(ax, panel)
    else:
        _limit(ax, panel)
    ax.set_xlabel("t [s]")
    ax.margins(x=0.01)


def _label(curve: Curve) -> str:
    name = curve.name if curve.group == curve.name else f"{curve.group}: {curve.name}"
    return _wrap(name + (f" [{curve.unit}]" if curve.unit else ""))


def _limit(ax: Any, panel: list[Curve]) -> None:
    """About what is constant an axis of its own size, so that it is seen to be constant."""
    values = np.concatenate([curve.values for curve in panel])
    values = values[np.isfinite(values)]
    size, middle = (np.max(np.abs(values)), np.mean(values)) if len(values) else (0.0, 0.0)
    if not len(values) or np.ptp(values) <= FLAT * size:
        room = 0.5 * size or 1.0
        ax.set_ylim(middle - room, middle + room)


def _widen(ax: Any, panel: list[Curve]) -> None:
    """A logarithmic axis over two powers of ten at least, so that it has numbers."""
    values = np.concatenate([curve.values[curve.values > 0] for curve in panel])
    low, high = np.floor(np.log10(np.min(values))), np.ceil(np.log10(np.max(values)))
    if high - low < 2:
        ax.set_ylim(10.0 ** (high - 2), 10.0**high)


def _wrap(text: str) -> str:
    """A label in a few short lines, so that none is cut off."""
    lines = textwrap.wrap(text, LINE)
    return mathtext(
        "\n".join(lines if len(lines) <= LINES else [*lines[: LINES - 1], lines[LINES - 1][: LINE - 1] + "…"])
    )


def write_picture(figure: Any, target: Path, dpi: int = 150) -> None:
    """A figure as a file, which appears whole or not at all."""
    kind = target.suffix.lower()[1:]
    # no date inside: the same input gives the same file
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    picture = io.BytesIO()
    # a sign the font does not have is drawn as a box, which shows by itself
    with warnings.catch_warnings(action="ignore"):
        figure.savefig(picture, format=kind, dpi=dpi, metadata=dated)
    write_whole(target, lambda file: file.write(picture.getvalue()))


def require_matplotlib() -> Any:
    """Figures that need no window, and the settings of matplotlib; or words on how to get it."""
    try:
        import matplotlib.figure  # noqa: F401

        from linkwork.results import picture
    except ImportError as error:
        raise LinkworkError('a picture needs matplotlib. Install it: pip install "linkwork[plot]"') from error
    return picture
