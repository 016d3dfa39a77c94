"""Texts with gaps: `@name@` is filled in; between `@if flag` and `@end` stands what is left out without the flag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable


def fill(template: str, words: Mapping[str, str], flags: Mapping[str, bool]) -> str:
    """A template of this package with its gaps filled."""
    text = files("linkwork.export").joinpath(f"templates/{template}").read_text(encoding="utf-8")
    return fill_text(text, words, flags)


def find_words(pattern: str, *places: str) -> frozenset[str]:
    """What a pattern finds at the beginnings of lines, or anywhere, in templates or folders of them.

    >>> sorted(find_words(r"^int @name@_(\\w+)", "c/model.h"))
    ['init']
    """
    texts = (text for place in places for text in _read(files("linkwork.export").joinpath(f"templates/{place}")))
    return frozenset(word for text in texts for word in re.findall(pattern, text, re.MULTILINE))


def _read(place: Traversable) -> Iterator[str]:
    for one in place.iterdir() if place.is_dir() else [place]:
        yield one.read_text(encoding="utf-8")


def fill_text(text: str, words: Mapping[str, str], flags: Mapping[str, bool]) -> str:
    """A text with its gaps filled, in one pass: what is filled in has no gaps.

    >>> fill_text("@if loud\\nHEY\\n@end\\nhello @who@\\n", {"who": "you"}, {"loud": False})
    'hello you\\n'
    >>> fill_text("@who@: @what@\\n", {"who": "@what@", "what": "you"}, {})
    '@what@: you\\n'
    """
    kept, open_flags = list[str](), list[bool]()
    for line in text.splitlines():
        word = line.strip().split()
        if word and word[0] == "@if":
            open_flags.append(flags[word[1]] if not word[1].startswith("!") else not flags[word[1][1:]])
        elif word == ["@end"]:
            open_flags.pop()
        elif all(open_flags):
            kept.append(line)
    found = "\n".join(kept) + "\n"
    if not words:
        return found
    return re.sub(f"@({'|'.join(map(re.escape, words))})@", lambda gap: words[gap[1]], found)
