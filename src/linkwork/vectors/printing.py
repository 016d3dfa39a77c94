"""Vectors and dyadics as text and LaTeX. The text is Python that makes the same again where frames have their names."""

from __future__ import annotations

from typing import Any

from linkwork.symbolic import ONE, Expr, Sum
from linkwork.symbolic import to_latex as scalar_latex
from linkwork.symbolic import to_text as scalar_text
from linkwork.symbolic.algebra import is_negative, scale
from linkwork.symbolic.latex import latex_name
from linkwork.vectors.quantity import Quantity, UnitVector


def to_text(x: Quantity[Any]) -> str:
    """L*B.x - r*C.y; of a dyadic J*outer(B.x, B.x)."""
    return _written(x, _text_term)


def to_latex(x: Quantity[Any]) -> str:
    """The same as a formula: unit vectors are bold small letters with a number."""
    return _written(x, _latex_term)


def _written(x: Quantity[Any], write: Any) -> str:
    pieces: list[str] = []
    for one, c in x.terms.items():
        minus = is_negative(c) and not (isinstance(c, Sum) and c.bag.size + (c.constant != 0) > 1)
        sign = (" - " if pieces else "-") if minus else (" + " if pieces else "")
        pieces.append(sign + write(one, scale(-1, c) if minus else c))
    return "".join(pieces) or "0"


def _is_sum(c: Expr) -> bool:
    return isinstance(c, Sum) and c.bag.size + (c.constant != 0) > 1


def _text_term(one: Any, c: Expr) -> str:
    name = one.name if isinstance(one, UnitVector) else f"outer({one[0].name}, {one[1].name})"
    if c is ONE:
        return str(name)
    return f"({scalar_text(c)})*{name}" if _is_sum(c) else f"{scalar_text(c)}*{name}"


def _latex_term(one: Any, c: Expr) -> str:
    axes = (one,) if isinstance(one, UnitVector) else one
    name = r" \, ".join(_latex_axis(axis) for axis in axes)
    if c is ONE:
        return name
    inside = scalar_latex(c)
    return rf"\left({inside}\right) {name}" if _is_sum(c) else rf"{inside} \, {name}"


def _latex_axis(axis: UnitVector) -> str:
    owner = axis.frame.name
    if len(owner) == 1:
        return rf"\hat{{\mathbf{{{owner.lower()}}}}}_{{{axis.axis + 1}}}"
    return rf"\hat{{\mathbf{{e}}}}^{{{latex_name(owner)}}}_{{{axis.axis + 1}}}"
