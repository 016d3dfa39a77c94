"""README.md of an export: what there is, how it is built and run, all symbols with units, the equations, the counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from linkwork.export.code import Function, walk
from linkwork.export.exported import Exported, Named
from linkwork.export.naming import Naming
from linkwork.quoting import line_comment, markdown_block, markdown_code, markdown_text

KINDS = {"add": "add", "sub": "add", "mul": "mul", "div": "div"}
FREE = ("number", "name", "constant", "input", "neg")

FUNCTIONS = {
    "init": "what follows from the parameters alone: call it after they were set",
    "rhs": "the rates dy of the state y, and the multipliers lambda of the constraints",
    "residual": "M a + G' lambda - f for given rates and multipliers: zero along a motion",
    "constraints": "by how much constraints are open, g, and how fast they open, dg",
    "correct": "the smallest change of the state, by masses, that closes the constraints to first order",
    "outputs": "the outputs below",
    "jacobian": "the derivatives J of the rates by the state, row by row",
    "mass": "the mass matrix mm by the speeds, row by row",
    "events": "values that change their sign where something happens",
    "clocks": "of each controller its period, its offset, and in which steps values are read and set",
    "reads": "what controllers read at their instants",
    "answers": "what controllers set and remember by formulas",
    "loop": "what vanishes for the values in laws that belong to the same instant, z, and its slopes J by these",
    "terms": "the mass matrix mm, the constraint matrix gg, the forces ff, and cc: what G a is",
    "moves": "the rates dy of places with given speeds vv",
    "renorm": "corrections dy of what must have length one",
    "readings": "the restitutions of stops, then the largest forces that friction holds",
    "slopes": "the slopes of speeds that events give values, by all speeds, row by row",
    "acts": "the values a that events give to speeds, states and inputs; `act` gives them",
}

SOMETIMES = (
    "Those of what holds at the start. What comes and goes adds its row and its multiplier while it holds: {rows}."
)


def count_operations(f: Function) -> dict[str, int]:
    """Additions, products, divisions and functions of one call."""
    trees = (part for tree in f.trees for part in walk(tree))
    counts = Counter(KINDS.get(tree.op, "other") for tree in trees if tree.op not in FREE)
    return {kind: counts[kind] for kind in ("add", "mul", "div", "other")}


def write_document(x: Exported, names: Naming, usage: str, equations: str) -> str:
    """The text."""
    parts = [
        f"# {markdown_text(x.title)}",
        f"Equations of motion, {markdown_text(x.written)}. Nothing of linkwork is needed.",
    ]
    parts += [usage.strip(), *x.notes]
    parts += [_functions(x), _stubs(x, names)]
    parts.append("All quantities are in SI units and radians unless they say otherwise.")
    parts.append(_table("State y", x.states, [str(i) for i in range(len(x.states))], "at the start"))
    parts.append(
        _table("Parameters", x.parameters, [f"`{names.field(n.name)}`" for n in x.parameters], "value", "in code")
    )
    parts.append(_table("Inputs", x.inputs, [f"`{names.field(n.name)}`" for n in x.inputs], "value", "in code"))
    parts.append(
        _table(
            "Values found at each instant",
            x.settled,
            [f"`{names.field(n.name)}`" for n in x.settled],
            "at the start",
            "in code",
        )
    )
    parts.append(_table("Multipliers lambda", x.multipliers, [str(i) for i in range(len(x.multipliers))]))
    parts.append(_table("Outputs", x.outputs, [str(i) for i in range(len(x.outputs))]))
    parts.append(_events(x))
    if equations:
        parts.append("## Equations")
        parts += [SOMETIMES.format(rows=_listed(x))] if x.modes and x.modes.off else []
        parts.append(markdown_block(equations))
    return "\n\n".join(part for part in parts if part) + "\n"


def _functions(x: Exported) -> str:
    lines = [
        "## Functions",
        "",
        "| function | computes | add, subtract | multiply | divide | other |",
        "|---|---|---|---|---|---|",
    ]
    for f in (x.code.init, *x.code.functions):
        counts = " | ".join(str(k) for k in count_operations(f).values())
        lines.append(f"| `{f.name}` | {FUNCTIONS[f.name]} | {counts} |")
    return "\n".join(lines)


def _stubs(x: Exported, names: Naming) -> str:
    asked = [(names.function(s.name), "; ".join(s.remarks(names.arguments(s)))) for s in x.stubs]
    asked += [
        (names.function(c.name), "the controller: what it reads in, what it sets out") for c in x.controllers if c.calls
    ]
    if not asked:
        return ""
    head = "Laws ask functions that could not be written down: write them in the file `external`."
    rows = (f"| `{name}` | {markdown_code(what)} |" for name, what in asked)
    return "\n".join(["## Functions to be filled in", "", head, "", "| function | arguments |", "|---|---|", *rows])


def _table(title: str, named: Sequence[Named], places: Iterable[str], value: str = "", place: str = "place") -> str:
    if not named:
        return ""
    with_unit, with_words = any(n.unit for n in named), any(n.words for n in named)
    heads = [
        "name",
        place,
        *([value] if value else []),
        *(["unit"] if with_unit else []),
        *(["what"] if with_words else []),
    ]
    lines = [f"## {title}", "", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for n, at in zip(named, places, strict=True):
        cells = [markdown_code(n.name), at, *([f"{n.value:.9g}"] if value else [])]
        cells += [*([markdown_text(n.unit)] if with_unit else []), *([markdown_text(n.words)] if with_words else [])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _listed(x: Exported) -> str:
    """The multipliers of what does not hold at first."""
    assert x.modes
    return ", ".join(markdown_code(x.multipliers[row].name) for row in sorted(x.modes.off))


def _events(x: Exported) -> str:
    if not x.watched:
        return ""
    lines = ["## Events", "", "| name | place | happens where it |", "|---|---|---|"]
    for i, w in enumerate(x.watched):
        way = {0: "changes its sign", 1: "becomes positive", -1: "becomes negative"}[w.direction]
        way = way if w.event else "changes its sign: a law goes on with another piece"
        lines.append(f"| {markdown_text(w.name)} | {i} | {way}{', which ends the run' if w.stop else ''} |")
    if x.modes and x.modes.told:
        lines += ["", f"Told besides: {', '.join(markdown_text(name) for name in x.modes.told)}."]
    return "\n".join(lines)


def write_parameters(x: Exported) -> str:
    """The keyword file of parameters."""
    lines = [f"# parameters of {line_comment(x.title)}"]
    for n in x.parameters:
        words = " ".join(w for w in (f"[{n.unit}]" if n.unit else "", n.words) if w)
        lines.append(f"{n.name} = {n.value!r}" + (f"  # {line_comment(words)}" if words else ""))
    return "\n".join(lines) + "\n"
