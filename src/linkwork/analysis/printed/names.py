"""Names for print: whatever a mechanism's names are in, names that can be read back, no two of them alike, out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from linkwork.symbolic import FUNCTIONS

READABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)?")
RESERVED: Final = frozenset({*FUNCTIONS, "select", "pi", "t"})


def plain(name: str) -> str:
    """A name the parser of expressions reads: Greek letters spelled out, other characters as _.

    >>> plain("Ax"), plain("motion_OA.angle"), plain("β'2"), plain("2nd arm")
    ('Ax', 'motion_OA.angle', 'beta_2', '_2nd_arm')
    """
    if READABLE.fullmatch(name):
        return name
    text = re.sub(r"[^A-Za-z0-9_]", "_", "".join(map(_spelled, name)))
    return text if READABLE.fullmatch(text) else f"_{text}"


def _spelled(character: str) -> str:
    words = unicodedata.name(character, "").split()
    if words[:1] == ["GREEK"] and words[2:3] == ["LETTER"] and len(words) == 4:
        return words[3].lower() if words[1] == "SMALL" else words[3].capitalize()
    return character


class Names:
    """Names given so far; `take` gives a new one."""

    def __init__(self, taken: Iterable[str] = RESERVED) -> None:
        self.taken = set(taken)

    def take(self, *wishes: str) -> str:
        """The first of the wishes that is free, or the last one with underscores behind it."""
        for wish in wishes:
            if wish not in self.taken:
                break
        while wish in self.taken:
            wish += "_"
        self.taken.add(wish)
        return wish
