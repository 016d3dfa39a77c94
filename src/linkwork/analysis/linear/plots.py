"""Pictures of linear models: Campbell diagram, root locus, Bode diagram and step response, with Matplotlib."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import LinkworkError
from linkwork.quoting import mathtext, xml_text
from linkwork.results.files import write_whole
from linkwork.results.plots import require_matplotlib

if TYPE_CHECKING:
    from linkwork.analysis.linear.response import FrequencyResponse, StepResponse
    from linkwork.analysis.linear.studies import Study

ENDINGS = (".png", ".svg", ".pdf", ".html")


def new_figure(rows: int = 1, columns: int = 1, **options: Any) -> tuple[Any, Any]:
    """A figure without a window, and its axes."""
    figure = require_matplotlib().Picture(figsize=(7.5, 3.2 + 1.8 * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def save_figure(figure: Any, path: Any, title: str = "") -> Any:
    """Write a figure, also as a page of its own (.html); without a path return it."""
    if path is None:
        return figure
    target = Path(path)
    if target.suffix not in ENDINGS:
        raise LinkworkError(f"'{target}': the name must end in {', '.join(ENDINGS)}")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg" if target.suffix == ".html" else target.suffix[1:], dpi=130)
    content = buffer.getvalue()
    if target.suffix == ".html":
        image = base64.b64encode(content).decode()
        page = f'<!doctype html><meta charset="utf-8"><title>{xml_text(title)}</title>'
        content = f'{page}<img style="max-width:100%" src="data:image/svg+xml;base64,{image}">\n'.encode()
    return write_whole(target, lambda file: file.write(content))


def plot_study(study: Study, path: Any = None, what: str = "campbell") -> Any:
    """Lines of modes over a parameter, or their eigenvalues in the complex plane."""
    draw = {"campbell": _campbell, "locus": _locus}.get(what)
    if draw is None:
        raise LinkworkError(f"no picture named '{what}'. There are: campbell, locus")
    return save_figure(draw(study), path, f"{what} over {study.name}")


def _campbell(study: Study) -> Any:
    figure, (above, below) = new_figure(2, 1, sharex=True, height_ratios=[2, 1])
    for i, label in enumerate(study.labels):
        line = study.eigenvalues[:, i]
        oscillates = np.isfinite(study.frequencies[:, i])
        if oscillates.any():
            (drawn,) = above.plot(study.values, study.frequencies[:, i], label=mathtext(f"{i + 1} {label}"))
            below.plot(study.values, line.real, color=drawn.get_color())
        elif np.nanmax(np.abs(line), initial=0.0) > 0:
            below.plot(study.values, line.real, "--", label=mathtext(f"{i + 1} {label}"))
    above.set_ylabel("frequency [Hz]")
    above.set_ylim(bottom=0)
    if np.isfinite(study.frequencies).any():
        above.legend(fontsize="x-small", ncols=2)
    below.axhline(0, color="black", linewidth=0.6)
    below.set_ylabel("Re λ [1/s]")
    below.set_xlabel(mathtext(study.name))
    for axes in (above, below):
        axes.grid(alpha=0.3)
    return figure


def _locus(study: Study) -> Any:
    figure, axes = new_figure()
    for i, label in enumerate(study.labels):
        line = study.eigenvalues[:, i]
        (drawn,) = axes.plot(line.real, line.imag, ".-", markersize=3, label=mathtext(f"{i + 1} {label}"))
        axes.plot(line.real[:1], line.imag[:1], "o", color=drawn.get_color())
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_xlabel("Re λ [1/s]")
    axes.set_ylabel("Im λ [rad/s]")
    axes.set_title(
        f"{mathtext(study.name)} from {study.values[0]:g} (circle) to {study.values[-1]:g}", fontsize="medium"
    )
    axes.legend(fontsize="x-small")
    axes.grid(alpha=0.3)
    return figure


def plot_bode(response: FrequencyResponse, path: Any = None) -> Any:
    """Gain and phase over the frequency."""
    figure, (above, below) = new_figure(2, 1, sharex=True)
    hertz = response.omega / (2 * np.pi)
    for i, output in enumerate(response.outputs):
        for j, name in enumerate(response.inputs):
            above.loglog(hertz, response.gain[:, i, j], label=mathtext(f"{output} by {name}"))
            below.semilogx(hertz, np.degrees(response.phase[:, i, j]))
    above.set_ylabel("gain")
    above.legend(fontsize="x-small")
    below.set_ylabel("phase [°]")
    below.set_xlabel("frequency [Hz]")
    for axes in (above, below):
        axes.grid(alpha=0.3)
    return save_figure(figure, path, "frequency response")


def plot_step(response: StepResponse, path: Any = None) -> Any:
    """Outputs over time."""
    figure, axes = new_figure()
    for i, output in enumerate(response.outputs):
        for j, name in enumerate(response.inputs):
            axes.plot(response.t, response.y[:, i, j], label=mathtext(f"{output} by {name}"))
    axes.set_xlabel("t [s]")
    axes.legend(fontsize="x-small")
    axes.grid(alpha=0.3)
    return save_figure(figure, path, "step response")
