"""Names that a description uses: a Lagrangian in; the names in its formulas, and those that its events act on, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from linkwork.model.lagrangian import Lagrangian
from linkwork.symbolic import Expr, free_symbols

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LATER = "units"  # which have no formulas, and are found when they are asked for
ACTING = ("events", "stops", "frictions", "controllers")  # what names its targets, and what it reads, in texts


def find_named(model: Lagrangian) -> set[str]:
    """All names that formulas and targets of a Lagrangian have in them."""
    told = [getattr(model, f.name) for f in fields(model) if f.name != LATER]
    exprs = (x for x in _parts(told) if isinstance(x, Expr))
    texts = (x for key in ACTING for x in _parts(getattr(model, key)) if isinstance(x, str))
    return {s.name for s in free_symbols(*exprs)} | {word for text in texts for word in WORD.findall(text)}


def _parts(given: Any) -> Iterator[Expr | str]:
    """Formulas and texts, however deep they are."""
    if isinstance(given, Expr | str):
        yield given
    elif isinstance(given, Mapping):
        yield from (x for each in given.values() for x in _parts(each))
    elif isinstance(given, tuple | list):
        yield from (x for each in given for x in _parts(each))
    elif is_dataclass(given) and not isinstance(given, type):
        yield from (x for f in fields(given) for x in _parts(getattr(given, f.name)))
