"""Pictures of a motion: a scene (plain data), a self-contained HTML page, video. Knows results, never equations."""

from linkwork.view.page import read_template, render_page, write_page
from linkwork.view.scene import describe_scene
from linkwork.view.show import VIEWER, Viewer, open_page

__all__ = [
    "VIEWER",
    "Viewer",
    "describe_scene",
    "open_page",
    "read_template",
    "render_page",
    "write_page",
]
