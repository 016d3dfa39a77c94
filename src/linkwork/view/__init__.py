"""Pictures of a motion: a scene (plain data), a self-contained HTML page, video. Knows results, never equations.

scene         a Recording as plain data; layers: what lies before what
page          scene and template in, one HTML file out; show: on the screen, in a notebook
video         frames through the page; browser: one without a window
"""

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
