"""The equations of a tree of bodies, for reading: constants, values used several times, q̇, M u̇ = f, outputs.

Where there are constraints, M u̇ + Gᵀ λ = f and G u̇ + c = 0; g, and h of velocities, are zero.

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
from linkwork.symbolic import (
    FUNCTIONS,
    ONE,
    ZERO,
    Expr,
    Symbol,
    add,
    derivatives,
    differentiate,
    free_symbols,
    symbol,
    to_latex,
    to_sympy,
    to_text,
    total_rate,
)
from linkwork.symbolic.intermediates import Listing, list_values
from linkwork.symbolic.simplify import trigonometric

SECTIONS = ("constants", "values", "kinematics", "constraints", "dynamics", "outputs")
CONSTRAINING = ("g", "h", "e")  # what vanishes: constraints of positions, of velocities, equations of variables
TIME = symbol("t", kind="time")


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeEquations:
    """Sections of assignments: p by parameters, z, q' by q and u, constraints, M and f of M u' = f, outputs."""

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
        found |= self._constraints
        outputs = {name: self.kane.rewritten(output.expr) for name, output in self.tree.outputs.items()}
        return {name: trigonometric(expr) for name, expr in (found | outputs).items()}

    @cached_property
    def held(self) -> dict[str, Expr]:
        """The constraints that are not eliminated, by name, as rates: linear in the speeds."""
        tree, rates = self.tree, self.kane.rates()

        def rate_of(s: Symbol) -> Expr:
            return rates.get(s, ONE if s.kind == "time" else ZERO)

        found = {name: total_rate(g, rate_of) for name, g in tree.constraints.items()}
        left = {name: h for name, h in tree.velocity_constraints.items() if name not in tree.dependent}
        return found | {name: self._in_speeds(h) for name, h in left.items()}

    def _in_speeds(self, expr: Expr) -> Expr:
        """An expression by the speeds that are left, with all that is small."""
        return expr if isinstance(self.kane, Kane) else self.kane.by_speeds(expr)

    @property
    def _constraints(self) -> dict[str, Expr]:
        """g, h and e, which vanish, G by speeds and c of G u̇ + c = 0."""
        tree, rates = self.tree, self.kane.rates()
        found = {f"g[{i}]": g for i, g in enumerate(tree.constraints.values(), 1)}
        velocities = [*self.held.values()][len(tree.constraints) :]
        found |= {f"h[{i}]": h for i, h in enumerate(velocities, 1)}
        found |= {f"e[{i}]": self._in_speeds(x.formula) for i, x in enumerate(tree.implicits.values(), 1)}
        for i, row in enumerate(self.held.values(), 1):
            slopes = derivatives(row, self.kane.speeds)
            found |= {f"G[{i},{j}]": x for j, x in enumerate(slopes, 1) if x is not ZERO}
            turning = [differentiate(row, q) * rate for q, rate in rates.items()]
            found[f"c[{i}]"] = add(*turning, differentiate(row, TIME))
        return found

    @property
    def order(self) -> dict[str, list[str]]:
        """What numbers stand for: the speeds u, the constraints that multipliers λ belong to, what g, h and e say."""
        tree = self.tree
        velocities = [name for name in tree.velocity_constraints if name not in tree.dependent]
        found = {"u": [u.name for u in self.kane.speeds], "lam": [*tree.constraints, *velocities]}
        found |= {"g": [*tree.constraints], "h": velocities, "e": [*tree.implicits]}
        return {what: names for what, names in found.items() if names}

    def _ordered(self) -> Iterator[str]:
        """The same in words."""
        words = {"u": "speeds", "lam": "multipliers", "g": "constraints", "h": "constraints of velocities"}
        words |= {"e": "equations of variables"}
        for what, names in self.order.items():
            between = "=" if what == "u" else "of"
            yield f"{words[what]}: " + ", ".join(f"{what}[{i}] {between} {name}" for i, name in enumerate(names, 1))
        for name, u in self.tree.dependent.items():
            yield f"the constraint {name} has eliminated {u.name}"

    @property
    def _law(self) -> str:
        return "M u' + G^T lam = f, G u' + c = 0" if self.held else "M u' = f"

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
            by_section[self._section(name)][name] = expr
        return by_section

    def _section(self, name: str) -> str:
        if name in self.tree.outputs:
            return "outputs"
        if "[" in name:
            return "constraints" if name.partition("[")[0] in CONSTRAINING else "dynamics"
        return "kinematics"

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
        words = (f"{self.tree.title or 'tree'}: {self._law}", *self._ordered())
        return "\n".join(["".join(f"# {line_comment(line)}\n" for line in words), *blocks])

    def latex(self) -> str:
        """Aligned formulas, section by section."""
        blocks = [*(f"% {line_comment(line)}" for line in self._ordered()), *self._numbered()]
        for section, lines in self.sections().items():
            if lines:
                rows = " \\\\\n".join(f"{_latex_left(n)} &= {to_latex(e)}" for n, e in lines.items())
                blocks.append(f"% {self._title(section)}\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n")
        return "\n".join(blocks)

    def _numbered(self) -> Iterator[str]:
        """The order of the speeds, and the law where there are constraints, as formulas."""
        speeds = r" \\ ".join(to_latex(u) for u in self.kane.speeds)
        yield rf"\[ u = \begin{{pmatrix}} {speeds} \end{{pmatrix}} \]"
        if self.held:
            yield r"\[ M \dot u + G^T \lambda = f, \qquad G \dot u + c = 0 \]"

    def markdown(self) -> str:
        """Headings, formulas, and what it costs."""
        law = r"M \dot u + G^T \lambda = f,\ G \dot u + c = 0" if self.held else r"M \dot u = f"
        lines = [
            f"# {markdown_text(self.tree.title) or 'Tree of bodies'}",
            "",
            f"${law}$, with $\\dot q$ by the speeds $u$.",
            "",
            *(f"- {markdown_text(line)}" for line in self._ordered()),
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
        n, m = len(self.kane.speeds), len(self.held)
        yield from (f"# {line_comment(line)}" for line in (self._law, *self._ordered()))
        yield f"speeds = [{', '.join(python_string(u.name) for u in self.kane.speeds)}]"
        yield f"M, f = zeros({n}, {n}), zeros({n}, 1)"
        yield from [f"G, c = zeros({m}, {n}), zeros({m}, 1)"] if m else []
        sections = self.sections()
        for letter in CONSTRAINING:
            count = sum(name.startswith(f"{letter}[") for name in sections["constraints"])
            yield from [f"{letter} = zeros({count}, 1)"] if count else []
        for name, expr in (sections["constraints"] | sections["dynamics"]).items():
            letter, numbers = name[:-1].split("[")
            places = [int(i) - 1 for i in numbers.split(",")]
            both = [places, places[::-1]] if letter == "M" and places[0] != places[-1] else [places]
            yield " = ".join([*(f"{letter}{at}" for at in both), to_sympy(expr, names)])

    def _python_names(self) -> dict[str, str]:
        """Names of a script: none that is a word of Python, or means something in it."""
        given = {s.name: None for e in self._all() for s in free_symbols(e)}
        given |= {name: None for lines in self.sections().values() for name in lines if "[" not in name}
        names = Names(
            {
                *keyword.kwlist,
                *FUNCTIONS,
                *RESERVED - {"t"},
                "M",
                "f",
                "G",
                "c",
                *CONSTRAINING,
                "speeds",
                "zeros",
                "Symbol",
            }
        )
        return {name: names.take(plain(name.replace("'", "_dot"))) for name in given}

    def _all(self) -> list[Expr]:
        return [*self.listing.constants.values(), *self.listing.exprs()]

    def _title(self, section: str) -> str:
        kept = "" if self.keep is None else f", small quantities to order {self.keep - 1}"
        return {
            "constants": "constants, computed once",
            "values": "values used several times",
            "kinematics": f"kinematics: rates of coordinates{kept}",
            "constraints": "constraints: each is zero",
            "dynamics": f"dynamics: {self._law}, M symmetric{kept}",
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
    explained = f" {markdown_text(what)}" if what else ""
    return f"| ${to_latex(symbol(name))}$ | {markdown_text(unit)} |{explained} |"


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
