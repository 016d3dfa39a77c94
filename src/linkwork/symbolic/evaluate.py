"""Numbers for expressions: an expression and the values of its symbols in, a float or an array out.

Scalars are checked: division by zero, roots and logarithms of negative numbers are errors, except in the branch
of a `select` that is not taken. Arrays follow NumPy: such elements become nan or inf.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from linkwork.errors import ExpressionError, did_you_mean
from linkwork.symbolic import functions
from linkwork.symbolic.algebra import spread
from linkwork.symbolic.exact import WHOLE, Value, in_pieces, is_modest, share
from linkwork.symbolic.printing import short_text
from linkwork.symbolic.scalar import Compare, Expr, Function, Lookup, Node, Number, Power, Product, Select, Sum, Symbol
from linkwork.symbolic.traverse import free_symbols, postorder

if TYPE_CHECKING:
    from numpy import ndarray

    Numeric: TypeAlias = float | ndarray[Any, Any]
    Values: TypeAlias = Mapping[Symbol, Numeric] | Mapping[str, Numeric] | Mapping[Symbol | str, Numeric]


class _Failure:
    """Stands for a value that does not exist; harmless unless it is needed."""

    def __init__(self, error: ExpressionError) -> None:
        self.error = error


def evaluate(expr: Expr, values: Values) -> Any:
    """The value of an expression: a float, or an array if a value is one.   evaluate(x**2, {"x": 3}) == 9.0."""
    return evaluate_all([expr], values)[0]


def evaluate_all(exprs: Iterable[Expr], values: Values) -> list[Any]:
    """The values of several expressions; what they share is computed once."""
    return Evaluation(exprs).compute(values)


class Evaluation:
    """Several expressions to be evaluated many times: what comes after what is found out once."""

    def __init__(self, exprs: Iterable[Expr]) -> None:
        self._roots = list(exprs)
        self._nodes = postorder(self._roots)
        self.symbols = [node for node in self._nodes if isinstance(node, Symbol)]

    def compute(self, values: Values) -> list[Any]:
        """Their values."""
        found = _symbol_values(self.symbols, values)
        if all(isinstance(value, float) for value in found.values()):
            return _run(self._roots, self._nodes, found)
        return _run_arrays(self._roots, self._nodes, found)


def evaluate_columns(exprs: Iterable[Expr], columns: Mapping[str, Any]) -> list[Any]:
    """The values of expressions for many sets of values at once: columns (k,) or numbers in, columns (k,) out.

    Each is what `evaluate` gives for its set, to the last bit; nan where that is an error.
    """
    import numpy as np

    roots = list(exprs)
    found = {symbol: np.asarray(columns[symbol.name], dtype=float) for symbol in free_symbols(*roots)}
    results: dict[Node, Any] = {symbol: _finite(column) for symbol, column in found.items()}
    count = max((column.size for column in found.values() if column.ndim), default=1)
    with np.errstate(all="ignore"):
        for node in postorder(roots):
            if node not in results:
                rule: Callable[..., Any] = _COLUMN_RULES.get(type(node), _by_element)
                results[node] = _finite(np.asarray(rule(node, results), dtype=float))
    return [np.broadcast_to(results[root], count) for root in roots]


def _symbol_values(symbols: list[Symbol], given: Mapping[Any, Any]) -> dict[Node, Any]:
    found: dict[Node, Any] = {}
    missing = []
    for symbol in symbols:
        if symbol in given:
            found[symbol] = _numeric(symbol, given[symbol])
        elif symbol.name in given:
            found[symbol] = _numeric(symbol, given[symbol.name])
        else:
            missing.append(symbol.name)
    if missing:
        names = ", ".join(f"'{name}'" for name in sorted(missing))
        known = [str(key.name if isinstance(key, Symbol) else key) for key in given]
        raise ExpressionError(f"no value given for {names}", did_you_mean(sorted(missing)[0], known))
    return found


def _numeric(symbol: Symbol, value: Any) -> Any:
    try:
        return float(value) if getattr(value, "ndim", 0) == 0 else value.astype(float)
    except (TypeError, ValueError, AttributeError):
        raise ExpressionError(f"the value of '{symbol.name}' is not a number: {value!r}") from None


_Rules: TypeAlias = dict[type[Node], Callable[..., Any]]


# ---- floats --------------------------------------------------------------------------------------


def _run(roots: list[Expr], nodes: list[Node], results: dict[Node, Any]) -> list[Any]:
    for node in nodes:
        if isinstance(node, Symbol):
            continue
        try:
            value = _FLOAT_RULES[type(node)](node, results)
            results[node] = value if not isinstance(value, float) or isfinite(value) else _overflow()
        except (ZeroDivisionError, ValueError, OverflowError, TypeError) as problem:
            results[node] = _failure(node, results, problem)
    for root in roots:
        if isinstance(results[root], _Failure):
            raise results[root].error
    return [results[root] for root in roots]


def _overflow() -> float:
    raise OverflowError


def _failure(node: Node, results: dict[Node, Any], problem: Exception) -> _Failure:
    for child in node.children:
        if isinstance(results[child], _Failure):
            return results[child]  # type: ignore[no-any-return]
    if isinstance(problem, TypeError):
        raise problem
    what = "division by zero" if isinstance(problem, ZeroDivisionError) else "no finite real value"
    symbols = sorted(free_symbols(node), key=lambda symbol: symbol.name)[:6]
    where = ", ".join(f"{symbol.name} = {results[symbol]:g}" for symbol in symbols)
    return _Failure(ExpressionError(f"{what}: {short_text(node)}" + (f" at {where}" if where else "")))


def _sum_value(node: Sum, results: dict[Node, Any]) -> Any:
    total = _as_number(node.constant)
    for coefficient, term in node.terms:
        if coefficient == 1:
            total = total + results[term]
        elif is_modest(coefficient):
            total = total + float(coefficient) * results[term]
        else:
            total = total + _extreme_value(coefficient, term, results)
    return total


def _as_number(value: Value) -> float:
    """The nearest float; infinity beyond their range."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _extreme_value(coefficient: Value, term: Expr, results: dict[Node, Any]) -> Any:
    rest, factors = spread(coefficient, term)
    scaled = [(results[base] * scale, exponent) for base, exponent, scale in factors]
    return reduce(operator.mul, in_pieces(rest), _factors_value(scaled))


def _product_value(node: Product, results: dict[Node, Any]) -> Any:
    total = 1.0
    for base, exponent in node.factors:
        if exponent > WHOLE or exponent < -WHOLE:
            return _factors_value([(results[base], exponent) for base, exponent in node.factors])
        total = total * _power_value(results[base], exponent)
    return total


def _factors_value(factors: list[tuple[Any, Value]]) -> Any:
    n, shares = share([exponent for _, exponent in factors])
    total = 1.0
    if shares:
        for (base, _), k in zip(factors, shares, strict=True):
            total = total * _power_value(base, k)
        total = _power_value(total, n)
        factors = [(base, exponent - n * k) for (base, exponent), k in zip(factors, shares, strict=True)]
    for base, exponent in factors:
        total = total * _power_value(base, exponent)
    return total


def _power_value(base: Any, exponent: Any) -> Any:
    if exponent == 1:
        return base
    result = base ** (exponent if isinstance(exponent, int) else float(exponent))
    if isinstance(result, complex):
        raise ValueError("root of a negative number")
    return result


def _function_value(node: Function, results: dict[Node, Any]) -> float:
    return float(functions.NUMERIC[node.name](*(results[arg] for arg in node.args)))


def _select_value(node: Select, results: dict[Node, Any]) -> Any:
    condition = results[node.condition]
    if isinstance(condition, _Failure):
        return condition
    return results[node.then if condition else node.otherwise]


_COMPARISONS: Final = {"<": operator.lt, "<=": operator.le}

_FLOAT_RULES: Final[_Rules] = {
    Number: lambda node, results: float(node.value),
    Sum: _sum_value,
    Product: _product_value,
    Power: lambda node, results: _power_value(results[node.base], results[node.exponent]),
    Function: _function_value,
    Lookup: lambda node, results: float(node.curve.value(results[node.arg], node.order)),
    Compare: lambda node, results: _COMPARISONS[node.op](results[node.left], results[node.right]),
    Select: _select_value,
}


# ---- arrays --------------------------------------------------------------------------------------


def _run_arrays(roots: list[Expr], nodes: list[Node], values: dict[Node, Any]) -> list[Any]:
    import numpy as np

    rules = _array_rules()
    results: dict[Node, Any] = {node: np.asarray(value, dtype=float) for node, value in values.items()}
    with np.errstate(all="ignore"):
        for node in nodes:
            if node in results:
                continue
            try:
                results[node] = rules[type(node)](node, results)
            except ValueError as problem:
                raise ExpressionError(f"arrays of different shapes in {short_text(node)}: {problem}") from None
    return [np.asarray(results[root]) for root in roots]


# ---- columns: sums and products are rounded alike in floats and arrays, all else goes element by element ----------


def _finite(column: Any) -> Any:
    import numpy as np

    return np.where(np.isfinite(column), column, np.nan)


def _column_power(base: Any, exponent: Any) -> Any:
    import numpy as np

    if exponent == 1:
        return base
    found = [_attempt(_power_value, x, exponent) for x in np.ravel(base).tolist()]
    return np.array(found).reshape(np.shape(base))


def _attempt(rule: Callable[..., Any], *args: Any) -> float:
    """What a rule for floats says; nan if it is an error or not finite."""
    try:
        value = float(rule(*args))
    except (ZeroDivisionError, ValueError, OverflowError, TypeError):
        return nan
    return value if isfinite(value) else nan


def _column_product(node: Product, results: dict[Node, Any]) -> Any:
    total: Any = 1.0
    for base, exponent in node.factors:
        if exponent > WHOLE or exponent < -WHOLE:
            return _by_element(node, results)
        total = _finite(total * _column_power(results[base], exponent))
    return total


def _column_sum(node: Sum, results: dict[Node, Any]) -> Any:
    if all(is_modest(coefficient) for coefficient, _ in node.terms):
        return _sum_value(node, results)
    return _by_element(node, results)


def _by_element(node: Node, results: dict[Node, Any]) -> Any:
    """The rule for floats, one set of values after the other."""
    import numpy as np

    children = list(dict.fromkeys(node.children))
    shape = np.broadcast_shapes(*(np.shape(results[child]) for child in children))
    rows = zip(*(np.broadcast_to(results[child], shape).ravel().tolist() for child in children), strict=True)
    found = [
        _attempt(_FLOAT_RULES[type(node)], node, _with_failures(dict(zip(children, row, strict=True)))) for row in rows
    ]
    return np.array(found).reshape(shape)


def _with_failures(row: dict[Node, Any]) -> dict[Node, Any]:
    return {node: value if value == value else _Failure(ExpressionError("no value")) for node, value in row.items()}


_COLUMN_RULES: Final[_Rules] = {
    Number: lambda node, results: _as_number(node.value),
    Sum: _column_sum,
    Product: _column_product,
}


def _array_rules() -> _Rules:
    import numpy as np

    ufuncs: dict[str, Callable[..., Any]] = {
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "atan2": np.arctan2,
        "min": np.minimum,
        "max": np.maximum,
    }

    def function_value(node: Function, results: dict[Node, Any]) -> Any:
        ufunc = ufuncs.get(node.name) or getattr(np, node.name)
        return ufunc(*(results[arg] for arg in node.args))

    return {
        Number: lambda node, results: np.float64(_as_number(node.value)),
        Sum: _sum_value,
        Product: _product_value,
        Power: lambda node, results: np.power(results[node.base], results[node.exponent]),
        Function: function_value,
        Lookup: lambda node, results: node.curve.value(results[node.arg], node.order),
        Compare: _FLOAT_RULES[Compare],
        Select: lambda node, results: np.where(results[node.condition], results[node.then], results[node.otherwise]),
    }
