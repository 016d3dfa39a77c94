"""Lists of words for states, inputs and outputs: texts with commas in, named expressions or problems out."""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.equations.words import Vocabulary, Wording, split_words
from linkwork.errors import ExpressionError, Problem, Ref
from linkwork.given import as_list as as_members
from linkwork.given import shown_part
from linkwork.model import Scalar
from linkwork.symbolic.parse import DEFINE, IN_LAWS

NAMES = "Use coordinates such as Ax, quantities such as A.x, AB.length or OA.angle, parameters and t"


def as_list(kind: str, given: object) -> list[Scalar]:
    """What was given for states, inputs or outputs: one text with commas, or several texts or expressions."""
    if isinstance(given, str):
        return list(split_words(given))
    return as_members(given, Ref(f"{kind}s"), "", "As in ['A.x']", "list of names")


def read_all(words: Vocabulary, kind: str, given: Iterable[Scalar], problems: list[Problem]) -> list[Wording]:
    """All that can be read; what cannot is added to the problems."""
    found: list[Wording] = []
    for text in given:
        try:
            wording = words.read(kind, text)
        except ExpressionError as error:
            remedy = error.remedy if error.remedy not in ("", IN_LAWS, DEFINE) else NAMES
            problems.append(Problem(ref=shown_part(kind, text), what=error.what, remedy=remedy))
            continue
        if any(wording.name == other.name for other in found):
            problems.append(Problem(part=f"{kind} '{wording.name}'", what="it is given twice", remedy="Remove one"))
            continue
        found.append(wording)
    return found
