"""One YAML, whichever parser is there: libyaml where PyYAML was built with it, else PyYAML's own.

They differ in two things that people write: libyaml takes a tab between values for a space, PyYAML's own parser does
not; that takes `{C:[1]}` for `{C: [1]}`, as YAML 1.2 says, and libyaml does not. Here both take both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

SLOW: Any = yaml.SafeLoader
FAST: Any = getattr(yaml, "CSafeLoader", SLOW)
BLANKS = re.compile(r"(?<=\S)[ \t]*\t[ \t]*")  # not at the begin of a line, where tabs would be indentation
COLON = "found unexpected ':'"  # what libyaml says of {C:[1]}


def parse_events(text: str, loader: Any = None) -> Iterator[Any]:
    """The events of a text, as `yaml.parse` makes them."""
    events: Iterator[Any] = yaml.parse(space(text), Loader=loader or FAST)
    return events


def scan_tokens(text: str, loader: Any) -> Iterator[Any]:
    """The tokens of a text, as `yaml.scan` makes them."""
    tokens: Iterator[Any] = yaml.scan(space(text), Loader=loader)
    return tokens


def space(text: str) -> str:
    """The text with spaces for the tabs between values; everything stays where it is."""
    return BLANKS.sub(lambda found: " " * len(found[0]), text) if "\t" in text else text


def is_misread(error: yaml.MarkedYAMLError) -> bool:
    """Whether libyaml refuses what is good YAML."""
    return FAST is not SLOW and error.problem == COLON


def find_loader(text: str) -> Any:
    """The parser that reads a text which is known to be good."""
    try:
        for _ in parse_events(text):
            pass
    except yaml.MarkedYAMLError:
        return SLOW
    return FAST
