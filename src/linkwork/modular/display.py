"""How formulas of modules are shown: rates with dots, deviations with δ, short sines, rounded numbers, curves.

For the eye alone: what is shown is not computed with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from linkwork.errors import ExpressionError, InputError, Problem, Ref, show_value
from linkwork.given import as_finite
from linkwork.modular.names import as_formula, as_formulas
from linkwork.symbolic import (
    Expr,
    ExprLike,
    Function,
    Number,
    Product,
    Sum,
    Symbol,
    add,
    as_expr,
    evaluate,
    free_symbols,
    multiply,
    postorder,
    power,
    substitute,
    symbol,
    to_latex,
)

NOTHING = 1e-12  # what is rounding where numbers are near zero or one
DOTS = ("", r"\dot", r"\ddot", r"\dddot")
MARK = "δ"
LONGEST = 8  # curves of one picture


def latex_name(name: str) -> str:
    r"""A name with dots for primes and δ for deviations: theta'' is \ddot{\theta}."""
    base = name.rstrip("'")
    primes = len(name) - len(base)
    plain = to_latex(symbol(base.removeprefix(MARK)))
    dotted = rf"{DOTS[primes]}{{{plain}}}" if 0 < primes < len(DOTS) else plain
    return rf"\delta {dotted}" if base.startswith(MARK) else dotted


def latex(expr: ExprLike | str, *, short: bool = False) -> str:
    r"""An expression in LaTeX; `short` writes s_θ and c_θ for sin θ and cos θ.

    >>> latex("2*sin(theta)", short=True)
    '2 s_{\\theta}'
    """
    found = as_formula(expr, "latex")
    names = {s.name: latex_name(s.name) for s in free_symbols(found)}
    if short:
        found, more = _shortened(found)
        names |= more
    return to_latex(found, names)


def _shortened(expr: Expr) -> tuple[Expr, dict[str, str]]:
    """The expression with signs for sines and cosines of single names, and what they look like."""
    signs: dict[Expr, ExprLike] = {}
    names = {}
    for node in postorder([expr]):
        if isinstance(node, Function) and node.name in ("sin", "cos") and isinstance(node.children[0], Symbol):
            angle = node.children[0].name
            signs[node] = sign = symbol(f"{node.name[0]} {angle}")
            names[sign.name] = f"{node.name[0]}_{{{latex_name(angle)}}}"
    return substitute(expr, signs), names


def rounded(expr: Expr) -> Expr:
    """Numbers within 1e-12 of zero and of one, or minus one, as these.

    >>> rounded(1e-15 * symbol("x") + 1.00000000000001 * symbol("y"))
    y
    """
    if isinstance(expr, Number):
        return Number(_round(expr.value))
    if isinstance(expr, Sum):
        terms = [multiply(as_expr(_round(c)), rounded(term)) for c, term in expr.terms]
        return add(as_expr(_round(expr.constant)), *terms)
    if isinstance(expr, Product):
        return multiply(*(power(rounded(base), exponent) for base, exponent in expr.factors))
    return expr


def _round(x: Any) -> Any:
    return next((k for k in (0, 1, -1) if abs(float(x) - k) < NOTHING), x)


def plot(
    curves: Iterable[ExprLike | str],
    over: Sequence[Any],
    *,
    labels: tuple[str, str] = ("", ""),
    title: str = "",
    legends: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
    ax: Any = None,
) -> Any:
    """Curves of up to eight formulas over a variable, (name, from, to), in matplotlib's axes with a legend."""
    exprs = as_formulas(curves, "plot")
    if not 0 < len(exprs) <= LONGEST or (legends and len(legends) != len(exprs)):
        what = f"{len(exprs)} curves with {len(legends)} legends"
        raise InputError([Problem(part="plot", what=what, remedy="Give one to eight curves, and a legend for each")])
    from matplotlib import pyplot

    if not isinstance(over, tuple | list) or len(over) != 3:
        what = f"{show_value(over)} is no range"
        raise InputError([Problem(part="plot", what=what, remedy='Give ("t", 0, 1)')])
    name, (first, last) = over[0], (as_finite(x, Ref("plot")) for x in over[1:])
    x = np.linspace(first, last, 400)
    axes = ax if ax is not None else pyplot.subplots(layout="constrained")[1]
    styles = cycle(("-", "--", "-.", ":"))
    known: dict[str, Any] = {**(values or {}), name: x}
    for k, expr in enumerate(exprs):
        try:
            y = np.broadcast_to(evaluate(expr, known), x.shape)
        except ExpressionError as error:
            raise InputError([Problem(part="plot", what=error.what, remedy="Give values={name: number}")]) from None
        axes.plot(x, y, next(styles), label=legends[k] if legends else f"${latex(expr, short=True)}$")
    axes.set(xlabel=labels[0] or name, ylabel=labels[1], title=title)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return axes
