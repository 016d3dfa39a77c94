"""The page: a scene and the viewer's template in, one HTML file out that needs nothing else.

The scene is put in as JSON text in which no character can end a script or begin a tag; names and titles are data for
the page's program, which shows them as text only.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from linkwork.errors import LinkworkError
from linkwork.quoting import script_json
from linkwork.results import Recording, as_path, write_whole
from linkwork.view.scene import describe_scene

TEMPLATE = "page.html"
MARK = "%LINKWORK-SCENE%"
HOW_TO_BUILD = (
    "the viewer is not built. Install Node.js with npm (on Debian and Ubuntu: apt-get install npm), then run "
    "`make viewer` in the folder of linkwork and try again"
)


def read_template() -> str:
    """The viewer as it was built, with a mark where the scene goes."""
    try:
        text = resources.files("linkwork.view").joinpath(TEMPLATE).read_text(encoding="utf-8")
    except OSError as error:
        raise LinkworkError(HOW_TO_BUILD) from error
    if text.count(MARK) != 1:
        raise LinkworkError("the viewer is damaged. Run `make viewer` in the folder of linkwork")
    return text


def render_page(recording: Recording) -> str:
    """The page as text."""
    return read_template().replace(MARK, script_json(describe_scene(recording)))


def write_page(recording: Recording, path: str | os.PathLike[str]) -> Path:
    """Write the page; it appears whole or not at all."""
    content = render_page(recording).encode()
    return write_whole(as_path(path), lambda file: file.write(content))
