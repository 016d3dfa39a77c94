"""A sheet as LaTeX: sections of aligned formulas, for \\input into a document that uses amsmath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from linkwork.analysis.printed.derivation import Derivation
from linkwork.analysis.printed.names import plain
from linkwork.analysis.printed.sheet import Section, Sheet, Statement
from linkwork.analysis.printed.text import with_signs
from linkwork.quoting import latex_math, latex_text, markdown_text
from linkwork.symbolic import Number, to_latex, to_text
from linkwork.symbolic.latex import latex_name

WIDTH = 80  # characters of text after which a formula goes on in the next line
COLUMNS = 4  # parameters in a line
CALLIGRAPHIC = {"kinetic": "T", "potential": "V", "lagrangian": "L", "dissipation": "R"}
OPTIONAL = {
    "dissipation": r"+ \frac{\partial %R}{\partial \dot{x}}",
    "forces": r"- Q_{x}",
    "constraints": r"+ \sum \lambda \frac{\partial g}{\partial x}",
    "velocity_constraints": r"+ \sum \lambda \frac{\partial h}{\partial \dot{x}}",
}
LAMBDA = re.compile(r"(\\d?dot\{)?\\lambda(?![A-Za-z])")

Names = dict[str, str]


def write_latex(sheet: Sheet, derivation: Derivation) -> str:
    """The sheet as the body of a document."""
    names = _names(sheet, derivation)
    lines = [
        r"% \usepackage{amsmath}",
        r"\allowdisplaybreaks",
        rf"\section*{{{latex_text(sheet.title) or 'Equations'}}}",
    ]
    lines += [f"{latex_text(sheet.summary)}."]
    if sheet.parameters:
        cells = [f"{names[p.name]} &= {_number(value)}" for p, value in sheet.parameters.items()]
        rows = [" & ".join(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)]
        lines += [r"\subsection*{Parameters}", *_aligned(rows)]
    if sheet.called:
        rows = [rf"{names[s.name]} &= \mathtt{{{latex_math(call)}}}" for s, call in sheet.called.items()]
        lines += [r"\subsection*{Functions of numbers}", *_aligned(rows)]
    for key, section in sheet.sections.items():
        lines += [rf"\subsection*{{{section.title}}}"]
        lines += [rf"\[ {_principle(sheet, names)} \]"] if key == "motion" else []
        lines += _aligned([row for line in section.statements for row in _rows(line, section, names)])
        lines += [f"Left out: {latex_text(section.missing)}."] if section.missing else []
    return "\n".join(lines) + "\n"


def write_markdown(sheet: Sheet, derivation: Derivation) -> str:
    """The sheet for a notebook: headings, and formulas between them."""
    names = _names(sheet, derivation)
    lines = [f"# {markdown_text(sheet.title) or 'Equations'}", "", f"{sheet.summary}.", ""]
    for key, section in sheet.sections.items():
        lines += [f"## {section.title}", "", *([f"$${_principle(sheet, names)}$$", ""] if key == "motion" else [])]
        lines += [*_aligned([row for line in section.statements for row in _rows(line, section, names)]), ""]
        lines += [f"Left out: {section.missing}.", ""] if section.missing else []
    return "\n".join(lines)


def _number(value: float) -> str:
    return to_latex(Number(int(value) if value.is_integer() else value))


def _aligned(rows: Sequence[str]) -> list[str]:
    body = [f"{row} \\\\" for row in rows[:-1]] + list(rows[-1:])
    return [r"\begin{align*}", *body, r"\end{align*}"]


def _rows(line: Statement, section: Section, names: Names) -> Iterator[str]:
    """A statement, broken between its terms."""
    terms = with_signs([to_latex(term, names) for term in line.terms])
    row, length = "&" if section.equations else f"{names[line.name]} &=", 0
    for term, formula in zip(line.terms, terms, strict=True):
        size = len(to_text(term)) + 3
        if length and length + size > WIDTH:
            yield row
            row, length = r"&\quad", 0
        row += f" {formula}"
        length += size
    yield rf"{row} = 0 \tag{{\texttt{{{latex_text(line.name)}}}}}" if section.equations else row


def _principle(sheet: Sheet, names: Names) -> str:
    """What the equations of motion are."""
    L, R = (names.get(sheet.label(key), "") for key in ("lagrangian", "dissipation"))
    if "lagrangian" in sheet.sections:
        first = rf"\frac{{d}}{{d t}} \frac{{\partial {L}}}{{\partial \dot{{x}}}} - \frac{{\partial {L}}}{{\partial x}}"
    else:
        V = names.get(sheet.label("potential"))
        first = r"\text{inertia and weight}" + (rf" + \frac{{\partial {V}}}{{\partial x}}" if V else "")
    rest = [formula.replace("%R", R) for key, formula in OPTIONAL.items() if key in sheet.sections]
    return " ".join([first, *rest, "= 0"])


# -- names -------------------------------------------------------------------------------------------------------------


def _names(sheet: Sheet, d: Derivation) -> Names:
    """The formula of each name that occurs, no two alike; where there are multipliers, λ is for them alone."""
    used, wanted = sheet.symbols, _coordinates(d)
    chosen = {s.name: wanted[s.name] for s in (*d.q, *d.u, *d.a) if s in used}
    chosen |= {s.name: latex_name(plain(s.name)) for s in d.e if s in used}
    chosen |= {f"{s.name}'": rf"\dot{{{latex_name(plain(s.name))}}}" for s in d.moved}
    forces = sheet.sections["forces"].statements if "forces" in sheet.sections else ()
    chosen |= {line.name: f"Q_{{{wanted[line.of]}}}" for line in forces}
    defined = [line.name for s in sheet.sections.values() if not s.equations for line in s.statements]
    for name in ["t", *(s.name for s in (*d.lam, *d.parameters, *d.called) if s in used), *defined]:
        chosen.setdefault(name, rf"\mathcal{{{CALLIGRAPHIC[name]}}}" if name in CALLIGRAPHIC else latex_name(name))
    first: dict[str, str] = {}
    for name, formula in chosen.items():
        first.setdefault(formula, name)
    multipliers = {s.name for s in d.lam}
    own = {
        name
        for name, formula in chosen.items()
        if first[formula] == name and (name in multipliers or not (multipliers and LAMBDA.match(formula)))
    }
    return {name: f if name in own else rf"\mathtt{{{latex_math(name)}}}" for name, f in chosen.items()}


def _coordinates(d: Derivation) -> Names:
    """x_{A} of a point, θ_{OA} of a part, or what the name says; with dots for the rates."""
    letters: dict[int, tuple[str, str]] = {}
    if d.system.chart.points:
        letters |= {j: (r"\theta", latex_name(d.q[j].name)) for j in d.system.chart.angles.values()}
    for point, places in d.system.chart.points.items():
        letters |= {j: (axis, latex_name(plain(point))) for j, axis in zip(places, "xyz", strict=False)}
    names: Names = {}
    for j, symbols in enumerate(zip(d.q, d.u, d.a, strict=True)):
        accents = ("", "", "dot") if j in d.plain_speeds else ("", "dot", "ddot")
        for symbol, accent in zip(symbols, accents, strict=True):
            if j in letters:
                letter, subscript = letters[j]
                names[symbol.name] = (
                    rf"\{accent}{{{letter}}}_{{{subscript}}}" if accent else f"{letter}_{{{subscript}}}"
                )
            else:
                names[symbol.name] = latex_name(f"{d.labels[j]}_{accent}" if accent else d.labels[j])
    return names
