"""The equations of a tree of bodies, for reading: constants, values used several times, q̇, M u̇ = f, outputs.

A Tree in; text, Markdown, LaTeX or a SymPy script out. Every value is computed once, so what is printed is the program
that would be run.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from linkwork.analysis.printed.names import RESERVED, Names, plain
from linkwork.equations.kane import Kane
from linkwork.equations.reduction import Reduced
from linkwork.model.tree import Tree
from linkwork.program import Builder, Program, count_operations, count_written, lower
from linkwork.quoting import line_comment, markdown_text, python_string
from linkwork.symbolic import FUNCTIONS, Expr, Symbol, free_symbols, symbol, to_latex, to_sympy, to_text
from linkwork.symbolic.intermediates import Listing, list_values
from linkwork.symbolic.simplify import trigonometric

SECTIONS = ("constants", "values", "kinematics", "dynamics", "outputs")


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeEquations:
    """Sections of assignments: p by parameters, z, q' by q and u, M and f of M u' = f, outputs."""

    tree: Tree
    keep: int | None = None

    @cached_property
    def kane(self) -> Kane | Reduced:
        """The equations as expressions, in the speeds chosen and without dependent ones."""
        kane = Kane(tree=self.tree, keep=self.keep)
        return Reduced(kane=kane) if self.tree.chosen or self.tree.dependent else kane

    @cached_property
    def exprs(self) -> dict[str, Expr]:
        """What is wanted, by name, before anything is shared."""
        n = len(self.kane.speeds)
        found = {f"{q.name}'": rate for q, rate in self.kane.rates().items()}
        entries = self.kane.mass
        found |= {f"M[{i + 1},{j + 1}]": entries[i, j] for i in range(n) for j in range(i + 1) if (i, j) in entries}
        found |= {f"f[{i + 1}]": force for i, force in enumerate(self.kane.forces)}
        outputs = {name: self.kane.rewritten(output.expr) for name, output in self.tree.outputs.items()}
        return {name: trigonometric(expr) for name, expr in (found | outputs).items()}

    @cached_property
    def listing(self) -> Listing:
        """The same as a program."""
        return list_values(self.exprs)

    def sections(self) -> dict[str, dict[str, Expr]]:
        """Assignments by section, in order."""
        shown = self.listing
        by_section: dict[str, dict[str, Expr]] = {name: {} for name in SECTIONS}
        by_section["constants"] = {s.name: e for s, e in shown.constants.items()}
        by_section["values"] = {s.name: e for s, e in shown.variables.items()}
        for name, expr in shown.results.items():
            section = "outputs" if name in self.tree.outputs else "kinematics" if name[0] == "q" else "dynamics"
            by_section[section][name] = expr
        return by_section

    def count(self) -> dict[str, int]:
        """Operations of one evaluation of everything but the constants."""
        return self.counts()["constants once"]

    def counts(self) -> dict[str, dict[str, int]]:
        """Operations of one evaluation before and after each technique: nothing shared, each value once, as printed."""
        bare = _program({}, self.exprs)
        listed = _program(self.listing.variables, self.listing.results)
        return {
            "every result written out": count_written(bare, bare.outputs["r"]),
            "each value once": count_operations(bare),
            "constants once": count_operations(listed),
        }

    # -- texts ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Assignments, one a line."""
        blocks = []
        for section, lines in self.sections().items():
            if lines:
                blocks.append(
                    f"# {self._title(section)}\n" + "".join(f"{n} = {to_text(e)}\n" for n, e in lines.items())
                )
        return "\n".join([f"# {line_comment(self.tree.title) or 'tree'}: M u' = f\n", *blocks])

    def latex(self) -> str:
        """Aligned formulas, section by section."""
        blocks = []
        for section, lines in self.sections().items():
            if lines:
                rows = " \\\\\n".join(f"{_latex_left(n)} &= {to_latex(e)}" for n, e in lines.items())
                blocks.append(f"% {self._title(section)}\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n")
        return "\n".join(blocks)

    def markdown(self) -> str:
        """Headings, formulas, and what it costs."""
        lines = [
            f"# {markdown_text(self.tree.title) or 'Tree of bodies'}",
            "",
            "$M \\dot u = f$, with $\\dot q$ by the speeds $u$.",
            "",
        ]
        for section, found in self.sections().items():
            if found:
                title = self._title(section)
                lines += [f"## {title[0].upper()}{title[1:]}", ""]
                lines += [f"$${_latex_left(n)} = {to_latex(e)}$$" for n, e in found.items()]
                lines.append("")
        return "\n".join([*lines, *self._symbols(), *self._costs(), ""])

    def _symbols(self) -> Iterator[str]:
        """What has a unit or is explained, as a table."""
        units, outputs = self.tree.units, self.tree.outputs
        used = {s.name for e in self.exprs.values() for s in free_symbols(e)}
        yield from ("## Symbols", "", "| name | unit | what |", "|---|---|---|")
        for name in sorted(used, key=_by_number):
            yield _row(name, units.get(name, ""), "")
        for name, output in outputs.items():
            yield _row(name, units.get(name, ""), output.long_name)
        yield ""

    def _costs(self) -> Iterator[str]:
        yield from ("Operations of one evaluation:", "", "| technique | operations |", "|---|---|")
        for technique, found in self.counts().items():
            yield f"| {technique} | {', '.join(f'{k} {v}' for k, v in found.items() if k != 'total')} |"

    def sympy(self) -> str:
        """A script that builds every assignment in SymPy, with M and f as matrices."""
        return "\n".join(self._script()) + "\n"

    def _script(self) -> Iterator[str]:
        names = self._python_names()
        defined = {s.name for s in (*self.listing.constants, *self.listing.variables)}
        free = sorted({s.name for e in self._all() for s in free_symbols(e)} - defined)
        yield "from sympy import *"
        yield ""
        for name in free:
            yield f"{names[name]} = Symbol({python_string(name)}, real=True)"
        for lines in self.sections().values():
            yield ""
            for name, expr in lines.items():
                if "[" not in name:
                    yield f"{names[name]} = {to_sympy(expr, names)}"
        n = len(self.kane.speeds)
        yield f"M, f = zeros({n}, {n}), zeros({n}, 1)"
        for name, expr in self.sections()["dynamics"].items():
            indices = [int(i) - 1 for i in name[2:-1].split(",")]
            if name[0] == "f":
                yield f"f[{indices[0]}] = {to_sympy(expr, names)}"
            else:
                i, j = indices
                both = f"M[{i}, {j}] = " if i == j else f"M[{i}, {j}] = M[{j}, {i}] = "
                yield f"{both}{to_sympy(expr, names)}"

    def _python_names(self) -> dict[str, str]:
        """Names of a script: none that is a word of Python, or means something in it."""
        given = {s.name: None for e in self._all() for s in free_symbols(e)}
        given |= {name: None for lines in self.sections().values() for name in lines if "[" not in name}
        names = Names({*keyword.kwlist, *FUNCTIONS, *RESERVED - {"t"}, "M", "f", "zeros", "Symbol"})
        return {name: names.take(plain(name.replace("'", "_dot"))) for name in given}

    def _all(self) -> list[Expr]:
        return [*self.listing.constants.values(), *self.listing.exprs()]

    def _title(self, section: str) -> str:
        kept = "" if self.keep is None else f", small quantities to order {self.keep - 1}"
        return {
            "constants": "constants, computed once",
            "values": "values used several times",
            "kinematics": f"kinematics: rates of coordinates{kept}",
            "dynamics": f"dynamics: M u' = f, M symmetric{kept}",
            "outputs": "outputs",
        }[section]

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        return self.markdown()


def _program(values: Mapping[Symbol, Expr], results: Mapping[str, Expr]) -> Program:
    """Values and results that may name them as a program, in which each value is computed once."""
    b = Builder()
    used = sorted(free_symbols(*values.values(), *results.values()) - {*values}, key=lambda s: s.name)
    nodes = {s: b.input("p" if s.kind == "parameter" else "q", i, s.name) for i, s in enumerate(used)}
    for z, expr in values.items():
        nodes[z] = lower(b, expr, nodes, {})
    return b.program(r=[lower(b, expr, nodes, {}) for expr in results.values()])


def _row(name: str, unit: str, what: str) -> str:
    return f"| ${to_latex(symbol(name))}$ | {markdown_text(unit)} | {markdown_text(what)} |"


def _by_number(name: str) -> tuple[str, int]:
    """q2 before q10."""
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


def _latex_left(name: str) -> str:
    if "[" in name:
        letter, indices = name[:-1].split("[")
        return f"{letter}_{{{indices}}}"
    if name.endswith("'"):
        return rf"\dot{{{to_latex(symbol(name[:-1]))}}}"
    return to_latex(symbol(name))
