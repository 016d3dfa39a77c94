"""Titles and names are drawn in pictures as they are written: none is a formula, a command or an element."""

import xml.dom.minidom
import xml.etree.ElementTree as ET

import pytest

import linkwork as lw
from linkwork.errors import show_line
from texts import ASCII, CONTROLS, ODD

TITLES = [
    "costs $\\frac{ a piece$", "$x^2$", "$", "$$", "\\$5", "a\\", "_x", "%", "& <b>", "]]>", ASCII, ASCII[::-1],
    f"a{CONTROLS}{ODD}b", "Ω é 日本 🦀",
]  # fmt: skip


def pendulum(title):
    return lw.Model(
        lw.Mechanism(
            title=title, parameters={"l": 1, "m": 2}, fixed={"O": ()}, rigids=[lw.Rigid.rod("OA", "l", "m")],
            gravity=(0, -9.81), start=lw.InitialValues(positions={"A": ("l", 0)}, tend=0.1),
        )
    )  # fmt: skip


def drawn(path):
    """The lines of text of a picture."""
    nodes = xml.dom.minidom.parse(str(path)).getElementsByTagName("text")
    return ["".join(child.data for child in node.childNodes if child.nodeType == child.TEXT_NODE) for node in nodes]


@pytest.mark.parametrize("title", TITLES)
def test_titles_of_pictures_are_text(title, tmp_path):
    pytest.importorskip("matplotlib")
    model, path = pendulum(title), tmp_path / "x.svg"
    model.simulate().plot("A", path=path)
    assert show_line(title).replace(" ", "") in "".join(drawn(path)).replace(" ", "")


@pytest.mark.parametrize("title", TITLES[::3])
def test_titles_of_pictures_of_statics_and_structures_are_text(title, tmp_path):
    pytest.importorskip("matplotlib")
    model = pendulum(title)
    model.statics({"m": [1, 2]}).plot("A.x", tmp_path / "a.svg")
    model.structure().draw(tmp_path / "b.svg")
    for path in (tmp_path / "a.svg", tmp_path / "b.svg"):
        assert ET.parse(path).getroot().tag.endswith("svg")
