"""What a caller gives: numbers, names, lists, maps; or an InputError that says of what part it is and what to give.

Nothing is taken for granted here: objects that cannot be shown, compared or counted end in words like everything else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from linkwork.errors import InputError, Problem, Ref, show_formula, show_value

T = TypeVar("T")


def refuse(part: Ref, label: str, what: str, remedy: str) -> InputError:
    """The error about a part, or what of it."""
    return InputError([Problem(ref=part, detail=label, what=f"{label}: {what}" if label else what, remedy=remedy)])


def as_list(values: Any, part: Ref, label: str = "", remedy: str = "Write a list", wanted: str = "list") -> list[Any]:
    """What a list, tuple, array or the like has in it; a text or a map is none."""
    if isinstance(values, str | bytes):
        raise refuse(part, label, "a text where a list belongs", remedy)
    if isinstance(values, Iterable) and not isinstance(values, Mapping):
        try:
            return list(values)
        except TypeError:  # such as an array of no dimension
            pass
    raise refuse(part, label, f"{show_value(values)} is no {wanted}", remedy)


def as_map(values: Any, part: Ref, label: str = "") -> dict[str, Any]:
    """What belongs to which name; nothing if None is given."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise refuse(
            part, label, f"{show_value(values)} does not say what belongs to which name", "Write {name: value}"
        )
    return {as_name(name, part, label): value for name, value in values.items()}


def as_name(name: Any, part: Ref, label: str = "name") -> str:
    """A text, and not an empty one."""
    if isinstance(name, str) and name:
        return name
    raise refuse(part, label, f"{show_value(name)} is no name", "Give a text")


def as_text(text: Any, part: Ref, label: str = "") -> str:
    """A text, be it empty."""
    if isinstance(text, str):
        return text
    raise refuse(part, label, f"{show_value(text)} is no text", "Give a text")


def as_names(names: Any, part: Ref, label: str = "") -> tuple[str, ...]:
    """A list of names."""
    return tuple([as_name(name, part, label) for name in as_list(names, part, label, "Write a list of names")])


def as_texts(texts: Any, part: Ref) -> tuple[str, ...]:
    """A list of texts, of which others say whether they name something."""
    return tuple([as_text(text, part) for text in as_list(texts, part, "", "Write a list of names")])


def as_number(given: Any, part: Ref, remedy: str = "Give a number") -> float:
    """A number, be it infinite."""
    number = find_number(given)
    if number is None:
        raise refuse(part, "", f"{show_value(given)} is no number", remedy)
    return number


def find_number(given: Any) -> float | None:
    """A number, be it infinite; None if it is none: a text, a truth value, too large, or an object that fails."""
    if isinstance(given, str | bytes | bool):
        return None
    try:
        return float(given)
    except Exception:  # whatever a class of somebody else raises
        return None


def as_finite(given: Any, part: Ref, remedy: str = "Give a finite number") -> float:
    """A finite number."""
    number = as_number(given, part, remedy)
    if math.isfinite(number):
        return number
    raise refuse(part, "", f"{number} is no finite number", remedy)


def as_flag(what: str, given: Any, part: Ref) -> bool:
    """True or False."""
    if isinstance(given, bool):
        return given
    raise refuse(part, "", f"{what} is {show_value(given)}", "Give True or False (in a file: yes or no)")


def as_one(given: Any, kind: type[T], part: Ref) -> T:
    """An object of a class; the usual one if None is given."""
    return kind() if given is None else as_object(given, kind, part, f"Give lw.{kind.__name__}(...)")


def as_object(given: Any, kind: type[T] | tuple[type[T], ...], part: Ref, remedy: str) -> T:
    """An object of a class."""
    if isinstance(given, kind):
        return given
    raise refuse(part, "", f"{show_value(given)} is out of place", remedy)


def as_part(kind: str, name: Any) -> Ref:
    """What messages call a part of this name; an InputError if it is none."""
    return Ref(kind, as_name(name, shown_part(kind, name)))


def shown_part(kind: str, name: Any) -> Ref:
    """What messages call a part of this name, whatever it is."""
    return Ref(kind, show_formula(name) if isinstance(name, str) else show_value(name))


def is_float(given: Any) -> bool:
    """Whether something is a number in the range of floats."""
    try:
        float(given)
    except Exception:  # whatever a class of somebody else raises
        return False
    return True


def is_word(given: Any, known: Iterable[str]) -> bool:
    """Whether something is one of some words."""
    return isinstance(given, str) and given in known


def is_empty(given: Any) -> bool:
    """Whether nothing is given: None or an empty text."""
    return given is None or (isinstance(given, str) and not given)


def is_among(given: Any, known: Iterable[int]) -> bool:
    """Whether something is one of some numbers, be it an array, or an object that compares in its own way."""
    return isinstance(given, int) and given in known
