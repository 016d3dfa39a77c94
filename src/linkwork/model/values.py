"""Numbers of expressions: parameters in the order of their dependence, and everything else from them."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from linkwork.errors import ExpressionError, Problem, Ref, did_you_mean
from linkwork.symbolic import Expr, Number, evaluate, evaluate_all, free_symbols, to_text
from linkwork.symbolic.parse import IN_LAWS

LARGEST = Fraction(sys.float_info.max)


def compute_number(expr: Expr, values: Mapping[str, float]) -> float:
    """The value of an expression, a finite number; anything else is an ExpressionError in words.

    >>> from linkwork.symbolic import symbol
    >>> compute_number(2 * symbol("k"), {"k": 1.5})
    3.0
    """
    names = sorted({symbol.name for symbol in free_symbols(expr)})
    for name in names:
        if name not in values:
            define = IN_LAWS if "." in name or name == "t" else "Define a parameter with this name"
            remedy = did_you_mean(name, values) or define
            raise ExpressionError(f"unknown name '{name}'", remedy)
    if isinstance(expr, Number) and not -LARGEST <= expr.value <= LARGEST:
        raise ExpressionError("the number is too large", "Use numbers up to 1e308")
    try:
        value = float(evaluate(expr, {name: values[name] for name in names}))
    except ExpressionError as error:
        what = error.what if len(error.what) <= 160 else error.what[:157] + "..."
        raise ExpressionError(what, error.remedy or "Check the formula and its parameters") from None
    if not math.isfinite(value):
        raise ExpressionError(f"{_quote(expr)} is not a finite number", "Use numbers up to 1e308")
    return value


def compute_numbers(exprs: Iterable[Expr], values: Mapping[str, float]) -> dict[Expr, float]:
    """The values of many expressions at once; none if one of them has no value."""
    distinct = list(dict.fromkeys(exprs))
    try:
        numbers = evaluate_all(distinct, values)
    except ExpressionError:
        return {}
    return dict(zip(distinct, numbers, strict=True)) if all(map(math.isfinite, numbers)) else {}


def compute_parameters(parameters: Mapping[str, Expr]) -> tuple[dict[str, float], list[Problem]]:
    """The values of all parameters that have one, and what is wrong with the others.

    A parameter that only depends on a wrong one is left out without a problem of its own.
    """
    needs = {name: _needs(name, expr, parameters) for name, expr in parameters.items()}
    values: dict[str, float] = {}
    problems: list[Problem] = []
    for name in in_order(needs):
        expr = parameters[name]
        if not all(needed in values for needed in needs[name]):
            continue
        try:
            values[name] = compute_number(expr, values)
        except ExpressionError as error:
            problems.append(Problem(ref=Ref("parameter", name), what=error.what, remedy=error.remedy))
    for cycle in find_cycles(needs):
        shown = cycle if len(cycle) <= 8 else [*cycle[:7], "..."]
        path = " -> ".join([*shown, cycle[0]])
        what = f"depends on itself: {path}" if len(cycle) > 1 else "depends on itself"
        problems.append(Problem(ref=Ref("parameter", cycle[0]), what=what, remedy="Give it a number"))
    return values, problems


def _needs(name: str, expr: Expr, parameters: Mapping[str, Expr]) -> list[str]:
    return sorted(symbol.name for symbol in free_symbols(expr) if symbol.name in parameters)


def in_order(needs: Mapping[str, list[str]]) -> Iterator[str]:
    """The names, each after those it needs; names on a cycle, and what needs them, are left out."""
    open_needs = {name: len(needed) for name, needed in needs.items()}
    needed_by: dict[str, list[str]] = {name: [] for name in needs}
    for name, needed in needs.items():
        for other in needed:
            needed_by[other].append(name)
    ready = deque(name for name, count in open_needs.items() if count == 0)
    while ready:
        name = ready.popleft()
        yield name
        for other in needed_by[name]:
            open_needs[other] -= 1
            if open_needs[other] == 0:
                ready.append(other)


def find_cycles(needs: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """One cycle for every knot of parameters that need each other."""
    left = needs.keys() - set(in_order(needs))
    # every name that is left needs another that is left: walking along these must come back
    following = {name: next(other for other in needs[name] if other in left) for name in sorted(left)}
    seen: set[str] = set()
    for start in following:
        path: dict[str, None] = {}
        name = start
        while name not in seen:
            seen.add(name)
            path[name] = None
            name = following[name]
        if name in path:
            walked = list(path)
            yield walked[walked.index(name) :]


def _quote(expr: Expr) -> str:
    text = to_text(expr)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}...'"
