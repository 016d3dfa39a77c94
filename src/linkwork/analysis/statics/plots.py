"""Plots of quasi-static sequences: quantities over the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analysis.linear.plots import new_figure, save_figure
from linkwork.quoting import mathtext
from linkwork.results.plots import COLORS, list_items

if TYPE_CHECKING:
    from linkwork.analysis.statics.sequence import Statics


def plot_statics(statics: Statics, what: str | Sequence[str], path: str | Path | None = None) -> Any:
    """A figure with one panel for each quantity; what is unstable is dotted, ends of branches are lines."""
    items, x = list_items(what), statics.values
    lines = [statics[item].reshape(len(x), -1) for item in items]
    figure, axes = new_figure(len(items), 1, squeeze=False, sharex=True)
    for panel, item, values in zip(axes[:, 0], items, lines, strict=True):
        for k, color in zip(range(values.shape[1]), COLORS, strict=False):
            for kept, style in ((statics.stable, ".-"), (~statics.stable, ".:")):
                panel.plot(x, np.where(kept, values[:, k], np.nan), style, color=color)
        for snap in statics.snaps:
            panel.axvline(snap.value, color="#999999", linewidth=0.8)
        panel.set_ylabel(mathtext(item))
        panel.grid(color="#dddddd")
    axes[-1, 0].set_xlabel(mathtext(statics.name))
    figure.suptitle(mathtext(statics.mechanism.title or "equilibria"))
    return save_figure(figure, path, f"equilibria over {statics.name}")
