"""The page: a scene and the viewer's template in, one HTML file out that needs nothing else.

The scene is put in as JSON text in which no character can end a script or begin a tag; names and titles are data for
the page's program, which shows them as text only.
"""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path

from linkwork.errors import LinkworkError
from linkwork.results import Recording, as_path, write_whole
from linkwork.view.scene import Scene, describe_scene

TEMPLATE = "page.html"
MARK = "%LINKWORK-SCENE%"
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
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
    return read_template().replace(MARK, embed(describe_scene(recording)))


def write_page(recording: Recording, path: str | os.PathLike[str]) -> Path:
    """Write the page; it appears whole or not at all."""
    content = render_page(recording).encode()
    return write_whole(as_path(path), lambda file: file.write(content))


def embed(scene: Scene) -> str:
    """JSON that is safe inside a script element, whatever names and titles contain."""
    text = json.dumps(scene, separators=(",", ":"), allow_nan=False)
    for character, escape in ESCAPES.items():
        text = text.replace(character, escape)
    return text
