"""Showing: a motion in, a page on the screen or a piece of a notebook out."""

from __future__ import annotations

import html
import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

from linkwork.errors import LinkworkError, Ref
from linkwork.given import as_flag, is_empty
from linkwork.results import Recording, Trajectory, record
from linkwork.view.page import read_template, render_page, write_page

NOTEBOOK_HEIGHT = 620  # pixels


class Viewer:
    """What a Trajectory is handed to show itself."""

    def show(self, motion: Trajectory, path: str | None, browser: bool) -> Path:
        """Write the page, to a temporary place if none is given, and open it."""
        return self.show_recording(record(motion), path, browser)

    def show_recording(self, recording: Recording, path: Any, browser: bool) -> Path:
        """The same for what is recorded already."""
        target = write_page(recording, _temporary() if is_empty(path) else path)
        if as_flag("browser", browser, Ref("show")):
            open_page(target)
        return target

    def html(self, motion: Trajectory) -> str | None:
        """The whole page as a frame of a notebook; nothing if the viewer was not built."""
        try:
            read_template()
        except LinkworkError:
            return None
        # plain ASCII, so that the encoding of the page around it does not matter
        page = html.escape(render_page(record(motion)), quote=True).encode("ascii", "xmlcharrefreplace").decode()
        style = f"width:100%;height:{NOTEBOOK_HEIGHT}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" sandbox="allow-scripts" title="linkwork"></iframe>'


VIEWER = Viewer()


def open_page(path: Path) -> bool:
    """Open a page in the user's browser if there is a screen to show it on."""
    if not has_screen():
        return False
    try:
        return webbrowser.open(path.absolute().as_uri())
    except (OSError, webbrowser.Error):
        return False


def has_screen() -> bool:
    """Whether a window could appear."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _temporary() -> Path:
    return Path(tempfile.mkdtemp(prefix="linkwork-")) / "motion.html"
