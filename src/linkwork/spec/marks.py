"""Where the parts of a mechanism stand in its file, for errors that are found only after reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from linkwork.errors import Problem, Ref, StartError

SHOWN = 8  # parts whose lines are listed


@dataclass(frozen=True, slots=True)
class Marks:
    """The lines of the parts of a file."""

    source: str
    lines: Mapping[Ref, int]
    notes: tuple[Problem, ...] = ()  # of the file itself

    def locate(self, note: Problem) -> Problem:
        """A note of the model with its file and line; what is about no part of it stays as it is."""
        return note if note.ref is None else replace(note, file=self.source, line=self.lines.get(note.ref))

    def complete(self, error: StartError) -> StartError:
        """The same error with the file and the lines of the parts that it names.

        >>> rod = Ref("rigid", "OA")
        >>> print(Marks("arm.yaml", {rod: 3}).complete(StartError("OA is too short", parts=[rod])))
        arm.yaml:3: OA is too short
        """
        if error.closest is None and not error.parts:
            return error
        found = {part: self.lines[part] for part in dict.fromkeys(error.parts) if part in self.lines}
        place = f"{self.source}:{next(iter(found.values()))}" if found else self.source
        listed = [f"{part} in line {line}" for part, line in found.items()][:SHOWN]
        others = f" ({', '.join(listed)})" if len(listed) > 1 else ""
        return StartError(f"{place}: {error}{others}", error.closest, error.conflict, error.parts)
