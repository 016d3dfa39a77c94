"""What the tests of the picture share: the built viewer, a browser, pages of examples. Says clearly what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw
from linkwork.errors import LinkworkError
from linkwork.results import record
from linkwork.view import read_template, write_page
from linkwork.view.browser import Browser, find_browser

HERE = Path(__file__).parent


def missing() -> str:
    """Why there can be no page in a browser here, or nothing."""
    try:
        read_template()
    except LinkworkError:
        return "the viewer is not built: install npm and run `make viewer`"
    return "" if find_browser() else "there is no Chromium: apt-get install chromium"


def pytest_collection_modifyitems(items):
    reason = missing()
    for item in items:
        if reason and HERE in Path(item.path).parents and item.get_closest_marker("needs_browser"):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def motions(examples):
    """The motion of an example, computed once."""
    made = {}

    def motion(name):
        if name not in made:
            made[name] = lw.load(examples / f"{name}.yaml").simulate()
        return made[name]

    return motion


@pytest.fixture(scope="session")
def pages(motions, tmp_path_factory):
    """The page of an example or of any motion, written once."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def page(name, motion=None):
        if name not in made:
            made[name] = write_page(record(motion or motions(name)), folder / f"{name}.html")
        return made[name]

    return page


@pytest.fixture(scope="session")
def chromium():
    """A browser in which nothing moves by itself, started once: its first picture takes seconds."""
    with Browser(reduced_motion=True) as found:
        yield found


@pytest.fixture
def browser(chromium):
    """The same for one test, as if it had just been started."""
    chromium.fresh(reduced_motion=True)
    return chromium
