"""Programs as Python: a program in, the text of a function of the same meaning out. For people and for tests.

The function takes one sequence per kind of input (`q u a lam p`) and the time, and returns its results by group; where
there are curves, `c` are functions of their argument and the order of the derivative, as `Curve.value` is. It needs
nothing but the standard library. Text from input files never reaches it: names are made here.
"""

from __future__ import annotations

from linkwork.program.builder import Node, Program
from linkwork.quoting import python_comment

_KINDS = ("q", "u", "a", "lam", "p")
_TEXT = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "abs": "abs({0})",
    "sign": "float(({0} > 0.0) - ({0} < 0.0))",
    "min": "min({0}, {1})",
    "max": "max({0}, {1})",
    "less": "{0} < {1}",
    "less_equal": "{0} <= {1}",
    "select": "{1} if {0} else {2}",
}


def emit_python(program: Program, name: str = "evaluate") -> str:
    """The source of a Python function that runs a program.

    >>> from linkwork.program.builder import Builder
    >>> b = Builder()
    >>> x = b.input("q", 0, "x")
    >>> print(emit_python(b.program(y=[b.mul(x, b.emit("sin", x))])))
    import math
    <BLANKLINE>
    <BLANKLINE>
    def evaluate(q=(), u=(), a=(), lam=(), p=(), t=0.0):
        n0 = q[0]  # x
        n1 = math.sin(n0)
        n2 = n0 * n1
        return {"y": (n2,)}
    <BLANKLINE>
    """
    kinds = (*_KINDS, "c") if any(node.curve for node in program.nodes) else _KINDS
    arguments = ", ".join(f"{kind}=()" for kind in kinds)
    lines = ["import math", "", "", f"def {name}({arguments}, t=0.0):"]
    for i, node in enumerate(program.nodes):
        label = program.labels.get(node.source, "") if node.source is not None else ""
        lines.append(f"    n{i} = {_text(node)}" + (f"  # {python_comment(label)}" if label else ""))
    groups = (f'"{group}": ({"".join(f"n{n}, " for n in nodes).rstrip()})' for group, nodes in program.outputs.items())
    lines.append(f"    return {{{', '.join(groups)}}}")
    return "\n".join(lines) + "\n"


def _text(node: Node) -> str:
    if node.op == "constant":
        return repr(node.value)
    if node.source is not None:
        return "t" if node.source.kind == "t" else f"{node.source.kind}[{node.source.index}]"
    args = [f"n{arg}" for arg in node.args]
    if node.op == "pow":
        return f"{args[0]} ** {node.value!r}"
    if node.op == "curve":
        return f"{args[0]}({args[1]}, {node.value:.0f})"
    pattern = _TEXT.get(node.op)
    return pattern.format(*args) if pattern else f"math.{node.op}({', '.join(args)})"
