"""Programs as formulas again: nodes in, expressions out, for what was made of nodes and is to be printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from linkwork.program import Program
from linkwork.symbolic import Expr, Number, less, less_equal, select
from linkwork.symbolic.functions import FUNCTIONS

PLAIN: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
}


def raise_program(program: Program, inputs: Mapping[str, Callable[[int], Expr]]) -> Expr:
    """The only result of a program over expressions of its inputs, by kind."""
    found: list[Expr | None] = []
    for node in program.nodes:
        args = [found[a] for a in node.args]
        if node.source is not None:
            made = inputs[node.source.kind](node.source.index) if node.source.kind in inputs else None
        elif node.op == "constant":
            made = Number(int(node.value) if node.value == int(node.value) else node.value)
        elif node.op == "pow":
            made = args[0] ** Number(node.value)  # type: ignore[operator]
        elif node.op == "select":
            test = program.nodes[node.args[0]]
            compare = less if test.op == "less" else less_equal
            one, two = (found[a] for a in test.args)
            made = select(compare(one, two), args[1], args[2])  # type: ignore[arg-type]
        elif node.op in ("less", "less_equal"):
            made = None  # read where it decides
        else:
            made = (PLAIN.get(node.op) or FUNCTIONS[node.op])(*args)
        found.append(made)
    result = found[program.outputs["v"][0]]
    assert result is not None
    return result
