"""Starting files: a name -> a commented MechSpec text that runs. They are the files in `templates/`."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable

from linkwork.errors import LinkworkError, did_you_mean


def list_templates() -> dict[str, str]:
    """What there is to start from: names and what they are, which is the first line of each.

    >>> list_templates()["pendulum"]
    'A pendulum: one rod on a pin.'
    """
    return {name: _read(file).partition("\n")[0].removeprefix("# ") for name, file in _templates().items()}


def read_template(name: str) -> str:
    """The text to start from."""
    templates = _templates()
    if name not in templates:
        known = did_you_mean(name[:40], templates) or "There are " + ", ".join(templates)
        raise LinkworkError(f"there is nothing like '{name[:40]}' to start from. {known}")
    return _read(templates[name])


def _templates() -> dict[str, Traversable]:
    found = {file.name.partition(".")[0]: file for file in files("linkwork.spec").joinpath("templates").iterdir()}
    return dict(sorted(found.items()))


def _read(file: Traversable) -> str:
    return file.read_text(encoding="utf-8")
