"""A sheet as plain text: name = formula, name: formula = 0, comments after #. Each formula can be parsed again.

A line that begins with a space goes on with the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from linkwork.analysis.printed.sheet import Section, Sheet, Statement
from linkwork.quoting import line_comment
from linkwork.symbolic import to_text

WIDTH = 110
BREAKS = re.compile(r" (?=[-+] )|(?<=,) ")  # where a single term may be broken
RATES = "x' is the rate of x, x'' its acceleration; lam_c is the multiplier of the constraint c"


def write_text(sheet: Sheet) -> str:
    """The sheet for reading, and for reading back."""
    lines = [f"# {line_comment(sheet.title) or 'Equations'}", f"# {line_comment(sheet.summary)}; {RATES}"]
    lines += [f"# {printed} stands for {given!a}" for printed, given in sheet.renamed.items()]
    if sheet.parameters:
        lines += ["", "# Parameters", *(f"{p.name} = {decimal(value)}" for p, value in sheet.parameters.items())]
    if sheet.called:
        lines += [
            "",
            "# Functions of numbers",
            *(f"# {s.name} = {line_comment(call)}" for s, call in sheet.called.items()),
        ]
    for key, section in sheet.sections.items():
        title = f"{section.title}: {_principle(sheet)}" if key == "motion" else section.title
        lines += ["", f"# {title}", *_written(section)]
    return "\n".join(lines) + "\n"


def _principle(sheet: Sheet) -> str:
    """What the equations of motion are."""
    L, R = (f"({label})" if len(label := sheet.label(key)) > 1 else label for key in ("lagrangian", "dissipation"))
    balance = ["balance of inertia and weight", *(["+ dV/dx"] if "potential" in sheet.sections else [])]
    parts = [f"d/dt d{L}/dx' - d{L}/dx"] if "lagrangian" in sheet.sections else balance
    optional = {
        "dissipation": f"+ d{R}/dx'",
        "forces": "- Q_x",
        "constraints": "+ sum of lam dg/dx",
        "velocity_constraints": "+ sum of lam dh/dx'",
    }
    parts += [text for key, text in optional.items() if key in sheet.sections]
    return " ".join(parts) + " = 0"


def _written(section: Section) -> Iterator[str]:
    for statement in section.statements:
        yield from _statement(statement, equation=section.equations)
    if section.missing:
        yield f"# left out: {line_comment(section.missing)}"


def _statement(statement: Statement, *, equation: bool) -> Iterator[str]:
    pieces = with_signs([to_text(term) for term in statement.terms])
    pieces[0] = f"{statement.name}: {pieces[0]}" if equation else f"{statement.name} = {pieces[0]}"
    pieces[-1] += " = 0" if equation else ""
    yield from wrapped(pieces)


def wrapped(pieces: Sequence[str], width: int = WIDTH) -> Iterator[str]:
    """Lines of at most `width` characters, the first at the margin; only pieces longer than that are broken."""
    line = ""
    for piece in pieces:
        for part in [piece] if len(piece) + 4 <= width else BREAKS.split(piece):
            if line and len(line) + 1 + len(part) > width:
                yield line
                line = f"    {part}"
            else:
                line = f"{line} {part}" if line else part
    yield line


def decimal(value: float) -> str:
    """A number that is read back without loss.   2.0 -> 2."""
    return repr(value).removesuffix(".0")


def with_signs(terms: Sequence[str]) -> list[str]:
    """The written terms of a sum, to be set in a row.   ["a", "-b", "c"] -> ["a", "- b", "+ c"]."""
    return [terms[0], *(f"- {text[1:]}" if text.startswith("-") else f"+ {text}" for text in terms[1:])]
