"""The equations of a tree of bodies, for reading: constants, values used several times, q̇, M u̇ = f, outputs.

A Tree in; text, Markdown, LaTeX or a SymPy script out. Every value is computed once, so what is printed is the program
that would be run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from linkwork.equations.kane import Kane
from linkwork.equations.reduction import Reduced
from linkwork.model.tree import Tree
from linkwork.program import Builder, count_operations, lower
from linkwork.symbolic import Expr, Symbol, free_symbols, symbol, to_latex, to_sympy, to_text
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
        b = Builder()
        inputs = sorted({s for e in self.listing.exprs() for s in free_symbols(e)}, key=lambda s: s.name)
        nodes: dict[Symbol, int] = {}
        for i, s in enumerate(s for s in inputs if s not in self.listing.variables):
            nodes[s] = b.input("p" if s.kind == "parameter" else "q", i, s.name)
        for z, expr in self.listing.variables.items():
            nodes[z] = lower(b, expr, nodes, {})
        results = [lower(b, expr, nodes, {}) for expr in self.listing.results.values()]
        return count_operations(b.program(r=results))

    # -- texts ---------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Assignments, one a line."""
        blocks = []
        for section, lines in self.sections().items():
            if lines:
                blocks.append(
                    f"# {self._title(section)}\n" + "".join(f"{n} = {to_text(e)}\n" for n, e in lines.items())
                )
        return "\n".join([f"# {self.tree.title or 'tree'}: M u' = f\n", *blocks])

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
            f"# {self.tree.title or 'Tree of bodies'}",
            "",
            "$M \\dot u = f$, with $\\dot q$ by the speeds $u$.",
            "",
        ]
        for section, found in self.sections().items():
            if found:
                lines += [f"## {self._title(section).capitalize()}", ""]
                lines += [f"$${_latex_left(n)} = {to_latex(e)}$$" for n, e in found.items()]
                lines.append("")
        counts = ", ".join(f"{k} {v}" for k, v in self.count().items() if k != "total")
        return "\n".join([*lines, f"Operations of one evaluation: {counts}.", ""])

    def sympy(self) -> str:
        """A script that builds every assignment in SymPy, with M and f as matrices."""
        return "\n".join(self._script()) + "\n"

    def _script(self) -> Iterator[str]:
        names = {s.name: _python_name(s.name) for e in self._all() for s in free_symbols(e)}
        free = sorted({*names} - {s.name for s in (*self.listing.constants, *self.listing.variables)})
        yield "from sympy import *"
        yield ""
        for name in free:
            yield f"{names[name]} = Symbol({name!r}, real=True)"
        for lines in self.sections().values():
            yield ""
            for name, expr in lines.items():
                if "[" not in name:
                    yield f"{_python_name(name)} = {to_sympy(expr, names)}"
        n = len(self.kane.speeds)
        entries = {name: to_sympy(expr, names) for name, expr in self.sections()["dynamics"].items()}
        yield f"M, f = zeros({n}, {n}), zeros({n}, 1)"
        for name, text in entries.items():
            indices = [int(i) - 1 for i in name[2:-1].split(",")]
            if name[0] == "f":
                yield f"f[{indices[0]}] = {text}"
            else:
                i, j = indices
                yield f"M[{i}, {j}] = M[{j}, {i}] = {text}"

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


def _python_name(name: str) -> str:
    return name.replace("'", "_dot")


def _latex_left(name: str) -> str:
    if "[" in name:
        letter, indices = name[:-1].split("[")
        return f"{letter}_{{{indices}}}"
    if name.endswith("'"):
        return rf"\dot{{{to_latex(symbol(name[:-1]))}}}"
    return to_latex(symbol(name))
