"""Names of people as identifiers of a language: other signs become underscores, and no two are the same."""

from __future__ import annotations

import re
from collections.abc import Collection

LONGEST = 48  # letters of an identifier: Fortran and MATLAB allow 63, and some get endings
FIRST = re.compile(r"[A-Za-z]")


class Identifiers:
    """Identifiers that are taken, and new ones for names.

    >>> ids = Identifiers(reserved=["int"])
    >>> [ids.make(name) for name in ("A.x", "A_x", "int", "θ", "2nd")]
    ['A_x', 'A_x_2', 'int_', 'theta', 'x_2nd']
    """

    def __init__(self, reserved: Collection[str] = (), folds: bool = False) -> None:
        self.folds = folds  # capitals do not count
        self.taken = {self._fold(word) for word in reserved}
        self.reserved = frozenset(self.taken)

    def make(self, name: str) -> str:
        """An identifier that nobody has, as near to a name as can be."""
        plain = escape(name)[:LONGEST]
        if self._fold(plain) in self.reserved:
            plain += "_"
        found, count = plain, 1
        while self._fold(found) in self.taken:
            count += 1
            found = f"{plain}_{count}"
        self.taken.add(self._fold(found))
        return found

    def _fold(self, word: str) -> str:
        return word.lower() if self.folds else word


LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
WORDS = """alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi omicron pi rho sigma tau upsilon phi
chi psi omega"""
GREEK = dict(zip(LETTERS, WORDS.split(), strict=True))
GREEK |= {letter.upper(): word.capitalize() for letter, word in GREEK.items()}


def escape(name: str) -> str:
    """Letters, digits and underscores, a letter first; a prime is a rate."""
    primes = len(name) - len(name.rstrip("'"))
    text = "".join(GREEK.get(c, c) for c in name.rstrip("'")) + ("_" + "d" * primes + "ot" if primes else "")
    text = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    return text if FIRST.match(text) else f"x_{text}".rstrip("_")
