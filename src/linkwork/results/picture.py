"""A figure of matplotlib that shows itself. Imported only where a picture is wanted: matplotlib is needed here."""

from __future__ import annotations

import io
import tempfile
import warnings
import webbrowser
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

__all__ = ["MaxNLocator", "Picture", "rc_context"]


class Picture(Figure):  # type: ignore[misc, unused-ignore]  # where matplotlib is not installed it is unknown
    """A figure without a window; as the last line of a notebook's cell it is shown, once, without a magic line."""

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        with warnings.catch_warnings(action="ignore"):
            self.savefig(file, format="png", dpi=110)
        return file.getvalue()

    def show(self, warn: bool = True) -> None:
        """In a notebook show it in the cell, elsewhere in the browser."""
        try:
            from IPython import get_ipython
        except ImportError:
            shell = None
        else:
            shell = get_ipython()
        if shell is not None and hasattr(shell, "kernel"):
            from IPython.display import display

            display(self)  # type: ignore[no-untyped-call, unused-ignore]
            return
        path = Path(tempfile.mkdtemp(prefix="linkwork-")) / "figure.png"
        path.write_bytes(self._repr_png_())
        webbrowser.open(path.as_uri())
