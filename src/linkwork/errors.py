"""Every error a user can meet, as one tree. Knows how to word a problem; knows nothing of what caused it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

MAX_PROBLEMS = 200  # nobody reads more at once
MANY = 1000  # names to compare with before a suggestion gets slow
ENDLESS = re.compile(r"\w{121,}")  # words that would fill the screen
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # of an object in memory
CLASS = re.compile(r"<class ")
# what a terminal, a browser or a compiler obeys instead of showing it: control characters but for line ends and tabs,
# marks that turn the direction of writing, characters without width, halves of characters, and what is no character
NO_CHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 17 << 16, 1 << 16)
)
INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    f"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff{NO_CHARACTERS}]"
)


@dataclass(frozen=True, slots=True)
class Ref:
    """Which part of a description is meant: a kind and a name; a section of a file is a kind alone.

    >>> print(Ref("rigid", "OA"), Ref("position of", "A"), Ref("ProblemData"))
    rigid 'OA' position of 'A' ProblemData
    """

    kind: str
    name: str | None = None

    def __str__(self) -> str:
        return self.kind if self.name is None else f"{self.kind} '{self.name}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with the input: where, in which part, what, and what to do about it.

    ref      the part, by which its line is found; `part` are the words for it
    detail   what of the part it is about: a key, or a place in a list
    absent   whether something is missing, which may only follow from a part that could not be read
    """

    what: str
    part: str = ""
    remedy: str = ""
    file: str = ""
    line: int | None = None
    ref: Ref | None = field(default=None, repr=False, compare=False)
    detail: str = field(default="", repr=False, compare=False)
    absent: bool = field(default=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.ref is not None and not self.part:
            object.__setattr__(self, "part", str(self.ref))

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        head = ": ".join(piece for piece in (place, self.part, self.what) if piece)
        return show_text(shorten_words(f"{head}. {self.remedy}" if self.remedy else head))


class LinkworkError(Exception):
    """The root of the tree: catch this to catch them all."""

    def __init__(self, message: str = "") -> None:
        super().__init__(show_text(shorten_words(message)))


class InputError(LinkworkError):
    """The description of a mechanism is wrong; `problems` lists everything found, in order of line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return InputError, (self.problems,)


class ExpressionError(LinkworkError):
    """An expression cannot be read or has no value; `column` is the 0-based place in its text, if known."""

    def __init__(self, what: str, remedy: str = "", column: int | None = None) -> None:
        self.what, self.remedy, self.column = what, remedy, column
        super().__init__(f"{what}. {remedy}" if remedy else what)


class StartError(LinkworkError):
    """No consistent start was found; `closest` is the state that came closest (or None), `conflict` who contradicts.

    `parts` says the same as parts of the description: rigid 'OA', position of 'A'.
    """

    def __init__(
        self,
        message: str,
        closest: object | None = None,
        conflict: Iterable[str] = (),
        parts: Iterable[Ref] = (),
    ) -> None:
        self.closest, self.conflict, self.parts = closest, tuple(conflict), tuple(parts)
        super().__init__(message)

    def __reduce__(self) -> tuple[type[StartError], tuple[object, ...]]:
        # the closest state stays in its process
        return StartError, (str(self), None, self.conflict, self.parts)


class SolveError(LinkworkError):
    """The integration could not go on; `motion` is the trajectory so far (or None)."""

    def __init__(self, message: str, motion: object | None = None) -> None:
        self.motion = motion
        super().__init__(message)


class TimeLimitError(LinkworkError):
    """The work was not finished in the time it was given."""


class AccuracyWarning(UserWarning):
    """A motion that does not obey the laws of mechanics as well as its tolerance asks; `motion.doubts` says more."""


class ModelWarning(UserWarning):
    """Something in a description that is allowed, but is ignored or not likely to be meant."""


class CompilerError(LinkworkError):
    """The C compiler failed on code that linkwork generated."""


def show_text(text: str) -> str:
    """The text with everything invisible written out, so that it is shown and not obeyed.

    >>> show_text("\\x1b[31mred")
    '\\\\x1b[31mred'
    """
    return INVISIBLE.sub(lambda found: ascii(found[0])[1:-1], text)


def show_line(text: str) -> str:
    """The same in one line, for titles and names."""
    return show_text(" ".join(re.split(r"[\n\t ]+", text.strip("\n\t "))))


def shorten_words(text: str) -> str:
    """The text with every endless word cut.

    >>> len(shorten_words("no coordinate named '" + 5000 * "x" + "'"))
    62
    """
    return ENDLESS.sub(lambda word: word[0][:37] + "...", text)


def show_formula(text: str) -> str:
    """A formula or name, cut to a length that fits into a message.

    >>> len(show_formula(" + ".join(["A.x"] * 100)))
    60
    """
    return text if len(text) <= 60 else " ".join(text[:200].split())[:57] + "..."


def show_value(value: object) -> str:
    """A wrong value as Python writes it, cut to a length that fits into a message.

    >>> show_value(None)
    'None'
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # of somebody else's class
        text = f"a {type(value).__name__}"
    text = CLASS.sub("the class ", ADDRESS.sub("", text))
    return text if len(text) <= 60 else text[:57] + "..."


def no_folder(path: PurePath) -> str:
    """That a file cannot be where it was asked for, and what to do.

    >>> no_folder(PurePath("results/a.csv"))
    "there is no folder 'results'. Make it first, or choose another"
    """
    return f"there is no folder '{path.parent}'. Make it first, or choose another"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A suggestion such as "Did you mean 'forearm'?", or an empty string."""
    names = list(known)
    if not isinstance(name, str):
        return ""
    if len(names) > MANY:
        # comparing with all of them would take longer than reading the file
        names = [other for other in names if len(other) == len(name) and other[:1] == name[:1]][:MANY]
    cutoff = 0.6 if len(name) > 3 else 0.5  # so that 'OB' is close to 'OA'
    close = difflib.get_close_matches(name[:100], names, n=1, cutoff=cutoff)
    return f"Did you mean '{close[0]}'?" if close else ""
